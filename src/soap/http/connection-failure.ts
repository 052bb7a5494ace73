/** An error of the system, of TLS or of the HTTP library. */
export type SystemError = Error & { readonly code?: unknown; readonly errors?: readonly Error[] };

/** The code and the words of a connection that could not be made, or broke. */
export function explainFailure(error: SystemError): { code: string; message: string } {
  // Node tries each address of a name and wraps the errors. The wrapper itself says nothing.
  const causes = error.errors?.length ? error.errors : [error];
  const message = causes.map((cause) => withoutInternals(cause.message)).join('; ');
  const code = error.code ?? (causes[0] as SystemError).code;
  return { code: typeof code === 'string' ? code : 'UNKNOWN', message };
}

/** OpenSSL's errors hold its thread, function, source file and line. Only the reason tells a user something. */
function withoutInternals(message: string): string {
  const [, reason] = /:error:[0-9A-F]+:[^:]*:[^:]*:([^:]*)/.exec(message) ?? [];
  return reason === undefined ? message : `TLS failed: ${reason}`;
}
