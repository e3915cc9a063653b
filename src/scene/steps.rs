//! Scenes of steps, with the forces that acted in them.

use super::forces::step_forces;
use super::motion::frames;
use super::scene::Scene;
use crate::plot::{Chart, Mark};
use crate::system::{Recording, Rollout, State, SystemError, TimeSteppingRigidBodySystem};
use crate::{InvalidInput, Scalar};
use nalgebra::DVector;

impl Scene {
    /// With forces, kinks and energies of the steps from states with inputs.
    fn of_steps(
        system: &TimeSteppingRigidBodySystem<f64>,
        states: &[State<f64>],
        inputs: &[&[f64]],
    ) -> Result<Self, SystemError> {
        let chosen = frames(states)?;
        let mut scene = Self::at_frames(system, states, &chosen)?;
        let forces = step_forces(system, states, inputs, &chosen)?;
        let arrows = [forces.contact, forces.constraints].into_iter();
        let arrows = arrows.chain(forces.elements);
        scene.arrows = (arrows.filter(|a| !a.is_empty())).map(|a| (0, a)).collect();
        scene.events = forces.events;
        scene.charts = forces.charts;
        Ok(scene)
    }
}

impl<T: Scalar> Rollout<T> {
    /// What it looks like, with contact forces, forces of elements, kinks and energies: the steps are
    /// made again in `f64`, which gives the same bits.
    ///
    /// ```
    /// use dualbody::prelude::*;
    ///
    /// let rubber = ContactMaterial::new(1e4, 0.2, 0.8)?;
    /// let system = SystemBuilder::new()
    ///     .floor("floor", rubber)
    ///     .free_body("ball", Shape::new_sphere(0.05)?, 0.2, rubber)
    ///     .compliant(1e-3)?;
    /// let mut start = system.initial_state();
    /// system.set_body_position(&mut start, "ball", vector![0.0, 0.0, 0.3])?;
    /// let path = std::env::temp_dir().join("dualbody_ball.html");
    /// system.rollout(&start, 1000)?.scene(&system)?.save(&path)?;
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Scene::of_states`], and when a step fails, which happens with another system only.
    pub fn scene(&self, system: &TimeSteppingRigidBodySystem<T>) -> Result<Scene, SystemError> {
        let states: Vec<State<f64>> = self.states.iter().map(State::cast).collect();
        let real = |input: &Vec<T>| input.iter().map(|u| u.re()).collect();
        let inputs: Vec<Vec<f64>> = self.inputs.iter().map(real).collect();
        let inputs: Vec<&[f64]> = inputs.iter().map(Vec::as_slice).collect();
        Scene::of_steps(&system.cast::<f64>(), &states, &inputs)
    }
}

impl Recording {
    /// What it looks like, as [`Rollout::scene`], with charts of the inputs and outputs.
    ///
    /// # Errors
    /// As [`Rollout::scene`], and when it is a recording of another system.
    pub fn scene(&self, system: &TimeSteppingRigidBodySystem<f64>) -> Result<Scene, SystemError> {
        let start = system.initial_state();
        let sizes = [&start.q, &start.v, &start.actuators, &start.sensors].map(|x| x.len());
        let num_states: usize = 1 + sizes.iter().sum::<usize>();
        let num_signals = num_states + system.num_inputs() + system.num_outputs();
        InvalidInput::check_size(
            "columns of the recording",
            self.columns().len().min(num_signals),
            num_signals,
        )?;
        let (mut states, mut inputs) = (Vec::new(), Vec::new());
        for row in self.rows() {
            let mut rest = &row[1..];
            let [q, v, actuators, sensors] = sizes.map(|size| {
                let (part, after) = rest.split_at(size);
                rest = after;
                DVector::from_column_slice(part)
            });
            states.push(State {
                time: row[0],
                q,
                v,
                actuators,
                sensors,
            });
            inputs.push(&row[num_states..num_states + system.num_inputs()]);
        }
        let mut scene = Scene::of_steps(system, &states, &inputs)?;
        let inputs = (num_states, system.input_names());
        let outputs = (num_states + system.num_inputs(), system.output_names());
        for (title, (first, names)) in [("Inputs", inputs), ("Outputs", outputs)] {
            scene.charts.extend(self.signal_chart(title, first, names));
        }
        Ok(scene)
    }

    /// A chart of columns, if there are any and not too many to be told apart.
    fn signal_chart(&self, title: &str, first: usize, names: Vec<String>) -> Option<Chart> {
        if names.is_empty() || names.len() > 8 {
            return None;
        }
        let chart = Chart::new(title, "time [s]", "");
        let stride = self.rows().len().div_ceil(2000).max(1);
        let columns = names.into_iter().enumerate();
        Some(columns.fold(chart, |chart, (k, name)| {
            let rows = self.rows().iter().step_by(stride);
            let points = rows.map(|row| (row[0], row[first + k])).collect();
            chart.with(name, Mark::Line, points)
        }))
    }
}
