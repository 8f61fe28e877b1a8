//! The facts on which the decision about an Install is based.

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

/// The known facts about an Install. A missing value means that the fact was not read yet.
#[derive(Debug, Clone, Default)]
pub struct Observation {
    pub install: Arc<Install>,
    /// The namespace of Portolan. It contains the generated ServiceAccounts and their plans.
    pub home: String,
    /// The OperatorGroups of the cluster.
    pub groups: Arc<Vec<Group>>,
    /// The plans of the Install.
    pub plans: Vec<PlanSeen>,
    pub discovery: Option<Discovery>,
    pub roles: Roles,
    /// The known results of access reviews for the ServiceAccount.
    pub answers: Answers,
    /// The permissions that approvals have granted to the ServiceAccount.
    pub given: Option<Vec<Permission>>,
    /// The bindings in the cluster that refer to a role of the content.
    pub bound: Option<Vec<Value>>,
    pub account: Option<AccountSight>,
    pub images: Images,
    /// The mode of approvals. It decides if the controller creates bindings itself.
    pub approvals: Approvals,
    /// The known results of access reviews for the approver.
    pub approver: Answers,
    pub now: Timestamp,
}

/// A fact that the controller must read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ask {
    /// The kinds that the API server serves.
    Discovery,
    /// The content of a bundle image.
    Image(ImageRef),
    /// The rules of a role.
    Role(ObjectRef),
    /// The permissions that approvals have granted to a ServiceAccount.
    Given(AccountRef),
    /// The bindings that refer to one of these roles.
    Bound(BTreeSet<ObjectRef>),
    /// An access review for a ServiceAccount.
    Review(AccountRef, Access),
    /// The key that seals and verifies stamps.
    Key,
    /// An access review for the user who approved the Install.
    ReviewApprover(Approver, Access),
    /// The uids of the owners of a ServiceAccount, or the fact that it is missing.
    Account(AccountRef),
}

/// The mode of approvals. It decides if the controller creates the bindings for permissions that a
/// user approves through the webhook.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Approvals {
    /// The controller creates no bindings. The approver creates them.
    #[default]
    Off,
    /// The controller creates bindings, but the key that verifies stamps was not read yet.
    On,
    /// The controller creates bindings, and verifies stamps with this key. None if the key does not
    /// exist.
    Sealed(Option<StampKey>),
    /// The controller creates no bindings, because no webhook configuration protects the stamps.
    /// Any caller of the webhook could get a sealed stamp.
    Unguarded,
}

/// The result of reading a ServiceAccount.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AccountSight {
    Missing,
    /// The ServiceAccount exists. Contains the uids of its owners.
    Owned(BTreeSet<String>),
}

impl Observation {
    /// Sets the plans of the Install. Drops plans that only claim to belong to it: a user who may
    /// write plans can add the label of any Install to a plan.
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
