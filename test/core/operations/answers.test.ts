import { FhirError } from '../../../src/core/errors';
import type { JsonObject } from '../../../src/core/fhir/json';
import { type OperationEnvironment } from '../../../src/core/operation-types/environment';
import { millisecondsHere } from '../../support/processor-time';
import { invoke, makeEnvironment } from './specification-environment';
import { TESTED_RELEASES } from '../../support/releases';

const EXPAND = { level: 'type' as const, type: 'ValueSet', code: 'expand' };

describe.each(TESTED_RELEASES)('results of operations in %s', (release) => {
  const URL = 'http://zoo.example/animals';
  const animals = {
    resourceType: 'ValueSet',
    id: 'animals',
    url: URL,
    status: 'active',
    compose: { include: [{ system: URL, concept: [{ code: 'secret-bat' }] }] },
  };

  test('a result that is not valid FHIR is not sent, and the log has the operation and the place, but no value', async () => {
    const lines: object[] = [];
    const own = makeEnvironment(release);
    const extension = [{ url: 'http://hl7.org/fhir/StructureDefinition/ordinalValue', nothing: 'secret' }];
    const concept = [{ code: 'secret-bat', extension }];
    own.store({ resourceType: 'CodeSystem', id: 'animals', url: URL, content: 'complete', concept });
    own.store({ ...animals, compose: { include: [{ system: URL }] } });
    const log = { ...own.context.log, error: (details: object) => lines.push(details) };
    const environment: OperationEnvironment = { ...own, context: { ...own.context, log } };
    const answer = invoke(environment, EXPAND, [{ name: 'url', valueUri: URL }]);
    const error: unknown = await answer.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(FhirError);
    expect(error).toMatchObject({ key: 'internal', status: 500 });
    expect(lines).toEqual([
      {
        operation: 'http://hl7.org/fhir/OperationDefinition/ValueSet-expand',
        rule: expect.any(String),
        expression: expect.stringMatching(/^ValueSet\.expansion\.contains\[0\]\.extension\[0\]/),
        requestId: 'test',
      },
    ]);
    expect(JSON.stringify([lines, error])).not.toContain('secret');
  });

  test('an invalid stored resource does not make a result invalid: a value set of R4B itself has no status', async () => {
    const own = makeEnvironment(release);
    const { status: _status, ...lacking } = animals;
    own.store({ ...lacking, copyright: 7 });
    const answer = await invoke(own, EXPAND, [{ name: 'url', valueUri: URL }]);
    expect(answer).toMatchObject({ expansion: { contains: [{ code: 'secret-bat' }] } });
  });

  test('the check of a result with 10,000 codes takes a small part of its computation', async () => {
    const environment = makeEnvironment(release);
    const concept = Array.from({ length: 10_000 }, (_, index) => ({
      code: `animal-${index}`,
      display: `Animal ${index}`,
    }));
    const resource = {
      resourceType: 'ValueSet',
      status: 'active',
      compose: { include: [{ system: 'http://zoo.example/animals', concept }] },
    };
    let answer: JsonObject = {};
    const making = await millisecondsHere(async () => {
      answer = await invoke(environment, EXPAND, resource);
    });
    expect(answer['expansion']).toMatchObject({ total: 10_000 });
    const looking = await millisecondsHere(() => {
      expect(environment.validator.validate(answer, { isFull: false }).findings).toEqual([]);
    });
    expect(looking).toBeLessThan(making / 2);
  });
});
