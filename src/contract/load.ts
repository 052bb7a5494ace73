import { decodeXml } from './decode';
import { type Budget, fetchDocument, nameOf, readDocument } from './fetch';
import type { Contract } from './model';
import { childrenOf, WSDL_NAMESPACE, XSD_NAMESPACE } from './names';
import { ContractError } from './problems';
import { type Reading, readContract } from './read-contract';
import { MAX_ELEMENTS, parseXml, type XmlElement } from './xml-tree';

/** Limits for what may be hostile, over all documents of a WSDL. One of 300 operations has about 700,000 bytes. */
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_DOCUMENTS = 20;

/**
 * Reads a WSDL from a file or from the network. Imports are followed at the WSDL's own host and port only; those of a file are
 * not followed.
 *
 * @param source a path, or an http or https address
 * @param limits of all documents together; a timeoutMs of 0 means none
 * @param ours of several portTypes, the one that shares most operations with this contract is read; without it, the first
 * @throws {ContractError} when it is no WSDL, or exceeds a limit
 * @throws {FetchError} when an address does not give it
 * @throws {NodeJS.ErrnoException} when the file cannot be read
 */
export async function loadContract(
  source: string,
  limits: { readonly timeoutMs: number; readonly signal?: AbortSignal },
  ours?: Contract,
): Promise<Reading> {
  const signals = limits.timeoutMs > 0 ? [AbortSignal.timeout(limits.timeoutMs)] : [];
  const budget = {
    bytes: MAX_BYTES,
    elements: MAX_ELEMENTS,
    signal: AbortSignal.any([...signals, ...(limits.signal ? [limits.signal] : [])]),
  };
  const reading = /^https?:\/\//i.test(source)
    ? await loadFromNetwork(new URL(source), budget, ours)
    : readContract([parseXml(decodeXml(await readDocument(source, budget), source), source, budget)], new Set(), ours);
  // Whatever is not defined may be in what was not followed.
  const broken = reading.problems.filter(({ kind }) => kind === 'broken');
  const imports = reading.problems.filter(({ kind }) => kind === 'import');
  if (broken.length > 0) throw new ContractError([...broken, ...imports]);
  return reading;
}

async function loadFromNetwork(start: URL, budget: Budget, ours: Contract | undefined): Promise<Reading> {
  const documents = new Map<string, XmlElement>();
  const followed = new Set<XmlElement>();
  const waiting = [start];
  for (let url = waiting.shift(); url; url = waiting.shift()) {
    if (documents.has(url.href)) continue;
    const name = nameOf(url);
    if (documents.size === MAX_DOCUMENTS) {
      throw new ContractError([
        { kind: 'broken', file: name, line: 1, text: `one of more than ${MAX_DOCUMENTS} documents` },
      ]);
    }
    const root = parseXml(decodeXml(await fetchDocument(url, budget), name), name, budget);
    documents.set(url.href, root);
    for (const element of importsOf(root)) {
      const location = element.attributes.get('schemaLocation') ?? element.attributes.get('location') ?? '';
      const target = location !== '' && URL.canParse(location, url.href) ? new URL(location, url) : undefined;
      if (target?.origin !== start.origin) continue;
      target.hash = '';
      followed.add(element);
      waiting.push(target);
    }
  }
  return readContract([...documents.values()], followed, ours);
}

function importsOf(root: XmlElement): XmlElement[] {
  const schemas = childrenOf(root, WSDL_NAMESPACE, 'types').flatMap((types) =>
    childrenOf(types, XSD_NAMESPACE, 'schema'),
  );
  const includes = [root, ...schemas].flatMap((schema) =>
    ['import', 'include'].flatMap((local) => childrenOf(schema, XSD_NAMESPACE, local)),
  );
  return [...childrenOf(root, WSDL_NAMESPACE, 'import'), ...includes];
}
