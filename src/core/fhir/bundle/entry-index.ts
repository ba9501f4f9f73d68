import { isJsonObject, type JsonObject, type JsonValue } from '../json';
import { parseReference } from '../reference/literal';

const NOWHERE = { from: undefined, base: undefined };

/** A resource of a Bundle and its address. */
export interface BundleEntry {
  readonly fullUrl: string | undefined;
  readonly resource: JsonObject;
}

/** The entries of a Bundle, by the references that lead to them (https://hl7.org/fhir/R4/bundle.html#references). */
export class EntryIndex {
  private readonly byUrl = new Map<string, BundleEntry[]>();
  private readonly byName = new Map<string, BundleEntry[]>();
  /** By names of entries; undefined: several entries have the name, or none of them an address. */
  private readonly addresses = new Map<string, string | undefined>();
  /** The last address that references were relative to, because a resource has many of them. */
  private last: { readonly from: string | undefined; readonly base: string | undefined } = NOWHERE;

  /** Cost: one pass over the entries. */
  constructor({ entry }: JsonObject) {
    for (const item of Array.isArray(entry) ? entry : []) {
      const found = toEntry(item);
      if (found === undefined) continue;
      const { fullUrl, resource } = found;
      const { resourceType, id, meta } = resource;
      const version = isJsonObject(meta) ? meta['versionId'] : undefined;
      const name = typeof resourceType === 'string' && typeof id === 'string' ? `${resourceType}/${id}` : '';
      for (const suffix of typeof version === 'string' ? ['', `/_history/${version}`] : ['']) {
        if (fullUrl !== undefined) add(this.byUrl, fullUrl + suffix, found);
        add(this.byName, name + suffix, found);
      }
      const isOnly = !this.addresses.has(name) || this.addresses.get(name) === fullUrl;
      this.addresses.set(name, isOnly ? fullUrl : undefined);
    }
  }

  private baseOf(from: string | undefined): string | undefined {
    if (this.last.from !== from) this.last = { from, base: parseReference(from ?? '').base };
    return this.last.base;
  }

  /** Returns the entries that a reference matches in the entry with the address `from`; more than one: ambiguous. */
  find(reference: string, from: string | undefined): readonly BundleEntry[] {
    if (parseReference(reference).kind !== 'relative') return this.byUrl.get(reference) ?? [];
    const base = this.baseOf(from);
    // If the fullUrl is not that of a FHIR server, a relative reference has no base.
    if (base === undefined) return this.byName.get(reference) ?? [];
    return this.byUrl.get(`${base}/${reference}`) ?? [];
  }

  /**
   * Returns the address of the resource that a reference in the entry with the address `from` refers to. A relative
   * reference is relative to the server of that entry, whether the Bundle has its target or not. In an entry without
   * such an address it refers to the entry of that name, and stays as it is where there is none. Undefined: the target
   * has no address, or the reference is ambiguous.
   */
  addressOf(reference: string, from: string | undefined): string | undefined {
    const { kind, type, id, versionId } = parseReference(reference);
    if (kind !== 'relative') return reference;
    const base = this.baseOf(from);
    if (base !== undefined) return `${base}/${reference}`;
    // Another version of an entry is a version of the same resource.
    const name = `${type}/${id}`;
    if (!this.addresses.has(name)) return isElsewhere(from) ? undefined : reference;
    const fullUrl = this.addresses.get(name);
    if (fullUrl === undefined) return undefined;
    return versionId === undefined ? fullUrl : `${fullUrl}/_history/${versionId}`;
  }
}

/** Returns an entry of a Bundle; undefined for one without a resource. */
export function toEntry(item: JsonValue | undefined): BundleEntry | undefined {
  if (!isJsonObject(item)) return undefined;
  const { fullUrl, resource } = item;
  if (!isJsonObject(resource)) return undefined;
  return { fullUrl: typeof fullUrl === 'string' ? fullUrl : undefined, resource };
}

/** Returns the address of the first resource of a Bundle; undefined: it has none, or that of another type. */
export function firstAddress({ entry: items }: JsonObject): string | undefined {
  const first = toEntry(Array.isArray(items) ? items[0] : undefined);
  const { type = first?.resource['resourceType'] } = parseReference(first?.fullUrl ?? '');
  return type === first?.resource['resourceType'] ? first?.fullUrl : undefined;
}

/** True for an address with a scheme, except a urn, which says nothing about a server. */
function isElsewhere(address: string | undefined): boolean {
  return address !== undefined && /^(?!urn:)[a-z][a-z0-9+.-]*:/i.test(address);
}

function add(entries: Map<string, BundleEntry[]>, name: string, entry: BundleEntry): void {
  const others = entries.get(name);
  if (others === undefined) entries.set(name, [entry]);
  else others.push(entry);
}
