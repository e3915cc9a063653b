//! What is planned with.

use crate::array::{numbers, wrong_shape};
use crate::error::{Failure, Outcome};
use crate::system::Stepper;
use dualbody::nalgebra::DMatrix;
use dualbody_control::{AveragedSlopes, Design, Dynamics, machines_over};
use pyo3::prelude::*;

/// A machine some of whose parameters may be found with the motion, and whose slopes may be averaged.
pub type PlannedMachine = AveragedSlopes<Design>;

/// A machine with parameters by name, and its own slopes.
pub fn planned(stepper: &Stepper, parameters: &[&str]) -> Outcome<PlannedMachine> {
    averaged(stepper, parameters, &[], 1)
}

/// A machine whose slopes are averaged over half the width along each displacement and input; over none of its parameters.
pub fn averaged(
    stepper: &Stepper,
    parameters: &[&str],
    half_widths: &[f64],
    pairs: usize,
) -> Outcome<PlannedMachine> {
    let design = Design::new(stepper, parameters)?;
    let (n, m) = (design.num_displacements(), design.num_inputs());
    let of_machine = n - parameters.len();
    let mut of_displacements = vec![0.0; n];
    let mut of_inputs = vec![0.0; m];
    if !half_widths.is_empty() {
        of_displacements[..of_machine].copy_from_slice(&half_widths[..of_machine]);
        of_inputs.copy_from_slice(&half_widths[of_machine..]);
    }
    Ok(AveragedSlopes::new(
        design,
        &of_displacements,
        &of_inputs,
        pairs,
    )?)
}

/// Machines over the covariance (p, p) of other parameters than those that are found.
pub fn planned_over(
    stepper: &Stepper,
    found: &[&str],
    uncertain: &[String],
    covariance: &Bound<'_, PyAny>,
) -> Outcome<Vec<PlannedMachine>> {
    let names: Vec<&str> = uncertain.iter().map(String::as_str).collect();
    if let Some(name) = names.iter().find(|name| found.contains(name)) {
        let text = format!("parameters: {name:?} is found with the motion");
        return Err(Failure::argument(text));
    }
    let (p, read) = (names.len(), numbers(covariance, "covariance")?);
    if p == 0 || read.shape != [p, p] {
        let expected = format!("({p}, {p}) of at least one parameter");
        return Err(wrong_shape("covariance", &read.shape, &expected));
    }
    let covariance = DMatrix::from_row_slice(p, p, &read.finite("covariance")?);
    let machines = machines_over(stepper, &names, &covariance)?;
    let planned = machines
        .iter()
        .map(|machine| planned(machine.system(), found));
    planned.collect()
}
