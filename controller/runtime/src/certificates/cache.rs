//! The cache of the certificate controller. It contains the metadata of the objects that name
//! certificates, and of the Secrets that the controller has created.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use kube::core::{ApiResource, Expression, GroupVersionKind};
use portolan_core_certificate::{CertificateName, MADE, SubjectKind, named, requested};
use portolan_world::{Area, Ended, Key, Pace, RawObject, State, Trouble};
use serde_json::Value;

use crate::{
    Cache, Cached, MetadataChange, MetadataOf, MetadataWatch, MetadataWatches, PendingWrite,
    Warning,
};

/// The objects that the certificate controller watches.
#[derive(Debug)]
pub struct CertificateCache {
    watches: MetadataWatches,
    /// The only namespace whose certificates are created. None for all namespaces.
    only: Option<String>,
    kinds: Vec<(SourceKind, MetadataWatch)>,
    /// The certificates by the object that names them.
    named: BTreeMap<(SourceKind, Key), CertificateName>,
    /// The watches of Secrets, by namespace. Each namespace with certificates has one watch.
    secrets: BTreeMap<String, MetadataWatch>,
}

/// A kind of objects that can name a certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum SourceKind {
    /// A kind with a `caBundle`.
    Subject(SubjectKind),
    /// Services. A Service can name a certificate before an object with a `caBundle` exists.
    Service,
}

/// The kind and name of a cluster-scoped object that names a certificate.
pub(crate) type SubjectName = (SubjectKind, String);

/// A certificate, with the facts that are known without a request to the API server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CertificateSnapshot {
    pub(crate) name: CertificateName,
    /// The objects that name the certificate.
    pub(crate) subjects: BTreeSet<SubjectName>,
    /// The names of the Services that name the certificate, in its namespace.
    pub(crate) services: BTreeSet<String>,
    pub(crate) access: Access,
}

/// Access to the Secrets of a namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Access {
    /// The Secrets can be read.
    Granted,
    /// Access is denied. Contains the message of the API server.
    Denied(String),
    /// The access is unknown. The watch reports a change when the API server responds.
    Unknown,
}

// === impl SourceKind ===

impl SourceKind {
    fn api_version(self) -> &'static str {
        match self {
            Self::Subject(kind) => kind.api_version(),
            Self::Service => "v1",
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::Subject(kind) => kind.as_str(),
            Self::Service => "Service",
        }
    }

    /// Returns the area of the watch. `only` is the only namespace whose certificates are created.
    fn area(self, only: Option<&str>) -> Area {
        match (self, only) {
            (Self::Service, Some(only)) => Area::namespace(only),
            (Self::Service, None) | (Self::Subject(_), _) => Area::everywhere(),
        }
    }

    /// Returns the certificate that the annotation of an object names.
    ///
    /// # Errors
    /// Returns the reason why the annotation is invalid.
    fn named(self, object: &Value) -> Result<Option<CertificateName>, String> {
        match self {
            Self::Subject(_) => named(object).map_err(|refusal| refusal.to_string()),
            Self::Service => requested(object).map_err(|refusal| refusal.to_string()),
        }
    }
}

// === impl CertificateCache ===

impl CertificateCache {
    /// The timeouts and pauses of requests to the API server. Access to a namespace may be denied
    /// permanently. When a user grants access, the controller should notice this soon.
    pub const PACE: Pace = Pace {
        forbidden: Duration::from_secs(15),
        ..Pace::DEFAULT
    };

    /// Creates a cache that uses these watches. `only_namespace` is the only namespace whose
    /// certificates are created.
    pub fn new(watches: MetadataWatches, only_namespace: Option<&str>) -> Self {
        let mut cache = Self {
            watches,
            only: only_namespace.map(str::to_owned),
            kinds: Vec::new(),
            named: BTreeMap::new(),
            secrets: BTreeMap::new(),
        };
        let kinds = SubjectKind::ALL.map(SourceKind::Subject);
        for kind in kinds.into_iter().chain([SourceKind::Service]) {
            let resource = resource(kind.api_version(), kind.as_str());
            let watch = cache.watch(resource, kind.area(only_namespace));
            cache.kinds.extend(watch.map(|watch| (kind, watch)));
        }
        cache
    }

    /// Opens a watch with the identity of the process. The watch cannot fail, because the process
    /// impersonates no user.
    fn watch(&mut self, kind: ApiResource, area: Area) -> Option<MetadataWatch> {
        let of = MetadataOf {
            user: None,
            kind,
            area,
        };
        self.watches.watch(of).ok()
    }

    fn take_over(&mut self) -> BTreeSet<CertificateName> {
        let mut touched = BTreeSet::new();
        for change in self.watches.take_changes() {
            let kinds = self.kinds.iter();
            let mut kinds = kinds.filter(|(_, watch)| *watch.of() == change.of);
            match kinds.next().cloned() {
                Some((kind, watch)) => {
                    touched.append(&mut self.take_over_sources(kind, &watch, &change));
                }
                None => touched.append(&mut self.take_over_secrets(&change)),
            }
        }
        touched
    }

    fn take_over_sources(
        &mut self,
        kind: SourceKind,
        watch: &MetadataWatch,
        change: &MetadataChange,
    ) -> BTreeSet<CertificateName> {
        let view = watch.now();
        let mut keys: BTreeSet<_> = change.keys.iter().cloned().collect();
        if change.bears_on_all {
            log_state(kind, &view.state);
            keys.extend(view.objects.keys().cloned());
            let known = self.named.keys().filter(|(of, _)| *of == kind);
            keys.extend(known.map(|(_, key)| key.clone()));
        }
        let mut touched = BTreeSet::new();
        for key in keys {
            let object = view.objects.get(&key);
            let certificate = object.and_then(|object| self.named_by(kind, object));
            touched.extend(certificate.clone());
            let source = (kind, key);
            touched.extend(match certificate {
                Some(certificate) => self.named.insert(source, certificate),
                None => self.named.remove(&source),
            });
        }
        touched
    }

    /// Returns the certificate that an object names. Returns None if another controller must create
    /// this certificate.
    fn named_by(&self, kind: SourceKind, object: &RawObject) -> Option<CertificateName> {
        let json: Value = serde_json::from_str(&object.json).ok()?;
        match kind.named(&json) {
            Ok(certificate) => certificate.filter(|it| self.is_wanted(&it.namespace)),
            Err(refusal) => {
                let (kind, object) = (kind.as_str(), &object.key);
                tracing::warn!(kind, %object, refusal, "an object does not name a certificate");
                None
            }
        }
    }

    fn is_wanted(&self, namespace: &str) -> bool {
        let only = self.only.as_deref();
        only.is_none_or(|only| only == namespace)
    }

    fn take_over_secrets(&self, change: &MetadataChange) -> BTreeSet<CertificateName> {
        let mut secrets = self.secrets.iter();
        let Some((namespace, _)) = secrets.find(|(_, watch)| *watch.of() == change.of) else {
            return BTreeSet::new();
        };
        let inside = self.named.values().filter(|it| it.namespace == *namespace);
        let touched = inside.filter(|it| change.bears_on_all || change.keys.contains(&key(it)));
        touched.cloned().collect()
    }

    /// Watches the Secrets in exactly the namespaces that have certificates. Returns true if a
    /// watch was started.
    fn follow_secrets(&mut self) -> bool {
        let namespaces = self.named.values().map(|it| it.namespace.clone());
        let namespaces: BTreeSet<_> = namespaces.collect();
        self.secrets
            .retain(|namespace, _| namespaces.contains(namespace));
        let known: BTreeSet<_> = self.secrets.keys().cloned().collect();
        let mut is_new = false;
        for namespace in namespaces.difference(&known) {
            let made = Expression::Equal(MADE.to_owned(), "true".to_owned());
            let area = Area::namespace(namespace).with_labels(made.into());
            let watch = self.watch(resource("v1", "Secret"), area);
            is_new |= watch.is_some();
            let watch = watch.map(|watch| (namespace.clone(), watch));
            self.secrets.extend(watch);
        }
        is_new
    }

    fn access(&self, namespace: &str) -> Access {
        let Some(watch) = self.secrets.get(namespace) else {
            return Access::Unknown;
        };
        match watch.now().state {
            State::Synced => Access::Granted,
            State::Unknown { trouble, .. } | State::Stale { trouble, .. } => match trouble {
                Trouble::Forbidden(why) => Access::Denied(why),
                _ => Access::Unknown,
            },
            State::Pending | State::NotServed => Access::Unknown,
        }
    }
}

impl Cache for CertificateCache {
    type Snapshot = CertificateSnapshot;
    type Report = ();

    async fn changed(&mut self) -> Result<(), Ended> {
        self.watches.changed().await
    }

    async fn refresh(&mut self) -> BTreeSet<Key> {
        let mut touched = self.take_over();
        if self.follow_secrets() {
            // A new watch reports changes only after `take_changes` was called once.
            touched.append(&mut self.take_over());
        }
        touched.iter().map(key).collect()
    }

    fn is_synced(&self) -> bool {
        let mut states = self.kinds.iter().map(|(_, watch)| watch.now().state);
        states.all(|state| state != State::Pending)
    }

    fn snapshot(&mut self, key: &Key) -> Option<CertificateSnapshot> {
        let name = CertificateName {
            namespace: key.namespace.to_string(),
            secret: key.name.to_string(),
        };
        let (mut subjects, mut services) = (BTreeSet::new(), BTreeSet::new());
        for ((kind, key), _) in self.named.iter().filter(|(_, it)| **it == name) {
            let object = key.name.to_string();
            match kind {
                SourceKind::Subject(kind) => subjects.insert((*kind, object)),
                SourceKind::Service => services.insert(object),
            };
        }
        let is_named = !subjects.is_empty() || !services.is_empty();
        is_named.then(|| CertificateSnapshot {
            access: self.access(&name.namespace),
            name,
            subjects,
            services,
        })
    }

    fn cached(&self, write: &PendingWrite) -> Option<Cached> {
        let mut kinds = self.kinds.iter();
        let of_kind = kinds.find(|(kind, _)| kind.as_str() == write.kind);
        let watch = match &write.namespace {
            Some(namespace) => self.secrets.get(namespace)?,
            None => of_kind.map(|(_, watch)| watch)?,
        };
        let view = watch.now();
        let metadata = view.objects.get(&write.key())?.metadata().ok()?;
        Some(Cached::of(&metadata))
    }

    fn reconciled(&mut self, _: &Key, (): ()) -> BTreeSet<Key> {
        BTreeSet::new()
    }

    fn warn(&self, certificate: &Key, warning: Warning<'_>) {
        match warning {
            Warning::Failed(error) => {
                tracing::warn!(%certificate, error, "reconciling a certificate failed; retrying");
            }
            Warning::Unseen(PendingWrite { kind, name, .. }) => {
                tracing::warn!(%certificate, kind, name, "the written object is not observed yet");
            }
        }
    }
}

fn resource(api_version: &str, kind: &str) -> ApiResource {
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    ApiResource::from_gvk(&GroupVersionKind::gvk(group, version, kind))
}

pub(crate) fn key(name: &CertificateName) -> Key {
    Key::new(&name.namespace, &name.secret)
}

/// Logs if the watch of a kind is denied, and if it is permitted again. Each change is logged once.
fn log_state(kind: SourceKind, state: &State) {
    let kind = kind.as_str();
    match state {
        State::Unknown { trouble, .. } | State::Stale { trouble, .. } => {
            let hint = "deploy/overlays/certificates has the permission";
            tracing::warn!(kind, %trouble, hint, "objects that name certificates are not observed");
        }
        State::NotServed => tracing::warn!(kind, "the API server does not serve the kind"),
        State::Pending | State::Synced => tracing::debug!(kind, "objects of a kind are observed"),
    }
}
