//! Predicts the changes of Operators of `operators.operatorframework.io`, as a controller with the
//! same flags would make them.

use clap::Args;
use portolan_api::operator::CATALOG_NAMESPACES;
use portolan_controller::{OperatorFlags, OperatorRehearsal, OperatorTerms, RehearsedOperator};
use portolan_resolver::bundles::{BundleFlags, Bundles};

use super::{LocalServices, PolicyArgs};
use crate::failure::Failure;
use crate::progress;

/// The default namespace of the InstallPlans of Operators.
const NAMESPACE: &str = "portolan";
/// The default ServiceAccount that installs Operators.
const INSTALLER: &str = "portolan-installer";

/// The settings for rehearsals of Operators.
#[derive(Debug, Args)]
#[command(next_help_heading = "Operators of operators.operatorframework.io")]
pub(crate) struct OperatorArgs {
    /// Namespace of the InstallPlans of Operators.
    #[arg(long, value_name = "NAME", default_value = NAMESPACE)]
    operators_namespace: String,

    /// ServiceAccount that installs Operators, in the namespace of --operators-namespace.
    #[arg(long, value_name = "NAME", default_value = INSTALLER)]
    installer: String,

    /// Namespaces of CatalogSources from which Operators are installed, in addition to
    /// ClusterCatalogs.
    #[arg(
        long,
        value_name = "NAME",
        value_delimiter = ',',
        default_value = CATALOG_NAMESPACES
    )]
    catalog_namespaces: Vec<String>,

    #[command(flatten)]
    bundles: BundleFlags,
}

// === impl OperatorArgs ===

impl OperatorArgs {
    /// Returns a dry run of the controller for all Operators. The dry run queries these services.
    pub(crate) fn rehearse(
        &self,
        facts: &PolicyArgs,
        services: &LocalServices,
    ) -> Result<OperatorRehearsal, Failure> {
        let bundles = self.bundles(facts)?;
        let terms = OperatorTerms {
            namespace: self.operators_namespace.clone(),
            installer: self.installer.clone(),
            catalog_namespaces: self.catalog_namespaces.iter().cloned().collect(),
        };
        Ok(services.rehearse_operators(bundles, terms))
    }

    /// Returns the flags of the controller for Operators.
    pub(crate) fn flags(&self) -> OperatorFlags {
        OperatorFlags {
            operators: true,
            operators_namespace: self.operators_namespace.clone(),
            installer: self.installer.clone(),
            catalog_namespaces: self.catalog_namespaces.clone(),
        }
    }

    /// Returns the sources of bundles that these flags select.
    pub(crate) fn bundles(&self, facts: &PolicyArgs) -> Result<Bundles, Failure> {
        facts.bundles(&self.bundles, facts.asker())
    }
}

/// Waits until all objects are read. Then returns the predicted changes of each Operator.
pub(crate) async fn decide_operators(
    rehearsal: &mut OperatorRehearsal,
) -> Result<Vec<RehearsedOperator>, Failure> {
    let settled = progress::show_while("evaluating Operators", rehearsal.settled()).await;
    settled.map_err(|ended| Failure::failed_to("cannot watch the objects of Operators", &ended))
}

/// Returns the settings of a controller without flags.
pub(crate) fn default_operator_terms() -> OperatorTerms {
    OperatorTerms {
        namespace: NAMESPACE.to_owned(),
        installer: INSTALLER.to_owned(),
        catalog_namespaces: CATALOG_NAMESPACES.split(',').map(str::to_owned).collect(),
    }
}
