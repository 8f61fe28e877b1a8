//! The conditions about available updates, about components that differ from the bundle, and about
//! Subscriptions that match the spec.

use std::collections::{BTreeMap, BTreeSet};

use portolan_api::components::{ConditionType, Reason};
use portolan_core_names::text::{cite, some};
use portolan_core_names::{Gvk, ObjectRef};

use crate::component::{Component, Subscription, by_kind};
use crate::decide::{Judgment, Operator, UndatedCondition};
use crate::label::label_key;
use crate::question::{Answer, CatalogFacts, Question, Unasked, wished};

/// The maximum number of names that a sentence lists.
const NAMED: usize = 6;

/// Returns the condition that shows if an update is available.
pub(crate) fn update(asked: &Result<Question, Unasked>, answer: Option<&Answer>) -> Judgment {
    let about = ConditionType::UpdateAvailable;
    let (question, known) = match known(asked, answer) {
        Ok(known) => known,
        Err((reason, message)) => return unknown(about, reason, message),
    };
    let Question {
        channel, bundle, ..
    } = question;
    let mut updates = known.updates.iter();
    if let Some(own) = updates.find(|it| it.channel == *channel) {
        return (
            about,
            UndatedCondition::yes(
                Reason::UpdateFoundInChannel,
                format!("channel {channel} has {} for {bundle}", own.bundle),
            ),
        );
    }
    let channels: BTreeSet<_> = known.updates.iter().map(|it| &it.channel).collect();
    if channels.is_empty() {
        return (
            about,
            UndatedCondition::no(
                Reason::NoUpdateFound,
                format!("no channel has an update for {bundle}"),
            ),
        );
    }
    (
        about,
        UndatedCondition::yes(
            Reason::UpdateFoundInAnotherChannel,
            format!(
                "an update for {bundle} is in {} {}, but not in the channel of the Operator",
                if channels.len() == 1 {
                    "channel"
                } else {
                    "channels"
                },
                some(NAMED, channels),
            ),
        ),
    )
}

/// Returns the question with the catalog's answer.
///
/// # Errors
///
/// Returns the reason why there is no answer, for use in a condition.
fn known<'a>(
    asked: &'a Result<Question, Unasked>,
    answer: Option<&'a Answer>,
) -> Result<(&'a Question, &'a CatalogFacts), (Reason, String)> {
    let question = match asked {
        Ok(question) => question,
        Err(Unasked::NothingInstalled) => {
            let sentence = "no ClusterServiceVersion with the label has succeeded, and no Install \
                            of the Operator has installed a bundle";
            return Err((Reason::NothingInstalled, sentence.to_owned()));
        }
        Err(Unasked::NoCatalog) => {
            let sentence = "no Subscription has the label, and spec.updates.catalogSource names no package of \
                            a CatalogSource";
            return Err((Reason::NoCatalog, sentence.to_owned()));
        }
    };
    match answer {
        Some(Answer::Known(known)) => Ok((question, known)),
        Some(Answer::Unknown(why)) => Err((Reason::ResolverUnavailable, cite(why))),
        None => Err((
            Reason::ResolverUnavailable,
            "the resolver has not been queried yet".to_owned(),
        )),
    }
}

fn unknown(about: ConditionType, reason: Reason, message: String) -> Judgment {
    (about, UndatedCondition::not_yet(reason, message))
}

/// Returns the condition that shows if the components differ from the objects in the bundle.
pub(crate) fn diverged(
    asked: &Result<Question, Unasked>,
    answer: Option<&Answer>,
    components: &[Component],
    unseen: &BTreeMap<String, String>,
) -> Judgment {
    let about = ConditionType::ComponentsDiverge;
    let (question, known) = match known(asked, answer) {
        Ok(known) => known,
        Err((reason, message)) => return unknown(about, reason, message),
    };
    let Some(brings) = &known.brings else {
        let message = format!(
            "catalog {} has no manifests of {}, so the components cannot be compared; the image of \
             the bundle is not read",
            question.catalog, question.bundle
        );
        return unknown(about, Reason::CatalogWithoutManifests, message);
    };
    let missing = missing(brings, components, unseen);
    let others = others(brings, components);
    if missing.is_empty() && others.is_empty() {
        return (
            about,
            UndatedCondition::no(
                Reason::ComponentsAsInstalled,
                format!("all objects of {} have the label", question.bundle),
            ),
        );
    }
    let parts = [
        ("is in the bundle but is not a component", missing),
        ("is a component but is not in the bundle", others),
    ];
    let parts = parts.into_iter().filter(|(_, all)| !all.is_empty());
    let parts = parts.map(|(what, all)| format!("{} {what}", some(NAMED, all)));
    let parts: Vec<_> = parts.collect();
    (
        about,
        UndatedCondition::yes(
            Reason::ComponentsDivergeFromInstall,
            format!("{}: {}", question.bundle, parts.join("; ")),
        ),
    )
}

/// Returns the objects of the bundle that are not components. Kinds that cannot be listed are
/// ignored.
fn missing<'b>(
    brings: &'b BTreeSet<ObjectRef<Gvk>>,
    components: &[Component],
    unseen: &BTreeMap<String, String>,
) -> Vec<&'b ObjectRef<Gvk>> {
    let there: BTreeSet<_> = components.iter().map(|it| &it.id).collect();
    let missing = brings.iter();
    let missing = missing.filter(|it| !there.contains(it) && !unseen.contains_key(&it.kind.kind));
    let mut missing: Vec<_> = missing.collect();
    missing.sort_by(|one, other| by_kind(one, other));
    missing
}

/// Returns the components that the bundle does not contain. Only three kinds are checked.
///
/// Returns an empty list if there are several ClusterServiceVersions. This is the case during an
/// upgrade, or if two operators belong to one Operator.
fn others<'c>(
    brings: &BTreeSet<ObjectRef<Gvk>>,
    components: &'c [Component],
) -> Vec<&'c ObjectRef<Gvk>> {
    const KINDS: [&str; 3] = ["APIService", "CustomResourceDefinition", "Deployment"];
    let csvs = components.iter().filter(|it| it.csv().is_some());
    if csvs.count() > 1 {
        return Vec::new();
    }
    let ids = components.iter().map(|it| &it.id);
    let others = ids.filter(|it| KINDS.contains(&it.kind.kind.as_str()) && !brings.contains(it));
    others.collect()
}

/// Returns the condition that a Subscription matches the spec but lacks the label. Its message
/// contains the command that adds the label. Returns None if there is no such Subscription.
pub(crate) fn associated(
    operator: &Operator,
    components: &[Component],
    subscriptions: &BTreeMap<ObjectRef<Gvk>, Subscription>,
) -> Option<Judgment> {
    let wished = wished(operator.stored.spec.as_ref())?;
    let fits = |it: &Subscription| {
        (&it.package, &it.channel, &it.catalog)
            == (&wished.package, &wished.channel, &wished.catalog)
    };
    let is_component = |id: &ObjectRef<Gvk>| components.iter().any(|it| it.id == *id);
    let mut fitting = subscriptions.iter().filter(|(_, it)| fits(it));
    let (id, _) = fitting.find(|(id, _)| !is_component(id))?;
    Some((
        ConditionType::SubscriptionUnassociated,
        UndatedCondition::yes(
            Reason::SubscriptionMatches,
            format!(
                "{id} has the same package, channel and CatalogSource; to associate it with the \
                 Operator: kubectl -n {} label \
             subscriptions.operators.coreos.com {} {}=",
                id.namespace(),
                id.name,
                label_key(&operator.name),
            ),
        ),
    ))
}
