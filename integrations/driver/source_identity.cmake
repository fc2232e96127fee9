# cmake -DOUTPUT=x.cpp -DSOURCES=a;b -P source_identity.cmake: writes the function that gives the hash of the sources.
set(hashes "")
foreach(source IN LISTS SOURCES)
  file(SHA256 ${source} hash)
  string(APPEND hashes ${hash})
endforeach()
string(SHA256 identity "${hashes}")
file(WRITE ${OUTPUT} "#include \"integrations/driver/source_identity.h\"

namespace deadgrad::driver {

std::string_view source_identity() { return \"${identity}\"; }

}  // namespace deadgrad::driver
")
