(* Priority to jobs (PriorityToJobs.v) has terms (Terms.v), so the checkers of certificates know these games too.

   The term of a foreign machine is its owner's load there and the foreign jobs there up to the last one of the
   organization in the order (`up_to_last`); of jobs in a queue the last one ends last (`ends_up_to`). *)
From Coq Require Import List Lia Permutation ZArith.
Require Import Numbers Game Sums Loads OwnerFirst PriorityToJobs Cover AnyLengths Terms.
Import ListNotations.

Section JobTerms.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variable machines : list O.
Variable ranking : list (O * nat).                              (* all jobs, the first goes first *)

(* a foreign job on machine l *)
Definition foreign_on (p : O -> nat -> O) (l : O) (j : O * nat) : bool :=
  if dec (fst j) l then false else if dec (p (fst j) (snd j)) l then true else false.

(* ================= ITS TERMS ================= *)
Variable shape : O -> nat.
Hypothesis machines_nodup : NoDup machines.
Hypothesis machines_all : forall l, In l machines.
(* the order has each job of the shape, and no others *)
Hypothesis ranking_all : forall a n, In (a, n) ranking <-> (n < shape a)%nat.

(* when the last of a's jobs ends in a queue; None without one *)
Fixpoint up_to_last (a : O) (q : list (O * num)) : option num :=
  match q with
  | [] => None
  | (b, y) :: q' => match up_to_last a q' with
                    | Some t => Some (y + t)
                    | None => if dec b a then Some y else None
                    end
  end.
Lemma up_to_nonneg a q t : (forall b y, In (b, y) q -> 0 <= y) -> up_to_last a q = Some t -> 0 <= t.
Proof.
  revert t; induction q as [|[b y] q IH]; simpl; intros t Hq H; [discriminate|].
  assert (Hy : 0 <= y) by (apply (Hq b y); left; reflexivity).
  destruct (up_to_last a q) as [u|].
  - injection H as H. subst t.
    assert (0 <= u) by (apply IH; [intros c z Hc; apply (Hq c z); right; exact Hc|reflexivity]). lra.
  - destruct (dec b a); [|discriminate]. injection H as H. subst t. exact Hy.
Qed.
Lemma ends_up_to a q s c : (forall b y, In (b, y) q -> 0 <= y) ->
  (forall e, In e (ends dec a s q) -> e <= c) <-> (forall t, up_to_last a q = Some t -> s + t <= c).
Proof.
  revert s; induction q as [|[b y] q IH]; intros s Hq; simpl.
  - split; [intros _ t H; discriminate|intros _ e []].
  - assert (Hq' : forall b y, In (b, y) q -> 0 <= y) by (intros d z Hd; apply (Hq d z); right; exact Hd).
    specialize (IH (s + y) Hq'). assert (N := up_to_nonneg a q). specialize (N).
    assert (Ends : forall e, In e (if dec b a then s + y :: ends dec a (s + y) q else ends dec a (s + y) q) <->
              (b = a /\ e = s + y) \/ In e (ends dec a (s + y) q)).
    { intros e. destruct (dec b a); simpl; split; intros H.
      - destruct H as [H|H]; [left; auto|right; exact H].
      - destruct H as [[_ H]|H]; auto.
      - right; exact H.
      - destruct H as [[H _]|H]; [congruence|exact H]. }
    destruct (up_to_last a q) as [u|] eqn:U; split; intros H.
    + intros t E. injection E as E. subst t.
      assert (G : s + y + u <= c) by (apply (proj1 IH); [intros e He; apply H, Ends; right; exact He|reflexivity]). lra.
    + assert (G := H _ eq_refl). assert (Hu : 0 <= u) by (apply N; [exact Hq'|reflexivity]).
      intros e He. apply Ends in He. destruct He as [[_ E]|He]; [subst e; lra|].
      apply (proj2 IH); [intros t E; injection E as E; subst t; lra|exact He].
    + intros t E. destruct (dec b a) as [eb|n]; [|discriminate]. injection E as E. subst t. apply H. left. reflexivity.
    + intros e He. apply Ends in He. destruct He as [[eb E]|He].
      * subst e. destruct (dec b a) as [_|n]; [exact (H y eq_refl)|congruence].
      * apply (proj2 IH); [intros t E; discriminate|exact He].
Qed.

(* the jobs of other organizations, as forms: where they are is known, a's own are not *)
Definition host_of (P : O -> list O) (j : O * nat) : O := nth (snd j) (P (fst j)) (fst j).
Definition goes_to (P : O -> list O) (l : O) (j : O * nat) : bool :=
  if dec (fst j) l then false else if dec (host_of P j) l then true else false.
Definition met_jobs (P : O -> list O) (a l : O) : (list Z * list (O * nat)) :=
  (if dec l a then zeros (dim machines shape) else emb dec machines shape l (pre dec 0 (P l) l),
   filter (fun j => if dec (fst j) a then true else goes_to P l j) ranking).
(* the form of the jobs of a list up to a's last one on l: a's hosts are d, all others in the list are on l *)
Fixpoint forms_up_to (a l : O) (d : list O) (js : list (O * nat)) : option (list Z) :=
  match js with
  | [] => None
  | j :: js' =>
    let mine := if dec (fst j) a then true else false in
    let here := if mine then goes_to (fun _ => d) l j else true in
    match forms_up_to a l d js' with
    | Some v => Some (if here then vadd (job_form dec machines shape j) v else v)
    | None => if mine then if here then Some (job_form dec machines shape j) else None else None
    end
  end.
Definition job_term (a : O) (d : list O) (lt : O * (list Z * list (O * nat))) : list Z :=
  let '(l, (owner, js)) := lt in
  if dec l a then emb dec machines shape a (pre dec 0 d a)
  else match forms_up_to a l d js with Some v => vadd owner v | None => owner end.

Lemma up_to_none a q : up_to_last a q = None -> forall y, ~ In (a, y) q.
Proof.
  induction q as [|[b z] q IH]; simpl; intros H y Hy; [exact Hy|].
  destruct (up_to_last a q); [discriminate|]. destruct (dec b a) as [e|n]; [discriminate|].
  destruct Hy as [E|Hy]; [congruence|exact (IH eq_refl y Hy)].
Qed.
Lemma up_to_some a q t : up_to_last a q = Some t -> exists y, In (a, y) q.
Proof.
  revert t; induction q as [|[b z] q IH]; simpl; intros t H; [discriminate|].
  destruct (up_to_last a q) as [u|].
  - destruct (IH u eq_refl) as (y & Hy). exists y. right. exact Hy.
  - destruct (dec b a) as [e|n]; [|discriminate]. subst b. exists z. left. reflexivity.
Qed.
Lemma nth_hosts (s : nat -> O) k n d : (n < k)%nat -> nth n (hosts s k) d = s n.
Proof.
  revert s n; induction k as [|k IH]; intros s n H; [lia|]. destruct n as [|n]; simpl; [reflexivity|].
  apply (IH (fun i => s (S i))). lia.
Qed.

Section Point.
Variable jobs : O -> list num.
Hypothesis jobs_sorted : sorted_of_shape shape jobs.
Variables (P : O -> list O) (q : O -> nat -> O) (a : O).
Hypothesis others : forall b, b <> a -> where_placed shape q b = P b.
Let x : list num := point machines jobs.
Let d : list O := where_placed shape q a.
Definition lengths_of (js : list (O * nat)) : list (O * num) := map (fun j => (fst j, len jobs j)) js.
Lemma foreign_lengths l R : flat_map (guest dec jobs q l) R = lengths_of (filter (foreign_on q l) R).
Proof.
  induction R as [|[b n] R IH]; [reflexivity|]. simpl. unfold foreign_on at 1. simpl. rewrite IH.
  destruct (dec b l); [reflexivity|]. destruct (dec (q b n) l); reflexivity.
Qed.
Lemma lengths_cons j js : lengths_of (j :: js) = (fst j, len jobs j) :: lengths_of js.
Proof. reflexivity. Qed.

Lemma goes_to_other l j : (snd j < shape (fst j))%nat -> fst j <> a -> goes_to P l j = foreign_on q l j.
Proof.
  intros Hj n. unfold goes_to, foreign_on, host_of. rewrite <- (others _ n). unfold where_placed.
  rewrite nth_hosts by exact Hj. reflexivity.
Qed.
Lemma goes_to_own l j : (snd j < shape (fst j))%nat -> fst j = a -> goes_to (fun _ => d) l j = foreign_on q l j.
Proof.
  intros Hj e. unfold goes_to, foreign_on, host_of, d, where_placed. rewrite <- e.
  rewrite nth_hosts by exact Hj. reflexivity.
Qed.
(* the form is that of the last of a's jobs in the queue *)
Lemma forms_up_to_sound l R : (forall j, In j R -> (snd j < shape (fst j))%nat) ->
  match forms_up_to a l d (filter (fun j => if dec (fst j) a then true else goes_to P l j) R) with
  | Some v => exists t, up_to_last a (lengths_of (filter (foreign_on q l) R)) = Some t /\
                length v = dim machines shape /\ dot v x == t
  | None => up_to_last a (lengths_of (filter (foreign_on q l) R)) = None
  end.
Proof.
  induction R as [|j R IH]; intros HR; [reflexivity|].
  assert (Hj : (snd j < shape (fst j))%nat) by (apply HR; left; reflexivity).
  assert (LJ := job_form_length dec machines shape j Hj).
  assert (DJ := dot_job_form dec machines shape machines_nodup machines_all jobs jobs_sorted j Hj).
  specialize (IH (fun i Hi => HR i (or_intror Hi))). cbn [filter].
  destruct (dec (fst j) a) as [e|n].
  - cbn [forms_up_to]. destruct (dec (fst j) a) as [_|n]; [|congruence]. rewrite (goes_to_own l j Hj e).
    destruct (forms_up_to a l d _) as [v|].
    + destruct IH as (t & Ht & Lv & Dv). destruct (foreign_on q l j).
      * exists (len jobs j + t). rewrite lengths_cons. simpl. rewrite Ht. split; [reflexivity|].
        split; [rewrite vadd_length; congruence|]. rewrite dot_vadd by congruence. unfold x in *. lra.
      * exists t. auto.
    + destruct (foreign_on q l j).
      * exists (len jobs j). rewrite lengths_cons. simpl. rewrite IH.
        destruct (dec (fst j) a) as [_|n]; [|congruence]. auto.
      * exact IH.
  - rewrite (goes_to_other l j Hj n). destruct (foreign_on q l j); [|exact IH].
    cbn [forms_up_to]. destruct (dec (fst j) a) as [e|_]; [congruence|].
    destruct (forms_up_to a l d _) as [v|].
    + destruct IH as (t & Ht & Lv & Dv). exists (len jobs j + t). rewrite lengths_cons. simpl. rewrite Ht.
      split; [reflexivity|]. split; [rewrite vadd_length; congruence|].
      rewrite dot_vadd by congruence. unfold x in *. lra.
    + rewrite lengths_cons. simpl. rewrite IH. destruct (dec (fst j) a); [congruence|reflexivity].
Qed.

Lemma ranking_in_shape j : In j ranking -> (snd j < shape (fst j))%nat.
Proof. destruct j as [b n]. apply ranking_all. Qed.
Lemma own_load l : dot (emb dec machines shape l (pre dec 0 (where_placed shape q l) l)) x == ld dec l (jobs l) (q l).
Proof.
  unfold where_placed, x. apply dot_load; [exact machines_nodup|exact machines_all|]. intros b. apply jobs_sorted.
Qed.
Let term_on (l : O) : list Z := job_term a d (l, met_jobs P a l).
Let jobs_ok : forall b, nonneg (jobs b) := jobs_never_negative shape jobs jobs_sorted.

Lemma load_ok l b : 0 <= ld dec l (jobs b) (q b).
Proof. exact (load_nonneg dec jobs jobs_ok q b l). Qed.

(* what a has on machine l ends by c if its term there, if it has one, is at most c *)
Lemma machine_described l :
  (length (term_on l) = dim machines shape /\ 0 <= dot (term_on l) x) /\
  forall c, (forall e, In e (ends dec a 0 (queue_jobs dec jobs ranking q l)) -> e <= c) <->
    (In l d -> dot (term_on l) x <= c).
Proof.
  assert (Used : In l d <-> placed dec l (jobs a) (q a) <> []).
  { rewrite (placed_mem dec shape l (jobs a) (q a)), (proj2 (jobs_sorted a)). symmetry. apply mem_true. }
  assert (EL : forall b, length (emb dec machines shape b (pre dec 0 (where_placed shape q b) l)) = dim machines shape).
  { intros b. apply emb_pre_length. apply hosts_length. }
  unfold term_on, job_term, met_jobs. destruct (dec l a) as [e|n].
  - subst l. generalize (own_load a) (EL a) (load_ok a a). fold d. intros D L N.
    split; [split; [exact L|lra]|]. intros c. unfold queue_jobs, foreign. rewrite foreign_lengths, ends_block.
    + rewrite Used. unfold ld in D. split; intros H G; specialize (H G); lra.
    + intros y Hy. exact (jobs_ok a y (placed_in dec _ _ _ _ Hy)).
    + intros [b y] H. apply in_map_iff in H. destruct H as (j & E & H). apply filter_In in H. destruct H as [_ H].
      injection E as E _. simpl. unfold foreign_on in H. destruct (dec (fst j) a); congruence.
  - assert (S1 := forms_up_to_sound l ranking ranking_in_shape).
    generalize (own_load l) (EL l) (load_ok l l). rewrite (others l n). intros D L N.
    assert (Q : forall b y, In (b, y) (lengths_of (filter (foreign_on q l) ranking)) -> 0 <= y).
    { intros b y H. apply in_map_iff in H. destruct H as (j & E & _). injection E as _ E. subst y.
      exact (len_nonneg shape jobs jobs_sorted j). }
    destruct (ends_other dec a l 0 (placed dec l (jobs l) (q l)) (lengths_of (filter (foreign_on q l) ranking)) n)
      as (t' & Ht & E).
    change (sum (placed dec l (jobs l) (q l))) with (ld dec l (jobs l) (q l)) in Ht.
    unfold queue_jobs, foreign. rewrite foreign_lengths, E. destruct (forms_up_to a l d _) as [v|].
    + destruct S1 as (t & Et & Lv & Dv).
      assert (Nt := up_to_nonneg a _ t Q Et).
      assert (DF : dot (vadd (emb dec machines shape l (pre dec 0 (P l) l)) v) x == ld dec l (jobs l) (q l) + t).
      { rewrite dot_vadd by congruence. lra. }
      split; [split; [rewrite vadd_length; congruence|lra]|]. intros c. rewrite (ends_up_to a _ t' c Q). rewrite Et.
      assert (U : In l d).
      { destruct (up_to_some a _ t Et) as (y & Hy). apply in_map_iff in Hy. destruct Hy as (j & Ej & Hj).
        apply filter_In in Hj. destruct Hj as [Hj Hf]. injection Ej as Ea _. unfold foreign_on in Hf.
        destruct (dec (fst j) l); [discriminate|]. destruct (dec (q (fst j) (snd j)) l) as [el|]; [|discriminate].
        unfold d, where_placed. rewrite <- el, Ea. apply ranking_in_shape in Hj. rewrite Ea in Hj.
        rewrite <- (nth_hosts (q a) (shape a) (snd j) a Hj). apply nth_In. rewrite hosts_length. exact Hj. }
      split; intros H.
      * intros _. specialize (H t eq_refl). lra.
      * intros u Eu. injection Eu as Eu. subst u. specialize (H U). lra.
    + split; [split; [exact L|lra]|]. intros c. rewrite (ends_up_to a _ t' c Q). rewrite S1.
      split; [|intros _ t H; discriminate]. intros _ U. exfalso.
      unfold d, where_placed in U. destruct (In_nth _ _ a U) as (i & Hi & Ei). rewrite hosts_length in Hi.
      rewrite nth_hosts in Ei by exact Hi. apply (up_to_none a _ S1 (len jobs (a, i))).
      apply in_map_iff. exists (a, i). split; [reflexivity|]. apply filter_In. split; [apply ranking_all; exact Hi|].
      unfold foreign_on. simpl. destruct (dec a l); [congruence|]. destruct (dec (q a i) l); congruence.
Qed.
End Point.

Theorem jobs_described :
  described machines shape (list Z * list (O * nat)) met_jobs job_term
    (fun jobs => cost_jobs dec machines jobs ranking).
Proof.
  intros jobs Hs P q a Others. cbv zeta.
  assert (M := fun l => machine_described jobs Hs P q a Others l).
  split; [intros l; apply M|]. intros c. unfold cost_jobs. rewrite fold_max_le.
  split; intros [H0 H]; (split; [exact H0|]).
  - intros l Hl. apply (proj1 (proj2 (M l) c)); [|exact Hl].
    intros e He. apply H. apply in_flat_map. exists l. split; [apply machines_all|exact He].
  - intros e He. apply in_flat_map in He. destruct He as (l & _ & He). revert e He.
    apply (proj2 (proj2 (M l) c)). apply H.
Qed.
End JobTerms.

(* ---------- a ranking, tested ---------- *)
Section Ranking.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variable machines : list O.
Variable shape : O -> nat.
Hypothesis machines_nodup : NoDup machines.
Hypothesis machines_all : forall l, In l machines.

Fixpoint same_jobs (js js' : list (O * nat)) : bool :=
  match js with
  | [] => isnil js'
  | j :: rest => match pick dec j js' with Some rest' => same_jobs rest rest' | None => false end
  end.
Definition is_ranking (ranking : list (O * nat)) : bool := same_jobs ranking (Terms.all_jobs machines shape).

Lemma same_jobs_perm js js' : same_jobs js js' = true -> Permutation js js'.
Proof.
  revert js'; induction js as [|j js IH]; simpl; intros js' H; [destruct js'; [constructor|discriminate]|].
  destruct (pick dec j js') as [rest|] eqn:E; [|discriminate].
  rewrite (pick_perm dec j js' rest E). constructor. exact (IH rest H).
Qed.
Section Ranked.
Variable ranking : list (O * nat).
Hypothesis ranked : is_ranking ranking = true.
Let ranking_perm : Permutation ranking (Terms.all_jobs machines shape) := same_jobs_perm _ _ ranked.

Lemma ranked_all a n : In (a, n) ranking <-> (n < shape a)%nat.
Proof.
  split; intros H.
  - exact (all_jobs_in_shape machines shape (a, n) (Permutation_in _ ranking_perm H)).
  - apply (Permutation_in _ (Permutation_sym ranking_perm)). apply in_flat_map. exists a.
    split; [apply machines_all|]. apply in_map, in_seq. lia.
Qed.
(* no machine is loaded beyond the largest cost *)
Lemma ranked_total jobs q M : sorted_of_shape shape jobs -> 0 <= M ->
  (forall a, cost_jobs dec machines jobs ranking q a <= M) -> forall m, total dec machines jobs q m <= M.
Proof.
  intros S HM Hq m.
  assert (E : PriorityToJobs.all_jobs machines jobs = Terms.all_jobs machines shape).
  { apply flat_map_ext. intros b. rewrite (proj2 (S b)). reflexivity. }
  assert (HP : Permutation ranking (PriorityToJobs.all_jobs machines jobs)) by (rewrite E; exact ranking_perm).
  exact (C_total _ _ _ _ (jobs_owner_first dec machines jobs ranking machines_all machines_nodup
    (jobs_never_negative shape jobs S) HP) q M m HM Hq).
Qed.
End Ranked.
End Ranking.
