(* A checker of upper bounds on the price of anarchy of a shape, and why what it accepts is true.

   Claim: whatever the lengths of the jobs are, what an organization pays in an equilibrium is at most v times the
   makespan M of any schedule. The game is known by its terms (Terms.v). The certificate has a tree, its nodes in
   preorder, for each placement of the jobs and each of its terms, the *objective*. The checker walks down all trees
   with a stack of what is known: rows, forms that are >= 0 at (M, x); the jobs that the schedule has not put on
   machines yet; and what some machines have got.

   1. At first all jobs together are at most N M, and the longest job of each organization is at most M.
   2. `Reply a d`: as the placement is an equilibrium, what a pays is at most what it would pay with d; that is some
      term of d, and all terms of a are at most what it pays. So in one of the branches, one for each term G of d, the
      rows G - F >= 0 hold for all terms F of a.
   3. `OnMachine j`: the schedule has job j on a machine that has got jobs already or on an empty one, and empty ones
      are alike. So in one of the branches the row "what this machine has got, with j, is at most M" holds.
   4. `Bound`: rows times multipliers > 0 add up to a form that shows v M - objective >= 0.
   5. One of the objectives is what the organization pays. *)
From Coq Require Import List Lia Permutation ZArith.
Require Import Numbers Game Sums Loads CertificateText Forms Terms Schedules Cover.
Import ListNotations.

Section PriceTree.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variables (machines : list O) (shape : O -> nat).
Variable ranking : O -> list (O * nat).
Variables vn vd : Z.                                            (* the bound is vn / vd *)
Notation job := (O * nat)%type.
Notation terms := (terms dec machines shape ranking).
Notation dim := (dim machines shape).
Notation job_form := (job_form dec machines shape).
Notation all_jobs := (all_jobs machines shape).

(* ================= THE CHECKER ================= *)
Inductive node : Type :=
| Reply (a : O) (d : list O)                                    (* a could place its jobs on d *)
| OnMachine (j : job)                                           (* the schedule has job j somewhere *)
| Bound (multipliers : list (nat * Z)).                         (* by number of the row: 0 was the first *)

Definition at_most (r : Z) (f : list Z) : list Z := r :: vneg f.                 (* the row f.x <= r M *)
Definition known : Type := (list (list Z) * list job * list (list Z))%type.
Definition start : known :=
  (map (fun a => at_most 1 (job_form (a, 0%nat))) (rev (filter (fun a => (0 <? shape a)%nat) machines)) ++
   [at_most (Z.of_nat (length machines)) (form dec machines shape all_jobs)], all_jobs, []).

(* the branches below a node; None: the node is wrong *)
Definition branches (P : O -> list O) (objective : list Z) (n : node) (k : known) : option (list known) :=
  let '(rows, waiting, loads) := k in
  match n with
  | Reply a d =>
    if (length d =? shape a)%nat then
      match terms (instead dec P a d) a with
      | [] => None
      | Gs => Some (map (fun G => (rev_append (map (fun F => 0%Z :: vdiff 1 1 G F) (terms P a)) rows, waiting,
        loads)) Gs)
      end
    else None
  | OnMachine j =>
    match pick dec j waiting with
    | Some waiting' => Some (map (fun b => (at_most 1 (fst b) :: rows, waiting', snd b))
                              (add_to (job_form j) loads (length machines)))
    | None => None
    end
  | Bound multipliers =>
    match comb (rev' rows) multipliers with
    | Some s => if shows (vn :: vscale (- vd) objective) s then Some [] else None
    | None => None
    end
  end.
(* the nodes after the trees of a stack, of all objectives of a placement, of all placements *)
Fixpoint run (P : O -> list O) (objective : list Z) (stack : list known) (ns : list node) : option (list node) :=
  match stack with
  | [] => Some ns
  | k :: stack' =>
    match ns with
    | [] => None
    | n :: ns' => match branches P objective n k with Some more => run P objective (more ++ stack') ns' | None => None
      end
    end
  end.
Fixpoint run_objectives (P : O -> list O) (fs : list (list Z)) (ns : list node) : option (list node) :=
  match fs with
  | [] => Some ns
  | f :: fs' => match run P f [start] ns with Some rest => run_objectives P fs' rest | None => None end
  end.
Fixpoint run_placements (places : list (list O)) (ns : list node) : option (list node) :=
  match places with
  | [] => Some ns
  | hosts :: places' =>
    let P := cut dec shape machines hosts in
    match run_objectives P (flat_map (terms P) machines) ns with Some rest => run_placements places' rest | None => None
      end
  end.
Definition check_price (ns : list node) : bool :=
  if (0 <? vd)%Z then if (0 <=? vn)%Z then
    match run_placements (lists machines dim) ns with Some [] => true | _ => false end
  else false else false.

(* ================= SOUNDNESS ================= *)
Hypotheses (machines_nodup : NoDup machines) (machines_all : forall l, In l machines).
Hypothesis ranking_ok : forall l, Permutation (ranking l) all_jobs.

Section Point.
Variable jobs : O -> list num.
Hypothesis jobs_sorted : sorted_of_shape shape jobs.
Notation cost := (ranked_cost dec machines ranking jobs).
Notation x := (point machines jobs).
Variables p o : O -> nat -> O.
Variable M : num.
Hypothesis M_nonneg : 0 <= M.
Hypothesis stable : forall a d, cost p a <= cost (deviate dec p a d) a.
Hypothesis makespan : forall m, total dec machines jobs o m <= M.
Let Mx_nonneg : nonneg (M :: x).
Proof. intros y [<-|Hy]; [exact M_nonneg|exact (point_nonneg machines shape jobs jobs_sorted y Hy)]. Qed.

Definition row_holds (f : list Z) : Prop := 0 <= dot f (M :: x) /\ length f = S dim.
Definition holds (k : known) : Prop := let '(rows, waiting, loads) := k in
  (forall f, In f rows -> row_holds f) /\ incl waiting all_jobs /\ fits dec machines shape jobs o M waiting loads.

Lemma at_most_sound r f : length f = dim -> dot f x <= inj r * M -> row_holds (at_most r f).
Proof. intros L D. split; simpl; [rewrite dot_vneg; lra|]. unfold vneg. rewrite vscale_length, L. reflexivity. Qed.
Lemma ofnat_inj n : ofnat n == inj (Z.of_nat n).
Proof.
  induction n as [|n IH]; [simpl; rewrite inj_0; lra|].
  rewrite Nat2Z.inj_succ, <- Z.add_1_r, inj_plus, inj_1. simpl. lra.
Qed.

(* step 1 *)
Lemma start_holds : holds start.
Proof.
  split; [|split; [apply incl_refl|exact (fits_start dec machines shape jobs jobs_sorted o M makespan)]].
  assert (one := inj_1). intros f H. apply in_app_or in H. destruct H as [H|[<-|[]]].
  - apply in_map_iff in H. destruct H as (a & <- & H). apply in_rev, filter_In in H. destruct H as [_ H].
    apply Nat.ltb_lt in H.
    assert (Hj : In (a, 0%nat) all_jobs) by (apply in_jobs; auto).
    destruct (job_form_sound dec machines shape machines_nodup machines_all jobs jobs_sorted _ Hj) as [L _].
    apply at_most_sound; [exact L|]. rewrite one.
    generalize (longest_at_most dec machines shape machines_nodup machines_all jobs jobs_sorted o M makespan a H). lra.
  - destruct (form_sound dec machines shape machines_nodup machines_all jobs jobs_sorted all_jobs (incl_refl _)) as [L
    _].
    apply at_most_sound; [exact L|]. rewrite <- ofnat_inj.
    exact (all_at_most dec machines shape machines_nodup machines_all jobs jobs_sorted o M makespan).
Qed.

Section Placed.
Variable P : O -> list O.
Hypothesis P_is : forall b, where_placed shape p b = P b.
Let term_of (q : O -> nat -> O) a f := term_sound dec machines shape ranking machines_nodup machines_all ranking_ok
  jobs jobs_sorted q a f.

(* step 2 *)
Lemma reply_sound objective a d k more : holds k -> branches P objective (Reply a d) k = Some more ->
  exists k, In k more /\ holds k.
Proof.
  destruct k as [[rows waiting] loads]. intros (Hrows & Hw & Hfits). simpl.
  destruct (Nat.eqb_spec (length d) (shape a)) as [Hd|]; [|discriminate]. intros H.
  set (q := deviate dec p a (fun n => nth n d a)).
  assert (Eq : terms (where_placed shape q) a = terms (instead dec P a d) a).
  { apply terms_ext. intros b. unfold instead, q, where_placed, deviate. destruct (dec b a) as [->|n].
    - apply (nth_ext _ _ a a); rewrite map_length, seq_length; [symmetry; exact Hd|]. intros n Hn.
      rewrite (nth_indep _ a (nth 0 d a)) by (rewrite map_length, seq_length; exact Hn).
      rewrite (map_nth (fun n => nth n d a)), seq_nth by exact Hn. reflexivity.
    - apply P_is. }
  assert (Ep : terms (where_placed shape p) a = terms P a) by (apply terms_ext, P_is).
  destruct (list_least (fun f g => dot g x <= dot f x) (terms (instead dec P a d) a)) as (G & HG & Hmax).
  - intros f g. destruct (lt_le (dot f x) (dot g x)); [right|left]; lra.
  - intros f g h. lra.
  - destruct (terms (instead dec P a d) a); [discriminate H|discriminate].
  - assert (C : cost q a <= dot G x).
    { apply (cost_described dec machines shape); auto. rewrite Eq. split; [|exact Hmax]. apply (term_of q a).
      rewrite Eq.
      exact HG. }
    assert (S := stable a (fun n => nth n d a)). fold q in S.
    exists (rev_append (map (fun F => 0%Z :: vdiff 1 1 G F) (terms P a)) rows, waiting, loads). split.
    + destruct (terms (instead dec P a d) a) as [|G' Gs]; [discriminate H|]. injection H as <-.
      exact (in_map (fun G => (rev_append (map (fun F => 0%Z :: vdiff 1 1 G F) (terms P a)) rows, waiting,
        loads) : known)
               (G' :: Gs) G HG).
    + split; [|auto]. intros f Hf. rewrite rev_append_rev in Hf. apply in_app_or in Hf.
      destruct Hf as [Hf|Hf]; [|exact (Hrows f Hf)]. apply in_rev, in_map_iff in Hf. destruct Hf as (F & <- & HF).
      rewrite <- Ep in HF. rewrite <- Eq in HG. assert (L := proj1 (term_of q a G HG)).
      assert (LF := proj1 (term_of p a F HF)).
      assert (CF := cost_at_least dec machines shape ranking machines_nodup machines_all ranking_ok jobs jobs_sorted p a
        F HF).
      split; simpl; [|rewrite vdiff_length by congruence; congruence].
      rewrite dot_vdiff by congruence. rewrite inj_0, inj_1. lra.
Qed.

(* step 3 *)
Lemma on_machine_sound objective j k more : holds k -> branches P objective (OnMachine j) k = Some more ->
  exists k, In k more /\ holds k.
Proof.
  destruct k as [[rows waiting] loads]. intros (Hrows & Hw & Hfits). simpl.
  destruct (pick dec j waiting) as [waiting'|] eqn:E; [|discriminate]. intros H. injection H as <-.
  assert (HP := pick_perm dec j waiting waiting' E).
  assert (Hj : In j all_jobs) by (apply Hw, (Permutation_in _ (Permutation_sym HP)); left; reflexivity).
  destruct (add_to_sound dec machines shape machines_nodup machines_all jobs jobs_sorted o M waiting waiting' j loads
    HP Hj Hfits) as (v & loads' & Hin & Hv & Hfits').
  exists (at_most 1 v :: rows, waiting', loads'). split; [apply in_map_iff; exists (v, loads'); auto|].
  split; [|split; [intros i Hi; apply Hw, (Permutation_in _ (Permutation_sym HP)); right; exact Hi|exact Hfits']].
  intros f [<-|Hf]; [|exact (Hrows f Hf)].
  destruct (fits_load dec machines shape jobs jobs_sorted o M _ _ v Hfits' Hv) as [L D].
  apply at_most_sound; [exact L|]. rewrite inj_1. lra.
Qed.

(* step 4 *)
Lemma bound_sound multipliers k objective more : holds k ->
  branches P objective (Bound multipliers) k = Some more -> inj vd * dot objective x <= inj vn * M.
Proof.
  destruct k as [[rows waiting] loads]. intros (Hrows & _). simpl.
  destruct (comb (rev' rows) multipliers) as [s|] eqn:E; [|discriminate].
  destruct (shows (vn :: vscale (- vd) objective) s) eqn:S; [|discriminate]. intros _.
  assert (Hs : row_holds s).
  { revert s E S. intros s E _. revert s E. apply comb_sound.
    - intros a b [A La] [B Lb]. split; [rewrite dot_vadd by congruence; lra|rewrite vadd_length; congruence].
    - intros m a Hm [A La]. split; [|rewrite vscale_length; exact La]. rewrite dot_vscale. apply mul_nonneg; [|exact A].
      apply inj_nonneg. lia.
    - intros f Hf. apply Hrows. unfold rev' in Hf. rewrite <- rev_alt, <- in_rev in Hf. exact Hf. }
  assert (B := shows_sound (M :: x) _ s Mx_nonneg S (proj1 Hs)). simpl in B. rewrite dot_vscale, inj_opp in B. lra.
Qed.
Lemma run_sound objective ns : forall stack rest, run P objective stack ns = Some rest ->
  forall k, In k stack -> holds k -> inj vd * dot objective x <= inj vn * M.
Proof.
  induction ns as [|n ns IH]; intros [|k0 stack] rest H k Hk Hold; simpl in H; try discriminate;
    try destruct Hk as [Hk|Hk];
    try (destruct Hk; fail); destruct (branches P objective n k0) as [more|] eqn:E; try discriminate.
  - subst k0. assert (G : (exists k, In k more /\ holds k) \/ inj vd * dot objective x <= inj vn * M).
    { destruct n as [a d|j|multipliers].
      - left. exact (reply_sound objective a d k more Hold E).
      - left. exact (on_machine_sound objective j k more Hold E).
      - right. exact (bound_sound multipliers k objective more Hold E). }
    destruct G as [(k' & Hk & Hold')|G]; [|exact G]. exact (IH _ rest H k' (in_or_app _ _ _ (or_introl Hk)) Hold').
  - exact (IH _ rest H k (in_or_app _ _ _ (or_intror Hk)) Hold).
Qed.
End Placed.

Lemma run_objectives_sound P fs ns rest f : run_objectives P fs ns = Some rest -> In f fs ->
  exists ns' rest', run P f [start] ns' = Some rest'.
Proof.
  revert ns; induction fs as [|g fs IH]; simpl; intros ns H Hf; [destruct Hf|].
  destruct (run P g [start] ns) as [ns'|] eqn:R; [|discriminate].
  destruct Hf as [<-|Hf]; [exists ns, ns'; exact R|exact (IH ns' H Hf)].
Qed.
Lemma run_placements_sound places ns rest hosts : run_placements places ns = Some rest -> In hosts places ->
  let P := cut dec shape machines hosts in forall f, In f (flat_map (terms P) machines) ->
  exists ns' rest', run P f [start] ns' = Some rest'.
Proof.
  revert ns; induction places as [|g places IH]; simpl; intros ns H Hh f Hf; [destruct Hh|].
  destruct (run_objectives _ _ ns) as [ns'|] eqn:R; [|discriminate].
  destruct Hh as [->|Hh]; [exact (run_objectives_sound _ _ _ _ _ R Hf)|exact (IH ns' H Hh f Hf)].
Qed.
Lemma cut_all (W : O -> list O) ms b : (forall c, length (W c) = shape c) -> In b ms ->
  cut dec shape ms (flat_map W ms) b = W b.
Proof.
  intros L. induction ms as [|c ms IH]; simpl; intros H; [destruct H|]. destruct (dec c b) as [->|n].
  - rewrite <- (L b), firstn_app, firstn_all, Nat.sub_diag. apply app_nil_r.
  - rewrite <- (L c), skipn_app, skipn_all, Nat.sub_diag. apply IH. destruct H as [H|H]; [congruence|exact H].
Qed.

(* step 5 *)
Lemma price_at_point ns : check_price ns = true -> forall a, inj vd * cost p a <= inj vn * M.
Proof.
  unfold check_price. intros H a. destruct (0 <? vd)%Z eqn:Hvd; [|discriminate]. tested H.
  apply Z.ltb_lt in Hvd. apply Z.leb_le in T. destruct (run_placements _ ns) as [rest|] eqn:R; [|discriminate].
  set (W := where_placed shape p). set (hosts := flat_map W machines).
  assert (Lh : length hosts = dim).
  { unfold hosts, Terms.dim. generalize machines. induction machines0 as [|c ms IH]; simpl; [reflexivity|].
    rewrite app_length, IH. unfold W. rewrite where_length. reflexivity. }
  assert (Hin : In hosts (lists machines dim)) by (rewrite <- Lh; apply in_lists; exact machines_all).
  assert (EP : forall b, W b = cut dec shape machines hosts b)
    by (intros b; symmetry; apply cut_all; [intros c; apply where_length|apply machines_all]).
  apply (cost_at_most dec machines shape ranking); auto; [apply inj_nonneg; lia| |].
  - apply mul_nonneg; [apply inj_nonneg; exact T|exact M_nonneg].
  - intros f Hf. assert (Hf' : In f (terms (cut dec shape machines hosts) a)) by (rewrite <- (terms_ext _ _ _ _ W);
    auto).
    destruct (run_placements_sound _ _ _ hosts R Hin f) as (ns' & rest' & Rf); [apply in_flat_map; exists a; auto|].
    exact (run_sound _ EP f ns' [start] rest' Rf start (or_introl eq_refl) start_holds).
Qed.
End Point.

(* A checked certificate: what anybody pays in an equilibrium is at most vn / vd times the makespan of any schedule. *)
Theorem check_price_sorted ns : check_price ns = true -> forall jobs, sorted_of_shape shape jobs ->
  let cost := ranked_cost dec machines ranking jobs in
  forall p o M, (forall a d, cost p a <= cost (deviate dec p a d) a) -> 0 <= M ->
    (forall m, total dec machines jobs o m <= M) -> forall a, inj vd * cost p a <= inj vn * M.
Proof. intros H jobs Hs cost p o M He HM Ho. exact (price_at_point jobs Hs p o M HM He Ho ns H). Qed.

(* The lists of the text are nodes. [j]: OnMachine, jobs counted through; -a-1 h ...: Reply; i m ...: Bound. Trees are
   in the order of their placements (the first job's machine first), organizations and machines. *)
Definition node_of (default : O) (l : list Z) : node :=
  match l with
  | [j] => OnMachine (nth (Z.to_nat j) all_jobs (default, 0%nat))
  | i :: hosts => if (i <? 0)%Z then Reply (machine machines default (- i - 1)) (map (machine machines default) hosts)
                  else Bound (pairs l)
  | [] => Bound []
  end.
Definition price_trees (default : O) (ts : list text) : list node := map (node_of default) (lists_of ts).
End PriceTree.
