//! First derivatives of a step: as matrices, and applied to a covector.
//!
//! A step finds `v⁺` as the root of the momentum balance `r(v⁺; q, v, τ, p) = 0`, with parameters p,
//! and moves to `q⁺ = q ⊕ δt N(q) v⁺`. With `A = ∂r/∂v⁺`, factored once in `f64`, and `Q = ∂q⁺/∂v⁺`,
//!
//! ```text
//! dv⁺ = −A⁻¹ dr,       dq⁺ = dq⁺|_{v⁺} + Q dv⁺
//! ```
//!
//! where `dr` and `dq⁺|_{v⁺}` are taken at fixed `v⁺`: one evaluation of the balance with duals for
//! every [`CHUNK`] directions. A covector `(λ_q, λ_v)` of the state after the step is pulled back with
//! one back-substitution, and without any matrix:
//!
//! ```text
//! μ = A⁻ᵀ (λ_v + Qᵀ λ_q),      ∂/∂x = −μ·∂r/∂x + λ_q·∂q⁺/∂x|_{v⁺},      ∂/∂τ = δt μ
//! ```

use super::lifted_step::LiftedStep;
use super::model::Model;
use super::real_step::RealStep;
use super::system::TimeSteppingRigidBodySystem;
use crate::InvalidInput;
use crate::autodiff::CHUNK;
use crate::contact::FoundContact;
use crate::force::ForceElement;
use crate::math::{Factorization, reset_matrix, reset_vector};
use crate::parameter::{ParameterError, Parameters};
use crate::solver::ImplicitStribeckSolver;
use crate::system::error::StepError;
use crate::system::state::State;
use nalgebra::{DMatrix, DVector};
use num_dual::DualSVec64;

pub(super) type Dual = DualSVec64<CHUNK>;

/// Makes steps in `f64` and gives their first derivatives.
///
/// Derivatives are with respect to the entries of `q` and `v` as they are: those along a quaternion
/// are zero for the rotation, and the states of a rollout stay on the unit sphere, so that products
/// of these matrices are the derivatives of several steps.
///
/// Holds the memory of the computation; after the first step, steps with no more contacts than any
/// before allocate nothing.
#[derive(Debug, Clone)]
pub struct StepDifferentiator<F: ForceElement<f64> = ()> {
    pub(super) system: TimeSteppingRigidBodySystem<f64, F>,
    solver: ImplicitStribeckSolver<f64>,
    real: RealStep,
    found: Vec<FoundContact>,
    next: State<f64>,
    /// The system with constant parameters, then with each chunk of parameters as variables.
    pub(super) systems: Vec<TimeSteppingRigidBodySystem<Dual, F::Cast<Dual>>>,
    num_parameters: usize,
    lifted: LiftedStep<Dual>,
    start: State<Dual>,
    end: State<Dual>,
    tau: Vec<Dual>,
    residual: Vec<Dual>,
    /// `Q = ∂q⁺/∂v⁺` (nq×nv).
    transport: DMatrix<f64>,
    column: Vec<f64>,
    weights: Vec<f64>,
}

/// The derivatives of a step; rows are those of the state `[q; v]` after it.
#[derive(Debug, Clone, PartialEq)]
pub struct StepJacobian {
    /// With respect to the state `[q; v]` before it.
    pub state: DMatrix<f64>,
    /// With respect to the generalized forces `τ`.
    pub tau: DMatrix<f64>,
    /// With respect to the chosen parameters.
    pub parameters: DMatrix<f64>,
}

/// The derivatives of a scalar that depends on the state after a step.
#[derive(Debug, Clone, PartialEq)]
pub struct StepGradient {
    /// With respect to the state `[q; v]` before it.
    pub state: DVector<f64>,
    /// With respect to the generalized forces `τ`.
    pub tau: DVector<f64>,
    /// With respect to the chosen parameters.
    pub parameters: DVector<f64>,
}

impl Default for StepJacobian {
    /// Matrices without entries, for [`StepDifferentiator::jacobian`] to fill.
    fn default() -> Self {
        let empty = DMatrix::zeros(0, 0);
        StepJacobian {
            state: empty.clone(),
            tau: empty.clone(),
            parameters: empty,
        }
    }
}

impl Default for StepGradient {
    /// Vectors without entries, for [`StepDifferentiator::pull_back`] to fill.
    fn default() -> Self {
        let empty = DVector::zeros(0);
        StepGradient {
            state: empty.clone(),
            tau: empty.clone(),
            parameters: empty,
        }
    }
}

/// What a chunk of derivatives is taken with respect to.
#[derive(Clone, Copy)]
enum Directions {
    /// Entries of `[q; v]`, from this one on.
    State(usize),
    /// Parameters, from this one on.
    Parameters(usize),
}

impl<F: ForceElement<f64>> StepDifferentiator<F> {
    /// For the steps of a system, and derivatives with respect to the parameters of these names.
    ///
    /// The system is copied: later changes of its parameters are not seen.
    ///
    /// # Errors
    /// [`ParameterError`] for a name that the system does not have, or a value of a parameter that
    /// does not make sense.
    pub fn new(
        system: &TimeSteppingRigidBodySystem<f64, F>,
        parameters: &[&str],
    ) -> Result<Self, ParameterError> {
        let constant = system.cast::<Dual>();
        let list = system.parameters();
        let indices = (parameters.iter())
            .map(|name| system.parameter_index(name))
            .collect::<Result<Vec<_>, _>>()?;
        let mut systems = vec![constant.clone()];
        for chunk in indices.chunks(CHUNK) {
            let mut variable = constant.clone();
            let seeds: Vec<(usize, Dual)> = (chunk.iter().enumerate())
                .map(|(k, &i)| (i, Dual::from_re(list[i].value).derivative(k)))
                .collect();
            variable.set_parameters(&seeds)?;
            systems.push(variable);
        }
        let (nq, nv) = (
            system.tree().num_positions(),
            system.tree().num_velocities(),
        );
        Ok(StepDifferentiator {
            solver: ImplicitStribeckSolver::new(system.real_solver_parameters())
                .map_err(ParameterError::Invalid)?,
            real: RealStep::new(&system.real),
            found: Vec::new(),
            next: system.neutral_state(),
            systems,
            num_parameters: indices.len(),
            lifted: LiftedStep::new(&constant.model),
            start: constant.neutral_state(),
            end: constant.neutral_state(),
            tau: vec![Dual::from_re(0.0); nv],
            residual: vec![Dual::from_re(0.0); nv],
            transport: DMatrix::zeros(nq, nv),
            column: vec![0.0; nv],
            weights: vec![0.0; nv],
            system: system.clone(),
        })
    }

    /// The system.
    pub fn system(&self) -> &TimeSteppingRigidBodySystem<f64, F> {
        &self.system
    }

    /// Number of parameters that derivatives are taken with respect to.
    pub fn num_parameters(&self) -> usize {
        self.num_parameters
    }

    /// Makes a step from `state` with the generalized forces `tau`, and writes its derivatives.
    ///
    /// # Errors
    /// As [`TimeSteppingRigidBodySystem::step`], and [`StepError::Invalid`] when a derivative is not
    /// finite.
    pub fn jacobian(
        &mut self,
        state: &State<f64>,
        tau: &[f64],
        jacobian: &mut StepJacobian,
    ) -> Result<&State<f64>, StepError> {
        self.start_step(state, tau)?;
        let (nq, nv) = (state.q.len(), state.v.len());
        let rows = nq + nv;
        reset_matrix(&mut jacobian.state, rows, rows);
        reset_matrix(&mut jacobian.tau, rows, nv);
        reset_matrix(&mut jacobian.parameters, rows, self.num_parameters);

        let dt = self.system.real.time_step;
        let (_, linearization) = (self.real).linearize(
            &self.system.real,
            self.system.damping.as_ref(),
            &mut self.solver,
        )?;
        let StepDifferentiator {
            system,
            real,
            systems,
            lifted,
            start,
            end,
            residual,
            transport,
            column,
            next,
            ..
        } = self;
        write_end(real, &system.real, next, end)?;
        write_transport(&systems[0], start, end, transport)?;
        let transport = &*transport;
        // One column from its part dr of the balance.
        let finish = |column: &mut [f64], target: &mut [f64]| {
            linearization.solve_in_place(column)?;
            for (j, &dv) in column.iter().enumerate() {
                target[nq + j] = dv;
                for (i, q) in target[..nq].iter_mut().enumerate() {
                    *q += transport[(i, j)] * dv;
                }
            }
            Ok::<(), InvalidInput>(())
        };
        for j in 0..nv {
            column.fill(0.0);
            column[j] = dt;
            finish(
                column,
                &mut jacobian.tau.as_mut_slice()[j * rows..(j + 1) * rows],
            )?;
        }
        for directions in directions(rows, self.num_parameters) {
            let (first, system, matrix) = match directions {
                Directions::State(first) => (first, 0, &mut jacobian.state),
                Directions::Parameters(first) => {
                    (first, 1 + first / CHUNK, &mut jacobian.parameters)
                }
            };
            let system = &systems[system];
            seed(state, start, directions);
            evaluate(
                system,
                lifted,
                (start, end),
                &self.tau,
                residual,
                &self.found,
            )?;
            for k in 0..CHUNK.min(matrix.ncols() - first) {
                let range = (first + k) * rows..(first + k + 1) * rows;
                let target = &mut matrix.as_mut_slice()[range];
                for (target, q) in target.iter_mut().zip(end.q.iter()) {
                    *target = part(q, k);
                }
                for (c, r) in column.iter_mut().zip(&*residual) {
                    *c = -part(r, k);
                }
                finish(column, target)?;
            }
        }
        for matrix in [&jacobian.state, &jacobian.tau, &jacobian.parameters] {
            InvalidInput::check_finite("derivatives of a step", matrix.as_slice())?;
        }
        Ok(&self.next)
    }

    /// Makes a step from `state` with the generalized forces `tau`, and writes the derivatives of
    /// `covector · [q⁺; v⁺]`.
    ///
    /// # Errors
    /// As [`TimeSteppingRigidBodySystem::step`], and [`StepError::Invalid`] when the size of
    /// `covector` is not that of the state, or an entry of it or a derivative not finite.
    pub fn pull_back(
        &mut self,
        state: &State<f64>,
        tau: &[f64],
        covector: &[f64],
        gradient: &mut StepGradient,
    ) -> Result<&State<f64>, StepError> {
        self.start_step(state, tau)?;
        let (nq, nv) = (state.q.len(), state.v.len());
        InvalidInput::check_size("covector", covector.len(), nq + nv)?;
        InvalidInput::check_finite("covector", covector)?;
        reset_vector(&mut gradient.state, nq + nv);
        reset_vector(&mut gradient.tau, nv);
        reset_vector(&mut gradient.parameters, self.num_parameters);

        let dt = self.system.real.time_step;
        let (_, mut linearization) = (self.real).linearize(
            &self.system.real,
            self.system.damping.as_ref(),
            &mut self.solver,
        )?;
        let StepDifferentiator {
            system,
            real,
            systems,
            lifted,
            start,
            end,
            residual,
            transport,
            weights,
            next,
            ..
        } = self;
        write_end(real, &system.real, next, end)?;
        write_transport(&systems[0], start, end, transport)?;
        let (on_q, on_v) = covector.split_at(nq);
        for (j, weight) in weights.iter_mut().enumerate() {
            let transported = (0..nq).map(|i| transport[(i, j)] * on_q[i]);
            *weight = on_v[j] + transported.sum::<f64>();
        }
        let multipliers = &linearization.adjoint(weights)?.p_star;
        for (target, multiplier) in gradient.tau.iter_mut().zip(multipliers.iter()) {
            *target = dt * multiplier;
        }
        for directions in directions(nq + nv, self.num_parameters) {
            let (first, system, target) = match directions {
                Directions::State(first) => (first, 0, &mut gradient.state),
                Directions::Parameters(first) => {
                    (first, 1 + first / CHUNK, &mut gradient.parameters)
                }
            };
            let system = &systems[system];
            seed(state, start, directions);
            evaluate(
                system,
                lifted,
                (start, end),
                &self.tau,
                residual,
                &self.found,
            )?;
            for (k, target) in target.iter_mut().skip(first).take(CHUNK).enumerate() {
                let of_balance = (multipliers.iter().zip(&*residual)).map(|(m, r)| m * part(r, k));
                let of_motion = (on_q.iter().zip(end.q.iter())).map(|(l, q)| l * part(q, k));
                *target = of_motion.sum::<f64>() - of_balance.sum::<f64>();
            }
        }
        for vector in [&gradient.state, &gradient.tau, &gradient.parameters] {
            InvalidInput::check_finite("derivatives of a step", vector.as_slice())?;
        }
        Ok(&self.next)
    }

    /// Sets up the contact problem of a step.
    fn start_step(&mut self, state: &State<f64>, tau: &[f64]) -> Result<(), StepError> {
        let system = &self.system;
        let (real, found) = (&mut self.real, &mut self.found);
        real.prepare(&system.real, system.detection, state, tau, found)?;
        for (dual, &tau) in self.tau.iter_mut().zip(tau) {
            *dual = Dual::from_re(tau);
        }
        seed(state, &mut self.start, Directions::Parameters(0));
        Ok(())
    }
}

/// All chunks.
fn directions(state: usize, parameters: usize) -> impl Iterator<Item = Directions> {
    let of_state = (0..state).step_by(CHUNK).map(Directions::State);
    of_state.chain((0..parameters).step_by(CHUNK).map(Directions::Parameters))
}

/// Writes the state as constants, or with its entries from the first direction on as variables.
fn seed(state: &State<f64>, target: &mut State<Dual>, directions: Directions) {
    let values = state.q.iter().chain(state.v.iter());
    let entries = target.q.iter_mut().chain(target.v.iter_mut());
    for (i, (target, &value)) in entries.zip(values).enumerate() {
        *target = Dual::from_re(value);
        if let Directions::State(first) = directions
            && (first..first + CHUNK).contains(&i)
        {
            *target = target.derivative(i - first);
        }
    }
}

/// Evaluates the balance, and `end.q`, at the velocity of `end`.
fn evaluate<F: ForceElement<Dual>>(
    system: &TimeSteppingRigidBodySystem<Dual, F>,
    lifted: &mut LiftedStep<Dual>,
    (start, end): (&State<Dual>, &mut State<Dual>),
    tau: &[Dual],
    residual: &mut [Dual],
    found: &[FoundContact],
) -> Result<(), StepError> {
    lifted.prepare(&system.model, start, found)?;
    let v = end.v.as_slice();
    lifted.residual(&system.model, system.softening(), start, tau, v, residual)?;
    let (q, dt) = (start.q.as_slice(), system.model.time_step);
    Ok((system.tree()).integrate(q, v, dt, end.q.as_mut_slice())?)
}

/// Writes the state at the end of a step that is solved, and its velocity as a constant.
fn write_end<F: ForceElement<f64>>(
    real: &mut RealStep,
    model: &Model<f64, F>,
    next: &mut State<f64>,
    end: &mut State<Dual>,
) -> Result<(), StepError> {
    next.v.copy_from_slice(real.next_v());
    next.q.copy_from_slice(real.integrate(model)?);
    for (dual, &v) in end.v.iter_mut().zip(&next.v) {
        *dual = Dual::from_re(v);
    }
    Ok(())
}

/// Writes `∂q⁺/∂v⁺`; `end` is left with the constant velocity.
fn write_transport<F: ForceElement<Dual>>(
    system: &TimeSteppingRigidBodySystem<Dual, F>,
    start: &State<Dual>,
    end: &mut State<Dual>,
    transport: &mut DMatrix<f64>,
) -> Result<(), StepError> {
    let nv = end.v.len();
    for first in (0..nv).step_by(CHUNK) {
        let chunk = first..nv.min(first + CHUNK);
        for j in chunk.clone() {
            end.v[j] = end.v[j].derivative(j - first);
        }
        let (q, dt) = (start.q.as_slice(), system.model.time_step);
        (system.tree()).integrate(q, end.v.as_slice(), dt, end.q.as_mut_slice())?;
        for j in chunk {
            for (target, q) in transport.column_mut(j).iter_mut().zip(end.q.iter()) {
                *target = part(q, j - first);
            }
            end.v[j] = Dual::from_re(end.v[j].re);
        }
    }
    Ok(())
}

/// Derivative along direction `k` of a chunk.
pub(in crate::system) fn part(x: &Dual, k: usize) -> f64 {
    x.eps.0.map_or(0.0, |eps| eps[k])
}
