/** Rules of a differential that contradict the element that it constrains. */
import type { JsonObject } from '../../../json';
import { shorten } from '../../../json/fault';
import { objectMember, objectsMember, stringMember } from '../../../terminology/members';
import { areEqualJson } from '../../../path/same';
import { parseDiscriminatorPath, type DiscriminatorStep } from '../discriminator-path';
import { ProfileError } from '../error';
import { placeOf, reportAt, type DifferentialContext } from './constraining';
import { typeCodes } from './overlay';
import type { ElementNode } from './tree';
import { toTypeUrl } from './unfold';

const FIXED = /^fixed[A-Z]/;

/** Reports a fixed value that differs from the fixed value of the base: no value can be both. */
export function reportOtherValue(
  base: JsonObject,
  constraint: JsonObject,
  index: number,
  context: DifferentialContext,
): void {
  for (const name in constraint) {
    const [value, before] = [constraint[name], base[name]];
    if (!FIXED.test(name) || value === undefined || before === undefined || areEqualJson(value, before))
      continue;
    const sentence = `The value is fixed to ${shorten(JSON.stringify(before))} by the base definition, not to ${shorten(JSON.stringify(value))}`;
    reportAt(context, { rule: 'profile', diagnostics: sentence, index });
  }
}

/** Reports discriminators whose first step is no element of the type that is sliced. */
export async function reportForeignDiscriminators(
  node: ElementNode,
  constraint: JsonObject,
  index: number,
  context: DifferentialContext,
): Promise<void> {
  let names: ReadonlySet<string> | undefined;
  for (const discriminator of objectsMember(objectMember(constraint, 'slicing') ?? {}, 'discriminator')) {
    const path = stringMember(discriminator, 'path');
    const [first] = path === undefined ? [] : stepsOf(path);
    if (first?.kind !== 'member') continue;
    names ??= await childNamesOf(node, index, context);
    if (names === undefined) return;
    if (names.has(first.name) || names.has(`${first.name}[x]`)) continue;
    const sentence = `The discriminator '${shorten(path ?? '')}' names no element of ${typeCodes(node.definition).join(', ')}`;
    reportAt(context, { rule: 'profile', diagnostics: sentence, index });
  }
}

/** No steps for a path that cannot be read, which is reported where the slicing is used. */
function stepsOf(path: string): readonly DiscriminatorStep[] {
  try {
    return parseDiscriminatorPath(path);
  } catch (error) {
    if (error instanceof ProfileError) return [];
    throw error;
  }
}

/** Undefined for an element of several types, or of an unknown one. */
async function childNamesOf(
  node: ElementNode,
  index: number,
  { generation, generated }: DifferentialContext,
): Promise<ReadonlySet<string> | undefined> {
  if (node.children.size > 0) return new Set(node.children.keys());
  const [code, ...others] = typeCodes(node.definition);
  if (code === undefined || others.length > 0) return undefined;
  const tree = await generation.treeOf(toTypeUrl(code), generated, placeOf(index), 'warning');
  return tree && new Set(tree.children.keys());
}
