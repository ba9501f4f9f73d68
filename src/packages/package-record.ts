/** Records of the packages that a tenant has, by which dependencies are found: a Basic resource for each version. */
import { parseJson, type Core, type JsonObject, type RequestContext } from '../core';
import { isObject, listOf } from './members';

/** The system of the names of packages, and of names with a version: `hl7.fhir.us.core#6.1.0`. */
const SYSTEM = 'https://packages.fhir.org';
const MOST_VERSIONS = '1000';

/** Records a package, once for each version. Cost: a conditional create. */
export async function recordPackage(
  core: Core,
  context: RequestContext,
  { name, version }: { readonly name: string; readonly version: string },
): Promise<void> {
  const value: JsonObject = {
    resourceType: 'Basic',
    identifier: [
      { system: SYSTEM, value: `${name}#${version}` },
      { system: SYSTEM, value: name },
    ],
    code: { text: `The package ${name} ${version} was imported` },
  };
  const criteria = [['identifier', `${SYSTEM}|${name}#${version}`]] as const;
  await core.createIfNoneExist(context, 'Basic', { value, marked: false }, criteria);
}

/** Returns the versions of a package that the tenant has. Cost: one search. */
export async function recordedVersions(
  core: Core,
  context: RequestContext,
  name: string,
): Promise<readonly string[]> {
  const { matches } = await core.search(context, {
    type: 'Basic',
    parameters: [
      ['identifier', `${SYSTEM}|${name}`],
      ['_count', MOST_VERSIONS],
    ],
  });
  return matches.flatMap(({ text }) => {
    const record = parseJson(text, { maxDepth: Number.MAX_SAFE_INTEGER }).value;
    const identifiers = isObject(record) ? listOf(record['identifier']) : [];
    return identifiers.flatMap((identifier) => {
      const value = isObject(identifier) ? identifier['value'] : undefined;
      return typeof value === 'string' && value.startsWith(`${name}#`) ? [value.slice(name.length + 1)] : [];
    });
  });
}
