//! A force, a sensor and a constraint from outside the crate, on a robot that a file brought: the whole way.

use dualbody::constants;
use dualbody::constraint::{ConstraintError, ConstraintLevel, ConstraintRows, TreeConstraint};
use dualbody::force::{ForceContext, ForceElement, ForceError, Forces};
use dualbody::identification::motion::{
    Channel, Measured, MotionExperiment, MotionModel, Signals, Start, StateDeviations,
};
use dualbody::identification::{LevenbergMarquardt, Problem};
use dualbody::io::json::ElementTypes;
use dualbody::io::mjcf::MjcfReader;
use dualbody::prelude::*;
use dualbody::sensor::{Sensor, SensorContext, SensorError};
use dualbody::system::{Adjoint, IntegrationMethod, RolloutObjective, Scheme, StepJacobian};
use dualbody::tree::{RigidBodyTree, TreeWorkspace};
use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};
use std::{fmt, sync::Arc};

type Outcome<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const ROBOT: &str = r#"<mujoco model="robot"><worldbody><body name="arm">
  <joint name="shoulder" axis="0 1 0" damping="0.1" stiffness="2"/><geom type="capsule" fromto="0 0 0 .4 0 0" size=".03"/>
  <body name="hand" pos=".4 0 0"><joint name="elbow" axis="0 1 0" damping="0.05"/>
    <geom type="capsule" fromto="0 0 0 .3 0 0" size=".02"/></body>
  <body name="tail" pos="0 .2 0"><joint name="root" axis="0 1 0"/><geom type="sphere" size=".05" pos="0 0 -.2"/></body>
</body></worldbody><actuator><motor name="drive" joint="shoulder"/></actuator></mujoco>"#;

/// Drag of the air on the first joint, −c |v| v.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Drag<T> {
    coefficient: T,
}

impl<T: Scalar> ForceElement<T> for Drag<T> {
    constants! { ForceElement for Drag, named "drag" { coefficient: not_negative("N m s²/rad²"); } }
    fn add_forces(
        &self,
        at: &ForceContext<'_, T>,
        forces: &mut Forces<T>,
    ) -> std::result::Result<(), ForceError> {
        forces.add_generalized(0, -self.coefficient * at.v()[0].abs_lifted() * at.v()[0])
    }
}

/// The pressure of the air, ½ ρ v².
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Pitot<T> {
    density: T,
}

impl<T: Scalar> Sensor<T> for Pitot<T> {
    constants! { Sensor for Pitot, named "pitot" { density: positive("kg/m³"); } }
    fn num_outputs(&self) -> usize {
        1
    }
    fn visit_output_names(&self, visit: &mut dyn FnMut(fmt::Arguments<'_>)) {
        visit(format_args!("pitot/pressure"));
    }
    fn measure(
        &self,
        at: &SensorContext<'_, T>,
        _: &[T],
        _: &mut dyn FnMut() -> f64,
        out: &mut [T],
    ) -> std::result::Result<(), SensorError> {
        out[0] = self.density * at.v()[0] * at.v()[0] * 0.5;
        Ok(())
    }
}

/// The tail turns `ratio` times as fast as the shoulder.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Belt<T> {
    ratio: T,
}

impl<T: Scalar> TreeConstraint<T> for Belt<T> {
    constants! { TreeConstraint for Belt, named "belt" { ratio: any("1"); } }
    fn num_rows(&self) -> usize {
        1
    }
    fn level(&self) -> ConstraintLevel {
        ConstraintLevel::Velocity
    }
    fn evaluate(
        &self,
        _: &RigidBodyTree<T>,
        _: &TreeWorkspace<T>,
        _: T,
        rows: &mut ConstraintRows<T>,
    ) -> std::result::Result<(), ConstraintError> {
        (rows.jacobian[(0, 0)], rows.jacobian[(0, 2)]) = (-self.ratio, T::one());
        Ok(())
    }
}

const PARAMETERS: [&str; 3] = ["drag/coefficient", "belt/ratio", "hand/mass"];
const STEPS: usize = 200;

fn angle<T: Scalar>(system: &TimeSteppingRigidBodySystem<T>, x: &[T]) -> Result<T> {
    let mut system = system.clone();
    for (name, &value) in PARAMETERS.iter().zip(x) {
        system.set_parameter(name, value)?;
    }
    Ok(system.rollout(&system.initial_state(), STEPS)?.last().q[0])
}

/// The angle of the shoulder at the end.
struct Angle;
impl RolloutObjective for Angle {
    fn evaluate<T: Scalar>(&self, step: usize, state: &State<T>, _: &[T]) -> T {
        if step == STEPS { state.q[0] } else { T::zero() }
    }
}

#[test]
fn elements_from_outside_go_the_whole_way() -> Outcome<()> {
    let (tree, model) = MjcfReader::new().tree_from_str(ROBOT)?;
    let mut robot = model.system(tree)?;
    robot.add_force(Drag { coefficient: 0.3 })?;
    robot.add_sensor(Pitot { density: 1.2 })?;
    robot.add_constraint(Belt { ratio: 2.0 })?;
    let mut types = ElementTypes::default();
    types.register_force::<Drag<f64>>("Drag")?;
    types.register_sensor::<Pitot<f64>>("Pitot")?;
    types.register_constraint::<Belt<f64>>("Belt")?;
    let continuous = Scheme::Continuous {
        method: IntegrationMethod::RungeKutta4,
        substeps: 1,
    };
    for scheme in [Scheme::Compliant, Scheme::Rigid, continuous] {
        let system = TimeSteppingRigidBodySystem::with_scheme(robot.clone(), 2e-3, scheme)?;
        let x = PARAMETERS.map(|name| system.parameter(name).expect("a parameter"));
        let (end, slopes) = gradient!(angle, &system, x)?;
        let adjoint = Adjoint::new(&system, &PARAMETERS)?.gradient(
            &Angle,
            &system.initial_state(),
            &DMatrix::zeros(1, STEPS),
        )?;
        let mut jacobian = StepJacobian::default();
        StepDifferentiator::new(&system, &PARAMETERS)?.jacobian(
            &system.initial_state(),
            &[0.5],
            &mut jacobian,
        )?;
        assert!(
            (adjoint.value - end).abs() < 1e-12 && jacobian.parameters[(4, 2)] != 0.0,
            "{scheme:?}"
        );
        for (k, (&exact, &other)) in slopes.iter().zip(&adjoint.parameters).enumerate() {
            let at = |h: f64| {
                angle(
                    &system,
                    &std::array::from_fn::<f64, 3, _>(|i| x[i] + if i == k { h } else { 0.0 }),
                )
            };
            let difference = (at(1e-5)? - at(-1e-5)?) / 2e-5;
            assert!(
                (exact - difference).abs() < 1e-7 && (exact - other).abs() < 1e-10,
                "{scheme:?} {k}"
            );
        }
        let read =
            TimeSteppingRigidBodySystem::from_json_with(&system.to_json_with(&types)?, &types)?;
        assert_eq!(angle(&read, &x)?.to_bits(), end.to_bits());
    }
    assert!(
        robot
            .to_json()
            .unwrap_err()
            .to_string()
            .contains("\"drag\" is not registered")
    );

    // A fit of the drag to the pressure that the robot itself gave.
    let system = TimeSteppingRigidBodySystem::compliant(robot, 2e-3)?;
    let (mut workspace, mut state, mut pressure) =
        (system.workspace()?, system.initial_state(), Vec::new());
    for _ in 0..STEPS {
        let step = system.step(&mut workspace, &state, &[0.0])?;
        pressure.push(step.output()[0]);
        state = step.state().clone();
    }
    let mut guess = system.clone();
    guess.set_parameter("drag/coefficient", 0.1)?;
    let channel = Channel::new(
        "pressure",
        Measured::Output("pitot/pressure".into()),
        [1e-3],
    )?;
    let model = MotionModel::new(guess)
        .measure(&channel)?
        .estimate_parameter("drag/coefficient")?;
    let unknowns = model.unknowns().to_vec();
    let signals = Signals::new(0.0, 2e-3)?
        .with("robot/drive/torque", "N m", vec![0.0; STEPS])?
        .with("pressure", "kg/m/s²", pressure)?;
    let deviations = StateDeviations {
        position: 1.0,
        velocity: 1.0,
        actuators: 1.0,
        sensors: 1.0,
    };
    let start = Start::Known(system.initial_state());
    let experiments = [MotionExperiment::new(
        Arc::new(model),
        "swing",
        &signals,
        start,
        deviations,
    )?];
    let fit = LevenbergMarquardt::default().fit(&Problem::new(unknowns, &experiments)?)?;
    assert!(
        (fit.estimates[0].value - 0.3).abs() < 1e-8,
        "{:?}",
        fit.estimates
    );
    Ok(())
}
