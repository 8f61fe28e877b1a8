//! The client of the resolver: the state of its catalogs, and responses that are cached until this
//! state changes.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use portolan_core_operatorpolicy::{Answer, Unavailable};
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::resolver_client::ResolverClient;
use portolan_shell::client::{Connection, LONGEST_ANSWER};
use tonic::Status;

use super::Clock;
use super::cache::{AnswerCache, CallResult, Fetched, Question};
use super::changes::{ChangeQueue, Due, Topic};
use super::follow::Follower;
use super::streams::{CatalogStatus, RESOLVER};

/// A client of the resolver. It receives the stream with the state of the catalogs.
#[derive(Debug)]
pub(super) struct Resolver {
    client: ResolverClient<Connection>,
    pub(super) statuses: Arc<Follower<CatalogStatus>>,
    pub(super) changes: Arc<ChangeQueue>,
    clock: Clock,
}

// === impl Resolver ===

impl Resolver {
    /// Starts to receive the state of the catalogs. An unreachable resolver is not an error here,
    /// because later responses report it. Must be called within a Tokio runtime.
    pub(super) fn over(resolver: Connection, changes: Arc<ChangeQueue>, clock: Clock) -> Self {
        let client = ResolverClient::new(resolver).max_decoding_message_size(LONGEST_ANSWER);
        let statuses = Follower::start(client.clone(), changes.clone(), clock.clone());
        Self {
            client,
            statuses: Arc::new(statuses),
            changes,
            clock,
        }
    }

    pub(super) fn client(&self) -> ResolverClient<Connection> {
        self.client.clone()
    }

    /// Creates an empty cache for one kind of request.
    pub(super) fn cache<Q: Ord + Clone, S: PartialEq, A: Clone + Send + Sync + 'static>(
        &self,
    ) -> AnswerCache<Q, S, A> {
        AnswerCache::new(RESOLVER, self.clock.clone())
    }

    /// Returns a number that changes whenever a catalog changes.
    ///
    /// # Errors
    /// Returns an error if the state of the catalogs is unknown.
    pub(super) fn edition(&self) -> Result<u64, Unavailable> {
        self.statuses.read(|_| ())?;
        Ok(self.statuses.edition())
    }

    /// Returns how many times the resolver has sent the state of all catalogs.
    pub(super) fn rounds(&self) -> u64 {
        self.statuses.rounds()
    }

    /// Returns the cached response. If there is no valid response, calls the resolver. When a
    /// failed request can be repeated, the policies of `topic` are reconciled.
    pub(super) async fn ask<Q: Ord + Clone, S: PartialEq, A: Clone + Send + Sync + 'static>(
        &self,
        cache: &AnswerCache<Q, S, A>,
        topic: Topic,
        question: Question<Q, S, A>,
    ) -> Answer<A> {
        let ended = cache.ask(question).await;
        let CallResult { answer, again, .. } = &*ended;
        if let Some(again) = again {
            self.changes.push_at(Due::Again(topic), *again);
        }
        answer.clone()
    }

    /// Returns a response like [`ask`](Self::ask). The response depends on all catalogs and on
    /// `state`.
    pub(super) async fn ask_all<Q: Ord + Clone, S: PartialEq, A: Clone + Send + Sync + 'static>(
        &self,
        cache: &AnswerCache<Q, S, A>,
        about: Q,
        (method, deadline): (&'static str, Duration),
        (state, call): (
            impl FnOnce(u64) -> S,
            impl Future<Output = Result<A, Status>> + Send + 'static,
        ),
    ) -> Answer<A> {
        let state = match self.edition() {
            Ok(edition) => state(edition),
            Err(unavailable) => return Answer::Unavailable(unavailable),
        };
        let call = call.map(|answer| {
            Ok(Fetched {
                answer: answer?,
                is_current: true,
            })
        });
        let question = Question {
            about,
            state,
            round: self.rounds(),
            method,
            call: call.boxed(),
            deadline,
        };
        self.ask(cache, Topic::Everything, question).await
    }
}

// --- requests ---

/// Returns the request for a package. The response contains no icon.
pub(super) fn get_package(catalog: &str, package: &str) -> pb::GetPackageRequest {
    pb::GetPackageRequest {
        catalog: catalog.to_owned(),
        package: package.to_owned(),
        icon: false,
    }
}

/// Returns the request for a bundle, with or without the objects of the bundle.
pub(super) fn get_bundle(
    [catalog, package, bundle]: [&str; 3],
    objects: bool,
) -> pb::GetBundleRequest {
    pb::GetBundleRequest {
        catalog: catalog.to_owned(),
        package: package.to_owned(),
        bundle: bundle.to_owned(),
        objects,
    }
}
