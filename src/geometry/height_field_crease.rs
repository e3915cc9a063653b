//! Contacts of shapes in concave creases of a height field.
//!
//! The foot of a point under a crease is on neither of the planes of the faces beside it, but on the crease. A point of
//! a rim or a curved surface, that is another for each plane, then touches both planes, with weights that add to one if
//! the points are the same. Let `i₁ < 0` and `i₂ < 0` be how far the point is inside the faces, along each. It is
//! `−α n₁ − β n₂` from the crease with
//!
//! ```text
//! i₁ = −β sin θ,   i₂ = −α sin θ,   w₁ = α/(α + β) = i₂/(i₁ + i₂)
//! ```
//!
//! where θ is the angle between the normals `n₁` and `n₂`. The weight of a face is 1 where the foot comes on this face,
//! and 0 where it comes on the other. At a pit, where a face has two such sides, it is the product of both.

use super::HeightField;
use super::direction::length_and_direction;
use crate::Scalar;
use nalgebra::Vector3;

/// How far a point, in the frame of the field, is inside of a side of a face, and of the face on the other side.
pub(super) fn inside<U: Scalar, T: Scalar>(
    field: &HeightField<U>,
    to: fn(&U) -> T,
    (face, side): (u32, usize),
    q: &Vector3<T>,
) -> Option<[T; 2]> {
    let edge = field.edges(face)[side];
    let other = field.opposite(face, side)?;
    let other_side = field.edges(other).iter().position(|&e| e == edge)?;
    let inside = |face: u32, side: usize| {
        let corners = field.face(face)?;
        let corner = |k: usize| field.vertex_in(corners[(side + k) % 3], to);
        let from = corner(0)?;
        let (_, along) = length_and_direction(&(corner(1)? - from), Vector3::x);
        let across = corner(2)? - from;
        let (_, inward) = length_and_direction(&(across - along * along.dot(&across)), Vector3::y);
        Some(inward.dot(&(q - from)))
    };
    Some([inside(face, side)?, inside(other, other_side)?])
}

/// The weight of the contact of a point, in the frame of the field, with a face that it is beyond these sides of.
pub(super) fn weight<T: Scalar>(
    field: &HeightField<T>,
    face: u32,
    beyond: [bool; 3],
    q: &Vector3<T>,
) -> Option<T> {
    let mut weight = T::one();
    for side in (0..3).filter(|&side| beyond[side]) {
        let [own, other] = inside(field, |x| *x, (face, side), q)?;
        weight *= other.div_lifted(own + other);
    }
    Some(weight)
}
