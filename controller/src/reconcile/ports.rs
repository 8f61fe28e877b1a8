//! What a reconciliation needs of those who ask and of those who write.

use std::sync::Arc;
use std::time::Instant;

use kube::Client;
use portolan_api::{Intent, OperatorPolicy, OperatorPolicyStatus};
use portolan_core_olm::CustomResourceDefinition;
use portolan_core_operatorpolicy::{
    Answers, Contest, Desired, Instances, Observed, Outcome, Target, Told, Unkept,
};
use portolan_world::Key;

use crate::ask::{Services, Topic};
use crate::instances::instances;
use crate::observe::Elsewhere;
use crate::write::{Reviewer, WriteFailure, Writer, Written};

/// Who is asked.
pub(crate) trait Ask: Send + Sync + 'static {
    /// What they say of a policy. One that is silent is an answer as well.
    fn ask(
        &self,
        intent: Option<&Intent>,
        observed: &Observed,
    ) -> impl Future<Output = Answers> + Send;

    /// Waits until they may say something else.
    fn news(&self) -> impl Future<Output = Vec<Elsewhere>> + Send;
}

/// Who looks at what nobody watches.
pub(crate) trait Look: Send + Sync + 'static {
    /// The custom resources of definitions that are to go.
    fn instances(
        &self,
        definitions: &[Arc<CustomResourceDefinition>],
    ) -> impl Future<Output = Vec<Instances>> + Send;
}

/// Who writes.
pub(crate) trait Write: Look {
    /// Carries out the steps in their order, up to the first that is not done.
    fn carry_out(
        &self,
        observed: &Observed,
        desired: &Desired,
    ) -> impl Future<Output = Vec<Written>> + Send;

    /// Writes the last status and all events, if they are news. Returns the resource version of
    /// the policy, if it was written.
    fn tell(
        &self,
        policy: &OperatorPolicy,
        told: &[Told],
    ) -> impl Future<Output = Result<Option<String>, WriteFailure>> + Send;

    /// Tells a policy once that nothing is done about it, and why; `supposed` is the status that
    /// it would have.
    fn mention(
        &self,
        policy: &OperatorPolicy,
        why: &str,
        supposed: &OperatorPolicyStatus,
    ) -> impl Future<Output = Result<(), WriteFailure>> + Send;

    /// What somebody else changed back again and again in a namespace, and until when it is left
    /// alone.
    fn contests(&self, namespace: &str) -> (Vec<Contest>, Option<Instant>);

    /// What the API server did not keep of what was written in a namespace.
    fn unkept(&self, namespace: &str) -> Vec<Unkept>;

    /// Forgets a policy that is gone.
    fn forget(&self, policy: &Key);
}

/// A writer, or none where there is nothing to write to.
#[derive(Debug)]
pub(crate) struct Pen(pub(crate) Option<Writer<Second>>);

/// Eyes on a cluster, or none where there is nothing to ask.
#[derive(Clone)]
pub(crate) struct Eyes(pub(crate) Option<Client>);

/// Approval, which is asked once more right before an InstallPlan is approved.
#[derive(Debug)]
pub(crate) struct Second(pub(crate) Arc<Services>);

impl Ask for Arc<Services> {
    async fn ask(&self, intent: Option<&Intent>, observed: &Observed) -> Answers {
        Services::ask(self, intent, observed).await
    }

    async fn news(&self) -> Vec<Elsewhere> {
        let topics = self.changed().await;
        topics.into_iter().map(Elsewhere::from).collect()
    }
}

impl Reviewer for Second {
    async fn still_allowed(&self, plan: &Target, observed: &Observed) -> Result<(), Outcome> {
        self.0.still_allowed(plan, observed).await
    }
}

impl Look for Eyes {
    async fn instances(&self, definitions: &[Arc<CustomResourceDefinition>]) -> Vec<Instances> {
        match &self.0 {
            Some(client) => instances(client, definitions).await,
            None => definitions.iter().map(|each| untold(each)).collect(),
        }
    }
}

/// There is no cluster to ask. Files have custom resources or not, and tell nothing by that.
fn untold(definition: &CustomResourceDefinition) -> Instances {
    Instances {
        definition: definition.metadata.name.clone().unwrap_or_default(),
        found: Err("files do not tell which there are".to_owned()),
        has_more: false,
    }
}

impl std::fmt::Debug for Eyes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Eyes").finish_non_exhaustive()
    }
}

impl Look for Pen {
    async fn instances(&self, definitions: &[Arc<CustomResourceDefinition>]) -> Vec<Instances> {
        let client = self.0.as_ref().map(Writer::client);
        Eyes(client).instances(definitions).await
    }
}

impl Write for Pen {
    async fn carry_out(&self, observed: &Observed, desired: &Desired) -> Vec<Written> {
        match &self.0 {
            Some(writer) => writer.carry_out(observed, desired).await,
            None => Vec::new(),
        }
    }

    async fn tell(
        &self,
        policy: &OperatorPolicy,
        told: &[Told],
    ) -> Result<Option<String>, WriteFailure> {
        match &self.0 {
            Some(writer) => writer.tell(policy, told).await,
            None => Ok(None),
        }
    }

    async fn mention(
        &self,
        policy: &OperatorPolicy,
        why: &str,
        supposed: &OperatorPolicyStatus,
    ) -> Result<(), WriteFailure> {
        match &self.0 {
            Some(writer) => writer.mention(policy, why, supposed).await,
            None => Ok(()),
        }
    }

    fn contests(&self, namespace: &str) -> (Vec<Contest>, Option<Instant>) {
        match &self.0 {
            Some(writer) => (
                writer.contests(namespace),
                writer.contested_until(namespace),
            ),
            None => (Vec::new(), None),
        }
    }

    fn unkept(&self, namespace: &str) -> Vec<Unkept> {
        let writer = self.0.as_ref();
        writer.map_or_else(Vec::new, |writer| writer.unkept(namespace))
    }

    fn forget(&self, policy: &Key) {
        if let Some(writer) = &self.0 {
            writer.forget(policy);
        }
    }
}

impl From<Topic> for Elsewhere {
    fn from(topic: Topic) -> Self {
        match topic {
            Topic::Namespace(name) => Self::Namespace(name),
            Topic::Catalog(name) => match name.split_once('/') {
                Some((namespace, name)) => Self::Catalog(Key::new(namespace, name)),
                // Who names a catalog in another way means one that cannot be told.
                None => Self::Everything,
            },
            Topic::Everything => Self::Everything,
        }
    }
}
