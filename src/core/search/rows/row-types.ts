/** The FHIR types of the values in index rows, by kind of parameter (search.html#token and after; rows/). */
import type { Definitions, SearchParameterKind } from '../../fhir/definitions';

const ROW_TYPES: Readonly<Record<SearchParameterKind, readonly string[]>> = {
  token: [
    'boolean',
    'CodeableConcept',
    'CodeableReference',
    'Coding',
    'ContactPoint',
    'Identifier',
    'integer',
    'string',
    'uri',
  ],
  string: ['Address', 'Annotation', 'CodeableConcept', 'HumanName', 'string', 'uri'],
  reference: ['CodeableReference', 'Reference', 'uri'],
  uri: ['uri'],
  date: ['date', 'dateTime', 'instant', 'Period', 'Timing'],
  number: ['decimal', 'integer', 'Range'],
  quantity: ['Money', 'Quantity', 'Range', 'SampledData'],
  special: [],
  composite: [],
};

/** Returns those types of the release, with the types that specialise them (a `code` is a `string`), sorted. */
export function rowTypesOf(definitions: Definitions, kind: SearchParameterKind): readonly string[] {
  const named = ROW_TYPES[kind].filter((type) => definitions.structure(type) !== undefined);
  const special = SPECIALISED.filter((type) =>
    named.some(
      (ancestor) => definitions.structure(type) !== undefined && definitions.conformsTo(type, ancestor),
    ),
  );
  return [...new Set([...named, ...special])].sort();
}

/** True when values of the type can have rows of the kind. */
export function hasRowsOf(definitions: Definitions, kind: SearchParameterKind, type: string): boolean {
  return ROW_TYPES[kind].some((ancestor) => definitions.conformsTo(type, ancestor));
}

const SPECIALISED: readonly string[] = ['canonical', 'code', 'id', 'url'];
