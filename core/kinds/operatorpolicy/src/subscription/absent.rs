//! Judges a missing Subscription.

use portolan_api::{Form, Reason};
use serde_json::{Value, json};

use super::{
    CREATED, MISSING, TYPE, approval, entry, full_name, marks, neighbors, with_missing, withholds,
};
use crate::case::{Case, DesiredSubscription};
use crate::change;
use crate::contribution::{Contribution, known};
use crate::desired::{Condition, Step};
use crate::kinds::SUBSCRIPTION;
use crate::{Answer, offered, plan, valid};

pub(super) fn judge(
    case: &Case<'_>,
    wanted: &DesiredSubscription,
    group_is_right: bool,
) -> Contribution {
    let lacking = offered::lacking(case, wanted);
    let what = why_not(case, wanted, (lacking.as_deref(), group_is_right));
    let is_created = what.is_none();
    let message = format!(
        "Subscription {} not found; {}",
        full_name(case),
        what.as_deref()
            .unwrap_or("the Subscription will be created")
    );
    let message = with_missing(message, lacking.as_deref());
    let mut related = vec![entry(case, "NonCompliant", MISSING)];
    related.extend(neighbors::of_package(case).map(|other| neighbors::entry(case, other)));
    let part = Contribution::of(Condition::bad(TYPE, Reason::SubscriptionMissing, message))
        .add_related(TYPE, related);
    if is_created {
        part.add_step(create(case, wanted))
    } else {
        part
    }
}

/// Returns the reason why the controller does not create the Subscription, as a clause. Returns
/// None if the controller creates it.
fn why_not(
    case: &Case<'_>,
    wanted: &DesiredSubscription,
    (lacking, group_is_right): (Option<&str>, bool),
) -> Option<String> {
    if let Some(other) = neighbors::of_package(case).next() {
        return Some(format!(
            "the Subscription is not created because Subscription {} requests the same package, \
             and OLM resolves nothing while a namespace has two Subscriptions for a package; to \
             replace the existing Subscription, delete it",
            neighbors::name(other)
        ));
    }
    if let Some(why) = valid::cannot_create(case) {
        return Some(why);
    }
    if !group_is_right {
        let why = "the Subscription is not created until the OperatorGroup is correct";
        return Some(why.to_owned());
    }
    if let Some(lacking) = withholds(case, lacking) {
        return Some(format!("the Subscription is not created because {lacking}"));
    }
    if case.intent.restricts() && wanted.starting_csv.is_none() {
        return Some(unpinned(case, wanted));
    }
    if let Some(why) = forbidden_start(case) {
        return Some(why);
    }
    let waited_for = neighbors::automatic_of_policies(case);
    let waits = case.intent.restricts() && !waited_for.is_empty();
    waits.then(|| {
        format!(
            "the Subscription is not created until all Subscriptions of policies in the namespace \
             are Manual, because OLM would otherwise approve InstallPlans that no policy has \
             reviewed; waiting for {}",
            waited_for.join(" and ")
        )
    })
}

/// Returns a message if the policy does not allow its own starting bundle. In this case, OLM would
/// wait forever. Returns None otherwise. In the established form, the condition about the
/// InstallPlan reports this problem instead, like the established controller.
fn forbidden_start(case: &Case<'_>) -> Option<String> {
    let start = case.intent.subscription.starting_csv.as_ref()?;
    let version = match &case.answers.offer {
        Answer::Found(offer) => offer
            .bundles
            .iter()
            .find(|each| each.name == start.as_str()),
        Answer::NotFound(_) | Answer::Unavailable(_) | Answer::NotAsked => None,
    };
    let version = version.map_or("", |bundle| bundle.version.as_str());
    let is_forbidden = case.intent.form == Form::Design
        && plan::is_certain(case.intent, version)
        && !plan::allows(case.intent, start.as_str(), version);
    is_forbidden.then(|| {
        format!(
            "the Subscription is not created because spec.allowedCSVs does not allow its first \
             version {start}; add this version to spec.allowedCSVs, or remove \
             spec.subscription.startingCSV"
        )
    })
}

/// Returns the reason why the controller knows no starting bundle. Without a starting bundle, OLM
/// would install the newest bundle.
fn unpinned(case: &Case<'_>, wanted: &DesiredSubscription) -> String {
    let why = match &case.answers.offer {
        Answer::Found(offer) => {
            return format!(
                "the Subscription is not created because no bundle of channel {} in catalog {} is \
                 allowed; allow a bundle, or set another channel{}",
                wanted.channel.as_str(),
                offer.catalog,
                offered::unknown_bundles(case, offer)
            );
        }
        Answer::NotFound(sentence) => sentence.clone(),
        Answer::Unavailable(unavailable) => unavailable.to_string(),
        Answer::NotAsked => "the resolver has not been queried yet".to_owned(),
    };
    format!(
        "the Subscription is not created because the newest allowed bundle is unknown: {why}; set \
         spec.subscription.startingCSV to create the Subscription now"
    )
}

fn create(case: &Case<'_>, wanted: &DesiredSubscription) -> Step {
    let package = case.intent.subscription.package.as_str();
    let done = format!("Subscription {} was created", full_name(case));
    Step {
        action: change::create(
            SUBSCRIPTION,
            (&case.namespace.name, package),
            &marks(case, true),
            spec(case, wanted),
        ),
        type_: TYPE,
        done: Condition::good(TYPE, Reason::SubscriptionCreated, done),
        related: vec![known(entry(case, "Compliant", CREATED), None, true)],
    }
}

fn spec(case: &Case<'_>, wanted: &DesiredSubscription) -> Value {
    let mut spec = json!({
        "name": case.intent.subscription.package.as_str(),
        "channel": wanted.channel.as_str(),
        "source": wanted.source,
        "sourceNamespace": wanted.source_namespace,
        "installPlanApproval": approval(wanted),
    });
    if let Some(starting) = &wanted.starting_csv {
        spec["startingCSV"] = json!(starting.as_str());
    }
    if let Some(config) = wanted.config.as_ref().filter(|config| !config.is_empty()) {
        spec["config"] = json!(config);
    }
    spec
}
