//! The review of an InstallPlan by the policies.

use portolan_core_names::{Consent, PackageName, Version};

use crate::facts::Facts;
use crate::words::escaped;
use crate::{ApprovalCode, PolicyId, Source, Standing, State};

/// The kind of the object that stands for what is not seen.
const NAMESPACE: &str = "Namespace";

/// States if it may be approved, and if not, why.
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
    /// True if it waits for an approval.
    pub waits: bool,
    /// States if the policies allow it.
    pub verdict: Verdict,
    /// Each bundle that it brings, by name.
    pub bundles: Vec<BundleReview>,
    /// Each policy that has a say in it, by namespace and name.
    pub policies: Vec<Standing>,
    /// Further remarks.
    pub remarks: Vec<Reason>,
}

/// The review of one bundle by the policies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundleReview {
    /// Its name.
    pub name: String,
    /// Its package, if it is known.
    pub package: Option<PackageName>,
    /// Its version, if it is known.
    pub version: Option<Version>,
    /// The bundle whose place it takes; empty if it takes none.
    pub replaces: String,
    /// The installed bundle of its package; None if nothing is installed.
    pub installed: Option<InstalledBundle>,
    /// Its catalog, as `namespace/name`; empty if unknown.
    pub catalog: String,
    /// The source of its package; None if it is unknown.
    pub source: Option<Source>,
    /// The Subscription that asks for it; empty if none does.
    pub subscription: String,
    /// States if it is allowed.
    pub verdict: Verdict,
    /// The policies that allow it, each with the Consent that does.
    pub allowances: Vec<Allowance>,
    /// The fixes that would allow it, the nearest first.
    pub fixes: Vec<Fix>,
}

/// A bundle that is installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledBundle {
    /// Its name.
    pub name: String,
    /// Its version, if it is known.
    pub version: Option<Version>,
}

/// A Consent that covers a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowance {
    /// The policy that allows it.
    pub policy: PolicyId,
    /// The Consent; of a bundle that is needed, that of the one which needs it.
    pub consent: Consent,
    /// The bundles through which the consented one needs it, from that one on; empty if the
    /// Consent names it itself.
    pub needed_by: Vec<String>,
}

/// A change of a policy that would allow a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fix {
    /// The policy to change; None if one has to be made.
    pub policy: Option<(String, String)>,
    /// The field, as a path.
    pub field: &'static str,
    /// True for a list, to which the value is added.
    pub is_list: bool,
    /// The value to write there, or to add to it.
    pub value: String,
    /// For a person.
    pub message: String,
}

/// The worst of the reasons. Where not all is seen, nothing is certain, and that is one more.
pub(crate) fn verdict(facts: &Facts<'_>, mut reasons: Vec<Reason>) -> Verdict {
    if !facts.unseen.is_empty() {
        for reason in &mut reasons {
            reason.state = State::NotYet;
        }
    }
    let object = (NAMESPACE, "", facts.name);
    let unseen = facts.unseen.iter();
    reasons.extend(unseen.map(|why| reason(State::NotYet, ApprovalCode::Unseen, object, why)));
    sorted(reasons)
}

/// Makes a verdict of these reasons, in whatever order they come; each is listed once.
pub(crate) fn sorted(mut reasons: Vec<Reason>) -> Verdict {
    reasons.sort_by(|a, b| a.message.cmp(&b.message));
    let mut verdict = Verdict::of(reasons);
    verdict.reasons.dedup();
    verdict
}

/// A reason whose sentence is harmless, whatever names are in it.
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
