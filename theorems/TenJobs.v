(* Four organizations need not have a pure equilibrium: none of the 4^10 placements of the jobs {35,22,22,17,13,5},
   {14}, {9}, {42,2} in the order O1, O2, O3, O4 is one, although priority is to organizations. So SevenJobs.v and
   EightJobs.v
   are false for ten jobs.

   The proof is by computation with the definition of Game.v itself (rational lengths only): a strategy matters only for
   the jobs that there are (cost_agree), so each placement is one of a list; O1 must have a best reply, which leaves few
   placements, and in each of those somebody else gains by another strategy (none10_sound). *)
From Coq Require Import List Lia Permutation.
Require Import Numbers Game FewerJobs Forms Shapes.
Import ListNotations.

Definition prof4 (s1 s2 s3 s4 : nat -> org4) (a : org4) : nat -> org4 :=
  match a with O1 => s1 | O2 => s2 | O3 => s3 | O4 => s4 end.
Section None.
Variable jobs : org4 -> list num.
Hypothesis jobs_nonneg : forall b, nonneg (jobs b).
Variable st : org4 -> list (nat -> org4).          (* all strategies *)
Hypothesis st_all : forall (p : org4 -> nat ->
  org4) b, exists s, In s (st b) /\ forall t, (t < length (jobs b))%nat -> s t = p b t.
Definition c10 := cost dec4 all4 jobs (fun _ => all4).
Fixpoint least_cost (l : list (num * (nat -> org4))) (m : num) : num :=
  match l with [] => m | (c, _) :: t => least_cost t (if Qle_bool m c then m else c) end.
Definition improves (p : org4 -> nat -> org4) (a : org4) : bool :=
  let c := c10 p a in any (fun d => negb (Qle_bool c (c10 (deviate dec4 p a d) a))) (st a).
Definition none10 : bool :=
  all (fun s2 => all (fun s3 => all (fun s4 =>
    let cs := map (fun s1 => (c10 (prof4 s1 s2 s3 s4) O1, s1)) (st O1) in
    let m := least_cost cs (work jobs O1) in
    all (fun cs1 => if Qle_bool (fst cs1) m then any (improves (prof4 (snd cs1) s2 s3 s4)) [O2; O3; O4] else true) cs)
    (st O4)) (st O3)) (st O2).

Lemma least_cost_ge l m x : x <= m -> (forall c s, In (c, s) l -> x <= c) -> x <= least_cost l m.
Proof.
  revert m; induction l as [|[c s] l IH]; intros m Hm H; [exact Hm|].
  cbn [least_cost]. apply IH.
  - destruct (Qle_bool m c); [exact Hm|]. apply (H c s). left. reflexivity.
  - intros c' s' Hin. apply (H c' s'). right. exact Hin.
Qed.

Theorem none10_sound : none10 = true -> forall p, ~ equilibrium dec4 all4 jobs (fun _ => all4) p.
Proof.
  intros H p E.
  assert (F := st_all p).
  destruct (F O1) as (s1 & I1 & G1). destruct (F O2) as (s2 & I2 & G2).
  destruct (F O3) as (s3 & I3 & G3). destruct (F O4) as (s4 & I4 & G4).
  set (q := prof4 s1 s2 s3 s4).
  assert (Eq : forall a d, c10 q a <= c10 (deviate dec4 q a d) a).
  { intros a d. unfold c10.
    rewrite (cost_agree dec4 all4 (fun _ => all4) jobs q p a) by (intros [] t Ht; simpl; auto).
    rewrite (cost_agree dec4 all4 (fun _ => all4) jobs (deviate dec4 q a d) (deviate dec4 p a d) a); [apply E|].
    intros b t Ht. unfold deviate. destruct (dec4 b a); [reflexivity|]. destruct b; simpl; auto. }
  unfold none10 in H.
  assert (K := all_true _ _ (all_true _ _ (all_true _ _ H s2 I2) s3 I3) s4 I4). cbv beta zeta in K. clear H.
  set (cs := map (fun s1 => (c10 (prof4 s1 s2 s3 s4) O1, s1)) (st O1)) in *.
  assert (In1 : In (c10 q O1, s1) cs).
  { unfold cs. apply in_map_iff. exists s1. split; [reflexivity|exact I1]. }
  assert (M : forall s, c10 q O1 <= c10 (prof4 s s2 s3 s4) O1).
  { intros s. assert (X := Eq O1 s). unfold c10 in *.
    rewrite (cost_ext dec4 all4 jobs (fun _ => all4) (deviate dec4 q O1 s) (prof4 s s2 s3 s4)) in X; [exact X|].
    intros []; reflexivity. }
  assert (L : c10 q O1 <= least_cost cs (work jobs O1)).
  { apply least_cost_ge.
    - assert (X := Eq O1 (home O1)).
      assert (Y : c10 (deviate dec4 q O1 (home O1)) O1 <= work jobs O1).
      { unfold c10. apply (dev_le dec4 all4 jobs (fun _ => all4) in4 (fun _ => nodup4) (fun _ => in4) jobs_nonneg).
        split; [apply work_nonneg, jobs_nonneg|].
        intros l Hl. rewrite placed_home in Hl. destruct (dec4 O1 l) as [e|n]; [subst l|congruence].
        rewrite ld_home. generalize (ready_home dec4 jobs (fun _ => all4) q O1). lra. }
      lra.
    - intros c s Hc. unfold cs in Hc. apply in_map_iff in Hc. destruct Hc as (s' & Es & _). injection Es as E1 E2.
      subst. apply M. }
  assert (T := all_true _ _ K (c10 q O1, s1) In1). cbv beta in T. unfold fst, snd in T.
  destruct (Qle_bool (c10 q O1) (least_cost cs (work jobs O1))) eqn:Q.
  - apply any_true in T. destruct T as (a & _ & T). unfold improves in T. apply any_true in T.
    destruct T as (d & _ & T). fold q in T. assert (X := Eq a d). apply Qle_bool_iff in X. rewrite X in T.
      discriminate T.
  - apply Qle_bool_iff in L. congruence.
Qed.
End None.

Definition jobs10 (a : org4) : list num :=
  match a with O1 => [35; 22; 22; 17; 13; 5] | O2 => [14] | O3 => [9] | O4 => [42; 2] end.
Lemma jobs10_nonneg b : nonneg (jobs10 b).
Proof. destruct b; intros x H; simpl in H; repeat (destruct H as [H|H]; [subst x; lra|]); destruct H. Qed.

Definition st10 (a : org4) : list (nat -> org4) := strats all4 O1 (length (jobs10 a)).
Lemma st10_all (p : org4 -> nat -> org4) b : exists s, In s (st10 b) /\ forall t, (t < length (jobs10 b))%nat ->
  s t = p b t.
Proof. apply strats_complete. intros t. apply in4. Qed.
Lemma none_ok : none10 jobs10 st10 = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Theorem N4_ten : forall p, ~ equilibrium dec4 [O1; O2; O3; O4] jobs10 (fun _ => [O1; O2; O3; O4]) p.
Proof. exact (none10_sound jobs10 jobs10_nonneg st10 st10_all none_ok). Qed.
