# cmake -DOUTPUT=x.cpp -DMODELS=a;b -DPAGES=c;d -P embed.cmake: writes the texts as a C++ source.
include(${CMAKE_CURRENT_LIST_DIR}/../../cmake/EmbedTexts.cmake)
file(WRITE ${OUTPUT}.new "#include \"rules/models/embedded.h\"\n\nnamespace deadgrad {\n\n")
append_texts(kModels ${CMAKE_CURRENT_LIST_DIR} ${MODELS})
append_texts(kPages ${CMAKE_CURRENT_LIST_DIR}/.. ${PAGES})
file(APPEND ${OUTPUT}.new "
std::span<const EmbeddedText> embedded_models() { return {kModels, std::size(kModels) - 1}; }
std::span<const EmbeddedText> embedded_pages() { return {kPages, std::size(kPages) - 1}; }

}  // namespace deadgrad
")
file(RENAME ${OUTPUT}.new ${OUTPUT})
