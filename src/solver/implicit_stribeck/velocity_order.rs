//! An order of the velocities in which elimination stays sparse.

use super::mass_matrix;
use super::problem::Common;
use crate::math::{Lu, reserve_total};
use crate::{InvalidInput, Scalar};
use std::ops::Range;

/// A permutation of the velocities, and how mass matrix and contacts couple them.
///
/// Velocities are grouped into blocks. A block is a run of velocities that the mass matrix couples with
/// the same others, like those of an unbranched chain of joints; or that it does not couple, but the same
/// contacts touch, like the translations of a body.
#[derive(Debug, Clone, Default)]
pub(super) struct VelocityOrder {
    /// The original index of every index in this order.
    indices: Vec<usize>,
    /// The same permutation: exchanging `k` with `exchanges[k]` for rising `k` brings a vector into
    /// this order.
    exchanges: Vec<usize>,
    /// Columns of the mass matrix, and rows where they may differ from zero, in this order.
    mass_blocks: Vec<(Range<usize>, Range<usize>)>,
    /// Whether contact `c` acts on the velocity with the original index `j`, at `c + nc·j`.
    touched: Vec<bool>,
    scratch: Scratch,
}

#[derive(Debug, Clone, Default)]
struct Scratch {
    /// Block of every original index.
    block_of: Vec<usize>,
    sizes: Vec<usize>,
    /// Pairs of different velocities that the mass matrix couples, in either triangle.
    pairs: Vec<(usize, usize)>,
    /// Whether it couples `i` and `j`, at `i + nv·j`.
    pattern: Vec<bool>,
    /// The last velocity that each is coupled with.
    last: Vec<usize>,
    /// Of the mass matrix.
    factor: Vec<f64>,
    blocks_of_contact: Vec<usize>,
    /// Whether the mass matrix couples two blocks.
    coupled_by_mass: Vec<bool>,
    /// Whether it or a contact does.
    coupled: Vec<bool>,
    next_in_block: Vec<usize>,
    place: Vec<usize>,
    held: Vec<usize>,
}

impl Scratch {
    fn read_pattern<T: Scalar>(&mut self, common: &Common<T>) {
        let nv = common.nv();
        self.pairs.clear();
        self.pattern.clear();
        self.pattern.resize(nv * nv, false);
        self.last.clear();
        self.last.extend(0..nv);
        let columns = common.mass_matrix.as_slice().chunks_exact(nv.max(1));
        for (j, column) in columns.enumerate() {
            self.pattern[j + nv * j] = true;
            for (i, m) in column.iter().enumerate() {
                if m.re() != 0.0 && !self.pattern[i + nv * j] {
                    self.pairs.push((i, j));
                    self.pattern[i + nv * j] = true;
                    self.pattern[j + nv * i] = true;
                    self.last[i] = self.last[i].max(j);
                    self.last[j] = self.last[j].max(i);
                }
            }
        }
    }
}

impl VelocityOrder {
    /// The original index of every index in this order.
    pub fn indices(&self) -> &[usize] {
        &self.indices
    }

    /// Whether contact `c` of `nc` acts on the velocity with the original index `j`, at `c + nc·j`.
    pub fn touched(&self) -> &[bool] {
        &self.touched
    }

    /// Columns of the mass matrix, and rows where they may differ from zero, in this order.
    pub fn mass_blocks(&self) -> &[(Range<usize>, Range<usize>)] {
        &self.mass_blocks
    }

    /// Brings a vector into this order.
    pub fn permute<T>(&self, vector: &mut [T]) {
        for (k, &from) in self.exchanges.iter().enumerate() {
            vector.swap(k, from);
        }
    }

    /// Brings a vector back from this order.
    pub fn permute_back<T>(&self, vector: &mut [T]) {
        for (k, &from) in self.exchanges.iter().enumerate().rev() {
            vector.swap(k, from);
        }
    }

    /// Orders the velocities of a problem, and gives `lu` the block structure of `∂r/∂v`.
    ///
    /// Problems of as many velocities may have other blocks; room is made for all that there can be.
    ///
    /// # Errors
    /// [`InvalidInput`] for a mass matrix that is not symmetric and positive definite.
    pub fn rebuild<T: Scalar>(
        &mut self,
        lu: &mut Lu,
        common: &Common<T>,
    ) -> Result<(), InvalidInput> {
        self.reserve(lu, common.nv());
        let s = &mut self.scratch;
        s.read_pattern(common);
        if !common.damped {
            mass_matrix::check(common.mass_matrix, &s.pairs, &s.last, &mut s.factor)?;
        }
        self.group(common);
        self.couple(common);
        let s = &mut self.scratch;
        lu.restructure(&s.sizes, &s.coupled);
        let (structure, blocks) = (lu.structure(), s.sizes.len());
        s.next_in_block.clear();
        s.next_in_block.resize(blocks, 0);
        self.mass_blocks.clear();
        for (k, &block) in structure.order().iter().enumerate() {
            let columns = structure.block(k);
            s.next_in_block[block] = columns.start;
            let first = self.mass_blocks.len();
            for (l, &other) in structure.order().iter().enumerate() {
                if block != other && !s.coupled_by_mass[other + blocks * block] {
                    continue;
                }
                let rows = structure.block(l);
                match self.mass_blocks[first..].last_mut() {
                    Some((_, last)) if last.end == rows.start => last.end = rows.end,
                    _ => self.mass_blocks.push((columns.clone(), rows)),
                }
            }
        }
        self.indices.clear();
        self.indices.resize(common.nv(), 0);
        for (i, &block) in s.block_of.iter().enumerate() {
            self.indices[s.next_in_block[block]] = i;
            s.next_in_block[block] += 1;
        }
        self.write_exchanges();
        Ok(())
    }

    fn reserve(&mut self, lu: &mut Lu, nv: usize) {
        lu.reserve_blocks(nv);
        let s = &mut self.scratch;
        reserve_total(&mut self.mass_blocks, nv * nv.div_ceil(2));
        reserve_total(&mut s.pairs, nv * nv.saturating_sub(1) / 2);
        reserve_total(&mut s.factor, nv * nv);
        for matrix in [&mut s.coupled_by_mass, &mut s.coupled] {
            reserve_total(matrix, nv * nv);
        }
        for list in [&mut s.sizes, &mut s.next_in_block, &mut s.blocks_of_contact] {
            reserve_total(list, nv);
        }
    }

    /// Finds what contacts touch, and the blocks.
    fn group<T: Scalar>(&mut self, common: &Common<T>) {
        let (nv, nc) = (common.nv(), common.nc());
        self.touched.clear();
        let tangents = common.tangent_jacobian.as_slice().chunks_exact(2);
        self.touched.extend(
            (common.normal_jacobian.iter().zip(tangents))
                .map(|(n, t)| n.re() != 0.0 || t[0].re() != 0.0 || t[1].re() != 0.0),
        );
        let touched_by = |j: usize| &self.touched[j * nc..(j + 1) * nc];
        let s = &mut self.scratch;
        s.block_of.clear();
        s.sizes.clear();
        let mut end_of_run = 0;
        for j in 0..nv {
            let coupled_with = |j: usize| &s.pattern[nv * j..nv * (j + 1)];
            let starts_block = if j >= end_of_run {
                j == 0 || touched_by(j) != touched_by(j - 1)
            } else {
                coupled_with(j) != coupled_with(j - 1)
            };
            if starts_block {
                s.sizes.push(0);
            }
            let block = s.sizes.len() - 1;
            s.block_of.push(block);
            s.sizes[block] += 1;
            end_of_run = end_of_run.max(s.last[j] + 1);
        }
    }

    /// Finds which blocks are coupled.
    fn couple<T: Scalar>(&mut self, common: &Common<T>) {
        let nc = common.nc();
        let s = &mut self.scratch;
        let blocks = s.sizes.len();
        s.coupled_by_mass.clear();
        s.coupled_by_mass.resize(blocks * blocks, false);
        for &(i, j) in &s.pairs {
            let (a, b) = (s.block_of[i], s.block_of[j]);
            s.coupled_by_mass[a + blocks * b] = true;
            s.coupled_by_mass[b + blocks * a] = true;
        }
        s.coupled.clone_from(&s.coupled_by_mass);
        for c in 0..nc {
            s.blocks_of_contact.clear();
            for (j, block) in s.block_of.iter().enumerate() {
                if self.touched[c + nc * j] && s.blocks_of_contact.last() != Some(block) {
                    s.blocks_of_contact.push(*block);
                }
            }
            for &a in &s.blocks_of_contact {
                for &b in &s.blocks_of_contact {
                    s.coupled[a + blocks * b] = true;
                }
            }
        }
    }

    fn write_exchanges(&mut self) {
        let s = &mut self.scratch;
        // place[i]: where the original index i is now; held[k]: the original index now at k.
        s.place.clear();
        s.place.extend(0..self.indices.len());
        s.held.clone_from(&s.place);
        self.exchanges.clear();
        for (k, &wanted) in self.indices.iter().enumerate() {
            let from = s.place[wanted];
            self.exchanges.push(from);
            let displaced = s.held[k];
            s.held.swap(k, from);
            s.place[displaced] = from;
            s.place[wanted] = k;
        }
    }
}
