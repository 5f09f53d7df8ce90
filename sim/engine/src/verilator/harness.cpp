// Plain C interface of a Verilator model. @...@ is filled in by the builder.
#include "Vuut.h"
#include "verilated.h"
#include <cstddef>
#include <cstdint>
#include <memory>

namespace {

struct Instance {
    VerilatedContext context;
    std::unique_ptr<Vuut> uut;
};

template <class T> void put(T &port, const uint64_t *words) { port = static_cast<T>(words[0]); }
template <std::size_t N> void put(VlWide<N> &port, const uint64_t *words) {
    for (std::size_t i = 0; i < N; i++) port[i] = static_cast<EData>(words[i / 2] >> (32 * (i % 2)));
}
template <class T> void get(const T &port, uint64_t *words) { words[0] = port; }
template <std::size_t N> void get(const VlWide<N> &port, uint64_t *words) {
    for (std::size_t i = 0; i < N; i++) {
        if (i % 2 == 0) words[i / 2] = 0;
        words[i / 2] |= static_cast<uint64_t>(port[i]) << (32 * (i % 2));
    }
}

void set_inputs(Vuut *uut, const uint64_t *in) {
    (void)uut, (void)in;
@PUT@}

void get_outputs(Vuut *uut, uint64_t *out) {
    (void)uut, (void)out;
@GET@}

void set_clocks(Vuut *uut, uint64_t levels) {
    (void)uut, (void)levels;
@CLOCKS@}

} // namespace

extern "C" {

void *flitforge_new(int32_t seed) {
    auto instance = std::make_unique<Instance>();
    instance->context.randReset(2);
    instance->context.randSeed(seed);
    instance->uut = std::make_unique<Vuut>(&instance->context);
    return instance.release();
}

void flitforge_delete(void *handle) {
    auto *instance = static_cast<Instance *>(handle);
    instance->uut->final();
    delete instance;
}

// Inputs in, clocks low, settle, outputs out.
void flitforge_settle(void *handle, const uint64_t *in, uint64_t *out) {
    Vuut *uut = static_cast<Instance *>(handle)->uut.get();
    set_inputs(uut, in);
    set_clocks(uut, 0);
    uut->eval();
    get_outputs(uut, out);
}

// Rising edge of the clocks in the mask, after a settle.
void flitforge_rise(void *handle, uint64_t clocks) {
    Vuut *uut = static_cast<Instance *>(handle)->uut.get();
    set_clocks(uut, clocks);
    uut->eval();
}

// `count` clocks of all clock inputs with random inputs; see exercise.rs for the same in Rust.
uint64_t flitforge_exercise(void *handle, uint64_t count, uint64_t seed, const uint64_t *random, uint64_t *in) {
    Vuut *uut = static_cast<Instance *>(handle)->uut.get();
    uint64_t out[@OUTPUTS@ + 1], hash = 0;
    for (uint64_t clock = 0; clock < count; clock++) {
        const uint64_t step = 0x9e3779b97f4a7c15u, spread = 0xbf58476d1ce4e5b9u;
        seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
        uint64_t place = step;
        for (std::size_t i = 0; i < @INPUTS@; i++, place += step) {
            const uint64_t drawn = (seed ^ place) * spread;
            in[i] = (in[i] & ~random[i]) | ((drawn ^ drawn >> 32) & random[i]);
        }
        set_inputs(uut, in);
        set_clocks(uut, 0);
        uut->eval();
        get_outputs(uut, out);
        uint64_t factor = step;
        for (std::size_t i = 0; i < @OUTPUTS@; i++, factor += step << 1) hash += (out[i] ^ factor) * factor;
        hash = hash * spread ^ hash >> 29;
        set_clocks(uut, ~0ull);
        uut->eval();
    }
    return hash;
}

} // extern "C"
