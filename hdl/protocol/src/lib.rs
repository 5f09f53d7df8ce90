//! Fields, widths, opcodes, polynomials and registers of the flitforge fabric, each defined once.
