import type { RequestContext } from '../../context';
import { fhirError } from '../../errors';
import { parseStoredObject } from '../../fhir/json';
import { COMPARTMENT } from '../../search/parameters/compartment';
import { storedParameters } from '../../search/parameters/parameter';
import type { CurrentListPredicate, Criterion, Predicate } from '../../search/predicate';
import type { ResourceKey } from '../../search/rows/resource-key';
import type { SearchServices, Services } from '../../ports';
import { keyOfText } from '../../storage/read/version-row';
import { planSearch } from './plan-search';
import { PATIENT } from '../../fhir/type-names';

/** Maximum number of patients in a search by functional lists. */
const MAX_PATIENTS = 20;
/** Maximum number of the patient's newest lists that are read to find one with mode `working`. */
const MAX_LISTS = 100;
/** Parameters that name the patient of a search. */
const PATIENT_PARAMETERS: ReadonlySet<string> = new Set(['patient', 'subject', COMPARTMENT]);

/**
 * Replaces each functional list by a stored list (search.html#list): for the patient that another criterion
 * names, the newest by List.date with the status `current` and the mode `working`, "the master list, maintained in an
 * ongoing fashion" (list-mode). Cost: nothing without such lists, else a statement for each patient.
 * Throws invalidParameterValue if no patient is named, tooCostly.
 */
export async function resolveLists(
  services: SearchServices,
  context: RequestContext,
  criteria: readonly Criterion[],
  outer: readonly ResourceKey[] = [],
): Promise<readonly Criterion[]> {
  if (!criteria.some(hasPending)) return criteria;
  const here = patientsOf(services, context, criteria);
  const patients = here.length > 0 ? here : outer;
  return Promise.all(
    criteria.map(async (criterion) => {
      if (!hasPending(criterion)) return criterion;
      const anyOf = await Promise.all(
        criterion.anyOf.map(async (predicate): Promise<Predicate[]> => {
          if (predicate.index === 'all') {
            const inner = await resolveLists(services, context, predicate.criteria, patients);
            return [{ ...predicate, criteria: inner }];
          }
          if (predicate.index !== 'currentList') return [predicate];
          return findLists(services, context, { name: criterion.name, predicate, patients });
        }),
      );
      return { ...criterion, anyOf: anyOf.flat() };
    }),
  );
}

function hasPending({ anyOf }: Criterion): boolean {
  return anyOf.some(
    (predicate) =>
      predicate.index === 'currentList' || (predicate.index === 'all' && predicate.criteria.some(hasPending)),
  );
}

function patientsOf(
  services: Pick<Services, 'definitions'>,
  context: RequestContext,
  criteria: readonly Criterion[],
): readonly ResourceKey[] {
  const patient = services.definitions(context.space.release).typeNumber(PATIENT);
  const keys = criteria
    .filter(
      ({ name, isNegated }) => isNegated !== true && PATIENT_PARAMETERS.has(name.split(':', 1)[0] ?? ''),
    )
    .flatMap(({ anyOf }) => anyOf)
    .flatMap((predicate) =>
      predicate.index === 'reference' && predicate.targetType === patient ? [predicate.target] : [],
    );
  return [...new Map(keys.map((key) => [`${key.high} ${key.low}`, key])).values()];
}

async function findLists(
  services: SearchServices,
  context: RequestContext,
  {
    name,
    predicate,
    patients,
  }: {
    readonly name: string;
    readonly predicate: CurrentListPredicate;
    readonly patients: readonly ResourceKey[];
  },
): Promise<Predicate[]> {
  if (patients.length === 0) {
    const reason = 'such a list belongs to one patient: add the parameter patient';
    throw fhirError('invalidParameterValue', { parameter: name, value: predicate.function, reason });
  }
  if (patients.length > MAX_PATIENTS) {
    throw fhirError('tooCostly', {
      reason: `A search may use the lists of at most ${MAX_PATIENTS} patients`,
    });
  }
  const found = await Promise.all(
    patients.map((patient) => findNewest(services, context, predicate, patient)),
  );
  const keys = found.filter((key) => key !== undefined);
  if (keys.length === 0) return [];
  const { parameters, lists } = predicate;
  return [
    {
      index: 'source',
      parameters,
      source: { ...lists, criteria: [{ name, anyOf: [{ index: 'key', keys }] }] },
    },
  ];
}

async function findNewest(
  services: SearchServices,
  context: RequestContext,
  { lists }: CurrentListPredicate,
  patient: ResourceKey,
): Promise<ResourceKey | undefined> {
  const { number: space, release } = context.space;
  const definitions = services.definitions(release);
  const ofPatient = storedParameters(definitions, 'List').get('patient')?.rowsOf ?? [];
  const patientNumber = definitions.typeNumber(PATIENT);
  const subject: Criterion = {
    name: 'patient',
    anyOf: ofPatient.map(({ number }) => ({
      index: 'reference',
      parameter: number,
      target: patient,
      targetType: patientNumber,
    })),
  };
  const { type, sortDateParameter } = lists;
  const criteria = [subject, ...lists.criteria];
  const order = { by: 'sort_date', descending: true } as const;
  const plan = await planSearch(services, space, { type, query: { criteria }, order, sortDateParameter });
  const page = { ...plan, phase: 'all', after: undefined, limit: MAX_LISTS } as const;
  const matches = await services.searches.page(page);
  for (const { row, keyText } of matches) {
    const { body } = await services.reader.complete(space, row);
    if (parseStoredObject(body)['mode'] === 'working') return keyOfText(keyText);
  }
  return undefined;
}
