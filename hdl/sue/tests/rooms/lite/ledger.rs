//! Completions of SUE Lite against the golden ledger.

use crate::rooms::network::value_of;
use flitforge_elaborate::drive::FromValue;
use flitforge_hdl_sue::lite::{LiteFrame, SueLiteCompletions, COMPLETIONS_LATENCY};
use flitforge_hdl_sue::slot_walker::{BodyStatus, Completion};
use flitforge_model::sue::lite::{Fate, LiteLedger};
use flitforge_sim::kit::{rng, seed, Coverage, Rng};
use flitforge_testkit::{compiled, is_full, Clocked, CompiledBlock};
use rand::Rng as _;
use rust_hdl::prelude::*;
use std::collections::VecDeque;
use std::panic::{catch_unwind, AssertUnwindSafe};

/// Frames that link-layer retry holds at most.
const HELD: usize = 64;

/// A fault of the completions as it would show at their ports.
#[derive(Clone, Copy, Debug)]
enum Planted {
    /// A completion is left out.
    Hidden,
    /// One comes twice.
    Doubled,
    /// Two come in the wrong order.
    Swapped,
    /// A lost frame is told as delivered.
    Pretended,
    /// A frame that was not sent is told as lost.
    Blamed,
    /// One frame of many that are acknowledged is not taken in.
    Forgotten,
}

/// A planted fault shows at one completion of so many.
const RARE: u64 = 97;

struct Rig {
    planted: Option<Planted>,
    /// Completions that have come.
    count: u64,
    block: CompiledBlock,
    model: LiteLedger<u64>,
    random: Rng,
    /// Frames sent whose fate link-layer retry has not told.
    outstanding: usize,
    next: u64,
    came: VecDeque<(u64, Fate)>,
    clocks: u64,
}

impl Rig {
    fn new(name: &str) -> Self {
        let made = SueLiteCompletions::new().expect("valid");
        let mut block = CompiledBlock::new(&compiled("sue_lite_completions", &made));
        block.set("port_on", 1);
        block.run(10);
        Self {
            planted: None,
            count: 0,
            block,
            model: LiteLedger::default(),
            random: rng(seed(0x820), name),
            outstanding: 0,
            next: 0,
            came: VecDeque::new(),
            clocks: 0,
        }
    }

    fn frame(number: u64, failed: bool) -> LiteFrame {
        LiteFrame {
            destination: (number & 0x3FF).into(),
            vc: (number >> 3 & 3).into(),
            commands: ((number * 7) & 0x3FF).into(),
            failed,
        }
    }

    fn clock(&mut self) {
        if self.block.get("completions.valid") == 1 {
            let done: Completion = Bits::<36>::from_value(&self.block.get_value("completions.data")).into();
            let lost = self.block.get("lost_frame") == 1;
            let fate = match done.status {
                BodyStatus::Delivered => Fate::Delivered,
                _ if lost => Fate::Lost,
                _ => Fate::Unsent,
            };
            assert!(!(lost && fate == Fate::Delivered));
            let number = u64::from(done.destination);
            let wanted = Self::frame(number, false);
            assert_eq!((done.vc, done.destination), (wanted.vc, wanted.destination));
            assert_eq!(u64::from(done.connection), u64::from(done.destination) << 2 | u64::from(done.vc));
            self.count += 1;
            self.show(number, fate);
        }
        self.block.step();
        self.clocks += 1;
    }

    /// A completion, or what a planted fault makes of it.
    fn show(&mut self, number: u64, fate: Fate) {
        let last = self.came.len();
        match (self.planted, fate) {
            (Some(Planted::Hidden), _) if self.count % RARE == 0 => return,
            (Some(Planted::Pretended), Fate::Lost) => self.came.push_back((number, Fate::Delivered)),
            (Some(Planted::Blamed), Fate::Unsent) => self.came.push_back((number, Fate::Lost)),
            _ => self.came.push_back((number, fate)),
        }
        match self.planted {
            Some(Planted::Doubled) if self.count % RARE == 0 => self.came.push_back((number, fate)),
            Some(Planted::Swapped) if last > 0 && self.count % RARE == 0 => self.came.swap(last, last - 1),
            _ => {}
        }
    }

    fn begin(&mut self, is_sent: bool) {
        let number = self.next;
        self.next = (self.next + 1) & 0x3FF;
        let frame = LiteFrame { commands: ((number * 7) & 0x3FF).into(), ..Self::frame(number, !is_sent) };
        self.block.set_value("begun.data", &value_of::<_, 23>(frame)).set("begun.valid", 1);
        let mut waits = 0;
        while self.block.get("begun.ready") == 0 {
            self.clock();
            waits += 1;
            assert!(waits < 400, "no room for a frame");
        }
        self.clock();
        self.block.set("begun.valid", 0);
        self.model.begin(number, is_sent);
        self.outstanding += usize::from(is_sent);
    }

    fn tell(&mut self, fate: Fate, frames: usize) {
        let port = if fate == Fate::Delivered { "acknowledged" } else { "lost" };
        let forgotten = matches!(self.planted, Some(Planted::Forgotten)) && frames > 8;
        self.block
            .set(&format!("{port}.data"), frames as u64 - u64::from(forgotten))
            .set(&format!("{port}.valid"), 1);
        self.clock();
        self.block.set(&format!("{port}.valid"), 0);
        self.model.tell(frames, fate);
        self.outstanding -= frames;
    }

    /// Until something comes, or nothing will.
    fn wait_for_one(&mut self) {
        for _ in 0..200 {
            if !self.came.is_empty() {
                return;
            }
            self.clock();
        }
    }

    /// All that is known has come.
    fn settle(&mut self) {
        (0..200).for_each(|_| self.clock());
        while let Some(wanted) = self.model.complete() {
            assert_eq!(self.came.pop_front(), Some(wanted));
        }
        assert_eq!(self.came, []);
        assert_eq!(self.block.get("idle"), u64::from(self.model.waiting() == 0));
    }
}

#[test]
fn fates_are_told_in_order() {
    let seen = in_order(&mut Rig::new("order"), if is_full() { 200_000 } else { 20_000 });
    seen.require("completions", &["sent", "unsent", "many", "few", "flush"]).expect("everything happened");
}

/// Faults at the ports of the block: the comparison finds each.
#[test]
fn planted_faults_are_found() {
    use Planted::{Blamed, Doubled, Forgotten, Hidden, Pretended, Swapped};
    in_order(&mut Rig::new("planted"), 4_000);
    for planted in [Hidden, Doubled, Swapped, Pretended, Blamed, Forgotten] {
        let mut rig = Rig::new("planted");
        rig.planted = Some(planted);
        let found = catch_unwind(AssertUnwindSafe(|| in_order(&mut rig, 4_000)));
        assert!(found.is_err(), "{planted:?} is not found");
    }
}

/// Frames and their fates at random against the golden ledger.
fn in_order(rig: &mut Rig, steps: usize) -> Coverage {
    let mut seen = Coverage::default();
    for step in 0..steps {
        match rig.random.random_range(0..10) {
            0..=4 if rig.outstanding < HELD => {
                let is_sent = rig.random.random_bool(0.95);
                seen.hit(if is_sent { "sent" } else { "unsent" });
                rig.begin(is_sent);
            }
            5..=7 if rig.outstanding > 0 => {
                let most = if rig.random.random_bool(0.2) { rig.outstanding } else { 1 };
                let frames = rig.random.random_range(1..=most);
                seen.hit(if frames > 8 { "many" } else { "few" });
                // A frame is here before its fate is known.
                (0..4).for_each(|_| rig.clock());
                rig.tell(Fate::Delivered, frames);
            }
            8 if rig.outstanding > 0 && rig.random.random_bool(0.1) => {
                seen.hit("flush");
                (0..4).for_each(|_| rig.clock());
                rig.tell(Fate::Lost, rig.outstanding);
            }
            _ => (0..rig.random.random_range(0..20)).for_each(|_| rig.clock()),
        }
        if step % 1_000 == 999 {
            rig.settle();
        }
    }
    seen
}

/// The most runs that wait: one frame after the other is acknowledged while many fail.
#[test]
fn many_runs_wait() {
    let mut rig = Rig::new("runs");
    for round in 1..HELD {
        (0..HELD).for_each(|_| rig.begin(true));
        (0..4).for_each(|_| rig.clock());
        rig.tell(Fate::Lost, round);
        for _ in round..HELD {
            rig.tell(Fate::Delivered, 1);
            (0..2).for_each(|_| rig.clock());
        }
        rig.settle();
    }
}

/// A port that is off: what is here is lost, what comes meanwhile is not sent; what comes later is acknowledged.
#[test]
fn a_port_that_is_off_loses_all() {
    let mut rig = Rig::new("port");
    for round in 0..40 {
        let count = rig.random.random_range(1..HELD);
        (0..count).for_each(|_| rig.begin(true));
        (0..4).for_each(|_| rig.clock());
        let told = rig.random.random_range(0..=count);
        if told > 0 {
            rig.tell(Fate::Delivered, told);
        }
        rig.block.set("port_on", 0);
        rig.model.switch(false);
        (0..4).for_each(|_| rig.clock());
        rig.outstanding = 0;
        (0..round % 5).for_each(|_| rig.begin(false));
        (0..rig.random.random_range(0..60)).for_each(|_| rig.clock());
        rig.block.set("port_on", 1);
        let before = rig.clocks;
        // It is taken once no frame of before waits.
        loop {
            rig.wait_for_one();
            let Some(wanted) = rig.model.complete() else { break };
            assert_eq!(rig.came.pop_front(), Some(wanted), "round {round}");
        }
        rig.model.switch(true);
        assert!(rig.clocks - before < 20_000);
        rig.settle();
        rig.begin(true);
        (0..4).for_each(|_| rig.clock());
        rig.tell(Fate::Delivered, 1);
        rig.settle();
    }
}

#[test]
fn a_clear_forgets_everything() {
    let mut rig = Rig::new("clear");
    (0..20).for_each(|_| rig.begin(true));
    (0..4).for_each(|_| rig.clock());
    rig.tell(Fate::Delivered, 10);
    rig.block.set("clear", 1);
    (0..3).for_each(|_| rig.clock());
    rig.block.set("clear", 0);
    rig.came.clear();
    rig.model = LiteLedger::default();
    rig.outstanding = 0;
    rig.settle();
    rig.begin(true);
    (0..4).for_each(|_| rig.clock());
    rig.tell(Fate::Delivered, 1);
    rig.settle();
}

#[test]
fn latency_is_as_stated() {
    let mut rig = Rig::new("latency");
    rig.begin(true);
    (0..10).for_each(|_| rig.clock());
    rig.tell(Fate::Delivered, 1);
    assert_eq!(1 + rig.block.until_high("completions.valid", 20), u64::from(COMPLETIONS_LATENCY));
}
