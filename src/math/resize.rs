//! Resizing of lists, vectors and matrices that keeps their memory.

use crate::Scalar;
use nalgebra::{DMatrix, DVector};

/// Makes `matrix` a zero matrix of the given shape; allocates only when it has never been as large.
pub(crate) fn reset_matrix<T: Scalar>(matrix: &mut DMatrix<T>, rows: usize, columns: usize) {
    resize_matrix(matrix, rows, columns);
    matrix.as_mut_slice().fill(T::zero());
}

/// Gives `matrix` a shape; its entries are still to be written. Allocates only when it has never been as large.
pub(crate) fn resize_matrix<T: Scalar>(matrix: &mut DMatrix<T>, rows: usize, columns: usize) {
    let mut data: Vec<T> = std::mem::replace(matrix, DMatrix::zeros(0, 0)).data.into();
    data.resize(rows * columns, T::zero());
    *matrix = DMatrix::from_vec(rows, columns, data);
}

/// Makes `copy` a copy of a matrix; allocates only when it has never been as large.
pub(crate) fn copy_matrix<T: Scalar>(matrix: &DMatrix<T>, copy: &mut DMatrix<T>) {
    resize_matrix(copy, matrix.nrows(), matrix.ncols());
    copy.copy_from(matrix);
}

/// Makes `real` the real parts of a matrix; allocates only when it has never been as large.
pub(crate) fn real_parts<T: Scalar>(matrix: &DMatrix<T>, real: &mut DMatrix<f64>) {
    resize_matrix(real, matrix.nrows(), matrix.ncols());
    for (real, x) in real.iter_mut().zip(matrix) {
        *real = x.re();
    }
}

/// Makes `vector` a zero vector of the given size; allocates only when it has never been as large.
pub(crate) fn reset_vector<T: Scalar>(vector: &mut DVector<T>, size: usize) {
    let mut data = take_memory(vector);
    data.resize(size, T::zero());
    *vector = DVector::from_vec(data);
}

/// Makes `vector` a copy of `entries`; allocates only when it has never been as large.
pub(crate) fn copy_to_vector<T: Scalar>(vector: &mut DVector<T>, entries: &[T]) {
    let mut data = take_memory(vector);
    data.extend_from_slice(entries);
    *vector = DVector::from_vec(data);
}

/// The memory of a vector, which is left empty.
pub(crate) fn take_memory<T: Scalar>(vector: &mut DVector<T>) -> Vec<T> {
    let mut data: Vec<T> = std::mem::replace(vector, DVector::zeros(0)).data.into();
    data.clear();
    data
}
