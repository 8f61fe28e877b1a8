//! The cures for an Operator.

use portolan_api::operator::sentence::accepting;
use portolan_api::operator::{ACCEPT_BREAKS, APPROVE, FORCE_DELETION, Reason};
use portolan_core_names::text::{listed, shell_word};

use super::OperatorCase;
use crate::command::{OWN_OPERATORS, Target};
use crate::{Cause, Cure, Fix, Purpose, Step};

/// The maximum number of Operators that a command deletes.
const MOST_USERS: usize = 10;

impl OperatorCase<'_> {
    /// Adds the cure to the cause, and the command to inspect the Operator. The cause of a plan
    /// below has its own cure and commands.
    pub(super) fn cured(self, cause: Cause, reason: Reason, below: Option<&Cause>) -> Cause {
        let cure = match reason {
            Reason::SpecInvalid => Cure::external(
                "Whoever wrote the Operator: the sentence says which field, and what would do.",
            ),
            Reason::CatalogsUnknown => Cure::external(
                "Whoever runs Portolan: does the resolver run, and does the controller find it \
                 (--resolver)?",
            ),
            Reason::PackageNotFound => Cure::external(
                "Whoever brings catalogs to the cluster, or wrote the Operator: `portolan packages` lists \
                 what there is.",
            ),
            Reason::AmbiguousCatalog => Cure::external(
                "Whoever owns the catalogs: give one of them a higher priority. Or whoever wrote the \
                 Operator: spec.catalogSelector says which is meant.",
            ),
            Reason::Unreachable => Cure::external(
                "Whoever wrote the Operator: `portolan route` shows how far it gets, and what would help.",
            ),
            Reason::WaitingForDependencies => Cure::external(
                "Whoever may install what is required. It goes on by itself once that is there.",
            ),
            Reason::BundleRefused => Cure::external(
                "Whoever publishes the bundle, or its registry. It goes on by itself once the bundle can be \
                 installed.",
            ),
            Reason::BundleChanged => Cure::external(
                "Whoever publishes the catalog: a bundle keeps its image. Another spec.version leaves it.",
            ),
            Reason::DefinitionUnsafe => self.annotated(
                ACCEPT_BREAKS,
                self.next_bundle()
                    .and_then(|next| accepting(&self.operator.accepted(), next)),
                "Accept what objects may lose by the next version.",
                "Custom resources may lose fields or versions, and going back does not bring them again.",
            ),
            Reason::ApprovalRequired => self.annotated(
                APPROVE,
                self.next_bundle().map(str::to_owned),
                "Let it go to the next version.",
                "The operator is upgraded at once.",
            ),
            Reason::NotUpgradeable => Cure::external(
                "Whoever runs the operator: it says itself why. An administrator overrules it in \
                 spec.overrides of the OperatorCondition.",
            ),
            Reason::TimeRestricted => Cure::external(
                "Nobody, if that is meant: it goes on by itself when its window opens. Else whoever owns the \
                 Policy.",
            ),
            Reason::ConsentDenied => Cure::external("Whoever owns the Policy that the sentence names."),
            Reason::ConsentUnavailable => Cure::external(
                "Whoever runs Portolan: does approval run, and does the controller find it (--approval)? It is \
                 asked again by itself.",
            ),
            Reason::Reverted => Cure::external(
                "Whoever publishes the bundle. It is tried again when the Operator changes, or the bundle.",
            ),
            Reason::PlanInvalid
            | Reason::PermissionMissing
            | Reason::InstallFailed
            | Reason::Reverting
            | Reason::NotReady => match below {
                Some(below) => below.cure.clone(),
                None => Cure::external(
                    "Whoever owns what does not work: the sentence names the object.",
                ),
            },
            Reason::InstalledByOlm => Cure::external(
                "Whoever decides by what the package is installed: `portolan adopt` has this Operator take \
                 it over; or delete this Operator.",
            ),
            Reason::AlsoInstalledByOlm => Cure::external(
                "Whoever decides by what the package is installed: delete its Subscription and \
                 ClusterServiceVersion in OLM, or this Operator.",
            ),
            Reason::AdoptionRefused => Cure::external(
                "Whoever decides by what the package is installed: the sentence says what has to be so \
                 first. Nothing of OLM was touched; without spec.adopt it stays that way.",
            ),
            Reason::InstalledByClusterExtension => Cure::external(
                "Whoever decides by what the package is installed: delete the ClusterExtension, or this \
                 Operator.",
            ),
            Reason::Duplicate => Cure::Fixable(vec![Fix::command(
                "Delete this one: the older one has the package.",
                self.target().delete(),
                "None: it has installed nothing while the other one is there.",
            )]),
            Reason::DeletionBlocked => self.unblocked(),
            Reason::Adopting
            | Reason::Applying
            | Reason::Checking
            | Reason::Settling
            | Reason::Lockstep
            | Reason::Restoring
            | Reason::Deleting
            | Reason::NotInstalled
            | Reason::Installed
            | Reason::UpToDate
            | Reason::Frozen
            | Reason::HigherVersions
            | Reason::NoHigherVersion
            | Reason::DependenciesSatisfied
            | Reason::DependenciesMissing
            | Reason::PackageDeprecated
            | Reason::ChannelDeprecated
            | Reason::BundleDeprecated => Cure::Time,
        };
        let steps = match cure {
            Cure::Time => Vec::new(),
            Cure::Fixable(_) | Cure::External(_) => vec![Step {
                purpose: Purpose::Look,
                message: "To look".to_owned(),
                command: self.target().get(),
            }],
        };
        Cause {
            steps,
            ..cause.cured(cure)
        }
    }

    /// Returns the cure for a blocked deletion: delete the users, or delete the Operator although
    /// others need it.
    fn unblocked(self) -> Cure {
        let users = self.status.used_by.iter().filter(|it| !it.terminating);
        let users: Vec<_> = users.map(|it| it.name.as_str()).take(MOST_USERS).collect();
        let users = users.split_first().map(|(first, others)| {
            let pronoun = if others.is_empty() { "needs" } else { "need" };
            let names = listed(std::iter::once(first).chain(others));
            Fix::command(
                &format!(
                    "Delete {names}, which {pronoun} it. Its deletion continues when no Operator needs it any more."
                ),
                Target::new(OWN_OPERATORS, "", first).delete_with(others),
                "They are uninstalled. CRDs and custom resources stay.",
            )
        });
        let forced = match &users {
            Some(_) => "Delete it although others need it.",
            None => {
                "Delete the Operators that the condition names. If that is impossible, delete this one although \
                 others need it."
            }
        };
        let forced = Fix::command(
            forced,
            format!("{} {FORCE_DELETION}=true", self.target().annotate_with()),
            "Operators that need it may stop working.",
        );
        Cure::Fixable(users.into_iter().chain([forced]).collect())
    }

    /// Sets an annotation, if its value is known and short.
    fn annotated(self, annotation: &str, value: Option<String>, message: &str, risk: &str) -> Cure {
        match value {
            Some(value) => {
                let with = self.target().annotate_with();
                let value = shell_word(&format!("{annotation}={value}"));
                Cure::Fixable(vec![Fix::command(message, format!("{with} {value}"), risk)])
            }
            None => Cure::external("Whoever administers the cluster: the sentence says how."),
        }
    }
}
