//! What Operators v2alpha1 ask of the resolver, kept until catalogs change.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use jiff::Timestamp;
use portolan_components::{Answer, Catalogs, Known, Question};
use portolan_core_operatorpolicy as policy;
use portolan_proto::DESCRIPTORS;
use portolan_proto::resolver::v1::resolver_client::ResolverClient;
use portolan_shell::client::{self, ConnectTo, Connection, Terms};
use tonic::{Code, Status};

use super::cache::{self, AnswerCache, Ended, Fetched};
use super::changes::{ChangeQueue, Due, Topic};
use super::follow::Follower;
use super::streams::{CatalogStatus, RESOLVER};
use super::{Addresses, Clock, LONGEST, wire};

/// How long an answer may take: the manifests of a bundle are read from its catalog.
const DEADLINE: Duration = Duration::from_secs(30);

/// The resolver with all that it has said about installed bundles.
pub(crate) struct ComponentCatalogs {
    client: ResolverClient<Connection>,
    statuses: Follower<CatalogStatus>,
    changes: Arc<ChangeQueue>,
    known: AnswerCache<Question, u64, Known>,
}

// === impl ComponentCatalogs ===

impl ComponentCatalogs {
    /// Begins to follow the resolver; whether it can be reached shows in what it answers. Must be
    /// called in a runtime.
    ///
    /// # Errors
    /// The address is no URL of a server.
    pub(crate) fn connect(addresses: &Addresses) -> Result<Self, ConnectTo> {
        let terms = Terms::queries(DESCRIPTORS, DEADLINE).with(addresses.credentials.clone());
        let client = ResolverClient::new(client::remote(&addresses.resolver, terms)?);
        let client = client.max_decoding_message_size(LONGEST);
        let clock = Clock(Arc::new(Timestamp::now));
        let changes = Arc::new(ChangeQueue::default());
        Ok(Self {
            statuses: Follower::start(client.clone(), changes.clone(), clock.clone()),
            known: AnswerCache::new(RESOLVER, clock),
            client,
            changes,
        })
    }
}

impl Catalogs for ComponentCatalogs {
    async fn changed(&self) {
        self.changes.next().await;
    }

    async fn answer(&self, question: &Question) -> Answer {
        if let Err(unavailable) = self.statuses.read(|_| ()) {
            return Answer::Unknown(unavailable.to_string());
        }
        let call = known(self.client.clone(), question.clone());
        let call = call.map(|known| {
            Ok(Fetched {
                answer: known?,
                is_current: true,
            })
        });
        let ended = self.known.ask(cache::Question {
            about: question.clone(),
            state: self.statuses.edition(),
            round: self.statuses.rounds(),
            method: "ListUpgrades",
            call: call.boxed(),
            deadline: DEADLINE,
        });
        let ended = ended.await;
        let Ended { answer, again, .. } = &*ended;
        if let Some(again) = again {
            self.changes.push_at(Due::Again(Topic::Everything), *again);
        }
        match answer {
            policy::Answer::Found(known) => Answer::Known(known.clone()),
            policy::Answer::NotFound(sentence) => Answer::Unknown(sentence.clone()),
            policy::Answer::Unavailable(unavailable) => Answer::Unknown(unavailable.to_string()),
            policy::Answer::NotAsked => Answer::Unknown("nobody has asked".to_owned()),
        }
    }
}

impl fmt::Debug for ComponentCatalogs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ComponentCatalogs")
    }
}

/// What there is for a bundle, and what it brings. A bundle that the catalog has no more brings nothing
/// that is known.
async fn known(
    mut client: ResolverClient<Connection>,
    question: Question,
) -> Result<Known, Status> {
    let request = wire::encode_installed(&question);
    let upgrades = client.list_upgrades(request).await?.into_inner();
    let brings = match client.get_bundle(wire::encode_brought(&question)).await {
        Ok(bundle) => wire::decode_brought(bundle.get_ref(), &question.namespace)?,
        Err(status) if status.code() == Code::NotFound => None,
        Err(status) => return Err(status),
    };
    Ok(Known {
        updates: wire::decode_updates(upgrades),
        brings,
    })
}
