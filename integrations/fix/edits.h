// The edits that do what findings ask for, by file. Reports show them and the fixer applies them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analyzer/findings/edited.h"
#include "integrations/driver/check.h"

namespace deadgrad::python {
class FixEditor;
}

namespace deadgrad::fix {

struct FileEdits {
  std::string path;  // as findings name it
  TextEdits edits;   // sorted, not empty
};

class Editors {
 public:
  // `result` must outlive it.
  explicit Editors(const driver::CheckResult& result);
  ~Editors();

  // Empty where the fix has to be done by hand: it would do harm, or touch a file that was not asked for.
  std::vector<FileEdits> edits_for(const FixRequest& fix);

 private:
  TextEdits edits_in_file(const FixRequest& fix);

  const driver::CheckResult& result_;
  std::map<std::string, std::unique_ptr<python::FixEditor>> python_;
};

}  // namespace deadgrad::fix
