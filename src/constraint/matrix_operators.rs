//! Constraint operators from dense matrices.

use super::error::ConstraintError;
use super::inertia::InertiaOperator;
use super::matrices::ConstraintMatrices;
use super::operators::ConstraintOperators;
use crate::math::real_parts;
use crate::{InvalidInput, Scalar};
use nalgebra::DMatrix;

impl<T: Scalar, I: InertiaOperator<T>> ConstraintOperators<T> for ConstraintMatrices<T, I> {
    fn num_velocities(&self) -> usize {
        self.inertia.size()
    }

    fn solve_inertia(&mut self, b: &mut [T]) -> Result<(), ConstraintError> {
        self.inertia.solve_in_place(b)
    }

    fn write_real_parts(
        &mut self,
        real: &mut ConstraintMatrices<f64>,
    ) -> Result<bool, ConstraintError> {
        if !self.inertia.write_real_part(&mut real.inertia)? {
            return Ok(false);
        }
        for (from, to) in [
            (&self.g, &mut real.g),
            (&self.n, &mut real.n),
            (&self.mu_q, &mut real.mu_q),
            (&self.f, &mut real.f),
            (&self.l, &mut real.l),
        ] {
            real_parts(from, to);
        }
        let own = self.own_directions.iter();
        real.own_directions.clear();
        (real.own_directions).extend(own.map(|(row, d)| (*row, d.map(|x| x.re()))));
        Ok(true)
    }

    fn g_mult(&mut self, v: &[T], out: &mut [T]) -> Result<(), ConstraintError> {
        Ok(multiply("G", &self.g, v, out)?)
    }

    fn g_transpose_mult(&mut self, f: &[T], out: &mut [T]) -> Result<(), ConstraintError> {
        multiply_transpose("G", &self.g, f, out)?;
        for (row, direction) in &self.own_directions {
            InvalidInput::check_range("row of a direction", &[*row as f64], "a row of G", |_| {
                *row < f.len()
            })?;
            InvalidInput::check_size("direction of a force", direction.len(), out.len())?;
            for ((out, &own), &along) in
                (out.iter_mut().zip(direction)).zip(self.g.row(*row).iter())
            {
                *out += (own - along) * f[*row];
            }
        }
        Ok(())
    }

    fn has_own_direction(&self, row: usize) -> bool {
        self.own_directions.iter().any(|(own, _)| *own == row)
    }

    fn n_mult(&mut self, v: &[T], out: &mut [T]) -> Result<(), ConstraintError> {
        Ok(multiply("N", &self.n, v, out)?)
    }

    fn n_transpose_mult(&mut self, f: &[T], out: &mut [T]) -> Result<(), ConstraintError> {
        Ok(multiply_transpose("N", &self.n, f, out)?)
    }

    fn n_minus_mu_q_transpose_mult(
        &mut self,
        f: &[T],
        out: &mut [T],
    ) -> Result<(), ConstraintError> {
        self.n_transpose_mult(f, out)?;
        InvalidInput::check_size("rows of μQ", self.mu_q.nrows(), f.len())?;
        InvalidInput::check_size("columns of μQ", self.mu_q.ncols(), out.len())?;
        for (out, column) in out.iter_mut().zip(self.mu_q.column_iter()) {
            for (&mu_q, &f) in column.iter().zip(f) {
                *out -= mu_q * f;
            }
        }
        Ok(())
    }

    fn f_mult(&mut self, v: &[T], out: &mut [T]) -> Result<(), ConstraintError> {
        Ok(multiply("F", &self.f, v, out)?)
    }

    fn f_transpose_mult(&mut self, f: &[T], out: &mut [T]) -> Result<(), ConstraintError> {
        Ok(multiply_transpose("F", &self.f, f, out)?)
    }

    fn l_mult(&mut self, v: &[T], out: &mut [T]) -> Result<(), ConstraintError> {
        Ok(multiply("L", &self.l, v, out)?)
    }

    fn l_transpose_mult(&mut self, f: &[T], out: &mut [T]) -> Result<(), ConstraintError> {
        Ok(multiply_transpose("L", &self.l, f, out)?)
    }
}

// Entries with a zero real part may carry derivatives: products in duals leave nothing out. In `f64`, most vectors
// of a problem with many bodies have few entries that are not zero.

fn multiply<T: Scalar>(
    name: &'static str,
    a: &DMatrix<T>,
    x: &[T],
    out: &mut [T],
) -> Result<(), InvalidInput> {
    InvalidInput::check_size(name, a.nrows(), out.len())?;
    InvalidInput::check_size(name, a.ncols(), x.len())?;
    out.fill(T::zero());
    for (&x, column) in x.iter().zip(a.as_slice().chunks_exact(a.nrows().max(1))) {
        if T::NDERIV == 0 && x.is_zero() {
            continue;
        }
        for (out, &a) in out.iter_mut().zip(column) {
            *out += a * x;
        }
    }
    Ok(())
}

fn multiply_transpose<T: Scalar>(
    name: &'static str,
    a: &DMatrix<T>,
    x: &[T],
    out: &mut [T],
) -> Result<(), InvalidInput> {
    InvalidInput::check_size(name, a.nrows(), x.len())?;
    InvalidInput::check_size(name, a.ncols(), out.len())?;
    if T::NDERIV == 0 {
        out.fill(T::zero());
        for (i, &x) in x.iter().enumerate().filter(|(_, x)| !x.is_zero()) {
            for (out, &a) in out.iter_mut().zip(a.row(i).iter()) {
                *out += a * x;
            }
        }
        return Ok(());
    }
    for (out, column) in out.iter_mut().zip(a.column_iter()) {
        *out = (column.iter().zip(x)).fold(T::zero(), |sum, (&a, &x)| sum + a * x);
    }
    Ok(())
}
