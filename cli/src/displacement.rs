//! Displacements of states, in the tangent space of positions.

use dualbody::nalgebra::DVector;
use dualbody::system::{State, TimeSteppingRigidBodySystem};
use dualbody::{Error, Scalar};

/// Names of the entries of a displacement, as the library's linear models have them.
pub fn names(system: &TimeSteppingRigidBodySystem<f64>, state: &State<f64>) -> Vec<String> {
    let nv = system.tree().num_velocities();
    let mut names = vec![String::new(); 2 * nv];
    for joint in system
        .tree()
        .joints()
        .filter(|joint| joint.mimic().is_none())
    {
        for k in 0..joint.num_velocities() {
            for (offset, quantity) in [(0, "position"), (nv, "velocity")] {
                let entry = match joint.num_velocities() {
                    1 => String::new(),
                    _ => format!("/{k}"),
                };
                names[offset + joint.velocity_start() + k] =
                    format!("{}/{quantity}{entry}", joint.name());
            }
        }
    }
    names.extend((0..state.actuators.len()).map(|k| format!("actuators/{k}")));
    names.extend((0..state.sensors.len()).map(|k| format!("sensors/{k}")));
    names
}

/// The state that a displacement leads to.
pub fn displaced<T: Scalar>(
    system: &TimeSteppingRigidBodySystem<T>,
    from: &State<T>,
    displacement: &[T],
) -> Result<State<T>, Error> {
    let mut to = from.clone();
    let (positions, rest) = displacement.split_at(system.tree().num_velocities());
    let (tree, q) = (system.tree(), from.q.as_slice());
    tree.integrate_exponential(q, positions, T::one(), to.q.as_mut_slice())?;
    let entries = (to.v.iter_mut())
        .chain(&mut to.actuators)
        .chain(&mut to.sensors);
    entries.zip(rest).for_each(|(entry, &d)| *entry += d);
    Ok(to)
}

/// The displacement from one state to another.
pub fn between<T: Scalar>(
    system: &TimeSteppingRigidBodySystem<T>,
    from: &State<T>,
    to: &State<T>,
) -> Result<DVector<T>, Error> {
    let nv = system.tree().num_velocities();
    let mut entries = vec![T::zero(); nv];
    system
        .tree()
        .difference(from.q.as_slice(), to.q.as_slice(), &mut entries)?;
    let before = from.v.iter().chain(&from.actuators).chain(&from.sensors);
    let after = to.v.iter().chain(&to.actuators).chain(&to.sensors);
    entries.extend(after.zip(before).map(|(&after, &before)| after - before));
    Ok(entries.into())
}
