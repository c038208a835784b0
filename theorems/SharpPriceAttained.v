(* T3, lower bound: for every N >= 2 and every priority the bound of SharpPrice.upper is attained. *)
From Coq Require Import List Lia Permutation.
Require Import Numbers Game SharpPrice.
Import ListNotations.

Section Lower.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variable prio : O -> list O.
Hypothesis prio_nodup : forall l, NoDup (prio l).
Hypothesis prio_all : forall l a, In a (prio l).

Section Tools.
Variable machines : list O.
Variable jobs : O -> list num.
Hypothesis machines_all : forall l, In l machines.
Hypothesis machines_nodup : NoDup machines.
Hypothesis jobs_nonneg : forall a, nonneg (jobs a).
Notation cost := (cost dec machines jobs prio).
Notation ready := (ready dec jobs prio).
Notation load := (load dec jobs).
Notation ld := (ld dec).
Notation work := (work jobs).

Lemma cost_le_total (q : profile (O:=O)) a T : 0 <= T -> (forall l, total dec machines jobs q l <= T) -> cost q a <= T.
Proof.
  intros HT H. apply cost_le; auto. split; [exact HT|]. intros l _. specialize (H l).
  unfold total in H. unfold Game.ready.
  assert (G : sum (map (fun b => load q b l) (a :: before dec a (order dec prio l)))
              <= sum (map (fun b => load q b l) machines)).
  { apply sum_incl.
    - intros; apply load_nonneg; auto.
    - constructor; [intros Hi; apply (before_in dec) in Hi; tauto|].
      apply before_nodup. apply order_nodup; auto.
    - intros b _. apply machines_all. }
  set (L := before dec a (order dec prio l)) in *. simpl in G. lra.
Qed.

Lemma load_home (p : profile (O:=O)) a l : p a = home a -> load p a l == if dec a l then work a else 0.
Proof.
  intros H. unfold Game.load, Game.ld, Game.work. rewrite H, placed_home.
  destruct (dec a l); reflexivity.
Qed.
End Tools.

Lemma ld_one_each l rest d : NoDup rest ->
  ld dec l (repeat 1 (length rest)) (fun t => nth t rest d) == if in_dec dec l rest then 1 else 0.
Proof.
  unfold Game.ld. induction 1 as [|r rest Hr Hn IH]; [simpl; lra|].
  change (placed dec l (repeat 1 (length (r :: rest))) (fun t => nth t (r :: rest) d))
    with (if dec r l then 1 :: placed dec l (repeat 1 (length rest)) (fun t => nth t rest d)
          else placed dec l (repeat 1 (length rest)) (fun t => nth t rest d)).
  destruct (in_dec dec l rest), (in_dec dec l (r :: rest)), (dec r l); simpl in *; try lra; exfalso; subst; tauto.
Qed.

Lemma sum_ones m : sum (repeat 1 m) == ofnat m.
Proof. induction m; simpl; lra. Qed.

Lemma nonneg_ones m : nonneg (repeat 1 m).
Proof. intros x H. apply repeat_spec in H. subst x. lra. Qed.

Section Family.
Variables o1 o2 : O.
Variable rest : list O.
Let machines := o1 :: o2 :: rest.
Hypothesis machines_all : forall l, In l machines.
Hypothesis machines_nodup : NoDup machines.
Let n : num := ofnat (length machines).

(* O1: {N-1, N-1}; O2: N-2 jobs of length 1; the others: {N-2} *)
Definition family (a : O) : list num :=
  if dec a o1 then [n - 1; n - 1] else if dec a o2 then repeat 1 (length rest) else [n - 2].

Definition fam_eq : profile (O:=O) :=      (* all at home but one job of O1, which is on O2's machine *)
  fun a => if dec a o1 then (fun t => match t with 0%nat => o1 | _ => o2 end) else home a.

Definition fam_opt : profile (O:=O) :=     (* O1: one at home, one on O2's machine; O2: one on each other machine *)
  fun a => if dec a o1 then (fun t => match t with 0%nat => o1 | _ => o2 end)
           else if dec a o2 then (fun t => nth t rest o2) else home a.

Hypothesis rest_nonempty : rest <> [].

Lemma n_eq : n == ofnat (length rest) + 2.
Proof. unfold n, machines. simpl. lra. Qed.

Lemma n_ge : 3 <= n.
Proof. generalize n_eq. destruct rest; [congruence|]. simpl. generalize (ofnat_nonneg (length l)). lra. Qed.

Lemma o12 : o1 <> o2.
Proof. intros e. inversion machines_nodup as [|x y Hx Hy]; subst. apply Hx. left. reflexivity. Qed.

Lemma family_nonneg a : nonneg (family a).
Proof.
  assert (H := n_ge). unfold family. destruct (dec a o1); [|destruct (dec a o2); [apply nonneg_ones|]];
  intros x Hx; simpl in Hx; intuition (subst; lra).
Qed.

Lemma work_1 : work family o1 == 2 * n - 2.
Proof. unfold Game.work, family. destruct (dec o1 o1); [|congruence]. simpl. lra. Qed.

Lemma work_a a : a <> o1 -> work family a == n - 2.
Proof.
  intros H. unfold Game.work, family. destruct (dec a o1); [congruence|].
  destruct (dec a o2); [generalize (sum_ones (length rest)) n_eq; lra|simpl; lra].
Qed.

Lemma ld_1 l d : ld dec l (family o1) d ==
  (if dec (d 0%nat) l then n - 1 else 0) + (if dec (d 1%nat) l then n - 1 else 0).
Proof.
  unfold Game.ld, family. destruct (dec o1 o1); [|congruence]. simpl.
  destruct (dec (d 0%nat) l), (dec (d 1%nat) l); simpl; lra.
Qed.

Lemma fam_1 : fam_eq o1 = fun t => match t with 0%nat => o1 | _ => o2 end.
Proof. unfold fam_eq. destruct (dec o1 o1); congruence. Qed.

Lemma fam_a a : a <> o1 -> fam_eq a = home a.
Proof. intros H. unfold fam_eq. destruct (dec a o1); congruence. Qed.

Lemma fam_cost_1 : cost dec machines family prio fam_eq o1 <= 2 * n - 3.
Proof.
  assert (H3 := n_ge). apply cost_le; auto using family_nonneg. split; [lra|]. intros l Hl.
  unfold Game.load. assert (E := ld_1 l (fam_eq o1)). rewrite fam_1 in *. simpl in E.
  destruct (dec o1 l) as [e|n1].
  - subst l. destruct (dec o2 o1) as [e|_]; [generalize o12; congruence|].
    generalize (ready_home dec family prio fam_eq o1). lra.
  - destruct (dec o2 l) as [e|n2].
    + subst l. assert (G := ready_le_others dec machines family prio machines_all prio_nodup family_nonneg fam_eq o1 o2).
      unfold others in G. destruct (dec o1 o2); [congruence|].
      assert (G2 : sum (map (fun b => load dec family fam_eq b o2) (remove dec o1 machines))
                   <= sum (map (fun b => if dec o2 b then n - 2 else 0) (remove dec o1 machines))).
      { apply sum_map_le. intros b Hb. apply in_remove_iff in Hb. destruct Hb as [_ Hb].
        assert (H4 := load_home family fam_eq b o2 (fam_a b Hb)). assert (H5 := work_a b Hb).
        destruct (dec b o2), (dec o2 b); try congruence; lra. }
      assert (G3 := sum_point dec o2 (n - 2) (remove dec o1 machines) (remove_nodup dec o1 _ machines_nodup)).
      assert (G4 : In o2 (remove dec o1 machines)) by (apply in_remove_iff; split; auto).
      specialize (G3 G4). lra.
    + exfalso. apply Hl. unfold family. destruct (dec o1 o1); [|congruence]. simpl.
      destruct (dec o1 l); [congruence|]. destruct (dec o2 l); congruence.
Qed.

Lemma fam_ready a l : l <> a -> n - 2 <= ready dec family prio fam_eq a l.
Proof.
  intros H. assert (H3 := n_ge). assert (G := ready_ge_owner dec family prio family_nonneg fam_eq a l H).
  destruct (dec l o1) as [e|n1].
  - subst l. unfold Game.load in G. rewrite (ld_1 o1 (fam_eq o1)) in G. rewrite fam_1 in G.
    destruct (dec o1 o1); [|congruence]. destruct (dec o2 o1); lra.
  - generalize (load_home family fam_eq l l (fam_a l n1)) (work_a l n1). destruct (dec l l); [lra|congruence].
Qed.

Lemma fam_dev_1 d : 2 * n - 3 <= cost dec machines family prio (deviate dec fam_eq o1 d) o1.
Proof.
  assert (H3 := n_ge).
  assert (G : forall l, 0 < ld dec l (family o1) d ->
     ready dec family prio fam_eq o1 l + ld dec l (family o1) d <= cost dec machines family prio (deviate dec fam_eq o1 d) o1)
    by (intros l; apply dev_ge; auto using family_nonneg).
  assert (Out : forall l, l <> o1 -> n - 1 <= ld dec l (family o1) d ->
     2 * n - 3 <= cost dec machines family prio (deviate dec fam_eq o1 d) o1).
  { intros l Hl H. generalize (fam_ready o1 l Hl). assert (G' := G l). specialize (G' ltac:(lra)). lra. }
  destruct (dec (d 0%nat) o1) as [e0|n0]; [destruct (dec (d 1%nat) o1) as [e1|n1]|].
  - assert (E := ld_1 o1 d). rewrite e0, e1 in E. destruct (dec o1 o1); [|congruence].
    assert (G' := G o1). specialize (G' ltac:(lra)).
    generalize (ready_home dec family prio fam_eq o1). lra.
  - apply (Out (d 1%nat) n1). assert (E := ld_1 (d 1%nat) d).
    destruct (dec (d 0%nat) (d 1%nat)), (dec (d 1%nat) (d 1%nat)); try congruence; lra.
  - apply (Out (d 0%nat) n0). assert (E := ld_1 (d 0%nat) d).
    destruct (dec (d 0%nat) (d 0%nat)); [|congruence]. destruct (dec (d 1%nat) (d 0%nat)); lra.
Qed.

Lemma fam_equilibrium : equilibrium dec machines family prio fam_eq.
Proof.
  intros a d. destruct (dec a o1) as [e|n1].
  - subst a. generalize fam_cost_1 (fam_dev_1 d). lra.
  - apply home_content; auto using family_nonneg, fam_a.
    intros l Hl. generalize (fam_ready a l Hl) (work_a a n1). lra.
Qed.

Lemma fam_cost_1_eq : cost dec machines family prio fam_eq o1 == 2 * n - 3.
Proof.
  generalize fam_cost_1 (fam_equilibrium o1 (fam_eq o1)) (fam_dev_1 (fam_eq o1)).
  rewrite (cost_ext dec machines family prio (deviate dec fam_eq o1 (fam_eq o1)) fam_eq).
  - lra.
  - intros b. unfold Game.deviate. destruct (dec b o1); [subst; reflexivity|reflexivity].
Qed.

Lemma fam_opt_total l : total dec machines family fam_opt l <= n - 1.
Proof.
  assert (H3 := n_ge). unfold total. unfold machines at 1. simpl.
  assert (L1 : load dec family fam_opt o1 l == (if dec o1 l then n - 1 else 0) + (if dec o2 l then n - 1 else 0)).
  { unfold Game.load. rewrite ld_1. unfold fam_opt. destruct (dec o1 o1); [|congruence]. lra. }
  assert (Hr : NoDup rest /\ ~ In o1 rest /\ ~ In o2 rest).
  { inversion machines_nodup as [|x y Hx Hy]; subst. inversion Hy as [|x y Hx2 Hy2]; subst.
    simpl in Hx. tauto. }
  destruct Hr as (Hr & Hr1 & Hr2).
  assert (L2 : load dec family fam_opt o2 l == if in_dec dec l rest then 1 else 0).
  { unfold Game.load, fam_opt, family. destruct (dec o2 o1); [generalize o12; congruence|].
    destruct (dec o2 o2); [|congruence]. apply ld_one_each. exact Hr. }
  assert (L3 : forall b, In b rest -> load dec family fam_opt b l == if dec b l then n - 2 else 0).
  { intros b Hb. assert (b <> o1) by congruence. assert (b <> o2) by congruence.
    assert (E := load_home family fam_opt b l). assert (G := work_a b H).
    assert (Eh : fam_opt b = home b).
    { unfold fam_opt. destruct (dec b o1); [congruence|]. destruct (dec b o2); congruence. }
    specialize (E Eh). destruct (dec b l); lra. }
  destruct (in_dec dec l rest) as [Hl|Hl].
  - assert (S3 : sum (map (fun b => load dec family fam_opt b l) rest) <= sum (map (fun b => if dec l b then n - 2 else 0) rest)).
    { apply sum_map_le. intros b Hb. specialize (L3 b Hb). destruct (dec b l), (dec l b); try congruence; lra. }
    assert (S4 := sum_point dec l (n - 2) rest Hr Hl).
    destruct (dec o1 l); [subst; tauto|]. destruct (dec o2 l); [subst; tauto|]. lra.
  - assert (S3 : sum (map (fun b => load dec family fam_opt b l) rest) <= ofnat (length rest) * 0).
    { apply sum_le_const. intros b Hb. specialize (L3 b Hb). destruct (dec b l); [subst; tauto|]. lra. }
    destruct (dec o1 l) as [e1|_], (dec o2 l) as [e2|_]; try lra.
    exfalso. apply o12. congruence.
Qed.

Lemma fam_opt_cost a : cost dec machines family prio fam_opt a <= n - 1.
Proof. apply cost_le_total; auto using family_nonneg, fam_opt_total. generalize n_ge. lra. Qed.
(* ---- price of stability ---- *)
Definition D (p : profile (O:=O)) (l : O) : num := sum (map (fun b => load dec family p b l) (remove dec o1 machines)).

Lemma D_sum p : sum (map (D p) machines) == (n - 1) * (n - 2).
Proof.
  assert (E := sum_swap (fun b l => load dec family p b l) (remove dec o1 machines) machines). cbv beta in E.
  assert (E2 := sum_map_eq (fun b => sum (map (fun l => load dec family p b l) machines)) (work family) (remove dec o1 machines)
                  (fun b => ld_total dec machines machines_all machines_nodup (family b) (p b))).
  assert (E3 : sum (map (work family) (remove dec o1 machines)) == ofnat (length (remove dec o1 machines)) * (n - 2)).
  { assert (H : forall b, In b (remove dec o1 machines) -> b <> o1) by (intros b Hb; apply in_remove_iff in Hb; tauto).
    revert H. generalize (remove dec o1 machines). induction l as [|b l IH]; intros H; simpl; [lra|].
    assert (Hb := work_a b (H b (or_introl eq_refl))). specialize (IH (fun c Hc => H c (or_intror Hc))). lra. }
  assert (E4 : ofnat (length (remove dec o1 machines)) == n - 1).
  { assert (P : Permutation machines (o1 :: remove dec o1 machines)).
    { apply NoDup_Permutation; [exact machines_nodup| |].
      - constructor; [rewrite in_remove_iff; tauto|apply remove_nodup; exact machines_nodup].
      - intros x. split; [|intros _; apply machines_all]. intros H.
        destruct (dec x o1) as [e|ne]; [left; congruence|]. right. apply in_remove_iff. auto. }
    revert P. generalize (remove dec o1 machines). intros r P. unfold n. rewrite (Permutation_length P). simpl. lra. }
  assert (E5 : ofnat (length (remove dec o1 machines)) * (n - 2) == (n - 1) * (n - 2)) by (rewrite E4; ring).
  unfold D. lra.
Qed.

(* an equilibrium in which O1 pays less has O1's jobs on two foreign machines u, v; before them there is work of
   at least N-2 in all, less than N-2 on each, and nothing of the others comes after them *)
Lemma fam_cheap p : equilibrium dec machines family prio p -> cost dec machines family prio p o1 < 2 * n - 3 ->
  let u := p o1 0%nat in let v := p o1 1%nat in
  u <> v /\ u <> o1 /\ v <> o1 /\ n - 2 <= D p u + D p v /\
  forall w, w = u \/ w = v ->
    D p w <= ready dec family prio p o1 w /\ ready dec family prio p o1 w < n - 2 /\
    ready dec family prio p o1 w + (n - 1) <= cost dec machines family prio p o1 /\
    (forall b, b <> o1 -> 0 < load dec family p b w -> In b (before dec o1 (order dec prio w))) /\
    (forall b, b <> o1 -> b <> o2 -> load dec family p b w <= 0).
Proof.
  intros Hp Hc. assert (H3 := n_ge). set (c := cost dec machines family prio p o1) in *.
  assert (H_ : forall a, a <> o1 -> cost dec machines family prio p a <= n - 2).
  { intros a Ha. generalize (cost_le_work dec machines family prio machines_all prio_nodup prio_all family_nonneg p a Hp) (work_a a Ha). lra. }
  assert (Ge : forall a l, placed dec l (family a) (p a) <> [] ->
     ready dec family prio p a l + load dec family p a l <= cost dec machines family prio p a)
    by (intros a l; apply cost_ge; auto using family_nonneg).
  assert (Ld0 : forall b l, 0 <= load dec family p b l) by (intros; apply load_nonneg; auto using family_nonneg).
  assert (Rd0 : forall b l, 0 <= ready dec family prio p b l) by (intros; apply ready_nonneg; auto using family_nonneg).
  assert (L1 := fun l => ld_1 l (p o1)).
  set (u := p o1 0%nat) in *. set (v := p o1 1%nat) in *.
  assert (Used : forall l, 0 < load dec family p o1 l -> ready dec family prio p o1 l + load dec family p o1 l <= c).
  { intros l H. apply Ge. apply load_pos_used. exact H. }
  assert (uv : u <> v).
  { intros e. assert (L := L1 u). destruct (dec u u); [|congruence]. destruct (dec v u); [|congruence].
    assert (G := Used u). unfold Game.load at 1 2 in G. specialize (G ltac:(lra)). specialize (Rd0 o1 u). lra. }
  assert (Lu : load dec family p o1 u == n - 1).
  { unfold Game.load. rewrite L1. destruct (dec u u); [|congruence]. destruct (dec v u); [congruence|]. lra. }
  assert (Lv : load dec family p o1 v == n - 1).
  { unfold Game.load. rewrite L1. destruct (dec v v); [|congruence]. destruct (dec u v); [congruence|]. lra. }
  assert (Lo : forall l, l <> u -> l <> v -> placed dec l (family o1) (p o1) = []).
  { intros l H1 H2. unfold family. destruct (dec o1 o1); [|congruence]. simpl. fold u v.
    destruct (dec u l); [congruence|]. destruct (dec v l); congruence. }
  assert (Ru : forall w, w = u \/ w = v -> ready dec family prio p o1 w < n - 2).
  { intros w [e|e]; subst w; [assert (G := Used u)|assert (G := Used v)]; specialize (G ltac:(lra)); lra. }
  (* everything of the others on u and v precedes O1's job *)
  assert (Bef : forall w b, w = u \/ w = v -> b <> o1 -> 0 < load dec family p b w -> In b (before dec o1 (order dec prio w))).
  { intros w b Hw Hb Hl.
    destruct (before_total dec b o1 (order dec prio w) Hb (order_all dec prio prio_all w b) (order_all dec prio prio_all w o1)) as [H|H]; [exact H|exfalso].
    assert (G := sum_map_ge (fun a => load dec family p a w) _ o1 (fun a => Ld0 a w) H). cbv beta in G.
    fold (ready dec family prio p b w) in G.
    assert (U := Ge b w (load_pos_used dec w (family b) (p b) Hl)). specialize (H_ b Hb).
    destruct Hw; subst w; lra. }
  assert (Pre : forall w b, In b (before dec o1 (order dec prio w)) -> load dec family p b w <= ready dec family prio p o1 w).
  { intros w b H. apply (sum_map_ge (fun a => load dec family p a w) _ b (fun a => Ld0 a w) H). }
  assert (Dw : forall w, w = u \/ w = v -> D p w <= ready dec family prio p o1 w).
  { intros w Hw. unfold D, Game.ready.
    assert (Nd : NoDup (before dec o1 (order dec prio w))) by (apply before_nodup, order_nodup; exact prio_nodup).
    set (B := before dec o1 (order dec prio w)) in *.
    assert (E : forall M, (forall b, In b M -> b <> o1) ->
              sum (map (fun b => load dec family p b w) M) ==
              sum (map (fun b => load dec family p b w) (filter (fun b => if in_dec dec b B then true else false) M))).
    { induction M as [|b M IH]; intros HM; simpl; [lra|].
      specialize (IH (fun x Hx => HM x (or_intror Hx))).
      destruct (in_dec dec b B) as [Hb|Hb]; simpl; [lra|].
      assert (Z : load dec family p b w <= 0).
      { destruct (lt_le 0 (load dec family p b w)) as [G|G]; [|exact G]. exfalso. apply Hb.
        apply (Bef w b Hw (HM b (or_introl eq_refl)) G). }
      specialize (Ld0 b w). lra. }
    rewrite E by (intros b Hb; apply in_remove_iff in Hb; tauto).
    apply sum_incl; [intros; apply Ld0| |].
    - apply NoDup_filter. apply remove_nodup. exact machines_nodup.
    - intros b Hb. apply filter_In in Hb. destruct Hb as [_ Hb]. destruct (in_dec dec b B); [assumption|discriminate]. }
  assert (Dl : forall l, l <> u -> l <> v -> D p l <= n - 2).
  { intros l H1 H2.
    assert (T : sum (map (fun b => load dec family p b l) (order dec prio l)) <= n - 2).
    { apply (prefix_load dec family); [lra|apply order_nodup; exact prio_nodup|].
      intros a _ Hu. destruct (dec a o1) as [e|ne]; [subst a; rewrite (Lo l H1 H2) in Hu; congruence|].
      assert (G := Ge a l Hu). unfold Game.ready in G. specialize (H_ a ne). lra. }
    assert (I : D p l <= sum (map (fun b => load dec family p b l) (order dec prio l))); [|lra].
    apply sum_incl; [intros; apply Ld0|apply remove_nodup; exact machines_nodup|].
    intros b _. apply order_all; exact prio_all. }
  (* adding up *)
  assert (Sum : n - 2 <= D p u + D p v).
  { set (r := remove dec v (remove dec u machines)).
    assert (P : Permutation machines (u :: v :: r)).
    { apply NoDup_Permutation; [exact machines_nodup| |].
      - constructor; [|constructor].
        + simpl. intros [e|H]; [congruence|]. unfold r in H. rewrite !in_remove_iff in H. tauto.
        + unfold r. rewrite in_remove_iff. tauto.
        + apply remove_nodup, remove_nodup. exact machines_nodup.
      - intros x. split; [|intros _; apply machines_all]. intros _. simpl. unfold r. rewrite !in_remove_iff.
        destruct (dec x u) as [e|n1]; [left; congruence|]. destruct (dec x v) as [e|n2]; [right; left; congruence|].
        right. right. repeat split; auto. }
    assert (E1 := D_sum p). assert (E2 : sum (map (D p) machines) == D p u + (D p v + sum (map (D p) r))) by (exact (sum_perm _ _ (Permutation_map (D p) P))).
    assert (E3 : sum (map (D p) r) <= ofnat (length r) * (n - 2)).
    { apply sum_le_const. intros l Hl. unfold r in Hl. rewrite !in_remove_iff in Hl. apply Dl; tauto. }
    assert (E4 : n == ofnat (length r) + 2).
    { revert P. generalize r. intros r' P. unfold n. rewrite (Permutation_length P). simpl. lra. }
    assert (E5 : ofnat (length r) * (n - 2) == (n - 2) * (n - 2)).
    { assert (E6 : ofnat (length r) == n - 2) by lra. rewrite E6. ring. }
    lra. }
  assert (Du := Dw u (or_introl eq_refl)). assert (Dv := Dw v (or_intror eq_refl)).
  assert (Ru1 := Ru u (or_introl eq_refl)). assert (Rv1 := Ru v (or_intror eq_refl)).
  (* neither u nor v is O1's own machine *)
  assert (Nh : forall w, w = u \/ w = v -> w <> o1).
  { intros w Hw e. subst w. generalize (ready_home dec family prio p o1). destruct Hw as [e|e]; rewrite <- e in *; lra. }
  assert (Whole : forall w b, w = u \/ w = v -> b <> o1 -> b <> o2 -> load dec family p b w <= 0).
  { intros w b Hw Hb n2. assert (Rw := Ru w Hw).
    destruct (lt_le 0 (load dec family p b w)) as [Hl|Hl]; [exfalso|exact Hl].
    assert (HB := Bef w b Hw Hb Hl).
    assert (E : load dec family p b w == n - 2).
    { unfold Game.load, Game.ld, family in *. destruct (dec b o1); [congruence|]. destruct (dec b o2); [congruence|].
      simpl in *. destruct (dec (p b 0%nat) w); simpl in *; lra. }
    generalize (Pre w b HB). lra. }
  cbv zeta. fold u v. split; [exact uv|]. split; [apply Nh; auto|]. split; [apply Nh; auto|]. split; [exact Sum|].
  intros w Hw. split; [apply Dw; exact Hw|]. split; [apply Ru; exact Hw|]. split.
  - destruct Hw; subst w; [assert (G := Used u)|assert (G := Used v)]; specialize (G ltac:(lra)); lra.
  - split; [intros b; apply Bef; exact Hw|intros b; apply Whole; exact Hw].
Qed.

(* O1 before O2 on every machine of the others: every equilibrium costs 2N-3 or more *)
Lemma fam_stable p : (forall l, l <> o1 -> l <> o2 -> In o1 (before dec o2 (order dec prio l))) ->
  equilibrium dec machines family prio p -> 2 * n - 3 <= cost dec machines family prio p o1.
Proof.
  intros prio_12 Hp. destruct (lt_le (cost dec machines family prio p o1) (2 * n - 3)) as [Hc|Hc]; [exfalso|exact Hc].
  destruct (fam_cheap p Hp Hc) as (uv & Hu & Hv & Sum & F).
  set (u := p o1 0%nat) in *. set (v := p o1 1%nat) in *.
  assert (Key : forall w, w = u \/ w = v -> w <> o1 -> w <> o2 -> D p w <= 0).
  { intros w Hw Hw1 Hw2. destruct (F w Hw) as (_ & _ & _ & Bef & Whole).
    assert (Z : D p w <= ofnat (length (remove dec o1 machines)) * 0); [|lra].
    apply sum_le_const. intros b Hb. apply in_remove_iff in Hb. destruct Hb as [_ Hb].
    destruct (dec b o2) as [e|n2]; [|apply Whole; assumption].
    subst b. destruct (lt_le 0 (load dec family p o2 w)) as [Hl|Hl]; [exfalso|exact Hl].
    exact (before_asym dec o2 o1 _ (Bef o2 Hb Hl) (prio_12 w Hw1 Hw2)). }
  destruct (F u (or_introl eq_refl)) as (Du & Ru & _). destruct (F v (or_intror eq_refl)) as (Dv & Rv & _).
  destruct (dec u o2) as [e|nu].
  - assert (G := Key v (or_intror eq_refl) Hv ltac:(congruence)). lra.
  - assert (G := Key u (or_introl eq_refl) Hu nu). lra.
Qed.

(* N odd: the same under every priority *)
Lemma ofnat_inj i j : ofnat i == ofnat j -> i = j.
Proof.
  intros H. destruct (Compare_dec.lt_eq_lt_dec i j) as [[G|G]|G]; [exfalso|exact G|exfalso];
  apply ofnat_le in G; simpl in G; lra.
Qed.

Lemma ld_integer l m s : exists i, ld dec l (repeat 1 m) s == ofnat i.
Proof.
  revert s; induction m as [|m IH]; intros s; [exists 0%nat; unfold Game.ld; simpl; lra|].
  destruct (IH (fun t => s (S t))) as (i & Hi). assert (E := ld_cons dec l 1 (repeat 1 m) s).
  destruct (dec (s 0%nat) l); [exists (S i)|exists i]; simpl repeat; simpl ofnat; lra.
Qed.

Lemma fam_odd p : (forall i, length rest <> (i + i)%nat) ->
  equilibrium dec machines family prio p -> 2 * n - 3 <= cost dec machines family prio p o1.
Proof.
  intros Hodd Hp. destruct (lt_le (cost dec machines family prio p o1) (2 * n - 3)) as [Hc|Hc]; [exfalso|exact Hc].
  assert (H3 := n_ge). destruct (fam_cheap p Hp Hc) as (uv & Hu & Hv & Sum & F).
  set (u := p o1 0%nat) in *. set (v := p o1 1%nat) in *.
  (* only O2's units are there *)
  assert (D2 : forall w, w = u \/ w = v -> D p w == load dec family p o2 w).
  { intros w Hw. destruct (F w Hw) as (_ & _ & _ & _ & Whole). unfold D.
    assert (G4 : In o2 (remove dec o1 machines)) by (apply in_remove_iff; split; [apply machines_all|apply not_eq_sym, o12]).
    rewrite <- (sum_point dec o2 (load dec family p o2 w) (remove dec o1 machines) (remove_nodup dec o1 _ machines_nodup) G4).
    assert (E : forall M, (forall b, In b M -> b <> o1) -> sum (map (fun b => load dec family p b w) M) ==
                sum (map (fun l => if dec o2 l then load dec family p o2 w else 0) M)).
    { induction M as [|b M IH]; intros HM; simpl; [lra|]. specialize (IH (fun x Hx => HM x (or_intror Hx))).
      assert (Hb := HM b (or_introl eq_refl)).
      destruct (dec o2 b) as [e|ne]; [subst b; lra|].
      assert (Z := Whole b Hb (not_eq_sym ne)).
      assert (Z0 : 0 <= load dec family p b w) by (apply load_nonneg; auto using family_nonneg). lra. }
    apply E. intros b Hb. apply in_remove_iff in Hb. tauto. }
  assert (Rw : forall w, w = u \/ w = v -> ready dec family prio p o1 w == D p w).
  { intros w Hw. destruct (F w Hw) as (G & _).
    assert (G2 := ready_le_others dec machines family prio machines_all prio_nodup family_nonneg p o1 w).
    unfold others in G2. assert (w <> o1) by (destruct Hw; subst w; assumption).
    destruct (dec o1 w); [congruence|]. fold (D p w) in G2. lra. }
  assert (Two : load dec family p o2 u + load dec family p o2 v <= n - 2).
  { assert (W := ld_total dec machines machines_all machines_nodup (family o2) (p o2)).
    fold (work family o2) in W. assert (W2 := work_a o2 (not_eq_sym o12)).
    assert (I : sum (map (fun l => load dec family p o2 l) [u; v]) <= sum (map (fun l => load dec family p o2 l) machines)).
    { apply sum_incl; [intros; apply load_nonneg; auto using family_nonneg| |intros b _; apply machines_all].
      constructor; [simpl; intros [e|[]]; congruence|]. constructor; [simpl; tauto|constructor]. }
    change (load dec family p o2 u + (load dec family p o2 v + 0) <= sum (map (fun l => ld dec l (family o2) (p o2)) machines)) in I.
    lra. }
  (* otherwise O1 takes the job behind the larger one home *)
  assert (Half : forall w w' d, w = u /\ w' = v \/ w = v /\ w' = u ->
     (forall l, ld dec l (family o1) d == (if dec w l then n - 1 else 0) + (if dec o1 l then n - 1 else 0)) ->
     (forall l, l <> w -> l <> o1 -> placed dec l (family o1) d = []) ->
     D p w' <= D p w).
  { intros w w' d Hww E Em.
    assert (Hw : w = u \/ w = v) by tauto. assert (Hw' : w' = u \/ w' = v) by tauto.
    assert (Hw1 : w <> o1) by (destruct Hw; subst w; assumption).
    destruct (lt_le (D p w) (D p w')) as [G|G]; [exfalso|exact G].
    assert (G2 : cost dec machines family prio (deviate dec p o1 d) o1 <= D p w + (n - 1)).
    { assert (D0 : 0 <= D p w) by (apply sum_map_nonneg; intros; apply load_nonneg; auto using family_nonneg).
      apply dev_le; auto using family_nonneg. split; [lra|]. intros l Hl. rewrite (E l).
      destruct (dec o1 l) as [e|n1].
      - subst l. destruct (dec w o1); [congruence|]. generalize (ready_home dec family prio p o1). lra.
      - destruct (dec w l) as [e|n2]; [subst l; generalize (Rw w Hw); lra|].
        exfalso. apply Hl. apply Em; congruence. }
    destruct (F w' Hw') as (_ & _ & Hc' & _). generalize (Hp o1 d) (Rw w' Hw'). lra. }
  assert (DE : D p u == D p v).
  { assert (G1 := Half u v (fun t => match t with 0%nat => u | _ => o1 end) (or_introl (conj eq_refl eq_refl))).
    assert (G2 := Half v u (fun t => match t with 0%nat => o1 | _ => v end) (or_intror (conj eq_refl eq_refl))).
    assert (P1 : D p v <= D p u).
    { apply G1; [intros l; apply ld_1|]. intros l n1 n2. unfold family. destruct (dec o1 o1); [|congruence]. simpl.
      destruct (dec u l); [congruence|]. destruct (dec o1 l); congruence. }
    assert (P2 : D p u <= D p v).
    { apply G2; [intros l; rewrite ld_1; destruct (dec o1 l), (dec v l); lra|].
      intros l n1 n2. unfold family. destruct (dec o1 o1); [|congruence]. simpl.
      destruct (dec o1 l); [congruence|]. destruct (dec v l); congruence. }
    lra. }
  assert (Du := D2 u (or_introl eq_refl)). assert (Dv := D2 v (or_intror eq_refl)).
  assert (Int : exists i, load dec family p o2 u == ofnat i).
  { unfold Game.load, family. destruct (dec o2 o1); [generalize o12; congruence|]. destruct (dec o2 o2); [|congruence].
    apply ld_integer. }
  destruct Int as (i & Hi). apply (Hodd i). apply ofnat_inj.
  generalize (ofnat_plus i i) n_eq. lra.
Qed.
End Family.

(* T3, attained: N >= 3, every priority *)
Theorem lower machines : (forall l, In l machines) -> NoDup machines -> (3 <= length machines)%nat ->
  let n := ofnat (length machines) in
  exists (jobs : O -> list num), (forall a, nonneg (jobs a)) /\
  exists (p q : profile) (k : O),
    equilibrium dec machines jobs prio p /\
    (forall a, cost dec machines jobs prio q a <= n - 1) /\
    cost dec machines jobs prio p k == 2 * n - 3.
Proof.
  intros Ha Hn H3 n. destruct machines as [|o1 [|o2 [|o3 r]]]; simpl in H3; try lia.
  assert (Hne : o3 :: r <> []) by discriminate.
  exists (family o1 o2 (o3 :: r)). split; [intros a; apply family_nonneg; assumption|].
  exists (fam_eq o1 o2), (fam_opt o1 o2 (o3 :: r)), o1.
  split; [|split].
  - apply fam_equilibrium; assumption.
  - intros a. apply fam_opt_cost; assumption.
  - apply fam_cost_1_eq; assumption.
Qed.

(* price of stability, N >= 3, O1 before O2 on the machines of the others: every equilibrium costs 2N-3 or more *)
Theorem stable o1 o2 o3 r : let machines := o1 :: o2 :: o3 :: r in
  (forall l, In l machines) -> NoDup machines ->
  (forall l, l <> o1 -> l <> o2 -> In o1 (before dec o2 (order dec prio l))) ->
  let n := ofnat (length machines) in
  exists (jobs : O -> list num), (forall a, nonneg (jobs a)) /\
  exists (p q : profile) (k : O),
    equilibrium dec machines jobs prio p /\
    (forall a, cost dec machines jobs prio q a <= n - 1) /\
    forall p', equilibrium dec machines jobs prio p' -> 2 * n - 3 <= cost dec machines jobs prio p' k.
Proof.
  intros machines Ha Hn H12 n. assert (Hne : o3 :: r <> []) by discriminate.
  exists (family o1 o2 (o3 :: r)). split; [intros a; apply family_nonneg; assumption|].
  exists (fam_eq o1 o2), (fam_opt o1 o2 (o3 :: r)), o1.
  split; [|split].
  - apply fam_equilibrium; assumption.
  - intros a. apply fam_opt_cost; assumption.
  - intros p' Hp'. apply fam_stable; assumption.
Qed.

(* N odd: every priority *)
Theorem stable_odd o1 o2 o3 r : let machines := o1 :: o2 :: o3 :: r in
  (forall l, In l machines) -> NoDup machines -> Nat.Odd (length machines) ->
  let n := ofnat (length machines) in
  exists (jobs : O -> list num), (forall a, nonneg (jobs a)) /\
  exists (p q : profile) (k : O),
    equilibrium dec machines jobs prio p /\
    (forall a, cost dec machines jobs prio q a <= n - 1) /\
    forall p', equilibrium dec machines jobs prio p' -> 2 * n - 3 <= cost dec machines jobs prio p' k.
Proof.
  intros machines Ha Hn Hodd n. assert (Hne : o3 :: r <> []) by discriminate.
  exists (family o1 o2 (o3 :: r)). split; [intros a; apply family_nonneg; assumption|].
  exists (fam_eq o1 o2), (fam_opt o1 o2 (o3 :: r)), o1.
  split; [|split].
  - apply fam_equilibrium; assumption.
  - intros a. apply fam_opt_cost; assumption.
  - intros p' Hp'. apply fam_odd; try assumption.
    intros i E. destruct Hodd as (h & Hh). unfold machines in Hh. simpl in Hh, E. lia.
Qed.

(* N = 2: {2,2}, {1,1} *)
Theorem lower2 o1 o2 : (forall l, In l [o1; o2]) -> NoDup [o1; o2] ->
  exists (jobs : O -> list num), (forall a, nonneg (jobs a)) /\
  exists (p q : profile) (k : O),
    equilibrium dec [o1; o2] jobs prio p /\
    (forall a, cost dec [o1; o2] jobs prio q a <= 3) /\
    cost dec [o1; o2] jobs prio p k == 4 /\
    forall p', equilibrium dec [o1; o2] jobs prio p' -> 4 <= cost dec [o1; o2] jobs prio p' k.
Proof.
  intros Ha Hn. set (machines := [o1; o2]) in *.
  assert (N12 : o1 <> o2).
  { intros e. inversion Hn as [|x y Hx Hy]; subst. apply Hx. left. reflexivity. }
  set (jobs := fun a => if dec a o1 then [2; 2] else [1; 1]).
  assert (Hpos : forall a, nonneg (jobs a)).
  { intros a x. unfold jobs. destruct (dec a o1); simpl; intuition (subst; lra). }
  assert (W1 : work jobs o1 == 4) by (unfold Game.work, jobs; destruct (dec o1 o1); [simpl; lra|congruence]).
  assert (W2 : work jobs o2 == 2) by (unfold Game.work, jobs; destruct (dec o2 o1); [congruence|simpl; lra]).
  exists jobs. split; [exact Hpos|].
  set (p := fun b => home b : strategy (O:=O)).
  assert (Hl : forall a l, load dec jobs p a l == if dec a l then work jobs a else 0)
    by (intros; apply load_home; reflexivity).
  assert (C2 : forall d, cost dec machines jobs prio p o2 <= cost dec machines jobs prio (deviate dec p o2 d) o2).
  { apply home_content; auto. intros l H. destruct (Ha l) as [e|[e|[]]]; subst l; [|congruence].
    generalize (ready_ge_owner dec jobs prio Hpos p o2 o1 N12) (Hl o1 o1). destruct (dec o1 o1); [lra|congruence]. }
  assert (D1 : forall d, 4 <= cost dec machines jobs prio (deviate dec p o1 d) o1).
  { intros d.
    assert (G : forall l, 0 < ld dec l (jobs o1) d ->
       ready dec jobs prio p o1 l + ld dec l (jobs o1) d <= cost dec machines jobs prio (deviate dec p o1 d) o1)
      by (intros l; apply dev_ge; auto).
    assert (R1 := ready_home dec jobs prio p o1).
    assert (R2 := ready_ge_owner dec jobs prio Hpos p o1 o2 (not_eq_sym N12)).
    assert (L22 := Hl o2 o2). destruct (dec o2 o2); [|congruence].
    assert (E : forall l, ld dec l (jobs o1) d == (if dec (d 0%nat) l then 2 else 0) + (if dec (d 1%nat) l then 2 else 0)).
    { intros l. unfold Game.ld, jobs. destruct (dec o1 o1); [|congruence]. simpl.
      destruct (dec (d 0%nat) l), (dec (d 1%nat) l); simpl; lra. }
    assert (E1 := E o1). assert (E2 := E o2). assert (G1 := G o1). assert (G2 := G o2).
    destruct (Ha (d 0%nat)) as [e0|[e0|[]]]; destruct (Ha (d 1%nat)) as [e1|[e1|[]]];
      rewrite <- e0, <- e1 in E1, E2;
      destruct (dec o1 o1), (dec o2 o2), (dec o1 o2), (dec o2 o1); try congruence;
      try (specialize (G2 ltac:(lra)); lra); specialize (G1 ltac:(lra)); lra. }
  assert (U1 : cost dec machines jobs prio p o1 <= 4).
  { apply cost_le; auto. split; [lra|]. intros l Hu. change (p o1) with (home o1) in Hu.
    rewrite placed_home in Hu. destruct (dec o1 l) as [e|n']; [|congruence].
    subst l. generalize (ready_home dec jobs prio p o1) (Hl o1 o1). destruct (dec o1 o1); [lra|congruence]. }
  assert (C1 : forall d, cost dec machines jobs prio p o1 <= cost dec machines jobs prio (deviate dec p o1 d) o1)
    by (intros d; generalize (D1 d); lra).
  exists p, (fun _ t => match t with 0%nat => o1 | _ => o2 end), o1.
  split; [|split; [|split]].
  - intros a d. destruct (Ha a) as [e|[e|[]]]; subst a; auto.
  - intros a. apply cost_le_total; auto; [lra|]. intros l. unfold total. simpl.
    unfold Game.load, Game.ld, jobs. destruct (dec o1 o1); [|congruence]. destruct (dec o2 o1); [congruence|].
    simpl. destruct (dec o1 l), (dec o2 l); simpl; try lra. congruence.
  - generalize (D1 (home o1)). rewrite (cost_ext dec machines jobs prio (deviate dec p o1 (home o1)) p).
    + lra.
    + intros b. unfold Game.deviate. destruct (dec b o1); [subst; reflexivity|reflexivity].
  - (* every equilibrium *)
    intros p' Hp'. set (c := cost dec machines jobs prio p' o1).
    destruct (lt_le c 4) as [Hc|Hc]; [exfalso|exact Hc].
    assert (H2 := cost_le_work dec machines jobs prio Ha prio_nodup prio_all Hpos p' o2 Hp').
    assert (E : forall l, load dec jobs p' o1 l == (if dec (p' o1 0%nat) l then 2 else 0) + (if dec (p' o1 1%nat) l then 2 else 0)).
    { intros l. unfold Game.load, Game.ld, jobs. destruct (dec o1 o1); [|congruence]. simpl.
      destruct (dec (p' o1 0%nat) l), (dec (p' o1 1%nat) l); simpl; lra. }
    assert (Used : forall a l, 0 < load dec jobs p' a l -> ready dec jobs prio p' a l + load dec jobs p' a l <= cost dec machines jobs prio p' a).
    { intros a l H. apply cost_ge; auto. apply load_pos_used. exact H. }
    assert (Rd : forall a l, 0 <= ready dec jobs prio p' a l) by (intros; apply ready_nonneg; auto).
    assert (S2 := ld_total dec machines Ha Hn (jobs o2) (p' o2)). fold (work jobs o2) in S2.
    change (load dec jobs p' o2 o1 + (load dec jobs p' o2 o2 + 0) == work jobs o2) in S2.
    assert (R12 := ready_ge_owner dec jobs prio Hpos p' o1 o2 (not_eq_sym N12)).
    assert (R21 := ready_ge_owner dec jobs prio Hpos p' o2 o1 N12).
    assert (E1 := E o1). assert (E2 := E o2). assert (V1 := Used o1 o1). assert (V2 := Used o1 o2). assert (V3 := Used o2 o1).
    fold c in V1, V2. assert (Q1 := Rd o1 o1). assert (Q2 := Rd o1 o2).
    destruct (Ha (p' o1 0%nat)) as [e0|[e0|[]]]; destruct (Ha (p' o1 1%nat)) as [e1|[e1|[]]];
      rewrite <- e0, <- e1 in E1, E2;
      destruct (dec o1 o1), (dec o2 o2), (dec o1 o2), (dec o2 o1); try congruence;
      try (specialize (V1 ltac:(lra)); lra); try (specialize (V2 ltac:(lra)); specialize (V3 ltac:(lra)); lra);
      specialize (V2 ltac:(lra)); lra.
Qed.
End Lower.
