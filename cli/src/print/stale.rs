//! Answers from content that is no longer what its source has, as far as anybody knows.

use portolan_proto::approval::v1::{ReviewNamespaceResponse, ReviewPlanResponse};
use portolan_proto::health::v1::{GetCatalogResponse, GetOperatorResponse};
use portolan_proto::resolver::v1::{
    CatalogRef, CheckCatalogsResponse, FindPathResponse, GetBundleResponse, GetGraphResponse,
    GetPackageResponse, ListCatalogsResponse, ListPackagesResponse, ListUpgradesResponse,
    PredictOlmResponse, ResolveResponse,
};

use super::{Page, Span};

/// An answer that says what it was made from.
pub(crate) trait Sourced {
    /// The catalogs that it was made from.
    fn catalogs(&self) -> &[CatalogRef];
}

/// Says under an answer which of its catalogs are stale.
pub(super) fn warn(page: &mut Page, catalogs: &[CatalogRef]) {
    let stale = catalogs.iter().filter(|catalog| catalog.stale);
    let names: Vec<_> = stale.map(|catalog| catalog.name.as_str()).collect();
    let warning = match names.as_slice() {
        [] => return,
        [name] => format!("catalog {name} is stale: it"),
        names => format!("catalogs {} are stale: they", names.join(", ")),
    };
    page.part();
    page.line([Span::warning(format!(
        "{warning} could not be read again; `portolan catalog list` says why"
    ))]);
}

// === impl Sourced ===

macro_rules! sourced {
    ($($answer:ty),+ $(,)?) => {
        $(impl Sourced for $answer {
            fn catalogs(&self) -> &[CatalogRef] {
                &self.catalogs
            }
        })+
    };
}

sourced!(
    CheckCatalogsResponse,
    FindPathResponse,
    GetBundleResponse,
    GetGraphResponse,
    GetPackageResponse,
    ListPackagesResponse,
    ListUpgradesResponse,
    PredictOlmResponse,
    ResolveResponse,
);

impl Sourced for ListCatalogsResponse {
    /// It is about the catalogs, and says of each by itself how it is.
    fn catalogs(&self) -> &[CatalogRef] {
        &[]
    }
}

/// Health says of each fact by itself how old it is; approval is no answer about catalogs.
macro_rules! unsourced {
    ($($answer:ty),+ $(,)?) => {
        $(impl Sourced for $answer {
            fn catalogs(&self) -> &[CatalogRef] {
                &[]
            }
        })+
    };
}

unsourced!(
    GetCatalogResponse,
    GetOperatorResponse,
    ReviewNamespaceResponse,
    ReviewPlanResponse,
);

#[cfg(test)]
mod tests {
    use super::*;

    fn warned(stale: &[(&str, bool)]) -> String {
        let catalogs = stale.iter().map(|(name, stale)| CatalogRef {
            name: (*name).to_owned(),
            stale: *stale,
            ..CatalogRef::default()
        });
        let mut page = Page::default();
        page.say("the answer");
        warn(&mut page, &catalogs.collect::<Vec<_>>());
        anstream::adapter::strip_str(&page.into_text()).to_string()
    }

    #[test]
    fn fresh_catalogs_need_no_word() {
        assert_eq!(warned(&[("f", false), ("g", false)]), "the answer\n");
    }

    #[test]
    fn stale_ones_share_a_line() {
        assert_eq!(
            warned(&[("f", true), ("g", false), ("h", true)]),
            "the answer\n\ncatalogs f, h are stale: they could not be read again; \
             `portolan catalog list` says why\n"
        );
    }
}
