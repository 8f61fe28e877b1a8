//! One package, for people.

use portolan_proto::resolver::v1::GetPackageResponse;
use portolan_proto::resolver::v1::get_package_response::{Bundle, Channel};

use crate::print::words::{self, or_none};
use crate::print::{Detail, Page, Span};

/// How many bundles a person looks at who did not ask for all.
const NEWEST: usize = 10;

pub(super) fn render(answer: &GetPackageResponse, detail: Detail) -> Page {
    let mut page = Page::default();
    page.rows(&facts(answer));
    if !answer.deprecation.is_empty() {
        page.part();
        page.line([deprecated(&answer.deprecation)]);
    }
    describe(&mut page, &answer.description, detail);
    page.part();
    let channels = answer.channels.iter();
    page.table(
        ["CHANNEL", "HEAD", "ENTRIES", "NOTE"],
        channels
            .map(|channel| channel_row(channel, detail))
            .collect(),
    );
    list_bundles(&mut page, &answer.bundles, detail);
    words::list_faults(&mut page, &answer.faults);
    page
}

fn facts(answer: &GetPackageResponse) -> Vec<[Span; 2]> {
    let catalogs: Vec<_> = answer
        .catalogs
        .iter()
        .map(|catalog| &catalog.name)
        .collect();
    let facts = [
        ("Package:", answer.name.clone()),
        ("Catalog:", words::names(&catalogs, Detail::Whole)),
        (
            "Default channel:",
            or_none(&answer.default_channel).to_owned(),
        ),
    ];
    facts
        .map(|(label, fact)| [Span::heading(label), fact.into()])
        .to_vec()
}

fn describe(page: &mut Page, description: &str, detail: Detail) {
    if description.is_empty() {
        return;
    }
    page.part();
    match detail {
        Detail::Whole => page.block(description),
        Detail::Usual => {
            let mut lines = description.lines().filter(|line| !line.trim().is_empty());
            page.say(lines.next().unwrap_or_default());
            if lines.next().is_some() {
                page.say("... (-o wide shows the whole description)");
            }
        }
    }
}

fn channel_row(channel: &Channel, detail: Detail) -> [Span; 4] {
    let heads: Vec<_> = channel.heads.iter().map(|head| &head.name).collect();
    [
        Span::plain(&channel.name),
        words::names(&heads, detail).into(),
        channel.entries.to_string().into(),
        note(&channel.deprecation, detail),
    ]
}

fn list_bundles(page: &mut Page, bundles: &[Bundle], detail: Detail) {
    let shown = match detail {
        Detail::Usual => bundles.len().min(NEWEST),
        Detail::Whole => bundles.len(),
    };
    page.part();
    let rows = bundles[..shown].iter().map(|bundle| {
        [
            Span::plain(&bundle.name),
            or_none(&words::version(&bundle.version, &bundle.release)).into(),
            words::names(&bundle.channels, detail).into(),
            note(&bundle.deprecation, detail),
        ]
    });
    page.table(["BUNDLE", "VERSION", "CHANNELS", "NOTE"], rows.collect());
    if shown < bundles.len() {
        let left_out = words::count(bundles.len() - shown, "older bundle");
        page.say(format!("... {left_out} (-o wide shows all)"));
    }
}

fn note(deprecation: &str, detail: Detail) -> Span {
    match (deprecation, detail) {
        ("", _) => Span::default(),
        (_, Detail::Usual) => Span::warning("deprecated"),
        (why, Detail::Whole) => deprecated(why),
    }
}

fn deprecated(why: &str) -> Span {
    Span::warning(format!("deprecated: {why}"))
}
