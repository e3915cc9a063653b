//! Torque-free rotation of free bodies: the midpoint rule for Euler's equations.
//!
//! A free body is carried by a floating joint on the world, and carries nothing. With its moments of inertia J about its
//! centre of mass and its angular velocity Ω, both in its own frame, the midpoint rule takes Euler's equations over a
//! time δt:
//!
//! ```text
//! J (Ω⁺ − Ω) = δt J Ω' × Ω',    Ω' = ½ (Ω + Ω⁺),    R⁺ = R cay(δt Ω')
//! ```
//!
//! with the turn `cay(φ)` by `2 atan(½ |φ|)` about φ, that of the quaternion `1 + ½ φ`. The torque does no work along Ω',
//! and `J Ω⁺ = cay(δt Ω')⁻¹ J Ω`: energy and the angular momentum `R J Ω` are kept at any length of step (Simo & Wong
//! 1991, *Int. J. Numer. Meth. Engng.* 31, 19–52). The centre of mass goes straight on.

use super::configuration::quaternion_rate;
use super::error::TreeError;
use super::inertia::Inertia;
use super::joint::JointKind;
use super::mobilized_body::vector_at;
use super::rigid_body_tree::RigidBodyTree;
use super::workspace::TreeWorkspace;
use crate::autodiff::{ChunkDual, varies};
use crate::math::rotation;
use crate::{InvalidInput, Scalar};
use nalgebra::{Matrix3, Quaternion, SMatrix, Vector3};

/// Newton's iterations after which `Ω'` is given up. Up to a turn of 2 rad at Ω there is one that is found in few.
const MAX_ITERATIONS: usize = 30;
/// Halvings of a step of Newton's method.
const MAX_HALVINGS: usize = 10;
/// Residual of the equation for `Ω'`, relative to the momentum, that is round-off.
const ROUND_OFF: f64 = 1e-15;

/// Where a free body is in a tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct FreeBody {
    mobilized: usize,
    /// The first of its positions, a quaternion, and of its velocities.
    pub q: usize,
    pub v: usize,
}

/// Derivatives of the flight of a free body, by its quaternion and its angular velocity; with its position and the
/// velocity of its origin it goes straight on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FlightSlopes {
    /// Of its seven positions.
    pub positions: SMatrix<f64, 7, 7>,
    /// Of its six velocities.
    pub velocities: SMatrix<f64, 6, 7>,
}

/// Moments of inertia about the centre of mass, and where that is, in the frame of the body.
#[derive(Debug, Clone, Copy)]
struct Mass<T: Scalar> {
    moments: Matrix3<T>,
    center: Vector3<T>,
}

impl<T: Scalar> Mass<T> {
    fn of(inertia: &Inertia<T>) -> Self {
        let h = inertia.first_moment;
        let center = match inertia.mass.re() {
            0.0 => Vector3::zeros(),
            _ => h / inertia.mass,
        };
        let about_origin = inertia.rotational.to_matrix();
        let moved = Matrix3::from_diagonal_element(h.dot(&center)) - h * center.transpose();
        Mass {
            moments: about_origin - moved,
            center,
        }
    }

    fn cast<U: Scalar>(&self) -> Mass<U> {
        Mass {
            moments: self.moments.map(|x| U::from(x.re())),
            center: self.center.map(|x| U::from(x.re())),
        }
    }

    /// Turns from `q` with the angular velocity `w`, in the frame of the joint, over the time `dt`.
    fn turn(&self, q: &Quaternion<T>, w: &Vector3<T>, dt: T) -> Turned<T> {
        let j = &self.moments;
        let before = rotation::matrix_from_quaternion(q);
        let start = before.tr_mul(w);
        let middle = middle(j, &start, dt);
        let turned = q.coords + quaternion_rate(q, &(before * middle)).coords * dt;
        let end = Quaternion::from(turned * (T::one() / turned.dot(&turned).sqrt_lifted()));
        let after = rotation::matrix_from_quaternion(&end);
        // Momentum is that before, wherever the middle is; without round-off there is nothing to correct.
        let guess = middle * T::from(2.0) - start;
        let error = after.tr_mul(&(before * (j * start))) - j * guess;
        Turned {
            quaternion: end,
            velocity: after * (guess + solve(j, &error)),
            center: before * self.center,
            next_center: after * self.center,
        }
    }

    /// Flies from seven positions at six velocities over the time `dt`.
    fn fly(&self, q: &[T], v: &[T], dt: T) -> ([T; 7], [T; 6]) {
        let w = vector_at(v, 0);
        let start = Quaternion::new(q[0], q[1], q[2], q[3]);
        let turned = self.turn(&start, &w, dt);
        let of_center = vector_at(v, 3) + w.cross(&turned.center);
        let p = vector_at(q, 4) + of_center * dt + (turned.center - turned.next_center);
        let end = of_center - turned.velocity.cross(&turned.next_center);
        let (x, w) = (turned.quaternion, turned.velocity);
        (
            [x.w, x.i, x.j, x.k, p.x, p.y, p.z],
            [w.x, w.y, w.z, end.x, end.y, end.z],
        )
    }
}

/// Where a body has turned to.
struct Turned<T: Scalar> {
    quaternion: Quaternion<T>,
    /// The angular velocity.
    velocity: Vector3<T>,
    /// From the origin to the centre of mass, before and after.
    center: Vector3<T>,
    next_center: Vector3<T>,
}

impl<T: Scalar> RigidBodyTree<T> {
    /// The free bodies.
    pub(crate) fn free_bodies(&self) -> Vec<FreeBody> {
        let mobilized = self.mobilized.iter().enumerate().skip(1);
        let free = mobilized.filter_map(|(i, m)| {
            let joint = &self.joints[m.joint?.get()];
            let is_free = *joint.kind() == JointKind::Floating
                && m.parent == 0
                && self.mobilized.iter().all(|other| other.parent != i);
            is_free.then_some(FreeBody {
                mobilized: i,
                q: m.position_start,
                v: joint.velocity_start(),
            })
        });
        free.collect()
    }

    /// Whether joints of free bodies have armatures, whose energy flights do not keep.
    pub(crate) fn any_armature(&self, free: &[FreeBody]) -> bool {
        let columns =
            |free: &FreeBody| &self.columns[self.mobilized[free.mobilized].columns.clone()];
        let mut columns = free.iter().flat_map(columns);
        columns.any(|column| column.armature.re() != 0.0)
    }

    /// Whether each body moves and is not part of a free one.
    pub(crate) fn jointed_bodies(&self) -> Vec<bool> {
        let mut jointed = vec![true; self.mobilized.len()];
        jointed[0] = false;
        let free = self.free_bodies();
        free.iter().for_each(|free| jointed[free.mobilized] = false);
        self.bodies
            .iter()
            .map(|body| jointed[body.mobilized])
            .collect()
    }

    /// Adds the forces that free bodies need at the velocities of a workspace to move without acceleration of their
    /// coordinates, to generalized forces, with a factor.
    pub(crate) fn add_gyroscopic_forces(
        &self,
        free: &[FreeBody],
        workspace: &TreeWorkspace<T>,
        factor: T,
        forces: &mut [T],
    ) {
        for &FreeBody {
            mobilized: i, v, ..
        } in free
        {
            let m = &self.mobilized[i];
            let to_joint = &m.joint_frame.rotation;
            let r = to_joint.tr_mul(&workspace.positions[i].pose.rotation);
            let w = vector_at(&workspace.v, v);
            let in_body = r.tr_mul(&w);
            let torque = in_body.cross(&m.inertia.rotational.times(&in_body));
            let force = in_body.cross(&in_body.cross(&m.inertia.first_moment));
            let (torque, force) = (r * torque * factor, r * force * factor);
            for k in 0..3 {
                forces[v + k] += torque[k];
                forces[v + 3 + k] += force[k];
            }
        }
    }

    /// Lets free bodies fly from `q` at the velocities `v` over the time `dt`, and writes where they come to.
    ///
    /// # Errors
    /// [`TreeError::Invalid`] when numbers overflow.
    pub(crate) fn fly(
        &self,
        free: &[FreeBody],
        (q, v): (&[T], &[T]),
        dt: T,
        (next_q, next_v): (&mut [T], &mut [T]),
    ) -> Result<(), TreeError> {
        for &FreeBody {
            mobilized,
            q: i,
            v: k,
            ..
        } in free
        {
            let mass = Mass::of(&self.mobilized[mobilized].inertia);
            let (x, u) = mass.fly(&q[i..i + 7], &v[k..k + 6], dt);
            InvalidInput::check_finite("positions of a free body", &x)?;
            InvalidInput::check_finite("velocities of a free body", &u)?;
            next_q[i..i + 7].copy_from_slice(&x);
            next_v[k..k + 6].copy_from_slice(&u);
        }
        Ok(())
    }

    /// Finds the velocities from which free bodies flew from `q` to `next_q` and those of `v`, which it replaces.
    pub(crate) fn fly_back(&self, free: &[FreeBody], (q, next_q): (&[T], &[T]), v: &mut [T]) {
        for &FreeBody {
            mobilized,
            q: i,
            v: k,
            ..
        } in free
        {
            let Mass { moments, center } = Mass::of(&self.mobilized[mobilized].inertia);
            let [r, r_next] = [q, next_q].map(|q| {
                let q = Quaternion::new(q[i], q[i + 1], q[i + 2], q[i + 3]);
                rotation::matrix_from_quaternion(&q)
            });
            let next_w = vector_at(v, k);
            let momentum = r_next * (moments * r_next.tr_mul(&next_w));
            let w = r * solve(&moments, &r.tr_mul(&momentum));
            let of_center = vector_at(v, k + 3) + next_w.cross(&(r_next * center));
            let at_origin = of_center - w.cross(&(r * center));
            v[k..k + 3].copy_from_slice(w.as_slice());
            v[k + 3..k + 6].copy_from_slice(at_origin.as_slice());
        }
    }
}

impl RigidBodyTree<f64> {
    /// How the flight of a free body from `q` at the velocities `v` over the time `dt` depends on both.
    pub(super) fn flight_slopes(
        &self,
        free: &FreeBody,
        (q, v): (&[f64], &[f64]),
        dt: f64,
    ) -> FlightSlopes {
        let mass = Mass::of(&self.mobilized[free.mobilized].inertia).cast::<ChunkDual>();
        let mut x: [_; 7] = std::array::from_fn(|i| ChunkDual::from_re(q[free.q + i]));
        let mut u: [_; 6] = std::array::from_fn(|i| ChunkDual::from_re(v[free.v + i]));
        (0..4).for_each(|i| x[i] = x[i].derivative(i));
        (0..3).for_each(|i| u[i] = u[i].derivative(4 + i));
        let (next_x, next_u) = mass.fly(&x, &u, ChunkDual::from_re(dt));
        let slope = |x: &ChunkDual, k: usize| x.eps.0.map_or(0.0, |slopes| slopes[k]);
        FlightSlopes {
            positions: SMatrix::from_fn(|i, k| slope(&next_x[i], k)),
            velocities: SMatrix::from_fn(|i, k| slope(&next_u[i], k)),
        }
    }
}

impl RigidBodyTree<ChunkDual> {
    /// Whether a flight depends on what varies in the tree.
    pub(crate) fn flight_varies(&self, of_mechanisms_too: bool) -> bool {
        let bends = |free: &FreeBody| {
            let Mass { moments, center } = Mass::of(&self.mobilized[free.mobilized].inertia);
            moments.iter().chain(&center).any(varies)
        };
        let of_mechanisms = of_mechanisms_too && self.mass_of_mechanisms_varies();
        self.free_bodies().iter().any(bends) || of_mechanisms
    }
}

/// `Ω'` with `J Ω' + ½ δt Ω' × J Ω' = J Ω`; Ω itself where it is not found.
fn middle<T: Scalar>(j: &Matrix3<T>, w: &Vector3<T>, dt: T) -> Vector3<T> {
    let real_j = j.map(|x| x.re());
    let (start, half) = (w.map(|x| x.re()), 0.5 * dt.re());
    let momentum = real_j * start;
    let residual = |x: &Vector3<f64>| real_j * x + x.cross(&(real_j * x)) * half - momentum;
    let slope = |x: &Vector3<f64>| {
        real_j + (x.cross_matrix() * real_j - (real_j * x).cross_matrix()) * half
    };
    let small = ROUND_OFF * momentum.norm();
    let (mut x, mut r) = (start, residual(&start));
    for _ in 0..MAX_ITERATIONS {
        if r.norm() <= small {
            break;
        }
        let (mut step, before) = (solve(&slope(&x), &r), r.norm());
        for _ in 0..MAX_HALVINGS {
            r = residual(&(x - step));
            if r.norm() < before {
                break;
            }
            step *= 0.5;
        }
        if r.norm() >= before {
            break;
        }
        x -= step;
    }
    if residual(&x).norm() > 1e3 * small {
        return *w;
    }
    let slope = slope(&x);
    let mut middle = x.map(T::from);
    for _ in 0..T::NDERIV {
        let jx = j * middle;
        let error = jx + middle.cross(&jx) * (dt * 0.5) - j * w;
        let change = solve(&slope.map(T::from), &error);
        middle = middle.zip_map(&change, |x, change| (x - change).with_real(x.re()));
    }
    middle
}

/// `A⁻¹ b`.
pub(super) fn solve<T: Scalar>(a: &Matrix3<T>, b: &Vector3<T>) -> Vector3<T> {
    let [x, y, z] = [0, 1, 2].map(|i| a.column(i).into_owned());
    let (yz, bz, yb) = (y.cross(&z), b.cross(&z), y.cross(b));
    Vector3::new(b.dot(&yz), x.dot(&bz), x.dot(&yb)) * x.dot(&yz).recip()
}
