//! Stacks of boxes of very unequal masses, pushed or not, with round friction cones.

use crate::support::cases::tier;
use crate::support::random_contact::Random;
use dualbody::prelude::*;
use dualbody::system::{Scheme, SystemOptions};

const G: f64 = 9.81;
const STEPS: usize = 10;

/// Two to five boxes of masses between 1 g and 1000 t on each other, turned and shifted a little, some of them pushed
/// sideways.
struct Stack {
    system: TimeSteppingRigidBodySystem<f64>,
    masses: Vec<f64>,
    state: State<f64>,
    input: Vec<f64>,
}

impl Stack {
    fn random(seed: u64) -> Result<Self> {
        let mut random = Random::new(seed);
        let boxes = 2 + random.index(4);
        let mu = random.uniform(0.1, 0.9);
        let dt = [1e-3, 1e-2][random.index(2)];
        let material = ContactMaterial::new(1e5, 0.1, mu)?;
        let mut builder = SystemBuilder::new().floor("floor", material);
        let (mut masses, mut heights) = (Vec::new(), Vec::new());
        for k in 0..boxes {
            let mass = random.logarithmic(1e-3, 1e6);
            let size = Vector3::from_fn(|_, _| random.uniform(0.1, 0.3));
            let shape = Shape::new_box(size)?;
            builder = builder.free_body(format!("box {k}"), shape, mass, material);
            masses.push(mass);
            heights.push(size.z);
        }
        let mut options = SystemOptions::default();
        options.round_friction_cones = true;
        let system = builder.build()?.with_generalized_forces()?;
        let system = system.with_options(options)?;
        let system = TimeSteppingRigidBodySystem::with_scheme(system, dt, Scheme::Rigid)?;
        let mut state = system.initial_state();
        let mut bottom = 0.0;
        for (k, height) in heights.iter().enumerate() {
            let half = 0.5 * random.uniform(-0.3, 0.3);
            let q = &mut state.q.as_mut_slice()[7 * k..7 * k + 7];
            (q[0], q[3]) = (half.cos(), half.sin());
            (q[4], q[5]) = (random.uniform(-0.02, 0.02), random.uniform(-0.02, 0.02));
            q[6] = bottom + 0.5 * height;
            bottom += height;
        }
        let mut input = vec![0.0; 6 * boxes];
        for (k, mass) in masses.iter().enumerate() {
            if random.unit() < 0.4 {
                let force = random.uniform(0.0, 2.0) * mu * G * mass;
                let (sin, cos) = random.uniform(0.0, 6.3).sin_cos();
                (input[6 * k + 3], input[6 * k + 4]) = (force * cos, force * sin);
            }
        }
        Ok(Stack {
            system,
            masses,
            state,
            input,
        })
    }

    /// `δt² τ·M⁻¹ τ/8` of pushes and weights: the most that contacts may seem to give.
    fn most_given(&self) -> f64 {
        let squares = (self.masses.iter().enumerate()).map(|(k, mass)| {
            let push = [self.input[6 * k + 3], self.input[6 * k + 4], mass * G];
            push.iter().map(|f| f * f).sum::<f64>() / mass
        });
        self.system.time_step().powi(2) * squares.sum::<f64>() / 8.0
    }

    fn steps(&self) -> Result<()> {
        let dt = self.system.time_step();
        let mut workspace = self.system.workspace()?;
        let mut state = self.state.clone();
        for _ in 0..STEPS {
            let mut step = self.system.step(&mut workspace, &state, &self.input)?;
            let ledger = step.energy()?;
            let lost = ledger.dissipated_by_contact_normal + ledger.dissipated_by_friction;
            let push = step.contacts()?.iter().map(|contact| {
                // Work of what drives overlaps out, and what the residual leaves of it.
                contact.force.z * dt * contact.velocity.z.max(0.0)
            });
            let push: f64 = push.sum();
            let kinetic = ledger.kinetic.start.max(ledger.kinetic.end);
            let least = -self.most_given() - push - 1e-9 * kinetic;
            assert!(lost >= least, "{lost:e} J, at least {least:e} J");
            state.clone_from(step.state());
        }
        Ok(())
    }
}

/// Those that Newton's method does not solve from the solution with pyramids, and others.
#[test]
fn stacks_of_very_unequal_masses_make_steps() -> Result<()> {
    let hard = [24];
    for seed in (0..tier(4, 130)).chain(hard) {
        let stack = Stack::random(seed)?;
        if let Err(error) = stack.steps() {
            panic!("stack {seed}, masses {:?} kg: {error}", stack.masses);
        }
    }
    Ok(())
}
