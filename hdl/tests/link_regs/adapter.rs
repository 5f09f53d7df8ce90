//! Ports of `link_regs` to the model, and back.

use flitforge_hdl::link::regs::LinkRegsConfig;
use flitforge_model::link_registers::{LinkRegisters, RegisterInputs, Request};
use flitforge_protocol::counter::{LinkCounter, LINK_COUNTERS};
use flitforge_protocol::link_registers::{self as page, ctrl, lanes};
use flitforge_protocol::register::BYTES;
use flitforge_sim::model::PortValues;
use flitforge_sim::SimError;

/// Status ports by the register they show.
pub const LIVE: [(&str, u32); 7] = [
    ("status", page::STATUS),
    ("lanes", page::LANES),
    ("rtt", page::RTT),
    ("seq", page::SEQ),
    ("peer_guid", page::PEER_GUID),
    ("lat", page::LAT),
    ("bond_skew", page::BOND_SKEW),
];
/// Ports of kept registers.
pub const KEPT: [(&str, u32); 9] = [
    ("crc_cfg", page::CRC_CFG),
    ("retry_cfg", page::RETRY_CFG),
    ("degrade", page::DEGRADE),
    ("guid", page::GUID),
    ("credit", page::CREDIT),
    ("cu", page::CU),
    ("inject", page::INJECT),
    ("vl_arb", page::VL_ARB),
    ("vl_en", page::VL_EN),
];
/// Ports of counters that take several events per clock.
const SEVERAL: [(&str, LinkCounter); 5] = [
    ("illegal_flits", LinkCounter::IllegalFlit),
    ("tx_illegal", LinkCounter::TxIllegal),
    ("time_stale", LinkCounter::TimeStale),
    ("time_dropped", LinkCounter::TimeDropped),
    ("lost_on_reset", LinkCounter::LostOnReset),
];

/// The model behind the block's ports.
pub struct Adapter {
    model: LinkRegisters,
    /// The word of the request taken last.
    word: u64,
    busy: u32,
}

impl Adapter {
    pub fn new(config: &LinkRegsConfig) -> Self {
        let mut model = LinkRegisters::new(&config.built().into_iter().collect());
        config.started.iter().for_each(|(offset, value)| model.start_word(*offset, *value));
        Adapter { model, word: 0, busy: 0 }
    }

    pub fn step(&mut self, inputs: &PortValues, outputs: &mut PortValues) -> Result<(), SimError> {
        for (path, offset) in KEPT {
            outputs.set_u64(path, self.model.kept(offset))?;
        }
        outputs.set_u64("allowed", lanes::allowed::FIELD.get(self.model.kept(page::LANES).into()))?;
        outputs.set_u64("enable", ctrl::enable::FIELD.get(self.model.kept(page::CTRL).into()))?;
        outputs.set_u64("credit_select", self.word & 15)?;
        let request = self.request(inputs)?;
        let taken = self.model.clock(&self.inputs(inputs, request)?);
        outputs.set_bit("ack", taken.ack.is_some())?;
        outputs.set_u64("rdata", taken.ack.unwrap_or(0))?;
        outputs.set_bit("interrupt", taken.interrupt)?;
        for (path, field) in [
            ("go_down", ctrl::disable::FIELD),
            ("retrain", ctrl::retrain::FIELD),
            ("restore", ctrl::restore::FIELD),
        ] {
            outputs.set_u64(path, field.get(taken.commands.into()))?;
        }
        Ok(())
    }

    /// The request of this clock; the block shows its word from the next clock on.
    fn request(&mut self, inputs: &PortValues) -> Result<Option<Request>, SimError> {
        let (write, read) = (inputs.bit("we")?, inputs.bit("re")?);
        let word = inputs.u64("addr")?;
        if self.busy > 0 {
            self.busy -= 1;
        } else if (write || read) && !inputs.bit("clear")? {
            (self.word, self.busy) = (word, 4);
        }
        let write = if write { Some(inputs.u64("wdata")?) } else { None };
        Ok((write.is_some() || read).then_some(Request { offset: word as u32 * BYTES, write }))
    }

    fn inputs(&self, inputs: &PortValues, request: Option<Request>) -> Result<RegisterInputs, SimError> {
        let mut counts: Vec<u64> =
            (0..LINK_COUNTERS).map(|i| inputs.u64("events").map(|e| e >> i & 1)).collect::<Result<_, _>>()?;
        for (path, counter) in SEVERAL {
            counts[usize::from(counter.code())] = inputs.u64(path)?;
        }
        let code_errors = inputs.u64("code_errors")?;
        counts[usize::from(LinkCounter::CodeErr.code())] = code_errors.count_ones().into();
        let mut taken = RegisterInputs {
            clear: inputs.bit("clear")?,
            request,
            credit: inputs.u64("credit_word")?,
            counts,
            lanes: [inputs.u64("lane_errors")?, code_errors],
            happened: inputs.u64("happened")?,
            ..RegisterInputs::default()
        };
        for (path, offset) in LIVE {
            taken.live.insert(offset, inputs.u64(path)?);
        }
        for (lane, level) in taken.levels.iter_mut().enumerate() {
            *level = inputs.u64(&format!("debt[{lane}]"))?;
        }
        Ok(taken)
    }
}
