//! Constraint operators applied to real vectors.

use super::error::ConstraintError;
use super::operators::ConstraintOperators;
use crate::Scalar;

/// The real parts of the products of operators in `T`.
pub(super) struct RealProducts<'o, T, O> {
    pub operators: &'o mut O,
    pub memory: &'o mut ProductMemory<T>,
}

/// Vectors of products.
#[derive(Debug, Clone)]
pub(super) struct ProductMemory<T> {
    argument: Vec<T>,
    product: Vec<T>,
}

impl<T> ProductMemory<T> {
    pub fn new() -> Self {
        ProductMemory {
            argument: Vec::new(),
            product: Vec::new(),
        }
    }
}

impl<T: Scalar, O: ConstraintOperators<T>> RealProducts<'_, T, O> {
    fn multiply(
        &mut self,
        x: &[f64],
        out: &mut [f64],
        multiply: impl FnOnce(&mut O, &[T], &mut [T]) -> Result<(), ConstraintError>,
    ) -> Result<(), ConstraintError> {
        let ProductMemory { argument, product } = &mut *self.memory;
        argument.clear();
        argument.extend(x.iter().map(|&x| T::from(x)));
        product.clear();
        product.resize(out.len(), T::zero());
        multiply(self.operators, argument, product)?;
        for (out, product) in out.iter_mut().zip(&*product) {
            *out = product.re();
        }
        Ok(())
    }
}

macro_rules! products {
    ($($method:ident),*) => {
        $(fn $method(&mut self, x: &[f64], out: &mut [f64]) -> Result<(), ConstraintError> {
            self.multiply(x, out, O::$method)
        })*
    };
}

impl<T: Scalar, O: ConstraintOperators<T>> ConstraintOperators<f64> for RealProducts<'_, T, O> {
    fn num_velocities(&self) -> usize {
        self.operators.num_velocities()
    }

    fn has_own_direction(&self, row: usize) -> bool {
        self.operators.has_own_direction(row)
    }

    fn solve_inertia(&mut self, b: &mut [f64]) -> Result<(), ConstraintError> {
        let argument = &mut self.memory.argument;
        argument.clear();
        argument.extend(b.iter().map(|&b| T::from(b)));
        self.operators.solve_inertia(argument)?;
        for (b, x) in b.iter_mut().zip(&*argument) {
            *b = x.re();
        }
        Ok(())
    }

    products!(
        g_mult,
        g_transpose_mult,
        n_mult,
        n_transpose_mult,
        n_minus_mu_q_transpose_mult,
        f_mult,
        f_transpose_mult,
        l_mult,
        l_transpose_mult
    );
}
