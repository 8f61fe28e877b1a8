//! The User-Agent header of all requests to API servers. Audit logs contain the User-Agent of each
//! request. If a write sets no field manager, the API server uses the beginning of the User-Agent
//! as the field manager.

use std::sync::OnceLock;

use http::HeaderValue;

const PROGRAM: &str = concat!("portolan/", env!("CARGO_PKG_VERSION"));

/// The name of this process in the User-Agent, such as `controller`.
static PROCESS: OnceLock<&str> = OnceLock::new();

/// Sets the name of this process in the User-Agent of its requests to API servers, as in
/// `portolan/0.1.0 (controller)`. Only the first call has an effect.
pub fn name_process(process: &'static str) {
    PROCESS.get_or_init(|| process);
}

/// Returns the User-Agent of this process.
pub(super) fn agent() -> HeaderValue {
    let process = PROCESS.get().copied();
    // If the name is not valid in a header, the User-Agent does not contain it.
    let named = process.and_then(|process| named(process).parse().ok());
    named.unwrap_or(HeaderValue::from_static(PROGRAM))
}

fn named(process: &str) -> String {
    format!("{PROGRAM} ({process})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_agent_names_program_and_process() {
        let expected = format!("portolan/{} (controller)", env!("CARGO_PKG_VERSION"));
        assert_eq!(named("controller"), expected);
    }
}
