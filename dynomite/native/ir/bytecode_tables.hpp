#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "dynomite/native/ir/bytecode_cursor.hpp"
#include "dynomite/native/ir/module.hpp"

namespace dynomite::ir::bytecode {

/// The tables in front of the code: operations, kinds, objects and locations by their numbers in the file.
class Tables {
 public:
  Tables(Cursor& in, Registry& registry, Module& module) : in_(in), registry_(registry), module_(module) {}

  /// Reads all of them; what is unknown and described is declared in the registry.
  void read();
  /// Declares in the registry what the code of the module declares.
  void declare_all();
  /// Takes back what was declared.
  void restore();

  Opcode op(std::uint64_t index) const { return ops_[static_cast<std::size_t>(index)]; }
  std::size_t op_count() const { return ops_.size(); }
  const FatDynObjRef& object(std::uint64_t index) const { return objects_[static_cast<std::size_t>(index)]; }
  std::size_t object_count() const { return objects_.size(); }
  LocationId location(std::uint64_t index) const { return locations_[static_cast<std::size_t>(index)]; }
  std::size_t location_count() const { return locations_.size(); }
  /// An object that has to be a string.
  AttrId string_object(std::uint64_t index) const;
  /// Reads a reference.
  FatDynObjRef ref();

 private:
  void read_ops();
  void read_kinds();
  void read_objects();
  void read_locations();
  DialectId dialect_of(std::string_view name);
  ObjKind kind();
  AttrId string_object() { return string_object(in_.below(objects_.size(), "an object")); }

  Cursor& in_;
  Registry& registry_;
  Module& module_;
  std::optional<Registry> before_;
  std::vector<Opcode> ops_;
  std::vector<ObjKind> kinds_;
  std::vector<FatDynObjRef> objects_;
  std::vector<LocationId> locations_;
};

}  // namespace dynomite::ir::bytecode
