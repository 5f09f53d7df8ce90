//! Bringing a SerDes up.

use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::synchronizer::Synchronizer;

/// `serdes_start`: the resets of one side of a SerDes, from its loss of lock and loss of signal.
///
/// `reset` for 1024 clocks, then `pcs_reset` until `lost_lock` has been low for 1024 clocks, then `ok`. `lost_lock` or `lost_signal` in `ok`
/// begin anew, as does a lock that is not found within 65,536 clocks. Both may come from any clock. `clear` holds the resets.
#[block("serdes_start", new)]
pub struct SerdesStart {
    /// Clock.
    clock: In<Clock>,
    /// Synchronous clear.
    clear: In<Bit>,
    /// No lock.
    lost_lock: In<Bit>,
    /// No signal.
    lost_signal: In<Bit>,
    /// Reset of the analogue side.
    reset: Out<Bit>,
    /// Reset of the digital side.
    pcs_reset: Out<Bit>,
    /// Up.
    ok: Out<Bit>,
    #[wire(clock)]
    lock: Synchronizer<2>,
    #[wire(clock)]
    signal: Synchronizer<2>,
    released: Reg<Bit>,
    up: Reg<Bit>,
    run: Reg<Bits<10>>,
    limit: Reg<Bits<16>>,
}

#[logic]
impl SerdesStart {
    /// In reset.
    pub fn new() -> Result<Self, ConfigError> {
        let none = Synchronizer::new(true)?;
        Ok(Self { lock: none.clone(), signal: none, .. })
    }

    fn update(&mut self) {
        lock.d = lost_lock;
        signal.d = lost_signal;
        run = run + 1;
        limit = limit + 1;
        if run.all() {
            released = true;
            if released {
                up = true;
            }
        }
        if released & lock.q {
            run = 0;
        }
        if !released {
            limit = 0;
        }
        let again = (up & (lock.q | signal.q)) | (limit.all() & !up);
        if again | clear {
            released = false;
            up = false;
            run = 0;
        }
        reset = !released;
        pcs_reset = !up;
        ok = up;
    }
}
