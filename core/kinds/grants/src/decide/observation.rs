//! The observed state of an Install and of its dependencies.

use std::collections::BTreeSet;
use std::sync::Arc;

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use portolan_api::installs::{AccountRef, Install, Permission, Status};
use portolan_core_install::{Access, Answers, Discovery, ObjectRef, Roles};
use serde_json::Value;

use crate::account::Group;
use crate::content::{ImageRef, Images};
use crate::plan::PlanSeen;
use crate::stamp::{Approver, StampKey};

/// The known facts about an Install and its dependencies. A missing value means that the fact was
/// not read yet.
#[derive(Debug, Clone, Default)]
pub struct Observation {
    pub install: Arc<Install>,
    /// The namespace of Portolan, where accounts are generated.
    pub home: String,
    /// The OperatorGroups of the cluster.
    pub groups: Arc<Vec<Group>>,
    /// The plans that belong to the Install.
    pub plans: Vec<PlanSeen>,
    pub discovery: Option<Discovery>,
    pub roles: Roles,
    /// The access review results for the account.
    pub answers: Answers,
    /// The permissions granted to the account by approvals.
    pub given: Option<Vec<Permission>>,
    /// The bindings in the cluster that refer to a role of the content.
    pub bound: Option<Vec<Value>>,
    pub account: Option<AccountSight>,
    pub images: Images,
    /// The mode of approvals, which determines if the controller creates the bindings for approved
    /// permissions.
    pub approvals: Approvals,
    /// The access review results for the approver.
    pub approver: Answers,
    pub now: Timestamp,
}

/// A fact that must be read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ask {
    /// The served kinds.
    Discovery,
    /// The content of an image.
    Image(ImageRef),
    /// The rules of a role.
    Role(ObjectRef),
    /// The permissions granted to a ServiceAccount by approvals.
    Given(AccountRef),
    /// The bindings that refer to one of these roles.
    Bound(BTreeSet<ObjectRef>),
    /// An access review for a ServiceAccount.
    Review(AccountRef, Access),
    /// The key that seals stamps.
    Key,
    /// An access review for the user who approved the Install.
    ReviewApprover(Approver, Access),
    /// The existence and the owners of a ServiceAccount.
    Account(AccountRef),
}

/// The mode of approvals, which determines if the controller creates the bindings that users
/// approve through the webhook.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Approvals {
    /// Disabled. The approver creates the bindings.
    #[default]
    Off,
    /// Enabled. The sealing key was not read yet.
    On,
    /// Enabled with this key. None if the key is missing.
    Sealed(Option<StampKey>),
    /// Enabled, but no webhook configuration protects the stamps, so any caller could get a seal.
    Unguarded,
}

/// The observed state of a ServiceAccount.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AccountSight {
    Missing,
    /// The account exists. Contains the uids of its owners.
    Owned(BTreeSet<String>),
}

impl Observation {
    /// Keeps only the plans that belong to the Install. A user who may write plans can add the
    /// label of any Install to a plan.
    #[must_use]
    pub fn with_plans(mut self, plans: impl Iterator<Item = PlanSeen>) -> Self {
        let genuine = plans.filter(|it| it.is_genuine(&self.install, &self.home, &self.groups));
        self.plans = genuine.collect();
        self
    }

    pub(super) fn status(&self) -> Status {
        self.install.status.clone().unwrap_or_default()
    }

    /// Returns the name and the uid of the Install.
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
