/** Documents with types that graphql-codegen makes of the printed schema (test/clients/codegen.ts), as front ends use them. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { RELEASE_NAMES } from '../../src/core';
import type {
  EditPatientMutation,
  EditPatientMutationVariables,
  PatientChartQuery,
  PatientChartQueryVariables,
  PickCodesQuery,
  PickCodesQueryVariables,
} from '../generated/graphql';
import { openSharedServer, type HttpServer } from '../support/shared-server';
import { createSender, putExample } from './gateway-client';

let server: HttpServer;
beforeAll(async () => {
  server = await openSharedServer();
});
afterAll(() => server.close());

describe.each(RELEASE_NAMES)('typed documents in %s', (release) => {
  async function run<Answer>(name: string, variables: object): Promise<Answer> {
    const text = readFileSync(path.join(__dirname, 'documents', `${name}.graphql`), 'utf8');
    const { status, errors, found } = await createSender(server, 'system', release)(text, variables);
    expect([status, errors]).toEqual([200, []]);
    return found as Answer;
  }
  const chart = (variables: PatientChartQueryVariables): Promise<PatientChartQuery> =>
    run('patient-chart', variables);
  const edit = (variables: EditPatientMutationVariables): Promise<EditPatientMutation> =>
    run('edit-patient', variables);

  it('offer codes to pick by words of any language, page by page', async () => {
    const pick = (variables: PickCodesQueryVariables): Promise<PickCodesQuery> =>
      run('pick-codes', variables);
    const url = 'http://hl7.org/fhir/ValueSet/languages';
    const words = { url, filter: 'french', language: 'de', count: 3 };
    const [first, second] = [await pick({ ...words, offset: 0 }), await pick({ ...words, offset: 3 })];
    const displays = [first, second].map(({ ValueSetExpand }) => [
      ValueSetExpand?.expansion?.total,
      ...(ValueSetExpand?.expansion?.contains ?? []).map((each) => each?.display),
    ]);
    expect(displays).toEqual([
      [4, 'Französisch', 'Französisch (Belgien)', 'Französisch (Schweiz)'],
      [4, 'Französisch (Frankreich)'],
    ]);
  });

  it('are answered as their types require', async () => {
    for (const example of ['Patient-example', 'Observation-example'])
      await putExample(server, 'system', release, example);
    const { PatientConnection } = await chart({ name: 'chalmers', code: ['29463-7'] });
    const patient = PatientConnection?.edges?.[0]?.resource;
    expect([PatientConnection?.count, patient?.birthDate, patient?.name?.[0]?.given?.[0]]).toEqual([
      1,
      '1974-12-25',
      'Peter',
    ]);
    const [observation] = patient?.ObservationList ?? [];
    expect([observation?.status, observation?.valueQuantity]).toEqual(['final', { value: 185, unit: 'lbs' }]);
    const version = patient?.meta?.versionId ?? '';
    const { PatientPatch } = await edit({
      ...{ id: 'example', version },
      patch: [{ op: 'replace', path: '/gender', value: 'other' }],
    });
    expect(PatientPatch?.resource).toEqual({
      ...{ id: 'example', gender: 'other' },
      meta: { versionId: String(Number(version) + 1) },
    });
  });
});
