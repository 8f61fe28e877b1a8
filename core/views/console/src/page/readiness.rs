//! The page about the readiness of the operators for a cluster upgrade.

use crate::frame::Frame;
use crate::markup::{Element, Markup};
use crate::part::{MOST_ROWS, command, link, long, note, or_none, part_or_reason, section, table};
use crate::place::ConsolePage;
use crate::view::{Seen, UpgradeReadiness, UpgradeStep, UpgradeTime};

/// Renders the steps of all operators, grouped by their time in the cluster upgrade.
pub fn readiness(frame: &Frame, page: &Seen<UpgradeReadiness>) -> String {
    let title = match page {
        Ok(page) => format!("Upgrade to {}", long(&page.to)),
        Err(_) => "Upgrade of the cluster".to_owned(),
    };
    frame.page(
        &ConsolePage::Readiness,
        &title,
        part_or_reason(page, content),
    )
}

fn content(page: &UpgradeReadiness) -> Markup {
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
    let mut parts = vec![note(&about)];
    for time in UpgradeTime::ALL {
        let steps: Vec<_> = steps.iter().filter(|step| step.time == time).collect();
        let unread: &[String] = match time {
            UpgradeTime::NotChecked => unread,
            UpgradeTime::Before
            | UpgradeTime::Blocks
            | UpgradeTime::Between
            | UpgradeTime::After
            | UpgradeTime::Note => &[],
        };
        if steps.is_empty() && unread.is_empty() {
            continue;
        }
        let items = unread.iter().take(MOST_ROWS);
        let items = items.map(|it| Element::new("li").with(long(it)));
        let list = (!unread.is_empty()).then(|| Element::new("ul").each(items));
        let rows = (!steps.is_empty()).then(|| table_of(time, &steps));
        parts.push(section(
            time.heading(),
            [Markup::of(rows), Markup::of(list)],
        ));
    }
    if parts.len() == 1 {
        parts.push(note("All operators are ready."));
    }
    if !not_checked.is_empty() {
        let facts = long(&not_checked.join("; "));
        parts.push(note(&format!("This page does not check {facts}.")));
    }
    Markup::of(parts)
}

fn table_of(time: UpgradeTime, steps: &[&UpgradeStep]) -> Element {
    let rows = steps.iter().map(|step| {
        vec![
            name(step),
            Markup::of(or_none(&step.namespace)),
            Markup::of(long(&step.message)),
            Markup::of(long(or_none(&step.who))),
            Markup::of((!step.command.is_empty()).then(|| command(&step.command))),
        ]
    });
    let columns = ["Operator", "Namespace", "Change", "Responsible", "Command"];
    table(time.heading(), &columns, rows)
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
