//! Derivatives of inverse dynamics (RNEA) with respect to positions, velocities and accelerations.
//!
//! # Method
//! Spatial vectors here are about one fixed point O and expressed in W, so they are differentiated
//! without changes of frame; O is the origin of the first mobilized body of the branch that hangs on
//! the world, to which no other branch is coupled. With × the product of motions and ×* that of a
//! motion with a force, column k of joint i is the motion `S_k`, and moving coordinate k moves all
//! outward of it by `S_k`. Held velocities `v` let `S_k` itself change, as seen from W, at the rates
//!
//! ```text
//! ψ̇_k = β × S_k,   ψ̈_k = β̇ × S_k + β × ψ̇_k,   Ṡ_k = γ × S_k
//! ```
//!
//! where a rotation has the velocity of its child for β and, for γ, that of a frame that takes part
//! in the translations of the joint but not in its rotations; a translation has this γ for both. (For
//! joints of one degree of freedom the three are the same. They differ where several rotations have
//! axes that are fixed in F.) For bodies j outward of k this gives
//!
//! ```text
//! ∂v_j/∂q_k = ψ̇_k + S_k × v_j         ∂a_j/∂q_k = ψ̈_k + ψ̇_k × v_j + S_k × a_j
//! ∂v_j/∂v_k = S_k                      ∂a_j/∂v_k = Ṡ_k + ψ̇_k + S_k × v_j
//! ∂f_j/∂q_k = I_j ψ̈_k + B_j ψ̇_k + S_k ×* f_j
//! ∂f_j/∂v_k = I_j (Ṡ_k + ψ̇_k) + B_j S_k
//! B_j x = I_j (x × v_j) + x ×* I_j v_j + v_j ×* I_j x
//! ```
//!
//! With mass m, first moment h and rotational inertia J of a body about O, its velocity [w; v], and
//! its momentum [L; P], B collapses to
//!
//! ```text
//! B [α; β] = [J̇ α − L × α; −2 P × α],     J̇ = [w]× J − J [w]× + 2 (h·v) 1 − v hᵀ − h vᵀ
//! ```
//!
//! All of these add up over bodies. With their sums over what is outward of a joint, column l takes
//! `τ_l = S_l·f`, and
//!
//! ```text
//! ∂τ_l/∂q_k = S_l·(I ψ̈_k + B ψ̇_k + S_k ×* f)      sums at k: l inward of k, or of the same joint
//! ∂τ_l/∂q_k = (I S_l)·ψ̈_k + (Bᵀ S_l)·ψ̇_k          sums at l: l outward of k, where ∂S_l = S_k × S_l
//! ```
//!
//! and the same without the last term, `Ṡ + ψ̇` for ψ̈ and `S` for ψ̇, for velocities. (Of the columns
//! of one joint only a translation moves the rotations: it belongs to the second case.) Forces on
//! bodies are constant in W and act at the origins of the bodies, which move.
//!
//! # Reference
//! Carpentier & Mansard 2018, *Analytical derivatives of rigid body dynamics algorithms*, Robotics:
//! Science and Systems; Singh, Russell & Wensing 2022, *Efficient analytical derivatives of rigid-body
//! dynamics using spatial vector algebra*, IEEE Robotics and Automation Letters 7(2), 1776–1783, whose
//! equations these are, with joint axes on the side of the parent and B in closed form.

use super::column::ColumnKind;
use super::error::TreeError;
use super::inertia::Inertia;
use super::rigid_body_tree::RigidBodyTree;
use super::symmetric::Symmetric3;
use super::workspace::TreeWorkspace;
use crate::math::{SpatialForce, SpatialVelocity};
use crate::{InvalidInput, Scalar};
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};

/// Generalized forces of inverse dynamics with their derivatives, and the memory to compute them.
///
/// Made by [`RigidBodyTree::new_inverse_dynamics_derivatives`]. Derivatives with respect to positions
/// are along the velocity coordinates: column k of `dtau_dq` is the derivative along the step
/// [`integrate_exponential`](RigidBodyTree::integrate_exponential) by the k-th of them, for quaternions
/// too.
#[derive(Debug, Clone)]
pub struct InverseDynamicsDerivatives<T> {
    /// Generalized forces `τ`.
    pub tau: DVector<T>,
    /// `∂τ/∂q` (nv×nv).
    pub dtau_dq: DMatrix<T>,
    /// `∂τ/∂v` (nv×nv).
    pub dtau_dv: DMatrix<T>,
    /// `∂τ/∂v̇` (nv×nv), the mass matrix.
    pub mass_matrix: DMatrix<T>,
    topology: u64,
    bodies: Vec<BodyTerms<T>>,
    columns: Vec<ColumnTerms<T>>,
    external: Vec<ExternalTerms<T>>,
}

/// Sums over a mobilized body and what is outward of it, about O.
#[derive(Debug, Clone, Copy)]
struct BodyTerms<T> {
    /// From O to the body's origin.
    r: Vector3<T>,
    inertia: Inertia<T>,
    /// J̇.
    rate: Symmetric3<T>,
    /// L and P.
    angular: Vector3<T>,
    linear: Vector3<T>,
    force: SpatialForce<T>,
}

#[derive(Debug, Clone, Copy)]
struct ColumnTerms<T> {
    s: SpatialVelocity<T>,
    psi_rate: SpatialVelocity<T>,
    psi_acceleration: SpatialVelocity<T>,
    /// `Ṡ + ψ̇`.
    chi: SpatialVelocity<T>,
}

/// What turning the bodies about O by α takes besides turning the forces on them:
/// `[N α − t × α; −f × α]` with `N = Σ (r·f) 1 − f rᵀ`.
#[derive(Debug, Clone, Copy)]
struct ExternalTerms<T> {
    n: Matrix3<T>,
    torque: Vector3<T>,
    force: Vector3<T>,
}

impl<T: Scalar> RigidBodyTree<T> {
    /// Memory for [`Self::inverse_dynamics_derivatives`] of this tree and its copies.
    #[inline(never)]
    pub fn new_inverse_dynamics_derivatives(&self) -> InverseDynamicsDerivatives<T> {
        let n = self.num_velocities;
        InverseDynamicsDerivatives {
            dtau_dq: DMatrix::zeros(n, n),
            dtau_dv: DMatrix::zeros(n, n),
            mass_matrix: DMatrix::zeros(n, n),
            ..self.new_derivatives_without_matrices()
        }
    }

    /// Memory for [`Self::write_inverse_dynamics_derivatives`], whose matrices the caller gives a size.
    pub(crate) fn new_derivatives_without_matrices(&self) -> InverseDynamicsDerivatives<T> {
        let (n, zero) = (self.num_velocities, Vector3::zeros());
        let body = BodyTerms {
            r: zero,
            inertia: Inertia::zero(),
            rate: Symmetric3::zero(),
            angular: zero,
            linear: zero,
            force: SpatialForce::zero(),
        };
        let column = ColumnTerms {
            s: SpatialVelocity::zero(),
            psi_rate: SpatialVelocity::zero(),
            psi_acceleration: SpatialVelocity::zero(),
            chi: SpatialVelocity::zero(),
        };
        let external = ExternalTerms {
            n: Matrix3::zeros(),
            torque: zero,
            force: zero,
        };
        InverseDynamicsDerivatives {
            tau: DVector::zeros(n),
            dtau_dq: DMatrix::zeros(0, 0),
            dtau_dv: DMatrix::zeros(0, 0),
            mass_matrix: DMatrix::zeros(0, 0),
            topology: self.topology,
            bodies: vec![body; self.mobilized.len()],
            columns: vec![column; self.columns.len()],
            external: vec![external; self.mobilized.len()],
        }
    }

    /// [`Self::inverse_dynamics`] with its derivatives with respect to positions, velocities and
    /// accelerations, at the state of the workspace. Costs O(n d) for n coordinates at depth d.
    ///
    /// Derivatives of higher order come with a scalar `T` that carries them.
    ///
    /// # Errors
    /// As [`Self::inverse_dynamics`], and [`TreeError::ForeignWorkspace`] when `out` was made for
    /// another tree.
    #[doc(alias = "RNEA")]
    #[inline(never)]
    pub fn inverse_dynamics_derivatives(
        &self,
        workspace: &mut TreeWorkspace<T>,
        vdot: &[T],
        external: Option<&[SpatialForce<T>]>,
        out: &mut InverseDynamicsDerivatives<T>,
    ) -> Result<(), TreeError> {
        let n = self.num_velocities;
        let dense = |row: usize, column: usize| row + n * column;
        self.write_inverse_dynamics_derivatives(workspace, vdot, external, out, dense)
    }

    /// As [`Self::inverse_dynamics_derivatives`], with the entry of a row and a column of the matrices
    /// where `entry` says in their storage; it is asked for coordinates of one branch only.
    pub(crate) fn write_inverse_dynamics_derivatives(
        &self,
        workspace: &mut TreeWorkspace<T>,
        vdot: &[T],
        external: Option<&[SpatialForce<T>]>,
        out: &mut InverseDynamicsDerivatives<T>,
        entry: impl Fn(usize, usize) -> usize,
    ) -> Result<(), TreeError> {
        self.check_velocity_vector("vdot", vdot)?;
        if !out.belongs_to(self) {
            return Err(TreeError::ForeignWorkspace);
        }
        self.check_dynamics(workspace, external, out.tau.as_slice())?;
        self.propagate_accelerations(workspace, -self.gravity, |coordinate| vdot[coordinate]);
        self.compute_terms(workspace, out);
        if let Some(forces) = external {
            self.subtract_external_terms(workspace, forces, out);
        }
        out.tau.fill(T::zero());
        for matrix in [&mut out.dtau_dq, &mut out.dtau_dv, &mut out.mass_matrix] {
            matrix.as_mut_slice().fill(T::zero());
        }
        for (i, m) in self.mobilized.iter().enumerate().skip(1).rev() {
            for k in m.columns.clone() {
                self.write_column((i, k), external.is_some(), out, &entry);
            }
            if m.parent != 0 {
                let (inner, outer) = out.bodies.split_at_mut(i);
                inner[m.parent].add(&outer[0]);
                if external.is_some() {
                    let (inner, outer) = out.external.split_at_mut(i);
                    inner[m.parent].add(&outer[0]);
                }
            }
        }
        self.add_armature_forces(vdot, out.tau.as_mut_slice());
        InvalidInput::check_finite("tau", out.tau.as_slice())?;
        for derivative in [&out.dtau_dq, &out.dtau_dv, &out.mass_matrix] {
            InvalidInput::check_finite("derivatives of tau", derivative.as_slice())?;
        }
        Ok(())
    }

    /// Terms of single bodies, and of columns.
    fn compute_terms(&self, workspace: &TreeWorkspace<T>, out: &mut InverseDynamicsDerivatives<T>) {
        for (i, m) in self.mobilized.iter().enumerate().skip(1) {
            let (position, velocity) = (&workspace.positions[i], &workspace.velocities[i].spatial);
            let r = match m.parent {
                0 => Vector3::zeros(),
                parent => out.bodies[parent].r + position.offset,
            };
            let (w, v_bo) = (&velocity.angular, &velocity.linear);
            let acceleration = &workspace.accelerations[i];
            let motion = SpatialVelocity::new(*w, v_bo + r.cross(w));
            let alpha = &acceleration.angular;
            let motion_rate =
                SpatialVelocity::new(*alpha, acceleration.linear - w.cross(v_bo) + r.cross(alpha));
            let inertia = (m.inertia).rotated(&position.pose.rotation, position.first_moment);
            out.bodies[i] = BodyTerms::new(r, &inertia, &motion, &motion_rate);

            let w_p = &workspace.velocities[m.parent].spatial.angular;
            let alpha_p = &workspace.accelerations[m.parent].angular;
            for k in m.columns.clone() {
                let a = &workspace.axes[k];
                out.columns[k] = match self.columns[k].kind {
                    ColumnKind::Rotation => {
                        let s = SpatialVelocity::new(*a, r.cross(a));
                        let psi_rate = motion.cross(&s);
                        let s_rate = if m.columns.len() == 1 {
                            psi_rate
                        } else {
                            let turn = w_p.cross(a);
                            SpatialVelocity::new(turn, v_bo.cross(a) + r.cross(&turn))
                        };
                        ColumnTerms {
                            s,
                            psi_rate,
                            psi_acceleration: motion_rate.cross(&s) + motion.cross(&psi_rate),
                            chi: s_rate + psi_rate,
                        }
                    }
                    ColumnKind::Translation => {
                        let translation = |v| SpatialVelocity::new(Vector3::zeros(), v);
                        let turn = w_p.cross(a);
                        ColumnTerms {
                            s: translation(*a),
                            psi_rate: translation(turn),
                            psi_acceleration: translation(alpha_p.cross(a) + w_p.cross(&turn)),
                            chi: translation(turn + turn),
                        }
                    }
                };
            }
        }
    }

    fn subtract_external_terms(
        &self,
        workspace: &TreeWorkspace<T>,
        forces: &[SpatialForce<T>],
        out: &mut InverseDynamicsDerivatives<T>,
    ) {
        for terms in &mut out.external {
            *terms = ExternalTerms {
                n: Matrix3::zeros(),
                torque: Vector3::zeros(),
                force: Vector3::zeros(),
            };
        }
        for (body, force) in self.bodies.iter().zip(forces) {
            let i = body.mobilized;
            if i == 0 {
                continue; // does not move
            }
            let r = match &body.welded_pose {
                None => out.bodies[i].r,
                Some(pose) => {
                    out.bodies[i].r + workspace.positions[i].pose.rotation * pose.translation
                }
            };
            out.bodies[i].force -= force.shift(&-r);
            let SpatialForce { torque, force } = force;
            out.external[i].add(&ExternalTerms {
                n: Matrix3::from_diagonal_element(r.dot(force)) - force * r.transpose(),
                torque: *torque,
                force: *force,
            });
        }
    }

    /// The entries of column `k` of joint `i` with the columns of the same joint and inward of it.
    fn write_column(
        &self,
        (i, k): (usize, usize),
        has_external: bool,
        out: &mut InverseDynamicsDerivatives<T>,
        entry: &impl Fn(usize, usize) -> usize,
    ) {
        let InverseDynamicsDerivatives {
            tau,
            dtau_dq,
            dtau_dv,
            mass_matrix,
            bodies,
            columns,
            external,
            ..
        } = out;
        let (dq, dv, mass) = (
            dtau_dq.as_mut_slice(),
            dtau_dv.as_mut_slice(),
            mass_matrix.as_mut_slice(),
        );
        let (body, column) = (&bodies[i], &columns[k]);
        let coordinate = self.columns[k].coordinate;
        let s = &column.s;
        tau[coordinate] += dot(s, &body.force);
        mass[entry(coordinate, coordinate)] += self.columns[k].armature;

        let momentum = body.inertia_times(s);
        let transposed = body.rate_times_transposed(s);
        let turned = s.cross_force(&body.force);
        let mut by_position = body.inertia_times(&column.psi_acceleration)
            + body.rate_times(&column.psi_rate.angular);
        let by_velocity = body.inertia_times(&column.chi) + body.rate_times(&s.angular);
        let mut of_external = Vector3::zeros();
        if has_external {
            let terms = &external[i];
            by_position += terms.times(&s.angular);
            of_external = terms.times_transposed(s);
        }
        let whole = by_position + turned;
        if self.columns[k].kind == ColumnKind::Rotation {
            by_position = whole;
        }
        for l in self.mobilized[i].columns.clone() {
            let row = self.columns[l].coordinate;
            let entry = entry(row, coordinate);
            dq[entry] += dot(&columns[l].s, &by_position);
            dv[entry] += dot(&columns[l].s, &by_velocity);
            mass[entry] += dot(&columns[l].s, &momentum);
        }
        let mut inner = self.mobilized[i].parent;
        while inner != 0 {
            for l in self.mobilized[inner].columns.clone() {
                let other = &columns[l];
                let row = self.columns[l].coordinate;
                let (above, below) = (entry(row, coordinate), entry(coordinate, row));
                dq[above] += dot(&other.s, &whole);
                dv[above] += dot(&other.s, &by_velocity);
                let m = dot(&other.s, &momentum);
                mass[above] += m;
                mass[below] += m;
                dq[below] += dot(&other.psi_acceleration, &momentum)
                    + transposed.dot(&other.psi_rate.angular);
                dv[below] += dot(&other.chi, &momentum) + transposed.dot(&other.s.angular);
                if has_external {
                    dq[below] += of_external.dot(&other.s.angular);
                }
            }
            inner = self.mobilized[inner].parent;
        }
    }
}

impl<T: Scalar> InverseDynamicsDerivatives<T> {
    pub(super) fn belongs_to(&self, tree: &RigidBodyTree<T>) -> bool {
        self.topology == tree.topology
    }
}

impl<T: Scalar> BodyTerms<T> {
    /// Of a body with its inertia about its own origin, and its velocity and acceleration about O.
    fn new(
        r: Vector3<T>,
        about_body: &Inertia<T>,
        velocity: &SpatialVelocity<T>,
        acceleration: &SpatialVelocity<T>,
    ) -> Self {
        let mut inertia = Inertia::zero();
        inertia.add_shifted(about_body, &r);
        let (w, v) = (&velocity.angular, &velocity.linear);
        let h = &inertia.first_moment;
        let mut body = BodyTerms {
            r,
            inertia,
            rate: Symmetric3::zero(),
            angular: inertia.rotational.times(w) + h.cross(v),
            linear: v * inertia.mass - h.cross(w),
            force: SpatialForce::zero(),
        };
        body.rate = rate_of_rotational_inertia(&inertia, w, v);
        let (l, p) = (&body.angular, &body.linear);
        let mut force = body.inertia_times(acceleration);
        force.torque += w.cross(l) + v.cross(p);
        force.force += w.cross(p);
        body.force = force;
        body
    }

    fn add(&mut self, other: &Self) {
        self.inertia.add(&other.inertia);
        self.rate += other.rate;
        self.angular += other.angular;
        self.linear += other.linear;
        self.force += other.force;
    }

    /// `I x`.
    fn inertia_times(&self, x: &SpatialVelocity<T>) -> SpatialForce<T> {
        let h = &self.inertia.first_moment;
        SpatialForce {
            torque: self.inertia.rotational.times(&x.angular) + h.cross(&x.linear),
            force: x.linear * self.inertia.mass - h.cross(&x.angular),
        }
    }

    /// `B x`, which depends on the angular part of `x` only.
    fn rate_times(&self, x: &Vector3<T>) -> SpatialForce<T> {
        let turned = x.cross(&self.linear);
        SpatialForce {
            torque: self.rate.times(x) - self.angular.cross(x),
            force: turned + turned,
        }
    }

    /// The angular part of `Bᵀ s`; the linear one is zero.
    fn rate_times_transposed(&self, s: &SpatialVelocity<T>) -> Vector3<T> {
        let turned = self.linear.cross(&s.linear);
        self.rate.times(&s.angular) + self.angular.cross(&s.angular) + turned + turned
    }
}

impl<T: Scalar> ExternalTerms<T> {
    fn add(&mut self, other: &Self) {
        self.n += other.n;
        self.torque += other.torque;
        self.force += other.force;
    }

    fn times(&self, alpha: &Vector3<T>) -> SpatialForce<T> {
        SpatialForce {
            torque: self.n * alpha - self.torque.cross(alpha),
            force: alpha.cross(&self.force),
        }
    }

    /// The angular part of the transpose times `s`; the linear one is zero.
    fn times_transposed(&self, s: &SpatialVelocity<T>) -> Vector3<T> {
        let (a, b) = (&s.angular, &s.linear);
        self.n.tr_mul(a) + self.torque.cross(a) + self.force.cross(b)
    }
}

/// `J̇ = [w]× J − J [w]× + 2 (h·v) 1 − v hᵀ − h vᵀ`.
fn rate_of_rotational_inertia<T: Scalar>(
    inertia: &Inertia<T>,
    w: &Vector3<T>,
    v: &Vector3<T>,
) -> Symmetric3<T> {
    let (j, h) = (&inertia.rotational, &inertia.first_moment);
    let x = w.cross(&Vector3::new(j.xx, j.xy, j.xz));
    let y = w.cross(&Vector3::new(j.xy, j.yy, j.yz));
    let z = w.cross(&Vector3::new(j.xz, j.yz, j.zz));
    let (hx, hy, hz) = (h.x * v.x, h.y * v.y, h.z * v.z);
    let twice = |x: T| x + x;
    Symmetric3 {
        xx: twice(x.x + hy + hz),
        yy: twice(y.y + hz + hx),
        zz: twice(z.z + hx + hy),
        xy: x.y + y.x - v.x * h.y - h.x * v.y,
        xz: x.z + z.x - v.x * h.z - h.x * v.z,
        yz: y.z + z.y - v.y * h.z - h.y * v.z,
    }
}

fn dot<T: Scalar>(x: &SpatialVelocity<T>, f: &SpatialForce<T>) -> T {
    f.power(x)
}
