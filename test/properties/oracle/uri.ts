/** Uris: exact, or by the segments of their path. Canonicals: url and version. */

export interface Canonical {
  readonly url: string;
  readonly version: string | undefined;
}

export function readCanonical(text: string): Canonical {
  const bar = text.indexOf('|');
  return bar === -1
    ? { url: text, version: undefined }
    : { url: text.slice(0, bar), version: text.slice(bar + 1) };
}

/** True when `text` is `base` or below it. A urn is only below itself. */
export function isBelow(text: string, base: string): boolean {
  if (text === base) return true;
  if (base.startsWith('urn:')) return false;
  return text.startsWith(base.endsWith('/') ? base : `${base}/`);
}

/** @param modifier '', 'below', 'above' or 'contains' */
export function meetsUri(text: string, modifier: string, search: string): boolean {
  switch (modifier) {
    case 'below':
      return isBelow(text, search);
    case 'above':
      return isBelow(search, text);
    case 'contains':
      return text.includes(search);
    default:
      return text === search;
  }
}

/** @param modifier '' or 'below', which takes the version as the beginning of a version */
export function meetsCanonical(stored: Canonical, modifier: string, search: Canonical): boolean {
  if (stored.url !== search.url) return false;
  if (search.version === undefined) return true;
  if (stored.version === search.version) return true;
  return modifier === 'below' && stored.version?.startsWith(`${search.version}.`) === true;
}
