/** The fields of a record, all of which must be given. A field that the record leaves out is undefined or null. */
type EveryField<R> = { [F in keyof Required<R>]: R[F] | (undefined extends R[F] ? null : never) };

/** Builds a record. The compiler checks the name and type of every field, which it does not do for a spread object. */
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
