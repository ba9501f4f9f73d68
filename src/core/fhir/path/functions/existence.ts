/** http://hl7.org/fhirpath/N1/#existence */
import {
  forEach,
  fromTest,
  toTest,
  truthOf,
  type CallSite,
  type Compiled,
  type FunctionTable,
  type Run,
  type Test,
} from '../compiled';
import type { Meter } from '../allowance';
import { selectsAny } from '../member';
import { areAmong, distinct } from '../membership';
import { SYSTEM_NODES } from '../type-node';
import { single, TRUE, type PathNodes } from '../value';

/** allTrue, anyTrue …: the values must be booleans. */
function quantified(on: Run, decide: (values: readonly boolean[]) => boolean, name: string): Compiled {
  return fromTest((focus, scope) => {
    const nodes = on(focus, scope);
    const values = nodes.map((node) =>
      truthOf(node.node.kind === 'Boolean' ? [node] : NO_BOOLEAN, scope, name),
    );
    return decide(values.filter((value) => value !== undefined));
  });
}
/** Two values, which singleton evaluation refuses. */
const NO_BOOLEAN: PathNodes = [...TRUE, ...TRUE];

/** Tests for any value; does not collect values if the expression only selects elements. */
function isAny({ on: { run, steps }, context: { model } }: CallSite): Test {
  if (steps && steps.length > 0) return (focus, scope) => selectsAny(steps, focus, model, scope);
  return (focus, scope) => run(focus, scope).length > 0;
}

function exists(on: Run, criterion: Test): Test {
  return (focus, scope) => {
    let found = false;
    forEach(on(focus, scope), criterion, scope, (result) => {
      if (result !== true) return true;
      found = true;
      return false;
    });
    return found;
  };
}

function all(on: Run, criterion: Test): Test {
  return (focus, scope) => {
    let found = true;
    forEach(on(focus, scope), criterion, scope, (result) => {
      if (result === true) return true;
      found = false;
      return false;
    });
    return found;
  };
}

function withOther(
  on: Run,
  other: Run,
  decide: (nodes: PathNodes, others: PathNodes, meter: Meter) => boolean,
): Compiled {
  return fromTest((focus, scope) => decide(on(focus, scope), other(scope.self, scope), scope));
}

export const EXISTENCE: FunctionTable = {
  empty: [
    0,
    0,
    (call) => {
      const test = isAny(call);
      return fromTest((focus, scope) => !test(focus, scope));
    },
  ],
  exists: [
    0,
    1,
    (call) => {
      if (call.syntax.arguments.length === 0) return fromTest(isAny(call));
      return fromTest(exists(call.on.run, toTest(call.criterion(0), 'exists()')));
    },
  ],
  all: [1, 1, (call) => fromTest(all(call.on.run, toTest(call.criterion(0), 'all()')))],
  not: [
    0,
    0,
    ({ on }) => {
      const test = toTest(on, 'not()');
      return fromTest((focus, scope) => {
        const value = test(focus, scope);
        return value === undefined ? undefined : !value;
      });
    },
  ],
  allTrue: [0, 0, ({ on }) => quantified(on.run, (values) => values.every((value) => value), 'allTrue()')],
  anyTrue: [0, 0, ({ on }) => quantified(on.run, (values) => values.some((value) => value), 'anyTrue()')],
  allFalse: [0, 0, ({ on }) => quantified(on.run, (values) => values.every((value) => !value), 'allFalse()')],
  anyFalse: [0, 0, ({ on }) => quantified(on.run, (values) => values.some((value) => !value), 'anyFalse()')],
  subsetOf: [1, 1, (call) => withOther(call.on.run, call.argument(0).run, areAmong)],
  supersetOf: [
    1,
    1,
    (call) =>
      withOther(call.on.run, call.argument(0).run, (nodes, others, meter) => areAmong(others, nodes, meter)),
  ],
  count: [
    0,
    0,
    ({ on }) => ({
      run: (focus, scope) => single(on.run(focus, scope).length, 'Integer'),
      nodes: [SYSTEM_NODES.Integer],
    }),
  ],
  distinct: [
    0,
    0,
    ({ on }) => ({ run: (focus, scope) => distinct(on.run(focus, scope), scope), nodes: on.nodes }),
  ],
  isDistinct: [
    0,
    0,
    ({ on }) =>
      fromTest((focus, scope) => {
        const nodes = on.run(focus, scope);
        return distinct(nodes, scope).length === nodes.length;
      }),
  ],
};
