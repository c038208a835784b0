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
   The rest is the arithmetic of the sharp price ([price_products] in SharpPrice.v): if p <= T/2, (A) gives
   c <= 2M/(M+1) T; if p > T/2 and 2q + 1 > M, so do (A) and (B) together; if 2q + 1 <= M, (B) gives
   c <= (2 - 1/(M-q)) T, and q is at least k's number of machines by (C). *)
From Coq Require Import List Lia Permutation Sorted.
Require Import Numbers Game Loads SharpPrice IdenticalMachines SeveralMachines.
Import ListNotations.

(* ---------- loads when a job is placed ---------- *)
(* the loads, each counted up to s only: a job adds s at most *)
Definition capped (s : num) (L : list num) : num := sum (map (fun t => if lt_le t s then t else s) L).

Lemma capped_schedule rule s L js times L' : 0 <= s -> nonneg L -> schedule rule L js times L' -> nonneg js ->
  nonneg L' /\ capped s L' <= capped s L + ofnat (length js) * s.
Proof.
  intros Hs HL H. induction H as [|L t R x js times L' P Ht H IH]; intros Hn; [split; [exact HL|simpl; lra]|].
  destruct (nonneg_cons _ _ (nonneg_perm _ _ P HL)) as [T0 NR]. destruct (nonneg_cons _ _ Hn) as [X0 Nj].
  destruct IH as [N C]; [intros u [e|Hu]; [subst u; lra|exact (NR u Hu)]|exact Nj|].
  split; [exact N|]. assert (E := sum_perm _ _ (Permutation_map (fun t => if lt_le t s then t else s) P)).
  unfold capped in *. simpl in *. destruct (lt_le t s), (lt_le (t + x) s); lra.
Qed.
Lemma capped_le s L : capped s L <= sum L.
Proof. unfold capped. induction L as [|t L IH]; simpl; [lra|]. destruct (lt_le t s); lra. Qed.
Lemma capped_full s L : (forall u, In u L -> s <= u) -> ofnat (length L) * s <= capped s L.
Proof. intros H. apply sum_ge_const. intros u Hu. specialize (H u Hu). destruct (lt_le u s); lra. Qed.

(* ---------- the parts of a schedule ---------- *)
(* the jobs can be run on n machines by time T *)
Definition schedule_within (T : num) (n : nat) (js : list num) : Prop :=
  exists parts, length parts = n /\ Permutation (concat parts) js /\ forall part, In part parts -> sum part <= T.

Lemma parts_facts T parts : nonneg (concat parts) -> (forall part, In part parts -> sum part <= T) ->
  (forall p, T < p + p -> big p (concat parts) <= ofnat (length parts)) /\
  sum (concat parts) <= ofnat (length parts) * T /\ forall x, In x (concat parts) -> x <= T.
Proof.
  induction parts as [|part parts IH]; intros Hn H; simpl.
  - split; [intros p _; unfold big; simpl; lra|]. split; [lra|intros x []].
  - destruct (proj1 (nonneg_app _ _) Hn) as [N N']. assert (S := H part (or_introl eq_refl)).
    destruct (IH N' (fun q Hq => H q (or_intror Hq))) as (H1 & H2 & H3). split; [|split].
    + intros p Hp. assert (B := proj2 (big_le1 p part N) ltac:(lra)). specialize (H1 p Hp).
      generalize (big_app p part (concat parts)). lra.
    + generalize (sum_app part (concat parts)). lra.
    + intros x Hx. apply in_app_or in Hx. destruct Hx as [Hx|Hx]; [|exact (H3 x Hx)].
      generalize (in_sum_le x part N Hx). lra.
Qed.

Section Price.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variables (hosts : list O) (machines : O -> nat) (jobs : O -> list num) (prio : O -> list O).
Hypotheses (hosts_all : forall l, In l hosts) (hosts_nodup : NoDup hosts).
Hypothesis machines_some : forall l, (1 <= machines l)%nat.
Hypotheses (prio_nodup : forall l, NoDup (prio l)) (prio_all : forall l a, In a (prio l)).
Hypotheses (jobs_nonneg : forall a, nonneg (jobs a)) (jobs_descending : forall a, descending (jobs a)).

Notation cost := (cost dec hosts machines jobs prio).
Notation ready := (ready dec machines jobs prio).

(* machines and jobs of all *)
Definition all_machines : nat := list_sum (map machines hosts).
Definition all_jobs : list num := flat_map jobs hosts.

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
    assert (E3 := sum_flat_map (fun b => placed dec l (jobs b) (p b)) (before dec k (order dec prio l))).
    assert (I : sum (map (fun b => f b l) (before dec k (order dec prio l))) <= sum (map (fun b => f b l) others)).
    { apply sum_incl; [intros b; apply F|apply before_nodup, order_nodup; exact prio_nodup|].
      intros b Hb. apply before_in in Hb. unfold others. apply in_remove_iff. split; [apply hosts_all|tauto]. }
    unfold f, ld in *. lra. }
  assert (B := sum_swap f others hosts).
  assert (C : sum (map (fun b => sum (map (fun l => f b l) hosts)) others) == sum (map (work jobs) others)).
  { apply sum_map_eq. intros b. unfold f. apply ld_total; assumption. }
  assert (D := Permutation_sym (remove_perm dec k hosts hosts_nodup (hosts_all k))). fold others in D.
  assert (E := sum_perm _ _ (Permutation_map (work jobs) D)). simpl in E.
  assert (G : sum all_jobs == sum (map (work jobs) hosts)) by apply sum_flat_map.
  lra.
Qed.
Lemma big_in_all p k : big p (jobs k) <= big p all_jobs.
Proof.
  unfold all_jobs. destruct (in_split k hosts (hosts_all k)) as (L & M & E). rewrite E, flat_map_app. simpl.
  generalize (big_app p (flat_map jobs L) (jobs k ++ flat_map jobs M)) (big_app p (jobs k) (flat_map jobs M))
    (big_nonneg p (flat_map jobs L)) (big_nonneg p (flat_map jobs M)). lra.
Qed.
Lemma fewer_than_all k : (machines k <= all_machines)%nat.
Proof. apply list_sum_in, hosts_all. Qed.
Lemma all_jobs_nonneg : nonneg all_jobs.
Proof. apply nonneg_flat_map, jobs_nonneg. Qed.

(* (A) to (D): what is known of the job p of k that would end last *)
Lemma facts e k T : equilibrium dec hosts machines jobs prio e -> schedule_within T all_machines all_jobs ->
  jobs k <> [] ->
  exists s p (q : nat), let M := ofnat all_machines in let Q := ofnat q in
    0 <= s /\ 0 <= p /\ cost e k <= s + p /\ p <= T /\
    M * s + p <= M * T /\ (M - Q) * s + (Q + 1) * p <= M * T /\
    ((q < machines k)%nat -> s <= 0) /\ (T < p + p -> Q + 1 <= M).
Proof.
  intros He (parts & Hlen & Hperm & Hparts) Hne.
  destruct (parts_facts T parts (nonneg_perm _ _ (Permutation_sym Hperm) all_jobs_nonneg) Hparts) as (P1 & P2 & P3).
  rewrite Hlen in P1, P2. assert (HW := sum_perm _ _ Hperm). set (R := ready e k) in *.
  destruct (list_reply_exists dec hosts hosts_all k (jobs k) R) as (d & Hd).
  destruct (list_reply_is_schedule dec hosts hosts_all hosts_nodup (jobs k) R d) as (ts & F & H & P);
    [intros l; apply ready_not_nil; exact machines_some|apply ready_ascending|exact Hd|].
  destruct (list_schedule_last _ _ _ _ H Hne) as (pre & p & post & ts1 & L1 & s & E & H1 & H2 & H3 & H4).
  assert (Nk := jobs_nonneg k). rewrite E in Nk. destruct (proj1 (nonneg_app _ _) Nk) as [Npre Npost].
  destruct (nonneg_cons _ _ Npost) as [Hp Npost'].
  assert (N0 : nonneg (flat_map R hosts)) by (apply loads_nonneg; exact jobs_nonneg).
  assert (Hs : 0 <= s) by (apply (proj1 (capped_schedule _ 0 _ _ _ _ ltac:(lra) N0 H1 Npre)); exact H2).
  destruct (capped_schedule _ s _ _ _ _ Hs N0 H1 Npre) as [_ C1].
  assert (Elen : length L1 = all_machines) by (rewrite (schedule_length _ _ _ _ _ H1); apply ready_count).
  assert (C2 := capped_full s L1 H3). assert (C3 := capped_le s (flat_map R hosts)).
  assert (C4 := sum_all_ge s L1 H3). rewrite Elen in C2, C4.
  assert (S1 := sum_schedule _ _ _ _ _ H1). assert (S2 := seen_work e k). fold R in S2.
  assert (S3 : work jobs k == sum pre + p + sum post).
  { unfold work. rewrite E. generalize (sum_app pre (p :: post)). simpl. lra. }
  assert (S4 := sum_nonneg post Npost').
  assert (Longer : forall x, In x pre -> p <= x).
  { apply (descending_before pre p post). rewrite <- E. apply jobs_descending. }
  assert (S5 := sum_all_ge p pre Longer).
  exists s, p, (length pre). cbv zeta. repeat split; [exact Hs|exact Hp| | |lra|lra| |].
  - assert (G : cost (deviate dec e k d) k <= s + p); [|generalize (He k d); lra].
    apply largest_le; [lra|]. rewrite times_deviate by assumption. intros t Ht. apply H4.
    exact (Permutation_in t (Permutation_sym P) Ht).
  - apply P3, (Permutation_in p (Permutation_sym Hperm)). apply in_flat_map. exists k. split; [apply hosts_all|].
    rewrite E. apply in_or_app. right. left. reflexivity.
  - intros Hq. assert (F1 := free_schedule _ 0 _ _ _ _ H1).
    assert (F2 := own_machines_free dec hosts machines jobs prio hosts_all e k). fold R in F2.
    destruct (free_some 0 L1) as (u & Hu & Hu0); [lia|]. generalize (H3 u Hu). lra.
  - intros Hbig. specialize (P1 p Hbig). assert (B := big_in_all p k). rewrite E in B.
    generalize (big_perm p _ _ Hperm) (big_app p pre (p :: post)) (big_cons p p post) (big_all p pre Longer)
      (big_nonneg p post). destruct (lt_le p p); lra.
Qed.
Lemma time_nonneg T : 0 < ofnat all_machines -> schedule_within T all_machines all_jobs -> 0 <= T.
Proof.
  intros HM (parts & Hlen & Hperm & Hparts). assert (Np := nonneg_perm _ _ (Permutation_sym Hperm) all_jobs_nonneg).
  destruct (parts_facts T parts Np Hparts) as (_ & P2 & _). rewrite Hlen in P2.
  apply (mul_nonneg_cancel (ofnat all_machines)); [exact HM|]. generalize (sum_nonneg _ Np). lra.
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
  assert (T0 : 0 <= T) by (apply time_nonneg; [fold M; lra|exact HT]).
  destruct (list_eq_nil (jobs k)) as [Ek|Hne].
  - left. assert (C := cost_le_home_cost dec hosts machines jobs prio hosts_all prio_nodup prio_all e k He).
    unfold home_cost in C. rewrite Ek in C. simpl in C.
    assert (G : (M + 1) * cost e k <= (M + 1) * 0) by (apply mul_le; lra).
    assert (G2 : 0 <= M * T) by (apply mul_nonneg; lra). lra.
  - destruct (facts e k T He HT Hne) as (s & p & q & F). cbv zeta in F. fold M in F.
    destruct F as (F1 & F2 & F3 & F4 & FA & FB & FC & FD).
    assert (Hq : (q < machines k)%nat /\ ofnat q < m \/ m <= ofnat q).
    { destruct (Nat.lt_ge_cases q (machines k)) as [G|G]; [left; split; [exact G|]|right; exact (ofnat_le _ _ G)].
      generalize (ofnat_le _ _ G). simpl. unfold m. lra. }
    apply (price_products M m (ofnat q) s p); try assumption; [|destruct Hq; tauto].
    destruct Hq as [[Hq _]|Hq]; [intros _; exact (FC Hq)|lra].
Qed.
Lemma two_hosts k l : l <> k -> (machines k + machines l <= all_machines)%nat.
Proof.
  intros n. unfold all_machines. destruct (in_split k hosts (hosts_all k)) as (L & M & E).
  assert (Hl : In l (L ++ M)).
  { assert (H := hosts_all l). rewrite E in H. apply in_app_or in H. apply in_or_app.
    destruct H as [H|[H|H]]; [left; exact H|congruence|right; exact H]. }
  apply (list_sum_in machines) in Hl. rewrite E, map_app, list_sum_app in *. simpl. lia.
Qed.

(* every organization has at least m machines, and there are at least two organizations *)
Theorem price_of_anarchy e k T (m : nat) : equilibrium dec hosts machines jobs prio e ->
  schedule_within T all_machines all_jobs -> (1 <= m)%nat -> (forall l, (m <= machines l)%nat) -> (exists l, l <> k) ->
  let M := ofnat all_machines in
  cost e k <= T * nmax (2 * M / (M + 1)) (2 - 1 / (M - ofnat m)).
Proof.
  intros He HT Hm Hall (l & Hl) M.
  assert (M1 : 1 <= ofnat m) by (generalize (ofnat_le _ _ Hm); simpl; lra).
  assert (M2 := ofnat_le _ _ (Hall k)).
  assert (M3 : ofnat (machines k) + 1 <= M).
  { generalize (ofnat_le _ _ (two_hosts k l Hl)) (ofnat_plus (machines k) (machines l)).
    generalize (ofnat_le _ _ (machines_some l)). simpl. fold M. lra. }
  assert (T0 : 0 <= T) by (apply time_nonneg; [fold M; lra|exact HT]).
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
