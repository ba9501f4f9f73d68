/** Indexes the resources of a Bundle by their addresses. Source: https://hl7.org/fhir/R4/bundle.html#references */
import { isJsonObject, type JsonObject } from '../../json';
import { objectsOf, textOf } from './element';
import { ID } from '../../resource';

const RELATIVE = new RegExp(`^[A-Z][A-Za-z]{0,63}/${ID}$`);

/** A resource with the fullUrl of its entry. */
export interface BundledResource {
  readonly resource: JsonObject;
  readonly fullUrl: string | undefined;
}

export class BundleIndex {
  private readonly byFullUrl = new Map<string, BundledResource>();
  /** By `Type/id`; undefined if several resources have it. */
  private readonly byName = new Map<string, BundledResource | undefined>();

  constructor(bundle: JsonObject) {
    for (const entry of objectsOf(bundle['entry'])) {
      const { resource } = entry;
      if (!isJsonObject(resource)) continue;
      const fullUrl = textOf(entry['fullUrl']);
      const bundled = { resource, fullUrl };
      if (fullUrl !== undefined && !this.byFullUrl.has(fullUrl)) this.byFullUrl.set(fullUrl, bundled);
      const { resourceType, id } = resource;
      if (typeof resourceType !== 'string' || typeof id !== 'string') continue;
      const name = `${resourceType}/${id}`;
      this.byName.set(name, this.byName.has(name) ? undefined : bundled);
    }
  }

  /** `fullUrl`: that of the entry with the reference. A version in the reference is ignored. */
  find(reference: string, fullUrl: string | undefined): BundledResource | undefined {
    const history = reference.indexOf('/_history/');
    const address = history < 0 ? reference : reference.slice(0, history);
    if (!RELATIVE.test(address)) return this.byFullUrl.get(address);
    const base = fullUrl === undefined ? undefined : baseOf(fullUrl);
    // Without a base url, `Type/id` is resolved only if it is unambiguous.
    return base === undefined ? this.byName.get(address) : this.byFullUrl.get(base + address);
  }
}

/** Returns the part before `Type/id` in an address of a RESTful server; undefined for a urn. */
function baseOf(fullUrl: string): string | undefined {
  const end = fullUrl.lastIndexOf('/', fullUrl.lastIndexOf('/') - 1) + 1;
  return end > 0 && /^https?:/.test(fullUrl) && RELATIVE.test(fullUrl.slice(end))
    ? fullUrl.slice(0, end)
    : undefined;
}
