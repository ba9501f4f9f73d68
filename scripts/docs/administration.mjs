/** docs/reference/administration.md, from the OpenAPI documents of the administration. */
import { readFileSync } from 'node:fs';
import { toAnchor } from '../../docs/.vitepress/anchor.mjs';
import { cell, code, codeCell, table } from './markdown.mjs';

export const file = 'docs/reference/administration.md';

const nameOf = (reference) => reference.split('/').at(-1);

/** The document says "this document" of itself. */
const aboutOf = (text) =>
  cell(text)
    .replace(/(?<=show )this document/i, 'these addresses as OpenAPI 3.1')
    .replace('This document', 'These addresses as OpenAPI 3.1');

/** The type of a schema in a cell: a link for those with a section of their own. */
function typeOf(schema) {
  if (schema.$ref !== undefined) return `[${nameOf(schema.$ref)}](#${toAnchor(nameOf(schema.$ref))})`;
  if (schema.enum !== undefined) return schema.enum.map((value) => codeCell(String(value))).join(', ');
  if (schema.const !== undefined) return codeCell(JSON.stringify(schema.const));
  if (schema.oneOf !== undefined) return schema.oneOf.map(typeOf).join(' or ');
  if (schema.type === 'array') return `list of ${typeOf(schema.items ?? {})}`;
  return [schema.type ?? 'any JSON'].flat().join(' or ');
}

/** The members of a schema; those of an object inside it follow with its name before theirs. */
function memberRows({ properties = {}, required = [] }, prefix = '') {
  return Object.entries(properties).flatMap(([name, schema]) => [
    [
      code(prefix + name) + (required.includes(name) ? ' (required)' : ''),
      typeOf(schema),
      cell(schema.description ?? ''),
    ],
    ...memberRows(schema, `${prefix}${name}.`),
    ...memberRows(schema.items ?? {}, `${prefix}${name}[].`),
  ]);
}

function contentTypes(content = {}) {
  return Object.entries(content).map(([type, { schema = {} }]) =>
    type === 'application/json' ? typeOf(schema) : `${code(type)}: ${typeOf(schema)}`,
  );
}

export function toPage(_load, root) {
  const document = JSON.parse(readFileSync(`${root}/schema/administration.openapi.json`, 'utf8'));
  const { info, paths, tags, components } = document;
  const resolve = (parameter) =>
    parameter.$ref === undefined ? parameter : components.parameters[nameOf(parameter.$ref)];
  const operations = Object.entries(paths).flatMap(([address, { parameters: shared = [], ...methods }]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      title: `${method.toUpperCase()} ${address}`,
      parameters: [...shared, ...(operation.parameters ?? [])].map(resolve),
    })),
  );

  const describe = ({ title, summary, description, parameters, requestBody, responses }) => {
    const given = parameters.map(({ name, in: place, required, description: meaning = '' }) => [
      code(name) + (required === true && place !== 'path' ? ' (required)' : ''),
      place === 'path' ? 'address' : place,
      cell(meaning),
    ]);
    const answers = Object.entries(responses)
      .filter(([status]) => status !== 'default')
      .map(([status, answer]) => [
        status,
        cell(answer.description),
        contentTypes(answer.content).join(' or '),
      ]);
    const example = requestBody?.content?.['application/json']?.example;
    return [
      // As code: the site takes braces at the end of a heading for attributes.
      `### \`${title}\``,
      `${aboutOf(summary)}.${description === undefined ? '' : ` ${cell(description)}.`}`,
      ...(given.length === 0 ? [] : [table(['parameter', 'place', 'meaning'], given)]),
      ...(requestBody === undefined ? [] : [`Body: ${contentTypes(requestBody.content).join(' or ')}.`]),
      ...(example === undefined ? [] : [`\`\`\`json\n${JSON.stringify(example, undefined, 2)}\n\`\`\``]),
      table(['status', 'meaning', 'body'], answers),
    ].join('\n\n');
  };
  const sections = tags.map(({ name, description = '' }) =>
    [
      `## ${name}`,
      `${aboutOf(description)}.`,
      ...operations.filter((operation) => operation.tags.includes(name)).map(describe),
    ].join('\n\n'),
  );
  const own = JSON.parse(readFileSync(`${root}/schema/tenant-administration.openapi.json`, 'utf8'));
  const ownAddresses = new Map(
    Object.entries(own.paths).flatMap(([address, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => [
        operationId,
        `${method.toUpperCase()} ${address}`,
      ]),
    ),
  );
  const linkOf = (title) => `[\`${title}\`](#${toAnchor(title)})`;
  const overview = operations.map(({ operationId, title, summary }) => {
    const ownAddress = ownAddresses.get(operationId);
    return [linkOf(title), ownAddress === undefined ? 'operator only' : code(ownAddress), aboutOf(summary)];
  });
  const ofOperator = operations
    .filter(({ operationId }) => !ownAddresses.has(operationId))
    .map(({ title, summary }) => [linkOf(title), aboutOf(summary)]);
  const bodies = Object.entries(components.schemas).map(([name, schema]) => {
    const rows = memberRows(schema);
    return [
      `### ${name}`,
      ...(schema.description === undefined ? [] : [`${cell(schema.description)}.`]),
      ...(rows.length === 0 ? [`A ${typeOf(schema)}.`] : [table(['member', 'type', 'meaning'], rows)]),
    ].join('\n\n');
  });

  return `# Administration over HTTP

*For operators, and administrators of tenants. Generated from schema/administration.openapi.json by \`npm run build:docs\`.*

${cell(info.description)}. The addresses are below \`{base_url}/w/system/api/v1\`, and bodies are JSON. The same as OpenAPI 3.1 is at
\`{base_url}/w/system/api/v1/openapi.json\`. Every refusal is an OperationOutcome with one of the [errors](errors.md).
[Tenants](../run/tenants.md) and [authentication](../run/access.md) explain what the members mean; the [commands](commands.md) do the same.

Administrators of a tenant use most of the addresses below \`{base_url}/w/{tenant}/api/v1\`
([own administration](../run/own-administration.md)); their description is at \`{base_url}/w/{tenant}/api/v1/openapi.json\`.

${table(['address', 'at the address of a tenant', 'meaning'], overview)}

## Only the operator

${table(['address', 'meaning'], ofOperator)}

The operator alone also changes the status of a tenant and [its limits](configuration.md#settings-of-a-tenant).

${sections.join('\n\n')}

## Bodies

${bodies.join('\n\n')}
`;
}
