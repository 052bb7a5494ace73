import { service } from '../generated/operations';

/** The path of the endpoint below the base URL (contract, section 4, rule 1). */
export const ENDPOINT_PATH = new URL(service.address).pathname;
