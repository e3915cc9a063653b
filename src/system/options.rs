//! Options of contacts and constraints.

use crate::InvalidInput;
use crate::contact::Detection;
use crate::solver::implicit_stribeck::ImplicitStribeckSolverParameters;

/// Options of a [`RigidBodySystem`](super::RigidBodySystem).
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
pub struct SystemOptions {
    /// Which pairs count as contacts of a compliant step.
    pub detection: Detection,
    /// Parameters of the solver of compliant steps. The stiction tolerance and the softening of friction, which continuous
    /// time uses as well, become the parameters `stiction_tolerance` and `friction_softening` of the system.
    pub contact_solver: ImplicitStribeckSolverParameters<f64>,
    /// Angle in rad that bodies may turn by in a compliant step in which something can touch (default 0.07).
    /// A longer step is made in substeps in which they turn by half of that at most, of 64 substeps at most; infinite: in
    /// one. See the [module](crate::system#substeps).
    #[doc(alias = "substeps")]
    #[doc(alias = "rotation per step")]
    #[cfg_attr(feature = "serde", serde(with = "crate::io::json::extended"))]
    pub max_turn: f64,
    /// Whether mechanisms on a floating joint fly on in discrete steps with the momentum that forces lead to, as free bodies
    /// do (default true). Otherwise velocities at the end of a step are those that forces lead to at its start, as in Drake,
    /// whatever that makes of momentum as their joints move.
    #[doc(alias = "angular momentum")]
    pub keep_momentum: bool,
    /// Whether bodies do not give way in continuous time: non-penetration and Coulomb's cone are
    /// complementarity conditions on accelerations and forces. Of the materials friction counts then, and for the
    /// impacts of a [`RigidBodyFlow`](super::RigidBodyFlow) restitution or dissipation.
    pub rigid_contact: bool,
    /// Speed in m/s up to which rigid bodies that meet, in rigid steps and in a [`RigidBodyFlow`](super::RigidBodyFlow),
    /// stay together (default 10⁻³); faster ones rebound. A parameter of the system. The motion
    /// jumps where a body meets another just so fast.
    #[doc(alias = "restitution")]
    pub rebound_speed: f64,
    /// Edges of the friction cones of rigid contact: even, from 2 to 64; 4 is a pyramid. Friction is weaker
    /// than Coulomb's by the factor cos(π/edges) at most, between two edges. Every pair of edges is a variable of the
    /// contact problem: a step with 64 costs many times one with 4.
    pub friction_edges: usize,
    /// Whether the friction cones of rigid contact are Coulomb's own, round ones, the same in all directions, instead of
    /// those of edges (default false). Where several contacts of a body can share its load in many ways, as under a face that
    /// slides and spins, more than one motion may obey the law, and which one is found may depend on directions. A step first solves the problem with pyramids, which finds out what sticks and
    /// slides, then that with cones.
    pub round_friction_cones: bool,
    /// Time constant in s with which overlaps of rigid contacts decay, which adds energy; infinite (the
    /// default): overlaps stay. A parameter of the system.
    #[doc(alias = "position correction")]
    #[cfg_attr(feature = "serde", serde(with = "crate::io::json::extended"))]
    pub overlap_decay: f64,
    /// Time constant in s with which position errors of constraints decay in continuous time (Baumgarte's
    /// stabilisation, critically damped; default 0.05), and in steps what is beyond a limit by more than a millimetre or
    /// a milliradian: it may start there. Other errors are taken back at once by steps. A parameter of
    /// the system.
    #[doc(alias = "Baumgarte")]
    #[cfg_attr(feature = "serde", serde(with = "crate::io::json::extended"))]
    pub constraint_decay: f64,
}

impl Default for SystemOptions {
    fn default() -> Self {
        SystemOptions {
            detection: Detection::default(),
            contact_solver: ImplicitStribeckSolverParameters::default(),
            max_turn: 0.07,
            keep_momentum: true,
            rigid_contact: false,
            rebound_speed: 1e-3,
            friction_edges: 4,
            round_friction_cones: false,
            overlap_decay: f64::INFINITY,
            constraint_decay: 0.05,
        }
    }
}

impl SystemOptions {
    /// Spanning directions of the friction cones of rigid contact.
    pub(super) fn spanning_directions(&self) -> usize {
        match self.round_friction_cones {
            true => 2,
            false => self.friction_edges / 2,
        }
    }

    pub(super) fn validate(&self) -> Result<(), InvalidInput> {
        self.contact_solver.validate()?;
        InvalidInput::check_range(
            "edges of the friction cone",
            &[self.friction_edges as f64],
            "an even number between 2 and 64",
            |e| (2.0..=64.0).contains(&e) && e % 2.0 == 0.0,
        )?;
        let words = "finite and not negative";
        InvalidInput::check_range("rebound speed", &[self.rebound_speed], words, |v| {
            v >= 0.0 && v.is_finite()
        })?;
        let words = "a positive angle or infinity";
        InvalidInput::check_range("largest turn", &[self.max_turn], words, |turn| turn > 0.0)?;
        let times = [self.overlap_decay, self.constraint_decay];
        InvalidInput::check_range("decay time", &times, "a positive time or infinity", |t| {
            t > 0.0
        })
    }
}
