import { createBucketStore } from '../content/bucket-store';
import { Contents } from '../content/contents';
import { createDatabaseStore } from '../content/database-store';
import { createFolderStore } from '../content/folder-store';
import type { ObjectStore } from '../content/object-store';
import type { Database } from '../storage/connection/database';
import type { CoreOptions } from './core-options';

/** Creates the stores of large content whose settings are given. `givenUp`: there is content to remove. */
export function createContents(
  { content, log }: Pick<CoreOptions, 'content' | 'log'>,
  database: Database,
  givenUp: () => void,
): Contents {
  const { folder, endpoint, bucket, region, keyId, secret } = content;
  const stores: ObjectStore[] = [createDatabaseStore(database)];
  if (folder !== undefined) stores.push(createFolderStore(folder, log));
  if (endpoint !== undefined && bucket !== undefined && keyId !== undefined && secret !== undefined)
    stores.push(createBucketStore({ endpoint, bucket, region, keyId, secret }, log));
  return new Contents({ database, stores, inUse: content.store, givenUp });
}
