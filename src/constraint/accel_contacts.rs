//! The contacts of an acceleration problem of a tree: which stick and which slide.

use super::baumgarte::Baumgarte;
use super::contact_rows::{contact_jacobian, spanning_directions, velocity_rates};
use super::error::ConstraintError;
use super::tree_problem::{AccelMemory, Scratch, TreeConstraintProblem};
use crate::Scalar;
use crate::contact::{ContactModel, FoundContact};
use crate::math::take_memory;
use crate::tree::{RigidBodyTree, TreeWorkspace};
use nalgebra::{DVector, Matrix3, Vector2, Vector3};

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

impl<T: Scalar> AccelMemory<T> {
    /// Writes the contacts that touch and do not part.
    pub(super) fn write_contacts(
        &mut self,
        rigid: Option<RigidContacts<'_, T>>,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
    ) -> Result<(), ConstraintError> {
        let TreeConstraintProblem {
            data,
            contacts,
            found,
            scratch,
            ..
        } = self;
        let Scratch {
            rates,
            axes,
            search,
            found: near,
            ..
        } = scratch;
        contacts.clear();
        found.clear();
        data.sliding_contacts.clear();
        data.non_sliding_contacts.clear();
        data.r.clear();
        let [mut k_n, mut k_f, mut mu_sliding, mut mu_non_sliding] = [
            &mut data.kN,
            &mut data.kF,
            &mut data.mu_sliding,
            &mut data.mu_non_sliding,
        ]
        .map(take_memory);
        if let Some(rigid) = rigid {
            let model = rigid.model;
            if let Some(decided) = rigid.touching {
                found.extend(decided.iter().map(|c| c.found));
                model.evaluate_at(tree, workspace, found, search)?;
                contacts.extend_from_slice(&search.points);
            } else {
                model.find(tree, workspace, rigid.touch_tolerance, search, near)?;
                for (point, witness) in search.points.iter().zip(&*near) {
                    let velocity = point.relative_velocity_in(tree, workspace)?;
                    if velocity.z.re() <= rigid.speed_tolerance {
                        contacts.push(*point);
                        found.push(*witness);
                    }
                }
            }
            velocity_rates(tree, model, workspace, found, rates)?;
            for (index, (point, rate)) in contacts.iter_mut().zip(&mut *rates).enumerate() {
                let velocity = point.relative_velocity_in(tree, workspace)?;
                let speed = velocity.x.re().hypot(velocity.y.re());
                let slip = match rigid.touching {
                    Some(decided) => decided[index].slip,
                    None => (speed > rigid.speed_tolerance)
                        .then(|| Vector2::new(velocity.x.re(), velocity.y.re())),
                };
                if let Some(direction) = slip {
                    let turn = frame_along(&velocity, &direction);
                    point.rotation *= turn;
                    *rate = turn.tr_mul(rate);
                    data.sliding_contacts.push(index);
                    let slip = [velocity.x, velocity.y];
                    mu_sliding.push(point.material.friction_at(slip));
                } else {
                    data.non_sliding_contacts.push(index);
                    data.r.push(rigid.spanning_directions);
                    mu_non_sliding.push(point.material.static_friction());
                    let directions = spanning_directions(rigid.spanning_directions);
                    k_f.extend(directions.map(|direction: Vector3<T>| direction.dot(rate)));
                }
                let error = rigid
                    .stabilization
                    .acceleration(-point.penetration, velocity.z);
                k_n.push(rate.z + error);
            }
        }
        data.kN = DVector::from_vec(k_n);
        data.kF = DVector::from_vec(k_f);
        data.mu_sliding = DVector::from_vec(mu_sliding);
        data.mu_non_sliding = DVector::from_vec(mu_non_sliding);

        let operators = &mut data.operators;
        let write =
            |axes: &[_], out: &mut _| contact_jacobian(tree, workspace, contacts, axes, out);
        let all = 0..contacts.len();
        axes.clear();
        axes.extend(all.clone().map(|contact| (contact, Vector3::z())));
        write(axes, &mut operators.n)?;
        axes.clear();
        if !data.sliding_contacts.is_empty() {
            axes.extend(all.map(|contact| (contact, Vector3::zeros())));
        }
        for &contact in &data.sliding_contacts {
            axes[contact].1 = Vector3::x();
        }
        write(axes, &mut operators.mu_q)?;
        for (&contact, &mu) in data.sliding_contacts.iter().zip(&data.mu_sliding) {
            operators.mu_q.row_mut(contact).apply(|q| *q *= mu);
        }
        axes.clear();
        for (&contact, &r) in data.non_sliding_contacts.iter().zip(&data.r) {
            axes.extend(spanning_directions(r).map(|direction| (contact, direction)));
        }
        write(axes, &mut operators.f)
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
