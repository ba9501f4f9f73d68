/** Authorization of writes: both the previous and the new content must be within the caller's grants. */
import type { RequestContext } from '../context';
import { fhirError } from '../errors';
import { parseStoredObject } from '../fhir/json';
import type { IndexRows } from '../search/rows/index-rows';
import type { SearchServices } from '../ports';
import type { KeyHalves } from '../storage/key-halves';
import type { VersionRow } from '../storage/read/version-row';
import type { UnopenedReference } from '../storage/write/version-write';
import type { ElementRules } from './elements';
import { OwnerGuard, type OwnershipFault } from './owner-guard';
import type { Right } from './right';
import { opensNothing, unopenedBy } from './unopened';
import { visibilityOf, type Visibility } from './visibility';

export type WriteIntent = 'update' | 'patch' | 'delete';

/** A write of a resource of the type. */
export interface IntendedWrite {
  readonly intent: WriteIntent;
  readonly type: string;
  /** True: the write fails where no resource exists (If-Match), and so where none is within the grants. */
  readonly mustExist: boolean;
}

/**
 * The current version as far as the writer may see it; undefined: none is visible. An update of a resource outside the
 * writer's grants is refused, because it must not create a second one. For a patch or deletion, such a resource does not
 * exist. Throws `forbidden`. Cost: none in open mode.
 */
export async function presentFor(
  services: SearchServices,
  context: RequestContext,
  { intent, type, mustExist }: IntendedWrite,
  current: VersionRow | undefined,
): Promise<VersionRow | undefined> {
  const visibility = visibilityOf(services, context);
  if (visibility === undefined) return current;
  const { permissions } = visibility;
  const space = context.space.number;
  const isLive = current !== undefined && current.change !== 'delete';
  const sees = async (right: Right): Promise<boolean> =>
    isLive && permissions.allows(type, right) && visibility.seesCurrent(type, right, space, current);
  const owners = new OwnerGuard(services, context, visibility);
  /** True if the grants allow to change the current version. Throws where they only allow to read it. */
  const mayChange = async (right: 'u' | 'd'): Promise<boolean> => {
    if (!isLive || !(await sees(right))) return false;
    const fault = await owners.faultOfStored(type, right, current);
    if (fault === undefined) return true;
    if (await sees('r')) throw refusal(type, fault);
    return false;
  };
  /** The refusal of an update. A writer that cannot read the resource gets the error for a missing one. */
  const refusalOver = async (): Promise<Error> => {
    const isReadable = await sees('r');
    if (!isReadable && !permissions.allows(type, 'c')) return permissions.missing(type, 'c');
    const hasScope = permissions.allows(type, 'u');
    const isCertain = isReadable || permissions.conditions(type, 'c').length === 0;
    return isCertain && !hasScope ? permissions.missing(type, 'u') : outside(type);
  };
  switch (intent) {
    case 'update': {
      if (isLive && (await mayChange('u'))) {
        requireWhole(permissions.elements, type, current);
        return current;
      }
      if (isLive) {
        const isAsAbsent = mustExist && permissions.allows(type, 'c') && !(await sees('r'));
        if (isAsAbsent) return undefined;
        throw await refusalOver();
      }
      permissions.require(type, 'c');
      if (current === undefined) return current;
      if (!(await visibility.sawDeleted(type, 'c', space, current))) throw outside(type);
      await requireOwnedBefore(services, owners, { type, space, deletion: current });
      return current;
    }
    case 'patch':
      permissions.require(type, 'u');
      // The answer shows what was not sent.
      permissions.require(type, 'r');
      requireWhole(permissions.elements, type);
      if (isLive) {
        if (!(await sees('r'))) return undefined;
        if (!(await mayChange('u'))) throw outside(type);
        requireWhole(permissions.elements, type, current);
        return current;
      }
      return current !== undefined && (await visibility.sawDeleted(type, 'r', space, current))
        ? current
        : undefined;
    case 'delete':
      permissions.require(type, 'd');
      if (!isLive) return current;
      if (await mayChange('d')) return current;
      if (await sees('r')) throw outside(type);
      return undefined;
  }
}

/** Throws `forbidden` where the version before a deletion was about others. Cost: a batched read where grants are bound. */
async function requireOwnedBefore(
  { reader }: SearchServices,
  owners: OwnerGuard,
  { type, space, deletion }: { readonly type: string; readonly space: number; readonly deletion: VersionRow },
): Promise<void> {
  if (!owners.isBound(type, 'c')) return;
  const before = await reader.version(space, deletion, deletion.version - 1);
  if (before === undefined || before.change === 'delete') return;
  if ((await owners.faultOfStored(type, 'c', before)) !== undefined) throw outside(type);
}

/**
 * Throws `forbidden` where elements of the resource, or of a resource that it contains, are hidden from the client, even
 * where they have no value. The client cannot send hidden elements back, and must not test them by a patch.
 */
function requireWhole(elements: ElementRules, type: string, current?: VersionRow): void {
  const ofType = elements.hides(type);
  if (!ofType && (current === undefined || !elements.concernsText(current.body))) return;
  const of = ofType ? type : `a resource that this ${type} holds`;
  const reason = `The policies of this client hide elements of ${of}, so that it cannot change one without losing them`;
  throw fhirError('forbidden', { reason });
}

/** Content that is about to be stored. */
export interface NextContent {
  readonly type: string;
  readonly key: KeyHalves;
  readonly text: string;
  /** Undefined: they are not computed yet. */
  readonly rows?: IndexRows;
  /** The text that it replaces. */
  readonly before: string | undefined;
  /** `Type/id` of the resources that the same request writes; undefined: of none. */
  readonly written?: ReadonlySet<string>;
}

/**
 * Throws `forbidden` where the new content is not within the grants. Returns its references that open nothing
 * (`unopenedBy`); undefined: it has none. Cost: none in open mode.
 */
export async function requireWritable(
  services: SearchServices,
  context: RequestContext,
  right: 'c' | 'u',
  content: NextContent,
): Promise<readonly UnopenedReference[] | undefined> {
  await requireAllowed(services, context, right, content);
  const [unopened] = await unopenedOf(services, context, [content]);
  return unopened?.length === 0 ? undefined : unopened;
}

/** The references of each content that open nothing, which are examined together. Cost: none in open mode and for staff. */
export async function unopenedOf(
  services: SearchServices,
  context: RequestContext,
  contents: readonly NextContent[],
): Promise<readonly (readonly UnopenedReference[])[]> {
  const visibility = visibilityOf(services, context);
  if (visibility === undefined || !opensNothing(context, visibility)) return contents.map(() => []);
  const changes = contents.map(({ type, key, text, rows, before }) => {
    const rowsOf = (body: string): IndexRows => visibility.rowsOf(type, parseStoredObject(body));
    return {
      ...{ type, key, after: rows ?? rowsOf(text) },
      before: before === undefined ? undefined : rowsOf(before),
    };
  });
  return unopenedBy(services, context, visibility, changes);
}

/** Throws `forbidden` where the new content is not within the grants. Cost: none in open mode. */
export async function requireAllowed(
  services: SearchServices,
  context: RequestContext,
  right: 'c' | 'u',
  content: NextContent,
): Promise<void> {
  const visibility = visibilityOf(services, context);
  if (visibility === undefined) return;
  const { type, text, before } = content;
  visibility.permissions.elements.requireUnchanged(type, before, text);
  if (visibility.permissions.conditions(type, right).length > 0)
    await requireWithin(visibility, new OwnerGuard(services, context, visibility), right, content);
}

async function requireWithin(
  visibility: Visibility,
  owners: OwnerGuard,
  right: 'c' | 'u',
  { type, key, text, rows, before, written = new Set() }: NextContent,
): Promise<void> {
  const { permissions } = visibility;
  const resource = parseStoredObject(text);
  const next = { key, resource, rows: rows ?? visibility.rowsOf(type, resource) };
  if ((await visibility.verdictOn(type, right, next)) !== 'yes') throw outside(type);
  if (!owners.isBound(type, right)) return;
  const old = before === undefined ? undefined : parseStoredObject(before);
  const replaced = old && { key, resource: old, rows: visibility.rowsOf(type, old) };
  const fault = await owners.faultOfContent(type, right, { ...next, before: replaced, written });
  if (fault === undefined) return;
  const isReadable =
    replaced === undefined ||
    (permissions.allows(type, 'r') && (await visibility.verdictOn(type, 'r', replaced)) === 'yes');
  throw fault.isStored === true && !isReadable ? outside(type) : refusal(type, fault);
}

/** The refusal of a write that is about others; it names the element where the writer may know of it. */
function refusal(type: string, { reason, element }: OwnershipFault): Error {
  return reason === undefined ? outside(type) : fhirError('forbidden', { reason }, element);
}

/**
 * One message for a stored resource outside the grants, new content outside the grants, and conditions on other
 * resources. Different messages would disclose which ids exist.
 */
function outside(type: string): Error {
  return fhirError('forbidden', {
    reason: `The grants of this client must include the current ${type} and the one to be written; grants that depend on other resources do not include the latter`,
  });
}
