//! The time-stepping schemes: compliant, rigid, continuous.

/// How a [`TimeSteppingRigidBodySystem`](super::TimeSteppingRigidBodySystem) makes its steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub enum Scheme {
    /// Compliant contact and constraints, implicit in the velocities at the end of the step.
    #[doc(alias = "augmented Lagrangian")]
    #[doc(alias = "soft contact")]
    Compliant,
    /// Rigid contact: a complementarity problem for impulses.
    #[doc(alias = "Stewart-Trinkle")]
    #[doc(alias = "Anitescu-Potra")]
    #[doc(alias = "hard contact")]
    Rigid,
    /// Continuous time, integrated with inputs that are constant over the step. With
    /// [`SystemOptions::rigid_contact`](super::SystemOptions::rigid_contact) it knows forces of contact, not impacts:
    /// bodies that meet with some speed pass into each other. [`RigidBodyFlow`](super::RigidBodyFlow) resolves impacts.
    Continuous {
        /// The method.
        method: IntegrationMethod,
        /// How many steps of the integrator make one step.
        substeps: usize,
    },
}

/// A method for [`Scheme::Continuous`]; see [`integrator`](crate::integrator).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub enum IntegrationMethod {
    /// Classical Runge–Kutta, explicit, of order 4.
    RungeKutta4,
    /// Implicit midpoint, of order 2; conserves quadratic invariants.
    ImplicitMidpoint,
    /// Radau IIA of order 3, for stiff systems.
    Radau3,
    /// Radau IIA of order 5, for stiff systems.
    Radau5,
}

impl IntegrationMethod {
    /// Whether a step solves equations.
    pub(super) fn is_implicit(self) -> bool {
        self != IntegrationMethod::RungeKutta4
    }
}
