(* T3: price of anarchy, any number N >= 2 of organizations, one machine each. *)
From Coq Require Import List Lia Permutation.
Require Import Numbers Game.
Import ListNotations.

Section Lists.
(* sums *)
Lemma sum_app l l' : sum (l ++ l') == sum l + sum l'.
Proof. induction l as [|x l IH]; simpl; lra. Qed.

Lemma sum_perm l l' : Permutation l l' -> sum l == sum l'.
Proof. induction 1; simpl; lra. Qed.

Context {O : Type}.

Lemma sum_map_le (f g : O -> num) os : (forall b, In b os -> f b <= g b) -> sum (map f os) <= sum (map g os).
Proof.
  induction os as [|b os IH]; simpl; intros H; [lra|].
  assert (H1 := H b (or_introl eq_refl)).
  assert (sum (map f os) <= sum (map g os)) by (apply IH; intros c Hc; apply H; right; exact Hc). lra.
Qed.

Lemma sum_map_plus (f g : O -> num) os : sum (map (fun b => f b + g b) os) == sum (map f os) + sum (map g os).
Proof. induction os as [|b os IH]; simpl; lra. Qed.

Lemma sum_incl (f : O -> num) (L M : list O) : (forall b, 0 <= f b) -> NoDup L -> incl L M ->
  sum (map f L) <= sum (map f M).
Proof.
  intros Hf. revert M; induction L as [|b L IH]; intros M Hn Hi; simpl.
  - apply sum_map_nonneg; exact Hf.
  - inversion Hn as [|b' L' Hb HL]; subst.
    destruct (in_split b M (Hi b (or_introl eq_refl))) as (M1 & M2 & E).
    assert (G : sum (map f L) <= sum (map f (M1 ++ M2))).
    { apply IH; [exact HL|]. intros c Hc. assert (Hc' := Hi c (or_intror Hc)). subst M.
      apply in_app_or in Hc'. apply in_or_app. destruct Hc' as [H|[H|H]]; auto. subst c. tauto. }
    subst M. rewrite map_app in *. simpl in *.
    generalize (sum_app (map f M1) (f b :: map f M2)) (sum_app (map f M1) (map f M2)). simpl. lra.
Qed.
End Lists.

Section Upper.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variable machines : list O.
Variable jobs : O -> list num.
Variable prio : O -> list O.
Hypothesis machines_all : forall l, In l machines.
Hypothesis machines_nodup : NoDup machines.
Hypothesis prio_nodup : forall l, NoDup (prio l).
Hypothesis prio_all : forall l a, In a (prio l).
Hypothesis jobs_nonneg : forall a, nonneg (jobs a).

Notation cost := (cost dec machines jobs prio).
Notation deviate := (deviate dec).
Notation ready := (ready dec jobs prio).
Notation load := (load dec jobs).
Notation ld := (ld dec).
Notation work := (work jobs).
Notation equilibrium := (equilibrium dec machines jobs prio).
Notation placed := (placed dec).
Notation before := (before dec).
Notation order := (order dec prio).

Lemma sum_point (m : O) (x : num) L : NoDup L -> In m L -> sum (map (fun l => if dec m l then x else 0) L) == x.
Proof.
  induction 1 as [|b L Hb HL IH]; simpl; [tauto|]. intros [e|H].
  - subst b. destruct (dec m m); [|congruence].
    assert (E : sum (map (fun l => if dec m l then x else 0) L) == 0).
    { clear IH HL. induction L as [|c L IH]; simpl; [lra|]. simpl in Hb.
      destruct (dec m c) as [e'|n]; [subst; tauto|]. assert (~ In m L) by tauto. specialize (IH H). lra. }
    lra.
  - specialize (IH H). destruct (dec m b); [subst; tauto|]. lra.
Qed.

Lemma ld_cons l x js s : ld l (x :: js) s == (if dec (s 0%nat) l then x else 0) + ld l js (fun n => s (S n)).
Proof. unfold Game.ld. simpl. destruct (dec (s 0%nat) l); simpl; lra. Qed.

Lemma sum_map_eq {A : Type} (f g : A -> num) os : (forall b, f b == g b) -> sum (map f os) == sum (map g os).
Proof. intros H; induction os as [|b os IH]; simpl; [lra|]. specialize (H b). lra. Qed.

Lemma ld_total js s : sum (map (fun l => ld l js s) machines) == sum js.
Proof.
  revert s; induction js as [|x js IH]; intros s; simpl.
  - rewrite (map_ext _ (fun _ => 0)) by reflexivity.
    induction machines as [|b M IH]; simpl; [lra|]. unfold Game.ld; simpl. unfold Game.ld in IH; simpl in IH.
    assert (sum (map (fun _ : O => 0) M) == 0). { clear. induction M; simpl; lra. } lra.
  - assert (E := sum_map_eq _ _ machines (fun l => ld_cons l x js s)).
    assert (E2 := sum_map_plus (fun l => if dec (s 0%nat) l then x else 0) (fun l => ld l js (fun n => s (S n))) machines).
    assert (E3 := sum_point (s 0%nat) x machines machines_nodup (machines_all _)).
    specialize (IH (fun n => s (S n))). simpl in E2. lra.
Qed.

Lemma sum_swap (f : O -> O -> num) L M :
  sum (map (fun a => sum (map (fun l => f a l) M)) L) == sum (map (fun l => sum (map (fun a => f a l) L)) M).
Proof.
  induction L as [|a L IH]; simpl.
  - induction M as [|l M IH]; simpl; lra.
  - assert (E := sum_map_plus (fun l => f a l) (fun l => sum (map (fun b => f b l) L)) M). simpl in E. lra.
Qed.

Definition total (p : profile (O:=O)) (l : O) : num := sum (map (fun b => load p b l) machines).

Lemma total_sum p : sum (map (total p) machines) == sum (map work machines).
Proof.
  unfold total. assert (E := sum_swap (fun b l => load p b l) machines machines). simpl in E.
  assert (E2 := sum_map_eq (fun b => sum (map (fun l => load p b l) machines)) work machines
                  (fun b => ld_total (jobs b) (p b))). lra.
Qed.

Lemma order_perm l : Permutation (order l) machines.
Proof.
  apply NoDup_Permutation; [apply order_nodup; auto|exact machines_nodup|].
  intros x; split; intros _; [apply machines_all|apply order_all; auto].
Qed.

(* the load of a machine is at most the makespan *)
Lemma prefix_load p l T os : 0 <= T -> NoDup os ->
  (forall a, In a os -> placed l (jobs a) (p a) <> [] ->
     sum (map (fun b => load p b l) (before a os)) + load p a l <= T) ->
  sum (map (fun b => load p b l) os) <= T.
Proof.
  intros HT. induction os as [|b os IH] using rev_ind; intros Hn H; [simpl; lra|].
  assert (Hb : ~ In b os /\ NoDup os).
  { apply NoDup_remove in Hn. rewrite app_nil_r in Hn. tauto. }
  destruct Hb as [Hb Hos].
  assert (E0 : before b (os ++ [b]) = os).
  { clear IH Hn H Hos. induction os as [|c os IH]; simpl.
    - destruct (dec b b); congruence.
    - simpl in Hb. destruct (dec c b) as [e|n]; [subst; tauto|]. rewrite IH; tauto. }
  rewrite map_app. generalize (sum_app (map (fun b => load p b l) os) (map (fun b => load p b l) [b])). simpl. intros E.
  destruct (placed l (jobs b) (p b)) as [|x r] eqn:Ep.
  - assert (L0 : load p b l == 0) by (unfold Game.load, Game.ld; rewrite Ep; simpl; lra).
    assert (sum (map (fun b => load p b l) os) <= T); [|lra].
    apply IH; [exact Hos|]. intros a Ha Hp.
    assert (E1 : before a (os ++ [b]) = before a os).
    { clear - Ha. induction os as [|c os IH]; simpl in *; [tauto|].
      destruct (dec c a); [reflexivity|]. rewrite IH; [reflexivity|]. destruct Ha; [congruence|assumption]. }
    specialize (H a (in_or_app _ _ _ (or_introl Ha)) Hp). rewrite E1 in H. exact H.
  - assert (Hu : placed l (jobs b) (p b) <> []) by (rewrite Ep; discriminate).
    assert (Hin : In b (os ++ [b])) by (apply in_or_app; right; left; reflexivity).
    specialize (H b Hin Hu). rewrite E0 in H. lra.
Qed.

Lemma total_le q T l : 0 <= T -> (forall a, cost q a <= T) -> total q l <= T.
Proof.
  intros HT Hq. unfold total.
  rewrite (sum_perm _ _ (Permutation_map (fun b => load q b l) (Permutation_sym (order_perm l)))).
  apply prefix_load; [exact HT|apply order_nodup; auto|].
  intros a _ Hp. assert (H := cost_ge dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg q a l Hp).
  unfold Game.ready in H. specialize (Hq a). lra.
Qed.

Lemma load_le_total q a l : load q a l <= total q l.
Proof. apply (sum_map_ge (fun b => load q b l)); [intros; apply load_nonneg; auto|apply machines_all]. Qed.

(* a permutation of the jobs does not restrict the choice *)
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

(* descending order *)
Fixpoint desc (l : list num) : Prop :=
  match l with [] => True | x :: l' => (forall y, In y l' -> y <= x) /\ desc l' end.

Lemma insert_desc x l : desc l -> exists l', Permutation (x :: l) l' /\ desc l'.
Proof.
  induction l as [|y l IH]; intros H.
  - exists [x]. split; [apply Permutation_refl|]. simpl. tauto.
  - destruct H as [H1 H2]. destruct (lt_le x y) as [Hxy|Hxy].
    + destruct (IH H2) as (l' & Hp & Hd). exists (y :: l'). split.
      * apply (Permutation_trans (perm_swap y x l)). apply perm_skip. exact Hp.
      * split; [|exact Hd]. intros z Hz. apply (Permutation_in z (Permutation_sym Hp)) in Hz.
        destruct Hz as [Hz|Hz]; [subst; lra|auto].
    + exists (x :: y :: l). split; [apply Permutation_refl|]. split; [|split; assumption].
      intros z [Hz|Hz]; [subst; exact Hxy|]. specialize (H1 z Hz). lra.
Qed.

Lemma sort_desc l : exists l', Permutation l l' /\ desc l'.
Proof.
  induction l as [|x l (l' & Hp & Hd)].
  - exists []. split; [apply Permutation_refl|simpl; trivial].
  - destruct (insert_desc x l' Hd) as (l2 & H1 & H2). exists l2. split; [|exact H2].
    apply (Permutation_trans (perm_skip x Hp) H1).
Qed.

Lemma desc_split pre p post : desc (pre ++ p :: post) -> forall x, In x pre -> p <= x.
Proof.
  induction pre as [|y pre IH]; simpl; [tauto|]. intros [H1 H2] x [e|H].
  - subst y. apply H1. apply in_or_app. right. left. reflexivity.
  - apply IH; assumption.
Qed.

(* list scheduling on initial loads R: p ends last, started at s, after the jobs pre *)
Lemma greedy (k : O) js : forall R : O -> num, (forall l, 0 <= R l) -> nonneg js -> js <> [] ->
  exists st pre p post s, js = pre ++ p :: post /\ 0 <= s /\
    (forall l, s <= R l + ld l pre st) /\
    (forall l, placed l js st <> [] -> R l + ld l js st <= s + p).
Proof.
  induction js as [|x js IH]; intros R HR Hn Hne; [congruence|].
  destruct (list_least (fun a b => R a <= R b) machines) as (m & _ & Hm).
  { intros a b. destruct (lt_le (R a) (R b)); [left|right]; lra. }
  { intros a b c. lra. }
  { intros E. generalize (machines_all k). rewrite E. intros []. }
  assert (Hm' : forall l, R m <= R l) by (intros l; apply Hm, machines_all).
  assert (Hx : 0 <= x) by (apply Hn; left; reflexivity).
  assert (First : forall st l, R m <= R l + ld l [] st).
  { intros st l. specialize (Hm' l). unfold Game.ld. simpl. lra. }
  destruct js as [|y js'].
  - exists (home m), [], x, [], (R m). split; [reflexivity|]. split; [apply HR|]. split; [apply First|].
    intros l. unfold Game.ld. simpl. unfold home. destruct (dec m l) as [e|n]; [|intros H; congruence].
    intros _. subst l. simpl. lra.
  - set (js := y :: js') in *.
    set (R' := fun l => R l + if dec m l then x else 0).
    assert (HR' : forall l, 0 <= R' l).
    { intros l. unfold R'. specialize (HR l). destruct (dec m l); lra. }
    destruct (IH R' HR') as (st & pre & p & post & s & E & Hs & H1 & H2).
    { intros z Hz. apply Hn. right. exact Hz. }
    { discriminate. }
    assert (Ec : forall js l, R l + ld l (x :: js) (scons m st) == R' l + ld l js st).
    { intros js0 l. assert (E1 := ld_cons l x js0 (scons m st)).
      change (scons m st 0%nat) with m in E1. change (fun n => scons m st (S n)) with st in E1.
      unfold R'. destruct (dec m l); lra. }
    assert (Hu : forall l, placed l (x :: js) (scons m st) <> [] ->
                  R' l + ld l js st <= s + p \/ R' l + ld l js st <= R m + x).
    { intros l Hl. destruct (placed l js st) as [|z r] eqn:Ez.
      - right. unfold Game.ld. rewrite Ez. unfold R'.
        change (placed l (x :: js) (scons m st)) with (if dec m l then x :: placed l js st else placed l js st) in Hl.
        destruct (dec m l) as [e|n]; [subst l; simpl; lra|congruence].
      - left. apply H2. rewrite Ez. discriminate. }
    destruct (lt_le (s + p) (R m + x)) as [G|G].
    + exists (scons m st), [], x, js, (R m). split; [reflexivity|]. split; [apply HR|]. split; [apply First|].
      intros l Hl. specialize (Ec js l). destruct (Hu l Hl); lra.
    + exists (scons m st), (x :: pre), p, post, s. split; [rewrite E; reflexivity|]. split; [exact Hs|]. split.
      * intros l. specialize (Ec pre l). specialize (H1 l). lra.
      * intros l Hl. specialize (Ec js l). destruct (Hu l Hl); lra.
Qed.

(* counting *)
Lemma sum_le_const (f : O -> num) T L : (forall l, In l L -> f l <= T) -> sum (map f L) <= ofnat (length L) * T.
Proof.
  induction L as [|b L IH]; intros H; simpl; [lra|].
  assert (f b <= T) by (apply H; left; reflexivity).
  assert (sum (map f L) <= ofnat (length L) * T) by (apply IH; intros l Hl; apply H; right; exact Hl). lra.
Qed.

Lemma sum_ge_const (f : O -> num) s L : (forall l, In l L -> s <= f l) -> ofnat (length L) * s <= sum (map f L).
Proof.
  induction L as [|b L IH]; intros H; simpl; [lra|].
  assert (s <= f b) by (apply H; left; reflexivity).
  assert (ofnat (length L) * s <= sum (map f L)) by (apply IH; intros l Hl; apply H; right; exact Hl). lra.
Qed.

(* all machines but those in E carry at least s *)
Lemma sum_ge_except (f : O -> num) s E : forall L, (forall l, 0 <= f l) -> 0 <= s -> NoDup L ->
  (forall l, In l L -> ~ In l E -> s <= f l) ->
  (ofnat (length L) - ofnat (length E)) * s <= sum (map f L).
Proof.
  induction E as [|e E IH]; intros L Hf Hs Hn H; simpl.
  - assert (G := sum_ge_const f s L (fun l Hl => H l Hl (fun x => x))). lra.
  - destruct (in_dec dec e L) as [Hi|Hi].
    + destruct (in_split e L Hi) as (L1 & L2 & EL). subst L.
      apply NoDup_remove in Hn. destruct Hn as [Hn He].
      assert (G := IH (L1 ++ L2) Hf Hs Hn). 
      assert (G2 : (ofnat (length (L1 ++ L2)) - ofnat (length E)) * s <= sum (map f (L1 ++ L2))).
      { apply G. intros l Hl HE. apply H.
        - apply in_app_or in Hl. apply in_or_app. destruct Hl; [left|right; right]; assumption.
        - intros [e'|H']; [subst; tauto|tauto]. }
      assert (EL : ofnat (length (L1 ++ e :: L2)) == ofnat (length (L1 ++ L2)) + 1).
      { rewrite !app_length. simpl. rewrite <- plus_n_Sm. simpl. lra. }
      rewrite map_app in *. simpl.
      generalize (sum_app (map f L1) (f e :: map f L2)) (sum_app (map f L1) (map f L2)). simpl.
      specialize (Hf e). intros E1 E2.
      assert ((ofnat (length (L1 ++ e :: L2)) - (ofnat (length E) + 1)) * s
              == (ofnat (length (L1 ++ L2)) - ofnat (length E)) * s) by (rewrite EL; ring).
      lra.
    + assert (G : (ofnat (length L) - ofnat (length E)) * s <= sum (map f L)).
      { apply IH; auto. intros l Hl HE. apply H; [exact Hl|]. intros [e'|H']; [subst; tauto|tauto]. }
      lra.
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

Lemma in_sum_le x L : nonneg L -> In x L -> x <= sum L.
Proof.
  intros Hn. induction L as [|y L IH]; simpl; [tauto|].
  assert (Hn' : nonneg L) by (intros z Hz; apply Hn; right; exact Hz).
  assert (0 <= y) by (apply Hn; left; reflexivity).
  generalize (sum_nonneg L Hn'). intros H0 [e|Hi]; [subst; lra|]. specialize (IH Hn' Hi). lra.
Qed.

(* number of jobs of length at least p *)
Definition big (p : num) (L : list num) : num := sum (map (fun x => if lt_le x p then 0 else 1) L).

Lemma big_le1 p L : nonneg L -> (sum L < p -> big p L <= 0) /\ (sum L < p + p -> big p L <= 1).
Proof.
  induction L as [|x L IH]; intros Hn; unfold big; simpl; [lra|].
  assert (Hn' : nonneg L) by (intros z Hz; apply Hn; right; exact Hz).
  assert (0 <= x) by (apply Hn; left; reflexivity).
  generalize (sum_nonneg L Hn'). intros H0. destruct (IH Hn') as [I1 I2]. fold (big p L).
  destruct (lt_le x p); split; intros G; try (assert (big p L <= 0) by (apply I1; lra); lra);
    try (assert (big p L <= 1) by (apply I2; lra); lra); lra.
Qed.

Lemma big_cons p x L : big p (x :: L) == (if lt_le x p then 0 else 1) + big p L.
Proof. unfold big. simpl. lra. Qed.

Lemma big_placed_cons p l x js s : big p (placed l (x :: js) s) ==
  (if dec (s 0%nat) l then (if lt_le x p then 0 else 1) else 0) + big p (placed l js (fun n => s (S n))).
Proof.
  simpl. destruct (dec (s 0%nat) l); [rewrite big_cons; lra|lra].
Qed.

Lemma big_total p js s : sum (map (fun l => big p (placed l js s)) machines) == big p js.
Proof.
  revert s; induction js as [|x js IH]; intros s.
  - unfold big. simpl. clear. induction machines; simpl; lra.
  - assert (E := sum_map_eq _ _ machines (fun l => big_placed_cons p l x js s)).
    assert (E2 := sum_map_plus (fun l => if dec (s 0%nat) l then (if lt_le x p then 0 else 1) else 0)
                    (fun l => big p (placed l js (fun n => s (S n)))) machines).
    assert (E3 := sum_point (s 0%nat) (if lt_le x p then 0 else 1) machines machines_nodup (machines_all _)).
    specialize (IH (fun n => s (S n))). simpl in E2. rewrite big_cons. lra.
Qed.

Lemma big_perm p L L' : Permutation L L' -> big p L == big p L'.
Proof. intros H. unfold big. apply sum_perm. apply Permutation_map. exact H. Qed.

Lemma big_nonneg p L : 0 <= big p L.
Proof. induction L as [|x L IH]; [unfold big; simpl; lra|rewrite big_cons; destruct (lt_le x p); lra]. Qed.

Lemma big_all p pre : (forall x, In x pre -> p <= x) -> big p pre == ofnat (length pre).
Proof.
  induction pre as [|x pre IH]; intros H; [unfold big; simpl; lra|]. rewrite big_cons. simpl.
  assert (p <= x) by (apply H; left; reflexivity).
  assert (big p pre == ofnat (length pre)) by (apply IH; intros y Hy; apply H; right; exact Hy).
  destruct (lt_le x p); lra.
Qed.

Lemma big_app p L L' : big p (L ++ L') == big p L + big p L'.
Proof. unfold big. rewrite map_app. apply sum_app. Qed.

Lemma sum_all_ge p pre : (forall x, In x pre -> p <= x) -> ofnat (length pre) * p <= sum pre.
Proof.
  induction pre as [|x pre IH]; intros H; simpl; [lra|].
  assert (p <= x) by (apply H; left; reflexivity).
  assert (ofnat (length pre) * p <= sum pre) by (apply IH; intros y Hy; apply H; right; exact Hy). lra.
Qed.

Lemma before_nodup a os : NoDup os -> NoDup (before a os).
Proof.
  induction 1 as [|b os Hb Hos IH]; simpl; [constructor|].
  destruct (dec b a); constructor; [|exact IH]. intros H. apply (before_in dec) in H. tauto.
Qed.

(* work of the others on l, whatever their priority; 0 on the own machine *)
Definition others (p : profile (O:=O)) (k l : O) : num :=
  if dec k l then 0 else sum (map (fun b => load p b l) (remove dec k machines)).

Lemma others_nonneg p k l : 0 <= others p k l.
Proof. unfold others. destruct (dec k l); [lra|]. apply sum_map_nonneg. intros; apply load_nonneg; auto. Qed.

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
  assert (H4 : Permutation machines (k :: remove dec k machines)).
  { apply NoDup_Permutation; [exact machines_nodup| |].
    - constructor; [rewrite in_remove_iff; tauto|apply remove_nodup; exact machines_nodup].
    - intros x. simpl. rewrite in_remove_iff. split; [|intros _; apply machines_all].
      intros H. destruct (dec x k); [left; congruence|right; auto]. }
  assert (H5 := sum_perm _ _ (Permutation_map work H4)). simpl in H5. lra.
Qed.

(* ---- the proof uses three properties of the cost function only ---- *)
Section Abstract.
Variable C : profile (O:=O) -> O -> num.
Hypothesis C_nonneg : forall p a, 0 <= C p a.
(* a reply costs a at most what it costs behind ALL work of the others (0 on the own machine) *)
Hypothesis C_reply : forall p a d c, 0 <= c ->
  (forall l, placed l (jobs a) d <> [] -> others p a l + ld l (jobs a) d <= c) -> C (deviate p a d) a <= c.
(* no machine is loaded beyond the makespan *)
Hypothesis C_total : forall q T l, 0 <= T -> (forall a, C q a <= T) -> total q l <= T.
Definition C_NE (p : profile (O:=O)) : Prop := forall a d, C p a <= C (deviate p a d) a.

(* what the proof of T3 knows about an equilibrium cost c: start s and length p of the last job of k's list
   reply, number q of the jobs before it, n machines, T the makespan of any profile *)
Lemma T3_facts p0 q0 T k : C_NE p0 -> (forall a, C q0 a <= T) -> jobs k <> [] ->
  exists (s p : num) (q : nat), let n := ofnat (length machines) in let Q := ofnat q in
    C p0 k <= s + p /\ 0 <= s /\ 0 <= p /\ p <= T /\
    n * s + p <= n * T /\                               (* (A) *)
    (n - Q) * s + (Q + 1) * p <= n * T /\               (* (B) *)
    (q = 0%nat -> s <= 0) /\
    (T < p + p -> Q + 1 <= n).
Proof.
  intros Hp Hq Hne.
  assert (HT : 0 <= T) by (generalize (Hq k) (C_nonneg q0 k); lra).
  destruct (sort_desc (jobs k)) as (js & Hperm & Hdesc).
  assert (Hjs : js <> []).
  { intros E. subst js. apply Permutation_sym in Hperm. apply Permutation_nil in Hperm. congruence. }
  assert (Hn : nonneg js).
  { intros x Hx. apply (jobs_nonneg k). apply (Permutation_in x (Permutation_sym Hperm) Hx). }
  destruct (greedy k js (others p0 k) (others_nonneg p0 k) Hn Hjs)
    as (st & pre & p & post & s & E & Hs & H1 & H2).
  destruct (placed_perm (jobs k) js Hperm st) as (d & Hd).
  assert (Ed : forall l, ld l (jobs k) d == ld l js st) by (intros l; apply sum_perm, Hd).
  assert (Hpin : In p js) by (rewrite E; apply in_or_app; right; left; reflexivity).
  assert (Hp0 : 0 <= p) by (apply Hn; exact Hpin).
  assert (Hc : C p0 k <= s + p).
  { assert (G : C (deviate p0 k d) k <= s + p); [|generalize (Hp k d); lra]. apply C_reply; [lra|]. intros l Hl.
    assert (Hl' : placed l js st <> []).
    { intros E'. specialize (Hd l). rewrite E' in Hd. apply Permutation_sym, Permutation_nil in Hd. congruence. }
    specialize (H2 l Hl'). generalize (Ed l). lra. }
  assert (Hpre : forall x, In x pre -> p <= x) by (apply (desc_split pre p post); rewrite <- E; exact Hdesc).
  assert (Hpost : 0 <= sum post).
  { apply sum_nonneg. intros x Hx. apply Hn. rewrite E. apply in_or_app. right. right. exact Hx. }
  assert (HW : sum (map work machines) <= ofnat (length machines) * T).
  { generalize (total_sum q0) (sum_le_const (total q0) T machines (fun l _ => C_total q0 T l HT Hq)). lra. }
  assert (Hk : sum pre + p <= work k).
  { unfold Game.work. generalize (sum_perm _ _ Hperm) (sum_app pre (p :: post)). rewrite <- E. simpl. lra. }
  assert (Ho := others_sum p0 k).
  exists s, p, (length pre). simpl. repeat split; try assumption.
  - (* p <= T *)
    destruct (in_placed p (jobs k) (q0 k)) as (l & Hl).
    { apply (Permutation_in p (Permutation_sym Hperm) Hpin). }
    assert (G := in_sum_le p _ (placed_nonneg dec jobs jobs_nonneg l k (q0 k)) Hl).
    generalize (load_le_total q0 k l) (C_total q0 T l HT Hq). unfold Game.load at 1, Game.ld. lra.
  - (* (A) *)
    assert (G := sum_ge_const (fun l => others p0 k l + ld l pre st) s machines (fun l _ => H1 l)).
    assert (G2 := sum_map_plus (others p0 k) (fun l => ld l pre st) machines). simpl in G2.
    assert (G3 := ld_total pre st). lra.
  - (* (B) *)
    assert (G := sum_ge_except (others p0 k) s (map st (seq 0 (length pre))) machines (others_nonneg p0 k) Hs machines_nodup).
    rewrite map_length, seq_length in G.
    assert (G2 : (ofnat (length machines) - ofnat (length pre)) * s <= sum (map (others p0 k) machines)).
    { apply G. intros l _ Hl. specialize (H1 l). unfold Game.ld in H1. rewrite (placed_unused l pre st Hl) in H1.
      simpl in H1. lra. }
    generalize (sum_all_ge p pre Hpre). lra.
  - (* q = 0 *)
    intros Eq. destruct pre; [|discriminate]. specialize (H1 k). unfold Game.ld, others in H1. simpl in H1.
    destruct (dec k k); [|congruence]. lra.
  - (* q + 1 jobs longer than T/2 *)
    intros HTp.
    assert (G1 : sum (map (fun l => big p (placed l (jobs k) (q0 k))) machines) <= ofnat (length machines) * 1).
    { apply sum_le_const. intros l _. apply big_le1; [apply placed_nonneg; auto|].
      generalize (load_le_total q0 k l) (C_total q0 T l HT Hq). unfold Game.load at 1, Game.ld. lra. }
    assert (G2 := big_total p (jobs k) (q0 k)). assert (G3 := big_perm p _ _ Hperm).
    rewrite E in G3. assert (G4 := big_app p pre (p :: post)). assert (G5 := big_cons p p post).
    assert (G6 := big_all p pre Hpre). assert (G7 := big_nonneg p post).
    destruct (lt_le p p); lra.
Qed.

Theorem upper_C p0 q0 T k : C_NE p0 -> (forall a, C q0 a <= T) ->
  (length machines = 2%nat -> 3 * C p0 k <= 4 * T) /\
  ((3 <= length machines)%nat ->
     let n := ofnat (length machines) in (n - 1) * C p0 k <= (2 * n - 3) * T).
Proof.
  intros Hp Hq.
  assert (HT : 0 <= T) by (generalize (Hq k) (C_nonneg q0 k); lra).
  assert (Hn3 : (3 <= length machines)%nat -> 3 <= ofnat (length machines)).
  { intros H. generalize (ofnat_le _ _ H). simpl. lra. }
  assert (Hn2 : length machines = 2%nat -> ofnat (length machines) == 2).
  { intros H. rewrite H. simpl. lra. }
  set (n := ofnat (length machines)) in *. set (c := C p0 k) in *.
  destruct (jobs k) as [|x0 r0] eqn:Ek.
  { assert (Hc0 : c <= 0).
    { assert (G : C (deviate p0 k (home k)) k <= 0); [|unfold c; generalize (Hp k (home k)); lra].
      apply C_reply; [lra|]. intros l Hl. rewrite Ek in Hl. simpl in Hl. congruence. }
    split; [intros _; lra|]. intros H. specialize (Hn3 H). simpl. nra. }
  assert (Hne : jobs k <> []) by (rewrite Ek; discriminate). clear Ek.
  destruct (T3_facts p0 q0 T k Hp Hq Hne) as (s & p & q & F). simpl in F. fold n c in F.
  set (Q := ofnat q) in *.
  destruct F as (F1 & F2 & F3 & F4 & FA & FB & Fq & Fp).
  destruct (lt_le T (p + p)) as [Hbig|Hsmall].
  - (* p > T/2 *)
    specialize (Fp Hbig).
    destruct q as [|q'].
    + specialize (Fq eq_refl). split; [intros _; lra|]. intros H; specialize (Hn3 H). simpl. nra.
    + assert (HQ : 1 <= Q) by (unfold Q; simpl; generalize (ofnat_nonneg q'); lra). clearbody Q. clear Fq.
      destruct (lt_le n (Q + Q + 1)) as [Hcase|Hcase].
      * (* 2q+1 > n: (A) and (B) together *)
        assert (G : (n + 1) * c <= 2 * n * T).
        { apply (mul_cancel Q); [lra|].
          assert (G1 : (Q + Q + 1 - n) * (n * s + p) <= (Q + Q + 1 - n) * (n * T)) by (apply mul_le; lra).
          assert (G2 : (n - 1) * ((n - Q) * s + (Q + 1) * p) <= (n - 1) * (n * T)) by (apply mul_le; lra).
          assert (G3 : Q * ((n + 1) * c) <= Q * ((n + 1) * (s + p))) by (apply mul_le; [lra|apply mul_le; lra]).
          lra. }
        split.
        -- intros H. specialize (Hn2 H). nra.
        -- intros H. specialize (Hn3 H). simpl. apply (mul_cancel (n + 1)); [lra|].
           assert (G1 : (n - 1) * ((n + 1) * c) <= (n - 1) * (2 * n * T)) by (apply mul_le; lra). nra.
      * split; [intros H; specialize (Hn2 H); exfalso; lra|].
        intros H; specialize (Hn3 H). simpl.
        assert (G : (n - Q) * c <= (2 * n - 2 * Q - 1) * T).
        { assert (G1 : (n - Q) * c <= (n - Q) * (s + p)) by (apply mul_le; lra).
          assert (G2 : (n - Q - Q - 1) * p <= (n - Q - Q - 1) * T) by (apply mul_le; lra). nra. }
        apply (mul_cancel (n - Q)); [lra|].
        assert (G1 : (n - 1) * ((n - Q) * c) <= (n - 1) * ((2 * n - 2 * Q - 1) * T)) by (apply mul_le; lra).
        assert (G2 : 0 <= (Q - 1) * T) by (apply mul_nonneg; lra). lra.
  - (* p <= T/2 *)
    assert (G : 1 < n -> 2 * (n * c) <= (3 * n - 1) * T).
    { intros Hn. assert (G1 : n * c <= n * (s + p)) by (apply mul_le; lra).
      assert (G2 : (n - 1) * (p + p) <= (n - 1) * T) by (apply mul_le; lra). nra. }
    split.
    + intros H. specialize (Hn2 H). assert (G' := G ltac:(lra)). nra.
    + intros H. specialize (Hn3 H). simpl. assert (G' := G ltac:(lra)).
      apply (mul_cancel (2 * n)); [lra|].
      assert (G1 : (n - 1) * (2 * (n * c)) <= (n - 1) * ((3 * n - 1) * T)) by (apply mul_le; lra).
      assert (G2 : 0 <= (n - 3) * n) by (apply mul_nonneg; lra).
      assert (G3 : 0 <= ((n - 3) * n + (n - 1)) * T) by (apply mul_nonneg; lra). lra.
Qed.
End Abstract.

(* priority to organizations *)
Theorem upper p0 q0 T k : equilibrium p0 -> (forall a, cost q0 a <= T) ->
  (length machines = 2%nat -> 3 * cost p0 k <= 4 * T) /\
  ((3 <= length machines)%nat ->
     let n := ofnat (length machines) in (n - 1) * cost p0 k <= (2 * n - 3) * T).
Proof.
  apply (upper_C cost).
  - intros p a. apply cost_nonneg; auto.
  - intros p a d c Hc H. apply dev_le; auto. split; [exact Hc|]. intros l Hl. specialize (H l Hl).
    generalize (ready_le_others p a l). lra.
  - exact total_le.
Qed.

(* ---- any order of the foreign jobs, also one that depends on the profile (priority to jobs is one) ---- *)
Section AnyOrder.
Definition block (p : profile (O:=O)) (b l : O) : list (O * num) := map (pair b) (placed l (jobs b) (p b)).
Variable foreign : profile (O:=O) -> O -> list (O * num).      (* what machine l runs after its owner's jobs *)
Hypothesis foreign_ok : forall p l, Permutation (foreign p l) (flat_map (fun b => block p b l) (remove dec l machines)).
Definition cost_any (p : profile (O:=O)) (a : O) : num :=
  fold_right nmax 0 (flat_map (fun l => ends dec a 0 (block p l l ++ foreign p l)) machines).

Definition lens (q : list (O * num)) : num := sum (map snd q).

Lemma lens_block p b l : lens (block p b l) = load p b l.
Proof. unfold lens, block. rewrite map_map. simpl. rewrite map_id. reflexivity. Qed.

Lemma lens_flat p l L : lens (flat_map (fun b => block p b l) L) == sum (map (fun b => load p b l) L).
Proof.
  induction L as [|b L IH]; simpl; [unfold lens; simpl; lra|]. unfold lens in *. rewrite map_app.
  generalize (sum_app (map snd (block p b l)) (map snd (flat_map (fun b => block p b l) L))).
  assert (E := lens_block p b l). unfold lens in E. rewrite E. lra.
Qed.

Lemma machines_perm k : Permutation machines (k :: remove dec k machines).
Proof.
  apply NoDup_Permutation; [exact machines_nodup| |].
  - constructor; [rewrite in_remove_iff; tauto|apply remove_nodup; exact machines_nodup].
  - intros x. simpl. rewrite in_remove_iff. split; [|intros _; apply machines_all].
    intros H. destruct (dec x k); [left; congruence|right; auto].
Qed.

Lemma lens_queue p l : lens (block p l l ++ foreign p l) == total p l.
Proof.
  unfold lens at 1. rewrite map_app.
  generalize (sum_app (map snd (block p l l)) (map snd (foreign p l))).
  generalize (sum_perm _ _ (Permutation_map snd (foreign_ok p l))).
  generalize (lens_flat p l (remove dec l machines)). unfold lens at 1.
  assert (E := lens_block p l l). unfold lens in E. rewrite E.
  unfold total. generalize (sum_perm _ _ (Permutation_map (fun b => load p b l) (machines_perm l))). simpl. lra.
Qed.

Lemma total_others p a l : a <> l -> total p l == others p a l + load p a l.
Proof.
  intros n. unfold total, others. destruct (dec a l); [congruence|].
  generalize (sum_perm _ _ (Permutation_map (fun b => load p b l) (machines_perm a))). simpl. lra.
Qed.

Lemma queue_in p l y : In y (block p l l ++ foreign p l) -> In (snd y) (placed l (jobs (fst y)) (p (fst y))) /\ 0 <= snd y.
Proof.
  intros H. assert (G : exists b, In y (block p b l)).
  { apply in_app_or in H. destruct H as [H|H]; [exists l; exact H|].
    apply (Permutation_in y (foreign_ok p l)) in H. apply in_flat_map in H. destruct H as (b & _ & H). exists b; exact H. }
  destruct G as (b & G). unfold block in G. apply in_map_iff in G. destruct G as (x & e & Hx). subst y. simpl.
  split; [exact Hx|]. apply (placed_nonneg dec jobs jobs_nonneg l b (p b) x Hx).
Qed.

Lemma ends_le a q : (forall y, In y q -> 0 <= snd y) -> forall t x, In x (ends dec a t q) ->
  x <= t + lens q /\ exists y, In y q /\ fst y = a.
Proof.
  induction q as [|[b z] q IH]; intros Hq t x; simpl; [tauto|].
  assert (Hz : 0 <= z) by (apply (Hq (b, z)); left; reflexivity).
  assert (Hq' : forall y, In y q -> 0 <= snd y) by (intros y Hy; apply Hq; right; exact Hy).
  assert (Hs : 0 <= lens q).
  { unfold lens. apply sum_nonneg. intros w Hw. apply in_map_iff in Hw. destruct Hw as (y & e & Hy). subst w. auto. }
  assert (E : lens ((b, z) :: q) = z + lens q) by reflexivity. rewrite E.
  destruct (dec b a) as [e|n].
  - intros [H|H].
    + subst x. split; [lra|]. exists (b, z). auto.
    + destruct (IH Hq' _ _ H) as (G & y & Hy & Hy2). split; [lra|]. exists y. auto.
  - intros H. destruct (IH Hq' _ _ H) as (G & y & Hy & Hy2). split; [lra|]. exists y. auto.
Qed.

Lemma ends_last a z q : forall t, exists x, In x (ends dec a t (q ++ [(a, z)])) /\ x == t + lens (q ++ [(a, z)]).
Proof.
  induction q as [|[b w] q IH]; intros t; simpl.
  - destruct (dec a a); [|congruence]. exists (t + z). split; [left; reflexivity|]. unfold lens. simpl. lra.
  - destruct (IH (t + w)) as (x & Hx & E). exists x.
    assert (E2 : lens ((b, w) :: q ++ [(a, z)]) = w + lens (q ++ [(a, z)])) by reflexivity.
    split; [destruct (dec b a); [right|]; exact Hx|]. rewrite E2. lra.
Qed.

Theorem upper_any p0 q0 T k :
  (forall a d, cost_any p0 a <= cost_any (deviate p0 a d) a) -> (forall a, cost_any q0 a <= T) ->
  (length machines = 2%nat -> 3 * cost_any p0 k <= 4 * T) /\
  ((3 <= length machines)%nat ->
     let n := ofnat (length machines) in (n - 1) * cost_any p0 k <= (2 * n - 3) * T).
Proof.
  apply (upper_C cost_any).
  - intros p a.
    destruct (proj1 (fold_max_le (flat_map (fun l => ends dec a 0 (block p l l ++ foreign p l)) machines) (cost_any p a))) as [G _];
      [|exact G].
    change (cost_any p a <= cost_any p a). lra.
  - intros p a d c Hc H. set (p' := deviate p a d).
    assert (Oth : forall l, others p' a l = others p a l).
    { intros l. unfold others. destruct (dec a l); [reflexivity|]. f_equal. apply map_ext_in. intros b Hb.
      apply in_remove_iff in Hb. unfold Game.load, p', Game.deviate. destruct (dec b a); [tauto|reflexivity]. }
    assert (Pa : p' a = d) by apply deviate_same.
    unfold cost_any. apply (proj2 (fold_max_le _ c)). split; [exact Hc|]. intros x Hx. apply in_flat_map in Hx. destruct Hx as (l & _ & Hx).
    destruct (dec a l) as [e|n].
    + subst l. revert x Hx. apply (proj2 (ends_block dec a 0 (placed a (jobs a) (p' a)) (foreign p' a) c
                 (placed_nonneg dec jobs jobs_nonneg a a (p' a))
                 ltac:(intros y Hy; apply (Permutation_in y (foreign_ok p' a)) in Hy; apply in_flat_map in Hy;
                       destruct Hy as (b & Hb & Hy); apply in_remove_iff in Hb; unfold block in Hy; apply in_map_iff in Hy;
                       destruct Hy as (w & e & _); subst y; simpl; tauto))).
      intros Hu. rewrite Pa in *. specialize (H a Hu). unfold others in H. destruct (dec a a); [|congruence].
      unfold Game.ld in H. lra.
    + destruct (ends_le a _ (fun y Hy => proj2 (queue_in p' l y Hy)) 0 x Hx) as (G & y & Hy & Ey).
      apply queue_in in Hy. rewrite Ey, Pa in Hy. destruct Hy as [Hy _].
      assert (Hu : placed l (jobs a) d <> []) by (intros e; rewrite e in Hy; destruct Hy).
      specialize (H l Hu). assert (L := lens_queue p' l). assert (T1 := total_others p' a l n). rewrite Oth in T1.
      unfold Game.load in T1. rewrite Pa in T1. lra.
  - intros q T' l HT H. assert (L := lens_queue q l).
    destruct (block q l l ++ foreign q l) as [|y0 r0] eqn:E.
    + unfold lens in L. simpl in L. lra.
    + assert (Hne : y0 :: r0 <> []) by discriminate.
      destruct (exists_last Hne) as (q' & [a z] & E2). rewrite E2 in *.
      destruct (ends_last a z q' 0) as (x & Hx & Ex).
      assert (x <= T'); [|lra].
      assert (Ha := H a). unfold cost_any in Ha. apply (proj1 (fold_max_le _ T')) in Ha. destruct Ha as [_ Ha]. apply Ha.
      apply in_flat_map. exists l. split; [apply machines_all|]. rewrite E. exact Hx.
Qed.
End AnyOrder.
End Upper.
