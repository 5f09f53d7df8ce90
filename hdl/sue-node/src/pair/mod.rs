//! `sue_pair`: two instances of Scale-Up Ethernet back to back on one device, each with test traffic, and a line with wrong bits between them.
//!
//! ```text
//!            device 2                                          device 3
//! device 0   traffic > commands > instance > line > instance > commands > traffic   device 1
//!            traffic < commands < instance < line < instance < commands < traffic
//! ```
//!
//! | device | register page |
//! |---|---|
//! | 0, 1 | instance of XPU 0 and of XPU 1, each with its port at 0x1000 (`docs/reference/sue.md`) |
//! | 2, 3 | traffic of XPU 0 and of XPU 1 (`sue_traffic` there) |
//!
//! - All are reached over [`register_line`](flitforge_hdl_node::register_line). Everything is off after `clear`; `flitforge sue pair` sets it up.
//! - Wrong bits of the columns to an instance are those of its own traffic.
//! - Each instance knows 4 XPUs and has 16 slots of 1,024 octets, 256 cells and 16 KB of receive buffer.
//! - `up`: the port of the instance is up. `moves`: it changes with every 2^15 commands that came right. `wrong`: one came wrong since `clear`.
//!
//! Throughput and latency are those of the blocks. `clear` forgets all but settings, counters and partitions.

use flitforge_hdl_node::register_line::{RegisterLine, RegisterLineConfig};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_sue::generation::PeerNewer;
use flitforge_hdl_sue::top::{SueTop, TOP_WORD_BITS};
use flitforge_hdl_sue::traffic::{SueTraffic, TRAFFIC_WORD_BITS};

/// Instances.
pub const ENDS: usize = 2;
/// Devices on the register line.
pub const DEVICES: usize = 2 * ENDS;
/// Bits of the count of commands that `moves` is the top bit of.
const MOVE_BITS: usize = 16;

/// An instance: another choice of sizes is put in here.
pub type PairInstance = SueTop<2, 4, 3, 5, 6, 4, 5, 7, 11, 8, 7, 10, 10, 8, 6, 7, 9, 10, 1, 2, 2, 7>;

/// See the [module](self).
#[block("sue_pair", new)]
pub struct SuePair {
    /// Clock of everything.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// Serial data in, asynchronous, idle 1.
    line_in: In<Bit>,
    /// Serial data out, idle 1.
    line_out: Out<Bit>,
    /// Ports that are up.
    up: Out<Bits<ENDS>>,
    /// Commands come.
    moves: Out<Bits<ENDS>>,
    /// A command came wrong.
    wrong: Out<Bits<ENDS>>,

    #[wire(clock, clear)]
    registers: RegisterLine<DEVICES, TOP_WORD_BITS>,
    #[wire(clock, clear, generation = 0, conn_clr = false, pcs_up = 1)]
    instances: [PairInstance; ENDS],
    #[wire(clock, clear)]
    traffic: [SueTraffic; ENDS],
    /// A request beyond the page of traffic.
    beyond: [Register<Bit>; ENDS],
    counts: [Register<Bits<MOVE_BITS>>; ENDS],
    kept_wrong: [Register<Bit>; ENDS],
}

#[logic]
impl SuePair {
    /// Two instances that are off, or the reason why a part cannot be built.
    pub fn new(line: &RegisterLineConfig) -> Result<Self, ConfigError> {
        Ok(Self {
            registers: RegisterLine::new(line)?,
            instances: [PairInstance::new()?, PairInstance::new()?],
            traffic: [SueTraffic::new()?, SueTraffic::new()?],
            ..
        })
    }

    fn update(&mut self) {
        registers.line_in = line_in;
        line_out = registers.line_out;
        self.lead_requests();
        self.join_ends();
        self.join_line();
        let mut links: Bits<ENDS> = 0;
        let mut activity: Bits<ENDS> = 0;
        let mut errors: Bits<ENDS> = 0;
        for i in 0..ENDS {
            counts[i].enable = traffic[i].good;
            counts[i] = counts[i] + 1;
            kept_wrong[i] = kept_wrong[i] | traffic[i].wrong;
            let ups = instances[i].up;
            links = links.with(i, ups[0]);
            activity = activity.with(i, counts[i][MOVE_BITS - 1]);
            errors = errors.with(i, kept_wrong[i]);
        }
        up = links;
        moves = activity;
        wrong = errors;
    }

    /// Register buses: the instances, then the traffic.
    fn lead_requests(&mut self) {
        let word = registers.addr;
        let value = registers.wdata;
        let outside = word.bits::<{ TOP_WORD_BITS - TRAFFIC_WORD_BITS }>(TRAFFIC_WORD_BITS);
        let mut acks: Bits<DEVICES> = 0;
        for i in 0..ENDS {
            let writes_page = registers.we[i];
            instances[i].bus = In { address: word, wdata: value, write: writes_page };
            instances[i].bus.request = writes_page | registers.re[i];
            registers.rdata[i] = instances[i].bus.rdata;
            let writes_traffic = registers.we[ENDS + i];
            let asks_traffic = writes_traffic | registers.re[ENDS + i];
            traffic[i].bus = In { wdata: value, write: writes_traffic };
            traffic[i].bus.address = word.bits::<TRAFFIC_WORD_BITS>(0);
            traffic[i].bus.request = asks_traffic & !outside.any();
            beyond[i] = asks_traffic & outside.any();
            registers.rdata[ENDS + i] = traffic[i].bus.rdata;
            acks = acks.with(i, instances[i].bus.ack).with(ENDS + i, traffic[i].bus.ack | beyond[i]);
        }
        registers.ack = acks;
    }

    /// Each XPU with its instance.
    fn join_ends(&mut self) {
        // No generations: chapter 40 is not on this board.
        let nobody: PeerNewer = bits::<{ <PeerNewer as Synth>::BITS }>(0).into();
        for i in 0..ENDS {
            traffic[i] = In { on: instances[i].on, own: i };
            join(traffic[i].commands, instances[i].commands);
            instances[i].head = traffic[i].head;
            join(instances[i].credits, traffic[i].credits);
            join(instances[i].completions, traffic[i].completions);
            join(instances[i].commands_out, traffic[i].arrivals);
            traffic[i].arrived_head = instances[i].head_out;
            join(traffic[i].out_credits, instances[i].out_credits[0]);
            instances[i].rxd[0] = traffic[i].rxd;
            instances[i].rxc[0] = traffic[i].rxc;
            instances[i].newer = In { data: nobody, valid: false };
        }
    }

    /// The line, in both directions.
    fn join_line(&mut self) {
        traffic[0] = In { line_data: instances[1].txd[0], line_control: instances[1].txc[0] };
        traffic[1] = In { line_data: instances[0].txd[0], line_control: instances[0].txc[0] };
    }
}
