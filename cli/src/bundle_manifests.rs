//! The manifests of bundles, which a resolver renders. Comparisons of CRDs use these manifests.

use portolan_console::manifests;
use portolan_operators::BundleManifests;
use portolan_proto::resolver::v1 as pb;
use serde_json::Value;
use tonic::Code;

use crate::bundle::sentence;
use crate::facts::ResolverConnection;

/// Requests the rendered bundles of one package from a resolver.
pub(crate) struct RenderedBundles<'r> {
    pub(crate) resolver: &'r mut ResolverConnection,
    pub(crate) catalog: String,
    pub(crate) package: String,
    /// The options of the installation. None selects the default options.
    pub(crate) options: Option<pb::InstallOptions>,
    /// The first reason why the resolver or a registry did not respond. After this failure no other
    /// bundle is requested, because the request would wait for the same service again.
    pub(crate) silence: &'r mut Option<String>,
}

// === impl RenderedBundles ===

impl BundleManifests for RenderedBundles<'_> {
    async fn manifests(&mut self, bundle: &str) -> Result<Vec<Value>, String> {
        if let Some(why) = &self.silence {
            return Err(format!("not read, because an earlier read failed: {why}"));
        }
        let request = pb::RenderBundleRequest {
            catalog: self.catalog.clone(),
            package: self.package.clone(),
            bundle: bundle.to_owned(),
            options: self.options.clone(),
            image: String::new(),
        };
        let asked = self
            .resolver
            .call(async |client| client.render_bundle(request).await);
        match asked.await {
            Ok(rendered) => manifests(&rendered, sentence),
            Err(status) => {
                let why = status.message().to_owned();
                if matches!(status.code(), Code::Unavailable | Code::DeadlineExceeded) {
                    *self.silence = Some(why.clone());
                }
                Err(why)
            }
        }
    }
}
