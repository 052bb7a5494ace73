/** How to undo the last change that somebody made by hand. Every such change takes the place of the one before it. */
export class LastChange {
  /** Never goes back, so that the id of an old change cannot undo a new one. */
  #count = 0;
  #undo: (() => boolean) | undefined;

  /** @param undo returns false when it is too late. @returns the id of the change */
  keep(undo: () => boolean): string {
    this.#count += 1;
    this.#undo = undo;
    return String(this.#count);
  }

  /** Undoes a change, once. @returns false when another change followed, or when it is too late */
  undo(id: string): boolean {
    if (this.#undo === undefined || id !== String(this.#count)) return false;
    const undo = this.#undo;
    this.#undo = undefined;
    return undo();
  }

  forget(): void {
    this.#undo = undefined;
  }
}
