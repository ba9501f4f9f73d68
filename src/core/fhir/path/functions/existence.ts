/** http://hl7.org/fhirpath/N1/#existence */
import { forEach, truthOf, type Compiled, type FunctionTable, type Run, type Scope } from '../compiled';
import { distinct, includes } from '../equality';
import { SYSTEM_NODES } from '../type-node';
import { FALSE, single, toBoolean, TRUE, type PathNodes } from '../value';

const BOOLEAN = [SYSTEM_NODES.Boolean];

function boolean(run: Run): Compiled {
  return { run, nodes: BOOLEAN };
}

/** allTrue, anyTrue …: the values must be booleans. */
function quantified(on: Run, decide: (values: readonly boolean[]) => boolean, name: string): Compiled {
  return boolean((focus, scope) => {
    const nodes = on(focus, scope);
    const values = nodes.map((node) =>
      truthOf(node.node.kind === 'Boolean' ? [node] : NO_BOOLEAN, scope, name),
    );
    return toBoolean(decide(values.filter((value) => value !== undefined)));
  });
}
/** Two values, which singleton evaluation refuses. */
const NO_BOOLEAN: PathNodes = [...TRUE, ...TRUE];

function exists(on: Run, criterion: Run | undefined): Run {
  if (!criterion) return (focus, scope) => (on(focus, scope).length > 0 ? TRUE : FALSE);
  return (focus, scope) => {
    let found = FALSE;
    forEach(on(focus, scope), criterion, scope, (result) => {
      if (truthOf(result, scope, 'exists()') !== true) return true;
      found = TRUE;
      return false;
    });
    return found;
  };
}

function all(on: Run, criterion: Run): Run {
  return (focus, scope) => {
    let found = TRUE;
    forEach(on(focus, scope), criterion, scope, (result) => {
      if (truthOf(result, scope, 'all()') === true) return true;
      found = FALSE;
      return false;
    });
    return found;
  };
}

function isSubset(nodes: PathNodes, whole: PathNodes): boolean {
  return nodes.every((node) => includes(whole, node));
}

function withOther(
  on: Run,
  other: Run,
  decide: (nodes: PathNodes, others: PathNodes, scope: Scope) => boolean,
): Compiled {
  return boolean((focus, scope) => toBoolean(decide(on(focus, scope), other(scope.self, scope), scope)));
}

export const EXISTENCE: FunctionTable = {
  empty: [0, 0, ({ on }) => boolean((focus, scope) => (on.run(focus, scope).length === 0 ? TRUE : FALSE))],
  exists: [
    0,
    1,
    (call) =>
      boolean(exists(call.on.run, call.syntax.arguments.length > 0 ? call.criterion(0).run : undefined)),
  ],
  all: [1, 1, (call) => boolean(all(call.on.run, call.criterion(0).run))],
  not: [
    0,
    0,
    ({ on }) =>
      boolean((focus, scope) => {
        const value = truthOf(on.run(focus, scope), scope, 'not()');
        return toBoolean(value === undefined ? undefined : !value);
      }),
  ],
  allTrue: [0, 0, ({ on }) => quantified(on.run, (values) => values.every((value) => value), 'allTrue()')],
  anyTrue: [0, 0, ({ on }) => quantified(on.run, (values) => values.some((value) => value), 'anyTrue()')],
  allFalse: [0, 0, ({ on }) => quantified(on.run, (values) => values.every((value) => !value), 'allFalse()')],
  anyFalse: [0, 0, ({ on }) => quantified(on.run, (values) => values.some((value) => !value), 'anyFalse()')],
  subsetOf: [1, 1, (call) => withOther(call.on.run, call.argument(0).run, isSubset)],
  supersetOf: [
    1,
    1,
    (call) => withOther(call.on.run, call.argument(0).run, (nodes, others) => isSubset(others, nodes)),
  ],
  count: [
    0,
    0,
    ({ on }) => ({
      run: (focus, scope) => single(on.run(focus, scope).length, 'Integer'),
      nodes: [SYSTEM_NODES.Integer],
    }),
  ],
  distinct: [0, 0, ({ on }) => ({ run: (focus, scope) => distinct(on.run(focus, scope)), nodes: on.nodes })],
  isDistinct: [
    0,
    0,
    ({ on }) =>
      boolean((focus, scope) => {
        const nodes = on.run(focus, scope);
        return toBoolean(distinct(nodes).length === nodes.length);
      }),
  ],
};
