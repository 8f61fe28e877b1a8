//! Compares a plan with the cluster. All requests use the permissions of the user.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures::{StreamExt, TryStreamExt};
use jiff::Timestamp;
use kube::Client;
use portolan_api::plan::InstallPlan;
use portolan_core_install::{
    Ask, Contents, Drift, Forced, Lineages, Live, Members, ObjectRead, ObjectRef, Observation,
    Previews, Succession, Trial, manager, tried,
};
use portolan_runtime::{FencedClient, WriteFailure, Writes, lease::Fence};

use crate::discovery::DiscoveryCache;
use crate::memory::{Memory, identity};
use crate::observe::{Looker, Preview};

/// The maximum number of concurrent dry runs.
const AT_ONCE: usize = 8;
/// The maximum number of times that a decision may request more facts. After that, the comparison
/// fails.
const QUESTIONS: usize = 100;

/// A plan to compare with the cluster.
#[derive(Debug)]
pub struct LivePlan<'a> {
    pub plan: &'a InstallPlan,
    /// The content of Secrets and ResourceManifests that must not be read from the cluster.
    pub contents: Contents,
    pub succession: Succession,
    /// The lineages of the plans in the cluster. A plan and the plans that it has replaced have the
    /// same lineage.
    pub living: Lineages,
}

/// A running comparison.
struct Comparison<'a> {
    looker: Looker<'a>,
    observed: Observation,
    previews: Previews,
    members: Arc<Members>,
}

/// Returns the changes that a plan would make now. All requests use the permissions of the client's
/// user. No request writes.
///
/// # Errors
/// Returns an error if the API server does not respond.
pub async fn live(client: Client, asked: LivePlan<'_>) -> Result<Live, WriteFailure> {
    let LivePlan {
        plan,
        contents,
        succession,
        living,
    } = asked;
    let own = FencedClient::new(client, Fence::open(), Writes::default());
    let theirs = own.managed_by(&manager(&succession.lineage));
    let mut observed = Memory::of(plan).observed;
    observed.plan = identity(plan, &succession);
    observed.succession = succession;
    observed.status = plan.status.clone().unwrap_or_default();
    observed.contents = contents;
    observed.living = Arc::new(living);
    observed.now = Timestamp::now();
    let comparison = Comparison {
        looker: Looker {
            own: &own,
            theirs: &theirs,
            discovery: &DiscoveryCache::default(),
            namespace: plan.metadata.namespace.as_deref().unwrap_or_default(),
            account: "",
            continues_unseen: true,
        },
        observed,
        previews: Previews::new(),
        members: Arc::default(),
    };
    comparison.run().await
}

impl Comparison<'_> {
    async fn run(mut self) -> Result<Live, WriteFailure> {
        for _ in 0..QUESTIONS {
            match portolan_core_install::live(&self.observed, &self.previews) {
                Ok(live) => return Ok(live),
                Err(asks) => self.look(asks).await?,
            }
        }
        let sentence = "the same request is repeated without progress";
        Err(WriteFailure::Lost(sentence.to_owned()))
    }

    async fn look(&mut self, asks: BTreeSet<Ask>) -> Result<(), WriteFailure> {
        self.read_members();
        let (mut tries, mut others) = (BTreeSet::new(), BTreeSet::new());
        for ask in asks {
            match ask {
                Ask::Trial(object) | Ask::ForcedTrial(object) | Ask::Drift(object) => {
                    tries.insert(object);
                }
                ask => drop(others.insert(ask)),
            }
        }
        let members = self.members.clone();
        let looked = self.looker.look(others, &mut self.observed, &members);
        looked.await?;
        let (looker, seen) = (&self.looker, &self.observed);
        let previews = tries.into_iter().filter_map(|object| {
            let member = members.get(&object)?;
            Some(async move { Ok((object, looker.preview(seen, member).await?)) })
        });
        let previews = futures::stream::iter(previews).buffer_unordered(AT_ONCE);
        let previews: Vec<_> = previews.try_collect::<Vec<_>>().await?;
        for (object, preview) in previews {
            self.put(object, preview);
        }
        Ok(())
    }

    /// Parses the members as soon as the content of all manifests is known.
    fn read_members(&mut self) {
        let observed = &mut self.observed;
        let Ok(intent) = &observed.intent else {
            return;
        };
        let members = Members::read(intent, &observed.plan.identity, &observed.contents);
        self.members = Arc::new(members.unwrap_or_default());
        observed.members = Some(self.members.clone()).filter(|members| !members.is_empty());
    }

    fn put(&mut self, object: ObjectRef, preview: Preview) {
        let Preview {
            trial,
            conflicts,
            after,
        } = preview;
        let observed = &mut self.observed;
        if let Some(ObjectRead::Present(before)) = observed.objects.get(&object).cloned() {
            let refused = match &trial {
                Trial::Refused(sentence) => sentence.clone(),
                Trial::Accepted | Trial::Undecided | Trial::Immutable => String::new(),
            };
            let drift = Drift::of(&before, after.as_ref().ok_or(refused));
            observed.drifts.insert(object.clone(), drift);
            if let Some(conflicts) = conflicts {
                observed.conflicted(&object, conflicts);
            }
            if let Some(attempt) = observed.attempts.get_mut(&object) {
                // If a dry run of a field is not possible, the field counts as changed.
                let unknown = serde_json::Value::Null;
                attempt.forced = Some(Forced::of(&before, after.as_ref().unwrap_or(&unknown)));
            }
            if let Some(after) = &after {
                self.previews.insert(object.clone(), tried(&before, after));
            }
        }
        observed.tried(object, trial);
    }
}
