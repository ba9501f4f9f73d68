/** The value sets and code systems of a release, from the definitions file that the server loads. */
import { readBaseResources } from '../../../../src/core/fhir/definitions';
import { isJsonObject, type JsonObject, parseJson } from '../../../../src/core/fhir/json';
import { type Release } from '../../../../src/core/fhir/release';
import { type CodeSystem } from '../../../../src/core/fhir/terminology/code-system';
import { readCodeSystem } from '../../../../src/core/fhir/terminology/read-code-system';
import { stringMember } from '../../../../src/core/fhir/terminology/members';
import { type TerminologySource } from '../../../../src/core/fhir/terminology/source';

export interface TerminologyResource {
  readonly type: string;
  readonly id: string;
  readonly version: string | undefined;
  readonly text: string;
}

const loaded = new Map<Release, ReadonlyMap<string, TerminologyResource>>();

/** ValueSet and CodeSystem resources by `Type url`. */
export function loadTerminology(release: Release): ReadonlyMap<string, TerminologyResource> {
  let resources = loaded.get(release);
  if (resources !== undefined) return resources;
  const byUrl = new Map<string, TerminologyResource>();
  for (const { type, id, text } of readBaseResources(release)) {
    if (type !== 'ValueSet' && type !== 'CodeSystem') continue;
    const resource = toObject(text);
    byUrl.set(`${type} ${stringMember(resource, 'url')}`, {
      type,
      id,
      version: stringMember(resource, 'version'),
      text,
    });
  }
  loaded.set(release, (resources = byUrl));
  return resources;
}

/** A source over resources of the specification, to which a test may add its own. */
export function makeSource(release: Release, own: readonly JsonObject[] = []): TerminologySource {
  const base = loadTerminology(release);
  const codeSystems = new Map<string, CodeSystem>();
  const find = (type: string, url: string, version: string | undefined): JsonObject | undefined => {
    const mine = own.find((resource) => {
      const isVersion = version === undefined || resource['version'] === version;
      return resource['resourceType'] === type && resource['url'] === url && isVersion;
    });
    if (mine !== undefined) return mine;
    const found = base.get(`${type} ${url}`);
    if (found === undefined || (version !== undefined && found.version !== version)) return undefined;
    return toObject(found.text);
  };
  return {
    findValueSet: async (url, version) => find('ValueSet', url, version),
    listVersions: async () => [],
    findCodeSystem: async (url, version) => {
      const key = `${url}|${version ?? ''}`;
      const known = codeSystems.get(key);
      if (known !== undefined) return known;
      const resource = find('CodeSystem', url, version);
      if (resource === undefined) return undefined;
      const codeSystem = readCodeSystem(resource);
      codeSystems.set(key, codeSystem);
      return codeSystem;
    },
  };
}

export function toObject(text: string): JsonObject {
  const { value } = parseJson(text, { maxDepth: 1_000 });
  if (!isJsonObject(value)) throw new Error('not an object');
  return value;
}
