//! Builds the track of an operator from the graph of its package.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use portolan_core_catalog::{Bundle, Package};
use portolan_core_graph::{Edges, Graph, Installed, Node};
use portolan_core_names::{BundleName, Version, VersionRange};

use super::{Closed, Jump, PlaceId, Track, TrackPlace};
use crate::question::{Goal, Operator};

/// The bundles that an operator can have, before irrelevant bundles are removed.
struct TrackWalk<'a> {
    operator: &'a Operator,
    graph: &'a Graph,
    places: Vec<TrackPlace<'a>>,
    /// The places to which moves may lead, by bundle.
    offered: BTreeMap<&'a BundleName, usize>,
    start: usize,
}

// === impl Track ===

impl<'a> Track<'a> {
    /// Returns the track of an operator. The requested channels must exist.
    pub(crate) fn of(operator: &'a Operator) -> Self {
        let walk = TrackWalk::of(operator);
        let track = match operator.wish {
            Goal::Stay => Self::standing(walk.places[walk.start]),
            Goal::Any | Goal::Range(_) => walk.track(),
        };
        Self {
            package: Some(operator.name()),
            overrides: operator.overrides,
            ..track
        }
    }
}

// === impl TrackWalk ===

impl<'a> TrackWalk<'a> {
    fn of(operator: &'a Operator) -> Self {
        let graph = operator.package.graph();
        let mut walk = Self {
            operator,
            graph,
            places: Vec::new(),
            offered: BTreeMap::new(),
            start: 0,
        };
        let package = operator.package.package();
        let listed = listed(operator, package);
        for node in graph.nodes() {
            let bundle = package.bundles.get(&node.name).map(|bundle| &**bundle);
            if let Some(bundle) = bundle
                && listed.contains(&node.name)
                && walk.offers(bundle)
            {
                walk.offered.insert(&node.name, walk.places.len());
                walk.places.push(TrackPlace::Bundle { node, bundle });
            }
        }
        walk.start = walk.begin(package);
        walk
    }

    fn offers(&self, bundle: &Bundle) -> bool {
        !bundle.is_prohibited && !is_past(&self.operator.wish, &bundle.version)
    }

    /// Adds the place of the installed bundle, and returns its index.
    fn begin(&mut self, package: &'a Package) -> usize {
        let Some(installed) = &self.operator.installed else {
            self.places.push(TrackPlace::Absent);
            return self.places.len() - 1;
        };
        let nodes = self.graph.nodes().iter();
        let mut named = nodes.filter(|node| node.name == installed.name);
        let bundle = package.bundles.get(&installed.name);
        let place = TrackPlace::Installed {
            installed,
            node: named.next().filter(|node| node.version.is_some()),
            bundle: bundle.map(|bundle| &**bundle),
        };
        if let Some(at) = self.offered.get(&installed.name) {
            self.places[*at] = place;
            return *at;
        }
        self.places.push(place);
        self.places.len() - 1
    }

    fn track(&self) -> Track<'a> {
        let goals = self.goals();
        let (jumps, reached) = self.spread();
        let leading = leading(&jumps, &goals);
        if !leading[self.start] {
            return Track {
                goals: 0,
                closed: Some(self.closed()),
                ..Track::standing(self.places[self.start])
            };
        }
        let kept: Vec<_> = (0..self.places.len())
            .filter(|at| reached[*at] && leading[*at])
            .collect();
        self.cut(&kept, &jumps, &goals)
    }

    /// Returns the track with only the places in `kept`.
    fn cut(&self, kept: &[usize], jumps: &[Vec<(usize, Jump)>], goals: &[usize]) -> Track<'a> {
        let id = |at: usize| kept.binary_search(&at).ok().map(place_id);
        let renumbered = |(to, jump): &(usize, Jump)| {
            let jump = *jump;
            id(*to).map(|to| Jump { to, ..jump })
        };
        let jumps = kept
            .iter()
            .map(|at| jumps[*at].iter().filter_map(renumbered));
        let mut order: Vec<_> = goals.iter().filter_map(|at| id(*at)).collect();
        let goal_count = order.len();
        let mut others: Vec<_> = kept.iter().filter(|at| !goals.contains(at)).collect();
        let is_downwards = goals
            .iter()
            .all(|at| self.places[*at].age() < self.places[self.start].age());
        others.sort_by_key(|at| {
            let place = &self.places[**at];
            let age = place.age();
            let downwards = is_downwards.then(|| age.clone());
            (place.is_absent(), downwards, Reverse(age))
        });
        order.extend(others.into_iter().filter_map(|at| id(*at)));
        let mut ranks = vec![0; kept.len()];
        for (rank, at) in (0..).zip(order) {
            ranks[at as usize] = rank;
        }
        Track {
            package: None,
            places: kept.iter().map(|at| self.places[*at]).collect(),
            start: id(self.start).unwrap_or_default(),
            jumps: jumps.map(Iterator::collect).collect(),
            ranks,
            goals: place_id(goal_count),
            overrides: self.operator.overrides,
            closed: None,
        }
    }

    /// Returns the moves from all reachable places. Also returns for each place if it is reachable.
    fn spread(&self) -> (Vec<Vec<(usize, Jump)>>, Vec<bool>) {
        let mut jumps = vec![Vec::new(); self.places.len()];
        let mut reached = vec![false; self.places.len()];
        reached[self.start] = true;
        let mut border = vec![self.start];
        while let Some(from) = border.pop() {
            let found = self.jumps(from);
            for (to, _) in &found {
                if !std::mem::replace(&mut reached[*to], true) {
                    border.push(*to);
                }
            }
            jumps[from] = found;
        }
        (jumps, reached)
    }

    fn jumps(&self, from: usize) -> Vec<(usize, Jump)> {
        let place = &self.places[from];
        if place.is_absent() {
            let offered = self.offered.values();
            return offered.map(|to| (*to, jump(Edges::NONE, false))).collect();
        }
        let mut jumps = self.updates(place);
        for to in self.offered.values() {
            let is_known = jumps.iter().any(|(known, _)| known == to);
            if *to != from && !is_known && self.is_overridden(place, &self.places[*to]) {
                jumps.push((*to, jump(Edges::NONE, true)));
            }
        }
        jumps.sort_unstable_by_key(|(to, _)| *to);
        jumps
    }

    /// Returns the moves from a place along edges.
    fn updates(&self, place: &TrackPlace<'_>) -> Vec<(usize, Jump)> {
        let Some(name) = place.name() else {
            return Vec::new();
        };
        let installed = Installed {
            name: name.clone(),
            version: place.version().cloned(),
        };
        let updates = self
            .graph
            .updates_from(&installed, &self.operator.channels)
            .expect("the channels of a question must have been looked up before");
        let updates = updates.into_iter().filter_map(|(to, edges): (&Node, _)| {
            let to = self.offered.get(&to.name)?;
            (self.places[*to].name() != Some(name)).then(|| (*to, jump(edges, false)))
        });
        updates.collect()
    }

    fn is_overridden(&self, from: &TrackPlace<'_>, to: &TrackPlace<'_>) -> bool {
        let overrides = &self.operator.overrides;
        if is_older(to, from) {
            overrides.downgrades
        } else {
            overrides.direct_upgrades
        }
    }

    /// Returns the places that satisfy the requirement, best first. Among equally good places, the
    /// installed bundle comes first.
    fn goals(&self) -> Vec<usize> {
        let start = &self.places[self.start];
        let is_pre = start.version().is_some_and(Version::is_prerelease);
        let admits = |place: &TrackPlace<'_>| {
            is_pre
                || self.admits_prereleases()
                || !place.version().is_some_and(Version::is_prerelease)
        };
        let mut goals: Vec<_> = (0..self.places.len())
            .filter(|at| {
                let place = &self.places[*at];
                let is_start = *at == self.start;
                let may = self.operator.overrides.downgrades || !is_older(place, start);
                self.is_wished(place) && (is_start || (may && admits(place)))
            })
            .collect();
        goals.sort_by_key(|at| {
            let place = &self.places[*at];
            let is_start = *at == self.start;
            let is_late =
                !is_start && !is_pre && place.version().is_some_and(Version::is_prerelease);
            let age = Reverse(place.age());
            (place.is_deprecated(), is_late, age, !is_start, *at)
        });
        goals
    }

    fn is_wished(&self, place: &TrackPlace<'_>) -> bool {
        match &self.operator.wish {
            Goal::Stay => false,
            Goal::Any => !place.is_absent(),
            Goal::Range(range) => place
                .version()
                .is_some_and(|version| range.matches(version)),
        }
    }

    /// Returns true if the requirement allows prereleases. The text of a range contains a hyphen
    /// only if the range names a prerelease or build metadata.
    fn admits_prereleases(&self) -> bool {
        match &self.operator.wish {
            Goal::Stay => false,
            // If no bundle is installed, prereleases are allowed, because the package may have only
            // prereleases.
            Goal::Any => self.places[self.start].is_absent(),
            Goal::Range(range) => range.as_str().contains('-'),
        }
    }

    fn closed(&self) -> Closed {
        let wished = self.offered.values().map(|at| &self.places[*at]);
        let mut wished = wished.filter(|place| self.is_wished(place)).peekable();
        let start = &self.places[self.start];
        if wished.peek().is_none() {
            Closed::NoSuchVersion
        } else if !self.operator.overrides.downgrades && wished.all(|place| is_older(place, start))
        {
            Closed::OnlyOlder
        } else {
            Closed::NoPath
        }
    }
}

/// Returns the bundles that have an entry in the requested channels.
fn listed<'a>(operator: &Operator, package: &'a Package) -> BTreeSet<&'a BundleName> {
    let channels = package.channels.values();
    let asked = &operator.channels;
    let channels = channels.filter(|one| asked.is_empty() || asked.contains(&one.name));
    channels
        .flat_map(|channel| channel.entries.keys())
        .collect()
}

/// Returns for each place if a goal can be reached from it. Goals themselves are included.
fn leading(jumps: &[Vec<(usize, Jump)>], goals: &[usize]) -> Vec<bool> {
    let mut back = vec![Vec::new(); jumps.len()];
    for (from, jumps) in jumps.iter().enumerate() {
        for (to, _) in jumps {
            back[*to].push(from);
        }
    }
    let mut leading = vec![false; jumps.len()];
    let mut border = goals.to_vec();
    while let Some(at) = border.pop() {
        if !std::mem::replace(&mut leading[at], true) {
            border.extend(&back[at]);
        }
    }
    leading
}

/// Returns true if a version is newer than all versions that the requirement allows.
fn is_past(wish: &Goal, version: &Version) -> bool {
    match wish {
        Goal::Stay | Goal::Any => false,
        Goal::Range(range) => is_above(range, version),
    }
}

/// Returns true if a version is newer than all versions of a range.
pub(crate) fn is_above(range: &VersionRange, version: &Version) -> bool {
    match range.spans().next_back() {
        Some((_, None)) => false,
        Some((_, Some(end))) => version >= end,
        None => true,
    }
}

fn is_older(one: &TrackPlace<'_>, other: &TrackPlace<'_>) -> bool {
    one.version().is_some() && one.age() < other.age()
}

fn jump(edges: Edges, is_override: bool) -> Jump {
    Jump {
        to: 0,
        edges,
        is_override,
    }
}

fn place_id(at: usize) -> PlaceId {
    PlaceId::try_from(at).expect("a package must have fewer bundles than fit into memory")
}
