//! `dualbody check`: Jacobians compared with finite differences.

use crate::failure::{Failure, Found, Outcome};
use crate::inputs::{InputArgs, Inputs};
use crate::machine::{Machine, MachineArgs};
use crate::motion;
use crate::output;
use crate::progress;
use crate::table::{Table, figure};
use crate::variables::Variables;
use clap::Args;
use dualbody::autodiff::{JacobianCheck, JacobianChecker, Verdict};
use dualbody::nalgebra::{DMatrix, DVector};
use dualbody::system::{Scheme, State, StepDifferentiator, StepJacobian};
use dualbody::{Error, Parameters};
use serde_json::{Value, json};
use std::fmt::Write;

/// Options of the command.
#[derive(Debug, Args)]
pub struct Check {
    #[command(flatten)]
    machine: MachineArgs,
    #[command(flatten)]
    inputs: InputArgs,
    /// At how many states of a motion from the start, which is the first
    #[arg(long, value_name = "N", default_value = "3", value_parser = clap::value_parser!(u16).range(1..=1000))]
    states: u16,
    /// How many steps from one of them to the next
    #[arg(long, value_name = "N", default_value = "50", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    steps: u32,
    /// Without derivatives by parameters
    #[arg(long)]
    no_parameters: bool,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

/// How far derivatives may be from differences: relative, and absolute.
const TOLERANCE: (f64, f64) = (1e-5, 1e-7);
/// Changes over which steps are taken for smooth: in rad, m, rad/s, m/s.
const SCALE: f64 = 0.1;
/// What energies may be off by, relative to the largest.
const ENERGY: f64 = 1e-6;
/// A mass matrix with a larger condition number is singular for all practical purposes.
const CONDITION: f64 = 1e12;
/// Bodies may overlap by so many m at the start without a remark.
const OVERLAP: f64 = 1e-3;

/// Something that was looked at.
#[derive(Debug)]
struct Finding {
    what: String,
    verdict: Judgement,
    detail: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Judgement {
    Good,
    /// To be known.
    Note,
    Wrong,
}

impl Judgement {
    fn name(self) -> &'static str {
        match self {
            Judgement::Good => "good",
            Judgement::Note => "note",
            Judgement::Wrong => "WRONG",
        }
    }
}

impl Check {
    /// Does it.
    pub fn run(&self) -> Outcome {
        let machine = self.machine.machine()?;
        let inputs = self.inputs.inputs(&machine.system)?;
        let mut findings = start(&machine)?;
        let line = progress::line();
        let mut state = machine.start.clone();
        for k in 0..self.states {
            if k > 0 {
                let steps = self.steps as usize;
                state = motion::end(&machine.system, &state, &inputs, &[], steps)?.0;
            }
            let at = format!("{} s", figure(state.time));
            line.set_message(format!("derivatives at {at}"));
            findings.push(mass_matrix(&machine, &state, &at)?);
            findings.push(by_state_and_input(&machine, &state, &inputs, &at)?);
            if !self.no_parameters {
                findings.push(by_parameters(&machine, &state, &inputs, &at)?);
            }
        }
        line.set_message("energies");
        findings.push(energies(&machine, &inputs, self.steps as usize));
        line.finish_and_clear();

        let is_wrong = findings
            .iter()
            .any(|finding| finding.verdict == Judgement::Wrong);
        output::print_either(self.json, || json(&machine, &findings), || text(&findings))?;
        Ok(if is_wrong { Found::No } else { Found::Yes })
    }
}

/// What is to be known of the machine where it starts.
fn start(machine: &Machine) -> Outcome<Vec<Finding>> {
    let (system, tree, state) = (&machine.system, machine.system.tree(), &machine.start);
    let mut findings = Vec::new();
    let violation = system
        .constraint_violation(state)
        .map_err(Failure::computation)?;
    if let Some(violation) = violation.filter(|violation| violation.error > 1e-9) {
        let (name, row) = (&violation.constraint, violation.row);
        findings.push(Finding {
            what: "constraints at the start".to_owned(),
            verdict: Judgement::Note,
            detail: format!("row {row} of {name} is off by {}", figure(violation.error)),
        });
    }
    let mut placed = tree.workspace();
    let set = tree.set_state(&mut placed, state.q.as_slice(), state.v.as_slice());
    set.map_err(Failure::computation)?;
    let contacts = system
        .contact()
        .contacts(tree, &placed, 0.0)
        .map_err(Failure::computation)?;
    let deepest = contacts
        .iter()
        .max_by(|a, b| a.penetration.total_cmp(&b.penetration));
    if let Some(contact) = deepest.filter(|contact| contact.penetration > OVERLAP) {
        let name = |body| tree.body(body).map_or("", |body| body.name());
        let (a, b) = (name(contact.body_a), name(contact.body_b));
        findings.push(Finding {
            what: "overlaps at the start".to_owned(),
            verdict: Judgement::Note,
            detail: format!(
                "{} points, the deepest {} m of {a} in {b}",
                contacts.len(),
                figure(contact.penetration)
            ),
        });
    }
    if let Some(recommended) = system
        .recommended_time_step()
        .filter(|r| r.time_step < system.time_step())
    {
        findings.push(Finding {
            what: "time step".to_owned(),
            verdict: Judgement::Note,
            detail: format!(
                "{} s do not resolve impacts: {recommended}",
                figure(system.time_step())
            ),
        });
    }
    Ok(findings)
}

/// Whether all coordinates have inertia.
fn mass_matrix(machine: &Machine, state: &State<f64>, at: &str) -> Outcome<Finding> {
    let tree = machine.system.tree();
    let (nv, mut placed) = (tree.num_velocities(), tree.workspace());
    let mut mass = DMatrix::zeros(nv, nv);
    tree.set_state(&mut placed, state.q.as_slice(), state.v.as_slice())
        .map_err(Failure::computation)?;
    tree.mass_matrix(&mut placed, &mut mass)
        .map_err(Failure::computation)?;
    // In units in which every coordinate has the same inertia, so that m and rad can be compared.
    let diagonal = mass.diagonal();
    let scaled = DMatrix::from_fn(nv, nv, |i, j| {
        let size = (diagonal[i] * diagonal[j]).sqrt();
        if size > 0.0 { mass[(i, j)] / size } else { 0.0 }
    });
    let eigenvalues = scaled.symmetric_eigenvalues();
    let (least, largest) = (eigenvalues.min(), eigenvalues.max());
    let condition = if nv == 0 { 1.0 } else { largest / least };
    let is_singular = nv > 0 && !(least > 0.0 && condition < CONDITION);
    let without: Vec<_> = (tree.joints())
        .filter(|joint| joint.mimic().is_none())
        .filter(|joint| {
            let range = joint.velocity_start()..joint.velocity_start() + joint.num_velocities();
            diagonal.as_slice()[range].contains(&0.0)
        })
        .map(|joint| joint.name())
        .collect();
    let mut detail = format!("condition number {}", figure(condition));
    if !without.is_empty() {
        let _ = write!(detail, "; nothing moves with {}", without.join(", "));
    }
    Ok(Finding {
        what: format!("mass matrix at {at}"),
        verdict: if is_singular {
            Judgement::Wrong
        } else {
            Judgement::Good
        },
        detail,
    })
}

/// A, B, C, D of a step.
fn by_state_and_input(
    machine: &Machine,
    state: &State<f64>,
    inputs: &Inputs,
    at: &str,
) -> Outcome<Finding> {
    let system = &machine.system;
    let input = inputs.at(state.time);
    let model = system
        .linearize(state, &input)
        .map_err(Failure::computation)?;
    let (nx, nu, rows) = (
        model.a.ncols(),
        input.len(),
        model.a.nrows() + model.c.nrows(),
    );
    let mut claimed = DMatrix::zeros(rows, nx + nu);
    for ((i, j), block) in [
        ((0, 0), &model.a),
        ((0, nx), &model.b),
        ((nx, 0), &model.c),
        ((nx, nx), &model.d),
    ] {
        claimed.view_mut((i, j), block.shape()).copy_from(block);
    }
    let step = |x: &[f64]| {
        let from = motion::displaced(system, state, &x[..nx])?;
        let added: Vec<f64> = x[nx..].to_vec();
        let (next, output) = motion::end(system, &from, inputs, &added, 1)?;
        let difference = system.displacement(&model.base, &next)?;
        Ok::<_, Error>(DVector::from_iterator(
            rows,
            difference.iter().copied().chain(output),
        ))
    };
    let checker = checker().scales(vec![SCALE; nx + nu]);
    let check = checker.check(step, &vec![0.0; nx + nu], &claimed)?;
    let rows: Vec<_> = model.states.iter().chain(&model.outputs).cloned().collect();
    let columns: Vec<_> = model.states.iter().chain(&model.inputs).cloned().collect();
    let mut counts = Counts::default();
    counts.add(&check, &rows, |column| &columns[column]);
    Ok(counts.finding(format!("derivatives of a step at {at}")))
}

/// The derivatives of the next state by all parameters.
fn by_parameters(
    machine: &Machine,
    state: &State<f64>,
    inputs: &Inputs,
    at: &str,
) -> Outcome<Finding> {
    let system = &machine.system;
    let variables = Variables::parameters(system)?;
    let names: Vec<&str> = variables
        .iter()
        .map(|variable| variable.name.as_str())
        .collect();
    let input = inputs.at(state.time);
    let mut jacobian = StepJacobian::default();
    let mut differentiator =
        StepDifferentiator::new(system, &names).map_err(Failure::computation)?;
    differentiator
        .jacobian(state, &input, &mut jacobian)
        .map_err(Failure::computation)?;
    let entries = |state: &State<f64>| state.iter().skip(1).copied().collect::<Vec<f64>>();
    let rows: Vec<String> = (0..jacobian.parameters.nrows())
        .map(|i| format!("entry {i} of the state"))
        .collect();
    let mut counts = Counts::default();
    let mut workspace = system.workspace().map_err(Failure::computation)?;
    for (k, variable) in variables.iter().enumerate() {
        let index = system
            .parameter_index(&variable.name)
            .map_err(Failure::computation)?;
        let mut varied = system.clone();
        // By the part by which a value changes, so that all have the same tolerance.
        let step = |x: &[f64]| {
            varied.set_parameters(&[(index, x[0] * variable.scale)])?;
            let next = varied.step(&mut workspace, state, &input)?;
            Ok::<_, Error>(DVector::from_vec(entries(next.state())))
        };
        let claimed = jacobian.parameters.columns(k, 1) * variable.scale;
        let at = [variable.value / variable.scale];
        match checker().scales(vec![SCALE]).check(step, &at, &claimed) {
            Ok(check) => counts.add(&check, &rows, |_| &variable.name),
            // At a bound, or where no body can have the inertia beside it.
            Err(_) => counts.at_bounds += 1,
        }
    }
    Ok(counts.finding(format!("derivatives by parameters at {at}")))
}

fn checker() -> JacobianChecker {
    let (relative, absolute) = TOLERANCE;
    JacobianChecker::default().tolerance(relative, absolute)
}

/// How many entries of Jacobians are what.
#[derive(Debug, Default)]
struct Counts {
    agree: usize,
    unresolved: usize,
    kinks: usize,
    mistakes: usize,
    at_bounds: usize,
    worst: Option<(f64, String)>,
}

impl Counts {
    fn add<'n>(
        &mut self,
        check: &JacobianCheck,
        rows: &[String],
        column: impl Fn(usize) -> &'n String,
    ) {
        for entry in check.entries() {
            match entry.verdict {
                Verdict::Agrees => self.agree += 1,
                Verdict::Unresolved => self.unresolved += 1,
                Verdict::Kink => self.kinks += 1,
                Verdict::Mistake => {
                    self.mistakes += 1;
                    if self
                        .worst
                        .as_ref()
                        .is_none_or(|(excess, _)| entry.excess > *excess)
                    {
                        let (row, column) = (&rows[entry.row], column(entry.column));
                        let (claimed, difference) =
                            (figure(entry.claimed), figure(entry.difference));
                        let detail =
                            format!("{row} by {column} is {claimed}, the difference {difference}");
                        self.worst = Some((entry.excess, detail));
                    }
                }
            }
        }
    }

    fn finding(self, what: String) -> Finding {
        let mut parts = vec![format!("{} agree with differences", self.agree)];
        for (count, words) in [
            (self.kinks, "at kinks"),
            (self.unresolved, "cannot be told"),
            (self.at_bounds, "parameters at a bound"),
            (self.mistakes, "do not agree"),
        ] {
            if count > 0 {
                parts.push(format!("{count} {words}"));
            }
        }
        parts.extend(self.worst.map(|(_, detail)| detail));
        Finding {
            what,
            verdict: if self.mistakes > 0 {
                Judgement::Wrong
            } else {
                Judgement::Good
            },
            detail: parts.join(", "),
        }
    }
}

/// Whether the ledger of energies adds up over steps.
fn energies(machine: &Machine, inputs: &Inputs, steps: usize) -> Finding {
    let what = format!("energies of {steps} steps");
    match largest_gap(machine, inputs, steps) {
        Ok((gap, size)) => {
            let is_exact = !matches!(machine.system.scheme(), Scheme::Continuous { .. });
            let is_large = gap > ENERGY * size;
            Finding {
                what,
                verdict: match (is_large, is_exact) {
                    (false, _) => Judgement::Good,
                    (true, true) => Judgement::Wrong,
                    (true, false) => Judgement::Note,
                },
                detail: format!("add up but for {} J, of {} J", figure(gap), figure(size)),
            }
        }
        Err(error) => Finding {
            what,
            verdict: Judgement::Note,
            detail: error.to_string(),
        },
    }
}

/// What no entry accounts for in a step, and the largest energy, in J.
fn largest_gap(machine: &Machine, inputs: &Inputs, steps: usize) -> Result<(f64, f64), Error> {
    let system = &machine.system;
    let mut workspace = system.workspace()?;
    let mut state = machine.start.clone();
    let (mut gap, mut size) = (0.0f64, 1e-3f64);
    for _ in 0..steps {
        let mut step = system.step(&mut workspace, &state, &inputs.at(state.time))?;
        let ledger = step.energy()?;
        gap = gap.max((ledger.residual() + ledger.loss.total()).abs());
        for x in [
            ledger.kinetic.end,
            ledger.gravitational.end,
            ledger.stored_in_contact.end,
        ] {
            size = size.max(x.abs());
        }
        let next = step.state().clone();
        state = next;
    }
    Ok((gap, size))
}

fn text(findings: &[Finding]) -> String {
    let mut table = Table::new(["what", "", "found"]);
    for finding in findings {
        table.row([&finding.what, finding.verdict.name(), &finding.detail]);
    }
    table.to_string()
}

fn json(machine: &Machine, findings: &[Finding]) -> Value {
    let list = findings.iter().map(|finding| {
        json!({
            "what": finding.what,
            "verdict": finding.verdict.name().to_lowercase(),
            "detail": finding.detail,
        })
    });
    json!({"name": machine.name, "findings": list.collect::<Value>()})
}
