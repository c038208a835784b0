(* T2: at most two jobs, or jobs of one length, in each organization: a pure equilibrium exists, for every N
   and every priority (which may differ from machine to machine). *)
From Coq Require Import List Lia Permutation.
Require Import Numbers Game SharpPrice.
Import ListNotations.

Section T2.
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
Notation equilibrium := (equilibrium dec machines jobs prio).
Notation placed := (placed dec).
Notation before := (before dec).
Notation order := (order dec prio).

(* s is a list schedule of js (in this order) on the initial loads R: every job goes to a least loaded machine *)
Fixpoint lpt (R : O -> num) (js : list num) (s : strategy (O:=O)) : Prop :=
  match js with
  | [] => True
  | x :: js' => (forall l, R (s 0%nat) <= R l) /\
                lpt (fun l => R l + if dec (s 0%nat) l then x else 0) js' (fun n => s (S n))
  end.

Lemma lpt_ext js : forall R R' s, (forall l, R l == R' l) -> lpt R js s -> lpt R' js s.
Proof.
  induction js as [|x js IH]; intros R R' s E; simpl; [trivial|]. intros [H1 H2]. split.
  - intros l. generalize (E (s 0%nat)) (E l) (H1 l). lra.
  - revert H2. apply IH. intros l. generalize (E l). destruct (dec (s 0%nat) l); lra.
Qed.

(* the job p that ends last, its start s, the jobs pre before it *)
Lemma lpt_last js : forall R st, (forall l, 0 <= R l) -> nonneg js -> lpt R js st -> js <> [] ->
  exists pre p post s, js = pre ++ p :: post /\ 0 <= s /\
    (forall l, s <= R l + ld l pre st) /\
    (forall l, placed l js st <> [] -> R l + ld l js st <= s + p).
Proof.
  induction js as [|x js IH]; intros R st HR Hn Hl Hne; [congruence|].
  destruct Hl as [Hm Hl]. set (m := st 0%nat) in *.
  assert (Hx : 0 <= x) by (apply Hn; left; reflexivity).
  assert (First : forall l, R m <= R l + ld l [] st).
  { intros l. specialize (Hm l). unfold Game.ld. simpl. lra. }
  set (R' := fun l => R l + if dec m l then x else 0) in *.
  set (st' := fun n => st (S n)) in *.
  assert (Ec : forall js l, R l + ld l (x :: js) st == R' l + ld l js st').
  { intros js0 l. assert (E1 := ld_cons dec l x js0 st). fold m st' in E1.
    unfold R'. destruct (dec m l); lra. }
  destruct js as [|y js'].
  - exists [], x, [], (R m). split; [reflexivity|]. split; [apply HR|]. split; [exact First|].
    intros l. unfold Game.ld. simpl. fold m. destruct (dec m l) as [e|n]; [|intros H; congruence].
    intros _. subst l. simpl. lra.
  - set (js := y :: js') in *.
    assert (HR' : forall l, 0 <= R' l).
    { intros l. unfold R'. specialize (HR l). destruct (dec m l); lra. }
    destruct (IH R' st' HR') as (pre & p & post & s & E & Hs & H1 & H2); [|exact Hl|discriminate|].
    { intros z Hz. apply Hn. right. exact Hz. }
    assert (Hu : forall l, placed l (x :: js) st <> [] ->
                  R' l + ld l js st' <= s + p \/ R' l + ld l js st' <= R m + x).
    { intros l Hu. destruct (placed l js st') as [|z r] eqn:Ez.
      - right. unfold Game.ld. rewrite Ez. unfold R'.
        change (placed l (x :: js) st) with (if dec m l then x :: placed l js st' else placed l js st') in Hu.
        destruct (dec m l) as [e|n]; [rewrite <- e; simpl; lra|congruence].
      - left. apply H2. rewrite Ez. discriminate. }
    destruct (lt_le (s + p) (R m + x)) as [G|G].
    + exists [], x, js, (R m). split; [reflexivity|]. split; [apply HR|]. split; [exact First|].
      intros l Hl'. specialize (Ec js l). destruct (Hu l Hl'); lra.
    + exists (x :: pre), p, post, s. split; [rewrite E; reflexivity|]. split; [exact Hs|]. split.
      * intros l. specialize (Ec pre l). specialize (H1 l). lra.
      * intros l Hl'. specialize (Ec js l). destruct (Hu l Hl'); lra.
Qed.

(* ---------- the event loop ---------- *)
Lemma find_first (J : O -> list num) os a : In a os -> J a <> [] ->
  exists c, In c os /\ J c <> [] /\ forall b, In b (before c os) -> J b = [].
Proof.
  induction os as [|b os IH]; simpl; [tauto|]. intros Hi Ha.
  destruct (J b) as [|x r] eqn:Eb.
  - destruct Hi as [e|Hi]; [subst; congruence|].
    destruct (IH Hi Ha) as (c & H1 & H2 & H3). exists c. split; [auto|]. split; [exact H2|].
    intros b' Hb'. destruct (dec b c); [subst; congruence|]. destruct Hb' as [e|Hb']; [subst; exact Eb|auto].
  - exists b. split; [auto|]. split; [congruence|]. destruct (dec b b); [simpl; tauto|congruence].
Qed.

Lemma list_sum_less (f g : O -> nat) L c : (forall b, (g b <= f b)%nat) -> (g c < f c)%nat -> In c L ->
  (list_sum (map g L) < list_sum (map f L))%nat.
Proof.
  intros H Hc. assert (Hle : forall M, (list_sum (map g M) <= list_sum (map f M))%nat).
  { induction M as [|b M IH]; simpl; [lia|]. specialize (H b). lia. }
  induction L as [|b L IH]; simpl; [tauto|]. intros [e|Hi].
  - subst b. specialize (Hle L). lia.
  - specialize (IH Hi). specialize (H b). lia.
Qed.

Lemma list_sum_in (f : O -> nat) L c : In c L -> (f c <= list_sum (map f L))%nat.
Proof. induction L as [|b L IH]; simpl; [tauto|]. intros [e|Hi]; [subst; lia|specialize (IH Hi); lia]. Qed.

Lemma sum_zero {A : Type} (f : A -> num) L : (forall b, In b L -> f b == 0) -> sum (map f L) == 0.
Proof.
  induction L as [|b L IH]; intros H; simpl; [lra|].
  assert (f b == 0) by (apply H; left; reflexivity).
  assert (sum (map f L) == 0) by (apply IH; intros c Hc; apply H; right; exact Hc). lra.
Qed.

Lemma sum_map_eq_in (f g : O -> num) os : (forall b, In b os -> f b == g b) -> sum (map f os) == sum (map g os).
Proof.
  intros H; induction os as [|b os IH]; simpl; [lra|].
  assert (f b == g b) by (apply H; left; reflexivity).
  assert (sum (map f os) == sum (map g os)) by (apply IH; intros c Hc; apply H; right; exact Hc). lra.
Qed.

(* (1), (2): every organization's jobs are a list schedule on the FINAL ready times it sees *)
Lemma loop n : forall (J : O -> list num) (R : O -> num),
  (list_sum (map (fun b => length (J b)) machines) <= n)%nat -> (forall a, nonneg (J a)) ->
  exists st : profile (O:=O), forall a,
    lpt (fun l => R l + sum (map (fun b => ld l (J b) (st b)) (before a (order l)))) (J a) (st a).
Proof.
  induction n as [|n IH]; intros J R Hlen HJ.
  - exists (fun b => home b). intros a.
    assert (length (J a) = 0)%nat by (generalize (list_sum_in (fun b => length (J b)) machines a (machines_all a)); simpl; lia).
    destruct (J a); [exact I|discriminate].
  - destruct (Forall_Exists_dec (fun a => J a = []) (fun a => match J a as l return {l = []} + {l <> []} with [] => left eq_refl | _ :: _ => right (fun e => eq_ind (_ :: _) (fun l => match l with [] => False | _ => True end) I [] e) end) machines) as [Hall|Hex].
    { exists (fun b => home b). intros a. rewrite Forall_forall in Hall. rewrite (Hall a (machines_all a)). exact I. }
    apply Exists_exists in Hex. destruct Hex as (a0 & _ & Ha0).
    destruct (list_least (fun a b => R a <= R b) machines) as (h & _ & Hh).
    { intros a b. destruct (lt_le (R a) (R b)); [left|right]; lra. }
    { intros a b c. lra. }
    { intros E. generalize (machines_all a0). rewrite E. intros []. }
    destruct (find_first J (order h) a0 (order_all dec prio prio_all h a0) Ha0) as (c & _ & Hc & Hfirst).
    destruct (J c) as [|x r] eqn:Ec; [congruence|]. clear Hc.
    set (J' := fun b => if dec b c then r else J b).
    set (R' := fun l => R l + if dec h l then x else 0).
    assert (J'c : J' c = r) by (unfold J'; destruct (dec c c); congruence).
    assert (J'o : forall b, b <> c -> J' b = J b) by (intros b H; unfold J'; destruct (dec b c); congruence).
    destruct (IH J' R') as (st' & Hst').
    { assert (list_sum (map (fun b => length (J' b)) machines) < list_sum (map (fun b => length (J b)) machines))%nat; [|lia].
      apply (list_sum_less _ _ machines c); [| |apply machines_all].
      - intros b. unfold J'. destruct (dec b c) as [e|]; [rewrite e, Ec; simpl; lia|lia].
      - rewrite J'c, Ec. simpl. lia. }
    { intros b. unfold J'. destruct (dec b c); [|apply HJ]. intros y Hy. apply (HJ c). rewrite Ec. right. exact Hy. }
    exists (fun b => if dec b c then scons h (st' c) else st' b).
    set (st := fun b => if dec b c then scons h (st' c) else st' b).
    assert (stc : st c = scons h (st' c)) by (unfold st; destruct (dec c c); congruence).
    assert (sto : forall b, b <> c -> st b = st' b) by (intros b H; unfold st; destruct (dec b c); congruence).
    assert (Lc : forall l, ld l (J c) (st c) == (if dec h l then x else 0) + ld l (J' c) (st' c)).
    { intros l. rewrite stc, Ec, J'c. assert (E := ld_cons dec l x r (scons h (st' c))).
      change (scons h (st' c) 0%nat) with h in E. change (fun n => scons h (st' c) (S n)) with (st' c) in E. exact E. }
    intros a. change ((if dec a c then scons h (st' c) else st' a)) with (st a).
    destruct (dec a c) as [e|nac].
    + (* the organization that starts a job *)
      subst a. rewrite stc, Ec. split.
      * change (scons h (st' c) 0%nat) with h. intros l. cbv beta.
        assert (Z : sum (map (fun b => ld h (J b) (st b)) (before c (order h))) == 0).
        { apply sum_zero. intros b Hb. rewrite (Hfirst b Hb). unfold Game.ld. simpl. lra. }
        assert (P : 0 <= sum (map (fun b => ld l (J b) (st b)) (before c (order l)))).
        { apply sum_map_nonneg. intros b. apply sum_nonneg. intros y Hy. apply (HJ b). exact (placed_in dec _ _ _ _ Hy). }
        generalize (Hh l (machines_all l)). unfold st in Z, P. lra.
      * change (scons h (st' c) 0%nat) with h. change (fun n => scons h (st' c) (S n)) with (st' c).
        rewrite <- J'c. apply (lpt_ext (J' c) _ _ (st' c)) with (2 := Hst' c). intros l.
        assert (E : sum (map (fun b => ld l (J' b) (st' b)) (before c (order l)))
                    == sum (map (fun b => ld l (J b) (st b)) (before c (order l)))).
        { apply sum_map_eq_in. intros b Hb. apply (before_in dec) in Hb. destruct Hb as [_ Hb].
          rewrite (J'o b Hb), (sto b Hb). lra. }
        unfold st in E. unfold R'. lra.
    + (* the others *)
      rewrite (sto a nac). destruct (J a) as [|y ra] eqn:Ea; [exact I|]. rewrite <- Ea.
      rewrite <- (J'o a nac). apply (lpt_ext (J' a) _ _ (st' a)) with (2 := Hst' a). intros l.
      set (L := before a (order l)).
      assert (E : sum (map (fun b => ld l (J b) (st b)) L) ==
                  sum (map (fun b => (if dec c b then (if dec h l then x else 0) else 0) + ld l (J' b) (st' b)) L)).
      { apply sum_map_eq. intros b. destruct (dec c b) as [e|n'].
        - subst b. apply Lc.
        - rewrite (J'o b), (sto b) by congruence. lra. }
      assert (E2 := sum_map_plus (fun b => if dec c b then (if dec h l then x else 0) else 0) (fun b => ld l (J' b) (st' b)) L).
      simpl in E2.
      assert (E3 : sum (map (fun b => if dec c b then (if dec h l then x else 0) else 0) L) == if dec h l then x else 0).
      { destruct (dec h l) as [e|n'].
        - subst l. apply sum_point.
          + apply before_nodup, order_nodup. exact prio_nodup.
          + destruct (before_total dec c a (order h) (not_eq_sym nac) (order_all dec prio prio_all h c) (order_all dec prio prio_all h a)) as [H|H]; [exact H|].
            rewrite (Hfirst a H) in Ea. discriminate.
        - apply sum_zero. intros b _. destruct (dec c b); lra. }
      unfold st in E. unfold R'. lra.
Qed.


(* ---------- (3): the list schedule is a best reply ---------- *)
Lemma more_somewhere (f g : O -> nat) L : (exists l, In l L /\ (f l < g l)%nat) \/ forall l, In l L -> (g l <= f l)%nat.
Proof.
  induction L as [|b L IH]; [right; simpl; tauto|].
  destruct IH as [(l & H1 & H2)|H]; [left; exists l; simpl; auto|].
  destruct (Compare_dec.le_lt_dec (g b) (f b)) as [Hb|Hb].
  - right. intros l [e|Hl]; [subst; exact Hb|auto].
  - left. exists b. simpl. auto.
Qed.

Lemma sum_equal p L : (forall x, In x L -> x == p) -> sum L == ofnat (length L) * p.
Proof.
  induction L as [|x L IH]; intros H; simpl; [lra|].
  assert (x == p) by (apply H; left; reflexivity).
  assert (sum L == ofnat (length L) * p) by (apply IH; intros y Hy; apply H; right; exact Hy). lra.
Qed.

Definition special (js : list num) : Prop := (length js <= 2)%nat \/ exists p, forall x, In x js -> x == p.

Lemma lpt_best R js st d c : (forall l, 0 <= R l) -> nonneg js -> desc js -> special js ->
  lpt R js st -> 0 <= c -> (forall l, placed l js d <> [] -> R l + ld l js d <= c) ->
  forall l, placed l js st <> [] -> R l + ld l js st <= c.
Proof.
  intros HR Hn Hd Hs Hl Hc Hdev.
  destruct js as [|x0 r0] eqn:Ejs; [intros l H; simpl in H; congruence|]. rewrite <- Ejs in *.
  assert (Hne : js <> []) by (rewrite Ejs; discriminate).
  destruct (lpt_last js R st HR Hn Hl Hne) as (pre & p & post & s & E & Hs0 & H1 & H2).
  assert (G : s + p <= c); [|intros l Hu; specialize (H2 l Hu); lra].
  destruct Hs as [Hlen|(p0 & Heq)].
  - (* at most two jobs *)
    destruct js as [|x [|y [|z r]]]; [congruence| | |simpl in Hlen; lia].
    + destruct pre as [|? [|? ?]]; simpl in E; inversion E; subst.
      specialize (H1 (d 0%nat)). specialize (Hdev (d 0%nat)). unfold Game.ld in *. simpl in *.
      destruct (dec (d 0%nat) (d 0%nat)); [|congruence]. simpl in *.
      assert (G : p :: [] <> []) by discriminate. specialize (Hdev G). lra.
    + assert (Hx : 0 <= x) by (apply Hn; simpl; auto). assert (Hy : 0 <= y) by (apply Hn; simpl; auto).
      assert (Hyx : y <= x) by (simpl in Hd; apply Hd; auto).
      assert (Du : R (d 0%nat) + x <= c).
      { specialize (Hdev (d 0%nat)). unfold Game.ld in Hdev. simpl in Hdev.
        destruct (dec (d 0%nat) (d 0%nat)); [|congruence]. simpl in Hdev.
        destruct (dec (d 1%nat) (d 0%nat)); simpl in Hdev; specialize (Hdev ltac:(discriminate)); lra. }
      assert (Dv : R (d 1%nat) + y <= c).
      { specialize (Hdev (d 1%nat)). unfold Game.ld in Hdev. simpl in Hdev.
        destruct (dec (d 1%nat) (d 1%nat)); [|congruence]. simpl in Hdev.
        destruct (dec (d 0%nat) (d 1%nat)); simpl in Hdev; specialize (Hdev ltac:(discriminate)); lra. }
      assert (Duv : d 0%nat = d 1%nat -> R (d 0%nat) + x + y <= c).
      { intros e. specialize (Hdev (d 0%nat)). unfold Game.ld in Hdev. simpl in Hdev. rewrite <- e in Hdev.
        destruct (dec (d 0%nat) (d 0%nat)); [|congruence]. simpl in Hdev.
        specialize (Hdev ltac:(discriminate)). lra. }
      destruct pre as [|x1 [|y1 [|? ?]]]; simpl in E; inversion E; subst.
      * specialize (H1 (d 0%nat)). unfold Game.ld in H1. simpl in H1. lra.
      * assert (Hu := H1 (d 0%nat)). assert (Hv := H1 (d 1%nat)). unfold Game.ld in Hu, Hv. simpl in Hu, Hv.
        destruct (dec (d 0%nat) (d 1%nat)) as [e|n].
        -- specialize (Duv e). destruct (dec (st 0%nat) (d 0%nat)); simpl in Hu; lra.
        -- destruct (dec (st 0%nat) (d 1%nat)) as [e1|n1]; simpl in Hv; [|lra].
           destruct (dec (st 0%nat) (d 0%nat)); [congruence|]. simpl in Hu. lra.
  - (* equal jobs *)
    assert (Hpre : forall x, In x pre -> x == p0) by (intros x Hx; apply Heq; rewrite E; apply in_or_app; auto).
    assert (Hp : p == p0) by (apply Heq; rewrite E; apply in_or_app; right; left; reflexivity).
    assert (Hp0 : 0 <= p0) by (assert (0 <= p) by (apply Hn; rewrite E; apply in_or_app; right; left; reflexivity); lra).
    assert (Eb : forall L, (forall x, In x L -> x == p0) -> big p0 L == ofnat (length L)).
    { intros L HL. apply big_all. intros x Hx. specialize (HL x Hx). lra. }
    assert (Bd := big_total dec machines machines_all machines_nodup p0 js d).
    assert (Bp := big_total dec machines machines_all machines_nodup p0 pre st).
    assert (Bj := Eb js Heq). assert (Bpre := Eb pre Hpre).
    assert (Hlen : ofnat (length js) == ofnat (length pre) + ofnat (length post) + 1).
    { rewrite E, app_length. generalize (ofnat_plus (length pre) (length (p :: post))). simpl. lra. }
    assert (Sd : forall l x, In x (placed l js d) -> x == p0) by (intros l x Hx; apply Heq; exact (placed_in dec _ _ _ _ Hx)).
    assert (Sp : forall l x, In x (placed l pre st) -> x == p0) by (intros l x Hx; apply Hpre; exact (placed_in dec _ _ _ _ Hx)).
    destruct (more_somewhere (fun l => length (placed l pre st)) (fun l => length (placed l js d)) machines)
      as [(l & _ & Hlt)|Hall].
    + assert (Hu : placed l js d <> []) by (intros e; rewrite e in Hlt; simpl in Hlt; lia).
      specialize (Hdev l Hu). specialize (H1 l).
      assert (E1 := sum_equal p0 _ (Sd l)). assert (E2 := sum_equal p0 _ (Sp l)).
      assert (Hle := ofnat_le _ _ Hlt). simpl in Hle.
      assert (M := mul_le p0 _ _ Hp0 Hle). unfold Game.ld in *. lra.
    + exfalso.
      assert (sum (map (fun l => big p0 (placed l js d)) machines) <= sum (map (fun l => big p0 (placed l pre st)) machines)).
      { apply sum_map_le. intros l Hl'. specialize (Hall l Hl'). simpl in Hall.
        generalize (Eb _ (Sd l)) (Eb _ (Sp l)) (ofnat_le _ _ Hall). lra. }
      generalize (ofnat_nonneg (length post)). lra.
Qed.

(* finite choice *)
Lemma choice {A : Type} (P : O -> A -> Prop) : (forall a, exists x, P a x) -> (O -> A) -> exists f, forall a, P a (f a).
Proof.
  intros H f0.
  assert (G : forall L, exists f, forall a, In a L -> P a (f a)).
  { induction L as [|b L (f & Hf)]; [exists f0; simpl; tauto|].
    destruct (H b) as (x & Hx). exists (fun a => if dec a b then x else f a).
    intros a Ha. destruct (dec a b) as [e|n]; [subst; exact Hx|]. apply Hf. destruct Ha; [congruence|assumption]. }
  destruct (G machines) as (f & Hf). exists f. intros a. apply Hf, machines_all.
Qed.

Theorem T2 : (forall a, special (jobs a)) -> exists p, equilibrium p.
Proof.
  intros Hsp.
  destruct (choice (fun a J => Permutation (jobs a) J /\ desc J) (fun a => sort_desc (jobs a)) (fun _ => [])) as (J & HJ).
  assert (Jn : forall a, nonneg (J a)).
  { intros a x Hx. apply (jobs_nonneg a). apply (Permutation_in x (Permutation_sym (proj1 (HJ a))) Hx). }
  assert (Js : forall a, special (J a)).
  { intros a. destruct (HJ a) as [Hp _]. destruct (Hsp a) as [H|(p & H)].
    - left. rewrite <- (Permutation_length Hp). exact H.
    - right. exists p. intros x Hx. apply H. apply (Permutation_in x (Permutation_sym Hp) Hx). }
  destruct (loop _ J (fun _ => 0) (le_n _) Jn) as (st & Hst).
  destruct (choice (fun a s => forall l, Permutation (placed l (jobs a) s) (placed l (J a) (st a)))
    (fun a => placed_perm dec (jobs a) (J a) (proj1 (HJ a)) (st a)) (fun b => home b)) as (p & Hp).
  exists p. intros a d.
  assert (El : forall b l, load p b l == ld l (J b) (st b)) by (intros b l; apply sum_perm, Hp).
  assert (Er : forall l, ready p a l == sum (map (fun b => ld l (J b) (st b)) (before a (order l)))).
  { intros l. unfold Game.ready. apply sum_map_eq. intros b. apply El. }
  destruct (placed_perm dec (J a) (jobs a) (Permutation_sym (proj1 (HJ a))) d) as (d' & Hd').
  assert (Ed : forall l, ld l (J a) d' == ld l (jobs a) d) by (intros l; apply sum_perm, Hd').
  set (c := cost (deviate p a d) a).
  assert (Hc : 0 <= c) by (apply dev_nonneg; auto).
  assert (Hdev : forall l, placed l (jobs a) d <> [] -> ready p a l + ld l (jobs a) d <= c).
  { apply (proj1 (dev_le dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg p a d c)). unfold c. lra. }
  apply cost_le; auto. split; [exact Hc|]. intros l Hu.
  set (F := fun l => 0 + sum (map (fun b => ld l (J b) (st b)) (before a (order l)))).
  assert (EF : forall l, F l == ready p a l) by (intros l'; unfold F; generalize (Er l'); lra).
  assert (B : F l + ld l (J a) (st a) <= c).
  { apply (lpt_best F (J a) (st a) d' c); auto.
    - intros l'. generalize (EF l') (ready_nonneg dec jobs prio jobs_nonneg p a l'). lra.
    - apply HJ.
    - apply Hst.
    - intros l' Hu'. generalize (EF l') (Ed l').
      assert (Hu2 : placed l' (jobs a) d <> []).
      { intros e. specialize (Hd' l'). rewrite e in Hd'. apply Permutation_sym, Permutation_nil in Hd'. congruence. }
      specialize (Hdev l' Hu2). lra.
    - intros e. specialize (Hp a l). rewrite e in Hp. apply Permutation_sym, Permutation_nil in Hp. congruence. }
  generalize (EF l) (El a l). lra.
Qed.
End T2.
Check T2.
