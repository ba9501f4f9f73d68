/** The object types of data types, of their inner elements, and of resources. */
import {
  GraphQLError,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigArgumentMap,
  GraphQLID,
  GraphQLInterfaceType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLString,
} from 'graphql';
import { isJsonObject } from '../json';
import { RawJson } from '../raw-json';
import { jsonScalar } from '../scalars';
import { withFhirPath } from '../fhir-path-extension';
import { HAS_NO_ID, SEMANTIC_NON_NULL } from '../semantic-non-null';
import { memberOf, ResourceSource } from '../types/resource';
import type { SchemaDefinitions, SchemaElement, SchemaStructure } from './definitions';
import type { Handlers } from './handlers';
import { type Filters, listArguments, selectElements } from './lists';
import { primitiveScalar } from './primitives';

export type Field<Context> = GraphQLFieldConfig<unknown, Context, Readonly<Record<string, unknown>>>;
export type Fields<Context> = Record<string, Field<Context>>;
type Resolver<Context> = NonNullable<Field<Context>['resolve']>;

/** The content of an element. */
type Content =
  | { readonly kind: 'primitive'; readonly code: string }
  /** Any resource. */
  | { readonly kind: 'resource' }
  /** The elements below `path` of a structure. */
  | { readonly kind: 'elements'; readonly structure: SchemaStructure; readonly path: string };

/** One field of an element; a choice has one for each of its types. */
interface Variant {
  /** Name in JSON: `valueQuantity`. */
  readonly name: string;
  readonly content: Content;
  readonly description: string | undefined;
}

/**
 * Types without list filters. A filter compares the text of a value, which does not suit markup, bytes, or numbers that
 * may be written in several ways.
 */
const NO_FILTERS: ReadonlySet<string> = new Set(['base64Binary', 'markdown', 'xhtml', 'decimal']);

/** The types of one release. Each type is made when it is first used, and its fields when the schema is made. */
export class ElementTypes<Context> {
  private readonly types = new Map<string, { readonly place: string; readonly type: GraphQLObjectType }>();
  private readonly resolvers = new Map<string, Resolver<Context>>();
  private readonly resourceTypes: ReadonlySet<string>;
  /** Resource types of results of operations, which have no id. */
  private readonly returned: ReadonlySet<string>;
  /** The interface of everything with a key: all resource types. */
  readonly node: GraphQLInterfaceType;
  /** The interface of all resource types. */
  readonly resource: GraphQLInterfaceType;

  /**
   * @param further returns the fields of a type besides its elements, by the name of the type
   * @param shared the types of another schema; all types except those of resources come from it
   */
  constructor(
    private readonly definitions: SchemaDefinitions,
    private readonly handlers: Handlers<Context>,
    private readonly further: (typeName: string) => Fields<Context>,
    private readonly shared?: ElementTypes<Context>,
  ) {
    this.resourceTypes = new Set(definitions.resourceTypes);
    this.returned = new Set(definitions.operations.map(({ returns }) => returns ?? 'Parameters'));
    this.node = shared?.node ?? nodeInterface();
    this.resource = shared?.resource ?? this.resourceInterface();
  }

  /** Returns the type of a data type or resource. */
  ofType(name: string): GraphQLObjectType {
    return this.ofElements(this.structureOf(name), '');
  }

  /** Returns all types that were made so far. */
  get made(): readonly GraphQLObjectType[] {
    return [...this.types.values()].map(({ type }) => type);
  }

  private resourceInterface(): GraphQLInterfaceType {
    return new GraphQLInterfaceType({
      name: 'Resource',
      description: 'A FHIR resource of any type.',
      interfaces: [this.node],
      fields: () => ({ ...this.ownFields(), ...this.fieldsOf(this.structureOf('Resource'), '') }),
      resolveType: typeOfResource,
    });
  }

  private structureOf(name: string): SchemaStructure {
    const structure = this.definitions.structure(name);
    if (structure === undefined)
      throw new Error(`FHIR ${this.definitions.fhirVersion} has no type '${name}'`);
    return structure;
  }

  private ofElements(structure: SchemaStructure, path: string): GraphQLObjectType {
    const isResource = structure.kind === 'resource' && path === '';
    if (this.shared && !isResource) return this.shared.ofElements(structure, path);
    const name = toTypeName(structure, path);
    const place = `${structure.name}.${path}`;
    const cached = this.types.get(name);
    if (cached !== undefined) {
      if (cached.place === place) return cached.type;
      throw new Error(`${cached.place} and ${place} would both be the type ${name}`);
    }
    const type = new GraphQLObjectType<unknown, Context>({
      name,
      description: describe(this.definitions, structure, path),
      ...withFhirPath(structure.name, path),
      interfaces: () => (isResource ? [this.resource, this.node] : []),
      fields: () => ({
        ...(isResource ? this.ownFields() : {}),
        ...this.fieldsOf(structure, path),
        ...(isResource && !this.returned.has(name) ? { id: this.idField(name) } : {}),
        ...(path === '' ? this.further(structure.name) : {}),
      }),
    });
    this.types.set(name, { place, type });
    return type;
  }

  /** Returns the fields of a resource besides its elements. */
  private ownFields(): Fields<Context> {
    return {
      _key: keyField(),
      resourceType: { type: new GraphQLNonNull(GraphQLString), resolve: this.resolver('resourceType') },
      json: {
        type: new GraphQLNonNull(jsonScalar),
        description: 'The whole resource as FHIR JSON, exactly as in REST.',
        resolve: (source) => (source instanceof ResourceSource ? new RawJson(source.text) : undefined),
      },
    };
  }

  /** Returns the field `id` of a type whose resources have one, except some inside of Bundles. */
  private idField(typeName: string): Field<Context> {
    return {
      type: GraphQLID,
      description: this.definitions.descriptions.element(typeName, 'id'),
      extensions: SEMANTIC_NON_NULL,
      resolve(source) {
        const id = memberOf(source, 'id');
        if (typeof id === 'string') return id;
        throw new GraphQLError(`This ${typeName} has no id: it is inside of another resource`, {
          extensions: { code: HAS_NO_ID },
        });
      },
    };
  }

  private fieldsOf(structure: SchemaStructure, path: string): Fields<Context> {
    // Members of resources and of Meta are made on demand; all others are plain JSON.
    const isLazy = path === '' && (structure.kind === 'resource' || structure.name === 'Meta');
    const fields: Fields<Context> = {};
    for (const element of structure.children(path)) {
      for (const variant of this.variantsOf(structure, element)) {
        const isList = element.max > 1;
        fields[variant.name] = this.fieldOf(variant, isList, isLazy);
        if (!hasCompanion(element, variant)) continue;
        const base = this.ofType('Element');
        const name = `_${variant.name}`;
        fields[name] = {
          type: isList ? new GraphQLList(base) : base,
          resolve: isLazy ? this.resolver(name) : undefined,
        };
      }
    }
    return fields;
  }

  private fieldOf({ name, content, description }: Variant, isList: boolean, isLazy: boolean): Field<Context> {
    const toValue = content.kind === 'resource' ? (value: unknown) => this.inner(value) : undefined;
    const type = this.typeOf(content);
    if (!isList) {
      const resolve: Resolver<Context> | undefined =
        toValue === undefined
          ? isLazy
            ? this.resolver(name)
            : undefined
          : (source) => toValue(memberOf(source, name));
      return { type, description, resolve };
    }
    return {
      type: new GraphQLList(type),
      description,
      args: listArguments(this.filtersOf(content)),
      resolve: (source, args, context) => {
        const selected = selectElements(memberOf(source, name), args, (elements, expression) =>
          this.handlers.filter(elements, placeOf(content), expression, context),
        );
        if (toValue === undefined) return selected;
        const toValues = (found: unknown): unknown => (Array.isArray(found) ? found.map(toValue) : found);
        return selected instanceof Promise ? selected.then(toValues) : toValues(selected);
      },
    };
  }

  /** Returns a resource inside another one; undefined for any other value. */
  private inner(value: unknown): ResourceSource | undefined {
    if (!isJsonObject(value) || typeof value.resourceType !== 'string') return undefined;
    return this.resourceTypes.has(value.resourceType) ? this.handlers.inner(value) : undefined;
  }

  private resolver(name: string): Resolver<Context> {
    let resolver = this.resolvers.get(name);
    if (resolver === undefined) {
      resolver = (source) => memberOf(source, name);
      this.resolvers.set(name, resolver);
    }
    return resolver;
  }

  private variantsOf(structure: SchemaStructure, element: SchemaElement): Variant[] {
    const { name, path, isChoice, types, contentReference } = element;
    const description = this.definitions.descriptions.element(structure.name, path);
    if (contentReference !== undefined) {
      const [owner = '', ...below] = contentReference.split('.');
      const content: Content = {
        kind: 'elements',
        structure: this.structureOf(owner),
        path: below.join('.'),
      };
      return [{ name, content, description }];
    }
    if (structure.children(path).length > 0) {
      return [{ name, content: { kind: 'elements', structure, path }, description }];
    }
    const offered = isChoice ? types : types.slice(0, 1);
    return offered.map(({ code, targets = [] }) => {
      const referred = targets.filter((target) => this.resourceTypes.has(target));
      const refers = referred.length === 0 ? undefined : `Refers to ${referred.join(', ')}.`;
      return {
        name: isChoice ? name + capitalised(code) : name,
        content: this.contentOf(code),
        description: lines(description, refers),
      };
    });
  }

  private contentOf(code: string): Content {
    const structure = this.structureOf(code);
    if (structure.kind === 'primitive') return { kind: 'primitive', code };
    return structure.kind === 'resource' ? { kind: 'resource' } : { kind: 'elements', structure, path: '' };
  }

  private typeOf(content: Content): GraphQLOutputType {
    switch (content.kind) {
      case 'primitive':
        return primitiveScalar(content.code);
      case 'resource':
        return this.resource;
      case 'elements':
        return this.ofElements(content.structure, content.path);
    }
  }

  /** Returns an argument for each primitive element by which a list can be filtered. */
  private filtersOf(content: Content): Filters {
    if (content.kind !== 'elements') return {};
    const { structure, path } = content;
    const filters: GraphQLFieldConfigArgumentMap = {};
    for (const element of structure.children(path)) {
      // Choices are left out: they would give each list of extensions seventeen arguments.
      const [variant] = element.isChoice ? [] : this.variantsOf(structure, element);
      if (variant?.content.kind !== 'primitive' || NO_FILTERS.has(variant.content.code)) continue;
      filters[variant.name] = {
        type: primitiveScalar(variant.content.code),
        description: variant.description,
      };
    }
    return filters;
  }
}

const KEY_DESCRIPTION =
  'Unique in the tenant and release, and the same wherever the resource is selected: `Patient/1`; `Patient/1/_history/2` ' +
  'if it was read by its version or as of a moment; `MedicationRequest/7#med1` inside of another resource; a digest ' +
  'for what is not stored.';

function keyField<Context>(): Field<Context> {
  return {
    type: new GraphQLNonNull(GraphQLID),
    description: 'Its key in caches; see Node.',
    resolve: (source) => (source instanceof ResourceSource ? source.key : undefined),
  };
}

function typeOfResource(source: unknown): string | undefined {
  return source instanceof ResourceSource ? source.resourceType : undefined;
}

function nodeInterface(): GraphQLInterfaceType {
  return new GraphQLInterfaceType({
    name: 'Node',
    description: 'Objects with a key, for clients that cache by keys.',
    fields: { _key: { type: new GraphQLNonNull(GraphQLID), description: KEY_DESCRIPTION } },
    resolveType: typeOfResource,
  });
}

/** True when JSON may have a member `_name` with the id and the extensions of the value; an id has none. */
function hasCompanion({ name }: SchemaElement, { content }: Variant): boolean {
  return content.kind === 'primitive' && content.code !== 'xhtml' && name !== 'id';
}

/** Returns the FHIRPath name of the type: `HumanName`, `Patient.contact`. */
function placeOf(content: Content): string {
  if (content.kind === 'primitive') return content.code;
  if (content.kind === 'resource') return 'Resource';
  return content.path === '' ? content.structure.name : `${content.structure.name}.${content.path}`;
}

/** Returns the GraphQL name of the type: `PatientContact`. The base of all elements has HL7's name. */
function toTypeName(structure: SchemaStructure, path: string): string {
  if (path === '') return structure.name === 'Element' ? 'ElementBase' : structure.name;
  return structure.name + path.split('.').map(capitalised).join('');
}

function capitalised(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function describe(
  { release, descriptions }: SchemaDefinitions,
  { name, kind }: SchemaStructure,
  path: string,
): string | undefined {
  const text = descriptions.element(name, path);
  if (path !== '') return text;
  const root = `http://hl7.org/fhir/${release.toUpperCase()}`;
  const page = kind === 'resource' ? `${root}/${name.toLowerCase()}.html` : `${root}/datatypes.html#${name}`;
  return lines(text, page);
}

/** Joins the texts that exist. */
function lines(...texts: readonly (string | undefined)[]): string | undefined {
  return texts.filter((text) => text !== undefined).join('\n') || undefined;
}
