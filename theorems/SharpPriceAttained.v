(* The sharp price is attained (T3 in the documentation): for every N >= 2 a game with an equilibrium of rho_N times
   the makespan of another profile, under every order of the foreign jobs (OwnerFirst.v), so under every priority of
   either kind; and, under priority to organizations, games all of whose equilibria cost that much (price of
   stability).

   N = 2: O1 {2,2}, O2 {1,1}. Everybody at home costs 4, and so does every equilibrium; another profile costs 3.
   N >= 3: O1 {N-1, N-1}, O2 {N-2 jobs of length 1}, each further organization {N-2}.
   Equilibrium (fam_eq): everybody at home, except one job of O1 on O2's machine: O1 pays 2N-3. Every foreign machine
   is busy until N-2 with its owner's jobs, so O1 cannot pay less and nobody else wants to leave. Another profile
   (fam_opt), O1's jobs on two machines and a job of O2 and one of N-2 together on each of the others, costs N-1.
   Every equilibrium (Cheap). The others pay at most N-2. If O1 pays less than 2N-3, its jobs are on different
   machines u, v, nothing of the others comes after them, and what comes before them adds up to at least N-2, as the
   other machines hold at most (N-2)(N-2) of (N-1)(N-2). Nothing before them is a whole job of N-2, so it is O2's
   units alone. If O1 comes before O2, there are none on a third organization's machine: a contradiction. If N is odd,
   the N-2 units are not split evenly between u and v, and O1 would take the job behind the larger part home. *)
From Coq Require Import List Lia Permutation.
Require Import Numbers Game SharpPrice.
Import ListNotations.

Section Attained.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.

(* one job on each machine of the list rest *)
Lemma ld_one_each l rest d : NoDup rest ->
  ld dec l (repeat 1 (length rest)) (fun t => nth t rest d) == if in_dec dec l rest then 1 else 0.
Proof.
  unfold Game.ld. induction 1 as [|r rest Hr Hn IH]; [simpl; lra|].
  change (placed dec l (repeat 1 (length (r :: rest))) (fun t => nth t (r :: rest) d))
    with (if dec r l then 1 :: placed dec l (repeat 1 (length rest)) (fun t => nth t rest d)
          else placed dec l (repeat 1 (length rest)) (fun t => nth t rest d)).
  destruct (in_dec dec l rest), (in_dec dec l (r :: rest)), (dec r l); simpl in *; try lra; exfalso; subst; tauto.
Qed.
Lemma ld_ones_integer l m s : exists i, ld dec l (repeat 1 m) s == ofnat i.
Proof.
  revert s; induction m as [|m IH]; intros s; [exists 0%nat; unfold Game.ld; simpl; lra|].
  destruct (IH (fun t => s (S t))) as (i & Hi). assert (E := ld_cons dec l 1 (repeat 1 m) s).
  destruct (dec (s 0%nat) l); [exists (S i)|exists i]; simpl repeat; simpl ofnat; lra.
Qed.
Lemma ld_pair x l d : ld dec l [x; x] d == (if dec (d 0%nat) l then x else 0) + (if dec (d 1%nat) l then x else 0).
Proof. unfold Game.ld. simpl. destruct (dec (d 0%nat) l), (dec (d 1%nat) l); simpl; lra. Qed.

Section Family.
Variables o1 o2 : O.
Variable rest : list O.
Let machines := o1 :: o2 :: rest.
Hypotheses (machines_all : forall l, In l machines) (machines_nodup : NoDup machines).
Hypothesis rest_nonempty : rest <> [].
Let n : num := ofnat (length machines).

Definition family (a : O) : list num :=
  if dec a o1 then [n - 1; n - 1] else if dec a o2 then repeat 1 (length rest) else [n - 2].

Definition fam_eq : profile (O:=O) :=      (* all at home but one job of O1, which is on O2's machine *)
  fun a => if dec a o1 then (fun t => match t with 0%nat => o1 | _ => o2 end) else home a.

Definition fam_opt : profile (O:=O) :=     (* O1: one at home, one on O2's machine; O2: one on each further machine *)
  fun a => if dec a o1 then (fun t => match t with 0%nat => o1 | _ => o2 end)
           else if dec a o2 then (fun t => nth t rest o2) else home a.

Lemma n_eq : n == ofnat (length rest) + 2.
Proof. unfold n, machines. simpl. lra. Qed.
Lemma n_ge : 3 <= n.
Proof. generalize n_eq. destruct rest; [congruence|]. simpl. generalize (ofnat_nonneg (length l)). lra. Qed.
Lemma nodup_parts : o1 <> o2 /\ ~ In o1 rest /\ ~ In o2 rest /\ NoDup rest.
Proof.
  inversion machines_nodup as [|x y Hx Hy]; subst. inversion Hy as [|x y Hx2 Hy2]; subst.
  simpl in Hx. repeat split; try assumption; tauto || (intros e; apply Hx; auto).
Qed.
Lemma o12 : o1 <> o2.
Proof. apply nodup_parts. Qed.
Lemma family_nonneg a : nonneg (family a).
Proof.
  assert (H := n_ge). unfold family. destruct (dec a o1); [|destruct (dec a o2); [apply nonneg_ones|]];
  intros x Hx; simpl in Hx; destruct Hx as [Hx|Hx]; try destruct Hx as [Hx|Hx]; try destruct Hx; subst; lra.
Qed.
Lemma work_a a : a <> o1 -> work family a == n - 2.
Proof.
  intros H. unfold Game.work, family. destruct (dec a o1); [congruence|].
  destruct (dec a o2); [generalize (sum_ones (length rest)) n_eq; lra|simpl; lra].
Qed.
Lemma ld_1 l d : ld dec l (family o1) d ==
  (if dec (d 0%nat) l then n - 1 else 0) + (if dec (d 1%nat) l then n - 1 else 0).
Proof. unfold family. destruct (dec o1 o1); [apply ld_pair|congruence]. Qed.
Lemma unused_1 l d : d 0%nat <> l -> d 1%nat <> l -> placed dec l (family o1) d = [].
Proof.
  intros H0 H1. unfold family. destruct (dec o1 o1); [|congruence]. simpl.
  destruct (dec (d 0%nat) l); [congruence|]. destruct (dec (d 1%nat) l); congruence.
Qed.
Lemma fam_1 : fam_eq o1 = fun t => match t with 0%nat => o1 | _ => o2 end.
Proof. unfold fam_eq. destruct (dec o1 o1); congruence. Qed.
Lemma fam_a a : a <> o1 -> fam_eq a = home a.
Proof. intros H. unfold fam_eq. destruct (dec a o1); congruence. Qed.

(* every machine is busy until N-2 with its owner's jobs *)
Lemma fam_owner l : n - 2 <= load dec family fam_eq l l.
Proof.
  assert (H3 := n_ge). destruct (dec l o1) as [e|n1].
  - subst l. unfold Game.load. rewrite (ld_1 o1 (fam_eq o1)), fam_1.
    destruct (dec o1 o1); [|congruence]. destruct (dec o2 o1); lra.
  - generalize (load_home dec family fam_eq l l (fam_a l n1)) (work_a l n1). destruct (dec l l); [lra|congruence].
Qed.
Lemma in_others : In o2 (remove dec o1 machines).
Proof. apply in_remove_iff. split; [apply machines_all|apply not_eq_sym, o12]. Qed.
Lemma fam_others : others dec machines family fam_eq o1 o2 <= n - 2.
Proof.
  assert (H3 := n_ge). unfold Loads.others. destruct (dec o1 o2); [generalize o12; congruence|].
  assert (G2 : sum (map (fun b => load dec family fam_eq b o2) (remove dec o1 machines))
               <= sum (map (fun b => if dec o2 b then n - 2 else 0) (remove dec o1 machines))).
  { apply sum_map_le. intros b Hb. apply in_remove_iff in Hb. destruct Hb as [_ Hb].
    assert (H4 := load_home dec family fam_eq b o2 (fam_a b Hb)). assert (H5 := work_a b Hb).
    destruct (dec b o2), (dec o2 b); try congruence; lra. }
  generalize (sum_point dec o2 (n - 2) _ (remove_nodup dec o1 _ machines_nodup) in_others). lra.
Qed.
Lemma fam_opt_load_1 l :
  load dec family fam_opt o1 l == (if dec o1 l then n - 1 else 0) + (if dec o2 l then n - 1 else 0).
Proof. unfold Game.load. rewrite ld_1. unfold fam_opt. destruct (dec o1 o1); [|congruence]. lra. Qed.
Lemma fam_opt_load_2 l : load dec family fam_opt o2 l == if in_dec dec l rest then 1 else 0.
Proof.
  unfold Game.load, fam_opt, family. destruct (dec o2 o1); [generalize o12; congruence|].
  destruct (dec o2 o2); [|congruence]. apply ld_one_each. apply nodup_parts.
Qed.
Lemma fam_opt_load b l : In b rest -> load dec family fam_opt b l == if dec l b then n - 2 else 0.
Proof.
  intros Hb. destruct nodup_parts as (_ & Hr1 & Hr2 & _).
  assert (b <> o1) by congruence. assert (b <> o2) by congruence.
  assert (Eh : fam_opt b = home b).
  { unfold fam_opt. destruct (dec b o1); [congruence|]. destruct (dec b o2); congruence. }
  assert (E := load_home dec family fam_opt b l Eh). assert (G := work_a b H).
  destruct (dec b l), (dec l b); try congruence; lra.
Qed.
Lemma fam_opt_total l : total dec machines family fam_opt l <= n - 1.
Proof.
  assert (H3 := n_ge). destruct nodup_parts as (_ & Hr1 & Hr2 & Hr).
  assert (E : total dec machines family fam_opt l == load dec family fam_opt o1 l + load dec family fam_opt o2 l
              + sum (map (fun b => load dec family fam_opt b l) rest)) by (unfold total, machines; simpl; lra).
  assert (S3 := sum_map_eq_in _ _ rest (fun b Hb => fam_opt_load b l Hb)). simpl in S3.
  generalize (fam_opt_load_1 l) (fam_opt_load_2 l).
  destruct (in_dec dec l rest) as [Hl|Hl].
  - generalize (sum_point dec l (n - 2) rest Hr Hl).
    destruct (dec o1 l); [subst; tauto|]. destruct (dec o2 l); [subst; tauto|]. lra.
  - assert (S4 : sum (map (fun b => if dec l b then n - 2 else 0) rest) == 0).
    { apply sum_zero. intros b Hb. destruct (dec l b); [subst; tauto|lra]. }
    generalize o12. destruct (dec o1 l), (dec o2 l); intros; try congruence; lra.
Qed.

(* ---- under every order of the foreign jobs ---- *)
Section AnyCost.
Variable C : profile (O:=O) -> O -> num.
Hypothesis HC : owner_first dec machines family C.

Lemma fam_cost_1 : C fam_eq o1 <= 2 * n - 3.
Proof.
  assert (H3 := n_ge). apply (C_upper _ _ _ _ HC); [lra|]. intros l Hl.
  unfold Game.load. assert (E := ld_1 l (fam_eq o1)). rewrite fam_1 in *. simpl in E.
  destruct (dec o1 l) as [e|n1]; [|destruct (dec o2 l) as [e|n2]].
  - subst l. destruct (dec o2 o1) as [e|_]; [generalize o12; congruence|].
    unfold Loads.others. destruct (dec o1 o1); [lra|congruence].
  - subst l. generalize fam_others. lra.
  - exfalso. apply Hl, unused_1; assumption.
Qed.
Lemma fam_dev_1 d : 2 * n - 3 <= C (deviate dec fam_eq o1 d) o1.
Proof.
  assert (H3 := n_ge). assert (G := fun l => C_reply_ge dec machines family C HC fam_eq o1 d l).
  assert (Out : forall l, l <> o1 -> n - 1 <= ld dec l (family o1) d -> 2 * n - 3 <= C (deviate dec fam_eq o1 d) o1).
  { intros l Hl H. specialize (G l ltac:(lra)). destruct (dec o1 l); [congruence|]. generalize (fam_owner l). lra. }
  destruct (dec (d 0%nat) o1) as [e0|n0]; [destruct (dec (d 1%nat) o1) as [e1|n1]|].
  - assert (E := ld_1 o1 d). rewrite e0, e1 in E. specialize (G o1). destruct (dec o1 o1); [|congruence].
    specialize (G ltac:(lra)). lra.
  - apply (Out (d 1%nat) n1). assert (E := ld_1 (d 1%nat) d).
    destruct (dec (d 0%nat) (d 1%nat)), (dec (d 1%nat) (d 1%nat)); try congruence; lra.
  - apply (Out (d 0%nat) n0). assert (E := ld_1 (d 0%nat) d).
    destruct (dec (d 0%nat) (d 0%nat)); [|congruence]. destruct (dec (d 1%nat) (d 0%nat)); lra.
Qed.
Lemma fam_equilibrium a d : C fam_eq a <= C (deviate dec fam_eq a d) a.
Proof.
  destruct (dec a o1) as [e|n1].
  - subst a. generalize fam_cost_1 (fam_dev_1 d). lra.
  - apply (C_home_content dec machines family family_nonneg C HC); [apply fam_a; exact n1|].
    intros l Hl. generalize (fam_owner l) (work_a a n1). lra.
Qed.

(* O1 uses O2's machine and pays N-2 there before its own job of N-1 *)
Lemma fam_cost_1_ge : 2 * n - 3 <= C fam_eq o1.
Proof.
  assert (H3 := n_ge). assert (E := ld_1 o2 (fam_eq o1)). assert (O12 := o12).
  assert (G : (if dec o1 o2 then 0 else load dec family fam_eq o2 o2) + load dec family fam_eq o1 o2 <= C fam_eq o1).
  { apply (C_lower _ _ _ _ HC). apply load_pos_used. rewrite fam_1 in *. simpl in E.
    destruct (dec o1 o2), (dec o2 o2); try congruence. lra. }
  unfold Game.load at 2 in G. rewrite fam_1 in *. simpl in E.
  destruct (dec o1 o2), (dec o2 o2); try congruence. generalize (fam_owner o2). lra.
Qed.
Lemma fam_opt_cost a : C fam_opt a <= n - 1.
Proof.
  apply (C_le_total dec machines family machines_all machines_nodup family_nonneg C HC); [generalize n_ge; lra|].
  exact fam_opt_total.
Qed.
End AnyCost.

(* ================= price of stability, priority to organizations ================= *)
Section Stability.
Variable prio : O -> list O.
Hypotheses (prio_nodup : forall l, NoDup (prio l)) (prio_all : forall l a, In a (prio l)).
Notation cost := (cost dec machines family prio).
Notation ready := (ready dec family prio).
Notation load := (load dec family).
Notation before := (before dec).
Notation order := (order dec prio).

(* an equilibrium in which O1 pays less than 2N-3 *)
Section Cheap.
Variable p : profile (O:=O).
Hypothesis p_equilibrium : equilibrium dec machines family prio p.
Hypothesis p_cheap : cost p o1 < 2 * n - 3.
Notation u := (p o1 0%nat).
Notation v := (p o1 1%nat).

(* the load of all organizations but O1 on l *)
Definition rest_load (l : O) : num := total dec machines family p l - load p o1 l.

Lemma rest_load_sum : sum (map rest_load machines) == (n - 1) * (n - 2).
Proof.
  assert (E := sum_map_plus rest_load (load p o1) machines). cbv beta in E.
  assert (E2 := sum_map_eq (fun l => rest_load l + load p o1 l) (total dec machines family p) machines
    ltac:(intros l; unfold rest_load; lra)).
  assert (T := total_sum dec machines family machines_all machines_nodup p).
  assert (W : sum (map (load p o1) machines) == work family o1) by (apply ld_total; assumption).
  assert (S : forall b, In b (o2 :: rest) -> work family b == n - 2).
  { intros b Hb. apply work_a. intros e. subst b. exact (proj1 (proj1 (NoDup_cons_iff o1 _) machines_nodup) Hb). }
  assert (S1 := sum_le_const (work family) (n - 2) (o2 :: rest) ltac:(intros b Hb; specialize (S b Hb); lra)).
  assert (S2 := sum_ge_const (work family) (n - 2) (o2 :: rest) ltac:(intros b Hb; specialize (S b Hb); lra)).
  assert (G : sum (map (work family) machines) == work family o1 + sum (map (work family) (o2 :: rest)))
    by (unfold machines; simpl; lra).
  assert (Q : ofnat (length (o2 :: rest)) * (n - 2) == (n - 1) * (n - 2)).
  { assert (E6 : ofnat (length (o2 :: rest)) == n - 1) by (generalize n_eq; simpl; lra). rewrite E6. ring. }
  lra.
Qed.
Lemma others_pay a : a <> o1 -> cost p a <= n - 2.
Proof.
  intros Ha. generalize (cost_le_work dec machines family prio machines_all prio_nodup prio_all family_nonneg p a
    p_equilibrium) (work_a a Ha). lra.
Qed.
Lemma pays a l : placed dec l (family a) (p a) <> [] -> ready p a l + load p a l <= cost p a.
Proof. apply cost_ge; auto using family_nonneg. Qed.
Lemma load0 b l : 0 <= load p b l.
Proof. apply load_nonneg; auto using family_nonneg. Qed.
Lemma uv : u <> v.
Proof.
  intros e. assert (H3 := n_ge). assert (L := ld_1 u (p o1)).
  destruct (dec u u); [|congruence]. destruct (dec v u); [|congruence].
  assert (G := pays o1 u (load_pos_used dec u (family o1) (p o1) ltac:(lra))). unfold Game.load in G.
  generalize (ready_nonneg dec family prio family_nonneg p o1 u). lra.
Qed.
Lemma load_1 w : w = u \/ w = v -> load p o1 w == n - 1.
Proof.
  intros Hw. assert (U := uv). assert (E := ld_1 w (p o1)). unfold Game.load.
  destruct Hw; subst w; destruct (dec u u), (dec v v), (dec u v), (dec v u); try congruence; lra.
Qed.
Lemma ready_1 w : w = u \/ w = v -> ready p o1 w + (n - 1) <= cost p o1.
Proof.
  intros Hw. assert (E := load_1 w Hw). assert (H3 := n_ge).
  assert (G := pays o1 w (load_pos_used dec w (family o1) (p o1) ltac:(unfold Game.load in E; lra))). lra.
Qed.

(* everything of the others on u and v comes before O1's jobs *)
Lemma before_1 w b : w = u \/ w = v -> b <> o1 -> 0 < load p b w -> In b (before o1 (order w)).
Proof.
  intros Hw Hb Hl.
  destruct (before_total dec b o1 (order w) Hb (order_all dec prio prio_all w b) (order_all dec prio prio_all w o1))
    as [H|H]; [exact H|exfalso].
  assert (G := sum_map_ge (fun a => load p a w) _ o1 (fun a => load0 a w) H). cbv beta in G. fold (ready p b w) in G.
  generalize (pays b w (load_pos_used dec w (family b) (p b) Hl)) (others_pay b Hb) (load_1 w Hw). lra.
Qed.
Lemma total_order l : total dec machines family p l == sum (map (fun b => load p b l) (order l)).
Proof. apply sum_perm, Permutation_map, Permutation_sym. apply (order_perm dec machines prio); assumption. Qed.
Lemma rest_load_ready w : w = u \/ w = v -> rest_load w <= ready p o1 w.
Proof.
  intros Hw. destruct (before_split dec o1 (order w) (order_all dec prio prio_all w o1)) as (after & E).
  assert (N := order_nodup dec prio prio_nodup w). assert (T := total_order w). rewrite E in N, T. rewrite map_app in T.
  assert (Z : sum (map (fun b => load p b w) after) <= 0).
  { assert (Z : sum (map (fun b => load p b w) after) <= ofnat (length after) * 0); [|lra].
    apply sum_le_const. intros b Hb. destruct (lt_le 0 (load p b w)) as [H|H]; [exfalso|exact H].
    apply NoDup_remove in N. destruct N as [N N1].
    assert (nb : b <> o1) by (intros e; subst; apply N1, in_or_app; auto).
    exact (proj2 (proj2 (nodup_app _ _ N)) b (before_1 w b Hw nb H) Hb). }
  unfold rest_load, Game.ready. clear E N. set (B := map _ (before o1 (order w))) in *.
  generalize (sum_app B (map (fun b => load p b w) (o1 :: after))). simpl in *. lra.
Qed.
Lemma rest_load_elsewhere l : l <> u -> l <> v -> rest_load l <= n - 2.
Proof.
  intros H1 H2. assert (H3 := n_ge). assert (T := total_order l).
  assert (P : 0 + sum (map (fun b => load p b l) (order l)) <= n - 2);
    [|unfold rest_load; generalize (load0 o1 l); lra].
  apply (prefix_load dec family); [lra|apply order_nodup; exact prio_nodup|].
  intros a _ Hu. destruct (dec a o1) as [e|ne]; [subst a; rewrite unused_1 in Hu; congruence|].
  generalize (pays a l Hu) (others_pay a ne). unfold Game.ready. lra.
Qed.
Lemma rest_load_uv : n - 2 <= rest_load u + rest_load v.
Proof.
  assert (U := uv). set (r := remove dec v (remove dec u machines)).
  assert (P : Permutation machines (u :: v :: r)).
  { apply (Permutation_trans (machines_perm dec machines machines_all machines_nodup u)). apply perm_skip.
    apply remove_perm; [apply remove_nodup; exact machines_nodup|]. apply in_remove_iff. auto. }
  assert (E2 : sum (map rest_load machines) == rest_load u + (rest_load v + sum (map rest_load r)))
    by exact (sum_perm _ _ (Permutation_map rest_load P)).
  assert (E3 : sum (map rest_load r) <= ofnat (length r) * (n - 2)).
  { apply sum_le_const. intros l Hl. unfold r in Hl. rewrite !in_remove_iff in Hl. apply rest_load_elsewhere; tauto. }
  assert (E4 : n == ofnat (length r) + 2) by (unfold n; rewrite (Permutation_length P); simpl; lra).
  assert (E5 : ofnat (length r) * (n - 2) == (n - 2) * (n - 2)).
  { assert (E6 : ofnat (length r) == n - 2) by lra. rewrite E6. ring. }
  generalize rest_load_sum. lra.
Qed.

(* neither u nor v is O1's own machine: all of N-2 would be before the other job *)
Lemma uv_abroad w : w = u \/ w = v -> w <> o1.
Proof.
  intros Hw e. generalize (ready_home dec family prio p o1) rest_load_uv (rest_load_ready u (or_introl eq_refl))
    (rest_load_ready v (or_intror eq_refl)) (ready_1 u (or_introl eq_refl)) (ready_1 v (or_intror eq_refl)).
  destruct Hw as [e'|e']; rewrite <- e', e; lra.
Qed.

(* only O2's units are there: a job of N-2 would be too long *)
Lemma units_only w b : w = u \/ w = v -> b <> o1 -> b <> o2 -> load p b w <= 0.
Proof.
  intros Hw Hb n2. destruct (lt_le 0 (load p b w)) as [Hl|Hl]; [exfalso|exact Hl].
  assert (G := sum_map_ge (fun a => load p a w) _ b (fun a => load0 a w) (before_1 w b Hw Hb Hl)). cbv beta in G.
  fold (ready p o1 w) in G.
  assert (E : load p b w == n - 2).
  { unfold Game.load, Game.ld, family in *. destruct (dec b o1); [congruence|]. destruct (dec b o2); [congruence|].
    simpl in *. destruct (dec (p b 0%nat) w); simpl in *; lra. }
  generalize (ready_1 w Hw). lra.
Qed.
Lemma rest_load_units w : w = u \/ w = v -> rest_load w == load p o2 w.
Proof.
  intros Hw. destruct nodup_parts as (_ & N1 & N2 & _).
  assert (Z : sum (map (fun b => load p b w) rest) == 0).
  { apply sum_zero. intros b Hb. generalize (load0 b w) (units_only w b Hw ltac:(congruence) ltac:(congruence)). lra. }
  unfold rest_load, total, machines. simpl. lra.
Qed.

(* ---- O1 before O2 on the machines of the further organizations ---- *)
Lemma cheap_not_before : (forall l, l <> o1 -> l <> o2 -> In o1 (before o2 (order l))) -> False.
Proof.
  intros prio_12. assert (H3 := n_ge). assert (U := uv). assert (O12 := o12).
  assert (Key : forall w, w = u \/ w = v -> w <> o2 -> rest_load w <= 0).
  { intros w Hw Hw2. rewrite (rest_load_units w Hw).
    destruct (lt_le 0 (load p o2 w)) as [Hl|Hl]; [exfalso|exact Hl].
    exact (before_asym dec o2 o1 _ (before_1 w o2 Hw (not_eq_sym O12) Hl) (prio_12 w (uv_abroad w Hw) Hw2)). }
  generalize rest_load_uv (rest_load_ready u (or_introl eq_refl)) (rest_load_ready v (or_intror eq_refl))
    (ready_1 u (or_introl eq_refl)) (ready_1 v (or_intror eq_refl)).
  destruct (dec u o2) as [e|nu].
  - generalize (Key v (or_intror eq_refl) ltac:(congruence)). lra.
  - generalize (Key u (or_introl eq_refl) nu). lra.
Qed.

(* ---- N odd ---- *)
Lemma ready_rest_load w : w = u \/ w = v -> ready p o1 w == rest_load w.
Proof.
  intros Hw.
  generalize (ready_le_others dec machines family prio machines_all prio_nodup family_nonneg p o1 w)
    (total_others dec machines family machines_all machines_nodup p o1 w (not_eq_sym (uv_abroad w Hw)))
    (rest_load_ready w Hw). unfold rest_load. lra.
Qed.
Lemma units_uv : load p o2 u + load p o2 v <= n - 2.
Proof.
  assert (U := uv). assert (W := ld_total dec machines machines_all machines_nodup (family o2) (p o2)).
  fold (work family o2) in W. assert (W2 := work_a o2 (not_eq_sym o12)).
  assert (I : sum (map (fun l => load p o2 l) [u; v]) <= sum (map (fun l => load p o2 l) machines)).
  { apply sum_incl; [intros; apply load0| |intros b _; apply machines_all].
    constructor; [simpl; intros [e|[]]; congruence|]. constructor; [simpl; tauto|constructor]. }
  change (load p o2 u + (load p o2 v + 0) <= sum (map (fun l => ld dec l (family o2) (p o2)) machines)) in I. lra.
Qed.

(* otherwise O1 keeps the job on w and takes the one on w', behind the larger part, home by the reply d *)
Lemma equal_parts w w' d : w = u /\ w' = v \/ w = v /\ w' = u ->
  (d 0%nat = w /\ d 1%nat = o1 \/ d 0%nat = o1 /\ d 1%nat = w) -> rest_load w' <= rest_load w.
Proof.
  intros Hww Hd. assert (H3 := n_ge).
  assert (Hw : w = u \/ w = v) by tauto. assert (Hw' : w' = u \/ w' = v) by tauto.
  assert (Hw1 := uv_abroad w Hw). destruct (lt_le (rest_load w) (rest_load w')) as [G|G]; [exfalso|exact G].
  assert (D0 : 0 <= rest_load w) by (rewrite (rest_load_units w Hw); apply load0).
  assert (G2 : cost (deviate dec p o1 d) o1 <= rest_load w + (n - 1)).
  { apply dev_le; auto using family_nonneg. split; [lra|]. intros l Hl.
    assert (E := ld_1 l d). destruct (dec l o1) as [e|n1]; [|destruct (dec l w) as [e|n2]].
    - subst l. generalize (ready_home dec family prio p o1).
      destruct Hd as [[e0 e1]|[e0 e1]]; rewrite e0, e1 in E; destruct (dec o1 o1), (dec w o1); try congruence; lra.
    - subst l. generalize (ready_rest_load w Hw).
      destruct Hd as [[e0 e1]|[e0 e1]]; rewrite e0, e1 in E; destruct (dec w w), (dec o1 w); try congruence; lra.
    - exfalso. apply Hl, unused_1; destruct Hd as [[e0 e1]|[e0 e1]]; congruence. }
  generalize (p_equilibrium o1 d) (ready_rest_load w' Hw') (ready_1 w' Hw'). lra.
Qed.
Lemma cheap_not_odd : (forall i, length rest <> (i + i)%nat) -> False.
Proof.
  intros Hodd.
  assert (P1 := equal_parts u v (fun t => match t with 0%nat => u | _ => o1 end) ltac:(auto) ltac:(auto)).
  assert (P2 := equal_parts v u (fun t => match t with 0%nat => o1 | _ => v end) ltac:(auto) ltac:(auto)).
  assert (Int : exists i, load p o2 u == ofnat i).
  { unfold Game.load, family. destruct (dec o2 o1); [generalize o12; congruence|]. destruct (dec o2 o2); [|congruence].
    apply ld_ones_integer. }
  destruct Int as (i & Hi). apply (Hodd i), ofnat_inj.
  generalize (ofnat_plus i i) n_eq rest_load_uv units_uv (rest_load_units u (or_introl eq_refl))
    (rest_load_units v (or_intror eq_refl)). lra.
Qed.
End Cheap.

(* O1 before O2, or N odd: O1 pays at least 2N-3 in every equilibrium *)
Lemma fam_stable p :
  (forall l, l <> o1 -> l <> o2 -> In o1 (before o2 (order l))) \/ (forall i, length rest <> (i + i)%nat) ->
  equilibrium dec machines family prio p -> 2 * n - 3 <= cost p o1.
Proof.
  intros H Hp. destruct (lt_le (cost p o1) (2 * n - 3)) as [Hc|Hc]; [exfalso|exact Hc].
  destruct H; [apply (cheap_not_before p); assumption|apply (cheap_not_odd p); assumption].
Qed.
End Stability.
End Family.

(* ================= N = 2 ================= *)
Section Two.
Variables o1 o2 : O.
Notation machines := [o1; o2].
Hypotheses (machines_all : forall l, In l machines) (machines_nodup : NoDup machines).

Definition two_jobs (a : O) : list num := if dec a o1 then [2; 2] else [1; 1].

Lemma two_differ : o1 <> o2.
Proof. intros e. inversion machines_nodup as [|x y Hx Hy]; subst. apply Hx. left. reflexivity. Qed.
Lemma two_nonneg a : nonneg (two_jobs a).
Proof. intros x. unfold two_jobs. destruct (dec a o1); simpl; intros [H|[H|[]]]; subst; lra. Qed.
Lemma two_work : work two_jobs o1 == 4 /\ work two_jobs o2 == 2.
Proof.
  assert (N := two_differ). unfold Game.work, two_jobs.
  destruct (dec o1 o1), (dec o2 o1); try congruence. simpl. lra.
Qed.
Lemma two_ld_1 l d :
  ld dec l (two_jobs o1) d == (if dec (d 0%nat) l then 2 else 0) + (if dec (d 1%nat) l then 2 else 0).
Proof. unfold two_jobs. destruct (dec o1 o1); [apply ld_pair|congruence]. Qed.

Variable C : profile (O:=O) -> O -> num.
Hypothesis HC : owner_first dec machines two_jobs C.

(* if O2 pays at most its work, O1 pays 4: 3 would need one job on each machine, and all of O2 on O1's machine *)
Lemma two_pays p : C p o2 <= 2 -> 4 <= C p o1.
Proof.
  intros H2. assert (N := two_differ).
  destruct (lt_le (C p o1) 4) as [H1|H1]; [exfalso|exact H1].
  assert (Pays : forall a l, 0 < load dec two_jobs p a l ->
    (if dec a l then 0 else load dec two_jobs p l l) + load dec two_jobs p a l <= C p a)
    by (intros a l H; apply (C_lower _ _ _ _ HC), load_pos_used; exact H).
  assert (V11 := Pays o1 o1). assert (V12 := Pays o1 o2). assert (V21 := Pays o2 o1). clear Pays.
  assert (S2 := ld_total dec machines machines_all machines_nodup (two_jobs o2) (p o2)). destruct two_work as [W1 W2].
  fold (work two_jobs o2) in S2.
  change (load dec two_jobs p o2 o1 + (load dec two_jobs p o2 o2 + 0) == work two_jobs o2) in S2.
  assert (E1 : load dec two_jobs p o1 o1 == _) by exact (two_ld_1 o1 (p o1)).
  assert (E2 : load dec two_jobs p o1 o2 == _) by exact (two_ld_1 o2 (p o1)).
  assert (P : 0 <= load dec two_jobs p o2 o2) by (apply load_nonneg; exact two_nonneg).
  destruct (dec o1 o1), (dec o1 o2), (dec o2 o1); try congruence.
  destruct (machines_all (p o1 0%nat)) as [e0|[e0|[]]]; destruct (machines_all (p o1 1%nat)) as [e1|[e1|[]]];
    rewrite <- e0, <- e1 in E1, E2; destruct (dec o1 o1), (dec o1 o2), (dec o2 o1), (dec o2 o2); try congruence;
    try (specialize (V11 ltac:(lra)); lra); specialize (V12 ltac:(lra)); try lra; specialize (V21 ltac:(lra)); lra.
Qed.

(* in an equilibrium O2 pays at most its work *)
Lemma two_every p : (forall a d, C p a <= C (deviate dec p a d) a) -> 4 <= C p o1.
Proof.
  intros Hp. apply two_pays. destruct two_work as [_ W2].
  generalize (Hp o2 (home o2)) (C_home dec machines two_jobs two_nonneg C HC (deviate dec p o2 (home o2)) o2
    (deviate_same dec p o2 (home o2))). lra.
Qed.
Lemma two_home_load l : (if dec l o1 then 4 else 2) <= load dec two_jobs (fun b => home b) l l.
Proof.
  assert (H := load_home dec two_jobs (fun b => home b) l l eq_refl). destruct two_work as [W1 W2].
  destruct (machines_all l) as [E|[E|[]]]; subst l; generalize two_differ;
    destruct (dec o1 o1), (dec o2 o1), (dec o2 o2); intros; try congruence; lra.
Qed.
Lemma two_equilibrium a d : C (fun b => home b) a <= C (deviate dec (fun b => home b) a d) a.
Proof.
  destruct (machines_all a) as [e|[e|[]]]; subst a.
  - (* O1 pays 4 whatever it does while O2 is home *)
    generalize (C_home dec machines two_jobs two_nonneg C HC (fun b => home b) o1 eq_refl) two_work.
    assert (G : 4 <= C (deviate dec (fun b => home b) o1 d) o1); [|lra]. apply two_pays.
    generalize (C_home dec machines two_jobs two_nonneg C HC (deviate dec (fun b => home b) o1 d) o2) two_work.
    intros H W. assert (E : deviate dec (fun b => home b) o1 d o2 = home o2).
    { unfold deviate. generalize two_differ. destruct (dec o2 o1); [congruence|reflexivity]. }
    specialize (H E). lra.
  - apply (C_home_content dec machines two_jobs two_nonneg C HC); [reflexivity|].
    intros l Hl. assert (G := two_home_load l). generalize two_work. destruct (dec l o1); lra.
Qed.
Lemma two_opt a : C (fun _ t => match t with 0%nat => o1 | _ => o2 end) a <= 3.
Proof.
  apply (C_le_total dec machines two_jobs machines_all machines_nodup two_nonneg C HC); [lra|].
  intros l. unfold total. simpl. unfold Game.load, Game.ld, two_jobs.
  generalize two_differ. destruct (dec o1 o1), (dec o2 o1); intros; try congruence.
  simpl. destruct (dec o1 l), (dec o2 l); simpl; try lra. congruence.
Qed.
End Two.

(* ================= THE THEOREMS ================= *)
(* one game and two profiles for all orders of the foreign jobs *)
Theorem attained machines : (forall l, In l machines) -> NoDup machines -> (2 <= length machines)%nat ->
  exists (jobs : O -> list num), (forall a, nonneg (jobs a)) /\ exists (p q : profile) k T, 0 < T /\
    forall C, owner_first dec machines jobs C -> (forall a d, C p a <= C (deviate dec p a d) a) /\
      (forall a, C q a <= T) /\ rho (length machines) * T <= C p k.
Proof.
  intros Ha Hn H2. destruct machines as [|o1 [|o2 [|o3 r]]]; simpl in H2; try lia.
  - exists (two_jobs o1). split; [apply two_nonneg|].
    exists (fun b => home b), (fun _ t => match t with 0%nat => o1 | _ => o2 end), o1, 3. split; [lra|]. intros C HC.
    assert (Hp := two_equilibrium o1 o2 Ha Hn C HC). split; [exact Hp|].
    split; [exact (two_opt o1 o2 Ha Hn C HC)|]. simpl length.
    generalize (two_every o1 o2 Ha Hn C HC _ Hp) rho_2. lra.
  - assert (Hne : o3 :: r <> []) by discriminate. set (machines := o1 :: o2 :: o3 :: r) in *.
    destruct (rho_ge3 (length machines) ltac:(unfold machines; simpl; lia)) as [Er N3].
    exists (family o1 o2 (o3 :: r)). split; [intros a; apply family_nonneg; assumption|].
    exists (fam_eq o1 o2), (fam_opt o1 o2 (o3 :: r)), o1, (ofnat (length machines) - 1). split; [lra|].
    intros C HC. split; [intros; apply (fam_equilibrium o1 o2 (o3 :: r)); assumption|].
    split; [intros; apply fam_opt_cost; assumption|]. rewrite Er. apply fam_cost_1_ge; assumption.
Qed.

(* a game whose equilibria all cost k at least rho times T, while everybody pays at most T in q *)
Definition stable_game machines prio (jobs : O -> list num) (q : profile) (k : O) (T : num) : Prop :=
  (exists p, equilibrium dec machines jobs prio p) /\ 0 < T /\ (forall a, cost dec machines jobs prio q a <= T) /\
  forall p, equilibrium dec machines jobs prio p -> rho (length machines) * T <= cost dec machines jobs prio p k.

Variable prio : O -> list O.

Theorem stable_2 o1 o2 : let machines := [o1; o2] in
  (forall l, In l machines) -> NoDup machines -> (forall l, NoDup (prio l)) -> (forall l a, In a (prio l)) ->
  exists jobs, (forall a, nonneg (jobs a)) /\ exists q k T, stable_game machines prio jobs q k T.
Proof.
  intros machines Ha Hn Hpn Hpa. exists (two_jobs o1). split; [apply two_nonneg|].
  exists (fun _ t => match t with 0%nat => o1 | _ => o2 end), o1, 3.
  assert (HC := organizations_owner_first dec machines _ Ha Hn (two_nonneg o1) prio Hpn Hpa).
  split; [exists (fun b => home b); exact (two_equilibrium o1 o2 Ha Hn _ HC)|]. split; [lra|].
  split; [exact (two_opt o1 o2 Ha Hn _ HC)|]. intros p Hp. simpl length.
  generalize (two_every o1 o2 Ha Hn _ HC p Hp) rho_2. lra.
Qed.

(* O1 before O2 on the further machines, or N odd *)
Theorem stable o1 o2 o3 r : let machines := o1 :: o2 :: o3 :: r in
  (forall l, In l machines) -> NoDup machines -> (forall l, NoDup (prio l)) -> (forall l a, In a (prio l)) ->
  (forall l, l <> o1 -> l <> o2 -> In o1 (before dec o2 (order dec prio l))) \/ Nat.Odd (length machines) ->
  exists jobs, (forall a, nonneg (jobs a)) /\ exists q k T, stable_game machines prio jobs q k T.
Proof.
  intros machines Ha Hn Hpn Hpa H. assert (Hne : o3 :: r <> []) by discriminate.
  destruct (rho_ge3 (length machines) ltac:(unfold machines; simpl; lia)) as [Er N3].
  assert (Hf : forall a, nonneg (family o1 o2 (o3 :: r) a)) by (intros a; apply family_nonneg; assumption).
  exists (family o1 o2 (o3 :: r)). split; [exact Hf|].
  assert (HC := organizations_owner_first dec machines _ Ha Hn Hf prio Hpn Hpa).
  exists (fam_opt o1 o2 (o3 :: r)), o1, (ofnat (length machines) - 1). split; [|split; [lra|split]].
  - exists (fam_eq o1 o2). intros a d. apply (fam_equilibrium o1 o2 (o3 :: r)); assumption.
  - intros a. apply fam_opt_cost; assumption.
  - intros p Hp. rewrite Er. apply fam_stable; try assumption. destruct H as [H|(h & Hh)]; [left; exact H|right].
    intros i E. unfold machines in Hh. simpl in Hh, E. lia.
Qed.
End Attained.
