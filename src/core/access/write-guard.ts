/** Writes by those who may not write everything: what was there before and what will be there must both be within their grants. */
import type { RequestContext } from '../context';
import { fhirError } from '../errors';
import { parseStoredObject } from '../fhir/json';
import type { IndexRows } from '../search/index-rows';
import type { Services } from '../services';
import type { KeyHalves } from '../storage/version-write';
import type { VersionRow } from '../storage/version-row';
import type { ElementRules } from './elements';
import type { Right } from './right';
import { visibilityOf } from './visibility';

export type WriteIntent = 'update' | 'patch' | 'delete';

/**
 * The present version as the writer may know it; undefined: there is none for him. An update of what he does not reach is
 * refused, because it must not become a second one; to a patch or deletion it is not there. Throws `forbidden`.
 * Cost: nothing where access is open.
 */
export async function presentFor(
  services: Services,
  context: RequestContext,
  intent: WriteIntent,
  { type, id }: { readonly type: string; readonly id: string },
  current: VersionRow | undefined,
): Promise<VersionRow | undefined> {
  const visibility = visibilityOf(services, context);
  if (visibility === undefined) return current;
  const { permissions } = visibility;
  const space = context.space.number;
  const isLive = current !== undefined && current.change !== 'delete';
  const sees = async (right: Right): Promise<boolean> =>
    isLive && permissions.allows(type, right) && visibility.seesCurrent(type, right, space, current);
  const outside = (): Error =>
    fhirError('forbidden', { reason: `The grants of this client do not reach ${type}/${id}` });
  switch (intent) {
    case 'update': {
      permissions.require(type, isLive ? 'u' : 'c');
      if (current === undefined) return undefined;
      const isReached = isLive ? await sees('u') : await visibility.sawDeleted(type, 'c', space, current);
      if (!isReached) throw outside();
      if (isLive) requireWhole(permissions.elements, type, current);
      return current;
    }
    case 'patch':
      permissions.require(type, 'u');
      // The answer shows what was not sent.
      permissions.require(type, 'r');
      requireWhole(permissions.elements, type);
      if (isLive) {
        if (!(await sees('r'))) return undefined;
        if (!(await sees('u'))) throw outside();
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
      if (await sees('r')) throw outside();
      return undefined;
  }
}

/**
 * What a client cannot see it cannot send back, nor ask by a patch whether it is there: not of the resource, nor of what it
 * holds. Throws `forbidden`, whether there is something or not.
 */
function requireWhole(elements: ElementRules, type: string, current?: VersionRow): void {
  const ofType = elements.hides(type);
  if (!ofType && (current === undefined || !elements.concernsText(current.body))) return;
  const of = ofType ? type : `a resource that this ${type} holds`;
  const reason = `The policies of this client hide elements of ${of}, so that it cannot change one without losing them`;
  throw fhirError('forbidden', { reason });
}

/** What is about to be stored. */
export interface NextContent {
  readonly type: string;
  readonly key: KeyHalves;
  readonly text: string;
  /** Undefined: they are not at hand. */
  readonly rows?: IndexRows;
  /** The text that it takes the place of. */
  readonly before: string | undefined;
}

/** Throws `forbidden` where what is about to be stored is not within the grants. Cost: nothing where access is open. */
export async function requireWritable(
  services: Services,
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
  const reason =
    verdict === 'no'
      ? `The grants of this client do not reach the ${type} that this would make`
      : `Whether the grants of this client reach the ${type} that this would make, other resources tell: it may not be written under them`;
  throw fhirError('forbidden', { reason });
}
