//! Formats each reason as a sentence.

use portolan_core_names::removed::RemovedApiUse;
use portolan_core_names::text::{cite, listed};
use portolan_core_names::{BundleName, ObjectRef};

use super::{Advised, Reason};
use crate::readiness::{ApiRequests, Restraint, RestraintRule};

/// The code for requests for removed APIs. An operator with such requests must be changed before
/// the upgrade, regardless of its verdict.
pub const REQUESTS_REMOVED_API: &str = "RequestsRemovedApi";

// === impl Reason ===

impl Reason {
    /// Returns the code of the reason for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::AboveLimit(_) => "AboveLimit",
            Self::InvalidLimit(_) => "InvalidLimit",
            Self::UnknownLimit => "UnknownLimit",
            Self::PackageGone => "PackageGone",
            Self::ChannelGone => "ChannelGone",
            Self::Stranded => "Stranded",
            Self::NotReinstallable => "NotReinstallable",
            Self::NotAllowed(_) => "NotAllowed",
            Self::NeedsNewerKubernetes { .. } => "NeedsNewerKubernetes",
            Self::GoneBetween { .. } => "GoneBetween",
            Self::Unread { .. } => "Unread",
            Self::RemovedObjects { .. } => "RemovedApi",
            Self::RemovedPermissions { .. } => "RemovedApiPermission",
            Self::RequestsRemovedApi(_) => REQUESTS_REMOVED_API,
            Self::ObjectsNotRead { .. } => "ObjectsNotRead",
            Self::Restrained { restraint, .. } => match restraint.rule {
                RestraintRule::NoUpdates => "NoUpdates",
                RestraintRule::Approval => "NeedsApproval",
                RestraintRule::Bundles { .. } => "BundleNotAllowed",
                RestraintRule::Denied { .. } => "DeniedByPolicy",
            },
            Self::NothingInstalled => "NothingInstalled",
            Self::NotFollowed => "NotFollowed",
        }
    }
}

// === impl Advised ===

impl Advised<'_> {
    /// Returns the reasons for the verdict as sentences, in one text.
    pub(super) fn reasons(self) -> String {
        let reasons = self.answer().reasons.iter();
        let reasons = reasons.filter(|it| !is_note(it) && !is_separate(it));
        let sentences: Vec<_> = reasons.map(|reason| self.sentence(reason)).collect();
        sentences.join(" ")
    }

    /// Returns the reasons that do not affect the verdict. Each reason is one sentence.
    pub(super) fn notes(self) -> Vec<String> {
        let notes = self.answer().reasons.iter().filter(|it| is_note(it));
        notes.map(|reason| self.sentence(reason)).collect()
    }

    /// Returns the requests for removed APIs as a sentence. Returns None if the operator has no
    /// such requests.
    pub(super) fn requests(self) -> Option<String> {
        let mut reasons = self.answer().reasons.iter();
        let reason = reasons.find(|it| is_separate(it))?;
        Some(self.sentence(reason))
    }

    /// Returns the reason as a sentence.
    pub(super) fn sentence(self, reason: &Reason) -> String {
        let operator = self.operator();
        let (package, bundle) = (&operator.package, &operator.bundle);
        let target = self.target();
        let channels = operator.channels.join(", ");
        match reason {
            Reason::AboveLimit(last) => format!("{bundle} supports OpenShift {last} at most."),
            Reason::InvalidLimit(invalid) => format!("{bundle} is invalid: {invalid}."),
            Reason::UnknownLimit => {
                format!("No catalog contains {bundle}, so its last OpenShift release is unknown.")
            }
            Reason::PackageGone => format!("The catalog of {target} has no package {package}."),
            Reason::ChannelGone => {
                format!("Package {package} has no channel {channels} in the catalog of {target}.")
            }
            Reason::Stranded => {
                format!("The catalog of {target} has no update from {bundle} in its channel.")
            }
            Reason::NotReinstallable => format!(
                "The catalog of {target} does not contain {bundle}, so this version cannot be \
                 installed again."
            ),
            Reason::NotAllowed(range) => {
                format!(
                    "The allowed versions {} exclude this path; change them first.",
                    range.as_str()
                )
            }
            Reason::Restrained { bundle, restraint } => restrained(bundle, restraint),
            Reason::NeedsNewerKubernetes { bundle, minimum } => {
                format!("{bundle} would help, but needs Kubernetes {minimum}.")
            }
            Reason::GoneBetween { stage } => {
                format!(
                    "The catalog of {} does not continue it.",
                    self.stages()[*stage]
                )
            }
            Reason::Unread { why, .. } => format!("{why}."),
            Reason::RemovedObjects { bundle, uses } => format!(
                "{bundle} cannot be installed again, because {}.",
                removed(uses, |usage| {
                    format!("{} {}", usage.api.kind, cite(&usage.name))
                })
            ),
            Reason::RemovedPermissions { bundle, uses } => format!(
                "{bundle} has permissions without effect after the upgrade: {}.",
                removed(uses, |usage| {
                    format!("{} of {}", usage.api.resource(), cite(&usage.name))
                })
            ),
            Reason::RequestsRemovedApi(requests) => requested(requests),
            Reason::ObjectsNotRead {
                bundle,
                release,
                why,
            } => {
                let why = match why.as_str() {
                    "" => String::new(),
                    why => format!(": {}", cite(why)),
                };
                format!(
                    "Kubernetes {release} removes APIs, and the objects of {bundle} were not \
                     read{why}."
                )
            }
            Reason::NothingInstalled => "No bundle is installed yet.".to_owned(),
            Reason::NotFollowed => "It follows no catalog.".to_owned(),
        }
    }
}

/// Returns true if a reason never affects the verdict.
fn is_note(reason: &Reason) -> bool {
    matches!(reason, Reason::RemovedPermissions { .. })
}

/// Returns true if a reason has a separate step.
fn is_separate(reason: &Reason) -> bool {
    matches!(reason, Reason::RequestsRemovedApi(_))
}

/// Returns text about removed APIs with the objects that use them, such as `Kubernetes 1.25 removes
/// policy/v1beta1 (PodDisruptionBudget a)`.
fn removed(uses: &[RemovedApiUse], name: impl Fn(&RemovedApiUse) -> String) -> String {
    let is_same = |a: &RemovedApiUse, b: &RemovedApiUse| {
        (a.api.minor, a.api.group, a.api.version) == (b.api.minor, b.api.group, b.api.version)
    };
    let apis = uses.chunk_by(is_same).map(|uses| {
        let api = uses[0].api;
        let names = listed(uses.iter().map(&name));
        format!(
            "Kubernetes 1.{} removes {} ({names})",
            api.minor,
            api.api_version()
        )
    });
    listed(apis)
}

/// Returns sentences about the requests for removed APIs, each with its ServiceAccount.
fn requested(requests: &[ApiRequests]) -> String {
    let sentences = requests.iter().map(|requests| {
        let ApiRequests {
            api,
            account,
            count,
        } = requests;
        format!(
            "ServiceAccount {} sent {count} requests for {} {} in the last 24 hours, which \
             Kubernetes 1.{} removes.",
            cite(account),
            api.api_version(),
            api.resource(),
            api.minor
        )
    });
    sentences.collect::<Vec<_>>().join(" ")
}

/// Returns a sentence about the rule that forbids or delays an update. The sentence also says how
/// this can be changed.
fn restrained(bundle: &BundleName, restraint: &Restraint) -> String {
    let object = title(&restraint.object);
    match &restraint.rule {
        RestraintRule::NoUpdates if restraint.object.kind.kind == "Operator" => format!(
            "{object} has no spec.version, so the update to {bundle} never starts. Set spec.version."
        ),
        RestraintRule::NoUpdates => format!(
            "{object} has upgradeApproval None, so the update to {bundle} is not approved. Its \
             owner can change this."
        ),
        RestraintRule::Approval => {
            format!("{object} has manual approval, so a person must approve each update.")
        }
        RestraintRule::Bundles { field, .. } => {
            format!("{object} does not allow {bundle} in {field}. Its owner can add it.")
        }
        RestraintRule::Denied { message, .. } => format!(
            "The update to {bundle} is not allowed now: {}. The owner of {object} can change this.",
            cite(message)
        ),
    }
}

/// Formats the kind, the namespace and the name of an object.
fn title(object: &ObjectRef) -> String {
    format!("{} {}", object.kind.kind, object.key())
}
