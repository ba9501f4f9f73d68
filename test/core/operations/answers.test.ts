import { FhirError } from '../../../src/core/errors';
import { RELEASE_NAMES } from '../../../src/core/fhir/release';
import { type OperationEnvironment } from '../../../src/core/operations/environment';
import { invoke, makeEnvironment } from './specification-environment';

const EXPAND = { level: 'type' as const, type: 'ValueSet', code: 'expand' };

describe.each(RELEASE_NAMES)('what operations answer in %s', (release) => {
  test('an answer that is not FHIR is not sent, and the log names operation and place, never a value', async () => {
    const lines: object[] = [];
    const own = makeEnvironment(release);
    own.store({
      resourceType: 'ValueSet',
      id: 'faulty',
      url: 'http://zoo.example/faulty',
      status: 'active',
      copyright: 7,
      compose: { include: [{ system: 'http://zoo.example/animals', concept: [{ code: 'secret-bat' }] }] },
    });
    const log = { ...own.context.log, error: (details: object) => lines.push(details) };
    const environment: OperationEnvironment = { ...own, context: { ...own.context, log } };
    const answer = invoke(environment, EXPAND, [{ name: 'url', valueUri: 'http://zoo.example/faulty' }]);
    const error: unknown = await answer.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(FhirError);
    expect(error).toMatchObject({ key: 'internal', status: 500 });
    expect(lines).toEqual([
      {
        operation: 'http://hl7.org/fhir/OperationDefinition/ValueSet-expand',
        rule: 'malformedPrimitive',
        expression: 'ValueSet.copyright',
        requestId: 'test',
      },
    ]);
    expect(JSON.stringify([lines, error])).not.toContain('secret-bat');
  });

  test('looking at 10,000 codes of an answer takes a small part of making it', async () => {
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
    const answer = await invoke(environment, EXPAND, resource);
    expect(answer['expansion']).toMatchObject({ total: 10_000 });
    const best = Math.min(
      ...Array.from({ length: 5 }, () => {
        const start = performance.now();
        expect(environment.validator.validate(answer, { isFull: false }).findings).toEqual([]);
        return performance.now() - start;
      }),
    );
    expect(best).toBeLessThan(50);
  });
});
