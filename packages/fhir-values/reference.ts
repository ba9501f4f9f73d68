import { ID } from './id';

export interface LocalReference {
  readonly type: string;
  readonly id: string;
  readonly versionId?: string;
}

const RELATIVE = new RegExp(`^([A-Z][A-Za-z]{0,63})/(${ID})(?:/_history/(${ID}))?$`);

/** Parses a relative reference into type, id and version; undefined for any other text. */
export function parseRelative(text: string): LocalReference | undefined {
  // 64 for the type and for each of two ids, and the separators.
  if (text.length > 210) return undefined;
  const [, type, id, versionId] = RELATIVE.exec(text) ?? [];
  if (type === undefined || id === undefined || id === '.' || id === '..') return undefined;
  return versionId === undefined ? { type, id } : { type, id, versionId };
}
