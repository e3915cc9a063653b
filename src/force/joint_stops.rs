//! Stops at the ends of a joint's range.

use super::constants::{ANY, InElement, NOT_NEGATIVE, check_not_negative, visit_constant};
use super::context::ForceContext;
use super::element::ForceElement;
use super::error::ForceError;
use super::forces::Forces;
use super::joint_coordinate::{JointCoordinate, JointMotion};
use crate::parameter::Parameter;
use crate::tree::{JointIndex, RigidBodyTree};
use crate::{InvalidInput, Scalar};

/// Compliant stops of a revolute or prismatic joint.
///
/// Beyond a limit by `x > 0`, entering it at the rate `ẋ`, the joint is pushed back with
///
/// ```text
/// τ = k x (1 + d ẋ)₊
/// ```
///
/// (Hunt & Crossley 1975, *Journal of Applied Mechanics* 42(2), 440–445), which is continuous at the
/// limit and never pulls. The stored energy is ½ k x².
///
/// Parameters: `name/stiffness`, `name/dissipation`, `name/lower`, `name/upper`.
#[derive(Debug, Clone, PartialEq)]
pub struct JointStops<T> {
    /// The name.
    pub name: String,
    /// The joint.
    pub joint: JointIndex,
    /// Whether it turns or slides.
    pub motion: JointMotion,
    /// Stiffness `k` in N m/rad or N/m.
    pub stiffness: T,
    /// Dissipation `d` in s/rad or s/m.
    pub dissipation: T,
    /// Lower limit in rad or m; may be infinite.
    pub lower: T,
    /// Upper limit in rad or m; may be infinite.
    pub upper: T,
}

impl<T: Scalar> JointStops<T> {
    /// Stops at all position limits that revolute and prismatic joints of a tree have, under the names
    /// `joint/stops`.
    ///
    /// `constants` gives stiffness and dissipation of joints that turn and of joints that slide. The
    /// limits are copied.
    ///
    /// ```
    /// use dualbody::force::{JointMotion, JointStops};
    /// use dualbody::math::{RigidTransform, SpatialInertia};
    /// use dualbody::tree::{BodyIndex, JointKind, RigidBodyTreeBuilder};
    /// use nalgebra::Vector3;
    ///
    /// let mut builder = RigidBodyTreeBuilder::<f64>::new();
    /// let door = builder.add_body("door", SpatialInertia::solid_box(20.0, &Vector3::new(0.9, 0.04, 2.0)))?;
    /// let hinge = JointKind::Revolute { axis: Vector3::z() };
    /// let here = RigidTransform::identity();
    /// let hinge = builder.add_joint("hinge", hinge, BodyIndex::WORLD, here, door)?;
    /// builder.set_position_limits(hinge, &[0.0], &[1.6])?;
    /// let tree = builder.finish()?;
    ///
    /// let stops = JointStops::of_tree(&tree, |motion| match motion {
    ///     JointMotion::Rotation => (500.0, 0.5),
    ///     JointMotion::Translation => (1e5, 0.5),
    /// });
    /// assert_eq!(stops.len(), 1);
    /// assert_eq!((stops[0].name.as_str(), stops[0].upper), ("hinge/stops", 1.6));
    /// # Ok::<(), dualbody::tree::TreeError>(())
    /// ```
    pub fn of_tree(
        tree: &RigidBodyTree<T>,
        constants: impl Fn(JointMotion) -> (T, T),
    ) -> Vec<JointStops<T>> {
        let mut all = Vec::new();
        for (index, joint) in tree.joints() {
            let limits = joint.limits();
            let (Some(motion), &[lower], &[upper]) = (
                JointMotion::of(joint.kind()),
                limits.lower.as_slice(),
                limits.upper.as_slice(),
            ) else {
                continue;
            };
            if lower.re().is_finite() || upper.re().is_finite() {
                let (stiffness, dissipation) = constants(motion);
                all.push(JointStops {
                    name: format!("{}/stops", joint.name()),
                    joint: index,
                    motion,
                    stiffness,
                    dissipation,
                    lower,
                    upper,
                });
            }
        }
        all
    }

    /// How far the joint is beyond a limit, how fast it goes on, and which way the stop pushes; for
    /// both limits that are finite.
    fn penetrations(
        &self,
        joint: &JointCoordinate<T>,
    ) -> impl Iterator<Item = (T, T, f64)> + use<T> {
        let (position, velocity) = (joint.position, joint.velocity);
        [(self.lower, 1.0), (self.upper, -1.0)]
            .into_iter()
            .filter(|(limit, _)| limit.re().is_finite())
            .map(move |(limit, sign)| {
                let beyond = (limit - position) * sign;
                (beyond.max_lifted(T::zero()), -velocity * sign, sign)
            })
    }
}

impl<T: Scalar> ForceElement<T> for JointStops<T> {
    type Cast<U: Scalar> = JointStops<U>;

    fn cast<U: Scalar>(&self) -> JointStops<U> {
        JointStops {
            name: self.name.clone(),
            joint: self.joint,
            motion: self.motion,
            stiffness: U::from(self.stiffness.re()),
            dissipation: U::from(self.dissipation.re()),
            lower: U::from(self.lower.re()),
            upper: U::from(self.upper.re()),
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
        for (x, rate, sign) in self.penetrations(&joint) {
            let factor = (self.dissipation * rate + 1.0).max_lifted(T::zero());
            joint.add_force(forces, self.stiffness * x * factor * sign)?;
        }
        Ok(())
    }

    fn potential_energy(&self, context: &ForceContext<'_, T>) -> Result<T, ForceError> {
        let joint = JointCoordinate::of(context, self.joint)?;
        let squares = self
            .penetrations(&joint)
            .fold(T::zero(), |sum, (x, ..)| sum + x * x);
        Ok(self.stiffness * squares * 0.5)
    }

    fn conservative_power(&self, context: &ForceContext<'_, T>) -> Result<T, ForceError> {
        let joint = JointCoordinate::of(context, self.joint)?;
        let add = |sum: T, (x, rate, _): (T, T, f64)| sum + x * rate;
        Ok(-self.stiffness * self.penetrations(&joint).fold(T::zero(), add))
    }

    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        let (name, units) = (&self.name, self.motion.units());
        let (stiffness, dissipation) = (&mut self.stiffness, &mut self.dissipation);
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
            ("dissipation", units.dissipation),
            NOT_NEGATIVE,
            dissipation,
        );
        visit_constant(visit, name, ("lower", units.position), ANY, &mut self.lower);
        visit_constant(visit, name, ("upper", units.position), ANY, &mut self.upper);
    }

    fn validate(&self, tree: &RigidBodyTree<T>) -> Result<(), ForceError> {
        let constants = [
            ("stiffness", self.stiffness),
            ("dissipation", self.dissipation),
        ];
        check_not_negative(&self.name, &constants)?;
        let lower = self.lower.re();
        let above = |upper: f64| upper > lower;
        InvalidInput::check_range(
            "upper limit",
            &[self.upper],
            "more than the lower limit",
            above,
        )
        .in_element(&self.name)?;
        self.motion.check(&self.name, tree, self.joint)
    }
}
