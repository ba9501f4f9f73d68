import type { AggregateGroup } from '../../api/search';
import { parseStoredObject } from '../../fhir/json';
import type { GroupRow, GroupsOf, GroupValue } from '../../search/requests/grouping';
import type { Services } from '../../ports';
import type { CountedGroup, GroupRequest } from '../../storage/search/group-statement';
import { keyOfText, keyText } from '../../storage/read/version-row';

/** Resources per statement. */
const CHUNK = 100;

/**
 * Groups with the values that one of their resources has; they were counted by index rows, which hold hashes and keys.
 * Groups without such a value are left out: references to another type. Cost: a statement for each hundred groups.
 */
export async function labelGroups(
  services: Pick<Services, 'reader'>,
  { space, type }: Pick<GroupRequest, 'space' | 'type'>,
  counted: readonly CountedGroup[],
  groupsOf: GroupsOf,
): Promise<readonly AggregateGroup[]> {
  const labelled: AggregateGroup[] = [];
  for (let start = 0; start < counted.length; start += CHUNK) {
    const chunk = counted.slice(start, start + CHUNK);
    const keys = [...new Set(chunk.map(({ exampleKey }) => exampleKey))];
    const found = await services.reader.readCurrent(
      space,
      keys.map((key) => ({ type, key: keyOfText(key) })),
    );
    const values = new Map<string, ReadonlyMap<string, GroupValue>>();
    for (const [index, key] of keys.entries()) {
      const row = found[index];
      if (row === undefined) continue;
      const { body, lastUpdated } = await services.reader.complete(space, row);
      const own = groupsOf(parseStoredObject(body), lastUpdated);
      values.set(key, new Map(own.flatMap((group) => (group.row ? [[nameOf(group.row), group]] : []))));
    }
    for (const { exampleKey, place, value, number, count } of chunk) {
      const group = values.get(exampleKey)?.get(`${place} ${value} ${number}`);
      if (group === undefined) continue;
      const { coding } = group;
      labelled.push({ value: group.value, count, ...(coding === undefined ? {} : { coding }) });
    }
  }
  return labelled;
}

/** The name of a row, equal to that of the columns of a counted group. */
function nameOf(row: GroupRow): string {
  return row.place === 'uri' ? `uri ${row.uri} 0` : `${row.place} ${keyText(row)} ${row.number}`;
}
