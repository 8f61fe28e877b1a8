//! The requests for a visitor who may read one namespace only.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::Request;
use futures::stream;
use http::{Response, StatusCode};
use portolan_core_console::{ConsolePage, Filter};
use portolan_shell::client;
use portolan_world::{AnyWorld, Cluster, Pace};
use serde_json::json;
use tonic::service::Routes;

use crate::{Connections, Services, Source as _};

/// The namespace of the visitor.
const OWN: &str = "harbor";

/// A request to the API server, and true if it was permitted.
type Asked = (String, bool);

/// Returns an API server that permits only reads in the namespace, and its requests.
fn api_server() -> (kube::Client, Arc<Mutex<Vec<Asked>>>) {
    let asked: Arc<Mutex<Vec<Asked>>> = Arc::default();
    let log = Arc::clone(&asked);
    let server = Router::new().fallback(move |request: Request| {
        let target = request.uri().to_string();
        let path = request.uri().path();
        let is_permitted = path.contains(&format!("/namespaces/{OWN}/"));
        let is_watch = target.contains("watch=true");
        log.lock().expect("a lock").push((target, is_permitted));
        let (status, body) = match (is_permitted, is_watch) {
            (true, true) => (
                StatusCode::OK,
                Body::from_stream(stream::pending::<Result<Bytes, Infallible>>()),
            ),
            (true, false) => {
                let list = json!({
                    "kind": "List", "apiVersion": "v1", "metadata": {"resourceVersion": "1"}, "items": [],
                });
                (StatusCode::OK, Body::from(list.to_string()))
            }
            (false, _) => {
                let status = json!({
                    "kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden",
                    "code": 403, "message": "only harbor is permitted",
                });
                (StatusCode::FORBIDDEN, Body::from(status.to_string()))
            }
        };
        let mut response = Response::new(body);
        *response.status_mut() = status;
        std::future::ready(response)
    });
    (kube::Client::new(server, OWN), asked)
}

#[tokio::test]
async fn visitor_with_one_namespace_reads_only_this_namespace() {
    let (client, asked) = api_server();
    let cluster = Cluster::of(client, Pace::default()).or_within(OWN);
    let nobody = || client::local(Routes::default());
    let connections = Connections {
        resolver: nobody(),
        health: nobody(),
        approval: nobody(),
        diagnosis: nobody(),
    };
    let services = Services::new(connections, AnyWorld::Cluster(cluster));
    let pages = [
        ConsolePage::Overview,
        ConsolePage::Operators(Filter::NONE),
        ConsolePage::Policies(Filter::NONE),
        ConsolePage::Installs(Filter::NONE),
    ];
    for page in &pages {
        services.look(page).await;
        services.hidden(page).await;
    }
    let asked = asked.lock().expect("a lock").clone();
    let (permitted, refused): (Vec<_>, Vec<_>) = asked.into_iter().partition(|(_, it)| *it);
    let read: BTreeSet<_> = permitted
        .iter()
        .filter_map(|(target, _)| target.split('?').next()?.rsplit('/').next())
        .collect();
    let expected = [
        "catalogsources",
        "clusterserviceversions",
        "installplans",
        "operatorpolicies",
        "subscriptions",
    ];
    assert!(expected.iter().all(|kind| read.contains(kind)), "{read:?}");
    // The API server refuses a list of all namespaces, so there is no watch of them.
    let is_watch = |target: &str| target.contains("watch=true");
    let watched: Vec<_> = refused.iter().filter(|(it, _)| is_watch(it)).collect();
    assert!(watched.is_empty(), "{watched:?}");
}
