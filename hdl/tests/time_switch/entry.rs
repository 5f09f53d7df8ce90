//! `RingEntry`: what a port offers to the rings, and what it drops before them; `SwitchPort`: a damaged copy.

use flitforge_hdl::time::port::TimePortConfig;
use flitforge_hdl::time::switch::{RingEntry, SwitchPort};
use flitforge_model::time::{RingContent, RingSlot, TimeFlit, TimeLow, TimeValue};
use flitforge_protocol::time_ring::{Embed, SlotKind};
use flitforge_sim::kit::{rng, seed};
use flitforge_testkit::{BenchBlock, Clocked};
use rand::Rng;

/// {data, parity, tree, kind} of a payload, as 4.4 and 3.3 have it.
fn insertion(kind: SlotKind, payload: u64) -> u64 {
    let data = payload & ((1 << 40) - 1) | (payload >> 44) << 40 | (payload >> 42 & 3) << 44;
    let head = u64::from(kind.code()) | (payload >> 40 & 3) << 2;
    data << 5 | u64::from((data.count_ones() + head.count_ones()) % 2) << 4 | head
}

/// One ring's ingress: what waits, by kind.
#[derive(Default)]
struct Ingress {
    low: Option<u64>,
    high: Option<u64>,
}

impl Ingress {
    /// What is offered while these come.
    fn offered(&self, low: Option<u64>, high: Option<u64>) -> Option<u64> {
        self.low.or(low).or(self.high).or(high)
    }

    /// An edge: bit 0 a Low, bit 2 a High was dropped.
    fn clock(&mut self, low: Option<u64>, high: Option<u64>, taken: bool) -> u64 {
        let lows = [self.low, low];
        let mut dropped = u64::from(lows.iter().all(Option::is_some));
        let first = self.low.or(low);
        self.low = first.filter(|_| !taken);
        let free = taken && first.is_none();
        match (self.high, high) {
            (Some(_), Some(high)) if free => self.high = Some(high),
            (Some(_), Some(_)) => dropped |= 4,
            (waiting, coming) => self.high = waiting.or(coming).filter(|_| !free),
        }
        dropped
    }
}

#[test]
fn an_entry_holds_one_low_and_one_high_for_each_ring() {
    let mut bench = BenchBlock::new("ring_entry", RingEntry::default());
    let mut random = rng(seed(0x5318), "entry");
    let mut ingresses: [Ingress; 2] = Default::default();
    let mut dropped = 0;
    let mut drops = 0;
    for clock in 0..20_000 {
        let coming: [Option<u64>; 2] =
            std::array::from_fn(|_| random.random_bool(0.3).then(|| random.random_range(0..1 << 48)));
        for (name, payload) in ["low", "high"].iter().zip(coming) {
            bench.set(&format!("{name}.valid"), payload.is_some().into());
            bench.set(&format!("{name}.data"), payload.unwrap_or(0));
        }
        let low = coming[0].map(|payload| insertion(SlotKind::Low, payload));
        let high = coming[1].map(|payload| insertion(SlotKind::High, payload));
        let clear = random.random_bool(0.01);
        bench.set("clear", clear.into());
        assert_eq!(bench.get("dropped"), dropped, "clock {clock}");
        dropped = 0;
        for (ring, ingress) in ingresses.iter_mut().enumerate() {
            let ready = !clear && random.random_bool(0.4);
            bench.set(&format!("insert[{ring}].ready"), ready.into());
            let expected = ingress.offered(low, high);
            assert_eq!(bench.get(&format!("insert[{ring}].valid")), u64::from(expected.is_some()));
            if let Some(expected) = expected {
                assert_eq!(
                    bench.get(&format!("insert[{ring}].data")),
                    expected,
                    "clock {clock}, ring {ring}"
                );
            }
            dropped |= ingress.clock(low, high, ready) << ring;
            if clear {
                *ingress = Ingress::default();
            }
        }
        if clear {
            dropped = 0;
        }
        drops += dropped.count_ones();
        bench.clock();
    }
    assert!(drops > 1000);
}

/// An upset on the ring: the copy is dropped and told, the next one goes.
#[test]
fn a_damaged_copy_goes_nowhere() {
    let config = TimePortConfig::one_clock(1, 6_400_000);
    let port = SwitchPort::<1, 65, 0, 0>::new(&config, Some(0)).expect("valid");
    let mut bench = BenchBlock::new("switch_port", port);
    for (path, value) in [("state", 4), ("tx_idle", 1), ("time_in.ready", 1), ("request", 1), ("write", 1)] {
        bench.set(path, value);
    }
    // ROLE without HOLD_ON_EPOCH.
    bench.clock();
    bench.set("request", 0);
    bench.run(60);
    let low = TimeLow { value: TimeValue::new(0x67_89AB_CDEF, 10), tree: 0, era: 1 };
    let good = RingSlot::new(RingContent::Low(low), 0, 0).encode(Embed::Value).expect("fits");
    let bits = Embed::Value.data_bits();
    for bit in (0..bits + 17).filter(|bit| ![10, 12].contains(&(bit.wrapping_sub(bits)))) {
        for (slot, comes) in [(good ^ 1 << bit, 0), (good, 1)] {
            let (data, control) = (slot & ((1 << bits) - 1), slot >> bits);
            bench.set("copy[1].valid", 1);
            bench.set("copy[1].data", data as u64);
            bench.set("copy_control[1]", control as u64);
            bench.clock();
            bench.set("copy[1].valid", 0);
            assert_eq!(bench.get("ring_parity"), 2 - 2 * comes, "bit {bit}");
            assert_eq!(bench.get("time_in.valid"), comes, "bit {bit}");
            bench.run(4);
        }
    }
    assert_eq!(TimeFlit::Low(low).encode().expect("fits").bits() >> 64, 0);
}
