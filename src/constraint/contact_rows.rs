//! Contact Jacobians: rows of normal and tangential velocities.

use super::contact_motion::moving_contact;
use super::error::ConstraintError;
use super::forces::direction;
use super::moving_vector::{MovingFrame, MovingScalar, MovingVector};
use crate::Scalar;
use crate::contact::{CollisionGeometry, ContactError, ContactModel, FoundContact, PointContact};
use crate::geometry::GeometryError;
use crate::math::reset_matrix;
use crate::tree::{RigidBodyTree, TreeWorkspace};
use nalgebra::{DMatrix, Vector3};

/// Writes the Jacobian of the relative velocities of contacts, by index, along axes of their frames.
pub(super) fn contact_jacobian<T: Scalar>(
    tree: &RigidBodyTree<T>,
    workspace: &TreeWorkspace<T>,
    contacts: &[PointContact<T>],
    axes: &[(usize, Vector3<T>)],
    jacobian: &mut DMatrix<T>,
) -> Result<(), ConstraintError> {
    reset_matrix(jacobian, axes.len(), tree.num_velocities());
    for (row, (contact, axis)) in axes.iter().enumerate() {
        add_row(tree, workspace, &contacts[*contact], axis, jacobian, row)?;
    }
    Ok(())
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
            out[(row, j)] += axis.dot(&column.linear) * sign;
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

/// Writes the rates of the relative velocities of contacts, in their frames, when `v̇ = 0`.
///
/// With the velocity `u_A = v_A + w_A × (p_WC − p_WA)` of the material of A at the contact C, and `u_B`
/// likewise, the components along the axes `e` of the contact frame change at
///
/// ```text
/// d/dt e·(u_A − u_B) = ė·(u_A − u_B) + e·(a_A + α_A × r_A + w_A × ṙ_A − a_B − α_B × r_B − w_B × ṙ_B)
/// ```
///
/// with `a` and `α` the accelerations of the bodies at `v̇ = 0`, and `ṙ` the rate of `r = p_WC − p_W`,
/// for which the [point of contact](moving_contact) is followed over both surfaces.
pub(super) fn velocity_rates<T: Scalar>(
    tree: &RigidBodyTree<T>,
    model: &ContactModel<T>,
    workspace: &TreeWorkspace<T>,
    found: &[FoundContact],
    rates: &mut Vec<Vector3<T>>,
) -> Result<(), ConstraintError> {
    rates.clear();
    let at_rest = workspace.v().iter().all(|v| v.re() == 0.0);
    if T::NDERIV == 0 && at_rest {
        rates.resize(found.len(), Vector3::zeros());
        return Ok(());
    }
    for contact in found {
        let [a, b] = model.geometries_of(contact);
        let (frame_a, velocity_a) = moving_geometry(tree, workspace, a)?;
        let (frame_b, velocity_b) = moving_geometry(tree, workspace, b)?;
        let moving = moving_contact(contact.witness, (&a.shape, frame_a), (&b.shape, frame_b))
            .ok_or_else(|| ContactError::Geometry {
                first: a.name.clone(),
                second: b.name.clone(),
                source: GeometryError::WitnessMismatch {
                    witness: contact.witness,
                    a: a.shape.kind(),
                    b: b.shape.kind(),
                },
            })?;
        let share = MovingScalar::constant(a.material.stiffness_share(&b.material));
        let point = moving.on_b - moving.normal * (moving.penetration * share);
        let relative = velocity_a.at_point(point) - velocity_b.at_point(point);
        let axes = contact_axes(moving.normal);
        rates.push(Vector3::from(axes.map(|axis| axis.dot(&relative).rate)));
    }
    Ok(())
}

/// The velocity of a body.
struct MovingBody<T> {
    origin: MovingVector<T>,
    velocity: MovingVector<T>,
    angular_velocity: MovingVector<T>,
}

impl<T: Scalar> MovingBody<T> {
    /// The velocity of the body's material at a point.
    fn at_point(&self, point: MovingVector<T>) -> MovingVector<T> {
        self.velocity + self.angular_velocity.cross(&(point - self.origin))
    }
}

/// The frame of a geometry, and the motion of its body when `v̇ = 0`.
fn moving_geometry<T: Scalar>(
    tree: &RigidBodyTree<T>,
    workspace: &TreeWorkspace<T>,
    geometry: &CollisionGeometry<T>,
) -> Result<(MovingFrame<T>, MovingBody<T>), ConstraintError> {
    let pose = tree.body_pose(workspace, geometry.body)?;
    let velocity = tree.body_velocity(workspace, geometry.body)?;
    let bias = tree.bias_acceleration(workspace, geometry.body, &Vector3::zeros())?;
    let vector = |at, rate| MovingVector { at, rate };
    let body = MovingBody {
        origin: vector(pose.translation, velocity.linear),
        velocity: vector(velocity.linear, bias.linear),
        angular_velocity: vector(velocity.angular, bias.angular),
    };
    let in_body = &geometry.pose_in_body;
    let of_body = MovingFrame {
        rotation: pose.rotation,
        angular_velocity: velocity.angular,
        origin: body.origin,
    };
    let frame = MovingFrame {
        rotation: pose.rotation * in_body.rotation,
        angular_velocity: velocity.angular,
        origin: of_body.point(&in_body.translation),
    };
    Ok((frame, body))
}

/// The axes of a contact frame, as those of [`PointContact::rotation`].
fn contact_axes<T: Scalar>(normal: MovingVector<T>) -> [MovingVector<T>; 3] {
    let furthest = normal.at.map(|x| x.re()).iamin();
    let coordinate_axis = MovingVector {
        at: Vector3::ith(furthest, T::one()),
        rate: Vector3::zeros(),
    };
    let (_, first) = (coordinate_axis.cross(&normal)).length_and_direction(&coordinate_axis);
    [first, normal.cross(&first), normal]
}
