/**
 * FHIRPath Patch on trees of elements, as XML has them: an element has a name, perhaps a value, and elements in order;
 * that some repeat is only seen by their name. It shares nothing with the applier that works on JSON.
 */
import type { JsonObject, JsonValue } from '../../../src/core/fhir/json';

export interface NaiveElement {
  readonly name: string;
  /** `HumanName`, `code`; the type's name behind the name of a choice. */
  readonly type: string;
  /** The value of a primitive. */
  value?: string | number | boolean;
  children: NaiveElement[];
}

/** A step of a path: all elements of the name, or the one at an index. */
export interface NaiveStep {
  readonly name: string;
  readonly index?: number;
}

export interface NaiveOperation {
  readonly type: 'add' | 'insert' | 'delete' | 'replace' | 'move';
  readonly path: readonly NaiveStep[];
  readonly element?: NaiveElement;
  readonly index?: number;
  readonly source?: number;
  readonly destination?: number;
}

/** The elements of a type: their types, one for most, and whether they repeat. */
export type NaiveSchema = Readonly<
  Record<string, Readonly<Record<string, { readonly types: readonly string[]; readonly repeats?: boolean }>>>
>;

export class Refused extends Error {}

interface Found {
  readonly parent: NaiveElement;
  readonly element: NaiveElement;
}

export class NaivePatcher {
  constructor(
    private readonly schema: NaiveSchema,
    private readonly root: NaiveElement,
  ) {}

  apply(operation: NaiveOperation): void {
    const found = this.find(operation.path);
    if (operation.type === 'insert' || operation.type === 'move') this.changeList(operation, found);
    else if (operation.path.length === 0) this.changeRoot(operation);
    else this.changeOne(operation, found);
  }

  private changeRoot({ type, element }: NaiveOperation): void {
    if (type !== 'add' || element === undefined) throw new Refused('the root');
    this.append(this.root, element);
  }

  private changeOne({ type, element }: NaiveOperation, found: readonly Found[]): void {
    const [only] = found;
    if (found.length > 1) throw new Refused('several');
    if (only === undefined) {
      if (type === 'delete') return;
      throw new Refused('nothing');
    }
    const at = only.parent.children.indexOf(only.element);
    if (type === 'delete') {
      only.parent.children.splice(at, 1);
      this.clean(this.root);
    } else if (element === undefined) throw new Error('it needs an element');
    else if (type === 'replace') {
      this.check(only.parent, element);
      only.parent.children.splice(at, 1, element);
    } else this.append(only.element, element);
  }

  private changeList(operation: NaiveOperation, found: readonly Found[]): void {
    const [first] = found;
    if (first === undefined) throw new Refused('nothing');
    const { parent } = first;
    const { name } = first.element;
    const list = parent.children.filter((child) => child.name === name);
    const isWhole = found.length === list.length && found.every((one) => one.parent === parent);
    if (!isWhole || this.ruleOf(parent, name)?.repeats !== true) throw new Refused('not a list');
    const { element, index = 0, source = 0, destination = 0 } = operation;
    if (operation.type === 'insert') {
      if (element === undefined) throw new Error('it needs an element');
      if (index > list.length) throw new Refused('beyond the end');
      this.check(parent, element);
      list.splice(index, 0, element);
    } else {
      if (source >= list.length || destination >= list.length) throw new Refused('beyond the end');
      const [moved] = list.splice(source, 1);
      if (moved !== undefined) list.splice(destination, 0, moved);
    }
    const others = parent.children.filter((child) => child.name !== name);
    parent.children = [...others, ...list];
  }

  private append(parent: NaiveElement, element: NaiveElement): void {
    this.check(parent, element);
    const isThere = parent.children.some((child) => child.name === element.name);
    if (isThere && this.ruleOf(parent, element.name)?.repeats !== true) throw new Refused('does not repeat');
    parent.children.push(element);
  }

  private check(parent: NaiveElement, { name, type }: NaiveElement): void {
    if (this.ruleOf(parent, name)?.types.includes(type) !== true) throw new Refused('a wrong type');
  }

  private ruleOf(parent: NaiveElement, name: string): NaiveSchema[string][string] | undefined {
    return this.schema[parent.type]?.[name];
  }

  private find(path: readonly NaiveStep[]): Found[] {
    let found: Found[] = [{ parent: this.root, element: this.root }];
    for (const { name, index } of path) {
      const below = found.flatMap(({ element: parent }) =>
        parent.children.filter((child) => child.name === name).map((element) => ({ parent, element })),
      );
      found = index === undefined ? below : below.slice(index, index + 1);
    }
    return found;
  }

  /** No element is empty. */
  private clean(element: NaiveElement): void {
    for (const child of element.children) this.clean(child);
    element.children = element.children.filter(
      (child) => child.value !== undefined || child.children.length > 0,
    );
  }
}

/** The JSON of an element (https://hl7.org/fhir/R4/json.html): of a primitive, its value and what extends it. */
export class NaiveWriter {
  constructor(private readonly schema: NaiveSchema) {}

  object({ type, children }: NaiveElement): JsonObject {
    const object: JsonObject = {};
    for (const name of new Set(children.map((child) => child.name))) {
      const named = children.filter((child) => child.name === name);
      const rule = this.schema[type]?.[name];
      const [first] = named;
      if (first === undefined) continue;
      const suffix = first.type.charAt(0).toUpperCase() + first.type.slice(1);
      this.write(object, (rule?.types.length ?? 1) > 1 ? name + suffix : name, named, rule?.repeats === true);
    }
    return object;
  }

  /** The members of a part or parameter that hold an element. */
  part(element: NaiveElement): JsonObject {
    // No parameter can be an Extension, nor what has no name of its own.
    if (element.type.includes('.') || element.type === 'Extension') {
      return { part: element.children.map((child) => ({ name: child.name, ...this.part(child) })) };
    }
    const object: JsonObject = {};
    const suffix = element.type.charAt(0).toUpperCase() + element.type.slice(1);
    this.write(object, `value${suffix}`, [element], false);
    return object;
  }

  private write(object: JsonObject, key: string, elements: readonly NaiveElement[], repeats: boolean): void {
    const isPrimitive = /^[a-z]/.test(elements[0]?.type ?? '');
    if (!isPrimitive) {
      const values = elements.map((element) => this.object(element));
      object[key] = repeats ? values : (values[0] ?? {});
      return;
    }
    const values: JsonValue[] = elements.map(({ value }) => value ?? null);
    const extending = elements.map((element) =>
      element.children.length === 0 ? null : this.object(element),
    );
    if (values.some((value) => value !== null)) object[key] = repeats ? values : (values[0] ?? null);
    if (extending.some((value) => value !== null))
      object[`_${key}`] = repeats ? extending : (extending[0] ?? null);
  }
}
