//! Whether an object is deleted or kept, and why.

use super::stage::Stage;

/// Whether an object is deleted or kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Disposition {
    Delete,
    Keep(KeepReason),
}

/// The reason why an object is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum KeepReason {
    /// The policy says so.
    ByPolicy,
    /// Nothing of the policy may go, for this reason.
    Obstacle(String),
    /// Somebody uses it: who.
    Used(String),
    /// Somebody else is in charge of it: its owner.
    Managed(String),
    /// Another policy had it made.
    Theirs,
    /// Another operator owns it as well: which.
    Shared(String),
    /// There are several where one should be, and nobody can tell which matters.
    Many,
    /// One of its name was to go, and this is another one.
    Successor,
    /// The operator serves the namespace from another one, which has it.
    Elsewhere(String),
    /// The policy did not have it made, and does not name its kind.
    Foreign,
    /// It has the label of the operator, and no bundle is there that owns it.
    Unowned,
}

// === impl Disposition ===

impl Disposition {
    pub(super) fn is_delete(&self) -> bool {
        match self {
            Self::Delete => true,
            Self::Keep(_) => false,
        }
    }
}

// === impl KeepReason ===

impl KeepReason {
    /// Whether the policy is content with it: it wants it so, or somebody else needs it.
    pub(super) fn is_content(&self, stage: Stage) -> bool {
        match self {
            Self::ByPolicy | Self::Used(_) | Self::Managed(_) | Self::Theirs | Self::Shared(_) => {
                true
            }
            Self::Many | Self::Obstacle(_) => false,
            // An OperatorGroup alone is no operator.
            Self::Successor | Self::Elsewhere(_) | Self::Foreign | Self::Unowned => match stage {
                Stage::Groups => true,
                Stage::Subscriptions | Stage::Crds | Stage::Csvs | Stage::Plans => false,
            },
        }
    }

    /// Why it stays, as a clause, with the way out.
    pub(super) fn why(&self, stage: Stage) -> String {
        let field = stage.field();
        match self {
            Self::ByPolicy => format!("{field} is Keep"),
            Self::Obstacle(why) => why.clone(),
            Self::Used(by) => format!("{by} uses it"),
            Self::Managed(owner) => format!("{owner} owns it"),
            Self::Theirs => "another policy created it".to_owned(),
            Self::Shared(by) => format!("{by} owns it too"),
            Self::Many => "it is not the only one".to_owned(),
            Self::Successor => "it only has the name of the recorded object".to_owned(),
            Self::Elsewhere(place) => {
                format!("the operator is installed in {place} and serves all namespaces from there")
            }
            Self::Foreign => format!(
                "this policy did not create it; set {} in {field} to delete it",
                match stage {
                    Stage::Groups => "DeleteIfUnused",
                    Stage::Subscriptions | Stage::Crds | Stage::Csvs | Stage::Plans => {
                        "Delete"
                    }
                }
            ),
            Self::Unowned => format!(
                "no ClusterServiceVersion of the operator owns it; delete it by hand, or set Keep in \
                 {field}"
            ),
        }
    }
}
