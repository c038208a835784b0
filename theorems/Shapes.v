(* Three and four organizations: the statement that a checked certificate proves. *)
From Coq Require Import List Lia Permutation.
Require Import Numbers Game Cover CoverText AnyLengths.
Import ListNotations.

Inductive org3 : Set := A1 | A2 | A3.
Definition dec3 (a b : org3) : {a = b} + {a <> b}.
Proof. decide equality. Defined.
Inductive org4 : Set := O1 | O2 | O3 | O4.
Definition dec4 (a b : org4) : {a = b} + {a <> b}.
Proof. decide equality. Defined.
Definition all3 := [A1; A2; A3].
Definition all4 := [O1; O2; O3; O4].
Definition shape3 (k1 k2 k3 : nat) (a : org3) : nat := match a with A1 => k1 | A2 => k2 | A3 => k3 end.
Definition shape4 (k1 k2 k3 k4 : nat) (a : org4) : nat := match a with O1 => k1 | O2 => k2 | O3 => k3 | O4 => k4 end.

(* every game of at most this many jobs, of any lengths >= 0, in the order A1, A2, A3 (O1, ..., O4), has a pure equilibrium *)
Definition solvable3 (shape : org3 -> nat) : Prop :=
  forall jobs : org3 -> list num,
    (forall a x, In x (jobs a) -> 0 <= x) -> (forall a, (length (jobs a) <= shape a)%nat) ->
    exists p : org3 -> nat -> org3, equilibrium dec3 all3 jobs (fun _ => all3) p.
Definition solvable4 (shape : org4 -> nat) : Prop :=
  forall jobs : org4 -> list num,
    (forall a x, In x (jobs a) -> 0 <= x) -> (forall a, (length (jobs a) <= shape a)%nat) ->
    exists p : org4 -> nat -> org4, equilibrium dec4 all4 jobs (fun _ => all4) p.
(* ... in which organizations with at most one job in the shape are at home *)
Definition solvable4h (shape : org4 -> nat) : Prop :=
  forall jobs : org4 -> list num,
    (forall a x, In x (jobs a) -> 0 <= x) -> (forall a, (length (jobs a) <= shape a)%nat) ->
    exists p : org4 -> nat -> org4, equilibrium dec4 all4 jobs (fun _ => all4) p /\
      forall a l, (shape a <= 1)%nat -> l <> a -> placed dec4 l (jobs a) (p a) = [].

Definition check_text3 (shape : org3 -> nat) (ts : list text) : bool :=
  match tree all3 ts with Some t => check dec3 all3 (fun _ => all3) shape false t | None => false end.
Definition check_text4 (shape : org4 -> nat) (ts : list text) : bool :=
  match tree all4 ts with Some t => check dec4 all4 (fun _ => all4) shape false t | None => false end.
Definition check_text4h (shape : org4 -> nat) (ts : list text) : bool :=
  match tree all4 ts with Some t => check dec4 all4 (fun _ => all4) shape true t | None => false end.

Lemma nodup3 : NoDup all3. Proof. repeat constructor; simpl; intuition discriminate. Qed.
Lemma nodup4 : NoDup all4. Proof. repeat constructor; simpl; intuition discriminate. Qed.
Lemma in3 a : In a all3. Proof. destruct a; simpl; auto. Qed.
Lemma in4 a : In a all4. Proof. destruct a; simpl; auto. Qed.

Theorem check3_sound shape ts : check_text3 shape ts = true -> solvable3 shape.
Proof.
  unfold check_text3. destruct (tree all3 ts) as [t|]; [|discriminate]. intros H jobs N K.
  destruct (check_sound dec3 all3 nodup3 in3 (fun _ => all3) shape false t (fun _ => nodup3) (fun _ => in3) H jobs N K)
    as (p & E & _). exists p. exact E.
Qed.
Theorem check4_sound shape ts : check_text4 shape ts = true -> solvable4 shape.
Proof.
  unfold check_text4. destruct (tree all4 ts) as [t|]; [|discriminate]. intros H jobs N K.
  destruct (check_sound dec4 all4 nodup4 in4 (fun _ => all4) shape false t (fun _ => nodup4) (fun _ => in4) H jobs N K)
    as (p & E & _). exists p. exact E.
Qed.
Theorem check4h_sound shape ts : check_text4h shape ts = true -> solvable4h shape.
Proof.
  unfold check_text4h. destruct (tree all4 ts) as [t|]; [|discriminate]. intros H jobs N K.
  destruct (check_sound dec4 all4 nodup4 in4 (fun _ => all4) shape true t (fun _ => nodup4) (fun _ => in4) H jobs N K)
    as (p & E & Hh). exists p. split; [exact E|exact (Hh eq_refl)].
Qed.
Lemma solvable4h_4 shape : solvable4h shape -> solvable4 shape.
Proof. intros H jobs N K. destruct (H jobs N K) as (p & E & _). exists p. exact E. Qed.
