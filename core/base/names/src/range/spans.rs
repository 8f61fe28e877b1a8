//! A set of versions as a list of half-open spans.
//!
//! Every version except the highest has a [next](Version::next) version. So each comparator is a
//! span that includes its start and excludes its end, and a whole range is a list of such spans:
//!
//! ```text
//!   >1.2.3   from 1.2.4-0            =1.2.3   from 1.2.3 until 1.2.4-0
//!   <1.2.3   until 1.2.3             !=1.2.3  until 1.2.3, and from 1.2.4-0
//! ```
//!
//! Each bound has only one representation, so equal sets are equal lists. This makes it possible to
//! test if a set is empty, to compare sets, and to write the canonical text, even if bounds are
//! adjacent (`>1.0.0-a <1.0.0-a.0` is empty).

use std::fmt;

use crate::Version;

/// The versions `v` with `from <= v < until`. Without `until`, the span has no end.
///
/// A span is never empty: `from` is below `until`. Bounds have no build metadata.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Span {
    from: Version,
    until: Option<Version>,
}

/// Spans in ascending order, with a gap between any two of them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Spans(Vec<Span>);

impl Spans {
    pub(super) fn none() -> Self {
        Self(Vec::new())
    }

    pub(super) fn all() -> Self {
        Self::at_least(Version::lowest())
    }

    pub(super) fn at_least(from: Version) -> Self {
        Self(vec![Span {
            from: from.without_build(),
            until: None,
        }])
    }

    pub(super) fn above(version: &Version) -> Self {
        version.next().map_or_else(Self::none, Self::at_least)
    }

    pub(super) fn below(until: Version) -> Self {
        Self::between(Version::lowest(), Some(until))
    }

    pub(super) fn at_most(version: &Version) -> Self {
        version.next().map_or_else(Self::all, Self::below)
    }

    pub(super) fn only(version: Version) -> Self {
        let until = version.next();
        Self::between(version, until)
    }

    pub(super) fn except(version: Version) -> Self {
        let above = Self::above(&version);
        Self::below(version).union(above)
    }

    pub(super) fn between(from: Version, until: Option<Version>) -> Self {
        let (from, until) = (from.without_build(), until.map(Version::without_build));
        match &until {
            Some(until) if *until <= from => Self::none(),
            Some(_) | None => Self(vec![Span { from, until }]),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = (&Version, Option<&Version>)> {
        let spans = self.0.iter();
        spans.map(|span| (&span.from, span.until.as_ref()))
    }

    pub(super) fn contain(&self, version: &Version) -> bool {
        self.0.iter().any(|span| {
            span.from <= *version && span.until.as_ref().is_none_or(|until| version < until)
        })
    }

    /// Returns the versions that are in both sets. Both lists are in ascending order, so the
    /// intersections of their spans are also in ascending order.
    pub(super) fn intersection(&self, other: &Self) -> Self {
        let mut spans = Vec::new();
        for a in &self.0 {
            for b in &other.0 {
                let from = a.from.clone().max(b.from.clone());
                let until = match (&a.until, &b.until) {
                    (Some(a), Some(b)) => Some(a.min(b).clone()),
                    (until, None) | (None, until) => until.clone(),
                };
                spans.extend(Self::between(from, until).0);
            }
        }
        Self(spans)
    }

    /// Returns the versions in either set. Spans that overlap or touch are merged.
    pub(super) fn union(self, other: Self) -> Self {
        let mut spans = self.0;
        spans.extend(other.0);
        spans.sort_by(|a, b| a.from.cmp(&b.from));
        spans.dedup_by(|next, last| last.absorb(next));
        Self(spans)
    }
}

impl Span {
    /// Extends this span by `next` if the two overlap or touch. `next` must not start before this
    /// span. Returns false if there is a gap between the two.
    fn absorb(&mut self, next: &mut Self) -> bool {
        match (&mut self.until, next.until.take()) {
            (None, _) => true,
            (Some(until), given) if *until < next.from => {
                next.until = given;
                false
            }
            (Some(until), Some(further)) => {
                if *until < further {
                    *until = further;
                }
                true
            }
            (Some(_), None) => {
                self.until = None;
                true
            }
        }
    }
}

impl fmt::Display for Spans {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lowest = Version::lowest();
        if self.is_empty() {
            // No version is lower than the lowest version, so this text is the range of the empty
            // set.
            return write!(f, "<{lowest}");
        }
        for (index, Span { from, until }) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str(" || ")?;
            }
            match until {
                None => write!(f, ">={from}")?,
                Some(until) if *from == lowest => write!(f, "<{until}")?,
                Some(until) => write!(f, ">={from} <{until}")?,
            }
        }
        Ok(())
    }
}
