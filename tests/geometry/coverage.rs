//! That the catalogue of states, on which the other tests rely, shows every feature.

use super::support::catalogue;
use dualbody::geometry::{BoxReference, PatchSide, Witness};
use std::collections::BTreeSet;

/// The kind of a contact, without signs.
fn label(witness: Witness) -> String {
    match witness {
        Witness::SphereBox(feature) => format!("SphereBox {}", feature.dimension()),
        Witness::BoxBoxFace {
            reference, corner, ..
        } => {
            let of_first = corner.iter().filter(|e| e.first.is_some()).count();
            format!("BoxBoxFace {reference:?}, {of_first} edges of the first")
        }
        Witness::BoxHalfSpace(_) => "BoxHalfSpace".into(),
        Witness::BoxBoxEdges { .. } => "BoxBoxEdges".into(),
        Witness::Convex(..) => "Convex".into(),
        Witness::ConvexPatch {
            on_first, corner, ..
        } => {
            let sides = corner.map(|side| match side {
                PatchSide::Reference(_) => 'R',
                PatchSide::Incident(_) => 'I',
                PatchSide::End(_) => 'E',
            });
            let mut sides = Vec::from(sides);
            sides.sort_unstable();
            format!("ConvexPatch {on_first} {}", String::from_iter(sides))
        }
        Witness::Points(..) => "Points".into(),
        Witness::HeightFieldPlane {
            feature, is_below, ..
        } => {
            let kind = format!("{feature:?}");
            let kind = kind.split('(').next().unwrap_or_default();
            format!("HeightFieldPlane {kind} {is_below}")
        }
        Witness::HeightFieldEdge { end, corner, .. } => format!(
            "HeightFieldEdge {} {}",
            if end.is_some() { "end" } else { "side" },
            if corner.is_some() { "corner" } else { "" }
        ),
        Witness::ConvexHalfSpace(_) => "ConvexHalfSpace".into(),
        Witness::CylinderHalfSpace { quarter, .. } => format!("CylinderHalfSpace {quarter}"),
        other => format!("{other:?}")
            .replace("Lower", "End")
            .replace("Upper", "End"),
    }
}

#[test]
fn the_catalogue_has_every_feature() {
    let mut seen = BTreeSet::new();
    for pair in catalogue() {
        for pair in [pair.swapped(), pair] {
            seen.extend(pair.witnesses(3.0).into_iter().map(label));
        }
    }
    let mut expected: BTreeSet<String> = [
        "SphereSphere",
        "SphereCapsule(Side)",
        "SphereCapsule(Cap(End))",
        "SphereCylinder(Side)",
        "SphereCylinder(Cap(End))",
        "SphereCylinder(Rim(End))",
        "SphereBox 0",
        "SphereBox 1",
        "SphereBox 2",
        "SphereHalfSpace",
        "CapsuleCapsule(Side, Side)",
        "CapsuleCapsule(Side, Cap(End))",
        "CapsuleCapsule(Cap(End), Side)",
        "CapsuleCapsule(Cap(End), Cap(End))",
        "CapsuleHalfSpace(End)",
        "BoxHalfSpace",
        "Convex",
        "ConvexHalfSpace",
        "EllipsoidHalfSpace",
        "PointsHalfSpace(0)",
        "PointsHalfSpace(1)",
        "BoxBoxEdges",
        "Points",
        "HeightFieldPlane Face false",
        "HeightFieldPlane Edge false",
        "HeightFieldPlane Edge true",
        "HeightFieldPlane Vertex false",
        "HeightFieldPlane Vertex true",
        "HeightFieldEdge side ",
        "HeightFieldEdge end ",
        "HeightFieldEdge side corner",
    ]
    .map(String::from)
    .into();
    for quarter in 0..4 {
        expected.insert(format!("CylinderHalfSpace {quarter}"));
    }
    for on_first in [true, false] {
        for sides in ["II", "IR", "RR", "EI"] {
            expected.insert(format!("ConvexPatch {on_first} {sides}"));
        }
    }
    for reference in [BoxReference::First, BoxReference::Second] {
        for edges in 0..=2 {
            expected.insert(format!(
                "BoxBoxFace {reference:?}, {edges} edges of the first"
            ));
        }
    }
    let differing: Vec<_> = seen.symmetric_difference(&expected).collect();
    assert!(differing.is_empty(), "{differing:?}");
}
