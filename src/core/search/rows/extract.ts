/**
 * Turns a resource into its index rows. Each parameter's expression is compiled once per release and type; each
 * resource costs the evaluation of the paths and the hashing of their values.
 */
import type { Definitions, SearchParameterDefinition } from '../../fhir/definitions';
import type { JsonObject } from '../../fhir/json';
import { ROW_SCHEME, type ExceededBudget, type IndexRows } from './index-rows';
import { isEmbedded, referringParameters, storedParameters, type RowSource } from '../parameters/parameter';
import { compileParameterPath } from '../parameters/parameter-path';
import { RowCollector, type RowSettings } from './collector';
import { isLargeResource } from './foreign-budget';
import { compileRule } from './compile-rule';
import { addEntryRows, findEntryBlocks } from './bundle-entries';
import {
  addContainedRows,
  findBlocks,
  type BlockTarget,
  type FoundBlock,
  type ReferencePath,
} from './contained';
import { targetTypeOf } from './reference';
import { addOtherReferences } from './other-references';
import type { Rule } from './rule';

export interface ExtractorOptions extends Omit<RowSettings, 'typeNumber' | 'maxRows'> {
  readonly definitions: Definitions;
  /** A resource with more rows is rejected; default 20,000. */
  readonly maxRows?: number;
}

/**
 * Returns the index rows of a resource of a concrete type. A value of a wrong shape gives no row. A tenant's parameter
 * that exceeds its budget in a resource that is not large is not evaluated again. Throws only `tooCostly`, for a
 * resource with too many rows. Cost: below 60 µs for an ordinary Patient or Observation, some milliseconds the first
 * time for a type.
 */
export type Extractor = (type: string, resource: JsonObject) => IndexRows;

const DEFAULT_MAX_ROWS = 20_000;

export function createExtractor({ definitions, maxRows, ...options }: ExtractorOptions): Extractor {
  const settings: RowSettings = {
    ...options,
    typeNumber: (name) => (definitions.isResourceType(name) ? definitions.typeNumber(name) : undefined),
    maxRows: maxRows ?? DEFAULT_MAX_ROWS,
  };
  const blamed = new Set<number>();
  return (type, resource) =>
    extract(definitions, { compiledRules: compiledType(definitions, type), resource, settings, blamed });
}

interface CompiledType {
  readonly own: readonly CompiledParameter<{ readonly rule: Rule }>[];
  readonly shared: readonly CompiledParameter<{ readonly isPresent: SharedPresence }>[];
  readonly typeNumber: number;
  /** Paths by which a resource may refer to contained ones, without those of tenants' parameters. */
  readonly references: readonly ReferencePath[];
  /** Paths of parameters whose values are resources inside this one: the first resource of a Bundle. */
  readonly embedded: readonly ReferencePath[];
  /** Numbers of parameters with reference rows of References, without those of tenants. */
  readonly referring: ReadonlySet<number>;
  /** Ordinals of parameters that every resource has a value for: its id and its time of change. */
  readonly always: readonly number[];
  readonly presenceBytes: number;
  /** Number of the parameter whose rows hold the clinical sort date. */
  readonly sortDate: number | undefined;
}

type CompiledParameter<How> = How & {
  readonly ordinal: number;
  readonly number: number;
  /** True for a parameter made by a tenant. */
  readonly isForeign: boolean;
};

type SharedPresence = (resource: JsonObject, present: readonly number[], settings: RowSettings) => boolean;

/** Keyed by the parameters of a type: one object for all tenants without parameters of their own for that type. */
const compiled = new WeakMap<ReadonlyMap<string, SearchParameterDefinition>, CompiledType>();

function compiledType(definitions: Definitions, type: string): CompiledType {
  const parameters = definitions.searchParameters(type);
  let rules = compiled.get(parameters);
  if (rules === undefined) compiled.set(parameters, (rules = compileType(definitions, type)));
  return rules;
}

function extract(
  definitions: Definitions,
  {
    compiledRules,
    resource,
    settings,
    blamed,
  }: {
    readonly compiledRules: CompiledType;
    readonly resource: JsonObject;
    readonly settings: RowSettings;
    readonly blamed: Set<number>;
  },
): IndexRows {
  const rows = new RowCollector(settings.maxRows);
  const presence = new Uint8Array(compiledRules.presenceBytes);
  const present: number[] = [];
  let exceeded: ExceededBudget | undefined;
  for (const { ordinal, number, isForeign, rule } of compiledRules.own) {
    if (isForeign && blamed.has(number)) {
      exceeded ??= { parameter: number, isLargeResource: false };
      continue;
    }
    if (!rule(resource, settings, rows)) continue;
    present.push(number);
    setBit(presence, ordinal);
  }
  for (const { ordinal, isPresent } of compiledRules.shared)
    if (isPresent(resource, present, settings)) setBit(presence, ordinal);
  for (const ordinal of compiledRules.always) setBit(presence, ordinal);
  addOtherReferences(resource, {
    typeNumber: compiledRules.typeNumber,
    covered: compiledRules.referring,
    rowSettings: settings,
    rows,
  });
  const inside: BlockTarget = {
    container: resource,
    rulesOf: (type) => {
      const rules = compiledType(definitions, type);
      return {
        references: rules.references,
        embedded: rules.embedded,
        add: (content, own = settings) => addOwnRows(rules, content, own, rows),
      };
    },
    rowSettings: settings,
    rows,
  };
  const contained = resource['contained'];
  if (Array.isArray(contained) && contained.length > 0)
    addContainedRows(compiledRules.typeNumber, compiledRules.references, inside);
  if (compiledRules.embedded.length > 0)
    addEntryRows(compiledRules.typeNumber, compiledRules.embedded, inside);
  if (rows.exceeded !== undefined) exceeded ??= blame(rows.exceeded, resource, blamed);
  return rows.finish(presence, compiledRules.sortDate, exceeded);
}

function blame(parameter: number, resource: JsonObject, blamed: Set<number>): ExceededBudget {
  const isLarge = isLargeResource(resource);
  if (!isLarge) blamed.add(parameter);
  return { parameter, isLargeResource: isLarge };
}

/**
 * Returns the contained resources, or resources of a stored document or message, that have rows, in the same blocks.
 * Cost: that of evaluating all references.
 */
export function containedBlocks(
  definitions: Definitions,
  type: string,
  container: JsonObject,
): readonly FoundBlock[] {
  const pathsOf = (inner: string): CompiledType => compiledType(definitions, inner);
  const { references, embedded } = pathsOf(type);
  const typeNumber = (name: string): number | undefined =>
    definitions.isResourceType(name) ? definitions.typeNumber(name) : undefined;
  return embedded.length > 0
    ? findEntryBlocks(container, embedded, pathsOf, typeNumber)
    : findBlocks(container, references, (inner) => pathsOf(inner).references, typeNumber).blocks;
}

/** Adds the rows of a contained resource, and one row for each parameter that it has a value for. */
function addOwnRows(
  { own, shared }: CompiledType,
  content: JsonObject,
  settings: RowSettings,
  rows: RowCollector,
): void {
  const present: number[] = [];
  for (const { number, isForeign, rule } of own) {
    if (isForeign || !rule(content, settings, rows)) continue;
    present.push(number);
    rows.token(number + ROW_SCHEME.present, 0, 0, 0);
  }
  for (const { number, isForeign, isPresent } of shared) {
    if (!isForeign && isPresent(content, present, settings)) rows.token(number + ROW_SCHEME.present, 0, 0, 0);
  }
}

/** Sets bit `ordinal % 8`, counted from the least, of byte `ordinal / 8`. */
function setBit(bits: Uint8Array, ordinal: number): void {
  bits[ordinal >> 3] = (bits[ordinal >> 3] ?? 0) | (1 << (ordinal & 7));
}

function compileType(definitions: Definitions, type: string): CompiledType {
  const own: CompiledType['own'][number][] = [];
  const shared: CompiledType['shared'][number][] = [];
  const references: ReferencePath[] = [];
  const embedded: ReferencePath[] = [];
  const always: number[] = [];
  const stored = storedParameters(definitions, type);
  const filtered = new Set(
    [...stored.values()].flatMap(({ rowsOf }) => rowsOf.filter(isFiltered).map(numberOf)),
  );
  for (const one of stored.values()) {
    const { parameter, storage, rowsOf } = one;
    const { ordinal, number, kind, expression } = parameter;
    const isForeign = parameter.isForeign === true;
    const place = { ordinal, number, isForeign };
    if (storage === 'own') {
      own.push({ ...place, rule: compileRule(definitions, one, filtered.has(number)) });
      if (kind === 'reference' && !isForeign && expression !== undefined)
        (isEmbedded(definitions, one) ? embedded : references).push({
          number,
          valuesOf: compileParameterPath(definitions, parameter, expression),
        });
    } else if (storage === 'shared')
      shared.push({ ...place, isPresent: sharedPresence(definitions, rowsOf) });
    else if (parameter.expression !== undefined && parameter.kind !== 'composite') always.push(ordinal);
  }
  const sortDate = definitions.sortDateParameter(type);
  const bits = [...stored.values()].reduce((most, { parameter }) => Math.max(most, parameter.ordinal + 1), 0);
  return {
    typeNumber: definitions.typeNumber(type) ?? 0,
    referring: new Set(referringParameters(definitions, type)),
    own,
    shared,
    references,
    embedded,
    always,
    presenceBytes: Math.ceil(bits / 8),
    sortDate: sortDate && stored.get(sortDate.code)?.rowsOf[0]?.number,
  };
}

const isFiltered = ({ targetType }: RowSource): boolean => targetType !== undefined;
const numberOf = ({ number }: RowSource): number => number;

function sharedPresence(definitions: Definitions, sources: readonly RowSource[]): SharedPresence {
  if (!sources.some(isFiltered))
    return (_resource, present) => sources.some(({ number }) => present.includes(number));
  const tests = sources.map(({ number, targetType }): SharedPresence => {
    const parameter = definitions.searchParameter(number);
    if (parameter?.expression === undefined) return () => false;
    const valuesOf = compileParameterPath(definitions, parameter, parameter.expression);
    return (resource, present, settings) =>
      present.includes(number) &&
      (targetType === undefined ||
        valuesOf(resource).some((found) => targetTypeOf(found, resource, settings) === targetType));
  });
  return (resource, present, settings) => tests.some((test) => test(resource, present, settings));
}
