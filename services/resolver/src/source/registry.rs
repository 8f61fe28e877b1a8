//! Reads a catalog over the gRPC API of operator registries: `opm serve`, and the catalog Pods of
//! OLM.
//!
//! ```text
//! ListBundles  a row for each channel and bundle --\
//! GetBundle    only if a row lacks details ---------+-> olm.* documents -> Reader -> Catalog
//! GetPackage   default channel, deprecations -------/
//! ```
//!
//! The responses are converted to documents of a file-based catalog, which are then parsed like
//! files. Therefore the same rules apply as for files, and equal content has an equal digest. The
//! list of a registry contains no icons, descriptions, related images or display texts of bundles,
//! so the [`Catalog`] lacks these details. For a single bundle, [`Registry::bundle`] returns the
//! related images and the display texts.

mod bundle;
mod document;
mod listing;

use std::collections::BTreeSet;
use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use futures::{StreamExt as _, TryStreamExt as _, stream};
use portolan_core_catalog::{Catalog, Reading};
use portolan_core_names::{BundleName, ChannelName, PackageName};
use portolan_proto::registry as pb;
use portolan_proto::registry::registry_client::RegistryClient;
use portolan_world::registry::{Connection, Unanswered, is_told, within};
use thiserror::Error;
use tokio::time::{Instant, timeout};
use tonic::transport::Channel;
use tonic::{Code, Request, Response, Status};

use self::listing::Listing;
use crate::budget::Exceeded;

pub use portolan_world::registry::{Address, Connect, Dialer, ParseAddress};

pub use self::bundle::RegistryBundle;
pub(super) use self::bundle::{csv_among, shown};
pub use crate::budget::{Budget, RegistryLimits};

const LIST_BUNDLES: &str = "ListBundles";
const GET_PACKAGE: &str = "GetPackage";
const GET_BUNDLE: &str = "GetBundle";

/// The maximum number of concurrent requests for bundles. Each response may have the maximum size
/// of a message.
const BUNDLES_AT_ONCE: usize = 4;

/// The maximum size in bytes of the response about a package. The response contains channels but no
/// bundles.
const LONGEST_HEAD: usize = 4 << 20;

/// The reply of a registry to a request. It may be an error status.
type Reply<T> = Result<T, Status>;

/// An open connection to a registry.
///
/// The connection never reconnects, so all data comes from the same server. When the connection is
/// lost, every call fails. [`Registry::connect`] then opens a new connection.
#[derive(Debug)]
pub struct Registry {
    connection: Connection,
    limits: RegistryLimits,
    budget: Budget,
}

/// The reason why a registry could not be read.
#[derive(Debug, Error)]
pub enum ReadRegistry {
    /// The connection cannot be opened.
    #[error(transparent)]
    Connect(#[from] Connect),
    /// A call failed.
    ///
    /// The message omits the causes, because the causes of a [`Status`] contain only debug output
    /// of libraries.
    #[error("call {call} of the registry failed: {:?}: {}", status.code(), status.message())]
    Call {
        call: &'static str,
        status: Box<Status>,
    },
    /// No data was received.
    #[error("call {call} of the registry failed: no data was received for {} s", limit.as_secs())]
    Stalled { call: &'static str, limit: Duration },
    /// Reading the whole catalog took too long.
    #[error("cannot read the registry: the reading took longer than {} s", .0.as_secs())]
    TooSlow(Duration),
    /// The registry sends more bytes of rows than one catalog may have.
    #[error(
        "cannot read the registry: it sends more than {0} bytes, the maximum for one catalog; to \
         allow more, increase --memory-limit of the resolver"
    )]
    TooMuch(usize),
    /// The catalogs that are read at the same time have reserved all of the memory.
    #[error(
        "cannot read the registry: the catalogs that are read at the same time use {0} bytes, the \
         maximum for all catalogs; the resolver retries; to allow more, increase --memory-limit of \
         the resolver"
    )]
    NoRoom(usize),
    /// A message is too large, or another limit is exceeded.
    #[error(
        "call {call} of the registry failed: {}; to allow longer messages, increase --memory-limit \
         of the resolver", status.message()
    )]
    TooLong {
        call: &'static str,
        status: Box<Status>,
    },
    /// The client cannot decode the reply.
    #[error("call {call} of the registry failed: the response cannot be decoded")]
    Unreadable { call: &'static str },
    /// The bundle in the reply is invalid.
    #[error("cannot read bundle {bundle} of the registry: {why}")]
    Bundle { bundle: BundleName, why: String },
}

// === impl Registry ===

impl Registry {
    /// Opens a connection.
    pub async fn connect(address: &Address, dialer: &Dialer) -> Result<Self, Connect> {
        let connection = Connection::open(address, dialer).await?;
        Ok(Self {
            connection,
            limits: RegistryLimits::default(),
            budget: Budget::default(),
        })
    }

    /// Counts the memory for reading toward this budget.
    pub fn sharing(self, budget: Budget) -> Self {
        Self {
            limits: budget.limits(),
            budget,
            ..self
        }
    }

    /// Sets the size and time limits.
    pub fn with(self, limits: RegistryLimits) -> Self {
        Self { limits, ..self }
    }

    /// Waits until the connection is lost. Returns immediately if the connection is already lost.
    /// If a server stops, its connections close immediately. If a machine disappears, the loss is
    /// noticed after a minute.
    pub async fn lost(&self) {
        self.connection.lost().await;
    }

    /// Returns true if the connection is lost.
    pub fn is_lost(&self) -> bool {
        self.connection.is_lost()
    }

    /// Reads the whole catalog. Errors in the content are reported as faults of the catalog. A
    /// package that the registry lists but does not return is also a fault.
    ///
    /// # Errors
    /// Returns an error if the content is incomplete or exceeds a limit.
    pub async fn read(&self) -> Result<Catalog, ReadRegistry> {
        let whole = self.limits.whole;
        let listing = Listing::new(self.budget.share(self.limits.rows));
        let read = timeout(whole, self.read_all(listing)).await;
        let (reading, _) = read.unwrap_or(Err(ReadRegistry::TooSlow(whole)))?;
        Ok(Catalog::of([reading]))
    }

    /// Reads the whole catalog as documents of a file-based catalog. Bundles of the packages
    /// `whole` have all details. Other bundles have only the details in the list.
    ///
    /// # Errors
    /// Returns the same errors as [`Registry::read`].
    pub async fn documents(
        &self,
        packages: BTreeSet<PackageName>,
    ) -> Result<Vec<u8>, ReadRegistry> {
        let whole = self.limits.whole;
        let listing = Listing::new(self.budget.share(self.limits.rows)).kept(packages);
        let read = timeout(whole, self.read_all(listing)).await;
        let (_, documents) = read.unwrap_or(Err(ReadRegistry::TooSlow(whole)))?;
        Ok(documents)
    }

    /// Reads one bundle, with the manifests that the registry has. `channel` must contain the
    /// bundle, because every request for a bundle must name a channel.
    ///
    /// # Errors
    /// Returns an error if the registry does not know the bundle, or returns another bundle.
    pub async fn bundle(
        &self,
        package: &PackageName,
        channel: &ChannelName,
        bundle: &BundleName,
    ) -> Result<RegistryBundle, ReadRegistry> {
        let asked = pb::GetBundleRequest {
            package_name: package.to_string(),
            channel_name: channel.to_string(),
            bundle_name: bundle.to_string(),
        };
        let limit = self.limits.bundle;
        let told = timeout(limit, self.ask_bundle(asked)).await;
        let told = told.unwrap_or(Err(ReadRegistry::Stalled {
            call: GET_BUNDLE,
            limit,
        }))?;
        RegistryBundle::decode(&told.map_err(failed(GET_BUNDLE))?, bundle)
    }

    async fn read_all(&self, listing: Listing) -> Result<(Reading, Vec<u8>), ReadRegistry> {
        let mut listing = self.list(listing).await?;
        let untold = stream::iter(listing.take_untold()).map(|row| self.complete(row));
        let mut untold = pin!(untold.buffered(BUNDLES_AT_ONCE));
        while let Some((row, told)) = untold.try_next().await? {
            match told {
                Ok(()) => listing.complete(&row)?,
                Err(why) => listing.add_without_details(&row, GET_BUNDLE, &why),
            }
        }
        let heads = stream::iter(listing.packages()).map(|name| self.head(name));
        let mut heads = pin!(heads.buffered(self.limits.at_once));
        while let Some((name, told)) = heads.try_next().await? {
            match told {
                Ok(head) => listing.head(&name, head)?,
                Err(why) => listing.refused(GET_PACKAGE, &name, &why),
            }
        }
        Ok(listing.finish())
    }

    async fn list(&self, mut listing: Listing) -> Result<Listing, ReadRegistry> {
        // If the caller stops waiting, the request is cancelled, and the registry stops sending.
        let mut request = Request::new(pb::ListBundlesRequest {});
        request.set_timeout(self.limits.whole);
        let mut client = self.client();
        let rows = self.answer(LIST_BUNDLES, client.list_bundles(request));
        let mut rows = rows.await?.map_err(failed(LIST_BUNDLES))?;
        let mut next = async || {
            let row = self.within(LIST_BUNDLES, rows.message()).await?;
            row.map_err(failed(LIST_BUNDLES))
        };
        while let Some(row) = next().await? {
            listing.take(row)?;
        }
        Ok(listing)
    }

    /// Adds the details that the registry returns only in a request for this bundle.
    async fn complete(&self, mut row: pb::Bundle) -> Result<(pb::Bundle, Reply<()>), ReadRegistry> {
        let told = self.ask_bundle(pb::GetBundleRequest {
            package_name: row.package_name.clone(),
            channel_name: row.channel_name.clone(),
            bundle_name: row.name.clone(),
        });
        let told = told.await?.map(|told| {
            row.csv_json = told.csv_json;
            row.objects = told.objects;
        });
        Ok((row, told))
    }

    async fn head(&self, name: String) -> Result<(String, Reply<pb::Package>), ReadRegistry> {
        let request = pb::GetPackageRequest { name: name.clone() };
        let mut client = self.client_for(LONGEST_HEAD);
        let told = self
            .answer(GET_PACKAGE, client.get_package(request))
            .await?;
        Ok((name, told))
    }

    async fn ask_bundle(
        &self,
        request: pb::GetBundleRequest,
    ) -> Result<Reply<pb::Bundle>, ReadRegistry> {
        let mut client = self.client();
        self.answer(GET_BUNDLE, client.get_bundle(request)).await
    }

    /// Returns the reply of the registry, which may be an error status. Returns an error if the
    /// registry sends no reply.
    async fn answer<T>(
        &self,
        call: &'static str,
        asked: impl Future<Output = Result<Response<T>, Status>>,
    ) -> Result<Reply<T>, ReadRegistry> {
        match self.within(call, asked).await? {
            Ok(answer) => Ok(Ok(answer.into_inner())),
            Err(status) if is_answer(&status) => Ok(Err(status)),
            Err(status) => Err(failed(call)(status)),
        }
    }

    async fn within<T>(
        &self,
        call: &'static str,
        asked: impl Future<Output = T>,
    ) -> Result<T, ReadRegistry> {
        let limit = self.limits.stall;
        let answered = within(Instant::now() + limit, asked).await;
        answered.map_err(|unanswered| match unanswered {
            Unanswered::Silent => ReadRegistry::Stalled { call, limit },
            Unanswered::Unreadable => ReadRegistry::Unreadable { call },
        })
    }

    fn client(&self) -> RegistryClient<Channel> {
        self.client_for(usize::MAX)
    }

    fn client_for(&self, longest: usize) -> RegistryClient<Channel> {
        let channel = self.connection.channel();
        let longest = longest.min(self.limits.message);
        RegistryClient::new(channel).max_decoding_message_size(longest)
    }
}

// === impl ReadRegistry ===

impl ReadRegistry {
    /// Returns true if the registry exceeds a limit. A retry would exceed the limit again.
    pub(crate) fn is_too_much(&self) -> bool {
        matches!(self, Self::TooMuch(_) | Self::TooLong { .. })
    }
}

impl From<Exceeded> for ReadRegistry {
    fn from(exceeded: Exceeded) -> Self {
        match exceeded {
            Exceeded::One(most) => Self::TooMuch(most),
            Exceeded::All(most) => Self::NoRoom(most),
        }
    }
}

fn failed(call: &'static str) -> impl FnOnce(Status) -> ReadRegistry {
    move |status| {
        let is_too_long = status.code() == Code::OutOfRange;
        let status = Box::new(status);
        if is_too_long {
            ReadRegistry::TooLong { call, status }
        } else {
            ReadRegistry::Call { call, status }
        }
    }
}

/// Returns true if the server has sent this status. Then the next request may succeed. If the
/// response is missing, the client creates a status, and this status has a cause.
fn is_answer(status: &Status) -> bool {
    let is_answered = match status.code() {
        Code::Ok
        | Code::Unknown
        | Code::InvalidArgument
        | Code::NotFound
        | Code::AlreadyExists
        | Code::FailedPrecondition
        | Code::OutOfRange
        | Code::Internal
        | Code::DataLoss => true,
        Code::Cancelled
        | Code::DeadlineExceeded
        | Code::PermissionDenied
        | Code::ResourceExhausted
        | Code::Aborted
        | Code::Unimplemented
        | Code::Unavailable
        | Code::Unauthenticated => false,
    };
    is_answered && is_told(status)
}
