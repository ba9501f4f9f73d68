/** A stored version, ready to be sent. */
export interface StoredVersion {
  readonly type: string;
  readonly id: string;
  readonly versionId: number;
  /** Milliseconds since 1970, from the database's clock; equal to `meta.lastUpdated` in `text`. */
  readonly lastUpdated: number;
  /** Tenant-wide number of the change (extension version-sequence). */
  readonly sequence: number;
  readonly change: 'create' | 'update' | 'delete';
  /** Id of the ClientApplication that made the version. */
  readonly author: string;
  /** The whole resource as JSON text with the server's part of meta; '' for a deletion. */
  readonly text: string;
  /** For a contained match: its type and id; `text` is its own (search.html#contained). */
  readonly contained?: { readonly type: string; readonly id: string };
  /** For a scored match: a score from 0 to 1, and a grade (valueset-match-grade.html). */
  readonly match?: { readonly score: number; readonly grade: string };
}
