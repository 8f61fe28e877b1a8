//! Lists the objects of a kind, complete and as stored, for kinds that a world does not watch: custom
//! resources, for example.

use std::path::Path;
use std::time::Duration;

use kube::api::{ApiResource, DynamicObject, ListParams, TypeMeta};
use kube::core::GroupVersionKind;
use kube::{Api, Client};
use portolan_core_names::Gvk;
use serde_json::Value;
use tokio::time::timeout;

use crate::Trouble;

/// The maximum number of objects in one response. An object may have more than a megabyte.
const PAGE: u32 = 100;
/// The maximum number of objects that are read.
pub(crate) const MOST: usize = 5_000;

/// A kind, with its name in URLs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ListedKind {
    /// The kind, in the version that is read.
    pub kind: Gvk,
    /// The name in URLs.
    pub plural: String,
}

/// Shows if all objects of a list were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completeness {
    /// The list is complete.
    All,
    /// Other objects may exist.
    Part,
}

/// Passes the objects of a kind to the caller, at most [`MOST`].
pub(crate) async fn of_cluster(
    listed: &ListedKind,
    (client, patience): (Client, Duration),
    found: &mut (dyn FnMut(&Value) + Send),
) -> Result<Completeness, Trouble> {
    let Gvk {
        group,
        version,
        kind,
    } = &listed.kind;
    let kind = GroupVersionKind::gvk(group, version, kind);
    let resource = ApiResource::from_gvk_with_plural(&kind, &listed.plural);
    let types = TypeMeta {
        api_version: resource.api_version.clone(),
        kind: resource.kind.clone(),
    };
    let objects: Api<DynamicObject> = Api::all_with(client, &resource);
    let mut params = ListParams::default().limit(PAGE);
    let mut count = 0_usize;
    loop {
        let page = timeout(patience, objects.list(&params)).await;
        let page = page.map_err(|_| Trouble::Silent(patience))?;
        let page = match page {
            Ok(page) => page,
            // The list changed too often, so its rest cannot be read.
            Err(kube::Error::Api(status)) if status.code == 410 && count > 0 => {
                return Ok(Completeness::Part);
            }
            Err(error) => return Err(Trouble::of(error)),
        };
        count += page.items.len();
        for mut object in page.items {
            // The API server does not repeat the kind in the items of a list.
            object.types.get_or_insert_with(|| types.clone());
            if let Ok(object) = serde_json::to_value(object) {
                found(&object);
            }
        }
        match page.metadata.continue_.filter(|token| !token.is_empty()) {
            None => return Ok(Completeness::All),
            Some(_) if count >= MOST => return Ok(Completeness::Part),
            Some(token) => params = params.continue_token(&token),
        }
    }
}

/// Returns the objects of a kind in files, at most [`MOST`].
pub(crate) fn of_files(root: &Path, kind: &Gvk) -> (Vec<Value>, Completeness) {
    let (mut all, mut completeness) = (Vec::new(), Completeness::All);
    super::files::each_object(root, &mut |api_version, name, value| {
        if !kind.is(api_version, name) {
            return;
        }
        if all.len() < MOST {
            all.push(value.clone());
        } else {
            completeness = Completeness::Part;
        }
    });
    (all, completeness)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::fs;

    use http::Response;
    use kube::client::Body;
    use portolan_kit::TempFolder;
    use rstest::rstest;
    use serde_json::json;

    use super::*;
    use crate::{AnyWorld, Cluster, Files, Pace};

    fn ships() -> ListedKind {
        ListedKind {
            kind: Gvk::new("ferry.example/v1", "Ship"),
            plural: "ships".to_owned(),
        }
    }

    /// Returns an API server whose answer depends on the path with the query.
    fn cluster(answer: fn(&str) -> (u16, Value)) -> AnyWorld {
        let service = tower::service_fn(move |request: http::Request<Body>| {
            let place = request.uri().path_and_query();
            let (code, json) = answer(place.map_or("", |place| place.as_str()));
            let answer = Response::builder().status(code);
            let answer = answer.body(Body::from(json.to_string().into_bytes()));
            std::future::ready(Ok::<_, Infallible>(answer.expect("a response")))
        });
        let client = Client::new(service, "default");
        AnyWorld::Cluster(Cluster::of(client, Pace::default()))
    }

    async fn names(world: &AnyWorld) -> Result<(Vec<String>, Completeness), Trouble> {
        let mut names = Vec::new();
        let completeness = world
            .each_listed(&ships(), &mut |it| {
                assert_eq!(it["apiVersion"], "ferry.example/v1", "{it}");
                assert_eq!(it["kind"], "Ship", "{it}");
                names.push(
                    it["metadata"]["name"]
                        .as_str()
                        .unwrap_or_default()
                        .to_owned(),
                );
            })
            .await?;
        Ok((names, completeness))
    }

    fn page(names: &[&str], token: &str) -> Value {
        let items: Vec<_> = names
            .iter()
            .map(|name| json!({"metadata": {"name": name}}))
            .collect();
        json!({
            "apiVersion": "ferry.example/v1", "kind": "ShipList", "metadata": {"continue": token},
            "items": items,
        })
    }

    #[tokio::test]
    async fn reads_all_pages() {
        let world = cluster(|place| {
            assert!(
                place.starts_with("/apis/ferry.example/v1/ships?"),
                "{place}"
            );
            let is_second = place.contains("continue=more");
            let page = if is_second {
                page(&["berta"], "")
            } else {
                page(&["anna"], "more")
            };
            (200, page)
        });
        let expected = vec!["anna".to_owned(), "berta".to_owned()];
        assert_eq!(names(&world).await, Ok((expected, Completeness::All)));
    }

    #[tokio::test]
    async fn expired_continue_token_returns_partial_list() {
        let world = cluster(|place| {
            if place.contains("continue=more") {
                let status = json!({
                    "kind": "Status", "status": "Failure", "reason": "Expired", "code": 410,
                    "message": "too old",
                });
                (410, status)
            } else {
                (200, page(&["anna"], "more"))
            }
        });
        let expected = vec!["anna".to_owned()];
        assert_eq!(names(&world).await, Ok((expected, Completeness::Part)));
    }

    #[tokio::test]
    async fn missing_permission_is_an_error() {
        let world = cluster(|_| {
            let status = json!({
                "kind": "Status", "status": "Failure", "reason": "Forbidden", "code": 403,
                "message": "no",
            });
            (403, status)
        });
        let expected = Err(Trouble::Forbidden("no".to_owned()));
        assert_eq!(names(&world).await, expected);
    }

    #[rstest]
    #[case::folder(false)]
    #[case::dump(true)]
    #[tokio::test]
    async fn files_may_omit_custom_resources(#[case] is_dump: bool) {
        let folder = TempFolder::empty();
        if is_dump {
            fs::write(folder.join("dump.json"), "{}").expect("a file");
        }
        let world = AnyWorld::Files(Files::at(&folder));
        let expected = Trouble::NotDumped("the files contain no Ship".to_owned());
        assert_eq!(names(&world).await, Err(expected));
        let ship = json!({
            "apiVersion": "ferry.example/v1", "kind": "Ship", "metadata": {"name": "anna"},
        });
        fs::write(folder.join("ship.json"), ship.to_string()).expect("a file");
        let expected = vec!["anna".to_owned()];
        assert_eq!(names(&world).await, Ok((expected, Completeness::Part)));
    }
}
