(* Placement games in which an organization owns several machines.

   Host l has [machines l] identical machines, which run one list: the jobs of l that stay, then the jobs of the others
   in l's order of priority. Each job of the list goes to the machine of l of least load. The jobs of one organization
   run in the order in which [jobs] lists them: longest first where the cost is a completion time, shortest first where
   it is the sum of the completion times. With one machine each this is the game of Game.v ([one_machine_each]).

   Facts used in all other files on several machines, with their names in the documentation:
   (F1) list schedules are monotone: in IdenticalMachines.v.
   (F2) what a sees are the loads of every host after the jobs in front of its own ([ready]); they do not depend on a.
        Any reply of a is a schedule of its jobs on these loads ([reply_is_schedule]); and a list schedule on all of
        them is a reply, if each job goes to the host of its machine ([list_reply_is_schedule], [list_reply_exists]).
   (H)  With all its jobs at home an organization pays the same whatever the others do ([home_cost_constant]); so in an
        equilibrium it pays at most that ([cost_le_home_cost]).
   (S)  An organization with no more jobs than machines is content at home ([few_jobs_content]); so there is an
        equilibrium if at most one organization has more ([one_large_organization]). *)
From Coq Require Import List Lia Permutation Sorted.
Require Import Numbers Game Loads IdenticalMachines.
Import ListNotations.

(* ================= DEFINITION ================= *)
Section SeveralMachines.
Context {O : Type}.                              (* organizations, which are the hosts *)
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variable hosts : list O.                         (* all of them *)
Variable machines : O -> nat.                    (* how many machines each has *)
Variable jobs : O -> list num.                   (* lengths of the jobs of each, in the order in which they run *)
Variable prio : O -> list O.                     (* prio l: the organizations in host l's order of priority *)

(* completion times of a's jobs in a list that a host runs, its machines having these loads *)
Fixpoint ends (a : O) (loads : list num) (q : list (O * num)) : list num :=
  match q with
  | [] => []
  | (b, x) :: q' => let rest := ends a (serve x loads) q' in
                    if dec b a then start loads + x :: rest else rest
  end.

(* completion times of all jobs of a; a profile and a host's list, [queue], are as in Game.v *)
Definition times (p : profile) (a : O) : list num :=
  flat_map (fun l => ends a (idle (machines l)) (queue dec jobs prio p l)) hosts.

(* cost of a: the completion time of its last job, 0 without jobs *)
Definition cost (p : profile) (a : O) : num := fold_right nmax 0 (times p a).

Definition equilibrium (p : profile) : Prop := forall a d, cost p a <= cost (deviate dec p a d) a.

(* the other cost: the sum of the completion times *)
Definition sum_cost (p : profile) (a : O) : num := sum (times p a).

Definition sum_equilibrium (p : profile) : Prop := forall a d, sum_cost p a <= sum_cost (deviate dec p a d) a.

(* ================= ONE MACHINE EACH ================= *)
Lemma ends_one_machine a q : forall t, ends a [t] q = Game.ends dec a t q.
Proof. induction q as [|[b x] q IH]; intros t; simpl; [reflexivity|]. rewrite IH. reflexivity. Qed.

Theorem one_machine_each p a : (forall l, machines l = 1%nat) -> cost p a = Game.cost dec hosts jobs prio p a.
Proof.
  intros H. unfold cost, times, Game.cost. f_equal. apply flat_map_ext. intros l. rewrite H. apply ends_one_machine.
Qed.

(* ================= (F2): WHAT AN ORGANIZATION SEES ================= *)
Hypotheses (hosts_all : forall l, In l hosts) (hosts_nodup : NoDup hosts).
Hypothesis machines_some : forall l, (1 <= machines l)%nat.
Hypotheses (prio_nodup : forall l, NoDup (prio l)) (prio_all : forall l a, In a (prio l)).
Hypothesis jobs_nonneg : forall a, nonneg (jobs a).

Notation placed := (placed dec).
Notation deviate := (deviate dec).

(* the jobs that host l runs before those of a, and the loads after them *)
Definition ahead (p : profile) (a l : O) : list num :=
  flat_map (fun b => placed l (jobs b) (p b)) (before dec a (order dec prio l)).
Definition ready (p : profile) (a l : O) : list num := run (idle (machines l)) (ahead p a l).

(* completion times of jobs that are sent by strategy d to hosts with these loads *)
Definition reply (R : O -> list num) (js : list num) (d : strategy) : list num :=
  flat_map (fun l => completions (R l) (placed l js d)) hosts.

Lemma ends_own a js : forall loads q, (forall y, In y q -> fst y <> a) ->
  ends a loads (map (pair a) js ++ q) = completions loads js.
Proof.
  induction js as [|x js IH]; intros loads q H; simpl.
  - revert loads. induction q as [|[b y] q IH]; intros loads; simpl; [reflexivity|].
    destruct (dec b a) as [e|n]; [exfalso; exact (H (b, y) (or_introl eq_refl) e)|].
    apply IH. intros z Hz. apply H. right. exact Hz.
  - destruct (dec a a); [|congruence]. rewrite IH by exact H. reflexivity.
Qed.
Lemma ends_others a b js : b <> a -> forall loads q, ends a loads (map (pair b) js ++ q) = ends a (run loads js) q.
Proof.
  intros n. induction js as [|x js IH]; intros loads q; simpl; [reflexivity|].
  destruct (dec b a); [congruence|]. apply IH.
Qed.
Lemma ends_queue p a l os : NoDup os -> In a os -> forall loads,
  ends a loads (flat_map (fun b => map (pair b) (placed l (jobs b) (p b))) os)
  = completions (run loads (flat_map (fun b => placed l (jobs b) (p b)) (before dec a os))) (placed l (jobs a) (p a)).
Proof.
  induction 1 as [|b os Hb Hos IH]; simpl; [tauto|]. intros Ha loads. destruct (dec b a) as [e|n].
  - subst b. apply ends_own. intros [c y] Hy. simpl. intros e. subst c.
    apply in_flat_map in Hy. destruct Hy as (c & Hc & Hy). apply in_map_iff in Hy. destruct Hy as (z & E & _).
    injection E as E _. subst c. exact (Hb Hc).
  - rewrite ends_others by exact n. simpl. rewrite run_app. apply IH. destruct Ha; [congruence|assumption].
Qed.
Lemma times_reply p a : times p a = reply (ready p a) (jobs a) (p a).
Proof.
  unfold times, reply. apply flat_map_ext. intros l. apply ends_queue; [apply order_nodup; exact prio_nodup|].
  apply order_all. exact prio_all.
Qed.
Lemma ready_ext p q a l : (forall b, b <> a -> p b = q b) -> ready p a l = ready q a l.
Proof.
  intros H. unfold ready, ahead. f_equal. rewrite !flat_map_concat_map. f_equal. apply map_ext_in.
  intros b Hb. apply before_in in Hb. rewrite H; [reflexivity|tauto].
Qed.

(* what a sees does not depend on a *)
Lemma times_deviate p a d : times (deviate p a d) a = reply (ready p a) (jobs a) d.
Proof.
  rewrite times_reply. unfold Game.deviate at 2. destruct (dec a a) as [_|n]; [|congruence].
  unfold reply. apply flat_map_ext. intros l. f_equal. apply ready_ext.
  intros b Hb. unfold Game.deviate. destruct (dec b a); congruence.
Qed.
Lemma ready_home p a : ready p a a = idle (machines a).
Proof. unfold ready, ahead, order. simpl. destruct (dec a a); [reflexivity|congruence]. Qed.
Lemma ahead_nonneg p a l : nonneg (ahead p a l).
Proof. apply nonneg_flat_map. intros b. apply placed_nonneg. exact jobs_nonneg. Qed.
Lemma ready_ascending p a l : ascending (ready p a l).
Proof. apply run_ascending, idle_ascending. Qed.
Lemma idle_not_nil l : idle (machines l) <> [].
Proof. intros E. generalize (machines_some l). unfold idle in E. destruct (machines l); [lia|discriminate]. Qed.
Lemma ready_not_nil p a l : ready p a l <> [].
Proof. apply run_not_nil, idle_not_nil. Qed.
Lemma start_idle n : start (idle n) = 0.
Proof. destruct n; reflexivity. Qed.
Lemma ready_nonneg p a l : 0 <= start (ready p a l).
Proof.
  generalize (start_mono _ _ (run_nonneg_below (ahead p a l) (ahead_nonneg p a l) _ (idle_ascending (machines l)))).
  rewrite start_idle. trivial.
Qed.

(* a list of lists in which one element is taken from one list *)
Lemma flat_map_point (f g : O -> list num) h x hs : NoDup hs -> In h hs -> Permutation (f h) (x :: g h) ->
  (forall l, l <> h -> f l = g l) -> Permutation (flat_map f hs) (x :: flat_map g hs).
Proof.
  intros Hn Hi Hh Ho. induction Hn as [|b hs Hb Hn IH]; simpl; [destruct Hi|].
  destruct (dec b h) as [e|n].
  - subst b. rewrite (flat_map_concat_map f), (flat_map_concat_map g), (map_ext_in f g).
    + apply (Permutation_app_tail (concat (map g hs)) Hh).
    + intros l Hl. apply Ho. intros e. subst l. exact (Hb Hl).
  - rewrite (Ho b n). destruct Hi as [e|Hi]; [congruence|].
    apply (Permutation_trans (Permutation_app_head (g b) (IH Hi))). apply Permutation_sym, Permutation_middle.
Qed.

(* loads after one job, of length x, has gone to host h *)
Definition serve_at (h : O) (x : num) (R : O -> list num) (l : O) : list num := if dec h l then serve x (R l) else R l.

Lemma serve_at_same h x R : serve_at h x R h = serve x (R h).
Proof. unfold serve_at. destruct (dec h h); congruence. Qed.
Lemma serve_at_other h x R l : l <> h -> serve_at h x R l = R l.
Proof. unfold serve_at. destruct (dec h l); congruence. Qed.
Lemma reply_cons R x js d :
  Permutation (reply R (x :: js) d) (start (R (d 0%nat)) + x :: reply (serve_at (d 0%nat) x R) js (fun n => d (S n))).
Proof.
  unfold reply. apply flat_map_point with (h := d 0%nat); [exact hosts_nodup|apply hosts_all| |].
  - simpl. rewrite serve_at_same. destruct (dec (d 0%nat) (d 0%nat)); [apply Permutation_refl|congruence].
  - intros l n. simpl. rewrite serve_at_other by exact n. destruct (dec (d 0%nat) l); [congruence|reflexivity].
Qed.

(* all loads, before and after that job: its host's least load t grows by x *)
Lemma serve_at_loads h x R : R h <> [] -> exists others,
  Permutation (flat_map R hosts) (start (R h) :: others) /\
  Permutation (flat_map (serve_at h x R) hosts) (start (R h) + x :: others).
Proof.
  intros H. exists (flat_map (fun l => if dec h l then tl (R l) else R l) hosts).
  assert (E : R h = start (R h) :: tl (R h)) by (destruct (R h); [congruence|reflexivity]).
  split; apply flat_map_point with (h := h); try exact hosts_nodup; try apply hosts_all.
  - destruct (dec h h); [|congruence]. rewrite E at 1. apply Permutation_refl.
  - intros l n. destruct (dec h l); congruence.
  - rewrite serve_at_same. destruct (dec h h); [|congruence]. destruct (R h); [congruence|].
    apply Permutation_sym, insert_permutation.
  - intros l n. rewrite serve_at_other by exact n. destruct (dec h l); congruence.
Qed.
Lemma schedule_permutation rule L L' js ts F : Permutation L L' -> schedule rule L' js ts F ->
  exists F', schedule rule L js ts F'.
Proof.
  intros HP H. inversion H as [|L0 t R x js' ts' F' HL Ht H']; subst; [exists L; constructor|].
  exists F. econstructor; [exact (Permutation_trans HP HL)|exact Ht|exact H'].
Qed.
Lemma serve_at_not_nil h x R : (forall l, R l <> []) -> forall l, serve_at h x R l <> [].
Proof. intros H l. unfold serve_at. destruct (dec h l); [apply serve_not_nil|]; apply H. Qed.
Lemma serve_at_ascending h x R : (forall l, ascending (R l)) -> forall l, ascending (serve_at h x R l).
Proof. intros H l. unfold serve_at. destruct (dec h l); [apply serve_ascending|]; apply H. Qed.

(* any reply is a schedule on all machines, from the loads that are seen *)
Theorem reply_is_schedule js : forall (R : O -> list num) (d : strategy), (forall l, R l <> []) ->
  exists ts F, schedule anywhere (flat_map R hosts) js ts F /\ Permutation ts (reply R js d).
Proof.
  induction js as [|x js IH]; intros R d HR.
  - exists [], (flat_map R hosts). split; [constructor|]. unfold reply. simpl.
    clear. induction hosts; simpl; [constructor|assumption].
  - destruct (IH (serve_at (d 0%nat) x R) (fun n => d (S n))) as (ts & F & H & P); [apply serve_at_not_nil; exact HR|].
    destruct (serve_at_loads (d 0%nat) x R (HR _)) as (others & P1 & P2).
    destruct (schedule_permutation _ _ _ _ _ _ (Permutation_sym P2) H) as (F' & H').
    exists (start (R (d 0%nat)) + x :: ts), F'. split; [econstructor; [exact P1|exact I|exact H']|].
    apply Permutation_sym, (Permutation_trans (reply_cons R x js d)). apply perm_skip, Permutation_sym. exact P.
Qed.

(* d is a list schedule of js on all machines: every job goes to a host that has a machine of least load *)
Fixpoint list_reply (R : O -> list num) (js : list num) (d : strategy) : Prop :=
  match js with
  | [] => True
  | x :: js' => (forall l, start (R (d 0%nat)) <= start (R l)) /\
                list_reply (serve_at (d 0%nat) x R) js' (fun n => d (S n))
  end.

Theorem list_reply_is_schedule js : forall (R : O -> list num) (d : strategy),
  (forall l, R l <> []) -> (forall l, ascending (R l)) -> list_reply R js d ->
  exists ts F, schedule on_least (flat_map R hosts) js ts F /\ Permutation ts (reply R js d).
Proof.
  induction js as [|x js IH]; intros R d HR HA Hd.
  - exists [], (flat_map R hosts). split; [constructor|]. unfold reply. simpl.
    clear. induction hosts; simpl; [constructor|assumption].
  - destruct Hd as [Hl Hd].
    destruct (IH (serve_at (d 0%nat) x R) (fun n => d (S n))) as (ts & F & H & P);
      [apply serve_at_not_nil; exact HR|apply serve_at_ascending; exact HA|exact Hd|].
    destruct (serve_at_loads (d 0%nat) x R (HR _)) as (others & P1 & P2).
    destruct (schedule_permutation _ _ _ _ _ _ (Permutation_sym P2) H) as (F' & H').
    exists (start (R (d 0%nat)) + x :: ts), F'. split.
    + econstructor; [exact P1| |exact H']. intros u Hu.
      assert (Hin : In u (flat_map R hosts)) by (apply (Permutation_in u (Permutation_sym P1)); right; exact Hu).
      apply in_flat_map in Hin. destruct Hin as (l & _ & Hin). generalize (Hl l) (start_least (R l) u (HA l) Hin). lra.
    + apply Permutation_sym, (Permutation_trans (reply_cons R x js d)). apply perm_skip, Permutation_sym. exact P.
Qed.
Lemma least_host (R : O -> list num) : O -> exists h, forall l, start (R h) <= start (R l).
Proof.
  intros a. destruct (least_value (fun l => start (R l)) hosts (in_nonempty a _ (hosts_all a))) as (h & _ & H).
  exists h. intros l. apply H, hosts_all.
Qed.

Theorem list_reply_exists (a : O) js : forall R, exists d, list_reply R js d.
Proof.
  induction js as [|x js IH]; intros R; [exists (home a); exact I|].
  destruct (least_host R a) as (h & Hh). destruct (IH (serve_at h x R)) as (d & Hd).
  exists (scons h d). split; [exact Hh|exact Hd].
Qed.

(* ================= COSTS ================= *)
Lemma largest_le ts c : 0 <= c -> (fold_right nmax 0 ts <= c <-> by_time c ts).
Proof. intros H. rewrite fold_max_le. unfold by_time. tauto. Qed.
Lemma largest_nonneg ts : 0 <= fold_right nmax 0 ts.
Proof. destruct (proj1 (fold_max_le ts (fold_right nmax 0 ts))) as [H _]; [lra|exact H]. Qed.
Lemma largest_by_time ts : by_time (fold_right nmax 0 ts) ts.
Proof. destruct (proj1 (fold_max_le ts (fold_right nmax 0 ts))) as [_ H]; [lra|exact H]. Qed.
Lemma cost_nonneg p a : 0 <= cost p a.
Proof. apply largest_nonneg. Qed.
Lemma cost_by_time p a : by_time (cost p a) (times p a).
Proof. apply largest_by_time. Qed.

(* a pays at most c with strategy d: its jobs end by c at every host *)
Lemma deviate_by_time p a d l : by_time (cost (deviate p a d) a) (completions (ready p a l) (placed l (jobs a) d)).
Proof.
  intros t Ht. apply cost_by_time. rewrite times_deviate. apply in_flat_map. exists l.
  split; [apply hosts_all|exact Ht].
Qed.
Lemma deviate_le p a d c : 0 <= c -> (forall l, by_time c (completions (ready p a l) (placed l (jobs a) d))) ->
  cost (deviate p a d) a <= c.
Proof.
  intros Hc H. apply largest_le; [exact Hc|]. rewrite times_deviate. intros t Ht.
  apply in_flat_map in Ht. destruct Ht as (l & _ & Ht). exact (H l t Ht).
Qed.
Lemma deviate_same p a : cost (deviate p a (p a)) a = cost p a.
Proof. unfold cost. rewrite times_deviate, times_reply. reflexivity. Qed.

(* a is content with strategy d, whatever p says of it *)
Definition content (p : profile) (a : O) (d : strategy) : Prop :=
  forall d', cost (deviate p a d) a <= cost (deviate p a d') a.

Lemma equilibrium_content p : (forall a, content p a (p a)) -> equilibrium p.
Proof. intros H a d. specialize (H a d). rewrite deviate_same in H. exact H. Qed.
Lemma content_ext p q a d : (forall b, b <> a -> p b = q b) -> content p a d -> content q a d.
Proof.
  intros H Hp d'. specialize (Hp d'). unfold cost in *. rewrite !times_deviate in *.
  assert (E : forall e, reply (ready p a) (jobs a) e = reply (ready q a) (jobs a) e).
  { intros e. unfold reply. apply flat_map_ext. intros l. rewrite (ready_ext p q a l H). reflexivity. }
  rewrite <- !E. exact Hp.
Qed.

(* every organization has a best reply, and one of these with most work at home *)
Lemma best_reply p a : exists d, content p a d /\
  forall d', cost (deviate p a d') a <= cost (deviate p a d) a -> ld dec a (jobs a) d' <= ld dec a (jobs a) d.
Proof.
  destruct (best_strategy (jobs a) hosts (fun d => cost (deviate p a d) a) (fun d => ld dec a (jobs a) d))
    as (s & _ & H).
  - exact (in_nonempty a _ (hosts_all a)).
  - intros s s' H. unfold cost. rewrite !times_deviate. unfold reply, ld.
    rewrite (placed_ext dec a (jobs a) s s' H).
    rewrite (flat_map_ext (fun l => completions (ready p a l) (placed l (jobs a) s))
                          (fun l => completions (ready p a l) (placed l (jobs a) s'))); [split; lra|].
    intros l. rewrite (placed_ext dec l (jobs a) s s' H). reflexivity.
  - exists s. split; intros d'; apply H; intros; apply hosts_all.
Qed.

(* ================= (H): ALL AT HOME ================= *)
Definition home_cost (a : O) : num := fold_right nmax 0 (completions (idle (machines a)) (jobs a)).

Lemma home_cost_by_time a : by_time (home_cost a) (completions (idle (machines a)) (jobs a)).
Proof. apply largest_by_time. Qed.

Theorem home_cost_constant p a : cost (deviate p a (home a)) a == home_cost a.
Proof.
  assert (Z : 0 <= home_cost a) by apply largest_nonneg.
  assert (U : cost (deviate p a (home a)) a <= home_cost a).
  { apply deviate_le; [exact Z|]. intros l. rewrite placed_home. destruct (dec a l) as [e|n].
    - subst l. rewrite ready_home. apply home_cost_by_time.
    - intros t []. }
  assert (L : home_cost a <= cost (deviate p a (home a)) a).
  { apply largest_le; [apply cost_nonneg|]. assert (H := deviate_by_time p a (home a) a).
    rewrite ready_home, placed_home in H. destruct (dec a a); [exact H|congruence]. }
  lra.
Qed.
Corollary cost_le_home_cost p a : equilibrium p -> cost p a <= home_cost a.
Proof. intros H. generalize (H a (home a)) (home_cost_constant p a). lra. Qed.

(* ================= (S): NO MORE JOBS THAN MACHINES ================= *)
Lemma free_idle n : free 0 (idle n) = n.
Proof.
  induction n as [|n IH]; [reflexivity|].
  change (free 0 (idle (S n))) with ((if lt_le 0 0 then 0 else 1) + free 0 (idle n))%nat.
  rewrite IH. destruct (lt_le 0 0); [exfalso; lra|reflexivity].
Qed.

(* all loads that an organization sees, its own idle machines among them *)
Lemma loads_nonneg p a : nonneg (flat_map (ready p a) hosts).
Proof.
  apply nonneg_flat_map. intros l t Ht.
  generalize (start_least _ t (ready_ascending p a l) Ht) (ready_nonneg p a l). lra.
Qed.
Lemma own_machines_free p a : (machines a <= free 0 (flat_map (ready p a) hosts))%nat.
Proof.
  assert (A : forall L M, free 0 (L ++ M) = (free 0 L + free 0 M)%nat).
  { induction L as [|t L IH]; intros M; simpl; [reflexivity|]. rewrite IH. lia. }
  destruct (in_split a hosts (hosts_all a)) as (L & M & E). rewrite E, flat_map_app. simpl.
  rewrite !A, ready_home, free_idle. lia.
Qed.

(* any job ends no earlier than after its length *)
Lemma cost_ge_job p a d x : In x (jobs a) -> x <= cost (deviate p a d) a.
Proof.
  intros H. destruct (in_placed dec x (jobs a) d H) as (l & Hl).
  destruct (completions_late _ x (placed_nonneg dec jobs jobs_nonneg l a d) Hl (ready p a l) (ready_ascending p a l))
    as (t & Ht & Hs).
  generalize (deviate_by_time p a d l t Ht) (ready_nonneg p a l). lra.
Qed.

(* at home every job starts at 0, on a machine that is still idle *)
Theorem few_jobs_content p a : (length (jobs a) <= machines a)%nat -> content p a (home a).
Proof.
  intros H d. apply deviate_le; [apply cost_nonneg|]. intros l. rewrite placed_home.
  destruct (dec a l) as [e|n]; [|intros t []]. subst l. rewrite ready_home. intros t Ht.
  destruct (completions_in _ t _ Ht) as (pre & x & post & E & Et).
  assert (F := free_run 0 pre (idle (machines a))). rewrite free_idle in F.
  rewrite E, app_length in H. simpl in H. destruct (free_some 0 (run (idle (machines a)) pre)) as (u & Hu & U0); [lia|].
  assert (G := start_least _ u (run_ascending pre _ (idle_ascending (machines a))) Hu).
  assert (Hx := cost_ge_job p a d x). rewrite E in Hx. specialize (Hx (in_or_app _ _ _ (or_intror (in_eq x post)))).
  subst t. lra.
Qed.

Theorem one_large_organization a : (forall b, b <> a -> (length (jobs b) <= machines b)%nat) -> exists p, equilibrium p.
Proof.
  intros H. destruct (best_reply (fun b => home b) a) as (d & Hd & _).
  exists (deviate (fun b => home b) a d). apply equilibrium_content. intros b.
  unfold Game.deviate at 2. destruct (dec b a) as [e|n].
  - subst b. apply content_ext with (2 := Hd). intros b n. unfold Game.deviate. destruct (dec b a); congruence.
  - apply few_jobs_content. exact (H b n).
Qed.

End SeveralMachines.

(* With one machine each the order of a list does not matter: an equilibrium exists if one does for the lists that are
   longest first. *)
Theorem one_machine_longest_first {O : Type} (dec : forall a b : O, {a = b} + {a <> b}) hosts jobs prio :
  (forall l, In l hosts) -> (forall l, NoDup (prio l)) -> (forall l a, In a (prio l)) -> (forall a, nonneg (jobs a)) ->
  (forall J, (forall a, Permutation (jobs a) (J a)) -> (forall a, nonneg (J a)) -> (forall a, descending (J a)) ->
     exists p, equilibrium dec hosts (fun _ => 1%nat) J prio p) ->
  exists p, Game.equilibrium dec hosts jobs prio p.
Proof.
  intros Hall Hn Ha Hj H. destruct (sorted_jobs dec hosts jobs Hall) as (J & HP & Hd).
  destruct (H J HP (fun a => nonneg_perm _ _ (HP a) (Hj a)) Hd) as (p' & Hp').
  destruct (reordered dec hosts jobs prio Hall Hn Ha Hj J HP p') as (p & Hp & _); [|exists p; exact Hp].
  intros a d. rewrite <- !(one_machine_each dec hosts (fun _ => 1%nat)) by reflexivity. apply Hp'.
Qed.
