(* The theorems for N organizations, numbered by the type Fin.t N with its N elements: from the general statements of
   the other files to those of Theorems.v. What is added: the list of all organizations, and from the bounds of
   SharpPrice.v and SharpPriceAttained.v, multiplied out, to makespans and the number rho N. *)
From Coq Require Import List Lia Permutation Fin PeanoNat.
Require Import Numbers Game SharpPrice SharpPriceAttained.
Require ThreeOrganizations TwoOrganizations FewOrEqualJobs PriorityToJobs.
Import ListNotations.

(* ================= DEFINITION ================= *)
(* all organizations *)
Fixpoint all (N : nat) : list (Fin.t N) :=
  match N with 0%nat => [] | S n => Fin.F1 :: map Fin.FS (all n) end.

(* ================= ALL ORGANIZATIONS ================= *)
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

(* one strict order for each machine contains everybody once *)
Lemma prio_ok N prio : (forall l : Fin.t N, Permutation (prio l) (all N)) ->
  (forall l, NoDup (prio l)) /\ (forall l a, In a (prio l)).
Proof.
  intros H. split.
  - intros l. exact (Permutation_NoDup (Permutation_sym (H l)) (all_nodup N)).
  - intros l a. exact (Permutation_in a (Permutation_sym (H l)) (all_in N a)).
Qed.

Notation game_equilibrium N jobs prio := (equilibrium Fin.eq_dec (all N) jobs prio).
Notation nonneg_jobs jobs := (forall a, nonneg (jobs a)).
Notation is_prio N prio := (forall l : Fin.t N, Permutation (prio l) (all N)).

(* ---- existence ---- *)
Lemma one_of_three (x : Fin.t 3) : x = Fin.F1 \/ x = Fin.FS Fin.F1 \/ x = Fin.FS (Fin.FS Fin.F1).
Proof. destruct (all_in 3 x) as [e|[e|[e|[]]]]; simpl in *; auto. Qed.
Lemma one_of_two (x : Fin.t 2) : x = Fin.F1 \/ x = Fin.FS Fin.F1.
Proof. destruct (all_in 2 x) as [e|[e|[]]]; simpl in *; auto. Qed.
Lemma two_opponents : TwoOrganizations.opponents (Fin.F1 : Fin.t 2) (Fin.FS Fin.F1).
Proof. split; [discriminate|exact one_of_two]. Qed.
Lemma three_organizations jobs prio : nonneg_jobs jobs -> is_prio 3 prio -> exists p, game_equilibrium 3 jobs prio p.
Proof.
  intros Hj Hp. destruct (prio_ok _ _ Hp) as [Hn Hi].
  apply (ThreeOrganizations.three_exists Fin.eq_dec (all 3) jobs prio (all_in 3) Hn Hi Hj
           Fin.F1 (Fin.FS Fin.F1) (Fin.FS (Fin.FS Fin.F1))); try discriminate. exact one_of_three.
Qed.
Lemma two_organizations jobs prio : nonneg_jobs jobs -> is_prio 2 prio -> exists p, game_equilibrium 2 jobs prio p.
Proof.
  intros Hj Hp. destruct (prio_ok _ _ Hp) as [Hn Hi].
  exact (TwoOrganizations.two_exists Fin.eq_dec (all 2) jobs prio (all_in 2) Hn Hi Hj _ _ two_opponents).
Qed.
Lemma few_or_equal_jobs N jobs prio : nonneg_jobs jobs -> is_prio N prio ->
  (forall a, (length (jobs a) <= 2)%nat \/ exists len, forall x, In x (jobs a) -> x == len) ->
  exists p, game_equilibrium N jobs prio p.
Proof.
  intros Hj Hp. destruct (prio_ok _ _ Hp) as [Hn Hi].
  apply (FewOrEqualJobs.few_or_equal_exists Fin.eq_dec (all N) jobs prio (all_in N) (all_nodup N) Hn Hi Hj).
Qed.

(* ---- coalitions of two organizations ---- *)
Lemma two_undominated jobs prio : nonneg_jobs jobs -> is_prio 2 prio -> forall p, game_equilibrium 2 jobs prio p ->
  forall q a, cost Fin.eq_dec (all 2) jobs prio q a < cost Fin.eq_dec (all 2) jobs prio p a ->
  exists b, cost Fin.eq_dec (all 2) jobs prio p b < cost Fin.eq_dec (all 2) jobs prio q b.
Proof.
  intros Hj Hp p He q a. destruct (prio_ok _ _ Hp) as [Hn Hi].
  exact (TwoOrganizations.two_undominated Fin.eq_dec (all 2) jobs prio (all_in 2) Hn Hi Hj _ _ p q a two_opponents He).
Qed.
Lemma two_strong jobs prio : nonneg_jobs jobs -> is_prio 2 prio ->
  forall p, game_equilibrium 2 jobs prio p -> strong Fin.eq_dec (all 2) jobs prio p.
Proof.
  intros Hj Hp p. destruct (prio_ok _ _ Hp) as [Hn Hi].
  exact (TwoOrganizations.two_strong Fin.eq_dec (all 2) jobs prio (all_in 2) Hn Hi Hj _ _ p two_opponents).
Qed.

(* ================= the price ================= *)
(* for every cost function with the four properties of OwnerFirst.v *)
Section Price.
Variable N : nat.
Hypothesis HN : (2 <= N)%nat.
Variable jobs : Fin.t N -> list num.
Hypothesis Hj : nonneg_jobs jobs.
Variable C : profile (O:=Fin.t N) -> Fin.t N -> num.
Hypothesis HC : owner_first Fin.eq_dec (all N) jobs C.
Definition C_equilibrium (p : profile) : Prop := forall a d, C p a <= C (deviate Fin.eq_dec p a d) a.
Definition C_makespan (p : profile) : num := fold_right nmax 0 (map (C p) (all N)).

Lemma C_makespan_le p T : C_makespan p <= T <-> 0 <= T /\ forall a, C p a <= T.
Proof.
  unfold C_makespan. rewrite fold_max_le. split; intros [H0 H]; (split; [exact H0|]).
  - intros a. apply H, in_map, all_in.
  - intros x Hx. apply in_map_iff in Hx. destruct Hx as (a & e & _). subst x. apply H.
Qed.
Lemma C_price_upper p q : C_equilibrium p -> C_makespan p <= rho N * C_makespan q.
Proof.
  intros Hp. set (T := C_makespan q). assert (HT := proj1 (C_makespan_le q T) ltac:(unfold T; lra)).
  destruct HT as [HT Hq]. assert (Hr := rho_pos N HN).
  apply C_makespan_le. split; [apply mul_nonneg; lra|]. intros k.
  assert (U := upper_C Fin.eq_dec (all N) jobs (all_in N) (all_nodup N) Hj C p q T k HC Hp Hq).
  rewrite all_length in U. exact (U HN).
Qed.

(* a profile q of makespan at most T, and an equilibrium in which somebody pays at least rho N times T *)
Lemma C_price_lower p q T k : C_equilibrium p -> 0 < T -> (forall a, C q a <= T) -> rho N * T <= C p k ->
  0 < C_makespan q /\ rho N * C_makespan q <= C_makespan p.
Proof.
  intros Hp HT Hq Hk. assert (Hr := rho_pos N HN).
  assert (Q : C_makespan q <= T) by (apply C_makespan_le; split; [lra|exact Hq]).
  assert (M := mul_le (rho N) _ _ ltac:(lra) Q).
  assert (P := proj2 (proj1 (C_makespan_le p (C_makespan p)) ltac:(lra)) k).
  split; [|lra]. assert (U := C_price_upper p q Hp). assert (Z := mul_pos (rho N) T Hr HT).
  destruct (lt_le 0 (C_makespan q)) as [G|G]; [exact G|exfalso].
  assert (rho N * C_makespan q <= rho N * 0) by (apply mul_le; lra). lra.
Qed.
End Price.

(* attained, by one game and two profiles for all orders of the foreign jobs *)
Lemma C_price_attained N : (2 <= N)%nat -> exists jobs, nonneg_jobs jobs /\
  exists p q, forall C, owner_first Fin.eq_dec (all N) jobs C ->
    C_equilibrium N C p /\ 0 < C_makespan N C q /\ C_makespan N C p == rho N * C_makespan N C q.
Proof.
  intros HN. destruct (attained Fin.eq_dec (all N) (all_in N) (all_nodup N)) as (jobs & Hj & p & q & k & T & HT & H);
    [rewrite all_length; exact HN|]. rewrite all_length in H.
  exists jobs. split; [exact Hj|]. exists p, q. intros C HC.
  destruct (H C HC) as (H1 & H2 & H3). destruct (C_price_lower N HN jobs Hj C HC p q T k H1 HT H2 H3) as [L1 L2].
  split; [exact H1|]. split; [exact L1|]. generalize (C_price_upper N HN jobs Hj C HC p q H1). lra.
Qed.

(* ---- priority to organizations ---- *)
Notation game_makespan N jobs prio := (makespan Fin.eq_dec (all N) jobs prio).

Lemma price_upper N jobs prio : (2 <= N)%nat -> nonneg_jobs jobs -> is_prio N prio -> forall p q,
  game_equilibrium N jobs prio p -> game_makespan N jobs prio p <= rho N * game_makespan N jobs prio q.
Proof.
  intros HN Hj Hp p q. destruct (prio_ok _ _ Hp) as [Hn Hi].
  exact (C_price_upper N HN jobs Hj _ (organizations_owner_first _ _ _ (all_in N) (all_nodup N) Hj prio Hn Hi) p q).
Qed.
Lemma price_attained N prio : (2 <= N)%nat -> is_prio N prio -> exists jobs, nonneg_jobs jobs /\
  exists p q, game_equilibrium N jobs prio p /\ 0 < game_makespan N jobs prio q /\
    game_makespan N jobs prio p == rho N * game_makespan N jobs prio q.
Proof.
  intros HN Hp. destruct (prio_ok _ _ Hp) as [Hn Hi]. destruct (C_price_attained N HN) as (jobs & Hj & p & q & H).
  exists jobs. split; [exact Hj|]. exists p, q.
  exact (H _ (organizations_owner_first _ _ _ (all_in N) (all_nodup N) Hj prio Hn Hi)).
Qed.

(* every equilibrium of a game costs rho N times the makespan of a profile *)
Definition all_equilibria_cost_rho N (jobs : Fin.t N -> list num) prio : Prop :=
  (exists p, game_equilibrium N jobs prio p) /\
  exists q, 0 < game_makespan N jobs prio q /\
    forall p, game_equilibrium N jobs prio p -> rho N * game_makespan N jobs prio q <= game_makespan N jobs prio p.

Lemma all_equilibria N jobs prio q k T : (2 <= N)%nat -> nonneg_jobs jobs -> is_prio N prio ->
  stable_game Fin.eq_dec (all N) prio jobs q k T -> all_equilibria_cost_rho N jobs prio.
Proof.
  intros HN Hj Hp (Hex & HT & Hq & Hk). destruct (prio_ok _ _ Hp) as [Hn Hi]. split; [exact Hex|]. exists q.
  rewrite all_length in Hk.
  assert (L := fun p H => C_price_lower N HN jobs Hj _
    (organizations_owner_first _ _ _ (all_in N) (all_nodup N) Hj prio Hn Hi) p q T k H HT Hq (Hk p H)).
  split; [|exact (fun p H => proj2 (L p H))]. destruct Hex as (p & H). exact (proj1 (L p H)).
Qed.
Lemma stability_ge3 m (prio : Fin.t (S (S (S m))) -> list (Fin.t (S (S (S m))))) : is_prio (S (S (S m))) prio ->
  (forall l, l <> Fin.F1 -> l <> Fin.FS Fin.F1 ->
     In Fin.F1 (before Fin.eq_dec (Fin.FS Fin.F1) (order Fin.eq_dec prio l))) \/ Nat.Odd (S (S (S m))) ->
  exists jobs, nonneg_jobs jobs /\ all_equilibria_cost_rho _ jobs prio.
Proof.
  intros Hp H. destruct (prio_ok _ _ Hp) as [Hn Hi].
  destruct (stable Fin.eq_dec prio Fin.F1 (Fin.FS Fin.F1) (Fin.FS (Fin.FS Fin.F1))
              (map Fin.FS (map Fin.FS (map Fin.FS (all m)))) (all_in (S (S (S m)))) (all_nodup _) Hn Hi)
    as (jobs & Hj & q & k & T & HS).
  - destruct H as [H|H]; [left; exact H|right].
    change (Nat.Odd (length (all (S (S (S m)))))). rewrite all_length. exact H.
  - exists jobs. split; [exact Hj|]. apply (all_equilibria _ jobs prio q k T); [lia|exact Hj|exact Hp|exact HS].
Qed.

(* N odd: under every priority *)
Lemma stability_odd N prio : (3 <= N)%nat -> Nat.Odd N -> is_prio N prio ->
  exists jobs, nonneg_jobs jobs /\ all_equilibria_cost_rho N jobs prio.
Proof. intros H3 Hodd Hp. destruct N as [|[|[|m]]]; [lia|lia|lia|]. apply stability_ge3; auto. Qed.

(* every N: under the priority 1, 2, ..., N *)
Lemma stability N : (2 <= N)%nat -> exists jobs prio, nonneg_jobs jobs /\ is_prio N prio /\
  all_equilibria_cost_rho N jobs prio.
Proof.
  intros HN. set (prio := fun _ : Fin.t N => all N).
  assert (Hp : is_prio N prio) by (intros l; apply Permutation_refl). destruct (prio_ok _ _ Hp) as [Hn Hi].
  assert (G : exists jobs, nonneg_jobs jobs /\ all_equilibria_cost_rho N jobs prio);
    [|destruct G as (jobs & G1 & G2); exists jobs, prio; auto].
  destruct N as [|[|[|m]]]; [lia|lia| |].
  - destruct (stable_2 Fin.eq_dec prio Fin.F1 (Fin.FS Fin.F1) (all_in 2) (all_nodup 2) Hn Hi)
      as (jobs & Hj & q & k & T & HS).
    exists jobs. split; [exact Hj|]. exact (all_equilibria 2 jobs prio q k T HN Hj Hp HS).
  - apply stability_ge3; [exact Hp|]. left. intros l n1 n2. unfold order, prio. simpl.
    destruct (Fin.eq_dec l (Fin.FS Fin.F1)); [congruence|]. destruct (Fin.eq_dec l Fin.F1); [congruence|].
    simpl. auto.
Qed.

(* ================= priority to jobs ================= *)
Notation is_ranking N jobs ranking := (Permutation ranking (PriorityToJobs.all_jobs (all N) jobs)).
Notation cost_jobs N jobs ranking := (PriorityToJobs.cost_jobs Fin.eq_dec (all N) jobs ranking).
Notation jobs_equilibrium N jobs ranking := (PriorityToJobs.equilibrium_jobs Fin.eq_dec (all N) jobs ranking).

Lemma ranking_owner_first N jobs ranking : nonneg_jobs jobs -> is_ranking N jobs ranking ->
  owner_first Fin.eq_dec (all N) jobs (cost_jobs N jobs ranking).
Proof. intros Hj Hr. exact (PriorityToJobs.jobs_owner_first _ _ _ _ (all_in N) (all_nodup N) Hj Hr). Qed.
Lemma price_upper_jobs N jobs ranking : (2 <= N)%nat -> nonneg_jobs jobs -> is_ranking N jobs ranking ->
  forall p q, jobs_equilibrium N jobs ranking p ->
  C_makespan N (cost_jobs N jobs ranking) p <= rho N * C_makespan N (cost_jobs N jobs ranking) q.
Proof. intros HN Hj Hr p q. exact (C_price_upper N HN jobs Hj _ (ranking_owner_first N jobs ranking Hj Hr) p q). Qed.

(* one game, one equilibrium and one profile q for all rankings *)
Lemma price_attained_jobs N : (2 <= N)%nat -> exists jobs, nonneg_jobs jobs /\ exists p q,
  forall ranking, is_ranking N jobs ranking -> jobs_equilibrium N jobs ranking p /\
    0 < C_makespan N (cost_jobs N jobs ranking) q /\
    C_makespan N (cost_jobs N jobs ranking) p == rho N * C_makespan N (cost_jobs N jobs ranking) q.
Proof.
  intros HN. destruct (C_price_attained N HN) as (jobs & Hj & p & q & H).
  exists jobs. split; [exact Hj|]. exists p, q. intros ranking Hr.
  exact (H _ (ranking_owner_first N jobs ranking Hj Hr)).
Qed.

(* two organizations: the costs of priority to organizations *)
Lemma two_same_costs jobs ranking prio : nonneg_jobs jobs -> is_ranking 2 jobs ranking -> is_prio 2 prio ->
  forall p a, cost_jobs 2 jobs ranking p a == cost Fin.eq_dec (all 2) jobs prio p a.
Proof.
  intros Hj Hr Hp. destruct (prio_ok _ _ Hp) as [Hn Hi].
  apply (PriorityToJobs.two_costs_equal _ _ _ _ (all_in 2) (all_nodup 2) Hj Hr Fin.F1 (Fin.FS Fin.F1)); auto.
  exact one_of_two.
Qed.
Lemma two_organizations_jobs jobs ranking : nonneg_jobs jobs -> is_ranking 2 jobs ranking ->
  exists p, jobs_equilibrium 2 jobs ranking p.
Proof.
  intros Hj Hr. set (prio := fun _ : Fin.t 2 => all 2).
  assert (Hp : is_prio 2 prio) by (intros l; apply Permutation_refl).
  destruct (two_organizations jobs prio Hj Hp) as (p & H). assert (E := two_same_costs jobs ranking prio Hj Hr Hp).
  exists p. intros a d. generalize (H a d) (E p a) (E (deviate Fin.eq_dec p a d) a). lra.
Qed.
Lemma two_job_first_jobs N jobs ranking : nonneg_jobs jobs -> is_ranking N jobs ranking ->
  forall i j e, i <> j -> i <> e -> j <> e -> length (jobs i) = 2%nat -> jobs e = [] ->
  (forall b, b <> i -> b <> j -> (length (jobs b) <= 1)%nat) ->
  (exists f higher lower, ranking = higher ++ (i, f) :: lower /\ forall n, ~ In (j, n) higher) ->
  exists p, jobs_equilibrium N jobs ranking p.
Proof.
  intros Hj Hr i j e ij ie je Hi He Hs (f & higher & lower & Hsplit & Hf).
  assert (Hlt : (f < length (jobs i))%nat).
  { apply (PriorityToJobs.in_ranking (all N) jobs ranking (all_in N) Hr). rewrite Hsplit.
    apply in_or_app; right; left; reflexivity. }
  rewrite Hi in Hlt.
  destruct (jobs i) as [|x [|y [|z r]]] eqn:Ei; simpl in Hi; try lia.
  apply (PriorityToJobs.two_job_first Fin.eq_dec (all N) jobs ranking (all_in N) (all_nodup N) Hj Hr i j e x y f)
    with (higher := higher) (lower := lower); auto.
Qed.

(* three organizations with at most four jobs: at most one has a choice, or two have two jobs and the third none *)
Lemma two_pairs N jobs ranking : nonneg_jobs jobs -> is_ranking N jobs ranking ->
  forall i j e, i <> j -> i <> e -> j <> e -> (forall x, x = i \/ x = j \/ x = e) ->
  length (jobs i) = 2%nat -> length (jobs j) = 2%nat -> jobs e = [] -> exists p, jobs_equilibrium N jobs ranking p.
Proof.
  intros Hj Hr i j e ij ie je only Hi Hjj He.
  assert (I := PriorityToJobs.in_ranking (all N) jobs ranking (all_in N) Hr).
  assert (Hs : forall a b, (forall x, x = a \/ x = b \/ x = e) ->
    forall x, x <> a -> x <> b -> (length (jobs x) <= 1)%nat).
  { intros a b on x na nb. destruct (on x) as [E|[E|E]]; try congruence. subst x. rewrite He. simpl. lia. }
  destruct ranking as [|[b n] r]; [exfalso; apply (proj2 (I i 0%nat)); lia|].
  destruct (only b) as [E|[E|E]]; subst b.
  - apply (two_job_first_jobs N jobs _ Hj Hr i j e ij ie je Hi He (Hs i j only)). exists n, [], r. auto.
  - assert (on : forall x, x = j \/ x = i \/ x = e) by (intros x; destruct (only x) as [E|[E|E]]; auto).
    apply (two_job_first_jobs N jobs _ Hj Hr j i e (not_eq_sym ij) je ie Hjj He (Hs j i on)). exists n, [], r. auto.
  - exfalso. assert (H := proj1 (I e n) (or_introl eq_refl)). rewrite He in H. simpl in H. lia.
Qed.
Lemma four_jobs jobs ranking : nonneg_jobs jobs -> is_ranking 3 jobs ranking ->
  (length (jobs Fin.F1) + length (jobs (Fin.FS Fin.F1)) + length (jobs (Fin.FS (Fin.FS Fin.F1))) <= 4)%nat ->
  exists p, jobs_equilibrium 3 jobs ranking p.
Proof.
  intros Hj Hr Hle.
  set (A := Fin.F1 : Fin.t 3) in *. set (B := Fin.FS Fin.F1 : Fin.t 3) in *.
  set (D := Fin.FS (Fin.FS Fin.F1) : Fin.t 3) in *.
  assert (only : forall x, x = A \/ x = B \/ x = D) by exact one_of_three.
  assert (AB : A <> B) by discriminate. assert (AD : A <> D) by discriminate.
  assert (BD : B <> D) by (intros e; apply Fin.FS_inj in e; discriminate).
  assert (One := PriorityToJobs.one_chooser Fin.eq_dec (all 3) jobs ranking (all_in 3) (all_nodup 3) Hj Hr).
  assert (Pair := two_pairs 3 jobs ranking Hj Hr). clearbody A B D.
  destruct (Compare_dec.le_lt_dec (length (jobs A)) 1), (Compare_dec.le_lt_dec (length (jobs B)) 1),
    (Compare_dec.le_lt_dec (length (jobs D)) 1);
    try (exfalso; lia);
    try (apply (One A); intros b Hb; destruct (only b) as [E|[E|E]]; subst b; congruence || lia);
    try (apply (One B); intros b Hb; destruct (only b) as [E|[E|E]]; subst b; congruence || lia);
    try (apply (One D); intros b Hb; destruct (only b) as [E|[E|E]]; subst b; congruence || lia).
  - apply (Pair B D A); auto; try lia; [|apply length_zero_iff_nil; lia].
    intros x; destruct (only x) as [E|[E|E]]; auto.
  - apply (Pair A D B); auto; try lia; [|apply length_zero_iff_nil; lia].
    intros x; destruct (only x) as [E|[E|E]]; auto.
  - apply (Pair A B D); auto; try lia. apply length_zero_iff_nil; lia.
Qed.
