//! First derivatives of a step: as matrices, and applied to a covector.
//!
//! A step takes the state `x = [q; v; a; s]` to `x⁺ = f(x, u, p)` with inputs u and parameters p. What is
//! decided in it (contacts, active rows, the velocities themselves) is decided once, in `f64`; the rest is
//! differentiated. A compliant step finds `v⁺` as the root of a balance whose Jacobian is factored once; its
//! [analytic derivatives](super::derivative) serve for states, inputs and most parameters where they are complete.
//! Everything else is evaluated with duals, [`CHUNK`] directions at a time.

use super::compliant::{CompliantSolution, CompliantSolve, Interval, SaddlePoint};
use super::damping::Dual;
use super::derivative::{
    Against, Directions, ParameterSlopes, SparseStepJacobian, StepGradient, StepJacobian,
    StepSlopes, Target, seed,
};
use super::error::SystemError;
use super::kinematics::StepKinematics;
use super::scheme::Scheme;
use super::state::State;
use super::status::StepStatus;
use super::step::{Step, StepEvaluation, StepWorkspace};
use super::stepper::Stepper;
use super::tangent_jacobian::InCoordinates;
use super::time_stepping::TimeSteppingRigidBodySystem;
use crate::InvalidInput;
use crate::autodiff::CHUNK;
use crate::math::{Factorization, reset_matrix, reset_vector};
use crate::parameter::Parameters;
use crate::tree::Flights;
use nalgebra::DVector;

/// Makes steps in `f64` and gives their first derivatives.
///
/// Derivatives are with respect to the entries of `q`, `v` and the states of actuators and sensors as they
/// are: those along a quaternion are zero for the rotation, and the states of a rollout stay on the unit
/// sphere, so that products of these matrices are the derivatives of several steps.
/// [`tangent_jacobian`](Self::tangent_jacobian) has them by displacements instead. With respect to the length of a step
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
    /// As positions in those of the system.
    parameters: Vec<usize>,
    /// The place after the parameters of the derivative with respect to the time of the state, the first of a chunk of
    /// its own.
    time: Option<usize>,
    workspace: StepWorkspace<Dual>,
    state: State<Dual>,
    input: Vec<Dual>,
    slopes: StepSlopes,
    pub(super) next: State<f64>,
    pub(super) output: DVector<f64>,
    pub(super) in_coordinates: InCoordinates,
}

/// A step to differentiate: where it starts, and where it leads, if that is known.
#[derive(Debug, Clone, Copy)]
pub(super) struct StepAt<'a> {
    pub state: &'a State<f64>,
    pub input: &'a [f64],
    pub end: Option<&'a State<f64>>,
}

impl<'a> StepAt<'a> {
    fn new(state: &'a State<f64>, input: &'a [f64]) -> Self {
        let end = None;
        StepAt { state, input, end }
    }
}

/// A compliant step that has been solved in `f64`.
struct Solved<'s> {
    status: StepStatus,
    jacobian: SaddlePoint<'s>,
    /// Whether bodies that rotate fast carry their momentum over.
    is_fast: bool,
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
        Self::by(stepper, &stepper.parameter_indices(parameters)?)
    }

    /// As [`Self::new`], by parameters at these positions.
    pub(super) fn by(
        stepper: &TimeSteppingRigidBodySystem<f64>,
        parameters: &[usize],
    ) -> Result<Self, SystemError> {
        let constant = stepper.cast::<Dual>();
        let chunks = parameters.len().div_ceil(CHUNK);
        let mut differentiator = StepDifferentiator {
            parameters: parameters.to_vec(),
            time: None,
            workspace: constant.workspace()?,
            state: constant.neutral_state(),
            input: vec![Dual::from_re(0.0); stepper.num_inputs()],
            slopes: StepSlopes::new(stepper, &constant),
            next: stepper.neutral_state(),
            output: DVector::zeros(stepper.num_outputs()),
            in_coordinates: InCoordinates::default(),
            systems: vec![constant; 1 + chunks],
            still: vec![None; chunks],
            stepper: stepper.clone(),
        };
        differentiator.tune(&[])?;
        Ok(differentiator)
    }

    /// Sets parameters of the system by their positions, as [`Parameters::set_parameters`].
    ///
    /// # Errors
    /// As there; the system is then as before.
    pub fn set_parameters(&mut self, values: &[(usize, f64)]) -> Result<(), SystemError> {
        self.stepper.set_parameters(values)?;
        self.tune(values)
    }

    /// Gives the systems in duals values of parameters; those of each chunk are variables of its system.
    fn tune(&mut self, values: &[(usize, f64)]) -> Result<(), SystemError> {
        let constants = (values.iter()).map(|&(index, value)| (index, Dual::from_re(value)));
        let constants: Vec<_> = constants.collect();
        let list = self.stepper.parameters();
        let of_chunks = self.parameters.chunks(CHUNK);
        let chunks = std::iter::once(&[][..]).chain(of_chunks).chain([&[][..]]);
        for (k, (system, chunk)) in self.systems.iter_mut().zip(chunks).enumerate() {
            let mut seeds = constants.clone();
            for (lane, &i) in chunk.iter().enumerate() {
                let direction = Dual::from_re(0.0).derivative(lane);
                let own = &mut seeds[constants.len()..];
                match own.iter_mut().find(|(parameter, _)| *parameter == i) {
                    Some((_, seed)) => *seed += direction,
                    None => seeds.push((i, direction + list[i].value)),
                }
            }
            if !seeds.is_empty() {
                system.set_parameters(&seeds)?;
            }
            if !chunk.is_empty() {
                self.still[k - 1] = ParameterSlopes::new(&mut system.system, chunk.len())?;
            }
        }
        Ok(())
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

    /// The parameters that derivatives are taken with respect to, as positions in those of the system.
    pub(super) fn parameters(&self) -> &[usize] {
        &self.parameters
    }

    /// Number of parameters that derivatives are taken with respect to.
    pub fn num_parameters(&self) -> usize {
        self.parameters.len()
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
        self.differentiate(StepAt::new(state, input), jacobian)
    }

    /// As [`Self::jacobian`], by entries that may not be zero: for bodies that act on few others, time and
    /// memory grow with their number, not with its square; the time does where forces of elements depend on positions or
    /// velocities.
    ///
    /// # Errors
    /// As [`Self::jacobian`].
    pub fn sparse_jacobian(
        &mut self,
        state: &State<f64>,
        input: &[f64],
        jacobian: &mut SparseStepJacobian,
    ) -> Result<&State<f64>, SystemError> {
        self.differentiate(StepAt::new(state, input), jacobian)
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
        self.pull_back_from(StepAt::new(state, input), covector, gradient)
    }

    /// As [`Self::pull_back`]; where the state after the step is known, the step is not made again.
    pub(super) fn pull_back_from(
        &mut self,
        step: StepAt<'_>,
        covector: &[f64],
        gradient: &mut StepGradient,
    ) -> Result<&State<f64>, SystemError> {
        let size = step.state.sizes().iter().sum();
        InvalidInput::check_size("covector", covector.len(), size)?;
        InvalidInput::check_finite("covector", covector)?;
        self.differentiate(step, &mut Against { covector, gradient })
    }

    /// The outputs of the step from `state` with the inputs `input`; writes their derivatives, with rows in the order of
    /// [`output_names`](super::RigidBodySystem::output_names).
    ///
    /// # Errors
    /// As [`Self::jacobian`].
    pub fn output_jacobian(
        &mut self,
        state: &State<f64>,
        input: &[f64],
        jacobian: &mut StepJacobian,
    ) -> Result<&DVector<f64>, SystemError> {
        let step = StepAt::new(state, input);
        let (sizes, outputs) = (self.sizes(step)?, self.stepper.num_outputs());
        for (matrix, columns) in jacobian.matrices().into_iter().zip(sizes) {
            reset_matrix(matrix, outputs, columns);
        }
        if outputs > 0 {
            let mut output = std::mem::take(&mut self.output);
            let made = self.differentiate_in_duals(step, sizes, |directions, step| {
                jacobian.write_rows(directions, step.output().iter().copied());
                output.zip_apply(step.output(), |value, y| *value = y.re);
            });
            self.output = output;
            made?;
        }
        for matrix in jacobian.matrices() {
            InvalidInput::check_finite("derivatives of outputs", matrix.as_slice())?;
        }
        Ok(&self.output)
    }

    /// The product of a covector with the outputs of a step; writes its derivatives.
    pub(super) fn pull_back_outputs(
        &mut self,
        state: &State<f64>,
        input: &[f64],
        covector: &[f64],
        gradient: &mut StepGradient,
    ) -> Result<f64, SystemError> {
        let step = StepAt::new(state, input);
        let sizes = self.sizes(step)?;
        InvalidInput::check_finite("covector of outputs", covector)?;
        for (vector, size) in gradient.vectors().into_iter().zip(sizes) {
            reset_vector(vector, size);
        }
        let mut value = 0.0;
        self.differentiate_in_duals(step, sizes, |directions, step| {
            let products = step.output().iter().zip(covector).map(|(&y, &d)| y * d);
            let sum = products.fold(Dual::from_re(0.0), |sum, product| sum + product);
            value = sum.re;
            gradient.write_chunk(directions, sum);
        })?;
        for vector in gradient.vectors() {
            InvalidInput::check_finite("derivatives of outputs", vector.as_slice())?;
        }
        Ok(value)
    }

    fn sizes(&self, step: StepAt<'_>) -> Result<[usize; 3], SystemError> {
        self.stepper.check_sizes(step.state, step.input)?;
        let size = step.state.sizes().iter().sum();
        let parameters = self.time.map_or(self.parameters.len(), |place| place + 1);
        Ok([size, step.input.len(), parameters])
    }

    /// Makes the step, and writes its derivatives. Decisions of compliant steps are made once.
    pub(super) fn differentiate(
        &mut self,
        step: StepAt<'_>,
        target: &mut impl Target,
    ) -> Result<&State<f64>, SystemError> {
        let sizes = self.sizes(step)?;
        target.reset(sizes);
        if !self.differentiate_at_solution(step, sizes, target)? {
            self.differentiate_in_duals(step, sizes, |directions, made| {
                target.write_chunk(directions, made.state(), Dual::from_re(0.0));
            })?;
        }
        target.check()?;
        Ok(&self.next)
    }

    /// Solves a compliant step in `f64`, and writes derivatives at the solution: by hand where these are complete, and else
    /// by the balance in duals, [`CHUNK`] directions at a time. Returns whether the step is one that is solved once.
    fn differentiate_at_solution(
        &mut self,
        step: StepAt<'_>,
        sizes: [usize; 3],
        target: &mut impl Target,
    ) -> Result<bool, SystemError> {
        if self.stepper.driven.is_some() {
            return Ok(false);
        }
        let (stepper, slopes) = (self.stepper.stepper(), &mut self.slopes);
        let StepWorkspace {
            solve, evaluation, ..
        } = &mut self.workspace;
        let Some(solved) = Solved::new(&stepper, step, (solve, &mut evaluation.real_flights))?
        else {
            return Ok(false);
        };
        let jacobian = &solved.jacobian;
        evaluation.status = solved.status;
        let analytic = solved.is_analytic(&stepper, step);
        if analytic {
            let machines = (&stepper, self.systems[0].system());
            slopes.evaluate(machines, step, jacobian, &mut evaluation.real_flights)?;
            target.write(slopes, jacobian)?;
            slopes.write_end(step, &mut self.next);
        }
        // Whether the evaluation starts from the state as a constant.
        let mut is_constant = false;
        for directions in Directions::all(sizes, !analytic) {
            let system = self.systems[directions.system()].stepper();
            if let Directions::Parameters(first) = directions
                && let Some(parameters) = self.still[first / CHUNK].as_ref().filter(|_| analytic)
            {
                let machines = (stepper.system, system.system);
                slopes.evaluate_parameters(parameters, machines, step.state, jacobian)?;
                target.write_parameters(first, slopes, jacobian)?;
                continue;
            }
            let is_of_time = self.time.map(Directions::Parameters) == Some(directions);
            if !is_constant || is_of_time {
                let seeds = (&mut self.state, &mut self.input[..]);
                seed(step, seeds, directions, is_of_time);
                system.start(evaluation, &self.state, &self.input)?;
            }
            is_constant = matches!(directions, Directions::Parameters(_));
            evaluation.has_results = false;
            let StepEvaluation {
                kinematics,
                compliant,
                start,
                input,
                next,
                ..
            } = &mut *evaluation;
            let interval = system.interval(start, input);
            compliant.evaluate(&interval, kinematics, jacobian, directions)?;
            let mut shift = Dual::from_re(0.0);
            match target.multipliers(slopes) {
                Some(multipliers) if analytic => {
                    let terms = compliant.residual.iter().zip(multipliers);
                    shift = terms.fold(shift, |sum, (&r, &mu)| sum - r * mu);
                }
                _ => compliant.solve_directions(jacobian)?,
            }
            next.v.copy_from_slice(compliant.velocities());
            system.move_bodies(evaluation, true)?;
            if directions == Directions::State(0) {
                system.tell_gain(evaluation)?;
            }
            if !analytic {
                system.measure(evaluation, &mut || 0.0, system.sample())?;
            }
            target.write_chunk(directions, &evaluation.next, shift);
            self.next.copy_real(&evaluation.next);
        }
        Ok(true)
    }

    /// Makes the step in duals, [`CHUNK`] directions at a time.
    fn differentiate_in_duals(
        &mut self,
        step: StepAt<'_>,
        sizes: [usize; 3],
        mut visit: impl FnMut(Directions, &Step<'_, Dual>),
    ) -> Result<(), SystemError> {
        for directions in Directions::all(sizes, true) {
            let seeds = (&mut self.state, &mut self.input[..]);
            let is_of_time = self.time.map(Directions::Parameters) == Some(directions);
            seed(step, seeds, directions, is_of_time);
            let system = &self.systems[directions.system()];
            let made = system.step(&mut self.workspace, &self.state, &self.input)?;
            visit(directions, &made);
            self.next.copy_real(made.state());
        }
        Ok(())
    }
}

impl<'s> Solved<'s> {
    /// Solves a compliant step, unless it is made in substeps, and finds the momenta of mechanisms.
    fn new(
        stepper: &Stepper<'_, f64>,
        step: StepAt<'_>,
        (solve, flights): (&'s mut CompliantSolve, &mut Flights<f64>),
    ) -> Result<Option<Self>, SystemError> {
        if stepper.scheme != Scheme::Compliant {
            return Ok(None);
        }
        let real = stepper.real();
        solve.begin(real, step.state, step.input)?;
        let subdivision = stepper.subdivision(solve)?;
        if subdivision.count > 1 {
            return Ok(None);
        }
        solve.assemble(real)?;
        let is_fast = solve.start.kinematics.fast_rotation.acts;
        let (status, jacobian) = match step.end.filter(|_| !solve.start.actuators_touch) {
            Some(end) => solve.factor_at(real, end, flights)?,
            None => {
                let status = match solve.solve(real) {
                    Err(error) if stepper.is_divided_for(&error, solve) => return Ok(None),
                    status => status?,
                };
                solve.find_momenta(real, flights);
                (status, solve.factor(real)?)
            }
        };
        Ok(Some(Solved {
            status: StepStatus {
                parts: 1,
                division_margin: subdivision.margin,
                ..status
            },
            jacobian,
            is_fast,
        }))
    }

    /// Whether [analytic derivatives](super::derivative) with respect to state and inputs are complete.
    fn is_analytic(&self, stepper: &Stepper<'_, f64>, step: StepAt<'_>) -> bool {
        let depends_on_start = self.is_fast || self.jacobian.depends_on_velocity();
        !depends_on_start && StepSlopes::are_complete(stepper.system, step.state)
    }
}

impl CompliantSolution<Dual> {
    /// Evaluates the balance at the velocities that `f64` has found, where the residual is zero before.
    ///
    /// Inputs are felt by the forces of actuators alone: for these, bodies and contacts stay where the first
    /// chunk has placed them.
    fn evaluate(
        &mut self,
        interval: &Interval<'_, Dual>,
        kinematics: &mut StepKinematics<Dual>,
        jacobian: &SaddlePoint<'_>,
        directions: Directions,
    ) -> Result<(), SystemError> {
        self.take(jacobian.solution(), jacobian.found, jacobian.active_rows());
        let CompliantSolution {
            balance,
            unknowns: x,
            residual,
            ..
        } = self;
        if !matches!(directions, Directions::Input(first) if first > 0) {
            balance.place(interval, kinematics, &self.found)?;
        }
        match directions {
            Directions::Input(_) => {
                let (nv, bodies) = (interval.start.v.len(), &mut kinematics.bodies);
                balance.actuation(interval, bodies, &x[..nv], &mut residual[..nv])
            }
            _ => balance.residual(interval, kinematics, jacobian.active, x, residual),
        }
    }

    /// Gives velocities and impulses their first derivatives, by one back-substitution in `f64` for all directions of the
    /// residual.
    fn solve_directions(&mut self, jacobian: &SaddlePoint<'_>) -> Result<(), SystemError> {
        let slopes = &mut self.slopes;
        slopes.clear();
        slopes.extend(self.residual.iter().map(|r| -r.eps.0.unwrap_or_default()));
        jacobian.solve_in_place(slopes)?;
        for (x, &slopes) in self.unknowns.iter_mut().zip(&*slopes) {
            x.eps.0 = Some(slopes);
        }
        Ok(())
    }
}
