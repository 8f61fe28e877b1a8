//! Adapts the upgrades of a ClusterExtension to the decision of OLM v1.

use portolan_proto::basis::v1::Reason;
use portolan_proto::resolver::v1::ListUpgradesResponse;
use portolan_proto::resolver::v1::list_upgrades_response::Successor;
use portolan_resolver::extensions::{Change, ExtensionForecast, ExtensionState};

/// Replaces the recommended bundle with the next bundle that OLM v1 installs. If OLM v1 installs no
/// bundle, replaces the reasons.
pub(super) fn apply(answer: &mut ListUpgradesResponse, forecast: &ExtensionForecast) {
    let Some(next) = forecast.path.first() else {
        answer.recommended.clear();
        if let Some(reason) = reason(forecast) {
            answer.reasons = vec![reason];
        }
        return;
    };
    answer.recommended.clone_from(&next.bundle);
    // OLM v1 can be configured to ignore the edges of the catalog. Then the bundle is missing in
    // this list.
    if !answer.successors.iter().any(|it| it.name == next.bundle) {
        answer.successors.push(Successor {
            name: next.bundle.clone(),
            version: next.version.to_string(),
            downgrade: next.change == Change::Downgrade,
            deprecation: next.deprecation.clone().unwrap_or_default(),
            ..Successor::default()
        });
    }
}

/// Returns the reason why OLM v1 installs no bundle. Returns None if the newest bundle is already
/// installed.
fn reason(forecast: &ExtensionForecast) -> Option<Reason> {
    let (code, message) = match &forecast.stop {
        Some(stop) => (stop.code(), stop.to_string()),
        None => {
            let newest = forecast.newer.first()?;
            let exclusions: Vec<_> = newest.exclusions.iter().map(ToString::to_string).collect();
            let message = format!("{} - {}", newest.bundle, exclusions.join("; "));
            (ExtensionState::Held.as_str(), message)
        }
    };
    Some(Reason {
        code: code.to_owned(),
        message,
        object: None,
    })
}
