//! Derivatives of the momentum balance with respect to parameters, with poses fixed.
//!
//! Mass properties, damping, armature and friction of joints, and all constants of contact, force elements and actuators change
//! forces alone: at the velocity `v⁺` that a step has come to, each adds to the balance what its body, its joint, a contact
//! or an element takes, carried to the joints along the path to the world,
//!
//! ```text
//! ∂r/∂p = δt (Σ Yᵦ ∂πᵦ/∂p + ∂D/∂p v⁺ + ∂A/∂p (v⁺ − v)/δt − Σ Jᵀ ∂F/∂p − ∂τ/∂p)
//! ```
//!
//! with the standard parameters `π` of bodies and their [regressor](crate::tree::RigidBodyTree::torque_regressor) `Y`. The forces
//! τ of elements are evaluated with the parameters as variables.

use super::balance::{BalanceSlopes, StepPoint};
use crate::autodiff::{CHUNK, slopes, varies};
use crate::contact::{ContactModel, FixedBodies, FoundContact, Variables, WrenchSlopes};
use crate::parameter::Parameter;
use crate::system::damping::Dual;
use crate::system::error::SystemError;
use crate::system::rigid_body_system::RigidBodySystem;
use crate::tree::{BodyIndex, TreeError};
use nalgebra::SVector;

/// Derivatives of numbers with respect to the parameters of a chunk.
pub(super) type Slopes = SVector<f64, CHUNK>;

/// What varies with the parameters of a chunk.
#[derive(Debug, Clone)]
pub(in crate::system) struct ParameterSlopes {
    /// Bodies, with the number of a parameter and what it makes of their standard parameters.
    bodies: Vec<(BodyIndex, usize, [f64; 10])>,
    /// Coordinates, with their damping and their armature.
    damping: Vec<(usize, Slopes)>,
    armature: Vec<(usize, Slopes)>,
    /// Which constants of pairs of geometries vary.
    pairs: Vec<Variables>,
    /// Whether forces of elements may vary.
    pub of_elements: bool,
}

impl ParameterSlopes {
    /// Of a system in which the parameters of a chunk are variables, by their number; `None` if not all of these leave
    /// bodies where they are.
    pub fn new(
        system: &mut RigidBodySystem<Dual>,
        parameters: usize,
    ) -> Result<Option<Self>, TreeError> {
        let mut of_elements = 0;
        let mut count = |p: Parameter<'_, Dual>| of_elements += usize::from(varies(p.value));
        system.forces.visit_parameters(&mut count);
        system.actuators.visit_parameters(&mut count);
        let (tree, contact) = (&system.tree, &system.contact);
        let mut still = 0;
        let mut bodies = Vec::new();
        for body in tree.bodies() {
            let index = body.index();
            let inertia = body.inertia();
            let moments = &inertia.rotational_inertia;
            let upper = (0..3).flat_map(|j| (0..=j).map(move |i| moments[(i, j)]));
            let first_moments = inertia.center_of_mass.iter().copied();
            let entries = upper.chain(first_moments).chain([inertia.mass]);
            still += entries.filter(varies).count();
            let standard = inertia.to_standard_parameters().map(|x| slopes(&x));
            for parameter in 0..CHUNK {
                let change = standard.map(|slopes| slopes[parameter]);
                if change.iter().any(|&x| x != 0.0) {
                    bodies.push((index, parameter, change));
                }
            }
        }
        for joint in tree.joints() {
            of_elements += joint.friction().iter().filter(|x| varies(x)).count();
            let constants = joint.damping().iter().chain(joint.armature());
            still += constants.filter(|x| varies(x)).count();
        }
        let [mut damping, mut armature] =
            [(); 2].map(|()| vec![Dual::from_re(0.0); tree.num_velocities()]);
        tree.joint_damping(&mut damping)?;
        tree.add_armature_forces(
            &vec![Dual::from_re(1.0); tree.num_velocities()],
            &mut armature,
        );
        let (of_contact, pairs) = contact.variables();
        let bends = tree.flight_varies(system.options.keep_momentum);
        let read_tree = system.forces_depend_on_position();
        Ok(
            (!bends && still + of_contact + of_elements == parameters).then(|| ParameterSlopes {
                bodies,
                damping: those_that_vary(&damping),
                armature: those_that_vary(&armature),
                pairs,
                of_elements: of_elements > 0 || still > 0 && read_tree,
            }),
        )
    }

    /// Adds the derivatives to the balance at a point at which its own have been evaluated; its contact model is that
    /// with the parameters as variables, and `real` the same without.
    pub fn add_to_balance(
        &self,
        balance: &BalanceSlopes,
        (point, real): (&StepPoint<'_>, &ContactModel<f64>),
        by_parameter: &mut [Slopes],
    ) -> Result<(), SystemError> {
        let (tree, dt) = (point.tree, point.law.time_step);
        for &(coordinate, slopes) in &self.damping {
            by_parameter[coordinate] += slopes * (dt * point.next_v[coordinate]);
        }
        for &(coordinate, slopes) in &self.armature {
            by_parameter[coordinate] += slopes * (dt * balance.vdot[coordinate]);
        }
        let changes = self.bodies.iter().map(|(body, _, change)| (*body, change));
        tree.for_each_force_of_changes(
            &balance.kinematics,
            changes,
            |number, coordinate, force| {
                let (_, parameter, _) = self.bodies[number];
                by_parameter[coordinate][parameter] += dt * force;
            },
        )?;
        self.add_contacts(balance, (point, real), by_parameter)
    }

    /// Contacts between the same bodies follow each other, and reach the joints together.
    fn add_contacts(
        &self,
        balance: &BalanceSlopes,
        (point, real): (&StepPoint<'_>, &ContactModel<f64>),
        by_parameter: &mut [Slopes],
    ) -> Result<(), SystemError> {
        let (tree, dt) = (point.tree, point.law.time_step);
        let bodies_of = |found: &FoundContact| point.contact.bodies(found);
        for contacts in (point.found).chunk_by(|a, b| bodies_of(a) == bodies_of(b)) {
            let mut varying = (contacts.iter())
                .map(|found| (found, self.pairs[found.pair]))
                .filter(|(_, variables)| *variables != Variables::None)
                .peekable();
            let Some((first, _)) = varying.peek() else {
                continue;
            };
            let bodies = bodies_of(first);
            let poses = [
                tree.body_pose(&balance.kinematics, bodies[0])?,
                tree.body_pose(&balance.kinematics, bodies[1])?,
            ];
            let fixed = FixedBodies {
                poses: [&poses[0], &poses[1]],
                velocities: bodies.map(|body| &balance.velocities[body.get()]),
            };
            let mut wrench = WrenchSlopes::default();
            for (found, variables) in varying {
                let slopes =
                    (point.contact).wrench_slopes((real, variables), found, fixed, &point.law)?;
                (wrench.iter_mut().zip(slopes)).for_each(|(sum, slopes)| *sum += slopes);
            }
            let origin = poses[0].translation;
            for (body, sign) in bodies.into_iter().zip([-dt, dt]) {
                tree.for_each_point_column(&balance.kinematics, body, &origin, |j, column| {
                    let terms = wrench.iter().zip(column.to_vector().data.0[0]);
                    let power = terms.fold(Slopes::zeros(), |sum, (w, motion)| sum + w * motion);
                    by_parameter[j] += power * sign;
                })?;
            }
        }
        Ok(())
    }
}

fn those_that_vary(of_coordinates: &[Dual]) -> Vec<(usize, Slopes)> {
    (of_coordinates.iter().enumerate())
        .filter(|(_, x)| varies(x))
        .map(|(coordinate, x)| (coordinate, slopes(x)))
        .collect()
}
