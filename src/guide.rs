//! The guide: pages by task, and for users of other software.
//!
//! | job | page |
//! |---|---|
//! | gradients of contact outcomes: how to get them, what they mean, when not | [`gradients`] |
//! | stiffness, damping, friction, inertia from measurements | [`identification`] |
//! | whether a Jacobian is right, this crate's or yours | [`checking_jacobians`] |
//! | forces of one's own, and what NaN at rest means | [`own_forces`] |
//! | sensors of one's own, in simulations and fits | [`own_sensors`] |
//! | fits and sweeps on clusters, by MPI and job arrays | [`cluster`] |
//! | time step, stiffness, dissipation and tolerances from mass, penetration and restitution | [`choosing`] |
//!
//! | what one knows | page |
//! |---|---|
//! | Drake, class by class and member by member | [`from_drake`] |
//! | MuJoCo | [`from_mujoco`] |
//! | Pinocchio | [`from_pinocchio`] |
//! | the field, but not our words | [`glossary`] |
//! | what is promised, and how it is tested | [`reliability`] |
//! | real robots on the ground | [`robots`] |
//! | how it is built, and why | [`architecture`], [`decisions`] |
//! | how fast it is, beside other software | [`benchmarks`] |

/// A page of the folder `docs`. Its links and pictures are files there; here the definitions that come first
/// count.
macro_rules! page {
    ($name:ident, $file:literal) => {
        #[doc = include_str!("guide/links.md")]
        #[doc = include_str!("guide/pictures.md")]
        #[doc = include_str!(concat!("../docs/", $file))]
        pub mod $name {}
    };
}

page!(gradients, "GRADIENTS.md");
page!(identification, "IDENTIFICATION.md");
page!(checking_jacobians, "CHECKING_JACOBIANS.md");
page!(choosing, "CHOOSING.md");
page!(own_forces, "OWN_FORCES.md");
page!(own_sensors, "OWN_SENSORS.md");
page!(from_drake, "FROM_DRAKE.md");
page!(from_mujoco, "FROM_MUJOCO.md");
page!(from_pinocchio, "FROM_PINOCCHIO.md");
page!(glossary, "GLOSSARY.md");
page!(cluster, "CLUSTER.md");
page!(reliability, "RELIABILITY.md");
page!(robots, "ROBOTS.md");
page!(architecture, "../ARCHITECTURE.md");
page!(benchmarks, "BENCHMARKS.md");

/// The files of `docs/decisions`, one after another.
macro_rules! decisions {
    ($($file:literal),* $(,)?) => {
        /// What was decided, when, why, and what it costs. How the parts fit is in [`architecture`].
        $(#[doc = include_str!(concat!("../docs/decisions/", $file, ".md"))])*
        pub mod decisions {}
    };
}

decisions!(
    "scalar",
    "directions-in-chunks",
    "parameters-by-visitor",
    "compiled-once",
    "elements-are-values",
    "decisions-are-shown",
    "one-description-three-schemes",
    "two-models",
    "inverse-dynamics-residual",
    "two-routes",
    "step-length-in-context",
    "force-laws",
    "constraints-in-compliant-steps",
    "forces-in-rigid-steps",
    "rigid-equilibria",
    "energy-at-both-ends",
    "batches",
    "speculative-contact",
    "free-bodies-fly",
    "mechanisms-fly",
    "momentum-projection",
    "substeps",
    "restitution-bounded-by-energy",
    "contact-in-two-stages",
    "convex-shapes",
    "convex-decomposition",
    "height-fields",
    "islands",
    "hard-contact-problems",
    "rotational-friction",
    "bristles-are-elements",
    "operators",
    "own-factorisations",
    "columns-in-world",
    "analytic-dynamics-derivatives",
    "forward-dynamics",
    "descriptions-keep-frames",
    "own-urdf-reader",
    "fits-reduce-then-add",
    "samples-keep-their-times",
    "self-contained-pages",
    "wheels-need-avx2",
    "errors",
);
