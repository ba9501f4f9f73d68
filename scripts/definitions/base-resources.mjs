// The base conformance resources as they are stored: without what only a reader of the specification's pages needs.
const DROPPED = ['text', 'meta', 'mapping', 'differential'];
const DROPPED_OF_ELEMENTS = ['comment', 'requirements', 'alias', 'mapping', 'example', 'definition'];

function stripElement(element) {
  const stripped = { ...element };
  for (const name of DROPPED_OF_ELEMENTS) delete stripped[name];
  if (stripped.constraint) {
    stripped.constraint = stripped.constraint.map((constraint) => {
      const kept = { ...constraint };
      delete kept.xpath;
      return kept;
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
