import type { Contract } from '../../src/contract/model/model';

/**
 * Writes the text of the stub's methods. The file does not import node-soap, because the package's public types use it. The methods
 * are a mapped type over their own names. Through such a type TypeScript can follow a call of `${operation}Async`, which it cannot
 * do through an interface that lists the methods.
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

/** The methods of the stub. Options is the type of a call's options for the HTTP client. */
export type StubMethods<Options = object> = {
    readonly [M in keyof MethodTypes]: (
        request: MethodTypes[M]["request"],
        options?: Options,
    ) => Promise<[response: MethodTypes[M]["response"], rawResponse: unknown, soapHeader: unknown, rawRequest: unknown]>;
};
`;
}

/** Writes the text of the stub's client. */
export function writeClient(contract: Contract, name: string, service: string): string {
  return `import type { Client as SoapClient } from "soap";
import type { StubMethods } from "./methods";
import type { ${service} } from "./services/${service}";

/** node-soap's Client with the methods of the WSDL. Its own type allows methods of any name, so call it through StubMethods. */
export interface ${name}Client extends SoapClient, StubMethods {
    readonly ${contract.service}: ${service};
}
`;
}
