//! A block in plain rust-hdl: sends 0, 1, 2 ... over SPI while `enable` is up.

use rust_hdl::prelude::*;

/// The block.
#[derive(LogicBlock)]
pub struct Ticker {
    /// Clock.
    pub clock: Signal<In, Clock>,
    /// Sends while up.
    pub enable: Signal<In, Bit>,
    /// The wires, an interface of rust-hdl-widgets.
    pub spi: SPIWiresMaster,
    master: SPIMaster<8>,
    count: DFF<Bits<8>>,
    bits: Constant<Bits<16>>,
    send: Signal<Local, Bit>,
}

impl Default for Ticker {
    fn default() -> Self {
        let config = SPIConfig {
            clock_speed: 48_000_000,
            cs_off: true,
            mosi_off: false,
            speed_hz: 4_000_000,
            cpha: false,
            cpol: false,
        };
        Self {
            clock: Default::default(),
            enable: Default::default(),
            spi: Default::default(),
            master: SPIMaster::new(config),
            count: Default::default(),
            bits: Constant::new(8.into()),
            send: Default::default(),
        }
    }
}

impl Logic for Ticker {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, count);
        clock!(self, clock, master);
        SPIWiresMaster::link(&mut self.spi, &mut self.master.wires);
        self.master.bits_outbound.next = self.bits.val();
        self.master.data_outbound.next = self.count.q.val();
        self.master.continued_transaction.next = false;
        self.send.next = self.enable.val() & !self.master.busy.val();
        self.master.start_send.next = self.send.val();
        if self.send.val() {
            self.count.d.next = self.count.q.val() + 1;
        }
    }
}
