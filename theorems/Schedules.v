(* Schedules of the jobs of a shape, known job by job (for the checkers of certificates, see Terms.v).

   Of the machines some have got jobs already, the others are empty and therefore alike. So the next job comes on one of
   the machines that have jobs or on one empty machine, and what these machines have is at most the makespan
   (`add_to_sound`). At first all jobs together are at most as many makespans as there are machines, and the longest job
   of each organization is at most one (`all_at_most`, `longest_at_most`). *)
From Coq Require Import List Lia Permutation ZArith.
Require Import Numbers Game Sums Loads Forms Terms.
Import ListNotations.

(* One more job, of form u, on machines of which some have got jobs already, whose forms are `loads`: for each machine
   where it may be put, the form of what this one has then, and all of them; an empty one is opened if there is room. *)
Fixpoint add_to (u : list Z) (loads : list (list Z)) (room : nat) : list (list Z * list (list Z)) :=
  match loads with
  | [] => match room with 0%nat => [] | _ => [(u, [u])] end
  | v :: loads' =>
    (vadd u v, vadd u v :: loads') :: map (fun b => (fst b, v :: snd b)) (add_to u loads' (pred room))
  end.

Section Schedules.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variables (machines : list O) (shape : O -> nat).
Hypotheses (machines_nodup : NoDup machines) (machines_all : forall l, In l machines).
Variable jobs : O -> list num.
Hypothesis jobs_sorted : sorted_of_shape shape jobs.
Variable o : O -> nat -> O.
Variable M : num.
Hypothesis makespan : forall m, total dec machines jobs o m <= M.      (* no machine has more than M *)
Notation job := (O * nat)%type.
Notation job_form := (job_form dec machines shape).
Notation all_jobs := (all_jobs machines shape).
Notation dim := (dim machines shape).
Notation len := (len jobs).
Notation x := (point machines jobs).
Let form_of : forall j, In j all_jobs -> length (job_form j) = dim /\ dot (job_form j) x == len j :=
  job_form_sound dec machines shape machines_nodup machines_all jobs jobs_sorted.
Let len_nonneg : forall j, 0 <= len j := len_nonneg shape jobs jobs_sorted.

(* how long those of some jobs are together that the schedule has on m *)
Definition on (m : O) (left : list job) : num :=
  sum (map len (filter (fun j => if dec (o (fst j) (snd j)) m then true else false) left)).

Lemma on_cons m j left : on m (j :: left) == (if dec (o (fst j) (snd j)) m then len j else 0) + on m left.
Proof. unfold on. simpl. destruct (dec _ m); simpl; lra. Qed.
Lemma on_perm m left left' : Permutation left left' -> on m left == on m left'.
Proof. induction 1; rewrite ?on_cons; lra. Qed.
Lemma on_nonneg m left : 0 <= on m left.
Proof.
  induction left as [|j left IH]; [unfold on; simpl; lra|]. rewrite on_cons.
  generalize (len_nonneg j). destruct (dec _ m); lra.
Qed.
Lemma on_app m left left' : on m (left ++ left') == on m left + on m left'.
Proof. induction left as [|j left IH]; [unfold on; simpl; lra|]. simpl. rewrite !on_cons, IH. lra. Qed.
Lemma on_own m b : on m (jobs_of shape b) == ld dec m (jobs b) (o b).
Proof.
  unfold jobs_of. rewrite <- (proj2 (jobs_sorted b)).
  assert (G : forall js s i, (forall n, nth (i + n) (jobs b) 0 = nth n js 0) -> (forall n, o b (i + n)%nat = s n) ->
    on m (map (pair b) (seq i (length js))) == ld dec m js s).
  { unfold ld. induction js as [|y js IH]; intros s i Hj Hs; simpl; [unfold on; simpl; lra|].
    rewrite on_cons, (IH (fun n => s (S n)) (S i)).
    - unfold Terms.len. simpl. generalize (Hj 0%nat) (Hs 0%nat). rewrite Nat.add_0_r. simpl. intros -> ->.
      destruct (dec (s 0%nat) m); simpl; lra.
    - intros n. rewrite Nat.add_succ_comm. exact (Hj (S n)).
    - intros n. rewrite Nat.add_succ_comm. exact (Hs (S n)). }
  apply G; reflexivity.
Qed.
Lemma on_all m : on m all_jobs <= M.
Proof.
  assert (E : on m all_jobs == total dec machines jobs o m); [|generalize (makespan m); lra].
  unfold Terms.all_jobs, total, load. clear - jobs_sorted.
  induction machines as [|b ms IH]; simpl; [unfold on; simpl; lra|]. rewrite on_app, IH, on_own. lra.
Qed.
Lemma longest_at_most a : (0 < shape a)%nat -> dot (job_form (a, 0%nat)) x <= M.
Proof.
  intros H. assert (Hin : In (a, 0%nat) all_jobs) by (apply in_jobs; auto).
  rewrite (proj2 (form_of _ Hin)). set (m := o a 0%nat).
  destruct (in_split _ _ Hin) as (l1 & l2 & E). assert (G := on_all m). rewrite E, on_app, on_cons in G. simpl in G.
  destruct (dec (o a 0%nat) m) as [_|n]; [|destruct (n eq_refl)]. generalize (on_nonneg m l1) (on_nonneg m l2). lra.
Qed.
Lemma all_at_most : dot (form dec machines shape all_jobs) x <= ofnat (length machines) * M.
Proof.
  rewrite (proj2 (form_sound dec machines shape machines_nodup machines_all jobs jobs_sorted all_jobs (incl_refl _))).
  assert (E : forall js, sum (map len js) == sum (map (fun m => on m js) machines));
    [|rewrite E; apply sum_le_const; intros m _; apply on_all].
  induction js as [|j js IH]; [simpl; symmetry; apply sum_zero; intros m _; unfold on; simpl; lra|].
  rewrite (sum_map_eq _ (fun m => (if dec (o (fst j) (snd j)) m then len j else 0) + on m js))
    by (intros m; apply on_cons).
  rewrite sum_map_plus, (sum_point dec _ (len j) machines machines_nodup (machines_all _)). simpl. lra.
Qed.

(* What is left to be put on machines, and the forms of what some of them have already: none has more than M. *)
Notation loaded left := (Forall2 (fun v m => length v = dim /\ dot v x + on m left <= M)).
Definition fits (left : list job) (loads : list (list Z)) : Prop :=
  exists ms, NoDup ms /\ loaded left loads ms /\ forall m, on m left <= M.

Lemma fits_start : fits all_jobs [].
Proof. exists []. split; [constructor|]. split; [constructor|exact on_all]. Qed.
Lemma fits_load left loads v : fits left loads -> In v loads -> length v = dim /\ dot v x <= M.
Proof.
  intros (ms & _ & HF & _) Hv. induction HF as [|w l loads ms [Lw Dw] HF IH]; [destruct Hv|].
  destruct Hv as [<-|Hv]; [|exact (IH Hv)]. split; [exact Lw|]. generalize (on_nonneg l left). lra.
Qed.
Lemma add_to_one left j loads ms room : let m := o (fst j) (snd j) in
  In j all_jobs -> NoDup ms -> loaded (j :: left) loads ms ->
  on m (j :: left) <= M -> In m ms \/ (length ms < room)%nat ->
  exists v loads' ms', In (v, loads') (add_to (job_form j) loads room) /\ In v loads' /\
    NoDup ms' /\ incl ms' (m :: ms) /\ loaded left loads' ms'.
Proof.
  intros m Hj Hnd HF Hm. revert room Hnd. destruct (form_of j Hj) as [UL U]. assert (Lm := on_cons m j left).
  fold m in Lm. destruct (dec m m) as [_|n]; [|destruct (n eq_refl)].
  induction HF as [|v l loads ms [Hv Hl] HF IH]; intros room Hnd Hroom.
  - destruct room as [|room]; [destruct Hroom as [[]|]; simpl in *; lia|].
    exists (job_form j), [job_form j], [m]. simpl. repeat split; auto.
    + constructor; [intros []|constructor].
    + intros u [e|[]]; left; exact e.
    + constructor; [split; [exact UL|lra]|constructor].
  - inversion Hnd as [|l' ms' Hnl Hms]; subst.
    assert (Rest : loaded left loads ms).
    { clear - HF len_nonneg. induction HF as [|w k loads ms [Hw Hk] HF IH]; constructor; [|exact IH].
      split; [exact Hw|]. rewrite on_cons in Hk. generalize (len_nonneg j). destruct (dec _ k); lra. }
    destruct (dec m l) as [e|n].
    + exists (vadd (job_form j) v), (vadd (job_form j) v :: loads), (l :: ms).
      assert (D : dot (vadd (job_form j) v) x == len j + dot v x) by (rewrite dot_vadd by congruence; lra).
      subst l. simpl. repeat split; auto.
      * intros u Hu. right. exact Hu.
      * constructor; [split; [rewrite vadd_length; congruence|lra]|exact Rest].
    + destruct (IH (pred room) Hms) as (w & loads' & ms' & H1 & H2 & H3 & H4 & H5).
      { destruct Hroom as [[e|H]|H]; [congruence|left; exact H|right; simpl in H; lia]. }
      exists w, (v :: loads'), (l :: ms'). simpl. repeat split; auto.
      * right. apply in_map_iff. exists (w, loads'). split; [reflexivity|exact H1].
      * constructor; [|exact H3]. intros H. destruct (H4 l H) as [e|H']; [congruence|tauto].
      * intros u [e|Hu]; [right; left; exact e|]. destruct (H4 u Hu) as [e|H']; [left; exact e|right; right; exact H'].
      * constructor; [|exact H5]. split; [exact Hv|]. rewrite on_cons in Hl. fold m in Hl.
        destruct (dec m l); [congruence|lra].
Qed.
Lemma add_to_sound left left' j loads : Permutation left (j :: left') -> In j all_jobs -> fits left loads ->
  exists v loads', In (v, loads') (add_to (job_form j) loads (length machines)) /\ In v loads' /\ fits left' loads'.
Proof.
  intros HP Hj (ms & Hnd & HF & Hall). set (m := o (fst j) (snd j)).
  assert (HF' : loaded (j :: left') loads ms).
  { clear - HF HP. induction HF as [|v l loads ms [Hv Hl] HF IH]; constructor; [|exact IH].
    rewrite <- (on_perm l _ _ HP). auto. }
  assert (Hall' : forall l, on l (j :: left') <= M) by (intros l; rewrite <- (on_perm l _ _ HP); apply Hall).
  destruct (add_to_one left' j loads ms (length machines) Hj Hnd HF' (Hall' _)) as (v & loads' & ms' & H).
  - fold m. destruct (in_dec dec m ms) as [H|H]; [left; exact H|right].
    apply (NoDup_incl_length (l := m :: ms)); [constructor; assumption|]. intros l _. apply machines_all.
  - exists v, loads'. destruct H as (H1 & H2 & H3 & _ & H4). repeat split; auto.
    exists ms'. repeat split; auto. intros l. generalize (Hall' l) (len_nonneg j). rewrite on_cons.
    destruct (dec _ l); lra.
Qed.
End Schedules.
