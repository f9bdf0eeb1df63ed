#pragma once

#include <cstdint>
#include <span>
#include <utility>

#include "dmt_dialect/native/bdd/bdd_store.hpp"

/// Substitution and simplification. To run inside `BddStore::operation`.
namespace dmt::bdd {

/// f with functions (or constants) in place of variables, all at a time.
BddEdge compose(BddStore& store, BddEdge f, std::span<const std::pair<std::uint32_t, BddEdge>> substitution);
/// Coudert and Madre's operators: functions equal to f wherever `care` is true, mostly smaller. `care` is not
/// the constant false. `constrain` commutes with the evaluation of vectors of functions, but may bring in
/// variables f does not depend on; `restrict` never does.
BddEdge constrain(BddStore& store, BddEdge f, BddEdge care);
BddEdge restrict_(BddStore& store, BddEdge f, BddEdge care);

}  // namespace dmt::bdd
