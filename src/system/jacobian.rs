//! First derivatives of a step: as matrices, and applied to a covector.
//!
//! A step takes the state `x = [q; v; a; s]` to `x⁺ = f(x, u, p)` with inputs u and parameters p. What is
//! decided in it (contacts, active rows, the velocities themselves) is decided once, in `f64`; the rest is
//! differentiated. A compliant step finds `v⁺` as the root of a balance whose Jacobian is factored once; its
//! [analytic derivatives](super::derivative) serve for states, inputs and most parameters where they are complete.
//! Everything else is evaluated with duals, [`CHUNK`] directions at a time.

use super::compliant::{CompliantSolve, SaddlePoint};
use super::damping::Dual;
use super::derivative::{
    Against, Directions, ParameterSlopes, SparseStepJacobian, StepGradient, StepJacobian,
    StepSlopes, Target, seed,
};
use super::error::SystemError;
use super::measurement::Sample;
use super::scheme::Scheme;
use super::state::State;
use super::status::StepStatus;
use super::step::{StepEvaluation, StepWorkspace};
use super::stepper::Stepper;
use super::substeps::Subdivision;
use super::time_stepping::TimeSteppingRigidBodySystem;
use crate::InvalidInput;
use crate::autodiff::CHUNK;
use crate::math::{Factorization, reset_matrix, reset_vector};
use crate::parameter::Parameters;

/// Makes steps in `f64` and gives their first derivatives.
///
/// Derivatives are with respect to the entries of `q`, `v` and the states of actuators and sensors as they
/// are: those along a quaternion are zero for the rotation, and the states of a rollout stay on the unit
/// sphere, so that products of these matrices are the derivatives of several steps. With respect to the length of a step
/// they leave out that the k-th step begins k lengths later, where something depends on time; the
/// [`Adjoint`](super::Adjoint) counts it.
///
/// Holds the memory of the computation.
#[derive(Debug, Clone)]
pub struct StepDifferentiator {
    stepper: TimeSteppingRigidBodySystem<f64>,
    /// The system with constant parameters, then with each chunk of parameters as variables.
    systems: Vec<TimeSteppingRigidBodySystem<Dual>>,
    /// The chunks whose parameters leave bodies where they are.
    still: Vec<Option<ParameterSlopes>>,
    num_parameters: usize,
    /// The place after the parameters of the derivative with respect to the time of the state, the first of a chunk of
    /// its own.
    time: Option<usize>,
    workspace: StepWorkspace<Dual>,
    state: State<Dual>,
    input: Vec<Dual>,
    slopes: StepSlopes,
    next: State<f64>,
}

/// Where the decisions of a step come from when it is evaluated in several directions.
#[allow(clippy::large_enum_variant)] // one, on the stack of one call
enum Decisions<'s> {
    /// From one solution in `f64`.
    Made(StepStatus, SaddlePoint<'s>),
    /// Made anew, which gives the same.
    InEachEvaluation(&'s mut CompliantSolve),
}

impl StepDifferentiator {
    /// For a system, and derivatives with respect to the parameters of these names.
    ///
    /// The system is copied: later changes of its parameters are not seen.
    ///
    /// # Errors
    /// [`SystemError::Parameter`] for an unknown name.
    pub fn new(
        stepper: &TimeSteppingRigidBodySystem<f64>,
        parameters: &[&str],
    ) -> Result<Self, SystemError> {
        let list = stepper.parameters();
        let indices = (parameters.iter())
            .map(|name| stepper.parameter_index(name))
            .collect::<Result<Vec<_>, _>>()?;
        let constant = stepper.cast::<Dual>();
        let (mut systems, mut still) = (vec![constant.clone()], Vec::new());
        for chunk in indices.chunks(CHUNK) {
            let mut variable = constant.clone();
            let mut seeds: Vec<(usize, Dual)> = Vec::new();
            for (k, &i) in chunk.iter().enumerate() {
                let direction = Dual::from_re(0.0).derivative(k);
                match seeds.iter_mut().find(|(parameter, _)| *parameter == i) {
                    Some((_, seed)) => *seed += direction,
                    None => seeds.push((i, direction + list[i].value)),
                }
            }
            variable.set_parameters(&seeds)?;
            let slopes = ParameterSlopes::new(&variable.tree, &variable.contact, chunk.len())?;
            still.push(slopes);
            systems.push(variable);
        }
        Ok(StepDifferentiator {
            num_parameters: indices.len(),
            time: None,
            workspace: constant.workspace()?,
            state: constant.neutral_state(),
            input: vec![Dual::from_re(0.0); stepper.num_inputs()],
            slopes: StepSlopes::new(stepper, &constant),
            next: stepper.neutral_state(),
            systems,
            still,
            stepper: stepper.clone(),
        })
    }

    /// The same with the derivative with respect to the time of the state as the last of those with respect to
    /// parameters.
    pub(super) fn with_time(mut self) -> Self {
        self.time = Some(self.still.len() * CHUNK);
        self.systems.push(self.systems[0].clone());
        self.still.push(None);
        self
    }

    /// The system.
    pub fn system(&self) -> &TimeSteppingRigidBodySystem<f64> {
        &self.stepper
    }

    /// Number of parameters that derivatives are taken with respect to.
    pub fn num_parameters(&self) -> usize {
        self.num_parameters
    }

    /// How the last step went.
    pub fn status(&self) -> &StepStatus {
        &self.workspace.evaluation.status
    }

    /// As [`StepWorkspace::expect_velocity`], for the next step.
    ///
    /// # Errors
    /// As there.
    pub fn expect_velocity(&mut self, v: &[f64]) -> Result<(), InvalidInput> {
        self.workspace.expect_velocity(v)
    }

    /// Makes a step from `state` with the inputs `input`, and writes its derivatives.
    ///
    /// # Errors
    /// As [`TimeSteppingRigidBodySystem::step`], and [`SystemError::Invalid`] when a derivative is not
    /// finite.
    pub fn jacobian(
        &mut self,
        state: &State<f64>,
        input: &[f64],
        jacobian: &mut StepJacobian,
    ) -> Result<&State<f64>, SystemError> {
        let sizes = self.sizes(state, input)?;
        let matrices = [
            &mut jacobian.state,
            &mut jacobian.input,
            &mut jacobian.parameters,
        ];
        for (matrix, columns) in matrices.into_iter().zip(sizes) {
            reset_matrix(matrix, sizes[0], columns);
        }
        self.differentiate((state, input, None), sizes, jacobian)?;
        for matrix in [&jacobian.state, &jacobian.input, &jacobian.parameters] {
            InvalidInput::check_finite("derivatives of a step", matrix.as_slice())?;
        }
        Ok(&self.next)
    }

    /// As [`Self::jacobian`], by entries that may not be zero: for bodies that act on few others, time and
    /// memory grow with their number, not with its square.
    ///
    /// # Errors
    /// As [`Self::jacobian`].
    pub fn sparse_jacobian(
        &mut self,
        state: &State<f64>,
        input: &[f64],
        jacobian: &mut SparseStepJacobian,
    ) -> Result<&State<f64>, SystemError> {
        let sizes = self.sizes(state, input)?;
        let matrices = [
            &mut jacobian.state,
            &mut jacobian.input,
            &mut jacobian.parameters,
        ];
        for (matrix, columns) in matrices.into_iter().zip(sizes) {
            matrix.reset(sizes[0], columns);
        }
        self.differentiate((state, input, None), sizes, jacobian)?;
        for matrix in [&jacobian.state, &jacobian.input, &jacobian.parameters] {
            InvalidInput::check_finite("derivatives of a step", matrix.values())?;
        }
        Ok(&self.next)
    }

    /// Makes a step from `state` with the inputs `input`, and writes the derivatives of
    /// `covector · [q⁺; v⁺; a⁺; s⁺]`.
    ///
    /// # Errors
    /// As [`TimeSteppingRigidBodySystem::step`], and [`SystemError::Invalid`] when the size of
    /// `covector` is not that of the state, or an entry of it or a derivative not finite.
    pub fn pull_back(
        &mut self,
        state: &State<f64>,
        input: &[f64],
        covector: &[f64],
        gradient: &mut StepGradient,
    ) -> Result<&State<f64>, SystemError> {
        self.pull_back_from((state, input, None), covector, gradient)
    }

    /// As [`Self::pull_back`]; where the state after the step is known, the step is not made again.
    pub(super) fn pull_back_from(
        &mut self,
        (state, input, end): (&State<f64>, &[f64], Option<&State<f64>>),
        covector: &[f64],
        gradient: &mut StepGradient,
    ) -> Result<&State<f64>, SystemError> {
        let sizes = self.sizes(state, input)?;
        InvalidInput::check_size("covector", covector.len(), sizes[0])?;
        InvalidInput::check_finite("covector", covector)?;
        let vectors = [
            &mut gradient.state,
            &mut gradient.input,
            &mut gradient.parameters,
        ];
        for (vector, size) in vectors.into_iter().zip(sizes) {
            reset_vector(vector, size);
        }
        let mut against = Against { covector, gradient };
        self.differentiate((state, input, end), sizes, &mut against)?;
        for vector in [&gradient.state, &gradient.input, &gradient.parameters] {
            InvalidInput::check_finite("derivatives of a step", vector.as_slice())?;
        }
        Ok(&self.next)
    }

    fn sizes(&self, state: &State<f64>, input: &[f64]) -> Result<[usize; 3], SystemError> {
        self.stepper.check_sizes(state, input)?;
        let size = state.sizes().iter().sum();
        let parameters = self.time.map_or(self.num_parameters, |place| place + 1);
        Ok([size, input.len(), parameters])
    }

    /// Makes the step, and writes its derivatives. Decisions of compliant steps are made once.
    fn differentiate(
        &mut self,
        (state, input, end): (&State<f64>, &[f64], Option<&State<f64>>),
        sizes: [usize; 3],
        target: &mut impl Target,
    ) -> Result<(), SystemError> {
        if self.stepper.driven.is_some() {
            return self.differentiate_in_duals((state, input), sizes, target);
        }
        let StepDifferentiator {
            stepper,
            systems,
            still,
            workspace,
            state: seeded,
            input: seeded_input,
            slopes,
            next,
            time,
            ..
        } = self;
        let StepWorkspace {
            solve, evaluation, ..
        } = workspace;
        let mut no_noise = || 0.0;
        let stepper = stepper.stepper();
        let mut is_fast = false;
        let mut subdivision = None;
        if stepper.scheme == Scheme::Compliant {
            solve.begin(stepper.real_context(), state, input)?;
            let found = stepper.subdivision(solve)?;
            if found.count == 1 {
                solve.assemble(stepper.real_context())?;
            }
            subdivision = Some(found);
        }
        let mut solved = None;
        if let Some(Subdivision { count: 1, .. }) = subdivision
            && (end.is_none() || solve.start.actuators_touch)
        {
            match solve.solve(stepper.real_context()) {
                Err(error) if stepper.is_divided_for(&error, solve) => subdivision = None,
                status => solved = Some(status?),
            }
        }
        let mut decisions = match subdivision {
            Some(Subdivision {
                count: 1, margin, ..
            }) => {
                is_fast = solve.start.kinematics.fast_rotation.acts;
                let (status, jacobian) = match (solved, end) {
                    (None, Some(end)) => solve.factor_at(stepper.real_context(), end)?,
                    (None, None) => {
                        let status = solve.solve(stepper.real_context())?;
                        (status, solve.factor(stepper.real_context())?)
                    }
                    (Some(status), _) => (status, solve.factor(stepper.real_context())?),
                };
                let status = StepStatus {
                    parts: 1,
                    division_margin: margin,
                    ..status
                };
                evaluation.status = status;
                Decisions::Made(status, jacobian)
            }
            _ => Decisions::InEachEvaluation(solve),
        };
        let mut analytic = false;
        if let Decisions::Made(_, jacobian) = &decisions
            && jacobian.active.is_empty()
            && !is_fast
            && StepSlopes::are_complete(stepper.system, state)
        {
            let dt = stepper.time_step;
            let machines = (stepper.system, systems[0].system());
            slopes.evaluate(machines, (state, input, dt), jacobian)?;
            target.write(slopes, jacobian)?;
            next.time = state.time + dt;
            (next.v.iter_mut().zip(jacobian.solution())).for_each(|(next, v)| *next = v);
            let (tree, q) = (&stepper.system.tree, state.q.as_slice());
            tree.integrate(q, next.v.as_slice(), dt, next.q.as_mut_slice())?;
            let end = (next.q.as_mut_slice(), next.v.as_mut_slice());
            tree.fly(&evaluation.free, (q, slopes.v_after_forces()), dt, end)?;
            analytic = true;
        }
        // Whether the evaluation starts from the state as a constant.
        let mut is_started = false;
        for directions in Directions::all(sizes, !analytic) {
            let system = match directions {
                Directions::Parameters(first) => &systems[1 + first / CHUNK],
                _ => &systems[0],
            };
            let system = system.stepper();
            if let (Directions::Parameters(first), Decisions::Made(_, jacobian)) =
                (directions, &decisions)
                && let Some(parameters) = still[first / CHUNK].as_ref().filter(|_| analytic)
            {
                let machines = (stepper.system, &system.system.contact);
                slopes.evaluate_parameters(parameters, machines, state, jacobian)?;
                target.write_parameters(first, slopes, jacobian)?;
                continue;
            }
            let is_of_time = time.map(Directions::Parameters) == Some(directions);
            let starts_as_last =
                is_started && !is_of_time && matches!(decisions, Decisions::Made(..));
            is_started = matches!(directions, Directions::Parameters(_));
            if !starts_as_last {
                seed(state, input, (&mut *seeded, &mut *seeded_input), directions);
                if is_of_time {
                    seeded.time = seeded.time.derivative(0);
                }
                system.start(evaluation, seeded, seeded_input)?;
            }
            evaluation.has_results = false;
            let mut shift = Dual::from_re(0.0);
            match &mut decisions {
                Decisions::Made(status, jacobian) => {
                    evaluation.status = *status;
                    evaluation.take(jacobian.solution(), jacobian.found, jacobian.active_rows());
                    let residual = &mut evaluation.residual;
                    residual.clear();
                    residual.resize(evaluation.unknowns.len(), Dual::from_re(0.0));
                    system.balance(evaluation, jacobian, directions)?;
                    match target.multipliers(slopes) {
                        Some(multipliers) if analytic => {
                            let terms = evaluation.residual.iter().zip(multipliers);
                            shift = terms.fold(shift, |sum, (&r, &mu)| sum - r * mu);
                        }
                        _ => evaluation.solve_directions(jacobian)?,
                    }
                    system.move_bodies(evaluation)?;
                    if !analytic {
                        let interval = system.time_step;
                        system.measure(evaluation, &mut no_noise, Some(Sample { interval }))?;
                    }
                }
                Decisions::InEachEvaluation(solve) => {
                    system.advance(solve, evaluation, &mut no_noise)?;
                }
            }
            target.write_chunk(directions, &evaluation.next, shift);
            next.copy_real(&evaluation.next);
        }
        Ok(())
    }
}

impl StepDifferentiator {
    /// Makes the step in duals, [`CHUNK`] directions at a time, and writes its derivatives.
    fn differentiate_in_duals(
        &mut self,
        (state, input): (&State<f64>, &[f64]),
        sizes: [usize; 3],
        target: &mut impl Target,
    ) -> Result<(), SystemError> {
        let (seeded, seeded_input) = (&mut self.state, &mut self.input);
        for directions in Directions::all(sizes, true) {
            let system = match directions {
                Directions::Parameters(first) => &self.systems[1 + first / CHUNK],
                _ => &self.systems[0],
            };
            seed(state, input, (&mut *seeded, &mut *seeded_input), directions);
            if self.time.map(Directions::Parameters) == Some(directions) {
                seeded.time = seeded.time.derivative(0);
            }
            let step = system.step(&mut self.workspace, seeded, seeded_input)?;
            target.write_chunk(directions, step.state(), Dual::from_re(0.0));
            self.next.copy_real(step.state());
        }
        Ok(())
    }
}

impl Stepper<'_, Dual> {
    /// Evaluates the balance of a compliant step at the velocities that `f64` has found, where the residual is zero before.
    ///
    /// Inputs are felt by the forces of actuators alone: for these, bodies and contacts stay where the first
    /// chunk has placed them.
    fn balance(
        &self,
        evaluation: &mut StepEvaluation<Dual>,
        jacobian: &SaddlePoint<'_>,
        directions: Directions,
    ) -> Result<(), SystemError> {
        let StepEvaluation {
            kinematics,
            balance,
            found,
            unknowns,
            residual,
            start,
            input,
            ..
        } = evaluation;
        let (nv, active) = (start.v.len(), jacobian.active.as_slice());
        let interval = self.interval(start, input);
        if !matches!(directions, Directions::Input(first) if first > 0) {
            balance.place(&interval, kinematics, found)?;
        }
        match directions {
            Directions::Input(_) => {
                let of_balance = &mut residual[..nv];
                let bodies = &mut kinematics.bodies;
                balance.actuation(&interval, bodies, &unknowns[..nv], of_balance)
            }
            _ => balance.residual(&interval, kinematics, active, unknowns, residual),
        }
    }
}

impl StepEvaluation<Dual> {
    /// Gives the velocities at the end of a compliant step, and the impulses, their first derivatives, by one
    /// back-substitution in `f64` for all directions of the residual.
    fn solve_directions(&mut self, jacobian: &SaddlePoint<'_>) -> Result<(), SystemError> {
        let StepEvaluation {
            unknowns,
            residual,
            next,
            slopes,
            ..
        } = self;
        slopes.clear();
        slopes.extend(residual.iter().map(|r| -r.eps.0.unwrap_or_default()));
        jacobian.solve_in_place(slopes)?;
        for (x, &slopes) in unknowns.iter_mut().zip(&*slopes) {
            x.eps.0 = Some(slopes);
        }
        next.v.copy_from_slice(&unknowns[..next.v.len()]);
        Ok(())
    }
}
