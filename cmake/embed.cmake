# Writes a source with the bytes of the files of a folder, as src/server/embedded.h declares them for a namespace. As a
# script:  cmake -DOUT=FILE.cpp -DNAMESPACE=NAME -DFOLDER=FOLDER -DFILES=NAME;NAME -P embed.cmake
# Hexadecimal, since a literal of text has a limit in each compiler, and would need escapes for whatever a file may hold.
set(arrays "")
set(entries "")
set(number 0)
foreach(name ${FILES})
  file(READ "${FOLDER}/${name}" hex HEX)
  string(LENGTH "${hex}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
  string(APPEND arrays "constexpr unsigned char kFile${number}[] = {\n${hex}0x00};\n")
  string(APPEND entries "      {\"/${name}\", {reinterpret_cast<char const*>(kFile${number}), ${size}}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE "${OUT}" "// Made by cmake/embed.cmake.\n#include \"server/embedded.h\"\n\nnamespace fastjournal::${NAMESPACE} {\nnamespace {\n${arrays}}  // namespace\n
std::span<Embedded const> embedded() {
  static Embedded const kAll[] = {\n${entries}  };
  return kAll;
}\n\n}  // namespace fastjournal::${NAMESPACE}\n")
