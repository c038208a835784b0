(* What the checkers of certificates know about a game of a shape: forms instead of lengths.

   A shape says how many jobs each organization has; a job is (owner, number), and the longest of an organization is its
   number 0. A form is a vector of integers over the differences x >= 0 of neighbouring lengths (`point`), so the length
   of a job is a form (`job_form`). Every machine has a ranking of all jobs; it runs its owner's jobs first. Priority
   to jobs is one ranking for all machines, priority to organizations is one that takes an organization after the other
   (`organizations_ranked`); what the checkers know holds for both.

   On each machine that it uses an organization has a *term*: the form of the jobs there up to its last one. What it
   pays is the largest of its terms (`cost_described`), as no job has a length below 0. *)
From Coq Require Import List Lia Permutation ZArith.
Require Import Numbers Game Sums Loads OwnerFirst PriorityToJobs Forms.
Import ListNotations.

(* ---------- sorted lengths ---------- *)
Fixpoint diffs (js : list num) : list num :=
  match js with [] => [] | y :: t => (y - hd 0 t) :: diffs t end.
Fixpoint desc (js : list num) : Prop :=
  match js with [] => True | y :: t => hd 0 t <= y /\ desc t end.
Lemma diffs_length js : length (diffs js) = length js.
Proof. induction js; simpl; auto. Qed.
Lemma diffs_nonneg js : desc js -> nonneg (diffs js).
Proof.
  induction js as [|y js IH]; simpl; intros H z Hz; [destruct Hz|].
  destruct H as [H1 H2]. destruct Hz as [e|Hz]; [subst; lra|exact (IH H2 z Hz)].
Qed.
Lemma desc_nonneg js : desc js -> 0 <= hd 0 js /\ nonneg js.
Proof.
  induction js as [|y js IH]; simpl; intros H; [split; [lra|intros z []]|].
  destruct H as [H1 H2]. destruct (IH H2) as [H3 H4]. split; [lra|]. intros z [e|Hz]; [subst; lra|auto].
Qed.
Lemma dot_tail i js : dot (zeros i ++ repeat 1%Z (length js - i)) (diffs js) == nth i js 0.
Proof.
  assert (One : forall js, dot (repeat 1%Z (length js)) (diffs js) == hd 0 js).
  { clear. induction js as [|y js IH]; simpl; [lra|]. rewrite inj_1, IH. lra. }
  revert i; induction js as [|y js IH]; intros i; [destruct i; simpl; lra|].
  destruct i as [|i]; [exact (One (y :: js))|]. simpl. unfold zeros in IH. rewrite inj_0, IH. lra.
Qed.

Section Terms.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variables (machines : list O) (shape : O -> nat).
Variable ranking : O -> list (O * nat).                         (* of machine l: all jobs, the first goes first *)

(* ---------- forms and terms ---------- *)
Notation job := (O * nat)%type.
Definition dim : nat := list_sum (map shape machines).
Definition jobs_of (b : O) : list job := map (pair b) (seq 0 (shape b)).
Definition all_jobs : list job := flat_map jobs_of machines.
Definition job_form (j : job) : list Z :=
  flat_map (fun c => if dec (fst j) c then zeros (snd j) ++ repeat 1%Z (shape c - snd j) else zeros (shape c)) machines.
Fixpoint form (js : list job) : list Z :=
  match js with [] => zeros dim | [j] => job_form j | j :: js' => vadd (job_form j) (form js') end.

(* A placement P: the machines of the jobs of each organization. The jobs on machine l, in the order they run *)
Definition is (a b : O) : bool := if dec a b then true else false.
Definition goes_to (P : O -> list O) (l : O) (j : job) : bool := is (nth (snd j) (P (fst j)) (fst j)) l.
Definition queue_of (l : O) : list job :=
  jobs_of l ++ filter (fun j => if dec (fst j) l then false else true) (ranking l).
Definition runs (P : O -> list O) (l : O) : list job := filter (goes_to P l) (queue_of l).
Fixpoint up_to_last (a : O) (js : list job) : list job :=
  match js with
  | [] => []
  | j :: js' => match up_to_last a js' with
                | [] => if dec (fst j) a then [j] else []
                | some => j :: some
                end
  end.
Definition terms (P : O -> list O) (a : O) : list (list Z) :=
  flat_map (fun l => match up_to_last a (runs P l) with [] => [] | js => [form js] end) machines.
Lemma terms_ext P P' a : (forall b, P b = P' b) -> terms P a = terms P' a.
Proof.
  intros H. unfold terms, runs. apply flat_map_ext. intros l. erewrite filter_ext; [reflexivity|].
  intros j. unfold goes_to. rewrite H. reflexivity.
Qed.

(* The same for many strategies d of an organization: first what it meets on each machine, where Some n is its own job
   number n, which may be there or not. *)
Definition queues : list (O * list (job * list Z)) :=
  map (fun l => (l, map (fun j => (j, job_form j)) (queue_of l))) machines.
Definition met_job (P : O -> list O) (a l : O) (jf : job * list Z) : list (option nat * list Z) :=
  let (j, f) := jf in if dec (fst j) a then [(Some (snd j), f)] else if goes_to P l j then [(None, f)] else [].
Definition met (qs : list (O * list (job * list Z))) (P : O -> list O) (a : O) : list (O * list (option nat * list Z))
  :=
  map (fun lq => (fst lq, flat_map (met_job P a (fst lq)) (snd lq))) qs.
Fixpoint form_with (a : O) (d : list O) (l : O) (m : list (option nat * list Z)) : option (list Z) :=
  match m with
  | [] => None
  | (own, f) :: m' =>
    let here := match own with Some n => is (nth n d a) l | None => true end in
    match form_with a d l m', own with
    | Some v, _ => Some (if here then vadd f v else v)
    | None, Some _ => if here then Some f else None
    | None, None => None
    end
  end.
Definition terms_with (a : O) (d : list O) (m : list (O * list (option nat * list Z))) : list (list Z) :=
  flat_map (fun lm => match form_with a d (fst lm) (snd lm) with Some v => [v] | None => [] end) m.
Definition instead (P : O -> list O) (a : O) (d : list O) (b : O) : list O := if dec b a then d else P b.
Lemma terms_with_eq P a d : terms_with a d (met queues P a) = terms (instead P a d) a.
Proof.
  unfold terms_with, met, queues, terms, runs. rewrite !flat_map_concat_map, !map_map. f_equal. apply map_ext. intros l.
  cbn [fst snd]. generalize (queue_of l). clear. intros q.
  enough (E : form_with a d l (flat_map (met_job P a l) (map (fun j => (j, job_form j)) q)) =
    match up_to_last a (filter (goes_to (instead P a d) l) q) with [] => None | js => Some (form js) end)
    by (rewrite E; destruct (up_to_last _ _); reflexivity).
  induction q as [|[b n] q IH]; [reflexivity|]. cbn [map flat_map filter met_job fst snd].
  unfold goes_to at 2, instead at 1. cbn [fst snd].
  destruct (dec b a) as [->|nb].
  - cbn [app form_with]. rewrite IH. destruct (is (nth n d a) l); [|destruct (up_to_last _ _); reflexivity].
    cbn [up_to_last fst]. destruct (up_to_last _ _) as [|i r]; [destruct (dec a a);
      [reflexivity|congruence]|reflexivity].
  - unfold goes_to at 1. cbn [fst snd]. destruct (is (nth n (P b) b) l); [|exact IH].
    cbn [app form_with up_to_last fst]. rewrite IH. destruct (up_to_last _ _) as [|i r]; [destruct (dec b a);
      [congruence|reflexivity]|].
    reflexivity.
Qed.

(* ================= SOUNDNESS ================= *)
Hypotheses (machines_nodup : NoDup machines) (machines_all : forall l, In l machines).
Hypothesis ranking_ok : forall l, Permutation (ranking l) all_jobs.

Lemma in_jobs (j : job) : In j all_jobs <-> (snd j < shape (fst j))%nat.
Proof.
  unfold all_jobs, jobs_of. rewrite in_flat_map. split.
  - intros (b & _ & H). apply in_map_iff in H. destruct H as (i & E & H). apply in_seq in H. subst j. simpl. lia.
  - intros H. exists (fst j). split; [apply machines_all|]. apply in_map_iff. exists (snd j).
    rewrite in_seq. destruct j; simpl in *. auto with arith.
Qed.

(* where the jobs of b are placed by p, and the other way round *)
Definition where_placed (p : O -> nat -> O) (b : O) : list O := map (p b) (seq 0 (shape b)).
Definition prof (P : O -> list O) (b : O) (n : nat) : O := nth n (P b) b.
Lemma where_length p b : length (where_placed p b) = shape b.
Proof. unfold where_placed. rewrite map_length. apply seq_length. Qed.
Lemma where_nth p b n d : (n < shape b)%nat -> nth n (where_placed p b) d = p b n.
Proof.
  intros H. rewrite (nth_indep _ d (p b 0%nat)) by (rewrite where_length; exact H).
  unfold where_placed. rewrite map_nth, seq_nth by exact H. reflexivity.
Qed.
Lemma where_prof P : (forall a, length (P a) = shape a) -> forall b, where_placed (prof P) b = P b.
Proof.
  intros L b. apply (nth_ext _ _ b b); [rewrite where_length, L; reflexivity|].
  intros n H. rewrite where_length in H. apply where_nth. exact H.
Qed.

Definition sorted_of_shape (jobs : O -> list num) : Prop := forall a, desc (jobs a) /\ length (jobs a) = shape a.
Definition point (jobs : O -> list num) : list num := flat_map (fun a => diffs (jobs a)) machines.

Section Jobs.
Variable jobs : O -> list num.
Hypothesis jobs_sorted : sorted_of_shape jobs.
Let x : list num := point jobs.

Lemma jobs_never_negative a : nonneg (jobs a).
Proof. exact (proj2 (desc_nonneg _ (proj1 (jobs_sorted a)))). Qed.
Lemma point_nonneg : nonneg x.
Proof.
  intros z Hz. apply in_flat_map in Hz. destruct Hz as (a & _ & Hz).
  exact (diffs_nonneg _ (proj1 (jobs_sorted a)) z Hz).
Qed.
Definition len (j : job) : num := nth (snd j) (jobs (fst j)) 0.
Lemma len_nonneg j : 0 <= len j.
Proof.
  unfold len. destruct (nth_in_or_default (snd j) (jobs (fst j)) 0) as [H| ->]; [|lra].
  exact (jobs_never_negative _ _ H).
Qed.
Lemma job_form_sound j : In j all_jobs -> length (job_form j) = dim /\ dot (job_form j) x == len j.
Proof.
  intros H. apply in_jobs in H. unfold job_form, x, point, dim.
  set (g := fun c => if dec (fst j) c then _ else zeros (shape c)).
  assert (L : forall c, length (g c) = shape c).
  { intros c. unfold g, zeros. destruct (dec (fst j) c) as [e|_]; rewrite ?app_length, !repeat_length; [|reflexivity].
    subst c. lia. }
  assert (E : dot (flat_map g machines) (flat_map (fun a => diffs (jobs a)) machines) ==
              sum (map (fun c => dot (g c) (diffs (jobs c))) machines)).
  { clear - jobs_sorted L. induction machines as [|c ms IH]; simpl; [lra|].
    rewrite dot_app, IH by (rewrite diffs_length, L; symmetry; apply jobs_sorted). lra. }
  split.
  - clear - L. induction machines as [|c ms IH]; simpl; [reflexivity|]. rewrite app_length, L. f_equal. apply IH.
  - rewrite E, (sum_map_eq _ (fun c => if dec (fst j) c then len j else 0));
      [apply sum_point; auto|]. intros c. unfold g. destruct (dec (fst j) c) as [e|_]; [|apply dot_zeros].
    subst c. rewrite <- (proj2 (jobs_sorted (fst j))). apply dot_tail.
Qed.
Lemma form_sound js : incl js all_jobs -> length (form js) = dim /\ dot (form js) x == sum (map len js).
Proof.
  induction js as [|j js IH]; intros H; [split; [apply repeat_length|apply dot_zeros]|].
  destruct IH as [L D]; [intros i Hi; apply H; right; exact Hi|].
  destruct (job_form_sound j (H j (or_introl eq_refl))) as [Lj Dj]. cbn [map sum fold_right form] in *.
  destruct js as [|i js]; [simpl; split; [exact Lj|lra]|].
  split; [rewrite vadd_length; congruence|]. rewrite dot_vadd, D by congruence. unfold sum. simpl. lra.
Qed.
Lemma form_nonneg js : incl js all_jobs -> 0 <= dot (form js) x.
Proof.
  intros H. rewrite (proj2 (form_sound js H)). apply sum_nonneg. intros y Hy. apply in_map_iff in Hy.
  destruct Hy as (j & <- & _). apply len_nonneg.
Qed.

(* ---------- what is paid ---------- *)
Definition ranked_cost : (O -> nat -> O) -> O -> num :=
  cost_any dec machines jobs (fun p l => foreign dec jobs (ranking l) p l).
Definition sized (j : job) : O * num := (fst j, len j).

Lemma up_to_last_incl a js : incl (up_to_last a js) js.
Proof.
  induction js as [|j js IH]; simpl; [intros i []|]. destruct (up_to_last a js) as [|i r].
  - destruct (dec (fst j) a); intros k Hk; [destruct Hk as [<-|[]]; left; reflexivity|destruct Hk].
  - intros k [<-|Hk]; [left; reflexivity|right; apply IH; exact Hk].
Qed.
(* the last job of an organization in a queue ends last *)
Lemma ends_up_to a js c : incl js all_jobs -> forall s,
  (forall e, In e (ends dec a s (map sized js)) -> e <= c) <->
  (up_to_last a js <> [] -> s + sum (map len (up_to_last a js)) <= c).
Proof.
  induction js as [|j js IH]; intros H s; simpl; [split; [congruence|intros _ e []]|].
  specialize (IH (fun i Hi => H i (or_intror Hi)) (s + len j)).
  assert (N : 0 <= sum (map len (up_to_last a js))).
  { apply sum_nonneg. intros y Hy. apply in_map_iff in Hy. destruct Hy as (i & <- & _). apply len_nonneg. }
  destruct (up_to_last a js) as [|i r] eqn:U; destruct (dec (fst j) a) as [ej|nj]; simpl in *.
  - split; [intros G _; specialize (G _ (or_introl eq_refl)); lra|].
    intros G e [<-|He]; [specialize (G ltac:(discriminate));
      lra|exact (proj2 IH (fun f => match f eq_refl with end) e He)].
  - split; [congruence|]. intros _. apply IH. congruence.
  - split; intros G.
    + intros _. assert (G' := proj1 IH (fun e He => G e (or_intror He)) ltac:(discriminate)). lra.
    + specialize (G ltac:(discriminate)). intros e [<-|He]; [lra|]. apply (proj2 IH); [intros _; lra|exact He].
  - split; intros G.
    + intros _. assert (G' := proj1 IH G ltac:(discriminate)). lra.
    + apply (proj2 IH). intros _. specialize (G ltac:(discriminate)). lra.
Qed.

Section Profile.
Variable q : O -> nat -> O.
Let W : O -> list O := where_placed q.

Lemma goes_to_sound l j : In j all_jobs -> goes_to W l j = if dec (q (fst j) (snd j)) l then true else false.
Proof. intros H. apply in_jobs in H. unfold goes_to, is, W. rewrite where_nth by exact H. reflexivity. Qed.
Lemma runs_in l : incl (runs W l) all_jobs.
Proof.
  intros j H. apply filter_In in H. destruct H as [H _]. apply in_app_or in H. destruct H as [H|H].
  - apply in_flat_map. exists l. auto.
  - apply filter_In in H. exact (Permutation_in _ (ranking_ok l) (proj1 H)).
Qed.
Lemma runs_sound l : block dec jobs q l l ++ foreign dec jobs (ranking l) q l = map sized (runs W l).
Proof.
  unfold runs, queue_of. rewrite filter_app, map_app. f_equal.
  - unfold block. rewrite <- numbered_placed, (proj2 (jobs_sorted l)). unfold jobs_of.
    assert (H : forall i, In i (seq 0 (shape l)) -> In (l, i) all_jobs)
      by (intros i Hi; apply in_seq in Hi; apply in_jobs; apply Hi).
    induction (seq 0 (shape l)) as [|i L IH]; simpl; [reflexivity|].
    rewrite (goes_to_sound l (l, i) (H i (or_introl eq_refl))), IH by (intros k Hk; apply H; right; exact Hk).
    simpl. destruct (dec (q l i) l); reflexivity.
  - assert (H : incl (ranking l) all_jobs) by (intros j; apply Permutation_in, ranking_ok).
    unfold foreign. induction (ranking l) as [|[b i] R IH]; simpl; [reflexivity|].
    rewrite IH by (intros k Hk; apply H; right; exact Hk).
    destruct (dec b l); simpl; [reflexivity|]. rewrite (goes_to_sound l (b, i) (H _ (or_introl eq_refl))). simpl.
    destruct (dec (q b i) l); reflexivity.
Qed.
Lemma in_terms a f : In f (terms W a) <-> exists l, up_to_last a (runs W l) <> [] /\ f = form (up_to_last a (runs W l)).
Proof.
  unfold terms. rewrite in_flat_map. split.
  - intros (l & _ & H). exists l. destruct (up_to_last a (runs W l)); [destruct H|].
    destruct H as [<-|[]]. split; [discriminate|reflexivity].
  - intros (l & H & ->). exists l. split; [apply machines_all|].
    destruct (up_to_last a (runs W l)); [congruence|left; reflexivity].
Qed.
Let in_runs a l : incl (up_to_last a (runs W l)) all_jobs := incl_tran (up_to_last_incl a (runs W l)) (runs_in l).
Theorem cost_described a c : ranked_cost q a <= c <-> 0 <= c /\ forall f, In f (terms W a) -> dot f x <= c.
Proof.
  assert (D := fun l => proj2 (form_sound _ (in_runs a l))). unfold ranked_cost, cost_any. rewrite fold_max_le.
  split; intros [H0 H]; (split; [exact H0|]).
  - intros f Hf. apply in_terms in Hf. destruct Hf as (l & Hne & ->). rewrite D.
    assert (G : forall e, In e (ends dec a 0 (map sized (runs W l))) -> e <= c).
    { intros e He. apply H. apply in_flat_map. exists l. rewrite runs_sound. auto. }
    apply (ends_up_to a (runs W l) c (runs_in l)) in G; [lra|exact Hne].
  - intros e He. apply in_flat_map in He. destruct He as (l & Hl & He). rewrite runs_sound in He. revert e He.
    apply (ends_up_to a (runs W l) c (runs_in l)). intros Hne. rewrite <- D.
    assert (G : dot (form (up_to_last a (runs W l))) x <= c) by (apply H, in_terms; exists l; auto). lra.
Qed.
Lemma term_sound a f : In f (terms W a) -> length f = dim /\ 0 <= dot f x.
Proof.
  intros H. apply in_terms in H. destruct H as (l & _ & ->).
  split; [apply form_sound, in_runs|exact (form_nonneg _ (in_runs a l))].
Qed.
Lemma ranked_nonneg a : 0 <= ranked_cost q a.
Proof. apply (proj1 (cost_described a (ranked_cost q a))). lra. Qed.
Lemma cost_at_least a f : In f (terms W a) -> dot f x <= ranked_cost q a.
Proof. apply (proj1 (cost_described a (ranked_cost q a))). lra. Qed.
(* e times the cost, where e times each term is at most c *)
Lemma cost_at_most e a c : 0 <= e -> 0 <= c -> (forall f, In f (terms W a) -> e * dot f x <= c) ->
  e * ranked_cost q a <= c.
Proof.
  intros He Hc H. destruct (list_least (fun y z => z <= y) (0 :: map (fun f => dot f x) (terms W a))) as (y & Hy & M).
  - intros y z. destruct (lt_le y z); [right|left]; lra.
  - intros y z u. lra.
  - discriminate.
  - assert (Hcost : ranked_cost q a <= y).
    { apply cost_described. split; [apply M; left; reflexivity|].
      intros f Hf. apply M. right. apply in_map_iff. exists f. auto. }
    assert (G := mul_le e _ _ He Hcost). destruct Hy as [<-|Hy]; [lra|].
    apply in_map_iff in Hy. destruct Hy as (f & <- & Hf). specialize (H f Hf). lra.
Qed.
End Profile.

(* no machine is loaded beyond the largest cost *)
Lemma ranked_total q M : 0 <= M -> (forall a, ranked_cost q a <= M) -> forall m, total dec machines jobs q m <= M.
Proof.
  intros HM Hq m. refine (C_total _ _ _ _ (any_owner_first dec machines jobs machines_all machines_nodup
    jobs_never_negative _ _) q M m HM Hq). intros p l. apply foreign_ok.
  rewrite (ranking_ok l). apply Permutation_refl'. unfold all_jobs, PriorityToJobs.all_jobs. apply flat_map_ext.
  intros b. unfold jobs_of. rewrite (proj2 (jobs_sorted b)). reflexivity.
Qed.
End Jobs.
End Terms.

(* ---------- rankings ---------- *)
Section Rankings.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variables (machines : list O) (shape : O -> nat).

(* priority to organizations: one after the other *)
Definition one_after_other (prio : O -> list O) (l : O) : list (O * nat) := flat_map (jobs_of shape) (prio l).
Lemma organizations_ranked prio jobs : (forall a, length (jobs a) = shape a) -> forall p a,
  ranked_cost dec machines (one_after_other prio) jobs p a = cost dec machines jobs prio p a.
Proof.
  intros L p a. unfold ranked_cost, cost_any, cost. f_equal. apply flat_map_ext. intros l. f_equal.
  apply (f_equal (app (block dec jobs p l l))). refine (eq_trans _ (foreign_blocks dec jobs p l (prio l))).
  unfold foreign. f_equal. apply flat_map_ext. intros b. unfold jobs_of. rewrite L. reflexivity.
Qed.
Lemma one_after_other_ok prio : NoDup machines -> (forall l, In l machines) -> (forall l, NoDup (prio l)) ->
  (forall l a, In a (prio l)) -> forall l, Permutation (one_after_other prio l) (all_jobs machines shape).
Proof. intros Hm Ha Hn Hp l. apply Permutation_flat_map, NoDup_Permutation; auto. intros a. split; auto. Qed.

(* priority to jobs: a list that has each job once, tested *)
Fixpoint pick (j : O * nat) (left : list (O * nat)) : option (list (O * nat)) :=
  match left with
  | [] => None
  | i :: left' =>
    if (if dec (fst i) (fst j) then (snd i =? snd j)%nat else false) then Some left'
    else match pick j left' with Some rest => Some (i :: rest) | None => None end
  end.
Lemma pick_perm j left left' : pick j left = Some left' -> Permutation left (j :: left').
Proof.
  revert left'; induction left as [|i left IH]; simpl; intros left' H; [discriminate|].
  destruct (if dec (fst i) (fst j) then (snd i =? snd j)%nat else false) eqn:E.
  - destruct (dec (fst i) (fst j)) as [e|]; [|discriminate]. apply Nat.eqb_eq in E. injection H as <-.
    destruct i, j; simpl in *; subst. reflexivity.
  - destruct (pick j left) as [rest|]; [|discriminate]. injection H as <-. rewrite (IH rest eq_refl). apply perm_swap.
Qed.
Fixpoint same_jobs (js js' : list (O * nat)) : bool :=
  match js with
  | [] => isnil js'
  | j :: rest => match pick j js' with Some rest' => same_jobs rest rest' | None => false end
  end.
Lemma same_jobs_perm js js' : same_jobs js js' = true -> Permutation js js'.
Proof.
  revert js'; induction js as [|j js IH]; simpl; intros js' H; [destruct js'; [constructor|discriminate]|].
  destruct (pick j js') as [rest|] eqn:E; [|discriminate]. rewrite (pick_perm j js' rest E). constructor.
    exact (IH rest H).
Qed.
End Rankings.
