//! One list of singular states, and every component in each of them: values and derivatives of the first
//! three orders are finite and those of the function, or they are those of one side of a kink that the
//! result names.
//!
//! Along a curve through the state, derivatives of several kinds of scalars are compared with each other, and
//! with one-sided differences of the order below. The binary `scalars` has the same states with every kind.

mod components;
mod evaluate;
mod shapes;
mod states;

use super::other_scalars::OtherScalars;
use crate::elements::every_element::{Element, Machine};
use crate::support::probe::Probe;
use dualbody::{DefaultScalar, Scalar};
use evaluate::{Curve, Outcome, Task, evaluate};
use num_dual::*;

/// Steps of the differences; one of them has to be right.
const STEPS: [f64; 6] = [1e-4, 1e-5, 3e-6, 2e-6, 1e-6, 1e-7];

/// How far they may be from derivatives of first, second, third order: slopes of derivatives show the round-off of
/// these, which is more than that of values.
const DIFFERENCES: [f64; 3] = [3e-5, 1e-4, 2e-4];

/// How far derivatives of first, second, third order may differ between scalars, by round-off.
const AGREEMENT: [f64; 3] = [1e-9, 1e-8, 1e-7];

/// Extrapolates a function from one side to 0, with its slope there: from its values at h, 2 h, 3 h.
fn extrapolated([a, b, c]: [f64; 3], h: f64) -> [f64; 2] {
    [3.0 * (a - b) + c, (8.0 * b - 5.0 * a - 3.0 * c) / (2.0 * h)]
}

/// The parameters of the differences, by steps, sides, and multiples.
fn samples() -> Vec<f64> {
    let sides = |h: f64| {
        [1.0, -1.0]
            .into_iter()
            .flat_map(move |side| [1.0, 2.0, 3.0].map(|k| side * k * h))
    };
    STEPS.into_iter().flat_map(sides).collect()
}

/// Names what fails.
fn report(failures: &[String]) {
    let count = failures.len();
    assert!(count == 0, "{count} failures\n{}", failures.join("\n"));
}

/// Machines that can be built in every scalar, also in those to which none can be cast.
pub trait Build {
    fn build<T: Scalar>(&self) -> Vec<Element<T>>;
}

/// A task at a state.
pub struct Check<'a> {
    machine: &'a Machine,
    /// The same machine, by its number, in other scalars.
    others: &'a OtherScalars,
    number: usize,
    task: Task,
    curve: &'a Curve,
    /// Whether more than two pieces of the function may meet, as where flat parts touch: a derivative is then
    /// that of one of them, and only jumps of first derivatives are said.
    many_sided: bool,
    /// The highest order that is compared; derivatives of higher orders are finite.
    orders: usize,
}

impl Check<'_> {
    /// Values and derivatives at the state, with the kink.
    fn at_state<T: Probe>(&self, machine: &Machine<T>) -> Result<Outcome<T>, String> {
        let at = [T::along(0.0, 1.0)];
        evaluate(machine, self.task, self.curve, &at).remove(0)
    }

    /// The derivative of some order of each value around the state, from both sides: `[side][value]` with
    /// limit and slope for each length of the differences. Without those that cannot be evaluated.
    fn around<T: Probe + DefaultScalar>(&self, order: usize) -> Vec<[Vec<[f64; 2]>; 2]> {
        let at: Vec<T> = samples().into_iter().map(|s| T::along(s, 1.0)).collect();
        let all = evaluate(&self.machine.cast(), self.task, self.curve, &at);
        let part = |x: &T| match order {
            0 => x.re(),
            _ => x.derivatives()[order - 1],
        };
        let mut found = Vec::new();
        for (six, h) in all.chunks(6).zip(STEPS) {
            let Ok(six) = six.iter().cloned().collect::<Result<Vec<_>, _>>() else {
                continue;
            };
            let side = |three: &[Outcome<T>], h: f64| {
                let values = (0..three[0].values.len())
                    .map(|i| extrapolated([0, 1, 2].map(|k| part(&three[k].values[i])), h));
                values.collect::<Vec<_>>()
            };
            found.push([side(&six[..3], h), side(&six[3..], -h)]);
        }
        found
    }

    /// Compares the derivatives of an order with slopes of those of the order below.
    fn compare<T: Probe + DefaultScalar>(
        &self,
        order: usize,
        derivatives: &[Vec<f64>],
        jump: Option<usize>,
    ) -> Result<(), String> {
        // The function itself jumps: there is nothing to compare with.
        if jump == Some(0) {
            return Ok(());
        }
        let around = self.around::<T>(order - 1);
        if around.is_empty() {
            return Ok(());
        }
        let largest = |sides: &[Vec<[f64; 2]>; 2]| {
            let slopes = sides.iter().flatten().map(|[_, slope]| slope.abs());
            slopes.fold(1.0, f64::max)
        };
        let own = derivatives.iter().map(|d| d[order - 1]);
        let tolerance =
            DIFFERENCES[order - 1] * own.fold(largest(&around[0]), |m, d| m.max(d.abs()));
        for (i, derivatives) in derivatives.iter().enumerate() {
            let d = derivatives[order - 1];
            let distance = |k: usize| {
                let of = |sides: &[Vec<[f64; 2]>; 2]| {
                    let expected = match k {
                        0 | 1 => sides[k][i][1],
                        _ => 0.5 * (sides[0][i][1] + sides[1][i][1]),
                    };
                    (d - expected).abs()
                };
                around.iter().map(of).fold(f64::INFINITY, f64::min)
            };
            let [plus, minus, mean] = [0, 1, 2].map(distance);
            if plus <= tolerance && minus <= tolerance {
                continue;
            }
            let slopes = around.iter().map(|s| [s[0][i][1], s[1][i][1]]);
            let slopes: Vec<_> = slopes.collect();
            let said = jump.is_some_and(|jump| jump <= order);
            if plus.min(minus).min(mean) > tolerance && !(self.many_sided && said) {
                return Err(format!(
                    "order {order} of value {i}: {d}, sides {slopes:?}, said: {jump:?}"
                ));
            }
            if !(said || self.many_sided && order > 1) {
                return Err(format!(
                    "order {order} of value {i} is one-sided, {d} of {slopes:?}, but the result says: {jump:?}"
                ));
            }
        }
        Ok(())
    }

    /// Whether values and derivatives of the machine in another scalar are those in `f64` and in `Dual3_64`.
    pub fn agree<T: Probe>(
        &self,
        machine: &Machine<T>,
        expected: &Result<Vec<Vec<f64>>, String>,
        values: &[f64],
    ) -> Result<(), String> {
        let found = self.at_state(machine);
        let scalar = std::any::type_name::<T>();
        let (found, expected) = match (found, expected) {
            (Ok(found), Ok(expected)) => (found.values, expected),
            (Err(_), Err(_)) => return Ok(()),
            (found, _) => return Err(format!("{scalar}: {found:?}")),
        };
        let scale = (expected.iter().flatten()).fold(1.0f64, |m, e| m.max(e.abs()));
        for (i, (x, expected)) in found.iter().zip(expected).enumerate() {
            if x.re().to_bits() != values[i].to_bits() {
                return Err(format!(
                    "value {i} is {} with {scalar}, {} with f64",
                    x.re(),
                    values[i]
                ));
            }
            for (order, (d, e)) in x.derivatives().iter().zip(expected).enumerate() {
                let compared = order < self.orders;
                if !d.is_finite() || compared && (d - e).abs() > AGREEMENT[order] * scale {
                    let order = order + 1;
                    return Err(format!(
                        "order {order} of value {i}: {d} with {scalar}, {e} with Dual3_64"
                    ));
                }
            }
        }
        Ok(())
    }

    fn agree_after_cast<T: Probe + DefaultScalar>(
        &self,
        expected: &Result<Vec<Vec<f64>>, String>,
        values: &[f64],
    ) -> Result<(), String> {
        self.agree::<T>(&self.machine.cast(), expected, values)
    }

    /// Whether duals leave the values as they are.
    fn keeps_bits(&self) -> Result<(), String> {
        let plain = self.at_state(self.machine);
        let dual = self.at_state::<Dual64>(&self.machine.cast());
        let bits = |outcome: Result<Vec<f64>, String>| {
            outcome.map(|values| values.iter().map(|x| x.to_bits()).collect::<Vec<_>>())
        };
        let plain = bits(plain.map(|outcome| outcome.values));
        let dual = bits(dual.map(|outcome| outcome.values.iter().map(|x| x.re).collect()));
        match plain.ok() == dual.ok() {
            true => Ok(()),
            false => Err("duals change bits".to_owned()),
        }
    }

    /// Whether there is a result; what is wrong with it.
    fn run(&self) -> Result<bool, String> {
        let plain = self.at_state(self.machine);
        let highest = self.at_state::<Dual3_64>(&self.machine.cast());
        let values = match &plain {
            Ok(outcome) => outcome.values.clone(),
            Err(_) => vec![],
        };
        let expected = (highest.as_ref()).map_err(Clone::clone).map(|outcome| {
            let values = outcome.values.iter();
            values.map(|x| x.derivatives()).collect::<Vec<_>>()
        });
        if plain.is_ok() != expected.is_ok() {
            return Err(format!("f64: {plain:?}, Dual3_64: {highest:?}"));
        }
        self.agree_after_cast::<Dual3_64>(&expected, &values)?;
        self.agree_after_cast::<Dual64>(&expected, &values)?;
        self.agree_after_cast::<DualSVec64<8>>(&expected, &values)?;
        self.agree_after_cast::<Dual2_64>(&expected, &values)?;
        (self.others).agree(self, self.number, &expected, &values)?;
        let (Ok(derivatives), Ok(outcome)) = (expected, plain) else {
            return Ok(false);
        };
        self.compare::<f64>(1, &derivatives, outcome.jump)?;
        if self.orders > 1 {
            self.compare::<Dual64>(2, &derivatives, outcome.jump)?;
        }
        if self.orders > 2 {
            self.compare::<Dual2_64>(3, &derivatives, outcome.jump)?;
        }
        Ok(true)
    }
}
