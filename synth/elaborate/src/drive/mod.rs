//! Access to a rust-hdl block's ports by path, as [`Value`]s.
//!
//! rust-hdl's `Probe` can read any signal but write none, so a block that is to be driven generically lists
//! its ports once with [`drive_ports!`](crate::drive_ports). Paths are Rust spelling: `flits_in.data`, `lane[2].valid`.
//!
//! The interfaces of rust-hdl's own crates are listed here ([`stock`]). A block or an interface of another crate cannot be listed
//! (E0117); [`driven!`](crate::driven) makes a [`Driven`] of the block, which needs no implementation.

mod driven;
mod meanings;
#[doc(hidden)]
pub mod parts;
pub mod stock;

pub use driven::{below_top, Driven};
pub use meanings::Meanings;

use crate::value::Value;
use rust_hdl::core::bitvec::BitVec;
use rust_hdl::prelude::*;

/// A type whose bits can be set from and read as a [`Value`].
pub trait FromValue: Sized {
    /// The value with these bits; `value` has the type's width.
    fn from_value(value: &Value) -> Self;
    /// The bits.
    fn to_value(&self) -> Value;
}

impl FromValue for bool {
    fn from_value(value: &Value) -> Self {
        value.bit(0)
    }
    fn to_value(&self) -> Value {
        Value::from_u64(1, u64::from(*self))
    }
}

impl FromValue for Clock {
    fn from_value(value: &Value) -> Self {
        Clock { clk: value.bit(0) }
    }
    fn to_value(&self) -> Value {
        Value::from_u64(1, u64::from(self.clk))
    }
}

impl<const N: usize> FromValue for Bits<N> {
    fn from_value(value: &Value) -> Self {
        if N <= 32 {
            return Bits::from(value.low_u64() as LiteralType);
        }
        let words = value.words();
        let bits: [bool; N] = std::array::from_fn(|i| words[i / 64] >> (i % 64) & 1 == 1);
        Bits::Long(BitVec::from(bits))
    }
    fn to_value(&self) -> Value {
        let mut words = vec![0u64; N.div_ceil(64)];
        if N <= 32 {
            words[0] = self.index() as u64;
        } else {
            for i in 0..N {
                words[i / 64] |= u64::from(self.get_bit(i)) << (i % 64);
            }
        }
        Value::from_words(N as u32, &words)
    }
}

impl<const N: usize> FromValue for Signed<N> {
    fn from_value(value: &Value) -> Self {
        signed_cast(Bits::<N>::from_value(value))
    }
    fn to_value(&self) -> Value {
        self.inner().to_value()
    }
}

/// A port, an array of ports, an interface, or a whole block.
pub trait Drive {
    /// Sets the input at `path` (the part of the path after this item, without a leading dot).
    /// False if there is no such input.
    fn drive(&mut self, path: &str, value: &Value) -> bool;
    /// The settled value of the port at `path`.
    fn sample(&self, path: &str) -> Option<Value>;
    /// The paths below this item, each with its width and whether it is an input.
    fn list(&self, prefix: &str, into: &mut Vec<(String, u32, bool)>);
    /// What the sources say of this item's ports, and of what is in them; of an array, what they say of its first element.
    fn meanings(&self, _prefix: &str, _into: &mut Vec<(String, &'static str)>) {}
}

impl<T: Synth + FromValue> Drive for Signal<In, T> {
    fn drive(&mut self, path: &str, value: &Value) -> bool {
        if !path.is_empty() || value.width() as usize != T::BITS {
            return false;
        }
        self.next = T::from_value(value);
        true
    }
    fn sample(&self, path: &str) -> Option<Value> {
        path.is_empty().then(|| self.val().to_value())
    }
    fn list(&self, prefix: &str, into: &mut Vec<(String, u32, bool)>) {
        into.push((prefix.into(), T::BITS as u32, true));
    }
}

impl<T: Synth + FromValue> Drive for Signal<Out, T> {
    fn drive(&mut self, _: &str, _: &Value) -> bool {
        false
    }
    fn sample(&self, path: &str) -> Option<Value> {
        path.is_empty().then(|| self.val().to_value())
    }
    fn list(&self, prefix: &str, into: &mut Vec<(String, u32, bool)>) {
        into.push((prefix.into(), T::BITS as u32, false));
    }
}

/// A block whose ports can be driven by path.
pub trait DriveBlock: Block + Drive {}
impl<B: Block + Drive> DriveBlock for B {}

/// Implements [`Drive`] for a block or an interface by listing its ports:
///
/// ```ignore
/// drive_ports!(impl[const F: usize] LtpTx<F> { clock, clear, flits_in, wire });
/// ```
///
/// A text may follow a name, `clear = "Synchronous clear."`: what the port means, see [`Meanings`](crate::drive::Meanings).
#[macro_export]
macro_rules! drive_ports {
    (impl[$($generics:tt)*] $name:ty { $($field:ident $(= $text:expr)?),* $(,)? }) => {
        impl<$($generics)*> $crate::drive::parts::Parts for $name {
            fn names(&self) -> &'static [(&'static str, &'static str)] {
                &[$((stringify!($field), concat!($($text)?))),*]
            }
            fn part(&self, at: usize) -> Option<&dyn $crate::drive::Drive> {
                #[allow(non_camel_case_types, dead_code, clippy::enum_variant_names)]
                enum Port { $($field),* }
                match at {
                    $(at if at == Port::$field as usize => Some(&self.$field),)*
                    _ => None,
                }
            }
            fn part_mut(&mut self, at: usize) -> Option<&mut dyn $crate::drive::Drive> {
                #[allow(non_camel_case_types, dead_code, clippy::enum_variant_names)]
                enum Port { $($field),* }
                match at {
                    $(at if at == Port::$field as usize => Some(&mut self.$field),)*
                    _ => None,
                }
            }
        }
        impl<$($generics)*> $crate::drive::Drive for $name {
            fn drive(&mut self, path: &str, value: &$crate::Value) -> bool {
                $crate::drive::parts::drive(self, path, value)
            }
            fn sample(&self, path: &str) -> Option<$crate::Value> {
                $crate::drive::parts::sample(self, path)
            }
            fn list(&self, prefix: &str, into: &mut Vec<(String, u32, bool)>) {
                $crate::drive::parts::list(self, prefix, into);
            }
            fn meanings(&self, prefix: &str, into: &mut Vec<(String, &'static str)>) {
                $crate::drive::parts::meanings(self, prefix, into);
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(LogicInterface, Clone, Debug, Default)]
    struct Wires<T: Synth> {
        data: Signal<In, T>,
        ready: Signal<Out, bool>,
    }
    drive_ports!(impl[T: Synth + FromValue] Wires<T> { data, ready });

    #[derive(LogicBlock, Default)]
    struct Uut<const N: usize> {
        lanes: [Wires<Bits<N>>; 2],
        clear: Signal<In, bool>,
    }
    impl<const N: usize> Logic for Uut<N> {
        #[hdl_gen]
        fn update(&mut self) {
            for i in 0..2 {
                self.lanes[i].ready.next = !self.clear.val() & self.lanes[i].data.val().any();
            }
        }
    }
    drive_ports!(impl[const N: usize] Uut<N> { lanes, clear });

    #[test]
    fn ports_are_found_by_path() {
        let mut uut = Uut::<130>::default();
        uut.clear.connect();
        uut.connect_all();
        let value = Value::from_words(130, &[0, 0, 2]);
        assert!(uut.drive("lanes[1].data", &value));
        assert!(!uut.drive("lanes[2].data", &value));
        assert!(!uut.drive("lanes[1].data", &Value::zero(129)));
        assert!(!uut.drive("lanes[1].ready", &Value::zero(1)));
        uut.update_all();
        uut.update_all();
        assert_eq!(uut.sample("lanes[1].data"), Some(value));
        assert_eq!(uut.sample("lanes[1].ready"), Some(Value::ones(1)));
        assert_eq!(uut.sample("lanes[0].ready"), Some(Value::zero(1)));
        let mut ports = vec![];
        uut.list("", &mut ports);
        assert_eq!(ports[2], ("lanes[1].data".into(), 130, true));
        assert_eq!(ports.len(), 5);
    }
}
