//! Times of rigid steps of boxes that rest in stacks of four: 4, 16, 40 and 64 contacts, from nothing and
//! from the active set of the step before, with pyramids and with round friction cones.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use dualbody::contact::ContactMaterial;
use dualbody::geometry::Shape;
use dualbody::system::{SystemBuilder, SystemOptions, TimeSteppingRigidBodySystem};
use nalgebra::Vector3;
use std::hint::black_box;

fn rigid_step(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("rigid step");
    group.sample_size(10);
    for boxes in [1, 4, 10, 16] {
        let material = ContactMaterial::new(1e5, 0.1, 0.5).expect("a material");
        let mut builder = SystemBuilder::new().floor("floor", material);
        for k in 0..boxes {
            let shape = Shape::new_box(Vector3::repeat(0.1)).expect("a box");
            builder = builder.free_body(format!("box{k}"), shape, 1.0, material);
        }
        let system = builder.build().expect("a system");
        let pyramids = TimeSteppingRigidBodySystem::rigid(system, 1e-3).expect("a time step");
        let mut options = SystemOptions::default();
        options.round_friction_cones = true;
        let cones = pyramids.clone().with_options(options).expect("options");
        let mut start = pyramids.initial_state();
        for k in 0..boxes {
            start.q[7 * k + 4] = 0.3 * (k / 4) as f64;
            start.q[7 * k + 6] = 0.05 + 0.1 * (k % 4) as f64;
        }
        for (name, system, warm) in [
            ("from nothing", &pyramids, false),
            ("warm", &pyramids, true),
            ("round cones, from nothing", &cones, false),
            ("round cones, warm", &cones, true),
        ] {
            let mut workspace = system.workspace().expect("a workspace");
            workspace.set_warm_start(warm);
            let mut first = system.step(&mut workspace, &start, &[]).expect("a step");
            assert_eq!(first.contacts().expect("contacts").len(), 4 * boxes);
            group.bench_function(BenchmarkId::new(name, 4 * boxes), |bencher| {
                bencher.iter(|| {
                    let step = system.step(&mut workspace, black_box(&start), &[]);
                    black_box(step.expect("a step").state().v[0]);
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, rigid_step);
criterion_main!(benches);
