import { validateHeaderName, validateHeaderValue } from 'node:http';
import { RESERVED_HEADERS } from '../fhir/subscription/reserved-headers';
import { OutboundError } from './outbound-error';

/** Name and value, as written; a name may occur more than once. */
export type HeaderLine = readonly [name: string, value: string];

/**
 * Returns why a header may not be sent; undefined: it may. A name is repeated only if it is reserved, because in a line
 * that is not well-formed the name may hold a part of a secret.
 */
export function findHeaderFault([name, value]: HeaderLine): string | undefined {
  const reserved = name.trim().toLowerCase();
  if (RESERVED_HEADERS.has(reserved)) return `the header ${reserved} is not allowed`;
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return undefined;
  } catch {
    return 'a header has a character that is not allowed';
  }
}

/**
 * Returns the headers of a message: those given, and of `own` and `trace` those that are not given. Trace headers are
 * taken together or not at all, because they describe one trace. Throws OutboundError.
 */
export function messageHeaders(
  given: readonly HeaderLine[],
  own: Readonly<Record<string, string>>,
  trace: Readonly<Record<string, string>>,
): Record<string, string[]> {
  const headers = new Map<string, string[]>();
  for (const line of given) {
    const fault = findHeaderFault(line);
    if (fault !== undefined) throw new OutboundError(`it may not be called: ${fault}`);
    const name = line[0].toLowerCase();
    headers.set(name, [...(headers.get(name) ?? []), line[1]]);
  }
  const isTraced = Object.keys(trace).some((name) => headers.has(name));
  for (const [name, value] of Object.entries(isTraced ? own : { ...own, ...trace }))
    if (!headers.has(name)) headers.set(name, [value]);
  return Object.fromEntries(headers);
}
