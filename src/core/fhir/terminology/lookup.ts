/** Details of one code of a code system (https://hl7.org/fhir/R4/codesystem-operation-lookup.html). */
import { type JsonObject } from '../json';
import { type CodeSystem, type Concept } from './code-system';
import { designationsOf, displayOf } from './display';
import { choiceMember, objectMember, objectsMember, stringMember } from './members';

export interface LookupOptions {
  /** Codes of the requested properties; all if empty or `*`. */
  readonly properties: readonly string[];
  readonly displayLanguage?: string;
}

/**
 * Returns the out parameters of $lookup, as elements of `Parameters.parameter`; omits those that the code system does
 * not have. The definition requires `name` and `display`, which fall back to url and code.
 */
export function lookUp(
  codeSystem: CodeSystem,
  concept: Concept,
  options: LookupOptions,
): readonly JsonObject[] {
  const requested = new Set(options.properties);
  const isRequested = (code: string): boolean =>
    requested.size === 0 || requested.has('*') || requested.has(code);
  const definedConcept = { concept, codeSystem, listed: undefined };
  const parameters: JsonObject[] = [
    {
      name: 'name',
      valueString:
        stringMember(codeSystem.head, 'name') ?? stringMember(codeSystem.head, 'title') ?? codeSystem.url,
    },
  ];
  if (codeSystem.version !== undefined) parameters.push({ name: 'version', valueString: codeSystem.version });
  parameters.push({
    name: 'display',
    valueString: displayOf(definedConcept, options.displayLanguage) ?? concept.code,
  });
  for (const designation of designationsOf(definedConcept)) {
    const language = stringMember(designation, 'language');
    if (isRequested('designation') || isRequested(`lang.${language ?? ''}`))
      parameters.push(toDesignation(designation));
  }
  const definition = stringMember(concept.element, 'definition');
  if (definition !== undefined && isRequested('definition')) {
    parameters.push(toProperty('definition', { name: 'value', valueString: definition }));
  }
  for (const property of objectsMember(concept.element, 'property')) {
    const code = stringMember(property, 'code');
    const value = choiceMember(property);
    if (code === undefined || value === undefined || !isRequested(code)) continue;
    // The hierarchy is answered below, in one form for all forms of code systems.
    if (code !== 'parent' && code !== 'child')
      parameters.push(toProperty(code, { name: 'value', [value[0]]: value[1] }));
  }
  const own = new Set(objectsMember(concept.element, 'property').map((property) => property['code']));
  for (const [code, value] of [
    ['inactive', concept.isInactive],
    ['notSelectable', concept.isAbstract],
  ] as const) {
    // The value false is only given for a property that the request names, and for `inactive`, which all code systems have.
    const isWanted = value
      ? isRequested(code)
      : requested.has(code) || (code === 'inactive' && requested.has('*'));
    if (isWanted && !own.has(code)) parameters.push(toProperty(code, { name: 'value', valueBoolean: value }));
  }
  for (const [code, relation] of [
    ['parent', 'parents'],
    ['child', 'children'],
  ] as const) {
    // Children of stored concepts are read, and may be thousands.
    if (!isRequested(code)) continue;
    for (const other of concept[relation]) {
      const description = displayOf(
        { concept: other, codeSystem, listed: undefined },
        options.displayLanguage,
      );
      parameters.push(toProperty(code, { name: 'value', valueCode: other.code }, description));
    }
  }
  return parameters;
}

/** Properties of every code system (https://hl7.org/fhir/R4/codesystem-operation-lookup.html), and those that say the same. */
const OF_ALL: ReadonlySet<string> = new Set([
  ...['*', 'url', 'system', 'name', 'version', 'code', 'display', 'definition', 'designation'],
  ...['parent', 'child', 'inactive', 'notSelectable'],
]);

/** Returns those of the requested properties that neither the code system nor the concept has. */
export function unknownProperties(
  { propertyCodes }: CodeSystem,
  { element }: Concept,
  properties: readonly string[],
): readonly string[] {
  const own = new Set(objectsMember(element, 'property').map((property) => property['code']));
  const isKnown = (code: string): boolean =>
    OF_ALL.has(code) || code.startsWith('lang.') || propertyCodes.has(code) || own.has(code);
  return [...new Set(properties)].filter((code) => !isKnown(code));
}

function toDesignation(designation: JsonObject): JsonObject {
  const language = stringMember(designation, 'language');
  const use = objectMember(designation, 'use');
  const part: JsonObject[] = [];
  if (language !== undefined) part.push({ name: 'language', valueCode: language });
  if (use !== undefined) part.push({ name: 'use', valueCoding: use });
  part.push({ name: 'value', valueString: stringMember(designation, 'value') ?? '' });
  return { name: 'designation', part };
}

function toProperty(code: string, value: JsonObject, description?: string): JsonObject {
  const part: JsonObject[] = [{ name: 'code', valueCode: code }, value];
  if (description !== undefined) part.push({ name: 'description', valueString: description });
  return { name: 'property', part };
}
