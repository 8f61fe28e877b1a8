//! The page about the readiness of the operators for a cluster upgrade.

use crate::frame::Frame;
use crate::markup::{Element, Markup};
use crate::paging::{PageRows, Room};
use crate::part::{
    MOST_ROWS, command, heads, link, long, note, or_none, part_or_reason, row, section,
    table_of_rows,
};
use crate::place::{ConsolePage, FirstRow};
use crate::view::{Seen, UpgradeReadiness, UpgradeStep, UpgradeTime};

const COLUMNS: [&str; 5] = ["Operator", "Namespace", "Change", "Responsible", "Command"];

/// Renders the steps of all operators, grouped by their time in the cluster upgrade.
pub fn readiness(frame: &Frame, first: FirstRow, page: &Seen<UpgradeReadiness>) -> String {
    let title = match page {
        Ok(page) => format!("Upgrade to {}", long(&page.to)),
        Err(_) => "Upgrade of the cluster".to_owned(),
    };
    frame.page(
        &ConsolePage::Readiness(FirstRow::TOP),
        &title,
        part_or_reason(page, |page| content(page, first)),
    )
}

fn content(page: &UpgradeReadiness, first: FirstRow) -> Markup {
    let UpgradeReadiness {
        from,
        to: _,
        operators,
        steps,
        unread,
        not_checked,
    } = page;
    let about = format!(
        "The cluster runs {}. {operators} operators are compared with the catalogs of the target.",
        long(from)
    );
    let times = UpgradeTime::ALL.into_iter();
    let in_order = times.flat_map(|time| steps.iter().filter(move |step| step.time == time));
    let in_order: Vec<_> = in_order.collect();
    let PageRows { rows, span } = PageRows::of(&in_order, first, Room::LIST, |step| of_step(step));
    let shown = in_order.iter().skip(span.before()).zip(rows);
    let shown: Vec<_> = shown.collect();
    let mut parts = vec![note(&about)];
    for time in UpgradeTime::ALL {
        let rows = shown.iter().filter(|(step, _)| step.time == time);
        let rows: Vec<_> = rows.map(|(_, row)| row.clone()).collect();
        let unread: &[String] = match time {
            UpgradeTime::NotChecked if span.after() == 0 => unread,
            UpgradeTime::NotChecked
            | UpgradeTime::Before
            | UpgradeTime::Blocks
            | UpgradeTime::Between
            | UpgradeTime::After
            | UpgradeTime::Note => &[],
        };
        if rows.is_empty() && unread.is_empty() {
            continue;
        }
        let items = unread.iter().take(MOST_ROWS);
        let items = items.map(|it| Element::new("li").with(long(it)));
        let list = (!unread.is_empty()).then(|| Element::new("ul").each(items));
        let heading = time.heading();
        let rows = (!rows.is_empty()).then(|| table_of_rows(heading, heads(&COLUMNS), rows));
        parts.push(section(heading, [Markup::of(rows), Markup::of(list)]));
    }
    if parts.len() == 1 {
        parts.push(note("All operators are ready."));
    }
    parts.extend(span.navigation(ConsolePage::Readiness));
    if !not_checked.is_empty() {
        let facts = long(&not_checked.join("; "));
        parts.push(note(&format!("This page does not check {facts}.")));
    }
    Markup::of(parts)
}

fn of_step(step: &UpgradeStep) -> Markup {
    let cells = vec![
        name(step),
        Markup::of(or_none(&step.namespace)),
        Markup::of(long(&step.message)),
        Markup::of(long(or_none(&step.who))),
        Markup::of((!step.command.is_empty()).then(|| command(&step.command))),
    ];
    row(&COLUMNS, cells)
}

/// Returns the name of the operator. The name is a link if the operator has a page.
fn name(step: &UpgradeStep) -> Markup {
    match step.origin {
        Some(origin) => {
            let place = ConsolePage::Operator {
                origin,
                namespace: step.namespace.clone(),
                name: step.name.clone(),
            };
            Markup::of(link(&place, &step.name))
        }
        None => Markup::of(or_none(&step.name)),
    }
}
