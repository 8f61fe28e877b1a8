//! The condition of one stage of a removal.

use portolan_api::{Reason, RelatedObject, Remove};

use super::case::RemovalCase;
use super::crds::{CustomResources, custom_resources, has_more, held};
use super::disposition::{Disposition, KeepReason};
use super::inventory::{Inventory, Item, Progress};
use super::record::served;
use super::related::relate;
use super::stage::Stage;
use crate::Instance;
use crate::desired::{Condition, Status};

/// The finalizer that OLM sets on a ClusterServiceVersion and removes after its cleanup.
const OLM_FINALIZER: &str = "operators.coreos.com/csv-cleanup";
/// The maximum number of custom resources that a message names.
const NAMED: usize = 5;

/// Returns the condition of a stage, and its related objects.
pub(super) fn summarize(
    removal: &RemovalCase<'_>,
    inventory: &Inventory,
    stage: Stage,
) -> (Condition, Vec<RelatedObject>) {
    let related = relate(removal, inventory, stage);
    let type_ = stage.condition();
    if stage == Stage::Groups && removal.groups().len() > 1 {
        let message = too_many(inventory);
        let condition = Condition::bad(type_, Reason::TooManyOperatorGroups, message);
        return (condition, related);
    }
    let summary = StageSummary::of(removal, inventory, stage);
    (
        Condition::new(type_, summary.status(), summary.reason(), summary.message()),
        related,
    )
}

fn too_many(inventory: &Inventory) -> String {
    let all: Vec<_> = inventory.at(Stage::Groups).collect();
    let named = named(Stage::Groups, &all);
    format!(
        "{}: OLM allows only one OperatorGroup in a namespace, but it is unknown which of these \
         OperatorGroups to keep, so none is deleted; delete all but one by hand",
        named.text
    )
}

/// The objects of a stage, grouped by outcome.
#[derive(Debug)]
struct StageSummary<'a> {
    removal: &'a RemovalCase<'a>,
    stage: Stage,
    /// The current stage of the removal. None if nothing must be deleted any more.
    at_hand: Option<Stage>,
    leaving: Vec<&'a Item>,
    waiting: Vec<&'a Item>,
    deleted: Vec<&'a Item>,
    /// The objects that the controller keeps for now although the policy deletes them.
    withheld: Vec<&'a Item>,
    kept: Vec<&'a Item>,
    /// The InstallPlan with which OLM is about to install another ClusterServiceVersion. None if
    /// there is no such InstallPlan.
    coming: Option<&'a str>,
}

impl<'a> StageSummary<'a> {
    fn of(removal: &'a RemovalCase<'a>, inventory: &'a Inventory, stage: Stage) -> Self {
        let mut summary = Self {
            removal,
            stage,
            at_hand: inventory.stage(),
            leaving: Vec::new(),
            waiting: Vec::new(),
            deleted: Vec::new(),
            withheld: Vec::new(),
            kept: Vec::new(),
            coming: match stage {
                Stage::Csvs => inventory.coming.as_deref(),
                Stage::Subscriptions | Stage::Crds | Stage::Groups | Stage::Plans => None,
            },
        };
        for item in inventory.at(stage) {
            match (&item.disposition, item.progress) {
                (Disposition::Delete, Progress::Terminating) => summary.leaving.push(item),
                (Disposition::Delete, Progress::Present) => summary.waiting.push(item),
                (Disposition::Delete, Progress::Deleted) => summary.deleted.push(item),
                (Disposition::Delete, Progress::Gone) => {}
                (Disposition::Keep(reason), _) if reason.is_content(stage) => {
                    summary.kept.push(item)
                }
                (Disposition::Keep(_), _) => summary.withheld.push(item),
            }
        }
        summary
    }

    fn reason(&self) -> Reason {
        let reasons = self.stage.reasons();
        match self {
            Self { leaving, .. } if !leaving.is_empty() => reasons.deleting,
            Self { waiting, .. } if !waiting.is_empty() => reasons.present,
            Self {
                coming: Some(_), ..
            } => reasons.present,
            Self { withheld, .. } if !withheld.is_empty() => reasons.withheld,
            Self { deleted, .. } if !deleted.is_empty() => reasons.deleted,
            Self { kept, .. } if !kept.is_empty() => reasons.kept,
            Self { .. } => reasons.absent,
        }
    }

    fn status(&self) -> Status {
        let lists = [&self.leaving, &self.waiting, &self.withheld];
        let is_quiet = self.coming.is_none() && lists.iter().all(|list| list.is_empty());
        let is_good = self.stage == Stage::Plans || is_quiet;
        if is_good { Status::True } else { Status::False }
    }

    fn message(&self) -> String {
        let mut clauses = Vec::new();
        if !self.leaving.is_empty() {
            clauses.push(self.being_deleted());
        }
        if !self.waiting.is_empty() {
            clauses.extend(self.to_be_deleted());
        }
        if let Some(plan) = self.coming {
            clauses.push(format!(
                "waiting for InstallPlan {plan}, which still installs a ClusterServiceVersion"
            ));
        }
        if !self.deleted.is_empty() {
            let named = named(self.stage, &self.deleted);
            clauses.push(format!("{} {} deleted", named.text, named.was()));
        }
        clauses.extend(self.staying(&self.withheld));
        match self.stage {
            // Unless the policy deletes InstallPlans, all InstallPlans of the namespace are kept.
            // The message does not mention them.
            Stage::Plans => {}
            Stage::Subscriptions | Stage::Crds | Stage::Csvs | Stage::Groups => {
                clauses.extend(self.staying(&self.kept));
            }
        }
        clauses.extend(self.served());
        if clauses.is_empty() {
            self.absent()
        } else {
            clauses.join("; ")
        }
    }

    fn absent(&self) -> String {
        let (_, kind) = self.stage.kind();
        let package = self.removal.package();
        let place = self.removal.namespace.name.as_str();
        match self.stage {
            Stage::Plans if self.kept.is_empty() => {
                format!("no {kind}s of operator {package}")
            }
            Stage::Plans => "InstallPlans are not checked when an operator is removed".to_owned(),
            Stage::Crds => format!("no {kind}s of operator {package}"),
            Stage::Subscriptions | Stage::Csvs | Stage::Groups if place.is_empty() => format!(
                "the namespace of package {package} is unknown, so no {kind} is checked; set \
                 spec.subscription.namespace"
            ),
            Stage::Subscriptions | Stage::Csvs | Stage::Groups
                if !self.removal.observed.has_olm =>
            {
                format!("no {kind} exists because the cluster has no OLM")
            }
            Stage::Subscriptions => {
                format!("no {kind} {package} in namespace {place}")
            }
            Stage::Csvs => {
                format!("no {kind} of package {package} in namespace {place}")
            }
            Stage::Groups => {
                format!("no {kind} of the policy in namespace {place}")
            }
        }
    }

    fn being_deleted(&self) -> String {
        let named = named(self.stage, &self.leaving);
        let mut finalizers: Vec<_> = self
            .leaving
            .iter()
            .flat_map(|item| item.finalizers.iter().map(String::as_str))
            .collect();
        finalizers.sort_unstable();
        finalizers.dedup();
        let clause = format!(
            "waiting for {} to be deleted{}",
            named.text,
            held_by(&finalizers)
        );
        match self.stage {
            Stage::Crds => clause + &self.remains(),
            Stage::Subscriptions | Stage::Csvs | Stage::Groups | Stage::Plans => clause,
        }
    }

    /// Returns text about the custom resources that remain while their CRDs are being deleted.
    fn remains(&self) -> String {
        let mut text = String::new();
        let names = self.leaving.iter().map(|item| item.target.name.as_str());
        let held = names.clone().flat_map(|name| held(self.removal, name));
        let mut held: Vec<_> = held.map(instance).collect();
        held.sort();
        let more = held.len().saturating_sub(NAMED);
        held.truncate(NAMED);
        let has_more = names.clone().any(|name| has_more(self.removal, name));
        if !held.is_empty() {
            text.push_str(&format!("; finalizers hold {}", held.join(", ")));
            text.push_str(&match (more, has_more) {
                (0, false) => String::new(),
                (0, true) => " and possibly more".to_owned(),
                (more, false) => format!(" and {more} more"),
                (more, true) => format!(" and at least {more} more"),
            });
        }
        for name in names {
            if let CustomResources::Unlistable(why) = custom_resources(self.removal, name) {
                text.push_str(&format!(
                    "; the remaining custom resources of {name} are unknown: {why}"
                ));
            }
        }
        text
    }

    fn to_be_deleted(&self) -> Vec<String> {
        let named = named(self.stage, &self.waiting);
        let NameList { text, .. } = &named;
        if let Some(why) = &self.removal.idle {
            return vec![format!(
                "{text} must not exist, but nothing is deleted because {why}"
            )];
        }
        match self.at_hand {
            Some(stage) if stage < self.stage => {
                let (_, kind) = stage.kind();
                vec![format!("{text} will be deleted after the {kind}s")]
            }
            _ if self.stage == Stage::Crds => self.crds_to_be_deleted(),
            Some(_) | None => vec![format!("{text} will be deleted")],
        }
    }

    /// Returns text about the CRDs that will be deleted. A CRD is deleted only when its custom
    /// resources are known.
    fn crds_to_be_deleted(&self) -> Vec<String> {
        let clause = |item: &&Item| {
            let text = named(self.stage, &[item]).text;
            match custom_resources(self.removal, &item.target.name) {
                CustomResources::Listed(_) => format!("{text} will be deleted"),
                CustomResources::Unlistable(why) => format!(
                    "{text} is not deleted because its custom resources cannot be listed: {why}"
                ),
                CustomResources::NotListed => {
                    format!(
                        "{text} will be deleted when the controller has listed its custom resources"
                    )
                }
            }
        };
        self.waiting.iter().map(clause).collect()
    }

    /// Returns one clause for each reason to keep objects.
    fn staying(&self, items: &[&Item]) -> Vec<String> {
        let mut groups: Vec<(&KeepReason, Vec<&Item>)> = Vec::new();
        for item in items {
            let Disposition::Keep(reason) = &item.disposition else {
                continue;
            };
            match groups.iter_mut().find(|(other, _)| *other == reason) {
                Some((_, items)) => items.push(item),
                None => groups.push((reason, vec![item])),
            }
        }
        let clause = |(reason, items): &(&KeepReason, Vec<&Item>)| {
            let named = named(self.stage, items);
            format!(
                "{} {} because {}",
                named.text,
                named.kept(),
                reason.why(self.stage)
            )
        };
        groups.iter().map(clause).collect()
    }

    /// Returns text about APIServices. Returns None if there is no APIService. OLM always deletes
    /// APIServices together with their ClusterServiceVersion.
    fn served(&self) -> Option<String> {
        let of = |items: &[&Item]| {
            let names = items.iter().flat_map(|item| served(self.removal, item));
            names.collect::<Vec<_>>()
        };
        let going = of(&[&self.leaving[..], &self.waiting, &self.deleted].concat());
        let staying = of(&[&self.withheld[..], &self.kept].concat());
        let removing = self.removal.intent.removal.api_service_definitions;
        let field = "spec.removalBehavior.apiServiceDefinitions";
        match (self.stage, going.is_empty(), removing.remove) {
            (Stage::Csvs, false, Remove::Keep) if removing.is_explicit => Some(format!(
                "OLM removes {} together with the ClusterServiceVersion, although {field} is Keep",
                services(&going)
            )),
            (Stage::Csvs, false, _) => Some(format!(
                "OLM removes {} with the ClusterServiceVersion",
                services(&going)
            )),
            (Stage::Csvs, true, Remove::Delete) if !staying.is_empty() => Some(format!(
                "OLM keeps {} because the ClusterServiceVersion is kept, although {field} is \
                 Delete",
                services(&staying)
            )),
            (
                Stage::Csvs | Stage::Subscriptions | Stage::Crds | Stage::Groups | Stage::Plans,
                _,
                _,
            ) => None,
        }
    }
}

fn instance(each: &Instance) -> String {
    let finalizers = each.finalizers.join(", ");
    match &each.namespace {
        Some(namespace) => format!("{} {namespace}/{} ({finalizers})", each.kind, each.name),
        None => format!("{} {} ({finalizers})", each.kind, each.name),
    }
}

fn services(names: &[String]) -> String {
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    match names.as_slice() {
        [one] => format!("the APIService {one}"),
        many => format!("the APIServices {}", listed(many)),
    }
}

/// Returns the finalizers that delay a deletion, in parentheses. Empty if there are no finalizers.
fn held_by(finalizers: &[&str]) -> String {
    let when = if finalizers.contains(&OLM_FINALIZER) {
        ", which OLM removes only while OLM runs"
    } else {
        ""
    };
    match finalizers {
        [] => String::new(),
        [one] => format!(" (finalizer {one}{when})"),
        many => format!(" (finalizers {}{when})", listed(many)),
    }
}

/// A list of object names.
#[derive(Debug)]
struct NameList {
    text: String,
    is_many: bool,
}

fn named(stage: Stage, items: &[&Item]) -> NameList {
    let (_, kind) = stage.kind();
    let names: Vec<_> = items.iter().map(|item| item.target.name.as_str()).collect();
    let is_many = names.len() > 1;
    let plural = if is_many { "s" } else { "" };
    let namespace = items
        .first()
        .and_then(|item| item.target.namespace.as_deref());
    let text = match (namespace, names.as_slice()) {
        (Some(namespace), [only]) => format!("{kind} {namespace}/{only}"),
        (Some(namespace), many) => {
            format!("{kind}{plural} {} in namespace {namespace}", listed(many))
        }
        (None, names) => format!("{kind}{plural} {}", listed(names)),
    };
    NameList { text, is_many }
}

impl NameList {
    fn was(&self) -> &'static str {
        if self.is_many { "were" } else { "was" }
    }

    fn kept(&self) -> &'static str {
        if self.is_many { "are kept" } else { "is kept" }
    }
}

fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
