//! The energy-consistent (conservative) bushing.

use super::constants::BushingConstants;
use super::gimbal::{Gimbal, is_locked};
use super::relative_motion::RelativeMotion;
use crate::erased::casts_by_list;
use crate::force::{Attachment, ForceContext, ForceElement, ForceError, Forces};
use crate::kink::{positive_part, unsigned};
use crate::math::{RollPitchYaw, SpatialForce, rotation};
use crate::{ElementKink, Scalar, constants};
use nalgebra::{Matrix3, Vector3};
use std::f64::consts::PI;

/// By which three numbers a bushing measures the orientation of C in A.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub enum BushingOrientation {
    /// Roll, pitch and yaw, as [`LinearBushingRollPitchYaw`](super::LinearBushingRollPitchYaw) does;
    /// undefined near gimbal lock.
    RollPitchYaw,
    /// The rotation vector φ, with `R_AC` the rotation by the angle `‖φ‖ ≤ π` about φ. Its components
    /// are the same in A and in C. Without singularity; at an angle of π it jumps to −φ.
    RotationVector,
}

/// A massless bushing whose springs conserve energy at any angle and displacement.
///
/// Its twelve constants mean what they mean for a
/// [`LinearBushingRollPitchYaw`](super::LinearBushingRollPitchYaw), and for small angles the two are
/// the same. See the [module](super#the-energy-consistent-bushing) for the equations.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
pub struct ConservativeBushing<T> {
    name: String,
    frame_a: Attachment,
    frame_c: Attachment,
    orientation: BushingOrientation,
    constants: BushingConstants<T>,
}

/// Three numbers that measure orientation, their rates, and what takes `w_AC_A` to rates.
struct Angles<T> {
    q: Vector3<T>,
    rates: Vector3<T>,
    n: Matrix3<T>,
}

/// `p_AoCo` and its rate in a frame that turns with A or with C, and the rotation of that frame.
struct Displacement<T> {
    r: Matrix3<T>,
    position: Vector3<T>,
    rate: Vector3<T>,
}

impl<T: Scalar> ConservativeBushing<T> {
    /// A bushing between frames A and C.
    ///
    /// Its parameters are listed as `name/torque_stiffness/0`, ….
    ///
    /// # Errors
    /// [`ForceError::InvalidElement`] for a constant that is negative or not finite.
    pub fn new(
        name: impl Into<String>,
        frame_a: impl Into<Attachment>,
        frame_c: impl Into<Attachment>,
        orientation: BushingOrientation,
        constants: BushingConstants<T>,
    ) -> Result<Self, ForceError> {
        let name = name.into();
        constants.validate().map_err(ForceError::invalid(&name))?;
        Ok(ConservativeBushing {
            name,
            frame_a: frame_a.into(),
            frame_c: frame_c.into(),
            orientation,
            constants,
        })
    }

    /// Frame A.
    pub fn frame_a(&self) -> Attachment {
        self.frame_a
    }

    /// Frame C.
    pub fn frame_c(&self) -> Attachment {
        self.frame_c
    }

    /// All constants.
    pub fn constants(&self) -> &BushingConstants<T> {
        &self.constants
    }

    /// How orientation is measured.
    pub fn orientation(&self) -> BushingOrientation {
        self.orientation
    }

    /// The power of the dampers in W, never positive.
    ///
    /// # Errors
    /// [`ForceError::GimbalLock`], [`ForceError::Tree`].
    #[inline(never)]
    pub fn damping_power(&self, context: &ForceContext<'_, T>) -> Result<T, ForceError> {
        let motion = RelativeMotion::of(context, self.frame_a, self.frame_c)?;
        let angles = self.angles(&motion)?;
        let damping = &self.constants.torque_damping;
        let mut twice = damping.component_mul(&angles.rates).dot(&angles.rates) * 2.0;
        for d in displacements(&motion) {
            twice += self
                .constants
                .force_damping
                .component_mul(&d.rate)
                .dot(&d.rate);
        }
        Ok(twice * -0.5)
    }

    /// Whether orientation is measured by roll, pitch and yaw, and the pitch is so near to ±90° that the
    /// bushing fails.
    ///
    /// # Errors
    /// [`ForceError::Tree`].
    pub fn is_gimbal_locked(&self, context: &ForceContext<'_, T>) -> Result<bool, ForceError> {
        let motion = RelativeMotion::of(context, self.frame_a, self.frame_c)?;
        let measured = self.orientation == BushingOrientation::RollPitchYaw;
        Ok(measured && is_locked(&motion.r_ac()))
    }

    fn angles(&self, motion: &RelativeMotion<T>) -> Result<Angles<T>, ForceError> {
        let w = motion.w_ac_a();
        Ok(match self.orientation {
            BushingOrientation::RollPitchYaw => {
                let Gimbal { q, rates, n } = Gimbal::new(&self.name, &motion.r_ac(), &w)?;
                Angles { q, rates, n }
            }
            BushingOrientation::RotationVector => {
                let q = rotation::log(&motion.quaternion());
                let n = rotation::inverse_left_jacobian(&q);
                Angles { q, rates: n * w, n }
            }
        })
    }
}

/// As seen from A and from C.
fn displacements<T: Scalar>(motion: &RelativeMotion<T>) -> [Displacement<T>; 2] {
    [(motion.r_wa, motion.w_a), (motion.r_wc, motion.w_c)].map(|(r, w)| Displacement {
        r,
        position: r.tr_mul(&motion.p),
        rate: r.tr_mul(&(motion.v - w.cross(&motion.p))),
    })
}

impl<T: Scalar> ForceElement<T> for ConservativeBushing<T> {
    casts_by_list! {}
    constants! { ForceElement for ConservativeBushing {
        name;
        frame_a: in_tree;
        frame_c: in_tree;
        orientation;
        constants: nested;
    } }

    fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        let motion = RelativeMotion::of(context, self.frame_a, self.frame_c)?;
        let Angles { q, rates, n } = self.angles(&motion)?;
        let c = &self.constants;
        let tau = c.torque_stiffness.component_mul(&q) + c.torque_damping.component_mul(&rates);
        let torque = motion.r_wa * n.tr_mul(&tau);
        let half = T::from(0.5);
        let [seen_from_a, seen_from_c] = displacements(&motion).map(|d| {
            let f = c.force_stiffness.component_mul(&d.position)
                + c.force_damping.component_mul(&d.rate);
            d.r * f * half
        });
        let force = seen_from_a + seen_from_c;
        let on_a = SpatialForce::new(torque + motion.p.cross(&seen_from_a), force);
        let on_c = SpatialForce::new(motion.p.cross(&seen_from_c) - torque, -force);
        self.frame_a.add_force(context, forces, &on_a)?;
        self.frame_c.add_force(context, forces, &on_c)
    }

    fn potential_energy(&self, context: &ForceContext<'_, T>) -> Result<T, ForceError> {
        let motion = RelativeMotion::of(context, self.frame_a, self.frame_c)?;
        let q = self.angles(&motion)?.q;
        let c = &self.constants;
        let mut energy = c.torque_stiffness.component_mul(&q).dot(&q) * 0.5;
        for d in displacements(&motion) {
            energy += c
                .force_stiffness
                .component_mul(&d.position)
                .dot(&d.position)
                * 0.25;
        }
        Ok(energy)
    }

    fn conservative_power(&self, context: &ForceContext<'_, T>) -> Result<T, ForceError> {
        let motion = RelativeMotion::of(context, self.frame_a, self.frame_c)?;
        let angles = self.angles(&motion)?;
        let c = &self.constants;
        let mut rate = c
            .torque_stiffness
            .component_mul(&angles.q)
            .dot(&angles.rates);
        for d in displacements(&motion) {
            rate += c.force_stiffness.component_mul(&d.position).dot(&d.rate) * 0.5;
        }
        Ok(-rate)
    }

    fn visit_kinks<'a>(
        &'a self,
        context: &ForceContext<'_, T>,
        visit: &mut dyn FnMut(ElementKink<'a, T>),
    ) -> Result<(), ForceError> {
        let motion = RelativeMotion::of(context, self.frame_a, self.frame_c)?;
        let stiff = self.constants.torque_stiffness.map(|x| x.re() > 0.0);
        let mut kink = |change, distance: T| {
            visit(ElementKink {
                element: &self.name,
                change,
                distance: positive_part(distance),
                unit: "rad",
                order: 0,
            });
        };
        match self.orientation {
            BushingOrientation::RollPitchYaw => {
                let RollPitchYaw { roll, yaw, .. } = RollPitchYaw::from_matrix(&motion.r_ac());
                for (change, angle, stiff) in [("roll", roll, stiff.x), ("yaw", yaw, stiff.z)] {
                    if stiff {
                        kink(change, -unsigned(angle) + PI);
                    }
                }
            }
            BushingOrientation::RotationVector if stiff.iter().any(|stiff| *stiff) => {
                kink("reversal of the axis", motion.angle_to_reversal());
            }
            BushingOrientation::RotationVector => {}
        }
        Ok(())
    }
}
