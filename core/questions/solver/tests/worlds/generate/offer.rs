//! Generates a package as an author may publish it.

use std::fmt::Write as _;

use super::{APIS, RANGES, Supply};
use crate::dice::Dice;
use crate::world::Shop;

const VERSIONS: [&str; 4] = ["1.0.0", "1.1.0", "2.0.0", "3.0.0"];

/// A property of a bundle that the catalog texts of the kit cannot express.
const PROHIBITED: &str = r#"{"type":"olm.deprecated","value":{}}"#;

pub(super) struct Author<'d, 't> {
    dice: &'d mut Dice<'t>,
    packages: &'d [&'d str],
    package: &'d str,
    /// The API that some bundles of the package provide.
    api: &'d str,
    supply: Supply,
}

// === impl Author ===

impl<'d, 't> Author<'d, 't> {
    pub(super) fn new(
        dice: &'d mut Dice<'t>,
        packages: &'d [&'d str],
        package: &'d str,
        supply: Supply,
    ) -> Self {
        let api = dice.pick(&APIS[..3]);
        Self {
            dice,
            packages,
            package,
            api,
            supply,
        }
    }

    pub(super) fn publish(&mut self, shop: &mut Shop, most: usize) {
        let package = self.package;
        let mut versions = self.versions(most);
        let unlisted = (versions.len() > 1 && self.dice.is_rare(8)).then(|| versions.remove(0));
        if let Some(unlisted) = unlisted {
            self.write_line(shop, format_args!("{package}: {unlisted} unlisted"));
        }
        self.channel(shop, "stable", &versions);
        if self.dice.is_rare(3) {
            let first = self.dice.roll(versions.len());
            self.channel(shop, "fast", &versions[first..]);
            if self.dice.is_rare(2) {
                self.write_line(shop, format_args!("{package}: default fast"));
            }
            if self.dice.is_rare(6) {
                self.write_line(
                    shop,
                    format_args!("{package}: channel fast deprecated \"slow\""),
                );
            }
        }
        if self.dice.is_rare(12) {
            self.write_line(shop, format_args!("{package}: package deprecated \"old\""));
        }
        for version in unlisted.into_iter().chain(versions.iter().copied()) {
            self.bundle(shop, version);
        }
        if self.dice.is_rare(16) {
            let last = versions.last().expect("a package has a version");
            self.write_line(shop, format_args!("{package}: {last} missing"));
        }
    }

    fn write_line(&self, shop: &mut Shop, line: std::fmt::Arguments<'_>) {
        writeln!(shop.text, "{line}").expect("a text takes a line");
    }

    fn versions(&mut self, most: usize) -> Vec<&'static str> {
        let first = self.dice.roll(2);
        let count = 1 + self.dice.roll(most);
        let mut versions: Vec<_> = VERSIONS.iter().skip(first).take(count).copied().collect();
        for version in &mut versions {
            if *version == "2.0.0" && self.dice.is_rare(4) {
                *version = "2.0.0-rc.1";
            }
        }
        versions
    }

    /// Generates a channel. The channel is mostly a chain, sometimes with missing or additional
    /// entries.
    fn channel(&mut self, shop: &mut Shop, channel: &str, versions: &[&str]) {
        let head = format!("{}/{channel}", self.package);
        self.write_line(shop, format_args!("{head}: {}", versions[0]));
        for pair in versions.windows(2) {
            let [before, version] = pair else { continue };
            match self.dice.roll(8) {
                0..=3 => self.write_line(shop, format_args!("{head}: {before} -> {version}")),
                4 => self.write_line(shop, format_args!("{head}: {version}")),
                5 => self.write_line(shop, format_args!("{head}: {version} skips {before}")),
                6 => self.write_line(
                    shop,
                    format_args!("{head}: {version} covers >=0.9.0 <{version}"),
                ),
                _ => self.write_line(shop, format_args!("{head}: {version} replaces 0.9.0")),
            }
        }
        if versions.len() > 1 && self.dice.is_rare(16) {
            let (first, last) = (versions[0], versions[versions.len() - 1]);
            self.write_line(shop, format_args!("{head}: {first} replaces {last}"));
        }
    }

    fn bundle(&mut self, shop: &mut Shop, version: &str) {
        match self.supply {
            Supply::Scarce => self.scarce(shop, version),
            Supply::Plenty => self.plenty(shop, version),
        }
        let package = self.package;
        if self.dice.is_rare(9) {
            self.write_line(
                shop,
                format_args!("{package}: {version} deprecated \"weak\""),
            );
        }
        if self.dice.is_rare(11) {
            let bundle = format!("{package}.v{version}");
            shop.properties.push((bundle, PROHIBITED.to_owned()));
        }
    }

    fn scarce(&mut self, shop: &mut Shop, version: &str) {
        let (package, api) = (self.package, self.api);
        if self.dice.is_rare(2) {
            self.write_line(shop, format_args!("{package}: {version} provides {api}"));
        }
        if self.dice.is_rare(10) {
            let other = self.dice.pick(&APIS[..3]);
            if other != api {
                self.write_line(shop, format_args!("{package}: {version} provides {other}"));
            }
        }
        match self.dice.roll(5) {
            0 | 1 => {}
            2 | 3 => self.requirement(shop, version),
            _ => {
                self.requirement(shop, version);
                self.requirement(shop, version);
            }
        }
    }

    fn plenty(&mut self, shop: &mut Shop, version: &str) {
        let (package, api) = (self.package, self.api);
        if package == "a" {
            self.write_line(
                shop,
                format_args!("{package}: {version} requires {}", APIS[0]),
            );
            self.write_line(
                shop,
                format_args!("{package}: {version} requires {}", APIS[1]),
            );
            return;
        }
        self.write_line(shop, format_args!("{package}: {version} provides {api}"));
        if self.dice.is_rare(4) {
            let other = self.dice.pick(&APIS[..2]);
            if other != api {
                self.write_line(shop, format_args!("{package}: {version} provides {other}"));
            }
        }
        if self.dice.is_rare(4) {
            let target = self.dice.pick(&self.packages[1..]);
            self.write_line(
                shop,
                format_args!("{package}: {version} requires {target} >=1.0.0"),
            );
        }
    }

    fn requirement(&mut self, shop: &mut Shop, version: &str) {
        let package = self.package;
        match self.dice.roll(8) {
            0..=3 => {
                let target = self.dice.pick(self.packages);
                let range = self.dice.pick(&RANGES);
                self.write_line(
                    shop,
                    format_args!("{package}: {version} requires {target} {range}"),
                );
            }
            4..=6 => {
                let api = self.dice.pick(&APIS);
                self.write_line(shop, format_args!("{package}: {version} requires {api}"));
            }
            _ => {
                let rule = self.rule();
                let constraint = format!(r#"{{"type":"olm.constraint","value":{rule}}}"#);
                shop.properties
                    .push((format!("{package}.v{version}"), constraint));
            }
        }
    }

    fn rule(&mut self) -> String {
        let (one, other) = (self.part(), self.part());
        match self.dice.roll(4) {
            0 => format!(r#"{{"any":{{"constraints":[{one},{other}]}}}}"#),
            1 => format!(r#"{{"all":{{"constraints":[{one},{other}]}}}}"#),
            2 => format!(
                r#"{{"all":{{"constraints":[{one},{{"not":{{"constraints":[{other}]}}}}]}}}}"#
            ),
            _ => r#"{"failureMessage":"needs a provider of L","cel":{"rule":
                "properties.exists(p, p.type == 'olm.gvk' && p.value.kind == 'L')"}}"#
                .replace('\n', ""),
        }
    }

    fn part(&mut self) -> String {
        if self.dice.is_rare(2) {
            let kind = self.dice.pick(&["K", "L", "M"]);
            return format!(r#"{{"gvk":{{"group":"g.test","version":"v1","kind":"{kind}"}}}}"#);
        }
        let (target, range) = (self.dice.pick(self.packages), self.dice.pick(&RANGES));
        format!(r#"{{"package":{{"packageName":"{target}","versionRange":"{range}"}}}}"#)
    }
}
