(* Four organizations, priority to organizations in any order, at most eight jobs in all, lengths >= 0: a pure equilibrium exists (T7). *)
From Coq Require Import List Lia.
Require Import Numbers Game Cover CoverText AnyLengths Shapes FourOrganizations TwoJobFirst.
Require C6200 C5300 C3500 C4400 C5210 C4310 C3410 C4220 C3320 C3230 C4211 C2411 C3311 C3221 C2321 C2231 C2222.
Import ListNotations.

Lemma turn n m : bij [O2; O3; O1; O4] = true -> compat [O2; O3; O1; O4] (shape4 n m 1 1) = true ->
  solvable4h (shape4 n m 1 1) -> solvable4h (shape4 1 n m 1).
Proof.
  intros B C H. apply (solvable4h_mono (fun a => shape4 n m 1 1 (inv [O2; O3; O1; O4] a))).
  - intros []; simpl; lia.
  - intros []; simpl; lia.
  - apply solvable4h_perm; assumption.
Qed.
Lemma exists2600 : solvable4h (shape4 2 6 0 0).
Proof. apply T8_shape. apply (solvable4h_one _ O2); [|simpl; lia]. intros [] H; simpl; try lia; congruence. Qed.
Lemma exists2510 : solvable4h (shape4 2 5 1 0).
Proof. apply T8_shape. apply (solvable4h_one _ O2); [|simpl; lia]. intros [] H; simpl; try lia; congruence. Qed.
Lemma exists2420 : solvable4h (shape4 2 4 2 0).
Proof. apply T8_shape, turn; [reflexivity|reflexivity|exact C4211.exists4211]. Qed.
Lemma exists2240 : solvable4h (shape4 2 2 4 0).
Proof. apply T8_shape, turn; [reflexivity|reflexivity|exact C2411.exists2411]. Qed.
Lemma exists2330 : solvable4h (shape4 2 3 3 0).
Proof. apply T8_shape, turn; [reflexivity|reflexivity|exact C3311.exists3311]. Qed.

Definition shapes8 := [(6,2,0,0);(2,6,0,0);(5,3,0,0);(3,5,0,0);(4,4,0,0);(5,2,1,0);(2,5,1,0);(4,3,1,0);(3,4,1,0);(4,2,2,0);(2,4,2,0);
  (2,2,4,0);(3,3,2,0);(3,2,3,0);(2,3,3,0);(4,2,1,1);(2,4,1,1);(3,3,1,1);(3,2,2,1);(2,3,2,1);(2,2,3,1);(2,2,2,2)]%nat.

(* jobs: lengths of the jobs of each organization, any lengths >= 0 in any order; order: the priority, the same on all machines *)
Theorem N4_eight : forall (jobs : org4 -> list num) (order : list org4),
  Permutation.Permutation order [O1; O2; O3; O4] ->
  (forall a x, In x (jobs a) -> 0 <= x) ->
  (length (jobs O1) + length (jobs O2) + length (jobs O3) + length (jobs O4) <= 8)%nat ->
  exists p : org4 -> nat -> org4, forall (a : org4) (d : nat -> org4),
    cost dec4 [O1; O2; O3; O4] jobs (fun _ => order) p a <=
    cost dec4 [O1; O2; O3; O4] jobs (fun _ => order) (deviate dec4 p a d) a.
Proof.
  apply (N4_upto shapes8); [vm_compute; reflexivity|].
  intros s H. unfold shapes8 in H. simpl in H.
  repeat (destruct H as [H|H]; [subst s; simpl shape_of;
    first [ exact C6200.exists6200 | exact exists2600 | exact C5300.exists5300 | exact C3500.exists3500 | exact C4400.exists4400
          | exact C5210.exists5210 | exact exists2510 | exact C4310.exists4310 | exact C3410.exists3410 | exact C4220.exists4220
          | exact exists2420 | exact exists2240 | exact C3320.exists3320 | exact C3230.exists3230 | exact exists2330
          | exact C4211.exists4211 | exact C2411.exists2411 | exact C3311.exists3311 | exact C3221.exists3221
          | exact C2321.exists2321 | exact C2231.exists2231 | exact C2222.exists2222 ]|]).
  destruct H.
Qed.
Check N4_eight.
Print Assumptions N4_eight.
