(* What the loads of the machines add up to, in a game with finitely many machines.

   Every job is on one machine, so the loads of an organization add up to its work (ld_total), and all loads to all
   work (total_sum). No machine is loaded beyond the makespan (total_le). What the others have on a machine (others)
   bounds the ready time there, whatever the priorities (ready_le_others). The order in which the jobs of the
   organizations are listed does not matter: it restricts no choice (placed_perm), so equilibria remain (reordered). *)
From Coq Require Import List Lia Permutation.
Require Import Numbers Game.
Import ListNotations.

Section Loads.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variables (machines : list O) (jobs : O -> list num) (prio : O -> list O).
Hypotheses (machines_all : forall l, In l machines) (machines_nodup : NoDup machines).
Hypotheses (prio_nodup : forall l, NoDup (prio l)) (prio_all : forall l a, In a (prio l)).
Hypothesis jobs_nonneg : forall a, nonneg (jobs a).

Notation cost := (cost dec machines jobs prio).
Notation ready := (ready dec jobs prio).
Notation load := (load dec jobs).
Notation work := (work jobs).
Notation placed := (placed dec).
Notation order := (order dec prio).

(* ---- one organization's jobs ---- *)
Lemma weight_total (w : num -> num) js s :
  sum (map (fun l => sum (map w (placed l js s))) machines) == sum (map w js).
Proof.
  revert s; induction js as [|x js IH]; intros s; [apply sum_zero; simpl; intros; lra|].
  assert (E := sum_map_eq (fun l => sum (map w (placed l (x :: js) s)))
    (fun l => (if dec (s 0%nat) l then w x else 0) + sum (map w (placed l js (fun n => s (S n))))) machines).
  rewrite E by (intros l; simpl; destruct (dec (s 0%nat) l); simpl; lra).
  generalize (sum_map_plus (fun l => if dec (s 0%nat) l then w x else 0)
    (fun l => sum (map w (placed l js (fun n => s (S n))))) machines)
    (sum_point dec (s 0%nat) (w x) machines machines_nodup (machines_all _)) (IH (fun n => s (S n))). simpl. lra.
Qed.
Lemma ld_total js s : sum (map (fun l => ld dec l js s) machines) == sum js.
Proof.
  assert (E := weight_total (fun x => x) js s). rewrite map_id in E. rewrite <- E.
  apply sum_map_eq. intros l. rewrite map_id. unfold Game.ld. lra.
Qed.

(* the number of jobs of at least p *)
Lemma big_total p js s : sum (map (fun l => big p (placed l js s)) machines) == big p js.
Proof. apply weight_total. Qed.
Lemma length_total js s : sum (map (fun l => ofnat (length (placed l js s))) machines) == ofnat (length js).
Proof.
  rewrite <- (sum_units js), <- (weight_total (fun _ => 1) js s). apply sum_map_eq. intros l.
  generalize (sum_units (placed l js s)). lra.
Qed.
Lemma placed_app l js js' s :
  placed l (js ++ js') s = placed l js s ++ placed l js' (fun n => s (length js + n)%nat).
Proof.
  revert s; induction js as [|x js IH]; intros s; simpl; [reflexivity|].
  rewrite (IH (fun n => s (S n))). destruct (dec (s 0%nat) l); reflexivity.
Qed.
Lemma placed_perm js js' : Permutation js js' -> forall s', exists s,
  forall l, Permutation (placed l js s) (placed l js' s').
Proof.
  induction 1 as [|x js js' H IH|x y js|js js1 js2 H1 IH1 H2 IH2]; intros s'.
  - exists s'. intros; apply Permutation_refl.
  - destruct (IH (fun n => s' (S n))) as (s & Hs). exists (scons (s' 0%nat) s).
    intros l. simpl. change (fun n => scons (s' 0%nat) s (S n)) with s.
    destruct (dec (s' 0%nat) l); [apply perm_skip|]; apply Hs.
  - exists (scons (s' 1%nat) (scons (s' 0%nat) (fun n => s' (S (S n))))). intros l. simpl.
    destruct (dec (s' 0%nat) l), (dec (s' 1%nat) l); try apply Permutation_refl. apply perm_swap.
  - destruct (IH2 s') as (s1 & Hs1). destruct (IH1 s1) as (s & Hs). exists s.
    intros l. apply (Permutation_trans (Hs l) (Hs1 l)).
Qed.
Lemma placed_unused l js s : ~ In l (map s (seq 0 (length js))) -> placed l js s = [].
Proof.
  revert s. induction js as [|x js IH]; intros s H; simpl; [reflexivity|].
  simpl in H. rewrite <- seq_shift, map_map in H.
  rewrite (IH (fun n => s (S n))) by tauto.
  destruct (dec (s 0%nat) l); tauto.
Qed.
Lemma in_placed x js s : In x js -> exists l, In x (placed l js s).
Proof.
  revert s. induction js as [|y js IH]; intros s; simpl; [tauto|]. intros [e|H].
  - exists (s 0%nat). subst y. destruct (dec (s 0%nat) (s 0%nat)); [left; reflexivity|congruence].
  - destruct (IH (fun n => s (S n)) H) as (l & Hl). exists l. destruct (dec (s 0%nat) l); [right|]; exact Hl.
Qed.

(* ---- all organizations ---- *)
Definition total (p : profile (O:=O)) (l : O) : num := sum (map (fun b => load p b l) machines).

Lemma total_sum p : sum (map (total p) machines) == sum (map work machines).
Proof.
  unfold total. assert (E := sum_swap (fun b l => load p b l) machines machines). simpl in E.
  assert (E2 := sum_map_eq (fun b => sum (map (fun l => load p b l) machines)) work machines
                  (fun b => ld_total (jobs b) (p b))). lra.
Qed.
Lemma load_le_total q a l : load q a l <= total q l.
Proof. apply (sum_map_ge (fun b => load q b l)); [intros; apply load_nonneg; auto|apply machines_all]. Qed.
Lemma machines_perm k : Permutation machines (k :: remove dec k machines).
Proof. apply remove_perm; auto. Qed.
Lemma order_perm l : Permutation (order l) machines.
Proof.
  apply NoDup_Permutation; [apply order_nodup; auto|exact machines_nodup|].
  intros x; split; intros _; [apply machines_all|apply order_all; auto].
Qed.

(* if everybody who uses l ends there by T, starting at t, all work on l ends by T *)
Lemma prefix_load p l T os : forall t, t <= T -> NoDup os ->
  (forall a, In a os -> placed l (jobs a) (p a) <> [] ->
     t + sum (map (fun b => load p b l) (before dec a os)) + load p a l <= T) ->
  t + sum (map (fun b => load p b l) os) <= T.
Proof.
  induction os as [|b os IH]; intros t HT Hn H; simpl; [lra|]. inversion Hn as [|b' os' Hb Hos]; subst.
  assert (G : t + load p b l + sum (map (fun b => load p b l) os) <= T); [|lra]. apply IH; [|exact Hos|].
  - specialize (H b (or_introl eq_refl)). simpl in H. destruct (dec b b); [|congruence]. simpl in H.
    unfold Game.load, Game.ld in *. destruct (placed l (jobs b) (p b)); [simpl; lra|].
    specialize (H ltac:(discriminate)). lra.
  - intros a Ha U. specialize (H a (or_intror Ha) U). simpl in H. destruct (dec b a); [congruence|]. simpl in H. lra.
Qed.
Lemma total_le q T l : 0 <= T -> (forall a, cost q a <= T) -> total q l <= T.
Proof.
  intros HT Hq. unfold total.
  rewrite (sum_perm _ _ (Permutation_map (fun b => load q b l) (Permutation_sym (order_perm l)))).
  assert (G := prefix_load q l T (order l) 0 HT (order_nodup dec prio prio_nodup l)).
  assert (G2 : 0 + sum (map (fun b => load q b l) (order l)) <= T); [apply G|lra].
  intros a _ Hp. assert (H := cost_ge dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg q a l Hp).
  unfold Game.ready in H. specialize (Hq a). lra.
Qed.

(* ---- the work of all but one ---- *)
(* what organizations other than k have on l, whatever their priority; 0 on k's machine, where k comes first *)
Definition others (p : profile (O:=O)) (k l : O) : num :=
  if dec k l then 0 else sum (map (fun b => load p b l) (remove dec k machines)).

Lemma others_nonneg p k l : 0 <= others p k l.
Proof. unfold others. destruct (dec k l); [lra|]. apply sum_map_nonneg. intros; apply load_nonneg; auto. Qed.
Lemma total_others p a l : a <> l -> total p l == others p a l + load p a l.
Proof.
  intros n. unfold total, others. destruct (dec a l); [congruence|].
  generalize (sum_perm _ _ (Permutation_map (fun b => load p b l) (machines_perm a))). simpl. lra.
Qed.
Lemma others_dev p a d l : others (deviate dec p a d) a l = others p a l.
Proof.
  unfold others. destruct (dec a l); [reflexivity|]. f_equal. apply map_ext_in. intros b Hb.
  apply in_remove_iff in Hb. unfold Game.load, deviate. destruct (dec b a); [tauto|reflexivity].
Qed.
Lemma ready_le_others p k l : ready p k l <= others p k l.
Proof.
  unfold others. destruct (dec k l) as [e|n].
  - subst l. generalize (ready_home dec jobs prio p k). lra.
  - unfold Game.ready. apply (sum_incl (fun b => load p b l)).
    + intros; apply load_nonneg; auto.
    + apply before_nodup, order_nodup; auto.
    + intros b Hb. apply (before_in dec) in Hb. apply in_remove_iff. split; [apply machines_all|tauto].
Qed.
Lemma others_sum p k : sum (map (others p k) machines) + work k <= sum (map work machines).
Proof.
  assert (H1 : sum (map (others p k) machines) <=
               sum (map (fun l => sum (map (fun b => load p b l) (remove dec k machines))) machines)).
  { apply sum_map_le. intros l _. unfold others. destruct (dec k l); [|lra].
    apply sum_map_nonneg. intros; apply load_nonneg; auto. }
  assert (H2 := sum_swap (fun b l => load p b l) (remove dec k machines) machines). simpl in H2.
  assert (H3 := sum_map_eq (fun b => sum (map (fun l => load p b l) machines)) work (remove dec k machines)
                  (fun b => ld_total (jobs b) (p b))).
  assert (H5 := sum_perm _ _ (Permutation_map work (machines_perm k))). simpl in H5. lra.
Qed.

(* ---- the same jobs in another order ---- *)
Section Reordered.
Variable jobs' : O -> list num.
Hypothesis same_jobs : forall a, Permutation (jobs a) (jobs' a).
Definition same_placement (p p' : profile (O:=O)) : Prop :=
  forall b l, Permutation (placed l (jobs b) (p b)) (placed l (jobs' b) (p' b)).

Lemma reordered_cost p p' a : same_placement p p' -> cost p a == Game.cost dec machines jobs' prio p' a.
Proof.
  intros H. assert (N' := fun b => nonneg_perm _ _ (same_jobs b) (jobs_nonneg b)).
  assert (L : forall b l, load p b l == Game.load dec jobs' p' b l) by (intros b l; apply sum_perm, H).
  assert (R : forall l, ready p a l == Game.ready dec jobs' prio p' a l) by (intros l; apply sum_map_eq; auto).
  assert (A : cost p a <= Game.cost dec machines jobs' prio p' a).
  { apply cost_le; auto. split; [apply cost_nonneg; auto|]. intros l U. rewrite (R l), (L a l).
    apply cost_ge; auto. exact (perm_nonempty _ _ (H a l) U). }
  assert (B : Game.cost dec machines jobs' prio p' a <= cost p a); [|lra].
  apply cost_le; auto. split; [apply cost_nonneg; auto|]. intros l U. rewrite <- (R l), <- (L a l).
  apply cost_ge; auto. exact (perm_nonempty _ _ (Permutation_sym (H a l)) U).
Qed.
Lemma reordered_profile p' : exists p, same_placement p p'.
Proof.
  apply (choice dec machines machines_all _
    (fun b s => forall l, Permutation (placed l (jobs b) s) (placed l (jobs' b) (p' b)))).
  - intros b. apply placed_perm, same_jobs.
  - exact (fun b => home b).
Qed.
Lemma reordered_deviate p p' a d : same_placement p p' ->
  exists d', same_placement (deviate dec p a d) (deviate dec p' a d').
Proof.
  intros H. destruct (placed_perm (jobs' a) (jobs a) (Permutation_sym (same_jobs a)) d) as (d' & Hd). exists d'.
  intros b l. unfold deviate. destruct (dec b a); [subst b; apply Permutation_sym, Hd|apply H].
Qed.

Theorem reordered p' : equilibrium dec machines jobs' prio p' ->
  exists p, equilibrium dec machines jobs prio p /\ same_placement p p'.
Proof.
  intros Hp. destruct (reordered_profile p') as (p & H). exists p. split; [intros a d|exact H].
  destruct (reordered_deviate p p' a d H) as (d' & G).
  generalize (Hp a d') (reordered_cost _ _ a H) (reordered_cost _ _ a G). lra.
Qed.
End Reordered.

(* longest first *)
Lemma sorted_jobs : exists J, (forall a, Permutation (jobs a) (J a)) /\ forall a, descending (J a).
Proof.
  destruct (choice dec machines machines_all _ (fun a J => Permutation (jobs a) J /\ descending J)
    (fun a => sort_descending (jobs a)) (fun _ => [])) as (J & H). exists J. split; intros a; apply H.
Qed.
End Loads.
