(* Several machines per organization: no equilibrium is worse than beta times the optimum (R2 in the documentation,
   upper bound), beta = max {2M / (M+1), 2 - 1/(M-m)}, M machines in all, at least m of each organization, two
   organizations or more, priority to organizations. The optimum is that of all schedules of all jobs on the M machines:
   the jobs in M parts of work at most T ([schedule_within]).

   Let k pay c in an equilibrium. It could have the list schedule of its jobs, longest first, on all M machines from the
   loads that it sees. Let p be the job that ends last there, s its start, q the number of k's jobs before p, so that
   c <= s + p. When p is placed, every machine has load s or more. So ([facts])
     (A) M s + p <= M T;
     (B) (M - q) s + (q + 1) p <= M T, as at least M - q machines carry none of these q jobs;
     (C) s = 0 if q is less than k's number of machines, as one of k's machines is then idle;
     (D) p <= T, and if p > T/2 then q + 1 <= M, as so many jobs longer than T/2 are in different parts.
   If p <= T/2, (A) gives c <= 2M/(M+1) T. If p > T/2 and 2q + 1 > M, (A) and (B) together give the same. If
   2q + 1 <= M,
   (B) gives c <= (2 - 1/(M-q)) T, and q is at least k's number of machines by (C). *)
From Coq Require Import List Lia Permutation Sorted.
Require Import Numbers Game Loads IdenticalMachines SeveralMachines.
Import ListNotations.

(* ---------- loads when a job is placed ---------- *)
Lemma sum_at_least s L : (forall u, In u L -> s <= u) -> ofnat (length L) * s <= sum L.
Proof.
  induction L as [|t L IH]; intros H; simpl; [lra|].
  assert (s <= t) by (apply H; left; reflexivity).
  assert (ofnat (length L) * s <= sum L) by (apply IH; intros u Hu; apply H; right; exact Hu). lra.
Qed.

(* the loads, each counted up to s only: a job adds s at most *)
Fixpoint capped (s : num) (L : list num) : num :=
  match L with [] => 0 | t :: rest => (if lt_le t s then t else s) + capped s rest end.

Lemma capped_permutation s L L' : Permutation L L' -> capped s L == capped s L'.
Proof. induction 1; simpl in *; lra. Qed.

Lemma capped_schedule rule s L js times L' : 0 <= s -> nonneg L -> schedule rule L js times L' -> nonneg js ->
  nonneg L' /\ capped s L' <= capped s L + ofnat (length js) * s.
Proof.
  intros Hs HL H. induction H as [|L t R x js times L' P Ht H IH]; intros Hn; [split; [exact HL|simpl; lra]|].
  assert (T0 : 0 <= t) by (apply HL, (Permutation_in t (Permutation_sym P)); left; reflexivity).
  assert (X0 : 0 <= x) by (apply Hn; left; reflexivity).
  destruct IH as [N C].
  - intros u [e|Hu]; [subst u; lra|]. apply HL, (Permutation_in u (Permutation_sym P)). right. exact Hu.
  - intros y Hy. apply Hn. right. exact Hy.
  - split; [exact N|]. generalize (capped_permutation s _ _ P). simpl in *.
    destruct (lt_le t s), (lt_le (t + x) s); lra.
Qed.

Lemma capped_le s L : capped s L <= sum L.
Proof. induction L as [|t L IH]; simpl; [lra|]. destruct (lt_le t s); lra. Qed.

Lemma capped_full s L : (forall u, In u L -> s <= u) -> capped s L == ofnat (length L) * s.
Proof.
  induction L as [|t L IH]; intros H; simpl; [lra|].
  assert (s <= t) by (apply H; left; reflexivity).
  assert (E : capped s L == ofnat (length L) * s) by (apply IH; intros u Hu; apply H; right; exact Hu).
  destruct (lt_le t s); lra.
Qed.

(* ---------- jobs longer than T/2 ---------- *)
Fixpoint long (T : num) (js : list num) : nat :=
  match js with [] => 0 | x :: js' => (if lt_le T (x + x) then 1 else 0) + long T js' end.

Lemma long_permutation T js js' : Permutation js js' -> long T js = long T js'.
Proof. induction 1; simpl; lia. Qed.

Lemma long_app T js js' : long T (js ++ js') = (long T js + long T js')%nat.
Proof. induction js as [|x js IH]; simpl; [reflexivity|]. rewrite IH. lia. Qed.

Lemma long_all T js : (forall x, In x js -> T < x + x) -> long T js = length js.
Proof.
  induction js as [|x js IH]; intros H; simpl; [reflexivity|]. assert (T < x + x) by (apply H; left; reflexivity).
  destruct (lt_le T (x + x)); [|exfalso; lra]. rewrite IH; [reflexivity|]. intros y Hy. apply H. right. exact Hy.
Qed.

Lemma long_none T js : nonneg js -> sum js + sum js <= T -> long T js = 0%nat.
Proof.
  induction js as [|x js IH]; intros Hn H; simpl in *; [reflexivity|].
  assert (0 <= x) by (apply Hn; left; reflexivity).
  assert (N : nonneg js) by (intros y Hy; apply Hn; right; exact Hy).
  assert (0 <= sum js) by (apply sum_nonneg; exact N).
  destruct (lt_le T (x + x)); [exfalso; lra|]. apply IH; [exact N|lra].
Qed.

Lemma long_part T js : nonneg js -> sum js <= T -> (long T js <= 1)%nat.
Proof.
  induction js as [|x js IH]; intros Hn H; simpl in *; [lia|].
  assert (0 <= x) by (apply Hn; left; reflexivity).
  assert (N : nonneg js) by (intros y Hy; apply Hn; right; exact Hy).
  destruct (lt_le T (x + x)).
  - rewrite long_none; [lia|exact N|lra].
  - apply IH; [exact N|lra].
Qed.

(* ---------- the parts of a schedule ---------- *)
(* the jobs can be run on n machines by time T *)
Definition schedule_within (T : num) (n : nat) (js : list num) : Prop :=
  exists parts, length parts = n /\ Permutation (concat parts) js /\ forall part, In part parts -> sum part <= T.

Lemma parts_facts T parts : nonneg (concat parts) -> (forall part, In part parts -> sum part <= T) ->
  (long T (concat parts) <= length parts)%nat /\ sum (concat parts) <= ofnat (length parts) * T /\
  forall x, In x (concat parts) -> x <= T.
Proof.
  induction parts as [|part parts IH]; intros Hn H; simpl; [repeat split; [lia|lra|tauto]|].
  assert (N : nonneg part) by (intros x Hx; apply Hn; simpl; apply in_or_app; left; exact Hx).
  assert (S : sum part <= T) by (apply H; left; reflexivity).
  destruct IH as (H1 & H2 & H3).
  { intros x Hx. apply Hn. simpl. apply in_or_app. right. exact Hx. }
  { intros q Hq. apply H. right. exact Hq. }
  split; [|split].
  - rewrite long_app. generalize (long_part T part N S). lia.
  - generalize (sum_app part (concat parts)). lra.
  - intros x Hx. apply in_app_or in Hx. destruct Hx as [Hx|Hx]; [|exact (H3 x Hx)].
    assert (G : x <= sum part); [|lra]. clear - N Hx. induction part as [|y part IH]; simpl in *; [tauto|].
    assert (0 <= y) by (apply N; left; reflexivity).
    assert (N' : nonneg part) by (intros z Hz; apply N; right; exact Hz).
    destruct Hx as [e|Hx]; [subst; generalize (sum_nonneg part N'); lra|specialize (IH N' Hx); lra].
Qed.

(* ---------- arithmetic ---------- *)
Lemma bound_arithmetic (M m q s p c T : num) : 1 <= m -> m <= M -> 0 <= T -> 0 <= s -> 0 <= p -> c <= s + p -> p <= T ->
  M * s + p <= M * T -> M * s + (q + 1) * p <= M * T + q * s -> (q < m -> s <= 0) -> q < m \/ m <= q ->
  (T < p + p -> q + 1 <= M) ->
  (M + 1) * c <= 2 * M * T \/ (M - m) * c <= (2 * (M - m) - 1) * T.
Proof.
  intros Hm HM HT Hs Hp Hc HpT HA HB HC Hq HD.
  destruct (lt_le T (p + p)) as [Hbig|Hsmall].
  - specialize (HD Hbig). destruct Hq as [Hq|Hq].
    + left. specialize (HC Hq).
      assert (G1 : (M + 1) * c <= (M + 1) * T) by (apply mul_le; lra).
      assert (G2 : 0 <= (M - 1) * T) by (apply mul_nonneg; lra). lra.
    + destruct (lt_le M (q + q + 1)) as [Hcase|Hcase].
      * left. apply (mul_cancel q); [lra|].
        assert (G1 : (q + q + 1 - M) * (M * s + p) <= (q + q + 1 - M) * (M * T)) by (apply mul_le; lra).
        assert (G2 : (M - 1) * (M * s + (q + 1) * p - q * s) <= (M - 1) * (M * T)) by (apply mul_le; lra).
        assert (G3 : q * ((M + 1) * c) <= q * ((M + 1) * (s + p))) by (apply mul_le; [lra|apply mul_le; lra]).
        lra.
      * right. assert (G : (M - q) * c <= (2 * (M - q) - 1) * T).
        { assert (G1 : (M - q) * c <= (M - q) * (s + p)) by (apply mul_le; lra).
          assert (G2 : (M - q - q - 1) * p <= (M - q - q - 1) * T) by (apply mul_le; lra). lra. }
        apply (mul_cancel (M - q)); [lra|].
        assert (G1 : (M - m) * ((M - q) * c) <= (M - m) * ((2 * (M - q) - 1) * T)) by (apply mul_le; lra).
        assert (G2 : 0 <= (q - m) * T) by (apply mul_nonneg; lra). lra.
  - left. apply (mul_cancel (2 * M)); [lra|].
    assert (G1 : M * c <= M * (s + p)) by (apply mul_le; lra).
    assert (G2 : (M - 1) * (p + p) <= (M - 1) * T) by (apply mul_le; lra).
    assert (G3 : (M + 1) * (2 * (M * c)) <= (M + 1) * ((3 * M - 1) * T)) by (apply mul_le; lra).
    assert (G4 : 0 <= ((M - 1) * (M - 1)) * T) by (apply mul_nonneg; [apply mul_nonneg; lra|exact HT]). lra.
Qed.

Section Price.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variable hosts : list O.
Variable machines : O -> nat.
Variable jobs : O -> list num.
Variable prio : O -> list O.
Hypothesis hosts_all : forall l, In l hosts.
Hypothesis hosts_nodup : NoDup hosts.
Hypothesis machines_some : forall l, (1 <= machines l)%nat.
Hypothesis prio_nodup : forall l, NoDup (prio l).
Hypothesis prio_all : forall l a, In a (prio l).
Hypothesis jobs_nonneg : forall a, nonneg (jobs a).
Hypothesis jobs_descending : forall a, descending (jobs a).

Notation placed := (placed dec).
Notation cost := (cost dec hosts machines jobs prio).
Notation ready := (ready dec machines jobs prio).

(* machines and jobs of all *)
Definition all_machines : nat := list_sum (map machines hosts).
Definition all_jobs : list num := flat_map jobs hosts.

Lemma sum_flat_map {A : Type} (f : A -> list num) L : sum (flat_map f L) == sum (map (fun b => sum (f b)) L).
Proof. induction L as [|b L IH]; simpl; [lra|]. generalize (sum_app (f b) (flat_map f L)). lra. Qed.

Lemma sum_idle n : sum (idle n) == 0.
Proof. unfold idle. induction n as [|n IH]; simpl; lra. Qed.

Lemma ready_count p k : length (flat_map (ready p k) hosts) = all_machines.
Proof.
  unfold all_machines. assert (H : forall L, length (flat_map (ready p k) L) = list_sum (map machines L)); [|apply H].
  induction L as [|l L IH]; simpl; [reflexivity|]. rewrite app_length, IH.
  unfold SeveralMachines.ready. rewrite run_length. unfold idle. rewrite repeat_length. reflexivity.
Qed.

(* the work that k sees and its own are part of all work *)
Lemma seen_work p k : sum (flat_map (ready p k) hosts) + work jobs k <= sum all_jobs.
Proof.
  set (f := fun b l => ld dec l (jobs b) (p b)).
  assert (F : forall b l, 0 <= f b l) by (intros b l; apply ld_nonneg; exact jobs_nonneg).
  set (others := remove dec k hosts).
  assert (A : sum (flat_map (ready p k) hosts) <= sum (map (fun l => sum (map (fun b => f b l) others)) hosts)).
  { rewrite sum_flat_map. apply sum_map_le. intros l _. unfold SeveralMachines.ready.
    assert (E1 := sum_run (ahead dec jobs prio p k l) (idle (machines l)) (idle_not_nil machines machines_some l)).
    assert (E2 := sum_idle (machines l)). unfold ahead in *.
    assert (E3 := sum_flat_map (fun b => placed l (jobs b) (p b)) (before dec k (order dec prio l))).
    assert (I : sum (map (fun b => f b l) (before dec k (order dec prio l))) <= sum (map (fun b => f b l) others)).
    { apply sum_incl; [intros b; apply F|apply before_nodup, order_nodup; exact prio_nodup|].
      intros b Hb. apply before_in in Hb. unfold others. apply in_remove_iff. split; [apply hosts_all|tauto]. }
    unfold f, ld in *. lra. }
  assert (B := sum_swap f others hosts).
  assert (C : sum (map (fun b => sum (map (fun l => f b l) hosts)) others) == sum (map (work jobs) others)).
  { apply sum_map_eq. intros b. unfold f. apply ld_total; assumption. }
  assert (D : Permutation (k :: others) hosts).
  { apply NoDup_Permutation; [
      constructor; [unfold others; rewrite in_remove_iff; tauto|apply remove_nodup; exact hosts_nodup]
      |exact hosts_nodup|].
    intros b. split; [intros _; apply hosts_all|intros _].
    destruct (dec k b) as [e|n]; [left; exact e|right; apply in_remove_iff; split; [apply hosts_all|congruence]]. }
  assert (E := sum_perm _ _ (Permutation_map (work jobs) D)). simpl in E.
  assert (G : sum all_jobs == sum (map (work jobs) hosts)) by apply sum_flat_map.
  lra.
Qed.

Lemma long_in_all T k : (long T (jobs k) <= long T all_jobs)%nat.
Proof.
  unfold all_jobs. destruct (in_split k hosts (hosts_all k)) as (L & M & E). rewrite E, flat_map_app. simpl.
  rewrite !long_app. lia.
Qed.

Lemma fewer_than_all k : (machines k <= all_machines)%nat.
Proof.
  unfold all_machines. destruct (in_split k hosts (hosts_all k)) as (L & M & E). rewrite E, map_app.
  assert (A : forall u v, list_sum (u ++ v) = (list_sum u + list_sum v)%nat) by apply list_sum_app.
  rewrite A. simpl. lia.
Qed.

Lemma all_jobs_nonneg : nonneg all_jobs.
Proof. intros x Hx. apply in_flat_map in Hx. destruct Hx as (a & _ & Hx). exact (jobs_nonneg a x Hx). Qed.

(* (A) to (D): what is known of the job p of k that would end last *)
Lemma facts e k T : equilibrium dec hosts machines jobs prio e -> schedule_within T all_machines all_jobs ->
  jobs k <> [] ->
  exists s p (q : nat), let M := ofnat all_machines in
    0 <= s /\ 0 <= p /\ cost e k <= s + p /\ p <= T /\
    M * s + p <= M * T /\ M * s + (ofnat q + 1) * p <= M * T + ofnat q * s /\
    ((q < machines k)%nat -> s <= 0) /\ (T < p + p -> (q + 1 <= all_machines)%nat).
Proof.
  intros He (parts & Hlen & Hperm & Hparts) Hne.
  assert (Np : nonneg (concat parts)).
  { intros x Hx. apply all_jobs_nonneg, (Permutation_in x Hperm Hx). }
  destruct (parts_facts T parts Np Hparts) as (P1 & P2 & P3). rewrite Hlen in P1, P2.
  rewrite (long_permutation T _ _ Hperm) in P1.
  assert (HW : sum all_jobs <= ofnat all_machines * T) by (generalize (sum_perm _ _ Hperm); lra).
  set (R := ready e k) in *.
  destruct (list_reply_exists dec hosts hosts_all k (jobs k) R) as (d & Hd).
  destruct (list_reply_is_schedule dec hosts hosts_all hosts_nodup (jobs k) R d) as (ts & F & H & P);
    [intros l; apply ready_not_nil; exact machines_some|apply ready_ascending|exact Hd|].
  destruct (list_schedule_last _ _ _ _ H Hne) as (pre & p & post & ts1 & L1 & s & E & H1 & H2 & H3 & H4).
  assert (Nk := jobs_nonneg k). rewrite E in Nk.
  assert (Npre : nonneg pre) by (intros x Hx; apply Nk, in_or_app; left; exact Hx).
  assert (Npost : nonneg post) by (intros x Hx; apply Nk, in_or_app; right; right; exact Hx).
  assert (Hp : 0 <= p) by (apply Nk, in_or_app; right; left; reflexivity).
  assert (N0 : nonneg (flat_map R hosts)) by (apply loads_nonneg; exact jobs_nonneg).
  assert (Hs : 0 <= s) by (apply (proj1 (capped_schedule _ 0 _ _ _ _ ltac:(lra) N0 H1 Npre)); exact H2).
  destruct (capped_schedule _ s _ _ _ _ Hs N0 H1 Npre) as [_ C1].
  assert (Elen : length L1 = all_machines) by (rewrite (schedule_length _ _ _ _ _ H1); apply ready_count).
  assert (C2 := capped_full s L1 H3). assert (C3 := capped_le s (flat_map R hosts)).
  assert (C4 := sum_at_least s L1 H3). rewrite Elen in C2, C4.
  assert (S1 := sum_schedule _ _ _ _ _ H1). assert (S2 := seen_work e k). fold R in S2.
  assert (S3 : work jobs k == sum pre + p + sum post).
  { unfold work. rewrite E. generalize (sum_app pre (p :: post)). simpl. lra. }
  assert (S4 := sum_nonneg post Npost).
  assert (Longer : forall x, In x pre -> p <= x).
  { apply (descending_before pre p post). rewrite <- E. apply jobs_descending. }
  assert (S5 := sum_at_least p pre Longer).
  exists s, p, (length pre). cbv zeta. repeat split; [exact Hs|exact Hp| | |lra|lra| |].
  - assert (G : cost (deviate dec e k d) k <= s + p); [|generalize (He k d); lra].
    apply largest_le; [lra|]. rewrite times_deviate by assumption. intros t Ht. apply H4.
    exact (Permutation_in t (Permutation_sym P) Ht).
  - apply P3, (Permutation_in p (Permutation_sym Hperm)). apply in_flat_map. exists k. split; [apply hosts_all|].
    rewrite E. apply in_or_app. right. left. reflexivity.
  - intros Hq. assert (F1 := free_schedule _ 0 _ _ _ _ H1).
    assert (F2 := own_machines_free dec hosts machines jobs prio hosts_all e k). fold R in F2.
    destruct (free_some 0 L1) as (u & Hu & Hu0); [lia|]. generalize (H3 u Hu). lra.
  - intros Hbig. assert (L2 := long_in_all T k). rewrite E, long_app in L2.
    rewrite (long_all T pre) in L2 by (intros x Hx; specialize (Longer x Hx); lra).
    simpl in L2. destruct (lt_le T (p + p)); [lia|exfalso; lra].
Qed.

(* the bound without quotients *)
Lemma price_of_anarchy_products e k T : equilibrium dec hosts machines jobs prio e ->
  schedule_within T all_machines all_jobs ->
  let M := ofnat all_machines in let m := ofnat (machines k) in
  (M + 1) * cost e k <= 2 * M * T \/ (M - m) * cost e k <= (2 * (M - m) - 1) * T.
Proof.
  intros He HT M m.
  assert (Hm : 1 <= m) by (unfold m; generalize (ofnat_le _ _ (machines_some k)); simpl; lra).
  assert (HM : m <= M) by (apply ofnat_le, fewer_than_all).
  destruct (jobs k) as [|x js] eqn:Ek.
  - left. assert (C : cost e k <= 0).
    { generalize (He k (home k)) (home_cost_constant dec hosts machines jobs prio hosts_all prio_nodup prio_all e k).
      unfold home_cost. rewrite Ek. simpl. lra. }
    assert (T0 : 0 <= M * T).
    { destruct HT as (parts & Hlen & Hperm & Hparts).
      assert (Np : nonneg (concat parts)) by (intros y Hy; apply all_jobs_nonneg, (Permutation_in y Hperm Hy)).
      destruct (parts_facts T parts Np Hparts) as (_ & P2 & _). rewrite Hlen in P2. fold M in P2.
      generalize (sum_nonneg _ Np). lra. }
    assert (G : (M + 1) * cost e k <= (M + 1) * 0) by (apply mul_le; lra). lra.
  - assert (Hne : jobs k <> []) by congruence.
    destruct (facts e k T He HT Hne) as (s & p & q & F). cbv zeta in F. fold M in F.
    destruct F as (F1 & F2 & F3 & F4 & FA & FB & FC & FD).
    apply (bound_arithmetic M m (ofnat q) s p); try assumption; [lra| | |].
    + intros Hq. apply FC. destruct (Nat.lt_ge_cases q (machines k)) as [G|G]; [exact G|].
      apply ofnat_le in G. fold m in G. exfalso. lra.
    + destruct (Nat.lt_ge_cases q (machines k)) as [G|G].
      * left. generalize (ofnat_le _ _ G). simpl. unfold m. lra.
      * right. exact (ofnat_le _ _ G).
    + intros Hbig. generalize (ofnat_le _ _ (FD Hbig)) (ofnat_plus q 1). simpl. fold M. lra.
Qed.

Lemma two_hosts k l : l <> k -> (machines k + machines l <= all_machines)%nat.
Proof.
  intros n. unfold all_machines. destruct (in_split k hosts (hosts_all k)) as (L & M & E).
  assert (Hl : In l (L ++ M)).
  { assert (H := hosts_all l). rewrite E in H. apply in_app_or in H. apply in_or_app.
    destruct H as [H|[H|H]]; [left; exact H|congruence|right; exact H]. }
  assert (A : forall K, In l K -> (machines l <= list_sum (map machines K))%nat).
  { induction K as [|b K IH]; simpl; [tauto|]. intros [e|H]; [subst; lia|specialize (IH H); lia]. }
  specialize (A _ Hl). rewrite E, map_app, list_sum_app. rewrite map_app, list_sum_app in A. simpl. lia.
Qed.

Lemma time_nonneg T : hosts <> [] -> schedule_within T all_machines all_jobs -> 0 <= T.
Proof.
  intros Hne (parts & Hlen & Hperm & Hparts).
  assert (Np : nonneg (concat parts)) by (intros y Hy; apply all_jobs_nonneg, (Permutation_in y Hperm Hy)).
  destruct (parts_facts T parts Np Hparts) as (_ & P2 & _). rewrite Hlen in P2.
  assert (P3 := sum_nonneg _ Np). apply (mul_nonneg_cancel (ofnat all_machines)); [|lra].
  destruct hosts as [|k L] eqn:E; [congruence|]. rewrite <- E in *.
  generalize (ofnat_le _ _ (machines_some k)) (ofnat_le _ _ (fewer_than_all k)). simpl. lra.
Qed.

(* every organization has at least m machines, and there are at least two organizations *)
Theorem price_of_anarchy e k T (m : nat) : equilibrium dec hosts machines jobs prio e ->
  schedule_within T all_machines all_jobs -> (1 <= m)%nat -> (forall l, (m <= machines l)%nat) -> (exists l, l <> k) ->
  let M := ofnat all_machines in
  cost e k <= T * nmax (2 * M / (M + 1)) (2 - 1 / (M - ofnat m)).
Proof.
  intros He HT Hm Hall (l & Hl) M.
  assert (T0 : 0 <= T).
  { apply time_nonneg; [|exact HT]. intros E. generalize (hosts_all k). rewrite E. intros []. }
  assert (M1 : 1 <= ofnat m) by (generalize (ofnat_le _ _ Hm); simpl; lra).
  assert (M2 := ofnat_le _ _ (Hall k)).
  assert (M3 : ofnat (machines k) + 1 <= M).
  { generalize (ofnat_le _ _ (two_hosts k l Hl)) (ofnat_plus (machines k) (machines l)).
    generalize (ofnat_le _ _ (machines_some l)). simpl. fold M. lra. }
  set (a := 2 * M / (M + 1)). set (b := 2 - 1 / (M - ofnat m)).
  assert (Ea : (M + 1) * a == 2 * M) by (unfold a; field; lra).
  assert (Eb : (M - ofnat m) * b == 2 * (M - ofnat m) - 1) by (unfold b; field; lra).
  assert (Hmax : a <= nmax a b /\ b <= nmax a b) by (apply nmax_le; lra). destruct Hmax as [Ha Hb].
  assert (Ga : T * a <= T * nmax a b) by (apply mul_le; assumption).
  assert (Gb : T * b <= T * nmax a b) by (apply mul_le; assumption).
  destruct (price_of_anarchy_products e k T He HT) as [H|H]; fold M in H.
  - assert (cost e k <= T * a); [|lra]. apply (mul_cancel (M + 1)); [lra|].
    assert (E : (M + 1) * (T * a) == T * ((M + 1) * a)) by ring.
    assert (E2 : T * ((M + 1) * a) == T * (2 * M)) by (rewrite Ea; reflexivity). lra.
  - assert (cost e k <= T * b); [|lra]. apply (mul_cancel (M - ofnat m)); [lra|].
    assert (E : (M - ofnat m) * (T * b) == T * ((M - ofnat m) * b)) by ring.
    assert (E2 : T * ((M - ofnat m) * b) == T * (2 * (M - ofnat m) - 1)) by (rewrite Eb; reflexivity).
    apply (mul_cancel (M - ofnat (machines k))); [lra|].
    assert (G1 := mul_le (M - ofnat m) _ _ ltac:(lra) H).
    assert (G2 : 0 <= (ofnat (machines k) - ofnat m) * T) by (apply mul_nonneg; lra).
    assert (G3 : (M - ofnat (machines k)) * ((M - ofnat m) * (T * b))
      == (M - ofnat (machines k)) * (T * (2 * (M - ofnat m) - 1))) by (rewrite E, E2; reflexivity). lra.
Qed.

End Price.
