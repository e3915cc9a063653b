//! Derivatives of the force of a contact with respect to material parameters, with poses fixed.
//!
//! Material parameters do not change the two surfaces, the normal n̂ or the penetration. They change the
//! force law, and with the share of the stiffness the depth s at which the point lies below the surface of B,
//! `dC = −n̂ ds`: of the motion at C that is `du = −(w_A − w_B) × n̂ ds`, and of the torque `dC × F`. So the law alone is
//! evaluated in duals.

use super::error::ContactError;
use super::force_law::ContactForceLaw;
use super::model::ContactModel;
use super::point_contact::{FoundContact, PointContact};
use crate::autodiff::{CHUNK, ChunkDual, slopes, varies};
use crate::math::{RigidTransform, SpatialForce, SpatialVelocity};
use crate::parameter::Parameter;
use nalgebra::{SVector, Vector3};

/// The derivatives of torque and force, by components.
pub(crate) type WrenchSlopes = [SVector<f64, CHUNK>; 6];

/// Which constants of a pair of geometries are variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Variables {
    None,
    /// Those of materials, which leave normals and penetrations where they are.
    Materials,
    Shapes,
}

/// Two bodies A and B: their poses `X_WA`, `X_WB` and their velocities about their origins.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FixedBodies<'a> {
    pub poses: [&'a RigidTransform<f64>; 2],
    pub velocities: [&'a SpatialVelocity<f64>; 2],
}

impl ContactModel<ChunkDual> {
    /// The number of variables among the constants, and which ones each pair has.
    pub(crate) fn variables(&self) -> (usize, Vec<Variables>) {
        let mut count = 0;
        let of_geometries: Vec<Variables> = (self.geometries.iter().cloned())
            .zip(self.orientations.iter().cloned())
            .map(|(mut geometry, mut orientation)| {
                let (mut all, mut of_material) = (0, 0);
                let count_all = &mut |p: Parameter<'_, _>| all += usize::from(varies(p.value));
                geometry.visit_parameters(&mut orientation, count_all);
                let count_one =
                    &mut |p: Parameter<'_, _>| of_material += usize::from(varies(p.value));
                (geometry.material).visit_parameters(format_args!(""), count_one);
                count += all;
                match (all, of_material) {
                    (0, _) => Variables::None,
                    _ if all == of_material => Variables::Materials,
                    _ => Variables::Shapes,
                }
            })
            .collect();
        let of_pairs = self.pairs().enumerate().map(|(index, (first, second))| {
            let before = count;
            if let Some(mut material) = self.pair(index).material {
                let count_one = &mut |p: Parameter<'_, _>| count += usize::from(varies(p.value));
                material.visit_parameters(format_args!(""), count_one);
            }
            let own = match count > before {
                true => Variables::Materials,
                false => Variables::None,
            };
            own.max(of_geometries[first]).max(of_geometries[second])
        });
        let of_pairs = of_pairs.collect();
        (count, of_pairs)
    }

    /// The derivatives of the wrench on body A about its origin, expressed in W, with respect to the variables of this
    /// model alone; `real` is the same model without, and knows the point when only materials have any.
    pub(crate) fn wrench_slopes(
        &self,
        (real, variables): (&ContactModel<f64>, Variables),
        contact: &FoundContact,
        bodies: FixedBodies<'_>,
        law: &ContactForceLaw<f64>,
    ) -> Result<WrenchSlopes, ContactError> {
        let law = ContactForceLaw {
            time_step: ChunkDual::from_re(law.time_step),
            stiction_tolerance: ChunkDual::from_re(law.stiction_tolerance),
            softening: ChunkDual::from_re(law.softening),
        };
        match variables {
            Variables::None => Ok(WrenchSlopes::default()),
            Variables::Materials => self.slopes_by_materials(real, contact, bodies, &law),
            Variables::Shapes => self.slopes_by_shapes(contact, bodies, &law),
        }
    }

    fn slopes_by_materials(
        &self,
        real: &ContactModel<f64>,
        contact: &FoundContact,
        bodies: FixedBodies<'_>,
        law: &ContactForceLaw<ChunkDual>,
    ) -> Result<WrenchSlopes, ContactError> {
        let [x_wa, x_wb] = bodies.poses;
        let [v_a, v_b] = bodies.velocities;
        let [a, b] = real.geometries_of(contact);
        let (pose_a, pose_b) = (*x_wa * a.pose_in_body, *x_wb * b.pose_in_body);
        let at = real.contact_point(contact, &pose_a, &pose_b)?;
        let point = real.point_contact(contact, at);
        let motion = point.relative_motion((v_a, &x_wa.translation), (v_b, &x_wb.translation));

        let [a, b] = self.geometries_of(contact);
        let mut depth = a.material.stiffness_share(&b.material) * at.penetration;
        depth.re = 0.0;
        let n = point.normal();
        let rate = (point.rotation).tr_mul(&n.cross(&(v_a.angular - v_b.angular)));
        let in_duals = constant(&motion);
        let moving = SpatialVelocity::new(
            in_duals.angular,
            in_duals.linear + rate.map(|rate| depth * rate),
        );
        let with_variables = PointContact {
            body_a: point.body_a,
            body_b: point.body_b,
            position: point.position.map(ChunkDual::from_re),
            rotation: point.rotation.map(ChunkDual::from_re),
            penetration: ChunkDual::from_re(point.penetration),
            material: self.material_at(contact, at.weight.into()),
        };
        let at_c = with_variables.wrench(law, &moving);

        let turned = |x: &Vector3<ChunkDual>| {
            let [x, y, z] = [&x.x, &x.y, &x.z].map(slopes);
            let row = |i| {
                x * point.rotation[(i, 0)] + y * point.rotation[(i, 1)] + z * point.rotation[(i, 2)]
            };
            [row(0), row(1), row(2)]
        };
        let [fx, fy, fz] = turned(&at_c.force);
        let r = point.position - x_wa.translation;
        let lever = (point.rotation * at_c.force.map(|x| x.re)).cross(&n);
        let depth = slopes(&depth);
        let mut torque = [
            fz * r.y - fy * r.z + depth * lever.x,
            fx * r.z - fz * r.x + depth * lever.y,
            fy * r.x - fx * r.y + depth * lever.z,
        ];
        if point.material.rotational.is_some() {
            let against = turned(&at_c.torque);
            torque.iter_mut().zip(against).for_each(|(t, x)| *t += x);
        }
        let [tx, ty, tz] = torque;
        Ok([tx, ty, tz, fx, fy, fz])
    }

    fn slopes_by_shapes(
        &self,
        contact: &FoundContact,
        bodies: FixedBodies<'_>,
        law: &ContactForceLaw<ChunkDual>,
    ) -> Result<WrenchSlopes, ContactError> {
        let [x_wa, x_wb] = bodies.poses.map(RigidTransform::cast);
        let [v_a, v_b] = bodies.velocities.map(constant);
        let [a, b] = self.geometries_of(contact);
        let (pose_a, pose_b) = (x_wa * a.pose_in_body, x_wb * b.pose_in_body);
        let point = self.evaluate_between(contact, &pose_a, &pose_b)?;
        let motion = point.relative_motion((&v_a, &x_wa.translation), (&v_b, &x_wb.translation));
        let SpatialForce { torque, force } =
            point.force_about(&point.wrench(law, &motion), &x_wa.translation);
        Ok([torque.x, torque.y, torque.z, force.x, force.y, force.z].map(|x| slopes(&x)))
    }
}

fn constant(v: &SpatialVelocity<f64>) -> SpatialVelocity<ChunkDual> {
    SpatialVelocity::new(
        v.angular.map(ChunkDual::from_re),
        v.linear.map(ChunkDual::from_re),
    )
}
