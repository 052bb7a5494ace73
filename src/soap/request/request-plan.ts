import { type OperationName, operations } from '../../../generated/operations';
import type { ErrorContext } from '../../errors';
import type { Settings } from '../../options/client';
import { escapeAttribute } from '../../xml/escape';
import type { Element } from '../element';

/** The data that all requests of an operation share. It is computed once per client. */
export interface RequestPlan {
  readonly context: ErrorContext;
  readonly children: readonly RequestChild[];
  /** The names of the fields that a caller may give. */
  readonly names: ReadonlySet<string>;
  readonly startTag: string;
  readonly endTag: string;
}

export interface RequestChild {
  readonly element: Element;
  /** The value when the caller gives none; undefined when the caller has to give one. */
  readonly fallback: unknown;
  readonly startTag: string;
  readonly endTag: string;
}

/** Values of elements that a caller may give but need not. */
const BUILT_IN: Readonly<Record<string, unknown>> = { status: 0, statusmessage: '' };

export function planRequest(
  operation: OperationName,
  settings: Pick<Settings, 'namespace' | 'apiKey' | 'defaults'>,
  context: ErrorContext,
): RequestPlan {
  const defaults = Object.entries(settings.defaults).filter(([, value]) => value !== undefined);
  const values: Readonly<Record<string, unknown>> = {
    ...BUILT_IN,
    ...Object.fromEntries(defaults),
    apikey: settings.apiKey,
  };
  const children = operations[operation].request.map((element) => ({
    element,
    fallback: values[element.name],
    startTag: `<${element.name}>`,
    endTag: `</${element.name}>`,
  }));
  const names = new Set<string>(children.map(({ element }) => element.name));
  names.delete('apikey');
  const xmlns = escapeAttribute(settings.namespace);
  return { context, children, names, startTag: `<${operation} xmlns="${xmlns}">`, endTag: `</${operation}>` };
}
