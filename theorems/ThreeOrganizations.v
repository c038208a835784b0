(* T1: three organizations, one machine each, priority to organizations: a pure equilibrium always exists. *)
From Coq Require Import List Lia Permutation.
Require Import Numbers Game.
Import ListNotations.

Section Three.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variable machines : list O.
Variable jobs : O -> list num.
Variable prio : O -> list O.
Hypothesis machines_all : forall l, In l machines.
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
Notation merge := (merge dec).

Variables i j k : O.
Hypothesis ij : i <> j.
Hypothesis ik : i <> k.
Hypothesis jk : j <> k.
Hypothesis only : forall x, x = i \/ x = j \/ x = k.
Hypothesis prio_k : In i (before dec j (order dec prio k)).   (* i before j on k's machine *)
Hypothesis least_i : work k <= work i.
Hypothesis least_j : work k <= work j.

Lemma ld_three js d : ld i js d + ld j js d + ld k js d == sum js.
Proof.
  unfold Game.ld. revert d; induction js as [|x js IH]; intros d; simpl; [lra|].
  specialize (IH (fun n => d (S n))).
  destruct (dec (d 0%nat) i), (dec (d 0%nat) j), (dec (d 0%nat) k); simpl; try lra; try congruence.
  exfalso. destruct (only (d 0%nat)) as [H|[H|H]]; congruence.
Qed.

(* i sees k's machine ready when k's own jobs there are done *)
Lemma ready_i_k p : ready p i k == load p k k.
Proof.
  unfold Game.ready, order. simpl. destruct (dec k i); [congruence|]. simpl.
  assert (E : before dec i (remove dec k (prio k)) = []).
  { destruct (before dec i (remove dec k (prio k))) as [|b l] eqn:E; [reflexivity|exfalso].
    assert (Hb : In b (before dec i (remove dec k (prio k)))) by (rewrite E; left; reflexivity).
    generalize (before_in dec _ _ _ Hb). intros [H1 H2].
    apply (in_remove_iff dec) in H1. destruct H1 as [_ H1].
    assert (b = j) by (destruct (only b) as [H|[H|H]]; congruence). subst b.
    apply (before_asym dec i j (order dec prio k)); [exact prio_k|].
    unfold order. simpl. destruct (dec k i); [congruence|]. right. exact Hb. }
  rewrite E. simpl. lra.
Qed.

Definition prof (di dj : strategy (O:=O)) : profile (O:=O) :=
  fun b => if dec b i then di else if dec b j then dj else home k.

Lemma prof_i di dj : prof di dj i = di.
Proof. unfold prof. destruct (dec i i); congruence. Qed.
Lemma prof_j di dj : prof di dj j = dj.
Proof. unfold prof. destruct (dec j i); [congruence|]. destruct (dec j j); congruence. Qed.
Lemma prof_k di dj : prof di dj k = home k.
Proof. unfold prof. destruct (dec k i); [congruence|]. destruct (dec k j); congruence. Qed.

Lemma k_load di dj : load (prof di dj) k k == work k.
Proof. unfold Game.load. rewrite prof_k. rewrite ld_home. reflexivity. Qed.

(* lower bounds of the ready times *)
Lemma r_i_k di dj : ready (prof di dj) i k == work k.
Proof. generalize (ready_i_k (prof di dj)) (k_load di dj). lra. Qed.
Lemma r_i_j di dj : ld j (jobs j) dj <= ready (prof di dj) i j.
Proof.
  generalize (ready_ge_owner dec jobs prio jobs_nonneg (prof di dj) i j (not_eq_sym ij)).
  unfold Game.load. rewrite prof_j. auto.
Qed.
Lemma r_j_i di dj : ld i (jobs i) di <= ready (prof di dj) j i.
Proof.
  generalize (ready_ge_owner dec jobs prio jobs_nonneg (prof di dj) j i ij).
  unfold Game.load. rewrite prof_i. auto.
Qed.
Lemma r_j_k di dj : work k + ld k (jobs i) di <= ready (prof di dj) j k.
Proof.
  generalize (ready_ge_owner_before dec jobs prio jobs_nonneg (prof di dj) j i k
    (not_eq_sym jk) (not_eq_sym ik) prio_k).
  generalize (k_load di dj). unfold Game.load. rewrite prof_i. lra.
Qed.
Lemma r_k_i di dj : ld i (jobs i) di <= ready (prof di dj) k i.
Proof.
  generalize (ready_ge_owner dec jobs prio jobs_nonneg (prof di dj) k i ik).
  unfold Game.load. rewrite prof_i. auto.
Qed.
Lemma r_k_j di dj : ld j (jobs j) dj <= ready (prof di dj) k j.
Proof.
  generalize (ready_ge_owner dec jobs prio jobs_nonneg (prof di dj) k j jk).
  unfold Game.load. rewrite prof_j. auto.
Qed.

Lemma dev_i di dj d : cost (deviate (prof di dj) i d) i = cost (prof d dj) i.
Proof.
  apply cost_ext. intros b. unfold Game.deviate, prof.
  destruct (dec b i); reflexivity.
Qed.
Lemma dev_j di dj d : cost (deviate (prof di dj) j d) j = cost (prof di d) j.
Proof.
  apply cost_ext. intros b. unfold Game.deviate, prof.
  destruct (dec b j), (dec b i); try reflexivity. congruence.
Qed.

(* (4) k is content *)
Lemma k_content di dj : work k <= ld i (jobs i) di -> work k <= ld j (jobs j) dj ->
  forall d, cost (prof di dj) k <= cost (deviate (prof di dj) k d) k.
Proof.
  intros H1 H2. apply home_content; auto.
  - apply prof_k.
  - intros l n. destruct (only l) as [e|[e|e]]; subst l; [| |congruence].
    + generalize (r_k_i di dj). lra.
    + generalize (r_k_j di dj). lra.
Qed.

(* the best split of i *)
Definition x_ (d : strategy (O:=O)) := ld i (jobs i) d.
Definition z_ (d : strategy (O:=O)) := ld k (jobs i) d.
Definition is_split (d : strategy (O:=O)) := forall t, In (d t) [i; k].
Definition value (d : strategy (O:=O)) := nmax (x_ d) (work k + z_ d).

Lemma split_placed d : is_split d -> placed j (jobs i) d = [].
Proof.
  generalize (jobs i). intros js. revert d.
  induction js as [|y js IH]; intros d H; simpl; [reflexivity|].
  rewrite (IH (fun n => d (S n))); [|intros t; apply H].
  destruct (dec (d 0%nat) j) as [e|n]; [|reflexivity].
  exfalso. specialize (H 0%nat). rewrite e in H. simpl in H.
  destruct H as [H|[H|[]]]; congruence.
Qed.

Lemma split_sum d : is_split d -> x_ d + z_ d == work i.
Proof.
  intros H. generalize (ld_three (jobs i) d). unfold x_, z_, Game.work.
  unfold Game.ld at 2. rewrite (split_placed d H). simpl. lra.
Qed.

Lemma best_split : exists d, is_split d /\
  forall d', is_split d' -> value d <= value d' /\ (value d' <= value d -> x_ d' <= x_ d).
Proof.
  apply (best_strategy (jobs i) [i; k] value x_); [discriminate|].
  intros s s' H. unfold value, x_, z_, Game.ld.
  rewrite (placed_ext dec i (jobs i) s s' H), (placed_ext dec k (jobs i) s s' H). lra.
Qed.

Theorem three_core : exists p, equilibrium p.
Proof.
  destruct best_split as (sp & Hsp & Hbest).
  set (C := value sp) in *. set (x := x_ sp) in *. set (z := z_ sp) in *. set (s := work k).
  assert (Hxz : x + z == work i) by (apply split_sum; exact Hsp).
  assert (Hs0 : 0 <= s) by (apply work_nonneg, jobs_nonneg).
  assert (Hx0 : 0 <= x) by (apply ld_nonneg, jobs_nonneg).
  assert (Hz0 : 0 <= z) by (apply ld_nonneg, jobs_nonneg).
  assert (HC : x <= C /\ s + z <= C).
  { apply (proj1 (nmax_le x (s + z) C)). unfold C, value, x, z, s. lra. }
  (* every split d, given by its loads: C <= max *)
  assert (Hsplit : forall d c, is_split d -> x_ d <= c -> s + z_ d <= c -> C <= c).
  { intros d c Hd H1 H2. destruct (Hbest d Hd) as [H _].
    assert (value d <= c) by (unfold value; apply nmax_le; split; assumption). lra. }
  assert (Hhome : is_split (home i)) by (intros t; left; reflexivity).
  assert (Eh : x_ (home i) == work i) by (unfold x_; rewrite ld_home; reflexivity).
  assert (Ez : z_ (home i) == 0).
  { generalize (split_sum (home i) Hhome). lra. }
  (* (1) *)
  assert (Hxs : s <= x).
  { destruct (lt_le x s) as [H|H]; [|exact H].
    destruct (lt_le 0 z) as [Hz|Hz]; [|unfold s in *; lra].
    assert (G : x_ (home i) <= x).
    { apply (Hbest (home i) Hhome). unfold value at 1. apply nmax_le. fold s. lra. }
    lra. }
  (* merging a foreign machine into home or into k yields a split *)
  assert (Msplit : forall d v, (v = i \/ v = k) -> is_split (merge j v d)).
  { intros d v Hv t. unfold Game.merge. destruct (dec (d t) j) as [e|n].
    - destruct Hv; subst; simpl; auto.
    - destruct (only (d t)) as [H|[H|H]]; [rewrite H; simpl; auto|congruence|rewrite H; simpl; auto]. }
  assert (Mi : forall d, x_ (merge j i d) == x_ d + ld j (jobs i) d /\ z_ (merge j i d) == z_ d).
  { intros d. split.
    - unfold x_. generalize (merge_to dec j i (jobs i) d (not_eq_sym ij)). lra.
    - unfold z_, Game.ld. rewrite merge_other by congruence. lra. }
  assert (Mk : forall d, z_ (merge j k d) == z_ d + ld j (jobs i) d /\ x_ (merge j k d) == x_ d).
  { intros d. split.
    - unfold z_. generalize (merge_to dec j k (jobs i) d jk). lra.
    - unfold x_, Game.ld. rewrite merge_other by congruence. lra. }
  (* (3): a reply of i against (dj, k home) that costs less than C *)
  assert (Three : forall di dj d,
     cost (deviate (prof di dj) i d) i < C ->
     let y := ld j (jobs j) dj in y < x_ d /\ y < s + z_ d /\ x_ d <= work i + s - C).
  { intros di dj d Hlt y.
    assert (Hc0 := dev_nonneg dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg (prof di dj) i d).
    assert (Hi : 0 < x_ d -> x_ d <= cost (deviate (prof di dj) i d) i).
    { intros H. generalize (dev_ge dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg (prof di dj) i d i H).
      generalize (ready_home dec jobs prio (prof di dj) i). unfold x_. lra. }
    assert (Hk : 0 < z_ d -> s + z_ d <= cost (deviate (prof di dj) i d) i).
    { intros H. generalize (dev_ge dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg (prof di dj) i d k H).
      generalize (r_i_k di dj). unfold z_, s. lra. }
    set (X := ld j (jobs i) d).
    assert (Hj : 0 < X -> y + X <= cost (deviate (prof di dj) i d) i).
    { intros H. generalize (dev_ge dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg (prof di dj) i d j H).
      generalize (r_i_j di dj). fold y. fold X. lra. }
    assert (HX0 : 0 <= X) by (apply ld_nonneg, jobs_nonneg).
    assert (Hx0' : 0 <= x_ d) by (apply ld_nonneg, jobs_nonneg).
    assert (Hz0' : 0 <= z_ d) by (apply ld_nonneg, jobs_nonneg).
    assert (Hsum : x_ d + X + z_ d == work i) by (apply ld_three).
    set (c := cost (deviate (prof di dj) i d) i) in *.
    destruct (Mi d) as [Mi1 Mi2]. destruct (Mk d) as [Mk1 Mk2]. fold X in Mi1, Mk1.
    assert (Hxc : x_ d <= c) by (destruct (lt_le 0 (x_ d)); [auto|lra]).
    (* X > 0 *)
    assert (HX : 0 < X).
    { destruct (lt_le 0 X) as [H|H]; [exact H|exfalso].
      destruct (lt_le 0 (z_ d)) as [Hz|Hz].
      - specialize (Hk Hz).
        assert (C <= c) by (apply (Hsplit (merge j i d)); [apply Msplit; auto|lra|lra]). lra.
      - assert (C <= c) by (apply (Hsplit (merge j i d)); [apply Msplit; auto|lra|unfold s in *; lra]). lra. }
    specialize (Hj HX).
    (* Move X home *)
    assert (H1 : y < x_ d).
    { destruct (lt_le y (x_ d)) as [H|H]; [exact H|exfalso].
      assert (C <= c).
      { apply (Hsplit (merge j i d)); [apply Msplit; auto|lra|].
        destruct (lt_le 0 (z_ d)) as [Hz|Hz]; [specialize (Hk Hz); lra|unfold s in *; lra]. }
      lra. }
    (* Move X to k *)
    assert (H2 : C <= s + z_ d + X).
    { destruct (lt_le (s + z_ d + X) C) as [H|H]; [exfalso|exact H].
      destruct (lt_le (s + z_ d + X) c) as [G|G].
      - assert (C <= c) by (apply (Hsplit (merge j k d)); [apply Msplit; auto|lra|lra]). lra.
      - assert (C <= s + z_ d + X) by (apply (Hsplit (merge j k d)); [apply Msplit; auto|lra|lra]). lra. }
    split; [exact H1|]. split; lra. }
  (* the split costs i at most C against any j *)
  assert (Split_cost : forall dj, cost (prof sp dj) i <= C).
  { intros dj. apply cost_le; auto. split; [lra|]. intros l Hl.
    destruct (only l) as [e|[e|e]]; subst l.
    - generalize (ready_home dec jobs prio (prof sp dj) i). unfold Game.load. rewrite prof_i. fold (x_ sp). fold x. lra.
    - exfalso. rewrite prof_i in Hl. apply Hl. apply split_placed. exact Hsp.
    - generalize (r_i_k sp dj). unfold Game.load. rewrite prof_i. fold (z_ sp). fold z. fold s. lra. }
  set (m := work i + s - C) in *.
  assert (Hm : m <= x /\ m <= s + z) by (unfold m; lra).
  destruct (lt_le (work j) m) as [Hjm|Hjm].
  - (* Case 2: j and k home *)
    assert (Hyj : ld j (jobs j) (home j) == work j) by (rewrite ld_home; reflexivity).
    (* i's reply di: best, and ready times for j and k that keep them at home *)
    assert (Good : exists di, (forall d, cost (prof di (home j)) i <= cost (prof d (home j)) i) /\
                    work j <= x_ di /\ work j <= s + z_ di).
    { destruct (lazy_best_reply dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg
                  (prof sp (home j)) i) as (br & Hbr).
      assert (Hbr' : forall d, cost (prof br (home j)) i <= cost (prof d (home j)) i).
      { intros d. generalize (proj1 (Hbr d)). rewrite !dev_i. auto. }
      destruct (lt_le (cost (prof br (home j)) i) C) as [Hlt|Hge].
      - exists br. split; [exact Hbr'|].
        rewrite <- (dev_i sp (home j) br) in Hlt.
        destruct (Three sp (home j) br Hlt) as (H1 & H2 & _). lra.
      - exists sp. split; [|fold x; fold z; lra].
        intros d. specialize (Hbr' d). specialize (Split_cost (home j)). lra. }
    destruct Good as (di & Hbest_i & Hx & Hz).
    exists (prof di (home j)). intros a. destruct (only a) as [e|[e|e]]; subst a; intros d.
    + rewrite dev_i. apply Hbest_i.
    + apply home_content; auto; [apply prof_j|].
      intros l n. destruct (only l) as [e|[e|e]]; subst l; [|congruence|].
      * generalize (r_j_i di (home j)). unfold x_ in Hx. lra.
      * generalize (r_j_k di (home j)). unfold z_, s in Hz. lra.
    + apply k_content; unfold x_ in Hx; lra.
  - (* Case 1: k home, i plays the split, j a lazy best reply *)
    destruct (lazy_best_reply dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg
                  (prof sp (home j)) j) as (br & Hbr).
    set (P := prof sp (home j)) in *. set (c0 := cost (deviate P j br) j) in *.
    set (y := ld j (jobs j) br) in *. set (v := ld i (jobs j) br). set (w := ld k (jobs j) br).
    assert (Hy0 : 0 <= y) by (apply ld_nonneg, jobs_nonneg).
    assert (Hv0 : 0 <= v) by (apply ld_nonneg, jobs_nonneg).
    assert (Hw0 : 0 <= w) by (apply ld_nonneg, jobs_nonneg).
    assert (Hsum : v + y + w == work j) by (apply ld_three).
    assert (Hge : forall l, placed l (jobs j) br <> [] -> ready P j l + ld l (jobs j) br <= c0).
    { intros l. apply (proj1 (dev_le dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg P j br c0)).
      unfold c0. lra. }
    assert (Hc0 : 0 <= c0) by (apply dev_nonneg; auto).
    assert (R0 := ready_home dec jobs prio P j).
    (* (2) *)
    assert (Lazy : forall l, l <> j -> 0 < ld l (jobs j) br -> ready P j l < y).
    { intros l n Hp. destruct (lt_le (ready P j l) y) as [H|H]; [exact H|exfalso].
      assert (G : ld j (jobs j) (merge l j br) <= y).
      { apply (proj2 (Hbr (merge l j br))). fold c0.
        apply dev_le; auto. split; [exact Hc0|]. intros u Hu.
        assert (Hl := Hge l (load_pos_used dec l (jobs j) br Hp)).
        destruct (dec u j) as [e|nj].
        - subst u. generalize (merge_to dec l j (jobs j) br n). fold y. lra.
        - destruct (dec u l) as [e|nl].
          + subst u. exfalso. apply Hu. apply merge_from. exact n.
          + unfold Game.ld. rewrite merge_other in * by assumption. apply (Hge u Hu). }
      generalize (merge_to dec l j (jobs j) br n). fold y. lra. }
    assert (Hmy : m <= y /\ s <= y).
    { destruct (lt_le 0 v) as [Hv|Hv].
      - specialize (Lazy i ij Hv). generalize (r_j_i sp (home j)). fold P. fold (x_ sp). fold x. lra.
      - destruct (lt_le 0 w) as [Hw|Hw].
        + specialize (Lazy k (not_eq_sym jk) Hw). generalize (r_j_k sp (home j)). fold P. fold (z_ sp). fold z. fold s. lra.
        + unfold s in *. lra. }
    exists (prof sp br). intros a. destruct (only a) as [e|[e|e]]; subst a; intros d.
    + (* (3) *)
      rewrite dev_i. destruct (lt_le (cost (prof d br) i) C) as [Hlt|H].
      * exfalso. rewrite <- (dev_i sp br d) in Hlt.
        destruct (Three sp br d Hlt) as (H1 & _ & H2). fold y in H1. fold m in H2. lra.
      * specialize (Split_cost br). lra.
    + rewrite dev_j. rewrite <- (dev_j sp (home j) d), <- (dev_j sp (home j) br). apply Hbr.
    + (* (4) *)
      apply k_content; fold (x_ sp); fold x; fold y; fold s; lra.
Qed.
End Three.

Section T1.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variable machines : list O.
Variable jobs : O -> list num.
Variable prio : O -> list O.
Hypothesis machines_all : forall l, In l machines.
Hypothesis prio_nodup : forall l, NoDup (prio l).
Hypothesis prio_all : forall l a, In a (prio l).
Hypothesis jobs_nonneg : forall a, nonneg (jobs a).

(* k: an organization of least work; i, j: the others in the order of k's machine *)
Theorem three_exists (a b c : O) : a <> b -> a <> c -> b <> c -> (forall x, x = a \/ x = b \/ x = c) ->
  exists p, equilibrium dec machines jobs prio p.
Proof.
  intros ab ac bc only.
  assert (Core : forall i j k : O, i <> j -> i <> k -> j <> k -> (forall x, x = i \/ x = j \/ x = k) ->
     work jobs k <= work jobs i -> work jobs k <= work jobs j ->
     exists p, equilibrium dec machines jobs prio p).
  { intros i j k ij ik jk on Li Lj.
    destruct (before_total dec i j (order dec prio k) ij) as [H|H];
      [apply (order_all dec prio prio_all)|apply (order_all dec prio prio_all)| |].
    - apply (three_core dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg i j k); assumption.
    - apply (three_core dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg j i k); auto.
      intros x; destruct (on x) as [e|[e|e]]; auto. }
  assert (Hc : forall x, x = b \/ x = c \/ x = a) by (intros x; destruct (only x) as [e|[e|e]]; auto).
  assert (Hb : forall x, x = a \/ x = c \/ x = b) by (intros x; destruct (only x) as [e|[e|e]]; auto).
  destruct (lt_le (work jobs a) (work jobs b)) as [H12|H12];
  destruct (lt_le (work jobs a) (work jobs c)) as [H13|H13];
  destruct (lt_le (work jobs b) (work jobs c)) as [H23|H23];
  try (apply (Core b c a); auto; lra); try (apply (Core a c b); auto; lra); apply (Core a b c); auto; lra.
Qed.
End T1.
