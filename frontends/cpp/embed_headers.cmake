# cmake -DOUTPUT=x.cpp -DSTUB_ROOT=dir -DSTUBS=a;b -DBUILTIN_ROOT=dir -DBUILTINS=c;d -P embed_headers.cmake: writes the headers,
# named by their path below their root, as escaped literals in pieces of 8,000 bytes, since a compiler may refuse a longer token.
function(append_headers variable root)
  file(APPEND ${OUTPUT}.new "static constexpr EmbeddedHeader ${variable}[] = {\n")
  list(SORT ARGN)
  foreach(file IN LISTS ARGN)
    file(RELATIVE_PATH path ${root} ${file})
    file(READ ${file} content HEX)
    string(LENGTH "${content}" digits)
    string(REGEX REPLACE "(..)" "\\\\x\\1" content "${content}")
    # Four characters per byte.
    math(EXPR length "${digits} * 2")
    set(pieces "")
    set(at 0)
    while(at LESS length)
      string(SUBSTRING "${content}" ${at} 32000 piece)
      string(APPEND pieces "\n    \"${piece}\"")
      math(EXPR at "${at} + 32000")
    endwhile()
    math(EXPR size "${digits} / 2")
    file(APPEND ${OUTPUT}.new "  {\"${path}\", std::string_view(\"\"${pieces}, ${size})},\n")
  endforeach()
  file(APPEND ${OUTPUT}.new "};\n")
endfunction()

file(WRITE ${OUTPUT}.new "#include \"frontends/cpp/embedded_headers.h\"\n\nnamespace deadgrad::cpp {\n\n")
append_headers(kStubs ${STUB_ROOT} ${STUBS})
append_headers(kBuiltins ${BUILTIN_ROOT} ${BUILTINS})
file(APPEND ${OUTPUT}.new "
std::span<const EmbeddedHeader> embedded_stubs() { return kStubs; }
std::span<const EmbeddedHeader> embedded_builtin_headers() { return kBuiltins; }

}  // namespace deadgrad::cpp
")
file(RENAME ${OUTPUT}.new ${OUTPUT})
