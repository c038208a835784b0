(* What the checkers of certificates know about a game of a shape: forms instead of lengths.

   A shape says how many jobs each organization has. Lengths are sorted, the longest of each organization first, and a
   form is a vector of integers over the differences x of neighbouring lengths (Cover.v), so that x >= 0 are all sorted
   lengths. Where an organization has put its jobs on machines and the others theirs, it has one *term* for each machine
   that it uses: the form of when its last job there ends. What it pays is the largest of its terms (`described`).
   Nothing else about the game is used by the checkers, so they know every kind of priority that has such terms.

   1. A cost is attained by a term, and is at least each of them.
   2. A schedule is known job by job: of m machines some have got jobs already, the others are empty and therefore
      alike. So the next job comes on one of the machines that have jobs or on one empty machine, and what these
      machines have is at most the makespan (`add_to_sound`). *)
From Coq Require Import List Lia Permutation ZArith.
Require Import Numbers Game Sums Loads Cover.
Import ListNotations.

Section Terms.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variable machines : list O.
Variable shape : O -> nat.
Hypothesis machines_nodup : NoDup machines.
Hypothesis machines_all : forall l, In l machines.

Definition sorted_of_shape (jobs : O -> list num) : Prop := forall a, desc (jobs a) /\ length (jobs a) = shape a.
(* where the jobs of b are placed *)
Definition where_placed (p : O -> nat -> O) (b : O) : list O := hosts (p b) (shape b).

(* ---------- terms ---------- *)
(* What organization a meets on machine l where the others have placed their jobs (of any type T), and the term of
   machine l if a places its jobs on d. *)
Variable T : Type.
Variable met : (O -> list O) -> O -> O -> T.
Variable term : O -> list O -> O * T -> list Z.
Variable cost : (O -> list num) -> (O -> nat -> O) -> O -> num.

Definition meets (P : O -> list O) (a : O) : list (O * T) := map (fun l => (l, met P a l)) machines.
Definition terms (a : O) (d : list O) (m : list (O * T)) : list (list Z) :=
  map (term a d) (filter (fun lt => mem dec (fst lt) d) m).

(* the cost is the largest of the terms, which are never negative *)
Definition described : Prop :=
  forall jobs, sorted_of_shape jobs -> forall P q a, (forall b, b <> a -> where_placed q b = P b) ->
  let F l := term a (where_placed q a) (l, met P a l) in
  (forall l, length (F l) = dim machines shape /\ 0 <= dot (F l) (point machines jobs)) /\
  forall c, cost jobs q a <= c <->
    0 <= c /\ forall l, In l (where_placed q a) -> dot (F l) (point machines jobs) <= c.
Hypothesis cost_described : described.

Lemma in_terms a d P f : In f (terms a d (meets P a)) <-> exists l, In l d /\ f = term a d (l, met P a l).
Proof.
  unfold terms, meets. rewrite in_map_iff. split.
  - intros (lt & E & H). apply filter_In in H. destruct H as [H M]. apply in_map_iff in H.
    destruct H as (l & E2 & _). subst lt. exists l. split; [apply (mem_true dec), M|symmetry; exact E].
  - intros (l & H & E). exists (l, met P a l). split; [symmetry; exact E|]. apply filter_In. split.
    + apply in_map_iff. exists l. split; [reflexivity|apply machines_all].
    + apply (mem_true dec). exact H.
Qed.

(* ---------- jobs one by one ---------- *)
Definition job : Type := (O * nat)%type.                       (* of an organization, the longest is number 0 *)
(* a job taken out of a list *)
Fixpoint pick (j : job) (left : list job) : option (list job) :=
  match left with
  | [] => None
  | i :: left' =>
    if (if dec (fst i) (fst j) then (snd i =? snd j)%nat else false) then Some left'
    else match pick j left' with Some rest => Some (i :: rest) | None => None end
  end.
Lemma pick_perm j left left' : pick j left = Some left' -> Permutation left (j :: left').
Proof.
  revert left'; induction left as [|i left IH]; simpl; intros left' H; [discriminate|].
  destruct (dec (fst i) (fst j)) as [e|n].
  - destruct (snd i =? snd j)%nat eqn:E.
    + apply Nat.eqb_eq in E. injection H as H. subst left'. destruct i, j; simpl in *; subst. reflexivity.
    + destruct (pick j left) as [rest|]; [|discriminate]. injection H as H. subst left'.
      rewrite (IH rest eq_refl). apply perm_swap.
  - destruct (pick j left) as [rest|]; [|discriminate]. injection H as H. subst left'.
    rewrite (IH rest eq_refl). apply perm_swap.
Qed.

(* One more job, of form u, on machines of which some have got jobs already, whose forms are `loads`: for each machine
   where it may be put, the form of what this one has then, and all of them; an empty one is opened if there is room. *)
Fixpoint add_to (u : list Z) (loads : list (list Z)) (room : nat) : list (list Z * list (list Z)) :=
  match loads with
  | [] => match room with 0%nat => [] | _ => [(u, [u])] end
  | v :: loads' =>
    (vadd u v, vadd u v :: loads') :: map (fun b => (fst b, v :: snd b)) (add_to u loads' (pred room))
  end.

Section Jobs.
Variable jobs : O -> list num.
Hypothesis jobs_sorted : sorted_of_shape jobs.
Let x : list num := point machines jobs.

Section Placement.
Variables (P : O -> list O) (q : O -> nat -> O) (a : O).
Hypothesis others : forall b, b <> a -> where_placed q b = P b.
Let these : list (list Z) := terms a (where_placed q a) (meets P a).

Lemma term_length f : In f these -> length f = dim machines shape.
Proof.
  intros H. apply in_terms in H. destruct H as (l & _ & E). subst f.
  exact (proj1 (proj1 (cost_described jobs jobs_sorted P q a others) l)).
Qed.
Lemma term_nonneg f : In f these -> 0 <= dot f x.
Proof.
  intros H. apply in_terms in H. destruct H as (l & _ & E). subst f.
  exact (proj2 (proj1 (cost_described jobs jobs_sorted P q a others) l)).
Qed.
Lemma cost_at_least f : In f these -> dot f x <= cost jobs q a.
Proof.
  intros H. apply in_terms in H. destruct H as (l & Hl & E). subst f.
  apply (proj2 (cost_described jobs jobs_sorted P q a others) (cost jobs q a)); [lra|exact Hl].
Qed.
Lemma costs_nonneg : 0 <= cost jobs q a.
Proof. apply (proj2 (cost_described jobs jobs_sorted P q a others) (cost jobs q a)). lra. Qed.
Lemma cost_without_jobs : shape a = 0%nat -> cost jobs q a <= 0.
Proof.
  intros E. apply (proj2 (cost_described jobs jobs_sorted P q a others)). split; [lra|].
  intros l. unfold where_placed. rewrite E. intros [].
Qed.
Lemma cost_attained : shape a <> 0%nat -> exists f, In f these /\ cost jobs q a <= dot f x.
Proof.
  intros Ha. destruct (list_least (fun f g => dot g x <= dot f x) these) as (f & Hf & Hmax).
  - intros f g. destruct (lt_le (dot f x) (dot g x)); [right|left]; lra.
  - intros f g h. lra.
  - unfold these. intros E. destruct (shape a) as [|k] eqn:Ek; [congruence|].
    set (f := term a (where_placed q a) (q a 0%nat, met P a (q a 0%nat))).
    assert (H : In f (terms a (where_placed q a) (meets P a))).
    { apply in_terms. exists (q a 0%nat). split; [unfold where_placed; rewrite Ek; left; reflexivity|reflexivity]. }
    rewrite E in H. destruct H.
  - exists f. split; [exact Hf|]. apply (proj2 (cost_described jobs jobs_sorted P q a others)).
    split; [exact (term_nonneg f Hf)|]. intros l Hl. apply Hmax. apply in_terms. exists l. auto.
Qed.
End Placement.

Definition all_jobs : list job := flat_map (fun b => map (pair b) (seq 0 (shape b))) machines.
Lemma all_jobs_in_shape j : In j (all_jobs) -> (snd j < shape (fst j))%nat.
Proof.
  intros H. apply in_flat_map in H. destruct H as (b & _ & H). apply in_map_iff in H.
  destruct H as (i & E & H). apply in_seq in H. subst j. simpl. lia.
Qed.
Definition job_form (j : job) : list Z :=
  emb dec machines shape (fst j) (zeros (snd j) ++ repeat 1%Z (shape (fst j) - snd j)).
Definition len (j : job) : num := nth (snd j) (jobs (fst j)) 0.

Lemma job_form_length j : (snd j < shape (fst j))%nat -> length (job_form j) = dim machines shape.
Proof. intros H. apply emb_length. rewrite app_length. unfold zeros. rewrite !repeat_length. lia. Qed.
Lemma dot_ones js : dot (repeat 1%Z (length js)) (diffs js) == hd 0 js.
Proof. induction js as [|y js IH]; simpl; [lra|]. rewrite inj_1, IH. lra. Qed.
Lemma dot_tail i js : dot (zeros i ++ repeat 1%Z (length js - i)) (diffs js) == nth i js 0.
Proof.
  revert i; induction js as [|y js IH]; intros i.
  - destruct i; simpl; lra.
  - destruct i as [|i]; [exact (dot_ones (y :: js))|].
    simpl. unfold zeros in IH. rewrite inj_0, IH. lra.
Qed.
Lemma dot_job_form j : (snd j < shape (fst j))%nat -> dot (job_form j) x == len j.
Proof.
  intros H. unfold job_form, x. rewrite dot_emb.
  - rewrite <- (proj2 (jobs_sorted (fst j))). apply dot_tail.
  - exact machines_nodup.
  - exact machines_all.
  - intros a. apply jobs_sorted.
  - rewrite app_length. unfold zeros. rewrite !repeat_length. lia.
Qed.
Lemma jobs_never_negative a : nonneg (jobs a).
Proof. exact (proj2 (desc_nonneg _ (proj1 (jobs_sorted a)))). Qed.
Lemma len_nonneg j : 0 <= len j.
Proof.
  unfold len. destruct (nth_in_or_default (snd j) (jobs (fst j)) 0) as [H|H].
  - exact (jobs_never_negative _ _ H).
  - rewrite H. lra.
Qed.

(* ---------- schedules ---------- *)
Section Schedule.
Variable o : O -> nat -> O.
Variable M : num.
Hypothesis M_nonneg : 0 <= M.
Hypothesis makespan : forall m, total dec machines jobs o m <= M.      (* no machine has more than M *)

Definition is_on (m : O) (j : job) : bool := if dec (o (fst j) (snd j)) m then true else false.
(* how long those of some jobs are together that the schedule has on m *)
Definition on (m : O) (left : list job) : num := sum (map len (filter (is_on m) left)).

Lemma on_cons m j left : on m (j :: left) == (if dec (o (fst j) (snd j)) m then len j else 0) + on m left.
Proof. unfold on, is_on. simpl. destruct (dec _ m); simpl; lra. Qed.
Lemma on_perm m left left' : Permutation left left' -> on m left == on m left'.
Proof. induction 1; rewrite ?on_cons; lra. Qed.
Lemma on_nonneg m left : 0 <= on m left.
Proof.
  induction left as [|j left IH]; [unfold on; simpl; lra|]. rewrite on_cons.
  generalize (len_nonneg j). destruct (dec _ m); lra.
Qed.
Lemma on_app m left left' : on m (left ++ left') == on m left + on m left'.
Proof. induction left as [|j left IH]; [unfold on; simpl; lra|]. simpl. rewrite !on_cons, IH. lra. Qed.
Lemma on_own m b : on m (map (pair b) (seq 0 (length (jobs b)))) == ld dec m (jobs b) (o b).
Proof.
  assert (G : forall js s i, (forall n, nth (i + n) (jobs b) 0 = nth n js 0) -> (forall n, o b (i + n)%nat = s n) ->
    on m (map (pair b) (seq i (length js))) == ld dec m js s).
  { unfold ld. induction js as [|y js IH]; intros s i Hj Hs; simpl; [unfold on; simpl; lra|].
    rewrite on_cons, (IH (fun n => s (S n)) (S i)).
    - unfold len. simpl. generalize (Hj 0%nat) (Hs 0%nat). rewrite Nat.add_0_r. simpl. intros -> ->.
      destruct (dec (s 0%nat) m); simpl; lra.
    - intros n. rewrite Nat.add_succ_comm. exact (Hj (S n)).
    - intros n. rewrite Nat.add_succ_comm. exact (Hs (S n)). }
  apply G; reflexivity.
Qed.
Lemma on_all m : on m all_jobs == total dec machines jobs o m.
Proof.
  unfold all_jobs, total, load. clear makespan machines_nodup machines_all.
  induction machines as [|b ms IH]; simpl; [unfold on; simpl; lra|].
  rewrite on_app, IH. rewrite <- (proj2 (jobs_sorted b)), on_own. lra.
Qed.
Lemma on_some left : sum (map (fun m => on m left) machines) == sum (map len left).
Proof.
  induction left as [|j left IH]; [apply sum_zero; intros m _; unfold on; simpl; lra|].
  rewrite (sum_map_eq _ (fun m => (if dec (o (fst j) (snd j)) m then len j else 0) + on m left))
    by (intros m; apply on_cons).
  rewrite sum_map_plus, (sum_point dec _ (len j) machines machines_nodup (machines_all _)), IH. simpl. lra.
Qed.

(* the longest job of an organization, and all jobs *)
Lemma longest_at_most a : (0 < shape a)%nat -> dot (job_form (a, 0%nat)) x <= M.
Proof.
  intros H. rewrite dot_job_form by exact H. set (m := o a 0%nat).
  assert (Hin : In (a, 0%nat) all_jobs).
  { apply in_flat_map. exists a. split; [apply machines_all|]. apply in_map, in_seq. lia. }
  destruct (in_split _ _ Hin) as (l1 & l2 & E).
  assert (G := on_all m). rewrite E in G. rewrite on_app, on_cons in G. simpl in G.
  destruct (dec (o a 0%nat) m) as [_|n]; [|destruct (n eq_refl)].
  generalize (on_nonneg m l1) (on_nonneg m l2) (makespan m). lra.
Qed.
Lemma all_at_most : sum (map len all_jobs) <= ofnat (length machines) * M.
Proof.
  rewrite <- (on_some all_jobs). apply sum_le_const. intros m _. generalize (on_all m) (makespan m). lra.
Qed.

(* What is left to be put on machines, and the forms of what some of them have already: none has more than M. *)
Definition fits (left : list job) (loads : list (list Z)) : Prop := exists ms, NoDup ms /\
  Forall2 (fun v m => length v = dim machines shape /\ dot v x + on m left <= M) loads ms /\ forall m, on m left <= M.

Lemma fits_start : fits all_jobs [].
Proof.
  exists []. split; [constructor|]. split; [constructor|]. intros m. generalize (on_all m) (makespan m). lra.
Qed.

Lemma add_to_one left left' j loads ms room : let m := o (fst j) (snd j) in
  Permutation left (j :: left') -> (snd j < shape (fst j))%nat -> NoDup ms ->
  Forall2 (fun v m => length v = dim machines shape /\ dot v x + on m left <= M) loads ms ->
  on m left <= M -> In m ms \/ (length ms < room)%nat ->
  exists v loads' ms', In (v, loads') (add_to (job_form j) loads room) /\
    length v = dim machines shape /\ dot v x <= M /\ NoDup ms' /\ incl ms' (m :: ms) /\
    Forall2 (fun v m => length v = dim machines shape /\ dot v x + on m left' <= M) loads' ms'.
Proof.
  intros m HP Hj Hnd HF Hm. revert room Hnd.
  assert (L : forall l, on l left == (if dec m l then len j else 0) + on l left').
  { intros l. rewrite (on_perm l _ _ HP). apply on_cons. }
  assert (U := dot_job_form j Hj). assert (UL := job_form_length j Hj).
  induction HF as [|v l loads ms [Hv Hl] HF IH]; intros room Hnd Hroom.
  - destruct room as [|room]; [destruct Hroom as [[]|]; simpl in *; lia|].
    specialize (L m). destruct (dec m m) as [_|n]; [|destruct (n eq_refl)]. generalize (on_nonneg m left'). intros Hp.
    exists (job_form j), [job_form j], [m]. simpl. repeat split; auto; try lra.
    + constructor; [intros []|constructor].
    + intros u [e|[]]; left; exact e.
    + constructor; [split; [exact UL|lra]|constructor].
  - inversion Hnd as [|l' ms' Hnl Hms]; subst.
    assert (Rest : Forall2 (fun v m => length v = dim machines shape /\ dot v x + on m left' <= M) loads ms).
    { clear - HF L jobs_sorted. induction HF as [|w k loads ms [Hw Hk] HF IH]; constructor; [|exact IH].
      split; [exact Hw|]. generalize (L k) (len_nonneg j). destruct (dec m k); lra. }
    destruct (dec m l) as [e|n].
    + assert (Lm := L m). destruct (dec m m) as [_|n']; [|destruct (n' eq_refl)].
      exists (vadd (job_form j) v), (vadd (job_form j) v :: loads), (l :: ms).
      assert (D : dot (vadd (job_form j) v) x == len j + dot v x) by (rewrite dot_vadd by congruence; lra).
      assert (LV : length (vadd (job_form j) v) = dim machines shape) by (rewrite vadd_length; congruence).
      generalize (on_nonneg m left'). subst l. intros Hp. simpl. repeat split; auto; try lra.
      * intros u Hu. right. exact Hu.
      * constructor; [split; [exact LV|lra]|exact Rest].
    + destruct (IH (pred room) Hms) as (w & loads' & ms' & H1 & H2 & H3 & H4 & H5 & H6).
      { destruct Hroom as [[e|H]|H]; [congruence|left; exact H|right; simpl in H; lia]. }
      exists w, (v :: loads'), (l :: ms'). simpl. repeat split; auto.
      * right. apply in_map_iff. exists (w, loads'). split; [reflexivity|exact H1].
      * constructor; [|exact H4]. intros H. destruct (H5 l H) as [e|H']; [congruence|tauto].
      * intros u [e|Hu]; [right; left; exact e|]. destruct (H5 u Hu) as [e|H']; [left; exact e|right; right; exact H'].
      * constructor; [|exact H6]. split; [exact Hv|]. generalize (L l). destruct (dec m l); [congruence|lra].
Qed.

Lemma add_to_sound left left' j loads : Permutation left (j :: left') -> (snd j < shape (fst j))%nat ->
  fits left loads -> exists v loads', In (v, loads') (add_to (job_form j) loads (length machines)) /\
    length v = dim machines shape /\ dot v x <= M /\ fits left' loads'.
Proof.
  intros HP Hj (ms & Hnd & HF & Hall). set (m := o (fst j) (snd j)).
  destruct (add_to_one left left' j loads ms (length machines) HP Hj Hnd HF (Hall _)) as (v & loads' & ms' & H).
  - fold m. destruct (in_dec dec m ms) as [H|H]; [left; exact H|right].
    apply (NoDup_incl_length (l := m :: ms)); [constructor; assumption|]. intros l _. apply machines_all.
  - exists v, loads'. destruct H as (H1 & H2 & H3 & H4 & _ & H6). repeat split; auto.
    exists ms'. repeat split; auto. intros l. generalize (Hall l). rewrite (on_perm l _ _ HP), on_cons.
    generalize (len_nonneg j). destruct (dec _ l); lra.
Qed.
End Schedule.
End Jobs.
End Terms.
