import { service } from '../../generated/operations';
import { formatWsdl } from '../soap/wsdl-text';
import type { Contract } from './model/model';
import { readWsdl } from './read/read-contract';

/** Reads the contract that this package was built from. */
export function readOwnContract(): Contract {
  return readWsdl(formatWsdl(service.namespace, service.address), 'the contract of this package').contract;
}
