import type { Space } from '../context';
import { parseStoredObject } from '../fhir/json';
import { compartmentOwners } from '../search/compartment';
import type { Services } from '../services';
import type { AccessRecord } from '../storage/access-records';

const PATIENT = 'Patient';

/**
 * Ids of the patients that an access was about, as far as it is known: of what was read or written, those in whose
 * compartments it is; of a search, those that it names. Cost: for a version, one statement, gathered with others.
 */
export async function patientsOf(
  services: Services,
  space: Space,
  record: AccessRecord,
): Promise<ReadonlySet<string>> {
  const patients = new Set<string>(record.patient === undefined ? [] : [record.patient]);
  const { type, id, query, details } = record;
  // Of a history, its newest version tells.
  const listed = /\/_history\/(\d+)/.exec(details ?? '')?.[1];
  const version = record.version ?? (listed === undefined ? undefined : Number(listed));
  const definitions = services.definitions(space.release);
  if (type === PATIENT && id !== undefined) patients.add(id);
  else if (type !== undefined && id !== undefined && version !== undefined) {
    const typeNumber = definitions.typeNumber(type);
    const isInOne = definitions.compartments.get(PATIENT)?.parameters.has(type) === true;
    if (typeNumber !== undefined && isInOne) {
      const address = { type: typeNumber, key: services.keys.keyOf(type, id) };
      let row = await services.reader.version(space.number, address, version);
      // What was deleted was about somebody until then.
      if (row?.change === 'delete') row = await services.reader.version(space.number, address, version - 1);
      if (row !== undefined && row.body !== '')
        for (const owner of compartmentOwners(
          definitions,
          PATIENT,
          { type, id },
          parseStoredObject(row.body),
          services.references(space),
        ))
          patients.add(owner);
    }
  }
  const lines = [query ?? '', ...(details ?? '').split('\n')];
  for (const line of lines) for (const named of namedPatients(line, definitions)) patients.add(named);
  return patients;
}

type Definitions = ReturnType<Services['definitions']>;

const ID = /^(Patient\/)?([A-Za-z0-9\-.]{1,64})$/;
const COMPARTMENT = /^Patient\/([A-Za-z0-9\-.]{1,64})(?:[/?]|$)/;
const SEARCHED = /^([A-Za-z]+)\?/;

/**
 * Ids of patients that an address names: a Patient, the one whose compartment is searched, and values of parameters that
 * refer to Patients.
 */
function namedPatients(address: string, definitions: Definitions): string[] {
  const named = COMPARTMENT.exec(address)?.[1];
  const found = named === undefined ? [] : [named];
  const type = SEARCHED.exec(address)?.[1];
  if (type === undefined) return found;
  const known = definitions.isResourceType(type) ? definitions.searchParameters(type) : undefined;
  for (const [name, value] of new URLSearchParams(address.slice(address.indexOf('?') + 1))) {
    const [code = '', modifier] = name.split(':');
    if (modifier !== undefined && modifier !== PATIENT) continue;
    const targets = type === PATIENT && code === '_id' ? [PATIENT] : (known?.get(code)?.targets ?? []);
    if (!targets.includes(PATIENT)) continue;
    // Groups are targets of some parameters of this name too, though it means Patients.
    const isCertain = targets.length === 1 || modifier === PATIENT || code === 'patient';
    for (const part of value.split(',')) {
      const [, prefix, id] = ID.exec(part) ?? [];
      if (id !== undefined && (isCertain || prefix !== undefined)) found.push(id);
    }
  }
  return found;
}
