(* Certificates of upper bounds on the price of anarchy of a shape: a checker, and why what it accepts is true.

   Claim: whatever the lengths of a shape's jobs are, what an organization pays in an equilibrium is at most v times the
   makespan M of any schedule. The certificate has a list of nodes, a tree in preorder, for each placement of the jobs
   and each of its terms (Terms.v), the *objective*. The checker walks down all trees with a stack of what is known:
   rows f.x <= r M, the jobs that the schedule has not put on machines yet, and what some machines have got.

   1. At first all jobs together are at most N M, and the longest job of each organization is at most M.
   2. `Reply a d`: as the placement is an equilibrium, what a pays is at most what it would pay with d; that is some
      term of d, and all terms of a are at most what it pays. So in one of the branches, one for each term G of d, the
      rows F - G <= 0 hold for all terms F of a.
   3. `OnMachine j`: the schedule has job j on a machine that has got jobs already or on an empty one, and empty ones
      are alike. So in one of the branches the row "what this machine has got, with j, is at most M" holds.
   4. `Bound D lam`: rows times multipliers > 0 add up to at least D times the objective in each coefficient, and their
      right sides to at most v D. As lengths are >= 0 the objective is at most v M.
   5. One of the objectives is what the organization pays. *)
From Coq Require Import List Lia Permutation ZArith.
Require Import Numbers Game Sums Loads Cover Terms.
Import ListNotations.

Section PriceTree.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variable machines : list O.
Variable shape : O -> nat.
Variable T : Type.
Variable met : (O -> list O) -> O -> O -> T.
Variable term : O -> list O -> O * T -> list Z.
Variables vn vd : Z.                                            (* the bound is vn / vd *)

(* ================= THE CHECKER ================= *)
Inductive node : Type :=
| Reply (a : O) (d : list O)                                    (* a could place its jobs on d *)
| OnMachine (j : job (O := O))                                  (* the schedule has job j somewhere *)
| Bound (divisor : Z) (multipliers : list (nat * Z)).           (* by number of the row: 0 was the first *)

Definition row : Type := (list Z * Z)%type.                     (* (f, r): f.x <= r M *)
Definition known : Type := (list row * list (job (O := O)) * list (list Z))%type.

Fixpoint combined (rows : list row) (multipliers : list (nat * Z)) : option row :=
  match multipliers with
  | [] => Some (zeros (dim machines shape), 0%Z)
  | (i, m) :: more =>
    match nth_error rows i with
    | Some (f, r) =>
      if (0 <? m)%Z then
        match combined rows more with Some (s, q) => Some (vadd (vscale m f) s, (m * r + q)%Z) | None => None end
      else None
    | None => None
    end
  end.

Definition start : known :=
  (map (fun a => (job_form dec machines shape (a, 0%nat), 1%Z)) (rev (filter (fun a => (0 <? shape a)%nat) machines)) ++
   [(fold_right (fun j v => vadd (job_form dec machines shape j) v) (zeros (dim machines shape))
       (all_jobs machines shape), Z.of_nat (length machines))],
   all_jobs machines shape, []).

Section Tree.
Variable P : O -> list O.                                       (* the placement *)
Variable objective : list Z.
Definition terms_of (a : O) (d : list O) : list (list Z) := terms dec T term a d (meets machines T met P a).

(* the branches below a node; None: the node is wrong *)
Definition branches (n : node) (k : known) : option (list known) :=
  let '(rows, waiting, loads) := k in
  match n with
  | Reply a d =>
    if (length d =? shape a)%nat then
      if (0 <? shape a)%nat then
        let now := terms_of a (P a) in
        Some (map (fun G => (rev_append (map (fun F => (vsub F G, 0%Z)) now) rows, waiting, loads)) (terms_of a d))
      else None
    else None
  | OnMachine j =>
    if (snd j <? shape (fst j))%nat then
      match pick dec j waiting with
      | Some waiting' =>
        Some (map (fun b => ((fst b, 1%Z) :: rows, waiting', snd b))
               (add_to (job_form dec machines shape j) loads (length machines)))
      | None => None
      end
    else None
  | Bound divisor multipliers =>
    if (0 <? divisor)%Z then
      match combined (rev rows) multipliers with
      | Some (s, q) =>
        if vle (vscale divisor objective) s then if (q * vd <=? vn * divisor)%Z then Some [] else None else None
      | None => None
      end
    else None
  end.
Fixpoint run (stack : list known) (nodes : list node) : bool :=
  match nodes with
  | [] => isnil stack
  | n :: nodes' =>
    match stack with
    | [] => false
    | k :: stack' => match branches n k with Some more => run (more ++ stack') nodes' | None => false end
    end
  end.
End Tree.

(* all placements of k jobs, the first job's machine changing fastest *)
Fixpoint placements (k : nat) : list (list O) :=
  match k with 0%nat => [[]] | S k' => flat_map (fun t => map (fun m => m :: t) machines) (placements k') end.
Definition objectives (P : O -> list O) : list (list Z) := flat_map (fun a => terms_of P a (P a)) machines.
Fixpoint run_objectives (P : O -> list O) (fs : list (list Z)) (trees : list (list node)) : option (list (list node)) :=
  match fs with
  | [] => Some trees
  | f :: fs' =>
    match trees with
    | [] => None
    | t :: trees' => if run P f [start] t then run_objectives P fs' trees' else None
    end
  end.
Fixpoint run_placements (hss : list (list O)) (trees : list (list node)) : bool :=
  match hss with
  | [] => isnil trees
  | hs :: hss' =>
    let P := cut dec shape machines hs in
    match run_objectives P (objectives P) trees with Some trees' => run_placements hss' trees' | None => false end
  end.
Definition check_price (trees : list (list node)) : bool :=
  if (0 <? vd)%Z then if (0 <=? vn)%Z then run_placements (placements (dim machines shape)) trees else false else false.

(* ================= SOUNDNESS ================= *)
Hypothesis machines_nodup : NoDup machines.
Hypothesis machines_all : forall l, In l machines.
Variable cost : (O -> list num) -> (O -> nat -> O) -> O -> num.
Hypothesis cost_described : described machines shape T met term cost.

Section Point.
Variable jobs : O -> list num.
Hypothesis jobs_sorted : sorted_of_shape shape jobs.
Variables p o : O -> nat -> O.
Variable M : num.
Hypothesis M_nonneg : 0 <= M.
Hypothesis stable : forall a d, cost jobs p a <= cost jobs (deviate dec p a d) a.
Hypothesis makespan : forall m, total dec machines jobs o m <= M.
Let x : list num := point machines jobs.
Let x_nonneg : nonneg x := point_nonneg machines jobs (fun a => proj1 (jobs_sorted a)).

Let attained := cost_attained dec machines shape machines_all T met term cost cost_described jobs jobs_sorted.
Let at_least := cost_at_least dec machines shape machines_all T met term cost cost_described jobs jobs_sorted.
Let length_of := term_length dec machines shape machines_all T met term cost cost_described jobs jobs_sorted.

Definition row_holds (fr : row) : Prop := length (fst fr) = dim machines shape /\ dot (fst fr) x <= inj (snd fr) * M.
Definition holds (k : known) : Prop := let '(rows, waiting, loads) := k in
  (forall fr, In fr rows -> row_holds fr) /\ fits dec machines shape jobs o M waiting loads.

Lemma combined_sound rows multipliers fr : (forall g, In g rows -> row_holds g) ->
  combined rows multipliers = Some fr -> row_holds fr.
Proof.
  intros Hrows. revert fr; induction multipliers as [|[i m] more IH]; simpl; intros fr H.
  - injection H as H. subst fr. split; simpl; [apply repeat_length|]. rewrite dot_zeros, inj_0. lra.
  - destruct (nth_error rows i) as [[f r]|] eqn:E; [|discriminate].
    destruct (0 <? m)%Z eqn:Hm; [|discriminate]. apply Z.ltb_lt in Hm.
    destruct (combined rows more) as [[s q]|]; [|discriminate]. injection H as H. subst fr.
    destruct (Hrows _ (nth_error_In _ _ E)) as [L1 D1]. destruct (IH _ eq_refl) as [L2 D2]. simpl in *.
    assert (LV : length (vscale m f) = length s) by (rewrite vscale_length; congruence).
    split; simpl; [rewrite vadd_length by exact LV; rewrite vscale_length; exact L1|].
    rewrite dot_vadd by exact LV. rewrite dot_vscale, inj_plus, inj_mult.
    assert (Hi : 0 <= inj m) by (rewrite <- inj_0; apply inj_le; lia).
    generalize (mul_le (inj m) (dot f x) (inj r * M) Hi D1). lra.
Qed.

Lemma dot_work js : (forall j, In j js -> (snd j < shape (fst j))%nat) ->
  let f := fold_right (fun j v => vadd (job_form dec machines shape j) v) (zeros (dim machines shape)) js in
  length f = dim machines shape /\ dot f x == sum (map (len jobs) js).
Proof.
  induction js as [|j js IH]; simpl; intros H; [split; [apply repeat_length|apply dot_zeros]|].
  destruct IH as [I1 I2]; [intros i Hi; apply H; right; exact Hi|].
  assert (Hj : (snd j < shape (fst j))%nat) by (apply H; left; reflexivity).
  assert (L := job_form_length dec machines shape j Hj).
  split; [rewrite vadd_length; congruence|]. rewrite dot_vadd by congruence.
  unfold x in *. rewrite (dot_job_form dec machines shape machines_nodup machines_all jobs jobs_sorted j Hj), I2. lra.
Qed.
Lemma ofnat_inj n : ofnat n == inj (Z.of_nat n).
Proof.
  induction n as [|n IH]; [simpl; rewrite inj_0; lra|].
  rewrite Nat2Z.inj_succ, <- Z.add_1_r, inj_plus, inj_1. simpl. lra.
Qed.

(* step 1 *)
Lemma start_holds : holds start.
Proof.
  split; [|exact (fits_start dec machines shape jobs jobs_sorted o M makespan)].
  intros fr H. apply in_app_or in H. destruct H as [H|[H|[]]].
  - apply in_map_iff in H. destruct H as (a & E & H). subst fr. apply in_rev, filter_In in H.
    destruct H as [_ H]. apply Nat.ltb_lt in H. split; simpl; [apply job_form_length; exact H|]. rewrite inj_1.
    generalize (longest_at_most dec machines shape machines_nodup machines_all jobs jobs_sorted o M makespan a H).
    fold x. lra.
  - subst fr. destruct (dot_work (all_jobs machines shape) (all_jobs_in_shape machines shape)) as [L D].
    split; simpl; [exact L|].
    rewrite D. rewrite <- ofnat_inj.
    exact (all_at_most dec machines shape machines_nodup machines_all jobs jobs_sorted o M makespan).
Qed.

Section Walk.
Variable P : O -> list O.
Hypothesis placed_so : forall b, where_placed shape p b = P b.
Variable objective : list Z.

(* step 2 *)
Lemma reply_sound a d rows waiting loads more : holds (rows, waiting, loads) ->
  branches P objective (Reply a d) (rows, waiting, loads) = Some more -> exists k, In k more /\ holds k.
Proof.
  intros [Hrows Hfits]. simpl. destruct (length d =? shape a)%nat eqn:Ld; [|discriminate]. apply Nat.eqb_eq in Ld.
  destruct (0 <? shape a)%nat eqn:Ha; [|discriminate]. apply Nat.ltb_lt in Ha. intros H. injection H as H. subst more.
  set (q := deviate dec p a (fun n => nth n d a)).
  assert (Hq : where_placed shape q a = d).
  { unfold where_placed, q. rewrite deviate_same. apply hosts_nth. exact Ld. }
  assert (Others : forall b, b <> a -> where_placed shape q b = P b).
  { intros b n. rewrite <- placed_so. unfold q, where_placed, deviate. destruct (dec b a); [congruence|reflexivity]. }
  destruct (attained P q a Others
              ltac:(lia)) as (G & HG & HcG).
  rewrite Hq in HG. exists (rev_append (map (fun F => (vsub F G, 0%Z)) (terms_of P a (P a))) rows, waiting, loads).
  split; [apply in_map_iff; exists G; split; [reflexivity|exact HG]|]. split; [|exact Hfits].
  intros fr Hfr. rewrite rev_append_rev in Hfr. apply in_app_or in Hfr.
  destruct Hfr as [Hfr|Hfr]; [|exact (Hrows fr Hfr)].
  apply in_rev, in_map_iff in Hfr. destruct Hfr as (F & E & HF). subst fr.
  unfold terms_of in HF. rewrite <- (placed_so a) in HF.
  assert (Others' : forall b, b <> a -> where_placed shape p b = P b) by (intros b _; apply placed_so).
  assert (LF := length_of P p a Others' F HF).
  assert (CF := at_least P p a Others' F HF).
  rewrite <- Hq in HG.
  assert (LG := length_of P q a Others G HG).
  split; simpl.
  - unfold vsub. rewrite vadd_length; [exact LF|]. rewrite vneg_length. congruence.
  - rewrite dot_vsub by congruence. rewrite inj_0. unfold x. generalize (stable a (fun n => nth n d a)). fold q. lra.
Qed.

(* step 3 *)
Lemma on_machine_sound j rows waiting loads more : holds (rows, waiting, loads) ->
  branches P objective (OnMachine j) (rows, waiting, loads) = Some more -> exists k, In k more /\ holds k.
Proof.
  intros [Hrows Hfits]. simpl. destruct (snd j <? shape (fst j))%nat eqn:Hj; [|discriminate]. apply Nat.ltb_lt in Hj.
  destruct (pick dec j waiting) as [waiting'|] eqn:E; [|discriminate]. intros H. injection H as H. subst more.
  destruct (add_to_sound dec machines shape machines_nodup machines_all jobs jobs_sorted o M waiting waiting' j loads
              (pick_perm dec j waiting waiting' E) Hj Hfits) as (v & loads' & Hin & Lv & Dv & Hfits').
  exists ((v, 1%Z) :: rows, waiting', loads'). split; [apply in_map_iff; exists (v, loads'); auto|].
  split; [|exact Hfits']. intros fr [e|Hfr]; [|exact (Hrows fr Hfr)]. subst fr. split; simpl; [exact Lv|].
  rewrite inj_1. unfold x. lra.
Qed.

(* step 4 *)
Lemma bound_sound divisor multipliers rows waiting loads more : (0 < vd)%Z -> holds (rows, waiting, loads) ->
  branches P objective (Bound divisor multipliers) (rows, waiting, loads) = Some more ->
  inj vd * dot objective x <= inj vn * M.
Proof.
  intros Hvd [Hrows _]. simpl. destruct (0 <? divisor)%Z eqn:HD; [|discriminate]. apply Z.ltb_lt in HD.
  destruct (combined (rev rows) multipliers) as [[s q]|] eqn:E; [|discriminate].
  destruct (vle (vscale divisor objective) s) eqn:V; [|discriminate].
  destruct (q * vd <=? vn * divisor)%Z eqn:Q; [|discriminate]. intros _. apply Z.leb_le in Q.
  assert (H := combined_sound (rev rows) multipliers (s, q) (fun g Hg => Hrows g (proj2 (in_rev rows g) Hg)) E).
  destruct H as [_ H]. simpl in H.
  assert (B := dot_vle _ _ x x_nonneg V). rewrite dot_vscale in B.
  assert (ID : 0 < inj divisor) by (rewrite <- inj_0; apply inj_lt; exact HD).
  assert (IV : 0 < inj vd) by (rewrite <- inj_0; apply inj_lt; exact Hvd).
  assert (IQ := inj_le _ _ Q). rewrite !inj_mult in IQ.
  apply (mul_cancel (inj divisor)); [exact ID|].
  assert (B1 := mul_le (inj vd) (inj divisor * dot objective x) (inj q * M) ltac:(lra) ltac:(lra)).
  assert (B2 := mul_le M (inj q * inj vd) (inj vn * inj divisor) M_nonneg IQ).
  assert (E1 : inj divisor * (inj vd * dot objective x) == inj vd * (inj divisor * dot objective x)) by ring.
  assert (E2 : inj vd * (inj q * M) == M * (inj q * inj vd)) by ring.
  assert (E3 : inj divisor * (inj vn * M) == M * (inj vn * inj divisor)) by ring. lra.
Qed.

Lemma run_sound nodes : (0 < vd)%Z -> forall stack, run P objective stack nodes = true ->
  forall k, In k stack -> holds k -> inj vd * dot objective x <= inj vn * M.
Proof.
  intros Hvd. induction nodes as [|n nodes IH]; intros stack; cbn [run].
  - destruct stack; [intros _ k []|discriminate].
  - destruct stack as [|k0 stack]; [discriminate|].
    destruct (branches P objective n k0) as [more|] eqn:E; [|discriminate].
    intros H k [e|Hk] Hold; [subst k0|exact (IH _ H k (in_or_app _ _ _ (or_intror Hk)) Hold)].
    destruct k as [[rows waiting] loads].
    assert (G : (exists k, In k more /\ holds k) \/ inj vd * dot objective x <= inj vn * M).
    { destruct n as [a d|j|divisor multipliers].
      - left. exact (reply_sound a d rows waiting loads more Hold E).
      - left. exact (on_machine_sound j rows waiting loads more Hold E).
      - right. exact (bound_sound divisor multipliers rows waiting loads more Hvd Hold E). }
    destruct G as [(k & Hk & Hold')|G]; [|exact G]. exact (IH _ H k (in_or_app _ _ _ (or_introl Hk)) Hold').
Qed.
End Walk.

Lemma run_objectives_sound P fs trees rest f : run_objectives P fs trees = Some rest -> In f fs ->
  exists t, run P f [start] t = true.
Proof.
  revert trees; induction fs as [|g fs IH]; simpl; intros trees H Hf; [destruct Hf|].
  destruct trees as [|t trees]; [discriminate|]. destruct (run P g [start] t) eqn:R; [|discriminate].
  destruct Hf as [e|Hf]; [subst g; exists t; exact R|exact (IH trees H Hf)].
Qed.
Lemma run_placements_sound hss trees hs : run_placements hss trees = true -> In hs hss ->
  let P := cut dec shape machines hs in forall f, In f (objectives P) -> exists t, run P f [start] t = true.
Proof.
  revert trees; induction hss as [|g hss IH]; simpl; intros trees H Hh f Hf; [destruct Hh|].
  destruct (run_objectives _ _ trees) as [trees'|] eqn:R; [|discriminate].
  destruct Hh as [e|Hh]; [subst g|exact (IH trees' H Hh f Hf)].
  exact (run_objectives_sound _ _ _ _ _ R Hf).
Qed.

(* every placement is in the list *)
Lemma placements_all hs : In hs (placements (length hs)).
Proof.
  induction hs as [|h hs IH]; simpl; [auto|]. apply in_flat_map. exists hs. split; [exact IH|].
  apply in_map_iff. exists h. split; [reflexivity|apply machines_all].
Qed.
Lemma cut_all (W : O -> list O) ms b : (forall c, length (W c) = shape c) -> In b ms ->
  cut dec shape ms (flat_map W ms) b = W b.
Proof.
  intros L. induction ms as [|c ms IH]; simpl; intros H; [destruct H|]. destruct (dec c b) as [e|n].
  - subst c. rewrite <- (L b), firstn_app, firstn_all, Nat.sub_diag. apply app_nil_r.
  - rewrite <- (L c), skipn_app, skipn_all, Nat.sub_diag. apply IH. destruct H as [H|H]; [congruence|exact H].
Qed.

(* step 5 *)
Lemma price_at_point trees : check_price trees = true -> forall a, inj vd * cost jobs p a <= inj vn * M.
Proof.
  unfold check_price. destruct (0 <? vd)%Z eqn:Hvd; [|discriminate]. apply Z.ltb_lt in Hvd.
  destruct (0 <=? vn)%Z eqn:Hvn; [|discriminate]. apply Z.leb_le in Hvn. intros H a.
  assert (IV : 0 < inj vd) by (rewrite <- inj_0; apply inj_lt; exact Hvd).
  assert (IN : 0 <= inj vn) by (rewrite <- inj_0; apply inj_le; exact Hvn).
  set (W := where_placed shape p). set (hs := flat_map W machines).
  assert (LW : forall c, length (W c) = shape c) by (intros c; apply hosts_length).
  assert (Lh : length hs = dim machines shape).
  { unfold hs, dim. clear H. generalize machines. induction machines0 as [|c ms IH]; simpl; [reflexivity|].
    rewrite app_length, IH, LW. reflexivity. }
  assert (Hh : In hs (placements (dim machines shape))) by (rewrite <- Lh; apply placements_all).
  assert (R := run_placements_sound _ _ hs H Hh). cbv zeta in R. set (P := cut dec shape machines hs) in *.
  assert (EP : forall b, W b = P b) by (intros b; symmetry; apply cut_all; [exact LW|apply machines_all]).
  assert (Others : forall b, b <> a -> where_placed shape p b = P b) by (intros b _; apply EP).
  destruct (Nat.eq_dec (shape a) 0) as [Za|Za].
  - assert (C := cost_without_jobs machines shape T met term cost cost_described jobs jobs_sorted P p a Others Za).
    generalize (mul_le (inj vd) _ 0 ltac:(lra) C) (mul_nonneg _ _ IN M_nonneg). lra.
  - destruct (attained P p a Others Za)
      as (f & Hf & Hc).
    destruct (R f) as (t & Rt).
    { apply in_flat_map. exists a. split; [apply machines_all|]. unfold terms_of. rewrite <- EP. exact Hf. }
    assert (B := run_sound P EP f t Hvd [start] Rt start (or_introl eq_refl) start_holds).
    generalize (mul_le (inj vd) _ _ ltac:(lra) Hc). fold x. lra.
Qed.
End Point.

(* A checked certificate: what anybody pays in an equilibrium is at most vn / vd times the makespan of any schedule. *)
Theorem check_price_sorted trees : check_price trees = true ->
  forall jobs, sorted_of_shape shape jobs ->
  forall p o M, (forall a d, cost jobs p a <= cost jobs (deviate dec p a d) a) -> 0 <= M ->
    (forall m, total dec machines jobs o m <= M) -> forall a, inj vd * cost jobs p a <= inj vn * M.
Proof. intros H jobs Hs p o M He HM Ho. exact (price_at_point jobs Hs p o M HM He Ho trees H). Qed.
End PriceTree.
