//! Judges the Subscription of a policy.

mod absent;
mod config;
mod neighbors;
mod resolution;
#[cfg(test)]
mod tests;

use jiff::Timestamp;
use portolan_api::{
    CREATED_BY, ConditionType, Form, MANAGED, PolicyId, Reason, RelatedObject, Says, Withheld,
};
use portolan_core_olm::{Condition as OlmCondition, Subscription};
use serde_json::{Value, json};

use crate::case::{Case, DesiredSubscription};
use crate::change::{self, Change, Changed, Field};
use crate::contribution::{Contribution, known, related};
use crate::desired::{Condition, ConditionReason, Status, Target};
use crate::kinds::SUBSCRIPTION;
use crate::phrase::{INFORMS, READ_ONLY};
use crate::{Answer, managed, offered, words};
use resolution::Resolution;

const TYPE: ConditionType = ConditionType::SubscriptionCompliant;
/// The prefix of the metadata fields that contain the marks of a policy.
const MARKS: &str = "metadata.";
const AS_EXPECTED: &str = "Resource found as expected";
const MISSING: &str = "Resource not found but should exist";
const DIFFERS: &str = "Resource found but does not match";
const CREATED: &str = "K8s creation success";
const UPDATED: &str = "K8s update success";

/// The result of judging the Subscription.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Subscribed {
    pub(crate) contribution: Contribution,
    /// True if the Subscription matches the policy. Then OLM plans the changes that the policy
    /// wants.
    pub(crate) is_right: bool,
    /// The planned time of the repair. None if the Subscription needs no repair.
    pub(crate) intervention: Option<Timestamp>,
}

impl Subscribed {
    /// Returns true if the Subscription is about to change: it does not match the policy yet, or a
    /// write is pending.
    pub(crate) fn settles(&self) -> bool {
        !self.is_right || !self.contribution.steps.is_empty()
    }
}

impl From<Contribution> for Subscribed {
    fn from(contribution: Contribution) -> Self {
        Self {
            contribution,
            is_right: false,
            intervention: None,
        }
    }
}

/// Judges the Subscription, and adds the steps that correct it. Adds no steps until the
/// OperatorGroup is correct.
pub(crate) fn judge(
    case: &Case<'_>,
    wanted: &DesiredSubscription,
    group_is_right: bool,
) -> Subscribed {
    let Some(present) = case.subscription() else {
        return absent::judge(case, wanted, group_is_right).into();
    };
    if present.metadata.deletion_timestamp.is_some() {
        return deleting(case, present).into();
    }
    let mut fields = fields(case, wanted, present);
    if !case.intent.is_enforced() || others_mark(case).is_some() {
        fields = change::written(fields);
    }
    let change = Change::of(&present.metadata, &fields);
    let is_foreign = case.intent.is_enforced() && !is_marked(case, present);
    if change.differs() || is_foreign {
        let change = if is_foreign { change.marking() } else { change };
        let lacking = offered::lacking(case, wanted);
        return differing(case, present, &change, (lacking, group_is_right)).into();
    }
    let mut subscribed = right(case, wanted, present);
    if change.is_needed() && case.acts() && group_is_right {
        own(case, present, &change, &mut subscribed.contribution);
    }
    subscribed
}

/// Returns the conditions that OLM reports in the Subscription. Omits condition types that a policy
/// also has.
pub(crate) fn olm_conditions(case: &Case<'_>) -> Vec<OlmCondition> {
    let is_ours = |name: &str| ConditionType::parse(name).is_some();
    let conditions = case.subscription().into_iter();
    let conditions = conditions.flat_map(|present| &present.status.conditions);
    let foreign = conditions.filter(|each| !each.r#type.is_empty() && !is_ours(&each.r#type));
    let mut olm: Vec<_> = foreign.cloned().collect();
    olm.sort_by(|one, other| one.r#type.cmp(&other.r#type));
    olm.dedup_by(|one, other| one.r#type == other.r#type);
    olm
}

fn deleting(case: &Case<'_>, present: &Subscription) -> Contribution {
    let message = format!(
        "Subscription {} is being deleted; the controller continues when the deletion is complete",
        full_name(case)
    );
    let related = of(case, present, "NonCompliant", "Resource is being deleted");
    Contribution::of(Condition::bad(TYPE, Reason::SubscriptionDeleting, message))
        .add_related(TYPE, vec![related])
}

/// Returns the fields of the spec to compare, each with its current and its wanted value.
fn fields(case: &Case<'_>, wanted: &DesiredSubscription, present: &Subscription) -> Vec<Field> {
    let spec = &present.spec;
    let package = case.intent.subscription.package.as_str();
    let mut fields = vec![
        Field::text("name", &spec.package, Some(package)),
        Field::text("channel", &spec.channel, Some(wanted.channel.as_str())),
        Field::text("source", &spec.source, Some(&wanted.source)),
        Field::text(
            "sourceNamespace",
            &spec.source_namespace,
            Some(&wanted.source_namespace),
        ),
        Field::text("startingCSV", &spec.starting_csv, starting(case, present)),
        config::field(case, wanted, present),
    ];
    // A policy in inform mode does not report differences in this field.
    if case.intent.is_enforced() {
        let found = spec.install_plan_approval.to_string();
        fields.push(Field::text(
            "installPlanApproval",
            &found,
            Some(approval(wanted)),
        ));
    }
    fields
}

/// Returns the starting bundle that the policy names. If the policy names none but restricts
/// versions, returns the starting bundle that this controller has set before.
fn starting<'a>(case: &Case<'a>, present: &'a Subscription) -> Option<&'a str> {
    let written = case.intent.subscription.starting_csv.as_ref();
    let is_pinned = case.intent.restricts()
        && managed::owns(&present.metadata, &["spec", "startingCSV"])
        && !present.spec.starting_csv.is_empty();
    let pinned = is_pinned.then_some(present.spec.starting_csv.as_str());
    written.map_or(pinned, |written| Some(written.as_str()))
}

fn approval(wanted: &DesiredSubscription) -> &'static str {
    if wanted.is_manual {
        "Manual"
    } else {
        "Automatic"
    }
}

/// Returns true if the Subscription has the marks of the policy.
fn is_marked(case: &Case<'_>, present: &Subscription) -> bool {
    managed::is_own(case, &present.metadata) && managed::is_labeled(&present.metadata)
}

fn marks(case: &Case<'_>, is_created: bool) -> Value {
    let uid = case.observed.policy.metadata.uid.as_deref();
    let mut annotations = json!({MANAGED: managed::mark(case)});
    if let Some(uid) = uid.filter(|_| is_created) {
        annotations[CREATED_BY] = json!(uid);
    }
    json!({"labels": {MANAGED: ""}, "annotations": annotations})
}

/// Returns the name of the client that created the Subscription. Returns None if this policy or the
/// established controller created it.
fn maker(case: &Case<'_>, present: &Subscription) -> Option<String> {
    let metadata = &present.metadata;
    if managed::is_own(case, metadata) {
        return None;
    }
    if let Some(other) = managed::marked(metadata) {
        return Some(format!("policy {other}"));
    }
    match managed::others(metadata, &["spec"]).as_slice() {
        [] if managed::is_of_established(metadata) => None,
        [] => Some("another client".to_owned()),
        others => Some(others.join(" and ")),
    }
}

/// Judges a Subscription that does not match the policy or does not have the marks of the policy.
fn differing(
    case: &Case<'_>,
    present: &Subscription,
    change: &Change,
    (lacking, group_is_right): (Option<String>, bool),
) -> Contribution {
    let mut message = if change.differs() {
        format!(
            "Subscription {} does not match the policy: {}",
            full_name(case),
            change.describe()
        )
    } else {
        format!(
            "Subscription {} is not marked as managed by this policy",
            full_name(case)
        )
    };
    let maker = maker(case, present);
    if let Some(maker) = &maker {
        message.push_str(&format!("; the Subscription was created by {maker}"));
    }
    let stays = why_not(case, change, group_is_right).or_else(|| {
        let why = withholds(case, lacking.as_deref())?;
        let what = format!("the Subscription is not changed because {why}");
        Some((Reason::SubscriptionMismatch, what))
    });
    let is_changed = stays.is_none();
    let (reason, what) = stays.unwrap_or_else(|| {
        let what = match maker {
            Some(_) => "the Subscription will be taken over",
            None => "the Subscription will be changed",
        };
        (Reason::SubscriptionMismatch, what.to_owned())
    });
    let message = with_missing(format!("{message}; {what}"), lacking.as_deref());
    let part = Contribution::of(Condition::bad(TYPE, reason, message))
        .add_related(TYPE, vec![of(case, present, "NonCompliant", DIFFERS)]);
    if is_changed {
        changing(case, present, change, part)
    } else {
        part
    }
}

fn changing(
    case: &Case<'_>,
    present: &Subscription,
    change: &Change,
    part: Contribution,
) -> Contribution {
    let changed = Changed {
        done: Condition::good(
            TYPE,
            Reason::SubscriptionUpdated,
            updated(case, present, change),
        ),
        related: vec![of(case, present, "Compliant", UPDATED)],
    };
    let is_created = managed::is_created(case, &present.metadata);
    let steps = change.steps(&target(present), &marks(case, is_created), &changed);
    steps.into_iter().fold(part, Contribution::add_step)
}

/// Returns the reason why the controller does not write a Subscription that OLM cannot resolve.
/// Returns None if the controller writes it. In the design form, it is not written, because a
/// missing channel would block the whole namespace. In the established form, it is always written.
fn withholds<'a>(case: &Case<'_>, lacking: Option<&'a str>) -> Option<&'a str> {
    match case.intent.form {
        Form::Design => lacking,
        Form::Established => None,
    }
}

/// Adds the name of the missing object to a message, unless the message already contains this name.
fn with_missing(message: String, lacking: Option<&str>) -> String {
    match lacking {
        Some(lacking) if !message.contains(lacking) => format!("{message}; {lacking}"),
        Some(_) | None => message,
    }
}

/// Returns the reason why the controller does not change a Subscription that differs from the
/// policy. Returns None if the controller changes it.
fn why_not(case: &Case<'_>, change: &Change, group_is_right: bool) -> Option<(Reason, String)> {
    let differs = |why: &str| Some((Reason::SubscriptionMismatch, why.to_owned()));
    if !case.intent.is_enforced() {
        return differs(&format!(
            "the Subscription is not changed because {INFORMS}"
        ));
    }
    if !case.acts() {
        return differs(&format!(
            "the Subscription is not changed because {READ_ONLY}"
        ));
    }
    let package = case.intent.subscription.package.as_str();
    if let Some(other) = others_mark(case) {
        let why = format!(
            "the Subscription is not changed because policy {other} also manages it; enforce only \
             one of the two policies"
        );
        return differs(&why);
    }
    let mut contests = case.observed.contested.iter();
    let contest = contests.find(|contest| {
        (contest.kind, contest.name.as_str()) == (SUBSCRIPTION.1, package)
            && (change.touches(&contest.field) || contest.field.starts_with(MARKS))
    });
    if let Some(contest) = contest {
        let why = format!(
            "the Subscription is no longer changed because {} keeps reverting {}{}",
            contest.manager,
            contest.field,
            consequence(&contest.field)
        );
        return Some((Reason::Contested, why));
    }
    if group_is_right {
        None
    } else {
        differs("the Subscription is not changed until the OperatorGroup is correct")
    }
}

/// Returns the consequence while another client keeps changing a field, as the end of a sentence.
/// Empty if there is no consequence.
fn consequence(field: &str) -> &'static str {
    match field {
        "spec.installPlanApproval" => {
            "; meanwhile, OLM may approve InstallPlans that no policy \
                                       has reviewed"
        }
        _ => "",
    }
}

/// Returns the mark of another policy on the Subscription, as `NAMESPACE.NAME`. Returns None if
/// there is no such mark, or if this other policy does not exist or is not enforced.
fn others_mark<'a>(case: &Case<'a>) -> Option<&'a str> {
    let mark = managed::marked(&case.subscription()?.metadata)?;
    let mut others = case.observed.neighbors.iter().filter(|other| {
        let PolicyId {
            namespace, name, ..
        } = &other.id;
        mark == format!("{namespace}.{name}") && mark != managed::mark(case)
    });
    let enforces = |says: &Says| match says {
        Says::Allows(_) | Says::Withholds(Withheld::Overlaps(_) | Withheld::MustNotHave) => true,
        Says::Withholds(Withheld::Leaving | Withheld::Invalid(_) | Withheld::Inform) => false,
    };
    others.any(|other| enforces(&other.says)).then_some(mark)
}

/// Returns a sentence about the change of the Subscription. If another client created the
/// Subscription, the sentence names this client.
fn updated(case: &Case<'_>, present: &Subscription, change: &Change) -> String {
    let changed = if change.differs() {
        format!(" was changed: {}", change.describe_after())
    } else {
        " is marked as managed".to_owned()
    };
    let from = match maker(case, present) {
        Some(maker) => format!("; the Subscription was taken over from {maker}"),
        None => String::new(),
    };
    format!("Subscription {}{changed}{from}", full_name(case))
}

/// Judges a Subscription whose values match the policy. OLM may still be unable to resolve the
/// Subscription.
fn right(case: &Case<'_>, wanted: &DesiredSubscription, present: &Subscription) -> Subscribed {
    let resolution = resolution::of(case, present);
    let lacking = offered::lacking(case, wanted);
    let (condition, entry) = match (&resolution, &lacking) {
        (Resolution::Failed(condition, reason), _) => {
            let message = with_missing(condition.message.clone(), lacking.as_deref());
            let condition = Condition {
                message,
                ..condition.clone()
            };
            (condition, of(case, present, "NonCompliant", reason))
        }
        // OLM reports the missing object only after its next resolution, so the controller reports
        // it now.
        (Resolution::Fine | Resolution::Blocked(_), Some(lacking)) => {
            let message = format!(
                "Subscription {} cannot be resolved: {lacking}",
                full_name(case)
            );
            let reason = Reason::ConstraintsNotSatisfiable;
            let entry = of(case, present, "NonCompliant", reason.as_str());
            (Condition::bad(TYPE, reason, message), entry)
        }
        (Resolution::Fine, None) => (matches(case, wanted, ""), fits(case, present)),
        (Resolution::Blocked(culprits), None) => {
            let note = format!(
                "; OLM installs nothing newer in namespace {} until it can resolve {}",
                case.namespace.name,
                culprits.join(" and ")
            );
            (matches(case, wanted, &note), fits(case, present))
        }
    };
    let condition = neighbors::beside(case, condition);
    let part = Contribution::of(condition).add_related(TYPE, vec![entry]);
    Subscribed {
        is_right: true,
        ..resolution::intervene(case, present, &resolution, part)
    }
}

fn fits(case: &Case<'_>, present: &Subscription) -> RelatedObject {
    of(case, present, "Compliant", AS_EXPECTED)
}

fn matches(case: &Case<'_>, wanted: &DesiredSubscription, note: &str) -> Condition {
    let message = format!(
        "Subscription {} matches the policy{}{}{note}",
        full_name(case),
        config::pruned(case, wanted),
        newer_default(case, wanted)
    );
    Condition::good(TYPE, Reason::SubscriptionMatches, message)
}

/// Returns a sentence with the catalog's default channel if the Subscription uses another channel
/// and the policy names no channel. Empty otherwise.
fn newer_default(case: &Case<'_>, wanted: &DesiredSubscription) -> String {
    let Answer::Found(offer) = &case.answers.offer else {
        return String::new();
    };
    let (default, channel) = (offer.default_channel.as_str(), wanted.channel.as_str());
    let is_open = case.intent.subscription.channel.is_none();
    if is_open && !default.is_empty() && default != channel {
        format!(
            "; the Subscription stays in channel {channel}, although the default channel is \
                 now {default}"
        )
    } else {
        String::new()
    }
}

/// Adds the steps that take ownership of fields whose values already match. The condition does not
/// change.
fn own(case: &Case<'_>, present: &Subscription, change: &Change, part: &mut Contribution) {
    let is_created = managed::is_created(case, &present.metadata);
    let steps = change.quietly(part, &target(present), &marks(case, is_created));
    part.steps.splice(0..0, steps);
}

fn target(present: &Subscription) -> Target {
    let (api_version, kind) = SUBSCRIPTION;
    Target::of(api_version, kind, present)
}

/// Returns the namespace and the name of the Subscription, separated by a slash.
fn full_name(case: &Case<'_>) -> String {
    let package = &case.intent.subscription.package;
    format!("{}/{package}", case.namespace.name)
}

fn entry(case: &Case<'_>, compliant: &str, reason: &str) -> RelatedObject {
    let package = case.intent.subscription.package.as_str();
    let at = (Some(case.namespace.name.as_str()), package);
    related(SUBSCRIPTION, at, Some(compliant), reason)
}

fn of(case: &Case<'_>, present: &Subscription, compliant: &str, reason: &str) -> RelatedObject {
    let uid = present.metadata.uid.as_deref();
    let is_created = managed::is_created(case, &present.metadata);
    known(entry(case, compliant, reason), uid, is_created)
}

/// Builds a condition with the status False and the reason that OLM reports.
fn in_words_of_olm(reason: &str, message: String, since: Option<Timestamp>) -> Condition {
    Condition {
        type_: TYPE,
        status: Status::False,
        reason: ConditionReason::Olm(words::reason(reason).to_owned()),
        message,
        violates: true,
        since,
    }
}
