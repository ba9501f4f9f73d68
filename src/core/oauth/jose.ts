/** The one owner of the library jose, an ECMAScript module, which is loaded when the first token is met (some 90 ms). */
import type * as Jose from 'jose' with { 'resolution-mode': 'import' };

let loading: Promise<typeof Jose> | undefined;

export function loadJose(): Promise<typeof Jose> {
  return (loading ??= import('jose'));
}
