(* Fewer jobs, and jobs of length zero (T6 in the documentation), priority to organizations, one machine each.

   A shape is a number of jobs for each organization. If every game of a shape with positive lengths has an
   eps-equilibrium (nobody pays more than eps times any other placement of its own), so has every game of every smaller
   shape, with lengths at least zero. With eps = 1 this speaks of equilibria.

   Idea. Give every organization the jobs that it lacks, of length zero, and then make all jobs longer by e > 0: a game
   of the full shape. A placement of its jobs places the old ones, too.
   (1) In the old game nobody pays more than in the new one (`cost_padded_ge`).
   (2) Who deviates in the old game can do so in the new one, the added jobs at home: it costs at most S e more, S being
   the number of all jobs, since its added jobs wait for nobody (`deviation_padded_le`).
   So an eps-equilibrium of the new game is, up to eps S e, one of the old game. There are finitely many placements. If
   each of them failed in the old game, one would fail least, by some delta > 0 (`approximate_or_gap`), and
   e = delta / (eps S + 1) is too small for that. No limit is taken: the argument holds for rational lengths. *)
From Coq Require Import List Lia Permutation.
Require Import Numbers Sums Game.
Import ListNotations.

Section FewerJobs.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variables (machines : list O) (prio : O -> list O).
Hypothesis machines_all : forall l, In l machines.
Hypotheses (prio_nodup : forall l, NoDup (prio l)) (prio_all : forall l a, In a (prio l)).

Notation cost jobs := (cost dec machines jobs prio).
Notation deviate := (deviate dec).
Notation ready jobs := (ready dec jobs prio).
Notation ld := (ld dec).
Notation placed := (placed dec).

Definition approximate (eps : num) (jobs : O -> list num) (p : profile (O:=O)) : Prop :=
  forall a d, cost jobs p a <= eps * cost jobs (deviate p a d) a.

(* k jobs: those of js, further ones of length zero, all longer by e *)
Fixpoint padded (e : num) (k : nat) (js : list num) : list num :=
  match k with 0%nat => [] | S k' => hd 0 js + e :: padded e k' (tl js) end.

Lemma padded_length e k js : length (padded e k js) = k.
Proof. revert js; induction k as [|k IH]; intros js; simpl; [reflexivity|]. rewrite IH. reflexivity. Qed.
Lemma nonneg_tail js : nonneg js -> 0 <= hd 0 js /\ nonneg (tl js).
Proof.
  intros H. destruct js as [|x js]; simpl; [split; [lra|exact H]|].
  split; [apply H; left; reflexivity|intros y Hy; apply H; right; exact Hy].
Qed.
Lemma padded_least e k js : nonneg js -> forall x, In x (padded e k js) -> e <= x.
Proof.
  revert js; induction k as [|k IH]; intros js Hn x; simpl; [tauto|].
  destruct (nonneg_tail js Hn) as [H0 Ht]. intros [E|H]; [subst x; lra|exact (IH _ Ht x H)].
Qed.
Lemma padded_ld l e k js s : 0 <= e -> nonneg js -> (length js <= k)%nat ->
  ld l js s <= ld l (padded e k js) s /\ ld l (padded e k js) s <= ld l js s + ofnat k * e.
Proof.
  intros He. revert js s; induction k as [|k IH]; intros js s Hn Hk; simpl.
  - destruct js; [|simpl in Hk; lia]. unfold Game.ld. simpl. lra.
  - destruct (nonneg_tail js Hn) as [H0 Ht]. destruct (IH (tl js) (fun n => s (S n)) Ht) as [A B].
    { destruct js; simpl in *; lia. }
    unfold Game.ld in *. simpl. destruct js as [|x js]; simpl in *; destruct (dec (s 0%nat) l); simpl; lra.
Qed.
Lemma padded_used l e k js s : (length js <= k)%nat -> placed l js s <> [] -> placed l (padded e k js) s <> [].
Proof.
  revert js s; induction k as [|k IH]; intros js s Hk U; destruct js as [|x js]; simpl in *; try lia; try congruence.
  destruct (dec (s 0%nat) l); [discriminate|]. apply IH; [lia|exact U].
Qed.

(* the added jobs at home *)
Lemma padded_used_inv a l e k js s : l <> a -> (forall t, (length js <= t)%nat -> s t = a) ->
  placed l (padded e k js) s <> [] -> placed l js s <> [].
Proof.
  intros n. revert js s; induction k as [|k IH]; intros js s Ha U; [exfalso; apply U; reflexivity|].
  simpl in U. destruct js as [|x js]; simpl in *.
  - exfalso. destruct (dec (s 0%nat) l) as [E|_]; [rewrite (Ha 0%nat) in E by lia; congruence|].
    apply (IH [] (fun t => s (S t))); [intros t _; apply Ha; lia|exact U|reflexivity].
  - destruct (dec (s 0%nat) l); [discriminate|]. apply IH; [|exact U]. intros t Ht. apply Ha. lia.
Qed.

(* ---- the old game and the new one ---- *)
Variable shape : O -> nat.
Definition all_jobs : num := sum (map (fun a => ofnat (shape a)) machines).

Lemma all_jobs_nonneg : 0 <= all_jobs.
Proof. apply sum_map_nonneg. intros; apply ofnat_nonneg. Qed.

Section Padded.
Variable jobs : O -> list num.
Hypothesis jobs_nonneg : forall a, nonneg (jobs a).
Hypothesis jobs_few : forall a, (length (jobs a) <= shape a)%nat.
Variable e : num.
Hypothesis e_nonneg : 0 <= e.
Definition new (a : O) : list num := padded e (shape a) (jobs a).

Lemma new_nonneg a : nonneg (new a).
Proof. intros x H. generalize (padded_least e (shape a) (jobs a) (jobs_nonneg a) x H). lra. Qed.
Lemma new_ld a l s : ld l (jobs a) s <= ld l (new a) s /\ ld l (new a) s <= ld l (jobs a) s + ofnat (shape a) * e.
Proof. apply padded_ld; [lra|apply jobs_nonneg|apply jobs_few]. Qed.

(* (1) *)
Lemma cost_padded_ge p a : cost jobs p a <= cost new p a.
Proof.
  apply cost_le; auto. split; [apply cost_nonneg; auto using new_nonneg|]. intros l U.
  assert (U' := padded_used l e (shape a) (jobs a) (p a) (jobs_few a) U).
  assert (C := cost_ge dec machines new prio machines_all prio_nodup prio_all new_nonneg p a l U').
  assert (R : ready jobs p a l <= ready new p a l) by (apply sum_map_le; intros b _; apply new_ld).
  assert (L := proj1 (new_ld a l (p a))). unfold Game.load in *. lra.
Qed.
Lemma sum_longer (f g : O -> num) (k : O -> nat) L : (forall b, f b <= g b + ofnat (k b) * e) ->
  sum (map f L) <= sum (map g L) + sum (map (fun b => ofnat (k b)) L) * e.
Proof. intros H. induction L as [|b L IH]; simpl; [lra|]. specialize (H b). lra. Qed.
Lemma shape_all_jobs a l :
  ofnat (shape a) + sum (map (fun b => ofnat (shape b)) (before dec a (order dec prio l))) <= all_jobs.
Proof.
  change (sum (map (fun b => ofnat (shape b)) (a :: before dec a (order dec prio l))) <= all_jobs).
  apply sum_incl; [intros; apply ofnat_nonneg| |intros b _; apply machines_all].
  constructor; [intros H; apply (before_in dec) in H; tauto|]. apply before_nodup, order_nodup. exact prio_nodup.
Qed.

Definition added_home (a : O) (d : strategy (O:=O)) : strategy :=
  fun t => if Compare_dec.le_lt_dec (length (jobs a)) t then a else d t.

(* (2) *)
Lemma deviation_padded_le p a d :
  cost new (deviate p a (added_home a d)) a <= cost jobs (deviate p a d) a + all_jobs * e.
Proof.
  set (c := cost jobs (deviate p a d) a).
  destruct (proj1 (dev_le dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg p a d c)) as [Hc H];
    [unfold c; lra|].
  assert (S0 := mul_nonneg _ _ all_jobs_nonneg e_nonneg).
  apply dev_le; auto using new_nonneg. split; [lra|]. intros l U.
  assert (Ed : placed l (jobs a) (added_home a d) = placed l (jobs a) d).
  { apply placed_ext. intros t Ht. unfold added_home.
    destruct (Compare_dec.le_lt_dec (length (jobs a)) t); [lia|reflexivity]. }
  assert (L := proj2 (new_ld a l (added_home a d))).
  unfold Game.ld in L at 2. rewrite Ed in L. fold (ld l (jobs a) d) in L.
  assert (All := shape_all_jobs a l).
  assert (Few : forall b, 0 <= ofnat (shape b)) by (intros; apply ofnat_nonneg).
  assert (P := sum_map_nonneg (fun b => ofnat (shape b)) (before dec a (order dec prio l)) Few).
  assert (All' := mul_le e _ _ e_nonneg All).
  assert (P' := mul_nonneg _ _ e_nonneg P).
  destruct (dec l a) as [E|n].
  - subst l. assert (R := ready_home dec new prio p a).
    assert (ld a (jobs a) d <= c); [|lra]. specialize (H a). unfold Game.ld in *.
    destruct (placed a (jobs a) d); [simpl; lra|]. specialize (H ltac:(discriminate)).
    generalize (ready_nonneg dec jobs prio jobs_nonneg p a a). lra.
  - assert (U' : placed l (jobs a) d <> []).
    { rewrite <- Ed. apply (padded_used_inv a l e (shape a)); [exact n| |exact U].
      intros t Ht. unfold added_home. destruct (Compare_dec.le_lt_dec (length (jobs a)) t); [reflexivity|lia]. }
    specialize (H l U').
    assert (R : ready new p a l <= ready jobs p a l
                + sum (map (fun b => ofnat (shape b)) (before dec a (order dec prio l))) * e).
    { apply sum_longer. intros b. apply new_ld. }
    lra.
Qed.
End Padded.

(* ---- finitely many placements ---- *)
Fixpoint profiles (os : list O) : list (profile (O:=O)) :=
  match os with
  | [] => [fun b => home b]
  | a :: os' => flat_map (fun s => map (fun p => deviate p a s) (profiles os')) (strats machines a (shape a))
  end.

Lemma profiles_complete p os :
  exists p', In p' (profiles os) /\ forall a, In a os -> forall t, (t < shape a)%nat -> p' a t = p a t.
Proof.
  induction os as [|a os (p' & Hp' & H)].
  - exists (fun b => home b). split; [left; reflexivity|intros a []].
  - destruct (strats_complete machines a (shape a) (p a) (fun t => machines_all _)) as (s & Hs & Es).
    exists (deviate p' a s). split.
    + apply in_flat_map. exists s. split; [exact Hs|]. apply (in_map (fun p => deviate p a s)). exact Hp'.
    + intros b Hb t Ht. unfold Game.deviate. destruct (dec b a) as [E|n]; [subst b; auto|].
      apply H; [destruct Hb; congruence|exact Ht].
Qed.

Section Finite.
Variable jobs : O -> list num.
Variable eps : num.
Hypothesis eps_nonneg : 0 <= eps.

Lemma approximate_or_not p : approximate eps jobs p \/ exists a d, eps * cost jobs (deviate p a d) a < cost jobs p a.
Proof.
  assert (G : forall L, (forall a, In a L -> forall d, cost jobs p a <= eps * cost jobs (deviate p a d) a) \/
                        exists a d, eps * cost jobs (deviate p a d) a < cost jobs p a).
  { induction L as [|b L [IH|IH]]; [left; intros a []| |right; exact IH].
    destruct (lazy_best_reply dec machines jobs prio machines_all p b) as (br & Hbr).
    destruct (lt_le (eps * cost jobs (deviate p b br) b) (cost jobs p b)) as [H|H]; [right; exists b, br; exact H|].
    left. intros a [E|Ha] d; [subst a|exact (IH a Ha d)].
    assert (M := mul_le eps _ _ eps_nonneg (proj1 (Hbr d))). lra. }
  destruct (G machines) as [H|H]; [left; intros a; apply H, machines_all|right; exact H].
Qed.
Lemma approximate_or_gap L : (exists p, approximate eps jobs p) \/
  exists delta, 0 < delta /\ forall p, In p L -> exists a d, eps * cost jobs (deviate p a d) a + delta <= cost jobs p a.
Proof.
  induction L as [|p L [IH|(delta & Hd & IH)]].
  - right. exists 1. split; [lra|intros p []].
  - left. exact IH.
  - destruct (approximate_or_not p) as [H|(a & d & H)]; [left; exists p; exact H|right].
    set (gap := cost jobs p a - eps * cost jobs (deviate p a d) a).
    assert (Hg : 0 < gap) by (unfold gap; lra).
    destruct (lt_le delta gap) as [Less|Less].
    + exists delta. split; [exact Hd|]. intros q [E|Hq]; [subst q|exact (IH q Hq)].
      exists a, d. unfold gap in Less. lra.
    + exists gap. split; [exact Hg|]. intros q [E|Hq].
      * subst q. exists a, d. unfold gap. lra.
      * destruct (IH q Hq) as (b & d' & H'). exists b, d'. lra.
Qed.
End Finite.

Theorem fewer_jobs eps : 0 <= eps ->
  (forall jobs, (forall a x, In x (jobs a) -> 0 < x) -> (forall a, length (jobs a) = shape a) ->
     exists p, approximate eps jobs p) ->
  forall jobs, (forall a x, In x (jobs a) -> 0 <= x) -> (forall a, (length (jobs a) <= shape a)%nat) ->
     exists p, approximate eps jobs p.
Proof.
  intros He Full jobs Hn Few.
  destruct (approximate_or_gap jobs eps He (profiles machines)) as [H|(delta & Hd & Gap)]; [exact H|exfalso].
  assert (HS := all_jobs_nonneg). assert (HeS := mul_nonneg _ _ He HS).
  set (e := delta / (eps * all_jobs + 1)).
  assert (Ee : (eps * all_jobs + 1) * e == delta) by (unfold e; field; lra).
  assert (E0 : 0 < e).
  { destruct (lt_le 0 e) as [G|G]; [exact G|exfalso].
    assert (M := mul_le (eps * all_jobs + 1) e 0 ltac:(lra) G). lra. }
  destruct (Full (new jobs e)) as (p & Hp).
  { intros a x Hx. generalize (padded_least e _ _ (Hn a) x Hx). lra. }
  { intros a. apply padded_length. }
  destruct (profiles_complete p machines) as (p' & In' & Agree).
  destruct (Gap p' In') as (a & d & Hgap).
  assert (Same : forall b t, (t < length (jobs b))%nat -> p' b t = p b t).
  { intros b t Ht. apply Agree; [apply machines_all|]. specialize (Few b). lia. }
  rewrite (cost_agree dec machines jobs prio p' p a Same) in Hgap.
  rewrite (cost_agree dec machines jobs prio (deviate p' a d) (deviate p a d) a) in Hgap.
  2: { intros b t Ht. unfold Game.deviate. destruct (dec b a); [reflexivity|exact (Same b t Ht)]. }
  assert (C1 := cost_padded_ge jobs Hn Few e ltac:(lra) p a).
  assert (C2 := deviation_padded_le jobs Hn Few e ltac:(lra) p a d).
  assert (C3 := Hp a (added_home jobs a d)). assert (C4 := mul_le eps _ _ He C2). lra.
Qed.
End FewerJobs.
