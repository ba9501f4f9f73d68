/** The questionnaires that responses answer: contained, in the same Bundle, or stored in the space. */
import { LRUCache } from 'lru-cache';
import type { Space } from '../context';
import { registerCache } from '../erasure/cache-registry';
import { isJsonObject, type JsonObject } from '../fhir/json';
import { shorten } from '../fhir/json/fault';
import { objectsMember, stringMember } from '../fhir/terminology/members';
import { parseCanonical } from '../fhir/terminology/source';
import type { ResourceProfile } from '../fhir/validate';
import { atClaim, type ProfileClaim } from '../fhir/validate/profile/claims';
import { readQuestionnaire, type ReadQuestionnaire } from '../fhir/validate/questionnaire/questionnaire';
import { checkResponse } from '../fhir/validate/questionnaire/response-check';
import { parseStored } from '../operations/terminology';
import type { StructureSource } from './structure-source';

/** Limit on the cached questionnaires, in characters of their text; some ten times as many bytes. */
const MAX_CHARACTERS = 8 * 1024 * 1024;
/** Limit on the different stored questionnaires of one resource. */
const MAX_QUESTIONNAIRES = 100;

export class Questionnaires {
  private readonly cached = registerCache(
    new LRUCache<string, ReadQuestionnaire>({ maxSize: MAX_CHARACTERS }),
  );

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
    for (const claim of claims) {
      const { questionnaire: canonical, resource: response } = claim;
      if (canonical === undefined) continue;
      let found = findInside(resource, response, canonical);
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
      read = readQuestionnaire(parseStored(stored.text));
      this.cached.set(stored.key, read, { size: Math.max(1, stored.text.length) });
    }
    return read;
  }
}

type CheckParameters = Parameters<ResourceProfile['check']>;

function checkOne(
  response: JsonObject,
  canonical: string,
  questionnaire: ReadQuestionnaire | undefined,
  run: CheckParameters[1],
): void {
  if (questionnaire !== undefined) {
    checkResponse(response, questionnaire, run);
    return;
  }
  const sentence = `The response was not checked against the questionnaire ${shorten(canonical)}: it could not be found`;
  run.report('unresolved', sentence, ['questionnaire'], 'warning');
}

/** Finds a contained questionnaire (`#id`), or one in the same Bundle. */
function findInside(
  resource: JsonObject,
  response: JsonObject,
  canonical: string,
): ReadQuestionnaire | undefined {
  const isQuestionnaire = (each: JsonObject): boolean => each['resourceType'] === 'Questionnaire';
  if (canonical.startsWith('#')) {
    const contained = objectsMember(response, 'contained').find(
      (each) => isQuestionnaire(each) && each['id'] === canonical.slice(1),
    );
    return contained && readQuestionnaire(contained);
  }
  if (resource['resourceType'] !== 'Bundle') return undefined;
  const { url, version } = parseCanonical(canonical);
  for (const { fullUrl, resource: each } of objectsMember(resource, 'entry')) {
    if (!isJsonObject(each) || !isQuestionnaire(each)) continue;
    const isSame = stringMember(each, 'url') === url || fullUrl === canonical;
    if (isSame && (version === undefined || stringMember(each, 'version') === version))
      return readQuestionnaire(each);
  }
  return undefined;
}
