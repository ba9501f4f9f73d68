/** A catalogue of examinations whose concepts are in tables, in two versions, for tests of the console and for its pictures. */
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../src/core';
import { silentLog } from '../support/log';
import type { TestServer } from '../support/server';

export const CATALOGUE = 'http://acme.example/laboratory';

interface Examination {
  readonly code: string;
  readonly display: string;
  readonly parents: readonly string[];
  readonly german?: string;
  readonly french?: string;
  readonly unit?: string;
}

const GROUPS: readonly Examination[] = [
  { code: 'LAB', display: 'Laboratory examinations', parents: [], german: 'Laboruntersuchungen' },
  { code: 'CHEM', display: 'Clinical chemistry', parents: ['LAB'], german: 'Klinische Chemie' },
  { code: 'HEM', display: 'Hematology', parents: ['LAB'], german: 'Hämatologie', french: 'Hématologie' },
  { code: 'MIC', display: 'Microbiology', parents: ['LAB'], german: 'Mikrobiologie' },
  { code: 'URI', display: 'Examinations of urine', parents: ['LAB'], german: 'Harnuntersuchungen' },
];
const EXAMINATIONS: readonly Examination[] = [
  { code: 'GLU', display: 'Glucose in blood', parents: ['CHEM'], german: 'Blutzucker', unit: 'mmol/L' },
  {
    ...{ code: 'GLU-U', display: 'Glucose in urine', parents: ['CHEM', 'URI'], unit: 'mmol/L' },
    ...{ german: 'Glukose im Harn', french: "Glucose dans l'urine" },
  },
  { code: 'NA', display: 'Sodium', parents: ['CHEM'], german: 'Natrium', french: 'Sodium', unit: 'mmol/L' },
  { code: 'HB', display: 'Hemoglobin', parents: ['HEM'], german: 'Hämoglobin', unit: 'g/L' },
  { code: 'PLT', display: 'Platelets', parents: ['HEM'], german: 'Thrombozyten', unit: '10*9/L' },
  { code: 'URC', display: 'Urine culture', parents: ['MIC', 'URI'], german: 'Urinkultur' },
];
/** More than one page has. */
const CULTURES: readonly Examination[] = Array.from({ length: 120 }, (_, at) => ({
  ...{ code: `CUL-${String(at + 1).padStart(3, '0')}`, display: `Culture ${at + 1}`, parents: ['MIC'] },
}));

const VERSIONS: Readonly<Record<string, readonly Examination[]>> = {
  '2025': [
    ...GROUPS,
    ...EXAMINATIONS.filter(({ code }) => code !== 'GLU-U').map((each) =>
      each.code === 'PLT' ? { ...each, display: 'Thrombocytes' } : each,
    ),
    ...CULTURES,
    { code: 'ESR', display: 'Sedimentation rate', parents: ['HEM'] },
  ],
  '2026': [...GROUPS, ...EXAMINATIONS, ...CULTURES],
};

function toConcept({ code, display, parents, german, french, unit }: Examination): JsonObject {
  const designation = [
    ...(german === undefined ? [] : [{ language: 'de', value: german }]),
    ...(french === undefined ? [] : [{ language: 'fr', value: french }]),
  ];
  const property = [
    ...parents.map((parent) => ({ code: 'parent', valueCode: parent })),
    ...(unit === undefined ? [] : [{ code: 'unit', valueString: unit }]),
  ];
  return {
    ...{ code, display },
    ...(designation.length === 0 ? {} : { designation }),
    ...(property.length === 0 ? {} : { property }),
  };
}

/** Stores both versions. Returns the ids of their CodeSystems. */
export async function importCatalogue({ app }: TestServer): Promise<ReadonlyMap<string, string>> {
  const space = await app.core.access.findSpace('system', 'r4');
  if (space === undefined) throw new Error('The space of the tests is missing');
  const context = { space, actor: 'test', requestId: 'laboratory-catalogue', deadline: 0, log: silentLog };
  const ids = new Map<string, string>();
  for (const [version, concepts] of Object.entries(VERSIONS)) {
    const head = {
      ...{ resourceType: 'CodeSystem', url: CATALOGUE, version, status: 'active', content: 'complete' },
      ...{ name: 'LaboratoryCatalogue', title: `Laboratory catalogue ${version}` },
      ...{ hierarchyMeaning: 'is-a', publisher: 'Acme Hospital' },
    };
    const { id } = await app.core.jobs.importCodeSystem(context, {
      head,
      digest: createHash('sha256').update(version).digest(),
      async *concepts() {
        for (const concept of concepts) yield await Promise.resolve(toConcept(concept));
      },
    });
    ids.set(version, id);
  }
  return ids;
}
