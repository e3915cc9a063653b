//! Painlevé's rod: friction turns its tip into the ground while it slides, so that no finite force holds it out.

use dualbody::constants;
use dualbody::constraint::{
    AnyForceLaw, ConstraintError, ConstraintForceLaw, ForceLawRow, StepMotion,
};
use dualbody::contact::ContactModel;
use dualbody::math::{RigidTransform, SpatialInertia};
use dualbody::prelude::*;
use dualbody::system::{Scheme, StepJacobian};
use dualbody::tree::{BodyIndex, JointKind, RigidBodyTreeBuilder};
use nalgebra::Vector3;

const HALF: f64 = 0.5;
const TILT: f64 = std::f64::consts::FRAC_PI_3;
const SPEED: f64 = 1.0;

/// The tip of the rod stays above z = 0, and slides along x with Coulomb friction.
#[derive(Debug, Clone)]
struct Tip<T> {
    body: BodyIndex,
    friction: T,
}

impl<T: Scalar> ConstraintForceLaw<T> for Tip<T> {
    constants! { ConstraintForceLaw for Tip, named "tip" { body: in_tree; friction: not_negative("1"); } }

    fn num_rows(&self) -> usize {
        2
    }

    fn over_step(
        &self,
        motion: &StepMotion<'_, T>,
        forces: &[T],
        rows: &mut [ForceLawRow<T>],
    ) -> std::result::Result<(), ConstraintError> {
        let tip = Vector3::new(HALF, 0.0, 0.0).map(T::from);
        let slip = motion.end.point_velocity(self.body, &tip)?.linear.x;
        let limit = self.friction * forces[0];
        let limit = if limit.re() > 0.0 { limit } else { T::zero() };
        let height = motion.end.point_position(self.body, &tip)?.z;
        rows[0] = ForceLawRow::inequality(height);
        rows[1] = ForceLawRow::between(slip, -limit, limit);
        Ok(())
    }
}

/// The rod as it slides on its leading tip, and its start.
fn rod(
    scheme: Scheme,
    time_step: f64,
    friction: f64,
) -> (TimeSteppingRigidBodySystem<f64>, State<f64>) {
    let mut tree = RigidBodyTreeBuilder::new();
    let inertia = SpatialInertia::principal(1.0, Vector3::repeat(HALF * HALF / 3.0));
    let body = tree.add_body("rod", inertia).unwrap();
    let plane = JointKind::Planar {
        x_axis: Vector3::x(),
        y_axis: Vector3::z(),
    };
    tree.add_joint(
        "plane",
        plane,
        BodyIndex::WORLD,
        RigidTransform::identity(),
        body,
    )
    .unwrap();
    let mut system = RigidBodySystem::new(tree.finish().unwrap(), ContactModel::none()).unwrap();
    system
        .add_force_law(AnyForceLaw::new(Tip { body, friction }))
        .unwrap();
    let machine = TimeSteppingRigidBodySystem::with_scheme(system, time_step, scheme).unwrap();
    let mut start = machine.neutral_state();
    (start.q[1], start.q[2], start.v[0]) = (HALF * TILT.sin(), -TILT, SPEED);
    (machine, start)
}

/// The tip stops at once: the angular momentum about it says how fast the rod then turns, whatever the length of the step, but for
/// what gravity does meanwhile.
#[test]
fn the_tip_jams_with_the_momentum_that_it_has_about_the_tip() {
    let expected = -0.75 * SPEED * TILT.sin() / HALF;
    for scheme in [Scheme::Compliant, Scheme::Rigid] {
        for friction in [1.5, 2.0, 5.0] {
            for time_step in [1e-3, 1e-4, 1e-5] {
                let (machine, start) = rod(scheme, time_step, friction);
                let mut workspace = machine.workspace().unwrap();
                let mut step = machine.step(&mut workspace, &start, &[]).unwrap();
                let forces = step.law_forces().unwrap().to_vec();
                let v = &step.state().v;
                let error = (v[2] / expected - 1.0).abs();
                assert!(
                    error < 8.0 * time_step,
                    "{scheme:?} {friction} {time_step}: {error}"
                );
                let slip = v[0] - v[2] * HALF * step.state().q[2].sin();
                assert!(slip.abs() < 1e-9, "{slip}");
                assert!(forces[1] < 0.0 && -forces[1] < friction * forces[0]);
            }
        }
    }
}

/// Where friction is below what jams, the rod slides on by the force that its closed form has.
#[test]
fn with_less_friction_it_slides_on() {
    let (sin, cos) = TILT.sin_cos();
    for scheme in [Scheme::Compliant, Scheme::Rigid] {
        for friction in [0.2, 0.5, 0.8] {
            let (machine, start) = rod(scheme, 1e-5, friction);
            let mut workspace = machine.workspace().unwrap();
            let mut step = machine.step(&mut workspace, &start, &[]).unwrap();
            let normal = 9.81 / (1.0 + 3.0 * cos * (cos - friction * sin));
            let forces = step.law_forces().unwrap().to_vec();
            assert!(
                (forces[0] / normal - 1.0).abs() < 1e-3,
                "{friction}: {forces:?}"
            );
            assert!((forces[1] + friction * forces[0]).abs() < 1e-9 * normal);
        }
    }
}

#[test]
fn the_step_that_jams_has_derivatives() {
    for scheme in [Scheme::Compliant, Scheme::Rigid] {
        let (machine, start) = rod(scheme, 1e-3, 2.0);
        let (mut jacobian, mut workspace) = (StepJacobian::default(), machine.workspace().unwrap());
        let mut differentiator = StepDifferentiator::new(&machine, &[]).unwrap();
        differentiator.jacobian(&start, &[], &mut jacobian).unwrap();
        // Along the slide and the turn; a tip that is lifted lets go.
        for (entry, column) in [(3, 3), (5, 5)] {
            let mut at = |h: f64| {
                let mut state = start.clone();
                state.v[entry - 3] += h;
                machine
                    .step(&mut workspace, &state, &[])
                    .unwrap()
                    .state()
                    .v
                    .clone()
            };
            let difference = (at(1e-5) - at(-1e-5)) / 2e-5;
            let exact = jacobian.state.view((3, column), (3, 1));
            let error = (difference - exact).amax();
            assert!(error < 1e-6, "{scheme:?} {column}: {error}");
        }
    }
}
