#!/bin/sh
# Sends one message from a script that may be run again: after exit code 5 nothing was sent, after 6 it may have been.
# MESSAGING_COMMAND is the command of the package; the default works in a folder in which it is installed.
messaging=${MESSAGING_COMMAND:-npx messaging-soap}
if [ -s id.txt ]; then
  echo "sent before, with id $(cat id.txt)" >&2
else
  $messaging send-simple --sender 3000 --message "${1:-hello}" --receptor 09120000001 --unixdate 0 --msgmode 1 > id.txt
  case $? in
    0) ;;
    5) echo 'nothing was sent: run this script again' >&2; exit 5 ;;
    6) echo 'it may have been sent: look with select-latest before you run this script again' >&2; exit 6 ;;
    *) exit 1 ;;
  esac
fi
$messaging track "$(cat id.txt)" --final-statuses 6,10,11,13,14 --within 30s
