//! The trait of residuals, of which costs and constraints are made.

use crate::ControlError;
use crate::dynamics::Dynamics;
use dualbody::InvalidInput;
use nalgebra::DMatrix;
use std::fmt::Debug;

/// Where a residual is evaluated.
#[derive(Debug)]
pub struct Point<'a, D: Dynamics> {
    /// The dynamics.
    pub dynamics: &'a D,
    /// Number of the stage, from 0; the horizon at its end.
    pub stage: usize,
    /// By how many stages a [receding horizon](crate::Mpc) has moved on since its first plan.
    pub moved: usize,
    /// The state.
    pub state: &'a D::State,
    /// The inputs, m entries; none at the end of the horizon.
    pub input: &'a [f64],
}

/// A vector `r(x, u)`, with derivatives: a cost is `½ Σ wᵢ rᵢ²`, a constraint `l ≤ r ≤ h`.
///
/// Costs are minimised by Gauss and Newton's method, which leaves out second derivatives of `r`, unless
/// [they are asked for](crate::Hessian::Exact). A residual of a machine whose derivatives come from dual numbers is a [`MachineFunction`](crate::MachineFunction).
pub trait Residual<D: Dynamics>: CloneResidual<D> + Debug + Send {
    /// Number of entries.
    fn size(&self, dynamics: &D) -> usize;

    /// Takes over what it has of the dynamics, because they have been replaced by these.
    fn follow(&mut self, dynamics: &D) {
        let _ = dynamics;
    }

    /// Writes `r`.
    ///
    /// # Errors
    /// As the residual says.
    fn evaluate(&mut self, at: &Point<'_, D>, value: &mut [f64]) -> Result<(), ControlError>;

    /// Writes `r`, its derivative with respect to a displacement, size×n, and with respect to the inputs, size×m. The last two
    /// are zero before; at the end of the horizon that by inputs has no meaning.
    ///
    /// # Errors
    /// As the residual says.
    fn linearize(
        &mut self,
        at: &Point<'_, D>,
        value: &mut [f64],
        by_state: &mut DMatrix<f64>,
        by_input: &mut DMatrix<f64>,
    ) -> Result<(), ControlError>;

    /// Adds `Σ λᵢ ∂²rᵢ` with respect to `[δx; δu]`, (n+m)×(n+m), or n×n at the end of the horizon. Only
    /// [exact Hessians](crate::Hessian::Exact) ask for it; left out if it is not implemented.
    ///
    /// # Errors
    /// As the residual says.
    fn add_curvature(
        &mut self,
        at: &Point<'_, D>,
        covector: &[f64],
        curvature: &mut DMatrix<f64>,
    ) -> Result<(), ControlError> {
        let _ = (at, covector, curvature);
        Ok(())
    }
}

/// Residuals in boxes can be cloned.
pub trait CloneResidual<D: Dynamics> {
    /// A clone in a box.
    fn boxed(&self) -> Box<dyn Residual<D>>;
}

impl<D: Dynamics, R: Residual<D> + Clone + 'static> CloneResidual<D> for R {
    fn boxed(&self) -> Box<dyn Residual<D>> {
        Box::new(self.clone())
    }
}

impl<D: Dynamics> Clone for Box<dyn Residual<D>> {
    fn clone(&self) -> Self {
        (**self).boxed()
    }
}

/// One of any type is one, too, for choices at run time.
impl<D: Dynamics + 'static> Residual<D> for Box<dyn Residual<D>> {
    fn size(&self, dynamics: &D) -> usize {
        (**self).size(dynamics)
    }

    fn follow(&mut self, dynamics: &D) {
        (**self).follow(dynamics);
    }

    fn evaluate(&mut self, at: &Point<'_, D>, value: &mut [f64]) -> Result<(), ControlError> {
        (**self).evaluate(at, value)
    }

    fn linearize(
        &mut self,
        at: &Point<'_, D>,
        value: &mut [f64],
        by_state: &mut DMatrix<f64>,
        by_input: &mut DMatrix<f64>,
    ) -> Result<(), ControlError> {
        (**self).linearize(at, value, by_state, by_input)
    }

    fn add_curvature(
        &mut self,
        at: &Point<'_, D>,
        covector: &[f64],
        curvature: &mut DMatrix<f64>,
    ) -> Result<(), ControlError> {
        (**self).add_curvature(at, covector, curvature)
    }
}

/// `x ⊖ x_ref`, n entries in the units of displacements.
#[derive(Debug, Clone)]
pub struct StateResidual<S> {
    references: Vec<S>,
}

impl<S> StateResidual<S> {
    /// With the same reference at all stages.
    pub fn new(reference: S) -> Self {
        StateResidual {
            references: vec![reference],
        }
    }

    /// With a reference for each stage, of which the last counts from there on. Where a [horizon recedes](crate::Mpc), they stay where
    /// they are in time: stage k of a plan that is made after m stages is led to the reference m + k.
    ///
    /// # Errors
    /// For an empty list.
    pub fn tracking(references: Vec<S>) -> Result<Self, ControlError> {
        let count = [references.len() as f64];
        InvalidInput::check_range("number of references", &count, "at least 1", |n| n >= 1.0)?;
        Ok(StateResidual { references })
    }

    fn reference<D: Dynamics<State = S>>(&self, at: &Point<'_, D>) -> &S {
        &self.references[at
            .moved
            .saturating_add(at.stage)
            .min(self.references.len() - 1)]
    }
}

impl<D: Dynamics> Residual<D> for StateResidual<D::State>
where
    D::State: 'static,
{
    fn size(&self, dynamics: &D) -> usize {
        dynamics.num_displacements()
    }

    fn evaluate(&mut self, at: &Point<'_, D>, value: &mut [f64]) -> Result<(), ControlError> {
        (at.dynamics).difference(self.reference(at), at.state, value)
    }

    fn linearize(
        &mut self,
        at: &Point<'_, D>,
        value: &mut [f64],
        by_state: &mut DMatrix<f64>,
        _: &mut DMatrix<f64>,
    ) -> Result<(), ControlError> {
        let reference = self.reference(at);
        at.dynamics.difference(reference, at.state, value)?;
        (at.dynamics).difference_derivative(reference, at.state, by_state)
    }
}

/// `u − u_ref`, m entries in the units of the inputs.
#[derive(Debug, Clone)]
pub struct InputResidual {
    reference: Vec<f64>,
}

impl InputResidual {
    /// With what inputs cost nothing, m entries.
    pub fn new(reference: Vec<f64>) -> Self {
        InputResidual { reference }
    }

    /// The inputs themselves, m of them.
    pub fn of_size(inputs: usize) -> Self {
        Self::new(vec![0.0; inputs])
    }
}

impl<D: Dynamics> Residual<D> for InputResidual {
    fn size(&self, _: &D) -> usize {
        self.reference.len()
    }

    fn evaluate(&mut self, at: &Point<'_, D>, value: &mut [f64]) -> Result<(), ControlError> {
        InvalidInput::check_size("input", at.input.len(), self.reference.len())?;
        for (r, (u, reference)) in value.iter_mut().zip(at.input.iter().zip(&self.reference)) {
            *r = u - reference;
        }
        Ok(())
    }

    fn linearize(
        &mut self,
        at: &Point<'_, D>,
        value: &mut [f64],
        _: &mut DMatrix<f64>,
        by_input: &mut DMatrix<f64>,
    ) -> Result<(), ControlError> {
        Residual::<D>::evaluate(self, at, value)?;
        by_input.fill_with_identity();
        Ok(())
    }
}
