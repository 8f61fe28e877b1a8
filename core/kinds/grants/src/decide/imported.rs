//! Reads images with the digests that earlier plans recorded, and reports images that cannot be
//! read.

use portolan_api::installs::{Content, Intent};
use portolan_core_install::digest;
use portolan_core_names::text::listed_up_to;

use super::report::Report;
use super::{Ask, Halt, MOST, Observation};
use crate::content::{DEFAULT, ImageRef, NotImported};
use crate::plan::PlanSeen;

/// Returns the digest of the content in the spec.
pub(super) fn written(observed: &Observation) -> String {
    digest(&observed.install.spec.as_json()["content"])
}

/// Returns the plan that was created for exactly this content, if the content has images. The plan
/// contains their digests, so no registry is needed. Returns None otherwise.
pub(super) fn recorded<'o>(observed: &'o Observation, intent: &Intent) -> Option<&'o PlanSeen> {
    let is_image = |it: &Content| matches!(it, Content::ManifestImage(_));
    if !intent.content.iter().any(is_image) {
        return None;
    }
    let written = written(observed);
    let mut plans = observed.plans.iter();
    plans.find(|it| it.record.digest == written && !it.is_terminating)
}

/// Returns the reference with which an image is read. If the newest plan has recorded a digest for
/// the image, the reference contains this digest.
pub(super) fn meant(observed: &Observation, intent: &Intent, image: &str) -> ImageRef {
    let newest = observed.plans.iter().max_by_key(|it| it.generation);
    let recorded = newest.and_then(|it| it.record.images.get(image));
    ImageRef {
        image: recorded.map_or(image, String::as_str).to_owned(),
        namespace: intent.mapping.given(DEFAULT).unwrap_or_default().to_owned(),
    }
}

/// Returns the halt if the content gives no manifests: the images to read first, or the report
/// about the faults.
pub(super) fn not_imported(why: NotImported, observed: &Observation) -> Halt {
    match why {
        NotImported::Asks(images) => Halt::Ask(images.into_iter().map(Ask::Image).collect()),
        NotImported::Wrong(reason, sentences, again) => {
            let mut report = Report::wrong(reason, &listed_up_to(MOST, sentences));
            report.until = again;
            report.halt(observed)
        }
    }
}
