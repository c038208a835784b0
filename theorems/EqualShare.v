(* Payments, theorem 3(a): equal share with postponement (POST, s = 0). Truth is dominant, payments balance. *)
From Coq Require Import List Lia Permutation.
Require Import Numbers Game SharpPrice.
Import ListNotations.

Section Pay.
Context {O : Type}.                              (* agents, one job each *)
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variable agents : list O.
Variable CPU : Type.
Variable cpus : list CPU.
Variable c : CPU -> num.                         (* powers *)
Variable slack : (O -> num) -> O -> num.         (* durations s_n(b) >= 0 of POST *)

(* ---------- definitions (declaration.md, section 1) ---------- *)
Definition schedule := CPU -> list O.            (* an ordered list of jobs per CPU *)

(* planned ends on one CPU of power w: E_n = (sum of b up to and including n) / w *)
Fixpoint ends_from (w : num) (b : O -> num) (t : num) (L : list O) (n : O) : num :=
  match L with
  | [] => 0
  | k :: L' => if dec k n then t + b k / w else ends_from w b (t + b k / w) L' n
  end.

Definition upd (T : O -> num) (n : O) (x : num) : O -> num := fun k => if dec k n then x else T k.

(* phase 1: first segments. E: static clock (planned), t: clock. T: output times so far; R: queue of remainders *)
Fixpoint phase1 (w : num) (b theta : O -> num) (s : O -> num) (E t : num) (L : list O) (T : O -> num)
                (R : list (O * num * num)) : num * (O -> num) * list (O * num * num) :=
  match L with
  | [] => (t, T, R)
  | n :: L' =>
      let En := E + b n / w in                   (* E_n^A *)
      let e := t + b n / w in
      if lt_le (theta n) (b n) then              (* ends too early: output withheld until E_n^A; CLOSE *)
        phase1 w b theta s En (t + theta n / w) L' (upd T n En) R
      else if lt_le (b n) (theta n) then         (* alive at e: stopped, remainder postponed *)
        phase1 w b theta s En e L' (upd T n En) (R ++ [(n, En + s n, e + sum (map (fun k => b k / w) L'))])
      else                                       (* ends at e: truthful; EARLY *)
        phase1 w b theta s En e L' (upd T n e) R
  end.

(* phase 2: remainders, in the order of the triggers *)
Fixpoint phase2 (w : num) (b theta : O -> num) (free : num) (R : list (O * num * num)) (T : O -> num) : O -> num :=
  match R with
  | [] => T
  | (n, rel, plan) :: R' =>
      let st := nmax rel (nmax plan free) in
      let free' := st + (theta n - b n) / w in
      phase2 w b theta free' R' (upd T n (nmax (T n) free'))
  end.

(* output times on one CPU *)
Definition run_cpu (w : num) (b theta s : O -> num) (L : list O) : O -> num :=
  let '(free, T, R) := phase1 w b theta s 0 0 L (fun _ => 0) [] in phase2 w b theta free R T.

Definition planned (sg : schedule) (b : O -> num) (n : O) : num :=          (* E_n; 0 on the CPUs without n *)
  sum (map (fun m => ends_from (c m) b 0 (sg m) n) cpus).
Definition output (sg : schedule) (b theta s : O -> num) (n : O) : num :=   (* T_n *)
  sum (map (fun m => run_cpu (c m) b theta s (sg m) n) cpus).
Definition valid (sg : schedule) : Prop := Permutation (flat_map sg cpus) agents.
Definition total_ends (sg : schedule) (b : O -> num) : num := sum (map (planned sg b) agents).

(* the mechanism: A any rule that minimises sum E; equal share *)
Variable A : (O -> num) -> schedule.
Definition S_ (b : O -> num) : num := total_ends (A b) b.
Definition payment (b : O -> num) (n : O) : num := S_ b / ofnat (length agents) - planned (A b) b n.
(* what n loses when everybody declares b and the true lengths are theta: U_n = V_n - loss *)
Definition loss (b theta : O -> num) (n : O) : num := output (A b) b theta (slack b) n + payment b n.

(* ---------- proofs ---------- *)
Hypothesis agents_nodup : NoDup agents.
Hypothesis c_pos : forall m, 0 < c m.
Hypothesis slack_nonneg : forall b n, 0 <= slack b n.

Lemma upd_same T n x : upd T n x n = x.
Proof. unfold upd. destruct (dec n n); congruence. Qed.
Lemma upd_other T n x k : n <> k -> upd T n x k = T k.
Proof. unfold upd. destruct (dec k n); congruence. Qed.

Lemma phase2_other w b theta k R : forall free T, (forall x, In x R -> fst (fst x) <> k) ->
  phase2 w b theta free R T k = T k.
Proof.
  induction R as [|[[n rel] plan] R IH]; intros free T H; simpl; [reflexivity|].
  rewrite IH by (intros x Hx; apply H; right; exact Hx).
  apply upd_other. apply (H (n, rel, plan)). left. reflexivity.
Qed.

Lemma nmax_l x y : x <= nmax x y.
Proof. apply (nmax_le x y (nmax x y)). lra. Qed.
Lemma nmax_r x y : y <= nmax x y.
Proof. apply (nmax_le x y (nmax x y)). lra. Qed.

Lemma phase2_mono w b theta k R : forall free T, T k <= phase2 w b theta free R T k.
Proof.
  induction R as [|[[n rel] plan] R IH]; intros free T; simpl; [lra|].
  match goal with |- _ <= phase2 _ _ _ ?f _ ?T' _ => generalize (IH f T') end.
  unfold upd at 1. destruct (dec k n) as [e|ne]; [|lra].
  subst n. intros H. generalize (nmax_l (T k) (nmax rel (nmax plan free) + (theta k - b k) / w)). lra.
Qed.

Lemma phase2_entry w b theta k rel plan R : In (k, rel, plan) R -> forall free T,
  rel + (theta k - b k) / w <= phase2 w b theta free R T k.
Proof.
  induction R as [|[[n rel'] plan'] R IH]; simpl; [tauto|]. intros [e|H] free T; [|apply IH; exact H].
  inversion e; subst.
  match goal with |- _ <= phase2 _ _ _ ?f _ ?T' _ => generalize (phase2_mono w b theta k R f T') end.
  rewrite upd_same. generalize (nmax_r (T k) (nmax rel (nmax plan free) + (theta k - b k) / w)) (nmax_l rel (nmax plan free)). lra.
Qed.

Lemma ends_other_cpu w b t L n : ~ In n L -> ends_from w b t L n = 0.
Proof.
  revert t; induction L as [|k L IH]; intros t H; simpl; [reflexivity|].
  destruct (dec k n); [subst; simpl in H; tauto|]. apply IH. simpl in H. tauto.
Qed.

(* the table for POST: truthful T <= E, overstated T = E, understated: a queued remainder released at E + s *)
Lemma phase1_spec w b theta s L : 0 < w -> NoDup L -> forall E t T R, t <= E ->
  let '(free, T', R') := phase1 w b theta s E t L T R in
  (forall k, ~ In k L -> T' k = T k) /\
  (forall k, In k L -> b k == theta k -> T' k <= ends_from w b E L k) /\
  (forall k, In k L -> theta k < b k -> T' k == ends_from w b E L k) /\
  (forall x, In x R' -> In x R \/ (In (fst (fst x)) L /\ b (fst (fst x)) < theta (fst (fst x)))) /\
  (forall x, In x R -> In x R') /\
  (forall k, In k L -> b k < theta k -> exists plan, In (k, ends_from w b E L k + s k, plan) R').
Proof.
  intros Hw. induction 1 as [|n L Hn HL IH]; intros E t T R Ht.
  - simpl. repeat split; try tauto. 
  - assert (Step : forall t' x R0, t' <= E + b n / w ->
      (b n == theta n -> x <= E + b n / w) -> (theta n < b n -> x == E + b n / w) ->
      (forall y, In y R0 -> In y R \/ (fst (fst y) = n /\ b n < theta n)) -> (forall y, In y R -> In y R0) ->
      (b n < theta n -> exists plan, In (n, E + b n / w + s n, plan) R0) ->
      let '(free, T', R') := phase1 w b theta s (E + b n / w) t' L (upd T n x) R0 in
      (forall k, ~ In k (n :: L) -> T' k = T k) /\
      (forall k, In k (n :: L) -> b k == theta k -> T' k <= ends_from w b E (n :: L) k) /\
      (forall k, In k (n :: L) -> theta k < b k -> T' k == ends_from w b E (n :: L) k) /\
      (forall y, In y R' -> In y R \/ (In (fst (fst y)) (n :: L) /\ b (fst (fst y)) < theta (fst (fst y)))) /\
      (forall y, In y R -> In y R') /\
      (forall k, In k (n :: L) -> b k < theta k -> exists plan, In (k, ends_from w b E (n :: L) k + s k, plan) R')).
    { intros t' x R0 H1 H2 H3 H4 H5 H6.
      specialize (IH (E + b n / w) t' (upd T n x) R0 H1).
      destruct (phase1 w b theta s (E + b n / w) t' L (upd T n x) R0) as [[free T'] R'].
      destruct IH as (I1 & I2 & I3 & I4 & I5 & I6).
      assert (Tn : T' n = x) by (rewrite (I1 n Hn); apply upd_same).
      split; [|split; [|split; [|split; [|split]]]].
      - intros k Hk. simpl in Hk. rewrite I1 by tauto. apply upd_other. intros e; subst; tauto.
      - intros k Hk Hb. simpl. destruct (dec n k) as [e|ne].
        + subst k. rewrite Tn. auto.
        + destruct Hk as [e|Hk]; [congruence|auto].
      - intros k Hk Hb. simpl. destruct (dec n k) as [e|ne].
        + subst k. rewrite Tn. auto.
        + destruct Hk as [e|Hk]; [congruence|auto].
      - intros y Hy. destruct (I4 y Hy) as [H|[H G]].
        + destruct (H4 y H) as [G|[G1 G2]]; [auto|]. right. rewrite G1. simpl. auto.
        + right. simpl. auto.
      - auto.
      - intros k Hk Hb. simpl. destruct (dec n k) as [e|ne].
        + subst k. destruct (H6 Hb) as (plan & Hp). exists plan. auto.
        + destruct Hk as [e|Hk]; [congruence|auto]. }
    simpl phase1. destruct (lt_le (theta n) (b n)) as [Hlt|Hge]; [|destruct (lt_le (b n) (theta n)) as [Hgt|Hle]].
    + apply Step.
      * generalize (div_le w (theta n) (b n) Hw). lra.
      * intros; lra.
      * intros; lra.
      * auto.
      * auto.
      * intros; exfalso; lra.
    + apply Step.
      * lra.
      * intros; lra.
      * intros; lra.
      * intros y Hy. apply in_app_or in Hy. destruct Hy as [Hy|[Hy|[]]]; [auto|]. right. subst y. simpl. auto.
      * intros y Hy. apply in_or_app. auto.
      * intros _. eexists. apply in_or_app. right. left. reflexivity.
    + apply Step.
      * lra.
      * intros; lra.
      * intros; exfalso; lra.
      * auto.
      * auto.
      * intros; exfalso; lra.
Qed.

Lemma run_spec w b theta s L n : 0 < w -> NoDup L -> In n L -> 
  (b n == theta n -> run_cpu w b theta s L n <= ends_from w b 0 L n) /\
  (theta n < b n -> run_cpu w b theta s L n == ends_from w b 0 L n) /\
  (b n < theta n -> ends_from w b 0 L n + s n + (theta n - b n) / w <= run_cpu w b theta s L n).
Proof.
  intros Hw HL Hn. unfold run_cpu.
  generalize (phase1_spec w b theta s L Hw HL 0 0 (fun _ => 0) []).
  destruct (phase1 w b theta s 0 0 L (fun _ => 0) []) as [[free T] R]. intros H.
  destruct H as (I1 & I2 & I3 & I4 & I5 & I6); [lra|].
  assert (Out : theta n <= b n -> phase2 w b theta free R T n = T n).
  { intros H. apply phase2_other. intros x Hx e. destruct (I4 x Hx) as [[]|[_ G]]. rewrite e in G. lra. }
  split; [|split].
  - intros H. rewrite Out by lra. auto.
  - intros H. rewrite Out by lra. auto.
  - intros H. destruct (I6 n Hn H) as (plan & Hp). generalize (phase2_entry w b theta n _ plan R Hp free T). lra.
Qed.

Lemma run_other w b theta s L n : 0 < w -> NoDup L -> ~ In n L -> run_cpu w b theta s L n == 0.
Proof.
  intros Hw HL Hn. unfold run_cpu.
  generalize (phase1_spec w b theta s L Hw HL 0 0 (fun _ => 0) []).
  destruct (phase1 w b theta s 0 0 L (fun _ => 0) []) as [[free T] R]. intros H.
  destruct H as (I1 & I2 & I3 & I4 & I5 & I6); [lra|].
  rewrite phase2_other.
  - rewrite (I1 n Hn). lra.
  - intros x Hx e. destruct (I4 x Hx) as [[]|[G _]]. rewrite e in G. tauto.
Qed.

(* ---- sums ---- *)
Fixpoint sumE (w : num) (b : O -> num) (t : num) (L : list O) : num :=
  match L with [] => 0 | k :: L' => (t + b k / w) + sumE w b (t + b k / w) L' end.

Lemma sumE_eq w b L : NoDup L -> forall t, sum (map (ends_from w b t L) L) == sumE w b t L.
Proof.
  induction 1 as [|k L Hk HL IH]; intros t; [simpl; lra|].
  change (sum (map (ends_from w b t (k :: L)) (k :: L)))
    with (ends_from w b t (k :: L) k + sum (map (ends_from w b t (k :: L)) L)).
  assert (E1 : ends_from w b t (k :: L) k = t + b k / w) by (simpl; destruct (dec k k); congruence).
  assert (E2 : sum (map (ends_from w b t (k :: L)) L) = sum (map (ends_from w b (t + b k / w) L) L)).
  { f_equal. apply map_ext_in. intros n Hin. simpl. destruct (dec k n); [subst; tauto|reflexivity]. }
  rewrite E1, E2. simpl. specialize (IH (t + b k / w)). lra.
Qed.

Lemma sumE_shift w b b' L : (forall k, In k L -> b' k = b k) -> forall t t' D, t <= t' -> t' <= t + D ->
  sumE w b t L <= sumE w b' t' L /\ sumE w b' t' L <= sumE w b t L + ofnat (length L) * D.
Proof.
  induction L as [|k L IH]; intros H t t' D H1 H2; simpl; [lra|].
  rewrite (H k (or_introl eq_refl)).
  destruct (IH (fun j Hj => H j (or_intror Hj)) (t + b k / w) (t' + b k / w) D); lra.
Qed.

(* lengthening n from b n to y in the same list *)
Lemma sumE_upd w b n y L : 0 < w -> b n <= y -> NoDup L -> forall t,
  sumE w b t L <= sumE w (upd b n y) t L /\
  sumE w (upd b n y) t L <= sumE w b t L + ofnat (length L) * ((y - b n) / w).
Proof.
  intros Hw Hy. assert (D0 : 0 <= (y - b n) / w).
  { generalize (div_le w 0 (y - b n) Hw) (div_zero w). lra. }
  assert (Dm := div_minus w y (b n)).
  induction 1 as [|k L Hk HL IH]; intros t; simpl; [lra|].
  destruct (dec n k) as [e|ne].
  - subst k. rewrite upd_same.
    assert (Eq : forall k, In k L -> upd b n y k = b k) by (intros k Hin; apply upd_other; intros e; subst; tauto).
    destruct (sumE_shift w b (upd b n y) L Eq (t + b n / w) (t + y / w) ((y - b n) / w)); lra.
  - rewrite (upd_other b n y k ne). destruct (IH (t + b k / w)). lra.
Qed.

Lemma sumE_same w b n y L : ~ In n L -> forall t, sumE w (upd b n y) t L == sumE w b t L.
Proof.
  induction L as [|k L IH]; intros H t; simpl; [lra|]. simpl in H.
  rewrite (upd_other b n y k) by (intros e; subst; tauto).
  generalize (IH ltac:(tauto) (t + b k / w)). lra.
Qed.

(* n's CPU *)
Lemma nodup_parts {B : Type} (f : B -> list O) l1 m l2 n : NoDup (flat_map f (l1 ++ m :: l2)) -> In n (f m) ->
  (forall m', In m' (l1 ++ l2) -> ~ In n (f m')).
Proof.
  intros Hn Hi m' Hm' Hc. rewrite flat_map_app in Hn. simpl in Hn.
  apply in_split in Hi. destruct Hi as (a1 & a2 & E). rewrite E in Hn.
  rewrite <- app_assoc in Hn. simpl in Hn. rewrite app_assoc in Hn. apply NoDup_remove in Hn. destruct Hn as [_ Hn].
  apply Hn. apply in_app_or in Hm'. apply in_or_app. destruct Hm' as [H|H].
  - left. apply in_or_app. left. apply in_flat_map. exists m'. auto.
  - right. apply in_or_app. right. apply in_flat_map. exists m'. auto.
Qed.

Lemma nodup_app (l l' : list O) : NoDup (l ++ l') -> NoDup l /\ NoDup l'.
Proof.
  induction l as [|x l IH]; simpl; intros H; [split; [constructor|exact H]|].
  inversion H as [|y r H1 H2]; subst. destruct (IH H2) as [G1 G2]. split; [|exact G2].
  constructor; [|exact G1]. intros Hx. apply H1. apply in_or_app. auto.
Qed.

Lemma flat_map_nodup {B : Type} (f : B -> list O) l m : NoDup (flat_map f l) -> In m l -> NoDup (f m).
Proof.
  induction l as [|x l IH]; simpl; [tauto|]. intros H [e|Hi].
  - subst x. exact (proj1 (nodup_app _ _ H)).
  - apply IH; [|exact Hi]. exact (proj2 (nodup_app _ _ H)).
Qed.

Lemma some_cpu sg n : valid sg -> In n agents -> exists m, In m cpus /\ In n (sg m).
Proof.
  intros Hv Hn. apply (Permutation_in n (Permutation_sym Hv)) in Hn. apply in_flat_map in Hn. exact Hn.
Qed.

Lemma one_cpu sg n m : valid sg -> In m cpus -> In n (sg m) -> exists l1 l2, cpus = l1 ++ m :: l2 /\
  (forall m', In m' (l1 ++ l2) -> ~ In n (sg m')) /\
  forall f : CPU -> num, (forall m', In m' cpus -> ~ In n (sg m') -> f m' == 0) -> sum (map f cpus) == f m.
Proof.
  intros Hv Hm Hi. assert (Hd : NoDup (flat_map sg cpus)) by (apply (Permutation_NoDup (Permutation_sym Hv)); exact agents_nodup).
  apply in_split in Hm. destruct Hm as (l1 & l2 & E). exists l1, l2. rewrite E in Hd.
  assert (Ho := nodup_parts sg l1 m l2 n Hd Hi).
  split; [exact E|]. split; [exact Ho|].
  intros f Hf. rewrite E, map_app. simpl. 
  assert (Z : forall l, (forall m', In m' l -> In m' (l1 ++ l2)) -> sum (map f l) == 0).
  { induction l as [|x l IHl]; intros H; simpl; [lra|].
    assert (f x == 0).
    { apply Hf; [|apply Ho, H; left; reflexivity]. rewrite E. 
      assert (G := H x (or_introl eq_refl)). apply in_app_or in G. apply in_or_app. simpl. tauto. }
    assert (sum (map f l) == 0) by (apply IHl; intros m' Hm'; apply H; right; exact Hm'). lra. }
  generalize (sum_app (map f l1) (f m :: map f l2)). simpl.
  generalize (Z l1 (fun m' H => in_or_app _ _ _ (or_introl H))) (Z l2 (fun m' H => in_or_app _ _ _ (or_intror H))). lra.
Qed.

Lemma sum_zero_out L : forall (f : O -> num) M, NoDup L -> NoDup M -> incl L M -> (forall n, ~ In n L -> f n == 0) ->
  sum (map f M) == sum (map f L).
Proof.
  induction L as [|k L IH]; intros f M HL HM Hi Hz.
  - simpl. clear HM Hi. induction M as [|n M IHM]; simpl; [lra|]. generalize (Hz n (fun x => x)). lra.
  - inversion HL as [|k' L' Hk HL']; subst.
    destruct (in_split k M (Hi k (or_introl eq_refl))) as (M1 & M2 & E). subst M.
    apply NoDup_remove in HM. destruct HM as [HM Hk2].
    set (g := fun n => if dec n k then 0 else f n).
    assert (G : sum (map g (M1 ++ M2)) == sum (map g L)).
    { apply IH; auto.
      - intros n Hn. assert (H := Hi n (or_intror Hn)). apply in_app_or in H. apply in_or_app. simpl in H.
        destruct H as [H|[H|H]]; auto. subst; tauto.
      - intros n Hn. unfold g. destruct (dec n k); [lra|]. apply Hz. simpl. intros [H|H]; [congruence|tauto]. }
    assert (Gf : forall M, ~ In k M -> map g M = map f M).
    { intros M H. apply map_ext_in. intros n Hn. unfold g. destruct (dec n k); [subst; tauto|reflexivity]. }
    rewrite (Gf _ Hk2), (Gf _ Hk) in G. rewrite map_app in *. simpl.
    generalize (sum_app (map f M1) (f k :: map f M2)) (sum_app (map f M1) (map f M2)). simpl. lra.
Qed.

Lemma sum_swap2 {X Y : Type} (f : X -> Y -> num) L M :
  sum (map (fun a => sum (map (fun l => f a l) M)) L) == sum (map (fun l => sum (map (fun a => f a l) L)) M).
Proof.
  induction L as [|a L IH]; simpl.
  - induction M as [|l M IH]; simpl; lra.
  - assert (E : forall M, sum (map (fun l => f a l + sum (map (fun b => f b l) L)) M)
                == sum (map (fun l => f a l) M) + sum (map (fun l => sum (map (fun b => f b l) L)) M)).
    { clear. induction M as [|m M IH]; simpl; lra. }
    specialize (E M). lra.
Qed.

Lemma sum_eq_in {X : Type} (f g : X -> num) os : (forall b, In b os -> f b == g b) -> sum (map f os) == sum (map g os).
Proof.
  intros H; induction os as [|b os IH]; simpl; [lra|].
  assert (f b == g b) by (apply H; left; reflexivity).
  assert (sum (map f os) == sum (map g os)) by (apply IH; intros c' Hc; apply H; right; exact Hc). lra.
Qed.

Lemma total_ends_eq sg b : valid sg -> total_ends sg b == sum (map (fun m => sumE (c m) b 0 (sg m)) cpus).
Proof.
  intros Hv. unfold total_ends, planned.
  assert (Hd : NoDup (flat_map sg cpus)) by (apply (Permutation_NoDup (Permutation_sym Hv)); exact agents_nodup).
  assert (Sw := sum_swap2 (fun n m => ends_from (c m) b 0 (sg m) n) agents cpus). simpl in Sw.
  assert (E : sum (map (fun m => sum (map (fun n => ends_from (c m) b 0 (sg m) n) agents)) cpus)
              == sum (map (fun m => sumE (c m) b 0 (sg m)) cpus)); [|lra].
  apply sum_eq_in. intros m Hm.
  assert (Hdm := flat_map_nodup sg cpus m Hd Hm).
  assert (E1 := sumE_eq (c m) b (sg m) Hdm 0).
  assert (E2 : sum (map (fun n => ends_from (c m) b 0 (sg m) n) agents) == sum (map (ends_from (c m) b 0 (sg m)) (sg m))); [|lra].
  apply sum_zero_out; auto.
  - intros n Hn. apply (Permutation_in n Hv). apply in_flat_map. exists m. auto.
  - intros n Hn. rewrite ends_other_cpu by exact Hn. lra.
Qed.

Lemma length_le sg m : valid sg -> In m cpus -> (length (sg m) <= length agents)%nat.
Proof.
  intros Hv Hm. rewrite <- (Permutation_length Hv). apply in_split in Hm. destruct Hm as (l1 & l2 & E).
  rewrite E, flat_map_app. simpl. rewrite !app_length. lia.
Qed.

(* the sum of ends when n is longer, in the same schedule *)
Lemma total_upd sg b n y m : valid sg -> In m cpus -> In n (sg m) -> b n <= y ->
    total_ends sg b <= total_ends sg (upd b n y) /\
    total_ends sg (upd b n y) <= total_ends sg b + ofnat (length agents) * ((y - b n) / c m).
Proof.
  intros Hv Hm Hi Hy. assert (Hd : NoDup (flat_map sg cpus)) by (apply (Permutation_NoDup (Permutation_sym Hv)); exact agents_nodup).
  destruct (one_cpu sg n m Hv Hm Hi) as (l1 & l2 & E & Ho & _).
  assert (T1 := total_ends_eq sg b Hv). assert (T2 := total_ends_eq sg (upd b n y) Hv).
  rewrite E, !map_app in T1, T2. simpl in T1, T2.
  assert (S1 := sum_app (map (fun m => sumE (c m) b 0 (sg m)) l1) (sumE (c m) b 0 (sg m) :: map (fun m => sumE (c m) b 0 (sg m)) l2)).
  assert (S2 := sum_app (map (fun m => sumE (c m) (upd b n y) 0 (sg m)) l1) (sumE (c m) (upd b n y) 0 (sg m) :: map (fun m => sumE (c m) (upd b n y) 0 (sg m)) l2)).
  simpl in S1, S2.
  assert (Z : forall l, (forall m', In m' l -> In m' (l1 ++ l2)) ->
     sum (map (fun m => sumE (c m) (upd b n y) 0 (sg m)) l) == sum (map (fun m => sumE (c m) b 0 (sg m)) l)).
  { intros l H. apply sum_eq_in. intros m' Hm'. apply sumE_same. apply Ho, H, Hm'. }
  assert (Z1 := Z l1 (fun m' H => in_or_app _ _ _ (or_introl H))). assert (Z2 := Z l2 (fun m' H => in_or_app _ _ _ (or_intror H))).
  destruct (sumE_upd (c m) b n y (sg m) (c_pos m) Hy (flat_map_nodup sg cpus m Hd Hm) 0) as [U1 U2].
  assert (D0 : 0 <= (y - b n) / c m).
  { generalize (div_le (c m) 0 (y - b n) (c_pos m)) (div_zero (c m)). lra. }
  assert (Le := ofnat_le _ _ (length_le sg m Hv Hm)).
  assert (M := mul_le _ _ _ D0 Le). split; lra.
Qed.

(* what the run does to n *)
Lemma output_spec sg b theta s n m : valid sg -> In m cpus -> In n (sg m) ->
  (b n == theta n -> output sg b theta s n <= planned sg b n) /\
  (theta n < b n -> output sg b theta s n == planned sg b n) /\
  (b n < theta n -> planned sg b n + s n + (theta n - b n) / c m <= output sg b theta s n).
Proof.
  intros Hv Hm Hi. assert (Hd : NoDup (flat_map sg cpus)) by (apply (Permutation_NoDup (Permutation_sym Hv)); exact agents_nodup).
  destruct (one_cpu sg n m Hv Hm Hi) as (l1 & l2 & E & Ho & Hf).
  assert (E1 : planned sg b n == ends_from (c m) b 0 (sg m) n).
  { unfold planned. apply Hf. intros m' _ H. rewrite ends_other_cpu by exact H. lra. }
  assert (E2 : output sg b theta s n == run_cpu (c m) b theta s (sg m) n).
  { unfold output. apply Hf. intros m' Hm' H. apply run_other; auto. apply (flat_map_nodup sg cpus m' Hd Hm'). }
  destruct (run_spec (c m) b theta s (sg m) n (c_pos m) (flat_map_nodup sg cpus m Hd Hm) Hi) as (R1 & R2 & R3).
  split; [|split]; intros H.
  - specialize (R1 H). lra.
  - specialize (R2 H). lra.
  - specialize (R3 H). lra.
Qed.

Hypothesis A_valid : forall b, valid (A b).
Hypothesis A_best : forall b sg, valid sg -> total_ends (A b) b <= total_ends sg b.

Lemma n_pos (l : list O) n : In n l -> 1 <= ofnat (length l).
Proof. destruct l as [|x l]; simpl; [tauto|]. intros _. generalize (ofnat_nonneg (length l)). lra. Qed.

(* payments balance, for every declaration *)
Theorem balanced b : agents <> [] -> sum (map (payment b) agents) == 0.
Proof.
  intros Hne. assert (Hn : 1 <= ofnat (length agents)).
  { destruct agents as [|a l] eqn:E; [congruence|]. apply (n_pos (a :: l) a). left. reflexivity. }
  unfold payment, S_. set (T := total_ends (A b) b). set (N := ofnat (length agents)) in *.
  assert (G : forall L, sum (map (fun n => T / N - planned (A b) b n) L) == ofnat (length L) * (T / N) - sum (map (planned (A b) b) L)).
  { induction L as [|n L IH]; simpl; lra. }
  specialize (G agents). fold N in G. fold (total_ends (A b) b) in G. fold T in G.
  assert (F : N * (T / N) == T) by (field; lra). lra.
Qed.

(* truth is dominant: whatever the others declare and are, whatever n declares *)
Theorem truth_dominant (n : O) (b theta : O -> num) : In n agents -> ~ (b n == theta n) ->
  loss (upd b n (theta n)) theta n <= loss b theta n.
Proof.
  intros Hn Hlie. set (b' := upd b n (theta n)).
  assert (N1 := n_pos agents n Hn). set (N := ofnat (length agents)) in *.
  assert (b'n : b' n = theta n) by apply upd_same.
  assert (Truth : loss b' theta n <= S_ b' / N).
  { unfold loss, payment. fold N. destruct (some_cpu (A b') n (A_valid b') Hn) as (m & Hm & Hi).
    destruct (output_spec (A b') b' theta (slack b') n m (A_valid b') Hm Hi) as (H & _).
    assert (E : b' n == theta n) by (rewrite b'n; lra). specialize (H E). lra. }
  destruct (some_cpu (A b) n (A_valid b) Hn) as (m & Hm & Hi).
  destruct (output_spec (A b) b theta (slack b) n m (A_valid b) Hm Hi) as (H1 & H2 & H3).
  assert (Sl := slack_nonneg b n).
  assert (Div : forall x y : num, x <= y -> x / N <= y / N) by (intros x y; apply div_le; lra).
  destruct (lt_le (theta n) (b n)) as [Hlt|Hge].
  - (* overstating: S b' <= S b. Lengthening n from theta n to b n *)
    specialize (H2 Hlt).
    assert (G : S_ b' <= S_ b).
    { unfold S_. destruct (total_upd (A b) b' n (b n) m (A_valid b) Hm Hi) as [G1 _]; [rewrite b'n; lra|].
      assert (G2 := A_best b' (A b) (A_valid b)).
      assert (G3 : total_ends (A b) (upd b' n (b n)) == total_ends (A b) b).
      { assert (X := total_ends_eq (A b) (upd b' n (b n)) (A_valid b)). assert (Y := total_ends_eq (A b) b (A_valid b)).
        assert (Z : sum (map (fun m => sumE (c m) (upd b' n (b n)) 0 (A b m)) cpus) == sum (map (fun m => sumE (c m) b 0 (A b m)) cpus)).
        { apply sum_eq_in. intros m' _. destruct (sumE_shift (c m') b (upd b' n (b n)) (A b m')) with (t := 0) (t' := 0) (D := 0) as [Z1 Z2]; try lra.
          intros k _. unfold b', upd. destruct (dec k n); [subst; reflexivity|reflexivity]. }
        lra. }
      lra. }
    specialize (Div _ _ G). unfold loss at 2. unfold payment. fold N. lra.
  - destruct (lt_le (b n) (theta n)) as [Hgt|Hle].
    + (* understating: S b' <= S b + N (theta n - b n) / c_m *)
      specialize (H3 Hgt).
      assert (G : S_ b' <= S_ b + N * ((theta n - b n) / c m)).
      { unfold S_. destruct (total_upd (A b) b n (theta n) m (A_valid b) Hm Hi Hge) as [_ G1].
        assert (G2 := A_best b' (A b) (A_valid b)). fold b' N in G1. lra. }
      assert (G2 := Div _ _ G).
      assert (G3 : (S_ b + N * ((theta n - b n) / c m)) / N == S_ b / N + (theta n - b n) / c m).
      { field. split; [generalize (c_pos m); lra|lra]. }
      unfold loss at 2. unfold payment. fold N. lra.
    + exfalso. apply Hlie. lra.
Qed.
End Pay.
Check balanced.
Check truth_dominant.
Print Assumptions balanced.
Print Assumptions truth_dominant.
