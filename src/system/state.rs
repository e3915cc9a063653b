//! The state of a system.

use crate::Scalar;
use nalgebra::DVector;

/// Positions and velocities of a tree.
///
/// A joint's coordinates start at its [`position_start`](crate::tree::Joint::position_start) and
/// [`velocity_start`](crate::tree::Joint::velocity_start), with the order, frames and units of its
/// [`JointKind`](crate::tree::JointKind). Sizes, entries and quaternions are checked where a state is
/// used.
#[derive(Debug, PartialEq)]
pub struct State<T: Scalar> {
    /// Position coordinates (nq), rad or m.
    pub q: DVector<T>,
    /// Velocity coordinates (nv), rad/s or m/s.
    pub v: DVector<T>,
}

impl<T: Scalar> State<T> {
    /// A state from its coordinates.
    pub fn new(q: DVector<T>, v: DVector<T>) -> Self {
        State { q, v }
    }

    /// The same state in another scalar; only real parts are carried over.
    pub fn cast<U: Scalar>(&self) -> State<U> {
        State {
            q: self.q.map(|x| U::from(x.re())),
            v: self.v.map(|x| U::from(x.re())),
        }
    }
}

impl<T: Scalar> Clone for State<T> {
    fn clone(&self) -> Self {
        State {
            q: self.q.clone(),
            v: self.v.clone(),
        }
    }

    /// Reuses the memory of a state of the same sizes.
    fn clone_from(&mut self, source: &Self) {
        for (target, source) in [(&mut self.q, &source.q), (&mut self.v, &source.v)] {
            if target.len() == source.len() {
                target.copy_from(source);
            } else {
                target.clone_from(source);
            }
        }
    }
}
