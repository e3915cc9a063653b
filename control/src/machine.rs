//! A multibody machine as dynamics.
//!
//! A step has Jacobians with respect to the entries of `[q; v; a; s]`. Displacements are in the tangent space: with
//! `q̇ = N(q) v`,
//!
//! ```text
//! A = E⁺(x⁺) ∂x⁺/∂x E(x),      E = diag(N(q), 1)
//! ```
//!
//! N of a quaternion Q has the columns `½ (0, eᵢ) ⊗ Q`, which are orthogonal and of length ½, so that its pseudoinverse is
//! `4 Nᵀ`.

use crate::ControlError;
use crate::dynamics::Dynamics;
use dualbody::math::rotation;
use dualbody::system::{
    State, StepDifferentiator, StepJacobian, StepWorkspace, TimeSteppingRigidBodySystem,
};
use dualbody::tree::RigidBodyTree;
use dualbody::{InvalidInput, Parameters, Scalar};
use nalgebra::{DMatrix, Matrix4x3};

/// A [`TimeSteppingRigidBodySystem`] that can be controlled, by any scheme, with exact derivatives of its steps.
///
/// Displacements are `[δq; δv; δa; δs]`, as [`LinearModel`](dualbody::system::LinearModel) has them: n = 2 nv and the
/// states of actuators and sensors.
#[derive(Debug, Clone)]
pub struct Machine {
    // In boxes, because they are large and machines are moved.
    differentiator: Box<StepDifferentiator>,
    workspace: Box<StepWorkspace<f64>>,
    jacobian: StepJacobian,
    layout: Layout,
    /// Derivatives with respect to the displacement, of the entries of the state.
    columns: DMatrix<f64>,
}

/// Where coordinates are in `q` and in `v`.
#[derive(Debug, Clone)]
struct Layout {
    sizes: [usize; 3],
    /// With `q̇ = v`.
    linear: Vec<(usize, usize)>,
    /// The first of a quaternion, and of its angular velocity.
    quaternions: Vec<(usize, usize)>,
}

impl Machine {
    /// Of a system, which is copied.
    ///
    /// # Errors
    /// As [`StepDifferentiator::new`].
    pub fn new(system: &TimeSteppingRigidBodySystem<f64>) -> Result<Self, ControlError> {
        let layout = Layout::new(system);
        let [nq, nv, rest] = layout.sizes;
        Ok(Machine {
            differentiator: Box::new(StepDifferentiator::new(system, &[])?),
            workspace: Box::new(system.workspace()?),
            jacobian: StepJacobian::default(),
            columns: DMatrix::zeros(nq + nv + rest, 2 * nv + rest),
            layout,
        })
    }

    /// The system.
    pub fn system(&self) -> &TimeSteppingRigidBodySystem<f64> {
        self.differentiator.system()
    }

    /// Sets parameters by name.
    ///
    /// # Errors
    /// For an unknown name, and values that the machine rejects; it is then as before.
    pub fn set_parameters(&mut self, values: &[(&str, f64)]) -> Result<(), ControlError> {
        let mut system = self.system().clone();
        for &(name, value) in values {
            system.set_parameter(name, value)?;
        }
        *self = Machine::new(&system)?;
        Ok(())
    }
}

impl Layout {
    fn new(system: &TimeSteppingRigidBodySystem<f64>) -> Self {
        let tree = system.tree();
        let state = system.neutral_state();
        let rest = state.actuators.len() + state.sensors.len();
        let (mut linear, mut quaternions) = (Vec::new(), Vec::new());
        for joint in tree.joints().filter(|joint| joint.mimic().is_none()) {
            let (mut q, mut v) = (joint.position_start(), joint.velocity_start());
            let end = v + joint.num_velocities();
            if joint.kind().has_quaternion() {
                quaternions.push((q, v));
                (q, v) = (q + 4, v + 3);
            }
            linear.extend((v..end).map(|k| (q + k - v, k)));
        }
        Layout {
            sizes: [tree.num_positions(), tree.num_velocities(), rest],
            linear,
            quaternions,
        }
    }

    /// `to = E⁺(q) from`, row by row.
    fn tangent_rows(&self, q: &[f64], from: &DMatrix<f64>, to: &mut DMatrix<f64>) {
        let [nq, nv, rest] = self.sizes;
        for j in 0..from.ncols() {
            for &(i, k) in &self.linear {
                to[(k, j)] = from[(i, j)];
            }
            for &(i, k) in &self.quaternions {
                let n = quaternion_rates(&q[i..i + 4]);
                for r in 0..3 {
                    to[(k + r, j)] =
                        4.0 * (0..4).map(|c| n[(c, r)] * from[(i + c, j)]).sum::<f64>();
                }
            }
            for r in 0..nv + rest {
                to[(nv + r, j)] = from[(nq + r, j)];
            }
        }
    }

    /// `to = from E(q)`.
    fn tangent_columns(&self, q: &[f64], from: &DMatrix<f64>, to: &mut DMatrix<f64>) {
        let [nq, nv, rest] = self.sizes;
        for &(i, k) in &self.linear {
            to.column_mut(k).copy_from(&from.column(i));
        }
        for &(i, k) in &self.quaternions {
            let n = quaternion_rates(&q[i..i + 4]);
            for r in 0..3 {
                let mut target = to.column_mut(k + r);
                target.fill(0.0);
                for c in 0..4 {
                    target.axpy(n[(c, r)], &from.column(i + c), 1.0);
                }
            }
        }
        for r in 0..nv + rest {
            to.column_mut(nv + r).copy_from(&from.column(nq + r));
        }
    }
}

/// N of a quaternion (w, x, y, z): `Q̇ = ½ (0, w) ⊗ Q` for an angular velocity in the fixed frame.
fn quaternion_rates(q: &[f64]) -> Matrix4x3<f64> {
    let [w, x, y, z] = [q[0], q[1], q[2], q[3]];
    #[rustfmt::skip]
    let rates = Matrix4x3::new(
        -x, -y, -z,
        w, z, -y,
        -z, w, x,
        y, -x, w,
    );
    rates * 0.5
}

impl Dynamics for Machine {
    type State = State<f64>;

    fn num_displacements(&self) -> usize {
        let [_, nv, rest] = self.layout.sizes;
        2 * nv + rest
    }

    fn num_inputs(&self) -> usize {
        self.system().num_inputs()
    }

    fn time_step(&self) -> f64 {
        self.system().time_step()
    }

    fn displace(
        &self,
        state: &State<f64>,
        displacement: &[f64],
        to: &mut State<f64>,
    ) -> Result<(), ControlError> {
        displace(self.system().tree(), state, displacement, to)
    }

    fn difference(
        &self,
        from: &State<f64>,
        to: &State<f64>,
        displacement: &mut [f64],
    ) -> Result<(), ControlError> {
        difference(self.system().tree(), from, to, displacement)
    }

    fn advance_clock(&self, state: &mut State<f64>, time: f64) {
        state.time += time;
    }

    fn difference_derivative(
        &self,
        from: &State<f64>,
        to: &State<f64>,
        derivative: &mut DMatrix<f64>,
    ) -> Result<(), ControlError> {
        derivative.fill_with_identity();
        let at = |state: &State<f64>, i: usize| {
            let q = &state.q.as_slice()[i..i + 4];
            nalgebra::Quaternion::new(q[0], q[1], q[2], q[3])
        };
        for &(i, k) in &self.layout.quaternions {
            let turn = rotation::log(&(at(to, i) * at(from, i).conjugate()));
            let inverse = rotation::inverse_left_jacobian(&turn);
            derivative.fixed_view_mut::<3, 3>(k, k).copy_from(&inverse);
        }
        Ok(())
    }

    fn step(
        &mut self,
        state: &State<f64>,
        input: &[f64],
        next: &mut State<f64>,
    ) -> Result<(), ControlError> {
        self.workspace.expect_velocity(next.v.as_slice())?;
        let system = self.differentiator.system();
        let step = system.step(&mut self.workspace, state, input)?;
        next.clone_from(step.state());
        Ok(())
    }

    fn linearize(
        &mut self,
        state: &State<f64>,
        input: &[f64],
        next: &mut State<f64>,
        a: &mut DMatrix<f64>,
        b: &mut DMatrix<f64>,
    ) -> Result<(), ControlError> {
        let Machine {
            differentiator,
            jacobian,
            layout,
            columns,
            ..
        } = self;
        differentiator.expect_velocity(next.v.as_slice())?;
        next.clone_from(differentiator.jacobian(state, input, jacobian)?);
        if layout.quaternions.is_empty() && layout.sizes[0] == layout.sizes[1] {
            a.copy_from(&jacobian.state);
            b.copy_from(&jacobian.input);
            return Ok(());
        }
        layout.tangent_columns(state.q.as_slice(), &jacobian.state, columns);
        layout.tangent_rows(next.q.as_slice(), columns, a);
        layout.tangent_rows(next.q.as_slice(), &jacobian.input, b);
        Ok(())
    }
}

/// Number of entries of a displacement.
pub(crate) fn displacement_size(system: &TimeSteppingRigidBodySystem<f64>) -> usize {
    let state = system.neutral_state();
    2 * state.v.len() + state.actuators.len() + state.sensors.len()
}

/// Takes a state over as a constant.
pub(crate) fn lift_state<T: Scalar>(from: &State<f64>, to: &mut State<T>) {
    to.time = T::from(from.time);
    for (to, from) in [
        (&mut to.q, &from.q),
        (&mut to.v, &from.v),
        (&mut to.actuators, &from.actuators),
        (&mut to.sensors, &from.sensors),
    ] {
        for (to, &from) in to.iter_mut().zip(from) {
            *to = T::from(from);
        }
    }
}

/// `x ⊕ δ`, in memory of a state of the same machine.
pub(crate) fn displace<T: Scalar>(
    tree: &RigidBodyTree<T>,
    from: &State<T>,
    displacement: &[T],
    to: &mut State<T>,
) -> Result<(), ControlError> {
    let nv = tree.num_velocities();
    let size = nv + from.v.len() + from.actuators.len() + from.sensors.len();
    InvalidInput::check_size("displacement", displacement.len(), size)?;
    InvalidInput::check_finite("displacement", displacement)?;
    let (dq, rest) = displacement.split_at(nv);
    if to.q.len() != from.q.len() || to.actuators.len() != from.actuators.len() {
        to.clone_from(from);
    }
    to.time = from.time;
    tree.integrate_exponential(from.q.as_slice(), dq, T::one(), to.q.as_mut_slice())?;
    let before = (from.v.iter()).chain(&from.actuators).chain(&from.sensors);
    let after = (to.v.iter_mut())
        .chain(&mut to.actuators)
        .chain(&mut to.sensors);
    for ((after, &before), &d) in after.zip(before).zip(rest) {
        *after = before + d;
    }
    Ok(())
}

/// `to ⊖ from`.
pub(crate) fn difference<T: Scalar>(
    tree: &RigidBodyTree<T>,
    from: &State<T>,
    to: &State<T>,
    displacement: &mut [T],
) -> Result<(), ControlError> {
    let nv = tree.num_velocities();
    for state in [from, to] {
        let size = nv + state.v.len() + state.actuators.len() + state.sensors.len();
        InvalidInput::check_size("displacement of the state", size, displacement.len())?;
    }
    let (dq, rest) = displacement.split_at_mut(nv);
    tree.difference(from.q.as_slice(), to.q.as_slice(), dq)?;
    let before = (from.v.iter()).chain(&from.actuators).chain(&from.sensors);
    let after = (to.v.iter()).chain(&to.actuators).chain(&to.sensors);
    for ((d, &after), &before) in rest.iter_mut().zip(after).zip(before) {
        *d = after - before;
    }
    Ok(InvalidInput::check_finite(
        "difference of states",
        displacement,
    )?)
}
