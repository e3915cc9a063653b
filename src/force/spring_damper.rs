//! A spring and a damper between two points.

use super::body_point::BodyPoint;
use super::context::ForceContext;
use super::element::ForceElement;
use super::error::ForceError;
use super::forces::Forces;
use crate::erased::casts_by_list;
use crate::tree::RigidBodyTree;
use crate::{Scalar, constants};
use nalgebra::Vector3;

/// A massless spring and damper along the line between two points.
///
/// With the vector `p` from the first point to the second and the length `ℓ = √(p·p + ε²)`, the force
/// that pulls the points together is
///
/// ```text
/// f = k (ℓ − ℓ₀) + c ℓ̇,      acting along p/ℓ
/// ```
///
/// and the stored energy ½ k (ℓ − ℓ₀)². The softening ε makes the direction, and with it the force and
/// its derivatives, finite where the points coincide; it lengthens the spring by ε²/(2ℓ). A spring
/// whose free length ℓ₀ is zero is `k p` for any ε.
///
/// Parameters: `name/stiffness` (N/m), `name/damping` (N s/m), `name/free_length` (m), `name/softening`
/// (m), and the points `name/first/{x,y,z}`, `name/second/{x,y,z}` (m).
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
pub struct LinearSpringDamper<T> {
    /// The name.
    pub name: String,
    /// The first point.
    pub first: BodyPoint<T>,
    /// The second point.
    pub second: BodyPoint<T>,
    /// Stiffness `k` in N/m.
    pub stiffness: T,
    /// Damping `c` in N s/m.
    pub damping: T,
    /// Free length `ℓ₀` in m.
    pub free_length: T,
    /// Softening `ε` in m.
    pub softening: T,
}

struct Line<T> {
    direction: Vector3<T>,
    length: T,
    rate: T,
}

impl<T: Scalar> LinearSpringDamper<T> {
    /// Between two points, with `k` in N/m, `c` in N s/m, `ℓ₀` and ε in m.
    ///
    /// # Errors
    /// [`ForceError`] when the tree does not have a body, the softening is not positive, or a constant is
    /// negative or not finite.
    pub fn new(
        name: impl Into<String>,
        tree: &RigidBodyTree<T>,
        [first, second]: [BodyPoint<T>; 2],
        stiffness: T,
        damping: T,
        free_length: T,
        softening: T,
    ) -> Result<Self, ForceError> {
        LinearSpringDamper {
            name: name.into(),
            first,
            second,
            stiffness,
            damping,
            free_length,
            softening,
        }
        .validated(tree)
    }

    fn line(&self, context: &ForceContext<'_, T>) -> Result<Line<T>, ForceError> {
        let p = self.second.position_in_world(context)? - self.first.position_in_world(context)?;
        let v = self.second.velocity(context)? - self.first.velocity(context)?;
        let length = T::soft_norm(p.as_slice(), self.softening);
        let direction = p.map(|x| x.div_lifted(length));
        Ok(Line {
            rate: direction.dot(&v),
            direction,
            length,
        })
    }
}

impl<T: Scalar> ForceElement<T> for LinearSpringDamper<T> {
    casts_by_list! {}
    constants! { ForceElement for LinearSpringDamper {
        name;
        stiffness: not_negative("N/m");
        damping: not_negative("N s/m");
        free_length: not_negative("m");
        softening: positive("m");
        first: any("m") in_tree;
        second: any("m") in_tree;
    } }

    fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        let line = self.line(context)?;
        let tension = self.stiffness * (line.length - self.free_length) + self.damping * line.rate;
        let force = line.direction * tension;
        self.first.add_force(context, forces, force)?;
        self.second.add_force(context, forces, -force)
    }

    fn potential_energy(&self, context: &ForceContext<'_, T>) -> Result<T, ForceError> {
        let stretch = self.line(context)?.length - self.free_length;
        Ok(self.stiffness * stretch * stretch * 0.5)
    }

    fn conservative_power(&self, context: &ForceContext<'_, T>) -> Result<T, ForceError> {
        let line = self.line(context)?;
        Ok(-self.stiffness * (line.length - self.free_length) * line.rate)
    }
}
