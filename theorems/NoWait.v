(* Postponement without a wait.

   1. One machine, no payments at all: if n's planned end does not fall when she declares longer, the truth is
      dominant (unpaid_dominant). The truth brings at most her length plus the work of those before her. An
      understater waits for the work of all others, whatever they are; an overstater for the planned end of her lie.
   2. Full price S (VCG), and with it Shapley shares, where the allocation attains the least sum of ends: the truth
      is best to truthful others on any machines (vcg_ex_post, shapley_ex_post), and dominant on one machine where
      the shortest are first (vcg_dominant_one_machine, shapley_dominant_one_machine). Moving n to the end of her
      CPU shows that S rises by at most the rest of the CPU's plan and the missing work (move_to_end), just what an
      understater waits for. On one machine the gaps that overstaters leave before n change nothing: who is before
      her in the lie is before her under the truth too, where she gains from them as much. *)
From Coq Require Import List Lia Permutation.
Require Import Numbers Game Run Comparison LeastSum ShapleyShare.
Import ListNotations.

(* dividing by a power *)
Lemma reciprocal (w : num) : 0 < w -> exists i, 0 < i /\ forall x, x / w == x * i.
Proof. intros Hw. exists (1 / w). split; [apply div_pos; lra|intros x; field; lra]. Qed.

Section Lists.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variables w i : num.
Hypothesis i_pos : 0 < i.
Hypothesis D : forall x, x / w == x * i.
Notation before := (before dec).
Notation after := (after dec).

Lemma beside n k L : In k L -> k <> n -> In k (before n L ++ after n L).
Proof.
  induction L as [|j L IH]; simpl; [tauto|]. intros Hk ne.
  destruct (dec j n) as [e|ne']; simpl; destruct Hk as [e'|Hk]; auto; congruence.
Qed.
Lemma ends_before x n L : In n L -> forall t, ends_from dec w x t L n == t + (sum (map x (before n L)) + x n) * i.
Proof.
  induction L as [|k L IH]; simpl; [tauto|]. intros H t. assert (Dk := D (x k)). destruct (dec k n) as [e|ne].
  - subst k. simpl. lra.
  - destruct H as [e|H]; [congruence|]. specialize (IH H (t + x k / w)). simpl. lra.
Qed.

(* shortest first: those before n are not longer, the others not shorter *)
Lemma before_ascending (b : O -> num) n L : In n L -> forall x, ascending b x L ->
  (forall k, In k (before n L) -> b k <= b n) /\ (forall k, In k L -> In k (before n L) \/ b n <= b k).
Proof.
  induction L as [|j L IH]; simpl; [tauto|]. intros Hn x [_ Ha]. destruct (dec j n) as [e|ne].
  - subst j. split; [simpl; tauto|]. intros k [e|Hk]; right; [subst; lra|exact (ascending_in b _ L Ha k Hk)].
  - destruct Hn as [e|Hn]; [congruence|]. destruct (IH Hn _ Ha) as [I1 I2]. split.
    + intros k [e|Hk]; [subst; exact (ascending_in b _ L Ha n Hn)|auto].
    + intros k [e|Hk]; simpl; [auto|]. destruct (I2 k Hk); auto.
Qed.

(* a job that is last *)
Lemma total_last (b : O -> num) n L : forall t, total w b t (L ++ [n]) == total w b t L + t + (sum (map b L) + b n) * i.
Proof.
  induction L as [|k L IH]; simpl; intros t; [generalize (D (b n)); lra|].
  generalize (IH (t + b k / w)) (D (b k)). lra.
Qed.

(* n's job grows and moves to the end of its list *)
Definition to_end (n : O) (L : list O) : list O := if in_dec dec n L then remove dec n L ++ [n] else L.

Lemma to_end_perm n L : NoDup L -> Permutation (to_end n L) L.
Proof.
  intros Hd. unfold to_end. destruct in_dec as [Hn|]; [|reflexivity]. rewrite <- Permutation_cons_append. symmetry.
  apply remove_perm; assumption.
Qed.
Lemma total_to_end b b' n L : 0 <= b n -> longer n b b' -> NoDup L -> forall t, total w b' t (to_end n L) <=
  total w b t L + if in_dec dec n L then (sum (map b (after n L)) + (b' n - b n)) * i else 0.
Proof.
  intros Hb [Ho _] Hd t. unfold to_end. destruct in_dec as [Hn|Hn].
  2: { rewrite (total_later w b b' L (fun k Hk => Ho k ltac:(intros e; subst; tauto)) t t). lra. }
  revert t. induction Hd as [|k L Hk Hd IH]; intros t; simpl in *; [tauto|]. destruct (dec n k) as [e|ne].
  - subst k. destruct (dec n n) as [_|]; [|congruence]. rewrite notin_remove by exact Hk.
    assert (Same : forall k, In k L -> b' k = b k) by (intros k Hi; apply Ho; intros e; subst; tauto).
    assert (E := total_later w b b' L Same (t + b n / w) t). rewrite (total_last b' n L t), E, (map_ext_in _ _ _ Same).
    assert (P := D (b n)). assert (Q := mul_nonneg _ _ Hb (ltac:(lra) : 0 <= i)).
    assert (R := mul_nonneg (ofnat (length L)) (b n / w) (ofnat_nonneg _) ltac:(lra)). lra.
  - destruct (dec k n); [congruence|]. destruct Hn as [e|Hn]; [congruence|]. simpl. rewrite (Ho k) by congruence.
    specialize (IH Hn (t + b k / w)). lra.
Qed.
End Lists.

Section NoWait.
Context {O CPU : Type} {dec : forall a b : O, {a = b} + {a <> b}} {agents : list O} {cpus : list CPU} {c : CPU -> num}.
Context {A : (O -> num) -> CPU -> list O} (H : forall b, feasible dec agents cpus c (A b)).
Notation planned := (planned dec cpus c).
Notation total_ends := (total_ends dec agents cpus c).
Notation before := (before dec).
Notation after := (after dec).

Lemma worked_truth b theta n : worked (update dec b n (theta n)) theta n = theta n.
Proof. unfold worked. rewrite update_same. destruct lt_le; reflexivity. Qed.

(* ---------- on any machines ---------- *)
Lemma move_to_end n m b b' : In m cpus -> In n (A b m) -> 0 <= b n -> longer n b b' ->
  exists sg, feasible dec agents cpus c sg /\
    total_ends sg b' <= total_ends (A b) b + sum (map b (after n (A b m))) / c m + (b' n - b n) / c m.
Proof.
  intros Hm Hi Hb Hl. exists (fun x => to_end dec n (A b x)).
  set (f x := if in_dec dec n (A b x) then sum (map b (after n (A b x))) / c x + (b' n - b n) / c x else 0).
  assert (V : feasible dec agents cpus c (fun x => to_end dec n (A b x))).
  { constructor; [apply (H b)..|]. unfold valid. rewrite <- (placed_once (H b)).
    assert (G : forall l, incl l cpus -> Permutation (flat_map (fun x => to_end dec n (A b x)) l) (flat_map (A b) l)).
    { induction l as [|x l IH]; simpl; intros Hx; [constructor|]. apply Permutation_app.
      - apply to_end_perm, (list_nodup (H b)), Hx. left. reflexivity.
      - apply IH. intros y Hy. apply Hx. right. exact Hy. }
    apply G. intros x Hx. exact Hx. }
  split; [exact V|]. assert (E := total_ends_lists V b'). cbv beta in E. assert (E' := total_ends_lists (H b) b).
  assert (G := sum_map_plus (fun x => total (c x) b 0 (A b x)) f cpus). cbv beta in G.
  assert (Own : sum (map f cpus) == f m).
  { apply (sum_own_cpu (H b) f Hm Hi). intros x Hx. unfold f. destruct in_dec; [tauto|lra]. }
  unfold f in Own at 2. destruct (in_dec dec n (A b m)); [|tauto]. cut
    (sum (map (fun x => total (c x) b' 0 (to_end dec n (A b x))) cpus) <=
     sum (map (fun x => total (c x) b 0 (A b x) + f x) cpus)); [lra|]. apply sum_map_le. intros x Hx.
  destruct (reciprocal (c x) (positive (H b) x)) as (r & Hr & D).
  generalize (total_to_end dec (c x) r Hr D b b' n (A b x) Hb Hl (list_nodup (H b) Hx) 0). unfold f.
  generalize (D (sum (map b (after n (A b x))))) (D (b' n - b n)). destruct in_dec; lra.
Qed.

(* ---------- on one machine ---------- *)
Section OneMachine.
Variable wait : (O -> num) -> O -> num.          (* any; it may be zero *)
Variable m : CPU.
Hypothesis Hm : In m cpus.
Hypothesis all_on_m : forall b k, In k agents -> In k (A b m).

(* what the truth brings an understater, and what her lie does; i is 1 / c m *)
Lemma both_outputs n b theta i : In n agents -> b n < theta n -> (forall x, x / c m == x * i) ->
  let b' := update dec b n (theta n) in
  output dec cpus c (A b') b' theta (wait b') n == (sum (map (worked b theta) (before n (A b' m))) + theta n) * i /\
  (sum (map (worked b theta) (before n (A b m))) + sum (map b (after n (A b m))) + theta n) * i <=
  output dec cpus c (A b) b theta (wait b) n.
Proof.
  intros Hn Hlt D b'. assert (E' : b' n = theta n) by apply update_same. assert (Hi := all_on_m b n Hn).
  rewrite <- (map_ext_in (worked b' theta) (worked b theta)).
  2: { intros k Hk. apply before_in in Hk. unfold worked, b'. rewrite update_other; tauto. }
  generalize (output_truthful (H b') Hm (all_on_m b' n Hn) b' theta (wait b') ltac:(rewrite E'; lra)).
  generalize (ends_before dec (c m) i D (worked b' theta) n _ (all_on_m b' n Hn) 0).
  destruct (output_understated (H b) Hm Hi b theta (wait b) Hlt) as [_ U]. revert U.
  generalize (ends_before dec (c m) i D (worked b theta) n _ Hi 0).
  unfold b'. rewrite worked_truth, worked_all by lra. fold b'.
  generalize (D (sum (map b (after n (A b m))))) (D (theta n - b n)). split; lra.
Qed.

Theorem unpaid_dominant :
  (forall n b b', In n agents -> (forall k, 0 <= b k) -> longer n b b' -> planned (A b) b n <= planned (A b') b' n) ->
  truth_dominant dec agents cpus c A wait (fun _ _ => 0).
Proof.
  intros Mono n b theta Hn Hb Hth Hlie. generalize (understating_decides H wait n b theta Hn
    (fun b => planned (A b) b) Hb (Hth n) Hlie (fun d d' Hd Hl => Mono n d d' Hn Hd Hl)).
  unfold loss, payment_of. intros G. enough (U : b n < theta n -> output dec cpus c (A (update dec b n (theta n)))
    (update dec b n (theta n)) theta (wait (update dec b n (theta n))) n <= output dec cpus c (A b) b theta (wait b) n).
  { generalize (G (fun h _ => ltac:(specialize (U h); lra))). lra. }
  intros Hlt. destruct (reciprocal (c m) (positive (H b) m)) as (i & Hi0 & D).
  destruct (both_outputs n b theta i Hn Hlt D) as [T U]. set (b' := update dec b n (theta n)) in *.
  assert (I := sum_incl (worked b theta) (before n (A b' m)) (before n (A b m) ++ after n (A b m))
    (fun k => ltac:(unfold worked; destruct lt_le; auto)) (before_nodup dec n _ (list_nodup (H b') Hm))).
  rewrite map_app in I. generalize (sum_app (map (worked b theta) (before n (A b m)))
    (map (worked b theta) (after n (A b m)))) (sum_map_le _ b (after n (A b m)) (fun k _ => worked_le b theta k)).
  intros S1 Le. assert (Le2 : sum (map (worked b theta) (before n (A b' m))) <=
    sum (map (worked b theta) (before n (A b m))) + sum (map b (after n (A b m)))).
  { enough (J : incl (before n (A b' m)) (before n (A b m) ++ after n (A b m))) by (specialize (I J); lra).
    intros k Hk. destruct (before_in dec n k _ Hk) as [Hk' ne].
    exact (beside dec n k _ (all_on_m b k (scheduled (H b') Hm Hk')) ne). }
  apply (mul_le i) in Le2; lra.
Qed.
End OneMachine.
End NoWait.

(* ---------- VCG and Shapley shares ---------- *)
Section VcgAndShapley.
Context {O CPU : Type} {dec : forall a b : O, {a = b} + {a <> b}}.
Variable dec_cpu : forall a b : CPU, {a = b} + {a <> b}.
Context {agents : list O} {first : CPU} {rest : list CPU} {c : CPU -> num}.
Notation cpus := (first :: rest).
Context {A : (O -> num) -> CPU -> list O} (H : forall b, feasible dec agents cpus c (A b)).
Hypothesis cpus_once : NoDup cpus.
Hypothesis A_least : forall b sg, (forall k, 0 <= b k) -> valid agents cpus sg ->
  total_ends dec agents cpus c (A b) b <= total_ends dec agents cpus c sg b.
Variable wait : (O -> num) -> O -> num.
Notation S_of := (S_of dec_cpu agents first rest c).
Notation vcg := (fun b (_ : O) => S_of b).
Notation payment := (payment_of (dec := dec) (cpus := cpus) (c := c) (A := A)).

Lemma S_rises n m b b' : In m cpus -> In n (A b m) -> (forall k, 0 <= b k) -> longer n b b' ->
  0 <= S_of b' - S_of b /\ S_of b' - S_of b <= sum (map b (after dec n (A b m))) / c m + (b' n - b n) / c m.
Proof.
  intros Hm Hi Hb Hl. assert (Hn := scheduled (H b) Hm Hi). assert (Hc := positive (H b)).
  destruct (shapley_increments dec_cpu H n b b' Hn Hb Hl).
  destruct (move_to_end H n m b b' Hm Hi (Hb n) Hl) as (sg & V & M).
  generalize (least_sum_lower dec_cpu cpus_once Hc V b' (longer_nonneg (dec := dec) n b b' Hl Hb))
    (S_attained dec_cpu H cpus_once A_least b Hb). split; lra.
Qed.

Theorem vcg_ex_post : truth_best_ex_post dec agents cpus c A wait (payment vcg).
Proof. apply (increments_ex_post H). intros n m b b' _ Hm Hi Hb Hl. exact (S_rises n m b b' Hm Hi Hb Hl). Qed.

(* ---------- one machine, shortest first (any order of equal lengths) ---------- *)
Variable m : CPU.
Hypothesis Hm : In m cpus.
Hypothesis all_on_m : forall b k, In k agents -> In k (A b m).
Hypothesis shortest_first : forall b, (forall k, 0 <= b k) -> ascending b 0 (A b m).

Lemma before_longer n b b' : In n agents -> (forall k, 0 <= b k) -> longer n b b' ->
  incl (before dec n (A b m)) (before dec n (A b' m)).
Proof.
  intros Hn Hb Hl k Hk. assert (Hb' := longer_nonneg (dec := dec) n b b' Hl Hb). destruct Hl as [Ho Hl].
  destruct (before_in dec n k _ Hk) as [Hi Hne]. assert (Hk' := all_on_m b' k (scheduled (H b) Hm Hi)).
  destruct (before_ascending dec b n _ (all_on_m b n Hn) 0 (shortest_first b Hb)) as [B _].
  destruct (before_ascending dec b' n _ (all_on_m b' n Hn) 0 (shortest_first b' Hb')) as [_ B'].
  destruct (B' k Hk') as [G|G]; [exact G|]. rewrite (Ho k Hne) in G. exfalso. generalize (B k Hk). lra.
Qed.

Theorem vcg_dominant_one_machine : truth_dominant dec agents cpus c A wait (payment vcg).
Proof.
  intros n b theta Hn Hb Hth Hlie. apply (understating_decides H); auto.
  { intros d d' Hd Hl. destruct (S_rises n m d d' Hm (all_on_m d n Hn) Hd Hl). lra. }
  intros Hlt Hl. destruct (reciprocal (c m) (positive (H b) m)) as (i & Hi0 & D).
  destruct (both_outputs H wait m Hm all_on_m n b theta i Hn Hlt D) as [T U].
  assert (E' := update_same dec b n (theta n)). set (b' := update dec b n (theta n)) in *.
  destruct (S_rises n m b b' Hm (all_on_m b n Hn) Hb Hl) as [_ R]. rewrite E' in R.
  assert (P := planned_own (H b) Hm (all_on_m b n Hn) b). assert (P' := planned_own (H b') Hm (all_on_m b' n Hn) b').
  assert (B := ends_before dec (c m) i D b n _ (all_on_m b n Hn) 0).
  assert (B' := ends_before dec (c m) i D b' n _ (all_on_m b' n Hn) 0). rewrite E' in B'.
  (* the gaps that overstaters leave before n *)
  assert (G := sum_incl (fun k => b k - worked b theta k) (before dec n (A b m)) (before dec n (A b' m))
    (fun k => ltac:(generalize (worked_le b theta k); lra)) (before_nodup dec n _ (list_nodup (H b) Hm))
    (before_longer n b b' Hn Hb Hl)).
  assert (Gaps : forall L, sum (map (fun k => b k - worked b theta k) L) ==
    sum (map b L) - sum (map (worked b theta) L)) by (induction L as [|k L IH]; simpl; lra).
  rewrite (map_ext_in b' b) in B' by (intros k Hk; apply before_in in Hk; apply update_other; tauto).
  rewrite !Gaps in G. generalize (mul_le i _ _ ltac:(lra) G).
  generalize (D (sum (map b (after dec n (A b m))))) (D (theta n - b n)). unfold loss, payment_of. fold b'. lra.
Qed.
End VcgAndShapley.
