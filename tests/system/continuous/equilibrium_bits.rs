//! An equilibrium in duals has the bits of that in `f64`, on machines at random.

use crate::support::random_tree::{Style, random_state, random_tree};
use dualbody::DefaultScalar;
use dualbody::autodiff::ChunkDual;
use dualbody::contact::ContactModel;
use dualbody::force::{BodyPoint, LinearSpringDamper};
use dualbody::system::RigidBodySystem;
use dualbody::tree::{BodyIndex, RigidBodyTree};
use nalgebra::Vector3;
use num_dual::Dual64;

/// A tree whose bodies hang in three springs each.
fn machine(tree: RigidBodyTree<f64>, seed: u64) -> RigidBodySystem<f64> {
    let mut springs = Vec::new();
    for (i, body) in tree.bodies().enumerate().skip(1) {
        for k in 0..3 {
            let (x, turn) = (i as f64 + 0.3 * seed as f64, 2.1 * k as f64);
            let point = Vector3::new(turn.cos(), turn.sin(), 0.3 * x.sin()) * 0.4;
            let anchor = Vector3::new(x.cos(), 2.0 * turn.sin(), (x + turn).cos()) * 2.0;
            let ends = [
                BodyPoint::new(BodyIndex::WORLD, anchor),
                BodyPoint::new(body.index(), point),
            ];
            let name = format!("spring {i} {k}");
            let spring = LinearSpringDamper::new(name, &tree, ends, 200.0, 1.0, 0.5, 1e-3);
            springs.push(spring.unwrap());
        }
    }
    let machine = RigidBodySystem::new(tree, ContactModel::none()).unwrap();
    machine.with_forces(springs).unwrap()
}

#[test]
fn equilibria_in_duals_have_the_bits_of_those_in_f64() {
    fn real_parts<T: DefaultScalar>(machine: &RigidBodySystem<f64>, q: &[f64]) -> Option<Vec<u64>> {
        let machine = machine.cast::<T>();
        let mut guess = machine.initial_state();
        for (to, &q) in guess.q.iter_mut().zip(q) {
            *to = T::from(q);
        }
        let rest = machine.equilibrium(&guess, &[], 1e-9).ok()?;
        Some(rest.q.iter().map(|q| q.re().to_bits()).collect())
    }
    let mut found = 0;
    for seed in 0..60 {
        let tree = random_tree(seed, 1 + (seed % 4) as usize, Style::General);
        let (q, _) = random_state(&tree, seed);
        let machine = machine(tree, seed);
        let Some(real) = real_parts::<f64>(&machine, &q) else {
            continue;
        };
        for dual in [
            real_parts::<Dual64>(&machine, &q),
            real_parts::<ChunkDual>(&machine, &q),
        ] {
            // Indifferent where no derivative exists.
            let Some(dual) = dual else { continue };
            assert_eq!(dual, real, "seed {seed}");
            found += 1;
        }
    }
    assert!(found > 60, "{found}");
}
