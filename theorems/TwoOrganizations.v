(* Two organizations with one machine each (in the documentation: T4(a), "N = 2", and R10). A pure equilibrium exists
   (two_exists). No profile makes one of them better off than a pure equilibrium and the other no worse off
   (two_undominated); so every pure equilibrium is strong (two_strong).

   Existence is the theorem of SeveralTwoOrganizations.v with one machine each: the organization of least work stays
   home, and the other plays a best reply with most work at home.
   Coalitions. What i pays depends on the other's work at home only, and grows with it (ready_two). If i is better off
   in q, then j has less at home in q, and sends something (keeps_less). So does i, which pays less than its work.
   Both pay at least the load of the foreign machine's owner and their own work there; added up, at least the work of
   both, which is no less than what both pay in the equilibrium: a contradiction. *)
From Coq Require Import List Lia Permutation.
Require Import Numbers Game Loads.
Require SeveralMachines SeveralTwoOrganizations.
Import ListNotations.

Section Two.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variables (machines : list O) (jobs : O -> list num) (prio : O -> list O).
Hypothesis machines_all : forall l, In l machines.
Hypotheses (prio_nodup : forall l, NoDup (prio l)) (prio_all : forall l a, In a (prio l)).
Hypothesis jobs_nonneg : forall a, nonneg (jobs a).

Notation cost := (cost dec machines jobs prio).
Notation load := (load dec jobs).
Notation ld := (ld dec).
Notation work := (work jobs).
Notation equilibrium := (equilibrium dec machines jobs prio).

Lemma ld_two i j js d : i <> j -> (forall x, x = i \/ x = j) -> ld i js d + ld j js d == sum js.
Proof.
  intros ij only. rewrite <- (ld_total dec [i; j]) with (s := d); [simpl; lra| |].
  - intros l. destruct (only l); simpl; auto.
  - repeat constructor; simpl; tauto || (intros [e|[]]; congruence).
Qed.

(* i sees the foreign machine ready when its owner's own jobs are done *)
Lemma ready_two p i j : i <> j -> (forall x, x = i \/ x = j) -> ready dec jobs prio p i j == load p j j.
Proof. intros ij only. apply ready_owner; [congruence|]. intros b Hj Hi. destruct (only b); congruence. Qed.

Theorem two_exists (i j : O) : i <> j -> (forall x, x = i \/ x = j) -> exists p, equilibrium p.
Proof.
  intros ij only. apply SeveralMachines.one_machine_longest_first; auto. intros J _ HJ Hd.
  exact (SeveralTwoOrganizations.two_organizations_equilibrium dec machines (fun _ => 1%nat) J prio machines_all
    (fun _ => le_n 1) prio_nodup prio_all HJ Hd i j ij only).
Qed.

(* ---- coalitions ---- *)
(* if i is better off in q although it could have played the same against p, then j keeps less at home in q *)
Lemma keeps_less p q i j : i <> j -> (forall x, x = i \/ x = j) -> equilibrium p ->
  cost q i < cost p i -> load q j j < load p j j.
Proof.
  intros ij only Hp Hq. destruct (lt_le (load q j j) (load p j j)) as [H|H]; [exact H|exfalso].
  assert (G : cost (deviate dec p i (q i)) i <= cost q i); [|generalize (Hp i (q i)); lra].
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
  assert (U : placed dec j (jobs i) (q i) <> []) by (apply load_pos_used; change (0 < load q i j); lra).
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
  intros H E. assert (U : placed dec i (jobs i) (q i) <> []) by (apply load_pos_used; change (0 < load q i i); lra).
  generalize (cost_ge dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg q i i U)
    (ready_home dec jobs prio q i). lra.
Qed.
Lemma not_both_gain (i j : O) p q : i <> j -> (forall x, x = i \/ x = j) -> equilibrium p ->
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

Theorem two_undominated (i j : O) p q a : i <> j -> (forall x, x = i \/ x = j) -> equilibrium p ->
  cost q a < cost p a -> exists b, cost p b < cost q b.
Proof.
  intros ij only Hp Ha. assert (only' : forall x, x = j \/ x = i) by (intros x; destruct (only x); auto).
  destruct (only a) as [e|e]; subst a; [exists j|exists i];
    match goal with |- ?x < ?y => destruct (lt_le x y) as [G|G]; [exact G|exfalso] end.
  - exact (not_both_gain i j p q ij only Hp Ha G).
  - exact (not_both_gain j i p q (not_eq_sym ij) only' Hp Ha G).
Qed.

Theorem two_strong (i j : O) p : i <> j -> (forall x, x = i \/ x = j) -> equilibrium p ->
  strong dec machines jobs prio p.
Proof.
  intros ij only Hp K q (a0 & Ha0).
  (* one of the two alone is an ordinary deviation *)
  assert (One : forall a b : O, a <> b -> (forall x, x = a \/ x = b) -> K a = true -> K b = false ->
                 cost p a <= cost (joint p K q) a).
  { intros a b ab on Ka Kb.
    rewrite (cost_ext dec machines jobs prio (joint p K q) (deviate dec p a (q a))); [apply Hp|].
    intros c. unfold joint, Game.deviate. destruct (on c); subst c.
    - rewrite Ka. destruct (dec a a); congruence.
    - rewrite Kb. destruct (dec b a); congruence. }
  assert (only' : forall x, x = j \/ x = i) by (intros x; destruct (only x); auto).
  destruct (K i) eqn:Ki, (K j) eqn:Kj.
  - destruct (lt_le (cost (joint p K q) i) (cost p i)) as [Hi|Hi]; [|exists i; auto].
    destruct (lt_le (cost (joint p K q) j) (cost p j)) as [Hj|Hj]; [|exists j; auto].
    exfalso. apply (not_both_gain i j p (joint p K q)); auto. lra.
  - exists i. split; [exact Ki|]. apply (One i j); auto.
  - exists j. split; [exact Kj|]. apply (One j i); auto.
  - exfalso. destruct (only a0); subst; congruence.
Qed.
End Two.
