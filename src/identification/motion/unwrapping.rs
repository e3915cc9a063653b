//! Unwrapping of measured angles.

use super::channel::Source;
use super::experiment::MotionExperiment;
use crate::system::State;
use std::f64::consts::{PI, TAU};

impl MotionExperiment {
    /// Continues angles that were measured within one turn, from sample to sample by the shorter way and from the known
    /// or guessed start. Angles that span more than a turn count turns already.
    pub(super) fn count_turns(&mut self, start: Option<&State<f64>>) {
        let model = self.model.clone();
        let width = self.grid.measured.len() / self.grid.rows;
        for (channel, &column) in model.channels().iter().zip(&self.grid.columns) {
            let (Some(entry), Source::Position { q, .. }) = (channel.turns, &channel.source) else {
                continue;
            };
            let samples = || {
                let all = self
                    .grid
                    .measured
                    .iter()
                    .skip(column + entry)
                    .step_by(width);
                all.filter(|x| !x.is_nan())
            };
            let (least, most) = samples().fold((f64::INFINITY, -f64::INFINITY), |(a, b), &x| {
                (a.min(x), b.max(x))
            });
            // An encoder may write either end of a turn, rounded.
            let is_within_turn = most - least <= TAU * (1.0 + 1e-3);
            if !is_within_turn {
                continue;
            }
            let mut last = start.map(|state| state.q[q.start + entry]);
            for angle in (self.grid.measured.iter_mut().skip(column + entry)).step_by(width) {
                if let Some(last) = last
                    && (*angle - last).abs() > PI
                {
                    *angle -= TAU * ((*angle - last) / TAU).round();
                }
                if !angle.is_nan() {
                    last = Some(*angle);
                }
            }
        }
    }
}
