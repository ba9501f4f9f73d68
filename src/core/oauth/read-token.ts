/** An unverified JWT; its claims only select the keys to verify it with. */
export interface ReadToken {
  readonly text: string;
  readonly header: Readonly<Record<string, unknown>>;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Longest token that a header may carry. */
const LONGEST = 16_384;

/** Undefined: the text is not a JWT in compact form (RFC 7519, section 3). */
export function readToken(text: string): ReadToken | undefined {
  if (text.length > LONGEST || !/^[\w-]+\.[\w-]+\.[\w-]*$/.test(text)) return undefined;
  const [header, payload] = text.split('.').slice(0, 2).map(toObject);
  return header === undefined || payload === undefined ? undefined : { text, header, payload };
}

function toObject(part: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
