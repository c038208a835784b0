(* Two organizations, one machine each: a pure equilibrium exists (T4(a)), and every pure equilibrium is strong (R10). *)
From Coq Require Import List Lia Permutation.
Require Import Numbers Game.
Import ListNotations.

(* Strong equilibrium, for any number of organizations: no nonempty coalition K has a joint deviation q
   that makes every member strictly better off. *)
Section Strong.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variable machines : list O.
Variable jobs : O -> list num.
Variable prio : O -> list O.
Definition joint (p : profile (O:=O)) (K : O -> bool) (q : profile) : profile := fun b => if K b then q b else p b.
Definition strong (p : profile (O:=O)) : Prop :=
  forall (K : O -> bool) (q : profile), (exists a, K a = true) ->
  exists a, K a = true /\ cost dec machines jobs prio p a <= cost dec machines jobs prio (joint p K q) a.
End Strong.

Section Two.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variable machines : list O.
Variable jobs : O -> list num.
Variable prio : O -> list O.
Hypothesis machines_all : forall l, In l machines.
Hypothesis prio_nodup : forall l, NoDup (prio l).
Hypothesis prio_all : forall l a, In a (prio l).
Hypothesis jobs_nonneg : forall a, nonneg (jobs a).

Notation cost := (cost dec machines jobs prio).
Notation deviate := (deviate dec).
Notation ready := (ready dec jobs prio).
Notation load := (load dec jobs).
Notation ld := (ld dec).
Notation work := (work jobs).
Notation equilibrium := (equilibrium dec machines jobs prio).
Notation strong := (strong dec machines jobs prio).
Notation placed := (placed dec).
Notation merge := (merge dec).

Lemma ld_two i j js d : i <> j -> (forall x, x = i \/ x = j) -> ld i js d + ld j js d == sum js.
Proof.
  intros ij only. unfold Game.ld. revert d; induction js as [|x js IH]; intros d; simpl; [lra|].
  specialize (IH (fun n => d (S n))).
  destruct (dec (d 0%nat) i), (dec (d 0%nat) j); simpl; try lra; try congruence.
  exfalso. destruct (only (d 0%nat)) as [H|H]; congruence.
Qed.

(* i sees the foreign machine ready when its owner's own jobs are done *)
Lemma ready_two p i j : i <> j -> (forall x, x = i \/ x = j) -> ready p i j == load p j j.
Proof.
  intros ij only. unfold Game.ready, order. simpl. destruct (dec j i); [congruence|]. simpl.
  assert (E : before dec i (remove dec j (prio j)) = []).
  { destruct (before dec i (remove dec j (prio j))) as [|b l] eqn:E; [reflexivity|exfalso].
    assert (Hb : In b (before dec i (remove dec j (prio j)))) by (rewrite E; left; reflexivity).
    generalize (before_in dec _ _ _ Hb). intros [H1 H2].
    apply (in_remove_iff dec) in H1. destruct H1 as [_ H1]. destruct (only b); congruence. }
  rewrite E. simpl. lra.
Qed.

Lemma two_exists i k : i <> k -> (forall x, x = i \/ x = k) -> work k <= work i -> exists p, equilibrium p.
Proof.
  intros ik only Hle.
  set (P := fun b => home b : strategy (O:=O)).
  destruct (lazy_best_reply dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg P i) as (br & Hbr).
  assert (R0 := ready_home dec jobs prio P i).
  assert (R1 := ready_two P i k ik only).
  assert (L1 : load P k k == work k) by (unfold Game.load, P; rewrite ld_home; reflexivity).
  assert (Hz0 : 0 <= ld k (jobs i) br) by (apply ld_nonneg; auto).
  assert (Hsum := ld_two i k (jobs i) br ik only). fold (work i) in Hsum.
  assert (Hx : work k <= ld i (jobs i) br).
  { destruct (lt_le (ld i (jobs i) br) (work k)) as [H|H]; [exfalso|exact H].
    assert (Hz : 0 < ld k (jobs i) br) by lra.
    assert (Hc := dev_ge dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg P i br k Hz).
    assert (G : ld i (jobs i) (home i) <= ld i (jobs i) br).
    { apply (proj2 (Hbr (home i))). apply dev_le; auto. split; [apply dev_nonneg; auto|].
      intros l Hl. rewrite placed_home in Hl. destruct (dec i l) as [e|n]; [subst l|congruence].
      rewrite ld_home. lra. }
    rewrite ld_home in G. lra. }
  exists (deviate P i br). intros a. destruct (only a) as [e|e]; subst a; intros d.
  - rewrite (cost_ext dec machines jobs prio (deviate (deviate P i br) i d) (deviate P i d)).
    + apply Hbr.
    + intros b. unfold Game.deviate. destruct (dec b i); reflexivity.
  - apply home_content; auto.
    + unfold Game.deviate. destruct (dec k i); [congruence|reflexivity].
    + intros l n. destruct (only l) as [e|e]; [subst l|congruence].
      generalize (ready_ge_owner dec jobs prio jobs_nonneg (deviate P i br) k i ik).
      unfold Game.load. rewrite deviate_same. lra.
Qed.

(* if i is better off in q although it could have played the same against p, then j keeps less at home in q *)
Lemma keeps_less p q i j : i <> j -> (forall x, x = i \/ x = j) -> equilibrium p ->
  cost q i < cost p i -> load q j j < load p j j.
Proof.
  intros ij only Hp Hq. destruct (lt_le (load q j j) (load p j j)) as [H|H]; [exact H|exfalso].
  assert (G : cost (deviate p i (q i)) i <= cost q i).
  { apply dev_le; auto. split; [apply cost_nonneg; auto|]. intros l Hl.
    assert (Hc := cost_ge dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg q i l Hl).
    change (ld l (jobs i) (q i)) with (load q i l).
    destruct (only l) as [e|e]; subst l.
    - generalize (ready_home dec jobs prio p i) (ready_home dec jobs prio q i). lra.
    - generalize (ready_two p i j ij only) (ready_two q i j ij only). lra. }
  generalize (Hp i (q i)). lra.
Qed.

Lemma two_strong (i j : O) p : i <> j -> (forall x, x = i \/ x = j) -> equilibrium p -> strong p.
Proof.
  intros ij only Hp K q (a0 & Ha0).
  assert (One : forall a b : O, a <> b -> (forall x, x = a \/ x = b) -> K a = true -> K b = false ->
                 cost p a <= cost (joint p K q) a).
  { intros a b ab on Ka Kb.
    rewrite (cost_ext dec machines jobs prio (joint p K q) (deviate p a (q a))); [apply Hp|].
    intros c. unfold joint, Game.deviate. destruct (on c); subst c.
    - rewrite Ka. destruct (dec a a); congruence.
    - rewrite Kb. destruct (dec b a); congruence. }
  assert (only' : forall x, x = j \/ x = i) by (intros x; destruct (only x); auto).
  destruct (K i) eqn:Ki, (K j) eqn:Kj.
  - (* both *)
    set (q' := joint p K q).
    destruct (lt_le (cost q' i) (cost p i)) as [Hi|Hi]; [|exists i; auto].
    destruct (lt_le (cost q' j) (cost p j)) as [Hj|Hj]; [|exists j; auto].
    exfalso.
    assert (Yj := keeps_less p q' i j ij only Hp Hi).
    assert (Xi := keeps_less p q' j i (not_eq_sym ij) only' Hp Hj).
    assert (Si : forall r, load r i i + load r i j == work i) by (intros r; apply ld_two; auto).
    assert (Sj : forall r, load r j j + load r j i == work j) by (intros r; apply ld_two; auto).
    assert (Si1 := Si p). assert (Si2 := Si q'). assert (Sj1 := Sj p). assert (Sj2 := Sj q').
    assert (P1 : 0 <= load p i j) by (apply load_nonneg; auto).
    assert (P2 : 0 <= load p j i) by (apply load_nonneg; auto).
    assert (Ci := cost_ge dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg q' i j).
    assert (Cj := cost_ge dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg q' j i).
    assert (Ui : placed j (jobs i) (q' i) <> []) by (apply load_pos_used; change (0 < load q' i j); lra).
    assert (Uj : placed i (jobs j) (q' j) <> []) by (apply load_pos_used; change (0 < load q' j i); lra).
    specialize (Ci Ui). specialize (Cj Uj).
    generalize (ready_two q' i j ij only) (ready_two q' j i (not_eq_sym ij) only').
    generalize (cost_le_work dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg p i Hp)
      (cost_le_work dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg p j Hp). lra.
  - exists i. split; [exact Ki|]. apply (One i j); auto.
  - exists j. split; [exact Kj|]. apply (One j i); auto.
  - exfalso. destruct (only a0); subst; congruence.
Qed.
End Two.

(* ================= statements ================= *)
Inductive org2 := O1 | O2.
Definition dec2 (a b : org2) : {a = b} + {a <> b}.
Proof. decide equality. Defined.

Section Statements.
Variable jobs : org2 -> list num.
Variable prio : org2 -> list org2.
Hypothesis Hpos : forall a x, In x (jobs a) -> 0 <= x.
Hypothesis Hprio : forall l, Permutation (prio l) [O1; O2].

Lemma all2 : forall l, In l [O1; O2]. Proof. intros []; simpl; auto. Qed.
Lemma nodup2 : forall l, NoDup (prio l).
Proof.
  intros l. apply (Permutation_NoDup (Permutation_sym (Hprio l))).
  repeat constructor; simpl; intuition discriminate.
Qed.
Lemma in2 : forall l a, In a (prio l).
Proof. intros l a. apply (Permutation_in _ (Permutation_sym (Hprio l))). apply all2. Qed.

Theorem N2_exists : exists p, equilibrium dec2 [O1; O2] jobs prio p.
Proof.
  destruct (lt_le (work jobs O1) (work jobs O2)) as [H|H].
  - apply (two_exists dec2 [O1;O2] jobs prio all2 nodup2 in2 Hpos O2 O1); [discriminate|intros []; auto|lra].
  - apply (two_exists dec2 [O1;O2] jobs prio all2 nodup2 in2 Hpos O1 O2); [discriminate|intros []; auto|lra].
Qed.

Theorem R10 : forall p, equilibrium dec2 [O1; O2] jobs prio p -> strong dec2 [O1; O2] jobs prio p.
Proof.
  intros p. apply (two_strong dec2 [O1;O2] jobs prio all2 nodup2 in2 Hpos O1 O2); [discriminate|intros []; auto].
Qed.
End Statements.
Check N2_exists.
Check R10.
Print Assumptions N2_exists.
Print Assumptions R10.
