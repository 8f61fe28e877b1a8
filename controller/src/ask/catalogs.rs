//! The requests to the resolver. Responses are cached until their catalog changes.

mod route;

use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use jiff::Timestamp;
use portolan_core_names::nearest;
use portolan_core_operatorpolicy::{
    Answer, CatalogSight, Modes, NamespaceState, ReachableBundles, Unavailable,
};
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::catalog::State;
use portolan_proto::resolver::v1::resolver_client::ResolverClient;
use portolan_shell::client::Connection;
use tonic::Status;

use self::route::RouteStart;
use super::DEADLINE;
use super::cache::{AnswerCache, Fetched, Question};
use super::changes::Topic;
use super::followed::StreamKey;
use super::resolver::{Resolver, get_bundle, get_package};
use super::streams::{CatalogStatus, RESOLVER};
use super::subject::Installed;
use super::wire::{self, Packaged};

/// The requests to the resolver, with all cached responses.
#[derive(Debug)]
pub(super) struct Catalogs {
    resolver: Resolver,
    packages: AnswerCache<(String, String), CatalogContent, Arc<Packaged>>,
    suggestions: AnswerCache<BundleId, CatalogContent, Option<String>>,
    modes: AnswerCache<BundleId, CatalogContent, Modes>,
    routes: AnswerCache<RouteStart, CatalogContent, ReachableBundles>,
    predictions: AnswerCache<String, (CatalogContent, String), Option<String>>,
}

/// The identity of a bundle: its catalog, its package and its name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct BundleId {
    pub(super) catalog: String,
    pub(super) package: String,
    pub(super) bundle: String,
}

/// The content of catalogs on which a response is based.
#[derive(Debug, Clone, PartialEq, Eq)]
enum CatalogContent {
    /// The content of one catalog. None if the resolver does not have the catalog.
    One(Option<(State, String)>),
    /// The content of all catalogs, represented by a number that changes with each catalog.
    All(u64),
}

/// A response, and the catalogs on which it is based.
type Made<T> = (T, Vec<pb::CatalogRef>);

// === impl Catalogs ===

impl Catalogs {
    pub(super) fn new(resolver: Resolver) -> Self {
        Self {
            packages: resolver.cache(),
            suggestions: resolver.cache(),
            modes: resolver.cache(),
            routes: resolver.cache(),
            predictions: resolver.cache(),
            resolver,
        }
    }

    /// Returns the names of the catalogs that the resolver has.
    pub(super) fn names(&self) -> Vec<String> {
        let names = self.resolver.statuses.read(|statuses| {
            let names = statuses.keys().map(|key| key.name.clone());
            names.collect()
        });
        names.unwrap_or_default()
    }

    /// Returns the state of a catalog in the resolver.
    pub(super) fn sight(&self, catalog: &str) -> CatalogSight {
        let seen = self.resolver.statuses.read(|statuses| {
            let names = statuses.keys().map(|key| &key.name);
            match statuses.get(&key(catalog)) {
                Some(status) if status.state == State::Serving => CatalogSight::Current,
                None if !catalog.is_empty() && !statuses.is_empty() => CatalogSight::Absent {
                    near: nearest(catalog, names).cloned(),
                },
                Some(_) | None => CatalogSight::Unclear,
            }
        });
        seen.unwrap_or_default()
    }

    pub(super) async fn package(
        &self,
        asker: &Topic,
        (catalog, package): (&str, &str),
    ) -> Answer<Arc<Packaged>> {
        let request = get_package(catalog, package);
        let call = async move |mut client: ResolverClient<Connection>| {
            let mut answer = client.get_package(request).await?.into_inner();
            let made = answer.catalogs.clone();
            answer.icon = None;
            Ok((Arc::new(wire::decode_package(answer)), made))
        };
        let about = (catalog.to_owned(), package.to_owned());
        let question = (about, catalog, "GetPackage");
        self.ask(asker, &self.packages, question, call).await
    }

    /// Returns the namespace that the author of a bundle suggests.
    pub(super) async fn suggestion(
        &self,
        asker: &Topic,
        bundle: BundleId,
    ) -> Answer<Option<String>> {
        let request = bundle.request(true);
        let call = async move |mut client: ResolverClient<Connection>| {
            let answer = client.get_bundle(request).await?.into_inner();
            Ok((wire::decode_suggestion(&answer), answer.catalogs))
        };
        let catalog = bundle.catalog.clone();
        let question = (bundle, &*catalog, "GetBundle");
        self.ask(asker, &self.suggestions, question, call).await
    }

    pub(super) async fn modes(&self, asker: &Topic, bundle: BundleId) -> Answer<Modes> {
        let request = bundle.request(false);
        let call = async move |mut client: ResolverClient<Connection>| {
            let answer = client.get_bundle(request).await?.into_inner();
            let made = answer.catalogs.clone();
            Ok((wire::decode_modes(answer), made))
        };
        let catalog = bundle.catalog.clone();
        let question = (bundle, &*catalog, "GetBundle");
        self.ask(asker, &self.modes, question, call).await
    }

    /// Returns the upgrade route from the installed bundle.
    pub(super) async fn route(
        &self,
        asker: &Topic,
        package: (&str, Arc<Packaged>),
        (installed, channel): (Installed<'_>, &str),
    ) -> Answer<ReachableBundles> {
        let (name, packaged) = package;
        let catalog = packaged.offer.catalog.clone();
        let start = RouteStart {
            from: BundleId {
                catalog: catalog.clone(),
                package: name.to_owned(),
                bundle: installed.name.to_owned(),
            },
            version: installed.version.to_owned(),
            channel: channel.to_owned(),
        };
        let asked = start.clone();
        let call = async move |client: ResolverClient<Connection>| {
            asked.explore(client, &packaged.offer).await
        };
        let question = (start, &*catalog, "FindPath");
        self.ask(asker, &self.routes, question, call).await
    }

    /// Returns the reason why OLM cannot resolve a namespace.
    pub(super) async fn prediction(
        &self,
        asker: &Topic,
        state: &NamespaceState,
    ) -> Answer<Option<String>> {
        let request = wire::encode_state(state);
        // The whole request is the key of the cache, because any change in the namespace may change
        // the response. The request may be large, so the cache contains only one response for each
        // namespace.
        let text = serde_json::to_string(&request).unwrap_or_default();
        let content = match self.content("") {
            Ok(content) => content,
            Err(unavailable) => return Answer::Unavailable(unavailable),
        };
        let call = self.fetch(async move |mut client: ResolverClient<Connection>| {
            let answer = client.predict_olm(request).await?.into_inner();
            Ok((wire::decode_prediction(&answer), answer.catalogs))
        });
        let question = Question {
            about: state.name.clone(),
            state: (content, text),
            round: self.resolver.rounds(),
            method: "PredictOlm",
            call,
            deadline: DEADLINE,
        };
        let topic = asker.clone();
        self.resolver.ask(&self.predictions, topic, question).await
    }

    /// Sends a request about a catalog. An empty name means that any catalog may answer.
    async fn ask<Q, A, F>(
        &self,
        asker: &Topic,
        cache: &AnswerCache<Q, CatalogContent, A>,
        (about, catalog, method): (Q, &str, &'static str),
        call: impl FnOnce(ResolverClient<Connection>) -> F + Send + 'static,
    ) -> Answer<A>
    where
        Q: Ord + Clone,
        A: Clone + Send + Sync + 'static,
        F: Future<Output = Result<Made<A>, Status>> + Send,
    {
        let state = match self.content(catalog) {
            Ok(content) => content,
            Err(unavailable) => return Answer::Unavailable(unavailable),
        };
        let question = Question {
            about,
            state,
            round: self.resolver.rounds(),
            method,
            call: self.fetch(call),
            deadline: DEADLINE,
        };
        self.resolver.ask(cache, asker.clone(), question).await
    }

    /// Returns a call that is made only if no response is cached. Its result shows if the response
    /// is based on the current content.
    fn fetch<A, F>(
        &self,
        call: impl FnOnce(ResolverClient<Connection>) -> F + Send + 'static,
    ) -> BoxFuture<'static, Result<Fetched<A>, Status>>
    where
        F: Future<Output = Result<Made<A>, Status>> + Send,
        A: Send + 'static,
    {
        let (client, statuses) = (self.resolver.client(), self.resolver.statuses.clone());
        async move {
            let (answer, made) = call(client).await?;
            let is_current = statuses.read(|statuses| {
                made.iter().all(|from| {
                    let status = statuses.get(&key(&from.name));
                    status.is_none_or(|status| status.digest == from.digest)
                })
            });
            Ok(Fetched {
                answer,
                is_current: is_current.unwrap_or(false),
            })
        }
        .boxed()
    }

    /// Returns the content of catalogs on which a response would be based. Returns the reason if
    /// the content is unknown.
    fn content(&self, catalog: &str) -> Result<CatalogContent, Unavailable> {
        if catalog.is_empty() {
            return Ok(CatalogContent::All(self.resolver.edition()?));
        }
        let status = self
            .resolver
            .statuses
            .read(|statuses| statuses.get(&key(catalog)).cloned())?;
        match status {
            Some(status) if !status.has_content() => Err(status.into_unavailable(catalog)),
            status => Ok(CatalogContent::One(
                status.map(|status| (status.state, status.digest)),
            )),
        }
    }
}

/// Returns the stream key of a catalog. The resolver writes the name of a catalog as one text.
fn key(catalog: &str) -> StreamKey {
    StreamKey {
        namespace: String::new(),
        kind: String::new(),
        name: catalog.to_owned(),
    }
}

// === impl CatalogStatus ===

impl CatalogStatus {
    fn has_content(&self) -> bool {
        match self.state {
            State::Pending | State::Failed => false,
            State::Serving | State::Stale | State::Unspecified => true,
        }
    }

    fn into_unavailable(self, catalog: &str) -> Unavailable {
        let Self { state, why, .. } = self;
        let why = match (state, why.as_str()) {
            (State::Failed, "") => format!("catalog {catalog} cannot be read"),
            (_, "") => format!("it has not read catalog {catalog} yet"),
            (_, why) => format!("it has no content for catalog {catalog}: {why}"),
        };
        Unavailable {
            service: RESOLVER,
            since: self.since.parse::<Timestamp>().ok(),
            why,
        }
    }
}

// === impl BundleId ===

impl BundleId {
    fn request(&self, objects: bool) -> pb::GetBundleRequest {
        get_bundle([&self.catalog, &self.package, &self.bundle], objects)
    }
}
