import type { TenantSpace } from '../context';
import type { JsonObject } from '../fhir/json';
import type { Finding, PendingCode, Validator } from '../fhir/validate';
import type { LoadedProfiles, WantedProfiles } from '../validation/wanted-profiles';

/** What the content of a resource is judged with. */
export interface ContentTools {
  validator(space: TenantSpace): Validator;
  /** The profiles that a resource and the resources in it claim, and those asked for; undefined: none, the usual case. */
  profilesOf(
    space: TenantSpace,
    resource: JsonObject,
    wanted: WantedProfiles,
  ): Promise<LoadedProfiles> | undefined;
  /** What the terminology of the space says about codes that the definitions alone cannot judge. */
  judge(space: TenantSpace, pending: readonly PendingCode[]): Promise<readonly Finding[]>;
}

export interface ContentOptions {
  /** False: structure alone. */
  readonly isFull: boolean;
  /** What only warns is looked at too. */
  readonly wantsWarnings?: boolean;
  readonly profiles?: WantedProfiles;
}

const AS_WRITTEN: WantedProfiles = { asked: [], unresolved: 'warning' };
const NONE: readonly Finding[] = [];

/** All that is found in a resource: by its definitions, by terminology, by its profiles. */
export async function findInContent(
  tools: ContentTools,
  space: TenantSpace,
  resource: JsonObject,
  options: ContentOptions,
): Promise<readonly Finding[]> {
  const { isFull, wantsWarnings = false, profiles: wanted = AS_WRITTEN } = options;
  const loading = isFull ? tools.profilesOf(space, resource, wanted) : undefined;
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
