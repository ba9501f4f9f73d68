import { closedAtEnd } from './left-open';
import { findServices, runOnNodes } from './services';
import { copyTemplate, type DatabaseAddress } from './template';

export interface TestDatabase extends DatabaseAddress {
  drop(): Promise<void>;
}

let made = 0;

/**
 * A database of the caller's own: a copy of the migrated template, or with `empty` one without a table.
 * Cost: some ten milliseconds.
 */
export async function createTestDatabase(options: { readonly empty?: boolean } = {}): Promise<TestDatabase> {
  made += 1;
  const copy = await copyTemplate(String(made), options.empty);
  const { server, workers } = findServices();
  const drop = (): Promise<void> =>
    runOnNodes(server, workers, `drop database if exists "${copy.settings.database}" with (force)`);
  return { ...copy, drop: closedAtEnd(drop) };
}
