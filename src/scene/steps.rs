//! Scenes of steps, with the forces that acted in them.

use super::forces::step_forces;
use super::motion::frames;
use super::scene::Scene;
use super::signals::signal_charts;
use crate::system::{Recording, Rollout, State, SystemError, TimeSteppingRigidBodySystem};
use crate::{InvalidInput, Scalar};
use nalgebra::DVector;

impl Scene {
    /// With forces, kinks and energies of the steps from states with inputs, and what sensors measured, else would have.
    fn of_steps(
        system: &TimeSteppingRigidBodySystem<f64>,
        states: &[State<f64>],
        inputs: &[&[f64]],
        measured: Option<&[&[f64]]>,
    ) -> Result<Self, SystemError> {
        let chosen = frames(states)?;
        let mut scene = Self::at_frames(system, states, &chosen)?;
        let forces = step_forces(system, states, inputs, &chosen)?;
        let shown = forces.arrows.into_iter().filter(|a| !a.is_empty());
        scene.arrows = shown.map(|a| (0, a)).collect();
        scene.events = forces.events;
        scene.charts = forces.charts;
        let outputs = match measured {
            Some(rows) => chosen.iter().map(|&k| rows[k].to_vec()).collect(),
            None => forces.outputs,
        };
        let (names, times) = (system.output_names(), &scene.motions[0].times);
        (scene.charts).extend(signal_charts("Outputs", &names, times, &outputs));
        Ok(scene)
    }
}

impl<T: Scalar> Rollout<T> {
    /// What it looks like, with contact forces, forces of elements, inputs, outputs, kinks and energies: the steps are
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
        Scene::of_steps(&system.cast::<f64>(), &states, &inputs, None)
    }
}

impl Recording {
    /// What it looks like, as [`Rollout::scene`], with the outputs that were recorded.
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
        let (mut states, mut inputs, mut outputs) = (Vec::new(), Vec::new(), Vec::new());
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
            let (input, output) = row[num_states..num_signals].split_at(system.num_inputs());
            inputs.push(input);
            outputs.push(output);
        }
        Scene::of_steps(system, &states, &inputs, Some(&outputs))
    }
}
