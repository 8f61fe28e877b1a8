//! Compares `portolan_core_solver::resolve` with deppy, for requests for operators that depend on
//! each other.
//!
//! Both solvers get the same requests, alternately. The preparation is not measured: our solver has
//! already read the catalog, and deppy has the variables of each request in memory. The first
//! request is not measured. deppy gets the problems in the form in which OLM v1 used it, see
//! [`problem`].

mod deppy;
mod ours;
mod problem;
mod report;

use std::time::Duration;

use portolan_kit::Catalog;
use portolan_kit::universe::{WOVEN_VERSIONS, pigeons, requested_packages, sparse, woven};

use self::deppy::Deppy;
pub(crate) use self::deppy::version as deppy_version;
use self::ours::{Ours, Outcome};
use self::problem::Problems;
use crate::failure::Failure;
use crate::table::Table;

/// The seed of all catalogs. Requests have other seeds, from 1 on.
const SEED: u64 = 9;

/// The maximum time that deppy gets for a random request. If deppy exceeds it, this time is its
/// result, and deppy is restarted. For woven catalogs, deppy needs a minute for some requests.
const PATIENCE: Duration = Duration::from_secs(5);

/// The size of the measurement.
#[derive(Debug, Clone, Copy)]
struct Extent {
    requests: u64,
    sparse: &'static [World],
    woven: &'static [World],
    /// The catalog and requests that only our solver gets.
    alone: World,
    /// The number of holes in the hard problems, which are pigeonhole problems.
    holes: usize,
    /// The maximum time that deppy gets for a hard problem.
    patience: Duration,
}

/// The size of a catalog, and of the requests for it.
#[derive(Debug, Clone, Copy)]
struct World {
    packages: usize,
    versions: usize,
    requested: usize,
}

/// The results for all requests about one catalog.
#[derive(Debug)]
struct Course {
    world: World,
    /// The times of our solver in seconds.
    ours: Vec<f64>,
    /// The times of deppy in seconds.
    theirs: Vec<f64>,
    /// The number of requests that deppy can satisfy.
    granted: usize,
    /// The number of requests that deppy did not complete in time.
    unanswered: usize,
    /// The number of completed requests for which both solvers have the same result.
    alike: usize,
}

/// The results for the hard problems.
#[derive(Debug)]
struct HardProblem {
    holes: usize,
    ours: ours::Answered,
    theirs: Option<deppy::Solved>,
    patience: Duration,
}

const FULL: Extent = Extent {
    requests: 50,
    sparse: &[
        World::sized(100, 20, 20),
        World::sized(100, 50, 20),
        World::sized(200, 50, 40),
        World::sized(400, 50, 50),
    ],
    woven: &[
        World::sized(100, WOVEN_VERSIONS, 1),
        World::sized(100, WOVEN_VERSIONS, 20),
        World::sized(500, WOVEN_VERSIONS, 5),
        World::sized(500, WOVEN_VERSIONS, 20),
        World::sized(1000, WOVEN_VERSIONS, 5),
        World::sized(1000, WOVEN_VERSIONS, 20),
    ],
    alone: World::sized(150, WOVEN_VERSIONS, 10),
    holes: 14,
    patience: Duration::from_secs(60),
};

const QUICK: Extent = Extent {
    requests: 3,
    sparse: &[World::sized(10, 5, 2), World::sized(20, 5, 2)],
    woven: &[World::sized(20, WOVEN_VERSIONS, 2)],
    alone: World::sized(20, WOVEN_VERSIONS, 2),
    holes: 3,
    patience: Duration::from_secs(10),
};

/// Sends requests for catalogs of each size to both solvers. Sends requests for one more catalog
/// only to our solver. Then sends hard problems to both solvers.
pub(crate) async fn measure(is_quick: bool, table: &mut Table) -> Result<(), Failure> {
    let extent = if is_quick { QUICK } else { FULL };
    let courses = courses(&extent, extent.sparse, World::sparse).await?;
    report::compare("packages in any version", &courses, table);
    let woven = self::courses(&extent, extent.woven, World::woven).await?;
    report::compare("ranges and shared APIs", &woven, table);
    report::growth(&courses, table);
    report::alone(extent.alone, &alone(&extent)?, table);
    report::hard_problem(&hard_problem(&extent).await?, table);
    Ok(())
}

async fn courses(
    extent: &Extent,
    worlds: &[World],
    generate: fn(&World) -> Catalog,
) -> Result<Vec<Course>, Failure> {
    let mut courses = Vec::new();
    for world in worlds {
        courses.push(course(*world, &generate(world), extent.requests).await?);
    }
    Ok(courses)
}

async fn course(world: World, catalog: &Catalog, requests: u64) -> Result<Course, Failure> {
    let (ours, problems) = (Ours::prepared(catalog)?, Problems::of(catalog)?);
    let mut deppy = Deppy::start()?;
    let mut course = Course::of(world);
    for seed in 0..=requests {
        let required = requested_packages(catalog, world.requested, seed);
        let answered = ours.solve(&required)?;
        let solved = deppy
            .solve(&problems.requiring(&required), PATIENCE)
            .await?;
        if solved.is_none() {
            deppy = Deppy::start()?;
        }
        if seed > 0 {
            course.add(answered, solved);
        }
    }
    Ok(course)
}

/// Returns the seconds that our solver needs for each request.
fn alone(extent: &Extent) -> Result<Vec<f64>, Failure> {
    let catalog = extent.alone.woven();
    let ours = Ours::prepared(&catalog)?;
    let mut times = Vec::new();
    for seed in 0..=extent.requests {
        let answered = ours.solve(&requested_packages(&catalog, extent.alone.requested, seed))?;
        times.push(answered.took.as_secs_f64());
    }
    times.remove(0);
    Ok(times)
}

async fn hard_problem(extent: &Extent) -> Result<HardProblem, Failure> {
    let catalog = pigeons(extent.holes);
    let required = requested_packages(&catalog, catalog.packages.len(), SEED);
    let problems = Problems::of(&catalog)?;
    let mut deppy = Deppy::start()?;
    Ok(HardProblem {
        holes: extent.holes,
        ours: Ours::prepared(&catalog)?.solve(&required)?,
        theirs: deppy
            .solve(&problems.requiring(&required), extent.patience)
            .await?,
        patience: extent.patience,
    })
}

// === impl World ===

impl World {
    const fn sized(packages: usize, versions: usize, requested: usize) -> Self {
        Self {
            packages,
            versions,
            requested,
        }
    }

    fn bundles(&self) -> usize {
        self.packages * self.versions
    }

    fn sparse(&self) -> Catalog {
        sparse(self.packages, self.versions, SEED)
    }

    fn woven(&self) -> Catalog {
        woven(self.packages, SEED)
    }
}

// === impl Course ===

impl Course {
    fn of(world: World) -> Self {
        Self {
            world,
            ours: Vec::new(),
            theirs: Vec::new(),
            granted: 0,
            unanswered: 0,
            alike: 0,
        }
    }

    fn add(&mut self, ours: ours::Answered, theirs: Option<deppy::Solved>) {
        self.ours.push(ours.took.as_secs_f64());
        let took = theirs.map_or(PATIENCE, |solved| solved.took);
        self.theirs.push(took.as_secs_f64());
        let Some(theirs) = theirs else {
            self.unanswered += 1;
            return;
        };
        self.granted += usize::from(theirs.is_granted);
        let is_alike = match ours.outcome {
            Outcome::Granted => theirs.is_granted,
            Outcome::Refused => !theirs.is_granted,
            Outcome::GaveUp { .. } => false,
        };
        self.alike += usize::from(is_alike);
    }
}
