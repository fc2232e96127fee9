# cmake -DOUTPUT=x.cpp -DMODELS=a;b -DPAGES=c;d -P embed.cmake: writes the texts as escaped literals, in pieces of
# 8,000 bytes, since a compiler may refuse a longer token.
function(append_texts variable)
  set(text "static constexpr EmbeddedText ${variable}[] = {\n")
  list(SORT ARGN)
  foreach(file IN LISTS ARGN)
    get_filename_component(name ${file} NAME)
    file(READ ${file} content HEX)
    string(LENGTH "${content}" digits)
    set(pieces "")
    set(at 0)
    while(at LESS digits)
      string(SUBSTRING "${content}" ${at} 16000 piece)
      string(REGEX REPLACE "(..)" "\\\\x\\1" piece "${piece}")
      string(APPEND pieces "\n    \"${piece}\"")
      math(EXPR at "${at} + 16000")
    endwhile()
    math(EXPR size "${digits} / 2")
    string(APPEND text "  {\"${name}\", std::string_view(\"\"${pieces}, ${size})},\n")
  endforeach()
  file(APPEND ${OUTPUT}.new "${text}  {}};\n")
endfunction()

file(WRITE ${OUTPUT}.new "#include \"rules/models/embedded.h\"\n\nnamespace deadgrad {\n\n")
append_texts(kModels ${MODELS})
append_texts(kPages ${PAGES})
file(APPEND ${OUTPUT}.new "
std::span<const EmbeddedText> embedded_models() { return {kModels, std::size(kModels) - 1}; }
std::span<const EmbeddedText> embedded_pages() { return {kPages, std::size(kPages) - 1}; }

}  // namespace deadgrad
")
file(RENAME ${OUTPUT}.new ${OUTPUT})
