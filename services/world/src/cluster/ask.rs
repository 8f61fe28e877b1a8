//! The requests for the objects of a kind. Each request has a deadline.

mod served;
#[cfg(test)]
mod tests;

use std::error;
use std::pin::Pin;
use std::time::Duration;

use futures::{Stream, TryStreamExt as _};
use http::HeaderMap;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ListMeta;
use kube::api::{ListParams, WatchEvent, WatchParams};
use kube::core::{ApiResource, DynamicObject, Request, Selector};
use kube::{Client, Error, Resource};
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::value::RawValue;
use tokio::time::timeout;

use super::Pace;
use crate::{Area, Kind, Trouble};

/// The time in seconds for which the API server keeps a watch open. kube does not allow much longer
/// watches.
const WATCH_SECONDS: u32 = 290;

/// The maximum number of whole objects in one response. The number is low because an object may
/// have more than a megabyte.
const RAW_PAGE: u32 = 10;
/// The maximum number of objects in one response that contains only metadata.
const METADATA_PAGE: u32 = 500;

/// Requests objects of one kind in one area from an API server.
#[derive(Clone)]
pub(super) struct Ask {
    client: Client,
    pace: Pace,
    query: ListQuery,
    /// The query to use if the first query is forbidden. None if there is no such query.
    narrower: Option<ListQuery>,
    /// The headers that impersonate a user. The CRD is always requested without these headers, with
    /// the identity of the process.
    headers: HeaderMap,
}

/// A query for the objects of a kind.
#[derive(Debug, Clone)]
pub(super) struct ListQuery {
    kind: String,
    path: String,
    /// The path under which the API server lists the resources of the API version.
    version: String,
    /// The name of the CRD that defines the kind, if a CRD defines it.
    crd: String,
    selector: Option<String>,
    fields: Option<String>,
    page: u32,
    is_metadata_only: bool,
}

/// The reason why the API server does not return the expected response.
#[derive(Debug)]
pub(super) enum Refused {
    /// The API server does not serve the kind.
    NotServed,
    /// The version of the watch or the page token of the list is too old. A new list is needed.
    Gone,
    Trouble(Trouble),
}

/// A page of a list.
#[derive(Debug, Deserialize)]
struct Page<'a> {
    #[serde(default)]
    metadata: ListMeta,
    /// The objects. The API server may send null for an empty list of metadata.
    #[serde(borrow)]
    items: Option<Vec<&'a RawValue>>,
}

/// A request, or the error that it cannot be built.
pub(super) type Built = Result<http::Request<Vec<u8>>, kube::core::request::Error>;

/// An open watch.
pub(super) struct Events<T> {
    stream: Pin<Box<dyn Stream<Item = Result<WatchEvent<T>, Error>> + Send>>,
    silence: Duration,
}

// === impl Ask ===

impl Ask {
    pub(super) fn of(client: Client, pace: Pace, query: ListQuery) -> Self {
        Self {
            client,
            pace,
            query,
            narrower: None,
            headers: HeaderMap::new(),
        }
    }

    /// Adds a query that is used if this query is forbidden.
    pub(super) fn or(self, narrower: Option<ListQuery>) -> Self {
        Self { narrower, ..self }
    }

    /// Returns the same requests with the narrower query. Returns None if there is no narrower
    /// query.
    pub(super) fn narrowed(&self) -> Option<Self> {
        Some(Self {
            query: self.narrower.clone()?,
            narrower: None,
            ..self.clone()
        })
    }

    /// Adds the headers that impersonate a user to all requests.
    pub(super) fn with_headers(self, headers: HeaderMap) -> Self {
        Self { headers, ..self }
    }

    /// Requests one page. Passes each object of the page to the caller, as the API server sends it.
    /// `from` is the token of the page.
    pub(super) async fn list(
        &self,
        from: Option<String>,
        found: &mut (dyn FnMut(&str) + Send),
    ) -> Result<ListMeta, Refused> {
        let request = self.signed(self.query.list(from))?;
        let text = match self.within(self.client.request_text(request)).await {
            Ok(text) => text,
            Err(refused) => {
                return Err(self
                    .query
                    .most_specific(refused, &self.client, &self.pace)
                    .await);
            }
        };
        let page = serde_json::from_str::<Page<'_>>(&text);
        let Page { metadata, items } =
            page.map_err(|error| Refused::from(Error::SerdeError(error)))?;
        items.iter().flatten().for_each(|item| found(item.get()));
        Ok(metadata)
    }

    /// Opens a watch for the changes after `version`. The events contain the objects as the API
    /// server sends them.
    pub(super) async fn watch(&self, version: &str) -> Result<Events<Box<RawValue>>, Refused> {
        self.open(self.signed(self.query.watch(version))?).await
    }

    /// Opens a watch for the CRD that defines the kind. The content of the events is ignored. They
    /// only report that the CRD has changed.
    pub(super) async fn watch_crd(&self) -> Result<Events<IgnoredAny>, Refused> {
        let params = WatchParams {
            field_selector: Some(format!("metadata.name={}", self.query.crd)),
            timeout: Some(WATCH_SECONDS),
            ..WatchParams::default()
        };
        let path = CustomResourceDefinition::url_path(&(), None);
        // The watch has no start version, so an existing CRD is reported immediately.
        let request = Request::new(path).watch_metadata(&params, "0");
        self.open(request.map_err(Error::BuildRequest)?).await
    }

    pub(super) fn kind(&self) -> &str {
        &self.query.kind
    }

    pub(super) fn pace(&self) -> &Pace {
        &self.pace
    }

    fn signed(&self, request: Built) -> Result<http::Request<Vec<u8>>, Refused> {
        let mut request = request.map_err(Error::BuildRequest)?;
        request.headers_mut().extend(self.headers.clone());
        Ok(request)
    }

    async fn open<T: Clone + DeserializeOwned + 'static>(
        &self,
        request: http::Request<Vec<u8>>,
    ) -> Result<Events<T>, Refused> {
        let stream = self.within(self.client.request_events(request)).await?;
        Ok(Events {
            stream: Box::pin(stream),
            silence: self.pace.silence,
        })
    }

    async fn within<T>(
        &self,
        answer: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Refused> {
        match timeout(self.pace.answer, answer).await {
            Ok(answer) => answer.map_err(Refused::from),
            Err(_) => Err(Refused::Trouble(Trouble::Silent(self.pace.answer))),
        }
    }
}

// === impl ListQuery ===

impl ListQuery {
    pub(super) fn of<K: Kind>(area: &Area) -> Self {
        let mut selector = K::selector();
        selector.extend(area.labels());
        Self::selecting::<K>(area, &selector)
    }

    /// Creates the query for the objects in an area, without the label selector of the kind.
    pub(super) fn with_any_labels<K: Kind>(area: &Area) -> Self {
        Self::selecting::<K>(area, &area.labels())
    }

    fn selecting<K: Kind>(area: &Area, selector: &Selector) -> Self {
        Self {
            kind: K::kind(&()).into_owned(),
            path: K::url_path(&(), area.in_namespace()),
            version: version(&K::group(&()), &K::version(&())),
            crd: format!("{}.{}", K::plural(&()), K::group(&())),
            selector: (!selector.selects_all()).then(|| selector.to_string()),
            fields: [K::FIELDS.map(str::to_owned), area.fields()]
                .into_iter()
                .flatten()
                .reduce(|own, name| format!("{own},{name}")),
            page: K::PAGE,
            is_metadata_only: K::METADATA_ONLY,
        }
    }

    /// Creates a query for whole objects.
    pub(super) fn raw(kind: &ApiResource, area: &Area) -> Self {
        let selector = area.labels();
        Self {
            kind: kind.kind.clone(),
            path: DynamicObject::url_path(kind, area.in_namespace()),
            version: version(&kind.group, &kind.version),
            crd: format!("{}.{}", kind.plural, kind.group),
            selector: (!selector.selects_all()).then(|| selector.to_string()),
            fields: area.fields(),
            page: RAW_PAGE,
            is_metadata_only: false,
        }
    }

    /// Creates a query for only the metadata of objects.
    pub(super) fn metadata(kind: &ApiResource, area: &Area) -> Self {
        Self {
            page: METADATA_PAGE,
            is_metadata_only: true,
            ..Self::raw(kind, area)
        }
    }

    pub(super) fn list(&self, from: Option<String>) -> Built {
        let params = ListParams {
            label_selector: self.selector.clone(),
            field_selector: self.fields.clone(),
            limit: Some(self.page),
            continue_token: from,
            ..ListParams::default()
        };
        let request = Request::new(&self.path);
        if self.is_metadata_only {
            request.list_metadata(&params)
        } else {
            request.list(&params)
        }
    }

    fn watch(&self, version: &str) -> Built {
        let params = WatchParams {
            label_selector: self.selector.clone(),
            field_selector: self.fields.clone(),
            timeout: Some(WATCH_SECONDS),
            ..WatchParams::default()
        };
        let request = Request::new(&self.path);
        if self.is_metadata_only {
            request.watch_metadata(&params, version)
        } else {
            request.watch(&params, version)
        }
    }
}

// === impl Events ===

impl<T> Events<T> {
    /// Returns the next event. Returns None if the watch has ended for any reason, or has been
    /// silent for too long. The caller can then open the watch again from its last version.
    pub(super) async fn next(&mut self) -> Option<WatchEvent<T>> {
        let next = timeout(self.silence, self.stream.try_next()).await;
        next.ok()?.ok()?
    }
}

// === impl Refused ===

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        match &error {
            Error::Api(status) if status.code == 404 => Self::NotServed,
            Error::Api(status) if status.code == 410 => Self::Gone,
            _ => Self::Trouble(Trouble::of(error)),
        }
    }
}

// === impl Trouble ===

impl Trouble {
    /// Converts an error of a request to the API server.
    pub(crate) fn of(error: Error) -> Self {
        let Error::Api(status) = error else {
            return Self::Unreachable(innermost(&error));
        };
        match status.code {
            403 => Self::Forbidden(status.message),
            code => Self::Refused {
                code,
                message: status.message,
            },
        }
    }
}

/// Returns the path of an API group and version.
fn version(group: &str, version: &str) -> String {
    match group {
        "" => format!("/api/{version}"),
        group => format!("/apis/{group}/{version}"),
    }
}

/// Returns the message of the innermost cause, because this message is the most specific.
pub(super) fn innermost(error: &(dyn error::Error + 'static)) -> String {
    let mut last = error;
    while let Some(inner) = last.source() {
        last = inner;
    }
    last.to_string()
}
