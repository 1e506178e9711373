//! The straight lines of a page, and the grids of tables that they make.

use hayro_interpret::kurbo::{Affine, BezPath, PathEl, Point};

/// Lines of a page that are kept: more than tables have.
const MAX_RULES: usize = 20_000;

/// Grids are looked for among so many lines.
const MAX_GRID_RULES: usize = 1_500;

/// A path with more elements is a drawing.
const MAX_ELEMENTS: usize = 200;

/// A line may be a narrow area, and ends may miss each other, in points.
const WIDTH: f32 = 3.0;
const NEAR: f32 = 3.0;

/// So few lines across a page are those of its header, its footer and its notes.
const MIN_LADDER: usize = 4;

/// A shorter line is no part of a table.
const MIN_LENGTH: f32 = 8.0;

/// A straight line: where it runs, and from where to where.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its y, if it is horizontal, else its x.
    pub at: f32,
    /// Its left or upper end.
    pub from: f32,
    /// Its right or lower end.
    pub to: f32,
}

impl Rule {
    /// How much of an interval it covers.
    pub fn overlap(&self, from: f32, to: f32) -> f32 {
        (self.to.min(to) - self.from.max(from)).max(0.0)
    }
}

/// The straight lines of a page.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// The horizontal ones.
    pub horizontal: Vec<Rule>,
    /// The vertical ones.
    pub vertical: Vec<Rule>,
}

/// The cells of a table: between lines.
#[derive(Clone, Debug)]
pub struct Grid {
    /// The y of the lines between its rows, and of those around it.
    pub rows: Vec<f32>,
    /// The vertical lines, by their x.
    pub columns: Vec<Rule>,
    /// The left and the right end.
    pub x: (f32, f32),
}

impl Rules {
    /// Adds the lines of a path, which may be the edges of an area.
    pub fn add(&mut self, path: &BezPath, page: Affine) {
        if self.horizontal.len() + self.vertical.len() > MAX_RULES || path.elements().len() > MAX_ELEMENTS {
            return;
        }
        let place = |point: Point| {
            let point = page * point;
            (point.x as f32, point.y as f32)
        };
        let (mut start, mut last) = ((0.0, 0.0), (0.0, 0.0));
        for element in path.elements() {
            match *element {
                PathEl::MoveTo(point) => (start, last) = (place(point), place(point)),
                PathEl::LineTo(point) => {
                    let next = place(point);
                    self.segment(last, next);
                    last = next;
                }
                PathEl::ClosePath => {
                    self.segment(last, start);
                    last = start;
                }
                PathEl::QuadTo(_, point) | PathEl::CurveTo(_, _, point) => last = place(point),
            }
        }
    }

    fn segment(&mut self, a: (f32, f32), b: (f32, f32)) {
        let (width, height) = ((a.0 - b.0).abs(), (a.1 - b.1).abs());
        if width >= MIN_LENGTH && height <= WIDTH / 2.0 {
            self.horizontal.push(Rule { at: (a.1 + b.1) / 2.0, from: a.0.min(b.0), to: a.0.max(b.0) });
        } else if height >= MIN_LENGTH && width <= WIDTH / 2.0 {
            self.vertical.push(Rule { at: (a.0 + b.0) / 2.0, from: a.1.min(b.1), to: a.1.max(b.1) });
        }
    }

    /// Joins lines that continue each other.
    pub fn join(&mut self) {
        join(&mut self.horizontal);
        join(&mut self.vertical);
    }

    /// Whether a horizontal line over most of an interval parts two base lines.
    pub fn parts(&self, above: f32, below: f32, size: f32, (from, to): (f32, f32)) -> bool {
        let start = self.horizontal.partition_point(|rule| rule.at <= above);
        let between = self.horizontal.iter().skip(start).take_while(|rule| rule.at < below - 0.3 * size);
        between.into_iter().any(|rule| rule.overlap(from, to) > 0.5 * (to - from))
    }

    /// Lines over the same width, as between the rows of a table: their y and the width. At least four.
    pub fn ladders(&self) -> Vec<(Vec<f32>, (f32, f32))> {
        let place = |rule: &Rule| ((rule.from / NEAR).round() as i64, (rule.to / NEAR).round() as i64);
        let mut sorted = self.horizontal.clone();
        // Stable: each group stays ordered from the top.
        sorted.sort_by_key(place);
        let groups = sorted.chunk_by(|a, b| (a.from - b.from).abs() < NEAR && (a.to - b.to).abs() < NEAR);
        let ladder = |group: &[Rule]| {
            let mut rows: Vec<f32> = group.iter().map(|rule| rule.at).collect();
            rows.sort_by(f32::total_cmp);
            rows.dedup_by(|b, a| *b - *a < NEAR);
            Some((rows, (group.first()?.from, group.first()?.to)))
        };
        groups.filter_map(ladder).filter(|(rows, _)| rows.len() >= MIN_LADDER).collect()
    }

    /// The grids of tables with at least two columns, from the top.
    pub fn grids(&self) -> Vec<Grid> {
        let count = self.horizontal.len() + self.vertical.len();
        if self.vertical.is_empty() || self.horizontal.len() < 2 || count > MAX_GRID_RULES {
            return Vec::new();
        }
        let mut group: Vec<usize> = (0..count).collect();
        for (h, horizontal) in self.horizontal.iter().enumerate() {
            for (v, vertical) in self.vertical.iter().enumerate() {
                let meets = (horizontal.from - NEAR..=horizontal.to + NEAR).contains(&vertical.at)
                    && (vertical.from - NEAR..=vertical.to + NEAR).contains(&horizontal.at);
                if meets {
                    let (a, b) = (root(&mut group, h), root(&mut group, self.horizontal.len() + v));
                    if let Some(parent) = group.get_mut(a) {
                        *parent = b;
                    }
                }
            }
        }
        let roots: Vec<usize> = (0..count).map(|at| root(&mut group, at)).collect();
        let (rows, columns) = roots.split_at(self.horizontal.len());
        let mut grids: Vec<Grid> = (0..count).filter_map(|root| self.grid(root, rows, columns)).collect();
        grids.sort_by(|a, b| a.top().total_cmp(&b.top()));
        grids
    }

    fn grid(&self, root: usize, rows: &[usize], columns: &[usize]) -> Option<Grid> {
        let own = |rules: &[Rule], roots: &[usize]| -> Vec<Rule> {
            rules.iter().zip(roots).filter(|(_, of)| **of == root).map(|(rule, _)| *rule).collect()
        };
        let horizontal = own(&self.horizontal, rows);
        let columns = own(&self.vertical, columns);
        let from = horizontal.iter().map(|rule| rule.from).min_by(f32::total_cmp)?;
        let to = horizontal.iter().map(|rule| rule.to).max_by(f32::total_cmp)?;
        let mut rows: Vec<f32> = horizontal.iter().map(|rule| rule.at).collect();
        rows.dedup_by(|b, a| *b - *a < NEAR);
        let inner = columns.iter().any(|rule| rule.at > from + MIN_LENGTH && rule.at < to - MIN_LENGTH);
        (rows.len() > 1 && inner).then_some(Grid { rows, columns, x: (from, to) })
    }
}

impl Grid {
    /// The uppermost line.
    pub fn top(&self) -> f32 {
        self.rows.first().copied().unwrap_or_default()
    }

    /// The lowest line.
    pub fn bottom(&self) -> f32 {
        self.rows.last().copied().unwrap_or_default()
    }

    /// The ends of the columns at a height: the vertical lines that are there.
    pub fn ends(&self, y: f32) -> Vec<f32> {
        let mut ends: Vec<f32> =
            self.columns.iter().filter(|rule| rule.from <= y && rule.to >= y).map(|rule| rule.at).collect();
        ends.dedup_by(|b, a| *b - *a < NEAR);
        ends
    }
}

fn root(group: &mut [usize], mut at: usize) -> usize {
    while let Some(parent) = group.get(at).copied().filter(|parent| *parent != at) {
        let above = group.get(parent).copied().unwrap_or(parent);
        if let Some(own) = group.get_mut(at) {
            *own = above;
        }
        at = parent;
    }
    at
}

fn join(rules: &mut Vec<Rule>) {
    rules.retain(|rule| rule.at.is_finite() && rule.from.is_finite() && rule.to.is_finite());
    // Both edges of a narrow area are one line.
    let place = |rule: &Rule| (rule.at / 1.5).round();
    rules.sort_by(|a, b| place(a).total_cmp(&place(b)).then(a.from.total_cmp(&b.from)));
    let mut joined: Vec<Rule> = Vec::with_capacity(rules.len());
    for rule in rules.iter() {
        match joined.last_mut() {
            Some(last) if (last.at - rule.at).abs() <= 1.5 && rule.from <= last.to + NEAR => {
                last.to = last.to.max(rule.to);
            }
            _ => joined.push(*rule),
        }
    }
    joined.sort_by(|a, b| a.at.total_cmp(&b.at));
    *rules = joined;
}
