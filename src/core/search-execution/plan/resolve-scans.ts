/**
 * Searches for values that no index has: the texts of the resources are read, and the keys of the matches replace
 * the predicate. SQL patterns filter out most texts inside the database.
 */
import { turns } from '../../concurrency/turns';
import { FhirError, fhirError } from '../../errors';
import { parseStoredObject, type JsonObject } from '../../fhir/json';
import { createCache, forEachDatabase } from '../../memory/create-cache';
import { hasScan } from '../../search/matching/has-scan';
import type { ContainedKeys, Criterion, Predicate, Scan, TypeCriteria } from '../../search/predicate';
import type { ResourceKey } from '../../search/rows/resource-key';
import { compileScan, type ScanTest } from '../../search/matching/scan';
import type { SearchServices, Services } from '../../ports';
import { lastChangeOf } from '../../storage/read/conformance';
import {
  FIRST_KEY,
  scanKeys,
  scanRange,
  type ScannedText,
  type TextScan,
} from '../../storage/search/text-scan';
import { keyOfText } from '../../storage/read/version-row';
import { runKeys } from '../../storage/search/search-run';
import {
  containmentBehind,
  NOT_CONTAINED,
  scanContained,
  type ContainedTest,
  type Containment,
} from './scan-contained';

/** Maximum number of matches of one scan. */
const MAX_FOUND = 10_000;
/** Up to this number, the matches of the other criteria are read by key; beyond it, the whole type is read. */
const MAX_CANDIDATES = 10_000;
/** Maximum number of alternatives; each is searched for in each text. */
const MAX_ALTERNATIVES = 50;
/** Further patterns would cost more than they filter out; PostgreSQL caches 32 compiled patterns. */
const MAX_PATTERNS = 8;
/** Resources per statement. */
const CHUNK = 1_000;
/** Time limit of all statements of one scan; a single one has the statement timeout. */
const MAX_SCAN_MS = 10_000;

/** Cache of the keys of whole scans, for their next pages; valid until a resource of the type changes. */
const keysCache = forEachDatabase(() =>
  createCache<string, readonly ResourceKey[]>({ name: 'scanned-keys', scope: 'data', maxSize: 200_000 }),
);

/**
 * Replaces scans by the keys of their matches in this space, at any depth of chains. If few resources
 * match the other criteria, only those are read.
 * Cost: nothing without scans; else the texts of the type: a second for some 100 MB.
 * Throws tooCostly for more than 10,000 matches, searchTimeout after ten seconds.
 */
export async function resolveScans(
  services: SearchServices,
  space: number,
  of: TypeCriteria,
  containment = NOT_CONTAINED,
): Promise<readonly Criterion[]> {
  if (!of.criteria.some(hasScan)) return of.criteria;
  const resolved = await Promise.all(
    of.criteria.map((criterion) => resolveInner(services, space, { of, criterion, containment })),
  );
  // Criteria that are only scans are merged: each text is read once, and must pass all of them.
  const isPure = ({ anyOf, isNegated }: Criterion): boolean =>
    isNegated !== true && anyOf.length > 0 && anyOf.every(({ index }) => index === 'scan');
  const pure = resolved.filter(isPure);
  let found = resolved.filter((criterion) => !isPure(criterion));
  if (pure.length > 0) {
    const others = found.filter((criterion) => !isScanned(criterion));
    found = [
      ...found,
      await resolveTogether(services, space, {
        others: { ...of, criteria: others },
        scanned: pure,
        containment,
      }),
    ];
  }
  for (const [index, criterion] of found.entries()) {
    if (!isScanned(criterion)) continue;
    const others = found.filter((other) => !isScanned(other));
    const scans = criterion.anyOf.filter((predicate) => predicate.index === 'scan');
    const rest = criterion.anyOf.filter((predicate) => predicate.index !== 'scan');
    const scanned = [{ name: criterion.name, anyOf: scans }];
    const { anyOf } = await resolveTogether(services, space, {
      others: { ...of, criteria: others },
      scanned,
      containment,
    });
    found[index] = { ...criterion, anyOf: [...rest, ...anyOf] };
  }
  return found;
}

function isImpossible({ anyOf, isNegated }: Criterion): boolean {
  return anyOf.length === 0 && isNegated !== true;
}

function isScanned({ anyOf }: Criterion): boolean {
  return anyOf.some(({ index }) => index === 'scan');
}

/** The criterion, with the scans inside its chains resolved. */
async function resolveInner(
  services: SearchServices,
  space: number,
  {
    of,
    criterion,
    containment,
  }: { readonly of: TypeCriteria; readonly criterion: Criterion; readonly containment: Containment },
): Promise<Criterion> {
  const resolve = async (inner: TypeCriteria, inside = NOT_CONTAINED): Promise<TypeCriteria> => ({
    ...inner,
    criteria: await resolveScans(services, space, inner, inside),
  });
  const anyOf = await Promise.all(
    criterion.anyOf.map(async (predicate): Promise<Predicate[]> => {
      switch (predicate.index) {
        case 'target':
          return [
            {
              ...predicate,
              target: await resolve(predicate.target, containmentBehind(of.type, predicate, containment)),
            },
          ];
        case 'source':
          return [{ ...predicate, source: await resolve(predicate.source) }];
        case 'all': {
          const { criteria } = await resolve({ ...of, criteria: predicate.criteria }, containment);
          // An alternative that nothing can match would only lead to a worse plan.
          return criteria.some(isImpossible) ? [] : [{ ...predicate, criteria }];
        }
        default:
          return [predicate];
      }
    }),
  );
  return { ...criterion, anyOf: anyOf.flat() };
}

/** @param others the criteria that the resources must match as well */
async function resolveTogether(
  services: SearchServices,
  space: number,
  {
    others,
    scanned,
    containment,
  }: {
    readonly others: TypeCriteria;
    readonly scanned: readonly Criterion[];
    readonly containment: Containment;
  },
): Promise<Criterion> {
  const name = scanned.map((criterion) => criterion.name).join(', ');
  const scans = scanned.map(({ anyOf }) =>
    mergeScans(anyOf.flatMap((predicate) => (predicate.index === 'scan' ? [predicate.scan] : []))),
  );
  try {
    const { keys, contained } = await findKeys(services, space, { others, scans, containment });
    if (contained.length > 0) return { name, anyOf: [{ index: 'key', keys, contained }] };
    return { name, anyOf: keys.length === 0 ? [] : [{ index: 'key', keys }] };
  } catch (error) {
    if (error instanceof FhirError && error.key === 'timeout') throw tooSlow(name);
    throw error;
  }
}

/** Merges alternatives that are words of the same texts. Throws tooCostly for too many. */
function mergeScans(scans: readonly Scan[]): readonly Scan[] {
  if (scans.length > MAX_ALTERNATIVES) {
    const reason = `A search for words may have at most ${MAX_ALTERNATIVES} alternatives`;
    throw fhirError('tooCostly', { reason });
  }
  const merged = new Map<string, Scan>();
  for (const scan of scans) {
    const key = toKey(scan.kind === 'words' ? scan.texts : scan);
    const other = merged.get(key);
    const isSame = other?.kind === 'words' && scan.kind === 'words';
    merged.set(
      key,
      isSame ? { ...other, condition: { kind: 'any', of: [other.condition, scan.condition] } } : scan,
    );
  }
  return [...merged.values()];
}

/** The content of a scan without its space. */
function toKey(scan: unknown): string {
  return JSON.stringify(scan, (name, value: unknown) => (name === 'space' ? undefined : value));
}

/** The resources that pass one scan of each list, and the contained ones. */
async function findKeys(
  services: SearchServices,
  space: number,
  {
    others,
    scans,
    containment,
  }: {
    readonly others: TypeCriteria;
    readonly scans: readonly (readonly Scan[])[];
    readonly containment: Containment;
  },
): Promise<{ readonly keys: readonly ResourceKey[]; readonly contained: readonly ContainedKeys[] }> {
  const tests = scans.map((anyOf) =>
    anyOf.map((scan) =>
      compileScan(services.definitions(scan.release), scan, (...of) => services.extractForScan(...of)),
    ),
  );
  const scan: TextScan = {
    space,
    type: others.type,
    ordinal: tests.map(ordinalOf).find((ordinal) => ordinal !== undefined),
    patterns: tests.flatMap(patternsOfAny).slice(0, MAX_PATTERNS),
  };
  const reader = new Reader(services, space, tests);
  const release = scans[0]?.[0]?.release;
  const contained =
    release === undefined
      ? []
      : await scanContained(services, { release, textScan: scan, test: reader, containment });
  const keys = containment.hasStored ? await findStored(services, { others, scans, scan, reader }) : [];
  return { keys, contained };
}

async function findStored(
  services: Pick<Services, 'connections' | 'database' | 'estimator' | 'scope'>,
  {
    others,
    scans,
    scan,
    reader,
  }: {
    readonly others: TypeCriteria;
    readonly scans: readonly (readonly Scan[])[];
    readonly scan: TextScan;
    readonly reader: Reader;
  },
): Promise<readonly ResourceKey[]> {
  const { database } = services;
  const { space } = scan;
  const candidates = await findCandidates(services, space, others);
  if (candidates !== undefined) {
    for (let start = 0; start < candidates.length; start += CHUNK) {
      await reader.read(await scanKeys(database, scan, candidates.slice(start, start + CHUNK)));
    }
    return reader.found;
  }
  const change = await lastChangeOf(database, space, [others.type]);
  const key = `${space} ${others.type} ${change} ${toKey(scans)}`;
  const cache = keysCache(services);
  const cached = cache.get(key);
  if (cached !== undefined) return cached;
  let from: string | undefined = FIRST_KEY;
  while (from !== undefined) {
    const { texts, next } = await scanRange(database, scan, from, CHUNK);
    await reader.read(texts);
    from = next;
  }
  // Resources that changed meanwhile may be missing, so the keys are not cached. Neither is the view of a transaction,
  // which may never be committed.
  if (services.scope.isCommitted && (await lastChangeOf(database, space, [others.type])) === change) {
    cache.set(key, reader.found, { size: 1 + reader.found.length });
  }
  return reader.found;
}

/** The presence bit that a resource needs to pass one of the tests. */
function ordinalOf([first, ...others]: readonly ScanTest[]): number | undefined {
  return others.every(({ ordinal }) => ordinal === first?.ordinal) ? first?.ordinal : undefined;
}

/** The patterns that a text must match to pass one of the tests. */
function patternsOfAny(tests: readonly ScanTest[]): readonly string[] {
  const [first, ...others] = tests;
  if (first === undefined || others.length === 0) return first?.patterns ?? [];
  if (tests.some(({ patterns }) => patterns.length === 0)) return [];
  return [tests.map(({ patterns: [pattern = ''] }) => pattern).join('|')];
}

/** The keys of all matches of the criteria; undefined if they are many or cannot be listed. */
async function findCandidates(
  { database, estimator }: Pick<Services, 'database' | 'estimator'>,
  space: number,
  of: TypeCriteria,
): Promise<readonly ResourceKey[] | undefined> {
  const criteria = await estimator.plan(space, of);
  const counts = await estimator.countEach(space, { ...of, criteria });
  const fewest = Math.min(...counts);
  if (fewest > MAX_CANDIDATES) return undefined;
  const heads = await runKeys(database, {
    ...of,
    criteria,
    space,
    order: { by: 'key', descending: true },
    accessPath: { kind: 'fetchAndSort', criterion: counts.indexOf(fewest) },
    phase: 'all',
    after: undefined,
    limit: MAX_CANDIDATES + 1,
  });
  // The estimated counts may be half a minute old.
  return heads.length > MAX_CANDIDATES ? undefined : heads.map(({ keyText }) => keyOfText(keyText));
}

/** Tests texts and collects the keys of those that pass. */
class Reader implements ContainedTest {
  readonly found: ResourceKey[] = [];
  private readonly started = performance.now();

  constructor(
    private readonly services: Pick<Services, 'reader'>,
    private readonly space: number,
    private readonly tests: readonly (readonly ScanTest[])[],
  ) {}

  /** Throws tooCostly, timeout. */
  async read(texts: readonly ScannedText[]): Promise<void> {
    for (const { keyText, row } of texts) {
      const { body } = await this.services.reader.complete(this.space, row);
      if (this.passes(parseStoredObject(body))) this.found.push(keyOfText(keyText));
      await this.letOthersWork();
    }
    if (this.found.length > MAX_FOUND) {
      const reason = `More than ${MAX_FOUND} resources have these words or values, which is the limit. Narrow the search by more words or other parameters`;
      throw fhirError('tooCostly', { reason });
    }
  }

  passes(resource: JsonObject): boolean {
    return this.tests.every((anyOf) => anyOf.some((test) => test.passes(resource)));
  }

  /** Throws timeout. */
  async letOthersWork(): Promise<void> {
    if (performance.now() - this.started > MAX_SCAN_MS) throw fhirError('timeout');
    await turns.take();
  }
}

function tooSlow(name: string): FhirError {
  const reason = `for the parameter '${name.slice(0, 80)}' resources are read one by one; narrow the search by other parameters`;
  return fhirError('searchTimeout', { reason });
}
