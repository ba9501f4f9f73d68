import type { Space } from '../context';
import { parseStoredObject } from '../fhir/json';
import { isCacheable } from '../memory/cache-registry';
import { compartmentOwners } from '../search/parameters/compartment';
import type { Services } from '../ports';
import type { AccessRecord } from '../storage/audit/access-line';
import { type BoundedCache, createCache } from '../memory/create-cache';
import { ID } from '../fhir/resource';
import { PATIENT } from '../fhir/type-names';

/** Patients of one access, so that it makes one event; an access lists at most as many versions. */
const MOST_PATIENTS = 100;
/** Entries of the cache of owners. */
const MAX_CACHED = 20_000;

/** A cache of the patients that a version belongs to, by space and version. Versions do not change, so entries stay valid. */
export type OwnersCache = BoundedCache<string, readonly string[]>;

export function createOwnersCache(): OwnersCache {
  return createCache<string, readonly string[]>({ name: 'audited-patients', scope: 'data', max: MAX_CACHED });
}

/**
 * Ids of the patients that an access concerns: those in whose compartments the read, written or found versions are, and
 * those named in a search. Cost: for a version that is not cached, a batched read.
 */
export async function patientsOf(
  services: Pick<Services, 'definitions' | 'keys' | 'reader' | 'references'>,
  cache: OwnersCache,
  space: Space,
  record: AccessRecord,
): Promise<ReadonlySet<string>> {
  const { type, id, version, query, details } = record;
  const definitions = services.definitions(space.release);
  const lines = (details ?? '').split(' ');
  const patients = new Set<string>();
  if (type === PATIENT && id !== undefined) patients.add(id);
  for (const line of [query ?? '', ...lines])
    for (const named of namedPatients(line, definitions)) patients.add(named);
  const versions = lines.flatMap((line) => readVersion(line) ?? []);
  if (type !== undefined && id !== undefined && version !== undefined) versions.push({ type, id, version });
  const owners = await Promise.all(versions.map((each) => ownersOf(services, cache, space, each)));
  for (const owner of owners.flat()) if (patients.size < MOST_PATIENTS) patients.add(owner);
  return patients;
}

interface NamedVersion {
  readonly type: string;
  readonly id: string;
  readonly version: number;
}

const VERSION = new RegExp(`^([A-Za-z]+)/(${ID})/_history/(\\d+)$`);

function readVersion(line: string): NamedVersion | undefined {
  const [, type, id, version] = VERSION.exec(line) ?? [];
  return type === undefined || id === undefined ? undefined : { type, id, version: Number(version) };
}

/** Ids of the patients in whose compartments a version is; for a deletion, the version before. */
async function ownersOf(
  services: Pick<Services, 'definitions' | 'keys' | 'reader' | 'references'>,
  cache: OwnersCache,
  space: Space,
  { type, id, version }: NamedVersion,
): Promise<readonly string[]> {
  if (type === PATIENT) return [id];
  const definitions = services.definitions(space.release);
  const typeNumber = definitions.typeNumber(type);
  const isInOne = definitions.compartments.get(PATIENT)?.parameters.has(type) === true;
  if (typeNumber === undefined || !isInOne) return [];
  const name = `${space.number} ${type}/${id}/${version}`;
  const cached = cache.get(name);
  if (cached !== undefined) return cached;
  const address = { type: typeNumber, key: services.keys.keyOf(type, id) };
  let row = await services.reader.version(space.number, address, version);
  if (row?.change === 'delete') row = await services.reader.version(space.number, address, version - 1);
  if (row === undefined || row.body === '') return [];
  const resource = parseStoredObject(row.body);
  const owners = [
    ...compartmentOwners(definitions, PATIENT, { type, id, resource }, services.references(space)),
  ];
  if (isCacheable(space.number)) cache.set(name, owners);
  return owners;
}

type Definitions = ReturnType<Services['definitions']>;

const NAMED = new RegExp(`^(Patient/)?(${ID})$`);
const COMPARTMENT = new RegExp(`^Patient/(${ID})(?:[/?]|$)`);
const SEARCHED = /^([A-Za-z]+)\?/;

/**
 * Ids of the patients that an address names: a Patient, the owner of the searched compartment, and values of parameters
 * that refer to Patients.
 */
function namedPatients(address: string, definitions: Definitions): string[] {
  const named = COMPARTMENT.exec(address)?.[1];
  const found = named === undefined ? [] : [named];
  const type = SEARCHED.exec(address)?.[1];
  if (type === undefined) return found;
  const parameters = definitions.isResourceType(type) ? definitions.searchParameters(type) : undefined;
  for (const [name, value] of new URLSearchParams(address.slice(address.indexOf('?') + 1))) {
    const [code = '', modifier] = name.split(':');
    if (modifier !== undefined && modifier !== PATIENT) continue;
    const targets = type === PATIENT && code === '_id' ? [PATIENT] : (parameters?.get(code)?.targets ?? []);
    if (!targets.includes(PATIENT)) continue;
    // A parameter `patient` means Patients, though some definitions also have Group as a target.
    const isCertain = targets.length === 1 || modifier === PATIENT || code === 'patient';
    for (const part of value.split(',')) {
      const [, prefix, id] = NAMED.exec(part) ?? [];
      if (id !== undefined && (isCertain || prefix !== undefined)) found.push(id);
    }
  }
  return found;
}
