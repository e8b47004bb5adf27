# The folders of an installation. They are relative to the prefix if possible, so that an installation can be anywhere
# (cmake --install --prefix, DESTDIR, a moved folder): programs find their files relative to their own path.
# For the prefix /usr, GNUInstallDirs has some folders outside of it (/etc, /var): those are absolute.
function(fj_folder out kind below)
  set(folder "${CMAKE_INSTALL_${kind}}")
  set(full "${CMAKE_INSTALL_FULL_${kind}}")
  if(NOT full STREQUAL "${CMAKE_INSTALL_PREFIX}/${folder}")
    set(folder "${full}")
  endif()
  set(${out} "${folder}${below}" PARENT_SCOPE)
  set(${out}_FULL "${full}${below}" PARENT_SCOPE)
endfunction()

fj_folder(FJ_PLUGINS_FOLDER LIBDIR /fastjournal)
fj_folder(FJ_CONF_FOLDER SYSCONFDIR /fastjournal)
fj_folder(FJ_DATA_FOLDER LOCALSTATEDIR /lib/fastjournal)
fj_folder(FJ_RUN_FOLDER RUNSTATEDIR /fastjournal)
if(FJ_RUN_FOLDER STREQUAL "/var/run/fastjournal")
  set(FJ_RUN_FOLDER /run/fastjournal)
  set(FJ_RUN_FOLDER_FULL /run/fastjournal)
endif()
fj_folder(FJ_SPOOL_FOLDER LOCALSTATEDIR /spool/fastjournal)
fj_folder(FJ_SCHEMAS_FOLDER DATADIR /fastjournal/xml-schemas)
fj_folder(FJ_DOC_FOLDER DOCDIR "")
set(FJ_EXAMPLES_FOLDER "${FJ_DOC_FOLDER}/examples")

# Programs find their files relative to their own path, but units for systemd name whole paths.
option(FJ_SYSTEMD "install units for systemd, with sysusers.d and tmpfiles.d" OFF)
if(FJ_SYSTEMD)
  string(REGEX REPLACE "(.)/$" "\\1" named "${CMAKE_INSTALL_PREFIX}")
  install(CODE "
    if(NOT CMAKE_INSTALL_PREFIX STREQUAL \"${named}\")
      message(FATAL_ERROR \"The units for systemd name the programs of the prefix ${named}, and cannot be installed \"
        \"with the prefix \${CMAKE_INSTALL_PREFIX}: configure again with \"
        \"-DCMAKE_INSTALL_PREFIX=\${CMAKE_INSTALL_PREFIX}, or with -DFJ_SYSTEMD=OFF.\")
    endif()")
endif()
