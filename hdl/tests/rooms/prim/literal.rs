use flitforge_hdl::prim::literal::{bits_of, hex_of};
use rust_hdl::prelude::*;

#[test]
fn any_type_gives_its_bits() {
    assert_eq!(hex_of(true), "1");
    assert_eq!(hex_of(Bits::<9>::from(0x1a5)), "1a5");
    assert_eq!(bits_of(bit_cast::<66, 66>(Bits::<66>::from(5) << 64)).words(), [0, 1]);
    assert_eq!(bits_of(Signed::<6>::from(-1)).low_u64(), 0x3f);
    assert_eq!(bits_of(Signed::<6>::from(-32)).low_u64(), 0x20);
}
