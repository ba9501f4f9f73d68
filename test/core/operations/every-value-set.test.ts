/**
 * Every value set of the definitions can be expanded, unless it needs what they do not have; then the answer names that, and says how
 * to load it.
 */
import { isJsonObject } from '../../../src/core/fhir/json';
import { RELEASE_NAMES, type Release } from '../../../src/core/fhir/release';
import { BUILT_IN_SYSTEMS } from '../../../src/core/fhir/terminology/systems';
import { loadTerminology, toObject } from '../fhir/terminology/specification-terminology';
import { invoke, makeEnvironment } from './specification-environment';

/** So many can be expanded. The definitions of R4B have only some of the code systems of terminology.hl7.org. */
const EXPANDED: Readonly<Record<Release, number>> = { r4: 1224, r4b: 585 };

const NOT_LOADED =
  /^(?:The code system (?<plain>\S+)|.+ \((?<named>\S+)\)) is not loaded here: .*npx --no-install andiron import-terminology/;
const NO_VALUE_SET = /^The included value set (\S+) does not exist: load a package that has it/;
const BY_RULES = /^The codes of (\S+) follow rules that allow too many to list$/;

describe.each(RELEASE_NAMES)('the value sets of %s', (release) => {
  const environment = makeEnvironment(release);
  const terminology = loadTerminology(release);
  const reasons = new Map<string, string>();
  let expanded = 0;

  beforeAll(async () => {
    for (const url of [...terminology.keys()].flatMap((key) => /^ValueSet (.*)/.exec(key)?.[1] ?? [])) {
      const address = { level: 'type', type: 'ValueSet', code: 'expand' } as const;
      try {
        const { expansion } = await invoke(environment, address, [{ name: 'url', valueUri: url }]);
        if (isJsonObject(expansion)) expanded++;
      } catch (error) {
        reasons.set(url, (error as Error).message);
      }
    }
  });

  /** True if the definitions have a resource, in this version, with its codes. */
  function isHere(type: string, canonical: string): boolean {
    const [url = '', version] = canonical.split('|');
    const found = terminology.get(`${type} ${url}`);
    if (found === undefined || (version !== undefined && version !== found.version)) return false;
    return toObject(found.text)['content'] !== 'not-present';
  }

  it('all expand that need nothing else', () => {
    expect(expanded).toBe(EXPANDED[release]);
  });

  it('the others say what is missing, and how to load it', () => {
    const wrong = [...reasons].filter(([, reason]) => {
      const { plain, named } = NOT_LOADED.exec(reason)?.groups ?? {};
      const system = plain ?? named;
      if (system !== undefined) return isHere('CodeSystem', system);
      const [, valueSet] = NO_VALUE_SET.exec(reason) ?? [];
      if (valueSet !== undefined) return isHere('ValueSet', valueSet);
      const [, rules] = BY_RULES.exec(reason) ?? [];
      return rules === undefined || !BUILT_IN_SYSTEMS.has(rules);
    });
    expect(wrong).toEqual([]);
    expect([...reasons.values()]).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^SNOMED CT .*import-terminology/),
        expect.stringMatching(/^LOINC .*import-terminology/),
      ]),
    );
  });
});
