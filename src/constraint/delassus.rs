//! The Delassus matrix J M⁻¹ Ĵᵀ: constrained motions per unit constraint force.

use super::error::ConstraintError;
use super::operators::ConstraintOperators;
use super::view::View;
use crate::math::{check_squares, resize_matrix};
use crate::{InvalidInput, Scalar};
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
}

/// The plane of two rows, and the direction in it that turns onto the first of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Turn {
    pub rows: [usize; 2],
    pub direction: [f64; 2],
}

impl Turn {
    /// The components along the direction, and across it.
    fn apply(&self, vector: &mut [f64]) {
        let ([i, j], [cos, sin]) = (self.rows, self.direction);
        let [x, y] = [vector[i], vector[j]];
        [vector[i], vector[j]] = [cos * x + sin * y, cos * y - sin * x];
    }

    /// The reverse.
    pub fn back(&self, vector: &mut [f64]) {
        let [cos, sin] = self.direction;
        let direction = [cos, -sin];
        Turn { direction, ..*self }.apply(vector);
    }
}

impl Delassus<f64> {
    /// Turns rows, and the forces along them.
    pub fn turn(&mut self, turns: &[Turn]) {
        let n = self.vector.len();
        for turn in turns {
            turn.apply(&mut self.vector);
            for columns in [&mut self.matrix, &mut self.frictionless] {
                let columns = columns.as_mut_slice().chunks_exact_mut(n);
                columns.for_each(|column| turn.apply(column));
            }
            let ([i, j], [cos, sin]) = (turn.rows, turn.direction);
            for p in 0..n {
                let [x, y] = [self.matrix[(p, i)], self.matrix[(p, j)]];
                self.matrix[(p, i)] = cos * x + sin * y;
                self.matrix[(p, j)] = cos * y - sin * x;
            }
        }
    }
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
        // The matrix, and columns without friction.
        check_squares::<T>("rows of contacts and constraints", 2, n)?;
        self.free_motion.clear();
        self.free_motion.extend_from_slice(&view.right_hand_side);
        operators.solve_inertia(&mut self.free_motion)?;
        InvalidInput::check_finite("motion without constraint forces", &self.free_motion)?;
        self.vector.clear();
        self.vector.resize(n, T::zero());
        multiply(operators, view, &self.free_motion, &mut self.vector)?;
        for (x, &k) in self.vector.iter_mut().zip(&view.k) {
            *x += k;
        }
        resize_matrix(&mut self.matrix, n, n);
        resize_matrix(&mut self.responses, nv, n);
        let nc = if view.slides { layout.nc } else { 0 };
        resize_matrix(&mut self.frictionless, n, nc);
        self.motion.clear();
        self.motion.resize(nv, T::zero());
        self.unit.clear();
        self.unit.resize(n, T::zero());
        for j in 0..n {
            self.unit[j] = T::one();
            unit_force(operators, view, &self.unit, j, &mut self.motion)?;
            operators.solve_inertia(&mut self.motion)?;
            let column = &mut self.matrix.as_mut_slice()[j * n..(j + 1) * n];
            multiply(operators, view, &self.motion, column)?;
            self.responses.column_mut(j).copy_from_slice(&self.motion);
            if j < nc {
                let (unit, motion) = (&self.unit[layout.normal()], &mut self.motion);
                operators.n_transpose_mult(unit, motion)?;
                operators.solve_inertia(&mut self.motion)?;
                let column = &mut self.frictionless.as_mut_slice()[j * n..(j + 1) * n];
                multiply(operators, view, &self.motion, column)?;
            }
            self.unit[j] = T::zero();
        }
        InvalidInput::check_finite("J M⁻¹ b + k", &self.vector)?;
        InvalidInput::check_finite("J M⁻¹ Ĵᵀ", self.matrix.as_slice())?;
        InvalidInput::check_finite("J M⁻¹ Nᵀ", self.frictionless.as_slice())?;
        Ok(())
    }

    /// Column of `D`.
    pub fn column(&self, j: usize) -> &[T] {
        let n = self.matrix.nrows();
        &self.matrix.as_slice()[j * n..(j + 1) * n]
    }

    /// A column of zeros.
    pub fn no_column(&self, _: usize) -> &[T] {
        &self.unit
    }

    /// Column of `J M⁻¹ Jᵀ`, which is symmetric.
    pub fn frictionless_column(&self, j: usize) -> &[T] {
        if j < self.frictionless.ncols() {
            let n = self.frictionless.nrows();
            &self.frictionless.as_slice()[j * n..(j + 1) * n]
        } else {
            self.column(j)
        }
    }
}

/// `J v` in the order of the packed forces.
pub(super) fn multiply<T: Scalar, O: ConstraintOperators<T>>(
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

/// `Ĵᵀ f` of a vector `f` with no other entry than `j`.
fn unit_force<T: Scalar, O: ConstraintOperators<T>>(
    operators: &mut O,
    view: &View<T>,
    f: &[T],
    j: usize,
    out: &mut [T],
) -> Result<(), ConstraintError> {
    let layout = view.layout;
    if layout.normal().contains(&j) {
        contact_force(operators, view, f, out)
    } else if layout.friction().contains(&j) {
        operators.f_transpose_mult(&f[layout.friction()], out)
    } else if layout.limit().contains(&j) {
        operators.l_transpose_mult(&f[layout.limit()], out)
    } else {
        operators.g_transpose_mult(&f[layout.bilateral()], out)
    }
}

/// The generalized force of the normal forces, with the friction of contacts that slide.
fn contact_force<T: Scalar, O: ConstraintOperators<T>>(
    operators: &mut O,
    view: &View<T>,
    f: &[T],
    out: &mut [T],
) -> Result<(), ConstraintError> {
    let normal = &f[view.layout.normal()];
    if view.slides {
        operators.n_minus_mu_q_transpose_mult(normal, out)
    } else {
        operators.n_transpose_mult(normal, out)
    }
}

/// `Ĵᵀ f`; `part` is memory.
pub(super) fn generalized_force<T: Scalar, O: ConstraintOperators<T>>(
    operators: &mut O,
    view: &View<T>,
    f: &[T],
    out: &mut [T],
    part: &mut Vec<T>,
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
    if layout.nc > 0 {
        contact_force(operators, view, f, part)?;
        add(part);
    }
    if layout.nnr > 0 {
        operators.f_transpose_mult(&f[layout.friction()], part)?;
        add(part);
    }
    if layout.nu > 0 {
        operators.l_transpose_mult(&f[layout.limit()], part)?;
        add(part);
    }
    if layout.nb > 0 {
        operators.g_transpose_mult(&f[layout.bilateral()], part)?;
        add(part);
    }
    Ok(())
}
