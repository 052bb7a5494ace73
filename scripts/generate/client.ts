import type { Contract } from '../../src/contract/model/model';

/**
 * The text of the stub's methods, in a file without node-soap's types: the package's public types use it. The methods are a mapped
 * type over their own names: TypeScript follows the call of a method that is only known as `${operation}Async` through such a type,
 * and not through an interface that writes each method out.
 */
export function writeMethods(contract: Contract): string {
  const operations = contract.operations.map((operation) => operation.name);
  const imports = operations
    .flatMap((operation) => [operation, `${operation}Response`])
    .map((type) => `import type { ${type} } from "./definitions/${type}";\n`);
  const types = operations.map(
    (operation) => `    ${operation}Async: { request: ${operation}; response: ${operation}Response };\n`,
  );
  return `${imports.join('')}
/** Request and response of each method of the stub, by the method's name. */
export interface MethodTypes {
${types.join('')}}

/** The stub's methods and nothing else. Options: what a call hands to the HTTP client. */
export type StubMethods<Options = object> = {
    readonly [M in keyof MethodTypes]: (
        request: MethodTypes[M]["request"],
        options?: Options,
    ) => Promise<[response: MethodTypes[M]["response"], rawResponse: unknown, soapHeader: unknown, rawRequest: unknown]>;
};
`;
}

/** The text of the stub's client. */
export function writeClient(contract: Contract, name: string, service: string): string {
  return `import type { Client as SoapClient } from "soap";
import type { StubMethods } from "./methods";
import type { ${service} } from "./services/${service}";

/** node-soap's Client once it has read the WSDL. By its own type it has a method of any name: call it through StubMethods. */
export interface ${name}Client extends SoapClient, StubMethods {
    readonly ${contract.service}: ${service};
}
`;
}
