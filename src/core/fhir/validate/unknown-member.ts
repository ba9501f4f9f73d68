import { didYouMean } from '../../../../packages/fhir-values/closest-name';
import { shorten } from '../json/fault';
import { listNames, withArticle } from './found';
import type { Member } from './member';
import type { ElementChoice } from './element-choice';

/** Describes a member that an object of the type (`Patient`, `Patient.contact`) cannot have. Slow. */
export function describeUnknown(
  name: string,
  typeName: string,
  members: ReadonlyMap<string, Member>,
  choices: readonly ElementChoice[],
): string {
  const quoted = `'${shorten(name)}'`;
  if (name === 'resourceType')
    return `${quoted} is allowed in resources only, but this is ${withArticle(typeName)}`;
  const base = name.startsWith('_') ? name.slice(1) : name;
  if (base !== name && members.has(base)) {
    return `${quoted} is not allowed: '${base}' is no element that has its id and extensions beside it`;
  }
  for (const choice of choices) {
    const type = typeAfter(base, choice);
    if (type === undefined) continue;
    const allowed = listNames(choice.types.map((each) => choice.name + each));
    return type === '' || type === '[x]'
      ? `${quoted} must have its type in its name; allowed are ${allowed}`
      : `${quoted} is not an element of ${typeName}: '${choice.name}' has no type '${shorten(type)}'; allowed are ${allowed}`;
  }
  const lower = name.toLowerCase();
  const names = [...members.keys()];
  const likely = names.find((each) => each.toLowerCase() === lower);
  if (likely !== undefined) return `${quoted} is not an element of ${typeName}; it is spelt '${likely}'`;
  const elements = names.filter((each) => !each.startsWith('_'));
  const hint = didYouMean(base, elements, `allowed are ${listNames(elements)}`);
  return `${quoted} is not an element of ${typeName}${hint}`;
}

/**
 * Returns the text after the name of the choice: '' for `value`, '[x]' for `value[x]`, 'Foo' for `valueFoo`. Undefined
 * if the name is not that of the choice.
 */
function typeAfter(name: string, choice: ElementChoice): string | undefined {
  if (!name.startsWith(choice.name)) return undefined;
  const type = name.slice(choice.name.length);
  return type === '' || type === '[x]' || /^[A-Z]/.test(type) ? type : undefined;
}
