/** Where terminology comes from: storage gives it in the server, the definition files in tests. */
import { type JsonObject } from '../json';
import { type CodeSystem } from './code-system';

export interface TerminologySource {
  /** The code system of this url; without a version the newest. Undefined when it is not known. */
  findCodeSystem(url: string, version?: string): Promise<CodeSystem | undefined>;
  /** The ValueSet resource of this url; without a version the newest. Undefined when it is not known. */
  findValueSet(url: string, version?: string): Promise<JsonObject | undefined>;
}

/** A canonical reference taken apart at its last `|`. */
export interface Canonical {
  readonly url: string;
  readonly version: string | undefined;
}

export function parseCanonical(text: string): Canonical {
  const bar = text.lastIndexOf('|');
  if (bar < 0) return { url: text, version: undefined };
  return { url: text.slice(0, bar), version: text.slice(bar + 1) || undefined };
}

export function toCanonical(url: string, version: string | undefined): string {
  return version === undefined ? url : `${url}|${version}`;
}
