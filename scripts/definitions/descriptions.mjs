// The short texts of a release's definitions, for people who read the GraphQL schema.
// src/core/fhir/definitions/descriptions.ts describes their shape.

/** Limit on the characters of a text that the definitions do not keep short themselves. */
const LONGEST = 300;

export function buildDescriptions({ definitions, coreSet }) {
  const byUrl = new Map(definitions.map((definition) => [definition.url, definition]));
  return {
    elements: Object.fromEntries(
      definitions
        .filter(({ resourceType, derivation }) => resourceType === 'StructureDefinition' && derivation !== 'constraint')
        .map((definition) => [definition.type, elementTexts(definition)])
        .sort(([one], [other]) => (one < other ? -1 : 1)),
    ),
    parameters: byType(coreSet.searchParameters, byUrl),
    operations: Object.fromEntries(
      coreSet.operations.map(({ url }) => [url, parameterTexts(byUrl.get(url)?.parameter ?? [], '')]),
    ),
  };
}

/** By path, without the name of the type; that of the type itself is empty. */
function elementTexts({ type, snapshot }) {
  const texts = {};
  for (const { path, sliceName, short } of snapshot.element) {
    if (sliceName || !short) continue;
    texts[path.slice(type.length + 1)] = oneLine(short);
  }
  return texts;
}

function byType(searchParameters, byUrl) {
  const texts = {};
  for (const { type, code, url } of searchParameters) {
    const description = byUrl.get(url)?.description;
    if (description) (texts[type] ??= {})[code] = shortened(ofType(description, type));
  }
  return texts;
}

/** A parameter of several types has a line for each: `* [Patient](patient.html): A portion of the given name`. */
function ofType(description, type) {
  const lines = description.split(/\r?\n/).filter((line) => /^\s*\* \[/.test(line));
  const own = lines.find((line) => line.trim().startsWith(`* [${type}]`));
  return own === undefined ? description : own.replace(/^[^)]*\):/, '');
}

/** By name; the parts of a parameter as `parameter.part`. */
function parameterTexts(parameters, prefix) {
  const texts = {};
  for (const { use, name, documentation, part = [] } of parameters) {
    if (use === 'out') continue;
    if (documentation) texts[prefix + name] = shortened(documentation);
    Object.assign(texts, parameterTexts(part, `${prefix}${name}.`));
  }
  return texts;
}

function oneLine(text) {
  return text.replace(/\s+/g, ' ').trim();
}

/** The first sentences that fit. */
function shortened(text) {
  const line = oneLine(text);
  if (line.length <= LONGEST) return line;
  const end = line.slice(0, LONGEST).lastIndexOf('. ');
  return end > 0 ? line.slice(0, end + 1) : `${line.slice(0, line.lastIndexOf(' ', LONGEST))} …`;
}
