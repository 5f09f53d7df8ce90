//! Which writes of an instance's registers are legal.

use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue::class::{class, ClassUse, CLASSES};
use flitforge_protocol::sue::command::MAX_COMMAND_BYTES;
use flitforge_protocol::sue::esun::EsunPayload;
use flitforge_protocol::sue::network::HeaderFormat;
use flitforge_protocol::sue_registers::{
    self as page, Sizes, Table, ETHERTYPE_MIN, INJECT_GAP, MANAGEMENT_BYTES, MANAGEMENT_BYTES_MIN, XPU_BITS,
};

/// Bits of CTRL.
pub const CONTROL_BITS: usize = page::ctrl::partition_check::LOW + 1;
/// Bits of CLASS0 to CLASS5.
pub const CLASS_BITS: usize = class::WIDTH;
const REQUESTS: usize = ClassUse::Requests as usize;
const ACKNOWLEDGMENTS: usize = ClassUse::Acknowledgments as usize;
const COMPRESSED: usize = HeaderFormat::AfhGen2Compressed as usize;
const PAYLOADS: usize = EsunPayload::ALL.len();
const TABLES: usize = Table::ALL.len();
const ENABLE: usize = page::ctrl::enable::LOW;
const OCTETS_MOST: usize = MANAGEMENT_BYTES;
const OCTETS_LEAST: usize = MANAGEMENT_BYTES_MIN;

/// For each register whether `data` may be written into it, one clock after `data`.
#[block("sue_regs_rules", new)]
pub struct RegsRules {
    /// Rising edge counts.
    clock: In<Clock>,
    /// What is to be written.
    data: In<Bits<64>>,
    /// CTRL.
    control: In<Bits<CONTROL_BITS>>,
    /// FMT.format.
    format: In<Bits<3>>,
    /// CLASS0 to CLASS5.
    classes: [In<Bits<CLASS_BITS>>; CLASSES],
    /// A frame that was injected has not left.
    injecting: In<Bit>,
    /// Registers of any value that are locked while CTRL.enable is 1.
    any: Out<Bit>,
    /// CTRL.
    may_control: Out<Bit>,
    /// LOCAL.
    may_local: Out<Bit>,
    /// PACK.
    may_pack: Out<Bit>,
    /// REL0.
    may_rel0: Out<Bit>,
    /// REL1.
    may_rel1: Out<Bit>,
    /// FMT.
    may_format: Out<Bit>,
    /// ETYPE.
    may_ethertypes: Out<Bit>,
    /// CLASS0 to CLASS5.
    may_class: [Out<Bit>; CLASSES],
    /// TYPE_CFG0.
    may_types: Out<Bit>,
    /// QTH.
    may_thresholds: Out<Bit>,
    /// TBL_ADDR.
    may_table: Out<Bit>,
    /// CMD.
    may_command: Out<Bit>,
    /// INJ_CTL.
    may_inject: Out<Bit>,
    /// INJ_GAP.
    may_gap: Out<Bit>,

    idle: Reg<Bit>,
    control_right: Reg<Bit>,
    local_right: Reg<Bit>,
    pack_right: Reg<Bit>,
    rel0_right: Reg<Bit>,
    rel1_right: Reg<Bit>,
    format_right: Reg<Bit>,
    ethertypes_right: Reg<Bit>,
    class_right: [Reg<Bit>; CLASSES],
    /// Two others are lossless.
    enough: [Reg<Bit>; CLASSES],
    types_right: Reg<Bit>,
    thresholds_right: Reg<Bit>,
    table_right: Reg<Bit>,
    command_right: Reg<Bit>,
    inject_right: Reg<Bit>,
    gap_right: Reg<Bit>,
    pack_most: Constant<Bits<13>>,
    slot_most: Constant<Bits<8>>,
    credits_most: Constant<Bits<16>>,
    last_port: Constant<Bits<4>>,
    format_least: Constant<Bits<3>>,
    format_most: Constant<Bits<3>>,
}

#[logic]
impl RegsRules {
    /// The rules of what was built.
    pub fn new(sizes: &Sizes) -> Self {
        let range = |offset: u32, field: &str| {
            let ranges = sizes.ranges();
            let found = ranges.iter().find(|range| (range.offset, range.field) == (offset, field));
            found.map_or((0, u64::MAX), |range| (range.least, range.most))
        };
        let formats = range(page::FMT, "format");
        Self {
            pack_most: Constant::new(sizes.pack_most().into()),
            slot_most: Constant::new(range(page::REL0, "slot_min").1.into()),
            credits_most: Constant::new(sizes.credits().into()),
            last_port: Constant::new((sizes.ports - 1).into()),
            format_least: Constant::new(formats.0.into()),
            format_most: Constant::new(formats.1.into()),
            ..
        }
    }

    fn update(&mut self) {
        let now_idle = !control[ENABLE];
        idle = now_idle;
        any = idle;
        self.judge_control(now_idle);
        self.judge_transport(now_idle);
        self.judge_network(now_idle);
        self.judge_classes(now_idle);
        self.judge_rest();
    }

    fn judge_control(&mut self, now_idle: Bit) {
        let same = data[1..CONTROL_BITS] == control[1..CONTROL_BITS];
        let mixed = data[page::ctrl::generation_enable] & (format == COMPRESSED);
        control_right = (now_idle | same) & !mixed;
        may_control = control_right;
        let xpu = data[page::local::xpu];
        local_right = now_idle & !xpu[XPU_BITS..page::local::xpu::WIDTH].any();
        may_local = local_right;
    }

    fn judge_transport(&mut self, now_idle: Bit) {
        let most = data[page::pack::most];
        let fits = (most >= MAX_COMMAND_BYTES) & (most <= pack_most) & !most[0];
        let weight_0 = data[page::pack::weight_0];
        let weight_1 = data[page::pack::weight_1];
        let weight_2 = data[page::pack::weight_2];
        let weight_3 = data[page::pack::weight_3];
        pack_right = now_idle & fits & weight_0.any() & weight_1.any() & weight_2.any() & weight_3.any();
        may_pack = pack_right;

        let window = data[page::rel0::window];
        let coalesce = data[page::rel0::acknowledgment_coalesce];
        let slot_min = data[page::rel0::slot_min];
        let slots_fit = slot_min.any() & (slot_min <= slot_most);
        rel0_right = now_idle & window.any() & coalesce.any() & slots_fit;
        may_rel0 = rel0_right;

        let timeout = data[page::rel1::timeout];
        let management_timeout = data[page::rel1::management_timeout];
        let tries = data[page::rel1::management_tries];
        rel1_right = now_idle & timeout.any() & management_timeout.any() & tries.any();
        may_rel1 = rel1_right;

        let end = data[page::type_cfg0::type_0];
        types_right = now_idle & !end.any();
        may_types = types_right;

        let credits = data[page::qth::initial_credits];
        let low = data[page::qth::low];
        thresholds_right =
            now_idle & credits.any() & (credits <= credits_most) & (low <= data[page::qth::high]);
        may_thresholds = thresholds_right;
    }

    fn judge_network(&mut self, now_idle: Bit) {
        let code = data[page::fmt::format];
        let known = (code >= format_least) & (code <= format_most);
        let generations = control[page::ctrl::generation_enable::LOW];
        let payload_known = data[page::fmt::esun_payload] < PAYLOADS;
        let ethertype_right = data[page::fmt::esun_ethertype] >= ETHERTYPE_MIN;
        format_right =
            now_idle & known & payload_known & ethertype_right & !(generations & (code == COMPRESSED));
        may_format = format_right;
        let first = data[page::etype::afh1] >= ETHERTYPE_MIN;
        let second = data[page::etype::sue] >= ETHERTYPE_MIN;
        let third = data[page::etype::lite] >= ETHERTYPE_MIN;
        ethertypes_right = now_idle & first & second & third;
        may_ethertypes = ethertypes_right;
    }

    /// Two classes are lossless, and requests and acknowledgments have nothing in common (chapter 50, 3.6).
    fn judge_classes(&mut self, now_idle: Bit) {
        let written = data[0..CLASS_BITS];
        for i in 0..CLASSES {
            let mut some = bits::<1>(0);
            let mut two = bits::<1>(0);
            for j in 0..CLASSES {
                let keeps: Bits<1> = classes[j].bits::<1>(class::lossless::LOW);
                if j != i {
                    two = two | (some & keeps);
                    some = some | keeps;
                }
            }
            enough[i] = two.any();
            class_right[i] = now_idle & (enough[i] | written[class::lossless]);
            may_class[i] = class_right[i];
        }
        let requests = classes[REQUESTS];
        let acknowledgments = classes[ACKNOWLEDGMENTS];
        let apart_from_requests = Self::apart(written, requests);
        let apart_from_acknowledgments = Self::apart(written, acknowledgments);
        class_right[REQUESTS] =
            now_idle & (enough[REQUESTS] | written[class::lossless]) & apart_from_acknowledgments;
        class_right[ACKNOWLEDGMENTS] =
            now_idle & (enough[ACKNOWLEDGMENTS] | written[class::lossless]) & apart_from_requests;
    }

    fn apart(one: Bits<CLASS_BITS>, other: Bits<CLASS_BITS>) -> Bit {
        (one[class::pcp] != other[class::pcp]) & (one[class::cbfc_vc] != other[class::cbfc_vc])
    }

    fn judge_rest(&mut self) {
        table_right = data[page::tbl_addr::table] < TABLES;
        may_table = table_right;
        command_right = !(data[page::cmd::fail_over] & data[page::cmd::open]);
        may_command = command_right;
        let octets = data[page::inj_ctl::octets];
        let goes = data[page::inj_ctl::go];
        let room = (octets <= OCTETS_MOST) & (data[page::inj_ctl::port] <= last_port);
        inject_right = room & !(goes & (injecting | (octets < OCTETS_LEAST)));
        may_inject = inject_right;
        gap_right = data[page::inj_gap::clocks] >= INJECT_GAP;
        may_gap = gap_right;
    }
}
