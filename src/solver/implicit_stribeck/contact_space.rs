//! The momentum balance condensed to contact velocities.
//!
//! Where contacts are few, their velocities `u = J v` are fewer than the generalized ones. With `v* = M⁻¹ p*` and
//! `W = J M⁻¹ Jᵀ`, the balance is
//!
//! ```text
//! r(u) = u − J v* − δt W f(u) = 0,     v = v* + δt M⁻¹ Jᵀ f(u)
//! ```
//!
//! with the Jacobian `1 + δt W D`, where `D = −∂f/∂u` is a matrix of three by three for every contact. Newton's
//! method does not depend on the variables of a problem: the iterates are those of the generalized velocities,
//! at less cost. The step from `u` does not depend on where velocities were led before, so that contacts that are
//! held back need nothing more.

use super::condensed_rows::CondensedRows;
use super::direction_limiter::{DirectionLimiter, norm};
use super::newton::{NewtonProblem, ROUND_OFF};
use super::newton_system::NewtonSystem;
use crate::math::Singular;
use nalgebra::{Matrix3, SVector, Vector3};

/// Right-hand sides that go through the factors of M at a time, and contacts that they belong to.
const LANES: usize = 12;
const CONTACTS: usize = LANES / 3;
/// Generalized velocities for every contact from which on its velocities are worth the change.
const VELOCITIES: usize = 3;
/// Contacts of which the dense matrix is small.
pub(super) const MOST_CONTACTS: usize = 16;

/// Vectors of a group of contacts, one after another.
type Group = SVector<f64, LANES>;

/// A workspace.
#[derive(Debug, Clone, Default)]
pub(super) struct ContactSpace {
    /// `v*`, in the end v; and `δt M⁻¹ Jᵀ` by groups of contacts, on their paths.
    generalized: Vec<f64>,
    responses: Vec<Group>,
    /// `δt M⁻¹ Jᵀ f` of some forces.
    response: Vec<f64>,
    /// `δt W`: rows of a contact by groups of contacts.
    delassus: Vec<[Group; 3]>,
    /// `J v*`.
    start: Vec<Vector3<f64>>,
    velocities: Vec<Vector3<f64>>,
    forces: Vec<Group>,
    /// Forces that lead to the velocities: after a step those that were linearised.
    leading: Vec<Group>,
    residual: Vec<Vector3<f64>>,
    step: Vec<Vector3<f64>>,
    damping: Vec<Matrix3<f64>>,
    /// Whether a contact has a force or a slope.
    is_active: Vec<bool>,
    /// `1 + δt W D` by rows of contacts, then its factors with inverses on the diagonal.
    matrix: Vec<Matrix3<f64>>,
    is_factored: bool,
}

/// A system and its contact velocities.
pub(super) struct InContactSpace<'a> {
    system: &'a mut NewtonSystem,
    space: &'a mut ContactSpace,
    /// What velocities satisfy besides.
    rows: Option<&'a mut CondensedRows>,
    limiter: DirectionLimiter,
    is_held_back: bool,
    relative_residual: f64,
}

impl<'a> InContactSpace<'a> {
    /// Whether contact velocities are fewer than generalized ones.
    pub fn suits(system: &NewtonSystem) -> bool {
        let contacts = system.contacts.len();
        contacts > 0 && contacts <= most_contacts(system.nv())
    }

    /// The balance of `system`, at the contact velocities that have been evaluated there; perhaps on velocities that satisfy
    /// `rows`.
    ///
    /// # Errors
    /// [`Singular`] for a mass matrix that cannot be factored, or rows that depend on each other.
    pub fn new(
        system: &'a mut NewtonSystem,
        space: &'a mut ContactSpace,
        mut rows: Option<&'a mut CondensedRows>,
        limiter: DirectionLimiter,
    ) -> Result<Self, Singular> {
        space.load(system, rows.as_deref_mut())?;
        let mut problem = InContactSpace {
            system,
            space,
            rows,
            limiter,
            is_held_back: false,
            relative_residual: 0.0,
        };
        problem.evaluate();
        let space = &mut *problem.space;
        space.leading.copy_from_slice(&space.forces);
        Ok(problem)
    }

    /// Takes the system to the generalized velocities with these contact velocities.
    pub fn place(mut self) {
        let (system, space) = (&mut *self.system, &mut *self.space);
        space.add_response(system);
        if let Some(rows) = &mut self.rows {
            rows.satisfy(&mut space.generalized);
            rows.push(system);
        }
        system.place(&space.generalized);
        if system.relative_residual > ROUND_OFF && space.is_factored {
            self.refine();
        }
    }

    /// A step from the velocities at which the system is evaluated: their rounding has changed stiff forces.
    ///
    /// `(M + δt Jᵀ D J)⁻¹ r = M⁻¹ (r − δt Jᵀ D s)`, where `(1 + δt W D) s = J M⁻¹ r`.
    fn refine(&mut self) {
        let (system, space) = (&mut *self.system, &mut *self.space);
        space.generalized.copy_from_slice(&system.residual);
        system.lu.solve_in_place(&mut space.generalized);
        if let Some(rows) = &mut self.rows {
            rows.satisfy_step(&mut space.generalized);
        }
        for (c, r) in space.residual.iter_mut().enumerate() {
            *r = (system.contact_velocity(c, &space.generalized)).into();
        }
        space.find_step();
        for (c, (damping, step)) in space.damping.iter().zip(&space.step).enumerate() {
            set_force(&mut space.leading, c, -damping * step);
        }
        space.add_response(system);
        if let Some(rows) = &mut self.rows {
            rows.satisfy_step(&mut space.generalized);
            rows.push(system);
        }
        system.retreat(1.0, &space.generalized);
        system.evaluate();
    }

    fn evaluate(&mut self) {
        let space = &mut *self.space;
        for (c, &u) in space.velocities.iter().enumerate() {
            let force = self.system.as_it_acts(c, self.system.force(c, u.into()));
            set_force(&mut space.forces, c, force.into());
        }
        let (mut error, mut sizes) = (0.0, [0.0; 2]);
        let rows = space.delassus.chunks_exact(space.forces.len().max(1));
        for (c, (r, row)) in space.residual.iter_mut().zip(rows).enumerate() {
            let change = row
                .iter()
                .zip(&space.forces)
                .fold(Vector3::zeros(), |sum, (w, f)| {
                    sum + Vector3::from(w.each_ref().map(|w| w.dot(f)))
                });
            *r = space.velocities[c] - space.start[c] - change;
            error += r.norm_squared();
            sizes[0] += space.start[c].norm_squared();
            sizes[1] += change.norm_squared();
        }
        self.relative_residual = if error == 0.0 {
            0.0
        } else {
            (error / f64::max(sizes[0], sizes[1])).sqrt()
        };
    }
}

impl NewtonProblem for InContactSpace<'_> {
    fn relative_residual(&self) -> f64 {
        self.relative_residual
    }

    fn factor(&mut self) -> Result<(), Singular> {
        let space = &mut *self.space;
        let (contacts, groups) = (space.velocities.len(), space.forces.len());
        for (c, &u) in space.velocities.iter().enumerate() {
            self.system.contact_velocities[c] = u.into();
            let damping = self.system.damping(c);
            space.is_active[c] = damping.is_some();
            let damping = Matrix3::from(damping.unwrap_or_default()).transpose();
            space.damping[c] = damping;
            let first = 3 * (c % CONTACTS);
            for row in 0..contacts {
                let rows = &space.delassus[row * groups + c / CONTACTS];
                let block = Matrix3::from_fn(|i, j| rows[i][first + j]);
                space.matrix[row * contacts + c] = block * damping;
            }
            space.matrix[c * contacts + c] += Matrix3::identity();
        }
        space.eliminate()?;
        space.is_factored = true;
        Ok(())
    }

    fn step(&mut self) -> (f64, f64) {
        let space = &mut *self.space;
        space.find_step();
        let (mut least, mut change) = (1.0f64, 0.0f64);
        for (c, (u, du)) in space.velocities.iter_mut().zip(&space.step).enumerate() {
            let force = force_of(&space.forces, c) + space.damping[c] * du;
            set_force(&mut space.leading, c, force);
            let fraction = match space.is_active[c] {
                true => self.limiter.step_fraction([u.y, u.z], [-du.y, -du.z]),
                false => 1.0,
            };
            *u -= Vector3::new(du.x, fraction * du.y, fraction * du.z);
            least = least.min(fraction);
            change = change.max(fraction * norm([du.y, du.z]));
        }
        self.is_held_back = least < 1.0;
        self.evaluate();
        (least, change)
    }

    fn is_held_back(&self) -> bool {
        self.is_held_back
    }

    fn extend_precision(&mut self) {}
}

impl ContactSpace {
    /// Makes room for so many generalized velocities and contacts.
    pub fn reserve(&mut self, nv: usize, contacts: usize) {
        if contacts <= self.velocities.capacity() {
            return;
        }
        let groups = contacts.div_ceil(CONTACTS);
        fn make_room<X>(list: &mut Vec<X>, count: usize) {
            list.reserve(count.saturating_sub(list.len()));
        }
        make_room(&mut self.generalized, nv);
        make_room(&mut self.response, nv);
        make_room(&mut self.responses, nv * groups);
        make_room(&mut self.delassus, contacts * groups);
        make_room(&mut self.forces, groups);
        make_room(&mut self.leading, groups);
        for vectors in [
            &mut self.start,
            &mut self.velocities,
            &mut self.residual,
            &mut self.step,
        ] {
            make_room(vectors, contacts);
        }
        make_room(&mut self.damping, contacts);
        make_room(&mut self.is_active, contacts);
        make_room(&mut self.matrix, contacts * contacts);
    }

    fn load(
        &mut self,
        system: &mut NewtonSystem,
        mut rows: Option<&mut CondensedRows>,
    ) -> Result<(), Singular> {
        system.factor_mass()?;
        self.is_factored = false;
        self.generalized.clear();
        self.generalized.extend_from_slice(system.momentum());
        system.lu.solve_in_place(&mut self.generalized);
        if let Some(rows) = &mut rows {
            rows.condense(system)?;
            rows.satisfy(&mut self.generalized);
        }
        let (nv, contacts) = (system.nv(), system.contacts.len());
        let groups = contacts.div_ceil(CONTACTS);
        self.responses.clear();
        self.responses.resize(nv * groups, Group::zeros());
        for c in 0..contacts {
            let responses = &mut self.responses[nv * (c / CONTACTS)..];
            for (i, column) in system.jacobian(c) {
                let mut target = responses[i].fixed_rows_mut::<3>(3 * (c % CONTACTS));
                target.copy_from_slice(&column.map(|x| system.dt() * x));
            }
        }
        for responses in self.responses.chunks_exact_mut(nv) {
            system.respond(responses);
        }
        self.delassus.clear();
        self.start.clear();
        self.velocities.clear();
        for c in 0..contacts {
            for responses in self.responses.chunks_exact(nv) {
                let mut rows = [Group::zeros(); 3];
                for (i, column) in system.jacobian(c) {
                    for (row, x) in rows.iter_mut().zip(column) {
                        *row += responses[i] * x;
                    }
                }
                self.delassus.push(rows);
            }
            let start = system.contact_velocity(c, &self.generalized);
            self.start.push(start.into());
            self.velocities.push(system.contact_velocities[c].into());
        }
        if let Some(rows) = rows {
            rows.visit_contacts(contacts, |[first, second], columns| {
                let changed = &mut self.delassus[first * groups + second / CONTACTS];
                for (direction, column) in columns.iter().enumerate() {
                    let lane = 3 * (second % CONTACTS) + direction;
                    for (row, x) in changed.iter_mut().zip(column) {
                        row[lane] -= system.dt() * x;
                    }
                }
            });
        }
        for forces in [&mut self.forces, &mut self.leading] {
            forces.clear();
            forces.resize(groups, Group::zeros());
        }
        for vectors in [&mut self.residual, &mut self.step] {
            vectors.resize(contacts, Vector3::zeros());
        }
        self.damping.resize(contacts, Matrix3::zeros());
        self.is_active.resize(contacts, false);
        self.matrix.resize(contacts * contacts, Matrix3::zeros());
        Ok(())
    }

    /// Adds to the generalized velocities what the leading forces change of them.
    fn add_response(&mut self, system: &NewtonSystem) {
        let nv = system.nv();
        self.response.clear();
        self.response.resize(nv, 0.0);
        for (responses, forces) in self.responses.chunks_exact(nv).zip(&self.leading) {
            for (change, response) in self.response.iter_mut().zip(responses) {
                *change += response.dot(forces);
            }
        }
        system.complete_response(&mut self.response);
        let changes = self.generalized.iter_mut().zip(&self.response);
        changes.for_each(|(v, change)| *v += change);
    }

    /// Block by block. The columns of contacts that are not active are those of the identity.
    fn eliminate(&mut self) -> Result<(), Singular> {
        let n = self.velocities.len();
        for k in 0..n {
            let Some(inverse) = self.matrix[k * n + k].try_inverse() else {
                return Err(Singular {
                    size: 3 * n,
                    column: 3 * k,
                    pivot: 0.0,
                });
            };
            self.matrix[k * n + k] = inverse;
            if !self.is_active[k] {
                continue;
            }
            let (done, rest) = self.matrix.split_at_mut((k + 1) * n);
            let pivots = &done[k * n..];
            for row in rest.chunks_exact_mut(n) {
                let l = row[k] * inverse;
                row[k] = l;
                for j in k + 1..n {
                    if self.is_active[j] {
                        row[j] -= l * pivots[j];
                    }
                }
            }
        }
        Ok(())
    }

    /// `(1 + δt W D)⁻¹ r`.
    fn find_step(&mut self) {
        let n = self.velocities.len();
        for (k, row) in self.matrix.chunks_exact(n).enumerate() {
            let (done, rest) = self.step.split_at_mut(k);
            rest[0] = (row.iter().zip(done)).fold(self.residual[k], |sum, (l, x)| sum - l * *x);
        }
        for (k, row) in self.matrix.chunks_exact(n).enumerate().rev() {
            let (rest, done) = self.step.split_at_mut(k + 1);
            let sum = (row[k + 1..].iter().zip(done)).fold(rest[k], |sum, (u, x)| sum - u * *x);
            rest[k] = row[k] * sum;
        }
    }
}

/// The contacts that suit so many generalized velocities.
pub(super) fn most_contacts(nv: usize) -> usize {
    (nv / VELOCITIES).min(MOST_CONTACTS)
}

fn force_of(forces: &[Group], c: usize) -> Vector3<f64> {
    forces[c / CONTACTS]
        .fixed_rows::<3>(3 * (c % CONTACTS))
        .into()
}

fn set_force(forces: &mut [Group], c: usize, force: Vector3<f64>) {
    let mut target = forces[c / CONTACTS].fixed_rows_mut::<3>(3 * (c % CONTACTS));
    target.copy_from(&force);
}
