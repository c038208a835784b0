"""Regions in which lies pay, as records have them, and the plane of a liar's length and declaration."""

from __future__ import annotations

from collections.abc import Sequence

from ...games.proofs.prover import Prover
from ...games.proofs.regions import Region, plane, regions
from ...games.verification.results import Witness
from ...support.progress import Clock, Progress
from .records import LiesAreaRow, LiesPlaneRow, RegionRow, RegionsRow

X, Y = "x", "y"
"""The liar's length and declaration in a plane."""


def region_row(region: Region, names: Sequence[str]) -> RegionRow:
    """A region."""
    return RegionRow(agent=names[region.agent], where=region.where, gain=region.gain_text, most=region.most)


def regions_row(
    prover: Prover, concept: str, witness: Witness, names: Sequence[str], clock: Clock, progress: Progress | None
) -> RegionsRow:
    """All regions, and those of a liar where the others are as in a lie that was found."""
    found, n = regions(prover, concept, clock, progress), witness.agent
    place = {region: k for k, region in enumerate(found.lies, 1)}
    areas = [
        LiesAreaRow(region=place[region], share=share, polygons=(polygon,))
        for region, polygon, share in plane(found.lies, witness, prover.lengths)
    ]
    lengths, declared = (dict(zip(names, numbers, strict=True)) for numbers in (witness.lengths, witness.declarations))
    return RegionsRow(
        complete=found.complete,
        most=found.most if found.complete else None,
        lies=tuple(region_row(region, names) for region in found.lies),
        plane=LiesPlaneRow(
            agent=names[n],
            lengths={**lengths, names[n]: X},
            declarations={**declared, names[n]: Y},
            areas=tuple(areas),
        ),
    )
