#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace dmt::opt {

/// A divisor: a product of two literals, or a sum of two products that share no literal. One of a function
/// and its complement stands for both where that is again such a sum: x + y is the complement of x' y', an
/// XOR that of an XNOR, and the multiplexers come in pairs too.
struct Divisor {
  static constexpr unsigned kMost = 8;

  std::array<std::uint32_t, kMost> literals = {};
  /// Literals of the two products; `second` is 0 for a product of two literals.
  std::uint8_t first = 0, second = 0;

  unsigned size() const { return first + 0U + second; }
  std::span<const std::uint32_t> product(unsigned number) const {
    return number == 0 ? std::span(literals.data(), first) : std::span(literals.data() + first, second);
  }
  bool operator==(const Divisor&) const = default;
};

/// How a pair of literals or products is divided.
struct Division {
  Divisor divisor;
  bool complemented = false;
  /// Literals the two products share.
  std::uint32_t base = 0;
};

/// The divisor of two literals, the lower first.
Divisor divisor_of_literals(std::uint32_t a, std::uint32_t b);

/// What is left of two products (sorted literals) without the literals they share. Nothing if it has more
/// than `most` literals, or if one product contains the other.
std::optional<Division> divide_products(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b,
                                        unsigned most);

/// All divisors with their places, and a queue by how many ANDs each saves.
///
/// There is room for 2^27 places at a time: gains fit in 32 bits.
///
/// A pair counts from `add` to `remove`; places that do not count any more stay in the list of their divisor
/// until it is taken, so who takes it has to look at each.
class DivisorTable {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;
  static constexpr std::uint64_t kMostPlaces = std::uint64_t{1} << 27;
  struct Place {
    /// Product, and the other one of a pair or `kNone`.
    std::uint32_t cube, other;
    bool operator==(const Place&) const = default;
  };

  /// The number of a divisor, made if it is new; `level` breaks ties: the lower first.
  std::uint32_t find_or_add(const Divisor& divisor, std::uint32_t level);
  /// Its number or `kNone`.
  std::uint32_t find(const Divisor& divisor) const;
  const Divisor& divisor(std::uint32_t number) const { return entries_[number].divisor; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(entries_.size()); }
  std::uint64_t place_count() const { return places_.size(); }

  /// The literal that is the divisor, or `kNone`: with one, a use of it needs no new node.
  std::uint32_t literal(std::uint32_t number) const { return entries_[number].literal; }
  void set_literal(std::uint32_t number, std::uint32_t literal) {
    entries_[number].literal = literal;
    enqueue(number);
  }

  void add(std::uint32_t number, Place place, std::uint32_t base);
  void remove(std::uint32_t number, std::uint32_t base);
  std::uint32_t count(std::uint32_t number) const { return entries_[number].count; }

  /// ANDs saved, if every product were a chain of ANDs and every sum of ORs.
  std::int32_t gain(std::uint32_t number) const;
  /// The divisor that saves most, at least one AND; `kNone` if there is none. Logarithmic.
  std::uint32_t pop();
  /// The places since the last call, in the order of `add`.
  void take_places(std::uint32_t number, std::vector<Place>& places);

 private:
  struct Entry {
    Divisor divisor;
    std::uint32_t count = 0, level = 0, literal = kNone;
    std::uint32_t first_place = kNone, last_place = kNone;
    std::uint32_t base = 0;
    std::int32_t queued = 0;  // gain it has in the queue; 0: it is not there
  };
  struct Link {
    Place place;
    std::uint32_t next;
  };
  struct Waiting {
    std::int32_t gain;
    std::uint32_t level, number;
    /// Whether this one comes after the other.
    bool operator<(const Waiting& other) const {
      if (gain != other.gain) return gain < other.gain;
      if (level != other.level) return level > other.level;
      return number > other.number;
    }
  };

  std::size_t slot(const Divisor& divisor) const;
  void grow();
  void enqueue(std::uint32_t number);

  std::vector<Entry> entries_;
  std::vector<Link> places_;
  std::vector<std::uint32_t> slots_;
  std::vector<Waiting> queue_;
};

}  // namespace dmt::opt
