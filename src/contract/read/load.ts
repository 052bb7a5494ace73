import { combineSignals } from '../../internal/timers';
import { XSD_NAMESPACE } from '../../xml/namespaces';
import type { Contract } from '../model/model';
import { ContractError } from '../model/problems';
import { decodeXml } from './decode';
import { type Budget, fetchDocument, nameOf, readDocument } from './fetch';
import { type ParsedContract, readContract } from './read-contract';
import { childrenOf, WSDL_NAMESPACE } from './wsdl-names';
import { inNamespace, MAX_ELEMENTS, parseXml, type XmlElement } from './xml-tree';

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
      : readContract(
          [parseXml(decodeXml(await readDocument(source, budget), source), source, budget)],
          new Set(),
          ours,
        );
    const broken = parsed.problems.filter(({ kind }) => kind === 'broken');
    // A missing definition may be in an import that was skipped, so name the imports first.
    const imports = parsed.problems.filter(({ kind }) => kind === 'import');
    if (broken.length > 0) throw new ContractError([...imports, ...broken]);
    return parsed;
  } finally {
    release();
  }
}

async function loadFromNetwork(start: URL, budget: Budget, ours: Contract | undefined): Promise<ParsedContract> {
  const fetched = new Map<string, XmlElement>();
  const documents = new Map<string, XmlElement>();
  const followed = new Set<XmlElement>();
  const waiting: Import[] = [{ url: start, namespace: '' }];
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const { url, namespace } = next;
    const root = fetched.get(url.href) ?? (await fetchRoot(url, fetched.size, budget));
    fetched.set(url.href, root);
    const isChameleon = namespace !== '' && root.uri === XSD_NAMESPACE && !root.attributes.has('targetNamespace');
    const key = isChameleon ? `${url.href} ${namespace}` : url.href;
    if (documents.has(key)) continue;
    const document = isChameleon ? inNamespace(root, namespace, budget) : root;
    documents.set(key, document);
    for (const { element, namespace: including } of importsOf(document)) {
      const location = element.attributes.get('schemaLocation') ?? element.attributes.get('location') ?? '';
      const target = location !== '' && URL.canParse(location, url.href) ? new URL(location, url) : undefined;
      if (target?.origin !== start.origin) continue;
      target.hash = '';
      followed.add(element);
      waiting.push({ url: target, namespace: including });
    }
  }
  return readContract([...documents.values()], followed, ours);
}

interface Import {
  readonly url: URL;
  /** The namespace for an included schema without a namespace of its own; empty for an import. */
  readonly namespace: string;
}

async function fetchRoot(url: URL, count: number, budget: Budget): Promise<XmlElement> {
  const file = nameOf(url);
  if (count === MAX_DOCUMENTS) {
    const text = `more than ${MAX_DOCUMENTS} documents: put the content of the imports into one file`;
    throw new ContractError([{ kind: 'broken', file, line: 1, text }]);
  }
  return parseXml(decodeXml(await fetchDocument(url, budget), file), file, budget);
}

function importsOf(root: XmlElement): { readonly element: XmlElement; readonly namespace: string }[] {
  const schemas = childrenOf(root, WSDL_NAMESPACE, 'types').flatMap((types) =>
    childrenOf(types, XSD_NAMESPACE, 'schema'),
  );
  const includes = [root, ...schemas].flatMap((schema) => {
    const namespace = schema.attributes.get('targetNamespace') ?? '';
    return [
      ...childrenOf(schema, XSD_NAMESPACE, 'import').map((element) => ({ element, namespace: '' })),
      ...childrenOf(schema, XSD_NAMESPACE, 'include').map((element) => ({ element, namespace })),
    ];
  });
  const imports = childrenOf(root, WSDL_NAMESPACE, 'import').map((element) => ({ element, namespace: '' }));
  return [...imports, ...includes];
}
