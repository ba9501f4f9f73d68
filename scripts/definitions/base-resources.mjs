// The base conformance resources as they are stored: without the members that only readers of the specification need.
const DROPPED = ['text', 'meta', 'mapping', 'differential'];
const DROPPED_OF_ELEMENTS = ['comment', 'requirements', 'alias', 'mapping', 'example', 'definition'];

function stripElement(element) {
  const stripped = { ...element };
  for (const name of DROPPED_OF_ELEMENTS) delete stripped[name];
  if (stripped.constraint) {
    stripped.constraint = stripped.constraint.map((constraint) => {
      const copy = { ...constraint };
      delete copy.xpath;
      return copy;
    });
  }
  return stripped;
}

export function stripResource(resource) {
  const { resourceType, id, ...rest } = resource;
  for (const name of DROPPED) delete rest[name];
  if (resourceType === 'StructureDefinition') {
    rest.snapshot = { element: resource.snapshot.element.map(stripElement) };
  }
  return { resourceType, id, ...rest };
}
