(* ILBA, the iterative load balancing algorithm of Pascual, Rzadca, Trystram ("Cooperation in multi-organization
   scheduling", 2009), one machine each: its makespan is at most 4/3 (N = 2) or 2 - 1/(N-1) times that of any assignment
   if the lists are longest first, and at most 2 - 1/N times with lists in any order (T5 in the documentation).

   The algorithm takes the organizations by their work, the least first. In its turn an organization takes its jobs off
   its machine and puts them back one after the other, each on a least loaded machine among those of the organizations
   that have had their turn and its own.

   Idea. As in CentralRules.v, let p, of organization k, end last, started at s. The machines that k can use carry at
   least s when p comes. k's own machine starts empty, so s + p <= W_k. A later organization l has at least this work
   (`later_machine`): while its machine carries less than s, it is the only least loaded one and takes l's jobs; so in
   the end it carries s, too, and nothing of k. This is all that CentralRules.v asks for. *)
From Coq Require Import List Lia Permutation.
Require Import Numbers Sums Game CentralRules.
Import ListNotations.

(* ================= DEFINITION ================= *)
Section LoadBalancing.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variables (machines : list O) (jobs : O -> list num).

Notation start := (start (O:=O)).
Notation work := (work jobs).
Notation on := (on dec).
Notation own := (own dec).
Notation started := (started dec).

(* k's jobs, in this order, go each to a least loaded machine of M: from the schedule E to E' *)
Inductive inserted (M : list O) (k : O) : list num -> list start -> list start -> Prop :=
| all_inserted E : inserted M k [] E E
| insert x js h E E' : In h M -> (forall l, In l M -> on h E <= on l E) ->
    inserted M k js (Start k x h :: E) E' -> inserted M k (x :: js) E E'.

(* the schedule E after the turns of the organizations M; `sorted` says in which order an organization lists its jobs *)
Variable sorted : list num -> Prop.
Inductive turns : list O -> list start -> Prop :=
| no_turn : turns [] []
| turn M E k js E' : turns M E -> ~ In k M -> (forall l, ~ In l M -> work k <= work l) ->
    Permutation (jobs k) js -> sorted js -> inserted (k :: M) k js E E' -> turns (k :: M) E'.

Definition ilba (E : list start) : Prop := exists M, turns M E /\ forall a, In a M.

Hypotheses (machines_all : forall l, In l machines) (machines_nodup : NoDup machines).
Hypothesis jobs_nonneg : forall a, nonneg (jobs a).

(* ================= ONE TURN ================= *)
Lemma inserted_new M k js E E' : inserted M k js E E' -> exists new, E' = new ++ E /\
  (forall e, In e new -> owner e = k /\ In (host e) M) /\ Permutation (map len new) js.
Proof.
  induction 1 as [E|x js h E E' Hh _ _ (new & Eq & Own & Perm)].
  - exists []. split; [reflexivity|]. split; [intros e []|apply Permutation_refl].
  - exists (new ++ [Start k x h]). split; [rewrite Eq, <- app_assoc; reflexivity|]. split.
    + intros e He. apply in_app_or in He. destruct He as [He|[He|[]]]; [exact (Own e He)|subst e; simpl; auto].
    + rewrite map_app. apply (Permutation_trans (Permutation_app_comm _ _)). simpl. apply perm_skip. exact Perm.
Qed.

(* a job of the new schedule is one of the old, or it was put on a least loaded machine, after some jobs of k *)
Lemma inserted_split M k js E E' : inserted M k js E E' -> forall E2 e E1, E' = E2 ++ e :: E1 ->
  (exists E2', E = E2' ++ e :: E1) \/
  (owner e = k /\ (forall l, In l M -> on (host e) E1 <= on l E1) /\ exists pre post mid, js = pre ++ len e :: post /\
   E1 = mid ++ E /\ Permutation (map len mid) pre /\ forall e', In e' mid -> owner e' = k).
Proof.
  induction 1 as [E|x js h E E' Hh Least _ IH]; intros E2 e E1 Eq; [left; exists E2; exact Eq|].
  destruct (IH E2 e E1 Eq) as [(E2' & Eq2)|(Own & L & pre & post & mid & Ejs & E1s & Perm & Mid)].
  - destruct E2' as [|e2 E2']; simpl in Eq2; inversion Eq2; subst; [right|left; exists E2'; reflexivity].
    split; [reflexivity|]. split; [exact Least|]. exists [], js, [].
    repeat split; [apply Permutation_refl|intros e' []].
  - right. split; [exact Own|]. split; [exact L|]. exists (x :: pre), post, (mid ++ [Start k x h]).
    split; [rewrite Ejs; reflexivity|]. split; [rewrite E1s, <- app_assoc; reflexivity|]. split.
    + rewrite map_app. apply (Permutation_trans (Permutation_app_comm _ _)). simpl. apply perm_skip. exact Perm.
    + intros e' He. apply in_app_or in He. destruct He as [He|[He|[]]]; [exact (Mid e' He)|subst e'; reflexivity].
Qed.

(* if the other machines carry at least s and there is enough work, k's machine carries at least s in the end *)
Lemma later_machine M k js E E' s : inserted M k js E E' -> In k M -> nonneg js ->
  (forall l, In l M -> l <> k -> s <= on l E) -> s <= on k E + sum js -> s <= on k E'.
Proof.
  induction 1 as [E|x js h E E' Hh Least _ IH]; intros Hk Hn Oth Enough; simpl in *; [lra|].
  assert (Hx : 0 <= x) by (apply Hn; left; reflexivity).
  assert (Hn' : nonneg js) by (intros y Hy; apply Hn; right; exact Hy).
  apply IH; auto.
  - intros l Hl nl. specialize (Oth l Hl nl). destruct (dec h l); lra.
  - destruct (dec h k) as [e|n]; [lra|].
    assert (S := sum_nonneg js Hn'). specialize (Oth h Hh n). specialize (Least k Hk). lra.
Qed.
Lemma own_none k E : (forall e, In e E -> owner e <> k) -> own k E = [].
Proof.
  intros H. destruct (own k E) as [|e r] eqn:Eo; [reflexivity|].
  assert (He : In e (own k E)) by (rewrite Eo; left; reflexivity). apply in_own in He. destruct (H e); tauto.
Qed.
Lemma own_all k E : (forall e, In e E -> owner e = k) -> own k E = E.
Proof.
  unfold CentralRules.own. induction E as [|e E IH]; simpl; intros H; [reflexivity|].
  destruct (dec (owner e) k) as [_|n]; [f_equal; auto|destruct n; auto].
Qed.
Lemma on_le_len l E : lengths_nonneg E -> on l E <= sum (map len E).
Proof.
  induction E as [|e E IH]; intros H; simpl; [lra|]. assert (He := H e (or_introl eq_refl)).
  specialize (IH (fun e' H' => H e' (or_intror H'))). destruct (dec (host e) l); lra.
Qed.

(* ================= ALL TURNS ================= *)
Lemma turns_jobs M E : turns M E ->
  (forall e, In e E -> In (owner e) M /\ In (host e) M) /\ forall a, In a M -> Permutation (jobs a) (started a E).
Proof.
  induction 1 as [|M E k js E' _ [IH1 IH2] Hk _ Hperm _ Ins]; [split; [intros e []|intros a []]|].
  destruct (inserted_new _ _ _ _ _ Ins) as (new & Eq & Own & Perm). subst E'. split.
  - intros e He. apply in_app_or in He. destruct He as [He|He].
    + destruct (Own e He) as [O1 O2]. split; [left; congruence|exact O2].
    + destruct (IH1 e He). split; right; assumption.
  - intros a Ha. unfold CentralRules.started. rewrite own_app, map_app. destruct (dec a k) as [e|n].
    + subst a. rewrite (own_none k E), app_nil_r, (own_all k new) by
        (try apply Own; intros e He Eo; apply Hk; rewrite <- Eo; apply (IH1 e He)).
      exact (Permutation_trans Hperm (Permutation_sym Perm)).
    + rewrite (own_none a new); [apply IH2; destruct Ha; [congruence|assumption]|].
      intros e He. destruct (Own e He) as [O1 _]. congruence.
Qed.
Lemma turns_nonneg M E : turns M E -> lengths_nonneg E.
Proof.
  intros H e He. destruct (turns_jobs M E H) as [H1 H2]. destruct (H1 e He) as [Ho _].
  apply (jobs_nonneg (owner e)), (Permutation_in _ (Permutation_sym (H2 _ Ho))), in_map, in_own. auto.
Qed.
Lemma turns_sorted M E : turns M E -> forall a l, In a M -> ~ In l M -> work a <= work l.
Proof.
  induction 1 as [|M E k js E' _ IH _ Least _ _ _]; intros a l Ha Hl; [destruct Ha|]. destruct Ha as [e|Ha].
  - subst a. apply Least. intros H. apply Hl. right. exact H.
  - apply (IH a l Ha). intros H. apply Hl. right. exact H.
Qed.

(* what CentralRules.v asks for: p of k starts at s on h, after the jobs E1 *)
Definition busy_until (M : list O) (E E1 : list start) (k : O) (p : num) (s : num) : Prop :=
  s + p <= work k /\
  (forall l, In l M -> s <= on l E /\ s <= load_late dec k l E E1) /\
  (started k E1 = [] -> s <= 0) /\
  exists pre post, sorted (pre ++ p :: post) /\ Permutation (started k E1) pre.

Lemma turns_busy M E : turns M E -> forall E2 k p h E1, E = E2 ++ Start k p h :: E1 -> busy_until M E E1 k p (on h E1).
Proof.
  induction 1 as [|M E k js E' Ht IH Hk Least Hperm Hs Ins]; intros E2 k' p h E1 Eq; [destruct E2; discriminate|].
  assert (Ht' : turns (k :: M) E') by (apply (turn M E k js E'); assumption).
  destruct (turns_jobs M E Ht) as [Where _]. assert (Nn := turns_nonneg _ _ Ht'). assert (Ne := turns_nonneg _ _ Ht).
  destruct (inserted_new _ _ _ _ _ Ins) as (new & New & Own & _).
  assert (Nnew : lengths_nonneg new) by (intros e He; apply Nn; rewrite New; apply in_or_app; left; exact He).
  assert (Njs := nonneg_perm _ _ Hperm (jobs_nonneg k)). assert (Wk : work k == sum js) by (apply sum_perm, Hperm).
  assert (Away : forall F, (forall e, In e F -> In e E) -> on k F == 0).
  { intros F HF. apply on_unused. intros Hh. apply in_map_iff in Hh. destruct Hh as (e & Eh & He). apply Hk.
    rewrite <- Eh. apply (Where e (HF e He)). }
  assert (Ek := Away E (fun _ H => H)).
  destruct (inserted_split _ _ _ _ _ Ins E2 (Start k' p h) E1 Eq)
    as [(E2' & Old)|(Ok & Low & pre & post & mid & Ejs & E1s & Perm & Mid)].
  - (* an earlier organization's job: k's machine joins *)
    destruct (IH E2' k' p h E1 Old) as (B1 & B2 & B3 & B4).
    assert (Hin : In (Start k' p h) E) by (rewrite Old; apply in_or_app; right; left; reflexivity).
    assert (Nk : k' <> k) by (intros e; apply Hk; rewrite <- e; apply (proj1 (Where _ Hin))).
    assert (Hp : 0 <= p) by exact (Ne _ Hin).
    assert (Wle : work k' <= work k) by (apply (turns_sorted M E Ht); [apply (Where _ Hin)|exact Hk]).
    split; [exact B1|]. split; [|split; [exact B3|exact B4]].
    assert (Eown : own k' E' = own k' E).
    { rewrite New, own_app, (own_none k' new); [reflexivity|]. intros e He. destruct (Own e He). congruence. }
    assert (N1 : 0 <= on k (own k' E1)).
    { apply on_nonneg. intros e He. apply Ne. rewrite Old. apply in_or_app. right. right. apply (in_own dec k'), He. }
    intros l [e|Hl].
    + subst l. assert (Join : on h E1 <= on k E').
      { apply (later_machine _ _ _ _ _ (on h E1) Ins); auto; [left; reflexivity| |lra].
        intros l [e|Hl] nl; [congruence|]. apply (B2 l Hl). }
      split; [exact Join|]. unfold load_late. rewrite Eown.
      assert (Z := Away (own k' E) (fun e He => proj1 (proj1 (in_own dec k' e E) He))). lra.
    + destruct (B2 l Hl) as [B5 B6]. unfold load_late in *. rewrite Eown, New.
      generalize (on_app dec l new E) (on_nonneg dec l new Nnew). lra.
  - (* k's own job *)
    simpl in Ok, Low, Ejs. subst k'.
    assert (App : E' = (E2 ++ [Start k p h]) ++ E1) by (rewrite Eq, <- app_assoc; reflexivity).
    assert (Nrest : lengths_nonneg (E2 ++ [Start k p h])).
    { intros e He. apply Nn. rewrite App. apply in_or_app. left. exact He. }
    assert (Nmid : lengths_nonneg mid).
    { intros e He. apply Nn. rewrite App, E1s. apply in_or_app. right. apply in_or_app. left. exact He. }
    assert (Emid : started k E1 = map len mid).
    { unfold CentralRules.started. rewrite E1s, own_app, (own_all k mid Mid), (own_none k E), app_nil_r; [reflexivity|].
      intros e He Eo. apply Hk. rewrite <- Eo. apply (Where e He). }
    assert (Own1 : on h E1 <= sum pre).
    { generalize (Low k (or_introl eq_refl)) (on_app dec k mid E) (on_le_len k mid Nmid) (sum_perm _ _ Perm).
      rewrite <- E1s. lra. }
    rewrite Ejs in Njs. destruct (nonneg_cons _ _ (proj2 (proj1 (nonneg_app _ _) Njs))) as [_ Npost].
    assert (Sjs := sum_app pre (p :: post)). rewrite <- Ejs in Sjs. simpl in Sjs. apply sum_nonneg in Npost.
    split; [lra|]. split; [|split].
    + intros l Hl. specialize (Low l Hl). generalize (load_late_ge dec k l E' _ E1 App Nrest)
        (on_app dec l (E2 ++ [Start k p h]) E1) (on_nonneg dec l _ Nrest). rewrite <- App. lra.
    + rewrite Emid. intros E0. rewrite E0 in Perm. apply Permutation_nil in Perm. subst pre. exact Own1.
    + rewrite Emid. exists pre, post. split; [rewrite <- Ejs; exact Hs|exact Perm].
Qed.
Lemma ilba_complete E : ilba E -> complete dec jobs E.
Proof. intros (M & H & All) a. apply (turns_jobs M E H), All. Qed.

(* lists in any order *)
Theorem ilba_bound E q T : ilba E -> makespan_within dec machines jobs q T -> within_any dec machines E T.
Proof.
  intros Hi Hq. apply (within_any_intro dec machines jobs machines_all jobs_nonneg E q T Hq).
  intros E2 k p h E1 Split. assert (C := ilba_complete E Hi).
  apply (any_order dec machines jobs machines_all machines_nodup jobs_nonneg E E1 E2 k h p T q Split C Hq).
  destruct Hi as (M & H & All). destruct (turns_busy M E H E2 k p h E1 Split) as (_ & B & _). intros l. apply B, All.
Qed.

(* lists that are longest first *)
Theorem ilba_longest_first_bound E q T : (2 <= length machines)%nat -> (forall js, sorted js -> descending js) ->
  ilba E -> makespan_within dec machines jobs q T -> within_sharp dec machines E T.
Proof.
  intros HN Hdesc Hi Hq. apply (within_sharp_intro dec machines jobs jobs_nonneg E q T HN Hq).
  intros E2 k p h E1 Split. assert (C := ilba_complete E Hi). destruct Hi as (M & H & All).
  destruct (turns_busy M E H E2 k p h E1 Split) as (_ & B & First & pre & post & Hs & Perm).
  apply (longest_first_order dec machines jobs machines_all machines_nodup jobs_nonneg E E1 E2 k h p T q Split C Hq);
    [intros l; apply B, All| |exact First|exact HN].
  intros x Hx. apply (descending_before pre p post (Hdesc _ Hs)), (Permutation_in _ Perm Hx).
Qed.
End LoadBalancing.

Ltac put h := apply (insert org_dec _ _ _ _ h);
  [simpl; auto|intros l Hl; repeat destruct Hl as [Hl|Hl]; try subst l; simpl; try lra; destruct Hl|].

(* the bound for lists that are longest first is attained for N = 2: {2,2}, {1,1} end at 4 *)
Theorem ilba_attained : exists E q, ilba org_dec two_twos descending E /\
  makespan_within org_dec [O1; O2] two_twos q 3 /\ on org_dec O1 E == 4.
Proof.
  exists [Start O1 2 O1; Start O1 2 O1; Start O2 1 O2; Start O2 1 O2].
  exists (fun _ t => match t with 0%nat => O1 | _ => O2 end). split; [|split].
  - exists [O1; O2]. split; [|intros []; simpl; auto].
    apply (turn _ _ _ [O2] [Start O2 1 O2; Start O2 1 O2] O1 [2; 2]).
    + apply (turn _ _ _ [] [] O2 [1; 1]); [apply no_turn|simpl; auto| |apply Permutation_refl| |].
      * intros [] _; unfold work; simpl; lra.
      * repeat constructor; lra.
      * put O2. put O2. apply all_inserted.
    + simpl. intros [H|[]]. discriminate.
    + intros [] H; [unfold work; simpl; lra|]. exfalso. apply H. simpl. auto.
    + apply Permutation_refl.
    + repeat constructor; lra.
    + put O1. put O1. apply all_inserted.
  - intros []; unfold ld; simpl; lra.
  - simpl. lra.
Qed.
