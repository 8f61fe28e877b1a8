//! Reads the configuration and all Operators from the cluster.

use jiff::Timestamp;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::ListParams;
use kube::{Api, Client};
use portolan_api::operator::{Operator, UPDATER};
use portolan_core_generate::updater::{Configuration, SeenOperator, parse};
use portolan_core_names::text::{cite, listed};
use serde_json::Value;

/// The maximum number of Operators in one page of a list.
const PAGE: u32 = 500;

/// The objects that one round reads from the cluster.
#[derive(Debug)]
pub(crate) struct ClusterReading {
    /// The ConfigMap. None if it does not exist.
    pub(crate) config_map: Option<ConfigMap>,
    pub(crate) configuration: Result<Option<Configuration>, Vec<String>>,
    pub(crate) operators: Vec<Operator>,
    pub(crate) seen: Vec<SeenOperator>,
    /// The version of Kubernetes. Empty if it is unknown.
    pub(crate) kubernetes: String,
    pub(crate) at: Timestamp,
}

impl ClusterReading {
    /// Reads the objects.
    ///
    /// # Errors
    /// Returns an error if access is denied, or the API server does not respond.
    pub(crate) async fn at(client: &Client, namespace: &str) -> Result<Self, kube::Error> {
        let config_maps = Api::<ConfigMap>::namespaced(client.clone(), namespace);
        let config_map = config_maps.get_opt(UPDATER).await?;
        let operators = operators(client).await?;
        let version = client.apiserver_version().await;
        Ok(Self {
            configuration: config_map.as_ref().map(configuration).transpose(),
            config_map,
            seen: operators.iter().map(SeenOperator::of).collect(),
            operators,
            kubernetes: version.map(|it| it.git_version).unwrap_or_default(),
            at: Timestamp::now(),
        })
    }
}

async fn operators(client: &Client) -> Result<Vec<Operator>, kube::Error> {
    let api = Api::<Operator>::all(client.clone());
    let (mut all, mut page) = (Vec::new(), ListParams::default().limit(PAGE));
    loop {
        let listed = api.list(&page).await?;
        all.extend(listed.items);
        match listed.metadata.continue_.filter(|next| !next.is_empty()) {
            Some(next) => page = page.continue_token(&next),
            None => return Ok(all),
        }
    }
}

fn configuration(config_map: &ConfigMap) -> Result<Configuration, Vec<String>> {
    let (key, text) = only_text(config_map).map_err(|why| vec![why])?;
    let placed = |why: String| format!("ConfigMap {UPDATER}: data[{key:?}]: {why}");
    let value: Value = serde_saphyr::from_str(text).map_err(|error| {
        // The first line of the error has the reason and the location. The other lines are not
        // needed.
        let text = error.without_snippet().to_string();
        vec![placed(cite(text.lines().next().unwrap_or_default()))]
    })?;
    parse(&value).map_err(|refused| refused.into_iter().map(placed).collect())
}

/// Returns the only entry of the ConfigMap: its key and its text. Fails if there is not exactly one
/// entry.
fn only_text(config_map: &ConfigMap) -> Result<(&str, &str), String> {
    let data = config_map.data.iter().flatten();
    let mut texts = data.clone();
    match (texts.next(), texts.next()) {
        (Some((key, text)), None) => Ok((key, text)),
        (Some(_), Some(_)) => Err(format!(
            "ConfigMap {UPDATER} has {}; keep only one",
            listed(data.map(|(key, _)| key))
        )),
        (None, _) => Err(format!(
            "ConfigMap {UPDATER} has no data; add the configuration, or delete the ConfigMap to \
             turn off updates"
        )),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn faults_of(data: &[(&str, &str)]) -> String {
        let data = data
            .iter()
            .map(|(key, text)| ((*key).to_owned(), (*text).to_owned()));
        let config_map = ConfigMap {
            data: Some(data.collect()),
            ..ConfigMap::default()
        };
        match configuration(&config_map) {
            Ok(configuration) => format!("{} entries", configuration.entries.len()),
            Err(refused) => refused.join(" / "),
        }
    }

    #[rstest]
    #[case::good(&[("a.yaml", "operators: {install: [{name: quay}]}")], "1 entries")]
    #[case::empty(&[], "ConfigMap portolan-updater has no data; ")]
    #[case::two(&[("a", ""), ("b", "")], "ConfigMap portolan-updater has a and b; keep only one")]
    #[case::no_yaml(&[("a", "{")], "ConfigMap portolan-updater: data[\"a\"]: ")]
    #[case::no_configuration(&[("a", "mode: All")], "data[\"a\"]: mode is \"All\"; write ")]
    fn configuration_is_read_from_a_config_map(
        #[case] data: &[(&str, &str)],
        #[case] expected: &str,
    ) {
        let faults = faults_of(data);
        assert!(faults.contains(expected), "{faults}");
    }
}
