(* Three organizations that own several machines: an equilibrium may not exist (R3' in the documentation).

   [no_equilibrium_211]: 2, 1 and 1 machines, jobs {22,17,17,13,13,5}, {8}, {28,2}; O1 is first on every host, then O2.
   [no_equilibrium_121]: 1, 2 and 1 machines, jobs {27,27,22,18,13,5}, {36,19}, {52,2}; the same order.
   All 3^9 and all 3^10 profiles are tried, with the costs of SeveralMachines.v itself (AllProfiles.v). *)
From Coq Require Import List.
Require Import Numbers Game SeveralMachines AllProfiles.
Import ListNotations.

Inductive org := O1 | O2 | O3.
Definition dec3 (a b : org) : {a = b} + {a <> b}.
Proof. decide equality. Defined.
Definition all3 : list org := [O1; O2; O3].

Lemma in3 a : In a all3.
Proof. destruct a; simpl; auto. Qed.

(* the cost depends on the placement of the jobs that there are *)
Theorem no_equilibrium machines jobs :
  refuted dec3 all3 jobs (cost dec3 all3 machines jobs (fun _ => all3)) O1 [O2; O3] = true ->
  forall p, ~ equilibrium dec3 all3 machines jobs (fun _ => all3) p.
Proof.
  apply refuted_sound; [exact in3| |intros []; simpl; auto]. intros p q a H. unfold cost, times. f_equal.
  apply flat_map_ext. intros l. f_equal. unfold queue. apply flat_map_ext. intros b. f_equal. apply placed_ext, H.
Qed.

Definition machines_211 (a : org) : nat := match a with O1 => 2 | O2 => 1 | O3 => 1 end.
Definition jobs_211 (a : org) : list num := match a with O1 => [22; 17; 17; 13; 13; 5] | O2 => [8] | O3 => [28; 2] end.

Theorem no_equilibrium_211 : forall p, ~ equilibrium dec3 [O1; O2; O3] machines_211 jobs_211 (fun _ => [O1; O2; O3]) p.
Proof. apply no_equilibrium. vm_cast_no_check (eq_refl true). Qed.

Definition machines_121 (a : org) : nat := match a with O1 => 1 | O2 => 2 | O3 => 1 end.
Definition jobs_121 (a : org) : list num :=
  match a with O1 => [27; 27; 22; 18; 13; 5] | O2 => [36; 19] | O3 => [52; 2] end.

Theorem no_equilibrium_121 : forall p, ~ equilibrium dec3 [O1; O2; O3] machines_121 jobs_121 (fun _ => [O1; O2; O3]) p.
Proof. apply no_equilibrium. vm_cast_no_check (eq_refl true). Qed.
