//! TBL_DATA: what tables of the instance the host reads and writes.

use super::orders::{HostJob, HostJobKind};
use crate::command_in::PartitionRule;
use crate::load_balance::RouteChange;
use crate::registers::{ConnectionLook, TableAnswer, TableRequest};
use crate::rel_rx::PartitionEntry;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::{Ram, RamConfig};
use flitforge_protocol::sue::reliability::header;
use flitforge_protocol::sue_registers::connections::index as connection_index;
use flitforge_protocol::sue_registers::{Table, MAX_PORTS};

const SENDER: usize = Table::Sender as usize;
const RECEIVER: usize = Table::Receiver as usize;
/// Bits of the number of a connection of a port.
const CONNECTION_BITS: usize = connection_index::port::LOW;
const PARTITIONS: usize = Table::Partitions as usize;
const STRICT_MAP: usize = Table::StrictMap as usize;
const REACH: usize = Table::Reach as usize;
/// Bits of the number of a partition.
const PARTITION_BITS: usize = header::partition::WIDTH;
/// Bits of the number of a port.
const PORT_BITS: usize = 2;

/// Tables of an instance of 2^`N` XPUs and `K` ports, kept here to be read, and told to those who need them.
///
/// | table | told to |
/// |---|---|
/// | partitions | command interface and receivers |
/// | strict map: port of the peer, 0 to `K` - 1; it changes as well when connection management says so in `moved_homes` | load balance, by `jobs` |
/// | reach: written, a bit for each port that the host lets reach the peer | connection management, by `jobs` |
/// | reach: read, a bit for each port that reaches it now: it is up, and its connections are open | |
///
/// - Connections of senders and receivers are looked up at their ports, by `looks`, and only read. While they are cleared they read 0.
/// - A request is answered 4 clocks later, one for a connection when its table has a clock for it. Entries beyond a table, values that it cannot have and other tables are refused and read 0; so is a write while `jobs` has no room.
/// - After power-on no partition is allowed, nobody is reached, and the port of a peer is its number modulo `K`.
/// - `forgets`: connection management and load balance are being cleared. After it they are told everything anew, a peer after the other.
/// - `clear` forgets a request; entries stay.
#[block("sue_instance_tables", new)]
pub struct InstanceTables<const N: usize, const K: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets a request.
    clear: In<Bit>,
    /// Others forget what they were told.
    forgets: In<Bit>,
    /// What the host asks for.
    pub requests: FlowIn<TableRequest>,
    /// The answer.
    pub answers: FlowOut<TableAnswer>,
    /// Partitions of commands of the XPU.
    pub rules: FlowOut<PartitionRule>,
    /// Partitions of bodies that came.
    pub members: FlowOut<PartitionEntry>,
    /// Peers whose port in the strict map has become another one.
    pub moved_homes: FlowIn<RouteChange>,
    /// What is to be told.
    pub jobs: StreamOut<HostJob>,
    /// A peer, and 2 clocks later the ports that reach it.
    shown_peer: Out<Bits<N>>,
    /// Those ports.
    shown: In<Bits<MAX_PORTS>>,
    /// There are connections.
    connections: In<Bit>,
    /// They are being cleared.
    gone: In<Bit>,
    /// A connection is looked at.
    pub looks: StreamOut<ConnectionLook>,
    /// How it is.
    pub looked: FlowIn<Bits<64>>,

    #[wire(write_clock = clock, read_clock = clock, read_enable = true, output_enable = true)]
    kept: Ram<Bits<1>, PARTITION_BITS>,
    #[wire(write_clock = clock, read_clock = clock, read_enable = true, output_enable = true)]
    homes: Ram<Bits<PORT_BITS>, N>,
    #[wire(write_clock = clock, read_clock = clock, read_enable = true, output_enable = true)]
    reach: Ram<Bits<MAX_PORTS>, N>,
    asked: Reg<TableRequest>,
    /// A port of the strict map that is to be written.
    home_change: Reg<RouteChange>,
    home_waits: Reg<Bit>,
    /// Clocks since a request.
    waits: Register<Bits<3>>,
    /// What it is for, if it is legal.
    #[wire(d = _)]
    of_partitions: Reg<Bit>,
    #[wire(d = _)]
    of_connections: Reg<Bit>,
    /// A connection was not taken yet; and not answered.
    asks: Register<Bit>,
    looking: Register<Bit>,
    #[wire(d = _)]
    of_map: Reg<Bit>,
    #[wire(d = _)]
    of_reach: Reg<Bit>,
    /// Peers are told of anew.
    walks: Reg<Bit>,
    walk: Reg<Bits<N>>,
    /// Clocks since the entries of the peer were asked for.
    read_steps: Reg<Bits<2>>,
    /// Its port is told, then its reachability.
    second: Reg<Bit>,
}

#[logic]
impl<const N: usize, const K: usize> InstanceTables<N, K> {
    /// Tables without entries.
    pub fn new() -> Result<Self, ConfigError> {
        check_range("sue_instance_tables", "ports", K as u64, 1, MAX_PORTS as u64)?;
        let initial = (0..1u64 << N).map(|peer| (peer % K as u64).into()).collect();
        Ok(Self {
            kept: Ram::new(RamConfig::block(1 << PARTITION_BITS))?,
            homes: Ram::new(RamConfig { initial, ..RamConfig::table(1 << N) })?,
            reach: Ram::new(RamConfig::table(1 << N))?,
            ..
        })
    }

    fn update(&mut self) {
        self.judge();
        let writes = waits[1] & asked.write;
        self.tell(writes);
        self.keep(writes);
        let read_partition: Bits<64> = bit_cast::<64, 1>(kept.read_data);
        let read_home: Bits<64> = bit_cast::<64, PORT_BITS>(homes.read_data);
        let read_reach: Bits<64> = bit_cast::<64, MAX_PORTS>(shown);
        let of_peer = if of_map { read_home } else { read_reach };
        let of_any = if of_partitions { read_partition } else { of_peer };
        let known = of_partitions | of_map | of_reach | of_connections;
        let seen: Bits<64> = if gone { 0 } else { looked.data };
        let of_table: Bits<64> = if of_connections { seen } else { of_any };
        let answer: Bits<64> = if known { of_table } else { 0 };
        let ends = self.look();
        let answered = (waits[2] & !of_connections) | ends;
        answers = In { data: TableAnswer { refused: !known, data: answer }, valid: answered };
    }

    /// A connection at its port; high when it is answered.
    fn look(&mut self) -> Bit {
        let index = asked.index;
        let starts = waits[1] & of_connections;
        asks = starts | (asks & !looks.ready & !gone);
        let ends = looking & (looked.valid | gone);
        looking = starts | (looking & !ends);
        looks.data = ConnectionLook {
            receiver: asked.table == RECEIVER,
            connection: index.bits::<CONNECTION_BITS>(0),
            port: index.bits::<PORT_BITS>(CONNECTION_BITS),
        };
        looks.valid = asks;
        ends
    }

    /// Whether the request is legal.
    fn judge(&mut self) {
        if requests.valid {
            asked = requests.data;
        }
        waits = cat(requests.valid, waits[0], waits[1]);
        let index = asked.index;
        let value = asked.data;
        let beyond_partitions = index.bits::<6>(PARTITION_BITS).any();
        let beyond_peers = (index >> N).any();
        let is_port = value < K;
        let is_set = !(value >> K).any();
        // While others forget, the walk after it tells them.
        let may = !asked.write | jobs.ready | forgets;
        let peer_and_vc = index.bits::<CONNECTION_BITS>(0);
        let beyond_connections = (peer_and_vc >> (N + 2)).any();
        let of_port = index.bits::<{ 16 - CONNECTION_BITS }>(CONNECTION_BITS);
        let of_ends = (asked.table == SENDER) | (asked.table == RECEIVER);
        of_connections = of_ends & connections & !asked.write & !beyond_connections & (of_port < K);
        of_partitions = (asked.table == PARTITIONS) & !beyond_partitions;
        of_map = (asked.table == STRICT_MAP) & !beyond_peers & (is_port | !asked.write) & may;
        of_reach = (asked.table == REACH) & !beyond_peers & (is_set | !asked.write) & may;
    }

    /// Entries are read and written.
    fn keep(&mut self, writes: Bit) {
        let index = asked.index;
        let value = asked.data;
        let partition = index.bits::<PARTITION_BITS>(0);
        let allowed: Bit = value[0];
        let of_rule = writes & of_partitions;
        kept = In { write_enable: of_rule, write_address: partition, write_data: allowed.into() };
        kept.read_address = partition;
        rules = In { data: PartitionRule { partition, allowed }, valid: of_rule };
        members = In { data: PartitionEntry { partition, member: allowed }, valid: of_rule };
        let peer = index.bits::<N>(0);
        shown_peer = peer;
        // A request goes before the walk, which reads again.
        let busy = waits.any();
        let place = if busy { peer } else { walk };
        let host_writes = writes & of_map;
        let change = home_change;
        let changed_peer = change.destination;
        let its_peer = changed_peer.bits::<N>(0);
        let home_peer = if host_writes { peer } else { its_peer };
        homes = In { write_enable: host_writes | home_waits, write_address: home_peer, read_address: place };
        homes.write_data = if host_writes { value.bits::<PORT_BITS>(0) } else { change.port };
        home_waits = home_waits & host_writes & (its_peer != peer);
        if moved_homes.valid {
            home_change = moved_homes.data;
            home_waits = true;
        }
        reach = In { write_enable: writes & of_reach, write_address: peer, read_address: place };
        reach.write_data = value.bits::<MAX_PORTS>(0);
        let told = jobs.valid & jobs.ready & !busy;
        let is_last = walk.all();
        read_steps = if busy | !walks | told {
            0
        } else if read_steps == 3 {
            3
        } else {
            read_steps + 1
        };
        if told {
            second = !second;
            if second {
                walk = walk + 1;
                walks = !is_last;
            }
        }
        if forgets {
            walks = true;
            walk = 0;
            second = false;
            read_steps = 0;
        }
    }

    /// What the host has written, or what the walk has come to.
    fn tell(&mut self, writes: Bit) {
        let busy_now = waits.any();
        let index = asked.index;
        let value = asked.data;
        let shifted: Bits<12> = cat(bits::<2>(0), index.bits::<10>(0));
        let walked: Bits<12> = bit_cast::<12, N>(walk) << 2;
        let host_kind = if of_map { HostJobKind::Home } else { HostJobKind::Reach };
        let walk_kind = if second { HostJobKind::Reach } else { HostJobKind::Home };
        let by_host = HostJob {
            kind: host_kind,
            connection: shifted,
            port: value.bits::<PORT_BITS>(0),
            ports: value.bits::<MAX_PORTS>(0),
        };
        let by_walk =
            HostJob { kind: walk_kind, connection: walked, port: homes.read_data, ports: reach.read_data };
        let walked_valid = walks & (read_steps == 3) & !busy_now & !forgets;
        jobs.data = if busy_now { by_host } else { by_walk };
        jobs.valid = (writes & (of_map | of_reach)) | walked_valid;
    }
}
