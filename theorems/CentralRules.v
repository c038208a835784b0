(* Central rules: LPT-LPT, SPT-LPT and Less Helped First, one machine each (T5 in the documentation); ILBA stands in
   IterativeLoadBalancing.v.

   A central rule starts jobs, one after the other, each on a machine that is free first; a machine whose organization
   has unstarted jobs starts one of these. So no machine waits while a job is unstarted. Let T be the makespan of any
   assignment of the jobs to the N machines. If every organization's jobs start longest first, the rule's makespan is at
   most rho T, rho = 4/3 for N = 2 and 2 - 1/(N-1) for N >= 3 (`longest_first_bound`); in
   any other order it is at most (2 - 1/N) T (`any_order_bound`).

   Idea. Let p, of organization k, end last, started at s on h, after q jobs of k. When p starts, every machine is
   loaded until s at least; a machine without the q jobs is so loaded by the others alone. So p is a job that starts
   late, as in the proof of the sharp price (SharpPrice.v). If q = 0, then s = 0: as long as k has unstarted jobs, no
   other organization's job starts on k's machine. Which organization helps whom, and how ties are broken, does not
   matter. *)
From Coq Require Import List Lia Permutation.
Require Import Numbers Sums Game Loads SharpPrice.
Import ListNotations.

(* ================= DEFINITION ================= *)
Section CentralRules.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variables (machines : list O) (jobs : O -> list num).

(* a schedule: its started jobs, the latest first *)
Record start := Start { owner : O; len : num; host : O }.

(* load of machine l, the time at which it stops *)
Fixpoint on (l : O) (E : list start) : num :=
  match E with [] => 0 | e :: E' => (if dec (host e) l then len e else 0) + on l E' end.

(* an assignment of the jobs to machines whose makespan is at most T *)
Definition makespan_within (q : profile (O:=O)) (T : num) : Prop :=
  forall l, sum (map (fun b => ld dec l (jobs b) (q b)) machines) <= T.

(* rule E J h c x: machine h may start job x of organization c, after the jobs E, when J a are the unstarted jobs of
   each a *)
Inductive schedule (rule : list start -> (O -> list num) -> O -> O -> num -> Prop) :
  list start -> (O -> list num) -> Prop :=
| at_first : schedule rule [] jobs
| afterwards E J h c x J' : schedule rule E J ->
    (forall l, on h E <= on l E) ->              (* h is free first *)
    (J h <> [] -> c = h) ->                      (* it starts its owner's jobs as long as there are any *)
    rule E J h c x ->
    Permutation (J c) (x :: J' c) -> (forall b, b <> c -> J' b = J b) ->
    schedule rule (Start c x h :: E) J'.

(* everything is started *)
Definition result rule (E : list start) : Prop := exists J, schedule rule E J /\ forall a, J a = [].

Definition longest (x : num) (L : list num) : Prop := forall y, In y L -> y <= x.
Definition shortest (x : num) (L : list num) : Prop := forall y, In y L -> x <= y.

(* work of c that runs on other machines than its own *)
Fixpoint helped (c : O) (E : list start) : num :=
  match E with [] => 0 | e :: E' =>
    (if dec (owner e) c then if dec (host e) c then 0 else len e else 0) + helped c E' end.

(* own jobs longest first; a machine without own jobs takes the longest of all *)
Definition lpt_lpt (E : list start) (J : O -> list num) (h c : O) (x : num) : Prop :=
  longest x (J c) /\ (c <> h -> forall b, longest x (J b)).
(* own jobs shortest first; a machine without own jobs takes the longest of all *)
Definition spt_lpt (E : list start) (J : O -> list num) (h c : O) (x : num) : Prop :=
  (c = h -> shortest x (J c)) /\ (c <> h -> forall b, longest x (J b)).
(* a machine without own jobs takes a job of an organization that has been helped least; each list in any order *)
Definition less_helped_first (E : list start) (J : O -> list num) (h c : O) (x : num) : Prop :=
  c <> h -> forall b, J b <> [] -> helped c E <= helped b E.
Definition less_helped_first_longest (E : list start) (J : O -> list num) (h c : O) (x : num) : Prop :=
  longest x (J c) /\ less_helped_first E J h c x.
Hypotheses (machines_all : forall l, In l machines) (machines_nodup : NoDup machines).
Hypothesis jobs_nonneg : forall a, nonneg (jobs a).

Notation n := (ofnat (length machines)).

(* the two bounds on the makespan of a schedule without idle time *)
Definition within_sharp (E : list start) (T : num) : Prop := forall l, on l E <= rho (length machines) * T.
Definition within_any (E : list start) (T : num) : Prop := forall l, n * on l E <= (2 * n - 1) * T.

(* ================= SCHEDULES ================= *)
(* k's part of a schedule *)
Definition own (k : O) (E : list start) : list start := filter (fun e => if dec (owner e) k then true else false) E.
Definition started (k : O) (E : list start) : list num := map len (own k E).
Definition complete (E : list start) : Prop := forall a, Permutation (jobs a) (started a E).
Definition lengths_nonneg (E : list start) : Prop := forall e, In e E -> 0 <= len e.

Lemma own_app k E E' : own k (E ++ E') = own k E ++ own k E'.
Proof. apply filter_app. Qed.
Lemma started_split k E2 p h E1 : started k (E2 ++ Start k p h :: E1) = started k E2 ++ p :: started k E1.
Proof. unfold started. rewrite own_app, map_app. simpl. destruct (dec k k); [reflexivity|congruence]. Qed.
Lemma in_own k e E : In e (own k E) <-> In e E /\ owner e = k.
Proof. unfold own. rewrite filter_In. destruct (dec (owner e) k); intuition congruence. Qed.
Lemma on_app l E E' : on l (E ++ E') == on l E + on l E'.
Proof. induction E as [|e E IH]; simpl; lra. Qed.
Lemma on_unused l E : ~ In l (map host E) -> on l E == 0.
Proof.
  induction E as [|e E IH]; simpl; [lra|]. intros H. destruct (dec (host e) l); [tauto|]. rewrite IH; [lra|tauto].
Qed.
Lemma on_nonneg l E : lengths_nonneg E -> 0 <= on l E.
Proof.
  induction E as [|e E IH]; intros H; simpl; [lra|]. assert (He := H e (or_introl eq_refl)).
  specialize (IH (fun e' H' => H e' (or_intror H'))). destruct (dec (host e) l); lra.
Qed.
Lemma on_own_le k l E : lengths_nonneg E -> on l (own k E) <= on l E.
Proof.
  induction E as [|e E IH]; intros H; simpl; [lra|]. assert (He := H e (or_introl eq_refl)).
  specialize (IH (fun e' H' => H e' (or_intror H'))).
  destruct (dec (owner e) k); simpl; destruct (dec (host e) l); lra.
Qed.
Lemma complete_nonneg E : complete E -> lengths_nonneg E.
Proof.
  intros HE e He. apply (jobs_nonneg (owner e)), (Permutation_in _ (Permutation_sym (HE (owner e)))), in_map, in_own.
  auto.
Qed.

(* adding up over machines, or over organizations *)
Lemma add_up (to : start -> O) (g : O -> list start -> num) E :
  (forall l, g l [] == 0) -> (forall l e E, g l (e :: E) == (if dec (to e) l then len e else 0) + g l E) ->
  sum (map (fun l => g l E) machines) == sum (map len E).
Proof.
  intros H0 Hc. induction E as [|e E IH]; simpl; [apply sum_zero; intros l _; apply H0|].
  generalize (sum_map_eq _ _ machines (fun l => Hc l e E)) (sum_point dec (to e) (len e) machines machines_nodup
    (machines_all _)) (sum_map_plus (fun l => if dec (to e) l then len e else 0) (fun l => g l E) machines).
  simpl. lra.
Qed.
Lemma total_on E : sum (map (fun l => on l E) machines) == sum (map len E).
Proof. apply (add_up host on); intros; simpl; lra. Qed.
Lemma all_work E q T : complete E -> makespan_within q T -> sum (map len E) <= n * T.
Proof.
  intros HE Hq. assert (W : sum (map (fun a => sum (started a E)) machines) == sum (map len E)).
  { apply (add_up owner (fun a E => sum (started a E))); intros; unfold started; simpl; [lra|].
    destruct (dec (owner e) l); simpl; lra. }
  assert (S := sum_map_eq (fun a => sum (started a E)) (work jobs) machines
    (fun a => sum_perm _ _ (Permutation_sym (HE a)))).
  assert (G := sum_le_const (total dec machines jobs q) T machines (fun l _ => Hq l)).
  generalize (total_sum dec machines jobs machines_all machines_nodup q). lra.
Qed.

(* ---- a job p of k, started at s on h after the jobs E1, that every machine lets wait until s ---- *)
(* load of l in E by the others, and in E1 by k *)
Definition load_late (k l : O) (E E1 : list start) : num := on l E - on l (own k E) + on l (own k E1).

Lemma load_late_ge k l E A E1 : E = A ++ E1 -> lengths_nonneg A -> on l E1 <= load_late k l E E1.
Proof.
  intros e H. subst E. unfold load_late. rewrite own_app.
  generalize (on_app l A E1) (on_app l (own k A) (own k E1)) (on_own_le k l A H). lra.
Qed.

Section Last.
Variables (E E1 E2 : list start) (k h : O) (p T : num) (q : profile (O:=O)).
Hypothesis split : E = E2 ++ Start k p h :: E1.
Hypothesis E_complete : complete E.
Hypothesis q_makespan : makespan_within q T.
Notation s := (on h E1).
Hypothesis busy : forall l, s <= load_late k l E E1.

Lemma last_perm : Permutation (jobs k) (started k E1 ++ p :: started k E2).
Proof.
  apply (Permutation_trans (E_complete k)). rewrite split, started_split.
  apply (Permutation_trans (Permutation_app_comm _ _)). simpl. apply Permutation_middle.
Qed.
Lemma last_other l : sum (placed dec l (jobs k) (q k)) <= T.
Proof.
  assert (G := load_le_total dec machines jobs machines_all jobs_nonneg q k l). unfold Game.load, Game.ld at 1 in G.
  specialize (q_makespan l). unfold total, Game.load in G. lra.
Qed.
Lemma last_work : sum (map (fun l => on l E - on l (own k E)) machines) + sum (jobs k) <= n * T.
Proof.
  assert (P := sum_map_plus (fun l => on l E - on l (own k E)) (fun l => on l (own k E)) machines). cbv beta in P.
  assert (P2 := sum_map_eq (fun l => on l E - on l (own k E) + on l (own k E)) (fun l => on l E) machines
    ltac:(intros; cbv beta; lra)).
  generalize (total_on E) (total_on (own k E)) (sum_perm _ _ (E_complete k)) (all_work E q T E_complete q_makespan).
  unfold started. lra.
Qed.
Lemma any_order : n * (s + p) <= (2 * n - 1) * T.
Proof.
  apply (late_any_order dec machines machines_all (jobs k) (q k) T (jobs_nonneg k) last_other _ _ p s _ _
    last_perm last_work (total_on (own k E1)) busy).
Qed.
Lemma longest_first_order : (forall x, In x (started k E1) -> p <= x) -> (started k E1 = [] -> s <= 0) ->
  (2 <= length machines)%nat -> s + p <= rho (length machines) * T.
Proof.
  intros Longest First. assert (N := complete_nonneg E E_complete).
  apply (late_sharp dec machines machines_all machines_nodup (jobs k) (q k) T (jobs_nonneg k) last_other _ _ p s _ _
    last_perm last_work (total_on (own k E1)) busy) with (used := map host (own k E1)); auto.
  - intros l. generalize (on_own_le k l E N). lra.
  - apply on_nonneg. intros e He. apply N. rewrite split. apply in_or_app. right. right. exact He.
  - unfold started. rewrite !map_length. reflexivity.
  - intros l. apply on_unused.
Qed.
End Last.

(* the last job on a machine that has one *)
Lemma last_start l E : on l E == 0 \/
  exists E2 k p E1, E = E2 ++ Start k p l :: E1 /\ on l E == on l E1 + p.
Proof.
  induction E as [|[k p h] E [IH|(E2 & k' & p' & E1 & IH & S)]]; simpl.
  - left. lra.
  - destruct (dec h l) as [e|_]; [subst h|left; lra]. right. exists [], k, p, E. split; [reflexivity|lra].
  - right. destruct (dec h l) as [e|_]; [subst h; exists [], k, p, E; split; [reflexivity|lra]|].
    exists (Start k p h :: E2), k', p', E1. split; [rewrite IH; reflexivity|lra].
Qed.
Lemma makespan_nonneg q T : makespan_within q T -> O -> 0 <= T.
Proof.
  intros H l. assert (P := sum_map_nonneg (fun b => ld dec l (jobs b) (q b)) machines
    (fun b => ld_nonneg dec jobs jobs_nonneg l b (q b))). specialize (H l). lra.
Qed.

(* it is enough to bound the end of every job *)
Lemma within_any_intro E q T : makespan_within q T ->
  (forall E2 k p h E1, E = E2 ++ Start k p h :: E1 -> n * (on h E1 + p) <= (2 * n - 1) * T) -> within_any E T.
Proof.
  intros Hq H l. assert (HT := makespan_nonneg q T Hq l). assert (N1 := length_some l machines (machines_all l)).
  destruct (last_start l E) as [Z|(E2 & k & p & E1 & Split & S)]; [rewrite Z|rewrite S; exact (H E2 k p l E1 Split)].
  assert (M := mul_nonneg (2 * n - 1) T ltac:(lra) HT). lra.
Qed.
Lemma within_sharp_intro E q T : (2 <= length machines)%nat -> makespan_within q T ->
  (forall E2 k p h E1, E = E2 ++ Start k p h :: E1 -> on h E1 + p <= rho (length machines) * T) -> within_sharp E T.
Proof.
  intros H2 Hq H l. destruct (last_start l E) as [Z|(E2 & k & p & E1 & Split & S)].
  - generalize (rho_nonneg _ T H2 (makespan_nonneg q T Hq l)). lra.
  - specialize (H E2 k p l E1 Split). lra.
Qed.

(* ================= THE RULES ================= *)
Section Rules.
Variable rule : list start -> (O -> list num) -> O -> O -> num -> Prop.

Lemma schedule_jobs E J : schedule rule E J -> forall a, Permutation (jobs a) (started a E ++ J a).
Proof.
  induction 1 as [|E J h c x J' _ IH _ _ _ Hc Hb]; intros a; unfold started; simpl; [apply Permutation_refl|].
  destruct (dec c a) as [e|n].
  - subst a. apply (Permutation_trans (IH c)). simpl. apply (Permutation_trans (Permutation_app_head _ Hc)).
    apply Permutation_sym, Permutation_middle.
  - rewrite Hb by congruence. apply IH.
Qed.
Lemma result_complete E : result rule E -> complete E.
Proof. intros (J & H & HJ) a. assert (G := schedule_jobs E J H a). rewrite HJ, app_nil_r in G. exact G. Qed.

(* as long as k has unstarted jobs and has started none, its machine is empty *)
Lemma first_at_zero E J : schedule rule E J -> forall k, J k <> [] -> started k E = [] -> on k E == 0.
Proof.
  unfold started.
  induction 1 as [|E J h c x J' _ IH _ Own _ Hc Hb]; intros k Hk Hs; simpl in *; [lra|].
  destruct (dec c k) as [e|n]; [discriminate|]. rewrite Hb in Hk by congruence. specialize (IH k Hk Hs).
  destruct (dec h k) as [e|_]; [subst h; specialize (Own Hk); congruence|lra].
Qed.
Lemma schedule_before E2 e E1 J : schedule rule (E2 ++ e :: E1) J -> exists J1 J', schedule rule E1 J1 /\
  (forall l, on (host e) E1 <= on l E1) /\ rule E1 J1 (host e) (owner e) (len e) /\
  Permutation (J1 (owner e)) (len e :: J' (owner e)).
Proof.
  revert J; induction E2 as [|e2 E2 IH]; intros J H; inversion H; subst.
  - exists J0, J. simpl. auto.
  - eapply IH; eassumption.
Qed.
Lemma result_busy E E2 k p h E1 : result rule E -> E = E2 ++ Start k p h :: E1 ->
  (forall l, on h E1 <= load_late k l E E1) /\ (started k E1 = [] -> on h E1 <= 0).
Proof.
  intros Hr Split. assert (C := complete_nonneg E (result_complete E Hr)). destruct Hr as (J & H & _).
  rewrite Split in H. destruct (schedule_before _ _ _ _ H) as (J1 & J' & H1 & Least & _ & Next). simpl in Least, Next.
  split.
  - intros l. assert (App : E = (E2 ++ [Start k p h]) ++ E1) by (rewrite Split, <- app_assoc; reflexivity).
    assert (N : lengths_nonneg (E2 ++ [Start k p h]))
      by (intros e He; apply C; rewrite App; apply in_or_app; left; exact He).
    generalize (load_late_ge k l E _ E1 App N) (Least l). lra.
  - intros Hs. generalize (first_at_zero E1 J1 H1 k (perm_nonempty _ _ (Permutation_sym Next) ltac:(discriminate)) Hs)
      (Least k). lra.
Qed.

Theorem any_order_bound E q T : result rule E -> makespan_within q T -> within_any E T.
Proof.
  intros Hr Hq. apply (within_any_intro E q T Hq). intros E2 k p h E1 Split.
  apply (any_order E E1 E2 k h p T q Split (result_complete E Hr) Hq), (result_busy E E2 k p h E1 Hr Split).
Qed.

(* rules by which each organization's jobs start longest first *)
Hypothesis longest_first : forall E J h c x, rule E J h c x -> longest x (J c).

Lemma started_longest E J : schedule rule E J -> forall k x y, In x (started k E) -> In y (J k) -> y <= x.
Proof.
  unfold started.
  induction 1 as [|E J h c x J' _ IH _ _ Hr Hc Hb]; intros k z y Hz Hy; simpl in Hz; [destruct Hz|].
  destruct (dec c k) as [e|n].
  - subst k. assert (Hy' : In y (J c)) by (apply (Permutation_in _ (Permutation_sym Hc)); right; exact Hy).
    destruct Hz as [Hz|Hz]; [subst z; exact (longest_first _ _ _ _ _ Hr y Hy')|exact (IH c z y Hz Hy')].
  - rewrite Hb in Hy by congruence. exact (IH k z y Hz Hy).
Qed.

Theorem longest_first_bound E q T : (2 <= length machines)%nat -> result rule E -> makespan_within q T ->
  within_sharp E T.
Proof.
  intros HN Hr Hq. apply (within_sharp_intro E q T HN Hq). intros E2 k p h E1 Split.
  destruct (result_busy E E2 k p h E1 Hr Split) as (B1 & B2).
  apply (longest_first_order E E1 E2 k h p T q Split (result_complete E Hr) Hq B1); [|exact B2|exact HN].
  destruct Hr as (J & H & _). rewrite Split in H. destruct (schedule_before _ _ _ _ H) as (J1 & J' & H1 & _ & _ & Next).
  intros x Hx. apply (started_longest E1 J1 H1 k x p Hx).
  apply (Permutation_in _ (Permutation_sym Next)). left. reflexivity.
Qed.
End Rules.
End CentralRules.

(* ---- both bounds are attained for N = 2: 4/3 and 3/2 ---- *)
Section Attained.
Inductive org := O1 | O2.
Definition org_dec (a b : org) : {a = b} + {a <> b}.
Proof. decide equality. Defined.

Notation a_rule := (list start -> (org -> list num) -> org -> org -> num -> Prop).

Definition two_twos (a : org) : list num := match a with O1 => [2; 2] | O2 => [1; 1] end.

Ltac next J x h := apply (afterwards org_dec _ _ _ J h h x);
  [|intros []; simpl; lra|reflexivity| |apply Permutation_refl|intros []; congruence || reflexivity].

(* all jobs at home end at 4; one job of each organization on each machine, at 3 *)
Lemma longest_first_attained (rule : a_rule) : (forall E J h x, longest x (J h) -> rule E J h h x) ->
  exists E q, result org_dec two_twos rule E /\ makespan_within org_dec [O1; O2] two_twos q 3 /\ on org_dec O1 E == 4.
Proof.
  intros Own. exists [Start O1 2 O1; Start O2 1 O2; Start O2 1 O2; Start O1 2 O1].
  exists (fun _ t => match t with 0%nat => O1 | _ => O2 end). split; [|split].
  - exists (fun _ => []). split; [|reflexivity].
    next (fun a : org => match a with O1 => [2] | O2 => [] end) 2 O1.
    next (fun a : org => match a with O1 => [2] | O2 => [1] end) 1 O2.
    next (fun a : org => match a with O1 => [2] | O2 => [1; 1] end) 1 O2.
    next two_twos 2 O1. apply at_first.
    all: apply Own; intros y; simpl; intros H; repeat destruct H as [H|H]; try subst y; try lra; destruct H.
  - intros []; unfold ld; simpl; lra.
  - simpl. lra.
Qed.

Definition one_and_two (a : org) : list num := match a with O1 => [1] | O2 => [1; 2] end.

(* the job of length 2 comes last; alone on the other machine it ends at 2, and so does everything *)
Lemma shortest_first_attained (rule : a_rule) : (forall E J h x, shortest x (J h) -> rule E J h h x) ->
  exists E q, result org_dec one_and_two rule E /\ makespan_within org_dec [O1; O2] one_and_two q 2 /\
    on org_dec O2 E == 3.
Proof.
  intros Own. exists [Start O2 2 O2; Start O2 1 O2; Start O1 1 O1].
  exists (fun a t => match a, t with O2, 1%nat => O1 | _, _ => O2 end). split; [|split].
  - exists (fun _ => []). split; [|reflexivity].
    next (fun a : org => match a with O1 => [] | O2 => [2] end) 2 O2.
    next (fun a : org => match a with O1 => [] | O2 => [1; 2] end) 1 O2.
    next one_and_two 1 O1. apply at_first.
    all: apply Own; intros y; simpl; intros H; repeat destruct H as [H|H]; try subst y; try lra; destruct H.
  - intros []; unfold ld; simpl; lra.
  - simpl. lra.
Qed.

(* own jobs only are started, so every rule of this order does so *)
Theorem central_rules_attained :
  (forall rule : a_rule, rule = lpt_lpt \/ rule = less_helped_first_longest org_dec ->
     exists E q, result org_dec two_twos rule E /\ makespan_within org_dec [O1; O2] two_twos q 3 /\
       on org_dec O1 E == 4) /\
  (forall rule : a_rule, rule = spt_lpt \/ rule = less_helped_first org_dec ->
     exists E q, result org_dec one_and_two rule E /\ makespan_within org_dec [O1; O2] one_and_two q 2 /\
       on org_dec O2 E == 3).
Proof.
  split; intros rule [H|H]; subst rule; [apply longest_first_attained|apply longest_first_attained|
    apply shortest_first_attained|apply shortest_first_attained]; intros E J h x Hx.
  - split; [exact Hx|intros n; destruct (n eq_refl)].
  - split; [exact Hx|intros n; destruct (n eq_refl)].
  - split; [intros _; exact Hx|intros n; destruct (n eq_refl)].
  - intros n. destruct (n eq_refl).
Qed.
End Attained.
