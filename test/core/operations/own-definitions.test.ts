import { ownOperationResources } from '../../../src/core/operation-types/own-definitions';
import { TESTED_RELEASES } from '../../support/releases';
import { judge } from '../fhir/validate/judged';

describe.each(TESTED_RELEASES)('the OperationDefinitions of the server itself under %s', (release) => {
  it.each(ownOperationResources().map((resource) => [resource.id, resource] as const))(
    '%s is a valid resource',
    (_id, resource) => {
      expect(judge(resource, { isFull: true, release })).toEqual([]);
    },
  );
});
