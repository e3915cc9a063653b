//! Forces of a motion, from its steps made again.

use super::arrows::{Arrows, Style};
use super::element_forces::{Energies, element_forces};
use super::events::{Event, Watch};
use super::rays::{add_rays, rays};
use super::signals::{LINES, deflection_chart, joint_charts, over, signal_charts};
use crate::constraint::{ConstraintForce, ConstraintKind, TreeConstraint, for_each_point_force};
use crate::contact::ContactResult;
use crate::plot::{Chart, Mark};
use crate::system::{State, SystemError, TimeSteppingRigidBodySystem};
use crate::tree::TreeWorkspace;
use std::collections::{BTreeMap, BTreeSet};

/// What the steps between some states do.
pub(super) struct StepForces {
    /// Forces of contacts and of constraints that act at points, on body A; forces and torques of elements; rays.
    pub arrows: Vec<Arrows>,
    pub events: Vec<Event>,
    /// Charts of contact forces, joints, bushings, inputs, energy.
    pub charts: Vec<Chart>,
    /// Of the sensors, at each frame.
    pub outputs: Vec<Vec<f64>>,
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
    let mut contact = Arrows::new("contact forces", "N").drawn_as(Style::Dot);
    let mut joined = Arrows::new("constraint forces", "N").drawn_as(Style::Dot);
    let (mut rays, mut outputs) = (rays(), Vec::new());
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
            rays.frames.push(Vec::new());
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
        if is_frame.contains(&k) && system.num_outputs() > 0 {
            let output = step.output().as_slice();
            outputs.push(output.to_vec());
            system
                .tree()
                .set_positions(&mut kinematics, state.q.as_slice())?;
            add_rays(&mut rays, system, &kinematics, output)?;
        }
        let before = if k > 0 { states[k - 1].time } else { time };
        watch.begin_distances();
        step.visit_element_kinks(&mut |kink| {
            // Where only second derivatives jump, nothing is seen.
            if kink.order <= 1 {
                watch.distance(before, kink.element, kink.change, kink.distance);
            }
        })?;
    }
    // The last state may have no step of its own.
    for arrows in [&mut contact, &mut joined, &mut rays] {
        let last = arrows.frames.last().cloned().unwrap_or_default();
        arrows.frames.resize(frames.len(), last);
    }
    for peaks in normal.values_mut() {
        let last = peaks[frame];
        peaks[frame..].fill(last);
    }
    let times: Vec<f64> = frames.iter().map(|&k| states[k].time).collect();
    let elements = element_forces(system, states, inputs, frames)?;
    let mut charts = Vec::new();
    charts.extend(force_chart(&times, normal, &names));
    charts.extend(joint_charts(system, states, frames));
    charts.extend(deflection_chart(&times, elements.deflections));
    let inputs: Vec<_> = frames.iter().map_while(|&k| inputs.get(k)).collect();
    charts.extend(signal_charts(
        "Inputs",
        &system.input_names(),
        &times,
        &inputs,
    ));
    charts.push(energy_chart(&times, elements.energies));
    Ok(StepForces {
        arrows: [contact, joined]
            .into_iter()
            .chain(elements.arrows)
            .chain([rays])
            .collect(),
        events: watch.events,
        charts,
        outputs,
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
        let points = over(times, values.iter().copied());
        chart.with(format!("{a}, {b}"), Mark::Line, points)
    });
    (!pairs.is_empty()).then_some(chart)
}

fn energy_chart(times: &[f64], energies: Vec<Energies>) -> Chart {
    let start = energies.first().map_or(0.0, |e| e[1]);
    let line = |of: &dyn Fn(&Energies) -> f64| over(times, energies.iter().map(of));
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
