(* List scheduling on identical machines: the next job of a list starts on the machine of least load.

   Machines are alike, so only their loads matter: they are kept as one list, least first. A job starts at the head of
   the list and puts its completion time back in order; which of several machines of least load it takes is all
   the same.

   1. List schedules are monotone (F1 in the documentation): with smaller loads at the beginning, or with smaller jobs
      position by position, or without a job (which is a job of length 0), no job starts later.
   2. The insertion lemma: a longest-first list with one more job x ends by c if it ends by c without x and its least
      final load, plus x, is at most c. A job y behind x is compared with the same list in which y itself stands in the
      place where x does: every sorted load is at least as large with x as with y, and all of them together by x - y.
   3. Schedules with free choice of the machine, [schedule], among them those that always choose a least load,
      [list_schedule]: what an organization can do when it has to place its jobs one after the other. *)
From Coq Require Import List Lia Permutation Sorted.
Require Import Numbers Game Loads.
Import ListNotations.

(* ================= DEFINITION ================= *)
(* loads of idle machines *)
Definition idle (n : nat) : list num := repeat 0 n.

Fixpoint insert (x : num) (loads : list num) : list num :=
  match loads with
  | [] => [x]
  | y :: rest => if lt_le y x then y :: insert x rest else x :: loads
  end.

(* the time at which the next job starts *)
Definition start (loads : list num) : num := hd 0 loads.

(* the loads after a job of length x *)
Definition serve (x : num) (loads : list num) : list num :=
  match loads with [] => [] | t :: rest => insert (t + x) rest end.

(* the loads after a list of jobs, and the completion times of its jobs *)
Fixpoint run (loads js : list num) : list num :=
  match js with [] => loads | x :: js' => run (serve x loads) js' end.
Fixpoint completions (loads js : list num) : list num :=
  match js with [] => [] | x :: js' => start loads + x :: completions (serve x loads) js' end.

(* all times at most c, and the other way round *)
Definition by_time (c : num) (times : list num) : Prop := forall t, In t times -> t <= c.
Notation below := (Forall2 (fun x y : num => x <= y)).

(* ---------- loads stay in order ---------- *)
Lemma insert_permutation x L : Permutation (x :: L) (insert x L).
Proof.
  induction L as [|y L IH]; simpl; [apply Permutation_refl|].
  destruct (lt_le y x); [|apply Permutation_refl].
  apply (Permutation_trans (perm_swap y x L)). apply perm_skip. exact IH.
Qed.
Lemma insert_ascending x L : ascending L -> ascending (insert x L).
Proof.
  induction 1 as [|y L HL IH Hy]; simpl; [repeat constructor|].
  destruct (lt_le y x) as [H|H].
  - constructor; [exact IH|]. apply (Permutation_Forall (insert_permutation x L)). constructor; [lra|exact Hy].
  - constructor; [constructor; assumption|]. constructor; [exact H|].
    apply Forall_impl with (2 := Hy). intros z Hz. lra.
Qed.
Lemma insert_head x L : ascending (x :: L) -> insert x L = x :: L.
Proof.
  inversion 1 as [|x' L' _ Hx]; subst. destruct L as [|y L]; simpl; [reflexivity|].
  inversion Hx; subst. destruct (lt_le y x); [exfalso; lra|reflexivity].
Qed.
Lemma ascending_tail x L : ascending (x :: L) -> ascending L.
Proof. inversion 1; assumption. Qed.
Lemma serve_ascending x L : ascending L -> ascending (serve x L).
Proof. destruct L as [|t L]; simpl; intros H; [exact H|]. apply insert_ascending. exact (ascending_tail t L H). Qed.
Lemma run_ascending js : forall L, ascending L -> ascending (run L js).
Proof. induction js as [|x js IH]; simpl; intros L H; [exact H|]. apply IH, serve_ascending, H. Qed.
Lemma serve_length x L : length (serve x L) = length L.
Proof.
  destruct L as [|t L]; simpl; [reflexivity|].
  rewrite <- (Permutation_length (insert_permutation (t + x) L)). reflexivity.
Qed.
Lemma run_length js : forall L, length (run L js) = length L.
Proof. induction js as [|x js IH]; simpl; intros L; [reflexivity|]. rewrite IH. apply serve_length. Qed.
Lemma idle_ascending n : ascending (idle n).
Proof.
  induction n as [|n IH]; simpl; constructor; [exact IH|].
  apply Forall_forall. intros x Hx. apply repeat_spec in Hx. subst x. lra.
Qed.
Lemma start_least L t : ascending L -> In t L -> start L <= t.
Proof.
  intros H. inversion H as [|u L' _ Hu]; subst; simpl; [tauto|]. rewrite Forall_forall in Hu.
  intros [e|Ht]; [subst; lra|exact (Hu t Ht)].
Qed.
Lemma run_app js js' : forall L, run L (js ++ js') = run (run L js) js'.
Proof. induction js as [|x js IH]; simpl; intros L; [reflexivity|]. apply IH. Qed.
Lemma completions_app js js' : forall L, completions L (js ++ js') = completions L js ++ completions (run L js) js'.
Proof. induction js as [|x js IH]; simpl; intros L; [reflexivity|]. rewrite IH. reflexivity. Qed.

(* ---------- 1. list schedules are monotone ---------- *)
Lemma below_refl L : below L L.
Proof. induction L; constructor; [lra|assumption]. Qed.
Lemma below_two x y x' y' L : x <= x' -> y <= y' -> below (x :: y :: L) (x' :: y' :: L).
Proof. intros Hx Hy. constructor; [exact Hx|]. constructor; [exact Hy|apply below_refl]. Qed.
Lemma below_trans L M N : below L M -> below M N -> below L N.
Proof.
  intros H. revert N. induction H as [|x y L M H1 H2 IH]; intros N HN; inversion HN; subst; constructor; [lra|auto].
Qed.
Lemma insert_mono u v : below u v -> forall x y, ascending u -> ascending v -> x <= y ->
  below (insert x u) (insert y v).
Proof.
  induction 1 as [|a b u v Hab Huv IH]; intros x y Hu Hv Hxy; [constructor; [exact Hxy|constructor]|].
  assert (Hu' := ascending_tail a u Hu). assert (Hv' := ascending_tail b v Hv). simpl.
  destruct (lt_le a x) as [Hx|Hx], (lt_le b y) as [Hy|Hy].
  - constructor; [exact Hab|]. apply IH; assumption.
  - constructor; [lra|]. rewrite <- (insert_head b v Hv). apply IH; [assumption|assumption|lra].
  - constructor; [lra|]. rewrite <- (insert_head a u Hu). apply IH; [assumption|assumption|lra].
  - constructor; [exact Hxy|]. constructor; assumption.
Qed.
Lemma serve_mono x y u v : x <= y -> ascending u -> ascending v -> below u v -> below (serve x u) (serve y v).
Proof.
  intros Hxy Hu Hv H. inversion H as [|a b u' v' Hab Huv]; subst; simpl; [constructor|].
  apply insert_mono; [exact Huv|exact (ascending_tail a u' Hu)|exact (ascending_tail b v' Hv)|lra].
Qed.

(* smaller loads and smaller jobs, position by position *)
Theorem run_mono js js' : below js js' -> forall u v, ascending u -> ascending v -> below u v ->
  below (run u js) (run v js').
Proof.
  induction 1 as [|x y js js' Hxy _ IH]; intros u v Hu Hv H; simpl; [exact H|].
  apply IH; [apply serve_ascending; exact Hu|apply serve_ascending; exact Hv|apply serve_mono; assumption].
Qed.
Lemma start_mono u v : below u v -> start u <= start v.
Proof. intros H; inversion H; subst; simpl; lra. Qed.
Lemma serve_nonneg_below x L : 0 <= x -> ascending L -> below L (serve x L).
Proof.
  intros Hx H. destruct L as [|t L]; simpl; [constructor|]. rewrite <- (insert_head t L H).
  assert (H' := ascending_tail t L H). apply insert_mono; [apply below_refl|assumption|assumption|lra].
Qed.
Lemma serve_zero_below x L : x <= 0 -> ascending L -> below (serve x L) L.
Proof.
  intros Hx H. destruct L as [|t L]; simpl; [constructor|]. apply below_trans with (insert t L).
  - assert (H' := ascending_tail t L H). apply insert_mono; [apply below_refl|assumption|assumption|lra].
  - rewrite (insert_head t L H). apply below_refl.
Qed.
Lemma run_nonneg_below js : nonneg js -> forall L, ascending L -> below L (run L js).
Proof.
  induction js as [|x js IH]; intros Hn L H; simpl; [apply below_refl|].
  apply below_trans with (serve x L).
  - apply serve_nonneg_below; [apply nonneg_cons in Hn; tauto|exact H].
  - apply IH; [apply nonneg_cons in Hn; tauto|apply serve_ascending; exact H].
Qed.

(* no job is started later on smaller loads *)
Theorem completions_mono c js : forall u v, ascending u -> ascending v -> below u v ->
  by_time c (completions v js) -> by_time c (completions u js).
Proof.
  induction js as [|x js IH]; intros u v Hu Hv H Hc t; simpl; [tauto|]. intros [e|Ht].
  - subst t. assert (start v + x <= c) by (apply Hc; left; reflexivity). generalize (start_mono u v H). lra.
  - apply (IH (serve x u) (serve x v)); [apply serve_ascending; exact Hu|apply serve_ascending; exact Hv| | |exact Ht].
    + apply serve_mono; [lra|exact Hu|exact Hv|exact H].
    + intros s Hs. apply Hc. right. exact Hs.
Qed.

(* a job left out *)
Lemma completions_without c pre x post L : 0 <= x -> ascending L ->
  by_time c (completions L (pre ++ x :: post)) -> by_time c (completions L (pre ++ post)).
Proof.
  intros Hx HL H t. rewrite completions_app in *. intros Ht. apply in_app_or in Ht. destruct Ht as [Ht|Ht].
  - apply H. apply in_or_app. left. exact Ht.
  - assert (HL' := run_ascending pre L HL).
    apply (completions_mono c post (run L pre) (serve x (run L pre)));
      [exact HL'|apply serve_ascending; exact HL'| | |exact Ht].
    + apply serve_nonneg_below; assumption.
    + intros s Hs. apply H. apply in_or_app. right. right. exact Hs.
Qed.

(* some job of the list ends no earlier than if it started at once *)
Lemma completions_late js z : nonneg js -> In z js -> forall L, ascending L ->
  exists t, In t (completions L js) /\ start L + z <= t.
Proof.
  induction js as [|x js IH]; simpl; [tauto|]. intros Hn Hz L HL.
  assert (Hx : 0 <= x) by (apply Hn; left; reflexivity).
  destruct Hz as [e|Hz]; [subst; exists (start L + z); split; [left; reflexivity|lra]|].
  destruct (IH (fun y Hy => Hn y (or_intror Hy)) Hz (serve x L) (serve_ascending x L HL)) as (t & Ht & Hs).
  exists t. split; [right; exact Ht|]. generalize (start_mono _ _ (serve_nonneg_below x L Hx HL)). lra.
Qed.

(* ---------- sums of loads ---------- *)
Lemma sum_serve x L : L <> [] -> sum (serve x L) == sum L + x.
Proof.
  destruct L as [|t L]; [congruence|]. intros _. simpl.
  generalize (sum_perm _ _ (insert_permutation (t + x) L)). simpl. lra.
Qed.
Lemma serve_not_nil x L : L <> [] -> serve x L <> [].
Proof. intros H E. apply H. apply length_zero_iff_nil. rewrite <- (serve_length x L), E. reflexivity. Qed.
Lemma run_not_nil js L : L <> [] -> run L js <> [].
Proof. intros H E. apply H. apply length_zero_iff_nil. rewrite <- (run_length js L), E. reflexivity. Qed.
Lemma sum_run js : forall L, L <> [] -> sum (run L js) == sum L + sum js.
Proof.
  induction js as [|x js IH]; simpl; intros L HL; [lra|].
  generalize (IH _ (serve_not_nil x L HL)) (sum_serve x L HL). lra.
Qed.
Lemma below_sum u v : below u v -> sum u <= sum v.
Proof. induction 1; simpl; lra. Qed.

(* larger loads, together by d: none is larger by more than d *)
Lemma start_gap u v d : below u v -> sum v == sum u + d -> start v <= start u + d.
Proof.
  intros H E. inversion H as [|x y u' v' Hxy Huv]; subst; simpl in *; [lra|].
  generalize (below_sum u' v' Huv). lra.
Qed.

(* ---------- 2. the insertion lemma ---------- *)
Lemma shifted_below js x y : descending (x :: js ++ [y]) -> below (js ++ [y]) (x :: js).
Proof.
  revert x. induction js as [|z js IH]; intros x H; inversion H as [|x' js' Hs Hx]; subst; simpl in *.
  - inversion Hx; subst. constructor; [assumption|constructor].
  - inversion Hx; subst. constructor; [assumption|]. apply IH. exact Hs.
Qed.
Lemma descending_app_right js js' : descending (js ++ js') -> descending js'.
Proof. induction js as [|x js IH]; simpl; [trivial|]. intros H. apply IH. inversion H; assumption. Qed.
Lemma descending_app_left js js' : descending (js ++ js') -> descending js.
Proof.
  induction js as [|x js IH]; simpl; intros H; [constructor|]. inversion H as [|x' l Hl Hx]; subst.
  constructor; [apply IH; exact Hl|]. apply Forall_app in Hx. tauto.
Qed.
Lemma completions_in js t : forall L, In t (completions L js) ->
  exists pre x post, js = pre ++ x :: post /\ t = start (run L pre) + x.
Proof.
  induction js as [|x js IH]; simpl; [tauto|]. intros L [e|H].
  - exists [], x, js. split; [reflexivity|]. symmetry. exact e.
  - destruct (IH _ H) as (pre & y & post & E & Et). exists (x :: pre), y, post. split; [simpl; congruence|exact Et].
Qed.

Theorem insertion pre x post L c : L <> [] -> ascending L -> nonneg (pre ++ x :: post) ->
  descending (pre ++ x :: post) ->
  by_time c (completions L (pre ++ post)) -> start (run L (pre ++ post)) + x <= c ->
  by_time c (completions L (pre ++ x :: post)).
Proof.
  intros HL Ha Hn Hd Hc Hx t Ht. rewrite completions_app in Ht. apply in_app_or in Ht.
  assert (Hpre := run_ascending pre L Ha).
  assert (Npost : nonneg (x :: post)) by (intros z Hz; apply Hn, in_or_app; right; exact Hz).
  assert (later : forall js js', nonneg js' -> start (run L (pre ++ js)) <= start (run L ((pre ++ js) ++ js'))).
  { intros js js' N. rewrite (run_app (pre ++ js)).
    apply start_mono, run_nonneg_below; [exact N|apply run_ascending; exact Ha]. }
  destruct Ht as [Ht|Ht]; [apply Hc; rewrite completions_app; apply in_or_app; left; exact Ht|].
  simpl in Ht. destruct Ht as [Ht|Ht].
  - assert (N : nonneg post) by (intros z Hz; apply Npost; right; exact Hz).
    assert (H := later [] post N). rewrite app_nil_r in H. subst t. lra.
  - destruct (completions_in post t _ Ht) as (mid & y & rest & E & Et). subst post.
    assert (D : descending (x :: mid ++ [y])).
    { apply descending_app_right in Hd. change (descending ((x :: mid) ++ y :: rest)) in Hd.
      apply (descending_app_left ((x :: mid) ++ [y]) rest). rewrite <- app_assoc. exact Hd. }
    assert (B : below (run L (pre ++ mid ++ [y])) (run (serve x (run L pre)) mid)).
    { rewrite run_app. change (run (serve x (run L pre)) mid) with (run (run L pre) (x :: mid)).
      apply run_mono; [apply shifted_below; exact D|exact Hpre|exact Hpre|apply below_refl]. }
    assert (G : start (run (serve x (run L pre)) mid) <= start (run L (pre ++ mid ++ [y])) + (x - y)).
    { apply start_gap; [exact B|]. change (run (serve x (run L pre)) mid) with (run (run L pre) (x :: mid)).
      rewrite run_app. assert (HP := run_not_nil pre L HL).
      generalize (sum_run (mid ++ [y]) _ HP) (sum_run (x :: mid) _ HP) (sum_app mid [y]). simpl. lra. }
    assert (N : nonneg rest).
    { intros z Hz. apply Npost. right. apply in_or_app. right. right. exact Hz. }
    assert (H := later (mid ++ [y]) rest N). rewrite <- !app_assoc in H. simpl in H. rewrite Et. lra.
Qed.

(* ---------- 3. schedules with free choice ---------- *)
(* one job after the other goes to some machine of load t that the rule allows, [others] being the loads of the rest;
   [schedule rule loads jobs times loads'] gives the completion times in the order of the jobs, and the loads at last *)
Definition anywhere (t : num) (others : list num) : Prop := True.
Definition on_least (t : num) (others : list num) : Prop := forall u, In u others -> t <= u.

Inductive schedule (rule : num -> list num -> Prop) : list num -> list num -> list num -> list num -> Prop :=
| schedule_nil L : schedule rule L [] [] L
| schedule_cons L t others x js times L' : Permutation L (t :: others) -> rule t others ->
    schedule rule (t + x :: others) js times L' -> schedule rule L (x :: js) (t + x :: times) L'.

(* the job p of a list schedule that ends last, the jobs before it, and the loads when it is placed *)
Lemma list_schedule_last L js times L' : schedule on_least L js times L' -> js <> [] ->
  exists pre p post times1 L1 s, js = pre ++ p :: post /\ schedule on_least L pre times1 L1 /\
    In s L1 /\ (forall u, In u L1 -> s <= u) /\ by_time (s + p) times.
Proof.
  induction 1 as [|L t R x js times L' HL Ht H IH]; [congruence|]. intros _.
  assert (First : In t L /\ forall u, In u L -> t <= u).
  { split; [apply (Permutation_in t (Permutation_sym HL)); left; reflexivity|].
    intros u Hu. apply (Permutation_in u HL) in Hu. destruct Hu as [e|Hu]; [subst; lra|exact (Ht u Hu)]. }
  destruct js as [|y js].
  - exists [], x, [], [], L, t. inversion H; subst. split; [reflexivity|]. split; [constructor|]. split; [tauto|].
    split; [tauto|]. intros v [e|[]]. subst v. lra.
  - destruct IH as (pre & p & post & times1 & L1 & s & E & H1 & H2 & H3 & H4); [discriminate|].
    destruct (lt_le (s + p) (t + x)) as [G|G].
    + exists [], x, (y :: js), [], L, t. split; [reflexivity|]. split; [constructor|]. split; [tauto|]. split; [tauto|].
      intros v [e|Hv]; [subst v; lra|]. specialize (H4 v Hv). lra.
    + exists (x :: pre), p, post, (t + x :: times1), L1, s. split; [simpl; congruence|].
      split; [econstructor; eassumption|]. split; [exact H2|]. split; [exact H3|].
      intros v [e|Hv]; [subst v; exact G|exact (H4 v Hv)].
Qed.
Lemma sum_schedule rule L js times L' : schedule rule L js times L' -> sum L' == sum L + sum js.
Proof.
  induction 1 as [|L t R x js times L' HL Ht H IH]; simpl; [lra|]. generalize (sum_perm _ _ HL). simpl in *. lra.
Qed.
Lemma schedule_length rule L js times L' : schedule rule L js times L' -> length L' = length L.
Proof.
  induction 1 as [|L t R x js times L' HL Ht H IH]; [reflexivity|]. rewrite IH, (Permutation_length HL). reflexivity.
Qed.

(* machines of load at most c: each job takes at most one away, and just one if it starts on it and ends after c *)
Fixpoint free (c : num) (L : list num) : nat :=
  match L with [] => 0 | t :: rest => (if lt_le c t then 0 else 1) + free c rest end.

Lemma free_permutation c L L' : Permutation L L' -> free c L = free c L'.
Proof. induction 1; simpl; lia. Qed.
Lemma free_schedule rule c L js times L' : schedule rule L js times L' -> (free c L <= free c L' + length js)%nat.
Proof.
  induction 1 as [|L t R x js times L' HL Ht H IH]; simpl; [lia|].
  rewrite (free_permutation c _ _ HL). simpl in *. destruct (lt_le c t), (lt_le c (t + x)); lia.
Qed.
Lemma free_run c js : forall L, (free c L <= free c (run L js) + length js)%nat.
Proof.
  induction js as [|x js IH]; intros L; simpl; [lia|].
  specialize (IH (serve x L)). destruct L as [|t L]; simpl in *; [lia|].
  rewrite <- (free_permutation c _ _ (insert_permutation (t + x) L)) in IH. simpl in IH.
  destruct (lt_le c t), (lt_le c (t + x)); lia.
Qed.
Lemma free_some c L : (1 <= free c L)%nat -> exists t, In t L /\ t <= c.
Proof.
  induction L as [|t L IH]; simpl; [lia|]. destruct (lt_le c t) as [H|H].
  - intros G. destruct IH as (u & Hu & Hc); [lia|]. exists u. auto.
  - exists t. auto.
Qed.
