//! The schemas of the specs of Policy and PolicyBinding, for API servers and for `kubectl explain`.
//! The parser checks everything again, with its own messages. Only the parser checks crontab lines
//! and Rego rules completely.

use portolan_core_rules::rego::LONGEST;
use portolan_core_rules::schedule::Moments;
use schemars::Schema;
use serde_json::{Value, json};

use super::binding::MOST;
use super::intent::{LONGEST_ZONE, MOST_SCHEDULES};
use crate::place::{LONGEST_LABEL, LONGEST_SUBDOMAIN};
use crate::schema::{
    LABEL, RULES, at_least_one, bounded, finished, list, object, rule, subdomain, text, with,
};

/// The pattern of a crontab line. It checks only that there are five fields with allowed
/// characters.
const LINE: &str = r"^\s*([0-9A-Za-z*,/\-]+\s+){4}[0-9A-Za-z*,/\-]+\s*$";
/// The pattern of the name of a time zone.
const ZONE: &str = r"^[A-Za-z0-9_+\-]+(/[A-Za-z0-9_+\-]+)*$";
/// The pattern of the name of an operator, or `*`.
const NAME: &str = r"^(\*|[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)$";

const EITHER: &str = "must have schedule, opaPolicy or both";
const GROUPS: &str = "apiGroup must be operators.operatorframework.io for an Operator, and \
                      policy.open-cluster-management.io for an OperatorPolicy";
const NAMESPACES: &str = "namespace is required for an OperatorPolicy unless name is *, and not \
                          allowed for an Operator";

pub(super) fn policy() -> Schema {
    let schema = object(
        "Time windows and a rule that allow operators to change their version. Set schedule, \
         opaPolicy or both. If both are set, both must allow the change.",
        json!({
            "opaPolicy": with(
                text(
                    "A rule in Rego version 1, the language of the Open Policy Agent, without \
                     package and import statements. The rule allows a change if it sets allow to \
                     true. In the rule, time.now_ns() returns the time for which the change is \
                     checked.",
                ),
                "maxLength",
                json!(LONGEST),
            ),
            "schedule": with(at_least_one(list(
                "The time windows. A change can start only while at least one window is open. A \
                 change that has started continues after the window closes.",
                schedule(),
            )), "maxItems", json!(MOST_SCHEDULES)),
        }),
    );
    let rules = json!([rule("has(self.schedule) || has(self.opaPolicy)", EITHER)]);
    finished(with(schema, RULES, rules))
}

fn schedule() -> Value {
    let schedule = object(
        "A recurring time window. It opens at each start time and closes at the next end time. The \
         end time is not part of the window.",
        json!({
            "end": bounded(
                "The times when the window closes, as a crontab line: minute, hour, day of the \
                 month, month, weekday.",
                LINE,
                Moments::LONGEST,
            ),
            "start": bounded(
                "The times when the window opens, as a crontab line: minute, hour, day of the \
                 month, month, weekday.",
                LINE,
                Moments::LONGEST,
            ),
            "timeZone": bounded(
                "The IANA time zone of the start and end times, such as Europe/Berlin. Defaults to \
                 UTC.",
                ZONE,
                LONGEST_ZONE,
            ),
        }),
    );
    with(schedule, "required", json!(["start", "end"]))
}

pub(super) fn binding() -> Schema {
    let schema = object(
        "The Policies, and the operators that the Policies apply to. If a Policy or an operator in \
         the spec does not exist, the PolicyBinding has no effect.",
        json!({
            "policyRef": some("The Policies to apply. All of them must allow a \
                               change.", reference()),
            "subjects": some("The operators that the Policies apply to.", subject()),
        }),
    );
    finished(with(schema, "required", json!(["subjects", "policyRef"])))
}

fn some(description: &str, items: Value) -> Value {
    let list = at_least_one(list(description, items));
    with(list, "maxItems", json!(MOST))
}

fn subject() -> Value {
    let subject = object(
        "An operator, or all operators of a kind.",
        json!({
            "apiGroup": bounded(
                "The API group of the kind. Optional.",
                "^(operators.operatorframework.io|policy.open-cluster-management.io)$",
                LONGEST_SUBDOMAIN,
            ),
            "kind": kind("The kind of the object: Operator or OperatorPolicy. \
                          Case-insensitive.", "operator(policy)?"),
            "name": bounded(
                "The name of the object, or * for all objects of the kind.",
                NAME,
                LONGEST_SUBDOMAIN,
            ),
            "namespace": bounded(
                "The namespace of the OperatorPolicy. Required for the kind OperatorPolicy, \
                 unless the name is *. If the name is * and the namespace is empty, the Policies \
                 apply to OperatorPolicies in all namespaces. Not allowed for the kind Operator.",
                LABEL,
                LONGEST_LABEL,
            ),
        }),
    );
    // The pattern of `kind` permits two words, which differ in their length. So the length is
    // enough to distinguish them.
    let is_operator = "size(self.kind) == 8";
    let rules = json!([
        rule(
            &format!(
                "!has(self.apiGroup) || ({is_operator}) == (self.apiGroup == \
                 'operators.operatorframework.io')"
            ),
            GROUPS,
        ),
        rule(
            &format!(
                "({is_operator}) ? !has(self.__namespace__) : (has(self.__namespace__) || self.name == '*')"
            ),
            NAMESPACES,
        ),
    ]);
    let subject = with(subject, RULES, rules);
    with(subject, "required", json!(["kind", "name"]))
}

fn reference() -> Value {
    let reference = object(
        "A reference to a Policy.",
        json!({
            "apiGroup": bounded(
                "The API group of the kind. Optional.",
                "^operators.operatorframework.io$",
                LONGEST_SUBDOMAIN,
            ),
            "kind": kind("The kind of the referenced object. The only allowed value is Policy, in \
                          upper or lower case. Defaults to Policy.", "policy"),
            "name": subdomain("The name of the Policy."),
        }),
    );
    with(reference, "required", json!(["name"]))
}

/// Returns the schema of a word in upper or lower case. The pattern lists both cases of each
/// letter, because some programs do not support flags in patterns.
fn kind(description: &str, word: &str) -> Value {
    let letters = word.chars().map(|c| match c {
        'a'..='z' => format!("[{}{c}]", c.to_ascii_uppercase()),
        other => other.to_string(),
    });
    bounded(
        description,
        &format!("^{}$", letters.collect::<String>()),
        LONGEST_LABEL,
    )
}
