/** Searches for what no index holds in contained resources, where a chain leads to them: their containers are read. */
import { fhirError } from '../../errors';
import { parseStoredObject, type JsonObject } from '../../fhir/json';
import type { Release } from '../../fhir/release';
import { containedBlocks } from '../../search/extract';
import type { ContainedKeys, Predicate } from '../../search/predicate';
import type { ResourceKey } from '../../search/resource-key';
import type { Services } from '../../ports';
import { findContainers, type ChainLink } from '../../storage/search/contained-marks';
import { scanKeys, type ScannedText, type TextScan } from '../../storage/search/text-scan';
import { keyOfText } from '../../storage/read/version-row';

/** Containers that are read for one link. */
const MAX_CONTAINERS = 10_000;
/** Containers that one statement reads. */
const CHUNK = 1_000;

type Target = Extract<Predicate, { index: 'target' }>;

/** A link of a chain by which resources of a type refer to what they contain. */
export interface ContainingLink extends ChainLink {
  /** The number of the type of the containers. */
  readonly container: number;
}

/**
 * Where the resources that a criterion is asked of may be contained: in what refers to them by the first, or by way of
 * another contained resource, to which it refers by the second.
 */
export interface Containment {
  readonly direct: readonly ContainingLink[];
  readonly indirect: readonly ContainingLink[];
}
export const NOT_CONTAINED: Containment = { direct: [], indirect: [] };

/** The same, one link further. `container`: the number of the type that the chain leads from. */
export function containmentBehind(
  container: number,
  { looksInside = false, parameters, urls, target: { type } }: Target,
  { direct }: Containment,
): Containment {
  if (urls !== undefined) return NOT_CONTAINED;
  return { direct: looksInside ? [{ container, parameters, type }] : [], indirect: direct };
}

/** What contained resources are asked. */
export interface ContainedTest {
  passes(resource: JsonObject): boolean;
  /** To be called between resources. Throws timeout. */
  letOthersWork(): Promise<void>;
}

/**
 * The contained resources of the type of the scan that pass, where the links lead to such. The scan's patterns hold for
 * the texts of containers too.
 * Cost: a statement for each link, and the texts of its containers. Throws tooCostly for more than 10,000 containers.
 */
export async function scanContained(
  services: Pick<Services, 'database' | 'definitions' | 'reader'>,
  {
    release,
    textScan: { space, type, patterns },
    test,
    containment: { direct, indirect },
  }: {
    readonly release: Release;
    readonly textScan: TextScan;
    readonly test: ContainedTest;
    readonly containment: Containment;
  },
): Promise<readonly ContainedKeys[]> {
  const definitions = services.definitions(release);
  const asked = definitions.typeName(type);
  const found: ContainedKeys[] = [];
  for (const [container, links] of byContainer([...direct, ...indirect])) {
    const containerName = definitions.typeName(container);
    if (containerName === undefined) continue;
    const [keys, blocks]: [ResourceKey[], number[]] = [[], []];
    const scan: TextScan = { space, type: container, ordinal: undefined, patterns };
    for await (const { keyText, row } of textsOf(services, scan, containerName, links)) {
      const { body } = await services.reader.complete(space, row);
      for (const inside of containedBlocks(definitions, containerName, parseStoredObject(body))) {
        if (inside.type !== asked || !test.passes(inside.content)) continue;
        keys.push(keyOfText(keyText));
        blocks.push(inside.block);
      }
      await test.letOthersWork();
    }
    if (keys.length > 0) found.push({ type: container, keys, blocks });
  }
  return found;
}

function byContainer(links: readonly ContainingLink[]): ReadonlyMap<number, readonly ContainingLink[]> {
  const found = new Map<number, ContainingLink[]>();
  for (const link of links) found.set(link.container, [...(found.get(link.container) ?? []), link]);
  return found;
}

/** Each once. */
async function* textsOf(
  { database }: Pick<Services, 'database'>,
  scan: TextScan,
  containerName: string,
  links: readonly ContainingLink[],
): AsyncGenerator<ScannedText> {
  const keys = new Map<string, ResourceKey>();
  for (const link of links) {
    const ofLink = await findContainers(database, scan.space, link, MAX_CONTAINERS + 1);
    for (const key of ofLink) keys.set(`${key.high} ${key.low}`, key);
    if (keys.size > MAX_CONTAINERS) throw tooMany(containerName);
  }
  const all = [...keys.values()];
  for (let start = 0; start < all.length; start += CHUNK)
    yield* await scanKeys(database, scan, all.slice(start, start + CHUNK));
}

function tooMany(type: string): Error {
  const reason = `More than ${MAX_CONTAINERS} resources of the type ${type} contain what the chain leads to; these are searched for words up to there`;
  return fhirError('tooCostly', { reason });
}
