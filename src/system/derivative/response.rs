//! Columns of ∂(q⁺, v⁺)/∂(q, v, u): the end of a step by its start and inputs.

use super::applied::AppliedSlopes;
use super::balance::BalanceSlopes;
use super::islands::Islands;
use crate::InvalidInput;
use crate::math::Factorization;
use crate::tree::{CoordinateStep, EndSlopes, MechanismSlopes, subtract_columns};
use nalgebra::{Matrix4x3, SVector, Vector3, Vector4};
use std::ops::Range;

/// Columns that are solved for at a time: two of each coordinate of a free body, or half as many where these are the last.
const FEW: usize = 6;
const MANY: usize = 12;

/// A column of the derivatives of `[q⁺; v⁺]`.
#[derive(Debug, Clone, Copy)]
pub(in crate::system) struct Column<'a> {
    /// The rows in which it may have entries, those of an island: positions, then velocities after all
    /// positions.
    runs: &'a [Range<usize>],
    /// The entries, one run after the other.
    entries: &'a [f64],
}

impl<'a> Column<'a> {
    /// Runs of rows, with their entries.
    pub fn runs(&self) -> impl Iterator<Item = (Range<usize>, &'a [f64])> {
        let mut rest = self.entries;
        self.runs.iter().map(move |run| {
            let (here, further) = rest.split_at(run.len());
            rest = further;
            (run.clone(), here)
        })
    }
}

/// What the flight of a mechanism is differentiated by.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Slopes {
    Position,
    Velocity,
}

/// A mechanism of an island.
#[derive(Debug, Clone, Copy)]
struct Flying {
    number: usize,
    /// Its first velocity coordinate, and the place of that in the island.
    first: usize,
    place: usize,
    /// Where the positions of the first body are among the entries.
    offset: usize,
    /// The change of the quaternion of that at the end with its turn.
    turned: Matrix4x3<f64>,
}

/// The derivatives of a step; a workspace.
#[derive(Debug, Clone, Default)]
pub(in crate::system) struct Response {
    /// How coordinates are stepped, those of one island after those of another, in runs as long as possible.
    steps: Vec<CoordinateStep>,
    of_islands: Vec<Range<usize>>,
    /// The island of each step, and its place among all.
    numbered: Vec<(usize, usize)>,
    /// `A⁻¹`, `∂v⁺/∂q` along the velocity coordinates and `∂v⁺/∂v`, by islands.
    inverse: Vec<f64>,
    by_position: Vec<f64>,
    by_velocity: Vec<f64>,
    few: Vec<SVector<f64, FEW>>,
    many: Vec<SVector<f64, MANY>>,
    nonzero: Vec<usize>,
    slopes: Vec<f64>,
    entries: Vec<f64>,
    runs: Vec<Range<usize>>,
    /// How free mechanisms fly, and which has each coordinate.
    pub mechanisms: Vec<MechanismSlopes>,
    mechanism_of: Vec<Option<usize>>,
    flying: Vec<Flying>,
    /// Covectors of the ends of flights.
    on_ends: Vec<EndSlopes>,
}

impl Response {
    /// Takes over how coordinates are stepped, by islands; flights have been differentiated.
    pub fn set_steps(&mut self, islands: &Islands, steps: &[CoordinateStep]) {
        self.steps.clear();
        self.of_islands.clear();
        self.numbered.clear();
        self.mechanism_of.clear();
        for (place, step) in steps.iter().enumerate() {
            if step.velocities().is_empty() {
                continue;
            }
            (self.numbered).push((islands.of(step.velocities().start), place));
            if let &CoordinateStep::Mechanism { v, number, .. } = step {
                let end = v + self.mechanisms[number].by_velocity.len();
                let size = self.mechanism_of.len().max(end);
                self.mechanism_of.resize(size, None);
                self.mechanism_of[v..end].fill(Some(number));
            }
        }
        let start = |place: usize| steps[place].velocities().start;
        (self.numbered).sort_unstable_by_key(|&(island, place)| (island, start(place)));
        for &(island, place) in &self.numbered {
            if island == self.of_islands.len() {
                self.of_islands.push(self.steps.len()..self.steps.len());
            }
            let range = &mut self.of_islands[island];
            if !extends_last(&mut self.steps[range.clone()], &steps[place]) {
                self.steps.push(steps[place]);
                range.end += 1;
            }
        }
    }

    /// Computes how velocities respond to the balance, and to the errors of rows that act, by the row and the coordinate.
    ///
    /// Stiff contacts make `∂r/∂q` and A large along the same directions, where the product with `A⁻¹` would
    /// lose digits that a solution keeps; `∂r/∂v` is not stiff.
    pub fn solve(
        &mut self,
        balance: &BalanceSlopes,
        errors: &[([usize; 2], f64)],
        jacobian: &impl Factorization,
    ) -> Result<(), InvalidInput> {
        let islands = &balance.islands;
        for response in [
            &mut self.inverse,
            &mut self.by_position,
            &mut self.by_velocity,
        ] {
            response.resize(islands.num_entries(), 0.0);
        }
        let slopes = (&balance.by_position[..], errors);
        let (count, mut first) = (2 * islands.largest(), 0);
        while first < count {
            let responses = [&mut self.inverse[..], &mut self.by_position];
            if count - first <= FEW {
                solve_columns(islands, slopes, jacobian, (&mut self.few, first), responses)?;
                first += FEW;
            } else {
                solve_columns(
                    islands,
                    slopes,
                    jacobian,
                    (&mut self.many, first),
                    responses,
                )?;
                first += MANY;
            }
        }
        for i in 0..islands.count() {
            let (block, size) = (islands.block(i), islands.coordinates(i).len());
            let inverse = &self.inverse[block.clone()];
            let columns = self.by_velocity[block.clone()].chunks_exact_mut(size);
            for (column, slopes) in columns.zip(balance.by_velocity[block].chunks_exact(size)) {
                let rows = (0..size).filter(|&row| slopes[row] != 0.0);
                self.nonzero.clear();
                self.nonzero.extend(rows);
                column.fill(0.0);
                subtract_columns(column, inverse, (size, 0), &self.nonzero, |j| slopes[j]);
            }
        }
        Ok(())
    }

    /// Calls `visit` with every column of the derivatives with respect to `[q; v]`, by its number.
    pub fn for_each_state_column(
        &mut self,
        islands: &Islands,
        num_positions: usize,
        mut visit: impl FnMut(usize, Column<'_>),
    ) {
        for i in 0..islands.count() {
            self.set_runs(islands, i, num_positions);
            let size = islands.coordinates(i).len();
            let block = islands.block(i);
            let mut offset = 0;
            for step in self.of_islands[i].clone() {
                let step = self.steps[step];
                let (from, len) = (step.velocities(), step.positions().len());
                for (component, q) in step.positions().enumerate() {
                    self.slopes.clear();
                    self.slopes.resize(size, 0.0);
                    let place = islands.place(from.start);
                    let mut add = |place: usize, factor: f64| {
                        let first = block.start + place * size;
                        let column = &self.by_position[first..first + size];
                        (self.slopes.iter_mut().zip(column)).for_each(|(y, x)| *y += x * factor);
                    };
                    match step {
                        CoordinateStep::Linear { .. } => add(place + component, 1.0),
                        CoordinateStep::Free { .. } | CoordinateStep::Mechanism { .. }
                            if component >= 4 =>
                        {
                            add(place + component - 1, 1.0);
                        }
                        CoordinateStep::Quaternion { turn, .. }
                        | CoordinateStep::Free { turn, .. }
                        | CoordinateStep::Mechanism { turn, .. } => {
                            (0..3).for_each(|t| add(place + t, turn[(t, component)]));
                        }
                    }
                    self.fill_column(islands, i);
                    let velocities = self.entries.len() - size + place;
                    let (before, after) = self.entries.split_at_mut(velocities);
                    let own = &mut before[offset..offset + len];
                    match step {
                        CoordinateStep::Linear { .. } => own[component] += 1.0,
                        CoordinateStep::Free { .. } | CoordinateStep::Mechanism { .. }
                            if component >= 4 =>
                        {
                            own[component] += 1.0;
                        }
                        CoordinateStep::Mechanism { .. } => {}
                        CoordinateStep::Free { flight, .. } => {
                            let direct = flight.positions.column(component);
                            own.iter_mut().zip(&direct).for_each(|(x, d)| *x += d);
                            let direct = flight.velocities.column(component);
                            after.iter_mut().zip(&direct).for_each(|(x, d)| *x += d);
                        }
                        CoordinateStep::Quaternion { by_start, .. } => {
                            let direct = by_start.column(component);
                            own.iter_mut().zip(&direct).for_each(|(x, d)| *x += d);
                        }
                    }
                    match step {
                        CoordinateStep::Linear { .. } => {
                            self.add_flight(islands, from.start + component, 1.0, Slopes::Position);
                        }
                        CoordinateStep::Mechanism { turn, .. } if component < 4 => {
                            for axis in 0..3 {
                                let factor = turn[(axis, component)];
                                let coordinate = from.start + axis;
                                self.add_flight(islands, coordinate, factor, Slopes::Position);
                            }
                        }
                        _ => {}
                    }
                    visit(q, self.column());
                }
                offset += len;
            }
            for (place, &v) in islands.coordinates(i).iter().enumerate() {
                let first = block.start + place * size;
                self.slopes.clear();
                (self.slopes).extend_from_slice(&self.by_velocity[first..first + size]);
                self.fill_column(islands, i);
                self.add_flight(islands, v, 1.0, Slopes::Velocity);
                visit(num_positions + v, self.column());
            }
        }
    }

    /// Calls `visit` with every column of the derivatives with respect to the inputs: once for every island
    /// that an input drives.
    pub fn for_each_input_column(
        &mut self,
        (islands, num_positions): (&Islands, usize),
        (applied, inputs, dt): (&AppliedSlopes, usize, f64),
        mut visit: impl FnMut(usize, Column<'_>),
    ) {
        let mut shown = None;
        for input in 0..inputs {
            let driven = applied.of_input(input);
            for (position, &(first, _)) in driven.iter().enumerate() {
                let i = islands.of(first);
                if driven[..position].iter().any(|&(c, _)| islands.of(c) == i) {
                    continue;
                }
                self.slopes.clear();
                self.slopes.resize(islands.coordinates(i).len(), 0.0);
                for &(c, slope) in driven.iter().filter(|(c, _)| islands.of(*c) == i) {
                    let column = &self.inverse[islands.column(c)];
                    for (y, x) in self.slopes.iter_mut().zip(column) {
                        *y += dt * slope * x;
                    }
                }
                if shown.replace(i) != Some(i) {
                    self.set_runs(islands, i, num_positions);
                }
                self.fill_column(islands, i);
                visit(input, self.column());
            }
        }
    }

    /// Calls `visit` with every column of derivatives of which those of velocities are the first `lanes` of `of_velocities`,
    /// by its number: once for every island in which a lane is not zero.
    pub fn for_each_lane<const N: usize>(
        &mut self,
        (islands, num_positions): (&Islands, usize),
        (lanes, of_velocities): (usize, &[SVector<f64, N>]),
        mut visit: impl FnMut(usize, Column<'_>),
    ) {
        let mut shown = None;
        for (lane, i) in
            (0..lanes.min(N)).flat_map(|lane| (0..islands.count()).map(move |i| (lane, i)))
        {
            let slopes = islands
                .coordinates(i)
                .iter()
                .map(|&c| of_velocities[c][lane]);
            self.slopes.clear();
            self.slopes.extend(slopes);
            if self.slopes.iter().any(|&slope| slope != 0.0) {
                if shown.replace(i) != Some(i) {
                    self.set_runs(islands, i, num_positions);
                }
                self.fill_column(islands, i);
                visit(lane, self.column());
            }
        }
    }

    /// Brings a covector of `[q⁺; v⁺]` back over the motion: replaces that of `q⁺` by that of `q` at fixed velocities,
    /// and that of `v⁺` by that of the velocities with which bodies move.
    pub fn pull_back_motion(&mut self, of_positions: &mut [f64], of_velocities: &mut [f64]) {
        (self.on_ends).resize(self.mechanisms.len(), EndSlopes::zeros());
        for step in &self.steps {
            if let CoordinateStep::Mechanism { v, number, .. } = step {
                self.on_ends[*number]
                    .fixed_rows_mut::<6>(6)
                    .copy_from_slice(&of_velocities[*v..v + 6]);
                of_velocities[*v..v + 6].fill(0.0);
            }
        }
        for step in &self.steps {
            let on_position = &mut of_positions[step.positions()];
            let on_velocity = &mut of_velocities[step.velocities()];
            match step {
                CoordinateStep::Linear { dt, .. } => {
                    for (velocity, position) in on_velocity.iter_mut().zip(&*on_position) {
                        *velocity += dt * position;
                    }
                }
                CoordinateStep::Quaternion {
                    by_start,
                    by_velocity,
                    ..
                } => {
                    let end = Vector4::from_column_slice(on_position);
                    let on_start = by_start.tr_mul(&end);
                    let turn = by_velocity.tr_mul(&end);
                    on_position.copy_from_slice(on_start.as_slice());
                    on_velocity.iter_mut().zip(&turn).for_each(|(x, t)| *x += t);
                }
                CoordinateStep::Free { flight, dt, .. } => {
                    let x = SVector::<f64, 7>::from_column_slice(on_position);
                    let u = SVector::<f64, 6>::from_column_slice(on_velocity);
                    let back = flight.positions.tr_mul(&x) + flight.velocities.tr_mul(&u);
                    on_position[..4].copy_from_slice(&back.as_slice()[..4]);
                    on_velocity[..3].copy_from_slice(&back.as_slice()[4..]);
                    (0..3).for_each(|i| on_velocity[3 + i] += dt * x[4 + i]);
                }
                CoordinateStep::Mechanism {
                    v, number, turned, ..
                } => {
                    let on_end = &mut self.on_ends[*number];
                    let quaternion = Vector4::from_column_slice(&on_position[..4]);
                    on_end
                        .fixed_rows_mut::<3>(0)
                        .copy_from(&turned.tr_mul(&quaternion));
                    on_end
                        .fixed_rows_mut::<3>(3)
                        .copy_from_slice(&on_position[4..]);
                    on_position[..4].fill(0.0);
                    let slopes = &self.mechanisms[*number].by_velocity;
                    let on_velocities = &mut of_velocities[*v..v + slopes.len()];
                    for (velocity, slopes) in on_velocities.iter_mut().zip(slopes) {
                        *velocity += slopes.dot(on_end);
                    }
                }
            }
        }
    }

    /// Adds what the covector that was brought back has of the flights at given velocities after the forces: along the
    /// coordinates at the start, and on velocities there.
    pub fn add_flights(&self, along: &mut [f64], on_velocities: &mut [f64]) {
        for step in &self.steps {
            if let CoordinateStep::Mechanism { v, number, .. } = step {
                let (slopes, on_end) = (&self.mechanisms[*number], &self.on_ends[*number]);
                for (k, by_position) in slopes.by_position.iter().enumerate() {
                    along[v + k] += by_position.dot(on_end);
                    on_velocities[v + k] += slopes.by_start_velocity[k].dot(on_end);
                }
            }
        }
    }

    /// Adds a covector along the velocity coordinates, `along`, to that of the positions.
    pub fn add_to_positions(&self, along: &[f64], of_positions: &mut [f64]) {
        for step in &self.steps {
            let on_position = &mut of_positions[step.positions()];
            let along = &along[step.velocities()];
            match step {
                CoordinateStep::Linear { .. } => {
                    on_position.iter_mut().zip(along).for_each(|(x, a)| *x += a);
                }
                CoordinateStep::Quaternion { turn, .. } => {
                    let change = turn.tr_mul(&Vector3::from_column_slice(along));
                    on_position
                        .iter_mut()
                        .zip(&change)
                        .for_each(|(x, c)| *x += c);
                }
                CoordinateStep::Free { turn, .. } | CoordinateStep::Mechanism { turn, .. } => {
                    let change = turn.tr_mul(&Vector3::from_column_slice(&along[..3]));
                    let changes = change.iter().chain(&along[3..]);
                    on_position
                        .iter_mut()
                        .zip(changes)
                        .for_each(|(x, c)| *x += c);
                }
            }
        }
    }

    fn column(&self) -> Column<'_> {
        Column {
            runs: &self.runs,
            entries: &self.entries,
        }
    }

    fn set_runs(&mut self, islands: &Islands, island: usize, num_positions: usize) {
        self.runs.clear();
        self.flying.clear();
        let mut offset = 0;
        for step in &self.steps[self.of_islands[island].clone()] {
            if let &CoordinateStep::Mechanism {
                v, number, turned, ..
            } = step
            {
                self.flying.push(Flying {
                    number,
                    first: v,
                    place: islands.place(v),
                    offset,
                    turned,
                });
            }
            offset += step.positions().len();
            push_run(&mut self.runs, step.positions());
        }
        for &c in islands.coordinates(island) {
            push_run(&mut self.runs, num_positions + c..num_positions + c + 1);
        }
    }

    /// Adds what the flight of a mechanism makes of a coordinate at the start, at given velocities after the forces.
    fn add_flight(&mut self, islands: &Islands, coordinate: usize, factor: f64, by: Slopes) {
        let Some(&Some(number)) = self.mechanism_of.get(coordinate) else {
            return;
        };
        let mut flying = self.flying.iter();
        let Some(&flying) = flying.find(|flying| flying.number == number) else {
            return;
        };
        let slopes = &self.mechanisms[number];
        let slopes = match by {
            Slopes::Position => &slopes.by_position,
            Slopes::Velocity => &slopes.by_start_velocity,
        };
        let end = slopes[coordinate - flying.first] * factor;
        let size = islands.coordinates(islands.of(coordinate)).len();
        self.add_end(&end, &flying, self.entries.len() - size);
    }

    /// Adds a change of the end of a flight to the entries, of which velocities are those from `velocities` on.
    fn add_end(&mut self, end: &EndSlopes, flying: &Flying, velocities: usize) {
        let [t0, t1, t2, positions @ .., v0, v1, v2, v3, v4, v5] = end.data.0[0];
        let turned = flying.turned * Vector3::new(t0, t1, t2);
        let target = &mut self.entries[flying.offset..flying.offset + 7];
        for (x, d) in target.iter_mut().zip(turned.iter().chain(&positions)) {
            *x += d;
        }
        let first = velocities + flying.place;
        let target = &mut self.entries[first..first + 6];
        for (x, d) in target.iter_mut().zip([v0, v1, v2, v3, v4, v5]) {
            *x += d;
        }
    }

    /// Writes the entries of a column that velocities respond to by `self.slopes`.
    fn fill_column(&mut self, islands: &Islands, island: usize) {
        self.entries.clear();
        for step in &self.steps[self.of_islands[island].clone()] {
            let start = islands.place(step.velocities().start);
            let slopes = &self.slopes[start..start + step.velocities().len()];
            match step {
                CoordinateStep::Linear { dt, .. } => {
                    self.entries.extend(slopes.iter().map(|y| dt * y));
                }
                CoordinateStep::Quaternion { by_velocity, .. } => {
                    self.entries.extend((0..4).map(|row| {
                        (0..3).fold(0.0, |sum, j| sum + by_velocity[(row, j)] * slopes[j])
                    }));
                }
                CoordinateStep::Free { flight, dt, .. } => {
                    let turn = Vector3::from_column_slice(&slopes[..3]);
                    let mut change = flight.positions.fixed_columns::<3>(4) * turn;
                    (0..3).for_each(|i| change[4 + i] += dt * slopes[3 + i]);
                    self.entries.extend(&change);
                }
                CoordinateStep::Mechanism { .. } => self.entries.extend([0.0; 7]),
            }
        }
        let first = self.entries.len();
        self.entries.extend_from_slice(&self.slopes);
        for flying in 0..self.flying.len() {
            let flying = self.flying[flying];
            let by_velocity = &self.mechanisms[flying.number].by_velocity;
            let mut end = EndSlopes::zeros();
            for (by, &slope) in by_velocity.iter().zip(&self.slopes[flying.place..]) {
                end += by * slope;
            }
            let body = first + flying.place;
            self.entries[body..body + 6].fill(0.0);
            self.add_end(&end, &flying, first);
        }
        for step in &self.steps[self.of_islands[island].clone()] {
            if let CoordinateStep::Free { flight, .. } = step {
                let start = islands.place(step.velocities().start);
                let slopes = &self.slopes[start..start + 6];
                let turn = Vector3::from_column_slice(&slopes[..3]);
                let mut change = flight.velocities.fixed_columns::<3>(4) * turn;
                (0..3).for_each(|i| change[3 + i] += slopes[3 + i]);
                self.entries[first + start..first + start + 6].copy_from_slice(change.as_slice());
            }
        }
    }
}

/// Writes columns of `A⁻¹ [1, −B; 0, −E]`, of each island as many as there are lanes from `first` on: the rows of velocities,
/// with the entries of B by islands, and those of E by row and coordinate.
fn solve_columns<const LANES: usize>(
    islands: &Islands,
    (by_position, errors): (&[f64], &[([usize; 2], f64)]),
    jacobian: &impl Factorization,
    (rhs, first): (&mut Vec<SVector<f64, LANES>>, usize),
    [inverse, responses]: [&mut [f64]; 2],
) -> Result<(), InvalidInput> {
    rhs.resize(jacobian.size(), SVector::zeros());
    // The lanes that are columns of the inverse, those of B, and where these start there.
    let split = |size: usize| {
        let ones = size.saturating_sub(first).min(LANES);
        let lanes = ones..LANES.min((2 * size).saturating_sub(first));
        (0..ones, lanes, (first + ones).saturating_sub(size) * size)
    };
    let blocks = || (0..islands.count()).map(|i| (islands.coordinates(i), islands.block(i)));
    let mut nv = 0;
    for (rows, block) in blocks() {
        let size = rows.len();
        let (ones, lanes, start) = split(size);
        let slopes = &by_position[block];
        for (place, &row) in rows.iter().enumerate() {
            let x = &mut rhs[row];
            x.fill(0.0);
            if let Some(lane) = place.checked_sub(first).filter(|lane| ones.contains(lane)) {
                x[lane] = 1.0;
            }
            for (lane, x) in x.as_mut_slice()[lanes.clone()].iter_mut().enumerate() {
                *x = -slopes[start + lane * size + place];
            }
        }
        nv += size;
    }
    rhs[nv..].fill(SVector::zeros());
    for &([row, column], slope) in errors {
        let column = islands.column(column).len() + islands.place(column);
        if (first..first + LANES).contains(&column) {
            rhs[nv + row][column - first] = -slope;
        }
    }
    jacobian.solve_in_place(rhs)?;
    for (rows, block) in blocks() {
        let size = rows.len();
        let (ones, lanes, start) = split(size);
        let (inverse, responses) = (&mut inverse[block.clone()], &mut responses[block]);
        for (place, &row) in rows.iter().enumerate() {
            let x = rhs[row].as_slice();
            for (lane, x) in x[ones.clone()].iter().enumerate() {
                inverse[(first + lane) * size + place] = *x;
            }
            for (lane, x) in x[lanes.clone()].iter().enumerate() {
                responses[start + lane * size + place] = *x;
            }
        }
    }
    Ok(())
}

fn push_run(runs: &mut Vec<Range<usize>>, run: Range<usize>) {
    match runs.last_mut() {
        Some(last) if last.end == run.start => last.end = run.end,
        _ => runs.push(run),
    }
}

/// Whether a step goes on where the last of others ends; it then takes it over.
fn extends_last(steps: &mut [CoordinateStep], next: &CoordinateStep) -> bool {
    match (steps.last_mut(), next) {
        (
            Some(CoordinateStep::Linear { q, v, len, .. }),
            &CoordinateStep::Linear {
                q: next_q,
                v: next_v,
                len: more,
                ..
            },
        ) if (*q + *len, *v + *len) == (next_q, next_v) => {
            *len += more;
            true
        }
        _ => false,
    }
}
