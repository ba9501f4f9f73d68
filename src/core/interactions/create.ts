import type { WriteResult } from '../api';
import type { RequestContext } from '../context';
import { fhirError } from '../errors';
import type { JsonDocument } from '../fhir/json';
import { checkResource } from '../fhir/resource';
import { toStoredText } from '../fhir/resource-text';
import type { Services } from '../services';
import { checkReferences } from '../fhir/reference';
import { releaseTypesOf, typeNumberOf } from './resource-address';
import { ANONYMOUS, toStoredVersion } from './stored-version';

/** An id of ours is taken by chance less than once in a lifetime; by a client that PUTs ids of our format, more often. */
const MAX_ATTEMPTS = 5;

/**
 * Stores a new resource under an id of the server (http.html#create). Throws what the checks of the resource throw.
 * Cost: one gathered statement.
 */
export async function create(
  services: Services,
  context: RequestContext,
  type: string,
  input: JsonDocument,
): Promise<WriteResult> {
  const typeNumber = typeNumberOf(services, context, type);
  const resource = checkResource(input, {
    type,
    releaseTypes: releaseTypesOf(services, context),
    idMode: 'assigned',
  });
  checkReferences(resource, services.references(context.space));
  const rows = services.extract(context.space, type, resource);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const { id, high, low } = services.ids.next();
    const key = { high, low };
    const { text, metaOffset } = toStoredText(resource, input.marked, {
      id,
      extensionBase: services.extensionBase,
    });
    const author = context.actor === ANONYMOUS ? null : context.actor;
    const written = await services.writes.write(
      context.space.number,
      {
        type: typeNumber,
        key,
        id: null,
        expected: 0,
        change: 'create',
        body: text,
        metaOffset,
        author,
        rows,
      },
      context.deadline,
    );
    if (written === undefined) continue;
    const row = {
      id: null,
      key,
      type: typeNumber,
      metaOffset,
      change: 'create',
      author,
      body: text,
      ...written,
    } as const;
    return { version: toStoredVersion(services, type, row), created: true };
  }
  throw fhirError('overloaded');
}
