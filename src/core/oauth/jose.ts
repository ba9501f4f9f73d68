/** The only import of the library jose, an ECMAScript module; it is loaded for the first token (some 90 ms). */
import type * as Jose from 'jose' with { 'resolution-mode': 'import' };

let loading: Promise<typeof Jose> | undefined;

export function loadJose(): Promise<typeof Jose> {
  return (loading ??= import('jose'));
}
