//! Where a path shall end, in the words of a command line.

use std::convert::Infallible;
use std::str::FromStr;

use portolan_core_names::Version;
use portolan_proto::resolver::v1::destination::{Kind, To as Wire};
use portolan_proto::resolver::v1::{Destination, FindPathRequest, GetBundleRequest};
use tonic::Status;

use crate::facts::ResolverConnection;
use crate::failure::Failure;

/// A destination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct To(Wire);

// === impl To ===

impl FromStr for To {
    type Err = Infallible;

    /// What is neither a word nor a version is meant as a range; the service parses that.
    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self(match text {
            "head" => Wire::Kind(Kind::Head.into()),
            "patch" => Wire::Kind(Kind::NewestPatch.into()),
            "minor" => Wire::Kind(Kind::NewestMinor.into()),
            text if Version::parse(text).is_ok() => Wire::Version(text.to_owned()),
            text => Wire::Range(text.to_owned()),
        }))
    }
}

impl To {
    pub(super) fn destination(&self) -> Destination {
        Destination {
            to: Some(self.0.clone()),
        }
    }
}

/// Where a destination was refused that is the name of a bundle, says what to write instead. One
/// version can have several bundles, so that only the person can say whether it will do.
pub(super) async fn teach(
    resolver: &mut ResolverConnection,
    request: &FindPathRequest,
    refused: &Status,
) -> Option<Failure> {
    let to = request.destination.as_ref()?.to.as_ref()?;
    let Wire::Range(name) = to else {
        return None;
    };
    let asked = GetBundleRequest {
        catalog: request.catalog.clone(),
        package: request.package.clone(),
        bundle: name.clone(),
        objects: false,
    };
    if refused.code() != tonic::Code::InvalidArgument {
        return None;
    }
    let known = resolver.call(async |client| client.get_bundle(asked).await);
    let version = known.await.ok()?.version;
    Some(Failure::taught(format!(
        "--to: {name} is a bundle; its version says where to go: --to {version}"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_versions_come_before_ranges() {
        let to = |text: &str| text.parse::<To>().map(|to| to.0);
        let range = |text: &str| Ok(Wire::Range(text.to_owned()));
        assert_eq!(to("head"), Ok(Wire::Kind(Kind::Head.into())));
        assert_eq!(to("patch"), Ok(Wire::Kind(Kind::NewestPatch.into())));
        assert_eq!(to("minor"), Ok(Wire::Kind(Kind::NewestMinor.into())));
        assert_eq!(to("1.2.0-rc.1"), Ok(Wire::Version("1.2.0-rc.1".to_owned())));
        assert_eq!(to("1.2"), range("1.2"));
        assert_eq!(to(">=1.2.0 <2.0.0"), range(">=1.2.0 <2.0.0"));
        assert_eq!(to("Head"), range("Head"));
    }
}
