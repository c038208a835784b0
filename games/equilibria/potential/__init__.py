"""Numbers that fall with every gain: which kinds of potential a finite game has, and what shows that it has none."""
