/** What a script can tell from the exit code. */
export const exitCodes = {
  done: 0,
  unexpected: 1,
  usage: 2,
  status: 3,
  fault: 4,
  notSent: 5,
  unknown: 6,
  SIGINT: 130,
  SIGTERM: 143,
} as const;

/** The codes in words, for the help. */
export const exitCodeHelp = `Exit codes:
  0    done
  1    the output could not be written, or a failure of this program
  2    the command line, the configuration or a field is wrong; nothing was sent
  3    the service returned a status that is not in --success-statuses
  4    the service returned a SOAP fault or an HTTP error
  5    not sent: nothing reached the service, trying again is safe
  6    outcome unknown: it may have taken effect, check before trying again
  130  interrupted by Ctrl-C (143: by SIGTERM)`;
