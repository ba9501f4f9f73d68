/** Files that a reader has, or makes with another program, and that commands of a page read. */
import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { packResources } from '../packages/make-package';
import { readBlocks } from '../support/page-blocks';

const NPI = 'http://hl7.org/fhir/sid/us-npi';
const SYNTHEA_ID = 'https://github.com/synthetichealth/synthea';

const bundle = (type: string, entry: readonly object[]): string =>
  JSON.stringify({ resourceType: 'Bundle', type, entry });

/** As Synthea writes it: entries of shared resources are created once. */
function sharedEntry(
  uuid: string,
  resource: { readonly resourceType: string },
  system: string,
  value: string,
) {
  return {
    fullUrl: `urn:uuid:${uuid}`,
    resource: { ...resource, identifier: [{ system, value }] },
    request: { method: 'POST', url: resource.resourceType, ifNoneExist: `identifier=${system}|${value}` },
  };
}

function patientBundle(number: number): string {
  const uuid = `0000000${number}-1111-4222-8333-444444444444`;
  const visit = `0000000${number}-2222-4222-8333-444444444444`;
  const created = (fullUrl: string, resource: { readonly resourceType: string }) => ({
    ...{ fullUrl: `urn:uuid:${fullUrl}`, resource },
    request: { method: 'POST', url: resource.resourceType },
  });
  const patient = {
    ...{ resourceType: 'Patient', id: uuid, gender: 'female', birthDate: `196${number}-04-05` },
    meta: { profile: ['http://hl7.org/fhir/us/core/StructureDefinition/us-core-patient'] },
    identifier: [{ system: SYNTHEA_ID, value: uuid }],
    name: [{ use: 'official', family: `Dare${number}`, given: [`Ada${number}`] }],
  };
  const encounter = {
    ...{ resourceType: 'Encounter', status: 'finished', subject: { reference: `urn:uuid:${uuid}` } },
    class: { system: 'http://terminology.hl7.org/CodeSystem/v3-ActCode', code: 'AMB' },
    participant: [
      { individual: { reference: `Practitioner?identifier=${NPI}|9999999999`, display: 'Dr. Ira1 Orn1' } },
    ],
    serviceProvider: { reference: `Organization?identifier=${SYNTHEA_ID}|hospital-1` },
  };
  return bundle('transaction', [created(uuid, patient), created(visit, encounter)]);
}

async function writeSynthea(folder: string): Promise<void> {
  const output = path.join(folder, 'output');
  await mkdir(path.join(output, 'fhir'), { recursive: true });
  await mkdir(path.join(output, 'bulk'));
  const hospital = { resourceType: 'Organization', active: true, name: 'General Hospital' };
  const practitioner = { resourceType: 'Practitioner', active: true, name: [{ family: 'Orn1' }] };
  const uuid = '00000009-1111-4222-8333-444444444444';
  const lines = (resources: readonly object[]): string =>
    resources.map((resource) => `${JSON.stringify(resource)}\n`).join('');
  const patients = [1, 2, 3].map((id) => ({ resourceType: 'Patient', id: `bulk-${id}` }));
  const observations = [1, 2, 3, 4, 5, 6].map((id) => ({
    ...{ resourceType: 'Observation', id: `bulk-${id}`, status: 'final', code: { text: 'weight' } },
    subject: { reference: `Patient/bulk-${(id % 3) + 1}` },
  }));
  const files = {
    'fhir/hospitalInformation1760000000000.json': bundle('batch', [
      sharedEntry(uuid, hospital, SYNTHEA_ID, 'hospital-1'),
    ]),
    'fhir/practitionerInformation1760000000000.json': bundle('batch', [
      sharedEntry(uuid, practitioner, NPI, '9999999999'),
    ]),
    'fhir/Ada1_Dare1_1.json': patientBundle(1),
    'fhir/Ada2_Dare2_2.json': patientBundle(2),
    'bulk/Patient.ndjson': lines(patients),
    'bulk/Observation.ndjson': lines(observations),
  };
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(output, name), text);
}

async function writeGuide(folder: string): Promise<void> {
  const url = 'http://guide.example/StructureDefinition/named-patient';
  const profile = {
    ...{
      resourceType: 'StructureDefinition',
      id: 'named-patient',
      url,
      name: 'NamedPatient',
      status: 'active',
    },
    ...{ kind: 'resource', abstract: false, type: 'Patient', derivation: 'constraint' },
    baseDefinition: 'http://hl7.org/fhir/StructureDefinition/Patient',
    differential: { element: [{ id: 'Patient.name', path: 'Patient.name', min: 1 }] },
  };
  const rooms = { resourceType: 'ValueSet', url: 'http://guide.example/ValueSet/rooms', status: 'active' };
  const manifest = { name: 'guide.example', version: '1.0.0', fhirVersions: ['4.0.1'] };
  const resources = { 'StructureDefinition-named-patient.json': profile, 'ValueSet-rooms.json': rooms };
  await rename(await packResources(folder, manifest, resources), path.join(folder, 'guide.tgz'));
}

/** The policy that the page itself shows. */
async function writePolicy(page: string, folder: string): Promise<void> {
  const policy = (await readBlocks(page)).find(({ language }) => language === 'json');
  await writeFile(path.join(folder, 'ward.json'), policy?.text ?? '');
}

/** Writes what the commands of `page` read into the working directory of its shell. */
export async function writeInputs(page: string, folder: string): Promise<void> {
  if (page === 'use/load-synthea.md') await writeSynthea(folder);
  if (page === 'use/import-guide.md' || page === 'run/operations.md') await writeGuide(folder);
  if (page === 'run/access-rules.md') await writePolicy(page, folder);
}
