(* Finite domains: are there payments, known in advance, under which the truth is best?

   An agent has one of finitely many types (true lengths) and declares one of finitely many lengths. In situation s
   (the others' declarations fixed, their true lengths anything that may happen) her output comes at time s b theta
   if she declares b and is theta. Payments are a function of her declaration alone.
   - A table of prices that satisfies every row s b theta - s theta theta >= P(theta) - P(b) makes the truth best
     (prices_sound).
   - Along a closed walk of lies the payments cancel; if the gains of time along it add up to less than nothing, no
     payments exist (walk_sound): the lies on it cannot all be unprofitable.

   Two steps suffice to show that no payments repair run-on and renice (run_on_impossible). Two agents on one CPU, the
   shortest first; lengths y <= d < z and beta > d + z - y are possible; bob declares d. Ann of length y gets her output
   d + z - y later by declaring z than by declaring y, if bob is d. Ann of length z gets it at least
   d + (beta - d)/s + z - y - (z - y)/s earlier by declaring y than by declaring z, if bob is beta, which is more. *)
From Coq Require Import List.
Require Import Numbers Game Run RunOn.
Import ListNotations.

(* ================= DEFINITION ================= *)
Section Definitions.
Context {X : Type}.                              (* lengths: declared and true *)
Definition situation := X -> X -> num.           (* declared, true: time of her output *)

(* in every situation the truth is as good as every other declaration *)
Definition implements (situations : list situation) (lengths : list X) (P : X -> num) : Prop :=
  forall s theta b, In s situations -> In theta lengths -> In b lengths -> s theta theta + P theta <= s b theta + P b.

(* a test of prices *)
Definition satisfied (situations : list situation) (lengths : list X) (P : X -> num) : bool :=
  forallb (fun s => forallb (fun theta => forallb (fun b =>
    if lt_le (s b theta + P b) (s theta theta + P theta) then false else true) lengths) lengths) situations.

(* from `start` along steps (declare b in situation s), the type being where the step before ended: how much later the
   outputs come in all, and where the walk ends *)
Fixpoint later (start : X) (walk : list (situation * X)) : num :=
  match walk with
  | [] => 0
  | (s, b) :: walk' => (s b start - s start start) + later b walk'
  end.

Fixpoint stop (start : X) (walk : list (situation * X)) : X :=
  match walk with
  | [] => start
  | (_, b) :: walk' => stop b walk'
  end.

End Definitions.

(* ann's output (she is `true`) when she declares b and is theta, bob declares d and is beta; one CPU of power 1 *)
Definition two (x y : num) : bool -> num := fun n => if n then x else y.
Definition bob (close early : bool) (share d beta : num) : situation := fun b theta =>
  run_on_cpu Bool.bool_dec close early 1 (two b d) (two theta beta) (fun _ => share)
    (if lt_le d b then [false; true] else [true; false]) true.

(* ================= PROOFS ================= *)
Section FiniteDomains.
Context {X : Type}.
Implicit Types (situations : list (situation (X := X))) (lengths : list X).

Theorem prices_sound situations lengths P : satisfied situations lengths P = true -> implements situations lengths P.
Proof.
  unfold satisfied. intros H s theta b Hs Ht Hb. rewrite forallb_forall in H. specialize (H s Hs).
  rewrite forallb_forall in H. specialize (H theta Ht). rewrite forallb_forall in H. specialize (H b Hb).
  destruct (lt_le (s b theta + P b) (s theta theta + P theta)); [discriminate|assumption].
Qed.
Lemma walk_prices situations lengths P : implements situations lengths P ->
  forall walk start, In start lengths -> (forall s b, In (s, b) walk -> In s situations /\ In b lengths) ->
  P start - P (stop start walk) <= later start walk.
Proof.
  intros HP. induction walk as [|[s b] walk IH]; intros start Hs H; simpl; [lra|].
  destruct (H s b (or_introl eq_refl)) as [G1 G2]. assert (E := HP s start b G1 Hs G2).
  specialize (IH b G2 (fun s' b' Hin => H s' b' (or_intror Hin))). lra.
Qed.

(* a closed walk that brings the outputs earlier in all: there are no payments *)
Theorem walk_sound situations lengths start walk : In start lengths ->
  (forall s b, In (s, b) walk -> In s situations /\ In b lengths) -> stop start walk = start -> later start walk < 0 ->
  forall P, ~ implements situations lengths P.
Proof. intros Hs H E L P HP. assert (G := walk_prices _ _ P HP walk start Hs H). rewrite E in G. lra. Qed.
End FiniteDomains.

Ltac play its early := unfold its, bob, run_on_cpu, two; simpl; repeat (match goal with |- context [lt_le ?x ?y] =>
  destruct (lt_le x y); try (exfalso; lra); simpl end); unfold raise, update; destruct early; simpl; try lra.

Theorem run_on_impossible close early share y d z beta : 0 < share -> 0 <= y -> y <= d -> d < z -> d + z - y < beta ->
  let its := bob close early share in forall P, ~ implements [its d d; its d beta] [y; z] P.
Proof.
  intros Hs Hy Hd Hz Hbeta its.
  apply (walk_sound _ _ y [(its d d, z); (its d beta, y)]); [left; reflexivity| |reflexivity|].
  - intros s b [e|[e|[]]]; inversion e; subst; simpl; auto.
  - assert (Frac : forall x, x / (share * 1) == x / share) by (intros x; field; lra).
    assert (F1 := Frac (z - y)). assert (F2 := Frac (beta - d)).
    assert (One : forall x, x / 1 == x) by (intros x; field; lra).
    assert (Oy := One y). assert (Oz := One z). assert (Od := One d). clear Frac One.
    assert (G1 := div_nonneg share (z - y) Hs ltac:(lra)).
    assert (G2 := div_pos share ((beta - d) - (z - y)) Hs ltac:(lra)).
    assert (G3 := div_minus share (beta - d) (z - y)).
    assert (T1 : its d d z y == d + z) by play its early. assert (T2 : its d d y y == y) by play its early.
    assert (T3 : its d beta y z <= y + (z - y) / share) by (play its early; apply nmax_le; split; lra).
    assert (T4 : d + (beta - d) / share + z <= its d beta z z).
    { play its early; match goal with |- context [nmax ?x ?y] =>
        generalize (proj2 (nmax_ge x y)); generalize (nmax x y) end; intros; lra. }
    simpl. lra.
Qed.
