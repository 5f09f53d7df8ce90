// Runs a netlist as far as it is asked to, and plays the far end of its serial port. Requests come by lines:
//
//   bits FRAME COUNT   that many bits on the serial input, the low one first; no answer
//   set PORT VALUE     an input, from the next clock on; no answer
//   run CLOCKS         answer `done CLOCK`
//   receive CLOCKS     until a character is there, so many clocks at most: `letter CLOCK CODE` or `silence CLOCK`
//
// Before an answer, every change of a watched output: `change CLOCK PORT VALUE`.
#include "Vtop.h"
#include "verilated.h"
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <deque>

static Vtop *top;
static uint64_t clocks = 0;
static std::deque<unsigned> letters;

static bool set_input(const char *name, uint64_t value) {
INPUTS    return false;
}

static void fail(const char *what) {
    printf("error %" PRIu64 " %s\n", clocks, what);
    fflush(stdout);
    _Exit(1);
}

static void watch() {
    static uint64_t before[OUTPUT_COUNT] = {};
    static const char *const names[OUTPUT_COUNT] = {OUTPUT_NAMES};
    const uint64_t now[OUTPUT_COUNT] = {OUTPUT_VALUES};
    for (int at = 0; at < OUTPUT_COUNT; at++) {
        if (now[at] == before[at]) continue;
        before[at] = now[at];
        printf("change %" PRIu64 " %s %" PRIu64 "\n", clocks, names[at], now[at]);
    }
}

// Samples the middle of each bit, as bench.sv does.
static void listen() {
    static int wait_for = 0, bit_number = -1;
    static unsigned letter = 0, before = 1;
    const unsigned level = top->SERIAL_OUT & 1;
    if (bit_number < 0) {
        if (before && !level) {
            bit_number = 0;
            wait_for = DIVIDER / 2 - 1;
        }
    } else if (wait_for > 0) {
        wait_for--;
    } else {
        wait_for = DIVIDER - 1;
        bit_number++;
        if (bit_number == 1) {
            if (level) fail("the start bit is short");
        } else if (bit_number <= 9) {
            letter = letter >> 1 | level << 7;
        } else {
            bit_number = -1;
            if (!level) fail("no stop bit");
            letters.push_back(letter & 0xff);
        }
    }
    before = level;
}

static void run(uint64_t count) {
    while (count-- > 0) {
        top->CLOCK_PIN = 1;
        top->eval();
        top->CLOCK_PIN = 0;
        top->eval();
        clocks++;
        listen();
        watch();
    }
}

int main(int count, char **arguments) {
    VerilatedContext context;
    context.commandArgs(count, arguments);
    top = new Vtop(&context);
    top->CLOCK_PIN = 0;
    top->SERIAL_IN = 1;
    top->eval();
    char line[256], name[128];
    uint64_t a, b;
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "bits %" SCNu64 " %" SCNu64, &a, &b) == 2) {
            for (uint64_t at = 0; at < b; at++) {
                top->SERIAL_IN = a >> at & 1;
                run(DIVIDER);
            }
            continue;
        }
        if (sscanf(line, "set %127s %" SCNu64, name, &a) == 2) {
            if (!set_input(name, a)) fail("no such input");
            continue;
        }
        if (sscanf(line, "run %" SCNu64, &a) == 1) {
            run(a);
            printf("done %" PRIu64 "\n", clocks);
        } else if (sscanf(line, "receive %" SCNu64, &a) == 1) {
            for (uint64_t at = 0; at < a && letters.empty(); at++) run(1);
            if (letters.empty()) {
                printf("silence %" PRIu64 "\n", clocks);
            } else {
                printf("letter %" PRIu64 " %u\n", clocks, letters.front());
                letters.pop_front();
            }
        } else {
            fail("an unknown request");
        }
        fflush(stdout);
    }
    fflush(stdout);
    _Exit(0);
}
