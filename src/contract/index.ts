export { type Comparison, compareContracts, type ServiceSettings } from './compare/compare';
export type { Difference, Verdict } from './compare/differences';
export { ContractError } from './model/problems';
export { FetchError } from './read/fetch';
export { loadContract } from './read/load';
export { readWsdl } from './read/read-contract';
