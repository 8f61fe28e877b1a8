//! Checks of the fields with which a visitor logs in.

/// The maximum length of a token in bytes. Browsers store cookies of up to 4,096 bytes, and sealing
/// increases the length of a token by one third.
const LONGEST_TOKEN: usize = 2800;

/// Returns an error if a text cannot be a token.
pub(super) fn is_token(token: &str) -> Result<(), String> {
    let is_fit = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte);
    if token.is_empty() || !token.bytes().all(is_fit) {
        return Err(
            "This is not a token. A token contains only letters, digits and \
         -._~+/=."
                .to_owned(),
        );
    }
    Ok(())
}

/// Returns an error if a name is not a valid namespace. An empty name is valid and means no
/// namespace.
pub(super) fn is_namespace(name: &str) -> Result<(), String> {
    let is_fit = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if name.len() > 63 || !name.bytes().all(is_fit) {
        return Err(
            "This is not a namespace. A namespace has at most 63 lower-case letters, digits and \
             hyphens."
                .to_owned(),
        );
    }
    Ok(())
}

/// Returns an error if a token is too long for a cookie.
pub(super) fn fits_in_cookie(token: &str) -> Result<(), String> {
    if token.len() > LONGEST_TOKEN {
        return Err(format!(
            "The token has {} bytes; the maximum is {LONGEST_TOKEN}. Tokens of ServiceAccounts \
             are shorter.",
            token.len()
        ));
    }
    Ok(())
}
