//! The schemas of the specs, for API servers and for `kubectl explain`. The parse asks for all of it once
//! more, in its own words; whether a line of a crontab or a rule can be read, it alone says.

use portolan_core_rego::LONGEST;
use portolan_core_schedule::Moments;
use schemars::Schema;
use serde_json::{Value, json};

use super::binding::MOST;
use super::intent::{LONGEST_ZONE, MOST_SCHEDULES};
use crate::place::{LONGEST_LABEL, LONGEST_SUBDOMAIN};
use crate::schema::{
    LABEL, RULES, at_least_one, bounded, finished, list, object, rule, subdomain, text, with,
};

/// Five fields, of what is written in any of them.
const LINE: &str = r"^\s*([0-9A-Za-z*,/\-]+\s+){4}[0-9A-Za-z*,/\-]+\s*$";
/// The pattern of the name of a time zone.
const ZONE: &str = r"^[A-Za-z0-9_+\-]+(/[A-Za-z0-9_+\-]+)*$";
/// The name of an operator, or all.
const NAME: &str = r"^(\*|[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)$";

const EITHER: &str = "write windows as schedule, or a rule as opaPolicy";
const GROUPS: &str = "an Operator is of operators.operatorframework.io, and an OperatorPolicy of \
                      policy.open-cluster-management.io";
const NAMESPACES: &str = "an OperatorPolicy has a namespace, and an Operator has none";

pub(super) fn policy() -> Schema {
    let schema = object(
        "When operators may move, and under which conditions. Where both are written, both must allow.",
        json!({
            "opaPolicy": with(
                text(
                    "A rule in Rego, the language of the Open Policy Agent, version 1, without its package: it \
                     allows if allow is true. time.now_ns() is the time that is asked about.",
                ),
                "maxLength",
                json!(LONGEST),
            ),
            "schedule": with(at_least_one(list(
                "Windows of time; one of them must be open. They are about the start of a move: one that \
                 has begun goes on.",
                schedule(),
            )), "maxItems", json!(MOST_SCHEDULES)),
        }),
    );
    let rules = json!([rule("has(self.schedule) || has(self.opaPolicy)", EITHER)]);
    finished(with(schema, RULES, rules))
}

fn schedule() -> Value {
    let schedule = object(
        "Windows from each start to the next end after it, without that instant.",
        json!({
            "end": bounded(
                "When windows close: minute, hour, day of the month, month and weekday, as in a crontab.",
                LINE,
                Moments::LONGEST,
            ),
            "start": bounded(
                "When windows open: minute, hour, day of the month, month and weekday, as in a crontab.",
                LINE,
                Moments::LONGEST,
            ),
            "timeZone": bounded(
                "The time zone of both, such as Europe/Berlin; UTC by default.",
                ZONE,
                LONGEST_ZONE,
            ),
        }),
    );
    with(schedule, "required", json!(["start", "end"]))
}

pub(super) fn binding() -> Schema {
    let schema = object(
        "Which operators each of some Policies is about. If something that it names is not there, it has \
         no effect.",
        json!({
            "policyRef": some("The Policies, each of which must allow.", reference()),
            "subjects": some("The operators.", subject()),
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
        "An operator, or all of a kind.",
        json!({
            "apiGroup": bounded(
                "The group of the kind; it may be left out.",
                "^(operators.operatorframework.io|policy.open-cluster-management.io)$",
                LONGEST_SUBDOMAIN,
            ),
            "kind": kind("Operator or OperatorPolicy, in whatever letters.", "operator(policy)?"),
            "name": bounded("Its name; * for all of the kind.", NAME, LONGEST_SUBDOMAIN),
            "namespace": bounded(
                "The namespace of an OperatorPolicy; beside * all namespaces, if it is left out.",
                LABEL,
                LONGEST_LABEL,
            ),
        }),
    );
    // Its pattern leaves two words, of different lengths.
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
        "A Policy.",
        json!({
            "apiGroup": bounded(
                "The group of the kind; it may be left out.",
                "^operators.operatorframework.io$",
                LONGEST_SUBDOMAIN,
            ),
            "kind": kind("Policy, in whatever letters; it may be left out.", "policy"),
            "name": subdomain("Its name."),
        }),
    );
    with(reference, "required", json!(["name"]))
}

/// A word in whatever letters. Patterns of API servers know no other way in every reader.
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
