(* What a checked certificate says of the price of anarchy, with priority to organizations: lengths in any order.

   The checker speaks of sorted lengths (PriceTree.v). The order of the jobs of an organization is a matter of names:
   what is an equilibrium in one order is one in another, with the same jobs on each machine (AnyLengths.v). *)
From Coq Require Import List Lia Permutation ZArith Strings.Byte.
Require Import Numbers Game Sums Loads PriorityToJobs Cover AnyLengths Terms.
Require Import OrganizationTerms JobTerms PriceTree CertificateLines.
Import ListNotations.

Section PriceOfShape.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Variable machines : list O.
Variable shape : O -> nat.
Hypothesis machines_nodup : NoDup machines.
Hypothesis machines_all : forall l, In l machines.

Definition check_organizations (prio : O -> list O) (vn vd : Z) : list (list node) -> bool :=
  check_price dec machines shape (list Z) (rdf dec machines prio shape) (term dec machines shape) vn vd.
Definition check_jobs (ranking : list (O * nat)) (vn vd : Z) : list (list node) -> bool :=
  fun trees => if is_ranking dec machines shape ranking then
    check_price dec machines shape (list Z * list (O * nat)) (met_jobs dec machines ranking shape)
      (job_term dec machines shape) vn vd trees
  else false.

(* Priority to organizations: p an equilibrium, q any other placement, costing nobody more than M. *)
Theorem price_to_organizations prio vn vd trees :
  (forall l, NoDup (prio l)) -> (forall l a, In a (prio l)) -> check_organizations prio vn vd trees = true ->
  forall jobs, (forall a x, In x (jobs a) -> 0 <= x) -> (forall a, length (jobs a) = shape a) ->
  forall p q M, equilibrium dec machines jobs prio p -> 0 <= M -> (forall a, cost dec machines jobs prio q a <= M) ->
  forall a, inj vd * cost dec machines jobs prio p a <= inj vn * M.
Proof.
  intros Hn Ha Hc jobs N Hk p q M He HM Hq a.
  set (sorted := fun b => sort (jobs b)).
  assert (HP : forall b, Permutation (jobs b) (sorted b)) by (intros b; symmetry; apply sort_perm).
  assert (N' : forall b, nonneg (sorted b)).
  { intros b y Hy. apply (N b). exact (Permutation_in _ (sort_perm (jobs b)) Hy). }
  destruct (perm_equilibrium dec machines machines_all prio Hn Ha sorted jobs p N' HP He) as (p' & He' & Hp').
  destruct (finite_choice dec machines machines_all (home (O := O)) (fun b s =>
              forall l, Permutation (placed dec l (jobs b) (q b)) (placed dec l (sorted b) s))) as (o & Ho).
  { intros b. exact (perm_strategy dec _ _ (HP b) (q b)). }
  assert (C : cost dec machines jobs prio p a <= cost dec machines sorted prio p' a).
  { apply cost_mono; auto.
    - intros b l. unfold load, ld. apply sum_perm, Hp'.
    - intros l H E. apply H. assert (R := Hp' a l). rewrite E in R. apply Permutation_nil, Permutation_sym, R. }
  assert (Tot : forall m, total dec machines sorted o m <= M).
  { intros m. generalize (total_le dec machines jobs prio machines_all machines_nodup Hn Ha N q M m HM Hq).
    unfold total. intros H.
    rewrite (sum_map_eq _ (fun b => load dec jobs q b m)); [exact H|].
    intros b. unfold load, ld. symmetry. apply sum_perm, Ho. }
  assert (S : sorted_of_shape shape sorted).
  { intros b. split; [exact (sort_desc _ (N b))|]. rewrite <- (Hk b). apply Permutation_length, sort_perm. }
  assert (B := check_price_sorted dec machines shape _ _ _ vn vd machines_nodup machines_all _
    (organizations_described dec machines prio shape machines_nodup machines_all Hn Ha)
    trees Hc sorted S p' o M He' HM Tot a).
  simpl in B. assert (V : 0 < inj vd).
  { rewrite <- inj_0. apply inj_lt. unfold check_organizations, check_price in Hc.
    destruct (0 <? vd)%Z eqn:E; [apply Z.ltb_lt; exact E|discriminate]. }
  generalize (mul_le (inj vd) _ _ ltac:(lra) C). lra.
Qed.

(* The same with priority to jobs, the longest job of each organization being its number 0. *)
Theorem price_to_jobs ranking vn vd trees : check_jobs ranking vn vd trees = true ->
  forall jobs, sorted_of_shape shape jobs ->
  forall p q M, equilibrium_jobs dec machines jobs ranking p -> 0 <= M ->
    (forall a, cost_jobs dec machines jobs ranking q a <= M) ->
  forall a, inj vd * cost_jobs dec machines jobs ranking p a <= inj vn * M.
Proof.
  unfold check_jobs. destruct (is_ranking dec machines shape ranking) eqn:R; [|discriminate].
  intros Hc jobs S p q M He HM Hq.
  exact (check_price_sorted dec machines shape _ _ _ vn vd machines_nodup machines_all _
    (jobs_described dec machines ranking shape machines_nodup machines_all
       (ranked_all dec machines shape machines_all ranking R))
    trees Hc jobs S p q M He HM
    (ranked_total dec machines shape machines_nodup machines_all ranking R jobs q M S HM Hq)).
Qed.

(* ---------- the text of a certificate ---------- *)
(* R: another tree; D a h1 h2 ..: Reply; O j: OnMachine, jobs counted through; L D i:m ..: Bound *)
Definition node_of (l : line) : option (node (O := O)) :=
  match l with
  | ("D"%byte, a :: d) => match numbered machines a, every (numbered machines) d with
                          | Some b, Some hs => Some (Reply b hs)
                          | _, _ => None
                          end
  | ("O"%byte, [j]) => option_map OnMachine (numbered (Terms.all_jobs machines shape) j)
  | ("L"%byte, divisor :: more) => option_map (Bound divisor) (pairs more)
  | _ => None
  end.
(* backwards, lest the stack grow *)
Fixpoint trees_of (ls : list line) (tree : list node) (trees : list (list node)) : list (list (node (O := O))) :=
  match ls with
  | [] => trees
  | ("R"%byte, _) :: ls' => trees_of ls' [] (tree :: trees)
  | l :: ls' => match node_of l with Some n => trees_of ls' (n :: tree) trees | None => [] end
  end.
Definition price_trees (ts : list text) : list (list node) := trees_of (rev' (read ts)) [] [].
End PriceOfShape.
