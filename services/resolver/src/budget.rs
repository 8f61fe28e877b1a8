//! The memory limits for reading registries.
//!
//! A user who can write a CatalogSource chooses its registry, and a registry can send more data
//! than fits into the memory of this process. Therefore each registry has a memory limit. A second
//! limit applies to all registries that are read at the same time.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use portolan_proto::registry as pb;
use prost::Message as _;

/// The files with the memory limit that the kernel applies to a container: for cgroup v2, then for
/// v1.
const FILES: [&str; 2] = [
    "/sys/fs/cgroup/memory.max",
    "/sys/fs/cgroup/memory/memory.limit_in_bytes",
];

/// The memory in bytes that is assumed for a process without a limit.
const UNLIMITED: u64 = 2 << 30;

/// cgroup v1 reports this number or a larger number if there is no limit.
const ENDLESS: u64 = 1 << 60;

/// The estimated memory of a row in bytes, in addition to the bytes that the registry sends. `ROW`
/// is for the entry, the bundle and their names. `ITEM` is for each of the many small values in a
/// row.
const ROW: usize = 1024;
const ITEM: usize = 128;

/// The size and time limits for one registry. A registry that exceeds a limit is treated as
/// hostile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegistryLimits {
    /// The maximum size of a message in bytes. A bundle with its manifests can have several
    /// megabytes. OLM accepts at most four megabytes.
    pub message: usize,
    /// The maximum size of one catalog in bytes. Public catalogs have up to about 30 MB.
    pub rows: usize,
    /// The maximum time for reading a whole catalog.
    pub whole: Duration,
    /// The maximum time for a single response, and for the pause before the next row.
    pub stall: Duration,
    /// The maximum time for requesting a single bundle.
    pub bundle: Duration,
    /// The maximum number of concurrent requests for packages.
    pub at_once: usize,
}

/// The memory limits for each registry, and for all registries that are read at the same time.
/// Clones share the reserved memory.
#[derive(Debug, Clone)]
pub struct Budget {
    limits: RegistryLimits,
    pool: Arc<Pool>,
}

#[derive(Debug)]
struct Pool {
    most: usize,
    taken: AtomicUsize,
}

/// The memory that is reserved while one registry is read. The memory is released when this value
/// is dropped.
#[derive(Debug)]
pub(crate) struct Share {
    pool: Arc<Pool>,
    /// The maximum memory for one registry.
    most: usize,
    taken: usize,
}

/// The limit that was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exceeded {
    /// The limit for one registry, in bytes.
    One(usize),
    /// The limit for all registries together, in bytes.
    All(usize),
}

// === impl RegistryLimits ===

impl RegistryLimits {
    /// Creates the limits for a process with this memory, in bytes. While a row is read, it is in
    /// memory several times: as bytes, as a message and as a document.
    pub fn within(memory: u64) -> Self {
        let part = |parts: u64| usize::try_from(memory / parts).unwrap_or(usize::MAX);
        Self {
            message: part(64).clamp(4 << 20, 256 << 20),
            rows: part(8).clamp(8 << 20, 1 << 30),
            whole: Duration::from_secs(300),
            stall: Duration::from_secs(30),
            bundle: Duration::from_secs(10),
            at_once: 16,
        }
    }
}

impl Default for RegistryLimits {
    fn default() -> Self {
        Self::within(UNLIMITED)
    }
}

// === impl Budget ===

impl Budget {
    /// Creates the memory limits for a process with this memory, in bytes.
    pub fn within(memory: u64) -> Self {
        let limits = RegistryLimits::within(memory);
        Self {
            limits,
            pool: Arc::new(Pool {
                most: limits.rows.saturating_mul(2),
                taken: AtomicUsize::new(0),
            }),
        }
    }

    /// Creates the memory limits for this process. Uses the configured memory, else the memory
    /// limit of the kernel, else an amount that most machines have.
    pub fn of_process(told: Option<u64>) -> Self {
        let limit = told.or_else(memory_limit);
        Self::within(limit.unwrap_or(UNLIMITED))
    }

    /// Returns the limits for one registry.
    pub fn limits(&self) -> RegistryLimits {
        self.limits
    }

    /// Returns the reserved memory.
    pub fn taken(&self) -> usize {
        self.pool.taken.load(Ordering::Relaxed)
    }

    /// Starts to reserve memory for one registry, at most `most` bytes.
    pub(crate) fn share(&self, most: usize) -> Share {
        Share {
            pool: Arc::clone(&self.pool),
            most,
            taken: 0,
        }
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self::within(UNLIMITED)
    }
}

// === impl Share ===

impl Share {
    /// Reserves additional bytes. Reserves nothing if a limit would be exceeded.
    pub(crate) fn take(&mut self, bytes: usize) -> Result<(), Exceeded> {
        let taken = self.taken.saturating_add(bytes);
        if taken > self.most {
            return Err(Exceeded::One(self.most));
        }
        let Pool { most, taken: all } = &*self.pool;
        let more = |all: usize| all.checked_add(bytes).filter(|all| all <= most);
        let added = all.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
        added.map_err(|_| Exceeded::All(*most))?;
        self.taken = taken;
        Ok(())
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.pool.taken.fetch_sub(self.taken, Ordering::Relaxed);
    }
}

/// Returns the estimated memory of a row. A row with many small values needs much more memory than
/// its bytes.
pub(crate) fn weight_of_row(row: &pb::Bundle) -> usize {
    let items = row.properties.len() + row.skips.len() + row.objects.len();
    row.encoded_len() + ROW + items * ITEM
}

/// Returns the estimated memory of the response about a package.
pub(crate) fn weight_of_head(head: &pb::Package) -> usize {
    head.encoded_len() + head.channels.len() * ITEM
}

fn memory_limit() -> Option<u64> {
    let texts = FILES
        .iter()
        .filter_map(|file| fs::read_to_string(file).ok());
    texts.filter_map(|text| parse_limit(&text)).min()
}

/// Parses a limit. Returns None if there is no limit.
fn parse_limit(text: &str) -> Option<u64> {
    let limit = text.trim().parse().ok();
    limit.filter(|limit| (1..ENDLESS).contains(limit))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::of_a_container("1073741824\n", Some(1 << 30))]
    #[case::none_by_v2("max\n", None)]
    #[case::none_by_v1("9223372036854771712\n", None)]
    #[case::nothing("", None)]
    #[case::no_memory_at_all("0", None)]
    fn parses_the_memory_limit_of_the_kernel(#[case] text: &str, #[case] expected: Option<u64>) {
        assert_eq!(parse_limit(text), expected);
    }

    #[rstest]
    #[case::a_pod_as_we_deploy_it(1 << 30, 16 << 20, 128 << 20)]
    #[case::a_small_pod(128 << 20, 4 << 20, 16 << 20)]
    #[case::a_tiny_pod(16 << 20, 4 << 20, 8 << 20)]
    #[case::a_whole_machine(1 << 40, 256 << 20, 1 << 30)]
    fn registry_limits_grow_with_the_memory_limit(
        #[case] memory: u64,
        #[case] message: usize,
        #[case] rows: usize,
    ) {
        let limits = RegistryLimits::within(memory);
        assert_eq!((limits.message, limits.rows), (message, rows));
    }

    #[test]
    fn budget_limits_each_share_and_their_sum() {
        let budget = Budget::within(64 << 20);
        let (one, all) = (8 << 20, 16 << 20);
        let mut shares: Vec<_> = (0..3).map(|_| budget.share(one)).collect();
        assert_eq!(shares[0].take(one), Ok(()));
        assert_eq!(shares[0].take(1), Err(Exceeded::One(one)));
        assert_eq!(shares[1].take(one), Ok(()));
        assert_eq!(shares[2].take(1), Err(Exceeded::All(all)));
        assert_eq!(budget.taken(), all);
        drop(shares.remove(0));
        assert_eq!(shares[1].take(1), Ok(()));
        drop(shares);
        assert_eq!(budget.taken(), 0);
    }

    #[test]
    fn many_small_values_count_more_than_their_bytes() {
        let row = pb::Bundle {
            skips: vec!["a".to_owned(); 100],
            ..Default::default()
        };
        assert_eq!(weight_of_row(&row), 300 + ROW + 100 * ITEM);
    }
}
