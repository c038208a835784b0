(* The theorems on payments in declaration mechanisms on one page. To know what they claim read it and the section
   DEFINITION of Run.v (the run of a mechanism whose job control postpones), and those of LeastSum.v, ShapleyShare.v,
   Bystanders.v, RunOn.v and FiniteDomains.v where something is named from there; the rest is proof, and Coq has checked
   it. "Closed under the global context", printed for each, means: no axiom. With
   real numbers (make NUMBERS=reals) the axioms of Coq's real numbers are printed instead. *)
From Coq Require Import List Permutation.
Require Import Numbers Game.
Require Run Comparison LeastSum EqualShare ShapleyShare NoWait RunOn Bystanders FiniteDomains.
Import ListNotations.

(* ================= payments ================= *)
(* Agents with one job each declare its length; the allocation A and the waits follow from the declarations b alone. A
   job that needs longer is stopped and postponed (Run.v, section DEFINITION). What an agent loses is the time of her
   output and what she pays. truth_dominant: the truth is at least as good as any lie, whatever the others declare and
   are; truth_best_ex_post: if they tell the truth. A lie is a declaration that is not equal to the length; the same
   number, written as another fraction, is none. *)
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
Definition A_least : Prop := forall b sg, (forall k, 0 <= b k) -> Run.valid agents cpus sg ->
  total_ends (A b) b <= total_ends sg b.
Definition least_sum : (O -> num) -> num := LeastSum.S_of dec_cpu agents first rest c.

Let feasible sg (V : Run.valid agents cpus sg) := Run.Feasible dec agents cpus c sg agents_once powers_positive V.
Let H b := feasible (A b) (everybody_placed b).

Theorem least_sum_is_least : forall b, (forall k, 0 <= b k) ->
  (forall sg, Run.valid agents cpus sg -> least_sum b <= total_ends sg b) /\
  exists sg, Run.valid agents cpus sg /\ total_ends sg b == least_sum b.
Proof.
  intros b Hb. split.
  - exact (fun sg V => LeastSum.least_sum_lower dec_cpu cpus_once powers_positive (feasible sg V) b Hb).
  - destruct (LeastSum.greedy_attains (dec := dec) dec_cpu cpus_once powers_positive b agents_once) as (sg & V & E).
    exact (ex_intro _ sg (conj (Run.placed_once V) E)).
Qed.

(* What makes the truth dominant: the price C of n never falls when n declares longer, and never rises by more than
   the wait and the added work. *)
Theorem increments_dominant : forall C,
  (forall n m b b', In n agents -> In m cpus -> In n (A b m) -> (forall k, 0 <= b k) ->
     (forall k, k <> n -> b' k = b k) /\ b n < b' n ->
     0 <= C b' n - C b n /\ C b' n - C b n <= wait b n + (b' n - b n) / c m) ->
  dominant (pay C).
Proof. exact (Comparison.increments_dominant H wait). Qed.

(* The comparison principle: prices that rise no more than others, and never fall, keep the truth dominant. *)
Theorem comparison : forall C0 C, (forall n b b', In n agents -> (forall k, 0 <= b k) ->
     (forall k, k <> n -> b' k = b k) /\ b n < b' n ->
     0 <= C b' n - C b n /\ C b' n - C b n <= C0 b' n - C0 b n) -> dominant (pay C0) -> dominant (pay C).
Proof. exact (Comparison.comparison_dominant H wait). Qed.

(* Full time: everybody bears the time of all declared work on a CPU of the greatest power. The truth is dominant. *)
Definition time_of_all (c_max : num) (b : O -> num) (n : O) : num := sum (map (fun k => b k / c_max) agents).
Theorem full_time : forall c_max, (forall m, In m cpus -> c m <= c_max) -> dominant (pay (time_of_all c_max)).
Proof. exact (fun c_max G => Comparison.full_time_dominant H wait c_max G waits_nonneg). Qed.

(* Equal shares of the sum of ends: the payments balance. If the allocation attains the least sum, the truth is
   dominant; with two agents or more and positive declarations it is strictly better than a lie. *)
Definition equal_share (b : O -> num) (n : O) : num := total_ends (A b) b / ofnat (length agents).
Theorem equal_shares : balanced (pay equal_share) /\ (A_least -> dominant (pay equal_share)) /\
  (A_least -> forall n b theta, In n agents -> (2 <= length agents)%nat -> (forall k, 0 < b k) -> 0 <= theta n ->
  ~ b n == theta n -> Run.loss dec cpus c A wait (pay equal_share) (Run.update dec b n (theta n)) theta n <
  Run.loss dec cpus c A wait (pay equal_share) b theta n).
Proof.
  exact (conj EqualShare.equal_share_balanced (conj (EqualShare.equal_share_dominant H wait waits_nonneg)
    (EqualShare.equal_share_strict H wait waits_nonneg))).
Qed.

(* Shapley shares (the closed form in ShapleyShare.v; that it is the Shapley value of the least sum is on paper) balance
   if the allocation attains the least sum; the truth is dominant wherever it is under VCG, where everybody bears the
   whole least sum; and nobody bears more than that. *)
Definition shapley : (O -> num) -> O -> num := ShapleyShare.shapley dec dec_cpu agents first rest c.
Theorem shapley_shares : (A_least -> balanced (pay shapley)) /\
  (dominant (pay (fun b n => least_sum b)) -> dominant (pay shapley)) /\
  forall b n, In n agents -> (forall k, 0 <= b k) -> shapley b n <= least_sum b.
Proof.
  split; [exact (ShapleyShare.shapley_balanced dec_cpu H cpus_once)|split].
  - exact (Comparison.comparison_dominant H wait _ _ (ShapleyShare.shapley_increments dec_cpu H)).
  - exact (fun b n Hn Hb => proj2 (ShapleyShare.shapley_bounds dec_cpu H b n Hn Hb)).
Qed.

(* Bystanders (Bystanders.v), on one machine, three agents or more: n bears her own length, and what two others cost
   each other in equal parts with the rest of those who are neither. The payments balance; the truth is dominant where
   nobody's declaration changes the order of the others. *)
Definition alone_on (m : CPU) : Prop := In m cpus /\ forall b k, In k agents -> In k (A b m).
Definition order_kept (m : CPU) : Prop := forall n b b', (forall k, 0 <= b k) ->
  (forall k, k <> n -> b' k = b k) /\ b n < b' n -> remove dec n (A b' m) = remove dec n (A b m).
Definition bystander : CPU -> (O -> num) -> O -> num := Bystanders.bystander dec agents c A.
Theorem bystanders : forall m, alone_on m -> (3 <= length agents)%nat -> balanced (pay (bystander m)) /\
  (order_kept m -> dominant (pay (bystander m))).
Proof.
  intros m [Hm Hall] Three. split; [exact (Bystanders.bystanders_balanced H m Hm Hall Three)|]. intros Ho.
  apply increments_dominant. unfold bystander. intros n m' b b' Hn Hm' Hi Hb Hl.
  destruct (Bystanders.bystander_increments H m Hm Hall Ho n m' b b' Hn Hm' Hi Hb Hl). generalize (waits_nonneg b n).
  split; lra.
Qed.

(* If the allocation attains the least sum, no wait is needed for the truth to be best to truthful others, under VCG and
   Shapley shares ... *)
Theorem no_wait_ex_post : A_least -> best_ex_post (pay (fun b n => least_sum b)) /\ best_ex_post (pay shapley).
Proof.
  intros L. assert (V := NoWait.vcg_ex_post dec_cpu H cpus_once L wait). split; [exact V|].
  exact (Comparison.comparison_ex_post H wait _ _ (ShapleyShare.shapley_increments dec_cpu H) V).
Qed.

(* ... nor for dominance where all jobs are on one machine, the shortest first. *)
Theorem no_wait_one_machine : A_least -> forall m, alone_on m ->
  (forall b, (forall k, 0 <= b k) -> LeastSum.ascending b 0 (A b m)) ->
  dominant (pay (fun b n => least_sum b)) /\ dominant (pay shapley).
Proof.
  intros L m [Hm Hall] Hs. assert (V := NoWait.vcg_dominant_one_machine dec_cpu H cpus_once L wait m Hm Hall Hs).
  exact (conj V (proj1 (proj2 shapley_shares) V)).
Qed.

(* On one machine even no payments will do, if no planned end falls when its agent declares longer. *)
Theorem no_payments : forall m, alone_on m ->
  (forall n b b', In n agents -> (forall k, 0 <= b k) -> (forall k, k <> n -> b' k = b k) /\ b n < b' n ->
     planned (A b) b n <= planned (A b') b' n) -> dominant (fun _ _ => 0).
Proof. exact (fun m G => NoWait.unpaid_dominant H wait m (proj1 G) (proj2 G)). Qed.

(* A job that needs longer runs on, at a share of its CPU (RunOn.v): equal shares (if the allocation attains the least
   sum), full time and what bystanders bear keep the truth best to truthful others, with or without closing gaps and
   early outputs. *)
Theorem run_on : forall close early share, (forall b n, 0 < share b n /\ share b n <= 1) ->
  let best := RunOn.truth_best_run_on dec close early agents cpus c A share in
  (A_least -> best (pay equal_share)) /\
  (forall c_max, (forall m, In m cpus -> c m <= c_max) -> best (pay (time_of_all c_max))) /\
  forall m, alone_on m -> order_kept m -> best (pay (bystander m)).
Proof.
  intros close early share Hs best. assert (G := RunOn.run_on_increments dec close early agents cpus c A share H Hs).
  split; [|split].
  - exact (fun L => G _ (EqualShare.equal_share_increments H L)).
  - exact (fun x Hx => G _ (fun n m b b' Hn Hm _ _ => Comparison.full_time_increments H x Hx n m b b' Hn Hm)).
  - exact (fun m M Ho => G _ (Bystanders.bystander_increments H m (proj1 M) (proj2 M) Ho)).
Qed.
End Payments.
Print Assumptions least_sum_is_least.
Print Assumptions increments_dominant.
Print Assumptions comparison.
Print Assumptions full_time.
Print Assumptions equal_shares.
Print Assumptions shapley_shares.
Print Assumptions bystanders.
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

(* Two agents on one CPU of power 1, the shorter declaration first; a job that needs longer runs on, at a fixed share.
   No payments that depend on ann's declaration alone make the truth best for her, whose length is y or z, whether bob,
   who declares d, is d or beta: if y <= d < z and beta > d + z - y. *)
Theorem run_on_impossible : forall close early share y d z beta, 0 < share -> 0 <= y -> y <= d -> d < z ->
  d + z - y < beta -> forall P, ~ FiniteDomains.implements
    [FiniteDomains.bob close early share d d; FiniteDomains.bob close early share d beta] [y; z] P.
Proof. exact FiniteDomains.run_on_impossible. Qed.
Print Assumptions run_on_impossible.
