//! Pictures of a prediction.

use crate::elbow::{CENTER, CORRECTIONS, SIZE, Trial, corrected_state};
use crate::score::{Errors, simulate};
use crate::support::Failure;
use crate::support::chart::{Chart, Mark};
use crate::tosses::{Row, Toss};
use dualbody::geometry::Shape;
use dualbody::math::RigidTransform;
use dualbody::scene::Scene;
use dualbody::system::State;

/// Position errors in % of the length and positions in the list of the tosses, best first; none if some
/// could not be simulated.
pub fn by_error(errors: &Errors) -> Vec<(f64, usize)> {
    let all = errors.list.iter().enumerate().map(|(i, e)| (e[0], i));
    let mut order: Vec<_> = all.filter(|_| errors.failures == 0).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    order
}

/// A toss that was not fitted, simulated, and as a ghost measured.
pub fn scene(trial: &Trial<f64>, toss: &Toss, start_rows: usize) -> Result<Scene, Failure> {
    let simulated = simulate(trial, &toss.rows, start_rows)?;
    let measured = toss.rows.iter();
    let measured = measured.map(|row| corrected_state(row, &[0.0; CORRECTIONS]));
    let block = Shape::new_box(SIZE)?;
    let timed = |mut states: Vec<State<f64>>| {
        for (state, row) in states.iter_mut().zip(&toss.rows) {
            state.time = row.time;
        }
        let scene = Scene::of_states(trial.system(), &states)?;
        let scene = scene.with_shape("one", &block, &RigidTransform::identity())?;
        let center = RigidTransform::from_translation(CENTER);
        Ok::<_, Failure>(scene.with_shape("two", &block, &center)?)
    };
    let scene = timed(simulated)?
        .titled(format!("Toss {}, which was not fitted", toss.number))
        .about(
            "Two hinged blocks, simulated with the identified contact from a start that was estimated \
             before they touch; the ghost is measured.",
        )
        .with_ghost("measured", timed(measured.collect())?);
    let charts = charts(trial, toss, start_rows)?;
    Ok(charts.into_iter().fold(scene, Scene::with_chart))
}

/// Position and angle of the hinge of a toss, simulated and measured.
pub fn charts(trial: &Trial<f64>, toss: &Toss, start_rows: usize) -> Result<Vec<Chart>, Failure> {
    let states = simulate(trial, &toss.rows, start_rows)?;
    let title = |what: &str| format!("{what} of toss {}, not used for the fit", toss.number);
    let mut position = Chart::new(title("Position"), "time [s]", "position [m]");
    for (axis, name) in ["x", "y", "z"].into_iter().enumerate() {
        let points = |value: &dyn Fn(usize, &Row) -> f64| {
            (toss.rows.iter().enumerate())
                .map(|(i, row)| (row.time, value(i, row)))
                .collect::<Vec<_>>()
        };
        position = position
            .with(
                format!("{name} simulated"),
                Mark::Line,
                points(&|i, _| states[i].q[4 + axis]),
            )
            .beside(
                format!("{name} measured"),
                Mark::Dots,
                points(&|_, row| row.position[axis]),
            );
    }
    let circle = |points: Vec<(f64, f64)>| points.into_iter().map(|(t, a)| (t, a.cos())).collect();
    let simulated = (toss.rows.iter().zip(&states))
        .map(|(row, x)| (row.time, x.q[7]))
        .collect();
    let measured = toss.rows.iter().map(|row| (row.time, row.angle)).collect();
    let hinge = Chart::new(title("Hinge"), "time [s]", "cosine of the angle")
        .with("simulated", Mark::Line, circle(simulated))
        .beside("measured", Mark::Dots, circle(measured));
    Ok(vec![position, hinge])
}
