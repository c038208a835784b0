(* At most two jobs, or equal jobs, in each organization (T2 in the documentation): a pure equilibrium exists, for
   every number of organizations with one machine each and every priority, which may differ from machine to machine.

   This is the theorem of SeveralExistence.v, "at most one job more than machines, or equal jobs", with one machine
   each, where the order in which an organization lists its jobs does not matter. *)
From Coq Require Import List Permutation.
Require Import Numbers Game SeveralMachines SeveralExistence.
Import ListNotations.

Theorem few_or_equal_exists {O : Type} (dec : forall a b : O, {a = b} + {a <> b}) machines jobs prio :
  (forall l, In l machines) -> NoDup machines -> (forall l, NoDup (prio l)) -> (forall l a, In a (prio l)) ->
  (forall a, nonneg (jobs a)) ->
  (forall a, (length (jobs a) <= 2)%nat \/ exists z, forall x, In x (jobs a) -> x == z) ->
  exists p, Game.equilibrium dec machines jobs prio p.
Proof.
  intros Hall Hnd Hn Ha Hj H. apply one_machine_longest_first; auto. intros J HP HJ Hd.
  apply few_or_equal_jobs_equilibrium; auto. intros a. destruct (H a) as [Hlen|(z & Hz)]; [left|right].
  - rewrite <- (Permutation_length (HP a)). exact Hlen.
  - exists z. intros x Hx. exact (Hz x (Permutation_in x (Permutation_sym (HP a)) Hx)).
Qed.
