(* Placement games with priority to jobs (T4 in the documentation), organizations owning one machine each.

   As in Game.v, but the foreign jobs on a machine run in the order of one ranking of all jobs, not grouped by owner.
   The first section is the definition. Then:
   - the queue is one of those of OwnerFirst.v, so the sharp price holds and is attained (Organizations.v);
   - two organizations: foreign jobs on a machine have one owner, so the ranking changes no cost, and everything proved
     under priority to organizations holds (two_costs_equal);
   - two_job_first: at most two organizations i, j have more than one job, i exactly two, one of them ranked before all
     jobs of j, and some organization e has none. Then an equilibrium exists: that job of i goes to e's machine and the
     other stays home, so i pays its longest job, the least possible, whatever j does; j plays a best reply; who has at
     most one job stays home. *)
From Coq Require Import List Lia Permutation.
Require Import Numbers Game SharpPrice.
Import ListNotations.

(* ================= DEFINITION ================= *)
Section PriorityToJobs.
Context {O : Type}.                              (* organizations; machine l belongs to organization l *)
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variable machines : list O.                      (* all of them *)
Variable jobs : O -> list num.                   (* the lengths of the jobs of each organization *)
Variable ranking : list (O * nat).               (* all jobs, (owner, number), in the order of priority *)

(* what machine l runs after its owner's jobs: the others' jobs that p places there, (owner, length), by rank *)
Definition guest (p : profile (O:=O)) (l : O) (job : O * nat) : list (O * num) :=
  let (b, n) := job in
  if dec b l then [] else if dec (p b n) l then [(b, nth n (jobs b) 0)] else [].
Definition foreign (p : profile (O:=O)) (l : O) : list (O * num) := flat_map (guest p l) ranking.

(* what machine l runs, in this order and without idle time: (owner, length) of each job *)
Definition queue_jobs (p : profile (O:=O)) (l : O) : list (O * num) :=
  map (pair l) (placed dec l (jobs l) (p l)) ++ foreign p l.

(* the cost of a: the completion time of its last job on any machine, 0 without jobs *)
Definition cost_jobs (p : profile (O:=O)) (a : O) : num :=
  fold_right nmax 0 (flat_map (fun l => ends dec a 0 (queue_jobs p l)) machines).

(* pure Nash equilibrium *)
Definition equilibrium_jobs (p : profile (O:=O)) : Prop :=
  forall a d, cost_jobs p a <= cost_jobs (deviate dec p a d) a.

(* all jobs; a ranking contains each once *)
Definition all_jobs : list (O * nat) := flat_map (fun b => map (pair b) (seq 0 (length (jobs b)))) machines.

(* ================= OWNER FIRST ================= *)
Hypotheses (machines_all : forall l, In l machines) (machines_nodup : NoDup machines).
Hypothesis jobs_nonneg : forall a, nonneg (jobs a).
Hypothesis ranking_ok : Permutation ranking all_jobs.

Notation placed := (placed dec).
Notation deviate := (deviate dec).
Notation block := (block dec jobs).

Lemma flat_map_map {A B D : Type} (f : B -> list D) (g : A -> B) L :
  flat_map f (map g L) = flat_map (fun x => f (g x)) L.
Proof. induction L as [|x L IH]; simpl; [reflexivity|]. rewrite IH. reflexivity. Qed.
Lemma numbered_placed (b l : O) js : forall s,
  flat_map (fun n => if dec (s n) l then [(b, nth n js 0)] else []) (seq 0 (length js)) = map (pair b) (placed l js s).
Proof.
  induction js as [|x js IH]; intros s; [reflexivity|].
  simpl length. simpl seq. rewrite <- seq_shift. simpl flat_map at 1. rewrite flat_map_map. simpl nth.
  rewrite (IH (fun n => s (S n))). simpl. destruct (dec (s 0%nat) l); reflexivity.
Qed.
Lemma foreign_blocks p l L :
  flat_map (guest p l) (flat_map (fun b => map (pair b) (seq 0 (length (jobs b)))) L)
  = flat_map (fun b => block p b l) (remove dec l L).
Proof.
  induction L as [|b L IH]; [reflexivity|]. simpl flat_map at 2. rewrite flat_map_app, IH, flat_map_map.
  simpl remove. simpl guest. destruct (dec l b) as [e|n], (dec b l) as [e'|n']; try congruence.
  - assert (Z : flat_map (fun _ : nat => @nil (O * num)) (seq 0 (length (jobs b))) = []); [|rewrite Z; reflexivity].
    induction (seq 0 (length (jobs b))); simpl; auto.
  - simpl. f_equal. apply numbered_placed.
Qed.
Lemma foreign_ok p l : Permutation (foreign p l) (flat_map (fun b => block p b l) (remove dec l machines)).
Proof. rewrite <- foreign_blocks. apply Permutation_flat_map. exact ranking_ok. Qed.

Theorem jobs_owner_first : owner_first dec machines jobs cost_jobs.
Proof. exact (any_owner_first dec machines jobs machines_all machines_nodup jobs_nonneg foreign foreign_ok). Qed.

(* ================= TWO ORGANIZATIONS ================= *)
Section Two.
Variables i j : O.
Hypothesis ij : i <> j.
Hypothesis only : forall x, x = i \/ x = j.

(* all work of the others on a foreign machine is its owner's *)
Lemma others_two p a l : a <> l -> others dec machines jobs p a l == load dec jobs p l l.
Proof.
  intros n. unfold others. destruct (dec a l); [congruence|].
  assert (P : Permutation (remove dec a machines) [l]).
  { apply NoDup_Permutation; [apply remove_nodup; exact machines_nodup|constructor; [simpl; tauto|constructor]|].
    intros x. rewrite in_remove_iff. simpl. split.
    - intros [_ H]. left. destruct (only x), (only a), (only l); congruence.
    - intros [e|[]]. subst x. auto. }
  rewrite (sum_perm _ _ (Permutation_map (fun b => load dec jobs p b l) P)). simpl. lra.
Qed.

(* so owner first says what everybody pays *)
Lemma two_costs_le C C' p a : owner_first dec machines jobs C -> owner_first dec machines jobs C' -> C p a <= C' p a.
Proof.
  intros HC HC'. apply (C_upper _ _ _ _ HC); [apply (C_nonneg _ _ _ _ HC')|]. intros l Hl.
  assert (G := C_lower _ _ _ _ HC' p a l Hl). destruct (dec a l) as [e|n].
  - unfold others. destruct (dec a l); [lra|congruence].
  - generalize (others_two p a l n). lra.
Qed.

Theorem two_costs_equal prio : (forall l, NoDup (prio l)) -> (forall l a, In a (prio l)) ->
  forall p a, cost_jobs p a == cost dec machines jobs prio p a.
Proof.
  intros Hn Hi p a.
  assert (HC := organizations_owner_first dec machines jobs machines_all machines_nodup jobs_nonneg prio Hn Hi).
  generalize (two_costs_le _ _ p a jobs_owner_first HC) (two_costs_le _ _ p a HC jobs_owner_first). lra.
Qed.
End Two.

(* ================= A TWO-JOB ORGANIZATION THAT COMES FIRST ================= *)
Lemma in_ranking b n : In (b, n) ranking <-> (n < length (jobs b))%nat.
Proof.
  split; intros H.
  - apply (Permutation_in _ ranking_ok) in H. apply in_flat_map in H. destruct H as (b' & _ & H).
    apply in_map_iff in H. destruct H as (n' & E & H). inversion E; subst. apply in_seq in H. lia.
  - apply (Permutation_in _ (Permutation_sym ranking_ok)). apply in_flat_map. exists b. split; [apply machines_all|].
    apply in_map, in_seq. lia.
Qed.

(* what runs depends on the machines of actual jobs only; so best replies exist *)
Lemma queue_jobs_ext p p' l : (forall b n, In (b, n) ranking -> (n < length (jobs b))%nat) ->
  (forall b t, (t < length (jobs b))%nat -> p b t = p' b t) -> queue_jobs p l = queue_jobs p' l.
Proof.
  intros R H. unfold queue_jobs. rewrite (placed_ext dec l (jobs l) (p l) (p' l)) by (intros t Ht; apply H; exact Ht).
  f_equal. apply flat_map_same. intros [b n] Hb. simpl. rewrite (H b n (R b n Hb)). reflexivity.
Qed.
Lemma cost_jobs_ext p p' a : (forall b t, (t < length (jobs b))%nat -> p b t = p' b t) ->
  cost_jobs p a = cost_jobs p' a.
Proof.
  intros H. unfold cost_jobs. f_equal. apply flat_map_ext. intros l. f_equal. apply queue_jobs_ext; [|exact H].
  intros b n. apply in_ranking.
Qed.
Lemma best_reply_jobs p a : exists d, forall d', cost_jobs (deviate p a d) a <= cost_jobs (deviate p a d') a.
Proof.
  destruct (best_strategy (jobs a) machines (fun d => cost_jobs (deviate p a d) a) (fun _ => 0)) as (s & _ & H).
  - intros E. generalize (machines_all a). rewrite E. intros [].
  - intros s s' H. split; [|lra]. rewrite (cost_jobs_ext (deviate p a s) (deviate p a s')); [lra|].
    intros b t Ht. unfold Game.deviate. destruct (dec b a) as [e|n]; [subst b; exact (H t Ht)|reflexivity].
  - exists s. intros d'. apply H. intros; apply machines_all.
Qed.

(* one organization with more than one job: everybody else at home, it plays a best reply *)
Lemma one_chooser j : (forall b, b <> j -> (length (jobs b) <= 1)%nat) -> exists p, equilibrium_jobs p.
Proof.
  intros Hs. set (P := fun b => home b : strategy (O:=O)). destruct (best_reply_jobs P j) as (d & Hd).
  exists (deviate P j d). intros a d'. destruct (dec a j) as [E|n].
  - subst a. rewrite (cost_jobs_ext (deviate (deviate P j d) j d') (deviate P j d')); [apply Hd|].
    intros b t _. unfold Game.deviate. destruct (dec b j); reflexivity.
  - apply (C_single _ _ _ jobs_nonneg _ jobs_owner_first); [auto|]. intros l Hl. unfold Game.deviate.
    destruct (dec a j); [congruence|exact (placed_away dec l a _ Hl)].
Qed.

Section TwoJobFirst.
Variables i j e : O.
Variables x y : num.
Variable f : nat.                                (* the number of i's job that is ranked before all jobs of j *)
Hypothesis ij : i <> j.
Hypothesis ie : i <> e.
Hypothesis je : j <> e.
Hypothesis e_empty : jobs e = [].
Hypothesis i_two : jobs i = [x; y].
Hypothesis f_two : (f < 2)%nat.
Hypothesis singles : forall b, b <> i -> b <> j -> (length (jobs b) <= 1)%nat.
Variables higher lower : list (O * nat).
Hypothesis ranking_split : ranking = higher ++ (i, f) :: lower.
Hypothesis j_lower : forall n, ~ In (j, n) higher.

(* job f of i on e's machine, everything else at home but what j does *)
Definition placement (d : strategy (O:=O)) : profile (O:=O) :=
  fun b => if dec b i then (fun n => if Nat.eqb n f then e else i) else if dec b j then d else home b.

Notation is_i := (fun y : O * num => if dec (fst y) i then 1 else 0).

Lemma without_i q : sum (map is_i q) <= 0 -> forall y, In y q -> fst y <> i.
Proof.
  intros H r Hr E. assert (N : forall z, 0 <= is_i z) by (intros z; cbv beta; destruct (dec (fst z) i); lra).
  assert (G := sum_map_ge is_i q r N Hr). cbv beta in G. destruct (dec (fst r) i); [lra|congruence].
Qed.

(* job f is the first guest on e's machine, and the only one of i: before it are no jobs of i or j, and no others *)
Lemma first_on_e d : exists rest, foreign (placement d) e = (i, nth f (jobs i) 0) :: rest /\
  forall y, In y rest -> fst y <> i.
Proof.
  assert (One : sum (map is_i (foreign (placement d) e)) == 1).
  { rewrite (own_foreign dec machines jobs machines_all machines_nodup foreign foreign_ok (fun _ => 1) i _ e ie).
    unfold placement. rewrite i_two. destruct (dec i i); [|congruence].
    destruct f as [|[|f']]; [| |exfalso; lia]; simpl; destruct (dec e e), (dec i e); try congruence; simpl; lra. }
  assert (E : foreign (placement d) e = flat_map (guest (placement d) e) higher ++
                (i, nth f (jobs i) 0) :: flat_map (guest (placement d) e) lower).
  { assert (Pf : placement d i f = e).
    { unfold placement. destruct (dec i i); [|congruence]. rewrite PeanoNat.Nat.eqb_refl. reflexivity. }
    unfold foreign. rewrite ranking_split, flat_map_app. f_equal. simpl. destruct (dec i e); [congruence|].
    rewrite Pf. destruct (dec e e); [reflexivity|congruence]. }
  rewrite E, map_app in One.
  assert (N : forall q, 0 <= sum (map is_i q)).
  { intros q. apply sum_map_nonneg. intros r. cbv beta. destruct (dec (fst r) i); lra. }
  assert (S := sum_app (map is_i (flat_map (guest (placement d) e) higher))
    (map is_i ((i, nth f (jobs i) 0) :: flat_map (guest (placement d) e) lower))).
  assert (NA := N (flat_map (guest (placement d) e) higher)).
  assert (NB := N (flat_map (guest (placement d) e) lower)). simpl in One, S. destruct (dec i i); [|congruence].
  assert (HA := without_i (flat_map (guest (placement d) e) higher) ltac:(lra)).
  assert (HB := without_i (flat_map (guest (placement d) e) lower) ltac:(lra)).
  exists (flat_map (guest (placement d) e) lower). split; [|exact HB]. rewrite E.
  destruct (flat_map (guest (placement d) e) higher) as [|r L] eqn:EA; [reflexivity|exfalso].
  assert (Hr : In r (flat_map (guest (placement d) e) higher)) by (rewrite EA; left; reflexivity).
  specialize (HA r (or_introl eq_refl)). apply in_flat_map in Hr. destruct Hr as ([b n] & Hb & Hr). simpl in Hr.
  destruct (dec b e) as [|nb]; [destruct Hr|]. destruct (dec (placement d b n) e) as [Eb|]; [|destruct Hr].
  destruct Hr as [Er|[]]. subst r. simpl in HA. unfold placement in Eb. destruct (dec b i); [congruence|].
  destruct (dec b j) as [Ej|]; [subst b; exact (j_lower n Hb)|exact (nb Eb)].
Qed.
Lemma job_on_e d t : In t (ends dec i 0 (foreign (placement d) e)) -> t == nth f (jobs i) 0.
Proof.
  destruct (first_on_e d) as (rest & E & H). rewrite E. cbn [ends]. destruct (dec i i); [|congruence].
  rewrite ends_skip by exact H. intros [Et|[]]. subst t. lra.
Qed.

(* i uses its own machine and e's only *)
Lemma i_nowhere_else d l t : l <> i -> l <> e ->
  In t (ends dec i 0 (block (placement d) l l ++ foreign (placement d) l)) -> False.
Proof.
  intros n1 n2. rewrite ends_skip; [tauto|]. intros r Hr. apply in_app_or in Hr. destruct Hr as [Hr|Hr].
  - unfold OwnerFirst.block in Hr. apply in_map_iff in Hr. destruct Hr as (w & E & _). subst r. exact n1.
  - unfold foreign in Hr. apply in_flat_map in Hr. destruct Hr as ([b n] & _ & Hr). simpl in Hr.
    destruct (dec b l); [destruct Hr|]. destruct (dec (placement d b n) l) as [E|]; [|destruct Hr].
    destruct Hr as [E1|[]]. subst r. simpl. intros E2. subst b. unfold placement in E.
    destruct (dec i i); [|congruence]. destruct (Nat.eqb n f); congruence.
Qed.

(* so i pays its longer job, the least possible *)
Lemma i_pays d : cost_jobs (placement d) i <= nmax x y.
Proof.
  assert (Hx : 0 <= x) by (apply (jobs_nonneg i); rewrite i_two; simpl; auto).
  assert (M := proj1 (nmax_le x y (nmax x y)) ltac:(lra)).
  apply (cost_any_le dec machines jobs machines_all foreign). split; [lra|]. intros l t.
  destruct (dec l i) as [E|n1]; [|destruct (dec l e) as [E|n2]].
  - subst l. revert t. apply (ends_home dec machines jobs jobs_nonneg foreign foreign_ok). intros _.
    unfold Game.load, Game.ld, placement. rewrite i_two. destruct (dec i i); [|congruence].
    destruct f as [|[|f']]; [| |exfalso; lia]; simpl; destruct (dec e i), (dec i i); try congruence; simpl; lra.
  - subst l. unfold OwnerFirst.block. rewrite e_empty. simpl. intros Ht. apply job_on_e in Ht. rewrite i_two in Ht.
    destruct f as [|[|f']]; [| |exfalso; lia]; simpl in Ht; lra.
  - intros Ht. exfalso. exact (i_nowhere_else d l t n1 n2 Ht).
Qed.
Lemma placement_deviate d d' b : deviate (placement d) j d' b = placement d' b.
Proof. unfold Game.deviate, placement. destruct (dec b j), (dec b i); congruence. Qed.

Theorem two_job_first : exists p, equilibrium_jobs p.
Proof.
  destruct (best_reply_jobs (placement (home j)) j) as (d & Hd). exists (placement d). intros a d'.
  destruct (dec a i) as [E|n1]; [|destruct (dec a j) as [E|n2]].
  - subst a. assert (G : nmax x y <= cost_jobs (deviate (placement d) i d') i); [|generalize (i_pays d); lra].
    apply nmax_le. split; apply (C_job _ _ _ jobs_nonneg _ jobs_owner_first); rewrite i_two; simpl; auto.
  - subst a. specialize (Hd d').
    rewrite (cost_jobs_ext (deviate (placement (home j)) j d) (placement d)) in Hd
      by (intros; rewrite placement_deviate; reflexivity).
    rewrite (cost_jobs_ext (deviate (placement (home j)) j d') (deviate (placement d) j d')) in Hd
      by (intros; rewrite !placement_deviate; reflexivity). exact Hd.
  - apply (C_single _ _ _ jobs_nonneg _ jobs_owner_first); [auto|]. intros l Hl. unfold placement.
    destruct (dec a i); [congruence|]. destruct (dec a j); [congruence|exact (placed_away dec l a _ Hl)].
Qed.
End TwoJobFirst.
End PriorityToJobs.
