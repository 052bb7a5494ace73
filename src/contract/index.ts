export { type Comparison, compareContracts } from './compare/compare';
export { type Difference, isBreaking, type Verdict } from './compare/differences';
export { ContractError, type ContractProblem } from './model/problems';
export { FetchError, nameOf } from './read/fetch';
export { type LoadOptions, loadContract, readOwnContract } from './read/load';
