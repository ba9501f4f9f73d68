import { isJsonObject, type JsonObject } from '../json';
import { parseReference } from '../reference/literal';

/** The resources of a Bundle, by the references that lead to them (https://hl7.org/fhir/R4/bundle.html#references). */
export class EntryIndex {
  private readonly byUrl = new Map<string, JsonObject[]>();
  private readonly byName = new Map<string, JsonObject[]>();

  /** Cost: one pass over the entries. */
  constructor({ entry }: JsonObject) {
    for (const item of Array.isArray(entry) ? entry : []) {
      if (!isJsonObject(item)) continue;
      const { fullUrl, resource } = item;
      if (!isJsonObject(resource)) continue;
      const { resourceType, id, meta } = resource;
      const version = isJsonObject(meta) ? meta['versionId'] : undefined;
      const name = typeof resourceType === 'string' && typeof id === 'string' ? `${resourceType}/${id}` : '';
      for (const suffix of typeof version === 'string' ? ['', `/_history/${version}`] : ['']) {
        if (typeof fullUrl === 'string') add(this.byUrl, fullUrl + suffix, resource);
        add(this.byName, name + suffix, resource);
      }
    }
  }

  /** Returns the resources that a reference matches in the entry with the address `from`; more than one: ambiguous. */
  find(reference: string, from: string | undefined): readonly JsonObject[] {
    if (parseReference(reference).kind !== 'relative') return this.byUrl.get(reference) ?? [];
    const { base } = parseReference(from ?? '');
    // If the fullUrl is not that of a FHIR server, a relative reference has no base.
    if (base === undefined) return this.byName.get(reference) ?? [];
    return this.byUrl.get(`${base}/${reference}`) ?? [];
  }
}

function add(resources: Map<string, JsonObject[]>, name: string, resource: JsonObject): void {
  const others = resources.get(name);
  if (others === undefined) resources.set(name, [resource]);
  else others.push(resource);
}
