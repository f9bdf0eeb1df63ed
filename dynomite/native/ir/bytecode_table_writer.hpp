#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dynomite/native/ir/module.hpp"

namespace dynomite::ir::bytecode {

/// Takes the parts that bytecode is made of. One that only counts throws them away.
class Sink {
 public:
  explicit Sink(bool is_counting = false) : is_counting_(is_counting) {}
  bool is_counting() const { return is_counting_; }
  void put(std::uint64_t value) {
    if (is_counting_) return;
    while (value >= 0x80) {
      out_ += static_cast<char>((value & 0x7F) | 0x80);
      value >>= 7;
    }
    out_ += static_cast<char>(value);
  }
  void put(std::string_view text) {
    put(text.size());
    if (!is_counting_) out_ += text;
  }
  /// Lowest byte first.
  void put_bytes(std::uint64_t value, int count) {
    for (int i = 0; i < count; ++i) out_ += static_cast<char>(value >> (8 * i) & 0xFF);
  }
  std::string take() { return std::move(out_); }

 private:
  bool is_counting_;
  std::string out_;
};

/// Numbers the operations, kinds, objects and locations that code uses, and writes the tables of them.
class TableWriter {
 public:
  explicit TableWriter(const Module& module)
      : module_(module),
        registry_(*module.registry()),
        attributes_(module.attributes()),
        attr_numbers_(attributes_.attr_count(), kNone),
        type_numbers_(attributes_.type_count(), kNone) {}

  /// Numbers from 1.
  std::uint32_t op_number(Opcode opcode);
  std::uint32_t kind_number(ObjKind kind);
  /// 0 if the instruction has none.
  std::uint32_t location_number(InstrId instr);
  /// Numbers from 0; objects are numbered behind everything they are made of.
  std::uint32_t number(TypeId type) { return number(Item{true, type.index()}); }
  std::uint32_t number(AttrId attr) { return number(Item{false, attr.index()}); }
  void put_ref(Sink& sink, const FatDynObjRef& ref);

  std::string objects_and_locations();
  /// Of all operations and kinds numbered so far.
  std::string registry() const;

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;
  // An attribute (or wide constant) or a type.
  struct Item {
    bool is_type;
    std::uint32_t id;
  };

  std::uint32_t number(const Item& item) {
    if (number_of(item) == kNone) collect(item);
    return number_of(item);
  }
  std::uint32_t& number_of(const Item& item) {
    return item.is_type ? type_numbers_[item.id] : attr_numbers_[item.id];
  }
  static bool is_object(const FatDynObjRef& ref) {
    return ref.kind == kind::kAttr || ref.kind == kind::kWide || ref.kind == kind::kType;
  }
  static Item item_of(const FatDynObjRef& ref) { return {ref.kind == kind::kType, ref.id}; }
  void collect(const Item& whole);
  void put_attribute(Sink& sink, AttrId attr);

  const Module& module_;
  const Registry& registry_;
  const Attributes& attributes_;
  std::vector<std::uint32_t> attr_numbers_, type_numbers_, location_numbers_;
  std::vector<Item> objects_;
  std::vector<LocationId> location_sets_;
  std::array<std::array<std::uint32_t, 256>, 256> op_numbers_{}, kind_numbers_{};
  std::vector<Opcode> ops_;
  std::vector<ObjKind> kinds_;
};

}  // namespace dynomite::ir::bytecode
