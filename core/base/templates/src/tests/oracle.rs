//! Compares the results of templates and documents with the library of Open Cluster Management. The
//! program in `tests/oracle` wrote the expected results.

use serde::Deserialize;
use serde_json::Value as Json;

use super::cluster::{Cluster, rendered};
use crate::document::rewritten;
use crate::objects::{Answer, Lookup, Objects};
use crate::resolve::{Outcome, as_template, resolve};

#[derive(Deserialize)]
struct Table {
    objects: Vec<Json>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    template: Option<String>,
    document: Option<Json>,
    yaml: Option<String>,
    text: Option<String>,
    json: Option<Json>,
    error: Option<String>,
}

/// A cluster that serves only the kinds of its objects.
struct Served(Cluster);

impl Objects for Served {
    fn answer(&self, lookup: &Lookup) -> Answer {
        let Self(Cluster(objects)) = self;
        let is_there = objects.iter().any(|object| {
            object["kind"] == lookup.kind && object["apiVersion"] == lookup.api_version
        });
        if is_there {
            self.0.answer(lookup)
        } else {
            Answer::NoSuchKind
        }
    }
}

fn table() -> Table {
    let table = include_str!("../../tests/fixtures/cases.json");
    serde_json::from_str(table).expect("a valid table")
}

/// The cases whose errors have the same position as in Go, but another text. Go's errors contain
/// values, which may be secret, and regular expression engines have different error messages.
const WORDED_OTHERWISE: &[&str] = &[
    "{{call 1}}",
    r#"{{regexReplaceAll "(" "a" "b"}}"#,
    r#"{{call "x"}}"#,
    r#"{{len (lookup "v1" "ConfigMap" "" "" "app in").items}}"#,
    "{{eq (list 1) (list 1)}}",
    r#"{{eq (dict "a" 1) (dict "a" 1)}}"#,
];

#[test]
fn templates_render_like_the_original() {
    let Table { objects, cases } = table();
    let cluster = Served(Cluster(objects));
    let mut wrong = Vec::new();
    for case in &cases {
        let Some(template) = &case.template else {
            continue;
        };
        let ours = rendered(&rewritten(template), &cluster)
            .map(|(real, _)| real)
            .map_err(|fault| fault.to_string());
        let theirs = match (&case.text, &case.error) {
            (Some(text), _) => Ok(text.clone()),
            (None, error) => Err(error.clone().unwrap_or_default()),
        };
        let is_the_same = match (&ours, &theirs) {
            (Err(ours), Err(theirs)) if WORDED_OTHERWISE.contains(&template.as_str()) => {
                let place = |error: &str| error.split(": ").take(4).collect::<Vec<_>>().join(": ");
                place(ours) == place(theirs)
            }
            (ours, theirs) => ours == theirs,
        };
        if !is_the_same {
            wrong.push(format!(
                "{template}\n  ours:   {ours:?}\n  theirs: {theirs:?}"
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n")
    );
}

#[test]
fn documents_resolve_like_the_original() {
    let Table { objects, cases } = table();
    let cluster = Served(Cluster(objects));
    let mut wrong = Vec::new();
    for case in &cases {
        let Some(document) = &case.document else {
            continue;
        };
        let yaml = as_template(document);
        let ours = match resolve(document, &cluster, 0).outcome {
            Outcome::Resolved(resolved) => Ok(resolved.value),
            Outcome::Refused(refusal) => Err(refusal.to_string()),
            Outcome::Unread => panic!("everything is read"),
        };
        let theirs = match (&case.json, &case.error) {
            (_, Some(error)) => Err(error.clone()),
            (json, None) => Ok(json.clone().unwrap_or(Json::Null)),
        };
        let is_the_same = match (&ours, &theirs) {
            // YAML parsers have different error messages, so only errors of templates are compared.
            (Err(ours), Err(theirs)) => ours == theirs || !theirs.starts_with("template: "),
            (ours, theirs) => ours == theirs,
        };
        if case.yaml.as_ref() != Some(&yaml) || !is_the_same {
            wrong.push(format!(
                "{document}\n  our yaml:   {yaml:?}\n  their yaml: {:?}\n  ours:   {ours:?}\n  theirs: {theirs:?}",
                case.yaml.as_deref().unwrap_or_default()
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        cases.len(),
        wrong.join("\n")
    );
}
