//! `dualbody gradient`: the gradient of an outcome.

use crate::configuration::positive_time;
use crate::expression::{End, Expression};
use crate::failure::{Failure, Found, Outcome};
use crate::inputs::{InputArgs, Inputs};
use crate::machine::{Machine, MachineArgs};
use crate::motion;
use crate::output;
use crate::progress;
use crate::table::{Table, figure};
use crate::variables::Variables;
use clap::Args;
use dualbody::autodiff::{
    ChunkDual, JacobianChecker, NearestDecision, Verdict, averaged_gradient,
    gradient_with_radius_of,
};
use dualbody::nalgebra::{DMatrix, DVector};
use dualbody::system::{StepKink, TimeSteppingRigidBodySystem};
use dualbody::{Error, Observable, Observer, Scalar};
use serde_json::{Value, json};
use std::fmt::Write;

/// Options of the command.
#[derive(Debug, Args)]
pub struct Gradient {
    #[command(flatten)]
    machine: MachineArgs,
    #[command(flatten)]
    inputs: InputArgs,
    /// The outcome, at the end of the motion
    #[arg(long, value_name = "EXPRESSION", value_parser = Expression::parse)]
    of: Expression,
    /// Parameters, positions and velocities; several with commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',', required = true)]
    by: Vec<String>,
    /// How long, in s
    #[arg(long = "for", value_name = "SECONDS", default_value = "1", allow_negative_numbers = true, value_parser = positive_time)]
    duration: f64,
    /// Half the width over which outcomes are averaged for the smoothed slope: this part of a value,
    /// or of 1 if it is zero
    #[arg(long, value_name = "PART", default_value = "0.01", allow_negative_numbers = true, value_parser = positive_time)]
    width: f64,
    /// How many pairs of outcomes make a smoothed slope; with 0 there is none
    #[arg(long, value_name = "N", default_value = "8")]
    pairs: usize,
    /// Without differences
    #[arg(long)]
    no_differences: bool,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

/// What an outcome depends on.
#[derive(Clone, Copy)]
struct Question<'q> {
    machine: &'q Machine,
    inputs: &'q Inputs,
    steps: usize,
    outcome: &'q Expression,
}

/// A derivative and what stands beside it.
struct Slope {
    derivative: f64,
    /// The largest change for which nothing on the way is decided otherwise, to first order.
    radius: f64,
    nearest: Option<NearestDecision>,
    difference: Option<Result<(f64, f64, Verdict), String>>,
    smoothed: Option<Result<(f64, f64), String>>,
}

impl Gradient {
    /// Does it.
    pub fn run(&self) -> Outcome {
        let machine = self.machine.machine()?;
        let inputs = self.inputs.inputs(&machine.system)?;
        let steps = machine.steps(self.duration)?;
        let variables = Variables::find(&machine.system, &self.by)?;
        let question = Question {
            machine: &machine,
            inputs: &inputs,
            steps,
            outcome: &self.of,
        };
        // Without a motion: whether the names exist.
        (Question {
            steps: 0,
            ..question
        })
        .outcome(&machine.system, &Variables::default(), &[])
        .map_err(Failure::usage)?;

        let line = progress::line();
        line.set_message("outcome and kinks");
        let value = question.outcome(&machine.system, &Variables::default(), &[]);
        let value = value.map_err(Failure::computation)?;
        let kinks = question.nearest_kinks();
        line.set_message("derivatives");
        let dual = machine.system.cast::<ChunkDual>();
        let outcome = |observer: &Observer<ChunkDual>, x: &[ChunkDual]| {
            let mut observed = dual.clone();
            observed.observe(Some(observer.clone()));
            question.outcome(&observed, &variables, x)
        };
        let found = gradient_with_radius_of(outcome, &variables.values())?;
        let mut slopes = Vec::new();
        for (k, variable) in variables.iter().enumerate() {
            let only = variables.only(k);
            line.set_message(format!(
                "differences and smoothed slopes by {}",
                variable.name
            ));
            slopes.push(Slope {
                derivative: found.gradient[k],
                radius: found.radius[k],
                nearest: found.nearest[k].clone(),
                difference: (!self.no_differences)
                    .then(|| question.difference(&only, found.gradient[k])),
                smoothed: (self.pairs > 0)
                    .then(|| question.smoothed(&only, self.width, self.pairs)),
            });
        }
        line.finish_and_clear();
        let is_wrong = |slope: &Slope| matches!(slope.difference, Some(Ok((.., Verdict::Mistake))));
        let found = if slopes.iter().any(is_wrong) {
            Found::No
        } else {
            Found::Yes
        };
        output::print_either(
            self.json,
            || json(&question, value, &variables, &slopes, &kinks),
            || text(value, &variables, &slopes, &kinks),
        )?;
        Ok(found)
    }
}

impl Question<'_> {
    fn outcome<T: Scalar>(
        &self,
        system: &TimeSteppingRigidBodySystem<T>,
        variables: &Variables,
        values: &[T],
    ) -> Result<T, Error> {
        let mut system = system.clone();
        let start = variables.apply(&mut system, &self.machine.start, values)?;
        let (state, output) = motion::end(&system, &start, self.inputs, &[], self.steps)?;
        let end = End {
            system: &system,
            state: &state,
            output: &output,
        };
        self.outcome.evaluate(&end)
    }

    /// By one variable, in units of its scale, so that all have the same tolerance.
    fn difference(
        &self,
        variable: &Variables,
        derivative: f64,
    ) -> Result<(f64, f64, Verdict), String> {
        let scale = variable
            .iter()
            .map(|variable| variable.scale)
            .next()
            .unwrap_or(1.0);
        let checker = JacobianChecker::default()
            .tolerance(1e-5, 1e-9)
            .scales(vec![1.0]);
        let f = |x: &[f64]| {
            let outcome = self.outcome(&self.machine.system, variable, &[x[0] * scale]);
            outcome.map(|y| DVector::from_element(1, y))
        };
        let at: Vec<f64> = variable.values().iter().map(|x| x / scale).collect();
        let claimed = DMatrix::from_element(1, 1, derivative * scale);
        let Ok(check) = checker.check(f, &at, &claimed) else {
            return self.one_sided(variable, scale, derivative);
        };
        let entry = check.entries().first().ok_or("no difference")?;
        Ok((
            entry.difference / scale,
            entry.difference_error / scale,
            entry.verdict,
        ))
    }

    /// Of a variable at a bound: differences to one side, extrapolated twice.
    fn one_sided(
        &self,
        variable: &Variables,
        scale: f64,
        derivative: f64,
    ) -> Result<(f64, f64, Verdict), String> {
        let value = variable.values().first().copied().unwrap_or(0.0);
        let outcome = |change: f64| {
            let found = self.outcome(&self.machine.system, variable, &[value + change]);
            found.map_err(|error| error.to_string())
        };
        let start = outcome(0.0)?;
        let slope = |h: f64| Ok::<_, String>((outcome(h)? - start) / h);
        let h = [1.0, -1.0].map(|side| side * 1e-4 * scale);
        let h = if outcome(h[0]).is_ok() { h[0] } else { h[1] };
        let [a, b, c] = [slope(h)?, slope(h / 2.0)?, slope(h / 4.0)?];
        let (first, second) = (2.0 * b - a, 2.0 * c - b);
        let difference = (4.0 * second - first) / 3.0;
        let round_off = 8.0 * f64::EPSILON * start.abs() / h.abs();
        let error = (difference - second).abs() + round_off;
        let allowed = 1e-9 / scale + 1e-5 * derivative.abs().max(difference.abs()) + error;
        let verdict = match (derivative - difference).abs() <= allowed {
            true => Verdict::Agrees,
            false => Verdict::Unresolved,
        };
        Ok((difference, error, verdict))
    }

    /// The slope of the mean over a width and, where there are no inputs, over the phases of a step.
    fn smoothed(
        &self,
        variable: &Variables,
        width: f64,
        pairs: usize,
    ) -> Result<(f64, f64), String> {
        let scale = variable
            .iter()
            .map(|variable| variable.scale)
            .next()
            .unwrap_or(1.0);
        let (mut point, mut widths) = (variable.values(), vec![width * scale]);
        let needs_outputs = self.machine.system.num_outputs() > 0;
        let in_phases = self.inputs.are_zero() && !needs_outputs;
        if in_phases {
            point.push(0.5);
            widths.push(0.5);
        }
        let f = |x: &[f64]| match in_phases {
            false => self.outcome(&self.machine.system, variable, x),
            true => {
                let mut system = self.machine.system.clone();
                let start = variable.apply(&mut system, &self.machine.start, &x[..1])?;
                let rollout = system.rollout_in_phase(&start, self.steps, x[1])?;
                let end = End {
                    system: &system,
                    state: rollout.last(),
                    output: &[],
                };
                self.outcome.evaluate(&end)
            }
        };
        let slopes = averaged_gradient::<Error>(f, &point, &widths, &[0], pairs);
        let slopes = slopes.map_err(|error| error.to_string())?;
        slopes
            .first()
            .map(|slope| (slope.slope, slope.error))
            .ok_or_else(String::new)
    }

    /// For each unit the nearest kink of the motion, with its step.
    fn nearest_kinks(&self) -> Vec<(usize, StepKink)> {
        let system = &self.machine.system;
        let Ok(mut workspace) = system.workspace() else {
            return Vec::new();
        };
        workspace.set_kink_search(true);
        let control = |_: usize, state: &dualbody::system::State<f64>, input: &mut [f64]| {
            self.inputs.write(state.time, input);
        };
        let rollout = system.rollout_with(&mut workspace, &self.machine.start, self.steps, control);
        rollout.nearest_kinks()
    }
}

fn text(
    value: f64,
    variables: &Variables,
    slopes: &[Slope],
    kinks: &[(usize, StepKink)],
) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "outcome: {}\n", figure(value));
    let mut table = Table::new([
        "by",
        "unit",
        "derivative",
        "radius",
        "difference",
        "its error",
        "verdict",
        "smoothed",
        "its error",
    ]);
    let mut reasons = Vec::new();
    for (variable, slope) in variables.iter().zip(slopes) {
        let mut cells = vec![
            variable.name.clone(),
            variable.unit.clone(),
            figure(slope.derivative),
            figure(slope.radius),
        ];
        cells.extend(match &slope.difference {
            Some(Ok((difference, error, verdict))) => [
                figure(*difference),
                figure(*error),
                verdict_name(*verdict).to_owned(),
            ],
            Some(Err(reason)) => {
                reasons.push(format!("no difference by {}: {reason}", variable.name));
                [String::new(), String::new(), "none".to_owned()]
            }
            None => Default::default(),
        });
        cells.extend(match &slope.smoothed {
            Some(Ok((slope, error))) => [figure(*slope), figure(*error)],
            Some(Err(reason)) => {
                reasons.push(format!("no smoothed slope by {}: {reason}", variable.name));
                Default::default()
            }
            None => Default::default(),
        });
        table.row(cells);
    }
    let _ = writeln!(text, "{table}");
    for (variable, slope) in variables.iter().zip(slopes) {
        if let Some(nearest) = &slope.nearest {
            let _ = writeln!(text, "by {} it holds as far as {nearest}", variable.name);
        }
    }
    for reason in reasons {
        let _ = writeln!(text, "{reason}");
    }
    if !kinks.is_empty() {
        let mut table = Table::new(["nearest kink", "distance", "unit"]);
        for (step, kink) in kinks {
            table.row([
                format!("in step {step}"),
                figure(kink.distance()),
                kink.unit().to_owned(),
            ]);
        }
        let _ = write!(text, "{table}");
    }
    text
}

fn json(
    question: &Question<'_>,
    value: f64,
    variables: &Variables,
    slopes: &[Slope],
    kinks: &[(usize, StepKink)],
) -> Value {
    let derivatives = variables.iter().zip(slopes).map(|(variable, slope)| {
        let difference = slope
            .difference
            .as_ref()
            .map(|difference| match difference {
                Ok((value, error, verdict)) => {
                    json!({"value": value, "error": error, "verdict": verdict_name(*verdict)})
                }
                Err(reason) => json!({"reason": reason}),
            });
        let smoothed = slope.smoothed.as_ref().map(|smoothed| match smoothed {
            Ok((value, error)) => json!({"value": value, "error": error}),
            Err(reason) => json!({"reason": reason}),
        });
        json!({
            "by": variable.name, "unit": variable.unit, "at": variable.value,
            "derivative": slope.derivative, "difference": difference, "smoothed": smoothed,
            // Where nothing is ever decided otherwise it is infinite, which JSON cannot say.
            "radius": slope.radius.is_finite().then_some(slope.radius),
            "nearest_decision": slope.nearest.as_ref().map(ToString::to_string),
        })
    });
    let kinks = kinks.iter().map(
        |(step, kink)| json!({"step": step, "distance": kink.distance(), "unit": kink.unit()}),
    );
    json!({
        "name": question.machine.name,
        "outcome": value,
        "steps": question.steps,
        "time_step": question.machine.system.time_step(),
        "derivatives": derivatives.collect::<Value>(),
        "nearest_kinks": kinks.collect::<Value>(),
    })
}

/// In a word.
pub fn verdict_name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Agrees => "agrees",
        Verdict::Unresolved => "unresolved",
        Verdict::Kink => "kink",
        Verdict::Mistake => "mistake",
    }
}
