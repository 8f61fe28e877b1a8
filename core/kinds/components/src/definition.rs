//! The definition of OLM with our version in it, and without.

use portolan_api::components::{DEFINITION, MARK, STORAGE, VERSION, version};
use portolan_core_names::text::pointer_step;
use serde_json::{Value, json};

/// The wanted state of the definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WantedDefinition {
    /// It has our version, converted by this Service.
    Serve {
        service: ConversionService,
        /// Also where somebody has taken the version out.
        keep: bool,
    },
    /// It is as OLM has it.
    Remove,
}

/// The Service that API servers ask to convert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversionService {
    pub namespace: String,
    pub name: String,
    pub port: u16,
}

/// The path of conversion requests.
pub const PATH: &str = "/convert";

/// The step that is taken for the definition.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// It is as it shall be.
    Nothing,
    /// Operations of a JSON patch, and what they come to.
    Write(Vec<Value>, &'static str),
    /// Our version was taken out, and stays so.
    TakenOut(String),
    /// It is not touched, for this reason.
    Refused(String),
}

/// Returns the step for the definition as it is; `has_data` says whether objects have what only our
/// version shows.
pub fn about_definition(definition: &Value, wish: &WantedDefinition, has_data: bool) -> Step {
    match wish {
        WantedDefinition::Serve { service, keep } => served(definition, service, *keep, has_data),
        WantedDefinition::Remove => removed(definition),
    }
}

fn served(definition: &Value, service: &ConversionService, keep: bool, has_data: bool) -> Step {
    if let Some(why) = foreign(definition) {
        return Step::Refused(why);
    }
    let mut operations = Vec::new();
    let place = place(definition);
    let was_here = is_marked(definition) || has_data;
    match place {
        None if was_here && !keep => return Step::TakenOut(taken_out()),
        None => operations.push(put("/spec/versions/-", &version())),
        Some(at) if definition["spec"]["versions"][at] == version() => {}
        Some(at) => {
            operations.push(test(at));
            operations.push(json!({
                "op": "replace", "path": format!("/spec/versions/{at}"), "value": version(),
            }));
        }
    }
    operations.extend(converting(definition, service));
    if !is_marked(definition) {
        operations.extend(marking(definition));
    }
    match (operations.is_empty(), place) {
        (true, _) => Step::Nothing,
        (false, None) => Step::Write(operations, "version v2alpha1 is added"),
        (false, Some(_)) => Step::Write(operations, "version v2alpha1 is brought up to date"),
    }
}

fn taken_out() -> String {
    format!(
        "version {VERSION} was taken out of CustomResourceDefinition {DEFINITION}, by whoever applied that of \
         OLM again; what it showed is kept in annotations, and is shown again once the controller runs with \
         --keep-version"
    )
}

/// Why the definition is none to be changed.
fn foreign(definition: &Value) -> Option<String> {
    let spec = &definition["spec"];
    let versions = spec["versions"].as_array().into_iter().flatten();
    let stored = versions.clone().find(|it| it["storage"] == true);
    let stored = stored.and_then(|it| it["name"].as_str());
    if stored != Some(STORAGE) {
        let stored = stored.unwrap_or("no version");
        return Some(format!(
            "CustomResourceDefinition {DEFINITION} stores {stored} and not {STORAGE}, which is not that of OLM; \
             run the controller without --enable-v2alpha1"
        ));
    }
    let is_marked = is_marked(definition);
    let other = versions.clone().find(|it| it["name"] == VERSION);
    if let Some(other) = other
        && !is_marked
        && *other != version()
    {
        return Some(format!(
            "CustomResourceDefinition {DEFINITION} has a version {VERSION} of somebody else; run the controller \
             without --enable-v2alpha1, or take that version out"
        ));
    }
    let conversion = &spec["conversion"];
    if conversion["strategy"] == "Webhook" && !is_marked {
        return Some(format!(
            "CustomResourceDefinition {DEFINITION} is converted by a webhook of somebody else; run the controller \
             without --enable-v2alpha1, or take that conversion out"
        ));
    }
    None
}

fn is_marked(definition: &Value) -> bool {
    definition["metadata"]["annotations"][MARK].is_string()
}

fn place(definition: &Value) -> Option<usize> {
    let versions = definition["spec"]["versions"].as_array()?;
    versions.iter().position(|it| it["name"] == VERSION)
}

fn put(path: &str, value: &Value) -> Value {
    json!({"op": "add", "path": path, "value": value})
}

fn test(at: usize) -> Value {
    json!({"op": "test", "path": format!("/spec/versions/{at}/name"), "value": VERSION})
}

fn marking(definition: &Value) -> Vec<Value> {
    let mut operations = Vec::new();
    if !definition["metadata"]["annotations"].is_object() {
        operations.push(put("/metadata/annotations", &json!({})));
    }
    let path = format!("/metadata/annotations/{}", pointer_step(MARK));
    operations.push(put(&path, &json!("served")));
    operations
}

/// The conversion, if it is another one: who is trusted is written by somebody else.
fn converting(definition: &Value, service: &ConversionService) -> Option<Value> {
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
    let conversion = &definition["spec"]["conversion"];
    let bundle = &conversion["webhook"]["clientConfig"]["caBundle"];
    if bundle.is_string() {
        wanted["webhook"]["clientConfig"]["caBundle"] = bundle.clone();
    }
    (*conversion != wanted).then(|| put("/spec/conversion", &wanted))
}

fn removed(definition: &Value) -> Step {
    if !is_marked(definition) {
        return Step::Nothing;
    }
    let mut operations = Vec::new();
    if let Some(at) = place(definition) {
        operations.push(test(at));
        operations.push(json!({"op": "remove", "path": format!("/spec/versions/{at}")}));
    }
    if definition["spec"]["conversion"]["strategy"] == "Webhook" {
        operations.push(put("/spec/conversion", &json!({"strategy": "None"})));
    }
    let path = format!("/metadata/annotations/{}", pointer_step(MARK));
    operations.push(json!({"op": "remove", "path": path}));
    Step::Write(operations, "version v2alpha1 is taken out")
}
