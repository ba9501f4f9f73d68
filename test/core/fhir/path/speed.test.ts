import { loadDefinitions } from '../../../../src/core/fhir/definitions';
import { compilePath } from '../../../../src/core/fhir/path';
import { readExamples } from './examples';

/** Ten times what `node bench/path.mjs` measures on an idle machine: this only notices what went badly wrong. */
const LIMITS_MICROSECONDS = { Patient: 200, Observation: 300 };

it.each(Object.entries(LIMITS_MICROSECONDS))(
  'evaluates all search parameters of a %s in %d µs or less',
  (type, limit) => {
    const definitions = loadDefinitions('r4');
    const paths = [...definitions.searchParameters(type).values()].flatMap(({ expression }) =>
      expression === undefined ? [] : [compilePath(expression, { definitions, rootType: type })],
    );
    const resources = readExamples('r4').filter((resource) => resource['resourceType'] === type);
    const times: number[] = [];
    for (let round = 0; round < 200; round++) {
      for (const resource of resources) {
        const started = performance.now();
        for (const path of paths) path(resource);
        times.push((performance.now() - started) * 1000);
      }
    }
    times.sort((one, other) => one - other);
    expect(times[times.length >> 1]).toBeLessThan(limit);
  },
);
