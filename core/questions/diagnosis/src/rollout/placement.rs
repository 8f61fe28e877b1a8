//! Explains Pods that only some nodes may run.

use std::collections::BTreeMap;

use portolan_core_health::Item;
use portolan_core_names::text::counted;
use portolan_core_olm::Subscription;
use portolan_core_olm::messages::{Unfit, UnfitNodes, unfit_nodes};
use serde_json::json;

use super::blame::{Blame, Failing};
use super::room;
use crate::command::{Target, nodes};
use crate::cure::Cure;
use crate::{Confidence, Evidence, Object, Procedure, Step};

/// The fields of `spec.config` of a Subscription that restrict the nodes of a Pod, each with a name
/// for sentences.
const PINS: [(&str, &str); 2] = [("nodeSelector", "node selector"), ("affinity", "affinity")];

/// Returns the object at fault if nodes are cordoned, or do not match the node selector or affinity
/// of the Pod. The object is the node, the Subscription that sets the selector, or the Deployment.
/// Returns None if nodes lack resources.
pub(super) fn blame(failing: Failing<'_>) -> Option<Blame> {
    let message = &failing.fact.message;
    let unfit = unfit_nodes(message)?;
    let is_full = room::look(message).is_some();
    let (cordoned, unmatched) = (unfit.count(Unfit::Cordoned), unfit.count(Unfit::Unmatched));
    if is_full || cordoned + unmatched == 0 {
        return None;
    }
    let selector = selector(&failing.pod?.spec.node_selector);
    let pin = failing.subscription().and_then(pin);
    let subscription = failing.target().filter(|_| pin.is_some());
    let named = subscription.map(|it| Object::new("Subscription", it.namespace, it.name));
    let node = Object::new("Node", "", "");
    let at_fault = match &named {
        _ if cordoned > 0 => node,
        Some(subscription) => subscription.clone(),
        None => Object::from(&failing.deployment.observed.object),
    };
    let message = [
        obstacles(failing, &unfit),
        rule(&selector, pin.zip(subscription)),
        candidate(cordoned, unmatched),
    ];
    let message: Vec<_> = message.into_iter().filter(|it| !it.is_empty()).collect();
    let released = pin.zip(subscription);
    let released = released.map(|(pin, target)| release(failing, pin, target));
    let uncordoned = (cordoned > 0).then(uncordon);
    let decide = uncordoned.into_iter().chain(released).collect();
    let action = if cordoned > 0 {
        "Find the cordoned node with the first command below, and ask why it is cordoned. If its maintenance is over, \
         uncordon it. The Pod then starts by itself."
    } else {
        "Provide a node with the labels that the Pod requires, or change which labels it requires."
    };
    let look = Step::new(&shown(&selector), nodes(&selector));
    let doubt = "The scheduler reports that nodes are cordoned, but not which nodes. The labels of the nodes \
                 have not been read.";
    Some(Blame {
        look: Some(look),
        shown: failing
            .subscription()
            .into_iter()
            .flat_map(pinned)
            .collect(),
        confidence: (cordoned > 0 && unmatched > 0).then(|| Confidence::likely(doubt)),
        ..Blame::new(
            at_fault,
            &message.join(" "),
            Cure::advised("the administrator of the nodes", action, decide),
        )
    })
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

/// Returns a sentence about the reasons why no node can run the Pod.
fn obstacles(failing: Failing<'_>, unfit: &UnfitNodes<'_>) -> String {
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
    let all = i64::try_from(unfit.all).unwrap_or(i64::MAX);
    format!(
        "{} fits on none of {}: {}.",
        failing.fact.observed.object,
        counted(all, "node"),
        reasons.join("; ")
    )
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
fn candidate(cordoned: usize, unmatched: usize) -> String {
    match (cordoned, unmatched) {
        (0, _) => String::new(),
        (1, 0) => "The cordoned node could run the Pod.".to_owned(),
        (1, _) => "The cordoned node is probably the only one that could run the Pod.".to_owned(),
        (_, 0) => "The cordoned nodes could run the Pod.".to_owned(),
        (_, _) => {
            "The cordoned nodes are probably the only ones that could run the Pod.".to_owned()
        }
    }
}

fn shown(selector: &str) -> String {
    let which = match selector {
        "" => "the nodes".to_owned(),
        selector => format!("the nodes with label {selector}"),
    };
    format!("Show {which}: SchedulingDisabled means cordoned")
}

fn uncordon() -> Procedure {
    Procedure::command(
        "If the maintenance of the cordoned node is over, uncordon the node. Replace NODE with its name.",
        "kubectl uncordon NODE".to_owned(),
        "Kubernetes starts Pods on this node again. If the maintenance continues, a drain may evict these Pods, or \
         a Pod that cannot be evicted may block the drain.",
    )
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
