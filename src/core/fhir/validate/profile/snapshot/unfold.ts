/**
 * Adds children to elements whose content a differential constrains.
 * Source: https://hl7.org/fhir/R4/profiling.html#snapshot
 */
import { shorten } from '../../../json/fault';
import { stringMember } from '../../../terminology/members';
import { placeOf, reportAt, type DifferentialContext } from './constraining';
import { singleProfile, typeCodes } from './overlay';
import { copyChildren, type ElementNode } from './tree';

const TYPE_BASE = 'http://hl7.org/fhir/StructureDefinition/';

/**
 * Adds children to an element that has none: those of its contentReference, of its profile or of its type.
 *
 * @param index of the element in the differential, for reports
 */
export async function unfold(
  node: ElementNode,
  index: number,
  path: string,
  context: DifferentialContext,
): Promise<void> {
  if (node.children.size > 0) return;
  const place = placeOf(index);
  const { generation, generated } = context;
  const reference = stringMember(node.definition, 'contentReference');
  if (reference !== undefined) {
    await unfoldReference(node, { reference, path, place, context });
    return;
  }
  const codes = typeCodes(node.definition);
  const [code, ...others] = codes;
  if (code === undefined) {
    if (context.isSpecialization) return;
    const sentence = `'${shorten(path)}' has no type whose elements could be constrained`;
    reportAt(context, { rule: 'profile', diagnostics: sentence, index });
    return;
  }
  if (others.length > 0) {
    // All types have the elements of Element; a differential cannot tell which other ones it means.
    const tree = await generation.treeOf(toTypeUrl('Element'), generated, place);
    if (tree !== undefined) copyChildren(tree, node, generation);
    return;
  }
  const profile = singleProfile(node.definition);
  const tree =
    (profile === undefined ? undefined : await generation.treeOf(profile, generated, place, 'warning')) ??
    (await generation.treeOf(toTypeUrl(code), generated, place));
  if (tree !== undefined) copyChildren(tree, node, generation);
}

export function toTypeUrl(code: string): string {
  return code.includes(':') ? code : TYPE_BASE + code;
}

/**
 * Adds the children that `#Questionnaire.item` refers to: those of another element of the type, as the type has them.
 */
async function unfoldReference(
  node: ElementNode,
  {
    reference,
    path,
    place,
    context,
  }: {
    readonly reference: string;
    readonly path: string;
    readonly place: string;
    readonly context: DifferentialContext;
  },
): Promise<void> {
  const hash = reference.indexOf('#');
  const [typeName = '', ...names] = reference.slice(hash + 1).split('.');
  const url = hash > 0 ? reference.slice(0, hash) : toTypeUrl(typeName);
  let target = await context.generation.treeOf(url, context.generated, place);
  for (const name of names) target = target?.children.get(name);
  if (target === undefined) {
    const diagnostics = `'${shorten(path)}' refers to '${shorten(reference)}', which does not exist`;
    context.generation.report(context.generated, { rule: 'unresolved', diagnostics, expression: place });
    return;
  }
  const { contentReference: _replaced, ...definition } = node.definition;
  const type = target.definition['type'];
  node.definition = type === undefined ? definition : { ...definition, type };
  copyChildren(target, node, context.generation);
}
