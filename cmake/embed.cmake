# Files as string constants of a C++ source, at build time:
#   cmake -DOUTPUT=x.cpp -DHEADER=x.h -DNAMESPACE=a::b "-DFILES=name=path;..." -P embed.cmake
set(text "#include \"${HEADER}\"\n\nnamespace ${NAMESPACE} {\n\n")
foreach(entry IN LISTS FILES)
  string(REGEX MATCH "^([^=]+)=(.+)$" matched "${entry}")
  set(name "${CMAKE_MATCH_1}")
  file(READ "${CMAKE_MATCH_2}" content)
  string(APPEND text "const std::string_view ${name} = R\"nodl_embed(${content})nodl_embed\";\n\n")
endforeach()
string(APPEND text "}  // namespace ${NAMESPACE}\n")
file(WRITE "${OUTPUT}" "${text}")
