//! The answer for people.

use std::collections::BTreeMap;

use portolan_proto::resolver::v1::list_upgrades_response::{Successor, Unreachable};
use portolan_proto::resolver::v1::{ListUpgradesResponse, Reachable};

use crate::print::words::{self, or_none};
use crate::print::{Detail, Page, Span};

/// How many bundles that cannot be reached are explained to people who did not ask for all.
const EXPLAINED: usize = 2;

/// How far people look ahead who did not ask for all.
const AHEAD: usize = 5;

pub(super) fn render(answer: &ListUpgradesResponse, detail: Detail) -> Page {
    let mut page = Page::default();
    list_successors(&mut page, answer, detail);
    list_further(&mut page, &answer.reachable, detail);
    list_unreachable(&mut page, &answer.newer_unreachable, detail);
    words::list_deprecations(&mut page, &answer.deprecations);
    if !answer.reasons.is_empty() {
        page.part();
    }
    for reason in &answer.reasons {
        page.say(format!(
            "{}: {}",
            reason.code,
            words::with_flags(&reason.message)
        ));
    }
    words::list_faults(&mut page, &answer.faults);
    page
}

fn list_successors(page: &mut Page, answer: &ListUpgradesResponse, detail: Detail) {
    if answer.successors.is_empty() {
        let installed = answer.installed.as_ref();
        let name = installed.map_or(words::NONE, |installed| &installed.name);
        page.say(format!("No update from {name}."));
        return;
    }
    let row = |successor| row(successor, &answer.recommended, detail);
    page.table(
        ["UPDATE", "VERSION", "VIA", "CHANNELS", "NOTE"],
        answer.successors.iter().map(row).collect(),
    );
}

fn row(successor: &Successor, recommended: &str, detail: Detail) -> [Span; 5] {
    let is_recommended = successor.name == recommended;
    let name = match is_recommended {
        true => Span::good(&successor.name),
        false => Span::plain(&successor.name),
    };
    [
        name,
        or_none(&successor.version).into(),
        words::via(successor.via()).into(),
        words::names(&successor.channels, detail).into(),
        note(successor, is_recommended),
    ]
}

fn note(successor: &Successor, is_recommended: bool) -> Span {
    let warnings = [
        (successor.version.is_empty(), "not in the catalog"),
        (successor.downgrade, "downgrade"),
        (!successor.deprecation.is_empty(), "deprecated"),
    ];
    let warnings: Vec<_> = warnings
        .iter()
        .filter(|(holds, _)| *holds)
        .map(|(_, note)| *note)
        .collect();
    match (is_recommended, warnings.is_empty()) {
        (true, true) => Span::good("recommended"),
        (true, false) => Span::warning(format!("recommended, {}", warnings.join(", "))),
        (false, _) => Span::warning(warnings.join(", ")),
    }
}

/// What comes after the next update, a line for each number of hops.
fn list_further(page: &mut Page, reachable: &[Reachable], detail: Detail) {
    let mut by_hops: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    for bundle in reachable.iter().filter(|bundle| bundle.hops > 1) {
        by_hops.entry(bundle.hops).or_default().push(&bundle.name);
    }
    if by_hops.is_empty() {
        return;
    }
    let shown = match detail {
        Detail::Usual => AHEAD,
        Detail::Whole => by_hops.len(),
    };
    page.section("Further on:");
    for (hops, bundles) in by_hops.iter().take(shown) {
        page.below([format!("in {hops} hops: {}", words::names(bundles, detail)).into()]);
    }
    let left_out: usize = by_hops.values().skip(shown).map(Vec::len).sum();
    if left_out > 0 {
        let left_out = words::count(left_out, "bundle");
        page.below([format!("... {left_out} further still (-o wide shows all)").into()]);
    }
}

/// What is newer and out of reach: the newest ones with all reasons.
fn list_unreachable(page: &mut Page, unreachable: &[Unreachable], detail: Detail) {
    if unreachable.is_empty() {
        return;
    }
    let shown = match detail {
        Detail::Usual => EXPLAINED,
        Detail::Whole => unreachable.len(),
    };
    page.section("Newer, but out of reach:");
    for bundle in unreachable.iter().take(shown) {
        let text = bundle.blockage.as_ref().map(|blockage| &blockage.text);
        page.block(&words::with_flags(text.unwrap_or(&bundle.name)));
    }
    if let Some(rest) = unreachable.get(shown..)
        && !rest.is_empty()
    {
        let names: Vec<_> = rest.iter().map(|bundle| &bundle.name).collect();
        let names = words::names(&names, detail);
        page.say(format!("... so are {names} (-o wide shows why)"));
    }
}
