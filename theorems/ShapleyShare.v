(* Shapley shares: C_n(b) = sum over j >= r(n) of (b_(j) - b_(j+1)) (v_1 + ... + v_j) / j, the closed form of the
   Shapley value of the game K -> S(b_K); r(n) is the place of b_n from the top. Payments: P_n = C_n - E_n.
   - Where the allocation attains the least sum of ends, payments sum to zero for every b, ties included
     (shapley_balanced).
   - Truth is best wherever it is under VCG (full price S) with the same allocation, waits and concept
     (shapley_dominant_where_vcg, shapley_ex_post_where_vcg); so dominant if the waits are at least S(z) - S(b) - (z
   - b)/c_m (shapley_dominant_exact_wait).
   - Equal shares of S, P_n = S / N - E_n, are dominant under every allocation (equal_share_any_allocation), as v_j
     is at most N / c_m for every CPU m.
   - Nobody bears less than her job alone on the fastest CPU, nobody more than S (shapley_bounds).

   Proof. Take the others in order of their lengths. As a function of n's own length y, both C_n and S are integrals
   up to y of something that depends only on how many others, i, are as long: C_n of the mean of v_1 .. v_(i+1), S
   of v_(i+1) itself (share_own, weighted_own). As v rises, the mean is at most the last; so C_n never falls and
   never rises more than S: the comparison principle. The sum of the shares: the layer between two lengths is paid
   by those above it, and summation by parts gives S (shares_sum). *)
From Coq Require Import List Lia Permutation.
Require Import Numbers Game Run Comparison LeastSum.
Import ListNotations.

Lemma mul_zero (x g : num) : x == 0 -> x * g == 0.
Proof. intros H. setoid_rewrite H. lra. Qed.

Lemma remove_length {O : Type} (dec : forall a b : O, {a = b} + {a <> b}) n L : NoDup L -> In n L -> length L = S
    (length (remove dec n L)).
Proof.
  induction 1 as [|k L Hk HL IH]; simpl; [tauto|]. intros H. destruct (dec n k) as [e|ne].
  - subst k. rewrite notin_remove by exact Hk. reflexivity.
  - simpl. rewrite IH; [reflexivity|]. destruct H; [congruence|assumption].
Qed.

Section Layers.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variable b : O -> num.
Implicit Type f : nat -> num.                    (* rates: f i where i others are at least as long *)

(* what n pays: on each layer, from x on, the rate of those whose lengths reach it *)
Fixpoint share f (x : num) (L : list O) (n : O) : num :=
  match L with
  | [] => 0
  | k :: L' => (b k - x) * f (length L') + (if dec k n then 0 else share f (b k) L' n)
  end.

(* the same as a function of her length y, L being the others *)
Fixpoint own f (x : num) (L : list O) (y : num) : num :=
  match L with
  | [] => (y - x) * f 0%nat
  | k :: L' => if lt_le y (b k) then (y - x) * f (length L) else (b k - x) * f (length L) + own f (b k) L' y
  end.

Lemma own_front f y L : ascending b y L -> forall x, own f x L y == (y - x) * f (length L).
Proof.
  induction L as [|k L IH]; intros H x; simpl in *; [lra|]. destruct H as [H1 H2]. destruct (lt_le y (b k)); [lra|].
  assert (Z : y - b k == 0) by lra. generalize (IH (ascending_from b (b k) y L H1 H2) (b k)).
  generalize (mul_zero _ (f (length L)) Z) (mul_zero _ (f (S (length L))) Z). lra.
Qed.

Lemma own_nonneg f : (forall i, 0 <= f i) -> forall L x y, x <= y -> ascending b x L -> 0 <= own f x L y.
Proof.
  intros Hf. induction L as [|k L IH]; intros x y Hxy H; simpl in *; [apply mul_nonneg; [lra|apply Hf]|].
  destruct H as [H1 H2]. destruct (lt_le y (b k)) as [Hlt|Hge]; [apply mul_nonneg; [lra|apply Hf]|].
  generalize (mul_nonneg (b k - x) (f (S (length L))) ltac:(lra) (Hf _)) (IH (b k) y Hge H2). lra.
Qed.

Lemma own_increases f : (forall i, 0 <= f i) -> forall L x y z, x <= y -> y <= z -> ascending b x L ->
  own f x L y <= own f x L z.
Proof.
  intros Hf. induction L as [|k L IH]; intros x y z Hxy Hyz H; simpl in *.
  - generalize (mul_nonneg (z - y) (f 0%nat) ltac:(lra) (Hf _)). lra.
  - destruct H as [H1 H2]. set (F := f (S (length L))).
    destruct (lt_le y (b k)) as [Hy|Hy], (lt_le z (b k)) as [Hz|Hz]; try (exfalso; lra).
    + generalize (mul_nonneg (z - y) F ltac:(lra) (Hf _)). lra.
    + generalize (mul_nonneg (b k - y) F ltac:(lra) (Hf _)) (own_nonneg f Hf L (b k) z Hz H2). lra.
    + generalize (IH (b k) y z Hy Hyz H2). lra.
Qed.

Lemma own_at_most f (a : num) L : (forall i, (i <= length L)%nat -> f i <= a) ->
  forall x y z, x <= y -> y <= z -> ascending b x L -> own f x L z - own f x L y <= a * (z - y).
Proof.
  induction L as [|k L IH]; intros Hf x y z Hxy Hyz H; simpl in *.
  - generalize (mul_le (z - y) _ _ ltac:(lra) (Hf 0%nat ltac:(lia))). lra.
  - destruct H as [H1 H2]. assert (Hf' : forall i, (i <= length L)%nat -> f i <= a) by (intros i Hi; apply Hf; lia).
    assert (F := Hf (S (length L)) ltac:(lia)). set (r := f (S (length L))) in *.
    destruct (lt_le y (b k)) as [Hy|Hy], (lt_le z (b k)) as [Hz|Hz]; try (exfalso; lra).
    + generalize (mul_le (z - y) r a ltac:(lra) F). lra.
    + generalize (mul_le (b k - y) r a ltac:(lra) F) (IH Hf' (b k) (b k) z ltac:(lra) Hz H2).
      generalize (own_front f (b k) L H2 (b k)). lra.
    + generalize (IH Hf' (b k) y z Hy Hyz H2). lra.
Qed.

Lemma own_minus f g : forall L x y, own (fun i => f i - g i) x L y == own f x L y - own g x L y.
Proof.
  induction L as [|k L IH]; intros x y; simpl; [lra|]. destruct (lt_le y (b k)); [lra|]. generalize (IH (b k) y). lra.
Qed.

Lemma own_constant (a : num) : forall L x y, own (fun _ => a) x L y == (y - x) * a.
Proof.
  induction L as [|k L IH]; intros x y; simpl; [lra|]. destruct (lt_le y (b k)); [lra|]. generalize (IH (b k) y). lra.
Qed.

Lemma share_own f n L : NoDup L -> In n L -> forall x, ascending b x L ->
  share f x L n == own f x (remove dec n L) (b n).
Proof.
  induction 1 as [|k L Hk HL IH]; simpl; [tauto|]. intros Hn x [H1 H2]. destruct (dec k n) as [e|ne].
  - subst k. destruct (dec n n); [|congruence]. rewrite notin_remove by exact Hk.
    generalize (own_front f (b n) L H2 x). lra.
  - destruct (dec n k); [congruence|]. destruct Hn as [e|Hn]; [congruence|]. simpl.
    rewrite <- (remove_length dec n L HL Hn). generalize (ascending_in b (b k) L H2 n Hn). intros G.
    destruct (lt_le (b n) (b k)); [exfalso; lra|]. generalize (IH Hn (b k) H2). lra.
Qed.
End Layers.

Lemma own_other {O : Type} (b b' : O -> num) f L : (forall k, In k L -> b' k = b k) ->
  forall x y, own b' f x L y = own b f x L y.
Proof.
  induction L as [|k L IH]; intros H x y; simpl; [reflexivity|]. rewrite (H k (or_introl eq_refl)).
  destruct lt_le; [reflexivity|]. rewrite IH by (intros j Hj; apply H; right; exact Hj). reflexivity.
Qed.

Lemma insert_other {O : Type} (b b' : O -> num) k L : (forall j, In j (k :: L) -> b' j = b j) ->
  insert b' k L = insert b k L.
Proof.
  induction L as [|j L IH]; simpl; intros H; [reflexivity|]. rewrite (H k), (H j) by auto.
  destruct lt_le; [|reflexivity]. rewrite IH; [reflexivity|]. intros i [e|Hi]; apply H; auto.
Qed.

Lemma by_length_other {O : Type} (b b' : O -> num) L : (forall k, In k L -> b' k = b k) ->
  by_length b' L = by_length b L.
Proof.
  induction L as [|k L IH]; simpl; intros H; [reflexivity|]. rewrite IH by (intros j Hj; apply H; auto).
  apply insert_other. intros j [e|Hj]; apply H; [auto|]. right.
  apply (Permutation_in j (Permutation_sym (by_length_perm b L))), Hj.
Qed.

Section ShapleyShare.
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
Notation multiplier := (multiplier dec_cpu first rest c).
Notation least_numbers := (least_numbers dec_cpu first rest c).
Notation weighted := (weighted dec_cpu first rest c).
Notation S_of := (S_of dec_cpu agents first rest c).

Definition mean (i : nat) : num := least_numbers (S i) / ofnat (S i).                (* of v_1 .. v_(i+1) *)
Definition shapley (b : O -> num) (n : O) : num := share dec b mean 0 (by_length b agents) n.

(* ---------- the numbers v ---------- *)
Lemma multiplier_nonneg i : 0 <= multiplier i.
Proof. apply div_nonneg; [apply c_pos|apply ofnat_nonneg]. Qed.

Lemma multiplier_increases i : multiplier i <= multiplier (S i).
Proof.
  assert (Hm : In (next first rest c (counts dec_cpu first rest c (S i))) cpus) by apply next_in.
  set (m := next first rest c (counts dec_cpu first rest c (S i))) in *.
  assert (G := multiplier_least dec_cpu first rest c i m Hm).
  assert (Mono : (counts dec_cpu first rest c i m <= counts dec_cpu first rest c (S i) m)%nat).
  { cbn [counts]. destruct dec_cpu; lia. }
  assert (D := div_le (c m) _ _ (c_pos m) (ofnat_le _ _ (le_n_S _ _ Mono))).
  change (multiplier (S i)) with (ofnat (S (counts dec_cpu first rest c (S i) m)) / c m). unfold slot in G. lra.
Qed.

Lemma least_numbers_bounds i : ofnat (S i) * multiplier 0 <= least_numbers (S i) /\
  least_numbers (S i) <= ofnat (S i) * multiplier i /\ multiplier 0 <= multiplier i.
Proof.
  induction i as [|i (I1 & I2 & I3)]; [simpl; split; [lra|split; lra]|].
  assert (M := multiplier_increases i). assert (G := mul_le (ofnat (S i)) _ _ (ofnat_nonneg (S i)) M).
  change (least_numbers (S (S i))) with (least_numbers (S i) + multiplier (S i)).
  change (ofnat (S (S i))) with (ofnat (S i) + 1). split; [lra|split; lra].
Qed.

Lemma mean_times i : ofnat (S i) * mean i == least_numbers (S i).
Proof. unfold mean. field. generalize (ofnat_nonneg i). simpl. lra. Qed.

Lemma mean_bounds i : multiplier 0 <= mean i /\ mean i <= multiplier i.
Proof.
  destruct (least_numbers_bounds i) as (H1 & H2 & _). assert (E := mean_times i).
  assert (P : 0 < ofnat (S i)) by (simpl; generalize (ofnat_nonneg i); lra).
  split; apply (mul_cancel (ofnat (S i))); try exact P; lra.
Qed.

(* ---------- the least sum as a function of one length, and the sum of the shares ---------- *)
Lemma weighted_own b n L : NoDup L -> In n L -> forall x, ascending b x L ->
  weighted b L - x * least_numbers (length L) ==
  weighted b (remove dec n L) - x * least_numbers (length (remove dec n L)) + own b multiplier x (remove dec n L) (b n).
Proof.
  induction 1 as [|k L Hk HL IH]; simpl; [tauto|]. intros Hn x [H1 H2]. destruct (dec n k) as [e|ne].
  - subst k. rewrite notin_remove by exact Hk. generalize (own_front b multiplier (b n) L H2 x). lra.
  - destruct Hn as [e|Hn]; [congruence|]. specialize (IH Hn (b k) H2).
    assert (E := remove_length dec n L HL Hn). rewrite E in *. simpl in *.
    generalize (ascending_in b (b k) L H2 n Hn). intros G. destruct (lt_le (b n) (b k)); [exfalso; lra|]. lra.
Qed.

Lemma shares_sum b L : NoDup L -> forall x,
  sum (map (share dec b mean x L) L) == weighted b L - x * least_numbers (length L).
Proof.
  induction 1 as [|k L Hk HL IH]; intros x; [simpl; lra|].
  set (q := (b k - x) * mean (length L)).
  assert (H : share dec b mean x (k :: L) k == q) by (simpl; destruct (dec k k); [unfold q; lra|congruence]).
  assert (T : sum (map (share dec b mean x (k :: L)) L) == ofnat (length L) * q + sum
      (map (share dec b mean (b k) L) L)).
  { assert (G : forall M, (forall n, In n M -> n <> k) ->
      sum (map (share dec b mean x (k :: L)) M) == ofnat (length M) * q + sum (map (share dec b mean (b k) L) M)).
    { induction M as [|n M IHM]; intros Hne; [simpl; lra|].
      assert (E : share dec b mean x (k :: L) n == q + share dec b mean (b k) L n).
      { simpl. destruct (dec k n) as [e|]; [exfalso; apply (Hne n (or_introl eq_refl)); congruence|unfold q; lra]. }
      specialize (IHM (fun j Hj => Hne j (or_intror Hj))).
      change (share dec b mean x (k :: L) n + sum (map (share dec b mean x (k :: L)) M) ==
        (ofnat (length M) + 1) * q + (share dec b mean (b k) L n + sum (map (share dec b mean (b k) L) M))). lra. }
    apply G. intros n Hn e. subst. tauto. }
  change (share dec b mean x (k :: L) k + sum (map (share dec b mean x (k :: L)) L) ==
    (multiplier (length L) * b k + weighted b L) - x * (least_numbers (length L) + multiplier (length L))).
  assert (M := mean_times (length L)).
  change (least_numbers (S (length L))) with (least_numbers (length L) + multiplier (length L)) in M.
  change (ofnat (S (length L))) with (ofnat (length L) + 1) in M.
  assert (Q : (ofnat (length L) + 1) * q == (b k - x) * (least_numbers (length L) + multiplier (length L))).
  { setoid_rewrite <- M. unfold q. lra. }
  specialize (IH (b k)). lra.
Qed.

Lemma weighted_nonneg (b : O -> num) : (forall k, 0 <= b k) -> forall L, 0 <= weighted b L.
Proof.
  intros Hb. induction L as [|k L IH]; simpl; [lra|].
  generalize (mul_nonneg _ _ (multiplier_nonneg (length L)) (Hb k)). lra.
Qed.

(* ---------- the mechanism ---------- *)
Notation others b n := (by_length b (remove dec n agents)).

Section OneAgent.
Variables (b : O -> num) (n : O).
Hypothesis Hn : In n agents.
Hypothesis b_nonneg : forall k, 0 <= b k.

Lemma sorted_nodup : NoDup (by_length b agents).
Proof. apply (Permutation_NoDup (by_length_perm b agents)), agents_nodup. Qed.

Lemma sorted_in : In n (by_length b agents).
Proof. apply (Permutation_in n (by_length_perm b agents)), Hn. Qed.

Lemma sorted_ascending L : ascending b 0 (by_length b L).
Proof. apply by_length_ascending. intros k _. apply b_nonneg. Qed.

Lemma remove_sorted : remove dec n (by_length b agents) = others b n.
Proof. apply (remove_by_length dec b n 0). intros k _. apply b_nonneg. Qed.

Lemma shapley_own : shapley b n == own b mean 0 (others b n) (b n).
Proof.
  generalize (share_own dec b mean n _ sorted_nodup sorted_in 0 (sorted_ascending agents)). rewrite remove_sorted. auto.
Qed.

Lemma S_own : S_of b == weighted b (others b n) + own b multiplier 0 (others b n) (b n).
Proof.
  generalize (weighted_own b n _ sorted_nodup sorted_in 0 (sorted_ascending agents)). rewrite remove_sorted.
  unfold LeastSum.S_of. lra.
Qed.

Theorem shapley_bounds : multiplier 0 * b n <= shapley b n /\ shapley b n <= S_of b.
Proof.
  assert (E := shapley_own). assert (E' := S_own). assert (Asc := sorted_ascending (remove dec n agents)).
  assert (D1 := own_minus b mean (fun _ => multiplier 0) (others b n) 0 (b n)). cbv beta in D1.
  assert (N1 := own_nonneg b (fun i => mean i - multiplier 0) (fun i => ltac:(destruct (mean_bounds i); lra))
                  (others b n) 0 (b n) (b_nonneg n) Asc).
  assert (C1 := own_constant b (multiplier 0) (others b n) 0 (b n)).
  assert (D2 := own_minus b multiplier mean (others b n) 0 (b n)).
  assert (N2 := own_nonneg b (fun i => multiplier i - mean i) (fun i => ltac:(destruct (mean_bounds i); lra))
                  (others b n) 0 (b n) (b_nonneg n) Asc).
  assert (W := weighted_nonneg b b_nonneg (others b n)).
  split; lra.
Qed.
End OneAgent.

Lemma weighted_other (b b' : O -> num) L : (forall k, In k L -> b' k = b k) -> weighted b' L = weighted b L.
Proof.
  induction L as [|k L IH]; simpl; intros H; [reflexivity|]. rewrite (H k) by auto. rewrite IH by auto. reflexivity.
Qed.

(* how both change with n's declaration *)
Lemma increments_own n b b' : In n agents -> (forall k, 0 <= b k) -> longer n b b' ->
  shapley b' n - shapley b n == own b mean 0 (others b n) (b' n) - own b mean 0 (others b n) (b n) /\
  S_of b' - S_of b == own b multiplier 0 (others b n) (b' n) - own b multiplier 0 (others b n) (b n).
Proof.
  intros Hn Hb [Ho Hl].
  assert (Hb' : forall k, 0 <= b' k).
  { intros k. destruct (dec k n) as [e|ne]; [subst; generalize (Hb n); lra|rewrite Ho by exact ne; apply Hb]. }
  assert (Same : forall k, In k (remove dec n agents) -> b' k = b k).
  { intros k Hk. apply Ho. intros e. subst. apply (remove_In dec agents n Hk). }
  assert (E := by_length_other b b' _ Same). set (M := others b n) in *.
  assert (Same' : forall k, In k M -> b' k = b k).
  { intros k Hk. apply Same, (Permutation_in k (Permutation_sym (by_length_perm b _))), Hk. }
  assert (S1 := shapley_own b n Hn Hb). assert (S2 := shapley_own b' n Hn Hb'). assert (T1 := S_own b n Hn Hb).
  assert (T2 := S_own b' n Hn Hb'). rewrite E in S2, T2. fold M in S1, T1.
  rewrite (own_other b b' mean M Same') in S2. rewrite (own_other b b' multiplier M Same') in T2.
  rewrite (weighted_other b b' M Same') in T2. split; lra.
Qed.

Lemma shapley_increments n b b' : In n agents -> (forall k, 0 <= b k) -> longer n b b' ->
  0 <= shapley b' n - shapley b n /\ shapley b' n - shapley b n <= S_of b' - S_of b.
Proof.
  intros Hn Hb Hl. destruct (increments_own n b b' Hn Hb Hl) as [E1 E2]. destruct Hl as [_ Hl].
  set (M := others b n) in *. assert (Asc : ascending b 0 M) by (apply by_length_ascending; intros k _; apply Hb).
  assert (I1 := own_increases b mean (fun i => ltac:(destruct (mean_bounds i); generalize (multiplier_nonneg 0); lra))
                  M 0 (b n) (b' n) (Hb n) ltac:(lra) Asc).
  assert (I2 := own_increases b (fun i => multiplier i - mean i) (fun i => ltac:(destruct (mean_bounds i); lra))
                  M 0 (b n) (b' n) (Hb n) ltac:(lra) Asc).
  generalize (own_minus b multiplier mean M 0 (b n)) (own_minus b multiplier mean M 0 (b' n)). split; lra.
Qed.

(* the least sum rises by at most N / c_m times the added length, for every CPU m *)
Lemma S_rises_at_most n m b b' : In n agents -> In m cpus -> (forall k, 0 <= b k) -> longer n b b' ->
  S_of b' - S_of b <= ofnat (length agents) / c m * (b' n - b n).
Proof.
  intros Hn Hm Hb Hl. destruct (increments_own n b b' Hn Hb Hl) as [_ E]. destruct Hl as [_ Hl].
  assert (Counts : forall i, (counts dec_cpu first rest c i m <= i)%nat).
  { induction i as [|i IH]; cbn [counts]; [lia|]. destruct dec_cpu; lia. }
  assert (Len : length agents = S (length (others b n))).
  { rewrite <- (Permutation_length (by_length_perm b (remove dec n agents))). apply remove_length; assumption. }
  assert (B : forall i, (i <= length (others b n))%nat -> multiplier i <= ofnat (length agents) / c m).
  { intros i Hle. assert (G := multiplier_least dec_cpu first rest c i m Hm). unfold slot in G.
    assert (Le : (S (counts dec_cpu first rest c i m) <= length agents)%nat) by (generalize (Counts i); lia).
    generalize (div_le (c m) _ _ (c_pos m) (ofnat_le _ _ Le)). lra. }
  assert (Asc : ascending b 0 (others b n)) by (apply by_length_ascending; intros k _; apply Hb).
  generalize (own_at_most b multiplier _ (others b n) B 0 (b n) (b' n) (Hb n) ltac:(lra) Asc). lra.
Qed.

Variable A : (O -> num) -> CPU -> list O.
Variable wait : (O -> num) -> O -> num.
Hypothesis A_valid : forall b, valid agents cpus (A b).
Definition shapley_payment : (O -> num) -> O -> num := payment_of dec cpus c A shapley.
Definition vcg_payment : (O -> num) -> O -> num := payment_of dec cpus c A (fun b _ => S_of b).

Theorem shapley_balanced : NoDup cpus ->
  (forall b sg, valid agents cpus sg -> total_ends dec agents cpus c (A b) b <= total_ends dec agents cpus c sg b) ->
  balanced agents shapley_payment.
Proof.
  intros Hcpus HA b Hb. unfold shapley_payment, payment_of.
  destruct (greedy_attains dec dec_cpu agents first rest c agents_nodup c_pos Hcpus b) as [V E].
  assert (G1 := HA b _ V). assert (P := by_length_perm b agents).
  assert (G2 := least_sum_lower dec dec_cpu agents first rest c agents_nodup c_pos (A b) (A_valid b) b Hb).
  assert (S1 := shares_sum b (by_length b agents) (Permutation_NoDup P agents_nodup) 0).
  assert (S2 := sum_permuted (shapley b) _ _ P). change (share dec b mean 0 (by_length b agents)) with (shapley b) in
      S1.
  assert (D : forall f g (L : list O), sum (map (fun n => f n - g n) L) == sum (map f L) - sum (map g L)).
  { intros f g L. induction L as [|n L IH]; simpl; lra. }
  generalize (D (shapley b) (planned dec cpus c (A b) b) agents). unfold total_ends in *. unfold LeastSum.S_of in *.
  lra.
Qed.

Theorem shapley_dominant_where_vcg :
  truth_dominant dec agents cpus c A wait vcg_payment -> truth_dominant dec agents cpus c A wait shapley_payment.
Proof. apply comparison_dominant; auto. apply shapley_increments. Qed.

Theorem shapley_ex_post_where_vcg :
  truth_best_ex_post dec agents cpus c A wait vcg_payment -> truth_best_ex_post dec agents cpus c A wait
      shapley_payment.
Proof. apply comparison_ex_post; auto. apply shapley_increments. Qed.

(* waits as long as the gain that they take away, or longer *)
Theorem shapley_dominant_exact_wait :
  (forall n m b b', In n agents -> In m cpus -> In n (A b m) -> (forall k, 0 <= b k) -> longer n b b' ->
     S_of b' - S_of b - (b' n - b n) / c m <= wait b n) ->
  truth_dominant dec agents cpus c A wait shapley_payment.
Proof.
  intros H. apply increments_dominant; auto. intros n m b b' Hn Hm Hi Hb Hl.
  destruct (shapley_increments n b b' Hn Hb Hl). generalize (H n m b b' Hn Hm Hi Hb Hl). split; lra.
Qed.

(* equal shares of the least sum, whatever the allocation is *)
Theorem equal_share_any_allocation : (forall b n, 0 <= wait b n) ->
  truth_dominant dec agents cpus c A wait (payment_of dec cpus c A (fun b _ => S_of b / ofnat (length agents))).
Proof.
  intros Hw. apply increments_dominant; auto. intros n m b b' Hn Hm Hi Hb Hl.
  assert (G := S_rises_at_most n m b b' Hn Hm Hb Hl). destruct (shapley_increments n b b' Hn Hb Hl) as [G1 G2].
  assert (N1 : 0 < ofnat (length agents)).
  { destruct agents as [|k l]; [destruct Hn|]. simpl. generalize (ofnat_nonneg (length l)). lra. }
  assert (D1 := div_le _ (S_of b) (S_of b') N1 ltac:(lra)).
  assert (D2 := div_le _ (S_of b') (S_of b + ofnat (length agents) / c m * (b' n - b n)) N1 ltac:(lra)).
  assert (D3 : (S_of b + ofnat (length agents) / c m * (b' n - b n)) / ofnat (length agents) ==
               S_of b / ofnat (length agents) + (b' n - b n) / c m).
  { field. split; [generalize (c_pos m); lra|lra]. }
  generalize (Hw b n). split; lra.
Qed.
End ShapleyShare.
