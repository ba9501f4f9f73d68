/** What a space can do, as its CapabilityStatement tells it. */

/** What a statement tells: all, what of it is normative, or the terminology (http.html#capabilities). */
export type CapabilityMode = 'full' | 'normative' | 'terminology';

/** The CapabilityStatement without anything that depends on the request. */
export interface Capabilities {
  readonly text: string;
  /** Strong hash of `text`, without quotes. */
  readonly etag: string;
}
