#pragma once

#include <string>

#include "dynomite/native/ir/update.hpp"

namespace dynomite::rewrite {

/// One instruction as a line of text, without what is in its regions; values without a name are named by
/// their ids.
std::string instr_text(const ir::Module& module, ir::InstrId instr);
/// What an update did, in a line; empty for what shows elsewhere (places, names, origins).
std::string update_text(const ir::Module& module, const ir::Update& update);

}  // namespace dynomite::rewrite
