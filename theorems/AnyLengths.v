(* Lengths in any order and of fewer jobs, organizations in another order or renamed (for the certificates of shapes).

   1. The order of the jobs of an organization is a matter of names: loads are sums, so strategies are permuted alike
      (`order_costs`).
   2. Jobs of length 0 may be added, as in FewerJobs.v (`fewer_costs`).
   3. An organization with one job at home is content (`single_content`), so where such organizations stand in the
      order does not matter (`order_irrelevant`); organizations may be renamed (`equilibrium_f`). *)
From Coq Require Import List Lia Permutation.
Require Import Numbers Game Sums Loads OwnerFirst FewerJobs.
Import ListNotations.

Section General.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variable machines : list O.
Hypotheses (machines_nodup : NoDup machines) (machines_all : forall l, In l machines).
Notation placed := (placed dec).

Section Prio.
Variable prio : O -> list O.
Hypotheses (prio_nodup : forall l, NoDup (prio l)) (prio_all : forall l a, In a (prio l)).
Notation cost := (cost dec machines).
Notation equilibrium := (equilibrium dec machines).

(* p costs at most what p' costs in the other game, and every other strategy at least what some costs there *)
Definition no_worse jobs p jobs' p' : Prop :=
  forall a, cost jobs prio p a <= cost jobs' prio p' a /\
    forall d, exists d', cost jobs' prio (deviate dec p' a d') a <= cost jobs prio (deviate dec p a d) a.

Lemma order_costs jobs jobs' p' : (forall b, nonneg (jobs b)) -> (forall b, Permutation (jobs b) (jobs' b)) ->
  exists p, no_worse jobs p jobs' p' /\ same_placement dec jobs jobs' p p'.
Proof.
  intros N HP. destruct (reordered_profile dec machines jobs machines_all jobs' HP p') as (p & H).
  exists p. split; [|exact H].
  assert (E := reordered_cost dec machines jobs prio machines_all prio_nodup prio_all N jobs' HP).
  intros a. split; [rewrite (E p p' a H); lra|]. intros d.
  destruct (reordered_deviate dec jobs jobs' HP p p' a d H) as (d' & H'). exists d'. rewrite (E _ _ a H'). lra.
Qed.
Lemma fewer_costs jobs shape p : (forall b, nonneg (jobs b)) -> (forall b, (length (jobs b) <= shape b)%nat) ->
  no_worse jobs p (new shape jobs 0) p.
Proof.
  intros N K a. split.
  - apply (cost_padded_ge dec machines prio machines_all prio_nodup prio_all shape jobs N K 0 ltac:(lra)).
  - intros d. exists (added_home jobs a d).
    generalize (deviation_padded_le dec machines prio machines_all prio_nodup prio_all shape jobs N K 0 ltac:(lra)
      p a d). lra.
Qed.

(* nobody pays less than for each of its jobs; single jobs at home are content *)
Section OwnerFirst.
Variable jobs : O -> list num.
Hypothesis N : forall b, nonneg (jobs b).
Let first := organizations_owner_first dec machines jobs machines_all machines_nodup N prio prio_nodup prio_all.

Lemma job_cost p a x : In x (jobs a) -> x <= cost jobs prio p a.
Proof. exact (C_job dec machines jobs N _ first p a x). Qed.
Lemma single_content p a : (length (jobs a) <= 1)%nat -> (forall l, l <> a -> placed l (jobs a) (p a) = []) ->
  forall d, cost jobs prio p a <= cost jobs prio (deviate dec p a d) a.
Proof. intros H Hh d. exact (C_single dec machines jobs N _ first p a d H Hh). Qed.

(* at most one organization with a choice: the others are at home *)
Lemma one_choice a : (forall b, b <> a -> (length (jobs b) <= 1)%nat) ->
  exists p, equilibrium jobs prio p /\ forall b l, b <> a -> l <> b -> placed l (jobs b) (p b) = [].
Proof.
  intros H1. destruct (best_reply_content dec machines jobs prio machines_all (fun b => home b) a)
    as (br & Hbr).
  set (p := deviate dec (fun b => home b) a br) in *.
  assert (Home : forall b l, b <> a -> l <> b -> placed l (jobs b) (p b) = []).
  { intros b l n Hl. unfold p, deviate. destruct (dec b a); [congruence|exact (placed_away dec l b _ Hl)]. }
  exists p. split; [|exact Home]. intros b d. destruct (dec b a) as [->|n]; [apply Hbr|apply single_content; auto].
Qed.
End OwnerFirst.
End Prio.

Lemma sum_filter (f : O -> num) g L : (forall b, In b L -> g b = false -> f b == 0) ->
  sum (map f L) == sum (map f (filter g L)).
Proof.
  induction L as [|b L IH]; simpl; intros H; [lra|].
  assert (G : sum (map f L) == sum (map f (filter g L))) by (apply IH; intros; apply H; auto).
  destruct (g b) eqn:E; simpl; rewrite G; [lra|]. rewrite (H b); [lra|auto|exact E].
Qed.
Lemma order_irrelevant prio prio' jobs p (multi : O -> bool) :
  (forall l, NoDup (prio l)) -> (forall l a, In a (prio l)) -> (forall l, NoDup (prio' l)) ->
    (forall l a, In a (prio' l)) ->
  (forall b, nonneg (jobs b)) ->
  (forall a, multi a = false -> (length (jobs a) <= 1)%nat /\ forall l, l <> a -> placed l (jobs a) (p a) = []) ->
  (forall a b l, multi a = true -> multi b = true -> a <> b -> a <> l -> b <> l ->
     (In b (before dec a (order dec prio l)) <-> In b (before dec a (order dec prio' l)))) ->
  equilibrium dec machines jobs prio p -> equilibrium dec machines jobs prio' p.
Proof.
  intros Hn Ha Hn' Ha' N Hs Ho E a d. destruct (multi a) eqn:M.
  2: { destruct (Hs a M) as [H1 H2]. apply (single_content prio' Hn' Ha' jobs N); auto. }
  assert (R : forall l, ready dec jobs prio p a l == ready dec jobs prio' p a l).
  { intros l. destruct (dec l a) as [e|n].
    - subst l. rewrite (ready_home dec jobs prio p a), (ready_home dec jobs prio' p a). lra.
    - unfold ready. set (g := fun b => if dec b l then true else multi b).
      assert (Z : forall b, g b = false -> load dec jobs p b l == 0).
      { intros b. unfold g. destruct (dec b l) as [|nb]; [discriminate|]. intros Hb.
        unfold load, Game.ld. rewrite (proj2 (Hs b Hb)) by congruence. simpl. lra. }
      rewrite (sum_filter _ g (before dec a (order dec prio l))) by (intros; auto).
      rewrite (sum_filter _ g (before dec a (order dec prio' l))) by (intros; auto).
      apply sum_perm. apply Permutation_map. apply NoDup_Permutation.
      + apply NoDup_filter, before_nodup, order_nodup; auto.
      + apply NoDup_filter, before_nodup, order_nodup; auto.
      + assert (First : forall pr, In l (before dec a (order dec pr l))).
        { intros pr. unfold order. simpl. destruct (dec l a); [congruence|left; reflexivity]. }
        intros b. rewrite !filter_In. unfold g. destruct (dec b l) as [e|nb].
        * subst b. split; intros _; split; auto.
        * split; intros [H1 H2]; (split; [|exact H2]);
            apply (Ho a b l); auto; apply before_in in H1; destruct H1; congruence. }
  assert (A : cost dec machines jobs prio' p a <= cost dec machines jobs prio p a).
  { apply (cost_le dec machines jobs prio' machines_all Hn' Ha' N). split; [apply cost_nonneg; auto|].
    intros l Hl. rewrite <- R. apply cost_ge; auto. }
  assert (B : cost dec machines jobs prio (deviate dec p a d) a <= cost dec machines jobs prio' (deviate dec p a d) a).
  { apply (dev_le dec machines jobs prio machines_all Hn Ha N). split; [apply cost_nonneg; auto|].
    intros l Hl. rewrite R.
    apply (proj1 (dev_le dec machines jobs prio' machines_all Hn' Ha' N p a d _)); [lra|exact Hl]. }
  generalize (E a d). lra.
Qed.

(* ---------- renaming ---------- *)
Section Rename.
Variables (f g : O -> O).
Hypothesis gf : forall a, g (f a) = a.
Hypothesis fg : forall a, f (g a) = a.
Variables prio prio' : O -> list O.
Hypotheses (prio_nodup : forall l, NoDup (prio l)) (prio_all : forall l a, In a (prio l)).
Hypothesis prio_nodup' : forall l, NoDup (prio' l).
Hypothesis prio_all' : forall l a, In a (prio' l).
Hypothesis prio_f : forall l, prio' (f l) = map f (prio l).
Variables jobs jobs' : O -> list num.
Hypothesis jobs_f : forall a, jobs' (f a) = jobs a.
Hypothesis jobs_nonneg : forall a, nonneg (jobs a).
Hypothesis jobs_nonneg' : forall a, nonneg (jobs' a).

Lemma f_inj a b : f a = f b -> a = b.
Proof. intros H. rewrite <- (gf a), <- (gf b), H. reflexivity. Qed.
Lemma placed_f l js s : placed (f l) js (fun n => f (s n)) = placed l js s.
Proof.
  revert s; induction js as [|y js IH]; intros s; simpl; [reflexivity|].
  rewrite (IH (fun n => s (S n))). destruct (dec (f (s 0%nat)) (f l)) as [e|n], (dec (s 0%nat) l) as [e'|n'];
    try reflexivity.
  - exfalso; apply n', f_inj, e.
  - exfalso; apply n; congruence.
Qed.
Lemma remove_f l L : remove dec (f l) (map f L) = map f (remove dec l L).
Proof.
  induction L as [|b L IH]; simpl; [reflexivity|]. rewrite IH.
  destruct (dec (f l) (f b)) as [e|n], (dec l b) as [e'|n']; try reflexivity.
  - exfalso; apply n', f_inj, e.
  - exfalso; apply n; congruence.
Qed.
Lemma order_f l : order dec prio' (f l) = map f (order dec prio l).
Proof. unfold order. rewrite prio_f, remove_f. reflexivity. Qed.
Lemma before_f a L : before dec (f a) (map f L) = map f (before dec a L).
Proof.
  induction L as [|b L IH]; simpl; [reflexivity|]. rewrite IH.
  destruct (dec (f b) (f a)) as [e|n], (dec b a) as [e'|n']; try reflexivity.
  - exfalso; apply n', f_inj, e.
  - exfalso; apply n; congruence.
Qed.
Definition same_profile (p : O -> nat -> O) (p' : O -> nat -> O) := forall a n, p' (f a) n = f (p a n).
Lemma placed_same p p' a l : same_profile p p' ->
  placed (f l) (jobs' (f a)) (p' (f a)) = placed l (jobs a) (p a).
Proof. intros H. rewrite jobs_f, <- (placed_f l (jobs a) (p a)). apply placed_ext. intros; apply H. Qed.
Lemma ready_f p p' a l : same_profile p p' -> ready dec jobs' prio' p' (f a) (f l) == ready dec jobs prio p a l.
Proof.
  intros H. unfold ready. rewrite order_f, before_f.
  induction (before dec a (order dec prio l)) as [|b L IH]; simpl; [lra|]. rewrite IH.
  unfold load, Game.ld. rewrite (placed_same p p' b l H). lra.
Qed.
Lemma cost_f p p' a : same_profile p p' -> cost dec machines jobs' prio' p' (f a) == cost dec machines jobs prio p a.
Proof.
  intros H.
  assert (A : cost dec machines jobs' prio' p' (f a) <= cost dec machines jobs prio p a).
  { apply (cost_le dec machines jobs' prio' machines_all prio_nodup' prio_all' jobs_nonneg').
    split; [apply cost_nonneg; auto|]. intros l' Hl. rewrite <- (fg l') in *.
    rewrite (placed_same p p' a _ H) in Hl. rewrite (ready_f p p' a _ H).
    unfold load, Game.ld. rewrite (placed_same p p' a _ H).
    exact (cost_ge dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg p a _ Hl). }
  assert (B : cost dec machines jobs prio p a <= cost dec machines jobs' prio' p' (f a)).
  { apply (cost_le dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg).
    split; [apply cost_nonneg; auto|]. intros l Hl.
    rewrite <- (placed_same p p' a l H) in Hl.
    assert (G := cost_ge dec machines jobs' prio' machines_all prio_nodup' prio_all' jobs_nonneg' p' (f a) (f l) Hl).
    rewrite (ready_f p p' a _ H) in G. unfold load, Game.ld in *. rewrite (placed_same p p' a _ H) in G. exact G. }
  lra.
Qed.
Lemma equilibrium_f p : equilibrium dec machines jobs prio p ->
  equilibrium dec machines jobs' prio' (fun a' n => f (p (g a') n)).
Proof.
  intros E a' d'. rewrite <- (fg a').
  rewrite (cost_f p (fun a' n => f (p (g a') n)) (g a')) by (intros a n; rewrite gf; reflexivity).
  rewrite (cost_f (deviate dec p (g a') (fun n => g (d' n))) _ (g a')).
  - apply E.
  - intros a n. unfold deviate. destruct (dec (f a) (f (g a'))) as [e|q], (dec a (g a')) as [e'|q'].
    + rewrite fg. reflexivity.
    + exfalso; apply q', f_inj, e.
    + exfalso; apply q; congruence.
    + rewrite gf. reflexivity.
Qed.
End Rename.
End General.
