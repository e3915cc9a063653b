//! Islands: independent parts of a problem.
//!
//! Velocities are in one island if terms of the mass matrix or a contact couple them. Each island is a problem
//! of its own.

use super::newton_system::NewtonSystem;
use super::sparse_problem::SparseProblem;
use crate::InvalidInput;
use crate::math::{Elimination, Factorization, Lists, Partition, Permutation, RightHandSide};

/// The islands of the last problem; a workspace.
#[derive(Debug, Clone, Default)]
pub(super) struct Islands {
    /// Velocities by islands, in each in the order of elimination.
    order: Permutation,
    systems: Vec<NewtonSystem>,
    count: usize,
    /// The pattern that the islands are made for: places and number of symmetric terms of the mass matrix, and
    /// the columns of those contacts that couple more than it does. Other contacts come and go without a change of
    /// the factors: those of a robot with the ground.
    places: Vec<[usize; 2]>,
    symmetric: usize,
    couplings: Lists,
    /// The columns of the contacts that are in the islands, and where those of each end.
    columns: Vec<usize>,
    ends: Vec<usize>,
    island_of: Vec<usize>,
    /// The index of each velocity within its island, first as they come, then in the order of elimination.
    local: Vec<usize>,
    scratch: Scratch,
}

#[derive(Debug, Clone, Default)]
struct Scratch {
    elimination: Elimination,
    cliques: Lists,
    couplings: Lists,
    /// The places of terms, the larger index first, in ascending order.
    coupled: Vec<[usize; 2]>,
    /// Velocities by islands.
    partition: Partition,
    /// The velocities of an island as they came.
    indices: Vec<usize>,
}

impl Islands {
    /// The islands.
    pub fn systems(&self) -> &[NewtonSystem] {
        &self.systems[..self.count]
    }

    /// The islands.
    pub fn systems_mut(&mut self) -> &mut [NewtonSystem] {
        &mut self.systems[..self.count]
    }

    /// Number of velocities.
    pub fn nv(&self) -> usize {
        self.order.indices().len()
    }

    /// Number of contacts.
    pub fn nc(&self) -> usize {
        self.ends.len()
    }

    /// The original indices of the velocities of an island.
    pub fn indices(&self, system: &NewtonSystem) -> &[usize] {
        &self.order.indices()[system.velocities.clone()]
    }

    /// Whether normal forces are data, not functions of the velocity.
    pub fn have_given_forces(&self) -> bool {
        self.systems().iter().any(NewtonSystem::has_given_forces)
    }

    /// Whether coefficients of friction depend on slip speeds.
    pub fn have_stribeck(&self) -> bool {
        self.systems().iter().any(NewtonSystem::has_stribeck)
    }

    /// Divides a problem. Returns the original indices of the velocities of all islands, and the islands.
    pub fn prepare(&mut self, problem: &SparseProblem) -> (&[usize], &mut [NewtonSystem]) {
        let fits = self.fits_masses(problem);
        if !fits || !self.fits_contacts(problem) {
            self.find_couplings(problem, !fits);
            if !fits || self.couplings != self.scratch.couplings {
                self.rebuild(problem);
            }
            self.assign_contacts(problem);
        }
        (self.order.indices(), &mut self.systems[..self.count])
    }

    fn fits_masses(&self, problem: &SparseProblem) -> bool {
        self.count > 0
            && self.nv() == problem.momentum.len()
            && self.symmetric == problem.symmetric
            && self.places == problem.places
    }

    fn fits_contacts(&self, problem: &SparseProblem) -> bool {
        self.nc() == problem.contacts.len()
            && self.columns == problem.columns
            && (self.ends.iter().zip(&problem.contacts)).all(|(&end, contact)| end == contact.end)
    }

    /// Lists the columns of contacts between which the mass matrix has no term.
    fn find_couplings(&mut self, problem: &SparseProblem, masses_changed: bool) {
        let Scratch {
            couplings, coupled, ..
        } = &mut self.scratch;
        if masses_changed {
            coupled.clear();
            coupled.extend(problem.places.iter().map(|&[i, j]| [i.max(j), i.min(j)]));
            coupled.sort_unstable();
        }
        couplings.clear();
        let mut last = 0..0;
        for c in 0..problem.contacts.len() {
            let columns = &problem.columns[problem.columns_of(c)];
            if *columns != problem.columns[last] {
                let couples = (columns.iter().enumerate()).any(|(k, &i)| {
                    (columns[..k].iter())
                        .any(|&j| coupled.binary_search(&[i.max(j), i.min(j)]).is_err())
                });
                if couples {
                    couplings.push_list(columns.iter().copied());
                }
            }
            last = problem.columns_of(c);
        }
    }

    fn rebuild(&mut self, problem: &SparseProblem) {
        self.places.clone_from(&problem.places);
        self.symmetric = problem.symmetric;
        self.couplings.clone_from(&self.scratch.couplings);
        self.divide(problem);
        let (systems, s) = (&mut self.systems[..self.count], &mut self.scratch);
        let (local, island_of) = (&mut self.local, &self.island_of);
        let mut start = 0;
        for system in &mut *systems {
            system.velocities.start = start;
            start += system.velocities.end;
            system.velocities.end = start;
        }
        let (order, nv) = (&mut self.order, problem.momentum.len());
        order.set(nv, |indices| {
            for (i, &k) in local.iter().enumerate() {
                indices[systems[island_of[i]].velocities.start + k] = i;
            }
            for system in systems {
                let indices = &mut indices[system.velocities.clone()];
                let cliques = (&self.couplings, &mut s.cliques);
                system.analyse(problem, local, cliques, &mut s.elimination);
                // From the indices as they came to those in the order of elimination.
                for (k, &from) in system.lu.order().iter().enumerate() {
                    local[indices[from]] = k;
                }
                s.indices.clear();
                s.indices.extend_from_slice(indices);
                for &i in &s.indices {
                    indices[local[i]] = i;
                }
                system.locate_terms(problem, local);
            }
        });
    }

    /// Finds the island of each velocity, and its number there; gives the islands their terms and couplings.
    fn divide(&mut self, problem: &SparseProblem) {
        let partition = &mut self.scratch.partition;
        let nv = problem.momentum.len();
        partition.reset(nv);
        for &[i, j] in &problem.places {
            partition.unite(i, j);
        }
        for columns in self.couplings.iter() {
            for pair in columns.windows(2) {
                partition.unite(pair[0], pair[1]);
            }
        }
        self.island_of.clear();
        self.local.clear();
        self.count = 0;
        for i in 0..nv {
            let first = partition.find(i);
            let island = if first == i {
                self.count += 1;
                self.count - 1
            } else {
                self.island_of[first]
            };
            self.island_of.push(island);
        }
        // Contacts that touch nothing are with the first island, which always is.
        self.count = self.count.max(1);
        if self.systems.len() < self.count {
            self.systems.resize_with(self.count, NewtonSystem::default);
        }
        let systems = &mut self.systems[..self.count];
        systems.iter_mut().for_each(NewtonSystem::clear);
        for &island in &self.island_of {
            let size = &mut systems[island].velocities.end;
            self.local.push(*size);
            *size += 1;
        }
        for (term, &[i, _]) in problem.places.iter().enumerate() {
            systems[self.island_of[i]].terms.push(term);
        }
        for (k, columns) in self.couplings.iter().enumerate() {
            systems[self.island_of[columns[0]]].couplings.push(k);
        }
    }

    /// Gives the islands their contacts.
    fn assign_contacts(&mut self, problem: &SparseProblem) {
        self.columns.clone_from(&problem.columns);
        self.ends.clear();
        self.ends.extend(problem.contacts.iter().map(|c| c.end));
        let systems = &mut self.systems[..self.count];
        systems.iter_mut().for_each(|system| system.numbers.clear());
        for c in 0..problem.contacts.len() {
            let columns = &problem.columns[problem.columns_of(c)];
            let island = columns.first().map_or(0, |&i| self.island_of[i]);
            systems[island].numbers.push(c);
        }
        for system in systems {
            system.locate_contacts(problem, &self.local);
        }
    }
}

/// `∂r/∂v` of all islands, factored, for vectors in the original order.
impl Factorization for Islands {
    fn size(&self) -> usize {
        self.nv()
    }

    fn solve_in_place<T: RightHandSide>(&self, b: &mut [T]) -> Result<(), InvalidInput> {
        InvalidInput::check_size("right-hand side", b.len(), self.nv())?;
        self.order.permute(b);
        for system in self.systems() {
            system.lu.solve_in_place(&mut b[system.velocities.clone()]);
        }
        self.order.permute_back(b);
        Ok(())
    }
}

impl Islands {
    /// As [`Factorization::solve_in_place`] with the transposed matrix.
    pub fn solve_transposed_in_place<T: RightHandSide>(
        &self,
        b: &mut [T],
    ) -> Result<(), InvalidInput> {
        InvalidInput::check_size("right-hand side", b.len(), self.nv())?;
        self.order.permute(b);
        for system in self.systems() {
            let b = &mut b[system.velocities.clone()];
            system.lu.solve_transposed_in_place(b);
        }
        self.order.permute_back(b);
        Ok(())
    }
}
