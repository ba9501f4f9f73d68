import { permissionsOf } from '../authorization/visibility';
import { requireWritable } from '../authorization/write-guard';
import type { WriteResult } from '../api/version';
import { recordOf } from '../audit/recording';
import type { RequestContext } from '../context';
import { fhirError } from '../errors';
import type { ResourceInput } from '../api/resource-input';
import type { WriteServices } from '../ports';
import type { VersionWrite } from '../storage/write/version-write';
import type { WriteCondition } from '../storage/write/write-queues';
import { typeNumberOf } from '../versions/resource-address';
import { toVersion } from './replace-version';
import { planAspects } from './write-aspects';
import { authorOf } from '../versions/stored-version';

/**
 * A server-assigned id is taken by chance less than once in a lifetime, more often if a client PUTs ids of this format.
 */
const MAX_ATTEMPTS = 5;

/**
 * Stores a new resource under a server-assigned id (http.html#create). Throws the errors of its preparation;
 * ConditionLost. Cost: one batched statement, or a transaction for a condition.
 */
export async function create(
  services: WriteServices,
  context: RequestContext,
  {
    type,
    input,
    condition,
  }: { readonly type: string; readonly input: ResourceInput; readonly condition?: WriteCondition },
): Promise<WriteResult> {
  const { space } = context;
  const typeNumber = typeNumberOf(services, context, type);
  permissionsOf(services, context)?.require(type, 'c');
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const { id, high, low } = services.ids.next();
    const prepared = await services.preparer.resource({ space, type, id, idMode: 'assigned', input });
    const { text, metaOffset, rows, warnings } = prepared;
    const own = { type: typeNumber, key: { high, low } };
    const content = { type, key: own.key, text, rows, before: undefined };
    const unopened = await requireWritable(services, context, 'c', content);
    const planned = { ...{ type, id, own, prepared }, versionId: 1, isNew: true };
    const aspects = await planAspects(services, context, planned);
    // Property by property: spreading objects into it took a tenth of a create.
    const write: VersionWrite = {
      type: typeNumber,
      key: own.key,
      id: null,
      expected: 0,
      change: 'create',
      body: text,
      metaOffset,
      author: authorOf(context),
      rows,
      replaced: undefined,
      parameterChange: space.searchParameters?.change,
      targets: aspects.targets,
      registration: aspects.registration,
      subscription: aspects.subscription,
      content: 'text' in input ? input.content?.id : undefined,
      unopened,
      companion: aspects.companion,
      record: recordOf(context, type, id),
    };
    const written =
      condition === undefined
        ? await services.writes.write(space.number, write, context.deadline)
        : await services.writes.writeUnder(space.number, condition, write);
    if (written === undefined) continue;
    return { version: toVersion(services, type, write, written), created: true, warnings };
  }
  throw fhirError('contended');
}
