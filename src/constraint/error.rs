//! Errors of constraints.

use crate::InvalidInput;
use crate::contact::ContactError;
use crate::error::{Brief, NotFiniteElement, Short, debug_as_sentence};
use crate::force::ForceError;
use crate::math::Singular;
use crate::parameter::ParameterError;
use crate::solver::friction_cone::FrictionConeError;
use crate::solver::lcp::LcpError;
use crate::tree::TreeError;

/// A constraint problem is not well formed, has no solution, or none was found.
#[derive(Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ConstraintError {
    /// A vector has the wrong size or an entry that is not acceptable.
    #[error(transparent)]
    Invalid(#[from] InvalidInput),
    /// A constant of a named constraint is not acceptable, or the constraint is not defined at the state.
    #[error("constraint {name:?}: {source}", name = Brief(name))]
    InvalidConstraint {
        /// The name of the constraint.
        name: String,
        /// What is wrong.
        source: InvalidInput,
    },
    /// A constant of a force law is not acceptable, or its rows cannot be computed.
    #[error("force law {name:?}: {source}", name = Brief(name))]
    InvalidLaw {
        /// The name of the law.
        name: String,
        /// What is wrong.
        source: Box<ConstraintError>,
    },
    /// A constraint gave a number that is not finite.
    #[error(transparent)]
    NotFinite(#[from] Box<NotFiniteElement>),
    /// The tree cannot compute an operator.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// What a force element knows cannot be computed.
    #[error(transparent)]
    Force(Box<ForceError>),
    /// The contacts of a state cannot be computed.
    #[error(transparent)]
    Contact(#[from] ContactError),
    /// No forces within round friction cones were found.
    #[error(transparent)]
    FrictionCone(#[from] FrictionConeError),
    /// The inertia matrix is not positive definite.
    #[error("inertia: {0}")]
    SingularInertia(#[from] Singular),
    /// A contact slides, and the operators do not know the force that this makes.
    #[error("a contact slides, but the operators have no (Nᵀ − Qᵀ μ) f")]
    NoSlidingForces,
    /// An index of a contact is missing, occurs twice, or is out of order.
    #[error("{list}[{position}] = {contact}: {expected}")]
    ContactIndex {
        /// `"sliding_contacts"` or `"non_sliding_contacts"`.
        list: &'static str,
        /// Where in the list.
        position: usize,
        /// The index of the contact.
        contact: usize,
        /// What a valid list is.
        expected: &'static str,
    },
    /// Two operators that should be transposes of each other are not.
    #[error("{operator} and its transpose disagree: ⟨A v, f⟩ = {}, ⟨v, Aᵀ f⟩ = {}", Short(*forward), Short(*transpose))]
    NotAdjoint {
        /// `"G"`, `"N"`, `"F"`, `"L"`, or `"inertia"`.
        operator: &'static str,
        /// The product by the operator.
        forward: f64,
        /// The product by its transpose.
        transpose: f64,
    },
    /// So many contacts and inequalities that the dense matrices of their complementarity problem would take more than
    /// 4 GiB, as of some 1,100 contacts with pyramids of friction. Nothing of them was allocated.
    #[error(
        "{contacts} contacts make a complementarity problem of {variables} variables, whose matrices may take \
         {:.1} GB of memory, more than 4 GiB: let fewer shapes touch, or take compliant contact", *bytes as f64 * 1e-9
    )]
    TooLarge {
        /// Number of contacts.
        contacts: usize,
        /// Number of variables: equations, normal forces, friction in both senses, slips and inequalities.
        variables: usize,
        /// What the matrices may take.
        bytes: u64,
    },
    /// Equations contradict each other.
    #[error(
        "equation {equation} contradicts the others, of which one must go: it is violated by {violation:e}"
    )]
    Inconsistent {
        /// Position among the bilateral constraints; in a linear solve, in the packed forces.
        equation: usize,
        /// What remains of it when the others hold, relative to the rates that the forces and
        /// constants of the problem are apt to give it.
        violation: f64,
    },
    /// An equation is not upheld by forces along [directions of their own](super::ConstraintMatrices::own_directions).
    #[error(
        "equation {equation} is not upheld: beside those of other equations, forces along directions of their own move it by \
         {effect:e} of what they could"
    )]
    NotUpheld {
        /// Position among the bilateral constraints.
        equation: usize,
        /// The cosine between the equation and what forces do beside those of other equations.
        effect: f64,
    },
    /// No accelerations satisfy the inequalities, with or without friction.
    #[error(
        "the constraints contradict each other, one of them must go: by {violation:e} relative to the largest"
    )]
    Infeasible {
        /// The smallest relaxation of all inequalities, relative to the largest, that helps.
        violation: f64,
    },
    /// Rigid bodies that slide have no acceleration that obeys Coulomb's law, though they would have
    /// one without friction: Painlevé's paradox. An impact without collision resolves it.
    #[error(
        "Painlevé's paradox: with sliding friction there is no acceleration (by {violation:e}); take compliant contact or less friction"
    )]
    PainleveInconsistency {
        /// The smallest relaxation of all inequalities, relative to the largest, that helps.
        violation: f64,
    },
    /// Accelerations that satisfy the inequalities exist, but forces grow without bound on the way to
    /// a complementary solution.
    #[error(
        "constraint forces grow without bound (after {pivots} pivots): constraints contradict each other, or friction is too large"
    )]
    Unbounded {
        /// Number of pivots.
        pivots: usize,
    },
    /// A force law has no rows for the kind of time in which the machine moves.
    #[error(
        "the force law {name:?} is not described in {time} time: implement `{}`",
        if *time == "discrete" { "over_step" } else { "at_instant" }, name = Brief(name))]
    NotDescribed {
        /// The name of the law.
        name: String,
        /// `"discrete"` or `"continuous"`.
        time: &'static str,
    },
    /// A force law left a row as it was.
    #[error(
        "row {row} of the force law {name:?} is not written: one is, for each of its `num_rows`", name = Brief(name))]
    RowNotWritten {
        /// The name of the law.
        name: String,
        /// The row.
        row: usize,
    },
    /// The bounds of a row of a force law leave no force.
    #[error("row {row} of the force law {name:?}: no force is between {} and {}", Short(bounds[0]), Short(bounds[1]), name = Brief(name))]
    CrossedBounds {
        /// The name of the law.
        name: String,
        /// The row.
        row: usize,
        /// The lower and the upper bound.
        bounds: [f64; 2],
    },
    /// An inequality among the linear rows of a step has directions of force of its own.
    #[error(
        "constraint {name:?} is an inequality with directions of force of its own: add it as a force law, by ConstraintLaw::new", name = Brief(name))]
    DirectionsOfInequality {
        /// The name of the constraint.
        name: String,
    },
    /// No forces of force laws were found.
    #[error(
        "row {row} of the force law {name:?} is violated by {violation:e} after {iterations} iterations: no force that \
         holds the row was found, of which more has to raise its φ; it may contradict others, or the step be too long", name = Brief(name))]
    LawNotSatisfied {
        /// The name of the law that is violated most.
        name: String,
        /// Its row.
        row: usize,
        /// By how much, in the unit of φ.
        violation: f64,
        /// Number of iterations.
        iterations: usize,
    },
    /// A row of a force law does not hold, and depends on no force.
    #[error(
        "row {row} of the force law {name:?} is violated by {violation:e}, and no force changes it: {hint}", name = Brief(name))]
    LawNotMoved {
        /// The name of the law.
        name: String,
        /// Its row.
        row: usize,
        /// By how much, in the unit of φ.
        violation: f64,
        /// What a row has to depend on.
        hint: &'static str,
    },
    /// Rows of a force law are redundant, or no force changes them, and their derivatives contradict each other.
    #[error(
        "row {row} of the force law {name:?} has no derivatives: no change of the forces holds it together with the other rows", name = Brief(name))]
    LawNotDifferentiable {
        /// The name of the law.
        name: String,
        /// Its row.
        row: usize,
    },
    /// Directions of the forces of a law do not follow from it in this scalar.
    #[error(
        "the force law {name:?} has no directions of its own, and those that follow from its rows have no derivatives in this \
         scalar, or none of the third order that differences resolve: write force_directions", name = Brief(name))]
    DirectionsNeeded {
        /// The name of the law.
        name: String,
    },
    /// The complementarity problem was not solved for another reason.
    #[error(transparent)]
    Lcp(LcpError),
}

debug_as_sentence!(ConstraintError);

impl ConstraintError {
    /// Says which constraint an input is wrong in: `check.map_err(ConstraintError::invalid(name))`.
    pub fn invalid(name: &str) -> impl Fn(InvalidInput) -> Self {
        move |source| ConstraintError::InvalidConstraint {
            name: name.to_owned(),
            source,
        }
    }

    pub(crate) fn not_described(name: &str, time: &'static str) -> Self {
        let name = name.to_owned();
        ConstraintError::NotDescribed { name, time }
    }

    pub(crate) fn crossed_bounds(name: &str, row: usize, bounds: [f64; 2]) -> Self {
        let name = name.to_owned();
        ConstraintError::CrossedBounds { name, row, bounds }
    }

    /// Whether the complementarity problem has no solution, or none was found.
    pub(crate) fn is_without_solution(&self) -> bool {
        use ConstraintError::{FrictionCone, Infeasible, Lcp, PainleveInconsistency, Unbounded};
        matches!(
            self,
            FrictionCone(_)
                | Infeasible { .. }
                | PainleveInconsistency { .. }
                | Unbounded { .. }
                | Lcp(_)
        )
    }

    /// Says which force law something is wrong in, unless the error does.
    pub(crate) fn in_law(self, name: &str) -> Self {
        let source = match self {
            ConstraintError::InvalidConstraint { source, .. } => ConstraintError::Invalid(source),
            source @ (ConstraintError::Invalid(_)
            | ConstraintError::Tree(_)
            | ConstraintError::Force(_)
            | ConstraintError::Contact(_)) => source,
            other => return other,
        };
        ConstraintError::InvalidLaw {
            name: name.to_owned(),
            source: Box::new(source),
        }
    }

    /// Says which constraint an input is wrong in.
    pub(super) fn in_constraint(self, name: &str) -> Self {
        match self {
            ConstraintError::Invalid(source) => ConstraintError::invalid(name)(source),
            other => other,
        }
    }
}

impl From<ForceError> for ConstraintError {
    fn from(error: ForceError) -> Self {
        match error {
            ForceError::Invalid(source) => ConstraintError::Invalid(source),
            ForceError::Tree(source) => ConstraintError::Tree(source),
            ForceError::NotFinite(source) => ConstraintError::NotFinite(source),
            other => ConstraintError::Force(Box::new(other)),
        }
    }
}

impl From<ConstraintError> for ParameterError {
    fn from(error: ConstraintError) -> Self {
        match error {
            ConstraintError::Invalid(source) => ParameterError::Invalid(source),
            other => ParameterError::Rejected {
                reason: other.to_string(),
            },
        }
    }
}
