(* Several machines per organization, the cost being the sum of the completion times of an organization's jobs.

   [shortest_first_optimal], the lemma: on machines with any loads at the beginning, running the shortest job next on a
   machine of least load minimises the sum of the completion times (attributed to Kaspi and Montreuil, 1988).
   [sum_equilibrium_exists] (R4 (a) in the documentation): with priority to organizations and the jobs of one
   organization shortest first, an equilibrium exists for every number of organizations, all machines and all jobs. The
   event loop of SeveralExistence.v gives a profile in which everybody's jobs are a list schedule on the loads that it
   sees; by the lemma no other schedule of them is better.

   The lemma is proved one job after the other. Let the next jobs be no shorter than x. To start x on the least load a
   and not on another load b saves b - a now; what is to be shown is that the next jobs do not lose more than that:
     (E)  from the loads a + x, b they cost at most b - a more than from a, b + x, if a <= b and no job is shorter
          than x.
   In its proof the next job y starts on a; if it may start on b instead, (E) needs that of two loads a + x <= b + x
   the larger one should be the one that is larger by y - x:
     (W)  from A, B + d the jobs cost at most what they cost from A + d, B, if A <= B and no job is shorter than d.
   And (W) needs, beside itself and (E),
     (S)  from B + d, C they cost at most d more than from B, C + d, if B <= C and no job is shorter than d or C - B.
   The three hold together by induction on the number of jobs; each time the schedule with which we compare may be taken
   to choose a least load first, by (E) for fewer jobs. *)
From Coq Require Import List Lia Permutation Sorted.
Require Import Numbers Game Loads IdenticalMachines SeveralMachines SeveralExistence.
Import ListNotations.

(* the jobs can be run, each on some machine, in this order on each, so that the completion times sum to c or less *)
Fixpoint affordable (L js : list num) (c : num) : Prop :=
  match js with
  | [] => 0 <= c
  | x :: js' => exists t others, Permutation L (t :: others) /\ affordable (t + x :: others) js' (c - (t + x))
  end.

Lemma affordable_mono js : forall L L' c c', below L L' -> c' <= c -> affordable L' js c' -> affordable L js c.
Proof.
  induction js as [|x js IH]; intros L L' c c' HL Hc; simpl; [lra|]. intros (t & R & HP & H).
  assert (B : Forall2 (fun x y : num => y <= x) L' L) by (clear - HL; induction HL; constructor; assumption).
  destruct (Permutation_Forall2 HP B) as (L2 & P2 & B2). inversion B2 as [|t' u R' R2 Hu HR]; subst.
  exists u, R2. split; [exact P2|]. apply (IH _ (t + x :: R) _ (c' - (t + x))); [|lra|exact H].
  constructor; [lra|]. clear - HR. induction HR; constructor; assumption.
Qed.
Lemma affordable_permutation js L L' c : Permutation L L' -> affordable L' js c -> affordable L js c.
Proof.
  destruct js as [|x js]; simpl; [trivial|]. intros P (t & R & HP & H). exists t, R.
  split; [exact (Permutation_trans P HP)|exact H].
Qed.
Lemma schedule_affordable rule L js times F : schedule rule L js times F -> affordable L js (sum times).
Proof.
  induction 1 as [|L t R x js times F HL Ht H IH]; simpl; [lra|]. exists t, R. split; [exact HL|].
  apply (affordable_mono _ _ (t + x :: R) _ (sum times)); [apply below_refl|lra|exact IH].
Qed.

(* every job at least r *)
Definition at_least (r : num) (js : list num) : Prop := forall x, In x js -> r <= x.

(* (E), (W) and (S) *)
Definition exchange (js : list num) : Prop := forall a b x R c, a <= b -> 0 <= x -> at_least x js ->
  affordable (a :: b + x :: R) js c -> affordable (a + x :: b :: R) js (c + (b - a)).
Definition widen (js : list num) : Prop := forall A B d R c, A <= B -> 0 <= d -> at_least d js ->
  affordable (A + d :: B :: R) js c -> affordable (A :: B + d :: R) js c.
Definition shift (js : list num) : Prop := forall B C d R c, B <= C -> 0 <= d -> at_least d js -> at_least (C - B) js ->
  affordable (B :: C + d :: R) js c -> affordable (B + d :: C :: R) js (c + d).

Lemma least_load (L : list num) : L <> [] -> exists t R, Permutation L (t :: R) /\ on_least t R.
Proof.
  intros HL. destruct (sort_ascending L) as (L' & P & S). destruct S as [|t R _ Ht].
  - destruct (perm_nonempty _ _ P HL eq_refl).
  - exists t, R. split; [exact P|]. rewrite Forall_forall in Ht. exact Ht.
Qed.

(* (E) for the jobs behind x: x may start on a least load *)
Lemma least_first x js L c t R : exchange js -> 0 <= x -> at_least x js -> affordable L (x :: js) c ->
  Permutation L (t :: R) -> on_least t R -> affordable (t + x :: R) js (c - (t + x)).
Proof.
  intros HE Hx Hj (u & S & P & H) P' Ht.
  destruct (two_choices _ _ _ _ (Permutation_trans (Permutation_sym P') P)) as [[e P1]|(S' & P1 & P2)].
  - subst u. exact (affordable_permutation _ _ _ _ (perm_skip _ P1) H).
  - assert (Hu : t <= u) by (apply Ht, (Permutation_in u (Permutation_sym P1)); left; reflexivity).
    apply (affordable_permutation _ _ (t + x :: u :: S')); [apply perm_skip; exact P1|].
    apply (affordable_mono _ _ (t + x :: u :: S') _ (c - (u + x) + (u - t))); [apply below_refl|lra|].
    apply HE; [exact Hu|exact Hx|exact Hj|].
    apply (affordable_permutation _ _ (u + x :: S)); [rewrite P2; permute|exact H].
Qed.

(* the first job may start on the first of three parts of the loads *)
Lemma run_first u v R x js c : affordable (u + x :: v :: R) js (c - (u + x)) -> affordable (u :: v :: R) (x :: js) c.
Proof. intros H. exists u, (v :: R). split; [apply Permutation_refl|exact H]. Qed.
Lemma run_second u v R x js c : affordable (u :: v + x :: R) js (c - (v + x)) -> affordable (u :: v :: R) (x :: js) c.
Proof.
  intros H. exists v, (u :: R). split; [apply perm_swap|]. exact (affordable_permutation _ _ _ _ (perm_swap _ _ _) H).
Qed.
Lemma swap u v R js c : affordable (v :: u :: R) js c -> affordable (u :: v :: R) js c.
Proof. apply affordable_permutation, perm_swap. Qed.

(* which of the loads u, v, R the least one is; a third load, t, is taken in the same way in both schedules *)
Lemma least_of u v R x js c : exchange js -> 0 <= x -> at_least x js -> affordable (u :: v :: R) (x :: js) c ->
  (u <= v /\ affordable (u + x :: v :: R) js (c - (u + x))) \/
  (v <= u /\ affordable (u :: v + x :: R) js (c - (v + x))) \/
  exists t S, Permutation R (t :: S) /\ affordable (u :: v :: t + x :: S) js (c - (t + x)).
Proof.
  intros HE Hx Hj H. destruct (least_load (u :: v :: R)) as (t & S & P & Ht); [discriminate|].
  assert (G := least_first x js _ c t S HE Hx Hj H P Ht).
  destruct (two_choices _ _ _ _ P) as [[e P1]|(S1 & P1 & P2)].
  - subst t. left. split.
    + apply Ht, (Permutation_in v P1). left. reflexivity.
    + exact (affordable_permutation _ _ _ _ (perm_skip _ P1) G).
  - destruct (two_choices _ _ _ _ P1) as [[e P3]|(S2 & P3 & P4)].
    + subst t. right. left. split.
      * apply Ht, (Permutation_in u (Permutation_sym P2)). left. reflexivity.
      * apply (affordable_permutation _ _ (v + x :: S)); [rewrite P2, P3; permute|exact G].
    + right. right. exists t, S2. split; [exact P3|].
      apply (affordable_permutation _ _ (t + x :: S)); [rewrite P2, P4; permute|exact G].
Qed.
Lemma run_other u v R t S x js c : Permutation R (t :: S) -> affordable (u :: v :: t + x :: S) js (c - (t + x)) ->
  affordable (u :: v :: R) (x :: js) c.
Proof.
  intros P H. exists t, (u :: v :: S). split; [rewrite P; permute|].
  apply (affordable_permutation _ _ (u :: v :: t + x :: S)); [permute|exact H].
Qed.

(* equal loads in another form, and no smaller sum *)
Lemma same u u' v v' R js c c' : u == u' -> v == v' -> c' <= c ->
  affordable (u' :: v' :: R) js c' -> affordable (u :: v :: R) js c.
Proof. intros. apply (affordable_mono js _ (u' :: v' :: R) _ c'); [apply below_two; lra|lra|assumption]. Qed.

(* one more job, y, before the others *)
Section OneMoreJob.
Variables (y : num) (js : list num).
Hypothesis y_nonneg : 0 <= y.
Hypothesis y_shortest : at_least y js.
Hypotheses (HE : exchange js) (HW : widen js) (HS : shift js).

Lemma lower r : r <= y -> at_least r js.
Proof. intros Hr z Hz. specialize (y_shortest z Hz). lra. Qed.
(* loads and costs in another form; a rule for the jobs behind y *)
Ltac loads u v c := apply (same _ u _ v _ _ _ c); [lra..|].
Ltac rule H := apply H; [lra|lra|apply lower; lra..|].

Lemma exchange_cons : exchange (y :: js).
Proof.
  intros a b x R c Hab Hx Hj H. assert (Hxy : x <= y) by (apply Hj; left; reflexivity).
  destruct (least_of _ _ _ _ _ _ HE y_nonneg y_shortest H) as [[H1 G]|[[H1 G]|(t & S & P & G)]].
  - (* the other schedule takes a; this one takes b, (W) *)
    apply run_second. loads (a + x) (b + x + (y - x)) (c - (a + y)). rule HW.
    loads (a + y) (b + x) (c - (a + y)). exact G.
  - (* it takes b + x <= a, so that x = 0 *)
    apply run_second. loads a (b + x + y) (c - (b + x + y)). exact G.
  - apply (run_other _ _ R t S _ _ _ P). loads (a + x) b (c - (t + y) + (b - a)). rule HE. exact G.
Qed.
Lemma widen_cons : widen (y :: js).
Proof.
  intros A B d R c HAB Hd Hj H. assert (Hdy : d <= y) by (apply Hj; left; reflexivity).
  destruct (least_of _ _ _ _ _ _ HE y_nonneg y_shortest H) as [[H1 G]|[[H1 G]|(t & S & P & G)]].
  - apply run_first. destruct (lt_le B (A + y)) as [K|K].
    + (* A + y is the larger one: (S) *)
      apply swap. loads (B + d) (A + y) (c - (A + d + y) + d). rule HS.
      apply swap. loads (A + d + y) B (c - (A + d + y)). exact G.
    + loads (A + y) (B + d) (c - (A + d + y)). rule HW. loads (A + d + y) B (c - (A + d + y)). exact G.
  - (* it takes B; this one takes A: (E) *)
    apply run_first. loads (A + d + (y - d)) (B + d) (c - (B + y) + (B + d - (A + d))). rule HE.
    loads (A + d) (B + y) (c - (B + y)). exact G.
  - apply (run_other _ _ R t S _ _ _ P). rule HW. exact G.
Qed.
Lemma shift_cons : shift (y :: js).
Proof.
  intros B C d R c HBC Hd Hj Hj' H. assert (Hdy : d <= y) by (apply Hj; left; reflexivity).
  assert (HCy : C - B <= y) by (apply Hj'; left; reflexivity).
  destruct (least_of _ _ _ _ _ _ HE y_nonneg y_shortest H) as [[H1 G]|[[H1 G]|(t & S & P & G)]].
  - (* it takes B, and so does this one: (W) *)
    apply run_first. apply swap. loads C (B + y + d) (c - (B + y)). rule HW. apply swap. exact G.
  - (* it takes C + d <= B, so that d = 0 *)
    apply run_second. loads B (C + d + y) (c - (C + d + y)). exact G.
  - apply (run_other _ _ R t S _ _ _ P). loads (B + d) C (c - (t + y) + d). rule HS. exact G.
Qed.
End OneMoreJob.

Lemma exchanges js : nonneg js -> ascending js -> exchange js /\ widen js /\ shift js.
Proof.
  intros Hn Ha. induction Ha as [|y js Ha IH Hy].
  { split; [|split]; intros u v d R c; simpl; intros; lra. }
  destruct IH as (HE & HW & HS); [intros z Hz; apply Hn; right; exact Hz|].
  assert (Y0 : 0 <= y) by (apply Hn; left; reflexivity). rewrite Forall_forall in Hy.
  split; [|split]; [apply exchange_cons|apply widen_cons|apply shift_cons]; assumption.
Qed.

Theorem shortest_first_optimal L js times F c : nonneg js -> ascending js ->
  schedule on_least L js times F -> affordable L js c -> sum times <= c.
Proof.
  intros Hn Ha H. revert c. induction H as [|L t R x js times F HL Ht H IH]; intros c G; [exact G|].
  inversion Ha as [|x' js' Hs Hx]; subst. rewrite Forall_forall in Hx.
  assert (N : nonneg js) by (intros y Hy; apply Hn; right; exact Hy).
  assert (X : 0 <= x) by (apply Hn; left; reflexivity).
  assert (D := least_first x js L c t R (proj1 (exchanges js N Hs)) X Hx G HL Ht).
  specialize (IH N Hs _ D). simpl. lra.
Qed.

(* ---------- the theorem ---------- *)
Section SumsOfCompletion.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variables (hosts : list O) (machines : O -> nat) (jobs : O -> list num) (prio : O -> list O).
Hypotheses (hosts_all : forall l, In l hosts) (hosts_nodup : NoDup hosts).
Hypothesis machines_some : forall l, (1 <= machines l)%nat.
Hypotheses (prio_nodup : forall l, NoDup (prio l)) (prio_all : forall l a, In a (prio l)).
Hypothesis jobs_nonneg : forall a, nonneg (jobs a).

Theorem sum_equilibrium_exists : (forall a, ascending (jobs a)) ->
  exists p, sum_equilibrium dec hosts machines jobs prio p.
Proof.
  intros Ha. destruct (everybody_list_schedules dec hosts machines jobs prio hosts_all prio_nodup prio_all jobs_nonneg)
    as (p & Hp).
  exists p. intros a d.
  assert (HR := ready_not_nil dec machines jobs prio machines_some p a).
  assert (HA := ready_ascending dec machines jobs prio p a).
  destruct (list_reply_is_schedule dec hosts hosts_all hosts_nodup (jobs a) _ (p a) HR HA (Hp a)) as (ts & F & H & P).
  destruct (reply_is_schedule dec hosts hosts_all hosts_nodup (jobs a) _ d HR) as (us & G & K & P').
  assert (C := shortest_first_optimal _ _ _ _ _ (jobs_nonneg a) (Ha a) H (schedule_affordable _ _ _ _ _ K)).
  unfold sum_cost. rewrite times_deviate, times_reply by assumption.
  generalize (sum_perm _ _ P) (sum_perm _ _ P'). lra.
Qed.

End SumsOfCompletion.
