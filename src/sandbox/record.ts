/** The fields of a record, each of which must be given: undefined or null for one that the record leaves out. */
type EveryField<R> = { [F in keyof Required<R>]: R[F] | (undefined extends R[F] ? null : never) };

/** Builds a record. The compiler checks every field by its name and type, which it does not for a spread object. */
export function buildRecord<R extends object>(fields: EveryField<R>): R {
  for (const name in fields) {
    if (fields[name] === null || fields[name] === undefined) delete fields[name];
  }
  return fields as R;
}

/** Seconds since 1970. */
export function unixSeconds(): bigint {
  return BigInt(Math.floor(Date.now() / 1000));
}
