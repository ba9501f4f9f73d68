/**
 * Loaded before the program by the servers that tests share, and by each worker: appends each SQL text that they run, and whether
 * the application role does, to the file that ANDIRON_STATEMENTS names. At the end of the run all are held to the rules about spaces
 * (space-rule.ts).
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
  else if (statement?.rowMode === 'array') {
    const line = JSON.stringify([statement.text, ofApplication.has(this)]);
    if (!recorded.has(line)) {
      recorded.add(line);
      appendFileSync(file, `${line}\n`);
    }
  }
  return Reflect.apply(query, this, given);
};
