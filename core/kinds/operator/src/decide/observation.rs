//! The input of a decision, the missing facts, and the resulting steps.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use portolan_api::operator::{Account, Remedy, Status};
use portolan_core_names::{Gvk, ObjectRef};
use serde_json::Value;

use crate::adoption::LiveQuery;
use crate::answer::{
    Answer, CommonRoute, CustomResources, PackageFacts, PolicyDecision, RenderedBundle,
};
use crate::fleet::Fleet;
use crate::hop::OperatorHop;
use crate::member::FleetMember;
use crate::offer::Offers;
use crate::question::{ConsentQuestion, PackageRef, RenderOptions};
use crate::survey::{Superseded, Survey};

/// The known facts about an Operator. A missing entry means that the fact was not read yet.
#[derive(Debug, Clone)]
pub struct Observation {
    /// The name of the Operator.
    pub name: String,
    /// All Operators of the cluster, including this Operator.
    pub fleet: Arc<Fleet>,
    /// The status that the controller wrote last.
    pub status: Status,
    pub home: Home,
    /// The catalogs that offer the packages of all Operators.
    pub offers: Option<Answer<Arc<Offers>>>,
    pub packages: BTreeMap<(String, String), Answer<PackageFacts>>,
    /// The routes of all Operators.
    pub routes: Option<Answer<Arc<Vec<CommonRoute>>>>,
    pub bundles: BTreeMap<BundleRef, Answer<RenderedBundle>>,
    /// The images of bundles in catalogs.
    pub images: BTreeMap<BundleId, Answer<String>>,
    /// The decisions of the UpgradePolicies about moves.
    pub consents: BTreeMap<ConsentQuestion, Answer<PolicyDecision>>,
    /// The objects in the cluster, by the query that read them.
    pub live: BTreeMap<LiveQuery, Answer<Vec<Value>>>,
    /// The custom resources in the cluster.
    pub resources: BTreeMap<ResourceQuery, Answer<Vec<CustomResources>>>,
    pub now: Timestamp,
}

/// The namespace and ServiceAccount for the plans of Operators that name no ServiceAccount.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    pub namespace: String,
    pub service_account: String,
    /// The version of the controller.
    pub version: &'static str,
}

/// A missing fact that the decision needs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ask {
    /// The catalogs that offer these packages.
    Offers(BTreeSet<PackageRef>),
    /// The facts about a package in a catalog.
    Package {
        catalog: String,
        package: String,
    },
    /// The routes of all Operators, for [`Fleet::question`].
    Routes,
    Bundle(Box<BundleRef>),
    /// The image of a bundle in a catalog.
    Image(Box<BundleId>),
    /// The decision of the policies about the start of a move of an Operator.
    Consent(Box<ConsentQuestion>),
    /// The objects in the cluster that this query selects.
    Live(Box<LiveQuery>),
    /// The number of custom resources in the cluster.
    Resources(Box<ResourceQuery>),
}

/// The kinds whose custom resources must be counted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ResourceQuery {
    /// The ServiceAccount that reads the custom resources.
    pub account: Account,
    pub apis: BTreeSet<Gvk>,
}

/// The answer to an [`Ask`].
#[derive(Debug, Clone, PartialEq)]
pub enum Knowledge {
    Offers(Answer<Arc<Offers>>),
    Package(Answer<PackageFacts>),
    Routes(Answer<Arc<Vec<CommonRoute>>>),
    Bundle(Box<Answer<RenderedBundle>>),
    Image(Answer<String>),
    Consent(Answer<PolicyDecision>),
    Live(Answer<Vec<Value>>),
    Resources(Answer<Vec<CustomResources>>),
}

impl Observation {
    /// Returns true if the Operator deletes its current plan to revert the version.
    pub(super) fn is_reverting(&self, member: &FleetMember) -> bool {
        let deleted = member.current().filter(|hop| hop.is_terminating);
        let reverted = self.status.reverted.as_ref();
        deleted.zip(reverted).is_some_and(|(hop, reverted)| {
            hop.facts.installs.bundle == reverted.bundle && hop.facts.image == reverted.image
        })
    }

    /// Returns an observation of an Operator that contains no facts from catalogs, policies or the
    /// cluster yet.
    pub fn of(name: &str, fleet: Arc<Fleet>, status: Status, home: Home, now: Timestamp) -> Self {
        Self {
            name: name.to_owned(),
            fleet,
            status,
            home,
            offers: None,
            packages: BTreeMap::new(),
            routes: None,
            bundles: BTreeMap::new(),
            images: BTreeMap::new(),
            consents: BTreeMap::new(),
            live: BTreeMap::new(),
            resources: BTreeMap::new(),
            now,
        }
    }

    /// Replaces the Fleet, the catalogs and the routes with those of a Survey.
    ///
    /// # Errors
    /// Returns an error if this Operator has changed or is missing in the new Fleet.
    pub fn take(&mut self, survey: &Survey) -> Result<(), Superseded> {
        let of = |fleet: &Fleet| fleet.members.get(&self.name).cloned();
        if of(&self.fleet) != of(&survey.fleet) {
            return Err(Superseded);
        }
        self.fleet = survey.fleet.clone();
        self.offers = Some(survey.offers.clone());
        self.routes = Some(survey.routes.clone());
        Ok(())
    }

    /// Stores the answer to a query.
    pub fn learn(&mut self, ask: Ask, knowledge: Knowledge) {
        match (ask, knowledge) {
            (Ask::Offers(_), Knowledge::Offers(answer)) => self.offers = Some(answer),
            (Ask::Package { catalog, package }, Knowledge::Package(answer)) => {
                self.packages.insert((catalog, package), answer);
            }
            (Ask::Routes, Knowledge::Routes(answer)) => self.routes = Some(answer),
            (Ask::Bundle(bundle), Knowledge::Bundle(answer)) => {
                self.bundles.insert(*bundle, *answer);
            }
            (Ask::Image(bundle), Knowledge::Image(answer)) => {
                self.images.insert(*bundle, answer);
            }
            (Ask::Consent(question), Knowledge::Consent(answer)) => {
                self.consents.insert(*question, answer);
            }
            (Ask::Live(query), Knowledge::Live(answer)) => {
                self.live.insert(*query, answer);
            }
            (Ask::Resources(query), Knowledge::Resources(answer)) => {
                self.resources.insert(*query, answer);
            }
            (
                Ask::Offers(_)
                | Ask::Package { .. }
                | Ask::Routes
                | Ask::Bundle(_)
                | Ask::Image(_)
                | Ask::Consent(_)
                | Ask::Live(_)
                | Ask::Resources(_),
                _,
            ) => debug_assert!(false, "a lookup result must match its lookup"),
        }
    }
}

/// The identity of a bundle in a catalog.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct BundleId {
    pub catalog: String,
    pub package: String,
    pub bundle: String,
}

/// A rendered bundle of a catalog.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct BundleRef {
    pub catalog: String,
    pub package: String,
    pub bundle: String,
    pub options: RenderOptions,
    /// True to request the manifests. False to check only that the manifests can be rendered.
    pub with_manifests: bool,
}

/// A write to the cluster that a decision requests.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    AddFinalizer,
    RemoveFinalizer,
    /// Creates objects in this order. An object that already exists is left unchanged. The last
    /// object is a plan.
    Create(Vec<Value>),
    /// Releases a suspended plan, so that the plan controller applies it.
    Release {
        namespace: String,
        plan: String,
        uid: String,
        /// The resource version of the plan for which the decision was made.
        version: String,
    },
    /// Suspends a plan permanently, so that it takes no objects back.
    Suspend {
        namespace: String,
        plan: String,
        uid: String,
        version: String,
    },
    /// Restores the fields of a plan that other clients changed.
    Reset {
        namespace: String,
        plan: String,
        uid: String,
        version: String,
        /// True to release the plan again, because another client suspended it.
        resume: bool,
        /// The new `spec.lifecycle`. None if it does not change.
        lifecycle: Option<Value>,
    },
    Delete {
        namespace: String,
        plan: String,
        uid: String,
    },
    /// Deletes a Secret or ResourceManifest that its Operator created and that only deleted plans
    /// refer to.
    DeleteBeside(ObjectRef<Gvk>),
    /// Makes a plan treat objects that existed before the plan as its own.
    OwnFound {
        namespace: String,
        plan: String,
        uid: String,
        version: String,
    },
    /// A write to an object other than a plan, with the permissions of the ServiceAccount that
    /// installs the operator.
    As(Account, Act),
}

/// An action on an object that OLM manages.
#[derive(Debug, Clone, PartialEq)]
pub enum Act {
    /// Patches an object if it still has the observed version. Fails otherwise.
    Patch {
        object: ObjectRef<Gvk>,
        uid: String,
        version: String,
        operations: Vec<Value>,
    },
    /// Deletes an object and its dependents if the object still has the observed version. Fails
    /// otherwise.
    Delete {
        object: ObjectRef<Gvk>,
        uid: String,
        version: String,
    },
    /// Deletes an object and orphans its dependents. Fails if the object has changed, except by an
    /// earlier step of this decision.
    Orphan {
        object: ObjectRef<Gvk>,
        uid: String,
        version: String,
    },
}

/// The steps to carry out, and the status to report.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// The facts that are missing. If there are any, `status` is empty, and the decision must be
    /// made again with these facts.
    pub asks: BTreeSet<Ask>,
    /// The steps in order. If a step fails, the following steps are skipped.
    pub steps: Vec<Step>,
    pub status: Status,
    /// The time of the next decision, if no watch reports a change before this time.
    pub until: Option<Timestamp>,
    /// The command that resolves the reported problem. It is added to the message when the status
    /// is written.
    pub(super) remedy: Option<Remedy>,
}

impl Decision {
    pub(super) fn saying(status: Status) -> Self {
        Self {
            asks: BTreeSet::new(),
            steps: Vec::new(),
            status,
            until: None,
            remedy: None,
        }
    }
}

impl Step {
    pub(super) fn release(hop: &OperatorHop) -> Self {
        Self::Release {
            namespace: hop.namespace.clone(),
            plan: hop.plan.clone(),
            uid: hop.uid.clone(),
            version: hop.version.clone(),
        }
    }

    pub(super) fn suspend(hop: &OperatorHop) -> Self {
        Self::Suspend {
            namespace: hop.namespace.clone(),
            plan: hop.plan.clone(),
            uid: hop.uid.clone(),
            version: hop.version.clone(),
        }
    }

    pub(super) fn reset(hop: &OperatorHop, resume: bool) -> Self {
        Self::Reset {
            namespace: hop.namespace.clone(),
            plan: hop.plan.clone(),
            uid: hop.uid.clone(),
            version: hop.version.clone(),
            resume,
            lifecycle: hop.edited.clone(),
        }
    }

    pub(super) fn delete(hop: &OperatorHop) -> Self {
        Self::Delete {
            namespace: hop.namespace.clone(),
            plan: hop.plan.clone(),
            uid: hop.uid.clone(),
        }
    }
}
