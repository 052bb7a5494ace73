import { service } from '../../../generated/operations';
import { combineSignals } from '../../internal/signals';
import { formatWsdl } from '../../soap/wsdl';
import type { Contract } from '../model/model';
import { brokenFile, ContractError } from '../model/problems';
import { importsOf } from './definitions';
import { type Connection, fetchDocument, nameOf, readDocument } from './fetch';
import { type ParsedContract, readContract, readWsdl } from './read-contract';
import { parseXml, ReadingLimits, type XmlElement } from './xml-tree';

/** The limit for the documents of a WSDL, which may be hostile. */
const MAX_DOCUMENTS = 20;

/** The options of reading a WSDL. */
export interface LoadOptions extends Connection {
  /** The limit of all documents together, in milliseconds; 0 means no limit. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/**
 * Reads a WSDL from a file or from the network. Imports are followed at the WSDL's own host and port only. The imports
 * of a file are not followed.
 *
 * @param source a path, or an http or https address
 * @param ours the contract to compare with; only its operations are read
 * @throws {ContractError} when the source is not a WSDL, or exceeds a limit
 * @throws {FetchError} when an address does not return a document
 * @throws {NodeJS.ErrnoException} when the file cannot be read
 */
export async function loadContract(source: string, options: LoadOptions, ours?: Contract): Promise<ParsedContract> {
  const { signal, release } = combineSignals([options.signal], options.timeoutMs);
  const operations = ours && new Set(ours.operations.map(({ name }) => name));
  const reading = new ReadingLimits();
  try {
    const { documents, followed } = /^https?:\/\//i.test(source)
      ? await fetchDocuments(new URL(source), options, reading, signal)
      : {
          documents: [parseXml(await readDocument(source, reading, signal), source, reading)],
          followed: new Set<never>(),
        };
    const parsed = readContract(documents, followed, operations);
    const broken = parsed.problems.filter(({ kind }) => kind === 'broken');
    // A missing definition may be in an import that was skipped, so name the imports first.
    const imports = parsed.problems.filter(({ kind }) => kind === 'import');
    if (broken.length > 0) throw new ContractError([...imports, ...broken]);
    return parsed;
  } finally {
    release();
  }
}

/** Reads the contract that this package was built from. */
export function readOwnContract(): Contract {
  return readWsdl(formatWsdl(service.namespace, service.address), 'the contract of this package').contract;
}

/** Fetches a document, and those that it imports from the same host and port. */
async function fetchDocuments(
  start: URL,
  connection: Connection,
  reading: ReadingLimits,
  signal: AbortSignal,
): Promise<{ documents: XmlElement[]; followed: Set<XmlElement> }> {
  const documents = new Map<string, XmlElement>();
  const followed = new Set<XmlElement>();
  const waiting: { readonly url: URL; readonly element?: XmlElement }[] = [{ url: start }];
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const { url, element } = next;
    let root = documents.get(url.href);
    if (!root) {
      const file = nameOf(url.href);
      const excess = `more than ${MAX_DOCUMENTS} documents: put the content of the imports into one file`;
      if (documents.size === MAX_DOCUMENTS) throw brokenFile({ file, line: 1 }, excess);
      root = parseXml(await fetchDocument(url, connection, reading, signal), file, reading);
      documents.set(url.href, root);
      for (const { element: reference, location } of importsOf(root)) {
        const target = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
        if (target?.origin !== start.origin || reference.local === 'redefine') continue;
        target.hash = '';
        // The same service needs the same password, whether an import names it or not.
        if (target.username === '') [target.username, target.password] = [start.username, start.password];
        waiting.push({ url: target, element: reference });
      }
    }
    // An included schema without a namespace of its own would have to be read in each namespace that includes it.
    if (element && (element.local !== 'include' || root.attributes.has('targetNamespace'))) followed.add(element);
  }
  return { documents: [...documents.values()], followed };
}
