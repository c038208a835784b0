(* The theorems that Coq has by trying all profiles of a game, with rational numbers: some games have no pure
   equilibrium. To know what they claim read this page and the sections titled DEFINITION of Game.v, SeveralMachines.v
   and IdenticalMachines.v, and for sums with priority to jobs those of PriorityToJobs.v and SumsPriorityToJobs.v. The
   numbers are the lengths of each organization's jobs; the types with the organizations O1, O2, ... or A1, A2, ... have
   just those elements. "Closed under the global context" means: no axiom. Theorems.v has the other theorems on
   placement games. *)
From Coq Require Import List.
Require Import Numbers Game.
Require SeveralMachines SmallestSeveral SumsPriorityToJobs Shapes TenJobs.
Import ListNotations.

(* Four organizations with ten jobs, one machine each, priority to the first of the four on every machine, then the
   second, and so on: no pure equilibrium. So four organizations need not have one; three always do. *)
Theorem four_organizations_ten_jobs : let all := [Shapes.O1; Shapes.O2; Shapes.O3; Shapes.O4] in
  let jobs a := match a with
                | Shapes.O1 => [35; 22; 22; 17; 13; 5] | Shapes.O2 => [14] | Shapes.O3 => [9] | Shapes.O4 => [42; 2]
                end in
  forall p, ~ equilibrium Shapes.dec4 all jobs (fun _ => all) p.
Proof. exact TenJobs.N4_ten. Qed.
Print Assumptions four_organizations_ten_jobs.

(* Three organizations need not have one either if the first has two machines and the others one ... *)
Theorem three_organizations_211 : let all := [SmallestSeveral.O1; SmallestSeveral.O2; SmallestSeveral.O3] in
  let machines a := match a with SmallestSeveral.O1 => 2%nat | _ => 1%nat end in
  let jobs a := match a with
                | SmallestSeveral.O1 => [22; 17; 17; 13; 13; 5] | SmallestSeveral.O2 => [8]
                | SmallestSeveral.O3 => [28; 2]
                end in
  forall p, ~ SeveralMachines.equilibrium SmallestSeveral.dec3 all machines jobs (fun _ => all) p.
Proof. exact SmallestSeveral.no_equilibrium_211. Qed.
Print Assumptions three_organizations_211.

(* ... or if the second has two. *)
Theorem three_organizations_121 : let all := [SmallestSeveral.O1; SmallestSeveral.O2; SmallestSeveral.O3] in
  let machines a := match a with SmallestSeveral.O2 => 2%nat | _ => 1%nat end in
  let jobs a := match a with
                | SmallestSeveral.O1 => [27; 27; 22; 18; 13; 5] | SmallestSeveral.O2 => [36; 19]
                | SmallestSeveral.O3 => [52; 2]
                end in
  forall p, ~ SeveralMachines.equilibrium SmallestSeveral.dec3 all machines jobs (fun _ => all) p.
Proof. exact SmallestSeveral.no_equilibrium_121. Qed.
Print Assumptions three_organizations_121.

(* Priority to jobs, sums of completion times, one machine each (ranked_equilibrium: SumsPriorityToJobs.v; the list is
   the ranking of all jobs, (owner, number)): four organizations with these five jobs have no pure equilibrium under
   this ranking. *)
Theorem sums_five_unit_jobs :
  let jobs a := match a with
                | SumsPriorityToJobs.A1 => [1; 1; 1] | SumsPriorityToJobs.A2 => [1; 1] | _ => []
                end in
  let ranking := [(SumsPriorityToJobs.A1, 0%nat); (SumsPriorityToJobs.A2, 0%nat); (SumsPriorityToJobs.A1, 1%nat);
                  (SumsPriorityToJobs.A1, 2%nat); (SumsPriorityToJobs.A2, 1%nat)] in
  forall p, ~ SumsPriorityToJobs.ranked_equilibrium SumsPriorityToJobs.dec_four
    [SumsPriorityToJobs.A1; SumsPriorityToJobs.A2; SumsPriorityToJobs.A3; SumsPriorityToJobs.A4] jobs ranking p.
Proof. exact SumsPriorityToJobs.no_sum_equilibrium_4. Qed.
Print Assumptions sums_five_unit_jobs.

(* Three organizations with these six jobs have none under this ranking. *)
Theorem sums_six_jobs :
  let jobs a := match a with
                | SmallestSeveral.O1 => [1; 1; 1; 2] | SmallestSeveral.O2 => [1; 1] | SmallestSeveral.O3 => []
                end in
  let ranking := [(SmallestSeveral.O1, 3%nat); (SmallestSeveral.O2, 0%nat); (SmallestSeveral.O1, 0%nat);
                  (SmallestSeveral.O1, 1%nat); (SmallestSeveral.O2, 1%nat); (SmallestSeveral.O1, 2%nat)] in
  forall p, ~ SumsPriorityToJobs.ranked_equilibrium SmallestSeveral.dec3
    [SmallestSeveral.O1; SmallestSeveral.O2; SmallestSeveral.O3] jobs ranking p.
Proof. exact SumsPriorityToJobs.no_sum_equilibrium_3. Qed.
Print Assumptions sums_six_jobs.
