//! Pages of long lists. A page has a limited number of rows and of bytes, so it stays small for any
//! number of objects and for long names.

use crate::markup::{Element, Href, Markup};
use crate::place::{ConsolePage, FirstRow};

/// The limits of the rows of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Room {
    /// The maximum number of rows.
    pub(crate) rows: usize,
    /// The maximum number of bytes of all rows. A page has at least one row, even if the row is
    /// longer.
    pub(crate) bytes: usize,
}

/// The rows of one page, rendered.
pub(crate) struct PageRows {
    pub(crate) rows: Vec<Markup>,
    pub(crate) span: Span,
}

/// The place of a page in its list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    /// The number of rows before the page.
    before: usize,
    /// The number of rows of the page.
    count: usize,
    /// The number of rows of the list.
    all: usize,
    /// The number of rows before the previous page. None on the first page.
    previous: Option<usize>,
}

// === impl Room ===

impl Room {
    /// The limits of a list that is the main content of its page.
    pub(crate) const LIST: Self = Self {
        rows: 100,
        bytes: 36_000,
    };

    /// Returns the first rows that fit.
    pub(crate) fn fitting(self, rows: impl Iterator<Item = Markup>) -> Vec<Markup> {
        let mut bytes = 0;
        let fitting = rows.take(self.rows).enumerate().take_while(|(at, row)| {
            bytes += row.len();
            *at == 0 || bytes <= self.bytes
        });
        fitting.map(|(_, row)| row).collect()
    }
}

// === impl PageRows ===

impl PageRows {
    /// Renders the rows from `first` on that fit. If the list ends before `first`, renders the last
    /// page. The cost depends on the page, and not on the length of the list.
    pub(crate) fn of<T>(
        all: &[T],
        first: FirstRow,
        room: Room,
        render: impl Fn(&T) -> Markup,
    ) -> Self {
        let start_of_page_until = |end: usize| {
            let earlier = all.iter().take(end).rev().map(&render);
            end - room.fitting(earlier).len()
        };
        let before = match first.before() {
            before if before < all.len() => before,
            _ => start_of_page_until(all.len()),
        };
        let rows = room.fitting(all.iter().skip(before).map(&render));
        let span = Span {
            before,
            count: rows.len(),
            all: all.len(),
            previous: (before > 0).then(|| start_of_page_until(before)),
        };
        Self { rows, span }
    }
}

// === impl Span ===

impl Span {
    /// Returns the number of rows before the page.
    pub(crate) fn before(self) -> usize {
        self.before
    }

    /// Returns the number of rows after the page.
    pub(crate) fn after(self) -> usize {
        self.all - self.before - self.count
    }

    /// Renders the links to the other pages of the list. Returns None if the list has only one page.
    pub(crate) fn navigation(self, page: impl Fn(FirstRow) -> ConsolePage) -> Option<Element> {
        if self.count == self.all {
            return None;
        }
        let end = self.before + self.count;
        let link = |text: &'static str, first: FirstRow| {
            let href: Href = page(first).href();
            Markup::of(Element::new("a").href(href).with(text))
        };
        let is_second = self.previous == Some(0);
        let items = [
            (self.before > 0 && !is_second).then(|| link("First", FirstRow::TOP)),
            self.previous
                .map(|before| link("Previous", FirstRow::after(before))),
            Some(Markup::of(format!(
                "Rows {} to {end} of {}",
                self.before + 1,
                self.all
            ))),
            (end < self.all).then(|| link("Next", FirstRow::after(end))),
        ];
        let items = items.into_iter().flatten();
        let items = items.map(|it| Element::new("li").with(it));
        let list = Element::new("ul").each(items);
        let nav = Element::new("nav").attr("aria-label", "Pages of the list");
        Some(nav.with(list))
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const ROOM: Room = Room { rows: 3, bytes: 10 };

    /// Returns the rows of a page of a list with rows of these lengths, and its place.
    fn page(lengths: &[usize], before: usize) -> (usize, Span) {
        let page = PageRows::of(lengths, FirstRow::after(before), ROOM, |length| {
            Markup::of("a".repeat(*length))
        });
        (page.rows.len(), page.span)
    }

    #[rstest]
    #[case::number_of_rows(&[1; 5], 0, 0..3, None)]
    #[case::number_of_bytes(&[4; 5], 0, 0..2, None)]
    #[case::one_long_row(&[40; 5], 1, 1..2, Some(0))]
    #[case::rest(&[1; 5], 3, 3..5, Some(0))]
    #[case::previous_page_is_as_full_as_possible(&[9, 4, 4, 4, 4], 3, 3..5, Some(1))]
    #[case::list_has_become_shorter(&[1; 5], 100, 2..5, Some(0))]
    #[case::empty_list(&[], 7, 0..0, None)]
    fn page_has_the_rows_that_fit(
        #[case] lengths: &[usize],
        #[case] before: usize,
        #[case] shown: std::ops::Range<usize>,
        #[case] previous: Option<usize>,
    ) {
        let (count, span) = page(lengths, before);
        assert_eq!((span.before, span.before + count), (shown.start, shown.end));
        assert_eq!(span.previous, previous);
        assert_eq!(span.after(), lengths.len() - shown.end);
    }

    /// The links lead through all rows, forward and backward.
    #[test]
    fn pages_contain_each_row_once() {
        let lengths: Vec<_> = (0..50).map(|at| at % 11).collect();
        let mut before = 0;
        while before < lengths.len() {
            let (count, span) = page(&lengths, before);
            assert_eq!(span.before, before);
            before += count;
        }
        let mut before = page(&lengths, before).1.before;
        while let Some(previous) = page(&lengths, before).1.previous {
            let (count, _) = page(&lengths, previous);
            assert!(previous < before && previous + count >= before, "{before}");
            before = previous;
        }
        assert_eq!(before, 0);
    }

    #[test]
    fn only_a_list_with_several_pages_has_links() {
        let place = ConsolePage::Diagnose;
        assert!(page(&[1; 3], 0).1.navigation(place).is_none());
        let text = |before| {
            let (_, span) = page(&[1; 9], before);
            let navigation = span.navigation(place).expect("several pages");
            navigation.into_text()
        };
        let first = text(0);
        assert!(first.contains("Rows 1 to 3 of 9"), "{first}");
        assert!(
            first.contains("<a href=\"/diagnose?row=4\">Next</a>"),
            "{first}"
        );
        assert!(!first.contains("Previous"), "{first}");
        let second = text(3);
        assert!(
            second.contains("<a href=\"/diagnose\">Previous</a>"),
            "{second}"
        );
        assert!(!second.contains("First"), "{second}");
        let last = text(6);
        assert!(last.contains("<a href=\"/diagnose\">First</a>"), "{last}");
        assert!(!last.contains("Next"), "{last}");
    }
}
