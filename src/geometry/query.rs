//! Contact points and signed distances of a pair of shapes.

use super::convex_core::has_core;
use super::placed_box::PlacedBox;
use super::{
    ContactPoint, GeometryError, Shape, ShapeKind, Witness, box_box_distance, convex_pair,
    dispatch, height_field_contact,
};
use crate::{InvalidInput, Scalar, math::RigidTransform};

/// Whether contacts of two kinds of shapes are implemented; the order does not matter.
///
/// A model that owns shapes asks when it is built, so that [`witnesses`] does not fail later.
pub fn is_supported(a: ShapeKind, b: ShapeKind) -> bool {
    match (a.min(b), a.max(b)) {
        (ShapeKind::Points, ShapeKind::HalfSpace) => true,
        (a, ShapeKind::HalfSpace | ShapeKind::Points) => has_core(a),
        (a, ShapeKind::HeightField) => height_field_contact::is_supported(a),
        (a, b) => has_core(a) && has_core(b),
    }
}

/// Appends to `out` what is in contact, or at a distance less than `margin` (in metres, at least 0).
///
/// Looks at real parts only. A time stepper that wants to know of contacts before they happen passes
/// the distance that the shapes may travel in a step. Entries come in an order that depends on the
/// poses only.
///
/// # Where the features change
/// Returns the *feature margin* in metres: an estimate of how far the shapes may move, relative to
/// each other and with no point of A or of the contact moving further than that, before other features
/// are in contact, or a direction becomes singular, so that a first derivative of the contacts, or the
/// contacts themselves, jump. It is meant to be below the distance to the nearest such pose, and zero
/// there; where rotations are concerned it is an estimate to first order. It is infinite for pairs
/// whose features never change, and where nothing is nearer than the margin. That a contact closes or
/// opens is not such a change.
///
/// # Errors
/// [`GeometryError::UnsupportedPair`]; [`GeometryError::Invalid`] when a pose is not finite or the
/// margin is negative or NaN. `out` is then as before.
#[doc(alias = "contact features")]
#[doc(alias = "GJK")]
#[doc(alias = "EPA")]
#[inline(never)]
pub fn witnesses<T: Scalar>(
    a: &Shape<T>,
    X_WA: &RigidTransform<T>,
    b: &Shape<T>,
    X_WB: &RigidTransform<T>,
    margin: f64,
    out: &mut Vec<Witness>,
) -> Result<f64, GeometryError> {
    InvalidInput::check_range("margin", &[margin], "a number ≥ 0", |x| x >= 0.0)?;
    let before = out.len();
    let to_change = visit_contact_features(a, X_WA, b, X_WB, margin, &mut |witness, distance| {
        if distance < margin {
            out.push(witness);
        }
    })?;
    Ok(if out.len() > before {
        to_change
    } else {
        f64::INFINITY
    })
}

/// The signed distance of two shapes, in metres: negative when they overlap.
///
/// Overlapping, it is the negative of the penetration depth, the least translation that separates
/// the shapes. It is exact to round-off for every supported pair, up to tolerances far below any
/// length that matters:
///
/// - a cylinder standing on a half space within 10⁻⁶ rad of upright: 10⁻⁶ of its radius;
/// - edges of boxes and axes of capsules parallel to within 10⁻⁸ rad: about 10⁻⁸ of the size;
/// - boxes of which faces of both are equally deep to within 10⁻⁹ of the size: as much;
/// - centres and axes that meet to within 10⁻¹² m: as much;
/// - pairs that go by their support points: 10⁻¹¹ of the size, 10⁻⁹ where axes are parallel to within
///   10⁻⁷ rad, and what faces of a polyhedron are not plane by; of a cylinder or capsule deep in another shape with
///   both centres and axes nearly the same, where a whole circle of directions is equally good, 10⁻⁶; of boxes in
///   ellipsoids and two ellipsoids deep in each other, nearly round and nearly concentric, up to 10⁻⁴: the search may
///   end at another of many directions that are almost as good, in about one of 10 000 random poses; of shapes a
///   thousand times as long as they are thick 10⁻⁹.
///
/// A height field does not know how a shape comes out of it: overlapping, the distance is the negative of the
/// penetration of the deepest contact.
///
/// Where several contacts are equally near the derivative is that of the first, one of the one-sided
/// derivatives at the kink; of parallel edges, axes and sides that of the middle of what they share, between
/// those to both sides.
///
/// # Errors
/// As [`witnesses`].
#[doc(alias = "GJK")]
#[doc(alias = "EPA")]
#[inline(never)]
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
    } else if convex_pair::is_searched(a.kind(), b.kind()) {
        check_poses(X_WA, X_WB)?;
        let distance = if a.kind() <= b.kind() {
            convex_pair::signed_distance(a, X_WA, b, X_WB)
        } else {
            convex_pair::signed_distance(b, X_WB, a, X_WA)
        };
        distance.ok_or(GeometryError::NotFound {
            a: a.kind(),
            b: b.kind(),
        })?
    } else if let (a, X_WA, Shape::HeightField { field }, X_WB)
    | (Shape::HeightField { field }, X_WB, a, X_WA) = (a, X_WA, b, X_WB)
        && height_field_contact::is_supported(a.kind())
    {
        check_poses(X_WA, X_WB)?;
        let distance = height_field_contact::signed_distance(a, X_WA, field, X_WB);
        distance.ok_or(GeometryError::NotFound {
            a: a.kind(),
            b: b.kind(),
        })?
    } else {
        let mut nearest = (f64::INFINITY, None);
        visit_contact_features(a, X_WA, b, X_WB, f64::INFINITY, &mut |witness, distance| {
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

/// Calls `visit` with the candidates for a contact and their distances; of two boxes, with those
/// nearer than the margin. Returns how far the nearest change of features is.
fn visit_contact_features<T: Scalar>(
    a: &Shape<T>,
    X_WA: &RigidTransform<T>,
    b: &Shape<T>,
    X_WB: &RigidTransform<T>,
    margin: f64,
    visit: &mut dyn FnMut(Witness, f64),
) -> Result<f64, GeometryError> {
    check_poses(X_WA, X_WB)?;
    let (X_WA, X_WB) = (&X_WA.cast(), &X_WB.cast());
    let to_change = if a.kind() <= b.kind() {
        dispatch::visit_contact_features(a, X_WA, b, X_WB, margin, visit)
    } else {
        dispatch::visit_contact_features(b, X_WB, a, X_WA, margin, visit)
    };
    to_change.ok_or(GeometryError::UnsupportedPair {
        a: a.kind(),
        b: b.kind(),
    })
}

impl Witness {
    /// The contact of these features, evaluated in the scalar `T`.
    ///
    /// Arguments as those of the call of [`witnesses`](super::witnesses) that found the features, in
    /// the same order, in any scalar and at any pose near by.
    ///
    /// # Errors
    /// [`GeometryError::WitnessMismatch`] when the shapes do not have these features;
    /// [`GeometryError::Invalid`] when the result is not finite, because the poses or dimensions are
    /// not, or so far from those of the call that the features do not meet.
    #[inline(never)]
    pub fn contact_point<T: Scalar>(
        &self,
        a: &Shape<T>,
        X_WA: &RigidTransform<T>,
        b: &Shape<T>,
        X_WB: &RigidTransform<T>,
    ) -> Result<ContactPoint<T>, GeometryError> {
        let contact = if a.kind() <= b.kind() {
            dispatch::contact_point(self, a, X_WA, b, X_WB)
        } else {
            (dispatch::contact_point(self, b, X_WB, a, X_WA)).map(ContactPoint::swapped)
        };
        let contact = contact.ok_or(GeometryError::WitnessMismatch {
            witness: *self,
            a: a.kind(),
            b: b.kind(),
        })?;
        InvalidInput::check_finite("penetration", &[contact.penetration])?;
        InvalidInput::check_finite("p_WCa", contact.p_WCa.as_slice())?;
        InvalidInput::check_finite("nhat_BA_W", contact.nhat_BA_W.as_slice())?;
        InvalidInput::check_finite("weight", &[contact.weight])?;
        Ok(contact)
    }
}
