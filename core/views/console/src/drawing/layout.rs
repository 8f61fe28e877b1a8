//! Positions of boxes and lines, in layers from old at the bottom to new at the top.
//!
//! ```text
//! boxes, lines --rank--> layers --order--> few crossings --place--> short lines --> rectangles, routes
//! ```
//!
//! Each layer has its own horizontal band. In each band that a line crosses, the line occupies a
//! narrow slot, and a box occupies a wide slot. Slots in the same band never overlap. Only lines
//! are drawn between two bands. Therefore no line crosses a box or the label of another line, in
//! any graph.

mod order;
mod place;
mod rank;

use std::fmt::{self, Display, Formatter};

/// The size of a box, a label or a drawing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Size {
    /// The width, from left to right.
    pub width: i64,
    /// The height, from top to bottom.
    pub height: i64,
}

/// A line that connects two boxes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line {
    /// The index of the older box.
    pub from: usize,
    /// The index of the newer box.
    pub to: usize,
    /// The size of the label to the right of the line. A width of zero means that the line has no
    /// label.
    pub label: Size,
}

/// A point, relative to the upper left corner of the drawing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Point {
    /// The distance to the right.
    pub x: i64,
    /// The distance downwards.
    pub y: i64,
}

/// A rectangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rectangle {
    /// The upper left corner of the box.
    pub corner: Point,
    /// The size of the box.
    pub size: Size,
}

/// The route of a line through the bands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LineRoute {
    /// The points from the older box to the newer box, in pairs. The two points of a pair have the
    /// same `x`, and the line between them is straight. Between two pairs, the line bends. Empty
    /// for a line from a box to itself.
    pub points: Vec<Point>,
    /// The position of the label of the line.
    pub label: Option<Rectangle>,
}

/// The positions of all boxes and lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Layout {
    /// The total size.
    pub size: Size,
    /// The rectangles of the boxes, in the order of the input.
    pub boxes: Vec<Rectangle>,
    /// The routes of the lines, in the order of the input.
    pub routes: Vec<LineRoute>,
}

/// The error for a graph that is too large for a layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLarge {
    boxes: usize,
    lines: usize,
}

/// The maximum number of slots in a layout.
const MOST: usize = 20_000;

/// The horizontal distance between two slots in a band.
const BESIDE: i64 = 18;
/// The minimum vertical distance between two bands.
const BETWEEN: i64 = 14;
/// The maximum vertical distance between two bands.
const FAR: i64 = 60;
/// The margin around the drawing.
const MARGIN: i64 = 12;
/// The horizontal distance between a line and its label.
pub(crate) const AT_LINE: i64 = 5;

/// The space that a box, a label or a line occupies in a band.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Slot {
    layer: usize,
    /// The space to the left of the line through the slot.
    left: i64,
    right: i64,
    height: i64,
    /// True if the slot contains only a line.
    is_line: bool,
}

/// The slots of a drawing, and the pairs of slots that a line connects.
#[derive(Debug, Default)]
struct Slots {
    all: Vec<Slot>,
    /// Pairs of a lower slot and an upper slot in neighboring layers, which a line connects.
    pairs: Vec<(usize, usize)>,
    /// The slots of each line, from the bottom to the top.
    chains: Vec<Vec<usize>>,
    /// The slots of each layer, from left to right.
    layers: Vec<Vec<usize>>,
}

/// The boxes that the layout may move to the top.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Newest {
    /// The layout moves no box to the top.
    None,
    /// The first boxes, as many as this number, represent bundles sorted from new to old. The
    /// layout moves the first box to the top if the lines permit it.
    FirstOf(usize),
}

/// Computes the positions of boxes and lines.
///
/// # Errors
/// Returns an error if the graph is too large.
pub fn lay_out(boxes: &[Size], lines: &[Line], newest: Newest) -> Result<Layout, TooLarge> {
    let too_large = TooLarge {
        boxes: boxes.len(),
        lines: lines.len(),
    };
    if boxes.len() > MOST || lines.len() > MOST {
        return Err(too_large);
    }
    let ranks = rank::ranks(boxes.len(), lines, newest);
    let mut slots = Slots::of(boxes, lines, &ranks).ok_or(too_large)?;
    order::reduce_crossings(&mut slots);
    let x = place::columns(&slots);
    let bands = bands(&slots, &x);
    let placed = Placed {
        slots: &slots,
        x: &x,
        bands: &bands,
    };
    Ok(placed.layout(boxes.len(), lines))
}

// === impl Slots ===

impl Slots {
    /// Creates the slots of all boxes and lines. Returns None if there are too many slots.
    fn of(boxes: &[Size], lines: &[Line], ranks: &[usize]) -> Option<Self> {
        let mut slots = Self::default();
        for (size, rank) in boxes.iter().zip(ranks) {
            slots.all.push(Slot {
                layer: rank * 2,
                left: size.width / 2,
                right: size.width - size.width / 2,
                height: size.height,
                is_line: false,
            });
        }
        for line in lines {
            let chain = slots.chain(line, ranks)?;
            let pairs = chain.windows(2).map(|pair| (pair[0], pair[1]));
            slots.pairs.extend(pairs);
            slots.chains.push(chain);
        }
        let layers = slots.all.iter().map(|slot| slot.layer + 1).max();
        slots.layers = vec![Vec::new(); layers.unwrap_or_default()];
        for (at, slot) in slots.all.iter().enumerate() {
            slots.layers[slot.layer].push(at);
        }
        Some(slots)
    }

    /// Creates the slots of a line, and returns all slots from its lower box to its upper box. A
    /// label is directly below the upper box. Returns None if there are too many slots.
    fn chain(&mut self, line: &Line, ranks: &[usize]) -> Option<Vec<usize>> {
        let (mut low, mut high) = (line.from, line.to);
        if low == high {
            return Some(Vec::new());
        }
        if ranks[low] > ranks[high] {
            (low, high) = (high, low);
        }
        let mut chain = vec![low];
        let (bottom, top) = (ranks[low] * 2, ranks[high] * 2);
        for layer in bottom + 1..top {
            let label = if layer + 1 == top {
                line.label
            } else {
                Size::default()
            };
            let is_line = label.width == 0;
            chain.push(self.all.len());
            self.all.push(Slot {
                layer,
                left: 1,
                right: if is_line { 1 } else { label.width + AT_LINE },
                height: label.height,
                is_line,
            });
        }
        chain.push(high);
        (self.all.len() <= MOST).then_some(chain)
    }
}

/// Returns the top and bottom of the band of each layer. The newest layer is at the top.
fn bands(slots: &Slots, x: &[i64]) -> Vec<(i64, i64)> {
    let mut reach = vec![0; slots.layers.len()];
    for (low, high) in &slots.pairs {
        let reach = &mut reach[slots.all[*low].layer];
        *reach = (*reach).max((x[*low] - x[*high]).abs());
    }
    let mut bands = vec![(0, 0); slots.layers.len()];
    let mut y = MARGIN;
    for (layer, members) in slots.layers.iter().enumerate().rev() {
        // A line to a distant column needs more height.
        if layer + 1 < slots.layers.len() {
            y += (reach[layer] / 8).clamp(BETWEEN, FAR);
        }
        let height = members.iter().map(|at| slots.all[*at].height).max();
        let bottom = y + height.unwrap_or_default();
        bands[layer] = (y, bottom);
        y = bottom;
    }
    bands
}

/// The slots with their positions.
struct Placed<'a> {
    slots: &'a Slots,
    x: &'a [i64],
    bands: &'a [(i64, i64)],
}

// === impl Placed ===

impl Placed<'_> {
    fn layout(&self, boxes: usize, lines: &[Line]) -> Layout {
        let all = self.slots.all.iter().zip(self.x);
        let width = all.map(|(slot, x)| x + slot.right).max();
        let height = self.bands.first().map(|(_, bottom)| *bottom);
        let chains = lines.iter().zip(&self.slots.chains);
        Layout {
            size: Size {
                width: width.unwrap_or_default() + MARGIN,
                height: height.unwrap_or_default() + MARGIN,
            },
            boxes: (0..boxes).map(|at| self.rectangle(at)).collect(),
            routes: chains
                .map(|(line, chain)| self.route(line, chain))
                .collect(),
        }
    }

    /// Returns the rectangle of a slot, vertically centered in its band.
    fn rectangle(&self, at: usize) -> Rectangle {
        let Slot {
            layer,
            left,
            right,
            height,
            is_line: _,
        } = self.slots.all[at];
        let (top, bottom) = self.bands[layer];
        Rectangle {
            corner: Point {
                x: self.x[at] - left,
                y: top + (bottom - top - height) / 2,
            },
            size: Size {
                width: left + right,
                height,
            },
        }
    }

    fn route(&self, line: &Line, chain: &[usize]) -> LineRoute {
        if line.from == line.to {
            return LineRoute::default();
        }
        let last = chain.len() - 1;
        let mut points = Vec::with_capacity(chain.len() * 2);
        for (place, at) in chain.iter().enumerate() {
            let x = self.x[*at];
            let (top, bottom) = self.bands[self.slots.all[*at].layer];
            let own = self.rectangle(*at);
            // Within the band of its box, the line runs straight to the edge of the box.
            let (low, high) = match place {
                0 => (own.corner.y, top),
                place if place == last => (bottom, own.corner.y + own.size.height),
                _ => (bottom, top),
            };
            points.extend([Point { x, y: low }, Point { x, y: high }]);
        }
        if chain[0] != line.from {
            points.reverse();
        }
        let labels = chain[1..last].iter();
        let label = labels.copied().find(|at| !self.slots.all[*at].is_line);
        let label = label.map(|at| {
            let Rectangle { corner, size } = self.rectangle(at);
            Rectangle {
                corner: Point {
                    x: self.x[at] + AT_LINE,
                    y: corner.y,
                },
                size: Size {
                    width: size.width - 1 - AT_LINE,
                    height: size.height,
                },
            }
        });
        LineRoute { points, label }
    }
}

impl Display for TooLarge {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { boxes, lines } = self;
        write!(
            f,
            "{boxes} boxes and {lines} lines are too many for one drawing: draw the graph of one \
             channel, or only a path"
        )
    }
}

impl std::error::Error for TooLarge {}
