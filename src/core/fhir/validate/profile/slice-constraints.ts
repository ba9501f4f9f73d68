/** Finds what a profile requires at the place that a discriminator's path leads to from a slice. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../json';
import type { DiscriminatorStep } from './discriminator-path';
import type { Profiles } from './compiled-profile';
import { typeOfTarget } from './target';
import type { ElementNode } from './tree';

/** A value of fixed[x] or pattern[x] of the place itself, or of an element above it. */
export interface FixedValue {
  readonly isFixed: boolean;
  readonly value: JsonValue | undefined;
  readonly companion: JsonObject | undefined;
}

export interface SliceConstraints {
  /** Elements and required slices that constrain the place. */
  readonly nodes: readonly ElementNode[];
  readonly values: readonly FixedValue[];
  /** The declared target of a reference; undefined if the nodes give the types and profiles. */
  readonly target?: { readonly type: string | undefined; readonly canonical: string | undefined };
}

/** Returns the places that `steps` lead to; several only behind a reference with several possible targets. */
export function constraintsAt(
  slice: ElementNode,
  steps: readonly DiscriminatorStep[],
  profiles: Profiles,
): readonly SliceConstraints[] {
  let places: readonly SliceConstraints[] = [{ nodes: [slice], values: valuesOf([slice]) }];
  for (const step of steps) places = places.flatMap((place) => stepInto(place, step, profiles));
  return places;
}

/** The types that a value at the place can have; empty: any. */
export function typesAt({ nodes, target }: SliceConstraints): readonly string[] {
  if (target) return target.type === undefined ? [] : [target.type];
  return nodes.flatMap((node) => node.element.types.map((type) => type.code));
}

/** Canonical urls of profiles, one of which a value at the place must meet; empty: none. */
export function profilesAt({ nodes, target }: SliceConstraints): readonly string[] {
  if (target) return target.canonical === undefined ? [] : [target.canonical];
  return nodes.flatMap((node) => node.element.types.flatMap((type) => type.profiles));
}

function valuesOf(nodes: readonly ElementNode[]): FixedValue[] {
  return nodes.flatMap(({ element: { fixed, pattern } }) => [
    ...(fixed ? [{ isFixed: true, value: fixed.value, companion: fixed.companion }] : []),
    ...(pattern ? [{ isFixed: false, value: pattern.value, companion: pattern.companion }] : []),
  ]);
}

function stepInto(place: SliceConstraints, step: DiscriminatorStep, profiles: Profiles): SliceConstraints[] {
  switch (step.kind) {
    case 'member': {
      const nodes = place.nodes.flatMap((node) => childrenOf(node, step.name, profiles));
      const values = place.values.flatMap((value) => below(value, step.name));
      return [{ nodes, values: [...valuesOf(nodes), ...values] }];
    }
    case 'extension': {
      const extensions = place.nodes.flatMap((node) => childrenOf(node, 'extension', profiles, true));
      const nodes = extensions.filter((node) => hasUrl(node, step.url, profiles));
      const values = place.values
        .flatMap((value) => below(value, 'extension'))
        .filter(({ value }) => isJsonObject(value) && value['url'] === step.url);
      return [{ nodes, values: [...valuesOf(nodes), ...values] }];
    }
    case 'ofType': {
      const nodes = place.nodes.filter(({ element: { types } }) =>
        types.some(({ code }) => code === step.typeName),
      );
      return [{ nodes, values: place.values }];
    }
    case 'resolve':
      return targetsOf(place, profiles);
  }
}

function targetsOf({ nodes }: SliceConstraints, profiles: Profiles): SliceConstraints[] {
  const canonicals = nodes.flatMap((node) => node.element.types.flatMap((type) => type.targetProfiles));
  return [...new Set(canonicals)].map((canonical) => {
    const target = typeOfTarget(canonical, profiles);
    const root = target.canonical === undefined ? undefined : profiles.tree(target.canonical)?.root;
    return { nodes: root ? [root] : [], values: root ? valuesOf([root]) : [], target };
  });
}

/** Returns the element `name` below a node and its required slices; with `isAny`, all its slices. */
function childrenOf(node: ElementNode, name: string, profiles: Profiles, isAny = false): ElementNode[] {
  return contentOf(node, profiles)
    .filter((child) => child.name === name)
    .flatMap((child) => [child, ...child.slices.filter(({ element }) => isAny || (element.min ?? 0) > 0)]);
}

/**
 * Returns the elements below a node. A node without any takes those of its contentReference, or of its profile if it
 * has exactly one.
 */
function contentOf(node: ElementNode, profiles: Profiles): readonly ElementNode[] {
  if (node.children.length > 0) return node.children;
  const { contentReference, types } = node.element;
  if (contentReference !== undefined)
    return node.tree.find(contentReference.replace(/^#/, ''))?.children ?? [];
  const [canonical, ...others] = types.flatMap((type) => type.profiles);
  if (canonical === undefined || others.length > 0) return [];
  return profiles.tree(canonical)?.root.children ?? [];
}

/** True if a slice of extensions is the one for a url. */
function hasUrl(node: ElementNode, url: string, profiles: Profiles): boolean {
  if (
    node.element.types.some(({ profiles: canonicals }) => canonicals.some((one) => one.split('|')[0] === url))
  )
    return true;
  return childrenOf(node, 'url', profiles).some(({ element: { fixed } }) => fixed?.value === url);
}

/** Returns the parts of a given value that are in one of its members. */
function below({ isFixed, value }: FixedValue, name: string): FixedValue[] {
  if (!isJsonObject(value)) return [];
  const member = value[name] ?? choiceMember(value, name);
  if (member === undefined) return [];
  const parts = Array.isArray(member) ? member : [member];
  return parts.map((part) => ({ isFixed, value: part, companion: undefined }));
}

/** Returns the member of a choice: `valueCode` for `value`. */
function choiceMember(value: JsonObject, name: string): JsonValue | undefined {
  const key = Object.keys(value).find(
    (each) => each.startsWith(name) && /^[A-Z]/.test(each.slice(name.length)),
  );
  return key === undefined ? undefined : value[key];
}
