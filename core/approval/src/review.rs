//! What the policies make of an InstallPlan.

use portolan_core_names::{Consent, PackageName, Version};

use crate::ground::Ground;
use crate::words::escaped;
use crate::{Code, Policy, PolicyId, Source};

/// The kind of the object that stands for what is not seen.
const NAMESPACE: &str = "Namespace";

/// The answer in one word, the better before the worse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    /// It may be approved.
    Yes,
    /// It may perhaps, once something is there or known that is not yet.
    NotYet,
    /// It may not, and no waiting changes that.
    No,
}

/// Whether something may be approved, and if not, why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The worst that any reason says.
    pub state: State,
    /// Why it is not Yes, the worst first.
    pub reasons: Vec<Reason>,
}

/// Why something may not be approved, or what is worth knowing besides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// What this alone would make of the Verdict.
    pub state: State,
    /// For programs.
    pub code: Code,
    /// The kind, namespace and name of what the sentence is about.
    pub object: (&'static str, String, String),
    /// For a person.
    pub message: String,
}

/// What the policies make of one InstallPlan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Review {
    /// Its name.
    pub plan: String,
    /// Its uid.
    pub uid: Option<String>,
    /// Its resource version.
    pub resource_version: Option<String>,
    /// How far OLM is with it.
    pub phase: String,
    /// Whether somebody has approved it.
    pub is_approved: bool,
    /// Whether OLM leaves the approval to others.
    pub is_manual: bool,
    /// Whether it stands still until somebody approves it.
    pub waits: bool,
    /// Whether the policies allow it.
    pub verdict: Verdict,
    /// Each bundle that it brings, by name.
    pub bundles: Vec<BundleReview>,
    /// Each policy that has a say in it, by namespace and name.
    pub policies: Vec<Policy>,
    /// What is worth knowing besides.
    pub remarks: Vec<Reason>,
}

/// What the policies make of one bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundleReview {
    /// Its name.
    pub name: String,
    /// Its package, if anything tells.
    pub package: Option<PackageName>,
    /// Its version, if anything tells.
    pub version: Option<Version>,
    /// The bundle whose place it takes; empty if it takes none.
    pub replaces: String,
    /// The catalog that it is from, as `namespace/name`; empty if nothing tells.
    pub catalog: String,
    /// Where its package is known from; None if nothing tells.
    pub source: Option<Source>,
    /// The Subscription that asks for it; empty if none does.
    pub subscription: String,
    /// Whether it is allowed.
    pub verdict: Verdict,
    /// Who allows it, and by which Consent.
    pub allowances: Vec<Allowance>,
    /// What would allow it, the nearest first.
    pub fixes: Vec<Fix>,
}

/// A Consent that covers a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowance {
    /// Whose it is.
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
    /// What to write there, or to add to it.
    pub value: String,
    /// For a person.
    pub message: String,
}

// === impl Verdict ===

impl Verdict {
    /// The worst of the reasons. Where not all is seen, nothing is certain, and that is one more.
    pub(crate) fn of(ground: &Ground<'_>, mut reasons: Vec<Reason>) -> Self {
        if !ground.unseen.is_empty() {
            for reason in &mut reasons {
                reason.state = State::NotYet;
            }
        }
        let object = (NAMESPACE, "", ground.name);
        let unseen = ground.unseen.iter();
        reasons.extend(unseen.map(|why| Reason::new(State::NotYet, Code::Unseen, object, why)));
        reasons.sort_by(|a, b| {
            let worst_first = b.state.cmp(&a.state);
            worst_first
                .then_with(|| (a.code, &a.object, &a.message).cmp(&(b.code, &b.object, &b.message)))
        });
        reasons.dedup();
        let state = reasons.first().map_or(State::Yes, |worst| worst.state);
        Self { state, reasons }
    }
}

// === impl Reason ===

impl Reason {
    pub(crate) fn new(
        state: State,
        code: Code,
        (kind, namespace, name): (&'static str, &str, &str),
        message: &str,
    ) -> Self {
        let object = (kind, namespace.to_owned(), name.to_owned());
        let message = escaped(message);
        Self {
            state,
            code,
            object,
            message,
        }
    }
}
