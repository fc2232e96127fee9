#include "integrations/driver/packed.h"

namespace deadgrad::driver {

void pack_reads(Packer& packer, const cpp::Reads& reads) {
  packer.number(reads.size());
  for (const cpp::Read& read : reads) {
    packer.text(read.path);
    packer.number(static_cast<std::uint64_t>(read.question));
    packer.number(read.answer);
  }
}

cpp::Reads unpack_reads(Unpacker& unpacker) {
  cpp::Reads reads(unpacker.count());
  for (cpp::Read& read : reads) {
    read.path = unpacker.text();
    const std::uint64_t question = unpacker.number();
    if (question > static_cast<std::uint64_t>(cpp::Question::Names)) return {};  // not at the end
    read.question = static_cast<cpp::Question>(question);
    read.answer = unpacker.number();
  }
  return reads;
}

}  // namespace deadgrad::driver
