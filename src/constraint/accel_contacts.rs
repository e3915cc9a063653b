//! The contacts of an acceleration problem of a tree.

use super::baumgarte::Baumgarte;
use super::contact_rows::{
    contact_jacobian, relative_velocity, spanning_directions, touching, velocity_rates,
};
use super::error::ConstraintError;
use crate::Scalar;
use crate::contact::{ContactModel, ContactWorkspace, FoundContact, PointContact};
use crate::tree::{RigidBodyTree, TreeWorkspace};
use nalgebra::{DMatrix, Matrix3, Vector2, Vector3};

/// A contact that touches by decision, whatever its gap is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct TouchingContact {
    pub found: FoundContact,
    /// The direction in which it slides, along the tangents of its frame; none where it sticks.
    pub slip: Option<Vector2<f64>>,
}

/// Which contacts of a model count, and how.
pub(super) struct RigidContacts<'a, T: Scalar> {
    pub model: &'a ContactModel<T>,
    pub stabilization: Baumgarte<T>,
    pub spanning_directions: usize,
    pub speed_tolerance: f64,
    pub touch_tolerance: f64,
    /// The contacts, where it is decided already which touch and slide.
    pub touching: Option<&'a [TouchingContact]>,
}

/// The contacts, and what they contribute to the problem.
pub(super) struct AccelContacts<T: Scalar> {
    pub points: Vec<PointContact<T>>,
    pub found: Vec<FoundContact>,
    pub sliding: Vec<usize>,
    pub non_sliding: Vec<usize>,
    pub mu_sliding: Vec<T>,
    pub mu_non_sliding: Vec<T>,
    pub k_n: Vec<T>,
    pub k_f: Vec<T>,
    pub n: DMatrix<T>,
    pub q: DMatrix<T>,
    pub f: DMatrix<T>,
}

impl<T: Scalar> AccelContacts<T> {
    /// The contacts that touch and do not part.
    pub fn new(
        rigid: Option<RigidContacts<'_, T>>,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
    ) -> Result<Self, ConstraintError> {
        let mut contacts = Self::none(tree.num_velocities());
        let Some(rigid) = rigid else {
            return Ok(contacts);
        };
        let (model, tolerance) = (rigid.model, rigid.touch_tolerance);
        if let Some(decided) = rigid.touching {
            let mut memory = ContactWorkspace::new();
            contacts.found.extend(decided.iter().map(|c| c.found));
            model.evaluate_at(tree, workspace, &contacts.found, &mut memory)?;
            contacts.points = memory.points;
        } else {
            for (point, witness) in touching(tree, workspace, model, tolerance)? {
                let velocity = relative_velocity(tree, workspace, &point)?;
                if velocity.z.re() <= rigid.speed_tolerance {
                    contacts.points.push(point);
                    contacts.found.push(witness);
                }
            }
        }
        let rates = velocity_rates(tree, model, workspace, &contacts.found)?;
        let (mut normals, mut slips, mut tangents) = (Vec::new(), Vec::new(), Vec::new());
        for (index, (point, mut rate)) in contacts.points.iter_mut().zip(rates).enumerate() {
            let velocity = relative_velocity(tree, workspace, point)?;
            let speed = velocity.x.re().hypot(velocity.y.re());
            let slip = match rigid.touching {
                Some(decided) => decided[index].slip,
                None => (speed > rigid.speed_tolerance)
                    .then(|| Vector2::new(velocity.x.re(), velocity.y.re())),
            };
            if let Some(direction) = slip {
                let turn = frame_along(&velocity, &direction);
                point.rotation *= turn;
                rate = turn.tr_mul(&rate);
                contacts.sliding.push(index);
                let slip = [velocity.x, velocity.y];
                contacts.mu_sliding.push(point.material.friction_at(slip));
                slips.push((*point, Vector3::x()));
            } else {
                contacts.non_sliding.push(index);
                let mu = point.material.static_friction();
                contacts.mu_non_sliding.push(mu);
                for direction in spanning_directions(rigid.spanning_directions) {
                    contacts.k_f.push(direction.dot(&rate));
                    tangents.push((*point, direction));
                }
                slips.push((*point, Vector3::zeros()));
            }
            normals.push((*point, Vector3::z()));
            let error = rigid
                .stabilization
                .acceleration(-point.penetration, velocity.z);
            contacts.k_n.push(rate.z + error);
        }
        contacts.n = contact_jacobian(tree, workspace, &normals)?;
        contacts.q = contact_jacobian(tree, workspace, &slips)?;
        contacts.f = contact_jacobian(tree, workspace, &tangents)?;
        Ok(contacts)
    }

    fn none(nv: usize) -> Self {
        let no_rows = || DMatrix::zeros(0, nv);
        AccelContacts {
            points: Vec::new(),
            found: Vec::new(),
            sliding: Vec::new(),
            non_sliding: Vec::new(),
            mu_sliding: Vec::new(),
            mu_non_sliding: Vec::new(),
            k_n: Vec::new(),
            k_f: Vec::new(),
            n: no_rows(),
            q: no_rows(),
            f: no_rows(),
        }
    }
}

/// The rotation about the normal of a contact frame that turns its first tangent to the line of slip, on the
/// side of `direction`: friction goes on as it was where slip passes through zero.
fn frame_along<T: Scalar>(velocity: &Vector3<T>, direction: &Vector2<f64>) -> Matrix3<T> {
    let (mut x, mut y) = (velocity.x, velocity.y);
    let along = x.re() * direction.x + y.re() * direction.y;
    if x.re() == 0.0 && y.re() == 0.0 {
        (x, y) = (T::from(direction.x), T::from(direction.y));
    } else if along < 0.0 {
        (x, y) = (-x, -y);
    }
    let slip = T::norm_lifted(&[x, y]);
    let (cos, sin) = (x.div_lifted(slip), y.div_lifted(slip));
    let (zero, one) = (T::zero(), T::one());
    Matrix3::new(cos, -sin, zero, sin, cos, zero, zero, zero, one)
}
