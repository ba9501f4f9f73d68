/** The questionnaires that responses answer: contained, in the same Bundle, or stored in the space. */
import type { Space } from '../context';
import { loadDefinitions } from '../fhir/definitions';
import { isJsonObject, type JsonObject, parseStoredObject } from '../fhir/json';
import { shorten } from '../fhir/json/fault';
import { objectsMember, stringMember } from '../fhir/terminology/members';
import { parseCanonical } from '../fhir/terminology/source';
import type { ResourceProfile } from '../fhir/validate';
import { atClaim, type ProfileClaim } from '../fhir/validate/profile/claims';
import { EnableExpressions } from '../fhir/validate/questionnaire/enable-expression';
import { readQuestionnaire, type ReadQuestionnaire } from '../fhir/validate/questionnaire/questionnaire';
import { checkResponse } from '../fhir/validate/questionnaire/response-check';
import type { StructureSource } from './structure-source';
import { createCache } from '../memory/create-cache';

/** Limit on the cached questionnaires, in characters of their text; some ten times as many bytes. */
const MAX_CHARACTERS = 8 * 1024 * 1024;
/** Limit on the different stored questionnaires of one resource. */
const MAX_QUESTIONNAIRES = 100;

export class Questionnaires {
  private readonly cached = createCache<string, ReadQuestionnaire>({
    name: 'questionnaires',
    scope: 'data',
    maxSize: MAX_CHARACTERS,
  });

  constructor(private readonly source: Pick<StructureSource, 'findQuestionnaire'>) {}

  /**
   * Returns a check for each response in `resource`; one whose questionnaire cannot be found reports a warning. Throws
   * storage errors. Cost: a statement or two for each different questionnaire that is stored.
   */
  async checksOf(
    space: Space,
    resource: JsonObject,
    claims: readonly ProfileClaim[],
  ): Promise<readonly ResourceProfile[]> {
    const checks: ResourceProfile[] = [];
    const stored = new Map<string, ReadQuestionnaire | undefined>();
    const readInside = readOnce(space);
    for (const claim of claims) {
      const { questionnaire: canonical, resource: response } = claim;
      if (canonical === undefined) continue;
      const inside = findInside(resource, response, canonical);
      let found = inside && readInside(inside);
      if (found === undefined && !canonical.startsWith('#')) {
        if (!stored.has(canonical) && stored.size < MAX_QUESTIONNAIRES)
          stored.set(canonical, await this.findStored(space, canonical));
        found = stored.get(canonical);
      }
      checks.push({
        check: (_root, run) => atClaim(claim, run, () => checkOne(response, canonical, found, run)),
      });
    }
    return checks;
  }

  private async findStored(space: Space, canonical: string): Promise<ReadQuestionnaire | undefined> {
    const stored = await this.source.findQuestionnaire(space, canonical);
    if (stored === undefined) return undefined;
    let read = this.cached.get(stored.key);
    if (read === undefined) {
      read = readQuestionnaire(
        parseStoredObject(stored.text),
        new EnableExpressions(loadDefinitions(space.release)),
      );
      this.cached.set(stored.key, read, { size: Math.max(1, stored.text.length) });
    }
    return read;
  }
}

/** Returns a reader of the questionnaires inside one resource, which share the budget of their expressions. */
function readOnce({ release }: Space): (questionnaire: JsonObject) => ReadQuestionnaire {
  const read = new Map<JsonObject, ReadQuestionnaire>();
  const expressions = new EnableExpressions(loadDefinitions(release));
  return (questionnaire) => {
    let found = read.get(questionnaire);
    if (found === undefined) read.set(questionnaire, (found = readQuestionnaire(questionnaire, expressions)));
    return found;
  };
}

type CheckParameters = Parameters<ResourceProfile['check']>;

function checkOne(
  response: JsonObject,
  canonical: string,
  questionnaire: ReadQuestionnaire | undefined,
  run: CheckParameters[1],
): void {
  if (questionnaire?.isPart === false) {
    checkResponse(response, questionnaire, run);
    return;
  }
  const reason =
    questionnaire === undefined
      ? 'it could not be found'
      : 'responses have items of other questionnaires too, because it is adaptive or has subQuestionnaire';
  const sentence = `The response was not checked against the questionnaire ${shorten(canonical)}: ${reason}`;
  run.report('unresolved', sentence, ['questionnaire'], 'warning');
}

/** Finds a contained questionnaire (`#id`), or one in the same Bundle. */
function findInside(resource: JsonObject, response: JsonObject, canonical: string): JsonObject | undefined {
  const isQuestionnaire = (each: JsonObject): boolean => each['resourceType'] === 'Questionnaire';
  if (canonical.startsWith('#')) {
    return objectsMember(response, 'contained').find(
      (each) => isQuestionnaire(each) && each['id'] === canonical.slice(1),
    );
  }
  if (resource['resourceType'] !== 'Bundle') return undefined;
  const { url, version } = parseCanonical(canonical);
  for (const { fullUrl, resource: each } of objectsMember(resource, 'entry')) {
    if (!isJsonObject(each) || !isQuestionnaire(each)) continue;
    const isSame = stringMember(each, 'url') === url || fullUrl === canonical;
    if (isSame && (version === undefined || stringMember(each, 'version') === version)) return each;
  }
  return undefined;
}
