//! Checks if the controller can act as the ServiceAccount of a plan.

use portolan_api::plan::{CONTROLLER_ROLE, ENABLED, Intent, Reason};

use super::Halt;
use super::decision::Ask;
use super::lacking::Lacking;
use super::observation::Observation;
use super::plan::Account;
use super::report::{Missing, UndatedCondition};

/// Returns the reason why the controller cannot act as the plan's ServiceAccount. Returns None if
/// it can.
pub(super) fn unusable_account(
    observed: &Observation,
    intent: &Intent,
) -> Result<Option<Lacking>, Halt> {
    let account = &intent.service_account;
    let mut missing = Missing::default();
    let (reason, sentence) = match observed.account {
        None => return Err(Halt::ask(Ask::Account)),
        Some(Account::There) => return Ok(None),
        Some(Account::Missing) => {
            let sentence = format!(
                "the ServiceAccount {account} does not exist in the namespace \
                                    of the plan"
            );
            (Reason::ServiceAccountMissing, sentence)
        }
        Some(Account::Leaving) => {
            let sentence = format!(
                "the namespace of the plan is being deleted, so the ServiceAccount {account} \
                 cannot be used any more"
            );
            (Reason::ServiceAccountMissing, sentence)
        }
        Some(Account::NotEnabled) => {
            let label = ENABLED.name();
            missing.namespace_label = Some(label);
            let sentence = format!(
                "plans in this namespace may not use its ServiceAccounts; set the label \
                 {label}=true on the namespace"
            );
            (Reason::NamespaceNotEnabled, sentence)
        }
        Some(Account::NotGranted) => {
            missing.controller_role = Some(CONTROLLER_ROLE);
            let sentence = format!(
                "the controller lacks the permission to impersonate the ServiceAccount {account}; \
                 bind the ClusterRole {CONTROLLER_ROLE} to the controller in the namespace of the \
                 plan"
            );
            (Reason::NamespaceNotEnabled, sentence)
        }
    };
    let said = UndatedCondition::no(reason, sentence);
    Ok(Some(Lacking { said, missing }))
}
