(* Priority to organizations has terms (Terms.v): on each machine that an organization uses, its ready time plus the
   load of its own jobs there. So the checkers of certificates know the game of Game.v. *)
From Coq Require Import List Lia Permutation ZArith.
Require Import Numbers Game Sums Loads Cover AnyLengths Terms.
Import ListNotations.

Section OrganizationTerms.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variable machines : list O.
Variable prio : O -> list O.
Variable shape : O -> nat.
Hypothesis machines_nodup : NoDup machines.
Hypothesis machines_all : forall l, In l machines.
Hypothesis prio_nodup : forall l, NoDup (prio l).
Hypothesis prio_all : forall l a, In a (prio l).

Lemma ready_form_of_others (P P' : O -> list O) a l : (forall b, b <> a -> P b = P' b) ->
  rdf dec machines prio shape P a l = rdf dec machines prio shape P' a l.
Proof.
  intros H. unfold rdf.
  assert (G : forall L, (forall b, In b L -> b <> a) ->
    fold_right (fun b v => vadd (emb dec machines shape b (pre dec 0 (P b) l)) v) (zeros (dim machines shape)) L =
    fold_right (fun b v => vadd (emb dec machines shape b (pre dec 0 (P' b) l)) v) (zeros (dim machines shape)) L).
  { induction L as [|b L IH]; simpl; intros HL; [reflexivity|]. rewrite IH, (H b); auto. }
  apply G. intros b Hb. exact (proj2 (before_in dec a b _ Hb)).
Qed.

Theorem organizations_described :
  described machines shape (list Z) (rdf dec machines prio shape) (term dec machines shape)
    (fun jobs => cost dec machines jobs prio).
Proof.
  intros jobs Hs P q a Others. cbv zeta.
  assert (Hlen : forall b, length (jobs b) = shape b) by (intros b; apply Hs).
  assert (Hn : forall b, nonneg (jobs b)) by (intros b; exact (proj2 (desc_nonneg _ (proj1 (Hs b))))).
  set (W := where_placed shape q).
  assert (LW : forall b, length (W b) = shape b) by (intros b; apply hosts_length).
  set (f := fun l => term dec machines shape a (W a) (l, rdf dec machines prio shape P a l)).
  assert (F : forall l, length (f l) = dim machines shape /\ dot (f l) (point machines jobs) ==
    ready dec jobs prio q a l + load dec jobs q a l).
  { intros l. unfold f. rewrite <- (ready_form_of_others W P a l Others).
    destruct (term_sound dec machines prio shape machines_nodup machines_all jobs Hlen W LW a (q a) l) as [L D].
    split; [exact L|]. unfold W at 1, where_placed. rewrite D.
    assert (R : ready dec jobs prio (prof W) a l == ready dec jobs prio q a l).
    { apply ready_eq. intros b _. unfold load, ld.
      rewrite (placed_ext dec l (jobs b) (prof W b) (q b)); [lra|].
      rewrite Hlen. apply hosts_eq. apply (prof_hosts shape W LW). }
    rewrite R. unfold load. lra. }
  split.
  - intros l. split; [apply F|]. change (0 <= dot (f l) (point machines jobs)). generalize (proj2 (F l)).
    generalize (ready_nonneg dec jobs prio Hn q a l) (load_nonneg dec jobs Hn q a l). lra.
  - intros c. rewrite (cost_le dec machines jobs prio machines_all prio_nodup prio_all Hn q a c).
    assert (U : forall l, placed dec l (jobs a) (q a) <> [] <-> In l (W a)).
    { intros l. rewrite (placed_mem dec shape l (jobs a) (q a)), Hlen. apply mem_true. }
    split; intros [H0 H]; (split; [exact H0|]); intros l Hl.
    + change (dot (f l) (point machines jobs) <= c). generalize (proj2 (F l)) (H l (proj2 (U l) Hl)). lra.
    + assert (H' : dot (f l) (point machines jobs) <= c) by exact (H l (proj1 (U l) Hl)).
      generalize (proj2 (F l)). lra.
Qed.
End OrganizationTerms.
