(* Sums of completion times with priority to jobs: an equilibrium may not exist, with one machine each and unit jobs.

   A host runs its own jobs first, then the guests by one order of all jobs, as in PriorityToJobs.v.
   [no_sum_equilibrium_4] (R4 (c) in the documentation): four organizations, O1 with three unit jobs of ranks 1, 3 and
   4, O2 with two of ranks 2 and 5, the others without jobs. O1 can always pay 3 and O2 can always pay 2; so in an
   equilibrium all five jobs would start at 0, on four machines.
   [no_sum_equilibrium_3]: three organizations, O1 with jobs {2,1,1,1} of ranks 1, 3, 4 and 6, O2 with two unit jobs of
   ranks 2 and 5, O3 without jobs. As both games have few profiles, all of them are tried (AllProfiles.v). *)
From Coq Require Import List Lia.
Require Import Numbers Game PriorityToJobs AllProfiles SmallestSeveral.
Import ListNotations.

(* ================= DEFINITION ================= *)
Section SumsPriorityToJobs.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variables (hosts : list O) (jobs : O -> list num).
Variable ranking : list (O * nat).               (* organization and number of each job, the first in rank first *)

(* the sum of the completion times of a's jobs, on one machine each *)
Definition ranked_cost (p : @profile O) (a : O) : num :=
  sum (flat_map (fun l => Game.ends dec a 0 (queue_jobs dec jobs ranking p l)) hosts).
Definition ranked_equilibrium (p : @profile O) : Prop :=
  forall a d, ranked_cost p a <= ranked_cost (deviate dec p a d) a.

Theorem no_ranked_equilibrium first second : (forall l, In l hosts) ->
  (forall j, In j ranking -> (snd j < length (jobs (fst j)))%nat) ->
  (forall a, a = first \/ In a [second] \/ jobs a = []) -> refuted dec hosts jobs ranked_cost first [second] = true ->
  forall p, ~ ranked_equilibrium p.
Proof.
  intros Hall Hr. apply refuted_sound; [exact Hall|]. intros p q a H. unfold ranked_cost. f_equal. apply flat_map_ext.
  intros l. f_equal. apply queue_jobs_ext; [|exact H]. intros b n Hn. exact (Hr (b, n) Hn).
Qed.
End SumsPriorityToJobs.

Inductive four := A1 | A2 | A3 | A4.
Definition dec_four (a b : four) : {a = b} + {a <> b}.
Proof. decide equality. Defined.
Definition unit_jobs (a : four) : list num := match a with A1 => [1; 1; 1] | A2 => [1; 1] | _ => [] end.

Theorem no_sum_equilibrium_4 : forall p,
  ~ ranked_equilibrium dec_four [A1; A2; A3; A4] unit_jobs
    [(A1, 0%nat); (A2, 0%nat); (A1, 1%nat); (A1, 2%nat); (A2, 1%nat)] p.
Proof.
  apply (no_ranked_equilibrium _ _ _ _ A1 A2).
  - intros []; simpl; auto.
  - intros j H. simpl in H. repeat (destruct H as [H|H]; [subst j; simpl; lia|]). destruct H.
  - intros []; simpl; auto.
  - vm_cast_no_check (eq_refl true).
Qed.

(* O1's job of length 2, the last in the list as a host runs its own shortest first, has rank 1 *)
Definition few_jobs (a : org) : list num := match a with O1 => [1; 1; 1; 2] | O2 => [1; 1] | O3 => [] end.

Theorem no_sum_equilibrium_3 : forall p, ~ ranked_equilibrium dec3 [O1; O2; O3] few_jobs
  [(O1, 3%nat); (O2, 0%nat); (O1, 0%nat); (O1, 1%nat); (O2, 1%nat); (O1, 2%nat)] p.
Proof.
  apply (no_ranked_equilibrium _ _ _ _ O1 O2).
  - intros []; simpl; auto.
  - intros j H. simpl in H. repeat (destruct H as [H|H]; [subst j; simpl; lia|]). destruct H.
  - intros []; simpl; auto.
  - vm_cast_no_check (eq_refl true).
Qed.
