(* A checker of covers: certificates that all games of a shape have a pure equilibrium, and the proof that what it
   accepts is true, for jobs that stand in descending order and are exactly as many as the shape says.

   A cover is a binary tree over the differences x of consecutive lengths, which are >= 0. A form is an integer vector
   h, with value h.x. Split h: first the side where h.x <= 0, then the one where h.x >= 0; Leaf: a placement of all
   jobs;
   Empty: multiples of rows on the way that add up to a form without a positive coefficient.

   The idea of the proof. Call h positive at x if h.x > 0, or if h.x = 0 and its first coefficient that is not 0 is
   positive: the sign of h at x + (e1, e2, ...), e1 >> e2 >> ... infinitesimal (lexpos).
   1. Sums and positive multiples of positive forms are positive; of h and -h, h not zero, one is; a form without a
      positive coefficient is not (lex_add, lex_scale, lex_total, lex_nonpos).
   2. So from the root of an accepted tree one way leads down on which all rows are positive; it does not end in Empty,
      so it ends in a leaf whose obligations are implied by rows of the way (walk_sound).
   3. The obligations of a placement say, for each organization and each other strategy d of hers: on some machine
      that d uses, ready time + load is at least ready time + load on every machine that she uses now. These are
   forms, and
      their values are those of the game (rdf_sound, term_sound). If all hold at x, the placement is an equilibrium of
      the game x itself, ties and lengths 0 included (obls_sound).
   No form is trusted: the checker makes those of the obligations itself, and tests what unproved code (encode) wrote
   more shortly. Lists are compared by functions of its own, as && and || compute both sides under vm_compute. *)
From Coq Require Import List Lia Permutation ZArith Bool.
Require Import Numbers Game.
Import ListNotations.

(* ================= THE CHECKER ================= *)
(* lazy versions: && and || are eager under vm_compute *)
Fixpoint all {A} (f : A -> bool) (l : list A) : bool :=
  match l with [] => true | x :: t => if f x then all f t else false end.
Fixpoint any {A} (f : A -> bool) (l : list A) : bool :=
  match l with [] => false | x :: t => if f x then true else any f t end.
Definition isnil {A} (l : list A) : bool := match l with [] => true | _ => false end.
Fixpoint leq {A} (eq : A -> A -> bool) (a b : list A) : bool :=
  match a, b with [], [] => true | x :: a', y :: b' => if eq x y then leq eq a' b' else false | _, _ => false end.

(* linear forms: integer vectors *)
Fixpoint vadd (a b : list Z) : list Z :=
  match a, b with x :: a', y :: b' => (x + y)%Z :: vadd a' b' | _, _ => [] end.
Definition vneg (a : list Z) : list Z := map Z.opp a.
Definition vscale (m : Z) (a : list Z) : list Z := map (Z.mul m) a.
Definition vsub (a b : list Z) : list Z := vadd a (vneg b).
Fixpoint vle (a b : list Z) : bool :=
  match a, b with [], [] => true | x :: a', y :: b' => if (x <=? y)%Z then vle a' b' else false | _, _ => false end.
Definition vnonneg (a : list Z) : bool := all (fun c => (0 <=? c)%Z) a.
Definition vnonpos (a : list Z) : bool := all (fun c => (c <=? 0)%Z) a.
Definition vnonzero (a : list Z) : bool := any (fun c => negb (c =? 0)%Z) a.
Definition zeros (n : nat) : list Z := repeat 0%Z n.

(* tables indexed by positive numbers *)
Inductive trie (A : Type) : Type := Nil | Node (l : trie A) (o : option A) (r : trie A).
Arguments Nil {A}. Arguments Node {A}.
Fixpoint get {A} (i : positive) (t : trie A) {struct t} : option A :=
  match t with
  | Nil => None
  | Node l o r => match i with xH => o | xO j => get j l | xI j => get j r end
  end.
Fixpoint put {A} (i : positive) (x : A) (t : trie A) : trie A :=
  match i with
  | xH => match t with Nil => Node Nil (Some x) Nil | Node l _ r => Node l (Some x) r end
  | xO j => match t with Nil => Node (put j x Nil) None Nil | Node l o r => Node (put j x l) o r end
  | xI j => match t with Nil => Node Nil None (put j x Nil) | Node l o r => Node l o (put j x r) end
  end.
Fixpoint tmap {A B} (f : A -> B) (t : trie A) : trie B :=
  match t with
  | Nil => Nil
  | Node l o r => Node (tmap f l) (match o with Some x => Some (f x) | None => None end) (tmap f r)
  end.

Fixpoint tall {A} (f : A -> bool) (t : trie A) : bool :=
  match t with
  | Nil => true
  | Node l o r => if match o with Some x => f x | None => true end then if tall f l then tall f r else false else false
  end.

Inductive cert (O : Type) : Type :=
| Split (h : list Z) (neg pos : cert O)      (* first h <= 0, then h >= 0 *)
| Empty (lam : list (nat * Z))               (* rows of the path (0 = the root) with multipliers *)
| Leaf (hs : list O).                        (* a placement: hosts of all jobs *)
Arguments Split {O}. Arguments Empty {O}. Arguments Leaf {O}.

Section Checker.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variable machines : list O.
Variable prio : O -> list O.
Variable shape : O -> nat.
Variable singles_home : bool.                (* insist on organizations of at most one job being at home *)

Definition dim : nat := list_sum (map shape machines).
Definition mem (l : O) (d : list O) : bool := any (fun h => if dec h l then true else false) d.
Definition same (a b : list O) : bool := leq (fun x y => if dec x y then true else false) a b.

(* load on l of an organization that puts its jobs (longest first) on hs,
   as a form over the differences: prefix counts *)
Fixpoint pre (c : Z) (hs : list O) (l : O) : list Z :=
  match hs with
  | [] => []
  | h :: t => let c' := if dec h l then (c + 1)%Z else c in c' :: pre c' t l
  end.
Definition emb (b : O) (v : list Z) : list Z :=
  flat_map (fun c => if dec c b then v else zeros (shape c)) machines.
(* ready time of l for a *)
Definition rdf (P : O -> list O) (a l : O) : list Z :=
  fold_right (fun b v => vadd (emb b (pre 0 (P b) l)) v) (zeros dim) (before dec a (order dec prio l)).
Definition term (a : O) (d : list O) (lr : O * list Z) : list Z :=
  vadd (emb a (pre 0 d (fst lr))) (snd lr).
Fixpoint lists (k : nat) : list (list O) :=
  match k with 0%nat => [[]] | S k' => flat_map (fun m => map (cons m) (lists k')) machines end.
Definition needs (F : list (list Z)) (G : list Z) : list (list Z) :=
  filter (fun f => negb (vnonneg f)) (map (fun f => vsub G f) F).
(* obligations of organization a: for each deviation the alternatives; an alternative is a list of forms to be >= 0 *)
Definition obls (P : O -> list O) (a : O) : list (list (list (list Z))) :=
  match shape a with
  | 0%nat => []
  | _ =>
    let R := map (fun l => (l, rdf P a l)) machines in
    let F := map (term a (P a)) (filter (fun lr => mem (fst lr) (P a)) R) in
    flat_map (fun d =>
      if same d (P a) then [] else
      let alts := map (fun lr => needs F (term a d lr)) (filter (fun lr => mem (fst lr) d) R) in
      if any isnil alts then [] else [alts]) (lists (shape a))
  end.
Fixpoint cut (ms hs : list O) (a : O) : list O :=
  match ms with
  | [] => []
  | b :: ms' => if dec b a then firstn (shape b) hs else cut ms' (skipn (shape b) hs) a
  end.
(* The obligations of a placement in a compact form: different forms, different alternatives (numbers of forms),
   different obligations (numbers of alternatives). Nothing is proved about encode; covers is the proved test. *)
Definition ob_t : Type := (trie (list Z) * trie (list positive) * trie (list positive))%type.
Definition key_form (acc : positive) (f : list Z) : positive :=
  fold_left (fun acc c => Pos.add (16 * acc) (Z.to_pos (c + 8))) f acc.
Definition tab (B : Type) : Type := (trie positive * positive * trie B)%type.
Definition intern {B} (t : tab B) (key : positive) (v : B) : tab B * positive :=
  let '(m, next, vals) := t in
  match get key m with
  | Some i => (t, i)
  | None => ((put key next m, Pos.succ next, put next v vals), next)
  end.
Fixpoint number {A B S} (step : S -> A -> S * B) (s : S) (l : list A) : S * list B :=
  match l with [] => (s, []) | x :: t => let (s1, y) := step s x in let (s2, r) := number step s1 t in (s2, y :: r) end.
Fixpoint insert1 (i : positive) (l : list positive) : list positive :=
  match l with
  | [] => [i]
  | j :: t => match Pos.compare i j with Lt => i :: l | Eq => l | Gt => j :: insert1 i t end
  end.
Definition enc_alt (st : tab (list Z) * tab (list positive)) (alt : list (list Z)) :=
  let '(tf, ta) := st in
  let (tf', fi) := number (fun t f => intern t (key_form 1 f) f) tf alt in
  let (ta', i) := intern ta (fold_left key_form alt 1%positive) fi in ((tf', ta'), i).
Definition enc_ob (st : (tab (list Z) * tab (list positive)) * tab (list positive)) (alts : list (list (list Z))) :=
  let '(fa, tobs) := st in
  let (fa', ai) := number enc_alt fa alts in
  let c := fold_right insert1 [] ai in
  let (to', i) := intern tobs (fold_left (fun acc i => Pos.add (65536 * acc) i) c 1%positive) c in ((fa', to'), i).
Definition encode (ob : list (list (list (list Z)))) : ob_t * list positive :=
  let start {B} : tab B := (Nil, 1%positive, Nil) in
  let '(((_, _, F), (_, _, A)), (_, _, R), hints) := number enc_ob ((start, start), start) ob in ((F, A, R), hints).
Definition get_form (F : trie (list Z)) (i : positive) : list Z := match get i F with Some f => f | None => [] end.
(* each obligation contains all alternatives of the compact obligation that its hint names *)
Fixpoint covers (e : ob_t) (ob : list (list (list (list Z)))) (hints : list positive) : bool :=
  match ob, hints with
  | [], _ => true
  | alts :: ob', h :: hints' =>
    let '(F, A, R) := e in
    match get h R with
    | Some r =>
      if all (fun i => match get i A with
                       | Some fi => let alt := map (get_form F) fi in any (leq (leq Z.eqb) alt) alts
                       | None => true
                       end) r
      then covers e ob' hints' else false
    | None => false
    end
  | _, [] => false
  end.
Definition entry (hs : list O) : option ob_t :=
  let P := cut machines hs in
  if all (fun a => (length (P a) =? shape a)%nat) machines then
    if (if singles_home then all (fun a => if (shape a <=? 1)%nat then same (P a) (repeat a (shape a)) else true)
      machines
        else true)
    then
      let ob := flat_map (obls P) machines in
      let (e, hints) := encode ob in
      if covers e ob hints then Some e else None
    else None
  else None.

(* f >= m g for some rational m >= 0: the least possible m, then tested *)
Fixpoint least (f g : list Z) (n d : Z) : Z * Z :=
  match f, g with
  | u :: f', v :: g' => if (v <? 0)%Z then if (n * - v <? - u * d)%Z then least f' g' (- u) (- v) else least f' g' n d
                        else if (u <? 0)%Z then ((-1)%Z, 1%Z) else least f' g' n d
  | _, _ => (n, d)
  end.
Definition ratio (f g : list Z) : bool :=
  let (n, d) := least f g 0 1 in
  if (0 <=? n)%Z then if (0 <? d)%Z then vle (vscale n g) (vscale d f) else false else false.
Definition implied (path : list (list Z)) (f : list Z) : bool :=
  if any (fun g => vle g f) path then true else any (ratio f) path.

Fixpoint comb (rows : list (list Z)) (lam : list (nat * Z)) : option (list Z) :=
  match lam with
  | [] => None
  | (i, m) :: lam' =>
    match nth_error rows i with
    | None => None
    | Some g =>
      if (0 <? m)%Z then
        match lam' with
        | [] => Some (vscale m g)
        | _ => match comb rows lam' with Some s => Some (vadd (vscale m g) s) | None => None end
        end
      else None
    end
  end.

Fixpoint leaves (t : cert O) (acc : list (list O)) : list (list O) :=
  match t with
  | Split _ a b => leaves b (leaves a acc)
  | Empty _ => acc
  | Leaf hs => if any (same hs) acc then acc else hs :: acc
  end.
Fixpoint find (hs : list O) (tbl : list (list O * option ob_t)) : option ob_t :=
  match tbl with [] => None | (h, e) :: t => if same h hs then e else find hs t end.

Section Walk.
Variable tbl : list (list O * option ob_t).
Fixpoint walk (path : list (list Z)) (t : cert O) : bool :=
  match t with
  | Split h a b =>
    if (length h =? dim)%nat then if vnonzero h then if walk (vneg h :: path) a then walk (h :: path) b else false
    else false else false
  | Empty lam => match comb path lam with Some s => vnonpos s | None => false end
  | Leaf hs => match find hs tbl with
               | Some (F, A, R) =>
                 let okF := tmap (implied path) F in
                 let okA := tmap (all (fun i => match get i okF with Some b => b | None => false end)) A in
                 tall (any (fun i => match get i okA with Some b => b | None => false end)) R
               | None => false
               end
  end.
End Walk.
Definition check (t : cert O) : bool :=
  walk (map (fun hs => (hs, entry hs)) (leaves t [])) [] t.

(* ================= SOUNDNESS ================= *)
Lemma all_true {A} (f : A -> bool) l : all f l = true -> forall x, In x l -> f x = true.
Proof.
  induction l as [|y l IH]; simpl; [tauto|]. destruct (f y) eqn:E; [|discriminate].
  intros H x [e|Hx]; [subst; exact E|auto].
Qed.
Lemma any_true {A} (f : A -> bool) l : any f l = true -> exists x, In x l /\ f x = true.
Proof.
  induction l as [|y l IH]; simpl; [discriminate|]. destruct (f y) eqn:E.
  - intros _. exists y; auto.
  - intros H. destruct (IH H) as (x & H1 & H2). exists x; auto.
Qed.
Lemma any_intro {A} (f : A -> bool) l x : In x l -> f x = true -> any f l = true.
Proof.
  induction l as [|y l IH]; simpl; [tauto|]. intros [e|H] Hf; [subst; rewrite Hf; reflexivity|].
  destruct (f y); auto.
Qed.
Lemma leq_true {A} (eq : A -> A -> bool) : (forall x y, eq x y = true -> x = y) ->
  forall a b, leq eq a b = true -> a = b.
Proof.
  intros He. induction a as [|x a IH]; destruct b as [|y b]; simpl; try discriminate; [reflexivity|].
  destruct (eq x y) eqn:E; [|discriminate]. intros H. rewrite (He _ _ E), (IH b H). reflexivity.
Qed.
Lemma get_tmap {A B} (f : A -> B) i t : get i (tmap f t) = match get i t with Some x => Some (f x) | None => None end.
Proof. revert i; induction t as [|l IHl o r IHr]; intros i; simpl; [reflexivity|]. destruct i; simpl; auto. Qed.
Lemma tall_get {A} (f : A -> bool) t : tall f t = true -> forall i x, get i t = Some x -> f x = true.
Proof.
  induction t as [|l IHl o r IHr]; simpl; intros H i x G; [discriminate|].
  destruct (match o with Some x => f x | None => true end) eqn:E; [|discriminate].
  destruct (tall f l); [|discriminate]. destruct i; simpl in G; [exact (IHr H i x G)|exact (IHl eq_refl i x G)|].
  subst o. exact E.
Qed.
Lemma same_true a b : same a b = true -> a = b.
Proof. apply leq_true. intros x y. destruct (dec x y); [auto|discriminate]. Qed.
Lemma mem_true l d : mem l d = true <-> In l d.
Proof.
  unfold mem. split; intros H.
  - apply any_true in H. destruct H as (x & Hx & E). destruct (dec x l); [subst; exact Hx|discriminate].
  - apply (any_intro _ _ l H). destruct (dec l l); congruence.
Qed.

(* vectors *)
Fixpoint dot (h : list Z) (x : list num) : num :=
  match h, x with c :: h', y :: x' => inj c * y + dot h' x' | _, _ => 0 end.

Lemma vadd_length a b : length a = length b -> length (vadd a b) = length a.
Proof. revert b; induction a as [|c a IH]; destruct b; simpl; intros H; try discriminate; auto. Qed.
Lemma vneg_length a : length (vneg a) = length a. Proof. apply map_length. Qed.
Lemma vscale_length m a : length (vscale m a) = length a. Proof. apply map_length. Qed.
Lemma dot_vadd a b x : length a = length b -> dot (vadd a b) x == dot a x + dot b x.
Proof.
  revert b x; induction a as [|c a IH]; destruct b as [|d b]; simpl; intros x H; try discriminate H; [lra|].
  destruct x as [|y x]; [lra|]. rewrite inj_plus, IH by congruence. lra.
Qed.
Lemma dot_vneg a x : dot (vneg a) x == - dot a x.
Proof.
  revert x; induction a as [|c a IH]; intros x; simpl; [lra|]. destruct x as [|y x]; [lra|].
  unfold vneg in IH. rewrite inj_opp, IH. lra.
Qed.
Lemma dot_vscale m a x : dot (vscale m a) x == inj m * dot a x.
Proof.
  revert x; induction a as [|c a IH]; intros x; simpl; [lra|]. destruct x as [|y x]; [lra|].
  unfold vscale in IH. rewrite inj_mult, IH. ring.
Qed.
Lemma dot_vsub a b x : length a = length b -> dot (vsub a b) x == dot a x - dot b x.
Proof. intros H. unfold vsub. rewrite dot_vadd, dot_vneg by (rewrite vneg_length; exact H). lra. Qed.
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
    try discriminate H; [lra|].
  destruct (c <=? d)%Z eqn:E; [|discriminate]. apply Z.leb_le in E.
  destruct x as [|y x]; [lra|].
  assert (0 <= y) by (apply Hx; left; reflexivity).
  assert (dot a x <= dot b x) by (apply IH; [intros z Hz; apply Hx; right; exact Hz|exact H]).
  assert (0 <= inj (d - c) * y) by (apply mul_nonneg; [rewrite <- inj_0; apply inj_le; lia|assumption]).
  assert (inj d * y == inj c * y + inj (d - c) * y).
  { replace d with (c + (d - c))%Z at 1 by lia. rewrite inj_plus. lra. }
  lra.
Qed.
Lemma dot_nonneg a x : nonneg x -> vnonneg a = true -> 0 <= dot a x.
Proof.
  intros Hx. revert x Hx; induction a as [|c a IH]; simpl; intros x Hx H; [lra|].
  unfold vnonneg in H. simpl in H. destruct (0 <=? c)%Z eqn:E; [|discriminate]. apply Z.leb_le in E.
  destruct x as [|y x]; [lra|].
  assert (0 <= inj c * y) by (apply mul_nonneg; [rewrite <- inj_0; apply inj_le; lia|apply Hx; left; reflexivity]).
  assert (0 <= dot a x) by (apply IH; [intros z Hz; apply Hx; right; exact Hz|exact H]).
  lra.
Qed.

(* the sign of a form at the point x moved by infinitesimals e_1 >> e_2 >> ... *)
Fixpoint lp (h : list Z) : Prop :=
  match h with [] => False | c :: t => (0 < c)%Z \/ (c = 0%Z /\ lp t) end.
Definition lexpos (x : list num) (h : list Z) : Prop := 0 < dot h x \/ (dot h x == 0 /\ lp h).

Lemma lp_add a b : length a = length b -> lp a -> lp b -> lp (vadd a b).
Proof.
  revert b; induction a as [|c a IH]; destruct b as [|d b]; simpl; try tauto.
  intros H [A|[A A']] [B|[B B']]; try (left; lia). right. split; [lia|apply IH; auto].
Qed.
Lemma lp_scale m a : (0 < m)%Z -> lp a -> lp (vscale m a).
Proof.
  intros Hm; induction a as [|c a IH]; simpl; [tauto|]. intros [H|[H H']]; [left; nia|right; split; [nia|auto]].
Qed.
Lemma lp_total a : vnonzero a = true -> lp a \/ lp (vneg a).
Proof.
  induction a as [|c a IH]; unfold vnonzero; simpl; [discriminate|].
  destruct (c =? 0)%Z eqn:E; simpl.
  - apply Z.eqb_eq in E. subst. intros H. destruct (IH H); [left|right]; auto.
  - apply Z.eqb_neq in E. intros _. destruct (Z_lt_le_dec 0 c); [left; left; lia|right; left; lia].
Qed.
Lemma lp_nonpos a : vnonpos a = true -> lp a -> False.
Proof.
  induction a as [|c a IH]; unfold vnonpos; simpl; [tauto|].
  destruct (c <=? 0)%Z eqn:E; [|discriminate]. apply Z.leb_le in E. intros H [A|[A A']]; [lia|auto].
Qed.

Lemma lex_nonneg x h : lexpos x h -> 0 <= dot h x.
Proof. intros [H|[H _]]; lra. Qed.
Lemma lex_add x a b : length a = length b -> lexpos x a -> lexpos x b -> lexpos x (vadd a b).
Proof.
  intros L [A|[A A']] [B|[B B']]; unfold lexpos; rewrite (dot_vadd a b x L).
  - left; lra.
  - left; lra.
  - left; lra.
  - right; split; [lra|apply lp_add; auto].
Qed.
Lemma lex_scale x m a : (0 < m)%Z -> lexpos x a -> lexpos x (vscale m a).
Proof.
  intros Hm. assert (Hi : 0 < inj m) by (rewrite <- inj_0; apply inj_lt; exact Hm).
  intros [A|[A A']]; unfold lexpos; rewrite (dot_vscale m a x).
  - left. apply mul_pos; assumption.
  - right. split; [rewrite A; lra|apply lp_scale; auto].
Qed.
Lemma lex_total x a : vnonzero a = true -> lexpos x a \/ lexpos x (vneg a).
Proof.
  intros H. unfold lexpos. rewrite (dot_vneg a x).
  destruct (lt_le 0 (dot a x)) as [A|A]; [left; left; exact A|].
  destruct (lt_le (dot a x) 0) as [B|B]; [right; left; lra|].
  destruct (lp_total a H); [left|right]; right; split; auto; lra.
Qed.
Lemma lex_nonpos x a : nonneg x -> vnonpos a = true -> lexpos x a -> False.
Proof.
  intros Hx H A.
  assert (G : 0 <= dot (vneg a) x).
  { apply dot_nonneg; [exact Hx|]. clear A. unfold vnonneg, vnonpos, vneg in *.
    induction a as [|c a IH]; simpl in *; [reflexivity|].
    destruct (c <=? 0)%Z eqn:E; [|discriminate]. apply Z.leb_le in E.
    destruct (0 <=? - c)%Z eqn:E'; [auto|]. apply Z.leb_gt in E'. lia. }
  rewrite dot_vneg in G. destruct A as [A|[_ A]]; [lra|exact (lp_nonpos a H A)].
Qed.

Definition rows_ok (x : list num) (path : list (list Z)) : Prop :=
  forall g, In g path -> lexpos x g /\ length g = dim.

Lemma implied_sound x path f : nonneg x -> rows_ok x path -> implied path f = true -> 0 <= dot f x.
Proof.
  intros Hx Hp. unfold implied. destruct (any (fun g => vle g f) path) eqn:E.
  - intros _. apply any_true in E. destruct E as (g & Hg & E).
    generalize (lex_nonneg x g (proj1 (Hp g Hg))) (dot_vle g f x Hx E). lra.
  - intros H. apply any_true in H. destruct H as (g & Hg & H). unfold ratio in H.
    destruct (least f g 0 1) as [n d].
    destruct (0 <=? n)%Z eqn:En; [|discriminate]. destruct (0 <? d)%Z eqn:Ed; [|discriminate].
    apply Z.leb_le in En. apply Z.ltb_lt in Ed.
    assert (G := dot_vle _ _ x Hx H). rewrite !dot_vscale in G.
    assert (0 <= inj n * dot g x).
    { apply mul_nonneg; [rewrite <- inj_0; apply inj_le; exact En|apply lex_nonneg, Hp, Hg]. }
    apply (mul_nonneg_cancel (inj d)); [rewrite <- inj_0; apply inj_lt; exact Ed|lra].
Qed.

Lemma comb_sound x path lam s : rows_ok x path -> comb path lam = Some s -> lexpos x s /\ length s = dim.
Proof.
  intros Hp. revert s; induction lam as [|[i m] lam IH]; simpl; intros s; [discriminate|].
  destruct (nth_error path i) as [g|] eqn:E; [|discriminate].
  destruct (0 <? m)%Z eqn:Em; [|discriminate]. apply Z.ltb_lt in Em.
  assert (Hg := Hp g (nth_error_In _ _ E)). destruct Hg as [Hg Lg].
  assert (A : lexpos x (vscale m g)) by (apply lex_scale; assumption).
  assert (B : length (vscale m g) = dim) by (rewrite vscale_length; exact Lg).
  destruct lam as [|q lam].
  - intros e; inversion e; subst; auto.
  - destruct (comb path (q :: lam)) as [r|]; [|discriminate]. destruct (IH r eq_refl) as [C D].
    intros e; inversion e; subst. split; [apply lex_add; congruence|rewrite vadd_length; congruence].
Qed.

Lemma leaves_find hs l e : find hs (map (fun h => (h, entry h)) l) = Some e -> entry hs = Some e.
Proof.
  induction l as [|h l IH]; simpl; [discriminate|]. destruct (same h hs) eqn:E; [|exact IH].
  apply same_true in E. subst. auto.
Qed.

Lemma walk_sound x tbl t : nonneg x -> (forall hs e, find hs tbl = Some e -> entry hs = Some e) ->
  forall path, rows_ok x path -> walk tbl path t = true ->
  exists hs e, entry hs = Some e /\
    forall h r, get h (snd e) = Some r -> exists i fi, In i r /\ get i (snd (fst e)) = Some fi /\
      forall j, In j fi -> 0 <= dot (get_form (fst (fst e)) j) x.
Proof.
  intros Hx Ht. induction t as [h a IHa b IHb|lam|hs]; simpl; intros path Hp H.
  - destruct (length h =? dim)%nat eqn:L; [|discriminate]. apply Nat.eqb_eq in L.
    destruct (vnonzero h) eqn:Z; [|discriminate].
    destruct (walk tbl (vneg h :: path) a) eqn:A; [|discriminate].
    destruct (lex_total x h Z) as [P|P].
    + apply (IHb (h :: path)); [|exact H]. intros g [e|Hg]; [subst; auto|auto].
    + apply (IHa (vneg h :: path)); [|exact A]. intros g [e|Hg]; [subst; rewrite vneg_length; auto|auto].
  - destruct (comb path lam) as [s|] eqn:E; [|discriminate]. exfalso.
    apply (lex_nonpos x s Hx H). apply (comb_sound x path lam); [|exact E].
    exact Hp.
  - destruct (find hs tbl) as [[[F A] R]|] eqn:E; [|discriminate]. exists hs, (F, A, R). split; [auto|]. simpl.
    intros h r Hr. assert (G := tall_get _ _ H h r Hr). cbv beta in G. apply any_true in G. destruct G as (i & Hi & G).
    rewrite get_tmap in G. destruct (get i A) as [fi|] eqn:Ei; [|discriminate]. exists i, fi. split; [exact Hi|].
      split; [exact Ei|].
    intros j Hj. assert (G2 := all_true _ _ G j Hj). cbv beta in G2. rewrite get_tmap in G2. unfold get_form.
    destruct (get j F) as [f|]; [|discriminate]. apply (implied_sound x path); auto.
Qed.
Lemma covers_sound x e ob hints : covers e ob hints = true ->
  (forall h r, get h (snd e) = Some r -> exists i fi, In i r /\ get i (snd (fst e)) = Some fi /\
      forall j, In j fi -> 0 <= dot (get_form (fst (fst e)) j) x) ->
  forall alts, In alts ob -> exists alt, In alt alts /\ forall f, In f alt -> 0 <= dot f x.
Proof.
  intros H He. destruct e as [[F A] R]. simpl in He.
    revert hints H; induction ob as [|a ob IH]; simpl; intros hints H alts Ha; [destruct Ha|].
  destruct hints as [|h hints]; [discriminate|]. destruct (get h R) as [r|] eqn:Er; [|discriminate].
  match type of H with (if ?c then _ else _) = _ => destruct c eqn:C; [|discriminate] end.
  destruct Ha as [Ha|Ha]; [subst a|exact (IH hints H alts Ha)].
  destruct (He h r Er) as (i & fi & Hi & Ei & Hf). assert (G := all_true _ _ C i Hi). cbv beta in G. rewrite Ei in G.
  apply any_true in G. destruct G as (alt & Hin & E). apply leq_true in E; [|apply leq_true; apply Z.eqb_eq].
  exists alt. split; [exact Hin|]. intros f Hff. rewrite <- E in Hff. apply in_map_iff in Hff.
  destruct Hff as (j & Ej & Hj). subst f. exact (Hf j Hj).
Qed.

(* ---------- forms and games ---------- *)
Hypothesis machines_nodup : NoDup machines.
Hypothesis machines_all : forall l, In l machines.
Hypothesis prio_nodup : forall l, NoDup (prio l).
Hypothesis prio_all : forall l a, In a (prio l).

Fixpoint hosts (s : nat -> O) (k : nat) : list O :=
  match k with 0%nat => [] | S k' => s 0%nat :: hosts (fun n => s (S n)) k' end.
Lemma hosts_length s k : length (hosts s k) = k.
Proof. revert s; induction k as [|k IH]; intros s; simpl; auto. Qed.
Lemma hosts_nth L d k : length L = k -> hosts (fun n => nth n L d) k = L.
Proof.
  revert k; induction L as [|h L IH]; simpl; intros k H; subst; simpl; [reflexivity|].
  f_equal. exact (IH (length L) eq_refl).
Qed.
Lemma hosts_eq s s' k : hosts s k = hosts s' k -> forall t, (t < k)%nat -> s t = s' t.
Proof.
  revert s s'; induction k as [|k IH]; simpl; intros s s' H t Ht; [lia|].
  injection H as E1 E2. destruct t as [|t]; [exact E1|]. apply (IH (fun n => s (S n)) (fun n => s' (S n)) E2). lia.
Qed.
Lemma hosts_lists s k : In (hosts s k) (lists k).
Proof.
  revert s; induction k as [|k IH]; intros s; simpl; [auto|].
  apply in_flat_map. exists (s 0%nat). split; [apply machines_all|]. apply in_map. apply IH.
Qed.
Lemma placed_mem l js s : placed dec l js s <> [] <-> mem l (hosts s (length js)) = true.
Proof.
  rewrite mem_true. revert s; induction js as [|y js IH]; intros s; simpl; [tauto|].
  destruct (dec (s 0%nat) l) as [e|n].
  - split; [auto|discriminate].
  - rewrite IH. split; [auto|]. intros [H|H]; [congruence|exact H].
Qed.

Fixpoint diffs (js : list num) : list num :=
  match js with [] => [] | y :: t => (y - hd 0 t) :: diffs t end.
Fixpoint desc (js : list num) : Prop :=
  match js with [] => True | y :: t => hd 0 t <= y /\ desc t end.
Lemma diffs_length js : length (diffs js) = length js.
Proof. induction js; simpl; auto. Qed.
Lemma diffs_nonneg js : desc js -> nonneg (diffs js).
Proof.
  induction js as [|y js IH]; simpl; intros H z Hz; [destruct Hz|].
  destruct H as [H1 H2]. destruct Hz as [e|Hz]; [subst; lra|exact (IH H2 z Hz)].
Qed.
Lemma desc_nonneg js : desc js -> 0 <= hd 0 js /\ nonneg js.
Proof.
  induction js as [|y js IH]; simpl; intros H; [split; [lra|intros z []]|].
  destruct H as [H1 H2]. destruct (IH H2) as [H3 H4]. split; [lra|]. intros z [e|Hz]; [subst; lra|auto].
Qed.
Lemma pre_length c hs l : length (pre c hs l) = length hs.
Proof. revert c; induction hs as [|h hs IH]; intros c; simpl; auto. Qed.
Lemma dot_pre l js s c :
  dot (pre c (hosts s (length js)) l) (diffs js) == inj c * hd 0 js + ld dec l js s.
Proof.
  unfold ld. revert s c; induction js as [|y js IH]; intros s c; simpl; [lra|].
  rewrite IH. destruct (dec (s 0%nat) l); simpl; [rewrite inj_plus, inj_1|]; lra.
Qed.

Lemma emb_length b v : length v = shape b -> length (emb b v) = dim.
Proof.
  intros H. unfold emb, dim. clear machines_nodup machines_all.
  induction machines as [|c ms IH]; simpl; [reflexivity|].
  rewrite app_length, IH. f_equal. destruct (dec c b); [subst; exact H|apply repeat_length].
Qed.

Section Point.
Variable jobs : O -> list num.
Hypothesis jobs_desc : forall a, desc (jobs a).
Hypothesis jobs_shape : forall a, length (jobs a) = shape a.
Let jobs_nonneg : forall a, nonneg (jobs a) := fun a => proj2 (desc_nonneg _ (jobs_desc a)).

Definition point : list num := flat_map (fun a => diffs (jobs a)) machines.
Lemma point_nonneg : nonneg point.
Proof.
  intros z Hz. apply in_flat_map in Hz. destruct Hz as (a & _ & Hz). exact (diffs_nonneg _ (jobs_desc a) z Hz).
Qed.

Lemma dot_emb b v : length v = shape b -> dot (emb b v) point == dot v (diffs (jobs b)).
Proof.
  intros Hv. unfold emb, point.
  assert (G : forall ms, NoDup ms ->
    (~ In b ms -> dot (flat_map (fun c => if dec c b then v else zeros (shape c)) ms)
                      (flat_map (fun a => diffs (jobs a)) ms) == 0) /\
    (In b ms -> dot (flat_map (fun c => if dec c b then v else zeros (shape c)) ms)
                    (flat_map (fun a => diffs (jobs a)) ms) == dot v (diffs (jobs b)))).
  { induction ms as [|c ms IH]; simpl; intros Hn; [split; [intros; lra|tauto]|].
    inversion Hn as [|c' ms' Hc Hms]; subst. destruct (IH Hms) as [I1 I2].
    destruct (dec c b) as [e|n].
    - subst c. split; [tauto|]. intros _. rewrite dot_app by (rewrite diffs_length, jobs_shape; exact Hv).
      rewrite (I1 Hc). lra.
    - rewrite dot_app by (rewrite diffs_length, jobs_shape; apply repeat_length).
      rewrite dot_zeros. split; intros H.
      + rewrite I1 by tauto. lra.
      + destruct H as [H|H]; [congruence|]. rewrite (I2 H). lra. }
  apply (proj2 (G machines machines_nodup)). apply machines_all.
Qed.

Variable P : O -> list O.
Hypothesis P_shape : forall a, length (P a) = shape a.
Definition prof : O -> nat -> O := fun b n => nth n (P b) b.

Lemma prof_hosts b : hosts (prof b) (shape b) = P b.
Proof. apply hosts_nth, P_shape. Qed.
Lemma emb_pre_length b d l : length d = shape b -> length (emb b (pre 0 d l)) = dim.
Proof. intros H. apply emb_length. rewrite pre_length. exact H. Qed.
Lemma dot_load b s l : dot (emb b (pre 0 (hosts s (shape b)) l)) point == ld dec l (jobs b) s.
Proof.
  rewrite dot_emb by (rewrite pre_length; apply hosts_length).
  rewrite <- jobs_shape, dot_pre, inj_0. lra.
Qed.
Lemma rdf_sound a l : length (rdf P a l) = dim /\ dot (rdf P a l) point == ready dec jobs prio prof a l.
Proof.
  unfold rdf, ready. induction (before dec a (order dec prio l)) as [|b L [I1 I2]]; simpl.
  - split; [apply repeat_length|apply dot_zeros].
  - assert (H : length (emb b (pre 0 (P b) l)) = dim) by (apply emb_pre_length, P_shape).
    split; [rewrite vadd_length; congruence|]. rewrite dot_vadd by congruence. rewrite I2.
    rewrite <- (prof_hosts b), dot_load. unfold load. lra.
Qed.
Lemma term_sound a s l : length (term a (hosts s (shape a)) (l, rdf P a l)) = dim /\
  dot (term a (hosts s (shape a)) (l, rdf P a l)) point == ready dec jobs prio prof a l + ld dec l (jobs a) s.
Proof.
  unfold term. simpl. destruct (rdf_sound a l) as [I1 I2].
  assert (H : length (emb a (pre 0 (hosts s (shape a)) l)) = dim) by (apply emb_pre_length, hosts_length).
  split; [rewrite vadd_length; congruence|]. rewrite dot_vadd by congruence. rewrite I2, dot_load. lra.
Qed.

Lemma obls_sound :
  (forall a alts, In alts (obls P a) -> exists alt, In alt alts /\ forall f, In f alt -> 0 <= dot f point) ->
  equilibrium dec machines jobs prio prof.
Proof.
  intros Hob a d. specialize (Hob a). unfold obls in Hob.
  destruct (same (hosts d (shape a)) (P a)) eqn:Same.
  - apply same_true in Same. rewrite <- (prof_hosts a) in Same.
    assert (E := dev_ext dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg prof a d (prof a)).
    rewrite E.
    + rewrite (cost_ext dec machines jobs prio (deviate dec prof a (prof a)) prof); [lra|].
      intros b. unfold deviate. destruct (dec b a); congruence.
    + rewrite jobs_shape. apply hosts_eq. exact Same.
  - apply (cost_le dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg).
    split; [apply cost_nonneg; auto|]. intros l Hl.
    destruct (shape a) as [|k] eqn:Ek.
    + exfalso. apply Hl. assert (L := jobs_shape a). rewrite Ek in L. destruct (jobs a); [reflexivity|discriminate].
    + rewrite <- Ek in *. clear k Ek.
      set (R := map (fun l => (l, rdf P a l)) machines) in *.
      set (F := map (term a (P a)) (filter (fun lr => mem (fst lr) (P a)) R)) in *.
      set (ds := hosts d (shape a)) in *.
      set (alts := map (fun lr => needs F (term a ds lr)) (filter (fun lr => mem (fst lr) ds) R)).
      assert (Key : exists alt, In alt alts /\ forall f, In f alt -> 0 <= dot f point).
      { destruct (any isnil alts) eqn:Any.
        - apply any_true in Any. destruct Any as (alt & Ha & Hn). exists alt. split; [exact Ha|].
          destruct alt; [intros f []|discriminate].
        - apply Hob. apply in_flat_map. exists ds. split; [apply hosts_lists|].
          rewrite Same. fold alts. rewrite Any. left. reflexivity. }
      destruct Key as (alt & Ha & Hf). unfold alts in Ha. apply in_map_iff in Ha.
      destruct Ha as ([l' r'] & E & Hin). apply filter_In in Hin. destruct Hin as [Hin Hm]. simpl in Hm.
      unfold R in Hin. apply in_map_iff in Hin. destruct Hin as (l2 & E2 & _). injection E2 as E3 E4.
      subst l2 r' alt.
      assert (HF : In (term a (P a) (l, rdf P a l)) F).
      { unfold F. apply in_map. apply filter_In. split.
        - unfold R. apply in_map_iff. exists l. split; [reflexivity|apply machines_all].
        - simpl. rewrite <- (prof_hosts a), <- jobs_shape. apply placed_mem. exact Hl. }
      destruct (term_sound a d l') as [LG DG]. fold ds in LG, DG.
      destruct (term_sound a (prof a) l) as [LF DF]. rewrite prof_hosts in LF, DF.
      assert (D : 0 <= dot (vsub (term a ds (l', rdf P a l')) (term a (P a) (l, rdf P a l))) point).
      { destruct (vnonneg (vsub (term a ds (l', rdf P a l')) (term a (P a) (l, rdf P a l)))) eqn:V.
        - apply dot_nonneg; [apply point_nonneg|exact V].
        - apply Hf. unfold needs. apply filter_In. split.
          + apply in_map_iff. exists (term a (P a) (l, rdf P a l)). auto.
          + rewrite V. reflexivity. }
      rewrite dot_vsub in D by congruence. rewrite DG, DF in D.
      assert (U : placed dec l' (jobs a) d <> []).
      { apply placed_mem. rewrite jobs_shape. exact Hm. }
      assert (G := proj2 (proj1 (dev_le dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg prof a d
                (cost dec machines jobs prio (deviate dec prof a d) a)) ltac:(lra)) l' U).
      unfold load. lra.
Qed.
End Point.

Definition at_home (p : O -> nat -> O) : Prop := forall a n, (shape a <= 1)%nat -> p a n = a.

Theorem check_sorted : forall t, check t = true ->
  forall jobs : O -> list num, (forall a, desc (jobs a)) -> (forall a, length (jobs a) = shape a) ->
  exists p, equilibrium dec machines jobs prio p /\ (singles_home = true -> at_home p).
Proof.
  intros t Ht jobs Hd Hs. unfold check in Ht.
  destruct (walk_sound (point jobs) _ t (point_nonneg jobs Hd) (fun hs e => leaves_find hs (leaves t []) e) [])
    as (hs & e & He & Hob).
  - intros g [].
  - exact Ht.
  - unfold entry in He. set (P := cut machines hs) in *.
    destruct (all (fun a => (length (P a) =? shape a)%nat) machines) eqn:L; [|discriminate].
    assert (PS : forall a, length (P a) = shape a).
    { intros a. apply Nat.eqb_eq. exact (all_true _ _ L a (machines_all a)). }
    exists (prof P). split.
    + apply obls_sound; auto.
      destruct (if singles_home then _ else true); [|discriminate].
      destruct (encode (flat_map (obls P) machines)) as [e' hints].
      destruct (covers e' (flat_map (obls P) machines) hints) eqn:C; [|discriminate]. injection He as E. subst e'.
      intros a alts Ha. apply (covers_sound (point jobs) e _ hints C Hob).
      apply in_flat_map. exists a. split; [apply machines_all|exact Ha].
    + intros Hsh a n Ha. rewrite Hsh in He.
      match type of He with (if ?c then _ else _) = _ => destruct c eqn:A end; [|discriminate].
      assert (G := all_true _ _ A a (machines_all a)). simpl in G.
      destruct (shape a <=? 1)%nat eqn:E; [|apply Nat.leb_gt in E; lia].
      apply same_true in G. unfold prof. rewrite G.
      destruct (Nat.lt_ge_cases n (shape a)) as [Hn|Hn].
      * apply (repeat_spec (shape a)). apply nth_In. rewrite repeat_length. exact Hn.
      * apply nth_overflow. rewrite repeat_length. exact Hn.
Qed.
End Checker.
