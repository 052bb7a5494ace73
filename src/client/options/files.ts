import { existsSync, readFileSync, statSync } from 'node:fs';
import { parse } from 'node:path';
import { holdsCertificate } from '../../http/tls';
import { decodeText, NotText } from '../../internal/decode-text';
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
    return refuseValue(isKnownPath(path) ? message : `${code}: no such file`);
  }
  try {
    return decodeText(bytes);
  } catch (error) {
    if (!(error instanceof NotText)) throw error;
    return refuseValue(`${path} ${error.message}`);
  }
}

/** Usual ends of the names of files that hold a key or a certificate. A key hardly ends so. */
const FILE_END = /\.(?:key|txt|text|pem|crt|cer|secret|token|env|conf|json)$/i;

/**
 * True for the path of something that exists, of a file in a folder that exists, and of a name that ends as a file's
 * name. Any other text may be the API key itself, in the place of its file, and no message has it.
 */
export function isKnownPath(text: string): boolean {
  if (existsSync(text) || FILE_END.test(text)) return true;
  const { dir, root } = parse(text);
  return dir !== root && existsSync(dir);
}
