/**
 * The definitions of a release: types, search parameters, operations, compartments. scripts/build-definitions.mjs
 * generates them from the official packages; nothing here is typed by hand.
 */
import type { CoreOperationParameter, CoreSearchParameter, CoreSet, CoreType } from './definitions/core-set';
import { readCoreSet } from './definitions/file';
import type {
  Definitions,
  OperationParameter,
  SearchParameterDefinition,
  SearchParameterKind,
  TypeStructure,
} from './definitions/model';
import { toBinding, toConstraint, toStructure } from './definitions/structure';
import { readValueSets } from './definitions/value-sets';
import type { Release } from './release';

export type * from './definitions/model';
export { coreSetDigest, definitionsDigest, findDefinitionsFile, readBaseResources } from './definitions/file';

const loaded = new Map<Release, Definitions>();

/**
 * Returns the definitions of a release, the same object each time. Cost: about 20 ms the first time, then one lookup.
 */
export function loadDefinitions(release: Release): Definitions {
  let definitions = loaded.get(release);
  if (!definitions) {
    definitions = toDefinitions(readCoreSet(release), release);
    loaded.set(release, definitions);
  }
  return definitions;
}

const NONE: ReadonlyMap<string, SearchParameterDefinition> = new Map();

function toDefinitions(core: CoreSet, release: Release): Definitions {
  const types = new Map(core.types.map((type) => [type.name, type]));
  const numbers = new Map(core.types.map((type) => [type.number, type.name]));
  const resourceTypes = core.types
    .filter((type) => type.kind === 'resource' && !type.abstract)
    .map((type) => type.name);
  const concrete = new Set(resourceTypes);
  const allSearchParameters = core.searchParameters.map(toSearchParameter);
  const parametersOf = new Map<string, Map<string, SearchParameterDefinition>>();
  for (const parameter of allSearchParameters) {
    let parameters = parametersOf.get(parameter.type);
    if (!parameters)
      parametersOf.set(parameter.type, (parameters = new Map<string, SearchParameterDefinition>()));
    parameters.set(parameter.code, parameter);
  }
  const valueSets = readValueSets(core.valueSets, core.fhirVersion);
  const shared = {
    constraints: core.constraints.map(toConstraint),
    bindings: core.bindings.map(toBinding),
    codeSystem: valueSets.codeSystem,
  };
  const structures = new Map<string, TypeStructure>();
  return {
    release,
    fhirVersion: core.fhirVersion,
    resourceTypes,
    isResourceType: (name) => concrete.has(name),
    typeNumber: (name) => types.get(name)?.number,
    typeName: (number) => numbers.get(number),
    structure(typeName) {
      const type = types.get(typeName);
      if (!type) return undefined;
      let structure = structures.get(typeName);
      if (!structure) structures.set(typeName, (structure = toStructure(type, shared)));
      return structure;
    },
    conformsTo: (typeName, ancestor) => conformsTo(types, typeName, ancestor),
    searchParameters: (typeName) => parametersOf.get(typeName) ?? NONE,
    searchParameter: (number) => allSearchParameters[number - 1],
    allSearchParameters,
    sortDateParameter(typeName) {
      const code = core.sortDates[typeName];
      return code === undefined ? undefined : parametersOf.get(typeName)?.get(code);
    },
    operations: new Map(
      core.operations.map((operation) => [
        operation.url,
        { ...operation, parameters: operation.parameters.map(toOperationParameter) },
      ]),
    ),
    compartments: new Map(
      core.compartments.map(({ code, url, parameters }) => [
        code,
        { code, url, parameters: new Map(Object.entries(parameters)) },
      ]),
    ),
    codeSystem: valueSets.codeSystem,
    codeList: valueSets.codeList,
    wholeSystem: valueSets.wholeSystem,
  };
}

function conformsTo(types: ReadonlyMap<string, CoreType>, typeName: string, ancestor: string): boolean {
  for (let at: string | undefined = typeName; at !== undefined; at = types.get(at)?.base) {
    if (at === ancestor) return true;
  }
  return false;
}

const KINDS: ReadonlySet<string> = new Set<SearchParameterKind>([
  'number',
  'date',
  'string',
  'token',
  'reference',
  'composite',
  'quantity',
  'uri',
  'special',
]);

function isKind(kind: string): kind is SearchParameterKind {
  return KINDS.has(kind);
}

function toKind(kind: string): SearchParameterKind {
  if (!isKind(kind)) throw new Error(`The definitions name a search parameter type '${kind}'`);
  return kind;
}

function toSearchParameter(parameter: CoreSearchParameter): SearchParameterDefinition {
  return {
    number: parameter.number,
    ordinal: parameter.ordinal,
    type: parameter.type,
    code: parameter.code,
    kind: toKind(parameter.kind),
    url: parameter.url,
    expression: parameter.expression,
    targets: parameter.targets ?? [],
    components: (parameter.components ?? []).map((component) => ({
      ...component,
      kind: toKind(component.kind),
    })),
    multipleOr: parameter.multipleOr ?? true,
    multipleAnd: parameter.multipleAnd ?? true,
    comparators: parameter.comparators ?? [],
    modifiers: parameter.modifiers ?? [],
  };
}

function toOperationParameter(parameter: CoreOperationParameter): OperationParameter {
  return {
    ...parameter,
    max: parameter.max === '*' ? Infinity : parameter.max,
    parts: (parameter.parts ?? []).map(toOperationParameter),
  };
}
