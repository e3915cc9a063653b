//! Pictures of plans.

use crate::ControlError;
use crate::machine_dynamics::MachineDynamics;
use crate::report::Iteration;
use crate::solver::Solver;
use dualbody::plot::{Chart, Mark};
use dualbody::scene::Scene;
use dualbody::system::{Rollout, State, StepStatus, TimeSteppingRigidBodySystem};

/// Postures that are shown beside the motion.
const GHOSTS: usize = 5;
/// Half the height of a bar of a schedule.
const BAR: f64 = 0.35;
/// Lines of a chart of inputs.
const INPUTS: usize = 4;

impl<D: MachineDynamics> Solver<D> {
    /// What the plan looks like: its motion with forces and events, postures on the way as ghosts, inputs with their limits, when
    /// what touches what, and the cost by iterations, those of [`Solver::history`] or of several solutions one after the other. [`Scene::with_ghost`] adds what the machine does instead.
    ///
    /// # Errors
    /// As [`Rollout::scene`], whose steps are made again.
    pub fn scene(&self, iterations: &[Iteration]) -> Result<Scene, ControlError> {
        let dynamics = &self.problem.dynamics;
        let system = &dynamics.system_at(&self.states()[0])?;
        let parts = self.states().iter().map(|state| dynamics.parts(state).0);
        let (states, inputs): (Vec<_>, _) = (parts.cloned().collect(), self.inputs());
        let statuses = vec![StepStatus::default(); inputs.len()];
        let rollout = Rollout::new(states.clone(), inputs.to_vec(), statuses);
        let mut scene = rollout.scene(system)?.without_charts("Inputs");
        for chart in (self.input_charts(system, &states).into_iter())
            .chain(contact_chart(system, &states, inputs)?)
            .chain(iteration_chart(iterations))
        {
            scene = scene.with_chart(chart);
        }
        let ends = [states[0].time, states[inputs.len()].time];
        let ghosts = GHOSTS.min(inputs.len());
        for k in (1..=ghosts).map(|i| i * inputs.len() / ghosts) {
            // A posture that lasts.
            let posture = ends.map(|time| State {
                time,
                ..states[k].clone()
            });
            let name = format!("at {:.2} s", states[k].time - ends[0]);
            scene = scene.with_ghost(name, Scene::of_states(system, &posture)?);
        }
        Ok(scene)
    }

    fn input_charts(
        &self,
        system: &TimeSteppingRigidBodySystem<f64>,
        states: &[State<f64>],
    ) -> Vec<Chart> {
        let inputs = self.inputs();
        let ends = [states[0].time, states[inputs.len()].time];
        let names = system.input_names();
        let all: Vec<usize> = (0..names.len()).collect();
        let chart = |group: &[usize]| {
            let empty = Chart::new("Inputs and their limits", "time [s]", "");
            group.iter().fold(empty, |chart, &i| {
                // Constant over each step.
                let held = inputs
                    .iter()
                    .zip(states.windows(2))
                    .flat_map(|(u, ends)| [(ends[0].time, u[i]), (ends[1].time - 1e-9, u[i])]);
                let chart = chart.with(&names[i], Mark::Line, held.collect());
                let bounds = &self.problem.input_bounds;
                let limits = [bounds.lower[i], bounds.upper[i]].into_iter();
                let limits = limits.filter(|limit| limit.is_finite());
                limits.fold(chart, |chart, limit| {
                    let line = ends.map(|time| (time, limit));
                    chart.beside("", Mark::Dashes, line.to_vec())
                })
            })
        };
        all.chunks(INPUTS).map(chart).collect()
    }
}

/// When which pair of geometries touches, a bar each.
fn contact_chart(
    system: &TimeSteppingRigidBodySystem<f64>,
    states: &[State<f64>],
    inputs: &[Vec<f64>],
) -> Result<Option<Chart>, ControlError> {
    let mut workspace = system.workspace()?;
    let mut touching = Vec::with_capacity(inputs.len());
    for (state, input) in states.iter().zip(inputs) {
        let mut step = system.step(&mut workspace, state, input)?;
        let pressed = step.contacts()?.iter().filter(|c| c.force.z > 0.0);
        touching.push(pressed.map(|c| c.contact.pair).collect::<Vec<_>>());
    }
    let geometries = system.contact().geometries();
    let pairs = system.contact().pairs().enumerate();
    let pairs = pairs.filter(|(pair, _)| touching.iter().any(|now| now.contains(pair)));
    let empty = Chart::new("Contacts", "time [s]", "").without_ordinates();
    let (mut chart, mut count) = (empty, 0);
    for (pair, (a, b)) in pairs {
        let row = -f64::from(count);
        count += 1;
        let mut bar = Vec::with_capacity(2 * inputs.len());
        for (now, ends) in touching.iter().zip(states.windows(2)) {
            let height = if now.contains(&pair) { BAR } else { 0.0 };
            for time in [ends[0].time, ends[1].time - 1e-9] {
                bar.push((time, row - height, row + height));
            }
        }
        let line = bar.iter().map(|&(time, ..)| (time, row)).collect();
        let name = format!("{}, {}", geometries[a].name, geometries[b].name);
        chart = chart.with(name, Mark::Line, line).with_band("", bar);
    }
    Ok((count > 0).then_some(chart))
}

fn iteration_chart(iterations: &[Iteration]) -> Option<Chart> {
    let costs = iterations.iter().enumerate();
    let costs: Vec<_> = costs.map(|(k, it)| (k as f64 + 1.0, it.cost)).collect();
    let chart = Chart::new("Cost", "iterations", "").with("cost", Mark::Line, costs);
    (!iterations.is_empty()).then(|| chart.logarithmic())
}
