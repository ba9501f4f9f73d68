/** Displays of many codes at once, in languages. */
import type { FoundDisplay, WantedDisplay } from '../api/terminology';
import { turns } from '../concurrency/turns';
import type { Space } from '../context';
import { type CodeSystem, hasConcepts } from '../fhir/terminology/code-system';
import { displayInLanguages } from '../fhir/terminology/display';
import { type Canonical, type TerminologySource, toCanonical } from '../fhir/terminology/source';
import { withConcepts } from '../fhir/terminology/stored-code-system';
import { readSupplements, withSupplements } from '../fhir/terminology/supplements';
import { builtInCodeSystem } from '../fhir/terminology/systems';
import type { SearchServices } from '../ports';
import { baseCodeSystems, type CodeSystemList, ownCodeSystems } from './code-system-list';
import { createTerminologyEnvironment } from './environment';
import { terminologyOf } from './terminology-source';

const UNKNOWN: FoundDisplay = { inLanguage: undefined, display: undefined };

/**
 * Returns the displays of codes in their order, from the code systems of the tenant before those of the release, and from all their
 * supplements in force: without these most code systems have one language. Cost: some statements for each code system, one of them for
 * all of its codes where these are in tables; none for a code system that does not exist.
 */
export async function findDisplays(
  services: SearchServices,
  space: Space,
  wanted: readonly WantedDisplay[],
): Promise<readonly FoundDisplay[]> {
  const environment = createTerminologyEnvironment(services, space);
  const source = terminologyOf(environment);
  const [own, base] = await Promise.all([ownCodeSystems(services, space), baseCodeSystems(services, space)]);
  const lists = [own, base].flatMap((list) => list ?? []);
  const canonicals = new Map<string, Canonical>();
  for (const { system, version } of wanted)
    canonicals.set(toCanonical(system, version), { url: system, version });
  const systems = new Map(
    await Promise.all(
      Array.from(
        canonicals,
        async ([key, canonical]) => [key, await readSystem(source, lists, canonical)] as const,
      ),
    ),
  );
  await turns.take();
  return withConcepts(environment, () =>
    wanted.map((each) => displayIn(systems.get(toCanonical(each.system, each.version)), each)),
  );
}

async function readSystem(
  source: TerminologySource,
  lists: readonly CodeSystemList[],
  { url, version }: Canonical,
): Promise<CodeSystem | undefined> {
  const mayExist = lists.some(({ isWhole, urls }) => !isWhole || urls.has(url));
  if (!mayExist && builtInCodeSystem(url) === undefined) return undefined;
  const codeSystem = await source.findCodeSystem(url, version);
  if (codeSystem === undefined || !hasConcepts(codeSystem)) return undefined;
  const supplements = lists.flatMap((list) => list.supplements.get(url) ?? []);
  return withSupplements(codeSystem, (await readSupplements(source, supplements)).found);
}

function displayIn(codeSystem: CodeSystem | undefined, { code, languages }: WantedDisplay): FoundDisplay {
  const concept = codeSystem?.find(code);
  if (concept === undefined) return UNKNOWN;
  const inLanguage = displayInLanguages({ codeSystem, concept, listed: undefined }, languages);
  return { inLanguage, display: concept.display };
}
