/** "startUnixdate" as an operator writes it: "start-unixdate". */
export function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
