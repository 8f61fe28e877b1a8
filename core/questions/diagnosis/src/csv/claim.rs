//! Causes for operators that may not provide their APIs because of an OperatorGroup.

use std::collections::BTreeSet;

use portolan_core_health::{Csv, Item};
use portolan_core_names::text::{listed, shell_word, some};
use portolan_core_olm::{OperatorGroup, PROVIDED, Targets};

use crate::case::Case;
use crate::command::{self, GROUPS, Target};
use crate::cure::Cure;
use crate::{Cause, Code, Confidence, Evidence, Object, Procedure, State, Step, evidence};

/// The reason with which OLM reports that an OperatorGroup of another namespace claims an API of
/// the operator.
pub(super) const CLAIMED: &str = "InterOperatorGroupOwnerConflict";
/// The reason with which OLM reports that the OperatorGroup is static and does not list an API of
/// the operator.
pub(super) const STATIC: &str = "CannotModifyStaticOperatorGroupProvidedAPIs";

/// The maximum number of names in a sentence, and the maximum number of commands for namespaces.
const MOST: usize = 5;

/// An OperatorGroup of another namespace that claims APIs of the operator.
#[derive(Debug)]
struct ApiClaim<'a> {
    group: &'a Item<OperatorGroup>,
    apis: BTreeSet<&'a str>,
    /// The namespaces that both OperatorGroups select. Empty if both select all namespaces.
    namespaces: BTreeSet<&'a str>,
}

/// Returns the cause if an OperatorGroup prevents the operator from providing its APIs. Returns
/// None if OLM reports another reason, or if another operator provides the claimed APIs.
pub(super) fn cause(case: Case<'_>, csv: &Csv) -> Option<Cause> {
    match csv.status.reason.as_str() {
        STATIC => Some(not_listed(case, csv)),
        CLAIMED => claimed(case, csv),
        _ => None,
    }
}

fn claimed(case: Case<'_>, csv: &Csv) -> Option<Cause> {
    let claims = claims(case, csv);
    let elsewhere = &case.situation().elsewhere.objects;
    let provides = |claim: &ApiClaim<'_>| {
        let place = claim.group.namespace();
        let mut csvs = elsewhere.iter().filter(|csv| csv.namespace() == place);
        csvs.any(|csv| {
            csv.provided_apis()
                .iter()
                .any(|api| claim.apis.contains(&**api))
        })
    };
    if claims.iter().any(provides) {
        return None;
    }
    let Some(claim) = claims.into_iter().next() else {
        // No OperatorGroup with a claim was found, so another operator that owns the same kind may
        // be the reason.
        let is_other = elsewhere.iter().any(|other| shares(csv, other));
        return (!is_other).then(|| unknown(case, csv));
    };
    let cause = Cause::new(
        Code::ApiClaimedByGroup,
        State::Broken,
        Object::from(&claim.group.observed.object),
        &claim.message(csv),
    );
    let who = format!(
        "the owner of OperatorGroup {}/{}, or of namespace {}",
        claim.group.namespace(),
        claim.group.name(),
        case.situation().name()
    );
    let action = format!(
        "Decide which of these may provide the APIs in {}: {} or {}. After you change the \
         OperatorGroup or its labels, OLM installs the operator again by itself. Do not delete the \
         operator: no other operator provides the APIs.",
        claim.place(),
        claim.group.observed.object,
        case.title(),
    );
    let cause = cause
        .cured(Cure::advised(&who, &action, claim.ways()))
        .shown(claim.evidence())
        .shown(evidence::csv(csv));
    Some(cause.looked(claim.labels()))
}

/// Returns true if both operators own the same kind.
fn shares(csv: &Csv, other: &Csv) -> bool {
    let mut own = csv.definitions_owned();
    own.any(|own| other.definitions_owned().any(|their| their == own))
}

/// Returns the claims of OperatorGroups in other namespaces on APIs of the operator, sorted by
/// OperatorGroup.
fn claims<'a>(case: Case<'a>, csv: &Csv) -> Vec<ApiClaim<'a>> {
    let provided = csv.provided_apis();
    let own = case.situation().namespace.groups.objects.iter();
    let own: Vec<Targets<'_>> = own.map(|group| group.claimed_namespaces()).collect();
    let groups = case.situation().around.groups.objects.iter();
    let claims = groups.filter_map(|group| {
        let claimed = group.provided_apis().into_iter();
        let apis: BTreeSet<_> = claimed.filter(|api| provided.contains(*api)).collect();
        let theirs = group.claimed_namespaces();
        let mut shared = own.iter().filter_map(|own| shared(own, &theirs));
        let namespaces = shared.next().filter(|_| !apis.is_empty())?;
        Some(ApiClaim {
            group,
            apis,
            namespaces,
        })
    });
    let mut claims: Vec<_> = claims.collect();
    claims.sort_by_key(|claim| &claim.group.observed);
    claims
}

/// Returns the namespaces that both OperatorGroups select. Empty if both select all namespaces.
/// Returns None if they select no common namespace.
fn shared<'a>(own: &Targets<'a>, theirs: &Targets<'a>) -> Option<BTreeSet<&'a str>> {
    match (own, theirs) {
        (Targets::All, Targets::All) => Some(BTreeSet::new()),
        (Targets::All, Targets::These(names)) | (Targets::These(names), Targets::All) => {
            Some(names.clone())
        }
        (Targets::These(own), Targets::These(theirs)) => {
            let both: BTreeSet<_> = own.intersection(theirs).copied().collect();
            (!both.is_empty()).then_some(both)
        }
        (Targets::Selected, _) | (_, Targets::Selected) => None,
    }
}

/// Returns the cause if the OperatorGroup with the claim is unknown, because it was not read or no
/// longer claims the API.
fn unknown(case: Case<'_>, csv: &Csv) -> Cause {
    let object = &csv.observed.object;
    let message = format!(
        "An OperatorGroup that selects a namespace of {object} claims an API that the operator \
         provides, but OLM does not report which OperatorGroup ({}). Portolan did not find this \
         OperatorGroup.",
        csv.status.reason
    );
    let at_fault = Object::new("OperatorGroup", "", "");
    let cause = Cause::new(Code::ApiClaimedByGroup, State::Broken, at_fault, &message);
    let apis = csv.provided_apis();
    let cure = Cure::external(
        "a cluster administrator",
        &format!(
            "Find the OperatorGroup whose annotation {PROVIDED} contains {}, and decide which \
             OperatorGroup keeps the APIs. Do not delete the operator: it is unknown if another \
             operator provides the APIs.",
            some(MOST, &apis)
        ),
    );
    let look = Step::new("Show all OperatorGroups", command::all(GROUPS));
    let cause = cause.cured(cure).looked([look]).shown(evidence::csv(csv));
    let place = case.situation().name();
    Cause {
        confidence: Confidence::likely(&format!("OLM reports this cause for namespace {place}.")),
        ..cause
    }
}

/// Returns the cause if the static OperatorGroup of the namespace does not list the APIs of the
/// operator.
fn not_listed(case: Case<'_>, csv: &Csv) -> Cause {
    let groups = &case.situation().namespace.groups.objects;
    let group = groups.iter().min_by_key(|group| &group.observed);
    let (object, csv_object) = (
        group.map(|it| Object::from(&it.observed.object)),
        &csv.observed.object,
    );
    let at_fault =
        object.unwrap_or_else(|| Object::new("OperatorGroup", case.situation().name(), ""));
    let message = format!(
        "{at_fault} has a static list of APIs, which lacks the APIs of {csv_object}. So OLM does \
         not install the operator ({}).",
        csv.status.reason
    );
    let add = group.map(|group| {
        let provided = csv.provided_apis();
        let added = provided.iter().map(String::as_str);
        let listed: BTreeSet<_> = group.provided_apis().into_iter().chain(added).collect();
        let title = "Add the APIs of the operator to the static list of the OperatorGroup.";
        let risk = "If operators of other OperatorGroups provide the same APIs in the same \
                    namespaces, these operators fail.";
        annotate(group, &listed, title, risk)
    });
    let cause = Cause::new(Code::ApiClaimedByGroup, State::Broken, at_fault, &message);
    let cure = Cure::external(
        "the owner of the OperatorGroup",
        "Add the APIs of the operator to \
                                                                 the OperatorGroup.",
    );
    let cause = cause.cured(Cure::choice_or(add.into_iter().collect(), cure));
    let shown = group.map(listed_apis);
    cause.shown(shown).shown(evidence::csv(csv))
}

/// Returns the procedure that sets the list of APIs of a static OperatorGroup.
fn annotate(
    group: &Item<OperatorGroup>,
    apis: &BTreeSet<&str>,
    title: &str,
    risk: &str,
) -> Procedure {
    let apis: Vec<_> = apis.iter().copied().collect();
    let value = shell_word(&format!("{PROVIDED}={}", apis.join(",")));
    let target = Target::of(GROUPS, &group.observed);
    Procedure::command(title, format!("{} {value}", target.annotate_with()), risk)
}

fn listed_apis(group: &Item<OperatorGroup>) -> Evidence {
    let apis: Vec<_> = group.provided_apis().into_iter().collect();
    let field = format!("metadata.annotations[{PROVIDED}]");
    Evidence::new(&group.observed.object, &field, &apis.join(","))
}

// === impl ApiClaim ===

impl ApiClaim<'_> {
    fn message(&self, csv: &Csv) -> String {
        let group = &self.group.observed.object;
        let verb = if self.group.spec.static_provided_apis {
            "has a static list of APIs, and reserves"
        } else {
            "claims"
        };
        let selects = self.label().map_or_else(String::new, |(label, value)| {
            format!(", because it selects label {label}={value}")
        });
        format!(
            "{group} {verb} {} in {}{selects}. Therefore, OLM does not run {}, which provides the \
             same APIs ({}). No operator in namespace {} provides these APIs, so no operator \
             reconciles them now.",
            some(MOST, &self.apis),
            self.place(),
            csv.observed.object,
            csv.status.reason,
            group.namespace
        )
    }

    /// Returns the disputed namespaces as text.
    fn place(&self) -> String {
        match self.namespaces.len() {
            0 => "all namespaces".to_owned(),
            1 => format!("namespace {}", listed(&self.namespaces)),
            _ => format!("namespaces {}", some(MOST, &self.namespaces)),
        }
    }

    /// Returns the label with which the OperatorGroup selects namespaces.
    fn label(&self) -> Option<(&str, &str)> {
        let selector = self.group.spec.selector.as_ref();
        let selector = selector.filter(|_| self.group.has_selector())?;
        let (label, value) = selector.match_labels.as_ref()?.first_key_value()?;
        Some((label, value))
    }

    /// Returns the commands that show which client set the selected label of a namespace, and when.
    fn labels(&self) -> Vec<Step> {
        let own = self.group.namespace();
        let others = self.namespaces.iter().filter(|name| **name != own);
        let steps = others.take(MOST).filter_map(|name| {
            let (label, _) = self.label()?;
            let target = Target::new("namespaces", "", name);
            let comment =
                format!("Show when and by which client label {label} of namespace {name} was set");
            Some(Step::new(&comment, target.get_with_managers()))
        });
        steps.collect()
    }

    /// Returns the fixes that end the claim of a static OperatorGroup. Another possibility does not
    /// help: if a user removes the label that the OperatorGroup selects from the namespace, OLM
    /// v0.46 does not check the failed operator again, even after a change of its annotations.
    fn ways(&self) -> Vec<Procedure> {
        if !self.group.spec.static_provided_apis {
            return Vec::new();
        }
        let provided = self.group.provided_apis();
        let rest: BTreeSet<_> = provided.difference(&self.apis).copied().collect();
        vec![annotate(
            self.group,
            &rest,
            &format!(
                "Remove {} from the static list of APIs.",
                some(MOST, &self.apis)
            ),
            "Other operators can then provide these APIs in all namespaces of the OperatorGroup.",
        )]
    }

    fn evidence(&self) -> Vec<Evidence> {
        let object = &self.group.observed.object;
        let namespaces = &self.group.status.namespaces;
        let is_static = self.group.spec.static_provided_apis.to_string();
        vec![
            listed_apis(self.group),
            Evidence::new(object, "spec.staticProvidedAPIs", &is_static),
            Evidence::new(object, "status.namespaces", &some(MOST, namespaces)),
        ]
    }
}
