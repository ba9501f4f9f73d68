/**
 * The reads of one access in order: references to versions, lists of them, and search addresses below `{fhir_root}`.
 */

const MAX_LINES = 100;
const MAX_LINE = 4_000;
/** Total length of the lines. */
const MAX_CHARACTERS = 32_000;

export class AccessTrail {
  /** True: a part of the access has a record of its own, such as a change. */
  isRecorded = false;
  /** Distinct texts, and the number of lines in each. */
  readonly #texts = new Map<string, number>();
  #lines = 0;
  #others = 0;
  #characters = 0;

  add(text: string): void {
    const line = text.length > MAX_LINE ? text.slice(0, MAX_LINE) : text;
    if (this.#texts.has(line)) return;
    if (!this.#takes(line, 1)) this.#others++;
  }

  /**
   * Adds the result of a search: its address, and `count` versions as `shortList` prints them. False: it does not
   * fit.
   */
  addList(query: string, list: string, count: number): boolean {
    return query.length <= MAX_LINE && this.#takes(`${query} ${list}`, count + 1);
  }

  /** Returns an empty trail for work that may have to be repeated; `take` adds it to this one. */
  branch(): AccessTrail {
    return new AccessTrail();
  }

  /** Adds the lines of a branch. */
  take(branch: AccessTrail): void {
    for (const [text, count] of branch.#texts)
      if (!this.#texts.has(text) && !this.#takes(text, count)) this.#others += count;
    this.#others += branch.#others;
    this.isRecorded ||= branch.isRecorded;
  }

  /** The lines, separated by spaces, and the number of omitted lines; undefined: there are none. */
  get details(): string | undefined {
    if (this.#texts.size === 0) return undefined;
    let details = '';
    for (const text of this.#texts.keys()) details += details === '' ? text : ` ${text}`;
    return this.#others === 0 ? details : `${details} +${this.#others}`;
  }

  #takes(text: string, count: number): boolean {
    if (this.#lines + count > MAX_LINES || this.#characters + text.length > MAX_CHARACTERS) return false;
    this.#texts.set(text, count);
    this.#lines += count;
    this.#characters += text.length;
    return true;
  }
}
