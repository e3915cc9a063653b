//! Pictures of a prediction.

use crate::CHANNELS;
use crate::observation::Observation;
use crate::support::Failure;
use crate::support::chart::{Chart, Mark};
use dualbody::contact::ContactModel;
use dualbody::math::{SpatialInertia, rotation};
use dualbody::scene::Scene;
use dualbody::system::RigidBodySystem;
use dualbody::tree::RigidBodyTreeBuilder;
use nalgebra::Vector3;

/// How much larger than they were displacements are drawn.
const MAGNIFIED: f64 = 30.0;
/// Size of the base that is drawn, m.
const BASE: Vector3<f64> = Vector3::new(0.6, 0.5, 0.06);

/// The unit of a channel.
pub fn unit(channel: usize) -> &'static str {
    if channel < 3 { "N" } else { "N m" }
}

/// The measured and the predicted wrench of the test.
pub fn charts(observation: &Observation, predicted: &[[f64; 6]]) -> Vec<Chart> {
    (0..6)
        .map(|c| {
            let points = |wrench: &[[f64; 6]]| {
                (observation.split..wrench.len())
                    .map(|i| (i as f64 / observation.rate, wrench[i][c]))
                    .collect()
            };
            let title = format!("{} of the test, not used for the fit", CHANNELS[c]);
            let label = format!("{} [{}]", CHANNELS[c], unit(c));
            Chart::new(title, "time [s]", label)
                .with("predicted", Mark::Line, points(predicted))
                .beside("measured", Mark::Dots, points(&observation.wrench))
        })
        .collect()
}

/// The base during the test, magnified, with its horizontal force on the plate as it was measured and as it
/// is predicted.
pub fn scene(observation: &Observation, predicted: &[[f64; 6]]) -> Result<Scene, Failure> {
    let mut tree = RigidBodyTreeBuilder::new();
    tree.add_body("base", SpatialInertia::solid_box(75.0, &BASE))?;
    let system = RigidBodySystem::new(tree.finish()?, ContactModel::none())?;
    let states = (observation.split..observation.displacement.len()).map(|i| {
        let x = observation.displacement[i].map(|x| MAGNIFIED * x);
        let q = rotation::quaternion_exp(&Vector3::new(x[3], x[4], x[5]));
        let mut state = system.initial_state();
        state.time = i as f64 / observation.rate;
        (state.q).copy_from_slice(&[q.w, q.i, q.j, q.k, x[0], x[1], 0.3 + x[2]]);
        state
    });
    // Above the base, to be seen.
    let forces = |height: f64, wrench: &[[f64; 6]]| {
        let (rate, wrench) = (observation.rate, wrench.to_vec());
        move |time: f64| {
            let w = wrench[(time * rate).round() as usize];
            let force = Vector3::new(w[0], w[1], 0.0);
            let at = Vector3::new(0.0, 0.0, height);
            vec![("horizontal force".to_owned(), at, force)]
        }
    };
    let scene = Scene::of_states(&system, &states.collect::<Vec<_>>())?
        .titled("A base on its wheels")
        .about(format!(
            "The part of the record that was not fitted, displacements {MAGNIFIED} times as large; horizontal \
             forces on the plate as they were measured and as they follow from the motion."
        ))
        .with_arrows("measured", "N", forces(0.42, &observation.wrench))
        .with_arrows("predicted", "N", forces(0.47, predicted));
    Ok(charts(observation, predicted)
        .into_iter()
        .fold(scene, Scene::with_chart))
}
