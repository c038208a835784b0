(* Reading the text of a certificate: lines of a letter and integers, with " " or ":" between them. Nothing is proved
   about it and nothing needs to be: it only makes what a checker is given. *)
From Coq Require Import List ZArith NArith Strings.Byte.
Import ListNotations.

Inductive text : Set := Text (l : list byte).
Definition untext (t : text) : list byte := match t with Text l => l end.
Declare Scope lines_scope.
Delimit Scope lines_scope with lines.
String Notation text Text untext : lines_scope.

Definition line : Set := (byte * list Z)%type.
(* lines so far, then of this line: its letter, its numbers, the present number, whether that is negative *)
Definition reading : Set := (list line * byte * list Z * option Z * bool)%type.
Definition numbers (l : list Z) (cur : option Z) (neg : bool) : list Z :=
  match cur with Some z => (if neg then Z.opp z else z) :: l | None => l end.
Definition step (s : reading) (b : byte) : reading :=
  let '(ls, k, l, cur, neg) := s in
  let c := Z.of_N (Byte.to_N b) in
  if (if (48 <=? c)%Z then (c <=? 57)%Z else false) then
    (ls, k, l, Some (match cur with Some z => z * 10 | None => 0 end + (c - 48))%Z, neg)
  else match b with
  | "-"%byte => (ls, k, l, cur, true)
  | " "%byte | ":"%byte => (ls, k, numbers l cur neg, None, false)
  | x0a => ((k, rev (numbers l cur neg)) :: ls, x00, [], None, false)
  | _ => (ls, b, l, cur, neg)
  end.
Definition read (ts : list text) : list line :=
  let '(ls, _, _, _, _) := fold_left (fun s t => fold_left step (untext t) s) ts ([], x00, [], None, false) in
  rev' ls.

(* None where a number of a machine, a job or a row is none *)
Fixpoint every {A B : Type} (f : A -> option B) (l : list A) : option (list B) :=
  match l with
  | [] => Some []
  | x :: l' => match f x with
               | Some y => match every f l' with Some ys => Some (y :: ys) | None => None end
               | None => None
               end
  end.
Definition numbered {A : Type} (l : list A) (k : Z) : option A :=
  if (0 <=? k)%Z then nth_error l (Z.to_nat k) else None.
Fixpoint pairs (l : list Z) : option (list (nat * Z)) :=
  match l with
  | [] => Some []
  | i :: m :: l' =>
    if (0 <=? i)%Z then option_map (cons (Z.to_nat i, m)) (pairs l') else None
  | _ => None
  end.
