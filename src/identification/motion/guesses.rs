//! Initial guesses of the states at the samples of a recording.

use super::channel::{Source, unit};
use super::error::MotionError;
use super::experiment::MotionExperiment;
use crate::system::State;
use nalgebra::Quaternion;

impl MotionExperiment {
    /// Guesses the states at all samples, or all but the first, from what was measured: between samples of a position it
    /// moves evenly, and where no velocity was measured it is the difference of the samples around.
    pub(super) fn guess_states(
        &self,
        start: State<f64>,
        also_first: bool,
    ) -> Result<Vec<State<f64>>, MotionError> {
        let tree = self.model.machine().tree();
        let interval = self.grid.interval;
        let first = usize::from(!also_first);
        let mut states = vec![start; self.grid.rows];
        for row in 0..self.grid.rows {
            if row > 0 {
                states[row] = states[row - 1].clone();
                states[row].time = self.grid.time(row);
            }
            if row >= first {
                self.take_measured(row, &mut states[row]);
            }
        }
        let mut way = vec![0.0; tree.num_velocities()];
        let mut between = vec![0.0; tree.num_positions()];
        for (c, channel) in self.model.channels().iter().enumerate() {
            let Source::Position { q, v } = &channel.source else {
                continue;
            };
            // A start that is known is as good as measured.
            let known: Vec<usize> = (0..self.grid.rows)
                .filter(|&row| row < first || self.is_whole(row, c))
                .collect();
            for row in first..self.grid.rows {
                let [before, after] = neighbours(&known, row);
                let (from, to) = (states[before].q.as_slice(), states[after].q.as_slice());
                tree.difference(from, to, &mut way)?;
                let offset = |row: usize| self.grid.offset(row, c);
                let time =
                    interval * after.saturating_sub(before) as f64 + offset(after) - offset(before);
                if (before..after).contains(&row) && known.binary_search(&row).is_err() {
                    let part = (interval * (row - before) as f64 - offset(before)) / time;
                    tree.integrate_exponential(from, &way, part, &mut between)?;
                    (states[row].q.as_mut_slice()[q.clone()]).copy_from_slice(&between[q.clone()]);
                }
                if row < before {
                    let held = states[before].q.as_slice()[q.clone()].to_vec();
                    states[row].q.as_mut_slice()[q.clone()].copy_from_slice(&held);
                }
                for i in v.clone() {
                    if time > 0.0 && !self.is_velocity_measured(row, i) {
                        states[row].v[i] = way[i] / time;
                    }
                }
            }
            // From when it was measured to the time of the row.
            for &row in known.iter().filter(|&&row| self.grid.offset(row, c) < 0.0) {
                way.fill(0.0);
                way[v.clone()].copy_from_slice(&states[row].v.as_slice()[v.clone()]);
                let time = -self.grid.offset(row, c);
                tree.integrate_exponential(states[row].q.as_slice(), &way, time, &mut between)?;
                (states[row].q.as_mut_slice()[q.clone()]).copy_from_slice(&between[q.clone()]);
            }
        }
        Ok(states)
    }

    /// Whether all of a channel was measured at a sample.
    fn is_whole(&self, row: usize, c: usize) -> bool {
        let (channel, signals) = (&self.model.channels()[c], self.signals(row, c));
        (0..channel.deviations.len()).all(|i| channel.is_measured(signals, i))
    }

    fn is_velocity_measured(&self, row: usize, coordinate: usize) -> bool {
        let mut channels = self.model.channels().iter().enumerate();
        channels.any(|(c, channel)| match &channel.source {
            Source::Velocity(v) => v.contains(&coordinate) && self.is_whole(row, c),
            _ => false,
        })
    }

    /// Takes positions and velocities that were measured at a sample into a state.
    fn take_measured(&self, row: usize, state: &mut State<f64>) {
        for (c, channel) in self.model.channels().iter().enumerate() {
            let signals = self.signals(row, c);
            if !self.is_whole(row, c) {
                continue;
            }
            let of_state = match &channel.source {
                Source::Position { q, .. } => &mut state.q.as_mut_slice()[q.clone()],
                Source::Velocity(v) => &mut state.v.as_mut_slice()[v.clone()],
                _ => continue,
            };
            of_state.copy_from_slice(signals);
            if channel.rotates {
                let q = unit(Quaternion::new(
                    signals[0], signals[1], signals[2], signals[3],
                ));
                of_state[..4].copy_from_slice(&[q.w, q.i, q.j, q.k]);
            }
        }
    }
}

/// The known rows around a row, or the two that are nearest to it on one side; it itself at the ends. Twice the same if there
/// is one at most.
fn neighbours(known: &[usize], row: usize) -> [usize; 2] {
    let (Some(&first), Some(&last)) = (known.first(), known.last()) else {
        return [row; 2];
    };
    let (below, above) = (
        known.partition_point(|&k| k < row),
        known.partition_point(|&k| k <= row),
    );
    let at = |index: usize| known[index.min(known.len() - 1)];
    match (below.checked_sub(1), known.get(above)) {
        (Some(before), Some(&after)) => [known[before], after],
        (None, _) => [first, at(1)],
        (_, None) => [at(known.len().saturating_sub(2)), last],
    }
}
