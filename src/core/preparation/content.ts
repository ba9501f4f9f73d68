import type { TenantSpace } from '../context';
import type { JsonObject } from '../fhir/json';
import type { Finding, FindingSeverity, PendingCode, ResourceProfile, Validator } from '../fhir/validate';

/** Which profiles count, besides those that are claimed in `meta.profile`. */
export interface ProfileWish {
  /** Canonical urls that the outermost resource is to be checked against; an error where one cannot be resolved. */
  readonly asked: readonly string[];
  /** What it is that a claimed profile cannot be resolved. */
  readonly unresolved: Extract<FindingSeverity, 'error' | 'warning'>;
}

/** What the content of a resource is judged with. */
export interface ContentTools {
  validator(space: TenantSpace): Validator;
  /** The profiles that a resource and the resources in it claim, and those asked for; undefined: none, the usual case. */
  profilesOf(
    space: TenantSpace,
    resource: JsonObject,
    wish: ProfileWish,
  ): Promise<{ profiles: readonly ResourceProfile[]; findings: readonly Finding[] }> | undefined;
  /** What the terminology of the space says about codes that the definitions alone cannot judge. */
  judge(space: TenantSpace, pending: readonly PendingCode[]): Promise<readonly Finding[]>;
}

export interface ContentOptions {
  /** False: structure alone. */
  readonly isFull: boolean;
  /** What only warns is looked at too. */
  readonly wantsWarnings?: boolean;
  readonly profiles?: ProfileWish;
}

const AS_WRITTEN: ProfileWish = { asked: [], unresolved: 'warning' };
const NONE: readonly Finding[] = [];

/** All that is found in a resource: by its definitions, by terminology, by its profiles. */
export async function findInContent(
  tools: ContentTools,
  space: TenantSpace,
  resource: JsonObject,
  options: ContentOptions,
): Promise<readonly Finding[]> {
  const { isFull, wantsWarnings = false, profiles: wish = AS_WRITTEN } = options;
  const loading = isFull ? tools.profilesOf(space, resource, wish) : undefined;
  const found = loading === undefined ? undefined : await loading;
  const { findings, pending } = tools
    .validator(space)
    .validate(
      resource,
      found === undefined ? { isFull, wantsWarnings } : { isFull, wantsWarnings, profiles: found.profiles },
    );
  const judged = pending.length === 0 ? NONE : await tools.judge(space, pending);
  return found === undefined && judged.length === 0
    ? findings
    : [...findings, ...judged, ...(found?.findings ?? NONE)];
}
