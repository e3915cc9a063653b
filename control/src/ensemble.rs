//! Plans that are good on average over machines of which one does not know which it is.
//!
//! Costs and limits of a problem on members i = 1…S that share the inputs are
//!
//! ```text
//! J = 1/S Σᵢ Jᵢ(u),      xₖ₊₁⁽ⁱ⁾ = fᵢ(xₖ⁽ⁱ⁾, uₖ),      l ≤ c(x⁽ⁱ⁾, u) ≤ h for all i
//! ```

use crate::ControlError;
use crate::bounds::Bounds;
use crate::design::indices_of_different;
use crate::dynamics::Dynamics;
use crate::machine::Machine;
use crate::matrix::{check_shape, check_symmetric, positive_definite};
use crate::problem::{Problem, Role, Term};
use crate::residual::{Point, Residual};
use dualbody::system::TimeSteppingRigidBodySystem;
use dualbody::{InvalidInput, Parameters};
use nalgebra::DMatrix;

/// Members that move each on its own, by the same inputs; the states are theirs, one after the other.
///
/// The gains of a plan are those of one who sees all members, which nobody does: solve the problem of one machine from the
/// inputs of the ensemble for gains, and see by [`Solver::costs_on`](crate::Solver::costs_on) what they are worth.
#[derive(Debug, Clone)]
pub struct Ensemble<D> {
    members: Vec<D>,
    /// Derivatives of a member.
    a: DMatrix<f64>,
    b: DMatrix<f64>,
}

impl<D: Dynamics> Ensemble<D> {
    /// Of members of the same sizes and steps.
    ///
    /// # Errors
    /// Without members, and for other sizes and steps.
    pub fn new(members: Vec<D>) -> Result<Self, ControlError> {
        let count = [members.len() as f64];
        InvalidInput::check_range("number of members", &count, "at least 1", |n| n >= 1.0)?;
        let (n, m) = (members[0].num_displacements(), members[0].num_inputs());
        for member in &members {
            InvalidInput::check_size("displacements of a member", member.num_displacements(), n)?;
            InvalidInput::check_size("inputs of a member", member.num_inputs(), m)?;
            let (length, words) = ([member.time_step()], "that of the first member");
            let first = members[0].time_step();
            InvalidInput::check_range("time step of a member", &length, words, |h| h == first)?;
        }
        Ok(Ensemble {
            members,
            a: DMatrix::zeros(n, n),
            b: DMatrix::zeros(n, m),
        })
    }

    /// The members.
    pub fn members(&self) -> &[D] {
        &self.members
    }

    fn check(&self, states: &[D::State]) -> Result<(), InvalidInput> {
        InvalidInput::check_size("states of members", states.len(), self.members.len())
    }

    /// Number of displacements of a member.
    fn size(&self) -> usize {
        self.a.nrows()
    }
}

impl<D: Dynamics> Dynamics for Ensemble<D> {
    type State = Vec<D::State>;

    fn num_displacements(&self) -> usize {
        self.members.len() * self.size()
    }

    fn num_inputs(&self) -> usize {
        self.b.ncols()
    }

    fn time_step(&self) -> f64 {
        self.members[0].time_step()
    }

    fn displace(
        &self,
        states: &Vec<D::State>,
        displacement: &[f64],
        to: &mut Vec<D::State>,
    ) -> Result<(), ControlError> {
        self.check(states)?;
        self.check(to)?;
        let size = self.num_displacements();
        InvalidInput::check_size("displacement", displacement.len(), size)?;
        for (i, member) in self.members.iter().enumerate() {
            let own = &displacement[i * self.size()..(i + 1) * self.size()];
            member.displace(&states[i], own, &mut to[i])?;
        }
        Ok(())
    }

    fn difference(
        &self,
        from: &Vec<D::State>,
        to: &Vec<D::State>,
        displacement: &mut [f64],
    ) -> Result<(), ControlError> {
        self.check(from)?;
        self.check(to)?;
        let size = self.num_displacements();
        InvalidInput::check_size("displacement", displacement.len(), size)?;
        for (i, member) in self.members.iter().enumerate() {
            let own = &mut displacement[i * self.size()..(i + 1) * self.size()];
            member.difference(&from[i], &to[i], own)?;
        }
        Ok(())
    }

    fn difference_derivative(
        &self,
        from: &Vec<D::State>,
        to: &Vec<D::State>,
        derivative: &mut DMatrix<f64>,
    ) -> Result<(), ControlError> {
        self.check(from)?;
        self.check(to)?;
        let size = self.num_displacements();
        check_shape("derivative", derivative, (size, size))?;
        let mut own = self.a.clone();
        derivative.fill(0.0);
        for (i, member) in self.members.iter().enumerate() {
            member.difference_derivative(&from[i], &to[i], &mut own)?;
            let place = (i * self.size(), i * self.size());
            derivative.view_mut(place, own.shape()).copy_from(&own);
        }
        Ok(())
    }

    fn advance_clock(&self, states: &mut Vec<D::State>, time: f64) {
        for (member, state) in self.members.iter().zip(states) {
            member.advance_clock(state, time);
        }
    }

    fn set_clock(&self, states: &mut Vec<D::State>, before: &Vec<D::State>, time: f64) {
        for (member, (state, before)) in self.members.iter().zip(states.iter_mut().zip(before)) {
            member.set_clock(state, before, time);
        }
    }

    fn step(
        &mut self,
        states: &Vec<D::State>,
        input: &[f64],
        next: &mut Vec<D::State>,
    ) -> Result<(), ControlError> {
        self.check(states)?;
        self.check(next)?;
        let ends = states.iter().zip(next);
        for (member, (state, next)) in self.members.iter_mut().zip(ends) {
            member.step(state, input, next)?;
        }
        Ok(())
    }

    fn linearize(
        &mut self,
        states: &Vec<D::State>,
        input: &[f64],
        next: &mut Vec<D::State>,
        a: &mut DMatrix<f64>,
        b: &mut DMatrix<f64>,
    ) -> Result<(), ControlError> {
        self.check(states)?;
        self.check(next)?;
        let (size, all) = (self.size(), self.num_displacements());
        check_shape("A", a, (all, all))?;
        check_shape("B", b, (all, self.num_inputs()))?;
        a.fill(0.0);
        for (i, member) in self.members.iter_mut().enumerate() {
            member.linearize(&states[i], input, &mut next[i], &mut self.a, &mut self.b)?;
            let place = (i * size, i * size);
            a.view_mut(place, self.a.shape()).copy_from(&self.a);
            b.rows_mut(i * size, size).copy_from(&self.b);
        }
        Ok(())
    }

    fn add_curvature(
        &mut self,
        states: &Vec<D::State>,
        input: &[f64],
        covector: &[f64],
        curvature: &mut DMatrix<f64>,
    ) -> Result<(), ControlError> {
        self.check(states)?;
        let size = self.size();
        let both = size + input.len();
        let all = self.num_displacements();
        InvalidInput::check_size("covector", covector.len(), all)?;
        check_shape(
            "curvature",
            curvature,
            (all + input.len(), all + input.len()),
        )?;
        let mut own = DMatrix::zeros(both, both);
        for (i, member) in self.members.iter_mut().enumerate() {
            own.fill(0.0);
            let covector = &covector[i * size..(i + 1) * size];
            member.add_curvature(&states[i], input, covector, &mut own)?;
            add_of_member(&own, (i, size), curvature);
        }
        Ok(())
    }
}

/// Adds second derivatives in `[δx; δu]` of a member of so many displacements to those of all.
fn add_of_member(own: &DMatrix<f64>, (member, size): (usize, usize), all: &mut DMatrix<f64>) {
    let inputs = all.nrows() - (own.nrows() - size);
    let place = |i: usize| match i.checked_sub(size) {
        None => member * size + i,
        Some(input) => inputs + input,
    };
    for j in 0..own.ncols() {
        for i in 0..own.nrows() {
            all[(place(i), place(j))] += own[(i, j)];
        }
    }
}

/// A residual of each member.
#[derive(Debug, Clone)]
struct OfEach<D: Dynamics> {
    residuals: Vec<Box<dyn Residual<D>>>,
    by_state: DMatrix<f64>,
    by_input: DMatrix<f64>,
}

impl<D: Dynamics + 'static> OfEach<D> {
    fn new(residual: &dyn Residual<D>, members: &[D]) -> Self {
        let (n, m) = (members[0].num_displacements(), members[0].num_inputs());
        let size = residual.size(&members[0]);
        let followed = members.iter().map(|member| {
            let mut own = residual.boxed();
            own.follow(member);
            own
        });
        OfEach {
            residuals: followed.collect(),
            by_state: DMatrix::zeros(size, n),
            by_input: DMatrix::zeros(size, m),
        }
    }

    fn check(&self, at: &Point<'_, Ensemble<D>>) -> Result<(), InvalidInput> {
        let members = at.dynamics.members.len();
        InvalidInput::check_size("members", members, self.residuals.len())
    }
}

/// Where the residual of a member is evaluated.
fn place<'a, D: Dynamics>(at: &Point<'a, Ensemble<D>>, member: usize) -> Point<'a, D> {
    Point {
        dynamics: &at.dynamics.members[member],
        stage: at.stage,
        moved: at.moved,
        state: &at.state[member],
        input: at.input,
    }
}

impl<D: Dynamics + 'static> Residual<Ensemble<D>> for OfEach<D> {
    fn size(&self, dynamics: &Ensemble<D>) -> usize {
        let sizes = self.residuals.iter().zip(&dynamics.members);
        sizes.map(|(residual, member)| residual.size(member)).sum()
    }

    fn follow(&mut self, dynamics: &Ensemble<D>) {
        for (residual, member) in self.residuals.iter_mut().zip(&dynamics.members) {
            residual.follow(member);
        }
    }

    fn evaluate(
        &mut self,
        at: &Point<'_, Ensemble<D>>,
        value: &mut [f64],
    ) -> Result<(), ControlError> {
        self.check(at)?;
        let size = self.by_state.nrows();
        for (i, residual) in self.residuals.iter_mut().enumerate() {
            residual.evaluate(&place(at, i), &mut value[i * size..(i + 1) * size])?;
        }
        Ok(())
    }

    fn linearize(
        &mut self,
        at: &Point<'_, Ensemble<D>>,
        value: &mut [f64],
        by_state: &mut DMatrix<f64>,
        by_input: &mut DMatrix<f64>,
    ) -> Result<(), ControlError> {
        self.check(at)?;
        let (size, n) = self.by_state.shape();
        for (i, residual) in self.residuals.iter_mut().enumerate() {
            let (x, u) = (&mut self.by_state, &mut self.by_input);
            x.fill(0.0);
            u.fill(0.0);
            let own = &mut value[i * size..(i + 1) * size];
            residual.linearize(&place(at, i), own, x, u)?;
            by_state.view_mut((i * size, i * n), (size, n)).copy_from(x);
            by_input.rows_mut(i * size, size).copy_from(u);
        }
        Ok(())
    }

    fn add_curvature(
        &mut self,
        at: &Point<'_, Ensemble<D>>,
        covector: &[f64],
        curvature: &mut DMatrix<f64>,
    ) -> Result<(), ControlError> {
        let (size, n) = self.by_state.shape();
        let both = n + at.input.len();
        let mut own = DMatrix::zeros(both, both);
        for (i, residual) in self.residuals.iter_mut().enumerate() {
            own.fill(0.0);
            let covector = &covector[i * size..(i + 1) * size];
            residual.add_curvature(&place(at, i), covector, &mut own)?;
            add_of_member(&own, (i, n), curvature);
        }
        Ok(())
    }
}

impl<D: Dynamics + 'static> Problem<D> {
    /// The problem of inputs that are good on average over members, with limits that hold on all of them. Members start alike, from
    /// the initial state: what is [free](Self::free_start) of it, and the parameters of a [`Design`](crate::Design), are the same
    /// for all.
    ///
    /// # Errors
    /// As [`Ensemble::new`], and for members of other sizes.
    pub fn expected_over(self, members: Vec<D>) -> Result<Problem<Ensemble<D>>, ControlError> {
        let sizes = |dynamics: &D| (dynamics.num_displacements(), dynamics.num_inputs());
        let (n, m) = sizes(&self.dynamics);
        for member in &members {
            let (displacements, inputs) = sizes(member);
            InvalidInput::check_size("displacements of a member", displacements, n)?;
            InvalidInput::check_size("inputs of a member", inputs, m)?;
        }
        let ensemble = Ensemble::new(members)?;
        let count = ensemble.members.len();
        let of_each = |terms: &[Term<D>]| -> Vec<Term<Ensemble<D>>> {
            let of_each = |term: &Term<D>| Term {
                name: term.name.clone(),
                role: match &term.role {
                    Role::Cost(weights) => {
                        let mean: Vec<_> = weights.iter().map(|w| w / count as f64).collect();
                        Role::Cost(mean.repeat(count))
                    }
                    Role::Constraint(bounds) => Role::Constraint(Bounds {
                        lower: bounds.lower.repeat(count),
                        upper: bounds.upper.repeat(count),
                    }),
                },
                value: term.value.repeat(count),
                by_state: DMatrix::zeros(count * term.value.len(), count * n),
                by_input: DMatrix::zeros(count * term.value.len(), m),
                residual: Box::new(OfEach::new(&*term.residual, &ensemble.members)),
            };
            terms.iter().map(of_each).collect()
        };
        Ok(Problem {
            running: of_each(&self.running),
            terminal: of_each(&self.terminal),
            horizon: self.horizon,
            moved: self.moved,
            bounded_at: vec![self.bounded_at; count],
            initial: vec![self.initial; count],
            start_bounds: Bounds {
                lower: self.start_bounds.lower.repeat(count),
                upper: self.start_bounds.upper.repeat(count),
            },
            absolute_starts: (0..count)
                .flat_map(|i| self.absolute_starts.iter().map(move |entry| i * n + entry))
                .collect(),
            start_parts: count * self.start_parts,
            input_bounds: self.input_bounds,
            dynamics: ensemble,
        })
    }
}

/// Machines whose parameters, p of them by name, have the mean and the covariance of an estimate, p×p in the products of their
/// units: 2p of them, at `±√p` times the columns of the Cholesky factor from the values of the system. Means of polynomials up
/// to the third degree in the parameters are exact (Arasaratnam and Haykin 2009, *IEEE Transactions on Automatic Control* 54,
/// 1254–1269).
///
/// # Errors
/// For an unknown name, one that is there twice, a covariance that does not fit or is not positive definite, and values that the
/// machine rejects.
pub fn machines_over(
    system: &TimeSteppingRigidBodySystem<f64>,
    parameters: &[&str],
    covariance: &DMatrix<f64>,
) -> Result<Vec<Machine>, ControlError> {
    let p = parameters.len();
    let positions = indices_of_different(system, parameters)?;
    let list = system.parameters();
    check_symmetric("covariance", covariance, p)?;
    positive_definite("covariance", covariance)?;
    let factor = nalgebra::Cholesky::new_unchecked(covariance.clone()).l();
    let mut machines = Vec::with_capacity(2 * p);
    for column in factor.column_iter() {
        for side in [(p as f64).sqrt(), -(p as f64).sqrt()] {
            let moved =
                (positions.iter().zip(&column)).map(|(&i, d)| (i, list[i].value + side * d));
            let values: Vec<_> = moved.collect();
            let mut member = system.clone();
            member.set_parameters(&values)?;
            machines.push(Machine::new(&member)?);
        }
    }
    Ok(machines)
}
