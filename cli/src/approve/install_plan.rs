//! The approval of an InstallPlan of OLM.

use std::time::Duration;

use portolan_controller::approve::{PlanApprover, PlanNotApproved, PlanState};
use portolan_core_names::text::{listed, shell_word};
use portolan_proto::approval::v1::{Review, ReviewPlanRequest};
use serde_json::Value;

use super::ruling::{Ruling, rule};
use super::target::Target;
use super::{ApproveArgs, NO_CLUSTER, content, is_confirmed};
use crate::exit::Exit;
use crate::facts::{ApprovalConnection, connect_cluster};
use crate::failure::Failure;
use crate::print::words::located;
use crate::print::{self, Detail};
use crate::review;

/// The maximum number of attempts to read an InstallPlan in the state that its review describes.
const TRIES: usize = 20;
/// The pause between two attempts.
const PAUSE: Duration = Duration::from_millis(250);

// === impl ApproveArgs ===

impl ApproveArgs {
    /// Approves an InstallPlan of OLM, after printing its content and the decision of the policies.
    pub(super) async fn plan(
        self,
        approval: &mut ApprovalConnection,
        namespace: String,
        name: String,
    ) -> Result<Exit, Failure> {
        if self.digest.is_some() || self.account.is_some() {
            return Err(Failure::usage(format!(
                "--digest and --account are for Installs, but {name} is an InstallPlan; omit both options"
            )));
        }
        let cluster = connect_cluster(&self.access, NO_CLUSTER).await?;
        let approver = PlanApprover::of(cluster.client(), self.dry_run);
        let target = Target::Plan { namespace, name };
        let (review, state, plan) = match both(approval, &approver, &target).await? {
            Ok(read) => read,
            Err(error) => return not_approved(&target, error),
        };
        let mut page = review::one::render(&review, Detail::Usual);
        content::append_objects(&mut page, &plan);
        print::page(page)?;
        if let Some(exit) = self.check(&review, &target)? {
            return Ok(exit);
        }
        match approver.approve(&state).await {
            Ok(()) => {
                let dry_run = if self.dry_run {
                    " (server dry run)"
                } else {
                    ""
                };
                let name = &state.name;
                print::text(&format!(
                    "installplan.operators.coreos.com/{name} approved{dry_run}\n"
                ))?;
                Ok(Exit::Answered)
            }
            Err(error) => not_approved(&target, error),
        }
    }

    /// Checks the decision of the policies, and asks the user for a confirmation. Returns `Some` if
    /// the command ends without an approval.
    fn check(&self, review: &Review, target: &Target) -> Result<Option<Exit>, Failure> {
        match rule(review, &self.overridden) {
            Ruling::Free if self.dry_run || self.yes => Ok(None),
            Ruling::Free => {
                let command = target.command();
                let otherwise = || {
                    format!(
                        "a confirmation requires a terminal; to approve without confirmation, use `{command} --yes`"
                    )
                };
                if is_confirmed(otherwise)? {
                    return Ok(None);
                }
                Ok(no(&format!("{} is not approved", called(target))))
            }
            Ruling::Done => {
                print::note(&format!("{} is already approved", called(target)));
                Ok(Some(Exit::Answered))
            }
            Ruling::Refused(reasons) => Ok(no(&format!(
                "{} cannot be approved: {}",
                called(target),
                reasons.join("; ")
            ))),
            Ruling::Unknown(reasons) => Err(Failure::unknown(format!(
                "the policies for {} are unknown: {}",
                called(target),
                reasons.join("; ")
            ))),
            Ruling::Denied { policies, reasons } => {
                let flags = policies
                    .iter()
                    .map(|it| format!(" --override-policy {}", shell_word(it)));
                let flags: String = flags.collect();
                Ok(no(&format!(
                    "policies deny {}: {}; to approve despite the policies, use `{}{flags}`",
                    called(target),
                    reasons.join("; "),
                    target.command()
                )))
            }
            Ruling::NotDenied(policies) => Err(Failure::usage(format!(
                "--override-policy: {} does not deny {}; name only policies that deny the InstallPlan",
                listed(policies),
                called(target)
            ))),
        }
    }
}

/// Reads the review of an InstallPlan, and then the InstallPlan. Both must have the same resource
/// version.
async fn both(
    approval: &mut ApprovalConnection,
    approver: &PlanApprover,
    target: &Target,
) -> Result<Result<(Review, PlanState, Value), PlanNotApproved>, Failure> {
    let Target::Plan { namespace, name } = target else {
        return Ok(Err(PlanNotApproved::Changed));
    };
    for _ in 0..TRIES {
        let request = ReviewPlanRequest {
            namespace: namespace.clone(),
            name: name.clone(),
        };
        let review = approval.query(request).await?.review.unwrap_or_default();
        let observed = review.plan.clone().unwrap_or_default();
        let state = PlanState {
            namespace: namespace.clone(),
            name: name.clone(),
            uid: observed.uid,
            resource_version: observed.resource_version,
        };
        match approver.read(&state).await {
            Ok(plan) => return Ok(Ok((review, state, plan))),
            // The approval service reviews the changed plan after a short delay. Then both versions
            // are equal.
            Err(PlanNotApproved::Changed) => tokio::time::sleep(PAUSE).await,
            Err(error) => return Ok(Err(error)),
        }
    }
    Ok(Err(PlanNotApproved::Changed))
}

fn not_approved(target: &Target, error: PlanNotApproved) -> Result<Exit, Failure> {
    match error {
        PlanNotApproved::Changed => {
            let plan = called(target);
            print::error(&format!(
                "{plan} has changed since it was displayed, and was not approved; run the command \
                 again to review the changes"
            ));
            Ok(Exit::No)
        }
        PlanNotApproved::Refused(why) => {
            print::error(&format!("the API server rejects the request: {why}"));
            Ok(Exit::No)
        }
        error @ PlanNotApproved::Unanswered(_) => Err(Failure::failed(error)),
    }
}

/// Prints the reason of a refusal, and returns the exit code for a refusal.
fn no(why: &str) -> Option<Exit> {
    print::error(why);
    Some(Exit::No)
}

/// Returns the kind and the name of a target, for messages.
fn called(target: &Target) -> String {
    match target {
        Target::Install(name) => format!("Install {name}"),
        Target::Plan { namespace, name } => format!("InstallPlan {}", located(namespace, name)),
    }
}
