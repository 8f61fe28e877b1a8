//! Explains Pods that only some nodes may run.

use std::collections::BTreeMap;

use portolan_core_health::Item;
use portolan_core_names::text::counted;
use portolan_core_olm::Subscription;
use portolan_core_olm::messages::{Unfit, UnfitNodes, unfit_nodes};
use serde_json::json;

use super::blame::{Blame, Failing};
use super::cordoned::Cordoned;
use super::room;
use crate::command::{Target, nodes as nodes_with};
use crate::cure::Cure;
use crate::{Confidence, Evidence, Object, Procedure, Step};

/// The fields of `spec.config` of a Subscription that restrict the nodes of a Pod, each with a name
/// for sentences.
const PINS: [(&str, &str); 2] = [("nodeSelector", "node selector"), ("affinity", "affinity")];

/// Returns the object at fault if nodes are cordoned, or do not match the node selector or affinity
/// of the Pod. The object is the cordoned node, the Subscription that sets the selector, or the Deployment.
/// Returns None if nodes lack resources.
pub(super) fn blame(failing: Failing<'_>) -> Option<Blame> {
    let message = &failing.fact.message;
    let unfit = unfit_nodes(message)?;
    let is_full = room::look(message).is_some();
    let cordoned = Cordoned::of(failing);
    let unmatched = unfit.count(Unfit::Unmatched);
    if is_full || unfit.count(Unfit::Cordoned) + unmatched == 0 {
        return None;
    }
    let selector = selector(&failing.pod?.spec.node_selector);
    let pin = failing.subscription().and_then(pin);
    let subscription = failing.target().filter(|_| pin.is_some());
    let named = subscription.map(|it| Object::new("Subscription", it.namespace, it.name));
    let mut nodes = cordoned.objects().into_iter();
    let at_fault = match (nodes.next(), named) {
        (Some(node), _) => node,
        (None, Some(subscription)) => subscription,
        (None, None) => Object::from(&failing.deployment.observed.object),
    };
    let all = i64::try_from(unfit.all).unwrap_or(i64::MAX);
    let pod = &failing.fact.observed.object;
    let message = [
        format!("{pod} fits on none of {}.", counted(all, "node")),
        cordoned.sentence(),
        candidate(&cordoned, &unfit),
        rule(&selector, pin.zip(subscription)),
        obstacles(&unfit),
    ];
    let message: Vec<_> = message.into_iter().filter(|it| !it.is_empty()).collect();
    let released = pin.zip(subscription);
    let released = released.map(|(pin, target)| release(failing, pin, target));
    let decide = cordoned.uncordon().into_iter().chain(released).collect();
    let action = if cordoned.may_help() {
        cordoned.action()
    } else {
        "Provide a node with the labels that the Pod requires, or change which labels it requires."
            .to_owned()
    };
    let look = cordoned.look();
    let look = look.unwrap_or_else(|| Step::new(&shown(&selector), nodes_with(&selector)));
    let pins = failing.subscription().into_iter().flat_map(pinned);
    Some(Blame {
        also_at_fault: nodes.collect(),
        look: Some(look),
        shown: cordoned.evidence().chain(pins).collect(),
        confidence: doubt(&cordoned, unmatched),
        ..Blame::new(
            at_fault,
            &message.join(" "),
            Cure::advised("the administrator of the nodes", &action, decide),
        )
    })
}

/// Returns "likely" if some nodes do not match the Pod, because the cordoned nodes may also not
/// match it.
fn doubt(cordoned: &Cordoned<'_>, unmatched: usize) -> Option<Confidence> {
    let doubt = match cordoned {
        Cordoned::No | Cordoned::Unsuitable => return None,
        Cordoned::Unnamed => {
            "The scheduler reports that nodes are cordoned, but not which nodes. The labels of the nodes have not \
             been read."
        }
        Cordoned::Named(_) => {
            "The scheduler reports that nodes are cordoned, but not which nodes. Other conditions of the Pod, such as \
             its affinity, have not been compared with the nodes."
        }
    };
    (unmatched > 0).then(|| Confidence::likely(doubt))
}

/// Returns the field of `spec.config` that restricts the nodes, with its name for sentences.
fn pin(subscription: &Item<Subscription>) -> Option<(&'static str, &'static str)> {
    let config = subscription.spec.config.as_ref()?;
    let is_set = |field: &str| {
        let value = config.get(field);
        value.is_some_and(|value| value.as_object().is_some_and(|it| !it.is_empty()))
    };
    PINS.into_iter().find(|(field, _)| is_set(field))
}

/// Returns the settings of a Subscription that restrict the nodes, as evidence.
fn pinned(subscription: &Item<Subscription>) -> Vec<Evidence> {
    let config = subscription.spec.config.iter();
    let fields = PINS.iter().flat_map(|(field, _)| {
        let values = config.clone().filter_map(move |config| config.get(*field));
        values.map(move |value| {
            let object = &subscription.observed.object;
            Evidence::new(object, &format!("spec.config.{field}"), &value.to_string())
        })
    });
    fields.collect()
}

/// Formats the labels as a label selector of kubectl. For a label without a value, the selector
/// contains only its name.
fn selector(labels: &BTreeMap<String, String>) -> String {
    let labels = labels.iter().map(|(name, value)| match value.as_str() {
        "" => name.clone(),
        value => format!("{name}={value}"),
    });
    labels.collect::<Vec<_>>().join(",")
}

/// Returns a sentence with the reasons why no node can run the Pod.
fn obstacles(unfit: &UnfitNodes<'_>) -> String {
    let reasons = unfit.reasons.iter().map(|(count, reason)| {
        let nodes = counted(i64::try_from(*count).unwrap_or(i64::MAX), "node");
        let [is, has, does] = match count {
            1 => ["is", "has", "does"],
            _ => ["are", "have", "do"],
        };
        match reason {
            Unfit::Cordoned => format!("{nodes} {is} cordoned"),
            Unfit::Tainted(key) => {
                format!("{nodes} {has} taint {key}, which the Pod does not tolerate")
            }
            Unfit::Unmatched => {
                format!("{nodes} {does} not match the node selector or affinity of the Pod")
            }
            Unfit::Other(words) => format!("{nodes}: {words}"),
        }
    });
    let reasons: Vec<_> = reasons.collect();
    format!("The reasons: {}.", reasons.join("; "))
}

/// Returns a sentence about the labels that a node must have, and the setting that requires them.
fn rule(selector: &str, pin: Option<((&'static str, &'static str), Target<'_>)>) -> String {
    let source =
        pin.map(|((field, _), target)| format!("spec.config.{field} of {}", target.called()));
    match (selector, source) {
        ("", None) => String::new(),
        ("", Some(source)) => format!("The setting {source} restricts the nodes of the Pod."),
        (selector, None) => format!("The Pod may run only on nodes with label {selector}."),
        (selector, Some(source)) => {
            format!("The Pod may run only on nodes with label {selector} ({source}).")
        }
    }
}

/// Returns a sentence about the cordoned nodes that could run the Pod.
fn candidate(cordoned: &Cordoned<'_>, unfit: &UnfitNodes<'_>) -> String {
    let (count, unmatched) = (unfit.count(Unfit::Cordoned), unfit.count(Unfit::Unmatched));
    let [subject, node] = match cordoned {
        Cordoned::No => return String::new(),
        Cordoned::Unsuitable => {
            return "No cordoned node has the labels that the Pod requires.".to_owned();
        }
        Cordoned::Unnamed if count == 1 => ["The cordoned node", "one"],
        Cordoned::Unnamed => ["The cordoned nodes", "ones"],
        Cordoned::Named(nodes) if nodes.len() == 1 => ["It", "node"],
        Cordoned::Named(_) => ["They", "nodes"],
    };
    let is = if node.ends_with('s') { "are" } else { "is" };
    match unmatched {
        0 => format!("{subject} could run the Pod."),
        _ => format!("{subject} {is} probably the only {node} that could run the Pod."),
    }
}

fn shown(selector: &str) -> String {
    let which = match selector {
        "" => "the nodes".to_owned(),
        selector => format!("the nodes with label {selector}"),
    };
    format!("Show {which}: SchedulingDisabled means cordoned")
}

/// Returns the steps that remove a restriction of the nodes from the settings of the Subscription.
fn release(
    failing: Failing<'_>,
    (field, words): (&'static str, &'static str),
    target: Target<'_>,
) -> Procedure {
    let title = format!(
        "Remove the {words} from {}, so that other nodes may run the operator.",
        target.called()
    );
    let path = format!("/spec/config/{field}");
    let patch = json!([{"op": "remove", "path": path}]);
    let comment = format!("Remove spec.config.{field} of {}", target.called());
    let step = Step::new(&comment, target.patch(&patch));
    let steps = std::iter::once(step).chain(failing.restart()).collect();
    let risk = "OLM changes the Deployment within a few minutes, and the operator may then run on any node \
                whose taints it tolerates.";
    Procedure::of(&title, steps, risk)
}
