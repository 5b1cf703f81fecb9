//! Which client's time is up first.

/// Clients in the order in which they came, so in the order of their times where all wait equally long. Coming and going
/// cost the same for any number of them, and no memory is asked for on the way.
#[derive(Debug)]
pub(super) struct Deadlines {
    /// The neighbours of each client; one more entry is head and tail. Who is not in the queue is its own neighbour.
    next: Vec<u32>,
    previous: Vec<u32>,
}

impl Deadlines {
    pub(super) fn new(clients: usize) -> Self {
        let alone: Vec<u32> = (0..=clients as u32).collect();
        Self { next: alone.clone(), previous: alone }
    }

    /// Whose time is up first.
    pub(super) fn first(&self) -> Option<usize> {
        let ends = self.next.len() - 1;
        let first = self.next[ends] as usize;
        (first != ends).then_some(first)
    }

    /// Puts a client last, wherever it was before.
    pub(super) fn push(&mut self, client: usize) {
        self.remove(client);
        let ends = self.next.len() - 1;
        let last = self.previous[ends];
        (self.previous[client], self.next[client]) = (last, ends as u32);
        (self.next[last as usize], self.previous[ends]) = (client as u32, client as u32);
    }

    /// Takes a client out, if it is in.
    pub(super) fn remove(&mut self, client: usize) {
        let (previous, next) = (self.previous[client], self.next[client]);
        (self.next[previous as usize], self.previous[next as usize]) = (next, previous);
        (self.previous[client], self.next[client]) = (client as u32, client as u32);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_a_queue_from_whose_middle_one_can_go(steps in proptest::collection::vec((any::<bool>(), 0usize..7), 0..60)) {
            let (mut deadlines, mut queue) = (Deadlines::new(7), VecDeque::new());
            for (comes, client) in steps {
                queue.retain(|&other| other != client);
                if comes {
                    queue.push_back(client);
                    deadlines.push(client);
                } else {
                    deadlines.remove(client);
                }
                prop_assert_eq!(deadlines.first(), queue.front().copied());
            }
            while let Some(client) = queue.pop_front() {
                prop_assert_eq!(deadlines.first(), Some(client));
                deadlines.remove(client);
            }
            prop_assert_eq!(deadlines.first(), None);
        }
    }
}
