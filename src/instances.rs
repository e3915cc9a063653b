//! Instantiation of coarse generic functions for the common scalars, compiled once with this crate.
//!
//! A generic function is compiled again in every crate that uses it, unless it is marked `#[inline(never)]` and a crate
//! below has used it with the same types. So the coarse entries of this crate, down to which a program reaches, are
//! marked so, and used here in the scalars that programs, `gradient!` and `jacobian!` work with. A program then compiles
//! what it says itself, and whatever is below the entries is inlined as it pays. Every scalar more is a fifth of the crate
//! more to compile, for everybody; so the others are compiled where they are used.

use crate::autodiff::ChunkDual;
use crate::constraint::{
    ConstraintForces, JointLimitConstraint, MotionProfile, MotionSpline, TreeConstraints,
};
use crate::contact::{
    ContactForce, ContactMaterial, ContactModel, ContactModelBuilder,
    ContactResultantForceCalculator, ContactWorkspace,
};
use crate::force::bushing::BushingConstants;
use crate::force::{ConservativeBushing, ForceContext, Forces, LinearBushingRollPitchYaw};
use crate::geometry::{HeightField, Ray, Shape};
use crate::math::{RollPitchYaw, SpatialInertia};
use crate::parameter::Parameters;
use crate::sensor::SensorContext;
use crate::solver::implicit_stribeck::{
    ImplicitStribeckSolver, ImplicitStribeckSolverParameters, OneWayCoupledProblem, Solution,
    TwoWayCoupledProblem,
};
use crate::solver::lcp::{LcpSolver, LinearComplementarityProblem};
use crate::system::{
    EnergyLedger, RigidBodyFlow, RigidBodySystem, Rollout, Step, StepWorkspace, SystemBuilder,
    TimeSteppingRigidBodySystem,
};
use crate::tree::{RigidBodyTree, RigidBodyTreeBuilder};
use crate::{DefaultScalar, Scalar, geometry};

/// Addresses of functions; that they are there is all that counts.
type Entries = Vec<*const ()>;

macro_rules! entries {
    ($($type:ident: $($function:ident)+;)+) => {
        vec![$($($type::<T>::$function as *const ()),+),+]
    };
}

/// The entries of machines.
fn of_machines<T: DefaultScalar>() -> Entries {
    let mut all = entries! {
        RigidBodySystem: constraint_violation output dynamics_workspace accelerations equilibrium nearest_kinks with_generalized_forces energy body_pose body_velocity set_body_pose set_body_position set_body_velocity joint_position joint_velocity set_joint_position set_joint_velocity new with_options input_names output_names input_index output_index initial_state check;
        TimeSteppingRigidBodySystem: with_generalized_forces rollout workspace step step_with_noise new compliant rigid with_scheme with_options take_description roll_out;
        EnergyLedger: total dissipated;
        Step: energy contacts constraint_forces visit_element_kinks;
        Rollout: nearest_kinks;
        StepWorkspace: set_parallelism;
    };
    all.extend(parameters::<T, RigidBodySystem<T>>());
    all.extend(parameters::<T, TimeSteppingRigidBodySystem<T>>());
    all.extend([
        RigidBodyTree::<f64>::cast::<T> as *const (),
        ContactModel::<f64>::cast::<T> as *const (),
        RigidBodySystem::<f64>::cast::<T> as *const (),
        TimeSteppingRigidBodySystem::<f64>::cast::<T> as *const (),
    ]);
    all
}

/// The entries below machines.
fn of_parts<T: Scalar>() -> Entries {
    let mut all = entries! {
        ConstraintForces: in_planar_contact_frames;
        JointLimitConstraint: of_tree;
        MotionSpline: through;
        MotionProfile: at;
        TreeConstraints: acceleration_problem impact_problem time_step_problem;
        ContactWorkspace: new;
        ContactModel: contacts nearest_geometry_kink none;
        ContactModelBuilder: exclude_within exclude_overlapping new add_geometry include set_pair_material finish;
        ContactMaterial: new rigid with_static_friction with_rotational_friction combined_by validate restitution_at dissipation_of;
        ContactResultantForceCalculator: add_force add_force_with_torque resultant resultant_about kinks;
        ContactForce: with_torque reaction on_surface;
        ConservativeBushing: damping_power;
        BushingConstants: revolute prismatic ball weld validate;
        LinearBushingRollPitchYaw: spatial_force_on_frame_a spatial_force_on_frame_c deformation damping_power nonconservative_power;
        ForceContext: with_velocities;
        Forces: new project power;
        HeightField: new height_at;
        Ray: new;
        Shape: validate solid_inertia;
        RollPitchYaw: from_matrix to_matrix;
        SpatialInertia: solid_box transformed combined validate to_standard_parameters;
        SensorContext: new with_accelerations;
        ImplicitStribeckSolverParameters: validate;
        OneWayCoupledProblem: new;
        TwoWayCoupledProblem: new;
        Solution: nearest_kink;
        ImplicitStribeckSolver: new set_parameters solve_posed;
        LinearComplementarityProblem: mixed;
        LcpSolver: solve;
        SystemBuilder: new pair_material build compliant rigid;
        RigidBodyFlow: contact_event new set_input;
        RigidBodyTreeBuilder: new set_gravity set_damping set_friction set_armature set_position_limits set_velocity_limits set_effort_limits set_mimic finish;
        RigidBodyTree: map_velocity_to_qdot map_qdot_to_velocity integrate integrate_exponential difference kinetic_energy potential_energy forward_dynamics solve_mass_matrix new_forward_dynamics_derivatives forward_dynamics_derivatives inverse_dynamics bias_forces gravity_forces joint_damping_forces joint_damping generalized_forces body_accelerations new_inverse_dynamics_derivatives inverse_dynamics_derivatives point_jacobian spatial_jacobian relative_spatial_jacobian relative_velocity bias_acceleration mass_matrix multiply_mass_matrix center_of_mass center_of_mass_velocity momentum momentum_about_center_of_mass body_pose frame_pose point_position torque_regressor momentum_regressor energy_regressor body_by_name joint_by_name frame_by_name total_mass neutral_configuration standard_parameters standard_parameters_of standard_parameter_values set_standard_parameters body_velocity frame_velocity point_velocity body_velocities workspace set_state set_positions;
    };
    all.extend(parameters::<T, RigidBodyTree<T>>());
    all.extend(parameters::<T, ContactModel<T>>());
    all.extend([
        geometry::witnesses::<T> as *const (),
        geometry::signed_distance::<T> as *const (),
        geometry::cast_ray::<T> as *const (),
        geometry::Witness::contact_point::<T> as *const (),
    ]);
    all
}

fn parameters<T: Scalar, M: Parameters<T>>() -> Entries {
    vec![
        M::visit_parameters as *const (),
        M::parameters_changed as *const (),
        M::parameters as *const (),
        M::parameter_index as *const (),
        M::parameter as *const (),
        M::set_parameter as *const (),
        M::set_parameters as *const (),
    ]
}

/// Not to be called.
#[doc(hidden)]
pub fn compiled_once() -> usize {
    let entries = [
        of_machines::<f64>,
        of_machines::<ChunkDual>,
        of_parts::<f64>,
    ];
    entries.iter().map(|entries| entries().len()).sum()
}
