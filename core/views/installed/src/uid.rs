//! Computes the uid of an Installed.

use std::fmt::Write as _;

use sha1::{Digest, Sha1};

/// Returns a uid that can be computed again: a version 5 UUID. Its name is the namespace of the
/// Installed. Its UUID name space is the uid of the operator. If this uid is not a UUID, as for an
/// object in a file, the UUID name space is computed from its text.
pub(crate) fn uid(of_operator: &str, namespace: &str) -> String {
    let space = match parse(of_operator) {
        Some(space) => space,
        None => version_5(&[0; 16], of_operator),
    };
    print(version_5(&space, namespace))
}

/// Returns a version 5 UUID, as defined in RFC 9562, section 5.5.
fn version_5(space: &[u8; 16], name: &str) -> [u8; 16] {
    let hash = Sha1::new()
        .chain_update(space)
        .chain_update(name)
        .finalize();
    let mut uuid = [0; 16];
    uuid.copy_from_slice(&hash[..16]);
    uuid[6] = (uuid[6] & 0x0f) | 0x50;
    uuid[8] = (uuid[8] & 0x3f) | 0x80;
    uuid
}

fn parse(text: &str) -> Option<[u8; 16]> {
    let lengths = text.split('-').map(str::len);
    let is_hex = text
        .bytes()
        .all(|byte| byte == b'-' || byte.is_ascii_hexdigit());
    if !is_hex || !lengths.eq([8, 4, 4, 4, 12]) {
        return None;
    }
    let number = u128::from_str_radix(&text.replace('-', ""), 16).ok()?;
    Some(number.to_be_bytes())
}

fn print(uuid: [u8; 16]) -> String {
    let mut text = String::with_capacity(36);
    for (at, byte) in uuid.into_iter().enumerate() {
        if [4, 6, 8, 10].contains(&at) {
            text.push('-');
        }
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected UUID is the example in RFC 9562, appendix A.4.
    #[test]
    fn uid_matches_the_example_of_the_rfc() {
        let dns = "6ba7b810-9dad-11d1-80b4-00c04fd430c8";
        assert_eq!(
            uid(dns, "www.example.com"),
            "2ed6657d-e927-568b-95e1-2665a8aea6a2"
        );
    }

    #[test]
    fn uid_that_is_not_a_uuid_is_replaced_by_a_valid_one() {
        let (one, other) = (uid("harbor/ferry", "a"), uid("harbor/ferry", "b"));
        assert_ne!(one, other);
        assert_eq!(one, uid("harbor/ferry", "a"));
        assert!(parse(&one).is_some());
    }
}
