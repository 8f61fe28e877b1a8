//! Computes the layers. A line leads from an older box to a newer box, and the newer box is in a
//! higher layer.

use super::{Line, Newest};

/// The state of a box during the traversal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Visit {
    Never,
    /// The traversal has entered the box but has not left it.
    Open,
    Left,
}

/// Returns the layer of each box, counted from the bottom. The two boxes of a line are in different
/// layers. If lines form a cycle, one of these lines points downwards.
pub(super) fn ranks(boxes: usize, lines: &[Line], newest: Newest) -> Vec<usize> {
    let mut next = vec![Vec::new(); boxes];
    for line in lines {
        next[line.from].push(line.to);
    }
    let (order, next) = without_circles(&next);
    let mut ranks = vec![0; boxes];
    for at in &order {
        for to in &next[*at] {
            ranks[*to] = ranks[*to].max(ranks[*at] + 1);
        }
    }
    raise_newest(&mut ranks, &next, newest);
    // Place a box without older boxes directly below the lowest of its newer boxes.
    let mut has_older = vec![false; boxes];
    next.iter().flatten().for_each(|to| has_older[*to] = true);
    for at in 0..boxes {
        let newer = next[at].iter().map(|to| ranks[*to]).min();
        if let Some(newer) = newer.filter(|_| !has_older[at]) {
            ranks[at] = newer - 1;
        }
    }
    ranks
}

/// Moves the box of the newest bundle above the boxes of all other bundles. Also moves the boxes to
/// which its lines lead, such as its channels. Does nothing if one of these boxes represents a
/// bundle or has lines to further boxes.
fn raise_newest(ranks: &mut [usize], next: &[Vec<usize>], newest: Newest) {
    let Newest::FirstOf(count) = newest else {
        return;
    };
    let Some(leads_to) = next.first() else {
        return;
    };
    // Further boxes above would also have to move.
    if leads_to
        .iter()
        .any(|to| *to < count || !next[*to].is_empty())
    {
        return;
    }
    let others = ranks[..count].iter().skip(1).max();
    let above = others.map_or(0, |rank| rank + 1);
    ranks[0] = ranks[0].max(above);
    for to in leads_to {
        ranks[*to] = ranks[*to].max(ranks[0] + 1);
    }
}

/// Reverses lines so that no cycle remains. Returns the boxes in topological order, and the boxes
/// to which the lines of each box lead. The traversal begins at the last box, because the oldest
/// boxes are last.
fn without_circles(next: &[Vec<usize>]) -> (Vec<usize>, Vec<Vec<usize>>) {
    let mut turned = vec![Vec::new(); next.len()];
    let mut seen = vec![Visit::Never; next.len()];
    let mut order = Vec::with_capacity(next.len());
    for start in (0..next.len()).rev() {
        if seen[start] != Visit::Never {
            continue;
        }
        seen[start] = Visit::Open;
        let mut walk = vec![(start, 0)];
        while let Some((at, place)) = walk.pop() {
            let Some(to) = next[at].get(place).copied() else {
                seen[at] = Visit::Left;
                order.push(at);
                continue;
            };
            walk.push((at, place + 1));
            match seen[to] {
                _ if to == at => {}
                Visit::Open => turned[to].push(at),
                Visit::Left => turned[at].push(to),
                Visit::Never => {
                    turned[at].push(to);
                    seen[to] = Visit::Open;
                    walk.push((to, 0));
                }
            }
        }
    }
    order.reverse();
    (order, turned)
}
