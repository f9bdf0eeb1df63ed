#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hw {

// How names that BLIF or .bench cannot hold are written, and read back.
//
// A name of an AIG may hold any character; a BLIF name no blank, no control character, no `#` and no
// backslash. Such characters, and `%` itself, are written as `%` and two upper-case hexadecimal digits, so
// `a b` becomes `a%20b`. A `%` that no such pair follows stands for nothing in an escaped name, which leaves
// room for marks: a name may end in `%i`, `%o` or `%l` and a number, and such a mark is dropped on reading.
//   `%i0` `%o3` `%l2`  input 0, output 3, latch 2 has no name
//   `q%o3`             output 3 is called `q`, and so is something else in the circuit
// Reading undoes exactly this; any other `%` is kept as it is.

/// True for a character that `escape_name` has to replace. `bench`: the wider set of .bench.
bool needs_escape(char c, bool bench);

/// `name` as it is written. Without characters to replace: unchanged.
std::string escape_name(std::string_view name, bool bench = false);

/// The name that a written name stands for; empty for a port without a name.
std::string unescape_name(std::string_view written);

}  // namespace hw
