//! Explains Subscriptions that refer to a missing catalog, package, channel or bundle.

use portolan_core_health::Item;
use portolan_core_names::text::listed;
use portolan_core_names::{BundleName, nearest};
use portolan_core_olm::Subscription;
use serde_json::{Value, json};

use super::delete;
use crate::case::Case;
use crate::command::{SUBSCRIPTIONS, Target};
use crate::cure::Cure;
use crate::trouble::Lacking;
use crate::{Cause, Code, Evidence, Object, Procedure, State, catalog, evidence};

/// A name in a Subscription that does not exist, with possible corrections.
struct Found {
    code: Code,
    message: String,
    /// The command that corrects a typing error.
    fix: Option<Procedure>,
    /// Other corrections, for example another channel.
    others: Vec<Procedure>,
}

/// Returns the cause for a Subscription that refers to a missing object.
pub(super) fn cause(case: Case<'_>, lacking: &Lacking) -> Option<Cause> {
    let subscription = case.subscription?;
    if !super::has_failed(subscription)
        && is_seen(case, subscription)
        && let Some(hidden) = hidden(case, subscription)
    {
        return Some(hidden);
    }
    let Found {
        code,
        message,
        fix,
        mut others,
    } = match lacking {
        Lacking::Catalog => return unseen_catalog(case, subscription),
        Lacking::Package => package(case, subscription),
        Lacking::Channel => channel(case, subscription),
        Lacking::Start => start(case, subscription),
    };
    let object = Object::from(&subscription.observed.object);
    let is_known = fix.is_some() || !others.is_empty();
    let cure = match unread(case, subscription).filter(|_| !is_known) {
        Some(unread) => unread,
        None => {
            others.push(delete(case, subscription));
            Cure::Choice(others)
        }
    };
    let cause = Cause::new(code, State::Stuck, object, &message).cured(cure);
    let cause = cause.fixed(fix);
    let shown = cause
        .shown(evidence::subscription(subscription))
        .shown(starting(case, subscription));
    Some(shown.shown(evidence::condition_evidence(
        subscription,
        Subscription::RESOLUTION_FAILED,
    )))
}

/// If the content of the catalog is unknown, returns the cure for the author of the Subscription.
/// The command that deletes the Subscription is not offered in this case, because the name may only
/// contain a typing error.
fn unread(case: Case<'_>, subscription: &Item<Subscription>) -> Option<Cure> {
    let offer = case.situation().offer_of(subscription)?;
    offer.unavailable().map(|_| {
        Cure::external(
            &format!("the author of {}", subscription.observed.object),
            &format!(
                "Correct the Subscription, or delete it if you do not need it. The content of {} \
                 is unknown: set the location of the content with --catalog {}=PLACE.",
                offer.object(),
                offer.key()
            ),
        )
    })
}

/// Returns true if the catalog is visible in the namespace.
fn is_seen(case: Case<'_>, subscription: &Item<Subscription>) -> bool {
    let situation = case.situation();
    let place = subscription.spec.source_namespace.as_str();
    [situation.name(), situation.global_namespace.as_str()].contains(&place)
}

/// Returns the cause if the catalog has an error. The missing object may exist, because the error
/// may hide it.
fn hidden(case: Case<'_>, subscription: &Item<Subscription>) -> Option<Cause> {
    let offer = case.situation().offer_of(subscription)?;
    let package = subscription.spec.package.as_str();
    let fault = offer.content.offered()?.hidden_by(package)?;
    let (object, catalog) = (&subscription.observed.object, offer.object());
    let message = format!(
        "It is unknown if {catalog} has the content that {object} requests, because the catalog \
         has an error: {fault}."
    );
    let cause = Cause::new(Code::NotObserved, State::Working, catalog, &message);
    let who = format!("the maintainer of the content of {}", offer.key());
    let cause = cause.cured(Cure::external(&who, "Correct the error in the catalog."));
    Some(cause.shown(evidence::subscription(subscription)))
}

/// Returns the cause for an existing catalog that is empty or not visible in the namespace.
fn unseen_catalog(case: Case<'_>, subscription: &Item<Subscription>) -> Option<Cause> {
    let offer = case.situation().offer_of(subscription)?;
    let object = offer.object();
    let namespace = case.situation().name();
    let global = &case.situation().global_namespace;
    let why = if is_seen(case, subscription) {
        "which has no packages".to_owned()
    } else {
        format!(
            "but only catalogs in namespaces {namespace} and {global} are visible in namespace \
             {namespace}"
        )
    };
    let message = format!("{} names {object}, {why}.", subscription.observed.object);
    let mut fixes = catalog::elsewhere(case, subscription);
    fixes.push(delete(case, subscription));
    let at_fault = Object::from(&subscription.observed.object);
    let cause = Cause::new(Code::CatalogMissing, State::Stuck, at_fault, &message);
    let cause = cause.cured(Cure::Choice(fixes));
    Some(cause.shown(evidence::subscription(subscription)))
}

fn package(case: Case<'_>, subscription: &Item<Subscription>) -> Found {
    let object = &subscription.observed.object;
    let package = &subscription.spec.package;
    let source = Object::new(
        "CatalogSource",
        &subscription.spec.source_namespace,
        &subscription.spec.source,
    );
    let offered = case.situation().offered(subscription);
    let near = offered.and_then(|offered| {
        let name = nearest(package, offered.catalog.packages.keys())?;
        offered.catalog.packages.get(name)
    });
    let subscriptions = || case.situation().namespace.subscriptions.objects.iter();
    let is_new = |name: &str| subscriptions().all(|subscription| subscription.spec.package != name);
    let hint = near.map(|near| format!(" The nearest name is {}.", near.name));
    let message = format!(
        "{object} requests package {package}, which {source} does not have.{}",
        hint.unwrap_or_default()
    );
    let wanted = near.filter(|near| is_new(near.name.as_str()));
    let fix = wanted.map(|near| {
        let mut patch = json!({"name": near.name.as_str()});
        let has_channel = near
            .channels
            .contains_key(subscription.spec.channel.as_str());
        if !subscription.spec.channel.is_empty() && !has_channel {
            let default = near.default_channel.as_ref();
            patch["channel"] = default.map_or(Value::Null, |name| json!(name.as_str()));
        }
        let channel = subscription.spec.channel.as_str();
        let channel = if has_channel { channel } else { "" };
        let head = offered.and_then(|offered| offered.head(near.name.as_str(), channel));
        patched(
            subscription,
            &format!("Set the package of {object} to {}.", near.name),
            &patch,
            &match head {
                Some((_, head)) => format!(
                    "OLM installs {head}: check that you want this \
                                            version."
                ),
                None => "Check that you want this package.".to_owned(),
            },
        )
    });
    Found {
        code: Code::PackageMissing,
        message,
        fix,
        others: catalog::elsewhere(case, subscription),
    }
}

fn channel(case: Case<'_>, subscription: &Item<Subscription>) -> Found {
    let object = &subscription.observed.object;
    let (package, channel) = (&subscription.spec.package, &subscription.spec.channel);
    let source = Object::new(
        "CatalogSource",
        &subscription.spec.source_namespace,
        &subscription.spec.source,
    );
    let offered = case.situation().offered(subscription);
    let known = offered.and_then(|offered| offered.catalog.packages.get(package.as_str()));
    let near = known.and_then(|known| nearest(channel, known.channels.keys()));
    let meant = near.or(known.and_then(|known| known.default_channel.as_ref()));
    let hint = match (near, known) {
        (Some(near), _) => format!(" The nearest name is {near}."),
        (None, Some(known)) => format!(" Existing channels: {}.", listed(known.channels.keys())),
        (None, None) => String::new(),
    };
    let message = format!(
        "{object} follows channel {channel} of package {package}, which {source} does not have.{hint}"
    );
    let set = meant.map(|meant| {
        patched(
            subscription,
            &format!("Set the channel of {object} to {meant}."),
            &json!({"channel": meant.as_str()}),
            &match offered.and_then(|offered| offered.head(package, meant.as_str())) {
                Some((_, head)) => {
                    format!(
                        "OLM then upgrades to {head}, the newest version of this channel: \
                             check that you want this version."
                    )
                }
                None => "Check that you want this channel.".to_owned(),
            },
        )
    });
    let is_only = known.is_some_and(|known| known.channels.len() == 1);
    let (fix, others) = if near.is_some() || is_only {
        (set, None)
    } else {
        (None, set)
    };
    Found {
        code: Code::ChannelMissing,
        message,
        fix,
        others: others.into_iter().collect(),
    }
}

fn start(case: Case<'_>, subscription: &Item<Subscription>) -> Found {
    let object = &subscription.observed.object;
    let start = case.start().unwrap_or_default();
    let graph = case.situation().graph(subscription);
    let asked = BundleName::parse(&start).ok();
    let near = graph
        .zip(asked.as_ref())
        .and_then(|(graph, asked)| graph.nearest(asked));
    let hint = near.map(|near| format!(" The nearest name is {near}."));
    let place = match subscription.spec.channel.as_str() {
        "" => format!("package {}", subscription.spec.package),
        channel => format!("channel {channel} of package {}", subscription.spec.package),
    };
    let message = format!(
        "{object} has startingCSV {start}, which {place} does not have.{}",
        hint.unwrap_or_default()
    );
    let mut fixes = Vec::new();
    fixes.extend(near.map(|near| {
        patched(
            subscription,
            &format!("Set startingCSV of {object} to {near}."),
            &json!({"startingCSV": near.as_str()}),
            &format!("OLM installs {near} first: check that you want this version."),
        )
    }));
    fixes.push(patched(
        subscription,
        &format!("Remove startingCSV from {object}."),
        &json!({"startingCSV": null}),
        &match case.situation().head(subscription) {
            Some((_, head)) => format!("OLM installs {head}, the newest bundle of the channel."),
            None => "OLM installs the newest bundle of the channel.".to_owned(),
        },
    ));
    Found {
        code: Code::StartingCsvMissing,
        message,
        fix: None,
        others: fixes,
    }
}

fn starting(case: Case<'_>, subscription: &Item<Subscription>) -> Option<Evidence> {
    let start = case.start()?;
    Some(Evidence::new(
        &subscription.observed.object,
        "spec.startingCSV",
        &start,
    ))
}

/// Returns the command that patches the spec of the Subscription.
fn patched(
    subscription: &Item<Subscription>,
    message: &str,
    spec: &Value,
    risk: &str,
) -> Procedure {
    let patch = json!({"spec": spec});
    let command = Target::of(SUBSCRIPTIONS, &subscription.observed).merge(&patch);
    Procedure::command(message, command, risk)
}
