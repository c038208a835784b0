(* Covers of a shape in general: equilibria up to a factor epsilon, and equilibria of small makespan.

   Claim: whatever the lengths of a shape's jobs are, there is a placement in which nobody pays more than epsilon >= 1
   times what another strategy would cost (epsilon = 1: an equilibrium). With a bound v also: what anybody pays there is
   at most v times the makespan of any schedule. The game is known by its terms (Terms.v): either kind of priority.

   The certificate is a binary tree in preorder (Cover.v says why all lengths find their way in it): at a split a form
   is <= 0 or >= 0, `NoInterior` ends an impossible way, and at `Placement` the rows of the way are seen to imply what
   is needed.

   1. For each other strategy of each organization one of its terms G, times epsilon, is at least each term F that the
      organization has. So is what the strategy costs, and what the organization pays is one of the F (`replies_sound`).
   2. For each way to put all jobs on machines, empty ones being alike, the work G of one machine, times v, is at least
      each term F of anybody. As soon as this is so for some of the jobs, it is for all (`partitions_sound`). *)
From Coq Require Import List Lia Permutation ZArith.
Require Import Numbers Game Sums Loads Cover Terms.
Import ListNotations.

Section EpsilonCover.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variable machines : list O.
Variable shape : O -> nat.
Variable T : Type.
Variable met : (O -> list O) -> O -> O -> T.
Variable term : O -> list O -> O * T -> list Z.
Variables en ed : Z.                                            (* epsilon = en / ed *)
Variable within : option (Z * Z).                               (* v as numerator and denominator *)

(* ================= THE CHECKER ================= *)
Inductive item : Type :=
| SplitAt (h : list Z)                                          (* first h <= 0, then h >= 0 *)
| NoInterior (multipliers : list (nat * Z))                     (* by number of the row: 0 was the first *)
| Placement (hosts : list O).                                   (* of all jobs *)

(* n G >= d F for all F: the forms that this needs *)
Definition weighted (n d : Z) (Fs : list (list Z)) (G : list Z) : list (list Z) :=
  filter (fun f => negb (vnonneg f)) (map (fun F => vsub (vscale n G) (vscale d F)) Fs).
(* a need: alternatives, each of which is a list of forms that have to be >= 0 *)
Definition need : Type := list (list (list Z)).
Definition replies (P : O -> list O) (a : O) : list need :=
  match shape a with
  | 0%nat => []
  | _ =>
    let m := meets machines T met P a in
    let Fs := terms dec T term a (P a) m in
    flat_map (fun d =>
      if same dec d (P a) then [] else
      let alts := map (weighted en ed Fs) (terms dec T term a d m) in
      if any isnil alts then [] else [alts]) (lists machines (shape a))
  end.
Fixpoint partitions (n d : Z) (Fs : list (list Z)) (js : list (job (O := O))) (loads : list (list Z)) : list need :=
  let alts := map (weighted n d Fs) loads in
  if any isnil alts then [] else
  match js with
  | [] => [alts]
  | j :: js' => flat_map (fun b => partitions n d Fs js' (snd b))
                  (add_to (job_form dec machines shape j) loads (length machines))
  end.
Definition everybody (P : O -> list O) : list (list Z) :=
  flat_map (fun a => terms dec T term a (P a) (meets machines T met P a)) machines.
Definition schedules (P : O -> list O) : list need :=
  match within with None => [] | Some (n, d) => partitions n d (everybody P) (all_jobs machines shape) [] end.
Definition needs_of (hs : list O) : option (list need) :=
  let P := cut dec shape machines hs in
  if all (fun a => (length (P a) =? shape a)%nat) machines then Some (flat_map (replies P) machines ++ schedules P)
  else None.

Fixpoint look (hs : list O) (table : list (list O * option (list need))) : option (list need) :=
  match table with [] => None | (h, e) :: t => if same dec h hs then e else look hs t end.
Fixpoint run_cover (table : list (list O * option (list need))) (stack : list (list (list Z)))
  (items : list item) : bool :=
  match items with
  | [] => isnil stack
  | i :: items' =>
    match stack with
    | [] => false
    | path :: stack' =>
      match i with
      | SplitAt h =>
        if (length h =? dim machines shape)%nat then
          if vnonzero h then run_cover table ((vneg h :: path) :: (h :: path) :: stack') items' else false
        else false
      | NoInterior multipliers =>
        match comb (rev path) multipliers with
        | Some s => if vnonpos s then run_cover table stack' items' else false
        | None => false
        end
      | Placement hs =>
        match look hs table with
        | Some ns => if all (any (all (implied path))) ns then run_cover table stack' items' else false
        | None => false
        end
      end
    end
  end.
Definition placements_of (items : list item) : list (list O) :=
  fold_right (fun i acc => match i with Placement hs => if any (same dec hs) acc then acc else hs :: acc | _ => acc end)
    [] items.
Definition bound_ok (b : Z * Z) : bool := if (0 <? snd b)%Z then (snd b <=? fst b)%Z else false.
Definition check_cover (items : list item) : bool :=
  if bound_ok (en, ed) then
    if match within with None => true | Some b => bound_ok b end then
      run_cover (map (fun hs => (hs, needs_of hs)) (placements_of items)) [[]] items
    else false
  else false.

(* ================= SOUNDNESS ================= *)
Hypothesis machines_nodup : NoDup machines.
Hypothesis machines_all : forall l, In l machines.
Variable cost : (O -> list num) -> (O -> nat -> O) -> O -> num.
Hypothesis cost_described : described machines shape T met term cost.

Definition satisfied (x : list num) (ns : list need) : Prop :=
  forall alts, In alts ns -> exists alt, In alt alts /\ forall f, In f alt -> 0 <= dot f x.

Lemma look_sound hs hss ns : look hs (map (fun h => (h, needs_of h)) hss) = Some ns -> needs_of hs = Some ns.
Proof.
  induction hss as [|h hss IH]; simpl; [discriminate|]. destruct (same dec h hs) eqn:E; [|exact IH].
  apply (same_true dec) in E. subst h. auto.
Qed.

Lemma run_cover_sound x hss items : nonneg x -> forall stack,
  run_cover (map (fun h => (h, needs_of h)) hss) stack items = true ->
  forall path, In path stack -> rows_ok machines shape x path ->
  exists hs ns, needs_of hs = Some ns /\ satisfied x ns.
Proof.
  intros Hx. induction items as [|i items IH]; intros stack; cbn [run_cover].
  - destruct stack; [intros _ path []|discriminate].
  - destruct stack as [|path0 stack]; [discriminate|]. intros H path [e|Hin] Hp.
    2:{ destruct i as [h|multipliers|hs].
        - destruct (length h =? _)%nat; [|discriminate]. destruct (vnonzero h); [|discriminate].
          exact (IH _ H path (or_intror (or_intror Hin)) Hp).
        - destruct (comb _ _) as [s|]; [|discriminate]. destruct (vnonpos s); [|discriminate].
          exact (IH _ H path Hin Hp).
        - destruct (look _ _) as [ns|]; [|discriminate].
          destruct (all (any (all (implied path0))) ns); [|discriminate]. exact (IH _ H path Hin Hp). }
    subst path0. destruct i as [h|multipliers|hs].
    + destruct (length h =? dim machines shape)%nat eqn:L; [|discriminate]. apply Nat.eqb_eq in L.
      destruct (vnonzero h) eqn:Z; [|discriminate]. destruct (lex_total x h Z) as [S|S].
      * apply (IH _ H (h :: path)); [right; left; reflexivity|]. intros g [e|Hg]; [subst; auto|auto].
      * apply (IH _ H (vneg h :: path)); [left; reflexivity|].
        intros g [e|Hg]; [subst; rewrite vneg_length; auto|auto].
    + destruct (comb (rev path) multipliers) as [s|] eqn:E; [|discriminate].
      destruct (vnonpos s) eqn:V; [|discriminate]. exfalso.
      apply (lex_nonpos x s Hx V). apply (comb_sound machines shape x (rev path) multipliers s); [|exact E].
      intros g Hg. apply Hp. apply in_rev. exact Hg.
    + destruct (look hs _) as [ns|] eqn:E; [|discriminate].
      destruct (all (any (all (implied path))) ns) eqn:A; [|discriminate].
      exists hs, ns. split; [exact (look_sound _ _ _ E)|]. intros alts Ha.
      destruct (any_true _ _ (all_true _ _ A alts Ha)) as (alt & Halt & G). exists alt. split; [exact Halt|].
      intros f Hf. apply (implied_sound machines shape x path f Hx Hp). exact (all_true _ _ G f Hf).
Qed.

Section Point.
Variable jobs : O -> list num.
Hypothesis jobs_sorted : sorted_of_shape shape jobs.
Let x : list num := point machines jobs.
Let x_nonneg : nonneg x := point_nonneg machines jobs (fun a => proj1 (jobs_sorted a)).

Let attained := cost_attained dec machines shape machines_all T met term cost cost_described jobs jobs_sorted.
Let at_least := cost_at_least dec machines shape machines_all T met term cost cost_described jobs jobs_sorted.
Let length_of := term_length dec machines shape machines_all T met term cost cost_described jobs jobs_sorted.

Lemma weighted_sound n d Fs G : length G = dim machines shape -> (forall F, In F Fs -> length F = dim machines shape) ->
  (forall f, In f (weighted n d Fs G) -> 0 <= dot f x) -> forall F, In F Fs -> inj d * dot F x <= inj n * dot G x.
Proof.
  intros LG LF H F HF. assert (L := LF F HF).
  assert (D : 0 <= dot (vsub (vscale n G) (vscale d F)) x).
  { destruct (vnonneg (vsub (vscale n G) (vscale d F))) eqn:V; [exact (dot_nonneg _ x x_nonneg V)|].
    apply H. apply filter_In. rewrite V. split; [|reflexivity]. apply in_map_iff. exists F. auto. }
  rewrite dot_vsub, !dot_vscale in D by (rewrite !vscale_length; congruence). lra.
Qed.

Section Placed.
Variable P : O -> list O.
Hypothesis P_shape : forall a, length (P a) = shape a.
Let p : O -> nat -> O := prof P.
Let placed_so b : where_placed shape p b = P b := prof_hosts shape P P_shape b.

(* step 1 *)
Lemma replies_sound : (0 < ed)%Z -> (ed <= en)%Z -> (forall a, satisfied x (replies P a)) ->
  forall a d, inj ed * cost jobs p a <= inj en * cost jobs (deviate dec p a d) a.
Proof.
  intros Hed Hen Hs a d. set (q := deviate dec p a d).
  assert (Ie : 0 < inj ed) by (rewrite <- inj_0; apply inj_lt; exact Hed).
  assert (Ien := inj_le _ _ Hen).
  assert (Op : forall b, b <> a -> where_placed shape p b = P b) by (intros b _; apply placed_so).
  assert (Oq : forall b, b <> a -> where_placed shape q b = P b).
  { intros b n. rewrite <- placed_so. unfold q, where_placed, deviate. destruct (dec b a); [congruence|reflexivity]. }
  assert (Nq := costs_nonneg machines shape T met term cost cost_described jobs jobs_sorted P q a Oq).
  assert (Nen := mul_nonneg (inj en) _ ltac:(lra) Nq).
  destruct (Nat.eq_dec (shape a) 0) as [Z|Z].
  - assert (C := cost_without_jobs machines shape T met term cost cost_described jobs jobs_sorted P p a Op Z).
    generalize (mul_le (inj ed) _ 0 ltac:(lra) C). lra.
  - destruct (attained P p a Op Z)
      as (F & HF & CF). rewrite placed_so in HF. assert (CF' := mul_le (inj ed) _ _ ltac:(lra) CF).
    set (W := where_placed shape q a).
    assert (CG := fun G => at_least P q a Oq G).
    fold W in CG. destruct (same dec W (P a)) eqn:Same.
    + apply (same_true dec) in Same. rewrite Same in CG. specialize (CG F HF). fold x in CF', CG.
      assert (NF : 0 <= dot F x).
      { apply (term_nonneg dec machines shape machines_all T met term cost cost_described jobs jobs_sorted P p a Op).
        rewrite placed_so. exact HF. }
      generalize (mul_le (inj en) _ _ ltac:(lra) CG) (mul_nonneg (inj en - inj ed) _ ltac:(lra) NF). lra.
    + set (m := meets machines T met P a) in *. set (Fs := terms dec T term a (P a) m) in *.
      assert (Key : exists G, In G (terms dec T term a W m) /\
                      forall f, In f (weighted en ed Fs G) -> 0 <= dot f x).
      { set (alts := map (weighted en ed Fs) (terms dec T term a W m)).
        assert (K : exists alt, In alt alts /\ forall f, In f alt -> 0 <= dot f x).
        { destruct (any isnil alts) eqn:Any.
          - apply any_true in Any. destruct Any as (alt & Ha & Hn). exists alt. split; [exact Ha|].
            destruct alt; [intros f []|discriminate].
          - apply (Hs a). unfold replies. fold m. fold Fs. destruct (shape a) as [|k] eqn:Ek; [congruence|].
            rewrite <- Ek. apply in_flat_map. exists W.
            split; [exact (hosts_lists machines machines_all (q a) (shape a))|].
            rewrite Same. fold alts. rewrite Any. left. reflexivity. }
        destruct K as (alt & Ha & Hf). apply in_map_iff in Ha. destruct Ha as (G & E & HG). subst alt.
        exists G. auto. }
      destruct Key as (G & HG & Hf).
      assert (LG := length_of P q a Oq G HG).
      assert (B := weighted_sound en ed Fs G LG). specialize (B
        (fun F' HF' => length_of P p a Op F'
           (eq_ind_r (fun w => In F' (terms dec T term a w m)) HF' (placed_so a))) Hf F HF).
      specialize (CG G HG). generalize (mul_le (inj en) _ _ ltac:(lra) CG). unfold x in *. lra.
Qed.

(* step 2 *)
Lemma everybody_length F : In F (everybody P) -> length F = dim machines shape.
Proof.
  intros H. apply in_flat_map in H. destruct H as (a & _ & H). rewrite <- (placed_so a) in H.
  exact (length_of P p a
           (fun b _ => placed_so b) F H).
Qed.
Lemma loads_fit o M js loads v : fits dec machines shape jobs o M js loads -> In v loads ->
  length v = dim machines shape /\ dot v x <= M.
Proof.
  intros (ms & _ & HL & _) Hv. induction HL as [|w l loads ms [Lw Dw] HL IH]; [destruct Hv|].
  destruct Hv as [e|Hv]; [subst w|exact (IH Hv)]. split; [exact Lw|].
  generalize (on_nonneg dec shape jobs jobs_sorted o l js). unfold x. lra.
Qed.
Lemma partitions_sound n d o M : (0 < d)%Z -> (d <= n)%Z -> forall js loads,
  fits dec machines shape jobs o M js loads -> (forall j, In j js -> (snd j < shape (fst j))%nat) ->
  satisfied x (partitions n d (everybody P) js loads) ->
  forall F, In F (everybody P) -> inj d * dot F x <= inj n * M.
Proof.
  intros Hd Hn js loads Hfit Hjs Hs F HF.
  assert (Id : 0 < inj d) by (rewrite <- inj_0; apply inj_lt; exact Hd). assert (Idn := inj_le _ _ Hn).
  revert loads Hfit Hs. induction js as [|j js IH]; intros loads Hfit Hs.
  all: assert (Enough : (exists alt, In alt (map (weighted n d (everybody P)) loads) /\
                          forall f, In f alt -> 0 <= dot f x) -> inj d * dot F x <= inj n * M)
    by (intros (alt & Ha & Hf); apply in_map_iff in Ha; destruct Ha as (v & E & Hv); subst alt;
        destruct (loads_fit o M _ loads v Hfit Hv) as [Lv Dv];
        generalize (weighted_sound n d (everybody P) v Lv everybody_length Hf F HF)
          (mul_le (inj n) _ _ ltac:(lra) Dv); lra).
  all: cbn [partitions] in Hs; cbv zeta in Hs;
    destruct (any isnil (map (weighted n d (everybody P)) loads)) eqn:Any;
    [apply Enough; apply any_true in Any; destruct Any as (alt & Ha & Hnil); exists alt; split;
      [exact Ha|destruct alt; [intros f []|discriminate]]|].
  - apply Enough. exact (Hs _ (or_introl eq_refl)).
  - destruct (add_to_sound dec machines shape machines_nodup machines_all jobs jobs_sorted o M (j :: js) js j loads
                (Permutation_refl _) (Hjs j (or_introl eq_refl)) Hfit) as (v & loads' & Hin & _ & _ & Hfit').
    apply (IH (fun i Hi => Hjs i (or_intror Hi)) loads' Hfit').
    intros alts Ha. apply Hs. apply in_flat_map. exists (v, loads'). split; [exact Hin|exact Ha].
Qed.
End Placed.
End Point.

(* A checked cover: for all sorted lengths there is a placement as claimed. *)
Theorem check_cover_sorted items : check_cover items = true ->
  forall jobs, sorted_of_shape shape jobs -> exists p,
    (forall a d, inj ed * cost jobs p a <= inj en * cost jobs (deviate dec p a d) a) /\
    forall n d, within = Some (n, d) -> forall o M, 0 <= M -> (forall m, total dec machines jobs o m <= M) ->
      forall a, inj d * cost jobs p a <= inj n * M.
Proof.
  unfold check_cover, bound_ok. simpl. intros H jobs Hs.
  destruct (0 <? ed)%Z eqn:Hed; [|discriminate]. apply Z.ltb_lt in Hed.
  destruct (ed <=? en)%Z eqn:Hen; [|discriminate]. apply Z.leb_le in Hen.
  match type of H with (if ?c then _ else _) = _ => destruct c eqn:Hw; [|discriminate] end.
  destruct (run_cover_sound (point machines jobs) _ items (point_nonneg machines jobs (fun a => proj1 (Hs a))) _ H []
              (or_introl eq_refl)) as (hs & ns & Hns & Sat); [intros g []|].
  unfold needs_of in Hns. set (P := cut dec shape machines hs) in *.
  destruct (all (fun a => (length (P a) =? shape a)%nat) machines) eqn:L; [|discriminate].
  assert (PS : forall a, length (P a) = shape a).
  { intros a. apply Nat.eqb_eq. exact (all_true _ _ L a (machines_all a)). }
  injection Hns as Hns. subst ns. exists (prof P). split.
  - apply (replies_sound jobs Hs P PS Hed Hen). intros a alts Ha. apply Sat. apply in_or_app. left.
    apply in_flat_map. exists a. split; [apply machines_all|exact Ha].
  - intros n d E o M HM Ho a. rewrite E in Hw. simpl in Hw.
    destruct (0 <? d)%Z eqn:Hd; [|discriminate]. apply Z.ltb_lt in Hd. apply Z.leb_le in Hw.
    assert (Id : 0 < inj d) by (rewrite <- inj_0; apply inj_lt; exact Hd). assert (Idn := inj_le _ _ Hw).
    assert (Op : forall b, b <> a -> where_placed shape (prof P) b = P b)
      by (intros b _; apply (prof_hosts shape P PS)).
    destruct (Nat.eq_dec (shape a) 0) as [Z|Z].
    + assert (C := cost_without_jobs machines shape T met term cost cost_described jobs Hs P (prof P) a Op Z).
      generalize (mul_le (inj d) _ 0 ltac:(lra) C) (mul_nonneg (inj n) M ltac:(lra) HM). lra.
    + destruct (cost_attained dec machines shape machines_all T met term cost cost_described jobs Hs P (prof P) a Op Z)
        as (F & HF & CF). unfold where_placed in HF. rewrite (prof_hosts shape P PS) in HF.
      assert (B := partitions_sound jobs Hs P PS n d o M Hd Hw (all_jobs machines shape) []
        (fits_start dec machines shape jobs Hs o M Ho) (all_jobs_in_shape machines shape)).
      assert (B' : inj d * dot F (point machines jobs) <= inj n * M).
      { apply B.
        - intros alts Ha. apply Sat. apply in_or_app. right. unfold schedules. rewrite E. exact Ha.
        - apply in_flat_map. exists a. split; [apply machines_all|exact HF]. }
      generalize (mul_le (inj d) _ _ ltac:(lra) CF). lra.
Qed.
End EpsilonCover.
