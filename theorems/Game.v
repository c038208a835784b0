(* Placement games with one machine per organization, priority to organizations. *)
From Coq Require Import List Lia Permutation.
Require Import Numbers.
Import ListNotations.

(* ================= DEFINITION OF THE GAME ================= *)
Section Game.
Context {O : Type}.                              (* organizations; machine l belongs to organization l *)
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variable machines : list O.                      (* all of them *)
Variable jobs : O -> list num.                   (* lengths of the jobs of each organization *)
Variable prio : O -> list O.                     (* prio l: the organizations in machine l's order of priority *)

Definition strategy := nat -> O.                 (* machine of job number 0, 1, 2, ... of an organization *)
Definition profile := O -> strategy.

(* jobs of the list js that strategy s places on machine l *)
Fixpoint placed (l : O) (js : list num) (s : strategy) : list num :=
  match js with
  | [] => []
  | x :: js' => let rest := placed l js' (fun n => s (S n)) in
                if dec (s 0%nat) l then x :: rest else rest
  end.

(* order in which machine l serves the organizations: its owner, then the others by priority *)
Definition order (l : O) : list O := l :: remove dec l (prio l).

(* what machine l runs, in this order, without idle time: (owner, length) *)
Definition queue (p : profile) (l : O) : list (O * num) :=
  flat_map (fun b => map (pair b) (placed l (jobs b) (p b))) (order l).

(* completion times of a's jobs in a queue that is started at time t *)
Fixpoint ends (a : O) (t : num) (q : list (O * num)) : list num :=
  match q with
  | [] => []
  | (b, x) :: q' => let rest := ends a (t + x) q' in
                    if dec b a then t + x :: rest else rest
  end.

(* cost of a: completion time of its last job, 0 without jobs *)
Definition cost (p : profile) (a : O) : num :=
  fold_right nmax 0 (flat_map (fun l => ends a 0 (queue p l)) machines).

Definition deviate (p : profile) (a : O) (d : strategy) : profile :=
  fun b => if dec b a then d else p b.

Definition equilibrium (p : profile) : Prop :=
  forall a d, cost p a <= cost (deviate p a d) a.

(* ================= GENERAL LEMMAS ================= *)
Definition sum (l : list num) : num := fold_right (fun x y : num => x + y) 0 l.
Definition nonneg (l : list num) := forall x, In x l -> 0 <= x.
Definition ld (l : O) (js : list num) (s : strategy) : num := sum (placed l js s).
Definition load (p : profile) (b l : O) : num := ld l (jobs b) (p b).
Definition work (a : O) : num := sum (jobs a).
Fixpoint before (a : O) (os : list O) : list O :=
  match os with
  | [] => []
  | b :: os' => if dec b a then [] else b :: before a os'
  end.
Definition ready (p : profile) (a l : O) : num :=
  sum (map (fun b => load p b l) (before a (order l))).

Hypothesis machines_all : forall l, In l machines.
Hypothesis prio_nodup : forall l, NoDup (prio l).
Hypothesis prio_all : forall l a, In a (prio l).
Hypothesis jobs_nonneg : forall a, nonneg (jobs a).

Lemma sum_nonneg l : nonneg l -> 0 <= sum l.
Proof.
  induction l as [|x l IH]; intros H; simpl; [lra|].
  assert (0 <= x) by (apply H; left; reflexivity).
  assert (0 <= sum l) by (apply IH; intros y Hy; apply H; right; exact Hy). lra.
Qed.

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

Lemma fold_max_le L c : fold_right nmax 0 L <= c <-> 0 <= c /\ forall x, In x L -> x <= c.
Proof.
  induction L as [|y L IH]; simpl.
  - split; [intros H; split; [exact H|tauto]|tauto].
  - rewrite nmax_le, IH. split.
    + intros [H1 [H2 H3]]; split; [exact H2|]. intros x [H|H]; [subst; exact H1|auto].
    + intros [H1 H2]; split; [apply H2; auto|split; auto].
Qed.

(* order is a permutation *)
Lemma in_remove_iff (x a : O) l : In x (remove dec a l) <-> In x l /\ x <> a.
Proof.
  induction l as [|b l IH]; simpl; [tauto|].
  destruct (dec a b) as [e|n]; simpl.
  - subst b. rewrite IH. split; [tauto|]. intros [[H|H] Hn]; [congruence|tauto].
  - rewrite IH. split.
    + intros [H|H]; [subst; split; auto|tauto].
    + tauto.
Qed.

Lemma remove_nodup a l : NoDup l -> NoDup (remove dec a l).
Proof.
  induction 1 as [|b l Hb Hl IH]; simpl; [constructor|].
  destruct (dec a b); [exact IH|]. constructor; [|exact IH].
  rewrite in_remove_iff; tauto.
Qed.

Lemma order_nodup l : NoDup (order l).
Proof.
  unfold order; constructor; [rewrite in_remove_iff; tauto|apply remove_nodup, prio_nodup].
Qed.

Lemma order_all l a : In a (order l).
Proof.
  unfold order; simpl. destruct (dec l a); [auto|right]. rewrite in_remove_iff; split; auto.
Qed.

Lemma before_in a b os : In b (before a os) -> In b os /\ b <> a.
Proof.
  induction os as [|c os IH]; simpl; [tauto|].
  destruct (dec c a); simpl; [tauto|]. intros [H|H]; [subst; auto|]. apply IH in H; tauto.
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

(* completion times *)
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
  - simpl. rewrite ends_skip by exact Hq. simpl. split; [intros _ n; exfalso; apply n; reflexivity|tauto].
  - simpl. destruct (dec a a) as [_|n]; [|congruence].
    assert (Hx : 0 <= x) by (apply Hn; left; reflexivity).
    assert (Hn' : nonneg js) by (intros y Hy; apply Hn; right; exact Hy).
    assert (Hs : 0 <= sum js) by (apply sum_nonneg, Hn').
    specialize (IH Hn' (t + x)). split.
    + intros H _. destruct js as [|z js'].
      * specialize (H (t + x) (or_introl eq_refl)). simpl. lra.
      * assert (G : t + x + sum (z :: js') <= c).
        { apply (proj1 IH); [|discriminate]. intros y Hy; apply H; right; exact Hy. }
        lra.
    + intros H. assert (G : t + (x + sum js) <= c) by (apply H; discriminate).
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
      apply in_map_iff in Hb2. destruct Hb2 as (y & E & _). inversion E; subst. simpl.
      intros e; subst; tauto.
  - destruct Hin as [Hin|Hin]; [congruence|].
    destruct (ends_other a b t (placed l (jobs b) (p b))
       (flat_map (fun b => map (pair b) (placed l (jobs b) (p b))) os) n) as (t' & Ht & E).
    change (sum (placed l (jobs b) (p b))) with (load p b l) in Ht.
    rewrite E, (IH t' Hos Hin). simpl.
    split; intros H G; specialize (H G); lra.
Qed.

(* the whole cost function in one lemma: on every machine that a uses, ready time + load *)
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

Lemma load_pos_used l js s : 0 < ld l js s -> placed l js s <> [].
Proof. unfold ld. intros H E. rewrite E in H. simpl in H. lra. Qed.

(* ready times *)
Lemma sum_map_nonneg (f : O -> num) os : (forall b, 0 <= f b) -> 0 <= sum (map f os).
Proof.
  intros H; induction os as [|b os IH]; simpl; [lra|]. specialize (H b). lra.
Qed.

Lemma sum_map_ge (f : O -> num) os b : (forall b, 0 <= f b) -> In b os -> f b <= sum (map f os).
Proof.
  intros H; induction os as [|c os IH]; simpl; [tauto|]. intros [e|Hb].
  - subst c. generalize (sum_map_nonneg f os H). lra.
  - specialize (IH Hb). specialize (H c). lra.
Qed.

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

Lemma ready_dev p a d l : ready (deviate p a d) a l = ready p a l.
Proof.
  unfold ready. f_equal. apply map_ext_in. intros b Hb. apply before_in in Hb.
  unfold load, deviate. destruct (dec b a); [tauto|reflexivity].
Qed.

Lemma deviate_same p a d : deviate p a d a = d.
Proof. unfold deviate. destruct (dec a a); congruence. Qed.

(* costs of a deviation *)
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

Lemma cost_ext p p' a : (forall b, p b = p' b) -> cost p a = cost p' a.
Proof.
  intros H. unfold cost. f_equal. apply flat_map_ext. intros l. f_equal.
  unfold queue. apply flat_map_ext. intros b. rewrite H. reflexivity.
Qed.

(* home *)
Definition home (a : O) : strategy := fun _ => a.

Lemma placed_home l a js : placed l js (home a) = if dec a l then js else [].
Proof.
  induction js as [|x js IH]; simpl; [destruct (dec a l); reflexivity|].
  change (fun n : nat => home a (S n)) with (home a). rewrite IH.
  unfold home. destruct (dec a l); reflexivity.
Qed.

Lemma ld_home a : ld a (jobs a) (home a) = work a.
Proof. unfold ld, work. rewrite placed_home. destruct (dec a a); congruence. Qed.

Lemma ld_cons_le l x js s : 0 <= x -> ld l js (fun n => s (S n)) <= ld l (x :: js) s.
Proof. intros H. unfold ld. simpl. destruct (dec (s 0%nat) l); simpl; lra. Qed.

Lemma all_home_or_abroad a js s : nonneg js ->
  (exists l, l <> a /\ 0 < ld l js s) \/ ld a js s == sum js.
Proof.
  revert s; induction js as [|x js IH]; intros s H; simpl.
  - right; unfold ld; simpl; lra.
  - assert (Hx : 0 <= x) by (apply H; left; reflexivity).
    destruct (IH (fun n => s (S n))) as [(l & Hl & Hp)|E].
    + intros y Hy; apply H; right; exact Hy.
    + left; exists l; split; [exact Hl|]. generalize (ld_cons_le l x js s Hx). lra.
    + destruct (dec (s 0%nat) a) as [e|n].
      * right. unfold ld in *. simpl. destruct (dec (s 0%nat) a); [simpl; lra|congruence].
      * destruct (lt_le 0 x) as [Hp|Hz].
        -- left. exists (s 0%nat). split; [exact n|]. unfold ld. simpl.
           destruct (dec (s 0%nat) (s 0%nat)); [|congruence]. simpl.
           assert (0 <= sum (placed (s 0%nat) js (fun n => s (S n)))).
           { apply sum_nonneg. intros y Hy. apply H. right. exact (placed_in _ _ _ _ Hy). }
           lra.
        -- right. unfold ld in *. simpl. destruct (dec (s 0%nat) a); [congruence|]. lra.
Qed.

(* an organization at home pays its work at most; it is content if every other machine is ready at >= its work *)
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

(* (H): the cost in an equilibrium is at most the own work *)
Lemma cost_le_work p a : equilibrium p -> cost p a <= work a.
Proof.
  intros Hp. assert (H := Hp a (home a)).
  assert (cost (deviate p a (home a)) a <= work a); [|lra].
  apply dev_le. split; [apply work_nonneg|].
  intros l Hl. rewrite placed_home in Hl. destruct (dec a l) as [e|n]; [subst l|congruence].
  rewrite ld_home. generalize (ready_home p a). lra.
Qed.

(* moving everything from machine u to machine v *)
Definition merge (u v : O) (s : strategy) : strategy := fun n => if dec (s n) u then v else s n.

Lemma merge_other u v l js s : l <> u -> l <> v -> placed l js (merge u v s) = placed l js s.
Proof.
  intros n1 n2. revert s; induction js as [|x js IH]; intros s; simpl; [reflexivity|].
  change (fun n => merge u v s (S n)) with (merge u v (fun n => s (S n))). rewrite IH.
  assert (Hm : (s 0%nat = u /\ merge u v s 0%nat = v) \/ (s 0%nat <> u /\ merge u v s 0%nat = s 0%nat))
    by (unfold merge; destruct (dec (s 0%nat) u); auto).
  generalize dependent (merge u v s 0%nat). intros m Hm.
  destruct (dec m l), (dec (s 0%nat) l); try reflexivity;
    exfalso; destruct Hm as [[? ?]|[? ?]]; congruence.
Qed.

Lemma merge_from u v js s : u <> v -> placed u js (merge u v s) = [].
Proof.
  intros n1. revert s; induction js as [|x js IH]; intros s; simpl; [reflexivity|].
  change (fun n => merge u v s (S n)) with (merge u v (fun n => s (S n))). rewrite IH.
  assert (Hm : merge u v s 0%nat <> u) by (unfold merge; destruct (dec (s 0%nat) u); congruence).
  destruct (dec (merge u v s 0%nat) u); [congruence|reflexivity].
Qed.

Lemma merge_to u v js s : u <> v -> ld v js (merge u v s) == ld u js s + ld v js s.
Proof.
  intros n1. unfold ld. revert s; induction js as [|x js IH]; intros s; simpl; [lra|].
  change (fun n => merge u v s (S n)) with (merge u v (fun n => s (S n))).
  specialize (IH (fun n => s (S n))).
  assert (Hm : (s 0%nat = u /\ merge u v s 0%nat = v) \/ (s 0%nat <> u /\ merge u v s 0%nat = s 0%nat))
    by (unfold merge; destruct (dec (s 0%nat) u); auto).
  generalize dependent (merge u v s 0%nat). intros m Hm.
  destruct (dec m v), (dec (s 0%nat) u), (dec (s 0%nat) v); simpl; try lra;
    exfalso; destruct Hm as [[? ?]|[? ?]]; congruence.
Qed.

(* finitely many strategies *)
Definition scons (m : O) (s : strategy) : strategy :=
  fun n => match n with 0%nat => m | S n' => s n' end.
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

Lemma placed_ext l js s s' : (forall t, (t < length js)%nat -> s t = s' t) -> placed l js s = placed l js s'.
Proof.
  revert s s'; induction js as [|x js IH]; intros s s' H; simpl; [reflexivity|].
  rewrite (IH (fun n => s (S n)) (fun n => s' (S n))).
  - rewrite (H 0%nat) by (simpl; lia). reflexivity.
  - intros t Ht. apply H. simpl. lia.
Qed.

(* least element of a list under a total transitive relation *)
Lemma list_least {A : Type} (le : A -> A -> Prop) (L : list A) :
  (forall x y, le x y \/ le y x) -> (forall x y z, le x y -> le y z -> le x z) ->
  L <> [] -> exists x, In x L /\ forall y, In y L -> le x y.
Proof.
  intros Ht Htr. induction L as [|a L IH]; [congruence|]. intros _.
  destruct L as [|b L].
  - exists a. split; [left; reflexivity|]. intros y [H|[]]. subst. destruct (Ht y y); assumption.
  - destruct IH as (x & Hx & Hm); [discriminate|].
    destruct (Ht a x) as [H|H].
    + exists a. split; [left; reflexivity|]. intros y [Hy|Hy].
      * subst. destruct (Ht y y); assumption.
      * apply (Htr a x y H). exact (Hm y Hy).
    + exists x. split; [right; exact Hx|]. intros y [Hy|Hy]; [subst; exact H|exact (Hm y Hy)].
Qed.

(* least f, then greatest g, over all strategies with values in ms *)
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
  - intros x y z [H|[H1 H2]] [G|[G1 G2]].
    + left; lra.
    + left; lra.
    + left; lra.
    + right; split; lra.
  - destruct (strats_complete ms d (length js) (fun _ => d)) as (s' & H & _); [intros; exact Hd|].
    unfold L. intros E. rewrite E in H. destruct H.
  - exists s. split; [intros t; exact (strats_in ms d _ s t Hd Hs)|].
    intros s' Hs'. destruct (strats_complete ms d (length js) s' Hs') as (s2 & H1 & H2).
    destruct (Hext s2 s' H2) as [E1 E2].
    destruct (Hm s2 H1) as [H|[H G]]; split; try lra; intros; lra.
Qed.

Lemma dev_ext p a d d' : (forall t, (t < length (jobs a))%nat -> d t = d' t) ->
  cost (deviate p a d) a == cost (deviate p a d') a.
Proof.
  assert (forall d d', (forall t, (t < length (jobs a))%nat -> d t = d' t) ->
     cost (deviate p a d) a <= cost (deviate p a d') a) as A.
  { intros e e' H. apply dev_le. split; [apply dev_nonneg|]. intros l Hl.
    unfold ld. rewrite (placed_ext l (jobs a) e e' H) in *.
    apply (proj1 (dev_le p a e' (cost (deviate p a e') a))); [lra|exact Hl]. }
  intros H. assert (H1 := A d d' H). assert (H2 := A d' d (fun t Ht => eq_sym (H t Ht))). lra.
Qed.

(* a best reply with most work at home *)
Lemma lazy_best_reply p a : exists d, forall d',
  cost (deviate p a d) a <= cost (deviate p a d') a /\
  (cost (deviate p a d') a <= cost (deviate p a d) a -> ld a (jobs a) d' <= ld a (jobs a) d).
Proof.
  destruct (best_strategy (jobs a) machines (fun d => cost (deviate p a d) a) (fun d => ld a (jobs a) d))
    as (s & _ & H).
  - intros E. generalize (machines_all a). rewrite E. intros [].
  - intros s s' H. split; [apply dev_ext; exact H|]. unfold ld. rewrite (placed_ext a (jobs a) s s' H). lra.
  - exists s. intros d'. apply H. intros; apply machines_all.
Qed.

End Game.
