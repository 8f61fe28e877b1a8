//! Converts the results of probes to the objects in a dump, and back.

use portolan_core_health::Probe;
use portolan_world::{Key, RegistryProbe};

use super::Probed;

// === impl Probed ===

impl Probed {
    /// Returns the result as the object in a dump.
    pub(crate) fn record(&self, source: &Key) -> RegistryProbe {
        let Self {
            probe,
            address,
            since,
            answered,
            connected,
        } = self;
        let (outcome, message, packages) = match probe {
            Probe::NotProbed => ("NotProbed", "", None),
            Probe::Pending => ("Pending", "", None),
            Probe::Answered { packages } => ("Answered", "", Some(*packages)),
            Probe::NameUnknown(why) => ("NameUnknown", &**why, None),
            Probe::Unreachable(why) => ("Unreachable", &**why, None),
            Probe::NotServing => ("NotServing", "", None),
            Probe::Silent(why) => ("Silent", &**why, None),
            Probe::Failing(why) => ("Failing", &**why, None),
        };
        RegistryProbe {
            address: address.clone(),
            outcome: outcome.to_owned(),
            message: message.to_owned(),
            packages,
            since: *since,
            answered: *answered,
            connected: *connected,
            ..RegistryProbe::of(source)
        }
    }

    /// Returns the result that an object in a dump contains. A result with an unknown outcome
    /// counts as not probed.
    pub(crate) fn recorded(kept: &RegistryProbe) -> Self {
        let RegistryProbe {
            metadata: _,
            address,
            outcome,
            message,
            packages,
            since,
            answered,
            connected,
        } = kept;
        let why = message.clone();
        Self {
            probe: match (outcome.as_str(), *packages) {
                ("Answered", Some(packages)) => Probe::Answered { packages },
                ("NameUnknown", _) => Probe::NameUnknown(why),
                // Older dumps contain the second word for the same outcome.
                ("Unreachable" | "NoUpgradePath", _) => Probe::Unreachable(why),
                ("NotServing", _) => Probe::NotServing,
                ("Silent", _) => Probe::Silent(why),
                ("Failing", _) => Probe::Failing(why),
                _ => Probe::NotProbed,
            },
            address: address.clone(),
            since: *since,
            answered: *answered,
            connected: *connected,
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::answered(Probe::Answered { packages: 7 })]
    #[case::unknown(Probe::NameUnknown("no such host".to_owned()))]
    #[case::unreachable(Probe::Unreachable("connection refused".to_owned()))]
    #[case::not_serving(Probe::NotServing)]
    #[case::silent(Probe::Silent("Health/Check was not answered within 5s".to_owned()))]
    #[case::failing(Probe::Failing("ListPackages: Internal: no".to_owned()))]
    #[case::not_probed(Probe::NotProbed)]
    fn probe_results_are_unchanged_after_a_round_trip(#[case] probe: Probe) {
        let at = |second| Timestamp::from_second(second).ok();
        let probed = Probed {
            probe,
            address: "a:1".to_owned(),
            since: at(1),
            answered: at(2),
            connected: None,
        };
        let record = probed.record(&Key::new("olm", "shop"));
        let value = record.to_value();
        assert_eq!(value["kind"], "RegistryProbe");
        let read: RegistryProbe = serde_json::from_value(value).expect("a record");
        assert_eq!(read, record);
        assert_eq!(Probed::recorded(&read), probed);
    }

    #[test]
    fn pending_probe_is_recorded_as_not_probed() {
        let pending = Probed {
            probe: Probe::Pending,
            address: "a:1".to_owned(),
            since: None,
            answered: None,
            connected: None,
        };
        let read = Probed::recorded(&pending.record(&Key::new("olm", "shop")));
        assert_eq!(read.probe, Probe::NotProbed);
    }
}
