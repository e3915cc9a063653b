//! Rates of contact points and normals as bodies move.
//!
//! The point and the normal of a contact are functions of the poses of both shapes, which the modules
//! of [`geometry`](crate::geometry) derive for each pair. Here they are followed with their rates. All
//! features are points, lines, planes or circles, at the distance of a radius:
//!
//! | feature | skeleton | radius |
//! |---|---|---|
//! | sphere, cap of a capsule | point | that of the ball |
//! | side of a capsule or cylinder | line along z | that of the side |
//! | face of a box, cap of a cylinder, half space | plane | 0 |
//! | edge of a box | line | 0 |
//! | vertex of a box or a polyhedron, one of several points | point | 0 |
//! | rim of a cylinder | circle | 0 |
//!
//! Those of other convex shapes are in [`convex_motion`](super::convex_motion) and
//! [`patch_motion`](super::patch_motion), of height fields in [`height_field_motion`](super::height_field_motion).

use super::convex_motion::{MovingCore, convex_contact};
use super::height_field_motion::field_contact;
use super::moving_vector::{MovingFrame, MovingScalar, MovingVector, NO_DIRECTION};
use super::patch_motion::{MovingPart, patch_contact};
use crate::Scalar;
use crate::geometry::{
    BoxFeature, BoxReference, CapsuleFeature, ConvexFeature, CylinderFeature, End, Shape, Witness,
    convex_pair,
};
use nalgebra::Vector3;

/// A contact between A and B.
pub(super) struct MovingContact<T> {
    /// The point of B's surface.
    pub on_b: MovingVector<T>,
    /// From B into A.
    pub normal: MovingVector<T>,
    /// Positive when the bodies overlap.
    pub penetration: MovingScalar<T>,
}

impl<T: Scalar> MovingContact<T> {
    /// Of a point of A at the distance from B along the normal.
    pub fn new(on_a: MovingVector<T>, normal: MovingVector<T>, distance: MovingScalar<T>) -> Self {
        MovingContact {
            on_b: on_a - normal * distance,
            normal,
            penetration: MovingScalar::constant(T::zero()) - distance,
        }
    }

    /// Of a ball A, whose centre is at the distance from B.
    pub fn of_ball(
        (center, radius): (MovingVector<T>, T),
        normal: MovingVector<T>,
        distance_of_center: MovingScalar<T>,
    ) -> Self {
        let distance = distance_of_center - MovingScalar::constant(radius);
        MovingContact::new(center - normal * radius, normal, distance)
    }

    pub fn swapped(self) -> Self {
        MovingContact {
            on_b: self.on_b - self.normal * self.penetration,
            normal: -self.normal,
            penetration: self.penetration,
        }
    }
}

/// A shape and its frame.
pub(super) type MovingShape<'a, T> = (&'a Shape<T>, MovingFrame<T>);

/// The contact of features that [`Witness::contact_point`] evaluates, with kinds in their order; `None`
/// for features that the shapes do not have.
pub(super) fn moving_contact<T: Scalar>(
    witness: Witness,
    (shape_a, a): MovingShape<'_, T>,
    (shape_b, b): MovingShape<'_, T>,
) -> Option<MovingContact<T>> {
    use Shape::{
        Box, Capsule, Convex, Cylinder, Ellipsoid, HalfSpace, HeightField, Points, Sphere,
    };
    let height = |p: MovingVector<T>| {
        let normal = b.axis(2);
        MovingContact::new(p, normal, normal.dot(&(p - b.origin)))
    };
    Some(match (witness, shape_a, shape_b) {
        (Witness::SphereSphere, &Sphere { radius: r_a }, &Sphere { radius: r_b }) => {
            ball_on_ball((a.origin, r_a), (b.origin, r_b), &b)
        }
        (Witness::SphereCapsule(feature), &Sphere { radius: r_a }, &Capsule { radius, length }) => {
            ball_on_capsule((a.origin, r_a), feature, (radius, length), &b)
        }
        (
            Witness::SphereCylinder(feature),
            &Sphere { radius: r_a },
            &Cylinder { radius, length },
        ) => ball_on_cylinder((a.origin, r_a), feature, (radius, length), &b),
        (Witness::SphereBox(feature), &Sphere { radius: r_a }, Box { size }) => {
            ball_on_box((a.origin, r_a), feature, size, &b)
        }
        (Witness::SphereHalfSpace, &Sphere { radius: r_a }, HalfSpace) => {
            ball_on_plane((a.origin, r_a), b.axis(2), b.origin)
        }
        (
            Witness::CapsuleCapsule(feature_a, feature_b),
            &Capsule {
                radius: r_a,
                length: l_a,
            },
            &Capsule {
                radius: r_b,
                length: l_b,
            },
        ) => match (feature_a, feature_b) {
            (CapsuleFeature::Cap(end), feature) => {
                ball_on_capsule((cap(&a, l_a, end), r_a), feature, (r_b, l_b), &b)
            }
            (feature, CapsuleFeature::Cap(end)) => {
                ball_on_capsule((cap(&b, l_b, end), r_b), feature, (r_a, l_a), &a).swapped()
            }
            (CapsuleFeature::Side, CapsuleFeature::Side) => {
                let (line_a, line_b) = ((a.origin, a.axis(2)), (b.origin, b.axis(2)));
                let towards = a.origin - b.origin;
                let (on_a, normal, distance) = common_normal(line_a, line_b, &towards)?;
                let distance = distance - MovingScalar::constant(r_b);
                MovingContact::of_ball((on_a, r_a), normal, distance)
            }
        },
        (Witness::CapsuleHalfSpace(end), &Capsule { radius, length }, HalfSpace) => {
            ball_on_plane((cap(&a, length, end), radius), b.axis(2), b.origin)
        }
        (Witness::CylinderHalfSpace { end, quarter }, &Cylinder { radius, length }, HalfSpace) => {
            height(rim_point(&a, end, quarter, (radius, length), &b.axis(2)))
        }
        (Witness::BoxHalfSpace(vertex), Box { size }, HalfSpace) => {
            height(a.point(&center(vertex, size)))
        }
        (Witness::ConvexHalfSpace(vertex), Convex { polyhedron }, HalfSpace) => {
            height(a.point(polyhedron.vertices().get(vertex)?))
        }
        (Witness::PointsHalfSpace(index), Points { points }, HalfSpace) => {
            height(a.point(points.get(index)?))
        }
        (
            Witness::BoxBoxFace {
                faces: (face_a, face_b),
                reference,
                corner,
                ..
            },
            Box { size: size_a },
            Box { size: size_b },
        ) => {
            let (a, b) = ((size_a, a), (size_b, b));
            match reference {
                BoxReference::First => {
                    let edges = corner.map(|side| [side.second, side.first]);
                    let (incident, on_face) = corner_features(face_b, face_a, edges)?;
                    corner_on_face((incident, b), (on_face, a), face_axis(face_a)?)?.swapped()
                }
                BoxReference::Second | BoxReference::Both => {
                    let edges = corner.map(|side| [side.first, side.second]);
                    let (incident, on_face) = corner_features(face_a, face_b, edges)?;
                    corner_on_face((incident, a), (on_face, b), face_axis(face_b)?)?
                }
            }
        }
        (
            Witness::BoxBoxEdges {
                edges: (edge_a, edge_b),
                ..
            },
            Box { size: size_a },
            Box { size: size_b },
        ) => {
            let line = |frame: &MovingFrame<T>, edge: BoxFeature, size| {
                let along = edge.signs().iter().position(|&s| s == 0)?;
                Some((frame.point(&center(edge, size)), frame.axis(along)))
            };
            let outward = b.direction(&edge_b.signs().map(|s| T::from(f64::from(s))).into());
            let (line_a, line_b) = (line(&a, edge_a, size_a)?, line(&b, edge_b, size_b)?);
            let (on_a, normal, distance) = common_normal(line_a, line_b, &outward)?;
            MovingContact::new(on_a, normal, distance)
        }
        (Witness::EllipsoidHalfSpace, Ellipsoid { .. }, HalfSpace) => {
            let (shape, pose) = ((shape_a, a), a.pose());
            let down = -b.axis(2);
            height(MovingCore::new(&shape, &pose).point(ConvexFeature::Surface, &down)?)
        }
        (Witness::Points(index, part), _, Points { points }) => {
            let ball = Sphere { radius: T::zero() };
            let origin = b.point(points.get(index)?);
            let witness = Witness::Convex(ConvexFeature::Vertex(0), part);
            let point = (&ball, MovingFrame { origin, ..b });
            moving_contact(witness, point, (shape_a, a))?.swapped()
        }
        (Witness::Convex(..) | Witness::ConvexPatch { .. }, _, _) => {
            of_convex_shapes(witness, &(shape_a, a), &(shape_b, b))?
        }
        (_, _, HeightField { field }) => field_contact(witness, (shape_a, a), (field, b))?,
        _ => return None,
    })
}

fn of_convex_shapes<T: Scalar>(
    witness: Witness,
    a: &MovingShape<'_, T>,
    b: &MovingShape<'_, T>,
) -> Option<MovingContact<T>> {
    let (pose_a, pose_b) = (a.1.pose(), b.1.pose());
    let (core_a, core_b) = (MovingCore::new(a, &pose_a), MovingCore::new(b, &pose_b));
    match witness {
        Witness::ConvexPatch {
            parts,
            on_first,
            corner,
            ..
        } => {
            let part = |of, feature| MovingPart { of, feature };
            let (part_a, part_b) = (part(&core_a, parts[0]), part(&core_b, parts[1]));
            match on_first {
                true => patch_contact(&part_a, &part_b, corner).map(MovingContact::swapped),
                false => patch_contact(&part_b, &part_a, corner),
            }
        }
        Witness::Convex(f, g) => {
            let contact = convex_pair::contact_point(&witness, a.0, &pose_a, b.0, &pose_b)?;
            convex_contact([f, g], &contact.nhat_BA_W, &core_a, &core_b)
        }
        _ => None,
    }
}

/// The centre of a feature of a box, in its frame.
fn center<T: Scalar>(feature: BoxFeature, size: &Vector3<T>) -> Vector3<T> {
    let signs = feature.signs();
    Vector3::from_fn(|k, _| size[k] * (0.5 * f64::from(signs[k])))
}

/// The centre of a cap.
fn cap<T: Scalar>(frame: &MovingFrame<T>, length: T, end: End) -> MovingVector<T> {
    frame.point(&Vector3::new(
        T::zero(),
        T::zero(),
        length * (0.5 * end.sign()),
    ))
}

fn ball_on_ball<T: Scalar>(
    ball_a: (MovingVector<T>, T),
    (center_b, r_b): (MovingVector<T>, T),
    b: &MovingFrame<T>,
) -> MovingContact<T> {
    let between = ball_a.0 - center_b;
    let (length, normal) = between.length_and_direction(&b.axis(0));
    MovingContact::of_ball(ball_a, normal, length - MovingScalar::constant(r_b))
}

/// On the plane through a point.
fn ball_on_plane<T: Scalar>(
    ball: (MovingVector<T>, T),
    normal: MovingVector<T>,
    through: MovingVector<T>,
) -> MovingContact<T> {
    MovingContact::of_ball(ball, normal, normal.dot(&(ball.0 - through)))
}

/// Distance from the z axis, direction away from it, and height along it.
fn cylindrical<T: Scalar>(
    p: MovingVector<T>,
    frame: &MovingFrame<T>,
) -> (MovingScalar<T>, MovingVector<T>, MovingScalar<T>) {
    let (from_origin, z) = (p - frame.origin, frame.axis(2));
    let height = z.dot(&from_origin);
    let (radial, away) = (from_origin - z * height).length_and_direction(&frame.axis(0));
    (radial, away, height)
}

/// On the endless cylinder of the given radius about z.
fn ball_on_side<T: Scalar>(
    ball: (MovingVector<T>, T),
    radius: T,
    b: &MovingFrame<T>,
) -> MovingContact<T> {
    let (radial, away, _) = cylindrical(ball.0, b);
    MovingContact::of_ball(ball, away, radial - MovingScalar::constant(radius))
}

fn ball_on_capsule<T: Scalar>(
    ball: (MovingVector<T>, T),
    feature: CapsuleFeature,
    (radius, length): (T, T),
    b: &MovingFrame<T>,
) -> MovingContact<T> {
    match feature {
        CapsuleFeature::Side => ball_on_side(ball, radius, b),
        CapsuleFeature::Cap(end) => ball_on_ball(ball, (cap(b, length, end), radius), b),
    }
}

fn ball_on_cylinder<T: Scalar>(
    ball: (MovingVector<T>, T),
    feature: CylinderFeature,
    (radius, length): (T, T),
    b: &MovingFrame<T>,
) -> MovingContact<T> {
    match feature {
        CylinderFeature::Side => ball_on_side(ball, radius, b),
        CylinderFeature::Cap(end) => {
            let normal = b.axis(2) * T::from(end.sign());
            ball_on_plane(ball, normal, cap(b, length, end))
        }
        CylinderFeature::Rim(end) => {
            let (_, away, _) = cylindrical(ball.0, b);
            let on_rim = cap(b, length, end) + away * radius;
            let outward = away + b.axis(2) * T::from(end.sign());
            let bisector = outward * T::from(std::f64::consts::FRAC_1_SQRT_2);
            let (length, normal) = (ball.0 - on_rim).length_and_direction(&bisector);
            MovingContact::of_ball(ball, normal, length)
        }
    }
}

fn ball_on_box<T: Scalar>(
    ball: (MovingVector<T>, T),
    feature: BoxFeature,
    size: &Vector3<T>,
    b: &MovingFrame<T>,
) -> MovingContact<T> {
    let signs = feature.signs();
    let out_of = |k: usize| (signs[k] != 0).then(|| b.axis(k) * T::from(f64::from(signs[k])));
    let from_center = ball.0 - b.point(&center(feature, size));
    if let (2, Some(normal)) = (feature.dimension(), (0..3).find_map(out_of)) {
        return MovingContact::of_ball(ball, normal, normal.dot(&from_center));
    }
    // What of it is not along the feature.
    let zero = b.direction(&Vector3::zeros());
    let (mut across, mut outward) = (zero, zero);
    for normal in (0..3).filter_map(out_of) {
        across = across + normal * normal.dot(&from_center);
        outward = outward + normal;
    }
    let (_, bisector) = outward.length_and_direction(&b.axis(0));
    let (length, normal) = across.length_and_direction(&bisector);
    MovingContact::of_ball(ball, normal, length)
}

/// The point of line A next to line B, the common normal on the side of `towards`, and the distance along
/// it; `None` for lines that are parallel.
fn common_normal<T: Scalar>(
    (p_a, a): (MovingVector<T>, MovingVector<T>),
    (p_b, b): (MovingVector<T>, MovingVector<T>),
    towards: &MovingVector<T>,
) -> Option<(MovingVector<T>, MovingVector<T>, MovingScalar<T>)> {
    let (m, between) = (a.cross(&b), p_a - p_b);
    if m.at.map(|x| x.re()).norm() < NO_DIRECTION {
        return None;
    }
    let (_, direction) = m.length_and_direction(towards);
    let normal = if direction.at.dot(&towards.at).re() < 0.0 {
        -direction
    } else {
        direction
    };
    let s = b.cross(&between).dot(&m) / m.dot(&m);
    Some((p_a + a * s, normal, normal.dot(&between)))
}

/// The point of a rim a number of quarter turns from the deepest one below a plane.
fn rim_point<T: Scalar>(
    cylinder: &MovingFrame<T>,
    end: End,
    quarter: u8,
    (radius, length): (T, T),
    normal: &MovingVector<T>,
) -> MovingVector<T> {
    /// As that of the pair in [`geometry`](crate::geometry).
    const STANDING: f64 = 1e-6;
    let (x, z) = (cylinder.axis(0), cylinder.axis(2));
    let (sin_tilt, mut deepest) = (z * z.dot(normal) - *normal).length_and_direction(&x);
    if sin_tilt.at.re() < STANDING {
        deepest = x;
    }
    let turned = match quarter {
        0 => deepest,
        1 => z.cross(&deepest),
        2 => -deepest,
        _ => deepest.cross(&z),
    };
    cap(cylinder, length, end) + turned * radius
}

/// A box: its size and its frame.
type MovingBox<'a, T> = (&'a Vector3<T>, MovingFrame<T>);

/// The axis that a face is normal to.
fn face_axis(face: BoxFeature) -> Option<usize> {
    face.signs().iter().position(|&s| s != 0)
}

/// The features of the incident and of the reference box that meet in a corner, whose sides are given by
/// the edges of the two; an edge of the incident box counts where both lie on each other.
fn corner_features(
    incident: BoxFeature,
    reference: BoxFeature,
    sides: [[Option<BoxFeature>; 2]; 2],
) -> Option<(BoxFeature, BoxFeature)> {
    let (mut of_incident, mut of_reference) = (incident, reference);
    for [edge_of_incident, edge_of_reference] in sides {
        let (feature, face, edge) = match (edge_of_incident, edge_of_reference) {
            (Some(edge), _) => (&mut of_incident, incident, edge),
            (None, Some(edge)) => (&mut of_reference, reference, edge),
            (None, None) => return None,
        };
        let axis = (0..3).find(|&k| edge.signs()[k] != 0 && face.signs()[k] == 0)?;
        *feature = feature.with(axis, edge.signs()[axis]);
    }
    Some((of_incident, of_reference))
}

/// A corner of the overlap of two faces: where a feature of the incident box A meets one of the reference
/// face of B.
fn corner_on_face<T: Scalar>(
    (incident, (size_a, a)): (BoxFeature, MovingBox<'_, T>),
    (reference, (size_b, b)): (BoxFeature, MovingBox<'_, T>),
    normal_axis: usize,
) -> Option<MovingContact<T>> {
    let signs = reference.signs();
    let outward = |k: usize| b.axis(k) * T::from(f64::from(signs[k]));
    let normal = match *signs.get(normal_axis)? {
        0 => return None,
        _ => outward(normal_axis),
    };
    let on_reference = b.point(&center(reference, size_b));
    let on_incident = a.point(&center(incident, size_a));
    let above = |p: MovingVector<T>| normal.dot(&(p - on_reference));
    match (incident.dimension(), reference.dimension()) {
        (0, 2) => Some(MovingContact::new(on_incident, normal, above(on_incident))),
        (1, 1) => {
            let side = (0..3).find(|&k| k != normal_axis && signs[k] != 0)?;
            let along = incident.signs().iter().position(|&s| s == 0)?;
            let (side, along) = (outward(side), a.axis(along));
            let t = side.dot(&(on_reference - on_incident)) / side.dot(&along);
            let p = on_incident + along * t;
            Some(MovingContact::new(p, normal, above(p)))
        }
        (2, 0) => {
            let axis = incident.signs().iter().position(|&s| s != 0)?;
            let face = a.axis(axis);
            let height = face.dot(&(on_incident - on_reference)) / face.dot(&normal);
            Some(MovingContact::new(
                on_reference + normal * height,
                normal,
                height,
            ))
        }
        _ => None,
    }
}
