//! The decisions of the controller after a previewed change.

use std::time::Duration;

use portolan_api::operator::Operator;
use portolan_core_console::view::{Rehearsed, Seen, Unseen};
use portolan_core_console::{Change, Wanted};
use portolan_core_names::Requirement;
use portolan_operators::with_settings;
use portolan_proto::resolver::v1::PreviewResponse;
use portolan_world::View;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::Services;
use super::apply::{new, of_version};

/// The time limit of a rehearsal. If it is exceeded, the rest of the page is still shown.
const PATIENCE: Duration = Duration::from_secs(15);
/// The semaphore for the rehearsals of all visitors, because a rehearsal compares bundles with the
/// cluster.
static REHEARSALS: Semaphore = Semaphore::const_new(4);

impl Services {
    /// Returns the decisions of the controller about the Operators that a change adds or upgrades.
    /// Returns None if there are no such Operators.
    pub(super) async fn rehearsed(
        &self,
        wanted: &Wanted,
        told: &PreviewResponse,
        operators: &View<Operator>,
    ) -> Option<Seen<Vec<Rehearsed>>> {
        let rehearsal = self.rehearsal.as_ref()?;
        let applied = match applied(wanted, told, operators) {
            Ok(applied) if applied.is_empty() => return None,
            Ok(applied) => applied,
            // The errors of the preview report an invalid name or version.
            Err(_) if !told.errors.is_empty() => return None,
            Err(why) => return Some(Err(why)),
        };
        let rehearsing = async {
            // The time limit includes the wait for other pages. The semaphores are never closed.
            let _own = self.rehearsals.acquire().await;
            let _permit = REHEARSALS.acquire().await;
            rehearsal.rehearse(applied).await
        };
        let rehearsed = timeout(PATIENCE, rehearsing).await;
        Some(rehearsed.unwrap_or_else(|_| {
            let limit = PATIENCE.as_secs();
            Err(Unseen(format!(
                "The rehearsal did not finish within {limit} s."
            )))
        }))
    }
}

/// Returns the Operators as they are after the change. If the change is impossible, returns the
/// Operator that the visitor asks for, because a user can apply it anyway.
fn applied(
    wanted: &Wanted,
    told: &PreviewResponse,
    operators: &View<Operator>,
) -> Seen<Vec<Operator>> {
    match wanted.change {
        Change::Add | Change::Upgrade => {}
        Change::Delete | Change::Updates => return Ok(Vec::new()),
    }
    let changed = |name: &str, version: &str| {
        let mut there = operators.objects.values();
        match there.find(|it| it.metadata.name.as_deref() == Some(name)) {
            Some(there) => with_settings(there, &of_version(version)?).map_err(Unseen),
            None => new(name, version),
        }
    };
    if told.errors.is_empty() {
        let steps = told.changes.iter().filter(|step| !step.version.is_empty());
        return steps
            .map(|step| changed(&step.name, &step.version))
            .collect();
    }
    let (typed, version) = (wanted.operator.trim(), wanted.version.trim());
    let requirement = Requirement::parse(typed).map_err(|error| Unseen(error.to_string()))?;
    Ok(vec![changed(requirement.package.as_str(), version)?])
}

#[cfg(test)]
mod tests {
    use portolan_proto::resolver::v1::generate_response::Change as Step;
    use rstest::rstest;

    use super::*;

    fn wanted(change: Change, operator: &str, version: &str) -> Wanted {
        Wanted {
            change,
            operator: operator.to_owned(),
            version: version.to_owned(),
            channel: String::new(),
        }
    }

    fn told(steps: &[(&str, &str)], errors: &[&str]) -> PreviewResponse {
        let steps = steps.iter().map(|(name, version)| Step {
            name: (*name).to_owned(),
            version: (*version).to_owned(),
            ..Step::default()
        });
        PreviewResponse {
            changes: steps.collect(),
            errors: errors.iter().map(|it| (*it).to_owned()).collect(),
            ..PreviewResponse::default()
        }
    }

    #[rstest]
    #[case::all_added_operators(
        wanted(Change::Add, "ferry", ""),
        told(&[("ferry", "1.2.0"), ("pilot", "1.0.0")], &[]),
        &[("ferry", "1.2.0"), ("pilot", "1.0.0")]
    )]
    #[case::deleted_operators_are_left_out(
        wanted(Change::Upgrade, "ferry", ""),
        told(&[("ferry", "1.2.0"), ("pilot", "")], &[]),
        &[("ferry", "1.2.0")]
    )]
    #[case::impossible_operator(
        wanted(Change::Add, "ferry", "9.x"),
        told(&[], &["no version fits"]),
        &[("ferry", "9.x")]
    )]
    #[case::deletion(wanted(Change::Delete, "ferry", ""), told(&[("ferry", "")], &[]), &[])]
    fn operators_after_the_change_are_rehearsed(
        #[case] wanted: Wanted,
        #[case] told: PreviewResponse,
        #[case] expected: &[(&str, &str)],
    ) {
        let applied = applied(&wanted, &told, &View::default()).expect("Operators");
        let applied: Vec<_> = applied
            .iter()
            .map(|it| {
                let spec = it.spec.as_json();
                let text = |field: &str| spec[field].as_str().unwrap_or_default().to_owned();
                (text("packageName"), text("version"))
            })
            .collect();
        let expected = expected.iter();
        let expected: Vec<_> = expected
            .map(|(name, version)| ((*name).to_owned(), (*version).to_owned()))
            .collect();
        assert_eq!(applied, expected);
    }
}
