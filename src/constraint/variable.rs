//! The order of the variables in the complementarity problem of constraints.

use super::view::Layout;

/// A variable of the complementarity problem.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Variable {
    /// A force by its position in the packed vector, taken with this sign.
    Force { packed: usize, sign: f64 },
    /// The slip `λ` of a cone.
    Slip { cone: usize },
}

/// Where the variables of a problem are: independent equations, normal forces, friction along the directions
/// and against them, slips, limits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Places {
    pub free: usize,
    pub layout: Layout,
    pub cones: usize,
}

impl Places {
    pub fn normal(self, contact: usize) -> usize {
        self.free + contact
    }

    /// Friction along a spanning direction, and against it.
    pub fn edges(self, direction: usize) -> [usize; 2] {
        let along = self.free + self.layout.nc + direction;
        [along, along + self.layout.nnr]
    }

    pub fn slip(self, cone: usize) -> usize {
        self.free + self.layout.nc + 2 * self.layout.nnr + cone
    }

    pub fn limit(self, limit: usize) -> usize {
        self.slip(self.cones) + limit
    }
}
