//! Creates the objects of operators.

use super::fleet::Operator;
use super::workload;
use crate::failure::Failure;
use crate::writer::{Writer, at_a_time, patch_status};

impl Writer {
    /// Creates all objects of these operators.
    pub(crate) async fn install_all(
        &self,
        operators: impl Iterator<Item = Operator>,
        total: usize,
    ) -> Result<(), Failure> {
        let writes = operators.map(|operator| self.install(operator));
        at_a_time("operators", total, writes).await
    }

    /// Makes the Deployment of an operator available or unavailable.
    pub(crate) async fn turn(&self, operator: Operator, is_well: bool) -> Result<(), Failure> {
        let status = if is_well {
            workload::available()
        } else {
            workload::unavailable()
        };
        let kind = portolan_rig::Kind::Deployment;
        let deployments = kind.within(&self.client, &operator.namespace());
        patch_status(&deployments, &operator.deployment(), status).await
    }

    async fn install(&self, operator: Operator) -> Result<(), Failure> {
        self.create(operator.definition_manifest()).await?;
        let plan = self.create(operator.plan_manifest()).await?;
        self.create(operator.subscription_manifest(&plan)).await?;
        self.create(operator.csv_manifest()).await?;
        self.create(operator.operator_condition_manifest()).await?;
        let deployment = self.create(operator.deployment_manifest()).await?;
        let replica_set = self
            .create(operator.replica_set_manifest(&deployment))
            .await?;
        self.create(operator.pod_manifest(&replica_set)).await?;
        self.until_established(&operator.definition()).await
    }
}
