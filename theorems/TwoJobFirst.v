(* An organization i that comes first with two jobs, and an organization e without jobs: there is an equilibrium
   if there is one in the game in which i has only its longer job and e the shorter one (T8 in the documentation).

   The proof: in the smaller game i and e are at home. Put the shorter job of i on e's machine (placement). Every
   machine then has the same work on it, and every other organization the same ready times: on e's machine the
   owner's work has
   become i's, who is before everybody with a choice (ready_multi). So the others stay content. Organization i pays its
   longer job, less than which no strategy costs (T8_equilibrium).

   For four organizations that is T8_shape, with shapes in which only one organization has a choice (solvable4h_one) or
   that are renamed (solvable4h_perm): two_job_first_alone, two_job_first_by. In the same way, but at once, the first
   organization puts three jobs on three machines (three_jobs_first). *)
From Coq Require Import List Lia Permutation Bool FinFun.
Require Import Numbers Game Sums Forms AnyLengths Shapes FourOrganizations.
Import ListNotations.

Section T8.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variable machines : list O.
Hypotheses (machines_nodup : NoDup machines) (machines_all : forall l, In l machines).
Variable prio : O -> list O.
Hypotheses (prio_nodup : forall l, NoDup (prio l)) (prio_all : forall l a, In a (prio l)).
Notation cost := (cost dec machines).
Notation equilibrium := (equilibrium dec machines).
Notation placed := (placed dec).

Lemma cost_le2 jobs jobs' p p' a : (forall b, nonneg (jobs b)) -> (forall b, nonneg (jobs' b)) ->
  (forall l, ready dec jobs prio p a l == ready dec jobs' prio p' a l) ->
  (forall l, placed l (jobs a) (p a) = placed l (jobs' a) (p' a)) ->
  cost jobs prio p a <= cost jobs' prio p' a.
Proof.
  intros N N' HR HP. apply (cost_le dec machines jobs prio machines_all prio_nodup prio_all N).
  split; [apply cost_nonneg; auto|]. intros l Hl. rewrite HR. unfold load, ld. rewrite HP in *.
  exact (cost_ge dec machines jobs' prio machines_all prio_nodup prio_all N' p' a l Hl).
Qed.

Variable jobs : O -> list num.
Hypothesis N : forall b, nonneg (jobs b).
Variables (i e : O) (u v : num).
Hypothesis ie : i <> e.
Hypothesis jobs_i : jobs i = [u; v].
Hypothesis jobs_e : jobs e = [].
Variable multi : O -> bool.                     (* all others are single and at home in p' *)
Hypothesis multi_i : multi i = false.
Hypothesis multi_e : multi e = false.
Hypothesis multi_o : forall x, x <> i -> multi x = false -> (length (jobs x) <= 1)%nat.
Hypothesis first : forall x, multi x = true -> In i (before dec x (order dec prio e)).

Definition small : nat := if lt_le u v then 0%nat else 1%nat.      (* the job that goes to e *)
Definition la : num := if lt_le u v then v else u.
Definition lb : num := if lt_le u v then u else v.
Definition reduced : O -> list num := fun x => if dec x i then [la] else if dec x e then [lb] else jobs x.
Variable p' : O -> nat -> O.
Hypothesis E' : equilibrium reduced prio p'.
Hypothesis home' : forall x l, multi x = false -> l <> x -> placed l (reduced x) (p' x) = [].

Definition placement : O -> nat -> O := fun x => if dec x i then (fun n => if Nat.eqb n small then e else i) else p' x.

Lemma la_lb : 0 <= lb /\ lb <= la.
Proof.
  assert (0 <= u) by (apply (N i); rewrite jobs_i; simpl; auto).
  assert (0 <= v) by (apply (N i); rewrite jobs_i; simpl; auto).
  unfold la, lb. destruct (lt_le u v); split; lra.
Qed.
Lemma N' b : nonneg (reduced b).
Proof.
  unfold reduced. destruct la_lb. destruct (dec b i); [|destruct (dec b e); [|apply N]];
    intros x [H1|[]]; subst; lra.
Qed.
Lemma reduced_i : reduced i = [la]. Proof. unfold reduced. destruct (dec i i); congruence. Qed.
Lemma reduced_e : reduced e = [lb].
Proof. unfold reduced. destruct (dec e i); [congruence|]. destruct (dec e e); congruence. Qed.
Lemma reduced_o x : x <> i -> x <> e -> reduced x = jobs x.
Proof. intros. unfold reduced. destruct (dec x i); [congruence|]. destruct (dec x e); congruence. Qed.
Lemma placement_i : placement i = fun n => if Nat.eqb n small then e else i.
Proof. unfold placement. destruct (dec i i); congruence. Qed.
Lemma placement_o x : x <> i -> placement x = p' x.
Proof. intros. unfold placement. destruct (dec x i); congruence. Qed.
Lemma load_i l : load dec jobs placement i l == if dec l i then la else if dec l e then lb else 0.
Proof.
  unfold load, ld. rewrite placement_i, jobs_i. unfold la, lb, small.
  destruct (lt_le u v); simpl; destruct (dec l i), (dec l e); subst; try congruence;
    repeat match goal with |- context [dec ?x ?y] => destruct (dec x y); try congruence end; simpl; lra.
Qed.
Lemma load_e l : load dec jobs placement e l == 0.
Proof. unfold load, ld. rewrite jobs_e. simpl. lra. Qed.
Lemma load_single x y l : multi x = false -> reduced x = [y] -> load dec reduced p' x l == if dec l x then y else 0.
Proof.
  intros M H. unfold load, ld. destruct (dec l x) as [q|q].
  - subst l. assert (G := home' x (p' x 0%nat) M). rewrite H in *. simpl in *.
    destruct (dec (p' x 0%nat) x) as [q|q]; simpl; [lra|].
    destruct (dec (p' x 0%nat) (p' x 0%nat)); [|congruence]. specialize (G q). discriminate G.
  - rewrite home'; [simpl; lra|exact M|exact q].
Qed.
Lemma load_o x l : x <> i -> x <> e -> load dec jobs placement x l == load dec reduced p' x l.
Proof. intros A B. unfold load. rewrite placement_o, reduced_o by assumption. lra. Qed.

Definition swap (x : O) : O := if dec x i then e else if dec x e then i else x.
Lemma swap_swap x : swap (swap x) = x.
Proof. unfold swap. destruct (dec x i), (dec x e); subst;
  repeat match goal with |- context [dec ?x ?y] => destruct (dec x y); try congruence end. Qed.
Lemma load_swap x : load dec reduced p' x e == load dec jobs placement (swap x) e.
Proof.
  unfold swap. destruct (dec x i) as [q|q]; [|destruct (dec x e) as [q'|q']].
  - subst. rewrite (load_single i la e multi_i reduced_i), load_e. destruct (dec e i); [congruence|lra].
  - subst. rewrite (load_single e lb e multi_e reduced_e), load_i. destruct (dec e e), (dec e i); try congruence; lra.
  - symmetry. apply load_o; assumption.
Qed.
Lemma ready_multi x l : x <> i -> x <> e -> multi x = true ->
  ready dec jobs prio placement x l == ready dec reduced prio p' x l.
Proof.
  intros A B M. unfold ready. destruct (dec l e) as [q|q].
  - subst l. set (L := before dec x (order dec prio e)).
    assert (Ie : In e L).
    { unfold L, order. simpl. destruct (dec e x); [congruence|left; reflexivity]. }
    assert (Ii : In i L) by (apply first; assumption).
    assert (ND : NoDup L) by (apply before_nodup, order_nodup; assumption).
    rewrite (sum_map_eq_in (fun b => load dec reduced p' b e) (fun b => load dec jobs placement (swap b) e))
      by (intros; apply load_swap).
    rewrite <- (map_map swap (fun b => load dec jobs placement b e)).
    apply sum_perm. apply Permutation_map. apply NoDup_Permutation; [exact ND| |].
    + apply Injective_map_NoDup; [|exact ND]. intros y z H. rewrite <- (swap_swap y), <- (swap_swap z), H. reflexivity.
    + intros y. assert (S : forall z, In z L -> In (swap z) L).
      { intros z Hz. unfold swap. destruct (dec z i); [exact Ie|]. destruct (dec z e); [exact Ii|exact Hz]. }
      split; intros H.
      * rewrite <- (swap_swap y). apply in_map, S, H.
      * apply in_map_iff in H. destruct H as (z & Ez & Hz). subst y. apply S, Hz.
  - apply sum_map_eq_in. intros y _. destruct (dec y i) as [r|r]; [|destruct (dec y e) as [r'|r']].
    + subst. rewrite load_i, (load_single i la l multi_i reduced_i). destruct (dec l i), (dec l e); try congruence; lra.
    + subst. rewrite load_e, (load_single e lb l multi_e reduced_e). destruct (dec l e); [congruence|lra].
    + apply load_o; assumption.
Qed.
Lemma single_home x l : x <> i -> multi x = false -> l <> x -> placed l (jobs x) (placement x) = [].
Proof.
  intros A H Hl. rewrite placement_o by exact A. destruct (dec x e) as [q|q].
  - subst. rewrite jobs_e. reflexivity.
  - rewrite <- (reduced_o x) by assumption. apply home'; [exact H|exact Hl].
Qed.

Theorem T8_equilibrium : equilibrium jobs prio placement.
Proof.
  intros x d. destruct (dec x i) as [q|q].
  - subst x.
    assert (Big : la <= cost jobs prio (deviate dec placement i d) i).
    { apply (job_cost dec machines machines_nodup machines_all prio prio_nodup prio_all jobs N).
      rewrite jobs_i. unfold la. destruct (lt_le u v); simpl; auto. }
    destruct la_lb as [Hb Hab].
    apply (cost_le dec machines jobs prio machines_all prio_nodup prio_all N).
    split; [apply cost_nonneg; auto|]. intros l Hl. rewrite load_i.
    destruct (dec l i) as [r|r]; [|destruct (dec l e) as [r'|r']].
    + subst l. generalize (ready_home dec jobs prio placement i). lra.
    + subst l. assert (Z : ready dec jobs prio placement i e == 0); [|lra]. apply sum_zero.
      intros y Hy. assert (yi := proj2 (before_in dec i y _ Hy)).
      destruct (dec y e) as [s|s]; [subst; apply load_e|].
      destruct (multi y) eqn:M.
      * exfalso. apply (before_asym dec i y (order dec prio e)); [apply first; exact M|exact Hy].
      * unfold load, ld. rewrite single_home by (auto; congruence). simpl. lra.
    + exfalso. apply Hl. rewrite placement_i, jobs_i. unfold small. destruct (lt_le u v); simpl;
      repeat match goal with |- context [dec ?x ?y] => destruct (dec x y); try congruence end.
  - destruct (multi x) eqn:M.
    2: { apply (single_content dec machines machines_nodup machines_all prio prio_nodup prio_all jobs N); auto.
         intros l Hl. apply single_home; assumption. }
    + assert (xe : x <> e) by congruence.
      assert (A : cost jobs prio placement x <= cost reduced prio p' x).
      { apply cost_le2; auto using N'.
        - intros l. apply ready_multi; auto.
        - intros l. rewrite reduced_o, placement_o by assumption. reflexivity. }
      assert (B : cost reduced prio (deviate dec p' x d) x <= cost jobs prio (deviate dec placement x d) x).
      { apply cost_le2; auto using N'.
        - intros l. rewrite !ready_dev. symmetry. apply ready_multi; auto.
        - intros l. rewrite !deviate_same, reduced_o by assumption. reflexivity. }
      generalize (E' x d). lra.
Qed.
End T8.

(* ---------- only one other organization has a choice ---------- *)
(* In the smaller game all are at home but j, who plays a best reply. *)
Theorem one_other_choice {O : Type} (dec : forall a b : O, {a = b} + {a <> b}) machines prio jobs i e j u v :
  NoDup machines -> (forall l, In l machines) -> (forall l, NoDup (prio l)) -> (forall l a, In a (prio l)) ->
  (forall b, nonneg (jobs b)) -> i <> e -> j <> i -> j <> e -> jobs i = [u; v] -> jobs e = [] ->
  (forall x, x <> i -> x <> j -> (length (jobs x) <= 1)%nat) -> In i (before dec j (order dec prio e)) ->
  exists p, equilibrium dec machines jobs prio p.
Proof.
  intros Hd Hm Hn Ha N ie ji je Ji Je Single First.
  destruct (one_choice dec machines Hd Hm prio Hn Ha (reduced dec jobs i e u v) (N' dec jobs N i e u v Ji) j)
    as (p & E & Home).
  { intros b n. unfold reduced. destruct (dec b i); [simpl; auto|]. destruct (dec b e); simpl; auto. }
  exists (placement dec i e u v p). set (multi x := if dec x j then true else false).
  assert (M : forall x, multi x = false <-> x <> j) by (intros x; unfold multi; destruct (dec x j); split; congruence).
  apply T8_equilibrium with (multi := multi); auto; try (apply M; congruence).
  - intros x n H. apply M in H. auto.
  - intros x. unfold multi. destruct (dec x j); [subst; auto|discriminate].
  - intros x l H. apply M in H. auto.
Qed.

(* ---------- for four organizations ---------- *)
Lemma solvable4h_mono K1 K2 : (forall a, (K2 a <= K1 a)%nat) -> (forall a, (K2 a <= 1)%nat -> (K1 a <= 1)%nat) ->
  solvable4h K1 -> solvable4h K2.
Proof.
  intros A B H jobs N K. destruct (H jobs N) as (p & E & Hh).
  - intros a. specialize (A a). specialize (K a). lia.
  - exists p. split; [exact E|]. intros a l Ha. apply Hh, B, Ha.
Qed.

Theorem T8_shape n m : solvable4h (shape4 1 n m 1) -> solvable4h (shape4 2 n m 0).
Proof.
  intros H jobs N K.
  assert (K1 := K O1). assert (K2 := K O2). assert (K3 := K O3). assert (K4 := K O4). simpl in K1, K2, K3, K4.
  destruct (jobs O1) as [|u [|v [|w r]]] eqn:J; simpl in K1; try lia.
  1,2: destruct (H jobs N) as (p & E & Hh); [intros []; simpl; rewrite ?J; simpl; lia|];
       exists p; split; [exact E|]; intros a l Ha Hl; apply Hh; [|exact Hl]; destruct a; simpl in *; lia.
  assert (J4 : jobs O4 = []) by (destruct (jobs O4); [reflexivity|simpl in K4; lia]).
  assert (N2 : forall b, nonneg (jobs b)) by (intros b x; apply N).
  destruct (H (reduced dec4 jobs O1 O4 u v)) as (p & E & Hh).
  - intros a x Hx. exact (N' dec4 jobs N2 O1 O4 u v J a x Hx).
  - intros []; unfold reduced; simpl; lia.
  - set (multi := fun x : org4 => (2 <=? shape4 1 n m 1 x)%nat).
    assert (Hm : forall x, multi x = false -> (shape4 1 n m 1 x <= 1)%nat).
    { intros x Hx. apply PeanoNat.Nat.leb_gt in Hx. lia. }
    assert (O14 : O1 <> O4) by discriminate.
    exists (placement dec4 O1 O4 u v p). split.
    + apply (T8_equilibrium dec4 all4 nodup4 in4 (fun _ => all4) (fun _ => nodup4) (fun _ => in4)
      jobs N2 O1 O4 u v J J4 multi); auto.
      * intros x Hx Mx. specialize (K x). specialize (Hm x Mx). destruct x; simpl in *; try lia; congruence.
      * intros x Mx. destruct x; try discriminate Mx; simpl; auto.
    + intros a l Ha Hl. assert (Aa : a <> O1) by (intros e; subst; simpl in Ha; lia).
      apply (single_home dec4 jobs O1 O4 u v J4 multi p); auto.
      unfold multi. apply PeanoNat.Nat.leb_gt. destruct a; simpl in *; lia.
Qed.

(* the same organizations in another order, singles anywhere *)
Theorem solvable4h_perm tau K : bij tau = true -> compat tau K = true -> solvable4h K ->
  solvable4h (fun a => K (inv tau a)).
Proof.
  intros Hb Hc HK jobs N HL.
  assert (gf := bij_gf tau Hb). assert (fg := bij_fg tau Hb).
  assert (Hf : fits tau (fun a => length (jobs a)) K = true).
  { unfold fits. assert (G : forall L, all (fun b => (length (jobs (ren tau b)) <=? K b)%nat) L = true).
    { induction L as [|b L IH]; simpl; [reflexivity|]. specialize (HL (ren tau b)). rewrite gf in HL.
      apply PeanoNat.Nat.leb_le in HL. rewrite HL. exact IH. }
    apply G. }
  destruct (by_shape tau K jobs Hb Hf Hc HK N) as (p & E & Hh). exists p. split; [exact E|exact Hh].
Qed.

(* at most one organization with a choice *)
Theorem solvable4h_one K a : (forall b, b <> a -> (K b <= 1)%nat) -> (2 <= K a)%nat -> solvable4h K.
Proof.
  intros H H2 jobs N HK.
  destruct (one_choice dec4 all4 nodup4 in4 (fun _ => all4) (fun _ => nodup4) (fun _ => in4) jobs N a)
    as (p & E & Home).
  - intros b n. specialize (H b n). specialize (HK b). lia.
  - exists p. split; [exact E|]. intros b l Hb. apply Home. intros e. subst. lia.
Qed.

(* A shape whose first organization has two jobs and whose last one has none, from one in which only the second has a
   choice, or from the one in which the second comes first. *)
Theorem two_job_first_alone n m : (2 <= n)%nat -> (m <= 1)%nat -> solvable4h (shape4 2 n m 0).
Proof.
  intros Hn Hm. apply T8_shape. apply (solvable4h_one _ O2); [|exact Hn].
  intros [] H; simpl; try lia; congruence.
Qed.

Theorem two_job_first_by n m : solvable4h (shape4 n m 1 1) ->
  compat [O2; O3; O1; O4] (shape4 n m 1 1) = true -> solvable4h (shape4 2 n m 0).
Proof.
  intros H C. apply T8_shape. apply (solvable4h_mono (fun a => shape4 n m 1 1 (inv [O2; O3; O1; O4] a))).
  - intros []; simpl; lia.
  - intros []; simpl; lia.
  - apply solvable4h_perm; [reflexivity|exact C|exact H].
Qed.

(* ---------- three jobs that go first, and two organizations without jobs ---------- *)
(* The first organization has one job at home and one on each machine of those without jobs: it pays its longest job,
   whatever the second one does, which therefore needs no more than a best reply. *)
Theorem three_jobs_first n : (2 <= n)%nat -> solvable4h (shape4 3 n 0 0).
Proof.
  intros Hn jobs N K.
  set (prio := fun _ : org4 => all4).
  set (s1 := fun k : nat => match k with 0%nat => O1 | 1%nat => O3 | _ => O4 end).
  set (P := fun b : org4 => match b with O1 => s1 | _ => home b : nat -> org4 end).
  assert (K1 := K O1). assert (K3 := K O3). assert (K4 := K O4). simpl in K1, K3, K4.
  assert (J3 : jobs O3 = []) by (destruct (jobs O3); [reflexivity|simpl in K3; lia]).
  assert (J4 : jobs O4 = []) by (destruct (jobs O4); [reflexivity|simpl in K4; lia]).
  destruct (best_reply_content dec4 all4 jobs prio in4 P O2) as (br & Hbr).
  exists (deviate dec4 P O2 br). split.
  2: { intros a l Ha _. destruct a; simpl in Ha; try lia; rewrite ?J3, ?J4; reflexivity. }
  intros a d. destruct a; [| |apply (single_content dec4 all4 nodup4 in4 prio (fun _ => nodup4) (fun _ => in4) jobs N);
    rewrite ?J3, ?J4; simpl; auto..].
  - apply (cost_le dec4 all4 jobs prio in4 (fun _ => nodup4) (fun _ => in4) N).
    split; [apply cost_nonneg; auto using in4, nodup4|].
    intros l Hl. unfold load, ld in *. change (deviate dec4 P O2 br O1) with s1 in *.
    assert (R : ready dec4 jobs prio (deviate dec4 P O2 br) O1 l == 0 \/ l = O2).
    { destruct l; [left; apply ready_home|right; reflexivity|left..];
        unfold ready, load, ld; simpl; rewrite ?J3, ?J4; simpl; lra. }
    assert (X : exists x, In x (jobs O1) /\ sum (placed dec4 l (jobs O1) s1) == x /\ l <> O2).
    { destruct (jobs O1) as [|x [|y [|z [|]]]]; simpl in K1; try lia; destruct l; simpl in Hl |- *; try congruence;
        first [exists x; repeat split; [auto|lra|discriminate] | exists y; repeat split; [auto|lra|discriminate]
              | exists z; repeat split; [auto|lra|discriminate]]. }
    destruct X as (x & Hx & E & n2). destruct R as [R|R]; [|congruence].
    generalize (job_cost dec4 all4 nodup4 in4 prio (fun _ => nodup4) (fun _ => in4) jobs N
      (deviate dec4 (deviate dec4 P O2 br) O1 d) O1 x Hx). lra.
  - apply Hbr.
Qed.
