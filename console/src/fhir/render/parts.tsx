/** A long list in parts: as many items as a person reads at once, and a button for the next ones. */
import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { JsonValue } from '../../api/json';
import { texts } from '../../texts';
import { fitting, sizeOf } from '../weight';
import { DEEPEST, PART, RenderBudget, SMALL, useBudget } from './budget';

export interface PartsProps<Item> {
  readonly items: readonly Item[];
  readonly valueOf: (item: Item) => JsonValue | undefined;
  readonly children: (shown: readonly Item[]) => ReactNode;
  /** Puts the button where the items stand. */
  readonly frame?: (button: ReactNode) => ReactNode;
}

/** `children` draws the shown items, each inside of an `ItemBudget`. */
export function Parts<Item>({ items, valueOf, children, frame = (button) => button }: PartsProps<Item>) {
  const budget = useBudget();
  const [parts, setParts] = useState(1);
  const all = items.map(valueOf);
  let shown = fitting(all, 0, budget.values);
  for (let part = 1; part < parts; part++) shown += fitting(all, shown, PART);
  return (
    <>
      <RenderBudget value={parts === 1 ? budget : { ...budget, values: PART }}>
        {children(shown === items.length ? items : items.slice(0, shown))}
      </RenderBudget>
      {shown < items.length
        ? frame(
            <Button variant="default" size="compact-xs" mt={4} onClick={() => setParts(parts + 1)}>
              {texts.common.morePart(shown, items.length)}
            </Button>,
          )
        : null}
    </>
  );
}

/** What one item of `Parts` may draw: all of itself, or as much as there is room for. */
export function ItemBudget({
  value,
  children,
}: {
  readonly value: JsonValue | undefined;
  readonly children: ReactNode;
}) {
  const { values, depth } = useBudget();
  return (
    <RenderBudget value={{ values: sizeOf(value, Math.max(values, 1)), depth }}>{children}</RenderBudget>
  );
}

/** An object inside of others: drawn where there is room for its values, or else when a person opens it. */
export function Inside({
  value,
  children,
}: {
  readonly value: JsonValue;
  readonly children: () => ReactNode;
}) {
  const { values, depth } = useBudget();
  const isSmall = sizeOf(value, SMALL + 1) <= SMALL;
  return !isSmall && (values <= SMALL || depth > DEEPEST) ? <Closed>{children}</Closed> : <>{children()}</>;
}

function Closed({ children }: { readonly children: () => ReactNode }) {
  const [isOpen, setIsOpen] = useState(false);
  if (isOpen) return <RenderBudget value={{ values: PART, depth: 0 }}>{children()}</RenderBudget>;
  return (
    <Button variant="default" size="compact-xs" onClick={() => setIsOpen(true)}>
      {texts.record.showInside}
    </Button>
  );
}
