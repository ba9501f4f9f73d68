import { randomUUID } from 'node:crypto';

/**
 * A JSON text that is inserted unchanged into a larger one. A stored resource is sent with all digits and without
 * parsing. `stringifyAround` writes it; any other serializer gets the parsed value.
 */
export class RawJson {
  constructor(readonly text: string) {}

  toJSON(): unknown {
    if (!texts) return this.toValue();
    texts.push(this.text);
    return `${tokenPrefix}${texts.length - 1}`;
  }

  protected toValue(): unknown {
    return JSON.parse(this.text);
  }
}

/** Not guessable, so that no stored or sent string can pass for a token. */
const tokenPrefix = `${randomUUID()}@`;
const tokens = new RegExp(`"${tokenPrefix}(\\d+)"`, 'g');

/** The texts found by the current call of `stringifyWithGaps`; it is synchronous, so there is never more than one. */
let texts: string[] | undefined;

/** The JSON text of a value, in which raw texts are still missing. */
export interface TextWithGaps {
  readonly text: string;
  readonly raw: readonly string[];
}

/**
 * Returns the JSON text of a value that contains raw texts. `stringify` writes everything else and restores marked
 * decimals; raw texts are inserted afterwards.
 * Cost: one pass over the result of `stringify`.
 */
export function stringifyAround(value: unknown, stringify: (value: unknown) => string): string {
  return putTogether(stringifyWithGaps(value, stringify));
}

/** Does the first half of `stringifyAround`, which copies no raw text. */
export function stringifyWithGaps(value: unknown, stringify: (value: unknown) => string): TextWithGaps {
  const raw: string[] = [];
  texts = raw;
  try {
    return { text: stringify(value), raw };
  } finally {
    texts = undefined;
  }
}

/** Does the second half of `stringifyAround`. Cost: copying the raw texts. */
export function putTogether({ text, raw }: TextWithGaps): string {
  if (raw.length === 0) return text;
  return text.replace(tokens, (token, index: string) => raw[Number(index)] ?? token);
}
