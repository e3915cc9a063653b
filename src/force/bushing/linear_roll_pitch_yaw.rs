//! The quasi-symmetric bushing with linear springs and dampers on roll, pitch and yaw.

use super::constants::{BushingConstants, check_constants};
use super::deformation::BushingDeformation;
use super::gimbal::{Gimbal, is_locked};
use super::relative_motion::RelativeMotion;
use crate::erased::casts_by_list;
use crate::force::{Attachment, ForceContext, ForceElement, ForceError, Forces};
use crate::kink::{positive_part, unsigned};
use crate::math::{RigidTransform, RollPitchYaw, SpatialForce, rotation};
use crate::tree::{BodyIndex, RigidBodyTree, TreeError};
use crate::{ElementKink, Scalar, constants};
use nalgebra::{Matrix3, Quaternion, Vector3};
use std::f64::consts::PI;

/// A massless bushing that connects a frame A of link L0 with a frame C of link L1, linear in roll,
/// pitch, yaw and their rates, and in the displacements and rates of a frame B halfway between.
///
/// See the [module](super) for the equations and for the energies that balance. The spring torques
/// jump where an angle does, and the element fails near gimbal lock, a pitch of ±90°, whatever its
/// constants: [`ForceError::GimbalLock`]. A [`ConservativeBushing`](super::ConservativeBushing) with a
/// [rotation vector](super::BushingOrientation::RotationVector) knows no gimbal lock.
///
/// ```
/// use dualbody::contact::ContactModel;
/// use dualbody::force::LinearBushingRollPitchYaw;
/// use dualbody::force::bushing::BushingConstants;
/// use dualbody::math::SpatialInertia;
/// use dualbody::system::TimeSteppingRigidBodySystem;
/// use dualbody::tree::{BodyIndex, RigidBodyTreeBuilder};
/// use nalgebra::Vector3;
///
/// let mut builder = RigidBodyTreeBuilder::new();
/// let engine = SpatialInertia::solid_box(120.0, &Vector3::repeat(0.4));
/// let engine = builder.add_body("engine", engine)?;
/// let tree = builder.finish()?;
/// let constants = BushingConstants {
///     torque_stiffness: Vector3::repeat(4e3),
///     torque_damping: Vector3::repeat(60.0),
///     force_stiffness: Vector3::new(4e5, 4e5, 9e5),
///     force_damping: Vector3::repeat(2e3),
/// };
/// let mount = LinearBushingRollPitchYaw::new("mount", BodyIndex::WORLD, engine, constants)?;
/// let system = TimeSteppingRigidBodySystem::new(tree, ContactModel::none(), 1e-3)?
///     .with_forces([mount])?;
/// let mut workspace = system.workspace()?;
/// let rollout = system.rollout_with(&mut workspace, &system.neutral_state(), 2000, |_, _, _| {});
/// // It comes to rest where the spring carries the weight.
/// let sag = rollout.completed()?.last().q[6];
/// assert!((sag + 120.0 * 9.81 / 9e5_f64).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(deny_unknown_fields, bound = "T: crate::io::json::Number")
)]
pub struct LinearBushingRollPitchYaw<T> {
    name: String,
    frame_a: Attachment,
    frame_c: Attachment,
    constants: BushingConstants<T>,
}

impl<T: Scalar> LinearBushingRollPitchYaw<T> {
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
        constants: BushingConstants<T>,
    ) -> Result<Self, ForceError> {
        let name = name.into();
        constants.validate().map_err(ForceError::invalid(&name))?;
        Ok(LinearBushingRollPitchYaw {
            name,
            frame_a: frame_a.into(),
            frame_c: frame_c.into(),
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

    /// The body L0 that carries frame A.
    ///
    /// # Errors
    /// [`TreeError`] when the tree does not have it.
    pub fn link0(&self, tree: &RigidBodyTree<T>) -> Result<BodyIndex, TreeError> {
        self.frame_a.body(tree)
    }

    /// The body L1 that carries frame C.
    ///
    /// # Errors
    /// [`TreeError`] when the tree does not have it.
    pub fn link1(&self, tree: &RigidBodyTree<T>) -> Result<BodyIndex, TreeError> {
        self.frame_c.body(tree)
    }

    /// All constants.
    pub fn constants(&self) -> &BushingConstants<T> {
        &self.constants
    }

    /// Torque stiffness `[k₀ k₁ k₂]` in N m/rad.
    pub fn torque_stiffness_constants(&self) -> &Vector3<T> {
        &self.constants.torque_stiffness
    }

    /// Torque damping `[d₀ d₁ d₂]` in N m s/rad.
    pub fn torque_damping_constants(&self) -> &Vector3<T> {
        &self.constants.torque_damping
    }

    /// Force stiffness `[k_x k_y k_z]` in N/m.
    pub fn force_stiffness_constants(&self) -> &Vector3<T> {
        &self.constants.force_stiffness
    }

    /// Force damping `[d_x d_y d_z]` in N s/m.
    pub fn force_damping_constants(&self) -> &Vector3<T> {
        &self.constants.force_damping
    }

    /// Sets the torque stiffness `[k₀ k₁ k₂]` in N m/rad.
    ///
    /// # Errors
    /// [`ForceError::InvalidElement`] for a value that is negative or not finite; the bushing is then
    /// as before.
    pub fn set_torque_stiffness_constants(&mut self, values: Vector3<T>) -> Result<(), ForceError> {
        self.set("torque stiffness", values, |c| &mut c.torque_stiffness)
    }

    /// Sets the torque damping `[d₀ d₁ d₂]` in N m s/rad.
    ///
    /// # Errors
    /// As [`Self::set_torque_stiffness_constants`].
    pub fn set_torque_damping_constants(&mut self, values: Vector3<T>) -> Result<(), ForceError> {
        self.set("torque damping", values, |c| &mut c.torque_damping)
    }

    /// Sets the force stiffness `[k_x k_y k_z]` in N/m.
    ///
    /// # Errors
    /// As [`Self::set_torque_stiffness_constants`].
    pub fn set_force_stiffness_constants(&mut self, values: Vector3<T>) -> Result<(), ForceError> {
        self.set("force stiffness", values, |c| &mut c.force_stiffness)
    }

    /// Sets the force damping `[d_x d_y d_z]` in N s/m.
    ///
    /// # Errors
    /// As [`Self::set_torque_stiffness_constants`].
    pub fn set_force_damping_constants(&mut self, values: Vector3<T>) -> Result<(), ForceError> {
        self.set("force damping", values, |c| &mut c.force_damping)
    }

    /// The force of the bushing on A, expressed in A: torque about Ao, and force.
    ///
    /// # Errors
    /// [`ForceError::GimbalLock`], [`ForceError::Tree`].
    #[inline(never)]
    pub fn spatial_force_on_frame_a(
        &self,
        context: &ForceContext<'_, T>,
    ) -> Result<SpatialForce<T>, ForceError> {
        let (on_a, _) = self.forces(context)?;
        let rotation = self.frame_a.pose(context)?.rotation;
        Ok(expressed_in(&rotation, &on_a))
    }

    /// The force of the bushing on C, expressed in C: torque about Co, and force.
    ///
    /// # Errors
    /// [`ForceError::GimbalLock`], [`ForceError::Tree`].
    #[inline(never)]
    pub fn spatial_force_on_frame_c(
        &self,
        context: &ForceContext<'_, T>,
    ) -> Result<SpatialForce<T>, ForceError> {
        let (_, on_c) = self.forces(context)?;
        let rotation = self.frame_c.pose(context)?.rotation;
        Ok(expressed_in(&rotation, &on_c))
    }

    /// The angles, the half-way frame, the displacement, their rates and the loads.
    ///
    /// # Errors
    /// [`ForceError::GimbalLock`], [`ForceError::Tree`].
    #[inline(never)]
    pub fn deformation(
        &self,
        context: &ForceContext<'_, T>,
    ) -> Result<BushingDeformation<T>, ForceError> {
        self.deformation_by(&self.motion(context)?)
    }

    /// The angles `q` in rad.
    ///
    /// # Errors
    /// [`ForceError::GimbalLock`], [`ForceError::Tree`].
    pub fn angles(&self, context: &ForceContext<'_, T>) -> Result<RollPitchYaw<T>, ForceError> {
        Ok(self.deformation(context)?.angles)
    }

    /// The displacement `[x y z]` in m, in the half-way frame B.
    ///
    /// # Errors
    /// [`ForceError::GimbalLock`], [`ForceError::Tree`].
    pub fn displacement(&self, context: &ForceContext<'_, T>) -> Result<Vector3<T>, ForceError> {
        Ok(self.deformation(context)?.displacement)
    }

    /// Whether the pitch is so near to ±90° that the bushing fails: its cosine is less than
    /// [`GIMBAL_LOCK_TOLERANCE`](super::GIMBAL_LOCK_TOLERANCE).
    ///
    /// # Errors
    /// [`ForceError::Tree`].
    pub fn is_gimbal_locked(&self, context: &ForceContext<'_, T>) -> Result<bool, ForceError> {
        Ok(is_locked(&self.motion(context)?.r_ac()))
    }

    /// The power `−q̇ᵀ D₀₁₂ q̇ − [ẋ ẏ ż] D_xyz [ẋ ẏ ż]ᵀ` of the dampers in W, never positive.
    ///
    /// # Errors
    /// [`ForceError::GimbalLock`], [`ForceError::Tree`].
    #[inline(never)]
    pub fn damping_power(&self, context: &ForceContext<'_, T>) -> Result<T, ForceError> {
        let d = self.deformation(context)?;
        let c = &self.constants;
        let torques = c.torque_damping.component_mul(&d.angle_rates);
        let forces = c.force_damping.component_mul(&d.displacement_rates);
        Ok(-(torques.dot(&d.angle_rates) + forces.dot(&d.displacement_rates)))
    }

    /// The power of all forces that is not `−dU/dt`, in W: that of the dampers, and at large angles
    /// and with unequal stiffness some of the springs (see the [module](super)).
    ///
    /// # Errors
    /// [`ForceError::GimbalLock`], [`ForceError::Tree`].
    #[inline(never)]
    pub fn nonconservative_power(&self, context: &ForceContext<'_, T>) -> Result<T, ForceError> {
        let (on_a, on_c) = self.forces(context)?;
        let power = on_a.power(&self.frame_a.velocity(context)?)
            + on_c.power(&self.frame_c.velocity(context)?);
        Ok(power - self.conservative_power(context)?)
    }

    fn set(
        &mut self,
        quantity: &'static str,
        values: Vector3<T>,
        field: impl FnOnce(&mut BushingConstants<T>) -> &mut Vector3<T>,
    ) -> Result<(), ForceError> {
        check_constants(quantity, &values).map_err(ForceError::invalid(&self.name))?;
        *field(&mut self.constants) = values;
        Ok(())
    }

    fn motion(&self, context: &ForceContext<'_, T>) -> Result<RelativeMotion<T>, ForceError> {
        RelativeMotion::of(context, self.frame_a, self.frame_c)
    }

    fn deformation_by(
        &self,
        motion: &RelativeMotion<T>,
    ) -> Result<BushingDeformation<T>, ForceError> {
        let Gimbal { q, rates, n } = Gimbal::new(&self.name, &motion.r_ac(), &motion.w_ac_a())?;
        let half = T::from(0.5);
        // Halfway between the identity and a unit quaternion lies their sum, normalised.
        let c = motion.quaternion();
        let b = Quaternion::new(c.w + T::one(), c.i, c.j, c.k);
        let r_ab = rotation::matrix_from_quaternion(&b);
        let r_wb = rotation::product(&motion.r_wa, &r_ab);
        let turning = (motion.w_a + motion.w_c) * half;
        let displacement = r_wb.tr_mul(&motion.p);
        let displacement_rates = r_wb.tr_mul(&(motion.v - turning.cross(&motion.p)));
        let c = &self.constants;
        let gimbal_torque =
            -c.torque_stiffness.component_mul(&q) - c.torque_damping.component_mul(&rates);
        Ok(BushingDeformation {
            angles: RollPitchYaw::new(q.x, q.y, q.z),
            angle_rates: rates,
            pose_of_b: RigidTransform::new(r_ab, motion.r_wa.tr_mul(&motion.p) * half),
            displacement,
            displacement_rates,
            gimbal_torque,
            torque_on_c: n.tr_mul(&gimbal_torque),
            force_on_c: -c.force_stiffness.component_mul(&displacement)
                - c.force_damping.component_mul(&displacement_rates),
        })
    }

    /// Forces on A about Ao and on C about Co, expressed in W.
    fn forces(
        &self,
        context: &ForceContext<'_, T>,
    ) -> Result<(SpatialForce<T>, SpatialForce<T>), ForceError> {
        let motion = self.motion(context)?;
        let d = self.deformation_by(&motion)?;
        let torque = rotation::applied(&motion.r_wa, &d.torque_on_c);
        let force = rotation::applied(&d.pose_of_b.rotation, &d.force_on_c);
        let force = rotation::applied(&motion.r_wa, &force);
        // Both act at Bo: ½ p from Ao, −½ p from Co.
        let moment = (motion.p * T::from(0.5)).cross(&force);
        Ok((
            SpatialForce::new(-torque - moment, -force),
            SpatialForce::new(torque - moment, force),
        ))
    }
}

impl<T: Scalar> ForceElement<T> for LinearBushingRollPitchYaw<T> {
    casts_by_list! {}
    constants! { ForceElement for LinearBushingRollPitchYaw {
        name;
        frame_a: in_tree;
        frame_c: in_tree;
        constants: nested;
    } }

    fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        forces: &mut Forces<T>,
    ) -> Result<(), ForceError> {
        let (on_a, on_c) = self.forces(context)?;
        self.frame_a.add_force(context, forces, &on_a)?;
        self.frame_c.add_force(context, forces, &on_c)
    }

    /// `½ qᵀ K₀₁₂ q + ½ [x y z] K_xyz [x y z]ᵀ`.
    fn potential_energy(&self, context: &ForceContext<'_, T>) -> Result<T, ForceError> {
        let d = self.deformation(context)?;
        let c = &self.constants;
        let q = vector(&d.angles);
        let angular = c.torque_stiffness.component_mul(&q).dot(&q);
        let linear = (c.force_stiffness.component_mul(&d.displacement)).dot(&d.displacement);
        Ok((angular + linear) * 0.5)
    }

    /// `−dU/dt`, with the true rates of `[x y z]`.
    fn conservative_power(&self, context: &ForceContext<'_, T>) -> Result<T, ForceError> {
        let motion = self.motion(context)?;
        let d = self.deformation_by(&motion)?;
        // The rotation vector φ of R_AC and that of R_AB, ½ φ, change at φ̇ and ½ φ̇.
        let phi = rotation::log(&motion.quaternion());
        let phi_rate = rotation::inverse_left_jacobian(&phi) * motion.w_ac_a();
        let half = T::from(0.5);
        let w_ab_a = rotation::left_jacobian(&(phi * half)) * (phi_rate * half);
        let w_b = motion.w_a + rotation::applied(&motion.r_wa, &w_ab_a);
        let r_wb = rotation::product(&motion.r_wa, &d.pose_of_b.rotation);
        let rates = r_wb.tr_mul(&(motion.v - w_b.cross(&motion.p)));
        let c = &self.constants;
        let angular = (c.torque_stiffness.component_mul(&vector(&d.angles))).dot(&d.angle_rates);
        let linear = c.force_stiffness.component_mul(&d.displacement).dot(&rates);
        Ok(-(angular + linear))
    }

    fn visit_kinks<'a>(
        &'a self,
        context: &ForceContext<'_, T>,
        visit: &mut dyn FnMut(ElementKink<'a, T>),
    ) -> Result<(), ForceError> {
        let motion = self.motion(context)?;
        let RollPitchYaw { roll, yaw, .. } = RollPitchYaw::from_matrix(&motion.r_ac());
        let c = &self.constants;
        let is_equal = |v: &Vector3<T>| v.iter().all(|x| x.re() == v.x.re());
        let turns = [
            ("roll", roll, c.torque_stiffness.x),
            ("yaw", yaw, c.torque_stiffness.z),
        ];
        let turns = (turns.into_iter())
            .filter(|(_, _, stiffness)| stiffness.re() > 0.0)
            .map(|(change, angle, _)| (change, positive_part(-unsigned(angle) + PI)));
        let reversal = (!is_equal(&c.force_stiffness) || !is_equal(&c.force_damping))
            .then(|| ("reversal of the axis", motion.angle_to_reversal()));
        for (change, distance) in turns.chain(reversal) {
            visit(ElementKink {
                element: &self.name,
                change,
                distance,
                unit: "rad",
                order: 0,
            });
        }
        Ok(())
    }
}

fn vector<T: Scalar>(angles: &RollPitchYaw<T>) -> Vector3<T> {
    Vector3::new(angles.roll, angles.pitch, angles.yaw)
}

fn expressed_in<T: Scalar>(r_wf: &Matrix3<T>, force: &SpatialForce<T>) -> SpatialForce<T> {
    SpatialForce::new(r_wf.tr_mul(&force.torque), r_wf.tr_mul(&force.force))
}
