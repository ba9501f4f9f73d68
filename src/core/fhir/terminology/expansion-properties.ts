/**
 * Properties of concepts in an expansion. R4 has no element for them, so they are extensions as R5 names them
 * (https://build.fhir.org/ig/HL7/fhir-tx-ecosystem-ig/r4.html).
 */
import { type JsonObject } from '../json';
import { type CodeSystem } from './code-system';
import { choiceMember, objectsMember, stringMember } from './members';
import { type Member } from './membership';
import { CONCEPT_PROPERTIES } from './read-code-system';

const OF_EXPANSION = 'http://hl7.org/fhir/5.0/StructureDefinition/extension-ValueSet.expansion.property';
const OF_CONCEPT =
  'http://hl7.org/fhir/5.0/StructureDefinition/extension-ValueSet.expansion.contains.property';
const DEFINITION = 'definition';

/** Returns the extensions of an entry of the expansion for those of the properties that its concept has. */
export function propertiesOf({ concept }: Member, codes: readonly string[]): readonly JsonObject[] {
  if (concept === undefined || codes.length === 0) return [];
  const definition = stringMember(concept.element, DEFINITION);
  const all: readonly JsonObject[] = [
    ...(definition === undefined ? [] : [{ code: DEFINITION, valueString: definition }]),
    ...objectsMember(concept.element, 'property'),
  ];
  return all.flatMap((property) => {
    const code = stringMember(property, 'code');
    const value = choiceMember(property);
    if (code === undefined || value === undefined || !codes.includes(code)) return [];
    const extension: JsonObject[] = [
      { url: 'code', valueCode: code },
      { url: 'value', [value[0]]: value[1] },
    ];
    return [{ extension, url: OF_CONCEPT }];
  });
}

/** Returns the extensions of the expansion that say what the properties mean, of those that one of the code systems declares. */
export function declaredProperties(
  codeSystems: Iterable<CodeSystem>,
  codes: readonly string[],
): readonly JsonObject[] {
  const uris = new Map<string, string>();
  for (const { head } of codeSystems)
    for (const property of objectsMember(head, 'property')) {
      const [code, uri] = [stringMember(property, 'code'), stringMember(property, 'uri')];
      if (code !== undefined && uri !== undefined && !uris.has(code)) uris.set(code, uri);
    }
  uris.set(DEFINITION, `${CONCEPT_PROPERTIES}${DEFINITION}`);
  return [...new Set(codes)].flatMap((code) => {
    const uri = uris.get(code);
    if (uri === undefined) return [];
    const extension: JsonObject[] = [
      { url: 'code', valueCode: code },
      { url: 'uri', valueUri: uri },
    ];
    return [{ extension, url: OF_EXPANSION }];
  });
}
