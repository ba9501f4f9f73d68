/**
 * The FHIR types that the values of a search parameter can have, derived from its expression and the definitions alone.
 * A search must know whether codes are folded and whether they can have a system before it reads a value.
 */
import type { CodeSystemOfBinding, Definitions, TypeStructure } from '../../fhir/definitions';

/** A type, or (with a path) an element of a type that has elements of its own. */
interface TypedElement {
  readonly structure: TypeStructure;
  readonly path: string;
  /** For the element that has this type: the origin of its codes. */
  readonly codeSystem?: CodeSystemOfBinding;
  /** For an element of type `code`: the value set of its required binding. */
  readonly binding?: string;
}

/**
 * Returns the names of types, sorted; an extension counts as the types of its value. `branches` are in the normal form
 * of parameter.ts: `Type.element.ofType(T)`, with calls of where, extension and exists and indexers among the steps.
 */
export function valueTypesOf(definitions: Definitions, branches: Iterable<string>): readonly string[] {
  const names = new Set<string>();
  for (const branch of branches) {
    if (isComputed(branch)) {
      names.add('boolean');
      continue;
    }
    for (const { structure, path } of follow(definitions, branch)) {
      if (structure.name === 'Extension') for (const name of extensionTypes(structure)) names.add(name);
      else
        names.add(
          path === '' ? structure.name : (structure.element(path)?.types[0]?.code ?? 'BackboneElement'),
        );
    }
  }
  return [...names].sort();
}

/** Returns the types, or urls of profiles, that references and canonicals at the end of a plain path may refer to. */
export function elementTargetsOf(definitions: Definitions, path: string): readonly string[] {
  const steps = splitSteps(path);
  const last = steps.pop() ?? '';
  return follow(definitions, steps.join('.')).flatMap(({ structure, path: parent }) =>
    (structure.element(parent === '' ? last : `${parent}.${last}`)?.types ?? []).flatMap(
      ({ targets }) => targets ?? [],
    ),
  );
}

/** True for a comparison or a call with a boolean result, such as that of Patient.deceased. */
function isComputed(branch: string): boolean {
  return / (and|or|implies|is) |\.exists\(\)$/.test(branch.replace(/\([^()]*(\([^()]*\)[^()]*)*\)/g, '()'));
}

/** Returns the systems that bindings give to values of type `code`, sorted. `branches` as in `valueTypesOf`. */
export function bindingSystemsOf(definitions: Definitions, branches: Iterable<string>): readonly string[] {
  const systems = new Set<string>();
  for (const branch of branches) {
    if (isComputed(branch)) continue;
    for (const { codeSystem } of follow(definitions, branch)) {
      if (typeof codeSystem === 'string') systems.add(codeSystem);
      else for (const system of codeSystem?.values() ?? []) systems.add(system);
    }
  }
  return [...systems].sort();
}

/**
 * Returns the codes that bindings allow for values of type `code`, as far as they can be listed. `branches` as in
 * `valueTypesOf`.
 */
export function boundCodesOf(definitions: Definitions, branches: Iterable<string>): ReadonlySet<string> {
  const codes = new Set<string>();
  for (const branch of branches) {
    if (isComputed(branch)) continue;
    for (const { binding } of follow(definitions, branch)) {
      const list = binding === undefined ? undefined : definitions.codeList(binding);
      for (const code of list?.codes ?? []) codes.add(code);
    }
  }
  return codes;
}

function follow(definitions: Definitions, branch: string): readonly TypedElement[] {
  const [root = '', ...steps] = splitSteps(branch);
  const structure = definitions.structure(root);
  let places: readonly TypedElement[] = structure === undefined ? [] : [{ structure, path: '' }];
  for (const step of steps) places = places.flatMap((place) => next(definitions, place, step));
  return places;
}

function next(definitions: Definitions, place: TypedElement, step: string): readonly TypedElement[] {
  const [, name = '', argument] = /^(\w+)(?:\((.*)\))?(?:\[\d+\])?$/.exec(step) ?? [];
  if (argument === undefined) return childrenOf(definitions, place, name);
  if (name === 'extension') return childrenOf(definitions, place, 'extension');
  if (name !== 'ofType') return [place];
  if (place.path !== '') return [];
  if (definitions.conformsTo(place.structure.name, argument)) return [place];
  const narrower = definitions.structure(argument);
  const isNarrower = narrower !== undefined && definitions.conformsTo(argument, place.structure.name);
  return isNarrower ? [{ structure: narrower, path: '' }] : [];
}

function childrenOf(
  definitions: Definitions,
  { structure, path }: TypedElement,
  name: string,
): readonly TypedElement[] {
  const full = path === '' ? name : `${path}.${name}`;
  const element = structure.element(full) ?? structure.element(`${full}[x]`);
  if (element === undefined) return [];
  if (element.contentReference !== undefined) {
    const [type = '', ...rest] = element.contentReference.split('.');
    const owner = definitions.structure(type);
    return owner === undefined ? [] : [{ structure: owner, path: rest.join('.') }];
  }
  if (structure.children(element.path).length > 0) return [{ structure, path: element.path }];
  return element.types.flatMap(({ code }) => {
    const type = definitions.structure(code);
    if (type === undefined) return [];
    const { codeSystem, binding } = element;
    const place = { structure: type, path: '' };
    if (code !== 'code') return [place];
    return [
      {
        ...place,
        ...(codeSystem === undefined ? {} : { codeSystem }),
        ...(binding === undefined ? {} : { binding }),
      },
    ];
  });
}

function extensionTypes(extension: TypeStructure): readonly string[] {
  return extension.element('value[x]')?.types.map(({ code }) => code) ?? [];
}

/** Splits at the dots that are not inside parentheses. */
function splitSteps(branch: string): string[] {
  const steps: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < branch.length; at++) {
    const character = branch[at];
    if (character === '(') depth++;
    else if (character === ')') depth--;
    else if (character === '.' && depth === 0) {
      steps.push(branch.slice(start, at));
      start = at + 1;
    }
  }
  steps.push(branch.slice(start));
  return steps;
}
