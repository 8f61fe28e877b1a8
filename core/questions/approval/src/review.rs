//! The review of an InstallPlan by the policies.

use portolan_core_names::{Consent, PackageName, Version};

use crate::facts::Facts;
use crate::words::escaped;
use crate::{ApprovalCode, PolicyId, Source, Standing, State};

/// The kind in reasons about objects of the namespace that were not read.
const NAMESPACE: &str = "Namespace";

/// The result of a review, with its reasons.
pub type Verdict = portolan_core_olm::Verdict<Reason>;

/// The reason why an InstallPlan must not be approved, or a remark. The object is a tuple of kind,
/// namespace and name.
pub type Reason = portolan_core_olm::Reason<ApprovalCode, (&'static str, String, String)>;

/// The review of one InstallPlan by the policies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Review {
    /// The name of the InstallPlan.
    pub plan: String,
    /// The uid of the InstallPlan.
    pub uid: Option<String>,
    /// The resource version of the InstallPlan.
    pub resource_version: Option<String>,
    /// The phase of the plan.
    pub phase: String,
    /// True if the plan is approved.
    pub is_approved: bool,
    /// True if the plan needs an approval from a user or controller.
    pub is_manual: bool,
    /// True if the plan waits for approval.
    pub waits: bool,
    /// The verdict of the policies.
    pub verdict: Verdict,
    /// The bundles that the plan installs, by name.
    pub bundles: Vec<BundleReview>,
    /// The policies that affect the plan, by namespace and name.
    pub policies: Vec<Standing>,
    /// Remarks that do not change the verdict.
    pub remarks: Vec<Reason>,
}

/// The review of one bundle by the policies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundleReview {
    /// The name of the bundle.
    pub name: String,
    /// The package, if known.
    pub package: Option<PackageName>,
    /// The version, if known.
    pub version: Option<Version>,
    /// The bundle that this bundle replaces. Empty if it replaces no bundle.
    pub replaces: String,
    /// The installed bundle of the same package. None if no bundle is installed.
    pub installed: Option<InstalledBundle>,
    /// The catalog of the bundle, as `namespace/name`. Empty if it is unknown.
    pub catalog: String,
    /// The source that states the package name. None if the package is unknown.
    pub source: Option<Source>,
    /// The Subscription that requests the bundle. Empty if no Subscription requests it.
    pub subscription: String,
    /// The verdict about the bundle.
    pub verdict: Verdict,
    /// The policies that allow the bundle, each with its consent.
    pub allowances: Vec<Allowance>,
    /// The policy changes that would allow the bundle, best change first.
    pub fixes: Vec<Fix>,
}

/// The installed bundle of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledBundle {
    /// The name of the installed bundle.
    pub name: String,
    /// The version, if known.
    pub version: Option<Version>,
}

/// A policy that allows a bundle, with the consent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowance {
    /// The policy that allows the bundle.
    pub policy: PolicyId,
    /// The consent that covers this bundle, or a bundle that needs this bundle.
    pub consent: Consent,
    /// The chain of dependents through which the policy allows this bundle. The chain starts with
    /// the bundle that the policy allows directly. Empty if the policy allows this bundle directly.
    pub needed_by: Vec<String>,
}

/// A change of a policy that would allow a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// The namespace and name of the policy to change. None if a new policy is required.
    pub policy: Option<(String, String)>,
    /// The field, as a path.
    pub field: &'static str,
    /// True if the field is a list. The fix then appends the value to the list.
    pub is_list: bool,
    /// The value to set or to append.
    pub value: String,
    /// The instruction for users.
    pub message: String,
}

/// Returns the verdict for these reasons. The worst reason decides. If some facts may be missing,
/// the verdict is uncertain: all reasons become NotYet, and a reason for each missing fact is
/// added.
pub(crate) fn verdict(facts: &Facts<'_>, mut reasons: Vec<Reason>) -> Verdict {
    if !facts.unseen.is_empty() {
        for reason in &mut reasons {
            reason.state = State::NotYet;
        }
    }
    let object = (NAMESPACE, "", facts.name);
    let unseen = facts.unseen.iter();
    reasons.extend(unseen.map(|why| reason(State::NotYet, ApprovalCode::NotObserved, object, why)));
    sorted(reasons)
}

/// Returns the verdict for these reasons, sorted and without duplicates.
pub(crate) fn sorted(mut reasons: Vec<Reason>) -> Verdict {
    reasons.sort_by(|a, b| a.message.cmp(&b.message));
    let mut verdict = Verdict::of(reasons);
    verdict.reasons.dedup();
    verdict
}

/// Returns a reason. Escapes unsafe characters in the message.
pub(crate) fn reason(
    state: State,
    code: ApprovalCode,
    (kind, namespace, name): (&'static str, &str, &str),
    message: &str,
) -> Reason {
    Reason {
        state,
        code,
        object: (kind, namespace.to_owned(), name.to_owned()),
        message: escaped(message),
    }
}
