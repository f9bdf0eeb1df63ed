#pragma once

#include <string>
#include <string_view>

namespace dynomite::ir {

/// Appends `text` in quotes. Escapes: \" \\ \n \t \r, and \xHH for other control bytes and for bytes that
/// are no UTF-8, so that the result is always text.
void append_quoted(std::string& out, std::string_view text);
/// A letter or '_', then letters, digits, '_', '.' and '$'.
bool is_plain_name(std::string_view text);
/// A letter or '_', then letters, digits and '_': a key of a dictionary without quotes.
bool is_identifier(std::string_view text);
/// A name as it stands behind '@', '%'...: bare if it is plain, else in quotes.
void append_name(std::string& out, std::string_view name);
/// `@name` or `@"na me"`.
std::string symbol_text(std::string_view name);

}  // namespace dynomite::ir
