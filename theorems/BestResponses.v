(* Two organizations, one machine each: best responses end after few moves (R11 in the documentation).

   A move: an organization whose placement is not a best reply takes one, any on ties, while the other stays. From every
   profile of organizations i and j at most d_i + d_j - 1 moves are possible, and at most 2 d_i and 2 d_j, where d_a is
   the number of different home loads (subset sums of the jobs) of a, plus one if a has a job of length zero.

   Idea. Order the placements of a by their level: the home load, and above all others the placement that keeps every
   job home. Single crossing (`crossing`): a placement of higher level that costs a no more (less) than one of lower
   level against a small home load of the other organization does so against every larger one. For the lower one then
   costs more than its own home load: it waits abroad for the other's home load, to its full amount, and no cost grows
   faster. Hence (`same_direction`): if the other organization moves to a higher level and a's best reply is one no
   longer, then a's next move goes to a higher level, too; likewise downwards. The organizations move in turn, since who
   has moved is content. So from the second move on all moves go up, or all go down, and each organization has no more
   moves than levels above (below) the one where it stands. *)
From Coq Require Import List Lia.
Require Import Numbers Sums Game TwoOrganizations.
Import ListNotations.

(* ================= DEFINITION ================= *)
(* sequences of moves, for any number of organizations *)
Section BestResponses.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variables (machines : list O) (jobs : O -> list num) (prio : O -> list O).

Definition best_reply (p : profile (O:=O)) (a : O) : Prop :=
  forall d, cost dec machines jobs prio p a <= cost dec machines jobs prio (deviate dec p a d) a.

(* a move of a from p to q *)
Definition move (a : O) (p q : profile (O:=O)) : Prop :=
  ~ best_reply p a /\ best_reply q a /\ forall b, b <> a -> q b = p b.

(* n moves, from p 0 to p n *)
Definition moves (n : nat) (p : nat -> profile (O:=O)) : Prop :=
  forall t, (t < n)%nat -> exists a, move a (p t) (p (S t)).

(* the number of different home loads *)
Fixpoint subset_sums (js : list num) : list num :=
  match js with [] => [0] | x :: js' => subset_sums js' ++ map (fun s => x + s) (subset_sums js') end.

Definition same (x y : num) : bool := if lt_le x y then false else if lt_le y x then false else true.

(* one of equal numbers each *)
Fixpoint distinct (L : list num) : list num :=
  match L with [] => [] | x :: L' => if existsb (same x) (distinct L') then distinct L' else x :: distinct L' end.

Definition home_loads (js : list num) : nat := length (distinct (subset_sums js)).
Definition zero_jobs (js : list num) : nat := if existsb (same 0) js then 1 else 0.

(* ================= COUNTING ================= *)
Lemma same_iff x y : same x y = true <-> x == y.
Proof. unfold same. destruct (lt_le x y), (lt_le y x); split; intros H; try lra; discriminate || reflexivity. Qed.
Lemma distinct_covers x L : In x L -> exists y, In y (distinct L) /\ x == y.
Proof.
  induction L as [|z L IH]; simpl; [tauto|]. destruct (existsb (same z) (distinct L)) eqn:E; intros [e|H].
  - subst z. apply existsb_exists in E. destruct E as (y & Hy & E). exists y. split; [exact Hy|apply same_iff, E].
  - exact (IH H).
  - subst z. exists x. split; [left; reflexivity|lra].
  - destruct (IH H) as (y & Hy & E'). exists y. split; [right; exact Hy|exact E'].
Qed.

(* moves go up or go down: numbers ahead of v *)
Definition ahead (up : bool) (v w : num) : Prop := if up then v < w else w < v.
Definition is_ahead (up : bool) (v w : num) : bool :=
  if up then (if lt_le v w then true else false) else (if lt_le w v then true else false).
Definition count (f : num -> bool) (L : list num) : nat := list_sum (map (fun x => if f x then 1%nat else 0%nat) L).

Lemma is_ahead_iff up v w : is_ahead up v w = true <-> ahead up v w.
Proof.
  unfold is_ahead, ahead.
  destruct up; [destruct (lt_le v w)|destruct (lt_le w v)]; split; intros; try lra; discriminate || reflexivity.
Qed.
Lemma count_less f g L w : In w L -> g w = true -> f w = false -> (forall x, f x = true -> g x = true) ->
  (count f L < count g L)%nat.
Proof.
  intros Hw Gw Fw H. apply (list_sum_less _ _ L w); [|rewrite Gw, Fw; lia|exact Hw].
  intros x. destruct (f x) eqn:E; [rewrite (H x E)|destruct (g x)]; lia.
Qed.
Lemma count_ahead_less up v v' w L : In w L -> v' == w -> ahead up v v' ->
  (count (is_ahead up v') L < count (is_ahead up v) L)%nat.
Proof.
  intros Hw E H. apply (count_less _ _ L w Hw).
  - apply is_ahead_iff. unfold ahead in *. destruct up; lra.
  - destruct (is_ahead up v' w) eqn:A; [|reflexivity]. apply is_ahead_iff in A. unfold ahead in A. destruct up; lra.
  - intros x A. apply is_ahead_iff in A. apply is_ahead_iff. unfold ahead in *. destruct up; lra.
Qed.
Lemma count_less_length f L w : In w L -> f w = false -> (count f L < length L)%nat.
Proof.
  intros Hw Hf. replace (length L) with (count (fun _ => true) L); [apply (count_less f _ L w); auto|].
  clear. unfold count. induction L; simpl; congruence.
Qed.

(* ================= TWO ORGANIZATIONS ================= *)
Hypothesis machines_all : forall l, In l machines.
Hypotheses (prio_nodup : forall l, NoDup (prio l)) (prio_all : forall l a, In a (prio l)).
Hypothesis jobs_nonneg : forall a, nonneg (jobs a).

Notation cost := (cost dec machines jobs prio).
Notation deviate := (deviate dec).
Notation load := (load dec jobs).
Notation ld := (ld dec).
Notation work := (work jobs).
Notation placed := (placed dec).

Notation two_cost := (two_cost dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg).

Definition level (a o : O) (d : strategy (O:=O)) : num :=
  match placed o (jobs a) d with [] => work a + 1 | _ => ld a (jobs a) d end.

(* the two cases of a placement: everything home, or something abroad *)
Lemma level_cases a o d : opponents a o ->
  (placed o (jobs a) d = [] /\ level a o d = work a + 1 /\ ld a (jobs a) d == work a) \/
  (placed o (jobs a) d <> [] /\ level a o d = ld a (jobs a) d /\
   ld a (jobs a) d + ld o (jobs a) d == work a /\ ld a (jobs a) d <= work a).
Proof.
  intros Ho. assert (S := ld_two dec a o (jobs a) d Ho). fold (work a) in S.
  assert (P := ld_nonneg dec jobs jobs_nonneg o a d). unfold level.
  destruct (placed o (jobs a) d) eqn:E; [left|right; split; [discriminate|]].
  - split; [reflexivity|]. split; [reflexivity|].
    assert (Z : ld o (jobs a) d = 0) by (unfold Game.ld; rewrite E; reflexivity). rewrite Z in S. lra.
  - split; [reflexivity|]. split; lra.
Qed.
Lemma same_level p a o d d' : opponents a o -> level a o d == level a o d' ->
  cost (deviate p a d) a <= cost (deviate p a d') a.
Proof.
  intros Ho E. apply (two_cost p a o d _ Ho).
  destruct (proj1 (two_cost p a o d' (cost (deviate p a d') a) Ho)) as (H0 & H1 & H2); [lra|].
  destruct (level_cases a o d Ho) as [(U & L & S)|(U & L & S & B)],
           (level_cases a o d' Ho) as [(U' & L' & S')|(U' & L' & S' & B')];
    rewrite L, L' in E; split; try lra; split; try lra; intros V; try congruence; try lra.
  specialize (H2 U'). lra.
Qed.

(* single crossing: if the higher level d' costs no more than d against the home load of the other in p, then its
   advantage does not shrink when this load grows to that in q *)
Lemma crossing p q a o d d' : opponents a o -> load p o o <= load q o o -> level a o d < level a o d' ->
  cost (deviate p a d') a <= cost (deviate p a d) a ->
  cost (deviate p a d) a - cost (deviate p a d') a <= cost (deviate q a d) a - cost (deviate q a d') a.
Proof.
  intros Ho Hy Hl Hc. assert (Pd := ld_nonneg dec jobs jobs_nonneg a a d).
  destruct (proj1 (two_cost p a o d' (cost (deviate p a d') a) Ho)) as (C0 & C1 & C2); [lra|].
  destruct (proj1 (two_cost q a o d (cost (deviate q a d) a) Ho)) as (H0 & H1 & H2); [lra|].
  destruct (level_cases a o d Ho) as [(U & L & S)|(U & L & S & B)].
  { destruct (level_cases a o d' Ho) as [(_ & L' & _)|(_ & L' & _ & B')]; rewrite L, L' in Hl; lra. }
  specialize (H2 U). destruct (lt_le (ld a (jobs a) d) (ld a (jobs a) d')) as [X|X].
  - (* the home loads differ: d pays for what it has abroad *)
    assert (D : cost (deviate p a d) a <= load p o o + ld o (jobs a) d).
    { destruct (lt_le (load p o o + ld o (jobs a) d) (ld a (jobs a) d)) as [G|G].
      - assert (cost (deviate p a d) a <= ld a (jobs a) d); [|lra]. apply (two_cost p a o d _ Ho). lra.
      - apply (two_cost p a o d _ Ho). lra. }
    assert (D' : cost (deviate q a d') a <= load q o o - load p o o + cost (deviate p a d') a); [|lra].
    apply (two_cost q a o d' _ Ho). split; [lra|]. split; [lra|]. intros V. specialize (C2 V). lra.
  - (* equal home loads: d' is home altogether *)
    destruct (level_cases a o d' Ho) as [(U' & L' & S')|(U' & L' & S' & B')]; rewrite L, L' in Hl; [|exfalso; lra].
    assert (D : cost (deviate p a d) a <= cost (deviate q a d) a) by (apply (two_cost p a o d _ Ho); lra).
    assert (D' : cost (deviate q a d') a <= cost (deviate p a d') a); [|lra].
    apply (two_cost q a o d' _ Ho). split; [lra|]. split; [lra|congruence].
Qed.

(* the other's level decides what a sees *)
Lemma level_load a o p q : opponents a o -> level o a (p o) < level o a (q o) -> load p o o <= load q o o.
Proof.
  intros Ho. apply opponents_sym in Ho. unfold Game.load.
  destruct (level_cases o a (p o) Ho) as [(_ & L & S)|(_ & L & S & B)],
           (level_cases o a (q o) Ho) as [(_ & L' & S')|(_ & L' & S' & B')]; rewrite L, L'; lra.
Qed.

(* a had a best reply in p; then o moved, and now a moves: the level goes where the other's level went *)
Lemma same_direction a o p q r : opponents a o -> best_reply p a -> move o p q -> move a q r ->
  (level o a (p o) < level o a (q o) -> level a o (q a) < level a o (r a)) /\
  (level o a (q o) < level o a (p o) -> level a o (r a) < level a o (q a)).
Proof.
  intros Ho Hp (_ & _ & Hq) (Nq & Br & Hr). destruct Ho as [n only]. assert (Ho : opponents a o) by (split; auto).
  assert (Ea : q a = p a) by (apply Hq; exact n).
  assert (Eo : r o = q o) by (apply Hr; congruence).
  (* a prefers its new placement against q, and the old one against p *)
  assert (Lr : load q o o = load r o o) by (unfold Game.load; rewrite Eo; reflexivity).
  assert (Dev : forall d, cost (deviate r a d) a = cost (deviate q a d) a).
  { intros d. apply cost_ext. intros b. unfold Game.deviate. destruct (dec b a); [reflexivity|auto]. }
  assert (Worse : ~ cost (deviate q a (q a)) a <= cost (deviate q a (r a)) a).
  { intros H. apply Nq. intros d. rewrite cost_as_deviation.
    specialize (Br d). rewrite cost_as_deviation, !Dev in Br. lra. }
  assert (Best : cost (deviate p a (q a)) a <= cost (deviate p a (r a)) a).
  { rewrite Ea. rewrite <- cost_as_deviation. apply Hp. }
  split; intros Hl.
  - assert (Hy := level_load a o p q Ho Hl).
    destruct (lt_le (level a o (q a)) (level a o (r a))) as [G|G]; [exact G|exfalso].
    destruct (lt_le (level a o (r a)) (level a o (q a))) as [G2|G2].
    + apply Worse. assert (X := crossing p q a o (r a) (q a) Ho Hy G2 Best). lra.
    + apply Worse. apply (same_level q a o); [exact Ho|lra].
  - assert (Hy := level_load a o q p Ho Hl).
    destruct (lt_le (level a o (r a)) (level a o (q a))) as [G|G]; [exact G|exfalso].
    destruct (lt_le (level a o (q a)) (level a o (r a))) as [G2|G2].
    + apply Worse. destruct (lt_le (cost (deviate q a (r a)) a) (cost (deviate q a (q a)) a)) as [X|X]; [|exact X].
      assert (Y := crossing q p a o (q a) (r a) Ho Hy G2 ltac:(lra)). lra.
    + apply Worse. apply (same_level q a o); [exact Ho|lra].
Qed.
Lemma level_changes a o p q : opponents a o -> move a p q ->
  level a o (p a) < level a o (q a) \/ level a o (q a) < level a o (p a).
Proof.
  intros Ho (Np & Bq & Hq).
  destruct (lt_le (level a o (p a)) (level a o (q a))) as [G|G]; [left; exact G|].
  destruct (lt_le (level a o (q a)) (level a o (p a))) as [G2|G2]; [right; exact G2|exfalso].
  assert (Dev : forall d, cost (deviate q a d) a = cost (deviate p a d) a).
  { intros d. apply cost_ext. intros b. unfold Game.deviate. destruct (dec b a); [reflexivity|auto]. }
  apply Np. intros d. specialize (Bq d). rewrite cost_as_deviation, !Dev in Bq. rewrite cost_as_deviation.
  assert (E := same_level p a o (p a) (q a) Ho ltac:(lra)). lra.
Qed.

(* ---- counting the levels ---- *)
Definition levels (a : O) : list num :=
  if existsb (same 0) (jobs a) then work a + 1 :: distinct (subset_sums (jobs a))
  else map (fun x => if lt_le x (work a) then x else work a + 1) (distinct (subset_sums (jobs a))).

Lemma levels_length a : length (levels a) = (home_loads (jobs a) + zero_jobs (jobs a))%nat.
Proof.
  unfold levels, home_loads, zero_jobs. destruct (existsb (same 0) (jobs a)); simpl; [lia|]. rewrite map_length. lia.
Qed.
Lemma home_load_listed l js d : exists y, In y (distinct (subset_sums js)) /\ ld l js d == y.
Proof.
  assert (S : exists y, In y (subset_sums js) /\ ld l js d == y).
  { revert d; induction js as [|x js IH]; intros d.
    - exists 0. split; [left; reflexivity|unfold Game.ld; simpl; lra].
    - destruct (IH (fun n => d (S n))) as (y & Hy & E). unfold Game.ld in *. simpl.
      destruct (dec (d 0%nat) l); [exists (x + y)|exists y]; (split; [apply in_or_app|simpl; lra]).
      + right. apply in_map. exact Hy.
      + left. exact Hy. }
  destruct S as (y & Hy & E). destruct (distinct_covers y _ Hy) as (z & Hz & E2). exists z. split; [exact Hz|lra].
Qed.

(* without jobs of length zero, something abroad means less at home *)
Lemma abroad_positive o a d : existsb (same 0) (jobs a) = false -> placed o (jobs a) d <> [] -> 0 < ld o (jobs a) d.
Proof.
  intros Z U. unfold Game.ld. assert (Hn := placed_nonneg dec jobs jobs_nonneg o a d).
  destruct (placed o (jobs a) d) as [|x r] eqn:E; [congruence|]. simpl.
  assert (P : 0 <= sum r) by (apply sum_nonneg; intros y Hy; apply Hn; right; exact Hy).
  assert (Hx : 0 <= x) by (apply Hn; left; reflexivity).
  destruct (lt_le 0 x) as [G|G]; [lra|exfalso].
  assert (In x (jobs a)) by (apply (placed_in dec o _ d); rewrite E; left; reflexivity).
  assert (T : existsb (same 0) (jobs a) = true); [|congruence].
  apply existsb_exists. exists x. split; [assumption|apply same_iff; lra].
Qed.
Lemma level_listed a o d : opponents a o -> exists w, In w (levels a) /\ level a o d == w.
Proof.
  intros Ho. destruct (home_load_listed a (jobs a) d) as (y & Hy & E). unfold levels.
  destruct (existsb (same 0) (jobs a)) eqn:Z.
  - destruct (level_cases a o d Ho) as [(_ & L & S)|(_ & L & S & B)]; rewrite L.
    + exists (work a + 1). split; [left; reflexivity|lra].
    + exists y. split; [right; exact Hy|exact E].
  - exists (if lt_le y (work a) then y else work a + 1). split; [exact (in_map _ _ y Hy)|].
    destruct (level_cases a o d Ho) as [(_ & L & S)|(U & L & S & B)]; rewrite L.
    + destruct (lt_le y (work a)); lra.
    + assert (P := abroad_positive o a d Z U). destruct (lt_le y (work a)); lra.
Qed.

(* the room of an organization is the number of levels ahead of its own *)
Definition room (up : bool) (a o : O) (p : profile (O:=O)) : nat := count (is_ahead up (level a o (p a))) (levels a).

Lemma room_less up a o p q : opponents a o -> ahead up (level a o (p a)) (level a o (q a)) ->
  (room up a o q < room up a o p)%nat.
Proof.
  intros Ho H. destruct (level_listed a o (q a) Ho) as (w & Hw & E). exact (count_ahead_less _ _ _ w _ Hw E H).
Qed.
Lemma room_bound up a o p : opponents a o -> (room up a o p < length (levels a))%nat.
Proof.
  intros Ho. destruct (level_listed a o (p a) Ho) as (w & Hw & E). apply (count_less_length _ _ w Hw).
  destruct (is_ahead up (level a o (p a)) w) eqn:A; [|reflexivity].
  apply is_ahead_iff in A. unfold ahead in A. destruct up; lra.
Qed.

(* o moves first, in the given direction, while a is content: afterwards the two move in turn, in this direction *)
Lemma moves_in_one_direction up n : forall (p : nat -> profile) a o, opponents a o -> moves (S n) p ->
  best_reply (p 0%nat) a -> move o (p 0%nat) (p 1%nat) ->
  ahead up (level o a (p 0%nat o)) (level o a (p 1%nat o)) ->
  (S n <= room up o a (p 0%nat) + room up a o (p 0%nat) /\
   S n <= 2 * room up o a (p 0%nat) /\ S n <= 2 * room up a o (p 0%nat) + 1)%nat.
Proof.
  induction n as [|n IH]; intros p a o Ho Hm Hb H1 Hl;
    assert (R := room_less up o a (p 0%nat) (p 1%nat) (opponents_sym a o Ho) Hl); [lia|].
  assert (Ra : room up a o (p 1%nat) = room up a o (p 0%nat)).
  { destruct H1 as (_ & _ & H1). unfold room. rewrite (H1 a); [reflexivity|apply Ho]. }
  assert (H2 : move a (p 1%nat) (p 2%nat)).
  { destruct (Hm 1%nat ltac:(lia)) as (b & H2). destruct (proj2 Ho b); subst b; [exact H2|].
    exfalso. apply (proj1 H2). apply H1. }
  assert (Hl2 : ahead up (level a o (p 1%nat a)) (level a o (p 2%nat a))).
  { destruct (same_direction a o _ _ _ Ho Hb H1 H2) as [U D]. unfold ahead in *. destruct up; auto. }
  destruct (IH (fun t => p (S t)) o a (opponents_sym a o Ho)) as (I1 & I2 & I3); auto.
  - intros t Ht. apply Hm. lia.
  - apply H1.
  - lia.
Qed.
Lemma moves_bound n p i j : opponents i j -> moves n p -> let d a := (home_loads (jobs a) + zero_jobs (jobs a))%nat in
  (n <= d i + d j - 1 /\ n <= 2 * d i /\ n <= 2 * d j)%nat.
Proof.
  intros Hij Hm d.
  assert (B : forall up a o q, opponents a o -> (room up a o q < d a)%nat).
  { intros up a o q Ho. unfold d. rewrite <- levels_length. apply room_bound. exact Ho. }
  assert (Bi := B true i j (p 0%nat) Hij). assert (Bj := B true j i (p 0%nat) (opponents_sym i j Hij)).
  destruct n as [|[|n]]; [lia|lia|].
  (* a moves first, then o *)
  assert (G : forall a o, opponents a o -> move a (p 0%nat) (p 1%nat) ->
    (S (S n) <= d a + d o - 1 /\ S (S n) <= 2 * d a /\ S (S n) <= 2 * d o)%nat).
  { intros a o Ho H1. assert (Ho' := opponents_sym a o Ho).
    assert (H2 : move o (p 1%nat) (p 2%nat)).
    { destruct (Hm 1%nat ltac:(lia)) as (b & H2). destruct (proj2 Ho b); subst b; [|exact H2].
      exfalso. apply (proj1 H2). apply H1. }
    assert (Hd : exists up, ahead up (level o a (p 1%nat o)) (level o a (p 2%nat o))).
    { destruct (level_changes o a _ _ Ho' H2); [exists true|exists false]; assumption. }
    destruct Hd as (up & Hl).
    destruct (moves_in_one_direction up n (fun t => p (S t)) a o Ho) as (I1 & I2 & I3); auto.
    - intros t Ht. apply Hm. lia.
    - apply H1.
    - assert (Ba := B up a o (p 1%nat) Ho). assert (Bo := B up o a (p 1%nat) Ho'). lia. }
  destruct (Hm 0%nat ltac:(lia)) as (a & H1). destruct (proj2 Hij a); subst a.
  - apply (G i j Hij H1).
  - destruct (G j i (opponents_sym i j Hij) H1) as (G1 & G2 & G3). lia.
Qed.

(* ---- the play ends in an equilibrium ---- *)
Lemma content_or_move p a : best_reply p a \/ exists q, move a p q.
Proof.
  destruct (lazy_best_reply dec machines jobs prio machines_all p a) as (br & Hbr).
  destruct (lt_le (cost (deviate p a br) a) (cost p a)) as [H|H].
  - right. exists (deviate p a br). split; [intros G; specialize (G br); lra|]. split.
    + intros d. rewrite (cost_ext dec machines jobs prio (deviate (deviate p a br) a d) (deviate p a d)); [apply Hbr|].
      intros b. unfold Game.deviate. destruct (dec b a); reflexivity.
    + intros b n. unfold Game.deviate. destruct (dec b a); congruence.
  - left. intros d. destruct (Hbr d) as [G _]. lra.
Qed.
Lemma equilibrium_or_move (i j : O) p : opponents i j -> equilibrium dec machines jobs prio p \/ exists a q, move a p q.
Proof.
  intros Hij. destruct (content_or_move p i) as [Hi|(q & Hq)]; [|right; exists i, q; exact Hq].
  destruct (content_or_move p j) as [Hj|(q & Hq)]; [|right; exists j, q; exact Hq].
  left. intros a. destruct (proj2 Hij a); subst a; assumption.
Qed.
Lemma play_on (i j : O) n : opponents i j -> forall p, exists m q, q 0%nat = p /\ moves m q /\
  (equilibrium dec machines jobs prio (q m) \/ m = n).
Proof.
  intros Hij. induction n as [|n IH]; intros p.
  - exists 0%nat, (fun _ => p). split; [reflexivity|]. split; [intros t Ht; lia|right; reflexivity].
  - destruct (equilibrium_or_move i j p Hij) as [He|(a & p' & Hp')].
    + exists 0%nat, (fun _ => p). split; [reflexivity|]. split; [intros t Ht; lia|left; exact He].
    + destruct (IH p') as (m & q & E & Hq & Hend).
      exists (S m), (fun t => match t with 0%nat => p | S t' => q t' end). split; [reflexivity|]. split.
      * intros [|t] Ht; [exists a; rewrite E; exact Hp'|]. apply Hq. lia.
      * destruct Hend; [left; assumption|right; congruence].
Qed.

Theorem best_responses_end i j : i <> j -> (forall x, x = i \/ x = j) ->
  let d a := (home_loads (jobs a) + zero_jobs (jobs a))%nat in
  (forall n p, moves n p -> (n <= d i + d j - 1 /\ n <= 2 * d i /\ n <= 2 * d j)%nat) /\
  (forall p, (forall a q, ~ move a p q) -> equilibrium dec machines jobs prio p) /\
  (forall p, exists n q, q 0%nat = p /\ moves n q /\ equilibrium dec machines jobs prio (q n)).
Proof.
  intros n only d. assert (Hij : opponents i j) by (split; assumption). split; [|split].
  - intros m p. apply moves_bound. exact Hij.
  - intros p Hp. destruct (equilibrium_or_move i j p Hij) as [He|(a & q & Hq)]; [exact He|destruct (Hp a q Hq)].
  - intros p. destruct (play_on i j (d i + d j) Hij p) as (m & q & E & Hq & [He|Hm]).
    + exists m, q. auto.
    + exfalso. destruct (moves_bound m q i j Hij Hq) as (B & _). fold (d i) (d j) in B.
      assert (0 < d i)%nat; [|lia]. unfold d. rewrite <- levels_length.
      generalize (room_bound true i j p Hij). lia.
Qed.
End BestResponses.
