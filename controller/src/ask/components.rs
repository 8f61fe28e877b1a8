//! The requests to the resolver that Operators v2alpha1 need: about updates, and about the content
//! of their Installs. Responses are cached until catalogs change.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use portolan_components::{Answer, Ask, CatalogFacts, Catalogs, ContentAnswer, Question};
use portolan_core_operatorpolicy as policy;
use portolan_proto::resolver::v1::resolver_client::ResolverClient;
use portolan_shell::client::Connection;
use tonic::{Code, Status};

use super::cache::AnswerCache;
use super::resolver::{Resolver, get_bundle};
use super::{Clock, wire};

/// The maximum time for a response. It is long because the resolver may have to read the manifests
/// of a bundle from its catalog.
const DEADLINE: Duration = Duration::from_secs(30);

/// The requests to the resolver about installed bundles, with all cached responses.
pub(crate) struct ComponentCatalogs {
    resolver: Resolver,
    facts: AnswerCache<Question, u64, CatalogFacts>,
    contents: AnswerCache<Ask, u64, ContentAnswer>,
}

// === impl ComponentCatalogs ===

impl ComponentCatalogs {
    /// Starts to watch the catalogs of the resolver. An unreachable resolver is not an error here,
    /// because later responses report it. Must be called within a Tokio runtime.
    pub(crate) fn over(resolver: Connection) -> Self {
        let clock = Clock(Arc::new(Timestamp::now));
        let resolver = Resolver::over(resolver, Arc::default(), clock);
        Self {
            facts: resolver.cache(),
            contents: resolver.cache(),
            resolver,
        }
    }
}

impl Catalogs for ComponentCatalogs {
    async fn changed(&self) {
        self.resolver.changes.next().await;
    }

    async fn answer(&self, question: &Question) -> Answer {
        let call = fetch_facts(self.resolver.client(), question.clone());
        match self.ask(&self.facts, question, "ListUpgrades", call).await {
            policy::Answer::Found(known) => Answer::Known(known),
            policy::Answer::NotFound(sentence) => Answer::Unknown(sentence),
            policy::Answer::Unavailable(unavailable) => Answer::Unknown(unavailable.to_string()),
            policy::Answer::NotAsked => {
                Answer::Unknown("the service has not been queried".to_owned())
            }
        }
    }

    async fn content(&self, ask: &Ask) -> ContentAnswer {
        let method = match ask {
            Ask::Bundle { .. } => "GetBundle",
            Ask::Resolve { .. } => "Resolve",
            Ask::Route { .. } => "PlanRoute",
        };
        let call = fetch_content(self.resolver.client(), ask.clone());
        match self.ask(&self.contents, ask, method, call).await {
            policy::Answer::Found(said) => said,
            policy::Answer::NotFound(sentence) => ContentAnswer::No(sentence),
            policy::Answer::Unavailable(unavailable) => {
                ContentAnswer::Unknown(unavailable.to_string())
            }
            policy::Answer::NotAsked => {
                ContentAnswer::Unknown("the service has not been queried".to_owned())
            }
        }
    }
}

impl ComponentCatalogs {
    /// Returns the cached response. If there is no valid response, calls the resolver.
    async fn ask<Q: Ord + Clone, A: Clone + Send + Sync + 'static>(
        &self,
        cache: &AnswerCache<Q, u64, A>,
        about: &Q,
        method: &'static str,
        call: impl Future<Output = Result<A, Status>> + Send + 'static,
    ) -> policy::Answer<A> {
        let (about, method) = (about.clone(), (method, DEADLINE));
        let call = (|edition| edition, call);
        self.resolver.ask_all(cache, about, method, call).await
    }
}

impl fmt::Debug for ComponentCatalogs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ComponentCatalogs")
    }
}

/// Requests the updates of a bundle, and the objects that the bundle installs. If the catalog no
/// longer contains the bundle, the objects are unknown.
async fn fetch_facts(
    mut client: ResolverClient<Connection>,
    question: Question,
) -> Result<CatalogFacts, Status> {
    let request = wire::encode_installed(&question);
    let upgrades = client.list_upgrades(request).await?.into_inner();
    let brings = match client
        .get_bundle(get_bundle(
            [&question.catalog, &question.package, &question.bundle],
            true,
        ))
        .await
    {
        Ok(bundle) => wire::decode_brought(bundle.get_ref(), &question.namespace)?,
        Err(status) if status.code() == Code::NotFound => None,
        Err(status) => return Err(status),
    };
    Ok(CatalogFacts {
        updates: wire::decode_updates(upgrades),
        brings,
    })
}

/// Requests the data of catalogs that determine the content of an Install.
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
            let request = get_bundle([catalog, package, name], false);
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
