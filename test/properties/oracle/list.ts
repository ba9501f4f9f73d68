/** `_list=id`: the items of the list. */
import { membersOf } from './json';
import { alternativesOf } from './query-text';
import { referenceText } from './reference';
import { findLocal, type Predicate, type Space } from './space';

export function listPredicate(space: Space, text: string): Predicate {
  const lists = alternativesOf(text).flatMap(
    (id) => findLocal(space, id.startsWith('List/') ? id : `List/${id}`) ?? [],
  );
  const items = membersOf(membersOf(lists, 'entry'), 'item');
  const found = new Set(items.map((item) => findLocal(space, referenceText(item) ?? '')));
  return ({ resource }) => [...found].some((one) => one === resource);
}
