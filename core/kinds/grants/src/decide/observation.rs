//! The observation of an Install and of what it needs.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use portolan_api::installs::{AccountRef, Install, Permission, Status};
use portolan_core_install::{Access, Answers, Discovery, Identity, Roles};
use serde_json::Value;

use crate::account::Group;
use crate::content::{ImageRef, Images};
use crate::plan::PlanSeen;
use crate::stamp::{Approver, Key};

/// The facts that are known of an Install and of what it needs. A fact that was not looked up yet
/// is absent.
#[derive(Debug, Clone, Default)]
pub struct Observation {
    pub install: Arc<Install>,
    /// The namespace of Portolan, in which accounts are generated.
    pub home: String,
    /// All OperatorGroups.
    pub groups: Arc<Vec<Group>>,
    /// The plans that belong to it.
    pub plans: Vec<PlanSeen>,
    pub discovery: Option<Discovery>,
    pub roles: Roles,
    /// The answers about what the account may do.
    pub answers: Answers,
    /// The permissions that approvals have given to the account.
    pub given: Option<Vec<Permission>>,
    /// The bindings on the cluster that name a role of the content.
    pub bound: Option<Vec<Value>>,
    pub account: Option<AccountSight>,
    pub images: Images,
    /// Whether approvals are bound here.
    pub approvals: Approvals,
    /// The answers about what the approver may do.
    pub approver: Answers,
    pub now: Timestamp,
}

/// Something that is to be looked at.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ask {
    /// The kinds that are served.
    Discovery,
    /// The content that an image installs.
    Image(ImageRef),
    /// The rules of a role.
    Role(Identity),
    /// The permissions that approvals have given to a ServiceAccount.
    Given(AccountRef),
    /// The bindings that name one of these roles.
    Bound(BTreeSet<Identity>),
    /// Whether a ServiceAccount may do something.
    Review(AccountRef, Access),
    /// The key that stamps are sealed with.
    Key,
    /// Whether who has approved the Install may do something.
    ReviewApprover(Approver, Access),
    /// Whether there is a ServiceAccount, and whose it is.
    Account(AccountRef),
}

/// Whether what was approved is bound here.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Approvals {
    /// It is not: who approves makes the bindings.
    #[default]
    Off,
    /// It is, by the seal of a key that was not looked at yet.
    On,
    /// The key; None if there is none.
    Sealed(Option<Key>),
    /// Nothing has API servers ask the webhook: whoever asks it has what it seals.
    Unguarded,
}

/// A ServiceAccount, as far as it is seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AccountSight {
    Missing,
    /// It is there, with the uids of its owners.
    Owned(BTreeSet<String>),
}

impl Observation {
    /// With these plans, as far as they are not merely called those of the Install: whoever writes plans may call them
    /// what they like.
    #[must_use]
    pub fn with_plans(mut self, plans: impl Iterator<Item = PlanSeen>) -> Self {
        let genuine = plans.filter(|it| it.is_genuine(&self.install, &self.home, &self.groups));
        self.plans = genuine.collect();
        self
    }

    pub(super) fn status(&self) -> Status {
        self.install.status.clone().unwrap_or_default()
    }

    /// Its name and its uid.
    pub(super) fn id(&self) -> (&str, &str) {
        let metadata = &self.install.metadata;
        let [name, uid] = [&metadata.name, &metadata.uid].map(|it| it.as_deref());
        (name.unwrap_or_default(), uid.unwrap_or_default())
    }

    pub(super) fn generation(&self) -> i64 {
        self.install.metadata.generation.unwrap_or_default()
    }

    pub(super) fn time(&self) -> Time {
        Time(self.now)
    }
}
