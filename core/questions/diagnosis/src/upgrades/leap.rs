//! Explains versions that a policy allows but that OLM skips.

use portolan_core_approval::{Allows, Says, Standing};
use portolan_core_graph::{Destination, Graph, Installed, Node, PathAnswer, Query, Reason, Walk};
use portolan_core_health::Item;
use portolan_core_names::text::listed;
use portolan_core_names::{BundleName, Version, trouble};
use portolan_core_olm::Subscription;

use super::{channel_of, next_name};
use crate::case::Case;
use crate::command::{POLICIES, Target};
use crate::cure::Cure;
use crate::{Cause, Code, Evidence, Object, Procedure, State, evidence};

/// Returns the cause if no policy allows the next version, and OLM skips a newer version that a
/// policy allows.
pub(super) fn cause(
    case: Case<'_>,
    subscription: &Item<Subscription>,
    graph: &Graph,
) -> Option<Cause> {
    let next = next_name(case, subscription, graph)?;
    let next_node = graph
        .nodes()
        .iter()
        .find(|node| node.name.as_str() == next)?;
    let installed = installed(case, subscription)?;
    let mut policies: Vec<(&Standing, &Allows)> = allowing(case, subscription);
    policies.sort_by(|a, b| a.0.id.cmp(&b.0.id));
    let may = |allows: &Allows, node: &Node| is_allowed(allows, subscription, node);
    if policies.is_empty() || policies.iter().any(|(_, allows)| may(allows, next_node)) {
        return None;
    }
    let (policy, allows) = *policies.first()?;
    let meant = graph.nodes().iter().filter(|node| {
        let is_newer = node.version.as_ref() > installed.version.as_ref();
        is_newer && may(allows, node)
    });
    let leap = meant
        .filter_map(|node| leap(graph, subscription, &installed, node))
        .next()?;
    Some(leap_cause(subscription, policy, allows, &leap))
}

fn installed(case: Case<'_>, subscription: &Item<Subscription>) -> Option<Installed> {
    let csv = case.situation().csv(&subscription.status.installed_csv)?;
    Some(Installed {
        name: BundleName::parse(&subscription.status.installed_csv).ok()?,
        version: Some(Version::parse(&csv.spec.version).ok()?),
    })
}

/// Returns the policies that allow versions of this package in this namespace.
fn allowing<'a>(
    case: Case<'a>,
    subscription: &Item<Subscription>,
) -> Vec<(&'a Standing, &'a Allows)> {
    let policies = case.situation().approval.policies.iter();
    let own = policies.filter(|policy| {
        let is_here = policy.namespace.as_deref() == Some(case.situation().name());
        is_here && policy.package.as_str() == subscription.spec.package
    });
    let allowing = own.filter_map(|policy| match &policy.says {
        Says::Allows(allows) => Some((policy, allows)),
        Says::Withholds(_) => None,
    });
    allowing.collect()
}

fn is_allowed(allows: &Allows, subscription: &Item<Subscription>, node: &Node) -> bool {
    let Ok(package) = portolan_core_names::PackageName::parse(&subscription.spec.package) else {
        return false;
    };
    let mut consents = allows.consents.iter();
    consents.any(|consent| consent.covers(&node.name, &package, node.version.as_ref()))
}

/// A bundle that OLM skips. `from` and `to` are the bundles of the upgrade that skips it.
struct Leap {
    over: BundleName,
    from: BundleName,
    to: BundleName,
}

fn leap(
    graph: &Graph,
    subscription: &Item<Subscription>,
    installed: &Installed,
    node: &Node,
) -> Option<Leap> {
    let query = Query {
        channel: channel_of(subscription, graph),
        walk: Walk::OlmV0,
        ..Query::new(
            installed.clone(),
            Destination::Version(node.version.clone()?),
        )
    };
    let Ok(PathAnswer::Blocked(blockage)) = graph.find_path(&query) else {
        return None;
    };
    blockage.reasons.iter().find_map(|reason| {
        if let Reason::LeaptOver {
            destination,
            from,
            to,
        } = reason
        {
            Some(Leap {
                over: destination.clone(),
                from: from.clone(),
                to: to.clone(),
            })
        } else {
            None
        }
    })
}

fn leap_cause(
    subscription: &Item<Subscription>,
    policy: &Standing,
    allows: &Allows,
    leap: &Leap,
) -> Cause {
    let Leap { over, from, to } = leap;
    let id = &policy.id;
    let object = Object::new("OperatorPolicy", &id.namespace, &id.name);
    let message = format!(
        "{}. {object} allows only {}, so OLM installs no further version.",
        trouble::leapt_over(over.as_str(), from.as_str(), to.as_str()),
        listed(&allows.consents)
    );
    let fix = Procedure::command(
        &format!("Also allow {to} in {object}."),
        Target::new(POLICIES, &id.namespace, &id.name).append(allows.field, to.as_str()),
        &format!("OLM upgrades the operator to {to} in all namespaces that the policy applies to."),
    );
    let cause = Cause::new(
        Code::AllowedVersionSkipped,
        State::Stuck,
        object.clone(),
        &message,
    );
    let allowed = Evidence::at(object, allows.field, &listed(&allows.consents));
    cause
        .cured(Cure::Choice(vec![fix]))
        .shown([allowed])
        .shown(evidence::subscription(subscription))
}
