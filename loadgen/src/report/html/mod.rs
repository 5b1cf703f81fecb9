//! report.html: one file that shows a run to people, without network, light and dark, on a phone and on paper.
//!
//! The page is made of sections, one file each; [`markup`] keeps what they show from breaking it. Charts are those of
//! the picture files, inline, once for a wide and once for a narrow screen; style sheet and script are files beside
//! this one. Without the script the page has everything but tooltips.

mod cautions;
mod ceiling;
mod figures;
mod headline;
pub mod markup;
mod method;
mod overview;
mod page;
mod servers;
mod timeline;
mod verdicts;

pub use page::page;
