(* Postponement without a wait.

   1. One machine, no payments at all: if n's planned end does not fall when she declares longer, the truth is
      dominant (unpaid_dominant). The truth brings at most her length plus the work of those before her. An
      understater waits for the work of all others, whatever they are; an overstater for the planned end of her lie.
   2. Full price S (VCG), and with it Shapley shares, where the allocation attains the least sum of ends: the truth
      is best to truthful others on any machines (vcg_ex_post, shapley_ex_post), and dominant on one machine where
      the shortest are first (vcg_dominant_one_machine, shapley_dominant_one_machine). Moving n to the end of her
      CPU shows that S rises by at most the rest of the CPU's plan and the missing work (move_to_end), just what an
      understater waits for. On one machine the gaps that overstaters leave before n change nothing: who is before
      her in the lie is before her under the truth too, where she gains from them as much. *)
From Coq Require Import List Lia Permutation.
Require Import Numbers Game Run Comparison LeastSum ShapleyShare.
Import ListNotations.

Section Lists.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Notation before := (before dec).
Notation after := (after dec).

Lemma split_at n L : In n L -> L = before n L ++ n :: after n L.
Proof.
  induction L as [|k L IH]; simpl; [tauto|]. intros H. destruct (dec k n) as [e|ne]; [subst; reflexivity|].
  simpl. rewrite <- IH; [reflexivity|]. destruct H; [congruence|assumption].
Qed.

Lemma ends_before w x n L : 0 < w -> In n L -> forall t,
  ends_from dec w x t L n == t + sum (map x (before n L)) / w + x n / w.
Proof.
  intros Hw. induction L as [|k L IH]; simpl; [tauto|]. intros H t. destruct (dec k n) as [e|ne].
  - subst k. simpl. generalize (div_zero w). lra.
  - destruct H as [e|H]; [congruence|]. simpl. generalize (IH H (t + x k / w))
        (div_plus w (x k) (sum (map x (before n L))) Hw).
    lra.
Qed.

Lemma ends_all w x n L : 0 < w -> In n L ->
  ends_from dec w x 0 L n + sum (map x (after n L)) / w == sum (map x L) / w.
Proof.
  intros Hw H. assert (E := split_at n L H). assert (B := ends_before w x n L Hw H 0).
  assert (S1 := sum_app (map x (before n L)) (map x (n :: after n L))). rewrite <- map_app, <- E in S1. simpl in S1.
  assert (D1 := div_plus w (sum (map x (before n L))) (x n + sum (map x (after n L))) Hw).
  assert (D2 := div_plus w (x n) (sum (map x (after n L))) Hw).
  assert (D : sum (map x L) / w == (sum (map x (before n L)) + (x n + sum (map x (after n L)))) / w).
  { setoid_rewrite S1. lra. }
  lra.
Qed.

Lemma ascending_split (b : O -> num) (n : O) L2 L1 : forall x, ascending b x (L1 ++ n :: L2) ->
  (forall k, In k L1 -> b k <= b n) /\ (forall k, In k L2 -> b n <= b k).
Proof.
  induction L1 as [|j L1 IH]; simpl; intros x [H1 H2].
  - split; [tauto|]. apply ascending_in, H2.
  - destruct (IH _ H2) as [I1 I2]. split; [|exact I2]. intros k [e|Hk]; [|auto]. subst j.
    apply (ascending_in b (b k) _ H2). apply in_or_app. simpl. auto.
Qed.

(* the list of n's CPU when her job is moved to its end: the others' jobs end no later *)
Lemma moved_others w b b' n k : 0 < w -> 0 <= b n -> (forall j, j <> n -> b' j = b j) -> k <> n -> forall L, In k L ->
  forall t u, t <= u -> ends_from dec w b' t (remove dec n L ++ [n]) k <= ends_from dec w b u L k.
Proof.
  intros Hw Hb Ho Hk. induction L as [|j L IH]; simpl; [tauto|]. intros Hin t u Htu. destruct (dec n j) as [e|ne].
  - subst j. destruct (dec n k); [congruence|]. destruct Hin as [e|Hin]; [congruence|].
    apply IH; [exact Hin|]. generalize (div_nonneg w (b n) Hw Hb). lra.
  - simpl. rewrite (Ho j) by congruence. destruct (dec j k); [lra|]. destruct Hin as [e|Hin]; [congruence|].
    apply IH; [exact Hin|lra].
Qed.

Lemma ends_last w x n M : 0 < w -> ~ In n M -> forall t,
  ends_from dec w x t (M ++ [n]) n == t + sum (map x (M ++ [n])) / w.
Proof.
  intros Hw. induction M as [|k M IH]; simpl; intros H t.
  - destruct (dec n n); [|congruence]. generalize (div_plus w (x n) 0 Hw) (div_zero w). lra.
  - destruct (dec k n); [tauto|]. generalize (IH ltac:(tauto) (t + x k / w))
        (div_plus w (x k) (sum (map x (M ++ [n]))) Hw).
    lra.
Qed.

Lemma before_parts n L : In n L -> NoDup L -> NoDup (before n L) /\ ~ In n (before n L) /\ incl (before n L) L.
Proof.
  intros H Hd. assert (E := split_at n L H). rewrite E in Hd. destruct (nodup_app _ _ Hd) as (D1 & _ & D3).
  split; [exact D1|]. split; [intros Hi; apply (D3 n Hi); left; reflexivity|].
  intros k Hk. rewrite E. apply in_or_app. auto.
Qed.

Lemma remove_perm n L : NoDup L -> In n L -> Permutation (remove dec n L ++ [n]) L.
Proof.
  intros Hd Hn. rewrite <- Permutation_cons_append. induction Hd as [|k L Hk HL IH]; simpl in *; [tauto|].
  destruct (dec n k) as [e|ne].
  - subst k. rewrite notin_remove by exact Hk. reflexivity.
  - rewrite perm_swap. constructor. apply IH. destruct Hn; [congruence|assumption].
Qed.

Lemma flat_map_perm {X : Type} (f g : X -> list O) l : (forall x, In x l -> Permutation (f x) (g x)) ->
  Permutation (flat_map f l) (flat_map g l).
Proof. induction l as [|x l IH]; simpl; intros H; [constructor|]. apply Permutation_app; auto. Qed.

Lemma same_cpu {X : Type} (sg : X -> list O) n m x l : NoDup (flat_map sg l) -> In m l -> In x l ->
  In n (sg m) -> In n (sg x) -> m = x.
Proof.
  induction l as [|y l IH]; simpl; [tauto|]. intros Hd Hm Hx Hnm Hnx. destruct (nodup_app _ _ Hd) as (_ & D2 & D3).
  destruct Hm as [e|Hm], Hx as [e'|Hx]; [congruence| | |auto].
  - subst y. exfalso. apply (D3 n Hnm). apply in_flat_map. eauto.
  - subst y. exfalso. apply (D3 n Hnx). apply in_flat_map. eauto.
Qed.

Lemma sum_one_bound (f g : O -> num) n L : NoDup L -> In n L -> (forall k, In k L -> k <> n -> g k <= f k) ->
  sum (map g L) <= sum (map f L) + (g n - f n).
Proof.
  induction 1 as [|k L Hk HL IH]; simpl; [tauto|]. intros Hn H. destruct (dec k n) as [e|ne].
  - subst k. assert (sum (map g L) <= sum (map f L)); [|lra].
    apply sum_map_le. intros j Hj. apply H; [auto|]. intros e. subst. tauto.
  - destruct Hn as [e|Hn]; [tauto|]. generalize (IH Hn (fun j Hj => H j (or_intror Hj))) (H k (or_introl eq_refl) ne).
    lra.
Qed.
End Lists.

Section NoWait.
Context {O CPU : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variable agents : list O.
Variable cpus : list CPU.
Variable c : CPU -> num.
Variable A : (O -> num) -> CPU -> list O.
Variable wait : (O -> num) -> O -> num.          (* any; it may be zero *)
Hypothesis agents_nodup : NoDup agents.
Hypothesis c_pos : forall m, 0 < c m.
Hypothesis A_valid : forall b, valid agents cpus (A b).
Notation planned := (planned dec cpus c).
Notation output := (output dec cpus c).
Notation after := (after dec).

(* ---------- 1. one machine, nothing paid ---------- *)
Section Understating.
Variables (n : O) (m : CPU) (b theta : O -> num).
Hypothesis Hn : In n agents.
Hypothesis Hm : In m cpus.
Hypothesis all_on_m : forall b k, In k agents -> In k (A b m).
Hypothesis b_nonneg : forall k, 0 <= b k.
Hypothesis theta_nonneg : forall k, 0 <= theta k.
Hypothesis Hlt : b n < theta n.
Notation b' := (update dec b n (theta n)).

Lemma worked_nonneg f k : (forall k, 0 <= f k) -> 0 <= worked f theta k.
Proof. intros Hf. unfold worked. destruct lt_le; [apply theta_nonneg|apply Hf]. Qed.

Lemma worked_truth k : k <> n -> worked b' theta k = worked b theta k.
Proof. intros Hk. unfold worked. rewrite update_other by exact Hk. reflexivity. Qed.

Lemma worked_own : worked b theta n = b n /\ worked b' theta n = theta n.
Proof. unfold worked. rewrite update_same. destruct lt_le; [exfalso; lra|]. destruct lt_le; auto. Qed.

Lemma list_perm f : Permutation (A f m) agents.
Proof.
  apply NoDup_Permutation; [apply (list_nodup agents cpus agents_nodup (A f) (A_valid f) m Hm)|exact agents_nodup|].
  intros k. split; [|apply all_on_m]. intros Hk. apply (scheduled agents cpus (A f) (A_valid f) k m Hm Hk).
Qed.

Lemma understater_last : output (A b') b' theta (wait b') n <= output (A b) b theta (wait b) n.
Proof.
  assert (Cm := c_pos m). assert (b'_nonneg : forall k, 0 <= b' k) by (apply update_nonneg; auto).
  assert (T := output_truthful dec agents cpus c agents_nodup _ (A_valid b') n m Hm (all_on_m b' n Hn) b' theta
      (wait b')
                 ltac:(rewrite update_same; lra)).
  destruct (output_understated dec agents cpus c agents_nodup _ (A_valid b) n m Hm (all_on_m b n Hn) b theta (wait b)
      Hlt)
    as [_ U].
  assert (E := ends_all dec (c m) (worked b theta) n (A b m) Cm (all_on_m b n Hn)).
  assert (E' := ends_all dec (c m) (worked b' theta) n (A b' m) Cm (all_on_m b' n Hn)).
  assert (P := sum_permuted (worked b theta) _ _ (list_perm b)).
  assert (P' := sum_permuted (worked b' theta) _ _ (list_perm b')).
  assert (D := sum_one_change dec (worked b theta) (worked b' theta) n agents agents_nodup Hn
                 (fun k Hk => ltac:(rewrite (worked_truth k Hk); lra))).
  destruct worked_own as [W W']. rewrite W, W' in D.
  assert (Le := sum_map_le (worked b theta) b (after n (A b m)) (fun k _ => worked_le b theta k)).
  assert (Le' := sum_nonneg_in (worked b' theta) (after n (A b' m)) (fun k _ => worked_nonneg b' k b'_nonneg)).
  assert (Q1 := div_le (c m) _ _ Cm Le). assert (Q2 := div_nonneg (c m) _ Cm Le').
  assert (Le3 : sum (map (worked b' theta) (A b' m)) <= sum (map (worked b theta) (A b m)) + (theta n - b n)) by lra.
  assert (Q3 := div_le (c m) _ _ Cm Le3).
  assert (Q4 := div_plus (c m) (sum (map (worked b theta) (A b m))) (theta n - b n) Cm). lra.
Qed.
End Understating.

Theorem unpaid_dominant m : In m cpus -> (forall b k, In k agents -> In k (A b m)) ->
  (forall n b b', In n agents -> (forall k, 0 <= b k) -> longer n b b' -> planned (A b) b n <= planned (A b') b' n) ->
  truth_dominant dec agents cpus c A wait (fun _ _ => 0).
Proof.
  intros Hm Hall Mono n b theta Hn Hb Hth Hlie. unfold loss. destruct (not_equal_cases _ _ Hlie) as [Hlt|Hgt].
  - set (b' := update dec b n (theta n)). assert (E : b' n == theta n) by (unfold b'; rewrite update_same; lra).
    assert (T := output_not_late dec agents cpus c agents_nodup _ (A_valid b') n m Hm (Hall b' n Hn) b' theta (wait b')
                   (c_pos m) E).
    assert (U := output_overstated dec agents cpus c agents_nodup _ (A_valid b) n m Hm (Hall b n Hn) b theta (wait b)
        Hlt).
    assert (M := Mono n b' b Hn (update_nonneg dec b n (theta n) Hb (Hth n)) (truth_shorter dec n b theta Hlt)).
    unfold b' in *. lra.
  - generalize (understater_last n m b theta Hn Hm Hall Hb Hth Hgt). lra.
Qed.
End NoWait.

(* ---------- 2. moving a job to the end of its CPU ---------- *)
Section Moving.
Context {O CPU : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variable agents : list O.
Variable cpus : list CPU.
Variable c : CPU -> num.
Hypothesis agents_nodup : NoDup agents.
Hypothesis c_pos : forall m, 0 < c m.
Notation planned := (planned dec cpus c).
Notation total_ends := (total_ends dec agents cpus c).
Notation after := (after dec).
Variable dec_cpu : forall a b : CPU, {a = b} + {a <> b}.
Definition moved (sg : CPU -> list O) (n : O) (m : CPU) : CPU -> list O :=
  fun x => if dec_cpu x m then remove dec n (sg x) ++ [n] else sg x.

Section Move.
Variables (sg : CPU -> list O) (n : O) (m : CPU) (b b' : O -> num).
Hypothesis sg_valid : valid agents cpus sg.
Hypothesis Hm : In m cpus.
Hypothesis Hi : In n (sg m).
Hypothesis b_nonneg : forall k, 0 <= b k.
Hypothesis b'_longer : longer n b b'.
Notation sg' := (moved sg n m).

Lemma moved_own : sg' m = remove dec n (sg m) ++ [n].
Proof. unfold moved. destruct (dec_cpu m m); congruence. Qed.

Lemma moved_elsewhere x : x <> m -> sg' x = sg x.
Proof. intros H. unfold moved. destruct (dec_cpu x m); congruence. Qed.

Lemma moved_valid : valid agents cpus sg'.
Proof.
  unfold valid. rewrite <- sg_valid. apply flat_map_perm. intros x Hx. destruct (dec_cpu x m) as [e|ne].
  - subst x. rewrite moved_own. apply remove_perm; [|exact Hi].
    apply (list_nodup agents cpus agents_nodup sg sg_valid m Hm).
  - rewrite moved_elsewhere by exact ne. reflexivity.
Qed.

Lemma moved_not_later k : In k agents -> k <> n -> planned sg' b' k <= planned sg b k.
Proof.
  intros Hk Hne. destruct b'_longer as [Ho Hl]. destruct (some_cpu agents cpus sg sg_valid k Hk) as (x & Hx & Hkx).
  assert (P := planned_own dec agents cpus c agents_nodup sg sg_valid k x Hx Hkx b). destruct (dec_cpu x m) as [e|ne].
  - subst x. assert (Hk' : In k (sg' m)).
    { rewrite moved_own. apply in_or_app. left. apply in_in_remove; assumption. }
    assert (P' := planned_own dec agents cpus c agents_nodup sg' moved_valid k m Hm Hk' b'). rewrite moved_own in P'.
    generalize (moved_others dec (c m) b b' n k (c_pos m) (b_nonneg n) Ho Hne (sg m) Hkx 0 0). lra.
  - assert (Hk' : In k (sg' x)) by (rewrite moved_elsewhere; assumption).
    assert (P' := planned_own dec agents cpus c agents_nodup sg' moved_valid k x Hx Hk' b').
    rewrite moved_elsewhere in P' by exact ne.
    assert (Out : forall j, In j (sg x) -> b' j <= b j).
    { intros j Hj. rewrite Ho; [lra|]. intros e. subst j. apply ne. symmetry.
      apply (same_cpu sg n m x cpus (jobs_nodup agents cpus agents_nodup sg sg_valid) Hm Hx Hi Hj). }
    generalize (ends_from_le dec (c x) b' b (sg x) k (c_pos x) Out 0 0). lra.
Qed.

Lemma moved_last : planned sg' b' n == planned sg b n + sum (map b (after n (sg m))) / c m + (b' n - b n) / c m.
Proof.
  destruct b'_longer as [Ho _]. assert (Cm := c_pos m).
  assert (Hd := list_nodup agents cpus agents_nodup sg sg_valid m Hm).
  assert (Hn' : In n (sg' m)) by (rewrite moved_own; apply in_or_app; simpl; auto).
  assert (P := planned_own dec agents cpus c agents_nodup sg sg_valid n m Hm Hi b).
  assert (P' := planned_own dec agents cpus c agents_nodup sg' moved_valid n m Hm Hn' b'). rewrite moved_own in P'.
  assert (L := ends_last dec (c m) b' n (remove dec n (sg m)) Cm (remove_In dec (sg m) n) 0).
  assert (E := ends_all dec (c m) b n (sg m) Cm Hi).
  assert (S1 := sum_permuted b' _ _ (remove_perm dec n (sg m) Hd Hi)).
  assert (S2 := sum_one_change dec b b' n (sg m) Hd Hi (fun k Hk => ltac:(rewrite (Ho k Hk); lra))).
  assert (D : sum (map b' (remove dec n (sg m) ++ [n])) / c m == (sum (map b (sg m)) + (b' n - b n)) / c m).
  { setoid_rewrite S1. setoid_rewrite S2. lra. }
  generalize (div_plus (c m) (sum (map b (sg m))) (b' n - b n) Cm). lra.
Qed.

Theorem move_to_end :
  total_ends sg' b' <= total_ends sg b + sum (map b (after n (sg m))) / c m + (b' n - b n) / c m.
Proof.
  generalize (sum_one_bound dec (planned sg b) (planned sg' b') n agents agents_nodup
    (scheduled agents cpus sg sg_valid n m Hm Hi) moved_not_later) moved_last. unfold Run.total_ends. lra.
Qed.
End Move.
End Moving.

(* ---------- VCG and Shapley shares ---------- *)
Section VcgAndShapley.
Context {O CPU : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variable dec_cpu : forall a b : CPU, {a = b} + {a <> b}.
Variable agents : list O.
Variable first : CPU.
Variable rest : list CPU.
Notation cpus := (first :: rest).
Variable c : CPU -> num.
Variable A : (O -> num) -> CPU -> list O.
Variable wait : (O -> num) -> O -> num.
Hypothesis agents_nodup : NoDup agents.
Hypothesis cpus_nodup : NoDup cpus.
Hypothesis c_pos : forall m, 0 < c m.
Hypothesis wait_nonneg : forall b n, 0 <= wait b n.
Hypothesis A_valid : forall b, valid agents cpus (A b).
Hypothesis A_least : forall b sg, valid agents cpus sg ->
  total_ends dec agents cpus c (A b) b <= total_ends dec agents cpus c sg b.
Notation S_of := (S_of dec_cpu agents first rest c).
Notation vcg_payment := (vcg_payment dec dec_cpu agents first rest c A).
Notation shapley_payment := (shapley_payment dec dec_cpu agents first rest c A).

Lemma S_attained b : (forall k, 0 <= b k) -> S_of b == total_ends dec agents cpus c (A b) b.
Proof.
  intros Hb. destruct (greedy_attains dec dec_cpu agents first rest c agents_nodup c_pos cpus_nodup b) as [V E].
  generalize (A_least b _ V) (least_sum_lower dec dec_cpu agents first rest c agents_nodup c_pos (A b) (A_valid b) b
      Hb). lra.
Qed.

Lemma S_rises n m b b' : In m cpus -> In n (A b m) -> (forall k, 0 <= b k) -> longer n b b' ->
  0 <= S_of b' - S_of b /\ S_of b' - S_of b <= sum (map b (after dec n (A b m))) / c m + (b' n - b n) / c m.
Proof.
  intros Hm Hi Hb Hl. assert (Hn := scheduled agents cpus (A b) (A_valid b) n m Hm Hi).
  destruct (shapley_increments dec dec_cpu agents first rest c agents_nodup c_pos n b b' Hn Hb Hl).
  assert (Hb' : forall k, 0 <= b' k).
  { destruct Hl as [Ho Hl]. intros k. destruct (dec k n) as [e|ne]; [subst; generalize (Hb n); lra|rewrite Ho; auto]. }
  assert (M := move_to_end dec agents cpus c agents_nodup c_pos dec_cpu (A b) n m b b' (A_valid b) Hm Hi Hb Hl).
  assert (V := moved_valid dec agents cpus agents_nodup dec_cpu (A b) n m (A_valid b) Hm Hi).
  generalize (least_sum_lower dec dec_cpu agents first rest c agents_nodup c_pos _ V b' Hb') (S_attained b Hb).
  split; lra.
Qed.

Theorem vcg_ex_post : truth_best_ex_post dec agents cpus c A wait vcg_payment.
Proof.
  apply increments_ex_post; auto. intros n m b b' Hn Hm Hi Hb Hl. destruct (S_rises n m b b' Hm Hi Hb Hl). split; auto.
Qed.

Theorem shapley_ex_post : truth_best_ex_post dec agents cpus c A wait shapley_payment.
Proof. apply shapley_ex_post_where_vcg; auto. apply vcg_ex_post. Qed.

(* ---------- one machine, shortest first (any order of equal lengths) ---------- *)
Variable m : CPU.
Hypothesis Hm : In m cpus.
Hypothesis all_on_m : forall b k, In k agents -> In k (A b m).
Hypothesis shortest_first : forall b, (forall k, 0 <= b k) -> ascending b 0 (A b m).

Definition gap (b theta : O -> num) (k : O) : num := b k - worked b theta k.

(* the planned end less the end of the work actually done before *)
Lemma ends_gaps b theta n L : In n L -> worked b theta n == b n ->
  ends_from dec (c m) b 0 L n - ends_from dec (c m) (worked b theta) 0 L n == sum (map (gap b theta) (before dec n L))
      / c m.
Proof.
  intros Hi Hw. assert (Cm := c_pos m). assert (E1 := ends_before dec (c m) b n L Cm Hi 0).
  assert (E2 := ends_before dec (c m) (worked b theta) n L Cm Hi 0).
  assert (D : worked b theta n / c m == b n / c m) by (setoid_rewrite Hw; lra).
  assert (G : forall M, sum (map b M) == sum (map (worked b theta) M) + sum (map (gap b theta) M)).
  { induction M as [|k M IH]; simpl; [lra|]. unfold gap at 1. lra. }
  assert (D2 : sum (map b (before dec n L)) / c m ==
               (sum (map (worked b theta) (before dec n L)) + sum (map (gap b theta) (before dec n L))) / c m).
  { setoid_rewrite (G (before dec n L)). lra. }
  generalize (div_plus (c m) (sum (map (worked b theta) (before dec n L))) (sum (map (gap b theta) (before dec n L)))
      Cm).
  lra.
Qed.

Lemma before_longer n b b' : In n agents -> (forall k, 0 <= b k) -> (forall k, 0 <= b' k) -> longer n b b' ->
  incl (before dec n (A b m)) (before dec n (A b' m)).
Proof.
  intros Hn Hb Hb' [Ho Hl] k Hk.
  destruct (before_parts dec n _ (all_on_m b n Hn) (list_nodup agents cpus agents_nodup _ (A_valid b) m Hm)) as
      (_ & Hne & Hin).
  assert (Hkn : k <> n) by (intros e; subst; tauto).
  assert (Hka := all_on_m b' k (scheduled agents cpus (A b) (A_valid b) k m Hm (Hin k Hk))).
  assert (E := split_at dec n _ (all_on_m b n Hn)). assert (E' := split_at dec n _ (all_on_m b' n Hn)).
  assert (Asc := shortest_first b Hb). rewrite E in Asc. destruct (ascending_split b n _ _ 0 Asc) as [B _].
  assert (Asc' := shortest_first b' Hb'). rewrite E' in Asc'. destruct (ascending_split b' n _ _ 0 Asc') as [_ B'].
  rewrite E' in Hka. apply in_app_or in Hka. destruct Hka as [H|[H|H]]; [exact H|congruence|].
  exfalso. generalize (B k Hk) (B' k H). rewrite (Ho k Hkn). lra.
Qed.

Theorem vcg_dominant_one_machine : truth_dominant dec agents cpus c A wait vcg_payment.
Proof.
  intros n b theta Hn Hb Hth Hlie. set (b' := update dec b n (theta n)).
  assert (Hb' : forall k, 0 <= b' k) by (apply update_nonneg; auto).
  assert (E' : b' n = theta n) by apply update_same. assert (Hi := all_on_m b n Hn). assert (Hi' := all_on_m b' n Hn).
  destruct (not_equal_cases _ _ Hlie) as [Hlt|Hgt].
  - apply (overstating_never_pays dec agents cpus c A wait agents_nodup c_pos A_valid); auto.
    destruct (S_rises n m b' b Hm Hi' Hb' (truth_shorter dec n b theta Hlt)). fold b'. lra.
  - assert (Hl := truth_longer dec n b theta Hgt). fold b' in Hl. destruct (S_rises n m b b' Hm Hi Hb Hl) as [_ R].
    assert (P := planned_own dec agents cpus c agents_nodup _ (A_valid b) n m Hm Hi b).
    assert (P' := planned_own dec agents cpus c agents_nodup _ (A_valid b') n m Hm Hi' b').
    destruct (output_understated dec agents cpus c agents_nodup _ (A_valid b) n m Hm Hi b theta (wait b) Hgt) as [_ U].
    assert (T := output_truthful dec agents cpus c agents_nodup _ (A_valid b') n m Hm Hi' b' theta (wait b')
                   ltac:(rewrite E'; lra)).
    assert (W : worked b theta n == b n) by (unfold worked; destruct lt_le; lra).
    assert (W' : worked b' theta n == b' n) by (unfold worked; rewrite E'; destruct lt_le; lra).
    assert (G := ends_gaps b theta n _ Hi W). assert (G' := ends_gaps b' theta n _ Hi' W').
    assert (Hd := list_nodup agents cpus agents_nodup _ (A_valid b) m Hm).
    assert (Hd' := list_nodup agents cpus agents_nodup _ (A_valid b') m Hm).
    destruct (before_parts dec n _ Hi Hd) as (B1 & _ & _). destruct (before_parts dec n _ Hi' Hd') as (_ & B2 & _).
    assert (I := sum_incl (gap b theta) _ _ (fun k => ltac:(unfold gap; generalize (worked_le b theta k); lra)) B1
                   (before_longer n b b' Hn Hb Hb' Hl)).
    assert (Same : map (gap b theta) (before dec n (A b' m)) = map (gap b' theta) (before dec n (A b' m))).
    { apply map_ext_in. intros k Hk. assert (k <> n) by (intros e; subst; tauto). unfold gap, worked, b'.
      rewrite update_other by assumption. reflexivity. }
    rewrite Same in I. assert (Q := div_le (c m) _ _ (c_pos m) I). rewrite E' in R.
    unfold loss, ShapleyShare.vcg_payment, payment_of. fold b'. lra.
Qed.

Theorem shapley_dominant_one_machine : truth_dominant dec agents cpus c A wait shapley_payment.
Proof. apply shapley_dominant_where_vcg; auto. apply vcg_dominant_one_machine. Qed.
End VcgAndShapley.
