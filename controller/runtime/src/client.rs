//! The client that controllers use to write to the API server.

mod patience;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use kube::Client;
use kube::api::{
    DynamicObject, GetParams, ListParams, ObjectList, ObjectMeta, PartialObjectMeta, PostParams,
};
use kube::core::response::StatusCause;
use kube::core::{ListMeta, Status};
use portolan_api::MANAGER;
use portolan_shell::with_causes;
use portolan_world::User;
use tokio::time::timeout;

use crate::lease::Fence;
use crate::metrics::Writes;
use crate::write::{Expects, How, ResourceRef, Write};

pub use patience::Patience;

/// Texts in messages that show that an error with code 500 is permanent. One error is caused by
/// applying a field that the schema of the API server lacks. The other error is caused by an object
/// that etcd rejects because of its size.
const FINAL: [&str; 2] = [
    "failed to create typed patch object",
    "request is too large",
];
/// The maximum number of objects in one page of a list.
const PAGE: u32 = 500;

/// A client that writes only while the [`Fence`] permits writes. It writes as the process itself or
/// as another user. Clones share connections, fence and counts.
#[derive(Clone)]
pub struct FencedClient {
    client: Client,
    fence: Fence,
    writes: Writes,
    user: Option<Arc<User>>,
    manager: Arc<str>,
    is_dry_run: bool,
    is_strict: bool,
    /// The timeout that grows after each timed-out request. None if the timeout is fixed.
    patience: Option<Patience>,
}

/// The reason why a write failed or may have failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WriteFailure {
    /// The object has changed since it was read. Read it again.
    #[error("the object was changed in the meantime: {0}")]
    Conflict(Mismatch),
    /// An apply without force conflicts with fields that other managers own with other values.
    /// Contains all of these fields with their managers.
    #[error("other field managers own fields to be applied: {}", listed(.0))]
    FieldsOwned(Vec<FieldConflict>),
    /// The API server rejects the write. Contains its message.
    #[error("the API server rejects the request: {0}")]
    Refused(String),
    /// The outcome of the write is unknown.
    #[error("the result of the write is unknown: {0}")]
    Lost(String),
}

/// The difference between the object and its expected state. Contains the message of the API
/// server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// The object to be created already exists.
    #[error("{0}")]
    Exists(String),
    /// The object was deleted, or its kind is no longer served.
    #[error("{0}")]
    Gone(String),
    /// The object was changed or recreated under the same name.
    #[error("{0}")]
    Changed(String),
    /// The continue token of a list has expired.
    #[error("{0}")]
    Expired(String),
}

/// A field that another manager owns with another value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FieldConflict {
    /// The name of the field manager.
    pub manager: String,
    /// The subresource through which the field was written. None for the object itself.
    pub subresource: Option<String>,
    /// The path of the field in the notation of the API server:
    /// `.spec.ports[port=80,protocol="TCP"].name`.
    pub field: String,
}

/// The target of a request. It determines the meaning of error codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum About {
    /// An object that must not exist.
    New,
    /// An existing object, or a list of existing objects.
    Known,
}

// === impl FieldConflict ===

impl FieldConflict {
    /// Returns the fields in an error response about conflicts. Empty if the response reports
    /// another error.
    fn all(status: &Status) -> Vec<Self> {
        let causes = status.details.iter().flat_map(|details| &details.causes);
        let causes = causes.filter(|cause| cause.reason == "FieldManagerConflict");
        causes.map(Self::of).collect()
    }

    /// Parses the names from a message such as `conflict with "helm" with subresource "scale" using
    /// v1`.
    fn of(cause: &StatusCause) -> Self {
        let sentence = &cause.message;
        let quoted = |after| {
            let (_, rest) = sentence.split_once(after)?;
            let mut names = serde_json::Deserializer::from_str(rest).into_iter::<String>();
            names.next()?.ok()
        };
        Self {
            manager: quoted("conflict with ").unwrap_or_else(|| sentence.clone()),
            subresource: quoted(" with subresource "),
            field: cause.field.clone(),
        }
    }
}

impl fmt::Display for FieldConflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { manager, field, .. } = self;
        write!(f, "{field} of {manager:?}")
    }
}

fn listed(conflicts: &[FieldConflict]) -> String {
    let conflicts: Vec<_> = conflicts.iter().map(ToString::to_string).collect();
    conflicts.join(", ")
}

// === impl FencedClient ===

impl FencedClient {
    /// Creates a client that writes with the identity of the process. Prefer a client from
    /// [`Fence::client`], because that client sends no data after the fence has closed.
    pub fn new(client: Client, fence: Fence, writes: Writes) -> Self {
        Self {
            client,
            fence,
            writes,
            user: None,
            manager: MANAGER.into(),
            is_dry_run: false,
            is_strict: false,
            patience: None,
        }
    }

    /// Returns a client that reads and writes as this user.
    pub fn impersonating(&self, user: User) -> Self {
        Self {
            user: Some(Arc::new(user)),
            ..self.clone()
        }
    }

    /// Returns a client that writes as this field manager.
    pub fn managed_by(&self, manager: &str) -> Self {
        Self {
            manager: manager.into(),
            ..self.clone()
        }
    }

    /// Returns a client that makes only dry runs. For a dry run, the API server admits, defaults
    /// and validates the object but does not store it. Metrics do not count dry runs.
    pub fn dry_run(&self) -> Self {
        Self {
            is_dry_run: true,
            ..self.clone()
        }
    }

    /// Returns a client whose writes the API server rejects if they contain unknown or duplicate
    /// fields.
    pub fn strict(&self) -> Self {
        Self {
            is_strict: true,
            ..self.clone()
        }
    }

    /// Returns a client that doubles the timeout after a request has timed out. Clients with the
    /// same `patience` share the timeout.
    pub fn patient(&self, patience: &Patience) -> Self {
        Self {
            patience: Some(patience.clone()),
            ..self.clone()
        }
    }

    /// Returns the wrapped client, for reads with the identity of the process.
    pub fn client(&self) -> Client {
        self.client.clone()
    }

    /// Returns the field manager.
    pub fn manager(&self) -> &str {
        &self.manager
    }

    /// Sends and counts a write. After the fence has closed, no write starts or continues. Returns
    /// the object after the write. Returns None if the object no longer exists.
    ///
    /// # Errors
    /// Returns an error if the write fails or its outcome is unknown.
    pub async fn write(&self, write: &Write) -> Result<Option<DynamicObject>, WriteFailure> {
        let written = self.fenced(write).await;
        let result = match &written {
            Ok(_) => "done",
            Err(WriteFailure::Conflict(_)) => "changed",
            Err(WriteFailure::Refused(_) | WriteFailure::FieldsOwned(_)) => "refused",
            Err(WriteFailure::Lost(_)) => "lost",
        };
        if !self.is_dry_run {
            self.writes
                .count(&write.target.object.kind.kind, write.label, result);
        }
        written
    }

    /// Reads an object that must exist.
    ///
    /// # Errors
    /// Returns an error if the object does not exist, if access is denied, or if the API server
    /// does not respond.
    pub async fn get(&self, object: &ResourceRef) -> Result<DynamicObject, WriteFailure> {
        let request = object
            .requests()
            .get(&object.object.name, &GetParams::default());
        let mut request = request.map_err(|error| WriteFailure::Refused(with_causes(&error)))?;
        self.impersonate(&mut request)?;
        self.read(self.client.request(request)).await
    }

    /// Reads an object. Returns None if the object does not exist.
    ///
    /// # Errors
    /// Returns an error if access is denied, or the API server does not respond.
    pub async fn find(&self, object: &ResourceRef) -> Result<Option<DynamicObject>, WriteFailure> {
        match self.get(object).await {
            Ok(found) => Ok(Some(found)),
            Err(WriteFailure::Conflict(Mismatch::Gone(_))) => Ok(None),
            Err(failure) => Err(failure),
        }
    }

    /// Lists the metadata of all objects of the kind of `beside`, in the namespace of `beside`. If
    /// `beside` has no namespace, lists all namespaces. The name of `beside` is ignored.
    ///
    /// # Errors
    /// Returns an error if the list is denied, or the API server does not respond.
    pub async fn list(&self, beside: &ResourceRef) -> Result<Vec<ObjectMeta>, WriteFailure> {
        let mut all = Vec::new();
        let mut page = ListParams::default().limit(PAGE);
        loop {
            let listed = match self.metadata_page(beside, &page).await {
                // After the first page, an expired continue token or an unknown kind must not end
                // the list.
                Err(WriteFailure::Conflict(conflict)) if !all.is_empty() => {
                    return Err(WriteFailure::Lost(conflict.to_string()));
                }
                listed => listed?,
            };
            all.extend(listed.items.into_iter().map(|object| object.metadata));
            match page_after(&page, &listed.metadata) {
                Some(next) => page = next,
                None => return Ok(all),
            }
        }
    }

    /// Reads one page of the metadata of objects of the kind of `beside`. [`page_after`] returns
    /// the parameters of the next page.
    ///
    /// # Errors
    /// Returns an error if the list is denied, the continue token has expired, or the API server
    /// does not respond.
    pub async fn metadata_page(
        &self,
        beside: &ResourceRef,
        page: &ListParams,
    ) -> Result<ObjectList<PartialObjectMeta>, WriteFailure> {
        self.listed(beside.requests().list_metadata(page)).await
    }

    /// Reads one page of complete objects. The objects lack their kind, because the API server
    /// omits the kind of list items.
    ///
    /// # Errors
    /// Returns an error for the same reasons as [`metadata_page`](Self::metadata_page).
    pub async fn page(
        &self,
        beside: &ResourceRef,
        page: &ListParams,
    ) -> Result<ObjectList<DynamicObject>, WriteFailure> {
        self.listed(beside.requests().list(page)).await
    }

    async fn listed<T: Clone + serde::de::DeserializeOwned>(
        &self,
        request: Result<hyper::Request<Vec<u8>>, kube::core::request::Error>,
    ) -> Result<ObjectList<T>, WriteFailure> {
        let mut request = request.map_err(|error| WriteFailure::Refused(with_causes(&error)))?;
        self.impersonate(&mut request)?;
        let listed = self.client.request::<ObjectList<T>>(request);
        self.read(listed).await
    }

    /// Sends a request whose object the API server does not store, such as a SubjectAccessReview.
    /// Returns the response.
    ///
    /// # Errors
    /// Returns an error if the user of this client may not send the request, or the API server does
    /// not respond.
    pub async fn ask<T: serde::de::DeserializeOwned>(
        &self,
        path: &str,
        question: &serde_json::Value,
    ) -> Result<T, WriteFailure> {
        let body = question.to_string().into_bytes();
        let request = kube::core::Request::new(path).create(&PostParams::default(), body);
        let mut request = request.map_err(|error| WriteFailure::Refused(with_causes(&error)))?;
        self.impersonate(&mut request)?;
        self.read(self.client.request(request)).await
    }

    /// Waits for the response to a read that the caller sends itself, with the same timeout as for
    /// a write. The object must exist.
    ///
    /// # Errors
    /// Returns an error for the same reasons as [`get`](Self::get).
    pub async fn read<T>(
        &self,
        request: impl Future<Output = kube::Result<T>>,
    ) -> Result<T, WriteFailure> {
        self.answer(About::Known, request).await
    }

    async fn fenced(&self, write: &Write) -> Result<Option<DynamicObject>, WriteFailure> {
        let how = How {
            manager: &self.manager,
            is_dry_run: self.is_dry_run,
            is_strict: self.is_strict,
        };
        let mut request = write.request(&how)?;
        self.impersonate(&mut request)?;
        let about = match write.expects {
            Expects::New => About::New,
            Expects::Any | Expects::Seen { .. } | Expects::Unchanged { .. } => About::Known,
        };
        let Some(_pass) = self.fence.pass() else {
            let why = "this replica is not the leader, and writes nothing";
            return Err(WriteFailure::Lost(why.to_owned()));
        };
        tokio::select! {
            // If the process was stopped in the meantime, the fence must be checked before the
            // response.
            biased;
            () = self.fence.fallen() => {
                let why = "this replica lost leadership before the API server answered";
                Err(WriteFailure::Lost(why.to_owned()))
            }
            written = self.answer(about, self.client.request_status(request)) => {
                Ok(written?.left())
            }
        }
    }

    async fn answer<T>(
        &self,
        about: About,
        request: impl Future<Output = kube::Result<T>>,
    ) -> Result<T, WriteFailure> {
        let patience = self.patience.clone().unwrap_or_default();
        let time = patience.now();
        match timeout(time, request).await {
            Ok(answer) => answer.map_err(|error| failure(about, &error)),
            Err(_) => {
                let mut sentence =
                    format!("the API server did not answer within {} s", time.as_secs());
                let next = patience.grow(time);
                if self.patience.is_some() && next > time {
                    sentence.push_str(&format!(", and has {} s the next time", next.as_secs()));
                }
                Err(WriteFailure::Lost(sentence))
            }
        }
    }

    fn impersonate(&self, request: &mut hyper::Request<Vec<u8>>) -> Result<(), WriteFailure> {
        let Some(user) = &self.user else {
            return Ok(());
        };
        let headers = user.headers().map_err(|_| {
            WriteFailure::Refused(format!("{:?} is not the name of a user", user.name))
        })?;
        request.headers_mut().extend(headers);
        Ok(())
    }
}

/// Returns the parameters of the next page. `ended` is the metadata of the previous page. Returns
/// None after the last page.
pub fn page_after(page: &ListParams, ended: &ListMeta) -> Option<ListParams> {
    let token = ended.continue_.as_ref().filter(|next| !next.is_empty())?;
    Some(page.clone().continue_token(token))
}

// The wrapped client does not implement `Debug`.
impl fmt::Debug for FencedClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FencedClient")
            .field("fence", &self.fence)
            .field("user", &self.user)
            .finish_non_exhaustive()
    }
}

fn failure(about: About, error: &kube::Error) -> WriteFailure {
    match error {
        kube::Error::Api(status) => refusal(about, status),
        kube::Error::BuildRequest(_) => WriteFailure::Refused(with_causes(error)),
        _ => WriteFailure::Lost(with_causes(error)),
    }
}

/// Converts an error response of the API server into a failure.
fn refusal(about: About, status: &Status) -> WriteFailure {
    let sentence = status.message.trim_end_matches('.').to_owned();
    let conflicts = FieldConflict::all(status);
    match (status.code, about) {
        // For a create, the code 409 means that the object already exists.
        (409, About::New) => WriteFailure::Conflict(Mismatch::Exists(sentence)),
        (409, About::Known) if !conflicts.is_empty() => WriteFailure::FieldsOwned(conflicts),
        (409, About::Known) => WriteFailure::Conflict(Mismatch::Changed(sentence)),
        (404, About::Known) => WriteFailure::Conflict(Mismatch::Gone(sentence)),
        (410, _) => WriteFailure::Conflict(Mismatch::Expired(sentence)),
        // The message of the API server does not name the cause, so it is replaced.
        (422, About::Known) if is_precondition(status) => {
            let sentence = "another client changed the object in the meantime".to_owned();
            WriteFailure::Conflict(Mismatch::Changed(sentence))
        }
        // The request was throttled or timed out. A retry may succeed.
        (408 | 429, _) => WriteFailure::Lost(sentence),
        (400..=499, _) => WriteFailure::Refused(sentence),
        // The API server reports these errors with code 500 although the request causes them.
        (500, _) if FINAL.iter().any(|words| sentence.contains(words)) => {
            WriteFailure::Refused(sentence)
        }
        _ => WriteFailure::Lost(sentence),
    }
}

/// Returns true if the uid differs, or if a JSON patch cannot be applied. For these errors, the API
/// server returns no kind and no field. For an invalid object, it returns both.
fn is_precondition(status: &Status) -> bool {
    let Some(details) = &status.details else {
        return true;
    };
    let is_patch = details.kind.is_empty() && details.causes.is_empty();
    is_patch
        || details
            .causes
            .iter()
            .any(|cause| cause.field == "metadata.uid")
}
