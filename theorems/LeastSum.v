(* The sum of planned ends, and its least value S(b) = v_1 b_(1) + ... + v_N b_(N).

   In a schedule the job of n counts as often in the sum of ends as there are jobs from it to the end of its CPU, so
   the sum is linear in the lengths with weights f_n / c_m (total_ends_weights). *)
From Coq Require Import List Lia Permutation.
Require Import Numbers Game SharpPrice Run Comparison.
Import ListNotations.

Section Weights.
Context {O CPU : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variable agents : list O.
Variable cpus : list CPU.
Variable c : CPU -> num.
Hypothesis agents_nodup : NoDup agents.
Hypothesis c_pos : forall m, 0 < c m.

(* how many jobs a list has from n to its end; 0 without n *)
Fixpoint remaining (n : O) (L : list O) : nat :=
  match L with
  | [] => 0
  | k :: L' => if dec k n then S (length L') else remaining n L'
  end.

Definition weight (sg : CPU -> list O) (n : O) : num := sum (map (fun m => ofnat (remaining n (sg m)) / c m) cpus).

Lemma remaining_outside n L : ~ In n L -> remaining n L = 0%nat.
Proof. induction L as [|k L IH]; simpl; intros H; [reflexivity|]. destruct (dec k n); tauto. Qed.

Lemma remaining_length n L : (remaining n L <= length L)%nat.
Proof. induction L as [|k L IH]; simpl; [lia|]. destruct (dec k n); lia. Qed.

Lemma remaining_pos n L : In n L -> (1 <= remaining n L)%nat.
Proof. induction L as [|k L IH]; simpl; [tauto|]. destruct (dec k n); [lia|]. intros [e|H]; tauto. Qed.

Lemma remaining_all n L : In n L -> remaining n L = length L -> L = n :: after dec n L.
Proof.
  destruct L as [|k L]; simpl; [tauto|]. destruct (dec k n); [congruence|]. intros _ H.
  generalize (remaining_length n L). lia.
Qed.

(* the ends on one CPU that starts at t *)
Lemma sum_ends_from w b L : 0 < w -> NoDup L -> forall t, sum (map (ends_from dec w b t L) L) ==
  ofnat (length L) * t + sum (map (fun n => ofnat (remaining n L) / w * b n) L).
Proof.
  intros Hw. induction 1 as [|k L Hk HL IH]; intros t; [simpl; lra|].
  assert (E : sum (map (ends_from dec w b t (k :: L)) L) == sum (map (ends_from dec w b (t + b k / w) L) L)).
  { apply sum_map_eq_in. intros n Hn. simpl. destruct (dec k n); [subst; tauto|lra]. }
  assert (F : sum (map (fun n => ofnat (remaining n (k :: L)) / w * b n) L) ==
              sum (map (fun n => ofnat (remaining n L) / w * b n) L)).
  { apply sum_map_eq_in. intros n Hn. simpl. destruct (dec k n); [subst; tauto|lra]. }
  assert (H1 : ends_from dec w b t (k :: L) k = t + b k / w) by (simpl; destruct (dec k k); congruence).
  assert (H2 : remaining k (k :: L) = S (length L)) by (simpl; destruct (dec k k); congruence).
  specialize (IH (t + b k / w)).
  change (ends_from dec w b t (k :: L) k + sum (map (ends_from dec w b t (k :: L)) L) ==
          ofnat (S (length L)) * t + (ofnat (remaining k (k :: L)) / w * b k +
          sum (map (fun n => ofnat (remaining n (k :: L)) / w * b n) L))).
  rewrite H1, H2. change (ofnat (S (length L))) with (ofnat (length L) + 1).
  assert (D : (ofnat (length L) + 1) / w * b k == ofnat (length L) * (b k / w) + b k / w) by (field; lra).
  lra.
Qed.

Section Schedule.
Variable sg : CPU -> list O.
Hypothesis sg_valid : valid agents cpus sg.

Lemma weight_own n m : In m cpus -> In n (sg m) -> weight sg n == ofnat (remaining n (sg m)) / c m.
Proof.
  intros Hm Hn. apply (sum_own_cpu agents cpus agents_nodup sg sg_valid (fun m => ofnat (remaining n (sg m)) / c m) n m Hm Hn).
  intros m' H. rewrite remaining_outside by exact H. apply div_zero.
Qed.

Lemma weight_pos n : In n agents -> 0 < weight sg n.
Proof.
  intros Hn. destruct (some_cpu agents cpus sg sg_valid n Hn) as (m & Hm & Hi). generalize (weight_own n m Hm Hi).
  assert (R := ofnat_le _ _ (remaining_pos n (sg m) Hi)). simpl in R.
  assert (E : c m * (ofnat (remaining n (sg m)) / c m) == ofnat (remaining n (sg m))) by (field; generalize (c_pos m); lra).
  intros G. destruct (lt_le 0 (weight sg n)) as [?|H]; [assumption|exfalso].
  assert (G2 := mul_le (c m) (ofnat (remaining n (sg m)) / c m) 0 ltac:(generalize (c_pos m); lra) ltac:(lra)). lra.
Qed.

Lemma list_length m : In m cpus -> (length (sg m) <= length agents)%nat.
Proof.
  intros Hm. rewrite <- (Permutation_length sg_valid). destruct (in_split _ _ Hm) as (l1 & l2 & E).
  rewrite E, flat_map_app. simpl. rewrite !app_length. lia.
Qed.

Theorem total_ends_weights b :
  total_ends dec agents cpus c sg b == sum (map (fun n => weight sg n * b n) agents).
Proof.
  unfold total_ends.
  assert (E1 := sum_permuted (planned dec cpus c sg b) _ _ sg_valid).
  assert (E2 := sum_permuted (fun n => weight sg n * b n) _ _ sg_valid).
  assert (F1 := sum_flat_map (planned dec cpus c sg b) sg cpus).
  assert (F2 := sum_flat_map (fun n => weight sg n * b n) sg cpus).
  assert (G : sum (map (fun m => sum (map (planned dec cpus c sg b) (sg m))) cpus) ==
              sum (map (fun m => sum (map (fun n => weight sg n * b n) (sg m))) cpus)); [|lra].
  apply sum_map_eq_in. intros m Hm.
  assert (H := sum_ends_from (c m) b (sg m) (c_pos m) (list_nodup agents cpus agents_nodup sg sg_valid m Hm) 0).
  assert (P : sum (map (planned dec cpus c sg b) (sg m)) == sum (map (ends_from dec (c m) b 0 (sg m)) (sg m))).
  { apply sum_map_eq_in. intros n Hn. apply (planned_own dec agents); assumption. }
  assert (Q : sum (map (fun n => weight sg n * b n) (sg m)) ==
              sum (map (fun n => ofnat (remaining n (sg m)) / c m * b n) (sg m))).
  { apply sum_map_eq_in. intros n Hn. generalize (weight_own n m Hm Hn).
    generalize (weight sg n) (ofnat (remaining n (sg m)) / c m). intros x y Exy. setoid_rewrite Exy. lra. }
  lra.
Qed.

(* the sum of ends where only the length of n changes *)
Lemma total_ends_change n b b' : In n agents -> (forall k, k <> n -> b' k = b k) ->
  total_ends dec agents cpus c sg b' == total_ends dec agents cpus c sg b + weight sg n * (b' n - b n).
Proof.
  intros Hn Ho. assert (E := total_ends_weights b). assert (E' := total_ends_weights b').
  assert (G : sum (map (fun k => weight sg k * b' k) agents) ==
              sum (map (fun k => weight sg k * b k) agents) + (weight sg n * b' n - weight sg n * b n)).
  { apply (sum_one_change dec (fun k => weight sg k * b k) (fun k => weight sg k * b' k) n agents agents_nodup Hn).
    intros k Hk. rewrite (Ho k Hk). lra. }
  lra.
Qed.
End Schedule.
End Weights.
