//! Changing the size of lists, vectors and matrices without giving memory back.

use crate::Scalar;
use nalgebra::{DMatrix, DVector};

/// Makes `matrix` a zero matrix of the given shape; allocates only when it has never been as large.
pub(crate) fn reset_matrix<T: Scalar>(matrix: &mut DMatrix<T>, rows: usize, columns: usize) {
    resize_matrix(matrix, rows, columns);
    matrix.fill(T::zero());
}

/// Gives `matrix` a shape; its entries are still to be written. Allocates only when it has never been as large.
pub(crate) fn resize_matrix<T: Scalar>(matrix: &mut DMatrix<T>, rows: usize, columns: usize) {
    let mut data: Vec<T> = std::mem::replace(matrix, DMatrix::zeros(0, 0)).data.into();
    data.resize(rows * columns, T::zero());
    *matrix = DMatrix::from_vec(rows, columns, data);
}

/// Makes `vector` a zero vector of the given size; allocates only when it has never been as large.
pub(crate) fn reset_vector<T: Scalar>(vector: &mut DVector<T>, size: usize) {
    let mut data: Vec<T> = std::mem::replace(vector, DVector::zeros(0)).data.into();
    data.clear();
    data.resize(size, T::zero());
    *vector = DVector::from_vec(data);
}
