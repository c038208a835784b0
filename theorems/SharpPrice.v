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
   so q + 1 <= n; then (B), with (A) if 2q + 1 > n. Without jobs before p, s = 0.
   The section on a job that starts late says this of any job p that every machine lets wait until s, so that
   CentralRules.v can use it, too; the arithmetic serves SeveralPrice.v as well. *)
From Coq Require Import List Lia Permutation PeanoNat.
Require Import Numbers Game.
Require Export Sums Loads ListSchedule OwnerFirst.
Import ListNotations.

(* ---- the sharp price ---- *)
Definition rho (N : nat) : num := if Nat.eqb N 2 then 4 / 3 else 2 - 1 / (ofnat N - 1).

(* ---- the arithmetic: (A) and (B) give the price; whoever has m machines starts m jobs at once ---- *)
Lemma price_products (n m q s p c T : num) : 1 <= m -> m <= n -> 0 <= T -> 0 <= s -> c <= s + p -> p <= T ->
  n * s + p <= n * T -> (n - q) * s + (q + 1) * p <= n * T -> (q < m -> s <= 0) -> q < m \/ m <= q ->
  (T < p + p -> q + 1 <= n) ->
  (n + 1) * c <= 2 * n * T \/ (n - m) * c <= (2 * (n - m) - 1) * T.
Proof.
  intros Hm Hn HT Hs Hc HpT HA HB HC Hq HD.
  destruct (lt_le T (p + p)) as [Hbig|Hsmall].
  - specialize (HD Hbig). destruct Hq as [Hq|Hq].
    + left. specialize (HC Hq).
      assert (G1 : (n + 1) * c <= (n + 1) * T) by (apply mul_le; lra).
      assert (G2 : 0 <= (n - 1) * T) by (apply mul_nonneg; lra). lra.
    + destruct (lt_le n (q + q + 1)) as [Hcase|Hcase].
      * left. apply (mul_cancel q); [lra|].
        assert (G1 : (q + q + 1 - n) * (n * s + p) <= (q + q + 1 - n) * (n * T)) by (apply mul_le; lra).
        assert (G2 : (n - 1) * ((n - q) * s + (q + 1) * p) <= (n - 1) * (n * T)) by (apply mul_le; lra).
        assert (G3 : q * ((n + 1) * c) <= q * ((n + 1) * (s + p))) by (apply mul_le; [lra|apply mul_le; lra]).
        lra.
      * right. assert (G : (n - q) * c <= (2 * (n - q) - 1) * T).
        { assert (G1 : (n - q) * c <= (n - q) * (s + p)) by (apply mul_le; lra).
          assert (G2 : (n - q - q - 1) * p <= (n - q - q - 1) * T) by (apply mul_le; lra). lra. }
        apply (mul_cancel (n - q)); [lra|].
        assert (G1 : (n - m) * ((n - q) * c) <= (n - m) * ((2 * (n - q) - 1) * T)) by (apply mul_le; lra).
        assert (G2 : 0 <= (q - m) * T) by (apply mul_nonneg; lra). lra.
  - left. apply (mul_cancel (2 * n)); [lra|].
    assert (G1 : n * c <= n * (s + p)) by (apply mul_le; lra).
    assert (G2 : (n - 1) * (p + p) <= (n - 1) * T) by (apply mul_le; lra).
    assert (G3 : (n + 1) * (2 * (n * c)) <= (n + 1) * ((3 * n - 1) * T)) by (apply mul_le; lra).
    assert (G4 : 0 <= ((n - 1) * (n - 1)) * T) by (apply mul_nonneg; [apply mul_nonneg; lra|exact HT]). lra.
Qed.

(* from there to 4/3 and 2 - 1/(N-1) *)
Lemma rho_2 : 3 * rho 2 == 4.
Proof. unfold rho. simpl Nat.eqb. cbv iota. field. Qed.
Lemma rho_ge3 N : (3 <= N)%nat -> rho N * (ofnat N - 1) == 2 * ofnat N - 3 /\ 3 <= ofnat N.
Proof.
  intros H. assert (H3 : 3 <= ofnat N) by (generalize (ofnat_le _ _ H); simpl; lra). split; [|exact H3].
  unfold rho. destruct (Nat.eqb_spec N 2) as [e|n]; [lia|]. field. lra.
Qed.
Lemma rho_pos N : (2 <= N)%nat -> 0 < rho N.
Proof.
  intros H. destruct (Nat.eq_dec N 2) as [e|n]; [subst N; generalize rho_2; lra|].
  destruct (rho_ge3 N ltac:(lia)) as [E H3]. destruct (lt_le 0 (rho N)) as [G|G]; [exact G|exfalso].
  assert (0 <= (0 - rho N) * (ofnat N - 1)) by (apply mul_nonneg; lra). lra.
Qed.
Lemma rho_nonneg N T : (2 <= N)%nat -> 0 <= T -> 0 <= rho N * T.
Proof. intros HN HT. apply mul_nonneg; [generalize (rho_pos N HN); lra|exact HT]. Qed.
Lemma rho_products N c T : (2 <= N)%nat -> 0 <= T -> let n := ofnat N in
  (n + 1) * c <= 2 * n * T \/ (n - 1) * c <= (2 * (n - 1) - 1) * T -> c <= rho N * T.
Proof.
  intros HN HT n H. destruct (Nat.eq_dec N 2) as [e|ne].
  - assert (E : n == 2) by (unfold n; rewrite e; simpl; lra). rewrite E in H. apply (mul_cancel 3); [lra|].
    assert (E2 : 3 * (rho N * T) == 4 * T) by (rewrite <- rho_2, e; ring). lra.
  - destruct (rho_ge3 N ltac:(lia)) as [Er N3]. fold n in Er, N3. apply (mul_cancel (n - 1)); [lra|].
    assert (E : (n - 1) * (rho N * T) == (2 * n - 3) * T) by (rewrite <- Er; ring). rewrite E.
    destruct H as [H|H]; [|lra].
    apply (mul_cancel (n + 1)); [lra|].
    assert (G1 : (n - 1) * ((n + 1) * c) <= (n - 1) * (2 * n * T)) by (apply mul_le; lra).
    assert (G2 : 0 <= (n - 3) * T) by (apply mul_nonneg; lra). lra.
Qed.

(* ---- a job that starts late ---- *)
Section Late.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variable machines : list O.
Hypotheses (machines_all : forall l, In l machines) (machines_nodup : NoDup machines).
Notation n := (ofnat (length machines)).

(* the jobs js can be placed so that every machine ends by T ... *)
Variables (js : list num) (other : strategy (O:=O)) (T : num).
Hypothesis js_nonneg : nonneg js.
Hypothesis other_ends : forall l, sum (placed dec l js other) <= T.
(* ... but p comes after pre, and others' work f and that of pre, g, keep every machine busy until s *)
Variables (pre post : list num) (p s : num) (f g : O -> num).
Hypothesis js_perm : Permutation js (pre ++ p :: post).
Hypothesis all_work : sum (map f machines) + sum js <= n * T.
Hypothesis g_total : sum (map g machines) == sum pre.
Hypothesis busy : forall l, s <= f l + g l.

Lemma late_nonneg : 0 <= p /\ 0 <= sum post.
Proof.
  destruct (proj1 (nonneg_app _ _) (nonneg_perm _ _ js_perm js_nonneg)) as [_ H].
  apply nonneg_cons in H. destruct H as [Hp H]. split; [exact Hp|exact (sum_nonneg _ H)].
Qed.
Lemma late_sum : sum js == sum pre + p + sum post.
Proof. generalize (sum_perm _ _ js_perm) (sum_app pre (p :: post)). simpl. lra. Qed.
Lemma bound_A : n * s + p <= n * T.
Proof.
  assert (G := sum_ge_const (fun l => f l + g l) s machines (fun l _ => busy l)).
  generalize (sum_map_plus f g machines) late_sum late_nonneg. simpl in *. lra.
Qed.
Lemma late_placed : exists l, In p (placed dec l js other).
Proof. apply in_placed, (Permutation_in p (Permutation_sym js_perm)), in_or_app. right. left. reflexivity. Qed.
Lemma late_le : p <= T.
Proof.
  destruct late_placed as (l & Hl). assert (G : nonneg (placed dec l js other)).
  { intros x Hx. exact (js_nonneg x (placed_in dec _ _ _ _ Hx)). }
  generalize (in_sum_le p _ G Hl) (other_ends l). lra.
Qed.
Lemma late_machine : 1 <= n.
Proof. destruct late_placed as (l & _). exact (length_some l machines (machines_all l)). Qed.

(* whatever the order *)
Lemma late_any_order : n * (s + p) <= (2 * n - 1) * T.
Proof. assert (N1 := late_machine). assert (M := mul_le (n - 1) _ _ ltac:(lra) late_le). generalize bound_A. lra. Qed.

(* longest first; the jobs before p are on the machines of the list used *)
Variable used : list O.
Hypothesis longest_first : forall x, In x pre -> p <= x.
Hypothesis f_nonneg : forall l, 0 <= f l.
Hypothesis s_nonneg : 0 <= s.
Hypothesis used_length : length used = length pre.
Hypothesis unused : forall l, ~ In l used -> g l == 0.
Hypothesis first : pre = [] -> s <= 0.
Notation q := (ofnat (length pre)).

Lemma bound_B : (n - q) * s + (q + 1) * p <= n * T.
Proof.
  assert (G := sum_ge_except dec f s used machines f_nonneg s_nonneg machines_nodup). rewrite used_length in G.
  assert (G2 : (n - q) * s <= sum (map f machines)).
  { apply G. intros l _ Hl. generalize (busy l) (unused l Hl). lra. }
  generalize (sum_all_ge p pre longest_first) late_sum late_nonneg. lra.
Qed.

(* jobs longer than T/2 are on different machines in the other placement *)
Lemma long_jobs : T < p + p -> q + 1 <= n.
Proof.
  intros HTp. assert (G : sum (map (fun l => big p (placed dec l js other)) machines) <= n * 1).
  { apply sum_le_const. intros l _. apply big_le1; [|specialize (other_ends l); lra].
    intros x Hx. exact (js_nonneg x (placed_in dec _ _ _ _ Hx)). }
  generalize (big_total dec machines machines_all machines_nodup p js other) (big_perm p _ _ js_perm)
    (big_app p pre (p :: post)) (big_cons p p post) (big_all p pre longest_first) (big_nonneg p post).
  destruct (lt_le p p); lra.
Qed.

Theorem late_sharp : (2 <= length machines)%nat -> s + p <= rho (length machines) * T.
Proof.
  intros H2. assert (HT : 0 <= T) by (generalize late_le late_nonneg; lra). apply rho_products; [exact H2|exact HT|].
  apply (price_products n 1 q s p (s + p) T); try assumption; try lra;
    [exact late_machine|exact late_le|exact bound_A|exact bound_B| |exact long_jobs].
  intros Hq. apply first. destruct pre as [|x r]; [reflexivity|exfalso]. simpl in Hq.
  generalize (ofnat_nonneg (length r)). lra.
Qed.
End Late.

(* ---- the theorem, for every cost function with the four properties of OwnerFirst.v ---- *)
Section Price.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variables (machines : list O) (jobs : O -> list num).
Hypotheses (machines_all : forall l, In l machines) (machines_nodup : NoDup machines).
Hypothesis jobs_nonneg : forall a, nonneg (jobs a).
Notation others := (others dec machines jobs).

Theorem upper_C C p0 q0 T k : owner_first dec machines jobs C ->
  (forall a d, C p0 a <= C (deviate dec p0 a d) a) -> (forall a, C q0 a <= T) -> (2 <= length machines)%nat ->
  C p0 k <= rho (length machines) * T.
Proof.
  intros HC Hp Hq HN.
  assert (HT : 0 <= T) by (generalize (Hq k) (C_nonneg _ _ _ _ HC q0 k); lra).
  destruct (sort_descending (jobs k)) as (js & Hperm & Hdesc).
  assert (Hn := nonneg_perm _ _ Hperm (jobs_nonneg k)).
  destruct (list_eq_nil js) as [E|Hjs].
  { apply (C_upper _ _ _ _ HC); [apply rho_nonneg; assumption|]. intros l Hl. exfalso. subst js.
    apply Permutation_sym, Permutation_nil in Hperm. rewrite Hperm in Hl. exact (Hl eq_refl). }
  destruct (lpt_exists dec machines machines_all k js (others p0 k)) as (st & Hst).
  destruct (lpt_last dec js _ st (others_nonneg dec machines jobs jobs_nonneg p0 k) Hn Hst Hjs)
    as (pre & p & post & s & E & Hs & H1 & H2). subst js.
  assert (A : C p0 k <= s + p).
  { destruct (placed_perm dec (jobs k) _ Hperm st) as (d & Hd).
    assert (G : C (deviate dec p0 k d) k <= s + p); [|generalize (Hp k d); lra].
    assert (Hp0 := Hn p (in_or_app _ _ _ (or_intror (in_eq p post)))).
    apply (C_reply _ _ _ C HC); [lra|]. intros l Hl.
    specialize (H2 l (perm_nonempty _ _ (Hd l) Hl)). generalize (sum_perm _ _ (Hd l)). unfold Game.ld in *. lra. }
  assert (B : s + p <= rho (length machines) * T); [|lra].
  apply (late_sharp dec machines machines_all machines_nodup (jobs k) (q0 k) T (jobs_nonneg k)) with (pre := pre)
    (post := post) (f := others p0 k) (g := fun l => ld dec l pre st) (used := map st (seq 0 (length pre))); auto.
  - intros l. generalize (load_le_total dec machines jobs machines_all jobs_nonneg q0 k l)
      (C_total _ _ _ _ HC q0 T l HT Hq). unfold Game.load, Game.ld. lra.
  - assert (W := sum_le_const (total dec machines jobs q0) T machines (fun l _ => C_total _ _ _ _ HC q0 T l HT Hq)).
    generalize (others_sum dec machines jobs machines_all machines_nodup jobs_nonneg p0 k)
      (total_sum dec machines jobs machines_all machines_nodup q0). unfold work. lra.
  - apply ld_total; assumption.
  - apply (descending_before pre p post Hdesc).
  - apply others_nonneg. exact jobs_nonneg.
  - rewrite map_length, seq_length. reflexivity.
  - intros l Hl. unfold ld. rewrite (placed_unused dec l pre st Hl). simpl. lra.
  - intros E. subst pre. generalize (H1 k). unfold ld, Loads.others. simpl. destruct (dec k k); [lra|congruence].
Qed.
End Price.
