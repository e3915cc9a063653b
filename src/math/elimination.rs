//! Fill-reducing elimination order (minimum degree).
//!
//! Indices that are coupled with the same others are eliminated together, as a front: those of an unbranched
//! chain of joints, or of a free body. Eliminating a front couples all its remaining neighbours with each
//! other; fronts are eliminated in the order of least degree (Tinney & Walker 1967, *Proceedings of the IEEE*
//! 55(11), scheme 2), which leaves the matrix of a tree of bodies without any fill-in. What elimination couples
//! is kept as the list of neighbours of the front (the elements of George & Liu 1980, *SIAM Journal on
//! Numerical Analysis* 17(2)), so that memory is that of the factors at most.
//!
//! The order is then that of a walk through the tree of what takes what is left of what, children first, which changes
//! no zero (Liu 1990, *SIAM Journal on Matrix Analysis and Applications* 11(1), §6). What follows each other and is
//! coupled with the same that comes after is one front, a fundamental supernode: towards the end, where most work
//! is, fronts are large.

use std::ops::Range;

const NONE: usize = usize::MAX;

/// Lists of numbers, one after the other in one allocation.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Lists {
    items: Vec<usize>,
    ends: Vec<usize>,
}

impl Lists {
    pub fn clear(&mut self) {
        self.items.clear();
        self.ends.clear();
    }

    /// Appends a list.
    pub fn push_list(&mut self, list: impl IntoIterator<Item = usize>) {
        self.items.extend(list);
        self.ends.push(self.items.len());
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    fn range(&self, k: usize) -> Range<usize> {
        let start = if k == 0 { 0 } else { self.ends[k - 1] };
        start..self.ends[k]
    }

    pub fn get(&self, k: usize) -> &[usize] {
        &self.items[self.range(k)]
    }

    pub fn iter(&self) -> impl Iterator<Item = &[usize]> {
        (0..self.len()).map(|k| self.get(k))
    }

    fn get_mut(&mut self, k: usize) -> &mut [usize] {
        let range = self.range(k);
        &mut self.items[range]
    }

    /// Appends a list, sorted and without repetitions.
    fn push_set(&mut self, list: impl IntoIterator<Item = usize>) {
        let start = self.items.len();
        self.items.extend(list);
        self.items[start..].sort_unstable();
        let mut end = start;
        for k in start..self.items.len() {
            if end == start || self.items[end - 1] != self.items[k] {
                self.items[end] = self.items[k];
                end += 1;
            }
        }
        self.items.truncate(end);
        self.ends.push(end);
    }
}

/// Finds elimination orders; a workspace.
#[derive(Debug, Clone, Default)]
pub(crate) struct Elimination {
    /// Cliques that each index is in: those of index `i` end at `ends[i]`.
    cliques_of: Vec<usize>,
    ends: Vec<usize>,
    /// Indices that each is coupled with, and itself.
    coupled: Lists,
    /// The atom of each index: a run of indices with the same couplings.
    atom_of: Vec<usize>,
    /// The indices of each atom.
    atoms: Vec<Range<usize>>,
    /// Atoms that each is coupled with.
    neighbours: Lists,
    degrees: Vec<usize>,
    /// The place of each atom in the order of least degree.
    place: Vec<usize>,
    /// The atoms in that order.
    chosen: Vec<usize>,
    /// What remained coupled with each atom when it was eliminated, by its place there.
    elements: Lists,
    /// Children of each place in the tree: the first, and the next one of each.
    children: Vec<usize>,
    siblings: Vec<usize>,
    stack: Vec<usize>,
    /// Places as they are walked through, and what each becomes.
    walk: Vec<usize>,
    walked: Vec<usize>,
    /// The places of each front in the walk.
    fronts: Vec<Range<usize>>,
    /// Where the indices of each place of the walk begin in the order.
    starts: Vec<usize>,
    /// Places of the walk that each front is coupled with after its own.
    below: Lists,
    /// Whether a later element holds all of an earlier one.
    absorbed: Vec<bool>,
    /// Elements that each atom is in: a linked list of elements and links.
    heads: Vec<usize>,
    links: Vec<(usize, usize)>,
    marks: Vec<usize>,
    stamp: usize,
}

impl Elimination {
    /// Orders the indices from 0 to `size`, which are coupled as the members of each of the cliques are.
    pub fn analyse(&mut self, size: usize, cliques: &Lists) {
        self.couple(size, cliques);
        self.group(size);
        self.eliminate();
        self.walk();
        self.merge();
    }

    /// Number of fronts.
    pub fn fronts(&self) -> usize {
        self.fronts.len()
    }

    /// The indices that front `k` eliminates, in their order.
    pub fn front(&self, k: usize) -> impl Iterator<Item = usize> {
        let places = self.walk[self.fronts[k].clone()].iter();
        places.flat_map(|&place| self.atoms[self.chosen[place]].clone())
    }

    /// Where the order has the indices after those of front `k` that it is coupled with.
    pub fn below(&self, k: usize) -> impl Iterator<Item = Range<usize>> {
        let places = self.below.get(k).iter();
        places.map(|&place| self.starts[place]..self.starts[place + 1])
    }

    fn couple(&mut self, size: usize, cliques: &Lists) {
        let is_new = |k: &usize| *k == 0 || cliques.get(*k - 1) != cliques.get(*k);
        self.ends.clear();
        self.ends.resize(size + 1, 0);
        for k in (0..cliques.len()).filter(is_new) {
            cliques.get(k).iter().for_each(|&i| self.ends[i + 1] += 1);
        }
        for i in 0..size {
            self.ends[i + 1] += self.ends[i];
        }
        self.cliques_of.clear();
        self.cliques_of.resize(self.ends[size], 0);
        for k in (0..cliques.len()).filter(is_new) {
            for &i in cliques.get(k) {
                self.cliques_of[self.ends[i]] = k;
                self.ends[i] += 1;
            }
        }
        self.coupled.clear();
        for i in 0..size {
            let start = if i == 0 { 0 } else { self.ends[i - 1] };
            let members = self.cliques_of[start..self.ends[i]].iter();
            let members = members.flat_map(|&k| cliques.get(k)).copied();
            self.coupled.push_set(members.chain([i]));
        }
    }

    fn group(&mut self, size: usize) {
        self.atom_of.clear();
        self.atoms.clear();
        for i in 0..size {
            match self.atoms.last_mut() {
                Some(atom) if self.coupled.get(i - 1) == self.coupled.get(i) => atom.end = i + 1,
                _ => self.atoms.push(i..i + 1),
            }
            self.atom_of.push(self.atoms.len() - 1);
        }
        self.neighbours.clear();
        for (a, atom) in self.atoms.iter().enumerate() {
            let others = self.coupled.get(atom.start).iter();
            let others = others.map(|&i| self.atom_of[i]).filter(|&b| b != a);
            self.neighbours.push_set(others);
        }
    }

    fn eliminate(&mut self) {
        let count = self.atoms.len();
        for (list, value) in [
            (&mut self.place, NONE),
            (&mut self.heads, NONE),
            (&mut self.marks, 0),
        ] {
            list.clear();
            list.resize(count, value);
        }
        self.stamp = 0;
        self.absorbed.clear();
        self.chosen.clear();
        self.links.clear();
        self.elements.clear();
        self.degrees.clear();
        for a in 0..count {
            let neighbours = self.neighbours.get(a).iter();
            (self.degrees).push(neighbours.map(|&b| self.atoms[b].len()).sum());
        }
        for step in 0..count {
            let waiting = (0..count).filter(|&a| self.place[a] == NONE);
            let Some(next) = waiting.min_by_key(|&a| self.degrees[a]) else {
                break;
            };
            self.place[next] = step;
            self.chosen.push(next);
            self.push_element(next);
            self.absorbed.push(false);
            for k in self.elements.range(step) {
                let atom = self.elements.items[k];
                self.links.push((step, self.heads[atom]));
                self.heads[atom] = self.links.len() - 1;
                self.update_degree(atom);
            }
        }
        let place = &self.place;
        for step in 0..count {
            let element = self.elements.get_mut(step);
            element.iter_mut().for_each(|atom| *atom = place[*atom]);
            element.sort_unstable();
        }
    }

    /// Walks through the tree in which each place hangs on the first that it remained coupled with.
    fn walk(&mut self) {
        let count = self.chosen.len();
        self.children.clear();
        self.children.resize(count, NONE);
        self.siblings.clear();
        self.siblings.resize(count, NONE);
        self.stack.clear();
        for place in 0..count {
            match self.elements.get(place) {
                [] => self.stack.push(place),
                [parent, ..] => {
                    self.siblings[place] = std::mem::replace(&mut self.children[*parent], place);
                }
            }
        }
        // From the roots, backwards: what can be merged with its parent comes next to it.
        self.walk.clear();
        while let Some(place) = self.stack.pop() {
            self.walk.push(place);
            let first = self.stack.len();
            let mut child = self.children[place];
            while child != NONE {
                self.stack.push(child);
                child = self.siblings[child];
            }
            let merges = |child: &usize| self.are_merged(*child, place);
            if let Some(k) = self.stack[first..].iter().position(merges) {
                let last = self.stack.len() - 1;
                self.stack.swap(first + k, last);
            }
        }
        self.walk.reverse();
        self.walked.clear();
        self.walked.resize(count, 0);
        self.starts.clear();
        let mut start = 0;
        for (k, &place) in self.walk.iter().enumerate() {
            self.walked[place] = k;
            self.starts.push(start);
            start += self.atoms[self.chosen[place]].len();
        }
        self.starts.push(start);
    }

    /// Whether a place is coupled with its parent and all that the parent is coupled with.
    fn are_merged(&self, child: usize, parent: usize) -> bool {
        self.elements.get(child).len() == self.elements.get(parent).len() + 1
    }

    /// Makes fronts of places that follow each other and are coupled with the same.
    fn merge(&mut self) {
        self.fronts.clear();
        for (k, &place) in self.walk.iter().enumerate() {
            let continues = k > 0 && {
                let before = self.walk[k - 1];
                self.elements.get(before).first() == Some(&place) && self.are_merged(before, place)
            };
            match self.fronts.last_mut() {
                Some(front) if continues => front.end = k + 1,
                _ => self.fronts.push(k..k + 1),
            }
        }
        self.below.clear();
        for front in &self.fronts {
            let element = self.elements.get(self.walk[front.end - 1]).iter();
            let places = element.map(|&place| self.walked[place]);
            self.below.push_set(places);
        }
    }

    /// What is coupled with an atom that is being eliminated: its neighbours, and the members of the elements
    /// that it is in, which the new one absorbs.
    fn push_element(&mut self, atom: usize) {
        self.stamp += 1;
        let start = self.elements.items.len();
        for &other in self.neighbours.get(atom) {
            if self.place[other] == NONE {
                self.marks[other] = self.stamp;
                self.elements.items.push(other);
            }
        }
        let mut link = self.heads[atom];
        while link != NONE {
            let (element, next) = self.links[link];
            link = next;
            if std::mem::replace(&mut self.absorbed[element], true) {
                continue;
            }
            for k in self.elements.range(element) {
                let other = self.elements.items[k];
                if self.place[other] == NONE && self.marks[other] != self.stamp {
                    self.marks[other] = self.stamp;
                    self.elements.items.push(other);
                }
            }
        }
        self.elements.items[start..].sort_unstable();
        self.elements.ends.push(self.elements.items.len());
    }

    fn update_degree(&mut self, atom: usize) {
        self.stamp += 1;
        self.marks[atom] = self.stamp;
        let (mut degree, stamp) = (0, self.stamp);
        let mut count = |other: usize| {
            if self.place[other] == NONE && self.marks[other] != stamp {
                self.marks[other] = stamp;
                degree += self.atoms[other].len();
            }
        };
        self.neighbours.get(atom).iter().for_each(|&b| count(b));
        let mut link = self.heads[atom];
        while link != NONE {
            let (element, next) = self.links[link];
            link = next;
            if !self.absorbed[element] {
                self.elements.get(element).iter().for_each(|&b| count(b));
            }
        }
        self.degrees[atom] = degree;
    }
}
