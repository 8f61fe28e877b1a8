//! Makes changes. The visitor first sees the result of a server-side dry run, and then confirms the
//! change.
//!
//! The requests have the permissions of the visitor. They use the same client as `portolan create`
//! and `portolan delete`.

mod fields;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use kube::api::{ApiResource, DynamicObject, Patch, PatchParams, PostParams};
use kube::{Api, Client, Resource as _};
use portolan_api::MANAGER;
use portolan_api::operator::{Operator, UPDATER};
use portolan_core_console::view::{Applied, End, Field, Move, Seen, Unseen};
use portolan_core_console::{Change, Order, Wanted};
use portolan_core_names::{PackageName, VersionRange};
use portolan_operators::{NotWritten, OperatorClient, Setting, Settings, written};
use portolan_world::AnyWorld;
use ring::digest;
use serde::Serialize;
use serde_json::{Value, json};

use self::fields::changed;
use super::Services;
use super::updates::{NAMESPACE, Rewriting};

/// The clients that write with the permissions of the visitor. One client makes changes, and one
/// client performs dry runs.
#[derive(Debug)]
pub(super) struct Writer {
    really: OperatorClient,
    dryly: OperatorClient,
    config_maps: Api<DynamicObject>,
}

/// The write of one object.
enum Act {
    Create(Box<Operator>),
    GiveVersion(Box<Operator>, String),
    Delete(Box<Operator>),
    Configure(Box<Rewriting>),
}

/// The fields that one write changes, or the reason why the write failed.
type WrittenFields = Result<Vec<Field>, NotWritten>;

// === impl Services ===

impl Services {
    /// Permits changes if `is_allowed` is true and the console reads a cluster. Changes to a folder
    /// of files are never permitted.
    #[must_use]
    pub fn allowing_apply(self, is_allowed: bool) -> Self {
        let writer = match &self.world {
            AnyWorld::Cluster(cluster) if is_allowed => Some(Writer::of(&cluster.client())),
            AnyWorld::Cluster(_) | AnyWorld::Files(_) => None,
        };
        Self { writer, ..self }
    }

    pub(super) async fn applied(&self, order: &Order) -> Applied {
        let (moves, end) = match self.carried_out(order).await {
            Ok(told) => told,
            Err(Unseen(why)) => (Vec::new(), End::Impossible(why)),
        };
        Applied {
            wanted: order.wanted.clone(),
            moves,
            end,
        }
    }

    async fn carried_out(&self, order: &Order) -> Seen<(Vec<Move>, End)> {
        let nobody = || Unseen("This console cannot write.".to_owned());
        let writer = self.writer.as_ref().ok_or_else(nobody)?;
        let acts = self.acts(writer, &order.wanted).await?;
        let mut moves = Vec::new();
        for act in &acts {
            moves.push(act.to_move(writer.write(act, true).await, false));
        }
        let seen = name_of(&moves);
        // A deletion may also delete Operators that only the deleted Operator needs. The cluster
        // rejects their deletion as long as this Operator exists, so the dry run ignores this
        // rejection.
        let counted = match order.wanted.change {
            Change::Delete => 1,
            Change::Add | Change::Upgrade | Change::Updates => moves.len(),
        };
        if moves.iter().take(counted).any(|it| !it.refused.is_empty()) {
            return Ok((moves, End::Refused));
        }
        if order.seen != seen {
            let end = if order.seen.is_empty() {
                End::Tried(seen)
            } else {
                End::Differs(seen)
            };
            return Ok((moves, end));
        }
        let mut done = Vec::new();
        for act in &acts {
            let told = act.to_move(writer.write(act, false).await, true);
            let is_refused = !told.refused.is_empty();
            done.push(told);
            if is_refused {
                return Ok((done, End::Refused));
            }
        }
        Ok((done, End::Done))
    }

    /// Returns the writes of a change, as in the preview. The requested Operator comes first.
    async fn acts(&self, writer: &Writer, wanted: &Wanted) -> Seen<Vec<Act>> {
        if wanted.change == Change::Updates {
            let rewriting = self.rewriting(wanted).await?;
            return Ok(vec![Act::Configure(Box::new(rewriting))]);
        }
        let told = self.changed(wanted).await?.unwrap_or_default();
        if !told.errors.is_empty() {
            return Err(Unseen(told.errors.join(" ")));
        }
        let mut steps = told.changes;
        steps.sort_by_key(|step| step.name != wanted.operator.trim());
        let mut acts = Vec::new();
        for step in steps {
            let there = match writer.really.get(&step.name).await {
                Ok(operator) => Some(Box::new(operator)),
                Err(NotWritten::NotFound(_)) => None,
                Err(why) => return Err(Unseen(sentence(&why))),
            };
            acts.push(match (there, step.version.is_empty()) {
                (Some(operator), true) => Act::Delete(operator),
                (Some(operator), false) => Act::GiveVersion(operator, step.version),
                (None, true) => continue,
                (None, false) => Act::Create(Box::new(new(&step.name, &step.version)?)),
            });
        }
        if acts.is_empty() {
            return Err(Unseen("Nothing would change.".to_owned()));
        }
        Ok(acts)
    }
}

// === impl Writer ===

impl Writer {
    fn of(client: &Client) -> Self {
        let config_map = ApiResource {
            group: String::new(),
            version: "v1".to_owned(),
            api_version: "v1".to_owned(),
            kind: "ConfigMap".to_owned(),
            plural: "configmaps".to_owned(),
        };
        Self {
            really: OperatorClient::of(client.clone(), false),
            dryly: OperatorClient::of(client.clone(), true),
            config_maps: Api::namespaced_with(client.clone(), NAMESPACE, &config_map),
        }
    }

    async fn write(&self, act: &Act, is_dry_run: bool) -> WrittenFields {
        let client = if is_dry_run {
            &self.dryly
        } else {
            &self.really
        };
        match act {
            Act::Create(operator) => {
                let made = client.create(operator).await?;
                Ok(changed(&Value::Null, &value(&made)))
            }
            Act::GiveVersion(read, version) => {
                let given = client.give_version(read, version).await?;
                Ok(changed(&value(read), &value(&given)))
            }
            Act::Delete(read) => {
                client
                    .delete(read.meta().name.as_deref().unwrap_or_default())
                    .await?;
                Ok(changed(&value(read), &Value::Null))
            }
            Act::Configure(rewriting) => self.configure(rewriting, is_dry_run).await,
        }
    }

    async fn configure(&self, rewriting: &Rewriting, dry_run: bool) -> WrittenFields {
        let data = json!({rewriting.key.as_str(): rewriting.after});
        let written = if rewriting.read.is_null() {
            let object = json!({
                "apiVersion": "v1", "kind": "ConfigMap",
                "metadata": {"name": UPDATER, "namespace": NAMESPACE}, "data": data,
            });
            let object: DynamicObject = serde_json::from_value(object)
                .map_err(|error| NotWritten::Refused(error.to_string()))?;
            let params = PostParams {
                dry_run,
                field_manager: Some(MANAGER.to_owned()),
            };
            self.config_maps.create(&params, &object).await
        } else {
            let version = &rewriting.read["metadata"]["resourceVersion"];
            let patch = json!({"metadata": {"resourceVersion": version}, "data": data});
            let params = PatchParams {
                dry_run,
                field_manager: Some(MANAGER.to_owned()),
                ..PatchParams::default()
            };
            let patch = Patch::Merge(patch);
            self.config_maps.patch(UPDATER, &params, &patch).await
        };
        match written {
            Ok(written) => Ok(changed(&rewriting.read, &value(&written))),
            Err(kube::Error::Api(status)) if status.code < 500 => {
                Err(NotWritten::Refused(status.message.clone()))
            }
            Err(other) => Err(NotWritten::Unanswered(Box::new(other))),
        }
    }
}

// === impl Act ===

impl Act {
    fn object(&self) -> String {
        match self {
            Self::Create(it) | Self::GiveVersion(it, _) | Self::Delete(it) => {
                format!("Operator {}", it.meta().name.as_deref().unwrap_or_default())
            }
            Self::Configure(_) => format!("ConfigMap {NAMESPACE}/{UPDATER}"),
        }
    }

    fn to_move(&self, written: WrittenFields, is_done: bool) -> Move {
        let (fields, refused) = match written {
            Ok(fields) => (fields, String::new()),
            Err(why) => (Vec::new(), sentence(&why)),
        };
        Move {
            object: self.object(),
            fields,
            is_done: is_done && refused.is_empty(),
            refused,
        }
    }
}

/// Returns a new Operator of a package with a version or a range.
pub(super) fn new(name: &str, version: &str) -> Seen<Operator> {
    let package = PackageName::parse(name).map_err(|error| Unseen(error.to_string()))?;
    written(&package, &of_version(version)?).map_err(Unseen)
}

/// Returns the settings of an Operator with a version or a range. Empty for the newest version.
pub(super) fn of_version(version: &str) -> Seen<Settings> {
    let mut settings = Settings::default();
    if !version.is_empty() {
        let version = VersionRange::parse(version).map_err(|error| Unseen(error.to_string()))?;
        settings.set(Setting::Version, version.as_str());
    }
    Ok(settings)
}

/// Returns the digest of all writes. If a client sends this digest back, the visitor has seen
/// exactly these writes.
fn name_of(moves: &[Move]) -> String {
    let all = moves.iter().map(|it| {
        let fields = it.fields.iter();
        let fields: Vec<_> = fields
            .map(|it| json!([it.path, it.before, it.after]))
            .collect();
        json!([it.object, it.refused, fields])
    });
    let all = Value::Array(all.collect()).to_string();
    URL_SAFE_NO_PAD.encode(digest::digest(&digest::SHA256, all.as_bytes()))
}

fn sentence(why: &NotWritten) -> String {
    match why {
        NotWritten::Unanswered(error) => format!("The cluster does not answer: {error}"),
        NotWritten::NotServed
        | NotWritten::Exists(_)
        | NotWritten::NotFound(_)
        | NotWritten::Changed(_)
        | NotWritten::Refused(_) => why.to_string(),
    }
}

fn value(object: &impl Serialize) -> Value {
    serde_json::to_value(object).unwrap_or_default()
}
