//! Judges ClusterExtensions of OLM v1 by their conditions.

use portolan_api::inventory::Manager;
use portolan_core_olm::{ClusterExtension, Condition};

use super::{Conclusion, Installer, Said, not_reconciled};
use crate::{HealthCode, Item, State};

/// The type of the condition that is True if a bundle is installed.
const INSTALLED: &str = "Installed";
/// The type of the condition that is True while OLM v1 works towards the desired state, and also
/// after it has reached the desired state.
const PROGRESSING: &str = "Progressing";
/// The reason of the Progressing condition after OLM v1 has reached the desired state.
const SUCCEEDED: &str = "Succeeded";
/// The reason of the Progressing condition after an error that OLM v1 considers temporary.
const RETRYING: &str = "Retrying";

impl Installer for ClusterExtension {
    const MANAGER: Manager = Manager::ClusterExtension;

    /// OLM v1 does not report the state of workloads. Therefore a ClusterExtension works if its
    /// bundle is installed and OLM v1 has no pending work.
    fn conclusions(item: &Item<Self>) -> Vec<Conclusion<'_>> {
        let conditions = &item.status.conditions;
        let observed = conditions
            .iter()
            .map(|it| it.observed_generation.unwrap_or(i64::MAX));
        if let Some(old) = not_reconciled(item.generation(), observed.max()) {
            return vec![old];
        }
        let about = |type_| Condition::about(conditions, type_).map(Said::from);
        let Some(installed) = about(INSTALLED) else {
            return vec![Conclusion::missing()];
        };
        let progress = about(PROGRESSING);
        if !installed.is_true() && !installed.is_false() {
            return vec![Conclusion::unknown(installed)];
        }
        let conclusion = match progress {
            Some(progress) => of_progress(progress, installed.is_true()),
            None => Some(Conclusion::unknown(installed)),
        };
        conclusion.into_iter().collect()
    }

    fn main_condition(item: &Item<Self>) -> Option<Said<'_>> {
        Condition::about(&item.status.conditions, INSTALLED).map(Said::from)
    }
}

/// Returns the conclusion from the Progressing condition. Returns None if OLM v1 has reached the
/// desired state. An error that OLM v1 retries may be permanent, so the state is No if no bundle is
/// installed. If a bundle is installed, the error may affect it, so the state is NotYet.
fn of_progress(progress: Said<'_>, is_installed: bool) -> Option<Conclusion<'_>> {
    let of = |state, code| Some(Conclusion::new(state, code, progress));
    match (progress.is_true(), progress.is_false(), progress.reason) {
        (true, _, SUCCEEDED) if is_installed => None,
        (true, _, RETRYING) if is_installed => of(State::NotYet, HealthCode::InstallFailed),
        (true, _, RETRYING) => of(State::No, HealthCode::InstallFailed),
        (true, _, _) => of(State::NotYet, HealthCode::InstallProgressing),
        (_, true, _) => of(State::No, HealthCode::InstallBlocked),
        (_, _, _) => Some(Conclusion::unknown(progress)),
    }
}
