//! Explains InstallPlans that failed because the API server could not convert custom resources.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::Timestamp;
use portolan_core_health::{Csv, CsvPhase, InstallPlanPhase, Item};
use portolan_core_names::text::cite;
use portolan_core_olm::InstallPlan;
use portolan_core_olm::messages::{ConversionFailure, conversion_failure};
use serde_json::json;

use super::repeat;
use crate::case::Case;
use crate::command::{CSVS, Target, everywhere_listed};
use crate::cure::Cure;
use crate::words;
use crate::{Cause, Code, Confidence, Object, Procedure, Quote, State, Step};

/// The custom resources that the API server cannot convert to another version.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unreadable<'a> {
    failure: ConversionFailure<'a>,
    /// The CRD of the custom resources.
    pub(crate) crd: &'a str,
}

/// Returns the custom resources that the API server could not convert when it processed the
/// InstallPlan of the operator.
pub(crate) fn unreadable(case: Case<'_>) -> Option<Unreadable<'_>> {
    let plan = case.situation().plan(case.subscription?.plan())?;
    let is_failed = plan.status.phase == InstallPlanPhase::Failed;
    let conditions = plan.status.conditions.iter().map(|said| &said.message);
    let mut messages = conditions.chain([&plan.status.message]);
    let failure = messages.find_map(|message| conversion_failure(message));
    let failure = failure.filter(|_| is_failed)?;
    let unreadable = Unreadable {
        failure,
        crd: failure.crd?,
    };
    (!unreadable.is_renewed(case, plan)).then_some(unreadable)
}

// === impl Unreadable ===

impl Unreadable<'_> {
    /// Returns true if the expired certificate belongs to a webhook whose certificates OLM renews.
    pub(crate) fn is_of_olm(&self, case: Case<'_>) -> bool {
        self.failure.expired.is_some() && case.csvs().any(|csv| csv.converts(self.crd))
    }

    /// Returns true if OLM has created a new certificate after the InstallPlan failed.
    fn is_renewed(&self, case: Case<'_>, plan: &InstallPlan) -> bool {
        let issued = self.issued(case);
        let renewed = issued.and_then(|csv| csv.status.certs_last_updated.as_ref());
        let conditions = plan.status.conditions.iter();
        let failures = conditions.filter(|said| said.is_false());
        let failed = failures.filter_map(|said| said.last_transition_time.as_ref());
        match (renewed, failed.max()) {
            (Some(renewed), Some(failed)) => renewed > failed,
            (Some(_) | None, _) => false,
        }
    }

    fn definition(&self) -> Object {
        Object::new("CustomResourceDefinition", "", cite(self.crd))
    }

    /// Returns the time when the certificate of the webhook expired, for sentences.
    fn expired(&self) -> Option<String> {
        let text = self.failure.expired?;
        let time = text.parse::<Timestamp>().ok();
        Some(time.map_or_else(|| cite(text), |time| words::time(&Time(time))))
    }

    /// Returns a sentence about the effect on users and operators of the custom resources.
    pub(crate) fn effect(&self) -> String {
        let why = match self.expired() {
            Some(time) => format!("the certificate of its conversion webhook expired on {time}"),
            None => "its conversion webhook does not answer".to_owned(),
        };
        format!(
            "The API server cannot convert custom resources of {}, because {why}. Requests for the stored version \
             work. Requests for other versions fail. The Pods of the operator run, but its requests for other versions \
             fail too.",
            self.definition()
        )
    }

    /// Returns the cause. The InstallPlan is not at fault, because every other InstallPlan would
    /// fail in the same way.
    pub(super) fn cause(&self, case: Case<'_>, plan: &Item<InstallPlan>) -> Cause {
        let definition = self.definition();
        let object = Object::from(&plan.observed.object);
        let why = match self.expired() {
            Some(time) => format!("the certificate of the webhook expired on {time}"),
            None => "the webhook does not answer".to_owned(),
        };
        let message = format!(
            "{object} has failed, and OLM does not retry it. The API server cannot call the conversion webhook of \
             {definition}, because {why}."
        );
        let issued = self.issued(case);
        let replaced = issued.filter(|csv| csv.status.phase == CsvPhase::Replacing);
        let (at_fault, message) = match replaced {
            Some(csv) => {
                let renewal = not_renewed(csv);
                let at_fault = Object::from(&csv.observed.object);
                (at_fault, format!("{message} {renewal}"))
            }
            None => (definition, message),
        };
        let cause = Cause::new(Code::PlanFailed, State::Broken, at_fault, &message);
        let cause = cause.quoting(Quote::of("the API server", self.failure.words));
        let cause = match replaced {
            Some(csv) => cause.cured(Cure::Safe(self.renewal(case, csv, plan))),
            None => cause
                .cured(self.external(case, issued))
                .followed([self.again(case, plan)]),
        };
        cause.doubted(Some(Confidence::refused()))
    }

    /// Returns the ClusterServiceVersion whose certificate has expired. None if OLM does not issue
    /// the certificate, or if it has not expired.
    fn issued<'a>(&self, case: Case<'a>) -> Option<&'a Csv> {
        let crd = self.crd;
        let expired = self.failure.expired.is_some();
        case.csvs()
            .filter(|csv| expired && csv.converts(crd))
            .find(|csv| [CsvPhase::Succeeded, CsvPhase::Replacing].contains(&csv.status.phase))
    }

    /// Returns a sentence that OLM does not renew the certificate by itself. Empty if OLM renews
    /// the certificate as soon as it runs: no other version replaces the ClusterServiceVersion.
    pub(crate) fn never_renewed(&self, case: Case<'_>) -> String {
        let issued = self.issued(case);
        let replaced = issued.filter(|csv| {
            let mut all = case.csvs();
            all.any(|next| next.spec.replaces == csv.observed.object.name)
        });
        replaced.map_or_else(String::new, not_renewed)
    }

    /// Returns the fix that makes OLM install a replaced version again, with a new certificate, and
    /// then repeat the InstallPlan.
    fn renewal(&self, case: Case<'_>, csv: &Csv, plan: &Item<InstallPlan>) -> Procedure {
        let name = &csv.observed.object.name;
        let target = Target::of(CSVS, &csv.observed);
        let patch = json!([
            {"op": "test", "path": "/status/phase", "value": "Replacing"},
            {"op": "replace", "path": "/status/phase", "value": "Pending"},
        ]);
        let steps = vec![
            Step::new(
                &format!("Make OLM install {name} again, with a new certificate"),
                target.patch_status(&patch),
            ),
            Step::new(
                &format!("Wait until OLM has installed {name} and replaces it again"),
                target.wait(".status.phase", "Replacing"),
            ),
            self.check(case),
            repeat::step(&plan.observed, &plan.status),
        ];
        let title = format!(
            "Renew the certificate of {name}, and make OLM repeat {}.",
            plan.observed.object
        );
        let risk = format!("The Pods of {name} restart once. No object is deleted.");
        Procedure::of(&title, steps, &risk)
    }

    fn external(&self, case: Case<'_>, issued: Option<&Csv>) -> Cure {
        let works = |csv: &&Csv| csv.status.phase == CsvPhase::Succeeded;
        let keep = issued.or_else(|| case.csvs().find(works));
        let keep = keep.map_or_else(String::new, |csv| {
            format!(
                " Do not delete {}: its webhook is needed to read the custom resources.",
                csv.observed.object
            )
        });
        let (who, action) = if self.is_of_olm(case) {
            let action = "Do nothing here yet. First make Deployment olm-operator of OLM run. Do not change the CRD.";
            ("the administrator of OLM".to_owned(), action)
        } else if self.failure.expired.is_some() {
            (who(case), "Renew the certificate of the webhook.")
        } else {
            (who(case), "Make the webhook answer again.")
        };
        Cure::external(&who, &format!("{action}{keep}"))
    }

    /// Returns the commands to run after the webhook is repaired. OLM does not repeat the failed
    /// plan by itself.
    fn again(&self, case: Case<'_>, plan: &Item<InstallPlan>) -> Procedure {
        let title = format!(
            "When the custom resources can be read again, make OLM repeat {}.",
            plan.observed.object
        );
        let steps = vec![self.check(case), repeat::step(&plan.observed, &plan.status)];
        let risk = "If the custom resources cannot be read yet, the first command fails: repeat it before you continue.";
        Procedure::of(&title, steps, risk)
    }

    /// Returns the command that reads all custom resources of the CRD in a version that needs the
    /// webhook. Objects in the stored version need no conversion.
    pub(crate) fn check(&self, case: Case<'_>) -> Step {
        let crds = case.situation().namespace.crds.objects.iter();
        let mut own = crds.filter(|crd| crd.observed.object.name == self.crd);
        let versions = own.next().into_iter().flat_map(|crd| &crd.spec.versions);
        let mut converted = versions.filter(|version| version.served && !version.storage);
        let converted = converted.next().map(|version| version.name.as_str());
        Step::new(
            &format!(
                "Check that the custom resources of {} can be read",
                self.definition()
            ),
            everywhere_listed(self.crd, self.failure.version.or(converted)),
        )
    }
}

/// Returns a sentence that OLM does not renew the certificate of a version that is being replaced.
fn not_renewed(csv: &Csv) -> String {
    format!(
        "OLM does not renew the certificate by itself, because a newer version is replacing {}.",
        csv.observed.object.name
    )
}

fn who(case: Case<'_>) -> String {
    format!("the administrator of {}", case.title())
}
