/**
 * GET|POST {root}/$versions
 *
 * Result: version and default: the FHIR version that the address serves, of which there is one (`4.0`).
 * https://hl7.org/fhir/R4/capabilitystatement-operation-versions.html
 */
import { RELEASES } from '../fhir/release';
import { type ReadOperation } from '../operation-types/operation';

export const capabilityStatementVersions: ReadOperation = {
  definition: 'http://hl7.org/fhir/OperationDefinition/CapabilityStatement-versions',
  isOfServer: true,
  run({ context }) {
    const { mimeVersion } = RELEASES[context.space.release];
    return Promise.resolve({
      parameters: ['version', 'default'].map((name) => ({ name, valueCode: mimeVersion })),
    });
  },
};
