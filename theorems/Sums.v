(* Sums of numbers and facts about lists that the theorems share; nothing here knows what a game is.

   In this order: numbers; lists; sums; sums over the elements of a list (compared, added up, exchanged, counted);
   removing an element; maxima and least elements; sorted lists; the number of jobs of at least a given length. *)
From Coq Require Import List Lia Permutation Sorted.
Require Import Numbers.
Import ListNotations.

(* ================= DEFINITION ================= *)
Definition sum (l : list num) : num := fold_right (fun x y : num => x + y) 0 l.
Definition nonneg (l : list num) := forall x, In x l -> 0 <= x.

(* shortest first, longest first *)
Definition ascending : list num -> Prop := StronglySorted (fun x y => x <= y).
Definition descending : list num -> Prop := StronglySorted (fun x y => y <= x).

(* ================= numbers ================= *)
Lemma ofnat_nonneg n : 0 <= ofnat n.
Proof. induction n; simpl; lra. Qed.
Lemma ofnat_le n m : (n <= m)%nat -> ofnat n <= ofnat m.
Proof. induction 1; simpl; lra. Qed.
Lemma ofnat_plus n m : ofnat (n + m) == ofnat n + ofnat m.
Proof. induction n; simpl; lra. Qed.
Lemma mul_cancel (a x y : num) : 0 < a -> a * x <= a * y -> x <= y.
Proof. intros Ha H. destruct (lt_le y x) as [G|G]; [exfalso; nra|exact G]. Qed.
Lemma mul_le (a x y : num) : 0 <= a -> x <= y -> a * x <= a * y.
Proof. intros; nra. Qed.
Lemma mul_nonneg (a b : num) : 0 <= a -> 0 <= b -> 0 <= a * b.
Proof. intros; nra. Qed.
Lemma mul_pos (a x : num) : 0 < a -> 0 < x -> 0 < a * x.
Proof. intros; nra. Qed.
Lemma mul_nonneg_cancel (a x : num) : 0 < a -> 0 <= a * x -> 0 <= x.
Proof. intros Ha H. destruct (lt_le x 0) as [G|G]; [exfalso; nra|exact G]. Qed.

(* ================= lists ================= *)
Lemma in_nonempty {A : Type} (x : A) l : In x l -> l <> [].
Proof. destruct l; [intros []|discriminate]. Qed.
Lemma list_eq_nil {A : Type} (l : list A) : l = [] \/ l <> [].
Proof. destruct l; [left; reflexivity|right; discriminate]. Qed.
Lemma perm_nonempty {A : Type} (l l' : list A) : Permutation l l' -> l <> [] -> l' <> [].
Proof. intros P H e. subst l'. apply H, Permutation_nil, Permutation_sym, P. Qed.
Lemma nodup_app {X : Type} (L M : list X) : NoDup (L ++ M) -> NoDup L /\ NoDup M /\ (forall x, In x L -> ~ In x M).
Proof.
  induction L as [|x L IH]; simpl; intros H; [repeat split; [constructor|exact H|tauto]|].
  inversion H as [|y r H1 H2]; subst. destruct (IH H2) as (G1 & G2 & G3). rewrite in_app_iff in H1.
  split; [constructor; tauto|]. split; [exact G2|]. intros y [e|Hy]; [subst; tauto|auto].
Qed.
Lemma flat_map_same {A B : Type} (f g : A -> list B) L : (forall b, In b L -> f b = g b) -> flat_map f L = flat_map g L.
Proof. intros H. rewrite !flat_map_concat_map. f_equal. apply map_ext_in. exact H. Qed.

(* ================= sums ================= *)

Lemma nonneg_cons x l : nonneg (x :: l) -> 0 <= x /\ nonneg l.
Proof. intros H. split; [apply H; left; reflexivity|intros y Hy; apply H; right; exact Hy]. Qed.
Lemma nonneg_app l l' : nonneg (l ++ l') <-> nonneg l /\ nonneg l'.
Proof.
  split; [intros H; split; intros x Hx; apply H, in_or_app; auto|].
  intros [H H'] x Hx. apply in_app_or in Hx. destruct Hx; auto.
Qed.
Lemma nonneg_perm l l' : Permutation l l' -> nonneg l -> nonneg l'.
Proof. intros P H x Hx. exact (H x (Permutation_in x (Permutation_sym P) Hx)). Qed.
Lemma nonneg_flat_map {A : Type} (f : A -> list num) L : (forall b, nonneg (f b)) -> nonneg (flat_map f L).
Proof. intros H x Hx. apply in_flat_map in Hx. destruct Hx as (b & _ & Hx). exact (H b x Hx). Qed.
Lemma sum_nonneg l : nonneg l -> 0 <= sum l.
Proof.
  induction l as [|x l IH]; intros H; simpl; [lra|].
  destruct (nonneg_cons x l H) as [Hx Hl]. specialize (IH Hl). lra.
Qed.
Lemma sum_app l l' : sum (l ++ l') == sum l + sum l'.
Proof. induction l as [|x l IH]; simpl; lra. Qed.
Lemma sum_perm l l' : Permutation l l' -> sum l == sum l'.
Proof. induction 1; simpl; lra. Qed.
Lemma sum_flat_map {A : Type} (f : A -> list num) L : sum (flat_map f L) == sum (map (fun b => sum (f b)) L).
Proof. induction L as [|b L IH]; simpl; [lra|]. generalize (sum_app (f b) (flat_map f L)). lra. Qed.
Lemma sum_map_flat_map {X Y : Type} (f : Y -> num) (g : X -> list Y) L :
  sum (map f (flat_map g L)) == sum (map (fun x => sum (map f (g x))) L).
Proof.
  induction L as [|x L IH]; simpl; [lra|].
  rewrite map_app. generalize (sum_app (map f (g x)) (map f (flat_map g L))). lra.
Qed.
Lemma in_sum_le x L : nonneg L -> In x L -> x <= sum L.
Proof.
  intros Hn. induction L as [|y L IH]; simpl; [tauto|].
  destruct (nonneg_cons y L Hn) as [Hy HL]. generalize (sum_nonneg L HL).
  intros H0 [e|Hi]; [subst; lra|]. specialize (IH HL Hi). lra.
Qed.
Lemma sum_ones m : sum (repeat 1 m) == ofnat m.
Proof. induction m; simpl; lra. Qed.
Lemma sum_const {X : Type} (x : num) (L : list X) : sum (map (fun _ => x) L) == ofnat (length L) * x.
Proof. induction L as [|y L IH]; simpl; lra. Qed.
Lemma sum_units {A : Type} (L : list A) : sum (map (fun _ => 1) L) == ofnat (length L).
Proof. rewrite (sum_const 1 L). lra. Qed.
Lemma length_some {A : Type} (x : A) L : In x L -> 1 <= ofnat (length L).
Proof. destruct L as [|y L]; [intros []|]. intros _. simpl. generalize (ofnat_nonneg (length L)). lra. Qed.
Lemma nonneg_ones m : nonneg (repeat 1 m).
Proof. intros x H. apply repeat_spec in H. subst x. lra. Qed.

(* ================= sums over the elements of a list ================= *)
Section SumsOver.
Context {O : Type}.
Implicit Types (f g : O -> num) (os : list O).

Lemma sum_map_le f g os : (forall b, In b os -> f b <= g b) -> sum (map f os) <= sum (map g os).
Proof.
  induction os as [|b os IH]; simpl; intros H; [lra|].
  assert (Hb := H b (or_introl eq_refl)). specialize (IH (fun c Hc => H c (or_intror Hc))). lra.
Qed.
Lemma sum_map_eq_in f g os : (forall b, In b os -> f b == g b) -> sum (map f os) == sum (map g os).
Proof.
  intros H.
  assert (H1 : sum (map f os) <= sum (map g os)) by (apply sum_map_le; intros b Hb; specialize (H b Hb); lra).
  assert (H2 : sum (map g os) <= sum (map f os)) by (apply sum_map_le; intros b Hb; specialize (H b Hb); lra). lra.
Qed.
Lemma sum_map_eq f g os : (forall b, f b == g b) -> sum (map f os) == sum (map g os).
Proof. intros H. apply sum_map_eq_in. intros b _. apply H. Qed.
Lemma sum_zero f os : (forall b, In b os -> f b == 0) -> sum (map f os) == 0.
Proof. intros H. generalize (sum_map_eq_in f (fun _ => 0) os H) (sum_const 0 os). lra. Qed.
Lemma sum_map_nonneg f os : (forall b, 0 <= f b) -> 0 <= sum (map f os).
Proof. intros H; induction os as [|b os IH]; simpl; [lra|]. specialize (H b). lra. Qed.
Lemma sum_map_ge f os b : (forall c, 0 <= f c) -> In b os -> f b <= sum (map f os).
Proof.
  intros H Hb. apply in_sum_le; [|apply in_map; exact Hb].
  intros x Hx. apply in_map_iff in Hx. destruct Hx as (c & e & _). subst x. apply H.
Qed.
Lemma sum_map_plus f g os : sum (map (fun b => f b + g b) os) == sum (map f os) + sum (map g os).
Proof. induction os as [|b os IH]; simpl; lra. Qed.
Lemma sum_swap (f : O -> O -> num) L M :
  sum (map (fun a => sum (map (fun l => f a l) M)) L) == sum (map (fun l => sum (map (fun a => f a l) L)) M).
Proof.
  induction L as [|a L IH]; simpl.
  - induction M as [|l M IH]; simpl; lra.
  - assert (E := sum_map_plus (fun l => f a l) (fun l => sum (map (fun b => f b l) L)) M). simpl in E. lra.
Qed.
Lemma sum_less f g L : sum (map f L) < sum (map g L) -> exists l, In l L /\ f l < g l.
Proof.
  induction L as [|b L IH]; simpl; [lra|]. intros H. destruct (lt_le (f b) (g b)) as [G|G]; [exists b; auto|].
  destruct IH as (l & Hl & G'); [lra|exists l; auto].
Qed.

(* a sum over some of the elements is at most the sum over all of them *)
Lemma sum_incl f (L M : list O) : (forall b, 0 <= f b) -> NoDup L -> incl L M -> sum (map f L) <= sum (map f M).
Proof.
  intros Hf. revert M; induction L as [|b L IH]; intros M Hn Hi; simpl.
  - apply sum_map_nonneg; exact Hf.
  - inversion Hn as [|b' L' Hb HL]; subst.
    destruct (in_split b M (Hi b (or_introl eq_refl))) as (M1 & M2 & E).
    assert (G : sum (map f L) <= sum (map f (M1 ++ M2))).
    { apply IH; [exact HL|]. intros c Hc. assert (Hc' := Hi c (or_intror Hc)). subst M.
      apply in_app_or in Hc'. apply in_or_app. destruct Hc' as [H|[H|H]]; auto. subst c. tauto. }
    subst M. rewrite map_app in *. simpl in *.
    generalize (sum_app (map f M1) (f b :: map f M2)) (sum_app (map f M1) (map f M2)). simpl. lra.
Qed.
Lemma sum_le_const f T L : (forall l, In l L -> f l <= T) -> sum (map f L) <= ofnat (length L) * T.
Proof. intros H. generalize (sum_map_le f (fun _ => T) L H) (sum_const T L). lra. Qed.
Lemma sum_ge_const f s L : (forall l, In l L -> s <= f l) -> ofnat (length L) * s <= sum (map f L).
Proof. intros H. generalize (sum_map_le (fun _ => s) f L H) (sum_const s L). lra. Qed.

Variable dec : forall a b : O, {a = b} + {a <> b}.

(* a sum with one term *)
Lemma sum_point (m : O) (x : num) L : NoDup L -> In m L -> sum (map (fun l => if dec m l then x else 0) L) == x.
Proof.
  induction 1 as [|b L Hb HL IH]; simpl; [tauto|]. intros [e|H].
  - subst b. destruct (dec m m); [|congruence].
    assert (E : sum (map (fun l => if dec m l then x else 0) L) == 0); [|lra].
    apply sum_zero. intros b Hin. destruct (dec m b); [congruence|lra].
  - specialize (IH H). destruct (dec m b); [congruence|]. lra.
Qed.

(* f is at least s on all elements of L but those of E *)
Lemma sum_ge_except f s E : forall L, (forall l, 0 <= f l) -> 0 <= s -> NoDup L ->
  (forall l, In l L -> ~ In l E -> s <= f l) ->
  (ofnat (length L) - ofnat (length E)) * s <= sum (map f L).
Proof.
  induction E as [|e E IH]; intros L Hf Hs Hn H; simpl.
  - assert (G := sum_ge_const f s L (fun l Hl => H l Hl (fun x => x))). lra.
  - destruct (in_dec dec e L) as [Hi|Hi].
    + destruct (in_split e L Hi) as (L1 & L2 & EL). subst L. destruct (NoDup_remove _ _ _ Hn) as [Hn' He].
      assert (G : (ofnat (length (L1 ++ L2)) - ofnat (length E)) * s <= sum (map f (L1 ++ L2))).
      { apply IH; try assumption. intros l Hl HE. apply H.
        - apply in_app_or in Hl. apply in_or_app. destruct Hl; [left|right; right]; assumption.
        - intros [e'|H']; [subst; tauto|tauto]. }
      assert (EL : ofnat (length (L1 ++ e :: L2)) == ofnat (length (L1 ++ L2)) + 1).
      { rewrite !app_length. simpl. rewrite <- plus_n_Sm. simpl. lra. }
      assert (E1 : (ofnat (length (L1 ++ e :: L2)) - (ofnat (length E) + 1)) * s
                   == (ofnat (length (L1 ++ L2)) - ofnat (length E)) * s) by (rewrite EL; ring).
      rewrite map_app in *. specialize (Hf e). simpl.
      generalize (sum_app (map f L1) (f e :: map f L2)) (sum_app (map f L1) (map f L2)). simpl. lra.
    + assert (G : (ofnat (length L) - ofnat (length E)) * s <= sum (map f L)); [|lra].
      apply IH; auto. intros l Hl HE. apply H; [exact Hl|]. intros [e'|H']; [subst; tauto|tauto].
Qed.

(* ================= removing an element ================= *)
Lemma in_remove_iff (x a : O) l : In x (remove dec a l) <-> In x l /\ x <> a.
Proof. split; [apply in_remove|]. intros [H n]. exact (in_in_remove dec l n H). Qed.
Lemma remove_nodup a l : NoDup l -> NoDup (remove dec a l).
Proof.
  induction 1 as [|b l Hb Hl IH]; simpl; [constructor|].
  destruct (dec a b); [exact IH|]. constructor; [|exact IH]. rewrite in_remove_iff; tauto.
Qed.
Lemma remove_perm a l : NoDup l -> In a l -> Permutation l (a :: remove dec a l).
Proof.
  intros Hn Ha. apply NoDup_Permutation; [exact Hn| |].
  - constructor; [rewrite in_remove_iff; tauto|apply remove_nodup; exact Hn].
  - intros x. simpl. rewrite in_remove_iff. destruct (dec a x) as [e|n].
    + subst x. split; auto.
    + split; [intros H; right; split; congruence|intros [H|[H _]]; congruence].
Qed.

(* finitely many choices make a function *)
Lemma choice (machines : list O) : (forall l, In l machines) ->
  forall (A : Type) (P : O -> A -> Prop), (forall a, exists x, P a x) -> (O -> A) ->
  exists h : O -> A, forall a, P a (h a).
Proof.
  intros all A P H h0.
  assert (G : forall L, exists h : O -> A, forall a, In a L -> P a (h a)).
  { induction L as [|b L (h & Hh)]; [exists h0; simpl; tauto|].
    destruct (H b) as (x & Hx). exists (fun a => if dec a b then x else h a).
    intros a Ha. destruct (dec a b) as [e|n]; [subst; exact Hx|]. apply Hh. destruct Ha; [congruence|assumption]. }
  destruct (G machines) as (h & Hh). exists h. intros a. apply Hh, all.
Qed.
End SumsOver.

Lemma sum_all_ge p L : (forall x, In x L -> p <= x) -> ofnat (length L) * p <= sum L.
Proof. intros H. rewrite <- (map_id L) at 2. exact (sum_ge_const (fun x => x) p L H). Qed.

(* ================= maxima and least elements ================= *)
Lemma fold_max_le L c : fold_right nmax 0 L <= c <-> 0 <= c /\ forall x, In x L -> x <= c.
Proof.
  induction L as [|y L IH]; simpl.
  - split; [intros H; split; [exact H|tauto]|tauto].
  - rewrite nmax_le, IH. split.
    + intros [H1 [H2 H3]]; split; [exact H2|]. intros x [H|H]; [subst; exact H1|auto].
    + intros [H1 H2]; split; [apply H2; auto|split; auto].
Qed.

(* a list can be sorted by a total transitive relation, so it has a least element *)
Lemma list_sorted {A : Type} (le : A -> A -> Prop) (L : list A) :
  (forall x y, le x y \/ le y x) -> (forall x y z, le x y -> le y z -> le x z) ->
  exists L', Permutation L L' /\ StronglySorted le L'.
Proof.
  intros Ht Htr. induction L as [|a L (L' & P & S)]; [exists []; split; constructor|].
  assert (I : exists L2, Permutation (a :: L') L2 /\ StronglySorted le L2).
  { clear P. induction S as [|b L' S (L2 & P & S2) Hb]; [exists [a]; split; repeat constructor|].
    destruct (Ht a b) as [H|H].
    - exists (a :: b :: L'). split; [apply Permutation_refl|]. constructor; [constructor; assumption|].
      constructor; [exact H|]. apply Forall_impl with (2 := Hb). intros z. exact (Htr a b z H).
    - exists (b :: L2). split; [exact (Permutation_trans (perm_swap b a L') (perm_skip b P))|].
      constructor; [exact S2|]. apply (Permutation_Forall P). constructor; assumption. }
  destruct I as (L2 & P2 & S2). exists L2. split; [exact (Permutation_trans (perm_skip a P) P2)|exact S2].
Qed.
Lemma list_least {A : Type} (le : A -> A -> Prop) (L : list A) :
  (forall x y, le x y \/ le y x) -> (forall x y z, le x y -> le y z -> le x z) ->
  L <> [] -> exists x, In x L /\ forall y, In y L -> le x y.
Proof.
  intros Ht Htr Hne. destruct (list_sorted le L Ht Htr) as (L' & P & S).
  destruct S as [|x L' _ Hx]; [destruct (perm_nonempty _ _ P Hne eq_refl)|]. rewrite Forall_forall in Hx.
  exists x. split; [apply (Permutation_in x (Permutation_sym P)); left; reflexivity|].
  intros y Hy. apply (Permutation_in y P) in Hy. destruct Hy as [e|Hy]; [subst; destruct (Ht y y); assumption|auto].
Qed.

(* an element at which f is least *)
Lemma least_value {A : Type} (f : A -> num) L : L <> [] -> exists x, In x L /\ forall y, In y L -> f x <= f y.
Proof.
  apply (list_least (fun x y => f x <= f y)).
  - intros x y. destruct (lt_le (f x) (f y)); [left|right]; lra.
  - intros x y z. lra.
Qed.

(* ================= shortest first, longest first ================= *)
Lemma sort_ascending l : exists l', Permutation l l' /\ ascending l'.
Proof. apply list_sorted; [intros x y; destruct (lt_le x y); [left|right]; lra|intros; lra]. Qed.
Lemma sort_descending l : exists l', Permutation l l' /\ descending l'.
Proof. apply list_sorted; [intros x y; destruct (lt_le x y); [right|left]; lra|intros; lra]. Qed.
Lemma descending_before pre p post : descending (pre ++ p :: post) -> forall x, In x pre -> p <= x.
Proof.
  induction pre as [|y pre IH]; simpl; [tauto|]. intros H x. inversion H as [|y' l Hl Hy]; subst.
  intros [e|Hx]; [|exact (IH Hl x Hx)]. subst y. rewrite Forall_forall in Hy. apply Hy, in_or_app. right. left.
  reflexivity.
Qed.

(* ================= the number of elements of at least p ================= *)
Definition big (p : num) (L : list num) : num := sum (map (fun x => if lt_le x p then 0 else 1) L).

Lemma big_cons p x L : big p (x :: L) == (if lt_le x p then 0 else 1) + big p L.
Proof. unfold big. simpl. lra. Qed.
Lemma big_app p L L' : big p (L ++ L') == big p L + big p L'.
Proof. unfold big. rewrite map_app. apply sum_app. Qed.
Lemma big_perm p L L' : Permutation L L' -> big p L == big p L'.
Proof. intros H. unfold big. apply sum_perm. apply Permutation_map. exact H. Qed.
Lemma big_nonneg p L : 0 <= big p L.
Proof. unfold big. apply sum_map_nonneg. intros x. destruct (lt_le x p); lra. Qed.
Lemma big_all p pre : (forall x, In x pre -> p <= x) -> big p pre == ofnat (length pre).
Proof.
  intros H. rewrite <- sum_units. apply sum_map_eq_in. intros x Hx. specialize (H x Hx). destruct (lt_le x p); lra.
Qed.

(* a sum below p leaves room for none of them, one below 2p for one *)
Lemma big_le1 p L : nonneg L -> (sum L < p -> big p L <= 0) /\ (sum L < p + p -> big p L <= 1).
Proof.
  induction L as [|x L IH]; intros Hn; unfold big; simpl; [lra|].
  destruct (nonneg_cons x L Hn) as [Hx HL]. generalize (sum_nonneg L HL). intros H0. destruct (IH HL) as [I1 I2].
  fold (big p L). destruct (lt_le x p); split; intros G; try (specialize (I1 ltac:(lra)); lra);
    try (specialize (I2 ltac:(lra)); lra); lra.
Qed.

(* ================= natural numbers ================= *)
Lemma ofnat_inj i j : ofnat i == ofnat j -> i = j.
Proof.
  intros H. destruct (Compare_dec.lt_eq_lt_dec i j) as [[G|G]|G]; [exfalso|exact G|exfalso];
  apply ofnat_le in G; simpl in G; lra.
Qed.
Lemma list_sum_in {A : Type} (f : A -> nat) L b : In b L -> (f b <= list_sum (map f L))%nat.
Proof. induction L as [|c L IH]; simpl; [tauto|]. intros [e|Hi]; [subst; lia|specialize (IH Hi); lia]. Qed.
Lemma list_sum_less {A : Type} (f g : A -> nat) L c :
  (forall b, (g b <= f b)%nat) -> (g c < f c)%nat -> In c L -> (list_sum (map g L) < list_sum (map f L))%nat.
Proof.
  intros H Hc. assert (Hle : forall M, (list_sum (map g M) <= list_sum (map f M))%nat).
  { induction M as [|b M IH]; simpl; [lia|]. specialize (H b). lia. }
  induction L as [|b L IH]; simpl; [tauto|]. intros [e|Hi].
  - subst b. specialize (Hle L). lia.
  - specialize (IH Hi). specialize (H b). lia.
Qed.
