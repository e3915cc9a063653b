//! Constraints and force laws in all schemes.

mod closed_loop;
mod condensed_rows;
mod constraint_laws;
mod force_laws;
mod joint_reactions;
mod painleve;
mod redundant_loops;
mod servo_constraints;
