//! Explains InstallPlans that failed because the API server could not convert custom resources.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::Timestamp;
use portolan_core_health::{CsvPhase, InstallPlanPhase};
use portolan_core_names::text::cite;
use portolan_core_olm::messages::{ConversionFailure, conversion_failure};

use crate::case::Case;
use crate::command::everywhere_listed;
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
    let crd = failure.crd?;
    Some(Unreadable { failure, crd })
}

// === impl Unreadable ===

impl Unreadable<'_> {
    /// Returns true if the expired certificate belongs to a webhook whose certificates OLM renews.
    pub(crate) fn is_of_olm(&self, case: Case<'_>) -> bool {
        self.failure.expired.is_some() && case.csvs().any(|csv| csv.converts(self.crd))
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
            "The API server cannot convert custom resources of {}, because {why}. Requests for another version than \
             the stored version fail, also those of the operator, although its Pods run.",
            self.definition()
        )
    }

    /// Returns the cause. The CRD is at fault and not the InstallPlan, because every other
    /// InstallPlan would fail in the same way.
    pub(super) fn cause(&self, case: Case<'_>, plan: &Object) -> Cause {
        let definition = self.definition();
        let why = match self.expired() {
            Some(time) => format!("the certificate of the webhook expired on {time}"),
            None => "the webhook does not answer".to_owned(),
        };
        let message = format!(
            "{plan} has failed and is not retried, because the API server cannot call the conversion webhook of \
             {definition}: {why}."
        );
        let cause = Cause::new(
            Code::PlanFailed,
            State::Broken,
            definition.clone(),
            &message,
        );
        let keep = case
            .csvs()
            .find(|csv| csv.status.phase == CsvPhase::Succeeded);
        let keep = keep.map_or_else(String::new, |csv| {
            format!(
                " Do not delete {}: its webhook is needed to read the custom resources.",
                csv.observed.object
            )
        });
        let (who, action) = if self.is_of_olm(case) {
            let action = "Nothing now: first make Deployment olm-operator run. OLM normally renews the certificate then. Do \
                          not change the CRD.";
            ("the administrator of OLM".to_owned(), action)
        } else if self.failure.expired.is_some() {
            (who(case), "Renew the certificate of the webhook.")
        } else {
            (who(case), "Make the webhook answer again.")
        };
        let cure = Cure::external(&who, &format!("{action}{keep}"));
        cause
            .quoting(Quote::of("the API server", self.failure.words))
            .cured(cure)
            .followed([self.again(plan)])
            .doubted(Some(Confidence::refused()))
    }

    /// Returns the command to run after the webhook is repaired. OLM does not repeat the failed
    /// plan. Depending on the objects that the plan has already created, a second diagnosis shows
    /// how to continue.
    fn again(&self, plan: &Object) -> Procedure {
        let title = format!(
            "When the custom resources can be read again, run `portolan diagnose` again: it shows how to continue \
             with {plan}, which OLM does not repeat."
        );
        let risk = "If the custom resources cannot be read yet, the command fails: repeat it.";
        Procedure::of(&title, vec![self.check()], risk)
    }

    /// Returns the command that reads all custom resources of the CRD.
    pub(crate) fn check(&self) -> Step {
        let comment = format!(
            "Check that the custom resources of {} can be read",
            self.definition()
        );
        // In another version, the API server may need no conversion and may not call the webhook.
        Step::new(&comment, everywhere_listed(self.crd, self.failure.version))
    }
}

fn who(case: Case<'_>) -> String {
    format!("the administrator of {}", case.title())
}
