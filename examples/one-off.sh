#!/bin/sh
# Sends one message from a script that may be run again. It stops when an earlier run may have sent the message.
# MESSAGING_COMMAND is the command of the package; the default works in a folder in which it is installed.
messaging=${MESSAGING_COMMAND:-npx messaging-soap}
if [ -e unsure ]; then
  echo 'it may have been sent: look with select-latest; if it was, write its id into id.txt; then delete the file unsure' >&2
  exit 6
elif [ -s id.txt ]; then
  echo "sent before, with id $(cat id.txt)" >&2
else
  touch unsure || exit 1 # it stays when this script is killed, and when no id was printed
  $messaging send-simple --sender 3000 --message "${1:-hello}" --receptor 09120000001 --unixdate 0 --msgmode 1 > id.txt
  code=$?
  if [ $code = 0 ] && [ -s id.txt ]; then
    rm unsure
  else
    case $code in
      5) rm unsure; echo 'nothing was sent: run this script again' >&2; exit 5 ;;
      2|3|4) rm unsure; exit $code ;; # refused
      *) echo 'it may have been sent: run this script again to read what to do' >&2; exit 6 ;;
    esac
  fi
fi
$messaging track "$(cat id.txt)" --final-statuses 6,10,11,13,14 --within 30s
