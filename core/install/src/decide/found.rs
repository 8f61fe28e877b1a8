//! The members that were there before a plan: each by its place among all members, with its uid.

use std::collections::BTreeMap;

pub(super) type Found = BTreeMap<usize, String>;

pub(super) fn print(found: &Found) -> BTreeMap<String, String> {
    let found = found.iter();
    let found = found.map(|(place, uid)| (place.to_string(), uid.clone()));
    found.collect()
}

/// Reads what [`print`] wrote. What is not so names no place: then an object counts as not found,
/// and so as one that may not be taken over.
pub(super) fn parse(written: &BTreeMap<String, String>) -> Found {
    let found = written.iter();
    let found = found.filter_map(|(place, uid)| Some((place.parse().ok()?, uid.clone())));
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_found_is_read_as_it_was_written() {
        let found: Found = [0, 2, 10].map(|place| (place, format!("u-{place}"))).into();
        assert_eq!(parse(&print(&found)), found);
        let strange = ["", "x", "-1", "0-3", "18446744073709551616"];
        let strange = strange.map(|place| (place.to_owned(), "u".to_owned()));
        assert_eq!(parse(&strange.into()), Found::new());
    }
}
