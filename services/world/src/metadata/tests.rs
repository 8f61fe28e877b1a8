use std::collections::BTreeMap;
use std::convert::Infallible;

use bytes::Bytes;
use futures::channel::mpsc::{UnboundedSender, unbounded};
use futures::{Stream, StreamExt as _, stream};
use http::{Request, Response};
use http_body::Frame;
use http_body_util::StreamBody;
use kube::client::Body;
use kube::core::GroupVersionKind;
use serde_json::json;
use tokio::time::{sleep, timeout};

use super::*;
use crate::Trouble;

const PATIENCE: Duration = Duration::from_secs(10);
const PATH: &str = "/api/v1/namespaces/harbor/configmaps";
const MATE: &str = "system:serviceaccount:harbor:mate";
const OURSELVES: &str = "ourselves";

/// An API server without objects. The test sends the events of its watches.
#[derive(Debug, Clone, Default)]
struct ApiServer(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    /// The users who may not list objects.
    forbidden: BTreeSet<String>,
    /// The requests that the API server received, each with its user.
    asked: Vec<String>,
    /// The last watch of each user.
    open: BTreeMap<String, UnboundedSender<String>>,
}

impl ApiServer {
    fn watches(&self) -> MetadataWatches {
        let server = self.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            std::future::ready(Ok::<_, Infallible>(server.answer(&request)))
        });
        let pace = Pace {
            forbidden: Duration::from_millis(10),
            ..Pace::default()
        };
        MetadataWatches::new(Client::new(service, "default"), pace)
    }

    fn answer(
        &self,
        request: &Request<Body>,
    ) -> Response<StreamBody<impl Stream<Item = Result<Frame<Bytes>, Infallible>> + use<>>> {
        let header = |name| {
            let value = request.headers().get(name);
            value.map(|value| value.to_str().expect("a text").to_owned())
        };
        let user = header("impersonate-user").unwrap_or_else(|| OURSELVES.to_owned());
        let accept = header("accept").unwrap_or_default();
        let uri = request.uri();
        let is_watch = uri.query().unwrap_or_default().contains("watch=true");
        let mut inner = self.0.lock().expect("a lock");
        let verb = if is_watch { "watches" } else { "lists" };
        let form = if accept.contains("as=PartialObjectMetadata") {
            "metadata"
        } else {
            "all"
        };
        inner
            .asked
            .push(format!("{user} {verb} {form} {}", uri.path()));
        let (code, first, events) = if inner.forbidden.contains(&user) {
            let status = json!({
                "kind": "Status", "status": "Failure", "reason": "Forbidden", "code": 403,
                "message": format!("{user} may not"),
            });
            (403, Some(status.to_string()), None)
        } else if is_watch {
            let (events, told) = unbounded();
            inner.open.insert(user, events);
            (200, None, Some(told))
        } else {
            let list = json!({"metadata": {"resourceVersion": "7"}, "items": []});
            (200, Some(list.to_string()), None)
        };
        let events = stream::iter(events).flatten();
        let lines = stream::iter(first).chain(events);
        let frames = lines.map(|line| Ok(Frame::data(Bytes::from(format!("{line}\n")))));
        let response = Response::builder().status(code);
        response.body(StreamBody::new(frames)).expect("a response")
    }

    fn send(&self, user: &str, event: String) {
        let inner = self.0.lock().expect("a lock");
        let sent = inner.open[user].unbounded_send(event);
        sent.expect("a watch must be open");
    }

    fn asked(&self) -> Vec<String> {
        let mut asked = self.0.lock().expect("a lock").asked.clone();
        asked.sort();
        asked
    }

    /// Returns true if a user has an open watch.
    fn is_watched_by(&self, user: &str) -> bool {
        let inner = self.0.lock().expect("a lock");
        inner.open.get(user).is_some_and(|open| !open.is_closed())
    }
}

fn maps(user: Option<User>) -> MetadataOf {
    MetadataOf {
        user,
        kind: ApiResource::from_gvk(&GroupVersionKind::gvk("", "v1", "ConfigMap")),
        area: Area::namespace("harbor"),
    }
}

fn mate() -> Option<User> {
    Some(User::service_account("harbor", "mate"))
}

/// Returns an event as an API server writes it. The type comes first.
fn event(verb: &str, version: u64) -> String {
    let metadata = json!({
        "name": "coal", "namespace": "harbor", "uid": "u-1", "resourceVersion": version.to_string(),
    });
    let object = json!({
        "kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": metadata,
    });
    format!(r#"{{"type":"{verb}","object":{object}}}"#)
}

async fn until(is_so: impl Fn() -> bool) {
    let seen = timeout(PATIENCE, async {
        while !is_so() {
            sleep(Duration::from_millis(1)).await;
        }
    });
    seen.await.expect("it must come");
}

/// Waits for the next changes.
async fn next(watches: &mut MetadataWatches) -> Vec<MetadataChange> {
    let next = timeout(PATIENCE, async {
        loop {
            watches.changed().await.expect("the watches go on");
            let changes = watches.take_changes();
            if !changes.is_empty() {
                return changes;
            }
        }
    });
    next.await.expect("something must change")
}

fn change(of: &MetadataOf, bears_on_all: bool, keys: &[&str]) -> Vec<MetadataChange> {
    let keys = keys.iter().map(|name| Key::new("harbor", name)).collect();
    vec![MetadataChange {
        of: of.clone(),
        bears_on_all,
        keys,
    }]
}

#[tokio::test]
async fn equal_watches_are_shared_and_end_with_their_last_user() {
    let server = ApiServer::default();
    let mut watches = server.watches();
    let ours = watches.watch(maps(None)).expect("a watch");
    let again = watches.watch(maps(None)).expect("a watch");
    let theirs = watches.watch(maps(mate())).expect("a watch");
    until(|| server.is_watched_by(OURSELVES) && server.is_watched_by(MATE)).await;
    let expected = [
        format!("{OURSELVES} lists metadata {PATH}"),
        format!("{OURSELVES} watches metadata {PATH}"),
        format!("{MATE} lists metadata {PATH}"),
        format!("{MATE} watches metadata {PATH}"),
    ];
    assert_eq!(server.asked(), expected);

    drop(ours);
    sleep(Duration::from_millis(10)).await;
    assert!(server.is_watched_by(OURSELVES), "another user holds it");
    drop(again);
    until(|| !server.is_watched_by(OURSELVES)).await;
    assert!(server.is_watched_by(MATE));
    drop(theirs);
    until(|| !server.is_watched_by(MATE)).await;
    assert_eq!(server.asked(), expected, "no further request is sent");
}

#[tokio::test]
async fn changes_name_their_watch_and_objects() {
    let server = ApiServer::default();
    let mut watches = server.watches();
    let maps = maps(mate());
    let watch = watches.watch(maps.clone()).expect("a watch");
    assert_eq!(watches.take_changes(), []);
    assert_eq!(next(&mut watches).await, change(&maps, true, &[]));
    until(|| server.is_watched_by(MATE)).await;

    server.send(MATE, event("ADDED", 8));
    assert_eq!(next(&mut watches).await, change(&maps, false, &["coal"]));
    let view = watch.now();
    let coal = view.object("harbor", "coal").expect("it must be there");
    let metadata = coal.metadata().expect("metadata");
    assert_eq!(metadata.uid.as_deref(), Some("u-1"));

    server.send(MATE, event("DELETED", 9));
    assert_eq!(next(&mut watches).await, change(&maps, false, &["coal"]));
    assert_eq!(watch.now().objects.len(), 0);
}

#[tokio::test]
async fn reports_forbidden_watch_and_recovers_once_permitted() {
    let server = ApiServer::default();
    let forbid = |users: &[&str]| {
        let users = users.iter().map(|user| (*user).to_owned()).collect();
        server.0.lock().expect("a lock").forbidden = users;
    };
    forbid(&[MATE]);
    let mut watches = server.watches();
    let maps = maps(mate());
    let watch = watches.watch(maps.clone()).expect("a watch");
    assert_eq!(next(&mut watches).await, change(&maps, true, &[]));
    let state = watch.now().state;
    let (trouble, _) = state.trouble().expect("there is trouble");
    let forbidden = Trouble::Forbidden(format!("{MATE} may not"));
    assert_eq!(*trouble, forbidden);

    forbid(&[]);
    assert_eq!(next(&mut watches).await, change(&maps, true, &[]));
    assert_eq!(watch.now().state, State::Synced);
}

#[tokio::test]
async fn watch_for_an_invalid_user_name_is_rejected() {
    let mut watches = ApiServer::default().watches();
    let odd = User {
        name: "a\nb".to_owned(),
        groups: Vec::new(),
    };
    watches.watch(maps(Some(odd))).expect_err("it must be none");
}
