//! Constraint problems that several tests use.

use dualbody::Scalar;
use dualbody::constraint::{ConstraintAccelProblemData, ConstraintMatrices, DenseInertia};
use nalgebra::{DMatrix, DVector, dmatrix, dvector};

pub const G: f64 = 9.81;

pub fn matrices<T: Scalar>(inertia: DMatrix<T>) -> ConstraintMatrices<T> {
    ConstraintMatrices::unconstrained(DenseInertia::new(inertia).unwrap())
}

pub fn diagonal<T: Scalar>(entries: &[T]) -> DMatrix<T> {
    DMatrix::from_diagonal(&DVector::from_column_slice(entries))
}

/// A block of mass `m` at rest on a slope of the angle `θ`: x points down the slope, y away from
/// it.
pub fn block_on_incline<T: Scalar>(
    m: T,
    theta: T,
    mu: T,
) -> ConstraintAccelProblemData<T, ConstraintMatrices<T>> {
    let mut operators = matrices(diagonal(&[m, m]));
    operators.n = dmatrix![T::zero(), T::one()];
    operators.f = dmatrix![T::one(), T::zero()];
    let mut data = ConstraintAccelProblemData::new(operators);
    data.non_sliding_contacts = vec![0];
    data.r = vec![1];
    data.mu_non_sliding = dvector![mu];
    data.kN = dvector![T::zero()];
    data.kF = dvector![T::zero()];
    data.tau = dvector![m * theta.sin() * G, -m * theta.cos() * G];
    data
}
