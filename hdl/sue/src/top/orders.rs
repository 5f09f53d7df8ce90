//! What the host wants of connections and of the load balance, one after the other.

use crate::failover::{HostCommand, HostKind, PortConnection};
use crate::load_balance::{ChangeKind, RouteChange};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::SmallFifo;
use flitforge_protocol::sue_registers::MAX_PORTS;

/// What is to be done.
#[packed]
pub enum HostJobKind {
    /// The connection fails over.
    FailOver,
    /// The connection is opened.
    Open,
    /// The peer is reached by these ports, and by no other.
    Reach,
    /// The peer's port in STRICT_MAP.
    Home,
}

/// Something to be done.
#[packed]
pub struct HostJob {
    /// What.
    kind: HostJobKind,
    /// Peer and, in the lowest two bits, virtual channel.
    connection: Bits<12>,
    /// Its port, or that of STRICT_MAP.
    port: Bits<2>,
    /// With `Reach`: a bit for each port.
    ports: Bits<MAX_PORTS>,
}

/// Jobs of the host of an instance with `K` ports. 17 wait. `clear` forgets them.
#[block("sue_host_orders", new)]
pub struct HostOrders<const K: usize> {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets all jobs.
    clear: In<Bit>,
    /// What is to be done.
    pub jobs: StreamIn<HostJob>,
    /// For connection management.
    pub commands: StreamOut<HostCommand>,
    /// For the load balance.
    pub homes: StreamOut<RouteChange>,

    #[wire(clock, clear)]
    waiting: SmallFifo<HostJob, 4, 5>,
    /// With `Reach`: the port whose turn it is.
    turn: Reg<Bits<2>>,
}

#[logic]
impl<const K: usize> HostOrders<K> {
    /// Nothing is to be done.
    pub fn new() -> Result<Self, ConfigError> {
        check_range("sue_host_orders", "ports", K as u64, 1, MAX_PORTS as u64)?;
        Ok(Self { waiting: SmallFifo::new()?, .. })
    }

    fn update(&mut self) {
        link(jobs, waiting.words_in);
        let job = waiting.words_out.data;
        let there = waiting.words_out.valid;
        let of_connection = job.connection;
        let is_home = job.kind == HostJobKind::Home;
        let is_reach = job.kind == HostJobKind::Reach;
        homes.valid = there & is_home;
        homes.data =
            RouteChange { destination: of_connection[2..12], kind: ChangeKind::Home, port: job.port };
        let mut reaches: Bit = false;
        for i in 0..K {
            let of_ports = job.ports;
            if turn == i {
                reaches = of_ports[i];
            }
        }
        let of_route = if reaches { HostKind::Reach } else { HostKind::Lose };
        let of_one = if job.kind == HostJobKind::Open { HostKind::Open } else { HostKind::FailOver };
        let port = if is_reach { turn } else { job.port };
        let of = PortConnection { connection: of_connection, port };
        let kind = if is_reach { of_route } else { of_one };
        commands = In { data: HostCommand { kind, of }, valid: there & !is_home };
        let given = commands.valid & commands.ready;
        let over = !is_reach | (turn == K - 1);
        waiting.words_out.ready = (is_home & homes.ready) | (!is_home & commands.ready & over);
        if given {
            turn = if over { 0 } else { turn + 1 };
        }
        if clear {
            turn = 0;
        }
    }
}
