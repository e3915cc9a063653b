//! The guide: pages by task, and for users of other software.
//!
//! | job | page |
//! |---|---|
//! | gradients of contact outcomes: how to get them, what they mean, when not | [`gradients`] |
//! | stiffness, damping, friction, inertia from measurements | [`identification`] |
//! | whether a Jacobian is right, this crate's or yours | [`checking_jacobians`] |
//! | forces of one's own, and what NaN at rest means | [`own_forces`] |
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
//! | how it is built, and why | [`architecture`] |

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
page!(from_drake, "FROM_DRAKE.md");
page!(from_mujoco, "FROM_MUJOCO.md");
page!(from_pinocchio, "FROM_PINOCCHIO.md");
page!(glossary, "GLOSSARY.md");
page!(cluster, "CLUSTER.md");
page!(reliability, "RELIABILITY.md");
page!(robots, "ROBOTS.md");
page!(architecture, "../ARCHITECTURE.md");
