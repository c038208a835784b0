(* The text of a certificate. Nothing is proved about its reader, and nothing needs to be: it only makes what a checker
   is given.

   A text is a sequence of numbers in base 32. A digit d is the character of code 48 + d where it is the last one of its
   number, and 80 + d where more follow, the most significant first; all other characters are passed over. The numbers
   are lists of integers, one after the other: how many there are, then each of them, 0, -1, 1, -2, 2, ... as 0, 1, 2,
   3, 4. What the lists mean is said at the end of Cover.v and of PriceTree.v. *)
From Coq Require Import List ZArith NArith Strings.Byte.
Import ListNotations.

(* Sixteen characters to a constructor: strings of one character each take coqc five times the memory and the time. *)
Inductive text : Set :=
| End
| Next (c0 c1 c2 c3 c4 c5 c6 c7 c8 c9 ca cb cc cd ce cf : byte) (rest : text).
Fixpoint pack (l : list byte) : text :=
  match l with
  | c0 :: c1 :: c2 :: c3 :: c4 :: c5 :: c6 :: c7 :: c8 :: c9 :: ca :: cb :: cc :: cd :: ce :: cf :: l' =>
      Next c0 c1 c2 c3 c4 c5 c6 c7 c8 c9 ca cb cc cd ce cf (pack l')
  | [] => End
  | c0 :: l' =>                                           (* fewer than sixteen: they are filled up with spaces *)
      let c i := nth i l' x20 in
      Next c0 (c 0) (c 1) (c 2) (c 3) (c 4) (c 5) (c 6) (c 7) (c 8) (c 9) (c 10) (c 11) (c 12) (c 13) (c 14) End
  end.
Fixpoint unpack (t : text) : list byte :=
  match t with
  | End => []
  | Next c0 c1 c2 c3 c4 c5 c6 c7 c8 c9 ca cb cc cd ce cf rest =>
      c0 :: c1 :: c2 :: c3 :: c4 :: c5 :: c6 :: c7 :: c8 :: c9 :: ca :: cb :: cc :: cd :: ce :: cf :: unpack rest
  end.
Declare Scope text_scope.
Delimit Scope text_scope with text.
String Notation text pack unpack : text_scope.

(* What was read: of the present number, how many numbers its list lacks, those it has, and the lists before it. *)
Definition reading : Set := (N * N * list Z * list (list Z))%type.
Definition integer (n : N) : Z := if N.odd n then (- Z.of_N (N.div2 n) - 1)%Z else Z.of_N (N.div2 n).
Definition number (lacks : N) (l : list Z) (ls : list (list Z)) (n : N) : reading :=
  match lacks with
  | N0 => (0%N, n, [], if (n =? 0)%N then [] :: ls else ls)
  | 1%N => (0%N, 0%N, [], rev' (integer n :: l) :: ls)
  | _ => (0%N, N.pred lacks, integer n :: l, ls)
  end.
Definition digit (s : reading) (c : byte) : reading :=
  let '(n, lacks, l, ls) := s in
  let code := Byte.to_N c in
  if (code <? 48)%N then s
  else if (code <? 80)%N then number lacks l ls (32 * n + (code - 48))%N
  else ((32 * n + (code - 80))%N, lacks, l, ls).
Fixpoint digits (s : reading) (t : text) : reading :=
  match t with
  | End => s
  | Next c0 c1 c2 c3 c4 c5 c6 c7 c8 c9 ca cb cc cd ce cf rest =>
      digits (fold_left digit [c0; c1; c2; c3; c4; c5; c6; c7; c8; c9; ca; cb; cc; cd; ce; cf] s) rest
  end.
Definition lists_of (ts : list text) : list (list Z) :=
  let '(_, _, _, ls) := fold_left digits ts (0%N, 0%N, [], []) in rev' ls.

(* a machine by its number, and pairs of the numbers of rows and their multipliers *)
Definition machine {O} (machines : list O) (default : O) (i : Z) : O := nth (Z.to_nat i) machines default.
Fixpoint pairs (l : list Z) : list (nat * Z) :=
  match l with i :: m :: l' => (Z.to_nat i, m) :: pairs l' | _ => [] end.
