(* Four organizations need not have a pure equilibrium: none of the 4^10 placements of the jobs {35,22,22,17,13,5},
   {14}, {9}, {42,2} in the order O1, O2, O3, O4 is one, although priority is to organizations. So SevenJobs.v and
   EightJobs.v are false for ten jobs. The proof is by computation with the definition of Game.v itself
   (AllProfiles.v). *)
From Coq Require Import List.
Require Import Numbers Game Shapes AllProfiles.
Import ListNotations.

Definition jobs10 (a : org4) : list num :=
  match a with O1 => [35; 22; 22; 17; 13; 5] | O2 => [14] | O3 => [9] | O4 => [42; 2] end.

Theorem N4_ten : forall p, ~ equilibrium dec4 [O1; O2; O3; O4] jobs10 (fun _ => [O1; O2; O3; O4]) p.
Proof.
  apply (refuted_sound dec4 all4 jobs10 (cost dec4 all4 jobs10 (fun _ => all4)) in4 (cost_agree _ _ _ _)
    O1 [O2; O3; O4]).
  - intros []; simpl; auto 7.
  - vm_cast_no_check (eq_refl true).
Qed.
