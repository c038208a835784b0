(* Bystanders, on one machine, three agents or more: everybody bears her own length, and what two others cost each
   other, the length of the first of them, is borne in equal parts by those who are neither. In time and money n bears
      C_n(b) = (b_n + sum over pairs {i, j} without n of b_first(i, j) / (N - 2)) / c.
   - The payments sum to zero for every declaration (bystanders_balanced).
   - If nobody's declaration changes the order of the others, then C_n rises by exactly the added work
     (bystander_increments): so the truth is dominant under postponement with any waits, also none, and best to truthful
     others where jobs run on.

   Proof. Each pair is missed by N - 2 agents (pairs_missed), so all together bear everybody's length and, for each
   pair, the length of the first: that is the sum of ends (total_pairs). *)
From Coq Require Import List Lia Permutation.
Require Import Numbers Game Run Comparison LeastSum NoWait.
Import ListNotations.

(* ================= DEFINITION ================= *)
Section Definitions.
Context {O CPU : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.

(* the length of the first, summed over all pairs of a list *)
Fixpoint pairs (b : O -> num) (L : list O) : num :=
  match L with
  | [] => 0
  | k :: L' => ofnat (length L') * b k + pairs b L'
  end.

Variables (agents : list O) (c : CPU -> num) (A : (O -> num) -> CPU -> list O) (m : CPU).
Definition bystander (b : O -> num) (n : O) : num :=
  (b n + pairs b (remove dec n (A b m)) / (ofnat (length agents) - 2)) / c m.
End Definitions.

(* ================= PAIRS ================= *)
Lemma pairs_missed {O : Type} (dec : forall a b : O, {a = b} + {a <> b}) (b : O -> num) L : NoDup L ->
  sum (map (fun n => pairs b (remove dec n L)) L) == (ofnat (length L) - 2) * pairs b L.
Proof.
  induction 1 as [|k L Hk HL IH]; [simpl; lra|]. set (p := ofnat (length L)) in *.
  assert (E : sum (map (fun n => pairs b (remove dec n (k :: L))) L) ==
              sum (map (fun n => (p - 1) * b k + pairs b (remove dec n L)) L)).
  { apply sum_map_eq_in. intros n Hn. simpl. destruct (dec n k); [subst; tauto|]. simpl.
    unfold p. rewrite (Permutation_length (remove_perm dec n L HL Hn)). simpl. lra. }
  assert (F := sum_map_plus (fun _ => (p - 1) * b k) (fun n => pairs b (remove dec n L)) L). cbv beta in F.
  assert (G := sum_const ((p - 1) * b k) L). fold p in G.
  cbn [map sum fold_right length pairs ofnat]. fold p (sum (map (fun n => pairs b (remove dec n (k :: L))) L)).
  simpl remove at 1. destruct (dec k k); [|congruence]. rewrite notin_remove by exact Hk. lra.
Qed.
Lemma total_pairs {O : Type} w i (b : O -> num) L : (forall x, x / w == x * i) ->
  forall t, total w b t L == ofnat (length L) * t + (sum (map b L) + pairs b L) * i.
Proof.
  intros D. induction L as [|k L IH]; simpl; intros t; [lra|]. generalize (D (b k)) (IH (t + b k / w)). intros E F.
  assert (ofnat (length L) * (b k / w) == ofnat (length L) * (b k * i)) by (setoid_rewrite E; lra). lra.
Qed.

(* ================= THE MECHANISM ================= *)
Section Bystanders.
Context {O CPU : Type} {dec : forall a b : O, {a = b} + {a <> b}} {agents : list O} {cpus : list CPU} {c : CPU -> num}.
Context {A : (O -> num) -> CPU -> list O} (H : forall b, feasible dec agents cpus c (A b)).
Variable m : CPU.
Hypothesis Hm : In m cpus.
Hypothesis all_on_m : forall b k, In k agents -> In k (A b m).
Notation C := (bystander dec agents c A m).

Lemma list_perm b : Permutation (A b m) agents.
Proof.
  apply NoDup_Permutation; [exact (list_nodup (H b) Hm)|exact (agents_once (H b))|].
  intros k. split; [exact (scheduled (H b) Hm)|apply all_on_m].
Qed.

Theorem bystanders_balanced : (3 <= length agents)%nat ->
  balanced agents (payment_of (dec := dec) (cpus := cpus) (c := c) (A := A) C).
Proof.
  intros Three. apply balanced_where. intros b _. assert (P := list_perm b). set (L := A b m) in *.
  assert (Hd := list_nodup (H b) Hm). fold L in Hd. assert (N3 := ofnat_le _ _ Three). simpl in N3.
  destruct (reciprocal (c m) (positive (H b) m)) as (i & _ & D).
  destruct (reciprocal (ofnat (length agents) - 2) ltac:(lra)) as (j & _ & E).
  assert (One : (ofnat (length agents) - 2) * j == 1) by (rewrite <- E; field; lra).
  assert (F : forall M, sum (map (C b) M) ==
    (sum (map b M) + sum (map (fun n => pairs b (remove dec n L)) M) * j) * i).
  { induction M as [|n M IH]; simpl; [lra|]. unfold bystander at 1. fold L. rewrite D, E. lra. }
  assert (G := sum_map_eq_in (planned dec cpus c (A b) b) (ends_from dec (c m) b 0 L) L
    (fun n Hn => planned_own (H b) Hm Hn b)). assert (T := total_is dec (c m) b L Hd 0).
  generalize (total_pairs (c m) i b L D 0) (F L) (sum_permuted (C b) _ _ P)
    (sum_permuted (planned dec cpus c (A b) b) _ _ P). unfold total_ends. rewrite (pairs_missed dec b L Hd).
  rewrite (Permutation_length P). intros T1 F1 S1 S2.
  assert (Q : (ofnat (length agents) - 2) * pairs b L * j == pairs b L * ((ofnat (length agents) - 2) * j)) by ring.
  rewrite One in Q. rewrite Q in F1. lra.
Qed.

Hypothesis order_kept : forall n b b', (forall k, 0 <= b k) -> longer n b b' ->
  remove dec n (A b' m) = remove dec n (A b m).

Lemma bystander_increments n m' b b' : In n agents -> In m' cpus -> In n (A b m') -> (forall k, 0 <= b k) ->
  longer n b b' -> 0 <= C b' n - C b n /\ C b' n - C b n <= (b' n - b n) / c m'.
Proof.
  intros Hn Hm' Hi' Hb Hl. assert (Hi := all_on_m b n Hn). unfold bystander. rewrite (order_kept n b b' Hb Hl).
  destruct Hl as [Ho Hl]. set (M := remove dec n (A b m)).
  assert (Same : pairs b' M = pairs b M).
  { assert (Out : forall k, In k M -> k <> n) by (intros k Hk; apply in_remove in Hk; tauto). revert Out.
    induction M as [|k M IH]; simpl; intros Out; [reflexivity|]. rewrite Ho, IH by auto. reflexivity. }
  rewrite Same. set (q := pairs b M / (ofnat (length agents) - 2)).
  (* n's job is on one CPU only *)
  set (f x := if in_dec dec n (A b x) then (b' n - b n) / c x else 0).
  assert (Z : forall x, ~ In n (A b x) -> f x == 0) by (intros x Hx; unfold f; destruct in_dec; [tauto|lra]).
  assert (E := sum_own_cpu (H b) f Hm Hi Z). assert (E' := sum_own_cpu (H b) f Hm' Hi' Z). unfold f in E at 2.
  unfold f in E' at 2. destruct (in_dec dec n (A b m)), (in_dec dec n (A b m')); try tauto.
  assert (G := div_plus (c m) (b' n) q (positive (H b) m)). assert (G' := div_plus (c m) (b n) q (positive (H b) m)).
  generalize (div_minus (c m) (b' n) (b n)) (div_nonneg (c m) (b' n - b n) (positive (H b) m) ltac:(lra)). split; lra.
Qed.
End Bystanders.
