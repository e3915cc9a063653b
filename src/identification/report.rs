//! A fit as text.

use super::determinability::Direction;
use super::fit::{Consequence, Fit, Iteration, Status, StopReason};
use super::gauss_newton::Bound;
use super::verdict::Verdict;
use std::collections::BTreeMap;
use std::fmt;

/// A share of the data in an estimate that is worth a word.
const SHARE_TOLD: f64 = 0.995;

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            StopReason::Gradient => "at a minimum, the gradient vanishes",
            StopReason::Step => "at a minimum, the step vanishes",
            StopReason::CostReduction => "at a minimum, the cost does not fall further",
            StopReason::BelowNoise => {
                "at a minimum as far as the noise can tell, further steps bring next to nothing"
            }
            StopReason::MaxIterations => "not at a minimum, the limit of steps is reached",
            StopReason::Callback => "stopped by the callback",
            StopReason::Blocked => {
                "not at a minimum, an experiment fails at every step that reduces the cost"
            }
            StopReason::NoDescent => "not at a smooth minimum, no step reduces the cost",
        })
    }
}

impl fmt::Display for Iteration {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let cost = Figure(self.cost, 5);
        write!(f, "step {}: ", self.number)?;
        match self.accepted {
            true => write!(f, "cost {cost}")?,
            false if self.trial_cost.is_finite() => {
                write!(
                    f,
                    "not taken, cost {} there, {cost} here",
                    Figure(self.trial_cost, 5)
                )?;
            }
            false => write!(f, "not taken, no cost there, {cost} here")?,
        }
        match self.expected_reduction > 0.0 {
            true => write!(f, ", {} less expected", Figure(self.expected_reduction, 2)),
            false => Ok(()),
        }
    }
}

impl fmt::Display for Fit {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(f, "{} (steps: {})", self.stop, self.iterations.len())?;
        if let Some(advice) = self.stop.advice() {
            writeln!(f, "what to do: {advice}")?;
        }
        write!(
            f,
            "cost {} (at the start {}), residuals: {}, experiments: {}",
            Figure(self.cost, 6),
            Figure(self.initial_cost, 6),
            self.residual_count,
            self.experiment_count,
        )?;
        if let Some(deviation) = self.residual_standard_deviation() {
            write!(f, ", residual standard deviation {}", Figure(deviation, 4))?;
        }
        writeln!(f)?;
        let name_width = self.estimates.iter().map(|e| e.name.chars().count());
        let width = name_width.max().unwrap_or(0).max("unknown".len());
        writeln!(
            f,
            "{:width$}  {:>14}  {:>11}  {:>27}  unit",
            "unknown", "estimate", "std. error", "95 % interval"
        )?;
        for (i, estimate) in self.estimates.iter().enumerate() {
            write!(f, "{:width$}  ", estimate.name)?;
            write!(f, "{:>14}  ", Figure(estimate.value, 8).to_string())?;
            match (estimate.standard_error, self.confidence_interval(i, 0.95)) {
                (Some(error), Ok(Some((low, high)))) => {
                    let interval = format!("[{}, {}]", Figure(low, 5), Figure(high, 5));
                    write!(f, "{:>11}  {interval:>27}", Figure(error, 3).to_string())?;
                }
                _ => {
                    let status = match estimate.status {
                        Status::Determined if !self.stop.is_converged() => {
                            "not at a minimum".to_owned()
                        }
                        status => status.to_string(),
                    };
                    write!(f, "{:>11}  {status:>27}", "none")?;
                }
            }
            write!(f, "  {}", estimate.unit)?;
            if let Some(relative) = estimate.relative_standard_error {
                write!(f, " (± {} %)", Figure(100.0 * relative, 3))?;
            }
            if matches!(self.verdict(i), Some(Verdict::PoorlyDetermined { .. })) {
                write!(f, ", poorly determined")?;
            }
            if let Some(share) = estimate.data_share.filter(|share| *share < SHARE_TOLD) {
                let percent = Figure(100.0 * share, 2);
                match estimate.status {
                    Status::HeldByPrior => {
                        write!(f, ", {}: {percent} % by the data", estimate.status)?
                    }
                    _ => write!(f, ", {percent} % by the data")?,
                }
            }
            writeln!(f)?;
        }
        self.write_findings(f)?;
        for e in self.autocorrelated() {
            writeln!(
                f,
                "standard errors are wrong: the residuals of experiment {e} are autocorrelated"
            )?;
        }
        self.write_correlated(f)?;
        self.write_failures(f)
    }
}

impl Fit {
    /// The standard errors that count what residuals have in common with their neighbours.
    fn write_correlated(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for (estimate, unknown) in self.estimates.iter().zip(&self.unknowns) {
            if let Some(error) = estimate.correlated_standard_error {
                let (name, unit) = (unknown.name(), &estimate.unit);
                writeln!(
                    f,
                    "with what neighbouring residuals have in common: {name} ± {} {unit}",
                    Figure(error, 3)
                )?;
            }
        }
        Ok(())
    }

    fn write_findings(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let findings = &self.determinability;
        writeln!(
            f,
            "condition number {}",
            Figure(findings.condition_number(), 3)
        )?;
        for direction in &findings.undetermined {
            write!(f, "not determined by the data:")?;
            self.write_direction(f, direction)?;
            self.write_remedy(f, direction)?;
        }
        if let (Some(weakest), true) = (&findings.weakest, findings.condition_number() > 1e3) {
            write!(f, "hardest to tell from the data:")?;
            self.write_direction(f, weakest)?;
        }
        for i in 0..self.estimates.len() {
            for j in 0..i {
                if let Some(correlation) = self.correlation(i, j).filter(|c| c.abs() > 0.95) {
                    let (a, b) = (&self.estimates[j].name, &self.estimates[i].name);
                    writeln!(f, "correlation of {a} and {b}: {correlation:.4}")?;
                }
            }
        }
        Ok(())
    }

    fn write_direction(&self, f: &mut fmt::Formatter, direction: &Direction) -> fmt::Result {
        for (k, &(j, change)) in direction.changes.iter().enumerate() {
            let separator = if k == 0 { "" } else { "," };
            let sign = if change < 0.0 { '−' } else { '+' };
            let unknown = &self.unknowns[j];
            let size = Figure(change.abs(), 4);
            write!(
                f,
                "{separator} {} {sign} {size} {}",
                unknown.name(),
                unknown.unit()
            )?;
        }
        writeln!(f)
    }

    /// Which unknowns would have to be known.
    fn write_remedy(&self, f: &mut fmt::Formatter, direction: &Direction) -> fmt::Result {
        let changes = self.changes(&direction.changes);
        let named = changes.iter().map(|change| match change.relative {
            Some(relative) => {
                let sign = if relative < 0.0 { '−' } else { '+' };
                let percent = Figure(100.0 * relative.abs(), 3);
                format!("{} ({sign} {percent} %)", change.unknown)
            }
            None => change.unknown.clone(),
        });
        let named = named.collect::<Vec<_>>().join(", ");
        match changes.len() {
            0 => Ok(()),
            1 => writeln!(f, "  fix it, or say what is known of it: {named}"),
            _ => writeln!(f, "  fix one of these, or tie them to each other: {named}"),
        }
    }

    fn write_failures(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let mut rejected = BTreeMap::new();
        for failure in &self.failures {
            match failure.consequence {
                Consequence::LeftOut => {
                    writeln!(
                        f,
                        "left out: experiment {}, {}",
                        failure.experiment, failure.cause
                    )?;
                }
                Consequence::StepRejected => {
                    let (count, last) = rejected.entry(failure.experiment).or_insert((0, failure));
                    (*count, *last) = (*count + 1, failure);
                }
            }
        }
        for (experiment, (count, last)) in rejected {
            writeln!(
                f,
                "experiment {experiment} failed {count} times during steps that were not taken, \
                 last in step {}: {}",
                last.iteration, last.cause
            )?;
        }
        Ok(())
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Status::Determined => "determined",
            Status::HeldByPrior => "held by the prior",
            Status::Fixed => "fixed",
            Status::Undetermined => "not determined",
            Status::AtBound(Bound::Lower) => "at its lower bound",
            Status::AtBound(Bound::Upper) => "at its upper bound",
        })
    }
}

/// A number with so many significant digits.
struct Figure(f64, usize);

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Figure(x, digits) = *self;
        let exponent = if x == 0.0 {
            0.0
        } else {
            x.abs().log10().floor()
        };
        if (-4.0..digits as f64).contains(&exponent) {
            let decimals = (digits as f64 - 1.0 - exponent).max(0.0) as usize;
            write!(f, "{x:.decimals$}")
        } else {
            write!(f, "{x:.*e}", digits - 1)
        }
    }
}
