//! How constraint forces change the constrained motions.

use super::error::ConstraintError;
use super::operators::ConstraintOperators;
use super::view::View;
use crate::Scalar;
use crate::math::reset_matrix;
use nalgebra::DMatrix;

/// The matrix `D = J M⁻¹ Ĵᵀ` of the rows `J = [N; F; L; G]` and the forces
/// `Ĵᵀ = [Nᵀ − μQᵀ, Fᵀ, Lᵀ, Gᵀ]`, and what happens without forces.
#[derive(Debug, Clone)]
pub(super) struct Delassus<T> {
    /// `D`.
    pub matrix: DMatrix<T>,
    /// The columns `J M⁻¹ Nᵀ` (without friction); no columns when nothing slides.
    pub frictionless: DMatrix<T>,
    /// `J M⁻¹ b + k`, with `b` the right-hand side.
    pub vector: Vec<T>,
    /// `M⁻¹ b`.
    pub free_motion: Vec<T>,
    /// `M⁻¹ Ĵᵀ`.
    pub responses: DMatrix<T>,
    unit: Vec<T>,
    motion: Vec<T>,
    part: Vec<T>,
}

impl<T: Scalar> Delassus<T> {
    pub fn new() -> Self {
        let empty = || DMatrix::zeros(0, 0);
        Delassus {
            matrix: empty(),
            frictionless: empty(),
            vector: Vec::new(),
            free_motion: Vec::new(),
            responses: empty(),
            unit: Vec::new(),
            motion: Vec::new(),
            part: Vec::new(),
        }
    }

    /// Evaluates everything, by one solution with the inertia for each force.
    pub fn assemble<O: ConstraintOperators<T>>(
        &mut self,
        view: &View<T>,
        operators: &mut O,
    ) -> Result<(), ConstraintError> {
        let layout = view.layout;
        let (n, nv) = (layout.size(), operators.num_velocities());
        self.free_motion.clear();
        self.free_motion.extend_from_slice(&view.right_hand_side);
        operators.solve_inertia(&mut self.free_motion)?;
        self.vector.clear();
        self.vector.resize(n, T::zero());
        multiply(operators, view, &self.free_motion, &mut self.vector)?;
        for (x, &k) in self.vector.iter_mut().zip(&view.k) {
            *x += k;
        }
        reset_matrix(&mut self.matrix, n, n);
        reset_matrix(&mut self.responses, nv, n);
        let slides = !view.mu_sliding.is_empty();
        let nc = if slides { layout.nc } else { 0 };
        reset_matrix(&mut self.frictionless, n, nc);
        self.motion.clear();
        self.motion.resize(nv, T::zero());
        self.unit.clear();
        self.unit.resize(n, T::zero());
        for j in 0..n {
            self.unit[j] = T::one();
            generalized_force(
                operators,
                view,
                &self.unit,
                &mut self.part,
                &mut self.motion,
            )?;
            operators.solve_inertia(&mut self.motion)?;
            let column = &mut self.matrix.as_mut_slice()[j * n..(j + 1) * n];
            multiply(operators, view, &self.motion, column)?;
            self.responses.column_mut(j).copy_from_slice(&self.motion);
            if j < nc {
                operators.n_transpose_mult(&self.unit[layout.normal()], &mut self.motion)?;
                operators.solve_inertia(&mut self.motion)?;
                let column = &mut self.frictionless.as_mut_slice()[j * n..(j + 1) * n];
                multiply(operators, view, &self.motion, column)?;
            }
            self.unit[j] = T::zero();
        }
        Ok(())
    }

    /// Entry of `J M⁻¹ Jᵀ`, which is symmetric.
    pub fn frictionless_entry(&self, i: usize, j: usize) -> T {
        if j < self.frictionless.ncols() {
            self.frictionless[(i, j)]
        } else {
            self.matrix[(i, j)]
        }
    }
}

/// `J v` in the order of the packed forces.
fn multiply<T: Scalar, O: ConstraintOperators<T>>(
    operators: &mut O,
    view: &View<T>,
    v: &[T],
    out: &mut [T],
) -> Result<(), ConstraintError> {
    let layout = view.layout;
    if layout.nc > 0 {
        operators.n_mult(v, &mut out[layout.normal()])?;
    }
    if layout.nnr > 0 {
        operators.f_mult(v, &mut out[layout.friction()])?;
    }
    if layout.nu > 0 {
        operators.l_mult(v, &mut out[layout.limit()])?;
    }
    if layout.nb > 0 {
        operators.g_mult(v, &mut out[layout.bilateral()])?;
    }
    Ok(())
}

/// `Ĵᵀ f`; `part` is scratch.
pub(super) fn generalized_force<T: Scalar, O: ConstraintOperators<T>>(
    operators: &mut O,
    view: &View<T>,
    f: &[T],
    part: &mut Vec<T>,
    out: &mut [T],
) -> Result<(), ConstraintError> {
    let layout = view.layout;
    part.clear();
    part.resize(out.len(), T::zero());
    out.fill(T::zero());
    let mut add = |part: &[T]| {
        for (out, &part) in out.iter_mut().zip(part) {
            *out += part;
        }
    };
    let is_used = |f: &[T]| f.iter().any(|f| *f != T::zero() || T::NDERIV > 0);
    let normal = &f[layout.normal()];
    if is_used(normal) {
        if view.mu_sliding.is_empty() {
            operators.n_transpose_mult(normal, part)?;
        } else {
            operators.n_minus_mu_q_transpose_mult(&view.mu_sliding, normal, part)?;
        }
        add(part);
    }
    let friction = &f[layout.friction()];
    if is_used(friction) {
        operators.f_transpose_mult(friction, part)?;
        add(part);
    }
    let limit = &f[layout.limit()];
    if is_used(limit) {
        operators.l_transpose_mult(limit, part)?;
        add(part);
    }
    let bilateral = &f[layout.bilateral()];
    if is_used(bilateral) {
        operators.g_transpose_mult(bilateral, part)?;
        add(part);
    }
    Ok(())
}
