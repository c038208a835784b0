(* Linear forms with integer coefficients, and what follows from some of them being >= 0 at a point x >= 0.

   1. A form f is at least a multiple m >= 0 of a form g, coefficient by coefficient, so g.x >= 0 gives f.x >= 0
      (`shows`).
   2. Call h positive at x if h.x > 0, or if h.x = 0 and its first coefficient that is not 0 is positive: the sign of h
      at x + (e1, e2, ...), e1 >> e2 >> ... infinitesimal (`lexpos`). Sums and positive multiples of positive forms are
      positive; of h and -h, h not zero, one is; a form without a positive coefficient is not. *)
From Coq Require Import List Lia ZArith.
Require Import Numbers Game.
Import ListNotations.

(* lazy versions: && and || are eager under vm_compute *)
Fixpoint all {A} (f : A -> bool) (l : list A) : bool :=
  match l with [] => true | x :: t => if f x then all f t else false end.
Fixpoint any {A} (f : A -> bool) (l : list A) : bool :=
  match l with [] => false | x :: t => if f x then true else any f t end.
Definition isnil {A} (l : list A) : bool := match l with [] => true | _ => false end.
Fixpoint leq {A} (eq : A -> A -> bool) (a b : list A) : bool :=
  match a, b with [], [] => true | x :: a', y :: b' => if eq x y then leq eq a' b' else false | _, _ => false end.

Lemma all_true {A} (f : A -> bool) l : all f l = true -> forall x, In x l -> f x = true.
Proof.
  induction l as [|y l IH]; simpl; [tauto|]. destruct (f y) eqn:E; [|discriminate].
  intros H x [e|Hx]; [subst; exact E|auto].
Qed.
Lemma any_true {A} (f : A -> bool) l : any f l = true -> exists x, In x l /\ f x = true.
Proof.
  induction l as [|y l IH]; simpl; [discriminate|]. destruct (f y) eqn:E; [exists y; auto|].
  intros H. destruct (IH H) as (x & H1 & H2). exists x; auto.
Qed.
Lemma leq_true {A} (eq : A -> A -> bool) : (forall x y, eq x y = true -> x = y) ->
  forall a b, leq eq a b = true -> a = b.
Proof.
  intros He. induction a as [|x a IH]; destruct b as [|y b]; simpl; try discriminate; [reflexivity|].
  destruct (eq x y) eqn:E; [|discriminate]. intros H. rewrite (He _ _ E), (IH b H). reflexivity.
Qed.
(* a test of the shape `if c then d else false` holds: c and d do *)
Ltac tested H := repeat match type of H with
  | (if ?c then _ else false) = true => let E := fresh "T" in destruct c eqn:E; [|discriminate H]
  end.

(* ---------- vectors ---------- *)
Fixpoint vadd (a b : list Z) : list Z :=
  match a, b with x :: a', y :: b' => (x + y)%Z :: vadd a' b' | _, _ => [] end.
Definition vscale (m : Z) (a : list Z) : list Z := map (Z.mul m) a.
Definition vneg (a : list Z) : list Z := vscale (-1) a.
Fixpoint vle (a b : list Z) : bool :=
  match a, b with [], [] => true | x :: a', y :: b' => if (x <=? y)%Z then vle a' b' else false | _, _ => false end.
Definition vnonzero (a : list Z) : bool := any (fun c => negb (c =? 0)%Z) a.
Definition zeros (n : nat) : list Z := repeat 0%Z n.
Fixpoint dot (h : list Z) (x : list num) : num :=
  match h, x with c :: h', y :: x' => inj c * y + dot h' x' | _, _ => 0 end.

Lemma inj_nonneg z : (0 <= z)%Z -> 0 <= inj z.
Proof. rewrite <- inj_0. apply inj_le. Qed.
Lemma inj_pos z : (0 < z)%Z -> 0 < inj z.
Proof. rewrite <- inj_0. apply inj_lt. Qed.
Lemma vadd_length a b : length a = length b -> length (vadd a b) = length a.
Proof. revert b; induction a as [|c a IH]; destruct b; simpl; intros H; try discriminate; auto. Qed.
Lemma vscale_length m a : length (vscale m a) = length a. Proof. apply map_length. Qed.
Lemma dot_vadd a b x : length a = length b -> dot (vadd a b) x == dot a x + dot b x.
Proof.
  revert b x; induction a as [|c a IH]; destruct b as [|d b]; simpl; intros x H; try discriminate H; [lra|].
  destruct x as [|y x]; [lra|]. rewrite inj_plus, IH by congruence. lra.
Qed.
Lemma dot_vscale m a x : dot (vscale m a) x == inj m * dot a x.
Proof.
  revert x; induction a as [|c a IH]; intros x; simpl; [lra|]. destruct x as [|y x]; [lra|].
  unfold vscale in IH. rewrite inj_mult, IH. ring.
Qed.
Lemma dot_vneg a x : dot (vneg a) x == - dot a x.
Proof. unfold vneg. rewrite dot_vscale. change (-1)%Z with (- (1))%Z. rewrite inj_opp, inj_1. lra. Qed.
(* n a - d b *)
Fixpoint vdiff (n d : Z) (a b : list Z) : list Z :=
  match a, b with x :: a', y :: b' => (n * x - d * y)%Z :: vdiff n d a' b' | _, _ => [] end.
Lemma vdiff_length n d a b : length a = length b -> length (vdiff n d a b) = length a.
Proof. revert b; induction a as [|c a IH]; destruct b; simpl; intros H; try discriminate; auto. Qed.
Lemma dot_vdiff n d a b x : length a = length b -> dot (vdiff n d a b) x == inj n * dot a x - inj d * dot b x.
Proof.
  revert b x; induction a as [|c a IH]; destruct b as [|e b]; simpl; intros x H; try discriminate H; [lra|].
  destruct x as [|y x]; [lra|]. rewrite IH by congruence. unfold Z.sub. rewrite inj_plus, inj_opp, !inj_mult. ring.
Qed.
Lemma dot_zeros n x : dot (zeros n) x == 0.
Proof.
  revert x; induction n as [|n IH]; intros x; simpl; [lra|]. destruct x as [|y x]; [lra|].
  unfold zeros in IH. rewrite inj_0, IH. lra.
Qed.
Lemma dot_app a b x y : length a = length x -> dot (a ++ b) (x ++ y) == dot a x + dot b y.
Proof.
  revert x; induction a as [|c a IH]; destruct x as [|z x]; simpl; intros H; try discriminate H; [lra|].
  rewrite IH by congruence. lra.
Qed.
Lemma dot_vle a b x : nonneg x -> vle a b = true -> dot a x <= dot b x.
Proof.
  intros Hx. revert b x Hx; induction a as [|c a IH]; destruct b as [|d b]; simpl; intros x Hx H;
    try discriminate H; [lra|]. tested H. apply Z.leb_le in T. destruct x as [|y x]; [lra|].
  destruct (nonneg_cons y x Hx) as [H0 Hx']. specialize (IH b x Hx' H).
  assert (E : inj d == inj c + inj (d - c)) by (rewrite <- inj_plus; replace (c + (d - c))%Z with d by lia; lra).
  generalize (mul_nonneg (inj (d - c)) y (inj_nonneg (d - c) ltac:(lia)) H0). rewrite E. lra.
Qed.
Lemma dot_nonneg a x : nonneg x -> all (fun c => (0 <=? c)%Z) a = true -> 0 <= dot a x.
Proof.
  intros Hx. revert x Hx; induction a as [|c a IH]; simpl; intros x Hx H; [lra|]. tested H. apply Z.leb_le in T.
  destruct x as [|y x]; [lra|]. destruct (nonneg_cons y x Hx) as [H0 Hx'].
  generalize (mul_nonneg _ _ (inj_nonneg c T) H0) (IH x Hx' H). lra.
Qed.

(* d f >= n g coefficient by coefficient for some n >= 0 and d > 0: none where f is < 0 and g is not, else the least
   possible n / d, then tested *)
Fixpoint signs (f g : list Z) : bool :=
  match f, g with
  | Zneg _ :: f', Zneg _ :: g' => signs f' g'
  | Zneg _ :: _, _ => false
  | _ :: f', _ :: g' => signs f' g'
  | _, _ => true
  end.
Fixpoint least (f g : list Z) (n d : Z) : Z * Z :=
  match f, g with
  | u :: f', Zneg v :: g' => if (n * Zpos v <? - u * d)%Z then least f' g' (- u) (Zpos v) else least f' g' n d
  | _ :: f', _ :: g' => least f' g' n d
  | _, _ => (n, d)
  end.
Fixpoint scaled_le (n : Z) (g : list Z) (d : Z) (f : list Z) : bool :=
  match g, f with
  | v :: g', u :: f' => if (n * v <=? d * u)%Z then scaled_le n g' d f' else false
  | [], [] => true
  | _, _ => false
  end.
Definition shows (f g : list Z) : bool :=
  if signs f g then
    let (n, d) := least f g 0 1 in if (0 <=? n)%Z then if (0 <? d)%Z then scaled_le n g d f else false else false
  else false.
Lemma scaled_le_eq n g d f : scaled_le n g d f = vle (vscale n g) (vscale d f).
Proof. revert f; induction g as [|v g IH]; destruct f as [|u f]; simpl; auto. rewrite IH. reflexivity. Qed.
Lemma shows_sound x f g : nonneg x -> shows f g = true -> 0 <= dot g x -> 0 <= dot f x.
Proof.
  intros Hx. unfold shows. destruct (signs f g); [|discriminate]. destruct (least f g 0 1) as [n d].
  intros H Hg. tested H. rewrite scaled_le_eq in H.
  apply Z.leb_le in T. apply Z.ltb_lt in T0. apply (dot_vle _ _ x Hx) in H. rewrite !dot_vscale in H.
  apply (mul_nonneg_cancel (inj d)); [apply inj_pos; exact T0|].
  generalize (mul_nonneg _ _ (inj_nonneg n T) Hg). lra.
Qed.

(* rows, by number from 0, times multipliers > 0, at least one *)
Fixpoint comb (rows : list (list Z)) (multipliers : list (nat * Z)) : option (list Z) :=
  match multipliers with
  | [] => None
  | (i, m) :: more =>
    match nth_error rows i with
    | Some g =>
      if (0 <? m)%Z then
        match more with
        | [] => Some (vscale m g)
        | _ => match comb rows more with Some s => Some (vadd (vscale m g) s) | None => None end
        end
      else None
    | None => None
    end
  end.
Lemma comb_sound (good : list Z -> Prop) rows : (forall a b, good a -> good b -> good (vadd a b)) ->
  (forall m a, (0 < m)%Z -> good a -> good (vscale m a)) -> (forall g, In g rows -> good g) ->
  forall multipliers s, comb rows multipliers = Some s -> good s.
Proof.
  intros Hadd Hscale Hrows. induction multipliers as [|[i m] more IH]; simpl; intros s H; [discriminate|].
  destruct (nth_error rows i) as [g|] eqn:E; [|discriminate]. apply nth_error_In in E.
  destruct (Z.ltb_spec 0 m) as [Hm|]; [|discriminate]. specialize (Hscale m g Hm (Hrows g E)).
  destruct more as [|q more]; [congruence|]. destruct (comb rows (q :: more)) as [r|]; [|discriminate].
  injection H as H. subst s. auto.
Qed.

(* ---------- the sign of a form at the point x moved by infinitesimals e_1 >> e_2 >> ... ---------- *)
Fixpoint lp (h : list Z) : Prop :=
  match h with [] => False | c :: t => (0 < c)%Z \/ (c = 0%Z /\ lp t) end.
Definition lexpos (x : list num) (h : list Z) : Prop := 0 < dot h x \/ (dot h x == 0 /\ lp h).

Lemma lex_nonneg x h : lexpos x h -> 0 <= dot h x.
Proof. intros [H|[H _]]; lra. Qed.
Lemma lex_add x a b : length a = length b -> lexpos x a -> lexpos x b -> lexpos x (vadd a b).
Proof.
  intros L. assert (S : lp a -> lp b -> lp (vadd a b)).
  { revert b L; induction a as [|c a IH]; destruct b as [|d b]; simpl; try tauto.
    intros L [A|[A A']] [B|[B B']]; try (left; lia). right. split; [lia|apply IH; auto]. }
  intros [A|[A A']] [B|[B B']]; unfold lexpos; rewrite (dot_vadd a b x L); try (left; lra).
  right; split; [lra|auto].
Qed.
Lemma lex_scale x m a : (0 < m)%Z -> lexpos x a -> lexpos x (vscale m a).
Proof.
  intros Hm. assert (S : lp a -> lp (vscale m a)).
  { induction a as [|c a IH]; simpl; [tauto|]. intros [H|[H H']]; [left; nia|right; split; [nia|auto]]. }
  intros [A|[A A']]; unfold lexpos; rewrite (dot_vscale m a x).
  - left. apply mul_pos; [apply inj_pos; exact Hm|exact A].
  - right. split; [rewrite A; lra|auto].
Qed.
Lemma lex_total x a : vnonzero a = true -> lexpos x a \/ lexpos x (vneg a).
Proof.
  intros H. unfold lexpos. rewrite (dot_vneg a x).
  destruct (lt_le 0 (dot a x)) as [A|A]; [left; left; exact A|].
  destruct (lt_le (dot a x) 0) as [B|B]; [right; left; lra|].
  assert (S : lp a \/ lp (vneg a)); [|destruct S; [left|right]; right; split; auto; lra].
  clear A B. induction a as [|c a IH]; unfold vnonzero in *; simpl in *; [discriminate|].
  destruct (Z.eqb_spec c 0) as [E|E].
  - subst. destruct (IH H); [left|right]; right; auto.
  - destruct (Z_lt_le_dec 0 c); [left; left; lia|right; left; change (0 < -1 * c)%Z; lia].
Qed.
Lemma lex_nonpos x a : nonneg x -> vle a (zeros (length a)) = true -> lexpos x a -> False.
Proof.
  intros Hx H [A|[_ A]].
  - assert (E := dot_zeros (length a) x). apply (dot_vle _ _ x Hx) in H. lra.
  - induction a as [|c a IH]; simpl in *; [exact A|]. tested H. apply Z.leb_le in T.
    destruct A as [A|[A A']]; [lia|auto].
Qed.
