(* The sum of planned ends, and its least value S(b) = v_1 b_(1) + ... + v_N b_(N).

   The numbers i / c_m (i >= 1) in order are v_1 <= v_2 <= ...; `multiplier j` is v_(j+1), found by counting up the CPU
   whose next number is least; b_(1) >= b_(2) >= ... are the declared lengths in order. Every valid schedule has at
   least the sum S(b) (least_sum_lower), and one has exactly it (greedy_attains): the jobs, longest first, each in front
   of the list of the CPU whose next number is least.

   Proof of the bound. If some j jobs have length 1 and all others length 0, the sum of ends is at least v_1 + ... + v_j
   (units_bound): q of them on CPU m have ends of at least 1 / c_m, ..., q / c_m; one of these CPUs has more of them
   than it has of the least j - 1 numbers, so its last end is v_j or more (units_total). The sum of ends is linear in
   the lengths: applied to the j longest jobs for every j, summation by parts gives S(b) (weighted_bound).

   A job whose declaration changes by d changes the sum by d / c_m for each job from it to the end of its CPU m
   (total_ends_change). *)
From Coq Require Import List Lia Permutation.
Require Import Numbers Game Run Comparison.
Import ListNotations.

(* ================= DEFINITION ================= *)
Section Definitions.
Context {O CPU : Type}.
Variable dec_cpu : forall a b : CPU, {a = b} + {a <> b}.
Variable agents : list O.
Variables (first : CPU) (rest : list CPU).       (* the CPUs *)
Variable c : CPU -> num.                         (* their powers *)

Fixpoint insert (b : O -> num) (k : O) (L : list O) : list O :=
  match L with
  | [] => [k]
  | j :: L' => if lt_le (b j) (b k) then j :: insert b k L' else k :: L
  end.

Definition by_length (b : O -> num) (L : list O) : list O := fold_right (insert b) [] L.

(* shortest first, from x on *)
Fixpoint ascending (b : O -> num) (x : num) (L : list O) : Prop :=
  match L with
  | [] => True
  | k :: L' => x <= b k /\ ascending b (b k) L'
  end.

Fixpoint argmin (f : CPU -> num) (m : CPU) (l : list CPU) : CPU :=
  match l with
  | [] => m
  | m' :: l' => argmin f (if lt_le (f m') (f m) then m' else m) l'
  end.

Definition slot (k : CPU -> nat) (m : CPU) : num := ofnat (S (k m)) / c m.
Definition next (k : CPU -> nat) : CPU := argmin (slot k) first rest.

(* how many of the least j numbers i / c_m belong to each CPU *)
Fixpoint counts (j : nat) : CPU -> nat :=
  match j with
  | 0%nat => fun _ => 0%nat
  | S i => fun m => if dec_cpu m (next (counts i)) then S (counts i m) else counts i m
  end.

Definition multiplier (j : nat) : num := slot (counts j) (next (counts j)).          (* v_(j+1) *)
Fixpoint least_numbers (j : nat) : num :=                                           (* v_1 + ... + v_j *)
  match j with
  | 0%nat => 0
  | S i => least_numbers i + multiplier i
  end.

(* v_1 b_(1) + ... for a list with the shortest first *)
Fixpoint weighted (b : O -> num) (L : list O) : num :=
  match L with
  | [] => 0
  | k :: L' => multiplier (length L') * b k + weighted b L'
  end.

Definition S_of (b : O -> num) : num := weighted b (by_length b agents).
End Definitions.

(* ================= THE ENDS ON ONE CPU ================= *)
Section Total.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.

(* the sum of the ends on a CPU of power w that starts at t *)
Fixpoint total (w : num) (b : O -> num) (t : num) (L : list O) : num :=
  match L with
  | [] => 0
  | k :: L' => (t + b k / w) + total w b (t + b k / w) L'
  end.

(* how many jobs a list has from n to its end; 0 without n *)
Fixpoint remaining (n : O) (L : list O) : nat :=
  match L with
  | [] => 0
  | k :: L' => if dec k n then S (length L') else remaining n L'
  end.

Lemma total_is w b L : NoDup L -> forall t, sum (map (ends_from dec w b t L) L) == total w b t L.
Proof.
  induction 1 as [|k L Hk HL IH]; intros t; [simpl; lra|].
  assert (E : sum (map (ends_from dec w b t (k :: L)) L) == sum (map (ends_from dec w b (t + b k / w) L) L)).
  { apply sum_map_eq_in. intros n Hn. simpl. destruct (dec k n); [subst; tauto|lra]. }
  assert (F : ends_from dec w b t (k :: L) k = t + b k / w) by (simpl; destruct (dec k k); congruence).
  cbn [map sum fold_right total]. rewrite F. fold (sum (map (ends_from dec w b t (k :: L)) L)).
  specialize (IH (t + b k / w)). lra.
Qed.
Lemma div_equal w x y : x == y -> x / w == y / w.
Proof. intros H. rewrite H. reflexivity. Qed.
Lemma total_linear w (f g h : O -> num) a L : 0 < w -> (forall k, In k L -> h k == f k + a * g k) ->
  forall s t u, s == t + a * u -> total w h s L == total w f t L + a * total w g u L.
Proof.
  intros Hw. induction L as [|k L IH]; simpl; intros H s t u E; [lra|].
  assert (D := div_equal w _ _ (H k (or_introl eq_refl))).
  assert (F : (f k + a * g k) / w == f k / w + a * (g k / w)) by (field; lra).
  specialize (IH (fun j Hj => H j (or_intror Hj)) (s + h k / w) (t + f k / w) (u + g k / w) ltac:(lra)). lra.
Qed.

(* a later start, with the same lengths *)
Lemma total_later w (b b' : O -> num) L : (forall k, In k L -> b' k = b k) ->
  forall t u, total w b' u L == total w b t L + ofnat (length L) * (u - t).
Proof.
  induction L as [|k L IH]; simpl; intros H t u; [lra|]. rewrite (H k) by auto.
  specialize (IH (fun j Hj => H j (or_intror Hj)) (t + b k / w) (u + b k / w)). lra.
Qed.
Lemma total_change w (b b' : O -> num) n L : 0 < w -> (forall k, k <> n -> b' k = b k) -> NoDup L ->
  forall t, total w b' t L == total w b t L + ofnat (remaining n L) / w * (b' n - b n).
Proof.
  intros Hw H. induction 1 as [|k L Hk HL IH]; intros t; simpl.
  - assert (0 / w * (b' n - b n) == 0) by (field; lra). lra.
  - destruct (dec k n) as [e|ne]; [subst k|rewrite (H k ne); generalize (IH (t + b k / w)); lra].
    assert (E := total_later w b b' L (fun k Hi => H k ltac:(intros e; subst; tauto)) (t + b n / w) (t + b' n / w)).
    assert ((ofnat (length L) + 1) / w * (b' n - b n) == (ofnat (length L) + 1) * (b' n / w - b n / w)) by (field; lra).
    simpl. lra.
Qed.
Lemma remaining_outside n L : ~ In n L -> remaining n L = 0%nat.
Proof. induction L as [|k L IH]; simpl; intros H; [reflexivity|]. destruct (dec k n); tauto. Qed.
Lemma remaining_range n L : In n L -> (1 <= remaining n L <= length L)%nat.
Proof.
  induction L as [|k L IH]; simpl; [tauto|]. destruct (dec k n); [lia|]. intros [e|H]; [tauto|]. apply IH in H. lia.
Qed.

(* jobs of length 1, among jobs of length 0 *)
Fixpoint triangle (q : nat) : num := match q with 0%nat => 0 | S i => triangle i + ofnat (S i) end.

Lemma triangle_nonneg q : 0 <= triangle q.
Proof. induction q as [|q IH]; simpl; [lra|]. generalize (ofnat_nonneg q). lra. Qed.
Lemma units_on_cpu w (P : O -> bool) L : 0 < w -> forall t, 0 <= t ->
  triangle (length (filter P L)) / w + ofnat (length (filter P L)) * t <= total w (fun k => if P k then 1 else 0) t L.
Proof.
  intros Hw. assert (Z := div_zero w). induction L as [|k L IH]; simpl; intros t Ht; [lra|].
  destruct (P k); simpl; set (q := length (filter P L)) in *.
  - specialize (IH (t + 1 / w) ltac:(generalize (div_nonneg w 1 Hw ltac:(lra)); lra)).
    assert ((triangle q + (ofnat q + 1)) / w == triangle q / w + (ofnat q + 1) * (1 / w)) by (field; lra). lra.
  - specialize (IH (t + 0 / w) ltac:(lra)). assert (ofnat q * (0 / w) == 0) by (field; lra). lra.
Qed.
End Total.

(* ================= ALL CPUS ================= *)
Section Schedule.
Context {O CPU : Type} {dec : forall a b : O, {a = b} + {a <> b}} {agents : list O} {cpus : list CPU} {c : CPU -> num}.
Context {sg : CPU -> list O} (H : feasible dec agents cpus c sg).
Notation total_ends := (total_ends dec agents cpus c).

Lemma total_ends_lists b : total_ends sg b == sum (map (fun m => total (c m) b 0 (sg m)) cpus).
Proof.
  unfold Run.total_ends. assert (E := sum_permuted (planned dec cpus c sg b) _ _ (placed_once H)).
  assert (F := sum_map_flat_map (planned dec cpus c sg b) sg cpus). cut
    (sum (map (fun m => sum (map (planned dec cpus c sg b) (sg m))) cpus) ==
     sum (map (fun m => total (c m) b 0 (sg m)) cpus)); [lra|].
  apply sum_map_eq_in. intros m Hm. generalize (total_is dec (c m) b (sg m) (list_nodup H Hm) 0).
  assert (G := sum_map_eq_in (planned dec cpus c sg b) (ends_from dec (c m) b 0 (sg m)) (sg m)
                 (fun n Hn => planned_own H Hm Hn b)). lra.
Qed.
Lemma total_ends_linear (f g h : O -> num) a : (forall k, In k agents -> h k == f k + a * g k) ->
  total_ends sg h == total_ends sg f + a * total_ends sg g.
Proof.
  intros E. assert (F := total_ends_lists f). assert (G := total_ends_lists g). generalize (total_ends_lists h).
  assert (D : forall l, incl l cpus -> sum (map (fun m => total (c m) h 0 (sg m)) l) ==
    sum (map (fun m => total (c m) f 0 (sg m)) l) + a * sum (map (fun m => total (c m) g 0 (sg m)) l)).
  { induction l as [|m l IH]; intros Hl; simpl; [lra|]. specialize (IH (fun x Hx => Hl x (or_intror Hx))).
    generalize (total_linear (c m) f g h a (sg m) (positive H m)
      (fun k Hk => E k (scheduled H (Hl m (or_introl eq_refl)) Hk)) 0 0 0 ltac:(lra)). lra. }
  specialize (D cpus (fun x Hx => Hx)). setoid_rewrite G. lra.
Qed.

(* only the length of n changes *)
Lemma total_ends_change {n m} (b b' : O -> num) : In m cpus -> In n (sg m) -> (forall k, k <> n -> b' k = b k) ->
  total_ends sg b' == total_ends sg b + ofnat (remaining dec n (sg m)) / c m * (b' n - b n).
Proof.
  intros Hm Hn Ho. set (f := fun m => ofnat (remaining dec n (sg m)) / c m * (b' n - b n)).
  assert (E : sum (map (fun m => total (c m) b' 0 (sg m)) cpus) ==
              sum (map (fun m => total (c m) b 0 (sg m) + f m) cpus)).
  { apply sum_map_eq_in. intros x Hx. apply (total_change dec); [apply (positive H)|exact Ho|exact (list_nodup H Hx)]. }
  assert (F := sum_map_plus (fun m => total (c m) b 0 (sg m)) f cpus).
  assert (G : sum (map f cpus) == f m).
  { apply (sum_own_cpu H f Hm Hn). intros x Hx. unfold f. rewrite remaining_outside by exact Hx.
    simpl. field. generalize (positive H x). lra. }
  unfold f at 2 in G. cbv beta in F, G. generalize (total_ends_lists b) (total_ends_lists b'). lra.
Qed.
End Schedule.

(* ================= JOBS IN ORDER OF THEIR LENGTHS ================= *)
Section Sorting.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variable b : O -> num.

Lemma ascending_from x y L : y <= x -> ascending b x L -> ascending b y L.
Proof. destruct L as [|k L]; simpl; [auto|]. intros H [G1 G2]. split; [lra|exact G2]. Qed.
Lemma ascending_in x L : ascending b x L -> forall k, In k L -> x <= b k.
Proof.
  revert x; induction L as [|j L IH]; simpl; intros x H k; [tauto|]. destruct H as [H1 H2].
  intros [e|Hk]; [subst; lra|]. generalize (IH (b j) H2 k Hk). lra.
Qed.
Lemma remove_ascending n L : forall x, ascending b x L -> ascending b x (remove dec n L).
Proof.
  induction L as [|k L IH]; simpl; intros x H; [auto|]. destruct H as [H1 H2].
  destruct (dec n k); simpl; [apply (ascending_from (b k)); auto|auto].
Qed.
Lemma insert_ascending k L : forall x, x <= b k -> ascending b x L -> ascending b x (insert b k L).
Proof.
  induction L as [|j L IH]; simpl; intros x Hx H; [auto|]. destruct H as [H1 H2].
  destruct (lt_le (b j) (b k)); simpl; [|auto]. split; [exact H1|]. apply IH; [lra|exact H2].
Qed.
Lemma by_length_ascending L : (forall k, 0 <= b k) -> ascending b 0 (by_length b L).
Proof. intros H. induction L as [|k L IH]; simpl; [auto|]. apply insert_ascending; auto. Qed.
Lemma insert_perm k L : Permutation (k :: L) (insert b k L).
Proof. induction L as [|j L IH]; simpl; [auto|]. destruct lt_le; [|auto]. rewrite perm_swap. constructor. exact IH. Qed.
Lemma by_length_perm L : Permutation L (by_length b L).
Proof. induction L as [|k L IH]; simpl; [auto|]. rewrite <- insert_perm. constructor. exact IH. Qed.
Lemma remove_insert_same n L : remove dec n (insert b n L) = remove dec n L.
Proof.
  induction L as [|j L IH]; simpl; [destruct (dec n n); congruence|].
  destruct lt_le; simpl; [rewrite IH; reflexivity|destruct (dec n n); congruence].
Qed.
Lemma remove_insert n k L : k <> n -> forall x, ascending b x L ->
  remove dec n (insert b k L) = insert b k (remove dec n L).
Proof.
  intros Hk. induction L as [|j L IH]; intros x H; simpl in *; [destruct (dec n k); congruence|].
  destruct H as [H1 H2]. specialize (IH (b j) H2). destruct (lt_le (b j) (b k)) as [Hlt|Hge]; simpl.
  - rewrite IH. destruct (dec n j); simpl; [reflexivity|]. destruct lt_le; [reflexivity|exfalso; lra].
  - destruct (dec n k); [congruence|]. destruct (dec n j); simpl; [|destruct lt_le; [exfalso; lra|reflexivity]].
    destruct (remove dec n L) as [|i L'] eqn:E; [reflexivity|]. simpl. destruct lt_le; [exfalso|reflexivity].
    assert (Hi : In i L) by (apply (in_remove dec L i n); rewrite E; left; reflexivity).
    generalize (ascending_in (b j) L H2 i Hi). lra.
Qed.
End Sorting.

(* the others are in the same order, whatever n declares *)
Lemma remove_by_length {O : Type} (dec : forall a b : O, {a = b} + {a <> b}) n (b b' : O -> num) L :
  (forall k, 0 <= b k) -> (forall k, 0 <= b' k) -> (forall k, k <> n -> b' k = b k) ->
  remove dec n (by_length b' L) = remove dec n (by_length b L).
Proof.
  intros Hb Hb' Ho. induction L as [|k L IH]; simpl; [reflexivity|]. destruct (dec k n) as [e|ne].
  - subst k. rewrite !remove_insert_same. exact IH.
  - rewrite (remove_insert dec b' n k _ ne 0), (remove_insert dec b n k _ ne 0), IH by auto using by_length_ascending.
    assert (G : forall M, (forall j, In j M -> j <> n) -> insert b' k M = insert b k M).
    { induction M as [|j M IHM]; simpl; intros H; [reflexivity|]. rewrite (Ho k ne), (Ho j), IHM by auto. reflexivity. }
    apply G. intros j Hj. apply in_remove in Hj. tauto.
Qed.

(* ================= THE LEAST SUM ================= *)
Section ClosedForm.
Context {O CPU : Type} {dec : forall a b : O, {a = b} + {a <> b}}.
Variable dec_cpu : forall a b : CPU, {a = b} + {a <> b}.
Context {agents : list O} {first : CPU} {rest : list CPU} {c : CPU -> num}.
Notation cpus := (first :: rest).
Hypothesis cpus_once : NoDup cpus.
Hypothesis c_pos : forall m, 0 < c m.
Notation next := (next first rest c).
Notation slot := (slot c).
Notation counts := (counts dec_cpu first rest c).
Notation multiplier := (multiplier dec_cpu first rest c).
Notation least_numbers := (least_numbers dec_cpu first rest c).
Notation weighted := (weighted dec_cpu first rest c).
Notation S_of := (S_of dec_cpu agents first rest c).
Notation total_ends := (total_ends dec agents cpus c).

Lemma argmin_least (f : CPU -> num) l : forall m,
  In (argmin f m l) (m :: l) /\ forall m', In m' (m :: l) -> f (argmin f m l) <= f m'.
Proof.
  induction l as [|x l IH]; intros m; simpl; [split; [auto|intros m' [e|[]]; subst; lra]|].
  destruct (IH (if lt_le (f x) (f m) then x else m)) as [I1 I2]. split.
  - destruct I1 as [e|I1]; [|auto]. rewrite <- e. destruct lt_le; auto.
  - assert (G := I2 _ (or_introl eq_refl)). intros m' [e|[e|H]]; [..|apply I2; right; exact H];
      subst m'; destruct (lt_le (f x) (f m)); lra.
Qed.
Lemma next_in k : In (next k) cpus.
Proof. apply (argmin_least (slot k)). Qed.
Lemma multiplier_least j m : In m cpus -> multiplier j <= slot (counts j) m.
Proof. apply (argmin_least (slot (counts j))). Qed.
Lemma counts_sum j : sum (map (fun m => ofnat (counts j m)) cpus) == ofnat j.
Proof.
  induction j as [|j IH]; [apply sum_zero; intros; simpl; lra|]. set (x := next (counts j)).
  assert (E := sum_one_change dec_cpu (fun m => ofnat (counts j m)) (fun m => ofnat (counts (S j) m)) x cpus cpus_once
    (next_in _)). simpl in E, IH |- *. fold x in E |- *. destruct (dec_cpu x x) as [|]; [|congruence].
  specialize (E ltac:(intros k Hk; destruct (dec_cpu k x); [congruence|lra])). simpl in E. lra.
Qed.
Lemma units_total j : forall k : CPU -> nat, sum (map (fun m => ofnat (k m)) cpus) == ofnat j ->
  least_numbers j <= sum (map (fun m => triangle (k m) / c m) cpus).
Proof.
  induction j as [|j IH]; intros k Hk.
  - apply sum_map_nonneg. intros m. apply div_nonneg; [apply c_pos|apply triangle_nonneg].
  - destruct (Exists_dec (fun m => (counts j m < k m)%nat) cpus (fun m => Compare_dec.lt_dec _ _)) as [E|E].
    + apply Exists_exists in E. destruct E as (m & Hm & Hlt). set (k' x := if dec_cpu x m then pred (k x) else k x).
      assert (Same : forall x, x <> m -> k x = k' x) by (intros x Hx; unfold k'; destruct (dec_cpu x m); congruence).
      assert (Own : k m = S (k' m)) by (unfold k'; destruct (dec_cpu m m); [lia|congruence]).
      assert (F := sum_one_change dec_cpu (fun x => ofnat (k' x)) (fun x => ofnat (k x)) m cpus cpus_once Hm
        (fun x Hx => ltac:(cbv beta; rewrite (Same x Hx); lra))).
      assert (G := sum_one_change dec_cpu (fun x => triangle (k' x) / c x) (fun x => triangle (k x) / c x) m cpus
        cpus_once Hm (fun x Hx => ltac:(cbv beta; rewrite (Same x Hx); lra))). cbv beta in F, G. rewrite Own in F, G.
      cbn [triangle ofnat] in F, G, Hk. specialize (IH k' ltac:(lra)).
      assert (M := multiplier_least j m Hm). assert (D := div_le (c m) _ _ (c_pos m) (ofnat_le _ _ Hlt)).
      rewrite Own in D. unfold LeastSum.slot in M. cbn [ofnat] in D, M.
      generalize (div_plus (c m) (triangle (k' m)) (ofnat (k' m) + 1) (c_pos m)). cbn [LeastSum.least_numbers]. lra.
    + exfalso. assert (L := counts_sum j).
      assert (G : sum (map (fun m => ofnat (k m)) cpus) <= sum (map (fun m => ofnat (counts j m)) cpus)).
      { apply sum_map_le. intros m Hm. apply ofnat_le, Compare_dec.not_lt. intros Hlt. apply E, Exists_exists. eauto. }
      simpl ofnat in Hk. lra.
Qed.

Section Bound.
Context {sg : CPU -> list O} (H : feasible dec agents cpus c sg).
Definition member (L : list O) (k : O) : bool := if in_dec dec k L then true else false.

Lemma units_bound L : NoDup L -> incl L agents ->
  least_numbers (length L) <= total_ends sg (fun k => if member L k then 1 else 0).
Proof.
  intros Hd Hi. assert (E := total_ends_lists H (fun k => if member L k then 1 else 0)).
  set (q m := length (filter (member L) (sg m))).
  assert (F : sum (map (fun m => triangle (q m) / c m) cpus) <=
              sum (map (fun m => total (c m) (fun k => if member L k then 1 else 0) 0 (sg m)) cpus)).
  { apply sum_map_le. intros m _. generalize (units_on_cpu (c m) (member L) (sg m) (c_pos m) 0 ltac:(lra)).
    fold (q m). simpl. lra. }
  assert (G : forall l, sum (map (fun m => ofnat (q m)) l) == ofnat (length (filter (member L) (flat_map sg l)))).
  { induction l as [|m l IH]; simpl; [lra|]. rewrite filter_app, app_length. fold (q m).
    generalize (ofnat_plus (q m) (length (filter (member L) (flat_map sg l)))). lra. }
  assert (P : Permutation (filter (member L) (flat_map sg cpus)) L).
  { apply NoDup_Permutation; [apply NoDup_filter, (jobs_nodup H)|exact Hd|]. intros k. rewrite filter_In. unfold member.
    destruct in_dec as [Hk|Hk]; [|split; [intros [_ G0]; discriminate|tauto]]. split; [tauto|]. intros _.
    split; [|reflexivity]. apply (Permutation_in k (Permutation_sym (placed_once H))), Hi, Hk. }
  specialize (G cpus). rewrite (Permutation_length P) in G. generalize (units_total _ q G). lra.
Qed.

(* summation by parts *)
Lemma weighted_bound b L : NoDup L -> incl L agents -> forall x, ascending b x L ->
  weighted b L - x * least_numbers (length L) <= total_ends sg (fun k => if member L k then b k - x else 0).
Proof.
  induction 1 as [|k L Hk HL IH]; intros Hi x Ha.
  - generalize (units_bound [] (NoDup_nil O) Hi). simpl. lra.
  - destruct Ha as [H1 H2]. specialize (IH (fun y Hy => Hi y (or_intror Hy)) (b k) H2).
    assert (G := units_bound (k :: L) (NoDup_cons k Hk HL) Hi). simpl in IH, G |- *.
    assert (M := mul_le (b k - x) _ _ ltac:(lra) G).
    assert (E := total_ends_linear H (fun j => if member L j then b j - b k else 0)
      (fun j => if member (k :: L) j then 1 else 0) (fun j => if member (k :: L) j then b j - x else 0) (b k - x)).
    rewrite E; [lra|]. intros j _. unfold member. simpl. destruct (dec k j) as [e|ne].
    + subst j. destruct (in_dec dec k L); [tauto|lra].
    + destruct (in_dec dec j L); lra.
Qed.

Theorem least_sum_lower b : (forall k, 0 <= b k) -> S_of b <= total_ends sg b.
Proof.
  intros Hb. assert (P := by_length_perm b agents). assert (G := weighted_bound b (by_length b agents)
    (Permutation_NoDup P (agents_once H)) (fun x Hx => Permutation_in x (Permutation_sym P) Hx) 0
    (by_length_ascending b agents Hb)). unfold LeastSum.S_of.
  assert (E := total_ends_linear H (fun k => if member (by_length b agents) k then b k - 0 else 0) b b 0).
  rewrite E; [lra|]. intros k Hk. unfold member. destruct in_dec as [|n]; [lra|destruct n].
  apply (Permutation_in k P Hk).
Qed.
End Bound.

(* ---------- the schedule that attains it ---------- *)
Lemma insert_somewhere (f : CPU -> list O) k m l : NoDup l -> In m l ->
  Permutation (flat_map (fun x => if dec_cpu x m then k :: f x else f x) l) (k :: flat_map f l).
Proof.
  induction 1 as [|x l Hx Hl IH]; simpl; [tauto|]. intros H. destruct (dec_cpu x m) as [e|ne].
  - subst x. simpl. constructor. apply Permutation_app_head. rewrite !flat_map_concat_map.
    rewrite (map_ext_in _ f); [reflexivity|]. intros y Hy. destruct (dec_cpu y m); [subst; tauto|reflexivity].
  - destruct H as [H|H]; [congruence|]. rewrite (IH H). symmetry. apply Permutation_middle.
Qed.
Lemma greedy (b : O -> num) L : exists sg, valid L cpus sg /\ (forall m, length (sg m) = counts (length L) m) /\
  sum (map (fun m => total (c m) b 0 (sg m)) cpus) == weighted b L.
Proof.
  induction L as [|k L (sg & V & N & T)].
  - exists (fun _ => []). split; [|split; [reflexivity|apply sum_zero; intros; simpl; lra]].
    unfold valid. generalize cpus as l. induction l; simpl; [constructor|assumption].
  - set (m := next (counts (length L))). exists (fun x => if dec_cpu x m then k :: sg x else sg x).
    split; [unfold valid; rewrite (insert_somewhere sg k m cpus cpus_once (next_in _)), V; reflexivity|].
    split; [intros x; simpl; fold m; destruct (dec_cpu x m); simpl; rewrite N; reflexivity|].
    assert (E := sum_one_change dec_cpu (fun m => total (c m) b 0 (sg m))
      (fun x => total (c x) b 0 (if dec_cpu x m then k :: sg x else sg x)) m cpus cpus_once (next_in _)).
    rewrite E; [|intros x Hx; destruct (dec_cpu x m); [congruence|lra]]. destruct (dec_cpu m m); [|congruence].
    generalize (total_later (c m) b b (sg m) (fun _ _ => eq_refl) 0 (0 + b k / c m)). rewrite N.
    cbn [LeastSum.weighted total]. unfold LeastSum.multiplier, LeastSum.slot. fold m. cbn [ofnat].
    set (i := ofnat (counts (length L) m)).
    assert ((i + 1) / c m * b k == (i + 1) * (b k / c m)) by (field; generalize (c_pos m); lra). lra.
Qed.

Theorem greedy_attains b : NoDup agents -> exists sg, feasible dec agents cpus c sg /\ total_ends sg b == S_of b.
Proof.
  intros Hd. destruct (greedy b (by_length b agents)) as (sg & V & _ & T). exists sg.
  assert (F : feasible dec agents cpus c sg).
  { constructor; [exact Hd|exact c_pos|]. unfold valid. rewrite V. symmetry. apply by_length_perm. }
  split; [exact F|]. generalize (total_ends_lists F b). unfold LeastSum.S_of. lra.
Qed.
End ClosedForm.
