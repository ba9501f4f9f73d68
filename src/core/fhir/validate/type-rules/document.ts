import { isJsonObject, type JsonObject, type JsonValue } from '../../json';
import { shorten } from '../../json/fault';
import { parseReference } from '../../reference/literal';
import type { ValidationRun } from '../run';
import { objectsOf } from './members';

type Place = readonly (string | number)[];
type Referring = readonly [place: Place, reference: JsonValue | undefined];

/**
 * Checks that the resources that a Composition refers to "SHALL be included in the bundle"
 * (https://hl7.org/fhir/R4/documents.html#content). References are resolved as bundle.html#references says. A target
 * with an absolute http url may be elsewhere; a relative reference that matches several entries is ambiguous.
 */
export function checkDocument(bundle: JsonObject, run: ValidationRun): void {
  if (bundle['type'] !== 'document') return;
  const entries = new DocumentEntries(bundle);
  const { composition, fullUrl } = entries;
  if (composition === undefined) return;
  for (const [place, value] of referencesOf(composition)) {
    if (run.isOver) return;
    const reference = isJsonObject(value) ? value['reference'] : undefined;
    if (typeof reference !== 'string') continue;
    const count = entries.count(reference, fullUrl);
    if (count === undefined || count === 1) continue;
    const sentence =
      count === 0
        ? `No entry of this document is '${shorten(reference)}'; the resources that its Composition refers to must be entries`
        : `${count} entries of this document are '${shorten(reference)}'; the reference is ambiguous`;
    run.report('reference', sentence, ['entry', 0, 'resource', ...place, 'reference']);
  }
}

class DocumentEntries {
  readonly composition: JsonObject | undefined;
  readonly fullUrl: string | undefined;
  private readonly byUrl = new Map<string, number>();
  private readonly byName = new Map<string, number>();

  constructor({ entry }: JsonObject) {
    for (const [index, { fullUrl, resource }] of objectsOf(entry)) {
      if (!isJsonObject(resource)) continue;
      const { resourceType, id, meta } = resource;
      const version = isJsonObject(meta) ? meta['versionId'] : undefined;
      const name = typeof resourceType === 'string' && typeof id === 'string' ? `${resourceType}/${id}` : '';
      for (const suffix of typeof version === 'string' ? ['', `/_history/${version}`] : ['']) {
        if (typeof fullUrl === 'string') add(this.byUrl, fullUrl + suffix);
        add(this.byName, name + suffix);
      }
      if (index === 0 && resourceType === 'Composition') {
        this.composition = resource;
        if (typeof fullUrl === 'string') this.fullUrl = fullUrl;
      }
    }
  }

  /**
   * Returns the number of entries that a reference of the Composition matches; undefined if its target may be
   * elsewhere.
   */
  count(reference: string, from: string | undefined): number | undefined {
    const { kind } = parseReference(reference);
    if (kind === 'urn') return this.byUrl.get(reference) ?? 0;
    if (kind !== 'relative') return undefined;
    const { base } = parseReference(from ?? '');
    // If the fullUrl is not that of a FHIR server, a relative reference has no base.
    if (base === undefined) return this.byName.get(reference) ?? 0;
    return this.byUrl.get(`${base}/${reference}`) ?? 0;
  }
}

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function* referencesOf(composition: JsonObject): Generator<Referring> {
  for (const name of ['subject', 'encounter', 'custodian']) yield [[name], composition[name]];
  yield* all(composition, 'author', []);
  for (const [index, { party }] of objectsOf(composition['attester']))
    yield [['attester', index, 'party'], party];
  for (const [index, event] of objectsOf(composition['event'])) yield* all(event, 'detail', ['event', index]);
  yield* ofSections(composition, []);
}

function* ofSections(owner: JsonObject, place: Place): Generator<Referring> {
  for (const [index, section] of objectsOf(owner['section'])) {
    const at = [...place, 'section', index];
    yield* all(section, 'author', at);
    yield [[...at, 'focus'], section['focus']];
    yield* all(section, 'entry', at);
    yield* ofSections(section, at);
  }
}

function* all(owner: JsonObject, name: string, place: Place): Generator<Referring> {
  for (const [index, value] of objectsOf(owner[name])) yield [[...place, name, index], value];
}
