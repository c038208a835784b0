(* Placement games of organizations that own one machine each, with priority to organizations.

   Every organization decides on which machines its jobs run, its own or another organization's. A machine runs its
   owner's jobs first and then the jobs of the others, one organization after the other in its order of priority,
   without idle time. An organization wants its last job to end early. Lengths are numbers; theorems demand that they
   are not negative. The first section is the definition: whoever trusts Coq reads it, and the statements in
   Theorems.v. Few of these speak of loads and ready times, too, which the second section defines. *)
From Coq Require Import List Lia Permutation.
Require Export Numbers Sums.
Import ListNotations.

(* ================= DEFINITION ================= *)
Section Game.
Context {O : Type}.                              (* organizations; machine l belongs to organization l *)
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variable machines : list O.                      (* all of them *)
Variable jobs : O -> list num.                   (* the lengths of the jobs of each organization *)
Variable prio : O -> list O.                     (* prio l: the organizations in machine l's order of priority *)

Definition strategy := nat -> O.                 (* the machine of job number 0, 1, 2, ... of an organization *)
Definition profile := O -> strategy.             (* a strategy for each organization *)

(* the jobs of the list js that strategy s places on machine l *)
Fixpoint placed (l : O) (js : list num) (s : strategy) : list num :=
  match js with
  | [] => []
  | x :: js' => let rest := placed l js' (fun n => s (S n)) in
                if dec (s 0%nat) l then x :: rest else rest
  end.

(* the order in which machine l serves the organizations: its owner, then the others by priority *)
Definition order (l : O) : list O := l :: remove dec l (prio l).

(* what machine l runs, in this order and without idle time: (owner, length) of each job *)
Definition queue (p : profile) (l : O) : list (O * num) :=
  flat_map (fun b => map (pair b) (placed l (jobs b) (p b))) (order l).

(* the completion times of a's jobs in a queue that starts at time t *)
Fixpoint ends (a : O) (t : num) (q : list (O * num)) : list num :=
  match q with
  | [] => []
  | (b, x) :: q' => let rest := ends a (t + x) q' in
                    if dec b a then t + x :: rest else rest
  end.

(* the cost of a: the completion time of its last job on any machine, 0 without jobs *)
Definition cost (p : profile) (a : O) : num :=
  fold_right nmax 0 (flat_map (fun l => ends a 0 (queue p l)) machines).

(* a alone changes its strategy to d *)
Definition deviate (p : profile) (a : O) (d : strategy) : profile :=
  fun b => if dec b a then d else p b.

(* pure Nash equilibrium: nobody pays less after changing its own strategy *)
Definition equilibrium (p : profile) : Prop :=
  forall a d, cost p a <= cost (deviate p a d) a.

(* the largest cost, which is the time at which the last machine stops *)
Definition makespan (p : profile) : num := fold_right nmax 0 (map (cost p) machines).

(* the members of the coalition K change their strategies to those of q *)
Definition joint (p : profile) (K : O -> bool) (q : profile) : profile := fun b => if K b then q b else p b.

(* strong equilibrium: no coalition with at least one member can make every member pay less *)
Definition strong (p : profile) : Prop :=
  forall (K : O -> bool) (q : profile), (exists a, K a = true) ->
  exists a, K a = true /\ cost p a <= cost (joint p K q) a.

(* ================= DEFINITION: LOADS AND READY TIMES ================= *)
Definition ld (l : O) (js : list num) (s : strategy) : num := sum (placed l js s).
Definition load (p : profile) (b l : O) : num := ld l (jobs b) (p b).
Definition work (a : O) : num := sum (jobs a).

(* those who come before a in the list os *)
Fixpoint before (a : O) (os : list O) : list O :=
  match os with
  | [] => []
  | b :: os' => if dec b a then [] else b :: before a os'
  end.
Definition ready (p : profile) (a l : O) : num :=
  sum (map (fun b => load p b l) (before a (order l))).

(* ================= COSTS ================= *)
(* The cost function in other words, as on paper (theorem cost_le): on every machine that it uses, a pays the load of
   those who come before it there (the machine's ready time for a) and its own. *)

Hypothesis machines_all : forall l, In l machines.
Hypotheses (prio_nodup : forall l, NoDup (prio l)) (prio_all : forall l a, In a (prio l)).
Hypothesis jobs_nonneg : forall a, nonneg (jobs a).

Lemma placed_in l js s x : In x (placed l js s) -> In x js.
Proof.
  revert s; induction js as [|y js IH]; intros s; simpl; [tauto|].
  destruct (dec (s 0%nat) l); simpl; intros H.
  - destruct H as [H|H]; [left; exact H|right; exact (IH _ H)].
  - right; exact (IH _ H).
Qed.
Lemma placed_nonneg l a s : nonneg (placed l (jobs a) s).
Proof. intros x H; apply (jobs_nonneg a); exact (placed_in _ _ _ _ H). Qed.
Lemma ld_nonneg l a s : 0 <= ld l (jobs a) s.
Proof. apply sum_nonneg, placed_nonneg. Qed.
Lemma load_nonneg p b l : 0 <= load p b l.
Proof. apply ld_nonneg. Qed.
Lemma work_nonneg a : 0 <= work a.
Proof. apply sum_nonneg, jobs_nonneg. Qed.
Lemma load_pos_used l js s : 0 < ld l js s -> placed l js s <> [].
Proof. unfold ld. intros H E. rewrite E in H. simpl in H. lra. Qed.

(* ---- the order of a machine contains everybody once ---- *)
Lemma order_nodup l : NoDup (order l).
Proof. unfold order; constructor; [rewrite in_remove_iff; tauto|apply remove_nodup, prio_nodup]. Qed.
Lemma order_all l a : In a (order l).
Proof. unfold order; simpl. destruct (dec l a); [auto|right]. rewrite in_remove_iff; split; auto. Qed.
Lemma before_in a b os : In b (before a os) -> In b os /\ b <> a.
Proof.
  induction os as [|c os IH]; simpl; [tauto|].
  destruct (dec c a); simpl; [tauto|]. intros [H|H]; [subst; auto|]. apply IH in H; tauto.
Qed.
Lemma before_nodup a os : NoDup os -> NoDup (before a os).
Proof.
  induction 1 as [|b os Hb Hos IH]; simpl; [constructor|].
  destruct (dec b a); constructor; [|exact IH]. intros H. apply before_in in H. tauto.
Qed.
Lemma before_split a os : In a os -> exists after, os = before a os ++ a :: after.
Proof.
  induction os as [|b os IH]; simpl; [tauto|]. destruct (dec b a) as [e|n]; [intros _; subst; exists os; reflexivity|].
  intros [e|H]; [congruence|]. destruct (IH H) as (after & E). exists after. simpl. congruence.
Qed.
Lemma before_asym a b os : In a (before b os) -> In b (before a os) -> False.
Proof.
  induction os as [|c os IH]; simpl; [tauto|].
  destruct (dec c b), (dec c a); simpl; tauto.
Qed.
Lemma before_total a b os : a <> b -> In a os -> In b os -> In a (before b os) \/ In b (before a os).
Proof.
  intros n; induction os as [|c os IH]; simpl; [tauto|].
  destruct (dec c b), (dec c a); simpl; intros [H|H] [G|G]; try congruence; subst; auto.
  destruct (IH H G); auto.
Qed.

(* a sees l ready when its owner's jobs are done, if everybody else comes after a *)
Lemma before_owner l a : l <> a -> (forall b, b <> l -> b <> a -> In a (before b (order l))) ->
  before a (order l) = [l].
Proof.
  intros n H. assert (G : forall b, b <> l -> ~ In b (before a (order l))).
  { intros b nb Hb. exact (before_asym a b _ (H b nb (proj2 (before_in a b _ Hb))) Hb). }
  unfold order in *. simpl in *. destruct (dec l a); [congruence|]. f_equal.
  destruct (before a (remove dec l (prio l))) as [|b r] eqn:E; [reflexivity|exfalso].
  assert (Hb : In b (before a (remove dec l (prio l)))) by (rewrite E; left; reflexivity).
  apply before_in in Hb. destruct Hb as [Hb _]. apply in_remove_iff in Hb.
  apply (G b); [tauto|right; left; reflexivity].
Qed.
Lemma ready_owner p l a : l <> a -> (forall b, b <> l -> b <> a -> In a (before b (order l))) ->
  ready p a l == load p l l.
Proof. intros n H. unfold ready. rewrite (before_owner l a n H). simpl. lra. Qed.

(* ---- completion times in a queue: of a's own block, behind another block, in the whole queue ---- *)
Lemma ends_skip a t q : (forall x, In x q -> fst x <> a) -> ends a t q = [].
Proof.
  revert t; induction q as [|[b x] q IH]; intros t H; simpl; [reflexivity|].
  destruct (dec b a) as [e|n].
  - exfalso; apply (H (b, x)); [left; reflexivity|exact e].
  - apply IH; intros y Hy; apply H; right; exact Hy.
Qed.
Lemma ends_block a t js q c : nonneg js -> (forall x, In x q -> fst x <> a) ->
  ((forall x, In x (ends a t (map (pair a) js ++ q)) -> x <= c) <-> (js <> [] -> t + sum js <= c)).
Proof.
  intros Hn Hq; revert t; induction js as [|x js IH]; intros t.
  - simpl. rewrite ends_skip by exact Hq. simpl. split; [congruence|tauto].
  - simpl. destruct (dec a a) as [_|n]; [|congruence]. destruct (nonneg_cons x js Hn) as [Hx Hn'].
    assert (Hs := sum_nonneg js Hn'). specialize (IH Hn' (t + x)). split.
    + intros H _. destruct js as [|z js'].
      * specialize (H (t + x) (or_introl eq_refl)). simpl. lra.
      * assert (G : t + x + sum (z :: js') <= c); [|lra].
        apply (proj1 IH); [|discriminate]. intros y Hy; apply H; right; exact Hy.
    + intros H. specialize (H ltac:(discriminate)).
      intros y [Hy|Hy]; [subst y; lra|]. revert y Hy. apply (proj2 IH). intros _; lra.
Qed.
Lemma ends_other a b t js q : b <> a ->
  exists t', t' == t + sum js /\ ends a t (map (pair b) js ++ q) = ends a t' q.
Proof.
  intros n; revert t; induction js as [|x js IH]; intros t; simpl.
  - exists t; split; [lra|reflexivity].
  - destruct (dec b a); [congruence|]. destruct (IH (t + x)) as (t' & Ht & E).
    exists t'; split; [lra|exact E].
Qed.
Lemma ends_queue p a l os t c : NoDup os -> In a os ->
  ((forall x, In x (ends a t (flat_map (fun b => map (pair b) (placed l (jobs b) (p b))) os)) -> x <= c)
   <-> (placed l (jobs a) (p a) <> [] ->
        t + sum (map (fun b => load p b l) (before a os)) + load p a l <= c)).
Proof.
  revert t; induction os as [|b os IH]; intros t Hnd Hin; [destruct Hin|].
  inversion Hnd as [|b' os' Hb Hos]; subst. simpl.
  destruct (dec b a) as [e|n].
  - subst b. rewrite ends_block.
    + unfold load, ld. simpl. split; intros H G; specialize (H G); lra.
    + apply placed_nonneg.
    + intros [u x] Hx. apply in_flat_map in Hx. destruct Hx as (b & Hb1 & Hb2).
      apply in_map_iff in Hb2. destruct Hb2 as (y & E & _). inversion E; subst. simpl. congruence.
  - destruct Hin as [Hin|Hin]; [congruence|].
    destruct (ends_other a b t (placed l (jobs b) (p b))
       (flat_map (fun b => map (pair b) (placed l (jobs b) (p b))) os) n) as (t' & Ht & E).
    change (sum (placed l (jobs b) (p b))) with (load p b l) in Ht.
    rewrite E, (IH t' Hos Hin). simpl.
    split; intros H G; specialize (H G); lra.
Qed.

(* the whole cost function: on every machine that a uses, ready time + load *)
Theorem cost_le p a c :
  cost p a <= c <->
  0 <= c /\ forall l, placed l (jobs a) (p a) <> [] -> ready p a l + load p a l <= c.
Proof.
  unfold cost. rewrite fold_max_le. split; intros [H0 H]; (split; [exact H0|]).
  - intros l Hl.
    assert (G : 0 + sum (map (fun b => load p b l) (before a (order l))) + load p a l <= c).
    { apply (proj1 (ends_queue p a l (order l) 0 c (order_nodup l) (order_all l a))); [|exact Hl].
      intros x Hx. apply H. apply in_flat_map. exists l; split; [apply machines_all|exact Hx]. }
    unfold ready. lra.
  - intros x Hx. apply in_flat_map in Hx. destruct Hx as (l & _ & Hx). revert x Hx.
    apply (proj2 (ends_queue p a l (order l) 0 c (order_nodup l) (order_all l a))).
    intros Hl. specialize (H l Hl). unfold ready in H. lra.
Qed.
Lemma cost_nonneg p a : 0 <= cost p a.
Proof. apply (proj1 (cost_le p a (cost p a))). lra. Qed.
Lemma cost_ge p a l : placed l (jobs a) (p a) <> [] -> ready p a l + load p a l <= cost p a.
Proof. apply (proj1 (cost_le p a (cost p a))). lra. Qed.

(* ---- ready times ---- *)
Lemma ready_nonneg p a l : 0 <= ready p a l.
Proof. apply sum_map_nonneg. intros; apply load_nonneg. Qed.
Lemma ready_home p a : ready p a a == 0.
Proof. unfold ready, order. simpl. destruct (dec a a); [simpl; lra|congruence]. Qed.
Lemma ready_ge_owner p a l : l <> a -> load p l l <= ready p a l.
Proof.
  intros n. unfold ready, order. simpl. destruct (dec l a); [congruence|]. simpl.
  assert (0 <= sum (map (fun b => load p b l) (before a (remove dec l (prio l)))))
    by (apply sum_map_nonneg; intros; apply load_nonneg).
  lra.
Qed.
Lemma ready_ge_owner_before p a b l : l <> a -> l <> b -> In b (before a (order l)) ->
  load p l l + load p b l <= ready p a l.
Proof.
  intros n m. unfold ready, order. simpl. destruct (dec l a); [congruence|]. simpl.
  intros [e|H]; [congruence|].
  generalize (sum_map_ge (fun b => load p b l) _ b (fun b => load_nonneg p b l) H). lra.
Qed.

(* ================= DEVIATIONS ================= *)
Lemma deviate_same p a d : deviate p a d a = d.
Proof. unfold deviate. destruct (dec a a); congruence. Qed.

(* a's ready times do not depend on a's own strategy *)
Lemma ready_dev p a d l : ready (deviate p a d) a l = ready p a l.
Proof.
  unfold ready. f_equal. apply map_ext_in. intros b Hb. apply before_in in Hb.
  unfold load, deviate. destruct (dec b a); [tauto|reflexivity].
Qed.
Lemma dev_le p a d c :
  cost (deviate p a d) a <= c <->
  0 <= c /\ forall l, placed l (jobs a) d <> [] -> ready p a l + ld l (jobs a) d <= c.
Proof.
  rewrite cost_le. unfold load. rewrite deviate_same.
  split; intros [H0 H]; (split; [exact H0|]); intros l Hl; specialize (H l Hl);
    rewrite ?ready_dev in *; exact H.
Qed.
Lemma dev_ge p a d l : 0 < ld l (jobs a) d ->
  ready p a l + ld l (jobs a) d <= cost (deviate p a d) a.
Proof.
  intros H. apply (proj1 (dev_le p a d (cost (deviate p a d) a))); [lra|].
  apply load_pos_used; exact H.
Qed.
Lemma dev_nonneg p a d : 0 <= cost (deviate p a d) a.
Proof. apply cost_nonneg. Qed.

(* the cost depends on the strategies of the profile only, and of a deviation only on the machines of actual jobs *)
Lemma cost_ext p p' a : (forall b, p b = p' b) -> cost p a = cost p' a.
Proof.
  intros H. unfold cost. f_equal. apply flat_map_ext. intros l. f_equal.
  unfold queue. apply flat_map_ext. intros b. rewrite H. reflexivity.
Qed.
Lemma placed_ext l js s s' : (forall t, (t < length js)%nat -> s t = s' t) -> placed l js s = placed l js s'.
Proof.
  revert s s'; induction js as [|x js IH]; intros s s' H; simpl; [reflexivity|].
  rewrite (IH (fun n => s (S n)) (fun n => s' (S n))).
  - rewrite (H 0%nat) by (simpl; lia). reflexivity.
  - intros t Ht. apply H. simpl. lia.
Qed.
Lemma cost_agree p p' a : (forall b t, (t < length (jobs b))%nat -> p b t = p' b t) -> cost p a = cost p' a.
Proof.
  intros H. unfold cost. f_equal. apply flat_map_ext. intros l. f_equal.
  unfold queue. apply flat_map_ext. intros b. rewrite (placed_ext l (jobs b) (p b) (p' b) (H b)). reflexivity.
Qed.

(* ================= AT HOME ================= *)
Definition home (a : O) : strategy := fun _ => a.

Lemma placed_home l a js : placed l js (home a) = if dec a l then js else [].
Proof.
  induction js as [|x js IH]; simpl; [destruct (dec a l); reflexivity|].
  change (fun n : nat => home a (S n)) with (home a). rewrite IH.
  unfold home. destruct (dec a l); reflexivity.
Qed.
Lemma placed_away l a js : l <> a -> placed l js (home a) = [].
Proof. intros n. rewrite placed_home. destruct (dec a l); congruence. Qed.
Lemma ld_home a : ld a (jobs a) (home a) = work a.
Proof. unfold ld, work. rewrite placed_home. destruct (dec a a); congruence. Qed.
Lemma load_home (p : profile) a l : p a = home a -> load p a l == if dec a l then work a else 0.
Proof. intros H. unfold load, ld, work. rewrite H, placed_home. destruct (dec a l); reflexivity. Qed.
Lemma ld_cons l x js s : ld l (x :: js) s == (if dec (s 0%nat) l then x else 0) + ld l js (fun n => s (S n)).
Proof. unfold ld. simpl. destruct (dec (s 0%nat) l); simpl; lra. Qed.
Lemma ld_cons_le l x js s : 0 <= x -> ld l js (fun n => s (S n)) <= ld l (x :: js) s.
Proof. intros H. unfold ld. simpl. destruct (dec (s 0%nat) l); simpl; lra. Qed.

(* all work is at home or there is some on another machine *)
Lemma all_home_or_abroad a js s : nonneg js ->
  (exists l, l <> a /\ 0 < ld l js s) \/ ld a js s == sum js.
Proof.
  revert s; induction js as [|x js IH]; intros s H.
  - right; unfold ld; simpl; lra.
  - destruct (nonneg_cons x js H) as [Hx Hn].
    destruct (IH (fun n => s (S n)) Hn) as [(l & Hl & Hp)|E].
    + left; exists l; split; [exact Hl|]. generalize (ld_cons_le l x js s Hx). lra.
    + assert (Ea := ld_cons a x js s). simpl sum. destruct (dec (s 0%nat) a) as [e|n]; [right; lra|].
      destruct (lt_le 0 x) as [Hp|Hz]; [|right; lra].
      left. exists (s 0%nat). split; [exact n|]. assert (El := ld_cons (s 0%nat) x js s).
      destruct (dec (s 0%nat) (s 0%nat)); [|congruence].
      assert (0 <= ld (s 0%nat) js (fun n => s (S n))); [|lra].
      apply sum_nonneg. intros y Hy. apply Hn. exact (placed_in _ _ _ _ Hy).
Qed.

(* an organization at home is content if every other machine is ready for it no earlier than at its work *)
Lemma home_content p a : p a = home a -> (forall l, l <> a -> work a <= ready p a l) ->
  forall d, cost p a <= cost (deviate p a d) a.
Proof.
  intros Hh Hr d. apply cost_le. split; [apply dev_nonneg|].
  intros l Hl. unfold load. rewrite Hh in *. rewrite placed_home in Hl.
  destruct (dec a l) as [e|n]; [subst l|congruence].
  rewrite ld_home. generalize (ready_home p a); intros R0.
  destruct (all_home_or_abroad a (jobs a) d (jobs_nonneg a)) as [(l & n & Hp)|E].
  - generalize (dev_ge p a d l Hp) (Hr l n). lra.
  - fold (work a) in E. destruct (lt_le 0 (ld a (jobs a) d)) as [Hp|Hz].
    + generalize (dev_ge p a d a Hp). lra.
    + generalize (dev_nonneg p a d). lra.
Qed.

(* staying home costs the own work, whatever the others do, so nobody pays more in an equilibrium *)
Lemma cost_le_work p a : equilibrium p -> cost p a <= work a.
Proof.
  intros Hp. assert (H := Hp a (home a)).
  assert (cost (deviate p a (home a)) a <= work a); [|lra].
  apply dev_le. split; [apply work_nonneg|].
  intros l Hl. rewrite placed_home in Hl. destruct (dec a l) as [e|n]; [subst l|congruence].
  rewrite ld_home. generalize (ready_home p a). lra.
Qed.

(* ================= MERGING TWO MACHINES ================= *)
(* everything that s has on machine u goes to machine v *)
Definition merge (u v : O) (s : strategy) : strategy := fun n => if dec (s n) u then v else s n.

Lemma merge_cases u v s n : (s n = u /\ merge u v s n = v) \/ (s n <> u /\ merge u v s n = s n).
Proof. unfold merge; destruct (dec (s n) u); auto. Qed.
Lemma merge_other u v l js s : l <> u -> l <> v -> placed l js (merge u v s) = placed l js s.
Proof.
  intros n1 n2. revert s; induction js as [|x js IH]; intros s; simpl; [reflexivity|].
  change (fun n => merge u v s (S n)) with (merge u v (fun n => s (S n))). rewrite IH.
  assert (Hm := merge_cases u v s 0%nat). generalize dependent (merge u v s 0%nat). intros m Hm.
  destruct (dec m l), (dec (s 0%nat) l); try reflexivity;
    exfalso; destruct Hm as [[? ?]|[? ?]]; congruence.
Qed.
Lemma merge_from u v js s : u <> v -> placed u js (merge u v s) = [].
Proof.
  intros n1. revert s; induction js as [|x js IH]; intros s; simpl; [reflexivity|].
  change (fun n => merge u v s (S n)) with (merge u v (fun n => s (S n))). rewrite IH.
  destruct (dec (merge u v s 0%nat) u); [|reflexivity].
  destruct (merge_cases u v s 0%nat) as [[? ?]|[? ?]]; congruence.
Qed.
Lemma merge_to u v js s : u <> v -> ld v js (merge u v s) == ld u js s + ld v js s.
Proof.
  intros n1. unfold ld. revert s; induction js as [|x js IH]; intros s; simpl; [lra|].
  change (fun n => merge u v s (S n)) with (merge u v (fun n => s (S n))).
  specialize (IH (fun n => s (S n))).
  assert (Hm := merge_cases u v s 0%nat). generalize dependent (merge u v s 0%nat). intros m Hm.
  destruct (dec m v), (dec (s 0%nat) u), (dec (s 0%nat) v); simpl; try lra;
    exfalso; destruct Hm as [[? ?]|[? ?]]; congruence.
Qed.

(* ================= BEST REPLIES EXIST ================= *)
(* the strategy with job 0 on machine m and the further jobs as in s *)
Definition scons (m : O) (s : strategy) : strategy :=
  fun n => match n with 0%nat => m | S n' => s n' end.

(* all strategies for n jobs on the machines ms; further jobs are on d *)
Fixpoint strats (ms : list O) (d : O) (n : nat) : list strategy :=
  match n with
  | 0%nat => [fun _ => d]
  | S n' => flat_map (fun m => map (scons m) (strats ms d n')) ms
  end.

Lemma strats_in ms d n s t : In d ms -> In s (strats ms d n) -> In (s t) ms.
Proof.
  intros Hd; revert s t; induction n as [|n IH]; simpl; intros s t H.
  - destruct H as [H|[]]. subst s. exact Hd.
  - apply in_flat_map in H. destruct H as (m & Hm & H). apply in_map_iff in H.
    destruct H as (s' & E & H). subst s. destruct t as [|t]; simpl; [exact Hm|exact (IH s' t H)].
Qed.
Lemma strats_complete ms d n s : (forall t, In (s t) ms) ->
  exists s', In s' (strats ms d n) /\ forall t, (t < n)%nat -> s' t = s t.
Proof.
  revert s; induction n as [|n IH]; intros s H; simpl.
  - exists (fun _ => d). split; [auto|]. intros t Ht; lia.
  - destruct (IH (fun t => s (S t))) as (s' & H1 & H2); [intros t; apply H|].
    exists (scons (s 0%nat) s'). split.
    + apply in_flat_map. exists (s 0%nat). split; [apply H|]. apply in_map; exact H1.
    + intros [|t] Ht; simpl; [reflexivity|]. apply H2. lia.
Qed.

(* a strategy with the least f and, among those, the greatest g, of all strategies with values in ms *)
Lemma best_strategy (js : list num) (ms : list O) (f g : strategy -> num) : ms <> [] ->
  (forall s s', (forall t, (t < length js)%nat -> s t = s' t) -> f s == f s' /\ g s == g s') ->
  exists s, (forall t, In (s t) ms) /\
    forall s', (forall t, In (s' t) ms) -> f s <= f s' /\ (f s' <= f s -> g s' <= g s).
Proof.
  intros Hne Hext. destruct ms as [|d ms']; [congruence|]. set (ms := d :: ms') in *.
  set (L := strats ms d (length js)).
  assert (Hd : In d ms) by (left; reflexivity).
  destruct (list_least (fun s s' => f s < f s' \/ (f s == f s' /\ g s' <= g s)) L) as (s & Hs & Hm).
  - intros x y. destruct (lt_le (f x) (f y)); [left; left; assumption|].
    destruct (lt_le (f y) (f x)); [right; left; assumption|].
    destruct (lt_le (g x) (g y)); [right|left]; right; split; lra.
  - intros x y z [H|[H1 H2]] [G|[G1 G2]]; [left; lra|left; lra|left; lra|right; split; lra].
  - destruct (strats_complete ms d (length js) (fun _ => d)) as (s' & H & _); [intros; exact Hd|].
    unfold L. intros E. rewrite E in H. destruct H.
  - exists s. split; [intros t; exact (strats_in ms d _ s t Hd Hs)|].
    intros s' Hs'. destruct (strats_complete ms d (length js) s' Hs') as (s2 & H1 & H2).
    destruct (Hext s2 s' H2) as [E1 E2].
    destruct (Hm s2 H1) as [H|[H G]]; split; try lra; intros; lra.
Qed.

(* a best reply and, among the best replies, one with most work at home *)
Lemma lazy_best_reply p a : exists d, forall d',
  cost (deviate p a d) a <= cost (deviate p a d') a /\
  (cost (deviate p a d') a <= cost (deviate p a d) a -> ld a (jobs a) d' <= ld a (jobs a) d).
Proof.
  destruct (best_strategy (jobs a) machines (fun d => cost (deviate p a d) a) (fun d => ld a (jobs a) d))
    as (s & _ & H).
  - intros E. generalize (machines_all a). rewrite E. intros [].
  - intros s s' H. unfold ld. rewrite (placed_ext a (jobs a) s s' H).
    rewrite (cost_agree (deviate p a s) (deviate p a s')); [lra|]. intros b t Ht. unfold deviate.
    destruct (dec b a) as [->|]; auto.
  - exists s. intros d'. apply H. intros; apply machines_all.
Qed.
Lemma best_reply_content p a : exists d, forall d', cost (deviate p a d) a <= cost (deviate (deviate p a d) a d') a.
Proof.
  destruct (lazy_best_reply p a) as (d & H). exists d. intros d'.
  rewrite (cost_ext (deviate (deviate p a d) a d') (deviate p a d')); [apply H|].
  intros b. unfold deviate. destruct (dec b a); reflexivity.
Qed.
End Game.
