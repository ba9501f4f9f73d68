/** Records of the packages that a tenant has, by which dependencies are found: a Basic resource for each version. */
import { parseJson, type Core, type JsonObject, type JsonValue, type RequestContext } from '../core';
import { isObject, listOf } from './members';

/** The system of the names of packages, and of names with a version: `hl7.fhir.us.core#6.1.0`. */
const SYSTEM = 'https://packages.fhir.org';
const MOST_RECORDS = '1000';
/** The extension with the number of resources, below the base of the server's own ones. */
const RESOURCES = 'package-resources';

/** A package that is imported. */
export interface PackageRecord {
  readonly name: string;
  readonly version: string;
  /** The requested version, if it was not a number: `latest`. Undefined: the version itself. */
  readonly requested: string | undefined;
  /** The number of its resources that are stored. */
  readonly resources: number;
  /** Base of the urls of the server's own extensions. */
  readonly extensionBase: string;
}

/** A package that the tenant has. */
export interface RecordedPackage {
  readonly name: string;
  readonly version: string;
  /** Undefined: an earlier version of this program has imported it. */
  readonly resources: number | undefined;
  /** Milliseconds since 1970: the first import, or a later one that found more resources. */
  readonly imported: number;
}

/**
 * Records a package, once for each version, with the largest number of its resources. Cost: a conditional create, and an
 * update where more resources are stored than before.
 */
export async function recordPackage(
  core: Core,
  context: RequestContext,
  { name, version, requested, resources, extensionBase }: PackageRecord,
): Promise<void> {
  const value: JsonObject = {
    resourceType: 'Basic',
    extension: [{ url: `${extensionBase}/${RESOURCES}`, valueInteger: resources }],
    identifier: [
      { system: SYSTEM, value: `${name}#${version}` },
      { system: SYSTEM, value: name },
    ],
    code: {
      text: `The package ${name} ${version} was imported${requested === undefined ? '' : `, requested as ${requested}`}`,
    },
  };
  const criteria = [['identifier', `${SYSTEM}|${name}#${version}`]] as const;
  const input = { value, marked: false };
  const recorded = await core.interactions.createIfNoneExist(context, 'Basic', input, criteria);
  if (recorded.created) return;
  const { id, text } = recorded.version;
  if (resources > (countIn(parseRecord(text)) ?? 0))
    await core.interactions.update(context, {
      type: 'Basic',
      id,
      input: { value: { ...value, id }, marked: false },
    });
}

/** Returns the versions of a package that the tenant has. Cost: one search. */
export async function recordedVersions(
  core: Core,
  context: RequestContext,
  name: string,
): Promise<readonly string[]> {
  const records = await readRecords(core, context, `${SYSTEM}|${name}`);
  return records.filter((record) => record.name === name).map(({ version }) => version);
}

/** Returns the packages that the tenant has in a release, by name and version, at most 1,000. Cost: one search. */
export async function recordedPackages(
  core: Core,
  context: RequestContext,
): Promise<readonly RecordedPackage[]> {
  const records = await readRecords(core, context, `${SYSTEM}|`);
  return [...records].sort(
    (one, other) =>
      one.name.localeCompare(other.name, 'en') ||
      one.version.localeCompare(other.version, 'en', { numeric: true }),
  );
}

async function readRecords(
  core: Core,
  context: RequestContext,
  identifier: string,
): Promise<readonly RecordedPackage[]> {
  const { matches } = await core.interactions.search(context, {
    type: 'Basic',
    parameters: [
      ['identifier', identifier],
      ['_count', MOST_RECORDS],
    ],
  });
  return matches.flatMap(({ text, lastUpdated }) => {
    const record = parseRecord(text);
    const identifiers = isObject(record) ? listOf(record['identifier']) : [];
    return identifiers.flatMap((each) => {
      const value = isObject(each) && each['system'] === SYSTEM ? each['value'] : undefined;
      const [name, version] = typeof value === 'string' ? value.split('#') : [];
      if (name === undefined || version === undefined) return [];
      return [{ name, version, resources: countIn(record), imported: lastUpdated }];
    });
  });
}

function parseRecord(text: string): JsonValue {
  return parseJson(text, { maxDepth: Number.MAX_SAFE_INTEGER }).value;
}

function countIn(record: JsonValue): number | undefined {
  for (const extension of isObject(record) ? listOf(record['extension']) : []) {
    if (!isObject(extension) || typeof extension['url'] !== 'string') continue;
    const count = extension['valueInteger'];
    if (extension['url'].endsWith(`/${RESOURCES}`) && typeof count === 'number') return count;
  }
  return undefined;
}
