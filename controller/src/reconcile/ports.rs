//! What a reconciliation needs of those who ask and of those who write.

use std::sync::Arc;
use std::time::Instant;

use portolan_api::{Intent, OperatorPolicy, OperatorPolicyStatus};
use portolan_decide::{Answers, Contest, Desired, Instances, Observed, Outcome, Target, Told};
use portolan_olm::CustomResourceDefinition;
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

/// Who writes.
pub(crate) trait Write: Send + Sync + 'static {
    /// Carries out the steps in their order, up to the first that is not done.
    fn carry_out(
        &self,
        observed: &Observed,
        desired: &Desired,
    ) -> impl Future<Output = Vec<Written>> + Send;

    /// The custom resources of definitions that are to go, which nobody watches.
    fn instances(
        &self,
        definitions: &[Arc<CustomResourceDefinition>],
    ) -> impl Future<Output = Vec<Instances>> + Send;

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
}

/// A writer, or none where there is nothing to write to.
#[derive(Debug)]
pub(crate) struct Pen(pub(crate) Option<Writer<Second>>);

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
    async fn still_allowed(&self, plan: &Target, policy: &OperatorPolicy) -> Result<(), Outcome> {
        let metadata = &policy.metadata;
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let [namespace, name, uid] = [&metadata.namespace, &metadata.name, &metadata.uid].map(text);
        let generation = metadata.generation.and_then(|it| u32::try_from(it).ok());
        let behalf = (
            namespace.as_str(),
            name.as_str(),
            uid.as_str(),
            generation.unwrap_or_default(),
        );
        self.0.still_allowed(plan, behalf).await
    }
}

impl Write for Pen {
    async fn carry_out(&self, observed: &Observed, desired: &Desired) -> Vec<Written> {
        match &self.0 {
            Some(writer) => writer.carry_out(observed, desired).await,
            None => Vec::new(),
        }
    }

    async fn instances(&self, definitions: &[Arc<CustomResourceDefinition>]) -> Vec<Instances> {
        match &self.0 {
            Some(writer) => instances(&writer.client(), definitions).await,
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
