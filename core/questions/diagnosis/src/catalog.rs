//! Causes in the catalog of an operator.

pub(crate) mod pod;

use portolan_core_health::{self as health, Csv, HealthCode, Item, Probe, Sight, judge_catalog};
use portolan_core_names::text::cite;
use portolan_core_names::{PackageName, Version};
use portolan_core_olm::Subscription;
use serde_json::json;

use crate::case::Case;
use crate::command::{PODS, SUBSCRIPTIONS, Target, catalog_label};
use crate::cure::Cure;
use crate::deletion;
use crate::situation::Offer;
use crate::words::sentence;
use crate::{Cause, Code, Evidence, Object, Procedure, State, evidence};

/// Returns the causes that the catalog of the Subscription has.
pub(crate) fn causes(case: Case<'_>) -> Vec<Cause> {
    let Some(subscription) = case.subscription else {
        return Vec::new();
    };
    let cause = match case.situation().offer_of(subscription) {
        None => missing(case, subscription),
        Some(offer) => {
            unreached(subscription, offer).or_else(|| outdated(case, subscription, offer))
        }
    };
    cause.into_iter().collect()
}

/// Returns the catalog whose registry does not answer. The catalog is the object at fault or is in
/// the evidence, because an object that the registry Pod needs may be at fault instead.
pub(crate) fn catalog_of<'a>(case: Case<'a>, cause: &Cause) -> Option<&'a Offer<'a>> {
    let evidence = cause.evidence.iter().map(|read| &read.object);
    let mut objects = std::iter::once(&cause.at_fault).chain(evidence);
    let catalog = objects.find(|object| object.kind == "CatalogSource")?;
    case.situation().offer(&catalog.namespace, &catalog.name)
}

/// Returns the cause if the CatalogSource does not exist. Returns None if it exists, or if the list
/// of CatalogSources is incomplete.
fn missing(case: Case<'_>, subscription: &Item<Subscription>) -> Option<Cause> {
    let is_clear = case.situation().namespace.catalogs.sight == Sight::Clear;
    let fact = case.fact(HealthCode::CatalogMissing).filter(|_| is_clear)?;
    let object = Object::from(&fact.observed.object);
    let cure = Cure::choice_or(
        elsewhere(case, subscription),
        Cure::external(
            &format!("the owner of {object}"),
            "Create the CatalogSource again. Or set another catalog in the Subscription.",
        ),
    );
    let cause = Cause::new(
        Code::CatalogMissing,
        State::Stuck,
        object.clone(),
        &fact.message,
    );
    let shown = cause.cured(cure).shown([Evidence::absent(object)]);
    Some(shown.shown(evidence::subscription(subscription)))
}

/// Returns fixes that set another catalog in the Subscription. The other catalog has the package
/// and the channel.
pub(crate) fn elsewhere(case: Case<'_>, subscription: &Item<Subscription>) -> Vec<Procedure> {
    let situation = case.situation();
    let has = |offer: &&&Offer<'_>| {
        let offered = offer.content.offered();
        let spec = &subscription.spec;
        offered.is_some_and(|offered| offered.has(&spec.package, &spec.channel))
    };
    let visible = situation.visible();
    let others = visible.iter().filter(has);
    let own = (
        subscription.spec.source_namespace.as_str(),
        subscription.spec.source.as_str(),
    );
    let fixes = others.filter_map(|offer| {
        let object = &offer.registry.source.observed.object;
        let place = (object.namespace.as_str(), object.name.as_str());
        let is_lost = crate::outlook::lost(offer).is_some();
        (place != own && !is_lost).then(|| {
            let risk = other_source(subscription, offer);
            let patch = json!({"spec": {"source": place.1, "sourceNamespace": place.0}});
            Procedure::command(
                &format!(
                    "Set {object} as the catalog of {}, because this catalog also has the package \
                     and the channel.",
                    subscription.observed.object
                ),
                Target::of(SUBSCRIPTIONS, &subscription.observed).merge(&patch),
                &risk,
            )
        })
    });
    fixes.collect()
}

/// Returns the consequence of setting another catalog, in one or two sentences.
fn other_source(subscription: &Item<Subscription>, offer: &Offer<'_>) -> String {
    let offered = offer.content.offered();
    let spec = &subscription.spec;
    let installed = subscription.status.installed_csv.as_str();
    let package = offered.and_then(|it| it.catalog.packages.get(spec.package.as_str()));
    let has = package.is_some_and(|package| package.bundles.contains_key(installed));
    let head = offered.and_then(|offered| offered.head(&spec.package, &spec.channel));
    let newer = head.filter(|(_, head)| head.as_str() != installed);
    let leads = newer.map_or_else(String::new, |(_, head)| {
        format!(
            " OLM then upgrades to \
                                                                    {head}."
        )
    });
    match installed {
        "" => format!(
            "From then on, OLM installs upgrades from another catalog, which may have another \
             publisher.{leads}"
        ),
        csv if has => format!("The other catalog also has {csv}.{leads}"),
        csv => format!("The other catalog does not have the installed {csv}.{leads}"),
    }
}

/// Returns the cause if the registry of the catalog does not answer.
fn unreached(subscription: &Item<Subscription>, offer: &Offer<'_>) -> Option<Cause> {
    let judged = judge_catalog(&offer.registry);
    let stopped = pod::stopped(offer);
    if judged.verdict.state != health::State::No && stopped.is_none() {
        return None;
    }
    let reasons = &judged.verdict.reasons;
    let bad = || {
        reasons
            .iter()
            .filter(|reason| reason.state == health::State::No)
    };
    let is_mistaken = bad().any(|reason| reason.code == HealthCode::OlmStatusWrong);
    let code = match (is_mistaken, offer.registry.source.connection()) {
        (true, _) => Code::CatalogNotAnswering,
        (false, "") => Code::CatalogNeverReached,
        (false, _) => Code::CatalogUnreachable,
    };
    let message = match &stopped {
        Some(stopped) => stopped.message(offer),
        None => bad()
            .map(|reason| sentence(&reason.message))
            .collect::<Vec<_>>()
            .join(" "),
    };
    let at_fault = stopped.as_ref();
    let at_fault = at_fault.map_or_else(|| offer.object(), |stopped| stopped.at_fault(offer));
    let cause = Cause::new(code, State::Stuck, at_fault, &message);
    let cause = cause.quoting(stopped.as_ref().and_then(|stopped| stopped.quote.clone()));
    let reported = [
        ("status.reason", &offer.registry.source.status.reason),
        ("status.message", &offer.registry.source.status.message),
    ];
    let reported = reported.into_iter().filter(|(_, value)| !value.is_empty());
    let reported = reported
        .map(|(field, value)| Evidence::new(&offer.registry.source.observed.object, field, value));
    let pod = stopped.iter().flat_map(pod::Stopped::evidence);
    let cause = cause.cured(match &stopped {
        Some(stopped) => stopped.cure(offer),
        None => revive(offer),
    });
    let cause = cause.looked(stopped.as_ref().and_then(pod::Stopped::look));
    let shown = cause.shown([connection(offer)]).shown(reported).shown(pod);
    Some(
        shown
            .shown(probe(offer))
            .shown(evidence::subscription(subscription)),
    )
}

/// Returns the cause if only OLM's resolution error shows that the registry of the catalog does not
/// answer.
pub(crate) fn as_olm_says(case: Case<'_>, why: &str) -> Option<Cause> {
    let subscription = case.subscription.filter(|_| causes(case).is_empty())?;
    let offer = case.situation().offer_of(subscription)?;
    let code = if offer.registry.source.is_connected() {
        Code::CatalogNotAnswering
    } else if case.is_installed() {
        Code::CatalogUnreachable
    } else {
        Code::CatalogNeverReached
    };
    let object = offer.object();
    let message = format!("OLM cannot query {object}: {}", cite(why));
    let cause = Cause::new(code, State::Stuck, object, &message).cured(revive(offer));
    let said = evidence::condition_evidence(subscription, Subscription::RESOLUTION_FAILED);
    Some(
        cause
            .shown([connection(offer)])
            .shown(said)
            .shown(evidence::subscription(subscription)),
    )
}

/// Returns the connection state of the registry that OLM reports.
pub(crate) fn connection(offer: &Offer<'_>) -> Evidence {
    let said = match offer.registry.source.connection() {
        "" => "nothing",
        said => said,
    };
    let field = "status.connectionState.lastObservedState";
    Evidence::new(&offer.registry.source.observed.object, field, said)
}

/// Returns the result of probing the registry as evidence. Returns None if the registry was not
/// probed.
fn probe(offer: &Offer<'_>) -> Option<Evidence> {
    let answer = match &offer.registry.probe {
        Probe::NotProbed | Probe::Pending => return None,
        Probe::Answered { packages } => format!("{packages} packages"),
        Probe::NameUnknown(why) | Probe::Unreachable(why) => why.clone(),
        Probe::NotServing => "NOT_SERVING".to_owned(),
        Probe::Silent(why) | Probe::Failing(why) => why.clone(),
    };
    let address = offer.registry.address.as_deref().unwrap_or_default();
    let registry = Object::new("Registry", "", address);
    Some(Evidence::at(registry, "", &answer))
}

/// Returns the cure for a registry that does not answer. If OLM runs the registry in a Pod, the
/// cure deletes this Pod, and OLM creates a new Pod. For other registries, the owner must repair
/// the registry.
fn revive(offer: &Offer<'_>) -> Cure {
    let object = offer.object();
    if offer.has_pod() {
        return Cure::Safe(replace_pod(
            offer,
            &format!("Delete the Pod of {object}. OLM then creates a new Pod."),
            "None: the registry does not answer now, so OLM already installs nothing in the \
             namespaces that use the catalog.",
        ));
    }
    let address = match &offer.registry.address {
        Ok(address) => format!(" at {address}"),
        Err(_) => String::new(),
    };
    Cure::external(
        &format!("the administrator of the registry of {object}{address}"),
        "Make the registry reachable again.",
    )
}

/// Returns the procedure that deletes the registry Pod of a catalog. OLM then creates a new Pod.
fn replace_pod(offer: &Offer<'_>, title: &str, risk: &str) -> Procedure {
    let catalog = &offer.registry.source;
    let label = catalog_label(catalog.name());
    let steps = deletion::delete_labeled(PODS, catalog.namespace(), &label, catalog.name());
    let deletes = format!("The Pod of the registry of {}.", offer.object());
    let keeps = "The CatalogSource and all installed operators.";
    Procedure::of(title, steps.into(), risk).deleting(&deletes, keeps)
}

/// Returns the cause if the installed version is newer than every version in the catalog.
fn outdated(case: Case<'_>, subscription: &Item<Subscription>, offer: &Offer<'_>) -> Option<Cause> {
    let csv = case.newest().filter(|_| case.is_settled())?;
    let installed = Version::parse(&csv.spec.version).ok()?;
    let offered = offer.content.offered()?;
    let package = PackageName::parse(&subscription.spec.package).ok()?;
    let package = offered.catalog.packages.get(&package)?;
    let newest = package
        .bundles
        .values()
        .max_by(|a, b| a.version.cmp(&b.version))?;
    let is_known = package.bundles.contains_key(case.operator.csv.as_str());
    // A document of the catalog that cannot be read may contain a newer version.
    let is_hidden = offered.hidden_by(package.name.as_str()).is_some();
    if is_known || is_hidden || newest.version >= installed {
        return None;
    }
    let object = offer.object();
    let message = format!(
        "{object} serves outdated content: the installed {} is newer than the newest bundle of \
         package {} in this catalog, {}.",
        case.operator.csv, package.name, newest.name
    );
    let cure = if offer.has_pod() {
        Cure::Safe(replace_pod(
            offer,
            &format!(
                "Delete the Pod of {object}. OLM then creates a new Pod from the newest \
                      image."
            ),
            "Until the new Pod is ready, OLM installs nothing in the namespaces that use the \
             catalog.",
        ))
    } else {
        Cure::external(
            &format!("the administrator of the registry of {object}"),
            "Update the content that the registry serves.",
        )
    };
    let cause = Cause::new(Code::CatalogOutdated, State::Stuck, object, &message);
    let cause = cause.cured(cure);
    Some(cause.shown(version_evidence(csv, &newest.name, offer)))
}

fn version_evidence(csv: &Csv, newest: &impl ToString, offer: &Offer<'_>) -> [Evidence; 2] {
    [
        Evidence::new(&csv.observed.object, "spec.version", &csv.spec.version),
        Evidence::at(offer.object(), "newest bundle", &newest.to_string()),
    ]
}
