(* The run of a declaration mechanism whose job control postpones.

   N agents have one job each. They declare lengths b, the true lengths are theta. A schedule (an ordered list of
   jobs for each CPU) is chosen from b alone and every CPU runs its list without idle time. A job that ends earlier
   than declared leaves no gap, but its output is withheld until its planned end. A job still alive when its
   declared length is over is stopped; what remains of it runs behind the CPU's other jobs, after a wait that the
   mechanism chose. The definition follows the operational semantics in the documentation line by line and stands
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

(* ================= DEFINITION ================= *)
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

(* A mechanism: a schedule, waits and payments, all known from the declarations. What n loses: time and money. *)
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
Lemma div_pos w x : 0 < w -> 0 < x -> 0 < x / w.
Proof.
  intros Hw Hx. assert (E : w * (x / w) == x) by (field; lra).
  destruct (lt_le 0 (x / w)) as [?|G]; [assumption|]. generalize (mul_le w _ _ ltac:(lra) G). lra.
Qed.
Lemma div_plus (w x y : num) : 0 < w -> (x + y) / w == x / w + y / w.
Proof. intros Hw. field. lra. Qed.

(* dividing by a faster power *)
Lemma div_faster (x v w : num) : 0 <= x -> 0 < v -> v <= w -> x / w <= x / v.
Proof.
  intros Hx Hv Hw. assert (P : v * (x / v) == x) by (field; lra). assert (Q : w * (x / w) == x) by (field; lra).
  assert (G := mul_le (x / w) v w (div_nonneg w x ltac:(lra) Hx) Hw). apply (mul_cancel v); [exact Hv|lra].
Qed.
Lemma nmax_ge x y : x <= nmax x y /\ y <= nmax x y.
Proof. apply (nmax_le x y (nmax x y)). lra. Qed.
Lemma sum_permuted {X : Type} (f : X -> num) L M : Permutation L M -> sum (map f L) == sum (map f M).
Proof. intros H. apply sum_perm, Permutation_map, H. Qed.

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
Ltac segment := unfold Run.first_segment; destruct lt_le; [|destruct lt_le]; simpl.

(* what n's first segment works: min (b n) (theta n) *)
Definition worked (k : O) : num := if lt_le (theta k) (b k) then theta k else b k.

Lemma worked_le k : worked k <= b k.
Proof. unfold worked. destruct (lt_le (theta k) (b k)); lra. Qed.
Lemma worked_all k : b k <= theta k -> worked k = b k.
Proof. unfold worked. destruct lt_le; [intros H; exfalso; lra|reflexivity]. Qed.
Lemma clock_first n later st : clock (first_segment n later st) = clock st + worked n / w.
Proof. unfold worked. segment; reflexivity. Qed.
Lemma outputs_kept L n : ~ In n L \/ ~ b n == theta n -> forall st, outputs (first_segments L st) n = outputs st n.
Proof.
  induction L as [|k L IH]; intros H st; simpl in *; [reflexivity|]. rewrite IH by tauto. segment; [reflexivity..|].
  apply update_other. intros e. subst k. destruct H as [H|H]; [tauto|]. apply H. lra.
Qed.
Lemma outputs_truthful L n : NoDup L -> In n L -> b n == theta n ->
  forall st, outputs (first_segments L st) n = ends_from w worked (clock st) L n.
Proof.
  intros Hd Hn Hb. induction Hd as [|k L Hk Hd IH]; intros st; simpl in *; [tauto|]. destruct (dec k n) as [e|ne].
  - subst k. rewrite outputs_kept, worked_all by (auto; lra). segment; [exfalso; lra..|apply update_same].
  - rewrite <- clock_first with (later := L). apply IH. tauto.
Qed.

(* the remainders that are queued: of understaters, and each as it should be *)
Lemma postponed_by L : forall st, exists R, postponed (first_segments L st) = postponed st ++ R /\
  (forall r, In r R -> In (whose r) L /\ b (whose r) < theta (whose r)) /\
  forall n, In n L -> b n < theta n ->
    In (Remainder n (plan n + wt n) (ends_from w worked (clock st) L n + sum (map b (after n L)) / w)) R.
Proof.
  induction L as [|k L IH]; intros st; simpl; [exists []; rewrite app_nil_r; simpl; tauto|].
  destruct (IH (first_segment k L st)) as (R & E & F & G). rewrite clock_first in G.
  destruct (lt_le (b k) (theta k)) as [H|H].
  - exists (Remainder k (plan k + wt k) (clock st + b k / w + sum (map b L) / w) :: R). rewrite E.
    split; [segment; [exfalso; lra|rewrite <- app_assoc; reflexivity|exfalso; lra]|].
    split; [intros r [e|Hr]; [subst; auto|destruct (F r Hr); auto]|]. intros n Hn Hb. destruct (dec k n) as [e|ne].
    + subst. rewrite worked_all by lra. left. reflexivity.
    + right. apply G; tauto.
  - exists R. split; [rewrite E; f_equal; segment; [reflexivity|exfalso; lra|reflexivity]|].
    split; [intros r Hr; destruct (F r Hr); auto|]. intros n Hn Hb.
    destruct (dec k n) as [e|ne]; [subst; exfalso; lra|]. apply G; tauto.
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
  match goal with |- _ <= Run.remainders _ _ _ ?f _ ?T' _ => generalize (IH f T') end. unfold update at 1.
  destruct (dec n (whose r)) as [e|ne]; [|lra]. rewrite <- e.
  match goal with |- nmax (T n) ?x <= _ -> _ => destruct (nmax_ge (T n) x) end. lra.
Qed.
Lemma remainders_after r R : In r R -> forall free T, let n := whose r in
  release r + (theta n - b n) / w <= remainders free R T n /\ behind r + (theta n - b n) / w <= remainders free R T n.
Proof.
  induction R as [|r' R IH]; simpl; [tauto|]. intros [e|H] free T; [|apply IH; exact H]. subst r'. set (n := whose r).
  set (start := nmax (release r) (nmax (behind r) free)). set (t := start + (theta n - b n) / w).
  assert (L := remainders_increase n R t (update T n (nmax (T n) t))). rewrite update_same in L.
  destruct (nmax_ge (release r) (nmax (behind r) free)), (nmax_ge (behind r) free), (nmax_ge (T n) t).
  fold start in H, H0. unfold t in *. split; lra.
Qed.
End Table.

(* the table on one CPU *)
Section TableOfRun.
Variables (w : num) (b theta wt : O -> num) (L : list O) (n : O).
Notation T := (run_cpu w b theta wt L).

(* without a remainder of n in the queue *)
Lemma run_first_segment : ~ (In n L /\ b n < theta n) ->
  T n = outputs (first_segments w b theta wt (ends_from w b 0 L) L (State 0 (ends_from w b 0 L) [])) n.
Proof.
  intros H. apply remainders_outside.
  destruct (postponed_by w b theta wt (ends_from w b 0 L) L (State 0 (ends_from w b 0 L) [])) as (R & E & F & _).
  rewrite E. intros r Hr e. destruct (F r Hr). subst n. tauto.
Qed.
Lemma run_truthful : NoDup L -> In n L -> b n == theta n -> T n = ends_from w (worked b theta) 0 L n.
Proof. intros Hd Hn Hb. rewrite run_first_segment; [|intros [_ G]; lra]. apply outputs_truthful; assumption. Qed.
Lemma run_overstated : theta n < b n -> T n = ends_from w b 0 L n.
Proof. intros Hb. rewrite run_first_segment; [|intros [_ G]; lra]. apply outputs_kept. right. lra. Qed.
Lemma run_understated : In n L -> b n < theta n ->
  ends_from w b 0 L n + wt n + (theta n - b n) / w <= T n /\
  ends_from w (worked b theta) 0 L n + sum (map b (after n L)) / w + (theta n - b n) / w <= T n.
Proof.
  intros Hn Hb.
  destruct (postponed_by w b theta wt (ends_from w b 0 L) L (State 0 (ends_from w b 0 L) [])) as (R & E & _ & G).
  unfold run_cpu. rewrite E. exact (remainders_after w b theta _ _ (G n Hn Hb) _ _).
Qed.
Lemma run_outside : ~ In n L -> T n = 0.
Proof.
  intros Hn. rewrite run_first_segment by tauto. rewrite outputs_kept by auto. apply (ends_from_outside w b 0 L n Hn).
Qed.
End TableOfRun.
End Run.

(* ================= ALL CPUS ================= *)
(* what the theorems assume of a schedule; dec is named so that lemmas find it *)
Record feasible {O CPU : Type} (dec : forall a b : O, {a = b} + {a <> b}) (agents : list O) (cpus : list CPU)
    (c : CPU -> num) (sg : CPU -> list O) : Prop :=
  Feasible { agents_once : NoDup agents; positive : forall m, 0 < c m; placed_once : valid agents cpus sg }.
Arguments Feasible {O CPU}.
Arguments agents_once {O CPU dec agents cpus c sg}.
Arguments positive {O CPU dec agents cpus c sg}.
Arguments placed_once {O CPU dec agents cpus c sg}.

Section Schedule.
Context {O CPU : Type} {dec : forall a b : O, {a = b} + {a <> b}} {agents : list O} {cpus : list CPU} {c : CPU -> num}.
Context {sg : CPU -> list O} (H : feasible dec agents cpus c sg).
Notation planned := (planned dec cpus c).
Notation output := (output dec cpus c).
Notation ends_from := (ends_from dec).

Lemma jobs_nodup : NoDup (flat_map sg cpus).
Proof. apply (Permutation_NoDup (Permutation_sym (placed_once H))), (agents_once H). Qed.
Lemma list_nodup {m} : In m cpus -> NoDup (sg m).
Proof.
  intros Hm. destruct (in_split _ _ Hm) as (l1 & l2 & E). generalize jobs_nodup. rewrite E, flat_map_app. simpl.
  intros Hd. apply nodup_app, proj2, proj1, nodup_app in Hd. tauto.
Qed.
Lemma some_cpu {n} : In n agents -> exists m, In m cpus /\ In n (sg m).
Proof. intros Hn. apply in_flat_map, (Permutation_in n (Permutation_sym (placed_once H))), Hn. Qed.
Lemma scheduled {n m} : In m cpus -> In n (sg m) -> In n agents.
Proof. intros Hm Hn. apply (Permutation_in n (placed_once H)), in_flat_map. exists m. auto. Qed.

(* a sum over the CPUs to which only n's own contributes *)
Lemma sum_own_cpu (f : CPU -> num) {n m} : In m cpus -> In n (sg m) -> (forall m', ~ In n (sg m') -> f m' == 0) ->
  sum (map f cpus) == f m.
Proof.
  intros Hm Hn Hf. generalize jobs_nodup. clear H. induction cpus as [|x l IH]; simpl in *; [tauto|].
  intros Hd. destruct (nodup_app _ _ Hd) as (D1 & D2 & D3). destruct Hm as [e|Hm].
  - subst x. assert (Z : sum (map f l) == 0); [|lra].
    apply sum_zero. intros m' Hm'. apply Hf. intros Hi. apply (D3 n Hn). apply in_flat_map. exists m'. auto.
  - assert (f x == 0); [|specialize (IH Hm D2); lra].
    apply Hf. intros Hi. apply (D3 n Hi). apply in_flat_map. exists m. auto.
Qed.

Section Own.
Context {n : O} {m : CPU} (Hm : In m cpus) (Hn : In n (sg m)) (b theta wt : O -> num).

Lemma planned_own : planned sg b n == ends_from (c m) b 0 (sg m) n.
Proof.
  apply (sum_own_cpu (fun m => ends_from (c m) b 0 (sg m) n) Hm Hn).
  intros m' H'. rewrite ends_from_outside by exact H'. lra.
Qed.
Lemma output_own : output sg b theta wt n == run_cpu dec (c m) b theta wt (sg m) n.
Proof.
  apply (sum_own_cpu (fun m => run_cpu dec (c m) b theta wt (sg m) n) Hm Hn).
  intros m' H'. rewrite run_outside by exact H'. lra.
Qed.
Lemma output_truthful : b n == theta n -> output sg b theta wt n == ends_from (c m) (worked b theta) 0 (sg m) n.
Proof. intros Hb. rewrite <- (run_truthful dec (c m) b theta wt (sg m) n (list_nodup Hm) Hn Hb). apply output_own. Qed.
Lemma output_overstated : theta n < b n -> output sg b theta wt n == planned sg b n.
Proof. intros Hb. generalize output_own planned_own. rewrite run_overstated by exact Hb. lra. Qed.
Lemma output_understated : b n < theta n ->
  planned sg b n + wt n + (theta n - b n) / c m <= output sg b theta wt n /\
  ends_from (c m) (worked b theta) 0 (sg m) n + sum (map b (after dec n (sg m))) / c m + (theta n - b n) / c m
    <= output sg b theta wt n.
Proof.
  intros Hb. generalize output_own planned_own. destruct (run_understated dec (c m) b theta wt (sg m) n Hn Hb).
  split; lra.
Qed.
Lemma output_not_late : b n == theta n -> output sg b theta wt n <= planned sg b n.
Proof.
  intros Hb. generalize planned_own (output_truthful Hb).
  assert (G := ends_from_le dec (c m) _ b (sg m) n (positive H m) (fun k _ => worked_le b theta k) 0 0). lra.
Qed.
End Own.
End Schedule.
