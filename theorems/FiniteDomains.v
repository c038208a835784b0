(* Finite domains: are there payments, known in advance, under which the truth is best?

   An agent has one of finitely many types (true lengths) and declares one of finitely many lengths. In situation s
   (the others' declarations fixed, their true lengths anything that may happen) her output comes at time s b theta
   if she declares b and is theta. Payments are a function of her declaration alone.
   - A table of prices that satisfies every row s b theta - s theta theta >= P(theta) - P(b) makes the truth best
     (prices_sound).
   - Along a closed walk of lies the payments cancel; if the gains of time along it add up to less than nothing, no
     payments exist (walk_sound, refutes_sound): the lies on it cannot all be unprofitable.

   Both tests compute with rational lengths; `postponed_situation` takes the times from the run with postponement.

   Two steps suffice to show that no payments repair run-on and renice (run_on_impossible). Two agents on one CPU, the
   shortest first; lengths y <= d < z and beta > d + z - y are possible; bob declares d. Ann of length y gets her output
   d + z - y later by declaring z than by declaring y, if bob is d. Ann of length z gets it at least
   d + (beta - d)/s + z - y - (z - y)/s earlier by declaring y than by declaring z, if bob is beta, which is more. *)
From Coq Require Import List Lia.
Require Import Numbers Game Run EqualShare RunOn.
Import ListNotations.

Section FiniteDomains.
Context {X : Type}.                              (* lengths: declared and true *)
Definition situation := X -> X -> num.           (* declared, true: time of her output *)

(* in every situation the truth is as good as every other declaration *)
Definition implements (situations : list situation) (lengths : list X) (P : X -> num) : Prop :=
  forall s theta b, In s situations -> In theta lengths -> In b lengths -> s theta theta + P theta <= s b theta + P b.

(* ---------- prices ---------- *)
Definition satisfied (situations : list situation) (lengths : list X) (P : X -> num) : bool :=
  forallb (fun s => forallb (fun theta => forallb (fun b =>
    if lt_le (s b theta + P b) (s theta theta + P theta) then false else true) lengths) lengths) situations.

Theorem prices_sound situations lengths P : satisfied situations lengths P = true -> implements situations lengths P.
Proof.
  unfold satisfied. intros H s theta b Hs Ht Hb. rewrite forallb_forall in H. specialize (H s Hs).
  rewrite forallb_forall in H. specialize (H theta Ht). rewrite forallb_forall in H. specialize (H b Hb).
  destruct (lt_le (s b theta + P b) (s theta theta + P theta)); [discriminate|assumption].
Qed.

(* ---------- walks ---------- *)
(* from `start` along steps (declare b in situation s), the type being where the step before ended *)
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

(* the same as a test that computes; situations are named by their places in the list *)
Variable dec_length : forall x y : X, {x = y} + {x <> y}.

Fixpoint resolve (situations : list situation) (lengths : list X) (walk : list (nat * X)) :
    option (list (situation * X)) :=
  match walk with
  | [] => Some []
  | (i, b) :: walk' =>
      match nth_error situations i, in_dec dec_length b lengths, resolve situations lengths walk' with
      | Some s, left _, Some steps => Some ((s, b) :: steps)
      | _, _, _ => None
      end
  end.

Definition refutes (situations : list situation) (lengths : list X) (start : X) (walk : list (nat * X)) : bool :=
  match resolve situations lengths walk with
  | None => false
  | Some steps =>
      if in_dec dec_length start lengths then
        if dec_length (stop start steps) start then
          if lt_le (later start steps) 0 then true else false
        else false
      else false
  end.

Lemma resolve_in situations lengths walk : forall steps, resolve situations lengths walk = Some steps ->
  forall s b, In (s, b) steps -> In s situations /\ In b lengths.
Proof.
  induction walk as [|[i x] walk IH]; simpl; intros steps H s b Hin; [inversion H; subst; destruct Hin|].
  destruct (nth_error situations i) as [s'|] eqn:E; [|discriminate].
  destruct (in_dec dec_length x lengths) as [Hx|]; [|discriminate].
  destruct (resolve situations lengths walk) as [steps'|]; [|discriminate]. inversion H; subst.
  destruct Hin as [e|Hin]; [|apply (IH steps' eq_refl s b Hin)]. inversion e; subst.
  split; [apply (nth_error_In _ _ E)|exact Hx].
Qed.

Theorem refutes_sound situations lengths start walk : refutes situations lengths start walk = true ->
  forall P, ~ implements situations lengths P.
Proof.
  unfold refutes. destruct (resolve situations lengths walk) as [steps|] eqn:E; [|discriminate].
  destruct in_dec as [Hs|]; [|discriminate]. destruct dec_length as [Hc|]; [|discriminate].
  destruct lt_le as [Hl|]; [|discriminate].
  intros _. exact (walk_sound situations lengths start steps Hs (resolve_in _ _ _ _ E) Hc Hl).
Qed.
End FiniteDomains.

(* the situation of n in a run with postponement: the others declare others_b and are others_theta *)
Definition postponed_situation {O CPU X : Type} (dec : forall a b : O, {a = b} + {a <> b}) (cpus : list CPU)
    (c : CPU -> num) (A : (O -> num) -> CPU -> list O) (wait : (O -> num) -> O -> num) (value : X -> num) (n : O)
    (others_b others_theta : O -> num) : situation (X := X) := fun b theta =>
  let declared := update dec others_b n (value b) in
  output dec cpus c (A declared) declared (update dec others_theta n (value theta)) (wait declared) n.

Section RunOnImpossible.
Variables close early : bool.
Variable share : num.
Hypothesis share_range : 0 < share.

Definition two (x y : num) : bool -> num := fun n => if n then x else y.

(* ann's output (she is `true`) when she declares b and is theta, bob declares d and is beta; one CPU of power 1 *)
Definition bob (d beta : num) : situation := fun b theta =>
  run_on_cpu Bool.bool_dec close early 1 (two b d) (two theta beta) (fun _ => share)
    (if lt_le d b then [false; true] else [true; false]) true.

Ltac play := unfold bob, run_on_cpu, two; simpl; repeat (match goal with |- context [lt_le ?x ?y] =>
  destruct (lt_le x y); try (exfalso; lra); simpl end); unfold raise, update; destruct early; simpl; try lra.

Theorem run_on_impossible y d z beta : 0 <= y -> y <= d -> d < z -> d + z - y < beta ->
  forall P, ~ implements [bob d d; bob d beta] [y; z] P.
Proof.
  intros Hy Hd Hz Hbeta. apply (walk_sound _ _ y [(bob d d, z); (bob d beta, y)]); [left; reflexivity| |reflexivity|].
  - intros s b [e|[e|[]]]; inversion e; subst; simpl; auto.
  - assert (Frac : forall x, x / (share * 1) == x / share) by (intros x; field; lra).
    assert (F1 := Frac (z - y)). assert (F2 := Frac (beta - d)).
    assert (One : forall x, x / 1 == x) by (intros x; field; lra).
    assert (Oy := One y). assert (Oz := One z). assert (Od := One d). clear Frac One.
    assert (G1 := div_nonneg share (z - y) share_range ltac:(lra)).
    assert (G2 := div_lt share (z - y) (beta - d) share_range ltac:(lra)).
    assert (T1 : bob d d z y == d + z) by play. assert (T2 : bob d d y y == y) by play.
    assert (T3 : bob d beta y z <= y + (z - y) / share).
    { play; apply nmax_le; split; lra. }
    assert (T4 : d + (beta - d) / share + z <= bob d beta z z).
    { play; match goal with |- context [nmax ?x ?y] => generalize (nmax_right x y); generalize (nmax x y) end; intros;
          lra. }
    simpl. lra.
Qed.
End RunOnImpossible.
