//! Pages about changes.

use crate::view::{
    Applied, End, Field, Move, Offered, Origin, PackageManager, Preview, PreviewPage, Rehearsed,
    Rewritten, Step, UnsafeUpdate,
};
use crate::{Change, Frame, Wanted, applied, preview};

pub(in crate::tests) fn a_preview(frame: &Frame, text: &str, is_refused: bool) -> String {
    let wanted = Wanted {
        change: Change::Upgrade,
        operator: text.to_owned(),
        version: text.to_owned(),
        channel: text.to_owned(),
    };
    let answer = Preview {
        steps: vec![Step {
            name: text.to_owned(),
            version: text.to_owned(),
            previous: text.to_owned(),
            between: vec![text.to_owned()],
            command: text.to_owned(),
            owner: text.to_owned(),
            window: text.to_owned(),
            unsafe_updates: vec![UnsafeUpdate {
                bundle: text.to_owned(),
                changes: vec![text.to_owned()],
                remedy: text.to_owned(),
            }],
            not_compared: text.to_owned(),
        }],
        errors: is_refused.then(|| text.to_owned()).into_iter().collect(),
        warnings: vec![text.to_owned()],
        notes: vec![text.to_owned()],
        text: Some(Rewritten {
            place: text.to_owned(),
            before: text.to_owned(),
            after: text.to_owned(),
            command: text.to_owned(),
        }),
        rehearsal: Some(Ok(vec![Rehearsed {
            operator: text.to_owned(),
            state: text.to_owned(),
            conditions: vec![text.to_owned()],
            path: vec![text.to_owned()],
            changes: vec![text.to_owned()],
            unknown: vec![text.to_owned()],
        }])),
    };
    let manager = PackageManager {
        origin: Origin::Olm,
        object: text.to_owned(),
        bundle: text.to_owned(),
        version: text.to_owned(),
        adoption: text.to_owned(),
    };
    let some = || vec![text.to_owned()];
    let page = PreviewPage {
        wanted,
        offered: Offered {
            operators: some(),
            packages: some(),
            channels: some(),
            versions: some(),
        },
        package: text.to_owned(),
        managers: vec![manager],
        told: Some(Ok(answer)),
    };
    preview(frame, &page)
}

pub(in crate::tests) fn some_applied(frame: &Frame, text: &str, end: End) -> String {
    let wanted = Wanted {
        change: Change::Upgrade,
        operator: text.to_owned(),
        version: text.to_owned(),
        channel: text.to_owned(),
    };
    let moves = vec![Move {
        object: text.to_owned(),
        fields: vec![Field {
            path: text.to_owned(),
            before: text.to_owned(),
            after: text.to_owned(),
        }],
        refused: text.to_owned(),
        is_done: true,
    }];
    applied(frame, &Applied { wanted, moves, end })
}
