//! Resolves the templates of an OperatorPolicy.
//!
//! Callers resolve the templates of a policy before they parse the policy. After that, the policy
//! has no templates.

use std::collections::BTreeSet;

use portolan_api::{Flaw, OperatorPolicy, Refusal, Rendered};
use serde_json::{Map, Value as Json};

use crate::objects::{Lookup, Objects};
use crate::resolve::{self, Outcome, Resolved, has_template, resolve};

/// The fields of a spec that may contain templates. Each field is a separate document, with its own
/// variables.
const FIELDS: &[&str] = &["subscription", "operatorGroup", "versions", "allowedCSVs"];

/// The path of the only field that may depend on a Secret, before and after its index. Messages
/// about a policy never contain this field, and dumps omit it.
const MAY_BE_SECRET: [&str; 2] = ["subscription.config.env[", "].value"];

/// The result of resolving the templates of a policy.
#[derive(Debug, Clone, PartialEq)]
pub struct PolicyResolution {
    /// The objects that the templates looked up. If one of these objects changes, the result may
    /// change.
    pub lookups: BTreeSet<Lookup>,
    pub outcome: PolicyOutcome,
}

#[derive(Debug, Clone, PartialEq)]
pub enum PolicyOutcome {
    /// The policy has no templates.
    Plain,
    /// The templates were resolved. Contains the policy with the results.
    Resolved(Box<OperatorPolicy>),
    /// Templates have faults. Contains the faults.
    Refused(Vec<Refusal>),
    /// The result of a lookup is not known yet. Contains the faults that were already found.
    Unread(Vec<Refusal>),
}

/// Resolves the templates of a policy. `now` is in seconds since 1970.
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
    let written = Json::Object(spec.clone());
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
                secrets_refused(&resolved, field, &mut refused);
                spec.insert((*field).to_owned(), resolved.value);
                shown.insert((*field).to_owned(), resolved.shown);
            }
            Outcome::Refused(refusal) => refused.push(Refusal {
                field: format!("spec.{field}"),
                flaw: flaw(&refusal),
            }),
            Outcome::Unread => is_unread = true,
        }
    }
    if is_unread {
        return PolicyOutcome::Unread(refused);
    }
    if !refused.is_empty() {
        return PolicyOutcome::Refused(refused);
    }
    let rendered = Rendered {
        written,
        shown: Json::Object(shown),
        refused,
    };
    PolicyOutcome::Resolved(Box::new(policy.with_rendered(Json::Object(spec), rendered)))
}

fn flaw(refusal: &resolve::ResolveRefusal) -> Flaw {
    match refusal {
        resolve::ResolveRefusal::OfHub => Flaw::HubTemplate,
        resolve::ResolveRefusal::Fault(_)
        | resolve::ResolveRefusal::NoDocument(_)
        | resolve::ResolveRefusal::Hidden(_) => Flaw::Unresolved(refusal.to_string()),
    }
}

/// Returns the policy with the faults of its templates. The parser of the policy reports these
/// faults.
#[must_use]
pub fn refused_policy(policy: &OperatorPolicy, refused: Vec<Refusal>) -> OperatorPolicy {
    let written = policy.spec.written().clone();
    let rendered = Rendered {
        shown: written.clone(),
        written: written.clone(),
        refused,
    };
    policy.with_rendered(written, rendered)
}

/// Adds a refusal for each field that depends on a Secret but must not. Compares the two forms for
/// display, which differ at each mark, so the result does not depend on the content of a Secret. If
/// a Secret changes the structure of the document, the refusal names only the document.
fn secrets_refused(resolved: &Resolved, field: &str, refused: &mut Vec<Refusal>) {
    let Resolved {
        value,
        shown,
        otherwise,
        secrets,
    } = resolved;
    let before = refused.len();
    secret_places(shown, otherwise, field, refused);
    let mut others = Vec::new();
    secret_places(value, shown, field, &mut others);
    if refused.len() == before && !others.is_empty() {
        refused.push(Refusal {
            field: format!("spec.{field}"),
            flaw: flaw(&resolve::ResolveRefusal::Hidden(secrets.clone())),
        });
    }
}

/// Adds a refusal for each field in which two forms of a document differ.
fn secret_places(value: &Json, shown: &Json, path: &str, refused: &mut Vec<Refusal>) {
    if value == shown || may_be_secret(path, value) {
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
        _ => refused.push(Refusal {
            field: format!("spec.{path}"),
            flaw: Flaw::Value(
                "depends on a Secret, but is shown in the status; take it from a ConfigMap, or \
                 use it as the value of a variable in spec.subscription.config.env"
                    .to_owned(),
            ),
        }),
    }
}

/// Returns true if the field is the value of an environment variable, and is a text. The API server
/// rejects other values.
fn may_be_secret(path: &str, value: &Json) -> bool {
    let [before, behind] = MAY_BE_SECRET;
    let index = path.strip_prefix(before);
    let index = index.and_then(|rest| rest.strip_suffix(behind));
    let is_index = index.is_some_and(|it| it.bytes().all(|byte| byte.is_ascii_digit()));
    is_index && value.is_string()
}
