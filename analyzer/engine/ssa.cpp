#include "analyzer/engine/ssa.h"

#include <algorithm>
#include <unordered_map>

namespace deadgrad::engine {

using ir::Op;

namespace {

struct Change {
  std::uint32_t place;
  ValueNo value;
};
using Changes = std::vector<Change>;

struct Frame {
  Op op;
  std::uint32_t event;
  std::size_t log_mark;
  bool was_dead;                               // on entry
  std::vector<Changes> exits = {};             // arms' or breaks' changed places
  std::vector<Changes> continues = {};         // Loop only
  std::vector<std::uint32_t> phi_places = {};  // Loop only: places that got a phi at the head, with the phis in order
  std::uint32_t first_phi = 0;
  bool any_live = false;      // some arm falls through
  bool finally_done = false;  // Try only: the arms were merged at the start of its Finally
};

class SsaBuilder {
 public:
  SsaBuilder(const ir::Module& module, const ir::Function& function)
      : function_(function), events_(module.events.data() + function.first_event.index, function.event_count) {}

  Ssa run() {
    number_places();
    ssa_.event_count = function_.event_count;
    ssa_.definition.assign(events_.size(), kNoValue);
    ssa_.loop_of.assign(events_.size(), kNoValue);
    for (std::uint32_t i = 0; i < events_.size(); ++i) step(i);
    finish_phis();
    return std::move(ssa_);
  }

 private:
  bool is_ssa_place(const ir::Event& event) const {
    const std::uint8_t place = event.flags & ir::flag::kPlaceMask;
    if (place == ir::flag::Local) return true;
    return place == ir::flag::Global && function_.kind == ir::FunctionKind::ModuleBody;
  }

  void number_places() {
    std::vector<std::uint32_t> open_loops;
    for (std::uint32_t i = 0; i < events_.size(); ++i) {
      const ir::Event& event = events_[i];
      if (event.op == Op::Loop) {
        open_loops.push_back(i);
      } else if (event.op == Op::End && !open_loops.empty() && local(event.target) == open_loops.back()) {
        const std::uint32_t done = open_loops.back();
        open_loops.pop_back();
        auto& stored = stored_in_loop_[done];
        std::sort(stored.begin(), stored.end());
        stored.erase(std::unique(stored.begin(), stored.end()), stored.end());
        if (!open_loops.empty()) {
          auto& outer = stored_in_loop_[open_loops.back()];
          outer.insert(outer.end(), stored.begin(), stored.end());
        }
      } else if (event.op == Op::Param && event.name.valid()) {
        place_of(event.name);
      } else if (event.op == Op::Store && is_ssa_place(event)) {
        const std::uint32_t place = place_of(event.name);
        if (!open_loops.empty()) stored_in_loop_[open_loops.back()].push_back(place);
      }
    }
    environment_.assign(places_.size(), kNoValue);
    seen_.assign(places_.size(), 0);
  }

  std::uint32_t place_of(StrId name) {
    auto [it, added] = place_index_.emplace(name.index, static_cast<std::uint32_t>(places_.size()));
    if (added) places_.push_back(name);
    return it->second;
  }

  std::uint32_t local(std::uint32_t module_event) const { return module_event - function_.first_event.index; }

  void set(std::uint32_t place, ValueNo value) {
    log_.push_back({place, environment_[place]});
    environment_[place] = value;
  }

  // Places changed since `mark`, with their present values.
  Changes changes_since(std::size_t mark) {
    Changes changes;
    ++stamp_;
    for (std::size_t i = mark; i < log_.size(); ++i) {
      const std::uint32_t place = log_[i].place;
      if (seen_[place] == stamp_) continue;
      seen_[place] = stamp_;
      changes.push_back({place, environment_[place]});
    }
    return changes;
  }

  void revert(std::size_t mark) {
    while (log_.size() > mark) {
      environment_[log_.back().place] = log_.back().value;
      log_.pop_back();
    }
  }

  ValueNo add_phi(std::uint32_t bracket, std::uint32_t place, std::vector<ValueNo> operands, bool loop) {
    Phi phi;
    phi.bracket = bracket;
    phi.position = now_;
    phi.place = places_[place];
    phi.loop = loop;
    ssa_.phis.push_back(phi);
    pending_.push_back(std::move(operands));
    return ssa_.event_count + static_cast<ValueNo>(ssa_.phis.size() - 1);
  }

  // Joins the environments that leave a bracket: the present one stands for "unchanged".
  void merge(std::uint32_t bracket, const std::vector<Changes>& exits, bool unchanged_is_an_exit) {
    std::vector<std::uint32_t> touched;
    ++stamp_;
    for (const Changes& changes : exits) {
      for (const Change& change : changes) {
        if (seen_[change.place] == stamp_) continue;
        seen_[change.place] = stamp_;
        touched.push_back(change.place);
      }
    }
    std::sort(touched.begin(), touched.end());
    std::unordered_map<std::uint32_t, std::vector<ValueNo>> values;
    std::unordered_map<std::uint32_t, std::size_t> counts;
    for (const Changes& changes : exits) {
      for (const Change& change : changes) {
        auto& list = values[change.place];
        ++counts[change.place];
        if (std::find(list.begin(), list.end(), change.value) == list.end()) list.push_back(change.value);
      }
    }
    for (std::uint32_t place : touched) {
      std::vector<ValueNo> operands = std::move(values[place]);
      if (unchanged_is_an_exit || counts[place] < exits.size()) {
        const ValueNo before = environment_[place];
        if (std::find(operands.begin(), operands.end(), before) == operands.end()) {
          operands.insert(operands.begin(), before);
        }
      }
      std::erase(operands, kNoValue);
      if (operands.empty()) continue;
      set(place, operands.size() == 1 ? operands[0] : add_phi(bracket, place, std::move(operands), false));
    }
  }

  void step(std::uint32_t i) {
    const ir::Event& event = events_[i];
    now_ = i;
    ssa_.loop_of[i] = loops_.empty() ? kNoValue : loops_.back();
    switch (event.op) {
      case Op::Load:
        if (is_ssa_place(event)) {
          if (auto found = place_index_.find(event.name.index); found != place_index_.end()) {
            ssa_.definition[i] = environment_[found->second];
          }
        }
        break;
      case Op::Store:
        if (is_ssa_place(event)) set(place_of(event.name), i);
        break;
      case Op::Param:
        if (event.name.valid()) set(place_of(event.name), i);
        break;
      case Op::Loop:
        open_loop(i);
        break;
      case Op::Branch:
      case Op::Try:
      case Op::Arm:
      case Op::Handler:
      case Op::Finally:
      case Op::Scope:
        open(i);
        break;
      case Op::End:
        close();
        break;
      case Op::Return:
      case Op::Raise:
        dead_ = true;
        break;
      case Op::Break:
      case Op::Continue:
        jump(event.op);
        break;
      default:
        break;
    }
  }

  void open(std::uint32_t i) {
    Frame frame{.op = events_[i].op, .event = i, .log_mark = log_.size(), .was_dead = dead_};
    if (events_[i].op == Op::Handler && !frames_.empty() && !frames_.back().exits.empty()) {
      // A handler may start after any statement of the body: it sees the values before it and after it.
      merge(frames_.back().event, {frames_.back().exits.front()}, true);
      dead_ = frames_.back().was_dead;
    }
    if (events_[i].op == Op::Finally && !frames_.empty()) {
      merge(frames_.back().event, frames_.back().exits, true);
      dead_ = frames_.back().was_dead;
    }
    frames_.push_back(std::move(frame));
  }

  void open_loop(std::uint32_t i) {
    Frame frame{.op = Op::Loop, .event = i, .log_mark = log_.size(), .was_dead = dead_};
    frame.phi_places = stored_in_loop_[i];
    frame.first_phi = static_cast<std::uint32_t>(ssa_.phis.size());
    for (std::uint32_t place : frame.phi_places) {
      const ValueNo entry = environment_[place];
      set(place, add_phi(i, place, {entry}, true));
    }
    frames_.push_back(std::move(frame));
    loops_.push_back(i);
  }

  void jump(Op op) {
    for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
      if (frame->op != Op::Loop) continue;
      if (!dead_) (op == Op::Break ? frame->exits : frame->continues).push_back(changes_since(frame->log_mark));
      break;
    }
    dead_ = true;
  }

  void close() {
    if (frames_.empty()) return;
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    switch (frame.op) {
      case Op::Arm:
      case Op::Handler: {
        Changes changes = changes_since(frame.log_mark);
        revert(frame.log_mark);
        if (!frames_.empty()) {
          Frame& outer = frames_.back();
          // A try body that ends in a jump still feeds the handlers: its changes are kept apart as exit 0.
          if (!dead_ || (outer.op == Op::Try && outer.exits.empty())) outer.exits.push_back(std::move(changes));
          outer.any_live |= !dead_;
        }
        dead_ = frame.was_dead;
        break;
      }
      case Op::Branch:
        merge(frame.event, frame.exits, false);
        dead_ = frame.was_dead || !frame.any_live;
        break;
      case Op::Try:
        if (!frame.finally_done) merge(frame.event, frame.exits, false);
        dead_ = frame.was_dead || !frame.any_live;
        break;
      case Op::Finally:
        // What it stores stays; the merge happened at its start.
        if (!frames_.empty()) frames_.back().finally_done = true;
        break;
      case Op::Loop:
        close_loop(frame);
        break;
      default:
        break;  // Scope: straight-line
    }
  }

  void close_loop(Frame& frame) {
    std::vector<Changes> backs = std::move(frame.continues);
    if (!dead_) backs.push_back(changes_since(frame.log_mark));
    std::vector<Changes> exits = std::move(frame.exits);
    revert(frame.log_mark);
    Changes heads;
    for (const Changes& back : backs) {
      for (const Change& change : back) {
        auto found = std::lower_bound(frame.phi_places.begin(), frame.phi_places.end(), change.place);
        if (found == frame.phi_places.end() || *found != change.place) continue;
        const auto phi = frame.first_phi + static_cast<std::uint32_t>(found - frame.phi_places.begin());
        auto& operands = pending_[phi];
        if (change.value == ssa_.event_count + phi) continue;
        if (std::find(operands.begin() + 1, operands.end(), change.value) == operands.end()) {
          operands.push_back(change.value);
        }
      }
    }
    for (std::size_t k = 0; k < frame.phi_places.size(); ++k) {
      heads.push_back({frame.phi_places[k], ssa_.event_count + frame.first_phi + static_cast<std::uint32_t>(k)});
    }
    exits.push_back(std::move(heads));  // leaving at the head, where every stored place has its phi
    merge(frame.event, exits, false);
    dead_ = frame.was_dead;
    loops_.pop_back();
  }

  void finish_phis() {
    for (std::size_t k = 0; k < pending_.size(); ++k) {
      ssa_.phis[k].first = static_cast<std::uint32_t>(ssa_.phi_operands.size());
      ssa_.phis[k].count = static_cast<std::uint32_t>(pending_[k].size());
      ssa_.phi_operands.insert(ssa_.phi_operands.end(), pending_[k].begin(), pending_[k].end());
    }
  }

  const ir::Function& function_;
  std::span<const ir::Event> events_;
  Ssa ssa_;
  std::unordered_map<std::uint32_t, std::uint32_t> place_index_;
  std::vector<StrId> places_;
  std::vector<ValueNo> environment_;
  std::vector<Change> log_;  // place and the value before
  std::vector<std::uint32_t> seen_;
  std::uint32_t stamp_ = 0;
  std::vector<std::vector<ValueNo>> pending_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> stored_in_loop_;
  std::vector<Frame> frames_;
  std::vector<std::uint32_t> loops_;
  bool dead_ = false;
  std::uint32_t now_ = 0;
};

}  // namespace

Ssa build_ssa(const ir::Module& module, const ir::Function& function) {
  return SsaBuilder(module, function).run();
}

}  // namespace deadgrad::engine
