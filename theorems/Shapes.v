(* What checked certificates of shapes say of the games as Game.v and PriorityToJobs.v define them. This is what
   `consortium check CERTIFICATE --coq FOLDER` has coqc use.

   The checkers speak of sorted lengths and exactly as many jobs as the shape has (Cover.v, PriceTree.v). With priority
   to organizations lengths may stand in any order, and covers are good for fewer jobs too (AnyLengths.v). With priority
   to jobs the ranking names them by their order: number 0 of an organization is its longest. Every machine may have an
   order of the organizations of its own. FourOrganizations.v needs more: where those are with nothing to choose. *)
From Coq Require Import List Lia Permutation ZArith Sorted.
Require Import Numbers Game Sums Loads FewerJobs PriorityToJobs CertificateText Forms Terms Cover AnyLengths PriceTree.
Import ListNotations.

Section Shapes.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variable machines : list O.
Hypotheses (machines_nodup : NoDup machines) (machines_all : forall l, In l machines).
Variable shape : O -> nat.

(* p: nobody pays more than en / ed times another strategy; at most n / d times what the dearest of anybody costs in any
   placement q (M), where such a bound is claimed *)
Definition as_claimed (cost : (O -> nat -> O) -> O -> num) (en ed : Z) (within : option (Z * Z)) (p : O -> nat -> O) :=
  (forall a d, inj ed * cost p a <= inj en * cost (deviate dec p a d) a) /\
  forall n d, within = Some (n, d) -> forall q M, 0 <= M -> (forall a, cost q a <= M) ->
    forall a, inj d * cost p a <= inj n * M.
Lemma equilibrium_of cost within p : as_claimed cost 1 1 within p -> forall a d, cost p a <= cost (deviate dec p a d) a.
Proof. intros [H _] a d. specialize (H a d). rewrite inj_1 in H. lra. Qed.
Lemma sorted_lengths jobs : (forall a x, In x (jobs a) -> 0 <= x) ->
  (forall a, Sorted (fun x y => y <= x) (jobs a)) -> (forall a, length (jobs a) = shape a) ->
  sorted_of_shape shape jobs.
Proof.
  intros N S L a. split; [|apply L]. generalize (N a). induction (S a) as [|y js _ IH H]; intros Na; simpl; [exact I|].
  split; [|apply IH; intros x Hx; apply Na; right; exact Hx].
  destruct H as [|z js Hz]; [apply Na; left; reflexivity|exact Hz].
Qed.
Lemma sorted_shape jobs : (forall a, nonneg (jobs a)) -> (forall a, length (jobs a) = shape a) ->
  exists sorted, (forall a, Permutation (jobs a) (sorted a)) /\ sorted_of_shape shape sorted.
Proof.
  intros N K. destruct (sorted_jobs dec machines jobs machines_all) as (J & HP & Hd). exists J. split; [exact HP|].
  apply sorted_lengths; intros a; [apply (nonneg_perm _ _ (HP a) (N a))|apply StronglySorted_Sorted, Hd|].
  rewrite <- (Permutation_length (HP a)). apply K.
Qed.

(* ================= PRIORITY TO ORGANIZATIONS ================= *)
Section Organizations.
Variable prio : O -> list O.
Hypotheses (prio_nodup : forall l, NoDup (prio l)) (prio_all : forall l a, In a (prio l)).
Notation cost jobs := (cost dec machines jobs prio).
Let ranking := one_after_other shape prio.
Let ranking_ok : forall l, Permutation (ranking l) (all_jobs machines shape) :=
  one_after_other_ok machines shape prio machines_nodup machines_all prio_nodup prio_all.

(* no machine is loaded beyond the largest cost of a placement with the same loads *)
Lemma total_at_most jobs sorted q o M m : (forall b, nonneg (jobs b)) ->
  (forall b, load dec sorted o b m == load dec jobs q b m) -> 0 <= M -> (forall a, cost jobs q a <= M) ->
  total dec machines sorted o m <= M.
Proof.
  intros N E HM Hq. unfold total. rewrite (sum_map_eq _ _ machines E).
  exact (total_le dec machines jobs prio machines_all machines_nodup prio_nodup prio_all N q M m HM Hq).
Qed.

Definition check_cover_organizations (en ed : Z) (within : option (Z * Z)) : cover -> bool :=
  check_cover dec machines shape ranking en ed within.
Theorem cover_at_home en ed within c : check_cover_organizations en ed within c = true ->
  forall jobs, (forall a x, In x (jobs a) -> 0 <= x) -> (forall a, (length (jobs a) <= shape a)%nat) ->
  exists hosts p, In hosts (places c) /\ as_claimed (cost jobs) en ed within p /\
    forall a, (forall n, placed_by dec machines shape hosts a n = a) -> forall l,
      l <> a -> placed dec l (jobs a) (p a) = [].
Proof.
  intros Hc jobs N K. set (full := new shape jobs 0).
  assert (N1 := new_nonneg shape jobs N 0 ltac:(lra) : forall b, nonneg (full b)).
  destruct (sorted_shape full N1 (fun a => padded_length 0 (shape a) (jobs a))) as (sorted & HP & S).
  destruct (check_cover_sorted dec machines shape ranking en ed within machines_nodup machines_all ranking_ok c Hc
    sorted S)
    as (hosts & Hin & E & V).
  assert (Same : forall q a, ranked_cost dec machines ranking sorted q a = Game.cost dec machines sorted prio q a)
    by (intros q a; apply organizations_ranked; intros b; apply S).
  set (p' := placed_by dec machines shape hosts) in *.
  destruct (order_costs dec machines machines_all prio prio_nodup prio_all full sorted p' N1 HP) as (p & C1 & R).
  assert (C2 := fewer_costs dec machines machines_all prio prio_nodup prio_all jobs shape p N K). fold full in C2.
  assert (Hed : 0 < inj ed /\ inj ed <= inj en).
  { unfold check_cover_organizations, check_cover, at_least_one in Hc. simpl in Hc.
    destruct (0 <? ed)%Z eqn:E1; [|discriminate]. tested Hc. apply Z.ltb_lt in E1. apply Z.leb_le in T.
    split; [exact (inj_pos ed E1)|exact (inj_le _ _ T)]. }
  exists hosts, p. split; [exact Hin|]. split; [split|].
  - intros a d. destruct (C2 a) as [A2 B2]. destruct (B2 d) as (d2 & B2'). destruct (C1 a) as [A1 B1].
    destruct (B1 d2) as (d1 & B1'). specialize (E a d1). rewrite !Same in E.
    generalize (mul_le (inj ed) _ _ ltac:(lra) A2) (mul_le (inj ed) _ _ ltac:(lra) A1)
      (mul_le (inj en) _ _ ltac:(lra) B2') (mul_le (inj en) _ _ ltac:(lra) B1'). lra.
  - intros n d W q M HM Hq a. destruct (V n d W) as [Hd V'].
    destruct (reordered_profile dec machines sorted machines_all full (fun b => Permutation_sym (HP b)) q) as (o & Ho).
    assert (Tot : forall l, total dec machines sorted o l <= M).
    { intros l. apply (total_at_most jobs sorted q o); auto. intros b.
      generalize (sum_perm _ _ (Ho b l)) (new_ld dec shape jobs N K 0 ltac:(lra) b l (q b)). fold full.
      unfold load, ld. lra. }
    specialize (V' o M HM Tot a). rewrite Same in V'. assert (Id := inj_pos d Hd).
    generalize (mul_le (inj d) _ _ ltac:(lra) (proj1 (C2 a))) (mul_le (inj d) _ _ ltac:(lra) (proj1 (C1 a))). lra.
  - intros a Home l n. assert (G := R a l).
    assert (Z : placed dec l (sorted a) (p' a) = []).
    { rewrite (placed_ext dec l (sorted a) (p' a) (home a)) by (intros t _; apply Home).
      rewrite placed_home. destruct (dec a l); congruence. }
    rewrite Z in G. apply Permutation_sym, Permutation_nil in G.
    destruct (list_eq_nil (placed dec l (jobs a) (p a))) as [E0|E0]; [exact E0|].
    destruct (padded_used dec l 0 (shape a) _ _ (K a) E0 G).
Qed.
Theorem cover_to_organizations en ed within c : check_cover_organizations en ed within c = true ->
  forall jobs, (forall a x, In x (jobs a) -> 0 <= x) -> (forall a, (length (jobs a) <= shape a)%nat) ->
  exists p, as_claimed (cost jobs) en ed within p.
Proof. intros H jobs N K. destruct (cover_at_home en ed within c H jobs N K) as (_ & p & _ & C & _). eauto. Qed.

(* p an equilibrium, q any other placement, costing nobody more than M *)
Definition check_price_organizations (vn vd : Z) : list node -> bool := check_price dec machines shape ranking vn vd.
Theorem price_to_organizations vn vd ns : check_price_organizations vn vd ns = true ->
  forall jobs, (forall a x, In x (jobs a) -> 0 <= x) -> (forall a, length (jobs a) = shape a) ->
  forall p q M, equilibrium dec machines jobs prio p -> 0 <= M -> (forall a, cost jobs q a <= M) ->
  forall a, inj vd * cost jobs p a <= inj vn * M.
Proof.
  intros Hc jobs N Hk p q M He HM Hq a. destruct (sorted_shape jobs N Hk) as (sorted & HP & S).
  assert (HP' := fun b => Permutation_sym (HP b)).
  assert (NS := jobs_never_negative shape sorted S).
  assert (Same : forall q a, ranked_cost dec machines ranking sorted q a = Game.cost dec machines sorted prio q a)
    by (intros q0 b; apply organizations_ranked; intros c; apply S).
  destruct (order_costs dec machines machines_all prio prio_nodup prio_all sorted jobs p NS HP') as (p' & C & R).
  destruct (reordered_profile dec machines sorted machines_all jobs HP' q) as (o & Ro).
  assert (Cp := reordered_cost dec machines sorted prio machines_all prio_nodup prio_all NS jobs HP' p' p a R).
  assert (B : inj vd * ranked_cost dec machines ranking sorted p' a <= inj vn * M).
  { apply (check_price_sorted dec machines shape ranking vn vd machines_nodup machines_all ranking_ok ns Hc sorted S p'
      o); [|exact HM|intros m; apply (total_at_most jobs sorted q o); auto; intros b; apply sum_perm, Ro].
    intros b d. rewrite !Same. destruct (C b) as [A B]. destruct (B d) as (d' & B'). generalize (He b d'). lra. }
  rewrite Same in B. unfold check_price_organizations, check_price in Hc. tested Hc. apply Z.ltb_lt, inj_pos in T.
  generalize (mul_le (inj vd) (cost jobs p a) (cost sorted p' a) ltac:(lra) ltac:(lra)). lra.
Qed.
End Organizations.

(* ================= PRIORITY TO JOBS ================= *)
Section Jobs.
Variable ranking : list (O * nat).
Notation cost jobs := (cost_jobs dec machines jobs ranking).
Definition is_ranking : bool := same_jobs dec ranking (all_jobs machines shape).

Definition check_cover_jobs (en ed : Z) (within : option (Z * Z)) (c : cover) : bool :=
  if is_ranking then check_cover dec machines shape (fun _ => ranking) en ed within c else false.
Theorem cover_to_jobs en ed within c : check_cover_jobs en ed within c = true ->
  forall jobs, sorted_of_shape shape jobs -> exists p, as_claimed (cost jobs) en ed within p.
Proof.
  unfold check_cover_jobs. destruct is_ranking eqn:R; [|discriminate]. intros Hc jobs S.
  assert (ok := fun _ : O => same_jobs_perm dec _ _ R).
  destruct (check_cover_sorted dec machines shape _ en ed within machines_nodup machines_all ok c Hc jobs S)
    as (hosts & _ & E & V).
  exists (placed_by dec machines shape hosts). split; [exact E|]. intros n d W q M HM Hq.
  apply (proj2 (V n d W) q M HM). exact (ranked_total dec machines shape _ machines_nodup machines_all ok jobs S q M HM
    Hq).
Qed.
Definition check_price_jobs (vn vd : Z) (ns : list node) : bool :=
  if is_ranking then check_price dec machines shape (fun _ => ranking) vn vd ns else false.
Theorem price_to_jobs vn vd ns : check_price_jobs vn vd ns = true -> forall jobs, sorted_of_shape shape jobs ->
  forall p q M, equilibrium_jobs dec machines jobs ranking p -> 0 <= M -> (forall a, cost jobs q a <= M) ->
  forall a, inj vd * cost jobs p a <= inj vn * M.
Proof.
  unfold check_price_jobs. destruct is_ranking eqn:R; [|discriminate]. intros Hc jobs S p q M He HM Hq.
  assert (ok := fun _ : O => same_jobs_perm dec _ _ R).
  exact (check_price_sorted dec machines shape _ vn vd machines_nodup machines_all ok ns Hc jobs S p q M He HM
    (ranked_total dec machines shape _ machines_nodup machines_all ok jobs S q M HM Hq)).
Qed.
End Jobs.
End Shapes.

(* ================= FOUR ORGANIZATIONS BY NAME ================= *)
Inductive org4 : Set := O1 | O2 | O3 | O4.
Definition dec4 (a b : org4) : {a = b} + {a <> b}.
Proof. decide equality. Defined.
Definition all4 := [O1; O2; O3; O4].
Definition shape4 (k1 k2 k3 k4 : nat) (a : org4) : nat := match a with O1 => k1 | O2 => k2 | O3 => k3 | O4 => k4 end.

Lemma nodup4 : NoDup all4.
Proof. repeat constructor; simpl; intuition discriminate. Qed.
Lemma in4 a : In a all4.
Proof. destruct a; simpl; auto. Qed.

(* Every game of at most so many jobs has an equilibrium in which organizations of at most one job in the shape are at
   home. *)
Definition solvable4h (shape : org4 -> nat) : Prop :=
  forall jobs : org4 -> list num,
    (forall a x, In x (jobs a) -> 0 <= x) -> (forall a, (length (jobs a) <= shape a)%nat) ->
    exists p : org4 -> nat -> org4, equilibrium dec4 all4 jobs (fun _ => all4) p /\
      forall a l, (shape a <= 1)%nat -> l <> a -> placed dec4 l (jobs a) (p a) = [].

(* A cover whose placements have them at home. *)
Definition accepts4h (shape : org4 -> nat) (ts : list text) : bool :=
  let c := cover_of all4 O1 ts in
  if all (fun hosts => all (fun a => if (shape a <=? 1)%nat
      then all (fun h => if dec4 h a then true else false) (cut dec4 shape all4 hosts a) else true) all4) (places c)
  then check_cover_organizations dec4 all4 shape (fun _ => all4) 1 1 None c else false.
Theorem certificate4h_sound shape ts : accepts4h shape ts = true -> solvable4h shape.
Proof.
  unfold accepts4h. intros H jobs N K. tested H.
  destruct (cover_at_home dec4 all4 nodup4 in4 shape (fun _ => all4) (fun _ => nodup4) (fun _ => in4) 1 1 None _ H jobs
    N K)
    as (hosts & p & Hin & C & Home).
  exists p. split; [exact (equilibrium_of dec4 _ _ p C)|]. intros a l Ha n. apply Home; [|exact n]. intros t.
  assert (G := all_true _ _ (all_true _ _ T hosts Hin) a (in4 a)). cbv beta in G. apply Nat.leb_le in Ha.
    rewrite Ha in G.
  unfold placed_by, prof. destruct (nth_in_or_default t (cut dec4 shape all4 hosts a) a) as [I|E]; [|exact E].
  assert (G' := all_true _ _ G _ I). cbv beta in G'. destruct (dec4 _ a); congruence.
Qed.
