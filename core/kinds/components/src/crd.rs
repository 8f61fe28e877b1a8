//! Adds the version v2alpha1 of Portolan to OLM's CustomResourceDefinition of Operators, and
//! removes it again.

use portolan_api::components::{DEFINITION, MARK, STORAGE, VERSION, version};
use portolan_core_names::text::pointer_step;
use serde_json::{Value, json};

/// The state that the CRD should have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WantedDefinition {
    /// The CRD contains Portolan's version, and this Service converts objects.
    Serve {
        service: ConversionService,
        /// True to add the version again if another client has removed it.
        keep: bool,
    },
    /// The CRD is in the original form of OLM.
    Remove,
}

/// The Service that API servers call to convert objects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversionService {
    pub namespace: String,
    pub name: String,
    pub port: u16,
}

/// The annotation value of a CRD that contains Portolan's version.
const SERVED: &str = "served";
/// The annotation value of a CRD from which Portolan has removed its version, although objects
/// still have data of this version. Without this value, it would look as if another client had
/// removed the version. Portolan would then not add it again.
const REMOVED: &str = "removed";

/// The path at which the Service receives conversion requests.
pub const PATH: &str = "/convert";

/// The next change of the CRD.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// The CRD already has the wanted state.
    Nothing,
    /// The operations of a JSON patch, and a description of the change.
    Write(Vec<Value>, &'static str),
    /// Another client has removed Portolan's version. Portolan does not add it again. Contains a
    /// message.
    TakenOut(String),
    /// Portolan does not change the CRD. Contains the reason.
    Refused(String),
}

/// Decides how to change the CRD. `has_data` is true if objects have data that only Portolan's
/// version shows.
pub fn about_definition(crd: &Value, wish: &WantedDefinition, has_data: bool) -> Step {
    match wish {
        WantedDefinition::Serve { service, keep } => served(crd, service, *keep, has_data),
        WantedDefinition::Remove => removed(crd, has_data),
    }
}

fn served(crd: &Value, service: &ConversionService, keep: bool, has_data: bool) -> Step {
    if let Some(why) = foreign(crd) {
        return Step::Refused(why);
    }
    let mut operations = Vec::new();
    let place = place(crd);
    let was_here = is_marked(crd) || has_data && mark(crd) != REMOVED;
    match place {
        None if was_here && !keep => return Step::TakenOut(taken_out()),
        None => operations.push(put("/spec/versions/-", &version())),
        Some(at) if crd["spec"]["versions"][at] == version() => {}
        Some(at) => {
            operations.push(test(at));
            operations.push(json!({
                "op": "replace", "path": format!("/spec/versions/{at}"), "value": version(),
            }));
        }
    }
    operations.extend(converting(crd, service));
    if !is_marked(crd) {
        operations.extend(marking(crd));
    }
    match (operations.is_empty(), place) {
        (true, _) => Step::Nothing,
        (false, None) => Step::Write(operations, "version v2alpha1 is added"),
        (false, Some(_)) => Step::Write(operations, "version v2alpha1 is updated"),
    }
}

fn taken_out() -> String {
    format!(
        "version {VERSION} was removed from CustomResourceDefinition {DEFINITION} when the CRD of \
         OLM was applied again; the data of this version is kept in annotations; to restore the \
         version, run the \
         controller with --keep-version"
    )
}

/// Returns the reason why Portolan must not change the CRD. Returns None if it may change the CRD.
fn foreign(crd: &Value) -> Option<String> {
    let spec = &crd["spec"];
    let versions = spec["versions"].as_array().into_iter().flatten();
    let stored = versions.clone().find(|it| it["storage"] == true);
    let stored = stored.and_then(|it| it["name"].as_str());
    if stored != Some(STORAGE) {
        let stored = stored.unwrap_or("no version");
        return Some(format!(
            "CustomResourceDefinition {DEFINITION} has the storage version {stored} instead of \
             {STORAGE}, so OLM did not create it; run the controller without --enable-v2alpha1"
        ));
    }
    let is_marked = is_marked(crd);
    let other = versions.clone().find(|it| it["name"] == VERSION);
    if let Some(other) = other
        && !is_marked
        && *other != version()
    {
        return Some(format!(
            "CustomResourceDefinition {DEFINITION} has a version {VERSION} that another owner \
             added; run the controller without --enable-v2alpha1, or remove that version"
        ));
    }
    let conversion = &spec["conversion"];
    if conversion["strategy"] == "Webhook" && !is_marked {
        return Some(format!(
            "CustomResourceDefinition {DEFINITION} is converted by a webhook of another owner; \
             run the controller without --enable-v2alpha1, or remove that conversion"
        ));
    }
    None
}

fn mark(crd: &Value) -> &Value {
    &crd["metadata"]["annotations"][MARK]
}

fn is_marked(crd: &Value) -> bool {
    mark(crd).is_string() && mark(crd) != REMOVED
}

fn place(crd: &Value) -> Option<usize> {
    let versions = crd["spec"]["versions"].as_array()?;
    versions.iter().position(|it| it["name"] == VERSION)
}

fn put(path: &str, value: &Value) -> Value {
    json!({"op": "add", "path": path, "value": value})
}

fn test(at: usize) -> Value {
    json!({"op": "test", "path": format!("/spec/versions/{at}/name"), "value": VERSION})
}

fn marking(crd: &Value) -> Vec<Value> {
    let mut operations = Vec::new();
    if !crd["metadata"]["annotations"].is_object() {
        operations.push(put("/metadata/annotations", &json!({})));
    }
    let path = format!("/metadata/annotations/{}", pointer_step(MARK));
    operations.push(put(&path, &json!(SERVED)));
    operations
}

/// Returns a patch of the conversion settings. Returns None if they are already correct. The patch
/// keeps the `caBundle`, because another program sets it.
fn converting(crd: &Value, service: &ConversionService) -> Option<Value> {
    let ConversionService {
        namespace,
        name,
        port,
    } = service;
    let mut wanted = json!({
        "strategy": "Webhook",
        "webhook": {
            "clientConfig": {
                "service": {"namespace": namespace, "name": name, "path": PATH, "port": port},
            },
            "conversionReviewVersions": ["v1"],
        },
    });
    let conversion = &crd["spec"]["conversion"];
    let bundle = &conversion["webhook"]["clientConfig"]["caBundle"];
    if bundle.is_string() {
        wanted["webhook"]["clientConfig"]["caBundle"] = bundle.clone();
    }
    (*conversion != wanted).then(|| put("/spec/conversion", &wanted))
}

fn removed(crd: &Value, has_data: bool) -> Step {
    if !is_marked(crd) {
        return Step::Nothing;
    }
    let mut operations = Vec::new();
    if let Some(at) = place(crd) {
        operations.push(test(at));
        operations.push(json!({"op": "remove", "path": format!("/spec/versions/{at}")}));
    }
    if crd["spec"]["conversion"]["strategy"] == "Webhook" {
        operations.push(put("/spec/conversion", &json!({"strategy": "None"})));
    }
    let path = format!("/metadata/annotations/{}", pointer_step(MARK));
    operations.push(if has_data {
        put(&path, &json!(REMOVED))
    } else {
        json!({"op": "remove", "path": path})
    });
    Step::Write(operations, "version v2alpha1 is removed")
}
