#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dmt {

/// Throws the ParseError for byte `offset` of a text: line, column and the line itself, cut where it is long.
[[noreturn]] void fail_at(std::string_view data, const std::string& name, std::size_t offset,
                          const std::string& message);

/// The character at `offset` as a message shows it.
std::string describe_char(std::string_view data, std::size_t offset);

}  // namespace dmt
