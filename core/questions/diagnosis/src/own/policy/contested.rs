//! Explains Subscriptions that an OperatorPolicy and another client change in turn.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use portolan_api::Reason;
use portolan_core_names::text::{cite, listed};
use portolan_core_olm::{Subscription, applying_tool, argo_cd_application, contacts};
use serde_json::{Map, Value, json};

use super::PolicyCase;
use crate::command::{POLICIES, SUBSCRIPTIONS, Target};
use crate::contested::APPLICATION;
use crate::cure::Cure;
use crate::own::OwnKind;
use crate::{Cause, Code, Evidence, Object, Procedure, Quote, State, Step, words};

/// The fields that are compared between the policy and its Subscription. The fields have the same
/// names in both objects.
const FIELDS: [&str; 4] = ["channel", "source", "sourceNamespace", "startingCSV"];

/// A field for which the policy and the Subscription have different values.
struct Field {
    name: &'static str,
    /// The value in the policy.
    wanted: String,
    /// The value in the Subscription.
    found: String,
}

/// The other client that changes the Subscription.
struct Writer {
    /// The name of the tool and of its source. None if the Subscription does not show the tool.
    tool: Option<String>,
    application: Option<String>,
    contacts: Option<String>,
}

/// Returns the headline: the version that keeps running, and the time since which another client
/// reverts the changes of the policy.
pub(super) fn headline(case: PolicyCase<'_>) -> String {
    let PolicyCase {
        object: policy,
        status,
        ..
    } = case;
    let mut related = status.related_objects.iter();
    let csv = related.find(|it| {
        let is_good = it.compliant.as_deref() == Some("Compliant");
        it.object.kind == "ClusterServiceVersion" && is_good
    });
    let runs = csv.map_or_else(String::new, |csv| {
        format!("{} keeps running. ", csv.object.metadata.name)
    });
    let mut said = status.conditions.iter();
    let said = said.find(|it| Reason::parse(&it.reason) == Some(Reason::Contested));
    let since = said.map_or_else(String::new, |said| {
        format!(" since {}", words::time(&said.last_transition_time))
    });
    let Some(subscription) = subscription(case) else {
        return format!("{runs}Another client has reverted the changes of {policy}{since}.");
    };
    let object = object(subscription);
    let values = fields(case, subscription).into_iter().map(|field| {
        let [found, wanted] = [&field.found, &field.wanted].map(|value| cite(value));
        let name = field.name;
        format!(" {object} stays at spec.{name} \"{found}\" instead of \"{wanted}\".")
    });
    let values: String = values.collect();
    let writer = Writer::of(subscription);
    let writer = writer.tool.as_deref().unwrap_or("Another client");
    format!("{runs}{writer} has reverted the changes of {policy}{since}.{values}")
}

/// Returns the cause for a condition that reports that another client reverts the policy's changes.
pub(super) fn cause(case: PolicyCase<'_>, said: &Condition) -> Cause {
    let (code, state) = (Code::DriftContested, State::Stuck);
    let cause = |message: &str| {
        let cause = Cause::new(code, state, case.object.clone(), message);
        cause.shown([Evidence::reported(case.object.clone(), said)])
    };
    let reported = words::sentence(&said.message);
    let Some(subscription) = subscription(case) else {
        let message = format!("Another client reverts the changes of the policy. {reported}");
        let who = "the owner of the other client, with the owner of the policy";
        return cause(&message).cured(Cure::external(who, UNKNOWN));
    };
    let object = object(subscription);
    let writer = Writer::of(subscription);
    let fields = fields(case, subscription);
    let message = message(case, &object, &writer, &fields);
    let quote = Quote::of("the controller of the policy", &said.message);
    let cause = cause(&message).quoting(quote);
    let application = writer.application.as_ref();
    let application = application.map(|name| Object::new(APPLICATION, "", name.as_str()));
    let target = Target::new(SUBSCRIPTIONS, &object.namespace, &object.name);
    let look = Step::new(
        &format!("Show {object}, with the clients that write it"),
        target.get_with_managers(),
    );
    let cause = Cause {
        at_fault: application.unwrap_or_else(|| object.clone()),
        also_at_fault: vec![case.object.clone()],
        ..cause
    };
    let action = format!(
        "Decide together which of the two values of {} is right. Then change the source of the other value. A \
         change of {object} in the cluster does not last.",
        named(&fields)
    );
    let who = format!(
        "the owner of {}{}, with the owner of {}{}",
        writer.name(),
        in_brackets(writer.contacts.as_deref()),
        case.object,
        in_brackets(contacts(&case.policy.metadata).as_deref())
    );
    let decide = vec![
        policy_decides(&object, &writer, &fields),
        writer_decides(case, &writer, &fields),
    ];
    let shown = fields.iter().map(|field| {
        Evidence::at(
            object.clone(),
            &format!("spec.{}", field.name),
            &field.found,
        )
    });
    cause
        .cured(Cure::advised(&who, &action, decide))
        .looked([look])
        .followed([check(case)])
        .shown(shown)
}

/// Returns the check after one of the sources has changed.
fn check(case: PolicyCase<'_>) -> Procedure {
    let policy = case.object;
    let target = Target::new(POLICIES, &policy.namespace, &policy.name);
    let wait = target.wait(".status.compliant", "Compliant");
    let title = "After the change, check that the policy is compliant. Its controller repeats the check within 10 minutes.";
    let comment = format!("Wait until {policy} is compliant");
    Procedure::of(title, vec![Step::new(&comment, wait)], "")
}

const UNKNOWN: &str = "Decide which of the two sets the field that the message names: change the other \
                       client, or change the policy.";

fn message(case: PolicyCase<'_>, object: &Object, writer: &Writer, fields: &[Field]) -> String {
    let writer = writer.name();
    let policy = case.object;
    let each = fields.iter().map(|field| {
        let Field {
            name,
            wanted,
            found,
        } = field;
        format!(
            "The policy sets spec.{name} to \"{}\", and {writer} sets it back to \"{}\".",
            cite(wanted),
            cite(found)
        )
    });
    let contest = format!("{policy} and {writer} write different values to {object}.");
    let stops = "The controller of the policy therefore waits, and repeats its change only every 10 minutes.";
    let all = std::iter::once(contest)
        .chain(each)
        .chain([stops.to_owned()]);
    all.collect::<Vec<_>>().join(" ")
}

/// Returns the alternative in which the policy sets the values. This alternative has no command,
/// because the source of the other client was not read.
fn policy_decides(object: &Object, writer: &Writer, fields: &[Field]) -> Procedure {
    let values = fields
        .iter()
        .map(|field| format!("spec.{} to \"{}\"", field.name, cite(&field.wanted)));
    let set = match fields {
        [] => format!("change {object} as the policy requires"),
        _ => format!("set {} in {object}", listed(values)),
    };
    let title = format!(
        "If the value of the policy is right: in {}, {set}.",
        writer.source()
    );
    let risk = if writer.application.is_some() {
        "At the next change of the value, change both sources. To let only the policy write the field, set \
         ignoreDifferences for it in the Application, with sync option RespectIgnoreDifferences=true."
    } else {
        "At the next change of the value, change both sources."
    };
    Procedure::without_command(&title, risk)
}

/// Returns the alternative in which the other client sets the values, and the policy adopts them.
fn writer_decides(case: PolicyCase<'_>, writer: &Writer, fields: &[Field]) -> Procedure {
    let policy = case.object;
    let kept = fields
        .iter()
        .map(|field| format!("spec.{} \"{}\"", field.name, cite(&field.found)));
    let stays = match fields {
        [] => "The Subscription stays as it is.".to_owned(),
        _ => format!("The Subscription stays at {}.", listed(kept)),
    };
    let risk =
        &*format!("{stays} If a hub cluster distributes the policy, change the policy there.");
    if fields.is_empty() {
        let title = format!(
            "If the values of {} are right: change {policy} to the values in the Subscription.",
            writer.name()
        );
        return Procedure::without_command(&title, risk);
    }
    let values = fields.iter().map(|field| {
        format!(
            "spec.subscription.{} to \"{}\"",
            field.name,
            cite(&field.found)
        )
    });
    let title = format!(
        "If the value of {} is right: set {} in {policy}.",
        writer.name(),
        listed(values)
    );
    let patch: Map<String, Value> = fields
        .iter()
        .map(|field| (field.name.to_owned(), json!(field.found)))
        .collect();
    let patch = json!({"spec": {"subscription": patch}});
    let target = Target::new(
        OwnKind::OperatorPolicy.resource(),
        &policy.namespace,
        &policy.name,
    );
    Procedure::command(&title, target.merge(&patch), risk)
}

/// Returns the Subscription of the policy.
fn subscription(case: PolicyCase<'_>) -> Option<&Subscription> {
    let (namespace, name) = case.subscription_name()?;
    let mut all = case.subscriptions.iter();
    let found = all.find(|it| {
        let metadata = &it.metadata;
        metadata.namespace.as_deref() == Some(namespace) && metadata.name.as_deref() == Some(name)
    });
    found.map(|it| &**it)
}

fn object(subscription: &Subscription) -> Object {
    let metadata = &subscription.metadata;
    let namespace = metadata.namespace.as_deref().unwrap_or_default();
    let name = metadata.name.as_deref().unwrap_or_default();
    Object::new("Subscription", namespace, name)
}

/// Returns the fields whose values differ. Ignores values of the policy that contain a template,
/// because templates are not resolved here.
fn fields(case: PolicyCase<'_>, subscription: &Subscription) -> Vec<Field> {
    let spec = &subscription.spec;
    let wanted = &case.policy.spec.as_json()["subscription"];
    let found = [
        &spec.channel,
        &spec.source,
        &spec.source_namespace,
        &spec.starting_csv,
    ];
    let both = FIELDS.into_iter().zip(found);
    let different = both.filter_map(|(name, found)| {
        let wanted = wanted[name].as_str().filter(|it| !it.contains("{{"))?;
        let differs = !wanted.is_empty() && wanted != found;
        differs.then(|| Field {
            name,
            wanted: wanted.to_owned(),
            found: found.clone(),
        })
    });
    different.collect()
}

fn named(fields: &[Field]) -> String {
    match fields {
        [] => "the fields".to_owned(),
        fields => listed(fields.iter().map(|field| format!("spec.{}", field.name))),
    }
}

fn in_brackets(text: Option<&str>) -> String {
    text.map_or_else(String::new, |text| format!(" ({})", cite(text)))
}

// === impl Writer ===

impl Writer {
    fn of(subscription: &Subscription) -> Self {
        let metadata = &subscription.metadata;
        let application = argo_cd_application(metadata);
        Self {
            tool: applying_tool(metadata).map(|tool| cite(&tool)),
            application: application.map(cite),
            contacts: contacts(metadata),
        }
    }

    fn name(&self) -> &str {
        self.tool.as_deref().unwrap_or("another client")
    }

    fn source(&self) -> String {
        match (&self.application, &self.tool) {
            (Some(_), Some(tool)) => format!("the Git source of {tool}"),
            (None, Some(tool)) => tool.clone(),
            (_, None) => "the source of the other client".to_owned(),
        }
    }
}
