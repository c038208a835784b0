(* Profiles placed longest first are (3/2 - 1/(2N))-equilibria, N organizations with one machine each (R9 in the
   documentation).

   A longest-first profile: each organization's jobs, longest first, go one after the other to a machine that is free
   first for that organization, counting what the profile runs before it there. The event loop of SeveralExistence.v
   gives one for every game (`longest_first_exists`). The theorem: nobody pays more than 3/2 - 1/(2N) times what any
   other placement of its jobs costs (`longest_first_profile`).

   Idea. Let p be the job of the organization that ends last, s its start, pre the jobs before it (all at least p), C
   the cost of another placement d, R_l the ready times (0 at home). With pre every machine is busy until s.
   (1) s + p/N <= C: on every machine that d uses it has room for at most C - R_l of the work of pre and p, and the list
   has at least s - R_l of pre there; the difference, p in all, is at most C - s on each of the N machines. (If C < s,
   d would have less than the list at home, where R_l = 0, and no more elsewhere.)
   (2) If C < 2p, then d has at most one of pre and p on each machine, so it uses a machine where the list has none of
   pre; there R_l >= s, and d pays at least R_l + p: s + p <= C.
   (3) If C >= 2p, then s + p <= C + (1 - 1/N) p <= (3/2 - 1/(2N)) C. *)
From Coq Require Import List Lia Permutation.
Require Import Numbers Sums Game Loads ListSchedule TwoOrganizations.
Require IdenticalMachines SeveralMachines SeveralExistence.
Import ListNotations.

Section LongestFirst.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variables (machines : list O) (jobs : O -> list num) (prio : O -> list O).
Hypotheses (machines_all : forall l, In l machines) (machines_nodup : NoDup machines).
Hypotheses (prio_nodup : forall l, NoDup (prio l)) (prio_all : forall l a, In a (prio l)).
Hypothesis jobs_nonneg : forall a, nonneg (jobs a).

Notation cost := (cost dec machines jobs prio).
Notation deviate := (deviate dec).
Notation ready := (ready dec jobs prio).
Notation load := (load dec jobs).
Notation ld := (ld dec).
Notation placed := (placed dec).

(* ================= DEFINITION ================= *)
(* the placement of a in p is a list schedule (lpt: ListSchedule.v), longest first, on the ready times that a sees *)
Definition longest_first (p : profile (O:=O)) (a : O) : Prop :=
  exists js s, Permutation (jobs a) js /\ descending js /\ lpt dec (ready p a) js s /\
    forall l, Permutation (placed l (jobs a) (p a)) (placed l js s).

(* ================= SUCH PROFILES EXIST ================= *)
(* one machine each: the loads that an organization sees at a host are one number, its ready time there *)
Lemma list_reply_lpt js : forall (R : O -> list num) (r : O -> num) s, (forall l, exists t, R l = [t] /\ t == r l) ->
  SeveralMachines.list_reply dec R js s -> lpt dec r js s.
Proof.
  induction js as [|x js IH]; intros R r s H; simpl; [trivial|]. intros [H1 H2]. split.
  - intros l. specialize (H1 l). destruct (H l) as (t & E & Et), (H (s 0%nat)) as (u & F & Eu).
    rewrite E, F in H1. simpl in H1. lra.
  - apply (IH (SeveralMachines.serve_at dec (s 0%nat) x R)); [|exact H2]. intros l. unfold SeveralMachines.serve_at.
    destruct (H l) as (t & E & Et). rewrite E.
    destruct (dec (s 0%nat) l); [exists (t + x)|exists t]; (split; [reflexivity|lra]).
Qed.
Lemma ready_one J p a l : exists t, SeveralMachines.ready dec (fun _ => 1%nat) J prio p a l = [t] /\
  t == Game.ready dec J prio p a l.
Proof.
  assert (G : forall js t, exists u, IdenticalMachines.run [t] js = [u] /\ u == t + sum js).
  { induction js as [|x js IH]; intros t; simpl; [exists t; split; [reflexivity|lra]|].
    destruct (IH (t + x)) as (u & E & Eu). exists u. split; [exact E|lra]. }
  destruct (G (SeveralMachines.ahead dec J prio p a l) 0) as (u & E & Eu). exists u. split; [exact E|].
  generalize (sum_flat_map (fun b => placed l (J b) (p b)) (before dec a (order dec prio l))).
  unfold Game.ready, Game.load, Game.ld, SeveralMachines.ahead in *. lra.
Qed.
Lemma longest_first_exists : exists p, forall a, longest_first p a.
Proof.
  destruct (sorted_jobs dec machines jobs machines_all) as (J & HP & Hd).
  destruct (SeveralExistence.everybody_list_schedules dec machines (fun _ => 1%nat) J prio machines_all prio_nodup
    prio_all (fun a => nonneg_perm _ _ (HP a) (jobs_nonneg a))) as (st & Hst).
  destruct (reordered_profile dec machines jobs machines_all J HP st) as (p & Hp).
  exists p. intros a. exists (J a), (st a). split; [apply HP|]. split; [apply Hd|]. split; [|apply Hp].
  apply (list_reply_lpt _ _ _ _) with (2 := Hst a). intros l. destruct (ready_one J st a l) as (t & E & Et).
  exists t. split; [exact E|]. rewrite Et. apply sum_map_eq. intros b. apply sum_perm, Permutation_sym, Hp.
Qed.

(* ================= LISTS ================= *)
(* machines with ready times R, all nonnegative and 0 at home *)
Section List.
Variable R : O -> num.
Hypothesis R_nonneg : forall l, 0 <= R l.
Variable h : O.
Hypothesis R_home : R h == 0.

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

(* another placement d of the jobs pre and p, within cost c, when the list with pre keeps all machines busy until s *)
Section Other.
Variables (pre : list num) (p s c : num) (st d : strategy (O:=O)).
Notation js := (pre ++ [p]).
Notation n := (ofnat (length machines)).
Hypothesis p_nonneg : 0 <= p.
Hypothesis c_nonneg : 0 <= c.
Hypothesis busy : forall l, s <= R l + ld l pre st.
Hypothesis within : forall l, placed l js d <> [] -> R l + ld l js d <= c.

(* (1) the work of pre and p fits into the other placement *)
Lemma start_bound : nonneg pre -> n * s + p <= n * c.
Proof.
  intros Hn.
  assert (P : forall l, 0 <= ld l pre st)
    by (intros l; apply sum_nonneg; intros x Hx; exact (Hn x (placed_in dec _ _ _ _ Hx))).
  assert (Room : forall l, ld l js d <= c - R l \/ ld l js d <= 0).
  { intros l. specialize (within l). unfold Game.ld in *.
    destruct (placed l js d); [right; simpl; lra|left; specialize (within ltac:(discriminate)); lra]. }
  assert (Ed := ld_total dec machines machines_all machines_nodup js d).
  assert (Est := ld_total dec machines machines_all machines_nodup pre st).
  assert (Ejs := sum_app pre [p]). simpl in Ejs.
  destruct (lt_le c s) as [G|G].
  - exfalso. assert (E := sum_map_plus (fun l => ld l js d) (fun l => if dec h l then s - c else 0) machines).
    assert (E2 := sum_point dec h (s - c) machines machines_nodup (machines_all h)). cbv beta in E.
    destruct (sum_less (fun l => ld l pre st) (fun l => ld l js d + if dec h l then s - c else 0) machines)
      as (l & _ & Less); [lra|].
    specialize (P l). specialize (busy l). specialize (Room l). destruct (dec h l) as [e|_]; [subst l|]; lra.
  - destruct (lt_le (n * c) (n * s + p)) as [H|H]; [exfalso|exact H].
    assert (E := sum_map_plus (fun l => ld l pre st) (fun _ => c - s) machines).
    assert (E2 := sum_le_const (fun _ : O => c - s) (c - s) machines ltac:(intros; cbv beta; lra)). cbv beta in E.
    destruct (sum_less (fun l => ld l pre st + (c - s)) (fun l => ld l js d) machines) as (l & _ & Less); [lra|].
    specialize (P l). specialize (busy l). specialize (Room l). lra.
Qed.

(* (2) jobs longer than half the cost are on different machines *)
Lemma short_cost : (forall x, In x pre -> p <= x) -> c < p + p -> s + p <= c.
Proof.
  intros Hpre Hc.
  destruct (sum_less (fun l => ofnat (length (placed l pre st))) (fun l => ofnat (length (placed l js d))) machines)
    as (l & _ & More).
  { rewrite !(length_total dec machines machines_all machines_nodup), app_length.
    generalize (ofnat_plus (length pre) 1). simpl. lra. }
  assert (Long : forall x, In x (placed l js d) -> p <= x).
  { intros x Hx. apply placed_in, in_app_or in Hx. destruct Hx as [Hx|[e|[]]]; [auto|subst; lra]. }
  specialize (within l). specialize (busy l). specialize (R_nonneg l). unfold Game.ld in *.
  destruct (placed l js d) as [|x r]; [simpl in More; generalize (ofnat_nonneg (length (placed l pre st))); lra|].
  specialize (within ltac:(discriminate)). assert (X := Long x (or_introl eq_refl)).
  assert (Hr : nonneg r) by (intros y Hy; specialize (Long y (or_intror Hy)); lra). destruct r as [|y r].
  - destruct (placed l pre st) as [|z t]; [simpl in *; lra|]. exfalso. simpl in More.
    generalize (ofnat_nonneg (length t)). lra.
  - exfalso. assert (Y := Long y (or_intror (or_introl eq_refl))). destruct (nonneg_cons y r Hr) as [_ Hr'].
    generalize (sum_nonneg r Hr'). simpl in within. lra.
Qed.
End Other.

(* a list schedule, longest first, ends after at most 3/2 - 1/(2N) times the cost of another placement *)
Lemma longest_first_list js st d c : nonneg js -> descending js -> lpt dec R js st -> 0 <= c ->
  (forall l, placed l js d <> [] -> R l + ld l js d <= c) ->
  let n := ofnat (length machines) in
  forall l, placed l js st <> [] -> 2 * n * (R l + ld l js st) <= (3 * n - 1) * c.
Proof.
  intros Hn Hdesc Hlist Hc Hd n l U.
  assert (Hne : js <> []) by (intros e; rewrite e in U; exact (U eq_refl)).
  destruct (lpt_last dec js R st R_nonneg Hn Hlist Hne) as (pre & p & post & s & E & Hs & H1 & H2).
  specialize (H2 l U). subst js. destruct (proj1 (nonneg_app _ _) Hn) as [Npre Npost].
  destruct (nonneg_cons _ _ Npost) as [Hp Npost'].
  assert (Hd' : forall l, placed l (pre ++ [p]) d <> [] -> R l + ld l (pre ++ [p]) d <= c).
  { intros l'. apply (drop_last l' (pre ++ [p]) post d c Npost'). rewrite <- app_assoc. apply Hd. }
  assert (N1 : 1 <= n) by exact (length_some h machines (machines_all h)).
  assert (G : 2 * (n * (s + p)) <= (3 * n - 1) * c).
  { destruct (lt_le c (p + p)) as [Small|Big].
    - assert (B := short_cost pre p s c st d Hp Hc H1 Hd' (descending_before pre p post Hdesc) Small).
      assert (B1 := mul_le n _ _ ltac:(lra) B). assert (B2 := mul_nonneg (n - 1) c ltac:(lra) Hc). lra.
    - assert (B := start_bound pre p s c st d Hp Hc H1 Hd' Npre). fold n in B.
      assert (B1 := mul_le (n - 1) _ _ ltac:(lra) Big). lra. }
  assert (B := mul_le n _ _ ltac:(lra) H2). lra.
Qed.
End List.

(* ================= THE THEOREM ================= *)
Theorem longest_first_profile p a d : longest_first p a ->
  let n := ofnat (length machines) in 2 * n * cost p a <= (3 * n - 1) * cost (deviate p a d) a.
Proof.
  intros (js & st & Hperm & Hdesc & Hlist & Hp) n. set (c := cost (deviate p a d) a).
  destruct (proj1 (dev_le dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg p a d c)) as [Hc Hdev];
    [unfold c; lra|].
  destruct (placed_perm dec js (jobs a) (Permutation_sym Hperm) d) as (d' & Hd').
  assert (Hn := nonneg_perm _ _ Hperm (jobs_nonneg a)).
  assert (L : forall l, placed l js st <> [] -> 2 * n * (ready p a l + ld l js st) <= (3 * n - 1) * c).
  { apply (longest_first_list (ready p a)) with (h := a) (d := d'); auto.
    - intros l. apply ready_nonneg; auto.
    - apply ready_home.
    - intros l U. assert (El : ld l js d' == ld l (jobs a) d) by apply sum_perm, Hd'.
      specialize (Hdev l (perm_nonempty _ _ (Hd' l) U)). lra. }
  assert (N1 : 1 <= n) by exact (length_some a machines (machines_all a)).
  set (b := ((3 * n - 1) * c) / (2 * n)).
  assert (Eb : 2 * n * b == (3 * n - 1) * c) by (unfold b; field; lra).
  assert (G : cost p a <= b).
  { apply cost_le; auto. split.
    - apply (mul_nonneg_cancel (2 * n)); [lra|]. assert (P := mul_nonneg (3 * n - 1) c ltac:(lra) Hc). lra.
    - intros l U. apply (mul_cancel (2 * n)); [lra|].
      assert (El : load p a l == ld l js st) by apply sum_perm, Hp.
      specialize (L l (perm_nonempty _ _ (Hp l) U)).
      assert (X : 2 * n * load p a l == 2 * n * ld l js st) by (rewrite El; lra). lra. }
  assert (B := mul_le (2 * n) _ _ ltac:(lra) G). lra.
Qed.

(* every game has a (3/2 - 1/(2N))-equilibrium *)
Theorem approximate_equilibrium_exists : let n := ofnat (length machines) in
  exists p, forall a d, 2 * n * cost p a <= (3 * n - 1) * cost (deviate p a d) a.
Proof. destruct longest_first_exists as (p & Hp). exists p. intros a d. apply longest_first_profile, Hp. Qed.
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
  assert (R1 := ready_two org_dec three_two_two prio by_length O1 O2 ltac:(split; [discriminate|exact only])).
  assert (R2 := ready_two org_dec three_two_two prio by_length O2 O1
    ltac:(split; [discriminate|intros []; auto])).
  assert (L1 : load org_dec three_two_two by_length O1 O1 == 5) by (unfold load, ld; simpl; lra).
  assert (L2 : load org_dec three_two_two by_length O2 O2 == 1) by (unfold load, ld; simpl; lra).
  assert (C := fun p => cost_le org_dec [O1; O2] three_two_two prio all2 nodup2 in2 Jn p O1).
  split; [|split].
  - intros a. exists (three_two_two a), (by_length a). split; [apply Permutation_refl|].
    assert (Ra := R0 O1). assert (Rb := R0 O2). destruct a; simpl; (split; [|split; [|intros; apply Permutation_refl]]).
    + repeat constructor; lra.
    + repeat split; intros []; simpl; lra.
    + repeat constructor.
    + repeat split; intros []; simpl; lra.
  - assert (U : placed org_dec O1 (three_two_two O1) (by_length O1) <> []) by discriminate.
    generalize (cost_ge org_dec [O1; O2] three_two_two prio all2 nodup2 in2 Jn
      by_length O1 O1 U) (R0 O1). lra.
  - exists (fun t => match t with 0%nat => O2 | _ => O1 end).
    apply (dev_le org_dec [O1; O2] three_two_two prio all2 nodup2 in2 Jn).
    split; [lra|]. intros l _. generalize (R0 O1). destruct l; unfold ld; simpl; lra.
Qed.
End Attained.
