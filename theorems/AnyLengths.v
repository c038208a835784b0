(* Lengths in any order and of fewer jobs, organizations in another order or renamed (for the certificates of shapes).

   1. The order of the jobs of an organization is a matter of names: loads are sums, so strategies are permuted alike
      (`order_costs`).
   2. Jobs of length 0 may be added: in a deviation they stay at home, where they cost nothing (`fewer_costs`).
   3. An organization with one job at home is content (`single_content`), so where such organizations stand in the
      order does not matter (`order_irrelevant`); organizations may be renamed (`equilibrium_f`). *)
From Coq Require Import List Lia Permutation ZArith Bool.
Require Import Numbers Game Sums Loads Terms.
Import ListNotations.

(* ---------- sorting ---------- *)
Fixpoint insert (y : num) (l : list num) : list num :=
  match l with [] => [y] | z :: t => if lt_le y z then z :: insert y t else y :: l end.
Definition sort (l : list num) : list num := fold_right insert [] l.
Lemma insert_perm y l : Permutation (insert y l) (y :: l).
Proof.
  induction l as [|z t IH]; simpl; [reflexivity|]. destruct (lt_le y z); [|reflexivity].
  rewrite IH. apply perm_swap.
Qed.
Lemma sort_perm l : Permutation (sort l) l.
Proof. induction l as [|y l IH]; simpl; [constructor|]. rewrite insert_perm, IH. reflexivity. Qed.
Lemma insert_hd y l z : y <= z -> hd 0 l <= z -> hd 0 (insert y l) <= z.
Proof. destruct l as [|u t]; simpl; [auto|]. destruct (lt_le y u); simpl; auto. Qed.
Lemma insert_desc y l : 0 <= y -> desc l -> desc (insert y l).
Proof.
  intros Hy; induction l as [|z t IH]; simpl; intros H; [auto|].
  destruct (lt_le y z) as [G|G]; simpl.
  - split; [apply insert_hd; [lra|tauto]|tauto].
  - split; [exact G|exact H].
Qed.
Lemma sort_desc l : nonneg l -> desc (sort l).
Proof.
  induction l as [|y l IH]; simpl; intros H; [exact I|].
  apply insert_desc; [apply H; left; reflexivity|apply IH; intros z Hz; apply H; right; exact Hz].
Qed.
Lemma nil_dec {A} (l : list A) : {l = []} + {l <> []}.
Proof. destruct l; [left; reflexivity|right; discriminate]. Qed.

Section General.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variable machines : list O.
Hypothesis machines_nodup : NoDup machines.
Hypothesis machines_all : forall l, In l machines.

Notation placed := (placed dec).
Notation ld := (ld dec).

Lemma placed_app l js r s : placed l (js ++ r) s = placed l js s ++ placed l r (fun n => s (length js + n)%nat).
Proof.
  revert s; induction js as [|y js IH]; intros s; simpl; [reflexivity|].
  rewrite IH. destruct (dec (s 0%nat) l); reflexivity.
Qed.
Lemma placed_zeros l m s : sum (placed l (repeat 0 m) s) == 0.
Proof.
  revert s; induction m as [|m IH]; intros s; simpl; [lra|].
  destruct (dec (s 0%nat) l); simpl; rewrite IH; lra.
Qed.

Section Prio.
Variable prio : O -> list O.
Hypothesis prio_nodup : forall l, NoDup (prio l).
Hypothesis prio_all : forall l a, In a (prio l).
Notation cost := (cost dec machines).
Notation equilibrium := (equilibrium dec machines).

Lemma ready_eq jobs jobs' p p' a l : (forall b, b <> a -> load dec jobs p b l == load dec jobs' p' b l) ->
  ready dec jobs prio p a l == ready dec jobs' prio p' a l.
Proof.
  intros H. unfold ready.
  assert (G : forall L, (forall b, In b L -> b <> a) ->
    sum (map (fun b => load dec jobs p b l) L) == sum (map (fun b => load dec jobs' p' b l) L)).
  { induction L as [|b L IH]; simpl; intros HL; [lra|]. rewrite (H b), IH; [lra|..]; auto. }
  apply G. intros b Hb. exact (proj2 (before_in dec a b _ Hb)).
Qed.

(* same loads, and every machine used in the first game is used in the second: cost at most as high *)
Lemma cost_mono jobs jobs' p p' a : (forall b, nonneg (jobs b)) -> (forall b, nonneg (jobs' b)) ->
  (forall b l, load dec jobs p b l == load dec jobs' p' b l) ->
  (forall l, placed l (jobs a) (p a) <> [] -> placed l (jobs' a) (p' a) <> []) ->
  cost jobs prio p a <= cost jobs' prio p' a.
Proof.
  intros N N' HL HU. apply (cost_le dec machines jobs prio machines_all prio_nodup prio_all N).
  split; [apply cost_nonneg; auto|]. intros l Hl.
  assert (G := cost_ge dec machines jobs' prio machines_all prio_nodup prio_all N' p' a l (HU l Hl)).
  rewrite <- (ready_eq jobs jobs' p p' a l) in G by (intros; apply HL). rewrite <- HL in G. exact G.
Qed.

(* the same jobs on each machine, in another order *)
Definition reordered jobs (p : O -> nat -> O) jobs' (p' : O -> nat -> O) := forall (b l : O),
  Permutation (placed l (jobs' b) (p' b)) (placed l (jobs b) (p b)).
Lemma reordered_cost jobs p jobs' p' a : (forall b, nonneg (jobs b)) -> (forall b, nonneg (jobs' b)) ->
  reordered jobs p jobs' p' -> cost jobs prio p a <= cost jobs' prio p' a.
Proof.
  intros N N' H. apply cost_mono; auto.
  - intros b l. unfold load, Game.ld. symmetry. apply sum_perm, H.
  - intros l A B. apply A. specialize (H a l). rewrite B in H. exact (Permutation_nil H).
Qed.

(* p costs at most what p' costs in the other game, and every other strategy at least what some costs there *)
Definition no_worse jobs p jobs' p' : Prop :=
  forall a, cost jobs prio p a <= cost jobs' prio p' a /\
    forall d, exists d', cost jobs' prio (deviate dec p' a d') a <= cost jobs prio (deviate dec p a d) a.

Lemma order_costs jobs jobs' p' : (forall b, nonneg (jobs b)) -> (forall b, Permutation (jobs' b) (jobs b)) ->
  exists p, no_worse jobs p jobs' p' /\ reordered jobs p jobs' p'.
Proof.
  intros N HP.
  assert (N' : forall b, nonneg (jobs' b)) by (intros b y Hy; apply (N b); exact (Permutation_in _ (HP b) Hy)).
  destruct (choice dec machines machines_all _ (fun b s =>
              forall l, Permutation (placed l (jobs' b) (p' b)) (placed l (jobs b) s))) as (p & Hp).
  { intros b. destruct (placed_perm dec _ _ (Permutation_sym (HP b)) (p' b)) as (s & Hs). exists s.
    intros l. apply Permutation_sym, Hs. }
  { exact (home (O := O)). }
  exists p. split; [|exact Hp]. intros a. split; [apply reordered_cost; auto|].
  intros d. destruct (placed_perm dec _ _ (HP a) d) as (d' & Hd'). exists d'. apply reordered_cost; auto.
  intros b l. unfold deviate. destruct (dec b a) as [->|n]; apply Permutation_sym; [apply Hd'|apply Hp].
Qed.

Section Fewer.
Variable jobs : O -> list num.
Variable m : O -> nat.                                          (* how many jobs of length 0 are added *)
Hypothesis jobs_nonneg : forall b, nonneg (jobs b).
Definition padded (b : O) : list num := jobs b ++ repeat 0 (m b).

Lemma padded_nonneg b : nonneg (padded b).
Proof.
  intros y Hy. apply in_app_or in Hy. destruct Hy as [Hy|Hy]; [exact (jobs_nonneg b y Hy)|].
  apply repeat_spec in Hy. subst y. lra.
Qed.
Lemma padded_load b s l : ld l (padded b) s == ld l (jobs b) s.
Proof. unfold Game.ld, padded. rewrite placed_app, sum_app, placed_zeros. lra. Qed.
Lemma zeros_at_home a l k s : l <> a -> (forall n, s n = a) -> placed l (repeat 0 k) s = [].
Proof.
  intros n. revert s. induction k as [|k IH]; intros s Hs; simpl; [reflexivity|].
  rewrite Hs. destruct (dec a l); [congruence|]. apply IH. intros i. apply Hs.
Qed.

Lemma fewer_costs p : no_worse jobs p padded p.
Proof.
  intros a. split.
  - apply cost_mono; auto using padded_nonneg.
    + intros b l. unfold load. rewrite padded_load. lra.
    + intros l H. unfold padded. rewrite placed_app. destruct (placed l (jobs a) (p a)); [congruence|discriminate].
  - intros d. set (d' := fun n => if (n <? length (jobs a))%nat then d n else a). exists d'.
    assert (D : forall l, placed l (jobs a) d' = placed l (jobs a) d).
    { intros l. apply placed_ext. intros t Ht. unfold d'. apply Nat.ltb_lt in Ht. rewrite Ht. reflexivity. }
    assert (Z : forall l, l <> a -> placed l (padded a) d' = placed l (jobs a) d).
    { intros l n. unfold padded. rewrite placed_app, D, (zeros_at_home a l _ _ n); [apply app_nil_r|].
      intros i. unfold d'. destruct (Nat.ltb_spec (length (jobs a) + i) (length (jobs a))); [lia|reflexivity]. }
    apply (dev_le dec machines padded prio machines_all prio_nodup prio_all padded_nonneg).
    split; [apply cost_nonneg; auto|]. intros l Hl.
    assert (Lo : ld l (padded a) d' == ld l (jobs a) d) by (rewrite padded_load; unfold Game.ld; rewrite D; lra).
    rewrite Lo, (ready_eq padded jobs p p a l) by (intros; unfold load; apply padded_load).
    destruct (nil_dec (placed l (jobs a) d)) as [e|n].
    + destruct (dec l a) as [la|la]; [|rewrite Z in Hl by exact la; congruence].
      subst l. generalize (ready_home dec jobs prio p a). unfold Game.ld. rewrite e. simpl.
      generalize (cost_nonneg dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg
                    (deviate dec p a d) a). lra.
    + apply (proj1 (dev_le dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg p a d _)); [lra|exact n].
Qed.
End Fewer.

(* the place of single jobs at home in the order *)
Lemma single_content jobs p a : (forall b, nonneg (jobs b)) -> (length (jobs a) <= 1)%nat ->
  (forall l, l <> a -> placed l (jobs a) (p a) = []) ->
  forall d, cost jobs prio p a <= cost jobs prio (deviate dec p a d) a.
Proof.
  intros N H1 Hh d. apply (cost_le dec machines jobs prio machines_all prio_nodup prio_all N).
  split; [apply cost_nonneg; auto|]. intros l Hl.
  destruct (dec l a) as [e|n]; [subst l|exfalso; apply Hl, Hh; exact n].
  destruct (jobs a) as [|x [|y js]] eqn:Ej; simpl in H1; [|clear H1|lia].
  - exfalso. apply Hl. reflexivity.
  - assert (G : ready dec jobs prio p a (d 0%nat) + ld (d 0%nat) (jobs a) d <= cost jobs prio (deviate dec p a d) a).
    { apply (proj1 (dev_le dec machines jobs prio machines_all prio_nodup prio_all N p a d _)); [lra|].
      rewrite Ej. simpl. destruct (dec (d 0%nat) (d 0%nat)); [discriminate|congruence]. }
    assert (X : 0 <= x) by (apply (N a); rewrite Ej; left; reflexivity).
    assert (R : 0 <= ready dec jobs prio p a (d 0%nat)) by (apply ready_nonneg; exact N).
    assert (R0 := ready_home dec jobs prio p a).
    unfold Game.ld in G. rewrite Ej in G. simpl in G.
    destruct (dec (d 0%nat) (d 0%nat)); [|congruence]. simpl in G.
    unfold load, Game.ld. rewrite Ej. simpl. destruct (dec (p a 0%nat) a); simpl; lra.
Qed.
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
  2: { destruct (Hs a M) as [H1 H2]. apply single_content; auto. }
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

(* at most one organization with a choice *)
Lemma one_choice prio jobs a : (forall l, NoDup (prio l)) -> (forall l a, In a (prio l)) ->
  (forall b, nonneg (jobs b)) ->
  (forall b, b <> a -> (length (jobs b) <= 1)%nat) -> exists p, equilibrium dec machines jobs prio p.
Proof.
  intros Hn Ha N H1.
  set (P := fun b => home b : nat -> O).
  destruct (lazy_best_reply dec machines jobs prio machines_all Hn Ha N P a) as (br & Hbr).
  exists (deviate dec P a br). intros b d. destruct (dec b a) as [e|n].
  - subst b. rewrite (cost_ext dec machines jobs prio (deviate dec (deviate dec P a br) a d) (deviate dec P a d)).
    + apply Hbr.
    + intros b. unfold deviate. destruct (dec b a); reflexivity.
  - apply single_content; auto. intros l Hl. unfold deviate, P. destruct (dec b a); [congruence|].
    rewrite placed_home. destruct (dec b l); congruence.
Qed.

End General.

(* ---------- renaming ---------- *)
Section Rename.
Context {O O' : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variable dec' : forall a b : O', {a = b} + {a <> b}.
Variables (f : O -> O') (g : O' -> O).
Hypothesis gf : forall a, g (f a) = a.
Hypothesis fg : forall a, f (g a) = a.
Variables (machines : list O) (machines' : list O') (prio : O -> list O) (prio' : O' -> list O').
Hypothesis machines_all : forall l, In l machines.
Hypothesis machines_all' : forall l, In l machines'.
Hypothesis prio_nodup : forall l, NoDup (prio l).
Hypothesis prio_all : forall l a, In a (prio l).
Hypothesis prio_nodup' : forall l, NoDup (prio' l).
Hypothesis prio_all' : forall l a, In a (prio' l).
Hypothesis prio_f : forall l, prio' (f l) = map f (prio l).
Variables (jobs : O -> list num) (jobs' : O' -> list num).
Hypothesis jobs_f : forall a, jobs' (f a) = jobs a.
Hypothesis jobs_nonneg : forall a, nonneg (jobs a).
Hypothesis jobs_nonneg' : forall a, nonneg (jobs' a).

Lemma f_inj a b : f a = f b -> a = b.
Proof. intros H. rewrite <- (gf a), <- (gf b), H. reflexivity. Qed.
Lemma placed_f l js s : placed dec' (f l) js (fun n => f (s n)) = placed dec l js s.
Proof.
  revert s; induction js as [|y js IH]; intros s; simpl; [reflexivity|].
  rewrite (IH (fun n => s (S n))). destruct (dec' (f (s 0%nat)) (f l)) as [e|n], (dec (s 0%nat) l) as [e'|n'];
    try reflexivity.
  - exfalso; apply n', f_inj, e.
  - exfalso; apply n; congruence.
Qed.
Lemma remove_f l L : remove dec' (f l) (map f L) = map f (remove dec l L).
Proof.
  induction L as [|b L IH]; simpl; [reflexivity|]. rewrite IH.
  destruct (dec' (f l) (f b)) as [e|n], (dec l b) as [e'|n']; try reflexivity.
  - exfalso; apply n', f_inj, e.
  - exfalso; apply n; congruence.
Qed.
Lemma order_f l : order dec' prio' (f l) = map f (order dec prio l).
Proof. unfold order. rewrite prio_f, remove_f. reflexivity. Qed.
Lemma before_f a L : before dec' (f a) (map f L) = map f (before dec a L).
Proof.
  induction L as [|b L IH]; simpl; [reflexivity|]. rewrite IH.
  destruct (dec' (f b) (f a)) as [e|n], (dec b a) as [e'|n']; try reflexivity.
  - exfalso; apply n', f_inj, e.
  - exfalso; apply n; congruence.
Qed.
Definition same_profile (p : O -> nat -> O) (p' : O' -> nat -> O') := forall a n, p' (f a) n = f (p a n).
Lemma placed_same p p' a l : same_profile p p' ->
  placed dec' (f l) (jobs' (f a)) (p' (f a)) = placed dec l (jobs a) (p a).
Proof.
  intros H. rewrite jobs_f, <- (placed_f l (jobs a) (p a)). apply placed_ext. intros; apply H.
Qed.
Lemma ready_f p p' a l : same_profile p p' -> ready dec' jobs' prio' p' (f a) (f l) == ready dec jobs prio p a l.
Proof.
  intros H. unfold ready. rewrite order_f, before_f.
  induction (before dec a (order dec prio l)) as [|b L IH]; simpl; [lra|]. rewrite IH.
  unfold load, Game.ld. rewrite (placed_same p p' b l H). lra.
Qed.
Lemma cost_f p p' a : same_profile p p' -> cost dec' machines' jobs' prio' p' (f a) == cost dec machines jobs prio p a.
Proof.
  intros H.
  assert (A : cost dec' machines' jobs' prio' p' (f a) <= cost dec machines jobs prio p a).
  { apply (cost_le dec' machines' jobs' prio' machines_all' prio_nodup' prio_all' jobs_nonneg').
    split; [apply cost_nonneg; auto|]. intros l' Hl. rewrite <- (fg l') in *.
    rewrite (placed_same p p' a _ H) in Hl. rewrite (ready_f p p' a _ H).
    unfold load, Game.ld. rewrite (placed_same p p' a _ H).
    exact (cost_ge dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg p a _ Hl). }
  assert (B : cost dec machines jobs prio p a <= cost dec' machines' jobs' prio' p' (f a)).
  { apply (cost_le dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg).
    split; [apply cost_nonneg; auto|]. intros l Hl.
    rewrite <- (placed_same p p' a l H) in Hl.
    assert (G := cost_ge dec' machines' jobs' prio' machines_all' prio_nodup' prio_all' jobs_nonneg' p' (f a) (f l) Hl).
    rewrite (ready_f p p' a _ H) in G. unfold load, Game.ld in *. rewrite (placed_same p p' a _ H) in G. exact G. }
  lra.
Qed.
Lemma equilibrium_f p : equilibrium dec machines jobs prio p ->
  equilibrium dec' machines' jobs' prio' (fun a' n => f (p (g a') n)).
Proof.
  intros E a' d'. rewrite <- (fg a').
  rewrite (cost_f p (fun a' n => f (p (g a') n)) (g a')) by (intros a n; rewrite gf; reflexivity).
  rewrite (cost_f (deviate dec p (g a') (fun n => g (d' n))) _ (g a')).
  - apply E.
  - intros a n. unfold deviate. destruct (dec' (f a) (f (g a'))) as [e|q], (dec a (g a')) as [e'|q'].
    + rewrite fg. reflexivity.
    + exfalso; apply q', f_inj, e.
    + exfalso; apply q; congruence.
    + rewrite gf. reflexivity.
Qed.
End Rename.
