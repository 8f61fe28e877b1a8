//! Selects the blobs to delete when the cache is too large.

use std::path::PathBuf;
use std::time::SystemTime;

/// A file of the cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CachedFile {
    pub(super) path: PathBuf,
    pub(super) bytes: u64,
    /// The time of the last use.
    pub(super) used: SystemTime,
}

/// Removes the least recently used files until at most `limit` bytes remain. If `remove` returns
/// false, the file is in use. Then this file is kept, and the next file is removed.
pub(super) fn evict(
    mut kept: Vec<CachedFile>,
    limit: u64,
    mut remove: impl FnMut(&CachedFile) -> bool,
) {
    kept.sort_by(|a, b| (a.used, &a.path).cmp(&(b.used, &b.path)));
    let mut bytes: u64 = kept.iter().map(|kept| kept.bytes).sum();
    for oldest in &kept {
        if bytes <= limit {
            return;
        }
        if remove(oldest) {
            bytes -= oldest.bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::nothing_within_the_limit(100, &[], &[])]
    #[case::the_oldest(99, &[], &["old"])]
    #[case::as_many_as_it_takes(30, &[], &["old", "older than new"])]
    #[case::all_entries(0, &[], &["old", "older than new", "new"])]
    #[case::no_entry_in_use(99, &["old"], &["older than new"])]
    #[case::no_more_where_all_are_in_use(0, &["old", "older than new", "new"], &[])]
    fn evicts_oldest_unused_files_until_limit_is_met(
        #[case] limit: u64,
        #[case] in_use: &[&str],
        #[case] expected: &[&str],
    ) {
        let file = |(path, bytes, used): (&str, u64, u64)| CachedFile {
            path: path.into(),
            bytes,
            used: SystemTime::UNIX_EPOCH + Duration::from_secs(used),
        };
        let files = [("new", 30, 3), ("old", 30, 1), ("older than new", 40, 2)];
        let mut gone = Vec::new();
        evict(files.map(file).to_vec(), limit, |kept| {
            let name = kept.path.to_string_lossy().into_owned();
            let may_go = !in_use.contains(&name.as_str());
            if may_go {
                gone.push(name);
            }
            may_go
        });
        assert_eq!(gone, expected);
    }
}
