//! Selects the version that each requested operator should reach.

use std::collections::{BTreeMap, BTreeSet};

use portolan_core_names::kubernetes::is_older;
use portolan_core_names::{Version, VersionRange};

use crate::Target;
use crate::generate::Diagnostics;
use crate::knowledge::{GraphAnswer, GraphBundle, Knowledge, Stop};
use crate::members::{Goal, Members, OperatorMember, versions_listed};

/// Sets the goal of each requested operator, and the bundle name of each installed operator.
pub(crate) fn aim(
    members: &mut Members,
    knowledge: &Knowledge,
    kubernetes: Option<&Version>,
    told: &mut Diagnostics,
) -> Result<(), Stop> {
    let graphs = knowledge.graphs(&members.keys())?;
    let known: Vec<_> = members.keys().into_iter().zip(graphs).collect();
    let mut errors = Vec::new();
    for (key, graph) in known {
        let Some(member) = members.all.get_mut(&key.package) else {
            continue;
        };
        name_bundle(member, graph);
        let best = match kubernetes {
            Some(kubernetes) => goal_on(member, graph, kubernetes, told),
            None => goal(member, graph),
        };
        match best {
            Ok(Some(version)) => {
                let bundle = bundle_of(graph, &version);
                let reachable = reachable(member, graph);
                let is_reached = bundle.is_some_and(|bundle| reachable.contains(bundle.as_str()));
                member.is_cut_off = !is_reached;
                member.goal = Goal::Version(version);
            }
            Ok(None) => {}
            Err(why) => errors.push(why),
        }
    }
    if errors.is_empty() {
        Ok(())
    } else {
        Err(Stop::Errors(errors))
    }
}

/// Returns the name of the bundle with this version. Returns None if the graph does not contain it.
pub(crate) fn bundle_of(graph: &GraphAnswer, version: &Version) -> Option<String> {
    bundle_at(graph, version).map(|bundle| bundle.name.clone())
}

/// Returns the minimum Kubernetes version that this version of the operator needs. Empty if
/// unknown.
pub(crate) fn least_kubernetes<'g>(graph: &'g GraphAnswer, version: &Version) -> &'g str {
    bundle_at(graph, version).map_or("", |bundle| &bundle.least_kubernetes)
}

fn bundle_at<'g>(graph: &'g GraphAnswer, version: &Version) -> Option<&'g GraphBundle> {
    let mut bundles = graph.bundles.iter();
    bundles.find(|bundle| Version::parse(&bundle.version).as_ref() == Ok(version))
}

/// Returns the versions of all bundles in the graph.
pub(crate) fn versions(graph: &GraphAnswer) -> BTreeSet<Version> {
    let bundles = graph.bundles.iter();
    bundles
        .filter_map(|bundle| Version::parse(&bundle.version).ok())
        .collect()
}

fn name_bundle(member: &mut OperatorMember, graph: &GraphAnswer) {
    let Some(existing) = &mut member.existing else {
        return;
    };
    let is_known = graph.bundles.iter().any(|one| one.name == existing.bundle);
    if !is_known
        && let Some(current) = &existing.current
        && let Some(bundle) = bundle_of(graph, current)
    {
        existing.bundle = bundle;
    }
}

/// Returns the best version that supports this Kubernetes version. If no version supports it,
/// returns the best of all versions.
fn goal_on(
    member: &OperatorMember,
    graph: &GraphAnswer,
    kubernetes: &Version,
    told: &mut Diagnostics,
) -> Result<Option<Version>, String> {
    let best = goal(member, graph)?;
    let is_flexible = member.wish.as_ref().is_some_and(Target::is_flexible);
    if !is_flexible {
        return Ok(best);
    }
    let (Some(best), Ok(Some(found))) =
        (&best, goal(member, &running_on(member, graph, kubernetes)))
    else {
        return Ok(best);
    };
    if *best != found {
        let least = least_kubernetes(graph, best);
        let why = if is_older(kubernetes, least) {
            format!(
                "that version needs Kubernetes {least}, but the Kubernetes version is \
             {kubernetes}"
            )
        } else {
            format!("a version on the upgrade path needs a newer Kubernetes than {kubernetes}")
        };
        told.warnings.push(format!(
            "{} changes to {found}, not to {best}: {why}",
            member.name
        ));
    }
    Ok(Some(found))
}

/// Returns the reason why the operator cannot reach this version on this Kubernetes version. Either
/// the version itself needs a newer Kubernetes, or an intermediate version on every path does.
/// Returns None if it can be reached.
pub(crate) fn too_new(
    member: &OperatorMember,
    graph: &GraphAnswer,
    version: &Version,
    kubernetes: &Version,
) -> Option<String> {
    let least = least_kubernetes(graph, version);
    if is_older(kubernetes, least) {
        return Some(format!(
            "needs Kubernetes {least}, but the Kubernetes version is {kubernetes}"
        ));
    }
    let bundle = bundle_of(graph, version)?;
    let running = running_on(member, graph, kubernetes);
    let [always, here] = [graph, &running].map(|it| reachable(member, it).contains(&*bundle));
    (always && !here).then(|| {
        format!(
            "cannot be reached: a version on the upgrade path needs a newer Kubernetes than \
             {kubernetes}"
        )
    })
}

/// Returns the graph without the bundles that do not support this Kubernetes version. The installed
/// bundle is kept.
fn running_on(member: &OperatorMember, graph: &GraphAnswer, kubernetes: &Version) -> GraphAnswer {
    let current = member.current().and_then(|it| bundle_of(graph, it));
    let bundles = graph.bundles.iter().filter(|bundle| {
        !is_older(kubernetes, &bundle.least_kubernetes) || current.as_ref() == Some(&bundle.name)
    });
    let names: BTreeSet<_> = bundles.clone().map(|bundle| &bundle.name).collect();
    let updates = graph.updates.iter();
    let updates = updates.filter(|it| names.contains(&it.from) && names.contains(&it.to));
    GraphAnswer {
        bundles: bundles.cloned().collect(),
        updates: updates.cloned().collect(),
        deprecations: graph.deprecations.clone(),
    }
}

fn goal(member: &OperatorMember, graph: &GraphAnswer) -> Result<Option<Version>, String> {
    let Some(target) = &member.wish else {
        return Ok(None);
    };
    let (name, current) = (&member.name, member.current());
    if current.is_none() && member.existing.is_some() {
        refuse_stream(name, target)?;
    }
    let all = versions(graph);
    if let Target::Range(range) = target
        && let Some(exact) = range.single()
    {
        return exactly(member, exact, &all).map(Some);
    }
    let range = target.range_from(current);
    let found = newest(member, target, range.as_ref(), graph);
    if let Some(found) = found {
        return Ok(Some(found));
    }
    let is_in = |version: &&Version| range.as_ref().is_none_or(|range| range.matches(version));
    let elsewhere: Vec<_> = all.iter().filter(is_in).collect();
    match (elsewhere.is_empty(), current) {
        (true, _) => Err(format!(
            "{name}@{target}: no catalog has such a version of package {}; it has {}",
            member.package,
            versions_listed(&all)
        )),
        // The version exists, but it cannot be reached. The query for the route returns the reason.
        (false, Some(_)) => Ok(elsewhere.into_iter().max().cloned()),
        (false, None) => Err(format!(
            "{name}@{target}: package {} has only prereleases of this version, or none in the \
             channels of the Operator; request one of {}",
            member.package,
            versions_listed(elsewhere)
        )),
    }
}

/// Returns an error if the request names a version stream, such as `latest-patch`, but the current
/// version is unknown.
fn refuse_stream(name: &str, target: &Target) -> Result<(), String> {
    match target {
        Target::LatestPatch | Target::LatestMinor => Err(format!(
            "{name}@{target}: the installed version is unknown, because spec.version is a range; \
             pass the Operator with its status, as printed by kubectl get -o yaml"
        )),
        Target::Latest | Target::Range(_) => Ok(()),
    }
}

fn exactly(
    member: &OperatorMember,
    exact: Version,
    all: &BTreeSet<Version>,
) -> Result<Version, String> {
    let OperatorMember { name, package, .. } = member;
    if !all.contains(&exact) {
        return Err(format!(
            "{name}@{exact}: no catalog has this version of package {package}; it has {}",
            versions_listed(all)
        ));
    }
    match member.current() {
        Some(current) if exact < *current && !member.allows_downgrades() => Err(format!(
            "{name}@{exact}: the installed version {current} is higher; set \
             spec.unsafeAllowDowngrades: \
             true of the Operator to allow the downgrade"
        )),
        Some(_) | None => Ok(exact),
    }
}

/// Returns the newest version that can be reached and is in the range. Versions without a
/// deprecation come first.
fn newest(
    member: &OperatorMember,
    target: &Target,
    range: Option<&VersionRange>,
    graph: &GraphAnswer,
) -> Option<Version> {
    let reachable = reachable(member, graph);
    let bundles = graph.bundles.iter().filter_map(|bundle| {
        let version = Version::parse(&bundle.version).ok()?;
        let is_reached = reachable.contains(bundle.name.as_str());
        let is_in = range.is_none_or(|range| range.matches(&version));
        (is_reached && is_in).then_some((!bundle.is_deprecated, version))
    });
    let bundles: Vec<_> = bundles.collect();
    let takes_prereleases = takes_prereleases(member, target)
        || (*target == Target::Latest && bundles.iter().all(|(_, one)| one.is_prerelease()));
    let bundles = bundles.into_iter();
    let best = bundles.filter(|(_, version)| takes_prereleases || !version.is_prerelease());
    best.max().map(|(_, version)| version)
}

fn takes_prereleases(member: &OperatorMember, target: &Target) -> bool {
    let has_one = member.current().is_some_and(Version::is_prerelease);
    let names_one = match target {
        Target::Range(range) => range.as_str().contains('-'),
        Target::Latest | Target::LatestPatch | Target::LatestMinor => false,
    };
    has_one || names_one
}

/// Returns the bundles that the operator can reach. If nothing is installed, these are all bundles
/// of its channels.
///
/// If the graph does not contain the installed bundle, or if the Operator allows direct upgrades,
/// bundles of its channels without a path are included too.
fn reachable<'g>(member: &OperatorMember, graph: &'g GraphAnswer) -> BTreeSet<&'g str> {
    let channels = member.channels();
    let is_offered =
        |of: &BTreeSet<String>| channels.is_empty() && !of.is_empty() || !channels.is_disjoint(of);
    let offered = graph.bundles.iter().filter(|one| is_offered(&one.channels));
    let offered = offered.map(|bundle| (bundle.name.as_str(), bundle.version.as_str()));
    let Some(current) = member.current() else {
        return offered.map(|(name, _)| name).collect();
    };
    let start = bundle_of(graph, current);
    let may_leap = start.is_none() || member.allows_leaps();
    let leaps = offered.filter(|(_, version)| {
        Version::parse(version).is_ok_and(|version| match version.cmp(current) {
            std::cmp::Ordering::Less => member.allows_downgrades(),
            std::cmp::Ordering::Equal | std::cmp::Ordering::Greater => may_leap,
        })
    });
    let mut reached: BTreeSet<_> = leaps.map(|(name, _)| name).collect();
    let mut edges: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let updates = graph.updates.iter();
    for update in updates.filter(|one| channels.is_empty() || channels.contains(&one.channel)) {
        edges.entry(&update.from).or_default().push(&update.to);
    }
    let known = graph.bundles.iter().map(|bundle| bundle.name.as_str());
    let mut open: Vec<_> = known
        .filter(|name| Some(*name) == start.as_deref())
        .collect();
    while let Some(at) = open.pop() {
        if reached.insert(at) {
            open.extend(edges.get(at).into_iter().flatten());
        }
    }
    reached
}

/// Returns the intermediate versions on the shortest path from the installed version to `to`.
pub(crate) fn between(member: &OperatorMember, graph: &GraphAnswer, to: &Version) -> Vec<Version> {
    let ends = member.current().and_then(|from| bundle_of(graph, from));
    let Some((from, to)) = ends.zip(bundle_of(graph, to)) else {
        return Vec::new();
    };
    let channels = member.channels();
    let is_open = |channel: &String| channels.is_empty() || channels.contains(channel);
    let mut before: BTreeMap<&str, &str> = BTreeMap::new();
    let mut open = vec![from.as_str()];
    while !open.is_empty() && !before.contains_key(to.as_str()) {
        let mut next = Vec::new();
        for at in open {
            let updates = graph.updates.iter();
            for update in updates.filter(|one| one.from == at && is_open(&one.channel)) {
                if update.to != from && !before.contains_key(update.to.as_str()) {
                    before.insert(&update.to, at);
                    next.push(update.to.as_str());
                }
            }
        }
        open = next;
    }
    let steps = std::iter::successors(before.get(to.as_str()), |at| before.get(**at));
    let names: BTreeSet<_> = steps.copied().filter(|name| *name != from).collect();
    let bundles = graph.bundles.iter();
    let between = bundles.filter(|bundle| names.contains(bundle.name.as_str()));
    between
        .filter_map(|bundle| Version::parse(&bundle.version).ok())
        .collect()
}
