(* What makes the truth best under postponement: increments of full prices.

   The full price of n is C_n(b) = E_n(b) + P_n(b), what a truthful agent bears in time and money when all is on
   plan.
   1. If C_n never falls and never rises by more than the wait plus the added work when n declares longer, the truth
      is dominant (increments_dominant). Ex post, the rest of the CPU's plan behind n takes the place of the wait
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
Context {O CPU : Type} {dec : forall a b : O, {a = b} + {a <> b}} {agents : list O} {cpus : list CPU} {c : CPU -> num}.
Context {A : (O -> num) -> CPU -> list O}.       (* any allocation rule *)
Hypothesis H : forall b, feasible dec agents cpus c (A b).
Variable wait : (O -> num) -> O -> num.

Notation planned := (planned dec cpus c).
Notation update := (update dec).
Definition payment_of (C : (O -> num) -> O -> num) : (O -> num) -> O -> num := fun b n => C b n - planned (A b) b n.
Notation loss C := (loss dec cpus c A wait (payment_of C)).
Notation truth_dominant C := (truth_dominant dec agents cpus c A wait (payment_of C)).
Notation truth_best_ex_post C := (truth_best_ex_post dec agents cpus c A wait (payment_of C)).

(* prices that add up to the planned ends balance *)
Lemma balanced_where C :
  (forall b, (forall k, 0 <= b k) -> sum (map (C b) agents) == total_ends dec agents cpus c (A b) b) ->
  balanced agents (payment_of C).
Proof.
  intros E b Hb. specialize (E b Hb). unfold payment_of, total_ends in *.
  assert (D : forall L, sum (map (fun n => C b n - planned (A b) b n) L) ==
    sum (map (C b) L) - sum (map (planned (A b) b) L)) by (induction L as [|n L IH]; simpl; lra).
  specialize (D agents). lra.
Qed.

(* b' is b but for a longer declaration of n *)
Definition longer (n : O) (b b' : O -> num) : Prop := (forall k, k <> n -> b' k = b k) /\ b n < b' n.

Lemma longer_nonneg n (b b' : O -> num) : longer n b b' -> (forall k, 0 <= b k) -> forall k, 0 <= b' k.
Proof.
  intros [Ho Hl] Hb k. destruct (dec k n) as [e|ne]; [subst; generalize (Hb n); lra|]. rewrite Ho by exact ne. apply Hb.
Qed.

(* a lie is longer or shorter than the truth *)
Lemma lies n (b theta : O -> num) : ~ b n == theta n ->
  theta n < b n /\ longer n (update b n (theta n)) b \/ b n < theta n /\ longer n b (update b n (theta n)).
Proof.
  intros E. unfold longer. rewrite update_same. destruct (lt_le (theta n) (b n)) as [G|G]; [left|right].
  - repeat split; auto. intros k Hk. symmetry. apply update_other, Hk.
  - destruct (lt_le (b n) (theta n)); [|exfalso; lra]. repeat split; auto. intros k. apply update_other.
Qed.

Section AtOneSituation.
Variables (n : O) (b theta : O -> num).
Hypothesis Hn : In n agents.
Notation b' := (update b n (theta n)).

Lemma truthful_loss C : loss C b' theta n <= C b' n.
Proof.
  destruct (some_cpu (H b') Hn) as (m & Hm & Hi).
  generalize (output_not_late (H b') Hm Hi b' theta (wait b') ltac:(rewrite update_same; lra)).
  unfold Run.loss, payment_of. lra.
Qed.
Lemma overstated_loss C : theta n < b n -> loss C b theta n == C b n.
Proof.
  intros Hb. destruct (some_cpu (H b) Hn) as (m & Hm & Hi).
  generalize (output_overstated (H b) Hm Hi b theta (wait b) Hb). unfold Run.loss, payment_of. lra.
Qed.

(* where full prices never fall when declarations rise, understating decides *)
Lemma understating_decides C : (forall k, 0 <= b k) -> 0 <= theta n -> ~ b n == theta n ->
  (forall d d', (forall k, 0 <= d k) -> longer n d d' -> C d n <= C d' n) ->
  (b n < theta n -> longer n b b' -> loss C b' theta n <= loss C b theta n) -> loss C b' theta n <= loss C b theta n.
Proof.
  intros Hb Hth Hlie HC Hu. destruct (lies n b theta Hlie) as [[Hlt Hl]|[Hgt Hl]]; [|auto].
  generalize (truthful_loss C) (overstated_loss C Hlt) (HC b' b (update_nonneg dec b n _ Hb Hth) Hl). lra.
Qed.
End AtOneSituation.

Lemma understated_loss C n m (b theta : O -> num) : In m cpus -> In n (A b m) -> b n < theta n ->
  C b n + wait b n + (theta n - b n) / c m <= loss C b theta n.
Proof.
  intros Hm Hi Hb. destruct (output_understated (H b) Hm Hi b theta (wait b) Hb) as [G _].
  unfold Run.loss, payment_of. lra.
Qed.

(* where nobody before n ends early, the remainder waits for the CPU's planned end *)
Lemma understated_loss_behind C n m (b theta : O -> num) : In m cpus -> In n (A b m) -> b n < theta n ->
  ends_from dec (c m) b 0 (A b m) n <= ends_from dec (c m) (worked b theta) 0 (A b m) n ->
  C b n + sum (map b (after dec n (A b m))) / c m + (theta n - b n) / c m <= loss C b theta n.
Proof.
  intros Hm Hi Hb W. destruct (output_understated (H b) Hm Hi b theta (wait b) Hb) as [_ G].
  generalize (planned_own (H b) Hm Hi b). unfold Run.loss, payment_of. lra.
Qed.

(* ---------- 1. increments ---------- *)
Theorem increments_dominant C :
  (forall n m b b', In n agents -> In m cpus -> In n (A b m) -> (forall k, 0 <= b k) -> longer n b b' ->
     0 <= C b' n - C b n /\ C b' n - C b n <= wait b n + (b' n - b n) / c m) ->
  truth_dominant C.
Proof.
  intros HC n b theta Hn Hb Hth Hlie. apply understating_decides; auto.
  - intros d d' Hd Hl. destruct (some_cpu (H d) Hn) as (m & Hm & Hi). destruct (HC n m d d'); auto. lra.
  - intros Hgt Hl. destruct (some_cpu (H b) Hn) as (m & Hm & Hi).
    generalize (truthful_loss n b theta Hn C) (understated_loss C n m b theta Hm Hi Hgt).
    destruct (HC n m b _ Hn Hm Hi Hb Hl) as [_ G]. rewrite update_same in G. lra.
Qed.

Theorem increments_ex_post C :
  (forall n m b b', In n agents -> In m cpus -> In n (A b m) -> (forall k, 0 <= b k) -> longer n b b' ->
     0 <= C b' n - C b n /\ C b' n - C b n <= sum (map b (after dec n (A b m))) / c m + (b' n - b n) / c m) ->
  truth_best_ex_post C.
Proof.
  intros HC n b theta Hn Hb Hth Ho Hlie. apply understating_decides; auto.
  - intros d d' Hd Hl. destruct (some_cpu (H d) Hn) as (m & Hm & Hi). destruct (HC n m d d'); auto. lra.
  - intros Hgt Hl. destruct (some_cpu (H b) Hn) as (m & Hm & Hi).
    generalize (truthful_loss n b theta Hn C) (understated_loss_behind C n m b theta Hm Hi Hgt).
    destruct (HC n m b _ Hn Hm Hi Hb Hl) as [_ G]. rewrite update_same in G. intros T U. cut
      (ends_from dec (c m) b 0 (A b m) n <= ends_from dec (c m) (worked b theta) 0 (A b m) n); [lra|].
    apply ends_from_le; [apply (H b)| |lra]. intros k _. rewrite worked_all; [lra|].
    destruct (dec k n) as [e|ne]; [subst|rewrite (Ho k ne)]; lra.
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
  intros Hn Hb Hth Hlie H0. apply understating_decides; auto.
  - intros d d' Hd Hl. destruct (smaller_increments n d d' Hn Hd Hl). lra.
  - intros _ Hl. destruct (smaller_increments n b _ Hn Hb Hl) as [_ G]. unfold Run.loss, payment_of in *. lra.
Qed.

Theorem comparison_dominant : truth_dominant C0 -> truth_dominant C.
Proof. intros H0 n b theta Hn Hb Hth Hlie. apply comparison_at; auto. Qed.

Theorem comparison_ex_post : truth_best_ex_post C0 -> truth_best_ex_post C.
Proof. intros H0 n b theta Hn Hb Hth Ho Hlie. apply comparison_at; auto. Qed.
End Principle.

(* ---------- 3. full time ---------- *)
Section FullTime.
Variable c_max : num.
Hypothesis c_max_greatest : forall m, In m cpus -> c m <= c_max.

Definition full_time (b : O -> num) (n : O) : num := sum (map (fun k => b k / c_max) agents).

Lemma full_time_increments n m b b' : In n agents -> In m cpus -> longer n b b' ->
  0 <= full_time b' n - full_time b n /\ full_time b' n - full_time b n <= (b' n - b n) / c m.
Proof.
  intros Hn Hm [Ho Hl].
  assert (S1 : full_time b' n == full_time b n + (b' n / c_max - b n / c_max)).
  { apply (sum_one_change dec (fun k => b k / c_max) (fun k => b' k / c_max) n agents (agents_once (H b)) Hn).
    intros k Hk. rewrite (Ho k Hk). lra. }
  assert (D1 := div_minus c_max (b' n) (b n)). assert (Cm := c_max_greatest m Hm). assert (Cp := positive (H b) m).
  assert (D2 := div_nonneg c_max (b' n - b n) ltac:(lra) ltac:(lra)).
  assert (D3 := div_faster (b' n - b n) (c m) c_max ltac:(lra) Cp Cm). split; lra.
Qed.

Theorem full_time_dominant : (forall b n, 0 <= wait b n) -> truth_dominant full_time.
Proof.
  intros Hw. apply increments_dominant. intros n m b b' Hn Hm _ _ Hl.
  destruct (full_time_increments n m b b' Hn Hm Hl). generalize (Hw b n). split; lra.
Qed.
End FullTime.
End Comparison.
