(* The sum of planned ends, and its least value S(b) = v_1 b_(1) + ... + v_N b_(N).

   In a schedule the job of n counts as often in the sum of ends as there are jobs from it to the end of its CPU, so
   the sum is linear in the lengths with weights f_n / c_m (total_ends_weights). The numbers i / c_m (i >= 1) in
   order are v_1 <= v_2 <= ...; `multiplier j` is v_(j+1), found by counting up the CPU whose next number is least.
   Every valid schedule has at least the sum S(b) (least_sum_lower), and one has exactly it (greedy_attains): the
   jobs, longest first, each in front of the list of the CPU whose next number is least.

   Proof of the bound. Different jobs have different pairs (CPU, jobs from it to the end), so any j of them have
   weights of at least v_1 + ... + v_j in all: one of their pairs is not among the j - 1 least, so costs v_j or
   more; remove it (slots_bound). Applied to the j longest jobs for every j, summation by parts gives S(b). *)
From Coq Require Import List Lia Permutation.
Require Import Numbers Game Run Comparison.
Import ListNotations.

Section Weights.
Context {O CPU : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variable agents : list O.
Variable cpus : list CPU.
Variable c : CPU -> num.
Hypothesis agents_nodup : NoDup agents.
Hypothesis c_pos : forall m, 0 < c m.

(* how many jobs a list has from n to its end; 0 without n *)
Fixpoint remaining (n : O) (L : list O) : nat :=
  match L with
  | [] => 0
  | k :: L' => if dec k n then S (length L') else remaining n L'
  end.

Definition weight (sg : CPU -> list O) (n : O) : num := sum (map (fun m => ofnat (remaining n (sg m)) / c m) cpus).

Lemma remaining_outside n L : ~ In n L -> remaining n L = 0%nat.
Proof. induction L as [|k L IH]; simpl; intros H; [reflexivity|]. destruct (dec k n); tauto. Qed.

Lemma remaining_length n L : (remaining n L <= length L)%nat.
Proof. induction L as [|k L IH]; simpl; [lia|]. destruct (dec k n); lia. Qed.

Lemma remaining_pos n L : In n L -> (1 <= remaining n L)%nat.
Proof. induction L as [|k L IH]; simpl; [tauto|]. destruct (dec k n); [lia|]. intros [e|H]; tauto. Qed.

Lemma remaining_all n L : In n L -> remaining n L = length L -> L = n :: after dec n L.
Proof.
  destruct L as [|k L]; simpl; [tauto|]. destruct (dec k n); [congruence|]. intros _ H.
  generalize (remaining_length n L). lia.
Qed.

(* the ends on one CPU that starts at t *)
Lemma sum_ends_from w b L : 0 < w -> NoDup L -> forall t, sum (map (ends_from dec w b t L) L) ==
  ofnat (length L) * t + sum (map (fun n => ofnat (remaining n L) / w * b n) L).
Proof.
  intros Hw. induction 1 as [|k L Hk HL IH]; intros t; [simpl; lra|].
  assert (E : sum (map (ends_from dec w b t (k :: L)) L) == sum (map (ends_from dec w b (t + b k / w) L) L)).
  { apply sum_map_eq_in. intros n Hn. simpl. destruct (dec k n); [subst; tauto|lra]. }
  assert (F : sum (map (fun n => ofnat (remaining n (k :: L)) / w * b n) L) ==
              sum (map (fun n => ofnat (remaining n L) / w * b n) L)).
  { apply sum_map_eq_in. intros n Hn. simpl. destruct (dec k n); [subst; tauto|lra]. }
  assert (H1 : ends_from dec w b t (k :: L) k = t + b k / w) by (simpl; destruct (dec k k); congruence).
  assert (H2 : remaining k (k :: L) = S (length L)) by (simpl; destruct (dec k k); congruence).
  specialize (IH (t + b k / w)).
  change (ends_from dec w b t (k :: L) k + sum (map (ends_from dec w b t (k :: L)) L) ==
          ofnat (S (length L)) * t + (ofnat (remaining k (k :: L)) / w * b k +
          sum (map (fun n => ofnat (remaining n (k :: L)) / w * b n) L))).
  rewrite H1, H2. change (ofnat (S (length L))) with (ofnat (length L) + 1).
  assert (D : (ofnat (length L) + 1) / w * b k == ofnat (length L) * (b k / w) + b k / w) by (field; lra).
  lra.
Qed.

Section Schedule.
Variable sg : CPU -> list O.
Hypothesis sg_valid : valid agents cpus sg.

Lemma weight_own n m : In m cpus -> In n (sg m) -> weight sg n == ofnat (remaining n (sg m)) / c m.
Proof.
  intros Hm Hn. apply (sum_own_cpu agents cpus agents_nodup sg sg_valid (fun m => ofnat (remaining n (sg m)) / c m) n
      m Hm Hn).
  intros m' H. rewrite remaining_outside by exact H. apply div_zero.
Qed.

Lemma weight_pos n : In n agents -> 0 < weight sg n.
Proof.
  intros Hn. destruct (some_cpu agents cpus sg sg_valid n Hn) as (m & Hm & Hi). generalize (weight_own n m Hm Hi).
  assert (R := ofnat_le _ _ (remaining_pos n (sg m) Hi)). simpl in R.
  assert (E : c m * (ofnat (remaining n (sg m)) / c m) == ofnat (remaining n (sg m))) by
      (field; generalize (c_pos m); lra).
  intros G. destruct (lt_le 0 (weight sg n)) as [?|H]; [assumption|exfalso].
  assert (G2 := mul_le (c m) (ofnat (remaining n (sg m)) / c m) 0 ltac:(generalize (c_pos m); lra) ltac:(lra)). lra.
Qed.

Lemma list_length m : In m cpus -> (length (sg m) <= length agents)%nat.
Proof.
  intros Hm. rewrite <- (Permutation_length sg_valid). destruct (in_split _ _ Hm) as (l1 & l2 & E).
  rewrite E, flat_map_app. simpl. rewrite !app_length. lia.
Qed.

Theorem total_ends_weights b :
  total_ends dec agents cpus c sg b == sum (map (fun n => weight sg n * b n) agents).
Proof.
  unfold total_ends.
  assert (E1 := sum_permuted (planned dec cpus c sg b) _ _ sg_valid).
  assert (E2 := sum_permuted (fun n => weight sg n * b n) _ _ sg_valid).
  assert (F1 := sum_flat_map (planned dec cpus c sg b) sg cpus).
  assert (F2 := sum_flat_map (fun n => weight sg n * b n) sg cpus).
  assert (G : sum (map (fun m => sum (map (planned dec cpus c sg b) (sg m))) cpus) ==
              sum (map (fun m => sum (map (fun n => weight sg n * b n) (sg m))) cpus)); [|lra].
  apply sum_map_eq_in. intros m Hm.
  assert (H := sum_ends_from (c m) b (sg m) (c_pos m) (list_nodup agents cpus agents_nodup sg sg_valid m Hm) 0).
  assert (P : sum (map (planned dec cpus c sg b) (sg m)) == sum (map (ends_from dec (c m) b 0 (sg m)) (sg m))).
  { apply sum_map_eq_in. intros n Hn. apply (planned_own dec agents); assumption. }
  assert (Q : sum (map (fun n => weight sg n * b n) (sg m)) ==
              sum (map (fun n => ofnat (remaining n (sg m)) / c m * b n) (sg m))).
  { apply sum_map_eq_in. intros n Hn. generalize (weight_own n m Hm Hn).
    generalize (weight sg n) (ofnat (remaining n (sg m)) / c m). intros x y Exy. setoid_rewrite Exy. lra. }
  lra.
Qed.

(* the sum of ends where only the length of n changes *)
Lemma total_ends_change n b b' : In n agents -> (forall k, k <> n -> b' k = b k) ->
  total_ends dec agents cpus c sg b' == total_ends dec agents cpus c sg b + weight sg n * (b' n - b n).
Proof.
  intros Hn Ho. assert (E := total_ends_weights b). assert (E' := total_ends_weights b').
  assert (G : sum (map (fun k => weight sg k * b' k) agents) ==
              sum (map (fun k => weight sg k * b k) agents) + (weight sg n * b' n - weight sg n * b n)).
  { apply (sum_one_change dec (fun k => weight sg k * b k) (fun k => weight sg k * b' k) n agents agents_nodup Hn).
    intros k Hk. rewrite (Ho k Hk). lra. }
  lra.
Qed.
End Schedule.
End Weights.

(* ---------- jobs in order of their lengths ---------- *)
Section Sorting.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variable b : O -> num.

Fixpoint insert (k : O) (L : list O) : list O :=
  match L with
  | [] => [k]
  | j :: L' => if lt_le (b j) (b k) then j :: insert k L' else k :: L
  end.

Definition by_length (L : list O) : list O := fold_right insert [] L.

(* shortest first, from x on *)
Fixpoint ascending (x : num) (L : list O) : Prop :=
  match L with
  | [] => True
  | k :: L' => x <= b k /\ ascending (b k) L'
  end.

Lemma ascending_from x y L : y <= x -> ascending x L -> ascending y L.
Proof. destruct L as [|k L]; simpl; [auto|]. intros H [G1 G2]. split; [lra|exact G2]. Qed.

Lemma ascending_in x L : ascending x L -> forall k, In k L -> x <= b k.
Proof.
  revert x; induction L as [|j L IH]; simpl; intros x H k; [tauto|]. destruct H as [H1 H2].
  intros [e|Hk]; [subst; lra|].
  generalize (IH (b j) H2 k Hk). lra.
Qed.

Lemma insert_ascending k L : forall x, x <= b k -> ascending x L -> ascending x (insert k L).
Proof.
  induction L as [|j L IH]; simpl; intros x Hx H; [auto|]. destruct H as [H1 H2].
  destruct (lt_le (b j) (b k)); simpl; [|auto]. split; [exact H1|]. apply IH; [lra|exact H2].
Qed.

Lemma by_length_ascending x L : (forall k, In k L -> x <= b k) -> ascending x (by_length L).
Proof. induction L as [|k L IH]; simpl; intros H; [auto|]. apply insert_ascending; auto. Qed.

Lemma insert_perm k L : Permutation (k :: L) (insert k L).
Proof.
  induction L as [|j L IH]; simpl; [auto|]. destruct lt_le; [|auto]. rewrite perm_swap. constructor. exact IH.
Qed.

Lemma by_length_perm L : Permutation L (by_length L).
Proof. induction L as [|k L IH]; simpl; [auto|]. rewrite <- insert_perm. constructor. exact IH. Qed.

Lemma insert_front k L : (forall j, In j L -> b k <= b j) -> insert k L = k :: L.
Proof.
  destruct L as [|j L]; simpl; intros H; [reflexivity|]. destruct lt_le; [|reflexivity].
  specialize (H j (or_introl eq_refl)). exfalso. lra.
Qed.

Lemma remove_insert_same n L : remove dec n (insert n L) = remove dec n L.
Proof.
  induction L as [|j L IH]; simpl; [destruct (dec n n); congruence|].
  destruct lt_le; simpl; [rewrite IH; reflexivity|destruct (dec n n); congruence].
Qed.

Lemma remove_insert n k L : k <> n -> forall x, ascending x L -> remove dec n (insert k L) = insert k (remove dec n L).
Proof.
  intros Hk. induction L as [|j L IH]; intros x H; simpl in *.
  - destruct (dec n k); congruence.
  - destruct H as [H1 H2]. destruct (lt_le (b j) (b k)) as [Hlt|Hge]; simpl.
    + rewrite (IH (b j) H2). destruct (dec n j); simpl; [reflexivity|]. destruct lt_le; [reflexivity|exfalso; lra].
    + destruct (dec n k); [congruence|]. destruct (dec n j); simpl.
      * symmetry. apply insert_front. intros i Hi. apply in_remove in Hi.
        generalize (ascending_in (b j) L H2 i (proj1 Hi)). lra.
      * destruct lt_le; [exfalso; lra|reflexivity].
Qed.

Lemma remove_by_length n x L : (forall k, In k L -> x <= b k) ->
  remove dec n (by_length L) = by_length (remove dec n L).
Proof.
  induction L as [|k L IH]; simpl; intros H; [reflexivity|].
  assert (Asc : ascending x (by_length L)) by (apply by_length_ascending; auto).
  destruct (dec n k) as [e|ne].
  - subst k. rewrite remove_insert_same. auto.
  - simpl. rewrite (remove_insert n k _ (not_eq_sym ne) x Asc), IH by auto. reflexivity.
Qed.
End Sorting.

Section ClosedForm.
Context {O CPU : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variable dec_cpu : forall a b : CPU, {a = b} + {a <> b}.
Variable agents : list O.
Variable first : CPU.
Variable rest : list CPU.
Variable c : CPU -> num.
Hypothesis agents_nodup : NoDup agents.
Hypothesis c_pos : forall m, 0 < c m.
Notation cpus := (first :: rest).

Fixpoint argmin (f : CPU -> num) (m : CPU) (l : list CPU) : CPU :=
  match l with
  | [] => m
  | m' :: l' => argmin f (if lt_le (f m') (f m) then m' else m) l'
  end.

Definition slot (k : CPU -> nat) (m : CPU) : num := ofnat (S (k m)) / c m.
Definition next (k : CPU -> nat) : CPU := argmin (slot k) first rest.

(* how many of the least j numbers i / c_m belong to each CPU *)
Fixpoint counts (j : nat) : CPU -> nat :=
  match j with
  | 0%nat => fun _ => 0%nat
  | S i => fun m => if dec_cpu m (next (counts i)) then S (counts i m) else counts i m
  end.

Definition multiplier (j : nat) : num := slot (counts j) (next (counts j)).          (* v_(j+1) *)
Fixpoint least_numbers (j : nat) : num :=                                           (* v_1 + ... + v_j *)
  match j with
  | 0%nat => 0
  | S i => least_numbers i + multiplier i
  end.

(* v_1 b_(1) + ... for a list with the shortest first *)
Fixpoint weighted (b : O -> num) (L : list O) : num :=
  match L with
  | [] => 0
  | k :: L' => multiplier (length L') * b k + weighted b L'
  end.

Definition S_of (b : O -> num) : num := weighted b (by_length b agents).

Lemma argmin_least f l : forall m, In (argmin f m l) (m :: l) /\ forall m', In m' (m :: l) -> f (argmin f m l) <= f m'.
Proof.
  induction l as [|x l IH]; intros m; simpl.
  - split; [auto|]. intros m' [e|[]]. subst. lra.
  - destruct (IH (if lt_le (f x) (f m) then x else m)) as [I1 I2]. split.
    + destruct I1 as [e|I1]; [|auto]. rewrite <- e. destruct lt_le; auto.
    + assert (G := I2 _ (or_introl eq_refl)). intros m' [e|[e|H]].
      * subst m'. destruct (lt_le (f x) (f m)); lra.
      * subst m'. destruct (lt_le (f x) (f m)); lra.
      * apply I2. right. exact H.
Qed.

Lemma next_in k : In (next k) cpus.
Proof. apply (argmin_least (slot k)). Qed.

Lemma multiplier_least j m : In m cpus -> multiplier j <= slot (counts j) m.
Proof. apply (argmin_least (slot (counts j))). Qed.

(* ---------- the bound ---------- *)
Fixpoint least_slots (j : nat) : list (CPU * nat) :=
  match j with
  | 0%nat => []
  | S i => (next (counts i), S (counts i (next (counts i)))) :: least_slots i
  end.

Lemma least_slots_in j m i : (1 <= i <= counts j m)%nat -> In (m, i) (least_slots j).
Proof.
  induction j as [|j IH]; simpl; [lia|]. destruct (dec_cpu m (next (counts j))) as [e|ne]; [|auto].
  intros H. destruct (Nat.eq_dec i (S (counts j m))) as [E|E]; [left; rewrite <- e, E; reflexivity|right; apply IH;
      lia].
Qed.

Lemma least_slots_length j : length (least_slots j) = j.
Proof. induction j; simpl; congruence. Qed.

Lemma larger_or_all (k : CPU -> nat) (P : list (CPU * nat)) :
  (exists p, In p P /\ (k (fst p) < snd p)%nat) \/ (forall p, In p P -> (snd p <= k (fst p))%nat).
Proof.
  induction P as [|p P [(q & H1 & H2)|H]]; [right; simpl; tauto|left; exists q; simpl; auto|].
  destruct (le_lt_dec (snd p) (k (fst p))) as [G|G]; [right|left; exists p; simpl; auto].
  intros q [e|Hq]; [subst; exact G|auto].
Qed.

Lemma slots_bound j : forall P, length P = j -> NoDup P -> (forall p, In p P -> In (fst p) cpus /\ (1 <= snd p)%nat) ->
  least_numbers j <= sum (map (fun p => ofnat (snd p) / c (fst p)) P).
Proof.
  induction j as [|j IH]; intros P HL HP H.
  - destruct P; [simpl; lra|discriminate].
  - destruct (larger_or_all (counts j) P) as [(p & Hp & Hlt)|Hall].
    + destruct (in_split _ _ Hp) as (P1 & P2 & E). subst P. apply NoDup_remove in HP. destruct HP as [HP _].
      rewrite app_length in HL. simpl in HL.
      assert (G := IH (P1 ++ P2) ltac:(rewrite app_length; lia) HP).
      assert (G' : forall q, In q (P1 ++ P2) -> In (fst q) cpus /\ (1 <= snd q)%nat).
      { intros q Hq. apply H. apply in_app_or in Hq. apply in_or_app. simpl. tauto. }
      specialize (G G'). assert (M := multiplier_least j (fst p) (proj1 (H p Hp))).
      assert (D := div_le (c (fst p)) _ _ (c_pos (fst p)) (ofnat_le _ _ Hlt)). unfold slot in M. simpl in M, D.
      rewrite !map_app in *. simpl.
      generalize (sum_app (map (fun p => ofnat (snd p) / c (fst p)) P1) (map (fun p => ofnat (snd p) / c (fst p)) P2))
        (sum_app (map (fun p => ofnat (snd p) / c (fst p)) P1)
           (ofnat (snd p) / c (fst p) :: map (fun p => ofnat (snd p) / c (fst p)) P2)). simpl. lra.
    + exfalso. assert (I : incl P (least_slots j)).
      { intros [m i] Hp. apply least_slots_in. generalize (H _ Hp) (Hall _ Hp). simpl. lia. }
      generalize (NoDup_incl_length HP I). rewrite least_slots_length. lia.
Qed.

Lemma remaining_injective L n n' : In n L -> In n' L -> remaining dec n L = remaining dec n' L -> n = n'.
Proof.
  induction L as [|k L IH]; simpl; [tauto|].
  destruct (dec k n) as [e|ne], (dec k n') as [e'|ne']; intros H H' E; try congruence.
  - generalize (remaining_length dec n' L). lia.
  - generalize (remaining_length dec n L). lia.
  - apply IH; tauto.
Qed.

Section Bound.
Variable sg : CPU -> list O.
Hypothesis sg_valid : valid agents cpus sg.
Notation weight := (weight dec cpus c sg).

(* the slots of different jobs *)
Lemma slots_of L : NoDup L -> incl L agents -> exists P, length P = length L /\ NoDup P /\
  (forall p, In p P -> In (fst p) cpus /\ (1 <= snd p)%nat /\
     exists n, In n L /\ In n (sg (fst p)) /\ snd p = remaining dec n (sg (fst p))) /\
  sum (map (fun p => ofnat (snd p) / c (fst p)) P) == sum (map weight L).
Proof.
  induction 1 as [|n L Hn HL IH]; intros Hi.
  - exists []. split; [reflexivity|]. split; [constructor|]. split; [simpl; tauto|simpl; lra].
  - destruct IH as (P & P1 & P2 & P3 & P4); [intros x Hx; apply Hi; right; exact Hx|].
    destruct (some_cpu agents cpus sg sg_valid n (Hi n (or_introl eq_refl))) as (m & Hm & Hnm).
    assert (W := weight_own dec agents cpus c agents_nodup sg sg_valid n m Hm Hnm).
    exists ((m, remaining dec n (sg m)) :: P). split; [simpl; lia|]. split; [|split].
    + constructor; [|exact P2]. intros H. destruct (P3 _ H) as (_ & _ & n' & G1 & G2 & G3). simpl in G2, G3.
      apply Hn. rewrite (remaining_injective (sg m) n n' Hnm G2 G3). exact G1.
    + intros p [e|Hp].
      * subst p. simpl. split; [exact Hm|]. split; [apply remaining_pos; exact Hnm|]. exists n. auto.
      * destruct (P3 p Hp) as (G1 & G2 & n' & G3). split; [exact G1|]. split; [exact G2|]. exists n'. simpl. tauto.
    + simpl. lra.
Qed.

Lemma weights_bound L : NoDup L -> incl L agents -> least_numbers (length L) <= sum (map weight L).
Proof.
  intros HL Hi. destruct (slots_of L HL Hi) as (P & P1 & P2 & P3 & P4).
  generalize (slots_bound (length L) P P1 P2 (fun p Hp => conj (proj1 (P3 p Hp)) (proj1 (proj2 (P3 p Hp))))). lra.
Qed.

(* summation by parts *)
Lemma weighted_bound b L : NoDup L -> incl L agents -> forall x, ascending b x L ->
  weighted b L - x * least_numbers (length L) <= sum (map (fun n => weight n * b n) L) - x * sum (map weight L).
Proof.
  induction 1 as [|k L Hk HL IH]; intros Hi x H; simpl in *; [lra|]. destruct H as [H1 H2].
  assert (Hi' : incl L agents) by (intros y Hy; apply Hi; right; exact Hy). specialize (IH Hi' (b k) H2).
  assert (G := weights_bound (k :: L) (NoDup_cons k Hk HL) Hi). simpl in G.
  assert (M := mul_le (b k - x) _ _ ltac:(lra) G). lra.
Qed.

Theorem least_sum_lower b : (forall k, 0 <= b k) -> S_of b <= total_ends dec agents cpus c sg b.
Proof.
  intros Hb. assert (E := total_ends_weights dec agents cpus c agents_nodup c_pos sg sg_valid b).
  assert (P := by_length_perm b agents). assert (E2 := sum_permuted (fun n => weight n * b n) _ _ P).
  assert (G := weighted_bound b (by_length b agents) (Permutation_NoDup P agents_nodup)
                 (fun x Hx => Permutation_in x (Permutation_sym P) Hx) 0
                     (by_length_ascending b 0 agents (fun k _ => Hb k))).
  unfold S_of. lra.
Qed.
End Bound.

(* ---------- the schedule that attains it ---------- *)
Fixpoint greedy (L : list O) : CPU -> list O :=
  match L with
  | [] => fun _ => []
  | k :: L' => fun m => if dec_cpu m (next (counts (length L'))) then k :: greedy L' m else greedy L' m
  end.

Lemma greedy_length L m : length (greedy L m) = counts (length L) m.
Proof. induction L as [|k L IH]; simpl; [reflexivity|]. destruct dec_cpu; simpl; congruence. Qed.

Lemma insert_somewhere (f : CPU -> list O) k m l : NoDup l -> In m l ->
  Permutation (flat_map (fun x => if dec_cpu x m then k :: f x else f x) l) (k :: flat_map f l).
Proof.
  induction 1 as [|x l Hx Hl IH]; simpl; [tauto|]. intros H. destruct (dec_cpu x m) as [e|ne].
  - subst x. simpl. constructor. apply Permutation_app_head. rewrite !flat_map_concat_map.
    rewrite (map_ext_in _ f); [reflexivity|]. intros y Hy. destruct (dec_cpu y m); [subst; tauto|reflexivity].
  - destruct H as [H|H]; [congruence|]. rewrite (IH H). symmetry. apply Permutation_middle.
Qed.

Hypothesis cpus_nodup : NoDup cpus.

Lemma greedy_valid L : valid L cpus (greedy L).
Proof.
  unfold valid. induction L as [|k L IH].
  - assert (E : forall l : list CPU, flat_map (fun _ => @nil O) l = []) by (induction l; auto). simpl greedy.
    rewrite E. constructor.
  - simpl greedy. rewrite (insert_somewhere _ k _ cpus cpus_nodup (next_in _)). constructor. exact IH.
Qed.

Lemma greedy_weights b L : NoDup L ->
  sum (map (fun n => weight dec cpus c (greedy L) n * b n) L) == weighted b L.
Proof.
  induction 1 as [|k L Hk HL IH]; [simpl; lra|].
  set (m := next (counts (length L))).
  assert (Hm : greedy (k :: L) m = k :: greedy L m) by (simpl; fold m; destruct (dec_cpu m m); congruence).
  assert (W : weight dec cpus c (greedy (k :: L)) k == multiplier (length L)).
  { assert (Hi : In k (greedy (k :: L) m)) by (rewrite Hm; left; reflexivity).
    generalize (weight_own dec (k :: L) cpus c (NoDup_cons k Hk HL) _ (greedy_valid (k :: L)) k m (next_in _) Hi).
    rewrite Hm. simpl. destruct (dec k k); [|congruence]. rewrite greedy_length. auto. }
  assert (E : sum (map (fun n => weight dec cpus c (greedy (k :: L)) n * b n) L) ==
              sum (map (fun n => weight dec cpus c (greedy L) n * b n) L)).
  { apply sum_map_eq_in. intros n Hn.
    assert (F : weight dec cpus c (greedy (k :: L)) n == weight dec cpus c (greedy L) n); [|setoid_rewrite F; lra].
    apply sum_map_eq_in. intros x _. simpl. destruct dec_cpu; simpl; [|lra]. destruct (dec k n); [subst; tauto|lra]. }
  cbn [map sum fold_right weighted]. fold (sum (map (fun n => weight dec cpus c (greedy (k :: L)) n * b n) L)).
  setoid_rewrite W. lra.
Qed.

Theorem greedy_attains b : valid agents cpus (greedy (by_length b agents)) /\
  total_ends dec agents cpus c (greedy (by_length b agents)) b == S_of b.
Proof.
  assert (P := by_length_perm b agents).
  assert (V : valid agents cpus (greedy (by_length b agents))).
  { unfold valid. rewrite (greedy_valid (by_length b agents)). symmetry. exact P. }
  split; [exact V|].
  assert (E := total_ends_weights dec agents cpus c agents_nodup c_pos _ V b).
  assert (E2 := sum_permuted (fun n => weight dec cpus c (greedy (by_length b agents)) n * b n) _ _ P).
  generalize (greedy_weights b (by_length b agents) (Permutation_NoDup P agents_nodup)). unfold S_of. lra.
Qed.
End ClosedForm.
