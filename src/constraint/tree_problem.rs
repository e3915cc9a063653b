//! A constraint problem of a tree, and the memory that the next one reuses.

use super::accel_problem_data::ConstraintAccelProblemData;
use super::matrices::ConstraintMatrices;
use super::restitution_energy::InitialMomentum;
use super::solver::VelocitySolution;
use super::tree_inertia::TreeInertia;
use super::tree_rows::CollectedRows;
use super::vel_problem_data::ConstraintVelProblemData;
use crate::Scalar;
use crate::contact::{ContactWorkspace, FoundContact, GeometryKink, PointContact};
use nalgebra::{DVector, Vector3};

/// A constraint problem of a tree.
#[derive(Debug, Clone)]
pub struct TreeConstraintProblem<T: Scalar, D> {
    /// The problem.
    pub data: D,
    /// Its contacts, in their order there. The frames of sliding contacts have the direction of
    /// sliding for first tangent.
    pub contacts: Vec<PointContact<T>>,
    /// The features that touch, in the same order.
    pub found: Vec<FoundContact>,
    /// The pair of geometries nearest to a change of features, in the problem of a time step.
    pub geometry_kink: Option<GeometryKink>,
    /// The contacts that rebound in an impact or a time step, with the part of `kN` that makes them do so.
    pub rebounds: Vec<(usize, T)>,
    /// The same of contacts that close as fast and do not rebound: their gap demands more than their rebound would.
    pub(super) withheld: Vec<(usize, T)>,
    /// The momentum before an impact, or at the start of a time step.
    pub(crate) initial: InitialMomentum<T>,
    /// For each bilateral constraint of the problem: the constraint of the tree, by the order in
    /// which they were added, and its row.
    pub bilateral: Vec<(usize, usize)>,
    /// The same for unilateral constraints.
    pub unilateral: Vec<(usize, usize)>,
    pub(super) scratch: Scratch<T>,
}

/// What a problem is made with.
#[derive(Debug, Clone)]
pub(super) struct Scratch<T: Scalar> {
    pub rows: CollectedRows<T>,
    pub force: DVector<T>,
    /// Velocities without contacts.
    pub free: DVector<T>,
    pub normal: Vec<T>,
    /// Rows of contacts: the contact, and an axis in its frame.
    pub axes: Vec<(usize, Vector3<T>)>,
    pub rates: Vec<Vector3<T>>,
    pub search: ContactWorkspace<T>,
    pub found: Vec<FoundContact>,
    /// The solution without rebounds, and the momenta of both.
    pub without: VelocitySolution<T>,
    pub momentum: [Vec<T>; 2],
}

/// An acceleration problem of a tree.
pub type TreeAccelProblem<'w, T> = TreeConstraintProblem<
    T,
    ConstraintAccelProblemData<T, ConstraintMatrices<T, TreeInertia<'w, T>>>,
>;

/// A problem of an impact or a time step of a tree.
pub type TreeVelProblem<'w, T> = TreeConstraintProblem<
    T,
    ConstraintVelProblemData<T, ConstraintMatrices<T, TreeInertia<'w, T>>>,
>;

/// An acceleration problem away from its tree, whose memory the next one takes.
pub(crate) type AccelMemory<T> =
    TreeConstraintProblem<T, ConstraintAccelProblemData<T, ConstraintMatrices<T, ()>>>;

/// The same of a time step.
pub(crate) type VelMemory<T> =
    TreeConstraintProblem<T, ConstraintVelProblemData<T, ConstraintMatrices<T, ()>>>;

impl<T: Scalar, D> TreeConstraintProblem<T, D> {
    /// Without constraints.
    fn new(data: D) -> Self {
        let none = || DVector::zeros(0);
        TreeConstraintProblem {
            data,
            contacts: Vec::new(),
            found: Vec::new(),
            geometry_kink: None,
            rebounds: Vec::new(),
            withheld: Vec::new(),
            initial: InitialMomentum {
                momentum: none(),
                velocity: none(),
            },
            bilateral: Vec::new(),
            unilateral: Vec::new(),
            scratch: Scratch {
                rows: CollectedRows::new(),
                force: none(),
                free: none(),
                normal: Vec::new(),
                axes: Vec::new(),
                rates: Vec::new(),
                search: ContactWorkspace::new(),
                found: Vec::new(),
                without: VelocitySolution::default(),
                momentum: [Vec::new(), Vec::new()],
            },
        }
    }

    /// Which unilateral constraints of the problem are of angles.
    pub(crate) fn angular_inequalities(&self) -> &[bool] {
        &self.scratch.rows.unilateral.angular
    }

    /// The same with other data.
    pub(super) fn map_data<E>(self, data: impl FnOnce(D) -> E) -> TreeConstraintProblem<T, E> {
        TreeConstraintProblem {
            data: data(self.data),
            contacts: self.contacts,
            found: self.found,
            geometry_kink: self.geometry_kink,
            rebounds: self.rebounds,
            withheld: self.withheld,
            initial: self.initial,
            bilateral: self.bilateral,
            unilateral: self.unilateral,
            scratch: self.scratch,
        }
    }
}

impl<T: Scalar> TreeAccelProblem<'_, T> {
    /// Lets go of the tree.
    pub(crate) fn into_memory(self) -> AccelMemory<T> {
        self.map_data(|data| data.map_operators(|jacobians| jacobians.with_inertia(())))
    }
}

impl<T: Scalar> TreeVelProblem<'_, T> {
    /// Lets go of the tree.
    pub(crate) fn into_memory(self) -> VelMemory<T> {
        self.map_data(|data| data.map_operators(|jacobians| jacobians.with_inertia(())))
    }
}

impl<T: Scalar> AccelMemory<T> {
    /// The problem with an inertia.
    pub(super) fn at(self, inertia: TreeInertia<'_, T>) -> TreeAccelProblem<'_, T> {
        self.map_data(|data| data.map_operators(|jacobians| jacobians.with_inertia(inertia)))
    }
}

impl<T: Scalar> VelMemory<T> {
    /// The problem with an inertia.
    pub(super) fn at(self, inertia: TreeInertia<'_, T>) -> TreeVelProblem<'_, T> {
        self.map_data(|data| data.map_operators(|jacobians| jacobians.with_inertia(inertia)))
    }
}

impl<T: Scalar> Default for AccelMemory<T> {
    fn default() -> Self {
        Self::new(ConstraintAccelProblemData::of_size(
            0,
            ConstraintMatrices::of_size(0, ()),
        ))
    }
}

impl<T: Scalar> Default for VelMemory<T> {
    fn default() -> Self {
        Self::new(ConstraintVelProblemData::of_size(
            0,
            ConstraintMatrices::of_size(0, ()),
        ))
    }
}
