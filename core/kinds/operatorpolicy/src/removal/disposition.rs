//! The decision to delete or keep an object, with the reason.

use super::stage::Stage;

/// The decision to delete or keep an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Disposition {
    Delete,
    Keep(KeepReason),
}

/// The reason why an object is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum KeepReason {
    /// The policy is configured to keep it.
    ByPolicy,
    /// The removal is not possible now. Contains the reason.
    Obstacle(String),
    /// Another operator or policy uses the object. Contains this operator or policy.
    Used(String),
    /// The object has an owner reference. Contains the owner.
    Managed(String),
    /// Another policy created the object.
    Theirs,
    /// Another operator also owns the object. Contains that operator.
    Shared(String),
    /// There are several objects of the kind, and it is unknown which one belongs to the policy.
    Many,
    /// The object has the same name as an object that was recorded for deletion, but another uid.
    /// This object was created after the removal began.
    Successor,
    /// The operator is installed in another namespace and also watches this namespace. Contains the
    /// other namespace.
    Elsewhere(String),
    /// The policy did not create the object, and the policy does not explicitly set that this kind
    /// is deleted.
    Foreign,
    /// The object has the label of the operator, but no existing bundle owns it.
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
    /// Returns true if keeping the object does not violate the policy. This is the case if the
    /// policy keeps it, or if another object or policy needs it.
    pub(super) fn is_content(&self, stage: Stage) -> bool {
        match self {
            Self::ByPolicy | Self::Used(_) | Self::Managed(_) | Self::Theirs | Self::Shared(_) => {
                true
            }
            Self::Many | Self::Obstacle(_) => false,
            // An OperatorGroup that remains does not violate the policy.
            Self::Successor | Self::Elsewhere(_) | Self::Foreign | Self::Unowned => match stage {
                Stage::Groups => true,
                Stage::Subscriptions | Stage::Crds | Stage::Csvs | Stage::Plans => false,
            },
        }
    }

    /// Returns a clause with the reason why the object is kept, and the remedy.
    pub(super) fn why(&self, stage: Stage) -> String {
        let field = stage.field();
        match self {
            Self::ByPolicy => format!("{field} is Keep"),
            Self::Obstacle(why) => why.clone(),
            Self::Used(by) => format!("{by} uses the object"),
            Self::Managed(owner) => format!("{owner} owns the object"),
            Self::Theirs => "another policy created the object".to_owned(),
            Self::Shared(by) => format!("{by} also owns the object"),
            Self::Many => "the OperatorGroup is not the only OperatorGroup of its \
                           namespace"
                .to_owned(),
            Self::Successor => {
                "the object is not the recorded object, although it has the same name".to_owned()
            }
            Self::Elsewhere(place) => {
                format!("the operator is installed in {place}, and watches all namespaces")
            }
            Self::Foreign => format!(
                "this policy did not create the object; set {} in {field} to delete the object",
                match stage {
                    Stage::Groups => "DeleteIfUnused",
                    Stage::Subscriptions | Stage::Crds | Stage::Csvs | Stage::Plans => {
                        "Delete"
                    }
                }
            ),
            Self::Unowned => format!(
                "no ClusterServiceVersion of the operator owns the object; delete the object by \
                 hand, or set Keep in \
                 {field}"
            ),
        }
    }
}
