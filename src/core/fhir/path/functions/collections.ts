/** Filtering and projection, subsetting, combining (http://hl7.org/fhirpath/N1/#filtering-and-projection and after). */
import {
  fault,
  forEach,
  one,
  toTest,
  truthOf,
  type Compiled,
  type FunctionTable,
  type Run,
  type Scope,
  type Test,
} from '../compiled';
import { createRecord, distinct, filterMembers } from '../membership';
import { EMPTY, type PathNode, type PathNodes } from '../value';

function where(on: Run, criterion: Test): Run {
  return (focus, scope) => {
    const nodes = on(focus, scope);
    if (nodes.length === 0) return EMPTY;
    const found: PathNode[] = [];
    forEach(nodes, criterion, scope, (result, node) => {
      if (result === true) found.push(node);
    });
    return found;
  };
}

function select(on: Run, projection: Run): Run {
  return (focus, scope) => {
    const found: PathNode[] = [];
    forEach(on(focus, scope), projection, scope, (result) => {
      // Each value may have as many results as the resource has values.
      scope.spend(result.length);
      for (const node of result) found.push(node);
    });
    return found;
  };
}

/** Repeats the projection on its own results until there are no new values. */
function repeat(on: Run, projection: Run): Run {
  return (focus, scope) => {
    const found: PathNode[] = [];
    const isNew = createRecord(scope);
    let level = on(focus, scope);
    while (level.length > 0) {
      const next: PathNode[] = [];
      forEach(level, projection, scope, (result) => {
        for (const node of result) {
          if (!isNew(node)) continue;
          found.push(node);
          next.push(node);
        }
      });
      level = next;
    }
    return found;
  };
}

/** Returns a part of the collection; the bounds are integers that are not negative. */
function slice(on: Compiled, bounds: (length: number) => [start: number, end: number]): Compiled {
  return {
    run: (focus, scope) => {
      const nodes = on.run(focus, scope);
      return nodes.length === 0 ? EMPTY : nodes.slice(...bounds(nodes.length));
    },
    nodes: on.nodes,
  };
}

function sliceBy(
  on: Compiled,
  count: Run,
  name: string,
  bounds: (count: number) => [start: number, end: number],
): Compiled {
  return {
    run: (focus, scope) => {
      const nodes = on.run(focus, scope);
      const number = one(count(scope.self, scope), scope, name)?.value;
      return typeof number === 'number' ? nodes.slice(...bounds(Math.max(0, number))) : EMPTY;
    },
    nodes: on.nodes,
  };
}

function combined(
  on: Compiled,
  other: Compiled,
  join: (nodes: PathNodes, others: PathNodes, scope: Scope) => PathNodes,
): Compiled {
  return {
    run: (focus, scope) => join(on.run(focus, scope), other.run(scope.self, scope), scope),
    nodes: on.nodes && other.nodes && [...on.nodes, ...other.nodes],
  };
}

function combine(nodes: PathNodes, others: PathNodes, scope: Scope): PathNodes {
  scope.makeValues(nodes.length + others.length);
  return [...nodes, ...others];
}

export const COLLECTIONS: FunctionTable = {
  where: [
    1,
    1,
    (call) => ({
      run: where(call.on.run, toTest(call.criterion(0), 'where()')),
      nodes: call.on.nodes,
    }),
  ],
  select: [
    1,
    1,
    (call) => {
      const projection = call.criterion(0);
      return { run: select(call.on.run, projection.run), nodes: projection.nodes };
    },
  ],
  repeat: [1, 1, (call) => ({ run: repeat(call.on.run, call.criterion(0).run), nodes: undefined })],
  single: [
    0,
    0,
    ({ on }) => ({
      run: (focus, scope) => {
        const nodes = on.run(focus, scope);
        return nodes.length > 1 ? fault(scope, 'single() takes one value') : nodes;
      },
      nodes: on.nodes,
    }),
  ],
  first: [0, 0, ({ on }) => slice(on, () => [0, 1])],
  last: [0, 0, ({ on }) => slice(on, (length) => [length - 1, length])],
  tail: [0, 0, ({ on }) => slice(on, (length) => [1, length])],
  skip: [1, 1, (call) => sliceBy(call.on, call.argument(0).run, 'skip()', (count) => [count, Infinity])],
  take: [1, 1, (call) => sliceBy(call.on, call.argument(0).run, 'take()', (count) => [0, count])],
  intersect: [
    1,
    1,
    (call) =>
      combined(call.on, call.argument(0), (nodes, others, scope) =>
        distinct(filterMembers(nodes, others, true, scope), scope),
      ),
  ],
  exclude: [
    1,
    1,
    (call) =>
      combined(call.on, call.argument(0), (nodes, others, scope) =>
        filterMembers(nodes, others, false, scope),
      ),
  ],
  union: [
    1,
    1,
    (call) =>
      combined(call.on, call.argument(0), (nodes, others, scope) =>
        distinct(combine(nodes, others, scope), scope),
      ),
  ],
  combine: [1, 1, (call) => combined(call.on, call.argument(0), combine)],
  aggregate: [
    1,
    2,
    (call) => {
      const start = call.syntax.arguments.length > 1 ? call.argument(1).run : undefined;
      const step = call.criterion(0).run;
      return {
        run: (focus, scope) => {
          const nodes = call.on.run(focus, scope);
          const { total } = scope;
          scope.total = start ? start(scope.self, scope) : EMPTY;
          forEach(nodes, step, scope, (result) => {
            scope.total = result;
          });
          const result = scope.total;
          scope.total = total;
          return result;
        },
        nodes: undefined,
      };
    },
  ],
  iif: [
    2,
    3,
    (call) => {
      const [criterion, then] = [call.criterion(0), call.criterion(1)];
      const otherwise = call.syntax.arguments.length > 2 ? call.criterion(2) : undefined;
      return {
        run: (focus, scope) => {
          const nodes = call.on.run(focus, scope);
          if (nodes.length > 1) return fault(scope, 'iif() takes one value');
          const { self } = scope;
          scope.self = nodes;
          const decision = criterion.run(nodes, scope);
          if (decision.length === 1 && decision[0]?.node.kind !== 'Boolean') {
            fault(scope, 'The criterion of iif() is a boolean');
          }
          const branch = truthOf(decision, scope, 'iif()') === true ? then : otherwise;
          const result = branch ? branch.run(nodes, scope) : EMPTY;
          scope.self = self;
          return result;
        },
        nodes: undefined,
      };
    },
  ],
};
