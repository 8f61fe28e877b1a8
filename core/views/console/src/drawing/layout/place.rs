//! Computes the columns of slots, so that lines are short and straight and the slots of a layer do
//! not overlap.

use super::{BESIDE, MARGIN, Slots};

/// The number of passes over all layers, up and down.
const SWEEPS: usize = 16;

/// A row of adjacent slots at their minimum distance. The block has one preferred position for all
/// its slots.
#[derive(Debug, Clone, Copy)]
struct Block {
    /// The sum of the preferred positions of the slots, each multiplied by its weight.
    sum: i64,
    weight: i64,
    count: usize,
}

/// Returns the column (`x`) of the line of each slot.
pub(super) fn columns(slots: &Slots) -> Vec<i64> {
    let mut x = vec![0; slots.all.len()];
    for layer in &slots.layers {
        let mut at_left = 0;
        for at in layer {
            x[*at] = at_left + slots.all[*at].left;
            at_left = x[*at] + slots.all[*at].right + BESIDE;
        }
    }
    let mut neighbors = vec![Vec::new(); slots.all.len()];
    for (low, high) in &slots.pairs {
        let weight = weight(slots, *low, *high);
        neighbors[*low].push((*high, weight));
        neighbors[*high].push((*low, weight));
    }
    let layers = slots.layers.len();
    for sweep in 0..SWEEPS {
        for step in 0..layers {
            let layer = if sweep % 2 == 0 {
                layers - 1 - step
            } else {
                step
            };
            settle(slots, &slots.layers[layer], &neighbors, &mut x);
        }
    }
    let lefts = slots.all.iter().zip(&x).map(|(slot, x)| x - slot.left);
    let shift = MARGIN - lefts.min().unwrap_or_default();
    x.iter().map(|x| x + shift).collect()
}

/// Returns the weight for aligning two connected slots in one column. Two slots of a line have the
/// highest weight, so that the middle of a line has few bends.
fn weight(slots: &Slots, low: usize, high: usize) -> i64 {
    match (slots.all[low].is_line, slots.all[high].is_line) {
        (true, true) => 8,
        (true, false) | (false, true) => 3,
        (false, false) => 1,
    }
}

/// Moves the slots of a layer as close to their neighbors as their order and sizes permit. The sum
/// of the squared distances is as small as possible. Slots that would overlap are merged into a
/// [`Block`].
fn settle(slots: &Slots, layer: &[usize], neighbors: &[Vec<(usize, i64)>], x: &mut [i64]) {
    let mut offsets = Vec::with_capacity(layer.len());
    let mut blocks: Vec<Block> = Vec::new();
    let mut offset = 0;
    for (place, at) in layer.iter().enumerate() {
        if let Some(before) = place.checked_sub(1) {
            offset += slots.all[layer[before]].right + BESIDE + slots.all[*at].left;
        }
        offsets.push(offset);
        let sides = &neighbors[*at];
        let weight: i64 = sides.iter().map(|(_, weight)| weight).sum();
        let sum: i64 = sides.iter().map(|(it, weight)| x[*it] * weight).sum();
        // A slot without neighbors keeps its position unless another slot needs the space.
        let (sum, weight) = if weight == 0 {
            (x[*at], 1)
        } else {
            (sum, weight)
        };
        blocks.push(Block {
            sum: sum - offset * weight,
            weight,
            count: 1,
        });
        merge(&mut blocks);
    }
    let starts = blocks
        .iter()
        .flat_map(|block| std::iter::repeat_n(block.start(), block.count));
    for ((at, offset), start) in layer.iter().zip(offsets).zip(starts) {
        x[*at] = start + offset;
    }
}

/// Merges the last two blocks as long as the last block would start before the previous block.
fn merge(blocks: &mut Vec<Block>) {
    while let [.., before, last] = blocks.as_mut_slice() {
        if before.start() <= last.start() {
            return;
        }
        before.sum += last.sum;
        before.weight += last.weight;
        before.count += last.count;
        blocks.pop();
    }
}

// === impl Block ===

impl Block {
    fn start(&self) -> i64 {
        self.sum.div_euclid(self.weight)
    }
}
