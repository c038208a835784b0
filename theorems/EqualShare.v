(* Equal shares: P_n(b) = S(b) / N - E_n(b), where the allocation attains the least sum of ends S(b). With
   postponement and any waits, also none,
   - the payments sum to zero for every declaration (equal_share_balanced),
   - the truth is dominant: as good as every lie, whatever the others declare and are (equal_share_dominant),
   - with two agents or more and positive lengths it is strictly better (equal_share_strict).

   Proof. The full price is S / N. S never falls when n declares longer, since the schedule chosen for the longer
   declaration has no larger sum for the shorter one; and it rises by at most f_n (z - y) / c_m, the sum of the
   schedule chosen for y with n longer, f_n <= N the jobs from n to the end of her CPU. So the increments of S / N
   lie between 0 and (z - y) / c_m: Comparison.v. They are strictly smaller than the delay of an understater unless
   f_n = N; then all jobs are on one CPU, n's first, and her remainder waits for all others. *)
From Coq Require Import List Lia Permutation.
Require Import Numbers Game Run Comparison LeastSum.
Import ListNotations.

Section EqualShare.
Context {O CPU : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variable agents : list O.
Variable cpus : list CPU.
Variable c : CPU -> num.
Variable A : (O -> num) -> CPU -> list O.
Variable wait : (O -> num) -> O -> num.
Hypothesis agents_nodup : NoDup agents.
Hypothesis c_pos : forall m, 0 < c m.
Hypothesis wait_nonneg : forall b n, 0 <= wait b n.
Hypothesis A_valid : forall b, valid agents cpus (A b).
Notation total_ends := (total_ends dec agents cpus c).
Notation N := (ofnat (length agents)).
Hypothesis A_least : forall b sg, valid agents cpus sg -> total_ends (A b) b <= total_ends sg b.

Definition least_sum (b : O -> num) : num := total_ends (A b) b.
Definition equal_share (b : O -> num) (n : O) : num := least_sum b / N.
Definition equal_share_payment : (O -> num) -> O -> num := payment_of dec cpus c A equal_share.

Lemma one_agent n : In n agents -> 1 <= N.
Proof. destruct agents as [|k l]; simpl; [tauto|]. intros _. generalize (ofnat_nonneg (length l)). lra. Qed.

Theorem equal_share_balanced : balanced agents equal_share_payment.
Proof.
  intros b _. unfold equal_share_payment, payment_of, equal_share.
  assert (G : forall x L, sum (map (fun n => x - planned dec cpus c (A b) b n) L) ==
              ofnat (length L) * x - sum (map (planned dec cpus c (A b) b) L)).
  { intros x L. induction L as [|n L IH]; simpl; lra. }
  assert (G1 := G (least_sum b / N) agents). clear G. unfold least_sum, Run.total_ends in *.
  destruct (lt_le 0 N) as [Hpos|H0].
  - set (T := sum (map (planned dec cpus c (A b) b) agents)) in *.
    assert (F : N * (T / N) == T) by (field; lra). lra.
  - destruct agents as [|k l]; simpl in *; [lra|]. generalize (ofnat_nonneg (length l)). lra.
Qed.

Lemma least_sum_longer n b b' : In n agents -> longer n b b' ->
  least_sum b + weight dec cpus c (A b') n * (b' n - b n) <= least_sum b' /\
  least_sum b' <= least_sum b + weight dec cpus c (A b) n * (b' n - b n).
Proof.
  intros Hn [Ho Hl]. unfold least_sum.
  assert (E1 := total_ends_change dec agents cpus c agents_nodup c_pos (A b) (A_valid b) n b b' Hn Ho).
  assert (E2 := total_ends_change dec agents cpus c agents_nodup c_pos (A b') (A_valid b') n b b' Hn Ho).
  generalize (A_least b (A b') (A_valid b')) (A_least b' (A b) (A_valid b)). split; lra.
Qed.

(* a weight counts at most all jobs, and all of them only if n's is first and the others are behind her *)
Lemma weight_times b n m x : In m cpus -> In n (A b m) -> 0 <= x ->
  weight dec cpus c (A b) n * x <= N * (x / c m) /\
  (weight dec cpus c (A b) n * x <= N * (x / c m) - x / c m \/
   A b m = n :: after dec n (A b m) /\ length (A b m) = length agents).
Proof.
  intros Hm Hi Hx. assert (Hc := c_pos m). assert (D := div_nonneg (c m) x Hc Hx).
  assert (W := weight_own dec agents cpus c agents_nodup (A b) (A_valid b) n m Hm Hi).
  set (f := remaining dec n (A b m)) in *.
  assert (E : weight dec cpus c (A b) n * x == ofnat f * (x / c m)).
  { setoid_rewrite W. field. lra. }
  assert (Lf := remaining_length dec n (A b m)). assert (La := list_length agents cpus (A b) (A_valid b) m Hm).
  fold f in Lf. split.
  - assert (G := mul_le (x / c m) (ofnat f) N D (ofnat_le f (length agents) ltac:(lia))). lra.
  - destruct (Nat.eq_dec f (length agents)) as [e|ne].
    + right. split; [|lia]. apply remaining_all; [exact Hi|]. unfold f in *. lia.
    + left. assert (G0 := ofnat_le (S f) (length agents) ltac:(lia)). simpl in G0.
      assert (G := mul_le (x / c m) (ofnat f + 1) N D G0). lra.
Qed.

Lemma equal_share_increments n m b b' : In n agents -> In m cpus -> In n (A b m) -> longer n b b' ->
  0 <= equal_share b' n - equal_share b n /\ equal_share b' n - equal_share b n <= (b' n - b n) / c m.
Proof.
  intros Hn Hm Hi Hlong. assert (N1 := one_agent n Hn). destruct (least_sum_longer n b b' Hn Hlong) as [H1 H2].
  destruct Hlong as [_ Hl]. assert (W := weight_pos dec agents cpus c agents_nodup c_pos (A b') (A_valid b') n Hn).
  assert (Hpos := mul_nonneg (weight dec cpus c (A b') n) (b' n - b n) ltac:(lra) ltac:(lra)).
  destruct (weight_times b n m (b' n - b n) Hm Hi ltac:(lra)) as [G _].
  assert (D1 := div_le N _ _ ltac:(lra) (ltac:(lra) : least_sum b <= least_sum b')).
  assert (D2 := div_le N _ _ ltac:(lra) (ltac:(lra) : least_sum b' <= least_sum b + N * ((b' n - b n) / c m))).
  assert (D3 : (least_sum b + N * ((b' n - b n) / c m)) / N == least_sum b / N + (b' n - b n) / c m).
  { generalize ((b' n - b n) / c m). intros x. field. lra. }
  unfold equal_share. split; lra.
Qed.

Theorem equal_share_dominant : truth_dominant dec agents cpus c A wait equal_share_payment.
Proof.
  apply increments_dominant; [exact agents_nodup|exact c_pos|exact A_valid|]. intros n m b b' Hn Hm Hi _ Hl.
  destruct (equal_share_increments n m b b' Hn Hm Hi Hl). generalize (wait_nonneg b n). split; lra.
Qed.

(* ---------- strictness ---------- *)
Lemma div_lt w x y : 0 < w -> x < y -> x / w < y / w.
Proof.
  intros Hw H. assert (E : w * (x / w) == x) by (field; lra). assert (F : w * (y / w) == y) by (field; lra).
  destruct (lt_le (x / w) (y / w)) as [?|G]; [assumption|]. generalize (mul_le w _ _ ltac:(lra) G). lra.
Qed.

Notation loss := (loss dec cpus c A wait equal_share_payment).

Lemma overstating_costs n b theta : In n agents -> theta n < b n ->
  loss (update dec b n (theta n)) theta n < loss b theta n.
Proof.
  intros Hn Hlt. set (b' := update dec b n (theta n)). assert (N1 := one_agent n Hn).
  assert (E : b' n = theta n) by apply update_same.
  destruct (least_sum_longer n b' b Hn (truth_shorter dec n b theta Hlt)) as [H _]. rewrite E in H.
  assert (W := weight_pos dec agents cpus c agents_nodup c_pos (A b) (A_valid b) n Hn).
  assert (P := mul_pos (weight dec cpus c (A b) n) (b n - theta n) W ltac:(lra)).
  assert (D := div_lt N (least_sum b') (least_sum b) ltac:(lra) ltac:(lra)).
  generalize (overstated_loss dec agents cpus c A wait agents_nodup A_valid equal_share n b theta Hn Hlt)
    (truthful_loss dec agents cpus c A wait agents_nodup c_pos A_valid equal_share n b' theta Hn ltac:(rewrite E; lra)).
  unfold equal_share_payment, equal_share. lra.
Qed.

(* whoever is first of all on one CPU and understates waits for all others *)
Lemma first_of_all_waits n m b theta : In m cpus -> A b m = n :: after dec n (A b m) -> b n < theta n ->
  equal_share b n + sum (map b (after dec n (A b m))) / c m + (theta n - b n) / c m <= loss b theta n.
Proof.
  intros Hm E Hlt. assert (Hi : In n (A b m)) by (rewrite E; left; reflexivity).
  assert (P := planned_own dec agents cpus c agents_nodup (A b) (A_valid b) n m Hm Hi b).
  destruct (output_understated dec agents cpus c agents_nodup (A b) (A_valid b) n m Hm Hi b theta (wait b) Hlt) as
      [_ T].
  assert (F1 : ends_from dec (c m) b 0 (A b m) n = 0 + b n / c m).
  { rewrite E. simpl. destruct (dec n n); congruence. }
  assert (F2 : ends_from dec (c m) (worked b theta) 0 (A b m) n = 0 + b n / c m).
  { rewrite E. simpl. unfold worked. destruct (dec n n); [|congruence]. destruct lt_le; [exfalso; lra|reflexivity]. }
  rewrite F1 in P. rewrite F2 in T. unfold Run.loss, equal_share_payment, payment_of. lra.
Qed.

Lemma understating_costs n b theta : In n agents -> (2 <= length agents)%nat -> (forall k, 0 < b k) -> b n < theta n ->
  loss (update dec b n (theta n)) theta n < loss b theta n.
Proof.
  intros Hn Two Hb Hlt. set (b' := update dec b n (theta n)). assert (N1 := one_agent n Hn).
  assert (E : b' n = theta n) by apply update_same.
  destruct (least_sum_longer n b b' Hn (truth_longer dec n b theta Hlt)) as [_ H]. rewrite E in H.
  destruct (some_cpu agents cpus (A b) (A_valid b) n Hn) as (m & Hm & Hi).
  generalize (truthful_loss dec agents cpus c A wait agents_nodup c_pos A_valid equal_share n b' theta Hn
    ltac:(rewrite E; lra)). fold equal_share_payment. intros Truth.
  set (D := (theta n - b n) / c m).
  assert (D0 : 0 < D) by (generalize (div_lt (c m) 0 (theta n - b n) (c_pos m) ltac:(lra)) (div_zero (c m)); unfold D;
      lra).
  assert (Dn : 0 < D / N) by (generalize (div_lt N 0 D ltac:(lra) D0) (div_zero N); lra).
  assert (Sum : (least_sum b + N * D - D) / N == least_sum b / N + D - D / N) by (field; lra).
  assert (Sum' : (least_sum b + N * D) / N == least_sum b / N + D) by (field; lra).
  destruct (weight_times b n m (theta n - b n) Hm Hi ltac:(lra)) as [G [G'|[First Len]]]; fold D in G; [fold D in G'|].
  - assert (Q := div_le N (least_sum b') (least_sum b + N * D - D) ltac:(lra) ltac:(lra)).
    generalize (understated_loss dec agents cpus c A wait agents_nodup A_valid equal_share n m b theta Hm Hi Hlt).
    fold equal_share_payment D. generalize (wait_nonneg b n). unfold equal_share in *. lra.
  - assert (Q := div_le N (least_sum b') (least_sum b + N * D) ltac:(lra) ltac:(lra)).
    generalize (first_of_all_waits n m b theta Hm First Hlt). fold D.
    assert (Others : 0 < sum (map b (after dec n (A b m)))).
    { rewrite First in Len. destruct (after dec n (A b m)) as [|k l]; simpl in *; [lia|].
      generalize (Hb k) (sum_nonneg_in b l ltac:(intros x _; generalize (Hb x); lra)). lra. }
    generalize (div_lt (c m) 0 _ (c_pos m) Others) (div_zero (c m)). unfold equal_share in *. lra.
Qed.

Theorem equal_share_strict n b theta : In n agents -> (2 <= length agents)%nat ->
  (forall k, 0 < b k) -> ~ b n == theta n -> loss (update dec b n (theta n)) theta n < loss b theta n.
Proof.
  intros Hn Two Hb Hlie. destruct (not_equal_cases _ _ Hlie) as [H|H].
  - apply overstating_costs; assumption.
  - apply understating_costs; assumption.
Qed.
End EqualShare.
