(* What a checked cover with an epsilon or a bound on the makespan says: lengths in any order and, with priority to
   organizations, of fewer jobs too.

   An order of jobs is a matter of names, and jobs of length 0 that are added change no cost (`order_costs`,
   `fewer_costs`: whatever holds between the costs of placements and of other strategies holds in both games). *)
From Coq Require Import List Lia Permutation ZArith Strings.Byte.
Require Import Numbers Game Sums Loads PriorityToJobs Cover AnyLengths Terms.
Require Import OrganizationTerms JobTerms EpsilonCover CertificateLines.
Import ListNotations.

Section CoverOfShape.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variable machines : list O.
Hypothesis machines_nodup : NoDup machines.
Hypothesis machines_all : forall l, In l machines.

Section Priority.
Variable prio : O -> list O.
Hypothesis prio_nodup : forall l, NoDup (prio l).
Hypothesis prio_all : forall l a, In a (prio l).
Notation cost := (cost dec machines).

(* p costs at most what p' costs in the other game, and every other strategy at least what some costs there *)
Definition no_worse (jobs : O -> list num) (p : O -> nat -> O) (jobs' : O -> list num) (p' : O -> nat -> O) : Prop :=
  forall a, cost jobs prio p a <= cost jobs' prio p' a /\
    forall d, exists d', cost jobs' prio (deviate dec p' a d') a <= cost jobs prio (deviate dec p a d) a.

Lemma order_costs jobs jobs' p' : (forall b, nonneg (jobs b)) -> (forall b, Permutation (jobs' b) (jobs b)) ->
  exists p, no_worse jobs p jobs' p'.
Proof.
  intros N HP.
  assert (N' : forall b, nonneg (jobs' b)) by (intros b y Hy; apply (N b); exact (Permutation_in _ (HP b) Hy)).
  destruct (finite_choice dec machines machines_all (home (O := O)) (fun b s =>
              forall l, Permutation (placed dec l (jobs' b) (p' b)) (placed dec l (jobs b) s))) as (p & Hp).
  { intros b. exact (perm_strategy dec _ _ (HP b) (p' b)). }
  assert (Used : forall b l s s', Permutation (placed dec l (jobs' b) s') (placed dec l (jobs b) s) ->
            (placed dec l (jobs b) s <> [] <-> placed dec l (jobs' b) s' <> [])).
  { intros b l s s' H. split; intros A B; apply A; rewrite B in H; apply Permutation_nil;
      [exact H|apply Permutation_sym; exact H]. }
  exists p. intros a. split.
  - apply cost_mono; auto.
    + intros b l. unfold load, ld. symmetry. apply sum_perm, Hp.
    + intros l. apply (Used a l (p a) (p' a)), Hp.
  - intros d. destruct (perm_strategy dec _ _ (Permutation_sym (HP a)) d) as (d' & Hd'). exists d'.
    apply cost_mono; auto.
    + intros b l. rewrite !dev_load. destruct (dec b a) as [e|n].
      * subst b. unfold ld. symmetry. apply sum_perm, Hd'.
      * unfold load, ld. apply sum_perm, Hp.
    + intros l. rewrite !deviate_same. apply (Used a l d d'). apply Permutation_sym, Hd'.
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
Lemma padded_load b s l : ld dec l (padded b) s == ld dec l (jobs b) s.
Proof. unfold ld, padded. rewrite placed_app, sum_app, placed_zeros. lra. Qed.
Lemma zeros_at_home a l k s : l <> a -> (forall n, s n = a) -> placed dec l (repeat 0 k) s = [].
Proof.
  intros n. revert s. induction k as [|k IH]; intros s Hs; simpl; [reflexivity|].
  rewrite Hs. destruct (dec a l); [congruence|]. apply IH. intros i. apply Hs.
Qed.

Lemma fewer_costs p : no_worse jobs p padded p.
Proof.
  intros a. split.
  - apply cost_mono; auto using padded_nonneg.
    + intros b l. unfold load. rewrite padded_load. lra.
    + intros l H. unfold padded. rewrite placed_app. destruct (placed dec l (jobs a) (p a)); [congruence|discriminate].
  - intros d. set (d' := fun n => if (n <? length (jobs a))%nat then d n else a). exists d'.
    assert (D : forall l, placed dec l (jobs a) d' = placed dec l (jobs a) d).
    { intros l. apply placed_ext. intros t Ht. unfold d'. apply Nat.ltb_lt in Ht. rewrite Ht. reflexivity. }
    assert (Z : forall l, l <> a -> placed dec l (padded a) d' = placed dec l (jobs a) d).
    { intros l n. unfold padded. rewrite placed_app, D, (zeros_at_home a l _ _ n); [apply app_nil_r|].
      intros i. unfold d'. destruct (Nat.ltb_spec (length (jobs a) + i) (length (jobs a))); [lia|reflexivity]. }
    apply (dev_le dec machines padded prio machines_all prio_nodup prio_all padded_nonneg).
    split; [apply cost_nonneg; auto|]. intros l Hl.
    assert (Lo : ld dec l (padded a) d' == ld dec l (jobs a) d) by (rewrite padded_load; unfold ld; rewrite D; lra).
    rewrite Lo, (ready_eq dec prio padded jobs p p a l) by (intros; unfold load; apply padded_load).
    destruct (nil_dec (placed dec l (jobs a) d)) as [e|n].
    + destruct (dec l a) as [la|la]; [|rewrite Z in Hl by exact la; congruence].
      subst l. generalize (ready_home dec jobs prio p a). unfold ld. rewrite e. simpl.
      generalize (cost_nonneg dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg
                    (deviate dec p a d) a). lra.
    + apply (proj1 (dev_le dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg p a d _)); [lra|exact n].
Qed.
End Fewer.

Variable shape : O -> nat.
Definition check_cover_organizations (en ed : Z) (within : option (Z * Z)) : list item -> bool :=
  check_cover dec machines shape (list Z) (rdf dec machines prio shape) (term dec machines shape) en ed within.

(* Priority to organizations: lengths >= 0 in any order of at most as many jobs as the shape has; q any placement,
   costing nobody more than M. *)
Theorem cover_to_organizations en ed within items : check_cover_organizations en ed within items = true ->
  forall jobs, (forall a x, In x (jobs a) -> 0 <= x) -> (forall a, (length (jobs a) <= shape a)%nat) ->
  exists p,
    (forall a d, inj ed * cost jobs prio p a <= inj en * cost jobs prio (deviate dec p a d) a) /\
    forall n d, within = Some (n, d) -> forall q M, 0 <= M -> (forall a, cost jobs prio q a <= M) ->
      forall a, inj d * cost jobs prio p a <= inj n * M.
Proof.
  intros Hc jobs N Hk. set (m := fun b => (shape b - length (jobs b))%nat).
  set (sorted := fun b => sort (padded jobs m b)).
  assert (N1 := padded_nonneg jobs m N).
  assert (S : sorted_of_shape shape sorted).
  { intros b. split; [exact (sort_desc _ (N1 b))|]. unfold sorted. rewrite (Permutation_length (sort_perm _)).
    unfold padded, m. rewrite app_length, repeat_length. specialize (Hk b). lia. }
  assert (HP : forall b, Permutation (sorted b) (padded jobs m b)) by (intros b; apply sort_perm).
  assert (Hpos : (0 < ed)%Z /\ (ed <= en)%Z /\ forall n d, within = Some (n, d) -> (0 < d)%Z).
  { unfold check_cover_organizations, check_cover, bound_ok in Hc. simpl in Hc.
    destruct (0 <? ed)%Z eqn:E1; [|discriminate]. destruct (ed <=? en)%Z eqn:E2; [|discriminate].
    split; [apply Z.ltb_lt; exact E1|split; [apply Z.leb_le; exact E2|]]. intros n d E. rewrite E in Hc. simpl in Hc.
    destruct (0 <? d)%Z eqn:E3; [apply Z.ltb_lt; exact E3|discriminate]. }
  destruct Hpos as (Hed & Hen & Hwd).
  assert (Ie : 0 < inj ed) by (rewrite <- inj_0; apply inj_lt; exact Hed). assert (Ien := inj_le _ _ Hen).
  destruct (check_cover_sorted dec machines shape _ _ _ en ed within machines_nodup machines_all _
    (organizations_described dec machines prio shape machines_nodup machines_all prio_nodup prio_all) items Hc sorted S)
    as (p' & E & V).
  destruct (order_costs (padded jobs m) sorted p' N1 HP) as (p & C1).
  assert (C2 := fewer_costs jobs m N p). exists p. split.
  - intros a d. destruct (C2 a) as [A2 B2]. destruct (B2 d) as (d2 & B2'). destruct (C1 a) as [A1 B1].
    destruct (B1 d2) as (d1 & B1'). specialize (E a d1). simpl in E.
    generalize (mul_le (inj ed) _ _ ltac:(lra) A2) (mul_le (inj ed) _ _ ltac:(lra) A1)
      (mul_le (inj en) _ _ ltac:(lra) B2') (mul_le (inj en) _ _ ltac:(lra) B1'). lra.
  - intros n d W q M HM Hq a.
    destruct (finite_choice dec machines machines_all (home (O := O)) (fun b s =>
                forall l, Permutation (placed dec l (padded jobs m b) (q b)) (placed dec l (sorted b) s))) as (o & Ho).
    { intros b. exact (perm_strategy dec _ _ (Permutation_sym (HP b)) (q b)). }
    assert (Tot : forall l, total dec machines sorted o l <= M).
    { intros l.
      generalize (total_le dec machines jobs prio machines_all machines_nodup prio_nodup prio_all N q M l HM Hq).
      unfold total. intros H.
      rewrite (sum_map_eq _ (fun b => load dec jobs q b l)); [exact H|].
      intros b. unfold load. rewrite <- (padded_load jobs m b). unfold ld. symmetry. apply sum_perm, Ho. }
    specialize (V n d W o M HM Tot a). simpl in V.
    assert (Id : 0 < inj d) by (rewrite <- inj_0; apply inj_lt; exact (Hwd n d W)).
    generalize (mul_le (inj d) _ _ ltac:(lra) (proj1 (C2 a))) (mul_le (inj d) _ _ ltac:(lra) (proj1 (C1 a))). lra.
Qed.
(* ... an equilibrium up to en / ed, an equilibrium, and one of makespan at most n / d times the least *)
Corollary epsilon_to_organizations en ed items : check_cover_organizations en ed None items = true ->
  forall jobs, (forall a x, In x (jobs a) -> 0 <= x) -> (forall a, (length (jobs a) <= shape a)%nat) ->
  exists p, forall a d, inj ed * cost jobs prio p a <= inj en * cost jobs prio (deviate dec p a d) a.
Proof. intros H jobs N K. destruct (cover_to_organizations en ed None items H jobs N K) as (p & E & _). eauto. Qed.
Corollary existence_to_organizations items : check_cover_organizations 1 1 None items = true ->
  forall jobs, (forall a x, In x (jobs a) -> 0 <= x) -> (forall a, (length (jobs a) <= shape a)%nat) ->
  exists p, equilibrium dec machines jobs prio p.
Proof.
  intros H jobs N K. destruct (epsilon_to_organizations 1 1 items H jobs N K) as (p & E).
  exists p. intros a d. specialize (E a d). rewrite inj_1 in E. lra.
Qed.
Corollary stability_to_organizations n d items : check_cover_organizations 1 1 (Some (n, d)) items = true ->
  forall jobs, (forall a x, In x (jobs a) -> 0 <= x) -> (forall a, (length (jobs a) <= shape a)%nat) ->
  exists p, equilibrium dec machines jobs prio p /\
    forall q M, 0 <= M -> (forall a, cost jobs prio q a <= M) -> forall a, inj d * cost jobs prio p a <= inj n * M.
Proof.
  intros H jobs N K. destruct (cover_to_organizations 1 1 (Some (n, d)) items H jobs N K) as (p & E & V).
  exists p. split; [|exact (V n d eq_refl)]. intros a s. specialize (E a s). rewrite inj_1 in E. lra.
Qed.
End Priority.

Variable shape : O -> nat.
Definition check_cover_jobs (ranking : list (O * nat)) (en ed : Z) (within : option (Z * Z)) (items : list item) :=
  if is_ranking dec machines shape ranking then
    check_cover dec machines shape (list Z * list (O * nat)) (met_jobs dec machines ranking shape)
      (job_term dec machines shape) en ed within items
  else false.
(* The same with priority to jobs, for sorted lengths: the longest job of each organization is its number 0. *)
Theorem cover_to_jobs ranking en ed within items : check_cover_jobs ranking en ed within items = true ->
  forall jobs, sorted_of_shape shape jobs -> exists p,
    (forall a d, inj ed * cost_jobs dec machines jobs ranking p a <=
                 inj en * cost_jobs dec machines jobs ranking (deviate dec p a d) a) /\
    forall n d, within = Some (n, d) -> forall q M, 0 <= M ->
      (forall a, cost_jobs dec machines jobs ranking q a <= M) ->
      forall a, inj d * cost_jobs dec machines jobs ranking p a <= inj n * M.
Proof.
  unfold check_cover_jobs. destruct (is_ranking dec machines shape ranking) eqn:R; [|discriminate]. intros Hc jobs S.
  destruct (check_cover_sorted dec machines shape _ _ _ en ed within machines_nodup machines_all _
    (jobs_described dec machines ranking shape machines_nodup machines_all
       (ranked_all dec machines shape machines_all ranking R)) items Hc jobs S) as (p & E & V).
  exists p. split; [exact E|]. intros n d W q M HM Hq. apply (V n d W q M HM).
  exact (ranked_total dec machines shape machines_nodup machines_all ranking R jobs q M S HM Hq).
Qed.

Corollary epsilon_to_jobs ranking en ed items : check_cover_jobs ranking en ed None items = true ->
  forall jobs, sorted_of_shape shape jobs -> exists p, forall a d,
    inj ed * cost_jobs dec machines jobs ranking p a <=
    inj en * cost_jobs dec machines jobs ranking (deviate dec p a d) a.
Proof. intros H jobs S. destruct (cover_to_jobs ranking en ed None items H jobs S) as (p & E & _). eauto. Qed.
Corollary existence_to_jobs ranking items : check_cover_jobs ranking 1 1 None items = true ->
  forall jobs, sorted_of_shape shape jobs -> exists p, equilibrium_jobs dec machines jobs ranking p.
Proof.
  intros H jobs S. destruct (epsilon_to_jobs ranking 1 1 items H jobs S) as (p & E).
  exists p. intros a d. specialize (E a d). rewrite inj_1 in E. lra.
Qed.
Corollary stability_to_jobs ranking n d items : check_cover_jobs ranking 1 1 (Some (n, d)) items = true ->
  forall jobs, sorted_of_shape shape jobs -> exists p, equilibrium_jobs dec machines jobs ranking p /\
    forall q M, 0 <= M -> (forall a, cost_jobs dec machines jobs ranking q a <= M) ->
      forall a, inj d * cost_jobs dec machines jobs ranking p a <= inj n * M.
Proof.
  intros H jobs S. destruct (cover_to_jobs ranking 1 1 (Some (n, d)) items H jobs S) as (p & E & V).
  exists p. split; [|exact (V n d eq_refl)]. intros a s. specialize (E a s). rewrite inj_1 in E. lra.
Qed.

(* ---------- the text of a certificate ---------- *)
(* S c1 c2 ..: SplitAt; E i:m ..: NoInterior; Q h1 h2 ..: Placement *)
Definition item_of (l : line) : option (item (O := O)) :=
  match l with
  | ("S"%byte, h) => Some (SplitAt h)
  | ("E"%byte, more) => option_map NoInterior (pairs more)
  | ("Q"%byte, hs) => option_map Placement (every (numbered machines) hs)
  | _ => None
  end.
Fixpoint items_of (ls : list line) (items : list item) : list (item (O := O)) :=      (* backwards *)
  match ls with
  | [] => items
  | l :: ls' => match item_of l with Some i => items_of ls' (i :: items) | None => [] end
  end.
Definition cover_items (ts : list text) : list item := items_of (rev' (read ts)) [].
End CoverOfShape.
