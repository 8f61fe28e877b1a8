//! The cures for an Operator.

use portolan_api::operator::sentence::accepting;
use portolan_api::operator::{ACCEPT_BREAKS, APPROVE, CrdChange, Reason, is_refused_by_api_server};
use portolan_core_names::text::shell_word;

use super::OperatorCase;
use crate::command::Target;
use crate::cure::Cure;
use crate::{Cause, Object, Procedure, State, Step, deletion};

const AUTHOR: &str = "the author of the Operator";
const PACKAGE: &str = "the administrator of the package";
const PORTOLAN: &str = "the administrator of Portolan";

impl<'a> OperatorCase<'a> {
    /// Adds the cure for this reason, and usually the command that shows the Operator. If `below`
    /// is the cause of a plan, its cure and commands are used instead.
    pub(super) fn cured(self, cause: Cause, reason: Reason, below: Option<&Cause>) -> Cause {
        let cure = match reason {
            Reason::SpecInvalid => Cure::external(AUTHOR, "Correct the field that the message names."),
            Reason::ResolverUnavailable => Cure::external(
                PORTOLAN,
                "Check that the resolver runs, and that the flag --resolver of the controller has \
                 the address of the resolver.",
            ),
            Reason::PackageNotFound => Cure::external(
                AUTHOR,
                "Correct the package or the catalog. `portolan packages` lists the available \
                 packages.",
            ),
            Reason::AmbiguousCatalog => Cure::external(
                "the administrator of the catalogs",
                "Give one of the catalogs a higher priority. Or select one catalog in \
                 spec.catalogSelector of the Operator.",
            ),
            Reason::NoUpgradePath => return self.unreachable(cause),
            // The function that creates this cause also adds the cure.
            Reason::WaitingForDependencies => return cause,
            Reason::BundleNotInstallable => Cure::external(
                "the publisher of the bundle",
                "Correct the bundle or its registry. If the registry requires a login, the \
                 administrator of the resolver must set the login with --registry-auth instead. \
                 The Operator then continues by itself.",
            ),
            Reason::BundleChanged => Cure::external(
                "the publisher of the catalog",
                "Restore the image of the bundle. Alternatively, set another spec.version in the \
                 Operator to avoid this bundle.",
            ),
            Reason::CrdUpgradeUnsafe if self.refused_change().is_some() => {
                return self.refused(cause);
            }
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
                "the administrator of the operator",
                "Finish the work that the operator reports in its OperatorCondition. An \
                 administrator can override this condition in spec.overrides of the \
                 OperatorCondition.",
            ),
            Reason::TimeRestricted => Cure::external(
                "the owner of the Policy",
                "Correct the time window if the window is wrong. Otherwise, the upgrade starts by \
                 itself when the window opens.",
            ),
            Reason::DeniedByPolicy => Cure::external(
                "the owner of the Policy that the message names",
                "Allow the version in the Policy.",
            ),
            Reason::PolicyServiceUnavailable => Cure::external(
                PORTOLAN,
                "Check that the approval service runs, and that the flag --approval of the \
                 controller has the address of the approval service. The controller retries by \
                 itself.",
            ),
            Reason::Reverted => Cure::external(
                "the publisher of the bundle",
                "Correct the bundle. The controller retries the upgrade when the Operator or the \
                 bundle changes.",
            ),
            Reason::PlanInvalid
            | Reason::PermissionMissing
            | Reason::InstallFailed
            | Reason::Reverting
            | Reason::NotReady => match below {
                Some(below) => return self.shown(cause.cured_like(below)),
                None => Cure::external(
                    "the owner of the failing object that the message names",
                    "Repair the failing object.",
                ),
            },
            Reason::InstalledByOlm => Cure::external(
                PACKAGE,
                "Let this Operator adopt the installation of OLM: run `portolan adopt`. Or delete \
                 this Operator.",
            ),
            Reason::AlsoInstalledByOlm => Cure::external(
                PACKAGE,
                "Delete the Subscription and the ClusterServiceVersion of the package. Or delete \
                 this Operator.",
            ),
            Reason::AdoptionRefused => Cure::external(
                PACKAGE,
                "Fulfill the requirement that the message names. No object of OLM was changed. If \
                 spec.adopt is removed, no object of OLM will be changed.",
            ),
            Reason::InstalledByClusterExtension => Cure::external(
                PACKAGE,
                "Delete this Operator, and let OLM v1 manage the package. If you delete the ClusterExtension \
                 instead, its CRDs and all their custom resources are deleted too.",
            ),
            Reason::Duplicate => Cure::Safe(deletion::delete(
                "Delete this Operator. The older Operator installs the package.",
                &[self.target()],
                Vec::new(),
                "None: this Operator has installed nothing while the other Operator exists.",
            )),
            Reason::DeletionBlocked => return self.shown(self.unblocked(cause)),
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
        self.shown(cause.cured(cure))
    }

    /// Adds the command that shows the Operator, unless the problem resolves without an action.
    fn shown(self, cause: Cause) -> Cause {
        let look = Step::new(
            &format!("Show {}", self.target().called()),
            self.target().get(),
        );
        let look = (!cause.responsible.who.is_empty()).then_some(look);
        cause.looked(look)
    }

    /// Adds the cure for an unreachable version, with the command that lists the reachable
    /// versions.
    fn unreachable(self, cause: Cause) -> Cause {
        let spec = self.operator.spec.as_json();
        let package = self.package();
        let requirement = match spec["version"].as_str() {
            Some(range) => format!("{package}@{range}"),
            None => package,
        };
        let line = format!("portolan route {}", shell_word(&requirement));
        let look = Step::new(
            "Show the reachable versions, and what blocks the other \
                              versions",
            line,
        );
        let action = "Set spec.version to a reachable version, or follow a suggestion in the \
                      output.";
        self.shown(cause.cured(Cure::external(AUTHOR, action)).looked([look]))
    }

    /// Returns a CRD change that the API server would reject even if a user accepted it.
    fn refused_change(self) -> Option<&'a CrdChange> {
        let mut changes = self.status.unsafe_changes.iter();
        changes.find(|change| is_refused_by_api_server(&change.check))
    }

    /// Adds the cure for a CRD change that the API server rejects.
    fn refused(self, cause: Cause) -> Cause {
        let Some(CrdChange { crd, .. }) = self.refused_change() else {
            return cause;
        };
        let at_fault = Object::new("CustomResourceDefinition", "", crd.as_str());
        let look = Target::named(&at_fault)
            .map(|target| Step::new("Show the CRD with its stored versions", target.get()));
        let cure = Cure::external(
            "the administrator of the CRD",
            "Migrate the custom resources as described in the message. Until then, the API server \
             rejects the upgrade, even if the Operator accepts the unsafe change.",
        );
        let cause = Cause {
            at_fault,
            state: State::Stuck,
            ..cause
        };
        self.shown(cause.cured(cure).looked(look))
    }

    /// Returns the cure that sets an annotation of the Operator. If the value is unknown or too
    /// long, returns a cure without a command.
    fn annotated(self, annotation: &str, value: Option<String>, message: &str, risk: &str) -> Cure {
        match value {
            Some(value) => {
                let with = self.target().annotate_with();
                let value = shell_word(&format!("{annotation}={value}"));
                Cure::Choice(vec![Procedure::command(
                    message,
                    format!("{with} {value}"),
                    risk,
                )])
            }
            None => Cure::external(
                "a cluster administrator",
                "Follow the instructions in the message.",
            ),
        }
    }
}
