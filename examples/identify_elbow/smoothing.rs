//! Rows of motion capture, which are smoothed in time.
//!
//! The tracker's filter spreads an impact over the rows around it. Rows before the first touch leave the parabola of the
//! flight while the lowest corner is still 8 mm above the table, one row too early, by as much as a Gaussian
//! filter makes of a kink.

use dualbody::Scalar;
use dualbody::math::rotation;
use dualbody::system::State;
use nalgebra::{Quaternion, Vector3};
use std::collections::VecDeque;

/// Standard deviations of the filter after which its weights are left out.
const REACH: f64 = 3.0;

/// A Gaussian filter over states at equal intervals.
#[derive(Debug, Clone)]
pub struct Smoothing {
    /// Of the state in the middle, and of those at both sides of it by distance.
    weights: Vec<f64>,
}

impl Smoothing {
    /// The filter with this standard deviation for states at this interval, both in s.
    pub fn new(deviation: f64, interval: f64) -> Self {
        let count = (REACH * deviation / interval).floor() as usize;
        let weight = |j: usize| (-0.5 * (j as f64 * interval / deviation).powi(2)).exp();
        let mut weights: Vec<f64> = (0..=count)
            .map(|j| if j == 0 { 1.0 } else { weight(j) })
            .collect();
        let sum = 2.0 * weights.iter().sum::<f64>() - weights[0];
        weights.iter_mut().for_each(|w| *w /= sum);
        Smoothing { weights }
    }

    /// States that it takes from each side.
    pub fn reach(&self) -> usize {
        self.weights.len() - 1
    }

    /// The state in the middle of `2 reach + 1`, with smoothed positions and its own velocities.
    pub fn apply<T: Scalar>(&self, states: &VecDeque<State<T>>) -> State<T> {
        let middle = &states[self.reach()];
        let attitude = |x: &State<T>| Quaternion::new(x.q[0], x.q[1], x.q[2], x.q[3]);
        let (mut turn, mut rest) = (Vector3::zeros(), [T::zero(); 4]);
        for (i, state) in states.iter().enumerate() {
            let weight = T::from(self.weights[i.abs_diff(self.reach())]);
            let relative = attitude(middle).conjugate() * attitude(state);
            turn += rotation::log(&relative) * weight;
            for (sum, &q) in rest.iter_mut().zip(&state.q.as_slice()[4..]) {
                *sum += weight * q;
            }
        }
        let mut smoothed = middle.clone();
        let q = attitude(middle) * rotation::quaternion_exp(&turn);
        let all = [q.w, q.i, q.j, q.k].into_iter().chain(rest);
        smoothed.q.iter_mut().zip(all).for_each(|(to, q)| *to = q);
        smoothed
    }
}
