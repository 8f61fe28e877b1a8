//! Whether `spec.config` can be read: what it changes of Deployments, the renderer of bundles knows.

use portolan_api::operator::{Intent, Reason};
use portolan_core_bundle::Config;

use super::Halt;

/// The most sentences that are told of what is wrong with it.
const MOST: usize = 5;

/// Whether `spec.config` is one, as a Subscription of OLM has it.
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
