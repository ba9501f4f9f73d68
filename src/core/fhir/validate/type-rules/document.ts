import { EntryIndex } from '../../bundle/entry-index';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json';
import { shorten, type JsonPath } from '../../json/fault';
import { parseReference } from '../../reference/literal';
import type { ValidationRun } from '../run';
import { objectsOf } from './members';

type LocatedReference = readonly [place: JsonPath, reference: JsonValue | undefined];

/**
 * Checks that the resources that a Composition refers to "SHALL be included in the bundle"
 * (https://hl7.org/fhir/R4/documents.html#content). References are resolved as bundle.html#references says. A target
 * with an absolute http url may be elsewhere; a relative reference that matches several entries is ambiguous.
 */
export function checkDocument(bundle: JsonObject, run: ValidationRun): void {
  if (bundle['type'] !== 'document') return;
  const [first] = Array.isArray(bundle['entry']) ? bundle['entry'] : [];
  const { fullUrl, resource: composition } = isJsonObject(first) ? first : {};
  if (!isJsonObject(composition) || composition['resourceType'] !== 'Composition') return;
  const from = typeof fullUrl === 'string' ? fullUrl : undefined;
  const entries = new EntryIndex(bundle);
  for (const [place, value] of referencesOf(composition)) {
    if (run.isOver) return;
    const reference = isJsonObject(value) ? value['reference'] : undefined;
    if (typeof reference !== 'string') continue;
    const { kind } = parseReference(reference);
    if (kind !== 'urn' && kind !== 'relative') continue;
    const count = entries.find(reference, from).length;
    if (count === 1) continue;
    const sentence =
      count === 0
        ? `No entry of this document is '${shorten(reference)}'; the resources that its Composition refers to must be entries`
        : `${count} entries of this document are '${shorten(reference)}'; the reference is ambiguous`;
    run.report('reference', sentence, ['entry', 0, 'resource', ...place, 'reference']);
  }
}

function* referencesOf(composition: JsonObject): Generator<LocatedReference> {
  for (const name of ['subject', 'encounter', 'custodian']) yield [[name], composition[name]];
  yield* all(composition, 'author', []);
  for (const [index, { party }] of objectsOf(composition['attester']))
    yield [['attester', index, 'party'], party];
  for (const [index, event] of objectsOf(composition['event'])) yield* all(event, 'detail', ['event', index]);
  yield* ofSections(composition, []);
}

function* ofSections(owner: JsonObject, place: JsonPath): Generator<LocatedReference> {
  for (const [index, section] of objectsOf(owner['section'])) {
    const at = [...place, 'section', index];
    yield* all(section, 'author', at);
    yield [[...at, 'focus'], section['focus']];
    yield* all(section, 'entry', at);
    yield* ofSections(section, at);
  }
}

function* all(owner: JsonObject, name: string, place: JsonPath): Generator<LocatedReference> {
  for (const [index, value] of objectsOf(owner[name])) yield [[...place, name, index], value];
}
