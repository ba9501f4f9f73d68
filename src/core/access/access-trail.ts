const MAX_LINES = 100;
const MAX_LINE = 4_000;
/** Of all of them. */
const MAX_CHARACTERS = 32_000;

/** What one access has read, as lines: references to versions, and addresses of searches below `{fhir_root}`. */

export class AccessTrail {
  /** True: something of it has been recorded by itself, such as a change. */
  isRecorded = false;
  readonly #lines = new Set<string>();
  #others = 0;
  #characters = 0;

  add(text: string): void {
    const line = text.length > MAX_LINE ? text.slice(0, MAX_LINE) : text;
    if (this.#lines.has(line)) return;
    if (this.#lines.size >= MAX_LINES || this.#characters + line.length > MAX_CHARACTERS) {
      this.#others++;
      return;
    }
    this.#lines.add(line);
    this.#characters += line.length;
  }

  /** For what may have to be begun anew: nothing of it is here before it is taken. */
  branch(): AccessTrail {
    return new AccessTrail();
  }

  /** What a branch has. */
  take(branch: AccessTrail): void {
    for (const line of branch.#lines) this.add(line);
    this.#others += branch.#others;
    this.isRecorded ||= branch.isRecorded;
  }

  /** With spaces between them, and how many there were besides; undefined: none. */
  get details(): string | undefined {
    if (this.#lines.size === 0) return undefined;
    const lines = [...this.#lines];
    return (this.#others === 0 ? lines : [...lines, `+${this.#others}`]).join(' ');
  }
}
