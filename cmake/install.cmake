# `cmake --install` installs programs and plugins by the rules of their own folders, and by these rules schemas,
# documents, examples, and a configuration with which the daemon starts.

# fj_installed_conf(FILE FOLDER): FILE of conf/, with the folders of an installation instead of those of a checkout.
# FOLDER is its folder below the installed configuration.
function(fj_installed_conf file folder)
  if(IS_ABSOLUTE "${FJ_CONF_FOLDER}")
    set(data "${FJ_DATA_FOLDER_FULL}")
    set(run "${FJ_RUN_FOLDER_FULL}")
    set(schemas "${FJ_SCHEMAS_FOLDER_FULL}")
  else()
    file(RELATIVE_PATH data "${FJ_CONF_FOLDER_FULL}${folder}" "${FJ_DATA_FOLDER_FULL}")
    file(RELATIVE_PATH run "${FJ_CONF_FOLDER_FULL}${folder}" "${FJ_RUN_FOLDER_FULL}")
    file(RELATIVE_PATH schemas "${FJ_CONF_FOLDER_FULL}${folder}" "${FJ_SCHEMAS_FOLDER_FULL}")
  endif()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/conf/${file}")
  file(READ "${CMAKE_SOURCE_DIR}/conf/${file}" text)
  string(REGEX REPLACE "\"(\\.\\./)+xml-schemas/" "\"${schemas}/" text "${text}")
  string(REPLACE "\"../data/fastjournal.sock" "\"${run}/fastjournal.sock" text "${text}")
  string(REPLACE "\"../data" "\"${data}" text "${text}")
  file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/installed-conf/${file}" CONTENT "${text}" @ONLY)
endfunction()

fj_installed_conf(fastjournal.xml "")
file(GLOB tables RELATIVE ${CMAKE_SOURCE_DIR}/conf CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/conf/tables.d/*.xml)
foreach(table ${tables})
  fj_installed_conf(${table} /tables.d)
endforeach()

install(DIRECTORY ${CMAKE_BINARY_DIR}/installed-conf/ DESTINATION ${FJ_EXAMPLES_FOLDER})
configure_file(conf/systemd/fastjournal-backup.service.in ${CMAKE_BINARY_DIR}/systemd/fastjournal-backup.service @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/systemd/fastjournal-backup.service conf/systemd/fastjournal-backup.timer
  DESTINATION ${FJ_EXAMPLES_FOLDER}/systemd)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/conf/monitoring DESTINATION ${FJ_EXAMPLES_FOLDER})
install(FILES conf/client.conf conf/compose.yaml DESTINATION ${FJ_EXAMPLES_FOLDER})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/xml-schemas/ DESTINATION ${FJ_SCHEMAS_FOLDER} FILES_MATCHING PATTERN "*.xsd")
# The documents are in manual/ there. Without the lines of README.md that lead into the source, or to documents for those
# who have it: they are not installed.
set(installed_documents ${CMAKE_BINARY_DIR}/installed-doc)
foreach(folder "" clients/ clients/c/ clients/python/ clients/node/)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}README.md)
  file(READ ${CMAKE_SOURCE_DIR}/${folder}README.md text)
  string(REGEX REPLACE "\n[^\n]*[]]\\((CONTRIBUTING.md|SECURITY.md|(src|tests|doc/internals)/[^)\n]*)\\)[^\n]*" "" text "${text}")
  file(WRITE ${installed_documents}/${folder}README.site "${text}")
  string(REGEX REPLACE "([]]\\([./]*)doc/" "\\1manual/" text "${text}")
  file(WRITE ${installed_documents}/${folder}README.new "${text}")
  configure_file(${installed_documents}/${folder}README.new ${installed_documents}/${folder}README.md COPYONLY)
  install(FILES ${installed_documents}/${folder}README.md DESTINATION ${FJ_DOC_FOLDER}/${folder})
endforeach()
install(FILES CHANGELOG.md LICENSE DESTINATION ${FJ_DOC_FOLDER})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/doc/ DESTINATION ${FJ_DOC_FOLDER}/manual
  FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png" PATTERN internals EXCLUDE)
# The folder of the logs: the daemon may lack the permission to create it.
install(DIRECTORY DESTINATION ${FJ_DATA_FOLDER})

# An existing configuration belongs to the administrator: an upgrade changes neither it nor its tables.
install(CODE "
  set(folder \"${FJ_CONF_FOLDER}\")
  if(NOT IS_ABSOLUTE \"\${folder}\")
    set(folder \"\${CMAKE_INSTALL_PREFIX}/\${folder}\")
  endif()
  if(EXISTS \"\$ENV{DESTDIR}\${folder}/fastjournal.xml\")
    message(STATUS \"Kept unchanged: \$ENV{DESTDIR}\${folder}\")
  else()
    file(INSTALL DESTINATION \"\${folder}\" TYPE DIRECTORY FILES \"${CMAKE_BINARY_DIR}/installed-conf/\")
  endif()")

# For systemd: units, the users of the daemon and of forwarders, and their folders.
set(FJ_UNITS_FOLDER lib/systemd/system CACHE STRING "folder of units for systemd; relative to the prefix, or absolute")
if(FJ_SYSTEMD)
  set(units fastjournal.service fastjournal.socket fastjournal-client@.service)
  foreach(file ${units} fastjournal.sysusers fastjournal-client.sysusers fastjournal.tmpfiles fastjournal-client.tmpfiles)
    configure_file(conf/systemd/${file}.in ${CMAKE_BINARY_DIR}/systemd/${file} @ONLY)
  endforeach()
  list(TRANSFORM units PREPEND ${CMAKE_BINARY_DIR}/systemd/)
  install(FILES ${units} ${CMAKE_BINARY_DIR}/systemd/fastjournal-backup.service conf/systemd/fastjournal-backup.timer
    DESTINATION ${FJ_UNITS_FOLDER})
  foreach(name fastjournal fastjournal-client)
    install(FILES ${CMAKE_BINARY_DIR}/systemd/${name}.sysusers DESTINATION lib/sysusers.d RENAME ${name}.conf)
    install(FILES ${CMAKE_BINARY_DIR}/systemd/${name}.tmpfiles DESTINATION lib/tmpfiles.d RENAME ${name}.conf)
  endforeach()
endif()
