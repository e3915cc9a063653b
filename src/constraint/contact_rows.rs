//! Rows of the Jacobians of contacts, and their velocities.

use super::error::ConstraintError;
use super::forces::direction;
use crate::Scalar;
use crate::contact::{ContactModel, ContactWorkspace, FoundContact, PointContact};
use crate::tree::{RigidBodyTree, TreeWorkspace};
use nalgebra::{DMatrix, Vector3};

/// The velocity of A relative to B at a contact, in the contact frame.
pub(super) fn relative_velocity<T: Scalar>(
    tree: &RigidBodyTree<T>,
    workspace: &TreeWorkspace<T>,
    contact: &PointContact<T>,
) -> Result<Vector3<T>, ConstraintError> {
    let (a, b) = (contact.body_a, contact.body_b);
    let velocity = |body| tree.body_velocity(workspace, body);
    let origin = |body| -> Result<Vector3<T>, ConstraintError> {
        Ok(tree.body_pose(workspace, body)?.translation)
    };
    Ok(contact.relative_velocity((&velocity(a)?, &origin(a)?), (&velocity(b)?, &origin(b)?)))
}

/// The Jacobian of the relative velocities of contacts along axes of their frames.
pub(super) fn contact_jacobian<T: Scalar>(
    tree: &RigidBodyTree<T>,
    workspace: &TreeWorkspace<T>,
    rows: &[(PointContact<T>, Vector3<T>)],
) -> Result<DMatrix<T>, ConstraintError> {
    let mut jacobian = DMatrix::zeros(rows.len(), tree.num_velocities());
    for (row, (contact, axis)) in rows.iter().enumerate() {
        add_row(tree, workspace, contact, axis, &mut jacobian, row)?;
    }
    Ok(jacobian)
}

/// Adds the Jacobian of the relative velocity along `axis` of the contact frame to a row.
fn add_row<T: Scalar>(
    tree: &RigidBodyTree<T>,
    workspace: &TreeWorkspace<T>,
    contact: &PointContact<T>,
    axis: &Vector3<T>,
    out: &mut DMatrix<T>,
    row: usize,
) -> Result<(), ConstraintError> {
    let axis = contact.rotation * axis;
    for (body, sign) in [(contact.body_a, 1.0), (contact.body_b, -1.0)] {
        tree.for_each_point_column(workspace, body, &contact.position, |j, column| {
            out[(row, j)] += axis.dot(column) * sign;
        })?;
    }
    Ok(())
}

/// The `r` directions in the tangent plane of the contact frame that, with their opposites, span a
/// cone.
pub(super) fn spanning_directions<T: Scalar>(r: usize) -> impl Iterator<Item = Vector3<T>> {
    (0..r).map(move |k| {
        let (sin, cos) = direction(k, r);
        Vector3::new(T::from(cos), T::from(sin), T::zero())
    })
}

/// The rates of the relative velocities of contacts, in their frames, when `v̇ = 0`.
///
/// They depend on how the point of contact and the normal move over both surfaces. That is followed
/// along the motion `q(t)` of constant `v`, by central differences of fourth order in `t`: their
/// error, about 10⁻¹², is far below that of a simulation, and derivatives with respect to
/// everything else are those of the formula.
pub(super) fn velocity_rates<T: Scalar>(
    tree: &RigidBodyTree<T>,
    model: &ContactModel<T>,
    workspace: &TreeWorkspace<T>,
    found: &[FoundContact],
) -> Result<Vec<Vector3<T>>, ConstraintError> {
    const STEPS: [(f64, f64); 4] = [
        (-2.0, 1.0 / 12.0),
        (-1.0, -2.0 / 3.0),
        (1.0, 2.0 / 3.0),
        (2.0, -1.0 / 12.0),
    ];
    let mut rates = vec![Vector3::zeros(); found.len()];
    let (q, v) = (workspace.q(), workspace.v());
    let speed = v.iter().fold(0.0f64, |m, v| m.max(v.re().abs()));
    if found.is_empty() || (T::NDERIV == 0 && speed == 0.0) {
        return Ok(rates);
    }
    let h = 1e-3 / speed.max(1.0);
    let (mut moved, mut memory) = (tree.workspace(), ContactWorkspace::new());
    let mut q_moved = q.to_vec();
    for (step, weight) in STEPS {
        tree.integrate_exponential(q, v, T::from(step * h), &mut q_moved)?;
        tree.set_state(&mut moved, &q_moved, v)?;
        model.evaluate_at(tree, &moved, found, &mut memory)?;
        for (rate, contact) in rates.iter_mut().zip(&memory.points) {
            *rate += relative_velocity(tree, &moved, contact)? * T::from(weight / h);
        }
    }
    Ok(rates)
}
