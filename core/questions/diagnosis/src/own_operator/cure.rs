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
                "The author of the Operator: correct the field that the message names.",
            ),
            Reason::ResolverUnavailable => Cure::external(
                "The administrator of Portolan: check that the resolver runs, and that --resolver \
                 of the controller is its address.",
            ),
            Reason::PackageNotFound => Cure::external(
                "The administrator of the catalogs, or the author of the Operator: `portolan \
                 packages` lists the available packages.",
            ),
            Reason::AmbiguousCatalog => Cure::external(
                "The owner of the catalogs: give one of them a higher priority. Or the author of \
                 the Operator: select a catalog in spec.catalogSelector.",
            ),
            Reason::NoUpgradePath => Cure::external(
                "The author of the Operator: `portolan route` shows the reachable versions, and \
                 possible fixes.",
            ),
            Reason::WaitingForDependencies => Cure::external(
                "A user who can install the dependencies. The Operator continues by itself once \
                 they are installed.",
            ),
            Reason::BundleNotInstallable => Cure::external(
                "The publisher of the bundle or of its registry. The Operator continues by itself \
                 once the bundle can be installed.",
            ),
            Reason::BundleChanged => Cure::external(
                "The publisher of the catalog: restore the image of the bundle. Alternatively, \
                 another spec.version avoids the bundle.",
            ),
            Reason::CrdUpgradeUnsafe => self.annotated(
                ACCEPT_BREAKS,
                self.next_bundle()
                    .and_then(|next| accepting(&self.operator.accepted(), next)),
                "Accept that custom resources may lose data with the next version.",
                "Custom resources may lose fields or versions, and a rollback does not restore them.",
            ),
            Reason::ApprovalRequired => self.annotated(
                APPROVE,
                self.next_bundle().map(str::to_owned),
                "Approve the next version.",
                "The operator is upgraded immediately.",
            ),
            Reason::NotUpgradeable => Cure::external(
                "The administrator of the operator: the operator reports the reason. An \
                 administrator can override it in spec.overrides of the OperatorCondition.",
            ),
            Reason::TimeRestricted => Cure::external(
                "The owner of the Policy, if the time window is wrong. Otherwise the upgrade \
                 starts by itself when the window opens.",
            ),
            Reason::DeniedByPolicy => Cure::external("The owner of the Policy that the message names."),
            Reason::PolicyServiceUnavailable => Cure::external(
                "The administrator of Portolan: check that the approval service runs, and that \
                 --approval of the controller is its address. The controller retries by itself.",
            ),
            Reason::Reverted => Cure::external(
                "The publisher of the bundle. The upgrade is retried when the Operator or the \
                 bundle changes.",
            ),
            Reason::PlanInvalid
            | Reason::PermissionMissing
            | Reason::InstallFailed
            | Reason::Reverting
            | Reason::NotReady => match below {
                Some(below) => below.cure.clone(),
                None => Cure::external(
                    "The owner of the failing object that the message names.",
                ),
            },
            Reason::InstalledByOlm => Cure::external(
                "The administrator of the package: run `portolan adopt` to adopt it with this \
                 Operator, or delete this Operator.",
            ),
            Reason::AlsoInstalledByOlm => Cure::external(
                "The administrator of the package: delete its Subscription and \
                 ClusterServiceVersion in OLM, or delete this Operator.",
            ),
            Reason::AdoptionRefused => Cure::external(
                "The administrator of the package: the message names the missing requirement. No \
                 object of OLM was changed. Without spec.adopt none will be changed.",
            ),
            Reason::InstalledByClusterExtension => Cure::external(
                "The administrator of the package: delete the ClusterExtension, or this Operator.",
            ),
            Reason::Duplicate => Cure::Fixable(vec![Fix::command(
                "Delete this Operator. The older Operator has the package.",
                self.target().delete(),
                "None: it has installed nothing while the other Operator exists.",
            )]),
            Reason::DeletionBlocked => self.unblocked(),
            Reason::Adopting
            | Reason::Applying
            | Reason::Checking
            | Reason::Settling
            | Reason::WaitingForOtherOperators
            | Reason::Reinstalling
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
            Some(_) => "Delete it even though others need it.",
            None => {
                "Delete the Operators that the condition names. If that is impossible, delete \
                 this one even though others need it."
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
            None => Cure::external("The cluster administrator: the message explains how."),
        }
    }
}
