(* Four organizations, any order of priority: from finitely many solvable shapes to all games of at most M jobs.

   The proof of N4_upto:
   1. Organizations are renamed so that the order of priority is O1, O2, O3, O4 (N4_upto itself).
   2. If at most one organization has more than one job, it takes a best reply and the others stay at home (one_choice).
   3. Otherwise some permutation tau of the organizations brings the game into one of the shapes, with no more jobs than
      the shape, and in the same relative order of those that have two jobs or more in the shape; where the others stand
      does not matter, for they are at home (by_shape). That this works for all numbers of jobs that sum up to at most M
      is computed (table_ok). *)
From Coq Require Import List Lia Permutation Bool FinFun.
Require Import Numbers Game Sums Forms Cover AnyLengths Shapes.
Import ListNotations.

Definition ren (tau : list org4) (b : org4) : org4 :=
  match tau with
  | [t1; t2; t3; t4] => match b with O1 => t1 | O2 => t2 | O3 => t3 | O4 => t4 end
  | _ => b
  end.
Definition inv (tau : list org4) (a : org4) : org4 :=
  if dec4 (ren tau O1) a then O1 else if dec4 (ren tau O2) a then O2 else if dec4 (ren tau O3) a then O3 else O4.
Definition eq4 (a b : org4) : bool := if dec4 a b then true else false.
Definition bij (tau : list org4) : bool := all (fun a => eq4 (inv tau (ren tau a)) a && eq4 (ren tau (inv tau a)) a)
  all4.
Definition fits (tau : list org4) (k K : org4 -> nat) : bool := all (fun b => (k (ren tau b) <=? K b)%nat) all4.
Definition multi (K : org4 -> nat) (a : org4) : bool := (2 <=? K a)%nat.
Definition precedes (L l : list org4) (a b : org4) : bool :=
  any (eq4 b) (before dec4 a (order dec4 (fun _ => L) (hd O1 l))).
Definition compat (tau : list org4) (K : org4 -> nat) : bool :=
  all (fun a => all (fun b => all (fun l =>
    if multi K a && multi K b && negb (eq4 a b) && negb (eq4 a l) && negb (eq4 b l)
    then Bool.eqb (precedes all4 [l] a b) (precedes (map (inv tau) all4) [l] a b) else true) all4) all4) all4.
Definition shape_of (s : nat * nat * nat * nat) : org4 -> nat := let '(a, b, c, d) := s in shape4 a b c d.
Definition perms : list (list org4) := filter bij (lists all4 4).
Definition covered (shapes : list (nat * nat * nat * nat)) (k : org4 -> nat) : bool :=
  if any (fun a => all (fun b => eq4 a b || (k b <=? 1)%nat) all4) all4 then true
  else any (fun s => any (fun tau => if fits tau k (shape_of s) then compat tau (shape_of s) else false) perms) shapes.
Definition table_ok (shapes : list (nat * nat * nat * nat)) (M : nat) : bool :=
  all (fun k1 => all (fun k2 => all (fun k3 => all (fun k4 =>
    if (k1 + k2 + k3 + k4 <=? M)%nat then covered shapes (shape4 k1 k2 k3 k4) else true)
    (seq 0 (S M))) (seq 0 (S M))) (seq 0 (S M))) (seq 0 (S M)).

(* THE STATEMENT *)
Definition N4_statement (M : nat) : Prop :=
  forall (jobs : org4 -> list num) (order : list org4),
    Permutation order [O1; O2; O3; O4] ->
    (forall a x, In x (jobs a) -> 0 <= x) ->
    (length (jobs O1) + length (jobs O2) + length (jobs O3) + length (jobs O4) <= M)%nat ->
    exists p : org4 -> nat -> org4, forall (a : org4) (d : nat -> org4),
      cost dec4 [O1; O2; O3; O4] jobs (fun _ => order) p a <=
      cost dec4 [O1; O2; O3; O4] jobs (fun _ => order) (deviate dec4 p a d) a.

Lemma eq4_true a b : eq4 a b = true -> a = b.
Proof. unfold eq4. destruct (dec4 a b); [auto|discriminate]. Qed.
Lemma in_any b l : any (eq4 b) l = true <-> In b l.
Proof.
  split; [intros H; apply any_true in H; destruct H as (a & Ha & E); apply eq4_true in E; congruence|].
  induction l as [|c l IH]; simpl; [tauto|]. intros [->|H]; [unfold eq4; destruct (dec4 b b); congruence|].
  destruct (eq4 b c); auto.
Qed.
Lemma bij_gf tau : bij tau = true -> forall a, inv tau (ren tau a) = a.
Proof. intros H a. assert (G := all_true _ _ H a (in4 a)). apply andb_prop in G. apply eq4_true, G. Qed.
Lemma bij_fg tau : bij tau = true -> forall a, ren tau (inv tau a) = a.
Proof. intros H a. assert (G := all_true _ _ H a (in4 a)). apply andb_prop in G. apply eq4_true, G. Qed.
Lemma by_shape tau K (jobs : org4 -> list num) : bij tau = true -> fits tau (fun a => length (jobs a)) K = true ->
  compat tau K = true -> solvable4h K -> (forall a x, In x (jobs a) -> 0 <= x) ->
  exists p, equilibrium dec4 all4 jobs (fun _ => all4) p /\
    forall a l, (K (inv tau a) <= 1)%nat -> l <> a -> placed dec4 l (jobs a) (p a) = [].
Proof.
  intros Hb Hf Hc HK N.
  assert (gf := bij_gf tau Hb). assert (fg := bij_fg tau Hb).
  destruct (HK (fun b => jobs (ren tau b))) as (p & E & Hh).
  - intros a x. apply N.
  - intros a. apply PeanoNat.Nat.leb_le. exact (all_true _ _ Hf a (in4 a)).
  - assert (Ninv : NoDup (map (inv tau) all4)).
    { apply Injective_map_NoDup; [|apply nodup4]. intros x y H. rewrite <- (fg x), <- (fg y), H. reflexivity. }
    assert (Ainv : forall a, In a (map (inv tau) all4)).
    { intros a. rewrite <- (gf a). apply in_map, in4. }
    assert (E' : equilibrium dec4 all4 (fun b => jobs (ren tau b)) (fun _ => map (inv tau) all4) p).
    { apply (order_irrelevant dec4 all4 nodup4 in4 (fun _ => all4) _ _ p (multi K)); auto using nodup4, in4.
      - intros b x. apply N.
      - intros a Ma. unfold multi in Ma. apply PeanoNat.Nat.leb_gt in Ma. split.
        + assert (G := all_true _ _ Hf a (in4 a)). apply PeanoNat.Nat.leb_le in G. lia.
        + intros l Hl. apply Hh; [lia|exact Hl].
      - intros a b l Ma Mb ab al bl.
        assert (G := all_true _ _ (all_true _ _ (all_true _ _ Hc a (in4 a)) b (in4 b)) l (in4 l)). cbv beta in G.
        rewrite Ma, Mb in G. unfold eq4 in G.
        destruct (dec4 a b); [congruence|]. destruct (dec4 a l); [congruence|]. destruct (dec4 b l); [congruence|].
        simpl andb in G. cbv iota in G. apply eqb_prop in G.
        unfold precedes in G. change (hd O1 [l]) with l in G.
        rewrite <- !in_any. unfold order in *. rewrite G. reflexivity. }
    exists (fun a n => ren tau (p (inv tau a) n)). split.
    2: { intros a l Ka Hl. assert (G := Hh (inv tau a) (inv tau l) Ka). rewrite fg in G. rewrite <- (fg l).
         rewrite (placed_f dec4 (ren tau) (inv tau) gf). apply G. intros e. apply Hl.
           rewrite <- (fg l), <- (fg a), e. reflexivity. }
    apply (equilibrium_f dec4 all4 in4 (ren tau) (inv tau) gf fg (fun _ => map (inv tau) all4) (fun _ => all4)
             (fun _ => Ninv) (fun _ => Ainv) (fun _ => nodup4) (fun _ => in4))
               with (jobs := fun b => jobs (ren tau b)); auto.
    + intros _. rewrite map_map. rewrite <- (map_id all4) at 1. apply map_ext. intros a. rewrite fg. reflexivity.
    + intros a x. apply N.
Qed.
Lemma fits_ext tau k k' K : (forall a, k a = k' a) -> fits tau k K = fits tau k' K.
Proof. intros H. unfold fits. induction all4 as [|a L IH]; simpl; [reflexivity|]. rewrite H, IH. reflexivity. Qed.
Lemma by_table shapes M jobs : table_ok shapes M = true -> (forall s, In s shapes -> solvable4h (shape_of s)) ->
  (forall a x, In x (jobs a) -> 0 <= x) ->
  (length (jobs O1) + length (jobs O2) + length (jobs O3) + length (jobs O4) <= M)%nat ->
  exists p, equilibrium dec4 all4 jobs (fun _ => all4) p.
Proof.
  intros Ht Hs N HM. unfold table_ok in Ht.
  set (k := fun a => length (jobs a)).
  assert (In1 : forall a, (k a <= M)%nat -> In (k a) (seq 0 (S M))).
  { intros a Ha. apply in_seq. lia. }
  assert (G := all_true _ _ (all_true _ _ (all_true _ _ (all_true _ _ Ht (k O1) ltac:(apply In1; unfold k; lia))
     (k O2) ltac:(apply In1; unfold k; lia)) (k O3) ltac:(apply In1; unfold k; lia)) (k O4) ltac:(apply In1;
       unfold k; lia)).
  cbv beta in G. apply PeanoNat.Nat.leb_le in HM. unfold k in G at 1 2 3 4. rewrite HM in G.
  assert (Hk : forall a, k a = shape4 (k O1) (k O2) (k O3) (k O4) a) by (intros []; reflexivity).
  unfold covered in G. destruct (any _ all4) eqn:One.
  - apply any_true in One. destruct One as (a & _ & Ha).
    destruct (one_choice dec4 all4 nodup4 in4 (fun _ => all4) (fun _ => nodup4) (fun _ => in4) jobs N a) as (p & E & _);
      [|exists p; exact E].
    intros b n. assert (H := all_true _ _ Ha b (in4 b)). cbv beta in H. rewrite <- Hk in H.
    apply orb_prop in H. destruct H as [H|H]; [apply eq4_true in H; congruence|].
    apply PeanoNat.Nat.leb_le in H. exact H.
  - apply any_true in G. destruct G as (s & Hin & G). apply any_true in G. destruct G as (tau & Htau & G).
    destruct (fits tau _ (shape_of s)) eqn:F; [|discriminate].
    rewrite (fits_ext tau _ k) in F by (intros a; symmetry; apply Hk).
    unfold perms in Htau. apply filter_In in Htau.
    destruct (by_shape tau (shape_of s) jobs) as (p & E & _); auto; [apply Htau|]. exists p. exact E.
Qed.

(* What the certificates of SevenJobs.v and EightJobs.v are needed for. *)
Theorem N4_upto shapes M : table_ok shapes M = true -> (forall s, In s shapes -> solvable4h (shape_of s)) ->
  N4_statement M.
Proof.
  intros Ht Hs jobs ord HP N HM.
  assert (L := Permutation_length HP). simpl in L.
  destruct ord as [|t1 [|t2 [|t3 [|t4 [|]]]]]; try discriminate L. clear L.
  set (pi := [t1; t2; t3; t4]) in *.
  assert (ND : NoDup pi) by (apply (Permutation_NoDup (Permutation_sym HP)), nodup4).
  assert (Al : forall a, In a pi) by (intros a; apply (Permutation_in _ (Permutation_sym HP)), in4).
  assert (Hb : bij pi = true).
  { clear - ND. unfold pi in *. clear pi. inversion ND as [|? ? H1 N1]; subst. inversion N1 as [|? ? H2 N2]; subst.
    inversion N2 as [|? ? H3 N3]; subst. simpl in H1, H2, H3.
    destruct t1, t2; try (exfalso; tauto); destruct t3; try (exfalso; tauto);
      destruct t4; try (exfalso; tauto); reflexivity. }
  assert (gf := bij_gf pi Hb). assert (fg := bij_fg pi Hb).
  destruct (by_table shapes M (fun b => jobs (ren pi b)) Ht Hs) as (p & E).
  - intros a x. apply N.
  - assert (Q : list_sum (map (fun a => length (jobs a)) pi) = list_sum (map (fun a => length (jobs a)) all4)).
    { clear - HP. assert (G : forall L L', Permutation L L' ->
        list_sum (map (fun a => length (jobs a)) L) = list_sum (map (fun a => length (jobs a)) L')).
      { induction 1; simpl; lia. }
      exact (G pi [O1; O2; O3; O4] HP). }
    unfold pi, all4 in Q. simpl in Q. simpl. lia.
  - exists (fun a n => ren pi (p (inv pi a) n)).
    apply (equilibrium_f dec4 all4 in4 (ren pi) (inv pi) gf fg (fun _ => all4) (fun _ => pi)
             (fun _ => nodup4) (fun _ => in4) (fun _ => ND) (fun _ => Al))
               with (jobs := fun b => jobs (ren pi b)); auto.
    intros a x. apply N.
Qed.
