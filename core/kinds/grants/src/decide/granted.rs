//! Checks if the ServiceAccount has all permissions that the content needs. Reports the permissions
//! that wait for approval.

use jiff::SignedDuration;
use portolan_api::installs::{AccountRef, Approved, Pending, Permission, Reason};
use portolan_core_install::Members;
use portolan_core_names::text::listed_up_to;
use serde_json::{Value, json};

use super::bound::Unstamped;
use super::report::{Report, UndatedCondition, readiness};
use super::{AGAIN, Ask, Case, Halt, MOST, Step, ask};
use crate::account::WAY_IN;
use crate::rights::{permissions, rights};
use crate::stamp::approval_digest;
use crate::takes::{MOST_REVIEWS, Refused, Takes, own_roles};

/// The time after an approval within which permissions may still be missing, because the API server
/// applies new bindings with a delay.
const GRACE: SignedDuration = SignedDuration::from_secs(15);
/// The maximum size in bytes of the permissions that a status lists.
const MOST_BYTES: usize = 256 * 1024;

impl Case<'_> {
    /// Checks that the account has all permissions that the content needs.
    ///
    /// # Errors
    ///
    /// Returns the facts to read first, or the report about the missing permissions.
    pub(super) fn granted(&self) -> Result<(), Halt> {
        let members = self.members()?;
        let unknown = self.observed.roles.unknown(&members);
        if !unknown.is_empty() {
            return Err(Halt::Ask(unknown.into_iter().map(Ask::Role).collect()));
        }
        let known = self.discovery.with_definitions(&members);
        let bound = self.bindings(&members)?;
        let takes = Takes::of(&members, (&known, &self.observed.roles), bound);
        let takes = takes.map_err(|why| self.refused(why))?;
        let given = self.observed.given.as_ref();
        let given = given.ok_or_else(|| ask(Ask::Given(self.account.clone())))?;
        let held = rights(given);
        let missing = takes.missing(&held, (&self.observed.answers, MOST_REVIEWS));
        let missing = missing.map_err(|reviews| {
            let account = || self.account.clone();
            let asks = reviews.into_iter();
            Halt::Ask(asks.map(|access| Ask::Review(account(), access)).collect())
        })?;
        if missing.is_empty() {
            return Ok(());
        }
        Err(self.lacking(permissions(missing), &takes))
    }

    /// Returns the bindings in the cluster that refer to a role of the content.
    ///
    /// # Errors
    ///
    /// Returns the request for these bindings if they were not read yet.
    fn bindings(&self, members: &Members) -> Result<&[Value], Halt> {
        let roles = own_roles(members);
        match &self.observed.bound {
            _ if roles.is_empty() => Ok(&[]),
            Some(bound) => Ok(bound),
            None => Err(ask(Ask::Bound(roles))),
        }
    }

    /// Returns the report about content that cannot be approved, because its permissions cannot be
    /// listed.
    fn refused(&self, (reason, sentences): Refused) -> Halt {
        let sentence = listed_up_to(MOST, sentences);
        if reason != Reason::RoleNotFound {
            return Report::wrong(reason, &sentence).halt(self.observed);
        }
        let mut report = self.report(readiness(reason, sentence));
        report.until = Some(self.observed.now + AGAIN);
        report.kept(self.observed)
    }

    /// Returns the report about missing permissions. If the Install is already approved, the stamp
    /// may grant them. Without a valid stamp, the approval is reset after a while.
    ///
    /// An approval covers only the permissions that were listed when the user approved them.
    fn lacking(&self, missing: Vec<Permission>, takes: &Takes) -> Halt {
        let size = json!(missing).to_string().len();
        if size > MOST_BYTES {
            let sentence = format!(
                "the permissions that the content needs have {size} bytes, and the maximum is \
                 {MOST_BYTES}; split the content into several Installs"
            );
            return self.refused((Reason::ContentNotInstallable, vec![sentence]));
        }
        let mut report = self.waiting(&missing);
        if !self.intent.is_approved {
            return report.kept(self.observed);
        }
        match self.approved_by(&missing) {
            Ok(stamp) => {
                let needed = permissions(takes.all());
                return self.bound(report, &stamp, (&needed, missing));
            }
            Err(Unstamped::Ask(asks)) => return Halt::Ask(asks),
            Err(Unstamped::Why(None)) => {}
            Err(Unstamped::Why(Some(why))) => report.pending_because(&why),
        }
        let approved = self.approved();
        let ends = approved.since.0 + GRACE;
        if self.observed.now < ends {
            report.until = Some(self.observed.now + SignedDuration::from_secs(1));
            report.approved = Some(approved);
        } else {
            report.steps.push(Step::Unapprove);
        }
        report.kept(self.observed)
    }

    /// Returns the report that lists the missing permissions for approval.
    fn waiting(&self, missing: &[Permission]) -> Report {
        let AccountRef { name, namespace } = &self.account;
        let (install, uid) = self.observed.id();
        let given_on = missing.iter().any(|it| !it.subjects.is_empty());
        let others = if given_on {
            ", and the content grants some of these permissions to other subjects"
        } else {
            ""
        };
        let mut sentence = format!(
            "ServiceAccount {namespace}/{name} lacks permissions that the content needs{others}; \
             status.pending lists them; a user who has these permissions can grant them with: \
             kubectl operator approve install/{install}"
        );
        if self.has_other_account() {
            sentence.push_str(&format!(
                " (to inherit the ServiceAccount of the namespace, set {WAY_IN})"
            ));
        }
        let mut report = self.report(readiness(Reason::ApprovalRequired, &sentence));
        report.pending = Some(UndatedCondition::yes(
            Reason::UnsatisfiedPermissions,
            sentence,
        ));
        let spec = self.observed.install.spec.as_json();
        report.permissions = Some(Pending {
            digest: approval_digest((uid, spec), &self.account, &self.resolved, missing),
            permissions: missing.to_vec(),
        });
        report
    }

    /// Returns true if the OperatorGroup of the target namespace has a ServiceAccount, but the
    /// Install uses a generated account.
    fn has_other_account(&self) -> bool {
        let target = self.intent.mapping.target();
        let mut groups = self.observed.groups.iter();
        *self.account.namespace == self.observed.home
            && groups.any(|it| Some(&*it.namespace) == target && !it.service_account.is_empty())
    }

    fn approved(&self) -> Approved {
        let generation = self.observed.generation();
        let before = self.observed.status().approved;
        before
            .filter(|it| it.generation == generation)
            .unwrap_or_else(|| Approved {
                generation,
                since: self.observed.time(),
            })
    }
}
