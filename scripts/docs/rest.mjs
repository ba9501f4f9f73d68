/** docs/reference/rest.md, from the routes of REST and their descriptions in the OpenAPI document. */
import { cell, codeCell, table } from './markdown.mjs';

export const file = 'docs/reference/rest.md';

const BODIES = {
  resource: 'the resource',
  patch: 'a JSON Patch (`application/json-patch+json`) or a FHIRPath Patch (a Parameters resource)',
  form: 'the search parameters, as `application/x-www-form-urlencoded`',
  parameters: 'a Parameters resource',
  bundle: 'a Bundle of type batch or transaction',
  graphql: '`{"query": …, "variables": …}` as `application/json`, or a document as `application/graphql`',
};

/** Other addresses; each has a page of its own. */
const ELSEWHERE = [
  [
    '`/w/{tenant}/api/v1/graphql/{release}`',
    'GraphQL',
    '[GraphQL](../use/graphql.md), [schema](graphql-schema.md)',
  ],
  ['`{fhir_root}/websocket`', 'Notifications of Subscriptions', '[Subscriptions](../use/subscriptions.md)'],
  ['`/w/{tenant}/oidc/…`', 'Discovery, sign-in, tokens, keys', '[Authentication](../run/access.md)'],
  [
    '`/w/system/api/v1/…`',
    'Tenants, clients, people, policies, packages, jobs',
    '[Administration](administration.md)',
  ],
  ['`/health/live`, `/health/ready`', 'Health checks', '[Operations](../run/operations.md)'],
  ['`/docs/`', 'This site', ''],
];

function describe({ COMMON_PARAMETERS, DESCRIPTIONS, RESULT_PARAMETERS }, interaction) {
  const description = { summary: interaction.name, ...DESCRIPTIONS.get(interaction) };
  const {
    summary,
    body,
    headers = [],
    isSearch,
    hasCriteria,
    hasParts,
    answers = { 200: 'Done' },
  } = description;
  const named = headers.map((key) => COMMON_PARAMETERS[key]);
  const parameters = [
    ...(hasCriteria ? ['search parameters of the type that select the resource'] : []),
    ...(isSearch && body === undefined
      ? [
          '[search parameters](../use/search-reference.md)',
          ...RESULT_PARAMETERS.map(({ name }) => `\`${name}\``),
        ]
      : []),
    ...named.filter((each) => each.in === 'query').map(({ name }) => `\`${name}\``),
    ...(hasParts ? ['`_summary`', '`_elements`'] : []),
  ];
  return {
    summary: summary.replace('This document', 'These addresses as OpenAPI 3.1'),
    body: body === undefined ? '' : BODIES[body],
    parameters: parameters.join(', '),
    headers: named.filter((each) => each.in === 'header').map(({ name }) => `\`${name}\``),
    answers: Object.entries(answers).map(([status, meaning]) => `${status} ${cell(meaning)}`),
  };
}

export function toPage(load) {
  const { FHIR_ROOT, INTERACTIONS } = load('rest/interaction-names.js');
  const { COMMON_PARAMETERS } = load('rest/openapi/components.js');
  const { DESCRIPTIONS } = load('rest/openapi/descriptions.js');
  const { RESULT_PARAMETERS } = load('core/search/requests/parse-search.js');
  const tables = { COMMON_PARAMETERS, DESCRIPTIONS, RESULT_PARAMETERS };

  const routed = Object.values(INTERACTIONS).filter(({ methods }) => methods !== undefined);
  const toAddress = ({ pattern }) =>
    `{fhir_root}${pattern.slice(FHIR_ROOT.length)}`.replace(/:(\w+)/g, '{$1}');
  const byName = groupByName(routed);
  const overview = routed.map((interaction) => [
    codeCell(`${interaction.methods.join(', ')} ${toAddress(interaction)}`),
    `[${interaction.name}](#${interaction.name})`,
    cell(describe(tables, interaction).summary),
  ]);
  const sections = Array.from(byName, ([name, interactions]) => {
    const rows = interactions.map((interaction) => {
      const { body, parameters, headers, answers } = describe(tables, interaction);
      return [
        codeCell(`${interaction.methods.join(', ')} ${toAddress(interaction)}`),
        parameters,
        headers.join(', '),
        body,
        answers.join('; '),
      ];
    });
    return `### ${name}\n\n${table(['address', 'parameters', 'headers', 'body', 'answers'], rows)}`;
  });
  const parameters = Object.values(COMMON_PARAMETERS).map(({ name, in: place, description }) => [
    codeCell(name),
    place === 'path' ? 'address' : place,
    cell(description),
  ]);

  return `# REST addresses

*For developers of clients. Generated from src/rest/interaction-names.ts and src/rest/openapi by \`npm run build:docs\`; change it there.*

\`{fhir_root}\` is \`${FHIR_ROOT.replace(/:(\w+)/g, '{$1}')}\`, such as \`http://localhost:3000/w/system/api/v1/fhir/r4\`. Every address with GET answers HEAD, too,
and all take \`_format\` and \`_pretty\`. Each [operation](operations.md) says which methods and parameters it takes.
The same as OpenAPI 3.1, with the search parameters of each type, is at \`{fhir_root}/openapi.json\`. Every refusal is an OperationOutcome with one
of the [errors](errors.md).

## Overview

${table(['address', 'interaction', 'meaning'], overview)}

Addresses that are not FHIR's:

${table(['address', 'meaning', 'page'], ELSEWHERE)}

## Interactions

${sections.join('\n\n')}

## Parameters and headers

${table(['name', 'place', 'meaning'], parameters)}
`;
}

function groupByName(interactions) {
  const groups = new Map();
  for (const interaction of interactions)
    groups.set(interaction.name, [...(groups.get(interaction.name) ?? []), interaction]);
  return groups;
}
