//! Finds the OLM objects of a package, and the reasons why they cannot be adopted.

use std::collections::BTreeSet;

use portolan_core_names::text::listed;
use portolan_core_names::{Gvk, ObjectRef};

use super::OLM;
use crate::adoption::{Adopts, CsvId};
use crate::fleet::{Csv, Fleet, Installer, Present, Subscribed};
use crate::hop::OperatorHop;

impl Csv {
    pub fn id(&self) -> CsvId {
        CsvId {
            namespace: self.namespace.clone(),
            name: self.name.clone(),
            uid: self.uid.clone(),
        }
    }
}

impl Subscribed {
    pub(super) fn object(&self) -> ObjectRef<Gvk> {
        ObjectRef::new(Gvk::new(OLM, "Subscription"), &*self.namespace, &self.name)
    }
}

impl Fleet {
    /// Returns the adopted ClusterServiceVersion. Returns None if it no longer exists.
    pub(super) fn csv(&self, adopts: &Adopts) -> Option<(&Present, &Csv)> {
        let all = self.present.iter();
        let mut csvs = all.filter_map(|present| Some((present, present.csv.as_ref()?)));
        csvs.find(|(_, csv)| csv.uid == adopts.csv.uid)
    }

    /// Returns true if OLM has installed another version of the operator since the adoption began.
    /// In this case, the namespace contains another ClusterServiceVersion of the package.
    pub(super) fn has_gone_on(&self, hop: &OperatorHop, adopts: &Adopts) -> bool {
        let package = &hop.facts.installs.package;
        let all = self
            .present
            .iter()
            .filter(|it| it.installs.package == *package);
        let mut csvs = all.filter_map(|present| present.csv.as_ref());
        csvs.any(|csv| csv.uid != adopts.csv.uid && csv.namespace == adopts.csv.namespace)
    }

    /// Returns the Subscription of an operator that OLM manages. Returns None if there is no
    /// Subscription.
    pub(super) fn subscription(&self, present: &Present, csv: &Csv) -> Option<&Subscribed> {
        let mut all = self.subscriptions.iter();
        all.find(|it| it.namespace == csv.namespace && it.package == present.installs.package)
    }

    /// Returns the Subscription of the operator being adopted. Returns None if there is no
    /// Subscription.
    pub(super) fn subscribed(&self, adopts: &Adopts, hop: &OperatorHop) -> Option<&Subscribed> {
        let mut all = self.subscriptions.iter();
        all.find(|it| {
            it.namespace == adopts.csv.namespace && it.package == hop.facts.installs.package
        })
    }

    /// Returns the reasons why the operator cannot be adopted from OLM now, each as one sentence.
    /// An operator that depends on it is not a reason if both are adopted at the same time, because
    /// the dependent operator is adopted first.
    pub fn refusals(
        &self,
        (present, csv): (&Present, &Csv),
        together: &BTreeSet<&str>,
    ) -> Vec<String> {
        let mut sentences = Vec::new();
        let package = &present.installs.package;
        let of_olm = || {
            let all = self.present.iter().filter(|it| it.by == Installer::Olm);
            all.filter(|it| it.object != present.object)
        };
        let twins: Vec<_> = of_olm()
            .filter(|it| it.installs.package == *package)
            .collect();
        if !twins.is_empty() {
            let names = twins.iter().map(|it| &it.object);
            sentences.push(format!(
                "{} belongs to the same package: OLM is upgrading the operator, or installed the \
                 operator twice",
                listed(names)
            ));
        }
        if let Some(unsettled) = csv.unsettled.as_ref().filter(|_| twins.is_empty()) {
            sentences.push(format!("{} {unsettled}", present.object));
        }
        if csv.is_terminating {
            sentences.push(format!("{} is being deleted", present.object));
        }
        let subscriptions = self.subscriptions.iter();
        let own =
            subscriptions.filter(|it| it.namespace == csv.namespace && it.package == *package);
        let own: Vec<_> = own.collect();
        if let [one, other, ..] = own.as_slice() {
            let (one, other) = (one.object(), other.object());
            sentences.push(format!("{one} and {other} both request the package"));
        }
        let moving = own
            .iter()
            .filter_map(|it| Some((it, it.on_the_way.as_ref()?)));
        sentences
            .extend(moving.map(|(it, to)| format!("{} is being upgraded to {to}", it.object())));
        let users = of_olm().filter(|it| !together.contains(it.object.as_str()));
        let users = users.filter(|it| it.installs.requires.is_met_by(&present.installs));
        let users: Vec<_> = users.map(|it| &it.object).collect();
        if !users.is_empty() {
            sentences.push(format!(
                "{} {} this operator, so OLM would install this operator again; first adopt {}",
                listed(&users),
                if users.len() == 1 {
                    "requires"
                } else {
                    "require"
                },
                if users.len() == 1 {
                    "the other operator"
                } else {
                    "the other operators"
                },
            ));
        }
        sentences
    }
}
