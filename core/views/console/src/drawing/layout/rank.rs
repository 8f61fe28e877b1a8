//! Layers: each box above all that lead to it.

use super::Line;

/// The state of a box while all are walked through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Visit {
    Never,
    /// The walk came through it, and has not left it.
    Open,
    Left,
}

/// The layer of each box, counted from the bottom. The ends of a line are in different layers; where lines
/// go in a circle, one of them leads downwards.
pub(super) fn ranks(boxes: usize, lines: &[Line]) -> Vec<usize> {
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
    // What nothing leads to is as near as it can be to what it leads to.
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

/// The boxes with older ones first, and what each leads to when those lines are turned around that lead
/// back. The walk begins at the last box, as the oldest are last.
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
