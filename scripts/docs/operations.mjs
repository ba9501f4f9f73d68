/** docs/reference/operations.md, from the operations of both releases and their OperationDefinitions. */
import { toAnchor } from '../../docs/.vitepress/anchor.mjs';
import { cell, codeCell, firstSentence, table } from './markdown.mjs';

export const file = 'docs/reference/operations.md';

const LEVELS = {
  system: () => '`{fhir_root}',
  type: (type) => `\`{fhir_root}/${type}`,
  instance: (type) => `\`{fhir_root}/${type}/{id}`,
};

/** The OperationDefinitions with their texts, by url: the program itself keeps only what it checks. */
function readDefinitions(load, release) {
  const { readBaseResources } = load('core/fhir/definitions.js');
  const { ownOperationResources } = load('core/operation-types/own-definitions.js');
  const found = new Map(ownOperationResources().map((resource) => [resource.url, resource]));
  for (const { type, text } of readBaseResources(release)) {
    if (type !== 'OperationDefinition') continue;
    const resource = JSON.parse(text);
    found.set(resource.url, resource);
  }
  return found;
}

function parameterRows(parameters, prefix = '') {
  return parameters.flatMap(({ name, use, min, max, type, documentation = '', part = [] }) => [
    [codeCell(prefix + name), use ?? '', `${min}..${max}`, type ?? '', cell(firstSentence(documentation))],
    ...parameterRows(part, `${prefix}${name}.`),
  ]);
}

function describe({ signature, definition, releases }) {
  const { code, levels, types, affectsState, isPaged, takesSearch, returns = 'Parameters' } = signature;
  const type = types.includes('Resource') ? '{type}' : types.join('|');
  const methods = affectsState ? 'POST' : 'GET or POST';
  const notes = [
    ...(isPaged ? ['The answer has pages.'] : []),
    ...(code === 'everything'
      ? [
          'With `Accept: application/fhir+ndjson` it is [lines](../use/bulk-data.md#the-records-of-patients-as-lines).',
        ]
      : []),
    ...(takesSearch ? ['Search parameters may stand in the address.'] : []),
    ...(releases.length === 1 ? [`Only ${releases[0].toUpperCase()} has it.`] : []),
  ];
  const parameters = parameterRows(definition.parameter ?? []);
  return [
    `## ${titleOf(signature)}`,
    firstSentence(definition.description ?? definition.title ?? '') + '.',
    `${methods}: ${levels.map((level) => `${LEVELS[level](type)}/$${code}\``).join(', ')}. Answers ${returns === 'Resource' ? 'a resource' : `\`${returns}\``}. ${notes.join(' ')}`.trim(),
    ...(parameters.length === 0
      ? []
      : [table(['parameter', 'use', 'number', 'type', 'meaning'], parameters)]),
    `Defined by \`${definition.url}\`.`,
  ].join('\n\n');
}

function titleOf({ code, types }) {
  return types.includes('Resource') ? `$${code}` : `${types.join(', ')}: $${code}`;
}

export function toPage(load) {
  const { RELEASE_NAMES } = load('core/fhir/release.js');
  const { releaseDefinitions } = load('core/composition/release-definitions.js');

  const operations = new Map();
  for (const release of RELEASE_NAMES) {
    const definitions = readDefinitions(load, release);
    for (const signature of releaseDefinitions(release).operations) {
      const known = operations.get(signature.definition);
      if (known === undefined)
        operations.set(signature.definition, {
          signature,
          definition: definitions.get(signature.definition),
          releases: [release],
        });
      else known.releases.push(release);
    }
  }
  const all = [...operations.values()];
  const overview = all.map(({ signature, definition, releases }) => {
    const title = titleOf(signature);
    return [
      `[${title}](#${toAnchor(title)})`,
      signature.levels.join(', '),
      releases.join(', '),
      cell(definition.title ?? definition.name),
    ];
  });

  return `# Operations

*For developers of clients. Generated from the OperationDefinitions of the server by \`npm run build:docs\`.*

How an operation is called, and what the server does beyond these definitions, is in [FHIR operations](../use/fhir-operations.md). The texts
are the first sentences of the definitions; those of R4 are shown where both releases have the operation.
\`{fhir_root}/OperationDefinition\` has the whole definitions. \`$export\` and \`$import\` are not
among them: see [bulk data](../use/bulk-data.md), [import](../use/import.md), [code systems](../use/import-terminology.md#over-rest) and [REST addresses](rest.md#export).

${table(['operation', 'levels', 'releases', 'name'], overview)}

${all.map(describe).join('\n\n')}
`;
}
