import { service } from '../../../generated/operations';
import { combineSignals } from '../../internal/signals';
import { formatWsdl } from '../../soap/wsdl';
import { XSD_NAMESPACE } from '../../xml/namespaces';
import type { Contract } from '../model/model';
import { ContractError } from '../model/problems';
import { namespaceOfSchema, schemaOf, schemasOf } from './definitions';
import { type Budget, brokenFile, fetchDocument, nameOf, readDocument, spendBytes } from './fetch';
import { type ParsedContract, readContract, readWsdl } from './read-contract';
import { childrenOf, WSDL_NAMESPACE } from './wsdl-names';
import { MAX_ELEMENTS, parseXml, type XmlElement } from './xml-tree';

/** Limits over all documents of a WSDL, which may be hostile. A WSDL of 300 operations has about 700,000 bytes. */
const MAX_BYTES = 8 * 1024 * 1024;
const MAX_DOCUMENTS = 20;

/**
 * Reads a WSDL from a file or from the network. Imports are followed at the WSDL's own host and port only. The imports of a
 * file are not followed.
 *
 * @param source a path, or an http or https address
 * @param limits the limits of all documents together; a timeoutMs of 0 means no limit
 * @param ours the contract to compare with (readContract)
 * @throws {ContractError} when the source is not a WSDL, or exceeds a limit
 * @throws {FetchError} when an address does not return a document
 * @throws {NodeJS.ErrnoException} when the file cannot be read
 */
export async function loadContract(
  source: string,
  limits: { readonly timeoutMs: number; readonly signal?: AbortSignal },
  ours?: Contract,
): Promise<ParsedContract> {
  const { signal, release } = combineSignals([limits.signal], limits.timeoutMs);
  const budget = { bytes: MAX_BYTES, elements: MAX_ELEMENTS, signal };
  try {
    const parsed = /^https?:\/\//i.test(source)
      ? await loadFromNetwork(new URL(source), budget, ours)
      : readContract([parseXml(await readDocument(source, budget), source, budget)], new Set(), ours);
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

async function loadFromNetwork(start: URL, budget: Budget, ours: Contract | undefined): Promise<ParsedContract> {
  const fetched = new Map<string, Fetched>();
  const documents = new Map<string, XmlElement>();
  const followed = new Set<XmlElement>();
  const waiting: Import[] = [{ url: start, including: '' }];
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const { url, including } = next;
    const { text, root } = fetched.get(url.href) ?? (await fetchRoot(url, fetched.size, budget));
    fetched.set(url.href, { text, root });
    const takesNamespace = including !== '' && root.uri === XSD_NAMESPACE && !root.attributes.has('targetNamespace');
    const key = takesNamespace ? `${url.href} ${including}` : url.href;
    if (documents.has(key)) continue;
    if (takesNamespace) spendBytes(budget, text.length, nameOf(url));
    const document = takesNamespace ? parseXml(text, nameOf(url), budget, including) : root;
    documents.set(key, document);
    for (const element of importsOf(document)) {
      const location = element.attributes.get('schemaLocation') ?? element.attributes.get('location') ?? '';
      const target = location !== '' && URL.canParse(location, url.href) ? new URL(location, url) : undefined;
      if (target?.origin !== start.origin) continue;
      target.hash = '';
      followed.add(element);
      waiting.push({ url: target, including: element.local === 'include' ? namespaceOfSchema(schemaOf(element)) : '' });
    }
  }
  return readContract([...documents.values()], followed, ours);
}

interface Import {
  readonly url: URL;
  /** The namespace of the schema that includes this document; empty for an import. */
  readonly including: string;
}

interface Fetched {
  readonly text: string;
  readonly root: XmlElement;
}

async function fetchRoot(url: URL, count: number, budget: Budget): Promise<Fetched> {
  const file = nameOf(url);
  if (count === MAX_DOCUMENTS) {
    throw brokenFile(file, `more than ${MAX_DOCUMENTS} documents: put the content of the imports into one file`);
  }
  const text = await fetchDocument(url, budget);
  return { text, root: parseXml(text, file, budget) };
}

/** Gives the elements of a document that refer to other documents. */
function importsOf(root: XmlElement): XmlElement[] {
  const schemas = schemasOf(root).flatMap((schema) =>
    ['import', 'include'].flatMap((local) => childrenOf(schema, XSD_NAMESPACE, local)),
  );
  return [...childrenOf(root, WSDL_NAMESPACE, 'import'), ...schemas];
}
