//! Automatic updates: their configuration in a ConfigMap, and changes to it.

use portolan_api::operator::{Operator, UPDATER, UPDATES};
use portolan_core_console::Wanted;
use portolan_core_console::view::{Preview, Rewritten, Seen, State, Unseen, Updated, Updates};
use portolan_core_names::requirement::Target;
use portolan_core_names::text::{cite, quoted};
use portolan_core_names::{Gvk, ObjectRef, Requirement};
use portolan_world::Trouble;
use serde_json::{Value, json};

use super::Services;

/// The namespace of Portolan in Portolan's manifests.
pub(super) const NAMESPACE: &str = "portolan";
/// The key of the ConfigMap for the configuration text, if there is no text yet.
const KEY: &str = "updater.yaml";

/// A change to a text in the ConfigMap.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Rewriting {
    /// The ConfigMap before the change. Null if the ConfigMap is missing.
    pub(super) read: Value,
    pub(super) key: String,
    pub(super) before: String,
    pub(super) after: String,
}

impl Services {
    pub(super) async fn updates(&self) -> Updates {
        let (configuration, operators) = tokio::join!(self.configuration(), self.all::<Operator>());
        Updates {
            configuration,
            operators: operators.map(|all| all.objects.values().map(|it| updated(it)).collect()),
        }
    }

    /// Returns the texts in the ConfigMap, each with its location.
    async fn configuration(&self) -> Seen<Vec<(String, String)>> {
        let read = self.config_map().await?;
        let Some(data) = read["data"].as_object() else {
            return Err(Unseen(format!(
                "ConfigMap {NAMESPACE}/{UPDATER} has no configuration, so no Operator is updated \
                 automatically."
            )));
        };
        let texts = data.iter().map(|(key, text)| {
            let place = format!("ConfigMap {NAMESPACE}/{UPDATER}, {key}");
            (place, text.as_str().unwrap_or_default().to_owned())
        });
        Ok(texts.collect())
    }

    /// Reads the ConfigMap. Returns null if the ConfigMap is missing.
    async fn config_map(&self) -> Seen<Value> {
        let named = ObjectRef::new(Gvk::new("v1", "ConfigMap"), NAMESPACE, UPDATER);
        found_or_null(self.world.object(named).await)
    }

    /// Returns the change that enables or disables the updates of an operator.
    pub(super) async fn rewriting(&self, wanted: &Wanted) -> Seen<Rewriting> {
        let read = self.config_map().await?;
        let data = read["data"].as_object().cloned().unwrap_or_default();
        let texts = data
            .iter()
            .filter_map(|(key, text)| Some((key.as_str(), text.as_str()?)));
        let texts: Vec<_> = texts.collect();
        let (key, before) = match *texts {
            [] => (KEY, ""),
            [one] => one,
            _ => {
                return Err(Unseen(format!(
                    "ConfigMap {NAMESPACE}/{UPDATER} has several keys; keep only one."
                )));
            }
        };
        let (name, rule) = name_and_rule(wanted);
        let after = ruled(before, &name, &rule).map_err(Unseen)?;
        Ok(Rewriting {
            key: key.to_owned(),
            before: before.to_owned(),
            after,
            read,
        })
    }

    /// Returns the preview of enabling or disabling the updates of an operator.
    pub(super) async fn updates_preview(&self, wanted: &Wanted) -> Seen<Preview> {
        let rewriting = self.rewriting(wanted).await?;
        let operators = self.all::<Operator>().await?;
        let (name, _) = name_and_rule(wanted);
        let is_named = |it: &Operator| {
            let package = it.spec.as_json()["packageName"].as_str();
            it.metadata.name.as_deref() == Some(&*name) || package == Some(&*name) || name == "*"
        };
        let is_there = operators.objects.values().any(|it| is_named(it));
        let missing = || {
            format!(
                "Operator {name} of Portolan does not exist; the updater updates only \
                Operators of Portolan."
            )
        };
        let command = command(&rewriting);
        let Rewriting {
            read: _,
            key,
            before,
            after,
        } = rewriting;
        let is_same = before == after;
        Ok(Preview {
            warnings: (!is_there).then(missing).into_iter().collect(),
            text: (!is_same).then(|| Rewritten {
                place: format!("ConfigMap {NAMESPACE}/{UPDATER}, {key}"),
                before,
                after,
                command,
            }),
            ..Preview::default()
        })
    }
}

/// Returns the name of the operator and the rule for its updates. An old spelling of a rule is
/// replaced by the current spelling.
fn name_and_rule(wanted: &Wanted) -> (String, String) {
    let (operator, version) = (wanted.operator.trim(), wanted.version.trim());
    if version.is_empty()
        && let Ok(requirement) = Requirement::parse(operator)
    {
        let rule = requirement.target.to_string();
        return (requirement.package.to_string(), rule);
    }
    let rule = match Target::keyword(version) {
        Some(keyword) => keyword.to_string(),
        None if version.is_empty() => Target::Latest.to_string(),
        None => version.to_owned(),
    };
    (operator.to_owned(), rule)
}

/// Returns the ConfigMap, or null if the ConfigMap is missing. Returns an error if the ConfigMap
/// could not be read.
fn found_or_null(read: Result<Option<Value>, Trouble>) -> Seen<Value> {
    match read {
        Ok(found) => Ok(found.unwrap_or_default()),
        Err(trouble) => Err(Unseen(format!(
            "ConfigMap {NAMESPACE}/{UPDATER}: {trouble}"
        ))),
    }
}

/// Returns the configuration text with this rule for an operator. The rule is before any entry that
/// matches all operators.
fn ruled(text: &str, name: &str, rule: &str) -> Result<String, String> {
    let read = if text.trim().is_empty() {
        Ok(json!({}))
    } else {
        serde_saphyr::from_str::<Value>(text)
    };
    let mut value = read.map_err(|error| {
        let error = cite(&error.to_string());
        format!("The configuration cannot be parsed: {error}")
    })?;
    if !value.is_object() {
        return Err("The ConfigMap does not contain a configuration of the updater.".to_owned());
    }
    if value["operators"].is_null() {
        value["operators"] = json!({"install": []});
    }
    // If the YAML value is not an object, indexing it with a field name would panic.
    let operators = value["operators"].as_object_mut();
    let install = operators.and_then(|all| all.get_mut("install"));
    let Some(entries) = install.and_then(Value::as_array_mut) else {
        return Err("The configuration has no list operators.install.".to_owned());
    };
    match entries.iter_mut().find(|it| it["name"] == name) {
        Some(entry) => entry["version"] = rule.into(),
        None => {
            let everybody = entries.iter().position(|it| it["name"] == "*");
            let place = everybody.unwrap_or(entries.len());
            entries.insert(place, json!({"name": name, "version": rule}));
        }
    }
    portolan_core_generate::updater::parse(&value).map_err(|why| why.join("; "))?;
    serde_saphyr::to_string(&value).map_err(|error| error.to_string())
}

/// Returns the shell command that makes the same change to the ConfigMap.
fn command(rewriting: &Rewriting) -> String {
    let Rewriting {
        read, key, after, ..
    } = rewriting;
    if read.is_null() {
        let literal = quoted(&format!("{key}={after}"));
        return format!(
            "kubectl create configmap {UPDATER} -n {NAMESPACE} --from-literal={literal}"
        );
    }
    let patch = json!({"data": {key.as_str(): after}}).to_string();
    format!(
        "kubectl patch configmap {UPDATER} -n {NAMESPACE} --type=merge -p {}",
        quoted(&patch)
    )
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
        message: message.unwrap_or_else(|| "Not managed by the updater.".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::name("ferry", "", "latest")]
    #[case::both_rules_in_one_field("ferry@latest-patch", "", "latest-patch")]
    #[case::old_keyword("ferry", "latest-z-stream", "latest-patch")]
    #[case::range("ferry", ">=1.0.0", ">=1.0.0")]
    #[case::no_updates("ferry", "never", "never")]
    fn fields_accept_the_syntax_of_the_command_line(
        #[case] operator: &str,
        #[case] version: &str,
        #[case] rule: &str,
    ) {
        let wanted = Wanted {
            operator: operator.to_owned(),
            version: version.to_owned(),
            ..Wanted::default()
        };
        assert_eq!(
            name_and_rule(&wanted),
            ("ferry".to_owned(), rule.to_owned())
        );
    }

    #[rstest]
    #[case::the_first("", "operators:\n  install:\n  - name: ferry\n    version: latest\n")]
    #[case::another_rule(
        "operators: {install: [{name: ferry, version: never}]}\nmode: Serial\n",
        "mode: Serial\noperators:\n  install:\n  - name: ferry\n    version: latest\n"
    )]
    #[case::before_everybody(
        "operators: {install: [{name: '*'}]}",
        "operators:\n  install:\n  - name: ferry\n    version: latest\n  - name: '*'\n"
    )]
    fn rule_is_written_into_the_configuration(#[case] text: &str, #[case] then: &str) {
        let read = |text: &str| serde_saphyr::from_str::<Value>(text).expect("YAML");
        let ruled = ruled(text, "ferry", "latest").expect("a text");
        assert_eq!(read(&ruled), read(then), "{ruled}");
    }

    #[rstest]
    #[case::no_rule("", "newest please", "newest please")]
    #[case::no_yaml("{", "latest", "cannot be parsed")]
    #[case::no_configuration("[]", "latest", "does not contain a configuration")]
    #[case::no_list("operators: {install: ferry}", "latest", "no list")]
    #[case::plain_text("operators: ferry", "latest", "no list")]
    #[case::list("operators: [ferry]", "latest", "no list")]
    fn invalid_configuration_is_refused(#[case] text: &str, #[case] rule: &str, #[case] why: &str) {
        let refused = ruled(text, "ferry", rule).expect_err("refused");
        assert!(refused.contains(why), "{refused}");
    }

    /// Without this check, the console would suggest creating a ConfigMap that may already exist.
    #[test]
    fn forbidden_config_map_is_unseen_not_missing() {
        assert_eq!(found_or_null(Ok(None)), Ok(Value::Null));
        let forbidden = Trouble::Forbidden("visitor cannot get configmaps".to_owned());
        let Unseen(why) = found_or_null(Err(forbidden)).expect_err("unseen");
        assert_eq!(
            why,
            "ConfigMap portolan/portolan-updater: forbidden: visitor cannot get configmaps"
        );
    }

    #[test]
    fn command_quotes_any_text() {
        let rewriting = Rewriting {
            read: json!({"metadata": {}}),
            key: KEY.to_owned(),
            before: String::new(),
            after: "name: 'ferry'".to_owned(),
        };
        let typed = command(&rewriting);
        assert!(
            typed.ends_with(r#"-p '{"data":{"updater.yaml":"name: '\''ferry'\''"}}'"#),
            "{typed}"
        );
    }

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
    #[case::update_in_progress("True", "Updating", State::Working)]
    #[case::up_to_date("True", "UpToDate", State::Well)]
    #[case::reported_only("False", "DryRun", State::Waiting)]
    #[case::refused("False", "Refused", State::Stuck)]
    fn updater_condition_is_shown(
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
    fn operator_without_an_updater_condition_is_unknown() {
        let shown = updated(&operator(&json!([])));
        assert_eq!((shown.state, &*shown.reason), (State::Unknown, ""));
        assert_eq!(shown.message, "Not managed by the updater.");
    }
}
