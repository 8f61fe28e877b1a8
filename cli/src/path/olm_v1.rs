//! Compares a path with the upgrades that OLM v1 makes without further changes by the user.

use portolan_proto::resolver::v1::FindPathResponse;
use portolan_proto::resolver::v1::find_path_response::Answer;
use portolan_resolver::extensions::ExtensionForecast;
use serde::Serialize;

/// The upgrades that OLM v1 makes, compared with the destination of a path.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct OlmV1Steps {
    /// The bundles that OLM v1 will install, in this order.
    bundles: Vec<String>,
    /// True if OLM v1 will install the destination, or has already installed it.
    reaches_destination: bool,
    /// The reason why OLM v1 will not install the destination. Empty if OLM v1 installs or skips
    /// the destination.
    #[serde(skip_serializing_if = "String::is_empty")]
    reason: String,
}

// === impl OlmV1Steps ===

impl OlmV1Steps {
    /// Compares the forecast for OLM v1 with the destination of a path. Returns None if there is no
    /// path.
    pub(super) fn of(answer: &FindPathResponse, forecast: &ExtensionForecast) -> Option<Self> {
        let destination = match answer.answer.as_ref()? {
            Answer::Reached(path) => path.hops.last().map(|hop| hop.to.clone())?,
            Answer::AlreadyThere(_) | Answer::Blocked(_) => return None,
        };
        let steps = forecast.path.iter().map(|step| step.bundle.clone());
        let steps: Vec<_> = steps.collect();
        let at = steps.iter().position(|bundle| *bundle == destination);
        let reason = match at {
            Some(_) => String::new(),
            None => reason(forecast, &destination),
        };
        Some(Self {
            reaches_destination: at.is_some(),
            bundles: match at {
                Some(at) => steps.into_iter().take(at + 1).collect(),
                None => steps,
            },
            reason,
        })
    }

    /// Returns the steps as a sentence.
    pub(super) fn sentence(&self) -> String {
        let way = self.bundles.join(", then ");
        match (self.reaches_destination, self.bundles.is_empty()) {
            (true, _) => format!("OLM v1 installs {way} by itself."),
            (false, true) if self.reason.is_empty() => {
                "OLM v1 does not follow this path.".to_owned()
            }
            (false, true) => format!("OLM v1 does not follow this path: {}.", self.reason),
            (false, false) if self.reason.is_empty() => {
                format!("OLM v1 does not follow this path: it installs {way} by itself.")
            }
            (false, false) => {
                let reason = &self.reason;
                format!("OLM v1 installs {way} by itself, and stops there: {reason}.")
            }
        }
    }
}

/// Returns the reason why OLM v1 will not install a bundle.
fn reason(forecast: &ExtensionForecast, bundle: &str) -> String {
    let mut newer = forecast.newer.iter();
    let exclusions = newer
        .find(|it| it.bundle == bundle)
        .map(|it| &it.exclusions);
    let exclusions = exclusions.into_iter().flatten().map(ToString::to_string);
    let exclusions: Vec<_> = exclusions.collect();
    match (&forecast.stop, exclusions.as_slice()) {
        (Some(stop), _) => stop.to_string(),
        (None, []) => String::new(),
        (None, exclusions) => format!("{bundle} - {}", exclusions.join("; ")),
    }
}
