/** Elements that policies hide or let nobody change: what is left of a resource, and what may be asked about it. */
import { FhirError, fhirError } from '../errors';
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
import { markSubsetted } from '../fhir/subset';
import type { Policy } from './policy';

/** A place among the elements of a type; those that recur have a place that is below itself. */
interface Place {
  /** True: what stands here is meant, with all below it. */
  isMeant: boolean;
  readonly below: Map<string, Place>;
  /** The member is called by it and a type: `valueQuantity`. */
  readonly isChoice: boolean;
}

/** What every resource is told by, and what a policy can therefore not take away. */
const KEPT: ReadonlySet<string> = new Set(['id', 'meta', 'resourceType', 'implicitRules']);
/** The narrative says in words what the elements say. */
const NARRATIVE = 'text';
const STORED = { maxDepth: Number.MAX_SAFE_INTEGER };
/** What an element is written with that may be of several types. */
const CHOICE = '[x]';

/** The elements of some types. */
class ElementSet {
  private readonly roots = new Map<string, Place>();

  /** All of them are elements. */
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

  of(type: string): Place | undefined {
    return this.roots.get(type);
  }

  /** Whether one of these is an element of some type, or the narrative, in which some are meant. */
  hasAny(names: ReadonlySet<string>): boolean {
    return [...this.roots.values()].some((root) => isNamed(root, names));
  }

  /** Throws `invalidValue` for what is no element of a type. */
  add(path: string): void {
    const [type = '', ...names] = path.split('.');
    const refused = (reason: string): FhirError =>
      fhirError('invalidValue', { reason: `'${path.slice(0, 100)}' ${reason}` });
    if (!this.definitions.isResourceType(type) || names.length === 0)
      throw refused('is not an element of a resource type; it is written Type.element');
    if (KEPT.has(names[0] ?? '')) throw refused('is part of every answer');
    const root = this.roots.get(type) ?? newPlace(false);
    this.roots.set(type, root);
    let place: Place = root;
    let structure = this.definitions.structure(type);
    let within = '';
    for (const written of names) {
      const name = written.endsWith(CHOICE) ? written.slice(0, -CHOICE.length) : written;
      const full = within === '' ? name : `${within}.${name}`;
      const element =
        (written === name ? structure?.element(full) : undefined) ?? structure?.element(full + CHOICE);
      if (structure === undefined || element === undefined)
        throw refused(`is not an element: there is no ${written}`);
      place = placeBelow(place, name, element.isChoice);
      [structure, within] = this.inside(
        structure,
        element.path,
        element.types.map(({ code }) => code),
      );
    }
    place.isMeant = true;
  }

  /** Where the elements below an element are found. */
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

function newPlace(isChoice: boolean): Place {
  return { isMeant: false, below: new Map(), isChoice };
}

function placeBelow({ below }: Place, name: string, isChoice: boolean): Place {
  let place = below.get(name);
  if (place === undefined) below.set(name, (place = newPlace(isChoice)));
  return place;
}

/** `Questionnaire.item.item` has the elements of `Questionnaire.item`. */
function linkRecurring(definitions: Definitions, type: string, root: Place): void {
  for (const { path, contentReference } of definitions.structure(type)?.elements ?? []) {
    if (contentReference === undefined) continue;
    let meant: Place | undefined = root;
    for (const name of contentReference.split('.').slice(1)) meant = meant?.below.get(name);
    if (meant === undefined) continue;
    const names = path.split('.');
    const last = names.pop() ?? '';
    let parent = root;
    for (const name of names) parent = placeBelow(parent, name, false);
    // What is meant itself is more than what is meant below it.
    if (parent.below.get(last)?.isMeant !== true) parent.below.set(last, meant);
  }
}

/** Whether one of these is the narrative or an element of the type of which something is meant. */
function isNamed({ below }: Place, names: ReadonlySet<string>): boolean {
  return names.has(NARRATIVE) || [...below.keys()].some((name) => names.has(name));
}

/** The place of a member, of its companion (`_name`), or of a choice (`valueQuantity`). */
function placeOf({ below }: Place, member: string): Place | undefined {
  const name = member.startsWith('_') ? member.slice(1) : member;
  const exact = below.get(name);
  if (exact !== undefined) return exact;
  for (const [stem, place] of below)
    if (place.isChoice && name.startsWith(stem) && /^[A-Z]/.test(name.slice(stem.length))) return place;
  return undefined;
}

/** What the policies of one client say of elements: what any of them hides or protects, is. */
export class ElementRules {
  private readonly hidden: ElementSet;
  private readonly readOnly: ElementSet;
  private readonly searchable = new Map<string, ReadonlyMap<string, SearchParameterDefinition>>();
  /** Without the search parameters by which hidden elements could be told. */
  readonly definitions: Definitions;

  /** What is no element of this release is one of the other. */
  constructor(
    private readonly all: Definitions,
    policies: readonly Pick<Policy, 'hidden' | 'readOnly'>[],
  ) {
    const known = (paths: readonly string[]): readonly string[] =>
      paths.filter((path) => isElement(all, path));
    this.hidden = new ElementSet(all, known(policies.flatMap(({ hidden }) => hidden)));
    this.readOnly = new ElementSet(
      all,
      known(policies.flatMap(({ hidden, readOnly }) => [...hidden, ...readOnly])),
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

  /**
   * A resource as text without what is hidden, of itself and of what it holds; the same text where it is of no type of which
   * something is, and holds none. All others have the tag SUBSETTED, also where there was nothing to leave out: what is left
   * does not tell. Cost: parses the text.
   */
  strip(text: string): string {
    if (this.hidden.isEmpty || text === '') return text;
    const { value, marked } = parseJson(text, STORED);
    if (!isJsonObject(value) || !this.concerns(value)) return text;
    const stripped = this.stripped(value, undefined, false);
    return stringifyJson(markSubsetted(isJsonObject(stripped) ? stripped : {}), marked);
  }

  /** Whether a resource as text is, or holds, one of a type of which something is hidden, be it there or not. */
  concernsText(text: string): boolean {
    return !this.hidden.isEmpty && text !== '' && this.concerns(parseStoredObject(text));
  }

  private concerns(value: JsonValue): boolean {
    if (Array.isArray(value)) return value.some((item) => this.concerns(item));
    if (!isJsonObject(value)) return false;
    const { resourceType } = value;
    if (typeof resourceType === 'string' && this.hides(resourceType)) return true;
    return Object.values(value).some((member) => this.concerns(member));
  }

  /**
   * The same value where nothing is hidden; undefined where nothing is left, because FHIR has no empty objects, and one would
   * tell that something was there. `isAligned`: in a list each has the place of another beside it.
   */
  private stripped(value: JsonValue, place: Place | undefined, isAligned: boolean): JsonValue | undefined {
    if (Array.isArray(value)) {
      const items = value.map((item) => this.stripped(item, place, false));
      if (items.every((item, index) => item === value[index])) return value;
      if (!isAligned) return orNothing(items.filter((item) => item !== undefined));
      const kept = items.map((item) => item ?? null);
      return kept.every((item) => item === null) ? undefined : kept;
    }
    if (!isJsonObject(value)) return value;
    const { resourceType } = value;
    const root = typeof resourceType === 'string' ? this.hidden.of(resourceType) : undefined;
    const here = typeof resourceType === 'string' ? root : place;
    const kept: JsonObject = {};
    let isSame = true;
    let isEmpty = true;
    for (const name in value) {
      const member = value[name];
      if (member === undefined) continue;
      const below = here && placeOf(here, name);
      const isLeftOut = below?.isMeant === true || (root !== undefined && name === NARRATIVE);
      const inner = isLeftOut ? undefined : this.stripped(member, below, name.startsWith('_'));
      isSame &&= inner === member;
      if (inner === undefined) continue;
      kept[name] = inner;
      isEmpty = false;
    }
    if (isSame) return value;
    return isEmpty ? undefined : kept;
  }

  /** Throws `forbidden` where a protected element is another one afterwards. `before` undefined: there was nothing. */
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
    let kept = this.searchable.get(type);
    if (kept === undefined) {
      kept = new Map([...this.all.searchParameters(type)].filter(([, parameter]) => this.mayAsk(parameter)));
      this.searchable.set(type, kept);
    }
    return kept;
  }

  /**
   * Whether the values of a parameter come from nothing that is hidden, of its type or of a resource that one of the type
   * holds; not sure counts as no.
   */
  mayAsk({ type, expression, components }: SearchParameterDefinition): boolean {
    if (this.hidden.isEmpty) return true;
    const root = this.hidden.of(type);
    const expressions = [expression, ...components.map((component) => component.expression)];
    return expressions.every((text) => {
      if (text === undefined) return true;
      const names = namesInPath(text);
      if (names === 'any' || (root !== undefined && isNamed(root, names))) return false;
      return !this.holders(type).some((holder) => names.has(holder)) || !this.hidden.hasAny(names);
    });
  }

  /** Names of the elements of a type that are resources. */
  private holders(type: string): readonly string[] {
    const { elements = [] } = this.all.structure(type) ?? {};
    return elements
      .filter(({ types }) => types.some(({ code }) => this.all.structure(code)?.kind === 'resource'))
      .map(({ name }) => name);
  }
}

function orNothing(items: readonly JsonValue[]): JsonValue | undefined {
  return items.length === 0 ? undefined : [...items];
}

/** The path of a meant element that differs; undefined: all are equal. */
function changedName(
  place: Place,
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
    if (below.isMeant) {
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

/** Whether the release has such an element, and it may be hidden. */
export function isElement(definitions: Definitions, path: string): boolean {
  try {
    new ElementSet(definitions, []).add(path);
    return true;
  } catch (error) {
    if (error instanceof FhirError) return false;
    throw error;
  }
}
