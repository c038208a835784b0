(* Games without an equilibrium, by trying all profiles: what a cost function says of each is computed, so that the
   proofs that use this take rational lengths.

   A strategy matters only for the jobs that there are, so each profile is one of a list (profiles, FewerJobs.v). The
   strategies of one organization, a, are tried for each profile of the others: in an equilibrium it pays the least of
   them, and nobody else gains by another strategy. A check that finds neither refutes equilibria (refuted_sound). *)
From Coq Require Import List.
Require Import Numbers Game FewerJobs Forms.
Import ListNotations.

Section AllProfiles.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variable everybody : list O.
Variable jobs : O -> list num.
Variable pays : profile (O:=O) -> O -> num.
Notation number b := (length (jobs b)).

Definition less (x y : num) : bool := if lt_le x y then true else false.
Definition least (L : list num) : num := fold_right (fun x m : num => if lt_le x m then x else m) (hd 0 L) L.
Definition gains (p : profile (O:=O)) (b : O) : bool :=
  let c := pays p b in any (fun d => less (pays (deviate dec p b d) b) c) (strats everybody b (number b)).
Definition refuted (a : O) (others : list O) : bool :=
  all (fun r =>
    let costs := map (fun s => let p := deviate dec r a s in (pays p a, p)) (strats everybody a (number a)) in
    let m := least (map fst costs) in
    all (fun e => if less m (fst e) then true else any (gains (snd e)) others) costs)
  (profiles dec everybody (fun b => number b) others).

Lemma least_ge x L : In x L -> (forall y, In y L -> x <= y) -> x <= least L.
Proof.
  intros Hx H. assert (G : x <= hd 0 L) by (destruct L; [destruct Hx|apply H; left; reflexivity]).
  clear Hx. unfold least. revert G. generalize (hd 0 L). intros m G.
  induction L as [|y L IH]; simpl; [exact G|]. destruct (lt_le y _); [|apply IH]; auto using in_eq, in_cons.
Qed.

Hypothesis all_in : forall a, In a everybody.
Hypothesis agree : forall p q a, (forall b t, (t < number b)%nat -> p b t = q b t) -> pays p a = pays q a.

Theorem refuted_sound a others : (forall b, b = a \/ In b others \/ jobs b = []) -> refuted a others = true ->
  forall p, ~ forall b d, pays p b <= pays (deviate dec p b d) b.
Proof.
  intros Who H p E. destruct (profiles_complete dec everybody all_in (fun b => number b) p others) as (r & Hr & Er).
  destruct (strats_complete everybody a (number a) (p a) (fun t => all_in _)) as (s & Hs & Es).
  set (q := deviate dec r a s). assert (Q : forall b d, pays q b <= pays (deviate dec q b d) b).
  { intros b d. assert (A : forall b t, (t < number b)%nat -> q b t = p b t).
    { intros b' t Ht. unfold q, deviate. destruct (dec b' a) as [->|n]; [auto|].
      destruct (Who b') as [e|[Hb|e]]; [congruence|auto|rewrite e in Ht; inversion Ht]. }
    rewrite (agree q p b A), (agree (deviate dec q b d) (deviate dec p b d)); [apply E|].
    intros b' t Ht. unfold deviate. destruct (dec b' b); auto. }
  assert (G := all_true _ _ H r Hr). cbv beta zeta in G.
  set (choice s := (pays (deviate dec r a s) a, deviate dec r a s)) in G.
  assert (He := in_map choice _ _ Hs). assert (K := all_true _ _ G _ He). cbv beta in K. unfold less in K.
  change (fst (choice s)) with (pays q a) in K. change (snd (choice s)) with q in K.
  set (m := least _) in K. destruct (lt_le m (pays q a)) as [L|_].
  - assert (M : pays q a <= m); [|lra]. apply least_ge; [exact (in_map fst _ _ He)|].
    intros y Hy. rewrite map_map in Hy. apply in_map_iff in Hy. destruct Hy as (s' & <- & _). unfold choice, fst.
    rewrite (agree (deviate dec r a s') (deviate dec q a s')); [apply Q|].
    intros b t _. unfold q, deviate. destruct (dec b a); reflexivity.
  - apply any_true in K. destruct K as (b & _ & K). apply any_true in K. destruct K as (d & _ & K). unfold less in K.
    destruct (lt_le _ _); [|discriminate]. generalize (Q b d). lra.
Qed.
End AllProfiles.
