//! A constraint of a tree as a force law.

use super::error::ConstraintError;
use super::force_law::{ConstraintForceLaw, ForceLawRow, InstantMotion, StepMotion};
use super::tree_constraint::{ConstraintKind, ConstraintLevel, ConstraintRows, TreeConstraint};
use super::tree_rows::evaluate_any_rows;
use crate::force::ForceContext;
use crate::parameter::Parameter;
use crate::tree::RigidBodyTree;
use crate::{DefaultScalar, Scalar};
use nalgebra::DMatrix;

/// A [`TreeConstraint`] as a [`ConstraintForceLaw`], for what rows that are linear in the velocities of a step cannot do: φ
/// holds at the end of each step, not only its linearisation, and inequalities may have [directions of force of their
/// own](ConstraintRows::force_directions).
///
/// | level | φ of a step | φ of an instant |
/// |---|---|---|
/// | positions | `φ(qₙ, tₙ)` | `J v̇ + bias`, of equations |
/// | velocities | `J vₙ + ∂φ/∂t` at the end | `J v̇ + bias`, of equations |
/// | accelerations | `J (vₙ − v)/δt + bias` at the start | `J v̇ + bias` |
///
/// In continuous time an inequality of positions or velocities acts only while it is reached, which rows of accelerations do not
/// know: it is of discrete steps alone. Equations hold in acceleration there, so that errors of positions stay.
///
/// ```
/// use dualbody::constraint::{ConstraintLaw, DistanceConstraint};
/// use dualbody::contact::ContactModel;
/// use dualbody::prelude::*;
/// use dualbody::tree::{BodyIndex, RigidBodyTreeBuilder};
/// use nalgebra::Vector3;
///
/// let mut tree = RigidBodyTreeBuilder::<f64>::new();
/// let bob = tree.add_body("bob", SpatialInertia::solid_sphere(2.0, 0.05))?;
/// let mut system = TimeSteppingRigidBodySystem::new(tree.finish()?, ContactModel::none(), 0.02)?;
/// let (here, origin) = (Vector3::zeros(), (BodyIndex::WORLD, Vector3::zeros()));
/// let rod = DistanceConstraint::new("rod", (bob, here), origin, 1.0)?;
/// system.add_force_law(ConstraintLaw::new(rod))?;
/// let mut state = system.neutral_state();
/// system.set_body_position(&mut state, "bob", Vector3::x())?;
/// let last = system.rollout(&state, 100)?.last().clone();
/// // As a row that is linear in velocities it would be off by 1e-3 m.
/// assert!((system.body_pose(&last, "bob")?.translation.norm() - 1.0).abs() < 1e-10);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct ConstraintLaw<C> {
    /// The constraint.
    pub constraint: C,
}

impl<C> ConstraintLaw<C> {
    /// Of a constraint.
    pub fn new(constraint: C) -> Self {
        ConstraintLaw { constraint }
    }

    fn rows<T: Scalar>(
        &self,
        state: &ForceContext<'_, T>,
    ) -> Result<ConstraintRows<T>, ConstraintError>
    where
        C: TreeConstraint<T>,
    {
        let mut rows = ConstraintRows::zeros(0, 0);
        let at = (state.tree(), state.workspace(), state.time());
        evaluate_any_rows(&self.constraint, at, &mut rows)?;
        Ok(rows)
    }

    fn row<T: Scalar>(&self, phi: T) -> ForceLawRow<T>
    where
        C: TreeConstraint<T>,
    {
        match self.constraint.kind() {
            ConstraintKind::Bilateral => ForceLawRow::equation(phi),
            ConstraintKind::Unilateral => ForceLawRow::inequality(phi),
        }
    }
}

impl<T: Scalar, C: TreeConstraint<T> + Clone> ConstraintForceLaw<T> for ConstraintLaw<C> {
    type Cast<U: DefaultScalar> = ConstraintLaw<C::Cast<U>>;

    fn cast<U: DefaultScalar>(&self) -> Self::Cast<U> {
        ConstraintLaw::new(self.constraint.cast::<U>())
    }

    fn name(&self) -> &str {
        self.constraint.name()
    }

    fn num_rows(&self) -> usize {
        self.constraint.num_rows()
    }

    fn over_step(
        &self,
        motion: &StepMotion<'_, T>,
        _: &[T],
        rows: &mut [ForceLawRow<T>],
    ) -> Result<(), ConstraintError> {
        let level = self.constraint.level();
        let at = match level {
            ConstraintLevel::Acceleration => self.rows(&motion.start)?,
            _ => self.rows(&motion.end)?,
        };
        for (i, row) in rows.iter_mut().enumerate() {
            let rate = |v: &[T]| at.rate(i, v);
            *row = self.row(match level {
                ConstraintLevel::Position => at.phi[i],
                ConstraintLevel::Velocity => rate(motion.end.v()) + at.explicit_rate[i],
                ConstraintLevel::Acceleration => {
                    (rate(motion.end.v()) - rate(motion.start.v())) / motion.time_step + at.bias[i]
                }
            });
        }
        Ok(())
    }

    fn at_instant(
        &self,
        motion: &InstantMotion<'_, T>,
        _: &[T],
        rows: &mut [ForceLawRow<T>],
    ) -> Result<(), ConstraintError> {
        let is_reached = self.constraint.kind() == ConstraintKind::Unilateral
            && self.constraint.level() != ConstraintLevel::Acceleration;
        if is_reached {
            return Err(ConstraintError::not_described(
                self.constraint.name(),
                "continuous",
            ));
        }
        let at = self.rows(&motion.state())?;
        for (i, row) in rows.iter_mut().enumerate() {
            *row = self.row(at.rate(i, motion.vdot()) + at.bias[i]);
        }
        Ok(())
    }

    fn force_directions(
        &self,
        state: &ForceContext<'_, T>,
        directions: &mut DMatrix<T>,
    ) -> Result<bool, ConstraintError> {
        directions.copy_from(self.rows(state)?.directions());
        Ok(true)
    }

    fn visit_parameters(&mut self, visit: &mut dyn FnMut(Parameter<'_, T>)) {
        self.constraint.visit_parameters(visit);
    }

    fn validate(&self, tree: &RigidBodyTree<T>) -> Result<(), ConstraintError> {
        self.constraint.validate(tree)
    }
}
