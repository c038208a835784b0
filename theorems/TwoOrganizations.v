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
Notation deviate := (deviate dec).
Notation placed := (placed dec).
Notation work := (work jobs).
Notation equilibrium := (equilibrium dec machines jobs prio).

(* i and j are the two organizations, in either order *)
Definition opponents (i j : O) : Prop := i <> j /\ forall x, x = i \/ x = j.
Lemma opponents_sym i j : opponents i j -> opponents j i.
Proof. intros [n H]. split; [congruence|]. intros x. destruct (H x); auto. Qed.
Lemma ld_two i j js d : opponents i j -> ld i js d + ld j js d == sum js.
Proof.
  intros [ij only]. rewrite <- (ld_total dec [i; j]) with (s := d); [simpl; lra| |].
  - intros l. destruct (only l); simpl; auto.
  - repeat constructor; simpl; tauto || (intros [e|[]]; congruence).
Qed.

(* i sees the foreign machine ready when its owner's own jobs are done *)
Lemma ready_two p i j : opponents i j -> ready dec jobs prio p i j == load p j j.
Proof. intros [ij only]. apply ready_owner; [congruence|]. intros b Hj Hi. destruct (only b); congruence. Qed.

Theorem two_exists i j : opponents i j -> exists p, equilibrium p.
Proof.
  intros [ij only]. apply SeveralMachines.one_machine_longest_first; auto. intros J _ HJ Hd.
  exact (SeveralTwoOrganizations.two_organizations_equilibrium dec machines (fun _ => 1%nat) J prio machines_all
    (fun _ => le_n 1) prio_nodup prio_all HJ Hd i j ij only).
Qed.

(* the cost of a's placement d: its home load, and what it has abroad behind the other's home load *)
Lemma two_cost p a o d c : opponents a o ->
  cost (deviate p a d) a <= c <->
  0 <= c /\ ld a (jobs a) d <= c /\ (placed o (jobs a) d <> [] -> load p o o + ld o (jobs a) d <= c).
Proof.
  intros [n only]. rewrite dev_le by auto. assert (R := ready_two p a o (conj n only)).
  assert (R0 := ready_home dec jobs prio p a). split.
  - intros [H0 H]. split; [exact H0|]. split.
    + destruct (placed a (jobs a) d) eqn:E; [unfold Game.ld; rewrite E; exact H0|].
      assert (U : placed a (jobs a) d <> []) by (rewrite E; discriminate). specialize (H a U). lra.
    + intros U. specialize (H o U). lra.
  - intros (H0 & H1 & H2). split; [exact H0|]. intros l U.
    destruct (only l) as [e|e]; subst l; [|specialize (H2 U)]; lra.
Qed.
Lemma cost_as_deviation p a : cost p a = cost (deviate p a (p a)) a.
Proof. apply cost_ext. intros b. unfold Game.deviate. destruct (dec b a) as [e|]; [rewrite e|]; reflexivity. Qed.

(* ---- coalitions ---- *)
(* if i is better off in q although it could have played the same against p, then j keeps less at home in q *)
Lemma keeps_less p q i j : opponents i j -> equilibrium p -> cost q i < cost p i -> load q j j < load p j j.
Proof.
  intros Ho Hp Hq. destruct (lt_le (load q j j) (load p j j)) as [H|H]; [exact H|exfalso].
  destruct (proj1 (two_cost q i j (q i) (cost q i) Ho)) as (H0 & H1 & H2); [rewrite <- cost_as_deviation; lra|].
  assert (G : cost (deviate p i (q i)) i <= cost q i); [|generalize (Hp i (q i)); lra].
  apply (two_cost p i j _ _ Ho). split; [exact H0|]. split; [exact H1|]. intros U. specialize (H2 U). lra.
Qed.

(* i pays what it keeps at home, and if that is not all, the other's load at home and its own work abroad *)
Lemma pays_work q i j : opponents i j -> load q i i <= work i /\ load q i i <= cost q i /\
  (load q i i < work i -> load q j j + (work i - load q i i) <= cost q i).
Proof.
  intros Ho. destruct (proj1 (two_cost q i j (q i) (cost q i) Ho)) as (_ & H1 & H2);
    [rewrite <- cost_as_deviation; lra|].
  assert (E := ld_two i j (jobs i) (q i) Ho). change (load q i i + load q i j == work i) in E.
  change (load q i i <= cost q i) in H1. change (ld j (jobs i) (q i)) with (load q i j) in H2.
  generalize (load_nonneg dec jobs jobs_nonneg q i j). split; [lra|]. split; [exact H1|]. intros L.
  specialize (H2 (load_pos_used dec j (jobs i) (q i) ltac:(change (0 < load q i j); lra))). lra.
Qed.
Lemma not_both_gain i j p q : opponents i j -> equilibrium p -> cost q i < cost p i -> cost q j <= cost p j -> False.
Proof.
  intros Ho Hp Hi Hj. assert (Ho' := opponents_sym i j Ho).
  assert (C := fun a => cost_le_work dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg p a Hp).
  assert (Kj := keeps_less p q i j Ho Hp Hi). assert (Ci := C i). assert (Cj := C j).
  destruct (pays_work p j i Ho') as [Lj _]. destruct (pays_work q j i Ho') as (_ & _ & Sj). specialize (Sj ltac:(lra)).
  destruct (pays_work q i j Ho) as (_ & Li & Si).
  destruct (lt_le (load q i i) (work i)) as [L|L]; [specialize (Si L)|]; lra.
Qed.

Theorem two_undominated i j p q a : opponents i j -> equilibrium p -> cost q a < cost p a ->
  exists b, cost p b < cost q b.
Proof.
  intros Ho Hp Ha. destruct (proj2 Ho a); subst a; [exists j|exists i];
    match goal with |- ?x < ?y => destruct (lt_le x y) as [G|G]; [exact G|exfalso] end.
  - exact (not_both_gain i j p q Ho Hp Ha G).
  - exact (not_both_gain j i p q (opponents_sym i j Ho) Hp Ha G).
Qed.

Theorem two_strong i j p : opponents i j -> equilibrium p -> strong dec machines jobs prio p.
Proof.
  intros Ho Hp K q (a0 & Ha0).
  (* one of the two alone is an ordinary deviation *)
  assert (One : forall a b, opponents a b -> K a = true -> K b = false -> cost p a <= cost (joint p K q) a).
  { intros a b [ab on] Ka Kb.
    rewrite (cost_ext dec machines jobs prio (joint p K q) (deviate p a (q a))); [apply Hp|].
    intros c. unfold joint, Game.deviate.
    destruct (on c); subst c; [rewrite Ka|rewrite Kb]; destruct (dec _ a); congruence. }
  destruct (K i) eqn:Ki, (K j) eqn:Kj.
  - destruct (lt_le (cost (joint p K q) i) (cost p i)) as [Hi|Hi]; [|exists i; auto].
    destruct (lt_le (cost (joint p K q) j) (cost p j)) as [Hj|Hj]; [|exists j; auto].
    exfalso. apply (not_both_gain i j p (joint p K q) Ho Hp Hi). lra.
  - exists i. split; [exact Ki|exact (One i j Ho Ki Kj)].
  - exists j. split; [exact Kj|exact (One j i (opponents_sym i j Ho) Kj Ki)].
  - exfalso. destruct (proj2 Ho a0); subst; congruence.
Qed.
End Two.
