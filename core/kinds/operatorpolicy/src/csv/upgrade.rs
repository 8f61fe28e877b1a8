//! Detects an upgrade that the policy allows. The upgrade begins when OLM creates the new
//! ClusterServiceVersion.

use jiff::Timestamp;
use portolan_api::Effect;
use portolan_core_olm::{ClusterServiceVersion, CsvPhase};

use super::{lacking, name};
use crate::case::Case;
use crate::phrase::clause;
use crate::plan::{Patience, allows};

/// The effect of an upgrade on the compliance of the policy.
pub(super) enum Upgrade<'a> {
    /// No upgrade that the policy allows is in progress. The state of the operator affects
    /// compliance.
    Counted,
    /// The upgrade is in progress, and the state of the operator does not affect compliance.
    /// Contains the time limit for OLM to start the new ClusterServiceVersion. None if there is no
    /// such limit.
    UnderWay(Option<Timestamp>),
    /// OLM did not start the new ClusterServiceVersion within the time limit.
    Stalled(&'a ClusterServiceVersion),
}

impl Upgrade<'_> {
    pub(super) fn is_under_way(&self) -> bool {
        match self {
            Self::UnderWay(_) => true,
            Self::Counted | Self::Stalled(_) => false,
        }
    }
}

/// Returns true while an upgrade that the policy allows is in progress.
///
/// The upgrade begins when the new ClusterServiceVersion is created. It ends when the old
/// ClusterServiceVersion is deleted and the Subscription names the new one as installed. It also
/// ends when OLM does not start the new ClusterServiceVersion within the time limit. During the
/// upgrade, the state of the operator does not affect compliance.
pub(crate) fn is_upgrading(case: &Case<'_>, csv: &ClusterServiceVersion) -> bool {
    progress(case, csv).is_under_way()
}

pub(super) fn progress<'a>(case: &Case<'a>, csv: &'a ClusterServiceVersion) -> Upgrade<'a> {
    let is_told = match case.intent.effects.upgrades_progressing {
        Effect::Condition => true,
        Effect::NonCompliant => false,
    };
    let next = if is_leaving(csv) {
        successor(case, csv)
    } else {
        Some(csv)
    };
    let is_upgrade = |next: &&ClusterServiceVersion| {
        let replaces = case.csv(&next.spec.replaces).is_some() || is_awaited(case, next);
        may_run(next) && replaces && allows(case.intent, name(next), &next.spec.version)
    };
    let Some(next) = next.filter(|next| is_told && is_upgrade(next)) else {
        return Upgrade::Counted;
    };
    let Some(since) = waiting_since(case, next) else {
        return Upgrade::UnderWay(None);
    };
    match Patience::since(since, case.now) {
        Patience::Until(later) => Upgrade::UnderWay(Some(later)),
        Patience::Over => Upgrade::Stalled(next),
    }
}

/// Returns the time since which the new ClusterServiceVersion has waited for OLM to start it. This
/// is the time in OLM's report. If OLM has not checked the ClusterServiceVersion yet, this is its
/// creation time. Returns None after OLM has started it, because OLM itself limits the time of the
/// installation.
fn waiting_since(case: &Case<'_>, next: &ClusterServiceVersion) -> Option<Timestamp> {
    let waits = match &next.status.phase {
        CsvPhase::Pending | CsvPhase::InstallReady => true,
        CsvPhase::Other(word) => word.is_empty(),
        CsvPhase::Installing
        | CsvPhase::Succeeded
        | CsvPhase::Failed
        | CsvPhase::Replacing
        | CsvPhase::Deleting
        | CsvPhase::Unknown => false,
    };
    let reported = next.status.last_transition_time.as_ref();
    let since = reported.or(next.metadata.creation_timestamp.as_ref());
    waits.then(|| since.map_or(case.now, |time| time.0))
}

/// Returns true if OLM is replacing the ClusterServiceVersion, or has replaced it.
pub(crate) fn is_leaving(csv: &ClusterServiceVersion) -> bool {
    match csv.status.phase {
        CsvPhase::Replacing | CsvPhase::Deleting => true,
        CsvPhase::Pending
        | CsvPhase::InstallReady
        | CsvPhase::Installing
        | CsvPhase::Succeeded
        | CsvPhase::Failed
        | CsvPhase::Unknown
        | CsvPhase::Other(_) => false,
    }
}

/// Returns true if the ClusterServiceVersion is running, or if OLM is installing it.
fn may_run(csv: &ClusterServiceVersion) -> bool {
    match &csv.status.phase {
        CsvPhase::Pending | CsvPhase::InstallReady | CsvPhase::Installing | CsvPhase::Succeeded => {
            true
        }
        // OLM has not set the phase of a new ClusterServiceVersion yet.
        CsvPhase::Other(word) => word.is_empty(),
        CsvPhase::Failed | CsvPhase::Replacing | CsvPhase::Deleting | CsvPhase::Unknown => false,
    }
}

/// Returns the ClusterServiceVersion that replaces `csv`. Returns None if no ClusterServiceVersion
/// replaces `csv`.
pub(super) fn successor<'a>(
    case: &Case<'a>,
    csv: &ClusterServiceVersion,
) -> Option<&'a ClusterServiceVersion> {
    let mut all = case.namespace.csvs.iter();
    all.find(|next| next.spec.replaces == name(csv))
        .map(|next| &**next)
}

/// Returns true if the Subscription still names the version that `csv` replaces as installed.
fn is_awaited(case: &Case<'_>, csv: &ClusterServiceVersion) -> bool {
    let named = case.subscription().map(|each| &each.status.installed_csv);
    named.is_some_and(|named| !named.is_empty() && *named == csv.spec.replaces)
}

/// Returns the end of a message about an upgrade that OLM did not start within the time limit. The
/// text names the missing requirement, if it is known.
pub(super) fn stalled(
    case: &Case<'_>,
    csv: &ClusterServiceVersion,
    next: &ClusterServiceVersion,
) -> String {
    let lacking = lacking(case, next).map(|lacking| format!(": {lacking}"));
    let lacking = lacking.unwrap_or_default();
    let phase = match next.status.phase.to_string().as_str() {
        "" => "unchecked".to_owned(),
        phase => phase.to_owned(),
    };
    let time = format!("has been {phase} for more than 5 minutes");
    if name(next) == name(csv) {
        return format!("{lacking}. The ClusterServiceVersion {time}");
    }
    let said = match clause(&next.status.message).as_str() {
        "" => String::new(),
        message => format!(": {message}"),
    };
    format!(
        ". ClusterServiceVersion {}, which replaces it, {time}{said}{lacking}",
        name(next)
    )
}
