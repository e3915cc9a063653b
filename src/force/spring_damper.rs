//! A spring and a damper between two points.

use super::body_point::BodyPoint;
use super::constants::{
    NOT_NEGATIVE, check_not_negative, check_positive, visit_constant, visit_vector,
};
use super::context::ForceContext;
use super::element::ForceElement;
use super::error::ForceError;
use super::forces::Forces;
use crate::Scalar;
use crate::parameter::Parameter;
use crate::tree::RigidBodyTree;
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
    fn line(&self, context: &ForceContext<'_, T>) -> Result<Line<T>, ForceError> {
        let p = self.second.position_in_world(context)? - self.first.position_in_world(context)?;
        let v = self.second.velocity(context)? - self.first.velocity(context)?;
        let length = T::soft_norm(p.as_slice(), self.softening);
        let direction = p / length;
        Ok(Line {
            rate: direction.dot(&v),
            direction,
            length,
        })
    }
}

impl<T: Scalar> ForceElement<T> for LinearSpringDamper<T> {
    type Cast<U: Scalar> = LinearSpringDamper<U>;

    fn cast<U: Scalar>(&self) -> LinearSpringDamper<U> {
        LinearSpringDamper {
            name: self.name.clone(),
            first: self.first.cast(),
            second: self.second.cast(),
            stiffness: U::from(self.stiffness.re()),
            damping: U::from(self.damping.re()),
            free_length: U::from(self.free_length.re()),
            softening: U::from(self.softening.re()),
        }
    }

    fn name(&self) -> &str {
        &self.name
    }

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

    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        let name = &self.name;
        visit_constant(
            visit,
            name,
            ("stiffness", "N/m"),
            NOT_NEGATIVE,
            &mut self.stiffness,
        );
        visit_constant(
            visit,
            name,
            ("damping", "N s/m"),
            NOT_NEGATIVE,
            &mut self.damping,
        );
        visit_constant(
            visit,
            name,
            ("free_length", "m"),
            NOT_NEGATIVE,
            &mut self.free_length,
        );
        visit_constant(
            visit,
            name,
            ("softening", "m"),
            f64::MIN_POSITIVE,
            &mut self.softening,
        );
        visit_vector(visit, name, ("first", "m"), &mut self.first.position);
        visit_vector(visit, name, ("second", "m"), &mut self.second.position);
    }

    fn validate(&self, tree: &RigidBodyTree<T>) -> Result<(), ForceError> {
        check_not_negative(
            &self.name,
            &[
                ("stiffness", self.stiffness),
                ("damping", self.damping),
                ("free length", self.free_length),
            ],
        )?;
        check_positive(&self.name, "softening", self.softening)?;
        self.first.validate(&self.name, tree)?;
        self.second.validate(&self.name, tree)
    }
}
