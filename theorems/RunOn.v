(* A job that needs longer than declared runs on at a share of its CPU (renice; share 1: run-on).

   If all others tell the truth, the truth is best wherever the full price C_n never falls and never rises by more than
   the added work (run_on_increments): so under equal shares, full time and what bystanders bear, with or without
   closing gaps and early outputs, for all shares in (0, 1].

   Proof. Up to n's job everything is on plan, as those before are truthful, and nothing that happens behind n
   touches her output. So the truthful and the overstated have their outputs as planned, an understater (theta - b)
   / (s c_m) later (run_on_truthful, run_on_overstated, run_on_understated). As s <= 1 the delay is at least (theta
   - b) / c_m, and the increments of the full prices lie between 0 and that, as under postponement without a wait. *)
From Coq Require Import List Lia Permutation.
Require Import Numbers Game Run Comparison.
Import ListNotations.

(* ================= DEFINITION ================= *)
Section RunOn.
Context {O CPU : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variables close early : bool.                    (* gaps are closed; outputs are handed out when jobs end *)

Section OneCPU.
Variables (w : num) (b theta share : O -> num).

(* every later k: T_k becomes at least its planned end seen from t *)
Definition raise (t : num) (L : list O) (T : O -> num) : O -> num :=
  fun k => if in_dec dec k L then nmax (T k) (ends_from dec w b t L k) else T k.

Fixpoint run_on_from (L : list O) (t : num) (T : O -> num) : O -> num :=
  match L with
  | [] => T
  | n :: L' =>
      let e := t + b n / w in
      if lt_le (theta n) (b n) then              (* ends before e *)
        run_on_from L' (if close then t + theta n / w else e) T
      else if lt_le (b n) (theta n) then         (* alive at e: runs on, alone *)
        let last := e + (theta n - b n) / (share n * w) in
        run_on_from L' last (raise last L' (update dec T n (nmax (T n) last)))
      else                                       (* ends at e *)
        run_on_from L' e (if early then update dec T n e else T)
  end.

Definition run_on_cpu (L : list O) : O -> num := run_on_from L 0 (ends_from dec w b 0 L).
End OneCPU.

Variable agents : list O.
Variable cpus : list CPU.
Variable c : CPU -> num.
Variable A : (O -> num) -> CPU -> list O.
Variable share : (O -> num) -> O -> num.

Definition output_on (sg : CPU -> list O) (b theta s : O -> num) (n : O) : num :=
  sum (map (fun m => run_on_cpu (c m) b theta s (sg m) n) cpus).
Definition loss_on (payment : (O -> num) -> O -> num) (b theta : O -> num) (n : O) : num :=
  output_on (A b) b theta (share b) n + payment b n.
Definition truth_best_run_on (payment : (O -> num) -> O -> num) : Prop := forall n b theta, In n agents ->
  (forall k, 0 <= b k) -> (forall k, 0 <= theta k) -> (forall k, k <> n -> b k = theta k) ->
  ~ b n == theta n -> loss_on payment (update dec b n (theta n)) theta n <= loss_on payment b theta n.

(* ================= ONE CPU ================= *)
Section Own.
Variables (w : num) (b theta s : O -> num).
Notation run_on_from := (run_on_from w b theta s).

Lemma run_on_outside n L : ~ In n L -> forall t T, run_on_from L t T n = T n.
Proof.
  induction L as [|k L IH]; intros H t T; simpl in *; [reflexivity|]. assert (Hk : n <> k) by (intros e; subst; tauto).
  destruct lt_le; [apply IH; tauto|]. destruct lt_le; rewrite IH by tauto.
  - unfold raise. destruct (in_dec dec n L); [tauto|]. apply update_other, Hk.
  - destruct early; [apply update_other, Hk|reflexivity].
Qed.

(* all others truthful: what n's declaration brings *)
Lemma run_on_own n L : NoDup L -> In n L -> (forall k, k <> n -> b k = theta k) ->
  forall t T, T n == ends_from dec w b t L n ->
  (b n == theta n \/ theta n < b n -> run_on_from L t T n == ends_from dec w b t L n) /\
  (b n < theta n -> ends_from dec w b t L n + (theta n - b n) / (s n * w) <= run_on_from L t T n).
Proof.
  intros Hd Hn Ho. induction Hd as [|k L Hk Hd IH]; intros t T HT; simpl in *; [tauto|].
  destruct (dec k n) as [e|ne].
  - subst k. destruct lt_le; [|destruct lt_le]; rewrite run_on_outside by exact Hk.
    + split; intros; lra.
    + split; intros H; [destruct H; lra|]. unfold raise. destruct (in_dec dec n L); [tauto|].
      rewrite update_same. apply nmax_ge.
    + split; intros H; [|lra]. destruct early; [rewrite update_same; lra|lra].
  - rewrite <- (Ho k ne). destruct (lt_le (b k) (b k)); [exfalso; lra|].
    apply IH; [tauto|]. destruct early; [|exact HT]. rewrite update_other by congruence. exact HT.
Qed.
End Own.

(* ================= ALL CPUS ================= *)
Hypothesis H : forall b, feasible dec agents cpus c (A b).
Hypothesis share_range : forall b n, 0 < share b n /\ share b n <= 1.
Notation planned := (planned dec cpus c).

Lemma output_on_own n b theta : In n agents -> (forall k, k <> n -> b k = theta k) ->
  exists m, In m cpus /\ In n (A b m) /\
  (b n == theta n \/ theta n < b n -> output_on (A b) b theta (share b) n == planned (A b) b n) /\
  (b n < theta n -> planned (A b) b n + (theta n - b n) / c m <= output_on (A b) b theta (share b) n).
Proof.
  intros Hn Ho. destruct (some_cpu (H b) Hn) as (m & Hm & Hi). exists m. split; [exact Hm|]. split; [exact Hi|].
  assert (Ep := planned_own (H b) Hm Hi b).
  assert (Eo : output_on (A b) b theta (share b) n == run_on_cpu (c m) b theta (share b) (A b m) n).
  { apply (sum_own_cpu (H b) (fun m => run_on_cpu (c m) b theta (share b) (A b m) n) Hm Hi).
    intros m' Hm'. unfold run_on_cpu. rewrite run_on_outside, ends_from_outside by exact Hm'. lra. }
  destruct (run_on_own (c m) b theta (share b) n (A b m) (list_nodup (H b) Hm) Hi Ho 0 (ends_from dec (c m) b 0 (A b m))
    ltac:(lra)) as [R1 R2]. unfold run_on_cpu in Eo. split; intros Hb; [specialize (R1 Hb); lra|specialize (R2 Hb)].
  destruct (share_range b n) as [S0 S1]. assert (Cm := positive (H b) m). assert (P := mul_pos _ _ S0 Cm).
  assert (P2 := mul_le (c m) (share b n) 1 ltac:(lra) S1).
  generalize (div_faster (theta n - b n) (share b n * c m) (c m) ltac:(lra) P ltac:(lra)). lra.
Qed.

Theorem run_on_increments C :
  (forall n m b b', In n agents -> In m cpus -> In n (A b m) -> (forall k, 0 <= b k) -> longer n b b' ->
     0 <= C b' n - C b n /\ C b' n - C b n <= (b' n - b n) / c m) ->
  truth_best_run_on (payment_of (dec := dec) (cpus := cpus) (c := c) (A := A) C).
Proof.
  intros HC n b theta Hn Hb Hth Ho Hlie. set (b' := update dec b n (theta n)).
  assert (E : b' n = theta n) by apply update_same.
  destruct (output_on_own n b theta Hn Ho) as (m & Hm & Hi & R1 & R2).
  destruct (output_on_own n b' theta Hn) as (m' & Hm' & Hi' & R & _).
  { intros k Hk. unfold b'. rewrite update_other; auto. }
  assert (E' : b' n == theta n) by (rewrite E; lra). specialize (R (or_introl E')).
  unfold loss_on, payment_of. destruct (lies (dec := dec) n b theta Hlie) as [[Hlt Hl]|[Hgt Hl]]; fold b' in Hl.
  - specialize (R1 (or_intror Hlt)).
    destruct (HC n m' b' b Hn Hm' Hi' (update_nonneg dec b n _ Hb (Hth n)) Hl). lra.
  - specialize (R2 Hgt). destruct (HC n m b b' Hn Hm Hi Hb Hl) as [_ G]. rewrite E in G. lra.
Qed.
End RunOn.
