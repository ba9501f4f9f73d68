import type { RawBuilder } from 'kysely';
import { defineStatement, named, template, type Statement } from './statement';
import { createCache } from '../../memory/create-cache';
import { MAX_NAMED_LENGTH, USES_TO_NAME } from './statement-forms';

const MAX_SHAPES = 500;
/**
 * Limit on prepared statements: each takes some 50 kB in every PostgreSQL process and is never evicted there, and
 * clients can write searches of endlessly many shapes.
 */
const MAX_NAMED = 300;

/**
 * Statements by the shape of their request, compiled once. The access path is part of the text, so that the plan of one
 * request suits all requests of its shape (measured: planning took a third to a half of PostgreSQL's time;
 * docs/bench/journal/searches.md).
 */
export class StatementShapes {
  private readonly shapes = createCache<string, { statement: Statement; uses: number }>({
    name: 'statement-shapes',
    scope: 'program',
    max: MAX_SHAPES,
  });
  private readonly names = new Set<string>();

  /** Returns the statement of a shape; `build` is called on a cache miss. */
  get(shape: string, build: () => RawBuilder<unknown>): Statement {
    let entry = this.shapes.get(shape);
    if (entry === undefined) {
      entry = { statement: defineStatement(template(build()), { named: false }), uses: 0 };
      this.shapes.set(shape, entry);
    }
    entry.uses += 1;
    if (entry.uses === USES_TO_NAME) entry.statement = this.nameIfFew(entry.statement);
    return entry.statement;
  }

  private nameIfFew(statement: Statement): Statement {
    if (statement.text.length > MAX_NAMED_LENGTH) return statement;
    const prepared = named(statement);
    if (!this.names.has(prepared.name)) {
      if (this.names.size >= MAX_NAMED) return statement;
      this.names.add(prepared.name);
    }
    return prepared;
  }
}
