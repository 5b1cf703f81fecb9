//! What a sweep will do, in which order. Pure: the same settings and seed give the same plan.

use crate::scenario::{Levels, Workers};
use crate::server::Server;

/// What the command line and the scenario come down to.
#[derive(Debug, Clone)]
pub struct Axes<'a> {
    /// Servers compared.
    pub servers: &'a [Server],
    /// Numbers of clients.
    pub concurrency: &'a Levels,
    /// Sizes of the job; `None` alone where it has no such axis.
    pub sizes: &'a [Option<u32>],
    /// Numbers of CPUs that a server may use.
    pub cpus: &'a [u32],
    /// Numbers of workers, for servers that have them; `None`: as many as CPUs.
    pub workers: Option<&'a Workers>,
    /// What computes, for servers that can be told; none: each server's default.
    pub backends: &'a [String],
    /// How often all is done.
    pub trials: u32,
    /// Seed of every shuffle.
    pub seed: u64,
}

/// One server process from its start to its stop, over all levels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pass {
    /// Index into the servers.
    pub server: usize,
    /// CPUs that it may use.
    pub cpus: u32,
    /// Its workers; `None` where it has no such setting.
    pub workers: Option<u32>,
    /// What computes; `None` where that is not known.
    pub backend: Option<String>,
    /// From 1.
    pub trial: u32,
    /// In the order in which they are measured.
    pub levels: Vec<Level>,
}

/// So many clients, asking for jobs of one size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Level {
    /// Clients at once.
    pub clients: u32,
    /// Of the job; `None` where the scenario has no such axis.
    pub size: Option<u32>,
}

/// All passes in the order in which they run. Servers and levels are shuffled, since an ascending order confounds
/// heat and warm-up with concurrency; trials follow one another, so that servers interleave.
pub fn plan(axes: &Axes) -> Vec<Pass> {
    let mut random = fastrand::Rng::with_seed(axes.seed);
    let mut passes = Vec::new();
    for trial in 1..=axes.trials {
        let mut round = Vec::new();
        for (index, server) in axes.servers.iter().enumerate() {
            // One that runs already has the CPUs that it has.
            let counts = if server.is_started() { axes.cpus } else { &axes.cpus[..axes.cpus.len().min(1)] };
            for &cpus in counts {
                for workers in worker_counts(server, axes.workers, cpus) {
                    for backend in backends(server, axes.backends) {
                        round.push(Pass { server: index, cpus, workers, backend, trial, levels: Vec::new() });
                    }
                }
            }
        }
        random.shuffle(&mut round);
        for pass in &mut round {
            let of_size = |&size| axes.concurrency.as_slice().iter().map(move |&clients| Level { clients, size });
            pass.levels = axes.sizes.iter().flat_map(of_size).collect();
            random.shuffle(&mut pass.levels);
        }
        passes.extend(round);
    }
    passes
}

fn worker_counts(server: &Server, asked: Option<&Workers>, cpus: u32) -> Vec<Option<u32>> {
    match asked.and_then(|asked| asked.of(&server.name)) {
        _ if !server.has_workers() => vec![None],
        Some(counts) => counts.as_slice().iter().copied().map(Some).collect(),
        None => vec![Some(cpus)],
    }
}

/// The backends that a server is measured with: those asked for that it has; without a question its default.
pub fn backends(server: &Server, asked: &[String]) -> Vec<Option<String>> {
    match (&server.backends[..], asked) {
        ([], _) => vec![None],
        ([default, ..], []) => vec![Some(default.clone())],
        (own, asked) => asked.iter().filter(|backend| own.contains(backend)).cloned().map(Some).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog;
    use proptest::prelude::*;

    fn servers() -> Vec<Server> {
        catalog::all().iter().map(Server::from).collect()
    }

    proptest! {
        #[test]
        fn every_cell_once_for_each_trial(seed: u64, trials in 1u32..4, most in 1u32..9, sizes in 1u32..4, workers in prop::option::of(1u32..5), both: bool) {
            let servers = servers();
            let concurrency = Levels::new(1..=most).unwrap();
            let workers = workers.map(|most| Workers::All(Levels::new(1..=most).unwrap()));
            let backends: &[String] = if both { &["native".into(), "wasm".into()] } else { &[] };
            let sizes: Vec<Option<u32>> = (0..sizes).map(Some).collect();
            let axes = Axes {
                servers: &servers,
                backends,
                concurrency: &concurrency,
                sizes: &sizes,
                cpus: &[1, 2],
                workers: workers.as_ref(),
                trials,
                seed,
            };
            let passes = plan(&axes);
            prop_assert_eq!(&passes, &plan(&axes));
            let mut cells = std::collections::BTreeSet::new();
            for pass in &passes {
                for &level in &pass.levels {
                    prop_assert!(cells.insert((pass.server, pass.cpus, pass.workers, &pass.backend, pass.trial, level)));
                }
            }
            let counts = workers.as_ref().and_then(|workers| workers.of("")).map_or(1, |workers| workers.as_slice().len());
            let passes_of = |server: &Server| {
                let backends = if both { server.backends.len().max(1) } else { 1 };
                backends * if server.has_workers() { counts } else { 1 }
            };
            let expected: usize = servers.iter().map(passes_of).sum::<usize>() * 2 * trials as usize * most as usize * sizes.len();
            prop_assert_eq!(cells.len(), expected);
            prop_assert!(passes.windows(2).all(|pair| pair[0].trial <= pair[1].trial));
        }
    }

    #[test]
    fn a_table_of_workers_is_for_the_servers_that_it_names() {
        let servers = servers();
        let workers = Workers::ByServer([("worker-pool".to_owned(), Levels::new([2, 4]).unwrap())].into());
        let axes = Axes {
            servers: &servers,
            concurrency: &Levels::new([1]).unwrap(),
            sizes: &[None],
            cpus: &[3],
            workers: Some(&workers),
            backends: &[],
            trials: 1,
            seed: 1,
        };
        let mut counts = std::collections::BTreeMap::<_, Vec<_>>::new();
        for pass in plan(&axes) {
            counts.entry(servers[pass.server].name.clone()).or_default().push(pass.workers);
        }
        counts.values_mut().for_each(|counts| counts.sort_unstable());
        assert_eq!(counts["worker-pool"], [Some(2), Some(4)]);
        assert_eq!(counts["worker-array"], [Some(3)]);
        assert_eq!(counts["event-loop"], [None]);
    }

    #[test]
    fn the_seed_decides_the_order() {
        let servers = servers();
        let concurrency = Levels::new(1..=20).unwrap();
        let axes = Axes {
            servers: &servers,
            concurrency: &concurrency,
            sizes: &[None],
            cpus: &[2],
            workers: None,
            backends: &[],
            trials: 1,
            seed: 1,
        };
        assert_ne!(plan(&axes), plan(&Axes { seed: 2, ..axes.clone() }));
        assert!(!plan(&axes)[0].levels.is_sorted());
    }
}
