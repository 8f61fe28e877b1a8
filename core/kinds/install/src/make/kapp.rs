//! Computes the order that kapp's rules define, as numbered steps. An object gets a later step than
//! the objects that it waits for.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::manifest::Member;

const GROUP: &str = "kapp.k14s.io/change-group";
const RULE: &str = "kapp.k14s.io/change-rule";
/// The prefix of the names of the groups that kapp defines itself. There is one such group for each
/// kind.
const BUILT_IN: &str = "change-groups.kapp.k14s.io/";

/// A point in the order: a manifest, or the start or the end of a group of manifests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Point<'m> {
    Manifest(usize),
    Begin(&'m str),
    End(&'m str),
}

/// For each point, the points that must come after it. The number says how many steps later they
/// come.
type Later<'m> = BTreeMap<Point<'m>, Vec<(Point<'m>, usize)>>;

/// Returns the step of each member, in the order of the members.
///
/// # Errors
///
/// Returns all rules that stages cannot implement, each with the index of its member.
pub(super) fn steps(members: &[&Member]) -> Result<Vec<usize>, Vec<(usize, String)>> {
    let (mut later, mut flaws) = (Later::new(), Vec::new());
    for (place, member) in members.iter().enumerate() {
        for (_, group) in annotations(&member.manifest, GROUP) {
            later
                .entry(Point::Begin(group))
                .or_default()
                .push((Point::Manifest(place), 0));
            later
                .entry(Point::Manifest(place))
                .or_default()
                .push((Point::End(group), 0));
        }
        for (key, rule) in annotations(&member.manifest, RULE) {
            match edge(place, rule) {
                Some((from, to)) => later.entry(from).or_default().push((to, 1)),
                None => flaws.push((place, unknown(key, rule))),
            }
        }
    }
    if !flaws.is_empty() {
        return Err(flaws);
    }
    walk(members.len(), &later)
}

fn unknown(key: &str, rule: &str) -> String {
    format!(
        "has the annotation {key}: {rule:?}, which a plan cannot represent; write \"upsert after \
         upserting GROUP\" or \"upsert before upserting GROUP\", or remove the annotation"
    )
}

/// Returns the annotations with this key. The key may have a suffix, because kapp allows several
/// rules with the same key.
fn annotations<'m>(manifest: &'m Value, key: &str) -> impl Iterator<Item = (&'m str, &'m str)> {
    let all = manifest
        .pointer("/metadata/annotations")
        .and_then(Value::as_object);
    let all = all.into_iter().flatten().filter(move |(own, _)| {
        let rest = own.strip_prefix(key);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    });
    all.filter_map(|(key, value)| Some((key.as_str(), value.as_str()?)))
}

/// Returns the two points whose order the rule defines. Returns None if the rule defines no order
/// for applying.
///
/// A plan deletes objects in the reverse order of its stages. A rule about deletion is therefore
/// the same as a rule about applying, or it is not supported.
fn edge(place: usize, rule: &str) -> Option<(Point<'_>, Point<'_>)> {
    let words: Vec<_> = rule.split_whitespace().collect();
    let (is_after, group) = match words.as_slice() {
        ["upsert", "after", "upserting", group] | ["delete", "before", "deleting", group] => {
            (true, *group)
        }
        ["upsert", "before", "upserting", group] | ["delete", "after", "deleting", group] => {
            (false, *group)
        }
        _ => return None,
    };
    let own = Point::Manifest(place);
    let is_known = !group.starts_with(BUILT_IN) && !group.contains('{');
    is_known.then_some(if is_after {
        (Point::End(group), own)
    } else {
        (own, Point::Begin(group))
    })
}

/// Visits the points in topological order.
fn walk(count: usize, later: &Later<'_>) -> Result<Vec<usize>, Vec<(usize, String)>> {
    let mut before: BTreeMap<Point<'_>, usize> = BTreeMap::new();
    for (from, to) in later {
        before.entry(*from).or_default();
        to.iter()
            .for_each(|(to, _)| *before.entry(*to).or_default() += 1);
    }
    let mut ready: Vec<_> = before
        .iter()
        .filter(|(_, count)| **count == 0)
        .map(|(at, _)| *at)
        .collect();
    let mut steps: BTreeMap<Point<'_>, usize> = BTreeMap::new();
    while let Some(at) = ready.pop() {
        let step = *steps.entry(at).or_default();
        for (to, apart) in later.get(&at).into_iter().flatten() {
            let known = steps.entry(*to).or_default();
            *known = (*known).max(step + apart);
            let left = before.entry(*to).or_default();
            *left -= 1;
            if *left == 0 {
                ready.push(*to);
            }
        }
    }
    let circular = before.iter().filter_map(|(at, left)| match at {
        Point::Manifest(place) if *left > 0 => Some(*place),
        Point::Manifest(_) | Point::Begin(_) | Point::End(_) => None,
    });
    let circular: Vec<_> = circular.collect();
    if let Some(first) = circular.first() {
        let sentence = format!(
            "is in a cycle of {RULE} annotations, or comes after such a cycle; remove one of these \
             annotations"
        );
        return Err(vec![(*first, sentence)]);
    }
    let step = |place| {
        steps
            .get(&Point::Manifest(place))
            .copied()
            .unwrap_or_default()
    };
    Ok((0..count).map(step).collect())
}
