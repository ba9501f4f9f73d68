import type { StoredVersion } from '../api/version';
import type { RequestContext } from '../context';
import { isJsonObject, parseJson, stringifyJson } from '../fhir/json';
import { SUBSCRIPTION } from '../preparation/subscription';
import type { SearchServices } from '../ports';
import { readOwnHeaders } from '../storage/notifications/own-headers';
import { keyText } from '../storage/read/version-row';

/**
 * A Subscription as its author reads it: with the values of the headers, which everybody else sees masked. Cost: a
 * statement, for Subscriptions of a caller who is known.
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
  const headers = await readOwnHeaders(database, {
    space: space.number,
    key: keyText(keys.keyOf(SUBSCRIPTION, version.id)),
    actor,
    user: access.user,
  });
  if (headers === undefined) return version;
  return {
    ...version,
    text: stringifyJson({ ...value, channel: { ...channel, header: [...headers] } }, marked),
  };
}
