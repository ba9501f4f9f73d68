import { recordSpan } from '../../core/index';

interface Level {
  readonly began: number;
  ended: number;
  fields: number;
}

/**
 * When the fields of each level of an operation waited for their values: level 1 are the root fields, level 2 the fields
 * of what they return. Recorded for traced requests only.
 */
export class LevelTimes {
  private readonly levels: Level[] = [];

  /** Returns what is to be called when the value is there. */
  begin(depth: number): () => void {
    const level = (this.levels[depth] ??= { began: performance.now(), ended: 0, fields: 0 });
    level.fields++;
    return () => {
      level.ended = performance.now();
    };
  }

  record(): void {
    // The levels of values that came with their object have no entry.
    this.levels.forEach(({ began, ended, fields }, depth) =>
      recordSpan(
        `level ${depth}`,
        began,
        { 'andiron.graphql.level': depth, 'andiron.graphql.fields': fields },
        ended,
      ),
    );
    this.levels.length = 0;
  }
}
