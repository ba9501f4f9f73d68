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

${table(['error', 'status', 'issue code', 'message'], rows)}
`;
}
