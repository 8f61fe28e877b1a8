//! Explains blocked upgrades that OLM does not report.

mod asked;
mod leap;
mod ways;

use portolan_core_catalog::Bundle;
use portolan_core_forecast::Cause as Stays;
use portolan_core_graph::{Graph, Node, Unreachable, Upgrades};
use portolan_core_health::Item;
use portolan_core_names::kubernetes::is_older;
use portolan_core_names::text::cite;
use portolan_core_names::{BundleName, ChannelName, Version};
use portolan_core_olm::Subscription;

pub(crate) use self::asked::bundle_to_query;
use crate::case::Case;
use crate::cure::Cure;
use crate::trouble::{self, Clause};
use crate::{
    Cause, Cluster, Code, Evidence, Object, Openshift, Procedure, State, evidence, subscription,
    words,
};

/// Returns the causes that block the next version of an operator.
pub(crate) fn causes(case: Case<'_>) -> Vec<Cause> {
    let Some(subscription) = case.subscription else {
        return Vec::new();
    };
    let Some(graph) = case.situation().graph(subscription) else {
        return Vec::new();
    };
    let mut causes = Vec::new();
    let upgrades = case
        .findings
        .outlook
        .upgrades
        .get(&subscription.observed.object.name);
    if let Some(upgrades) = upgrades.filter(|_| case.is_settled()) {
        causes.extend(if upgrades.successors.is_empty() {
            dead_end(case, subscription, graph, upgrades)
        } else {
            refused(case, subscription).or_else(|| none_allowed(case, graph, upgrades))
        });
    }
    causes.extend(leap::cause(case, subscription, graph));
    causes.extend(next(case, subscription, graph));
    causes
}

/// Returns the channel that the Subscription follows, or the default channel.
fn channel_of(subscription: &Item<Subscription>, graph: &Graph) -> Option<ChannelName> {
    match subscription.spec.channel.as_str() {
        "" => graph.package().default_channel.clone(),
        channel => ChannelName::parse(channel).ok(),
    }
}

/// Returns the cause if no bundle can replace the installed bundle, although the channel has newer
/// bundles.
fn dead_end(
    case: Case<'_>,
    subscription: &Item<Subscription>,
    graph: &Graph,
    upgrades: &Upgrades,
) -> Option<Cause> {
    let channel = channel_of(subscription, graph)?;
    let in_channel = |newer: &&Unreachable| newer.channels.contains(&channel);
    let newest = upgrades.unreachable.iter().find(in_channel)?;
    let installed = &case.operator.csv;
    let range = near_range(case, graph, &channel, upgrades);
    let (code, why) = match &range {
        Some((entry, range)) => (
            Code::OutOfSkipRange,
            format!(
                "{entry} can replace versions in {range}, and {installed} is version {}",
                case.operator.version
            ),
        ),
        None => (
            Code::DeadEnd,
            format!(
                "No bundle of channel {channel} replaces or skips {installed}, and no skip range contains its version"
            ),
        ),
    };
    let object = Object::from(&subscription.observed.object);
    let message = format!(
        "Channel {channel} of package {} has {}, but no bundle of the channel upgrades {installed}. {why}. OLM does \
         not report this problem.",
        subscription.spec.package, newest.bundle.name
    );
    let fixes = ways::fixes(case, subscription, graph, &channel);
    let hint = match fixes.first() {
        Some(_) => " Another channel has an upgrade for this version.",
        None => " No other channel has an upgrade for this version.",
    };
    let wider = range.as_ref().map(|(entry, _)| {
        format!(
            "Extend the skipRange of {entry} so that the range contains {}, or let",
            case.operator.version
        )
    });
    let publisher = Cure::external(
        &format!("the publisher of package {}", subscription.spec.package),
        &format!(
            "{} a bundle of channel {channel} replace or skip {installed}.",
            wider.as_deref().unwrap_or("Let")
        ),
    );
    let catalog = Object::new(
        "CatalogSource",
        &subscription.spec.source_namespace,
        &subscription.spec.source,
    );
    let at_fault = changed(subscription, &catalog, &fixes);
    let cause = Cause::new(code, State::Stuck, at_fault, &(message + hint));
    let cause = cause.cured(Cure::choice_or(fixes, publisher));
    let newest = newest.bundle.name.as_str();
    let field = format!("channel {channel}, newest bundle");
    let range = range.map(|(entry, range)| {
        Evidence::at(catalog.clone(), &format!("skipRange of {entry}"), &range)
    });
    let start = case.start();
    let start = start.map(|start| Evidence::at(object.clone(), "spec.startingCSV", &start));
    let installed = Evidence::at(object, "status.installedCSV", installed);
    Some(
        cause
            .shown([installed, Evidence::at(catalog.clone(), &field, newest)])
            .shown(range)
            .shown(start)
            .shown(evidence::subscription(subscription)),
    )
}

/// Returns the object that must change. If a switch to another channel helps, this is the
/// Subscription. Otherwise, it is the catalog.
fn changed(subscription: &Item<Subscription>, catalog: &Object, fixes: &[Procedure]) -> Object {
    if fixes.is_empty() {
        catalog.clone()
    } else {
        Object::from(&subscription.observed.object)
    }
}

/// Returns the newest channel entry whose skip range does not contain the installed version. The
/// entry is newer than the installed version. Returns the name of the entry and the range.
fn near_range(
    case: Case<'_>,
    graph: &Graph,
    channel: &ChannelName,
    upgrades: &Upgrades,
) -> Option<(String, String)> {
    let installed = Version::parse(&case.operator.version).ok()?;
    let entries = &graph.package().channels.get(channel)?.entries;
    upgrades.unreachable.iter().find_map(|newer| {
        let entry = entries.get(&newer.bundle.name)?;
        let range = entry.skip_range.as_ref()?;
        (!range.matches(&installed)).then(|| (entry.name.to_string(), range.to_string()))
    })
}

/// Returns the cause if OLM cannot install the next bundle and does not report the reason.
fn refused(case: Case<'_>, subscription: &Item<Subscription>) -> Option<Cause> {
    let stays = case.findings.outlook.stays.iter();
    let mut own = stays.filter(|stay| stay.subscription == subscription.observed.object.name);
    let Stays::Refused {
        successors,
        reasons,
    } = &own.next()?.cause
    else {
        return None;
    };
    let said = trouble::of_reasons(reasons);
    let next = successors.first()?;
    said.iter().find_map(|said| match said {
        Clause::Forbidden { bundle } => forbidden(case, bundle),
        Clause::Needs { bundle, what } => Some(subscription::needs::cause(case, bundle, what)),
        Clause::OnePackage { .. } | Clause::OneProvider { .. } => {
            Some(subscription::kept_out(case, next.as_str(), said))
        }
        Clause::Nothing { .. }
        | Clause::Wants { .. }
        | Clause::Exists { .. }
        | Clause::Unreferenced { .. }
        | Clause::Catalog { .. }
        | Clause::Unusable { .. } => None,
    })
}

/// Returns the cause if OLM must not install any of the upgrades, because of the property
/// `olm.deprecated`.
fn none_allowed(case: Case<'_>, graph: &Graph, upgrades: &Upgrades) -> Option<Cause> {
    let mut successors = upgrades.successors.iter();
    let first = successors.next().map(|one| &one.bundle);
    let is_allowed = |node: &Node| is_offered(graph, node);
    let first = first.filter(|node| !is_allowed(node))?;
    let is_none = successors.all(|one| !is_allowed(&one.bundle));
    is_none.then(|| forbidden(case, first.name.as_str()))?
}

/// Returns the cause if the next bundle has the property `olm.deprecated`, so OLM does not install
/// it.
pub(crate) fn forbidden(case: Case<'_>, bundle: &str) -> Option<Cause> {
    let subscription = case.subscription?;
    let catalog = Object::new(
        "CatalogSource",
        &subscription.spec.source_namespace,
        &subscription.spec.source,
    );
    let installed = &case.operator.csv;
    let after = match installed.as_str() {
        "" => String::new(),
        installed => format!(", the next version after {installed},"),
    };
    let silence = match installed.as_str() {
        "" => "",
        _ => " OLM does not report this.",
    };
    let graph = case.situation().graph(subscription);
    let advice = graph.and_then(|graph| graph.package().deprecations.bundles.get(bundle));
    let said = advice.map(|said| {
        format!(
            " The deprecation message of the catalog is: \
                                          {}",
            words::sentence(&cite(said))
        )
    });
    let channel = graph.and_then(|graph| channel_of(subscription, graph));
    let head = graph.zip(channel.as_ref()).and_then(|(graph, channel)| {
        let mut heads = graph.heads().into_iter();
        let head = heads.find(|head| head.channel == *channel)?;
        (head.bundle.as_str() != bundle).then_some(head.bundle)
    });
    let behind = head.as_ref().zip(channel.as_ref()).map(|(head, channel)| {
        format!(
            " Therefore, OLM also does not install {head}, the newest bundle of channel {channel}."
        )
    });
    let message = format!(
        "{bundle}{after} has the property olm.deprecated in {catalog}. OLM installs no version with this \
         property.{silence}{}{}",
        said.unwrap_or_default(),
        behind.filter(|_| !installed.is_empty()).unwrap_or_default()
    );
    let fixes = graph.zip(channel.as_ref());
    let fixes = fixes.map(|(graph, channel)| ways::fixes(case, subscription, graph, channel));
    let publisher = Cure::external(
        &format!("the publisher of package {}", subscription.spec.package),
        &passable(case, head.as_ref().zip(graph)),
    );
    let fixes = fixes.unwrap_or_default();
    let at_fault = changed(subscription, &catalog, &fixes);
    let cause = Cause::new(
        Code::NextVersionNotAllowed,
        State::Stuck,
        at_fault,
        &message,
    );
    let cause = cause.cured(Cure::choice_or(fixes, publisher));
    let field = format!("{bundle}, properties");
    let property = Evidence::at(catalog.clone(), &field, "olm.deprecated");
    let field = format!("{bundle}, deprecation");
    let said = advice.map(|said| Evidence::at(catalog, &field, said));
    Some(
        cause
            .shown([property])
            .shown(said)
            .shown(evidence::subscription(subscription)),
    )
}

/// Returns the action for the publisher, after which OLM can skip the deprecated bundle. The newest
/// bundle of the channel must directly upgrade the installed version. If this bundle is deprecated
/// too, the publisher must publish another bundle.
fn passable(case: Case<'_>, head: Option<(&BundleName, &Graph)>) -> String {
    let installed = &case.operator.csv;
    let (Some((head, graph)), false) = (head, installed.is_empty()) else {
        return "Publish another bundle that replaces the installed version.".to_owned();
    };
    let bundle = graph.package().bundles.get(head);
    if bundle.is_none_or(|bundle| bundle.is_prohibited) {
        return "Publish another bundle that replaces the installed version.".to_owned();
    }
    format!(
        "Let {head} replace or skip {installed}, or add {} to the skipRange of {head}.",
        case.operator.version
    )
}

/// Returns the newest bundle of the channel, if OLM may install it and it is newer than the
/// installed version.
pub(crate) fn beyond(case: Case<'_>) -> Option<BundleName> {
    let (_, head) = case.situation().head(case.subscription?)?;
    let graph = case.situation().graph(case.subscription?)?;
    let bundle = graph.package().bundles.get(&head)?;
    let installed = Version::parse(&case.operator.version).ok()?;
    (!bundle.is_prohibited && bundle.version > installed).then_some(head)
}

/// Returns the cause if the next version does not support the version of the cluster.
fn next(case: Case<'_>, subscription: &Item<Subscription>, graph: &Graph) -> Option<Cause> {
    let name = next_name(case, subscription, graph)?;
    let bundle = graph.package().bundles.get(name.as_str())?;
    let cluster = &case.situation().cluster;
    let kubernetes = cluster.kubernetes.as_ref();
    let wanted = asked::least(case, subscription, bundle).unwrap_or_default();
    let wanted = wanted.map(|wanted| wanted.trim_start_matches('v'));
    let too_old = wanted
        .zip(kubernetes)
        .filter(|(wanted, has)| is_older(has, wanted));
    let most = bundle.max_openshift_version.as_deref();
    let too_new = most
        .zip(cluster.openshift.version())
        .filter(|(most, has)| is_beyond(most, has));
    let (field, value, why, (who, action)) = match (too_old, too_new) {
        (Some((wanted, has)), _) => (
            "minKubeVersion",
            wanted.to_owned(),
            format!(
                "This version needs at least Kubernetes {wanted}, but the cluster has {has}. OLM \
                 still installs this version when nothing else blocks it, but the version does not \
                 become ready"
            ),
            (
                "a cluster administrator".to_owned(),
                format!("Upgrade the cluster to Kubernetes {wanted}."),
            ),
        ),
        (None, Some((most, has))) => (
            "olm.maxOpenShiftVersion",
            most.to_owned(),
            format!(
                "This version supports at most OpenShift {most}, but the cluster has {has}. OLM \
                 still installs this version when nothing else blocks it"
            ),
            (
                format!("the publisher of package {}", subscription.spec.package),
                format!("Publish a version for OpenShift {has}."),
            ),
        ),
        (None, None) => return None,
    };
    let message = format!(
        "The next version for {}, {name}, does not support this cluster. {why}.",
        subscription.observed.object
    );
    let object = Object::new("Bundle", "", &*name);
    let at_fault = object.clone();
    let cause = Cause::new(Code::NotForThisCluster, State::Stuck, at_fault, &message);
    let installed = &case.operator.csv;
    let action = match installed.as_str() {
        "" => action,
        installed => format!(
            "{action} Until then, {installed} is the newest version that supports \
                              the cluster."
        ),
    };
    Some(
        cause
            .cured(Cure::external(&who, &action))
            .shown([Evidence::at(object, field, &value)]),
    )
}

/// Returns sentences about the reasons why it is unknown whether the next version supports the
/// cluster.
pub(crate) fn unknowns(case: Case<'_>) -> Vec<String> {
    let Some((subscription, bundle)) = coming(case) else {
        return Vec::new();
    };
    let Cluster {
        kubernetes,
        openshift,
    } = &case.situation().cluster;
    let least = match asked::least(case, subscription, bundle) {
        Ok(least) => least.filter(|_| kubernetes.is_none()).map(|least| {
            format!(
                "this version needs Kubernetes {least}, but the Kubernetes version of the \
                     cluster is unknown"
            )
        }),
        Err(why) => Some(why),
    };
    let most = bundle.max_openshift_version.as_deref();
    let most = most
        .filter(|_| *openshift == Openshift::Unknown)
        .map(|most| {
            format!(
                "this version supports at most OpenShift {most}, but it is unknown if the cluster \
                 is OpenShift"
            )
        });
    let whys = least.into_iter().chain(most);
    let sentence = |why| {
        let name = &bundle.name;
        format!("It is unknown if {name}, the next version, supports the cluster: {why}.")
    };
    whys.map(sentence).collect()
}

/// Returns the next bundle, with its Subscription.
fn coming(case: Case<'_>) -> Option<(&Item<Subscription>, &Bundle)> {
    let subscription = case.subscription?;
    let graph = case.situation().graph(subscription)?;
    let name = next_name(case, subscription, graph)?;
    Some((subscription, graph.package().bundles.get(name.as_str())?))
}

/// Returns the name of the next bundle: the bundle that OLM is installing, or the bundle that OLM
/// selects next.
fn next_name(case: Case<'_>, subscription: &Item<Subscription>, graph: &Graph) -> Option<String> {
    let is_waiting = !subscription.status.current_csv.is_empty()
        && case
            .situation()
            .csv(&subscription.status.current_csv)
            .is_none();
    if is_waiting && subscription.status.installed_csv != subscription.status.current_csv {
        return Some(subscription.status.current_csv.clone());
    }
    let outlook = case.findings.outlook;
    let next = outlook
        .next
        .get(&subscription.observed.object.name)
        .cloned();
    let successor = || {
        let upgrades = outlook.upgrades.get(&subscription.observed.object.name)?;
        let newest = upgrades.successors.first().map(|one| &one.bundle);
        newest
            .filter(|node| is_offered(graph, node))
            .map(|node| node.name.to_string())
    };
    next.or_else(successor)
}

fn is_offered(graph: &Graph, node: &Node) -> bool {
    let bundle = graph.package().bundles.get(&node.name);
    bundle.is_some_and(|bundle| !bundle.is_prohibited)
}

/// Returns true if an OpenShift version is newer than a maximum such as `4.14`.
fn is_beyond(most: &str, has: &Version) -> bool {
    let Some((major, minor)) = most.split_once('.') else {
        return false;
    };
    match (major.parse::<u64>(), minor.parse::<u64>()) {
        (Ok(major), Ok(minor)) => (has.major(), has.minor()) > (major, minor),
        (_, _) => false,
    }
}
