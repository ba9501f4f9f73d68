/** Processor time of the processes of a test run, as Linux accounts for it in /proc. */
const { readdirSync, readFileSync } = require('node:fs');

/** Ticks of a second in /proc: 100 on every Linux that Node.js supports. */
const TICKS = 100;

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // The process has ended meanwhile.
    return '';
  }
}

/**
 * The processor seconds of a process itself, and of its ended children for which it has waited. Undefined: it has ended, or
 * this is no Linux.
 */
function processTime(processId) {
  const text = read(`/proc/${processId}/stat`);
  if (text === '') return undefined;
  // The name of the program, in parentheses, may have spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [parent, own, ended] = [
    Number(fields[1]),
    (Number(fields[11]) + Number(fields[12])) / TICKS,
    (Number(fields[13]) + Number(fields[14])) / TICKS,
  ];
  return { processId, parent, own, ended };
}

/** The command line of a process; PostgreSQL writes there what a backend does, with the name of its database. */
function commandOf(processId) {
  return read(`/proc/${processId}/cmdline`).replaceAll('\0', ' ');
}

/** A process and all its descendants, each after its parent. */
function processesBelow(processId) {
  const children = new Map();
  for (const name of readdirSync('/proc')) {
    const found = /^\d+$/.test(name) ? processTime(Number(name)) : undefined;
    if (found === undefined) continue;
    children.set(found.parent, [...(children.get(found.parent) ?? []), found]);
  }
  const root = processTime(processId);
  const found = root === undefined ? [] : [root];
  for (const { processId: each } of found) found.push(...(children.get(each) ?? []));
  return found;
}

module.exports = { commandOf, processesBelow, processTime };
