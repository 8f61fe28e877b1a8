//! An OperatorPolicy with templates in, the one that it stands for out.
//!
//! Whoever parses policies resolves them first: what is resolved has no templates any more, and is an ordinary
//! policy to everything behind it.

use std::collections::BTreeSet;

use portolan_api::OperatorPolicy;
use serde_json::{Map, Value as Json};

use crate::objects::{Lookup, Objects};
use crate::resolve::{Outcome, has_template, resolve};

/// The fields of a spec whose texts are templates. Each is a document of its own: variables end with it.
const FIELDS: &[&str] = &["subscription", "operatorGroup", "versions", "allowedCSVs"];

/// The one place that may depend on a Secret, below `spec`: nothing that is said of a policy has it in it.
const MAY_BE_SECRET: &str = "subscription.config";

/// What became of the templates of a policy.
#[derive(Debug, Clone, PartialEq)]
pub struct PolicyResolution {
    /// Each object that was asked for: when one changes, the policy may become another.
    pub lookups: BTreeSet<Lookup>,
    pub outcome: PolicyOutcome,
}

#[derive(Debug, Clone, PartialEq)]
pub enum PolicyOutcome {
    /// It has no templates.
    Plain,
    Resolved(Box<ResolvedPolicy>),
    /// Sentences, each of which begins with a field.
    Refused(Vec<String>),
    /// One of the lookups was not answered yet.
    Unread,
}

/// A policy without templates.
#[derive(Debug, Clone, PartialEq)]
pub struct ResolvedPolicy {
    /// Says that it has no templates: what came out of one is text, be there braces in it.
    pub policy: OperatorPolicy,
    /// Its spec for people, without what Secrets hold.
    pub shown: Json,
}

/// Resolves the templates of a policy; `now` is in seconds since 1970.
#[must_use]
pub fn resolve_policy(
    policy: &OperatorPolicy,
    objects: &dyn Objects,
    now: i64,
) -> PolicyResolution {
    let mut lookups = BTreeSet::new();
    let spec = policy.spec.as_json().as_object();
    let spec = spec.filter(|spec| policy.has_templates() && has_fields_to_resolve(spec));
    let outcome = match spec {
        Some(spec) => resolved(policy, spec, objects, now, &mut lookups),
        None => PolicyOutcome::Plain,
    };
    PolicyResolution { lookups, outcome }
}

fn has_fields_to_resolve(spec: &Map<String, Json>) -> bool {
    FIELDS
        .iter()
        .any(|field| spec.get(*field).is_some_and(has_template))
}

fn resolved(
    policy: &OperatorPolicy,
    spec: &Map<String, Json>,
    objects: &dyn Objects,
    now: i64,
    lookups: &mut BTreeSet<Lookup>,
) -> PolicyOutcome {
    let (mut spec, mut shown) = (spec.clone(), spec.clone());
    let mut refused = Vec::new();
    let mut is_unread = false;
    for field in FIELDS {
        let Some(written) = spec.get(*field).filter(|written| has_template(written)) else {
            continue;
        };
        let mut resolution = resolve(written, objects, now);
        lookups.append(&mut resolution.lookups);
        match resolution.outcome {
            Outcome::Resolved(resolved) => {
                secret_places(&resolved.value, &resolved.shown, field, &mut refused);
                spec.insert((*field).to_owned(), resolved.value);
                shown.insert((*field).to_owned(), resolved.shown);
            }
            Outcome::Refused(refusal) => refused.push(format!("spec.{field}: {refusal}")),
            Outcome::Unread => is_unread = true,
        }
    }
    if is_unread {
        return PolicyOutcome::Unread;
    }
    if !refused.is_empty() {
        return PolicyOutcome::Refused(refused);
    }
    let policy = policy.with_plain_spec(Json::Object(spec));
    let shown = Json::Object(shown);
    PolicyOutcome::Resolved(Box::new(ResolvedPolicy { policy, shown }))
}

/// Refuses each place where something shows that is not what it is.
fn secret_places(value: &Json, shown: &Json, path: &str, refused: &mut Vec<String>) {
    if value == shown || path == MAY_BE_SECRET {
        return;
    }
    match (value, shown) {
        (Json::Object(values), Json::Object(shown)) if values.keys().eq(shown.keys()) => {
            for (name, value) in values {
                secret_places(value, &shown[name], &format!("{path}.{name}"), refused);
            }
        }
        (Json::Array(values), Json::Array(shown)) if values.len() == shown.len() => {
            for (index, (value, shown)) in values.iter().zip(shown).enumerate() {
                secret_places(value, shown, &format!("{path}[{index}]"), refused);
            }
        }
        _ => refused.push(format!(
            "spec.{path} depends on a Secret, and the status tells it; take it from a ConfigMap, or write it \
             below spec.{MAY_BE_SECRET}"
        )),
    }
}
