// One entry for each pair of concrete resource type and search parameter, with the expression as it applies there.

/** Corrections of errors in the published expressions, as in a later release or by the data types. */
const ERRATA = [
  // FHIR has no type DateTime (datatypes.html); Observation.value[x] allows dateTime.
  ['as(DateTime)', 'as(dateTime)'],
  // This extension is not defined; R4B names the right one (patient-mothersMaidenName).
  ['StructureDefinition/patient-extensions-Patient-mothersMaidenName', 'StructureDefinition/patient-mothersMaidenName'],
  // hasExtension() is no function of FHIRPath; R4B writes it so.
  [/hasExtension\(('[^']*')\)/g, 'extension($1).exists()'],
];

/** Corrected expressions by the url of the parameter, as in R5: a Bundle has the one or the other, by its first resource. */
const CORRECTED = {
  'http://hl7.org/fhir/SearchParameter/Bundle-composition': 'Bundle.entry[0].resource.ofType(Composition)',
  'http://hl7.org/fhir/SearchParameter/Bundle-message': 'Bundle.entry[0].resource.ofType(MessageHeader)',
};

export function buildSearchParameters(types, definitions, release) {
  const byName = new Map(types.map((type) => [type.name, type]));
  const byUrl = new Map(definitions.map((definition) => [definition.url, definition]));
  const names = new Set(byName.keys());
  const pairs = [];
  for (const type of types) {
    if (type.kind !== 'resource' || type.abstract) continue;
    const ancestry = [];
    for (let at = type; at; at = byName.get(at.base)) ancestry.push(at.name);
    const byCode = new Map();
    for (const definition of definitions) {
      const distance = Math.min(...definition.base.map((base) => ancestry.indexOf(base)).filter((index) => index >= 0));
      if (distance === Infinity) continue;
      const rank = [distance, definition.version === release.fhirVersion ? 0 : 1, definition.url];
      const other = byCode.get(definition.code);
      if (!other || isBefore(rank, other.rank)) byCode.set(definition.code, { definition, rank });
    }
    const codes = [...byCode.keys()].sort();
    codes.forEach((code, ordinal) => {
      const { definition } = byCode.get(code);
      pairs.push(buildPair(definition, type, ordinal, pairs.length + 1, ancestry, names, byUrl));
    });
  }
  return pairs;
}

function isBefore(rank, other) {
  const index = rank.findIndex((value, at) => value !== other[at]);
  return index >= 0 && rank[index] < other[index];
}

function buildPair(definition, type, ordinal, number, ancestry, names, byUrl) {
  const expression = expressionFor(CORRECTED[definition.url] ?? definition.expression, ancestry, names);
  const components = definition.component?.map((component) => {
    const target = byUrl.get(component.definition);
    if (!target) throw new Error(`${definition.url} has a component ${component.definition} that is not defined`);
    return { code: target.code, kind: target.type, url: target.url, expression: mend(component.expression) };
  });
  return {
    number,
    ordinal,
    type: type.name,
    code: definition.code,
    kind: definition.type,
    url: definition.url,
    ...(expression ? { expression } : {}),
    ...(definition.target ? { targets: definition.target } : {}),
    ...(components ? { components } : {}),
    ...(definition.multipleOr === undefined ? {} : { multipleOr: definition.multipleOr }),
    ...(definition.multipleAnd === undefined ? {} : { multipleAnd: definition.multipleAnd }),
    ...(definition.comparator ? { comparators: definition.comparator } : {}),
    ...(definition.modifier ? { modifiers: definition.modifier } : {}),
  };
}

function mend(expression) {
  return ERRATA.reduce((text, [wrong, right]) => text.replaceAll(wrong, right), expression);
}

/** Returns the branches of the top-level union that begin with this type, one of its ancestors, or with no type at all. */
function expressionFor(expression, ancestry, names) {
  if (!expression) return undefined;
  const branches = splitUnion(mend(expression)).filter((branch) => {
    const head = /^\(*\s*([A-Z]\w*)/.exec(branch)?.[1];
    return head === undefined || !names.has(head) || ancestry.includes(head);
  });
  if (branches.length < 2) return branches[0];
  // `as` and `is` bind weaker than `|` (FHIRPath, operator precedence): alone they are clear, joined they are not.
  return branches.map((branch) => (/ (as|is) \w+$/.test(branch) && !branch.endsWith(')') ? `(${branch})` : branch)).join(' | ');
}

function splitUnion(expression) {
  const branches = [];
  let depth = 0;
  let start = 0;
  let isQuoted = false;
  for (let index = 0; index < expression.length; index += 1) {
    const character = expression[index];
    if (character === "'") isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
    else if (character === '|' && depth === 0) {
      branches.push(expression.slice(start, index).trim());
      start = index + 1;
    }
  }
  branches.push(expression.slice(start).trim());
  return branches;
}
