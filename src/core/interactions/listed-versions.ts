import { visibilityOf } from '../authorization/visibility';
import type { RequestContext } from '../context';
import { fhirError } from '../errors';
import { isJsonObject, parseStoredObject } from '../fhir/json';
import { isValidId } from '../fhir/resource';
import type { SearchServices } from '../ports';
import type { ListedVersions } from '../storage/read/version-history';
import { addressOf, printable, readOwn } from '../versions/resource-address';

/** Maximum length of a List in characters, because its text is parsed in the main thread. */
const MAX_LIST_LENGTH = 1_000_000;
const MAX_VERSION = 2_147_483_647;

/**
 * The versions that the items of a List refer to (`_list` of a history): one version for a versioned reference, else
 * all of the resource. A List that does not exist, or has no item of this space, names none. `list` is its id or
 * `List/id`.
 * Throws invalidValue, tooCostly. Cost: one batched read.
 */
export async function findListed(
  services: SearchServices,
  context: RequestContext,
  list: string,
): Promise<readonly ListedVersions[]> {
  const references = services.references(context.space);
  const local = references.local(list);
  const id = local?.type === 'List' ? local.id : list;
  if (!isValidId(id)) throw fhirError('invalidValue', { reason: reasonFor(list) });
  const stored = await readOwn(services, context, { address: addressOf(services, context, 'List', id), id });
  if (stored === undefined || stored.change === 'delete') return [];
  const visibility = visibilityOf(services, context);
  if (visibility !== undefined) {
    visibility.permissions.requireElements('List', 'The parameter _list');
    if (!(await visibility.seesCurrent('List', 'r', context.space.number, stored))) return [];
  }
  if (stored.body.length > MAX_LIST_LENGTH)
    throw fhirError('tooCostly', {
      reason: `List/${id} is longer than ${MAX_LIST_LENGTH} characters, too long for a history by _list`,
    });
  const definitions = services.definitions(context.space.release);
  const listed = new Map<string, ListedVersions>();
  for (const reference of itemsOf(stored.body)) {
    const target = references.local(reference);
    const type = target === undefined ? undefined : definitions.typeNumber(target.type);
    if (target === undefined || type === undefined) continue;
    const name = `${target.type}/${target.id}`;
    const whole = { type, key: services.keys.keyOf(target.type, target.id) };
    const { versionId } = target;
    if (versionId === undefined) listed.set(name, whole);
    else if (/^[1-9]\d{0,9}$/.test(versionId) && Number(versionId) <= MAX_VERSION && !listed.has(name))
      listed.set(`${name}/${versionId}`, { ...whole, version: Number(versionId) });
  }
  // Drops versions of resources of which all versions are wanted.
  return [...listed]
    .filter(([name]) => !listed.has(wholeOf(name)) || wholeOf(name) === name)
    .map(([, one]) => one);
}

/** The resource `Type/id` of `Type/id/version`. */
function wholeOf(name: string): string {
  return name.split('/', 2).join('/');
}

function itemsOf(body: string): string[] {
  const { entry } = parseStoredObject(body);
  if (!Array.isArray(entry)) return [];
  return entry.flatMap((one) => {
    const item = isJsonObject(one) ? one['item'] : undefined;
    const reference = isJsonObject(item) ? item['reference'] : undefined;
    return typeof reference === 'string' ? [reference] : [];
  });
}

function reasonFor(list: string): string {
  return list.startsWith('$')
    ? `'${printable(list)}' is the current list of one patient, which a history does not have: give _list the id of that List`
    : `'${printable(list)}' is not a value of _list: the id of a List`;
}
