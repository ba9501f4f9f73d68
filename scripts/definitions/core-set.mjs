// The core set: what the server must know of a release before it can answer, as one compact value.
// src/core/fhir/definitions/core-set.ts describes its shape.
import { buildOperations } from './operations.mjs';
import { buildSearchParameters } from './search-parameters.mjs';
import { chooseSortDates } from './sort-dates.mjs';
import { buildBindings } from './bindings.mjs';

const PROFILE = 'http://hl7.org/fhir/StructureDefinition/';
const TYPE_OF_PRIMITIVE = 'http://hl7.org/fhir/StructureDefinition/structuredefinition-fhir-type';
const REGEX = 'http://hl7.org/fhir/StructureDefinition/regex';
const SYSTEM = 'http://hl7.org/fhirpath/';

export function buildCoreSet({ release, definitions, expansions, newestOperations }) {
  const ofType = (name) => definitions.filter((resource) => resource.resourceType === name);
  const types = ofType('StructureDefinition')
    .filter((definition) => definition.derivation !== 'constraint')
    .map(buildType)
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  types.forEach((type, index) => (type.number = index + 1));
  const parameters = buildSearchParameters(types, ofType('SearchParameter'), release);
  return {
    release: release.name,
    fhirVersion: release.fhirVersion,
    types,
    valueSets: buildBindings(types, ofType('ValueSet'), expansions),
    searchParameters: parameters,
    sortDates: chooseSortDates(types, parameters),
    operations: buildOperations(ofType('OperationDefinition'), newestOperations),
    compartments: ofType('CompartmentDefinition').map((definition) => ({
      code: definition.code,
      url: definition.url,
      parameters: Object.fromEntries(
        definition.resource.filter((entry) => entry.param).map((entry) => [entry.code, entry.param]),
      ),
    })),
  };
}

function buildType(definition) {
  const name = definition.type;
  const base = definition.baseDefinition?.replace(PROFILE, '');
  const isPrimitive = definition.kind === 'primitive-type';
  const value = isPrimitive && definition.snapshot.element.find((element) => element.path === `${name}.value`).type[0];
  const regex = value && value.extension?.find((extension) => extension.url === REGEX)?.valueString;
  return {
    name,
    number: 0,
    kind: isPrimitive ? 'primitive' : definition.kind === 'complex-type' ? 'complex' : 'resource',
    ...(definition.abstract ? { abstract: true } : {}),
    ...(base ? { base } : {}),
    // positiveInt and unsignedInt are said to be System.String although they specialise integer.
    ...(value ? { system: base === 'integer' ? 'System.Integer' : value.code.slice(SYSTEM.length) } : {}),
    ...(regex ? { regex } : {}),
    elements: definition.snapshot.element
      .filter((element) => element.path.includes('.') && !element.sliceName)
      .filter((element) => !isPrimitive || element.path !== `${name}.value`)
      .map((element) => buildElement(element, definition)),
  };
}

/** Members that say nothing (min 0, max 1, false) are left out. */
function buildElement(element, definition) {
  const binding = element.binding;
  return {
    path: element.path.slice(definition.type.length + 1),
    ...(element.min ? { min: element.min } : {}),
    ...(element.max !== '1' ? { max: element.max === '*' ? '*' : Number(element.max) } : {}),
    ...(element.type ? { types: element.type.map((type) => buildElementType(type, element.path, definition.kind)) } : {}),
    ...(element.contentReference ? { contentReference: element.contentReference.replace(/^.*#/, '') } : {}),
    ...(binding?.strength === 'required' && binding.valueSet ? { binding: binding.valueSet.replace(/\|.*/, '') } : {}),
    ...(element.isSummary ? { summary: true } : {}),
    ...(element.isModifier ? { modifier: true } : {}),
  };
}

function buildElementType(type, path, kind) {
  const targets = type.targetProfile?.map((target) => target.replace(PROFILE, ''));
  const code = type.code.startsWith(SYSTEM) ? codeOfSystemType(type, path, kind) : type.code;
  return targets ? { code, targets } : code;
}

/** R4 says string of Resource.id and R4B says id of Element.id; the pages resource.html and element.html decide. */
function codeOfSystemType(type, path, kind) {
  if (path.endsWith('.id')) return kind === 'resource' && path.split('.').length === 2 ? 'id' : 'string';
  return type.extension.find((extension) => extension.url === TYPE_OF_PRIMITIVE).valueUrl;
}
