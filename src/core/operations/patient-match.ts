/**
 * POST {root}/Patient/$match
 *
 * In: resource, a Patient with any available data; onlyCertainMatches; count (default 50).
 * Result: a searchset Bundle of the Patients that may be the same person, the most likely first, each with a score from
 * 0 to 1 and a grade: certain, probable or possible.
 * https://hl7.org/fhir/R4/patient-operation-match.html
 */
import { parseStoredObject } from '../fhir/json';
import type { SearchPage } from '../api/search';
import type { StoredVersion } from '../storage/read/stored-version';
import { fhirError, type Issue } from '../errors';
import { MAX_COUNT } from '../search/requests/parse-search';
import { type OperationEnvironment } from '../operation-types/environment';
import { type OperationInput, type PagedOperation } from '../operation-types/operation';
import { blocksOf, type Block } from './patient-match/candidates';
import { isNamed, readPerson, type Person } from './patient-match/person';
import { scoreOf } from './patient-match/score';

/** Limit on the Patients of one search; more matches mean that its criteria were too weak. */
const MOST_CANDIDATES = 200;
const DEFAULT_COUNT = 50;

export const patientMatch: PagedOperation = {
  definition: 'http://hl7.org/fhir/OperationDefinition/Patient-match',
  async runPage(environment, { parameters }, { cursor }) {
    if (cursor !== undefined) throw fhirError('invalidCursor');
    const person = readWantedPerson(parameters);
    const count = readCount(parameters);
    const { candidates, isCut } = await findCandidates(environment, person);
    const found = candidates
      .flatMap((version) => gradeOf(person, version))
      .sort((one, other) => other.match.score - one.match.score || (one.id < other.id ? -1 : 1));
    const certain = found.filter(({ match }) => match.grade === 'certain');
    const isCertainOnly = parameters.flag('onlyCertainMatches') === true;
    // Several certain matches contradict each other, so none is certain.
    const matches = isCertainOnly ? (certain.length === 1 ? certain : []) : found;
    const advice = [
      ...(isCut
        ? [
            say(
              'Too many patients are similar, and not all of them were compared; give more of the demographics',
            ),
          ]
        : []),
      ...(isCertainOnly && matches.length < found.length
        ? [say(`${found.length - matches.length} more may match, none of them as the only certain one`)]
        : []),
    ];
    return {
      matches: matches.slice(0, count),
      included: [],
      issues: advice,
      total: matches.length,
      used: [],
    };
  },
};

function say(diagnostics: string): Issue {
  return { severity: 'information', code: 'informational', diagnostics };
}

function readWantedPerson(parameters: OperationInput['parameters']): Person {
  const resource = parameters.object('resource');
  const expression = parameters.first('resource')?.expression;
  if (resource?.['resourceType'] !== 'Patient') {
    throw fhirError(
      'operationInputInvalid',
      { reason: 'The resource to match must be a Patient' },
      expression,
    );
  }
  const person = readPerson(resource);
  if (!isNamed(person)) {
    const reason = 'The Patient to match must have an identifier, a name, a telecom or a birth date';
    throw fhirError('operationInputInvalid', { reason }, expression);
  }
  return person;
}

function readCount(parameters: OperationInput['parameters']): number {
  const count = parameters.integer('count') ?? DEFAULT_COUNT;
  if (count >= 1) return Math.min(count, MAX_COUNT);
  throw fhirError(
    'operationInputInvalid',
    { reason: 'count is a number from 1 on' },
    parameters.first('count')?.expression,
  );
}

function gradeOf(
  person: Person,
  version: StoredVersion,
): (StoredVersion & { readonly match: NonNullable<StoredVersion['match']> })[] {
  const { score, grade } = scoreOf(person, readPerson(parseStoredObject(version.text)));
  return grade === undefined ? [] : [{ ...version, match: { score, grade } }];
}

/** Returns each candidate once. */
async function findCandidates(
  environment: OperationEnvironment,
  person: Person,
): Promise<{ readonly candidates: readonly StoredVersion[]; readonly isCut: boolean }> {
  const pages = await Promise.all(blocksOf(person).map((block) => search(environment, block)));
  const found = new Map(pages.flatMap(({ matches }) => matches.map((version) => [version.id, version])));
  return { candidates: [...found.values()], isCut: pages.some(({ next }) => next !== undefined) };
}

function search(environment: OperationEnvironment, block: Block): Promise<SearchPage> {
  return environment.search({
    type: 'Patient',
    parameters: [...block, ['_count', String(MOST_CANDIDATES)]],
    handling: 'strict',
  });
}
