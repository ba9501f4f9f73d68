/**
 * Applies a differential to the tree of the base: overlays elements, unfolds types whose elements the differential
 * constrains, makes slices.
 * Source: https://hl7.org/fhir/R4/profiling.html, https://hl7.org/fhir/R4/elementdefinition.html#interpretation
 */
import type { JsonObject } from '../../../json';
import { shorten } from '../../../json/fault';
import { objectsMember } from '../../../terminology/members';
import { reportForeignDiscriminators, reportOtherValue } from './conflicts';
import { placeOf, reportAt, type DifferentialContext } from './constraining';
import { choiceStem, type DifferentialGroup, type DifferentialNode } from './differential';
import { isSliced, overlay, overlayExtension, singleProfile, typeCodes } from './overlay';
import { copyNode, makeNode, parentSlice, sliceNameOf, type ElementNode } from './tree';
import { unfold } from './unfold';
import { choiceSuffix } from '../../../../../../packages/fhir-values/choice-name';

const EXTENSION_SLICING: JsonObject = {
  discriminator: [{ type: 'value', path: 'url' }],
  ordered: false,
  rules: 'open',
};
const EXTENSION_NAMES: ReadonlySet<string> = new Set(['extension', 'modifierExtension']);

/** Applies a node of the differential, and everything below it, to an element. Changes `node`. */
export async function constrain(
  node: ElementNode,
  differential: DifferentialNode,
  path: string,
  context: DifferentialContext,
): Promise<void> {
  const { definition } = differential;
  if (definition !== undefined) {
    await takeExtension(node, definition, differential.index, context);
    reportOtherValue(node.definition, definition, differential.index, context);
    node.definition = overlay(node.definition, definition, context.source);
    await reportForeignDiscriminators(node, definition, differential.index, context);
    context.generation.measure(node.definition);
  }
  await context.generation.pause();
  if (differential.children.size === 0) return;
  await unfold(node, differential.index, path, context);
  for (const [name, group] of differential.children) {
    await constrainChild(node, { name, group, siblings: differential, path: `${path}.${name}`, context });
  }
}

/** Applies the texts, the maximum and the constraints of an extension that the profile names. */
async function takeExtension(
  node: ElementNode,
  definition: JsonObject,
  index: number,
  context: DifferentialContext,
): Promise<void> {
  const profile = singleProfile(definition);
  if (profile === undefined || typeCodes(definition)[0] !== 'Extension') return;
  if (singleProfile(node.definition) === profile) return;
  const place = `${placeOf(index)}.type[0].profile[0]`;
  const extension = await context.generation.treeOf(profile, context.generated, place, 'warning');
  if (extension !== undefined) {
    node.definition = overlayExtension(node.definition, extension.definition, profile);
  }
}

/** The part of a differential for one name below an element. */
interface ChildDifferential {
  readonly name: string;
  readonly group: DifferentialGroup;
  /** The differential of the element. */
  readonly siblings: DifferentialNode;
  readonly path: string;
  readonly context: DifferentialContext;
}

async function constrainChild(parent: ElementNode, differential: ChildDifferential): Promise<void> {
  const { name, group, path, context } = differential;
  const child = parent.children.get(name);
  if (child !== undefined) {
    if (group.entry !== undefined) await constrain(child, group.entry, path, context);
    await constrainSlices(child, differential);
    return;
  }
  const choice = findChoice(parent, name);
  if (choice !== undefined) {
    await constrainShortcut(choice, differential);
    return;
  }
  const first = group.entry ?? group.slices.values().next().value;
  if (first === undefined) return;
  if (!context.isSpecialization || first.definition === undefined) {
    const sentence = `The element '${shorten(path)}' does not exist in the base definition`;
    reportAt(context, { rule: 'profile', diagnostics: sentence, index: first.index });
    return;
  }
  const added = makeNode(first.definition, context.generation);
  added.definition = withBase(added.definition, path);
  parent.children.set(name, added);
  await constrain(added, { ...first, definition: undefined }, path, context);
}

/** Adds `base` to a new element, which is its own base. */
export function withBase(definition: JsonObject, path: string): JsonObject {
  const { min = 0, max = '*' } = definition;
  return { ...definition, base: { path, min, max } };
}

/** Finds the choice element that `valueQuantity` is a short form of, with the type that it names. */
function findChoice(
  parent: ElementNode,
  name: string,
): { readonly element: ElementNode; readonly stem: string; readonly type: string } | undefined {
  if (name.length > LONGEST_NAME) return undefined;
  for (const { index } of name.matchAll(/[A-Z]/g)) {
    const stem = name.slice(0, index);
    const element = parent.children.get(`${stem}[x]`);
    const type =
      element === undefined ? undefined : typeOfSuffix(typeCodes(element.definition), name.slice(index));
    if (element !== undefined && type !== undefined) return { element, stem, type };
  }
  return undefined;
}

const LONGEST_NAME = 100;

/** `dateTime` for `DateTime`. */
function typeOfSuffix(codes: readonly string[], suffix: string): string | undefined {
  return codes.find((code) => choiceSuffix(code) === suffix);
}

/**
 * Applies a path such as `valueQuantity`: slices the choice by type and constrains the slice of this type. If the
 * choice is not sliced yet and the differential has no element for it, only types that are named in this way are
 * allowed.
 */
async function constrainShortcut(
  choice: { readonly element: ElementNode; readonly stem: string; readonly type: string },
  { name, group, siblings, path, context }: ChildDifferential,
): Promise<void> {
  const { element, stem, type } = choice;
  const choicePath = `${path.slice(0, path.length - name.length)}${stem}[x]`;
  if (!isSliced(element.definition)) narrowChoice(element, stem, siblings);
  const slices = new Map(group.slices);
  if (group.entry !== undefined) slices.set(name, group.entry);
  for (const [sliceName, differential] of slices) {
    const slice = sliceOf(element, sliceName, type, context);
    await constrain(slice, differential, choicePath, context);
  }
}

function narrowChoice(element: ElementNode, stem: string, siblings: DifferentialNode): void {
  if (siblings.children.get(`${stem}[x]`)?.entry?.definition !== undefined) {
    element.definition = { ...element.definition, slicing: typeSlicing('open') };
    return;
  }
  const codes = typeCodes(element.definition);
  const named = new Map<string, DifferentialGroup>();
  for (const [name, group] of siblings.children) {
    const type = name.startsWith(stem) ? typeOfSuffix(codes, name.slice(stem.length)) : undefined;
    if (type !== undefined) named.set(type, group);
  }
  const [only, ...others] = named.values();
  const min = others.length === 0 ? only?.entry?.definition?.['min'] : undefined;
  element.definition = {
    ...element.definition,
    // If one type is left, a minimum of 1 of its slice is that of the choice.
    ...(min === 1 ? { min } : {}),
    slicing: typeSlicing('closed'),
    type: [...named.keys()].flatMap((code) => typesOf(element, code)),
  };
}

function typesOf(element: ElementNode, code: string): JsonObject[] {
  return objectsMember(element.definition, 'type').filter((type) => type['code'] === code);
}

function typeSlicing(rules: 'open' | 'closed'): JsonObject {
  return { discriminator: [{ type: 'type', path: '$this' }], ordered: false, rules };
}

async function constrainSlices(
  entry: ElementNode,
  { name, group, path, context }: ChildDifferential,
): Promise<void> {
  if (group.slices.size === 0) return;
  const stem = choiceStem(name);
  const codes = stem === undefined ? [] : typeCodes(entry.definition);
  /** `dateTime` for the slice `effectiveDateTime` of `effective[x]`. */
  const typeOf = (slice: string): string | undefined =>
    stem !== undefined && slice.startsWith(stem) ? typeOfSuffix(codes, slice.slice(stem.length)) : undefined;
  if (!isSliced(entry.definition)) {
    if (EXTENSION_NAMES.has(name)) {
      entry.definition = { ...entry.definition, slicing: EXTENSION_SLICING };
    } else if ([...group.slices.keys()].every((slice) => typeOf(slice) !== undefined)) {
      entry.definition = { ...entry.definition, slicing: typeSlicing('open') };
    } else {
      await constrainInPlace(entry, group, path, context);
      return;
    }
  }
  for (const [sliceName, differential] of group.slices) {
    const slice = sliceOf(entry, sliceName, typeOf(sliceName), context);
    await constrain(slice, differential, path, context);
  }
}

/**
 * Applies a slice name of an element without slicing. The name is then only a label, and its rules apply to the element
 * itself, as in profiles of the specification (`FamilyMemberHistory.sex:Sex`). A second name is reported as an error.
 */
async function constrainInPlace(
  element: ElementNode,
  group: DifferentialGroup,
  path: string,
  context: DifferentialContext,
): Promise<void> {
  for (const [sliceName, differential] of group.slices) {
    const label = sliceNameOf(element);
    if (label !== undefined && label !== sliceName) {
      const sentence = `The slice '${shorten(sliceName)}' of '${shorten(path)}' needs slicing: no discriminator distinguishes it from '${shorten(label)}'`;
      reportAt(context, { rule: 'profile', diagnostics: sentence, index: differential.index });
      continue;
    }
    const sentence = `'${shorten(path)}' is not sliced, so the rules of the slice '${shorten(sliceName)}' apply to all of its values`;
    reportAt(context, {
      rule: 'profile',
      diagnostics: sentence,
      index: differential.index,
      severity: 'warning',
    });
    element.definition = { ...element.definition, sliceName };
    await constrain(element, differential, path, context);
  }
}

/**
 * Returns the slice of that name. A new slice is a copy of the sliced element, or of the slice that it slices again. It
 * is optional, because the minimum of the sliced element does not apply to each slice.
 */
function sliceOf(
  entry: ElementNode,
  sliceName: string,
  type: string | undefined,
  context: DifferentialContext,
): ElementNode {
  const existing = entry.slices.get(sliceName);
  if (existing !== undefined) return existing;
  const parent = parentSlice(sliceName);
  const template = (parent === undefined ? undefined : entry.slices.get(parent)) ?? entry;
  const slice = copyNode({ ...template, slices: new Map() }, context.generation);
  const definition: JsonObject = { ...template.definition, sliceName, min: 0 };
  delete definition['slicing'];
  if (type !== undefined) definition['type'] = typesOf(template, type);
  slice.definition = definition;
  entry.slices.set(sliceName, slice);
  return slice;
}
