/** Searches contained resources that a chain leads to for values that no index has, by reading their containers. */
import { fhirError } from '../../errors';
import { parseStoredObject, type JsonObject } from '../../fhir/json';
import type { Release } from '../../fhir/release';
import { containedBlocks } from '../../search/rows/extract';
import { searchesStored } from '../../search/matching/links';
import type { ContainedKeys, Predicate } from '../../search/predicate';
import type { ResourceKey } from '../../search/rows/resource-key';
import type { Services } from '../../ports';
import { findContainers, type ChainLink } from '../../storage/search/contained-marks';
import { scanKeys, type ScannedText, type TextScan } from '../../storage/search/text-scan';
import { keyOfText } from '../../storage/read/version-row';

/** Maximum number of containers for one type. */
const MAX_CONTAINERS = 10_000;
/** Containers per statement. */
const CHUNK = 1_000;

type Target = Extract<Predicate, { index: 'target' }>;

/** A link of a chain by which resources of a type refer to resources that they contain. */
export interface ContainingLink extends ChainLink {
  /** Number of the containers' type. */
  readonly container: number;
}

/**
 * The links by which the resources of a criterion may be contained. `direct`: their container refers to them;
 * `indirect`: another contained resource refers to them, and the container refers to that one; `entries`: they are in
 * the Bundle whose first resource the link leads to.
 */
export interface Containment {
  readonly direct: readonly ContainingLink[];
  readonly indirect: readonly ContainingLink[];
  readonly entries: readonly ContainingLink[];
  /** True: stored resources may meet the criterion too. */
  readonly hasStored: boolean;
}
export const NOT_CONTAINED: Containment = { direct: [], indirect: [], entries: [], hasStored: true };

/** The containment one link further. `container`: the number of the type that the link leads from. */
export function containmentBehind(
  container: number,
  { hasContainedTargets = false, parameters, part, urls, target: { type } }: Target,
  { direct, entries }: Containment,
): Containment {
  if (urls !== undefined) return NOT_CONTAINED;
  const links = hasContainedTargets ? [{ container, parameters, type }] : [];
  if (part === 'entries')
    return { direct: [], indirect: [], entries: [...entries, ...links], hasStored: false };
  return { direct: links, indirect: direct, entries, hasStored: searchesStored({ part }) };
}

/** The test of contained resources. */
export interface ContainedTest {
  passes(resource: JsonObject): boolean;
  /** Must be called between resources. Throws timeout. */
  letOthersWork(): Promise<void>;
}

/**
 * The contained resources of the scan's type that pass the test and that the links lead to. The scan's patterns apply
 * to the texts of containers too.
 * Cost: a statement for each link, and the texts of its containers. Throws tooCostly for more than 10,000 containers.
 */
export async function scanContained(
  services: Pick<Services, 'database' | 'definitions' | 'reader'>,
  {
    release,
    textScan: { space, type, patterns },
    test,
    containment: { direct, indirect, entries },
  }: {
    readonly release: Release;
    readonly textScan: TextScan;
    readonly test: ContainedTest;
    readonly containment: Containment;
  },
): Promise<readonly ContainedKeys[]> {
  const definitions = services.definitions(release);
  const typeName = definitions.typeName(type);
  const found: ContainedKeys[] = [];
  for (const [container, links] of byContainer([...direct, ...indirect, ...entries])) {
    const containerName = definitions.typeName(container);
    if (containerName === undefined) continue;
    const [keys, blocks]: [ResourceKey[], number[]] = [[], []];
    const scan: TextScan = { space, type: container, ordinal: undefined, patterns };
    for await (const { keyText, row } of textsOf(services, scan, containerName, links)) {
      const { body } = await services.reader.complete(space, row);
      for (const inside of containedBlocks(definitions, containerName, parseStoredObject(body))) {
        if (inside.type !== typeName || !test.passes(inside.content)) continue;
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

/** The text of each container, once. */
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
  const reason = `More than ${MAX_CONTAINERS} resources of the type ${type} contain targets of the chain, which is the limit for a search for words`;
  return fhirError('tooCostly', { reason });
}
