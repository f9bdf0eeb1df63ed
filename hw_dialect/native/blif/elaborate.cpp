#include "hw_dialect/native/blif/elaborate.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>

#include "hw_dialect/native/blif/cover.hpp"
#include "hw_dialect/native/blif/line_lexer.hpp"
#include "hw_dialect/native/blif/port_names.hpp"

namespace hw {

using dmt::AigStore;
using dmt::Lit;
using dmt::Reset;
using dynomite::LimitError;

namespace {

// States of a flattened net that has no literal yet; above every literal of a full AIG.
constexpr std::uint32_t kUnseen = 0xFFFFFFFFU;
constexpr std::uint32_t kOpen = 0xFFFFFFFEU;     // on the search stack
constexpr std::uint32_t kChecked = 0xFFFFFFFDU;  // feeds no output; looked at for loops only
constexpr std::uint32_t kFirstState = kChecked;

constexpr std::size_t kShownLoop = 60;

class Elaborator {
 public:
  Elaborator(const Netlist& netlist, const ElaborateParams& params, std::string_view source,
             std::vector<Note>& notes, dynomite::Stop& stop)
      : netlist_(netlist),
        params_(params),
        source_(source),
        notes_(notes),
        stop_(stop),
        resolution_(resolve(netlist, params, source)),
        covers_(store_) {}

  AigStore run() {
    make_instances();
    const Model& top = top_model();
    store_.name() = top.named_by_file && netlist_.path.starts_with("<")
                        ? std::string()
                        : unescape_name(netlist_.model_name(top));
    make_inputs(top);
    make_latches();
    make_outputs(top);
    for (std::size_t i = 0; i < latches_.size(); ++i) {
      const LatchRef& latch = latches_[i];
      const Cell& cell = netlist_.cells[latch.cell];
      store_.set_next(static_cast<std::uint32_t>(i), literal(latch.instance, netlist_.cell_pins(cell)[0]));
    }
    make_box_outputs();
    check_rest();
    if (params_.net_names) name_nets();
    note_assumptions();
    return std::move(store_);
  }

 private:
  struct Instance {
    std::uint32_t model;
    std::uint32_t parent;
    std::uint32_t cell;         // in the parent's model
    std::uint32_t first_child;  // children with logic follow each other, by slot
    std::uint32_t net_base;     // flattened net of the model's first net
  };
  struct Frame {
    std::uint32_t instance;
    NetId net;
    std::uint32_t next_pin;
  };
  struct LatchRef {
    std::uint32_t instance;
    std::uint32_t cell;
  };

  const Model& top_model() const { return netlist_.models[resolution_.top]; }
  const Model& model_of(std::uint32_t instance) const { return netlist_.models[instances_[instance].model]; }
  std::uint32_t flat(std::uint32_t instance, NetId net) const {
    return instances_[instance].net_base + (net.index() - model_of(instance).nets.begin);
  }
  [[noreturn]] void fail(std::uint32_t line, std::string_view word, const std::string& message) const {
    fail_at_line(source_, netlist_.path, line, word, message);
  }
  void poll() {
    if (stop_.poll()) throw LimitError("reading was stopped");
  }
  bool has_logic(std::uint32_t c) const {
    const std::uint32_t child = resolution_.child[c];
    return child != Resolution::kBlackBox && !netlist_.models[child].black_box;
  }

  // Hierarchy.

  /// Nets and instances of a model with all below it, children first; saturates.
  std::uint64_t flattened_size() const {
    constexpr std::uint64_t kMuch = std::uint64_t{1} << 62;
    std::vector<std::uint64_t> size(netlist_.models.size(), 0);
    for (const std::uint32_t m : resolution_.order) {
      const Model& model = netlist_.models[m];
      std::uint64_t sum = 1 + model.nets.size();
      for (std::uint32_t c = model.cells.begin; resolution_.has_instances && c < model.cells.end; ++c) {
        if (is_instance(netlist_.cells[c].kind) && has_logic(c))
          sum = std::min(kMuch, sum + size[resolution_.child[c]]);
      }
      size[m] = sum;
    }
    return size[resolution_.top];
  }

  void make_instances() {
    const std::uint64_t size = flattened_size();
    const std::uint64_t limit = std::min<std::uint64_t>(
        std::max(kMaxFlattened, 4 * (netlist_.nets.size() + netlist_.models.size())), UINT32_MAX - 1);
    if (size > limit) {
      throw LimitError("flattening model " + quoted(netlist_.model_name(top_model())) + " would make " +
                       (size >> 62 != 0 ? std::string("more than 4e18") : std::to_string(size)) +
                       " nets and instances; the limit is " + std::to_string(limit));
    }
    instances_.push_back({resolution_.top, 0, 0, 0, 0});
    std::uint32_t nets = top_model().nets.size();
    for (std::uint32_t i = 0; resolution_.has_instances && i < instances_.size(); ++i) {
      poll();
      instances_[i].first_child = static_cast<std::uint32_t>(instances_.size());
      const Model& model = model_of(i);
      for (std::uint32_t c = model.cells.begin; c < model.cells.end; ++c) {
        if (!is_instance(netlist_.cells[c].kind)) continue;
        if (!has_logic(c)) {
          boxes_.push_back({i, c});
          continue;
        }
        instances_.push_back({resolution_.child[c], i, c, 0, nets});
        nets += model_of(static_cast<std::uint32_t>(instances_.size() - 1)).nets.size();
      }
    }
    lits_.assign(nets, kUnseen);
  }

  /// `parent/child/name`; counts towards the limit of name characters when it is kept.
  std::string path_name(std::uint32_t instance, std::string_view name) {
    if (instance == 0) return std::string(name);
    std::vector<std::uint32_t> chain;
    for (std::uint32_t i = instance; i != 0; i = instances_[i].parent) chain.push_back(i);
    std::string path;
    for (std::size_t k = chain.size(); k-- > 0;) {
      const Instance& step = instances_[chain[k]];
      path += instance_name(netlist_, resolution_, model_of(step.parent), step.cell);
      path += kHierarchySeparator;
    }
    path += name;
    return path;
  }
  std::string kept_name(std::uint32_t instance, std::string_view name) {
    if (instance == 0) return unescape_name(name);
    std::string path = path_name(instance, name);
    name_bytes_ += path.size();
    if (name_bytes_ > kMaxNameBytes) {
      throw LimitError("the hierarchical names of latches and black boxes exceed " +
                       std::to_string(kMaxNameBytes >> 20) + " MiB");
    }
    // A name of the top that looks the same keeps it. A hash says so: a collision only costs a suffix.
    const std::hash<std::string_view> hash;
    if (taken_.empty()) {
      for (std::uint32_t n = top_model().nets.begin; n < top_model().nets.end; ++n) {
        const std::string_view top_name = netlist_.net_name(NetId(n));
        if (top_name.find(kHierarchySeparator) != std::string_view::npos) taken_.insert(hash(top_name));
      }
      taken_.insert(hash({}));
    }
    const std::size_t size = path.size();
    for (std::uint32_t k = 1; !taken_.insert(hash(path)).second; ++k) {
      path.resize(size);
      path += '~';
      path += std::to_string(k);
    }
    return path;
  }

  // Combinational inputs.

  void set_input(std::uint32_t flat_net, std::string_view name) {
    const auto index = store_.inputs().size();
    lits_[flat_net] = store_.add_input().raw();
    store_.names().inputs.set(index, name);
  }

  void make_inputs(const Model& top) {
    for (std::uint32_t p = top.ports.begin; p < top.ports.end; ++p) {
      const Port& port = netlist_.ports[p];
      if (port.kind == PortKind::kInput)
        set_input(flat(0, port.net), kept_name(0, netlist_.net_name(port.net)));
    }
    // A clock of its own kind is an input only if logic reads it.
    for (std::uint32_t p = top.ports.begin; p < top.ports.end; ++p) {
      const Port& port = netlist_.ports[p];
      const bool read = (resolution_.uses[port.net.index()] & Resolution::kDataUse) != 0;
      if (port.kind != PortKind::kClock || lits_[flat(0, port.net)] != kUnseen) continue;
      if (read) set_input(flat(0, port.net), kept_name(0, netlist_.net_name(port.net)));
    }
    for (const LatchRef& box : boxes_) {
      const Cell& cell = netlist_.cells[box.cell];
      std::string prefix;
      for (const BoundPin& pin : pins_in_order(cell)) {
        if (!pin.is_output) continue;
        if (prefix.empty()) prefix = instance_name(netlist_, resolution_, model_of(box.instance), box.cell);
        set_input(flat(box.instance, pin.outer), box_pin_name(box, prefix, pin));
        ++box_outputs_;
      }
    }
    if (params_.free_undriven) make_free_inputs();
  }

  std::vector<BoundPin> pins_in_order(const Cell& cell) const {
    const std::span<const BoundPin> pins = resolution_.cell_pins(cell);
    std::vector<BoundPin> ordered(pins.begin(), pins.end());
    std::sort(ordered.begin(), ordered.end(),
              [](const BoundPin& a, const BoundPin& b) { return a.binding < b.binding; });
    return ordered;
  }

  std::string box_pin_name(const LatchRef& box, const std::string& prefix, const BoundPin& pin) {
    const NameId formal = netlist_.bindings[pin.binding].formal;
    std::string name = prefix + kHierarchySeparator;
    name += formal.none() ? std::string_view("control") : netlist_.names.text(formal);
    return box.instance == 0 ? unescape_name(name) : kept_name(box.instance, name);
  }

  void make_free_inputs() {
    for (std::uint32_t i = 0; i < instances_.size(); ++i) {
      const Model& model = model_of(i);
      for (std::uint32_t n = model.nets.begin; n < model.nets.end; ++n) {
        const NetId net(n);
        if ((resolution_.uses[n] & Resolution::kDataUse) == 0) continue;
        const Driver& driver = resolution_.drivers[n];
        const bool open_port = driver.cell == Driver::kPort && i != 0 && outer_net(i, net).none();
        if (driver.cell != Driver::kNone && !open_port) continue;
        poll();
        set_input(flat(i, net), kept_name(i, netlist_.net_name(net)));
        if (free_inputs_++ == 0) first_free_ = netlist_.net_name(net);
      }
    }
  }

  void make_latches() {
    for (std::uint32_t i = 0; i < instances_.size(); ++i) {
      const Model& model = model_of(i);
      for (std::uint32_t c = model.cells.begin; c < model.cells.end; ++c) {
        const Cell& cell = netlist_.cells[c];
        if (cell.kind != CellKind::kLatch) continue;
        const Reset reset = cell.init == 0   ? Reset::kZero
                            : cell.init == 1 ? Reset::kOne
                                             : Reset::kUninitialised;
        const NetId output = netlist_.cell_pins(cell)[1];
        store_.names().latches.set(latches_.size(), kept_name(i, netlist_.net_name(output)));
        lits_[flat(i, output)] = store_.add_latch(reset).raw();
        latches_.push_back({i, c});
        note_clock(i, cell);
      }
    }
  }

  /// Collects the distinct clocks, followed up to where their net is driven.
  void note_clock(std::uint32_t instance, const Cell& cell) {
    const auto type = static_cast<LatchType>(cell.detail);
    if (type == LatchType::kActiveHigh || type == LatchType::kActiveLow || type == LatchType::kAsynchronous) {
      if (level_latches_++ == 0) first_level_line_ = cell.line;
    }
    constexpr std::size_t kMaxClocks = 16;
    if (clocks_.size() >= kMaxClocks) return;
    if (type == LatchType::kAbsent) {
      clocks_.insert({cell.detail, kUnseen});
      return;
    }
    NetId net = netlist_.cell_pins(cell)[2];
    constexpr int kMaxClimb = 64;
    for (int step = 0; step < kMaxClimb && instance != 0; ++step) {
      if (resolution_.drivers[net.index()].cell != Driver::kPort) break;
      const NetId outer = outer_net(instance, net);
      if (outer.none()) break;
      net = outer;
      instance = instances_[instance].parent;
    }
    clocks_.insert({cell.detail, flat(instance, net)});
  }

  // Outputs.

  void make_outputs(const Model& top) {
    for (std::uint32_t p = top.ports.begin; p < top.ports.end; ++p) {
      const Port& port = netlist_.ports[p];
      if (port.kind != PortKind::kOutput) continue;
      store_.names().outputs.set(store_.outputs().size(), kept_name(0, netlist_.net_name(port.net)));
      const Lit lit = literal(0, port.net);
      store_.outputs().push_back(lit);
    }
  }

  void make_box_outputs() {
    for (const LatchRef& box : boxes_) {
      const Cell& cell = netlist_.cells[box.cell];
      std::string prefix;
      for (const BoundPin& pin : pins_in_order(cell)) {
        if (pin.is_output) continue;
        if (prefix.empty()) prefix = instance_name(netlist_, resolution_, model_of(box.instance), box.cell);
        store_.names().outputs.set(store_.outputs().size(), box_pin_name(box, prefix, pin));
        const Lit lit = literal(box.instance, pin.outer);
        store_.outputs().push_back(lit);
        ++box_inputs_;
      }
    }
  }

  // Logic.

  /// The net outside `instance` that its input `net` is connected to, or none.
  NetId outer_net(std::uint32_t instance, NetId net) const {
    const Instance& self = instances_[instance];
    const std::span<const BoundPin> pins = resolution_.cell_pins(netlist_.cells[self.cell]);
    const auto found =
        std::lower_bound(pins.begin(), pins.end(), net.index(),
                         [](const BoundPin& pin, std::uint32_t n) { return pin.inner.index() < n; });
    return found != pins.end() && found->inner == net ? found->outer : NetId();
  }

  std::uint32_t child_instance(std::uint32_t instance, std::uint32_t c) const {
    return instances_[instance].first_child + resolution_.slot[c];
  }

  /// Number of nets that a net's driver reads.
  std::uint32_t fanin_count(const Driver& driver) const {
    if (driver.cell == Driver::kNone) return 0;
    if (driver.cell == Driver::kPort) return 1;
    const Cell& cell = netlist_.cells[driver.cell];
    return cell.kind == CellKind::kNames || cell.kind == CellKind::kFunction ? cell.pin_count - 1 : 1;
  }

  /// Fanin `k` of the net, as instance and net.
  std::pair<std::uint32_t, NetId> fanin(std::uint32_t instance, NetId net, const Driver& driver,
                                        std::uint32_t k) const {
    if (driver.cell == Driver::kPort) {
      // A clock of the top that no logic reads has no literal; only the search for loops comes here.
      if (instance == 0) return {0, NetId()};
      return {instances_[instance].parent, outer_net(instance, net)};
    }
    const Cell& cell = netlist_.cells[driver.cell];
    if (is_instance(cell.kind)) {
      return {child_instance(instance, driver.cell), resolution_.pins[driver.pin].inner};
    }
    return {instance, netlist_.cell_pins(cell)[k]};
  }

  Lit literal(std::uint32_t instance, NetId net) {
    visit(instance, net, true);
    return Lit::from_raw(lits_[flat(instance, net)]);
  }

  /// Depth-first search below a net. `build`: gives every net on the way its literal; else marks it.
  void visit(std::uint32_t root_instance, NetId root, bool build) {
    if (lits_[flat(root_instance, root)] != kUnseen) return;
    lits_[flat(root_instance, root)] = kOpen;
    stack_.clear();
    stack_.push_back({root_instance, root, 0});
    while (!stack_.empty()) {
      poll();
      Frame& frame = stack_.back();
      const Driver& driver = resolution_.drivers[frame.net.index()];
      const std::uint32_t count = fanin_count(driver);
      bool descended = false;
      while (frame.next_pin < count) {
        const auto [instance, net] = fanin(frame.instance, frame.net, driver, frame.next_pin++);
        if (net.none()) break;
        std::uint32_t& state = lits_[flat(instance, net)];
        if (state == kOpen) fail_loop(instance, net);
        if (state != kUnseen) continue;
        state = kOpen;
        stack_.push_back({instance, net, 0});
        descended = true;
        break;
      }
      if (descended) continue;
      const Frame done = stack_.back();
      stack_.pop_back();
      lits_[flat(done.instance, done.net)] = build ? build_net(done, driver).raw() : kChecked;
    }
  }

  Lit build_net(const Frame& at, const Driver& driver) {
    const std::uint32_t count = fanin_count(driver);
    inputs_.clear();
    for (std::uint32_t k = 0; k < count; ++k) {
      const auto [instance, net] = fanin(at.instance, at.net, driver, k);
      if (net.none()) return dmt::kFalse;  // reported by resolve unless no logic reads it
      inputs_.push_back(Lit::from_raw(lits_[flat(instance, net)]));
    }
    if (driver.cell == Driver::kNone) return dmt::kFalse;  // likewise
    if (driver.cell == Driver::kPort) return inputs_[0];
    const Cell& cell = netlist_.cells[driver.cell];
    if (cell.kind == CellKind::kNames) {
      return covers_.build(std::string_view(netlist_.text).substr(cell.text_begin), cell.text_count, inputs_,
                           cell.detail != 0);
    }
    if (cell.kind == CellKind::kFunction) return build_function(cell);
    return inputs_[0];
  }

  Lit build_function(const Cell& cell) {
    const auto function = static_cast<Function>(cell.detail);
    switch (function) {
      case Function::kAnd: return balanced_and(store_, inputs_);
      case Function::kNand: return ~balanced_and(store_, inputs_);
      case Function::kOr: return balanced_or(store_, inputs_);
      case Function::kNor: return ~balanced_or(store_, inputs_);
      case Function::kXor: return balanced_xor(store_, inputs_);
      case Function::kXnor: return ~balanced_xor(store_, inputs_);
      case Function::kNot: return ~inputs_[0];
      case Function::kBuffer: return inputs_[0];
      case Function::kMux: return store_.mux(inputs_[0], inputs_[2], inputs_[1]);
      case Function::kZero: return dmt::kFalse;
      case Function::kOne: return dmt::kTrue;
      case Function::kLut: return build_lut(store_, netlist_.cell_text(cell), inputs_);
    }
    return dmt::kFalse;
  }

  /// The search came back to an open net: the loop is the stack from there up, in the direction of the
  /// signals.
  [[noreturn]] void fail_loop(std::uint32_t instance, NetId net) {
    std::size_t first = stack_.size();
    while (first-- > 0) {
      if (stack_[first].instance == instance && stack_[first].net == net) break;
    }
    const std::string start = shown(path_name(instance, netlist_.net_name(net)));
    std::string loop = start;
    const std::size_t length = stack_.size() - first;
    for (std::size_t i = stack_.size(); i-- > first + 1;) {
      const std::size_t listed = stack_.size() - 1 - i;
      if (listed == kShownLoop) {
        loop += " -> ... (" + std::to_string(length - 1 - listed) + " more)";
        break;
      }
      loop += " -> " + shown(path_name(stack_[i].instance, netlist_.net_name(stack_[i].net)));
    }
    const Driver& driver = resolution_.drivers[net.index()];
    const std::uint32_t line = driver.cell < netlist_.cells.size()
                                   ? netlist_.cells[driver.cell].line
                                   : netlist_.cells[instances_[instance].cell].line;
    fail(line, netlist_.net_name(net), "combinational loop: " + loop + " -> " + start);
  }

  /// Logic that feeds no output: only its loops matter.
  void check_rest() {
    for (std::uint32_t i = 0; i < instances_.size(); ++i) {
      const Model& model = model_of(i);
      for (std::uint32_t n = model.nets.begin; n < model.nets.end; ++n) {
        if (resolution_.drivers[n].cell == Driver::kNone) continue;
        if (i == 0 && resolution_.drivers[n].cell == Driver::kPort) continue;
        visit(i, NetId(n), false);
      }
    }
  }

  // Side information.

  /// Names of AND nodes, first those of nets with the node's own value, then of nets with its complement.
  void name_nets() {
    std::vector<bool> named(store_.node_count(), false);
    for (const bool complemented : {false, true}) {
      for (std::uint32_t i = 0; i < instances_.size(); ++i) {
        const Model& model = model_of(i);
        for (std::uint32_t n = model.nets.begin; n < model.nets.end; ++n) {
          const std::uint32_t raw = lits_[flat(i, NetId(n))];
          if (raw >= kFirstState) continue;
          const Lit lit = Lit::from_raw(raw);
          if (lit.complemented() != complemented) continue;
          if (!store_.is_and(lit.node()) || named[lit.node().index()]) continue;
          named[lit.node().index()] = true;
          std::string name = kept_name(i, netlist_.net_name(NetId(n)));
          if (!name.empty()) store_.net_names().push_back({lit, std::move(name)});
        }
      }
    }
  }

  void note_assumptions() {
    if (!boxes_.empty()) {
      notes_.push_back({netlist_.cells[boxes_.front().cell].line,
                        std::to_string(boxes_.size()) + (boxes_.size() == 1 ? " instance" : " instances") +
                            " without logic cut as black boxes: " + std::to_string(box_outputs_) +
                            " pins became inputs, " + std::to_string(box_inputs_) + " became outputs"});
    }
    if (resolution_.chosen_directions != 0) {
      notes_.push_back({netlist_.cells[boxes_.front().cell].line,
                        "nothing says which of two missing models drives a signal: chosen for " +
                            std::to_string(resolution_.chosen_directions) + " pins"});
    }
    if (free_inputs_ != 0) {
      notes_.push_back({0, std::to_string(free_inputs_) +
                               " signals without a driver became inputs, first \"" + shown(first_free_) +
                               "\""});
    }
    if (clocks_.size() > 1) {
      notes_.push_back({netlist_.cells[latches_.front().cell].line,
                        "latches with different clocks or edges: the AIG has one clock for all of them"});
    }
    if (level_latches_ != 0) {
      notes_.push_back(
          {first_level_line_, std::to_string(level_latches_) +
                                  " latches of type ah, al or as are taken for edge-triggered ones"});
    }
  }

  const Netlist& netlist_;
  const ElaborateParams& params_;
  std::string_view source_;
  std::vector<Note>& notes_;
  dynomite::Stop& stop_;
  const Resolution resolution_;
  AigStore store_;
  CoverBuilder covers_;
  std::vector<Instance> instances_;
  std::vector<LatchRef> latches_;
  std::vector<LatchRef> boxes_;
  std::vector<std::uint32_t> lits_;  // by flattened net: literal or state
  std::vector<Frame> stack_;
  std::vector<Lit> inputs_;                                  // fanins of the net being built
  std::unordered_set<std::size_t> taken_;                    // hashes of the names given out
  std::set<std::pair<std::uint8_t, std::uint32_t>> clocks_;  // type, flattened net
  std::uint64_t name_bytes_ = 0;
  std::size_t box_inputs_ = 0;
  std::size_t box_outputs_ = 0;
  std::size_t free_inputs_ = 0;
  std::size_t level_latches_ = 0;
  std::uint32_t first_level_line_ = 0;
  std::string_view first_free_;
};

}  // namespace

AigStore elaborate(const Netlist& netlist, const ElaborateParams& params, std::string_view source,
                   std::vector<Note>& notes, dynomite::Stop& stop) {
  return Elaborator(netlist, params, source, notes, stop).run();
}

}  // namespace hw
