/** The session of the console in this tab, which also renews it (console/src/api/session.ts). */
import { place } from './place.mjs';

/* global sessionStorage */

/** The header with the access token; empty where nobody has signed in. */
export function sessionHeaders() {
  const stored = sessionStorage.getItem(`andiron/session/${place.tenant}/${place.release}`);
  return stored === null ? {} : { authorization: `Bearer ${JSON.parse(stored).accessToken}` };
}
