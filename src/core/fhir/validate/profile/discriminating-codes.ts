import { parseDiscriminatorPath } from './discriminator-path';
import { ProfileError } from './error';
import { constraintsAt } from './slice-constraints';
import type { Profiles } from './compiled-profile';
import type { ElementNode } from './tree';

/**
 * Returns the value sets that discriminate slices of a profile and whose codes are not available. The profile can only
 * be compiled with these codes.
 */
export function discriminatingValueSets(canonical: string, profiles: Profiles): readonly string[] {
  const found = new Set<string>();
  const root = profiles.tree(canonical)?.root;
  if (root) visit(root, profiles, found);
  return [...found];
}

function visit(node: ElementNode, profiles: Profiles, found: Set<string>): void {
  for (const { type, path } of node.element.slicing?.discriminators ?? []) {
    if (type !== 'value' && type !== 'pattern') continue;
    for (const slice of node.slices) addValueSets(slice, path, profiles, found);
  }
  for (const child of node.children) visit(child, profiles, found);
  for (const slice of node.slices) visit(slice, profiles, found);
}

function addValueSets(slice: ElementNode, path: string, profiles: Profiles, found: Set<string>): void {
  try {
    for (const { nodes, values } of constraintsAt(slice, parseDiscriminatorPath(path), profiles)) {
      if (values.length > 0) continue;
      for (const { element } of nodes) {
        const { binding } = element;
        if (binding?.strength === 'required' && !profiles.codes(binding.valueSet))
          found.add(binding.valueSet);
      }
    }
  } catch (thrown) {
    // The compilation of the profile reports a wrong path.
    if (!(thrown instanceof ProfileError)) throw thrown;
  }
}
