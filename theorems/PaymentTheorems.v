(* The theorems on payments in declaration mechanisms on one page. To know what they claim read it and the section
   DEFINITIONS of Run.v (the run of a mechanism whose job control postpones), and what is named from other files; the
   rest is proof, and Coq has checked it. "Closed under the global context", printed for each, means: no axiom. With
   real numbers (make NUMBERS=reals) the axioms of Coq's real numbers are printed instead. *)
From Coq Require Import List Permutation.
Require Import Numbers Game.
Require Run Comparison LeastSum EqualShare ShapleyShare NoWait RunOn FiniteDomains.
Import ListNotations.

(* ================= payments ================= *)
(* Agents with one job each declare its length; the allocation A and the waits follow from the declarations b alone. A
   job that needs longer is stopped and postponed (Run.v, section DEFINITIONS). truth_dominant: the truth is at least as
   good as any lie, whatever the others declare and are; truth_best_ex_post: if they tell the truth. *)
Section Payments.
Context {O CPU : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variable dec_cpu : forall a b : CPU, {a = b} + {a <> b}.
Variable agents : list O.
Variable first : CPU.
Variable rest : list CPU.
Notation cpus := (first :: rest).
Variable c : CPU -> num.                             (* their powers *)
Variable A : (O -> num) -> CPU -> list O.
Variable wait : (O -> num) -> O -> num.
Hypothesis agents_once : NoDup agents.
Hypothesis cpus_once : NoDup cpus.
Hypothesis powers_positive : forall m, 0 < c m.
Hypothesis waits_nonneg : forall b n, 0 <= wait b n.
Hypothesis everybody_placed : forall b, Run.valid agents cpus (A b).
Notation planned := (Run.planned dec cpus c).
Notation total_ends := (Run.total_ends dec agents cpus c).
Notation dominant := (Run.truth_dominant dec agents cpus c A wait).
Notation best_ex_post := (Run.truth_best_ex_post dec agents cpus c A wait).
Notation balanced := (Run.balanced agents).          (* the payments sum to zero *)
(* the payment that makes C b n the price of n in time and money, if all is on plan *)
Definition pay (C : (O -> num) -> O -> num) (b : O -> num) (n : O) : num := C b n - planned (A b) b n.
(* A attains the least sum of ends; in closed form that is least_sum (LeastSum.v) *)
Definition A_least : Prop := forall b sg, Run.valid agents cpus sg -> total_ends (A b) b <= total_ends sg b.
Definition least_sum : (O -> num) -> num := LeastSum.S_of dec_cpu agents first rest c.

Theorem least_sum_is_least : forall b, (forall k, 0 <= b k) ->
  (forall sg, Run.valid agents cpus sg -> least_sum b <= total_ends sg b) /\
  exists sg, Run.valid agents cpus sg /\ total_ends sg b == least_sum b.
Proof.
  intros b Hb. split.
  - exact (fun sg H => LeastSum.least_sum_lower dec dec_cpu agents first rest c agents_once powers_positive sg H b Hb).
  - exact (ex_intro _ _ (LeastSum.greedy_attains dec dec_cpu agents first rest c agents_once powers_positive
      cpus_once b)).
Qed.

(* What makes the truth dominant: the price C of n never falls when n declares longer, and never rises by more than
   the wait and the added work. *)
Theorem increments_dominant : forall C,
  (forall n m b b', In n agents -> In m cpus -> In n (A b m) -> (forall k, 0 <= b k) ->
     (forall k, k <> n -> b' k = b k) /\ b n < b' n ->
     0 <= C b' n - C b n /\ C b' n - C b n <= wait b n + (b' n - b n) / c m) ->
  dominant (pay C).
Proof.
  exact (Comparison.increments_dominant dec agents cpus c A wait agents_once powers_positive everybody_placed).
Qed.

(* The comparison principle: prices that rise no more than others, and never fall, keep the truth dominant. *)
Theorem comparison : forall C0 C, (forall n b b', In n agents -> (forall k, 0 <= b k) ->
     (forall k, k <> n -> b' k = b k) /\ b n < b' n ->
     0 <= C b' n - C b n /\ C b' n - C b n <= C0 b' n - C0 b n) -> dominant (pay C0) -> dominant (pay C).
Proof.
  exact (Comparison.comparison_dominant dec agents cpus c A wait agents_once powers_positive everybody_placed).
Qed.

(* Full time: everybody bears the time of all declared work on a CPU of the greatest power. The truth is dominant. *)
Theorem full_time : forall c_max, (forall m, In m cpus -> c m <= c_max) ->
  dominant (pay (fun b n => sum (map (fun k => b k / c_max) agents))).
Proof.
  exact (fun c_max H => Comparison.full_time_dominant dec agents cpus c A wait agents_once powers_positive
    everybody_placed c_max H waits_nonneg).
Qed.

(* Equal shares of the least sum of ends: the payments balance and the truth is dominant; with two agents or more and
   positive declarations it is strictly better than a lie. *)
Definition equal_share (b : O -> num) (n : O) : num := total_ends (A b) b / ofnat (length agents).
Theorem equal_shares : A_least -> balanced (pay equal_share) /\ dominant (pay equal_share) /\
  forall n b theta, In n agents -> (2 <= length agents)%nat -> (forall k, 0 < b k) -> ~ b n == theta n ->
  Run.loss dec cpus c A wait (pay equal_share) (Run.update dec b n (theta n)) theta n <
  Run.loss dec cpus c A wait (pay equal_share) b theta n.
Proof.
  intros H. split; [|split].
  - apply EqualShare.equal_share_balanced; assumption.
  - apply EqualShare.equal_share_dominant; assumption.
  - apply EqualShare.equal_share_strict; assumption.
Qed.

(* Shapley shares (ShapleyShare.v) balance; the truth is dominant wherever it is under VCG, where all bear the least
   sum; and nobody bears more than that. *)
Definition shapley : (O -> num) -> O -> num := ShapleyShare.shapley dec dec_cpu agents first rest c.
Theorem shapley_shares : (A_least -> balanced (pay shapley)) /\
  (dominant (pay (fun b n => least_sum b)) -> dominant (pay shapley)) /\
  forall b n, In n agents -> (forall k, 0 <= b k) -> shapley b n <= least_sum b.
Proof.
  split; [|split].
  - exact (ShapleyShare.shapley_balanced dec dec_cpu agents first rest c agents_once powers_positive A everybody_placed
      cpus_once).
  - exact (ShapleyShare.shapley_dominant_where_vcg dec dec_cpu agents first rest c agents_once powers_positive A wait
      everybody_placed).
  - exact (fun b n Hn Hb => proj2 (ShapleyShare.shapley_bounds dec dec_cpu agents first rest c agents_once
      powers_positive b n Hn Hb)).
Qed.

(* No wait is needed for the truth to be best to truthful others, under VCG and Shapley shares ... *)
Theorem no_wait_ex_post : A_least -> best_ex_post (pay (fun b n => least_sum b)) /\ best_ex_post (pay shapley).
Proof.
  intros H. split; [apply NoWait.vcg_ex_post|apply NoWait.shapley_ex_post]; assumption.
Qed.

(* ... nor on one machine for dominance, the shortest first. *)
Theorem no_wait_one_machine : A_least -> forall m, In m cpus -> (forall b k, In k agents -> In k (A b m)) ->
  (forall b, (forall k, 0 <= b k) -> LeastSum.ascending b 0 (A b m)) ->
  dominant (pay (fun b n => least_sum b)) /\ dominant (pay shapley).
Proof.
  intros H m Hm Hall Hs.
  split; [apply NoWait.vcg_dominant_one_machine with m|apply NoWait.shapley_dominant_one_machine with m]; assumption.
Qed.

(* On one machine even no payments will do, if no planned end falls when its agent declares longer. *)
Theorem no_payments : forall m, In m cpus -> (forall b k, In k agents -> In k (A b m)) ->
  (forall n b b', In n agents -> (forall k, 0 <= b k) -> (forall k, k <> n -> b' k = b k) /\ b n < b' n ->
     planned (A b) b n <= planned (A b') b' n) -> dominant (fun _ _ => 0).
Proof. exact (NoWait.unpaid_dominant dec agents cpus c A wait agents_once powers_positive everybody_placed). Qed.

(* A job that needs longer runs on, at a share of its CPU (RunOn.v): equal shares and full time keep the truth best to
   truthful others, with or without closing gaps and early outputs. *)
Theorem run_on : forall close early share, (forall b n, 0 < share b n /\ share b n <= 1) ->
  let best := RunOn.truth_best_run_on dec close early agents cpus c A share in
  (A_least -> best (pay equal_share)) /\ forall c_max, (forall m, In m cpus -> c m <= c_max) ->
    best (pay (fun b n => sum (map (fun k => b k / c_max) agents))).
Proof.
  intros close early share Hs. split; [apply RunOn.equal_share_run_on|apply RunOn.full_time_run_on]; assumption.
Qed.
End Payments.
Print Assumptions least_sum_is_least.
Print Assumptions increments_dominant.
Print Assumptions comparison.
Print Assumptions full_time.
Print Assumptions equal_shares.
Print Assumptions shapley_shares.
Print Assumptions no_wait_ex_post.
Print Assumptions no_wait_one_machine.
Print Assumptions no_payments.
Print Assumptions run_on.

(* Finitely many lengths, payments known in advance (FiniteDomains.v): the test of a price table is sound, and a closed
   walk of lies that gains time refutes all payments. *)
Theorem finite_domains : forall X (situations : list (X -> X -> num)) lengths,
  (forall P, FiniteDomains.satisfied situations lengths P = true -> forall s theta b, In s situations ->
     In theta lengths -> In b lengths -> s theta theta + P theta <= s b theta + P b) /\
  forall start walk, In start lengths -> (forall s b, In (s, b) walk -> In s situations /\ In b lengths) ->
  FiniteDomains.stop start walk = start -> FiniteDomains.later start walk < 0 ->
  forall P, ~ FiniteDomains.implements situations lengths P.
Proof. exact (fun X s l => conj (FiniteDomains.prices_sound s l) (FiniteDomains.walk_sound s l)). Qed.
Print Assumptions finite_domains.

(* Where a job that needs longer runs on, no payments known in advance make the truth best for a length unknown to the
   others: lengths y <= d < z, one other agent, who declares d and may need beta > d + z - y. *)
Theorem run_on_impossible : forall close early share y d z beta, 0 < share -> 0 <= y -> y <= d -> d < z ->
  d + z - y < beta -> forall P, ~ FiniteDomains.implements
    [FiniteDomains.bob close early share d d; FiniteDomains.bob close early share d beta] [y; z] P.
Proof. exact (fun close early s y d z beta H => FiniteDomains.run_on_impossible close early s H y d z beta). Qed.
Print Assumptions run_on_impossible.
