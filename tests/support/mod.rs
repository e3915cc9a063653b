//! What several test files share.
#![allow(dead_code)] // each test binary uses its part

pub mod arbitrary_number;
pub mod cases;
pub mod constraint_problem;
pub mod contact_problem;
pub mod derivatives_of_steps;
pub mod descriptions;
pub mod four_bar;
pub mod mutation;
pub mod probe;
pub mod random_contact;
pub mod random_lcp;
pub mod random_tree;
pub mod reference;
pub mod robot_on_ground;
pub mod robots;
pub mod scenes;
pub mod user_elements;
