//! What can a server do when every request burns CPU?
//!
//! Data flows one way: [`scenario`] and command line make a [`plan`]; [`sweep`] starts each [`server`] as a process of
//! its own ([`subject`]), drives it ([`engine`]) level by level, and saves [`results`]; [`analysis`] and [`report`]
//! make tables and pictures of them. docs/ARCHITECTURE.md says what may import what.

#[macro_use]
mod say;

pub mod analysis;
pub mod catalog;
pub mod cli;
pub mod colour;
pub mod commands;
pub mod contract;
pub mod control;
pub mod engine;
pub mod format;
pub mod image;
pub mod installed;
pub mod interrupt;
pub mod plan;
pub mod report;
pub mod results;
pub mod running;
pub mod scenario;
pub mod server;
pub mod subject;
pub mod sweep;
pub mod target;
