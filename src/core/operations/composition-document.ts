/**
 * POST|GET {root}/Composition/{id}/$document and {root}/Composition/$document?id=…
 *
 * In: id at type level, of a Composition on this server; persist=true by POST: the document is stored. graph is not
 * supported.
 * Result: the document: a Bundle of the Composition and all resources that it refers to, as it is stored.
 * https://hl7.org/fhir/R4/composition-operation-document.html
 */
import { randomUUID } from 'node:crypto';
import { FhirError, fhirError, toIssue } from '../errors';
import { isValidId } from '../fhir/resource';
import { type DocumentOperation, type OperationInput } from '../operation-types/operation';
import { refuseParameters } from './terminology';

export const compositionDocument: DocumentOperation = {
  definition: 'http://hl7.org/fhir/OperationDefinition/Composition-document',
  storesOnRequest: true,
  async runDocument(environment, input) {
    refuseParameters(input, {
      graph: 'is not supported: a document contains the resources that its Composition refers to',
    });
    const isStored = input.parameters.flag('persist') === true;
    if (isStored && input.isSafe)
      throw new FhirError(
        'operationChangesState',
        [toIssue('operationChangesState', { operation: 'document with persist=true' })],
        'POST',
      );
    const { versions } = await environment.makeDocument(idOf(input));
    const document = {
      identifier: `urn:uuid:${randomUUID()}`,
      timestamp: new Date().toISOString(),
      versions,
    };
    return isStored ? { stored: await environment.storeDocument(document) } : { document };
  },
};

function idOf({ id, parameters }: OperationInput): string {
  const given = parameters.text('id');
  if ((id === undefined) === (given === undefined)) {
    const reason =
      id === undefined
        ? "The parameter 'id' is needed where the address names no Composition"
        : "The Composition is named by the address already; the parameter 'id' may not be given";
    throw fhirError('operationInputInvalid', { reason }, parameters.first('id')?.expression);
  }
  const named = (id ?? given ?? '').replace(/^Composition\//, '');
  if (isValidId(named)) return named;
  const reason = "The parameter 'id' must be the id of a Composition that is here";
  throw fhirError('notSupported', { reason }, parameters.first('id')?.expression);
}
