//! Whether what is told of the way of an Operator can be so: who tells it is another process, and what does not
//! fit is not acted on.

use portolan_api::operator::{Intent, Reason, Wanted};
use portolan_core_names::Version;

use super::{Case, Halt};
use crate::answer::{Move, RenderedBundle};

/// Whether the moves of an Operator may follow from what it wishes: none leads to what is newer than all that
/// is wanted, and where all of the way is known, it does not lead down, unless that was lifted. In between it
/// may: there are such edges.
pub(super) fn moves(case: Case<'_>, moves: &[(usize, Move)], is_whole: bool) -> Result<(), Halt> {
    let Case { member, intent, .. } = case;
    let parsed = |text: &str| Version::parse(text).ok();
    let installed = member.current();
    let installed = installed.and_then(|hop| parsed(&hop.facts.installs.version));
    let mut last = None;
    for (_, next) in moves {
        let Some(version) = parsed(&next.version) else {
            return Err(nonsense(&format!("{} has no version", next.bundle)));
        };
        if is_beyond(intent, &version) {
            let sentence = format!(
                "a way leads to {}, which is beyond what is wanted",
                next.bundle
            );
            return Err(nonsense(&sentence));
        }
        last = Some((version, next));
    }
    match (last, installed) {
        (Some((version, next)), Some(installed))
            if is_whole && version < installed && !intent.overrides.downgrades =>
        {
            Err(nonsense(&format!("a way leads down to {}", next.bundle)))
        }
        _ => Ok(()),
    }
}

/// Whether a version is newer than all that is wanted.
fn is_beyond(intent: &Intent, version: &Version) -> bool {
    match &intent.version {
        Wanted::Once => false,
        Wanted::Range(range) => {
            let least_above = range.spans().next_back().and_then(|(_, above)| above);
            least_above.is_some_and(|above| version >= above)
        }
    }
}

/// Whether a bundle is the one that was asked for.
pub(super) fn bundle(asked: &Move, rendered: &RenderedBundle) -> Result<(), Halt> {
    let installs = &rendered.installs;
    let is_it = installs.package == asked.package
        && installs.bundle == asked.bundle
        && installs.version == asked.version;
    if is_it {
        return image(asked, rendered);
    }
    let sentence = format!(
        "for {} of {} in version {} there is {} of {} in version {}",
        asked.bundle,
        asked.package,
        asked.version,
        installs.bundle,
        installs.package,
        installs.version
    );
    Err(nonsense(&sentence))
}

/// Whether its files come from the image that its catalog names, as far as both say by their digest.
fn image(asked: &Move, rendered: &RenderedBundle) -> Result<(), Halt> {
    let digest = |image: &str| Some(image.rsplit_once('@')?.1.to_owned());
    match (digest(&rendered.named), digest(&rendered.image)) {
        (Some(named), Some(read)) if named != read => {
            let sentence = format!(
                "the catalog has {} in {}, and its files come from {}",
                asked.bundle, rendered.named, rendered.image
            );
            Err(nonsense(&sentence))
        }
        _ => Ok(()),
    }
}

fn nonsense(sentence: &str) -> Halt {
    let sentence = format!("what is told of the catalogs cannot be so: {sentence}");
    Halt::no(Reason::CatalogsUnknown, sentence)
}
