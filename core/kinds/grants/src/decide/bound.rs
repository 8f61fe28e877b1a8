//! Grants permissions that a user approved through the webhook. The stamp must be valid, and the
//! approver must still have the right to grant the permissions.

use std::collections::BTreeSet;

use jiff::SignedDuration;
use portolan_api::installs::{Permission, Reason};

use super::report::{Report, readiness};
use super::{Approvals, Ask, Case, Halt, Step};
use crate::giver::{Giver, giver};
use crate::permission::bindings;
use crate::rights::covers;
use crate::stamp::{STAMP, Stamp, Subject, content_digest};

/// The reason why the permissions are not granted.
pub(super) enum Unstamped {
    Ask(BTreeSet<Ask>),
    /// The reason why the stamp does not count. None if there is no stamp, or if stamps are
    /// disabled.
    Why(Option<String>),
}

impl Case<'_> {
    /// Returns the stamp that approves all missing permissions.
    ///
    /// # Errors
    ///
    /// Returns the reviews to request first, or the reason why the stamp does not count. For
    /// example, the approver can no longer grant the permissions.
    pub(super) fn approved_by(&self, lacking: &[Permission]) -> Result<Stamp, Unstamped> {
        let stamp = self.stamp(lacking)?;
        match giver(&stamp.permissions, &self.observed.approver) {
            Giver::May => Ok(stamp),
            Giver::Asks(asks) => {
                let asks = asks.into_iter();
                let asks = asks.map(|access| Ask::ReviewApprover(stamp.approver.clone(), access));
                Err(Unstamped::Ask(asks.collect()))
            }
            Giver::TooMany => Err(because("the approval lists too many permissions")),
            Giver::MayNot(_) => Err(because(&format!(
                "user {} approved the Install, but cannot grant all of these permissions",
                stamp.approver.user
            ))),
        }
    }

    /// Returns the stamp in the annotation of the Install.
    ///
    /// # Errors
    ///
    /// Returns the reason if there is no valid stamp.
    fn stamp(&self, lacking: &[Permission]) -> Result<Stamp, Unstamped> {
        let annotations = self.observed.install.metadata.annotations.as_ref();
        let Some(text) = annotations.and_then(|it| it.get(STAMP)) else {
            return Err(Unstamped::Why(None));
        };
        let key = match &self.observed.approvals {
            Approvals::Off => return Err(Unstamped::Why(None)),
            Approvals::On => return Err(Unstamped::Ask([Ask::Key].into())),
            Approvals::Sealed(None) => {
                return Err(because("the key that verifies approval stamps is missing"));
            }
            Approvals::Sealed(Some(key)) => key,
            Approvals::Unguarded => {
                return Err(because(
                    "the API server does not verify approvals: the MutatingWebhookConfiguration, \
                     the ValidatingAdmissionPolicy or its binding portolan-approvals is missing, \
                     or differs from the manifest of Portolan",
                ));
            }
        };
        if self.account.namespace != self.observed.home {
            let sentence = "only the command kubectl operator approve can grant permissions to the \
                            ServiceAccount of an OperatorGroup";
            return Err(because(sentence));
        }
        let stamp = Stamp::read(text, key).map_err(because)?;
        let (_, install) = self.observed.id();
        let subject = Subject {
            install,
            content: &content_digest(self.observed.install.spec.as_json()),
            account: &self.account,
            lacking,
        };
        match stamp.flaw(subject, self.observed.now) {
            None => Ok(stamp),
            Some(flaw) => Err(because(flaw)),
        }
    }

    /// Returns the halt with the step that creates the bindings. It creates no bindings for
    /// permissions that the content does not need, because other users can write the list of
    /// permissions in the status.
    ///
    /// The API server applies new bindings after a short delay, so the Install is checked again
    /// after one second.
    pub(super) fn bound(
        &self,
        report: Report,
        stamp: &Stamp,
        (needed, lacking): (&[Permission], Vec<Permission>),
    ) -> Halt {
        let sentence = format!(
            "the ServiceAccount gets the permissions that user {} approved",
            stamp.approver.user
        );
        let mut report = Report {
            ready: readiness(Reason::Installing, &sentence),
            until: Some(self.observed.now + SignedDuration::from_secs(1)),
            ..report
        };
        let approved = stamp.permissions.iter();
        let approved = approved.filter(|it| covers(needed, std::slice::from_ref(it)));
        let approved: Vec<_> = approved.cloned().collect();
        let given = if covers(&approved, &lacking) {
            approved
        } else {
            lacking
        };
        let bindings = bindings(self.observed.id(), &self.account, &given);
        report.steps.push(Step::Create(bindings));
        report.kept(self.observed)
    }
}

fn because(why: &str) -> Unstamped {
    Unstamped::Why(Some(why.to_owned()))
}
