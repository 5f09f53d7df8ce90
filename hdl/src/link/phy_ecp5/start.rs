//! Bringing a SerDes up.

use crate::config::ConfigError;
use crate::prim::synchronizer::Synchronizer;
use flitforge_base::prelude::*;
use flitforge_elaborate::drive_ports;
use flitforge_elaborate::marker::block_label;

/// `serdes_start`: the resets of one side of a SerDes, from its loss of lock and loss of signal.
///
/// `reset` for 1024 clocks, then `pcs_reset` until `lost_lock` has been low for 1024 clocks, then `ok`. `lost_lock` or `lost_signal` in `ok`
/// begin anew, as does a lock that is not found within 65,536 clocks. Both may come from any clock. `clear` holds the resets.
#[derive(LogicBlock)]
pub struct SerdesStart {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous clear.
    pub clear: Signal<In, Bit>,
    /// No lock.
    pub lost_lock: Signal<In, Bit>,
    /// No signal.
    pub lost_signal: Signal<In, Bit>,
    /// Reset of the analogue side.
    pub reset: Signal<Out, Bit>,
    /// Reset of the digital side.
    pub pcs_reset: Signal<Out, Bit>,
    /// Up.
    pub ok: Signal<Out, Bit>,
    lock: Synchronizer<2>,
    signal: Synchronizer<2>,
    released: DFF<Bit>,
    up: DFF<Bit>,
    run: DFF<Bits<10>>,
    limit: DFF<Bits<16>>,
    again: Signal<Local, Bit>,
}

impl SerdesStart {
    /// In reset.
    pub fn new() -> Result<Self, ConfigError> {
        let none = Synchronizer::new(true)?;
        Ok(Self {
            clock: Default::default(),
            clear: Default::default(),
            lost_lock: Default::default(),
            lost_signal: Default::default(),
            reset: Default::default(),
            pcs_reset: Default::default(),
            ok: Default::default(),
            lock: none.clone(),
            signal: none,
            released: Default::default(),
            up: Default::default(),
            run: Default::default(),
            limit: Default::default(),
            again: Default::default(),
        })
    }
}

impl Logic for SerdesStart {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, released, up, run, limit);
        clock!(self, clock, lock, signal);
        self.lock.d.next = self.lost_lock.val();
        self.signal.d.next = self.lost_signal.val();
        self.run.d.next = self.run.q.val() + 1;
        self.limit.d.next = self.limit.q.val() + 1;
        if self.run.q.val().all() {
            self.released.d.next = true;
            if self.released.q.val() {
                self.up.d.next = true;
            }
        }
        if self.released.q.val() & self.lock.q.val() {
            self.run.d.next = 0.into();
        }
        if !self.released.q.val() {
            self.limit.d.next = 0.into();
        }
        self.again.next = (self.up.q.val() & (self.lock.q.val() | self.signal.q.val()))
            | (self.limit.q.val().all() & !self.up.q.val());
        if self.again.val() | self.clear.val() {
            self.released.d.next = false;
            self.up.d.next = false;
            self.run.d.next = 0.into();
        }
        self.reset.next = !self.released.q.val();
        self.pcs_reset.next = !self.up.q.val();
        self.ok.next = self.up.q.val();
    }

    fn timing(&self) -> Vec<TimingInfo> {
        block_label("serdes_start", &[])
    }
}

drive_ports!(impl[] SerdesStart { clock, clear, lost_lock, lost_signal, reset, pcs_reset, ok });
