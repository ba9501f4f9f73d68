/** The files of a schema that the caches of GraphQL clients read (docs/use/front-end.md). */
import { createRequire } from 'node:module';

// The same module as that of the schema.
const { getNamedType, isAbstractType, isCompositeType, isInterfaceType, isIntrospectionType, isObjectType } =
  createRequire(import.meta.url)('graphql');

/** Returns the possible types of interfaces and unions, sorted by name. */
export function possibleTypesOf(schema) {
  const abstract = Object.values(schema.getTypeMap()).filter(isAbstractType);
  const namesOf = (type) => schema.getPossibleTypes(type).map(({ name }) => name).sort(); // prettier-ignore
  return Object.fromEntries(abstract.map((type) => [type.name, namesOf(type)]).sort());
}

/**
 * Returns the names of the fields that return a Node, so that `_key` can be added below them. `except`: for a name that
 * returns something else in some types, those types and the fields that lead to them.
 */
export function nodeFieldsOf(schema) {
  const composite = Object.values(schema.getTypeMap()).filter(
    (type) => (isObjectType(type) || isInterfaceType(type)) && !isIntrospectionType(type),
  );
  const isNode = (type) =>
    type.name === 'Node' || (!isAbstractType(type) || isInterfaceType(type)) && type.getInterfaces().some(({ name }) => name === 'Node'); // prettier-ignore
  const leading = new Map();
  const nodes = new Set();
  const others = new Map();
  const add = (map, name, value) => map.set(name, (map.get(name) ?? new Set()).add(value));
  for (const parent of composite) {
    for (const { name, type } of Object.values(parent.getFields())) {
      const target = getNamedType(type);
      if (!isCompositeType(target)) continue;
      add(leading, target.name, name);
      if (isNode(target)) nodes.add(name);
      else add(others, name, parent.name);
    }
  }
  const fields = [...nodes].sort();
  const except = fields.flatMap((name) => {
    const types = [...(others.get(name) ?? [])];
    const names = new Set(types.flatMap((type) => [type, ...(leading.get(type) ?? [])]));
    return names.size === 0 ? [] : [[name, [...names].sort()]];
  });
  return {
    types: composite.filter(isNode).map(({ name }) => name).sort(), // prettier-ignore
    fields,
    except: Object.fromEntries(except),
  };
}
