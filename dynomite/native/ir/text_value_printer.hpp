#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dynomite/native/ir/module.hpp"

namespace dynomite::ir {

/// Writes what stands for itself in the text: constants, attributes, types, locations.
class ValuePrinter {
 public:
  /// `need` is told of the kinds of all types and objects written, each time.
  ValuePrinter(const Module& module, std::string& out, std::function<void(ObjKind)> need)
      : module_(module),
        registry_(*module.registry()),
        attributes_(module.attributes()),
        out_(out),
        need_(std::move(need)) {}

  void number(std::uint64_t value);
  void type(TypeId type);
  /// A value of any depth, without recursion. Throws LimitError where its text would be too long.
  void value(const FatDynObjRef& whole);
  void location(LocationId set);

 private:
  /// What is left to write of a value.
  struct Piece {
    FatDynObjRef ref;
    std::string_view text;  // written instead of `ref`
    AttrId key;             // written in front of `ref`
  };
  void signed_number(std::uint64_t bits);
  void constant(const FatDynObjRef& ref);
  void piece(const FatDynObjRef& ref);
  void attribute(AttrId attr);
  void push_items(const std::vector<FatDynObjRef>& items, std::string_view close);

  const Module& module_;
  const Registry& registry_;
  const Attributes& attributes_;
  std::string& out_;
  std::function<void(ObjKind)> need_;
  std::vector<std::string> types_;  // short ones, written before
  std::vector<Piece> left_;
};

}  // namespace dynomite::ir
