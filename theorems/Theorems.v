(* All checked theorems in one place, for organizations Fin.t N (read this file and the first 60 lines of Game.v). *)
From Coq Require Import List Lia Permutation Fin PeanoNat.
Require Import Numbers Game.
Require ThreeOrganizations TwoOrganizations SharpPrice SharpPriceAttained FewOrEqualJobs.
Import ListNotations.

Fixpoint all (N : nat) : list (Fin.t N) :=
  match N with 0%nat => [] | S n => Fin.F1 :: map Fin.FS (all n) end.

Section Game_N.
Variable N : nat.
Notation org := (Fin.t N).
Variable jobs : org -> list num.
Variable prio : org -> list org.
Definition nonneg_jobs : Prop := forall a x, In x (jobs a) -> 0 <= x.
Definition is_prio : Prop := forall l, Permutation (prio l) (all N).      (* one strict order per machine *)
Definition costN : (org -> nat -> org) -> org -> num := cost Fin.eq_dec (all N) jobs prio.
Definition NE (p : org -> nat -> org) : Prop :=                           (* pure Nash equilibrium *)
  forall (a : org) (d : nat -> org), costN p a <= costN (fun b => if Fin.eq_dec b a then d else p b) a.
Definition strongNE (p : org -> nat -> org) : Prop :=                     (* no coalition K makes all its members better off *)
  forall (K : org -> bool) (q : org -> nat -> org), (exists a, K a = true) ->
  exists a, K a = true /\ costN p a <= costN (fun b => if K b then q b else p b) a.
Definition makespan (p : org -> nat -> org) : num := fold_right nmax 0 (map (costN p) (all N)).
End Game_N.

Definition rho (N : nat) : num := if Nat.eqb N 2 then 4 / 3 else 2 - 1 / (ofnat N - 1).

Lemma all_in N (a : Fin.t N) : In a (all N).
Proof. induction a; simpl; [left; reflexivity|right; apply in_map; assumption]. Qed.
Lemma all_nodup N : NoDup (all N).
Proof.
  induction N as [|n IH]; simpl; constructor.
  - intros H. apply in_map_iff in H. destruct H as (x & e & _). discriminate.
  - apply FinFun.Injective_map_NoDup; [|exact IH]. intros x y e. apply Fin.FS_inj; exact e.
Qed.
Lemma all_length N : length (all N) = N.
Proof. induction N; simpl; [reflexivity|rewrite map_length; congruence]. Qed.

Lemma prio_ok N prio : is_prio N prio -> (forall l, NoDup (prio l)) /\ (forall l a, In a (prio l)).
Proof.
  intros H. split.
  - intros l. exact (Permutation_NoDup (Permutation_sym (H l)) (all_nodup N)).
  - intros l a. exact (Permutation_in a (Permutation_sym (H l)) (all_in N a)).
Qed.

Lemma makespan_le N jobs prio p T : makespan N jobs prio p <= T <-> 0 <= T /\ forall a, costN N jobs prio p a <= T.
Proof.
  unfold makespan. rewrite fold_max_le. split; intros [H0 H]; (split; [exact H0|]).
  - intros a. apply H. apply in_map, all_in.
  - intros x Hx. apply in_map_iff in Hx. destruct Hx as (a & e & _). subst x. apply H.
Qed.

(* ---- T1: three organizations ---- *)
Theorem T1 : forall jobs prio, nonneg_jobs 3 jobs -> is_prio 3 prio -> exists p, NE 3 jobs prio p.
Proof.
  intros jobs prio Hj Hp. destruct (prio_ok _ _ Hp) as [Hn Hi].
  apply (ThreeOrganizations.three_exists Fin.eq_dec (all 3) jobs prio (all_in 3) Hn Hi Hj Fin.F1 (Fin.FS Fin.F1) (Fin.FS (Fin.FS Fin.F1)));
    try discriminate.
  intros x. destruct (all_in 3 x) as [e|[e|[e|[]]]]; simpl in *; auto.
Qed.

(* ---- T4(a), R10: two organizations ---- *)
Theorem N2 : forall jobs prio, nonneg_jobs 2 jobs -> is_prio 2 prio -> exists p, NE 2 jobs prio p.
Proof.
  intros jobs prio Hj Hp. destruct (prio_ok _ _ Hp) as [Hn Hi].
  assert (on : forall x : Fin.t 2, x = Fin.F1 \/ x = Fin.FS Fin.F1).
  { intros x. destruct (all_in 2 x) as [e|[e|[]]]; simpl in *; auto. }
  destruct (lt_le (work jobs Fin.F1) (work jobs (Fin.FS Fin.F1))) as [H|H].
  - apply (TwoOrganizations.two_exists Fin.eq_dec (all 2) jobs prio (all_in 2) Hn Hi Hj (Fin.FS Fin.F1) Fin.F1); [discriminate|intros x; destruct (on x); auto|lra].
  - apply (TwoOrganizations.two_exists Fin.eq_dec (all 2) jobs prio (all_in 2) Hn Hi Hj Fin.F1 (Fin.FS Fin.F1)); [discriminate|exact on|lra].
Qed.

Theorem R10 : forall jobs prio, nonneg_jobs 2 jobs -> is_prio 2 prio ->
  forall p, NE 2 jobs prio p -> strongNE 2 jobs prio p.
Proof.
  intros jobs prio Hj Hp p. destruct (prio_ok _ _ Hp) as [Hn Hi].
  apply (TwoOrganizations.two_strong Fin.eq_dec (all 2) jobs prio (all_in 2) Hn Hi Hj Fin.F1 (Fin.FS Fin.F1)); [discriminate|].
  intros x. destruct (all_in 2 x) as [e|[e|[]]]; simpl in *; auto.
Qed.

(* ---- T2: any N ---- *)
Theorem T2 : forall N jobs prio, nonneg_jobs N jobs -> is_prio N prio ->
  (forall a, (length (jobs a) <= 2)%nat \/ exists len, forall x, In x (jobs a) -> x == len) ->
  exists p, NE N jobs prio p.
Proof.
  intros N jobs prio Hj Hp. destruct (prio_ok _ _ Hp) as [Hn Hi].
  apply (FewOrEqualJobs.T2 Fin.eq_dec (all N) jobs prio (all_in N) (all_nodup N) Hn Hi Hj).
Qed.

(* ---- T3: the price of anarchy is rho N ---- *)
Lemma rho_ge3 N : (3 <= N)%nat -> rho N * (ofnat N - 1) == 2 * ofnat N - 3 /\ 3 <= ofnat N.
Proof.
  intros H. assert (H3 : 3 <= ofnat N) by (generalize (ofnat_le _ _ H); simpl; lra). split; [|exact H3].
  unfold rho. destruct (Nat.eqb_spec N 2) as [e|n]; [lia|]. field. lra.
Qed.

Lemma rho_2 : 3 * rho 2 == 4.
Proof. unfold rho. simpl Nat.eqb. cbv iota. field. Qed.

Theorem T3_upper : forall N jobs prio, (2 <= N)%nat -> nonneg_jobs N jobs -> is_prio N prio ->
  forall p q, NE N jobs prio p -> makespan N jobs prio p <= rho N * makespan N jobs prio q.
Proof.
  intros N jobs prio HN Hj Hp p q Hne. destruct (prio_ok _ _ Hp) as [Hn Hi].
  set (T := makespan N jobs prio q).
  assert (HT : 0 <= T /\ forall a, costN N jobs prio q a <= T) by (apply makespan_le; unfold T; lra).
  destruct HT as [HT Hq].
  assert (U := fun k => SharpPrice.upper Fin.eq_dec (all N) jobs prio (all_in N) (all_nodup N) Hn Hi Hj p q T k Hne Hq).
  rewrite all_length in U.
  destruct (Nat.eq_dec N 2) as [e|n].
  - subst N. assert (R2 := rho_2). assert (Hr : 0 <= rho 2) by lra.
    apply makespan_le. split; [apply mul_nonneg; assumption|].
    intros a. assert (G := proj1 (U a) eq_refl). apply (mul_cancel 3); [lra|]. unfold costN.
    assert (E2 : 3 * (rho 2 * T) == 4 * T) by (rewrite <- R2; ring). lra.
  - assert (H3 : (3 <= N)%nat) by lia. destruct (rho_ge3 N H3) as [Er Hf].
    assert (Hr : 0 <= rho N).
    { destruct (lt_le (rho N) 0) as [G|G]; [exfalso; nra|exact G]. }
    apply makespan_le. split; [apply mul_nonneg; assumption|].
    intros a. assert (G := proj2 (U a) H3). cbv zeta in G.
    apply (mul_cancel (ofnat N - 1)); [lra|]. unfold costN.
    assert (E2 : (ofnat N - 1) * (rho N * T) == (2 * ofnat N - 3) * T) by (rewrite <- Er; ring).
    lra.
Qed.

(* attained, whatever the priority *)
Theorem T3_attained : forall N prio, (2 <= N)%nat -> is_prio N prio ->
  exists jobs, nonneg_jobs N jobs /\
  exists p q, NE N jobs prio p /\ 0 < makespan N jobs prio q /\
    makespan N jobs prio p == rho N * makespan N jobs prio q.
Proof.
  intros N prio HN Hp. destruct (prio_ok _ _ Hp) as [Hn Hi].
  assert (G : exists jobs, nonneg_jobs N jobs /\ exists p q (k : Fin.t N) (T : num),
     NE N jobs prio p /\ 0 < T /\ (forall a, costN N jobs prio q a <= T) /\ rho N * T <= costN N jobs prio p k /\ 0 < rho N).
  { destruct (Nat.eq_dec N 2) as [e|n].
    - subst N. destruct (SharpPriceAttained.lower2 Fin.eq_dec prio Hn Hi Fin.F1 (Fin.FS Fin.F1)) as (jobs & Hj & p & q & k & H1 & H2 & H3 & _).
      + exact (all_in 2).
      + exact (all_nodup 2).
      + exists jobs. split; [exact Hj|]. exists p, q, k, 3. split; [exact H1|]. split; [lra|]. split; [exact H2|].
        assert (R2 := rho_2). unfold costN. change (all 2) with [Fin.F1; Fin.FS Fin.F1 : Fin.t 2]. lra.
    - assert (H3 : (3 <= N)%nat) by lia. destruct (rho_ge3 N H3) as [Er Hf].
      destruct (SharpPriceAttained.lower Fin.eq_dec prio Hn Hi (all N) (all_in N) (all_nodup N)) as (jobs & Hj & p & q & k & H1 & H2 & H4).
      + rewrite all_length; exact H3.
      + rewrite all_length in *. exists jobs. split; [exact Hj|]. exists p, q, k, (ofnat N - 1).
        split; [exact H1|]. split; [lra|]. split; [exact H2|]. unfold costN. split; [lra|].
        destruct (lt_le 0 (rho N)) as [G|G]; [exact G|exfalso; nra]. }
  destruct G as (jobs & Hj & p & q & k & T & H1 & H2 & H3 & H4 & H5).
  exists jobs. split; [exact Hj|]. exists p, q. split; [exact H1|].
  assert (U := T3_upper N jobs prio HN Hj Hp p q H1).
  assert (Q : makespan N jobs prio q <= T) by (apply makespan_le; split; [lra|exact H3]).
  assert (P : 0 <= makespan N jobs prio p /\ forall a, costN N jobs prio p a <= makespan N jobs prio p)
    by (apply makespan_le; lra).
  destruct P as [_ P]. specialize (P k).
  assert (M : rho N * makespan N jobs prio q <= rho N * T) by (apply mul_le; lra).
  split; [|lra].
  apply (mul_cancel (rho N)) in M; [|exact H5].
  destruct (lt_le 0 (makespan N jobs prio q)) as [Z|Z]; [exact Z|exfalso].
  assert (rho N * makespan N jobs prio q <= rho N * 0) by (apply mul_le; lra).
  assert (0 < rho N * T) by nra. lra.
Qed.

Lemma first_before {O : Type} (dec : forall a b : O, {a = b} + {a <> b}) (o1 o2 l : O) r :
  o1 <> o2 -> l <> o1 -> l <> o2 -> In o1 (before dec o2 (l :: remove dec l (o1 :: r))).
Proof.
  intros n12 n1 n2. simpl. destruct (dec l o2); [congruence|]. destruct (dec l o1); [congruence|].
  simpl. destruct (dec o1 o2); [congruence|]. simpl. auto.
Qed.

(* a profile q of makespan at most T and a cost of rho N T in every equilibrium *)
Lemma stability_tail N jobs prio p q k T : (2 <= N)%nat -> nonneg_jobs N jobs -> is_prio N prio ->
  NE N jobs prio p -> 0 < T -> (forall a, costN N jobs prio q a <= T) -> 0 < rho N ->
  (forall p', NE N jobs prio p' -> rho N * T <= costN N jobs prio p' k) ->
  0 < makespan N jobs prio q /\
  forall p, NE N jobs prio p -> rho N * makespan N jobs prio q <= makespan N jobs prio p.
Proof.
  intros HN Hj Hp H1 H2 H3 H4 H5.
  assert (Q : makespan N jobs prio q <= T) by (apply makespan_le; split; [lra|exact H3]).
  assert (M := mul_le (rho N) _ _ ltac:(lra) Q).
  assert (Low : forall p', NE N jobs prio p' -> rho N * T <= makespan N jobs prio p').
  { intros p' Hp'. assert (P : 0 <= makespan N jobs prio p' /\ forall a, costN N jobs prio p' a <= makespan N jobs prio p')
      by (apply makespan_le; lra).
    destruct P as [_ P]. specialize (P k). specialize (H5 p' Hp'). lra. }
  split.
  - assert (U := T3_upper N jobs prio HN Hj Hp p q H1). specialize (Low p H1).
    destruct (lt_le 0 (makespan N jobs prio q)) as [Z|Z]; [exact Z|exfalso].
    assert (Z2 : rho N * makespan N jobs prio q <= rho N * 0) by (apply mul_le; lra).
    assert (Z3 : 0 < rho N * T) by nra. lra.
  - intros p' Hp'. specialize (Low p' Hp'). lra.
Qed.

(* ---- T3: the price of stability is rho N, too: a game all of whose equilibria cost rho N times a profile q ---- *)
Theorem T3_stability : forall N, (2 <= N)%nat -> exists jobs prio, nonneg_jobs N jobs /\ is_prio N prio /\
  (exists p, NE N jobs prio p) /\
  exists q, 0 < makespan N jobs prio q /\
    forall p, NE N jobs prio p -> rho N * makespan N jobs prio q <= makespan N jobs prio p.
Proof.
  intros N HN.
  set (prio := fun _ : Fin.t N => all N).
  assert (Hp : is_prio N prio) by (intros l; apply Permutation_refl).
  destruct (prio_ok _ _ Hp) as [Hn Hi].
  assert (G : exists jobs, nonneg_jobs N jobs /\ exists p q (k : Fin.t N) (T : num),
     NE N jobs prio p /\ 0 < T /\ (forall a, costN N jobs prio q a <= T) /\ 0 < rho N /\
     forall p', NE N jobs prio p' -> rho N * T <= costN N jobs prio p' k).
  { destruct N as [|[|[|m]]]; [lia|lia| |].
    - destruct (SharpPriceAttained.lower2 Fin.eq_dec prio Hn Hi Fin.F1 (Fin.FS Fin.F1)) as (jobs & Hj & p & q & k & H1 & H2 & _ & H3).
      + exact (all_in 2).
      + exact (all_nodup 2).
      + exists jobs. split; [exact Hj|]. exists p, q, k, 3. assert (R2 := rho_2).
        split; [exact H1|]. split; [lra|]. split; [exact H2|]. split; [lra|].
        intros p' Hp'. specialize (H3 p' Hp'). unfold costN. change (all 2) with [Fin.F1; Fin.FS Fin.F1 : Fin.t 2]. lra.
    - set (N := S (S (S m))) in *. assert (H3 : (3 <= N)%nat) by (unfold N; lia). destruct (rho_ge3 N H3) as [Er Hf].
      destruct (SharpPriceAttained.stable Fin.eq_dec prio Hn Hi Fin.F1 (Fin.FS Fin.F1) (Fin.FS (Fin.FS Fin.F1))
                  (map Fin.FS (map Fin.FS (map Fin.FS (all m))))) as (jobs & Hj & p & q & k & H1 & H2 & H4).
      + exact (all_in N).
      + exact (all_nodup N).
      + intros l n1 n2. apply first_before; auto. discriminate.
      + change (Fin.F1 :: Fin.FS Fin.F1 :: Fin.FS (Fin.FS Fin.F1) :: map Fin.FS (map Fin.FS (map Fin.FS (all m)))) with (all N) in *.
        rewrite all_length in *. exists jobs. split; [exact Hj|]. exists p, q, k, (ofnat N - 1).
        split; [exact H1|]. split; [lra|]. split; [exact H2|]. split.
        * destruct (lt_le 0 (rho N)) as [G|G]; [exact G|exfalso; nra].
        * intros p' Hp'. specialize (H4 p' Hp'). unfold costN. lra. }
  destruct G as (jobs & Hj & p & q & k & T & H1 & H2 & H3 & H4 & H5).
  exists jobs, prio. split; [exact Hj|]. split; [exact Hp|]. split; [exists p; exact H1|]. exists q.
  apply (stability_tail N jobs prio p q k T); assumption.
Qed.

(* N odd: under EVERY priority *)
Theorem T3_stability_odd : forall N prio, (3 <= N)%nat -> Nat.Odd N -> is_prio N prio ->
  exists jobs, nonneg_jobs N jobs /\ (exists p, NE N jobs prio p) /\
  exists q, 0 < makespan N jobs prio q /\
    forall p, NE N jobs prio p -> rho N * makespan N jobs prio q <= makespan N jobs prio p.
Proof.
  intros N prio H3 Hodd Hp. destruct (prio_ok _ _ Hp) as [Hn Hi]. destruct (rho_ge3 N H3) as [Er Hf].
  assert (HN : (2 <= N)%nat) by lia.
  assert (Hr : 0 < rho N) by (destruct (lt_le 0 (rho N)) as [G|G]; [exact G|exfalso; nra]).
  destruct N as [|[|[|m]]]; [lia|lia|lia|]. set (N := S (S (S m))) in *.
  destruct (SharpPriceAttained.stable_odd Fin.eq_dec prio Hn Hi Fin.F1 (Fin.FS Fin.F1) (Fin.FS (Fin.FS Fin.F1))
              (map Fin.FS (map Fin.FS (map Fin.FS (all m))))) as (jobs & Hj & p & q & k & H1 & H2 & H4).
  - exact (all_in N).
  - exact (all_nodup N).
  - change (Nat.Odd (length (all N))). rewrite all_length. exact Hodd.
  - change (Fin.F1 :: Fin.FS Fin.F1 :: Fin.FS (Fin.FS Fin.F1) :: map Fin.FS (map Fin.FS (map Fin.FS (all m)))) with (all N) in *.
    rewrite all_length in *. exists jobs. split; [exact Hj|]. split; [exists p; exact H1|]. exists q.
    apply (stability_tail N jobs prio p q k (ofnat N - 1)); try assumption; [lra|].
    intros p' Hp'. specialize (H4 p' Hp'). unfold costN. lra.
Qed.

Print Assumptions T1.
Print Assumptions N2.
Print Assumptions R10.
Print Assumptions T2.
Print Assumptions T3_upper.
Print Assumptions T3_attained.
Print Assumptions T3_stability.
Print Assumptions T3_stability_odd.
Print Assumptions SharpPrice.upper_any.   (* T3, upper bound, for ANY order of the foreign jobs, also one that depends on the profile *)
