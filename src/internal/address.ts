/** Returns an address without its user name and password. Other texts do not change. */
export function addressWithoutPassword(address: string): string {
  return address.replace(/^(https?:[\\/]*)[^\\/?#]*@/i, '$1');
}
