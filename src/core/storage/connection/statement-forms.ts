import { LRUCache } from 'lru-cache';
import { named, type Statement } from './statement';

/** A statement without its values. */
export type Form = Pick<Statement, 'name' | 'text'>;

const MAX_FORMS = 300;
/** Uses after which a form is prepared (statement-shapes.ts). */
const USES_TO_NAME = 3;
const MAX_NAMED = 100;
const MAX_NAMED_LENGTH = 10_000;

/** Cache of texts that are derived from other statements' texts. */
export class StatementForms {
  private readonly forms = new LRUCache<string, { form: Form; uses: number }>({ max: MAX_FORMS });
  private readonly names = new Set<string>();

  /** Returns the form of a key; `build` is called on a cache miss. */
  get(key: string, build: () => string): Form {
    let entry = this.forms.get(key);
    if (entry === undefined) {
      entry = { form: { name: undefined, text: build() }, uses: 0 };
      this.forms.set(key, entry);
    }
    entry.uses += 1;
    const { text } = entry.form;
    if (entry.uses === USES_TO_NAME && text.length <= MAX_NAMED_LENGTH && this.names.size < MAX_NAMED) {
      const { name } = named({ text, name: undefined, values: () => [] });
      this.names.add(name);
      entry.form = { name, text };
    }
    return entry.form;
  }
}
