//! Constraint operators from closures.

use super::error::ConstraintError;
use super::operators::{ConstraintOperators, transpose_by_columns};
use crate::{InvalidInput, Scalar};

type InPlace<'a, T> = Box<dyn FnMut(&mut [T]) + 'a>;
type Product<'a, T> = Box<dyn FnMut(&[T], &mut [T]) + 'a>;

/// A pair of products, with a Jacobian and with its transpose.
struct Products<'a, T> {
    multiply: Product<'a, T>,
    transpose: Product<'a, T>,
}

/// The operators of a constraint problem as closures, for those who have functions and no matrices.
///
/// Each closure overwrites its last argument. Those of constraints that a problem does not have are
/// left out.
///
/// ```
/// use dualbody::constraint::{ConstraintAccelProblemData, ConstraintClosures, ConstraintSolver};
/// use nalgebra::dvector;
///
/// // A block of 2 kg slides to the right (x) on a table (y is up) with μ = 0.5.
/// let (mass, mu) = (2.0, 0.5);
/// let operators = ConstraintClosures::new(2, |b: &mut [f64]| b.iter_mut().for_each(|b| *b /= mass))
///     .with_contacts(
///         |v, out| out[0] = v[1],
///         |f, out| out.copy_from_slice(&[-mu * f[0], f[0]]),
///     );
/// let mut data = ConstraintAccelProblemData::new(operators);
/// data.sliding_contacts = vec![0];
/// data.mu_sliding = dvector![mu];
/// data.kN = dvector![0.0];
/// data.tau = dvector![0.0, -9.81 * mass];
/// let solution = ConstraintSolver::default().solve_accelerations(&mut data)?;
/// assert!((solution.generalized_acceleration[0] + 0.5 * 9.81).abs() < 1e-14);
/// # Ok::<(), dualbody::constraint::ConstraintError>(())
/// ```
pub struct ConstraintClosures<'a, T> {
    num_velocities: usize,
    solve_inertia: InPlace<'a, T>,
    normal: Option<Product<'a, T>>,
    normal_force: Option<Product<'a, T>>,
    sliding_force: Option<Product<'a, T>>,
    friction: Option<Products<'a, T>>,
    unilateral: Option<Products<'a, T>>,
    bilateral: Option<Products<'a, T>>,
}

impl<'a, T: Scalar> ConstraintClosures<'a, T> {
    /// A system of `num_velocities` coordinates without constraints; `solve_inertia` replaces `b` by
    /// `M⁻¹ b`.
    pub fn new(num_velocities: usize, solve_inertia: impl FnMut(&mut [T]) + 'a) -> Self {
        ConstraintClosures {
            num_velocities,
            solve_inertia: Box::new(solve_inertia),
            normal: None,
            normal_force: None,
            sliding_force: None,
            friction: None,
            unilateral: None,
            bilateral: None,
        }
    }

    /// `N v` and `(Nᵀ − Qᵀ μ) f`, with `μ` the coefficients of friction of contacts that slide.
    ///
    /// `Nᵀ f` alone is then made of `N v` for each of the unit velocities, where nothing slides and where a solution is
    /// missing; [`Self::with_normals`] gives it.
    pub fn with_contacts(
        mut self,
        n_mult: impl FnMut(&[T], &mut [T]) + 'a,
        n_minus_mu_q_transpose_mult: impl FnMut(&[T], &mut [T]) + 'a,
    ) -> Self {
        self.normal = Some(Box::new(n_mult));
        self.sliding_force = Some(Box::new(n_minus_mu_q_transpose_mult));
        self
    }

    /// `N v` and `Nᵀ f`: contacts of an impact or a time step, and those of which none slides.
    pub fn with_normals(
        mut self,
        n_mult: impl FnMut(&[T], &mut [T]) + 'a,
        n_transpose_mult: impl FnMut(&[T], &mut [T]) + 'a,
    ) -> Self {
        self.normal = Some(Box::new(n_mult));
        self.normal_force = Some(Box::new(n_transpose_mult));
        self
    }

    /// `F v` and `Fᵀ f`.
    pub fn with_friction(
        mut self,
        f_mult: impl FnMut(&[T], &mut [T]) + 'a,
        f_transpose_mult: impl FnMut(&[T], &mut [T]) + 'a,
    ) -> Self {
        self.friction = Products::new(f_mult, f_transpose_mult);
        self
    }

    /// `L v` and `Lᵀ f`.
    pub fn with_unilateral(
        mut self,
        l_mult: impl FnMut(&[T], &mut [T]) + 'a,
        l_transpose_mult: impl FnMut(&[T], &mut [T]) + 'a,
    ) -> Self {
        self.unilateral = Products::new(l_mult, l_transpose_mult);
        self
    }

    /// `G v` and `Gᵀ f`.
    pub fn with_bilateral(
        mut self,
        g_mult: impl FnMut(&[T], &mut [T]) + 'a,
        g_transpose_mult: impl FnMut(&[T], &mut [T]) + 'a,
    ) -> Self {
        self.bilateral = Products::new(g_mult, g_transpose_mult);
        self
    }
}

impl<'a, T> Products<'a, T> {
    fn new(
        multiply: impl FnMut(&[T], &mut [T]) + 'a,
        transpose: impl FnMut(&[T], &mut [T]) + 'a,
    ) -> Option<Self> {
        Some(Products {
            multiply: Box::new(multiply),
            transpose: Box::new(transpose),
        })
    }
}

/// The product, or that of no rows.
fn multiply<T>(
    quantity: &'static str,
    product: Option<&mut Product<'_, T>>,
    v: &[T],
    out: &mut [T],
) -> Result<(), ConstraintError> {
    match product {
        Some(product) => product(v, out),
        None => InvalidInput::check_size(quantity, 0, out.len())?,
    }
    Ok(())
}

/// The force, or none.
fn transpose<T: Scalar>(
    products: Option<&mut Products<'_, T>>,
    f: &[T],
    out: &mut [T],
) -> Result<(), ConstraintError> {
    match products {
        Some(products) => (products.transpose)(f, out),
        None => out.fill(T::zero()),
    }
    Ok(())
}

impl<T: Scalar> ConstraintOperators<T> for ConstraintClosures<'_, T> {
    fn num_velocities(&self) -> usize {
        self.num_velocities
    }

    fn solve_inertia(&mut self, b: &mut [T]) -> Result<(), ConstraintError> {
        (self.solve_inertia)(b);
        Ok(())
    }

    fn g_mult(&mut self, v: &[T], out: &mut [T]) -> Result<(), ConstraintError> {
        multiply(
            "G v",
            self.bilateral.as_mut().map(|p| &mut p.multiply),
            v,
            out,
        )
    }

    fn g_transpose_mult(&mut self, f: &[T], out: &mut [T]) -> Result<(), ConstraintError> {
        transpose(self.bilateral.as_mut(), f, out)
    }

    fn n_mult(&mut self, v: &[T], out: &mut [T]) -> Result<(), ConstraintError> {
        multiply("N v", self.normal.as_mut(), v, out)
    }

    fn n_transpose_mult(&mut self, f: &[T], out: &mut [T]) -> Result<(), ConstraintError> {
        match &mut self.normal_force {
            Some(product) => product(f, out),
            None => transpose_by_columns(|v, out| self.n_mult(v, out), f, out)?,
        }
        Ok(())
    }

    fn n_minus_mu_q_transpose_mult(
        &mut self,
        f: &[T],
        out: &mut [T],
    ) -> Result<(), ConstraintError> {
        match &mut self.sliding_force {
            Some(product) => product(f, out),
            None => return Err(ConstraintError::NoSlidingForces),
        }
        Ok(())
    }

    fn f_mult(&mut self, v: &[T], out: &mut [T]) -> Result<(), ConstraintError> {
        multiply(
            "F v",
            self.friction.as_mut().map(|p| &mut p.multiply),
            v,
            out,
        )
    }

    fn f_transpose_mult(&mut self, f: &[T], out: &mut [T]) -> Result<(), ConstraintError> {
        transpose(self.friction.as_mut(), f, out)
    }

    fn l_mult(&mut self, v: &[T], out: &mut [T]) -> Result<(), ConstraintError> {
        multiply(
            "L v",
            self.unilateral.as_mut().map(|p| &mut p.multiply),
            v,
            out,
        )
    }

    fn l_transpose_mult(&mut self, f: &[T], out: &mut [T]) -> Result<(), ConstraintError> {
        transpose(self.unilateral.as_mut(), f, out)
    }
}

impl<T> std::fmt::Debug for ConstraintClosures<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ConstraintClosures")
            .field("num_velocities", &self.num_velocities)
            .finish_non_exhaustive()
    }
}
