(* Games in which a machine runs its owner's jobs first and the foreign jobs in ANY order, without idle time.

   The order of the foreign jobs may even depend on the profile. Priority to organizations (Game.v) and priority to
   jobs (PriorityToJobs.v) are two cases. Four properties of such a cost function, the record owner_first, are all
   that the proofs about the sharp price need:
   - costs are not negative;
   - nobody pays more than behind all work of the others (at home: behind nothing);
   - an organization pays at least the owner's load and its own on every machine that it uses;
   - no machine is loaded beyond the largest cost.
   They hold because the last job of an organization in a queue ends no later than the queue and no earlier than all
   jobs of that organization in it take. *)
From Coq Require Import List Lia Permutation.
Require Import Numbers Game Loads.
Import ListNotations.

Section OwnerFirst.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variables (machines : list O) (jobs : O -> list num).
Hypotheses (machines_all : forall l, In l machines) (machines_nodup : NoDup machines).
Hypothesis jobs_nonneg : forall a, nonneg (jobs a).

Notation deviate := (deviate dec).
Notation load := (load dec jobs).
Notation ld := (ld dec).
Notation work := (work jobs).
Notation placed := (placed dec).
Notation total := (total dec machines jobs).
Notation others := (others dec machines jobs).
Notation ends := (ends dec).

Record owner_first (C : profile (O:=O) -> O -> num) : Prop := {
  C_nonneg : forall p a, 0 <= C p a;
  C_upper : forall p a c, 0 <= c ->
    (forall l, placed l (jobs a) (p a) <> [] -> others p a l + load p a l <= c) -> C p a <= c;
  C_lower : forall p a l, placed l (jobs a) (p a) <> [] ->
    (if dec a l then 0 else load p l l) + load p a l <= C p a;
  C_total : forall p T l, 0 <= T -> (forall a, C p a <= T) -> total p l <= T }.

(* ---- consequences ---- *)
Section Consequences.
Variable C : profile (O:=O) -> O -> num.
Hypothesis HC : owner_first C.

Lemma C_reply p a d c : 0 <= c ->
  (forall l, placed l (jobs a) d <> [] -> others p a l + ld l (jobs a) d <= c) -> C (deviate p a d) a <= c.
Proof.
  intros Hc H. apply (C_upper C HC); [exact Hc|]. intros l Hl. unfold Game.load. rewrite deviate_same in *.
  rewrite others_dev. exact (H l Hl).
Qed.
Lemma C_reply_ge p a d l : 0 < ld l (jobs a) d ->
  (if dec a l then 0 else load p l l) + ld l (jobs a) d <= C (deviate p a d) a.
Proof.
  intros H. assert (G := C_lower C HC (deviate p a d) a l).
  unfold Game.load at 2 in G. rewrite deviate_same in G. specialize (G (load_pos_used _ _ _ _ H)).
  destruct (dec a l) as [e|n]; [exact G|].
  assert (E : load (deviate p a d) l l = load p l l); [|rewrite <- E; exact G].
  unfold Game.load, Game.deviate. destruct (dec l a); [congruence|reflexivity].
Qed.
Lemma C_le_total q a T : 0 <= T -> (forall l, total q l <= T) -> C q a <= T.
Proof.
  intros HT H. apply (C_upper C HC); [exact HT|]. intros l _. specialize (H l).
  destruct (dec a l) as [e|n].
  - unfold Loads.others. destruct (dec a l); [|congruence].
    generalize (load_le_total dec machines jobs machines_all jobs_nonneg q a l). lra.
  - generalize (total_others dec machines jobs machines_all machines_nodup q a l n). lra.
Qed.

(* at home: the cost is the work at most, and everybody is content whom no owner lets start before its work *)
Lemma C_home p a : p a = home a -> C p a <= work a.
Proof.
  intros H. apply (C_upper C HC); [apply work_nonneg; exact jobs_nonneg|]. intros l Hl.
  rewrite H, placed_home in Hl. generalize (load_home dec jobs p a l H). unfold Loads.others.
  destruct (dec a l); [lra|congruence].
Qed.
Lemma C_home_content p a d : p a = home a -> (forall l, l <> a -> work a <= load p l l) ->
  C p a <= C (deviate p a d) a.
Proof.
  intros Hh Hr. assert (Hw := C_home p a Hh).
  destruct (all_home_or_abroad dec a (jobs a) d (jobs_nonneg a)) as [(l & n & Hp)|E].
  - assert (G := C_reply_ge p a d l Hp). destruct (dec a l); [congruence|]. specialize (Hr l n). lra.
  - fold (work a) in E. destruct (lt_le 0 (ld a (jobs a) d)) as [Hp|Hz].
    + assert (G := C_reply_ge p a d a Hp). destruct (dec a a); [|congruence]. lra.
    + generalize (C_nonneg C HC (deviate p a d) a). lra.
Qed.

(* nobody pays less than for each of its jobs; so with one job everybody is content at home *)
Lemma C_job p a x : In x (jobs a) -> x <= C p a.
Proof.
  intros Hx. destruct (in_placed dec x (jobs a) (p a) Hx) as (l & Hl).
  assert (G := C_lower C HC p a l (in_nonempty x _ Hl)).
  assert (I := in_sum_le x _ (placed_nonneg dec jobs jobs_nonneg l a (p a)) Hl).
  generalize (load_nonneg dec jobs jobs_nonneg p l l). unfold Game.load at 2, Game.ld in G. destruct (dec a l); lra.
Qed.
Lemma C_single p a d : (length (jobs a) <= 1)%nat -> (forall l, l <> a -> placed l (jobs a) (p a) = []) ->
  C p a <= C (deviate p a d) a.
Proof.
  intros H1 Hh. assert (J := C_job (deviate p a d) a). apply (C_upper C HC); [apply (C_nonneg C HC)|]. intros l Hl.
  destruct (dec l a) as [e|n]; [subst l|destruct (Hl (Hh l n))].
  unfold Loads.others, Game.load, Game.ld. destruct (dec a a); [|congruence].
  destruct (jobs a) as [|x [|y r]]; simpl in *; [congruence| |lia]. specialize (J x (or_introl eq_refl)).
  destruct (dec (p a 0%nat) a); [simpl; lra|congruence].
Qed.
End Consequences.

(* ---- the queue of a machine: the owner's jobs, then the foreign ones in any order ---- *)
Definition block (p : profile (O:=O)) (b l : O) : list (O * num) := map (pair b) (placed l (jobs b) (p b)).

Section AnyOrder.
Variable foreign : profile (O:=O) -> O -> list (O * num).      (* what machine l runs after its owner's jobs *)
Hypothesis foreign_ok : forall p l,
  Permutation (foreign p l) (flat_map (fun b => block p b l) (remove dec l machines)).

Definition cost_any (p : profile (O:=O)) (a : O) : num :=
  fold_right nmax 0 (flat_map (fun l => ends a 0 (block p l l ++ foreign p l)) machines).

(* the length of a queue, and of a's jobs in it *)
Definition lens (q : list (O * num)) : num := sum (map snd q).
Definition own_lens (a : O) (q : list (O * num)) : num := sum (map (fun y => if dec (fst y) a then snd y else 0) q).

Lemma queue_perm p l : Permutation (block p l l ++ foreign p l) (flat_map (fun b => block p b l) machines).
Proof.
  apply (Permutation_trans (Permutation_app_head _ (foreign_ok p l))), Permutation_sym.
  exact (Permutation_flat_map _ (machines_perm dec machines machines_all machines_nodup l)).
Qed.
Lemma lens_queue p l : lens (block p l l ++ foreign p l) == total p l.
Proof.
  unfold lens. rewrite (sum_perm _ _ (Permutation_map snd (queue_perm p l))), sum_map_flat_map.
  apply sum_map_eq. intros b. unfold block. rewrite map_map. simpl. rewrite map_id. unfold Game.load, Game.ld. lra.
Qed.
Lemma own_foreign (w : num -> num) a p l : a <> l ->
  sum (map (fun y => if dec (fst y) a then w (snd y) else 0) (foreign p l)) == sum (map w (placed l (jobs a) (p a))).
Proof.
  intros n. rewrite (sum_perm _ _ (Permutation_map _ (foreign_ok p l))), sum_map_flat_map.
  rewrite <- (sum_point dec a (sum (map w (placed l (jobs a) (p a)))) (remove dec l machines)).
  - apply sum_map_eq. intros b. unfold block. rewrite map_map. simpl. destruct (dec a b) as [e|m].
    + subst b. destruct (dec a a); [reflexivity|congruence].
    + destruct (dec b a); [congruence|]. apply sum_zero. intros x _. lra.
  - apply remove_nodup. exact machines_nodup.
  - apply in_remove_iff. auto.
Qed.
Lemma queue_in p l y : In y (block p l l ++ foreign p l) ->
  In (snd y) (placed l (jobs (fst y)) (p (fst y))) /\ 0 <= snd y.
Proof.
  intros H. apply (Permutation_in y (queue_perm p l)), in_flat_map in H. destruct H as (b & _ & H).
  apply in_map_iff in H. destruct H as (x & e & Hx). subst y. simpl.
  split; [exact Hx|exact (placed_nonneg dec jobs jobs_nonneg l b (p b) x Hx)].
Qed.
Lemma foreign_in p l y : In y (foreign p l) -> fst y <> l.
Proof.
  intros H. apply (Permutation_in y (foreign_ok p l)) in H. apply in_flat_map in H. destruct H as (b & Hb & Hy).
  apply in_remove_iff in Hb. unfold block in Hy. apply in_map_iff in Hy. destruct Hy as (w & e & _).
  subst y. simpl. tauto.
Qed.
Lemma in_foreign p a l : a <> l -> placed l (jobs a) (p a) <> [] -> In a (map fst (foreign p l)).
Proof.
  intros n Hl. destruct (placed l (jobs a) (p a)) as [|x r] eqn:E; [congruence|].
  apply in_map_iff. exists (a, x). split; [reflexivity|].
  apply (Permutation_in _ (Permutation_sym (foreign_ok p l))). apply in_flat_map. exists a.
  split; [apply in_remove_iff; auto|]. unfold block. rewrite E. left. reflexivity.
Qed.

(* a's last job ends no later than the queue *)
Lemma ends_le a q : (forall y, In y q -> 0 <= snd y) -> forall t x, In x (ends a t q) ->
  x <= t + lens q /\ exists y, In y q /\ fst y = a.
Proof.
  induction q as [|[b z] q IH]; intros Hq t x; simpl; [tauto|].
  assert (Hz : 0 <= z) by (apply (Hq (b, z)); left; reflexivity).
  assert (Hq' : forall y, In y q -> 0 <= snd y) by (intros y Hy; apply Hq; right; exact Hy).
  assert (Hs : 0 <= lens q).
  { unfold lens. apply sum_nonneg. intros w Hw. apply in_map_iff in Hw. destruct Hw as (y & e & Hy). subst w. auto. }
  assert (E : lens ((b, z) :: q) = z + lens q) by reflexivity. rewrite E.
  assert (Later : In x (ends a (t + z) q) ->
    x <= t + (z + lens q) /\ exists y, ((b, z) = y \/ In y q) /\ fst y = a).
  { intros H. destruct (IH Hq' _ _ H) as (G & y & Hy & Hy2). split; [lra|]. exists y. auto. }
  destruct (dec b a) as [e|n]; [|exact Later].
  intros [H|H]; [|exact (Later H)]. subst x. split; [lra|]. exists (b, z). auto.
Qed.

(* ... and no earlier than all of a's jobs in it take *)
Lemma ends_ge a q c : (forall y, In y q -> 0 <= snd y) -> forall t, (forall x, In x (ends a t q) -> x <= c) ->
  In a (map fst q) -> t + own_lens a q <= c.
Proof.
  induction q as [|[b z] q IH]; intros Hq t H; simpl; [tauto|].
  assert (Hz : 0 <= z) by (apply (Hq (b, z)); left; reflexivity).
  assert (Hq' : forall y, In y q -> 0 <= snd y) by (intros y Hy; apply Hq; right; exact Hy).
  unfold own_lens. simpl. fold (own_lens a q). simpl in H.
  destruct (in_dec dec a (map fst q)) as [Hin|Hout].
  - intros _. assert (G : t + z + own_lens a q <= c).
    { apply (IH Hq'); [|exact Hin]. intros x Hx. apply H. destruct (dec b a); [right|]; exact Hx. }
    destruct (dec b a); lra.
  - intros [e|Hin]; [|tauto]. subst b. destruct (dec a a); [|congruence].
    specialize (H (t + z) (or_introl eq_refl)).
    assert (Z : own_lens a q == 0); [|lra]. apply sum_zero. intros y Hy.
    destruct (dec (fst y) a) as [e'|]; [|lra]. exfalso. apply Hout. rewrite <- e'. apply in_map. exact Hy.
Qed.
Lemma ends_last a z q : forall t, exists x, In x (ends a t (q ++ [(a, z)])) /\ x == t + lens (q ++ [(a, z)]).
Proof.
  induction q as [|[b w] q IH]; intros t; simpl.
  - destruct (dec a a); [|congruence]. exists (t + z). split; [left; reflexivity|]. unfold lens. simpl. lra.
  - destruct (IH (t + w)) as (x & Hx & E). exists x.
    assert (E2 : lens ((b, w) :: q ++ [(a, z)]) = w + lens (q ++ [(a, z)])) by reflexivity.
    split; [destruct (dec b a); [right|]; exact Hx|]. rewrite E2. lra.
Qed.
Lemma cost_any_le p a c : cost_any p a <= c <->
  0 <= c /\ forall l x, In x (ends a 0 (block p l l ++ foreign p l)) -> x <= c.
Proof.
  unfold cost_any. rewrite fold_max_le. split; intros [H0 H]; (split; [exact H0|]).
  - intros l x Hx. apply H. apply in_flat_map. exists l. split; [apply machines_all|exact Hx].
  - intros x Hx. apply in_flat_map in Hx. destruct Hx as (l & _ & Hx). exact (H l x Hx).
Qed.

(* on its own machine an organization pays its load *)
Lemma ends_home p a c : (forall x, In x (ends a 0 (block p a a ++ foreign p a)) -> x <= c) <->
  (placed a (jobs a) (p a) <> [] -> load p a a <= c).
Proof.
  unfold block. rewrite ends_block; [|apply placed_nonneg; exact jobs_nonneg|intros y Hy; exact (foreign_in p a y Hy)].
  unfold Game.load, Game.ld. split; intros H G; specialize (H G); lra.
Qed.
Lemma cost_any_upper p a c : 0 <= c ->
  (forall l, placed l (jobs a) (p a) <> [] -> others p a l + load p a l <= c) -> cost_any p a <= c.
Proof.
  intros Hc H. apply cost_any_le. split; [exact Hc|]. intros l. destruct (dec a l) as [e|n].
  - subst l. apply ends_home. intros Hu. specialize (H a Hu). unfold Loads.others in H.
    destruct (dec a a); [|congruence]. lra.
  - intros x Hx. destruct (ends_le a _ (fun y Hy => proj2 (queue_in p l y Hy)) 0 x Hx) as (G & y & Hy & Ey).
    apply queue_in in Hy. rewrite Ey in Hy. destruct Hy as [Hy _].
    specialize (H l ltac:(intros e; rewrite e in Hy; destruct Hy)).
    generalize (lens_queue p l) (total_others dec machines jobs machines_all machines_nodup p a l n). lra.
Qed.
Lemma cost_any_lower p a l : placed l (jobs a) (p a) <> [] ->
  (if dec a l then 0 else load p l l) + load p a l <= cost_any p a.
Proof.
  intros Hl. destruct (proj1 (cost_any_le p a (cost_any p a)) ltac:(lra)) as [_ H]. specialize (H l).
  destruct (dec a l) as [e|n].
  - subst l. apply ends_home in H; [lra|exact Hl].
  - destruct (ends_other dec a l 0 (placed l (jobs l) (p l)) (foreign p l) (not_eq_sym n)) as (t & Ht & E).
    unfold block in H. rewrite E in H.
    assert (G := ends_ge a (foreign p l) _ (fun y Hy => proj2 (queue_in p l y (in_or_app _ _ _ (or_intror Hy)))) t H
                   (in_foreign p a l n Hl)).
    generalize (own_foreign (fun x => x) a p l n). rewrite map_id. unfold own_lens in G. unfold Game.load, Game.ld. lra.
Qed.
Lemma cost_any_total q T l : 0 <= T -> (forall a, cost_any q a <= T) -> total q l <= T.
Proof.
  intros HT H. assert (L := lens_queue q l).
  destruct (block q l l ++ foreign q l) as [|y0 r0] eqn:E; [unfold lens in L; simpl in L; lra|].
  assert (Hne : y0 :: r0 <> []) by discriminate.
  destruct (exists_last Hne) as (q' & [a z] & E2). rewrite E2 in *.
  destruct (ends_last a z q' 0) as (x & Hx & Ex). assert (x <= T); [|lra].
  apply (proj2 (proj1 (cost_any_le q a T) (H a)) l). rewrite E. exact Hx.
Qed.

Theorem any_owner_first : owner_first cost_any.
Proof.
  constructor.
  - intros p a. apply (proj1 (cost_any_le p a (cost_any p a))). lra.
  - exact cost_any_upper.
  - exact cost_any_lower.
  - exact cost_any_total.
Qed.
End AnyOrder.

(* ---- priority to organizations is one such order ---- *)
Variable prio : O -> list O.
Hypotheses (prio_nodup : forall l, NoDup (prio l)) (prio_all : forall l a, In a (prio l)).

Theorem organizations_owner_first : owner_first (cost dec machines jobs prio).
Proof.
  apply (any_owner_first (fun p l => flat_map (fun b => block p b l) (remove dec l (prio l)))).
  intros p l. apply Permutation_flat_map. apply NoDup_Permutation; try (apply remove_nodup; auto).
  intros x. rewrite !in_remove_iff. split; intros [_ H]; auto.
Qed.
End OwnerFirst.
