# cmake -DOUTPUT=x.cpp -DROOT=the source tree -DTEXTS=a;b -P embed.cmake: writes the probe's own sources as a C++ source.
include(${CMAKE_CURRENT_LIST_DIR}/../../cmake/EmbedTexts.cmake)
file(WRITE ${OUTPUT}.new "#include \"integrations/probe/core_library.h\"\n\nnamespace deadgrad::probing {\n\n")
append_texts(kTexts ${ROOT} ${TEXTS})
file(APPEND ${OUTPUT}.new "
std::span<const EmbeddedText> probe_sources() { return {kTexts, std::size(kTexts) - 1}; }

}  // namespace deadgrad::probing
")
file(RENAME ${OUTPUT}.new ${OUTPUT})
