//! Checks if the route of an Operator is plausible. The resolver computes the route in another
//! process, and the controller rejects an implausible route.

use portolan_api::operator::{Intent, Reason, Wanted};
use portolan_core_names::Version;

use super::{Halt, OperatorContext};
use crate::answer::{Move, RenderedBundle};

/// Returns an error if the moves of an Operator contradict its intent. No move may lead to a
/// version above the requested range. A complete route must not end in a lower version unless
/// downgrades are allowed. A single move may lead to a lower version, because some catalogs have
/// upgrade edges to lower versions.
pub(super) fn moves(
    case: OperatorContext<'_>,
    moves: &[(usize, Move)],
    is_whole: bool,
) -> Result<(), Halt> {
    let OperatorContext { member, intent, .. } = case;
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
                "an upgrade path leads to {}, which is not allowed",
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
            Err(nonsense(&format!(
                "an upgrade path leads to {}, which is a lower version",
                next.bundle
            )))
        }
        _ => Ok(()),
    }
}

/// Returns true if a version is above the requested range.
fn is_beyond(intent: &Intent, version: &Version) -> bool {
    match &intent.version {
        Wanted::Once => false,
        Wanted::Range(range) => {
            let least_above = range.spans().next_back().and_then(|(_, above)| above);
            least_above.is_some_and(|above| version >= above)
        }
    }
}

/// Returns an error if a rendered bundle is not the bundle that was requested.
pub(super) fn bundle(asked: &Move, rendered: &RenderedBundle) -> Result<(), Halt> {
    let installs = &rendered.installs;
    let is_it = installs.package == asked.package
        && installs.bundle == asked.bundle
        && installs.version == asked.version;
    if is_it {
        return image(asked, rendered);
    }
    let sentence = format!(
        "expected {} of {} in version {}, found {} of {} in version {}",
        asked.bundle,
        asked.package,
        asked.version,
        installs.bundle,
        installs.package,
        installs.version
    );
    Err(nonsense(&sentence))
}

/// Returns an error if the rendered files come from another image than the image that the catalog
/// names. Images are compared only if both references contain a digest.
fn image(asked: &Move, rendered: &RenderedBundle) -> Result<(), Halt> {
    let digest = |image: &str| Some(image.rsplit_once('@')?.1.to_owned());
    match (digest(&rendered.named), digest(&rendered.image)) {
        (Some(named), Some(read)) if named != read => {
            let sentence = format!(
                "the catalog lists {} with image {}, but the files of this bundle come from {}",
                asked.bundle, rendered.named, rendered.image
            );
            Err(nonsense(&sentence))
        }
        _ => Ok(()),
    }
}

fn nonsense(sentence: &str) -> Halt {
    let sentence = format!("the answer of the resolver is not plausible: {sentence}");
    Halt::no(Reason::ResolverUnavailable, sentence)
}
