/** What one access has read, as lines: references to versions, and addresses of searches below `{fhir_root}`. */
const MAX_LINES = 100;

export class AccessTrail {
  /** True: something of it has been recorded by itself, such as a change. */
  isRecorded = false;
  readonly #lines = new Set<string>();
  #others = 0;

  add(line: string): void {
    if (this.#lines.has(line)) return;
    if (this.#lines.size < MAX_LINES) this.#lines.add(line);
    else this.#others++;
  }

  /** One a line, and how many there were besides; undefined: none. */
  get details(): string | undefined {
    if (this.#lines.size === 0) return undefined;
    const lines = [...this.#lines];
    return (this.#others === 0 ? lines : [...lines, `+${this.#others}`]).join('\n');
  }
}
