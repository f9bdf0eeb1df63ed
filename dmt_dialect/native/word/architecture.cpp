#include "dmt_dialect/native/word/architecture.hpp"

#include <array>
#include <span>
#include <vector>

#include "dynomite/native/base/error.hpp"

namespace dmt {

namespace {

template <typename Choice>
struct Named {
  const char* name;
  Choice choice;
};

constexpr std::array kAdders = {Named<Adder>{"ripple", Adder::kRipple},
                                Named<Adder>{"kogge-stone", Adder::kKoggeStone},
                                Named<Adder>{"brent-kung", Adder::kBrentKung}};
constexpr std::array kMultipliers = {
    Named<Multiplier>{"array", Multiplier::kArray}, Named<Multiplier>{"wallace", Multiplier::kWallace},
    Named<Multiplier>{"dadda", Multiplier::kDadda}, Named<Multiplier>{"booth", Multiplier::kBooth}};
constexpr std::array kDividers = {Named<Divider>{"restoring", Divider::kRestoring},
                                  Named<Divider>{"non-restoring", Divider::kNonRestoring}};
constexpr std::array kShifters = {Named<Shifter>{"logarithmic", Shifter::kLogarithmic}};

template <typename Table, typename Choice>
const char* name_of(const Table& table, Choice choice) {
  for (const auto& entry : table) {
    if (entry.choice == choice) return entry.name;
  }
  return "";
}

template <typename Table, typename Choice>
void choose(const Table& table, std::string_view part, std::string_view value, Choice& choice) {
  std::string known;
  for (const auto& entry : table) {
    if (value == entry.name) {
      choice = entry.choice;
      return;
    }
    known += known.empty() ? entry.name : std::string(", ") + entry.name;
  }
  throw dynomite::UsageError("architecture: no " + std::string(part) + " '" + std::string(value) +
                             "'; there are " + known);
}

}  // namespace

std::string to_string(const Architecture& architecture) {
  return std::string("adder=") + name_of(kAdders, architecture.adder) +
         ",multiplier=" + name_of(kMultipliers, architecture.multiplier) +
         ",divider=" + name_of(kDividers, architecture.divider) +
         ",shifter=" + name_of(kShifters, architecture.shifter);
}

Architecture parse_architecture(std::string_view text) {
  Architecture result;
  while (!text.empty()) {
    const std::size_t end = text.find(',');
    const std::string_view item = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    const std::size_t equals = item.find('=');
    const std::string_view part = item.substr(0, equals);
    const std::string_view value = equals == std::string_view::npos ? "" : item.substr(equals + 1);
    if (part == "adder") {
      choose(kAdders, part, value, result.adder);
    } else if (part == "multiplier") {
      choose(kMultipliers, part, value, result.multiplier);
    } else if (part == "divider") {
      choose(kDividers, part, value, result.divider);
    } else if (part == "shifter") {
      choose(kShifters, part, value, result.shifter);
    } else {
      throw dynomite::UsageError("architecture: no part '" + std::string(part) +
                                 "'; there are adder, multiplier, divider, shifter");
    }
  }
  return result;
}

}  // namespace dmt
