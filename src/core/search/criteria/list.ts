import { fhirError } from '../../errors';
import { isValidId } from '../../fhir/resource';
import { storedParameters } from '../parameters/parameter';
import { splitUnescaped, unescapeValue } from '../../../../packages/fhir-values/search-value';
import type { Criterion, Predicate } from '../predicate';
import type { SearchTypeContext } from '../types/search-type';
import { typeCriteria } from './chain';
import type { SpecialParameter } from './special';

const LOINC = 'http://loinc.org';
const USE_CODES = 'http://terminology.hl7.org/CodeSystem/list-example-use-codes';

/** The criteria that identify a patient's current list of a function. */
interface FunctionalList {
  /** Codes of List.code, as `system|code`. */
  readonly codes: readonly string[];
  /** Further criteria on the items; only for resources of that type. */
  readonly of?: {
    readonly type: string;
    readonly criteria: readonly (readonly [name: string, value: string])[];
  };
}

const ALLERGIES = [`${LOINC}|52472-8`, `${LOINC}|48765-2`, `${LOINC}|18716-1`, `${USE_CODES}|allergies`];

/**
 * The lists of https://hl7.org/fhir/R4/lifecycle.html#lists with the codes that R4 gives there and in its code system
 * for the use of lists, and LOINC's "Problem list". R4 has no code for drug allergies ("same as above?", "a subset of
 * the full allergies list"): they are the allergies of category medication, and those without a category, because
 * omitting those would be unsafe (search.html#missing).
 */
const FUNCTIONAL_LISTS: ReadonlyMap<string, FunctionalList> = new Map<string, FunctionalList>([
  ['$current-problems', { codes: [`${LOINC}|46105-3`, `${LOINC}|11450-4`, `${USE_CODES}|problems`] }],
  ['$current-medications', { codes: [`${LOINC}|57828-6`, `${LOINC}|10160-0`, `${USE_CODES}|medications`] }],
  ['$current-allergies', { codes: ALLERGIES }],
  [
    '$current-drug-allergies',
    {
      codes: ALLERGIES,
      of: {
        type: 'AllergyIntolerance',
        criteria: [
          ['category', 'medication'],
          ['category:missing', 'true'],
        ],
      },
    },
  ],
]);

/** Parses another parameter of a type; undefined: it has no such parameter. */
type Parse = (context: SearchTypeContext, type: string, name: string, value: string) => Criterion | undefined;

/**
 * Creates `_list`. `_list=42` matches the resources that List/42 refers to as its items (search.html#list).
 * `_list=$current-allergies` with a patient matches the items of the patient's newest current list of that function.
 */
export function createListParameter(parse: Parse): SpecialParameter {
  return {
    modifiers: [],
    criterion(context, { type, name, value }) {
      const ids: string[] = [];
      const anyOf: Predicate[] = [];
      for (const part of splitUnescaped(value, ',').map(unescapeValue)) {
        if (part.startsWith('$')) anyOf.push(...functional(context, { parse, type, name, written: part }));
        else {
          const local = context.references.local(part);
          const id = local?.type === 'List' ? local.id : part;
          if (isValidId(id)) ids.push(id);
          else throw refuse(name, part, "it is the id of a List, or the name of a patient's list");
        }
      }
      if (ids.length > 0) {
        const keys = ids.map((id) => context.keyOf('List', id));
        anyOf.push(itemOf(context, [{ name, anyOf: [{ index: 'key', keys }] }]));
      }
      return { name, anyOf };
    },
  };
}

function refuse(name: string, value: string, reason: string): Error {
  return fhirError('invalidParameterValue', { parameter: name, value: value.slice(0, 80), reason });
}

function functional(
  context: SearchTypeContext,
  {
    parse,
    type,
    name,
    written,
  }: { readonly parse: Parse; readonly type: string; readonly name: string; readonly written: string },
): Predicate[] {
  // The patient, code, status, mode and date of a list identify it.
  if (context.hidesElements?.('List') === true)
    throw refuse(name, written, 'elements of Lists that identify such a list are hidden from this client');
  const list = FUNCTIONAL_LISTS.get(written);
  if (list === undefined) throw refuse(name, written, `it can be ${[...FUNCTIONAL_LISTS.keys()].join(', ')}`);
  const criteria = [
    parse(context, 'List', 'code', list.codes.join(',')),
    parse(context, 'List', 'status', 'current'),
  ];
  const lists = itemOf(
    context,
    criteria.map((criterion) => requireCriterion(criterion)),
  );
  const pending: Predicate = {
    index: 'currentList',
    function: written,
    parameters: lists.parameters,
    lists: lists.source,
  };
  if (list.of === undefined) return [pending];
  if (list.of.type !== type) return [];
  const further = list.of.criteria.flatMap(([code, of]) => {
    const criterion = parse(context, type, code, of);
    if (criterion === undefined)
      throw fhirError('unknownParameter', { parameter: code, type, explanation: '' });
    return criterion.anyOf;
  });
  return [
    {
      index: 'all',
      criteria: [
        { name, anyOf: [pending] },
        { name, anyOf: further },
      ],
    },
  ];
}

/** Returns the predicate that a List which meets the criteria has the resource as its item. */
function itemOf(
  context: SearchTypeContext,
  criteria: readonly Criterion[],
): Extract<Predicate, { index: 'source' }> {
  const item = storedParameters(context.definitions, 'List').get('item');
  if (item === undefined)
    throw fhirError('unknownParameter', { parameter: 'item', type: 'List', explanation: '' });
  return {
    index: 'source',
    parameters: item.rowsOf.map(({ number }) => number),
    source: typeCriteria(context, 'List', criteria),
  };
}

function requireCriterion(criterion: Criterion | undefined): Criterion {
  if (criterion === undefined)
    throw new Error('A search parameter of functional lists is not one of this release');
  return criterion;
}
