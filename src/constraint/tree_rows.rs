//! The constraint rows of a tree, collected from all constraints and contacts.

use super::baumgarte::Baumgarte;
use super::error::ConstraintError;
use super::tree_constraint::{ConstraintKind, ConstraintLevel, ConstraintRows, TreeConstraint};
use crate::error::check_element;
use crate::math::resize_matrix;
use crate::tree::{RigidBodyTree, TreeWorkspace};
use crate::{InvalidInput, Scalar};
use nalgebra::{DMatrix, DVector};

/// One row of a constraint.
pub(super) struct Row<'r, T> {
    /// The position of the constraint.
    pub constraint: usize,
    pub kind: ConstraintKind,
    pub level: ConstraintLevel,
    pub stabilization: &'r Baumgarte<T>,
    pub phi: T,
    pub explicit_rate: T,
    pub bias: T,
    pub jacobian: &'r [T],
}

/// The constants of a row.
pub(super) struct RowConstants<T> {
    pub k: T,
    /// The part of `k` that drives an error out.
    pub push: T,
    /// How far the data are from a kink of `k`.
    pub gap: f64,
    /// By how much a velocity would have to change for a contact to begin or cease to rebound.
    pub rebound_margin: f64,
}

impl<T: Scalar> RowConstants<T> {
    /// Without a push, and without a kink.
    pub fn smooth(k: T) -> Self {
        RowConstants {
            k,
            push: T::zero(),
            gap: f64::INFINITY,
            rebound_margin: f64::INFINITY,
        }
    }
}

/// The rows of a problem.
#[derive(Debug, Clone)]
pub(super) struct CollectedRows<T: Scalar> {
    pub bilateral: Rows<T>,
    pub unilateral: Rows<T>,
    /// Those of one constraint.
    evaluated: ConstraintRows<T>,
    jacobian: Vec<T>,
}

/// Rows of one kind.
#[derive(Debug, Clone)]
pub(super) struct Rows<T: Scalar> {
    jacobian: Vec<T>,
    pub k: Vec<T>,
    pub push: Vec<T>,
    pub gap: Vec<f64>,
    /// Rows whose forces do not act along them, and how they act.
    pub own_directions: Vec<(usize, DVector<T>)>,
    /// The constraint that each comes from, and which of its rows it is.
    pub source: Vec<(usize, usize)>,
    /// Whether they are of angles.
    pub angular: Vec<bool>,
}

impl<T: Scalar> Rows<T> {
    fn new() -> Self {
        Rows {
            jacobian: Vec::new(),
            k: Vec::new(),
            push: Vec::new(),
            gap: Vec::new(),
            own_directions: Vec::new(),
            source: Vec::new(),
            angular: Vec::new(),
        }
    }

    fn clear(&mut self) {
        self.jacobian.clear();
        self.k.clear();
        self.push.clear();
        self.gap.clear();
        self.own_directions.clear();
        self.source.clear();
        self.angular.clear();
    }

    /// Writes the Jacobian.
    pub fn write_matrix(&self, nv: usize, out: &mut DMatrix<T>) {
        resize_matrix(out, self.k.len(), nv);
        for (i, row) in self.jacobian.chunks_exact(nv.max(1)).enumerate() {
            for (j, &entry) in row.iter().enumerate() {
                out[(i, j)] = entry;
            }
        }
    }
}

impl<T: Scalar> CollectedRows<T> {
    pub fn new() -> Self {
        CollectedRows {
            bilateral: Rows::new(),
            unilateral: Rows::new(),
            evaluated: ConstraintRows::zeros(0, 0),
            jacobian: Vec::new(),
        }
    }

    pub fn clear(&mut self) {
        self.bilateral.clear();
        self.unilateral.clear();
    }

    /// Adds the rows of a constraint that `constants` gives constants.
    pub fn evaluate(
        &mut self,
        (tree, workspace, time): (&RigidBodyTree<T>, &TreeWorkspace<T>, T),
        (index, constraint): (usize, &dyn TreeConstraint<T>),
        stabilization: &Baumgarte<T>,
        constants: &impl Fn(&Row<'_, T>) -> Option<RowConstants<T>>,
    ) -> Result<(), ConstraintError> {
        let m = constraint.num_rows();
        let rows = &mut self.evaluated;
        evaluate_rows(constraint, (tree, workspace, time), rows)?;
        let (kind, level) = (constraint.kind(), constraint.level());
        let collected = match kind {
            ConstraintKind::Bilateral => &mut self.bilateral,
            ConstraintKind::Unilateral => &mut self.unilateral,
        };
        let jacobian = &mut self.jacobian;
        for row in 0..m {
            jacobian.clear();
            jacobian.extend(rows.jacobian.row(row).iter());
            let own = constants(&Row {
                constraint: index,
                kind,
                level,
                stabilization,
                phi: rows.phi[row],
                explicit_rate: rows.explicit_rate[row],
                bias: rows.bias[row],
                jacobian,
            });
            if let Some(RowConstants { k, push, gap, .. }) = own {
                collected.jacobian.extend_from_slice(jacobian);
                if let Some(directions) = &rows.force_directions {
                    let own = directions.row(row).transpose();
                    collected.own_directions.push((collected.k.len(), own));
                }
                collected.k.push(k);
                collected.push.push(push);
                collected.gap.push(gap);
                collected.source.push((index, row));
                collected.angular.push(constraint.is_angular());
            }
        }
        Ok(())
    }
}

/// Writes the rows of a constraint in the memory of others, and checks them; forces of inequalities act along their rows.
pub(crate) fn evaluate_rows<T: Scalar>(
    constraint: &dyn TreeConstraint<T>,
    at: (&RigidBodyTree<T>, &TreeWorkspace<T>, T),
    rows: &mut ConstraintRows<T>,
) -> Result<(), ConstraintError> {
    evaluate_any_rows(constraint, at, rows)?;
    if rows.force_directions.is_some() && constraint.kind() == ConstraintKind::Unilateral {
        let name = constraint.name().to_owned();
        return Err(ConstraintError::DirectionsOfInequality { name });
    }
    Ok(())
}

/// Writes the rows of a constraint in the memory of others, and checks them.
pub(super) fn evaluate_any_rows<T: Scalar>(
    constraint: &dyn TreeConstraint<T>,
    (tree, workspace, time): (&RigidBodyTree<T>, &TreeWorkspace<T>, T),
    rows: &mut ConstraintRows<T>,
) -> Result<(), ConstraintError> {
    let size = (constraint.num_rows(), tree.num_velocities());
    rows.reset(size.0, size.1);
    (constraint.evaluate(tree, workspace, time, rows))
        .and_then(|()| Ok(check_rows(rows, size)?))
        .map_err(|error| error.in_constraint(constraint.name()))?;
    check_numbers(rows, constraint.name())
}

/// Checks that what a constraint has written is finite with its derivatives.
fn check_numbers<T: Scalar>(rows: &ConstraintRows<T>, name: &str) -> Result<(), ConstraintError> {
    let directions = rows.force_directions.as_ref();
    for (quantity, values) in [
        ("phi", rows.phi.as_slice()),
        ("the rate", rows.explicit_rate.as_slice()),
        ("the bias", rows.bias.as_slice()),
        ("the Jacobian", rows.jacobian.as_slice()),
        (
            "a direction of forces",
            directions.map_or(&[][..], |d| d.as_slice()),
        ),
    ] {
        let label = || format!("constraint {name:?}");
        check_element(values, label, |_| quantity.to_owned())?;
    }
    Ok(())
}

/// Checks what an implementation of a constraint has written.
fn check_rows<T: Scalar>(
    rows: &ConstraintRows<T>,
    (m, nv): (usize, usize),
) -> Result<(), InvalidInput> {
    if let Some(directions) = &rows.force_directions {
        InvalidInput::check_size("directions of forces", directions.nrows(), m)?;
        InvalidInput::check_size("direction of a force", directions.ncols(), nv)?;
        InvalidInput::check_finite("directions of forces", directions.as_slice())?;
    }
    for (quantity, vector) in [
        ("phi of a constraint", &rows.phi),
        ("rate of a constraint", &rows.explicit_rate),
        ("bias of a constraint", &rows.bias),
    ] {
        InvalidInput::check_size(quantity, vector.len(), m)?;
        InvalidInput::check_finite(quantity, vector.as_slice())?;
    }
    InvalidInput::check_size("rows of a Jacobian", rows.jacobian.nrows(), m)?;
    InvalidInput::check_size("columns of a Jacobian", rows.jacobian.ncols(), nv)?;
    InvalidInput::check_finite("Jacobian of a constraint", rows.jacobian.as_slice())
}

pub(super) fn dot<T: Scalar>(a: &[T], b: &[T]) -> T {
    a.iter().zip(b).fold(T::zero(), |sum, (&a, &b)| sum + a * b)
}
