//! One direction of a link: a `phy_loop` with a cable after it.

use flitforge_hdl::link::phy_loop::PhyLoop;
use flitforge_sim::compiled::{Clocks, Compiled, Handle, Instance};
use flitforge_testkit::{compiled, handle, handles};
use std::sync::{Arc, OnceLock};

/// The lanes of one direction, by the sender's numbers.
#[derive(Clone, Copy, Debug)]
pub struct Cable {
    /// Receiver's number of each lane.
    pub to: [usize; 4],
    /// Lanes whose two wires are swapped.
    pub inverted: u64,
    /// Words of delay, 0 to 15.
    pub delay: [u64; 4],
    /// Lanes that carry nothing.
    pub dead: u64,
}

impl Cable {
    /// Straight, good, without skew.
    pub const STRAIGHT: Self = Cable { to: [0, 1, 2, 3], inverted: 0, delay: [0; 4], dead: 0 };

    /// Lane of each of the receiver's numbers; the last one wins.
    pub fn from(&self) -> [usize; 4] {
        let mut from = [0, 1, 2, 3];
        (0..4).for_each(|lane| from[self.to[lane]] = lane);
        from
    }
}

struct Lane {
    tx: [Handle; 3],
    rx: [Handle; 2],
    delay: Handle,
}

/// `phy_loop`, compiled, with its handles.
struct Program {
    program: Arc<Compiled>,
    lanes: Vec<Lane>,
    clear: Handle,
    error: [Handle; 3],
}

fn program() -> &'static Program {
    static PROGRAM: OnceLock<Program> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let program = compiled("phy_loop", &PhyLoop::<4>::new().expect("valid"));
        let lane = |lane: usize| Lane {
            tx: handles(&program, &format!("tx[{lane}]"), ["valid", "data", "ready"]),
            rx: handles(&program, &format!("rx[{lane}]"), ["valid", "data"]),
            delay: handle(&program, &format!("delay[{lane}]")),
        };
        let error = ["error_enable", "error_lanes", "error_mask"].map(|name| handle(&program, name));
        Program {
            lanes: (0..4).map(lane).collect(),
            clear: handle(&program, "clear"),
            error,
            program: program.clone(),
        }
    })
}

/// One direction.
pub struct Channel {
    instance: Instance,
    clocks: Clocks,
    pub cable: Cable,
    /// Bits flipped in the words of this clock: lanes and mask. They take the place of the inversion for it.
    pub error: Option<(u64, u64)>,
}

impl Channel {
    pub fn new(cable: Cable) -> Self {
        let program = program();
        let mut instance = program.program.instance();
        for (lane, delay) in program.lanes.iter().zip(cable.delay) {
            instance.set(lane.delay, delay);
        }
        instance.set(program.clear, 1);
        let clocks = program.program.all_clocks();
        instance.step(clocks);
        instance.set(program.clear, 0);
        Channel { instance, clocks, cable, error: None }
    }

    /// What comes out for the receiver's lanes: `{code_err, ctl, word}`.
    pub fn out(&mut self) -> [Option<u64>; 4] {
        let (lanes, from) = (&program().lanes, self.cable.from());
        let mut words = [None; 4];
        for (wire, lane) in from.into_iter().enumerate() {
            let dead = self.cable.dead >> lane & 1 == 1;
            if !dead && self.instance.get(lanes[lane].rx[0]) == 1 {
                words[wire] = Some(self.instance.get(lanes[lane].rx[1]));
            }
        }
        words
    }

    /// One clock: takes the sender's words; `invert` is what the receiver asks its PHY to invert.
    pub fn clock(&mut self, words: [Option<u64>; 4], invert: u64) {
        let program = program();
        for (lane, word) in program.lanes.iter().zip(words) {
            self.instance.set(lane.tx[0], u64::from(word.is_some()));
            self.instance.set(lane.tx[1], word.unwrap_or(0));
        }
        let asked = (0..4).fold(0, |mask, lane| mask | (invert >> self.cable.to[lane] & 1) << lane);
        let (lanes, mask) = self.error.unwrap_or((self.cable.inverted ^ asked, 0xFFFF_FFFF));
        for (port, value) in program.error.iter().zip([u64::from(lanes != 0), lanes, mask]) {
            self.instance.set(*port, value);
        }
        self.instance.step(self.clocks);
    }
}
