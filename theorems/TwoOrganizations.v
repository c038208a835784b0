(* Two organizations with one machine each (in the documentation: T4(a), "N = 2", and R10). A pure equilibrium exists
   (two_exists). No profile makes one of them better off than a pure equilibrium and the other no worse off
   (two_undominated); so every pure equilibrium is strong (two_strong).

   Existence. The organization k of least work stays home; i plays a best reply with most work x at home. Then x is at
   least k's work: if i has work on k's machine, it pays at least k's work and what it has there, so bringing it home
   would not cost more while x is smaller. So k, which would wait until x abroad, is content.
   Coalitions. What i pays depends on the other's work at home only, and grows with it (ready_two). If i is better off
   in q, then j has less at home in q, and sends something (keeps_less). So does i, which pays less than its work.
   Both pay at least the load of the foreign machine's owner and their own work there; added up, at least the work of
   both, which is no less than what both pay in the equilibrium: a contradiction. *)
From Coq Require Import List Lia Permutation.
Require Import Numbers Game.
Import ListNotations.

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

Lemma ld_two i j js d : i <> j -> (forall x, x = i \/ x = j) -> ld i js d + ld j js d == sum js.
Proof.
  intros ij only. revert d; induction js as [|x js IH]; intros d; [unfold Game.ld; simpl; lra|].
  specialize (IH (fun n => d (S n))). simpl sum.
  assert (Ei := ld_cons dec i x js d). assert (Ej := ld_cons dec j x js d).
  destruct (only (d 0%nat)) as [e|e]; destruct (dec (d 0%nat) i), (dec (d 0%nat) j); try congruence; lra.
Qed.

(* i sees the foreign machine ready when its owner's own jobs are done *)
Lemma ready_two p i j : i <> j -> (forall x, x = i \/ x = j) -> ready p i j == load p j j.
Proof.
  intros ij only. unfold Game.ready, order. simpl. destruct (dec j i); [congruence|]. simpl.
  destruct (before dec i (remove dec j (prio j))) as [|b l] eqn:E; [simpl; lra|exfalso].
  assert (Hb : In b (before dec i (remove dec j (prio j)))) by (rewrite E; left; reflexivity).
  destruct (before_in dec _ _ _ Hb) as [H1 H2]. apply (in_remove_iff dec) in H1. destruct (only b); tauto.
Qed.

(* ---- existence: k home, i a best reply with most work at home ---- *)
Lemma two_exists i k : i <> k -> (forall x, x = i \/ x = k) -> work k <= work i -> exists p, equilibrium p.
Proof.
  intros ik only Hle. set (P := fun b => home b : strategy (O:=O)).
  destruct (lazy_best_reply dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg P i) as (br & Hbr).
  assert (R0 := ready_home dec jobs prio P i). assert (R1 := ready_two P i k ik only).
  assert (L1 : load P k k == work k) by (unfold Game.load, P; rewrite ld_home; reflexivity).
  assert (Hsum := ld_two i k (jobs i) br ik only). fold (work i) in Hsum.
  assert (Hx : work k <= ld i (jobs i) br).
  { destruct (lt_le (ld i (jobs i) br) (work k)) as [H|H]; [exfalso|exact H].
    assert (Hc := dev_ge dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg P i br k ltac:(lra)).
    assert (G : ld i (jobs i) (home i) <= ld i (jobs i) br); [|rewrite ld_home in G; lra].
    apply (proj2 (Hbr (home i))). apply dev_le; auto. split; [apply dev_nonneg; auto|].
    intros l Hl. rewrite placed_home in Hl. destruct (dec i l) as [e|n]; [subst l|congruence].
    rewrite ld_home. lra. }
  exists (deviate P i br). intros a. destruct (only a) as [e|e]; subst a; intros d.
  - rewrite (cost_ext dec machines jobs prio (deviate (deviate P i br) i d) (deviate P i d)); [apply Hbr|].
    intros b. unfold Game.deviate. destruct (dec b i); reflexivity.
  - apply home_content; auto.
    + unfold Game.deviate. destruct (dec k i); [congruence|reflexivity].
    + intros l n. destruct (only l) as [e|e]; [subst l|congruence].
      generalize (ready_ge_owner dec jobs prio jobs_nonneg (deviate P i br) k i ik).
      unfold Game.load. rewrite deviate_same. lra.
Qed.

(* ---- coalitions ---- *)
(* if i is better off in q although it could have played the same against p, then j keeps less at home in q *)
Lemma keeps_less p q i j : i <> j -> (forall x, x = i \/ x = j) -> equilibrium p ->
  cost q i < cost p i -> load q j j < load p j j.
Proof.
  intros ij only Hp Hq. destruct (lt_le (load q j j) (load p j j)) as [H|H]; [exact H|exfalso].
  assert (G : cost (deviate p i (q i)) i <= cost q i); [|generalize (Hp i (q i)); lra].
  apply dev_le; auto. split; [apply cost_nonneg; auto|]. intros l Hl.
  assert (Hc := cost_ge dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg q i l Hl).
  change (ld l (jobs i) (q i)) with (load q i l).
  destruct (only l) as [e|e]; subst l.
  - generalize (ready_home dec jobs prio p i) (ready_home dec jobs prio q i). lra.
  - generalize (ready_two p i j ij only) (ready_two q i j ij only). lra.
Qed.

(* who sends something pays at least the other's load at home and its own work abroad *)
Lemma sender_pays q i j : i <> j -> (forall x, x = i \/ x = j) -> load q i i < work i ->
  load q j j + (work i - load q i i) <= cost q i.
Proof.
  intros ij only H. assert (E := ld_two i j (jobs i) (q i) ij only). fold (load q i i) (load q i j) (work i) in E.
  assert (U : placed j (jobs i) (q i) <> []) by (apply load_pos_used; change (0 < load q i j); lra).
  generalize (cost_ge dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg q i j U)
    (ready_two q i j ij only). lra.
Qed.

Lemma keeps_at_most q i j : i <> j -> (forall x, x = i \/ x = j) -> load q i i <= work i.
Proof.
  intros ij only. assert (E := ld_two i j (jobs i) (q i) ij only). fold (load q i i) (load q i j) (work i) in E.
  generalize (load_nonneg dec jobs jobs_nonneg q i j). lra.
Qed.

(* who keeps everything at home pays all of it, if that is something *)
Lemma keeper_pays q i : 0 < work i -> load q i i == work i -> work i <= cost q i.
Proof.
  intros H E. assert (U : placed i (jobs i) (q i) <> []) by (apply load_pos_used; change (0 < load q i i); lra).
  generalize (cost_ge dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg q i i U)
    (ready_home dec jobs prio q i). lra.
Qed.

Theorem two_undominated (i j : O) p q : i <> j -> (forall x, x = i \/ x = j) -> equilibrium p ->
  cost q i < cost p i -> cost q j <= cost p j -> False.
Proof.
  intros ij only Hp Hi Hj. assert (only' : forall x, x = j \/ x = i) by (intros x; destruct (only x); auto).
  assert (Ci := cost_le_work dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg p i Hp).
  assert (Cj := cost_le_work dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg p j Hp).
  assert (N := cost_nonneg dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg q i).
  assert (Kj := keeps_less p q i j ij only Hp Hi). assert (Lj := keeps_at_most p j i (not_eq_sym ij) only').
  assert (Sj := sender_pays q j i (not_eq_sym ij) only' ltac:(lra)).
  destruct (lt_le (load q i i) (work i)) as [H|H].
  - generalize (sender_pays q i j ij only H). lra.
  - assert (Li := keeps_at_most q i j ij only). generalize (keeper_pays q i ltac:(lra) ltac:(lra)). lra.
Qed.

Theorem two_strong (i j : O) p : i <> j -> (forall x, x = i \/ x = j) -> equilibrium p -> strong p.
Proof.
  intros ij only Hp K q (a0 & Ha0).
  (* one of the two alone is an ordinary deviation *)
  assert (One : forall a b : O, a <> b -> (forall x, x = a \/ x = b) -> K a = true -> K b = false ->
                 cost p a <= cost (joint p K q) a).
  { intros a b ab on Ka Kb.
    rewrite (cost_ext dec machines jobs prio (joint p K q) (deviate p a (q a))); [apply Hp|].
    intros c. unfold joint, Game.deviate. destruct (on c); subst c.
    - rewrite Ka. destruct (dec a a); congruence.
    - rewrite Kb. destruct (dec b a); congruence. }
  assert (only' : forall x, x = j \/ x = i) by (intros x; destruct (only x); auto).
  destruct (K i) eqn:Ki, (K j) eqn:Kj.
  - destruct (lt_le (cost (joint p K q) i) (cost p i)) as [Hi|Hi]; [|exists i; auto].
    destruct (lt_le (cost (joint p K q) j) (cost p j)) as [Hj|Hj]; [|exists j; auto].
    exfalso. apply (two_undominated i j p (joint p K q)); auto. lra.
  - exists i. split; [exact Ki|]. apply (One i j); auto.
  - exists j. split; [exact Kj|]. apply (One j i); auto.
  - exfalso. destruct (only a0); subst; congruence.
Qed.
End Two.
