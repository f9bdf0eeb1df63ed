#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hw_dialect/native/blif/netlist.hpp"

namespace hw {

/// A pin of an instance whose model is not known.
struct OpenPin {
  NameId model;
  NameId formal;  // none: an input for sure
  NetId net;
  std::uint32_t cell = 0;
  bool is_output = false;  // the result
};

/// Finds which pins drive their nets. What holds for one instance holds for all of the same model. A pin is
/// an input if something else drives its net, and an output if nothing else can. Where several pins are left
/// for one net, that of an instance without any output drives it, else the first in the file; which of them
/// it is changes names only, since all see the same free net. `driven`: by net, whether something known
/// drives it. Returns how many directions were chosen so. Linear in the number of pins, up to a logarithm.
std::size_t infer_directions(std::vector<OpenPin>& pins, const std::vector<bool>& driven);

}  // namespace hw
