/** Authorization of writes: both the previous and the new content must be within the caller's grants. */
import type { RequestContext } from '../context';
import { fhirError } from '../errors';
import { parseStoredObject } from '../fhir/json';
import type { IndexRows } from '../search/index-rows';
import type { SearchServices } from '../ports';
import type { KeyHalves } from '../storage/key-halves';
import type { VersionRow } from '../storage/read/version-row';
import type { ElementRules } from './elements';
import type { Right } from './right';
import { visibilityOf } from './visibility';

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
      if (await sees('u')) {
        requireWhole(permissions.elements, type, current);
        return current;
      }
      if (isLive) {
        const isAsAbsent = mustExist && permissions.allows(type, 'c') && !(await sees('r'));
        if (isAsAbsent) return undefined;
        throw await refusalOver();
      }
      permissions.require(type, 'c');
      if (current === undefined || (await visibility.sawDeleted(type, 'c', space, current))) return current;
      throw outside(type);
    }
    case 'patch':
      permissions.require(type, 'u');
      // The answer shows what was not sent.
      permissions.require(type, 'r');
      requireWhole(permissions.elements, type);
      if (isLive) {
        if (!(await sees('r'))) return undefined;
        if (!(await sees('u'))) throw outside(type);
        requireWhole(permissions.elements, type, current);
        return current;
      }
      return current !== undefined && (await visibility.sawDeleted(type, 'r', space, current))
        ? current
        : undefined;
    case 'delete':
      permissions.require(type, 'd');
      if (!isLive) return current;
      if (await sees('d')) return current;
      if (await sees('r')) throw outside(type);
      return undefined;
  }
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
}

/** Throws `forbidden` where the new content is not within the grants. Cost: none in open mode. */
export async function requireWritable(
  services: SearchServices,
  context: RequestContext,
  right: 'c' | 'u',
  { type, key, text, rows, before }: NextContent,
): Promise<void> {
  const visibility = visibilityOf(services, context);
  if (visibility === undefined) return;
  const { permissions } = visibility;
  permissions.elements.requireUnchanged(type, before, text);
  if (permissions.conditions(type, right).length === 0) return;
  const resource = parseStoredObject(text);
  const verdict = await visibility.verdictOn(type, right, {
    key,
    resource,
    rows: rows ?? visibility.rowsOf(type, resource),
  });
  if (verdict === 'yes') return;
  throw outside(type);
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
