//! Tests of generating Operators for requests that need no catalog.

mod echoed;
mod scratched;
mod updater;

use portolan_core_generate::{Document, Format, Generated, Knowledge, Outcome, Request, generate};
use serde_json::{Value, json};

fn operator(name: &str, package: &str, version: &str) -> Value {
    json!({
        "apiVersion": "operators.operatorframework.io/v1alpha1",
        "kind": "Operator",
        "metadata": {"name": name, "labels": {"team": "harbor"}},
        "spec": {"packageName": package, "version": version, "settleSeconds": 5},
        "status": {"versions": {"installed": version, "controller": "0.1.0"}},
    })
}

fn source(name: &str) -> Value {
    json!({
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "CatalogSource",
        "metadata": {"name": name, "namespace": "olm"},
        "spec": {"priority": 3},
    })
}

fn request(objects: impl IntoIterator<Item = Value>) -> Request {
    let documents = objects.into_iter().enumerate();
    let documents = documents.map(|(at, object)| Document {
        place: format!("input:{at}"),
        object,
        format: Format::Yaml,
    });
    Request {
        documents: Some(documents.collect()),
        version: "0.1.0".to_owned(),
        ..Request::default()
    }
}

/// Returns the output for a request. Asserts that it needs no query.
#[track_caller]
fn done(request: &Request) -> Generated {
    match generate(request, &Knowledge::default()) {
        Outcome::Done(generated) => *generated,
        Outcome::Asks(asks) => panic!("unexpected questions: {asks:?}"),
    }
}
