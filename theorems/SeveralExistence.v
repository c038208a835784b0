(* Several machines per organization: where an equilibrium exists, the cost being the completion time of the last job.

   [few_or_equal_jobs_equilibrium] (R3 in the documentation): if every organization has at most one job more than
   machines, or jobs of one length (mixtures allowed), an equilibrium exists, for any number of organizations and any
   priority.
   Event loop: while there are jobs that have not started, take a machine of least load, of host h say, and start on it
   the next job of the organization that is first on h, h itself before all others, among those that have one.
   (1) A host takes guests only after its own jobs, and these in its order of priority: so this is the schedule of a
       profile.
   (2) In it everybody's jobs are a list schedule on the loads that it sees at the end ([event_loop]): while a has jobs
       left, whatever starts on a machine belongs to a or to an organization before a there.
   (3) That is a best schedule. With equal jobs, because a job on a larger load b instead of the least load a may be
       exchanged with the job that comes on a. With one job more than machines: if the last job ended after c, then no
       machine would have load at most c minus its length after the others; each of these takes away one such machine in
       any schedule that ends by c, and at most one in the list schedule; so the other schedule has no place for it. *)
From Coq Require Import List Lia Permutation Sorted.
Require Import Numbers Game IdenticalMachines SeveralMachines.
Import ListNotations.

(* ---------- (3): list schedules that are optimal ---------- *)
(* the jobs can be run, each on some machine, so that all end by c *)
Fixpoint finishes (L js : list num) (c : num) : Prop :=
  match js with
  | [] => True
  | x :: js' => exists t others, Permutation L (t :: others) /\ t + x <= c /\ finishes (t + x :: others) js' c
  end.

Lemma schedule_finishes rule L js times F c : schedule rule L js times F -> by_time c times -> finishes L js c.
Proof.
  induction 1 as [|L t R x js times F HL Ht H IH]; intros Hc; simpl; [exact I|].
  exists t, R. split; [exact HL|]. split; [apply Hc; left; reflexivity|]. apply IH. intros s Hs. apply Hc. right.
  exact Hs.
Qed.
Lemma finishes_mono js : forall L L' c, below L L' -> finishes L' js c -> finishes L js c.
Proof.
  induction js as [|x js IH]; intros L L' c HL; simpl; [trivial|]. intros (t & R & HP & Ht & H).
  assert (B : Forall2 (fun x y : num => y <= x) L' L) by (clear - HL; induction HL; constructor; assumption).
  destruct (Permutation_Forall2 HP B) as (L2 & P2 & B2). inversion B2 as [|t' u R' R2 Hu HR]; subst.
  exists u, R2. split; [exact P2|]. split; [lra|]. apply (IH _ (t + x :: R)); [|exact H].
  constructor; [lra|]. clear - HR. induction HR; constructor; assumption.
Qed.
Lemma finishes_permutation js L L' c : Permutation L L' -> finishes L' js c -> finishes L js c.
Proof.
  destruct js as [|x js]; simpl; [trivial|]. intros P (t & R & HP & H). exists t, R.
  split; [exact (Permutation_trans P HP)|exact H].
Qed.

(* lists that differ in the order of their first elements *)
Ltac permute := match goal with
  | |- Permutation ?L ?L => apply Permutation_refl
  | |- Permutation (?x :: _) (?x :: _) => apply perm_skip; permute
  | |- Permutation (?x :: _) (?y :: ?x :: ?M) =>
      apply (@Permutation_trans _ _ (x :: y :: M)); [apply perm_skip; permute|apply perm_swap]
  | |- Permutation (?x :: _) (?y :: ?z :: ?x :: ?M) =>
      apply (@Permutation_trans _ _ (x :: y :: z :: M));
        [apply perm_skip; permute|apply (Permutation_trans (perm_swap _ _ _)), perm_skip, perm_swap]
  end.

(* two ways to take an element out of a list *)
Lemma two_choices (t u : num) R Q : Permutation (t :: R) (u :: Q) ->
  (t = u /\ Permutation R Q) \/ exists S, Permutation R (u :: S) /\ Permutation Q (t :: S).
Proof.
  intros P. destruct (Permutation_in u (Permutation_sym P) (or_introl eq_refl)) as [e|H].
  - left. split; [exact e|]. subst u. exact (Permutation_cons_inv P).
  - right. destruct (in_split u R H) as (R1 & R2 & E). exists (R1 ++ R2). subst R.
    assert (M := Permutation_middle R1 R2 u). split; [apply Permutation_sym, M|].
    apply (Permutation_cons_inv (a := u)). rewrite <- P, <- M. permute.
Qed.

(* equal jobs of length z: the next job may take load a instead of b >= a *)
Lemma equal_exchange z js : 0 <= z -> (forall x, In x js -> x == z) -> forall a b R c, a <= b -> b + z <= c ->
  finishes (a :: b + z :: R) js c -> finishes (a + z :: b :: R) js c.
Proof.
  intros H0. induction js as [|x js IH]; intros Hz a b R c Hab Hb; simpl; [trivial|].
  assert (Hx : x == z) by (apply Hz; left; reflexivity).
  assert (Hz' : forall y, In y js -> y == z) by (intros y Hy; apply Hz; right; exact Hy).
  intros (t & Q & HP & Ht & H). destruct (two_choices _ _ _ _ HP) as [[e P]|(S & P1 & P2)].
  - (* the other schedule takes a now: both have a + z and b + z *)
    subst t. exists b, (a + z :: R). split; [permute|]. split; [lra|].
    apply (finishes_mono _ _ (b + z :: a + x :: R)); [apply below_two; lra|].
    apply (finishes_permutation _ _ (a + x :: Q)); [rewrite <- P; permute|exact H].
  - destruct (two_choices _ _ _ _ P1) as [[e P]|(S' & P3 & P4)].
    + (* it takes b + z *)
      subst t. exists b, (a + z :: R). split; [permute|]. split; [lra|].
      apply (finishes_permutation _ _ (a + z :: b + x :: R)); [permute|].
      apply IH; [exact Hz'|lra|lra|].
      apply (finishes_mono _ _ (a :: b + z + x :: R)); [apply below_two; lra|].
      apply (finishes_permutation _ _ (b + z + x :: Q)); [|exact H]. rewrite P2, P. permute.
    + (* it takes another machine *)
      exists t, (a + z :: b :: S'). split; [rewrite P3; permute|]. split; [exact Ht|].
      apply (finishes_permutation _ _ (a + z :: b :: t + x :: S')); [permute|].
      apply IH; [exact Hz'|exact Hab|exact Hb|].
      apply (finishes_permutation _ _ (t + x :: Q)); [|exact H]. rewrite P2, P4. permute.
Qed.

Theorem equal_jobs_optimal z L js times F c : 0 <= z -> (forall x, In x js -> x == z) ->
  schedule on_least L js times F -> finishes L js c -> by_time c times.
Proof.
  intros H0 Hz H. induction H as [|L t R x js times F HL Ht H IH]; simpl; [intros _ s []|].
  intros (u & Q & HP & Hu & G).
  specialize (IH (fun y Hy => Hz y (or_intror Hy))).
  assert (Hx : x == z) by (apply Hz; left; reflexivity).
  assert (Hz' : forall y, In y js -> y == z) by (intros y Hy; apply Hz; right; exact Hy).
  assert (Hin : t <= u).
  { assert (In u (t :: R)) as [e|Hi]; [|subst; lra|exact (Ht u Hi)].
    apply (Permutation_in u (Permutation_trans (Permutation_sym HP) HL)). left. reflexivity. }
  assert (D : finishes (t + x :: R) js c).
  { destruct (two_choices _ _ _ _ (Permutation_trans (Permutation_sym HL) HP)) as [[e P]|(S & P1 & P2)].
    - subst u. apply (finishes_permutation _ _ (t + x :: Q)); [apply perm_skip; exact P|exact G].
    - apply (finishes_permutation _ _ (t + x :: u :: S)); [apply perm_skip; exact P1|].
      apply (finishes_mono _ _ (t + z :: u :: S)); [apply below_two; lra|].
      apply equal_exchange; [exact H0|exact Hz'|exact Hin|lra|].
      apply (finishes_mono _ _ (t :: u + x :: S)); [apply below_two; lra|].
      apply (finishes_permutation _ _ (u + x :: Q)); [rewrite P2; permute|exact G]. }
  intros s [e|Hs]; [subst s; lra|exact (IH D s Hs)].
Qed.

(* a schedule that ends by c: each job longer than r takes a machine of load at most c - r away ([free]) *)
Lemma finishes_free r c js : 0 <= r -> forall L p, nonneg L -> (forall x, In x js -> c < r + x /\ r <= x) -> r == p ->
  finishes L (js ++ [p]) c -> (length js < free (c - r) L)%nat.
Proof.
  intros Hr. induction js as [|x js IH]; intros L p HL Hx Hp; simpl; intros (t & R & P & Ht & H).
  - rewrite (free_permutation _ _ _ P). simpl. destruct (lt_le (c - r) t); [exfalso; lra|lia].
  - destruct (Hx x (or_introl eq_refl)) as [H1 H2].
    assert (T0 : 0 <= t) by (apply (nonneg_perm _ _ P HL); left; reflexivity).
    set (L1 := t + x :: R) in *.
    assert (G : (length js < free (c - r) L1)%nat).
    { apply (IH _ p); [|intros y Hy; apply Hx; right; exact Hy|exact Hp|exact H].
      intros y [e|Hy]; [subst y; lra|apply (nonneg_perm _ _ P HL); right; exact Hy]. }
    rewrite (free_permutation _ _ _ P). unfold L1 in G. simpl in *.
    destruct (lt_le (c - r) t), (lt_le (c - r) (t + x)); try lia; exfalso; lra.
Qed.
Lemma finishes_late c js : forall L, nonneg L -> nonneg js -> finishes L js c -> forall x, In x js -> x <= c.
Proof.
  induction js as [|y js IH]; intros L HL Hn; simpl; [tauto|]. intros (t & R & P & Ht & G) x Hx.
  destruct (nonneg_cons _ _ (nonneg_perm _ _ P HL)) as [T0 HR]. destruct (nonneg_cons _ _ Hn) as [Y0 Hn'].
  destruct Hx as [e|Hx]; [subst; lra|]. apply (IH (t + y :: R)); [|exact Hn'|exact G|exact Hx].
  intros z [e|Hz]; [subst z; lra|exact (HR z Hz)].
Qed.
Lemma schedule_end rule js y : forall L times L', schedule rule L (js ++ [y]) times L' ->
  exists ts L2 t R, schedule rule L js ts L2 /\ Permutation L2 (t :: R) /\ rule t R /\ L' = t + y :: R.
Proof.
  induction js as [|x js IH]; intros L times L' H; inversion H as [|L0 t R x' js' ts F HL Ht H']; subst.
  - inversion H'; subst. exists [], L, t, R. split; [constructor|]. auto.
  - destruct (IH _ _ _ H') as (us & L2 & u & Q & H1 & H2). exists (t + x :: us), L2, u, Q.
    split; [econstructor; eassumption|exact H2].
Qed.

Theorem one_more_optimal n L js times F c : nonneg L -> nonneg js -> descending js -> (length js <= S n)%nat ->
  (n <= free 0 L)%nat -> schedule on_least L js times F -> finishes L js c -> by_time c times.
Proof.
  intros HL Hn Hd Hlen Hfree H G. destruct js as [|x0 js0]; [inversion H; subst; intros t []|].
  destruct (list_schedule_last L _ times F H) as (pre & p & post & times1 & L1 & s & E & H1 & H2 & H3 & H4);
    [discriminate|].
  assert (J := finishes_late c _ L HL Hn G).
  assert (A : s + p <= c); [|intros t Ht; specialize (H4 t Ht); lra].
  assert (Hp : p <= c) by (apply J; rewrite E; apply in_or_app; right; left; reflexivity).
  assert (P0 : 0 <= p) by (apply Hn; rewrite E; apply in_or_app; right; left; reflexivity).
  destruct (lt_le c (s + p)) as [B|B]; [exfalso|exact B].
  (* all loads at p's turn exceed c - p, so p is the last job *)
  assert (Z : forall q, q < s -> free q L1 = 0%nat).
  { intros q Hq. destruct (free q L1) eqn:Ef; [reflexivity|].
    destruct (free_some q L1) as (t & Ht & Hc); [lia|]. specialize (H3 t Ht). lra. }
  assert (F1 := free_schedule _ (c - p) _ _ _ _ H1). rewrite (Z (c - p)) in F1 by lra.
  assert (F0 := free_schedule _ 0 _ _ _ _ H1). rewrite (Z 0) in F0 by lra.
  assert (Epost : post = []).
  { rewrite E, app_length in Hlen. simpl in Hlen. destruct post; [reflexivity|simpl in Hlen; lia]. }
  subst post. rewrite E in *.
  (* and every job before it is longer than c - p: the shortest of them began at 0 *)
  assert (C : forall x, In x pre -> c < p + x /\ p <= x).
  { assert (Hpre : pre = [] \/ exists pre' y, pre = pre' ++ [y]).
    { destruct pre as [|x l] using rev_ind; [left; reflexivity|right; eauto]. }
    destruct Hpre as [e|(pre' & y & e)]; [subst pre; intros x []|]. subst pre.
    destruct (schedule_end _ _ _ _ _ _ H1) as (ts & L2 & t & R & H5 & P & Ht & EL). subst L1.
    assert (T : t <= 0).
    { assert (F2 := free_schedule _ 0 _ _ _ _ H5). rewrite !app_length in Hlen. simpl in Hlen.
      destruct (free_some 0 L2) as (u & Hu & Hu0); [lia|].
      apply (Permutation_in u P) in Hu. destruct Hu as [e|Hu]; [subst u; lra|]. specialize (Ht u Hu). lra. }
    assert (Y : s <= t + y) by (apply H3; left; reflexivity).
    intros x Hx. split; [|exact (descending_before _ _ _ Hd x Hx)].
    assert (y <= x); [|lra]. apply in_app_or in Hx. destruct Hx as [Hx|[e|[]]]; [|subst; lra].
    exact (descending_before pre' y [] (descending_app_left _ _ Hd) x Hx). }
  assert (K := finishes_free p c pre P0 L p HL C ltac:(lra) G). lia.
Qed.

(* ---------- (1), (2): the event loop ---------- *)
Section Existence.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variables (hosts : list O) (machines : O -> nat) (jobs : O -> list num) (prio : O -> list O).
Hypotheses (hosts_all : forall l, In l hosts) (hosts_nodup : NoDup hosts).
Hypothesis machines_some : forall l, (1 <= machines l)%nat.
Hypotheses (prio_nodup : forall l, NoDup (prio l)) (prio_all : forall l a, In a (prio l)).
Hypothesis jobs_nonneg : forall a, nonneg (jobs a).

Notation placed := (placed dec).
Notation before := (before dec).
Notation order := (order dec prio).

(* the first organization in a host's order that has jobs left *)
Lemma first_with_jobs (J : O -> list num) os a : In a os -> J a <> [] ->
  exists c, J c <> [] /\ forall b, In b (before c os) -> J b = [].
Proof.
  induction os as [|b os IH]; simpl; [tauto|]. intros Hi Ha.
  destruct (J b) as [|x r] eqn:Eb.
  - destruct Hi as [e|Hi]; [subst; congruence|].
    destruct (IH Hi Ha) as (c & H1 & H2). exists c. split; [exact H1|].
    intros b' Hb'. destruct (dec b c); [destruct Hb'|]. destruct Hb' as [e|Hb']; [subst; exact Eb|auto].
  - exists b. split; [congruence|]. destruct (dec b b); [simpl; tauto|congruence].
Qed.

(* the loads that a sees, if jobs J are placed by st on hosts that have loads R at the beginning *)
Definition seen (J : O -> list num) (st : profile) (R : O -> list num) (a l : O) : list num :=
  run (R l) (flat_map (fun b => placed l (J b) (st b)) (before a (order l))).

Lemma flat_map_nil {A B : Type} (L : list A) : flat_map (fun _ => @nil B) L = [].
Proof. induction L; [reflexivity|assumption]. Qed.
Lemma list_reply_ext js : forall (R R' : O -> list num) d, (forall l, R l = R' l) ->
  list_reply dec R js d -> list_reply dec R' js d.
Proof.
  induction js as [|x js IH]; intros R R' d E; simpl; [trivial|]. intros [H1 H2]. split.
  - intros l. rewrite <- !E. apply H1.
  - revert H2. apply IH. intros l. unfold serve_at. rewrite E. reflexivity.
Qed.

(* one step: host h, of least load, starts the first job x of c, which is the first on h with jobs left *)
Section Step.
Variables (J : O -> list num) (R : O -> list num) (h c : O) (x : num) (rest : list num) (st : @profile O).
Hypothesis J_nonneg : forall a, nonneg (J a).
Hypothesis R_ascending : forall l, ascending (R l).
Hypothesis h_least : forall l, start (R h) <= start (R l).
Hypothesis Jc : J c = x :: rest.
Hypothesis c_first : forall b, In b (before c (order h)) -> J b = [].

Definition left_over (b : O) : list num := if dec b c then rest else J b.
Definition with_first (b : O) : strategy := if dec b c then scons h (st c) else st b.

Lemma placed_other b l : b <> c -> placed l (J b) (with_first b) = placed l (left_over b) (st b).
Proof. intros n. unfold with_first, left_over. destruct (dec b c); congruence. Qed.
Lemma placed_first l : placed l (J c) (with_first c) =
  (if dec h l then [x] else []) ++ placed l (left_over c) (st c).
Proof.
  unfold with_first, left_over. destruct (dec c c); [|congruence]. rewrite Jc. simpl.
  change (fun n => scons h (st c) (S n)) with (st c). destruct (dec h l); reflexivity.
Qed.
Lemma start_seen a l : start (R l) <= start (seen J with_first R a l).
Proof.
  apply start_mono, run_nonneg_below; [|apply R_ascending].
  intros y Hy. apply in_flat_map in Hy. destruct Hy as (b & _ & Hy). exact (J_nonneg b y (placed_in dec _ _ _ _ Hy)).
Qed.

(* c itself sees h as it is *)
Lemma seen_first : seen J with_first R c h = R h.
Proof.
  unfold seen. rewrite (flat_map_same _ (fun _ => [])).
  - rewrite flat_map_nil. reflexivity.
  - intros b Hb. rewrite (c_first b Hb). reflexivity.
Qed.

(* the others, and c with its next jobs, see what they see after the step *)
Lemma seen_step a l : J a <> [] -> a <> c ->
  seen J with_first R a l = seen left_over st (serve_at dec h x R) a l.
Proof.
  intros Ha n. unfold seen, serve_at. destruct (dec h l) as [e|m].
  - subst l. assert (Hin : In c (before a (order h))).
    { destruct (before_total dec c a (order h)) as [H|H];
        [congruence|apply order_all; exact prio_all|apply order_all; exact prio_all|exact H|].
      specialize (c_first a H). congruence. }
    assert (G : flat_map (fun b => placed h (J b) (with_first b)) (before a (order h))
                = x :: flat_map (fun b => placed h (left_over b) (st b)) (before a (order h))).
    { assert (F : forall os, In c (before a os) -> NoDup os -> (forall b, In b (before c os) -> J b = []) ->
        flat_map (fun b => placed h (J b) (with_first b)) (before a os)
        = x :: flat_map (fun b => placed h (left_over b) (st b)) (before a os)).
      { induction os as [|b os IH]; simpl; [tauto|]. intros H Hn He. inversion Hn as [|b' os' Hb Hos]; subst.
        destruct (dec b a) as [e|ba]; [destruct H|]. simpl. destruct (dec b c) as [e|bc].
        - subst b. rewrite placed_first. destruct (dec h h); [|congruence]. simpl. f_equal. f_equal.
          apply flat_map_same. intros d Hd. apply placed_other. intros e'. subst d.
          apply before_in in Hd. tauto.
        - destruct H as [H|H]; [congruence|]. rewrite (placed_other b h bc), (IH H Hos).
          + assert (E : left_over b = []).
            { unfold left_over. destruct (dec b c); [congruence|]. apply He. left. reflexivity. }
            rewrite E. reflexivity.
          + intros d Hd. apply He. right. exact Hd. }
      apply F; [exact Hin|apply order_nodup; exact prio_nodup|exact c_first]. }
    rewrite G. reflexivity.
  - f_equal. apply flat_map_same. intros b _. destruct (dec b c) as [e|bc]; [|apply placed_other; exact bc].
    subst b. rewrite placed_first. destruct (dec h l); [congruence|reflexivity].
Qed.
Lemma seen_step_first l : serve_at dec h x (seen J with_first R c) l = seen left_over st (serve_at dec h x R) c l.
Proof.
  unfold serve_at at 1. destruct (dec h l) as [e|m].
  - subst l. rewrite seen_first. unfold seen. rewrite serve_at_same, (flat_map_same _ (fun _ => [])).
    + rewrite flat_map_nil. reflexivity.
    + intros b Hb. assert (n : b <> c) by (apply before_in in Hb; tauto).
      unfold left_over. destruct (dec b c); [congruence|]. rewrite (c_first b Hb). reflexivity.
  - unfold seen. rewrite serve_at_other by congruence. f_equal. apply flat_map_same. intros b Hb.
    apply placed_other. apply before_in in Hb. tauto.
Qed.
Lemma step : (forall a, list_reply dec (seen left_over st (serve_at dec h x R) a) (left_over a) (st a)) ->
  forall a, list_reply dec (seen J with_first R a) (J a) (with_first a).
Proof.
  intros H a. specialize (H a). destruct (dec a c) as [e|n].
  - subst a. rewrite Jc. unfold with_first at 2. unfold left_over at 2 in H.
    destruct (dec c c) as [_|n]; [|congruence]. split.
    + intros l. simpl. rewrite seen_first. generalize (h_least l) (start_seen c l). lra.
    + apply list_reply_ext with (2 := H). intros l. symmetry. apply seen_step_first.
  - destruct (J a) as [|y r] eqn:Ea; [exact I|]. rewrite <- Ea. assert (Ha : J a <> []) by congruence.
    unfold with_first at 2. unfold left_over at 2 in H. destruct (dec a c); [congruence|].
    apply list_reply_ext with (2 := H). intros l. symmetry. apply seen_step; assumption.
Qed.
End Step.

Theorem event_loop n : forall (J : O -> list num) (R : O -> list num),
  (list_sum (map (fun b => length (J b)) hosts) <= n)%nat -> (forall a, nonneg (J a)) -> (forall l, ascending (R l)) ->
  exists st : @profile O, forall a, list_reply dec (seen J st R a) (J a) (st a).
Proof.
  induction n as [|n IH]; intros J R Hlen HJ HR.
  all: assert (Hc : (forall a, J a = []) \/ exists a, J a <> []) by
    (destruct (Exists_dec (fun a => J a <> []) hosts) as [H|H];
      [intros a; destruct (J a); [right; congruence|left; discriminate]
      |apply Exists_exists in H; destruct H as (a & _ & H); right; exists a; exact H
      |left; intros a; destruct (J a) eqn:E; [reflexivity|]; exfalso; apply H, Exists_exists; exists a;
       split; [apply hosts_all|congruence]]).
  all: destruct Hc as [Hc|(a0 & Ha0)]; [exists (fun b => home b); intros a; rewrite (Hc a); exact I|].
  - exfalso. assert (H := list_sum_in (fun b => length (J b)) hosts a0 (hosts_all a0)). cbv beta in H.
    destruct (J a0); [congruence|simpl in H; lia].
  - destruct (least_host hosts hosts_all R a0) as (h & Hh).
    destruct (first_with_jobs J (order h) a0 (order_all dec prio prio_all h a0) Ha0) as (c & Hc & Hfirst).
    destruct (J c) as [|x r] eqn:Ec; [congruence|].
    destruct (IH (left_over J c r) (serve_at dec h x R)) as (st & Hst).
    + assert (list_sum (map (fun b => length (left_over J c r b)) hosts)
              < list_sum (map (fun b => length (J b)) hosts))%nat; [|lia].
      apply (list_sum_less _ _ hosts c); [| |apply hosts_all].
      * intros b. unfold left_over. destruct (dec b c) as [e|]; [rewrite e, Ec; simpl; lia|lia].
      * unfold left_over. destruct (dec c c); [|congruence]. rewrite Ec. simpl. lia.
    + intros b. unfold left_over. destruct (dec b c); [|apply HJ].
      intros y Hy. apply (HJ c). rewrite Ec. right. exact Hy.
    + intros l. apply serve_at_ascending; exact HR.
    + exists (with_first h c st). exact (step J R h c x r st HJ HR Hh Ec Hfirst Hst).
Qed.

(* a profile in which everybody's jobs are a list schedule on the loads that it sees *)
Corollary everybody_list_schedules : exists p : @profile O, forall a,
  list_reply dec (ready dec machines jobs prio p a) (jobs a) (p a).
Proof.
  apply (event_loop _ jobs (fun l => idle (machines l)) (le_n _)); [exact jobs_nonneg|intros; apply idle_ascending].
Qed.

(* ---------- the theorem ---------- *)
Notation ready := (ready dec machines jobs prio).

Theorem few_or_equal_jobs_equilibrium : (forall a, descending (jobs a)) ->
  (forall a, (length (jobs a) <= S (machines a))%nat \/ exists z, forall x, In x (jobs a) -> x == z) ->
  exists p, equilibrium dec hosts machines jobs prio p.
Proof.
  intros Hd Hspecial. destruct everybody_list_schedules as (p & Hp). exists p. intros a d.
  assert (HR := ready_not_nil dec machines jobs prio machines_some p a).
  assert (HA := ready_ascending dec machines jobs prio p a).
  destruct (list_reply_is_schedule dec hosts hosts_all hosts_nodup (jobs a) _ (p a) HR HA (Hp a)) as (ts & F & H & P).
  destruct (reply_is_schedule dec hosts hosts_all hosts_nodup (jobs a) _ d HR) as (us & G & K & Q).
  set (c := cost dec hosts machines jobs prio (deviate dec p a d) a).
  assert (C : finishes (flat_map (ready p a) hosts) (jobs a) c).
  { apply (schedule_finishes _ _ _ _ _ c K). intros t Ht. apply (cost_by_time dec hosts machines jobs prio).
    rewrite times_deviate by assumption. exact (Permutation_in t Q Ht). }
  apply largest_le; [apply cost_nonneg|]. rewrite times_reply by assumption.
  intros t Ht. apply (Permutation_in t (Permutation_sym P)) in Ht. revert t Ht.
  destruct (Hspecial a) as [Hl|(z & Hs)].
  - apply (one_more_optimal (machines a) (flat_map (ready p a) hosts) (jobs a) ts F c) with (6 := H);
      auto using loads_nonneg, own_machines_free.
  - destruct (jobs a) as [|x js] eqn:E; [inversion H; subst; intros t []|].
    apply (equal_jobs_optimal z _ _ _ _ c) with (3 := H).
    + assert (Hx : In x (jobs a)) by (rewrite E; left; reflexivity).
      generalize (jobs_nonneg a x Hx) (Hs x (or_introl eq_refl)). lra.
    + exact Hs.
    + exact C.
Qed.

End Existence.
