//! MJCF: free bodies whose frames move to their centres of mass, along the principal axes (`align`).

use super::body::{BodyReader, Inertia, Kind};
use super::defaults::MAIN;
use super::error::MjcfError;
use super::geom::Form;
use crate::math::{RigidTransform, SpatialInertia, rotation};
use nalgebra::{Matrix3, Vector3};
use std::f64::consts::FRAC_PI_2;

/// Off-diagonal entries of a matrix that count as zero; moments that differ less are the same.
const ROUND_OFF: f64 = 1e-12;

/// Jacobi's method takes about five rotations.
const MOST_ROTATIONS: usize = 100;

impl BodyReader<'_, '_> {
    /// Moves the frame of a body that has been read, if `align` or `alignfree` asks for it.
    pub(super) fn align(&mut self, index: usize) -> Result<(), MjcfError> {
        let body = &self.bodies[index];
        let [joint] = &body.joints[..] else {
            return Ok(());
        };
        let is_last = self.bodies.len() == index + 1;
        let by_compiler = self.compilers.of(&joint.item.node).aligns_free_bodies;
        let aligns = joint.item.flag("align")?.unwrap_or(by_compiler);
        let (Kind::Free, true, true) = (joint.kind, is_last, aligns) else {
            return Ok(());
        };
        let Inertia::Known(inertia) = body.inertia else {
            return Ok(());
        };
        let frame = self.inertial_frame(index, &inertia)?;
        let back = frame.inverse();
        let turned = |i: SpatialInertia<f64>| i.transformed(&back.rotation, &back.translation);
        let body = &mut self.bodies[index];
        body.is_aligned = true;
        body.pose = body.pose * frame;
        body.pose_in_world = body.pose_in_world * frame;
        body.inertia = Inertia::Known(turned(inertia));
        for geom in &mut body.geoms {
            geom.pose = back * geom.pose;
            geom.inertia = geom.inertia.map(turned);
        }
        for site in &mut body.sites {
            site.pose = back * site.pose;
        }
        Ok(())
    }

    /// Where the centre of mass and the principal axes of a body are: as they are given, or in the order of decreasing
    /// moments. A geom that has all of the mass gives its own frame, one with a mesh the principal axes of that.
    fn inertial_frame(
        &self,
        index: usize,
        inertia: &SpatialInertia<f64>,
    ) -> Result<RigidTransform<f64>, MjcfError> {
        if let Some((inertial, frame)) = self.explicit_inertia(index) {
            let item = self.defaults.item(inertial, MAIN, &[])?;
            if !item.node.has("fullinertia") {
                return Ok(frame * self.compilers.pose(&item)?);
            }
        }
        let geoms = &self.bodies[index].geoms;
        let mut heavy = geoms.iter().filter_map(|geom| Some((geom, geom.inertia?)));
        Ok(match (heavy.next(), heavy.next()) {
            (Some((geom, own)), None) if self.explicit_inertia(index).is_none() => {
                if !matches!(geom.form, Form::Hulls(_) | Form::Mesh) {
                    return Ok(geom.pose);
                }
                let back = geom.pose.inverse();
                let own = own.transformed(&back.rotation, &back.translation);
                geom.pose * principal_frame(&own)
            }
            _ => principal_frame(inertia),
        })
    }
}

/// The centre of mass and the principal axes, in the order of decreasing moments, each turned as little as Jacobi's method
/// from the largest entry on has it.
pub(super) fn principal_frame(inertia: &SpatialInertia<f64>) -> RigidTransform<f64> {
    let about = |axis: usize, angle: f64| rotation::exp(&(Vector3::ith(axis, angle)));
    let mut axes = Matrix3::identity();
    let in_axes = |axes: &Matrix3<f64>| axes.tr_mul(&(inertia.rotational_inertia * axes));
    for _ in 0..MOST_ROTATIONS {
        let m = in_axes(&axes);
        // The entry of the row and the column that are not those of the axis.
        let entry = |axis: usize| m[((axis + 1) % 3, (axis + 2) % 3)];
        let mut axis = 0;
        for other in [1, 2] {
            if entry(other).abs() > entry(axis).abs() {
                axis = other;
            }
        }
        if entry(axis).abs() < ROUND_OFF {
            break;
        }
        let [i, j] = [(axis + 1) % 3, (axis + 2) % 3];
        let ratio = (m[(j, j)] - m[(i, i)]) / (2.0 * entry(axis));
        let tangent = ratio.signum() / (ratio.abs() + ratio.hypot(1.0));
        axes *= about(axis, -tangent.atan());
    }
    let mut moments = in_axes(&axes).diagonal();
    for k in [0, 1, 0] {
        if moments[k] + ROUND_OFF < moments[k + 1] {
            moments.swap_rows(k, k + 1);
            axes *= about((k + 2) % 3, FRAC_PI_2);
        }
    }
    RigidTransform::new(axes, inertia.center_of_mass)
}
