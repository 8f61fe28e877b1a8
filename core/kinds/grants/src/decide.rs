//! Decides the next steps and the status of an Install.

mod bound;
mod granted;
mod imported;
mod observation;
mod report;

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use portolan_api::installs::{
    AccountRef, Content, FINALIZER, Intent, PlanRef, Reason, Resolved, Status,
};
use portolan_api::plan::{InstallPlan, Intent as PlanIntent};
use portolan_core_install::{Contents, Discovery, GroupKind, Members, ObjectRef};
use portolan_core_names::text::listed_up_to;
use serde_json::{Value, json};

use crate::account::{account, made as made_account};
use crate::content::{Imported, defined, import, placed};
use crate::plan::{PlanSeen, Progress, Record, labeled, made};
use imported::{meant, not_imported, recorded, written};
use report::{Report, UndatedCondition, readiness};

pub use observation::{AccountSight, Approvals, Ask, Observation};

/// The interval between checks for changes that trigger no event.
const AGAIN: SignedDuration = SignedDuration::from_mins(1);
/// The maximum number of items that a sentence lists.
const MOST: usize = 10;

/// The decision about an Install.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Decision {
    /// The facts that must be read first. If this set is not empty, the decision has no steps and
    /// the status does not change.
    pub asks: BTreeSet<Ask>,
    /// The steps, in order. The controller first writes the status and then carries them out.
    pub steps: Vec<Step>,
    pub status: Status,
    /// The time of the next reconciliation, if no watch triggers one earlier.
    pub until: Option<Timestamp>,
}

/// A step that the controller carries out.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    AddFinalizer,
    RemoveFinalizer,
    /// Sets `spec.approval` to Unapproved.
    Unapprove,
    /// Creates these objects, with the main object last, such as the plan. The names are derived
    /// from the content, so an object that already exists is identical.
    Create(Vec<Value>),
    /// Deletes a plan with this uid.
    Delete {
        namespace: String,
        plan: String,
        uid: String,
    },
}

/// The reason why a decision ends early: facts that must be read first, or a report.
type Halt = portolan_api::status::Halt<Ask, Box<Report>>;

/// An Install whose content was read.
struct Case<'o> {
    observed: &'o Observation,
    discovery: &'o Discovery,
    intent: Intent,
    account: AccountRef,
    manifests: Vec<Value>,
    resolved: Vec<Resolved>,
}

/// Decides the next steps and the status of an Install.
pub fn decide(observed: &Observation) -> Decision {
    let report = match decided(observed) {
        Ok(report) => report,
        Err(Halt::Say(report)) => *report,
        Err(Halt::Ask(asks)) => {
            return Decision {
                asks,
                status: observed.status(),
                ..Decision::default()
            };
        }
    };
    report.decision(observed)
}

fn decided(observed: &Observation) -> Result<Report, Halt> {
    let metadata = &observed.install.metadata;
    let finalizers = metadata.finalizers.as_deref().unwrap_or_default();
    let has_finalizer = finalizers.iter().any(|it| it == FINALIZER);
    if metadata.deletion_timestamp.is_some() {
        return Ok(deleted(observed, has_finalizer));
    }
    if !has_finalizer {
        let mut report = Report::of(readiness(
            Reason::Installing,
            "the Install has not been checked yet",
        ));
        report.account = observed.status().service_account_ref;
        report.steps.push(Step::AddFinalizer);
        return Ok(report);
    }
    let intent = Intent::parse(&observed.install).map_err(|refusals| {
        Report::wrong(Reason::SpecInvalid, &refusals.to_string()).halt(observed)
    })?;
    let recorded = recorded(observed, &intent);
    if let Some(plan) = recorded.filter(|it| !it.lacks_permissions) {
        let report = Report {
            account: Some(plan.account()),
            resolved: plan.record.resolved.clone(),
            ..Report::of(readiness(Reason::Installing, ""))
        };
        return Ok(carried_out(report, observed, plan));
    }
    let case = Case::of(observed, intent)?;
    let objects = case.plan()?;
    let wanted = objects
        .last()
        .and_then(|it| it["metadata"]["name"].as_str());
    let there = observed
        .plans
        .iter()
        .find(|it| Some(it.name.as_str()) == wanted && it.namespace == case.account.namespace);
    match there {
        Some(plan) if !plan.lacks_permissions => Ok(case.carried_out(plan)),
        Some(plan) => match case.account_there().and_then(|()| case.granted()) {
            // The account has the permissions now, but the plan has not reviewed them again yet.
            Ok(()) => Ok(case.carried_out(plan)),
            Err(Halt::Say(report)) => {
                let mut report = *report;
                report.plan = Some(reference(plan));
                Ok(report)
            }
            Err(ask @ Halt::Ask(_)) => Err(ask),
        },
        None => case.begun(objects),
    }
}

/// Returns the report about a deleted Install, with the steps that delete its plans. When no plan
/// exists any more, the step removes the finalizer.
fn deleted(observed: &Observation, has_finalizer: bool) -> Report {
    let names = observed
        .plans
        .iter()
        .map(|it| format!("{}/{}", it.namespace, it.name));
    let sentence = format!(
        "the installed objects are deleted first: InstallPlan {}",
        listed_up_to(MOST, names)
    );
    let mut report = Report::of(readiness(Reason::Deleting, sentence)).checked();
    // The status keeps the account while plans exist, because the account shows which plans belong
    // to the Install.
    report.account = observed.status().service_account_ref;
    let going = observed.plans.iter().filter(|it| !it.is_terminating);
    report.steps = going.map(delete).collect();
    if observed.plans.is_empty() && has_finalizer {
        report.steps.push(Step::RemoveFinalizer);
    }
    report
}

fn delete(plan: &PlanSeen) -> Step {
    Step::Delete {
        namespace: plan.namespace.clone(),
        plan: plan.name.clone(),
        uid: plan.uid.clone(),
    }
}

fn reference(plan: &PlanSeen) -> PlanRef {
    PlanRef {
        name: plan.name.clone(),
        namespace: plan.namespace.clone(),
    }
}

/// Returns the report about content that already has a plan, with the steps that delete other
/// plans.
fn carried_out(report: Report, observed: &Observation, plan: &PlanSeen) -> Report {
    let is_ready = plan.progress == Progress::Ready;
    let ready = match &plan.progress {
        Progress::Ready => readiness(Reason::Installed, "everything is installed and works"),
        Progress::OnItsWay(message) => readiness(Reason::Installing, message),
        Progress::Fails(message) => readiness(Reason::InstallPlanFailed, message),
    };
    // An older plan is deleted after this plan has taken over its objects. A newer plan is deleted
    // too: it was created for a change that the author has reverted.
    let others = observed.plans.iter().filter(|other| {
        let is_past = other.generation < plan.generation && other.is_handed_over && is_ready;
        let is_other = other.uid != plan.uid && !other.is_terminating;
        is_other && (is_past || other.generation > plan.generation)
    });
    Report {
        ready,
        is_checked: true,
        plan: Some(reference(plan)),
        steps: others.map(delete).collect(),
        ..report
    }
}

fn ask(ask: Ask) -> Halt {
    Halt::ask(ask)
}

impl<'o> Case<'o> {
    fn of(observed: &'o Observation, intent: Intent) -> Result<Self, Halt> {
        let imported = import(&intent.content, &observed.images, |image| {
            meant(observed, &intent, image)
        });
        let Imported {
            written,
            rendered,
            resolved,
        } = imported.map_err(|why| not_imported(why, observed))?;
        let discovery = observed.discovery.as_ref();
        let discovery = discovery.ok_or_else(|| ask(Ask::Discovery))?;
        // After the first plan was created, the Install keeps the account of the plan. Another
        // account could not take over the objects.
        let begun = observed.plans.iter().max_by_key(|it| it.generation);
        let account = begun.map_or_else(
            || {
                let groups = &observed.groups;
                account(observed.id(), &intent.mapping, groups, &observed.home)
            },
            PlanSeen::account,
        );
        Ok(Self {
            observed,
            discovery,
            manifests: [placed(&written, &intent.mapping, discovery), rendered].concat(),
            intent,
            account,
            resolved,
        })
    }

    fn report(&self, ready: UndatedCondition) -> Report {
        Report {
            account: Some(self.account.clone()),
            resolved: self.resolved.clone(),
            ..Report::of(ready)
        }
    }

    /// Returns the plan, and before it the objects that store its manifests.
    fn plan(&self) -> Result<Vec<Value>, Halt> {
        let (install, uid) = self.observed.id();
        let id = (install, uid, self.observed.generation());
        let record = self.record();
        let manifests = labeled(&self.manifests, &self.observed.install.metadata);
        made(&manifests, id, &self.account, &record).map_err(|sentences| {
            let sentence = listed_up_to(MOST, sentences);
            Report::wrong(Reason::ContentNotInstallable, &sentence).halt(self.observed)
        })
    }

    /// Returns the record of the images in the content, for an annotation of the plan. Empty if the
    /// content has no images.
    fn record(&self) -> Record {
        let entries = self.intent.content.iter().zip(&self.resolved);
        let images = entries.filter_map(|(entry, resolved)| match entry {
            Content::ManifestImage(image) => Some((image.clone(), resolved.manifest_image.clone())),
            Content::Raw(_) => None,
        });
        let images: BTreeMap<_, _> = images.collect();
        if images.is_empty() {
            return Record::default();
        }
        Record {
            digest: written(self.observed),
            images,
            resolved: self.resolved.clone(),
        }
    }

    fn carried_out(&self, plan: &PlanSeen) -> Report {
        let report = self.report(readiness(Reason::Installing, ""));
        carried_out(report, self.observed, plan)
    }

    /// Returns the report with the step that creates the plan.
    ///
    /// # Errors
    ///
    /// Returns the report about the first requirement that is not met.
    fn begun(&self, objects: Vec<Value>) -> Result<Report, Halt> {
        self.served()?;
        self.account_there()?;
        self.granted()?;
        if !self.intent.is_approved {
            let sentence = "the ServiceAccount of the Install has all permissions that the \
                            content needs; set spec.approval to Approved";
            let mut report = self.report(readiness(Reason::ApprovalRequired, sentence));
            report.pending = Some(UndatedCondition::yes(Reason::NotApproved, sentence));
            return Err(report.kept(self.observed));
        }
        self.distinguished_from_earlier()?;
        let ready = readiness(Reason::Installing, "the InstallPlan is being created");
        let mut report = self.report(ready).checked();
        report.steps.push(Step::Create(objects));
        Ok(report)
    }

    /// Checks that the status shows for each existing plan that it is older than a new plan. Plans
    /// that are created in the same second can only be ordered by the status of the older plan.
    fn distinguished_from_earlier(&self) -> Result<(), Halt> {
        let mut plans = self.observed.plans.iter();
        let Some(plan) = plans.find(|it| !it.is_known && !it.is_terminating) else {
            return Ok(());
        };
        let sentence = format!(
            "the new InstallPlan is created once InstallPlan {}/{} of the previous content has \
             been checked",
            plan.namespace, plan.name
        );
        let ready = readiness(Reason::Installing, sentence);
        Err(self.report(ready).checked().kept(self.observed))
    }

    /// Checks that the API server serves each kind, or that the content itself defines it.
    fn served(&self) -> Result<(), Halt> {
        let defined = defined(&self.manifests);
        let services = self
            .manifests
            .iter()
            .filter(|it| GroupKind::of(it).is_api_service());
        let groups: BTreeSet<_> = services
            .filter_map(|it| it.pointer("/spec/group")?.as_str())
            .collect();
        let kinds: BTreeSet<GroupKind> = self.manifests.iter().map(GroupKind::of).collect();
        let unserved = kinds.iter().filter(|kind| {
            let is_served = self.discovery.kind(kind).is_some();
            !is_served && !defined.contains_key(kind) && !groups.contains(kind.group.as_str())
        });
        let unserved: Vec<_> = unserved.collect();
        if unserved.is_empty() {
            return Ok(());
        }
        let sentence = format!(
            "the API server does not serve {}; install the CustomResourceDefinition of this kind \
             first, or remove the object",
            listed_up_to(MOST, unserved)
        );
        let mut report = self.report(readiness(Reason::KindNotServed, sentence));
        report.until = Some(self.observed.now + AGAIN);
        Err(report.kept(self.observed))
    }

    /// Checks that the ServiceAccount exists. A generated ServiceAccount must belong to this
    /// Install.
    fn account_there(&self) -> Result<(), Halt> {
        let AccountRef { name, namespace } = &self.account;
        let (install, uid) = self.observed.id();
        let sight = self.observed.account.as_ref();
        let sight = sight.ok_or_else(|| ask(Ask::Account(self.account.clone())))?;
        let is_own = *namespace == self.observed.home;
        match sight {
            AccountSight::Missing if is_own => {
                let mut report = self.report(readiness(
                    Reason::Installing,
                    format!("ServiceAccount {namespace}/{name} is being created"),
                ));
                let account = made_account(&self.account, (install, uid));
                report.steps.push(Step::Create(vec![account]));
                Err(Halt::Say(Box::new(report)))
            }
            AccountSight::Owned(owners) if is_own && !owners.contains(uid) => {
                let sentence = format!(
                    "ServiceAccount {namespace}/{name} already exists and does not belong to the \
                     Install; delete the ServiceAccount, or give the Install another name"
                );
                let mut report = self.report(readiness(Reason::ServiceAccountNotOwned, sentence));
                report.until = Some(self.observed.now + AGAIN);
                Err(report.kept(self.observed))
            }
            // If the ServiceAccount of an OperatorGroup is missing, the status of the plan reports
            // this.
            AccountSight::Missing | AccountSight::Owned(_) => Ok(()),
        }
    }

    fn members(&self) -> Result<Members, Halt> {
        let resources = self.manifests.iter().map(|it| json!({"manifest": it}));
        let stage = json!({"name": "all", "resources": resources.collect::<Vec<_>>()});
        let spec = json!({"serviceAccountName": self.account.name, "stages": [stage]});
        let plan = InstallPlan::new("none", spec.into());
        let wrong = |sentence: String| {
            Report::wrong(Reason::ContentNotInstallable, &sentence).halt(self.observed)
        };
        let intent = PlanIntent::parse(&plan).map_err(|refusals| wrong(refusals.to_string()))?;
        let members = Members::read(&intent, &ObjectRef::default(), &Contents::default());
        members.map_err(|faults| wrong(listed_up_to(MOST, faults)))
    }
}
