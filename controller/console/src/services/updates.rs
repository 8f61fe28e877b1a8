//! Updates that nobody types.

use portolan_api::operator::{Operator, UPDATER, UPDATES};
use portolan_core_console::view::{Seen, State, Unseen, Updated, Updates};
use portolan_world::ObjectId;

use super::Services;

/// The namespace of Portolan, as its manifests have it.
const NAMESPACE: &str = "portolan";

impl Services {
    pub(super) async fn updates(&self) -> Updates {
        let (configuration, operators) = tokio::join!(self.configuration(), self.all::<Operator>());
        Updates {
            configuration,
            operators: operators.map(|all| all.objects.values().map(|it| updated(it)).collect()),
        }
    }

    /// The texts of the ConfigMap.
    async fn configuration(&self) -> Seen<Vec<(String, String)>> {
        let named = ObjectId {
            api_version: "v1".to_owned(),
            kind: "ConfigMap".to_owned(),
            namespace: Some(NAMESPACE.to_owned()),
            name: UPDATER.to_owned(),
        };
        let found = self.world.written(vec![named]).await;
        let data = found.values().find_map(|it| it["data"].as_object());
        let Some(data) = data else {
            return Err(Unseen(format!(
                "No ConfigMap {NAMESPACE}/{UPDATER} is seen. Where there is none, nobody is updated by itself."
            )));
        };
        let texts = data.iter().map(|(key, text)| {
            let place = format!("ConfigMap {NAMESPACE}/{UPDATER}, {key}");
            (place, text.as_str().unwrap_or_default().to_owned())
        });
        Ok(texts.collect())
    }
}

fn updated(it: &Operator) -> Updated {
    let status = it.status.clone().unwrap_or_default();
    let said = status.conditions.iter().find(|it| it.type_ == UPDATES);
    let state = match said.map(|it| (it.status.as_str(), it.reason.as_str())) {
        Some(("True", "Updating")) => State::Working,
        Some(("True", _)) => State::Well,
        Some((_, "DryRun" | "WaitsForTurn")) => State::Waiting,
        Some(_) => State::Stuck,
        None => State::Unknown,
    };
    let wanted = it.spec.as_json()["version"].as_str();
    let message = said.map(|it| it.message.clone());
    Updated {
        name: it.metadata.name.clone().unwrap_or_default(),
        version: status.versions.installed.unwrap_or_default(),
        wanted: wanted.unwrap_or_default().to_owned(),
        state,
        reason: said.map(|it| it.reason.clone()).unwrap_or_default(),
        message: message.unwrap_or_else(|| "The updater says nothing of it.".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use serde_json::{Value, json};

    use super::*;

    fn operator(conditions: &Value) -> Operator {
        let object = json!({
            "apiVersion": "operators.operatorframework.io/v1alpha1",
            "kind": "Operator",
            "metadata": {"name": "ferry"},
            "spec": {"packageName": "ferry", "version": "1.2.0"},
            "status": {"versions": {"installed": "1.1.0"}, "conditions": conditions},
        });
        serde_json::from_value(object).expect("an Operator")
    }

    #[rstest]
    #[case::on_its_way("True", "Updating", State::Working)]
    #[case::there("True", "UpToDate", State::Well)]
    #[case::told_only("False", "DryRun", State::Waiting)]
    #[case::refused("False", "Refused", State::Stuck)]
    fn what_the_updater_says_is_shown(
        #[case] status: &str,
        #[case] reason: &str,
        #[case] state: State,
    ) {
        let said = json!([
            {"type": "Ready", "status": "True", "reason": "Ready", "message": "",
             "lastTransitionTime": "2026-01-01T00:00:00Z"},
            {"type": "AutomaticUpdates", "status": status, "reason": reason, "message": "because",
             "lastTransitionTime": "2026-01-01T00:00:00Z"},
        ]);
        let shown = updated(&operator(&said));
        assert_eq!(
            (shown.state, &*shown.reason, &*shown.message),
            (state, reason, "because")
        );
        assert_eq!((&*shown.version, &*shown.wanted), ("1.1.0", "1.2.0"));
    }

    #[test]
    fn who_is_not_named_is_told_so() {
        let shown = updated(&operator(&json!([])));
        assert_eq!((shown.state, &*shown.reason), (State::Unknown, ""));
        assert_eq!(shown.message, "The updater says nothing of it.");
    }
}
