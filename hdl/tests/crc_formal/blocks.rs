//! The blocks whose emitted Verilog is proved.

use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::elaborate;
use flitforge_elaborate::verilog::{self, Options};
use flitforge_hdl::link::crc::{CrcConfig, CrcPipeline};
use flitforge_hdl::registry::{find, Settings};
use flitforge_protocol::crc::Polynomial;

/// Name of every emitted top module.
pub const TOP: &str = "crc_block";

/// The emitted text of a block.
pub fn text_of(block: &dyn DriveBlock) -> String {
    let design = elaborate(block, TOP).expect("elaborates");
    verilog::write(&design, &Options::default())
}

/// A `link_crc` to be proved.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Bits per beat.
    pub w: usize,
    /// Generator.
    pub polynomial: Polynomial,
    /// Leaves the CRC's own bits of the last beat out.
    pub sender: bool,
    /// Where the registers are.
    pub pipeline: CrcPipeline,
}

impl Case {
    fn config(&self) -> CrcConfig {
        let make = if self.sender { CrcConfig::sender } else { CrcConfig::receiver };
        make(self.polynomial, self.w, self.pipeline)
    }

    /// Clocks between the state register and the output.
    fn exit(&self) -> u64 {
        match self.pipeline {
            CrcPipeline::Short => 0,
            CrcPipeline::Balanced => 1,
            CrcPipeline::Fast => 2,
        }
    }

    /// The miter's parameters, for a register of `definition`.
    pub fn parameters(&self, definition: Polynomial, latency: u32) -> Vec<(&'static str, u64)> {
        vec![
            ("W", self.w as u64),
            ("R", self.polynomial.width() as u64),
            ("MASK", definition.mask().into()),
            ("LAST", self.config().last_bits as u64),
            ("LATENCY", latency.into()),
            ("EXIT", self.exit()),
        ]
    }

    /// Words for a folder and a line.
    pub fn name(&self) -> String {
        let form = if self.sender { "sender" } else { "receiver" };
        let pipeline = format!("{:?}", self.pipeline).to_lowercase();
        format!("crc_{:x}_{}_{form}_{pipeline}", self.polynomial.coefficients(), self.w)
    }

    /// Emitted text and latency, as the registry builds the block.
    pub fn emit(&self) -> (String, u32) {
        crate::shapes::add();
        let entry = find("link_crc").expect("registered");
        let settings = [
            ("w", self.w as u64),
            ("polynomial", self.polynomial.coefficients().into()),
            ("uncovered", (self.w - self.config().last_bits) as u64),
            ("pipeline", self.pipeline as u64),
        ];
        let settings = settings.map(|(name, value)| (name.to_string(), value));
        let settings = Settings::new(entry, None, &settings).expect("valid");
        let built = (entry.build)(&settings).expect("builds");
        (text_of(built.block.as_ref()), built.interface.latency_clocks.expect("known"))
    }
}
