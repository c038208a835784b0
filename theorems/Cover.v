(* A checker of covers, certificates on all games of a shape, and why what it accepts is true.

   Claim: whatever the lengths of the jobs are, there is a placement in which nobody pays more than epsilon >= 1 times
   what another strategy would cost (epsilon = 1: an equilibrium). With a bound v also: what anybody pays there is at
   most v times the makespan of any schedule. The game is known by its terms (Terms.v).

   A cover is a binary tree over the points x >= 0, its nodes in preorder. Split k: first the side where form h number k
   is <= 0, then the one where it is >= 0; its row there is -h, then h. NoInterior: multiples of rows on the way add up
   to a form without a positive coefficient. Leaf k: placement number k.

   1. From the root of an accepted tree one way leads down on which all rows are positive in the sense of Forms.v; it
      does not end in NoInterior, so it ends in a leaf, all needs of whose placement are shown by rows (`run_sound`).
   2. For each other strategy of each organization one of its terms G, times epsilon, is at least each term F that the
      organization has. So is what the strategy costs, and what the organization pays is one of the F (`replies_sound`).
   3. For each way to put all jobs on machines, empty ones being alike, the work G of one machine, times v, is at least
      each term F of anybody. As soon as this is so for some of the jobs, it is for all (`schedules_sound`).

   The rows that show a form are found once for all leaves, and the forms of a placement are tested once at a leaf: what
   is looked up in a table is compared with what is asked for (`memo`, `position`). *)
From Coq Require Import List Lia Permutation ZArith FMapPositive.
Require Import Numbers Game Sums Loads CertificateText Forms Terms Schedules.
Import ListNotations.

(* ---------- tables ---------- *)
Section Tables.
Context {A : Type}.
Variable key : A -> positive.                                   (* equal keys of different things cost time only *)
Variable eqb : A -> A -> bool.
Fixpoint distinct (t : PositiveMap.t A) (l : list A) : list A :=
  match l with
  | [] => []
  | x :: l' => match PositiveMap.find (key x) t with
               | Some y => if eqb x y then distinct t l' else x :: distinct t l'
               | None => x :: distinct (PositiveMap.add (key x) x t) l'
               end
  end.
Fixpoint values {B} (f : A -> B) (t : PositiveMap.t (A * B)) (l : list A) : PositiveMap.t (A * B) :=
  match l with
  | [] => t
  | x :: l' => values f (match PositiveMap.find (key x) t with
                         | Some _ => t
                         | None => PositiveMap.add (key x) (x, f x) t
                         end) l'
  end.
Definition memo {B} (f : A -> B) (l : list A) : A -> B :=
  let t := values f (PositiveMap.empty (A * B)) l in
  fun x => match PositiveMap.find (key x) t with Some (y, b) => if eqb x y then b else f x | None => f x end.

(* the different elements of a list, numbered from i on, and the number of one *)
Fixpoint position (i : positive) (x : A) (l : list A) : positive :=
  match l with [] => i | y :: l' => if eqb x y then i else position (Pos.succ i) x l' end.
Fixpoint array (i : positive) {B} (l : list B) : PositiveMap.t B :=
  match l with [] => PositiveMap.empty B | y :: l' => PositiveMap.add i y (array (Pos.succ i) l') end.
Fixpoint each {B D} (f : B -> D) (t : PositiveMap.t B) : PositiveMap.t D :=
  match t with
  | PositiveMap.Leaf _ => PositiveMap.Leaf D
  | PositiveMap.Node l o r => PositiveMap.Node (each f l) (option_map f o) (each f r)
  end.

Hypothesis eqb_true : forall x y, eqb x y = true -> x = y.
Lemma find_each {B D} (f : B -> D) t k : PositiveMap.find k (each f t) = option_map f (PositiveMap.find k t).
Proof. revert k; induction t as [|l IHl o r IHr]; intros [k|k|]; simpl; auto. Qed.
Lemma position_true {B} (g : A -> B) x l y : PositiveMap.find (position 1 x l) (array 1 (map g l)) = Some y -> y = g x.
Proof.
  assert (Le : forall l i, (i <= position i x l)%positive).
  { clear l. induction l as [|z l IH]; intros i; simpl; [lia|]. destruct (eqb x z); [lia|].
    specialize (IH (Pos.succ i)). lia. }
  generalize 1%positive. induction l as [|z l IH]; intros i; simpl; [rewrite PositiveMap.gempty; discriminate|].
  destruct (eqb x z) eqn:E.
  - apply eqb_true in E. subst z. rewrite PositiveMap.gss. congruence.
  - rewrite PositiveMap.gso; [apply IH|]. specialize (Le l (Pos.succ i)). lia.
Qed.
Lemma memo_eq {B} (f : A -> B) l x : memo f l x = f x.
Proof.
  unfold memo. destruct (PositiveMap.find (key x) _) as [[y b]|] eqn:E; [|reflexivity].
  destruct (eqb x y) eqn:Exy; [|reflexivity]. apply eqb_true in Exy. subst y. revert E.
  assert (G : forall k z c, PositiveMap.find k (PositiveMap.empty (A * B)) = Some (z, c) -> c = f z)
    by (intros k z c; rewrite PositiveMap.gempty; discriminate).
  revert G. generalize (PositiveMap.empty (A * B)). induction l as [|y l IH]; simpl; intros t G; [apply G|].
  apply IH. intros k z c. destruct (PositiveMap.find (key y) t); [apply G|].
  destruct (Pos.eq_dec k (key y)) as [->|n]; [rewrite PositiveMap.gss|rewrite PositiveMap.gso by exact n; apply G].
  intros E. injection E as <- <-. reflexivity.
Qed.
End Tables.
Fixpoint meet {A B} (s : PositiveMap.t A) (t : PositiveMap.t B) : bool :=
  match s, t with
  | PositiveMap.Node l o r, PositiveMap.Node l' o' r' =>
    if match o, o' with Some _, Some _ => true | _, _ => false end then true
    else if meet l l' then true else meet r r'
  | _, _ => false
  end.
Lemma meet_true {A B} (s : PositiveMap.t A) : forall t : PositiveMap.t B, meet s t = true ->
  exists k x y, PositiveMap.find k s = Some x /\ PositiveMap.find k t = Some y.
Proof.
  induction s as [|l IHl o r IHr]; intros [|l' o' r']; simpl; try discriminate.
  assert (Sub : (if meet l l' then true else meet r r') = true -> exists k x y,
    PositiveMap.find k (PositiveMap.Node l o r) = Some x /\ PositiveMap.find k (PositiveMap.Node l' o' r') = Some y).
  { destruct (meet l l') eqn:E; intros H;
      [destruct (IHl _ E) as (k & z & w & H')|destruct (IHr _ H) as (k & z & w & H')];
      [exists (xO k)|exists (xI k)]; exists z, w; exact H'. }
  destruct o as [z|], o' as [w|]; auto. intros _. exists xH, z, w. auto.
Qed.
Definition key_form (f : list Z) : positive :=
  fold_left (fun acc c => Pos.add (16 * acc) (Z.to_pos (c + 8))) f 1%positive.
Definition same_form : list Z -> list Z -> bool := leq Z.eqb.
Lemma same_form_true f g : same_form f g = true -> f = g.
Proof. apply leq_true, Z.eqb_eq. Qed.
(* what a claim needs: alternatives, each of which is a list of forms that have to be >= 0 *)
Definition need : Type := list (list (list Z)).

Inductive node : Type :=
| Split (k : Z)
| NoInterior (multipliers : list (nat * Z))                     (* by number of the row: 0 was the first *)
| Leaf (k : Z).

Section Cover.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variables (machines : list O) (shape : O -> nat).
Variable ranking : O -> list (O * nat).
Variables en ed : Z.                                            (* epsilon = en / ed *)
Variable within : option (Z * Z).                               (* v as numerator and denominator *)
Record cover : Type := Cover { forms : list (list Z); places : list (list O); nodes : list node }.

(* ================= THE CHECKER ================= *)
Notation terms := (terms dec machines shape ranking).
Notation dim := (dim machines shape).
Notation queues := (queues dec machines shape ranking).
Definition same (a b : list O) : bool := leq (fun x y => if dec x y then true else false) a b.
Fixpoint lists (k : nat) : list (list O) :=
  match k with 0%nat => [[]] | S k' => flat_map (fun m => map (cons m) (lists k')) machines end.
(* the jobs of all organizations, one after the other, on hosts *)
Fixpoint cut (ms : list O) (hosts : list O) (a : O) : list O :=
  match ms with
  | [] => []
  | b :: ms' => if dec b a then firstn (shape b) hosts else cut ms' (skipn (shape b) hosts) a
  end.
(* n G >= d F for all F: the forms that this needs *)
Definition weighted (n d : Z) (Fs : list (list Z)) (G : list Z) : list (list Z) :=
  filter (fun f => negb (all (fun c => (0 <=? c)%Z) f)) (map (vdiff n d G) Fs).
Definition one_of (alts : need) : list need := if any isnil alts then [] else [alts].
Definition replies (qs : list (O * list (O * nat * list Z))) (P : O -> list O) (a : O) : list need :=
  let m := met dec qs P a in
  let Fs := terms_with dec a (P a) m in
  flat_map (fun d => if same d (P a) then [] else one_of (map (weighted en ed Fs) (terms_with dec a d m)))
    (lists (shape a)).
Fixpoint partitions (n d : Z) (Fs : list (list Z)) (js : list (O * nat)) (loads : list (list Z)) : list need :=
  let alts := map (weighted n d Fs) loads in
  if any isnil alts then [] else
  match js with
  | [] => [alts]
  | j :: js' => flat_map (fun b => partitions n d Fs js' (snd b))
                  (add_to (job_form dec machines shape j) loads (length machines))
  end.
Definition schedules (P : O -> list O) : list need :=
  match within with
  | None => []
  | Some (n, d) => partitions n d (flat_map (terms P) machines) (all_jobs machines shape) []
  end.
Definition fitting (P : O -> list O) : bool := all (fun a => (length (P a) =? shape a)%nat) machines.
Definition needs_of (qs : list (O * list (O * nat * list Z))) (hosts : list O) : option (list need) :=
  let P := cut machines hosts in
  if fitting P then Some (flat_map (replies qs P) machines ++ schedules P) else None.

(* Row p~0 is the negative of form number p, row p~1 this form. *)
Notation row := (positive * list Z)%type.
Notation set := (PositiveMap.t unit).
Definition row_of (fs : list (list Z)) (r : positive) : list Z :=
  match r with
  | xH => []
  | xI p => nth (pred (Pos.to_nat p)) fs []
  | xO p => vneg (nth (pred (Pos.to_nat p)) fs [])
  end.
Definition sides (fs : list (list Z)) : list (row * row) :=
  map (fun k => let p := Pos.of_succ_nat k in ((xO p, row_of fs (xO p)), (xI p, row_of fs (xI p)))) (seq 0 (length fs)).
Definition shown (rows : list row) (f : list Z) : set :=
  fold_right (fun r s => if shows f (snd r) then PositiveMap.add (fst r) tt s else s) (PositiveMap.empty unit) rows.

(* the different forms of needs, and the needs with their numbers *)
Definition numbered (ns : list need) : list (list Z) * list (list (list positive)) :=
  let fs := distinct key_form same_form (PositiveMap.empty _) (concat (concat ns)) in
  (fs, map (map (map (memo key_form same_form (fun f => position same_form 1 f fs) fs))) ns).
Definition prepared (sets : list Z -> set) (o : option (list (list Z) * list (list (list positive)))) :
  option (PositiveMap.t set * list (list (list positive))) :=
  option_map (fun n => (array 1 (map sets (fst n)), snd n)) o.
Definition holds_there (shown : PositiveMap.t bool) (i : positive) : bool :=
  match PositiveMap.find i shown with Some b => b | None => false end.

Fixpoint run (ss : list (row * row)) (table : list (option (PositiveMap.t set * list (list (list positive)))))
  (stack : list (list row * set)) (ns : list node) : bool :=
  match ns with
  | [] => isnil stack
  | n :: ns' =>
    match stack with
    | [] => false
    | (way, numbers) :: stack' =>
      match n with
      | Split k => match nth_error ss (Z.to_nat k) with
                   | Some (r, r') => run ss table ((r :: way, PositiveMap.add (fst r) tt numbers) ::
                                                   (r' :: way, PositiveMap.add (fst r') tt numbers) :: stack') ns'
                   | None => false
                   end
      | NoInterior multipliers => match comb (rev' (map snd way)) multipliers with
                                  | Some s => if vle s (zeros (length s)) then run ss table stack' ns' else false
                                  | None => false
                                  end
      | Leaf k => match nth_error table (Z.to_nat k) with
                  | Some (Some (sets, needs)) =>
                    let shown := each (meet numbers) sets in
                    if all (any (all (holds_there shown))) needs then run ss table stack' ns' else false
                  | _ => false
                  end
      end
    end
  end.
Definition at_least_one (b : Z * Z) : bool := if (0 <? snd b)%Z then (snd b <=? fst b)%Z else false.
Definition check_cover (c : cover) : bool :=
  if at_least_one (en, ed) then
    if match within with None => true | Some b => at_least_one b end then
      if all (fun h => if (length h =? dim)%nat then vnonzero h else false) (forms c) then
        let ss := sides (forms c) in
        let all_needs := map (option_map numbered) (map (needs_of queues) (places c)) in
        let some := flat_map (fun o => match o with Some n => fst n | None => [] end) all_needs in
        let sets := memo key_form same_form (shown (flat_map (fun s => [fst s; snd s]) ss)) some in
        run ss (map (prepared sets) all_needs) [([], PositiveMap.empty unit)] (nodes c)
      else false
    else false
  else false.

(* ================= SOUNDNESS ================= *)
Hypotheses (machines_nodup : NoDup machines) (machines_all : forall l, In l machines).
Hypothesis ranking_ok : forall l, Permutation (ranking l) (all_jobs machines shape).

Lemma same_true a b : same a b = true -> a = b.
Proof. apply leq_true. intros x y. destruct (dec x y); [auto|discriminate]. Qed.
Lemma in_lists d : In d (lists (length d)).
Proof.
  induction d as [|m d IH]; simpl; [auto|]. apply in_flat_map. exists m. split; [apply machines_all|apply in_map, IH].
Qed.
Lemma in_one_of alts ns x : (forall alts', In alts' (one_of alts) -> In alts' ns) ->
  (forall alts', In alts' ns -> exists alt, In alt alts' /\ forall f, In f alt -> 0 <= dot f x) ->
  exists alt, In alt alts /\ forall f, In f alt -> 0 <= dot f x.
Proof.
  unfold one_of. intros H S. destruct (any isnil alts) eqn:E; [|apply S, H; left; reflexivity].
  apply any_true in E. destruct E as (alt & Ha & Hn). exists alt. split; [exact Ha|].
  destruct alt; [intros f []|discriminate].
Qed.

Section Point.
Variable jobs : O -> list num.
Hypothesis jobs_sorted : sorted_of_shape shape jobs.
Let x : list num := point machines jobs.
Let x_nonneg : nonneg x := point_nonneg machines shape jobs jobs_sorted.
Notation cost := (ranked_cost dec machines ranking jobs).
Notation satisfied ns :=
  (forall alts, In alts ns -> exists alt, In alt alts /\ forall f, In f alt -> 0 <= dot f x).

(* step 1 *)
Definition positive_row (fs : list (list Z)) (r : row) : Prop :=
  lexpos x (snd r) /\ length (snd r) = dim /\ row_of fs (fst r) = snd r.
Definition positive_way (fs : list (list Z)) (w : list row * set) : Prop :=
  (forall r, In r (fst w) -> positive_row fs r) /\
  forall k, PositiveMap.find k (snd w) = Some tt -> positive_row fs (k, row_of fs k).
Lemma positive_add fs w r : positive_way fs w -> positive_row fs r ->
  positive_way fs (r :: fst w, PositiveMap.add (fst r) tt (snd w)).
Proof.
  intros [H1 H2] Hr. split; cbn [fst snd]; [intros g [<-|Hg]; auto|]. intros k.
  destruct (Pos.eq_dec k (fst r)) as [->|n]; [|rewrite PositiveMap.gso by exact n; apply H2].
  intros _. destruct Hr as (A & L & E). split; simpl; rewrite E; auto.
Qed.
Lemma shown_sound rows f w fs : (forall r, In r rows -> row_of fs (fst r) = snd r) -> positive_way fs w ->
  meet (snd w) (shown rows f) = true -> 0 <= dot f x.
Proof.
  intros Hrows [_ Hw] H. destruct (meet_true _ _ H) as (k & [] & y & Hk & Hs). destruct (Hw k Hk) as (P & _).
  assert (S : shows f (row_of fs k) = true); [|exact (shows_sound x f _ x_nonneg S (lex_nonneg _ _ P))].
  clear H. revert Hs. induction rows as [|q rows IH]; [simpl; rewrite PositiveMap.gempty; discriminate|].
  change (shown (q :: rows) f) with (if shows f (snd q) then PositiveMap.add (fst q) tt (shown rows f) else shown rows
    f).
  specialize (IH (fun r Hr => Hrows r (or_intror Hr))). destruct (shows f (snd q)) eqn:Q; [|exact IH].
  destruct (Pos.eq_dec k (fst q)) as [->|n]; [|rewrite PositiveMap.gso by exact n; exact IH].
  intros _. rewrite (Hrows q (or_introl eq_refl)). exact Q.
Qed.
Lemma run_sound fs ss all_needs sets :
  (forall f w, positive_way fs w -> meet (snd w) (sets f) = true -> 0 <= dot f x) ->
  (forall r r', In (r, r') ss -> row_of fs (fst r) = snd r /\ row_of fs (fst r') = snd r' /\
     snd r = vneg (snd r') /\ length (snd r') = dim /\ vnonzero (snd r') = true) ->
  forall ns stack, run ss (map (prepared sets) (map (option_map numbered) all_needs)) stack ns = true ->
  forall w, In w stack -> positive_way fs w ->
  exists k needs, nth_error all_needs k = Some (Some needs) /\ satisfied needs.
Proof.
  intros Hsets Hss. induction ns as [|n ns IH]; intros stack; cbn [run].
  - destruct stack; [intros _ w []|discriminate].
  - destruct stack as [|[way numbers] stack]; [discriminate|]. intros H w Hin Hw.
    destruct n as [k|multipliers|k].
    + destruct (nth_error ss (Z.to_nat k)) as [[r r']|] eqn:E; [|discriminate]. apply nth_error_In in E.
      destruct (Hss r r' E) as (Er & Er' & Eneg & L & Z).
      destruct Hin as [<-|Hin]; [|exact (IH _ H w (or_intror (or_intror Hin)) Hw)].
      destruct (lex_total x _ Z) as [S|S].
      * apply (IH _ H _ (or_intror (or_introl eq_refl))). apply (positive_add fs (way, numbers)); [exact Hw|split;
        auto].
      * apply (IH _ H _ (or_introl eq_refl)). apply (positive_add fs (way, numbers)); [exact Hw|].
        rewrite <- Eneg in S. split; [exact S|split; [|exact Er]]. rewrite Eneg. unfold vneg. rewrite vscale_length.
          exact L.
    + destruct (comb _ multipliers) as [s|] eqn:E; [|discriminate]. tested H.
      destruct Hin as [<-|Hin]; [|exact (IH _ H w Hin Hw)]. exfalso.
      apply (lex_nonpos x s x_nonneg T). refine (proj1 (comb_sound (fun g => lexpos x g /\ length g = dim) _ _ _ _ _ s
        E)).
      * intros a b [A La] [B Lb]. split; [apply lex_add; congruence|rewrite vadd_length; congruence].
      * intros m a Hm [A La]. split; [apply lex_scale; auto|rewrite vscale_length; exact La].
      * intros g Hg. unfold rev' in Hg. rewrite <- rev_alt, <- in_rev in Hg. apply in_map_iff in Hg.
        destruct Hg as (r & <- & Hr). destruct (proj1 Hw r Hr) as (A & L & _). auto.
    + destruct (nth_error _ (Z.to_nat k)) as [[[ts needs]|]|] eqn:E; try discriminate. cbv zeta in H. tested H.
      destruct Hin as [<-|Hin]; [|exact (IH _ H w Hin Hw)].
      rewrite !nth_error_map in E. destruct (nth_error all_needs _) as [[ns'|]|] eqn:E'; try discriminate.
      injection E as <- <-. exists (Z.to_nat k), ns'. split; [exact E'|]. intros alts Ha.
      destruct (any_true _ _ (all_true _ _ T _ (in_map (map (map _)) _ _ Ha))) as (alt' & Hin & A).
      apply in_map_iff in Hin. destruct Hin as (alt & <- & Hin). exists alt. split; [exact Hin|].
      intros f Hf. apply (Hsets f _ Hw). assert (B := all_true _ _ A _ (in_map _ _ _ Hf)). cbv beta in B.
      rewrite (memo_eq _ _ same_form_true) in B. unfold holds_there in B. rewrite find_each in B.
      destruct (PositiveMap.find _ _) as [s|] eqn:Es in B; [|discriminate].
      apply (position_true same_form same_form_true) in Es. subst s. exact B.
Qed.
Lemma weighted_sound n d Fs G : length G = dim -> (forall F, In F Fs -> length F = dim) ->
  (forall f, In f (weighted n d Fs G) -> 0 <= dot f x) -> forall F, In F Fs -> inj d * dot F x <= inj n * dot G x.
Proof.
  intros LG LF H F HF.
  assert (D : 0 <= dot (vdiff n d G F) x); [|rewrite dot_vdiff in D by (rewrite LG; symmetry; auto); lra].
  destruct (all (fun c => (0 <=? c)%Z) (vdiff n d G F)) eqn:V; [exact (dot_nonneg _ x x_nonneg V)|].
  apply H, filter_In. rewrite V. split; [apply in_map; exact HF|reflexivity].
Qed.

Section Placed.
Variable P : O -> list O.
Hypothesis P_shape : forall a, length (P a) = shape a.
Let p : O -> nat -> O := prof P.
Let terms_p a : terms (where_placed shape p) a = terms P a := terms_ext _ _ _ _ _ _ a (where_prof shape P P_shape).
Let term_of (q : O -> nat -> O) a f := term_sound dec machines shape ranking machines_nodup machines_all ranking_ok
  jobs jobs_sorted q a f.
Let at_least (q : O -> nat -> O) a := cost_at_least dec machines shape ranking machines_nodup machines_all ranking_ok
  jobs jobs_sorted q a.
Let at_most e a c : 0 <= e -> 0 <= c -> (forall F, In F (terms P a) -> e * dot F x <= c) -> e * cost p a <= c.
Proof. rewrite <- terms_p. apply cost_at_most; auto. Qed.
Let length_of a F : In F (terms P a) -> length F = dim.
Proof. rewrite <- terms_p. apply term_of. Qed.

(* step 2 *)
Lemma replies_sound : (0 < ed)%Z -> (ed <= en)%Z -> (forall a, satisfied (replies queues P a)) ->
  forall a d, inj ed * cost p a <= inj en * cost (deviate dec p a d) a.
Proof.
  intros Hed Hen Hs a d. set (q := deviate dec p a d). set (D := where_placed shape q a).
  assert (Ied := inj_pos ed Hed). assert (Ien := inj_le _ _ Hen).
  assert (terms_q : terms (where_placed shape q) a = terms (instead dec P a D) a).
  { apply terms_ext. intros b. unfold instead. destruct (dec b a) as [->|n]; [reflexivity|].
    rewrite <- (where_prof shape P P_shape b). unfold where_placed, q, deviate.
      destruct (dec b a); [congruence|reflexivity]. }
  assert (Lq := term_of q a). assert (Cq := at_least q a). rewrite terms_q in Lq, Cq. fold x in Lq, Cq.
  apply at_most; [lra| |intros F HF].
  { apply mul_nonneg; [lra|]. apply (ranked_nonneg dec machines shape); auto. }
  destruct (same D (P a)) eqn:Same.
  - apply same_true in Same. assert (HG : In F (terms (instead dec P a D) a)).
    { rewrite Same, (terms_ext _ _ _ _ _ P); [exact HF|]. intros b. unfold instead. destruct (dec b a); congruence. }
    generalize (mul_le (inj en) _ _ ltac:(lra) (Cq F HG)) (mul_nonneg (inj en - inj ed) _ ltac:(lra) (proj2 (Lq F HG))).
    lra.
  - destruct (in_one_of (map (weighted en ed (terms P a)) (terms (instead dec P a D) a)) (replies queues P a) x) as (alt
    & Ha & Hf).
    + intros alts Hin. apply in_flat_map. exists D. rewrite Same, !terms_with_eq,
      (terms_ext _ _ _ _ (instead _ _ _ _) P).
      * split; [|exact Hin]. rewrite <- (where_length shape q a). apply in_lists.
      * intros b. unfold instead. destruct (dec b a); congruence.
    + apply Hs.
    + apply in_map_iff in Ha. destruct Ha as (G & <- & HG).
      assert (B := weighted_sound en ed _ G (proj1 (Lq G HG)) (length_of a) Hf F HF).
      generalize (mul_le (inj en) _ _ ltac:(lra) (Cq G HG)). lra.
Qed.

(* step 3 *)
Lemma schedules_sound n d o M : (0 < d)%Z -> (d <= n)%Z -> 0 <= M -> (forall m, total dec machines jobs o m <= M) ->
  within = Some (n, d) -> satisfied (schedules P) -> forall a, inj d * cost p a <= inj n * M.
Proof.
  intros Hd Hn HM Ho Hw Hs a. unfold schedules in Hs. rewrite Hw in Hs.
  assert (Id := inj_pos d Hd). assert (Idn := inj_le _ _ Hn). set (all_F := flat_map (terms P) machines) in Hs.
  apply at_most; [lra|apply mul_nonneg; lra|]. intros F HF.
  assert (HFs : In F all_F) by (apply in_flat_map; exists a; auto).
  assert (G : forall js loads, incl js (all_jobs machines shape) -> fits dec machines shape jobs o M js loads ->
    satisfied (partitions n d all_F js loads) -> inj d * dot F x <= inj n * M).
  { clear Hs. induction js as [|j js IH]; intros loads Hjs Hfit Hs.
    all: assert (Enough : satisfied (one_of (map (weighted n d all_F) loads)) -> inj d * dot F x <= inj n * M).
    1, 3: intros S; destruct (in_one_of _ _ x (fun _ H => H) S) as (alt & Ha & Hf); apply in_map_iff in Ha;
      destruct Ha as (v & <- & Hv); destruct (fits_load dec machines shape jobs jobs_sorted o M _ loads v Hfit Hv) as
        [Lv Dv];
      assert (B := weighted_sound n d all_F v Lv (fun F' H' => match proj1 (in_flat_map _ _ _) H' with
        ex_intro _ b (conj _ Hb) => length_of b F' Hb end) Hf F HFs);
      generalize (mul_le (inj n) _ _ ltac:(lra) Dv); unfold x in *; lra.
    all: cbn [partitions] in Hs; unfold one_of in Enough; destruct (any isnil _);
      [apply Enough; intros alts []|].
    1: exact (Enough Hs).
    destruct (add_to_sound dec machines shape machines_nodup machines_all jobs jobs_sorted o M (j :: js) js j loads
                (Permutation_refl _) (Hjs j (or_introl eq_refl)) Hfit) as (v & loads' & Hin & _ & Hfit').
    apply (IH loads' (fun i Hi => Hjs i (or_intror Hi)) Hfit').
    intros alts Ha. apply Hs. apply in_flat_map. exists (v, loads'). split; [exact Hin|exact Ha]. }
  exact (G _ [] (incl_refl _) (fits_start dec machines shape jobs jobs_sorted o M Ho) Hs).
Qed.
End Placed.
End Point.

(* A checked cover: for all sorted lengths one of its placements is as claimed. *)
Definition placed_by (hosts : list O) : O -> nat -> O := prof (cut machines hosts).
Theorem check_cover_sorted c : check_cover c = true -> forall jobs, sorted_of_shape shape jobs ->
  let cost := ranked_cost dec machines ranking jobs in exists hosts, In hosts (places c) /\ let p := placed_by hosts in
    (forall a d, inj ed * cost p a <= inj en * cost (deviate dec p a d) a) /\
    forall n d, within = Some (n, d) -> (0 < d)%Z /\ forall o M, 0 <= M -> (forall m,
      total dec machines jobs o m <= M) ->
      forall a, inj d * cost p a <= inj n * M.
Proof.
  unfold check_cover, at_least_one. simpl. intros H jobs Hs. destruct (0 <? ed)%Z eqn:Hed; [|discriminate].
  apply Z.ltb_lt in Hed. tested H. apply Z.leb_le in T.
  assert (Sides : forall r r', In (r, r') (sides (forms c)) -> row_of (forms c) (fst r) = snd r /\
    row_of (forms c) (fst r') = snd r' /\ snd r = vneg (snd r') /\ length (snd r') = dim /\ vnonzero (snd r') = true).
  { intros r r' Hr. apply in_map_iff in Hr. destruct Hr as (k & E & Hk). injection E as <- <-. apply in_seq in Hk.
    cbn [fst snd row_of]. rewrite SuccNat2Pos.id_succ. simpl pred. do 3 (split; [reflexivity|]).
    assert (G := all_true _ _ T1 _ (nth_In (forms c) [] (proj2 Hk))). cbv beta in G. tested G. apply Nat.eqb_eq in T2.
      auto. }
  match type of H with run ?ss (map (prepared ?sets) _) ?all _ = true =>
    assert (G : forall f w, positive_way jobs (forms c) w -> meet (snd w) (sets f) = true -> 0 <= dot f (point machines
      jobs));
      [|destruct (run_sound jobs Hs (forms c) ss (map (needs_of queues) (places c)) sets G Sides
        (nodes c) all H _ (or_introl eq_refl)) as (k & needs & E & Sat); [split; [intros r []|intros k; simpl;
        rewrite PositiveMap.gempty; discriminate]|]] end.
  - intros f w Hw. rewrite (memo_eq _ _ same_form_true). apply shown_sound with (1 := Hs) (fs := forms c); [|exact Hw].
    intros r Hr. apply in_flat_map in Hr. destruct Hr as ([s s'] & Hss & Hr). destruct (Sides s s' Hss) as (E & E' & _).
    destruct Hr as [<-|[<-|[]]]; assumption.
  - rewrite nth_error_map in E. destruct (nth_error (places c) k) as [hosts|] eqn:Ek; [|discriminate].
    injection E as E. exists hosts. split; [exact (nth_error_In _ _ Ek)|]. unfold needs_of in E.
    destruct (fitting (cut machines hosts)) eqn:Fit; [|discriminate]. injection E as <-.
    assert (PS : forall a, length (cut machines hosts a) = shape a)
      by (intros a; apply Nat.eqb_eq; exact (all_true _ _ Fit a (machines_all a))).
    split; [apply (replies_sound jobs Hs _ PS Hed T); intros a alts Ha; apply Sat, in_or_app; left; apply in_flat_map;
      exists a; auto|].
    intros n d W. rewrite W in T0. simpl in T0. tested T0. apply Z.ltb_lt in T2. apply Z.leb_le in T0.
    split; [exact T2|]. intros o M HM Ho. apply (schedules_sound jobs Hs _ PS n d o M T2 T0 HM Ho W).
    intros alts Ha. apply Sat, in_or_app. right. exact Ha.
Qed.

(* The lists of the text: how many forms and placements there are; the forms; the placements, as numbers of machines;
   the nodes. [k]: Split k; [-k-1]: Leaf k; i m ...: NoInterior. *)
Definition node_of (l : list Z) : node :=
  match l with [k] => if (0 <=? k)%Z then Split k else Leaf (- k - 1) | _ => NoInterior (pairs l) end.
Definition cover_of (default : O) (ts : list text) : cover :=
  match lists_of ts with
  | [f; p] :: ls =>
    let others := skipn (Z.to_nat f) ls in
    Cover (firstn (Z.to_nat f) ls) (map (map (machine machines default)) (firstn (Z.to_nat p) others))
      (map node_of (skipn (Z.to_nat p) others))
  | _ => Cover [] [] []
  end.
End Cover.
