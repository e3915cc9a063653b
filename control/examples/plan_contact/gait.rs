//! A trot in place as a reference of states in time.

use dualbody::system::State;
use dualbody_control::{ControlError, Dynamics, Machine, Point, Residual};
use nalgebra::DMatrix;

/// Length of thigh and of shank, m.
pub const LINK: f64 = 0.22;

/// A leg of a trot.
#[derive(Debug, Clone, Copy)]
pub struct Leg {
    /// Where the angles of pitch and knee are in positions and in velocities.
    pub positions: [usize; 2],
    pub velocities: [usize; 2],
    /// When it is lifted, as a part of the stride.
    pub phase: f64,
}

/// Where a machine is from a trot in place, `x ⊖ x_ref(t)`: feet go up and down below their hips.
#[derive(Debug, Clone)]
pub struct Trot {
    pub stand: State<f64>,
    pub reference: State<f64>,
    pub legs: Vec<Leg>,
    /// The height of hips, m.
    pub hips: f64,
    /// The heights of centres of feet that carry, and by how much they are lifted, m.
    pub carrying: f64,
    pub lift: f64,
    /// How long a stride takes, s, and the part of it in which a foot is lifted.
    pub period: f64,
    pub swing: f64,
}

impl Trot {
    /// How high a foot is to be, m.
    fn height(&self, leg: &Leg, time: f64) -> f64 {
        let part = (time / self.period - leg.phase).rem_euclid(1.0) / self.swing;
        match part < 1.0 {
            true => self.carrying + self.lift * (std::f64::consts::PI * part).sin().powi(2),
            false => self.carrying,
        }
    }

    /// The pitch that brings a foot to its height, with the knee at minus twice that.
    fn pitch(&self, leg: &Leg, time: f64) -> f64 {
        let length = (self.hips - self.height(leg, time)) / (2.0 * LINK);
        length.clamp(0.0, 1.0).acos()
    }

    /// Moves the reference to a time in s.
    fn move_to(&mut self, time: f64) {
        const SHORT: f64 = 1e-4;
        self.reference.clone_from(&self.stand);
        self.reference.time = time;
        for leg in &self.legs {
            let [before, after] = [-SHORT, SHORT].map(|t| self.pitch(leg, time + t));
            let (pitch, rate) = (0.5 * (before + after), 0.5 * (after - before) / SHORT);
            for (i, factor) in [1.0, -2.0].into_iter().enumerate() {
                self.reference.q[leg.positions[i]] = factor * pitch;
                self.reference.v[leg.velocities[i]] = factor * rate;
            }
        }
    }
}

impl Residual<Machine> for Trot {
    fn size(&self, machine: &Machine) -> usize {
        machine.num_displacements()
    }

    fn evaluate(&mut self, at: &Point<'_, Machine>, value: &mut [f64]) -> Result<(), ControlError> {
        self.move_to(at.state.time);
        at.dynamics.difference(&self.reference, at.state, value)
    }

    fn linearize(
        &mut self,
        at: &Point<'_, Machine>,
        value: &mut [f64],
        by_state: &mut DMatrix<f64>,
        _: &mut DMatrix<f64>,
    ) -> Result<(), ControlError> {
        self.evaluate(at, value)?;
        (at.dynamics).difference_derivative(&self.reference, at.state, by_state)
    }
}
