//! Reviews the object in a request.

use portolan_api::policy::{self, Binding, PolicyBinding};
use portolan_api::{Flaw, Intent, OperatorPolicy, Refusals, installs, operator, plan};
use portolan_core_install::{Contents, GroupKind, ManifestFault, Members, ObjectRef};
use portolan_core_names::text::some;
use portolan_core_olm::State;
use portolan_core_templates::{
    Answer, Lookup, Objects, PolicyOutcome, refused_policy, resolve_policy,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::admission::{Absent, Kind, Refused, Request, Response};

/// The maximum number of names in one warning.
const NAMED: usize = 6;

/// Reviews the object in a request. `absent` contains the references to objects that do not exist.
pub fn review(request: &Request, absent: &Absent) -> Response {
    let response = Response::allowed(request);
    let Some(kind) = request.reviewed() else {
        return response;
    };
    let faults = match kind {
        Kind::OperatorPolicy => operator_policy(&request.object),
        Kind::Operator => parsed(&request.object, operator::Intent::parse),
        Kind::Policy => upgrade_policy(&request.object),
        Kind::PolicyBinding => parsed::<PolicyBinding, _>(&request.object, Binding::parse),
        Kind::InstallPlan => install_plan(request),
        Kind::Install => parsed(&request.object, installs::Intent::parse),
    };
    let Faults { refused, doubtful } = faults;
    let mut response = Response {
        refused,
        warnings: doubtful,
        ..response
    };
    if kind == Kind::PolicyBinding && !absent.0.is_empty() {
        response = response.warning(names_what_is_absent(absent));
    }
    response
}

/// The errors and warnings about an object.
#[derive(Default)]
struct Faults {
    refused: Vec<Refused>,
    doubtful: Vec<String>,
}

impl Faults {
    fn refuse<T>(&mut self, parsed: &Result<T, Refusals>) {
        for refusal in parsed.as_ref().err().into_iter().flatten() {
            match &refusal.flaw {
                // A controller resolves templates and reports errors in them.
                Flaw::Template => {}
                // Only the hub cluster can resolve a hub template, so it causes only a warning.
                Flaw::HubTemplate => self.doubtful.push(refusal.to_string()),
                Flaw::Missing(_)
                | Flaw::Type { .. }
                | Flaw::Unknown { .. }
                | Flaw::OtherForm { .. }
                | Flaw::Word { .. }
                | Flaw::Value(_)
                | Flaw::Unresolved(_) => self.refused.push(Refused {
                    field: refusal.field.clone(),
                    sentence: refusal.flaw.to_string(),
                }),
            }
        }
    }
}

/// Parses the metadata and the spec of an object. Returns None if the metadata is invalid, which
/// API servers do not permit.
pub(crate) fn read<K: DeserializeOwned>(object: &Value) -> Option<K> {
    // The other fields are not reviewed, so they may have any content. Examples are managed fields
    // and a status of another version.
    let metadata = &object["metadata"];
    let metadata = json!({
        "name": metadata["name"], "namespace": metadata["namespace"],
        "annotations": metadata["annotations"],
    });
    let object = json!({"metadata": metadata, "spec": object["spec"]});
    serde_json::from_value(object).ok()
}

fn parsed<K: DeserializeOwned, T>(
    object: &Value,
    parse: impl FnOnce(&K) -> Result<T, Refusals>,
) -> Faults {
    let mut faults = Faults::default();
    if let Some(object) = read(object) {
        faults.refuse(&parse(&object));
    }
    faults
}

/// Reviews a Policy. An unknown field in its rule causes only a warning, because a later version of
/// Portolan may have the field.
fn upgrade_policy(object: &Value) -> Faults {
    let mut faults = Faults::default();
    let Some(policy) = read::<policy::Policy>(object) else {
        return faults;
    };
    let parsed = policy::Intent::parse(&policy);
    faults.refuse(&parsed);
    let rule = parsed.ok().and_then(|intent| intent.rule);
    let unknown = rule.iter().flat_map(policy::unknown_inputs).take(NAMED);
    let doubtful = unknown.map(|sentence| format!("spec.opaPolicy: {sentence}"));
    faults.doubtful.extend(doubtful);
    faults
}

fn operator_policy(object: &Value) -> Faults {
    parsed::<OperatorPolicy, _>(object, |policy| {
        match resolve_policy(policy, &Unread, 0).outcome {
            PolicyOutcome::Plain => Intent::parse(policy),
            PolicyOutcome::Resolved(policy) => Intent::parse(&policy),
            PolicyOutcome::Unread(refused) if refused.is_empty() => Intent::parse(policy),
            PolicyOutcome::Unread(refused) | PolicyOutcome::Refused(refused) => {
                Intent::parse(&refused_policy(policy, refused))
            }
        }
    })
}

/// Answers no lookup of a template, because the results of a template are not known before a
/// controller resolves it.
struct Unread;

impl Objects for Unread {
    fn answer(&self, _: &Lookup) -> Answer {
        Answer::Unread
    }
}

/// Reviews an InstallPlan and its manifests. The objects to which it refers are not needed, because
/// they may be created later.
fn install_plan(request: &Request) -> Faults {
    let mut faults = Faults::default();
    let Some(plan) = read::<plan::InstallPlan>(&request.object) else {
        return faults;
    };
    let parsed = plan::Intent::parse(&plan);
    faults.refuse(&parsed);
    let Ok(intent) = parsed else {
        return faults;
    };
    let identity = ObjectRef {
        kind: GroupKind::new(plan::GROUP, Kind::InstallPlan.as_str()),
        namespace: Some(request.namespace.clone()),
        name: request.name.clone(),
    };
    let read = Members::read(&intent, &identity, &Contents::default());
    let wrong = read.err().into_iter().flatten();
    let wrong = wrong.filter(|fault| fault.state == State::No);
    faults.refused.extend(wrong.map(refused));
    faults
}

fn refused(fault: ManifestFault) -> Refused {
    let ManifestFault {
        place,
        object,
        sentence,
        ..
    } = fault;
    Refused {
        field: place.to_string(),
        sentence: match object {
            Some(object) => format!("({object}) {sentence}"),
            None => sentence,
        },
    }
}

fn names_what_is_absent(absent: &Absent) -> String {
    format!(
        "the PolicyBinding names missing objects: {}; create these objects, or remove them from \
         the PolicyBinding",
        some(NAMED, &absent.0)
    )
}
