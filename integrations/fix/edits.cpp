#include "integrations/fix/edits.h"

#include <algorithm>

#include "frontends/cpp/fix_edits.h"
#include "frontends/python/fix_edits.h"

namespace deadgrad::fix {

Editors::Editors(const driver::CheckResult& result) : result_(result) {}
Editors::~Editors() = default;

TextEdits Editors::edits_in_file(const FixRequest& fix) {
  const driver::SourceFile* file = result_.file_of(fix.where.path);
  if (file == nullptr || !file->is_ours) return {};
  if (fix.language == ir::Language::Cpp) return cpp::fix_edits(fix, file->text);
  std::unique_ptr<python::FixEditor>& editor = python_[fix.where.path];
  if (!editor) editor = std::make_unique<python::FixEditor>(file->text);
  return editor->edits_for(fix);
}

static FixRequest removal_of(const FixRequest& fix, const Location& guard) {
  FixRequest removal = fix;
  removal.kind = FixKind::RemoveGuard;
  removal.where = guard;
  return removal;
}

std::vector<FileEdits> Editors::edits_for(const FixRequest& fix) {
  if (fix.safety == FixSafety::DisplayOnly) return {};
  std::vector<FixRequest> parts = {fix};
  if (fix.kind == FixKind::MoveGuard) {
    if (!fix.onto) return {};
    parts = {removal_of(fix, fix.where), fix};
    parts[1].kind = FixKind::GuardFunction;
    parts[1].where = *fix.onto;
  } else if (fix.replaces) {
    // It may stay where taking it away would take something else away too.
    const FixRequest removal = removal_of(fix, *fix.replaces);
    if (!edits_in_file(removal).empty()) parts.push_back(removal);
  }
  std::vector<FileEdits> all;
  for (const FixRequest& part : parts) {
    const TextEdits edits = edits_in_file(part);
    if (edits.empty()) return {};
    auto same = std::ranges::find(all, part.where.path, &FileEdits::path);
    if (same == all.end()) same = all.insert(all.end(), FileEdits{part.where.path, {}});
    same->edits.insert(same->edits.end(), edits.begin(), edits.end());
    std::ranges::sort(same->edits);
  }
  return all;
}

}  // namespace deadgrad::fix
