/** What one access has read, in its order: references to versions, lists of them, and addresses of searches below `{fhir_root}`. */

const MAX_LINES = 100;
const MAX_LINE = 4_000;
/** Of all of them. */
const MAX_CHARACTERS = 32_000;

export class AccessTrail {
  /** True: something of it has been recorded by itself, such as a change. */
  isRecorded = false;
  /** Single lines once each, and how many lines each text stands for. */
  readonly #texts = new Map<string, number>();
  #lines = 0;
  #others = 0;
  #characters = 0;

  add(text: string): void {
    const line = text.length > MAX_LINE ? text.slice(0, MAX_LINE) : text;
    if (this.#texts.has(line)) return;
    if (!this.#takes(line, 1)) this.#others++;
  }

  /** What a search has found: its address, and `count` versions as `shortList` tells them. False: there is no room for all of it. */
  addList(query: string, list: string, count: number): boolean {
    return query.length <= MAX_LINE && this.#takes(`${query} ${list}`, count + 1);
  }

  /** For what may have to be begun anew: nothing of it is here before it is taken. */
  branch(): AccessTrail {
    return new AccessTrail();
  }

  /** What a branch has. */
  take(branch: AccessTrail): void {
    for (const [text, count] of branch.#texts)
      if (!this.#texts.has(text) && !this.#takes(text, count)) this.#others += count;
    this.#others += branch.#others;
    this.isRecorded ||= branch.isRecorded;
  }

  /** With spaces between them, and how many there were besides; undefined: none. */
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
