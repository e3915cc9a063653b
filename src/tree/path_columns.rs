//! Columns of the relative Jacobian of two bodies.

use super::column::ColumnKind;
use super::error::TreeError;
use super::index::BodyIndex;
use super::rigid_body_tree::RigidBodyTree;
use super::workspace::TreeWorkspace;
use crate::Scalar;
use crate::math::SpatialVelocity;
use nalgebra::Vector3;

/// A column between one of two bodies and the world, but not between the other and the world.
///
/// Motions are about a point that is fixed in W, and expressed in W; S and ψ̇ are those of the
/// [derivatives of inverse dynamics](super::inverse_dynamics_derivatives).
#[derive(Debug, Clone, Copy)]
pub(crate) struct PathColumn<T> {
    /// The velocity coordinate that drives it.
    pub coordinate: usize,
    /// Whether it moves the first of the bodies or the second.
    pub moves_first: bool,
    /// S.
    pub motion: SpatialVelocity<T>,
    /// ψ̇.
    pub rate: SpatialVelocity<T>,
    kind: ColumnKind,
    mobilized: usize,
}

impl<T> PathColumn<T> {
    /// Whether this column, where it moves, takes the axis of another with it.
    pub fn carries(&self, other: &Self) -> bool {
        let is_translation = self.kind == ColumnKind::Translation;
        self.moves_first == other.moves_first
            && (self.mobilized < other.mobilized
                || (self.mobilized == other.mobilized && is_translation))
    }
}

impl<T: Scalar> RigidBodyTree<T> {
    /// Writes the columns by which `first` and `second` move relative to each other, about the point at
    /// `p_wo`, at the positions of the workspace and the velocities of the bodies (about their origins, in
    /// W, as [`Self::body_velocities`] gives them).
    pub(crate) fn path_columns(
        &self,
        workspace: &TreeWorkspace<T>,
        velocities: &[SpatialVelocity<T>],
        [first, second]: [BodyIndex; 2],
        p_wo: &Vector3<T>,
        out: &mut Vec<PathColumn<T>>,
    ) -> Result<(), TreeError> {
        self.check_workspace(workspace)?;
        out.clear();
        let (mut a, mut b) = (self.placement(first)?.0, self.placement(second)?.0);
        // Parents have lower numbers, so that the higher one is not inward of the other.
        while a != b {
            let moves_first = a > b;
            let i = if moves_first { &mut a } else { &mut b };
            self.push_columns(workspace, velocities, (*i, moves_first), p_wo, out);
            *i = self.mobilized[*i].parent;
        }
        Ok(())
    }

    /// The number of the branch, among those that hang on the world, of each velocity coordinate and of
    /// each body that moves; one branch for all where coordinates are shared across branches.
    pub(crate) fn branches(&self) -> (Vec<usize>, Vec<Option<usize>>) {
        let (mut of_mobilized, mut count) = (vec![None; self.mobilized.len()], 0);
        let mut of_coordinates = vec![0; self.num_velocities];
        for (i, m) in self.mobilized.iter().enumerate().skip(1) {
            let branch = of_mobilized[m.parent].unwrap_or(count);
            count = count.max(if self.has_mimic { 0 } else { branch + 1 });
            of_mobilized[i] = Some(branch);
            for k in m.columns.clone() {
                of_coordinates[self.columns[k].coordinate] = branch;
            }
        }
        let of_bodies = self.bodies.iter().map(|b| of_mobilized[b.mobilized]);
        (of_coordinates, of_bodies.collect())
    }

    fn push_columns(
        &self,
        workspace: &TreeWorkspace<T>,
        velocities: &[SpatialVelocity<T>],
        (i, moves_first): (usize, bool),
        p_wo: &Vector3<T>,
        out: &mut Vec<PathColumn<T>>,
    ) {
        let m = &self.mobilized[i];
        let offset = p_wo - workspace.positions[i].pose.translation;
        let of_child = velocities[m.body.get()].shift(&offset);
        let w_parent = velocities[self.mobilized[m.parent].body.get()].angular;
        for k in m.columns.clone() {
            let (axis, kind) = (&workspace.axes[k], self.columns[k].kind);
            let (motion, rate) = match kind {
                ColumnKind::Rotation => {
                    let motion = SpatialVelocity::new(*axis, axis.cross(&offset));
                    (motion, of_child.cross(&motion))
                }
                ColumnKind::Translation => {
                    let translation = |v| SpatialVelocity::new(Vector3::zeros(), v);
                    (translation(*axis), translation(w_parent.cross(axis)))
                }
            };
            out.push(PathColumn {
                coordinate: self.columns[k].coordinate,
                moves_first,
                motion,
                rate,
                kind,
                mobilized: i,
            });
        }
    }
}
