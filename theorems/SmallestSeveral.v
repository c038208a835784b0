(* Three organizations that own several machines: an equilibrium may not exist (R3' in the documentation).

   [no_equilibrium_211]: 2, 1 and 1 machines, jobs {22,17,17,13,13,5}, {8}, {28,2}; O1 is first on every host, then O2.
   [no_equilibrium_121]: 1, 2 and 1 machines, jobs {27,27,22,18,13,5}, {36,19}, {52,2}; the same order.
   All 3^9 and all 3^10 profiles are tried, with the costs of SeveralMachines.v itself: [refuted] finds in each of them
   an organization that pays less with another strategy, and [refuted_sound] proves that this refutes equilibria.
   Rational lengths only, as it computes. *)
From Coq Require Import List Lia Permutation.
Require Import Numbers Game IdenticalMachines SeveralMachines.
Import ListNotations.

Inductive org := O1 | O2 | O3.
Definition dec3 (a b : org) : {a = b} + {a <> b}.
Proof. decide equality. Defined.
Definition all3 : list org := [O1; O2; O3].

(* some element satisfies f; it stops at the first *)
Fixpoint some {A : Type} (f : A -> bool) (l : list A) : bool :=
  match l with [] => false | x :: l' => if f x then true else some f l' end.

Lemma some_true {A : Type} (f : A -> bool) l : some f l = true -> exists x, In x l /\ f x = true.
Proof.
  induction l as [|x l IH]; simpl; [discriminate|]. destruct (f x) eqn:E.
  - intros _. exists x. auto.
  - intros H. destruct (IH H) as (y & Hy & Hf). exists y. auto.
Qed.

Definition less (x y : num) : bool := if lt_le x y then true else false.
Lemma less_true x y : less x y = true -> x < y.
Proof. unfold less. destruct (lt_le x y); [trivial|discriminate]. Qed.

Section ThreeOrganizations.
Variable machines : org -> nat.
Variable jobs : org -> list num.

Definition pays : @profile org -> org -> num := cost dec3 all3 machines jobs (fun _ => all3).

(* the cost depends on the placement of the jobs that there are *)
Lemma pays_agree p q a : (forall b t, (t < length (jobs b))%nat -> p b t = q b t) -> pays p a = pays q a.
Proof.
  intros H. unfold pays, cost, times. f_equal. apply flat_map_ext. intros l. f_equal.
  unfold queue. apply flat_map_ext. intros b. f_equal. apply placed_ext. apply H.
Qed.

Definition strategies (a : org) : list (@strategy org) := strats all3 O1 (length (jobs a)).
Definition prof (s1 s2 s3 : @strategy org) (a : org) : @strategy org := match a with O1 => s1 | O2 => s2 | O3 => s3 end.

Definition gains (p : @profile org) (a : org) : bool :=
  let c := pays p a in some (fun d => less (pays (deviate dec3 p a d) a) c) (strategies a).

(* in every profile somebody gains; O1's costs are computed once for given strategies of the others *)
Definition refuted : bool :=
  forallb (fun s2 => forallb (fun s3 =>
    let costs := map (fun s1 => (pays (prof s1 s2 s3) O1, s1)) (strategies O1) in
    forallb (fun e => if some (fun e' => less (fst e') (fst e)) costs then true
                      else if gains (prof (snd e) s2 s3) O2 then true else gains (prof (snd e) s2 s3) O3) costs)
    (strategies O3)) (strategies O2).

Lemma strategies_complete (p : @profile org) a :
  exists s, In s (strategies a) /\ forall t, (t < length (jobs a))%nat -> s t = p a t.
Proof. apply strats_complete. intros t. destruct (p a t); simpl; auto. Qed.

Theorem refuted_sound : refuted = true -> forall p, ~ equilibrium dec3 all3 machines jobs (fun _ => all3) p.
Proof.
  intros H p E. fold pays in E. change (forall a d, pays p a <= pays (deviate dec3 p a d) a) in E.
  destruct (strategies_complete p O1) as (s1 & I1 & G1). destruct (strategies_complete p O2) as (s2 & I2 & G2).
  destruct (strategies_complete p O3) as (s3 & I3 & G3). set (q := prof s1 s2 s3).
  assert (Q : forall a d, pays q a <= pays (deviate dec3 q a d) a).
  { intros a d. rewrite (pays_agree q p), (pays_agree (deviate dec3 q a d) (deviate dec3 p a d)); [apply E| |].
    - intros b t Ht. unfold deviate. destruct (dec3 b a); [reflexivity|]. destruct b; simpl; auto.
    - intros [] t Ht; simpl; auto. }
  unfold refuted in H. rewrite forallb_forall in H. specialize (H s2 I2). rewrite forallb_forall in H.
  specialize (H s3 I3). cbv zeta in H. rewrite forallb_forall in H.
  specialize (H (pays q O1, s1) (in_map (fun s1 => (pays (prof s1 s2 s3) O1, s1)) _ _ I1)). cbn [fst snd] in H.
  fold q in H.
  destruct (some _ _) eqn:S1 in H.
  - apply some_true in S1. destruct S1 as (e & He & L). apply in_map_iff in He. destruct He as (s & Es & _).
    subst e. apply less_true in L. cbn [fst] in L. assert (X := Q O1 s).
    rewrite (pays_agree (deviate dec3 q O1 s) (prof s s2 s3)) in X; [lra|]. intros [] t _; reflexivity.
  - assert (K : forall a, gains q a = true -> False).
    { intros a Ha. apply some_true in Ha. destruct Ha as (d & _ & L). apply less_true in L. generalize (Q a d). lra. }
    destruct (gains q O2) eqn:S2; [exact (K O2 S2)|exact (K O3 H)].
Qed.
End ThreeOrganizations.

Definition machines_211 (a : org) : nat := match a with O1 => 2 | O2 => 1 | O3 => 1 end.
Definition jobs_211 (a : org) : list num := match a with O1 => [22; 17; 17; 13; 13; 5] | O2 => [8] | O3 => [28; 2] end.

Theorem no_equilibrium_211 : forall p, ~ equilibrium dec3 [O1; O2; O3] machines_211 jobs_211 (fun _ => [O1; O2; O3]) p.
Proof. apply refuted_sound. vm_cast_no_check (eq_refl true). Qed.

Definition machines_121 (a : org) : nat := match a with O1 => 1 | O2 => 2 | O3 => 1 end.
Definition jobs_121 (a : org) : list num :=
  match a with O1 => [27; 27; 22; 18; 13; 5] | O2 => [36; 19] | O3 => [52; 2] end.

Theorem no_equilibrium_121 : forall p, ~ equilibrium dec3 [O1; O2; O3] machines_121 jobs_121 (fun _ => [O1; O2; O3]) p.
Proof. apply refuted_sound. vm_cast_no_check (eq_refl true). Qed.
