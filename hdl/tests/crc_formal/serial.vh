// The definition (chapter 10, 3.5): one bit at a time, bit 0 first, polynomial division with the highest
// coefficient first. R and MASK (the coefficients below x^R) are the including module's; BITS is the longest message.
function [R-1:0] serial;
    input [R-1:0] start;
    input [BITS-1:0] message;
    input integer count;
    integer at;
    reg feedback;
    begin
        serial = start;
        for (at = 0; at < count; at = at + 1) begin
            feedback = serial[R-1] ^ message[at];
            serial = serial << 1;
            if (feedback) serial = serial ^ MASK;
        end
    end
endfunction

// Sending order to register order and back: bit 0 is sent first and is the highest coefficient.
function [R-1:0] mirrored;
    input [R-1:0] word;
    integer at;
    begin
        mirrored = word;
        for (at = 0; at < R; at = at + 1) mirrored[at] = word[R-1-at];
    end
endfunction
