//! Shortens long lines of text. Different lines remain different.

use std::collections::BTreeMap;

use super::Drawn;

/// The maximum number of letters in a line of a box.
const LETTERS: usize = 44;

/// The number of letters that a line keeps from its beginning if it is shortened around its first
/// difference from other lines.
const BEGINNING: usize = 10;

/// Sets the shortened text of all boxes.
pub(super) fn shorten(boxes: &mut [Drawn<'_>]) {
    let all = boxes.iter().flat_map(|it| &it.whole).cloned();
    let short = shortened(all);
    for it in boxes {
        let lines = it.whole.iter();
        let lines = lines.map(|line| short.get(line).unwrap_or(line).clone());
        it.lines = lines.collect();
    }
}

/// Returns a shortened form for each long line. Usually this is the beginning and the end of the
/// line. If several lines have the same beginning and end, their shortened forms contain the
/// letters around the first difference.
fn shortened(lines: impl Iterator<Item = String>) -> BTreeMap<String, String> {
    let long = lines.filter(|line| line.chars().count() > LETTERS);
    let mut alike: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in long {
        let short = ends(&line);
        let same = alike.entry(short).or_default();
        if !same.contains(&line) {
            same.push(line);
        }
    }
    let each = alike.into_iter().flat_map(|(short, lines)| {
        let common = common_letters(&lines);
        let is_alone = lines.len() == 1;
        lines.into_iter().map(move |line| {
            let short = if is_alone {
                short.clone()
            } else {
                from_difference(&line, common)
            };
            (line, short)
        })
    });
    each.collect()
}

/// Returns the beginning and the end of a line, with an ellipsis in between.
fn ends(line: &str) -> String {
    let letters: Vec<char> = line.chars().collect();
    let half = LETTERS / 2;
    let (start, end) = (&letters[..half], &letters[letters.len() - half..]);
    start.iter().chain(&['…']).chain(end).collect()
}

/// Returns the length of the common prefix of all lines, in characters.
fn common_letters(lines: &[String]) -> usize {
    let Some((first, others)) = lines.split_first() else {
        return 0;
    };
    let common = others.iter().map(|other| {
        let pairs = first.chars().zip(other.chars());
        pairs.take_while(|(one, other)| one == other).count()
    });
    common.min().unwrap_or_default()
}

/// Returns the beginning of a line, an ellipsis, and the letters around the first difference.
fn from_difference(line: &str, common: usize) -> String {
    let letters: Vec<char> = line.chars().collect();
    let kept = LETTERS - BEGINNING;
    // Show some letters before the difference, so that a reader can recognize its position.
    let from = common.saturating_sub(kept / 4).max(BEGINNING);
    let to = letters.len().min(from + kept);
    let cut = (to < letters.len()).then_some('…');
    let start = letters[..BEGINNING].iter().copied();
    let rest = letters[from..to].iter().copied();
    start.chain(['…']).chain(rest).chain(cut).collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    const OPERATOR: &str = "an-operator-with-a-name-that-is-very-long";

    #[rstest]
    #[case::versions("v1.10.0", "v1.11.0")]
    #[case::differences_in_the_middle(
        "v1.2.3-20261130120000-a-build-of-a-nightly-release-for-all-platforms",
        "v1.2.4-20261130120000-a-build-of-a-nightly-release-for-all-platforms"
    )]
    #[case::one_is_the_start_of_the_other("v1.10", "v1.10.1")]
    fn shortened_names_remain_different(#[case] one: &str, #[case] other: &str) {
        let names = [one, other].map(|end| format!("{OPERATOR}.{end}"));
        let short = shortened(names.iter().cloned());
        let short = names.each_ref().map(|name| short[name].clone());
        assert_ne!(short[0], short[1]);
        for it in &short {
            assert!(it.chars().count() <= LETTERS + 2, "{it}");
        }
    }

    #[test]
    fn short_names_are_complete() {
        assert_eq!(
            shortened([String::from("ferry.v1.0.0")].into_iter()),
            BTreeMap::new()
        );
    }
}
