/** Live queries of a tenant in each of its worlds, and the comparison of their results. */
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../../support/eventually';
import type { Release } from '../../../src/core';
import { subscribeByEvents, type Subscriber } from '../../graphql/live/subscriber';
import { sendToAll, type Worlds, type Tally } from './ask';
import { MARKER_SYSTEM, markerOf } from './tenant';
import type { World } from './world';

/** One live query, followed in each world of a tenant. */
export interface Feed {
  readonly followers: readonly Subscriber[];
  /** Results with the mark of the other tenant: there must be none. */
  readonly isOfOther: boolean;
}

const RELEASES: readonly Release[] = ['r4', 'r4b'];
const FEED = `subscription($type: ResourceType, $query: String) { resourceChanged(type: $type, query: $query) { action type id versionId sequence } }`;
const PATIENCE_MS = 120_000;
const RETRY_MS = 500;
const OWN_ID = /^[0-9a-hjkmnp-tv-z]{16}$/;

export async function follow({ shared, alone, tenant }: Worlds): Promise<Feed[]> {
  const feeds: Feed[] = [];
  for (const release of RELEASES) {
    for (const isOfOther of [false, true]) {
      const query = isOfOther ? `_tag=${MARKER_SYSTEM}|${markerOf(tenant.other)}` : undefined;
      const open = async (world: World): Promise<Subscriber> => {
        for (;;) {
          const subscriber = await subscribeByEvents({
            ...world.gateway(release),
            document: FEED,
            variables: query === undefined ? {} : { query, type: 'Patient' },
          });
          if (!subscriber.isOver) return subscriber;
          // A machine that is too busy for a connection to PostgreSQL refuses it at first.
          await delay(RETRY_MS);
        }
      };
      feeds.push({ followers: await Promise.all([alone, ...shared.values()].map(open)), isOfOther });
    }
  }
  return feeds;
}

/**
 * Compares the changes that live queries have sent: the same, with the same numbers, none of the other tenant. Returns how many.
 * @param name of the last change, by which its end is known
 */
export async function compareFeeds(
  worlds: Worlds,
  other: Worlds,
  feeds: readonly Feed[],
  name: string,
  tally: Tally,
): Promise<number> {
  for (const release of RELEASES) {
    const body = JSON.stringify({ resourceType: 'Basic', id: name, code: { text: 'the last change' } });
    const sent = { method: 'PUT', path: `/fhir/${release}/Basic/${name}`, body };
    await sendToAll(worlds, other, [sent], tally);
  }
  let reported = 0;
  for (const { followers, isOfOther } of feeds) {
    if (!isOfOther) {
      const isAtEnd = (): boolean => followers.every(({ changes }) => changes.at(-1)?.id === name);
      // The comparison below shows which changes are missing.
      await eventually(isAtEnd, PATIENCE_MS).catch(() => undefined);
    }
    const [expected = [], ...besides] = followers.map(linesOf);
    for (const { errors } of followers) expect(errors).toEqual([]);
    for (const got of besides) expect(got).toEqual(expected);
    if (isOfOther) expect(expected).toEqual([]);
    reported += expected.length;
  }
  return reported;
}

function linesOf({ changes }: Subscriber): string[] {
  return changes.map(
    ({ type, id, versionId, action, sequence }) =>
      `${sequence} ${type}/${OWN_ID.test(id) ? 'made by the server' : id} ${versionId} ${action}`,
  );
}
