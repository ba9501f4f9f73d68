/**
 * Loaded before the program by the servers that tests share, and by each worker: appends each SQL text that the application
 * role runs to the file that ANDIRON_STATEMENTS names. At the end of the run all are held to the rule about spaces (space-rule.ts).
 */
const { appendFileSync } = require('node:fs');
const { Client } = require('pg');

const file = process.env.ANDIRON_STATEMENTS;
const recorded = new Set();
const ofApplication = new WeakSet();
const { query } = Client.prototype;

Client.prototype.query = function recordedQuery(...given) {
  const [statement] = given;
  if (typeof statement === 'string' && statement.startsWith('set role ')) ofApplication.add(this);
  // The program asks for rows as arrays, and tests for objects.
  else if (statement?.rowMode === 'array' && ofApplication.has(this) && !recorded.has(statement.text)) {
    recorded.add(statement.text);
    appendFileSync(file, `${JSON.stringify(statement.text)}\n`);
  }
  return Reflect.apply(query, this, given);
};
