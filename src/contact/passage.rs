//! How long it takes until geometries can have passed each other.

use super::detection::{ContactWorkspace, extent};
use super::error::ContactError;
use super::model::ContactModel;
use crate::Scalar;
use crate::geometry::Shape;
use crate::tree::{RigidBodyTree, TreeWorkspace};

impl<T: Scalar> ContactModel<T> {
    /// An estimate of the time in s until a pair of geometries can meet, or be half through each other, at the
    /// velocities that they have in the workspace and with the acceleration of gravity; of the pairs for which `counts`.
    ///
    /// A geometry off the axis about which its body turns may go faster later. Spheres about the geometries say how far these are apart at least. Half-spaces and height fields have no other side.
    pub(crate) fn passage_time(
        &self,
        tree: &RigidBodyTree<T>,
        workspace: &TreeWorkspace<T>,
        memory: &mut ContactWorkspace<T>,
        counts: impl Fn(usize) -> bool,
    ) -> Result<f64, ContactError> {
        self.place(tree, workspace, memory)?;
        let gravity = tree.gravity().map(|x| x.re()).norm();
        let mut time = f64::INFINITY;
        for (index, (a, b)) in self.pairs().enumerate() {
            let [first, second] = [a, b].map(|g| &self.geometries()[g]);
            let thick = [first, second].map(|geometry| thickness(&geometry.shape));
            if thick.contains(&f64::INFINITY) || !counts(index) {
                continue;
            }
            let extents = [first, second].map(|geometry| extent(&geometry.shape));
            let between = memory.poses[a].translation - memory.poses[b].translation;
            let apart = between.map(|x| x.re()).norm() - extents[0] - extents[1];
            let half = 0.5 * (thick[0] + thick[1]);
            let [va, vb] =
                [first, second].map(|geometry| tree.body_velocity(workspace, geometry.body));
            let (va, vb) = (va?, vb?);
            let relative =
                va.shift(&memory.offsets[a]).linear - vb.shift(&memory.offsets[b]).linear;
            let spins = [va, vb].map(|v| v.angular.map(|x| x.re()).norm());
            let turning = spins[0] * extents[0] + spins[1] * extents[1];
            let (way, speed) = (half.max(apart), relative.map(|x| x.re()).norm() + turning);
            // way = speed t + gravity t²/2
            time = time.min(2.0 * way / (speed + (speed * speed + 2.0 * gravity * way).sqrt()));
        }
        Ok(time)
    }
}

/// How thick a shape is where it is thinnest, in m.
fn thickness<T: Scalar>(shape: &Shape<T>) -> f64 {
    let least = |sizes: &[T]| sizes.iter().map(|x| x.re()).fold(f64::INFINITY, f64::min);
    match shape {
        Shape::Sphere { radius } | Shape::Capsule { radius, .. } => 2.0 * radius.re(),
        Shape::Cylinder { radius, length } => length.re().min(2.0 * radius.re()),
        Shape::Box { size } => least(size.as_slice()),
        Shape::Ellipsoid { semi_axes } => 2.0 * least(semi_axes.as_slice()),
        Shape::Convex { polyhedron } => {
            let vertices = polyhedron.vertices();
            let widths = polyhedron.faces().iter().map(|face| {
                let [a, b, c] = [0, 1, 2].map(|i| vertices[face[i]].map(|x| x.re()));
                let normal = (b - a).cross(&(c - a)).normalize();
                let depths = (vertices.iter()).map(|v| (a - v.map(|x| x.re())).dot(&normal));
                depths.fold(0.0, f64::max)
            });
            widths.fold(f64::INFINITY, f64::min)
        }
        Shape::Points { .. } => 0.0,
        Shape::HalfSpace | Shape::HeightField { .. } => f64::INFINITY,
    }
}
