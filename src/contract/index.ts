export { type Comparison, compareContracts, type ServiceSettings } from './compare/compare';
export { type Difference, isBreaking, type Verdict } from './compare/differences';
export { ContractError, type ContractProblem } from './model/problems';
export { readOwnContract } from './own-contract';
export { FetchError } from './read/fetch';
export { loadContract } from './read/load';
