(* Three organizations with one machine each, priority to organizations (T1 in the documentation): a pure equilibrium
   always exists. The order may differ from machine to machine; lengths may be 0.

   Idea, in the order and with the letters of the proof on paper. Let k be an organization of least work s, and i before
   j in the order of k's machine. A split of i has work x at home and z on k's machine, none on j's. Let C be the least
   max(x, s + z) over splits and x largest among the best (best_split); m = W_i + s - C, which is at most x and s + z.
   (1) x >= s (home_ge_s).
   (2) If k is home, i plays the split and j a best reply with most work y at home, then y >= m and y >= s, provided
       W_j >= m: work of j abroad starts before y, else j would bring it home (lazy_home).
   (3) A reply of i against y that costs less than C uses j's machine; with that part home or on k's machine it is a
       split, which costs at least C. So it keeps more than y at home and ends after y on k's machine, and it keeps at
       most m at home (cheap_reply).
   (4) k is content if i and j have at least s at home (k_content).
   Case 1, W_j >= m: k home, i the split, j as in (2). A reply of i below C would keep more than y >= m at home, and at
   most m: so i is content.
   Case 2, W_j < m: k and j home; i plays the split if its best reply costs C, otherwise a best reply. Either keeps more
   than W_j at home and ends after W_j on k's machine, so j is content. *)
From Coq Require Import List Lia Permutation.
Require Import Numbers Game Loads.
Import ListNotations.

Section Three.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variables (machines : list O) (jobs : O -> list num) (prio : O -> list O).
Hypothesis machines_all : forall l, In l machines.
Hypotheses (prio_nodup : forall l, NoDup (prio l)) (prio_all : forall l a, In a (prio l)).
Hypothesis jobs_nonneg : forall a, nonneg (jobs a).

Notation cost := (cost dec machines jobs prio).
Notation deviate := (deviate dec).
Notation ready := (ready dec jobs prio).
Notation ld := (ld dec).
Notation work := (work jobs).
Notation equilibrium := (equilibrium dec machines jobs prio).
Notation merge := (merge dec).

Section Ordered.
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
  rewrite <- (ld_total dec [i; j; k]) with (s := d); [simpl; lra| |].
  - intros l. destruct (only l) as [e|[e|e]]; simpl; auto.
  - repeat constructor; simpl; intros H; repeat destruct H as [H|H]; congruence.
Qed.

(* i sees k's machine ready when k's own jobs there are done *)
Lemma ready_i_k p : ready p i k == load dec jobs p k k.
Proof.
  apply ready_owner; [congruence|]. intros b Hk Hi. destruct (only b) as [e|[e|e]]; subst b; congruence || exact prio_k.
Qed.

(* i plays di, j plays dj, k is home *)
Definition prof (di dj : strategy (O:=O)) : profile (O:=O) :=
  fun b => if dec b i then di else if dec b j then dj else home k.

Lemma prof_i di dj : prof di dj i = di.
Proof. unfold prof. destruct (dec i i); congruence. Qed.
Lemma prof_j di dj : prof di dj j = dj.
Proof. unfold prof. destruct (dec j i); [congruence|]. destruct (dec j j); congruence. Qed.
Lemma prof_k di dj : prof di dj k = home k.
Proof. unfold prof. destruct (dec k i); [congruence|]. destruct (dec k j); congruence. Qed.
Lemma k_load di dj : load dec jobs (prof di dj) k k == work k.
Proof. unfold Game.load. rewrite prof_k. rewrite ld_home. reflexivity. Qed.

(* ready times, and lower bounds of those that depend on more *)
Lemma ready_i_on_k di dj : ready (prof di dj) i k == work k.
Proof. generalize (ready_i_k (prof di dj)) (k_load di dj). lra. Qed.
Lemma ready_ge a l di dj : l <> a -> ld l (jobs l) (prof di dj l) <= ready (prof di dj) a l.
Proof. apply ready_ge_owner. exact jobs_nonneg. Qed.
Lemma ready_j_on_k di dj : work k + ld k (jobs i) di <= ready (prof di dj) j k.
Proof.
  generalize (ready_ge_owner_before dec jobs prio jobs_nonneg (prof di dj) j i k
    (not_eq_sym jk) (not_eq_sym ik) prio_k).
  generalize (k_load di dj). unfold Game.load. rewrite prof_i. lra.
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
  - intros l n. generalize (ready_ge k l di dj n).
    destruct (only l) as [e|[e|e]]; subst l; [rewrite prof_i; lra|rewrite prof_j; lra|congruence].
Qed.

(* ---- the best split of i ---- *)
(* what d keeps at home and sends to k's machine: x and z on paper *)
Definition kept (d : strategy (O:=O)) := ld i (jobs i) d.
Definition sent (d : strategy (O:=O)) := ld k (jobs i) d.
Definition is_split (d : strategy (O:=O)) := forall t, In (d t) [i; k].
Definition value (d : strategy (O:=O)) := nmax (kept d) (work k + sent d).

Lemma split_placed d : is_split d -> placed dec j (jobs i) d = [].
Proof.
  generalize (jobs i). intros js. revert d. induction js as [|y js IH]; intros d H; simpl; [reflexivity|].
  rewrite (IH (fun n => d (S n))); [|intros t; apply H].
  destruct (dec (d 0%nat) j) as [e|n]; [|reflexivity].
  exfalso. specialize (H 0%nat). rewrite e in H. destruct H as [H|[H|[]]]; congruence.
Qed.
Lemma split_sum d : is_split d -> kept d + sent d == work i.
Proof.
  intros H. generalize (ld_three (jobs i) d). unfold kept, sent, Game.work.
  unfold Game.ld at 2. rewrite (split_placed d H). simpl. lra.
Qed.
Lemma best_split : exists d, is_split d /\
  forall d', is_split d' -> value d <= value d' /\ (value d' <= value d -> kept d' <= kept d).
Proof.
  apply (best_strategy (jobs i) [i; k] value kept); [discriminate|].
  intros s s' H. unfold value, kept, sent, Game.ld.
  rewrite (placed_ext dec i (jobs i) s s' H), (placed_ext dec k (jobs i) s s' H). lra.
Qed.

Section BestSplit.
Variable sp : strategy (O:=O).
Hypothesis sp_split : is_split sp.
Hypothesis sp_best : forall d, is_split d -> value sp <= value d /\ (value d <= value sp -> kept d <= kept sp).
Notation C := (value sp).
Notation x := (kept sp).
Notation z := (sent sp).
Notation s := (work k).
Notation m := (work i + s - C).

Lemma C_bounds : x <= C /\ s + z <= C.
Proof. apply (proj1 (nmax_le x (s + z) C)). unfold value. lra. Qed.
Lemma m_bounds : m <= x /\ m <= s + z.
Proof. generalize C_bounds (split_sum sp sp_split). lra. Qed.
Lemma C_le d c : is_split d -> kept d <= c -> s + sent d <= c -> C <= c.
Proof.
  intros Hd H1 H2. assert (value d <= c) by (unfold value; apply nmax_le; split; assumption).
  generalize (proj1 (sp_best d Hd)). lra.
Qed.

(* (1) *)
Lemma home_ge_s : s <= x.
Proof.
  destruct (lt_le x s) as [H|H]; [|exact H].
  assert (Hs : is_split (home i)) by (intros t; left; reflexivity).
  assert (Eh : kept (home i) == work i) by (unfold kept; rewrite ld_home; reflexivity).
  assert (Es := split_sum _ Hs). assert (E := split_sum sp sp_split). assert (B := C_bounds).
  destruct (lt_le 0 z) as [Hz|Hz]; [|lra].
  assert (G : kept (home i) <= x); [|lra]. apply (proj2 (sp_best (home i) Hs)). unfold value at 1. apply nmax_le. lra.
Qed.

(* with the part on j's machine moved home or to k's machine, a reply is a split *)
Lemma merge_split d v : v = i \/ v = k -> is_split (merge j v d).
Proof.
  intros Hv t. unfold Game.merge. destruct (dec (d t) j) as [e|n].
  - destruct Hv; subst; simpl; auto.
  - destruct (only (d t)) as [H|[H|H]]; [rewrite H; simpl; auto|congruence|rewrite H; simpl; auto].
Qed.
Lemma merge_home d : kept (merge j i d) == kept d + ld j (jobs i) d /\ sent (merge j i d) == sent d.
Proof.
  split.
  - unfold kept. generalize (merge_to dec j i (jobs i) d (not_eq_sym ij)). lra.
  - unfold sent, Game.ld. rewrite merge_other by congruence. lra.
Qed.
Lemma merge_k d : sent (merge j k d) == sent d + ld j (jobs i) d /\ kept (merge j k d) == kept d.
Proof.
  split.
  - unfold sent. generalize (merge_to dec j k (jobs i) d jk). lra.
  - unfold kept, Game.ld. rewrite merge_other by congruence. lra.
Qed.

(* what a reply d of i costs on the three machines *)
Lemma reply_costs di dj d : let c := cost (deviate (prof di dj) i d) i in
  0 <= c /\ kept d <= c /\ (0 < sent d -> s + sent d <= c) /\
  (0 < ld j (jobs i) d -> ld j (jobs j) dj + ld j (jobs i) d <= c).
Proof.
  assert (Ge := dev_ge dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg (prof di dj) i d).
  assert (c0 := dev_nonneg dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg (prof di dj) i d).
  cbv zeta. split; [exact c0|]. unfold kept, sent. split; [|split].
  - destruct (lt_le 0 (ld i (jobs i) d)) as [H|H]; [|lra].
    generalize (Ge i H) (ready_home dec jobs prio (prof di dj) i). lra.
  - intros H. generalize (Ge k H) (ready_i_on_k di dj). lra.
  - intros H. generalize (Ge j H) (ready_ge i j di dj (not_eq_sym ij)). rewrite prof_j. lra.
Qed.

(* (3) *)
Lemma cheap_reply di dj d : cost (deviate (prof di dj) i d) i < C ->
  let y := ld j (jobs j) dj in y < kept d /\ y < s + sent d /\ kept d <= m.
Proof.
  intros Hlt y. destruct (reply_costs di dj d) as (Hc & Hxc & Hzc & Hyc). fold y in Hyc.
  set (c := cost (deviate (prof di dj) i d) i) in *. set (X := ld j (jobs i) d) in *.
  assert (X0 : 0 <= X) by (apply ld_nonneg, jobs_nonneg).
  assert (z0 : 0 <= sent d) by (apply ld_nonneg, jobs_nonneg).
  assert (Hsum : kept d + X + sent d == work i) by (apply ld_three).
  destruct (merge_home d) as [Mi1 Mi2]. destruct (merge_k d) as [Mk1 Mk2]. fold X in Mi1, Mk1.
  (* X home *)
  assert (H1 : c < kept d + X).
  { destruct (lt_le c (kept d + X)) as [H|H]; [exact H|exfalso].
    assert (C <= c); [|lra]. apply (C_le (merge j i d)); [apply merge_split; auto|lra|].
    destruct (lt_le 0 (sent d)) as [Hz|Hz]; [specialize (Hzc Hz); lra|lra]. }
  specialize (Hyc ltac:(lra)).
  (* X to k *)
  assert (H2 : C <= s + sent d + X).
  { destruct (lt_le (s + sent d + X) C) as [H|H]; [exfalso|exact H].
    destruct (lt_le (s + sent d + X) c) as [G|G].
    - assert (C <= c); [|lra]. apply (C_le (merge j k d)); [apply merge_split; auto|lra|lra].
    - assert (C <= s + sent d + X); [|lra]. apply (C_le (merge j k d)); [apply merge_split; auto|lra|lra]. }
  lra.
Qed.

(* the split costs i at most C against any j *)
Lemma split_cost dj : cost (prof sp dj) i <= C.
Proof.
  assert (B := C_bounds). assert (x0 : 0 <= x) by (apply ld_nonneg, jobs_nonneg).
  apply cost_le; auto. split; [lra|]. intros l Hl. unfold Game.load. rewrite prof_i in *.
  destruct (only l) as [e|[e|e]]; subst l.
  - generalize (ready_home dec jobs prio (prof sp dj) i). fold (kept sp). lra.
  - exfalso. apply Hl, split_placed, sp_split.
  - generalize (ready_i_on_k sp dj). fold (sent sp). lra.
Qed.

(* (2): j's best reply br, with most work at home, against the split *)
Section Lazy.
Variable br : strategy (O:=O).
Notation P := (prof sp (home j)).
Notation y := (ld j (jobs j) br).
Hypothesis br_best : forall d, cost (deviate P j br) j <= cost (deviate P j d) j /\
  (cost (deviate P j d) j <= cost (deviate P j br) j -> ld j (jobs j) d <= y).

Lemma starts_before_y l : l <> j -> 0 < ld l (jobs j) br -> ready P j l < y.
Proof.
  intros n Hp. destruct (lt_le (ready P j l) y) as [H|H]; [exact H|exfalso].
  destruct (proj1 (dev_le dec machines jobs prio machines_all prio_nodup prio_all jobs_nonneg P j br
    (cost (deviate P j br) j)) ltac:(lra)) as [Hc0 Hge].
  assert (Hl := Hge l (load_pos_used dec l (jobs j) br Hp)). assert (Mj := merge_to dec l j (jobs j) br n).
  assert (G : ld j (jobs j) (merge l j br) <= y); [|lra].
  apply (proj2 (br_best (merge l j br))). apply dev_le; auto. split; [exact Hc0|]. intros u Hu.
  destruct (dec u j) as [e|nj]; [|destruct (dec u l) as [e|nl]].
  - subst u. generalize (ready_home dec jobs prio P j). lra.
  - subst u. exfalso. apply Hu, merge_from, n.
  - unfold Game.ld. rewrite merge_other in * by assumption. apply (Hge u Hu).
Qed.
Lemma lazy_home : m <= work j -> m <= y /\ s <= y.
Proof.
  intros Hjm. assert (M := m_bounds). assert (H1 := home_ge_s).
  assert (z0 : 0 <= z) by (apply ld_nonneg, jobs_nonneg).
  assert (Hsum : ld i (jobs j) br + y + ld k (jobs j) br == work j) by (apply ld_three).
  destruct (lt_le 0 (ld i (jobs j) br)) as [Hv|Hv]; [|destruct (lt_le 0 (ld k (jobs j) br)) as [Hw|Hw]; [|lra]].
  - generalize (starts_before_y i ij Hv) (ready_ge j i sp (home j) ij). rewrite prof_i. fold (kept sp). lra.
  - generalize (starts_before_y k (not_eq_sym jk) Hw) (ready_j_on_k sp (home j)). fold (sent sp). lra.
Qed.
Lemma case_1 : m <= work j -> equilibrium (prof sp br).
Proof.
  intros Hjm. destruct (lazy_home Hjm) as [Hm Hs]. intros a. destruct (only a) as [e|[e|e]]; subst a; intros d.
  - destruct (lt_le (cost (deviate (prof sp br) i d) i) C) as [Hlt|H]; [|generalize (split_cost br); lra].
    exfalso. destruct (cheap_reply sp br d Hlt) as (H1 & _ & H2). lra.
  - rewrite dev_j. rewrite <- (dev_j sp (home j) d), <- (dev_j sp (home j) br). apply br_best.
  - apply k_content; [exact home_ge_s|exact Hs].
Qed.
End Lazy.

Lemma case_2 : work j < m -> exists p, equilibrium p.
Proof.
  intros Hjm. assert (M := m_bounds).
  destruct (lazy_best_reply dec machines jobs prio machines_all (prof sp (home j)) i) as (br & Hbr).
  assert (Good : exists di, (forall d, cost (prof di (home j)) i <= cost (prof d (home j)) i) /\
                  work j <= kept di /\ work j <= s + sent di).
  { assert (Hbr' : forall d, cost (prof br (home j)) i <= cost (prof d (home j)) i).
    { intros d. generalize (proj1 (Hbr d)). rewrite !dev_i. auto. }
    destruct (lt_le (cost (deviate (prof sp (home j)) i br) i) C) as [Hlt|Hge].
    - exists br. split; [exact Hbr'|]. destruct (cheap_reply sp (home j) br Hlt) as (H1 & H2 & _).
      rewrite ld_home in H1, H2. lra.
    - exists sp. split; [|lra]. intros d. rewrite dev_i in Hge. generalize (Hbr' d) (split_cost (home j)). lra. }
  destruct Good as (di & Hbest_i & Hx & Hz). exists (prof di (home j)).
  intros a. destruct (only a) as [e|[e|e]]; subst a; intros d.
  - rewrite dev_i. apply Hbest_i.
  - apply home_content; auto; [apply prof_j|].
    intros l n. destruct (only l) as [e|[e|e]]; subst l; [|congruence|].
    + generalize (ready_ge j i di (home j) ij). rewrite prof_i. unfold kept in Hx. lra.
    + generalize (ready_j_on_k di (home j)). unfold sent in Hz. lra.
  - apply k_content; [unfold kept in Hx; lra|rewrite ld_home; lra].
Qed.
End BestSplit.

Lemma three_core : exists p, equilibrium p.
Proof.
  destruct best_split as (sp & Hsp & Hbest).
  destruct (lt_le (work j) (work i + work k - value sp)) as [Hjm|Hjm]; [exact (case_2 sp Hsp Hbest Hjm)|].
  destruct (lazy_best_reply dec machines jobs prio machines_all (prof sp (home j)) j) as (br & Hbr).
  exists (prof sp br). exact (case_1 sp Hsp Hbest br Hbr Hjm).
Qed.
End Ordered.

(* k: an organization of least work; i, j: the others in the order of k's machine *)
Theorem three_exists (a b c : O) : a <> b -> a <> c -> b <> c -> (forall x, x = a \/ x = b \/ x = c) ->
  exists p, equilibrium p.
Proof.
  intros ab ac bc only.
  assert (Core : forall i j k : O, i <> j -> i <> k -> j <> k -> (forall x, x = i \/ x = j \/ x = k) ->
     work k <= work i -> work k <= work j -> exists p, equilibrium p).
  { intros i j k ij ik jk on Li Lj.
    destruct (before_total dec i j (order dec prio k) ij) as [H|H];
      [apply (order_all dec prio prio_all)|apply (order_all dec prio prio_all)| |].
    - apply (three_core i j k); assumption.
    - apply (three_core j i k); auto.
      intros x; destruct (on x) as [e|[e|e]]; auto. }
  destruct (least_value work [a; b; c] ltac:(discriminate)) as (k & Hk & Least).
  destruct Hk as [e|[e|[e|[]]]]; subst k; [apply (Core b c a)|apply (Core a c b)|apply (Core a b c)]; auto;
    try (apply Least; simpl; auto); intros x; destruct (only x) as [e|[e|e]]; auto.
Qed.
End Three.
