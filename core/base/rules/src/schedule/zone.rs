//! Time zones, and the local times that their clocks show.

use std::sync::LazyLock;

use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, TimeZone, TimeZoneDatabase};
use jiff::{SignedDuration, Timestamp};
use portolan_core_names::nearest;
use thiserror::Error;

/// The rules of all time zones, which are part of the program.
static RULES: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);

/// A time zone of the IANA database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zone(TimeZone);

/// The error for an unknown time zone.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("is not a time zone{}", hint(nearest.as_deref()))]
pub struct UnknownZone {
    /// The known name that is most similar.
    pub nearest: Option<String>,
}

// === impl Zone ===

impl Zone {
    /// UTC, the default time zone.
    pub const UTC: Self = Self(TimeZone::UTC);

    /// Parses a name such as `Europe/Berlin`.
    ///
    /// # Errors
    /// Returns an error if the zone is unknown.
    pub fn parse(name: &str) -> Result<Self, UnknownZone> {
        RULES.get(name).map(Self).map_err(|_| UnknownZone::of(name))
    }

    /// Returns the name in the time zone database.
    pub fn name(&self) -> &str {
        self.0.iana_name().unwrap_or("UTC")
    }

    /// Returns the rules of the zone.
    pub fn rules(&self) -> &TimeZone {
        &self.0
    }

    /// Returns the latest local time that the clock has shown or skipped up to this moment. If the
    /// clock is set back, the result stays the same until the clock shows a later time.
    pub(crate) fn reached(&self, at: Timestamp) -> DateTime {
        let shown = at.to_zoned(self.0.clone());
        let time = shown.datetime();
        let is_second = match self.0.to_ambiguous_zoned(time).offset() {
            AmbiguousOffset::Fold { after, .. } => shown.offset() == after,
            AmbiguousOffset::Gap { .. } | AmbiguousOffset::Unambiguous { .. } => false,
        };
        let before = is_second
            .then(|| self.shown_before_going_back(at))
            .flatten();
        before.unwrap_or(time)
    }

    /// Returns the last local time that the clock showed before it was set back.
    fn shown_before_going_back(&self, at: Timestamp) -> Option<DateTime> {
        let back = self.0.preceding(at.checked_add(SECOND).ok()?).next()?;
        let last = back.timestamp().checked_sub(SECOND).ok()?;
        Some(last.to_zoned(self.0.clone()).datetime())
    }

    /// Returns the moment at which the clock first shows or skips a local time.
    pub(crate) fn instant(&self, time: DateTime) -> Option<Timestamp> {
        match self.0.to_ambiguous_zoned(time).offset() {
            AmbiguousOffset::Unambiguous { offset } => offset.to_timestamp(time).ok(),
            AmbiguousOffset::Fold { before, .. } => before.to_timestamp(time).ok(),
            AmbiguousOffset::Gap { before, .. } => {
                let within = before.to_timestamp(time).ok()?.checked_add(SECOND).ok()?;
                Some(self.0.preceding(within).next()?.timestamp())
            }
        }
    }

    /// Returns true if the clock skips a local time.
    pub(crate) fn skips(&self, time: DateTime) -> bool {
        self.0.to_ambiguous_zoned(time).offset().is_gap()
    }

    /// Returns true if the clock shows a local time twice.
    pub(crate) fn repeats(&self, time: DateTime) -> bool {
        self.0.to_ambiguous_zoned(time).offset().is_fold()
    }
}

const SECOND: SignedDuration = SignedDuration::from_secs(1);

trait Ambiguity {
    fn is_gap(&self) -> bool;
    fn is_fold(&self) -> bool;
}

impl Ambiguity for AmbiguousOffset {
    fn is_gap(&self) -> bool {
        matches!(self, Self::Gap { .. })
    }

    fn is_fold(&self) -> bool {
        matches!(self, Self::Fold { .. })
    }
}

// === impl UnknownZone ===

impl UnknownZone {
    fn of(name: &str) -> Self {
        let known: Vec<_> = RULES.available().map(|name| name.to_string()).collect();
        // Users often write only the name of a city, so `Berlin` suggests `Europe/Berlin`.
        let city = known
            .iter()
            .find(|known| known.rsplit('/').next() == Some(name));
        let nearest = city.or_else(|| nearest(name, known.iter())).cloned();
        Self { nearest }
    }
}

fn hint(nearest: Option<&str>) -> String {
    match nearest {
        Some(nearest) => format!("; did you mean {nearest:?}?"),
        None => "; write a name from the IANA database, such as \"Europe/Berlin\"".to_owned(),
    }
}
