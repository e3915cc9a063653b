//! Times of a step of two robots that stand on the ground, in `f64`: from the velocities of its start as a guess,
//! and repeated, from its own result; of a hundred steps that go on from there without torques, each from the guess
//! that the last ones give; and of the Jacobian of a step with respect to positions, velocities and generalized
//! forces, without and with twenty parameters: masses, and friction and stiffness of contact.

use criterion::{Criterion, criterion_group, criterion_main};
use dualbody::parameter::Parameters;
use dualbody::system::{StepDifferentiator, StepJacobian};
use std::hint::black_box;

#[path = "../tests/support/mod.rs"]
mod support;

use support::reference::{number, read, vector};
use support::robot_on_ground::{layout, state, system};

/// Robots, the case of `steps_*.json` in which all their feet touch, and the points of contact.
const ROBOTS: [(&str, usize, usize); 2] = [("quadruped", 4, 4), ("humanoid", 0, 8)];

fn step(criterion: &mut Criterion) {
    for (robot, index, feet) in ROBOTS {
        let reference = read(&format!("steps_{robot}.json")).expect("reference cases");
        let case = &reference["cases"][index];
        let system = system(&reference, number(&case["dt"]));
        let system = system.with_generalized_forces().expect("inputs");
        let x = [vector(&case["q"]), vector(&case["v"])].concat();
        let start = state(&layout(system.tree(), robot), &x);
        let tau = vec![0.0; system.tree().num_velocities()];
        let mut workspace = system.workspace().expect("valid parameters");
        let mut one = system.step(&mut workspace, &start, &tau).expect("a step");
        assert_eq!(one.contacts().expect("contacts").len(), feet);

        let mut group = criterion.benchmark_group(robot);
        for (name, warm_start) in [("step", false), ("repeated step", true)] {
            workspace.set_warm_start(warm_start);
            group.bench_function(name, |bencher| {
                bencher.iter(|| {
                    let step = system.step(&mut workspace, black_box(&start), &tau);
                    black_box(step.expect("a step").state().v[0]);
                });
            });
        }
        group.bench_function("hundred steps", |bencher| {
            bencher.iter(|| {
                let mut now = start.clone();
                for _ in 0..100 {
                    let step = system.step(&mut workspace, &now, &tau).expect("a step");
                    now.clone_from(step.state());
                }
                black_box(now.v[0]);
            });
        });
        let mut differentiator = StepDifferentiator::new(&system, &[]).expect("valid parameters");
        let mut jacobian = StepJacobian::default();
        group.bench_function("jacobian", |bencher| {
            bencher.iter(|| {
                let next = differentiator.jacobian(black_box(&start), &tau, &mut jacobian);
                black_box(next.expect("a step").v[0]);
            });
        });
        let names: Vec<String> = (system.parameters().into_iter())
            .map(|parameter| parameter.name)
            .collect();
        let of_bodies = names.iter().filter(|n| n.ends_with("/mass"));
        let geometries = names.iter().filter(|n| !n.starts_with("joint/"));
        let of = |end: &'static str, count| {
            geometries
                .clone()
                .filter(move |n| n.ends_with(end))
                .take(count)
        };
        let twenty: Vec<&str> = of_bodies
            .take(12)
            .chain(of("/friction", 4))
            .chain(of("/stiffness", 4))
            .map(String::as_str)
            .collect();
        assert_eq!(twenty.len(), 20);
        let mut differentiator =
            StepDifferentiator::new(&system, &twenty).expect("valid parameters");
        group.bench_function("jacobian with parameters", |bencher| {
            bencher.iter(|| {
                let next = differentiator.jacobian(black_box(&start), &tau, &mut jacobian);
                black_box(next.expect("a step").v[0]);
            });
        });
        group.finish();
    }
}

criterion_group!(benches, step);
criterion_main!(benches);
