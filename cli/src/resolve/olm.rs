//! `portolan resolve --as-olm`: what OLM v0 itself will do in a namespace, and why it is stuck.

mod dump;
mod table;

use clap::Args;
use portolan_proto::resolver::v1::predict_olm_response::End;
use portolan_proto::resolver::v1::{PredictOlmRequest, PredictOlmResponse};

pub(super) use self::table::render;
use super::installed;
use crate::exit::Said;
use crate::failure::Failure;

/// Which namespace OLM is asked about.
#[derive(Debug, Args)]
#[command(next_help_heading = "As OLM v0 does it")]
pub(super) struct Olm {
    /// Say what OLM v0 itself will do in a namespace, one InstallPlan after the other, and why it
    /// is stuck if so. --installed has what `kubectl get sub,csv,og -o yaml` prints.
    #[arg(long)]
    pub(super) as_olm: bool,

    /// The namespace; may be left out where only one of the dump has Subscriptions.
    #[arg(short, long, value_name = "NAMESPACE", requires = "as_olm")]
    namespace: Option<String>,

    /// The namespace whose catalogs all namespaces see, and that of catalogs without one.
    #[arg(
        long,
        value_name = "NAMESPACE",
        default_value = "olm",
        requires = "as_olm"
    )]
    global_namespace: String,
}

// === impl Olm ===

impl Olm {
    /// What the resolver is asked, told by a dump.
    pub(super) fn question(
        &self,
        wishes: &[String],
        installed: Option<&str>,
    ) -> Result<PredictOlmRequest, Failure> {
        if let Some(wish) = wishes.first() {
            return Err(Failure::taught(format!(
                "--as-olm takes no wish such as {wish:?}: what OLM does follows from the \
                 Subscriptions in the dump (--installed)"
            )));
        }
        let Some(file) = installed else {
            return Err(Failure::taught(
                "--as-olm needs to know the namespace: --installed takes a file, or - for standard \
                 input, with what `kubectl get sub,csv,og -o yaml` prints"
                    .to_owned(),
            ));
        };
        let (file, bytes) = installed::read_bytes(file)?;
        let question = dump::read(file, &bytes, self.namespace.as_deref());
        Ok(PredictOlmRequest {
            global_namespace: self.global_namespace.clone(),
            ..question.map_err(Failure::refused)?
        })
    }
}

/// Whether OLM comes to an end by itself.
pub(super) fn said(answer: &PredictOlmResponse) -> Said {
    match &answer.end {
        Some(End::Settled(_)) => Said::Answer,
        Some(
            End::Failed(_)
            | End::Silent(_)
            | End::AwaitsApproval(_)
            | End::AwaitsPlans(_)
            | End::Circles(_)
            | End::Endless(_),
        ) => Said::No,
        Some(End::GaveUp(_)) | None => Said::Nothing,
    }
}
