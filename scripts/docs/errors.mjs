/** docs/reference/errors.md, from the catalogue of errors. */
import { cell, table } from './markdown.mjs';

export const file = 'docs/reference/errors.md';

export function toPage(load) {
  const { ERROR_CATALOGUE } = load('core/errors.js');
  const rows = Object.entries(ERROR_CATALOGUE).map(([key, { status, code, message }]) => [
    `\`${key}\``,
    status,
    `\`${code}\``,
    cell(message),
  ]);
  return `# Errors

*For developers of clients. Generated from src/core/errors.ts by \`npm run build:docs\`; change it there.*

Every error is answered as an OperationOutcome with the issue code below. GraphQL has the OperationOutcome in
\`extensions.resource\` and the issue code in \`extensions.code\`. Words in braces are replaced.

- 422 \`too-costly\` is about the content: its size, its number of items, or the processor time that it needs
  ([limits.md](../run/limits.md#processor-time-of-content)). The same request gets it again.
- 503 with \`Retry-After\` says nothing about the content: the server was busy, or a time limit is over. Send the same request again
  later. An error after which changes may have been stored says so and has no \`Retry-After\`, unless the request can be
  repeated without harm (GET, PUT, DELETE).

${table(['error', 'status', 'issue code', 'message'], rows)}
`;
}
