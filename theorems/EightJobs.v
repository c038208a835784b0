(* Four organizations with at most eight jobs in all: for all lengths >= 0, and whatever the order of priority (the same
   on all machines), there is a pure equilibrium (T7 in the documentation).

   The proof: as in SevenJobs.v, from the sixteen certificates of `make eight`. *)
From Coq Require Import List Lia Permutation.
Require Import Numbers Game Shapes FourOrganizations TwoJobFirst.
Require Solved6200 Solved5300 Solved4400 Solved5210 Solved4310 Solved3410 Solved4220 Solved3320 Solved3230.
Require Solved4211 Solved2411 Solved3311 Solved3221 Solved2321 Solved2231 Solved2222.
Import ListNotations.

Definition shapes8 := [(6,2,0,0);(2,6,0,0);(5,3,0,0);(3,5,0,0);(4,4,0,0);(5,2,1,0);(2,5,1,0);(4,3,1,0);(3,4,1,0);
  (4,2,2,0);(2,4,2,0);(2,2,4,0);(3,3,2,0);(3,2,3,0);(2,3,3,0);(4,2,1,1);(2,4,1,1);(3,3,1,1);(3,2,2,1);(2,3,2,1);
  (2,2,3,1);(2,2,2,2)]%nat.

Lemma solved8 s : In s shapes8 -> solvable4h (shape_of s).
Proof.
  intros H. unfold shapes8 in H. simpl in H.
  repeat (destruct H as [H|H]; [subst s; simpl shape_of;
    first [ exact Solved6200.solved | exact Solved5300.solved | exact Solved4400.solved
          | exact Solved5210.solved | exact Solved4310.solved | exact Solved3410.solved | exact Solved4220.solved
          | exact Solved3320.solved | exact Solved3230.solved | exact Solved4211.solved | exact Solved2411.solved
          | exact Solved3311.solved | exact Solved3221.solved | exact Solved2321.solved | exact Solved2231.solved
          | exact Solved2222.solved
          | apply two_job_first_alone; lia
          | apply three_jobs_first; lia
          | exact (two_job_first_by _ _ Solved4211.solved eq_refl)
          | exact (two_job_first_by _ _ Solved2411.solved eq_refl)
          | exact (two_job_first_by _ _ Solved3311.solved eq_refl) ]|]).
  destruct H.
Qed.

(* jobs: the lengths of the jobs of each organization; order: the priority, the same on all machines. *)
Theorem N4_eight : forall (jobs : org4 -> list num) (order : list org4),
  Permutation order [O1; O2; O3; O4] ->
  (forall a x, In x (jobs a) -> 0 <= x) ->
  (length (jobs O1) + length (jobs O2) + length (jobs O3) + length (jobs O4) <= 8)%nat ->
  exists p : org4 -> nat -> org4, forall (a : org4) (d : nat -> org4),
    cost dec4 [O1; O2; O3; O4] jobs (fun _ => order) p a <=
    cost dec4 [O1; O2; O3; O4] jobs (fun _ => order) (deviate dec4 p a d) a.
Proof. apply (N4_upto shapes8); [vm_compute; reflexivity|exact solved8]. Qed.
Print Assumptions N4_eight.
