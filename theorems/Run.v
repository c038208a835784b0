(* The run of a declaration mechanism whose job control postpones.

   N agents have one job each. They declare lengths b, the true lengths are theta. A schedule (an ordered list of
   jobs for each CPU) is chosen from b alone and every CPU runs its list without idle time. A job that ends earlier
   than declared leaves no gap, but its output is withheld until its planned end. A job still alive when its
   declared length is over is stopped; what remains of it runs behind the CPU's other jobs, after a wait that the
   mechanism chose. The definitions follow the operational semantics in the documentation line by line and stand
   first.

   The table that everything else uses (output_truthful, output_overstated, output_understated): a truthful agent
   gets her output when those before her have really worked, so never later than planned; an overstated one as
   planned; an understated one after the planned end and the wait, and also after the CPU's other jobs, by the
   missing work. Its proof follows the list: the clock moves by min(b, theta) per job, later jobs touch neither the
   output of n nor her remainder in the queue, and the remainders only raise outputs. *)
From Coq Require Import List Lia Permutation.
Require Import Numbers Game.
Import ListNotations.

Section Run.
Context {O CPU : Type}.                          (* agents with one job each; processors *)
Variable dec : forall a b : O, {a = b} + {a <> b}.

(* ================= DEFINITIONS ================= *)
Definition update (f : O -> num) (n : O) (x : num) : O -> num := fun k => if dec k n then x else f k.

(* end of n's job on a CPU of power w that starts at t and runs the list L, jobs having the lengths x *)
Fixpoint ends_from (w : num) (x : O -> num) (t : num) (L : list O) (n : O) : num :=
  match L with
  | [] => 0
  | k :: L' => if dec k n then t + x k / w else ends_from w x (t + x k / w) L' n
  end.

Record remainder := Remainder { whose : O; release : num; behind : num }.
Record state := State { clock : num; outputs : O -> num; postponed : list remainder }.

Section OneCPU.
Variables (w : num) (b theta wait : O -> num).   (* power; declared and true lengths; waits before remainders *)
Variable plan : O -> num.                        (* planned ends *)

(* the first segment of n's job; outputs are the planned ends until something else is known *)
Definition first_segment (n : O) (later : list O) (st : state) : state :=
  let e := clock st + b n / w in
  if lt_le (theta n) (b n) then                  (* ends before e *)
    State (clock st + theta n / w) (outputs st) (postponed st)
  else if lt_le (b n) (theta n) then             (* alive at e: stopped, the remainder is queued *)
    State e (outputs st) (postponed st ++ [Remainder n (plan n + wait n) (e + sum (map b later) / w)])
  else                                           (* ends at e *)
    State e (update (outputs st) n e) (postponed st).

Fixpoint first_segments (L : list O) (st : state) : state :=
  match L with
  | [] => st
  | n :: L' => first_segments L' (first_segment n L' st)
  end.

(* the remainders, in the order in which they were queued; the CPU is free at `free` *)
Fixpoint remainders (free : num) (R : list remainder) (T : O -> num) : O -> num :=
  match R with
  | [] => T
  | r :: R' =>
      let n := whose r in
      let start := nmax (release r) (nmax (behind r) free) in
      let free' := start + (theta n - b n) / w in
      remainders free' R' (update T n (nmax (T n) free'))
  end.
End OneCPU.

(* output times of the jobs in the list L of a CPU; 0 for the others *)
Definition run_cpu (w : num) (b theta wait : O -> num) (L : list O) : O -> num :=
  let plan := ends_from w b 0 L in
  let st := first_segments w b theta wait plan L (State 0 plan []) in
  remainders w b theta (clock st) (postponed st) (outputs st).

Section Mechanism.
Variable agents : list O.
Variable cpus : list CPU.
Variable c : CPU -> num.                         (* powers *)

Definition schedule := CPU -> list O.
Definition valid (sg : schedule) : Prop := Permutation (flat_map sg cpus) agents.

(* planned end and output of n: a sum over the CPUs, 0 on those that do not have n's job *)
Definition planned (sg : schedule) (b : O -> num) (n : O) : num :=
  sum (map (fun m => ends_from (c m) b 0 (sg m) n) cpus).
Definition output (sg : schedule) (b theta wait : O -> num) (n : O) : num :=
  sum (map (fun m => run_cpu (c m) b theta wait (sg m) n) cpus).

(* A mechanism: a schedule, waits and payments, all known from the declarations. What n loses: U_n = V_n - loss. *)
Variable A : (O -> num) -> schedule.
Variable wait : (O -> num) -> O -> num.
Variable payment : (O -> num) -> O -> num.

Definition loss (b theta : O -> num) (n : O) : num := output (A b) b theta (wait b) n + payment b n.

(* n's truth is as good as every other declaration, whatever the others declare and whatever their jobs need *)
Definition truth_dominant : Prop := forall n b theta, In n agents -> (forall k, 0 <= b k) -> (forall k, 0 <= theta k) ->
  ~ b n == theta n -> loss (update b n (theta n)) theta n <= loss b theta n.

(* the same when all others declare the truth *)
Definition truth_best_ex_post : Prop := forall n b theta, In n agents -> (forall k, 0 <= b k) ->
  (forall k, 0 <= theta k) -> (forall k, k <> n -> b k = theta k) ->
  ~ b n == theta n -> loss (update b n (theta n)) theta n <= loss b theta n.

Definition total_ends (sg : schedule) (b : O -> num) : num := sum (map (planned sg b) agents).
Definition balanced : Prop := forall b, (forall k, 0 <= b k) -> sum (map (payment b) agents) == 0.
End Mechanism.

(* ================= LISTS AND SUMS ================= *)
Lemma update_same f n x : update f n x n = x.
Proof. unfold update. destruct (dec n n); congruence. Qed.

Lemma update_other f n x k : k <> n -> update f n x k = f k.
Proof. unfold update. destruct (dec k n); congruence. Qed.

Lemma update_nonneg f n x : (forall k, 0 <= f k) -> 0 <= x -> forall k, 0 <= update f n x k.
Proof. intros Hf Hx k. unfold update. destruct (dec k n); auto. Qed.

Lemma div_nonneg w x : 0 < w -> 0 <= x -> 0 <= x / w.
Proof. intros Hw Hx. generalize (div_le w 0 x Hw Hx) (div_zero w). lra. Qed.

Lemma div_plus (w x y : num) : 0 < w -> (x + y) / w == x / w + y / w.
Proof. intros Hw. field. lra. Qed.

Lemma nmax_left x y : x <= nmax x y.
Proof. apply (nmax_le x y (nmax x y)). lra. Qed.

Lemma nmax_right x y : y <= nmax x y.
Proof. apply (nmax_le x y (nmax x y)). lra. Qed.

Lemma sum_nonneg_in {X : Type} (f : X -> num) L : (forall x, In x L -> 0 <= f x) -> 0 <= sum (map f L).
Proof.
  induction L as [|x L IH]; simpl; intros H; [lra|].
  assert (0 <= f x) by (apply H; auto). assert (0 <= sum (map f L)) by (apply IH; auto). lra.
Qed.

Lemma sum_flat_map {X Y : Type} (f : Y -> num) (g : X -> list Y) L :
  sum (map f (flat_map g L)) == sum (map (fun x => sum (map f (g x))) L).
Proof.
  induction L as [|x L IH]; simpl; [lra|].
  rewrite map_app. generalize (sum_app (map f (g x)) (map f (flat_map g L))). lra.
Qed.

Lemma sum_permuted {X : Type} (f : X -> num) L M : Permutation L M -> sum (map f L) == sum (map f M).
Proof. intros H. apply sum_perm, Permutation_map, H. Qed.

Lemma nodup_app {X : Type} (L M : list X) : NoDup (L ++ M) -> NoDup L /\ NoDup M /\ (forall x, In x L -> ~ In x M).
Proof.
  induction L as [|x L IH]; simpl; intros H; [repeat split; [constructor|exact H|tauto]|].
  inversion H as [|y r H1 H2]; subst. destruct (IH H2) as (G1 & G2 & G3). rewrite in_app_iff in H1.
  split; [constructor; tauto|]. split; [exact G2|]. intros y [e|Hy]; [subst; tauto|auto].
Qed.

(* dividing by a faster power *)
Lemma div_faster (x v w : num) : 0 <= x -> 0 < v -> v <= w -> x / w <= x / v.
Proof.
  intros Hx Hv Hw. assert (P : v * (x / v) == x) by (field; lra). assert (Q : w * (x / w) == x) by (field; lra).
  assert (G := mul_le (x / w) v w (div_nonneg w x ltac:(lra) Hx) Hw). apply (mul_cancel v); [exact Hv|lra].
Qed.

(* a sum of which one term changes *)
Lemma sum_one_change (f g : O -> num) n L : NoDup L -> In n L -> (forall k, k <> n -> g k == f k) ->
  sum (map g L) == sum (map f L) + (g n - f n).
Proof.
  induction 1 as [|k L Hk HL IH]; simpl; [tauto|]. intros Hn H. destruct (dec k n) as [e|ne].
  - subst k. assert (sum (map g L) == sum (map f L)); [|lra].
    apply sum_map_eq_in. intros j Hj. apply H. intros e. subst. tauto.
  - destruct Hn as [e|Hn]; [tauto|]. generalize (IH Hn H) (H k ne). lra.
Qed.

(* the jobs behind n in a list *)
Fixpoint after (n : O) (L : list O) : list O :=
  match L with
  | [] => []
  | k :: L' => if dec k n then L' else after n L'
  end.

Lemma ends_from_outside w x t L n : ~ In n L -> ends_from w x t L n = 0.
Proof.
  revert t; induction L as [|k L IH]; intros t H; simpl in *; [reflexivity|].
  destruct (dec k n); [tauto|]. apply IH. tauto.
Qed.

Lemma ends_from_le w x y L n : 0 < w -> (forall k, In k L -> x k <= y k) ->
  forall t u, t <= u -> ends_from w x t L n <= ends_from w y u L n.
Proof.
  intros Hw. induction L as [|k L IH]; intros H t u Htu; simpl; [lra|].
  assert (D := div_le w _ _ Hw (H k (or_introl eq_refl))).
  destruct (dec k n); [lra|]. apply IH; [intros j Hj; apply H; right; exact Hj|lra].
Qed.

(* ================= ONE CPU ================= *)
Section Table.
Variables (w : num) (b theta wt plan : O -> num).
Notation first_segment := (first_segment w b theta wt plan).
Notation first_segments := (first_segments w b theta wt plan).
Notation remainders := (remainders w b theta).

(* what n's first segment works: min (b n) (theta n) *)
Definition worked (k : O) : num := if lt_le (theta k) (b k) then theta k else b k.

Lemma worked_le k : worked k <= b k.
Proof. unfold worked. destruct (lt_le (theta k) (b k)); lra. Qed.

Lemma clock_first n later st : clock (first_segment n later st) = clock st + worked n / w.
Proof. unfold Run.first_segment, worked. destruct lt_le; [reflexivity|]. destruct lt_le; reflexivity. Qed.

Lemma outputs_outside L n : ~ In n L -> forall st, outputs (first_segments L st) n = outputs st n.
Proof.
  induction L as [|k L IH]; intros H st; simpl in *; [reflexivity|]. rewrite IH by tauto.
  unfold Run.first_segment. destruct lt_le; [reflexivity|]. destruct lt_le; [reflexivity|].
  simpl. apply update_other. intuition congruence.
Qed.

Lemma outputs_truthful L n : NoDup L -> In n L -> b n == theta n ->
  forall st, outputs (first_segments L st) n = ends_from w worked (clock st) L n.
Proof.
  intros Hd Hn Hb. induction Hd as [|k L Hk Hd IH]; intros st; simpl in *; [tauto|]. destruct (dec k n) as [e|ne].
  - subst k. rewrite outputs_outside by exact Hk. unfold Run.first_segment, worked.
    destruct lt_le; [exfalso; lra|]. destruct lt_le; [exfalso; lra|]. simpl. apply update_same.
  - rewrite <- clock_first with (later := L). apply IH. tauto.
Qed.

(* the output of an agent who lied stays what it was *)
Lemma outputs_untruthful L n : ~ b n == theta n -> forall st, outputs (first_segments L st) n = outputs st n.
Proof.
  intros Hb. induction L as [|k L IH]; intros st; simpl; [reflexivity|]. rewrite IH.
  unfold Run.first_segment. destruct lt_le; [reflexivity|]. destruct lt_le; [reflexivity|].
  simpl. apply update_other. intros e. subst k. apply Hb. lra.
Qed.

Lemma postponed_stay L r : forall st, In r (postponed st) -> In r (postponed (first_segments L st)).
Proof.
  induction L as [|k L IH]; intros st H; simpl; [exact H|]. apply IH.
  unfold Run.first_segment. destruct lt_le; [exact H|]. destruct lt_le; [|exact H]. apply in_or_app. auto.
Qed.

Lemma postponed_from L r : forall st, In r (postponed (first_segments L st)) ->
  In r (postponed st) \/ (In (whose r) L /\ b (whose r) < theta (whose r)).
Proof.
  induction L as [|k L IH]; intros st H; simpl in *; [auto|]. destruct (IH _ H) as [G|[G1 G2]]; [|auto].
  unfold Run.first_segment in G. destruct lt_le; [auto|]. destruct lt_le; [|auto].
  apply in_app_or in G. destruct G as [G|[G|[]]]; [auto|]. subst r. auto.
Qed.

Lemma postponed_in L n : NoDup L -> In n L -> b n < theta n -> forall st,
  In (Remainder n (plan n + wt n) (ends_from w worked (clock st) L n + sum (map b (after n L)) / w))
    (postponed (first_segments L st)).
Proof.
  intros Hd Hn Hb. induction Hd as [|k L Hk Hd IH]; intros st; simpl in *; [tauto|]. destruct (dec k n) as [e|ne].
  - subst k. apply postponed_stay. unfold Run.first_segment, worked. destruct lt_le; [exfalso; lra|].
    destruct lt_le; [|exfalso; lra]. apply in_or_app. right. left. reflexivity.
  - rewrite <- clock_first with (later := L). apply IH. tauto.
Qed.

Lemma remainders_outside n R : (forall r, In r R -> whose r <> n) -> forall free T, remainders free R T n = T n.
Proof.
  induction R as [|r R IH]; intros H free T; simpl; [reflexivity|].
  rewrite IH by (intros x Hx; apply H; right; exact Hx).
  apply update_other. intros e. apply (H r (or_introl eq_refl)). auto.
Qed.

Lemma remainders_increase n R : forall free T, T n <= remainders free R T n.
Proof.
  induction R as [|r R IH]; intros free T; simpl; [lra|].
  match goal with |- _ <= Run.remainders _ _ _ ?f _ ?T' _ => generalize (IH f T') end.
  unfold update at 1. destruct (dec n (whose r)) as [e|ne]; [|lra]. rewrite <- e.
  match goal with |- nmax (T n) ?x <= _ -> _ => generalize (nmax_left (T n) x) end. lra.
Qed.

Lemma remainders_after r R : In r R -> forall free T,
  release r + (theta (whose r) - b (whose r)) / w <= remainders free R T (whose r) /\
  behind r + (theta (whose r) - b (whose r)) / w <= remainders free R T (whose r).
Proof.
  induction R as [|r' R IH]; simpl; [tauto|]. intros [e|H] free T; [|apply IH; exact H]. subst r'. set (n := whose r).
  set (start := nmax (release r) (nmax (behind r) free)).
  assert (L1 := nmax_left (release r) (nmax (behind r) free)). fold start in L1.
  assert (L2 := nmax_right (release r) (nmax (behind r) free)). fold start in L2.
  assert (L3 := nmax_left (behind r) free).
  assert (L4 := nmax_right (T n) (start + (theta n - b n) / w)).
  assert (L5 := remainders_increase n R (start + (theta n - b n) / w)
                  (update T n (nmax (T n) (start + (theta n - b n) / w)))).
  rewrite update_same in L5. split; lra.
Qed.
End Table.

Section TableOfRun.
Variables (w : num) (b theta wt : O -> num) (L : list O) (n : O).
Hypothesis L_nodup : NoDup L.
Notation T := (run_cpu w b theta wt L).

(* without a remainder of n in the queue *)
Lemma run_first_segment : ~ (In n L /\ b n < theta n) ->
  T n = outputs (first_segments w b theta wt (ends_from w b 0 L) L (State 0 (ends_from w b 0 L) [])) n.
Proof.
  intros H. apply remainders_outside. intros r Hr e.
  destruct (postponed_from _ _ _ _ _ _ _ _ Hr) as [[]|G]. rewrite e in G. tauto.
Qed.

Lemma run_truthful : In n L -> b n == theta n -> T n = ends_from w (worked b theta) 0 L n.
Proof.
  intros Hn Hb. rewrite run_first_segment; [|intros [_ G]; lra]. apply outputs_truthful; assumption.
Qed.

Lemma run_overstated : theta n < b n -> T n = ends_from w b 0 L n.
Proof.
  intros Hb. rewrite run_first_segment; [|intros [_ G]; lra].
  apply (outputs_untruthful w b theta wt (ends_from w b 0 L) L n); lra.
Qed.

Lemma run_understated : In n L -> b n < theta n ->
  ends_from w b 0 L n + wt n + (theta n - b n) / w <= T n /\
  ends_from w (worked b theta) 0 L n + sum (map b (after n L)) / w + (theta n - b n) / w <= T n.
Proof.
  intros Hn Hb.
  exact (remainders_after w b theta _ _ (postponed_in w b theta wt (ends_from w b 0 L) L n L_nodup Hn Hb (State 0 _ []))
           _ _).
Qed.

Lemma run_outside : ~ In n L -> T n = 0.
Proof.
  intros Hn. rewrite run_first_segment by tauto. rewrite outputs_outside by exact Hn.
  apply (ends_from_outside w b 0 L n Hn).
Qed.
End TableOfRun.

(* ================= ALL CPUS ================= *)
Section Schedule.
Variable agents : list O.
Variable cpus : list CPU.
Variable c : CPU -> num.
Hypothesis agents_nodup : NoDup agents.
Variable sg : CPU -> list O.
Hypothesis sg_valid : valid agents cpus sg.
Notation planned := (planned cpus c).
Notation output := (output cpus c).

Lemma jobs_nodup : NoDup (flat_map sg cpus).
Proof. apply (Permutation_NoDup (Permutation_sym sg_valid)), agents_nodup. Qed.

Lemma list_nodup m : In m cpus -> NoDup (sg m).
Proof.
  generalize jobs_nodup. clear sg_valid c. induction cpus as [|x l IH]; simpl; [tauto|]. intros H [e|Hm].
  - subst x. apply (nodup_app _ _ H).
  - apply IH; [|exact Hm]. apply (nodup_app _ _ H).
Qed.

Lemma some_cpu n : In n agents -> exists m, In m cpus /\ In n (sg m).
Proof. intros Hn. apply in_flat_map, (Permutation_in n (Permutation_sym sg_valid)), Hn. Qed.

Lemma scheduled n m : In m cpus -> In n (sg m) -> In n agents.
Proof. intros Hm Hn. apply (Permutation_in n sg_valid), in_flat_map. exists m. auto. Qed.

(* a sum over the CPUs to which only n's own contributes *)
Lemma sum_own_cpu (f : CPU -> num) n m : In m cpus -> In n (sg m) -> (forall m', ~ In n (sg m') -> f m' == 0) ->
  sum (map f cpus) == f m.
Proof.
  intros Hm Hn Hf. generalize jobs_nodup. clear sg_valid c. induction cpus as [|x l IH]; simpl in *; [tauto|].
  intros Hd. destruct (nodup_app _ _ Hd) as (D1 & D2 & D3). destruct Hm as [e|Hm].
  - subst x. assert (Z : sum (map f l) == 0); [|lra].
    apply sum_zero. intros m' Hm'. apply Hf. intros Hi. apply (D3 n Hn). apply in_flat_map. exists m'. auto.
  - assert (f x == 0); [|specialize (IH Hm D2); lra].
    apply Hf. intros Hi. apply (D3 n Hi). apply in_flat_map. exists m. auto.
Qed.

Section Own.
Variables (n : O) (m : CPU).
Hypothesis Hm : In m cpus.
Hypothesis Hn : In n (sg m).

Lemma planned_own b : planned sg b n == ends_from (c m) b 0 (sg m) n.
Proof.
  apply (sum_own_cpu (fun m => ends_from (c m) b 0 (sg m) n) n m Hm Hn).
  intros m' H. rewrite ends_from_outside by exact H. lra.
Qed.

Lemma output_own b theta wt : output sg b theta wt n == run_cpu (c m) b theta wt (sg m) n.
Proof.
  apply (sum_own_cpu (fun m => run_cpu (c m) b theta wt (sg m) n) n m Hm Hn).
  intros m' H. rewrite run_outside by exact H. lra.
Qed.

Variables b theta wt : O -> num.

Lemma output_truthful : b n == theta n -> output sg b theta wt n == ends_from (c m) (worked b theta) 0 (sg m) n.
Proof.
  intros Hb. generalize (output_own b theta wt).
  rewrite (run_truthful (c m) b theta wt (sg m) n (list_nodup m Hm) Hn Hb). lra.
Qed.

Lemma output_overstated : theta n < b n -> output sg b theta wt n == planned sg b n.
Proof.
  intros Hb. generalize (output_own b theta wt) (planned_own b).
  rewrite (run_overstated (c m) b theta wt (sg m) n Hb). lra.
Qed.

Lemma output_understated : b n < theta n ->
  planned sg b n + wt n + (theta n - b n) / c m <= output sg b theta wt n /\
  ends_from (c m) (worked b theta) 0 (sg m) n + sum (map b (after n (sg m))) / c m + (theta n - b n) / c m
    <= output sg b theta wt n.
Proof.
  intros Hb. generalize (output_own b theta wt) (planned_own b).
  destruct (run_understated (c m) b theta wt (sg m) n (list_nodup m Hm) Hn Hb). split; lra.
Qed.

Lemma output_not_late : 0 < c m -> b n == theta n -> output sg b theta wt n <= planned sg b n.
Proof.
  intros Hc Hb. generalize (planned_own b) (output_truthful Hb).
  assert (G := ends_from_le (c m) (worked b theta) b (sg m) n Hc (fun k _ => worked_le b theta k) 0 0). lra.
Qed.
End Own.
End Schedule.
End Run.
