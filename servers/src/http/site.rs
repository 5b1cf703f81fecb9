//! What handlers work with.

use std::rc::Rc;
use std::sync::Arc;

use super::metrics::Metrics;
use crate::executor::Executor;
use crate::serve::Config;
use crate::store::Store;

/// What the handlers of one event loop work with.
#[derive(Clone)]
pub(crate) struct Site {
    pub(crate) executor: Rc<dyn Executor>,
    pub(crate) shared: Shared,
}

/// What all event loops of a server have in common.
#[derive(Clone)]
pub(crate) struct Shared {
    pub(super) metrics: Arc<Metrics>,
    pub(super) store: Arc<Store>,
    pub(super) max_n: u32,
    pub(super) max_pixels: u64,
    pub(super) max_body: usize,
}

impl Shared {
    pub(crate) fn new(config: &Config) -> Self {
        Self {
            metrics: Arc::default(),
            store: Arc::new(Store::new(config.store_bytes)),
            max_n: config.max_n,
            max_pixels: config.max_pixels,
            max_body: config.max_body,
        }
    }
}
