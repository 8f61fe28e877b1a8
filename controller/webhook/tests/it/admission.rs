//! Tests of the module `admission` through its public API.

mod approvals;
mod broken;
mod reviews;

use portolan_webhook::admission::{Kind, Request};
use serde_json::{Value, json};

/// Returns a request that creates an object of this kind with this spec.
fn creation(kind: Kind, spec: &Value) -> Value {
    json!({
        "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
        "request": {
            "uid": "7", "operation": "CREATE", "namespace": "harbor", "name": "ferry",
            "kind": {"group": kind.group(), "version": "v1", "kind": kind.as_str()},
            "object": {"metadata": {"name": "ferry", "namespace": "harbor"}, "spec": spec},
            "oldObject": null,
        },
    })
}

fn request(question: &Value) -> Request {
    Request::parse(question.to_string().as_bytes()).expect("a request")
}
