import type { StoredVersion } from '../storage/read/stored-version';
import type { RequestContext } from '../context';
import { isJsonObject, parseJson, stringifyJson } from '../fhir/json';
import { mayKnowSecrets } from '../authorization/require-author';
import { SUBSCRIPTION } from '../fhir/type-names';
import type { SearchServices } from '../ports';
import { readOwnHeaders } from '../storage/notifications/own-headers';
import { keyText } from '../storage/read/version-row';

/**
 * A Subscription as its author reads it with all scopes with which it was written: with the values of the headers, which
 * everybody else sees masked. Cost: a statement, for Subscriptions of a caller that is known.
 */
export async function withOwnHeaders(
  { database, keys }: Pick<SearchServices, 'database' | 'keys'>,
  { space, actor, access }: RequestContext,
  version: StoredVersion,
): Promise<StoredVersion> {
  if (version.type !== SUBSCRIPTION || access === undefined) return version;
  const { value, marked } = parseJson(version.text, { maxDepth: Number.MAX_SAFE_INTEGER });
  const channel = isJsonObject(value) ? value['channel'] : undefined;
  if (!isJsonObject(value) || !isJsonObject(channel) || !Array.isArray(channel['header'])) return version;
  const own = await readOwnHeaders(database, {
    space: space.number,
    key: keyText(keys.keyOf(SUBSCRIPTION, version.id)),
    actor,
  });
  if (own === undefined || !mayKnowSecrets({ actor, access }, own.author)) return version;
  return {
    ...version,
    text: stringifyJson({ ...value, channel: { ...channel, header: [...own.headers] } }, marked),
  };
}
