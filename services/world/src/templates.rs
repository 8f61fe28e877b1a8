//! Resolves the templates in OperatorPolicies.
//!
//! ```text
//! Objects<OperatorPolicy> ---\
//!                              core/base/templates: resolve -> Objects<OperatorPolicy>
//! Reader: requested objects --/          \--> further requests
//! ```
//!
//! While a template reads an object, this object is watched by its name. If a template reads all
//! objects of a kind, all these objects are watched. When an object changes, the policies whose
//! templates read it are resolved again.

mod denied;
mod reader;
#[cfg(test)]
mod tests;

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use kube::core::ApiResource;
use portolan_api::{DISABLE_TEMPLATES, Flaw, OperatorPolicy, Refusal};
use portolan_core_templates::{Lookup, PolicyOutcome, refused_policy, resolve_policy};
use tokio::sync::watch;
use tokio::time::{Instant, sleep};
use tokio_util::task::AbortOnDropHandle;

use self::reader::{Reader, Stamp};
use crate::registry::Dialer;
use crate::{Area, Ended, Key, Kind, Objects, RawObjects, RawWorld, State, View, World};

/// A world whose OperatorPolicies contain no templates. Either the templates are resolved, or the
/// policy contains the reason why they cannot be resolved. Objects of other kinds are unchanged.
#[derive(Debug, Clone)]
pub struct ResolvedWorld<W> {
    under: W,
    policies: Objects<OperatorPolicy>,
}

/// The time for which a policy is omitted while the objects of its templates are being read. After
/// that, the policy is shown and reports that it waits. Therefore other policies do not have to
/// wait for it.
const PATIENCE: Duration = Duration::from_secs(10);
/// The interval for checking if this time has passed.
const LOOK: Duration = Duration::from_secs(1);

/// The outcome of resolving a policy.
#[derive(Debug)]
struct KnownPolicy {
    /// The policy with its unresolved templates.
    seen: Arc<OperatorPolicy>,
    /// The resolved policy. None until all objects that its templates read are known.
    resolved: Option<Arc<OperatorPolicy>>,
    /// The time at which an object was first missing. None if all objects were read.
    unread: Option<Unread>,
    /// The lookups of the templates. Each lookup has the version and the state of its objects when
    /// they were read.
    read: BTreeMap<Lookup, Stamp>,
}

#[derive(Debug, Clone, Copy)]
struct Unread {
    since: Instant,
    /// The current time for the templates, in seconds since 1970. It stays the same while objects
    /// are read, because with another time the templates might read other objects.
    now: i64,
}

struct Resolver<W> {
    reader: Reader<W>,
    known: BTreeMap<Key, KnownPolicy>,
    patience: Duration,
}

// === impl ResolvedWorld ===

impl<W: RawWorld> ResolvedWorld<W> {
    /// Wraps a world and starts to resolve the templates in its policies.
    ///
    /// # Panics
    /// Panics if it is called outside of a tokio runtime.
    pub fn of(under: W) -> Self {
        let policies = resolved(under.objects(), &under);
        Self { under, policies }
    }
}

impl<W> ResolvedWorld<W> {
    /// Returns the wrapped world, whose policies contain unresolved templates.
    pub fn under(&self) -> &W {
        &self.under
    }
}

impl<W: World> World for ResolvedWorld<W> {
    /// Policies are always returned for all areas.
    fn objects_in<K: Kind>(&self, area: Area) -> Objects<K> {
        let policies: Box<dyn Any> = Box::new(self.policies.clone());
        match policies.downcast::<Objects<K>>() {
            Ok(policies) => *policies,
            Err(_) => self.under.objects_in(area),
        }
    }

    fn kubernetes(&self) -> impl Future<Output = Option<String>> + Send {
        self.under.kubernetes()
    }

    fn dialer(&self) -> Dialer {
        self.under.dialer()
    }

    fn folder(&self) -> Option<&Path> {
        self.under.folder()
    }

    fn is_partial(&self) -> bool {
        self.under.is_partial()
    }
}

impl<W: RawWorld> RawWorld for ResolvedWorld<W> {
    fn raw(&self, kind: &ApiResource, area: Area) -> RawObjects {
        self.under.raw(kind, area)
    }
}

/// Returns the policies of a world with resolved templates.
///
/// # Panics
/// Panics if it is called outside of a tokio runtime.
pub fn resolved(
    policies: Objects<OperatorPolicy>,
    world: &impl RawWorld,
) -> Objects<OperatorPolicy> {
    resolved_within(PATIENCE, policies, world)
}

fn resolved_within(
    patience: Duration,
    policies: Objects<OperatorPolicy>,
    world: &impl RawWorld,
) -> Objects<OperatorPolicy> {
    let (sender, views) = watch::channel(View::default());
    let resolver = Resolver {
        reader: Reader::of(world.clone()),
        known: BTreeMap::new(),
        patience,
    };
    let following = tokio::spawn(follow(policies, resolver, sender));
    Objects::from_views(views, AbortOnDropHandle::new(following))
}

async fn follow<W: RawWorld>(
    mut policies: Objects<OperatorPolicy>,
    mut resolver: Resolver<W>,
    sender: watch::Sender<View<OperatorPolicy>>,
) -> Result<Infallible, Ended> {
    loop {
        let (view, is_whole) = resolver.resolve(policies.now());
        sender.send_if_modified(|shown| {
            // The first view that a waiting caller gets must contain all policies.
            if !is_whole && shown.state == State::Pending || is_same(shown, &view) {
                return false;
            }
            *shown = view;
            true
        });
        tokio::select! {
            changed = policies.changed() => changed?,
            changed = resolver.reader.changed() => changed?,
            () = sleep(LOOK.min(resolver.patience)), if !is_whole => {}
        }
    }
}

// === impl Resolver ===

impl<W: RawWorld> Resolver<W> {
    /// Returns a view with resolved policies. The second value is false if a policy was omitted
    /// because its objects have not been read yet.
    fn resolve(&mut self, view: View<OperatorPolicy>) -> (View<OperatorPolicy>, bool) {
        self.known.retain(|key, _| view.objects.contains_key(key));
        let mut objects = BTreeMap::new();
        for (key, seen) in &*view.objects {
            let known = match self.known.remove(key) {
                Some(known) => self.resolve_again(known, seen),
                None => self.resolve_one(seen, None, None),
            };
            if let Some(resolved) = &known.resolved {
                objects.insert(key.clone(), resolved.clone());
            }
            self.known.insert(key.clone(), known);
        }
        let read = self.known.values().flat_map(|known| known.read.keys());
        let read: BTreeSet<_> = read.cloned().collect();
        self.reader.keep(&read);
        let is_whole = objects.len() == view.objects.len();
        let objects = Arc::new(objects);
        (View { objects, ..view }, is_whole)
    }

    fn resolve_again(&mut self, known: KnownPolicy, seen: &Arc<OperatorPolicy>) -> KnownPolicy {
        let mut read = known.read.iter();
        let is_as_read = read.all(|(lookup, stamp)| self.reader.stamp(lookup) == *stamp);
        match &known.resolved {
            Some(_) if is_as_read && Arc::ptr_eq(&known.seen, seen) => known,
            Some(resolved) if is_as_read && says_the_same(&known.seen, seen) => {
                let resolved = match resolved.spec.rendered() {
                    Some(_) => Arc::new(OperatorPolicy {
                        spec: resolved.spec.clone(),
                        ..(**seen).clone()
                    }),
                    None => seen.clone(),
                };
                KnownPolicy {
                    seen: seen.clone(),
                    resolved: Some(resolved),
                    ..known
                }
            }
            Some(_) | None => {
                let is_same = says_the_same(&known.seen, seen);
                self.resolve_one(seen, known.resolved, known.unread.filter(|_| is_same))
            }
        }
    }

    /// Resolves a policy. Keeps the previous result until all objects that the policy reads are
    /// known.
    fn resolve_one(
        &mut self,
        seen: &Arc<OperatorPolicy>,
        before: Option<Arc<OperatorPolicy>>,
        unread: Option<Unread>,
    ) -> KnownPolicy {
        let unread = unread.unwrap_or_else(|| Unread {
            since: Instant::now(),
            now: Timestamp::now().as_second(),
        });
        let now = unread.now;
        let mut resolution = resolve_policy(seen, &self.reader, now);
        // If the objects of the lookups are already watched for another policy, they are known, and
        // the policy may then have more lookups.
        while self.reader.open(&resolution.lookups) {
            resolution = resolve_policy(seen, &self.reader, now);
        }
        let (resolved, unread) = match resolution.outcome {
            PolicyOutcome::Plain => (Some(seen.clone()), None),
            PolicyOutcome::Resolved(policy) => (Some(Arc::new(*policy)), None),
            PolicyOutcome::Refused(refused) => {
                (Some(Arc::new(refused_policy(seen, refused))), None)
            }
            PolicyOutcome::Unread(mut refused) => {
                let late = || {
                    let mut lookups = resolution.lookups.iter();
                    let trouble = lookups.find_map(|lookup| self.reader.trouble(lookup));
                    let unread =
                        || "the objects that its templates read have not been read yet".to_owned();
                    let why = trouble.unwrap_or_else(unread);
                    refused.push(Refusal {
                        field: "spec".to_owned(),
                        flaw: Flaw::Unresolved(why),
                    });
                    Arc::new(refused_policy(seen, refused))
                };
                let is_late = unread.since.elapsed() >= self.patience;
                (before.or_else(|| is_late.then(late)), Some(unread))
            }
        };
        let stamp = |lookup: Lookup| {
            let stamp = self.reader.stamp(&lookup);
            (lookup, stamp)
        };
        KnownPolicy {
            seen: seen.clone(),
            resolved,
            unread,
            read: resolution.lookups.into_iter().map(stamp).collect(),
        }
    }
}

/// Returns true if two views have the same policies.
fn is_same(was: &View<OperatorPolicy>, is: &View<OperatorPolicy>) -> bool {
    let mut pairs = was.objects.iter().zip(&*is.objects);
    was.state == is.state
        && was.faults == is.faults
        && was.objects.len() == is.objects.len()
        && pairs.all(|((key, before), (other, after))| key == other && Arc::ptr_eq(before, after))
}

/// Returns true if the templates of two policies are equal.
fn says_the_same(was: &OperatorPolicy, is: &OperatorPolicy) -> bool {
    let disabled =
        |policy: &OperatorPolicy| DISABLE_TEMPLATES.of(&policy.metadata).map(str::to_owned);
    was.spec == is.spec && disabled(was) == disabled(is)
}
