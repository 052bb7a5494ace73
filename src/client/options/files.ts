import { readFileSync, statSync } from 'node:fs';
import { holdsCertificate } from '../../http/tls';
import { refuseValue } from '../../options/table';

/** An API key that was read from a file. */
export interface KeyFile {
  readonly key: string;
  /** True when other users can read the file. */
  readonly isPublic: boolean;
}

/** Reads the API key that a file holds, without its line end. @throws {WrongValue} */
export function readKeyFile(path: string): KeyFile {
  // The shell's $(cat file) leaves the line ends out too.
  const key = readTextFile(path).replace(/[\r\n]+$/, '');
  if (key === '') refuseValue(`${path} is empty`);
  const status = statSync(path);
  // Windows reports these bits for every file.
  return { key, isPublic: process.platform !== 'win32' && status.isFile() && (status.mode & 0o077) !== 0 };
}

/** Reads the certificates of authorities from a file in PEM. @throws {WrongValue} */
export function readCaFile(path: string): string {
  const pem = readTextFile(path);
  return holdsCertificate(pem) ? pem : refuseValue(`${path} has no certificate in PEM`);
}

/** Reads a text without its byte order mark. @throws {WrongValue} */
function readTextFile(path: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // A name without a dot and a folder may be the API key itself, in the place of its file.
    return refuseValue(code === 'ENOENT' && !/[./\\]/.test(path) ? 'ENOENT: no such file' : message);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return refuseValue(`${path} is not UTF-8`);
  }
}
