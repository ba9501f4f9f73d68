/** A fixed piece of typical work, by whose time runs on different machines, or at different hours, compare. */

/**
 * Milliseconds of the fixed work on the reference: the least that two shared cores of an AMD EPYC took with Node 20.20.
 * The same machine, idle, has taken twice that at another hour.
 */
const REFERENCE_MS = 2.5;

const LEAVES = Array.from({ length: 400 }, (_, index) => ({
  name: `leaf ${index} of the fixed work`,
  values: Array.from({ length: 40 }, (_value, place) => (index * 7919 + place * 104_729) % 65_521),
}));
const TEXT = JSON.stringify(LEAVES);

/** Typical work of parsers and planners: read text, make objects, look into maps, sort, join text. */
function fixedWork() {
  const counts = new Map();
  for (const { name, values } of JSON.parse(TEXT)) {
    const sorted = [...values].sort((one, other) => one - other);
    for (const value of sorted) {
      const key = `${name.slice(0, 6)}${value % 997}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return counts.size;
}

module.exports = { fixedWork, REFERENCE_MS };
