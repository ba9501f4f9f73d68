/** The output of the generators: every feature occurs, and most searches match neither nothing nor all. */
import { generateData } from './generate-data';
import { FEATURES } from './features';
import { generateSearch } from './generate-query';
import { makeSpace } from './make-space';
import { search } from './matcher';
import { createRandom } from './random';
import { Unclear } from './refusal';
import { TESTED_RELEASES } from '../../support/releases';
import { rounds } from '../../support/rounds';

const ROOT = 'https://fhir.example.org/w/system/api/v1/fhir/r4';
/** A feature is found in some of these, mostly among the first. */
const MOST_SEARCHES = 2500;
const SEARCHES = rounds(400, 2500);

describe.each(TESTED_RELEASES)('searches made for %s', (release) => {
  const space = makeSpace({ release, root: ROOT, resources: generateData({ seed: 3, root: ROOT }) });

  it('are answered by the oracle, often with something and seldom with 400', () => {
    const random = createRandom(3);
    const seen = { found: 0, nothing: 0, refused: 0, unclear: 0 };
    for (let count = 0; count < SEARCHES; count++) {
      const { type, query } = generateSearch({ space, random, isOn: () => true });
      try {
        const expected = search(space, type, query);
        if (expected === undefined) seen.refused += 1;
        else {
          expected.includedWith(expected.matches);
          [...expected.matches].sort((one, other) => expected.compare(one, other));
          seen[expected.matches.length > 0 ? 'found' : 'nothing'] += 1;
        }
      } catch (error) {
        if (!(error instanceof Unclear)) throw error;
        seen.unclear += 1;
      }
    }
    expect(seen.found).toBeGreaterThan(SEARCHES * 0.35);
    expect(seen.refused).toBeLessThan(SEARCHES * 0.15);
    expect(seen.unclear).toBeLessThan(SEARCHES * 0.1);
  });

  // Contained resources are in the data, in all searches.
  it.each(FEATURES.filter((feature) => feature !== 'chain:contained'))('search %s on its side', (feature) => {
    const whole = createRandom(5);
    const without = createRandom(5);
    const usesFeature = (): boolean => {
      const one = generateSearch({ space, random: whole, isOn: () => true });
      const other = generateSearch({ space, random: without, isOn: (name) => name !== feature });
      return one.type !== other.type || one.query !== other.query;
    };
    expect(Array.from({ length: MOST_SEARCHES }).some(usesFeature)).toBe(true);
  });

  it('are the same for the same seed', () => {
    const draw = (): unknown => {
      const random = createRandom(9);
      return Array.from({ length: 50 }, () => generateSearch({ space, random, isOn: () => true }));
    };
    expect(draw()).toEqual(draw());
  });
});
