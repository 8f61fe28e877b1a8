//! The members that a plan created. The status records a digest of the uid of each object. If an
//! object has the same name and another uid, another client created it. This is also the case if a
//! deleted plan set the label of the lineage on the object.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use portolan_api::plan::Status;
use sha2::{Digest as _, Sha256};

/// The number of bytes in a digest. 10,000 digests take less than 70 kB in a status.
const BYTES: usize = 5;

/// The shortened digest of the uid of an object.
pub(super) type UidDigest = [u8; BYTES];

/// The digest of a member about whose object nothing is known.
const UNKNOWN: UidDigest = [0; BYTES];

/// The digest of a member whose name an object of another owner uses.
pub(super) const NOT_MADE: UidDigest = [0, 0, 0, 0, 1];

/// The digest of a member that the plan creates next, because its earlier object no longer exists.
const PENDING: UidDigest = [0, 0, 0, 0, 2];

/// The digests of the uids of members, by member index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct MadeUids(BTreeMap<usize, UidDigest>);

impl MadeUids {
    /// Reads the digests from a status, in the format of [`print`](Self::print). Returns an empty
    /// set for any other text.
    pub(super) fn of(status: &Status) -> Self {
        let written = status.record.as_ref().map(|record| record.made.as_str());
        let bytes = STANDARD.decode(written.unwrap_or_default());
        let bytes = bytes.unwrap_or_default();
        let digests = bytes.chunks_exact(BYTES).enumerate();
        let digests = digests.filter_map(|(place, digest)| {
            let digest = UidDigest::try_from(digest).ok()?;
            (digest != UNKNOWN).then_some((place, digest))
        });
        Self(digests.collect())
    }

    pub(super) fn print(&self) -> String {
        let count = self.0.keys().next_back().map_or(0, |last| last + 1);
        let digests = (0..count).map(|place| self.0.get(&place).copied().unwrap_or(UNKNOWN));
        STANDARD.encode(digests.collect::<Vec<_>>().concat())
    }

    /// Returns the digest of the uid of the object that the plan created. Returns None if no digest
    /// is known.
    pub(super) fn get(&self, place: usize) -> Option<UidDigest> {
        self.0.get(&place).copied().filter(|made| *made != PENDING)
    }

    /// Returns the members that the plan creates next.
    pub(super) fn pending(&self) -> impl Iterator<Item = usize> {
        let all = self.0.iter();
        all.filter(|(_, made)| **made == PENDING)
            .map(|(place, _)| *place)
    }

    /// Records that the plan creates the member next. Returns true if the record contained another
    /// object before.
    pub(super) fn await_new(&mut self, place: usize) -> bool {
        let was_known = self.get(place).is_some();
        if was_known {
            self.put(place, PENDING);
        }
        was_known
    }

    /// Returns true if the plan created an object for this member, but with another uid.
    pub(super) fn is_another(&self, place: usize, uid: &str) -> bool {
        self.get(place).is_some_and(|made| made != digest(uid))
    }

    pub(super) fn put(&mut self, place: usize, made: UidDigest) {
        self.0.insert(place, made);
    }

    pub(super) fn forget(&mut self, place: usize) {
        self.0.remove(&place);
    }
}

pub(super) fn digest(uid: &str) -> UidDigest {
    let mut digest = UNKNOWN;
    let hash = Sha256::digest(uid);
    digest.copy_from_slice(&hash[..BYTES]);
    // Sets one bit, so that no uid has the digest of an unknown object.
    digest[0] |= 1;
    digest
}

#[cfg(test)]
mod tests {
    use portolan_api::plan::Record;

    use super::*;

    fn status(made: String) -> Status {
        let record = Record {
            made,
            ..Record::default()
        };
        Status {
            record: Some(record),
            ..Status::default()
        }
    }

    #[test]
    fn packed_uids_are_parsed_back() {
        let mut made = MadeUids::default();
        assert_eq!(made.print(), "");
        for place in [0, 3, 7] {
            made.put(place, digest(&format!("u-{place}")));
        }
        assert_eq!(MadeUids::of(&status(made.print())), made);
        assert!(!made.is_another(3, "u-3") && made.is_another(3, "u-4"));
        assert!(!made.is_another(1, "u-1"), "nothing is known of it");
        assert_eq!(MadeUids::of(&status("???".to_owned())), MadeUids::default());
    }

    #[test]
    fn ten_thousand_uids_take_less_than_70_kb() {
        let mut made = MadeUids::default();
        for place in 0..10_000 {
            made.put(place, digest(&place.to_string()));
        }
        assert!(made.print().len() < 70_000);
    }
}
