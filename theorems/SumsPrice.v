(* Sums of completion times with several machines: no equilibrium is worse than M/m times the optimum (the upper bound
   of R5 in the documentation), M machines in all and at least m of each organization.
   The optimum is that of all schedules: the jobs in M lists, one for each machine. Of the policy the proof uses only
   that an organization pays the same whatever the others do if all its jobs are at home.

   Let W be the work of all, T (js) the sum of completion times of a list on one idle machine, and
   K (P, R) the sum of min (x, y) over all x in P and y in R.
   1. In an equilibrium k pays at most H, with all its jobs at home, shortest first; and m H <= T (its jobs) + (m-1) its
      work, as a job starts on the least load.
   2. 2 T (js) >= K (js, js) + sum js, for a job delays all behind it; with equality if js is shortest first.
   3. 2 K (P, R) <= K (P, P) + K (R, R), as the matrix of all min (x, y) is positive semidefinite: taking the jobs of
      both lists in ascending order, from job to job the difference grows by a square ([K_step]).
   4. So K (all, all) <= M (sum of K (P, P) over the M lists P): by 2, M OPT is at least half of K (all, all) + M W (the
      bound of Eastman, Even and Isaacs, 1964), and the sum of all H at most (M/m) OPT - W (M+1-2m) / (2m). *)
From Coq Require Import List Lia Permutation Sorted.
Require Import Numbers Game Loads IdenticalMachines SeveralMachines SeveralPrice.
Import ListNotations.

Definition least (x y : num) : num := if lt_le x y then x else y.

Lemma least_commutes x y : least x y == least y x.
Proof. unfold least. destruct (lt_le x y), (lt_le y x); lra. Qed.
Lemma least_left x y : x <= y -> least x y == x.
Proof. unfold least. destruct (lt_le x y); lra. Qed.
Lemma least_le x y : least x y <= x.
Proof. unfold least. destruct (lt_le x y); lra. Qed.
Lemma least_nonneg x y : 0 <= x -> 0 <= y -> 0 <= least x y.
Proof. unfold least. destruct (lt_le x y); trivial. Qed.
Lemma least_all x R : (forall y, In y R -> x <= y) -> sum (map (least x) R) == ofnat (length R) * x.
Proof.
  induction R as [|y R IH]; intros H; simpl; [lra|].
  generalize (least_left x y (H y (or_introl eq_refl))) (IH (fun z Hz => H z (or_intror Hz))). lra.
Qed.

(* ---------- K ---------- *)
Definition K (P R : list num) : num := sum (map (fun x => sum (map (least x) R)) P).

Lemma K_app_left P P' R : K (P ++ P') R == K P R + K P' R.
Proof. unfold K. rewrite map_app. apply sum_app. Qed.
Lemma K_cons_right P y R : K P (y :: R) == sum (map (least y) P) + K P R.
Proof. unfold K. induction P as [|x P IH]; simpl; [lra|]. simpl in IH. generalize (least_commutes x y). lra. Qed.
Lemma K_commutes P R : K P R == K R P.
Proof.
  induction R as [|y R IH].
  - unfold K. simpl. induction P; simpl; lra.
  - generalize (K_cons_right P y R). change (K (y :: R) P) with (sum (map (least y) P) + K R P). lra.
Qed.
Lemma K_app_right P R R' : K P (R ++ R') == K P R + K P R'.
Proof. generalize (K_commutes P (R ++ R')) (K_app_left R R' P) (K_commutes P R) (K_commutes P R'). lra. Qed.
Lemma K_cons x P : K (x :: P) (x :: P) == x + 2 * sum (map (least x) P) + K P P.
Proof.
  change (K (x :: P) (x :: P)) with (least x x + sum (map (least x) P) + K P (x :: P)).
  assert (E : least x x == x) by (apply least_left; lra). generalize (K_cons_right P x P). lra.
Qed.
Lemma K_permutation P P' R R' : Permutation P P' -> Permutation R R' -> K P R == K P' R'.
Proof.
  assert (A : forall L L' M, Permutation L L' -> K L M == K L' M)
    by (intros; apply sum_perm, Permutation_map; assumption).
  intros HP HR. generalize (A P P' R HP) (A R R' P' HR) (K_commutes P' R) (K_commutes P' R'). lra.
Qed.
Lemma K_nonneg P R : nonneg P -> nonneg R -> 0 <= K P R.
Proof.
  intros HP HR. apply sum_nonneg. intros z Hz. apply in_map_iff in Hz. destruct Hz as (x & E & Hx). subst z.
  apply sum_nonneg. intros z Hz. apply in_map_iff in Hz. destruct Hz as (y & E & Hy). subst z.
  apply least_nonneg; [exact (HP x Hx)|exact (HR y Hy)].
Qed.

(* ---------- 3. positive semidefinite ---------- *)
Definition gap (P R : list num) : num := K P P + K R R - 2 * K P R.
Definition square (P R : list num) : num :=
  (ofnat (length P) - ofnat (length R)) * (ofnat (length P) - ofnat (length R)).

Lemma square_nonneg P R : 0 <= square P R.
Proof.
  unfold square. set (d := ofnat (length P) - ofnat (length R)). destruct (lt_le d 0) as [H|H].
  - assert (M : 0 <= (- d) * (- d)) by (apply mul_nonneg; lra). lra.
  - apply mul_nonneg; exact H.
Qed.

(* a job x that is no longer than all others, and no shorter than r *)
Lemma K_step r x P R : r <= x -> (forall y, In y P -> x <= y) -> (forall y, In y R -> x <= y) ->
  x * square P R <= gap P R -> r * square (x :: P) R <= gap (x :: P) R.
Proof.
  intros Hr HP HR H. assert (N := mul_nonneg (x - r) _ ltac:(lra) (square_nonneg (x :: P) R)).
  generalize (K_cons x P) (least_all x P HP) (least_all x R HR).
  unfold gap, square in *. simpl length in *. simpl ofnat in *.
  change (K (x :: P) R) with (sum (map (least x) R) + K P R). lra.
Qed.
Lemma gap_ascending n : forall P R r, (length P + length R <= n)%nat -> ascending P -> ascending R ->
  (forall x, In x P -> r <= x) -> (forall x, In x R -> r <= x) -> r * square P R <= gap P R.
Proof.
  induction n as [|n IH]; intros P R r Hn HP HR rP rR.
  { destruct P, R; simpl in Hn; try lia. unfold square, gap, K. simpl. lra. }
  assert (Step : forall x P R, (length P + length R <= n)%nat -> ascending (x :: P) -> ascending R -> r <= x ->
    (forall y, In y R -> x <= y) -> r * square (x :: P) R <= gap (x :: P) R).
  { clear - IH. intros x P R Hn HP HR Hr HxR. inversion HP as [|x' P' HP' HxP]; subst. rewrite Forall_forall in HxP.
    apply K_step; auto. }
  assert (Sym : forall P R, r * square P R <= gap P R -> r * square R P <= gap R P).
  { intros P' R'. generalize (K_commutes P' R'). unfold square, gap. lra. }
  assert (Later : forall x y L, ascending (y :: L) -> x <= y -> forall z, In z (y :: L) -> x <= z).
  { intros x y L HL Hxy z [e|Hz]; [subst; exact Hxy|]. inversion HL as [|y' L' _ Hy]; subst.
    rewrite Forall_forall in Hy. specialize (Hy z Hz). lra. }
  destruct P as [|x P]; [destruct R as [|y R]; [unfold square, gap, K; simpl; lra|]|].
  - apply Sym, Step; simpl in *; auto; [lia|intros z []].
  - destruct R as [|y R]; [apply Step; simpl in *; auto; [lia|intros z []]|]. destruct (lt_le y x) as [H|H].
    + apply Sym, Step; simpl in *; auto; [lia|]. apply (Later y x P HP). lra.
    + apply Step; simpl in *; auto; [lia|]. exact (Later x y R HR H).
Qed.

Theorem K_semidefinite P R : nonneg P -> nonneg R -> 2 * K P R <= K P P + K R R.
Proof.
  intros HP HR. destruct (sort_ascending P) as (P' & EP & SP), (sort_ascending R) as (R' & ER & SR).
  assert (G := gap_ascending _ P' R' 0 (le_n _) SP SR (nonneg_perm _ _ EP HP) (nonneg_perm _ _ ER HR)). unfold gap in G.
  generalize (K_permutation P P' P P' EP EP) (K_permutation R R' R R' ER ER) (K_permutation P P' R R' EP ER). lra.
Qed.

(* ---------- 4. many lists ---------- *)
Lemma K_concat parts : nonneg (concat parts) ->
  K (concat parts) (concat parts) <= ofnat (length parts) * sum (map (fun P => K P P) parts).
Proof.
  induction parts as [|P parts IH]; intros Hn; simpl; [unfold K; simpl; lra|].
  destruct (proj1 (nonneg_app _ _) Hn) as [HP HA]. specialize (IH HA). set (A := concat parts) in *.
  assert (C : 2 * K P A <= ofnat (length parts) * K P P + sum (map (fun P => K P P) parts)).
  { unfold A in HA |- *. clear - HP HA. induction parts as [|R parts IH]; simpl in *.
    - generalize (K_commutes P []). unfold K at 2. simpl. lra.
    - destruct (proj1 (nonneg_app _ _) HA) as [HR HA']. assert (IH' := IH HA').
      generalize (K_app_right P R (concat parts)) (K_semidefinite P R HP HR). lra. }
  generalize (K_app_left P A (P ++ A)) (K_app_right P P A) (K_app_right A P A) (K_commutes A P). lra.
Qed.
Lemma K_flat_map {A : Type} (f : A -> list num) L : (forall a, nonneg (f a)) ->
  sum (map (fun a => K (f a) (f a)) L) <= K (flat_map f L) (flat_map f L).
Proof.
  intros Hn. induction L as [|a L IH]; simpl; [unfold K; simpl; lra|].
  assert (HA := nonneg_flat_map f L Hn).
  set (B := flat_map f L) in *. assert (Z := K_nonneg (f a) B (Hn a) HA).
  generalize (K_app_left (f a) B (f a ++ B)) (K_app_right (f a) (f a) B) (K_app_right B (f a) B) (K_commutes B (f a)).
  lra.
Qed.

(* ---------- 2. one machine ---------- *)
Definition T (js : list num) : num := sum (completions [0] js).

Lemma T_later js : forall t, sum (completions [t] js) == ofnat (length js) * t + T js.
Proof. unfold T. induction js as [|x js IH]; intros t; simpl; [lra|]. generalize (IH (t + x)) (IH (0 + x)). lra. Qed.
Lemma T_cons x js : T (x :: js) == x + ofnat (length js) * x + T js.
Proof. unfold T at 1. simpl. generalize (T_later js (0 + x)). lra. Qed.
Lemma T_ge js : nonneg js -> K js js + sum js <= 2 * T js.
Proof.
  induction js as [|x js IH]; intros Hn; [unfold K, T; simpl; lra|].
  assert (S : sum (map (least x) js) <= ofnat (length js) * x).
  { clear. induction js as [|y js IH]; simpl; [lra|]. generalize (least_le x y). lra. }
  generalize (IH (fun y Hy => Hn y (or_intror Hy))) (T_cons x js) (K_cons x js). simpl. lra.
Qed.
Lemma T_ascending js : ascending js -> 2 * T js == K js js + sum js.
Proof.
  induction 1 as [|x js Hjs IH Hx]; [unfold K, T; simpl; lra|].
  rewrite Forall_forall in Hx. generalize (T_cons x js) (K_cons x js) (least_all x js Hx). simpl. lra.
Qed.

(* ---------- 1. at home ---------- *)
(* on n machines a job starts on the least load, which is at most the n-th part of all loads *)
Lemma list_schedule_cost js : forall L, ascending L -> L <> [] -> let n := ofnat (length L) in
  n * sum (completions L js) <= sum (completions [sum L] js) + (n - 1) * sum js.
Proof.
  induction js as [|x js IH]; intros L HL HN n; simpl; [lra|].
  assert (S : n * start L <= sum L) by (apply sum_all_ge; intros u Hu; exact (start_least L u HL Hu)).
  assert (G := IH (serve x L) (serve_ascending x L HL) (serve_not_nil x L HN)). cbv zeta in G.
  rewrite serve_length in G. fold n in G.
  assert (E := sum_serve x L HN). generalize (T_later js (sum (serve x L))) (T_later js (sum L + x)).
  assert (M : ofnat (length js) * sum (serve x L) == ofnat (length js) * (sum L + x)) by (rewrite E; lra). lra.
Qed.
Lemma completions_ge js : nonneg js -> forall L, ascending L -> 0 <= start L -> sum js <= sum (completions L js).
Proof.
  induction js as [|x js IH]; intros Hn L HL Hs; simpl; [lra|].
  assert (Hx : 0 <= x) by (apply Hn; left; reflexivity).
  assert (G := IH (fun y Hy => Hn y (or_intror Hy)) (serve x L) (serve_ascending x L HL)).
  generalize (start_mono _ _ (serve_nonneg_below x L Hx HL)). intros S. specialize (G ltac:(lra)). lra.
Qed.

Section SumsPrice.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variables (hosts : list O) (machines : O -> nat) (jobs : O -> list num) (prio : O -> list O).
Hypotheses (hosts_all : forall l, In l hosts) (hosts_nodup : NoDup hosts).
Hypotheses (prio_nodup : forall l, NoDup (prio l)) (prio_all : forall l a, In a (prio l)).
Hypotheses (jobs_nonneg : forall a, nonneg (jobs a)) (jobs_ascending : forall a, ascending (jobs a)).
Variable m : nat.                                (* everybody has at least m machines *)
Hypothesis m_some : (1 <= m)%nat.
Hypothesis m_least : forall l, (m <= machines l)%nat.

Notation sum_cost := (sum_cost dec hosts machines jobs prio).

(* k's cost with all its jobs at home *)
Lemma sum_cost_home p k :
  sum_cost (deviate dec p k (home k)) k = sum (completions (idle (machines k)) (jobs k)).
Proof.
  unfold SeveralMachines.sum_cost. rewrite times_deviate by assumption. f_equal. unfold reply.
  assert (Z : forall L, ~ In k L ->
    flat_map (fun l => completions (ready dec machines jobs prio p k l) (placed dec l (jobs k) (home k))) L = []).
  { induction L as [|l L IH]; simpl; [trivial|]. intros H. rewrite placed_home.
    destruct (dec k l) as [e|n]; [subst; tauto|]. simpl. apply IH. tauto. }
  destruct (in_split k hosts (hosts_all k)) as (L & M & E). assert (D := hosts_nodup). rewrite E in *.
  apply NoDup_remove_2 in D. rewrite flat_map_app. simpl. rewrite !Z by (intros H; apply D, in_or_app; auto).
  rewrite ready_home, placed_home. destruct (dec k k); [|congruence]. simpl. apply app_nil_r.
Qed.
Lemma home_bound p k : sum_equilibrium dec hosts machines jobs prio p ->
  ofnat m * sum_cost p k <= T (jobs k) + (ofnat m - 1) * sum (jobs k).
Proof.
  intros Hp. assert (H := Hp k (home k)). rewrite sum_cost_home in H.
  set (h := sum (completions (idle (machines k)) (jobs k))) in *.
  assert (N : idle (machines k) <> []).
  { intros E. generalize (m_least k). unfold idle in E. destruct (machines k); [lia|discriminate]. }
  assert (G := list_schedule_cost (jobs k) _ (idle_ascending (machines k)) N). cbv zeta in G.
  unfold idle in G at 1 4. rewrite repeat_length in G. fold h in G.
  assert (E := sum_idle (machines k)).
  assert (E1 := T_later (jobs k) (sum (idle (machines k)))).
  assert (E2 : ofnat (length (jobs k)) * sum (idle (machines k)) == ofnat (length (jobs k)) * 0) by (rewrite E; lra).
  assert (W : sum (jobs k) <= h).
  { apply completions_ge; [apply jobs_nonneg|apply idle_ascending|]. rewrite start_idle. lra. }
  assert (M1 := ofnat_le _ _ m_some). simpl in M1.
  assert (D1 : 0 <= (ofnat (machines k) - ofnat m) * (h - sum (jobs k))).
  { apply mul_nonneg; [generalize (ofnat_le _ _ (m_least k)); lra|lra]. }
  assert (D2 := mul_le (ofnat m) _ _ ltac:(lra) H). lra.
Qed.

(* any schedule of all jobs on M machines, each with its list of jobs *)
Theorem sum_price p (lists : list (list num)) : sum_equilibrium dec hosts machines jobs prio p ->
  Permutation (concat lists) (all_jobs hosts jobs) ->
  let M := ofnat (length lists) in
  2 * (ofnat m * sum (map (sum_cost p) hosts)) + (M + 1 - 2 * ofnat m) * sum (concat lists)
  <= 2 * (M * sum (map T lists)).
Proof.
  intros Hp P M. set (W := sum (concat lists)).
  assert (N' := nonneg_perm _ _ (Permutation_sym P) (all_jobs_nonneg hosts jobs jobs_nonneg)).
  (* homes *)
  assert (A : 2 * (ofnat m * sum (map (sum_cost p) hosts))
    <= sum (map (fun k => K (jobs k) (jobs k)) hosts) + (2 * ofnat m - 1) * sum (map (fun k => sum (jobs k)) hosts)).
  { assert (F : forall k, In k hosts -> 2 * (ofnat m * sum_cost p k)
      <= K (jobs k) (jobs k) + (2 * ofnat m - 1) * sum (jobs k)).
    { intros k _. generalize (home_bound p k Hp) (T_ascending (jobs k) (jobs_ascending k)). lra. }
    set (c := sum_cost p) in *. clearbody c. clear - F. induction hosts as [|k L IH]; simpl; [lra|].
    generalize (IH (fun a Ha => F a (or_intror Ha))) (F k (or_introl eq_refl)). lra. }
  assert (B := K_flat_map jobs hosts jobs_nonneg). fold (all_jobs hosts jobs) in B.
  assert (C := K_permutation _ _ _ _ P P). assert (D := sum_perm _ _ P). fold W in D.
  assert (E := sum_flat_map jobs hosts). fold (all_jobs hosts jobs) in E.
  assert (E' : (2 * ofnat m - 1) * sum (map (fun k => sum (jobs k)) hosts) == (2 * ofnat m - 1) * W).
  { assert (X : sum (map (fun k => sum (jobs k)) hosts) == W) by lra. rewrite X. lra. }
  (* lists *)
  assert (F := K_concat lists N').
  assert (G : sum (map (fun Q => K Q Q) lists) + W <= 2 * sum (map T lists)).
  { unfold W. clear - N'. induction lists as [|Q L IH]; simpl in *; [lra|].
    destruct (proj1 (nonneg_app _ _) N') as [NQ NL]. assert (IH' := IH NL).
    generalize (T_ge Q NQ) (sum_app Q (concat L)). lra. }
  assert (H := mul_le M _ _ (ofnat_nonneg _) G). fold M in F. lra.
Qed.

(* less than M/m times the optimum: M >= 2m with two organizations *)
Corollary sum_price_of_anarchy p lists : sum_equilibrium dec hosts machines jobs prio p ->
  length lists = all_machines hosts machines -> Permutation (concat lists) (all_jobs hosts jobs) ->
  (2 <= length hosts)%nat -> 0 < sum (all_jobs hosts jobs) ->
  ofnat m * sum (map (sum_cost p) hosts) < ofnat (all_machines hosts machines) * sum (map T lists).
Proof.
  intros Hp Hl P H2 HW. assert (H := sum_price p lists Hp P). cbv zeta in H. rewrite Hl in H.
  assert (HM : (m + m <= all_machines hosts machines)%nat).
  { unfold all_machines. clear - H2 m_least. destruct hosts as [|a [|b L]]; simpl in *; [lia|lia|].
    generalize (m_least a) (m_least b). lia. }
  generalize (ofnat_le _ _ HM) (ofnat_plus m m). set (M := ofnat (all_machines hosts machines)) in *. intros M1 M2.
  assert (E := sum_perm _ _ P).
  assert (D : 0 < (M + 1 - 2 * ofnat m) * sum (concat lists)) by (apply mul_pos; lra). lra.
Qed.

End SumsPrice.
