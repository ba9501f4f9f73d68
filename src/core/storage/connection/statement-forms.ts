import { createCache } from '../../memory/create-cache';
import { toText, type SqlPieces } from './sql-pieces';
import { named, type Statement } from './statement';

/** A statement without its values. */
export type Form = Pick<Statement, 'name' | 'text' | 'pieces'>;

const MAX_FORMS = 300;
/** Uses after which a statement is prepared: its plan is then made once per connection, not once per search. */
export const USES_TO_NAME = 3;
const MAX_NAMED = 100;
export const MAX_NAMED_LENGTH = 10_000;

/** Cache of texts that are derived from other statements' texts. */
export class StatementForms {
  private readonly forms = createCache<string, { form: Form; uses: number }>({
    name: 'statement-forms',
    scope: 'program',
    max: MAX_FORMS,
  });
  private readonly names = new Set<string>();

  /** Returns the form of a key; `build` is called on a cache miss. */
  get(key: string, build: () => SqlPieces): Form {
    let entry = this.forms.get(key);
    if (entry === undefined) {
      const pieces = build();
      entry = { form: { name: undefined, text: toText(pieces), pieces }, uses: 0 };
      this.forms.set(key, entry);
    }
    entry.uses += 1;
    const { form } = entry;
    if (entry.uses === USES_TO_NAME && form.text.length <= MAX_NAMED_LENGTH && this.names.size < MAX_NAMED) {
      const prepared = named(form);
      this.names.add(prepared.name);
      entry.form = prepared;
    }
    return entry.form;
  }
}
