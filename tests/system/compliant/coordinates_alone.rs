//! Forces that live by the coordinates of joints alone: bodies are not placed for them.

use crate::support::user_elements::Tether;
use dualbody::contact::ContactMaterial;
use dualbody::force::{
    BodyPoint, ForceContext, ForceElement, ForceError, Forces, LinearSpringDamper,
};
use dualbody::io::mjcf::MjcfReader;
use dualbody::math::SpatialForce;
use dualbody::system::{
    RigidBodySystem, Scheme, SparseStepJacobian, State, StepDifferentiator,
    TimeSteppingRigidBodySystem,
};
use dualbody::{DefaultScalar, Scalar};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// A trunk on two legs with servos, one of them with a limited force.
const WALKER: &str = r#"
<mujoco>
  <compiler angle="radian"/>
  <worldbody>
    <geom type="plane" size="5 5 1"/>
    <body name="trunk" pos="0 0 0.5">
      <freejoint name="base"/>
      <geom type="box" size="0.2 0.1 0.05" mass="4" contype="0" conaffinity="0"/>
      <body name="left" pos="0 0.1 0">
        <joint name="left" axis="0 1 0" range="-1 1"/>
        <geom type="capsule" size="0.03" fromto="0 0 0 0 0 -0.48" mass="1"/>
      </body>
      <body name="right" pos="0 -0.1 0">
        <joint name="right" axis="0 1 0" stiffness="3" frictionloss="0.2"/>
        <geom type="capsule" size="0.03" fromto="0 0 0 0 0 -0.48" mass="1"/>
      </body>
    </body>
  </worldbody>
  <actuator>
    <position name="left servo" joint="left" kp="60" kv="2"/>
    <position name="right servo" joint="right" kp="60" kv="2" forcerange="-4 4"/>
  </actuator>
</mujoco>"#;

fn walker() -> Result<RigidBodySystem<f64>> {
    let reader = MjcfReader::new().with_material(ContactMaterial::new(1e4, 0.5, 0.6)?)?;
    let (tree, model) = reader.tree_from_str::<f64>(WALKER)?;
    Ok(model.system(tree)?)
}

/// States after twenty steps, and Jacobians of the next one by states, inputs and two parameters.
fn outcome(machine: RigidBodySystem<f64>, scheme: Scheme) -> Result<Vec<f64>> {
    let system = TimeSteppingRigidBodySystem::with_scheme(machine, 2e-3, scheme)?;
    let mut state = system.initial_state();
    for (i, v) in state.v.iter_mut().enumerate() {
        *v = 0.3 - 0.1 * i as f64;
    }
    let control = |_: usize, _: &State<f64>, input: &mut [f64]| {
        input
            .iter_mut()
            .enumerate()
            .for_each(|(i, u)| *u = 0.2 * i as f64);
    };
    let rollout = system.rollout_with(&mut system.workspace()?, &state, 20, control);
    let last = rollout.completed()?.last().clone();
    let mut input = vec![0.0; system.num_inputs()];
    control(0, &last, &mut input);
    let parameters = ["left servo/proportional_gain", "left/mass"];
    let mut differentiator = StepDifferentiator::new(&system, &parameters)?;
    let mut jacobian = SparseStepJacobian::default();
    differentiator.sparse_jacobian(&last, &input, &mut jacobian)?;
    let slopes = [jacobian.state, jacobian.input, jacobian.parameters];
    let slopes = slopes.map(|columns| columns.to_dense());
    let slopes = slopes.iter().flat_map(|matrix| matrix.iter());
    Ok((last.q.iter().chain(&last.v).chain(slopes))
        .copied()
        .collect())
}

/// Of no force, but between bodies.
fn idle(machine: &RigidBodySystem<f64>) -> Result<LinearSpringDamper<f64>> {
    let tree = machine.tree();
    let ends = [tree.body_by_name("left")?, tree.body_by_name("right")?];
    let ends = ends.map(BodyPoint::origin);
    Ok(LinearSpringDamper::new(
        "idle", tree, ends, 0.0, 0.0, 0.1, 1e-3,
    )?)
}

#[test]
fn forces_at_joints_are_the_same_where_bodies_are_placed_for_others() -> Result<()> {
    for scheme in [Scheme::Compliant, Scheme::Rigid] {
        let alone = outcome(walker()?, scheme)?;
        let machine = walker()?;
        let idle = idle(&machine)?;
        let beside = outcome(machine.with_forces([idle])?, scheme)?;
        assert_eq!(alone, beside, "{scheme:?}");
    }
    Ok(())
}

/// Says that it does not ask for bodies, and does.
#[derive(Debug, Clone)]
struct Liar<T> {
    tether: Tether<T>,
    asks: bool,
}

impl<T: Scalar> ForceElement<T> for Liar<T> {
    type Cast<U: DefaultScalar> = Liar<U>;

    fn cast<U: DefaultScalar>(&self) -> Liar<U> {
        Liar {
            tether: self.tether.cast(),
            asks: self.asks,
        }
    }

    fn add_forces(
        &self,
        context: &ForceContext<'_, T>,
        forces: &mut Forces<T>,
    ) -> std::result::Result<(), ForceError> {
        match self.asks {
            true => self.tether.add_forces(context, forces),
            false => forces.add_on_body(self.tether.bodies[0], &SpatialForce::zero()),
        }
    }

    fn depends_on_bodies(&self) -> bool {
        false
    }
}

#[test]
fn an_element_that_asks_for_bodies_says_so() -> Result<()> {
    for asks in [false, true] {
        let machine = walker()?;
        let tree = machine.tree();
        let bodies = [tree.body_by_name("left")?, tree.body_by_name("right")?];
        let liar = Liar {
            tether: Tether {
                bodies,
                stiffness: 1.0,
            },
            asks,
        };
        let message = outcome(machine.with_forces([liar])?, Scheme::Compliant).unwrap_err();
        let message = message.to_string();
        assert!(message.contains("`depends_on_bodies`"), "{message}");
    }
    Ok(())
}
