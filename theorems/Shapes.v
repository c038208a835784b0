(* The statement that a checked certificate of a shape proves, for any number of organizations.

   A shape is a list: how many jobs each organization has at most, the one of highest priority first. A shape
   is solvable if each of its games has a pure equilibrium, whatever the lengths >= 0 of the jobs, in whatever order
   they stand. The
   proof is AnyLengths.check_sound, for the organizations Fin.t N; FourOrganizations.v needs the same for organizations
   that have names, O1 to O4, and says where those are that have nothing to choose. *)
From Coq Require Import List Lia Permutation Fin FinFun.
Require Import Numbers Game Cover CoverText AnyLengths.
Import ListNotations.

(* All organizations, the one of highest priority first. *)
Fixpoint organizations (N : nat) : list (Fin.t N) :=
  match N with O => [] | S n => Fin.F1 :: map Fin.FS (organizations n) end.

Lemma organizations_all N (a : Fin.t N) : In a (organizations N).
Proof. induction a; simpl; [left; reflexivity|right; apply in_map; assumption]. Qed.

Lemma organizations_nodup N : NoDup (organizations N).
Proof.
  induction N as [|n IH]; simpl; constructor.
  - intros H. apply in_map_iff in H. destruct H as (a & e & _). discriminate.
  - apply Injective_map_NoDup; [|exact IH]. intros a b e. apply Fin.FS_inj. exact e.
Qed.

Definition jobs_of (shape : list nat) (a : Fin.t (length shape)) : nat := nth (proj1_sig (Fin.to_nat a)) shape O.

(* Every game of at most so many jobs has a pure equilibrium; every machine serves its owner first, then the others in
   their order. *)
Definition solvable (shape : list nat) : Prop :=
  forall jobs : Fin.t (length shape) -> list num,
    (forall a x, In x (jobs a) -> 0 <= x) ->
    (forall a, (length (jobs a) <= jobs_of shape a)%nat) ->
    exists p : Fin.t (length shape) -> nat -> Fin.t (length shape),
      equilibrium Fin.eq_dec (organizations (length shape)) jobs (fun _ => organizations (length shape)) p.

(* A text read as a tree whose placements name these organizations; the tree, checked. *)
Definition accepts {O} (dec : forall a b : O, {a = b} + {a <> b}) (machines : list O) (shape : O -> nat)
  (home : bool) (ts : list text) : bool :=
  match machines with
  | [] => false
  | first :: _ => match tree machines first ts with
                  | Some t => check dec machines (fun _ => machines) shape home t
                  | None => false
                  end
  end.

Lemma accepts_sound {O} (dec : forall a b : O, {a = b} + {a <> b}) machines shape home ts :
  NoDup machines -> (forall l, In l machines) -> accepts dec machines shape home ts = true ->
  forall jobs : O -> list num,
    (forall a x, In x (jobs a) -> 0 <= x) -> (forall a, (length (jobs a) <= shape a)%nat) ->
    exists p, equilibrium dec machines jobs (fun _ => machines) p /\
      (home = true -> forall a l, (shape a <= 1)%nat -> l <> a -> placed dec l (jobs a) (p a) = []).
Proof.
  intros nodup every H. unfold accepts in H.
  assert (T : exists t, check dec machines (fun _ => machines) shape home t = true).
  { destruct machines as [|first others]; [discriminate|].
    destruct (tree (first :: others) first ts) as [t|]; [|discriminate]. exists t. exact H. }
  destruct T as (t & Ht).
  exact (check_sound dec machines nodup every (fun _ => machines) shape home t (fun _ => nodup) (fun _ => every) Ht).
Qed.

(* The theorem of a certificate: what `consortium check CERTIFICATE --coq FOLDER` has coqc prove. *)
Theorem certificate_sound shape ts :
  accepts Fin.eq_dec (organizations (length shape)) (jobs_of shape) false ts = true -> solvable shape.
Proof.
  intros H jobs N K.
  destruct (accepts_sound _ _ _ _ ts (organizations_nodup _) (organizations_all _) H jobs N K) as (p & E & _).
  exists p. exact E.
Qed.

(* Four organizations by name. *)
Inductive org4 : Set := O1 | O2 | O3 | O4.
Definition dec4 (a b : org4) : {a = b} + {a <> b}.
Proof. decide equality. Defined.
Definition all4 := [O1; O2; O3; O4].
Definition shape4 (k1 k2 k3 k4 : nat) (a : org4) : nat := match a with O1 => k1 | O2 => k2 | O3 => k3 | O4 => k4 end.

Lemma nodup4 : NoDup all4.
Proof. repeat constructor; simpl; intuition discriminate. Qed.
Lemma in4 a : In a all4.
Proof. destruct a; simpl; auto. Qed.

(* Solvable by placements in which organizations of at most one job in the shape are at home. *)
Definition solvable4h (shape : org4 -> nat) : Prop :=
  forall jobs : org4 -> list num,
    (forall a x, In x (jobs a) -> 0 <= x) -> (forall a, (length (jobs a) <= shape a)%nat) ->
    exists p : org4 -> nat -> org4, equilibrium dec4 all4 jobs (fun _ => all4) p /\
      forall a l, (shape a <= 1)%nat -> l <> a -> placed dec4 l (jobs a) (p a) = [].

Theorem certificate4h_sound shape ts : accepts dec4 all4 shape true ts = true -> solvable4h shape.
Proof.
  intros H jobs N K. destruct (accepts_sound dec4 all4 shape true ts nodup4 in4 H jobs N K) as (p & E & Hh).
  exists p. split; [exact E|exact (Hh eq_refl)].
Qed.
