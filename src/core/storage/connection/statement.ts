import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
  type Compilable,
  type RawBuilder,
} from 'kysely';
import { createHash } from 'node:crypto';
import { toText, type SqlPieces } from './sql-pieces';
import type { Tables } from '../schema/tables';

/** Builds and compiles queries only; statements run through pg (database.ts). */
export const builder = createBuilder(() => new PostgresQueryCompiler());

/** Stands for each value in the SQL of `template`; no SQL has it. */
const PLACE = '\0';

class PiecesCompiler extends PostgresQueryCompiler {
  protected override getCurrentParameterPlaceholder(): string {
    return PLACE;
  }
}

const piecesBuilder = createBuilder(() => new PiecesCompiler());

function createBuilder(createQueryCompiler: () => PostgresQueryCompiler): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler,
    },
  });
}

/** SQL whose values are marked by `PLACE`. */
type Template = Pick<Compilable<unknown>, 'compile'>;

class Placeholder {
  constructor(readonly name: string) {}
}

/** A placeholder for the value of that name, bound when the statement runs. */
export function bind<T>(name: string): RawBuilder<T> {
  return sql`${new Placeholder(name)}`;
}

/** A value that pg can bind. */
export type Bound = string | number | boolean | null | Buffer | readonly (string | number | null)[];

/** SQL text that is compiled once; values are bound by name. */
export interface Statement {
  /** Undefined: unnamed, planned each time for the bound values. */
  readonly name: string | undefined;
  readonly text: string;
  /** The same text, for statements that contain this one. */
  readonly pieces: SqlPieces;
  /** True: returns a few rows of whole numbers for planning a search; several can be combined (planning-queries.ts). */
  readonly isPlanningQuery?: boolean;
  /** The bound values in the order of $1, $2 …: named values, or constants of the builder. */
  values(bound: Readonly<Record<string, Bound>>): Bound[];
}

/**
 * Compiles a kysely query whose changing values are `bind('name')`.
 * **Cost**: some 100 microseconds; call it once per shape and reuse the result.
 *
 * @param options.named prepare it under a name (generic plan after five runs): right for shapes with one index range
 */
export function defineStatement(query: Template, options: { named: boolean } = { named: true }): Statement {
  const compiled = query.compile();
  const slots = compiled.parameters.map((parameter) =>
    parameter instanceof Placeholder ? { name: parameter.name } : { constant: toBound(parameter) },
  );
  const pieces = compiled.sql
    .split(PLACE)
    .flatMap((text, index) => (index === 0 ? [text] : [index - 1, text]));
  const statement: Statement = {
    name: undefined,
    text: toText(pieces),
    pieces,
    values: (bound) =>
      slots.map((slot) => {
        if (slot.name === undefined) return slot.constant;
        const value = bound[slot.name];
        if (value === undefined) throw new Error(`The statement's value '${slot.name}' is not bound`);
        return value;
      }),
  };
  return options.named ? named(statement) : statement;
}

/** Marks a statement as a planning query. */
export function asPlanningQuery(statement: Statement): Statement {
  return { ...statement, isPlanningQuery: true };
}

/** Gives a statement a name derived from its text, under which it is prepared. */
export function named<S extends Pick<Statement, 'text'>>(statement: S): S & { readonly name: string } {
  return { ...statement, name: shapeName(statement.text) };
}

/** A name derived from the text of a statement. */
export function shapeName(text: string): string {
  return 'a' + createHash('sha256').update(text).digest('base64url').slice(0, 16);
}

function toBound(parameter: unknown): Bound {
  if (
    typeof parameter === 'string' ||
    typeof parameter === 'number' ||
    typeof parameter === 'boolean' ||
    parameter === null
  ) {
    return parameter;
  }
  throw new Error('A statement may hold only plain constants and bind()');
}

/** Compiles a raw template for `defineStatement`. */
export function template(raw: RawBuilder<unknown>): Template {
  return { compile: () => raw.compile(piecesBuilder) };
}
