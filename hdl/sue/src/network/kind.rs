//! Header formats with their options as numbers, for tables.

use flitforge_protocol::sue::esun::EsunPayload;
use flitforge_protocol::sue::header::HeaderShape;
use flitforge_protocol::sue::network::HeaderFormat;

/// Bits of the number of a format with its options.
pub const KIND_BITS: usize = 5;
/// Numbers of formats with their options; not all are in use.
pub const KINDS: usize = 1 << KIND_BITS;

/// Format code of AFH Gen 1 with a shim, which FMT has as an option.
const SHIM_CODE: usize = HeaderFormat::AfhGen1 as usize | 4;

/// The format with its options of a number, as [`FormatChoice`](super::FormatChoice) makes it: the format above two bits of options, which are
/// {second Ethertype, tag}, or what follows the ESUN header. `None` for a number that no setting has.
#[must_use]
pub fn shape_of(kind: usize) -> Option<HeaderShape> {
    let (code, options) = (kind >> 2, kind & 3);
    let shim = code == SHIM_CODE;
    let format = if shim { HeaderFormat::AfhGen1 } else { HeaderFormat::from_code(code as u8)? };
    let plain = HeaderShape::plain(format);
    Some(match format {
        HeaderFormat::Esun => HeaderShape { payload: EsunPayload::from_code(options as u8)?, ..plain },
        HeaderFormat::AfhGen2 | HeaderFormat::AfhGen2Compressed => plain,
        HeaderFormat::StandardV4 | HeaderFormat::StandardV6 => {
            HeaderShape { tagged: options & 1 != 0, ..plain }
        }
        HeaderFormat::AfhGen1 => {
            HeaderShape { tagged: options & 1 != 0, second_ethertype: options & 2 != 0, shim, ..plain }
        }
    })
}

/// All numbers of a format with its options; options that it does not have are in none or all of them.
#[must_use]
pub fn kind_of(shape: HeaderShape) -> Vec<usize> {
    (0..KINDS).filter(|kind| shape_of(*kind) == Some(shape)).collect()
}
