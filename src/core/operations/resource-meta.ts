/**
 * POST|GET {root}/$meta, {root}/{type}/$meta and {root}/{type}/{id}/$meta
 *
 * In: nothing.
 * Result: return, a Meta: of one resource its own; of a type or a space, every profile, tag and security label in use.
 * https://hl7.org/fhir/R4/resource-operation-meta.html
 */
import { type JsonObject, parseStoredObject } from '../fhir/json';
import { objectMember } from '../fhir/terminology/members';
import { type OperationEnvironment } from '../operation-types/environment';
import { type ReadOperation, type OperationInput } from '../operation-types/operation';

export const resourceMeta: ReadOperation = {
  definition: 'http://hl7.org/fhir/OperationDefinition/Resource-meta',
  async run(environment, input) {
    return { parameters: [{ name: 'return', valueMeta: orAbsent(await metaOf(environment, input)) }] };
  },
};

/** FHIR has no empty objects, but the result is required, so it has a data-absent-reason. */
function orAbsent(meta: JsonObject): JsonObject {
  if (Object.keys(meta).length > 0) return meta;
  return { extension: [{ url: DATA_ABSENT_REASON, valueCode: 'not-applicable' }] };
}

/** https://hl7.org/fhir/R4/extension-data-absent-reason.html */
const DATA_ABSENT_REASON = 'http://hl7.org/fhir/StructureDefinition/data-absent-reason';

async function metaOf(environment: OperationEnvironment, { type, id }: OperationInput): Promise<JsonObject> {
  if (type !== undefined && id !== undefined) {
    const { text } = await environment.read(type, id);
    return objectMember(parseStoredObject(text), 'meta') ?? {};
  }
  const { profile, tag, security } = await environment.summarizeMeta(type);
  return {
    ...(profile.length === 0 ? {} : { profile: profile.toSorted() }),
    ...(security.length === 0 ? {} : { security: [...security] }),
    ...(tag.length === 0 ? {} : { tag: [...tag] }),
  };
}
