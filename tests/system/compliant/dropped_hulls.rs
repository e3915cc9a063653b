//! Convex hulls that are dropped on the ground never have more energy than they had, however long the steps, but for what
//! spinning costs or gives in free flight: a few percent at 20 ms, of boxes as well.

use crate::support::cases::tier;
use crate::support::random_contact::Random;
use crate::support::scenes::bodies_over_ground;
use dualbody::contact::ContactMaterial;
use dualbody::geometry::Shape;
use dualbody::math::RigidTransform;
use dualbody::system::{Scheme, State, TimeSteppingRigidBodySystem};
use dualbody::tree::{RigidBodyTree, RigidBodyTreeBuilder};
use nalgebra::Vector3;

/// A hull about its centre of mass, of 1 kg.
fn dropped(
    vertices: usize,
    random: &mut Random,
    dt: f64,
    scheme: Scheme,
) -> TimeSteppingRigidBodySystem<f64> {
    let mut point = |_| Vector3::from_fn(|_, _| random.uniform(-0.1, 0.1));
    let points: Vec<_> = (0..vertices).map(&mut point).collect();
    let inertia = Shape::new_convex(&points)
        .unwrap()
        .solid_inertia(1.0)
        .unwrap();
    let center = inertia.center_of_mass;
    let points: Vec<_> = points.iter().map(|p| p - center).collect();
    let inertia = inertia.transformed(&RigidTransform::identity().rotation, &-center);
    let shape = Shape::new_convex(&points).unwrap();
    let material = ContactMaterial::new(1e6, 0.0, 0.5).unwrap();
    let system = bodies_over_ground(RigidBodyTreeBuilder::new(), &[shape], inertia, material);
    TimeSteppingRigidBodySystem::with_scheme(system, dt, scheme).unwrap()
}

/// That of gravity half a step, and of motion a whole step before, where semi-implicit steps keep their sum.
fn energy(tree: &RigidBodyTree<f64>, state: &State<f64>, dt: f64) -> f64 {
    let (mut q, mut workspace) = (state.q.clone(), tree.workspace());
    let mut go_to = |time: f64, workspace: &mut _| {
        let (from, v) = (state.q.as_slice(), state.v.as_slice());
        tree.integrate(from, v, time, q.as_mut_slice()).unwrap();
        tree.set_state(workspace, q.as_slice(), v).unwrap();
    };
    go_to(-0.5 * dt, &mut workspace);
    let of_gravity = tree.potential_energy(&workspace).unwrap();
    go_to(-dt, &mut workspace);
    of_gravity + tree.kinetic_energy(&workspace).unwrap()
}

#[test]
fn no_vertex_comes_in_unseen() {
    for scheme in [Scheme::Compliant, Scheme::Rigid] {
        for dt in [1e-3, 5e-3, 1e-2, 2e-2] {
            for seed in 0..tier(4, 12) {
                let mut random = Random::new(seed);
                let vertices = [5, 5, 5, 30][seed as usize % 4];
                let system = dropped(vertices, &mut random, dt, scheme);
                let tree = system.tree();
                let mut state = system.initial_state();
                for k in 0..3 {
                    state.v[k] = random.uniform(-6.0, 6.0);
                    state.v[3 + k] = random.uniform(-1.0, 1.0);
                }
                let mut q = state.q.clone();
                let to = [0.9, -0.4, 1.3, 0.0, 0.0, 0.15];
                tree.integrate(state.q.as_slice(), &to, 1.0, q.as_mut_slice())
                    .unwrap();
                state.q = q;
                let start = energy(tree, &state, dt);
                let mut workspace = system.workspace().unwrap();
                for k in 0..(10.0 / dt) as usize {
                    state = system
                        .step(&mut workspace, &state, &[])
                        .unwrap()
                        .state()
                        .clone();
                    let now = energy(tree, &state, dt);
                    assert!(
                        now < 1.08 * start,
                        "{scheme:?}, {dt} s, {seed}: {start} J, {now} J after {k} steps"
                    );
                }
                let end = energy(tree, &state, dt);
                assert!(
                    end < 0.5 * start,
                    "{scheme:?}, {dt} s, {seed}: {start} J, {end} J"
                );
            }
        }
    }
}
