//! Default values for the Subscription fields that a policy does not set.

use portolan_api::{Approval, ConditionType, Says, Standing};
use portolan_core_names::{BundleName, ChannelName, Consent};
use portolan_core_olm::Subscription;

use crate::case::{Case, DesiredSubscription};
use crate::contribution::Contribution;
use crate::{Answer, Offer, plan};

/// The reason why the desired Subscription is unknown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unresolved {
    /// The policy has no valid value for a field. Contains the message about the field.
    Invalid(String),
    /// A required service is unavailable. Contains the reason.
    Unavailable(String),
}

impl Unresolved {
    /// Keeps the conditions of these types in their previous state.
    pub(crate) fn keep(&self, types: &[ConditionType]) -> Contribution {
        let (Self::Invalid(why) | Self::Unavailable(why)) = self;
        types
            .iter()
            .fold(Contribution::default(), |all, type_| all.keep(*type_, why))
    }
}

/// Returns the desired Subscription. Each field has the value of the first source that sets it: the
/// policy, the existing Subscription, the defaults of the catalog. A default of the catalog is
/// therefore used only until the Subscription exists.
pub(crate) fn wanted(case: &Case<'_>) -> Result<DesiredSubscription, Unresolved> {
    let channel = channel(case)?;
    let (source, source_namespace) = catalog(case)?;
    let starting_csv = starting_csv(case, &channel);
    Ok(DesiredSubscription {
        starting_csv,
        channel,
        source,
        source_namespace,
        is_manual: is_manual(case),
        config: case.intent.subscription.config.clone(),
    })
}

fn channel(case: &Case<'_>) -> Result<ChannelName, Unresolved> {
    if let Some(written) = &case.intent.subscription.channel {
        return Ok(written.clone());
    }
    let present = case.subscription();
    let present = present.and_then(|present| ChannelName::parse(&present.spec.channel).ok());
    if let Some(present) = present {
        return Ok(present);
    }
    let offer = offer(case)?;
    ChannelName::parse(&offer.default_channel).map_err(|_| {
        Unresolved::Invalid(format!(
            "spec.subscription.channel is missing, and the catalog {} has no default channel for \
             {:?}; write a channel",
            offer.catalog,
            case.intent.subscription.package.as_str()
        ))
    })
}

/// Returns the name and the namespace of the catalog. Both come from the same source.
fn catalog(case: &Case<'_>) -> Result<(String, String), Unresolved> {
    let written = &case.intent.subscription;
    let fits = |(name, namespace): (&str, &str)| {
        let is_named = written
            .source
            .as_deref()
            .is_none_or(|wanted| wanted == name);
        let is_there = written.source_namespace.as_deref();
        is_named && is_there.is_none_or(|wanted| wanted == namespace)
    };
    if let (Some(name), Some(namespace)) = (&written.source, &written.source_namespace) {
        return Ok((name.clone(), namespace.clone()));
    }
    let owned = |(name, namespace): (&str, &str)| (name.to_owned(), namespace.to_owned());
    let present = case.subscription().and_then(catalog_of);
    if let Some(present) = present.filter(|present| fits(*present)) {
        return Ok(owned(present));
    }
    let offer = offer(case)?;
    let offering = offer.catalog.split_once('/');
    match offering.map(|(namespace, name)| (name, namespace)) {
        Some(offering) if fits(offering) => Ok(owned(offering)),
        Some(_) => Err(Unresolved::Invalid(other_catalog(case, offer))),
        None => Err(Unresolved::Invalid(no_source(case, offer))),
    }
}

fn catalog_of(subscription: &Subscription) -> Option<(&str, &str)> {
    let spec = &subscription.spec;
    let (name, namespace) = (spec.source.as_str(), spec.source_namespace.as_str());
    (!name.is_empty() && !namespace.is_empty()).then_some((name, namespace))
}

fn other_catalog(case: &Case<'_>, offer: &Offer) -> String {
    let written = &case.intent.subscription;
    let (given, value, missing) = match (&written.source, &written.source_namespace) {
        (Some(name), _) => ("source", name.as_str(), "sourceNamespace"),
        (None, namespace) => (
            "sourceNamespace",
            namespace.as_deref().unwrap_or_default(),
            "source",
        ),
    };
    format!(
        "spec.subscription.{given} is {value:?}, but the catalog that offers {:?} is {}; write \
         spec.subscription.{missing} as well",
        written.package.as_str(),
        offer.catalog
    )
}

/// Returns the message about a package that exists only in a ClusterCatalog. A Subscription can
/// only refer to a CatalogSource.
fn no_source(case: &Case<'_>, offer: &Offer) -> String {
    format!(
        "the catalog that offers {:?} is {}, which is not a CatalogSource; write \
         spec.subscription.source and spec.subscription.sourceNamespace",
        case.intent.subscription.package.as_str(),
        offer.catalog
    )
}

/// Returns the package from the catalog. The caller needs it only for a default value.
///
/// # Errors
///
/// Returns the reason if the catalog does not contain the package.
fn offer<'a>(case: &Case<'a>) -> Result<&'a Offer, Unresolved> {
    match &case.answers.offer {
        Answer::Found(offer) => Ok(offer),
        Answer::NotFound(sentence) => Err(Unresolved::Invalid(in_fields_of_a_policy(sentence))),
        Answer::Unavailable(unavailable) => Err(Unresolved::Unavailable(unavailable.to_string())),
        Answer::NotAsked => Err(Unresolved::Unavailable(
            "the resolver has not been queried for the package yet".to_owned(),
        )),
    }
}

/// Rewrites a sentence of the resolver so that it names the fields of a policy. The resolver has
/// one field `catalog`, and a policy has two fields for the catalog.
fn in_fields_of_a_policy(sentence: &str) -> String {
    match sentence.strip_prefix("catalog: ") {
        Some(rest) => {
            format!("{rest}; write spec.subscription.source and spec.subscription.sourceNamespace")
        }
        None => sentence.to_owned(),
    }
}

/// Returns the starting bundle from the first source that has one: the policy, the existing
/// Subscription, the newest allowed bundle of the channel.
fn starting_csv(case: &Case<'_>, channel: &ChannelName) -> Option<BundleName> {
    let written = case.intent.subscription.starting_csv.clone();
    if written.is_some() {
        return written;
    }
    match case.subscription() {
        Some(present) => BundleName::parse(&present.spec.starting_csv).ok(),
        None if case.intent.restricts() => match &case.answers.offer {
            Answer::Found(offer) => {
                let newest = plan::newest_allowed(case.intent, offer, channel.as_str());
                newest.and_then(|name| BundleName::parse(name).ok())
            }
            Answer::NotFound(_) | Answer::Unavailable(_) | Answer::NotAsked => None,
        },
        None => None,
    }
}

/// Returns true if OLM must not approve the InstallPlans of the namespace itself. OLM puts all
/// pending installations of a namespace into one InstallPlan. Therefore one policy with a
/// restriction is sufficient.
fn is_manual(case: &Case<'_>) -> bool {
    let intent = case.intent;
    let is_asked = intent.subscription.approval == Some(Approval::Manual);
    let own = intent.restricts() || !intent.approves_updates || is_asked;
    own || case.observed.is_bound || restricting(case).next().is_some()
}

/// Returns the other policies of the namespace that restrict InstallPlans.
pub(crate) fn restricting<'a>(case: &Case<'a>) -> impl Iterator<Item = &'a Standing> {
    let namespace = case.namespace.name.as_str();
    let neighbors = case.observed.neighbors.iter();
    neighbors.filter(move |other| {
        let is_here = other.namespace.as_deref() == Some(namespace);
        is_here
            && match &other.says {
                Says::Allows(allows) => !allows.updates || !allows.consents.contains(&Consent::Any),
                Says::Withholds(_) => false,
            }
    })
}
