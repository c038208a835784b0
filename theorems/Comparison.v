(* What makes the truth best under postponement: increments of full prices.

   The full price of n is C_n(b) = E_n(b) + P_n(b), what a truthful agent bears in time and money when all is on
   plan.
   1. If C_n never falls and never rises by more than the wait plus the added work when n declares longer, the truth
      is dominant (increments_dominant). Ex post, the rest of the CPU's plan behind n may replace the wait
      (increments_ex_post).
   2. If some full prices make the truth best and others rise, but never by more, then they make it best too
      (comparison_dominant, comparison_ex_post): the comparison principle.
   3. Full time, P_n = sum b / c_max - E_n, is dominant whatever the allocation (full_time_dominant).

   Proof. By the table of Run.v the truthful are never late and overstaters get their outputs when planned, so the
   truthful lose at most C_n of the truth and overstaters exactly C_n of the lie, which is not smaller. An
   understater loses C_n of the lie and a delay: at least the wait and the missing work (1), or, for the comparison
   (2), the same delay under both payments, which outweighs the greater of the two differences of prices. *)
From Coq Require Import List Lia Permutation.
Require Import Numbers Game Run.
Import ListNotations.

Section Comparison.
Context {O CPU : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variable agents : list O.
Variable cpus : list CPU.
Variable c : CPU -> num.
Variable A : (O -> num) -> CPU -> list O.        (* any allocation rule *)
Variable wait : (O -> num) -> O -> num.
Hypothesis agents_nodup : NoDup agents.
Hypothesis c_pos : forall m, 0 < c m.
Hypothesis A_valid : forall b, valid agents cpus (A b).

Notation planned := (planned dec cpus c).
Notation output := (output dec cpus c).
Notation update := (update dec).
Definition payment_of (C : (O -> num) -> O -> num) : (O -> num) -> O -> num := fun b n => C b n - planned (A b) b n.
Notation loss C := (loss dec cpus c A wait (payment_of C)).
Notation truth_dominant C := (truth_dominant dec agents cpus c A wait (payment_of C)).
Notation truth_best_ex_post C := (truth_best_ex_post dec agents cpus c A wait (payment_of C)).

(* b' is b but for a longer declaration of n *)
Definition longer (n : O) (b b' : O -> num) : Prop := (forall k, k <> n -> b' k = b k) /\ b n < b' n.

Lemma truth_longer n (b theta : O -> num) : b n < theta n -> longer n b (update b n (theta n)).
Proof. intros H. split; [intros k; apply update_other|rewrite update_same; exact H]. Qed.

Lemma truth_shorter n (b theta : O -> num) : theta n < b n -> longer n (update b n (theta n)) b.
Proof. intros H. split; [intros k Hk; symmetry; apply update_other, Hk|rewrite update_same; exact H]. Qed.

Lemma truthful_loss C n (b theta : O -> num) : In n agents -> b n == theta n -> loss C b theta n <= C b n.
Proof.
  intros Hn Hb. destruct (some_cpu agents cpus (A b) (A_valid b) n Hn) as (m & Hm & Hi).
  generalize (output_not_late dec agents cpus c agents_nodup _ (A_valid b) n m Hm Hi b theta (wait b) (c_pos m) Hb).
  unfold Run.loss, payment_of. lra.
Qed.

Lemma overstated_loss C n (b theta : O -> num) : In n agents -> theta n < b n -> loss C b theta n == C b n.
Proof.
  intros Hn Hb. destruct (some_cpu agents cpus (A b) (A_valid b) n Hn) as (m & Hm & Hi).
  generalize (output_overstated dec agents cpus c agents_nodup _ (A_valid b) n m Hm Hi b theta (wait b) Hb).
  unfold Run.loss, payment_of. lra.
Qed.

Lemma understated_loss C n m (b theta : O -> num) : In m cpus -> In n (A b m) -> b n < theta n ->
  C b n + wait b n + (theta n - b n) / c m <= loss C b theta n.
Proof.
  intros Hm Hi Hb.
  destruct (output_understated dec agents cpus c agents_nodup _ (A_valid b) n m Hm Hi b theta (wait b) Hb) as [G _].
  unfold Run.loss, payment_of. lra.
Qed.

(* with truthful others the remainder waits for the CPU's planned end *)
Lemma understated_loss_ex_post C n m (b theta : O -> num) : In m cpus -> In n (A b m) -> b n < theta n ->
  (forall k, k <> n -> b k = theta k) ->
  C b n + sum (map b (after dec n (A b m))) / c m + (theta n - b n) / c m <= loss C b theta n.
Proof.
  intros Hm Hi Hb Ho.
  destruct (output_understated dec agents cpus c agents_nodup _ (A_valid b) n m Hm Hi b theta (wait b) Hb) as [_ G].
  assert (P := planned_own dec agents cpus c agents_nodup _ (A_valid b) n m Hm Hi b).
  assert (W : ends_from dec (c m) b 0 (A b m) n <= ends_from dec (c m) (worked b theta) 0 (A b m) n).
  { apply ends_from_le; [apply c_pos| |lra]. intros k _. unfold worked. destruct (lt_le (theta k) (b k)); [|lra].
    destruct (dec k n) as [e|ne]; [subst; lra|]. rewrite (Ho k ne). lra. }
  unfold Run.loss, payment_of. lra.
Qed.

Lemma not_equal_cases (x y : num) : ~ x == y -> y < x \/ x < y.
Proof. intros H. destruct (lt_le y x); [auto|]. destruct (lt_le x y); [auto|]. exfalso. apply H. lra. Qed.

(* ---------- 1. increments ---------- *)
Lemma overstating_never_pays C n (b theta : O -> num) : In n agents -> theta n < b n ->
  C (update b n (theta n)) n <= C b n -> loss C (update b n (theta n)) theta n <= loss C b theta n.
Proof.
  intros Hn Hb H. generalize (overstated_loss C n b theta Hn Hb).
  assert (E : update b n (theta n) n == theta n) by (rewrite update_same; lra).
  generalize (truthful_loss C n _ theta Hn E). lra.
Qed.

Theorem increments_dominant C :
  (forall n m b b', In n agents -> In m cpus -> In n (A b m) -> (forall k, 0 <= b k) -> longer n b b' ->
     0 <= C b' n - C b n /\ C b' n - C b n <= wait b n + (b' n - b n) / c m) ->
  truth_dominant C.
Proof.
  intros HC n b theta Hn Hb Hth Hlie. set (b' := update b n (theta n)).
  assert (b'n : b' n = theta n) by apply update_same. assert (E : b' n == theta n) by (rewrite b'n; lra).
  destruct (not_equal_cases _ _ Hlie) as [Hlt|Hgt].
  - apply overstating_never_pays; [exact Hn|exact Hlt|].
    destruct (some_cpu agents cpus (A b') (A_valid b') n Hn) as (m & Hm & Hi).
    assert (b'_nonneg : forall k, 0 <= b' k) by (apply update_nonneg; auto).
    destruct (HC n m b' b Hn Hm Hi b'_nonneg (truth_shorter n b theta Hlt)). fold b'. lra.
  - destruct (some_cpu agents cpus (A b) (A_valid b) n Hn) as (m & Hm & Hi).
    generalize (truthful_loss C n b' theta Hn E) (understated_loss C n m b theta Hm Hi Hgt).
    destruct (HC n m b b' Hn Hm Hi Hb (truth_longer n b theta Hgt)) as [_ G]. rewrite b'n in G. lra.
Qed.

Theorem increments_ex_post C :
  (forall n m b b', In n agents -> In m cpus -> In n (A b m) -> (forall k, 0 <= b k) -> longer n b b' ->
     0 <= C b' n - C b n /\ (C b' n - C b n <= wait b n + (b' n - b n) / c m \/
                             C b' n - C b n <= sum (map b (after dec n (A b m))) / c m + (b' n - b n) / c m)) ->
  truth_best_ex_post C.
Proof.
  intros HC n b theta Hn Hb Hth Ho Hlie. set (b' := update b n (theta n)).
  assert (b'n : b' n = theta n) by apply update_same. assert (E : b' n == theta n) by (rewrite b'n; lra).
  destruct (not_equal_cases _ _ Hlie) as [Hlt|Hgt].
  - apply overstating_never_pays; [exact Hn|exact Hlt|].
    destruct (some_cpu agents cpus (A b') (A_valid b') n Hn) as (m & Hm & Hi).
    assert (b'_nonneg : forall k, 0 <= b' k) by (apply update_nonneg; auto).
    destruct (HC n m b' b Hn Hm Hi b'_nonneg (truth_shorter n b theta Hlt)). fold b'. lra.
  - destruct (some_cpu agents cpus (A b) (A_valid b) n Hn) as (m & Hm & Hi).
    generalize (truthful_loss C n b' theta Hn E) (understated_loss C n m b theta Hm Hi Hgt)
      (understated_loss_ex_post C n m b theta Hm Hi Hgt Ho).
    destruct (HC n m b b' Hn Hm Hi Hb (truth_longer n b theta Hgt)) as [_ G]. rewrite b'n in G. destruct G; lra.
Qed.

(* ---------- 2. the comparison principle ---------- *)
Section Principle.
Variables C0 C : (O -> num) -> O -> num.
Hypothesis smaller_increments : forall n b b', In n agents -> (forall k, 0 <= b k) -> longer n b b' ->
  0 <= C b' n - C b n /\ C b' n - C b n <= C0 b' n - C0 b n.

Lemma comparison_at n (b theta : O -> num) : In n agents -> (forall k, 0 <= b k) -> 0 <= theta n -> ~ b n == theta n ->
  loss C0 (update b n (theta n)) theta n <= loss C0 b theta n ->
  loss C (update b n (theta n)) theta n <= loss C b theta n.
Proof.
  intros Hn Hb Hth Hlie H0. destruct (not_equal_cases _ _ Hlie) as [Hlt|Hgt].
  - apply overstating_never_pays; [exact Hn|exact Hlt|].
    assert (N : forall k, 0 <= update b n (theta n) k) by (apply update_nonneg; auto).
    destruct (smaller_increments n _ b Hn N (truth_shorter n b theta Hlt)). lra.
  - destruct (smaller_increments n b _ Hn Hb (truth_longer n b theta Hgt)) as [_ G].
    unfold Run.loss, payment_of in *. lra.
Qed.

Theorem comparison_dominant : truth_dominant C0 -> truth_dominant C.
Proof. intros H n b theta Hn Hb Hth Hlie. apply comparison_at; auto. Qed.

Theorem comparison_ex_post : truth_best_ex_post C0 -> truth_best_ex_post C.
Proof. intros H n b theta Hn Hb Hth Ho Hlie. apply comparison_at; auto. Qed.
End Principle.

(* ---------- 3. full time ---------- *)
Variable c_max : num.
Hypothesis c_max_greatest : forall m, In m cpus -> c m <= c_max.

Definition full_time (b : O -> num) (n : O) : num := sum (map (fun k => b k / c_max) agents).

Lemma full_time_increments n m b b' : In n agents -> In m cpus -> longer n b b' ->
  0 <= full_time b' n - full_time b n /\ full_time b' n - full_time b n <= (b' n - b n) / c m.
Proof.
  intros Hn Hm [Ho Hl].
  assert (S1 : full_time b' n == full_time b n + (b' n / c_max - b n / c_max)).
  { apply (sum_one_change dec (fun k => b k / c_max) (fun k => b' k / c_max) n agents agents_nodup Hn).
    intros k Hk. rewrite (Ho k Hk). lra. }
  assert (D1 := div_minus c_max (b' n) (b n)). assert (Cm := c_max_greatest m Hm). assert (Cp := c_pos m).
  assert (D2 := div_nonneg c_max (b' n - b n) ltac:(lra) ltac:(lra)).
  assert (D3 := div_faster (b' n - b n) (c m) c_max ltac:(lra) Cp Cm). split; lra.
Qed.

Theorem full_time_dominant : (forall b n, 0 <= wait b n) -> truth_dominant full_time.
Proof.
  intros Hw. apply increments_dominant. intros n m b b' Hn Hm _ _ Hl.
  destruct (full_time_increments n m b b' Hn Hm Hl). generalize (Hw b n). split; lra.
Qed.
End Comparison.
