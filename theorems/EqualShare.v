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

Lemma all_shares {X : Type} (f : X -> num) L : ofnat (length L) * (sum (map f L) / ofnat (length L)) == sum (map f L).
Proof. destruct L as [|k L]; simpl; [lra|]. field. generalize (ofnat_nonneg (length L)). lra. Qed.

Section EqualShare.
Context {O CPU : Type} {dec : forall a b : O, {a = b} + {a <> b}} {agents : list O} {cpus : list CPU} {c : CPU -> num}.
Context {A : (O -> num) -> CPU -> list O} (H : forall b, feasible dec agents cpus c (A b)).
Variable wait : (O -> num) -> O -> num.
Hypothesis wait_nonneg : forall b n, 0 <= wait b n.
Notation total_ends := (total_ends dec agents cpus c).
Hypothesis A_least : forall b sg, (forall k, 0 <= b k) -> valid agents cpus sg -> total_ends (A b) b <= total_ends sg b.
Notation N := (ofnat (length agents)).
Notation least_sum b := (total_ends (A b) b).
Definition equal_share (b : O -> num) (n : O) : num := least_sum b / N.
Notation payment := (payment_of (dec := dec) (cpus := cpus) (c := c) (A := A) equal_share).
Notation loss := (loss dec cpus c A wait payment).

Lemma shares b n : N * equal_share b n == least_sum b.
Proof. apply all_shares. Qed.

Theorem equal_share_balanced : balanced agents payment.
Proof.
  apply balanced_where. intros b _. unfold Run.total_ends. rewrite <- (all_shares (planned dec cpus c (A b) b) agents).
  apply sum_const.
Qed.

(* the jobs from n to the end of her CPU bound how much the least sum rises *)
Lemma least_sum_rises n m b b' : In m cpus -> In n (A b m) -> (forall k, 0 <= b k) -> longer n b b' ->
  least_sum b < least_sum b' /\ least_sum b' <= least_sum b + ofnat (remaining dec n (A b m)) * ((b' n - b n) / c m).
Proof.
  intros Hm Hi Hb Hlong. assert (Hb' := longer_nonneg (dec := dec) n b b' Hlong Hb). destruct Hlong as [Ho Hl].
  destruct (some_cpu (H b') (scheduled (H b) Hm Hi)) as (m' & Hm' & Hi').
  assert (E := total_ends_change (H b) b b' Hm Hi Ho). assert (E' := total_ends_change (H b') b b' Hm' Hi' Ho).
  assert (L := A_least b _ Hb (placed_once (H b'))). assert (L' := A_least b' _ Hb' (placed_once (H b))).
  set (f := remaining dec n (A b m)) in *.
  assert (F : ofnat f / c m * (b' n - b n) == ofnat f * ((b' n - b n) / c m)).
  { field. generalize (positive (H b) m). lra. }
  assert (P : 0 < ofnat (remaining dec n (A b' m')) / c m' * (b' n - b n)); [|lra].
  apply mul_pos; [|lra]. apply div_pos; [apply (H b)|].
  generalize (ofnat_le _ _ (proj1 (remaining_range dec n (A b' m') Hi'))). simpl. lra.
Qed.
Lemma list_at_most b m : In m cpus -> (length (A b m) <= length agents)%nat.
Proof. intros Hm. exact (NoDup_incl_length (list_nodup (H b) Hm) (fun k => scheduled (H b) Hm)). Qed.
Lemma equal_share_increments n m b b' : In n agents -> In m cpus -> In n (A b m) -> (forall k, 0 <= b k) ->
  longer n b b' ->
  0 <= equal_share b' n - equal_share b n /\ equal_share b' n - equal_share b n <= (b' n - b n) / c m.
Proof.
  intros Hn Hm Hi Hb Hl. assert (N1 := length_some n agents Hn).
  destruct (least_sum_rises n m b b' Hm Hi Hb Hl) as [H1 H2].
  assert (E := shares b n). assert (E' := shares b' n). destruct Hl as [_ Hl].
  assert (D := div_nonneg (c m) (b' n - b n) (positive (H b) m) ltac:(lra)).
  assert (R := remaining_range dec n (A b m) Hi). assert (L := list_at_most b m Hm).
  assert (G := mul_le _ _ _ D (ofnat_le (remaining dec n (A b m)) (length agents) ltac:(lia))).
  split; apply (mul_cancel N); lra.
Qed.

Theorem equal_share_dominant : truth_dominant dec agents cpus c A wait payment.
Proof.
  apply (increments_dominant H). intros n m b b' Hn Hm Hi Hb Hl.
  destruct (equal_share_increments n m b b' Hn Hm Hi Hb Hl). generalize (wait_nonneg b n). split; lra.
Qed.

(* ---------- strictness ---------- *)
Theorem equal_share_strict n b theta : In n agents -> (2 <= length agents)%nat -> (forall k, 0 < b k) -> 0 <= theta n ->
  ~ b n == theta n -> loss (update dec b n (theta n)) theta n < loss b theta n.
Proof.
  intros Hn Two Hb Hth Hlie. set (b' := update dec b n (theta n)).
  assert (Hb0 : forall k, 0 <= b k) by (intros k; generalize (Hb k); lra). assert (N1 := length_some n agents Hn).
  assert (Truth := truthful_loss H wait n b theta Hn equal_share). fold b' in Truth.
  assert (E := shares b n). assert (E' := shares b' n).
  (* shares are compared by the sums of all *)
  assert (Cancel : forall x, N * equal_share b' n < N * x -> equal_share b' n < x).
  { intros x G. destruct (lt_le (equal_share b' n) x) as [?|F]; [assumption|].
    generalize (mul_le N _ _ ltac:(lra) F). lra. }
  destruct (lies (dec := dec) n b theta Hlie) as [[Hlt Hl]|[Hgt Hl]]; fold b' in Hl.
  - destruct (some_cpu (H b') Hn) as (m & Hm & Hi).
    destruct (least_sum_rises n m b' b Hm Hi (update_nonneg dec b n _ Hb0 Hth) Hl) as [G _].
    generalize (overstated_loss H wait n b theta Hn equal_share Hlt) (Cancel (equal_share b n) ltac:(lra)). lra.
  - destruct (some_cpu (H b) Hn) as (m & Hm & Hi). destruct (least_sum_rises n m b b' Hm Hi Hb0 Hl) as [_ G].
    assert (En : b' n = theta n) by apply update_same. rewrite En in G. set (D := (theta n - b n) / c m) in *.
    assert (D0 : 0 < D) by (apply div_pos; [apply (H b)|lra]).
    assert (R := remaining_range dec n (A b m) Hi). assert (L := list_at_most b m Hm).
    destruct (Nat.eq_dec (remaining dec n (A b m)) (length agents)) as [All|Less].
    + (* first of all on one CPU: the others are behind her *)
      rewrite All in G. assert (U := understated_loss_behind H wait equal_share n m b theta Hm Hi Hgt). fold D in U.
      destruct (A b m) as [|k M]; simpl in *; [tauto|]. destruct (dec k n) as [e|ne]; [subst k|exfalso].
      2: { destruct Hi as [e|Hi]; [tauto|]. apply (remaining_range dec) in Hi. lia. }
      rewrite worked_all in U by lra. assert (Others : 0 < sum (map b M) / c m).
      { apply div_pos; [apply (H b)|]. destruct M as [|k M]; simpl in *; [lia|].
        assert (0 <= sum (map b M)) by (apply sum_map_nonneg; exact Hb0).
        generalize (Hb k). lra. }
      specialize (U ltac:(lra)). generalize (Cancel (equal_share b n + D + sum (map b M) / c m)).
      assert (0 < N * (sum (map b M) / c m)) by (apply mul_pos; lra). lra.
    + assert (F := ofnat_le (S (remaining dec n (A b m))) (length agents) ltac:(lia)). apply (mul_le D) in F;
        [simpl in F|lra]. generalize (Cancel (equal_share b n + D) ltac:(lra)) (wait_nonneg b n)
        (understated_loss H wait equal_share n m b theta Hm Hi Hgt). fold D. lra.
Qed.
End EqualShare.
