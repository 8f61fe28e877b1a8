//! Orders the slots in each layer so that few lines cross.

use super::Slots;

/// The number of passes over all layers, up and down.
const SWEEPS: usize = 12;

/// The slots below and above each slot.
struct Neighbors {
    below: Vec<Vec<usize>>,
    above: Vec<Vec<usize>>,
}

/// Orders the slots of each layer by the positions of their neighbors. Keeps the order with the
/// fewest crossings.
pub(super) fn reduce_crossings(slots: &mut Slots) {
    let neighbors = Neighbors::of(slots);
    let mut best = slots.layers.clone();
    let mut fewest = crossings(&best, &neighbors.above, slots.all.len());
    for sweep in 0..SWEEPS {
        if fewest == 0 {
            break;
        }
        let layers = &mut slots.layers;
        let mut place = places(layers, slots.all.len());
        let count = layers.len();
        for step in 1..count {
            let (layer, sides) = if sweep % 2 == 0 {
                (count - 1 - step, &neighbors.above)
            } else {
                (step, &neighbors.below)
            };
            sort(&mut layers[layer], sides, &mut place);
        }
        let crossed = crossings(layers, &neighbors.above, slots.all.len());
        if crossed < fewest {
            fewest = crossed;
            best.clone_from(layers);
        }
    }
    slots.layers = best;
}

// === impl Neighbors ===

impl Neighbors {
    fn of(slots: &Slots) -> Self {
        let mut below = vec![Vec::new(); slots.all.len()];
        let mut above = below.clone();
        for (low, high) in &slots.pairs {
            above[*low].push(*high);
            below[*high].push(*low);
        }
        Self { below, above }
    }
}

fn places(layers: &[Vec<usize>], slots: usize) -> Vec<usize> {
    let mut places = vec![0; slots];
    for layer in layers {
        for (place, at) in layer.iter().enumerate() {
            places[*at] = place;
        }
    }
    places
}

/// Sorts a layer by the mean position of each slot's neighbors, in thousandths. A slot without
/// neighbors is sorted by its old position.
fn sort(layer: &mut [usize], neighbors: &[Vec<usize>], place: &mut [usize]) {
    layer.sort_by_cached_key(|at| {
        let sides = &neighbors[*at];
        let sum: usize = sides.iter().map(|it| place[*it]).sum();
        match sides.len() {
            0 => place[*at] * 1000,
            count => sum * 1000 / count,
        }
    });
    for (now, at) in layer.iter().enumerate() {
        place[*at] = now;
    }
}

/// Returns the number of line crossings between all neighboring layers.
fn crossings(layers: &[Vec<usize>], above: &[Vec<usize>], slots: usize) -> usize {
    let place = places(layers, slots);
    let pairs = layers.windows(2);
    let crossed = pairs.map(|pair| {
        let ends = pair[0].iter().flat_map(|at| {
            let mut ends: Vec<_> = above[*at].iter().map(|it| place[*it]).collect();
            ends.sort_unstable();
            ends
        });
        inversions(ends, pair[1].len())
    });
    crossed.sum()
}

/// Returns the number of pairs of numbers in the wrong order, computed with a Fenwick tree.
fn inversions(numbers: impl Iterator<Item = usize>, limit: usize) -> usize {
    let mut tree = vec![0_usize; limit + 1];
    let (mut inversions, mut count) = (0, 0);
    for number in numbers {
        let mut no_larger = 0;
        let mut at = number + 1;
        while at > 0 {
            no_larger += tree[at];
            at &= at - 1;
        }
        inversions += count - no_larger;
        count += 1;
        let mut at = number + 1;
        while at <= limit {
            tree[at] += 1;
            at += at & at.wrapping_neg();
        }
    }
    inversions
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn inversions_are_the_pairs_in_the_wrong_order(numbers in prop::collection::vec(0_usize..20, 0..30)) {
            let slow = (0..numbers.len()).map(|at| {
                let later = numbers[at..].iter();
                later.filter(|it| **it < numbers[at]).count()
            });
            prop_assert_eq!(inversions(numbers.iter().copied(), 20), slow.sum::<usize>());
        }
    }
}
