//! `sue_top`: an instance of Scale-Up Ethernet with 1, 2 or 4 ports (chapter 50, 2): commands of the XPU become frames, and frames commands.
//!
//! ```text
//! commands > command_in > packer > balance > ports > txd
//!                                    ^ bodies < moved |
//! commands_out < command_out < arrivals < - - - - - - ports < rxd
//! ```
//!
//! | part | does |
//! |---|---|
//! | `registers`, `events`, `tables`, `orders` | the page of the instance; what is counted; TBL_DATA; what the host wants of connections |
//! | `command_in`, `packer` | commands checked, with credits; packed into bodies |
//! | `bodies`, `balance` | bodies that move from one port to another; which body goes next, and by which port |
//! | `ports` | go-back-N, network headers, Ethernet: [`sue_port`](crate::instance_port) |
//! | `failover` | connection management |
//! | `management` | frames that the host injects and extracts |
//! | `arrivals`, `command_out` | commands for the XPU |
//!
//! - **Registers.** The page of the instance at 0, those of the ports at 0x1000, 0x1400 and so on. Elsewhere reads give 0 and writes do nothing.
//! - **Start.** After power-on the instance is off. The host writes its settings, partitions and which ports reach which peer, P_CTRL.enable and CTRL.enable. Off (CTRL.enable = 0), all but
//!   registers, tables and Ethernet ports is cleared. STATUS.clearing is high until commands are taken.
//! - **Peers.** All connections begin open, with PSN 0. If one end alone begins anew, its connections fail, rest and are opened again (CONN_FAIL, then OPEN).
//!   A body to a peer that no port reaches is dropped, and its commands get status 1.
//! - **Commands for the XPU** come from the ports in turn. The XPU gives each port credits of its own, since `head_out` says by which one a command came.
//! - **Generations.** `conn_clr` clears all connections until `cleared`; `on` is low for a moment, and the XPU begins anew with its credits. `newer` and `generation`
//!   belong to chapter 40.
//! - **CMD.flush_all** does the same at once: all commands of this instance are forgotten, and its PSNs begin with 0. Its peers do not know; their connections
//!   and those to them fail and are opened again. While the instance is off there is nothing to forget.
//! - **Dispatches.** A body is told of when its port has taken its last word, and once more, with the port that it leaves, if it moves to another one. Completions say
//!   whose PDU the body was, or that no port has taken it; for each port and connection they come in the order of dispatches. A body that moves is held until what
//!   went before it is told.
//! - One clock for all (SAME_CLK = 1): XGMII columns have that of the instance.
//! - A frame is chosen when its class is neither paused nor out of credits. Of one that was chosen meanwhile, up to two follow; with CBFC they wait.
//! - With CBFC a port is turned off (P_CTRL.enable = 0) only after its instance: the credits of what is in the receive buffer are counted anew with it.
//!
//! - **Order over a failover.** In MODE strict with STRICT_FO bodies go on through another port in order, and STRICT_MAP, which the host reads, names that one from then on. All bodies of
//!   the packer wait for that. See [`sue_failover`](crate::failover).
//!
//! Not there yet: frames of events, `cpl` of what `conn_clr` forgets.
//!
//! | idle, from | to | clocks at most |
//! |---|---|---|
//! | the last word of a command | the start of its frame on `txd` | [`SEND_LATENCY`] and one for each word of the body |
//! | the end of a frame on `rxd` | the first word of its command | [`RECEIVE_LATENCY`] |
//!
//! Throughput: a word per clock. `clear` forgets everything but settings, counters and tables.

mod dispatch;
pub mod entry;
mod events;
mod merge;
mod orders;
mod tables;

pub use dispatch::{BodyCompletion, BodyOrigin, Dispatch, DispatchReport};
pub use entry::*;
pub use events::InstanceEvents;
pub use merge::{BodyMerge, CommandMerge, FlowMerge};
pub use orders::{HostJob, HostJobKind, HostOrders};
pub use tables::InstanceTables;

use crate::command_in::{CellCredits, CommandWord, SueCommandIn};
use crate::command_out::SueCommandOut;
use crate::failover::{PortConnection, SueFailover};
use crate::frame::{CommandHead, ReceivedHead};
use crate::generation::PeerNewer;
use crate::instance_port::{SuePort, ACKNOWLEDGMENTS};
use crate::load_balance::{ChangeKind, SueLb};
use crate::management::SueMgmt;
use crate::pack::{QueueWindow, QueueXoff, SuePack};
use crate::registers::{SueRegs, SueRegsConfig, COUNTED, EVENTS, WORD_BITS};
use crate::rel_rx::ManagementRecord;
use crate::slot_walker::{BodyStatus, Completion};
use crate::unpack::OutCredit;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::registers::RegisterBus;
use flitforge_protocol::sue::class::VCS;
use flitforge_protocol::sue_registers::{Sizes, MAX_PORTS};

/// Clocks from the last word of a command to the start of its frame, idle, AFH Gen 2 with 12 octets, beside one for each word of the body, which is stored first:
/// `command_in` 6, `packer` 14, `balance` 6, `sender` 39 and 9 for what it acknowledges, `encap` 3, `ethernet` 9, and one from the packer to the sender.
pub const SEND_LATENCY: u32 = 87;
/// Clocks from the end of a frame to the first word of its command, idle: MAC 6, link-layer retry 1, demultiplexer 3, `decap` 3, `generations` 1, `receiver` 32,
/// `command_out` 2.
pub const RECEIVE_LATENCY: u32 = 48;

/// Bits of a word's address: the page of the instance, then those of up to four ports.
pub const TOP_WORD_BITS: usize = WORD_BITS + 1;
/// Clocks between two answers to the packer, less one: it takes one every 4 clocks.
const ANSWERS_REST: usize = 3;
/// The same of completions. A port frees a slot every 4 clocks, so two ports free theirs at full pace; of four, those whose completions wait do not.
const COMPLETIONS_REST: usize = 1;
/// Bits of a word's address in the page of a port, and of the number of a port.
const PAGE_BITS: usize = crate::registers::PORT_WORD_BITS;
const NUMBER_BITS: usize = 2;

/// An instance of 2^`N` XPUs and `K` ports, each with 2^`S` slots of 2^`W` words, a receive buffer of 2^`B` words and a replay buffer of 2^`Y` words; 2^`C` cells. `A` = `N` + 2, `D` = `N` + 1,
/// `L` = `N` + 3, `F` = `N` + 4, `T` = `S` + 1, `R` = `S` + `W`, `X` = `W` + 1, `V` = `C` + 3, `E` = `B` - 2, `G` = `B` - 4, `Q` = `B` - 3, `Z` = `Y` + 1,
/// `J` = `K` + 1; `H` = 2 bits for the events of a counter with one port, 4 otherwise, `U` = 7 and 10. See the [module](self).
#[block("sue_top", new, peers = 1usize << N, ports = K, slots = 1usize << S, slot_bytes = 8usize << W, cells = 1usize << C, receive_bytes = 8usize << B, replay_words = 1usize << Y)]
pub struct SueTop<
    const N: usize,
    const A: usize,
    const D: usize,
    const L: usize,
    const F: usize,
    const S: usize,
    const T: usize,
    const W: usize,
    const R: usize,
    const X: usize,
    const C: usize,
    const V: usize,
    const B: usize,
    const E: usize,
    const G: usize,
    const Q: usize,
    const Y: usize,
    const Z: usize,
    const K: usize,
    const J: usize,
    const H: usize,
    const U: usize,
> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets everything but settings, counters and tables.
    clear: In<Bit>,
    /// Register bus.
    pub bus: RegisterBus<TOP_WORD_BITS>,
    /// An event of EVENT_EN has happened.
    interrupt: Out<Bit>,
    /// gg.
    generation: In<Bits<8>>,
    /// Step WIPE of chapter 40; until `cleared`.
    conn_clr: In<Bit>,
    /// All connections are cleared.
    cleared: Out<Bit>,
    /// What is known of the generation of peers.
    pub newer: StreamIn<PeerNewer>,
    /// Words of commands of the XPU.
    pub commands: StreamIn<CommandWord>,
    /// Of the command, with its first word.
    head: In<CommandHead>,
    /// Credits for the XPU.
    pub credits: FlowOut<CellCredits>,
    /// Queues of the packer that have crossed QHI or QLO.
    pub queue_xoff: FlowOut<QueueXoff>,
    /// Bodies that have become PDUs, each with its port.
    pub dispatches: FlowOut<Dispatch>,
    /// What became of bodies.
    pub completions: FlowOut<Completion>,
    /// Where the body was.
    completion_of: Out<BodyOrigin>,
    /// Words of commands for the XPU.
    pub commands_out: StreamOut<CommandWord>,
    /// Of the command, from its first word to its last.
    head_out: Out<ReceivedHead>,
    /// Credits of the XPU, by port.
    pub out_credits: [FlowIn<OutCredit>; K],
    /// By port, the PCS has its link.
    pcs_up: In<Bits<K>>,
    /// By port, octets of a column to the PCS, octet 0 in bits 7:0.
    txd: [Out<Bits<64>>; K],
    /// Which of them are control characters.
    txc: [Out<Bits<8>>; K],
    /// By port, octets of a column from the PCS.
    rxd: [In<Bits<64>>; K],
    /// Which of them are control characters.
    rxc: [In<Bits<8>>; K],
    /// Ports that are up.
    up: Out<Bits<K>>,
    /// Commands and credits count.
    on: Out<Bit>,

    #[wire(clock, clear, generation)]
    registers: SueRegs<H, U>,
    #[wire(clock)]
    events: InstanceEvents,
    #[wire(clock, clear)]
    tables: InstanceTables<N, K>,
    #[wire(clock)]
    orders: HostOrders<K>,
    #[wire(clock)]
    command_in: SueCommandIn<N>,
    #[wire(clock)]
    packer: SuePack<N, C, A, L, V>,
    #[wire(clock)]
    bodies: BodyMerge<K>,
    #[wire(clock)]
    balance: SueLb<N>,
    #[wire(clock, clear, generation)]
    ports: [SuePort<N, A, D, L, S, T, W, R, X, B, E, G, Q, Y, Z>; K],
    #[wire(clock)]
    dispatch: DispatchReport<K>,
    #[wire(clock)]
    answers: FlowMerge<QueueWindow, J, ANSWERS_REST>,
    #[wire(clock)]
    statuses: FlowMerge<BodyCompletion, J, COMPLETIONS_REST>,
    /// Where the body was whose words went a clock ago.
    #[wire(d = _)]
    came_from: Reg<BodyOrigin>,
    #[wire(clock)]
    failover: SueFailover<N, A, F>,
    #[wire(clock, generation)]
    management: SueMgmt<K>,
    #[wire(clock)]
    arrivals: CommandMerge<K>,
    #[wire(clock)]
    command_out: SueCommandOut,
    /// A request for a page that is not there.
    nowhere: Register<Bit>,
    /// Tables are being cleared.
    clearing: Reg<Bit>,
    /// CMD.flush_all is carried out.
    flushing: Register<Bit>,
    /// A clock ago `conn_clr` was high.
    wipes: Register<Bit>,
    /// The instance is off; and it forgets all.
    off: Local<Bit>,
    forgets: Local<Bit>,
    numbers: [Constant<Bits<NUMBER_BITS>>; K],
    all_ports: Constant<Bits<MAX_PORTS>>,
}

#[logic]
impl<
        const N: usize,
        const A: usize,
        const D: usize,
        const L: usize,
        const F: usize,
        const S: usize,
        const T: usize,
        const W: usize,
        const R: usize,
        const X: usize,
        const C: usize,
        const V: usize,
        const B: usize,
        const E: usize,
        const G: usize,
        const Q: usize,
        const Y: usize,
        const Z: usize,
        const K: usize,
        const J: usize,
        const H: usize,
        const U: usize,
    > SueTop<N, A, D, L, F, S, T, W, R, X, C, V, B, E, G, Q, Y, Z, K, J, H, U>
{
    /// An instance that is off, or the reason why it cannot be built.
    pub fn new() -> Result<Self, ConfigError> {
        check_range("sue_top", "slots", 1 << S, 16, 256)?;
        let sizes = Sizes { ports: K as u64, slots: 1 << S, slot_bytes: 8 << W, cells: 1 << C, lite: false };
        let config = SueRegsConfig { sizes, peer_bits: N as u64, ..SueRegsConfig::default() };
        let least = (VCS * 2 * 8) << W;
        check_range("sue_top", "receive_bytes", 8 << B, least as u64, 1 << 16)?;
        let ports: Result<Vec<_>, ConfigError> = (0..K).map(|_| SuePort::new()).collect();
        let ports = ports?.try_into().unwrap_or_else(|_| unreachable!("K of them"));
        Ok(Self {
            registers: SueRegs::new(&config)?,
            tables: InstanceTables::new()?,
            orders: HostOrders::new()?,
            command_in: SueCommandIn::new()?,
            packer: SuePack::new()?,
            balance: SueLb::new()?,
            ports,
            dispatch: DispatchReport::new()?,
            answers: FlowMerge::new()?,
            statuses: FlowMerge::new()?,
            failover: SueFailover::new()?,
            management: SueMgmt::new()?,
            numbers: std::array::from_fn(|port| Constant::new((port as u64).into())),
            all_ports: Constant::new(((1u64 << K) - 1).into()),
            ..
        })
    }

    fn update(&mut self) {
        self.lead_requests();
        self.stop();
        self.take_commands();
        self.lead_bodies();
        self.join_ports();
        self.answer();
        self.give_commands();
        self.manage_connections();
        self.obey_host();
        self.carry_management();
        self.look_up();
        self.count();
        self.show();
    }

    /// Which page a request is for.
    fn lead_requests(&mut self) {
        let word = bus.address;
        let of_port = word[WORD_BITS];
        let page = word.bits::<{ WORD_BITS - PAGE_BITS }>(PAGE_BITS);
        registers.bus = In { request: bus.request & !of_port, write: bus.write, wdata: bus.wdata };
        registers.bus.address = word.bits::<WORD_BITS>(0);
        let mut acks: Bit = registers.bus.ack;
        let mut value: Bits<64> = registers.bus.rdata;
        for i in 0..K {
            let mine = of_port & (page == i);
            ports[i].bus = In { request: bus.request & mine, write: bus.write, wdata: bus.wdata };
            ports[i].bus.address = word.bits::<PAGE_BITS>(0);
            acks = acks | ports[i].bus.ack;
            value = value | ports[i].bus.rdata;
        }
        let number: Bits<{ WORD_BITS - PAGE_BITS + 1 }> = cat(page, false);
        nowhere = bus.request & of_port & (number >= K) & !nowhere;
        bus.ack = acks | nowhere;
        bus.rdata = value;
    }

    /// CTRL.enable = 0 clears all but registers, tables and Ethernet ports; so does `conn_clr`, but for frames under way.
    fn stop(&mut self) {
        off = clear | !registers.settings.enable;
        forgets = off | ports[0].wipe;
        // CMD.flush_all is a wipe of its own.
        flushing.clear = off;
        flushing = (flushing | registers.flush_all) & !ports[0].cleared;
        wipes = conn_clr;
        cleared = ports[0].cleared & wipes;
        on = !forgets;
        tables.forgets = forgets;
        orders.clear = forgets;
        command_in.clear = forgets;
        packer.clear = forgets;
        bodies.clear = forgets;
        balance.clear = forgets;
        dispatch.clear = forgets;
        answers.clear = forgets;
        statuses.clear = forgets;
        failover.clear = forgets;
        management.clear = off;
        arrivals.clear = forgets;
        command_out.clear = forgets;
        if forgets {
            clearing = true;
        } else if packer.commands.ready {
            clearing = false;
        }
        for i in 0..K {
            ports[i] = In { off, clearing, conn_clr: conn_clr | flushing };
        }
    }

    /// From the XPU to bodies.
    fn take_commands(&mut self) {
        link(commands, command_in.commands);
        command_in = In { head, types: registers.settings.types, own: registers.settings.own };
        command_in.partition_check = registers.settings.partition_check;
        command_in.initial = registers.settings.initial;
        link(credits, command_in.credits);
        join(command_in.commands_out, packer.commands);
        packer.head = command_in.command_head;
        join(packer.cells_freed, command_in.cells_freed);
        join(registers.pack, packer.settings);
        packer = In { queue_high: registers.settings.queue_high, queue_low: registers.settings.queue_low };
        link(queue_xoff, packer.queue_xoff);
        packer.vc_ready = balance.vc_ready;
    }

    /// From bodies to the ports.
    fn lead_bodies(&mut self) {
        join(packer.body, balance.body);
        balance = In { head: packer.body_head, commands: packer.commands_in_body };
        join(bodies.merged, balance.moved);
        balance = In { moved_head: bodies.merged_head, moved_commands: bodies.merged_commands };
        balance = In { unordered: registers.settings.unordered, settling: failover.settling };
        balance = In { held: failover.held, draining: failover.draining };
        let mut none_waits: Bits<MAX_PORTS> = 15;
        let mut held: Bits<K> = 0;
        for i in 0..K {
            join(ports[i].moved, bodies.moved[i]);
            bodies.moved_heads[i] = ports[i].moved_head;
            bodies.moved_commands[i] = ports[i].moved_commands;
            // What became of the bodies before it is told first.
            held = held.with(i, statuses.waits[i + 1]);
            ports[i] = In { completions_wait: statuses.waits[i + 1], windows_wait: answers.waits[i] };
            let body_word = balance.bodies[i].data;
            let moves = balance.bodies[i].valid & ports[i].body.ready;
            dispatch.ends[i] = moves & body_word.last & !body_word.error;
            join(balance.bodies[i], ports[i].body);
            ports[i] = In { head: balance.led_head, commands_in_body: balance.led_commands };
            balance.ready[i] = ports[i].can_send;
            balance.credits[i] = ports[i].credit_octets;
            ports[i].asked_vc = balance.asked_vc;
            balance.sent[i] = In { data: ports[i].sent.data, valid: ports[i].sent.valid };
            none_waits = none_waits.with(i, ports[i].empty);
        }
        balance.empty = none_waits;
        bodies.held = held;
        came_from = BodyOrigin { port: bodies.merged_from, sent: balance.led_moved };
        dispatch = In { head: balance.led_head, commands: balance.led_commands };
        dispatch = In { from: bodies.merged_from, moved: balance.led_moved };
        link(dispatches, dispatch.dispatches);
        for i in K..MAX_PORTS {
            balance.bodies[i].ready = true;
            balance.ready[i] = 0;
            balance.credits[i] = 0;
            balance.sent[i] = In { data: 0, valid: false };
        }
    }

    /// What ports are told, and the lines.
    fn join_ports(&mut self) {
        let mut ups: Bits<K> = 0;
        let mut all_up: Bits<MAX_PORTS> = 0;
        let mut sends: Bit = false;
        for i in 0..K {
            ports[i].number = numbers[i];
            join(registers.settings, ports[i].settings);
            join(registers.sender, ports[i].connections);
            ports[i] = In { network: registers.network, pcs_up: pcs_up[i], rxd: rxd[i], rxc: rxc[i] };
            txd[i] = ports[i].txd;
            txc[i] = ports[i].txc;
            ups = ups.with(i, ports[i].up);
            all_up = all_up.with(i, ports[i].up);
            sends = sends | ports[i].sending;
        }
        for i in 0..K {
            ports[i].some_sending = sends;
            // All ports take what is known in the same clock.
            ports[i].newer = In { data: newer.data, valid: newer.valid };
        }
        newer.ready = ports[0].newer.ready;
        up = ups;
        balance.up = all_up;
        failover.up = all_up;
        registers.up = all_up;
    }

    /// What became of bodies: those that no port could take are answered here.
    fn answer(&mut self) {
        for i in 0..K {
            answers.flows[i] = In { data: ports[i].windows.data, valid: ports[i].windows.valid };
            let origin = BodyOrigin { port: numbers[i], sent: true };
            let ended = BodyCompletion { completion: ports[i].completions.data, origin };
            statuses.flows[i + 1] = In { data: ended, valid: ports[i].completions.valid };
        }
        let lost = balance.refused.data;
        let queue = QueueWindow { destination: lost.destination, vc: lost.vc, open: true };
        answers.flows[K] = In { data: queue, valid: balance.refused.valid };
        let said = Completion {
            connection: cat(lost.vc, lost.destination),
            destination: lost.destination,
            vc: lost.vc,
            commands: lost.commands,
            status: BodyStatus::Failed,
        };
        let not_sent = BodyCompletion { completion: said, origin: came_from };
        // First: no later body becomes a PDU before it is told.
        statuses.flows[0] = In { data: not_sent, valid: balance.refused.valid | balance.spoiled.valid };
        packer.windows = In { data: answers.merged.data, valid: answers.merged.valid };
        let ended_first = statuses.merged.data;
        completions = In { data: ended_first.completion, valid: statuses.merged.valid };
        completion_of = ended_first.origin;
    }

    /// From the ports to the XPU.
    fn give_commands(&mut self) {
        for i in 0..K {
            ports[i].out_credits = In { data: out_credits[i].data, valid: out_credits[i].valid };
            join(ports[i].commands, arrivals.commands[i]);
            arrivals.heads[i] = ports[i].command_head;
        }
        join(arrivals.merged, command_out.commands);
        command_out.command_head = arrivals.merged_head;
        link(commands_out, command_out.commands_out);
        head_out = command_out.head;
    }

    /// FREEZE and OPEN.
    fn manage_connections(&mut self) {
        let fails_over = registers.settings.unordered | registers.settings.strict_failover;
        failover.settings = In { ports: all_ports, fails_over, rest: registers.settings.rest };
        failover.settings.cm_rto = registers.settings.management_timeout;
        failover.settings.cm_tries = registers.settings.management_tries;
        failover.settings.keeps_order = registers.settings.strict_failover & !registers.settings.unordered;
        failover.settings =
            In { class: ACKNOWLEDGMENTS, partition: registers.settings.acknowledgment_partition };
        let order = failover.orders.data;
        let whose = order.of;
        let record = failover.management.data;
        let change = failover.receiver_changes.data;
        let mut order_taken: Bit = false;
        let mut record_taken: Bit = false;
        let mut change_taken: Bit = false;
        let mut failed_before: Bit = false;
        failover.failures.data = PortConnection { connection: ports[0].failures.data, port: 0 };
        failover.answered = In { data: ports[0].answered.data, valid: false };
        failover.changed = In { data: ports[0].changed.data, valid: false };
        for i in 0..K {
            let for_order = whose.port == i;
            ports[i].orders = In { data: order, valid: failover.orders.valid & for_order };
            order_taken = order_taken | (for_order & ports[i].orders.ready);
            let for_record = record.port == i;
            ports[i].records = In { data: record, valid: failover.management.valid & for_record };
            record_taken = record_taken | (for_record & ports[i].records.ready);
            let for_change = change.port == i;
            ports[i].changes =
                In { data: change.change, valid: failover.receiver_changes.valid & for_change };
            change_taken = change_taken | (for_change & ports[i].changes.ready);
            failover.records[i] = In { data: ports[i].records_in.data, valid: ports[i].records_in.valid };
            if ports[i].answered.valid {
                failover.answered = In { data: ports[i].answered.data, valid: true };
            }
            if ports[i].changed.valid {
                failover.changed = In { data: ports[i].changed.data, valid: true };
            }
            ports[i].failures.ready = failover.failures.ready & !failed_before;
            if ports[i].failures.valid & !failed_before {
                failover.failures.data =
                    PortConnection { connection: ports[i].failures.data, port: numbers[i] };
            }
            failed_before = failed_before | ports[i].failures.valid;
        }
        let no_record: ManagementRecord = bits::<{ <ManagementRecord as Synth>::BITS }>(0).into();
        for i in K..MAX_PORTS {
            failover.records[i] = In { data: no_record, valid: false };
        }
        failover.failures.valid = failed_before;
        failover.orders.ready = order_taken;
        failover.management.ready = record_taken;
        failover.receiver_changes.ready = change_taken;
        // Reachability goes before STRICT_MAP.
        let routes = failover.routes.valid;
        balance.changes.valid = routes | orders.homes.valid;
        balance.changes.data = if routes { failover.routes.data } else { orders.homes.data };
        failover.routes.ready = balance.changes.ready;
        orders.homes.ready = balance.changes.ready & !routes;
        let route = failover.routes.data;
        let goes_home = routes & balance.changes.ready & (route.kind == ChangeKind::Home);
        tables.moved_homes = In { data: route, valid: goes_home };
        self.order_bodies();
    }

    /// What connection management has to know to keep the order of bodies.
    fn order_bodies(&mut self) {
        balance.home_peer = failover.home_peer;
        failover = In { home: balance.home_shown, leads: balance.leads };
        let mark = failover.marks.data;
        let mut moving: Bits<MAX_PORTS> = 0;
        for i in 0..K {
            moving = moving.with(i, ports[i].in_transit);
            ports[i].marks = In { data: mark.vc, valid: failover.marks.valid & (mark.port == i) };
            failover.passed[i] = ports[i].passed;
        }
        for i in K..MAX_PORTS {
            failover.passed[i] = 15;
        }
        failover.in_transit = moving;
    }

    /// CMD and tables.
    fn obey_host(&mut self) {
        join(orders.commands, failover.commands);
        let index = registers.command_index;
        let asks = registers.fail_over | registers.open;
        let kind = if registers.open { HostJobKind::Open } else { HostJobKind::FailOver };
        let job =
            HostJob { kind, connection: index.bits::<12>(0), port: index.bits::<NUMBER_BITS>(12), ports: 0 };
        orders.jobs.valid = asks | tables.jobs.valid;
        orders.jobs.data = if asks { job } else { tables.jobs.data };
        tables.jobs.ready = orders.jobs.ready & !asks;
    }

    /// Frames of the host.
    fn carry_management(&mut self) {
        management = In { settings: registers.network, inject_gap: registers.inject_gap };
        management.generation_enable = registers.settings.generation_enable;
        join(registers.inject_words, management.inject_words);
        join(registers.inject, management.inject);
        registers = In { injecting: management.injecting, extract_word: management.extract_word };
        management.extract_taken = registers.extract_taken;
        registers = In { extracted: management.front, extract_valid: management.extract_valid };
        for i in 0..K {
            join(management.frames[i], ports[i].inject);
            ports[i].inject_octets = management.octets;
            management.data[i] = In { data: ports[i].frames.data, valid: ports[i].frames.valid };
            management.management[i] =
                In { data: ports[i].management.data, valid: ports[i].management.valid };
            ports[i] = In { extracted: management.extracted[i], extract_dropped: management.dropped[i] };
        }
    }

    /// TBL_DATA.
    fn look_up(&mut self) {
        join(registers.table, tables.requests);
        join(tables.answers, registers.table_answer);
        balance.shown_peer = tables.shown_peer;
        tables.shown = balance.shown;
        join(tables.rules, command_in.partitions);
        tables = In { connections: true, gone: forgets | clearing };
        let asked = tables.looks.data;
        let mut look_taken: Bit = false;
        let mut seen: Bits<64> = 0;
        let mut comes: Bit = false;
        for i in 0..K {
            let mine = asked.port == i;
            ports[i].looks = In { data: asked, valid: tables.looks.valid & mine };
            look_taken = look_taken | (mine & ports[i].looks.ready);
            if ports[i].looked.valid {
                seen = ports[i].looked.data;
            }
            comes = comes | ports[i].looked.valid;
        }
        tables.looks.ready = look_taken;
        tables.looked = In { data: seen, valid: comes };
        for i in 0..K {
            ports[i].members = In { data: tables.members.data, valid: tables.members.valid };
        }
    }

    /// What the registers count.
    fn count(&mut self) {
        events = In { accepted: command_in.accepted, overrun: command_in.overrun };
        events.bad = cat(command_in.bad, command_in.unfinished, command_in.stray);
        join(failover.events, events.management);
        for i in 0..COUNTED {
            let mut total: Bits<H> = bit_cast::<H, 2>(events.counted[i]);
            for j in 0..K {
                total = total + bit_cast::<H, 2>(ports[j].counted[i]);
            }
            registers.counted[i] = total;
        }
        let mut happened: Bits<{ EVENTS - 1 }> = events.happened;
        let mut told: Bit = false;
        registers.details = ports[0].details;
        for i in 0..K {
            let here = ports[i].happened;
            happened = happened | here;
            if here.any() & !told {
                registers.details = ports[i].details;
            }
            told = told | here.any();
        }
        registers.happened = happened;
        let body_word = packer.body.data;
        let moves = packer.body.valid & balance.body.ready;
        let sent_octets: Bits<7> = bit_cast::<7, 4>(body_word.bytes);
        registers.octets_sent = if moves { sent_octets } else { 0 };
        registers.body_commands = In { data: packer.commands_in_body, valid: moves & body_word.last };
        let command_word = arrivals.merged.data;
        let given = arrivals.merged.valid & command_out.commands.ready;
        let given_octets: Bits<7> = bit_cast::<7, 4>(command_word.bytes);
        registers.octets_received = if given { given_octets } else { 0 };
    }

    /// What the registers show.
    fn show(&mut self) {
        Out { interrupt } = registers;
        registers = In { clearing };
        let mut stuck: Bits<MAX_PORTS> = 0;
        let mut largest: Bits<6> = 0;
        for i in 0..MAX_PORTS {
            stuck = stuck.with(i, balance.blocked[i].any());
            registers.loads[i] = balance.load[i];
            registers.refused[i] = false;
        }
        for i in 0..K {
            registers.refused[i] = ports[i].refused;
            if ports[i].minimum > largest {
                largest = ports[i].minimum;
            }
        }
        let no_room = orders.jobs.valid & !orders.jobs.ready & (registers.fail_over | registers.open);
        registers.refused[0] = ports[0].refused | management.refused | no_room;
        registers = In { blocked: stuck, minimum: largest };
    }
}
