// The core set: the data of a release that the server needs at its start, as one compact value.
// src/core/fhir/definitions/core-set.ts describes its shape.
import { buildOperations } from './operations.mjs';
import { buildSearchParameters } from './search-parameters.mjs';
import { chooseSortDates } from './sort-dates.mjs';
import { createRules } from './rules.mjs';
import { buildValueSets } from './value-sets.mjs';

const PROFILE = 'http://hl7.org/fhir/StructureDefinition/';
const TYPE_OF_PRIMITIVE = 'http://hl7.org/fhir/StructureDefinition/structuredefinition-fhir-type';
const HIERARCHY = 'http://hl7.org/fhir/StructureDefinition/structuredefinition-hierarchy';
const REGEX = 'http://hl7.org/fhir/StructureDefinition/regex';
const SYSTEM = 'http://hl7.org/fhirpath/';

export function buildCoreSet({ release, definitions, expansions, newestOperations }) {
  const ofType = (name) => definitions.filter((resource) => resource.resourceType === name);
  const structures = ofType('StructureDefinition');
  const rules = createRules(structures);
  const limits = createLimits(structures);
  const types = structures
    .filter((definition) => definition.derivation !== 'constraint')
    .map((definition) => buildType(definition, rules, limits))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  types.forEach((type, index) => (type.number = index + 1));
  const parameters = buildSearchParameters(types, ofType('SearchParameter'), release);
  return {
    release: release.name,
    fhirVersion: release.fhirVersion,
    types,
    constraints: rules.constraints,
    bindings: rules.bindings,
    valueSets: buildValueSets(rules.bindings, ofType('ValueSet'), expansions),
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

function buildType(definition, rules, limits) {
  const name = definition.type;
  const [root] = definition.snapshot.element;
  const constraints = rules.ofType(root);
  const binding = rules.ofBinding(root);
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
    // positiveInt and unsignedInt are declared as System.String although they specialise integer.
    ...(value ? { system: base === 'integer' ? 'System.Integer' : value.code.slice(SYSTEM.length) } : {}),
    ...(regex ? { regex } : {}),
    ...limits(name),
    ...(constraints.length ? { constraints } : {}),
    ...(binding === undefined ? {} : { binding }),
    elements: definition.snapshot.element
      .filter((element) => element.path.includes('.') && !element.sliceName)
      .filter((element) => !isPrimitive || element.path !== `${name}.value`)
      .map((element) => buildElement(element, definition, rules)),
  };
}

/** Returns the limits of a primitive's values, from its own definition or the type that it specialises. */
function createLimits(structures) {
  const byType = new Map(structures.filter(({ kind }) => kind === 'primitive-type').map((each) => [each.type, each]));
  return function limits(name) {
    const definition = byType.get(name);
    if (!definition) return {};
    const value = definition.snapshot.element.find(({ path }) => path === `${name}.value`);
    const base = limits(definition.baseDefinition.replace(PROFILE, ''));
    return {
      ...base,
      ...(value.maxLength === undefined ? {} : { maxLength: value.maxLength }),
      ...(value.minValueInteger === undefined ? {} : { minValue: value.minValueInteger }),
      ...(value.maxValueInteger === undefined ? {} : { maxValue: value.maxValueInteger }),
    };
  };
}

/** Leaves out members with the default (min 0, max 1, false). */
function buildElement(element, definition, rules) {
  const { path, type, contentReference } = element;
  const reference = contentReference?.replace(/^.*#/, '');
  const target = reference && definition.snapshot.element.find(({ id }) => id === reference);
  const constraints = rules.ofElement(element, target);
  const binding = rules.ofBinding(element);
  return {
    path: path.slice(definition.type.length + 1),
    ...(element.min ? { min: element.min } : {}),
    ...(element.max !== '1' ? { max: element.max === '*' ? '*' : Number(element.max) } : {}),
    ...(type ? { types: type.map((each) => buildElementType(each, path, definition.kind, rules)) } : {}),
    ...(reference ? { contentReference: reference } : {}),
    ...(constraints.length ? { constraints } : {}),
    ...(binding === undefined ? {} : { binding }),
    ...(element.isSummary ? { summary: true } : {}),
    ...(element.isModifier ? { modifier: true } : {}),
  };
}

function buildElementType(type, path, kind, rules) {
  const targets = type.targetProfile?.map((target) => target.replace(PROFILE, ''));
  const code = type.code.startsWith(SYSTEM) ? codeOfSystemType(type, path, kind) : type.code;
  const constraints = rules.ofTypeProfiles(type);
  const isHierarchy = type.extension?.some(({ url, valueBoolean }) => url === HIERARCHY && valueBoolean);
  if (!targets && !constraints.length) return code;
  return {
    code,
    ...(targets ? { targets } : {}),
    ...(isHierarchy ? { hierarchy: true } : {}),
    ...(constraints.length ? { constraints } : {}),
  };
}

/** R4 declares Resource.id as string and R4B Element.id as id; the pages resource.html and element.html apply. */
function codeOfSystemType(type, path, kind) {
  if (path.endsWith('.id')) return kind === 'resource' && path.split('.').length === 2 ? 'id' : 'string';
  return type.extension.find((extension) => extension.url === TYPE_OF_PRIMITIVE).valueUrl;
}
