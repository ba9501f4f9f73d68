/** Source of terminology: the storage in the server, the definition files in tests. */
import { type JsonObject } from '../json';
import { type CodeSystem } from './code-system';
import type { ConceptStorage } from './concept-set';

export interface TerminologySource {
  /** The concepts of large code systems; undefined where there are none. */
  readonly concepts?: ConceptStorage;
  /** Returns the code system of this url; without a version the newest. Undefined if it does not exist. */
  findCodeSystem(url: string, version?: string): Promise<CodeSystem | undefined>;
  /** Returns the ValueSet resource of this url; without a version the newest. Undefined if it does not exist. */
  findValueSet(url: string, version?: string): Promise<JsonObject | undefined>;
  /** Returns the versions of the code system of this url, the oldest first. */
  listVersions(url: string): Promise<readonly string[]>;
}

/** A canonical reference, split at its last `|`. */
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
