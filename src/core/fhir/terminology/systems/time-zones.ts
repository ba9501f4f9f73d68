/** Time zones: https://www.iana.org/time-zones */
import { findZone } from '../../time-zone';
import type { BuiltInSystem } from './built-in-system';

let listed: ReadonlySet<string> | undefined;
let folded: ReadonlySet<string> | undefined;

/** The zones that Node lists, each under one of its names, and the one that it leaves out. */
function zones(): ReadonlySet<string> {
  listed ??= new Set([...Intl.supportedValuesOf('timeZone'), 'UTC']);
  return listed;
}

/** True for a name of the list in another case: the names of zones have a case. */
function isMisspelt(code: string): boolean {
  folded ??= new Set([...zones()].map((zone) => zone.toLowerCase()));
  return folded.has(code.toLowerCase()) && !zones().has(code);
}

/** Allows the listed zones and their older and newer names (`Asia/Kolkata` and `Asia/Calcutta`), but no offsets. */
export const TIME_ZONES: BuiltInSystem = {
  url: 'https://www.iana.org/time-zones',
  allowed: "a time zone such as 'Europe/Zurich'",
  isCode: (code) => /^[A-Za-z]/.test(code) && !isMisspelt(code) && findZone(code) !== undefined,
  codes: () => [...zones()],
  isPartlyListed: true,
};
