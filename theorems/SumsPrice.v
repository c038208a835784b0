(* Sums of completion times with several machines: no equilibrium is worse than M/m times the optimum (the upper bound
   of R5 in the documentation), M machines in all and at least m of each organization.
   The optimum is that of all schedules: the jobs in M lists, one for each machine. Of the policy the proof uses only
   that an organization pays the same whatever the others do if all its jobs are at home.

   Let W be the work of all, T (js) the sum of completion times of a list on one idle machine, and
   K (P, R) the sum of min (x, y) over all x in P and y in R.
   1. In an equilibrium k pays at most H, with all its jobs at home, shortest first; and m H <= T (its jobs) + (m-1) its
      work, as a job starts on the least load.
   2. 2 T (js) >= K (js, js) + sum js, for a job delays all behind it; with equality if js is shortest first.
   3. 2 K (P, R) <= K (P, P) + K (R, R): the matrix of all min (x, y) is positive semidefinite. To see it give the jobs
      of P the sign +1, those of R the sign -1; then in ascending order every sum of signs is counted as a square.
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

(* ---------- 3. positive semidefinite ---------- *)
(* signed lengths; row: the sum of s' min (x, y) over a list of (s', y) *)
Definition signed := list (num * num).
Definition row (x : num) (L : signed) : num := sum (map (fun e => fst e * least x (snd e)) L).
Definition form (L L' : signed) : num := sum (map (fun e => fst e * row (snd e) L') L).
Definition signs (L : signed) : num := sum (map fst L).

Lemma row_permutation x L L' : Permutation L L' -> row x L == row x L'.
Proof. intros P. apply sum_perm, Permutation_map, P. Qed.

Lemma form_permutation L L' : Permutation L L' -> form L L == form L' L'.
Proof.
  intros P. unfold form. assert (A := sum_perm _ _ (Permutation_map (fun e => fst e * row (snd e) L) P)).
  assert (B : sum (map (fun e => fst e * row (snd e) L) L') == sum (map (fun e => fst e * row (snd e) L') L')); [|lra].
  apply sum_map_eq. intros e. rewrite (row_permutation (snd e) L L' P). lra.
Qed.

Lemma form_cons s x L : form ((s, x) :: L) ((s, x) :: L) == s * (s * least x x) + 2 * (s * row x L) + form L L.
Proof.
  unfold form. simpl. unfold row at 1. simpl. fold (row x L).
  assert (A : sum (map (fun e => fst e * row (snd e) ((s, x) :: L)) L)
              == sum (map (fun e => s * (fst e * least x (snd e)) + fst e * row (snd e) L) L)).
  { apply sum_map_eq. intros [u y]. unfold row at 1. simpl. fold (row y L).
    assert (E : u * (s * least y x) == u * (s * least x y)) by (rewrite (least_commutes y x); lra). lra. }
  assert (B := sum_map_plus (fun e => s * (fst e * least x (snd e))) (fun e => fst e * row (snd e) L) L). simpl in B.
  assert (C : sum (map (fun e : num * num => s * (fst e * least x (snd e))) L) == s * row x L).
  { unfold row. clear. induction L as [|e L IH]; simpl; lra. }
  lra.
Qed.

Lemma row_small x L : (forall e, In e L -> x <= snd e) -> row x L == x * signs L.
Proof.
  unfold row, signs. induction L as [|[s y] L IH]; intros H; simpl; [lra|].
  assert (E : s * least x y == s * x) by (rewrite (least_left x y); [lra|exact (H (s, y) (or_introl eq_refl))]).
  specialize (IH (fun e He => H e (or_intror He))). simpl in *. lra.
Qed.

Lemma form_ascending L : StronglySorted (fun e e' : num * num => snd e <= snd e') L ->
  forall r, 0 <= r -> (forall e, In e L -> r <= snd e) -> r * (signs L * signs L) <= form L L.
Proof.
  induction 1 as [|[s x] L HL IH Hx]; intros r Hr H; [unfold signs, form; simpl; lra|].
  rewrite Forall_forall in Hx. simpl in Hx.
  assert (Rx : r <= x) by exact (H (s, x) (or_introl eq_refl)).
  assert (G := IH x ltac:(lra) Hx). assert (E := form_cons s x L). assert (E2 := row_small x L Hx).
  assert (E3 : s * (s * least x x) == s * (s * x)) by (rewrite (least_left x x); lra).
  assert (E4 : s * row x L == s * (x * signs L)) by (rewrite E2; lra).
  change (signs ((s, x) :: L)) with (s + signs L). set (q := signs L) in *.
  assert (S : 0 <= (s + q) * (s + q)).
  { destruct (lt_le (s + q) 0) as [N|N]; [|apply mul_nonneg; exact N].
    assert (M : 0 <= (- (s + q)) * (- (s + q))) by (apply mul_nonneg; lra). lra. }
  assert (D : 0 <= (x - r) * ((s + q) * (s + q))) by (apply mul_nonneg; lra). lra.
Qed.

Lemma sort_signed (L : signed) : exists L', Permutation L L' /\ StronglySorted (fun e e' : num * num => snd e <= snd e')
  L'.
Proof.
  induction L as [|e L (L' & P & S)]; [exists []; split; constructor|].
  assert (I : exists L'', Permutation (e :: L') L'' /\ StronglySorted (fun e e' : num * num => snd e <= snd e') L'').
  { clear - S. induction S as [|a L' S IH Ha]; [exists [e]; split; [apply Permutation_refl|repeat constructor]|].
    destruct (lt_le (snd a) (snd e)) as [H|H].
    - destruct IH as (L'' & P & S'). exists (a :: L'').
      split; [exact (Permutation_trans (perm_swap a e L') (perm_skip a P))|].
      constructor; [exact S'|]. apply (Permutation_Forall P). constructor; [lra|exact Ha].
    - exists (e :: a :: L'). split; [apply Permutation_refl|]. constructor; [constructor; assumption|].
      constructor; [exact H|]. apply Forall_impl with (2 := Ha). intros b Hb. lra. }
  destruct I as (L'' & P' & S'). exists L''. split; [exact (Permutation_trans (perm_skip e P) P')|exact S'].
Qed.

Lemma form_nonneg L : (forall e, In e L -> 0 <= snd e) -> 0 <= form L L.
Proof.
  intros H. destruct (sort_signed L) as (L' & P & S). rewrite (form_permutation L L' P).
  assert (G := form_ascending L' S 0 ltac:(lra)
    (fun e He => H e (Permutation_in e (Permutation_sym P) He))). lra.
Qed.

(* K *)
Definition K (P R : list num) : num := sum (map (fun x => sum (map (least x) R)) P).

Lemma K_app_left P P' R : K (P ++ P') R == K P R + K P' R.
Proof. unfold K. rewrite map_app. apply sum_app. Qed.

Lemma K_cons_right P y R : K P (y :: R) == sum (map (least y) P) + K P R.
Proof.
  unfold K. induction P as [|x P IH]; simpl; [lra|]. simpl in IH. generalize (least_commutes x y). lra.
Qed.

Lemma K_commutes P R : K P R == K R P.
Proof.
  induction R as [|y R IH].
  - unfold K. simpl. induction P; simpl; lra.
  - generalize (K_cons_right P y R). change (K (y :: R) P) with (sum (map (least y) P) + K R P). lra.
Qed.

Lemma K_app_right P R R' : K P (R ++ R') == K P R + K P R'.
Proof. generalize (K_commutes P (R ++ R')) (K_app_left R R' P) (K_commutes P R) (K_commutes P R'). lra. Qed.

Lemma K_permutation P R : Permutation P R -> K P P == K R R.
Proof.
  intros H. assert (A : K P P == K R P) by (apply sum_perm, Permutation_map, H).
  assert (B : K P R == K R R) by (apply sum_perm, Permutation_map, H). generalize (K_commutes P R). lra.
Qed.

Lemma K_nonneg P R : nonneg P -> nonneg R -> 0 <= K P R.
Proof.
  intros HP HR. apply sum_nonneg. intros z Hz. apply in_map_iff in Hz. destruct Hz as (x & E & Hx). subst z.
  apply sum_nonneg. intros z Hz. apply in_map_iff in Hz. destruct Hz as (y & E & Hy). subst z.
  apply least_nonneg; [exact (HP x Hx)|exact (HR y Hy)].
Qed.

Definition with_sign (s : num) (P : list num) : signed := map (fun x => (s, x)) P.

Lemma row_app x L L' : row x (L ++ L') == row x L + row x L'.
Proof. unfold row. rewrite map_app. apply sum_app. Qed.

Lemma row_with_sign x s P : row x (with_sign s P) == s * sum (map (least x) P).
Proof. unfold row, with_sign. rewrite map_map. simpl. induction P; simpl; lra. Qed.

Lemma form_with_signs s s' P R :
  form (with_sign s P) (with_sign s' R) == s * (s' * K P R).
Proof.
  unfold form, K. induction P as [|x P IH]; [simpl; lra|].
  change (with_sign s (x :: P)) with ((s, x) :: with_sign s P). simpl.
  assert (E : s * row x (with_sign s' R) == s * (s' * sum (map (least x) R))) by (rewrite row_with_sign; lra). lra.
Qed.

Lemma form_app L L' : form (L ++ L') (L ++ L') == form L L + form L L' + form L' L + form L' L'.
Proof.
  assert (A : forall M, form M (L ++ L') == form M L + form M L').
  { intros M. unfold form. induction M as [|[s x] M IH]; simpl; [lra|].
    assert (E : s * row x (L ++ L') == s * (row x L + row x L')) by (rewrite row_app; lra). lra. }
  assert (B : form (L ++ L') (L ++ L') == form L (L ++ L') + form L' (L ++ L'))
    by (unfold form at 1; rewrite map_app; apply sum_app).
  generalize (A L) (A L'). lra.
Qed.

Theorem K_semidefinite P R : nonneg P -> nonneg R -> 2 * K P R <= K P P + K R R.
Proof.
  intros HP HR. assert (F := form_nonneg (with_sign 1 P ++ with_sign (-(1)) R)).
  assert (N : 0 <= form (with_sign 1 P ++ with_sign (-(1)) R) (with_sign 1 P ++ with_sign (-(1)) R)).
  { apply F. intros e He. unfold with_sign in He. apply in_app_or in He.
    destruct He as [He|He]; apply in_map_iff in He; destruct He as (x & E & Hx); subst e; simpl; auto. }
  generalize (form_app (with_sign 1 P) (with_sign (-(1)) R)) (form_with_signs 1 1 P P) (form_with_signs 1 (-(1)) P R)
    (form_with_signs (-(1)) 1 R P) (form_with_signs (-(1)) (-(1)) R R) (K_commutes P R). lra.
Qed.

(* ---------- 4. many lists ---------- *)
Lemma K_concat parts : nonneg (concat parts) ->
  K (concat parts) (concat parts) <= ofnat (length parts) * sum (map (fun P => K P P) parts).
Proof.
  induction parts as [|P parts IH]; intros Hn; simpl; [unfold K; simpl; lra|].
  assert (HP : nonneg P) by (intros x Hx; apply Hn; simpl; apply in_or_app; left; exact Hx).
  assert (HA : nonneg (concat parts)) by (intros x Hx; apply Hn; simpl; apply in_or_app; right; exact Hx).
  specialize (IH HA). set (A := concat parts) in *.
  assert (C : 2 * K P A <= ofnat (length parts) * K P P + sum (map (fun P => K P P) parts)).
  { unfold A in HA |- *. clear - HP HA. induction parts as [|R parts IH]; simpl in *.
    - generalize (K_commutes P []). unfold K at 2. simpl. lra.
    - assert (HR : nonneg R) by (intros x Hx; apply HA, in_or_app; left; exact Hx).
      assert (IH' := IH (fun x Hx => HA x (in_or_app _ _ _ (or_intror Hx)))).
      generalize (K_app_right P R (concat parts)) (K_semidefinite P R HP HR). lra. }
  generalize (K_app_left P A (P ++ A)) (K_app_right P P A) (K_app_right A P A) (K_commutes A P). lra.
Qed.

Lemma K_flat_map {A : Type} (f : A -> list num) L : (forall a, nonneg (f a)) ->
  sum (map (fun a => K (f a) (f a)) L) <= K (flat_map f L) (flat_map f L).
Proof.
  intros Hn. induction L as [|a L IH]; simpl; [unfold K; simpl; lra|].
  assert (HA : nonneg (flat_map f L)) by (intros x Hx; apply in_flat_map in Hx; destruct Hx as (b & _ & Hx);
    exact (Hn b x Hx)).
  set (B := flat_map f L) in *. assert (Z := K_nonneg (f a) B (Hn a) HA).
  generalize (K_app_left (f a) B (f a ++ B)) (K_app_right (f a) (f a) B) (K_app_right B (f a) B) (K_commutes B (f a)).
  lra.
Qed.

(* ---------- 2. one machine ---------- *)
Definition T (js : list num) : num := sum (completions [0] js).

Lemma T_later js : forall t, sum (completions [t] js) == ofnat (length js) * t + T js.
Proof.
  unfold T. induction js as [|x js IH]; intros t; simpl; [lra|]. generalize (IH (t + x)) (IH (0 + x)). lra.
Qed.

Lemma T_cons x js : T (x :: js) == x + ofnat (length js) * x + T js.
Proof. unfold T at 1. simpl. generalize (T_later js (0 + x)). lra. Qed.

Lemma K_cons x P : K (x :: P) (x :: P) == x + 2 * sum (map (least x) P) + K P P.
Proof.
  change (K (x :: P) (x :: P)) with (least x x + sum (map (least x) P) + K P (x :: P)).
  assert (E : least x x == x) by (apply least_left; lra). generalize (K_cons_right P x P). lra.
Qed.

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
  assert (S : sum (map (least x) js) == ofnat (length js) * x).
  { clear - Hx. induction Hx as [|y js Hxy Hx IH]; simpl; [lra|]. generalize (least_left x y Hxy). lra. }
  generalize (T_cons x js) (K_cons x js). simpl. lra.
Qed.

(* ---------- 1. at home ---------- *)
(* on n machines a job starts on the least load, which is at most the n-th part of all loads *)
Lemma list_schedule_cost js : forall L, ascending L -> L <> [] -> let n := ofnat (length L) in
  n * sum (completions L js) <= sum (completions [sum L] js) + (n - 1) * sum js.
Proof.
  induction js as [|x js IH]; intros L HL HN n; simpl; [lra|].
  assert (S : n * start L <= sum L) by (apply sum_at_least; intros u Hu; exact (start_least L u HL Hu)).
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
Variable hosts : list O.
Variable machines : O -> nat.
Variable jobs : O -> list num.
Variable prio : O -> list O.
Hypothesis hosts_all : forall l, In l hosts.
Hypothesis hosts_nodup : NoDup hosts.
Hypothesis prio_nodup : forall l, NoDup (prio l).
Hypothesis prio_all : forall l a, In a (prio l).
Hypothesis jobs_nonneg : forall a, nonneg (jobs a).
Hypothesis jobs_ascending : forall a, ascending (jobs a).
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
  assert (N : nonneg (all_jobs hosts jobs)) by (apply all_jobs_nonneg; exact jobs_nonneg).
  assert (N' : nonneg (concat lists)) by (intros x Hx; exact (N x (Permutation_in x P Hx))).
  (* homes *)
  assert (A : 2 * (ofnat m * sum (map (sum_cost p) hosts))
    <= sum (map (fun k => K (jobs k) (jobs k)) hosts) + (2 * ofnat m - 1) * sum (map (fun k => sum (jobs k)) hosts)).
  { assert (F : forall k, In k hosts -> 2 * (ofnat m * sum_cost p k)
      <= K (jobs k) (jobs k) + (2 * ofnat m - 1) * sum (jobs k)).
    { intros k _. generalize (home_bound p k Hp) (T_ascending (jobs k) (jobs_ascending k)). lra. }
    set (c := sum_cost p) in *. clearbody c. clear - F. induction hosts as [|k L IH]; simpl; [lra|].
    generalize (IH (fun a Ha => F a (or_intror Ha))) (F k (or_introl eq_refl)). lra. }
  assert (B := K_flat_map jobs hosts jobs_nonneg). fold (all_jobs hosts jobs) in B.
  assert (C := K_permutation _ _ P). assert (D := sum_perm _ _ P). fold W in D.
  assert (E := sum_flat_map jobs hosts). fold (all_jobs hosts jobs) in E.
  assert (E' : (2 * ofnat m - 1) * sum (map (fun k => sum (jobs k)) hosts) == (2 * ofnat m - 1) * W).
  { assert (X : sum (map (fun k => sum (jobs k)) hosts) == W) by lra. rewrite X. lra. }
  (* lists *)
  assert (F := K_concat lists N').
  assert (G : sum (map (fun Q => K Q Q) lists) + W <= 2 * sum (map T lists)).
  { unfold W. clear - N'. induction lists as [|Q L IH]; simpl in *; [lra|].
    assert (NQ : nonneg Q) by (intros x Hx; apply N', in_or_app; left; exact Hx).
    assert (IH' := IH (fun x Hx => N' x (in_or_app _ _ _ (or_intror Hx)))).
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
