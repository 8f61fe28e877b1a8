//! A test world: catalogs, installed operators, and requests.

use std::fmt::{self, Debug};
use std::str::FromStr;
use std::sync::Arc;

use portolan_core_catalog::{Catalog, Reading, Requirements};
use portolan_core_graph::Charted;
use portolan_core_names::CatalogName;
use portolan_core_solver::{
    Budget, CatalogOffer, Freshness, InstalledOperator, Mode, OperatorFacts, Question,
    RequestedPackage, Resolution, Universe, resolve,
};
use portolan_kit::catalog;

/// A test world that can be written as a text file.
#[derive(Debug, Clone)]
pub(crate) struct World {
    pub(crate) shops: Vec<Shop>,
    pub(crate) installed: Vec<InstalledOperator>,
    pub(crate) requests: Vec<RequestedPackage>,
    pub(crate) mode: Mode,
}

/// A catalog of the world.
#[derive(Debug, Clone)]
pub(crate) struct Shop {
    pub(crate) name: &'static str,
    pub(crate) priority: i32,
    pub(crate) freshness: Freshness,
    /// The content, in the language of the kit.
    pub(crate) text: String,
    /// Additional properties of bundles as JSON, because the language of the kit cannot express
    /// them.
    pub(crate) properties: Vec<(String, String)>,
}

/// A catalog of the world after its documents were read.
#[derive(Debug)]
pub(crate) struct Offer {
    pub(crate) name: CatalogName,
    pub(crate) priority: i32,
    pub(crate) freshness: Freshness,
    pub(crate) catalog: Catalog,
}

// === impl World ===

impl World {
    /// Returns a world with one catalog, and without installed operators or requests.
    pub(crate) fn of(text: &str) -> Self {
        Self {
            shops: vec![Shop::of("one", 0, text)],
            installed: Vec::new(),
            requests: Vec::new(),
            mode: Mode::Together,
        }
    }

    pub(crate) fn shop(mut self, name: &'static str, priority: i32, text: &str) -> Self {
        self.shops.push(Shop::of(name, priority, text));
        self
    }

    /// Adds a catalog that cannot be read.
    pub(crate) fn unread(mut self, name: &'static str) -> Self {
        self.shops.push(Shop {
            freshness: Freshness::Unread("nobody is there".to_owned()),
            ..Shop::of(name, 0, "")
        });
        self
    }

    /// Adds a property to a bundle of the last catalog.
    pub(crate) fn property(mut self, bundle: &str, json: &str) -> Self {
        let shop = self.shops.last_mut().expect("a world has a catalog");
        shop.properties.push((bundle.to_owned(), json.to_owned()));
        self
    }

    pub(crate) fn installed(mut self, name: &str) -> Self {
        self.installed.push(InstalledOperator::named(parsed(name)));
        self
    }

    /// Parses a request such as `quay@>=3.9.0 <3.10.0 channel=stable-3.9 catalog=one`.
    pub(crate) fn request(mut self, text: &str) -> Self {
        self.requests.push(request(text));
        self
    }

    pub(crate) fn each(self) -> Self {
        Self {
            mode: Mode::Each,
            ..self
        }
    }

    pub(crate) fn offers(&self) -> Vec<Offer> {
        self.shops.iter().map(Shop::offer).collect()
    }

    pub(crate) fn question(&self) -> Question {
        Question {
            wishes: self.requests.clone(),
            installed: self.installed.clone(),
            mode: self.mode,
            budget: Budget::default(),
        }
    }

    pub(crate) fn answer(&self) -> Resolution {
        resolve(&universe(&self.offers()), &self.question()).expect("the solver must be sound")
    }
}

/// Returns the input of the solver.
pub(crate) fn universe(offers: &[Offer]) -> Universe {
    Universe::of(offers.iter().map(Offer::source))
}

/// Parses a text that a test contains. Panics if the text is invalid.
pub(crate) fn parsed<T: FromStr<Err: Debug>>(text: &str) -> T {
    let read = text.parse();
    read.unwrap_or_else(|refusal| panic!("{text:?} must parse: {refusal:?}"))
}

pub(crate) fn request(text: &str) -> RequestedPackage {
    let mut rest = text;
    let mut cut = |mark: &str| {
        let (before, value) = rest.rsplit_once(mark)?;
        rest = before;
        Some(value.to_owned())
    };
    let catalog = cut(" catalog=").map(|name| parsed(&name));
    let channel = cut(" channel=").map(|name| parsed(&name));
    let range = cut("@").map(|text| parsed(&text));
    RequestedPackage {
        package: parsed(rest),
        range,
        channel,
        catalog,
    }
}

// === impl Shop ===

impl Shop {
    pub(crate) fn of(name: &'static str, priority: i32, text: &str) -> Self {
        Self {
            name,
            priority,
            freshness: Freshness::Serving,
            text: text.to_owned(),
            properties: Vec::new(),
        }
    }

    fn offer(&self) -> Offer {
        let lines = catalog(&self.text).to_json_lines();
        let lines: Vec<_> = lines
            .lines()
            .map(|line| self.with_properties(line))
            .collect();
        let reading = Reading::of("catalog.json", lines.join("\n").as_bytes());
        Offer {
            name: parsed(self.name),
            priority: self.priority,
            freshness: self.freshness.clone(),
            catalog: Catalog::of([reading]),
        }
    }

    fn with_properties(&self, document: &str) -> String {
        let mut document = document.to_owned();
        for (bundle, property) in &self.properties {
            let is_bundle = document.contains(r#""schema":"olm.bundle""#);
            if is_bundle && document.contains(&format!(r#""name":"{bundle}""#)) {
                let properties = r#""properties":["#;
                document = document.replace(properties, &format!("{properties}{property},"));
            }
        }
        document
    }
}

// === impl Offer ===

impl Offer {
    pub(crate) fn source(&self) -> CatalogOffer {
        let packages = self.catalog.packages.values();
        CatalogOffer {
            name: self.name.clone(),
            priority: self.priority,
            freshness: self.freshness.clone(),
            errors: Vec::new(),
            packages: packages
                .map(|package| Arc::new(Charted::new(Arc::clone(package))))
                .collect(),
        }
    }
}

/// Prints the complete world, so that a failing world can be created again.
impl fmt::Display for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for shop in &self.shops {
            let Shop {
                name,
                priority,
                freshness,
                text,
                properties,
            } = shop;
            writeln!(f, "catalog {name} priority {priority} {freshness:?}")?;
            for line in text.lines() {
                writeln!(f, "    {line}")?;
            }
            for (bundle, property) in properties {
                writeln!(f, "    {bundle} says {property}")?;
            }
        }
        for installed in &self.installed {
            let InstalledOperator {
                name,
                version,
                package,
                facts,
            } = installed;
            let told = |text: Option<String>| text.unwrap_or_else(|| "?".to_owned());
            let version = told(version.as_ref().map(ToString::to_string));
            let package = told(package.as_ref().map(ToString::to_string));
            writeln!(
                f,
                "installed {name} version {version} package {package}{}",
                Told(facts)
            )?;
        }
        for request in &self.requests {
            writeln!(f, "request {request}")?;
        }
        writeln!(f, "{:?}", self.mode)
    }
}

struct Told<'a>(&'a Option<Arc<OperatorFacts>>);

impl fmt::Display for Told<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(facts) = self.0 else {
            return Ok(());
        };
        for api in &facts.provides {
            write!(f, " provides {api}")?;
        }
        let requires: &Requirements = &facts.requires;
        for requirement in requires.each() {
            write!(f, " requires {requirement}")?;
        }
        Ok(())
    }
}
