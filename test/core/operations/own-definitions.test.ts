import { RELEASE_NAMES } from '../../../src/core/fhir/release';
import { ownOperationResources } from '../../../src/core/operation-types/own-definitions';
import { judge } from '../fhir/validate/judged';

describe.each(RELEASE_NAMES)('the OperationDefinitions of the server itself under %s', (release) => {
  it.each(ownOperationResources().map((resource) => [resource.id, resource] as const))(
    '%s is a valid resource',
    (_id, resource) => {
      expect(judge(resource, { isFull: true, release })).toEqual([]);
    },
  );
});
