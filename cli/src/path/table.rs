//! The answer for people.

use portolan_proto::resolver::v1::find_path_response::Answer;
use portolan_proto::resolver::v1::{Fault, FindPathResponse, Hop};

use crate::print::words::{self, or_none};
use crate::print::{Detail, Page, Span};

pub(super) fn render(answer: &FindPathResponse, detail: Detail) -> Page {
    let mut page = Page::default();
    match &answer.answer {
        Some(Answer::Reached(path)) => {
            let hops = path.hops.iter();
            page.table(
                ["FROM", "TO", "VERSION", "VIA", "CHANNELS", "NOTE"],
                hops.map(|hop| row(hop, detail)).collect(),
            );
        }
        Some(Answer::AlreadyThere(_)) => {
            let installed = answer.installed.as_ref();
            let name = installed.map_or(words::NONE, |installed| &installed.name);
            page.say(format!(
                "{name} is the destination; there is nothing to do."
            ));
        }
        Some(Answer::Blocked(blockage)) => page.block(&words::with_flags(&blockage.text)),
        None => page.say("The server knows an answer that this program does not; a newer one may."),
    }
    let faults = answer.faults.iter().filter(|fault| !is_told(answer, fault));
    words::list_faults(&mut page, faults);
    page
}

/// Whether the tree of a blockage has the fault already.
fn is_told(answer: &FindPathResponse, fault: &Fault) -> bool {
    match &answer.answer {
        Some(Answer::Blocked(blockage)) => blockage.text.contains(&fault.message),
        Some(Answer::Reached(_) | Answer::AlreadyThere(_)) | None => false,
    }
}

fn row(hop: &Hop, detail: Detail) -> [Span; 6] {
    let via = match hop.via.as_slice() {
        [] => Span::warning("no edge"),
        _ => words::via(hop.via()).into(),
    };
    [
        Span::plain(&hop.from),
        Span::plain(&hop.to),
        or_none(&hop.version).into(),
        via,
        words::names(&hop.channels, detail).into(),
        note(hop),
    ]
}

fn note(hop: &Hop) -> Span {
    let notes = [
        (
            hop.via.is_empty(),
            "unsafe: nobody has said that this works",
        ),
        (hop.downgrade, "downgrade"),
        (!hop.deprecation.is_empty(), "deprecated"),
    ];
    let notes = notes.iter().filter(|(holds, _)| *holds);
    Span::warning(notes.map(|(_, note)| *note).collect::<Vec<_>>().join(", "))
}
