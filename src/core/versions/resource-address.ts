import type { RequestContext } from '../context';
import { fhirError } from '../errors';
import { didYouMean } from '../../../packages/fhir-values/closest-name';
import { isValidId } from '../fhir/resource';
import { RELEASES, type Release } from '../fhir/release';
import type { AnswerCounter } from '../memory/byte-budget';
import type { Services } from '../ports';
import type { ResourceAddress } from '../storage/read/version-address';
import type { VersionRow } from '../storage/read/version-row';

/** The type number and key of a resource. Throws unknownType, and notFound for an impossible id. */
export function addressOf(
  services: Pick<Services, 'definitions' | 'keys'>,
  context: RequestContext,
  type: string,
  id: string,
): ResourceAddress {
  const typeNumber = typeNumberOf(services, context, type);
  if (!isValidId(id)) throw fhirError('notFound', { type, id: printable(id) });
  return { type: typeNumber, key: services.keys.keyOf(type, id) };
}

/** The number of a resource type. Throws unknownType for what is not a concrete resource type of the release. */
export function typeNumberOf(
  services: Pick<Services, 'definitions'>,
  context: RequestContext,
  type: string,
): number {
  const { release } = context.space;
  const definitions = services.definitions(release);
  const number = definitions.typeNumber(type);
  if (number === undefined) throw unknownType(type, release, definitions.resourceTypes);
  return number;
}

/** The row, if its id equals `id`; another id may have the same key, once in 2^63. */
export function rowOfId<R extends VersionRow>(row: R | undefined, id: string): R | undefined {
  return row === undefined || (row.id !== null && row.id !== id) ? undefined : row;
}

/** The error for what is no resource type of a release; `types`: those that it has. */
export function unknownType(type: string, release: Release, types: readonly string[]): Error {
  const explanation = didYouMean(type, types);
  return fhirError('unknownType', { type: printable(type), release: release.toUpperCase(), explanation });
}

/** The current version in the tenant's own space, including deletions. `bytes`: counts a long text. */
export async function readOwn(
  services: Pick<Services, 'reader'>,
  context: RequestContext,
  {
    address,
    id,
    bytes = context.bytes,
  }: { readonly address: ResourceAddress; readonly id: string; readonly bytes?: AnswerCounter | undefined },
): Promise<VersionRow | undefined> {
  return rowOfId(await services.reader.current(context.space.number, address, bytes), id);
}

/**
 * The base conformance resource with this id. A resource of the tenant hides it (docs/reference/behaviour.md, Base conformance
 * resources).
 */
export async function readBase(
  services: Pick<Services, 'isConformanceType' | 'reader'>,
  context: RequestContext,
  { type, address, id }: { readonly type: string; readonly address: ResourceAddress; readonly id: string },
): Promise<VersionRow | undefined> {
  const { release } = context.space;
  if (!services.isConformanceType(release, type)) return undefined;
  return rowOfId(await services.reader.current(RELEASES[release].baseSpace, address, context.bytes), id);
}

/**
 * The live resource of this id, the tenant's own or a base one, without authorization: for the server's own
 * interpretation of a request. It must not be returned to the client.
 */
export async function readForServer(
  services: Pick<Services, 'definitions' | 'isConformanceType' | 'keys' | 'reader'>,
  context: RequestContext,
  type: string,
  id: string,
): Promise<VersionRow | undefined> {
  const address = addressOf(services, context, type, id);
  const own = await readOwn(services, context, { address, id });
  return own === undefined || own.change === 'delete'
    ? readBase(services, context, { type, address, id })
    : own;
}

/** Client input for a diagnostics text: at most `most` characters, without control characters. */
export function printable(text: string, most = 80): string {
  return text.slice(0, most).replace(/[^\x20-\x7e]/g, '?');
}
