//! Contact points and distances of a pair of shapes.

use super::placed_box::PlacedBox;
use super::{
    Shape, ShapeKind, Witness, box_box, box_box_distance, box_half_space, capsule_capsule,
    capsule_half_space, cylinder_half_space, points_half_space, sphere_box, sphere_capsule,
    sphere_cylinder, sphere_half_space, sphere_sphere,
};
use crate::{InvalidInput, Scalar, math::RigidTransform};
use nalgebra::Vector3;

/// A contact cannot be computed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GeometryError {
    /// There is no implementation for this pair of shapes, in either order.
    #[error("contact of {a} and {b} is not supported")]
    UnsupportedPair {
        /// Kind of the first shape.
        a: ShapeKind,
        /// Kind of the second shape.
        b: ShapeKind,
    },
    /// The features are not features of these shapes.
    #[error("{witness:?} does not name features of {a} and {b}")]
    WitnessMismatch {
        /// The features.
        witness: Witness,
        /// Kind of the first shape.
        a: ShapeKind,
        /// Kind of the second shape.
        b: ShapeKind,
    },
    /// The data is not valid.
    #[error(transparent)]
    Invalid(#[from] InvalidInput),
}

/// Whether contacts of two kinds of shapes are implemented; the order does not matter.
///
/// A model that owns shapes asks when it is built, so that [`witnesses`] does not fail later.
pub fn is_supported(a: ShapeKind, b: ShapeKind) -> bool {
    use ShapeKind::{Box, Capsule, Cylinder, HalfSpace, Points, Sphere};
    matches!(
        (a.min(b), a.max(b)),
        (Sphere, Sphere | Capsule | Cylinder | Box | HalfSpace)
            | (Capsule, Capsule)
            | (Box, Box)
            | (Capsule | Cylinder | Box | Points, HalfSpace)
    )
}

/// Appends to `out` what is in contact, or at a distance less than `margin` (in metres, at least 0).
///
/// Looks at real parts only. A time stepper that wants to know of contacts before they happen passes
/// the distance that the shapes may travel in a step. Entries come in an order that depends on the
/// poses only.
///
/// # Errors
/// [`GeometryError::UnsupportedPair`]; [`GeometryError::Invalid`] when a pose is not finite or the
/// margin is negative or NaN. `out` is then as before.
pub fn witnesses<T: Scalar>(
    a: &Shape<T>,
    X_WA: &RigidTransform<T>,
    b: &Shape<T>,
    X_WB: &RigidTransform<T>,
    margin: f64,
    out: &mut Vec<Witness>,
) -> Result<(), GeometryError> {
    InvalidInput::check_range("margin", &[margin], "a number ≥ 0", |x| x >= 0.0)?;
    visit_witnesses(a, X_WA, b, X_WB, margin, &mut |witness, distance| {
        if distance < margin {
            out.push(witness);
        }
    })
}

/// The signed distance of two shapes, in metres: negative when they overlap.
///
/// Overlapping, it is the negative of the penetration depth, the least translation that separates
/// the shapes. It is exact to round-off for every supported pair, up to tolerances far below any
/// length that matters:
///
/// - a [cylinder standing](super::cylinder_half_space) within 10⁻⁶ rad of upright: 10⁻⁶ of its radius;
/// - edges of boxes and axes of capsules parallel to within 10⁻⁸ rad: about 10⁻⁸ of the size;
/// - boxes of which faces of both are equally deep to within 10⁻⁹ of the size: as much;
/// - centres and axes that meet to within 10⁻¹² m: as much.
///
/// Where several contacts are equally near the derivative is that of the first, one of the one-sided
/// derivatives at the kink.
///
/// # Errors
/// As [`witnesses`].
pub fn signed_distance<T: Scalar>(
    a: &Shape<T>,
    X_WA: &RigidTransform<T>,
    b: &Shape<T>,
    X_WB: &RigidTransform<T>,
) -> Result<T, GeometryError> {
    let distance = if let (Shape::Box { size: size_a }, Shape::Box { size: size_b }) = (a, b) {
        check_poses(X_WA, X_WB)?;
        box_box_distance::signed_distance(
            &PlacedBox::new(size_a, X_WA),
            &PlacedBox::new(size_b, X_WB),
        )
    } else {
        let mut nearest = (f64::INFINITY, None);
        visit_witnesses(a, X_WA, b, X_WB, f64::INFINITY, &mut |witness, distance| {
            if distance < nearest.0 {
                nearest = (distance, Some(witness));
            }
        })?;
        match nearest {
            (_, Some(witness)) => -witness.contact_point(a, X_WA, b, X_WB)?.penetration,
            (distance, None) => T::from(distance),
        }
    };
    InvalidInput::check_finite("signed distance", &[distance])?;
    Ok(distance)
}

fn check_poses<T: Scalar>(
    X_WA: &RigidTransform<T>,
    X_WB: &RigidTransform<T>,
) -> Result<(), InvalidInput> {
    InvalidInput::check_finite("rotation of X_WA", X_WA.rotation.as_slice())?;
    InvalidInput::check_finite("translation of X_WA", X_WA.translation.as_slice())?;
    InvalidInput::check_finite("rotation of X_WB", X_WB.rotation.as_slice())?;
    InvalidInput::check_finite("translation of X_WB", X_WB.translation.as_slice())
}

fn real<T: Scalar>(v: &Vector3<T>) -> Vector3<f64> {
    v.map(|x| x.re())
}

/// Calls `visit` with the candidates for a contact and their distances; of two boxes, with those
/// nearer than the margin.
fn visit_witnesses<T: Scalar>(
    a: &Shape<T>,
    X_WA: &RigidTransform<T>,
    b: &Shape<T>,
    X_WB: &RigidTransform<T>,
    margin: f64,
    visit: &mut dyn FnMut(Witness, f64),
) -> Result<(), GeometryError> {
    check_poses(X_WA, X_WB)?;
    let (X_WA, X_WB) = (&X_WA.cast(), &X_WB.cast());
    let is_visited = if a.kind() <= b.kind() {
        visit_ordered(a, X_WA, b, X_WB, margin, visit)
    } else {
        visit_ordered(b, X_WB, a, X_WA, margin, visit)
    };
    is_visited.ok_or(GeometryError::UnsupportedPair {
        a: a.kind(),
        b: b.kind(),
    })
}

/// As [`visit_witnesses`], for kinds in their order; `None` if the pair is not supported.
fn visit_ordered<T: Scalar>(
    a: &Shape<T>,
    X_WA: &RigidTransform<f64>,
    b: &Shape<T>,
    X_WB: &RigidTransform<f64>,
    margin: f64,
    visit: &mut dyn FnMut(Witness, f64),
) -> Option<()> {
    use Shape::{Box, Capsule, Cylinder, HalfSpace, Points, Sphere};
    let p_WAo = &X_WA.translation;
    match (a, b) {
        (Sphere { radius: r_A }, Sphere { radius: r_B }) => {
            sphere_sphere::visit_witnesses(r_A.re(), p_WAo, r_B.re(), X_WB, visit);
        }
        (Sphere { radius: r_A }, Capsule { radius, length }) => {
            let b = (radius.re(), length.re());
            sphere_capsule::visit_witnesses(r_A.re(), p_WAo, b, X_WB, visit);
        }
        (Sphere { radius: r_A }, Cylinder { radius, length }) => {
            let b = (radius.re(), length.re());
            sphere_cylinder::visit_witnesses(r_A.re(), p_WAo, b, X_WB, visit);
        }
        (Sphere { radius: r_A }, Box { size }) => {
            sphere_box::visit_witnesses(r_A.re(), p_WAo, &real(size), X_WB, visit);
        }
        (Sphere { radius: r_A }, HalfSpace) => {
            sphere_half_space::visit_witnesses(r_A.re(), p_WAo, X_WB, visit);
        }
        (
            Capsule { radius, length },
            Capsule {
                radius: r_B,
                length: length_B,
            },
        ) => {
            let (a, b) = ((radius.re(), length.re()), (r_B.re(), length_B.re()));
            capsule_capsule::visit_witnesses((a, X_WA), (b, X_WB), visit);
        }
        (Capsule { radius, length }, HalfSpace) => {
            let a = (radius.re(), length.re());
            capsule_half_space::visit_witnesses(a, X_WA, X_WB, visit);
        }
        (Cylinder { radius, length }, HalfSpace) => {
            let a = (radius.re(), length.re());
            cylinder_half_space::visit_witnesses(a, X_WA, X_WB, visit);
        }
        (Box { size: size_A }, Box { size: size_B }) => {
            let (size_A, size_B) = (real(size_A), real(size_B));
            let (a, b) = (PlacedBox::new(&size_A, X_WA), PlacedBox::new(&size_B, X_WB));
            box_box::visit_witnesses(&a, &b, margin, visit);
        }
        (Box { size }, HalfSpace) => {
            box_half_space::visit_witnesses(&real(size), X_WA, X_WB, visit);
        }
        (Points { points }, HalfSpace) => {
            points_half_space::visit_witnesses(points, X_WA, X_WB, visit);
        }
        _ => return None,
    }
    Some(())
}
