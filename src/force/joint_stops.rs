//! Compliant stops at the limits of joints.

use super::context::ForceContext;
use super::element::ForceElement;
use super::error::ForceError;
use super::forces::Forces;
use super::joint_coordinate::{JointCoordinate, JointMotion};
use crate::erased::casts_by_list;
use crate::kink::{positive_part, unsigned};
use crate::tree::{JointIndex, RigidBodyTree};
use crate::{ElementKink, InvalidInput, Scalar, constants};

/// Compliant stops of a revolute or prismatic joint.
///
/// Beyond a limit by `x > 0`, entering it at the rate `ẋ`, the joint is pushed back with
///
/// ```text
/// τ = k x (1 + d ẋ)₊
/// ```
///
/// (Hunt & Crossley 1975, *Journal of Applied Mechanics* 42(2), 440–445), which is continuous at the
/// limit and never pulls. The stored energy is ½ k x². At a limit, derivatives are those of the free
/// joint.
///
/// Parameters: `name/stiffness`, `name/dissipation`, `name/lower`, `name/upper`.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
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
    #[cfg_attr(feature = "serde", serde(with = "crate::io::json::extended"))]
    pub lower: T,
    /// Upper limit in rad or m; may be infinite.
    #[cfg_attr(feature = "serde", serde(with = "crate::io::json::extended"))]
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
        for joint in tree.joints() {
            let index = joint.index();
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

    /// Stops of a joint of the tree, with stiffness `k` and dissipation `d`, at the limits `[lower,
    /// upper]`.
    ///
    /// # Errors
    /// [`ForceError`] when the tree has no such joint, it neither turns nor slides, the limits are not
    /// in order, or a constant is negative or not finite.
    pub fn new(
        name: impl Into<String>,
        tree: &RigidBodyTree<T>,
        joint: JointIndex,
        stiffness: T,
        dissipation: T,
        [lower, upper]: [T; 2],
    ) -> Result<Self, ForceError> {
        let name = name.into();
        JointStops {
            motion: JointMotion::of_joint(&name, tree, joint)?,
            name,
            joint,
            stiffness,
            dissipation,
            lower,
            upper,
        }
        .validated(tree)
    }

    fn check_limits(&self, tree: &RigidBodyTree<T>) -> Result<(), ForceError> {
        let (lower, expected) = (self.lower.re(), "more than the lower limit");
        InvalidInput::check_range("upper limit", &[self.upper], expected, |x| x > lower)
            .map_err(ForceError::invalid(&self.name))?;
        self.motion.check(&self.name, tree, self.joint)
    }

    /// Both stops, where their limits are finite.
    fn stops(&self, joint: &JointCoordinate<T>) -> impl Iterator<Item = Stop<T>> + use<T> {
        let (position, velocity) = (joint.position, joint.velocity);
        [(self.lower, 1.0), (self.upper, -1.0)]
            .into_iter()
            .filter(|(limit, _)| limit.re().is_finite())
            .map(move |(limit, sign)| Stop {
                beyond: (limit - position) * sign,
                rate: -velocity * sign,
                sign,
            })
    }
}

/// One stop at a state of the joint.
struct Stop<T> {
    /// How far the joint is beyond the limit; negative before it.
    beyond: T,
    /// How fast that grows.
    rate: T,
    /// Which way the stop pushes.
    sign: f64,
}

impl<T: Scalar> ForceElement<T> for JointStops<T> {
    casts_by_list! {}
    constants! { ForceElement for JointStops, checked by check_limits {
        name;
        joint;
        motion;
        stiffness: not_negative(motion.units().stiffness);
        dissipation: not_negative(motion.units().dissipation);
        lower: extended(motion.units().position);
        upper: extended(motion.units().position);
    } }

    fn depends_on_bodies(&self) -> bool {
        false
    }

    fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        let joint = JointCoordinate::of(context, self.joint)?;
        for Stop { beyond, rate, sign } in self.stops(&joint) {
            let factor = positive_part(self.dissipation * rate + 1.0);
            let push = self.stiffness * positive_part(beyond) * factor;
            joint.add_force(forces, push * sign)?;
        }
        Ok(())
    }

    fn potential_energy(&self, context: &ForceContext<'_, T>) -> Result<T, ForceError> {
        let joint = JointCoordinate::of(context, self.joint)?;
        let depths = self.stops(&joint).map(|stop| positive_part(stop.beyond));
        let squares = depths.fold(T::zero(), |sum, x| sum + x * x);
        Ok(self.stiffness * squares * 0.5)
    }

    fn conservative_power(&self, context: &ForceContext<'_, T>) -> Result<T, ForceError> {
        let joint = JointCoordinate::of(context, self.joint)?;
        let add = |sum: T, stop: Stop<T>| sum + positive_part(stop.beyond) * stop.rate;
        Ok(-self.stiffness * self.stops(&joint).fold(T::zero(), add))
    }

    fn visit_kinks<'a>(
        &'a self,
        context: &ForceContext<'_, T>,
        visit: &mut dyn FnMut(ElementKink<'a, T>),
    ) -> Result<(), ForceError> {
        let joint = JointCoordinate::of(context, self.joint)?;
        let (units, dissipation) = (self.motion.units(), self.dissipation);
        for Stop { beyond, rate, sign } in self.stops(&joint) {
            let factor = dissipation * rate + 1.0;
            let mut kink = |change, distance: T, unit| {
                visit(ElementKink {
                    element: &self.name,
                    change,
                    distance: unsigned(distance),
                    unit,
                    order: 1,
                });
            };
            let stop = if sign > 0.0 {
                "lower stop"
            } else {
                "upper stop"
            };
            // Each factor of the force matters only while the other one is positive.
            if self.stiffness.re() > 0.0 && factor.re() >= 0.0 {
                kink(stop, beyond, units.position);
            }
            if self.stiffness.re() > 0.0 && dissipation.re() > 0.0 && beyond.re() >= 0.0 {
                kink("release of the stop", factor / dissipation, units.rate);
            }
        }
        Ok(())
    }
}
