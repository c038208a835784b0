(* Profiles placed longest first are (3/2 - 1/(2N))-equilibria, N organizations with one machine each (R9 in the
   documentation).

   A longest-first profile: each organization's jobs, longest first, go one after the other to a machine that is free
   first for that organization, counting what the profile runs before it there. The event loop of FewOrEqualJobs.v
   gives one for every game (`longest_first_exists`). The theorem: nobody pays more than 3/2 - 1/(2N) times what any
   other placement of its jobs costs (`longest_first_profile`).

   Idea. Let p be the job of the organization that ends last, s its start, pre the jobs before it (all at least p), C
   the cost of another placement d, R_l the ready times (0 at home). With pre every machine is busy until s.
   (1) s + p/N <= C: on every machine that d uses it has room for at most C - R_l of the work of pre and p, and the list
   has at least s - R_l of pre there; the difference, p in all, is at most C - s on each of the N machines.
   (2) If C < 2p, then d has at most one of pre and p on each machine, so it uses a machine where the list has none of
   pre; there R_l >= s, and d pays at least R_l + p: s + p <= C.
   (3) If C >= 2p, then s + p <= C + (1 - 1/N) p <= (3/2 - 1/(2N)) C. *)
From Coq Require Import List Lia Permutation.
Require Import Numbers Sums Game Loads ListSchedule FewOrEqualJobs TwoOrganizations.
Import ListNotations.

Section LongestFirst.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variable machines : list O.
Variable jobs : O -> list num.
Variable prio : O -> list O.
Hypothesis machines_all : forall l, In l machines.
Hypothesis machines_nodup : NoDup machines.
Hypothesis prio_nodup : forall l, NoDup (prio l).
Hypothesis prio_all : forall l a, In a (prio l).
Hypothesis jobs_nonneg : forall a, nonneg (jobs a).

Notation cost := (cost dec machines jobs prio).
Notation deviate := (deviate dec).
Notation ready := (ready dec jobs prio).
Notation load := (load dec jobs).
Notation ld := (ld dec).
Notation placed := (placed dec).

(* the placement of a in p is a list schedule, longest first, on the ready times that a sees in p *)
Definition longest_first (p : profile (O:=O)) (a : O) : Prop :=
  exists js s, Permutation (jobs a) js /\ desc js /\ lpt dec (ready p a) js s /\
    forall l, Permutation (placed l (jobs a) (p a)) (placed l js s).

Lemma longest_first_exists : exists p, forall a, longest_first p a.
Proof.
  destruct (choice dec machines machines_all _ (fun a J => Permutation (jobs a) J /\ desc J)
    (fun a => sort_desc (jobs a)) (fun _ => [])) as (J & HJ).
  assert (Jn : forall a, nonneg (J a)).
  { intros a x Hx. apply (jobs_nonneg a). apply (Permutation_in x (Permutation_sym (proj1 (HJ a))) Hx). }
  destruct (loop dec machines prio machines_all prio_nodup prio_all _ J (fun _ => 0) (le_n _) Jn) as (st & Hst).
  destruct (choice dec machines machines_all _
    (fun a s => forall l, Permutation (placed l (jobs a) s) (placed l (J a) (st a)))
    (fun a => placed_perm dec (jobs a) (J a) (proj1 (HJ a)) (st a)) (fun b => home b)) as (p & Hp).
  exists p. intros a. exists (J a), (st a). split; [apply HJ|]. split; [apply HJ|]. split; [|apply Hp].
  apply (lpt_ext dec (J a) _ _ (st a)) with (2 := Hst a). intros l. unfold final, Game.ready.
  assert (E := sum_map_eq (fun b => ld l (J b) (st b)) (fun b => load p b l) (before dec a (order dec prio l))
    (fun b => sum_perm _ _ (Permutation_sym (Hp b l)))). lra.
Qed.

Lemma some_machine : O -> 1 <= ofnat (length machines).
Proof.
  intros l. generalize (machines_all l). destruct machines as [|m L]; [intros []|]. simpl.
  generalize (ofnat_nonneg (length L)). lra.
Qed.

(* ---- lists of jobs on machines with ready times R, all nonnegative and 0 at home ---- *)
Section List.
Variable R : O -> num.
Hypothesis R_nonneg : forall l, 0 <= R l.
Variable h : O.
Hypothesis R_home : R h == 0.

Lemma placed_app l js js' s :
  placed l (js ++ js') s = placed l js s ++ placed l js' (fun n => s (length js + n)%nat).
Proof.
  revert s; induction js as [|x js IH]; intros s; simpl; [reflexivity|].
  rewrite (IH (fun n => s (S n))). destruct (dec (s 0%nat) l); reflexivity.
Qed.

(* within cost c, dropping the last jobs does not raise the cost *)
Lemma drop_last l js js' s c : nonneg js' ->
  (placed l (js ++ js') s <> [] -> R l + ld l (js ++ js') s <= c) -> placed l js s <> [] -> R l + ld l js s <= c.
Proof.
  intros Hn H U. unfold Game.ld in *. rewrite placed_app in H.
  assert (P : 0 <= sum (placed l js' (fun n => s (length js + n)%nat))).
  { apply sum_nonneg. intros x Hx. apply Hn. exact (placed_in dec _ _ _ _ Hx). }
  assert (G : placed l js s ++ placed l js' (fun n => s (length js + n)%nat) <> []).
  { destruct (placed l js s); [congruence|discriminate]. }
  specialize (H G). generalize (sum_app (placed l js s) (placed l js' (fun n => s (length js + n)%nat))). lra.
Qed.

(* the jobs of a list are somewhere *)
Lemma placed_length js s : list_sum (map (fun l => length (placed l js s)) machines) = length js.
Proof.
  revert s; induction js as [|x js IH]; intros s; simpl.
  - clear. induction machines; simpl; auto.
  - rewrite <- (IH (fun n => s (S n))). generalize (machines_all (s 0%nat)). generalize machines_nodup.
    generalize (fun n => s (S n)). generalize (s 0%nat). clear. intros m t.
    induction 1 as [|b L Hb HL IH]; simpl; [tauto|]. intros [e|H].
    + subst b. destruct (dec m m); [|congruence]. simpl. f_equal. f_equal. f_equal. apply map_ext_in.
      intros l Hl. destruct (dec m l); [congruence|reflexivity].
    + rewrite (IH HL H). destruct (dec m b); [subst; tauto|]. lia.
Qed.

(* (1) the work of pre and p fits into the other placement *)
Lemma start_bound pre p s st d c : 0 <= p -> nonneg pre -> 0 <= s -> 0 <= c ->
  (forall l, s <= R l + ld l pre st) ->
  (forall l, placed l (pre ++ [p]) d <> [] -> R l + ld l (pre ++ [p]) d <= c) ->
  ofnat (length machines) * s + p <= ofnat (length machines) * c.
Proof.
  intros Hp Hn Hs Hc Hst Hd.
  assert (Diff : forall l, ld l (pre ++ [p]) d <= ld l pre st + nmax 0 (c - s) /\
                           (c < s -> ld l (pre ++ [p]) d <= ld l pre st /\ ld h (pre ++ [p]) d < ld h pre st)).
  { assert (U : forall l, ld l (pre ++ [p]) d <= c - R l \/ ld l (pre ++ [p]) d <= 0).
    { intros l. specialize (Hd l). unfold Game.ld in *. destruct (placed l (pre ++ [p]) d); [right; simpl; lra|left].
      assert (G := Hd ltac:(discriminate)). lra. }
    assert (P : forall l, 0 <= ld l pre st).
    { intros l. apply sum_nonneg. intros x Hx. apply Hn. exact (placed_in dec _ _ _ _ Hx). }
    intros l. destruct (proj1 (nmax_le 0 (c - s) (nmax 0 (c - s))) ltac:(lra)) as [M1 M2].
    split; [|intros G]; specialize (P l); assert (Hl := Hst l); assert (Hh := Hst h).
    - destruct (U l); lra.
    - split; [destruct (U l)|destruct (U h)]; lra. }
  assert (Et := ld_total dec machines machines_all machines_nodup (pre ++ [p]) d).
  assert (Ep := ld_total dec machines machines_all machines_nodup pre st).
  assert (Ea := sum_app pre [p]). simpl in Ea.
  destruct (lt_le c s) as [G|G].
  - (* s > c would leave no room at home *)
    exfalso. destruct (in_split h machines (machines_all h)) as (L1 & L2 & E).
    rewrite E, map_app in Et, Ep. simpl in Et, Ep.
    assert (Le : forall L, sum (map (fun l => ld l (pre ++ [p]) d) L) <= sum (map (fun l => ld l pre st) L)).
    { intros L. apply sum_map_le. intros l _. apply (proj1 (proj2 (Diff l) G)). }
    assert (Lh := proj2 (proj2 (Diff h) G)). assert (Le1 := Le L1). assert (Le2 := Le L2).
    assert (A1 := sum_app (map (fun l => ld l (pre ++ [p]) d) L1)
      (ld h (pre ++ [p]) d :: map (fun l => ld l (pre ++ [p]) d) L2)).
    assert (A2 := sum_app (map (fun l => ld l pre st) L1) (ld h pre st :: map (fun l => ld l pre st) L2)).
    simpl in A1, A2. lra.
  - assert (M : nmax 0 (c - s) <= c - s) by (apply nmax_le; lra).
    assert (B := sum_map_le (fun l => ld l (pre ++ [p]) d) (fun l => ld l pre st + (c - s)) machines
      ltac:(intros l _; generalize (proj1 (Diff l)); lra)).
    assert (B2 := sum_map_plus (fun l => ld l pre st) (fun _ => c - s) machines).
    assert (B3 := sum_le_const (fun _ : O => c - s) (c - s) machines ltac:(intros; cbv beta; lra)).
    simpl in B2. lra.
Qed.

(* (2) jobs longer than half the cost are on different machines *)
Lemma short_cost pre p s st d c : 0 <= p -> (forall x, In x pre -> p <= x) -> c < p + p ->
  (forall l, s <= R l + ld l pre st) ->
  (forall l, placed l (pre ++ [p]) d <> [] -> R l + ld l (pre ++ [p]) d <= c) -> s + p <= c.
Proof.
  intros Hp Hpre Hc Hst Hd.
  assert (Long : forall x, In x (pre ++ [p]) -> p <= x).
  { intros x Hx. apply in_app_or in Hx. destruct Hx as [Hx|[e|[]]]; [auto|subst; lra]. }
  destruct (more_somewhere (fun l => length (placed l pre st)) (fun l => length (placed l (pre ++ [p]) d)) machines)
    as [(l & _ & More)|Hall].
  - specialize (Hd l). specialize (Hst l). unfold Game.ld in *.
    assert (In1 : forall x, In x (placed l (pre ++ [p]) d) -> p <= x).
    { intros x Hx. apply Long. exact (placed_in dec _ _ _ _ Hx). }
    specialize (R_nonneg l). destruct (placed l (pre ++ [p]) d) as [|x [|y r]]; simpl in *.
    + lia.
    + destruct (placed l pre st); [|simpl in More; lia]. simpl in Hst.
      specialize (Hd ltac:(discriminate)). specialize (In1 x (or_introl eq_refl)). lra.
    + exfalso. specialize (Hd ltac:(discriminate)). assert (X := In1 x (or_introl eq_refl)).
      assert (Y := In1 y (or_intror (or_introl eq_refl))).
      assert (0 <= sum r); [|lra]. apply sum_nonneg. intros z Hz. specialize (In1 z (or_intror (or_intror Hz))). lra.
  - exfalso. assert (E1 := placed_length pre st). assert (E2 := placed_length (pre ++ [p]) d).
    rewrite app_length in E2. simpl in E2.
    assert (Le : forall L, (forall l, In l L -> (length (placed l (pre ++ [p]) d) <= length (placed l pre st))%nat) ->
      (list_sum (map (fun l => length (placed l (pre ++ [p]) d)) L)
       <= list_sum (map (fun l => length (placed l pre st)) L))%nat).
    { induction L as [|b L IH]; simpl; intros H; [lia|]. assert (H1 := H b (or_introl eq_refl)).
      assert (H2 := IH (fun l Hl => H l (or_intror Hl))). lia. }
    specialize (Le machines Hall). lia.
Qed.

(* a list schedule, longest first, ends after at most 3/2 - 1/(2N) times the cost of another placement *)
Lemma longest_first_list js st d c : nonneg js -> desc js -> lpt dec R js st -> 0 <= c ->
  (forall l, placed l js d <> [] -> R l + ld l js d <= c) ->
  let n := ofnat (length machines) in
  forall l, placed l js st <> [] -> 2 * n * (R l + ld l js st) <= (3 * n - 1) * c.
Proof.
  intros Hn Hdesc Hlist Hc Hd n l U.
  assert (Hne : js <> []) by (intros e; rewrite e in U; simpl in U; congruence).
  destruct (lpt_last dec js R st R_nonneg Hn Hlist Hne) as (pre & p & post & s & E & Hs & H1 & H2).
  specialize (H2 l U).
  assert (Npre : nonneg pre) by (intros x Hx; apply Hn; rewrite E; apply in_or_app; left; exact Hx).
  assert (Npost : nonneg post) by (intros x Hx; apply Hn; rewrite E; apply in_or_app; right; right; exact Hx).
  assert (Hp : 0 <= p) by (apply Hn; rewrite E; apply in_or_app; right; left; reflexivity).
  assert (Hpre : forall x, In x pre -> p <= x) by (apply (desc_split pre p post); rewrite <- E; exact Hdesc).
  assert (Hd' : forall l, placed l (pre ++ [p]) d <> [] -> R l + ld l (pre ++ [p]) d <= c).
  { intros l'. apply (drop_last l' (pre ++ [p]) post d c Npost). rewrite <- app_assoc. simpl. rewrite <- E. apply Hd. }
  assert (N1 : 1 <= n) by exact (some_machine h).
  assert (G : 2 * (n * (s + p)) <= (3 * n - 1) * c).
  { destruct (lt_le c (p + p)) as [Small|Big].
    - assert (B := short_cost pre p s st d c Hp Hpre Small H1 Hd').
      assert (B1 := mul_le n _ _ ltac:(lra) B). assert (B2 := mul_nonneg (n - 1) c ltac:(lra) Hc). lra.
    - assert (B := start_bound pre p s st d c Hp Npre Hs Hc H1 Hd'). fold n in B.
      assert (B1 := mul_le (n - 1) _ _ ltac:(lra) Big). lra. }
  assert (B := mul_le n _ _ ltac:(lra) H2). lra.
Qed.
End List.

Theorem longest_first_profile p a d : longest_first p a ->
  let n := ofnat (length machines) in 2 * n * cost p a <= (3 * n - 1) * cost (deviate p a d) a.
Proof.
  intros (js & st & Hperm & Hdesc & Hlist & Hp) n. set (c := cost (deviate p a d) a).
  destruct (proj1 (dev_le dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg p a d c)) as [Hc Hdev];
    [unfold c; lra|].
  destruct (placed_perm dec js (jobs a) (Permutation_sym Hperm) d) as (d' & Hd').
  assert (Hn : nonneg js).
  { intros x Hx. apply (jobs_nonneg a). apply (Permutation_in x (Permutation_sym Hperm) Hx). }
  assert (L : forall l, placed l js st <> [] -> 2 * n * (ready p a l + ld l js st) <= (3 * n - 1) * c).
  { apply (longest_first_list (ready p a)) with (h := a) (d := d'); auto.
    - intros l. apply ready_nonneg; auto.
    - apply ready_home.
    - intros l U. assert (El : ld l js d' == ld l (jobs a) d) by apply sum_perm, Hd'.
      assert (U' : placed l (jobs a) d <> []).
      { intros e. specialize (Hd' l). rewrite e in Hd'. apply Permutation_sym, Permutation_nil in Hd'. congruence. }
      specialize (Hdev l U'). lra. }
  assert (N1 : 1 <= n) by exact (some_machine a).
  set (b := ((3 * n - 1) * c) / (2 * n)).
  assert (Eb : 2 * n * b == (3 * n - 1) * c) by (unfold b; field; lra).
  assert (G : cost p a <= b).
  { apply cost_le; auto. split.
    - apply (mul_nonneg_cancel (2 * n)); [lra|]. assert (P := mul_nonneg (3 * n - 1) c ltac:(lra) Hc). lra.
    - intros l U. apply (mul_cancel (2 * n)); [lra|].
      assert (El : load p a l == ld l js st) by apply sum_perm, Hp.
      assert (U' : placed l js st <> []).
      { intros e. specialize (Hp l). rewrite e in Hp. apply Permutation_sym, Permutation_nil in Hp. congruence. }
      specialize (L l U'). assert (X : 2 * n * load p a l == 2 * n * ld l js st) by (rewrite El; lra). lra. }
  assert (B := mul_le (2 * n) _ _ ltac:(lra) G). lra.
Qed.

(* every game has a (3/2 - 1/(2N))-equilibrium *)
Theorem approximate_equilibrium_exists : let n := ofnat (length machines) in
  exists p, forall a d, 2 * n * cost p a <= (3 * n - 1) * cost (deviate p a d) a.
Proof.
  destruct longest_first_exists as (p & Hp). exists p. intros a d. apply longest_first_profile, Hp.
Qed.
End LongestFirst.

(* ---- 3/2 - 1/(2N) is attained for N = 2: {3,2,2}, {1}, placed longest first, costs 5 and can cost 4 ---- *)
Section Attained.
Inductive org := O1 | O2.
Definition org_dec (a b : org) : {a = b} + {a <> b}.
Proof. decide equality. Defined.

Variable prio : org -> list org.
Hypothesis prio_permutation : forall l, Permutation (prio l) [O1; O2].
Definition three_two_two (a : org) : list num := match a with O1 => [3; 2; 2] | O2 => [1] end.
Definition by_length (a : org) (t : nat) : org := match a, t with O1, 1%nat | O2, _ => O2 | _, _ => O1 end.

Theorem longest_first_profile_attained : (forall a, longest_first org_dec three_two_two prio by_length a) /\
  5 <= cost org_dec [O1; O2] three_two_two prio by_length O1 /\
  exists d, cost org_dec [O1; O2] three_two_two prio (deviate org_dec by_length O1 d) O1 <= 4.
Proof.
  assert (Jn : forall a, nonneg (three_two_two a)).
  { intros [] x; simpl; intros H; repeat destruct H as [H|H]; try subst x; try lra; destruct H. }
  assert (all2 : forall l, In l [O1; O2]) by (intros []; simpl; auto).
  assert (nodup2 : forall l, NoDup (prio l)).
  { intros l. apply (Permutation_NoDup (Permutation_sym (prio_permutation l))).
    repeat constructor; simpl; intuition discriminate. }
  assert (in2 : forall l a, In a (prio l)).
  { intros l a. apply (Permutation_in _ (Permutation_sym (prio_permutation l))), all2. }
  assert (R0 := ready_home org_dec three_two_two prio by_length).
  assert (only : forall x, x = O1 \/ x = O2) by (intros []; auto).
  assert (R1 := ready_two org_dec three_two_two prio by_length O1 O2 ltac:(discriminate) only).
  assert (R2 := ready_two org_dec three_two_two prio by_length O2 O1 ltac:(discriminate) ltac:(intros []; auto)).
  assert (L1 : load org_dec three_two_two by_length O1 O1 == 5) by (unfold load, ld; simpl; lra).
  assert (L2 : load org_dec three_two_two by_length O2 O2 == 1) by (unfold load, ld; simpl; lra).
  assert (C := fun p => cost_le org_dec [O1; O2] three_two_two prio all2 nodup2 in2 Jn p O1).
  split; [|split].
  - intros a. exists (three_two_two a), (by_length a). split; [apply Permutation_refl|].
    assert (Ra := R0 O1). assert (Rb := R0 O2). destruct a; simpl; (split; [|split; [|intros; apply Permutation_refl]]).
    + repeat split; intros y H; repeat destruct H as [H|H]; try subst y; try lra; destruct H.
    + repeat split; intros []; simpl; lra.
    + repeat split; intros y H; destruct H.
    + repeat split; intros []; simpl; lra.
  - assert (U : placed org_dec O1 (three_two_two O1) (by_length O1) <> []) by discriminate.
    generalize (cost_ge org_dec [O1; O2] three_two_two prio all2 nodup2 in2 Jn
      by_length O1 O1 U) (R0 O1). lra.
  - exists (fun t => match t with 0%nat => O2 | _ => O1 end).
    apply (dev_le org_dec [O1; O2] three_two_two prio all2 nodup2 in2 Jn).
    split; [lra|]. intros l _. generalize (R0 O1). destruct l; unfold ld; simpl; lra.
Qed.
End Attained.
