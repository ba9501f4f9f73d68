import type { JsonObject } from '../../json';
import { shorten } from '../../json/fault';
import type { ValidationRun } from '../run';
import { objectsOf } from './members';
import { choiceName } from '../../../../../packages/fhir-values/choice-name';

const STANDARD = 'http://hl7.org/fhir/concept-properties#';

/** Properties that are the same in all code systems (https://hl7.org/fhir/R4/codesystem.html#properties). */
const STANDARD_TYPES: Readonly<Record<string, readonly string[]>> = {
  inactive: ['boolean'],
  notSelectable: ['boolean'],
  deprecated: ['dateTime'],
  deprecationDate: ['dateTime'],
  parent: ['code'],
  child: ['code'],
};

/** Source: https://hl7.org/fhir/R4/codesystem.html */
export function checkCodeSystem(codeSystem: JsonObject, run: ValidationRun): void {
  const { supplements, content, concept } = codeSystem;
  if (supplements !== undefined && content !== undefined && content !== 'supplement') {
    run.report('business', "A code system that supplements another one has the content 'supplement'", [
      'content',
    ]);
  }
  const types = checkProperties(codeSystem, run);
  if (types.size > 0) checkConcepts(concept, types, ['concept'], run);
}

/** Returns the types by code. */
function checkProperties({ property }: JsonObject, run: ValidationRun): ReadonlyMap<string, string> {
  const types = new Map<string, string>();
  const uris = new Set<string>();
  for (const [index, { code, uri, type }] of objectsOf(property)) {
    if (typeof code === 'string' && typeof type === 'string') {
      if (types.has(code))
        run.report('business', `Another property has the code '${shorten(code)}' too; each needs its own`, [
          'property',
          index,
          'code',
        ]);
      else types.set(code, type);
    }
    if (typeof uri !== 'string') continue;
    if (uris.has(uri))
      run.report('business', `Another property has the uri '${shorten(uri)}' too; each needs its own`, [
        'property',
        index,
        'uri',
      ]);
    uris.add(uri);
    const standard = uri.startsWith(STANDARD) ? STANDARD_TYPES[uri.slice(STANDARD.length)] : undefined;
    if (standard !== undefined && typeof type === 'string' && !standard.includes(type)) {
      const sentence = `The property '${shorten(uri)}' has the type ${standard.join()}, but '${shorten(type)}' was found`;
      run.report('business', sentence, ['property', index, 'type']);
    }
  }
  return types;
}

/** Checks that "the value of this property" has the type that the code system declares. The parser limits the depth. */
function checkConcepts(
  concepts: JsonObject[string] | undefined,
  types: ReadonlyMap<string, string>,
  place: readonly (string | number)[],
  run: ValidationRun,
): void {
  for (const [index, { property, concept }] of objectsOf(concepts)) {
    if (run.isOver) return;
    for (const [at, value] of objectsOf(property)) {
      const { code } = value;
      if (typeof code !== 'string') continue;
      const type = types.get(code);
      if (type === undefined) continue;
      const wanted = choiceName('value', type);
      const found = Object.keys(value).find((name) => name.startsWith('value'));
      if (found === undefined || found === wanted) continue;
      const sentence = `The property '${shorten(code)}' has the type ${shorten(type)}, but '${found}' was found`;
      run.report('business', sentence, [...place, index, 'property', at, 'value']);
    }
    if (concept !== undefined) checkConcepts(concept, types, [...place, index, 'concept'], run);
  }
}
