(* Four organizations with at most seven jobs in all: for all lengths >= 0, and whatever the order of priority (the same
   on all machines), there is a pure equilibrium.

   The proof: FourOrganizations.N4_upto leaves a list of shapes. Eight of them have certificates, which `make seven`
   lets the package write and the proved checker judge. The others follow by TwoJobFirst.v: where the first organization
   has two jobs and the last one none, from a shape that has a certificate, or in which only one organization has a
   choice; and (3, 4, 0, 0), since the first organization has a machine for each of its jobs. *)
From Coq Require Import List Lia Permutation.
Require Import Numbers Game Shapes FourOrganizations TwoJobFirst.
Require Solved5200 Solved4300 Solved4210 Solved3310 Solved3220 Solved3211 Solved2311 Solved2221.
Import ListNotations.

Definition shapes7 := [(5,2,0,0);(2,5,0,0);(4,3,0,0);(3,4,0,0);(4,2,1,0);(2,4,1,0);(3,3,1,0);(3,2,2,0);(2,3,2,0);
  (2,2,3,0);(3,2,1,1);(2,3,1,1);(2,2,2,1)]%nat.

Lemma solved7 s : In s shapes7 -> solvable4h (shape_of s).
Proof.
  intros H. unfold shapes7 in H. simpl in H.
  repeat (destruct H as [H|H]; [subst s; simpl shape_of;
    first [ exact Solved5200.solved | exact Solved4300.solved | exact Solved4210.solved
          | exact Solved3310.solved | exact Solved3220.solved | exact Solved3211.solved | exact Solved2311.solved
          | exact Solved2221.solved
          | apply two_job_first_alone; lia
          | apply three_jobs_first; lia
          | exact (two_job_first_by _ _ Solved3211.solved eq_refl)
            | exact (two_job_first_by _ _ Solved2311.solved eq_refl) ]|]).
  destruct H.
Qed.

(* jobs: the lengths of the jobs of each organization; order: the priority, the same on all machines. *)
Theorem N4_seven : forall (jobs : org4 -> list num) (order : list org4),
  Permutation order [O1; O2; O3; O4] ->
  (forall a x, In x (jobs a) -> 0 <= x) ->
  (length (jobs O1) + length (jobs O2) + length (jobs O3) + length (jobs O4) <= 7)%nat ->
  exists p : org4 -> nat -> org4, forall (a : org4) (d : nat -> org4),
    cost dec4 [O1; O2; O3; O4] jobs (fun _ => order) p a <=
    cost dec4 [O1; O2; O3; O4] jobs (fun _ => order) (deviate dec4 p a d) a.
Proof. apply (N4_upto shapes7); [vm_compute; reflexivity|exact solved7]. Qed.
Print Assumptions N4_seven.
