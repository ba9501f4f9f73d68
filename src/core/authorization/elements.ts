/** Elements that policies hide or protect: redaction of resources, and the search parameters that remain allowed. */
import { errorOf, fhirError, type FhirError } from '../errors';
import type { Definitions, SearchParameterDefinition, TypeStructure } from '../fhir/definitions';
import {
  isJsonObject,
  parseJson,
  parseStoredObject,
  stringifyJson,
  type JsonObject,
  type JsonValue,
} from '../fhir/json';
import { areEqualJson } from '../fhir/json/equality';
import { namesInPath } from '../fhir/path/names';
import { didYouMean } from '../../../packages/fhir-values/closest-name';
import { markSubsetted } from '../fhir/subset';
import type { Policy } from './policy';

/** A node in the tree of selected elements of a type; a recursive element has a node below itself. */
interface ElementTree {
  /** True: the element is selected, with all its descendants. */
  isSelected: boolean;
  readonly below: Map<string, ElementTree>;
  /** The JSON member is named after the element and a type: `valueQuantity`. */
  readonly isChoice: boolean;
}

/** Elements that every response needs, so that a policy cannot hide them. */
const ALWAYS_VISIBLE: ReadonlySet<string> = new Set(['id', 'meta', 'resourceType', 'implicitRules']);
/** The narrative repeats the values of elements in words. */
const NARRATIVE = 'text';
const STORED = { maxDepth: Number.MAX_SAFE_INTEGER };
/** Suffix of a choice element in a path. */
const CHOICE = '[x]';

/** A set of elements of resource types. */
class ElementSet {
  private readonly roots = new Map<string, ElementTree>();

  /** Throws `invalidValue` unless all paths are elements. */
  constructor(
    private readonly definitions: Definitions,
    paths: readonly string[],
  ) {
    for (const path of paths) this.add(path);
    for (const [type, root] of this.roots) linkRecurring(definitions, type, root);
  }

  get isEmpty(): boolean {
    return this.roots.size === 0;
  }

  get types(): readonly string[] {
    return [...this.roots.keys()];
  }

  of(type: string): ElementTree | undefined {
    return this.roots.get(type);
  }

  /** True if one of the names is the narrative, or an element of some type that is selected or has a selected descendant. */
  hasAny(names: ReadonlySet<string>): boolean {
    return [...this.roots.values()].some((root) => isNamed(root, names));
  }

  /** Adds an element path. Throws `invalidValue` where it is not an element of a type. */
  add(path: string): void {
    const [type = '', ...names] = path.split('.');
    const refused = (reason: string): FhirError =>
      fhirError('invalidValue', { reason: `'${path.slice(0, 100)}' ${reason}` });
    if (!this.definitions.isResourceType(type) || names.length === 0)
      throw refused(
        `is not an element of a resource type; it is written Type.element${didYouMean(type, this.definitions.resourceTypes)}`,
      );
    if (ALWAYS_VISIBLE.has(names[0] ?? '')) throw refused('is part of every answer');
    const root = this.roots.get(type) ?? newPlace(false);
    this.roots.set(type, root);
    let place: ElementTree = root;
    let structure = this.definitions.structure(type);
    let within = '';
    for (const written of names) {
      const name = written.endsWith(CHOICE) ? written.slice(0, -CHOICE.length) : written;
      const full = within === '' ? name : `${within}.${name}`;
      const element =
        (written === name ? structure?.element(full) : undefined) ?? structure?.element(full + CHOICE);
      if (structure === undefined || element === undefined)
        throw refused(
          `is not an element: ${written} does not exist${didYouMean(name, namesIn(structure, within))}`,
        );
      place = placeBelow(place, name, element.isChoice);
      [structure, within] = this.inside(
        structure,
        element.path,
        element.types.map(({ code }) => code),
      );
    }
    place.isSelected = true;
  }

  /** The structure and path that define the children of an element. */
  private inside(
    structure: TypeStructure,
    path: string,
    types: readonly string[],
  ): [structure: TypeStructure | undefined, within: string] {
    if (structure.children(path).length > 0) return [structure, path];
    const [only, ...others] = types;
    return [only === undefined || others.length > 0 ? undefined : this.definitions.structure(only), ''];
  }
}

/** The names of the elements of a type, or below one of its elements. */
function namesIn(structure: TypeStructure | undefined, within: string): readonly string[] {
  return (structure?.children(within) ?? []).map(({ path }) => path.slice(path.lastIndexOf('.') + 1));
}

function newPlace(isChoice: boolean): ElementTree {
  return { isSelected: false, below: new Map(), isChoice };
}

function placeBelow({ below }: ElementTree, name: string, isChoice: boolean): ElementTree {
  let place = below.get(name);
  if (place === undefined) below.set(name, (place = newPlace(isChoice)));
  return place;
}

/** `Questionnaire.item.item` has the elements of `Questionnaire.item`. */
function linkRecurring(definitions: Definitions, type: string, root: ElementTree): void {
  for (const { path, contentReference } of definitions.structure(type)?.elements ?? []) {
    if (contentReference === undefined) continue;
    let meant: ElementTree | undefined = root;
    for (const name of contentReference.split('.').slice(1)) meant = meant?.below.get(name);
    if (meant === undefined) continue;
    const names = path.split('.');
    const last = names.pop() ?? '';
    let parent = root;
    for (const name of names) parent = placeBelow(parent, name, false);
    // A selected element covers more than selected descendants.
    if (parent.below.get(last)?.isSelected !== true) parent.below.set(last, meant);
  }
}

/** True if one of the names is the narrative, or an element of the type that is selected or has a selected descendant. */
function isNamed({ below }: ElementTree, names: ReadonlySet<string>): boolean {
  return names.has(NARRATIVE) || [...below.keys()].some((name) => names.has(name));
}

/** The node of a JSON member: of an element, of its `_name` member, or of a choice (`valueQuantity`). */
function placeOf({ below }: ElementTree, member: string): ElementTree | undefined {
  const name = member.startsWith('_') ? member.slice(1) : member;
  const exact = below.get(name);
  if (exact !== undefined) return exact;
  for (const [stem, place] of below)
    if (place.isChoice && name.startsWith(stem) && /^[A-Z]/.test(name.slice(stem.length))) return place;
  return undefined;
}

/**
 * The element rules of a client: an element is hidden or protected where any of its policies says so, and secrets are hidden
 * from those who read them by grants for patients alone.
 */
export class ElementRules {
  private readonly hidden: ElementSet;
  private readonly readOnly: ElementSet;
  /** True: a policy hides elements, and not only secrets are hidden. */
  readonly hidesByPolicy: boolean;
  /** The secrets that are elements of this release. */
  readonly secrets: readonly string[];
  private readonly searchable = new Map<string, ReadonlyMap<string, SearchParameterDefinition>>();
  /** The definitions without search parameters that could disclose hidden elements. */
  readonly definitions: Definitions;

  /** Ignores paths that are not elements of this release: they belong to the other one. */
  constructor(
    private readonly all: Definitions,
    policies: readonly Pick<Policy, 'hidden' | 'readOnly'>[],
    /** Paths of elements with secrets. */
    secrets: readonly string[] = [],
  ) {
    const existing = (paths: readonly string[]): readonly string[] =>
      paths.filter((path) => elementFault(all, path) === undefined);
    const byPolicies = existing(policies.flatMap(({ hidden }) => hidden));
    this.hidesByPolicy = byPolicies.length > 0;
    this.secrets = existing(secrets);
    this.hidden = new ElementSet(all, [...byPolicies, ...this.secrets]);
    this.readOnly = new ElementSet(
      all,
      existing(policies.flatMap(({ hidden, readOnly }) => [...hidden, ...readOnly])),
    );
    this.definitions = this.hidden.isEmpty
      ? all
      : {
          ...all,
          searchParameters: (type) => this.parametersOf(type),
          sortDateParameter: (type) => {
            const date = all.sortDateParameter(type);
            return date === undefined || this.mayAsk(date) ? date : undefined;
          },
        };
  }

  get hidesAny(): boolean {
    return !this.hidden.isEmpty;
  }

  hides(type: string): boolean {
    return this.hidden.of(type) !== undefined;
  }

  /** The paths of hidden and of protected elements of a type, as far as a resource has them: it has all without one. */
  pathsOf(type: string, resource?: JsonObject): { readonly hidden: string[]; readonly readOnly: string[] } {
    const [hidden, all] = [this.hidden, this.readOnly].map((set) =>
      selectedPaths(set.of(type), resource).map((path) => `${type}.${path}`),
    ) as [string[], string[]];
    return { hidden, readOnly: all.filter((path) => !hidden.includes(path)) };
  }

  /**
   * The text of a resource without hidden elements, its own and those of nested resources. The text is unchanged where
   * none of these resources is of a type with hidden elements. All others get the tag SUBSETTED, even without a hidden
   * value, so that the tag discloses nothing. Cost: parsing.
   */
  strip(text: string): string {
    if (!this.mayConcern(text)) return text;
    const { value, marked } = parseJson(text, STORED);
    if (!isJsonObject(value) || !this.concerns(value)) return text;
    const stripped = this.stripped(value, undefined, false);
    return stringifyJson(markSubsetted(isJsonObject(stripped) ? stripped : {}), marked);
  }

  /** True if a resource, or one nested in it, is of a type with hidden elements, with or without a hidden value. */
  concernsText(text: string): boolean {
    return this.mayConcern(text) && this.concerns(parseStoredObject(text));
  }

  /** False where no resource in the text is of a type with hidden elements. Cost: a search in the text. */
  private mayConcern(text: string): boolean {
    return this.hidden.types.some((type) => text.includes(`"${type}"`)) || /\\u/i.test(text);
  }

  private concerns(value: JsonValue): boolean {
    if (Array.isArray(value)) return value.some((item) => this.concerns(item));
    if (!isJsonObject(value)) return false;
    const { resourceType } = value;
    if (typeof resourceType === 'string' && this.hides(resourceType)) return true;
    return Object.values(value).some((member) => this.concerns(member));
  }

  /**
   * The same value where nothing is hidden. Undefined where nothing is left: FHIR has no empty objects, and one would
   * disclose a hidden value. `isAligned`: items of a list keep their positions, which match another list (`_name`).
   */
  private stripped(
    value: JsonValue,
    place: ElementTree | undefined,
    isAligned: boolean,
  ): JsonValue | undefined {
    if (Array.isArray(value)) {
      const items = value.map((item) => this.stripped(item, place, false));
      if (items.every((item, index) => item === value[index])) return value;
      if (!isAligned) return orNothing(items.filter((item) => item !== undefined));
      const remaining = items.map((item) => item ?? null);
      return remaining.every((item) => item === null) ? undefined : remaining;
    }
    if (!isJsonObject(value)) return value;
    const { resourceType } = value;
    const root = typeof resourceType === 'string' ? this.hidden.of(resourceType) : undefined;
    const here = typeof resourceType === 'string' ? root : place;
    const remaining: JsonObject = {};
    let isSame = true;
    let isEmpty = true;
    for (const name in value) {
      const member = value[name];
      if (member === undefined) continue;
      const below = here && placeOf(here, name);
      const isLeftOut = below?.isSelected === true || (root !== undefined && name === NARRATIVE);
      const inner = isLeftOut ? undefined : this.stripped(member, below, name.startsWith('_'));
      isSame &&= inner === member;
      if (inner === undefined) continue;
      remaining[name] = inner;
      isEmpty = false;
    }
    if (isSame) return value;
    return isEmpty ? undefined : remaining;
  }

  /** Throws `forbidden` where a protected element changes. `before` undefined: the resource is new. */
  requireUnchanged(type: string, before: string | undefined, after: string): void {
    const root = this.readOnly.of(type);
    if (root === undefined) return;
    const changed = changedName(
      root,
      before === undefined ? undefined : parseStoredObject(before),
      parseStoredObject(after),
    );
    if (changed === undefined) return;
    const reason = `The policies of this client do not let it set or change ${type}.${changed}`;
    throw fhirError('forbidden', { reason }, `${type}.${changed}`);
  }

  private parametersOf(type: string): ReadonlyMap<string, SearchParameterDefinition> {
    let remaining = this.searchable.get(type);
    if (remaining === undefined) {
      remaining = new Map(
        [...this.all.searchParameters(type)].filter(([, parameter]) => this.mayAsk(parameter)),
      );
      this.searchable.set(type, remaining);
    }
    return remaining;
  }

  /**
   * True if a search parameter is allowed: its values must not come from hidden elements of its type or of nested
   * resources. False where that is uncertain.
   */
  mayAsk({ type, expression, components }: SearchParameterDefinition): boolean {
    if (this.hidden.isEmpty) return true;
    const root = this.hidden.of(type);
    if (root === undefined && !this.hidesByPolicy) return true;
    const expressions = [expression, ...components.map((component) => component.expression)];
    return expressions.every((text) => {
      if (text === undefined) return true;
      const names = namesInPath(text);
      if (names === 'any' || (root !== undefined && isNamed(root, names))) return false;
      return !this.holders(type).some((holder) => names.has(holder)) || !this.hidden.hasAny(names);
    });
  }

  /** Names of the elements of a type whose values are resources. */
  private holders(type: string): readonly string[] {
    const { elements = [] } = this.all.structure(type) ?? {};
    return elements
      .filter(({ types }) => types.some(({ code }) => this.all.structure(code)?.kind === 'resource'))
      .map(({ name }) => name);
  }
}

/** The paths of the selected elements of a tree; of those that the value has, if there is one. */
function selectedPaths(
  tree: ElementTree | undefined,
  value: JsonValue | undefined,
  seen: readonly ElementTree[] = [],
): string[] {
  // A recursive element is in itself.
  if (tree === undefined || seen.includes(tree)) return [];
  const values = value === undefined ? undefined : listOf(value).map(objectOf);
  return [...tree.below].flatMap(([name, place]) => {
    const shown = place.isChoice ? `${name}${CHOICE}` : name;
    const found = values?.flatMap((object) =>
      Object.keys(object)
        .filter((member) => placeOf(tree, member) === place)
        .flatMap((member) => object[member] ?? []),
    );
    if (found?.length === 0) return [];
    if (place.isSelected) return [shown];
    return selectedPaths(place, found, [...seen, tree]).map((path) => `${shown}.${path}`);
  });
}

function orNothing(items: readonly JsonValue[]): JsonValue | undefined {
  return items.length === 0 ? undefined : [...items];
}

/** The path of a selected element that differs; undefined: all are equal. */
function changedName(
  place: ElementTree,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): string | undefined {
  if (Array.isArray(before) || Array.isArray(after)) {
    const [first, second] = [listOf(before), listOf(after)];
    for (let index = 0; index < Math.max(first.length, second.length); index++) {
      const changed = changedName(place, first[index], second[index]);
      if (changed !== undefined) return changed;
    }
    return undefined;
  }
  const [first, second] = [objectOf(before), objectOf(after)];
  for (const name of new Set([...Object.keys(first), ...Object.keys(second)])) {
    const below = placeOf(place, name);
    if (below === undefined) continue;
    const [one, other] = [first[name], second[name]];
    if (below.isSelected) {
      if (one === undefined || other === undefined || !areEqualJson(one, other)) return name;
      continue;
    }
    const changed = changedName(below, one, other);
    if (changed !== undefined) return `${name}.${changed}`;
  }
  return undefined;
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return value === undefined ? [] : Array.isArray(value) ? value : [value];
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Why a policy cannot hide this element; undefined: the release has it, and a policy may hide it. */
export function elementFault(definitions: Definitions, path: string): string | undefined {
  return errorOf(() => new ElementSet(definitions, []).add(path))?.message;
}
