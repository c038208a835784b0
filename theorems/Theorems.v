(* All theorems on one page; T1, T2, ... are their names in the documentation. To know what they claim read it and
   the section DEFINITION of Game.v (the cost of an organization, written out as a run of every machine's queue); the
   rest is proof, and Coq has checked it. "Closed under the global context", printed below each, means: no axiom. With
   real numbers (make NUMBERS=reals) the axioms of Coq's real numbers are printed instead. *)
From Coq Require Import List Permutation Fin PeanoNat.
Require Import Numbers Game.
Require PriorityToJobs Organizations.
Import ListNotations.

(* ================= N organizations ================= *)
(* Fin.t N is the type with N elements Fin.F1, Fin.FS Fin.F1, ...; all N lists them, each once. *)
Definition all : forall N, list (Fin.t N) := Organizations.all.

Theorem all_lists_everybody_once : forall N, (forall a, In a (all N)) /\ NoDup (all N) /\ length (all N) = N.
Proof. exact (fun N => conj (Organizations.all_in N) (conj (Organizations.all_nodup N) (Organizations.all_length N))).
Qed.

Section Game_N.
Variable N : nat.
Notation org := (Fin.t N).
Variable jobs : org -> list num.                     (* the lengths of each organization's jobs *)
Variable prio : org -> list org.                     (* each machine's order of the organizations, its owner apart *)

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
Proof. exact Organizations.three_organizations. Qed.
Print Assumptions three_organizations.

(* Two organizations (T4(a)): a pure equilibrium always exists. *)
Theorem two_organizations : forall jobs prio, nonneg_jobs 2 jobs -> is_prio 2 prio -> exists p, NE 2 jobs prio p.
Proof. exact Organizations.two_organizations. Qed.
Print Assumptions two_organizations.

(* At most two jobs, or jobs of one length, in each of N organizations (T2): a pure equilibrium exists. *)
Theorem few_or_equal_jobs : forall N jobs prio, nonneg_jobs N jobs -> is_prio N prio ->
  (forall a, (length (jobs a) <= 2)%nat \/ exists len, forall x, In x (jobs a) -> x == len) ->
  exists p, NE N jobs prio p.
Proof. exact Organizations.few_or_equal_jobs. Qed.
Print Assumptions few_or_equal_jobs.

(* ================= price ================= *)
(* The sharp price (T3): an equilibrium of N organizations costs at most rho N times the makespan of any profile. *)
Theorem price_of_anarchy_at_most : forall N jobs prio, (2 <= N)%nat -> nonneg_jobs N jobs -> is_prio N prio ->
  forall p q, NE N jobs prio p -> makespan N jobs prio p <= rho N * makespan N jobs prio q.
Proof. exact Organizations.price_upper. Qed.
Print Assumptions price_of_anarchy_at_most.

(* For every N and every priority some game has an equilibrium that costs exactly that. *)
Theorem price_of_anarchy_attained : forall N prio, (2 <= N)%nat -> is_prio N prio ->
  exists jobs, nonneg_jobs N jobs /\
  exists p q, NE N jobs prio p /\ 0 < makespan N jobs prio q /\
    makespan N jobs prio p == rho N * makespan N jobs prio q.
Proof. exact Organizations.price_attained. Qed.
Print Assumptions price_of_anarchy_attained.

(* The price of stability is the same: for every N there is a game all of whose equilibria cost that much ... *)
Theorem price_of_stability : forall N, (2 <= N)%nat ->
  exists jobs prio, nonneg_jobs N jobs /\ is_prio N prio /\ (exists p, NE N jobs prio p) /\
  exists q, 0 < makespan N jobs prio q /\
    forall p, NE N jobs prio p -> rho N * makespan N jobs prio q <= makespan N jobs prio p.
Proof. exact Organizations.stability. Qed.
Print Assumptions price_of_stability.

(* ... and if N is odd, under every priority. *)
Theorem price_of_stability_odd : forall N prio, (3 <= N)%nat -> Nat.Odd N -> is_prio N prio ->
  exists jobs, nonneg_jobs N jobs /\ (exists p, NE N jobs prio p) /\
  exists q, 0 < makespan N jobs prio q /\
    forall p, NE N jobs prio p -> rho N * makespan N jobs prio q <= makespan N jobs prio p.
Proof. exact Organizations.stability_odd. Qed.
Print Assumptions price_of_stability_odd.

(* ================= coalitions ================= *)
(* Two organizations (R10): no profile makes one better off than a pure equilibrium and the other no worse off. *)
Theorem two_organizations_undominated : forall jobs prio, nonneg_jobs 2 jobs -> is_prio 2 prio ->
  forall p, NE 2 jobs prio p -> forall q a, costN 2 jobs prio q a < costN 2 jobs prio p a ->
  exists b, costN 2 jobs prio p b < costN 2 jobs prio q b.
Proof. exact Organizations.two_undominated. Qed.
Print Assumptions two_organizations_undominated.

(* Two organizations: every pure equilibrium is strong. *)
Theorem two_organizations_strong : forall jobs prio, nonneg_jobs 2 jobs -> is_prio 2 prio ->
  forall p, NE 2 jobs prio p -> strongNE 2 jobs prio p.
Proof. exact Organizations.two_strong. Qed.
Print Assumptions two_organizations_strong.

(* ================= dynamics ================= *)

(* ================= central rules ================= *)

(* ================= priority to jobs ================= *)
(* The same games, but a machine runs the foreign jobs by one ranking of all jobs (PriorityToJobs.v, section
   DEFINITION); (a, n) is job n of organization a. *)
Section GameJobs_N.
Variable N : nat.
Variable jobs : Fin.t N -> list num.
Variable ranking : list (Fin.t N * nat).
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
Proof. exact Organizations.price_upper_jobs. Qed.
Print Assumptions price_of_anarchy_at_most_jobs.

(* Some game has an equilibrium that costs exactly that, whatever the ranking. *)
Theorem price_of_anarchy_attained_jobs : forall N, (2 <= N)%nat ->
  exists jobs, nonneg_jobs N jobs /\
  exists p q, forall ranking, is_ranking N jobs ranking -> NEJ N jobs ranking p /\
    0 < makespanJ N jobs ranking q /\ makespanJ N jobs ranking p == rho N * makespanJ N jobs ranking q.
Proof. exact Organizations.price_attained_jobs. Qed.
Print Assumptions price_of_anarchy_attained_jobs.

(* Two organizations (T4(a)): every cost is that of priority to organizations, whatever ranking and priority ... *)
Theorem two_organizations_same_costs : forall jobs ranking prio, nonneg_jobs 2 jobs -> is_ranking 2 jobs ranking ->
  is_prio 2 prio -> forall p a, costJ 2 jobs ranking p a == costN 2 jobs prio p a.
Proof. exact Organizations.two_same_costs. Qed.
Print Assumptions two_organizations_same_costs.

(* ... so a pure equilibrium always exists. *)
Theorem two_organizations_jobs : forall jobs ranking, nonneg_jobs 2 jobs -> is_ranking 2 jobs ranking ->
  exists p, NEJ 2 jobs ranking p.
Proof. exact Organizations.two_organizations_jobs. Qed.
Print Assumptions two_organizations_jobs.

(* i has two jobs, e none, nobody but i and j more than one, and some job of i is ranked before all jobs of j
   (T4(b)): a pure equilibrium exists. *)
Theorem two_job_first_jobs : forall N jobs ranking, nonneg_jobs N jobs -> is_ranking N jobs ranking ->
  forall i j e, i <> j -> i <> e -> j <> e -> length (jobs i) = 2%nat -> jobs e = [] ->
  (forall b, b <> i -> b <> j -> (length (jobs b) <= 1)%nat) ->
  (exists n higher lower, ranking = higher ++ (i, n) :: lower /\ forall m, ~ In (j, m) higher) ->
  exists p, NEJ N jobs ranking p.
Proof. exact Organizations.two_job_first_jobs. Qed.
Print Assumptions two_job_first_jobs.

(* Three organizations with at most four jobs in all: a pure equilibrium exists. (With five, it may not.) *)
Theorem four_jobs : forall jobs ranking, nonneg_jobs 3 jobs -> is_ranking 3 jobs ranking ->
  (length (jobs Fin.F1) + length (jobs (Fin.FS Fin.F1)) + length (jobs (Fin.FS (Fin.FS Fin.F1))) <= 4)%nat ->
  exists p, NEJ 3 jobs ranking p.
Proof. exact Organizations.four_jobs. Qed.
Print Assumptions four_jobs.

(* ================= several machines ================= *)

(* ================= payments ================= *)

(* ================= certificates ================= *)
