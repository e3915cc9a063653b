//! Islands of velocity coordinates, and block matrices without entries between them.

use crate::tree::{BodyIndex, RigidBodyTree};
use std::ops::Range;

/// A partition of the velocity coordinates, and where the blocks of a matrix are that has entries within
/// islands only: one after the other, each dense and column-major.
#[derive(Debug, Clone)]
pub(in crate::system) struct Islands {
    /// The branch of the tree, among those that hang on the world, that has each coordinate.
    branches: Vec<usize>,
    /// The same of bodies; `None` for those that do not move.
    branches_of_bodies: Vec<Option<usize>>,
    /// A branch that each has been joined with, or itself.
    joined: Vec<usize>,
    /// The coordinates, ascending in each island.
    order: Vec<usize>,
    /// Where the islands start in `order`, and its end.
    starts: Vec<usize>,
    /// Island of each branch that stands for one; scratch.
    numbers: Vec<Option<usize>>,
    /// Of each coordinate: its island, its place there, and where its column starts in a matrix.
    island: Vec<usize>,
    place: Vec<usize>,
    column: Vec<usize>,
    blocks: Vec<usize>,
}

impl Islands {
    /// Every branch of a tree for itself.
    pub fn new(tree: &RigidBodyTree<f64>) -> Self {
        let (branches, branches_of_bodies) = tree.branches();
        let count = branches.iter().map(|b| b + 1).max().unwrap_or(0);
        let n = branches.len();
        let mut islands = Islands {
            branches,
            branches_of_bodies,
            joined: (0..count).collect(),
            order: vec![0; n],
            starts: Vec::new(),
            numbers: Vec::new(),
            island: vec![0; n],
            place: vec![0; n],
            column: vec![0; n],
            blocks: Vec::new(),
        };
        islands.finish();
        islands
    }

    /// Separates what has been joined.
    pub fn separate(&mut self) {
        (self.joined.iter_mut().enumerate()).for_each(|(i, joined)| *joined = i);
    }

    /// Couples two bodies, if both can move.
    pub fn join(&mut self, [a, b]: [BodyIndex; 2]) {
        let branch = |body: BodyIndex| self.branches_of_bodies[body.get()];
        if let (Some(a), Some(b)) = (branch(a), branch(b)) {
            self.join_branches([a, b]);
        }
    }

    /// Couples two coordinates.
    pub fn join_coordinates(&mut self, [a, b]: [usize; 2]) {
        self.join_branches([self.branches[a], self.branches[b]]);
    }

    fn join_branches(&mut self, [a, b]: [usize; 2]) {
        let (a, b) = (self.root(a), self.root(b));
        let (low, high) = (a.min(b), a.max(b));
        self.joined[high] = low;
    }

    fn root(&mut self, mut branch: usize) -> usize {
        while self.joined[branch] != branch {
            self.joined[branch] = self.joined[self.joined[branch]];
            branch = self.joined[branch];
        }
        branch
    }

    /// Numbers the islands by their first coordinates, once all is joined.
    pub fn finish(&mut self) {
        let n = self.branches.len();
        self.numbers.clear();
        self.numbers.resize(self.joined.len(), None);
        self.starts.clear();
        for c in 0..n {
            let root = self.root(self.branches[c]);
            let number = *self.numbers[root].get_or_insert_with(|| {
                self.starts.push(0);
                self.starts.len() - 1
            });
            self.island[c] = number;
            self.place[c] = self.starts[number];
            self.starts[number] += 1;
        }
        let (mut start, mut block) = (0, 0);
        self.blocks.clear();
        for size in &mut self.starts {
            self.blocks.push(block);
            block += *size * *size;
            start += std::mem::replace(size, start);
        }
        self.starts.push(start);
        self.blocks.push(block);
        for c in 0..n {
            let i = self.island[c];
            let size = self.starts[i + 1] - self.starts[i];
            self.order[self.starts[i] + self.place[c]] = c;
            self.column[c] = self.blocks[i] + size * self.place[c];
        }
    }

    /// Number of islands.
    pub fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of coordinates of the largest.
    pub fn largest(&self) -> usize {
        let sizes = self.starts.windows(2).map(|ends| ends[1] - ends[0]);
        sizes.max().unwrap_or(0)
    }

    /// The coordinates of an island, ascending.
    pub fn coordinates(&self, island: usize) -> &[usize] {
        &self.order[self.starts[island]..self.starts[island + 1]]
    }

    /// The island of a coordinate.
    pub fn of(&self, coordinate: usize) -> usize {
        self.island[coordinate]
    }

    /// The place of a coordinate in its island.
    pub fn place(&self, coordinate: usize) -> usize {
        self.place[coordinate]
    }

    /// Number of entries of a matrix.
    pub fn num_entries(&self) -> usize {
        self.blocks[self.count()]
    }

    /// The entries of a matrix in an island, column by column.
    pub fn block(&self, island: usize) -> Range<usize> {
        self.blocks[island]..self.blocks[island + 1]
    }

    /// The entries of the column of a coordinate.
    pub fn column(&self, coordinate: usize) -> Range<usize> {
        let (start, i) = (self.column[coordinate], self.island[coordinate]);
        start..start + self.starts[i + 1] - self.starts[i]
    }

    /// Where the entry for two coordinates of one island is.
    pub fn entry(&self, row: usize, column: usize) -> usize {
        self.column[column] + self.place[row]
    }
}
