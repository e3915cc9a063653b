//! The mass matrix factored by articulated bodies (the first stage of ABA).
//!
//! The mathematics are in [forward dynamics](super::forward_dynamics).

use super::column::ColumnKind;
use super::forward_dynamics::SINGULARITY;
use super::rigid_body_tree::RigidBodyTree;
use super::symmetric::Symmetric3;
use super::workspace::TreeWorkspace;
use crate::Scalar;
use crate::math::{SpatialForce, SpatialVelocity, rotation};
use nalgebra::{Matrix3, Vector3};

/// The factorisation, in `f64`.
#[derive(Debug, Clone)]
pub(crate) struct ArticulatedBodies {
    bodies: Vec<ArticulatedBody>,
    columns: Vec<EliminatedColumn>,
}

/// What a mobilized body and everything outward of it opposes to acceleration, about its origin,
/// expressed in W.
#[derive(Debug, Clone, Copy)]
struct ArticulatedBody {
    /// J, torque of an angular acceleration.
    rotational: Symmetric3<f64>,
    /// H, torque of a linear acceleration; its transpose, force of an angular one.
    coupling: Matrix3<f64>,
    /// M, force of a linear acceleration.
    translational: Symmetric3<f64>,
    /// Of the same bodies as if welded: what the elimination is measured against.
    composite: Composite,
    /// `p_PoBo_W`.
    offset: Vector3<f64>,
}

/// Mass, first moment, and half the trace of the rotational inertia: `Σ m |r|²`.
#[derive(Debug, Clone, Copy)]
struct Composite {
    mass: f64,
    first_moment: Vector3<f64>,
    second_moment: f64,
}

/// A column `s` with `U = I s` and `1/D`.
#[derive(Debug, Clone, Copy)]
struct EliminatedColumn {
    axis: Vector3<f64>,
    torque: Vector3<f64>,
    force: Vector3<f64>,
    inverse: f64,
}

impl ArticulatedBodies {
    pub(super) fn new(bodies: usize, columns: usize) -> Self {
        let zero = Vector3::zeros();
        let body = ArticulatedBody {
            rotational: Symmetric3::zero(),
            coupling: Matrix3::zeros(),
            translational: Symmetric3::zero(),
            composite: Composite {
                mass: 0.0,
                first_moment: zero,
                second_moment: 0.0,
            },
            offset: zero,
        };
        let column = EliminatedColumn {
            axis: zero,
            torque: zero,
            force: zero,
            inverse: 0.0,
        };
        ArticulatedBodies {
            bodies: vec![body; bodies],
            columns: vec![column; columns],
        }
    }

    /// Factors the real part of the mass matrix at the positions of the workspace, with `added` on its diagonal.
    ///
    /// # Errors
    /// The mobilized body whose joint moves without moving inertia.
    pub(super) fn factor<T: Scalar>(
        &mut self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
        added: impl Fn(usize) -> f64,
    ) -> Result<(), usize> {
        for ((body, m), position) in
            (self.bodies.iter_mut().zip(&tree.mobilized)).zip(&workspace.positions)
        {
            let mass = m.inertia.mass.re();
            let first_moment = position.first_moment.map(|x| x.re());
            let r = position.pose.rotation.map(|x| x.re());
            let rotational = m.inertia.rotational.re();
            *body = ArticulatedBody {
                rotational: rotational.rotated(&r),
                coupling: rotation::skew(&first_moment),
                translational: Symmetric3::scalar(mass),
                composite: Composite {
                    mass,
                    first_moment,
                    second_moment: 0.5 * rotational.trace(),
                },
                offset: position.offset.map(|x| x.re()),
            };
        }
        for (i, m) in tree.mobilized.iter().enumerate().skip(1).rev() {
            let (inner, outer) = self.bodies.split_at_mut(i);
            let body = &mut outer[0];
            for k in m.columns.clone().rev() {
                let axis = workspace.axes[k].map(|x| x.re());
                let column = &tree.columns[k];
                let added = added(column.coordinate) + column.armature.re();
                self.columns[k] = body.eliminate(column.kind, axis, added).ok_or(i)?;
            }
            if m.parent != 0 {
                inner[m.parent].add_shifted(body);
            }
        }
        Ok(())
    }

    /// Replaces `b` by `M₀⁻¹ b`.
    ///
    /// Inwards, forces `F = U u/D` that the joints do not resist; outwards, the accelerations.
    pub(super) fn solve<T: Scalar>(
        &self,
        tree: &RigidBodyTree<T>,
        forces: &mut [SpatialForce<T>],
        motions: &mut [SpatialVelocity<T>],
        b: &mut [T],
    ) {
        forces.fill(SpatialForce::zero());
        for (i, m) in tree.mobilized.iter().enumerate().skip(1).rev() {
            let mut force = forces[i];
            for k in m.columns.clone().rev() {
                let (column, kind) = (&self.columns[k], tree.columns[k].kind);
                let u = &mut b[tree.columns[k].coordinate];
                *u -= match kind {
                    ColumnKind::Rotation => dot(&column.axis, &force.torque),
                    ColumnKind::Translation => dot(&column.axis, &force.force),
                };
                let share = *u * column.inverse;
                force.torque += scaled(&column.torque, share);
                force.force += scaled(&column.force, share);
                *u = share;
            }
            if m.parent != 0 {
                let parent = &mut forces[m.parent];
                parent.torque += force.torque + cross(&self.bodies[i].offset, &force.force);
                parent.force += force.force;
            }
        }
        motions[0] = SpatialVelocity::zero();
        for (i, m) in tree.mobilized.iter().enumerate().skip(1) {
            let mut motion = motions[m.parent];
            motion.linear -= cross(&self.bodies[i].offset, &motion.angular);
            for k in m.columns.clone() {
                let (column, kind) = (&self.columns[k], tree.columns[k].kind);
                let x = &mut b[tree.columns[k].coordinate];
                let carried =
                    dot(&column.torque, &motion.angular) + dot(&column.force, &motion.linear);
                *x -= carried * column.inverse;
                match kind {
                    ColumnKind::Rotation => motion.angular += scaled(&column.axis, *x),
                    ColumnKind::Translation => motion.linear += scaled(&column.axis, *x),
                }
            }
            motions[i] = motion;
        }
    }
}

impl ArticulatedBody {
    /// Lets the column give way, `added` being opposed to it beside inertia; `None` when it moves no inertia.
    fn eliminate(
        &mut self,
        kind: ColumnKind,
        axis: Vector3<f64>,
        added: f64,
    ) -> Option<EliminatedColumn> {
        let (torque, force, inertia, composite) = match kind {
            ColumnKind::Rotation => {
                let torque = self.rotational.times(&axis);
                let force = self.coupling.tr_mul(&axis);
                (
                    torque,
                    force,
                    axis.dot(&torque),
                    self.composite.second_moment,
                )
            }
            ColumnKind::Translation => {
                let torque = self.coupling * axis;
                let force = self.translational.times(&axis);
                (torque, force, axis.dot(&force), self.composite.mass)
            }
        };
        let inertia = inertia + added;
        let inverse = 1.0 / inertia;
        if !(inertia > SINGULARITY * composite && inertia > 0.0 && inverse.is_finite()) {
            return None;
        }
        self.rotational.downdate(&torque, inverse);
        self.coupling -= torque * (force * inverse).transpose();
        self.translational.downdate(&force, inverse);
        Some(EliminatedColumn {
            axis,
            torque,
            force,
            inverse,
        })
    }

    /// Adds a child, given about its own origin.
    fn add_shifted(&mut self, child: &ArticulatedBody) {
        let p = &child.offset;
        let m = &child.translational;
        let am = Matrix3::from_columns(&[
            p.cross(&Vector3::new(m.xx, m.xy, m.xz)),
            p.cross(&Vector3::new(m.xy, m.yy, m.yz)),
            p.cross(&Vector3::new(m.xz, m.yz, m.zz)),
        ]);
        // Row i of K = G Aᵀ is p × (row i of G).
        let g = child.coupling + am * 0.5;
        let k = |i: usize| p.cross(&Vector3::new(g[(i, 0)], g[(i, 1)], g[(i, 2)]));
        let (kx, ky, kz) = (k(0), k(1), k(2));
        self.rotational += child.rotational;
        self.rotational += Symmetric3 {
            xx: 2.0 * kx.x,
            yy: 2.0 * ky.y,
            zz: 2.0 * kz.z,
            xy: kx.y + ky.x,
            xz: kx.z + kz.x,
            yz: ky.z + kz.y,
        };
        self.coupling += child.coupling + am;
        self.translational += child.translational;
        let c = &child.composite;
        self.composite.mass += c.mass;
        self.composite.first_moment += c.first_moment + p * c.mass;
        self.composite.second_moment +=
            c.second_moment + 2.0 * p.dot(&c.first_moment) + c.mass * p.dot(p);
    }
}

fn dot<T: Scalar>(a: &Vector3<f64>, b: &Vector3<T>) -> T {
    b.x * a.x + b.y * a.y + b.z * a.z
}

fn cross<T: Scalar>(a: &Vector3<f64>, b: &Vector3<T>) -> Vector3<T> {
    Vector3::new(
        b.z * a.y - b.y * a.z,
        b.x * a.z - b.z * a.x,
        b.y * a.x - b.x * a.y,
    )
}

fn scaled<T: Scalar>(a: &Vector3<f64>, s: T) -> Vector3<T> {
    Vector3::new(s * a.x, s * a.y, s * a.z)
}
