(* The theorems on placement games; T1, R9, ... are their names in the documentation. To know what they claim read this
   page and the sections titled DEFINITION of Game.v (the cost of an organization, written out as a run of every
   machine's queue), of Sums.v and of numbers/; a statement that uses the definitions of a further file says so. The
   rest is proof, and Coq has checked it. "Closed under the global context", printed for each, means: no axiom. With
   real numbers (make NUMBERS=reals) the axioms of Coq's real numbers are printed instead. Two pages continue this one:
   PaymentTheorems.v, on the payments of the declaration mechanisms, and ComputedTheorems.v, proved by trying all
   profiles, with rational numbers. Two more theorems need certificates, which the package computes (make seven, make
   eight): SevenJobs.N4_seven and EightJobs.N4_eight, four organizations with at most seven and at most eight jobs in
   all, under one priority for all machines, have a pure equilibrium. *)
From Coq Require Import List Permutation Fin PeanoNat Lia ZArith.
Require Import Numbers Game.
Require PriorityToJobs Organizations BestResponses LongestFirstProfiles FewerJobs CentralRules IterativeLoadBalancing.
Require IdenticalMachines SeveralMachines SeveralExistence SeveralTwoOrganizations SeveralPrice.
Require SumsOfCompletion SumsPrice.
Require Cover PriceTree Shapes TwoJobFirst.
Import ListNotations.

(* ================= N organizations ================= *)
(* Fin.t N is the type with N elements Fin.F1, Fin.FS Fin.F1, ...; all N lists them, each once. *)
Definition all : forall N, list (Fin.t N) := Organizations.all.

Theorem all_lists_everybody_once : forall N, (forall a, In a (all N)) /\ NoDup (all N) /\ length (all N) = N.
Proof. exact (fun N => conj (Organizations.all_in N) (conj (Organizations.all_nodup N) (Organizations.all_length N))).
Qed. Print Assumptions all_lists_everybody_once.

Ltac counted bound := generalize bound; cbv zeta; unfold all; rewrite Organizations.all_length; exact (fun H => H).

Section Game_N.
Variable N : nat.
Notation org := (Fin.t N).
Variable jobs : org -> list num.                     (* the lengths of each organization's jobs *)
Variable prio : org -> list org.                     (* each machine's order of all, its owner anywhere *)

Definition nonneg_jobs : Prop := forall a x, In x (jobs a) -> 0 <= x.
Definition is_prio : Prop := forall l, Permutation (prio l) (all N).

(* a profile p places job n of organization a on machine p a n *)
Definition costN : (org -> nat -> org) -> org -> num := cost Fin.eq_dec (all N) jobs prio.

(* pure Nash equilibrium *)
Definition NE (p : org -> nat -> org) : Prop :=
  forall (a : org) (d : nat -> org), costN p a <= costN (fun b => if Fin.eq_dec b a then d else p b) a.

(* no coalition K has a joint deviation that makes all its members better off *)
Definition strongNE (p : org -> nat -> org) : Prop :=
  forall (K : org -> bool) (q : org -> nat -> org), (exists a, K a = true) ->
  exists a, K a = true /\ costN p a <= costN (fun b => if K b then q b else p b) a.

Definition makespan (p : org -> nat -> org) : num := fold_right nmax 0 (map (costN p) (all N)).
End Game_N.

(* the sharp price *)
Definition rho (N : nat) : num := if Nat.eqb N 2 then 4 / 3 else 2 - 1 / (ofnat N - 1).

(* ================= existence ================= *)
(* Three organizations (T1): a pure equilibrium always exists. *)
Theorem three_organizations : forall jobs prio, nonneg_jobs 3 jobs -> is_prio 3 prio -> exists p, NE 3 jobs prio p.
Proof. exact Organizations.three_organizations. Qed. Print Assumptions three_organizations.

(* Two organizations (T4(a)): a pure equilibrium always exists. *)
Theorem two_organizations : forall jobs prio, nonneg_jobs 2 jobs -> is_prio 2 prio -> exists p, NE 2 jobs prio p.
Proof. exact Organizations.two_organizations. Qed. Print Assumptions two_organizations.

(* At most two jobs, or jobs of one length, in each of N organizations (T2): a pure equilibrium exists. *)
Theorem few_or_equal_jobs : forall N jobs prio, nonneg_jobs N jobs -> is_prio N prio ->
  (forall a, (length (jobs a) <= 2)%nat \/ exists len, forall x, In x (jobs a) -> x == len) ->
  exists p, NE N jobs prio p.
Proof. exact Organizations.few_or_equal_jobs. Qed. Print Assumptions few_or_equal_jobs.

(* i has two jobs, e none, and multi marks some of the others, among them all with two jobs or more; i comes before the
   marked ones on e's machine (T8). If the game in which i keeps its longer job and e has the shorter one has an
   equilibrium that keeps everybody unmarked at home, the game itself has one. *)
Theorem two_job_first : forall N jobs prio i e u v multi, nonneg_jobs N jobs -> is_prio N prio ->
  jobs i = [u; v] -> jobs e = [] -> multi i = false -> multi e = false ->
  (forall x, x <> i -> multi x = false -> (length (jobs x) <= 1)%nat) ->
  (forall x, multi x = true -> In i (before Fin.eq_dec x (order Fin.eq_dec prio e))) ->
  let reduced x := if Fin.eq_dec x i then [if lt_le u v then v else u]
                   else if Fin.eq_dec x e then [if lt_le u v then u else v] else jobs x in
  (exists p, NE N reduced prio p /\
     forall x l, multi x = false -> l <> x -> placed Fin.eq_dec l (reduced x) (p x) = []) ->
  exists p, NE N jobs prio p.
Proof.
  intros N jobs prio i e u v multi Hj Hp Hi He Hmi Hme Hmo Hf reduced [p [Ep Hh]].
  destruct (Organizations.prio_ok _ _ Hp) as [Hn Ha].
  exact (ex_intro _ _ (TwoJobFirst.T8_equilibrium Fin.eq_dec (all N) (Organizations.all_nodup N)
    (Organizations.all_in N) prio Hn Ha jobs Hj
    i e u v Hi He multi Hmi Hme Hmo Hf p Ep Hh)).
Qed. Print Assumptions two_job_first.

(* So if nobody but j has a choice, too, and i comes before j on e's machine, a pure equilibrium exists. *)
Theorem two_job_first_one_other : forall N jobs prio i e j u v, nonneg_jobs N jobs -> is_prio N prio ->
  i <> e -> j <> i -> j <> e -> jobs i = [u; v] -> jobs e = [] ->
  (forall x, x <> i -> x <> j -> (length (jobs x) <= 1)%nat) -> In i (before Fin.eq_dec j (order Fin.eq_dec prio e)) ->
  exists p, NE N jobs prio p.
Proof.
  intros N jobs prio i e j u v Hj Hp. destruct (Organizations.prio_ok _ _ Hp) as [Hn Ha].
  exact (TwoJobFirst.one_other_choice Fin.eq_dec (all N) prio jobs i e j u v (Organizations.all_nodup N)
    (Organizations.all_in N) Hn Ha Hj).
Qed. Print Assumptions two_job_first_one_other.

(* Fewer jobs (T6): if every game in which each a has exactly k a jobs, all of positive length, has a profile in which
   nobody pays more than eps times what any other placement of its own costs, then so has every game in which each a has
   at most k a jobs, of length 0 or more. With eps = 1: an equilibrium. *)
Theorem fewer_jobs : forall N prio (k : Fin.t N -> nat) (eps : num), is_prio N prio -> 0 <= eps ->
  let approximate jobs p := forall a d, costN N jobs prio p a <=
    eps * costN N jobs prio (fun b => if Fin.eq_dec b a then d else p b) a in
  (forall jobs, (forall a x, In x (jobs a) -> 0 < x) -> (forall a, length (jobs a) = k a) ->
    exists p, approximate jobs p) ->
  forall jobs, nonneg_jobs N jobs -> (forall a, (length (jobs a) <= k a)%nat) -> exists p, approximate jobs p.
Proof.
  intros N prio k eps Hp. destruct (Organizations.prio_ok _ _ Hp) as [Hn Ha].
  exact (FewerJobs.fewer_jobs Fin.eq_dec (all N) prio (Organizations.all_in N) Hn Ha k eps).
Qed. Print Assumptions fewer_jobs.

(* Longest first (R9): a placement by list scheduling, longest first, on the times at which the machines are free for it
   in p, costs its organization at most 3/2 - 1/(2N) times any other (longest_first: LongestFirstProfiles.v, lpt:
   ListSchedule.v) ... *)
Theorem longest_first_placements : forall N jobs prio, nonneg_jobs N jobs -> is_prio N prio ->
  forall p a d, LongestFirstProfiles.longest_first Fin.eq_dec jobs prio p a ->
  2 * ofnat N * costN N jobs prio p a <=
  (3 * ofnat N - 1) * costN N jobs prio (fun b => if Fin.eq_dec b a then d else p b) a.
Proof.
  intros N jobs prio Hj Hp p a d H. destruct (Organizations.prio_ok _ _ Hp) as [Hn Ha].
  counted (LongestFirstProfiles.longest_first_profile Fin.eq_dec (all N) jobs prio (Organizations.all_in N)
    (Organizations.all_nodup N) Hn Ha Hj p a d H).
Qed. Print Assumptions longest_first_placements.

(* ... and some profile consists of such placements only, so it is an equilibrium up to this factor. *)
Theorem approximate_equilibrium : forall N jobs prio, nonneg_jobs N jobs -> is_prio N prio ->
  exists p, forall a d, 2 * ofnat N * costN N jobs prio p a <=
  (3 * ofnat N - 1) * costN N jobs prio (fun b => if Fin.eq_dec b a then d else p b) a.
Proof.
  intros N jobs prio Hj Hp. destruct (Organizations.prio_ok _ _ Hp) as [Hn Ha].
  counted (LongestFirstProfiles.approximate_equilibrium_exists Fin.eq_dec (all N) jobs prio (Organizations.all_in N)
    (Organizations.all_nodup N) Hn Ha Hj).
Qed. Print Assumptions approximate_equilibrium.

(* Two organizations attain the factor, 5/4: of the jobs 3, 2, 2 beside a job 1 the placement costs 5, another 4. *)
Theorem longest_first_placements_attained :
  let jobs a := match a with LongestFirstProfiles.O1 => [3; 2; 2] | LongestFirstProfiles.O2 => [1] end in
  let dec := LongestFirstProfiles.org_dec in let all := [LongestFirstProfiles.O1; LongestFirstProfiles.O2] in
  forall prio, (forall l, Permutation (prio l) all) ->
  exists p, (forall a, LongestFirstProfiles.longest_first dec jobs prio p a) /\
    5 <= cost dec all jobs prio p LongestFirstProfiles.O1 /\
    exists d, cost dec all jobs prio (fun b => if dec b LongestFirstProfiles.O1 then d else p b)
      LongestFirstProfiles.O1 <= 4.
Proof.
  intros jobs dec all prio H. exists LongestFirstProfiles.by_length.
  exact (LongestFirstProfiles.longest_first_profile_attained prio H).
Qed. Print Assumptions longest_first_placements_attained.

(* ================= price ================= *)
(* The sharp price (T3), N >= 2: the makespan of an equilibrium is at most rho N times that of any profile. *)
Theorem price_of_anarchy_at_most : forall N jobs prio, (2 <= N)%nat -> nonneg_jobs N jobs -> is_prio N prio ->
  forall p q, NE N jobs prio p -> makespan N jobs prio p <= rho N * makespan N jobs prio q.
Proof. exact Organizations.price_upper. Qed. Print Assumptions price_of_anarchy_at_most.

(* For every N >= 2 and every priority some game has an equilibrium whose makespan is exactly that. *)
Theorem price_of_anarchy_attained : forall N prio, (2 <= N)%nat -> is_prio N prio ->
  exists jobs, nonneg_jobs N jobs /\
  exists p q, NE N jobs prio p /\ 0 < makespan N jobs prio q /\
    makespan N jobs prio p == rho N * makespan N jobs prio q.
Proof. exact Organizations.price_attained. Qed. Print Assumptions price_of_anarchy_attained.

(* The price of stability is the same: for N >= 2 all equilibria of some game, with some priority, cost that much ... *)
Theorem price_of_stability : forall N, (2 <= N)%nat ->
  exists jobs prio, nonneg_jobs N jobs /\ is_prio N prio /\ (exists p, NE N jobs prio p) /\
  exists q, 0 < makespan N jobs prio q /\
    forall p, NE N jobs prio p -> rho N * makespan N jobs prio q <= makespan N jobs prio p.
Proof. exact Organizations.stability. Qed. Print Assumptions price_of_stability.

(* ... and if N is odd, under every priority. *)
Theorem price_of_stability_odd : forall N prio, (3 <= N)%nat -> Nat.Odd N -> is_prio N prio ->
  exists jobs, nonneg_jobs N jobs /\ (exists p, NE N jobs prio p) /\
  exists q, 0 < makespan N jobs prio q /\
    forall p, NE N jobs prio p -> rho N * makespan N jobs prio q <= makespan N jobs prio p.
Proof. exact Organizations.stability_odd. Qed. Print Assumptions price_of_stability_odd.

(* ================= coalitions ================= *)
(* Two organizations (R10): no profile makes one better off than a pure equilibrium and the other no worse off. *)
Theorem two_organizations_undominated : forall jobs prio, nonneg_jobs 2 jobs -> is_prio 2 prio ->
  forall p, NE 2 jobs prio p -> forall q a, costN 2 jobs prio q a < costN 2 jobs prio p a ->
  exists b, costN 2 jobs prio p b < costN 2 jobs prio q b.
Proof. exact Organizations.two_undominated. Qed. Print Assumptions two_organizations_undominated.

(* Two organizations: every pure equilibrium is strong. *)
Theorem two_organizations_strong : forall jobs prio, nonneg_jobs 2 jobs -> is_prio 2 prio ->
  forall p, NE 2 jobs prio p -> strongNE 2 jobs prio p.
Proof. exact Organizations.two_strong. Qed. Print Assumptions two_organizations_strong.

(* ================= dynamics ================= *)
(* A move (BestResponses.v): one organization whose placement is not a best reply moves to one; the others stay.
   Two organizations (R11): best responses end, in an equilibrium, after few moves. d a counts the different sums of
   some of a's jobs, 0 included (home_loads), one more if a job has length 0: at most d 1 + d 2 - 1 moves are possible,
   and at most 2 d a for each a; a profile from which none is possible is an equilibrium; some moves lead to one. *)
Theorem best_responses_end : forall jobs prio, nonneg_jobs 2 jobs -> is_prio 2 prio ->
  let d a := (BestResponses.home_loads (jobs a) + BestResponses.zero_jobs (jobs a))%nat in
  let moves := BestResponses.moves Fin.eq_dec (all 2) jobs prio in
  (forall n p, moves n p ->
     (n <= d Fin.F1 + d (Fin.FS Fin.F1) - 1 /\ n <= 2 * d Fin.F1 /\ n <= 2 * d (Fin.FS Fin.F1))%nat) /\
  (forall p, (forall a q, ~ BestResponses.move Fin.eq_dec (all 2) jobs prio a p q) -> NE 2 jobs prio p) /\
  (forall p, exists n q, q 0%nat = p /\ moves n q /\ NE 2 jobs prio (q n)).
Proof.
  intros jobs prio Hj Hp. destruct (Organizations.prio_ok _ _ Hp) as [Hn Ha].
  apply (BestResponses.best_responses_end Fin.eq_dec (all 2) jobs prio (Organizations.all_in 2) Hn Ha Hj);
    [discriminate|exact Organizations.one_of_two].
Qed. Print Assumptions best_responses_end.

(* ================= central rules ================= *)
(* A central rule starts the jobs one after the other; E is the list of starts, on l E the time at which machine l
   stops. T is any bound on the loads of all machines in some profile q, such as its makespan (T5). The rules, with
   ties broken in any way, are defined in CentralRules.v and IterativeLoadBalancing.v. *)

(* Longest jobs first, the makespan is at most rho N times any: LPT-LPT, Less Helped First and ILBA. *)
Theorem central_rules_longest_first : forall N jobs, (2 <= N)%nat -> nonneg_jobs N jobs -> forall E,
  CentralRules.result Fin.eq_dec jobs CentralRules.lpt_lpt E \/
  CentralRules.result Fin.eq_dec jobs (CentralRules.less_helped_first_longest Fin.eq_dec) E \/
  IterativeLoadBalancing.ilba Fin.eq_dec jobs descending E ->
  forall q T, CentralRules.makespan_within Fin.eq_dec (all N) jobs q T ->
  forall l, CentralRules.on Fin.eq_dec l E <= rho N * T.
Proof.
  intros N jobs HN Hj E HE q T HT. assert (I := Organizations.all_in N). assert (D := Organizations.all_nodup N).
  rewrite <- (Organizations.all_length N) in HN at 1.
  cut (CentralRules.within_sharp Fin.eq_dec (all N) E T).
  { unfold CentralRules.within_sharp, all. rewrite Organizations.all_length. exact (fun H => H). }
  destruct HE as [HE|[HE|HE]];
    [| |exact (IterativeLoadBalancing.ilba_longest_first_bound _ _ _ descending I D Hj E q T HN (fun _ H => H) HE HT)];
    apply (CentralRules.longest_first_bound _ _ _ I D Hj _) with (2 := HN) (3 := HE) (4 := HT);
    intros ? ? ? ? ? H; exact (proj1 H).
Qed. Print Assumptions central_rules_longest_first.

(* SPT-LPT, and Less Helped First and ILBA with the jobs of each organization in any order (that `sorted` allows): at
   most 2 - 1/N times any. *)
Theorem central_rules_any_order : forall N jobs sorted, nonneg_jobs N jobs -> forall E,
  CentralRules.result Fin.eq_dec jobs CentralRules.spt_lpt E \/
  CentralRules.result Fin.eq_dec jobs (CentralRules.less_helped_first Fin.eq_dec) E \/
  IterativeLoadBalancing.ilba Fin.eq_dec jobs sorted E ->
  forall q T, CentralRules.makespan_within Fin.eq_dec (all N) jobs q T ->
  forall l, ofnat N * CentralRules.on Fin.eq_dec l E <= (2 * ofnat N - 1) * T.
Proof.
  intros N jobs sorted Hj E HE q T HT. cut (CentralRules.within_any Fin.eq_dec (all N) E T).
  { unfold CentralRules.within_any, all. rewrite Organizations.all_length. exact (fun H => H). }
  assert (I := Organizations.all_in N). assert (D := Organizations.all_nodup N). destruct HE as [HE|[HE|HE]];
    [| |exact (IterativeLoadBalancing.ilba_bound _ _ _ sorted I D Hj E q T HE HT)];
    exact (CentralRules.any_order_bound _ _ _ I D Hj _ E q T HE HT).
Qed. Print Assumptions central_rules_any_order.

(* Two organizations attain both bounds: the jobs 2, 2 and 1, 1 end at 4 longest first, and can at 3 ... *)
Theorem central_rules_longest_first_attained :
  let jobs a := match a with CentralRules.O1 => [2; 2] | CentralRules.O2 => [1; 1] end in
  forall P, P = CentralRules.result CentralRules.org_dec jobs CentralRules.lpt_lpt \/
    P = CentralRules.result CentralRules.org_dec jobs (CentralRules.less_helped_first_longest CentralRules.org_dec) \/
    P = IterativeLoadBalancing.ilba CentralRules.org_dec jobs descending ->
  exists E q, P E /\ CentralRules.makespan_within CentralRules.org_dec [CentralRules.O1; CentralRules.O2] jobs q 3 /\
    CentralRules.on CentralRules.org_dec CentralRules.O1 E == 4.
Proof.
  intros jobs P [H|[H|H]]; subst P; [| |exact IterativeLoadBalancing.ilba_attained];
    apply CentralRules.central_rules_attained; auto.
Qed. Print Assumptions central_rules_longest_first_attained.

(* ... and 1 and 1, 2 end at 3 shortest first, and can at 2. *)
Theorem central_rules_any_order_attained :
  let jobs a := match a with CentralRules.O1 => [1] | CentralRules.O2 => [1; 2] end in
  forall rule, rule = CentralRules.spt_lpt \/ rule = CentralRules.less_helped_first CentralRules.org_dec ->
  exists E q, CentralRules.result CentralRules.org_dec jobs rule E /\
    CentralRules.makespan_within CentralRules.org_dec [CentralRules.O1; CentralRules.O2] jobs q 2 /\
    CentralRules.on CentralRules.org_dec CentralRules.O2 E == 3.
Proof. exact (proj2 CentralRules.central_rules_attained). Qed. Print Assumptions central_rules_any_order_attained.

(* ================= priority to jobs ================= *)
(* The same games, but a machine runs the foreign jobs by one ranking of all jobs (PriorityToJobs.v); (a, n) is job n
   of organization a. *)
Section GameJobs_N.
Variables (N : nat) (jobs : Fin.t N -> list num) (ranking : list (Fin.t N * nat)).
Definition is_ranking : Prop :=
  Permutation ranking (flat_map (fun a => map (pair a) (seq 0 (length (jobs a)))) (all N)).
Definition costJ : (Fin.t N -> nat -> Fin.t N) -> Fin.t N -> num :=
  PriorityToJobs.cost_jobs Fin.eq_dec (all N) jobs ranking.
Definition NEJ (p : Fin.t N -> nat -> Fin.t N) : Prop :=
  forall a d, costJ p a <= costJ (fun b => if Fin.eq_dec b a then d else p b) a.
Definition makespanJ (p : Fin.t N -> nat -> Fin.t N) : num := fold_right nmax 0 (map (costJ p) (all N)).
End GameJobs_N.

(* The sharp price (T3): an equilibrium costs at most rho N times the makespan of any profile. *)
Theorem price_of_anarchy_at_most_jobs : forall N jobs ranking, (2 <= N)%nat -> nonneg_jobs N jobs ->
  is_ranking N jobs ranking -> forall p q, NEJ N jobs ranking p ->
  makespanJ N jobs ranking p <= rho N * makespanJ N jobs ranking q.
Proof. exact Organizations.price_upper_jobs. Qed. Print Assumptions price_of_anarchy_at_most_jobs.

(* Some game has an equilibrium that costs exactly that, whatever the ranking. *)
Theorem price_of_anarchy_attained_jobs : forall N, (2 <= N)%nat ->
  exists jobs, nonneg_jobs N jobs /\
  exists p q, forall ranking, is_ranking N jobs ranking -> NEJ N jobs ranking p /\
    0 < makespanJ N jobs ranking q /\ makespanJ N jobs ranking p == rho N * makespanJ N jobs ranking q.
Proof. exact Organizations.price_attained_jobs. Qed. Print Assumptions price_of_anarchy_attained_jobs.

(* Two organizations (T4(a)): every cost is that of priority to organizations, whatever ranking and priority ... *)
Theorem two_organizations_same_costs : forall jobs ranking prio, nonneg_jobs 2 jobs -> is_ranking 2 jobs ranking ->
  is_prio 2 prio -> forall p a, costJ 2 jobs ranking p a == costN 2 jobs prio p a.
Proof. exact Organizations.two_same_costs. Qed. Print Assumptions two_organizations_same_costs.

(* ... so a pure equilibrium always exists. *)
Theorem two_organizations_jobs : forall jobs ranking, nonneg_jobs 2 jobs -> is_ranking 2 jobs ranking ->
  exists p, NEJ 2 jobs ranking p.
Proof. exact Organizations.two_organizations_jobs. Qed. Print Assumptions two_organizations_jobs.

(* i has two jobs, e none, nobody but i and j more than one, and some job of i is ranked before all jobs of j
   (T4(b)): a pure equilibrium exists. *)
Theorem two_job_first_jobs : forall N jobs ranking, nonneg_jobs N jobs -> is_ranking N jobs ranking ->
  forall i j e, i <> j -> i <> e -> j <> e -> length (jobs i) = 2%nat -> jobs e = [] ->
  (forall b, b <> i -> b <> j -> (length (jobs b) <= 1)%nat) ->
  (exists n higher lower, ranking = higher ++ (i, n) :: lower /\ forall m, ~ In (j, m) higher) ->
  exists p, NEJ N jobs ranking p.
Proof. exact Organizations.two_job_first_jobs. Qed. Print Assumptions two_job_first_jobs.

(* Three organizations with at most four jobs in all: a pure equilibrium exists. *)
Theorem four_jobs : forall jobs ranking, nonneg_jobs 3 jobs -> is_ranking 3 jobs ranking ->
  (length (jobs Fin.F1) + length (jobs (Fin.FS Fin.F1)) + length (jobs (Fin.FS (Fin.FS Fin.F1))) <= 4)%nat ->
  exists p, NEJ 3 jobs ranking p.
Proof. exact Organizations.four_jobs. Qed. Print Assumptions four_jobs.

(* ================= several machines ================= *)
(* Host l has machines l identical machines and one list, run in its order of priority by list scheduling
   (SeveralMachines.v and, for the run of a list, IdenticalMachines.v). *)
Section Several_N.
Variable N : nat.
Notation org := (Fin.t N).
Variables (machines : org -> nat) (jobs : org -> list num) (prio : org -> list org).
Definition costS : (org -> nat -> org) -> org -> num := SeveralMachines.cost Fin.eq_dec (all N) machines jobs prio.
Definition sum_costS : (org -> nat -> org) -> org -> num :=
  SeveralMachines.sum_cost Fin.eq_dec (all N) machines jobs prio.
Definition NES (c : (org -> nat -> org) -> org -> num) (p : org -> nat -> org) : Prop :=
  forall a d, c p a <= c (fun b => if Fin.eq_dec b a then d else p b) a.
(* a game: machines for all, jobs not negative, a priority for each host *)
Definition several : Prop := (forall l, (1 <= machines l)%nat) /\ nonneg_jobs N jobs /\ is_prio N prio.
(* each organization's jobs run longest first, shortest first *)
Definition run_longest_first : Prop := forall a, descending (jobs a).
Definition run_shortest_first : Prop := forall a, ascending (jobs a).
Definition all_machines : nat := list_sum (map machines (all N)).
(* lists: all jobs in lists, one for each machine *)
Definition is_schedule (lists : list (list num)) : Prop :=
  length lists = all_machines /\ Permutation (concat lists) (flat_map jobs (all N)).

(* Only one organization has more jobs than machines: a pure equilibrium exists. *)
Theorem several_one_large : several -> forall a, (forall b, b <> a -> (length (jobs b) <= machines b)%nat) ->
  exists p, NES costS p.
Proof.
  intros (_ & Hj & Hp). destruct (Organizations.prio_ok _ _ Hp) as [Hn Ha].
  exact (SeveralMachines.one_large_organization Fin.eq_dec _ _ _ _ (Organizations.all_in N) Hn Ha Hj).
Qed.

(* Jobs longest first, everybody with at most one job more than machines or jobs of one length (R3): one exists. *)
Theorem several_few_or_equal_jobs : several -> run_longest_first ->
  (forall a, (length (jobs a) <= S (machines a))%nat \/ exists z, forall x, In x (jobs a) -> x == z) ->
  exists p, NES costS p.
Proof.
  intros (Hm & Hj & Hp). destruct (Organizations.prio_ok _ _ Hp) as [Hn Ha].
  exact (SeveralExistence.few_or_equal_jobs_equilibrium Fin.eq_dec _ _ _ _ (Organizations.all_in N)
    (Organizations.all_nodup N) Hm Hn Ha Hj).
Qed.

(* The price (R2): with N >= 2 and jobs longest first, M machines in all and m or more for each organization, a pure
   equilibrium costs nobody more than max (2M/(M+1), 2 - 1/(M-m)) times the makespan T of any schedule of all jobs on
   all machines. *)
Theorem several_price_of_anarchy : (2 <= N)%nat -> several -> run_longest_first ->
  forall p lists T m, NES costS p -> is_schedule lists -> (forall js, In js lists -> sum js <= T) ->
  (1 <= m)%nat -> (forall l, (m <= machines l)%nat) ->
  let M := ofnat all_machines in forall k, costS p k <= T * nmax (2 * M / (M + 1)) (2 - 1 / (M - ofnat m)).
Proof.
  intros H2 (Hm & Hj & Hp) Hs p lists T m Ep [HL HP] HT m1 Hmm M k. destruct (Organizations.prio_ok _ _ Hp) as [Hn Ha].
  apply (SeveralPrice.price_of_anarchy Fin.eq_dec _ _ _ _ (Organizations.all_in N) (Organizations.all_nodup N)
    Hm Hn Ha Hj Hs p k T m Ep); [exists lists; auto|exact m1|exact Hmm|]. clear -H2. revert k.
  destruct N as [|[|n]]; [lia|lia|]. intros k. exists (if Fin.eq_dec Fin.F1 k then Fin.FS Fin.F1 else Fin.F1).
  destruct (Fin.eq_dec Fin.F1 k); [subst k; discriminate|assumption].
Qed.

(* Sums of completion times, jobs shortest first (R4): a pure equilibrium exists ... *)
Theorem sum_equilibrium_exists : several -> run_shortest_first -> exists p, NES sum_costS p.
Proof.
  intros (Hm & Hj & Hp). destruct (Organizations.prio_ok _ _ Hp) as [Hn Ha].
  exact (SumsOfCompletion.sum_equilibrium_exists Fin.eq_dec _ _ _ _ (Organizations.all_in N) (Organizations.all_nodup N)
    Hm Hn Ha Hj).
Qed.

(* ... and if N >= 2 and there is some work, it costs all together less than M/m times any schedule, M machines in all
   and m or more for each (R5). *)
Theorem sum_price_of_anarchy : (2 <= N)%nat -> several -> run_shortest_first ->
  forall p lists m, NES sum_costS p -> is_schedule lists -> (1 <= m)%nat -> (forall l, (m <= machines l)%nat) ->
  0 < sum (flat_map jobs (all N)) ->
  ofnat m * sum (map (sum_costS p) (all N)) <
  ofnat all_machines * sum (map (fun js => sum (IdenticalMachines.completions [0] js)) lists).
Proof.
  intros H2 (_ & Hj & Hp) Hs p lists m Ep [HL HP] m1 Hmm H0. destruct (Organizations.prio_ok _ _ Hp) as [Hn Ha].
  apply (SumsPrice.sum_price_of_anarchy Fin.eq_dec (all N) machines jobs prio (Organizations.all_in N)
    (Organizations.all_nodup N) Hn Ha Hj Hs m m1 Hmm p lists Ep HL HP); [|exact H0].
  unfold all. rewrite Organizations.all_length. exact H2.
Qed.
End Several_N.
Print Assumptions several_one_large. Print Assumptions several_few_or_equal_jobs.
Print Assumptions several_price_of_anarchy.
Print Assumptions sum_equilibrium_exists. Print Assumptions sum_price_of_anarchy.

(* Two organizations (R1), jobs longest first: a pure equilibrium exists. *)
Theorem several_two_organizations : forall machines jobs prio, several 2 machines jobs prio ->
  run_longest_first 2 jobs -> exists p, NES 2 (costS 2 machines jobs prio) p.
Proof.
  intros machines jobs prio (Hm & Hj & Hp) Hs. destruct (Organizations.prio_ok _ _ Hp) as [Hn Ha].
  apply (SeveralTwoOrganizations.two_organizations_equilibrium Fin.eq_dec _ _ _ _ (Organizations.all_in 2) Hm Hn Ha Hj
    Hs Fin.F1 (Fin.FS Fin.F1)); [discriminate|exact Organizations.one_of_two].
Qed. Print Assumptions several_two_organizations.

(* ================= certificates ================= *)
(* What a check, computed by Coq, accepts is true for all lengths of jobs; so one need not read what it does. machines:
   all organizations, prio: every machine's order of them. With priority to jobs, longest first, the same is true:
   Shapes.cover_to_jobs and Shapes.price_to_jobs. (The checks demand positive numbers en/ed, n/d, vn/vd.)
   A cover, for games with at most shape a jobs of each organization a: a pure equilibrium exists. *)
Notation lists O machines prio := (NoDup machines /\ (forall l : O, In l machines) /\
  (forall l : O, NoDup (prio l)) /\ forall l a : O, In a (prio l)).
Theorem cover_sound : forall O dec machines prio shape certificate, lists O machines prio ->
  Shapes.check_cover_organizations dec machines shape prio 1 1 None certificate = true ->
  forall jobs, (forall a, nonneg (jobs a)) -> (forall a, (length (jobs a) <= shape a)%nat) ->
  exists p, equilibrium dec machines jobs prio p.
Proof.
  intros O dec machines prio shape c (D & I & Pn & Pi) H jobs Hj Hl.
  destruct (Shapes.cover_to_organizations dec machines D I shape prio Pn Pi 1 1 None c H jobs Hj Hl) as (p & C).
  exists p. exact (Shapes.equilibrium_of dec _ _ p C).
Qed. Print Assumptions cover_sound.

(* The same with a factor en/ed and a bound n/d: a profile is an equilibrium up to that factor, of costs at most n/d
   times the makespan M of any profile. *)
Theorem epsilon_cover_sound : forall O dec machines prio shape en ed within certificate, lists O machines prio ->
  Shapes.check_cover_organizations dec machines shape prio en ed within certificate = true ->
  forall jobs, (forall a, nonneg (jobs a)) -> (forall a, (length (jobs a) <= shape a)%nat) ->
  exists p, (forall a d, inj ed * cost dec machines jobs prio p a <=
                         inj en * cost dec machines jobs prio (deviate dec p a d) a) /\
    forall n d, within = Some (n, d) -> forall q M, 0 <= M -> (forall a, cost dec machines jobs prio q a <= M) ->
    forall a, inj d * cost dec machines jobs prio p a <= inj n * M.
Proof. intros until 1. destruct H as (D & I & Pn & Pi). apply Shapes.cover_to_organizations; assumption. Qed.
Print Assumptions epsilon_cover_sound.

(* A price tree with the bound vn/vd, for games with exactly shape a jobs of each a: no pure
   equilibrium costs more than that times the makespan M of any profile. *)
Theorem price_tree_sound : forall O dec machines prio shape vn vd trees, lists O machines prio ->
  Shapes.check_price_organizations dec machines shape prio vn vd trees = true ->
  forall jobs, (forall a, nonneg (jobs a)) -> (forall a, length (jobs a) = shape a) ->
  forall p q M, equilibrium dec machines jobs prio p -> 0 <= M -> (forall a, cost dec machines jobs prio q a <= M) ->
  forall a, inj vd * cost dec machines jobs prio p a <= inj vn * M.
Proof. intros until 1. destruct H as (D & I & Pn & Pi). apply Shapes.price_to_organizations; assumption. Qed.
Print Assumptions price_tree_sound.
