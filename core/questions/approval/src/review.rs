//! The review of an InstallPlan by the policies.

use portolan_core_names::{Consent, PackageName, Version};

use crate::facts::Facts;
use crate::words::escaped;
use crate::{ApprovalCode, PolicyId, Source, Standing, State};

/// The kind of the object of reasons about unread objects.
const NAMESPACE: &str = "Namespace";

/// The result of a review, with its reasons.
pub type Verdict = portolan_core_olm::Verdict<Reason>;

/// The reason why it may not be approved, or a remark. The object is a kind, a namespace and a
/// name.
pub type Reason = portolan_core_olm::Reason<ApprovalCode, (&'static str, String, String)>;

/// The review of one InstallPlan by the policies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Review {
    /// Its name.
    pub plan: String,
    /// Its uid.
    pub uid: Option<String>,
    /// Its resource version.
    pub resource_version: Option<String>,
    /// Its phase.
    pub phase: String,
    /// True if it is approved.
    pub is_approved: bool,
    /// True if OLM does not approve it itself.
    pub is_manual: bool,
    /// True if it waits for approval.
    pub waits: bool,
    /// The verdict of the policies.
    pub verdict: Verdict,
    /// Each bundle that it installs, by name.
    pub bundles: Vec<BundleReview>,
    /// Each policy that affects it, by namespace and name.
    pub policies: Vec<Standing>,
    /// Further remarks.
    pub remarks: Vec<Reason>,
}

/// The review of one bundle by the policies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundleReview {
    /// Its name.
    pub name: String,
    /// Its package, if known.
    pub package: Option<PackageName>,
    /// Its version, if known.
    pub version: Option<Version>,
    /// The bundle that it replaces; empty if it replaces none.
    pub replaces: String,
    /// The installed bundle of its package; None if nothing is installed.
    pub installed: Option<InstalledBundle>,
    /// Its catalog, as `namespace/name`; empty if unknown.
    pub catalog: String,
    /// The source of its package; None if it is unknown.
    pub source: Option<Source>,
    /// The Subscription that requests it; empty without one.
    pub subscription: String,
    /// The verdict about the bundle.
    pub verdict: Verdict,
    /// The policies that allow it, each with its Consent.
    pub allowances: Vec<Allowance>,
    /// The policy changes that would allow it, best first.
    pub fixes: Vec<Fix>,
}

/// An installed bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledBundle {
    /// Its name.
    pub name: String,
    /// Its version, if known.
    pub version: Option<Version>,
}

/// A Consent that covers a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowance {
    /// The policy that allows it.
    pub policy: PolicyId,
    /// The Consent that covers the bundle, or that covers the bundle that needs it.
    pub consent: Consent,
    /// The chain of bundles that need it, starting with the consented one; empty if the Consent
    /// covers the bundle itself.
    pub needed_by: Vec<String>,
}

/// A change of a policy that would allow a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// The policy to change; None if a new one is required.
    pub policy: Option<(String, String)>,
    /// The field, as a path.
    pub field: &'static str,
    /// True for a list, which gains the value.
    pub is_list: bool,
    /// The value to set or to append.
    pub value: String,
    /// The message for users.
    pub message: String,
}

/// Returns the worst of the reasons. Unread objects add a reason, because nothing is certain then.
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

/// Returns a verdict of these reasons, without duplicates, in any order.
pub(crate) fn sorted(mut reasons: Vec<Reason>) -> Verdict {
    reasons.sort_by(|a, b| a.message.cmp(&b.message));
    let mut verdict = Verdict::of(reasons);
    verdict.reasons.dedup();
    verdict
}

/// Returns a reason with a sanitized message.
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
