//! `Drive` for the interfaces and the enumerations of rust-hdl-widgets and rust-hdl-hls, which come with rust-hdl itself.

use super::FromValue;
use crate::drive_ports;
use rust_hdl::hls::bidi::{BidiBusD, BidiBusM};
use rust_hdl::prelude::*;
use rust_hdl::widgets::i2c::i2c_controller::I2CControllerCmd;
use rust_hdl::widgets::i2c::i2c_driver::I2CDriverCmd;
use rust_hdl::widgets::ramrom::ram::RAMWrite;
use rust_hdl::widgets::sdram::SDRAMDevice;

drive_ports!(impl[] SPIWiresMaster { mosi, miso, msel, mclk });
drive_ports!(impl[] SPIWiresSlave { mosi, miso, msel, mclk });
drive_ports!(impl[] OpenDrainDriver { drive_low, line_state });
drive_ports!(impl[] OpenDrainReceiver { drive_low, line_state });
drive_ports!(impl[] I2CBusDriver { sda, scl });
drive_ports!(impl[] I2CBusReceiver { sda, scl });
drive_ports!(impl[const D: usize] SDRAMDriver<D> {
    clk, we_not, cas_not, ras_not, cs_not, bank, address, write_data, read_data, write_enable
});
drive_ports!(impl[const D: usize] SDRAMDevice<D> {
    clk, we_not, cas_not, ras_not, cs_not, bank, address, write_data, read_data, write_enable
});
drive_ports!(impl[D: Synth + FromValue, const N: usize] RAMWrite<D, N> { address, clock, data, enable });
drive_ports!(impl[const D: usize, const A: usize] SoCBusController<D, A> {
    address, address_strobe, from_controller, to_controller, ready, strobe, clock
});
drive_ports!(impl[const D: usize, const A: usize] SoCBusResponder<D, A> {
    address, address_strobe, from_controller, to_controller, ready, strobe, clock
});
drive_ports!(impl[const D: usize] SoCPortController<D> {
    select, from_controller, to_controller, ready, strobe, clock
});
drive_ports!(impl[const D: usize] SoCPortResponder<D> {
    select, from_controller, to_controller, ready, strobe, clock
});
drive_ports!(impl[T: Synth + FromValue] FIFOWriteController<T> { data, write, full, almost_full });
drive_ports!(impl[T: Synth + FromValue] FIFOWriteResponder<T> { data, write, full, almost_full });
drive_ports!(impl[T: Synth + FromValue] FIFOReadController<T> { data, read, empty, almost_empty });
drive_ports!(impl[T: Synth + FromValue] FIFOReadResponder<T> { data, read, empty, almost_empty });
// `sig_inout` is bidirectional: a block with such a port is driven as a `Driven`.
drive_ports!(impl[T: Synth] BidiBusM<T> { sig_empty, sig_full, sig_not_read, sig_not_write, sig_master });
drive_ports!(impl[T: Synth] BidiBusD<T> { sig_empty, sig_full, sig_not_read, sig_not_write, sig_master });

/// Implements [`FromValue`] for an enumeration with `derive(LogicState)`: its variants in order. Bits that are none of them are
/// the first one.
///
/// ```ignore
/// value_enum!(State { Idle, Busy, Done });
/// ```
#[macro_export]
macro_rules! value_enum {
    ($name:ident { $($variant:ident),+ $(,)? }) => {
        impl $crate::drive::FromValue for $name {
            fn from_value(value: &$crate::Value) -> Self {
                let variants = [$(Self::$variant),+];
                let number = usize::try_from(value.low_u64()).unwrap_or(0);
                *variants.get(number).unwrap_or(&variants[0])
            }
            fn to_value(&self) -> $crate::Value {
                let variants = [$(Self::$variant),+];
                let number = variants.iter().position(|variant| variant == self).unwrap_or(0);
                let width = <Self as rust_hdl::prelude::Synth>::BITS as u32;
                $crate::Value::from_u64(width, number as u64)
            }
        }
    };
}

value_enum!(SDRAMCommand {
    LoadModeRegister,
    AutoRefresh,
    Precharge,
    BurstTerminate,
    Write,
    Read,
    Active,
    NOP
});
value_enum!(I2CDriverCmd { Noop, SendStart, SendTrue, SendFalse, SendStop, GetBit, Restart });
value_enum!(I2CControllerCmd { Noop, BeginWrite, Write, BeginRead, Read, EndTransmission, ReadLast });

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Value;

    #[test]
    fn enumerations_have_the_numbers_that_rust_hdl_gives_them() {
        let commands =
            [(0, SDRAMCommand::LoadModeRegister), (3, SDRAMCommand::BurstTerminate), (7, SDRAMCommand::NOP)];
        for (number, command) in commands {
            let value = Value::from_u64(3, number);
            assert_eq!(SDRAMCommand::from_value(&value), command);
            assert_eq!(command.to_value(), value);
            assert!(
                command.verilog().to_string().ends_with(&format!("'h{number:x}")),
                "{}",
                command.verilog()
            );
        }
    }
}
