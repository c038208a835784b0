(* Shapley shares: C_n(b) = sum over j >= r(n) of (b_(j) - b_(j+1)) (v_1 + ... + v_j) / j, the closed form of the
   Shapley value of the game K -> S(b_K); r(n) is the place of b_n from the top. Payments: P_n = C_n - E_n.
   - Where the allocation attains the least sum of ends, payments sum to zero for every b, ties included
     (shapley_balanced).
   - Truth is best wherever it is under VCG (full price S) with the same allocation, waits and concept: by the
     comparison principle, as C_n never falls and never rises more than S (shapley_increments).
   - Nobody bears less than her job alone on the fastest CPU, nobody more than S (shapley_bounds).

   Proof. Take the others in order of their lengths. As a function of n's own length y, both C_n and S are integrals
   up to y of something that depends only on how many others, i, are as long: C_n of the mean of v_1 .. v_(i+1), S
   of v_(i+1) itself (share_own, weighted_own). As v rises, the mean is at most the last (own_compare). The sum of the
   shares: the layer between two lengths is paid by those above it, and summation by parts gives S (shares_sum). *)
From Coq Require Import List Lia Permutation.
Require Import Numbers Game Run Comparison LeastSum.
Import ListNotations.

(* ================= DEFINITION ================= *)
Section Definitions.
Context {O CPU : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variable dec_cpu : forall a b : CPU, {a = b} + {a <> b}.

(* what n pays: on each layer, from x on, the rate of those whose lengths reach it; f i where i others do *)
Fixpoint share (b : O -> num) (f : nat -> num) (x : num) (L : list O) (n : O) : num :=
  match L with
  | [] => 0
  | k :: L' => (b k - x) * f (length L') + (if dec k n then 0 else share b f (b k) L' n)
  end.

Variables (agents : list O) (first : CPU) (rest : list CPU) (c : CPU -> num).
(* the mean of v_1 .. v_(i+1) *)
Definition mean_number (i : nat) : num := least_numbers dec_cpu first rest c (S i) / ofnat (S i).
Definition shapley (b : O -> num) (n : O) : num := share b mean_number 0 (by_length b agents) n.
End Definitions.

(* ================= LAYERS ================= *)
Section Layers.
Context {O : Type} {dec : forall a b : O, {a = b} + {a <> b}}.
Implicit Type f : nat -> num.

Lemma remove_length n L : NoDup L -> In n L -> length L = S (length (remove dec n L)).
Proof. intros Hd Hn. rewrite (Permutation_length (remove_perm dec n L Hd Hn)). reflexivity. Qed.

Variable b : O -> num.

(* the same as a function of her length y, L being the others *)
Fixpoint own f (x : num) (L : list O) (y : num) : num :=
  match L with
  | [] => (y - x) * f 0%nat
  | k :: L' => if lt_le y (b k) then (y - x) * f (length L) else (b k - x) * f (length L) + own f (b k) L' y
  end.

Lemma own_front f y L : ascending b y L -> forall x, own f x L y == (y - x) * f (length L).
Proof.
  induction L as [|k L IH]; intros H x; simpl in *; [lra|]. destruct H as [H1 H2]. destruct (lt_le y (b k)); [lra|].
  assert (E : y == b k) by lra. assert (G := IH (ascending_from b (b k) y L H1 H2) (b k)).
  assert (Z : forall g, (y - b k) * g == 0) by (intros g; setoid_rewrite E; lra).
  generalize (Z (f (length L))) (Z (f (S (length L)))). lra.
Qed.
Lemma own_constant (a : num) : forall L x y, own (fun _ => a) x L y == (y - x) * a.
Proof.
  induction L as [|k L IH]; intros x y; simpl; [lra|]. destruct (lt_le y (b k)); [lra|]. generalize (IH (b k) y). lra.
Qed.

(* a smaller rate rises less *)
Lemma own_compare f g : (forall i, f i <= g i) -> forall L x y z, x <= y -> y <= z -> ascending b x L ->
  own f x L z - own f x L y <= own g x L z - own g x L y.
Proof.
  intros Hfg. assert (M : forall i r, 0 <= r -> r * f i <= r * g i) by (intros; apply mul_le; auto).
  induction L as [|k L IH]; intros x y z Hxy Hyz H; simpl in *; [generalize (M 0%nat (z - y) ltac:(lra)); lra|].
  destruct H as [H1 H2]. specialize (M (S (length L))).
  destruct (lt_le y (b k)) as [Hy|Hy], (lt_le z (b k)) as [Hz|Hz]; try (exfalso; lra).
  - generalize (M (z - y) ltac:(lra)). lra.
  - generalize (M (b k - y) ltac:(lra)) (IH (b k) (b k) z ltac:(lra) Hz H2).
    generalize (own_front f (b k) L H2 (b k)) (own_front g (b k) L H2 (b k)). lra.
  - generalize (IH (b k) y z Hy Hyz H2). lra.
Qed.
Lemma share_own f n L : NoDup L -> In n L -> forall x, ascending b x L ->
  share dec b f x L n == own f x (remove dec n L) (b n).
Proof.
  induction 1 as [|k L Hk HL IH]; simpl; [tauto|]. intros Hn x [H1 H2]. destruct (dec k n) as [e|ne].
  - subst k. destruct (dec n n); [|congruence]. rewrite notin_remove by exact Hk.
    generalize (own_front f (b n) L H2 x). lra.
  - destruct (dec n k); [congruence|]. destruct Hn as [e|Hn]; [congruence|]. simpl.
    rewrite <- (remove_length n L HL Hn). generalize (ascending_in b (b k) L H2 n Hn). intros G.
    destruct (lt_le (b n) (b k)); [exfalso; lra|]. generalize (IH Hn (b k) H2). lra.
Qed.
End Layers.

Section ShapleyShare.
Context {O CPU : Type} {dec : forall a b : O, {a = b} + {a <> b}}.
Variable dec_cpu : forall a b : CPU, {a = b} + {a <> b}.
Context {agents : list O} {first : CPU} {rest : list CPU} {c : CPU -> num}.
Notation cpus := (first :: rest).
Context {A : (O -> num) -> CPU -> list O} (H : forall b, feasible dec agents cpus c (A b)).
Let agents_once := agents_once (H (fun _ => 0)).
Let c_pos := positive (H (fun _ => 0)).
Notation multiplier := (multiplier dec_cpu first rest c).
Notation least_numbers := (least_numbers dec_cpu first rest c).
Notation weighted := (weighted dec_cpu first rest c).
Notation S_of := (S_of dec_cpu agents first rest c).
Notation C := (shapley dec dec_cpu agents first rest c).
Notation mean := (mean_number dec_cpu first rest c).

(* ---------- the numbers v ---------- *)
Lemma multiplier_nonneg i : 0 <= multiplier i.
Proof. apply div_nonneg; [apply c_pos|apply ofnat_nonneg]. Qed.
Lemma multiplier_increases i : multiplier i <= multiplier (S i).
Proof.
  assert (Hm := next_in (first := first) (rest := rest) (c := c) (counts dec_cpu first rest c (S i))).
  set (m := next first rest c (counts dec_cpu first rest c (S i))) in *.
  assert (G := multiplier_least dec_cpu (c := c) i m Hm).
  assert (Mono : (counts dec_cpu first rest c i m <= counts dec_cpu first rest c (S i) m)%nat).
  { cbn [counts]. destruct dec_cpu; lia. }
  assert (D := div_le (c m) _ _ (c_pos m) (ofnat_le _ _ (le_n_S _ _ Mono))).
  change (multiplier (S i)) with (slot c (counts dec_cpu first rest c (S i)) m). unfold slot in *. lra.
Qed.
Lemma mean_times i : ofnat (S i) * mean i == least_numbers (S i).
Proof. unfold mean_number. field. generalize (ofnat_nonneg i). simpl. lra. Qed.
Lemma mean_bounds i : multiplier 0 <= mean i /\ mean i <= multiplier i.
Proof.
  assert (B : ofnat (S i) * multiplier 0 <= least_numbers (S i) /\
    least_numbers (S i) <= ofnat (S i) * multiplier i /\ multiplier 0 <= multiplier i).
  { induction i as [|i (I1 & I2 & I3)]; [simpl; split; [lra|split; lra]|].
    assert (M := multiplier_increases i). assert (G := mul_le (ofnat (S i)) _ _ (ofnat_nonneg (S i)) M).
    change (least_numbers (S (S i))) with (least_numbers (S i) + multiplier (S i)).
    change (ofnat (S (S i))) with (ofnat (S i) + 1). split; [lra|split; lra]. }
  destruct B as (H1 & H2 & _). assert (E := mean_times i).
  assert (P : 0 < ofnat (S i)) by (simpl; generalize (ofnat_nonneg i); lra).
  split; apply (mul_cancel (ofnat (S i))); try exact P; lra.
Qed.

(* ---------- the least sum as a function of one length, and the sum of the shares ---------- *)
Lemma weighted_own b n L : NoDup L -> In n L -> forall x, ascending b x L ->
  weighted b L - x * least_numbers (length L) ==
  weighted b (remove dec n L) - x * least_numbers (length (remove dec n L)) + own b multiplier x (remove dec n L) (b n).
Proof.
  induction 1 as [|k L Hk HL IH]; simpl; [tauto|]. intros Hn x [H1 H2]. destruct (dec n k) as [e|ne].
  - subst k. rewrite notin_remove by exact Hk. generalize (own_front b multiplier (b n) L H2 x). lra.
  - destruct Hn as [e|Hn]; [congruence|]. specialize (IH Hn (b k) H2).
    assert (E := remove_length (dec := dec) n L HL Hn). rewrite E in *. simpl in *.
    generalize (ascending_in b (b k) L H2 n Hn). intros G. destruct (lt_le (b n) (b k)); [exfalso; lra|]. lra.
Qed.
Lemma shares_sum b L : NoDup L -> forall x,
  sum (map (share dec b mean x L) L) == weighted b L - x * least_numbers (length L).
Proof.
  induction 1 as [|k L Hk HL IH]; intros x; [simpl; lra|]. set (q := (b k - x) * mean (length L)).
  assert (F : share dec b mean x (k :: L) k == q) by (simpl; destruct (dec k k); [unfold q; lra|congruence]).
  assert (T : sum (map (share dec b mean x (k :: L)) L) == sum (map (fun n => q + share dec b mean (b k) L n) L)).
  { apply sum_map_eq_in. intros n Hn. simpl. destruct (dec k n); [subst; tauto|unfold q; lra]. }
  assert (P := sum_map_plus (fun _ => q) (share dec b mean (b k) L) L). cbv beta in P.
  assert (Q := sum_const q L).
  assert (M : (ofnat (length L) + 1) * q == (b k - x) * (least_numbers (length L) + multiplier (length L))).
  { change (least_numbers (length L) + multiplier (length L)) with (least_numbers (S (length L))).
    setoid_rewrite <- (mean_times (length L)). unfold q. simpl ofnat. lra. }
  specialize (IH (b k)). cbn [map sum fold_right length LeastSum.weighted LeastSum.least_numbers].
  fold (sum (map (share dec b mean x (k :: L)) L)). lra.
Qed.

(* ---------- the mechanism ---------- *)
Notation others b n := (remove dec n (by_length b agents)).

Section OneAgent.
Variables (b : O -> num) (n : O).
Hypothesis Hn : In n agents.
Hypothesis b_nonneg : forall k, 0 <= b k.
Notation P := (by_length_perm b agents).

Lemma shapley_own : C b n == own b mean 0 (others b n) (b n).
Proof.
  apply share_own; [exact (Permutation_NoDup P agents_once)|exact (Permutation_in n P Hn)|].
  apply by_length_ascending, b_nonneg.
Qed.
Lemma S_own : S_of b == weighted b (others b n) + own b multiplier 0 (others b n) (b n).
Proof.
  generalize (weighted_own b n _ (Permutation_NoDup P agents_once) (Permutation_in n P Hn) 0
    (by_length_ascending b agents b_nonneg)). unfold LeastSum.S_of. lra.
Qed.
Lemma others_ascending : ascending b 0 (others b n).
Proof. apply remove_ascending, by_length_ascending, b_nonneg. Qed.

Theorem shapley_bounds : multiplier 0 * b n <= C b n /\ C b n <= S_of b.
Proof.
  assert (E := shapley_own). assert (E' := S_own). assert (Asc := others_ascending).
  assert (B := b_nonneg n). assert (Z : forall f, own b f 0 (others b n) 0 == 0).
  { intros f. generalize (own_front b f 0 _ Asc 0). lra. }
  assert (L := own_compare b _ mean (fun i => proj1 (mean_bounds i)) _ 0 0 (b n) ltac:(lra) B Asc). cbv beta in L.
  assert (U := own_compare b mean _ (fun i => proj2 (mean_bounds i)) _ 0 0 (b n) ltac:(lra) B Asc).
  assert (W : forall M, 0 <= weighted b M).
  { induction M as [|k M IH]; simpl; [lra|].
    generalize (mul_nonneg _ _ (multiplier_nonneg (length M)) (b_nonneg k)). lra. }
  generalize (own_constant b (multiplier 0) (others b n) 0 (b n)) (W (others b n)).
  generalize (Z mean) (Z multiplier) (Z (fun _ => multiplier 0)). split; lra.
Qed.
End OneAgent.

Lemma same_others (b b' : O -> num) L : (forall k, In k L -> b' k = b k) ->
  weighted b' L = weighted b L /\ forall f x y, own b' f x L y = own b f x L y.
Proof.
  induction L as [|k L IH]; simpl; intros E; [auto|]. destruct IH as [I1 I2]; [auto|]. rewrite I1, (E k) by auto.
  split; [reflexivity|]. intros f x y. rewrite I2. reflexivity.
Qed.
Lemma shapley_increments n b b' : In n agents -> (forall k, 0 <= b k) -> longer n b b' ->
  0 <= C b' n - C b n /\ C b' n - C b n <= S_of b' - S_of b.
Proof.
  intros Hn Hb Hlong. assert (Hb' := longer_nonneg (dec := dec) n b b' Hlong Hb). destruct Hlong as [Ho Hl].
  assert (S1 := shapley_own b n Hn Hb). assert (S2 := shapley_own b' n Hn Hb'). assert (T1 := S_own b n Hn Hb).
  assert (T2 := S_own b' n Hn Hb'). rewrite (remove_by_length dec n b b' agents Hb Hb' Ho) in S2, T2.
  assert (Asc := others_ascending b n Hb). set (M := others b n) in *. destruct (same_others b b' M) as [W F].
  { intros k Hk. apply Ho. apply in_remove in Hk. tauto. }
  rewrite F in S2, T2. rewrite W in T2.
  assert (Z : forall i, 0 <= mean i) by (intros i; generalize (multiplier_nonneg 0) (proj1 (mean_bounds i)); lra).
  assert (I1 := own_compare b (fun _ => 0) mean Z M 0 (b n) (b' n) (Hb n) ltac:(lra) Asc).
  assert (I2 := own_compare b mean multiplier (fun i => proj2 (mean_bounds i)) M 0 (b n) (b' n) (Hb n) ltac:(lra) Asc).
  generalize (own_constant b 0 M 0 (b n)) (own_constant b 0 M 0 (b' n)). split; lra.
Qed.

Hypothesis cpus_once : NoDup cpus.
Hypothesis A_least : forall b sg, (forall k, 0 <= b k) -> valid agents cpus sg ->
  total_ends dec agents cpus c (A b) b <= total_ends dec agents cpus c sg b.

Lemma S_attained b : (forall k, 0 <= b k) -> S_of b == total_ends dec agents cpus c (A b) b.
Proof.
  intros Hb. destruct (greedy_attains (dec := dec) dec_cpu cpus_once c_pos b agents_once) as (sg & V & E).
  generalize (A_least b sg Hb (placed_once V)) (least_sum_lower dec_cpu cpus_once c_pos (H b) b Hb). lra.
Qed.

Theorem shapley_balanced : balanced agents (payment_of (dec := dec) (cpus := cpus) (c := c) (A := A) C).
Proof.
  apply balanced_where. intros b Hb. assert (P := by_length_perm b agents).
  generalize (S_attained b Hb) (sum_permuted (C b) _ _ P) (shares_sum b _ (Permutation_NoDup P agents_once) 0).
  change (share dec b mean 0 (by_length b agents)) with (C b). unfold LeastSum.S_of. lra.
Qed.
End ShapleyShare.
