//! Latencies measured on the simulated rings.

use super::{Column, ColumnError, Way};
use crate::ring_name;
use flitforge_elaborate::Value;
use flitforge_hdl::time::ring::{COPY_CLOCKS, INSERT_CLOCKS};
use flitforge_protocol::time_ring::{slot_control, RingDirection, SlotKind};
use flitforge_sim::{Bench, PortHandle, SimError};

const COLUMN: &str = "simulated";
/// The tree that is used.
const TREE: u64 = 2;

/// Ports of one ring.
struct Ring {
    valid: Vec<PortHandle>,
    data: Vec<PortHandle>,
    ready: Vec<PortHandle>,
    copied: Vec<PortHandle>,
    control: Vec<PortHandle>,
}

impl Ring {
    fn find(bench: &mut dyn Bench, ring: RingDirection, stops: u32) -> Result<Self, SimError> {
        let name = ring_name(ring);
        let ports = |text: &dyn Fn(u32) -> String| {
            (0..stops).map(|stop| bench.port(&text(stop))).collect::<Result<Vec<_>, _>>()
        };
        let trees = ports(&|stop| format!("trees_{name}[{stop}]"))?;
        let found = Self {
            valid: ports(&|stop| format!("insert_{name}[{stop}].valid"))?,
            data: ports(&|stop| format!("insert_{name}[{stop}].data"))?,
            ready: ports(&|stop| format!("insert_{name}[{stop}].ready"))?,
            copied: ports(&|stop| format!("copy_{name}[{stop}].valid"))?,
            control: ports(&|stop| format!("control_{name}[{stop}]"))?,
        };
        trees.iter().for_each(|port| bench.set_u64(*port, 1 << TREE));
        Ok(found)
    }

    fn offer(&self, bench: &mut dyn Bench, stop: u32, offered: bool) {
        let (valid, data) = (self.valid[stop as usize], self.data[stop as usize]);
        bench.set_u64(valid, u64::from(offered));
        // {data, parity, tree, kind}; the data are 0, so the parity is that of tree and kind.
        let head = TREE << 2 | u64::from(SlotKind::Low.code());
        let parity = u64::from(head.count_ones() % 2);
        let value = Value::from_words(bench.width(data), &[parity << 4 | head]);
        bench.set(data, &value);
    }
}

/// Clocks from an insertion into the empty rings to its copy at every stop, less those of the source's ring register and the copy
/// register. Every stop must see each value once; `length` is how many clocks a slot takes around a ring.
pub fn simulated_column(bench: &mut dyn Bench, stops: u32, length: u32) -> Result<Column, ColumnError> {
    let mut rings = vec![];
    for ring in RingDirection::ALL {
        rings.push(Ring::find(bench, ring, stops)?);
    }
    let mut copies: Vec<Vec<u32>> = vec![vec![]; (2 * stops * stops) as usize];
    let place = |ring: usize, from: u32, to: u32| ((ring as u32 * stops + from) * stops + to) as usize;
    for from in 0..stops {
        rings.iter().for_each(|ring| ring.offer(bench, from, true));
        bench.settle()?;
        for (ring, direction) in rings.iter().zip(RingDirection::ALL) {
            if !bench.get_bit(ring.ready[from as usize]) {
                let way = Way { ring: direction, from, to: from };
                return Err(way.wrong(COLUMN, "an empty ring does not take an insertion at once"));
            }
        }
        bench.step()?;
        rings.iter().for_each(|ring| ring.offer(bench, from, false));
        for clock in 1..=3 * length + INSERT_CLOCKS + COPY_CLOCKS {
            for (number, to) in (0..2).flat_map(|ring| (0..stops).map(move |to| (ring, to))) {
                let ring = &rings[number];
                let control = u128::from(bench.get_u64(ring.control[to as usize]));
                let source = slot_control::src::FIELD.get(control);
                if bench.get_bit(ring.copied[to as usize]) && source == u64::from(from) {
                    copies[place(number, from, to)].push(clock);
                }
            }
            bench.step()?;
        }
    }
    Column::of(stops, |way| match copies[place(way.ring as usize, way.from, way.to)][..] {
        [clock] => clock
            .checked_sub(INSERT_CLOCKS + COPY_CLOCKS)
            .ok_or_else(|| way.wrong(COLUMN, format!("copied after {clock} clocks already"))),
        [] => Err(way.wrong(COLUMN, "the value never comes")),
        ref several => Err(way.wrong(COLUMN, format!("the value comes {} times", several.len()))),
    })
}
