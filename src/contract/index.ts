export { type Comparison, compareContracts, type ServiceSettings } from './compare';
export type { Difference, Verdict } from './differences';
export { FetchError } from './fetch';
export { loadContract } from './load';
export { ContractError } from './problems';
export { readWsdl } from './read-contract';
