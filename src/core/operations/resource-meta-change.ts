/**
 * POST {root}/{type}/{id}/$meta-add and {root}/{type}/{id}/$meta-delete
 *
 * In: meta, of which profile, tag and security are used.
 * Result: return, the resulting Meta. A change makes a new version; without a change there is none.
 * https://hl7.org/fhir/R4/resource-operation-meta-add.html, https://hl7.org/fhir/R4/resource-operation-meta-delete.html
 */
import { parseStoredObject } from '../fhir/json';
import { fhirError } from '../errors';
import { type LabelChange } from '../fhir/meta-labels';
import { objectMember } from '../fhir/terminology/members';
import { type ReadOperation } from '../operation-types/operation';

export const resourceMetaAdd: ReadOperation = metaChange('add');
export const resourceMetaDelete: ReadOperation = metaChange('delete');

function metaChange(kind: LabelChange['kind']): ReadOperation {
  return {
    definition: `http://hl7.org/fhir/OperationDefinition/Resource-meta-${kind}`,
    async run(environment, { type, id, parameters }) {
      const meta = parameters.object('meta');
      if (type === undefined || id === undefined || meta === undefined)
        throw fhirError('operationWrongLevel');
      const { text } = await environment.changeLabels(type, id, { kind, meta });
      return {
        parameters: [{ name: 'return', valueMeta: objectMember(parseStoredObject(text), 'meta') ?? {} }],
      };
    },
  };
}
