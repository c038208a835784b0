(* Two organizations with any numbers of machines: an equilibrium exists (R1 in the documentation).

   Let a be the organization whose least final load is smaller when all its own jobs are at home ([home_load]), and b
   the other one: a stays home, and b plays a best reply with most work at home. So one best reply finds an equilibrium.
   1. Let a's last job to end at home start at s. If all machines of b are ready for a at s or later, a is content at
      home ([home_content]): with all jobs up to that one at home, it ends as before; a longer job sent away ends no
      earlier.
   2. If b sends away jobs of length 0 only, its machines are ready at its home load or later, which is at least a's.
   3. Else b sends a job x > 0 and pays c, so c is at least a's home load plus x. Were x brought home, b's other guests
      would end no later, and b would have more work at home: so its cost would exceed c, and it would do so at home. By
      the insertion lemma b's least load, plus x, exceeds c as well: so b's machines are ready later than a's home
      load. *)
From Coq Require Import List Lia Permutation Sorted.
Require Import Numbers Game Loads IdenticalMachines SeveralMachines.
Import ListNotations.

(* the job that ends last in a list schedule *)
Lemma completions_last js L : js <> [] ->
  exists pre q post, js = pre ++ q :: post /\ by_time (start (run L pre) + q) (completions L js).
Proof.
  intros Hne. destruct (least_value (fun t => - t) (completions L js)) as (t & Ht & H).
  { destruct js; [congruence|discriminate]. }
  destruct (completions_in js t L Ht) as (pre & q & post & E & e). exists pre, q, post. split; [exact E|].
  intros u Hu. specialize (H u Hu). subst t. lra.
Qed.

Section TwoOrganizations.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variables (hosts : list O) (machines : O -> nat) (jobs : O -> list num) (prio : O -> list O).
Hypotheses (hosts_all : forall l, In l hosts) (hosts_nodup : NoDup hosts).
Hypothesis machines_some : forall l, (1 <= machines l)%nat.
Hypotheses (prio_nodup : forall l, NoDup (prio l)) (prio_all : forall l a, In a (prio l)).
Hypotheses (jobs_nonneg : forall a, nonneg (jobs a)) (jobs_descending : forall a, descending (jobs a)).

Notation placed := (placed dec).
Notation cost := (cost dec hosts machines jobs prio).
Notation deviate := (deviate dec).
Notation ready := (ready dec machines jobs prio).
Notation content := (content dec hosts machines jobs prio).

(* a strategy sends away a job of the list no shorter than q, or leaves all up to q at home *)
Lemma sent_or_kept a q post pre : (forall x, In x pre -> q <= x) -> forall d,
  (exists z l, l <> a /\ q <= z /\ In z (placed l (pre ++ q :: post) d)) \/
  exists post', placed a (pre ++ q :: post) d = pre ++ q :: post'.
Proof.
  induction pre as [|x pre IH]; intros Hq d; simpl.
  - destruct (dec (d 0%nat) a) as [e|n].
    + right. exists (placed a post (fun n => d (S n))). reflexivity.
    + left. exists q, (d 0%nat). split; [exact n|]. split; [lra|].
      destruct (dec (d 0%nat) (d 0%nat)); [left; reflexivity|congruence].
  - destruct (dec (d 0%nat) a) as [e|n].
    + destruct (IH (fun y Hy => Hq y (or_intror Hy)) (fun n => d (S n))) as [(z & l & H1 & H2 & H3)|(post' & E)].
      * left. exists z, l. split; [exact H1|]. split; [exact H2|]. destruct (dec (d 0%nat) l); [right|]; exact H3.
      * right. exists post'. rewrite E. reflexivity.
    + left. exists x, (d 0%nat). split; [exact n|]. split; [apply Hq; left; reflexivity|].
      destruct (dec (d 0%nat) (d 0%nat)); [left; reflexivity|congruence].
Qed.

(* 1. an organization is content at home if the others' machines are ready late enough *)
Theorem home_content p a pre q post : jobs a = pre ++ q :: post ->
  by_time (start (run (idle (machines a)) pre) + q) (completions (idle (machines a)) (jobs a)) ->
  (forall l, l <> a -> start (run (idle (machines a)) pre) <= start (ready p a l)) -> content p a (home a).
Proof.
  intros E Hlast Hr d. set (c := cost (deviate p a d) a).
  assert (A : start (run (idle (machines a)) pre) + q <= c).
  { assert (Hq := jobs_descending a). rewrite E in Hq.
    destruct (sent_or_kept a q post pre (descending_before pre q post Hq) d) as [(z & l & H1 & H2 & H3)|(post' & E')].
    - rewrite <- E in H3.
      destruct (completions_late _ z (placed_nonneg dec jobs jobs_nonneg l a d) H3 (ready p a l)) as (t & Ht & Hz).
      { apply ready_ascending. }
      assert (T : t <= c) by (apply (deviate_by_time dec hosts machines jobs prio hosts_all prio_nodup
        prio_all p a d l t Ht)).
      generalize (Hr l H1). lra.
    - assert (T := deviate_by_time dec hosts machines jobs prio hosts_all prio_nodup prio_all p a d a).
      rewrite ready_home, E, E' in T. apply T. rewrite completions_app. apply in_or_app. right. left. reflexivity. }
  apply deviate_le; [assumption|assumption|apply cost_nonneg|]. intros l. rewrite placed_home.
  destruct (dec a l) as [e|n]; [|intros t []]. subst l. rewrite ready_home.
  intros t Ht. specialize (Hlast t Ht). lra.
Qed.

(* 2. and 3.: everything that b sends away has length 0, or some longer job x can be brought home *)
Lemma bring_home a b js : a <> b -> (forall l, l = a \/ l = b) -> forall d : strategy,
  (forall L, ascending L -> below (run L js) (run L (placed b js d))) \/
  exists x (d' : strategy) K1 K2 G1 G2, 0 < x /\
    placed b js d = K1 ++ K2 /\ placed b js d' = K1 ++ x :: K2 /\
    placed a js d = G1 ++ x :: G2 /\ placed a js d' = G1 ++ G2.
Proof.
  intros n Hall. induction js as [|y js IH]; intros d; [left; intros L _; apply below_refl|]. simpl.
  destruct (dec (d 0%nat) b) as [e|n'].
  - assert (Da : d 0%nat <> a) by congruence. destruct (dec (d 0%nat) a); [congruence|].
    destruct (IH (fun t => d (S t))) as [H|(x & d' & K1 & K2 & G1 & G2 & H1 & H2 & H3 & H4 & H5)].
    + left. intros L HL. apply H, serve_ascending, HL.
    + right. exists x, (scons b d'), (y :: K1), K2, G1, G2. split; [exact H1|]. rewrite H2, H4.
      change (fun t => scons b d' (S t)) with d'. rewrite H3, H5. simpl.
      destruct (dec b b), (dec b a); try congruence. auto.
  - destruct (Hall (d 0%nat)) as [e|e]; [|congruence]. destruct (dec (d 0%nat) a); [|congruence].
    destruct (lt_le 0 y) as [Hy|Hy].
    + right. exists y, (scons b (fun t => d (S t))).
      exists [], (placed b js (fun t => d (S t))), [], (placed a js (fun t => d (S t))).
      split; [exact Hy|]. simpl. change (fun t => scons b (fun u => d (S u)) (S t)) with (fun t => d (S t)).
      destruct (dec b b), (dec b a); try congruence. auto.
    + destruct (IH (fun t => d (S t))) as [H|(x & d' & K1 & K2 & G1 & G2 & H1 & H2 & H3 & H4 & H5)].
      * left. intros L HL. apply below_trans with (run L js); [|exact (H L HL)].
        apply run_mono; [apply below_refl|apply serve_ascending; exact HL|exact HL|apply serve_zero_below; assumption].
      * right. exists x, (scons a d'), K1, K2, (y :: G1), G2. split; [exact H1|]. rewrite H2, H4.
        change (fun t => scons a d' (S t)) with d'. rewrite H3, H5. simpl.
        destruct (dec a a), (dec a b); try congruence. auto.
Qed.
Lemma placed_descending l js : descending js -> forall s, descending (placed l js s).
Proof.
  induction 1 as [|x js Hjs IH Hx]; intros s; simpl; [constructor|]. destruct (dec (s 0%nat) l); [|apply IH].
  constructor; [apply IH|]. rewrite Forall_forall in *. intros y Hy. exact (Hx y (placed_in dec _ _ _ _ Hy)).
Qed.

(* the guest k at host l sees the loads of l's own jobs *)
Lemma ready_guest p k l : (forall h, h = k \/ h = l) -> l <> k ->
  ready p k l = run (idle (machines l)) (placed l (jobs l) (p l)).
Proof.
  intros Hall n. unfold SeveralMachines.ready, ahead.
  rewrite (before_owner dec prio l k n) by (intros b Hb Hk; destruct (Hall b); congruence). simpl.
  rewrite app_nil_r. reflexivity.
Qed.

(* the least final load of an organization that has all its jobs at home *)
Definition home_load (a : O) : num := start (run (idle (machines a)) (jobs a)).

(* 2., 3.: if a is at home and d is a best reply of b with most work at home, b's machines are ready late *)
Lemma ready_late p0 a b d : a <> b -> (forall l, l = a \/ l = b) -> home_load a <= home_load b -> p0 a = home a ->
  (forall d', cost (deviate p0 b d') b <= cost (deviate p0 b d) b -> ld dec b (jobs b) d' <= ld dec b (jobs b) d) ->
  home_load a <= start (run (idle (machines b)) (placed b (jobs b) d)).
Proof.
  intros n Hall Hab Ha Hlazy.
  destruct (bring_home a b (jobs b) n Hall d) as [H|(x & d' & K1 & K2 & G1 & G2 & Hx & E1 & E2 & E3 & E4)].
  { generalize (start_mono _ _ (H _ (idle_ascending (machines b)))). unfold home_load in Hab |- *. lra. }
  set (c := cost (deviate p0 b d) b).
  assert (T := deviate_by_time dec hosts machines jobs prio hosts_all prio_nodup prio_all p0 b d
    : forall l, by_time c _).
  assert (Ra : ready p0 b a = run (idle (machines a)) (jobs a)).
  { rewrite (ready_guest p0 b a); [|intros h; destruct (Hall h); auto|exact n].
    rewrite Ha, placed_home. destruct (dec a a); congruence. }
  assert (N : forall l s, nonneg (placed l (jobs b) s)) by (intros; apply placed_nonneg; exact jobs_nonneg).
  assert (C : home_load a + x <= c).
  { destruct (completions_late (placed a (jobs b) d) x (N a d)) with (L := ready p0 b a) as (t & Ht & Hs).
    - rewrite E3. apply in_or_app. right. left. reflexivity.
    - apply ready_ascending.
    - specialize (T a t Ht). rewrite Ra in Hs. unfold home_load. lra. }
  rewrite E1. destruct (lt_le (start (run (idle (machines b)) (K1 ++ K2))) (home_load a)) as [B|B]; [exfalso|exact B].
  assert (C' : cost (deviate p0 b d') b <= c).
  { apply deviate_le; [assumption|assumption|apply cost_nonneg|]. intros l. destruct (Hall l); subst l.
    - rewrite E4. apply completions_without with x; [lra|apply ready_ascending|]. rewrite <- E3. apply T.
    - rewrite ready_home, E2. specialize (T b). rewrite ready_home, E1 in T. apply insertion.
      + apply idle_not_nil. exact machines_some.
      + apply idle_ascending.
      + rewrite <- E2. apply N.
      + rewrite <- E2. apply placed_descending, jobs_descending.
      + exact T.
      + lra. }
  specialize (Hlazy d' C'). unfold ld in Hlazy. rewrite E1, E2 in Hlazy.
  generalize (sum_app K1 K2) (sum_app K1 (x :: K2)). simpl. lra.
Qed.
Lemma lazy_reply_equilibrium a b : a <> b -> (forall l, l = a \/ l = b) -> home_load a <= home_load b ->
  exists p, equilibrium dec hosts machines jobs prio p.
Proof.
  intros n Hall Hab. set (p0 := fun l : O => home l).
  destruct (best_reply dec hosts machines jobs prio hosts_all prio_nodup prio_all p0 b) as (d & Hd & Hlazy).
  set (p := deviate p0 b d).
  assert (Epb : p b = d) by (unfold p, Game.deviate; destruct (dec b b); congruence).
  assert (Epa : p a = home a) by (unfold p, Game.deviate; destruct (dec a b); [congruence|reflexivity]).
  exists p. apply equilibrium_content; [assumption|assumption|].
  assert (Cb : content p b (p b)).
  { rewrite Epb. apply content_ext with (p := p0); [assumption|assumption| |exact Hd].
    intros l Hl. unfold p, Game.deviate. destruct (dec l b); congruence. }
  assert (Rb : ready p a b = run (idle (machines b)) (placed b (jobs b) d)).
  { rewrite (ready_guest p a b), Epb; auto. }
  assert (A : home_load a <= start (ready p a b)).
  { rewrite Rb. apply (ready_late p0); auto. }
  intros l. destruct (Hall l); subst l; [|exact Cb]. rewrite Epa.
  destruct (jobs a) as [|x js] eqn:E.
  { apply few_jobs_content; try assumption. rewrite E. simpl. lia. }
  assert (Hne : jobs a <> []) by congruence.
  destruct (completions_last (jobs a) (idle (machines a)) Hne) as (pre & q & post & Ejobs & Hlast).
  apply (home_content p a pre q post Ejobs Hlast). intros l Hl. destruct (Hall l); [congruence|]. subst l.
  assert (M : start (run (idle (machines a)) pre) <= home_load a); [|lra].
  unfold home_load. rewrite Ejobs, run_app. apply start_mono, run_nonneg_below; [|apply run_ascending, idle_ascending].
  intros y Hy. apply (jobs_nonneg a). rewrite Ejobs. apply in_or_app. right. exact Hy.
Qed.

Theorem two_organizations_equilibrium (a b : O) : a <> b -> (forall l, l = a \/ l = b) ->
  exists p, equilibrium dec hosts machines jobs prio p.
Proof.
  intros n Hall. destruct (lt_le (home_load b) (home_load a)) as [H|H].
  - apply (lazy_reply_equilibrium b a); [congruence| |lra]. intros l. destruct (Hall l); auto.
  - exact (lazy_reply_equilibrium a b n Hall H).
Qed.

End TwoOrganizations.
