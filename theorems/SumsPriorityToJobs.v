(* Sums of completion times with priority to jobs: an equilibrium may not exist, with one machine each and unit jobs.

   A host runs its own jobs first, then the guests by one order of all jobs, as in PriorityToJobs.v.
   [no_sum_equilibrium_4] (R4 (c) in the documentation): four organizations, O1 with three unit jobs of ranks 1, 3 and
   4, O2 with two of ranks 2 and 5, the others without jobs. O1 can always pay 3 and O2 can always pay 2; so in an
   equilibrium all five jobs would start at 0, on four machines.
   [no_sum_equilibrium_3]: three organizations, O1 with jobs {2,1,1,1} of ranks 1, 3, 4 and 6, O2 with two unit jobs of
   ranks 2 and 5, O3 without jobs. As both games have few profiles, all of them are tried; rational lengths only. *)
From Coq Require Import List Lia Permutation.
Require Import Numbers Game PriorityToJobs IdenticalMachines SeveralMachines SmallestSeveral.
Import ListNotations.

(* ================= DEFINITION ================= *)
Section SumsPriorityToJobs.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variable hosts : list O.
Variable jobs : O -> list num.
Variable ranking : list (O * nat).               (* organization and number of each job, the first in rank first *)

(* the sum of the completion times of a's jobs, on one machine each *)
Definition ranked_cost (p : @profile O) (a : O) : num :=
  sum (flat_map (fun l => Game.ends dec a 0 (queue_jobs dec jobs ranking p l)) hosts).
Definition ranked_equilibrium (p : @profile O) : Prop :=
  forall a d, ranked_cost p a <= ranked_cost (deviate dec p a d) a.

(* ================= TRYING ALL PROFILES ================= *)
(* two organizations have jobs: their strategies are tried *)
Variables first second : O.
Hypothesis hosts_all : forall l, In l hosts.
Hypothesis ranking_jobs : forall j, In j ranking -> (snd j < length (jobs (fst j)))%nat.
Hypothesis first_second : first <> second.
Hypothesis two_with_jobs : forall a, a = first \/ a = second \/ jobs a = [].

Lemma ranked_cost_agree p q a : (forall b t, (t < length (jobs b))%nat -> p b t = q b t) ->
  ranked_cost p a = ranked_cost q a.
Proof.
  intros H. unfold ranked_cost. f_equal. apply flat_map_ext. intros l. f_equal. apply queue_jobs_ext; [|exact H].
  intros b n Hn. exact (ranking_jobs (b, n) Hn).
Qed.

Definition choices (a : O) : list (@strategy O) := strats hosts first (length (jobs a)).
Definition pair_profile (s1 s2 : @strategy O) (a : O) : @strategy O := if dec a first then s1 else s2.
Definition ranked_gains (p : @profile O) (a : O) : bool :=
  let c := ranked_cost p a in some (fun d => less (ranked_cost (deviate dec p a d) a) c) (choices a).
Definition ranked_refuted : bool :=
  forallb (fun s1 => forallb (fun s2 => let p := pair_profile s1 s2 in
    if ranked_gains p first then true else ranked_gains p second) (choices second)) (choices first).

Theorem ranked_refuted_sound : ranked_refuted = true -> forall p, ~ ranked_equilibrium p.
Proof.
  intros H p E.
  destruct (strats_complete hosts first (length (jobs first)) (p first)) as (s1 & I1 & G1); [intros; apply hosts_all|].
  destruct (strats_complete hosts first (length (jobs second)) (p second)) as (s2 & I2 & G2);
    [intros; apply hosts_all|].
  set (q := pair_profile s1 s2).
  assert (A : forall b t, (t < length (jobs b))%nat -> q b t = p b t).
  { intros b t Ht. unfold q, pair_profile. destruct (dec b first) as [e|n]; [subst b; exact (G1 t Ht)|].
    destruct (two_with_jobs b) as [e|[e|e]]; [congruence|subst b; exact (G2 t Ht)|rewrite e in Ht; simpl in Ht; lia]. }
  assert (K : forall a, ranked_gains q a = true -> False).
  { intros a Ha. apply some_true in Ha. destruct Ha as (d & _ & L). apply less_true in L.
    rewrite (ranked_cost_agree q p) in L by exact A.
    rewrite (ranked_cost_agree (deviate dec q a d) (deviate dec p a d)) in L; [generalize (E a d); lra|].
    intros b t Ht. unfold deviate. destruct (dec b a); [reflexivity|exact (A b t Ht)]. }
  unfold ranked_refuted in H. rewrite forallb_forall in H. specialize (H s1 I1).
  rewrite forallb_forall in H. specialize (H s2 I2). cbv zeta in H. fold q in H.
  destruct (ranked_gains q first) eqn:S; [exact (K first S)|exact (K second H)].
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
  apply (ranked_refuted_sound _ _ _ _ A1 A2).
  - intros []; simpl; auto.
  - intros j H. simpl in H. repeat (destruct H as [H|H]; [subst j; simpl; lia|]). destruct H.
  - intros []; auto.
  - vm_cast_no_check (eq_refl true).
Qed.

(* O1's job of length 2, the last in the list as a host runs its own shortest first, has rank 1 *)
Definition few_jobs (a : org) : list num := match a with O1 => [1; 1; 1; 2] | O2 => [1; 1] | O3 => [] end.

Theorem no_sum_equilibrium_3 : forall p, ~ ranked_equilibrium dec3 [O1; O2; O3] few_jobs
  [(O1, 3%nat); (O2, 0%nat); (O1, 0%nat); (O1, 1%nat); (O2, 1%nat); (O1, 2%nat)] p.
Proof.
  apply (ranked_refuted_sound _ _ _ _ O1 O2).
  - intros []; simpl; auto.
  - intros j H. simpl in H. repeat (destruct H as [H|H]; [subst j; simpl; lia|]). destruct H.
  - intros []; auto.
  - vm_cast_no_check (eq_refl true).
Qed.
