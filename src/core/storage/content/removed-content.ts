import { sql, type RawBuilder } from 'kysely';

/** The columns of a deleted content `c` that `NOTE_OBJECTS` reads. */
export const OBJECT_COLUMNS: RawBuilder<unknown> = sql`c.store, c.space, c.id, c.size`;

/**
 * Notes the objects of the contents in `removed` that must be deleted in a folder or bucket. An object whose writing had not ended
 * is deleted twice, because its process may still be writing.
 */
export const NOTE_OBJECTS: RawBuilder<unknown> = sql`
  insert into andiron.content_removal (of_space, store, object, again)
  select r.space, r.store, r.space || '/' || r.id, r.size is null from removed r where r.store <> 'database'
  on conflict do nothing`;
