//! Contact of a point with a plane as an explicit force of the state.

use super::attachment::Attachment;
use super::body_point::BodyPoint;
use super::constants::{NOT_NEGATIVE, check_not_negative, visit_constant, visit_vector};
use super::context::ForceContext;
use super::element::ForceElement;
use super::error::ForceError;
use super::forces::Forces;
use crate::Scalar;
use crate::math::SpatialForce;
use crate::parameter::Parameter;
use crate::tree::RigidBodyTree;
use nalgebra::Vector3;

/// A point of a body on a plane, with friction that does not stick.
///
/// The plane is the xy plane of a frame, and the point's height above it is φ. Where φ < 0,
///
/// ```text
/// f_normal  = max(−k φ − b φ̇, 0)
/// f_tangent = min(b ‖v_t‖, μ f_normal) v_t/‖v_t‖      against the slip v_t
/// ```
///
/// The force follows from the state alone. It jumps where a point arrives with a speed, and on a slope
/// it creeps; the contact of a [system](crate::system) does neither. The stored energy is ½ k φ².
///
/// Parameters: `name/stiffness` (N/m), `name/damping` (N s/m), `name/friction` (1),
/// `name/point/{x,y,z}` (m).
#[derive(Debug, Clone, PartialEq)]
pub struct DirectContact<T> {
    /// The name.
    pub name: String,
    /// The point that touches.
    pub point: BodyPoint<T>,
    /// The frame whose xy plane is touched, from the side of +z.
    pub plane: Attachment,
    /// Stiffness `k` in N/m.
    pub stiffness: T,
    /// Damping `b` in N s/m, normal and tangential.
    pub damping: T,
    /// Coefficient of friction μ.
    pub friction: T,
}

/// The relative motion of a point that is below the plane.
struct Penetration<T> {
    normal: Vector3<T>,
    /// φ, negative.
    height: T,
    /// Velocity of the point relative to the plane.
    velocity: Vector3<T>,
    /// Where the point is.
    position: Vector3<T>,
}

impl<T: Scalar> DirectContact<T> {
    /// `None` where the point is above the plane.
    fn penetration(
        &self,
        context: &ForceContext<'_, T>,
    ) -> Result<Option<Penetration<T>>, ForceError> {
        let plane = self.plane.pose(context)?;
        let position = self.point.position_in_world(context)?;
        let offset = position - plane.translation;
        let normal: Vector3<T> = plane.rotation.column(2).into();
        let height = normal.dot(&offset);
        if height.re() >= 0.0 {
            return Ok(None);
        }
        let under = self.plane.velocity(context)?.shift(&offset).linear;
        Ok(Some(Penetration {
            normal,
            height,
            velocity: self.point.velocity(context)? - under,
            position,
        }))
    }
}

impl<T: Scalar> ForceElement<T> for DirectContact<T> {
    type Cast<U: Scalar> = DirectContact<U>;

    fn cast<U: Scalar>(&self) -> DirectContact<U> {
        DirectContact {
            name: self.name.clone(),
            point: self.point.cast(),
            plane: self.plane,
            stiffness: U::from(self.stiffness.re()),
            damping: U::from(self.damping.re()),
            friction: U::from(self.friction.re()),
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
        let Some(p) = self.penetration(context)? else {
            return Ok(());
        };
        let approach = -p.normal.dot(&p.velocity);
        let normal = (self.damping * approach - self.stiffness * p.height).max_lifted(T::zero());
        let slip = p.velocity + p.normal * approach;
        let speed = T::norm_lifted(slip.as_slice());
        let limit = self.friction * normal;
        // min(b, limit/‖v_t‖); a limit of zero is zero at rest, too.
        let coefficient = if speed.re() == 0.0 && limit.re() <= 0.0 {
            T::zero()
        } else if (self.damping * speed).re() <= limit.re() {
            self.damping
        } else {
            limit / speed
        };
        let force = p.normal * normal - slip * coefficient;
        let force = SpatialForce::new(Vector3::zeros(), force);
        let plane = self.plane.body(context.tree())?;
        forces.add_at_point(context, self.point.body, &p.position, &force)?;
        forces.add_at_point(context, plane, &p.position, &-force)
    }

    fn potential_energy(&self, context: &ForceContext<'_, T>) -> Result<T, ForceError> {
        let height = (self.penetration(context)?).map_or_else(T::zero, |p| p.height);
        Ok(self.stiffness * height * height * 0.5)
    }

    fn conservative_power(&self, context: &ForceContext<'_, T>) -> Result<T, ForceError> {
        let rate = |p: Penetration<T>| p.height * p.normal.dot(&p.velocity);
        Ok(-self.stiffness * (self.penetration(context)?).map_or_else(T::zero, rate))
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
            ("friction", "1"),
            NOT_NEGATIVE,
            &mut self.friction,
        );
        visit_vector(visit, name, ("point", "m"), &mut self.point.position);
    }

    fn validate(&self, tree: &RigidBodyTree<T>) -> Result<(), ForceError> {
        check_not_negative(
            &self.name,
            &[
                ("stiffness", self.stiffness),
                ("damping", self.damping),
                ("friction", self.friction),
            ],
        )?;
        self.plane.body(tree)?;
        self.point.validate(&self.name, tree)
    }
}
