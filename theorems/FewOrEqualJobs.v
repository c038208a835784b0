(* At most two jobs, or equal jobs, in each organization (T2 in the documentation): a pure equilibrium exists, for
   every number of organizations and every priority, which may differ from machine to machine.

   Idea, in the order of the proof on paper. Jobs are started one after the other (loop): take a machine h of least
   load; of the organizations with unstarted jobs, the one that comes first on h starts its longest unstarted job
   there. (1) This is the schedule of a profile. (2) Seen by one organization, its jobs went, longest first, each to a
   machine that is free first for it, with the ready times of the FINAL profile: a list schedule (ListSchedule.v).
   Reason: whoever comes before it on h has nothing left, so nothing will be added before its job on h, and elsewhere
   loads only grow. (3) A list schedule, longest first, is a best reply for one or two jobs and for equal jobs
   (lpt_best): let the last job p start at s. Of two jobs, one is abroad or both are together; of equal jobs, any
   other placement has on some machine more of them than the list had when p was placed, and that machine was busy
   until s. *)
From Coq Require Import List Lia Permutation.
Require Import Numbers Game.
Require Export Sums Loads ListSchedule.
Import ListNotations.

Section FewOrEqual.
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
Notation lpt := (lpt dec).

(* ================= the event loop ================= *)
(* the first organization in the order os that has unstarted jobs *)
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

(* ready times for a if unstarted jobs J are placed by st on machines with loads R *)
Definition final (J : O -> list num) (R : O -> num) (st : profile (O:=O)) (a l : O) : num :=
  R l + sum (map (fun b => ld l (J b) (st b)) (before a (order l))).

(* one step: c starts its job x on h, the further jobs follow by st' *)
Section Step.
Variables (J : O -> list num) (R : O -> num) (h c : O) (x : num) (r : list num) (st' : profile (O:=O)).
Hypothesis J_nonneg : forall a, nonneg (J a).
Hypothesis h_least : forall l, R h <= R l.
Hypothesis Ec : J c = x :: r.
Hypothesis c_first : forall b, In b (before c (order h)) -> J b = [].
Definition J' (b : O) : list num := if dec b c then r else J b.
Definition R' (l : O) : num := R l + if dec h l then x else 0.
Definition st (b : O) : strategy := if dec b c then scons h (st' c) else st' b.
Hypothesis IH : forall a, lpt (final J' R' st' a) (J' a) (st' a).

Lemma ld_step b l :
  ld l (J b) (st b) == (if dec c b then (if dec h l then x else 0) else 0) + ld l (J' b) (st' b).
Proof.
  unfold J', st. destruct (dec c b) as [e|n]; [subst b|destruct (dec b c); [congruence|lra]].
  destruct (dec c c); [|congruence]. rewrite Ec. exact (ld_cons dec l x r (scons h (st' c))).
Qed.

Lemma step_starts : lpt (final J R st c) (J c) (st c).
Proof.
  assert (Est : st c = scons h (st' c)) by (unfold st; destruct (dec c c); congruence).
  rewrite Est, Ec. split; change (scons h (st' c) 0%nat) with h.
  - intros l. unfold final.
    assert (Z : sum (map (fun b => ld h (J b) (st b)) (before c (order h))) == 0).
    { apply sum_zero. intros b Hb. rewrite (c_first b Hb). unfold Game.ld. simpl. lra. }
    assert (P : 0 <= sum (map (fun b => ld l (J b) (st b)) (before c (order l)))).
    { apply sum_map_nonneg. intros b. apply sum_nonneg. intros y Hy. apply (J_nonneg b), (placed_in dec _ _ _ _ Hy). }
    specialize (h_least l). lra.
  - change (fun n => scons h (st' c) (S n)) with (st' c).
    assert (Er : J' c = r) by (unfold J'; destruct (dec c c); congruence).
    rewrite <- Er. apply (lpt_ext dec (J' c) _ _ (st' c)) with (2 := IH c). intros l. unfold final, R'.
    assert (E : sum (map (fun b => ld l (J' b) (st' b)) (before c (order l)))
                == sum (map (fun b => ld l (J b) (st b)) (before c (order l)))); [|lra].
    apply sum_map_eq_in. intros b Hb. apply (before_in dec) in Hb. generalize (ld_step b l).
    destruct (dec c b); [exfalso; destruct Hb; congruence|lra].
Qed.

Lemma step_others a : a <> c -> lpt (final J R st a) (J a) (st a).
Proof.
  intros n. assert (Es : st a = st' a /\ J' a = J a) by (unfold st, J'; destruct (dec a c); [congruence|auto]).
  destruct Es as [Es EJ]. rewrite Es. destruct (J a) as [|y ra] eqn:Ea; [exact I|]. rewrite <- Ea in *.
  rewrite <- EJ. apply (lpt_ext dec (J' a) _ _ (st' a)) with (2 := IH a). intros l. unfold final, R'.
  set (L := before a (order l)).
  assert (E := sum_map_eq _ _ L (fun b => ld_step b l)).
  assert (E2 := sum_map_plus (fun b => if dec c b then (if dec h l then x else 0) else 0)
                  (fun b => ld l (J' b) (st' b)) L).
  simpl in E2.
  assert (E3 : sum (map (fun b => if dec c b then (if dec h l then x else 0) else 0) L) == if dec h l then x else 0);
    [|lra].
  destruct (dec h l) as [e|n'].
  - subst l. apply sum_point; [apply before_nodup, order_nodup; exact prio_nodup|].
    destruct (before_total dec c a (order h) (not_eq_sym n) (order_all dec prio prio_all h c)
                (order_all dec prio prio_all h a)) as [H|H]; [exact H|].
    rewrite (c_first a H) in Ea. discriminate.
  - apply sum_zero. intros b _. destruct (dec c b); lra.
Qed.
End Step.

(* (1), (2): everybody's jobs are a list schedule on the final ready times *)
Lemma loop n : forall (J : O -> list num) (R : O -> num),
  (list_sum (map (fun b => length (J b)) machines) <= n)%nat -> (forall a, nonneg (J a)) ->
  exists st : profile (O:=O), forall a, lpt (final J R st a) (J a) (st a).
Proof.
  induction n as [|n IH]; intros J R Hlen HJ.
  - exists (fun b => home b). intros a.
    assert (G := list_sum_in (fun b => length (J b)) machines a (machines_all a)). simpl in G.
    destruct (J a); [exact I|simpl in G; lia].
  - assert (Dec : forall a, {J a = []} + {J a <> []})
      by (intros a; destruct (J a); [left; reflexivity|right; discriminate]).
    destruct (Forall_Exists_dec (fun a => J a = []) Dec machines) as [Hall|Hex].
    { exists (fun b => home b). intros a. rewrite Forall_forall in Hall. rewrite (Hall a (machines_all a)). exact I. }
    apply Exists_exists in Hex. destruct Hex as (a0 & _ & Ha0).
    destruct (least_value R machines) as (h & _ & Hh).
    { intros E. generalize (machines_all a0). rewrite E. intros []. }
    destruct (find_first J (order h) a0 (order_all dec prio prio_all h a0) Ha0) as (c & _ & Hc & Hfirst).
    destruct (J c) as [|x r] eqn:Ec; [congruence|].
    destruct (IH (J' J c r) (R' R h x)) as (st' & Hst').
    + assert (G : (list_sum (map (fun b => length (J' J c r b)) machines)
                   < list_sum (map (fun b => length (J b)) machines))%nat); [|lia].
      apply (list_sum_less _ _ machines c); [| |apply machines_all].
      * intros b. unfold J'. destruct (dec b c) as [e|]; [rewrite e, Ec; simpl; lia|lia].
      * unfold J'. destruct (dec c c); [|congruence]. rewrite Ec. simpl. lia.
    + intros b. unfold J'. destruct (dec b c); [|apply HJ]. intros y Hy. apply (HJ c). rewrite Ec. right. exact Hy.
    + exists (st h c st'). intros a. destruct (dec a c) as [e|nac].
      * subst a. apply (step_starts J R h c x r st'); auto.
      * apply (step_others J R h c x r st'); auto.
Qed.

(* ================= (3) the list schedule is a best reply ================= *)
Definition special (js : list num) : Prop := (length js <= 2)%nat \/ exists p, forall x, In x js -> x == p.

(* d ends by c; the last job p of the list schedule starts at s, after the jobs pre *)
Section BestReply.
Variables (R : O -> num) (st d : strategy (O:=O)) (pre post : list num) (p s c : num).
Notation js := (pre ++ p :: post).
Hypothesis js_nonneg : nonneg js.
Hypothesis js_desc : desc js.
Hypothesis busy : forall l, s <= R l + ld l pre st.
Hypothesis d_ends : forall l, placed l js d <> [] -> R l + ld l js d <= c.

Lemma first_of_all : pre = [] -> s + p <= c.
Proof.
  intros E. subst pre. simpl in *. assert (B := busy (d 0%nat)). unfold Game.ld in B. simpl in B.
  assert (D := d_ends (d 0%nat)). unfold Game.ld in D. simpl in D.
  destruct (dec (d 0%nat) (d 0%nat)); [|congruence]. specialize (D ltac:(discriminate)). simpl in D.
  assert (0 <= sum (placed (d 0%nat) post (fun n => d (S n)))); [|lra].
  apply sum_nonneg. intros y Hy. apply js_nonneg. right. exact (placed_in dec _ _ _ _ Hy).
Qed.

Lemma second_of_two x : pre = [x] -> post = [] -> s + p <= c.
Proof.
  intros E1 E2. subst pre post. simpl in *.
  assert (Hx : 0 <= x) by (apply js_nonneg; simpl; auto). assert (Hp : 0 <= p) by (apply js_nonneg; simpl; auto).
  assert (Hpx : p <= x) by (apply js_desc; auto).
  assert (Hu := busy (d 0%nat)). assert (Hv := busy (d 1%nat)).
  assert (Du := d_ends (d 0%nat)). assert (Dv := d_ends (d 1%nat)). unfold Game.ld in *. simpl in *.
  destruct (dec (d 0%nat) (d 0%nat)); [|congruence]. destruct (dec (d 1%nat) (d 1%nat)); [|congruence].
  specialize (Du ltac:(discriminate)).
  destruct (dec (d 1%nat) (d 0%nat)) as [e1|n1]; simpl in *.
  - destruct (dec (st 0%nat) (d 0%nat)); simpl in Hu; lra.
  - destruct (dec (d 0%nat) (d 1%nat)) as [e2|n2]; [congruence|]. specialize (Dv ltac:(discriminate)). simpl in Dv.
    destruct (dec (st 0%nat) (d 1%nat)) as [e3|n3]; simpl in Hv; [|lra].
    destruct (dec (st 0%nat) (d 0%nat)); [congruence|]. simpl in Hu. lra.
Qed.

(* d has more jobs on some machine than the list had when p was placed *)
Lemma more_somewhere (f g : O -> nat) L : (exists l, In l L /\ (f l < g l)%nat) \/ forall l, In l L -> (g l <= f l)%nat.
Proof.
  induction L as [|b L IH]; [right; simpl; tauto|].
  destruct IH as [(l & H1 & H2)|H]; [left; exists l; simpl; auto|].
  destruct (Compare_dec.le_lt_dec (g b) (f b)) as [Hb|Hb].
  - right. intros l [e|Hl]; [subst; exact Hb|auto].
  - left. exists b. simpl. auto.
Qed.

Lemma last_of_equal p0 : (forall x, In x js -> x == p0) -> s + p <= c.
Proof.
  intros Heq.
  assert (Hpre : forall x, In x pre -> x == p0) by (intros x Hx; apply Heq, in_or_app; auto).
  assert (Hp : p == p0) by (apply Heq, in_or_app; right; left; reflexivity).
  assert (Hp0 : 0 <= p) by (apply js_nonneg, in_or_app; right; left; reflexivity).
  assert (Count : forall L, (forall x, In x L -> x == p0) -> big p0 L == ofnat (length L)).
  { intros L HL. apply big_all. intros x Hx. specialize (HL x Hx). lra. }
  assert (Sd : forall l x, In x (placed l js d) -> x == p0) by (intros l x Hx; apply Heq, (placed_in dec _ _ _ _ Hx)).
  assert (Sp : forall l x, In x (placed l pre st) -> x == p0)
    by (intros l x Hx; apply Hpre, (placed_in dec _ _ _ _ Hx)).
  destruct (more_somewhere (fun l => length (placed l pre st)) (fun l => length (placed l js d)) machines)
    as [(l & _ & Hlt)|Hall].
  - specialize (d_ends l ltac:(intros e; rewrite e in Hlt; simpl in Hlt; lia)). specialize (busy l).
    assert (E1 := sum_equal p0 _ (Sd l)). assert (E2 := sum_equal p0 _ (Sp l)).
    assert (Hle := ofnat_le _ _ Hlt). simpl in Hle.
    assert (M := mul_le p0 _ _ ltac:(lra) Hle). unfold Game.ld in *. lra.
  - exfalso.
    assert (G : sum (map (fun l => big p0 (placed l js d)) machines)
                <= sum (map (fun l => big p0 (placed l pre st)) machines)).
    { apply sum_map_le. intros l Hl'. specialize (Hall l Hl'). simpl in Hall.
      generalize (Count _ (Sd l)) (Count _ (Sp l)) (ofnat_le _ _ Hall). lra. }
    generalize (big_total dec machines machines_all machines_nodup p0 js d)
      (big_total dec machines machines_all machines_nodup p0 pre st)
      (Count js Heq) (Count pre Hpre) (ofnat_nonneg (length post)).
    assert (Hlen : ofnat (length js) == ofnat (length pre) + ofnat (length post) + 1); [|lra].
    rewrite app_length. generalize (ofnat_plus (length pre) (length (p :: post))). simpl. lra.
Qed.
End BestReply.

Lemma lpt_best R js st d c : (forall l, 0 <= R l) -> nonneg js -> desc js -> special js ->
  lpt R js st -> 0 <= c -> (forall l, placed l js d <> [] -> R l + ld l js d <= c) ->
  forall l, placed l js st <> [] -> R l + ld l js st <= c.
Proof.
  intros HR Hn Hd Hs Hl Hc Hdev l Hu.
  assert (Hne : js <> []) by (intros e; subst js; simpl in Hu; congruence).
  destruct (lpt_last dec js R st HR Hn Hl Hne) as (pre & p & post & s & E & Hs0 & H1 & H2). specialize (H2 l Hu).
  assert (G : s + p <= c); [|lra]. subst js. destruct Hs as [Hlen|(p0 & Heq)].
  - destruct pre as [|x pre]; [apply (first_of_all R st d [] post p s c); auto|].
    rewrite app_length in Hlen. simpl in Hlen.
    destruct pre; [|simpl in Hlen; lia]. destruct post; [|simpl in Hlen; lia].
    apply (second_of_two R st d [x] [] p s c) with (x := x); auto.
  - apply (last_of_equal R st d pre post p s c) with (p0 := p0); auto.
Qed.

(* ================= the theorem ================= *)
Theorem few_or_equal_exists : (forall a, special (jobs a)) -> exists p, equilibrium p.
Proof.
  intros Hsp.
  (* J a: a's jobs, longest first; st: the loop's schedule; p: the same for the jobs in their own order *)
  destruct (choice dec machines machines_all _ (fun a J => Permutation (jobs a) J /\ desc J)
              (fun a => sort_desc (jobs a)) (fun _ => [])) as (J & HJ).
  assert (Jn : forall a, nonneg (J a)).
  { intros a x Hx. apply (jobs_nonneg a). apply (Permutation_in x (Permutation_sym (proj1 (HJ a))) Hx). }
  assert (Js : forall a, special (J a)).
  { intros a. destruct (HJ a) as [Hp _]. destruct (Hsp a) as [H|(p & H)].
    - left. rewrite <- (Permutation_length Hp). exact H.
    - right. exists p. intros x Hx. apply H. apply (Permutation_in x (Permutation_sym Hp) Hx). }
  destruct (loop _ J (fun _ => 0) (le_n _) Jn) as (st & Hst).
  destruct (choice dec machines machines_all _
    (fun a s => forall l, Permutation (placed l (jobs a) s) (placed l (J a) (st a)))
    (fun a => placed_perm dec (jobs a) (J a) (proj1 (HJ a)) (st a)) (fun b => home b)) as (p & Hp).
  exists p. intros a d.
  assert (El : forall b l, load p b l == ld l (J b) (st b)) by (intros b l; apply sum_perm, Hp).
  assert (EF : forall l, final J (fun _ => 0) st a l == ready p a l).
  { intros l. unfold final, Game.ready.
    generalize (sum_map_eq _ _ (before a (order l)) (fun b => El b l)). simpl. lra. }
  destruct (placed_perm dec (J a) (jobs a) (Permutation_sym (proj1 (HJ a))) d) as (d' & Hd').
  assert (Dev := proj1 (dev_le dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg p a d
                          (cost (deviate p a d) a)) ltac:(lra)).
  destruct Dev as [Hc Hdev]. apply cost_le; auto. split; [exact Hc|]. intros l Hu.
  assert (B : final J (fun _ => 0) st a l + ld l (J a) (st a) <= cost (deviate p a d) a);
    [|generalize (EF l) (El a l); lra].
  apply (lpt_best (final J (fun _ => 0) st a) (J a) (st a) d'); auto.
  - intros l'. generalize (EF l') (ready_nonneg dec jobs prio jobs_nonneg p a l'). lra.
  - apply HJ.
  - intros l' Hu'. assert (Ed := sum_perm _ _ (Hd' l')).
    assert (Hu2 : placed l' (jobs a) d <> []).
    { intros e. specialize (Hd' l'). rewrite e in Hd'. apply Permutation_sym, Permutation_nil in Hd'. congruence. }
    specialize (Hdev l' Hu2). generalize (EF l'). unfold Game.ld in *. lra.
  - intros e. specialize (Hp a l). rewrite e in Hp. apply Permutation_sym, Permutation_nil in Hp. congruence.
Qed.
End FewOrEqual.
