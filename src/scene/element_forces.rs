//! Forces and torques of elements, energies, and deflections of bushings, at the frames of a motion.

use super::arrows::{Arrows, Style};
use super::symbols::{End, force_symbol};
use crate::actuator::Actuator;
use crate::force::{ForceContext, ForceElement, Forces};
use crate::math::SpatialForce;
use crate::system::{State, SystemError, TimeSteppingRigidBodySystem};
use crate::tree::{BodyIndex, JointKind, RigidBodyTree, TreeError, TreeWorkspace};
use nalgebra::Vector3;

/// Kinetic energy, that of gravity, and what elements store.
pub(super) type Energies = [f64; 3];

/// What force elements and actuators do.
pub(super) struct ElementForces {
    /// Forces, torques, and torques of joints.
    pub arrows: [Arrows; 3],
    pub energies: Vec<Energies>,
    /// Of each bushing, by name, `p_AoCo` in A at each frame, in m.
    pub deflections: Vec<(String, Vec<[f64; 3]>)>,
}

/// Evaluates the elements at the states with the numbers `frames`; inputs are those of the steps.
pub(super) fn element_forces(
    system: &TimeSteppingRigidBodySystem<f64>,
    states: &[State<f64>],
    inputs: &[&[f64]],
    frames: &[usize],
) -> Result<ElementForces, SystemError> {
    let tree = system.tree();
    let mut kinematics = tree.workspace();
    let mut forces = Forces::new(tree);
    let symbols = (system.forces().iter()).map(|force| force_symbol(tree, force));
    let symbols: Vec<_> = symbols.collect::<Result<_, _>>()?;
    let is_bushing = |k: &usize| matches!(&symbols[*k], Some(symbol) if symbol.kind == "bushing");
    let bushings: Vec<usize> = (0..symbols.len()).filter(is_bushing).collect();
    let mut found = ElementForces {
        arrows: [
            Arrows::new("element forces", "N"),
            Arrows::new("element torques", "N m").drawn_as(Style::Turn),
            Arrows::new("joint torques", "N m").drawn_as(Style::Turn),
        ],
        energies: Vec::new(),
        deflections: (bushings.iter())
            .map(|&k| (system.forces()[k].name().to_owned(), Vec::new()))
            .collect(),
    };
    for &frame in frames {
        let state = &states[frame];
        tree.set_state(&mut kinematics, state.q.as_slice(), state.v.as_slice())?;
        let context = ForceContext::new(tree, &kinematics)
            .at_time(state.time)
            .over_step(system.time_step());
        (found.arrows.iter_mut()).for_each(|a| a.frames.push(Vec::new()));
        for (element, symbol) in system.forces().iter().zip(&symbols) {
            forces.clear();
            element.add_forces(&context, &mut forces)?;
            let ends = symbol.as_ref().map_or(&[][..], |symbol| &symbol.ends[..]);
            found.add(element.name(), (tree, &kinematics), &forces, ends)?;
        }
        // The last state may have no step of its own.
        let input = inputs.get(frame).or(inputs.last()).copied();
        let (mut u, mut x) = (input.unwrap_or_default(), state.actuators.as_slice());
        for actuator in system.actuators() {
            let (Some((input, others)), Some((state, rest))) = (
                u.split_at_checked(actuator.num_inputs()),
                x.split_at_checked(actuator.num_states()),
            ) else {
                break;
            };
            (u, x) = (others, rest);
            forces.clear();
            actuator.add_forces(&context, input, state, &mut forces)?;
            found.add("actuator", (tree, &kinematics), &forces, &[])?;
        }
        for (&k, (_, deflection)) in bushings.iter().zip(&mut found.deflections) {
            if let Some(symbol) = &symbols[k] {
                let [a, c] = [&symbol.ends[0], &symbol.ends[1]]
                    .map(|end| world_pose(tree, &kinematics, end));
                let p = a?.inverse_transform_point(&c?.translation);
                deflection.push(p.into());
            }
        }
        found.energies.push([
            tree.kinetic_energy(&kinematics)?,
            tree.potential_energy(&kinematics)?,
            system.forces.potential_energy(&context)?,
        ]);
    }
    Ok(found)
}

impl ElementForces {
    /// Adds what one element exerts: between two frames half-way between them, at one frame there, else on the line of
    /// action, on which the torque is parallel to the force.
    fn add(
        &mut self,
        name: &str,
        (tree, kinematics): (&RigidBodyTree<f64>, &TreeWorkspace<f64>),
        forces: &Forces<f64>,
        ends: &[End],
    ) -> Result<(), TreeError> {
        let pose = |body: BodyIndex| tree.body_pose(kinematics, body);
        let mut points = Vec::new();
        for end in ends {
            points.push(world_pose(tree, kinematics, end)?.translation);
        }
        let middle =
            (!points.is_empty()).then(|| points.iter().sum::<Vector3<f64>>() / points.len() as f64);
        let on_bodies = tree.bodies().zip(forces.on_bodies()).skip(1);
        for (body, force) in on_bodies {
            let label = format!("{name} on {}", body.name());
            self.add_wrench(&label, pose(body.index())?.translation, force, middle);
        }
        for joint in tree.joints().filter(|joint| joint.mimic().is_none()) {
            let first = joint.velocity_start();
            let acting = &forces.generalized()[first..first + joint.num_velocities()];
            if acting.iter().all(|f| *f == 0.0) {
                continue;
            }
            let origin = pose(joint.child())?;
            let label = format!("{name} at joint {}", joint.name());
            let turned = |axis: &Vector3<f64>| origin.rotation * axis.normalize() * acting[0];
            match joint.kind() {
                JointKind::Revolute { axis } | JointKind::Continuous { axis } => {
                    add_to(
                        &mut self.arrows[2],
                        &label,
                        &origin.translation,
                        &turned(axis),
                    );
                }
                JointKind::Prismatic { axis } => {
                    add_to(
                        &mut self.arrows[0],
                        &label,
                        &origin.translation,
                        &turned(axis),
                    );
                }
                JointKind::Floating => {
                    let [torque, force] =
                        [0, 3].map(|k| Vector3::from_column_slice(&acting[k..k + 3]));
                    let wrench = SpatialForce::new(torque, force);
                    self.add_wrench(
                        &label,
                        origin.translation,
                        &wrench,
                        Some(origin.translation),
                    );
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn add_wrench(
        &mut self,
        label: &str,
        origin: Vector3<f64>,
        wrench: &SpatialForce<f64>,
        at: Option<Vector3<f64>>,
    ) {
        let (force, torque) = (wrench.force, wrench.torque);
        let square = force.norm_squared();
        let at = at.unwrap_or_else(|| match square > 0.0 {
            true => origin + force.cross(&torque) / square,
            false => origin,
        });
        let lever = at - origin;
        let about = torque - lever.cross(&force);
        if square > 0.0 {
            add_to(&mut self.arrows[0], label, &at, &force);
        }
        // Not what is left by round-off.
        if about.norm() > 1e-9 * (torque.norm() + lever.norm() * force.norm()) {
            add_to(&mut self.arrows[1], label, &at, &about);
        }
    }
}

fn add_to(arrows: &mut Arrows, label: &str, at: &Vector3<f64>, vector: &Vector3<f64>) {
    let label = arrows.label(label);
    arrows.add(label, at, vector);
}

fn world_pose(
    tree: &RigidBodyTree<f64>,
    kinematics: &TreeWorkspace<f64>,
    (body, at): &End,
) -> Result<crate::math::RigidTransform<f64>, TreeError> {
    Ok(tree.body_pose(kinematics, *body)? * *at)
}
