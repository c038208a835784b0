"""What a mechanism should be besides incentive compatible: solvent, just, safe, rational, open."""
