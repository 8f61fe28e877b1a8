//! Checks whether Kubernetes and the CRD of OperatorPolicies allow a value in a condition.

/// The reason that replaces an invalid reason.
const UNKNOWN: &str = "Unknown";
/// The maximum length of a reason in characters. Each character is one byte.
const LONGEST_REASON: usize = 1024;
/// The maximum length of a type in characters.
const LONGEST_TYPE: usize = 316;

/// Returns a reason that another component has set. Returns `Unknown` if this reason is not allowed
/// in a condition.
pub(crate) fn reason(text: &str) -> &str {
    if is_reason(text) { text } else { UNKNOWN }
}

/// Returns true if the text matches `^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$`.
pub(crate) fn is_reason(text: &str) -> bool {
    let is_inner = |c: u8| is_word(c) || c == b',' || c == b':';
    let bytes = text.as_bytes();
    bytes.len() <= LONGEST_REASON
        && bytes.first().is_some_and(u8::is_ascii_alphabetic)
        && bytes.last().is_some_and(|last| is_word(*last))
        && bytes.iter().all(|byte| is_inner(*byte))
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Returns true if the text is a name such as `InstallPlanPending`, optionally after a domain and a
/// slash.
pub(crate) fn is_type(text: &str) -> bool {
    let (domain, name) = match text.split_once('/') {
        Some((domain, name)) => (Some(domain), name),
        None => (None, text),
    };
    text.len() <= LONGEST_TYPE && domain.is_none_or(is_domain) && is_name(name)
}

fn is_domain(text: &str) -> bool {
    let is_lower = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    text.split('.').all(|part| is_framed(part, is_lower, b"-"))
}

fn is_name(text: &str) -> bool {
    is_framed(text, |byte| byte.is_ascii_alphanumeric(), b"-_.")
}

/// Returns true if `is_meant` accepts the first and the last byte. Each other byte must be accepted
/// or be in `inner`.
fn is_framed(text: &str, is_meant: impl Fn(u8) -> bool, inner: &[u8]) -> bool {
    let bytes = text.as_bytes();
    let ends = [bytes.first(), bytes.last()];
    ends.into_iter()
        .all(|end| end.is_some_and(|end| is_meant(*end)))
        && bytes
            .iter()
            .all(|byte| is_meant(*byte) || inner.contains(byte))
}
