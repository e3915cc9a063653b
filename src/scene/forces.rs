//! Forces of a motion, from its steps made again.

use super::arrows::Arrows;
use super::events::{Event, Watch};
use crate::constraint::{ConstraintForce, ConstraintKind, TreeConstraint, for_each_point_force};
use crate::contact::ContactResult;
use crate::force::{ForceContext, ForceElement, Forces};
use crate::plot::{Chart, Mark};
use crate::system::{State, SystemError, TimeSteppingRigidBodySystem};
use crate::tree::TreeWorkspace;
use std::collections::{BTreeMap, BTreeSet};

/// The largest number of lines in a chart that nobody has asked for.
const LINES: usize = 6;

/// What the steps between some states do.
pub(super) struct StepForces {
    /// Forces of contacts, on body A.
    pub contact: Arrows,
    /// Forces of constraints that act at points, on their body A.
    pub constraints: Arrows,
    /// Forces and torques of force elements.
    pub elements: [Arrows; 2],
    pub events: Vec<Event>,
    /// Charts of contact forces and of energy.
    pub charts: Vec<Chart>,
}

/// Makes the steps from the states again, with their inputs, which gives the same bits, and keeps what
/// belongs to the states with the numbers `frames`, of which the last has no step.
pub(super) fn step_forces(
    system: &TimeSteppingRigidBodySystem<f64>,
    states: &[State<f64>],
    inputs: &[&[f64]],
    frames: &[usize],
) -> Result<StepForces, SystemError> {
    let names = pair_names(system);
    let constraints = constraint_names(system);
    let mut workspace = system.workspace()?;
    let mut contact = Arrows::new("contact forces", "N");
    contact.dots = true;
    let mut joined = Arrows::new("constraint forces", "N");
    joined.dots = true;
    let mut kinematics = system.tree().workspace();
    let mut watch = Watch::default();
    let mut normal = BTreeMap::<usize, Vec<f64>>::new();
    let is_frame: BTreeSet<usize> = frames.iter().copied().collect();
    let mut frame = 0;
    for (k, (state, input)) in states.iter().zip(inputs).enumerate() {
        let time = state.time;
        let mut step = system.step(&mut workspace, state, input)?;
        let contacts = step.contacts()?;
        let tolerance = system.regularization.stiction_tolerance;
        let pair = |pair: usize| names[pair].clone();
        watch.contacts(time, contacts, tolerance, pair, k == 0);
        if is_frame.contains(&k) {
            frame = contact.frames.len();
            contact.frames.push(Vec::new());
            joined.frames.push(Vec::new());
            add_contacts(&mut contact, contacts, &names);
        }
        let mut sums = BTreeMap::<usize, f64>::new();
        for c in contacts.iter().filter(|c| c.force.z > 0.0) {
            *sums.entry(c.contact.pair).or_default() += c.force.z;
        }
        for (pair, sum) in sums {
            let peaks = normal.entry(pair).or_insert(vec![0.0; frames.len()]);
            peaks[frame] = peaks[frame].max(sum);
        }
        if !constraints.is_empty() {
            let forces = step.constraint_forces()?;
            watch.inequalities(time, acting(forces, &constraints), k == 0);
            if is_frame.contains(&k) {
                let (q, v) = (state.q.as_slice(), state.v.as_slice());
                system.tree().set_state(&mut kinematics, q, v)?;
                add_constraints(&mut joined, system, &kinematics, forces)?;
            }
        }
        let before = if k > 0 { states[k - 1].time } else { time };
        step.visit_element_kinks(&mut |kink| {
            // Where only second derivatives jump, nothing is seen.
            if kink.order <= 1 {
                watch.distance(before, kink.element, kink.change, kink.distance);
            }
        })?;
    }
    // The last state may have no step of its own.
    for arrows in [&mut contact, &mut joined] {
        let last = arrows.frames.last().cloned().unwrap_or_default();
        arrows.frames.resize(frames.len(), last);
    }
    for peaks in normal.values_mut() {
        let last = peaks[frame];
        peaks[frame..].fill(last);
    }
    let times: Vec<f64> = frames.iter().map(|&k| states[k].time).collect();
    let (elements, energies) = element_forces(system, states, frames)?;
    let mut charts = Vec::new();
    charts.extend(force_chart(&times, normal, &names));
    charts.push(energy_chart(&times, energies));
    Ok(StepForces {
        contact,
        constraints: joined,
        elements,
        events: watch.events,
        charts,
    })
}

fn add_contacts(arrows: &mut Arrows, contacts: &[ContactResult<f64>], names: &[[String; 2]]) {
    for c in contacts.iter().filter(|c| c.force.z > 0.0) {
        let [a, b] = &names[c.contact.pair];
        let label = arrows.label(&format!("{b} on {a}"));
        arrows.add(label, &c.position, &c.force_on_a());
    }
}

/// The names of the geometries of each pair, that of a fixed one last.
fn pair_names(system: &TimeSteppingRigidBodySystem<f64>) -> Vec<[String; 2]> {
    let geometries = system.contact().geometries();
    let names = system.contact().pairs();
    names
        .map(|(a, b)| [a, b].map(|g| geometries[g].name.clone()))
        .collect()
}

/// The name of each constraint that is an inequality.
fn constraint_names(system: &TimeSteppingRigidBodySystem<f64>) -> Vec<Option<String>> {
    let constraints = system.constraints().iter();
    constraints
        .map(|constraint| {
            let is_inequality = constraint.kind() == ConstraintKind::Unilateral;
            is_inequality.then(|| constraint.name().to_owned())
        })
        .collect()
}

/// The inequalities that exert a force.
fn acting(forces: &[ConstraintForce<f64>], names: &[Option<String>]) -> BTreeSet<String> {
    let acting = forces.iter().filter(|f| f.force > 0.0);
    acting.filter_map(|f| names[f.constraint].clone()).collect()
}

/// Adds the forces of constraints at points, at the state of a workspace.
fn add_constraints(
    arrows: &mut Arrows,
    system: &TimeSteppingRigidBodySystem<f64>,
    kinematics: &TreeWorkspace<f64>,
    forces: &[ConstraintForce<f64>],
) -> Result<(), SystemError> {
    let (tree, constraints) = (system.tree(), system.constraints());
    for_each_point_force(
        constraints,
        (tree, kinematics),
        forces,
        &mut vec![],
        |constraint, at| {
            let body = tree.body(at.body_a)?.name();
            let label = arrows.label(&format!("{} on {body}", constraint.name()));
            arrows.add(label, &at.point, &at.force);
            Ok(())
        },
    )
}

/// Kinetic energy, that of gravity, and what elements store.
type Energies = [f64; 3];

/// Forces and torques of the force elements on the bodies, and the energies, at each frame.
fn element_forces(
    system: &TimeSteppingRigidBodySystem<f64>,
    states: &[State<f64>],
    frames: &[usize],
) -> Result<([Arrows; 2], Vec<Energies>), SystemError> {
    let tree = system.tree();
    let mut kinematics = tree.workspace();
    let mut scratch = Forces::new(tree);
    let mut energies = Vec::new();
    let mut arrows = [
        Arrows::new("element forces", "N"),
        Arrows::new("element torques", "N m"),
    ];
    for &frame in frames {
        let state = &states[frame];
        tree.set_state(&mut kinematics, state.q.as_slice(), state.v.as_slice())?;
        let context = ForceContext::new(tree, &kinematics).at_time(state.time);
        arrows.iter_mut().for_each(|a| a.frames.push(Vec::new()));
        let mut failed = None;
        let mut show = |name: &str, forces: &Forces<f64>| {
            for (body, force) in tree.bodies().zip(forces.on_bodies()).skip(1) {
                let origin = match tree.body_pose(&kinematics, body.index()) {
                    Ok(pose) => pose.translation,
                    Err(error) => return failed = Some(error),
                };
                let label = format!("{name} on {}", body.name());
                // A force acts along the line on which its torque is parallel to it.
                let square = force.force.norm_squared();
                let (mut at, mut torque) = (origin, force.torque);
                if square > 0.0 {
                    at += force.force.cross(&force.torque) / square;
                    torque = force.force * (force.force.dot(&force.torque) / square);
                    let label = arrows[0].label(&label);
                    arrows[0].add(label, &at, &force.force);
                }
                if torque.norm() > 1e-9 * force.torque.norm() && torque.norm() > 0.0 {
                    let label = arrows[1].label(&label);
                    arrows[1].add(label, &at, &torque);
                }
            }
        };
        for element in system.forces() {
            scratch.clear();
            element.add_forces(&context, &mut scratch)?;
            show(element.name(), &scratch);
        }
        if let Some(error) = failed {
            return Err(error.into());
        }
        energies.push([
            tree.kinetic_energy(&kinematics)?,
            tree.potential_energy(&kinematics)?,
            system.forces.potential_energy(&context)?,
        ]);
    }
    Ok((arrows, energies))
}

/// Normal forces of the pairs that press most, each the largest of the steps since the frame before.
fn force_chart(
    times: &[f64],
    normal: BTreeMap<usize, Vec<f64>>,
    names: &[[String; 2]],
) -> Option<Chart> {
    let mut pairs: Vec<(usize, Vec<f64>)> = normal.into_iter().collect();
    let peak = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
    pairs.sort_by(|a, b| peak(&b.1).total_cmp(&peak(&a.1)).then(a.0.cmp(&b.0)));
    pairs.truncate(LINES);
    let empty = Chart::new("Normal forces", "time [s]", "N");
    let chart = (pairs.iter()).fold(empty, |chart, (pair, values)| {
        let [a, b] = &names[*pair];
        let points = times.iter().copied().zip(values.iter().copied());
        chart.with(format!("{a}, {b}"), Mark::Line, points.collect())
    });
    (!pairs.is_empty()).then_some(chart)
}

fn energy_chart(times: &[f64], energies: Vec<Energies>) -> Chart {
    let start = energies.first().map_or(0.0, |e| e[1]);
    let line = |of: &dyn Fn(&Energies) -> f64| -> Vec<(f64, f64)> {
        times.iter().copied().zip(energies.iter().map(of)).collect()
    };
    let chart = Chart::new("Energy", "time [s]", "J")
        .with("kinetic", Mark::Line, line(&|e| e[0]))
        .with(
            "of gravity, from the start",
            Mark::Line,
            line(&|e| e[1] - start),
        );
    if energies.iter().all(|e| e[2] == 0.0) {
        return chart;
    }
    chart.with("stored in elements", Mark::Line, line(&|e| e[2]))
}
