/** Finds the place in the console for what people paste: `Type/id`, a search, or a FHIR address. */
import { ID } from '../../../../packages/fhir-values/id';

const RELATIVE = new RegExp(`^/?([A-Z][A-Za-z]+(?:/${ID}(?:/_history(?:/${ID})?)?)?(?:\\?\\S*)?)$`);
const WITH_SPACE = /\/w\/[a-z0-9-]{1,63}\/api\/v1\/fhir\/r4b?\/\S+$/;

/** The path of a screen; undefined when the text is no FHIR address of this server. `root` is the FHIR root of the tenant. */
export function placeOf(text: string, root: string): string | undefined {
  const trimmed = text.trim();
  const [, relative] = RELATIVE.exec(trimmed) ?? [];
  if (relative !== undefined) return `${root}/${relative}`;
  const [path] = WITH_SPACE.exec(trimmed) ?? [];
  return path;
}
