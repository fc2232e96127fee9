// libdeadgrad_probe for one LibTorch: the one that was built with deadgrad if it matches, else compiled from the
// sources that deadgrad carries and kept in the user's cache.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "analyzer/base/result.h"
#include "integrations/probe/torch_install.h"

namespace deadgrad::probing {

struct EmbeddedText {
  std::string_view name, text;
};
// The core, its Python part and its programs, named as in the source tree. Generated.
std::span<const EmbeddedText> probe_sources();

// The file name of this program.
std::string own_path();
// Where probe_sources() are as files; written the first time.
Result<std::string> source_folder();
// The core that is there already, or "".
std::string find_core(const TorchInstall& torch);
// Compiles it if it is not there. Says so on stderr, since it takes some seconds.
Result<std::string> core_for(const TorchInstall& torch);

}  // namespace deadgrad::probing
