//! How much of a file is read before it is held to be hostile.

/// Bounds on memory and time. The largest real documents and files stay far below all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The longest document, in bytes. Reading holds one document at a time, so this bounds its
    /// memory. Bundles with all their manifests inline reach about 4 MiB.
    pub document: usize,
    /// The longest file, in bytes of its unzipped content.
    pub file: u64,
    /// The values of one document, those that its aliases repeat counted each time. Real documents
    /// reach about 30,000.
    pub values: usize,
    /// How deep the values of a document stand in each other.
    pub depth: usize,
    /// The entries of one channel. Real channels reach 200; answers about a channel take time that
    /// grows with the square of their number.
    pub entries: usize,
    /// The faults of one file that are told apart; of the others only the number is.
    pub faults: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            document: 32 << 20,
            file: 4 << 30,
            values: 1_000_000,
            depth: 100,
            entries: 10_000,
            faults: 1000,
        }
    }
}
