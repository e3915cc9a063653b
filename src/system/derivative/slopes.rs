//! The derivatives of `[q⁺; v⁺]` as matrices, and their transpose applied to a covector.

use super::applied::AppliedSlopes;
use super::balance::{BalanceSlopes, StepPoint};
use super::parameters::{ParameterSlopes, Slopes};
use super::response::{Column, Response};
use crate::math::Factorization;
use crate::system::compliant::SaddlePoint;
use crate::system::damping::Dual;
use crate::system::error::SystemError;
use crate::system::jacobian::StepAt;
use crate::system::rigid_body_system::RigidBodySystem;
use crate::system::state::State;
use crate::system::stepper::Stepper;
use crate::tree::{CoordinateStep, DynamicsSlopes, Flights, MomentumSlopes, RigidBodyTree};
use nalgebra::DMatrix;

/// Derivatives of a compliant step with respect to positions, velocities and inputs; a workspace.
#[derive(Debug, Clone)]
pub(in crate::system) struct StepSlopes {
    balance: BalanceSlopes,
    applied: AppliedSlopes,
    response: Response,
    /// Of the balance, then of velocities at the end.
    by_parameter: Vec<Slopes>,
    steps: Vec<CoordinateStep>,
    next_v: Vec<f64>,
    of_momenta: MomentumSlopes,
    /// Positions and velocities at the end.
    end: (Vec<f64>, Vec<f64>),
    num_positions: usize,
    num_inputs: usize,
    dt: f64,
    /// A covector on its way back: of positions, of velocities, of the balance, along the coordinates.
    on_positions: Vec<f64>,
    on_velocities: Vec<f64>,
    multipliers: Vec<f64>,
    along: Vec<f64>,
}

impl StepSlopes {
    pub fn new(real: &RigidBodySystem<f64>, dual: &RigidBodySystem<Dual>) -> Self {
        StepSlopes {
            balance: BalanceSlopes::new(&real.tree),
            applied: AppliedSlopes::new(dual),
            response: Response::default(),
            by_parameter: Vec::new(),
            steps: Vec::new(),
            next_v: Vec::new(),
            of_momenta: MomentumSlopes::new(&real.tree),
            end: (Vec::new(), Vec::new()),
            num_positions: real.tree.num_positions(),
            num_inputs: real.num_inputs(),
            dt: 0.0,
            on_positions: Vec::new(),
            on_velocities: Vec::new(),
            multipliers: Vec::new(),
            along: vec![0.0; real.tree.num_velocities()],
        }
    }

    /// Whether these are all derivatives of a step: neither actuators nor sensors have
    /// states, and mechanisms that keep their momentum have slopes of their flights.
    pub fn are_complete(system: &RigidBodySystem<f64>, state: &State<f64>) -> bool {
        let [_, _, actuators, sensors] = state.sizes();
        actuators + sensors == 0
            && (!system.options.keep_momentum || system.tree.has_mechanism_slopes())
    }

    /// Evaluates the derivatives of the balance of a step that ends as `end` says, with the momenta of mechanisms.
    pub fn evaluate(
        &mut self,
        (stepper, dual): (&Stepper<'_, f64>, &RigidBodySystem<Dual>),
        step: StepAt<'_>,
        end: &SaddlePoint<'_>,
        flights: &mut Flights<f64>,
    ) -> Result<(), SystemError> {
        let StepAt { state, input, .. } = step;
        let (real, dt, nv) = (stepper.system, stepper.time_step, step.state.v.len());
        self.dt = dt;
        self.next_v.clear();
        self.next_v.extend(end.solution().take(nv));
        let at = (state, self.next_v.as_slice(), dt);
        (self.applied).evaluate(dual, (state, input, dt), end)?;
        let point = StepPoint::new((real, &dual.contact), at, end);
        let applied = &self.applied;
        (self.balance).evaluate(&point, applied.by_position(), applied.by_error())?;
        let (tree, q) = (&real.tree, state.q.as_slice());
        let keeps_momentum = real.options.keep_momentum;
        self.fly(tree, q, (dt, keeps_momentum), flights)?;
        let ways = ((q, self.end.0.as_slice()), self.next_v.as_slice());
        let mechanisms = match keeps_momentum {
            true => flights.mechanisms(),
            false => &[],
        };
        let of_bodies = (dt, self.balance.free.as_slice(), mechanisms);
        tree.integrate_derivatives(ways.0, ways.1, of_bodies, &mut self.steps)?;
        self.response.set_steps(&self.balance.islands, &self.steps);
        Ok(())
    }

    /// Moves bodies, and differentiates the flights of mechanisms.
    fn fly(
        &mut self,
        tree: &RigidBodyTree<f64>,
        q: &[f64],
        (dt, keeps_momentum): (f64, bool),
        flights: &mut Flights<f64>,
    ) -> Result<(), SystemError> {
        let (next_q, next_v) = (&mut self.end.0, &mut self.end.1);
        next_q.resize(q.len(), 0.0);
        next_v.clone_from(&self.next_v);
        let v = self.next_v.as_slice();
        tree.integrate(q, v, dt, next_q)?;
        tree.fly(&self.balance.free, (q, v), dt, (&mut *next_q, &mut *next_v))?;
        if flights.is_empty() || !keeps_momentum {
            return Ok(());
        }
        let BalanceSlopes {
            islands,
            kinematics,
            dynamics,
            ..
        } = &mut self.balance;
        tree.fly_mechanisms(flights, (q, v), dt, (&mut *next_q, next_v))?;
        // Coordinates of a body are neighbours in their island.
        let six = |matrix: &DMatrix<f64>, i, k| {
            let first = islands.entry(i, k);
            std::array::from_fn(|row| matrix[first + row])
        };
        let dynamics = DynamicsSlopes {
            by_position: |i, k| six(&dynamics.dtau_dq, i, k),
            by_velocity: |i, k| six(&dynamics.dtau_dv, i, k),
        };
        let memory = (&mut self.of_momenta, kinematics);
        let slopes = &mut self.response.mechanisms;
        let way = (q, v, next_q.as_slice(), dt);
        tree.mechanism_slopes(flights, memory, &dynamics, way, slopes);
        Ok(())
    }

    /// Writes the state after the step.
    pub fn write_end(&self, step: StepAt<'_>, next: &mut State<f64>) {
        next.time = step.state.time + self.dt;
        next.q.copy_from_slice(&self.end.0);
        next.v.copy_from_slice(&self.end.1);
    }

    /// Evaluates the derivatives of the balance with respect to the parameters of a chunk, which are variables of
    /// `dual`.
    pub fn evaluate_parameters(
        &mut self,
        parameters: &ParameterSlopes,
        (real, dual): (&RigidBodySystem<f64>, &RigidBodySystem<Dual>),
        state: &State<f64>,
        end: &SaddlePoint<'_>,
    ) -> Result<(), SystemError> {
        let (balance, next_v) = (&self.balance, &self.next_v);
        let point = StepPoint::new((real, &dual.contact), (state, next_v, self.dt), end);
        self.by_parameter.clear();
        self.by_parameter.resize(end.size(), Slopes::zeros());
        if parameters.of_elements {
            (self.applied).add_by_parameter(dual, &mut self.by_parameter)?;
        }
        parameters.add_to_balance(balance, (&point, &real.contact), &mut self.by_parameter)
    }

    /// Calls `visit` with every column of the derivatives with respect to the first `count` parameters of the chunk that
    /// was evaluated, by its number: once for every island on which a parameter acts.
    pub fn for_each_parameter_column(
        &mut self,
        end: &SaddlePoint<'_>,
        count: usize,
        visit: impl FnMut(usize, Column<'_>),
    ) -> Result<(), SystemError> {
        self.by_parameter.iter_mut().for_each(|r| *r = -*r);
        end.solve_in_place(&mut self.by_parameter)?;
        let at = (&self.balance.islands, self.num_positions);
        (self.response).for_each_lane(at, (count, &self.by_parameter), visit);
        Ok(())
    }

    /// The derivatives of the product with the last covector that was pulled back, with respect to the parameters of the
    /// chunk that was evaluated.
    pub fn pull_back_parameters(&self) -> impl Iterator<Item = f64> {
        let terms = self.by_parameter.iter().zip(&self.multipliers);
        let sum = terms.fold(Slopes::zeros(), |sum, (r, &mu)| sum - r * mu);
        sum.data.0[0].into_iter()
    }

    /// Whether columns with respect to the state have entries in all rows.
    pub fn are_dense(&self) -> bool {
        self.balance.islands.count() == 1
    }

    /// Calls `on_state` with every column of the derivatives with respect to `[q; v]` and `on_input` with
    /// those with respect to the inputs, by their numbers: once for every island that an input drives.
    pub fn for_each_column(
        &mut self,
        end: &SaddlePoint<'_>,
        on_state: impl FnMut(usize, Column<'_>),
        on_input: impl FnMut(usize, Column<'_>),
    ) -> Result<(), SystemError> {
        (self.response).solve(&self.balance, self.applied.by_error(), end)?;
        let (islands, nq) = (&self.balance.islands, self.num_positions);
        let driven = (&self.applied, self.num_inputs, self.dt);
        let response = &mut self.response;
        response.for_each_state_column(islands, nq, on_state);
        response.for_each_input_column((islands, nq), driven, on_input);
        Ok(())
    }

    /// μ with `−μ·dr = covector·[∂q⁺/∂v'; ∂v⁺/∂v'] dv'`, of the last covector that was pulled back; r is that of the balance,
    /// then of the rows that act.
    pub fn multipliers(&self) -> &[f64] {
        &self.multipliers
    }

    /// Writes the derivatives of `covector·[q⁺; v⁺]` with respect to state and inputs.
    pub fn pull_back(
        &mut self,
        end: &SaddlePoint<'_>,
        covector: &[f64],
        [by_state, by_input]: [&mut [f64]; 2],
    ) -> Result<(), SystemError> {
        let (of_positions, of_velocities) = covector.split_at(self.num_positions);
        for (target, values) in [
            (&mut self.on_positions, of_positions),
            (&mut self.on_velocities, of_velocities),
        ] {
            target.clear();
            target.extend_from_slice(values);
        }
        let response = &mut self.response;
        response.pull_back_motion(&mut self.on_positions, &mut self.on_velocities);
        self.multipliers.clone_from(&self.on_velocities);
        self.multipliers.resize(end.size(), 0.0);
        end.solve_transposed_in_place(&mut self.multipliers)?;
        let (mu, on_velocities) = (&self.multipliers, &mut self.on_velocities);
        self.balance.pull_back(mu, &mut self.along, on_velocities);
        let nv = end.num_velocities();
        for &([row, column], slope) in self.applied.by_error() {
            self.along[column] -= slope * mu[nv + row];
        }
        response.add_flights(&mut self.along, on_velocities);
        response.add_to_positions(&self.along, &mut self.on_positions);
        let (on_positions, rest) = by_state.split_at_mut(self.num_positions);
        on_positions.copy_from_slice(&self.on_positions);
        rest.copy_from_slice(&self.on_velocities);
        for (input, target) in by_input.iter_mut().enumerate() {
            let driven = self.applied.of_input(input).iter();
            *target = driven.fold(0.0, |sum, &(c, slope)| sum + self.dt * slope * mu[c]);
        }
        Ok(())
    }
}
