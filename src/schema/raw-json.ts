import { randomUUID } from 'node:crypto';

/**
 * A JSON text that goes into the response as it is: a stored resource is answered to the last digit and without being
 * parsed. Written by `stringifyResponse`; any other serializer gets the parsed value.
 */
export class RawJson {
  constructor(readonly text: string) {}

  toJSON(): unknown {
    if (!texts) return JSON.parse(this.text) as unknown;
    texts.push(this.text);
    return `${tokenPrefix}${texts.length - 1}`;
  }
}

/** Not guessable, so that no stored or sent string can pass for a token. */
const tokenPrefix = `${randomUUID()}@`;
const tokens = new RegExp(`"${tokenPrefix}(\\d+)"`, 'g');

/** The texts met by the `stringifyResponse` that runs now; it is synchronous, so there is never more than one. */
let texts: string[] | undefined;

/**
 * The response as JSON text. `stringify` writes everything but the raw texts (and restores marked decimals); raw texts
 * are put in place afterwards. Cost: one pass over the text that `stringify` gives.
 */
export function stringifyResponse(response: unknown, stringify: (value: unknown) => string): string {
  const met: string[] = [];
  texts = met;
  let text;
  try {
    text = stringify(response);
  } finally {
    texts = undefined;
  }
  if (met.length === 0) return text;
  return text.replace(tokens, (token, index: string) => met[Number(index)] ?? token);
}
