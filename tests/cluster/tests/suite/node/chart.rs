//! Tests the Helm chart with all components. Helm installs and removes it.

use portolan_rig::{Failure, HELM};

use super::deployed::{COMPONENTS, Deployed, NAMESPACE, REPLICAS};
use super::removal::{Census, commands};

#[tokio::test]
#[ignore = "all components as Pods: just soak"]
async fn chart_with_all_components_becomes_ready_and_is_removed() -> Result<(), Failure> {
    let Some(deployed) = Deployed::prepare().await? else {
        return Ok(());
    };
    let before = Census::of(&deployed).await?;
    let built = tokio::task::spawn_blocking(|| HELM.program());
    let helm = built.await.map_err(Failure::read("the end of a build"))??;
    let helm = helm.display();
    let restricted = "kubectl create namespace portolan\n\
        kubectl label namespace portolan pod-security.kubernetes.io/enforce=restricted";
    deployed.types(restricted).await?;
    let (repository, _) = deployed.image.split_once('@').expect("a digest");
    let components = COMPONENTS.iter().filter(|name| **name != "console");
    let enabled: Vec<_> = components
        .map(|name| format!("{name}.enabled=true"))
        .collect();
    let enabled = enabled.join(",");
    let install = format!(
        "{helm} install portolan deploy/chart -n {NAMESPACE} \
         --set tls.source=provided,image.repository={repository},{enabled}"
    );
    deployed.types(&install).await?;
    deployed.certificates().await?;
    let replicas = REPLICAS.into_iter();
    let replicas: Vec<_> = replicas.filter(|(name, _)| *name != "console").collect();
    deployed.until_ready(&replicas).await?;

    // Helm removes the same objects as kubectl does in the other tests.
    let uninstall = format!("{helm} uninstall portolan -n {NAMESPACE}");
    let by_kubectl = "kubectl delete --ignore-not-found -k deploy/overlays/mine";
    for command in commands()? {
        deployed
            .types(&command.replace(by_kubectl, &uninstall))
            .await?;
    }
    before.until_left(&deployed, &["namespace/portolan"]).await
}
