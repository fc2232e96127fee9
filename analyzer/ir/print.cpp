#include <algorithm>

#include "analyzer/ir/op_table.h"
#include "analyzer/ir/text.h"
#include "analyzer/ir/text_names.h"

namespace deadgrad::ir {

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool is_identifier(std::string_view text) {
  return !text.empty() && is_letter(text[0]) &&
         std::ranges::all_of(text, [](char c) { return is_letter(c) || is_digit(c); });
}

// Dotted and C++ names, `<lambda>`: what may stand bare wherever the grammar says NAME.
static bool is_plain_name(std::string_view text) {
  return !text.empty() && (is_letter(text[0]) || text[0] == '<') && text != "<module>" &&
         std::ranges::all_of(text, [](char c) {
           return is_letter(c) || is_digit(c) || c == '.' || c == ':' || c == '<' || c == '>' || c == '~';
         });
}

// Length of the UTF-8 sequence at `at`, 0 if it is not well-formed.
static std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const std::size_t length = lead < 0x80                   ? 1
                             : lead >= 0xc2 && lead < 0xe0 ? 2
                             : lead >= 0xe0 && lead < 0xf0 ? 3
                             : lead >= 0xf0 && lead < 0xf5 ? 4
                                                           : 0;
  if (length == 0 || at + length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[at + i]) & 0xc0) != 0x80) return 0;
  }
  return length;
}

static std::string quoted(std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    const std::size_t length = utf8_length(text, i);
    if (length > 1) {
      out += text.substr(i, length);
      i += length;
      continue;
    }
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) {
      const auto byte = static_cast<unsigned char>(c);
      out += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    } else {
      out += c;
    }
    ++i;
  }
  return out + '"';
}

static std::string name_text(std::string_view name) {
  return is_plain_name(name) ? std::string(name) : quoted(name);
}

// In an event's name position any word is a name, but for `named` and the flag words of the op.
static std::string event_name_text(std::string_view name, const OpInfo& info) {
  const bool names_place = info.word == "load" || info.word == "store" || info.word == "delete";
  if (names_place && !is_identifier(name)) return quoted(name);
  for (const FlagWord& flag : info.flags) {
    if (name == flag.word) return quoted(name);
  }
  constexpr std::string_view kNotInWords = "()[],=\"%;@\\";
  const bool is_word = !name.empty() && name != "named" && std::ranges::all_of(name, [&](char c) {
    return c > 0x20 && c < 0x7f && kNotInWords.find(c) == std::string_view::npos;
  });
  return is_word ? std::string(name) : quoted(name);
}

namespace {

class Printer {
 public:
  Printer(const Module& module, PrintOptions options) : module_(module), options_(options) {
    for (const Function& function : module.functions) names_.add(function.kind, text(function.qualified));
    class_of_body_.resize(module.functions.size());
    for (std::uint32_t i = 0; i < module.classes.size(); ++i) {
      if (module.classes[i].body.index < class_of_body_.size())
        class_of_body_[module.classes[i].body.index] = ClassId{i};
      classes_by_name_[std::string(text(module.classes[i].qualified))] += 1;
    }
    std::uint32_t next = 0;
    for (ClassId id : class_of_body_) {
      if (id.valid() && id.index != next++) classes_in_order_ = false;
    }
  }

  std::string run() {
    out_ += "module " + quoted(module_.path) + " name " + name_text(module_.name);
    if (!module_.unit.empty()) out_ += " unit " + quoted(module_.unit);
    out_ += module_.language == Language::Python ? " python" : " cpp";
    if (module_.is_package) out_ += " package";
    if (module_.imports_test_framework) out_ += " imports-test-framework";
    out_ += '\n';
    if (options_.spans) print_line_starts();
    for (const Notice& notice : module_.notices) {
      out_ += "notice " + quoted(notice.text);
      print_span(notice.span);
      out_ += '\n';
    }
    for (std::uint32_t i = 0; i < module_.functions.size(); ++i) print_function(FunctionId{i});
    return std::move(out_);
  }

 private:
  std::string_view text(StrId id) const {
    return id.index < module_.strings.size() ? module_.text(id) : std::string_view();
  }

  void print_span(Span span, const char* what = "") {
    if (!options_.spans) return;
    out_ += std::string(" ") + what + "[" + std::to_string(span.begin) + ".." + std::to_string(span.end) + "]";
  }

  void print_line_starts() {
    constexpr std::size_t kPerLine = 16;
    for (std::size_t i = 0; i < module_.line_starts.size(); ++i) {
      out_ += i % kPerLine == 0 ? (i == 0 ? "lines" : "\nlines") : "";
      out_ += ' ' + std::to_string(module_.line_starts[i]);
    }
    out_ += module_.line_starts.empty() ? "lines\n" : "\n";
  }

  std::string function_ref(FunctionId id) const {
    if (id.index == 0) return "@<module>";
    if (id.index >= module_.functions.size()) return "@" + std::to_string(id.index);
    std::string_view qualified = text(module_.functions[id.index].qualified);
    return names_.find(qualified) == id.index ? "@" + name_text(qualified) : "@" + std::to_string(id.index);
  }

  std::string class_ref(ClassId id) const {
    if (!id.valid()) return "none";
    if (id.index >= module_.classes.size()) return "@" + std::to_string(id.index);
    std::string_view qualified = text(module_.classes[id.index].qualified);
    const bool unique = classes_by_name_.at(std::string(qualified)) == 1;
    return unique ? "@" + name_text(qualified) : "@" + std::to_string(id.index);
  }

  void print_parameters(const Function& function) {
    out_ += '(';
    bool keyword_only = false, first = true;
    for (std::uint32_t i = 0; i < function.parameter_count; ++i) {
      if (function.first_parameter + std::uint64_t{i} >= module_.parameters.size()) break;
      const Parameter& parameter = module_.parameters[function.first_parameter + i];
      auto separate = [&] {
        if (!first) out_ += ", ";
        first = false;
      };
      if (parameter.kind == ParamKind::KeywordOnly && !keyword_only) {
        separate();
        out_ += '*';
        keyword_only = true;
      } else if (parameter.kind == ParamKind::Positional && keyword_only) {
        separate();
        out_ += '/';
        keyword_only = false;
      }
      separate();
      if (parameter.kind == ParamKind::VarArgs) {
        out_ += '*';
        keyword_only = true;
      }
      if (parameter.kind == ParamKind::VarKeywords) out_ += "**";
      out_ += name_text(text(parameter.name));
      if (parameter.has_default) out_ += "=?";
      print_span(parameter.span);
    }
    out_ += ')';
  }

  void print_head(FunctionId id) {
    const Function& function = module_.functions[id.index];
    const std::string_view qualified = text(function.qualified);
    const ClassId made_class = class_of_body_[id.index];
    std::string_view default_name = last_component(qualified);
    if (function.kind == FunctionKind::ModuleBody) {
      out_ += "func <module>";
      default_name = "<module>";
    } else if (function.kind == FunctionKind::ClassBody) {
      out_ += "class " + name_text(qualified);
    } else {
      out_ += (function.kind == FunctionKind::Lambda ? "lambda " : "func ") + name_text(qualified);
      print_parameters(function);
    }
    if (text(function.name) != default_name) out_ += " name " + name_text(text(function.name));

    const std::uint32_t guessed = names_.default_parent(id.index);
    if (function.kind != FunctionKind::ModuleBody && function.parent.index != guessed) {
      out_ += " parent " + function_ref(function.parent);
    }
    ClassId owner;
    if (function.parent.index < class_of_body_.size()) owner = class_of_body_[function.parent.index];
    if (function.owner != owner) out_ += " method-of " + class_ref(function.owner);

    if (function.is_async) out_ += " async";
    if (function.is_generator) out_ += " generator";
    if (function.is_static) out_ += " static";
    if (function.is_class_method) out_ += " classmethod";
    if (function.is_property) out_ += " property";
    if (function.is_constructor) out_ += " constructor";
    if (function.is_pattern) out_ += " pattern";
    if (function.symbol.valid()) out_ += " symbol " + name_text(text(function.symbol));
    if (function.owner_symbol.valid()) out_ += " member-of " + name_text(text(function.owner_symbol));
    if (function.parameter_count > 0 && !starts_with_param(function)) out_ += " no-params";
    if (made_class.valid() && !classes_in_order_) out_ += " id " + std::to_string(made_class.index);
    if (made_class.valid() && module_.classes[made_class.index].scope != function.parent) {
      out_ += " scope " + function_ref(module_.classes[made_class.index].scope);
    }
    print_span(function.span);
    print_span(function.header, "header ");
    print_span(function.body, "body ");
    if (made_class.valid()) {
      const Class& c = module_.classes[made_class.index];
      if (c.span != function.span) print_span(c.span, "class-span ");
      if (c.header != function.header) print_span(c.header, "class-header ");
    }
  }

  bool starts_with_param(const Function& function) const {
    return function.event_count > 0 && function.first_event.index < module_.events.size() &&
           module_.events[function.first_event.index].op == Op::Param;
  }

  void print_function(FunctionId id) {
    const Function& function = module_.functions[id.index];
    out_ += '\n';
    print_head(id);
    out_ += '\n';
    std::size_t depth = 1;
    for (std::uint32_t i = 0; i < function.event_count; ++i) {
      if (function.first_event.index + std::uint64_t{i} >= module_.events.size()) break;
      const Event& event = module_.events[function.first_event.index + i];
      if (event.op == Op::End && depth > 1) --depth;
      out_.append(2 * depth, ' ');
      if (event.op > Op::Unknown) {
        out_ += "?\n";
        continue;
      }
      print_event(function, i, event);
      if (op_info(event.op).is_bracket()) ++depth;
    }
    out_ += "end\n";
  }

  // The operand's number within its function.
  std::string operand_text(const Function& function, const Event& event, std::size_t i) const {
    if (event.first_operand + i >= module_.operands.size()) return "%?";
    const std::uint32_t operand = module_.operands[event.first_operand + i].index;
    const std::uint32_t first = function.first_event.index;
    if (operand < first || operand - first >= function.event_count) return "%?";
    return "%" + std::to_string(operand - first);
  }

  void print_event(const Function& function, std::uint32_t number, const Event& event) {
    const OpInfo& info = op_info(event.op);
    if (info.has_value) out_ += "%" + std::to_string(number) + " = ";
    if (info.has_value && (event.flags & flag::Discarded) != 0) out_ += "discard ";
    out_ += info.word;
    for (const FlagWord& flag : info.flags) {
      if ((event.flags & flag.mask) == flag.value && print_flag(event, flag)) out_ += " " + std::string(flag.word);
    }
    auto operand = [&](std::size_t i) { return operand_text(function, event, i); };
    std::size_t printed = 0;  // operands that the form of the op has taken care of
    bool name_printed = false;
    switch (event.op) {
      case Op::LoadAttribute:
      case Op::StoreAttribute:
      case Op::DeleteAttribute: {
        const std::string_view name = text(event.name);
        out_ += " " + operand(0) + "." + (is_identifier(name) ? std::string(name) : quoted(name));
        name_printed = true;
        printed = 1;
        break;
      }
      case Op::LoadItem:
      case Op::StoreItem:
      case Op::DeleteItem:
        out_ += " " + operand(0) + "[" + operand(1) + "]";
        printed = 2;
        break;
      default:
        break;
    }
    if (info.has_name && !name_printed && event.name.valid()) {
      out_ += " " + event_name_text(text(event.name), info);
      name_printed = true;
    }
    print_target(function, event, info);
    if (event.op == Op::Call && event.operand_count > 0) {
      out_ += " " + operand(0);
      printed = 1;
    }
    if (takes_list(event.op)) {
      out_ += " (";
      for (std::size_t i = printed; i < event.operand_count; ++i) out_ += (i > printed ? ", " : "") + operand(i);
      out_ += ')';
    } else {
      for (std::size_t i = printed; i < event.operand_count; ++i) out_ += " " + operand(i);
    }
    if (!name_printed && event.name.valid()) out_ += " named " + name_text(text(event.name));
    print_span(event.span);
    out_ += '\n';
  }

  // A place's or loop's kind is always said; `none` only where it is the whole constant; a plain bit where it is set.
  static bool print_flag(const Event& event, const FlagWord& flag) { return flag.value != 0 || event.op == Op::Const; }

  static bool takes_list(Op op) {
    switch (op) {
      case Op::Call:
      case Op::MakeList:
      case Op::MakeTuple:
      case Op::MakeSet:
      case Op::MakeDict:
      case Op::MakeFunction:
      case Op::MakeClass:
      case Op::Format:
      case Op::Unknown:
        return true;
      default:
        return false;
    }
  }

  void print_target(const Function& function, const Event& event, const OpInfo& info) {
    switch (info.target) {
      case TargetKind::Function:
        out_ += " " + function_ref(FunctionId{event.target});
        break;
      case TargetKind::Class:
        out_ += " " + class_ref(ClassId{event.target});
        break;
      case TargetKind::Element:
        out_ += " " + std::to_string(event.target);
        break;
      case TargetKind::Parameter: {
        std::uint32_t first = 0;  // the parser guesses the first parameter of that name
        while (first < function.parameter_count && function.first_parameter + first < module_.parameters.size() &&
               text(module_.parameters[function.first_parameter + first].name) != text(event.name)) {
          ++first;
        }
        if (first != event.target) out_ += " " + std::to_string(event.target);
        break;
      }
      case TargetKind::None:
      case TargetKind::Partner:
        break;
    }
  }

  const Module& module_;
  PrintOptions options_;
  FunctionNames names_;
  std::vector<ClassId> class_of_body_;  // by FunctionId
  std::unordered_map<std::string, int> classes_by_name_;
  bool classes_in_order_ = true;  // ClassIds follow the order of the bodies' FunctionIds
  std::string out_;
};

}  // namespace

std::string print(const Module& module, PrintOptions options) {
  return Printer(module, options).run();
}

}  // namespace deadgrad::ir
