(* Central rules: LPT-LPT, SPT-LPT and Less Helped First, one machine each (T5 in the documentation); ILBA stands in
   IterativeLoadBalancing.v.

   A central rule starts jobs, one after the other, each on a machine that is free first; a machine whose organization
   has unstarted jobs starts one of these. So no machine waits while a job is unstarted. Let T be the makespan of any
   assignment of the jobs to the N machines. If every organization's jobs start longest first, the rule's makespan is at
   most rho T, rho = 4/3 for N = 2 and 2 - 1/(N-1) for N >= 3 (`lpt_lpt_bound`, `less_helped_first_longest_bound`); in
   any other order it is at most (2 - 1/N) T (`spt_lpt_bound`, `less_helped_first_bound`).

   Idea. Let p, of organization k, end last, started at s on h, after q jobs of k. When p starts, every machine is
   loaded until s at least; a machine without the q jobs is so loaded by the others alone. Adding up,
      (A)  N s + p <= N T,        (B)  (N - q) s + (q + 1) p <= N T   if the q jobs are at least p.
   (A) and p <= T give 2 - 1/N. If 2 p > T, the q + 1 jobs are on different machines in the other assignment. If q = 0,
   then s = 0: as long as k has unstarted jobs, no other organization's job starts on k's machine. The rest is the
   arithmetic of the sharp price. Which organization helps whom, and how ties are broken, does not matter. *)
From Coq Require Import List Lia Permutation.
Require Import Numbers Sums Game Loads SharpPrice.
Import ListNotations.

Section CentralRules.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variable machines : list O.
Variable jobs : O -> list num.
Hypothesis machines_all : forall l, In l machines.
Hypothesis machines_nodup : NoDup machines.
Hypothesis jobs_nonneg : forall a, nonneg (jobs a).

Notation ld := (ld dec).
Notation work := (work jobs).
Notation placed := (placed dec).
Notation n := (ofnat (length machines)).

(* ---- schedules: lists of started jobs, the latest first ---- *)
Record start := Start { owner : O; len : num; host : O }.

(* load of machine l *)
Fixpoint on (l : O) (E : list start) : num :=
  match E with [] => 0 | e :: E' => (if dec (host e) l then len e else 0) + on l E' end.

(* load of machine l by the others than k *)
Fixpoint others_on (k l : O) (E : list start) : num :=
  match E with
  | [] => 0
  | e :: E' => (if dec (host e) l then if dec (owner e) k then 0 else len e else 0) + others_on k l E'
  end.

(* k's jobs, and their machines *)
Fixpoint started (k : O) (E : list start) : list num :=
  match E with [] => [] | e :: E' => if dec (owner e) k then len e :: started k E' else started k E' end.
Fixpoint hosts (k : O) (E : list start) : list O :=
  match E with [] => [] | e :: E' => if dec (owner e) k then host e :: hosts k E' else hosts k E' end.

Definition complete (E : list start) : Prop := forall a, Permutation (jobs a) (started a E).

(* an assignment of the jobs to machines whose makespan is at most T *)
Definition makespan_within (q : profile (O:=O)) (T : num) : Prop :=
  forall l, sum (map (fun b => ld l (jobs b) (q b)) machines) <= T.

(* the two bounds on the makespan of a schedule without idle time *)
Definition within_sharp (E : list start) (T : num) : Prop := forall l,
  (length machines = 2%nat -> 3 * on l E <= 4 * T) /\
  ((3 <= length machines)%nat -> (n - 1) * on l E <= (2 * n - 3) * T).
Definition within_any (E : list start) (T : num) : Prop := forall l, n * on l E <= (2 * n - 1) * T.

Lemma started_app k E E' : started k (E ++ E') = started k E ++ started k E'.
Proof. induction E as [|e E IH]; simpl; [reflexivity|]. destruct (dec (owner e) k); simpl; congruence. Qed.

Lemma hosts_length k E : length (hosts k E) = length (started k E).
Proof. induction E as [|e E IH]; simpl; [reflexivity|]. destruct (dec (owner e) k); simpl; congruence. Qed.

Lemma in_started e E : In e E -> In (len e) (started (owner e) E).
Proof.
  induction E as [|e' E IH]; simpl; [tauto|]. intros [H|H].
  - subst e'. destruct (dec (owner e) (owner e)); [left; reflexivity|congruence].
  - destruct (dec (owner e') (owner e)); [right|]; exact (IH H).
Qed.

Lemma on_app l E E' : on l (E ++ E') == on l E + on l E'.
Proof. induction E as [|e E IH]; simpl; lra. Qed.

Lemma others_on_app k l E E' : others_on k l (E ++ E') == others_on k l E + others_on k l E'.
Proof. induction E as [|e E IH]; simpl; lra. Qed.

Definition lengths_nonneg (E : list start) : Prop := forall e, In e E -> 0 <= len e.

Lemma on_nonneg l E : lengths_nonneg E -> 0 <= on l E.
Proof.
  induction E as [|e E IH]; intros H; simpl; [lra|]. assert (He := H e (or_introl eq_refl)).
  specialize (IH (fun e' H' => H e' (or_intror H'))). destruct (dec (host e) l); lra.
Qed.

Lemma others_on_nonneg k l E : lengths_nonneg E -> 0 <= others_on k l E.
Proof.
  induction E as [|e E IH]; intros H; simpl; [lra|]. assert (He := H e (or_introl eq_refl)).
  specialize (IH (fun e' H' => H e' (or_intror H'))). destruct (dec (host e) l), (dec (owner e) k); lra.
Qed.

(* a machine without jobs of k *)
Lemma others_on_alone k l E : ~ In l (hosts k E) -> others_on k l E == on l E.
Proof.
  induction E as [|e E IH]; simpl; [lra|]. destruct (dec (owner e) k); simpl; intros H.
  - assert (G := IH (fun G => H (or_intror G))). destruct (dec (host e) l); [tauto|]. lra.
  - specialize (IH H). destruct (dec (host e) l); lra.
Qed.

Lemma complete_nonneg E : complete E -> lengths_nonneg E.
Proof.
  intros HE e He. apply (jobs_nonneg (owner e)), (Permutation_in _ (Permutation_sym (HE (owner e)))), in_started, He.
Qed.

(* adding up over machines, or over organizations *)
Lemma add_up (f : start -> O -> num) (g : O -> list start -> num) (w : start -> num) E :
  (forall l, g l [] == 0) -> (forall l e E, g l (e :: E) == f e l + g l E) ->
  (forall e, sum (map (f e) machines) == w e) ->
  sum (map (fun l => g l E) machines) == sum (map w E).
Proof.
  intros H0 Hc Hw. induction E as [|e E IH]; simpl.
  - assert (G := sum_map_eq (fun l => g l []) (fun _ => 0) machines H0).
    assert (Z : sum (map (fun _ : O => 0) machines) == 0). { clear. induction machines; simpl; lra. } lra.
  - assert (G := sum_map_eq (fun l => g l (e :: E)) (fun l => f e l + g l E) machines (fun l => Hc l e E)).
    assert (P := sum_map_plus (f e) (fun l => g l E) machines). specialize (Hw e). simpl in P.
    change (fun b => f e b) with (f e) in P. lra.
Qed.

Lemma total_on E : sum (map (fun l => on l E) machines) == sum (map len E).
Proof.
  apply (add_up (fun e l => if dec (host e) l then len e else 0)); intros; simpl; try lra.
  apply sum_point; auto.
Qed.

Lemma total_started E : sum (map (fun a => sum (started a E)) machines) == sum (map len E).
Proof.
  apply (add_up (fun e a => if dec (owner e) a then len e else 0) (fun a E => sum (started a E)));
    intros; simpl; try lra.
  - destruct (dec (owner e) l); simpl; lra.
  - apply sum_point; auto.
Qed.

Lemma total_others k E : sum (map (fun l => others_on k l E) machines) + sum (started k E) == sum (map len E).
Proof.
  assert (G := add_up (fun e l => if dec (host e) l then if dec (owner e) k then 0 else len e else 0) (others_on k)
    (fun e => if dec (owner e) k then 0 else len e) E).
  assert (S : sum (map (fun l => others_on k l E) machines)
              == sum (map (fun e => if dec (owner e) k then 0 else len e) E)).
  { apply G; intros; simpl; try lra. apply sum_point; auto. }
  rewrite S. clear. induction E as [|e E IH]; simpl; [lra|]. destruct (dec (owner e) k); simpl; lra.
Qed.

Lemma some_machine : O -> 1 <= n.
Proof.
  intros l. generalize (machines_all l). destruct machines as [|m L]; [intros []|]. simpl.
  generalize (ofnat_nonneg (length L)). lra.
Qed.

(* ---- the job that ends last ---- *)
Section Last.
Variables (E E1 E2 : list start) (k h : O) (p T : num) (q : profile (O:=O)).
Hypothesis split : E = E2 ++ Start k p h :: E1.
Hypothesis E_complete : complete E.
Hypothesis q_makespan : makespan_within q T.
Notation s := (on h E1).
Hypothesis busy : forall l, s <= on l E.
Hypothesis busy_by_others : forall l, ~ In l (hosts k E1) -> s <= others_on k l E.

Lemma nonneg_parts : lengths_nonneg E1 /\ lengths_nonneg E2 /\ 0 <= p.
Proof.
  assert (H := complete_nonneg E E_complete). rewrite split in H.
  split; [intros e He; apply H, in_or_app; right; right; exact He|].
  split; [intros e He; apply H, in_or_app; left; exact He|].
  apply (H (Start k p h)), in_or_app. right. left. reflexivity.
Qed.

Lemma s_nonneg : 0 <= s.
Proof. apply on_nonneg, nonneg_parts. Qed.

Lemma all_work : sum (map len E) <= n * T.
Proof.
  assert (W := sum_map_eq (fun a => sum (started a E)) work machines
    (fun a => sum_perm _ _ (Permutation_sym (E_complete a)))).
  assert (S := sum_swap (fun b l => ld l (jobs b) (q b)) machines machines). simpl in S.
  assert (L := sum_map_eq (fun b => sum (map (fun l => ld l (jobs b) (q b)) machines)) work machines
    (fun b => ld_total dec machines machines_all machines_nodup (jobs b) (q b))).
  assert (B := sum_le_const (fun l => sum (map (fun b => ld l (jobs b) (q b)) machines)) T machines
    (fun l _ => q_makespan l)).
  generalize (total_started E). lra.
Qed.

Lemma bound_A : n * s + p <= n * T.
Proof.
  assert (G : forall l, s + (if dec h l then p else 0) <= on l E).
  { intros l. destruct (dec h l) as [e|_]; [|specialize (busy l); lra]. rewrite split. subst l.
    assert (A := on_app h E2 (Start k p h :: E1)). simpl in A. destruct (dec h h); [|congruence].
    assert (P := on_nonneg h E2 (proj1 (proj2 nonneg_parts))). lra. }
  assert (S := sum_map_le _ _ machines (fun l _ => G l)).
  assert (P := sum_map_plus (fun _ => s) (fun l => if dec h l then p else 0) machines). simpl in P.
  assert (C := sum_ge_const (fun _ : O => s) s machines ltac:(intros; cbv beta; lra)).
  assert (D := sum_point dec h p machines machines_nodup (machines_all h)).
  generalize (total_on E) all_work. lra.
Qed.

Lemma load_k l : sum (placed l (jobs k) (q k)) <= T.
Proof.
  assert (G := sum_map_ge (fun b => ld l (jobs b) (q b)) machines k
    (fun b => ld_nonneg dec jobs jobs_nonneg l b (q b)) (machines_all k)).
  specialize (q_makespan l). unfold Game.ld at 1 in G. lra.
Qed.

Lemma started_split : started k E = started k E2 ++ p :: started k E1.
Proof. rewrite split, started_app. simpl. destruct (dec k k); [reflexivity|congruence]. Qed.

Lemma p_le_T : p <= T.
Proof.
  assert (Hp : In p (jobs k)).
  { apply (Permutation_in _ (Permutation_sym (E_complete k))). rewrite started_split.
    apply in_or_app. right. left. reflexivity. }
  destruct (in_placed dec p (jobs k) (q k) Hp) as (l & Hl).
  generalize (in_sum_le p _ (placed_nonneg dec jobs jobs_nonneg l k (q k)) Hl) (load_k l). lra.
Qed.

Lemma any_order : n * (s + p) <= (2 * n - 1) * T.
Proof.
  assert (A := bound_A). assert (N1 := some_machine h).
  assert (M := mul_le (n - 1) _ _ ltac:(lra) p_le_T). lra.
Qed.

Hypothesis longest_first : forall x, In x (started k E1) -> p <= x.
Notation Q := (ofnat (length (started k E1))).

Lemma bound_B : (n - Q) * s + (Q + 1) * p <= n * T.
Proof.
  destruct nonneg_parts as (N1 & N2 & Np).
  assert (G := sum_ge_except dec (fun l => others_on k l E) s (hosts k E1) machines
    (fun l => others_on_nonneg k l E (complete_nonneg E E_complete)) s_nonneg machines_nodup
    (fun l _ => busy_by_others l)).
  rewrite hosts_length in G.
  assert (P : 0 <= sum (started k E2)).
  { apply sum_nonneg. intros x Hx. apply (jobs_nonneg k), (Permutation_in _ (Permutation_sym (E_complete k))).
    rewrite started_split. apply in_or_app. left. exact Hx. }
  assert (S := sum_app (started k E2) (p :: started k E1)). rewrite <- started_split in S. simpl in S.
  generalize (sum_all_ge p _ longest_first) (total_others k E) all_work. lra.
Qed.

(* jobs longer than T / 2 are on different machines in the other assignment *)
Lemma long_jobs : T < p + p -> Q + 1 <= n.
Proof.
  intros HT.
  assert (G1 : sum (map (fun l => big p (placed l (jobs k) (q k))) machines) <= n * 1).
  { apply sum_le_const. intros l _. apply big_le1; [apply placed_nonneg; auto|]. generalize (load_k l). lra. }
  assert (G2 := big_total dec machines machines_all machines_nodup p (jobs k) (q k)).
  assert (G3 := big_perm p _ _ (E_complete k)). rewrite started_split in G3.
  assert (G4 := big_app p (started k E2) (p :: started k E1)). assert (G5 := big_cons p p (started k E1)).
  assert (G6 := big_all p _ longest_first). assert (G7 := big_nonneg p (started k E2)).
  destruct (lt_le p p); lra.
Qed.

Lemma longest_first_order : (started k E1 = [] -> s <= 0) ->
  (length machines = 2%nat -> 3 * (s + p) <= 4 * T) /\
  ((3 <= length machines)%nat -> (n - 1) * (s + p) <= (2 * n - 3) * T).
Proof.
  intros First.
  assert (HQ : 1 <= Q \/ s <= 0).
  { destruct (started k E1) as [|x r] eqn:E0; [right; exact (First eq_refl)|left].
    simpl. generalize (ofnat_nonneg (length r)). lra. }
  assert (Hp := p_le_T). assert (Np := proj2 (proj2 nonneg_parts)). assert (A := bound_A). assert (B := bound_B).
  assert (S0 := s_nonneg). split; intros Hn.
  - assert (N2 : n == 2) by (rewrite Hn; simpl; lra).
    apply (price_of_two (s + p) s p Q T); try lra.
    + assert (X : n * s == 2 * s) by (rewrite N2; lra). assert (Y : n * T == 2 * T) by (rewrite N2; lra). lra.
    + assert (X : (n - Q) * s == (2 - Q) * s) by (rewrite N2; lra).
      assert (Y : n * T == 2 * T) by (rewrite N2; lra). lra.
  - assert (N3 : 3 <= n) by (generalize (ofnat_le _ _ Hn); simpl; lra).
    apply (price_of_more (s + p) s p n Q T); try lra; first [exact HQ|exact long_jobs].
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
  intros H l. assert (P := sum_map_nonneg (fun b => ld l (jobs b) (q b)) machines
    (fun b => ld_nonneg dec jobs jobs_nonneg l b (q b))). specialize (H l). lra.
Qed.

(* it is enough to bound the end of every job *)
Lemma within_any_intro E q T : makespan_within q T ->
  (forall E2 k p h E1, E = E2 ++ Start k p h :: E1 -> n * (on h E1 + p) <= (2 * n - 1) * T) -> within_any E T.
Proof.
  intros Hq H l. assert (M := mul_nonneg (2 * n - 1) T). assert (HT := makespan_nonneg q T Hq l).
  assert (N1 := some_machine l). destruct (last_start l E) as [Z|(E2 & k & p & E1 & Split & S)].
  - assert (X : n * on l E == n * 0) by (rewrite Z; lra). specialize (M ltac:(lra) HT). lra.
  - assert (X : n * on l E == n * (on l E1 + p)) by (rewrite S; lra). specialize (H E2 k p l E1 Split). lra.
Qed.

Lemma within_sharp_intro E q T : makespan_within q T ->
  (forall E2 k p h E1, E = E2 ++ Start k p h :: E1 ->
     (length machines = 2%nat -> 3 * (on h E1 + p) <= 4 * T) /\
     ((3 <= length machines)%nat -> (n - 1) * (on h E1 + p) <= (2 * n - 3) * T)) -> within_sharp E T.
Proof.
  intros Hq H l. assert (HT := makespan_nonneg q T Hq l).
  destruct (last_start l E) as [Z|(E2 & k & p & E1 & Split & S)].
  - split; intros Hn; [lra|]. assert (N3 : 3 <= n) by (generalize (ofnat_le _ _ Hn); simpl; lra).
    assert (M := mul_nonneg (2 * n - 3) T ltac:(lra) HT).
    assert (X : (n - 1) * on l E == (n - 1) * 0) by (rewrite Z; lra). lra.
  - destruct (H E2 k p l E1 Split) as [G2 G3]. split; intros Hn; [specialize (G2 Hn); lra|specialize (G3 Hn)].
    assert (X : (n - 1) * on l E == (n - 1) * (on l E1 + p)) by (rewrite S; lra). lra.
Qed.

(* ---- the rules ---- *)
Section Rules.
(* which job x of which organization c machine h starts, after the jobs E, when J a are the unstarted jobs of each a *)
Variable rule : list start -> (O -> list num) -> O -> O -> num -> Prop.

Inductive schedule : list start -> (O -> list num) -> Prop :=
| at_first : schedule [] jobs
| afterwards E J h c x J' : schedule E J ->
    (forall l, on h E <= on l E) ->              (* h is free first *)
    (J h <> [] -> c = h) ->                      (* it starts its owner's jobs as long as there are any *)
    rule E J h c x ->
    Permutation (J c) (x :: J' c) -> (forall b, b <> c -> J' b = J b) ->
    schedule (Start c x h :: E) J'.

(* everything is started *)
Definition result (E : list start) : Prop := exists J, schedule E J /\ forall a, J a = [].

Lemma schedule_jobs E J : schedule E J -> forall a, Permutation (jobs a) (started a E ++ J a).
Proof.
  induction 1 as [|E J h c x J' _ IH _ _ _ Hc Hb]; intros a; simpl; [apply Permutation_refl|].
  destruct (dec c a) as [e|n].
  - subst a. apply (Permutation_trans (IH c)). simpl. apply (Permutation_trans (Permutation_app_head _ Hc)).
    apply Permutation_sym, Permutation_middle.
  - rewrite Hb by congruence. apply IH.
Qed.

Lemma result_complete E : result E -> complete E.
Proof. intros (J & H & HJ) a. assert (G := schedule_jobs E J H a). rewrite HJ, app_nil_r in G. exact G. Qed.

(* as long as k has unstarted jobs and has started none, its machine is empty *)
Lemma first_at_zero E J : schedule E J -> forall k, J k <> [] -> started k E = [] -> on k E == 0.
Proof.
  induction 1 as [|E J h c x J' _ IH _ Own _ Hc Hb]; intros k Hk Hs; simpl in *; [lra|].
  destruct (dec c k) as [e|n]; [discriminate|]. rewrite Hb in Hk by congruence. specialize (IH k Hk Hs).
  destruct (dec h k) as [e|_]; [subst h; specialize (Own Hk); congruence|lra].
Qed.

Lemma schedule_before E2 e E1 J : schedule (E2 ++ e :: E1) J -> exists J1 J', schedule E1 J1 /\
  (forall l, on (host e) E1 <= on l E1) /\ rule E1 J1 (host e) (owner e) (len e) /\
  Permutation (J1 (owner e)) (len e :: J' (owner e)).
Proof.
  revert J; induction E2 as [|e2 E2 IH]; intros J H; inversion H; subst.
  - exists J0, J. simpl. auto.
  - eapply IH; eassumption.
Qed.

Lemma result_busy E E2 k p h E1 : result E -> E = E2 ++ Start k p h :: E1 ->
  (forall l, on h E1 <= on l E) /\ (forall l, ~ In l (hosts k E1) -> on h E1 <= others_on k l E) /\
  (started k E1 = [] -> on h E1 <= 0).
Proof.
  intros Hr Split. assert (C := complete_nonneg E (result_complete E Hr)). destruct Hr as (J & H & _).
  rewrite Split in *. destruct (schedule_before _ _ _ _ H) as (J1 & J' & H1 & Least & _ & Next). simpl in Least, Next.
  assert (C2 : lengths_nonneg (E2 ++ [Start k p h])).
  { intros e He. apply C. apply in_app_or in He. apply in_or_app.
    destruct He as [He|[He|[]]]; [left|right; left]; auto. }
  assert (App : E2 ++ Start k p h :: E1 = (E2 ++ [Start k p h]) ++ E1) by (rewrite <- app_assoc; reflexivity).
  rewrite App. split; [|split].
  - intros l. generalize (on_app l (E2 ++ [Start k p h]) E1) (on_nonneg l _ C2) (Least l). lra.
  - intros l Hl. generalize (others_on_app k l (E2 ++ [Start k p h]) E1) (others_on_nonneg k l _ C2) (Least l)
      (others_on_alone k l E1 Hl). lra.
  - intros Hs. assert (Hk : J1 k <> []) by (intros e; rewrite e in Next; apply Permutation_nil in Next; discriminate).
    generalize (first_at_zero E1 J1 H1 k Hk Hs) (Least k). lra.
Qed.

Lemma any_order_bound E q T : result E -> makespan_within q T -> within_any E T.
Proof.
  intros Hr Hq. apply (within_any_intro E q T Hq). intros E2 k p h E1 Split.
  apply (any_order E E1 E2 k h p T q Split (result_complete E Hr) Hq), (result_busy E E2 k p h E1 Hr Split).
Qed.

(* rules by which each organization's jobs start longest first *)
Hypothesis longest_first : forall E J h c x, rule E J h c x -> forall y, In y (J c) -> y <= x.

Lemma started_longest E J : schedule E J -> forall k x y, In x (started k E) -> In y (J k) -> y <= x.
Proof.
  induction 1 as [|E J h c x J' _ IH _ _ Hr Hc Hb]; intros k z y Hz Hy; simpl in Hz; [destruct Hz|].
  destruct (dec c k) as [e|n].
  - subst k. assert (Hy' : In y (J c)) by (apply (Permutation_in _ (Permutation_sym Hc)); right; exact Hy).
    destruct Hz as [Hz|Hz]; [subst z; exact (longest_first _ _ _ _ _ Hr y Hy')|exact (IH c z y Hz Hy')].
  - rewrite Hb in Hy by congruence. exact (IH k z y Hz Hy).
Qed.

Lemma longest_first_bound E q T : result E -> makespan_within q T -> within_sharp E T.
Proof.
  intros Hr Hq. apply (within_sharp_intro E q T Hq). intros E2 k p h E1 Split.
  destruct (result_busy E E2 k p h E1 Hr Split) as (B1 & B2 & B3).
  apply (longest_first_order E E1 E2 k h p T q Split (result_complete E Hr) Hq B1 B2); [|exact B3].
  destruct Hr as (J & H & _). rewrite Split in H. destruct (schedule_before _ _ _ _ H) as (J1 & J' & H1 & _ & _ & Next).
  simpl in Next. intros x Hx. apply (started_longest E1 J1 H1 k x p Hx).
  apply (Permutation_in _ (Permutation_sym Next)). left. reflexivity.
Qed.
End Rules.

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

Theorem lpt_lpt_bound E q T : result lpt_lpt E -> makespan_within q T -> within_sharp E T.
Proof. apply longest_first_bound. intros E' J h c x [H _]. exact H. Qed.

Theorem less_helped_first_longest_bound E q T :
  result less_helped_first_longest E -> makespan_within q T -> within_sharp E T.
Proof. apply longest_first_bound. intros E' J h c x [H _]. exact H. Qed.

Theorem spt_lpt_bound E q T : result spt_lpt E -> makespan_within q T -> within_any E T.
Proof. apply any_order_bound. Qed.

Theorem less_helped_first_bound E q T : result less_helped_first E -> makespan_within q T -> within_any E T.
Proof. apply any_order_bound. Qed.
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
