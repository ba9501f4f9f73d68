/** The view of one value. Lists and tables get it from RecordView, because a value can contain lists again. */
import { createContext, useContext, type ComponentType } from 'react';
import type { ElementInfo } from '../definitions';
import type { MemberItem } from '../members';

export interface ItemViewProps {
  readonly item: MemberItem;
  readonly type: string | undefined;
  readonly elements: readonly ElementInfo[];
}

export const RenderItem = createContext<ComponentType<ItemViewProps>>(() => {
  throw new Error('Only a RecordView shows values');
});

export function useItemView(): ComponentType<ItemViewProps> {
  return useContext(RenderItem);
}
