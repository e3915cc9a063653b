//! Elements as a user would write them, outside the crate.

use dualbody::force::{ForceContext, ForceElement, ForceError, Forces};
use dualbody::math::SpatialForce;
use dualbody::parameter::Parameter;
use dualbody::tree::{BodyIndex, RigidBodyTree};
use dualbody::{DefaultScalar, Scalar};
use dualbody::{InvalidInput, math::SpatialVelocity};
use nalgebra::Vector3;

/// A spring between the origins of two bodies, with the energy `½ k ‖p‖²`.
#[derive(Debug, Clone)]
pub struct Tether<T> {
    pub bodies: [BodyIndex; 2],
    pub stiffness: T,
}

impl<T: Scalar> Tether<T> {
    fn gap(&self, context: &ForceContext<'_, T>) -> Result<Vector3<T>, ForceError> {
        let [a, b] = self.bodies;
        Ok(context.body_pose(b)?.translation - context.body_pose(a)?.translation)
    }
}

impl<T: Scalar> ForceElement<T> for Tether<T> {
    type Cast<U: DefaultScalar> = Tether<U>;

    fn cast<U: DefaultScalar>(&self) -> Tether<U> {
        Tether {
            bodies: self.bodies,
            stiffness: U::from(self.stiffness.re()),
        }
    }

    fn name(&self) -> &str {
        "tether"
    }

    fn depends_on_velocity(&self) -> bool {
        false
    }

    fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        let force = self.gap(context)? * self.stiffness;
        let [a, b] = self.bodies;
        forces.add_on_body(a, &SpatialForce::new(Vector3::zeros(), force))?;
        forces.add_on_body(b, &SpatialForce::new(Vector3::zeros(), -force))
    }

    fn potential_energy(&self, context: &ForceContext<'_, T>) -> Result<T, ForceError> {
        Ok(self.gap(context)?.norm_squared() * self.stiffness * 0.5)
    }

    fn conservative_power(&self, context: &ForceContext<'_, T>) -> Result<T, ForceError> {
        let [a, b] = self.bodies;
        let rate = context.body_velocity(b)?.linear - context.body_velocity(a)?.linear;
        Ok(-self.gap(context)?.dot(&rate) * self.stiffness)
    }

    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        visit(Parameter {
            name: format_args!("tether/stiffness"),
            unit: "N/m",
            lower: 0.0,
            upper: f64::INFINITY,
            value: &mut self.stiffness,
        });
    }

    fn validate(&self, tree: &RigidBodyTree<T>) -> Result<(), ForceError> {
        for body in self.bodies {
            tree.body(body)?;
        }
        InvalidInput::check_range("stiffness", &[self.stiffness], "not negative", |k| k >= 0.0)?;
        Ok(())
    }
}

/// What a wing does to first order, and worse: a force on a body at its origin that is linear in its
/// velocity, with a damping matrix that is neither symmetric nor constant.
#[derive(Debug, Clone)]
pub struct Vortex<T> {
    pub body: BodyIndex,
    pub drag: T,
    pub lift: T,
    pub cubic: T,
}

impl<T: Scalar> ForceElement<T> for Vortex<T> {
    type Cast<U: DefaultScalar> = Vortex<U>;

    fn cast<U: DefaultScalar>(&self) -> Vortex<U> {
        Vortex {
            body: self.body,
            drag: U::from(self.drag.re()),
            lift: U::from(self.lift.re()),
            cubic: U::from(self.cubic.re()),
        }
    }

    fn name(&self) -> &str {
        "vortex"
    }

    fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        let SpatialVelocity { angular, linear } = context.body_velocity(self.body)?;
        let across = Vector3::new(-linear.y, linear.x, linear.z) * self.lift;
        let slowed = -linear * (linear.norm_squared() * self.cubic + self.drag);
        let force = SpatialForce::new(angular * -self.drag, slowed + across);
        forces.add_on_body(self.body, &force)
    }

    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        for (quantity, unit, value) in [
            ("drag", "N s/m", &mut self.drag),
            ("lift", "N s/m", &mut self.lift),
            ("cubic", "N s³/m³", &mut self.cubic),
        ] {
            visit(Parameter {
                name: format_args!("vortex/{quantity}"),
                unit,
                lower: f64::NEG_INFINITY,
                upper: f64::INFINITY,
                value,
            });
        }
    }
}

/// Friction on one velocity coordinate, regularised within a very small speed.
#[derive(Debug, Clone)]
pub struct Brake<T> {
    pub coordinate: usize,
    pub force: T,
    pub speed: T,
}

impl<T: Scalar> ForceElement<T> for Brake<T> {
    type Cast<U: DefaultScalar> = Brake<U>;

    fn cast<U: DefaultScalar>(&self) -> Brake<U> {
        Brake {
            coordinate: self.coordinate,
            force: U::from(self.force.re()),
            speed: U::from(self.speed.re()),
        }
    }

    fn name(&self) -> &str {
        "brake"
    }

    fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        let v = context.v()[self.coordinate].div_lifted(self.speed);
        forces.add_generalized(self.coordinate, -self.force * v.tanh_lifted())
    }

    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        visit(Parameter {
            name: format_args!("brake/force"),
            unit: "N",
            lower: 0.0,
            upper: f64::INFINITY,
            value: &mut self.force,
        });
    }
}
