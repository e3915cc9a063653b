//! The time until two geometries can have passed through each other.

use super::detection::ContactWorkspace;
use super::error::ContactError;
use super::model::ContactModel;
use crate::Scalar;
use crate::tree::{RigidBodyTree, TreeWorkspace};

impl<T: Scalar> ContactModel<T> {
    /// An estimate of the time in s until a pair of geometries can meet, or be half through each other, at the
    /// velocities that they have in the workspace and with the acceleration of gravity; of the pairs for which `counts`.
    ///
    /// A geometry off the axis about which its body turns may go faster later. Spheres about the geometries say how far
    /// these are apart at least. Half-spaces and height fields have no other side.
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
            let thick = [first, second].map(|geometry| geometry.shape.thickness());
            if thick.contains(&f64::INFINITY) || !counts(index) {
                continue;
            }
            let extents = [first, second].map(|geometry| geometry.shape.extent());
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
