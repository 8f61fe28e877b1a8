//! Bytes that are written as text.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::document::LineTrouble;
use crate::document::fields::Fields;

/// The bytes under a key. Line breaks in the text mean nothing, as with opm.
pub(super) fn decode(fields: &Fields<'_, '_>, key: &'static str) -> Result<Vec<u8>, LineTrouble> {
    let mut text = fields.required_text(key)?.as_bytes().to_vec();
    text.retain(|byte| !matches!(byte, b'\r' | b'\n'));
    STANDARD
        .decode(text)
        .map_err(|error| fields.refused(key, &format!("not base64: {error}")))
}
