//! The questions of Operators v2alpha1 to the resolver, about updates and about the content of
//! their Installs, with answers that are kept until catalogs change.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use jiff::Timestamp;
use portolan_components::{Answer, Ask, CatalogFacts, Catalogs, ContentAnswer, Question};
use portolan_core_operatorpolicy as policy;
use portolan_proto::resolver::v1::resolver_client::ResolverClient;
use portolan_shell::client::{Connection, LONGEST_ANSWER};
use tonic::{Code, Status};

use super::cache::{self, AnswerCache, CallResult, Fetched};
use super::changes::{ChangeQueue, Due, Topic};
use super::follow::Follower;
use super::streams::{CatalogStatus, RESOLVER};
use super::{Clock, wire};

/// The timeout of an answer: the manifests of a bundle are read from its catalog.
const DEADLINE: Duration = Duration::from_secs(30);

/// The resolver with all cached answers about installed bundles.
pub(crate) struct ComponentCatalogs {
    client: ResolverClient<Connection>,
    statuses: Follower<CatalogStatus>,
    changes: Arc<ChangeQueue>,
    facts: AnswerCache<Question, u64, CatalogFacts>,
    contents: AnswerCache<Ask, u64, ContentAnswer>,
}

// === impl ComponentCatalogs ===

impl ComponentCatalogs {
    /// Starts to follow the resolver. Its answers show whether it is reachable. Must be called in a
    /// tokio runtime.
    pub(crate) fn over(resolver: Connection) -> Self {
        let client = ResolverClient::new(resolver).max_decoding_message_size(LONGEST_ANSWER);
        let clock = Clock(Arc::new(Timestamp::now));
        let changes = Arc::new(ChangeQueue::default());
        Self {
            statuses: Follower::start(client.clone(), changes.clone(), clock.clone()),
            facts: AnswerCache::new(RESOLVER, clock.clone()),
            contents: AnswerCache::new(RESOLVER, clock),
            client,
            changes,
        }
    }
}

impl Catalogs for ComponentCatalogs {
    async fn changed(&self) {
        self.changes.next().await;
    }

    async fn answer(&self, question: &Question) -> Answer {
        let call = fetch_facts(self.client.clone(), question.clone()).boxed();
        let ended = self.ask(&self.facts, question, "ListUpgrades", call);
        match ended.await {
            policy::Answer::Found(known) => Answer::Known(known),
            policy::Answer::NotFound(sentence) => Answer::Unknown(sentence),
            policy::Answer::Unavailable(unavailable) => Answer::Unknown(unavailable.to_string()),
            policy::Answer::NotAsked => Answer::Unknown("nobody has asked".to_owned()),
        }
    }

    async fn content(&self, ask: &Ask) -> ContentAnswer {
        let method = match ask {
            Ask::Bundle { .. } => "GetBundle",
            Ask::Resolve { .. } => "Resolve",
            Ask::Route { .. } => "PlanRoute",
        };
        let call = fetch_content(self.client.clone(), ask.clone()).boxed();
        match self.ask(&self.contents, ask, method, call).await {
            policy::Answer::Found(said) => said,
            policy::Answer::NotFound(sentence) => ContentAnswer::No(sentence),
            policy::Answer::Unavailable(unavailable) => {
                ContentAnswer::Unknown(unavailable.to_string())
            }
            policy::Answer::NotAsked => ContentAnswer::Unknown("nobody has asked".to_owned()),
        }
    }
}

impl ComponentCatalogs {
    /// Returns the cached answer, or waits for a new one.
    async fn ask<Q: Ord + Clone, A: Clone + Send + Sync + 'static>(
        &self,
        kept: &AnswerCache<Q, u64, A>,
        about: &Q,
        method: &'static str,
        call: BoxFuture<'static, Result<A, Status>>,
    ) -> policy::Answer<A> {
        if let Err(unavailable) = self.statuses.read(|_| ()) {
            return policy::Answer::Unavailable(unavailable);
        }
        let call = call.map(|answer| {
            Ok(Fetched {
                answer: answer?,
                is_current: true,
            })
        });
        let ended = kept.ask(cache::Question {
            about: about.clone(),
            state: self.statuses.edition(),
            round: self.statuses.rounds(),
            method,
            call: call.boxed(),
            deadline: DEADLINE,
        });
        let ended = ended.await;
        let CallResult { answer, again, .. } = &*ended;
        if let Some(again) = again {
            self.changes.push_at(Due::Again(Topic::Everything), *again);
        }
        answer.clone()
    }
}

impl fmt::Debug for ComponentCatalogs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ComponentCatalogs")
    }
}

/// Returns the updates for a bundle, and the objects that it brings. The objects of a bundle that
/// is no longer in the catalog are unknown.
async fn fetch_facts(
    mut client: ResolverClient<Connection>,
    question: Question,
) -> Result<CatalogFacts, Status> {
    let request = wire::encode_installed(&question);
    let upgrades = client.list_upgrades(request).await?.into_inner();
    let brings = match client.get_bundle(wire::encode_brought(&question)).await {
        Ok(bundle) => wire::decode_brought(bundle.get_ref(), &question.namespace)?,
        Err(status) if status.code() == Code::NotFound => None,
        Err(status) => return Err(status),
    };
    Ok(CatalogFacts {
        updates: wire::decode_updates(upgrades),
        brings,
    })
}

/// Returns what catalogs report about the content of an Install.
async fn fetch_content(
    mut client: ResolverClient<Connection>,
    ask: Ask,
) -> Result<ContentAnswer, Status> {
    match &ask {
        Ask::Bundle {
            catalog,
            package,
            name,
        } => {
            let request = wire::encode_named(catalog, package, name);
            let bundle = client.get_bundle(request).await?.into_inner();
            Ok(wire::decode_named(bundle, catalog))
        }
        Ask::Resolve { wish, installed } => {
            let request = wire::encode_resolve(wish, installed);
            let answer = client.resolve(request).await?.into_inner();
            Ok(wire::decode_resolved(answer))
        }
        Ask::Route { operators, others } => {
            let request = wire::encode_travelers(operators, others);
            let answer = client.plan_route(request).await?.into_inner();
            Ok(ContentAnswer::Routes(wire::decode_first_steps(answer)))
        }
    }
}
