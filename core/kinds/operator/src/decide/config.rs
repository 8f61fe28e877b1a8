//! Validation of `spec.config`. When a bundle is rendered, the config is applied to its
//! Deployments.

use portolan_api::operator::{Intent, Reason};
use portolan_core_bundle::Config;

use super::Halt;

/// The maximum number of errors in a message.
const MOST: usize = 5;

/// Returns an error if `spec.config` is invalid as the config of an OLM Subscription.
pub(super) fn config(intent: &Intent) -> Result<(), Halt> {
    if intent.config.is_null() {
        return Ok(());
    }
    let Err(misfits) = Config::parse(&intent.config) else {
        return Ok(());
    };
    let told: Vec<_> = misfits.iter().take(MOST).map(String::as_str).collect();
    let more = match misfits.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    let sentence = format!("spec.config: {}{more}", told.join("; "));
    Err(Halt::no(Reason::SpecInvalid, sentence))
}
