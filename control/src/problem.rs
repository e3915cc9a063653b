//! The optimal control problem.

use crate::ControlError;
use crate::bounds::Bounds;
use crate::dynamics::Dynamics;
use crate::residual::{Point, Residual};
use crate::start::Start;
use dualbody::InvalidInput;
use nalgebra::DMatrix;

/// Over N stages from a state x₀,
///
/// ```text
/// min Σₖ Σ ½ wᵢ rᵢ(xₖ, uₖ)² + Σ ½ wᵢ rᵢ(x_N)²
/// xₖ₊₁ = f(xₖ, uₖ),    l ≤ u ≤ h,    l ≤ c(x, u) ≤ h,    l ≤ x₀ ⊖ x̄ ≤ h
/// ```
///
/// with sums over the entries of all costs by name. The first state is x̄, but for entries that are
/// [free](Self::free_start). Limits of inputs and of the first state hold in every iterate; all other limits are approached by
/// multipliers. Weights of running costs are those of a stage: what is meant by time is multiplied by its length.
#[derive(Debug, Clone)]
pub struct Problem<D: Dynamics> {
    pub(crate) dynamics: D,
    pub(crate) horizon: usize,
    /// By how many stages the horizon has receded.
    pub(crate) moved: usize,
    pub(crate) initial: D::State,
    pub(crate) start_bounds: Bounds,
    /// The entries whose limits stay where they are when the initial state is another.
    pub(crate) absolute_starts: Vec<usize>,
    /// The state that their limits are relative to.
    pub(crate) bounded_at: D::State,
    /// Into how many equal parts first states are divided that move by the same displacement.
    pub(crate) start_parts: usize,
    pub(crate) running: Vec<Term<D>>,
    pub(crate) terminal: Vec<Term<D>>,
    pub(crate) input_bounds: Bounds,
}

/// A cost or a constraint.
#[derive(Debug, Clone)]
pub(crate) struct Term<D: Dynamics> {
    pub name: String,
    pub residual: Box<dyn Residual<D>>,
    pub role: Role,
    pub value: Vec<f64>,
    pub by_state: DMatrix<f64>,
    pub by_input: DMatrix<f64>,
}

/// What a residual is for.
#[derive(Debug, Clone)]
pub(crate) enum Role {
    /// With these weights.
    Cost(Vec<f64>),
    Constraint(Bounds),
}

impl<D: Dynamics> Problem<D> {
    /// Without costs and limits, over `horizon` stages from the state `initial`.
    ///
    /// # Errors
    /// For a horizon of no stages or more than a million.
    pub fn new(dynamics: D, horizon: usize, initial: D::State) -> Result<Self, ControlError> {
        let stages = [horizon as f64];
        InvalidInput::check_range("horizon", &stages, "from 1 to 1e6 stages", |n| {
            (1.0..=1e6).contains(&n)
        })?;
        Ok(Problem {
            input_bounds: Bounds::none(dynamics.num_inputs()),
            start_bounds: Bounds::zero(dynamics.num_displacements()),
            absolute_starts: Vec::new(),
            start_parts: 1,
            dynamics,
            horizon,
            moved: 0,
            bounded_at: initial.clone(),
            initial,
            running: Vec::new(),
            terminal: Vec::new(),
        })
    }

    /// Adds the cost `½ Σ wᵢ rᵢ²` of every stage.
    ///
    /// # Errors
    /// For a name that is taken, another number of weights than entries, and weights that are negative or not finite.
    pub fn running_cost(
        mut self,
        name: &str,
        residual: impl Residual<D> + 'static,
        weights: Vec<f64>,
    ) -> Result<Self, ControlError> {
        let term = self.term(name, residual, |size| Role::cost(size, weights))?;
        self.running.push(term);
        Ok(self)
    }

    /// Adds the cost `½ Σ wᵢ rᵢ²` of the last state.
    ///
    /// # Errors
    /// As [`Self::running_cost`].
    pub fn terminal_cost(
        mut self,
        name: &str,
        residual: impl Residual<D> + 'static,
        weights: Vec<f64>,
    ) -> Result<Self, ControlError> {
        let term = self.term(name, residual, |size| Role::cost(size, weights))?;
        self.terminal.push(term);
        Ok(self)
    }

    /// Adds limits `l ≤ r ≤ h` for every stage: equal ones for an equality, infinite ones for none. At the first stage, entries
    /// on which no input acts are left out where the first state is given, because nothing can be done about them.
    ///
    /// # Errors
    /// For a name that is taken, other numbers of limits than entries, NaN, and limits that nothing satisfies.
    pub fn running_constraint(
        mut self,
        name: &str,
        residual: impl Residual<D> + 'static,
        lower: Vec<f64>,
        upper: Vec<f64>,
    ) -> Result<Self, ControlError> {
        let term = self.term(name, residual, |size| {
            Ok(Role::Constraint(Bounds::new(name, size, lower, upper)?))
        })?;
        self.running.push(term);
        Ok(self)
    }

    /// Adds limits `l ≤ r ≤ h` for the last state.
    ///
    /// # Errors
    /// As [`Self::running_constraint`].
    pub fn terminal_constraint(
        mut self,
        name: &str,
        residual: impl Residual<D> + 'static,
        lower: Vec<f64>,
        upper: Vec<f64>,
    ) -> Result<Self, ControlError> {
        let term = self.term(name, residual, |size| {
            Ok(Role::Constraint(Bounds::new(name, size, lower, upper)?))
        })?;
        self.terminal.push(term);
        Ok(self)
    }

    /// Sets limits of the inputs, m entries each.
    ///
    /// # Errors
    /// For other sizes, NaN, and limits that nothing satisfies.
    pub fn input_limits(mut self, lower: Vec<f64>, upper: Vec<f64>) -> Result<Self, ControlError> {
        let m = self.dynamics.num_inputs();
        self.input_bounds = Bounds::new("input", m, lower, upper)?;
        Ok(self)
    }

    /// Frees the first state within limits of its displacement from the initial one, n entries each: zeros for what is given,
    /// infinite ones for what may be anything. Turns of a floating body are counted from the initial state.
    ///
    /// # Errors
    /// As [`Self::input_limits`].
    pub fn free_start(mut self, lower: Vec<f64>, upper: Vec<f64>) -> Result<Self, ControlError> {
        let n = self.dynamics.num_displacements();
        let mut bounds = Bounds::new("first state", n, lower, upper)?;
        for &entry in &self.absolute_starts {
            bounds.lower[entry] = self.start_bounds.lower[entry];
            bounds.upper[entry] = self.start_bounds.upper[entry];
        }
        self.start_bounds = bounds;
        Ok(self)
    }

    /// The dynamics.
    pub fn dynamics(&self) -> &D {
        &self.dynamics
    }

    /// Number of stages.
    pub fn horizon(&self) -> usize {
        self.horizon
    }

    /// The state at the start, x̄, but for what is free of it.
    pub fn initial(&self) -> &D::State {
        &self.initial
    }

    /// The terms of a stage, and where they are evaluated.
    pub(crate) fn at<'a>(
        &'a mut self,
        stage: usize,
        state: &'a D::State,
        input: &'a [f64],
    ) -> (&'a mut [Term<D>], Point<'a, D>) {
        let (terms, input) = match stage == self.horizon {
            true => (&mut self.terminal, &[][..]),
            false => (&mut self.running, input),
        };
        let at = Point {
            dynamics: &self.dynamics,
            stage,
            moved: self.moved,
            state,
            input,
        };
        (terms, at)
    }

    /// Whether nothing of the first state is free.
    pub(crate) fn start_is_given(&self) -> bool {
        let Bounds { lower, upper } = &self.start_bounds;
        lower.iter().chain(upper).all(|&limit| limit == 0.0)
    }

    pub(crate) fn start(&self) -> Start<'_, D::State> {
        Start {
            initial: &self.initial,
            bounds: &self.start_bounds,
            parts: self.start_parts,
        }
    }

    fn term(
        &self,
        name: &str,
        residual: impl Residual<D> + 'static,
        role: impl FnOnce(usize) -> Result<Role, ControlError>,
    ) -> Result<Term<D>, ControlError> {
        if (self.running.iter().chain(&self.terminal)).any(|term| term.name == name) {
            return Err(ControlError::DuplicateName {
                name: name.to_owned(),
            });
        }
        let size = residual.size(&self.dynamics);
        Ok(Term {
            name: name.to_owned(),
            residual: Box::new(residual),
            role: role(size)?,
            value: vec![0.0; size],
            by_state: DMatrix::zeros(size, self.dynamics.num_displacements()),
            by_input: DMatrix::zeros(size, self.dynamics.num_inputs()),
        })
    }
}

impl Role {
    fn cost(size: usize, weights: Vec<f64>) -> Result<Self, ControlError> {
        InvalidInput::check_size("weights", weights.len(), size)?;
        InvalidInput::check_range("weights", &weights, "finite and not negative", |w| {
            w >= 0.0 && w.is_finite()
        })?;
        Ok(Role::Cost(weights))
    }
}
