import { splitOutsideQuotes } from '../../core';

/** The tags of an `If-Match` or `If-None-Match` header, without quotes and `W/`; `*` for any. */
export type EntityTags = '*' | readonly string[];

const ENTITY_TAG = /^(?:W\/)?"([^"]*)"$/;

/**
 * Parses a list of entity tags. Weak and strong tags are equal, because FHIR compares versions weakly
 * (https://hl7.org/fhir/R4/http.html#concurrency). Undefined when the text is not such a list.
 */
export function parseEntityTags(header: string): EntityTags | undefined {
  const text = header.trim();
  if (text === '*') return '*';
  const tags: string[] = [];
  for (const element of splitOutsideQuotes(text, ',')) {
    const tag = ENTITY_TAG.exec(element.trim())?.[1];
    if (tag === undefined) return undefined;
    tags.push(tag);
  }
  return tags;
}

export function toEntityTag(versionId: number): string {
  return `W/"${versionId}"`;
}
