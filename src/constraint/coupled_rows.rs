//! Sets of coupled rows (islands), each of which sticks or slips by itself.

use super::delassus::Delassus;
use super::variable::Variable;
use super::view::View;
use crate::math::Partition;

/// A slip that takes less than this part of all friction to stop is round-off.
const NO_SLIP: f64 = 1e-9;
/// What slips is not going to stick where that takes an impulse of more than this times all friction that there is.
const PLAUSIBLE: f64 = 10.0;

/// The sets of the rows of a problem; a workspace.
#[derive(Debug, Clone, Default)]
pub(super) struct CoupledRows {
    partition: Partition,
    /// By the first row of each set.
    pub friction: Vec<Friction>,
    /// The set of each variable of the complementarity problem, if it is one that may stick.
    pub sets: Vec<Option<usize>>,
}

/// The friction of a set.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Friction {
    /// The largest impulse, or force, that stops a slip, and all that friction has.
    pub needed: f64,
    pub at_hand: f64,
    /// Whether its rows depend on each other, so that they can share forces in many ways.
    pub is_shared: bool,
}

impl Friction {
    /// Whether it might stop what slips.
    pub fn is_plausible(&self) -> bool {
        let is_round_off = self.needed <= NO_SLIP * self.at_hand;
        !is_round_off && self.needed <= PLAUSIBLE * self.at_hand
    }
}

impl CoupledRows {
    /// Finds the sets.
    pub fn divide(&mut self, view: &View<f64>, delassus: &Delassus<f64>) {
        let layout = view.layout;
        let (count, bilateral) = (layout.size(), layout.bilateral());
        let partition = &mut self.partition;
        partition.reset(count);
        for j in 0..count {
            for (i, &entry) in delassus.column(j).iter().enumerate() {
                if entry != 0.0 {
                    partition.unite(i, j);
                }
            }
        }
        for j in bilateral.clone() {
            for i in bilateral.clone() {
                if view.coupling(i, j) != 0.0 {
                    partition.unite(i, j);
                }
            }
        }
        for cone in &view.cones {
            for direction in cone.directions.clone() {
                partition.unite(cone.contact, layout.friction().start + direction);
            }
        }
        self.friction.clear();
        self.friction.resize(count, Friction::default());
    }

    /// The set of a row.
    pub fn find(&mut self, row: usize) -> usize {
        self.partition.find(row)
    }

    /// Chooses the sets whose friction might stop what slips if it is shared in another way.
    pub fn choose(&mut self, variables: &[Variable], view: &View<f64>) {
        self.sets.clear();
        for &variable in variables {
            let row = match variable {
                Variable::Force { packed, .. } => packed,
                Variable::Slip { cone } => view.cones[cone].contact,
            };
            let set = self.partition.find(row);
            let friction = &self.friction[set];
            let may_stick = friction.is_shared && friction.is_plausible();
            self.sets.push(may_stick.then_some(set));
        }
    }
}
