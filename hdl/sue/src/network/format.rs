//! The settings of the format as the tables want them.

use super::{NetworkSettings, KIND_BITS};
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::sue::network::{HeaderFormat, IPV4_ETHERTYPE, IPV6_ETHERTYPE};

const V4: usize = HeaderFormat::StandardV4 as usize;
const V6: usize = HeaderFormat::StandardV6 as usize;
const GEN1: usize = HeaderFormat::AfhGen1 as usize;
const ESUN: usize = HeaderFormat::Esun as usize;

/// Number of the format with its options, and its Ethertype, one clock after the settings.
#[block("sue_format_choice")]
pub struct FormatChoice {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Registers.
    settings: In<NetworkSettings>,
    /// Format with options, as [`shape_of`](super::shape_of) reads it.
    kind: Out<Bits<KIND_BITS>>,
    /// The first Ethertype of the format.
    ethertype: Out<Bits<16>>,
    #[wire(d = _)]
    kind_now: Reg<Bits<KIND_BITS>>,
    #[wire(d = _)]
    ethertype_now: Reg<Bits<16>>,
}

#[logic]
impl FormatChoice {
    fn update(&mut self) {
        let format = settings.format;
        let tag: Bits<2> = cat(settings.vlan, settings.second_ethertype);
        let options: Bits<2> = if format == ESUN { settings.esun_payload } else { tag };
        let has_shim = (format == GEN1) & settings.shim;
        kind_now = cat(options, format[0..2], format[2] | has_shim);
        ethertype_now = match format {
            V4 => IPV4_ETHERTYPE,
            V6 => IPV6_ETHERTYPE,
            GEN1 => settings.afh1_ethertype,
            ESUN => settings.esun_ethertype,
            _ => {
                if settings.lite {
                    settings.lite_ethertype
                } else {
                    settings.sue_ethertype
                }
            }
        };
        kind = kind_now;
        ethertype = ethertype_now;
    }
}
