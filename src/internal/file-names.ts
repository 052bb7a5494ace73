/** True for a valid file name on every system. */
export function isFileName(name: string): boolean {
  return /^[\w-][\w.-]*$/.test(name) && !name.endsWith('.') && !isDeviceName(name);
}

/** True for the name of a Windows device. Windows allows no file of such a name, also with an ending: aux.ts. */
export function isDeviceName(name: string): boolean {
  return /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(name);
}
