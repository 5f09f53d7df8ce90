//! What `sue_top` would tell of the commands of the subordinate: bodies become PDUs, move, end, or are taken by no port.

use super::common::Pins;
use flitforge_elaborate::drive::FromValue;
use flitforge_hdl_sue::slot_walker::{BodyStatus, Completion};
use flitforge_hdl_sue::top::{BodyOrigin, Dispatch};
use flitforge_model::sue::axi::AxiSubordinate;
use flitforge_sim::kit::Rng;
use flitforge_sim::Bench;
use rand::seq::IteratorRandom as _;
use rand::Rng as _;
use rust_hdl::prelude::*;
use std::collections::{BTreeMap, VecDeque};

type DispatchBits = Bits<{ <Dispatch as Synth>::BITS }>;
type CompletionBits = Bits<{ <Completion as Synth>::BITS }>;
type OriginBits = Bits<{ <BodyOrigin as Synth>::BITS }>;
/// What a completion says, by the code of the status.
pub const STATUSES: [&str; 4] = ["delivered", "failed", "flushed", "unknown"];

/// A completion: of which body, and its status.
pub fn completion(destination: u16, vc: u8, commands: usize, status: usize) -> Completion {
    let status =
        [BodyStatus::Delivered, BodyStatus::Failed, BodyStatus::Flushed, BodyStatus::Unknown][status];
    Completion {
        connection: u64::from(destination << 2 | u16::from(vc)).into(),
        destination: u64::from(destination).into(),
        vc: u64::from(vc).into(),
        commands: (commands as u64).into(),
        status,
    }
}

/// A body that becomes a PDU, or one of another port.
pub fn dispatch(destination: u16, vc: u8, commands: usize, port: u8, from: Option<u8>) -> Dispatch {
    Dispatch {
        port: u64::from(port).into(),
        destination: u64::from(destination).into(),
        vc: u64::from(vc).into(),
        commands: (commands as u64).into(),
        from: u64::from(from.unwrap_or(3)).into(),
        moved: from.is_some(),
    }
}

/// Bodies of one subordinate, at four ports.
#[derive(Default)]
pub struct Bodies {
    /// By destination: commands that are in no PDU.
    waiting: BTreeMap<u16, usize>,
    /// By port and destination: commands of each PDU.
    pdus: BTreeMap<(u8, u16), VecDeque<usize>>,
    /// Clocks until something may be told again.
    rests: [u32; 2],
    /// Clocks in which nothing ends.
    pause: u32,
}

impl Bodies {
    /// A command has left.
    pub fn leaves(&mut self, destination: u16) {
        *self.waiting.entry(destination).or_default() += 1;
    }

    fn some_waiting(&mut self, random: &mut Rng) -> Option<(u16, usize)> {
        let (destination, waiting) =
            self.waiting.iter_mut().filter(|(_, count)| **count > 0).choose(random)?;
        let commands = random.random_range(1..=*waiting);
        *waiting -= commands;
        Some((*destination, commands))
    }

    fn some_pdu(&mut self, random: &mut Rng) -> Option<(u8, u16, usize)> {
        let ((port, destination), pdus) =
            self.pdus.iter_mut().filter(|(_, pdus)| !pdus.is_empty()).choose(random)?;
        Some((*port, *destination, pdus.pop_front()?))
    }

    /// What ends in this clock.
    fn end(
        &mut self,
        random: &mut Rng,
        model: &mut AxiSubordinate,
    ) -> Option<(Completion, BodyOrigin, String)> {
        if random.random_bool(0.1) {
            // another virtual channel
            let other = completion(random.random_range(1..4), random.random_range(1..4), 1, 0);
            return Some((other, BodyOrigin { port: 0.into(), sent: true }, "another channel".into()));
        }
        if random.random_bool(0.1) {
            let (destination, commands) = self.some_waiting(random)?;
            model.refused(destination, commands, 1).expect("in flight");
            let origin = BodyOrigin { port: random.random_range(0..4u64).into(), sent: false };
            return Some((completion(destination, 0, commands, 1), origin, "no port took it".into()));
        }
        let (port, destination, commands) = self.some_pdu(random)?;
        let status = if random.random_bool(0.7) { 0 } else { random.random_range(1..4) };
        model.completed(port, destination, status as u8).expect("in flight");
        let origin = BodyOrigin { port: u64::from(port).into(), sent: true };
        Some((completion(destination, 0, commands, status), origin, STATUSES[status].into()))
    }

    /// What becomes a PDU in this clock, or moves.
    fn begin(&mut self, random: &mut Rng, model: &mut AxiSubordinate) -> Option<(Dispatch, &'static str)> {
        let port = random.random_range(0..4);
        if random.random_bool(0.1) {
            let vc = random.random_range(1..4);
            return Some((dispatch(random.random_range(1..4), vc, 1, port, None), "another channel"));
        }
        if random.random_bool(0.2) {
            let (from, destination, commands) = self.some_pdu(random)?;
            model.moved(from, port, destination);
            self.pdus.entry((port, destination)).or_default().push_back(commands);
            return Some((dispatch(destination, 0, commands, port, Some(from)), "moved"));
        }
        let (destination, commands) = self.some_waiting(random)?;
        model.dispatched(port, destination, commands);
        self.pdus.entry((port, destination)).or_default().push_back(commands);
        Some((dispatch(destination, 0, commands, port, None), "a PDU"))
    }

    /// Drives both flows, and tells the model; what has happened.
    pub fn drive(
        &mut self,
        random: &mut Rng,
        model: &mut AxiSubordinate,
        pins: &mut Pins,
        bench: &mut dyn Bench,
    ) -> Vec<String> {
        let mut happened = vec![];
        self.pause = self.pause.saturating_sub(1);
        if random.random_bool(0.0005) {
            self.pause = random.random_range(1..3_000);
        }
        let may = self.rests.map(|rest| rest == 0);
        self.rests = self.rests.map(|rest| rest.saturating_sub(1));
        let ends = may[0] && self.pause == 0 && random.random_bool(0.04);
        let ended = if ends { self.end(random, model) } else { None };
        pins.set(bench, "completions.valid", ended.is_some().into());
        if let Some((said, origin, what)) = ended {
            let (said, origin): (CompletionBits, OriginBits) = (said.into(), origin.into());
            pins.set_value(bench, "completions.data", &said.to_value());
            pins.set_value(bench, "completion_of", &origin.to_value());
            happened.push(what);
            self.rests[0] = 1;
        }
        let begins = may[1] && random.random_bool(0.04);
        let begun = if begins { self.begin(random, model) } else { None };
        pins.set(bench, "dispatches.valid", begun.is_some().into());
        if let Some((said, what)) = begun {
            let said: DispatchBits = said.into();
            pins.set_value(bench, "dispatches.data", &said.to_value());
            happened.push(what.into());
            self.rests[1] = 1;
        }
        happened
    }
}
