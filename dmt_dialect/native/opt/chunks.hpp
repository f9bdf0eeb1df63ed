#pragma once

#include <cstdint>
#include <functional>

#include "dmt_dialect/native/aig/aig_store.hpp"
#include "dynomite/native/base/stop.hpp"

namespace dmt::opt {

using ChunkPass = std::function<AigStore(const AigStore& chunk, dynomite::Stop& stop)>;

/// Runs a pass on parts of a large circuit, on several threads, and joins what it gives. A part has about
/// `size` ANDs that stand together in depth-first order; what it takes from other parts are inputs of it,
/// what others take from it are outputs. The parts depend on the circuit and `size` only: the result is the
/// same for any number of threads.
///
/// `pass` must keep the order of inputs and outputs; it is called from several threads at once. When `stop`
/// ends it, parts that are not done stay as they were. Linear besides the pass.
AigStore in_chunks(const AigStore& aig, std::uint32_t size, unsigned threads, const ChunkPass& pass,
                   dynomite::Stop& stop);

}  // namespace dmt::opt
