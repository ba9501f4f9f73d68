import { permissionsOf, visibilityOf } from '../../authorization/visibility';
import type { StoredVersion } from '../../storage/read/stored-version';
import { findCanonical } from '../../conformance/canonical';
import type { RequestContext } from '../../context';
import { FhirError, toIssue, type Issue } from '../../errors';
import { parseCanonical } from '../../fhir/terminology/source';
import { parseStoredObject, type JsonObject } from '../../fhir/json';
import type { Include } from '../../search/requests/include';
import { allowedCanonicalTypes, isCanonicalValued } from '../../search/parameters/canonical-targets';
import { storedParameters } from '../../search/parameters/parameter';
import { indexedUri, splitCanonical } from '../../search/rows/uri';
import { targetsOf, type Target } from '../../search/values/target-values';
import type { SearchParameterDefinition } from '../../fhir/definitions';
import type { SearchServices } from '../../ports';
import { findKeysOfUris } from '../../storage/read/conformance';
import { findPopulatedTypes } from '../../storage/read/populated-types';
import { findReferring } from '../../storage/search/referring';
import { keyOfText, type VersionRow } from '../../storage/read/version-row';
import { find } from '../../versions/read';
import { toStoredVersion } from '../../versions/stored-version';
import { hidesDate } from '../sort/default-order';
import { vread } from '../../versions/vread';

/** Maximum number of included resources per page. */
const MAX_INCLUDED = 1000;
/** Maximum number of rounds of `:iterate`. */
const MAX_ROUNDS = 10;

export interface Included {
  readonly versions: readonly StoredVersion[];
  /** Says if not all resources were included. */
  readonly issues: readonly Issue[];
}

/**
 * The resources that a page includes (search.html#include): each once, none that is a match. With `:iterate` the
 * includes are applied to included resources again, until none is new. All are of the request's own space.
 * Cost: a batched read for the targets of each round, a statement for each reverse include and type of a round, and one
 * more if there are many reverse includes.
 */
export async function collectIncluded(
  services: SearchServices,
  context: RequestContext,
  includes: readonly Include[],
  matches: readonly StoredVersion[],
): Promise<Included> {
  const collector = new Collector(services, context, matches);
  const possible = await withoutEmptyTypes(services, context, includes);
  let frontier = matches;
  for (let round = 0; frontier.length > 0; round++) {
    const applied = possible.filter(({ iterates }) => round === 0 || iterates);
    if (applied.length === 0 || collector.isFull) break;
    frontier = await collector.add(applied, frontier);
    if (round < MAX_ROUNDS) continue;
    // The last round only shows whether there would have been more.
    collector.giveBack(frontier);
    break;
  }
  const reason = `Not everything was included: at most ${MAX_INCLUDED} resources and ${MAX_ROUNDS} rounds`;
  return {
    versions: collector.included,
    issues: collector.isFull ? [{ ...toIssue('tooCostly', { reason }), severity: 'warning' }] : [],
  };
}

/** Leaves out the reverse includes of types without resources, if there are many, because each costs a statement. */
async function withoutEmptyTypes(
  { database, definitionsOf }: SearchServices,
  { space }: RequestContext,
  includes: readonly Include[],
): Promise<readonly Include[]> {
  const reverse = includes.filter(({ isReverse }) => isReverse);
  if (reverse.length <= FEW_INCLUDES) return includes;
  const definitions = definitionsOf(space);
  const numberOf = ({ source }: Include): number => definitions.typeNumber(source) ?? 0;
  const populated = await findPopulatedTypes(database, space.number, [...new Set(reverse.map(numberOf))]);
  return includes.filter((include) => !include.isReverse || populated.has(numberOf(include)));
}

const FEW_INCLUDES = 4;

const cachedTargets = new WeakMap<StoredVersion, Map<SearchParameterDefinition, readonly Target[]>>();

class Collector {
  readonly included: StoredVersion[] = [];
  isFull = false;
  /** By version: a reference to another version of a match is included beside it. */
  private readonly seen: Set<string>;
  private readonly contents = new Map<StoredVersion, JsonObject>();

  constructor(
    private readonly services: SearchServices,
    private readonly context: RequestContext,
    matches: readonly StoredVersion[],
  ) {
    this.seen = new Set(matches.map(nameOf));
  }

  async add(includes: readonly Include[], frontier: readonly StoredVersion[]): Promise<StoredVersion[]> {
    const start = this.included.length;
    for (const include of includes) {
      if (this.isFull) break;
      const found = include.isReverse
        ? await this.referring(include, frontier)
        : await this.targets(include, frontier);
      for (const version of found) this.take(version);
    }
    return this.included.slice(start);
  }

  /** Removes the versions that the last round added, because they are beyond the limit. */
  giveBack(added: readonly StoredVersion[]): void {
    this.included.length -= added.length;
    this.isFull ||= added.length > 0;
  }

  private take(version: StoredVersion): void {
    const name = nameOf(version);
    if (this.seen.has(name)) return;
    if (this.included.length >= MAX_INCLUDED) {
      this.isFull = true;
      return;
    }
    this.seen.add(name);
    this.included.push(version);
  }

  private async targets(
    { source, parameters, targetType }: Include,
    frontier: readonly StoredVersion[],
  ): Promise<StoredVersion[]> {
    const { services, context } = this;
    const { space } = context;
    const references = services.references(space);
    const wanted = new Map<string, () => Promise<StoredVersion | undefined>>();
    for (const version of frontier) {
      if (version.type !== source) continue;
      for (const parameter of parameters) {
        for (const { text, isCanonical } of this.targetsOf(version, parameter)) {
          const local = references.local(text);
          if (local !== undefined) {
            if (targetType === undefined || local.type === targetType)
              wanted.set(text, () => this.read(local.type, local.id, local.versionId));
          } else if (isCanonical) {
            const types = targetType === undefined ? parameter.targets : [targetType];
            for (const type of types) wanted.set(`${type} ${text}`, () => this.readCanonical(type, text));
          }
        }
      }
    }
    if (wanted.size > MAX_INCLUDED) this.isFull = true;
    const found = await Promise.all([...wanted.values()].slice(0, MAX_INCLUDED).map((read) => read()));
    return found.filter((version) => version !== undefined);
  }

  /** Cached by version, since versions are cached too (version-cache.ts). */
  private targetsOf(version: StoredVersion, parameter: SearchParameterDefinition): readonly Target[] {
    let targetsByParameter = cachedTargets.get(version);
    if (targetsByParameter === undefined) {
      targetsByParameter = new Map<SearchParameterDefinition, readonly Target[]>();
      cachedTargets.set(version, targetsByParameter);
    }
    let targets = targetsByParameter.get(parameter);
    if (targets === undefined) {
      const definitions = this.services.definitionsOf(this.context.space);
      targets = targetsOf(definitions, parameter, this.contentOf(version));
      targetsByParameter.set(parameter, targets);
    }
    return targets;
  }

  /** Parses each resource once, since several includes use the same ones. */
  private contentOf(version: StoredVersion): JsonObject {
    let content = this.contents.get(version);
    if (content === undefined) {
      content = parseStoredObject(version.text);
      this.contents.set(version, content);
    }
    return content;
  }

  private async read(
    type: string,
    id: string,
    version: string | undefined,
  ): Promise<StoredVersion | undefined> {
    if (permissionsOf(this.services, this.context)?.allows(type, 'r') === false) return undefined;
    if (version === undefined) return find(this.services, this.context, type, id);
    try {
      return await vread(this.services, this.context, { type, id, versionId: version });
    } catch (error) {
      // A broken reference includes nothing.
      if (error instanceof FhirError && (error.status === 404 || error.status === 410)) return undefined;
      throw error;
    }
  }

  private async readCanonical(type: string, canonical: string): Promise<StoredVersion | undefined> {
    const { services, context } = this;
    if (permissionsOf(services, context)?.allows(type, 'r') === false) return undefined;
    const { url, version } = parseCanonical(canonical);
    const found = await findCanonical(services, context.space, { type, url, version, isExact: true });
    if (found === undefined) return undefined;
    const { id } = parseStoredObject(found.text);
    return typeof id === 'string' ? find(services, context, type, id) : undefined;
  }

  private async referring(
    { source, parameters, targetType }: Include,
    frontier: readonly StoredVersion[],
  ): Promise<StoredVersion[]> {
    const { services, context } = this;
    const { space } = context;
    const definitions = services.definitionsOf(space);
    const stored = storedParameters(definitions, source);
    const sourceNumber = definitions.typeNumber(source);
    if (sourceNumber === undefined) return [];
    const found: StoredVersion[] = [];
    for (const type of new Set(frontier.map((version) => version.type))) {
      if (targetType !== undefined && targetType !== type) continue;
      const numbers = parameters.flatMap(({ code }) =>
        (stored.get(code)?.rowsOf ?? [])
          .filter((row) => row.targetType === undefined || row.targetType === type)
          .map(({ number }) => number),
      );
      const typeNumber = definitions.typeNumber(type);
      if (numbers.length === 0 || typeNumber === undefined) continue;
      const keys = await findReferring(services.database, space.number, {
        parameters: [...new Set(numbers)],
        targetType: typeNumber,
        targets: frontier
          .filter((version) => version.type === type)
          .map(({ id }) => services.keys.keyOf(type, id)),
        limit: MAX_INCLUDED + 1,
        byKey: hidesDate(services, context, source),
      });
      found.push(...(await this.readKeys(source, sourceNumber, keys)));
    }
    return [
      ...found,
      ...(await this.referringByUrl({ source, parameters, targetType }, sourceNumber, frontier)),
    ];
  }

  /** The resources whose canonicals name a url of the frontier, in its version or without one. */
  private async referringByUrl(
    { source, parameters, targetType }: Pick<Include, 'source' | 'parameters' | 'targetType'>,
    sourceNumber: number,
    frontier: readonly StoredVersion[],
  ): Promise<StoredVersion[]> {
    const { services, context } = this;
    const { space } = context;
    const definitions = services.definitionsOf(space);
    const stored = storedParameters(definitions, source);
    const named = parameters.flatMap((parameter) => {
      const storedParameter = stored.get(parameter.code);
      if (storedParameter === undefined || !isCanonicalValued(storedParameter)) return [];
      const types = allowedCanonicalTypes(definitions, storedParameter).filter(
        (type) => targetType === undefined || type === targetType,
      );
      return [{ parameter, types, numbers: storedParameter.rowsOf.map(({ number }) => number) }];
    });
    const found: StoredVersion[] = [];
    for (const { parameter, types, numbers } of named) {
      const canonicals = this.canonicalsOf(frontier.filter(({ type }) => types.includes(type)));
      if (canonicals.size === 0) continue;
      const urls = [...canonicals].filter((canonical) => !canonical.includes('|'));
      const keys = await findKeysOfUris(services.database, space.number, {
        parameters: numbers,
        uris: urls.map((url) => indexedUri(services.hasher, url)),
        limit: MAX_INCLUDED + 1,
      });
      const referring = await this.readKeys(source, sourceNumber, keys);
      found.push(
        ...referring.filter((version) =>
          targetsOf(definitions, parameter, this.contentOf(version)).some(({ text }) => {
            const { url, version: wanted } = splitCanonical(text);
            return canonicals.has(wanted === '' ? url : `${url}|${wanted}`);
          }),
        ),
      );
    }
    return found;
  }

  /** `url` and `url|version` of each version. */
  private canonicalsOf(versions: readonly StoredVersion[]): ReadonlySet<string> {
    const canonicals = new Set<string>();
    for (const version of versions) {
      const { url, version: business } = this.contentOf(version);
      if (typeof url !== 'string') continue;
      canonicals.add(url);
      if (typeof business === 'string') canonicals.add(`${url}|${business}`);
    }
    return canonicals;
  }

  private async amongSeen(type: string, rows: readonly VersionRow[]): Promise<readonly VersionRow[]> {
    const visibility = visibilityOf(this.services, this.context);
    if (visibility === undefined) return rows;
    if (!visibility.permissions.allows(type, 'r')) return [];
    const seen = await visibility.amongCurrent(type, 'r', this.context.space.number, rows);
    return rows.filter((row) => seen.has(row));
  }

  private async readKeys(
    type: string,
    typeNumber: number,
    keys: readonly string[],
  ): Promise<StoredVersion[]> {
    const { services, context } = this;
    const space = context.space.number;
    // Keys beyond the limit are not read, and the caller may be allowed to see some of them.
    if (context.access !== undefined && keys.length > MAX_INCLUDED) this.isFull = true;
    const rows = await services.reader.readCurrent(
      space,
      keys.map((key) => ({ type: typeNumber, key: keyOfText(key) })),
    );
    const live = rows.flatMap((row) => (row === undefined || row.change === 'delete' ? [] : [row]));
    const whole = await services.reader.completePage(live, () => space);
    if (whole.length < live.length) this.isFull = true;
    const seen = await this.amongSeen(type, whole);
    return seen.map((row) => toStoredVersion(services, type, row));
  }
}

function nameOf({ type, id, versionId }: StoredVersion): string {
  return `${type}/${id}/${versionId}`;
}
