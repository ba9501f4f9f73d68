/**
 * A simple model of transactions: https://hl7.org/fhir/R4/http.html#trules, docs/use/bundles.md. It has organizations
 * with a name, an identifier and a parent, and uses no code of the server.
 */

/** The kind of a reference: to a resource, another entry, or by criteria. */
export type Reference =
  { readonly id: string } | { readonly entry: number } | { readonly identifier: string };

export interface Content {
  readonly name: string;
  readonly identifier?: string;
  readonly partOf?: Reference;
}

export type Target = { readonly id: string } | { readonly identifier: string };

export type Entry =
  | {
      readonly kind: 'create';
      readonly content: Content;
      readonly ifNoneExist?: string;
      readonly isBroken?: boolean;
    }
  | {
      readonly kind: 'update';
      readonly target: Target;
      readonly content: Content;
      /** In the body; undefined: none. */
      readonly id?: string;
      readonly ifMatch?: number;
      readonly ifNoneMatch?: boolean;
      readonly isBroken?: boolean;
    }
  | {
      readonly kind: 'patch';
      readonly target: Target;
      readonly name: string;
      readonly form: 'json' | 'fhirpath';
      readonly ifMatch?: number;
      /** The entry of a JSON Patch, as the next. */
      readonly partOf?: { readonly entry: number };
      /** Its condition is false. */
      readonly isFailing?: boolean;
    }
  | { readonly kind: 'delete'; readonly target: Target; readonly ifMatch?: number }
  | { readonly kind: 'get'; readonly id: string };

/** A version; undefined: a deletion. References are ids. */
export type Stored =
  { readonly name: string; readonly identifier?: string; readonly partOf?: string } | undefined;

/** The versions of each resource by its id, the oldest first. */
export type State = ReadonlyMap<string, readonly Stored[]>;

export interface Answer {
  readonly status: number;
  /** The resource that is written, found or read; undefined: the entry has none. */
  readonly id?: string;
  readonly version?: number;
}

export type Outcome =
  /** The statuses of the faults; their order is not defined. */
  | { readonly faults: ReadonlySet<number> }
  /** Resources that are made have the ids of `newId`. */
  | { readonly state: State; readonly answers: readonly Answer[] };

/** The id of the resource that an entry creates, until the server has returned it. */
export const newId = (entry: number): string => `new ${entry}`;

interface Write {
  readonly index: number;
  readonly kind: 'create' | 'update' | 'patch' | 'delete';
  readonly id: string;
  readonly mustBeFree: boolean;
  /** True when criteria select the resource. */
  readonly isUnderCondition: boolean;
}

const ORDER = { delete: 0, create: 1, update: 2, patch: 2 };

export function runTransaction(before: State, entries: readonly Entry[]): Outcome {
  const faults = new Set<number>();
  const last = (state: State, id: string): Stored => state.get(id)?.at(-1);
  const matches = (state: State, identifier: string): string[] =>
    [...state.keys()].filter((id) => last(state, id)?.identifier === identifier);

  // The resource that each entry is about.
  const writes: Write[] = [];
  const abouts = new Map<number, string>();
  const makers = new Map<string, number>();
  /** Conditional creates of existing resources. */
  const found = new Set<number>();
  const write = (index: number, kind: Write['kind'], id: string, mustBeFree = false): void => {
    const entry = entries[index];
    const isUnderCondition =
      entry?.kind === 'create'
        ? entry.ifNoneExist !== undefined
        : entry !== undefined && 'target' in entry && 'identifier' in entry.target;
    writes.push({ index, kind, id, mustBeFree, isUnderCondition });
    abouts.set(index, id);
  };
  entries.forEach((entry, index) => {
    if (entry.kind === 'get') return;
    if (entry.kind === 'create') {
      if (entry.ifNoneExist === undefined) return write(index, 'create', newId(index));
      const [match, other] = matches(before, entry.ifNoneExist);
      const maker = makers.get(entry.ifNoneExist);
      if (other !== undefined) faults.add(412);
      else if (match !== undefined) {
        found.add(index);
        abouts.set(index, match);
      } else if (maker !== undefined) abouts.set(index, abouts.get(maker) ?? '');
      else {
        makers.set(entry.ifNoneExist, index);
        write(index, 'create', newId(index));
      }
      return;
    }
    const { kind, target } = entry;
    if ('id' in target) return write(index, kind, target.id);
    const [match, other] = matches(before, target.identifier);
    if (other !== undefined) faults.add(412);
    else if (match !== undefined) {
      if (entry.kind === 'update' && entry.id !== undefined && entry.id !== match) faults.add(400);
      write(index, kind, match);
    } else if (kind === 'patch') faults.add(404);
    else if (entry.ifMatch !== undefined) faults.add(412);
    else if (entry.kind === 'update') {
      if (makers.has(target.identifier)) faults.add(400);
      makers.set(target.identifier, index);
      if (entry.id === undefined) write(index, 'create', newId(index));
      else write(index, 'update', entry.id, true);
    }
  });
  // Each resource is written once, and a matched one is not deleted by another entry.
  const deletes = (one: Write, other: Write): boolean =>
    one.kind === 'delete' && other.kind !== 'delete' && other.isUnderCondition;
  writes.forEach((one, place) => {
    for (const other of writes.slice(place + 1))
      if (one.id === other.id) faults.add(deletes(one, other) || deletes(other, one) ? 422 : 400);
    const isFound = [...found].some((index) => abouts.get(index) === one.id);
    if (one.kind === 'delete' && isFound) faults.add(422);
  });

  // Checks that each is allowed.
  const done = writes.filter(({ index, kind, id, mustBeFree }) => {
    const entry = entries[index];
    const versions = before.get(id) ?? [];
    const current = versions.at(-1);
    const guard = entry !== undefined && 'ifMatch' in entry ? entry.ifMatch : undefined;
    if (guard !== undefined && (current === undefined || guard !== versions.length)) faults.add(412);

    if (entry?.kind === 'update' && entry.ifNoneMatch === true && current !== undefined) faults.add(412);
    if (mustBeFree && current !== undefined) faults.add(409);
    if (entry !== undefined && 'isBroken' in entry && entry.isBroken === true) faults.add(400);
    if (kind === 'patch' && current === undefined) faults.add(versions.length === 0 ? 404 : 410);
    if (entry?.kind === 'patch' && entry.isFailing === true) faults.add(422);
    return kind !== 'delete' || current !== undefined;
  });

  // First all entries without references by criteria, then the others.
  const state = new Map(before);
  const criteria = new Set<string>();
  for (const entry of entries) {
    const partOf = 'content' in entry ? entry.content.partOf : undefined;
    if (partOf !== undefined && 'identifier' in partOf) criteria.add(partOf.identifier);
  }
  const resolved = new Map<string, string>();
  const resolve = (reference: Reference): string => {
    if ('id' in reference) return reference.id;
    if ('entry' in reference) return abouts.get(reference.entry) ?? '';
    return resolved.get(reference.identifier) ?? '';
  };
  const apply = ({ index, kind, id }: Write): void => {
    const versions = state.get(id) ?? [];
    state.set(id, [
      ...versions,
      kind === 'delete' ? undefined : next(entries[index], versions.at(-1), resolve),
    ]);
  };
  const isLate = ({ index }: Write): boolean => {
    const entry = entries[index];
    const partOf = entry !== undefined && 'content' in entry ? entry.content.partOf : undefined;
    return partOf !== undefined && 'identifier' in partOf;
  };
  const requireOne = (): void => {
    for (const identifier of criteria) {
      const [match, other] = matches(state, identifier);
      if (match === undefined || other !== undefined) faults.add(412);
      else if (!resolved.has(identifier)) resolved.set(identifier, match);
    }
  };
  const inOrder = [...done].sort(
    (one, other) => ORDER[one.kind] - ORDER[other.kind] || one.index - other.index,
  );
  for (const each of inOrder) if (!isLate(each)) apply(each);
  requireOne();
  for (const each of inOrder) if (isLate(each)) apply(each);
  requireOne();

  const answers = entries.map((entry, index): Answer => {
    if (entry.kind === 'get') {
      const versions = state.get(entry.id);
      if (versions === undefined) faults.add(404);
      else if (versions.at(-1) === undefined) faults.add(410);
      return { status: 200, id: entry.id, version: versions?.length ?? 0 };
    }
    const id = abouts.get(index);
    const isWritten = done.some((each) => each.index === index);
    if (id === undefined || (entry.kind === 'delete' && !isWritten)) return { status: 200 };
    if (entry.kind === 'create' && !isWritten)
      return { status: 200, id, version: (found.has(index) ? before : state).get(id)?.length ?? 0 };
    const isNew = last(before, id) === undefined && entry.kind !== 'delete';
    return { status: isNew ? 201 : 200, id, version: state.get(id)?.length ?? 0 };
  });
  return faults.size > 0 ? { faults } : { state, answers };
}

function next(entry: Entry | undefined, current: Stored, resolve: (reference: Reference) => string): Stored {
  if (entry?.kind === 'patch') {
    const { name, partOf } = entry;
    return { ...current, name, ...(partOf === undefined ? {} : { partOf: resolve(partOf) }) };
  }
  if (entry === undefined || !('content' in entry)) throw new Error('an entry has no content');
  const { name, identifier, partOf } = entry.content;
  return {
    name,
    ...(identifier === undefined ? {} : { identifier }),
    ...(partOf === undefined ? {} : { partOf: resolve(partOf) }),
  };
}
