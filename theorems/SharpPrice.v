(* The sharp price, upper bound (T3 in the documentation): an equilibrium of N organizations with one machine each
   costs at most rho_N times the makespan of any profile, rho_2 = 4/3, rho_N = 2 - 1/(N-1) for N >= 3. Any order of
   the foreign jobs is allowed (OwnerFirst.v), so priority to organizations and priority to jobs are both covered.

   Idea, in the order of the proof on paper. Let T be the makespan of any profile, n = N, and k an organization of
   cost c in an equilibrium. Let k redo its jobs as a list, longest first, each on a machine on which all work of the
   others (home: nothing) and k's earlier jobs end first. This reply costs at most s + p, where p is the job that ends
   last and s its start, and c is at most that. Let q be the number of jobs before p in the list; each is at least p.
   (A) Every machine is busy until s:        n s + p <= n T.
   (B) All but q machines carry s of others: (n - q) s + (q + 1) p <= n T.
   If p <= T/2, (A) is enough. If p > T/2, the q + 1 jobs are on different machines in the profile of makespan T,
   so q + 1 <= n; then (B), with (A) if 2q + 1 > n. Without jobs before p, s = 0. *)
From Coq Require Import List Lia Permutation.
Require Import Numbers Game.
Require Export Sums Loads ListSchedule OwnerFirst.
Import ListNotations.

Section Upper.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variable machines : list O.
Variable jobs : O -> list num.
Hypothesis machines_all : forall l, In l machines.
Hypothesis machines_nodup : NoDup machines.
Hypothesis jobs_nonneg : forall a, nonneg (jobs a).

Notation deviate := (deviate dec).
Notation load := (load dec jobs).
Notation ld := (ld dec).
Notation work := (work jobs).
Notation placed := (placed dec).
Notation total := (total dec machines jobs).
Notation others := (others dec machines jobs).
Notation owner_first := (owner_first dec machines jobs).
Notation n := (ofnat (length machines)).

(* ---- k's jobs, longest first, as a list behind all work of the others ---- *)
Section ListReply.
Variables (p0 q0 : profile (O:=O)) (T : num) (k : O).
Hypothesis HT : 0 <= T.
Hypothesis q0_total : forall l, total q0 l <= T.
Variables (pre post : list num) (p s : num) (st : strategy (O:=O)).
Notation js := (pre ++ p :: post).
Hypothesis js_perm : Permutation (jobs k) js.
Hypothesis js_desc : desc js.
Hypothesis s_nonneg : 0 <= s.
Hypothesis busy : forall l, s <= others p0 k l + ld l pre st.     (* when p is placed *)

Lemma p_in : In p (jobs k).
Proof.
  apply (Permutation_in p (Permutation_sym js_perm)). apply in_or_app; right; left; reflexivity.
Qed.

Lemma all_work : sum (map work machines) <= n * T.
Proof.
  generalize (total_sum dec machines jobs machines_all machines_nodup q0)
    (sum_le_const (total q0) T machines (fun l _ => q0_total l)). lra.
Qed.

Lemma list_work : sum pre + p <= work k.
Proof.
  assert (Hpost : 0 <= sum post).
  { apply sum_nonneg. intros x Hx. apply (jobs_nonneg k), (Permutation_in x (Permutation_sym js_perm)).
    apply in_or_app. right. right. exact Hx. }
  unfold Game.work. generalize (sum_perm _ _ js_perm) (sum_app pre (p :: post)). simpl. lra.
Qed.

Lemma bound_A : n * s + p <= n * T.
Proof.
  assert (G := sum_ge_const (fun l => others p0 k l + ld l pre st) s machines (fun l _ => busy l)).
  assert (G2 := sum_map_plus (others p0 k) (fun l => ld l pre st) machines). simpl in G2.
  generalize (ld_total dec machines machines_all machines_nodup pre st) list_work all_work
    (others_sum dec machines jobs machines_all machines_nodup jobs_nonneg p0 k). lra.
Qed.

Lemma bound_B : (n - ofnat (length pre)) * s + (ofnat (length pre) + 1) * p <= n * T.
Proof.
  assert (G := sum_ge_except dec (others p0 k) s (map st (seq 0 (length pre))) machines
                 (others_nonneg dec machines jobs jobs_nonneg p0 k) s_nonneg machines_nodup).
  rewrite map_length, seq_length in G.
  assert (G2 : (n - ofnat (length pre)) * s <= sum (map (others p0 k) machines)).
  { apply G. intros l _ Hl. assert (B := busy l). unfold Game.ld in B. rewrite (placed_unused dec l pre st Hl) in B.
    simpl in B. lra. }
  generalize (sum_all_ge p pre (desc_split pre p post js_desc)) list_work all_work
    (others_sum dec machines jobs machines_all machines_nodup jobs_nonneg p0 k). lra.
Qed.

Lemma load_k l : sum (placed l (jobs k) (q0 k)) <= T.
Proof.
  generalize (load_le_total dec machines jobs machines_all jobs_nonneg q0 k l) (q0_total l).
  unfold Game.load, Game.ld. lra.
Qed.

Lemma p_le_T : p <= T.
Proof.
  destruct (in_placed dec p (jobs k) (q0 k) p_in) as (l & Hl).
  generalize (in_sum_le p _ (placed_nonneg dec jobs jobs_nonneg l k (q0 k)) Hl) (load_k l). lra.
Qed.

Lemma first_starts_at_0 : pre = [] -> s <= 0.
Proof.
  intros E. assert (B := busy k). rewrite E in B. unfold Game.ld, Loads.others in B. simpl in B.
  destruct (dec k k); [lra|congruence].
Qed.

(* jobs longer than T/2 are on different machines in q0 *)
Lemma long_jobs : T < p + p -> ofnat (length pre) + 1 <= n.
Proof.
  intros HTp.
  assert (G1 : sum (map (fun l => big p (placed l (jobs k) (q0 k))) machines) <= n * 1).
  { apply sum_le_const. intros l _. apply big_le1; [apply placed_nonneg; auto|]. generalize (load_k l). lra. }
  generalize (big_total dec machines machines_all machines_nodup p (jobs k) (q0 k)) (big_perm p _ _ js_perm)
    (big_app p pre (p :: post)) (big_cons p p post) (big_all p pre (desc_split pre p post js_desc)) (big_nonneg p post).
  destruct (lt_le p p); lra.
Qed.
End ListReply.

(* what is known about an equilibrium cost C p0 k *)
Lemma T3_facts C p0 q0 T k : owner_first C ->
  (forall a d, C p0 a <= C (deviate p0 a d) a) -> (forall a, C q0 a <= T) -> jobs k <> [] ->
  exists (s p : num) (q : nat), let Q := ofnat q in
    C p0 k <= s + p /\ 0 <= s /\ 0 <= p /\ p <= T /\
    n * s + p <= n * T /\                               (* (A) *)
    (n - Q) * s + (Q + 1) * p <= n * T /\               (* (B) *)
    (q = 0%nat -> s <= 0) /\
    (T < p + p -> Q + 1 <= n).
Proof.
  intros HC Hp Hq Hne.
  assert (HT : 0 <= T) by (generalize (Hq k) (C_nonneg _ _ _ _ HC q0 k); lra).
  assert (Htot := fun l => C_total _ _ _ _ HC q0 T l HT Hq).
  destruct (sort_desc (jobs k)) as (js & Hperm & Hdesc).
  assert (Hjs : js <> []) by (intros E; subst js; apply Permutation_sym, Permutation_nil in Hperm; congruence).
  assert (Hn : nonneg js) by (intros x Hx; apply (jobs_nonneg k), (Permutation_in x (Permutation_sym Hperm) Hx)).
  destruct (lpt_exists dec machines machines_all k js (others p0 k)) as (st & Hst).
  destruct (lpt_last dec js _ st (others_nonneg dec machines jobs jobs_nonneg p0 k) Hn Hst Hjs)
    as (pre & p & post & s & E & Hs & H1 & H2).
  subst js. exists s, p, (length pre). simpl.
  split; [|split; [exact Hs|split; [apply (jobs_nonneg k), (p_in k pre post); exact Hperm|split]]].
  - destruct (placed_perm dec (jobs k) _ Hperm st) as (d & Hd).
    assert (G : C (deviate p0 k d) k <= s + p); [|generalize (Hp k d); lra].
    assert (Hp0 : 0 <= p) by (apply Hn, in_or_app; right; left; reflexivity).
    apply (C_reply _ _ _ C HC); [lra|]. intros l Hl.
    assert (Hl' : placed l (pre ++ p :: post) st <> []).
    { intros E'. specialize (Hd l). rewrite E' in Hd. apply Permutation_sym, Permutation_nil in Hd. congruence. }
    specialize (H2 l Hl'). generalize (sum_perm _ _ (Hd l)). unfold Game.ld in *. lra.
  - apply (p_le_T q0 T k Htot pre post); exact Hperm.
  - split; [apply (bound_A p0 q0 T k Htot pre post p s st); assumption|].
    split; [apply (bound_B p0 q0 T k Htot pre post p s st); assumption|].
    split; [|apply (long_jobs q0 T k Htot pre post); assumption].
    intros El. apply (first_starts_at_0 p0 k pre s st H1). destruct pre; [reflexivity|discriminate].
Qed.
End Upper.

(* ---- the arithmetic: (A) and (B) give the price ---- *)
Section Arithmetic.
Variables c s p n Q T : num.
Hypothesis c_le : c <= s + p.
Hypothesis s_nonneg : 0 <= s.
Hypothesis p_le : p <= T.
Hypothesis A : n * s + p <= n * T.
Hypothesis B : (n - Q) * s + (Q + 1) * p <= n * T.

(* the bound for short jobs, and the one where (A) and (B) meet *)
Lemma short_job : p + p <= T -> 1 < n -> 2 * (n * c) <= (3 * n - 1) * T.
Proof.
  intros Hp Hn. assert (G1 : n * c <= n * (s + p)) by (apply mul_le; lra).
  assert (G2 : (n - 1) * (p + p) <= (n - 1) * T) by (apply mul_le; lra). lra.
Qed.

Lemma many_long_jobs : 1 <= Q -> n < Q + Q + 1 -> 1 <= n -> (n + 1) * c <= 2 * n * T.
Proof.
  intros HQ H Hn. apply (mul_cancel Q); [lra|].
  assert (G1 : (Q + Q + 1 - n) * (n * s + p) <= (Q + Q + 1 - n) * (n * T)) by (apply mul_le; lra).
  assert (G2 : (n - 1) * ((n - Q) * s + (Q + 1) * p) <= (n - 1) * (n * T)) by (apply mul_le; lra).
  assert (G3 : Q * ((n + 1) * c) <= Q * ((n + 1) * (s + p))) by (apply mul_le; [lra|apply mul_le; lra]). lra.
Qed.

Lemma few_long_jobs : Q + Q + 1 <= n -> Q + 1 <= n -> (n - Q) * c <= (2 * n - 2 * Q - 1) * T.
Proof.
  intros H HQ. assert (G1 : (n - Q) * c <= (n - Q) * (s + p)) by (apply mul_le; lra).
  assert (G2 : (n - Q - Q - 1) * p <= (n - Q - Q - 1) * T) by (apply mul_le; lra). lra.
Qed.
End Arithmetic.

(* from these to 4/3 and 2 - 1/(n-1) *)
Lemma price_of_two c s p Q T : c <= s + p -> 0 <= s -> p <= T -> 0 <= T -> 2 * s + p <= 2 * T ->
  (2 - Q) * s + (Q + 1) * p <= 2 * T -> 1 <= Q \/ s <= 0 -> 3 * c <= 4 * T.
Proof.
  intros Hc Hs Hp HT A B HQ. destruct (lt_le T (p + p)) as [Hbig|Hsmall].
  - destruct HQ as [HQ|H0]; [|lra]. generalize (many_long_jobs c s p 2 Q T Hc A B HQ ltac:(lra) ltac:(lra)). lra.
  - generalize (short_job c s p 2 T Hc A Hsmall ltac:(lra)). lra.
Qed.

Lemma price_of_more c s p n Q T : 3 <= n -> c <= s + p -> 0 <= s -> p <= T -> 0 <= T -> n * s + p <= n * T ->
  (n - Q) * s + (Q + 1) * p <= n * T -> 1 <= Q \/ s <= 0 -> (T < p + p -> Q + 1 <= n) -> (n - 1) * c <= (2 * n - 3) * T.
Proof.
  intros Hn Hc Hs Hp HT A B HQ Long. destruct (lt_le T (p + p)) as [Hbig|Hsmall].
  - specialize (Long Hbig). destruct HQ as [HQ|H0].
    + destruct (lt_le n (Q + Q + 1)) as [Hcase|Hcase].
      * assert (G := many_long_jobs c s p n Q T Hc A B HQ Hcase ltac:(lra)).
        apply (mul_cancel (n + 1)); [lra|].
        assert (G1 : (n - 1) * ((n + 1) * c) <= (n - 1) * (2 * n * T)) by (apply mul_le; lra).
        assert (G2 : 0 <= (n - 3) * T) by (apply mul_nonneg; lra). lra.
      * assert (G := few_long_jobs c s p n Q T Hc Hp B Hcase Long). apply (mul_cancel (n - Q)); [lra|].
        assert (G1 : (n - 1) * ((n - Q) * c) <= (n - 1) * ((2 * n - 2 * Q - 1) * T)) by (apply mul_le; lra).
        assert (G2 : 0 <= (Q - 1) * T) by (apply mul_nonneg; lra). lra.
    + assert (G1 : (n - 1) * c <= (n - 1) * T) by (apply mul_le; lra).
      assert (G2 : 0 <= (n - 3) * T) by (apply mul_nonneg; lra). lra.
  - assert (G := short_job c s p n T Hc A Hsmall ltac:(lra)). apply (mul_cancel (2 * n)); [lra|].
    assert (G1 : (n - 1) * (2 * (n * c)) <= (n - 1) * ((3 * n - 1) * T)) by (apply mul_le; lra).
    assert (G2 : 0 <= (n - 3) * n) by (apply mul_nonneg; lra).
    assert (G3 : 0 <= ((n - 3) * n + (n - 1)) * T) by (apply mul_nonneg; lra). lra.
Qed.

(* ---- the theorem, for every cost function with the four properties ---- *)
Section Price.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variable machines : list O.
Variable jobs : O -> list num.
Hypothesis machines_all : forall l, In l machines.
Hypothesis machines_nodup : NoDup machines.
Hypothesis jobs_nonneg : forall a, nonneg (jobs a).

Theorem upper_C C p0 q0 T k : owner_first dec machines jobs C ->
  (forall a d, C p0 a <= C (deviate dec p0 a d) a) -> (forall a, C q0 a <= T) ->
  (length machines = 2%nat -> 3 * C p0 k <= 4 * T) /\
  ((3 <= length machines)%nat ->
     let n := ofnat (length machines) in (n - 1) * C p0 k <= (2 * n - 3) * T).
Proof.
  intros HC Hp Hq.
  assert (HT : 0 <= T) by (generalize (Hq k) (C_nonneg _ _ _ _ HC q0 k); lra).
  destruct (jobs k) as [|x0 r0] eqn:Ek.
  - assert (Hc : C p0 k <= 0).
    { apply (C_upper _ _ _ _ HC); [lra|]. intros l Hl. rewrite Ek in Hl. simpl in Hl. congruence. }
    split; [lra|]. intros H. assert (H3 := ofnat_le _ _ H). simpl in H3. cbv zeta.
    set (n := ofnat (length machines)) in *.
    assert (0 <= (n - 1) * (0 - C p0 k)) by (apply mul_nonneg; lra).
    assert (0 <= (2 * n - 3) * T) by (apply mul_nonneg; lra). lra.
  - destruct (T3_facts dec machines jobs machines_all machines_nodup jobs_nonneg C p0 q0 T k HC Hp Hq
                ltac:(rewrite Ek; discriminate)) as (s & p & q & Hc & Hs & Hp0 & HpT & HA & HB & Hfirst & Hlong).
    assert (HQ : 1 <= ofnat q \/ s <= 0).
    { destruct q as [|q]; [right; auto|left]. simpl. generalize (ofnat_nonneg q). lra. }
    split; intros H.
    + rewrite H in HA, HB. simpl ofnat in HA, HB. apply (price_of_two _ s p (ofnat q)); try assumption; lra.
    + assert (H3 := ofnat_le _ _ H). simpl in H3. cbv zeta.
      apply (price_of_more _ s p _ (ofnat q)); try assumption; lra.
Qed.

(* priority to organizations *)
Theorem upper prio : (forall l, NoDup (prio l)) -> (forall l a, In a (prio l)) ->
  forall p0 q0 T k, equilibrium dec machines jobs prio p0 -> (forall a, cost dec machines jobs prio q0 a <= T) ->
  (length machines = 2%nat -> 3 * cost dec machines jobs prio p0 k <= 4 * T) /\
  ((3 <= length machines)%nat ->
     let n := ofnat (length machines) in (n - 1) * cost dec machines jobs prio p0 k <= (2 * n - 3) * T).
Proof.
  intros prio_nodup prio_all p0 q0 T k. apply (upper_C (cost dec machines jobs prio)).
  apply organizations_owner_first; auto.
Qed.

(* any order of the foreign jobs, also one that depends on the profile *)
Theorem upper_any foreign :
  (forall p l, Permutation (foreign p l) (flat_map (fun b => block dec jobs p b l) (remove dec l machines))) ->
  let c := cost_any dec machines jobs foreign in
  forall p0 q0 T k, (forall a d, c p0 a <= c (deviate dec p0 a d) a) -> (forall a, c q0 a <= T) ->
  (length machines = 2%nat -> 3 * c p0 k <= 4 * T) /\
  ((3 <= length machines)%nat -> let n := ofnat (length machines) in (n - 1) * c p0 k <= (2 * n - 3) * T).
Proof. intros Hf c p0 q0 T k. apply upper_C. apply any_owner_first; auto. Qed.
End Price.
