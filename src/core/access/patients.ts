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
  const { type, id, version, query } = record;
  const definitions = services.definitions(space.release);
  if (type === PATIENT && id !== undefined) patients.add(id);
  else if (type !== undefined && id !== undefined && version !== undefined) {
    const typeNumber = definitions.typeNumber(type);
    const isInOne = definitions.compartments.get(PATIENT)?.parameters.has(type) === true;
    if (typeNumber !== undefined && isInOne) {
      const address = { type: typeNumber, key: services.keys.keyOf(type, id) };
      const row = await services.reader.version(space.number, address, version);
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
  if (query !== undefined) for (const named of namedPatients(query, type, definitions)) patients.add(named);
  return patients;
}

type Definitions = ReturnType<Services['definitions']>;

const ID = /^(?:Patient\/)?([A-Za-z0-9\-.]{1,64})$/;
const COMPARTMENT = /^Patient\/([A-Za-z0-9\-.]{1,64})(?:[/?]|$)/;

/** Ids of patients that an address names: that of a compartment, and values of the parameters by which one is in it. */
function namedPatients(query: string, type: string | undefined, definitions: Definitions): string[] {
  const named = COMPARTMENT.exec(query)?.[1];
  const found = named === undefined ? [] : [named];
  if (type === undefined) return found;
  const codes =
    type === PATIENT ? ['_id'] : (definitions.compartments.get(PATIENT)?.parameters.get(type) ?? []);
  for (const [name, value] of new URLSearchParams(query.slice(query.indexOf('?') + 1))) {
    const [code = '', modifier] = name.split(':');
    if (!codes.includes(code) || (modifier !== undefined && modifier !== PATIENT)) continue;
    for (const part of value.split(',')) {
      const id = ID.exec(part)?.[1];
      if (id !== undefined) found.push(id);
    }
  }
  return found;
}
