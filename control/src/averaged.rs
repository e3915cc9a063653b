//! Steps with averaged slopes, where the derivative of one holds over next to nothing.

use crate::ControlError;
use crate::dynamics::Dynamics;
use crate::machine_dynamics::MachineDynamics;
use dualbody::InvalidInput;
use dualbody::autodiff::averaged_jacobian;
use dualbody::system::{State, TimeSteppingRigidBodySystem};
use nalgebra::DMatrix;

/// Dynamics with the slopes of [steps averaged](averaged_jacobian) over a width about each state and input.
///
/// Steps are those of the dynamics; only A and B are others. They count what a derivative leaves out: jumps, as between the
/// steps in which an impact may fall, and contacts that are nearer than the width, so that a plan finds them without a force at
/// a distance. What it converges to is the mean over the width, so that widths are best reduced at last
/// ([`Solver::set_dynamics`](crate::Solver::set_dynamics), [`solve_annealed`](crate::solve_annealed)). Where slopes are averaged, [exact Hessians](crate::Hessian::Exact)
/// leave out second derivatives of steps.
#[derive(Debug, Clone)]
pub struct AveragedSlopes<D> {
    dynamics: D,
    half_widths: Vec<f64>,
    /// The entries of positive width.
    wide: Vec<usize>,
    pairs: usize,
    /// Memory of radii, if they decide.
    radius: Option<Vec<f64>>,
}

impl<D: Dynamics> AveragedSlopes<D> {
    /// Over half the width along each displacement, n entries in their units, and each input, m entries. A stage takes
    /// `2 × pairs` steps for each that is positive; where it is zero, derivatives are those at the centre.
    ///
    /// # Errors
    /// For other sizes, widths that are negative or not finite, and no pairs.
    pub fn new(
        dynamics: D,
        of_displacements: &[f64],
        of_inputs: &[f64],
        pairs: usize,
    ) -> Result<Self, ControlError> {
        let (n, m) = (dynamics.num_displacements(), dynamics.num_inputs());
        InvalidInput::check_size("half widths of displacements", of_displacements.len(), n)?;
        InvalidInput::check_size("half widths of inputs", of_inputs.len(), m)?;
        let half_widths = [of_displacements, of_inputs].concat();
        InvalidInput::check_range("half width", &half_widths, "finite and not negative", |h| {
            h >= 0.0 && h.is_finite()
        })?;
        InvalidInput::check_range("pairs", &[pairs as f64], "at least one", |n| n >= 1.0)?;
        let wide = (0..n + m).filter(|&i| half_widths[i] > 0.0).collect();
        Ok(AveragedSlopes {
            dynamics,
            half_widths,
            wide,
            pairs,
            radius: None,
        })
    }

    /// Averages only in those stages in which derivatives do not hold over the widths h: where `Σ hᵢ/rᵢ` is not below 1, with the
    /// radius rᵢ of the derivative by each entry. Elsewhere no corner of the box decides anything otherwise, to first order, and
    /// the derivative at its centre is taken. A stage takes about (n + m)/8 steps in dual numbers to know.
    ///
    /// Of [machines](MachineDynamics); other dynamics do not know their radii unless they [say so](Dynamics::radius), and are
    /// averaged everywhere.
    pub fn where_short(self) -> Self {
        AveragedSlopes {
            radius: Some(vec![0.0; self.half_widths.len()]),
            ..self
        }
    }

    /// The dynamics themselves.
    pub fn dynamics(&self) -> &D {
        &self.dynamics
    }
}

impl<D: Dynamics> Dynamics for AveragedSlopes<D> {
    type State = D::State;

    fn num_displacements(&self) -> usize {
        self.dynamics.num_displacements()
    }

    fn num_inputs(&self) -> usize {
        self.dynamics.num_inputs()
    }

    fn time_step(&self) -> f64 {
        self.dynamics.time_step()
    }

    fn displace(
        &self,
        state: &D::State,
        displacement: &[f64],
        to: &mut D::State,
    ) -> Result<(), ControlError> {
        self.dynamics.displace(state, displacement, to)
    }

    fn difference(
        &self,
        from: &D::State,
        to: &D::State,
        displacement: &mut [f64],
    ) -> Result<(), ControlError> {
        self.dynamics.difference(from, to, displacement)
    }

    fn difference_derivative(
        &self,
        from: &D::State,
        to: &D::State,
        derivative: &mut DMatrix<f64>,
    ) -> Result<(), ControlError> {
        self.dynamics.difference_derivative(from, to, derivative)
    }

    fn advance_clock(&self, state: &mut D::State, time: f64) {
        self.dynamics.advance_clock(state, time);
    }

    fn set_clock(&self, state: &mut D::State, before: &D::State, time: f64) {
        self.dynamics.set_clock(state, before, time);
    }

    fn step(
        &mut self,
        state: &D::State,
        input: &[f64],
        next: &mut D::State,
    ) -> Result<(), ControlError> {
        self.dynamics.step(state, input, next)
    }

    fn linearize(
        &mut self,
        state: &D::State,
        input: &[f64],
        next: &mut D::State,
        a: &mut DMatrix<f64>,
        b: &mut DMatrix<f64>,
    ) -> Result<(), ControlError> {
        let AveragedSlopes {
            dynamics,
            half_widths,
            wide,
            pairs,
            radius,
        } = self;
        dynamics.linearize(state, input, next, a, b)?;
        if wide.is_empty() {
            return Ok(());
        }
        if let Some(radius) = radius {
            dynamics.radius(state, input, radius)?;
            let part = |&i: &usize| half_widths[i] / radius[i];
            if wide.iter().map(part).sum::<f64>() < 1.0 {
                return Ok(());
            }
        }
        let n = a.ncols();
        let (mut moved, mut end, mut inputs) = (state.clone(), next.clone(), input.to_vec());
        let outcome = |z: &[f64], y: &mut [f64]| {
            dynamics.displace(state, &z[..n], &mut moved)?;
            for (moved, (u, d)) in inputs.iter_mut().zip(input.iter().zip(&z[n..])) {
                *moved = u + d;
            }
            end.clone_from(next);
            dynamics.step(&moved, &inputs, &mut end)?;
            dynamics.difference(next, &end, y)
        };
        let center = vec![0.0; half_widths.len()];
        let averaged = averaged_jacobian(outcome, n, &center, half_widths, wide, *pairs)?;
        for (slopes, &i) in averaged.slopes.column_iter().zip(&*wide) {
            match i.checked_sub(n) {
                None => a.column_mut(i).copy_from(&slopes),
                Some(j) => b.column_mut(j).copy_from(&slopes),
            }
        }
        Ok(())
    }

    fn radius(
        &mut self,
        state: &D::State,
        input: &[f64],
        radius: &mut [f64],
    ) -> Result<(), ControlError> {
        self.dynamics.radius(state, input, radius)
    }

    fn add_curvature(
        &mut self,
        state: &D::State,
        input: &[f64],
        covector: &[f64],
        curvature: &mut DMatrix<f64>,
    ) -> Result<(), ControlError> {
        match self.wide.is_empty() {
            true => (self.dynamics).add_curvature(state, input, covector, curvature),
            false => Ok(()),
        }
    }
}

impl<D: MachineDynamics> MachineDynamics for AveragedSlopes<D> {
    fn system(&self) -> &TimeSteppingRigidBodySystem<f64> {
        self.dynamics.system()
    }

    fn parameters(&self) -> &[usize] {
        self.dynamics.parameters()
    }

    fn parts<'a>(&self, state: &'a D::State) -> (&'a State<f64>, &'a [f64]) {
        self.dynamics.parts(state)
    }
}
