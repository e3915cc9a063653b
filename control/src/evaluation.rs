//! Costs and penalties of a stage, with gradient and Gauss–Newton Hessian.

use crate::ControlError;
use crate::dynamics::Dynamics;
use crate::problem::{Role, Term};
use crate::residual::Point;
use crate::stage::Stage;
use dualbody::InvalidInput;
use nalgebra::DMatrix;

/// What a stage adds up to.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Value {
    pub cost: f64,
    /// Of the augmented Lagrangian.
    pub penalty: f64,
    /// The largest excess over a limit.
    pub violation: f64,
    /// The largest change of a multiplier that an update would make, by ρ: besides what is violated, limits that press where
    /// they are not reached (Birgin and Martínez 2014, *Practical Augmented Lagrangian Methods*, ch. 4).
    pub complementarity: f64,
}

/// Of an entry of a constraint.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Multiplier {
    pub value: f64,
    /// Whether the entry depends on nothing but a first state that is given: nothing can be done about it.
    pub is_given: bool,
}

impl Value {
    pub fn add(&mut self, other: &Value) {
        self.cost += other.cost;
        self.penalty += other.penalty;
        self.violation = self.violation.max(other.violation);
        self.complementarity = self.complementarity.max(other.complementarity);
    }
}

/// Number of multipliers that constraints have.
pub(crate) fn count_multipliers<D: Dynamics>(terms: &[Term<D>]) -> usize {
    let constraints = (terms.iter()).filter(|term| matches!(term.role, Role::Constraint(_)));
    constraints.map(|term| term.value.len()).sum()
}

/// The value of a stage.
pub(crate) fn evaluate<D: Dynamics>(
    (terms, at): (&mut [Term<D>], Point<'_, D>),
    multipliers: &[Multiplier],
    penalty: f64,
) -> Result<Value, ControlError> {
    let (mut sum, mut multipliers) = (Value::default(), multipliers.iter());
    for term in terms {
        let Term {
            residual, value, ..
        } = term;
        let checked = residual
            .evaluate(&at, value)
            .and_then(|()| Ok(InvalidInput::check_finite("residual", value)?));
        checked.map_err(ControlError::in_residual(&term.name, at.stage))?;
        for (row, &r) in term.value.iter().enumerate() {
            let (part, _) = term.role.part(row, r, multipliers.by_ref(), penalty);
            sum.add(&part);
        }
        sum.check(term, at.stage)?;
    }
    Ok(sum)
}

/// Marks the entries of the first stage's constraints on which neither this input nor another acts.
pub(crate) fn mark_given<D: Dynamics>(
    (terms, at): (&mut [Term<D>], Point<'_, D>),
    other: &[f64],
    multipliers: &mut [Multiplier],
) {
    let mut first = 0;
    for term in terms {
        let Term {
            residual,
            role: Role::Constraint(_),
            value,
            by_state,
            by_input,
            ..
        } = term
        else {
            continue;
        };
        let own = &mut multipliers[first..first + value.len()];
        first += own.len();
        own.iter_mut().for_each(|it| it.is_given = true);
        for input in [at.input, other] {
            by_state.fill(0.0);
            by_input.fill(0.0);
            let at = Point { input, ..at };
            // What cannot be evaluated says nothing here.
            if residual.linearize(&at, value, by_state, by_input).is_ok() {
                for (it, slopes) in own.iter_mut().zip(by_input.row_iter()) {
                    it.is_given &= slopes.iter().all(|&d| d == 0.0);
                }
            }
        }
    }
}

/// The value of a stage, with gradient and Hessian.
pub(crate) fn linearize<D: Dynamics>(
    (terms, at): (&mut [Term<D>], Point<'_, D>),
    stage: &mut Stage,
    penalty: f64,
) -> Result<(), ControlError> {
    stage.clear();
    let (mut sum, mut first) = (Value::default(), 0);
    for term in terms {
        let Term {
            residual,
            value,
            by_state,
            by_input,
            ..
        } = term;
        by_state.fill(0.0);
        by_input.fill(0.0);
        let checked = residual
            .linearize(&at, value, by_state, by_input)
            .and_then(|()| {
                InvalidInput::check_finite("residual", value)?;
                InvalidInput::check_finite("derivative of the residual", by_state.as_slice())?;
                let by_input = by_input.as_slice();
                Ok(InvalidInput::check_finite(
                    "derivative of the residual",
                    by_input,
                )?)
            });
        checked.map_err(ControlError::in_residual(&term.name, at.stage))?;
        let is_constraint = matches!(term.role, Role::Constraint(_));
        for row in 0..term.value.len() {
            let r = term.value[row];
            let multipliers = &mut stage.multipliers[first..].iter().skip(row);
            let (part, [weight, residual]) = term.role.part(row, r, multipliers, penalty);
            sum.add(&part);
            if weight > 0.0 {
                let matrices = (&term.by_state, &term.by_input);
                add_row(stage, row, matrices, weight, residual, !at.input.is_empty());
            }
        }
        sum.check(term, at.stage)?;
        if is_constraint {
            first += term.value.len();
        }
    }
    stage.value = sum;
    Ok(())
}

/// Adds `Σ w r ∂²r` of all terms to the curvature of a stage.
pub(crate) fn add_curvature<D: Dynamics>(
    (terms, at): (&mut [Term<D>], Point<'_, D>),
    stage: &mut Stage,
    penalty: f64,
) -> Result<(), ControlError> {
    let mut multipliers = stage.multipliers.iter();
    for term in terms {
        let Term {
            name,
            residual,
            role,
            value,
            ..
        } = term;
        let mut covector = || {
            residual.evaluate(&at, value)?;
            for (row, r) in value.iter_mut().enumerate() {
                let (_, [weight, excess]) = role.part(row, *r, multipliers.by_ref(), penalty);
                *r = weight * excess;
            }
            if value.iter().any(|&c| c != 0.0) {
                residual.add_curvature(&at, value, &mut stage.curvature)?;
            }
            Ok(InvalidInput::check_finite(
                "second derivatives",
                stage.curvature.as_slice(),
            )?)
        };
        covector().map_err(ControlError::in_residual(name, at.stage))?;
    }
    Ok(())
}

/// Updates the multipliers of a stage whose residuals have been evaluated.
pub(crate) fn update_multipliers<D: Dynamics>(
    terms: &[Term<D>],
    multipliers: &mut [Multiplier],
    penalty: f64,
) {
    let mut next = multipliers.iter_mut();
    for term in terms {
        if let Role::Constraint(bounds) = &term.role {
            for ((row, r), multiplier) in term.value.iter().enumerate().zip(&mut next) {
                let shifted = r + multiplier.value / penalty;
                if !multiplier.is_given {
                    multiplier.value = penalty * bounds.excess(row, shifted);
                }
            }
        }
    }
}

impl Value {
    /// Whether it is a number, after a term has been added.
    fn check<D: Dynamics>(&self, term: &Term<D>, stage: usize) -> Result<(), ControlError> {
        InvalidInput::check_finite("sum of weighted squares", &[self.cost + self.penalty])
            .map_err(|error| ControlError::in_residual(&term.name, stage)(error.into()))
    }
}

impl Role {
    /// What an entry adds to the value, and the weight and the residual of its square. A constraint takes the next multiplier.
    fn part<'m>(
        &self,
        row: usize,
        r: f64,
        multipliers: &mut impl Iterator<Item = &'m Multiplier>,
        penalty: f64,
    ) -> (Value, [f64; 2]) {
        match self {
            Role::Cost(weights) => {
                let cost = 0.5 * weights[row] * r * r;
                let value = Value {
                    cost,
                    ..Value::default()
                };
                (value, [weights[row], r])
            }
            Role::Constraint(bounds) => {
                let multiplier = multipliers.next().copied().unwrap_or_default();
                if multiplier.is_given {
                    return (Value::default(), [0.0; 2]);
                }
                let shifted = r + multiplier.value / penalty;
                let excess = bounds.excess(row, shifted);
                let value = Value {
                    cost: 0.0,
                    penalty: 0.5 * penalty * excess * excess,
                    violation: bounds.excess(row, r).abs(),
                    complementarity: (r - bounds.clamp(row, shifted)).abs(),
                };
                let is_active = excess != 0.0 || bounds.lower[row] == bounds.upper[row];
                (value, [if is_active { penalty } else { 0.0 }, excess])
            }
        }
    }
}

/// Adds `w ∇r r` to the gradient and `w ∇r ∇rᵀ` to the Hessian.
fn add_row(
    stage: &mut Stage,
    row: usize,
    (by_state, by_input): (&DMatrix<f64>, &DMatrix<f64>),
    weight: f64,
    r: f64,
    has_input: bool,
) {
    for j in 0..by_state.ncols() {
        let dj = weight * by_state[(row, j)];
        if dj != 0.0 {
            stage.gx[j] += dj * r;
            for i in 0..by_state.ncols() {
                stage.hxx[(i, j)] += dj * by_state[(row, i)];
            }
        }
    }
    if !has_input {
        return;
    }
    for j in 0..by_input.ncols() {
        let dj = weight * by_input[(row, j)];
        if dj != 0.0 {
            stage.gu[j] += dj * r;
            for i in 0..by_input.ncols() {
                stage.huu[(i, j)] += dj * by_input[(row, i)];
            }
            for i in 0..by_state.ncols() {
                stage.hux[(j, i)] += dj * by_state[(row, i)];
            }
        }
    }
}
