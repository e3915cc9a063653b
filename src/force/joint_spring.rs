//! A spring and a damper on a joint.

use super::constants::{ANY, NOT_NEGATIVE, check_finite, check_not_negative, visit_constant};
use super::context::ForceContext;
use super::element::ForceElement;
use super::error::ForceError;
use super::forces::Forces;
use super::joint_coordinate::{JointCoordinate, JointMotion};
use crate::Scalar;
use crate::parameter::Parameter;
use crate::tree::{JointIndex, RigidBodyTree};

/// A spring and a damper on a revolute or prismatic joint: `τ = −k (q − q₀) − c q̇`.
///
/// Parameters: `name/stiffness`, `name/damping`, `name/nominal_position`, in units of the motion.
#[derive(Debug, Clone, PartialEq)]
pub struct JointSpring<T> {
    /// The name.
    pub name: String,
    /// The joint.
    pub joint: JointIndex,
    /// Whether it turns or slides.
    pub motion: JointMotion,
    /// Stiffness `k` in N m/rad or N/m.
    pub stiffness: T,
    /// Damping `c` in N m s/rad or N s/m, beside that of the joint itself.
    pub damping: T,
    /// Position `q₀` in rad or m at which the spring is relaxed.
    pub nominal_position: T,
}

impl<T: Scalar> ForceElement<T> for JointSpring<T> {
    type Cast<U: Scalar> = JointSpring<U>;

    fn cast<U: Scalar>(&self) -> JointSpring<U> {
        JointSpring {
            name: self.name.clone(),
            joint: self.joint,
            motion: self.motion,
            stiffness: U::from(self.stiffness.re()),
            damping: U::from(self.damping.re()),
            nominal_position: U::from(self.nominal_position.re()),
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
        let joint = JointCoordinate::of(context, self.joint)?;
        let stretch = joint.position - self.nominal_position;
        joint.add_force(
            forces,
            -(self.stiffness * stretch + self.damping * joint.velocity),
        )
    }

    fn potential_energy(&self, context: &ForceContext<'_, T>) -> Result<T, ForceError> {
        let stretch = JointCoordinate::of(context, self.joint)?.position - self.nominal_position;
        Ok(self.stiffness * stretch * stretch * 0.5)
    }

    fn conservative_power(&self, context: &ForceContext<'_, T>) -> Result<T, ForceError> {
        let joint = JointCoordinate::of(context, self.joint)?;
        Ok(-self.stiffness * (joint.position - self.nominal_position) * joint.velocity)
    }

    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        let (name, units) = (&self.name, self.motion.units());
        let (stiffness, damping) = (&mut self.stiffness, &mut self.damping);
        visit_constant(
            visit,
            name,
            ("stiffness", units.stiffness),
            NOT_NEGATIVE,
            stiffness,
        );
        visit_constant(
            visit,
            name,
            ("damping", units.damping),
            NOT_NEGATIVE,
            damping,
        );
        let nominal = ("nominal_position", units.position);
        visit_constant(visit, name, nominal, ANY, &mut self.nominal_position);
    }

    fn validate(&self, tree: &RigidBodyTree<T>) -> Result<(), ForceError> {
        let constants = [("stiffness", self.stiffness), ("damping", self.damping)];
        check_not_negative(&self.name, &constants)?;
        check_finite(&self.name, "nominal position", &[self.nominal_position])?;
        self.motion.check(&self.name, tree, self.joint)
    }
}
