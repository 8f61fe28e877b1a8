//! Names of objects on a cluster.

use crate::place::Place;
use crate::refusal::{Refusal, quoted};

/// The longest label of RFC 1123.
const LONGEST_LABEL: usize = 63;
/// The longest subdomain of RFC 1123.
const LONGEST_SUBDOMAIN: usize = 253;

/// Whether `text` is a label of RFC 1123, as namespaces are.
pub(crate) fn is_label(text: &str) -> bool {
    text.len() <= LONGEST_LABEL && is_part(text)
}

/// The name of a namespace, or of what must have one as well.
pub(super) fn label(place: &Place<'_>, what: &str, refused: &mut Vec<Refusal>) -> Option<String> {
    let text = place.text(refused)?;
    if !is_label(text) {
        let sentence = format!(
            "is {}, which cannot be {what}; write at most {LONGEST_LABEL} lower-case letters, \
             digits and hyphens, with a letter or digit first and last",
            quoted(text)
        );
        place.refuse_value(sentence, refused);
    }
    Some(text.to_owned())
}

/// The name of an object that may have dots.
pub(super) fn subdomain(
    place: &Place<'_>,
    what: &str,
    refused: &mut Vec<Refusal>,
) -> Option<String> {
    let text = place.text(refused)?;
    if text.len() > LONGEST_SUBDOMAIN || !text.split('.').all(is_part) {
        let sentence = format!(
            "is {}, which cannot be {what}; write at most {LONGEST_SUBDOMAIN} lower-case letters, \
             digits, hyphens and dots, with a letter or digit first and last and beside each dot",
            quoted(text)
        );
        place.refuse_value(sentence, refused);
    }
    Some(text.to_owned())
}

fn is_part(text: &str) -> bool {
    let is_inner = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '-');
    !text.is_empty() && text.chars().all(is_inner) && !text.starts_with('-') && !text.ends_with('-')
}
