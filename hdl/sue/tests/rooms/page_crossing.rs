//! Requests to a page in another clock: each answered once, in its order, whatever the clocks do; and the page of a port behind it.

use flitforge_hdl_sue::registers::{EthPortRegs, PageCrossing, PORT_WORD_BITS};
use flitforge_protocol::register::{Access, Reset, BYTES};
use flitforge_protocol::sue_port_registers::{self as port, PAGE};
use flitforge_sim::compiled::{Clocks, Compiled};
use flitforge_sim::kit::Rng;
use flitforge_testkit::{compiled, random, Clocked, CompiledBlock};
use rand::Rng as _;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

type Crossing = PageCrossing<PORT_WORD_BITS, { PORT_WORD_BITS + 65 }>;

/// Clocks of either side in a period of the two: equal, near, far apart.
const RATIOS: [(u32, u32); 7] = [(1, 1), (25, 32), (32, 25), (1, 5), (5, 1), (2, 3), (3, 2)];

/// The crossing and the page of a port.
fn programs() -> [Arc<Compiled>; 2] {
    let page = EthPortRegs::new(0).expect("valid");
    [compiled("page_crossing", &Crossing::new().expect("valid")), compiled("port_page", &page)]
}

/// The crossing, and how its clocks rise.
struct Rig {
    block: CompiledBlock,
    clocks: [Clocks; 2],
    phase: [u32; 2],
    ratio: (u32, u32),
}

impl Rig {
    fn new(program: &Arc<Compiled>, ratio: (u32, u32)) -> Self {
        let block = CompiledBlock::new(program);
        let clocks = ["clock", "page_clock"].map(|name| block.clocks(&[name]));
        Self { block, clocks, phase: [0, 0], ratio }
    }

    /// Which clock rises next: `true`, that of the page.
    fn next(&mut self) -> bool {
        let (here, there) = self.ratio;
        let page = self.phase[1] * here < self.phase[0] * there;
        self.phase[usize::from(page)] += 1;
        page
    }

    fn rise(&mut self, page: bool) {
        self.block.instance.step(self.clocks[usize::from(page)]);
    }
}

/// A request as the page sees it: write, word, value.
type Request = (bool, u64, u64);

/// The page: answers after some clocks; what it was asked.
#[derive(Default)]
struct Page {
    request: Option<(Request, u32)>,
    seen: VecDeque<Request>,
}

/// What the page answers.
const fn answer((write, word, value): Request) -> u64 {
    if write {
        0
    } else {
        value.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ word
    }
}

struct Seen {
    acks: u32,
    forgotten: u32,
    zeros: u32,
}

/// Random requests, clears of both sides.
fn run(program: &Arc<Compiled>, ratio: (u32, u32), random: &mut Rng) -> Seen {
    let mut rig = Rig::new(program, ratio);
    let mut page = Page::default();
    let mut seen = Seen { acks: 0, forgotten: 0, zeros: 0 };
    // The request under way, and those that the page has to see.
    let (mut asked, mut sent): (Option<Request>, VecDeque<Request>) = (None, VecDeque::new());
    // The page was cleared since: the answer may be 0.
    let (mut cleared, mut waits) = (false, 0);
    for _ in 0..12_000 {
        if rig.next() {
            let clears = random.random_bool(0.003);
            let comes = rig.block.get("page.request") == 1;
            if comes {
                let request = (
                    rig.block.get("page.write") == 1,
                    rig.block.get("page.address"),
                    rig.block.get("page.wdata"),
                );
                assert!(page.request.is_none(), "a request before the answer to the one before");
                page.seen.push_back(request);
                if !clears {
                    page.request = Some((request, random.random_range(3..12)));
                }
            }
            let mut answers = None;
            if let Some((request, left)) = &mut page.request {
                *left -= 1;
                answers = (*left == 0).then_some(answer(*request));
            }
            if clears || answers.is_some() {
                page.request = None;
            }
            cleared |= clears;
            rig.block.set("page.ack", answers.is_some().into()).set("page.rdata", answers.unwrap_or(0));
            rig.block.set("page_clear", clears.into());
            rig.rise(true);
            rig.block.set("page.ack", 0).set("page.rdata", 0).set("page_clear", 0);
            continue;
        }
        let clears = random.random_bool(0.01);
        let asks = asked.is_none() && random.random_bool(0.3);
        if asks {
            let request = (random.random(), random.random_range(0..1 << PORT_WORD_BITS), random.random());
            rig.block.set("bus.write", u64::from(request.0)).set("bus.address", request.1);
            rig.block.set("bus.wdata", request.2);
            if !clears {
                asked = Some(request);
                sent.push_back(request);
                (cleared, waits) = (false, 0);
            }
        }
        let holds = asked.is_some() && !clears && random.random_bool(0.5);
        rig.block.set("bus.request", (asks || holds).into()).set("clear", clears.into());
        let (ack, rdata) = (rig.block.get("bus.ack") == 1, rig.block.get("bus.rdata"));
        waits += 1;
        if ack {
            let request = asked.take().expect("an answer to no request");
            assert!(rdata == answer(request) || (cleared && rdata == 0), "{rdata:#x} of {request:x?}");
            seen.zeros += u32::from(rdata != answer(request));
            seen.acks += 1;
            // What was forgotten may not have gone; what is answered has.
            while let Some(of_page) = page.seen.pop_front() {
                while sent.pop_front().expect("a request that was sent") != of_page {}
            }
            assert!(sent.is_empty(), "{request:x?} has not come to the page");
        } else {
            assert_eq!(rdata, 0, "rdata without ack");
            assert!(asked.is_none() || waits < 200, "no answer at {ratio:?}");
        }
        if clears && asked.take().is_some() {
            seen.forgotten += 1;
        }
        rig.rise(false);
    }
    seen
}

#[test]
fn every_request_is_answered_once() {
    let [program, _] = programs();
    let mut random = random();
    let mut zeros = 0;
    for ratio in RATIOS {
        let seen = run(&program, ratio, &mut random);
        assert!(seen.acks > 40 && seen.forgotten > 5, "{ratio:?}: {} and {}", seen.acks, seen.forgotten);
        zeros += seen.zeros;
    }
    assert!(zeros > 5, "{zeros} answers of a page that was cleared");
}

/// Clear in each clock of a request: it gets no answer, or that of its clock; the next one gets its own.
#[test]
fn clear_forgets_the_request_and_not_the_next() {
    let programs = programs();
    for ratio in RATIOS {
        for after in 0..40 {
            let mut instance = Port::new(&programs, ratio);
            let reset = instance.read(port::P_LLR);
            let found = instance.ask(port::P_LLR, None, Some(after));
            assert!(found.is_none_or(|value| value == reset), "{ratio:?}, {after}");
            assert_eq!(instance.read(port::P_LIM1), 32 | 32 << 16, "{ratio:?}, {after}");
        }
    }
}

/// The page of a port behind the crossing.
struct Port {
    rig: Rig,
    page: CompiledBlock,
    most: u32,
}

impl Port {
    fn new([crossing, page]: &[Arc<Compiled>; 2], ratio: (u32, u32)) -> Self {
        Self { rig: Rig::new(crossing, ratio), page: CompiledBlock::new(page), most: 0 }
    }

    /// A clock of the host, and those of the page before it.
    fn step(&mut self) {
        while self.rig.next() {
            for end in ["request", "write", "address", "wdata"] {
                self.page.set(&format!("bus.{end}"), self.rig.block.get(&format!("page.{end}")));
            }
            for end in ["ack", "rdata"] {
                let value = self.page.get(&format!("bus.{end}"));
                self.rig.block.set(&format!("page.{end}"), value);
            }
            self.page.step();
            self.rig.rise(true);
        }
        self.rig.rise(false);
    }

    fn ask(&mut self, offset: u32, write: Option<u64>, clear: Option<u32>) -> Option<u64> {
        let block = &mut self.rig.block;
        block.set("bus.request", 1).set("bus.address", (offset / BYTES).into());
        block.set("bus.write", write.is_some().into()).set("bus.wdata", write.unwrap_or(0));
        for clock in 0..600 {
            let clears = clear == Some(clock);
            self.rig.block.set("clear", clears.into());
            let found = (self.rig.block.get("bus.ack") == 1).then(|| self.rig.block.get("bus.rdata"));
            self.step();
            self.rig.block.set("bus.request", 0).set("clear", 0);
            if found.is_some() || clears {
                self.most = self.most.max(clock);
                return found;
            }
        }
        panic!("no answer");
    }

    fn read(&mut self, offset: u32) -> u64 {
        self.ask(offset, None, None).expect("an answer")
    }
}

#[test]
fn the_page_of_a_port_is_read_and_written_through_it() {
    let programs = programs();
    for ratio in RATIOS {
        let mut instance = Port::new(&programs, ratio);
        let mut kept = BTreeMap::new();
        for register in PAGE.registers {
            if let (Reset::Value(value), false) = (register.reset, register.access == Access::Read) {
                assert_eq!(instance.read(register.offset), value, "{} at {ratio:?}", register.name);
                kept.insert(register.offset, value);
            }
        }
        assert!(kept.len() >= 10);
        // Any value of P_CONTROL and P_LLR_START may be written.
        for (offset, value) in
            [(port::P_CONTROL, 0x1234_5678 & 0x3FFF_FFFF), (port::P_LLR_START, 0x0012_0003_0004_0005)]
        {
            let register = PAGE.register_at(offset).expect("a register").0;
            let value = value & register.mask(Access::is_kept);
            assert_eq!(instance.ask(offset, Some(value), None), Some(0));
            kept.insert(offset, value);
        }
        for (offset, value) in kept {
            assert_eq!(instance.read(offset), value, "{offset:#x} at {ratio:?}");
        }
        assert_eq!(instance.read(port::P_COUNT.offset), 0);
        let most = 4 + 4 + 4 + (4 + 54) * ratio.0.div_ceil(ratio.1) + 10;
        assert!(instance.most <= most, "{} clocks at {ratio:?}", instance.most);
    }
}

#[test]
fn what_cannot_be_built_is_refused() {
    let error = PageCrossing::<7, 71>::new().err().expect("W").to_string();
    assert!(error.contains("sue_page_crossing"), "{error}");
}
