//! An index with one operator. Requests are answered without a server.

use portolan_core_installed::apiserver::{
    Answer, Documents, Listing, Question, Readable, Request, Status, Subject,
};
use portolan_core_installed::{Index, Original, Resource, Revision};
use serde_json::{Value, json};

/// The `Accept` header of kubectl.
pub(crate) const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
pub(crate) const PARTIAL: &str = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
/// The path for all namespaces.
pub(crate) const ALL: &str = "/apis/packages.operators.coreos.com/v2alpha1/installed";
/// The path for the namespace `harbor`.
pub(crate) const HARBOR: &str =
    "/apis/packages.operators.coreos.com/v2alpha1/namespaces/harbor/installed";

const SUBSCRIPTION: &str = r#"{"apiVersion":"operators.coreos.com/v1alpha1","kind":"Subscription","metadata":{"name":"ferry","namespace":"olm"},"spec":{"name":"ferry-package","channel":"stable","config":{"env":[{"name":"TOKEN","value":"secret"}]}},"status":{"installedCSV":"ferry.v1.0.0","currentCSV":"ferry.v1.1.0"}}"#;

/// Returns an index with one operator. It is installed in `olm`, and watches the namespaces
/// `harbor` and `olm`.
pub(crate) fn harbor() -> Index {
    let mut index = Index::new(Resource::ALL);
    let namespaces = ["harbor", "olm"].map(|name| json!({"metadata": {"name": name}}));
    let group = json!({
        "metadata": {"name": "all", "namespace": "olm"}, "status": {"namespaces": [""]},
    });
    let csv = csv("Succeeded");
    let lists = [
        (Resource::Namespaces, namespaces.to_vec(), 5),
        (Resource::OperatorGroups, vec![group], 6),
        (
            Resource::Subscriptions,
            vec![serde_json::from_str(SUBSCRIPTION).expect("JSON")],
            7,
        ),
        (Resource::ClusterServiceVersions, vec![csv], 8),
    ];
    for (resource, objects, revision) in lists {
        let originals = objects.iter().map(|object| original(resource, object));
        let originals: Vec<_> = originals.collect();
        index.replace(resource, originals, &Revision::from(revision));
    }
    index
}

pub(crate) fn csv(phase: &str) -> Value {
    json!({
        "apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion",
        "metadata": {
            "name": "ferry.v1.0.0", "namespace": "olm", "uid": "u1",
            "creationTimestamp": "2026-01-01T00:00:00Z", "labels": {"ships": "yes"},
        },
        "spec": {"version": "1.0.0"}, "status": {"phase": phase},
    })
}

pub(crate) fn original(resource: Resource, object: &Value) -> Original {
    Original::read(resource, &object.to_string()).expect("an original")
}

/// Returns the response to a user who may read everything except Subscriptions.
pub(crate) fn answered(index: &Index, method: &str, target: &str, accept: &[&str]) -> Answer {
    let response = respond(index, method, target, accept);
    response.unwrap_or_else(|status| Answer::refused(&status))
}

fn respond(index: &Index, method: &str, target: &str, accept: &[&str]) -> Result<Answer, Status> {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let request = Request::parse(method, path, query)?;
    let accept = accept.iter().copied();
    if let Subject::Document(document) = request.subject {
        let documents = Documents::of_release("1.2.3");
        return Ok(documents.answer(document, accept, None, &request.query));
    }
    let snapshot = index.snapshot();
    let listing = match Question::of(&request, accept)? {
        Question::Get {
            namespace,
            name,
            form,
            ..
        } => {
            let found = snapshot.get(&namespace, &name);
            let found = found.ok_or_else(|| Status::not_found(&name))?;
            Listing::of_one(found.clone(), form, Readable::None)
        }
        Question::List {
            namespace,
            options,
            form,
        } => {
            let behind = options.behind.as_ref();
            let page = snapshot.page(namespace.as_deref(), &options.filter, behind, options.limit);
            let version = snapshot.version().to_string();
            Listing::of_page(page, &version, form, Readable::None)
        }
        Question::Watch { .. } => return Ok(Answer::text(200, "a watch")),
    };
    Ok(Answer::json(200, listing.into_text()))
}

/// Returns the body of a successful response.
pub(crate) fn body(index: &Index, target: &str, accept: &[&str]) -> Value {
    let Answer { code, body, .. } = answered(index, "GET", target, accept);
    assert_eq!(code, 200, "{body}");
    serde_json::from_str(&body).expect("JSON")
}
