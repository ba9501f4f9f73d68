/**
 * POST|GET {root}/$meta, {root}/{type}/$meta and {root}/{type}/{id}/$meta
 *
 * In: nothing.
 * Result: return, a Meta: of one resource its own; of a type or of all, every profile, tag and security label in use.
 * https://hl7.org/fhir/R4/resource-operation-meta.html
 */
import { type JsonObject } from '../fhir/json';
import { objectMember } from '../fhir/terminology/members';
import { type OperationEnvironment } from './environment';
import { type Operation, type OperationInput } from './operation';
import { parseStored } from './terminology';

export const resourceMeta: Operation = {
  definition: 'http://hl7.org/fhir/OperationDefinition/Resource-meta',
  async run(environment, input) {
    return { parameters: [{ name: 'return', valueMeta: await metaOf(environment, input) }] };
  },
};

async function metaOf(environment: OperationEnvironment, { type, id }: OperationInput): Promise<JsonObject> {
  if (type !== undefined && id !== undefined) {
    const { text } = await environment.read(type, id);
    return objectMember(parseStored(text), 'meta') ?? {};
  }
  const { profile, tag, security } = await environment.summarizeMeta(type);
  return {
    ...(profile.length === 0 ? {} : { profile: profile.toSorted() }),
    ...(security.length === 0 ? {} : { security: [...security] }),
    ...(tag.length === 0 ? {} : { tag: [...tag] }),
  };
}
