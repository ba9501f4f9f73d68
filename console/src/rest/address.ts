/** The address of a request that a person types: always below the FHIR root of one tenant, because its token goes with it. */

/** Letters that no address has; a browser would leave some of them out silently. */
const CONTROL = /\p{Cc}/u;
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;

/** What follows the root in a text that has it; undefined: the text does not begin with it. */
function below(text: string, root: string): string | undefined {
  if (!text.startsWith(root)) return undefined;
  const rest = text.slice(root.length);
  return rest === '' || /^[/?]/.test(rest) ? rest : undefined;
}

/**
 * The part of an address behind the root, encoded; '' is the root itself. Undefined: the text leads to another place. `root`:
 * `https://host/prefix/w/acme/api/v1/fhir/r4`. The text may be relative (`Patient?name=x`), begin with a slash, or have the
 * root before it, with or without the host.
 */
export function restOf(text: string, root: string): string | undefined {
  const typed = text.trim();
  const { origin, pathname } = new URL(root);
  const relative = below(typed, root) ?? below(typed, pathname) ?? typed;
  if (CONTROL.test(relative) || relative.includes('#')) return undefined;
  if (SCHEME.test(relative) || /^[/\\]{2}/.test(relative)) return undefined;
  const rest = relative.replace(/^\//, '');
  const separator = rest === '' || rest.startsWith('?') ? '' : '/';
  let url: URL;
  try {
    url = new URL(`${root}${separator}${rest}`);
  } catch {
    return undefined;
  }
  // Dots, also encoded ones, may have led out of it.
  const isBelow = url.pathname === pathname || url.pathname.startsWith(`${pathname}/`);
  if (!isBelow || url.origin !== origin) return undefined;
  return `${url.pathname.slice(pathname.length)}${url.search}`;
}
