(* Four organizations, priority to organizations in any order, at most seven jobs in all, lengths >= 0: a pure equilibrium exists. *)
From Coq Require Import List.
Require Import Numbers Game Shapes FourOrganizations.
Require C5200 C2500 C4300 C3400 C4210 C2410 C3310 C3220 C2320 C2230 C3211 C2311 C2221.
Import ListNotations.
Definition shapes7 := [(5,2,0,0);(2,5,0,0);(4,3,0,0);(3,4,0,0);(4,2,1,0);(2,4,1,0);(3,3,1,0);(3,2,2,0);(2,3,2,0);(2,2,3,0);(3,2,1,1);(2,3,1,1);(2,2,2,1)]%nat.
Theorem N4_seven : N4_statement 7.
Proof.
  apply (N4_upto shapes7); [vm_compute; reflexivity|].
  intros s H. unfold shapes7 in H. simpl in H.
  repeat (destruct H as [H|H]; [subst s; simpl shape_of;
    first [ exact C5200.exists5200 | exact C2500.exists2500 | exact C4300.exists4300 | exact C3400.exists3400 | exact C4210.exists4210
          | exact C2410.exists2410 | exact C3310.exists3310 | exact C3220.exists3220 | exact C2320.exists2320 | exact C2230.exists2230
          | exact C3211.exists3211 | exact C2311.exists2311 | exact C2221.exists2221 ]|]).
  destruct H.
Qed.
Check N4_seven.
Print Assumptions N4_seven.
