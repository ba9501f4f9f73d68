import type { TenantSpace } from '../context';
import type { JsonObject } from '../fhir/json';
import type { Finding, PendingCode, Validator } from '../fhir/validate';
import type { LoadedProfiles, WantedProfiles } from '../validation/wanted-profiles';

/** The services that validate the content of a resource. */
export interface ContentTools {
  validator(space: TenantSpace): Validator;
  /**
   * Returns the requested profiles and those that a resource and its contained resources claim; undefined: none, the
   * usual case.
   */
  profilesOf(
    space: TenantSpace,
    resource: JsonObject,
    wanted: WantedProfiles,
  ): Promise<LoadedProfiles> | undefined;
  /** Looks up codes in the terminology of the space that the definitions alone cannot decide. */
  checkCodes(space: TenantSpace, pending: readonly PendingCode[]): Promise<readonly Finding[]>;
}

export interface ContentOptions {
  /** False: structure only. */
  readonly isFull: boolean;
  /** True: also checks rules that only give warnings. */
  readonly wantsWarnings?: boolean;
  readonly profiles?: WantedProfiles;
}

const AS_WRITTEN: WantedProfiles = { requested: [], unresolved: 'warning' };
const NONE: readonly Finding[] = [];

/** Returns all findings in a resource: by its definitions, the terminology and its profiles. */
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
  const judged = pending.length === 0 ? NONE : await tools.checkCodes(space, pending);
  return found === undefined && judged.length === 0
    ? findings
    : [...findings, ...judged, ...(found?.findings ?? NONE)];
}
