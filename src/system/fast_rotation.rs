//! Coriolis and gyroscopic effects of bodies that rotate far within a step, by projection of their momentum.
//!
//! A step takes the forces `−C(q, v) v` as at its start. Where bodies rotate by a noticeable angle in a step, these
//! lag behind the motion and feed energy into it. There the momentum of the step before is used instead: with
//! the configuration `q⁻ = q ⊖ δt v` in which `v` was found, the momentum balance of a step becomes
//!
//! ```text
//! M(q) v⁺ = Σ_B J_B(q)ᵀ M_B V_B' + δt (τ + …)
//! ```
//!
//! A body B takes along the velocity `V_B'` that its centre of mass has with `v` at `q⁻`, and the angular
//! velocity that it has there in its own frame after the gyroscopic torque has acted. What joints make of that
//! is a projection in the metric of the masses: the step gains no kinetic energy from it,
//!
//! ```text
//! T(q, M⁻¹ Σ J_Bᵀ M_B V_B') ≤ Σ ½ V_B'ᵀ M_B V_B' = T(q⁻, v)
//! ```
//!
//! The momentum of a mechanism changes by this: what bodies take along is found where they were, and
//! projected where they are. Mechanisms on a floating joint get it back when they [fly](super::movement). Where joints bend the path of a centre of mass it loses energy, of second order
//! in the angle, as implicit Euler does: a mass on a crank that turns by ε in a step keeps `cos² ε` of its energy,
//! while its forces at the start of the step would have kept all. That is why a mechanism does without up to an
//! angle at which steps are coarse in any case. The gyroscopic torque does no work,
//!
//! ```text
//! J (w' − w) = δt J w × ½ (w + w')      in the frame of the body
//! ```
//!
//! whose product with `w + w'` is the change of energy, and zero. With the angle `ε² = δt² Σ |w|²` over a body and
//! those inboard of it, the share of a body grows from 0 to 1 over a [range](RANGE) of angles, with three continuous
//! derivatives. Free bodies by themselves are left out: they [fly](super::movement).

use super::error::SystemError;
use crate::Scalar;
use crate::math::{SpatialAcceleration, SpatialForce};
use crate::tree::{RigidBodyTree, TreeWorkspace};
use nalgebra::{Matrix3, Vector3};

/// Squares of the angle ε, in radians, up to which forces are those at the start of a step, and of that from which
/// all momentum is projected.
const RANGE: [f64; 2] = [0.2 * 0.2, 0.4 * 0.4];
/// Part of the largest moment of inertia that all others have at least, in the gyroscopic torque alone: a rod
/// turns about its axis with something.
const LEAST_INERTIA: f64 = 1e-6;

/// What is added to the forces at the start of a step; a workspace.
#[derive(Debug, Clone)]
pub(super) struct FastRotation<T: Scalar> {
    /// Whether each body is one of a mechanism.
    is_jointed: Vec<bool>,
    before: TreeWorkspace<T>,
    q: Vec<T>,
    vdot: Vec<T>,
    accelerations: Vec<SpatialAcceleration<T>>,
    /// The square of the angle ε of each body.
    angles: Vec<T>,
    forces: Vec<SpatialForce<T>>,
    /// Whether any of them acts.
    pub acts: bool,
    /// The largest angle that a body turns by, in radians.
    pub rotation: f64,
}

impl<T: Scalar> FastRotation<T> {
    pub fn new(tree: &RigidBodyTree<T>) -> Self {
        let bodies = tree.num_bodies();
        FastRotation {
            is_jointed: tree.jointed_bodies(),
            before: tree.workspace(),
            q: vec![T::zero(); tree.num_positions()],
            vdot: vec![T::zero(); tree.num_velocities()],
            accelerations: vec![SpatialAcceleration::zero(); bodies],
            angles: vec![T::zero(); bodies],
            forces: vec![SpatialForce::zero(); bodies],
            acts: false,
            rotation: 0.0,
        }
    }

    /// Whether a body moves that is not a free one.
    pub fn has_mechanisms(&self) -> bool {
        self.is_jointed.contains(&true)
    }

    /// Evaluates what a step of the length `dt` from the state of a workspace adds to its forces; it projects the momentum
    /// of all bodies, or of those that rotate fast.
    pub fn evaluate(
        &mut self,
        tree: &RigidBodyTree<T>,
        kinematics: &mut TreeWorkspace<T>,
        (q, v): (&[T], &[T]),
        (dt, projects_momentum): (T, bool),
    ) -> Result<(), SystemError> {
        self.find_angles(tree, kinematics, dt)?;
        self.acts |= projects_momentum && self.has_mechanisms();
        if !self.acts {
            return Ok(());
        }
        tree.integrate(q, v, -dt, &mut self.q)?;
        tree.set_state(&mut self.before, &self.q, v)?;
        tree.body_accelerations(kinematics, &self.vdot, &mut self.accelerations)?;
        let rate = dt.recip();
        for body in tree.bodies() {
            let index = body.index();
            let i = index.get();
            let share = match projects_momentum {
                true => T::one(),
                false => share(self.angles[i], RANGE),
            };
            if share.re() == 0.0 || !self.is_jointed[i] {
                self.forces[i] = SpatialForce::zero();
                continue;
            }
            let inertia = body.inertia();
            let at = |kinematics: &TreeWorkspace<T>| -> Result<_, SystemError> {
                let rotation = tree.body_pose(kinematics, index)?.rotation;
                let velocity = tree.point_velocity(kinematics, index, &inertia.center_of_mass)?;
                Ok((rotation, velocity))
            };
            let (r, now) = at(kinematics)?;
            let (r_before, before) = at(&self.before)?;
            let (c, j) = (r * inertia.center_of_mass, &inertia.rotational_inertia);
            // What inverse dynamics takes off, less the change of momentum.
            let w = r.tr_mul(&now.angular);
            let acceleration = self.accelerations[i].shift(&c, &now.angular);
            let torque = j * r.tr_mul(&acceleration.angular) + w.cross(&(j * w));
            let carried = turned_freely(j, &r_before.tr_mul(&before.angular), dt);
            let torque = r * (torque - j * (w - carried) * rate) * share;
            let change = (now.linear - before.linear) * rate;
            let force = (acceleration.linear - change) * (inertia.mass * share);
            self.forces[i] = SpatialForce::new(torque + c.cross(&force), force);
        }
        Ok(())
    }

    /// The force on each body, torque about its origin and force in W, where any acts.
    pub fn forces(&self) -> Option<&[SpatialForce<T>]> {
        self.acts.then_some(&self.forces)
    }

    fn find_angles(
        &mut self,
        tree: &RigidBodyTree<T>,
        kinematics: &TreeWorkspace<T>,
        dt: T,
    ) -> Result<(), SystemError> {
        let (mut sum, mut largest) = (0.0, 0.0f64);
        let angular = tree.angular_velocities(kinematics)?;
        for (angle, w) in self.angles.iter_mut().zip(angular) {
            *angle = (w * dt).norm_squared();
            sum += angle.re();
            largest = largest.max(angle.re());
        }
        self.rotation = largest.sqrt();
        self.acts = false;
        if sum <= RANGE[0] {
            return Ok(());
        }
        for &index in tree.outward() {
            let i = index.get();
            if let Some(joint) = tree.body(index)?.inboard_joint() {
                let inboard = self.angles[tree.joint(joint)?.parent().get()];
                self.angles[i] += inboard;
            }
            self.acts |= self.is_jointed[i] && self.angles[i].re() > RANGE[0];
        }
        Ok(())
    }
}

/// The share of the projection at a squared angle between two others.
fn share<T: Scalar>(angle: T, [slow, fast]: [f64; 2]) -> T {
    if angle.re() <= slow {
        return T::zero();
    }
    if angle.re() >= fast {
        return T::one();
    }
    let t = (angle - slow) * (fast - slow).recip();
    t * t * t * t * (((t * -20.0 + 70.0) * t - 84.0) * t + 35.0)
}

/// The angular velocity of a free body, in its own frame, after the time `dt`.
fn turned_freely<T: Scalar>(j: &Matrix3<T>, w: &Vector3<T>, dt: T) -> Vector3<T> {
    let size = j.trace();
    if size.re() <= 0.0 {
        return *w;
    }
    let j = j + Matrix3::from_diagonal_element(size * LEAST_INERTIA);
    let momentum = j * w * (dt * 0.5);
    let skew = momentum.cross_matrix();
    let columns = j - skew;
    let [a, b, c] = [0, 1, 2].map(|i| columns.column(i).into_owned());
    let rhs = (j + skew) * w;
    let determinant = a.dot(&b.cross(&c));
    Vector3::new(
        rhs.dot(&b.cross(&c)),
        a.dot(&rhs.cross(&c)),
        a.dot(&b.cross(&rhs)),
    ) * determinant.recip()
}
