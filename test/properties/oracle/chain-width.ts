/** Number of resource types in a chain without types: which ones may be refused as too costly. */
import { parseFilter, type FilterNode, type FilterTest } from './filter-grammar';
import { EVERY, officialParameters, officialTargets, type Release } from './official';
import { BadSearch } from './refusal';

/** A server answers chains of up to 100 types in all their links; counted are the ends alone. */
const WIDE = 50;

const typesOf = (release: Release): string[] => [
  ...new Set([...officialParameters(release).values()].map(({ type }) => type)),
];

function targetsOf(release: Release, type: string, code: string): readonly string[] {
  if (code === 'patient') return ['Patient'];
  const targets = officialTargets(release, type, code);
  return targets.some((target) => EVERY.includes(target)) ? typesOf(release) : targets;
}

/** The number of ends that a name such as `subject.organization.name` has from a type. */
function widthOf(release: Release, type: string, name: string): number {
  const has = /^_has:(\w+):[\w-]+:(.*)$/.exec(name);
  if (has !== null) return widthOf(release, has[1] ?? '', has[2] ?? '');
  const [, code = '', only, rest] = /^([\w-]+)(?::(\w+))?\.(.*)$/.exec(name) ?? [];
  if (rest === undefined) return 1;
  const [first = ''] = /^[\w-]+/.exec(rest) ?? [];
  const isType = (target: string): boolean =>
    first === '_has' || officialParameters(release).has(`${target}.${first}`);
  return (only === undefined ? targetsOf(release, type, code) : [only])
    .filter(isType)
    .map((target) => widthOf(release, target, rest))
    .reduce((sum, width) => sum + width, 0);
}

/** True when a criterion has a chain that may be refused. */
export function isWide(release: Release, type: string, [name, text]: readonly [string, string]): boolean {
  const chains = name === '_filter' ? pathsOf(text) : [name];
  return chains.some((chain) => widthOf(release, type, chain) >= WIDE);
}

/** The paths of a filter, without the content of brackets; none where it cannot be parsed. */
function pathsOf(filter: string): string[] {
  try {
    return testsOf(parseFilter(filter)).map(({ path }) =>
      path.map(({ name, type }) => (type === undefined ? name : `${name}:${type}`)).join('.'),
    );
  } catch (error) {
    if (error instanceof BadSearch) return [];
    throw error;
  }
}

function testsOf(node: FilterNode): FilterTest[] {
  if (node.kind === 'test') return [node];
  return node.kind === 'not' ? testsOf(node.one) : [...testsOf(node.one), ...testsOf(node.other)];
}
