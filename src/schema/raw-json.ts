import { randomUUID } from 'node:crypto';

/**
 * A JSON text that goes into a larger one as it is: a stored resource is answered to the last digit and without being
 * parsed. Written by `stringifyAround`; any other serializer gets the parsed value.
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

/** The texts met by the `stringifyAround` that runs now; it is synchronous, so there is never more than one. */
let texts: string[] | undefined;

/**
 * A value with raw texts in it as JSON text. `stringify` writes everything else (and restores marked decimals); raw
 * texts are put in place afterwards. Cost: one pass over the text that `stringify` gives.
 */
export function stringifyAround(value: unknown, stringify: (value: unknown) => string): string {
  const met: string[] = [];
  texts = met;
  let text;
  try {
    text = stringify(value);
  } finally {
    texts = undefined;
  }
  if (met.length === 0) return text;
  return text.replace(tokens, (token, index: string) => met[Number(index)] ?? token);
}
