(* List scheduling: the jobs, in the order of the list, each go to a machine that is free first.

   Machines may be ready at different times R l. What the theorems use (lpt_last): let p be the job that ends last, s
   its start, pre the jobs before it in the list. Then the schedule ends at s + p, and when p was placed every machine
   was busy until s. *)
From Coq Require Import List Lia Permutation.
Require Import Numbers Game.
Import ListNotations.

Section ListSchedule.
Context {O : Type}.
Variable dec : forall a b : O, {a = b} + {a <> b}.
Notation ld := (ld dec).
Notation placed := (placed dec).

(* ================= DEFINITION ================= *)
(* s is a list schedule of js, in this order, on machines that are ready at R *)
Fixpoint lpt (R : O -> num) (js : list num) (s : strategy (O:=O)) : Prop :=
  match js with
  | [] => True
  | x :: js' => (forall l, R (s 0%nat) <= R l) /\
                lpt (fun l => R l + if dec (s 0%nat) l then x else 0) js' (fun n => s (S n))
  end.

(* ================= PROPERTIES ================= *)
Lemma lpt_exists (machines : list O) : (forall l, In l machines) -> O ->
  forall js R, exists s, lpt R js s.
Proof.
  intros all k js. induction js as [|x js IH]; intros R; [exists (home k); exact I|].
  destruct (least_value R machines (in_nonempty k _ (all k))) as (m & _ & Hm).
  destruct (IH (fun l => R l + if dec m l then x else 0)) as (s & Hs).
  exists (scons m s). split; [intros l; apply Hm, all|exact Hs].
Qed.
Lemma lpt_last js : forall R st, (forall l, 0 <= R l) -> nonneg js -> lpt R js st -> js <> [] ->
  exists pre p post s, js = pre ++ p :: post /\ 0 <= s /\
    (forall l, s <= R l + ld l pre st) /\
    (forall l, placed l js st <> [] -> R l + ld l js st <= s + p).
Proof.
  induction js as [|x js IH]; intros R st HR Hn Hl Hne; [congruence|].
  destruct Hl as [Hm Hl]. destruct (nonneg_cons x js Hn) as [Hx Hn']. set (m := st 0%nat) in *.
  assert (First : forall l, R m <= R l + ld l [] st).
  { intros l. specialize (Hm l). unfold Game.ld. simpl. lra. }
  set (R' := fun l => R l + if dec m l then x else 0) in *. set (st' := fun n => st (S n)) in *.
  assert (Ec : forall js l, R l + ld l (x :: js) st == R' l + ld l js st').
  { intros js0 l. assert (E1 := ld_cons dec l x js0 st). fold m st' in E1. unfold R'. destruct (dec m l); lra. }
  destruct js as [|y js'].
  - exists [], x, [], (R m). split; [reflexivity|]. split; [apply HR|]. split; [exact First|].
    intros l. unfold Game.ld. simpl. fold m. destruct (dec m l) as [e|n]; [|intros H; congruence].
    intros _. subst l. simpl. lra.
  - set (js := y :: js') in *.
    assert (HR' : forall l, 0 <= R' l) by (intros l; unfold R'; specialize (HR l); destruct (dec m l); lra).
    destruct (IH R' st' HR' Hn' Hl ltac:(discriminate)) as (pre & p & post & s & E & Hs & H1 & H2).
    (* a machine that is used ends with the later jobs or with x *)
    assert (Hu : forall l, placed l (x :: js) st <> [] ->
                  R' l + ld l js st' <= s + p \/ R' l + ld l js st' <= R m + x).
    { intros l Hu. destruct (placed l js st') as [|z r] eqn:Ez; [right|left; apply H2; rewrite Ez; discriminate].
      unfold Game.ld. rewrite Ez. unfold R'.
      change (placed l (x :: js) st) with (if dec m l then x :: placed l js st' else placed l js st') in Hu.
      destruct (dec m l) as [e|n]; [rewrite <- e; simpl; lra|congruence]. }
    destruct (lt_le (s + p) (R m + x)) as [G|G].
    + exists [], x, js, (R m). split; [reflexivity|]. split; [apply HR|]. split; [exact First|].
      intros l Hl'. specialize (Ec js l). destruct (Hu l Hl'); lra.
    + exists (x :: pre), p, post, s. split; [rewrite E; reflexivity|]. split; [exact Hs|]. split.
      * intros l. specialize (Ec pre l). specialize (H1 l). lra.
      * intros l Hl'. specialize (Ec js l). destruct (Hu l Hl'); lra.
Qed.
End ListSchedule.
