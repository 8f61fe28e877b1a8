//! A namespace with one of its operators, as input of the functions that find causes.

use std::collections::BTreeSet;

use portolan_core_approval as approval;
use portolan_core_catalog::{Fault, Severity};
use portolan_core_graph::Graph;
use portolan_core_health::{self as health, Csv, Fact, Item, Workload};
use portolan_core_names::text::listed;
use portolan_core_names::{BundleName, ChannelName, PackageName};
use portolan_core_olm::{InstallPlan, Subscription};

use crate::outlook::Outlook;
use crate::situation::{Content, Offer, Offered};
use crate::{
    Cause, Code, Confidence, Evidence, Object, Quote, Remedy, Responsible, Situation, State,
};

/// A namespace, with the results of the health, approval and forecast crates.
#[derive(Debug)]
pub(crate) struct Findings<'a> {
    pub(crate) situation: &'a Situation<'a>,
    pub(crate) operators: &'a [health::Operator],
    pub(crate) reviews: &'a [approval::Review],
    pub(crate) outlook: &'a Outlook,
}

/// One operator of a namespace, with the findings about the namespace.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Case<'a> {
    pub(crate) findings: &'a Findings<'a>,
    pub(crate) operator: &'a health::Operator,
    /// The Subscription of the operator. None if the operator has no Subscription.
    pub(crate) subscription: Option<&'a Item<Subscription>>,
}

// === impl Situation ===

impl<'a> Situation<'a> {
    /// Returns the name of the namespace.
    pub(crate) fn name(&self) -> &str {
        &self.namespace.name
    }

    /// Returns the catalog that a Subscription names. Returns None if the catalog is unknown.
    pub(crate) fn offer_of(&self, subscription: &Item<Subscription>) -> Option<&Offer<'a>> {
        self.offer(
            &subscription.spec.source_namespace,
            &subscription.spec.source,
        )
    }

    /// Returns the catalog with this namespace and name.
    pub(crate) fn offer(&self, namespace: &str, name: &str) -> Option<&Offer<'a>> {
        let mut offers = self.catalogs.iter();
        offers.find(|offer| {
            let object = &offer.registry.source.observed.object;
            object.namespace == namespace && object.name == name
        })
    }

    /// Returns the content of the Subscription's catalog. Returns None if the content could not be
    /// read.
    pub(crate) fn offered(&self, subscription: &Item<Subscription>) -> Option<Offered<'a>> {
        self.offer_of(subscription)?.content.offered()
    }

    /// Returns the graph of the package that a Subscription names.
    pub(crate) fn graph(&self, subscription: &Item<Subscription>) -> Option<&'a Graph> {
        let offered = self.offered(subscription)?;
        let package = PackageName::parse(&subscription.spec.package).ok()?;
        Some(offered.charts.get(&package)?.graph())
    }

    /// Returns the head of the channel that a Subscription follows. If the Subscription names no
    /// channel, returns the head of the default channel.
    pub(crate) fn head(
        &self,
        subscription: &Item<Subscription>,
    ) -> Option<(ChannelName, BundleName)> {
        let offered = self.offered(subscription)?;
        let spec = &subscription.spec;
        offered.head(&spec.package, &spec.channel)
    }

    /// Returns the names of all ClusterServiceVersions of the namespace as text. Returns None if
    /// the namespace has no ClusterServiceVersion.
    pub(crate) fn installed(&self) -> Option<String> {
        let csvs = self.namespace.csvs.objects.iter();
        let names: BTreeSet<&str> = csvs.map(|csv| csv.observed.object.name.as_str()).collect();
        (!names.is_empty()).then(|| listed(names))
    }

    /// Returns the Subscription with this name.
    pub(crate) fn subscription(&self, name: &str) -> Option<&Item<Subscription>> {
        let mut subscriptions = self.namespace.subscriptions.objects.iter();
        subscriptions.find(|subscription| subscription.observed.object.name == name)
    }

    /// Returns the ClusterServiceVersion with this name.
    pub(crate) fn csv(&self, name: &str) -> Option<&Csv> {
        let mut csvs = self.namespace.csvs.objects.iter();
        csvs.find(|csv| csv.observed.object.name == name)
    }

    /// Returns the Deployment with this name.
    pub(crate) fn deployment(&self, name: &str) -> Option<&Workload> {
        let mut deployments = self.namespace.deployments.objects.iter();
        deployments.find(|one| {
            let object = &one.observed.object;
            object.name == name && object.namespace == self.namespace.name
        })
    }

    /// Returns the InstallPlan with this name.
    pub(crate) fn plan(&self, name: &str) -> Option<&Item<InstallPlan>> {
        let mut plans = self.namespace.plans.objects.iter();
        plans.find(|plan| plan.observed.object.name == name)
    }

    /// Returns the catalogs that are visible in the namespace, sorted by name.
    pub(crate) fn visible(&self) -> Vec<&Offer<'a>> {
        let excludes = match &self.resolved {
            Ok(resolved) => {
                let mut groups = resolved.operator_groups.iter();
                groups.any(|group| group.excludes_global_catalogs)
            }
            Err(_) => false,
        };
        let sees = |place: &str| {
            place == self.namespace.name || (place == self.global_namespace && !excludes)
        };
        let mut offers: Vec<&Offer<'a>> = self.catalogs.iter().collect();
        offers.retain(|offer| sees(&offer.registry.source.observed.object.namespace));
        offers.sort_by(|a, b| a.registry.source.observed.cmp(&b.registry.source.observed));
        offers
    }
}

// === impl Offer ===

impl Offer<'_> {
    /// Returns the catalog as `namespace/name`.
    pub(crate) fn key(&self) -> String {
        let source = &self.registry.source;
        format!("{}/{}", source.namespace(), source.name())
    }

    pub(crate) fn object(&self) -> Object {
        Object::from(&self.registry.source.observed.object)
    }

    /// Returns true if OLM runs the catalog's registry in a Pod.
    pub(crate) fn has_pod(&self) -> bool {
        !self.registry.source.spec.image.is_empty()
    }

    /// Returns the reason why the content is unknown. Returns None if the content is known.
    pub(crate) fn unavailable(&self) -> Option<&str> {
        match &self.content {
            Content::Unavailable(why) => Some(why),
            Content::Known(_) | Content::Stale(..) => None,
        }
    }

    /// Returns the reason why the content is stale. Returns None if the content is current.
    pub(crate) fn stale(&self) -> Option<&str> {
        match &self.content {
            Content::Stale(_, why) => Some(why),
            Content::Known(_) | Content::Unavailable(_) => None,
        }
    }
}

// === impl Offered ===

impl<'a> Offered<'a> {
    /// Returns the catalog error that may hide a package, or that may hide some of its content.
    /// Returns None if no such error exists.
    pub(crate) fn hidden_by(&self, package: &str) -> Option<&'a Fault> {
        let errors = || {
            let faults = self.catalog.faults.iter();
            faults.filter(|fault| fault.severity() == Severity::Error)
        };
        let own = errors().find(|fault| fault.package.as_deref() == Some(package));
        own.or_else(|| errors().find(|fault| fault.package.is_none()))
    }

    /// Returns true if the catalog contains the package and the channel. An empty `channel` matches
    /// every package.
    pub(crate) fn has(&self, package: &str, channel: &str) -> bool {
        let package = self.catalog.packages.get(package);
        package.is_some_and(|package| channel.is_empty() || package.channels.contains_key(channel))
    }

    /// Returns the head of a channel. If `channel` is empty, returns the head of the default
    /// channel.
    pub(crate) fn head(&self, package: &str, channel: &str) -> Option<(ChannelName, BundleName)> {
        let package = PackageName::parse(package).ok()?;
        let graph = self.charts.get(&package)?.graph();
        let channel = match channel {
            "" => graph.package().default_channel.clone()?,
            channel => ChannelName::parse(channel).ok()?,
        };
        let mut heads = graph.heads().into_iter();
        let head = heads.find(|head| head.channel == channel)?;
        Some((channel, head.bundle))
    }
}

// === impl Findings ===

impl<'a> Findings<'a> {
    pub(crate) fn cases(&'a self) -> Vec<Case<'a>> {
        let operators = self.operators.iter();
        let cases = operators.map(|operator| {
            let is_subscription = operator.subject.kind == health::Kind::Subscription;
            Case {
                findings: self,
                operator,
                subscription: self
                    .situation
                    .subscription(&operator.subject.name)
                    .filter(|_| is_subscription),
            }
        });
        cases.collect()
    }
}

// === impl Case ===

impl<'a> Case<'a> {
    pub(crate) fn situation(self) -> &'a Situation<'a> {
        self.findings.situation
    }

    pub(crate) fn subject(self) -> Object {
        Object::from(&self.operator.subject)
    }

    /// Returns the package for use in messages. If the package is unknown, returns the subject.
    pub(crate) fn title(self) -> String {
        match self.operator.package.as_str() {
            "" => self.operator.subject.to_string(),
            package => package.to_owned(),
        }
    }

    /// Returns the startingCSV of the Subscription: the bundle with which OLM starts each
    /// installation of the operator.
    pub(crate) fn start(self) -> Option<String> {
        let subscription = self.subscription?;
        let resolved = self.situation().resolved.as_ref().ok()?;
        let mut all = resolved.subscriptions.iter();
        let own = all.find(|one| one.name == subscription.observed.object.name)?;
        own.starting_csv.as_ref().map(ToString::to_string)
    }

    /// Returns the end of a sentence that names the bundle that OLM would install in a new
    /// installation.
    pub(crate) fn anew(self) -> String {
        let subscription = self.subscription;
        let head = subscription.and_then(|subscription| self.situation().head(subscription));
        match (self.start(), head) {
            (Some(start), _) => format!("{start}, the startingCSV of the Subscription"),
            (None, Some((channel, head))) => format!(
                "{head}, the newest bundle of channel \
                                                      {channel}"
            ),
            (None, None) => "the newest version in the channel of the Subscription".to_owned(),
        }
    }

    /// Returns the newest ClusterServiceVersion.
    pub(crate) fn newest(self) -> Option<&'a Csv> {
        self.situation().csv(&self.operator.csv)
    }

    /// Iterates over the operator's ClusterServiceVersions, newest first.
    pub(crate) fn csvs(self) -> impl Iterator<Item = &'a Csv> {
        let names = self.operator.csvs.iter();
        names.filter_map(move |name| self.situation().csv(name))
    }

    /// Iterates over the existing Deployments of a ClusterServiceVersion.
    pub(crate) fn deployments(self, csv: &'a Csv) -> impl Iterator<Item = &'a Workload> {
        let wanted = csv.deployments().iter();
        wanted.filter_map(move |wanted| self.situation().deployment(&wanted.name))
    }

    /// Returns true if each Deployment of a ClusterServiceVersion has an available Pod.
    pub(crate) fn is_available(self, csv: &Csv) -> bool {
        let wanted = csv.deployments();
        let has_pod = |name: &str| {
            let deployment = self.situation().deployment(name);
            deployment.is_some_and(|one| one.status.available_replicas > 0)
        };
        !wanted.is_empty() && wanted.iter().all(|wanted| has_pod(&wanted.name))
    }

    /// Returns the older version that still works while the newest version is not complete. OLM
    /// keeps the Pods of the older version until the Pods of the newest version are ready.
    pub(crate) fn standing(self) -> Option<&'a Csv> {
        let mut older = self.csvs().skip(1);
        older.find(|csv| {
            let is_kept = matches!(
                csv.status.phase,
                health::CsvPhase::Succeeded | health::CsvPhase::Replacing
            );
            is_kept && self.is_available(csv)
        })
    }

    /// Returns the version that does not work, and the Pending version that should replace it. OLM
    /// replaces a version only while it works.
    pub(crate) fn stalled(self) -> Option<(&'a Csv, &'a Csv)> {
        let next = self.newest()?;
        let old = self.situation().csv(&next.spec.replaces)?;
        let is_replaced = matches!(
            old.status.phase,
            health::CsvPhase::Succeeded | health::CsvPhase::Replacing | health::CsvPhase::Deleting
        );
        let is_stalled = next.status.phase == health::CsvPhase::Pending && !is_replaced;
        is_stalled.then_some((old, next))
    }

    /// Returns the version to which the Deployments belong: the version that does not work, if a
    /// Pending version should replace it, and otherwise the newest version.
    pub(crate) fn deployed(self) -> Option<&'a Csv> {
        self.stalled().map(|(old, _)| old).or(self.newest())
    }

    /// Returns true if the newest or an older version works.
    pub(crate) fn works(self) -> bool {
        let newest = self.newest();
        self.standing().is_some() || newest.is_some_and(|csv| self.is_available(csv))
    }

    /// Returns true if OLM reports that any version of the operator has ever worked.
    pub(crate) fn has_worked(self) -> bool {
        let mut csvs = self.csvs();
        let newest = csvs.next();
        let is_success = |csv: &Csv| {
            let mut conditions = csv.status.conditions.iter();
            csv.status.phase == health::CsvPhase::Succeeded
                || conditions.any(|said| said.is_success())
        };
        newest.is_some_and(is_success) || csvs.next().is_some()
    }

    pub(crate) fn has_csv(self, name: &str) -> bool {
        self.operator.csvs.iter().any(|own| own == name)
    }

    pub(crate) fn is_installed(self) -> bool {
        !self.operator.csvs.is_empty()
    }

    /// Returns true if the newest version is installed, and OLM has selected no other version.
    pub(crate) fn is_settled(self) -> bool {
        let current = self
            .subscription
            .map_or("", |subscription| &subscription.status.current_csv);
        self.newest().is_some_and(|csv| {
            csv.status.phase == health::CsvPhase::Succeeded
                && (current.is_empty() || current == self.operator.csv)
        })
    }

    /// Returns the state of an operator that does not work. The state is `Broken` if the newest
    /// ClusterServiceVersion has failed or succeeded, and `Stuck` otherwise.
    pub(crate) fn down(self) -> State {
        match self.newest().map(|csv| &csv.status.phase) {
            Some(health::CsvPhase::Failed | health::CsvPhase::Succeeded) => State::Broken,
            Some(_) | None => State::Stuck,
        }
    }

    /// Returns the first fact with this code.
    pub(crate) fn fact(self, code: health::HealthCode) -> Option<&'a Fact> {
        let told = self.facts();
        let mut facts = told.iter().map(|told| told.fact);
        facts.find(|fact| fact.code == code)
    }

    /// Returns all facts about the operator, top-level facts first. Each fact has the facts above
    /// it.
    pub(crate) fn facts(self) -> Vec<FactPath<'a>> {
        let mut told = Vec::new();
        for fact in &self.operator.facts {
            gather(fact, &mut Vec::new(), &mut told);
        }
        told
    }
}

/// A fact, with the path of facts from the top level to this fact.
#[derive(Debug, Clone)]
pub(crate) struct FactPath<'a> {
    pub(crate) fact: &'a Fact,
    pub(crate) above: Vec<&'a Fact>,
}

fn gather<'a>(fact: &'a Fact, above: &mut Vec<&'a Fact>, told: &mut Vec<FactPath<'a>>) {
    told.push(FactPath {
        fact,
        above: above.clone(),
    });
    above.push(fact);
    for below in &fact.below {
        gather(below, above, told);
    }
    above.pop();
}

// === impl Cause ===

impl Cause {
    /// Returns a cause that has no evidence, no cure and no other causes yet.
    pub(crate) fn new(code: Code, state: State, at_fault: Object, message: &str) -> Self {
        Self {
            code,
            state,
            message: message.to_owned(),
            quotes: Vec::new(),
            at_fault,
            also_at_fault: Vec::new(),
            responsible: Responsible::default(),
            confidence: Confidence::of(code),
            remedy: Remedy::default(),
            blocked_by: None,
            evidence: Vec::new(),
            below: Vec::new(),
        }
    }

    /// Adds a message of another program. Removes it from the message of the cause, if it follows a
    /// colon there.
    pub(crate) fn quoting(mut self, quote: Option<Quote>) -> Self {
        let Some(quote) = quote else {
            return self;
        };
        let cited = format!(": {}", quote.text);
        if let Some(at) = self.message.rfind(&cited) {
            let rest = &self.message[at + cited.len()..];
            let rest = match rest.chars().next() {
                None => ".".to_owned(),
                Some('.') => rest.to_owned(),
                Some(_) if rest.starts_with(" (") => rest.to_owned(),
                Some(_) => format!(".{rest}"),
            };
            self.message = format!("{}{rest}", &self.message[..at]);
        }
        self.quotes.push(quote);
        self
    }

    /// Returns the message of the cause, followed by the messages of other programs.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        let quotes = self.quotes.iter().map(|quote| &*quote.text);
        std::iter::once(&*self.message).chain(quotes)
    }

    /// Sets the certainty, unless it is the usual one of the code.
    pub(crate) fn doubted(mut self, confidence: Option<Confidence>) -> Self {
        self.confidence = confidence.unwrap_or(self.confidence);
        self
    }

    /// Adds evidence. Omits duplicates.
    pub(crate) fn shown(mut self, evidence: impl IntoIterator<Item = Evidence>) -> Self {
        let mut seen: BTreeSet<Evidence> = self.evidence.iter().cloned().collect();
        let new = evidence.into_iter();
        self.evidence
            .extend(new.filter(|one| seen.insert(one.clone())));
        self
    }
}
